// SPDX-License-Identifier: Apache-2.0
// The input of a counter: a CSR, or a generator's tuples, which are never stored.
#pragma once

#include <omp.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <span>

#include "datasets/build/edge_source.hpp"
#include "datasets/generate/generator.hpp"
#include "datasets/graph/csr_graph.hpp"
#include "datasets/load_graph.hpp"
#include "datasets/name/graph_name.hpp"
#include "kernels/engine.hpp"

namespace bfslab::count {

struct CountedGraph {
  const CsrGraph* csr = nullptr;       // either this one ...
  std::unique_ptr<EdgeSource> stream;  // ... or this one is set
  std::unique_ptr<CsrGraph> loaded;    // what `csr` points to if none was passed
};

// Returns the CSR that the driver passed. Without one, returns the recipe's generator if
// `may_stream` confirms that its tuples give the same counts as the graph that the recipe names;
// otherwise loads the graph as the recipe says. Throws InputError for a missing or malformed file.
inline CountedGraph open_counted(const GraphSource& source, bool (*may_stream)(const GraphName&),
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

// Calls visit(thread, tuples) for all of the stream, in parallel and in no particular order. A
// batch is small enough to stay in the L1 cache while a visitor passes over it twice, first to
// prefetch the data that it will touch.
template <typename Visit>
void for_each_batch(const EdgeSource& stream, int threads, const Visit& visit) {
  constexpr std::size_t kBatch = 512;         // tuples: 4 KiB
  constexpr edge_t kPiece = edge_t{1} << 16;  // a thread's share at a time: about a millisecond
  const edge_t pieces = (stream.size() + kPiece - 1) / kPiece;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
  for (edge_t piece = 0; piece < pieces; ++piece) {
    std::array<Edge, kBatch> batch;
    const edge_t end = std::min(stream.size(), (piece + 1) * kPiece);
    for (edge_t first = piece * kPiece; first < end; first += kBatch) {
      const std::span<Edge> tuples(batch.data(), std::min<edge_t>(kBatch, end - first));
      stream.fill(first, tuples);
      visit(static_cast<std::size_t>(omp_get_thread_num()), std::span<const Edge>(tuples));
    }
  }
}

inline Toggle threads_toggle() {
  return Toggle::integer("threads", 0, 0, 4096,
                         "OpenMP threads; 0 uses every processor; no effect on the counts");
}

}  // namespace bfslab::count
