// SPDX-License-Identifier: Apache-2.0
// Levels of `fused` by several members that search together: the functions of turns.cuh, sweep.cuh,
// top_down.cuh, reset.cuh and first_row.cuh that differ from those of one that searches alone.
//
// Bits of frontiers are replicated. The member of a vertex alone decides that it is found, labels
// it, and writes its word of the frontier's bits into the memory of every member, during the level
// and only if the word there differs: words whose vertices were all found two levels before or
// earlier, and those of leaves, are never sent. A top-down visit sets bits of other members'
// vertices in its own copy of what was visited; their members read these copies when they sweep.
//
// Cost per level: bottom-up 4 bytes per changed word to each other member, and one meeting;
// top-down, in addition, 4 bytes per word with open vertices from each other member, and a second
// meeting. With parents, each level reads all bits of its frontier once more, to note what is
// visited.
#pragma once

#include "kernels/cuda/fused/bottom_up.cuh"
#include "kernels/cuda/fused/first_row.cuh"
#include "kernels/cuda/fused/member.hpp"
#include "kernels/cuda/fused/reset.cuh"
#include "kernels/cuda/fused/sweep.cuh"
#include "kernels/cuda/traversal/meeting.cuh"

namespace bfslab::cuda {

// --- turns.cuh

template <typename Offset>
__device__ __forceinline__ void fused_barrier(const FusedMember<Offset>& work) {
  barrier_of_member(work.team, work.blocks_arrived);
}

template <typename Offset>
__device__ __forceinline__ vertex_t fused_id(const FusedMember<Offset>& work, vertex_t v) {
  return work.deal.id(work.team.me, v);
}

template <typename Offset>
__device__ __forceinline__ std::uint32_t fused_place(const FusedMember<Offset>& work,
                                                     std::uint32_t w) {
  return work.deal.place(work.team.me, w);
}

template <typename Offset>
__device__ __forceinline__ std::uint32_t fused_all_words(const FusedMember<Offset>& work) {
  return work.all_words;
}

template <typename Offset>
__device__ __forceinline__ bool fused_is_searched(const FusedMember<Offset>& work, vertex_t id) {
  return work.deal.number_of(id) < work.vertices_of[work.deal.member_of(id)];
}

template <typename Offset>
__device__ __forceinline__ vertex_t fused_own_number(const FusedMember<Offset>& work, vertex_t id) {
  return work.deal.member_of(id) == work.team.me ? work.deal.number_of(id) : kNoVertex;
}

// All copies are the same between levels, so that the own one shows what the others have.
template <typename Offset>
__device__ __forceinline__ unsigned fused_set_front(const FusedMember<Offset>& work,
                                                    std::uint32_t* front, level_t level,
                                                    std::uint32_t w, std::uint32_t bits) {
  const std::uint32_t place = fused_place(work, w);
  if (front[place] == bits) return 0;
  for (unsigned m = 0; m < work.team.members; ++m) work.fronts[m][level % 2][place] = bits;
  return work.team.members - 1;
}

template <typename Offset>
__device__ __forceinline__ unsigned fused_add_to_front(const FusedMember<Offset>& work,
                                                       std::uint32_t* /*front*/, level_t level,
                                                       vertex_t v) {
  const std::uint32_t place = fused_place(work, v / 32);
  for (unsigned m = 0; m < work.team.members; ++m) {
    atomicOr_system(&work.fronts[m][level % 2][place], 1U << v % 32);
  }
  return work.team.members - 1;
}

template <typename Offset>
__device__ __forceinline__ void fused_count_moved(const FusedMember<Offset>& work, level_t level,
                                                  unsigned words) {
  if (work.traffic == nullptr || level >= work.counted_levels) return;
  add_of_block(words, &work.traffic[level].words);
}

// --- sweep.cuh

// The own copy of what was visited has all that this member has found for itself.
template <typename Offset>
__device__ __forceinline__ std::uint32_t fused_take_new(const FusedMember<Offset>& work,
                                                        level_t level, std::uint32_t w,
                                                        bool /*keeps*/, unsigned& moved) {
  const std::uint32_t visited = work.visited[w];
  std::uint32_t bits = 0;
  if (visited != ~0U) {
    const std::uint32_t place = fused_place(work, w);
    std::uint32_t word[kMaxFusedMembers];
#pragma unroll
    for (unsigned m = 0; m < kMaxFusedMembers; ++m) {
      word[m] = m < work.team.members ? of_peer(work.seen_by[m] + place) : 0;
    }
#pragma unroll
    for (unsigned m = 0; m < kMaxFusedMembers; ++m) bits |= word[m];
    bits &= ~visited;
    moved += work.team.members - 1;
  }
  if (bits != 0) work.visited[w] = visited | bits;
  moved += fused_set_front(work, work.front[level % 2], level, w, bits);
  return bits;
}

// Sets the bit of a neighbour that is not known to be visited, and notes its parent where its
// member keeps parents. Any edge that a level finds names a valid parent.
template <typename Offset>
struct FusedMemberVisit {
  static constexpr int kBatch = 4;
  const FusedMember<Offset>& work;
  unsigned moved = 0;

  template <int kCount>
  __device__ __forceinline__ unsigned open_among(const vertex_t (&to)[kCount]) const {
    return unset_among(to, [this](std::size_t word) { return fresh(work.seen + word); });
  }
  // `from` by number, `to` by id.
  __device__ __forceinline__ void found(vertex_t from, vertex_t to) {
    if (work.parents != nullptr) {
      const unsigned member = work.deal.member_of(to);
      work.parents_of[member][work.deal.number_of(to)] = fused_id(work, from);
      moved += member != work.team.me ? 1 : 0;
    }
    set_together(work.seen, to);
  }
  __device__ void finish() const {}
};
static_assert(EdgeAction<FusedMemberVisit<edge_t>>);

template <typename Offset>
__device__ __forceinline__ FusedMemberVisit<Offset> fused_visit(const FusedMember<Offset>& work) {
  return {work};
}

// --- top_down.cuh

template <typename Offset>
struct FusedMemberRows : FusedRows<Offset> {
  const FusedMember<Offset>* work = nullptr;
};

template <typename Offset>
__device__ __forceinline__ FusedMemberRows<Offset> fused_rows(const FusedMember<Offset>& work) {
  return {work.out, &work};
}

template <typename Offset>
__device__ inline const edge_t* sum_degrees(const FusedMemberRows<Offset>& rows,
                                            const ExpandScratch& scratch, const vertex_t* entries,
                                            std::uint32_t count) {
  if (rows.before != nullptr) return rows.before;
  const FusedMember<Offset>& work = *rows.work;
  return sum_degrees<FusedRows<Offset>>(rows, scratch, entries, count,
                                        [&work] { fused_barrier(work); });
}

// --- reset.cuh

// A vertex that a search begins from, by its member and number.
struct FusedMemberRoot {
  vertex_t id = kNoVertex;  // kNoVertex: the search does not begin
  level_t level = 0;
};

// Requests the place of a source as given. The load is still pending when it returns.
template <typename Offset>
__device__ vertex_t fused_place_of_source(const FusedMember<Offset>& work, vertex_t given) {
  return of_peer(work.places_of[given % work.place_owners] + given / work.place_owners);
}

// Returns the id of the vertex at a place; kNoVertex if it has no edges.
template <typename Offset>
__device__ vertex_t fused_id_of_place(const FusedMember<Offset>& work, vertex_t place) {
  const unsigned member = place / work.numbers;
  return member < work.team.members ? work.deal.id(member, place % work.numbers) : kNoVertex;
}

// `source` by id. A leaf's search begins at its neighbour.
template <typename Offset>
__device__ FusedMemberRoot fused_member_root(const FusedMember<Offset>& work, vertex_t source) {
  if (source == kNoVertex) return {};
  if (fused_is_searched(work, source)) return {source, 0};
  const vertex_t neighbor = work.first_of[work.deal.member_of(source)][work.deal.number_of(source)];
  return {fused_is_searched(work, neighbor) ? neighbor : kNoVertex, 1};
}

// Resets all that a level reads before it is written, in this member's memory, before the root is
// known. Called by all its threads; a meeting must follow, since other members write there.
template <typename Offset>
__device__ void fused_member_reset(const FusedMember<Offset>& work) {
  const FusedDeal& deal = work.deal;
  for (std::uint32_t g = thread_in_grid(); g < work.all_words; g += threads_in_grid()) {
    const vertex_t searched = work.vertices_of[deal.member_of(g * 32)];
    work.seen[g] = beyond(deal.number_of(g * 32) / 32, searched);
    work.front[0][g] = work.front[1][g] = 0;
  }
  for (std::uint32_t w = thread_in_grid(); w < work.words; w += threads_in_grid()) {
    work.visited[w] = beyond(w, work.vertices);
  }
  if (thread_in_grid() < kFusedClaims) work.claimed[thread_in_grid()] = 0;
  if (thread_in_grid() >= kSlots) return;
  work.slots.slots[thread_in_grid()] = LevelSlot{};
  if (work.totals.slots != nullptr) work.totals.slots[thread_in_grid()] = LevelSlot{};
}

// Adds the root to what the reset has made: to the frontier and to what is visited. Its member
// queues it. Called by all threads of the member; the meeting must still follow.
template <typename Offset>
__device__ void fused_add_root(const FusedMember<Offset>& work, FusedMemberRoot root) {
  __syncthreads();  // the block has reset its words
  if (threadIdx.x != 0 || root.id == kNoVertex) return;
  if (fused_has_reset(root.id / 32)) {
    atomicOr(work.seen + root.id / 32, 1U << root.id % 32);
    atomicOr(work.front[root.level % 2] + root.id / 32, 1U << root.id % 32);
  }
  const vertex_t v = fused_own_number(work, root.id);
  if (v == kNoVertex) return;
  if (fused_has_reset(v / 32)) atomicOr(work.visited + v / 32, 1U << v % 32);
  if (blockIdx.x != 0) return;  // it has reset the slots
  LevelSlot& slot = *work.slots.at(root.level);
  slot.queued[0] = 1;
  slot.vertices = 1;
  slot.edges = degree_of(work.out, v);
  work.queues[root.level % 2][0] = v;
}

// Labels the root, after a meeting: others may have read the last answer until then. Called by one
// thread of the member.
template <typename Offset>
__device__ void fused_label_root(const FusedMember<Offset>& work, vertex_t source,
                                 FusedMemberRoot root) {
  if (root.id == kNoVertex || work.deal.member_of(root.id) != work.team.me) return;
  const vertex_t v = work.deal.number_of(root.id);
  work.levels[v] = root.level;
  if (work.parents != nullptr) work.parents[v] = source;
}

// --- first_row.cuh

template <typename Offset>
__device__ FusedFirstRow fused_first_row(const FusedMember<Offset>& work, vertex_t root) {
  if (!work.begins_at_row || root == kNoVertex) return {};
  const unsigned member = work.deal.member_of(root);
  const Offset* const offsets = work.offsets_of[member] + work.deal.number_of(root);
  const Offset from = of_peer(offsets);
  const Offset degree = of_peer(offsets + 1) - from;
  if (degree > kFusedThreads) return {};
  return {work.columns_of[member] + from, static_cast<std::uint32_t>(degree)};
}

// Every member sets the bits of all its vertices in its own memory.
template <typename Offset>
__device__ __forceinline__ void fused_add_first(const FusedMember<Offset>& work, level_t level,
                                                vertex_t id) {
  if (fused_has_reset(id / 32)) atomicOr(work.front[level % 2] + id / 32, 1U << id % 32);
}

// --- The end of reset.cuh

// The log is prepared before a meeting (member_search.cuh).
template <typename Offset>
__device__ void fused_log_leaves(const FusedMember<Offset>& /*work*/, level_t /*end*/) {
  __syncthreads();
}

template <typename Offset>
__device__ __forceinline__ level_t fused_level_of_leaf(const FusedMember<Offset>& work, vertex_t p,
                                                       vertex_t source) {
  if (p == kNoVertex) return kUnreached;
  if (!fused_is_searched(work, p)) return p == source ? 1 : kUnreached;
  const unsigned member = work.deal.member_of(p);
  const vertex_t v = work.deal.number_of(p);
  if (member == work.team.me) return test(work.visited, v) ? work.levels[v] + 1 : kUnreached;
  const bool is_reached = (of_peer(work.visited_by[member] + v / 32) >> v % 32 & 1U) != 0;
  return is_reached ? of_peer(work.levels_of[member] + v) + 1 : kUnreached;
}

// Packs the levels of a search that has ended before `end`, for other members. Called by all
// threads of the member, after a barrier.
template <typename Offset>
__device__ void fused_pack_levels(const FusedMember<Offset>& work, level_t end) {
  if (work.packed == nullptr || end >= kPackedUnreached) return;
  for (std::size_t i = thread_in_grid(); i < work.numbers / 4; i += threads_in_grid()) {
    const uint4 four = reinterpret_cast<const uint4*>(work.levels)[i];
    const auto byte = [](level_t level) { return level < kPackedUnreached ? level : 255U; };
    reinterpret_cast<std::uint32_t*>(work.packed)[i] =
        byte(four.x) | byte(four.y) << 8 | byte(four.z) << 16 | byte(four.w) << 24;
  }
}

}  // namespace bfslab::cuda
