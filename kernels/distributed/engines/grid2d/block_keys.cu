// SPDX-License-Identifier: Apache-2.0
// Makes the keys of the edges of a member's block on GPUs and sends them.
#include "kernels/distributed/engines/grid2d/device_block.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <vector>

#include "kernels/distributed/edges/collect_keys.hpp"
#include "kernels/distributed/edges/tuple_keys.cuh"

namespace bfslab::distributed::grid2d {
namespace {

using cuda::DeviceBuffer;

constexpr std::uint64_t kPortion = std::uint64_t{1} << 24;  // tuples

// The plan that tuple_keys.cuh takes.
struct GridPlan {
  EdgeRules rules;
  unsigned members;
  Grid grid;
  unsigned head_bits;

  [[nodiscard]] __device__ Kept kept(global_vertex_t from, global_vertex_t to) const {
    const Grid::Place tail = grid.place(from);
    const Grid::Place head = grid.place(to);
    return {head.row * grid.columns + tail.column,
            std::uint64_t{tail.in_column} << head_bits | head.in_row};
  }
};

// Returns true if this member's GPU can make its block while `sent` keys of a portion are in
// transit.
bool fits(std::uint64_t edges, std::uint64_t sent, const BlockPlan& plan, const MemberGpu& gpu) {
  constexpr std::uint64_t kMaxKeys = std::numeric_limits<std::int32_t>::max();
  constexpr std::uint64_t kMaxRows = std::numeric_limits<vertex_t>::max();
  std::size_t free = 0;
  std::size_t total = 0;
  BFSLAB_CUDA(cudaMemGetInfo(&free, &total));
  if (gpu.shared()) free /= plan.grid.members();
  // Counts keys twice, rows both ways with some room for CUB, 8-byte offsets before they are
  // narrowed, and sent keys with the buffers of a transport at both ends.
  const std::uint64_t rows = plan.grid.row_size() + plan.grid.column_size();
  return edges <= kMaxKeys && plan.grid.row_size() <= kMaxRows &&
         plan.grid.column_size() <= kMaxRows && 26 * edges + 16 * rows + 24 * sent < free;
}

}  // namespace

std::optional<BlockKeys> block_keys(const Member& member, const EdgeShare& share,
                                    const BlockPlan& plan, const MemberGpu& gpu,
                                    Communicator& data) {
  const cuda::Stream& stream = gpu.stream();
  Communicator& all = *member.all;
  const unsigned members = member.count();
  const GridPlan grid_plan{share.rules(), members, plan.grid, bits_for(plan.grid.row_size())};
  TupleFeed feed(member, share, stream, kPortion);

  std::vector<std::vector<std::uint64_t>> sent(all.maximum(feed.portions()));
  std::vector<Word> totals(members, 0);
  std::uint64_t max_sent = 0;
  DeviceBuffer<std::uint64_t> counts(members);
  for (std::uint64_t portion = 0; portion < sent.size(); ++portion) {
    counts.fill_bytes(0, stream.get());
    count_kept(feed.load(portion), grid_plan, counts.data(), stream);
    sent[portion] = cuda::downloaded(counts, stream);
    for (unsigned m = 0; m < members; ++m) totals[m] += sent[portion][m];
    if (members > 1) max_sent = std::max(max_sent, key_lists(sent[portion]).back().end);
  }
  all.all_reduce(totals, Reduction::sum);
  const std::uint64_t own_count = totals[member.index()];
  if (all.minimum(fits(own_count, max_sent, plan, gpu) ? 1 : 0) == 0) return std::nullopt;

  BlockKeys keys{cuda::KeyBuffers(own_count), own_count};
  KeySending sending{DeviceBuffer<std::uint64_t>(max_sent), DeviceBuffer<std::uint64_t>(members)};
  // No member allocates or frees (both wait for the whole GPU) while others wait in a call.
  all.barrier();
  const std::uint64_t count = collect_keys(
      member, data, feed, sent.size(), [&](std::uint64_t portion) { return sent[portion]; },
      [&](const TuplePortion& tuples, std::uint64_t* next, std::uint64_t* into) {
        emit_kept(tuples, grid_plan, next, into, stream);
      },
      sending, keys.buffers.keys, stream);
  all.barrier();
  if (count != own_count) throw std::logic_error("a block has other edges than were counted");
  return keys;
}

}  // namespace bfslab::distributed::grid2d
