// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/engines/fused/profile.cuh"

#include <limits>
#include <new>
#include <utility>
#include <vector>

#include "kernels/cuda/device/launch.hpp"
#include "kernels/cuda/device/upload.hpp"
#include "kernels/cuda/traversal/collectives.cuh"

namespace bfslab::cuda {

namespace {

constexpr unsigned kLevels = FusedProfile::kLevels;
constexpr unsigned kAlone = 32;  // entries of a row that a lane looks at before the warp does

// Returns the number of entries of v's row up to its first neighbour of level `parents`, for each
// lane that `seeks`; all of them if there is none. Called by all lanes of a warp.
template <typename Offset>
__device__ unsigned long long entries_to_parent(const FusedRows<Offset>& rows,
                                                const level_t* levels, vertex_t v, level_t parents,
                                                bool seeks) {
  const Offset begin = seeks ? rows.row_offsets[v] : 0;
  const Offset end = seeks ? rows.row_offsets[v + std::size_t{1}] : 0;
  Offset at = begin;
  bool found = false;
  for (; at < end && at < begin + kAlone && !found; ++at) {
    found = levels[rows.columns[at]] == parents;
  }
  for (unsigned left = __ballot_sync(kAllLanes, !found && at < end); left != 0; left &= left - 1) {
    const int owner = __ffs(static_cast<int>(left)) - 1;
    const level_t sought = __shfl_sync(kAllLanes, parents, owner);
    const Offset last = __shfl_sync(kAllLanes, end, owner);
    Offset next = __shfl_sync(kAllLanes, at, owner);
    unsigned hits = 0;
    for (; next < last && hits == 0; next += 32) {
      const Offset place = next + lane_id();
      hits = __ballot_sync(kAllLanes, place < last && levels[rows.columns[place]] == sought);
    }
    if (hits != 0) next += static_cast<unsigned>(__ffs(static_cast<int>(hits))) - 32;
    if (static_cast<int>(lane_id()) == owner) at = min(next, last);
  }
  return at - begin;
}

// counts: [kLevels + 1]; the last one is of the vertices that were not reached.
template <typename Offset>
__global__ void __launch_bounds__(kBlockThreads)
    count_levels(const __grid_constant__ FusedWork<Offset> work, FusedLevelNumbers* counts) {
  alignas(FusedLevelNumbers)
      __shared__ unsigned char own_bytes[(kLevels + 1) * sizeof(FusedLevelNumbers)];
  auto* const own = reinterpret_cast<FusedLevelNumbers*>(own_bytes);
  for (unsigned l = threadIdx.x; l <= kLevels; l += blockDim.x) new (own + l) FusedLevelNumbers;
  __syncthreads();
  const std::size_t end = (std::size_t{work.vertices} + 31) / 32 * 32;  // for whole warps
  for (std::size_t i = thread_in_grid(); i < end; i += threads_in_grid()) {
    const auto v = static_cast<vertex_t>(i);
    const level_t level = i < work.vertices ? work.levels[v] : kUnreached;
    const bool seeks = level != kUnreached && level > 0;
    const unsigned long long looks =
        entries_to_parent(work.in, work.levels, v, seeks ? level - 1 : 0, seeks);
    if (i >= work.vertices) continue;
    if (level == kUnreached && degree_of(work.in, v) == 0) continue;  // bottom-up passes over it
    FusedLevelNumbers& mine = own[level == kUnreached ? kLevels : min(level, kLevels - 1)];
    const edge_t entries = degree_of(work.in, v);
    atomicAdd(&mine.vertices, 1ULL);
    atomicAdd(&mine.edges, degree_of(work.out, v));
    atomicAdd(&mine.entries, entries);
    if (looks > 1) atomicAdd(&mine.looks, looks);
    if (entries > FusedLevelNumbers::kLongRow) atomicAdd(&mine.long_rows, 1ULL);
  }
  __syncthreads();
  for (unsigned l = threadIdx.x; l <= kLevels; l += blockDim.x) {
    if (own[l].vertices == 0) continue;
    atomicAdd(&counts[l].vertices, own[l].vertices);
    atomicAdd(&counts[l].edges, own[l].edges);
    atomicAdd(&counts[l].entries, own[l].entries);
    atomicAdd(&counts[l].looks, own[l].looks);
    atomicAdd(&counts[l].long_rows, own[l].long_rows);
  }
}

// Returns the profile of the search whose levels, in the ids of the searched graph, `work` has.
template <typename Offset>
FusedProfile profile_of(const FusedWork<Offset>& work, const Stream& stream) {
  DeviceBuffer<FusedLevelNumbers> counts(kLevels + 1);
  BFSLAB_CUDA(cudaMemsetAsync(counts.data(), 0, counts.bytes(), stream.get()));
  BFSLAB_LAUNCH(count_levels<Offset>, blocks_for(work.vertices), stream, work, counts.data());
  std::vector<FusedLevelNumbers> found = downloaded(counts, stream);
  FusedProfile profile;
  profile.unreached = found.back();
  found.pop_back();
  while (!found.empty() && found.back().vertices == 0) found.pop_back();
  profile.levels = std::move(found);
  return profile;
}

// Returns vertices that have several neighbours, from everywhere among the ids.
std::vector<vertex_t> sampled_sources(const CsrGraph& graph) {
  constexpr vertex_t kSamples = 4;
  const vertex_t n = graph.vertex_count();
  std::vector<vertex_t> sources;
  for (vertex_t i = 0; i < kSamples; ++i) {
    auto v = static_cast<vertex_t>(std::uint64_t{n} * (2 * i + 1) / (2 * kSamples));
    const auto end = static_cast<vertex_t>(std::uint64_t{n} * (i + 1) / kSamples);
    while (v < end && graph.degree(v) < 2) ++v;
    if (v < end) sources.push_back(v);
  }
  return sources;
}

}  // namespace

template <typename Offset>
std::vector<FusedProfile> sampled_searches(const FusedKernel<Offset>& kernel,
                                           FusedWork<Offset> work, const CsrGraph& graph,
                                           const Stream& stream) {
  work.rules.bottom_up = false;
  work.depth_limit = kUnreached;
  std::vector<FusedProfile> searches;
  for (const vertex_t source : sampled_sources(graph)) {
    work.source = source;
    kernel.launch(stream.get(), work, Progress{}, FusedStart::fresh,
                  std::numeric_limits<level_t>::max());
    searches.push_back(profile_of(work, stream));
  }
  return searches;
}

template std::vector<FusedProfile> sampled_searches(const FusedKernel<std::uint32_t>&,
                                                    FusedWork<std::uint32_t>, const CsrGraph&,
                                                    const Stream&);
template std::vector<FusedProfile> sampled_searches(const FusedKernel<edge_t>&, FusedWork<edge_t>,
                                                    const CsrGraph&, const Stream&);

}  // namespace bfslab::cuda
