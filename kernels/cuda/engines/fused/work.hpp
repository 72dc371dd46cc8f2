// SPDX-License-Identifier: Apache-2.0
// What the kernel of `fused` is given, and by what it decides.
#pragma once

#include "datasets/graph/host_device.hpp"
#include "kernels/cuda/engines/fused/order.hpp"
#include "kernels/cuda/expand/scratch.hpp"
#include "kernels/cuda/traversal/level_log.hpp"
#include "kernels/cuda/traversal/level_slots.hpp"
#include "kernels/cuda/traversal/progress.hpp"

namespace bfslab::cuda {

inline constexpr unsigned kFusedThreads = 1024;  // of a block; one block a multiprocessor
inline constexpr unsigned kFusedWarps = kFusedThreads / 32;

// Entries of a segment of a long row that bottom-up puts aside for the whole grid.
inline constexpr unsigned kFusedSegment = 256;

// The last word of a row that is longer than what it is packed into.
inline constexpr vertex_t kLongRow = kNoVertex - 1;

// A row as small levels keep it beside its vertex: up to kPacked neighbours (kNoVertex: none). Of a
// longer one the last four words say where the rest lies and how many they are, behind the first
// neighbours where there is room for more than four. 0: of every row it is only said where it lies.
template <unsigned kPacked>
struct FusedRow {
  static_assert(kPacked % 4 == 0);
  static constexpr unsigned kParts = kPacked > 4 ? kPacked / 4 : 1;
  static constexpr unsigned kFirst = kPacked > 4 ? kPacked - 4 : 0;  // of a long row, kept here
  // Of a longer rest this is told; no level with such a row is small.
  static constexpr std::uint64_t kMany = 1U << 20;

  uint4 part[kParts];

  [[nodiscard]] __device__ bool is_long() const { return part[kParts - 1].w == kLongRow; }
  [[nodiscard]] __device__ std::uint64_t begin() const {
    return std::uint64_t{part[kParts - 1].y} << 32 | part[kParts - 1].x;
  }
  [[nodiscard]] __device__ unsigned count() const { return part[kParts - 1].z; }
  __device__ void put_rest(std::uint64_t begin, std::uint64_t end) {
    part[kParts - 1] = {static_cast<unsigned>(begin), static_cast<unsigned>(begin >> 32),
                        static_cast<unsigned>(min(end - begin, kMany)), kLongRow};
  }
};

// How a level runs, as the log notes it.
enum FusedKind : unsigned { kFusedDown, kFusedUp, kFusedSmall, kFusedResident };

struct FusedRules {
  bool bottom_up = true;
  bool small = true;
  double alpha = 15;    // up: the frontier's edges times this exceed those not reached yet
  bool careful = true;  // up only where the frontier grows
  double beta = 1024;   // down again: the frontier's vertices times this are fewer than all
  double edges = 0;
  double vertices = 0;
  unsigned packed = 0;  // neighbours that a packed row has room for; 0: rows are not packed

  // A frontier that one block searches by itself: so many vertices, and so many edges of long rows.
  static constexpr std::uint64_t kSmallEntries = 4096;  // of packed rows
  BFSLAB_HOST_DEVICE static constexpr std::uint64_t small_vertices(unsigned packed) {
    return packed > 4 ? kSmallEntries / packed : 1024;
  }
  static constexpr std::uint64_t kSmallEdges = 2048;

  // Of a frontier in its queue.
  [[nodiscard]] BFSLAB_HOST_DEVICE bool is_small(const Progress& at) const {
    // Packed rows' neighbours are at hand.
    return small && at.frontier <= small_vertices(packed) &&
           at.edges <= (packed > 0 ? 2 * kSmallEdges : kSmallEdges);
  }
  [[nodiscard]] BFSLAB_HOST_DEVICE FusedKind kind(const Progress& at) const {
    if (at.is_queued && is_small(at)) return kFusedSmall;
    if (!bottom_up) return kFusedDown;
    if (at.was_bottom_up) {
      return static_cast<double>(at.frontier) * beta < vertices ? kFusedDown : kFusedUp;
    }
    // A frontier that no longer grows, as a mesh's, finds few parents however little is left.
    if (careful && 2 * at.edges <= at.all_edges) return kFusedDown;
    const double left = edges - static_cast<double>(at.all_edges);
    return static_cast<double>(at.edges) * alpha > left ? kFusedUp : kFusedDown;
  }
};

// One direction of the graph.
template <typename Offset>
struct FusedRows {
  const Offset* row_offsets = nullptr;
  const vertex_t* columns = nullptr;
  // The degrees of a frontier's vertices that come before each, and of all; null: not known yet.
  const edge_t* before = nullptr;
};

// How many vertices are queued, and how many edges they have, as one number: who adds to both at
// once gets a place for a vertex and for its edges, so that nobody has to sum degrees up later.
struct FusedClaimed {
  static constexpr unsigned kEdgeBits = 44;  // vertices are kClaimedEdges at most
  static constexpr unsigned kRing = 4;       // one is added to, those of two levels are left alone

  unsigned long long both = 0;

  [[nodiscard]] BFSLAB_HOST_DEVICE static constexpr FusedClaimed one(std::uint32_t degree) {
    return {(1ULL << kEdgeBits) + degree};
  }
  [[nodiscard]] BFSLAB_HOST_DEVICE std::uint32_t vertices() const {
    return static_cast<std::uint32_t>(both >> kEdgeBits);
  }
  [[nodiscard]] BFSLAB_HOST_DEVICE edge_t edges() const { return both & ((1ULL << kEdgeBits) - 1); }
};

// In ids by descending degree: degrees are at most d from id `from` on, and the row of a vertex v
// of degree d begins at shift + v * d, whose arithmetic wraps around.
struct DegreeRows {
  vertex_t from = 0;
  std::uint64_t shift = 0;
};
inline constexpr unsigned kTabledDegrees = 32;

// Rows that are equally long lie where `degree` says; 0: they are not, or nobody knows.
template <typename Offset>
struct FusedAlike {
  unsigned degree = 0;
  Offset shift = 0;
};

// Where a search is, and what of its bits is known.
struct FusedCourse {
  static constexpr level_t kNoFront = ~level_t{0};

  Progress at;
  level_t front_of = kNoFront;  // the level that front[front_of % 2] is of
  bool clear[2] = {};           // whether front[0] and front[1] hold nothing
  level_t summed = kNoFront;    // the level whose vertices were queued along with their edges
  std::uint32_t claims = 0;     // levels that queued what they found so
  std::uint32_t queued = 0;     // vertices of this level, for all threads of the block
  std::uint32_t aside = 0;      // segments that bottom-up has put aside
};

template <typename Offset>
struct FusedWork {
  FusedRows<Offset> out, in;
  const vertex_t* first = nullptr;             // null: no bottom-up
  const DegreeRows* degree_rows = nullptr;     // [kTabledDegrees + 1] of `in`; null: not known
  const uint4* packed = nullptr;               // FusedRow<rules.packed> of each vertex; null: none
  const std::uint32_t* unreachable = nullptr;  // bits: no edge leads there; null: to all
  vertex_t vertices = 0;
  vertex_t reachable = 0;  // of these, to which an edge leads
  vertex_t ones_from = 0;
  std::uint32_t words = 0;
  std::uint32_t chunk = 32;     // words of a warp in a round: up to 32, a multiple of 8
  std::uint32_t up_chunk = 32;  // the same bottom-up, where they may be fewer than 8
  // Times that a warp which looks on for 32 vertices finds no parent in 32 entries of a row, until
  // it puts aside what is left.
  std::uint32_t misses = 64;
  std::uint32_t* visited = nullptr;  // bits
  std::uint32_t* before = nullptr;   // bits: visited when the level began
  std::uint32_t* front[2] = {};      // bits of the frontier, of levels of each parity
  level_t* levels = nullptr;
  vertex_t* parents = nullptr;  // null: not asked for
  // Of levels of each parity; of bottom-up the segments that were put aside, by vertex and by
  // number. Each has room for all vertices and for every whole segment of the graph.
  vertex_t* queues[2] = {};
  ExpandScratch sums;
  FusedClaimed* claimed = nullptr;  // [FusedClaimed::kRing], of levels that claim, in turn
  // [the lesser of kClaimedEdges and all vertices, + 1] of such levels, in turn; [0] is 0.
  edge_t* edges_before[2] = {};
  SlotRing slots;
  FusedCourse* course = nullptr;  // what a block by itself, or a launch, leaves to the others
  LevelLogView log;
  FusedRules rules;
  std::uint32_t hot_words = 0;           // of the frontier's bits, kept in shared memory
  const vertex_t* new_of_old = nullptr;  // null: ids as given
  vertex_t source = 0;                   // as given
};

}  // namespace bfslab::cuda
