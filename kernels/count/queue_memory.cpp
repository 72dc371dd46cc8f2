// SPDX-License-Identifier: Apache-2.0
// queue-memory: the counter for Figure 1 and Table II of DFQ. kernels/count/queue_memory.hpp gives
// the designs and their bytes.
#include "kernels/count/queue_memory.hpp"

#include <bit>
#include <optional>

#include "datasets/build/team.hpp"
#include "datasets/graph/buffer.hpp"
#include "kernels/bitmap.hpp"
#include "kernels/count/counted_graph.hpp"
#include "kernels/count/kronecker_expectation.hpp"
#include "kernels/engine.hpp"

namespace bfslab::count {

namespace {

std::uint64_t count_bits(const Buffer<word_t>& bits) {
  std::uint64_t sum = 0;
  for (const word_t word : bits) sum += static_cast<unsigned>(std::popcount(word));
  return sum;
}

}  // namespace

std::uint64_t count_connected(const CsrGraph& graph, int threads) {
  const int team_size = team(threads);
  const vertex_t n = graph.vertex_count();
  std::uint64_t connected = 0;
  if (graph.symmetric()) {
#pragma omp parallel for num_threads(team_size) schedule(static) reduction(+ : connected)
    for (vertex_t v = 0; v < n; ++v) connected += graph.degree(v) > 0 ? 1 : 0;
    return connected;
  }
  Buffer<word_t> seen(word_count(n));  // zero as mapped
#pragma omp parallel for num_threads(team_size) schedule(dynamic, 4096)
  for (vertex_t u = 0; u < n; ++u) {
    for (const vertex_t v : graph.neighbors(u)) claim_shared(seen.data(), v);
    if (graph.degree(u) > 0) claim_shared(seen.data(), u);
  }
  return count_bits(seen);
}

std::uint64_t count_connected(const EdgeSource& stream, bool self_loops, int threads) {
  Buffer<word_t> seen(word_count(stream.vertex_count()));
  for_each_batch(stream, team(threads), [&](std::size_t, std::span<const Edge> tuples) {
    for (const Edge& edge : tuples) {
      __builtin_prefetch(seen.data() + edge.from / kWordBits);
      __builtin_prefetch(seen.data() + edge.to / kWordBits);
    }
    for (const Edge& edge : tuples) {
      if (edge.from == edge.to && !self_loops) continue;
      claim_shared(seen.data(), edge.from);
      claim_shared(seen.data(), edge.to);
    }
  });
  return count_bits(seen);
}

namespace {

bool may_stream(const GraphName&) { return true; }  // names and duplicates change no count

void count(const GraphSource& source, const Toggles& toggles, MeasureSink& sink) {
  const auto threads = static_cast<int>(toggles.integer("threads"));
  double vertices = 0;
  double connected = 0;
  std::optional<double> edges;  // directed entries; unknown for a stream, which may have duplicates
  if (toggles.choice("method") == "expect") {
    const KroneckerExpectation expected(kronecker_shape(
        GraphName::parse(source.recipe), static_cast<unsigned>(toggles.integer("at_scale"))));
    vertices = expected.vertices();
    connected = vertices - expected.isolated();
  } else {
    const CountedGraph graph = open_counted(source, may_stream, threads);
    if (graph.csr != nullptr) {
      vertices = graph.csr->vertex_count();
      edges = static_cast<double>(graph.csr->edge_count());
      connected = static_cast<double>(count_connected(*graph.csr, threads));
    } else {
      const bool self_loops = !GraphName::parse(source.recipe).build.drop_self_loops;
      vertices = graph.stream->vertex_count();
      connected = static_cast<double>(count_connected(*graph.stream, self_loops, threads));
    }
  }
  const QueueDesign design{.sub_queues = static_cast<double>(toggles.integer("ctas")),
                           .capacity = static_cast<double>(toggles.integer("capacity")),
                           .hierarchy = static_cast<double>(toggles.integer("hierarchy"))};
  const bool all = toggles.choice("vertices") == "all";
  const QueueBytes bytes = queue_bytes(all ? vertices : connected, design);
  sink.measure({"graph", "vertices", vertices, "1", {}});
  if (edges) sink.measure({"graph", "edges", *edges, "1", {}});
  sink.measure({"graph", "non_isolated_vertices", connected, "1", {}});
  sink.measure({"central", "queue_bytes", bytes.central, "B", {}});
  sink.measure({"naive", "queue_bytes", bytes.naive, "B", {}});
  sink.measure({"hierarchical", "queue_bytes", bytes.hierarchical, "B", {}});
  sink.measure({"decentralized", "queue_bytes", bytes.decentralized, "B", {}});
}

Estimate estimate(const GraphFacts& facts, const Toggles& toggles, Answer) {
  if (toggles.choice("method") == "expect") return {.bytes = 1e5, .seconds = 1e-3};
  const int threads = team(static_cast<int>(toggles.integer("threads")));
  return {.bytes = static_cast<double>(facts.vertices) / 8,
          .seconds = static_cast<double>(facts.edges) * 5e-9 / threads};
}

std::vector<Toggle> toggles() {
  return {
      Toggle::choice("method", "count", {"count", "expect"},
                     "count: the graph's vertices. expect: the expectation for a kronecker graph's "
                     "parameters, self-loops being edges, without generating one"),
      Toggle::integer("at_scale", 0, 0, 60,
                      "expectation for this scale in place of the graph's own; 0: its own", "",
                      {{"method", {std::string("expect")}, "counting takes the graph as it is"}}),
      Toggle::integer("ctas", 82, 1, 65536, "sub-queues |SQ|, one per CTA", "dfq V-A"),
      Toggle::integer("capacity", 2048, 1, 1 << 24, "entries c of a decentralized sub-queue",
                      "dfq V-E"),
      Toggle::integer("hierarchy", 3, 1, 16,
                      "levels |H| of the hierarchical queue: warp, block, "
                      "grid",
                      "dfq III-B"),
      Toggle::choice("vertices", "non_isolated", {"non_isolated", "all"},
                     "for which vertices a whole queue has space", "dfq V-D"),
      threads_toggle(),
  };
}

const RegisterEngine registration{{
    .name = "queue-memory",
    .paper = "dfq",
    .section = "V-D",
    .summary = "Counts the bytes of frontier queues by design: central, naive sub-queues, "
               "hierarchical, decentralized",
    .can = {.directed = true, .recipe = true},
    .toggles = toggles(),
    .estimate = estimate,
    .count = count,
}};

}  // namespace
}  // namespace bfslab::count
