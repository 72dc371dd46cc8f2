// SPDX-License-Identifier: Apache-2.0
// HostAnswer: an engine's answer where the host can read it, all vertices in their order.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/answer.hpp"

namespace bfslab {

class HostAnswer {
 public:
  // Returns the answer itself if it is one part in host memory with all vertices in their order.
  // Otherwise copies all parts, also those on devices, into one, which lives until the next call.
  // The memory of the copies is kept. Throws DeviceError, and MalformedAnswer if a vertex is in no
  // part or in more than one, if a part names a vertex that does not exist, or if one part has a
  // half that another lacks.
  WholeAnswer take(const AnswerView& answer);

 private:
  void claim(const AnswerPart& part, std::uint32_t number);
  void place(const AnswerPart& part, const std::uint32_t* from, std::vector<std::uint32_t>& to);

  std::vector<level_t> levels_;
  std::vector<vertex_t> parents_;
  std::vector<std::uint32_t> copied_;  // half of a part, copied from a device
  std::vector<std::uint32_t> owners_;  // [n] the part of each vertex, while parts are joined
};

}  // namespace bfslab
