// SPDX-License-Identifier: Apache-2.0
// The kernels of grid2d's work on a GPU, as they are launched. All of them queue in the order of
// `stream` and return.
//
// A bitmap's word of 64 bits is two halves here, the lower one first, and a half is what a warp
// takes: a lane for each vertex, as in Algorithm 4.
#pragma once

#include <cstdint>

#include "kernels/cuda/device/memory.hpp"
#include "kernels/cuda/device/stream.hpp"
#include "kernels/distributed/communicator/communicator.hpp"
#include "kernels/distributed/engines/grid2d/grid.hpp"
#include "kernels/distributed/engines/grid2d/local_work.hpp"

namespace bfslab::distributed::grid2d {

using half_t = std::uint32_t;
inline constexpr std::uint32_t kHalfBits = 32;

// Rows (rows.hpp) in the memory of the GPU.
template <typename Offset>
struct RowsView {
  const Offset* offsets = nullptr;   // [rows + 1]
  const local_t* entries = nullptr;  // [offsets[rows]]
};

// A row of more than kPiece entries is shared out: a block takes a piece of so many.
inline constexpr std::uint32_t kPiece = 2048;
struct RowPiece {
  local_t row;
  std::uint32_t number;  // of the row's pieces
};
// How many pieces a row of `length` entries may have; none where a warp reads it alone.
constexpr std::uint64_t pieces_of(std::uint64_t length) {
  return length > kPiece ? (length + kPiece - 1) / kPiece : 0;
}

// Counts of a level, zero before it.
struct LevelCounts {
  unsigned long long vertices = 0;
  unsigned long long edges = 0;
  unsigned long long checked = 0;
  unsigned long long lanes = 0;   // top-down: turns of lanes at rows, those without an entry too
  unsigned long long claims = 0;  // top-down: atomicOr of Out
  unsigned pieces = 0;
  unsigned unused = 0;
};

// How the warps share out rows: one row at a time for a whole warp, as in Algorithm 4
// (explore_rows.cu), or equal shares of several rows (explore.cu).
enum class Sharing : std::uint8_t { warp_per_row, equal_shares };
// How top-down looks up whether a neighbour is visited before it claims it: in Vis, which has
// the levels before this one, through the read-only cache or by ordinary loads; or in Vis through
// the read-only cache and then in Out, which also has what this level has found.
enum class VisitedRead : std::uint8_t { read_only, plain, read_only_then_out };

struct Exploration {
  const half_t* in = nullptr;       // [column_size / 32]
  const half_t* visited = nullptr;  // [row_size / 32]
  half_t* out = nullptr;            // [row_size / 32]
  local_t* found_by = nullptr;      // [row_size], or null: no parents are needed
  RowPiece* pieces = nullptr;       // [max_pieces]; null: no row is longer than kPiece
  std::uint64_t most_pieces = 0;    // warp_per_row has none
  Sharing sharing = Sharing::warp_per_row;
  VisitedRead visited_read = VisitedRead::read_only;
  LevelCounts* counts = nullptr;
  bool counts_checked = false;
};

// By the CSR: Out gets the vertices that the rows of In lead to and that are not in Vis. `tails`:
// rows, a multiple of 32.
template <typename Offset>
void explore_top_down(const RowsView<Offset>& csr, std::uint64_t tails, const Exploration& what,
                      const cuda::Stream& stream);
// By the CSC: Out gets the vertices that are not in Vis and whose row leads into In. `heads`: rows,
// a multiple of 32; `first`: [heads] the first entry of each row; `without`: [heads / 32] rows that
// have none.
template <typename Offset>
void explore_bottom_up(const RowsView<Offset>& csc, std::uint64_t heads, const local_t* first,
                       const half_t* without, const Exploration& what, const cuda::Stream& stream);

// The answer's arrays of the vertices that a member owns; null where that half is not wanted.
struct OwnedAnswer {
  level_t* levels = nullptr;
  vertex_t* parents = nullptr;
};

inline constexpr std::uint64_t kNowhere = ~std::uint64_t{0};
// Places of a search's source, and where this member owned the source before; or kNowhere.
struct Planting {
  std::uint64_t in_row = kNowhere;
  std::uint64_t in_column = kNowhere;
  std::uint64_t owned = kNowhere;
  std::uint64_t owned_before = kNowhere;
  vertex_t source = 0;
};
void plant(const Planting& at, half_t* visited, half_t* in, const OwnedAnswer& answer,
           const cuda::Stream& stream);

// After the scan of a row. `prefix` becomes what is assigned to this member, and `out` gets what it
// was; `assigned`, if any, gathers that of all levels. [words] each.
void assign(Word* out, Word* prefix, Word* assigned, std::uint64_t words,
            const cuda::Stream& stream);

// Line 23 of Algorithm 3: visited |= out, [words] each. The vertices in `own` ([own_halves], a part
// of `out`) get `level`, and are counted; their degrees as well where `degrees` is not null.
struct Update {
  Word* visited = nullptr;
  const Word* out = nullptr;
  std::uint64_t words = 0;
  const half_t* own = nullptr;
  std::uint64_t own_halves = 0;
  level_t level = 0;
  level_t* levels = nullptr;
  const Word* degrees = nullptr;
  LevelCounts* counts = nullptr;
};
void update(const Update& what, const cuda::Stream& stream);

// counts->edges += the degrees of the vertices in `bits`.
void sum_degrees(const half_t* bits, std::uint64_t halves, const Word* degrees, LevelCounts* counts,
                 const cuda::Stream& stream);

// Vertices in `enterable` and not in `visited` become unreached.
void erase(const half_t* enterable, const half_t* visited, std::uint64_t halves,
           const OwnedAnswer& answer, const cuda::Stream& stream);

// Maps the numbers of a column's range to vertices (Grid::column_vertex).
struct ColumnIds {
  std::uint64_t block = 0;
  unsigned column = 0;
  unsigned columns = 0;
  bool square = false;
};
// Counts the vertices to report to each member of the row: `counts` [columns], zero before.
void count_predecessors(const Word* which, const ColumnIds& ids, unsigned long long* counts,
                        const cuda::Stream& stream);
// They and their parents: those for member k of the row at lists[cursors[k]] and after, in any
// order. `cursors`: [columns], and are moved.
void list_predecessors(const Word* which, const local_t* found_by, const ColumnIds& ids,
                       unsigned long long* cursors, Predecessor* lists, const cuda::Stream& stream);
void take_predecessors(const Predecessor* list, std::uint64_t count, vertex_t* parents,
                       const cuda::Stream& stream);

// Brings all kernels to the current device, which may wait for all that it does: before anything
// waits there for another member.
void load_explorations(Sharing sharing, VisitedRead read);
void load_bitmap_kernels();

}  // namespace bfslab::distributed::grid2d
