// SPDX-License-Identifier: Apache-2.0
// Readers on text in memory, for the tests of every format.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "datasets/graph/edge_list.hpp"
#include "datasets/read/memory_stream.hpp"
#include "datasets/read/reader.hpp"

namespace bfslab::tests {

inline const GraphFormat& format_called(const std::string& name) {
  for (const GraphFormat& format : graph_formats()) {
    if (format.name == name) return format;
  }
  throw std::runtime_error("no format " + name);
}

inline EdgeList parse_as(const std::string& format, const std::string& text, int threads = 2) {
  MemoryStream stream(text);
  return format_called(format).parse(stream, "FILE", threads);
}

// The message of the refusal; "" if the text is accepted.
inline std::string refusal_of(const std::string& format, const std::string& text, int threads = 2) {
  try {
    parse_as(format, text, threads);
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

inline std::vector<Edge> edges_in(const EdgeList& list) {
  return {list.edges.begin(), list.edges.end()};
}

// A graph of many blocks: edges u -> v, u < v, that come in the order of u; 0-based.
inline std::vector<Edge> many_edges(vertex_t vertices, std::size_t edges_a_vertex) {
  std::vector<Edge> edges;
  for (vertex_t u = 0; u + 1 < vertices; ++u) {
    for (std::size_t k = 1; k <= edges_a_vertex; ++k) {
      const auto v = static_cast<vertex_t>(u + std::uint64_t{k} * k * 37 % (vertices - u - 1) + 1);
      if (edges.empty() || edges.back() != Edge{u, v}) edges.push_back({u, v});
    }
  }
  return edges;
}

}  // namespace bfslab::tests
