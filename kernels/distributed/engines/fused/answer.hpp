// SPDX-License-Identifier: Apache-2.0
// Answers of `fused-gpus` (cuda/fused/member_answers.hpp), and what they have reached.
#pragma once

#include <cstdint>

#include "kernels/cuda/device/stream.hpp"
#include "kernels/cuda/fused/member_answers.hpp"

namespace bfslab::distributed::fused {

// Queues the copies, if `map` has room for them, and then the answer of a search from `source`, as
// given, to `levels` and `parents` of this member's GPU, [map.owned] each; `parents` may be null.
// All members' searches are over. `end`: on the GPU, the level after the last of the search that
// had a frontier.
void map_answer(const cuda::FusedMemberAnswers& map, vertex_t source, const level_t* end,
                level_t* levels, vertex_t* parents, const cuda::Stream& stream);

// Queues the addition, to `*sum`, of the lengths of this member's rows that the search has reached:
// of the numbers below `count`.
template <typename Offset>
void sum_reached(const Offset* offsets, const level_t* levels, vertex_t count,
                 unsigned long long* sum, const cuda::Stream& stream);

}  // namespace bfslab::distributed::fused
