// SPDX-License-Identifier: Apache-2.0
// Launches of grid2d's GPU kernels. Each function enqueues its work in the order of `stream` and
// returns.
//
// A 64-bit word of a bitmap is two halves here, the lower one first. A warp takes one half, a
// vertex per lane, as in Algorithm 4.
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

// A row of more than kPiece entries is divided into pieces of kPiece, one per block.
inline constexpr std::uint32_t kPiece = 2048;
struct RowPiece {
  local_t row;
  std::uint32_t number;  // index among the row's pieces
};
// Returns the number of pieces of a row of `length` entries; 0 if a warp reads it alone.
constexpr std::uint64_t pieces_of(std::uint64_t length) {
  return length > kPiece ? (length + kPiece - 1) / kPiece : 0;
}

// Counts of a level, set to zero before it.
struct LevelCounts {
  unsigned long long vertices = 0;
  unsigned long long edges = 0;
  unsigned long long checked = 0;
  unsigned long long lanes = 0;   // top-down: turns of lanes at rows, idle lanes included
  unsigned long long claims = 0;  // top-down: atomic operations on Out
  unsigned pieces = 0;
  unsigned unused = 0;
};

// The toggle `exploration`. A warp reads one row at a time, as in Algorithm 4 (explore_rows.cu), or
// its lanes have equal shares of several rows (explore.cu).
enum class Sharing : std::uint8_t { warp_per_row, equal_shares };
// The toggle `visited_read`. Before top-down claims a neighbour, it looks it up in Vis, which has
// the levels before this one, through the read-only cache or by ordinary loads; or in Vis through
// the read-only cache and then in Out, which has the finds of this level so far.
enum class VisitedRead : std::uint8_t { read_only, plain, read_only_then_out };
struct Forms {
  Sharing sharing = Sharing::warp_per_row;
  VisitedRead visited_read = VisitedRead::read_only;
};

struct Exploration {
  const half_t* in = nullptr;       // [column_size / 32]
  const half_t* visited = nullptr;  // [row_size / 32]
  half_t* out = nullptr;            // [row_size / 32]
  local_t* found_by = nullptr;      // [row_size], or null: no parents are needed
  RowPiece* pieces = nullptr;       // [max_pieces]; null: no row is longer than kPiece
  std::uint64_t max_pieces = 0;     // 0 with warp_per_row
  Forms forms = {};
  LevelCounts* counts = nullptr;
  bool counts_checked = false;
};

// Explores by the CSR: Out gets the heads of the rows in In that are not in Vis. `tails` is the
// number of rows, a multiple of 32.
template <typename Offset>
void explore_top_down(const RowsView<Offset>& csr, std::uint64_t tails, const Exploration& args,
                      const cuda::Stream& stream);
// Explores by the CSC: Out gets the vertices that are not in Vis and whose row has an entry in In.
// `heads` is the number of rows, a multiple of 32. `first` is [heads], the first entry of each row;
// `without` is [heads / 32], the bitmap of empty rows.
template <typename Offset>
void explore_bottom_up(const RowsView<Offset>& csc, std::uint64_t heads, const local_t* first,
                       const half_t* without, const Exploration& args, const cuda::Stream& stream);

// The answer of the vertices that a member owns; null for a half that is not wanted.
struct OwnedAnswer {
  level_t* levels = nullptr;
  vertex_t* parents = nullptr;
};

inline constexpr std::uint64_t kNowhere = ~std::uint64_t{0};
// Places of the source on this member, and of the previous source if owned; or kNowhere.
struct Planting {
  std::uint64_t in_row = kNowhere;
  std::uint64_t in_column = kNowhere;
  std::uint64_t owned = kNowhere;
  std::uint64_t owned_before = kNowhere;
  vertex_t source = 0;
};
void plant(const Planting& at, half_t* visited, half_t* in, const OwnedAnswer& answer,
           const cuda::Stream& stream);

// Called after the scan of a row. `prefix` becomes the finds assigned to this member, `out` gets
// `prefix` added; `assigned`, if not null, collects the assigned finds of all levels. [words] each.
void assign(Word* out, Word* prefix, Word* assigned, std::uint64_t words,
            const cuda::Stream& stream);

// Line 23 of Algorithm 3: visited |= out, [words] each. Vertices in `own` ([own_halves], a part of
// `out`) get `level` and are counted, with their degrees if `degrees` is not null.
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
void update(const Update& args, const cuda::Stream& stream);

// Adds the degrees of the vertices in `bits` to counts->edges.
void sum_degrees(const half_t* bits, std::uint64_t halves, const Word* degrees, LevelCounts* counts,
                 const cuda::Stream& stream);

// Marks vertices in `enterable` but not in `visited` as unreached.
void erase(const half_t* enterable, const half_t* visited, std::uint64_t halves,
           const OwnedAnswer& answer, const cuda::Stream& stream);

// Maps the numbers of a column's range to vertices (Grid::column_vertex).
struct ColumnIds {
  std::uint64_t block = 0;
  unsigned column = 0;
  unsigned columns = 0;
  bool square = false;
};
// Counts the vertices to send to each member of the row: `counts` [columns], zero before.
void count_predecessors(const Word* which, const ColumnIds& ids, unsigned long long* counts,
                        const cuda::Stream& stream);
// Lists these vertices with their parents. Those for member k of the row go to lists[cursors[k]]
// and after, in any order. `cursors` is [columns] and advances.
void list_predecessors(const Word* which, const local_t* found_by, const ColumnIds& ids,
                       unsigned long long* cursors, Predecessor* lists, const cuda::Stream& stream);
void take_predecessors(const Predecessor* list, std::uint64_t count, vertex_t* parents,
                       const cuda::Stream& stream);

// Loads all kernels of these forms on the current device. Loading may wait for all work of the
// device, so it happens before members wait for each other there.
void load_explorations(const Forms& forms);
void load_bitmap_kernels();

}  // namespace bfslab::distributed::grid2d
