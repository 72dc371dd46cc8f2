#include "datasets/read/csr.hpp"

#include <fmt/format.h>

#include "datasets/cache/csr_file.hpp"

namespace bfslab {

EdgeList read_csr(const std::string& path, int threads) {
  const CsrGraph graph = [&] {
    try {
      return read_csr_file(path, false, threads).graph;
    } catch (const CsrFileError& error) {
      throw InputError(fmt::format("{}: {}", path, error.what()));
    }
  }();
  const bool symmetric = graph.symmetric();
  EdgeList list;
  list.vertex_count = graph.vertex_count();
  list.undirected = symmetric;
  list.labels.assign(graph.labels().begin(), graph.labels().end());
  for (const auto& fact : graph.provenance()) {  // the builder will tell its own part anew
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
