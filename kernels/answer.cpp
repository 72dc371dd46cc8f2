// SPDX-License-Identifier: Apache-2.0
#include "kernels/answer.hpp"

#include <fmt/format.h>

#include <limits>

namespace bfslab {

AnswerView in_one_part(const WholeAnswer& answer) {
  return {.vertex_count = answer.vertex_count,
          .parts = {{.ids = PartIds::range(0, answer.vertex_count),
                     .space = answer.space,
                     .device = answer.device,
                     .levels = answer.levels,
                     .parents = answer.parents}}};
}

std::optional<WholeAnswer> as_whole(const AnswerView& answer) {
  if (answer.parts.size() != 1 || answer.vertex_count > std::numeric_limits<vertex_t>::max()) {
    return std::nullopt;
  }
  const AnswerPart& part = answer.parts.front();
  const PartIds& ids = part.ids;
  if (ids.list != nullptr || ids.count != answer.vertex_count || ids.first != 0 ||
      (ids.stride != 1 && ids.count > 1)) {
    return std::nullopt;
  }
  return WholeAnswer{part.space, static_cast<vertex_t>(ids.count), part.levels, part.parents,
                     part.device};
}

void require_halves(const AnswerView& answer, std::uint64_t vertices, Answer asked) {
  if (answer.vertex_count != vertices) {
    throw MalformedAnswer(fmt::format("the answer is of {} vertices, and the graph has {}",
                                      answer.vertex_count, vertices));
  }
  for (std::size_t i = 0; i < answer.parts.size(); ++i) {
    const AnswerPart& part = answer.parts[i];
    if (part.ids.count == 0) continue;
    if (wants_levels(asked) && part.levels == nullptr) {
      throw MalformedAnswer(fmt::format("part {} of the answer has no levels", i));
    }
    if (wants_parents(asked) && part.parents == nullptr) {
      throw MalformedAnswer(fmt::format("part {} of the answer has no parents", i));
    }
  }
}

}  // namespace bfslab
