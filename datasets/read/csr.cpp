// SPDX-License-Identifier: Apache-2.0
#include "datasets/read/csr.hpp"

#include <fmt/format.h>

#include "datasets/cache/csr_file.hpp"

namespace bfslab {

namespace {

// Checksums detect damage, but not mistakes of another program: arrays that are not a CSR would be
// read out of bounds, or lose edges.
void check_arrays(const CsrGraph& graph, const std::string& path) {
  const auto refuse = [&](const std::string& what) {
    throw InputError(fmt::format("{}: is not a CSR: {}; write it again", path, what));
  };
  const auto offsets = graph.row_offsets();
  if (offsets.front() != 0 || offsets.back() != graph.edge_count()) {
    refuse(fmt::format("its offsets run from {} to {}, of {} entries", offsets.front(),
                       offsets.back(), graph.edge_count()));
  }
  for (vertex_t u = 0; u < graph.vertex_count(); ++u) {
    if (offsets[u] > offsets[u + std::size_t{1}]) {
      refuse(fmt::format("the offsets of vertex {} descend", u));
    }
  }
  edge_t up = 0;
  edge_t down = 0;
  for (vertex_t u = 0; u < graph.vertex_count(); ++u) {
    for (const vertex_t v : graph.neighbors(u)) {
      if (v >= graph.vertex_count()) {
        refuse(fmt::format("vertex {} has the neighbour {}, of {} vertices", u, v,
                           graph.vertex_count()));
      }
      up += u < v ? 1 : 0;
      down += v < u ? 1 : 0;
    }
  }
  if (graph.symmetric() && up != down) {
    refuse(fmt::format("marked as symmetric, with {} entries up and {} down", up, down));
  }
}

}  // namespace

EdgeList read_csr(const std::string& path, int threads) {
  const CsrGraph graph = [&] {
    try {
      return read_csr_file(path, false, threads).graph;
    } catch (const CsrFileError& error) {
      throw InputError(fmt::format("{}: {}", path, error.what()));
    }
  }();
  check_arrays(graph, path);
  const bool symmetric = graph.symmetric();
  EdgeList list;
  list.vertex_count = graph.vertex_count();
  list.undirected = symmetric;
  list.labels.assign(graph.labels().begin(), graph.labels().end());
  if (list.labels.empty()) list.first_label = graph.first_label();
  for (const auto& fact : graph.provenance()) {  // the builder will add its own part again
    if (fact.first == "file" || fact.first == "format" || fact.first == "warning") {
      list.provenance.push_back(fact);
    }
  }
  list.provenance.emplace_back("converted_from", graph.identity().name);
  edge_t listed = 0;
  for (vertex_t u = 0; u < graph.vertex_count(); ++u) {
    for (const vertex_t v : graph.neighbors(u)) listed += !symmetric || u <= v ? 1 : 0;
  }
  list.edges = Buffer<Edge>(listed);
  Edge* out = list.edges.data();
  for (vertex_t u = 0; u < graph.vertex_count(); ++u) {
    for (const vertex_t v : graph.neighbors(u)) {
      if (!symmetric || u <= v) *out++ = {u, v};
    }
  }
  return list;
}

}  // namespace bfslab
