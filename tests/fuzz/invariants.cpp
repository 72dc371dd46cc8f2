// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/invariants.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "tests/fuzz/target.hpp"

namespace bfslab::fuzz {

void check_printable(std::string_view text, std::string_view what) {
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    require(byte >= 0x20 || c == '\n', fmt::format("{} holds the byte {:#04x}", what, byte));
  }
}

void check_list(const EdgeList& list, std::size_t most_edges, bool ascend) {
  require(list.edges.size() <= most_edges,
          fmt::format("{} edges, {} at most are in the file", list.edges.size(), most_edges));
  for (std::size_t e = 0; e < list.edges.size(); ++e) {
    const Edge edge = list.edges[e];
    require(edge.from < list.vertex_count && edge.to < list.vertex_count,
            fmt::format("edge {} is ({}, {}) among {} vertices", e, edge.from, edge.to,
                        list.vertex_count));
  }
  require(list.labels.empty() || list.labels.size() == list.vertex_count,
          fmt::format("{} labels for {} vertices", list.labels.size(), list.vertex_count));
  require(list.labels.empty() || list.first_label == 0, "labels, and a first one besides");
  require(!ascend || std::adjacent_find(list.labels.begin(), list.labels.end(),
                                        std::greater_equal<>()) == list.labels.end(),
          "labels do not ascend");
  for (const auto& fact : list.provenance) require(!fact.first.empty(), "a fact without a name");
}

void check_graph(const CsrGraph& graph, bool simple) {
  const auto offsets = graph.row_offsets();
  const auto n = graph.vertex_count();
  require(offsets.size() == n + std::size_t{1}, "one offset a vertex and one more");
  require(offsets.front() == 0 && offsets.back() == graph.edge_count(), "the ends of the offsets");
  require(std::is_sorted(offsets.begin(), offsets.end()), "offsets descend");
  std::uint64_t tuples = 0;
  for (const std::uint32_t count : graph.input_edges()) tuples += count;
  require(tuples == graph.input_edge_count(), "input edges do not add up");
  for (vertex_t u = 0; u < n; ++u) {
    const auto row = graph.neighbors(u);
    require(std::is_sorted(row.begin(), row.end()), fmt::format("row {} descends", u));
    require(row.empty() || row.back() < n, fmt::format("row {} names a vertex beyond {}", u, n));
    if (simple) {
      require(std::adjacent_find(row.begin(), row.end()) == row.end(),
              fmt::format("row {} holds a duplicate", u));
      require(!std::binary_search(row.begin(), row.end(), u),
              fmt::format("row {} holds a self-loop", u));
    }
    if (!graph.symmetric()) continue;
    for (const vertex_t v : row) {
      const auto back = graph.neighbors(v);
      require(std::binary_search(back.begin(), back.end(), u),
              fmt::format("{} -> {} has no edge back", u, v));
    }
  }
}

bool small_enough(const EdgeList& list) { return list.vertex_count <= (1U << 18); }

}  // namespace bfslab::fuzz
