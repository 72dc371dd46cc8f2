// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/spec_needs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "datasets/cache/cache.hpp"
#include "datasets/cache/csr_file.hpp"
#include "datasets/name/locate.hpp"
#include "harness/cli/fetch_missing.hpp"
#include "harness/run/launcher.hpp"
#include "harness/run/sources.hpp"
#include "harness/spec/runnable.hpp"
#include "kernels/distributed/communicator/processes.hpp"

namespace bfslab {

namespace {

// Returns the size of a graph. A generator's name implies it, and a built graph's file has it. For
// a file that is not built yet, or not here, the catalogue may have the published size.
void find_state(const GraphEntry& graph, const Places& places, SpecNeeds& needs) {
  GraphState& state = needs.graphs.emplace_back();
  try {
    const CsrFacts built = read_csr_facts(cache_path(places.cache, graph.name.canonical));
    state = {{built.vertices, built.edges}, false, true};
  } catch (const CsrFileError&) {
    state.size = predict_size(graph.name);
  }
  state.levels = predict_levels(graph.name);
  if (!stands_for_file(graph.name)) return;
  if (state.size.vertices == 0) {
    state.size = published_size(graph.name);
    state.published = state.size.vertices != 0;
  }
  if (const auto file = locate_file(graph.name, places.folders)) {
    static_cast<void>(format_of(*file));  // an ambiguous file is refused before anything runs
    return;
  }
  std::string plan = fetch_plan(graph.text, graph.name, places.fetch);
  if (plan.empty()) find_file(graph.name, places.folders);
  needs.fetch.push_back(std::move(plan));
}

std::string why_not_here(const Configuration& configuration, Answer answer) {
  if (configuration.ranks == 1) return cannot_make(configuration, answer);
  if (!distributed::built_with_mpi()) return distributed::kWithoutMpi;
  return Launcher::chosen({}).missing();
}

// Finds the graphs that cannot be made though some configuration needs them.
void find_not_made(const Spec& spec, SpecNeeds& needs) {
  const bool asked = std::ranges::any_of(spec.configurations, &Configuration::needs_graph);
  for (std::size_t i = 0; asked && i < needs.graphs.size(); ++i) {
    std::string reason = cannot_be_made(spec.graphs[i].name);
    if (reason.empty()) continue;
    needs.graphs[i].can_be_made = false;
    needs.not_made.emplace(spec.graphs[i].text, std::move(reason));
  }
}

}  // namespace

bool SpecNeeds::anything_runs() const {
  return std::ranges::any_of(runnable, [](char runs) { return runs != 0; });
}

double SpecNeeds::memory_bytes() const {
  double largest = 0;
  for (const GraphCost& graph : cost.graphs) {
    largest = std::max(largest, graph.graph_bytes + graph.engine_bytes);
  }
  return largest;
}

double SpecNeeds::gpu_bytes() const {
  double largest = 0;
  for (const GraphCost& graph : cost.graphs) largest = std::max(largest, graph.gpu_bytes);
  return largest;
}

std::size_t SpecNeeds::unknown_sizes() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(cost.graphs, [](const GraphCost& graph) { return !graph.known; }));
}

SpecNeeds needs_of(const Spec& spec, const Places& places) {
  SpecNeeds needs;
  for (const GraphEntry& graph : spec.graphs) {
    try {
      find_state(graph, places, needs);
      const GraphState& state = needs.graphs.back();
      // Published counts may be of a graph before it was cleaned.
      if (state.size.vertices > 0 && !state.published && spec.traverses()) {
        require_listed(spec.sources_of(graph), state.size.vertices);
      }
    } catch (const InputError& error) {
      needs.faults.push_back(fmt::format("{}: graph {}: {}", spec.file, graph.text, error.what()));
    }
  }
  find_not_made(spec, needs);
  const bool no_graph = needs.not_made.size() == spec.graphs.size();
  std::map<std::pair<std::string, unsigned>, std::string> asked;
  for (const Configuration& configuration : spec.configurations) {
    const EngineInfo& engine = *configuration.engine;
    needs.ranks = std::max(needs.ranks, configuration.ranks);
    if (engine.can.gpu) needs.gpus = std::max(needs.gpus, configuration.gpus_per_rank);
    const auto [known, first] = asked.try_emplace({engine.name, configuration.ranks});
    if (first) known->second = why_not_here(configuration, spec.answer);
    const bool in_vain = no_graph && configuration.needs_graph();
    needs.runnable.push_back(known->second.empty() && !in_vain ? 1 : 0);
    if (!known->second.empty()) needs.not_here.emplace(engine.name, known->second);
  }
  needs.cost = estimate_cost(spec, needs.graphs, needs.runnable);
  return needs;
}

}  // namespace bfslab
