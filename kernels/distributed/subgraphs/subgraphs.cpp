// SPDX-License-Identifier: Apache-2.0
#include "kernels/distributed/subgraphs/subgraphs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

#include "kernels/distributed/subgraphs/placement.hpp"
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
  std::vector<Delegate> own_delegates;
  for (std::uint64_t v = 0; v < rows.degrees.size(); ++v) {
    if (rows.degrees[v] > threshold)
      own_delegates.push_back({own.global(member.index(), v), rows.degrees[v]});
  }
  const Bytes list = std::as_bytes(std::span(own_delegates));
  std::vector<Delegate> all;
  for (const Bytes theirs : member.all->all_to_all(std::vector<Bytes>(member.all->size(), list))) {
    const std::span<const Delegate> values = values_of<Delegate>(theirs);
    all.insert(all.end(), values.begin(), values.end());
  }
  member.all->barrier();
  std::ranges::sort(all, {}, &Delegate::vertex);
  return all;
}

// The arrays of a DelegateView in host memory.
struct DelegateArrays {
  std::vector<std::uint64_t> bits;
  std::vector<std::uint32_t> before, degrees;

  [[nodiscard]] DelegateView view(const Separation& made) const {
    return {bits.data(), before.data(), degrees.data(),
            made.by_id.empty() ? nullptr : made.by_id.data()};
  }
};

// Gives delegates, which come ascending by id, their numbers.
DelegateArrays number_delegates(const std::vector<Delegate>& by_id, DelegateOrder order,
                                Separation& made) {
  std::vector<local_vertex_t> places(by_id.size());  // by number, among the ids
  std::iota(places.begin(), places.end(), local_vertex_t{0});
  if (order == DelegateOrder::degree) {
    std::ranges::stable_sort(places, std::greater<>(), [&](local_vertex_t place) {
      return degree_class(by_id[place].degree);
    });
    made.by_id.resize(by_id.size());
    for (local_vertex_t d = 0; d < places.size(); ++d) made.by_id[places[d]] = d;
  }
  DelegateArrays arrays;
  made.delegates.reserve(by_id.size());
  for (const local_vertex_t place : places) {
    made.delegates.push_back(by_id[place].vertex);
    arrays.degrees.push_back(static_cast<std::uint32_t>(by_id[place].degree));
  }
  arrays.bits.resize((made.vertices + 63) / 64);
  for (const auto& [v, degree] : by_id) arrays.bits[v / 64] |= std::uint64_t{1} << (v % 64);
  arrays.before.resize(arrays.bits.size());
  std::transform_exclusive_scan(arrays.bits.begin(), arrays.bits.end(), arrays.before.begin(), 0U,
                                std::plus<>(), set_bits);
  return arrays;
}

// Makes a subgraph from entries in any order: counted, then placed, with sorted rows.
template <typename Column, typename ForEach>
Subgraph<Column> collect(std::uint64_t rows, ForEach&& for_each) {
  std::vector<std::uint32_t> sizes(rows, 0);
  for_each([&](std::uint64_t row, std::uint64_t) { ++sizes[row]; });
  Subgraph<Column> made{Offsets(sizes), {}};
  made.columns.resize(made.offsets.entries());
  std::ranges::fill(sizes, 0);
  for_each([&](std::uint64_t row, std::uint64_t column) {
    made.columns[made.offsets[row] + sizes[row]++] = static_cast<Column>(column);
  });
  for (std::uint64_t row = 0; row < rows; ++row) {
    const auto begin = made.columns.begin() + static_cast<std::ptrdiff_t>(made.offsets[row]);
    std::sort(begin, begin + static_cast<std::ptrdiff_t>(sizes[row]));
  }
  return made;
}

// An entry of a delegate, at the member that keeps it.
struct DelegateEntry {
  local_vertex_t row;
  local_vertex_t column;
  EdgeClass subgraph;  // dn or dd
};

// Makes nn and nd: the entries of normal vertices stay where they are.
void collect_normals(unsigned member, const OwnedRows& rows, const Placement& place,
                     Subgraphs& made) {
  const auto each_in = [&](EdgeClass subgraph, auto&& visit) {
    for (local_vertex_t v = 0; v < made.owned; ++v) {
      for (const global_vertex_t to : rows.row(v)) {
        const Placed entry = place(place.own.global(member, v), to);
        if (entry.subgraph == subgraph) visit(v, entry.column);
      }
    }
  };
  made.nn =
      collect<global_vertex_t>(made.owned, [&](auto&& visit) { each_in(EdgeClass::nn, visit); });
  made.nd =
      collect<local_vertex_t>(made.owned, [&](auto&& visit) { each_in(EdgeClass::nd, visit); });
}

// Makes dn and dd: the entries of delegates go to the keepers that Algorithm 1 names.
void collect_delegates(Member& member, const OwnedRows& rows, const Placement& place,
                       Subgraphs& made) {
  std::vector<DelegateEntry> kept;
  const auto produce = [&](std::uint64_t first, std::uint64_t last, auto& send) {
    for (std::uint64_t i = first; i < last; ++i) {
      const auto [vertex, delegate] = made.own_delegates[i];
      for (const global_vertex_t to : rows.row(vertex)) {
        const Placed entry = place(made.delegates[delegate], to);
        send(entry.keeper,
             DelegateEntry{delegate, static_cast<local_vertex_t>(entry.column), entry.subgraph});
      }
    }
  };
  route<DelegateEntry>(*member.all, made.own_delegates.size(), produce,
                       [&](std::span<const DelegateEntry> entries, unsigned) {
                         kept.insert(kept.end(), entries.begin(), entries.end());
                       });
  const auto make = [&](EdgeClass subgraph) {
    return collect<local_vertex_t>(made.delegates.size(), [&](auto&& visit) {
      for (const DelegateEntry& entry : kept) {
        if (entry.subgraph == subgraph) visit(entry.row, entry.column);
      }
    });
  };
  made.dn = make(EdgeClass::dn);
  made.dd = make(EdgeClass::dd);
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
  const Ownership own = vertex_owners(share, member.count());
  Subgraphs made;
  made.vertices = share.vertices();
  made.symmetric = share.rules().symmetric;
  made.threshold = threshold;
  made.owned = static_cast<local_vertex_t>(own.count(member.index()));
  const OwnedRows rows = own_rows(member, share, own);
  const std::vector<Delegate> delegates = all_delegates(member, rows, own, threshold);
  require_numbers_for(delegates.size(), threshold);
  const DelegateArrays arrays = number_delegates(delegates, order, made);
  const Placement place{own, arrays.view(made)};
  for (const auto& [v, degree] : delegates) {
    if (own.owner(v) == member.index()) {
      made.own_delegates.push_back(
          {static_cast<local_vertex_t>(own.local(v)), place.delegates.number(v)});
    }
  }
  made.own_delegates.shrink_to_fit();
  made.times.end("delegates");

  collect_normals(member.index(), rows, place, made);
  collect_delegates(member, rows, place, made);
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
