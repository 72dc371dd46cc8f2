// SPDX-License-Identifier: Apache-2.0
// HostAnswer: an engine's answer where the host can read it, all vertices in their order.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/answer.hpp"

namespace bfslab {

class HostAnswer {
 public:
  // The answer itself where it is one part in host memory that holds all vertices in their order,
  // else a copy, which lives until the next call: parts of devices are copied out, and all are put
  // together. The memory of the copies is kept. Throws DeviceError; MalformedAnswer where a
  // vertex is in no part or in more than one, a part names a vertex that there is
  // not, or one part has a half that another lacks.
  WholeAnswer take(const AnswerView& answer);

 private:
  void claim(const AnswerPart& part, std::uint32_t number);
  void place(const AnswerPart& part, const std::uint32_t* from, std::vector<std::uint32_t>& to);

  std::vector<level_t> levels_;
  std::vector<vertex_t> parents_;
  std::vector<std::uint32_t> copied_;  // a part's half on its way out of a device
  std::vector<std::uint32_t> owners_;  // [n] the part of each vertex, while parts are put together
};

}  // namespace bfslab
