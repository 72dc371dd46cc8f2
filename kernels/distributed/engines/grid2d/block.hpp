// SPDX-License-Identifier: Apache-2.0
// Block: one member's part of the adjacency matrix, and the facts of its vertices in the whole
// matrix. No member holds the whole edge list: the member that has an edge as a tuple sends it to
// the member of its block.
//
// Cost: 8 bytes per edge of the block while it is sorted, then 4 bytes per edge and direction.
// Construction sends 8 bytes per edge and 4 bytes per vertex of a range.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "kernels/bitmap.hpp"
#include "kernels/direction_rule.hpp"
#include "kernels/distributed/communicator/team.hpp"
#include "kernels/distributed/edges/edge_share.hpp"
#include "kernels/distributed/engines/grid2d/grid.hpp"
#include "kernels/distributed/engines/grid2d/rows.hpp"

namespace bfslab::distributed::grid2d {

// Returns the edges of this member's block, in any order. Drops self-loops if the rules say so, but
// keeps repeated edges. Collective.
inline std::vector<LocalEdge> edges_of_block(Member& member, const EdgeShare& share,
                                             const Grid& grid) {
  const EdgeRules& rules = share.rules();
  std::vector<LocalEdge> edges;
  edges.reserve(share.total() / grid.members() * (rules.symmetrize ? 2 : 1) / 8 * 9);
  route_edges<LocalEdge>(
      share, *member.all,
      [&](const GlobalEdge& edge, const auto& send) {
        if (rules.drop_self_loops && edge.from == edge.to) return;
        const Grid::Place from = grid.place(edge.from);
        const Grid::Place to = grid.place(edge.to);
        send(to.row * grid.columns + from.column, LocalEdge{from.in_column, to.in_row});
        if (!rules.symmetrize || edge.from == edge.to) return;
        send(from.row * grid.columns + to.column, LocalEdge{to.in_column, from.in_row});
      },
      [&](std::span<const LocalEdge> some, unsigned) {
        edges.insert(edges.end(), some.begin(), some.end());
      });
  return edges;
}

// Describes the block that is made of a member's edges.
struct BlockPlan {
  Grid grid;
  unsigned row, column;  // the member's
  EdgeRules rules;
  bool wants_csr = true;  // at least one of the two
  bool wants_csc = true;
  bool wide = false;  // always 64-bit offsets

  // Returns true if the block is symmetric, so that its CSC is its CSR.
  [[nodiscard]] bool shared() const { return rules.symmetric && grid.square() && row == column; }
  // Returns true if a block of `edges` edges gets 64-bit offsets.
  [[nodiscard]] bool wide_for(std::uint64_t edges) const {
    return wide || edges > std::numeric_limits<std::uint32_t>::max();
  }
};

// The edges of a block by tail (CSR), by head (CSC) or both.
template <typename Offset>
class Block {
 public:
  // Frees `edges`.
  Block(std::vector<LocalEdge> edges, const BlockPlan& plan)
      : shared_(plan.shared()), tails_(plan.grid.column_size()), heads_(plan.grid.row_size()) {
    const bool by_head = !plan.wants_csr && !shared_;
    (by_head ? csc_ : csr_) =
        compress<Offset>(edges, by_head ? heads_ : tails_, by_head, plan.rules.deduplicate);
    edges = {};
    if (!plan.wants_csc) return;
    if (plan.wants_csr && !shared_) csc_ = transpose(csr_, heads_);
    first_ = Buffer<local_t>(heads_);
    for (std::uint64_t v = 0; v < heads_; ++v) {
      first_[v] = csc().length(v) > 0 ? csc()[v].front() : 0;
    }
  }

  // CSR: rows are vertices of the column's range, entries are vertices of the row's range. CSC: the
  // reverse. One that is not wanted has no offsets.
  [[nodiscard]] const Rows<Offset>& csr() const { return csr_; }
  [[nodiscard]] const Rows<Offset>& csc() const { return shared_ ? csr_ : csc_; }
  [[nodiscard]] bool shared() const { return shared_; }
  // The first entry of each row of the CSC (0 for empty rows), which often suffices.
  [[nodiscard]] std::span<const local_t> first() const { return first_.span(); }
  [[nodiscard]] std::uint64_t entries() const { return any().entries.size(); }
  [[nodiscard]] std::uint64_t csr_bytes() const { return csr_.bytes(); }
  // Counts only the first entries if the CSC is the CSR.
  [[nodiscard]] std::uint64_t csc_bytes() const { return csc_.bytes() + first_.bytes(); }

  // The number of the block's edges that leave each vertex of the column's range, and that enter
  // each vertex of the row's range.
  [[nodiscard]] std::vector<local_t> leaving() const { return lengths(csr(), csc(), tails_); }
  [[nodiscard]] std::vector<local_t> entering() const { return lengths(csc(), csr(), heads_); }

 private:
  [[nodiscard]] const Rows<Offset>& any() const { return csr_.offsets.size() > 0 ? csr_ : csc_; }

  // Returns the lengths of `rows`; if these are not held, counts the entries of `others`.
  static std::vector<local_t> lengths(const Rows<Offset>& rows, const Rows<Offset>& others,
                                      std::uint64_t count) {
    std::vector<local_t> found(count, 0);
    if (rows.offsets.size() > 0) {
      for (std::uint64_t r = 0; r < count; ++r) found[r] = static_cast<local_t>(rows.length(r));
    } else {
      for (const local_t entry : others.entries) ++found[entry];
    }
    return found;
  }

  bool shared_;  // the block is symmetric: its CSC is its CSR
  std::uint64_t tails_, heads_;
  Rows<Offset> csr_, csc_;
  Buffer<local_t> first_;
};

// Sums the members' values of the vertices of a range at their owners; returns [grid.block].
// `piece(k)` is the number of the range's k-th piece. Collective.
template <typename Piece>
std::vector<Word> sum_at_owners(Communicator& all, const Grid& grid,
                                std::span<const local_t> values, const Piece& piece) {
  std::vector<Bytes> lists(all.size());
  for (unsigned k = 0; k < values.size() / grid.block; ++k) {
    lists[piece(k)] = std::as_bytes(values.subspan(k * grid.block, grid.block));
  }
  std::vector<Word> sums(grid.block, 0);
  for (const Bytes list : all.all_to_all(lists)) {
    const std::span<const local_t> some = values_of<local_t>(list);
    for (std::size_t i = 0; i < some.size(); ++i) sums[i] += some[i];
  }
  all.barrier();
  return sums;
}

// Returns the bitmap of vertices whose value is zero (`zero`) or non-zero.
template <typename Value>
Buffer<word_t> bits_where(const std::vector<Value>& values, bool zero) {
  Buffer<word_t> bits(word_count(values.size()));
  std::ranges::fill(bits, word_t{0});
  for (std::size_t v = 0; v < values.size(); ++v) {
    if ((values[v] == 0) == zero) bits[v / kWordBits] |= bit_of(static_cast<vertex_t>(v));
  }
  return bits;
}

// A member's facts about vertices, besides the edges of its block.
struct VertexFacts {
  std::vector<Word> degrees;   // [block] out-degrees of owned vertices in the whole graph
  Buffer<word_t> without_row;  // row's range: no edge of this block enters
  Buffer<word_t> enterable;    // owned vertices that an edge of the graph enters
  RowLengths incoming;         // in-degrees of all members' vertices

  [[nodiscard]] std::uint64_t bytes() const {
    return degrees.size() * sizeof(Word) + without_row.bytes() + enterable.bytes();
  }
};

// `leaving` and `entering` are those of this member's block. Collective.
inline VertexFacts vertex_facts(const Member& member, const Grid& grid,
                                const std::vector<local_t>& leaving,
                                const std::vector<local_t>& entering) {
  Communicator& all = *member.all;
  const unsigned row = member.index() / grid.columns;
  const unsigned column = member.index() % grid.columns;
  VertexFacts facts;
  facts.degrees =
      sum_at_owners(all, grid, leaving, [&](unsigned k) { return grid.column_piece(column, k); });
  const std::vector<Word> in_degrees =
      sum_at_owners(all, grid, entering, [&](unsigned k) { return grid.row_piece(row, k); });
  facts.without_row = bits_where(entering, true);
  facts.enterable = bits_where(in_degrees, false);
  const std::uint64_t owned = grid.ownership().count(member.index());
  for (std::uint64_t v = 0; v < owned; ++v) facts.incoming.add(in_degrees[v]);
  all.all_reduce(facts.incoming.rows, Reduction::sum);
  all.all_reduce(facts.incoming.entries, Reduction::sum);
  return facts;
}

}  // namespace bfslab::distributed::grid2d
