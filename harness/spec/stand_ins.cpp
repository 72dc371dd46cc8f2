// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/stand_ins.hpp"

#include <algorithm>
#include <utility>

#include "datasets/catalog/catalog.hpp"
#include "datasets/name/locate.hpp"
#include "datasets/name/named_kinds.hpp"

namespace bfslab {

namespace {

// How many seeds of a stand-in are searched, so that an interval covers their choice.
constexpr int kSeeds = 3;
constexpr std::uint64_t kMostEdgesForSeeds = 20'000'000;

// Returns the graph that replaces `graph`, made with this seed.
GraphEntry stand_in_of(const GraphEntry& graph, const CatalogEntry& entry, int seed) {
  GraphEntry replaced = graph;
  replaced.text = entry.name + std::string(kStandInEnding);
  if (seed > 1) replaced.text += ",seed=" + std::to_string(seed);
  replaced.text += graph.text.substr(std::min(graph.text.find(','), graph.text.size()));
  replaced.name = GraphName::parse(replaced.text);
  replaced.stand_in_for = entry.name;
  return replaced;
}

}  // namespace

std::vector<std::string> use_stand_ins(Spec& spec, const std::vector<std::string>& folders) {
  std::vector<std::string> notices;
  if (!spec.allow_stand_ins) return notices;
  const std::vector<GraphEntry> listed = std::exchange(spec.graphs, {});
  for (const GraphEntry& graph : listed) {
    const bool named = graph.stand_in_for.empty() && find_named_kind(graph.name.kind) != nullptr;
    const CatalogEntry* entry =
        named ? catalog().find_graph(graph.name.kind + ':' + graph.name.path) : nullptr;
    if (entry == nullptr || entry->stand_in.empty() || locate_file(graph.name, folders)) {
      spec.graphs.push_back(graph);
      continue;
    }
    const int seeds = entry->edges <= kMostEdgesForSeeds ? kSeeds : 1;
    for (int seed = 1; seed <= seeds; ++seed) {
      GraphEntry replaced = stand_in_of(graph, *entry, seed);
      const bool twice = std::any_of(listed.begin(), listed.end(), [&](const auto& other) {
        return other.name.canonical == replaced.name.canonical;
      });
      if (twice) {
        throw InputError(spec.file + ": there is no file of " + graph.text +
                         ", and its stand-in is in the list already; take one of them out");
      }
      spec.graphs.push_back(std::move(replaced));
    }
    notices.push_back(spec.name + ": no file of " + graph.text + " here; " +
                      stand_in_of(graph, *entry, 1).text + " stands in for it" +
                      (seeds > 1 ? ", with seeds 1 to " + std::to_string(seeds) : ""));
  }
  return notices;
}

}  // namespace bfslab
