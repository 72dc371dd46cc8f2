// SPDX-License-Identifier: Apache-2.0
#include "kernels/count/counted_graph.hpp"

#include "datasets/generate/generator.hpp"
#include "datasets/load_graph.hpp"

namespace bfslab::count {

CountedGraph open_counted(const GraphSource& source, bool (*may_stream)(const GraphName&),
                          int threads) {
  CountedGraph graph;
  if (source.csr != nullptr) {
    graph.csr = source.csr;
    return graph;
  }
  const GraphName name = GraphName::parse(source.recipe);
  const Generator* generator = find_generator(name.kind);
  if (generator != nullptr && may_stream(name)) {
    graph.stream = generator->make(name);
    return graph;
  }
  LoadOptions options = source.load != nullptr ? *source.load : LoadOptions{};
  options.threads = threads;
  graph.loaded = std::make_unique<CsrGraph>(load_graph(name, options));
  graph.csr = graph.loaded.get();
  return graph;
}

}  // namespace bfslab::count
