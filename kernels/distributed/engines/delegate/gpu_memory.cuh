// SPDX-License-Identifier: Apache-2.0
// The memory of `delegate-cuda` on one GPU: owners, which know their bytes, and the views that
// kernels get.
//
// Bytes beside the subgraphs: 4 for each owned vertex (its level; 4 more for its parent) and half a
// byte; 9 for each place (labels and queue; 8 more for parents); 8 for each delegate (12 with
// parents) and ten bits, or eleven where one kernel runs all levels; 4 for each place and delegate
// where visits look backward; 4 for each nn entry to another member (8 if parents travel).
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "kernels/cuda/device/upload.hpp"
#include "kernels/cuda/expand/scratch.hpp"
#include "kernels/distributed/communicator/device_communicator.hpp"
#include "kernels/distributed/engines/delegate/backward_looks.cuh"
#include "kernels/distributed/engines/delegate/level_begin.cuh"
#include "kernels/distributed/engines/delegate/reset.cuh"

namespace bfslab::distributed::delegate {

using cuda::DeviceBuffer;
using Bits = DeviceBuffer<std::uint32_t>;  // whole groups of four words (words_for)

// Arrays that are made from the graph once. A row has a bit among the sources of a subgraph if it
// has entries there.
struct GraphArrays {
  GraphArrays(const DeviceSubgraphs& graph, const Places& places, const WorkSettings& settings,
              const cuda::Stream& stream);

  Bits nn_sources, nd_sources;                  // by place
  Bits dn_sources, dd_sources, own;             // by delegate; own: this member owns it
  DeviceBuffer<FirstEntry> nd_first, dd_first;  // of each row; empty without backward visits
  DeviceBuffer<local_vertex_t> ids;             // by place; empty without parents
  DeviceBuffer<local_vertex_t> long_delegates;  // whose rows of dd or dn are long
  Unvisited sources;                            // how many have entries

  [[nodiscard]] LongRows long_rows() const {
    return {long_delegates.data(), static_cast<std::uint32_t>(long_delegates.size())};
  }
  [[nodiscard]] std::uint64_t bytes() const {
    return cuda::bytes_of(nn_sources, nd_sources, dn_sources, dd_sources, own, nd_first, dd_first,
                          ids, long_delegates);
  }
};

// Levels, parents and bits of vertices in a search.
struct VertexStatus {
  VertexStatus(const DeviceSubgraphs& graph, const Places& places, const WorkSettings& settings,
               const cuda::Stream& stream);

  DeviceBuffer<level_t> levels;    // [owned] by id; after the search
  DeviceBuffer<vertex_t> parents;  // the same; empty without parents
  // Labels, by place and by delegate (LabelView).
  Bits low_levels, low_delegate_levels;
  DeviceBuffer<level_t> place_levels, delegate_levels;
  DeviceBuffer<vertex_t> place_parents;  // by place
  // [d] parents of host-launched levels; ids as parents have them. Empty without parents.
  DeviceBuffer<vertex_t> delegate_parents, names;
  Bits reached, reached_before;  // by place
  Bits found_first;              // NormalsLook::found_first, or empty
  Bits frontier, visited;        // by delegate
  Bits known;                    // DelegateView::known of host-launched levels

  [[nodiscard]] std::uint64_t bytes() const {
    return cuda::bytes_of(levels, parents, low_levels, low_delegate_levels, place_levels,
                          delegate_levels, place_parents, delegate_parents, names, reached,
                          reached_before, found_first, frontier, visited, known);
  }
};

// The lists that nn sends: for each member a stretch of one list, of ids or of values of Carried.
struct SentLists {
  std::uint64_t bytes = 0;                     // of all stretches
  std::vector<std::uint64_t> first{};          // [members] entries before each one's stretch
  DeviceBuffer<std::uint64_t> first_on_gpu{};  // the same
  DeviceBuffer<std::byte> own{};               // [bytes], where hosts launch levels
  std::byte* lists = nullptr;                  // own, or the memory of a team
  DeviceBuffer<std::byte*> pointers{};         // [members] lists
  DeviceBuffer<std::uint64_t> begin{};         // [members] as SentView has them
  DeviceBuffer<std::uint32_t> count{};

  // Measures the stretches by the ends of nn's edges.
  void measure(const DeviceSubgraph<global_vertex_t>& nn, unsigned me, unsigned members,
               std::size_t entry_bytes, const cuda::Stream& stream);
  void lie_in(std::byte* memory, unsigned members, const cuda::Stream& stream);
};

struct GpuMemory {
  // `graph` lies on `gpu` and has `places`; all outlive this. Returns when all is there.
  GpuMemory(const DeviceSubgraphs& graph, const Places& places, const MemberGpu& gpu,
            const Member& member, const WorkSettings& settings);

  const DeviceSubgraphs& graph;
  const Places& places;
  const MemberGpu& gpu;
  const cuda::Stream& stream;
  const WorkSettings settings;
  const unsigned me, members;
  const Ownership own;
  const bool parents_wanted, carries_parents;  // carries: with what nn sends

  GraphArrays arrays;
  VertexStatus status;
  SentLists sent;
  DeviceBuffer<local_vertex_t> queue;    // [places] normal vertices of a level
  DeviceBuffer<local_vertex_t> list;     // [d] delegates of a level
  DeviceBuffer<RestOfRow> left_rows[2];  // LeftRows::rows, of dd and of nd
  DeviceBuffer<LevelCounts> counts{kLevelSlots};
  DeviceBuffer<unsigned long long> sum{1};  // of counts between levels and searches
  cuda::DegreeSums sums, other_sums;        // of visits that run at the same time
  unsigned merge_blocks;                    // at most, of a cooperative kernel
  cuda::GrowingBuffer library_scratch;      // of CUB
  // The masks that levels of odd number, or all host-launched ones, find delegates in, and the
  // parents of delegates: of the status, or of a team.
  std::uint32_t* found = nullptr;
  vertex_t* delegate_parents = nullptr;

  [[nodiscard]] NormalView normals() const {
    return {status.reached.data(), parents_wanted ? status.place_parents.data() : nullptr};
  }
  [[nodiscard]] DelegateView delegates() const {
    return {found, nullptr, delegate_parents, status.names.data()};
  }
  [[nodiscard]] LabelView labels() const {
    return {status.low_levels.data(), status.place_levels.data()};
  }
  [[nodiscard]] LabelView delegate_labels() const {
    return {status.low_delegate_levels.data(), status.delegate_levels.data()};
  }
  [[nodiscard]] RankedView with_place() const { return RankedView::from(places.normals); }
  [[nodiscard]] RoundRobin owners() const { return {Divisor(members), me}; }
  [[nodiscard]] NormalNames normal_names() const { return {owners(), arrays.ids.data()}; }
  [[nodiscard]] SentView sent_view() const {
    return {sent.pointers.data(), sent.begin.data(), sent.count.data(), carries_parents};
  }
  [[nodiscard]] std::size_t entry_bytes() const {
    return carries_parents ? sizeof(Carried) : sizeof(local_vertex_t);
  }
  [[nodiscard]] LevelCounts* counts_of(level_t level) const {
    return counts.data() + level % kLevelSlots;
  }
  [[nodiscard]] FrontierBits frontier_bits() const {
    const std::size_t most = settings.hubs_first ? FrontierBits::kMaxKept : 0;
    return {status.frontier.data(),
            static_cast<std::uint32_t>(std::min(status.frontier.size(), most))};
  }
  [[nodiscard]] NormalsLook normals_look() const {
    return {.normals = normals(),
            .sources = arrays.nd_sources.data(),
            .first = arrays.nd_first.data(),
            .parents = frontier_bits(),
            .names = status.names.data(),
            .found_first = status.found_first.data()};
  }
  [[nodiscard]] DelegatesLook<false> nd_look() const {
    return {.delegates = delegates(),
            .sources = arrays.dn_sources.data(),
            .parents = {status.reached_before.data()},
            .normals = normal_names(),
            .looking = {}};
  }
  [[nodiscard]] DelegatesLook<true> dd_look() const {
    return {.delegates = delegates(),
            .sources = arrays.dd_sources.data(),
            .first = arrays.dd_first.data(),
            .parents = frontier_bits(),
            .normals = normal_names(),
            .looking = {}};
  }
  [[nodiscard]] LevelBegin level_begin() const;
  // The beginning of a search; `delegate` and `vertex` are those of LocalWork::reset().
  [[nodiscard]] ResetView reset_view(local_vertex_t delegate, local_vertex_t vertex) const;
  [[nodiscard]] Progress progress() const {
    const std::uint64_t delegates = graph.own_delegates.size();
    return {arrays.sources, graph.owned - delegates, delegates};
  }
  // Queues the addition, to `*count` in device memory, of the bits that are set in `now` and not in
  // `before`, among those of `among` (null: all).
  void add_new_bits(const std::uint32_t* now, const Bits& before, unsigned long long* count,
                    const std::uint32_t* among = nullptr) const;
  [[nodiscard]] std::uint64_t new_bits(const std::uint32_t* now, const Bits& before,
                                       const std::uint32_t* among = nullptr) const;
  // Returns the entries of all rows that the search has reached.
  [[nodiscard]] std::uint64_t reached_entries() const;
  [[nodiscard]] MemoryUse use() const;
};

}  // namespace bfslab::distributed::delegate
