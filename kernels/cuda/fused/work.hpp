// SPDX-License-Identifier: Apache-2.0
// The arguments of the kernels of `fused`: the graph, the bits, the queues, and the course.
#pragma once

#include "datasets/graph/host_device.hpp"
#include "kernels/cuda/expand/scratch.hpp"
#include "kernels/cuda/fused/order.hpp"
#include "kernels/cuda/fused/rules.hpp"
#include "kernels/cuda/traversal/level_log.hpp"
#include "kernels/cuda/traversal/level_slots.hpp"

namespace bfslab::cuda {

inline constexpr unsigned kFusedThreads = 1024;  // per block; one block per multiprocessor
inline constexpr unsigned kFusedWarps = kFusedThreads / 32;

// The entries of a segment of a long row that bottom-up puts aside for the whole grid.
inline constexpr unsigned kFusedSegment = 64;

// Marks a level as that of a vertex whose parent is its first neighbour (FusedWork::first_mark).
inline constexpr level_t kFirstParent = level_t{1} << 31;

// The start of a launch: at the source, after a reset; at work.course; or at the host's level.
enum class FusedStart { fresh, resumes, level };

template <typename Offset>
struct FusedRows {
  const Offset* row_offsets = nullptr;
  const vertex_t* columns = nullptr;
  // The degrees of a frontier's vertices that come before each, and of all; null: not yet known.
  const edge_t* before = nullptr;
};

// The numbers of queued vertices and of their edges as one number. One atomic reserves a place for
// a vertex and for its edges, so that no later sum of degrees is needed. If offsets have 32 bits,
// it holds any level's numbers; otherwise those of a level that claims, of at most kClaimedEdges.
template <typename Offset>
struct FusedClaimed {
  static constexpr bool kHoldsAll = sizeof(Offset) == sizeof(std::uint32_t);
  static constexpr unsigned kEdgeBits = kHoldsAll ? 32 : 44;

  unsigned long long both = 0;

  [[nodiscard]] BFSLAB_HOST_DEVICE static constexpr FusedClaimed one(std::uint32_t degree) {
    return {(1ULL << kEdgeBits) + degree};
  }
  [[nodiscard]] BFSLAB_HOST_DEVICE std::uint32_t vertices() const {
    return static_cast<std::uint32_t>(both >> kEdgeBits);
  }
  [[nodiscard]] BFSLAB_HOST_DEVICE edge_t edges() const { return both & ((1ULL << kEdgeBits) - 1); }
};

inline constexpr unsigned kFusedClaims = 4;  // one is added to, two levels' are kept

// In ids by descending degree: degrees are at most d from id `from` on, and the row of a vertex v
// of degree d begins at shift + v * d, whose arithmetic wraps around.
struct DegreeRows {
  vertex_t from = 0;
  std::uint64_t shift = 0;
};
inline constexpr unsigned kTabledDegrees = 32;

// The progress of a search, and the state of its bits.
struct FusedCourse {
  static constexpr level_t kNoFront = ~level_t{0};

  Progress at;
  // Each of the arrays front[0] and front[1] is one of these, or neither:
  level_t front_of = kNoFront;   // front[front_of % 2] is the frontier of this level
  level_t seen_of = kNoFront;    // front[(seen_of + 1) % 2]: visited when this level began
  bool clear[2] = {};            // whether front[0] and front[1] are empty
  level_t summed = kNoFront;     // the level whose vertices were queued along with their edges
  const edge_t* sums = nullptr;  // the edges before each of them
  std::size_t queue_from = 0;    // where this level's vertices begin in their queue
  bool owes_labels = false;      // whether the frontier's vertices have no level yet (sweep.cuh)
  bool is_shared = false;        // whether slow blocks may still read work.course
  std::uint32_t claims = 0;      // queues that were made in this way
  std::uint32_t queued = 0;      // vertices of this level; read by all threads of the block
  std::uint32_t aside = 0;       // segments that bottom-up has put aside
  std::uint32_t small_runs = 0;  // how often one block has run small levels
  std::uint32_t waiting = 0;  // in work.course: blocks that have waited for it to, over all times
};

// Long rows, cut where ranges of ids begin (engines/fused/cut_rows.hpp).
struct CutRowsView {
  const std::uint32_t* cuts = nullptr;   // [rows][ranges + 1] entries of a row before each range
  const std::uint32_t* words = nullptr;  // [ranges + 1] the word of bits that each range begins at
  unsigned ranges = 0;
  vertex_t rows = 0;  // those of the ids below it are cut
};

template <typename OffsetType>
struct FusedWork {
  using Offset = OffsetType;

  FusedRows<Offset> out, in;
  const vertex_t* first = nullptr;             // null: no bottom-up
  const DegreeRows* degree_rows = nullptr;     // [kTabledDegrees + 1] of `in`; null: not known
  const uint4* packed = nullptr;               // FusedRow<rules.packed> of each vertex; null: none
  const std::uint32_t* unreachable = nullptr;  // bits: no edge leads there; null: to all
  vertex_t vertices = 0;
  vertex_t leaves = 0;     // the vertices from there on, labelled last; their bits are never open
  vertex_t reachable = 0;  // those of `vertices` that an edge enters
  vertex_t ones_from = 0;  // no vertex from it on has two incoming neighbours
  bool begins_at_row = false;        // each block reads the source's row
  bool maps_leaves = false;          // what maps the answer labels leaves, if no log counts them
  bool lists_few = false;            // bottom-up lists what it finds while that is little
  bool labels_late = false;          // a level before bottom-up leaves its labels to that
  level_t depth_limit = kUnreached;  // the level after which a search ends
  std::uint32_t words = 0;
  std::uint32_t chunk = 32;     // words of a warp in a round: up to 32, a multiple of 8
  std::uint32_t up_chunk = 32;  // the same bottom-up; may be below 8
  // The vain looks at 32 entries, per 32 vertices of a warp, after which it puts the rest aside.
  std::uint32_t misses = 64;
  std::uint32_t* visited = nullptr;  // bits
  CutRowsView cut_rows;
  // Bits of the frontiers of levels of each parity, or of what was visited (FusedCourse).
  std::uint32_t* front[2] = {};
  level_t* levels = nullptr;
  vertex_t* parents = nullptr;  // null: not requested
  // kFirstParent: the levels of vertices whose parents are their first neighbours have this mark,
  // and they have no entry in `parents`; 0: levels have no marks.
  level_t first_mark = 0;
  // The frontiers of levels of each parity; in bottom-up levels the segments that were put aside,
  // by vertex and by number, and the few vertices that such a level lists, at the end. Each has
  // `queue_room` entries, for all vertices and whole segments of the graph.
  vertex_t* queues[2] = {};
  std::size_t queue_room = 0;
  ExpandScratch sums;
  unsigned long long* claimed = nullptr;  // [kFusedClaims] FusedClaimed::both, in turn
  // [min(kClaimedEdges, all vertices) + 1] of levels that claim, in turn; [0] is 0.
  edge_t* edges_before[2] = {};
  SlotRing slots;
  FusedCourse* course = nullptr;  // state that a single block, or a launch, passes to the others
  LevelLogView log;
  FusedRules rules;
  std::uint32_t hot_words = 0;           // of the frontier's bits, kept in shared memory
  const vertex_t* new_of_old = nullptr;  // null: ids as given
  vertex_t source = 0;                   // as given
};

}  // namespace bfslab::cuda
