// SPDX-License-Identifier: Apache-2.0
#include "harness/run/known_graph.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "datasets/load_graph.hpp"
#include "harness/run/sources.hpp"

namespace bfslab {

namespace {

// A configuration that needs the graph whole changes the hash for all of them.
std::string contents_text(const std::string& hash) {
  return hash.starts_with("recipe-")
             ? fmt::format("its recipe alone ({}), since no configuration needs it whole", hash)
             : fmt::format("contents {}", hash);
}

[[noreturn]] void refuse_changed(const SweepContext& context, const GraphEntry& graph,
                                 const std::string& was, const std::string& is) {
  throw InputError(fmt::format(
      "graph {} has changed: {} holds rows for {}, and now there is {}; use --fresh to move the "
      "old rows aside, or name another folder with --results",
      graph.text, context.results.path(), was, is));
}

}  // namespace

void require_same_graph(SweepContext& context, const GraphEntry& graph, const GraphRow& known) {
  const GraphName& name = graph.name;
  if (known.name != name.canonical) refuse_changed(context, graph, known.name, name.canonical);
  const std::string rule = to_text(context.spec.sources.rule);
  if (context.spec.traverses() && !known.source_rule.empty() && known.source_rule != rule) {
    throw InputError(fmt::format(
        "graph {}: {} holds rows from sources by the rule {}, and the spec says {}, which is the "
        "rule if it names none; name the recorded rule in `sources`, or use --fresh to move the "
        "old rows aside",
        graph.text, context.results.path(), known.source_rule, rule));
  }
  if (context.unavailable.contains(name.canonical)) return;
  if (!context.unchanged_graphs.insert(name.canonical).second) return;
  LoadOptions options;
  options.data_folders = context.data_folders;
  const std::string stamp = graph_stamp(name, options);
  if (known.made_from != stamp) refuse_changed(context, graph, known.made_from, stamp);
}

void require_same_contents(const SweepContext& context, const GraphEntry& graph,
                           const std::string& known_hash, const std::string& loaded_hash) {
  if (loaded_hash == known_hash) return;
  refuse_changed(context, graph, contents_text(known_hash), contents_text(loaded_hash));
}

bool has_sources(const Spec& spec, const GraphEntry& graph, const GraphRow& known) {
  if (!spec.traverses()) return true;
  const SourceRule rule = spec.sources_of(graph);
  if (rule.rule == SourceRule::Rule::listed) return known.sources == rule.listed;
  if (rule.rule == SourceRule::Rule::ids) return known.sources.size() == rule.count;
  if (!known.eligible_sources) return known.sources.size() == rule.count;
  return known.sources.size() == std::min<std::uint64_t>(rule.count, *known.eligible_sources);
}

void change_sources(SweepContext& context, const GraphEntry& graph, GraphRow known,
                    const GraphRow& drawn) {
  require_same_contents(context, graph, known.graph_hash, drawn.graph_hash);
  const auto common =
      static_cast<std::ptrdiff_t>(std::min(drawn.sources.size(), known.sources.size()));
  if (context.spec.sources.rule != SourceRule::Rule::listed &&
      !std::equal(drawn.sources.begin(), drawn.sources.begin() + common, known.sources.begin())) {
    refuse_changed(context, graph, fmt::format("sources {}", fmt::join(known.sources, ";")),
                   fmt::format("sources {}", fmt::join(drawn.sources, ";")));
  }
  context.progress.step(fmt::format("{}: {} sources instead of {}", drawn.graph,
                                    drawn.sources.size(), known.sources.size()));
  known.sources = drawn.sources;
  known.eligible_sources = drawn.eligible_sources;
  known.source_rule = drawn.source_rule;
  context.results.replace(known);
}

}  // namespace bfslab
