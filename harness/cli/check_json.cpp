// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/check_json.hpp"

#include <cmath>

namespace bfslab {

namespace {

using Json = nlohmann::ordered_json;

Json bytes_json(double bytes) { return static_cast<std::uint64_t>(std::llround(bytes)); }

Json seconds_json(const Seconds& seconds) {
  return {{"least", seconds.least}, {"most", seconds.most}};
}

// Returns a graph. Values that are not known are null; one that nothing builds has 0 bytes.
Json graph_json(const Spec& spec, const SpecNeeds& needs, std::size_t i) {
  const GraphEntry& entry = spec.graphs[i];
  const GraphCost& cost = needs.cost.graphs[i];
  const bool runs = cost.known && needs.anything_runs();
  const double built = spec.needs_csr(entry) ? cost.graph_bytes : 0;
  return {{"name", entry.text},
          {"stand_in_for", entry.stand_in_for.empty() ? Json() : Json(entry.stand_in_for)},
          {"vertices", cost.known ? Json(cost.facts.vertices) : Json()},
          {"edges", cost.known ? Json(cost.facts.edges) : Json()},
          {"as_published", needs.graphs[i].published},
          {"in_cache", needs.graphs[i].built},
          {"graph_bytes", runs ? bytes_json(built) : Json()},
          {"engine_bytes", runs ? bytes_json(cost.engine_bytes) : Json()},
          {"gpu_bytes", runs ? bytes_json(cost.gpu_bytes) : Json()},
          {"seconds", runs ? seconds_json(cost.seconds) : Json()}};
}

Json configuration_json(const Configuration& configuration, bool runs) {
  return {{"case", configuration.case_name},
          {"engine", configuration.engine->name},
          {"toggles", configuration.toggles.text()},
          {"ranks", configuration.ranks},
          {"gpus_per_rank", configuration.gpus_per_rank},
          {"runs_here", runs}};
}

Json reasons_json(const char* key, const std::map<std::string, std::string>& reasons) {
  Json list = Json::array();
  for (const auto& [name, reason] : reasons) list.push_back({{key, name}, {"reason", reason}});
  return list;
}

}  // namespace

Json check_json(const Spec& spec, const SpecNeeds& needs,
                const std::vector<std::string>& stand_ins) {
  const SpecCost& cost = needs.cost;
  const bool runs = needs.anything_runs();
  const bool traverses = spec.traverses();
  Json graphs = Json::array();
  for (std::size_t i = 0; i < spec.graphs.size(); ++i) {
    graphs.push_back(graph_json(spec, needs, i));
  }
  Json configurations = Json::array();
  for (std::size_t i = 0; i < spec.configurations.size(); ++i) {
    configurations.push_back(configuration_json(spec.configurations[i], needs.runnable[i] != 0));
  }
  const bool timed = spec.record_time && traverses;
  return {{"file", spec.file},
          {"name", spec.name},
          {"paper", spec.paper},
          {"item", spec.item},
          {"spec", spec.hash},
          {"graphs", graphs},
          {"configurations", configurations},
          {"left_out", left_out_lines(spec)},
          {"trials",
           {{"timed",
             {{"least", timed ? cost.timed_trials_min : 0},
              {"most", timed ? cost.timed_trials_max : 0}}},
            {"instrumented", spec.record_levels && traverses ? cost.instrumented_trials : 0},
            {"energy", spec.record_energy && traverses ? cost.energy_trials : 0},
            {"counted", cost.counts}}},
          {"runs_here", runs},
          {"memory_bytes", runs ? bytes_json(needs.memory_bytes()) : Json()},
          {"gpu_memory_bytes", runs ? bytes_json(needs.gpu_bytes()) : Json()},
          {"seconds", runs ? seconds_json(cost.seconds) : Json()},
          {"graphs_of_unknown_size", needs.unknown_sizes()},
          {"cannot_run_here", reasons_json("engine", needs.not_here)},
          {"cannot_be_made", reasons_json("graph", needs.not_made)},
          {"stand_ins", stand_ins},
          {"fetches", needs.fetch},
          {"faults", needs.faults}};
}

}  // namespace bfslab
