// SPDX-License-Identifier: Apache-2.0
// EdgeShare: a graph as its members hold it before an engine has arranged it. Each member has an
// equal part of the input tuples and none has all of them: those of a generator are functions of
// their position, made again whenever they are needed, and those of a file are scattered once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "datasets/build/edge_source.hpp"
#include "kernels/distributed/communicator/team.hpp"
#include "kernels/distributed/partition/edge_distributor.hpp"
#include "kernels/engine.hpp"
#include "kernels/interface.hpp"

namespace bfslab::distributed {

struct GlobalEdge {
  global_vertex_t from = 0;
  global_vertex_t to = 0;
  friend bool operator==(const GlobalEdge&, const GlobalEdge&) = default;
};

// How a graph comes from its tuples: as BuildOptions, which say the same of a CSR.
struct EdgeRules {
  bool symmetrize = true;  // a tuple is entered in both directions; a self-loop once
  bool drop_self_loops = true;
  bool deduplicate = true;
  bool symmetric = true;  // the graph that comes of it is: by `symmetrize`, or by its tuples
};

// For vertices first, first + 1, ...: the number of input tuples whose first end each was.
struct InputEdges {
  global_vertex_t first = 0;
  std::span<const std::uint32_t> counts;
};

// Tuples that are a generator's own: `first` is the position of the share's first one.
struct GeneratedTuples {
  const EdgeSource* source = nullptr;  // lives as long as the share; null: they are no generator's
  std::uint64_t first = 0;
};

// Entries of a CSR in this process: `first` is the position of the share's first one.
struct CsrEntries {
  const CsrGraph* graph = nullptr;  // lives as long as the share; null: they are no such entries
  std::uint64_t first = 0;
};

class EdgeShare : public Interface {
 public:
  // `size` tuples of `total`, over vertices 0 .. vertices - 1.
  EdgeShare(std::uint64_t vertices, std::uint64_t total, std::uint64_t size, EdgeRules rules)
      : vertices_(vertices), total_(total), size_(size), rules_(rules) {}
  [[nodiscard]] std::uint64_t vertices() const { return vertices_; }  // of the whole graph
  [[nodiscard]] std::uint64_t total() const { return total_; }        // tuples of the whole graph
  [[nodiscard]] std::uint64_t size() const { return size_; }          // this member's
  [[nodiscard]] const EdgeRules& rules() const { return rules_; }
  // Where the tuples are not those of the input but the entries that were made of them: some
  // vertices' input edges, every vertex's on one member.
  [[nodiscard]] virtual std::optional<InputEdges> input_edges() const { return std::nullopt; }
  // Where fill() asks a generator, for those who make its tuples by themselves.
  [[nodiscard]] virtual GeneratedTuples generated() const { return {}; }
  // Where fill() reads a CSR, for those who read it by themselves.
  [[nodiscard]] virtual CsrEntries entries() const { return {}; }
  // Bytes that it holds: nothing where tuples are made when they are asked for.
  [[nodiscard]] virtual std::uint64_t bytes() const { return 0; }

  // This member's tuples first .. first + out.size() - 1, as they come from the input: self-loops
  // and duplicates included, one direction.
  virtual void fill(std::uint64_t first, std::span<GlobalEdge> out) const = 0;
  // Calls visit(span of tuples) for this member's tuples first .. last - 1, in portions that fit a
  // cache.
  void for_each_batch(std::uint64_t first, std::uint64_t last,
                      const std::function<void(std::span<const GlobalEdge>)>& visit) const;

 private:
  std::uint64_t vertices_, total_, size_;
  EdgeRules rules_;
};

// This member's share of the graph. Collective. Where some process has the CSR, that of the lowest
// rank is scattered, entry by entry (with one process it is read where it lies, and must outlive
// the share); where none has, the recipe's generator makes each share. Throws Unsupported, on all
// members alike, for a recipe without a CSR that is no generator's or that asks for new ids
// (relabel=...).
std::unique_ptr<EdgeShare> share_edges(const GraphSource& source, Member& member);

// Returns whether share_edges() can do without a CSR.
bool generated_in_parts(const std::string& recipe);

// Things on their way to the members that they belong to. produce(first, last, send) is called for
// portions of this member's `items` and calls send(member, value) any number of times; take(values,
// from) is called with what the members sent, once for each member and portion. Values are plain.
// Collective.
template <typename Value, typename Produce, typename Take>
void route(Communicator& all, std::uint64_t items, Produce&& produce, Take&& take) {
  constexpr std::uint64_t kPortion = std::uint64_t{1} << 20;  // items between two exchanges
  const std::uint64_t rounds = all.maximum((items + kPortion - 1) / kPortion);
  std::vector<std::vector<Value>> lists(all.size());
  const auto send = [&](unsigned member, const Value& value) { lists[member].push_back(value); };
  for (std::uint64_t round = 0; round < rounds; ++round) {
    for (std::vector<Value>& list : lists) list.clear();
    produce(std::min(items, round * kPortion), std::min(items, (round + 1) * kPortion), send);
    const std::vector<Bytes> received = all.all_to_all(as_lists(lists));
    for (unsigned from = 0; from < received.size(); ++from) {
      take(values_of<Value>(received[from]), from);
    }
    all.barrier();  // before the lists change that others read where they lie
  }
}

// The same for the tuples of a share: each(edge, send).
template <typename Value, typename Each, typename Take>
void route_edges(const EdgeShare& share, Communicator& all, Each&& each, Take&& take) {
  const auto produce = [&](std::uint64_t first, std::uint64_t last, auto& send) {
    share.for_each_batch(first, last, [&](std::span<const GlobalEdge> batch) {
      for (const GlobalEdge& edge : batch) each(edge, send);
    });
  };
  route<Value>(all, share.size(), produce, take);
}

// Every directed entry that comes of a tuple, by the share's rules but for duplicates: visit(from,
// to).
template <typename Visit>
void for_each_entry(const GlobalEdge& edge, const EdgeRules& rules, Visit&& visit) {
  if (edge.from == edge.to && rules.drop_self_loops) return;
  visit(edge.from, edge.to);
  if (rules.symmetrize && edge.from != edge.to) visit(edge.to, edge.from);
}

}  // namespace bfslab::distributed
