// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/run_graphs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <system_error>

#include "datasets/graph/types.hpp"
#include "datasets/name/locate.hpp"

namespace bfslab {

namespace {

// Returns every planned graph whose file is in none of the folders, each canonical name once.
std::vector<const GraphEntry*> missing_graphs(const std::vector<Spec>& specs, const Plans& plans,
                                              const std::vector<std::string>& folders) {
  std::vector<const GraphEntry*> missing;
  std::set<std::string> known;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    for (const TrialGroup& group : plans[i]) {
      const GraphEntry& graph = specs[i].graphs[group.graph];
      if (!stands_for_file(graph.name) || locate_file(graph.name, folders)) continue;
      if (known.insert(graph.name.canonical).second) missing.push_back(&graph);
    }
  }
  return missing;
}

}  // namespace

void require_files(const std::vector<Spec>& specs, const Plans& plans,
                   const std::vector<std::string>& folders) {
  const auto missing = missing_graphs(specs, plans, folders);
  if (std::ranges::all_of(missing, [](const GraphEntry* g) { return is_remote(g->name); })) return;
  std::vector<std::string> reasons;
  for (const GraphEntry* graph : missing) {
    try {
      find_file(graph->name, folders);
    } catch (const InputError& error) {
      reasons.emplace_back(error.what());
    }
  }
  throw InputError(fmt::format("{}", fmt::join(reasons, "\n")));
}

std::map<std::string, std::string> fetch_graphs(const std::vector<Spec>& specs, const Plans& plans,
                                                const std::vector<std::string>& folders,
                                                const FetchArguments& arguments,
                                                const Interrupts& interrupts, Progress& progress,
                                                bool quiet) {
  std::map<std::string, std::string> unavailable;  // canonical name -> reason
  std::map<std::string, std::string> tried;        // one file may serve several names
  const auto say = [&](const std::string& text) { progress.step("  " + text); };
  for (const GraphEntry* graph : missing_graphs(specs, plans, folders)) {
    interrupts.poll();
    const std::string file = graph->name.kind + ':' + graph->name.path;
    if (const auto before = tried.find(file); before != tried.end()) {
      if (!before->second.empty()) unavailable.emplace(graph->name.canonical, before->second);
      continue;
    }
    std::string& reason = tried[file];
    try {
      const RemoteGraph remote = find_remote(graph->text, graph->name);
      FetchOptions options = fetch_options(arguments, folders.back());
      options.poll = [&] { interrupts.poll(); };
      if (!remote.files.empty() && may_fetch(options)) {
        progress.step(fmt::format("{}: fetching {}{}", graph->text, remote.files.front().address,
                                  options.mirror.empty() ? "" : " from " + options.mirror));
      }
      const FetchResult result = fetch_and_show(remote, options, say, quiet);
      progress.step(fmt::format("{}: {} bytes at {}", graph->text, result.bytes, result.file));
    } catch (const InputError& error) {
      reason = error.what();
    } catch (const std::system_error& error) {  // a full disk
      reason = error.what();
    }
    if (reason.empty()) continue;
    unavailable.emplace(graph->name.canonical, reason);
    progress.warn(fmt::format("{}: is unavailable; its rows will be skipped", graph->text));
  }
  return unavailable;
}

}  // namespace bfslab
