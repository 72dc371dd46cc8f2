// HostAnswer: an engine's answer where the host can read it.
#pragma once

#include <vector>

#include "kernels/engine.hpp"

namespace bfslab {

class HostAnswer {
 public:
  // The answer itself if it is in host memory, else a copy, which is valid until the next call.
  // The memory of the copies is kept. Throws DeviceError.
  AnswerView take(const AnswerView& answer);

 private:
  std::vector<level_t> levels_;
  std::vector<vertex_t> parents_;
};

}  // namespace bfslab
