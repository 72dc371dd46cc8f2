// SPDX-License-Identifier: Apache-2.0
#include "kernels/distributed/engines/fused/answer.hpp"

#include "kernels/cuda/device/launch.hpp"
#include "kernels/cuda/device/threads.cuh"
#include "kernels/cuda/fused/member_answers.cuh"
#include "kernels/cuda/traversal/collectives.cuh"

namespace bfslab::distributed::fused {

namespace {

using cuda::blocks_for;
using cuda::kBlockThreads;

__global__ void __launch_bounds__(kBlockThreads)
    copy_answers(const __grid_constant__ cuda::FusedMemberAnswers map, const level_t* end) {
  cuda::fused_copy_answers(map, *end);
}

__global__ void __launch_bounds__(kBlockThreads)
    run_map(const __grid_constant__ cuda::FusedMemberAnswers map, vertex_t source,
            const level_t* end, level_t* levels, vertex_t* parents) {
  cuda::fused_put_answers(map, source, *end, levels, parents);
}

template <typename Offset>
__global__ void __launch_bounds__(kBlockThreads)
    add_reached(const Offset* offsets, const level_t* levels, vertex_t count,
                unsigned long long* sum) {
  unsigned long long own = 0;
  for (std::uint64_t v = cuda::grid_thread(); v < count; v += cuda::grid_threads()) {
    if (levels[v] != kUnreached) own += offsets[v + 1] - offsets[v];
  }
  cuda::add_of_block(own, sum);
}

}  // namespace

void map_answer(const cuda::FusedMemberAnswers& map, vertex_t source, const level_t* end,
                level_t* levels, vertex_t* parents, const cuda::Stream& stream) {
  if (map.all_levels != nullptr) {
    BFSLAB_LAUNCH(copy_answers, blocks_for(map.numbers), stream, map, end);
  }
  BFSLAB_LAUNCH(run_map, blocks_for(map.owned), stream, map, source, end, levels, parents);
}

template <typename Offset>
void sum_reached(const Offset* offsets, const level_t* levels, vertex_t count,
                 unsigned long long* sum, const cuda::Stream& stream) {
  BFSLAB_LAUNCH(add_reached<Offset>, blocks_for(count), stream, offsets, levels, count, sum);
}

template void sum_reached(const std::uint32_t*, const level_t*, vertex_t, unsigned long long*,
                          const cuda::Stream&);
template void sum_reached(const edge_t*, const level_t*, vertex_t, unsigned long long*,
                          const cuda::Stream&);

}  // namespace bfslab::distributed::fused
