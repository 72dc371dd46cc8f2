#include "datasets/build/build.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "datasets/build/list_source.hpp"

namespace bfslab {

namespace {

struct HeapArrays {
  Buffer<edge_t> row_offsets;
  Buffer<vertex_t> columns;
  Buffer<std::uint32_t> input_edges;
  std::vector<std::uint64_t> labels;
};

CsrGraph finish(std::shared_ptr<HeapArrays> heap, bool symmetric, const BuildOptions& options,
                const std::string& name, Provenance provenance) {
  provenance.emplace_back("build", options.canonical());
  CsrArrays arrays{heap->row_offsets.span(), heap->columns.span(), heap->input_edges.span(),
                   heap->labels, heap};
  CsrGraph graph(arrays, symmetric, {}, {});
  GraphIdentity identity{name + (name.ends_with(':') ? "" : ",") + options.canonical(),
                         content_hash(graph, options.threads)};
  return {arrays, symmetric, std::move(identity), std::move(provenance)};
}

CsrGraph build(const EdgeSource& source, std::vector<std::uint64_t> labels, bool symmetric,
               const BuildOptions& options, const std::string& name, Provenance provenance) {
  const std::size_t n = source.vertex_count();
  std::vector<Edge> edges(source.size());
  source.fill(0, edges);
  auto heap = std::make_shared<HeapArrays>();
  heap->input_edges = Buffer<std::uint32_t>(n);
  for (const Edge& e : edges) ++heap->input_edges[e.from];
  if (symmetric) {
    const std::size_t listed = edges.size();
    for (std::size_t i = 0; i < listed; ++i) {
      if (edges[i].from != edges[i].to) edges.push_back({edges[i].to, edges[i].from});
    }
  }
  if (options.drop_self_loops) std::erase_if(edges, [](Edge e) { return e.from == e.to; });
  std::sort(edges.begin(), edges.end(),
            [](Edge a, Edge b) { return std::pair(a.from, a.to) < std::pair(b.from, b.to); });
  if (options.deduplicate) edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  heap->row_offsets = Buffer<edge_t>(n + 1);
  heap->columns = Buffer<vertex_t>(edges.size());
  for (std::size_t i = 0; i < edges.size(); ++i) {
    ++heap->row_offsets[edges[i].from + std::size_t{1}];
    heap->columns[i] = edges[i].to;
  }
  for (std::size_t v = 0; v < n; ++v) heap->row_offsets[v + 1] += heap->row_offsets[v];
  heap->labels = std::move(labels);
  return finish(std::move(heap), symmetric, options, name, std::move(provenance));
}

}  // namespace

std::string BuildOptions::canonical() const {
  std::string text = symmetrize ? "symmetrize=true" : "symmetrize=false";
  text += drop_self_loops ? ",self_loops=drop" : ",self_loops=keep";
  text += deduplicate ? ",duplicates=drop" : ",duplicates=keep";
  switch (relabel) {
    case Relabel::none:
      return text + ",relabel=none";
    case Relabel::degree:
      return text + ",relabel=degree";
    case Relabel::shuffle:
      break;
  }
  return text + ",relabel=shuffle,relabel_seed=" + std::to_string(relabel_seed);
}

CsrGraph build_csr(EdgeList list, const BuildOptions& options, const std::string& name) {
  const bool symmetric = options.symmetrize || list.undirected;
  const ListSource source(list);
  return build(source, std::move(list.labels), symmetric, options, name,
               std::move(list.provenance));
}

CsrGraph build_csr(const EdgeSource& source, const BuildOptions& options, const std::string& name,
                   Provenance provenance) {
  return build(source, {}, options.symmetrize, options, name, std::move(provenance));
}

std::shared_ptr<const CsrGraph> build_transpose(const CsrGraph& graph, int threads) {
  const std::size_t n = graph.vertex_count();
  auto heap = std::make_shared<HeapArrays>();
  heap->row_offsets = Buffer<edge_t>(n + 1);
  heap->columns = Buffer<vertex_t>(graph.edge_count());
  for (const vertex_t v : graph.columns()) ++heap->row_offsets[v + std::size_t{1}];
  for (std::size_t v = 0; v < n; ++v) heap->row_offsets[v + 1] += heap->row_offsets[v];
  std::vector<edge_t> next(heap->row_offsets.begin(), heap->row_offsets.end());
  for (vertex_t u = 0; u < n; ++u) {  // ascending u, so rows come out ascending
    for (const vertex_t v : graph.neighbors(u)) heap->columns[next[v]++] = u;
  }
  CsrArrays arrays{heap->row_offsets.span(), heap->columns.span(), {}, graph.labels(), heap};
  CsrGraph transpose(arrays, graph.symmetric(), {}, {});
  GraphIdentity identity{graph.identity().name + ",transpose", content_hash(transpose, threads)};
  return std::make_shared<CsrGraph>(arrays, graph.symmetric(), std::move(identity),
                                    graph.provenance());
}

}  // namespace bfslab
