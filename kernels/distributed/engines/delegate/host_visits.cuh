// SPDX-License-Identifier: Apache-2.0
// The kernels of visits that the host launches, and their launches (host_levels.cu). Forward, dd is
// shared out by merge path, and the others by thread, warp and block or by merge path, too.
#pragma once

#include <algorithm>

#include "kernels/cuda/device/cooperative.hpp"
#include "kernels/cuda/expand/merge_path.cuh"
#include "kernels/cuda/expand/thread_warp_cta.cuh"
#include "kernels/distributed/engines/delegate/backward_rows.cuh"
#include "kernels/distributed/engines/delegate/gpu_memory.cuh"

namespace bfslab::distributed::delegate {

template <typename Graph, typename Action>
__global__ void forward(const __grid_constant__ Graph graph, const local_vertex_t* entries,
                        std::uint32_t count, const __grid_constant__ Action given) {
  Action action = given;
  const cuda::RowsOf<Graph> rows{graph};
  cuda::ThreadWarpCtaExpansion({}).run<cuda::GridScope>(rows, entries, count, action);
  action.finish();
}

// Cooperative.
template <typename Graph, typename Action>
__global__ void forward_merged(Graph graph, const local_vertex_t* entries,
                               const std::uint32_t* count, cuda::ExpandScratch scratch,
                               Action given) {
  Action action = given;
  const cuda::RowsOf<Graph> rows{graph};
  const cuda::QueueView queue{const_cast<local_vertex_t*>(entries), {}};
  cuda::MergePathExpansion(scratch).run_whole(rows, queue, count, action);
  action.finish();
}

template <typename Graph, typename Look>
__global__ void __launch_bounds__(kLookThreads)
    look(const __grid_constant__ Graph graph, const __grid_constant__ Look task, std::size_t words,
         LeftRows left, unsigned long long* checked) {
  task.parents.keep();
  look_through(graph, task, words, left, checked);
}

// Looks at the rows that look() has left.
template <typename Graph, typename Look>
__global__ void __launch_bounds__(kLookThreads)
    look_further(const __grid_constant__ Graph graph, const __grid_constant__ Look task,
                 LeftRows left, unsigned long long* checked) {
  if (fresh(left.count) == 0) return;
  task.parents.keep();
  __syncthreads();
  look_at_left(graph, task, left, checked);
}

// The rows that a forward visit begins from: `size` is also at `counted`, in device memory.
struct Entries {
  const local_vertex_t* rows;
  std::uint64_t size;
  const std::uint32_t* counted;
};

// A stream of the member, and the sums of degrees of visits on it.
struct VisitStream {
  const cuda::Stream& stream;
  const cuda::DegreeSums& sums;
};

template <typename Column, typename Action>
void launch_merged(const DeviceSubgraph<Column>& subgraph, const Entries& entries,
                   const Action& action, const VisitStream& on, unsigned max_blocks) {
  with_view(subgraph, [&](const auto& graph) {
    const auto kernel = &forward_merged<std::remove_cvref_t<decltype(graph)>, Action>;
    static const unsigned blocks = cuda::blocks_at_once(kernel, kBlockThreads, 0);
    const cuda::CooperativeKernel merged{kernel, std::min(blocks, max_blocks), kBlockThreads};
    merged.launch(on.stream.get(), graph, entries.rows, entries.counted, on.sums.view(32), action);
  });
}

template <typename Column, typename Action>
void launch_forward(const DeviceSubgraph<Column>& subgraph, const Entries& entries,
                    const Action& action, const VisitStream& on, const GpuMemory& memory) {
  if (memory.settings.merge_all) {
    return launch_merged(subgraph, entries, action, on, memory.merge_blocks);
  }
  with_view(subgraph, [&](const auto& graph) {
    BFSLAB_LAUNCH(forward, blocks_for(entries.size * 32), on.stream, graph, entries.rows,
                  static_cast<std::uint32_t>(entries.size), action);
  });
}

// `left` says where long rows are left to all blocks together, if anywhere.
template <typename Look>
void launch_look(const DeviceSubgraph<local_vertex_t>& subgraph, const Look& task,
                 std::size_t words, const LeftRows& left, unsigned long long* checked,
                 const cuda::Stream& on) {
  if (words == 0) return;
  with_view(subgraph, [&](const auto& graph) {
    using Graph = std::remove_cvref_t<decltype(graph)>;
    static const unsigned most = cuda::blocks_at_once(&look<Graph, Look>, kLookThreads, 0);
    BFSLAB_LAUNCH_SIZED(look, std::min(most, blocks_for(words)), kLookThreads, 0, on, graph, task,
                        words, left, checked);
    if (left.rows == nullptr) return;
    BFSLAB_LAUNCH_SIZED(look_further, most, kLookThreads, 0, on, graph, task, left, checked);
  });
}

}  // namespace bfslab::distributed::delegate
