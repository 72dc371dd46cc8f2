// SPDX-License-Identifier: Apache-2.0
// Times of cells by source, process and build (results.hpp).
#include <algorithm>
#include <iterator>
#include <set>

#include "harness/analyse/results.hpp"

namespace bfslab {

namespace {

using Builds = std::set<std::size_t>;

Builds builds_with_times(const ProcessTimes& processes, std::size_t processes_per_build) {
  Builds builds;
  for (std::size_t i = 0; i < processes.size(); ++i) {
    if (!processes[i].empty()) builds.insert(i / processes_per_build);
  }
  return builds;
}

// Returns the times of `builds`. Each build of `all` has places for its processes, in that order.
ProcessTimes times_of_builds(const ProcessTimes& processes, const Builds& builds, const Builds& all,
                             std::size_t processes_per_build) {
  ProcessTimes times;
  for (const std::size_t build : all) {
    for (std::size_t i = 0; i < processes_per_build; ++i) {
      const std::size_t process = build * processes_per_build + i;
      const bool has = builds.contains(build) && process < processes.size();
      times.push_back(has ? processes[process] : std::vector<double>());
    }
  }
  while (!times.empty() && times.back().empty()) times.pop_back();
  return times;
}

}  // namespace

SourceTimes times_of(const std::map<vertex_t, ProcessTimes>& times) {
  SourceTimes lists;
  for (const auto& [source, processes] : times) lists.push_back(processes);
  return lists;
}

std::pair<SourceTimes, SourceTimes> common_times(const std::map<vertex_t, ProcessTimes>& a,
                                                 const std::map<vertex_t, ProcessTimes>& b) {
  std::pair<SourceTimes, SourceTimes> both;
  for (const auto& [source, processes] : a) {
    const auto other = b.find(source);
    if (other == b.end()) continue;
    both.first.push_back(processes);
    both.second.push_back(other->second);
  }
  return both;
}

std::map<vertex_t, ProcessTimes> without_other_builds(const std::map<vertex_t, ProcessTimes>& times,
                                                      std::size_t processes_per_build) {
  Builds all;
  for (const auto& [source, processes] : times)
    all.merge(builds_with_times(processes, processes_per_build));
  std::map<vertex_t, ProcessTimes> kept;
  for (const auto& [source, processes] : times)
    kept[source] = times_of_builds(processes, all, all, processes_per_build);
  return kept;
}

std::pair<SourceTimes, SourceTimes> same_build_times(const std::map<vertex_t, ProcessTimes>& a,
                                                     const std::map<vertex_t, ProcessTimes>& b,
                                                     std::size_t processes_per_build) {
  std::map<vertex_t, Builds> common;
  Builds all;
  for (const auto& [source, processes] : a) {
    const auto other = b.find(source);
    if (other == b.end()) continue;
    Builds both;
    std::ranges::set_intersection(builds_with_times(processes, processes_per_build),
                                  builds_with_times(other->second, processes_per_build),
                                  std::inserter(both, both.end()));
    if (both.empty()) continue;
    all.insert(both.begin(), both.end());
    common.emplace(source, std::move(both));
  }
  std::pair<SourceTimes, SourceTimes> times;
  for (const auto& [source, builds] : common) {
    times.first.push_back(times_of_builds(a.at(source), builds, all, processes_per_build));
    times.second.push_back(times_of_builds(b.at(source), builds, all, processes_per_build));
  }
  return times;
}

}  // namespace bfslab
