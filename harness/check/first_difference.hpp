// SPDX-License-Identifier: Apache-2.0
// Finds the first level of a wrong answer that differs from the reference's.
#pragma once

#include <cstdint>
#include <optional>

#include "harness/check/check.hpp"

namespace bfslab {

struct LevelDifference {
  vertex_t vertex = 0;
  level_t expected = 0;        // by the reference; kUnreached if it does not reach the vertex
  level_t found = 0;           // in the answer; kUnreached if it has no level
  std::uint64_t vertices = 0;  // with another level than expected, in the whole answer
};

// Compares the levels of an answer, or those that its parents imply, with the sequential
// reference. Returns the difference of the lowest expected level, and there of the lowest vertex.
// Empty if the levels agree, or if the answer has parents alone and they are no tree.
std::optional<LevelDifference> first_difference(const CsrGraph& graph, SearchAsked search,
                                                const WholeAnswer& answer);

}  // namespace bfslab
