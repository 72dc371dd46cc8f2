// SPDX-License-Identifier: Apache-2.0
#include "harness/record/spec_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>

#include "datasets/catalog/catalog.hpp"
#include "kernels/search_toggles.hpp"

namespace bfslab {

namespace {

constexpr std::string_view kProgramHash = "program=";

const char* answer_text(Answer answer) {
  switch (answer) {
    case Answer::levels:
      return "levels";
    case Answer::parents:
      return "parents";
    case Answer::both:
      return "both";
  }
  return "";
}

// Returns the catalogue's name of the data set, also for its stand-in; otherwise empty.
std::string data_set_of(const GraphName& name) {
  if (!name.stand_in_for.empty()) return name.stand_in_for;
  const CatalogEntry* entry = catalog().find_graph(name.kind + ':' + name.path);
  return entry == nullptr ? std::string() : entry->name;
}

std::string data_set_of(const std::string& graph) {
  try {
    return data_set_of(GraphName::parse(graph));
  } catch (const InputError&) {
    return {};
  }
}

// Leaves out the hash of an external program's file: it may be built anew, as this program may.
std::string toggles_of_spec(const RunRow& row) {
  const std::size_t at = row.toggles.find(kProgramHash);
  if (!row.engine.starts_with("external:") || at == std::string::npos) return row.toggles;
  const std::size_t end = row.toggles.find(';', at);
  std::string rest = row.toggles;
  return rest.erase(at, end == std::string::npos ? end : end + 1 - at);
}

auto configuration_of(const RunRow& row) {
  return std::tuple(row.case_name, row.engine, toggles_of_spec(row), row.ranks, row.gpus_per_rank);
}

std::string named(const RunRow& row) {
  return fmt::format("case \"{}\" on {} ({}{}{}{})", row.case_name, row.graph, row.engine,
                     row.toggles.empty() ? "" : ", ", row.toggles,
                     row.ranks > 1 ? fmt::format(", {} ranks", row.ranks) : std::string());
}

// Looks up whether a spec asks for a row.
class Places {
 public:
  Places(const Spec& spec, std::span<const GraphRow> graphs) : spec_(spec) {
    for (const Configuration& each : spec.configurations) {
      const RunRow row = planned_row(spec, spec.graphs.front(), each);
      configurations_.insert(configuration_of(row));
      toggles_[row.case_name + '\n' + row.engine].insert(row.toggles);
    }
    for (const GraphEntry& each : spec.graphs) entries_[each.text] = &each;
    for (const GraphRow& each : graphs) drawn_[each.graph] = &each;
  }

  // Returns why the spec does not ask for this row; empty if it does.
  std::string missing(const RunRow& row) {
    const GraphEntry* const entry = entry_of(row);
    if (entry == nullptr) return fmt::format("graph {}", row.graph);
    if (!configurations_.contains(configuration_of(row))) return changed_configuration(row);
    if (!row.source) return {};  // a counter's
    if (knows_sources(row.graph) && !sources_of(row.graph, *entry).contains(*row.source)) {
      return fmt::format("source {} of graph {}", *row.source, row.graph);
    }
    if (row.recorded == kEnergy) return spec_.record_energy ? "" : "trials that measure energy";
    if (row.instrumented) return spec_.record_levels ? "" : "instrumented trials";
    if (!spec_.record_time) return "timed trials";
    if (row.repeat < spec_.repeats.maximum) return {};
    return fmt::format("repeat {}", row.repeat);
  }

 private:
  const GraphEntry* entry_of(const RunRow& row) {
    const auto found = entries_.find(row.graph);
    if (found != entries_.end() && found->second->stand_in_for == row.stand_in_for) {
      return found->second;
    }
    if (!spec_.allow_stand_ins) return nullptr;
    // A data set that was missing in one run may be here in another.
    const auto [same, is_new] = same_data_set_.try_emplace(row.graph, nullptr);
    const std::string set = is_new ? data_set_of(row.graph) : std::string();
    if (!set.empty()) {
      const auto entry = std::ranges::find_if(
          spec_.graphs, [&](const GraphEntry& each) { return data_set_of(each.name) == set; });
      if (entry != spec_.graphs.end()) same->second = &*entry;
    }
    return same->second;
  }

  // A graph without its row is damage, which the reader of the folder reports.
  [[nodiscard]] bool knows_sources(const std::string& graph) const {
    return spec_.sources.rule == SourceRule::Rule::listed || drawn_.contains(graph);
  }

  const std::set<vertex_t>& sources_of(const std::string& graph, const GraphEntry& entry) {
    const auto [found, is_new] = sources_.try_emplace(graph);
    if (!is_new) return found->second;
    const SourceRule rule = spec_.sources_of(entry);
    std::vector<vertex_t> all = rule.listed;
    if (rule.rule != SourceRule::Rule::listed) {
      all = drawn_.at(graph)->sources;
      all.resize(std::min<std::size_t>(all.size(), rule.count));
    }
    return found->second = {all.begin(), all.end()};
  }

  // The case may be there with other settings, and the engine may have other toggles.
  std::string changed_configuration(const RunRow& row) const {
    const auto now = toggles_.find(row.case_name + '\n' + row.engine);
    if (now == toggles_.end() || now->second.size() > 1) return named(row);
    return fmt::format("{}, of which the toggles are now {}", named(row), *now->second.begin());
  }

  const Spec& spec_;
  std::set<decltype(configuration_of(RunRow()))> configurations_;
  std::map<std::string, std::set<std::string>> toggles_;  // by case and engine
  std::map<std::string, const GraphEntry*> entries_;
  std::map<std::string, const GraphEntry*> same_data_set_;
  std::map<std::string, const GraphRow*> drawn_;
  std::map<std::string, std::set<vertex_t>> sources_;
};

}  // namespace

RunRow planned_row(const Spec& spec, const GraphEntry& graph, const Configuration& configuration) {
  const Capabilities& can = configuration.engine->can;
  RunRow row;
  row.experiment = spec.name;
  row.case_name = configuration.case_name;
  row.graph = graph.text;
  row.stand_in_for = graph.stand_in_for;
  row.engine = configuration.engine->name;
  row.toggles = configuration.toggles.text();
  if (const level_t limit = depth_limit_of(configuration.toggles); limit != kNoDepthLimit) {
    row.depth_limit = limit;
  }
  row.ranks = configuration.ranks;
  row.gpus_per_rank = can.gpu || can.distributed ? configuration.gpus_per_rank : 0;
  if (!configuration.engine->counts() && can.answers()) row.answer = answer_text(spec.answer);
  return row;
}

LostRows lost_rows(const Spec& spec, std::span<const RunRow> rows,
                   std::span<const GraphRow> graphs) {
  Places places(spec, graphs);
  LostRows lost;
  for (const RunRow& row : rows) {
    if (is_graph_failure(row)) continue;  // nothing was measured
    const std::string missing = places.missing(row);
    if (missing.empty()) continue;
    if (lost.count++ == 0) lost.first = missing;
  }
  return lost;
}

}  // namespace bfslab
