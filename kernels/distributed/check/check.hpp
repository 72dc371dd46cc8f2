// SPDX-License-Identifier: Apache-2.0
// The rules of Graph500's validation (graph500-romeo, section 3.3.2; kernels/answer_rules.hpp) over
// an answer and a graph that no process holds: every member has the answer of the vertices that it
// owns and a share of the tuples.
//
// Every tuple (u, v) is sent to the owner of u, which adds what it knows of u and passes it on to
// the owner of v, which judges the edge; for undirected graphs the other direction too. No reply is
// waited for and no table but the answer is held, so that memory is that of a portion of tuples.
// Parents alone are first given the levels that their tree implies, by as many rounds of asking as
// the tree is deep.
//
// Cost: two all-to-all exchanges of 16 and 24 bytes per directed tuple, and one random access to
// the answer at each; 4 bytes per owned vertex are kept for counting input edges.
#pragma once

#include <vector>

#include "kernels/answer.hpp"
#include "kernels/check_result.hpp"
#include "kernels/distributed/edges/edge_share.hpp"
#include "kernels/distributed/ownership.hpp"
#include "kernels/interface.hpp"

namespace bfslab::distributed {

class Checker : public Interface {
 public:
  // `part`: this member's part of the vertices that the ownership gives it, in their order. Every
  // member gets the same result. With `rules` false nothing is judged and only the counts are made:
  // from levels alone, or the reached vertices where there are none. Of the counts
  // `component_edges` is left 0: it is not the tuples that have it, but the graph that was made of
  // them. Collective.
  virtual CheckResult check(Member& member, global_vertex_t source, const AnswerPart& part,
                            bool rules) = 0;
};

class AnswerChecker final : public Checker {
 public:
  // Counts each owned vertex's input edges. `share` outlives the checker. Collective.
  AnswerChecker(Member& member, const EdgeShare& share, const Ownership& ownership);

  // `part` is in host memory.
  CheckResult check(Member& member, global_vertex_t source, const AnswerPart& part,
                    bool rules) override;

 private:
  const EdgeShare& share_;
  Ownership ownership_;
  std::vector<std::uint32_t> input_edges_;  // [owned]
};

}  // namespace bfslab::distributed
