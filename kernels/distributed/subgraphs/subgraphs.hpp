// SPDX-License-Identifier: Apache-2.0
// The four subgraphs of a member after degree separation (scalable-bfs, section III): edges from
// normal vertices or delegates to either, nn, nd, dn and dd, each a CSR of local ids.
//
// Rows of nn and nd are the vertices that the member owns (a delegate's is empty), rows of dn and
// dd are all delegates, which are numbered alike on all members: by id, or by degree, so that rows
// of nd and dd begin with their likeliest parents and the bits of hubs share a few lines of the
// cache. Columns are 4 bytes: a local
// vertex of this member in dn, a delegate in nd and dd. Only nn leads to other members: its columns
// are global ids of 8 bytes, as in Table I. Offsets are 4 bytes, and 8 where a subgraph has 2^32
// entries or more, in which Table I's would overflow (docs/errata.md).
// kernels/count/subgraph_memory.hpp has the formula that these sizes obey.
//
// How it is made: each member makes its part of the tuples and sends every directed entry to the
// owner of its tail, which sorts its rows and drops duplicates where the graph's rules say so;
// out-degrees are then known, and delegates are those above the threshold. Entries of delegates are
// sent on to where the edge distributor puts them. No member holds the edge list.
//
// Cost: the tuples are made twice (counted, then placed) and sent three times at most, 16 bytes
// each; at the peak 8 bytes an entry beyond the subgraphs, and 12 bits a vertex of the whole graph.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

#include "datasets/graph/buffer.hpp"
#include "kernels/distributed/edges/edge_share.hpp"
#include "kernels/distributed/ownership.hpp"
#include "kernels/distributed/partition/edge_distributor.hpp"
#include "kernels/distributed/subgraphs/graded_bins.hpp"

namespace bfslab::distributed {

// Row offsets of 4 bytes where they fit, else of 8.
class Offsets {
 public:
  Offsets() = default;
  explicit Offsets(std::span<const std::uint32_t> row_sizes);

  [[nodiscard]] std::uint64_t operator[](std::size_t row) const {
    return wide_.empty() ? narrow_[row] : wide_[row];
  }
  [[nodiscard]] std::uint64_t entries() const { return entries_; }
  [[nodiscard]] const std::uint32_t* narrow() const {
    return wide_.empty() ? narrow_.data() : nullptr;
  }
  [[nodiscard]] const std::uint64_t* wide() const { return wide_.data(); }
  [[nodiscard]] unsigned width() const { return wide_.empty() ? 4 : 8; }
  [[nodiscard]] std::uint64_t bytes() const {
    return narrow_.size() * sizeof(std::uint32_t) + wide_.size() * sizeof(std::uint64_t);
  }

 private:
  std::uint64_t entries_ = 0;
  std::vector<std::uint32_t> narrow_;
  std::vector<std::uint64_t> wide_;
};

template <typename Column>
struct Subgraph {
  Offsets offsets;  // [rows + 1]
  std::vector<Column> columns;

  [[nodiscard]] std::uint64_t degree(std::size_t row) const {
    return offsets[row + 1] - offsets[row];
  }
  [[nodiscard]] std::span<const Column> row(std::size_t row) const {
    return std::span(columns).subspan(offsets[row], degree(row));
  }
};

// The same by its addresses alone: a copy of it in a loop's own function stays in registers.
template <typename Column>
struct Rows {
  const std::uint32_t* narrow;
  const std::uint64_t* wide;
  const Column* columns;

  explicit Rows(const Subgraph<Column>& graph)
      : narrow(graph.offsets.narrow()), wide(graph.offsets.wide()), columns(graph.columns.data()) {}
  [[nodiscard]] std::uint64_t degree(std::size_t row) const {
    return narrow != nullptr ? narrow[row + 1] - narrow[row] : wide[row + 1] - wide[row];
  }
  [[nodiscard]] std::span<const Column> operator[](std::size_t row) const {
    return {columns + (narrow != nullptr ? narrow[row] : wide[row]), degree(row)};
  }
};

struct StoredSubgraph {
  std::uint64_t edges = 0;
  std::uint64_t offset_bytes = 0;
  std::uint64_t column_bytes = 0;
  unsigned offset_width = 4;  // bytes of one
};

// How delegates are numbered: by id, as in the paper's Figure 2, or by descending degree class and
// then by id. Within a class of degrees that differ by less than a quarter, ids ascend, so that
// what is read by number for one id after the other is read nearly in order.
enum class DelegateOrder : std::uint8_t { id, degree };
constexpr std::uint32_t degree_class(std::uint64_t degree) { return GradedBins{2}.bin(degree); }

// How long each step of a member's set-up took, by the host's clock.
class SetupTimes {
 public:
  struct Step {
    const char* name;
    double ms;
  };

  // The step that began where the one before ended, or with this clock.
  void end(const char* name) {
    const auto now = Clock::now();
    steps_.push_back({name, std::chrono::duration<double, std::milli>(now - since_).count()});
    since_ = now;
  }
  [[nodiscard]] const std::vector<Step>& steps() const { return steps_; }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point since_ = Clock::now();
  std::vector<Step> steps_;
};

// The facts about the separated graph that a member has, wherever its subgraphs lie.
struct Separation {
  static constexpr local_vertex_t kNoDelegate = ~local_vertex_t{0};

  std::uint64_t vertices = 0;  // of the whole graph
  bool symmetric = true;       // the whole graph is
  std::uint64_t threshold = 0;
  local_vertex_t owned = 0;                // vertices of this member, delegates among them
  std::vector<global_vertex_t> delegates;  // [d] by number, on every member
  std::vector<local_vertex_t> by_id;       // [d] numbers by ascending id; empty: these ascend
  // This member's own vertices that are delegates, ascending, and their numbers among the
  // delegates.
  struct OwnDelegate {
    local_vertex_t vertex;
    local_vertex_t delegate;
  };
  std::vector<OwnDelegate> own_delegates;
  PerEdgeClass<StoredSubgraph> stored;
  SetupTimes times;

  [[nodiscard]] local_vertex_t delegate_count() const {
    return static_cast<local_vertex_t>(delegates.size());
  }
  // The number of a vertex that is a delegate; kNoDelegate of others.
  [[nodiscard]] local_vertex_t number_of(global_vertex_t v) const;
  // Returns the bytes of the four subgraphs: Table I's sum for one GPU.
  [[nodiscard]] std::uint64_t stored_bytes() const {
    std::uint64_t sum = 0;
    for (const StoredSubgraph& each : stored.each) sum += each.offset_bytes + each.column_bytes;
    return sum;
  }
};

struct Subgraphs : Separation {
  Subgraph<global_vertex_t> nn;
  Subgraph<local_vertex_t> nd, dn, dd;
};

// Returns the owners of the vertices. Throws Unsupported where a member would own 2^32.
Ownership vertex_owners(const EdgeShare& share, unsigned members);
// Throws Unsupported where there are as many delegates as 32 bits can tell apart.
void require_numbers_for(std::uint64_t delegates, std::uint64_t threshold);

// Vertices with more than `threshold` out-neighbours become delegates. Collective. Throws
// Unsupported on all members alike where a member would own 2^32 vertices or there would be as many
// delegates.
Subgraphs make_subgraphs(Member& member, const EdgeShare& share, std::uint64_t threshold,
                         DelegateOrder order);

}  // namespace bfslab::distributed
