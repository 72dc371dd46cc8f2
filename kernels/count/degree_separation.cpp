// SPDX-License-Identifier: Apache-2.0
// degree-separation: the counter for Figures 5, 7 and 12 and Table I of scalable-bfs.
// For the counts and their cost see kernels/count/degree_separation.hpp; for bytes
// kernels/count/subgraph_memory.hpp; for expectations kernels/count/kronecker_expectation.hpp.
#include "kernels/count/degree_separation.hpp"

#include <fmt/format.h>

#include <cmath>

#include "datasets/build/team.hpp"
#include "kernels/count/counted_graph.hpp"
#include "kernels/count/subgraph_memory.hpp"
#include "kernels/engine.hpp"

namespace bfslab::count {

namespace {

// The tuples' counts are those of the graph itself if nothing was dropped or renamed.
bool may_stream(const GraphName& name) {
  const BuildOptions& build = name.build;
  return build.symmetrize && !build.drop_self_loops && !build.deduplicate &&
         build.relabel == Relabel::none;
}

void report(const Separation& separation, Partition partition, MeasureSink& sink) {
  const double gpus = partition.gpus();
  const auto graph_fact = [&](const char* metric, double value, const char* unit = "1") {
    sink.measure({"graph", metric, value, unit, {}});
  };
  graph_fact("vertices", separation.vertices);
  graph_fact("isolated_vertices", separation.isolated);
  graph_fact("edges", separation.entries);
  graph_fact("self_loops", separation.self_loops);
  graph_fact("gpus", gpus);
  graph_fact("memory_edge_list", edge_list_bytes(separation.entries), "B");
  graph_fact("memory_csr", csr_bytes(separation.vertices, separation.entries), "B");
  for (const AtThreshold& at : separation.at) {
    const std::string part = fmt::format("threshold={}", at.threshold);
    const auto fact = [&](const std::string& metric, double value, const char* unit = "1") {
      sink.measure({part, metric, value, unit, {}});
    };
    const SubgraphMemory memory = subgraph_memory(separation.vertices, at, gpus);
    fact("delegates", at.delegates);
    for (std::size_t k = 0; k < at.entries.size(); ++k) {
      const char* name = to_text(static_cast<distributed::EdgeClass>(k));
      fact(fmt::format("edges_{}", name), at.entries[k]);
      fact(fmt::format("memory_{}_offsets", name), memory.offsets[k], "B");
      fact(fmt::format("memory_{}_columns", name), memory.columns[k], "B");
      fact(fmt::format("offset_width_{}", name), memory.offset_bytes[k], "B");
    }
    fact("memory", memory.total(), "B");
    fact("memory_table_i", memory.table_total, "B");
    if (at.balance_known && partition.gpus() > 1) {
      fact("gpu_edges_min", at.gpu_entries_min);
      fact("gpu_edges_max", at.gpu_entries_max);
    }
  }
}

void count(const GraphSource& source, const Toggles& toggles, MeasureSink& sink) {
  const auto lowest = static_cast<std::uint64_t>(toggles.integer("lowest"));
  const auto highest = static_cast<std::uint64_t>(toggles.integer("highest"));
  if (lowest > highest) {
    throw InputError(fmt::format("degree-separation: lowest={} is above highest={}; swap them",
                                 lowest, highest));
  }
  const double ratio = toggles.choice("step") == "double" ? 2 : std::sqrt(2.0);
  const std::vector<std::uint64_t> thresholds = threshold_ladder(lowest, highest, ratio);
  const Partition partition{static_cast<std::uint32_t>(toggles.integer("ranks")),
                            static_cast<std::uint32_t>(toggles.integer("gpus_per_rank"))};
  const auto threads = static_cast<int>(toggles.integer("threads"));
  if (toggles.choice("method") == "expect") {
    const KroneckerShape shape = kronecker_shape(
        GraphName::parse(source.recipe), static_cast<unsigned>(toggles.integer("at_scale")));
    report(expect_separation(shape, thresholds, partition), partition, sink);
    return;
  }
  const CountedGraph graph = open_counted(source, may_stream, threads);
  report(graph.csr != nullptr ? count_separation(*graph.csr, thresholds, partition, threads)
                              : count_separation(*graph.stream, thresholds, partition, threads),
         partition, sink);
}

Estimate estimate(const GraphFacts& facts, const Toggles& toggles, Answer) {
  if (toggles.choice("method") == "expect") return {.bytes = 1e5, .seconds = 1e-3};
  const auto n = static_cast<double>(facts.vertices);
  const auto m = static_cast<double>(facts.edges);
  const int threads = team(static_cast<int>(toggles.integer("threads")));
  return {.bytes = 5 * n, .seconds = (n * 2e-9 + m * 2e-8) / threads};
}

std::vector<Toggle> toggles() {
  return {
      Toggle::choice(
          "method", "count", {"count", "expect"},
          "count: every edge. expect: the expectation for a kronecker graph's "
          "parameters, without generating one; it includes duplicates and self-loops, whatever "
          "the graph's name says about them"),
      Toggle::integer("at_scale", 0, 0, 60,
                      "expectation for this scale in place of the graph's own; 0: its own", "",
                      {{"method", {std::string("expect")}, "counting takes the graph as it is"}}),
      Toggle::integer("lowest", 1, 1, 1 << 30, "smallest degree threshold TH", "scalable-bfs VI-B"),
      Toggle::integer("highest", 1 << 20, 1, 1 << 30, "largest degree threshold TH",
                      "scalable-bfs VI-B"),
      Toggle::choice("step", "sqrt2", {"sqrt2", "double"}, "ratio of neighbouring thresholds",
                     "scalable-bfs VI-B"),
      Toggle::integer("ranks", 1, 1, 4096, "MPI ranks, p_rank", "scalable-bfs III-B"),
      Toggle::integer("gpus_per_rank", 1, 1, 16, "GPUs per rank, p_gpu", "scalable-bfs III-B"),
      threads_toggle(),
  };
}

const RegisterEngine registration{{
    .name = "degree-separation",
    .paper = "scalable-bfs",
    .section = "III",
    .summary = "Counts edges by class (normal or delegate ends), delegates, bytes of the subgraphs "
               "and the balance over GPUs, against the degree threshold",
    .can = {.directed = false, .recipe = true},
    .toggles = toggles(),
    .estimate = estimate,
    .count = count,
}};

}  // namespace
}  // namespace bfslab::count
