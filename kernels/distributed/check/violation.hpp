// SPDX-License-Identifier: Apache-2.0
// A broken rule (kernels/answer_rules.hpp) as a distributed check reports it, and its message.
#pragma once

#include <string>

#include "kernels/answer_rules.hpp"
#include "kernels/distributed/communicator/communicator.hpp"
#include "kernels/distributed/partition/edge_distributor.hpp"

namespace bfslab::distributed {

inline constexpr global_vertex_t kNobody = ~global_vertex_t{0};
inline constexpr Word kNoRule = ~Word{0};

// The violation to report: that of the first broken rule, and of its smallest vertex.
struct Violation {
  Word rule = kNoRule;
  global_vertex_t vertex = kNobody;
  global_vertex_t other = kNobody;  // its parent, or the head of its edge
  Word level = kUnreached;
  Word other_level = kUnreached;

  [[nodiscard]] bool before(const Violation& that) const {
    if (rule != that.rule) return rule < that.rule;
    return vertex != that.vertex ? vertex < that.vertex : other < that.other;
  }
};

// In the words of kernels/answer_rules.cpp, which has the graph at hand. `n`: vertices.
std::string sentence(const Violation& broken, global_vertex_t source, std::uint64_t n);

}  // namespace bfslab::distributed
