#include "harness/spec/estimate.hpp"

#include <algorithm>

namespace bfslab {

namespace {

GraphCost cost_of(const Spec& spec, const GraphEntry& graph, const GraphSize& size,
                  double traversals) {
  GraphCost cost;
  cost.known = size.vertices != 0 || size.edges != 0;
  if (!cost.known) return cost;
  cost.facts = {size.vertices, size.edges, graph.name.build.symmetrize};
  const auto n = static_cast<double>(size.vertices);
  const auto m = static_cast<double>(size.edges);
  bool transpose = false;
  for (const Configuration& configuration : spec.configurations) {
    transpose = transpose || (!cost.facts.symmetric && configuration.engine->can.needs_transpose);
    if (!configuration.engine->estimate) continue;
    GraphFacts facts = cost.facts;
    facts.members = configuration.ranks * configuration.gpus_per_rank;
    const Estimate estimate =
        configuration.engine->estimate(facts, configuration.toggles, spec.answer);
    cost.seconds += estimate.seconds * (configuration.engine->counts() ? 1 : traversals);
    double& bytes = configuration.engine->can.gpu ? cost.gpu_bytes : cost.engine_bytes;
    bytes = spec.isolate ? std::max(bytes, estimate.bytes) : bytes + estimate.bytes;
  }
  if (!spec.needs_csr(graph)) return cost;
  const double csr = (n + 1) * sizeof(edge_t) + m * sizeof(vertex_t);
  cost.graph_bytes = csr * (transpose ? 2 : 1) + n * sizeof(std::uint32_t);  // input edges
  return cost;
}

}  // namespace

SpecCost estimate_cost(const Spec& spec, const std::vector<GraphSize>& sizes) {
  SpecCost cost;
  const std::uint64_t sources =
      spec.sources.listed.empty() ? spec.sources.count : spec.sources.listed.size();
  const auto counters = static_cast<std::uint64_t>(std::ranges::count_if(
      spec.configurations, [](const Configuration& each) { return each.engine->counts(); }));
  cost.counts = spec.graphs.size() * counters;
  const std::uint64_t pairs =
      spec.graphs.size() * (spec.configurations.size() - counters) * sources;
  if (spec.record_time) {
    cost.timed_trials_min = pairs * spec.repeats.minimum;
    cost.timed_trials_max = pairs * spec.repeats.maximum;
  }
  if (spec.record_levels) cost.instrumented_trials = pairs;
  const double traversals =
      static_cast<double>(sources) *
          ((spec.record_time ? spec.repeats.maximum : 0) + (spec.record_levels ? 1 : 0)) +
      spec.repeats.warmup;
  for (std::size_t i = 0; i < spec.graphs.size(); ++i) {
    cost.graphs.push_back(cost_of(spec, spec.graphs[i], sizes.at(i), traversals));
  }
  return cost;
}

}  // namespace bfslab
