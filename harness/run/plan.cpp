// SPDX-License-Identifier: Apache-2.0
#include "harness/run/plan.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "harness/run/random_stream.hpp"
#include "harness/run/sources.hpp"

namespace bfslab {

namespace {

bool matches(const std::vector<std::string>& globs, const std::string& case_name,
             const GraphEntry& graph) {
  if (globs.empty()) return true;
  return std::ranges::any_of(globs, [&](const std::string& glob) {
    return ::fnmatch(glob.c_str(), (case_name + "/" + graph.text).c_str(), 0) == 0 ||
           ::fnmatch(glob.c_str(), (case_name + "/" + graph.name.canonical).c_str(), 0) == 0;
  });
}

}  // namespace

Shard Shard::parse(const std::string& text) {
  Shard shard;
  const char* const end = text.data() + text.size();
  const auto index = std::from_chars(text.data(), end, shard.index);
  if (index.ec == std::errc() && index.ptr != end && *index.ptr == '/') {
    const auto count = std::from_chars(index.ptr + 1, end, shard.count);
    if (count.ec == std::errc() && count.ptr == end && shard.index >= 1 &&
        shard.index <= shard.count) {
      return shard;
    }
  }
  throw InputError(
      fmt::format("--shard {}: expected i/n with 1 <= i <= n, as in --shard 1/4", text));
}

std::vector<TrialGroup> make_plan(const Spec& spec, const std::vector<std::string>& only,
                                  const Shard& shard) {
  std::vector<TrialGroup> groups;
  for (std::size_t g = 0; g < spec.graphs.size(); ++g) {
    std::map<unsigned, TrialGroup> by_ranks;
    for (std::size_t c = 0; c < spec.configurations.size(); ++c) {
      const Configuration& configuration = spec.configurations[c];
      if (!matches(only, configuration.case_name, spec.graphs[g])) continue;
      if (spec.isolate) {
        groups.push_back({g, configuration.ranks, {c}});
      } else {
        by_ranks.try_emplace(configuration.ranks, TrialGroup{g, configuration.ranks, {}})
            .first->second.configurations.push_back(c);
      }
    }
    for (auto& [ranks, group] : by_ranks) groups.push_back(std::move(group));
  }
  if (groups.empty()) {
    throw InputError(fmt::format("--only {}: matches no case/graph of {}; the first is {}/{}",
                                 fmt::join(only, " --only "), spec.file,
                                 spec.configurations.front().case_name, spec.graphs.front().text));
  }
  std::vector<TrialGroup> ours;
  for (std::size_t i = shard.index - 1; i < groups.size(); i += shard.count) {
    ours.push_back(groups[i]);
  }
  return ours;
}

std::uint64_t trials_per_source(const Spec& spec) {
  return (spec.record_time ? spec.repeats.minimum : 0) + (spec.record_levels ? 1 : 0) +
         (spec.record_energy ? 1 : 0);
}

std::uint64_t planned_trials(const Spec& spec, const TrialGroup& group, std::uint64_t sources) {
  const auto counters = static_cast<std::uint64_t>(std::ranges::count_if(
      group.configurations,
      [&](const std::size_t c) { return spec.configurations[c].engine->counts(); }));
  return (group.configurations.size() - counters) * sources * trials_per_source(spec) + counters;
}

std::uint64_t planned_trials(const Spec& spec, const TrialGroup& group) {
  return planned_trials(spec, group, spec.source_count(spec.graphs[group.graph]));
}

std::vector<std::size_t> round_order(std::size_t count, std::uint64_t seed, unsigned repeat,
                                     std::size_t source_index) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  RandomStream mix(seed);
  RandomStream stream(mix.next() ^ (std::uint64_t{repeat} << 32) ^ source_index);
  for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[stream.below(i)]);
  return order;
}

std::string describe_plan(const Spec& spec, const std::vector<TrialGroup>& plan) {
  const std::uint64_t sources = spec.sources.count;
  std::uint64_t total = 0;
  for (const TrialGroup& group : plan) total += planned_trials(spec, group);
  std::string text =
      fmt::format("{} ({}): {} trials in {} worker{}; spec {}\n", spec.name, spec.file, total,
                  plan.size(), plan.size() == 1 ? "" : "s", spec.hash);
  std::string repeats = fmt::format("{}", spec.repeats.minimum);
  if (spec.repeats.maximum > spec.repeats.minimum) {
    repeats += fmt::format(" to {}", spec.repeats.maximum);
  }
  if (spec.traverses()) {
    text +=
        fmt::format("  {} source{} ({}), {} repeat{} each{}{}\n", sources, sources == 1 ? "" : "s",
                    to_text(spec.sources.rule), spec.record_time ? repeats : "0",
                    repeats == "1" ? "" : "s", spec.record_levels ? ", and one instrumented" : "",
                    spec.record_energy ? ", and one for energy" : "");
  }
  if (!spec.needs_graphs()) {
    text += fmt::format("  no graph is built: {} from recipes\n",
                        spec.traverses() ? "engines make their own parts" : "all counters work");
  }
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const GraphEntry& graph = spec.graphs[plan[i].graph];
    text += fmt::format("  worker {}: {}{}{}\n", i + 1, graph.text,
                        plan[i].ranks > 1 ? fmt::format(", {} ranks", plan[i].ranks) : "",
                        spec.traverses() && spec.source_count(graph) < sources
                            ? fmt::format(", the first {} of the sources", graph.max_sources)
                            : "");
    for (const std::size_t c : plan[i].configurations) {
      const Configuration& configuration = spec.configurations[c];
      text +=
          fmt::format("    {}: {} {}{}\n", configuration.case_name, configuration.engine->name,
                      configuration.text(), configuration.engine->counts() ? " (counts once)" : "");
    }
  }
  return text;
}

nlohmann::ordered_json plan_json(const Spec& spec, const std::vector<TrialGroup>& plan) {
  using Json = nlohmann::ordered_json;
  Json workers = Json::array();
  std::uint64_t total = 0;
  for (const TrialGroup& group : plan) {
    const GraphEntry& graph = spec.graphs[group.graph];
    Json configurations = Json::array();
    for (const std::size_t c : group.configurations) {
      const Configuration& each = spec.configurations[c];
      configurations.push_back({{"case", each.case_name},
                                {"engine", each.engine->name},
                                {"toggles", each.toggles.text()},
                                {"gpus_per_rank", each.gpus_per_rank}});
    }
    const std::uint64_t trials = planned_trials(spec, group);
    total += trials;
    workers.push_back({{"graph", graph.text},
                       {"stand_in_for", graph.stand_in_for},
                       {"ranks", group.ranks},
                       {"sources", spec.traverses() ? spec.source_count(graph) : 0},
                       {"trials", trials},
                       {"configurations", configurations}});
  }
  return {{"experiment", spec.name},
          {"file", spec.file},
          {"spec", spec.hash},
          {"trials", total},
          {"workers", workers}};
}

}  // namespace bfslab
