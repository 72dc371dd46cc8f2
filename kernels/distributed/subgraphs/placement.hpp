// SPDX-License-Identifier: Apache-2.0
// Where an entry of a separated graph is stored: on which member, in which of its four subgraphs,
// in which row and as which column. Any member can tell it of any entry without asking, once all
// know the delegates and their degrees; with none, every entry is one of nn at the owner of its
// tail. Plain arithmetic that a device can do, too (scalable-bfs, Algorithm 1).
//
// And how the entries are made in rounds where they do not fit at once: the rows of all subgraphs
// are one sequence, which is cut into bins of rows for counting, and into rounds of whole bins. The
// bins of a subgraph grow with its rows, since delegates may be numbered by degree: then the first
// rows have as many entries as thousands of later ones.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/distributed/ownership.hpp"
#include "kernels/distributed/partition/edge_distributor.hpp"
#include "kernels/distributed/subgraphs/graded_bins.hpp"

namespace bfslab::distributed {

// How many bits are set. By arithmetic: nvcc 13 takes std::popcount into device code without a word
// and leaves out what depends on it.
constexpr unsigned set_bits(std::uint64_t word) {
  word -= word >> 1 & 0x5555555555555555U;
  word = (word & 0x3333333333333333U) + (word >> 2 & 0x3333333333333333U);
  word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0fU;
  return static_cast<unsigned>(word * 0x0101010101010101U >> 56);
}
static_assert(set_bits(0) == 0 && set_bits(~std::uint64_t{0}) == 64 &&
              set_bits(0x8001'0000'0000'0003U) == 4);

// The numbers and out-degrees of delegates, by arrays in whatever memory. All are null where there
// are no delegates.
struct DelegateView {
  const std::uint64_t* bits = nullptr;     // a bit a vertex of the graph
  const std::uint32_t* before = nullptr;   // [words of bits] delegates in the words before
  const std::uint32_t* degrees = nullptr;  // [delegates] by number
  // [delegates] by id; null: these are ascending, too.
  const local_vertex_t* numbers = nullptr;

  [[nodiscard]] constexpr bool has(global_vertex_t v) const {
    return bits != nullptr && ((bits[v / 64] >> (v % 64)) & 1) != 0;
  }
  [[nodiscard]] constexpr local_vertex_t number(global_vertex_t v) const {
    const std::uint64_t below = bits[v / 64] & ((std::uint64_t{1} << (v % 64)) - 1);
    const local_vertex_t place = before[v / 64] + set_bits(below);
    return numbers != nullptr ? numbers[place] : place;
  }
};

struct Placed {
  unsigned keeper = 0;
  EdgeClass subgraph = EdgeClass::nn;
  std::uint64_t row = 0;
  std::uint64_t column = 0;
};

struct Placement {
  Ownership own;  // round robin
  DelegateView delegates;
  DdKeepers dd_keepers = DdKeepers::vertices;

  [[nodiscard]] constexpr Placed operator()(global_vertex_t from, global_vertex_t to) const {
    const bool to_delegate = delegates.has(to);
    if (!delegates.has(from)) {
      if (!to_delegate) return {own.owner(from), EdgeClass::nn, own.local(from), to};
      return {own.owner(from), EdgeClass::nd, own.local(from), delegates.number(to)};
    }
    const local_vertex_t row = delegates.number(from);
    if (!to_delegate) return {own.owner(to), EdgeClass::dn, row, own.local(to)};
    const local_vertex_t column = delegates.number(to);
    const global_vertex_t lower =
        lower_end(from, to, delegates.degrees[row], delegates.degrees[column]);
    const unsigned keeper = dd_keepers == DdKeepers::vertices
                                ? own.owner(lower)
                                : DelegateStripes{own.divisor}.owner(lower == from ? row : column);
    return {keeper, EdgeClass::dd, row, column};
  }
};

// Rows first .. last - 1 of the sequence.
struct RowRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;

  [[nodiscard]] constexpr std::uint64_t count() const { return last - first; }
};

// The rows of nn, of nd, of dn and of dd, in this order. Members that own fewer vertices than
// others have an empty row more, so that the sequence is the same for all.
struct RowSequence {
  std::uint64_t begin[kEdgeClasses + 1] = {};
  std::uint32_t first_bin[kEdgeClasses + 1] = {};
  GradedBins bins_of[kEdgeClasses] = {};

  // `rows`: of each subgraph. At most `max_bins` bins, as far as bins of up to 2^max_shift rows,
  // and one for each doubling of the row, allow.
  static RowSequence make(const PerEdgeClass<std::uint64_t>& rows, std::uint64_t max_bins,
                          unsigned max_shift) {
    RowSequence made;
    const std::uint64_t bins_each = std::max<std::uint64_t>(1, max_bins / kEdgeClasses);
    for (std::size_t c = 0; c < kEdgeClasses; ++c) {
      GradedBins& bins = made.bins_of[c];
      while (bins.precision < 31 &&
             GradedBins{bins.precision + 1}.count(rows.each[c]) <= bins_each) {
        ++bins.precision;
      }
      while (bins.widest(rows.each[c]) > max_shift) ++bins.precision;
      made.begin[c + 1] = made.begin[c] + rows.each[c];
      made.first_bin[c + 1] = made.first_bin[c] + bins.count(rows.each[c]);
    }
    return made;
  }

  [[nodiscard]] constexpr std::uint64_t rows() const { return begin[kEdgeClasses]; }
  [[nodiscard]] constexpr std::uint32_t bins() const { return first_bin[kEdgeClasses]; }
  [[nodiscard]] constexpr std::uint64_t row(const Placed& entry) const {
    return begin[static_cast<std::size_t>(entry.subgraph)] + entry.row;
  }
  [[nodiscard]] constexpr std::uint32_t bin(const Placed& entry) const {
    const auto c = static_cast<std::size_t>(entry.subgraph);
    return first_bin[c] + bins_of[c].bin(entry.row);
  }
  [[nodiscard]] RowRange rows_of(std::uint32_t bin) const {
    std::size_t c = 0;
    while (bin >= first_bin[c + 1]) ++c;
    const std::uint32_t own = bin - first_bin[c];
    return {begin[c] + bins_of[c].first(own),
            std::min(begin[c] + bins_of[c].first(own + 1), begin[c + 1])};
  }
  // The part of `range` that is a subgraph's.
  [[nodiscard]] RowRange part_of(RowRange range, EdgeClass subgraph) const {
    const auto c = static_cast<std::size_t>(subgraph);
    const std::uint64_t first = std::clamp(range.first, begin[c], begin[c + 1]);
    return {first, std::clamp(range.last, first, begin[c + 1])};
  }
};

// The entries that are made at once: those in some rows, on all members.
struct Round {
  RowRange rows;
  std::uint32_t first_bin = 0;
  std::uint32_t last_bin = 0;  // the one after its last
  std::uint64_t entries = 0;   // of the member that gets the most
};

// `counts`: [members][bins] entries. A round has at most `max_rows` rows and `max_entries`
// entries on each member, but always a whole bin. All rows are in one round each, in order.
inline std::vector<Round> plan_rounds(const RowSequence& sequence,
                                      std::span<const std::uint64_t> counts, unsigned members,
                                      std::uint64_t max_entries, std::uint64_t max_rows) {
  std::vector<Round> rounds;
  std::vector<std::uint64_t> sums(members, 0);
  const std::uint32_t bins = sequence.bins();
  for (std::uint32_t bin = 0; bin < bins; ++bin) {
    const RowRange rows = sequence.rows_of(bin);
    bool fits = !rounds.empty() && rows.last - rounds.back().rows.first <= max_rows;
    for (unsigned m = 0; fits && m < members; ++m) {
      fits = sums[m] + counts[std::size_t{m} * bins + bin] <= max_entries;
    }
    if (!fits) {
      rounds.push_back({rows, bin, bin, 0});
      std::ranges::fill(sums, 0);
    }
    Round& round = rounds.back();
    round.rows.last = rows.last;
    round.last_bin = bin + 1;
    for (unsigned m = 0; m < members; ++m) {
      sums[m] += counts[std::size_t{m} * bins + bin];
      round.entries = std::max(round.entries, sums[m]);
    }
  }
  return rounds;
}

}  // namespace bfslab::distributed
