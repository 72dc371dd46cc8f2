// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/hybrid_settings.hpp"

#include <string>

#include "kernels/cpu/batch_search.hpp"
#include "kernels/cpu/finders.hpp"
#include "kernels/cpu/hints.hpp"
#include "kernels/cpu/hybrid_frontier.hpp"
#include "kernels/cpu/leaves.hpp"
#include "kernels/cpu/parallel.hpp"
#include "kernels/direction_rule.hpp"
#include "kernels/search_toggles.hpp"

namespace bfslab::cpu {

namespace {
// The most vertices, and the most threads, whose claims need no lock by default. With 2 threads
// claims without a lock are 1.1 to 1.4 times as fast on grids, roads and meshes; with 16, locked
// ones were faster on 3 of 4 graphs (docs/ablate.md). Between them nothing is measured.
constexpr vertex_t kMaxUnlocked = 1U << 21;
constexpr int kMaxUnlockedThreads = 8;
}  // namespace

// A finder's number must fit a byte.
bool claims_unlocked(const Toggles& toggles, vertex_t vertices, int threads) {
  const std::string& wanted = toggles.choice("claims");
  if (wanted == "locked" || threads > static_cast<int>(Finders::kMaxThreads)) return false;
  return wanted == "unlocked" ||
         (threads > 1 && threads <= kMaxUnlockedThreads && vertices <= kMaxUnlocked);
}

bool leaves_are_apart(const Toggles& toggles) {
  return toggles.flag("leaves_apart") && depth_limit_of(toggles) == kNoDepthLimit;
}

std::vector<Toggle> hybrid_toggles() {
  std::vector<Toggle> table = DirectionRule::toggles();
  table.insert(table.begin(), threads_toggle());
  table.push_back(Toggle::choice(
      "claims", "auto", {"auto", "locked", "unlocked"},
      "How top-down claims a vertex: locked, on its bit, or, until the first level bottom-up, "
      "unlocked, on its byte; auto: unlocked if 2 to 8 threads search up to 2^21 vertices"));
  table.push_back(Toggle::integer(
      "hints", 2, 0, Hints::kMaxPlanes,
      "In-neighbours of highest degree, per vertex, that bottom-up tries before it opens a row; "
      "gathered at set-up, no effect on ids or order"));
  table.push_back(Toggle::flag(
      "leaves_apart", true,
      "Vertices of one neighbour stay out of all levels and are labelled at the end; not in "
      "searches that report levels, that end early or that run together, nor in directed graphs "
      "without a transpose"));
  table.push_back(batch_toggle());
  table.push_back(depth_limit_toggle());
  return table;
}

Estimate hybrid_estimate(const GraphFacts& facts, const Toggles& toggles, Answer answer) {
  const auto n = static_cast<double>(facts.vertices);
  const auto m = static_cast<double>(facts.edges);
  const auto planes = static_cast<double>(toggles.integer("hints"));
  const double answers = answer == Answer::both ? 2 : 1;
  const double bitmaps = (planes > 0 ? 3 : 2) / 8.0;  // unreachable, visited, short rows
  const int team = team_size(toggles);
  const bool unlocked = claims_unlocked(toggles, facts.vertices, team);
  const std::size_t batch = batch_of(toggles);
  return {
      .bytes = n * (4 * planes + 4 * answers + bitmaps + (unlocked ? 1 : 0)) +
               (leaves_are_apart(toggles) ? Leaves::bytes_for(n) : 0) +
               HybridFrontier::bytes_for(facts.vertices, m, team, unlocked) +
               team * static_cast<double>(kHybridScratch) +
               (batch > 1 ? BatchSearch::bytes_for(facts.vertices, batch) : 0),
      .seconds = 1e-5 + static_cast<double>(facts.levels) * 1e-5 + (n * 4e-9 + m * 2e-10) / team};
}

}  // namespace bfslab::cpu
