// SPDX-License-Identifier: Apache-2.0
// The obvious way to make a CSR, to compare the fast one with.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "datasets/build/build.hpp"
#include "datasets/generate/generator.hpp"
#include "datasets/load_graph.hpp"

namespace bfslab::tests {

struct NaiveCsr {
  std::vector<std::vector<vertex_t>> rows;
  std::vector<std::uint32_t> input_edges;
};

inline NaiveCsr naive_csr(vertex_t n, const std::vector<Edge>& edges, bool symmetric,
                          bool drop_self_loops = true, bool deduplicate = true) {
  NaiveCsr csr{std::vector<std::vector<vertex_t>>(n), std::vector<std::uint32_t>(n)};
  for (const Edge edge : edges) {
    ++csr.input_edges[edge.from];
    if (edge.from == edge.to) {
      if (!drop_self_loops) csr.rows[edge.from].push_back(edge.to);
      continue;
    }
    csr.rows[edge.from].push_back(edge.to);
    if (symmetric) csr.rows[edge.to].push_back(edge.from);
  }
  for (auto& row : csr.rows) {
    std::sort(row.begin(), row.end());
    if (deduplicate) row.erase(std::unique(row.begin(), row.end()), row.end());
  }
  return csr;
}

inline NaiveCsr as_naive(const CsrGraph& graph) {
  NaiveCsr csr{std::vector<std::vector<vertex_t>>(graph.vertex_count()),
               {graph.input_edges().begin(), graph.input_edges().end()}};
  for (vertex_t v = 0; v < graph.vertex_count(); ++v) {
    csr.rows[v].assign(graph.neighbors(v).begin(), graph.neighbors(v).end());
  }
  return csr;
}

inline EdgeList edge_list(vertex_t n, const std::vector<Edge>& edges, bool undirected = false) {
  EdgeList list;
  list.vertex_count = n;
  list.undirected = undirected;
  list.edges = Buffer<Edge>(edges.size());
  std::copy(edges.begin(), edges.end(), list.edges.begin());
  return list;
}

// The tuples of a generator's name, in order.
inline std::vector<Edge> tuples(const std::string& text) {
  const GraphName name = GraphName::parse(text);
  const auto source = find_generator(name.kind)->make(name);
  std::vector<Edge> edges(source->size());
  source->fill(0, edges);
  return edges;
}

inline CsrGraph load(const std::string& text, int threads = 0) {
  LoadOptions options;
  options.threads = threads;
  return load_graph(GraphName::parse(text), options);
}

// Returns the message of an InputError, or "no error".
template <typename Action>
std::string input_error(Action&& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

inline std::string fact(const Provenance& provenance, const std::string& key) {
  for (const auto& [name, value] : provenance) {
    if (name == key) return value;
  }
  return "";
}

}  // namespace bfslab::tests
