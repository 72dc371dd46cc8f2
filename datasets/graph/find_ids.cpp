// SPDX-License-Identifier: Apache-2.0
#include "datasets/graph/find_ids.hpp"

#include <unordered_map>

namespace bfslab {

std::vector<IdMatch> find_ids(const CsrGraph& graph, std::span<const std::uint64_t> ids) {
  std::vector<IdMatch> matches(ids.size());
  const auto labels = graph.labels();
  if (labels.empty()) {  // in order, without gaps
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (ids[i] < graph.first_label()) continue;
      const std::uint64_t vertex = ids[i] - graph.first_label();
      if (vertex < graph.vertex_count()) matches[i].vertex = static_cast<vertex_t>(vertex);
    }
    return matches;
  }
  std::unordered_map<std::uint64_t, IdMatch> wanted;
  for (const std::uint64_t id : ids) wanted.try_emplace(id);
  for (vertex_t v = 0; v < graph.vertex_count(); ++v) {
    const auto match = wanted.find(labels[v]);
    if (match == wanted.end()) continue;
    if (match->second.vertex == kNoVertex) {
      match->second.vertex = v;
    } else if (match->second.other == kNoVertex) {
      match->second.other = v;
    }
  }
  for (std::size_t i = 0; i < ids.size(); ++i) matches[i] = wanted.at(ids[i]);
  return matches;
}

}  // namespace bfslab
