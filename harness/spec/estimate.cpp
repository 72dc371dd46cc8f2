// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/estimate.hpp"

#include <algorithm>
#include <set>
#include <thread>

namespace bfslab {

namespace {

// Nanoseconds of one processor, fitted to runs on two processors of an EPYC (results/epyc-2, and
// the processor time of single runs there). The parts that all processors share are divided by
// their number.
constexpr double kGenerate = 42;  // generate and build, per entry
constexpr double kLoad = 14;      // load from the cache, hash, choose sources, per entry
constexpr double kLoadAlone = 3;  // the serial part of kLoad
constexpr double kSetUp = 1;      // set up an engine, per entry
constexpr double kSetUpInParts =
    80;                         // set up a distributed engine on CPUs, per entry of a member's part
constexpr double kCount = 0.6;  // count the entries that an answer reaches, per entry
constexpr double kCheckEntry = 2.8;  // check the five rules, per entry
constexpr double kCheckVertex = 15;
constexpr double kCheckInPlace = 30;      // the same without the whole graph, per entry of a part
constexpr double kWorkerSeconds = 0.15;   // start and end a worker
constexpr double kLauncherSeconds = 0.8;  // more for several ranks
constexpr double kDeviceSeconds = 0.5;    // open a GPU in it
constexpr double kTrialSeconds = 0.0005;  // record a row
constexpr double kEnergySeconds = 0.6;    // search until the counters of energy have advanced

double processors() { return std::max(1U, std::thread::hardware_concurrency()); }

// The number of trials, checks and levels of each (graph, configuration).
struct Rounds {
  double timed = 0;
  double instrumented = 0;
  double energy = 0;
  double warm_ups = 0;
  double checks = 0;

  [[nodiscard]] double trials() const { return timed + instrumented + energy; }
};

Rounds rounds_of(const Spec& spec, const GraphEntry& graph, unsigned repeats) {
  const double sources = spec.source_count(graph);
  Rounds rounds;
  if (spec.record_time) rounds.timed = sources * repeats;
  if (spec.record_time || spec.record_energy) rounds.warm_ups = spec.repeats.warmup;
  if (spec.record_levels) rounds.instrumented = sources;
  if (spec.record_energy) rounds.energy = sources;
  if (spec.check == CheckMode::all) rounds.checks = rounds.trials();
  if (spec.check == CheckMode::first) {
    rounds.checks = sources * ((spec.record_time ? 1 : 0) + (spec.record_levels ? 1 : 0) +
                               (spec.record_energy ? 1 : 0));
  }
  return rounds;
}

class GraphEstimate {
 public:
  GraphEstimate(const Spec& spec, const GraphEntry& graph, const GraphState& state,
                const std::vector<char>& runnable)
      : spec_(spec), graph_(graph), state_(state), runnable_(runnable) {
    cost_.known = state.size.vertices != 0 || state.size.edges != 0;
    cost_.facts = {state.size.vertices, state.size.edges, graph.name.build.symmetrize};
    cost_.facts.levels = state.levels;
  }

  GraphCost make() {
    if (!cost_.known) return cost_;
    const Rounds least = rounds_of(spec_, graph_, spec_.repeats.minimum);
    const Rounds most = rounds_of(spec_, graph_, spec_.repeats.maximum);
    for (std::size_t c = 0; c < spec_.configurations.size(); ++c) {
      if (!runnable_.empty() && runnable_[c] == 0) continue;
      if (!state_.can_be_made && spec_.configurations[c].needs_graph()) continue;
      add(spec_.configurations[c], least, most);
    }
    if (workers_.empty()) return cost_;
    add_loading();
    return cost_;
  }

 private:
  [[nodiscard]] double entries() const { return static_cast<double>(state_.size.edges) * 1e-9; }
  [[nodiscard]] double vertices() const { return static_cast<double>(state_.size.vertices) * 1e-9; }

  void add(const Configuration& configuration, const Rounds& least, const Rounds& most) {
    const EngineInfo& engine = *configuration.engine;
    workers_.insert(configuration.ranks);
    ++configurations_;
    on_gpu_ = on_gpu_ || engine.can.gpu;
    transpose_ = transpose_ || (!cost_.facts.symmetric && engine.can.needs_transpose);
    Estimate estimate;
    if (engine.estimate) {
      GraphFacts facts = cost_.facts;
      facts.members = configuration.ranks * configuration.gpus_per_rank;
      estimate = engine.estimate(facts, configuration.toggles, spec_.answer);
    }
    double& bytes = engine.can.gpu ? cost_.gpu_bytes : cost_.engine_bytes;
    bytes = spec_.isolate ? std::max(bytes, estimate.bytes) : bytes + estimate.bytes;
    if (engine.counts()) {
      cost_.seconds.least += estimate.seconds + kTrialSeconds;
      cost_.seconds.most += estimate.seconds + kTrialSeconds;
      return;
    }
    cost_.seconds.least += of_engine(configuration, estimate.seconds, least, 0);
    cost_.seconds.most += of_engine(configuration, estimate.seconds, most, spec_.repeats.budget_s);
  }

  // `budget`: seconds of timed trials after which repeats end; 0: none.
  [[nodiscard]] double of_engine(const Configuration& configuration, double traversal,
                                 const Rounds& rounds, double budget) const {
    const double limit = spec_.limits.trial_s;
    if (limit > 0 && traversal > limit) return limit + kWorkerSeconds;  // the rest is skipped
    double trials = rounds.trials();
    if (budget > 0 && traversal * trials > budget) {
      const double fewest = rounds_of(spec_, graph_, spec_.repeats.minimum).trials();
      trials = std::max(fewest, budget / traversal);
    }
    const Capabilities& can = configuration.engine->can;
    const bool in_parts = can.distributed && !can.gpu;
    const bool in_place = in_parts && (configuration.ranks > 1 || !spec_.needs_csr(graph_));
    const double members = std::min<double>(
        static_cast<double>(configuration.ranks) * configuration.gpus_per_rank, processors());
    const double set_up = entries() * (in_parts ? kSetUpInParts / members : kSetUp);
    const double count = entries() * kCount / processors();
    const double check = in_place
                             ? entries() * kCheckInPlace / members
                             : (entries() * kCheckEntry + vertices() * kCheckVertex) / processors();
    const unsigned invocations = spec_.repeats.invocations;
    const double searches = trials + (spec_.repeats.burst - 1.0) * rounds.timed;
    return invocations * (set_up + rounds.warm_ups * traversal) + searches * traversal +
           rounds.energy * std::max(kEnergySeconds, traversal) + trials * (kTrialSeconds + count) +
           rounds.checks * check;
  }

  void add_loading() {
    const double invocations = spec_.repeats.invocations;
    const double workers =
        invocations * (spec_.isolate ? configurations_ : static_cast<double>(workers_.size()));
    const auto of_ranks = static_cast<double>(
        std::ranges::count_if(workers_, [](unsigned ranks) { return ranks > 1; }));
    double seconds = workers * (kWorkerSeconds + (on_gpu_ ? kDeviceSeconds : 0)) +
                     invocations * of_ranks * kLauncherSeconds;
    if (spec_.needs_csr(graph_)) {
      const auto n = static_cast<double>(state_.size.vertices);
      const auto m = static_cast<double>(state_.size.edges);
      const double csr = (n + 1) * sizeof(edge_t) + m * sizeof(vertex_t);
      cost_.graph_bytes = csr * (transpose_ ? 2 : 1) + n * sizeof(std::uint32_t);  // input edges
      const double times = transpose_ ? 2 : 1;
      seconds += workers * times * entries() * (kLoadAlone + kLoad / processors());
      if (!state_.built) seconds += times * entries() * kGenerate / processors();
    }
    cost_.seconds.least += seconds;
    cost_.seconds.most += seconds;
  }

  const Spec& spec_;
  const GraphEntry& graph_;
  const GraphState& state_;
  const std::vector<char>& runnable_;
  GraphCost cost_;
  std::set<unsigned> workers_;  // the numbers of ranks that occur
  double configurations_ = 0;
  bool on_gpu_ = false;
  bool transpose_ = false;
};

}  // namespace

SpecCost estimate_cost(const Spec& spec, const std::vector<GraphState>& graphs,
                       const std::vector<char>& runnable) {
  SpecCost cost;
  const auto counters = static_cast<std::uint64_t>(std::ranges::count_if(
      spec.configurations, [](const Configuration& each) { return each.engine->counts(); }));
  cost.counts = spec.graphs.size() * counters;
  std::uint64_t pairs = 0;  // (configuration, source) pairs
  for (const GraphEntry& graph : spec.graphs) {
    pairs += (spec.configurations.size() - counters) * spec.source_count(graph);
  }
  if (spec.record_time) {
    cost.timed_trials_min = pairs * spec.repeats.minimum;
    cost.timed_trials_max = pairs * spec.repeats.maximum;
  }
  if (spec.record_levels) cost.instrumented_trials = pairs;
  if (spec.record_energy) cost.energy_trials = pairs;
  for (std::size_t i = 0; i < spec.graphs.size(); ++i) {
    cost.graphs.push_back(GraphEstimate(spec, spec.graphs[i], graphs.at(i), runnable).make());
    cost.seconds.least += cost.graphs.back().seconds.least;
    cost.seconds.most += cost.graphs.back().seconds.most;
  }
  return cost;
}

}  // namespace bfslab
