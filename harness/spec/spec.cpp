// SPDX-License-Identifier: Apache-2.0
// Reads a spec: text -> positions -> JSON -> extends -> --set -> validation -> configurations. Each
// pass needs the one before: a text that is no JSON has no keys to check.
#include "harness/spec/spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "harness/spec/diagnostics.hpp"
#include "harness/spec/extends.hpp"
#include "harness/spec/overrides.hpp"
#include "harness/spec/read.hpp"
#include "kernels/distributed/edges/edge_share.hpp"

namespace bfslab {

std::string Configuration::text() const {
  if (!engine->can.distributed) return toggles.text();
  Toggles all = toggles;
  all.set("ranks", std::int64_t{ranks});
  all.set("gpus_per_rank", std::int64_t{gpus_per_rank});
  return all.text();
}

std::uint32_t Spec::source_count(const GraphEntry& graph) const {
  return graph.max_sources == 0 ? sources.count : std::min(sources.count, graph.max_sources);
}

SourceRule Spec::sources_of(const GraphEntry& graph) const {
  SourceRule rule = sources;
  rule.count = source_count(graph);
  if (rule.rule == SourceRule::Rule::listed) rule.listed.resize(rule.count);
  if (rule.rule == SourceRule::Rule::ids) rule.ids.resize(rule.count);
  return rule;
}

bool Spec::traverses() const {
  return std::ranges::any_of(configurations,
                             [](const Configuration& each) { return !each.engine->counts(); });
}

bool Spec::needs_csr(const GraphEntry& graph) const {
  if (std::ranges::any_of(configurations,
                          [](const Configuration& each) { return !each.engine->can.recipe; })) {
    return true;
  }
  return traverses() && (sources.rule == SourceRule::Rule::largest_component ||
                         sources.rule == SourceRule::Rule::ids ||
                         !distributed::generated_in_parts(graph.name.canonical));
}

bool Spec::needs_graphs() const {
  return std::ranges::any_of(graphs, [&](const GraphEntry& graph) { return needs_csr(graph); });
}

std::vector<std::string> left_out_lines(const Spec& spec) {
  std::vector<std::pair<std::string, std::size_t>> counts;
  for (const LeftOut& each : spec.left_out) {
    const auto same = std::ranges::find(counts, each.reason, &decltype(counts)::value_type::first);
    if (same == counts.end()) {
      counts.emplace_back(each.reason, 1);
    } else {
      ++same->second;
    }
  }
  std::vector<std::string> lines;
  if (counts.empty()) return lines;
  lines.push_back(
      fmt::format("left out because the toggles' rules refuse them: {} of {} combinations",
                  spec.left_out.size(), spec.left_out.size() + spec.configurations.size()));
  for (const auto& [reason, count] : counts)
    lines.push_back(fmt::format("  {} x {}", count, reason));
  return lines;
}

namespace {

// Reports that the caches of another program cannot be overwritten: it reads its graph just before
// it searches.
void require_own_searches(const Spec& spec, Diagnostics& diagnostics) {
  if (!spec.cold_caches) return;
  const auto external = std::ranges::find_if(spec.configurations, [](const Configuration& each) {
    return each.engine != nullptr && each.engine->can.external;
  });
  if (external == spec.configurations.end()) return;
  diagnostics.add("caches", "\"cold\"",
                  fmt::format("\"warm\", since case \"{}\" runs another program ({}), which reads "
                              "its graph just before it searches",
                              external->case_name, external->engine->name));
}

}  // namespace

Spec parse_spec(const std::string& text, const std::string& file,
                const std::vector<std::string>& overrides) {
  Diagnostics diagnostics;
  Json json = resolve_extends(text, file, diagnostics);
  if (json.is_object()) apply_overrides(overrides, json, diagnostics);
  if (member(json, "extends") != nullptr) {
    diagnostics.add_text("extends", "only a spec's file can have \"extends\", not an option");
    diagnostics.throw_if_any();
  }
  Spec spec;
  spec.file = file;
  read_plain_keys(json, spec, diagnostics);
  read_graphs(json, spec, diagnostics);
  read_external(json, spec, diagnostics);
  read_configurations(json, spec, diagnostics);
  require_own_searches(spec, diagnostics);
  diagnostics.throw_if_any();
  spec.canonical = canonical_text(json);
  spec.hash = short_hash(measured_text(json));
  return spec;
}

Json load_resolved(const std::string& path) {
  Diagnostics diagnostics;
  return resolve_extends(read_spec_file(path), path, diagnostics);
}

Spec load_spec(const std::string& path, const std::vector<std::string>& overrides) {
  return parse_spec(read_spec_file(path), path, overrides);
}

}  // namespace bfslab
