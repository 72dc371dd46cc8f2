// SPDX-License-Identifier: Apache-2.0
// Block: one member's part of the adjacency matrix, and what its vertices are in the whole of it.
// No member holds the list of edges: each goes from the member that has it as a tuple to the one
// whose block it is in.
//
// Cost: 8 bytes per edge of the block while it is sorted, and 4 bytes per edge and direction
// afterwards. Construction sends 8 bytes per edge and 4 per vertex of a range.
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

// The edges of this member's block, in any order; self-loops are dropped where the rules say so,
// repeated edges are not. Collective.
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

// Which block is made of a member's edges, and how.
struct BlockPlan {
  Grid grid;
  unsigned row, column;  // of the member
  EdgeRules rules;
  bool wants_csr = true;  // at least one of the two
  bool wants_csc = true;
  bool wide = false;  // offsets have 64 bits, however few edges there are

  // The block is symmetric: its CSC is its CSR.
  [[nodiscard]] bool shared() const { return rules.symmetric && grid.square() && row == column; }
  // Of a block of so many edges.
  [[nodiscard]] bool wide_for(std::uint64_t edges) const {
    return wide || edges > std::numeric_limits<std::uint32_t>::max();
  }
};

// By tail and by head, or one of the two.
template <typename Offset>
class Block {
 public:
  // `edges` are released.
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

  // Rows are vertices of the column's range, entries of the row's; and the reverse. Without offsets
  // where it was not wanted.
  [[nodiscard]] const Rows<Offset>& csr() const { return csr_; }
  [[nodiscard]] const Rows<Offset>& csc() const { return shared_ ? csr_ : csc_; }
  [[nodiscard]] bool shared() const { return shared_; }
  // The first entry of each row of the CSC, so that most rows need not be opened; 0 of empty ones.
  [[nodiscard]] std::span<const local_t> first() const { return first_.span(); }
  [[nodiscard]] std::uint64_t entries() const { return any().entries.size(); }
  [[nodiscard]] std::uint64_t csr_bytes() const { return csr_.bytes(); }
  // Nothing but the first entries where it is the CSR.
  [[nodiscard]] std::uint64_t csc_bytes() const { return csc_.bytes() + first_.bytes(); }

  // How many edges of the block leave each vertex of the column's range, and enter each of the
  // row's.
  [[nodiscard]] std::vector<local_t> leaving() const { return lengths(csr(), csc(), tails_); }
  [[nodiscard]] std::vector<local_t> entering() const { return lengths(csc(), csr(), heads_); }

 private:
  [[nodiscard]] const Rows<Offset>& any() const { return csr_.offsets.size() > 0 ? csr_ : csc_; }

  // Of `rows`, or where they are not held, as the numbers of entries of `others`.
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

// Adds up the members' values of the vertices of a range at the owners: [grid.block].
// `piece(k)`: the range's k-th. Collective.
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

// The vertices whose value is zero, or is not.
template <typename Value>
Buffer<word_t> bits_where(const std::vector<Value>& values, bool zero) {
  Buffer<word_t> bits(word_count(values.size()));
  std::ranges::fill(bits, word_t{0});
  for (std::size_t v = 0; v < values.size(); ++v) {
    if ((values[v] == 0) == zero) bits[v / kWordBits] |= bit_of(static_cast<vertex_t>(v));
  }
  return bits;
}

// A member's facts about vertices besides their edges in its block.
struct VertexFacts {
  std::vector<Word> degrees;   // [block] out-degrees in the whole graph, of owned vertices
  Buffer<word_t> without_row;  // of the row's range: no edge of this block enters
  Buffer<word_t> enterable;    // of owned vertices: some edge of the graph enters
  RowLengths incoming;         // the in-degrees of all members' vertices

  [[nodiscard]] std::uint64_t bytes() const {
    return degrees.size() * sizeof(Word) + without_row.bytes() + enterable.bytes();
  }
};

// `leaving`, `entering`: of this member's block. Collective.
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
