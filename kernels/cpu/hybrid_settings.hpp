// SPDX-License-Identifier: Apache-2.0
// The toggles of hybrid, what they mean on a graph, and the engine's needs with them.
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/cpu/sum_barrier.hpp"
#include "kernels/cpu/vertex_state.hpp"
#include "kernels/cpu/work_range.hpp"
#include "kernels/engine.hpp"

namespace bfslab::cpu {

// Bytes of a thread, beside its queues.
inline constexpr std::size_t kHybridScratch =
    sizeof(WorkRange) + SumBarrier<LevelTally>::kBytesPerThread;

std::vector<Toggle> hybrid_toggles();
// Returns whether a team of `threads` claims a vertex by a store to its byte.
bool claims_unlocked(const Toggles& toggles, vertex_t vertices, int threads);
// Returns whether leaves stay out of levels. A search with a depth limit treats them like other
// vertices, since it may end between a vertex and its leaves.
bool leaves_are_apart(const Toggles& toggles);
Estimate hybrid_estimate(const GraphFacts& facts, const Toggles& toggles, Answer answer);

}  // namespace bfslab::cpu
