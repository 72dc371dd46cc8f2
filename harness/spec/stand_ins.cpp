// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/stand_ins.hpp"

#include <algorithm>

#include "datasets/catalog/catalog.hpp"
#include "datasets/name/locate.hpp"
#include "datasets/name/named_kinds.hpp"

namespace bfslab {

std::vector<std::string> use_stand_ins(Spec& spec, const std::vector<std::string>& folders) {
  std::vector<std::string> notices;
  if (!spec.allow_stand_ins) return notices;
  for (GraphEntry& graph : spec.graphs) {
    if (!graph.stand_in_for.empty() || find_named_kind(graph.name.kind) == nullptr) continue;
    const CatalogEntry* entry = catalog().find_graph(graph.name.kind + ':' + graph.name.path);
    if (entry == nullptr || entry->stand_in.empty()) continue;
    if (locate_file(graph.name, folders)) continue;
    const std::size_t options = std::min(graph.text.find(','), graph.text.size());
    const std::string text = entry->name + std::string(kStandInEnding) + graph.text.substr(options);
    GraphEntry replaced = graph;
    replaced.text = text;
    replaced.name = GraphName::parse(text);
    replaced.stand_in_for = entry->name;
    const bool listed = std::any_of(spec.graphs.begin(), spec.graphs.end(), [&](const auto& other) {
      return other.name.canonical == replaced.name.canonical;
    });
    if (listed) {
      throw InputError(spec.file + ": there is no file of " + graph.text +
                       ", and its stand-in is in the list already; take one of them out");
    }
    notices.push_back(spec.name + ": no file of " + graph.text + " here; " + text +
                      " stands in for it");
    graph = std::move(replaced);
  }
  return notices;
}

}  // namespace bfslab
