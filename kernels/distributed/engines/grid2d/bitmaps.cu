// SPDX-License-Identifier: Apache-2.0
// The GPU kernels of grid2d between exploration and exchange: the choice of the parent that counts,
// the levels of a row's finds, and the lists of predecessors.
//
// Cost: one pass over the words of each bitmap, and over the owned vertices whose bits are set.
#include <cstdint>

#include "kernels/distributed/engines/grid2d/halves.cuh"

namespace bfslab::distributed::grid2d {
namespace {

using cuda::kAllLanes;
using cuda::kBlockThreads;
using cuda::lane_id;

__global__ void __launch_bounds__(1)
    plant_source(const __grid_constant__ Planting at, half_t* visited, half_t* in,
                 const __grid_constant__ OwnedAnswer answer) {
  // Both may be the same vertex, so the previous source is erased first.
  if (at.owned_before != kNowhere) {
    if (answer.levels != nullptr) answer.levels[at.owned_before] = kUnreached;
    if (answer.parents != nullptr) answer.parents[at.owned_before] = kNoVertex;
  }
  if (at.owned != kNowhere) {
    if (answer.levels != nullptr) answer.levels[at.owned] = 0;
    if (answer.parents != nullptr) answer.parents[at.owned] = at.source;
  }
  if (at.in_row != kNowhere) visited[at.in_row / kHalfBits] |= half_t{1} << (at.in_row % kHalfBits);
  if (at.in_column != kNowhere)
    in[at.in_column / kHalfBits] |= half_t{1} << (at.in_column % kHalfBits);
}

__global__ void __launch_bounds__(kBlockThreads)
    assign_words(Word* out, Word* prefix, Word* assigned, std::uint64_t words) {
  for (std::uint64_t w = cuda::thread_in_grid(); w < words; w += cuda::threads_in_grid()) {
    const Word found = out[w];
    const Word before = prefix[w];
    const Word new_bits = found & ~before;
    out[w] = found | before;
    prefix[w] = new_bits;
    if (assigned != nullptr && new_bits != 0) assigned[w] |= new_bits;
  }
}

__global__ void __launch_bounds__(kBlockThreads)
    update_all(const __grid_constant__ Update args, unsigned a_turn) {
  for (std::uint64_t w = cuda::thread_in_grid(); w < args.words; w += cuda::threads_in_grid()) {
    const Word found = args.out[w];
    if (found != 0) args.visited[w] |= found;
  }
  __syncwarp();
  unsigned long long vertices = 0;
  unsigned long long edges = 0;
  for_each_half(
      args.own_halves, a_turn, [&](std::uint64_t half) { return args.own[half]; },
      [&](std::uint64_t half, half_t bits) {
        if (((bits >> lane_id()) & 1U) != 0) {
          const std::uint64_t v = half * kHalfBits + lane_id();
          ++vertices;
          if (args.levels != nullptr) args.levels[v] = args.level;
          if (args.degrees != nullptr) edges += args.degrees[v];
        }
        __syncwarp();
      });
  __syncthreads();
  cuda::add_of_block(vertices, &args.counts->vertices);
  if (args.degrees != nullptr) cuda::add_of_block(edges, &args.counts->edges);
}

__global__ void __launch_bounds__(kBlockThreads)
    sum_of_degrees(const half_t* bits, std::uint64_t halves, unsigned a_turn, const Word* degrees,
                   LevelCounts* counts) {
  unsigned long long edges = 0;
  for_each_half(
      halves, a_turn, [&](std::uint64_t half) { return bits[half]; },
      [&](std::uint64_t half, half_t some) {
        if (((some >> lane_id()) & 1U) != 0) edges += degrees[half * kHalfBits + lane_id()];
        __syncwarp();
      });
  __syncthreads();
  cuda::add_of_block(edges, &counts->edges);
}

__global__ void __launch_bounds__(kBlockThreads)
    erase_unreached(const half_t* enterable, const half_t* visited, std::uint64_t halves,
                    unsigned a_turn, const __grid_constant__ OwnedAnswer answer) {
  for_each_half(
      halves, a_turn, [&](std::uint64_t half) { return enterable[half] & ~visited[half]; },
      [&](std::uint64_t half, half_t bits) {
        if (((bits >> lane_id()) & 1U) != 0) {
          const std::uint64_t v = half * kHalfBits + lane_id();
          if (answer.levels != nullptr) answer.levels[v] = kUnreached;
          if (answer.parents != nullptr) answer.parents[v] = kNoVertex;
        }
        __syncwarp();
      });
}

// The second dimension of the CUDA grid is the member of the row whose piece of the row's range is
// read.
__global__ void __launch_bounds__(kBlockThreads)
    count_of_pieces(const Word* which, std::uint64_t words_of_piece, unsigned long long* counts) {
  const Word* const piece = which + blockIdx.y * words_of_piece;
  unsigned long long count = 0;
  for (std::uint64_t w = cuda::thread_in_grid(); w < words_of_piece; w += cuda::threads_in_grid()) {
    count += static_cast<unsigned>(__popcll(piece[w]));
  }
  __syncthreads();
  cuda::add_of_block(count, counts + blockIdx.y);
}

__device__ vertex_t id_of(const ColumnIds& ids, local_t v) {
  const std::uint64_t k = v / ids.block;
  const std::uint64_t piece =
      ids.square ? std::uint64_t{ids.column} * ids.columns + k : k * ids.columns + ids.column;
  return static_cast<vertex_t>(piece * ids.block + (v - k * ids.block));
}

// The same grid. A warp takes 32 halves at a time and reserves list space with one atomic.
__global__ void __launch_bounds__(kBlockThreads)
    list_of_pieces(const half_t* which, const local_t* found_by,
                   const __grid_constant__ ColumnIds ids, unsigned long long* cursors,
                   Predecessor* lists) {
  const std::uint64_t halves = ids.block / kHalfBits;
  const half_t* const piece = which + blockIdx.y * halves;
  const local_t* const tails = found_by + blockIdx.y * ids.block;
  const std::uint64_t step = cuda::threads_in_grid();
  for (std::uint64_t first = cuda::thread_in_grid() - lane_id(); first < halves; first += step) {
    const half_t own_half = first + lane_id() < halves ? piece[first + lane_id()] : 0;
    const auto count = static_cast<unsigned>(__popc(own_half));
    const unsigned upto = cuda::inclusive_of_warp(count);
    unsigned long long at = 0;
    if (lane_id() == 31 && upto > 0) at = atomicAdd(cursors + blockIdx.y, upto);
    at = __shfl_sync(kAllLanes, at, 31) + upto - count;
    unsigned open = __ballot_sync(kAllLanes, own_half != 0);
    while (open != 0) {
      const int from = __ffs(static_cast<int>(open)) - 1;
      open &= open - 1;
      const half_t bits = __shfl_sync(kAllLanes, own_half, from);
      const unsigned long long place = __shfl_sync(kAllLanes, at, from);
      if (((bits >> lane_id()) & 1U) != 0) {
        const std::uint64_t vertex = (first + static_cast<unsigned>(from)) * kHalfBits + lane_id();
        lists[place + static_cast<unsigned>(__popc(bits & cuda::lanes_below()))] = {
            static_cast<local_t>(vertex), id_of(ids, tails[vertex])};
      }
      __syncwarp();
    }
  }
}

__global__ void __launch_bounds__(kBlockThreads)
    take_list(const Predecessor* list, std::uint64_t count, vertex_t* parents) {
  for (std::uint64_t i = cuda::thread_in_grid(); i < count; i += cuda::threads_in_grid()) {
    const Predecessor each = list[i];
    parents[each.vertex] = each.parent;
  }
}

}  // namespace

void plant(const Planting& at, half_t* visited, half_t* in, const OwnedAnswer& answer,
           const cuda::Stream& stream) {
  BFSLAB_LAUNCH_SIZED(plant_source, 1, 1, 0, stream, at, visited, in, answer);
}

void assign(Word* out, Word* prefix, Word* assigned, std::uint64_t words,
            const cuda::Stream& stream) {
  BFSLAB_LAUNCH(assign_words, cuda::blocks_for(words), stream, out, prefix, assigned, words);
}

void update(const Update& args, const cuda::Stream& stream) {
  const unsigned a_turn = halves_a_turn(args.own_halves);
  const unsigned blocks =
      std::max(cuda::blocks_for(args.words), blocks_for_halves(args.own_halves, a_turn));
  BFSLAB_LAUNCH(update_all, blocks, stream, args, a_turn);
}

void sum_degrees(const half_t* bits, std::uint64_t halves, const Word* degrees, LevelCounts* counts,
                 const cuda::Stream& stream) {
  const unsigned a_turn = halves_a_turn(halves);
  BFSLAB_LAUNCH(sum_of_degrees, blocks_for_halves(halves, a_turn), stream, bits, halves, a_turn,
                degrees, counts);
}

void erase(const half_t* enterable, const half_t* visited, std::uint64_t halves,
           const OwnedAnswer& answer, const cuda::Stream& stream) {
  const unsigned a_turn = halves_a_turn(halves);
  BFSLAB_LAUNCH(erase_unreached, blocks_for_halves(halves, a_turn), stream, enterable, visited,
                halves, a_turn, answer);
}

void count_predecessors(const Word* which, const ColumnIds& ids, unsigned long long* counts,
                        const cuda::Stream& stream) {
  const std::uint64_t words = ids.block / kWordBits;
  const dim3 blocks(cuda::blocks_for(words), ids.columns);
  BFSLAB_LAUNCH(count_of_pieces, blocks, stream, which, words, counts);
}

void list_predecessors(const Word* which, const local_t* found_by, const ColumnIds& ids,
                       unsigned long long* cursors, Predecessor* lists,
                       const cuda::Stream& stream) {
  const dim3 blocks(cuda::blocks_for(ids.block / kHalfBits), ids.columns);
  BFSLAB_LAUNCH(list_of_pieces, blocks, stream, reinterpret_cast<const half_t*>(which), found_by,
                ids, cursors, lists);
}

void take_predecessors(const Predecessor* list, std::uint64_t count, vertex_t* parents,
                       const cuda::Stream& stream) {
  BFSLAB_LAUNCH(take_list, cuda::blocks_for(count), stream, list, count, parents);
}

void load_bitmap_kernels() {
  load_now(plant_source, assign_words, update_all, sum_of_degrees, erase_unreached, count_of_pieces,
           list_of_pieces, take_list);
}

}  // namespace bfslab::distributed::grid2d
