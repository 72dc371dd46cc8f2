// SPDX-License-Identifier: Apache-2.0
// Where entries go and in which rounds they are made, as GPUs do it: followed here on the host,
// entry by entry, the same subgraphs come out.
#include "kernels/distributed/subgraphs/placement.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "kernels/distributed/subgraphs/subgraphs.hpp"
#include "tests/distributed/members.hpp"

namespace bfslab::distributed {
namespace {

struct Kept {
  std::uint64_t row, column;
  auto operator<=>(const Kept&) const = default;
};

// Arrays of a DelegateView.
struct HostTable {
  // `of`: degrees by number.
  HostTable(const Separation& separation, std::span<const std::uint32_t> of)
      : bits((separation.vertices + 63) / 64, 0),
        before(bits.size(), 0),
        degrees(of.begin(), of.end()),
        numbers(separation.by_id) {
    for (const global_vertex_t v : separation.delegates) {
      bits[v / 64] |= std::uint64_t{1} << (v % 64);
    }
    for (std::size_t word = 1; word < before.size(); ++word) {
      before[word] = before[word - 1] + static_cast<std::uint32_t>(std::popcount(bits[word - 1]));
    }
  }
  [[nodiscard]] DelegateView view() const {
    return {bits.data(), before.data(), degrees.data(), numbers.empty() ? nullptr : numbers.data()};
  }

  std::vector<std::uint64_t> bits;
  std::vector<std::uint32_t> before, degrees;
  std::vector<local_vertex_t> numbers;
};

template <typename Column>
void append(const Subgraph<Column>& graph, std::uint64_t rows, std::uint64_t base,
            std::vector<Kept>& out) {
  for (std::uint64_t row = 0; row < rows; ++row) {
    for (const Column column : graph.row(row)) out.push_back({base + row, column});
  }
}

void expect_placed(Member& me, const std::string& recipe, std::uint64_t threshold,
                   DelegateOrder order) {
  SCOPED_TRACE(recipe + " " + std::to_string(threshold) +
               (order == DelegateOrder::id ? " by id" : " by degree"));
  const auto share = share_edges({nullptr, recipe, nullptr}, me);
  const Subgraphs made = make_subgraphs(me, *share, threshold, order);
  const Ownership own = Ownership::round_robin(share->vertices(), me.count());
  // A delegate's out-degree is what dn and dd keep of it on all members.
  std::vector<Word> sums(made.delegate_count());
  for (local_vertex_t d = 0; d < made.delegate_count(); ++d) {
    sums[d] = made.dn.degree(d) + made.dd.degree(d);
  }
  me.all->all_reduce(sums, Reduction::sum);
  for (local_vertex_t d = 1; d < made.delegate_count(); ++d) {
    const bool ascends = made.delegates[d - 1] < made.delegates[d];
    if (order == DelegateOrder::id) {
      EXPECT_TRUE(ascends);
    } else {
      const std::uint32_t before = degree_class(sums[d - 1]);
      const std::uint32_t here = degree_class(sums[d]);
      EXPECT_TRUE(before > here || (before == here && ascends)) << d;
    }
  }
  local_vertex_t numbered = 0;
  for (global_vertex_t v = 0; v < share->vertices(); ++v) {
    const local_vertex_t number = made.number_of(v);
    if (number == Separation::kNoDelegate) continue;
    ++numbered;
    ASSERT_LT(number, made.delegate_count());
    EXPECT_EQ(made.delegates[number], v);
  }
  EXPECT_EQ(numbered, made.delegate_count());
  for (const auto& [vertex, delegate] : made.own_delegates) {
    EXPECT_EQ(made.delegates[delegate], own.global(me.index(), vertex));
  }
  const HostTable table(made, std::vector<std::uint32_t>(sums.begin(), sums.end()));
  const Placement place{own, made.delegate_count() > 0 ? table.view() : DelegateView{}};
  PerEdgeClass<std::uint64_t> rows;
  rows[EdgeClass::nn] = rows[EdgeClass::nd] = own.count(0);
  rows[EdgeClass::dn] = rows[EdgeClass::dd] = made.delegate_count();
  const RowSequence sequence = RowSequence::make(rows, 64, 40);

  std::vector<Kept> kept;
  std::vector<Word> counts(std::size_t{me.count()} * sequence.bins(), 0);
  route_edges<Kept>(
      *share, *me.all,
      [&](const GlobalEdge& edge, auto& send) {
        for_each_entry(edge, share->rules(), [&](global_vertex_t from, global_vertex_t to) {
          const Placed entry = place(from, to);
          ++counts[entry.keeper * sequence.bins() + sequence.bin(entry)];
          send(entry.keeper, Kept{sequence.row(entry), entry.column});
        });
      },
      [&](std::span<const Kept> some, unsigned) {
        kept.insert(kept.end(), some.begin(), some.end());
      });
  me.all->all_reduce(counts, Reduction::sum);
  const auto mine =
      counts.begin() + static_cast<std::ptrdiff_t>(std::size_t{me.index()} * sequence.bins());
  for (std::uint32_t bin = 0; bin < sequence.bins(); ++bin) {
    const RowRange range = sequence.rows_of(bin);
    EXPECT_EQ(mine[bin], std::ranges::count_if(kept, [&](const Kept& each) {
                return each.row >= range.first && each.row < range.last;
              }));
  }
  std::ranges::sort(kept);
  if (share->rules().deduplicate) {
    kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
  }
  std::vector<Kept> expected;
  append(made.nn, made.owned, sequence.begin[0], expected);
  append(made.nd, made.owned, sequence.begin[1], expected);
  append(made.dn, made.delegate_count(), sequence.begin[2], expected);
  append(made.dd, made.delegate_count(), sequence.begin[3], expected);
  EXPECT_TRUE(kept == expected);
}

// The number of the end of a dd edge with fewer neighbours decides, in turns of DelegateStripes.
TEST(Placement, KeepsEdgesOfDelegatesByTheirNumber) {
  tests::on_teams([&](Member& me) {
    const auto share = share_edges({nullptr, "kronecker:scale=14", nullptr}, me);
    const Subgraphs made = make_subgraphs(me, *share, 1, DelegateOrder::degree);
    const Ownership own = Ownership::round_robin(share->vertices(), me.count());
    std::vector<Word> sums(made.delegate_count());
    for (local_vertex_t d = 0; d < made.delegate_count(); ++d) {
      sums[d] = made.dn.degree(d) + made.dd.degree(d);
    }
    me.all->all_reduce(sums, Reduction::sum);
    const HostTable table(made, std::vector<std::uint32_t>(sums.begin(), sums.end()));
    const Placement by_vertex{own, table.view()};
    const Placement by_number{own, table.view(), DdKeepers::stripes};
    std::vector<std::uint64_t> kept(me.count(), 0);
    const auto compare = [&](const GlobalEdge& edge) {
      for_each_entry(edge, share->rules(), [&](global_vertex_t from, global_vertex_t to) {
        const Placed expected = by_vertex(from, to);
        const Placed placed = by_number(from, to);
        EXPECT_EQ(placed.subgraph, expected.subgraph);
        EXPECT_EQ(placed.row, expected.row);
        EXPECT_EQ(placed.column, expected.column);
        if (placed.subgraph != EdgeClass::dd) {
          EXPECT_EQ(placed.keeper, expected.keeper);
          return;
        }
        EXPECT_EQ(placed.keeper, by_number(to, from).keeper);
        const bool row_has_fewer = sums[placed.row] < sums[placed.column];
        if (sums[placed.row] != sums[placed.column]) {
          const std::uint64_t lower = row_has_fewer ? placed.row : placed.column;
          EXPECT_EQ(placed.keeper, lower / 1024 % me.count());
        }
        ++kept[placed.keeper];
      });
    };
    share->for_each_batch(0, share->size(), [&](std::span<const GlobalEdge> edges) {
      std::ranges::for_each(edges, compare);
    });
    for (const std::uint64_t each : kept) EXPECT_GT(each, 0U);
  });
}

TEST(Placement, PutsEveryEntryWhereTheSubgraphsHaveIt) {
  tests::on_teams([&](Member& me) {
    for (const char* recipe :
         {"kronecker:scale=8,edge_factor=5", "kronecker:scale=7,self_loops=keep,duplicates=keep",
          "kronecker:scale=7,symmetrize=false", "star:vertices=70", "path:vertices=129"}) {
      for (const std::uint64_t threshold : {0, 1, 7, 1000000}) {
        for (const DelegateOrder order : {DelegateOrder::degree, DelegateOrder::id}) {
          expect_placed(me, recipe, threshold, order);
        }
      }
    }
  });
}

TEST(GradedBins, GrowWithTheirNumbers) {
  const GradedBins bins{3};
  std::uint64_t next = 0;
  for (std::uint32_t bin = 0; next < 100'000; ++bin) {
    ASSERT_EQ(bins.first(bin), next);
    const std::uint64_t width = bins.first(bin + 1) - next;
    // One number each up to 2^4, and 2^3 bins for each doubling.
    EXPECT_EQ(width, next < 16 ? 1 : std::bit_floor(next) / 8) << next;
    EXPECT_EQ(bins.bin(next), bin);
    EXPECT_EQ(bins.bin(next + width - 1), bin);
    EXPECT_EQ(std::uint64_t{1} << bins.widest(next + 1), width);
    next += width;
    EXPECT_EQ(bins.count(next), bin + 1);
  }
  EXPECT_EQ(bins.count(0), 0U);
  EXPECT_EQ(GradedBins{7}.count(std::uint64_t{1} << 32), (32U - 7 + 1) << 7);
}

TEST(RowSequence, BinsAreTheRowsInOrder) {
  for (const std::uint64_t delegates : {0, 1, 5, 64, 1000}) {
    for (const std::uint64_t owned : {0, 1, 15, 16, 17, 4097}) {
      PerEdgeClass<std::uint64_t> rows;
      rows[EdgeClass::nn] = rows[EdgeClass::nd] = owned;
      rows[EdgeClass::dn] = rows[EdgeClass::dd] = delegates;
      for (const unsigned max_shift : {0U, 3U, 63U}) {
        const RowSequence sequence = RowSequence::make(rows, 64, max_shift);
        EXPECT_EQ(sequence.rows(), 2 * (owned + delegates));
        std::uint64_t next = 0;
        for (std::uint32_t bin = 0; bin < sequence.bins(); ++bin) {
          const RowRange range = sequence.rows_of(bin);
          EXPECT_EQ(range.first, next);
          EXPECT_GT(range.last, range.first);
          EXPECT_LE(range.count(), std::uint64_t{1} << max_shift);
          next = range.last;
        }
        EXPECT_EQ(next, sequence.rows());
        if (max_shift == 63) {
          EXPECT_LE(sequence.bins(), 64U);
        }
      }
    }
  }
}

TEST(Rounds, TakeWholeBinsAndNoMoreThanTheyMay) {
  PerEdgeClass<std::uint64_t> rows;
  rows[EdgeClass::nn] = 7;
  rows[EdgeClass::dd] = 3;
  const RowSequence sequence = RowSequence::make(rows, 1000, 63);
  ASSERT_EQ(sequence.bins(), 10U);
  // Counts of two members.
  const std::vector<std::uint64_t> counts = {1, 1, 1, 5, 0, 0, 1, 2, 2, 2,  //
                                             0, 0, 3, 0, 0, 0, 0, 9, 0, 0};
  const auto rounds = [&](std::uint64_t entries, std::uint64_t max_rows) {
    std::vector<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>> out;
    for (const Round& round : plan_rounds(sequence, counts, 2, entries, max_rows)) {
      EXPECT_EQ(round.rows.first, round.first_bin);
      EXPECT_EQ(round.rows.last, round.last_bin);
      out.emplace_back(round.rows.first, round.rows.last, round.entries);
    }
    return out;
  };
  using Expected = std::vector<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>>;
  EXPECT_EQ(rounds(100, 100), (Expected{{0, 10, 15}}));
  EXPECT_EQ(rounds(100, 4), (Expected{{0, 4, 8}, {4, 8, 9}, {8, 10, 4}}));
  EXPECT_EQ(rounds(3, 100),
            (Expected{{0, 3, 3}, {3, 4, 5}, {4, 7, 1}, {7, 8, 9}, {8, 9, 2}, {9, 10, 2}}));
}

}  // namespace
}  // namespace bfslab::distributed
