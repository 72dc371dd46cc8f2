// SPDX-License-Identifier: Apache-2.0
#include "kernels/distributed/subgraphs/subgraphs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <limits>
#include <numeric>

#include "kernels/unsupported.hpp"

namespace bfslab::distributed {

namespace {

constexpr std::uint64_t kMaxLocal = std::numeric_limits<local_vertex_t>::max();

// The entries whose tails a member owns, by tail.
struct OwnedRows {
  std::vector<std::uint64_t> offsets;  // [owned + 1] where each row begins
  std::vector<std::uint32_t> degrees;  // [owned] after duplicates were dropped
  std::vector<global_vertex_t> heads;

  [[nodiscard]] std::span<const global_vertex_t> row(std::size_t v) const {
    return std::span(heads).subspan(offsets[v], degrees[v]);
  }
};

OwnedRows own_rows(Member& member, const EdgeShare& share, const Ownership& own) {
  const std::uint64_t owned = own.count(member.index());
  OwnedRows rows;
  rows.offsets.assign(owned + 1, 0);
  const auto each_tail = [&](const GlobalEdge& edge, auto& send) {
    for_each_entry(edge, share.rules(), [&](global_vertex_t from, global_vertex_t) {
      send(own.owner(from), static_cast<local_vertex_t>(own.local(from)));
    });
  };
  route_edges<local_vertex_t>(share, *member.all, each_tail,
                              [&](std::span<const local_vertex_t> tails, unsigned) {
                                for (const local_vertex_t v : tails) ++rows.offsets[v + 1];
                              });
  for (std::uint64_t v = 0; v < owned; ++v) rows.offsets[v + 1] += rows.offsets[v];
  rows.heads.resize(rows.offsets[owned]);
  std::vector<std::uint64_t> next(rows.offsets.begin(), rows.offsets.end() - 1);
  const auto each_entry = [&](const GlobalEdge& edge, auto& send) {
    for_each_entry(edge, share.rules(), [&](global_vertex_t from, global_vertex_t to) {
      send(own.owner(from), GlobalEdge{own.local(from), to});
    });
  };
  route_edges<GlobalEdge>(share, *member.all, each_entry,
                          [&](std::span<const GlobalEdge> entries, unsigned) {
                            for (const GlobalEdge& e : entries) rows.heads[next[e.from]++] = e.to;
                          });
  rows.degrees.resize(owned);
  for (std::uint64_t v = 0; v < owned; ++v) {
    const auto begin = rows.heads.begin() + static_cast<std::ptrdiff_t>(rows.offsets[v]);
    auto end = rows.heads.begin() + static_cast<std::ptrdiff_t>(rows.offsets[v + 1]);
    std::sort(begin, end);
    if (share.rules().deduplicate) end = std::unique(begin, end);
    rows.degrees[v] = static_cast<std::uint32_t>(end - begin);
  }
  return rows;
}

struct Delegate {
  global_vertex_t vertex;
  std::uint64_t degree;
};

// Returns the delegates of all members, ascending by id.
std::vector<Delegate> all_delegates(Member& member, const OwnedRows& rows, const Ownership& own,
                                    std::uint64_t threshold) {
  std::vector<Delegate> mine;
  for (std::uint64_t v = 0; v < rows.degrees.size(); ++v) {
    if (rows.degrees[v] > threshold)
      mine.push_back({own.global(member.index(), v), rows.degrees[v]});
  }
  const Bytes list = std::as_bytes(std::span(mine));
  std::vector<Delegate> all;
  for (const Bytes theirs : member.all->all_to_all(std::vector<Bytes>(member.all->size(), list))) {
    const std::span<const Delegate> values = values_of<Delegate>(theirs);
    all.insert(all.end(), values.begin(), values.end());
  }
  member.all->barrier();
  std::ranges::sort(all, {}, &Delegate::vertex);
  return all;
}

// Gives delegates, which come ascending by id, their numbers.
void number_delegates(const std::vector<Delegate>& by_id, DelegateOrder order, Separation& made) {
  std::vector<local_vertex_t> places(by_id.size());  // by number, among the ids
  std::iota(places.begin(), places.end(), local_vertex_t{0});
  if (order == DelegateOrder::degree) {
    std::ranges::stable_sort(places, std::greater<>(), [&](local_vertex_t place) {
      return degree_class(by_id[place].degree);
    });
    made.by_id.resize(by_id.size());
    for (local_vertex_t d = 0; d < places.size(); ++d) made.by_id[places[d]] = d;
  }
  made.delegates.reserve(by_id.size());
  for (const local_vertex_t place : places) made.delegates.push_back(by_id[place].vertex);
}

// Makes a subgraph from entries in any order: counted, then placed, with sorted rows.
template <typename Column, typename ForEach>
Subgraph<Column> collect(std::uint64_t rows, ForEach&& for_each) {
  std::vector<std::uint32_t> sizes(rows, 0);
  for_each([&](std::uint64_t row, Column) { ++sizes[row]; });
  Subgraph<Column> made{Offsets(sizes), {}};
  made.columns.resize(made.offsets.entries());
  std::ranges::fill(sizes, 0);
  for_each([&](std::uint64_t row, Column column) {
    made.columns[made.offsets[row] + sizes[row]++] = column;
  });
  for (std::uint64_t row = 0; row < rows; ++row) {
    const auto begin = made.columns.begin() + static_cast<std::ptrdiff_t>(made.offsets[row]);
    std::sort(begin, begin + static_cast<std::ptrdiff_t>(sizes[row]));
  }
  return made;
}

// An entry of a delegate, at the member that keeps it.
struct DelegateEntry {
  local_vertex_t from;  // the delegate's number
  local_vertex_t to;    // a vertex of the keeper, or a delegate's number
  std::uint32_t to_delegate;
};

// Makes nn and nd: the entries of normal vertices stay where they are.
void collect_normals(const OwnedRows& rows, const EdgeDistributor& distributor,
                     const DelegateNumbers& number, Subgraphs& made) {
  const auto of_normals = [&](bool to_delegates, auto&& visit) {
    for (local_vertex_t v = 0; v < made.owned; ++v) {
      if (distributor.is_delegate(rows.degrees[v])) continue;
      for (const global_vertex_t to : rows.row(v)) {
        if (number.is_delegate(to) == to_delegates) visit(v, to);
      }
    }
  };
  made.nn = collect<global_vertex_t>(made.owned, [&](auto&& visit) { of_normals(false, visit); });
  made.nd = collect<local_vertex_t>(made.owned, [&](auto&& visit) {
    of_normals(true, [&](local_vertex_t v, global_vertex_t to) { visit(v, number[to]); });
  });
}

// Makes dn and dd: the entries of delegates go to the keepers that Algorithm 1 names. `degrees` are
// by number.
void collect_delegates(Member& member, const Ownership& own, const OwnedRows& rows,
                       const EdgeDistributor& distributor, const DelegateNumbers& number,
                       std::span<const std::uint64_t> degrees, Subgraphs& made) {
  std::vector<DelegateEntry> kept;
  const auto produce = [&](std::uint64_t first, std::uint64_t last, auto& send) {
    for (std::uint64_t i = first; i < last; ++i) {
      const auto [vertex, from] = made.own_delegates[i];
      const global_vertex_t u = made.delegates[from];
      for (const global_vertex_t v : rows.row(vertex)) {
        if (!number.is_delegate(v)) {
          send(own.owner(v), DelegateEntry{from, static_cast<local_vertex_t>(own.local(v)), 0});
          continue;
        }
        const local_vertex_t to = number[v];
        const GpuPlace place = distributor.place(u, v, rows.degrees[vertex], degrees[to]);
        send(distributor.number(place), DelegateEntry{from, to, 1});
      }
    }
  };
  route<DelegateEntry>(*member.all, made.own_delegates.size(), produce,
                       [&](std::span<const DelegateEntry> entries, unsigned) {
                         kept.insert(kept.end(), entries.begin(), entries.end());
                       });
  const auto of_delegates = [&](std::uint32_t to_delegates, auto&& visit) {
    for (const DelegateEntry& entry : kept) {
      if (entry.to_delegate == to_delegates) visit(entry.from, entry.to);
    }
  };
  made.dn = collect<local_vertex_t>(degrees.size(), [&](auto&& visit) { of_delegates(0, visit); });
  made.dd = collect<local_vertex_t>(degrees.size(), [&](auto&& visit) { of_delegates(1, visit); });
}

}  // namespace

Offsets::Offsets(std::span<const std::uint32_t> row_sizes) {
  for (const std::uint32_t size : row_sizes) entries_ += size;
  const auto fill = [&](auto& offsets) {
    offsets.resize(row_sizes.size() + 1);
    for (std::size_t row = 0; row < row_sizes.size(); ++row) {
      offsets[row + 1] = offsets[row] + row_sizes[row];
    }
  };
  if (entries_ <= std::numeric_limits<std::uint32_t>::max()) {
    fill(narrow_);
  } else {
    fill(wide_);
  }
}

local_vertex_t Separation::number_of(global_vertex_t v) const {
  if (by_id.empty()) {
    const auto found = std::ranges::lower_bound(delegates, v);
    const bool is_one = found != delegates.end() && *found == v;
    return is_one ? static_cast<local_vertex_t>(found - delegates.begin()) : kNoDelegate;
  }
  const auto id = [this](local_vertex_t number) { return delegates[number]; };
  const auto found = std::ranges::lower_bound(by_id, v, {}, id);
  return found != by_id.end() && id(*found) == v ? *found : kNoDelegate;
}

DelegateNumbers::DelegateNumbers(const Separation& separation)
    : by_id_(separation.by_id),
      bits_((separation.vertices + 511) / 512 * 8, 0),
      before_(bits_.size() / 8, 0) {
  for (const global_vertex_t v : separation.delegates) {
    bits_[v / 64] |= std::uint64_t{1} << (v % 64);
  }
  local_vertex_t count = 0;
  for (std::size_t block = 0; block < before_.size(); ++block) {
    before_[block] = count;
    for (std::size_t word = block * 8; word < block * 8 + 8; ++word) {
      count += static_cast<local_vertex_t>(std::popcount(bits_[word]));
    }
  }
}

local_vertex_t DelegateNumbers::operator[](global_vertex_t v) const {
  local_vertex_t place = before_[v / 512];  // in the order of ids
  for (std::size_t word = v / 512 * 8; word < v / 64; ++word) {
    place += static_cast<local_vertex_t>(std::popcount(bits_[word]));
  }
  const std::uint64_t below = bits_[v / 64] & ((std::uint64_t{1} << (v % 64)) - 1);
  place += static_cast<local_vertex_t>(std::popcount(below));
  return by_id_.empty() ? place : by_id_[place];
}

Ownership vertex_owners(const EdgeShare& share, unsigned members) {
  const Ownership own = Ownership::round_robin(share.vertices(), members);
  if (own.count(0) > kMaxLocal) {
    throw Unsupported(fmt::format("{} vertices on {} members are more than 2^32 each",
                                  share.vertices(), members));
  }
  return own;
}

void require_numbers_for(std::uint64_t delegates, std::uint64_t threshold) {
  if (delegates >= kMaxLocal) {
    throw Unsupported(fmt::format("threshold={} makes {} delegates, and 2^32 is one too many",
                                  threshold, delegates));
  }
}

Subgraphs make_subgraphs(Member& member, const EdgeShare& share, std::uint64_t threshold,
                         DelegateOrder order) {
  const EdgeDistributor distributor(member.ranks, member.gpus_per_rank, threshold);
  const Ownership own = vertex_owners(share, member.count());
  Subgraphs made;
  made.vertices = share.vertices();
  made.symmetric = share.rules().symmetric;
  made.threshold = threshold;
  made.owned = static_cast<local_vertex_t>(own.count(member.index()));
  const OwnedRows rows = own_rows(member, share, own);
  const std::vector<Delegate> delegates = all_delegates(member, rows, own, threshold);
  require_numbers_for(delegates.size(), threshold);
  number_delegates(delegates, order, made);
  const DelegateNumbers number(made);
  std::vector<std::uint64_t> degrees(delegates.size());  // by number
  for (const auto& [v, degree] : delegates) {
    const local_vertex_t d = number[v];
    degrees[d] = degree;
    if (own.owner(v) == member.index()) {
      made.own_delegates.push_back({static_cast<local_vertex_t>(own.local(v)), d});
    }
  }
  made.own_delegates.shrink_to_fit();
  made.times.end("delegates");

  collect_normals(rows, distributor, number, made);
  collect_delegates(member, own, rows, distributor, number, degrees, made);
  const auto note = [&](EdgeClass which, const auto& graph) {
    made.stored[which] = {.edges = graph.columns.size(),
                          .offset_bytes = graph.offsets.bytes(),
                          .column_bytes = graph.columns.size() * sizeof(graph.columns[0]),
                          .offset_width = graph.offsets.width()};
  };
  note(EdgeClass::nn, made.nn);
  note(EdgeClass::nd, made.nd);
  note(EdgeClass::dn, made.dn);
  note(EdgeClass::dd, made.dd);
  made.times.end("subgraphs");
  return made;
}

}  // namespace bfslab::distributed
