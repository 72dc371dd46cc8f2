// SPDX-License-Identifier: Apache-2.0
#include "harness/run/graph_sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <numeric>
#include <utility>

#include "datasets/load_graph.hpp"
#include "harness/record/row_reader.hpp"
#include "harness/record/spec_rows.hpp"
#include "harness/run/sources.hpp"
#include "harness/run/stopping_rule.hpp"
#include "harness/spec/runnable.hpp"
#include "harness/spec/work.hpp"
#include "kernels/distributed/communicator/processes.hpp"

namespace bfslab {

namespace {

// What is ended from outside is tried again, so many times at once.
constexpr unsigned kAgain = 2;

// Why an engine or a counter cannot do this at all; empty if it can.
std::string cannot(const EngineInfo& engine, const Spec& spec, const GraphRow& graph) {
  const Capabilities& can = engine.can;
  if (engine.counts()) {
    return graph.symmetric || can.directed ? "" : "the counter does not count directed graphs";
  }
  if (!graph.symmetric && !can.directed) return "the engine does not traverse directed graphs";
  if (!can.answers()) return {};  // an external program that tells its time alone
  if (wants_levels(spec.answer) && !can.levels) return "the engine does not compute levels";
  if (wants_parents(spec.answer) && !can.parents) return "the engine does not compute parents";
  return {};
}

bool uses_gpu(const RunRow& row) {
  const EngineInfo* const engine = find_engine(row.engine);
  return !row.gpu.empty() || (engine != nullptr && engine->can.gpu);
}

// Why the remaining trials of a configuration were skipped after its failure.
std::string after(const RunRow& failure) {
  if (!failure.source) return fmt::format("after {}", to_text(failure.status));
  return fmt::format("after {} at source {}", to_text(failure.status), *failure.source);
}

std::vector<MeasureRow> calibration_rows(const char* when, const Calibration& calibration) {
  std::vector<MeasureRow> rows;
  for (const auto& [metric, ms] : {std::pair("calibration_memory", calibration.memory_ms),
                                   std::pair("calibration_compute", calibration.compute_ms),
                                   std::pair("calibration_gpu", calibration.gpu_ms)}) {
    if (ms == 0) continue;
    MeasureRow row;
    row.part = fmt::format("worker {}", when);
    row.metric = metric;
    row.value = ms;
    row.unit = "ms";
    rows.push_back(row);
  }
  return rows;
}

// A configuration that needs the graph whole makes it another one for all of them.
std::string contents_text(const std::string& hash) {
  return hash.starts_with("recipe-")
             ? fmt::format("its recipe alone ({}), since no configuration needs it whole", hash)
             : fmt::format("contents {}", hash);
}

std::string loaded_text(const GraphRow& row) {
  if (!row.load_ms) {
    return fmt::format("{}: not built, {} from its recipe", row.graph,
                       row.source_rule.empty() ? "counted" : "made in parts");
  }
  return fmt::format("{}: {} vertices, {} edges, loaded in {:.0f} ms", row.graph,
                     row.vertices.value_or(0), row.edges.value_or(0), *row.load_ms);
}

}  // namespace

GraphSweep::GraphSweep(SweepContext& context, const TrialGroup& group)
    : context_(context), group_(group) {
  for (const std::size_t c : group.configurations) members_.push_back({c, false, 0, {}});
}

RunRow GraphSweep::blank_row(const Member& member) const {
  RunRow row = planned_row(context_.spec, graph(), context_.spec.configurations[member.index]);
  row.graph_hash = facts_.graph_hash;
  row.build_hash = context_.build_hash;
  row.commit = context_.commit;
  row.environment = context_.results.environment();
  if (have_facts_) row.graph_input_edges = facts_.input_edges;
  return row;
}

RunRow GraphSweep::trial_row(const Member& member, std::optional<std::size_t> source,
                             unsigned repeat, bool instrumented) const {
  RunRow row = blank_row(member);
  if (source) row.source = facts_.sources[*source];
  row.repeat = repeat;
  row.instrumented = instrumented;
  return row;
}

void GraphSweep::run() {
  if (const GraphRow* known = context_.results.graph(graph().text)) {
    refuse_another_graph(*known);
    if (has_sources(*known)) {
      take_up(*known);
      if (no_sources_) nothing_to_search();
      if (!anything_left()) return;
    } else {
      before_ = *known;  // a worker draws the others
    }
  }
  for (unsigned pass = 0; pass < std::max(1U, context_.spec.pollution.attempts); ++pass) {
    drifted_ = false;
    if (!open_worker()) return;
    if (context_.spec.record_time) run_timed();
    if (context_.spec.record_levels) run_instrumented();
    run_counters();
    close_worker();
    if (!drifted_ || incomplete_) return;
    for (Member& member : members_) recount(member);
    if (!anything_left()) return;
  }
}

// Returns whether the sources of this graph's row are those that the spec asks for.
bool GraphSweep::has_sources(const GraphRow& known) const {
  const Spec& spec = context_.spec;
  if (!spec.traverses()) return true;
  const SourceRule rule = spec.sources_of(graph());
  if (rule.rule == SourceRule::Rule::listed) return known.sources == rule.listed;
  if (!known.eligible_sources) return known.sources.size() == rule.count;
  return known.sources.size() == std::min<std::uint64_t>(rule.count, *known.eligible_sources);
}

// Gives the graph's row the sources of the spec, whose number has changed. A rule draws the earlier
// ones first.
void GraphSweep::change_sources(const GraphRow& row) {
  if (row.graph_hash != before_->graph_hash) {
    refuse_changed(contents_text(before_->graph_hash), contents_text(row.graph_hash));
  }
  const std::size_t common = std::min(row.sources.size(), before_->sources.size());
  if (context_.spec.sources.rule != SourceRule::Rule::listed &&
      !std::equal(row.sources.begin(), row.sources.begin() + static_cast<std::ptrdiff_t>(common),
                  before_->sources.begin())) {
    refuse_changed(fmt::format("sources {}", fmt::join(before_->sources, ";")),
                   fmt::format("sources {}", fmt::join(row.sources, ";")));
  }
  context_.progress.step(fmt::format("{}: {} sources instead of {}", row.graph, row.sources.size(),
                                     before_->sources.size()));
  before_->sources = row.sources;
  before_->eligible_sources = row.eligible_sources;
  before_->source_rule = row.source_rule;
  context_.results.replace(*before_);
  before_.reset();
}

// Lets the worker say whether its graph is still what it was, and end.
void GraphSweep::close_worker() {
  if (!worker_) return;
  auto outcome = worker_->ask(CloseRequest{}, [](const std::string&) {});
  std::string fault;
  if (const auto* closed = std::get_if<ClosedReply>(&outcome)) {
    fault = closed->fault;
    judge_drift(closed->calibration);
  }
  const auto* death = std::get_if<WorkerDeath>(&outcome);
  const std::string ending = death != nullptr ? death->reason : worker_->finish();
  worker_.reset();
  if (!ending.empty()) {
    context_.progress.warn(fmt::format("{}: after its last trial the worker {}; its rows are valid",
                                       graph().text, ending));
  }
  const std::vector<RunRow> rows = std::exchange(rows_of_worker_, {});
  if (fault.empty()) return;
  incomplete_ = true;
  context_.progress.warn(
      fmt::format("{}: {}: its {} rows do not count, and are measured again by "
                  "the next run",
                  graph().text, fault, rows.size()));
  for (const RunRow& row : rows) take_back(row, Status::interrupted, fault);
}

// From here on `rows_since_` are measured. A worker that has died could not calibrate once more:
// the next one's calibration stands for it.
void GraphSweep::start_calibrated(const std::optional<Calibration>& before) {
  judge_drift(before);
  calibrated_ = before;
}

void GraphSweep::judge_drift(const std::optional<Calibration>& after) {
  const std::vector<RunRow> rows = std::exchange(rows_since_, {});
  const std::optional<Calibration> before = std::exchange(calibrated_, std::nullopt);
  if (rows.empty() || !before || !after) return;
  context_.results.append_measures(rows.back().trial, calibration_rows("after", *after));
  for (const bool on_gpu : {false, true}) {
    const Drift drift = drift_between(*before, *after, on_gpu);
    if (drift.pct <= context_.spec.pollution.drift_pct) continue;
    std::vector<RunRow> drifted;
    std::ranges::copy_if(rows, std::back_inserter(drifted),
                         [&](const RunRow& row) { return uses_gpu(row) == on_gpu; });
    if (!drifted.empty()) pollute(drifted, drift);
  }
}

void GraphSweep::pollute(const std::vector<RunRow>& rows, const Drift& drift) {
  drifted_ = true;
  context_.results.pollute(rows, drift.words);
  std::size_t again = 0;
  for (const RunRow& row : rows) again += context_.results.journal().state(row).settled ? 0 : 1;
  context_.progress.adjust(static_cast<std::int64_t>(again));
  context_.progress.warn(fmt::format("{}: {}; {} timed trials are polluted{}", graph().text,
                                     drift.words, rows.size(),
                                     again > 0 ? ", and are measured again" : ""));
}

// A row is never changed, except that it turns out to be polluted: another one follows that says
// what became of it.
void GraphSweep::take_back(RunRow row, Status status, const std::string& reason) {
  row.attempt = context_.results.journal().state(row).attempts;
  static_cast<TrialFacts&>(row) = {};
  row.status = status;
  row.reason = reason;
  row.polluted = false;
  row.utc = utc_now();
  context_.results.append(row);
}

// Whether the row tells of the same search as all others of this graph and source do. If not, the
// sequential reference decides who is wrong.
void GraphSweep::compare(RunRow& row) {
  const Agreement::Known* const known = context_.agreement.find(row);
  const SearchCounts own(row);
  if (known == nullptr || known->counts.agrees(own)) return;
  const Agreement::Known before = *known;
  context_.progress.warn(fmt::format("{} on {}, source {}: {}, and {} has {}", row.case_name,
                                     row.graph, *row.source, own.text(), before.who,
                                     before.counts.text()));
  const std::optional<SearchCounts> right = reference(*row.source);
  if (right && !right->agrees(before.counts)) {
    context_.agreement.settle(row, *right);
    if (before.experiment == row.experiment) {
      refute_rows(row, *right);
    } else {
      wrong_elsewhere_ = true;
      context_.progress.warn(
          fmt::format("{} is wrong: the sequential reference has {}", before.who, right->text()));
    }
  }
  if (right && right->agrees(own)) return;
  TrialFacts facts;
  facts.status = Status::wrong;
  facts.setup_ms = row.setup_ms;
  facts.validated = row.validated;
  facts.threads = row.threads;
  static_cast<TrialFacts&>(row) = facts;
  row.polluted = false;
  row.reason =
      fmt::format("{}, and {} has {}", own.text(), right ? "the sequential reference" : before.who,
                  right ? right->text() : before.counts.text());
}

// By a worker of its own, in whose memory nobody has been; nothing where the graph is not loaded
// whole.
std::optional<SearchCounts> GraphSweep::reference(vertex_t source) {
  WorkerProcess judge(context_.results.path() + "/worker.log", {}, context_.interrupts);
  const auto silent = [](const std::string&) {};
  OpenRequest open = open_request();
  open.graph_alone = true;
  const auto opened = judge.ask(open, silent);
  const auto* facts = std::get_if<GraphFactsReply>(&opened);
  if (facts == nullptr || facts->graph_hash != facts_.graph_hash) return std::nullopt;
  TrialRequest request;
  request.source = source;
  request.reference = true;
  const auto told = judge.ask(request, silent);
  const auto* reply = std::get_if<TrialReply>(&told);
  if (reply == nullptr || reply->status != Status::ok) return std::nullopt;
  return SearchCounts(*reply);
}

// This experiment's rows of the same search that tell something else than the reference.
void GraphSweep::refute_rows(const RunRow& row, const SearchCounts& right) {
  const std::string text = read_file(context_.results.path() + "/runs.csv");
  for (const RunRow& other : standing_rows(read_rows<RunRow>(text, {}, Damage::pass_over))) {
    const SearchCounts counts(other);
    if (other.status != Status::ok || other.graph_hash != row.graph_hash ||
        other.source != row.source || right.agrees(counts)) {
      continue;
    }
    const std::string reason = fmt::format("trial {} has {}, and the sequential reference {}",
                                           other.trial, counts.text(), right.text());
    if (!context_.results.journal().state(other).settled ||
        context_.results.journal().state(other).status == Status::ok) {
      take_back(other, Status::wrong, reason);
    }
    context_.progress.warn(
        fmt::format("{} on {}: wrong: {}", other.case_name, other.graph, reason));
  }
  for (Member& member : members_) {
    const RunRow* const failure = context_.results.journal().failure(blank_row(member));
    if (failure != nullptr && !member.failed) {
      skip_the_rest(member, Status::skipped, after(RunRow(*failure)));
    }
  }
}

void GraphSweep::refuse_changed(const std::string& was, const std::string& is) const {
  throw InputError(fmt::format(
      "graph {} has changed: {} holds rows for {}, and now there is {}; use --fresh to move the "
      "old rows aside, or name another folder with --results",
      graph().text, context_.results.path(), was, is));
}

// Rows of earlier runs hold for the same file with the same contents only, also where none is
// missing.
void GraphSweep::refuse_another_graph(const GraphRow& known) const {
  const GraphName& name = graph().name;
  if (known.name != name.canonical) refuse_changed(known.name, name.canonical);
  const std::string rule = to_text(context_.spec.sources.rule);
  if (context_.spec.traverses() && !known.source_rule.empty() && known.source_rule != rule) {
    throw InputError(fmt::format(
        "graph {}: {} holds rows from sources by the rule {}, and the spec says {}, which is the "
        "rule where it names none; name the recorded rule in `sources`, or use --fresh to move the "
        "old rows aside",
        graph().text, context_.results.path(), known.source_rule, rule));
  }
  if (context_.unavailable.contains(name.canonical)) return;
  if (!context_.seen_again.insert(name.canonical).second) return;
  LoadOptions options;
  options.data_folders = context_.data_folders;
  const std::string stamp = graph_stamp(name, options);
  if (known.made_from != stamp) refuse_changed(known.made_from, stamp);
}

// The graph is known: what did earlier runs do, what is missing, what is impossible?
void GraphSweep::take_up(const GraphRow& row) {
  facts_ = row;
  have_facts_ = true;
  const Spec& spec = context_.spec;
  no_sources_ = spec.traverses() && row.sources.empty();
  context_.progress.adjust(
      static_cast<std::int64_t>(planned_trials(spec, group_, row.sources.size())) -
      static_cast<std::int64_t>(planned_trials(spec, group_)));
  for (Member& member : members_) {
    context_.progress.found_done(recount(member));
    if (const RunRow* failure = context_.results.journal().failure(blank_row(member))) {
      // A run that was killed just after a failure still lacks the rows of what it skipped.
      skip_the_rest(member,
                    failure->status == Status::unsupported ? Status::unsupported : Status::skipped,
                    failure->status == Status::unsupported ? failure->reason : after(*failure));
      continue;
    }
    const Configuration& configuration = spec.configurations[member.index];
    if (const std::string why = cannot(*configuration.engine, spec, facts_); !why.empty()) {
      skip_the_rest(member, Status::unsupported, why);
    } else if (configuration.engine->can.external) {
      const std::string missing = cannot_make(configuration, spec.answer);
      if (missing.empty()) continue;
      context_.progress.warn(
          fmt::format("{} on {}: unsupported: {}", configuration.case_name, graph().text, missing));
      fail_for_now(member, Status::unsupported, missing);
    }
  }
}

// Takes the member's times from the journal; returns how many of its trials are settled.
std::uint64_t GraphSweep::recount(Member& member) const {
  const Spec& spec = context_.spec;
  const Journal& journal = context_.results.journal();
  member.times.assign(facts_.sources.size(), {});
  member.spent_s = 0;
  if (counts(member)) return journal.state(count_row(member)).settled ? 1 : 0;
  std::uint64_t found = 0;
  for (std::size_t s = 0; s < facts_.sources.size(); ++s) {
    for (unsigned repeat = 0; spec.record_time && repeat < spec.repeats.maximum; ++repeat) {
      const TrialState state = journal.state(trial_row(member, s, repeat, false));
      if (!state.settled) continue;
      ++found;
      if (!state.time_ms) continue;
      member.times[s].push_back(*state.time_ms);
      member.spent_s += *state.time_ms / 1000;
    }
    if (spec.record_levels && journal.state(trial_row(member, s, 0, true)).settled) ++found;
  }
  return found;
}

// Why this program, on this machine, has no workers of several ranks; empty if it has.
std::string GraphSweep::no_ranks() const {
  if (!distributed::built_with_mpi()) return distributed::kWithoutMpi;
  return context_.launcher.missing();
}

OpenRequest GraphSweep::open_request() const {
  const Spec& spec = context_.spec;
  return {work_text(spec, group_.graph, group_.configurations),
          std::filesystem::absolute(spec.file).string(),
          spec.traverses(),
          spec.needs_csr(graph()),
          /*graph_alone=*/false,
          context_.data_folders,
          context_.cache_folder,
          facts_.graph_hash,
          facts_.sources};
}

bool GraphSweep::open_worker() {
  for (unsigned again = 0; again <= kAgain; ++again) {
    if (open_worker_once(again)) return worker_ != nullptr;
  }
  return false;
}

// False if somebody ended the worker, which is worth another try.
bool GraphSweep::open_worker_once(unsigned again) {
  const Spec& spec = context_.spec;
  if (const auto missing = context_.unavailable.find(graph().name.canonical);
      missing != context_.unavailable.end()) {
    bad_input_ = true;
    graph_failed(Status::skipped, missing->second);
    return true;
  }
  std::vector<std::string> launch;
  if (group_.ranks > 1) {
    if (const std::string why = no_ranks(); !why.empty()) {
      graph_failed(Status::unsupported, why);
      return true;
    }
    launch = context_.launcher.command(group_.ranks, rank_command(group_.ranks));
  }
  rows_of_worker_.clear();
  worker_ = std::make_unique<WorkerProcess>(
      context_.results.path() + "/worker.log",
      WorkerLimits{spec.limits.trial_s, spec.limits.memory_mib << 20}, context_.interrupts,
      std::move(launch));
  const auto notice = [&](const std::string& text) { context_.progress.step("  " + text); };
  auto outcome = worker_->ask(open_request(), notice);
  if (const auto* failed = std::get_if<FailedReply>(&outcome)) {
    bad_input_ = failed->status == Status::skipped;
    graph_failed(failed->status, failed->reason);
    return true;
  }
  if (const auto* death = std::get_if<WorkerDeath>(&outcome)) {
    if (death->status == Status::interrupted && again < kAgain) {
      worker_.reset();
      context_.progress.warn(
          fmt::format("{}: interrupted, and tried again: {}", graph().text, death->reason));
      return false;
    }
    incomplete_ = true;
    graph_failed(death->status, death->reason);
    return true;
  }
  const auto& reply = std::get<GraphFactsReply>(outcome);
  start_calibrated(reply.calibration);
  if (have_facts_) {
    if (reply.graph_hash == facts_.graph_hash) return true;
    refuse_changed(contents_text(facts_.graph_hash), contents_text(reply.graph_hash));
  }
  GraphRow row;
  static_cast<GraphFactsRow&>(row) = reply;
  row.graph = graph().text;
  row.name = graph().name.canonical;
  row.stand_in_for = graph().stand_in_for;
  if (spec.traverses()) row.source_rule = to_text(spec.sources.rule);
  if (before_) {
    change_sources(row);
  } else {
    context_.results.append(row);
  }
  context_.progress.step(loaded_text(row));
  const std::uint32_t wanted = spec.source_count(graph());
  if (spec.traverses() && row.sources.size() < wanted) {
    context_.progress.warn(fmt::format("{}: {} vertices satisfy {}, so {} sources instead of {}",
                                       row.graph, reply.eligible_sources.value_or(0),
                                       row.source_rule, row.sources.size(), wanted));
  }
  if (reply.profiled) {
    context_.progress.warn(
        "a profiler is attached: times include its cost and should not be published");
  }
  take_up(row);
  if (no_sources_) nothing_to_search();
  return true;
}

// A row without a source for each configuration that would have traversed; counters go on.
void GraphSweep::nothing_to_search() {
  const std::string reason =
      fmt::format("no vertex satisfies {}", to_text(context_.spec.sources.rule));
  context_.progress.warn(fmt::format("{}: {}", graph().text, reason));
  for (Member& member : members_) {
    if (!member.failed && !counts(member)) fail_for_now(member, Status::skipped, reason);
  }
}

// Writes a row without a source, of a configuration that did not begin. A later run tries it again.
void GraphSweep::fail_for_now(Member& member, Status status, const std::string& reason) {
  member.failed = true;
  RunRow row = blank_row(member);
  row.status = status;
  row.reason = reason;
  row.utc = utc_now();
  context_.results.append(row);
}

// Rows without a source, also for counters: nothing ran.
void GraphSweep::graph_failed(Status status, const std::string& reason) {
  worker_.reset();
  context_.progress.warn(fmt::format("{}: {}: {}", graph().text, to_text(status), reason));
  for (Member& member : members_) {
    if (member.failed) continue;
    fail_for_now(member, status,
                 status == Status::unsupported ? reason : fmt::format("graph: {}", reason));
  }
}

// Whether (member, source) needs this repeat by the stopping rule, all earlier ones being done.
bool GraphSweep::wanted(const Member& member, std::size_t source, unsigned repeat) const {
  if (repeat < context_.spec.repeats.minimum) return true;
  return member.times[source].size() == repeat &&
         needs_repeat(context_.spec.repeats, member.times[source], member.spent_s);
}

bool GraphSweep::anything_left() const {
  const Spec& spec = context_.spec;
  const Journal& journal = context_.results.journal();
  for (const Member& member : members_) {
    if (member.failed) continue;
    if (counts(member)) {
      if (!journal.state(count_row(member)).settled) return true;
      continue;
    }
    for (std::size_t s = 0; s < facts_.sources.size(); ++s) {
      for (unsigned repeat = 0; spec.record_time && repeat < spec.repeats.maximum; ++repeat) {
        if (wanted(member, s, repeat) &&
            !journal.state(trial_row(member, s, repeat, false)).settled) {
          return true;
        }
      }
      if (spec.record_levels && !journal.state(trial_row(member, s, 0, true)).settled) return true;
    }
  }
  return false;
}

void GraphSweep::run_timed() {
  const Spec& spec = context_.spec;
  if (spec.interleave) {
    for (unsigned repeat = 0; repeat < spec.repeats.maximum; ++repeat) {
      if (spec.repeats.starts_invocation(repeat)) close_worker();
      for (std::size_t s = 0; s < facts_.sources.size(); ++s) {
        run_round(repeat, s, round_order(members_.size(), spec.sources.seed, repeat, s));
      }
    }
    return;
  }
  for (std::size_t m = 0; m < members_.size(); ++m) {
    for (unsigned repeat = 0; repeat < spec.repeats.maximum; ++repeat) {
      if (spec.repeats.starts_invocation(repeat)) close_worker();
      for (std::size_t s = 0; s < facts_.sources.size(); ++s) run_round(repeat, s, {m});
    }
  }
}

// Every configuration once, then again those whose trial was polluted, and so on.
void GraphSweep::run_round(unsigned repeat, std::size_t source,
                           const std::vector<std::size_t>& order) {
  std::vector<char> in_round(members_.size(), 0);
  for (const std::size_t m : order) {
    const Member& member = members_[m];
    in_round[m] = !member.failed && !counts(member) && wanted(member, source, repeat) ? 1 : 0;
  }
  for (unsigned pass = 0; pass < std::max(1U, context_.spec.pollution.attempts); ++pass) {
    for (std::size_t position = 0; position < order.size(); ++position) {
      Member& member = members_[order[position]];
      if (in_round[order[position]] == 0 || member.failed) continue;
      const TrialState state =
          context_.results.journal().state(trial_row(member, source, repeat, false));
      if (state.settled || state.measured > pass) continue;
      run_trial(member, source, repeat, position, false);
    }
  }
}

void GraphSweep::run_instrumented() {
  for (std::size_t s = 0; s < facts_.sources.size(); ++s) {
    for (std::size_t m = 0; m < members_.size(); ++m) {
      if (members_[m].failed || counts(members_[m])) continue;
      if (context_.results.journal().state(trial_row(members_[m], s, 0, true)).settled) continue;
      run_trial(members_[m], s, 0, m, true);
    }
  }
}

void GraphSweep::run_counters() {
  for (std::size_t m = 0; m < members_.size(); ++m) {
    if (members_[m].failed || !counts(members_[m])) continue;
    if (context_.results.journal().state(count_row(members_[m])).settled) continue;
    run_trial(members_[m], std::nullopt, 0, m, true);
  }
}

void GraphSweep::run_trial(Member& member, std::optional<std::size_t> source, unsigned repeat,
                           std::size_t order, bool instrumented) {
  for (unsigned again = 0; again <= kAgain; ++again) {
    if (!worker_ && !open_worker()) return;
    if (attempt_trial(member, source, repeat, order, instrumented, again)) return;
  }
}

// False if somebody ended it, which is worth another try.
bool GraphSweep::attempt_trial(Member& member, std::optional<std::size_t> source, unsigned repeat,
                               std::size_t order, bool instrumented, unsigned again) {
  const Spec& spec = context_.spec;
  RunRow row = trial_row(member, source, repeat, instrumented);
  row.attempt = context_.results.journal().state(row).attempts;
  row.position_in_round = order;
  const auto place = static_cast<std::size_t>(&member - members_.data());
  const TrialRequest request{place, row.source, instrumented, wants_check(row)};
  auto outcome =
      worker_->ask(request, [&](const std::string& text) { context_.progress.step(text); });
  row.utc = utc_now();
  std::vector<LevelRow> levels;
  std::vector<MeasureRow> measures;
  bool may_again = false;
  if (auto* reply = std::get_if<TrialReply>(&outcome)) {
    static_cast<TrialFacts&>(row) = *reply;
    row.polluted = row.status == Status::ok && reply->foreign_load_pct > spec.pollution.limit_pct;
    if (row.status == Status::ok && worker_->was_stopped()) {
      row.foreign_load_pct = 100;
      row.polluted = spec.pollution.limit_pct < 100;
      reply->disturbance = "a signal stopped the worker for a while";
    }
    if (row.polluted) row.reason = reply->disturbance;
    if (const std::string why = impossible_time(row); !why.empty()) {
      const bool external = spec.configurations[member.index].engine->can.external;
      row.status = external ? Status::unsupported : Status::crash;
      row.polluted = false;
      row.reason = why + (external ? ", as the program reports it: search a larger graph, or leave "
                                     "out \"time\" so that its process is timed"
                                   : "");
    }
    levels = std::move(reply->level_rows);
    measures = std::move(reply->measures);
  } else if (const auto* death = std::get_if<WorkerDeath>(&outcome)) {
    worker_.reset();
    row.status = death->status;
    row.reason = death->reason;
    may_again = row.status == Status::interrupted && again < kAgain;
    if (row.status == Status::interrupted && !death->certain && !may_again) {
      row.status = Status::crash;
      row.reason += fmt::format(", {} times in a row", kAgain + 1);
    }
  } else {
    throw std::runtime_error("a worker answered a trial with an unexpected reply");
  }
  if (row.status == Status::ok) compare(row);
  if (row.status != Status::ok) {
    levels.clear();
    measures.clear();
  }
  if (row.status == Status::ok && !instrumented && rows_since_.empty() && calibrated_) {
    for (MeasureRow& each : calibration_rows("before", *calibrated_)) measures.push_back(each);
  }
  row.trial = context_.results.append(row, levels, measures);
  if (row.status == Status::ok) {
    if (!instrumented) rows_since_.push_back(row);
    context_.agreement.add(row);
    rows_of_worker_.push_back(row);
    finish_trial(member, row);
    const TrialState state = context_.results.journal().state(row);
    if (state.settled && !instrumented && state.time_ms) {
      member.times[*source].push_back(*state.time_ms);
      member.spent_s += *state.time_ms / 1000;
    }
    return true;
  }
  if (row.status != Status::interrupted) {
    context_.progress.trial_done(row.graph, row.case_name, true);
  }
  context_.progress.warn(
      fmt::format("{} on {}: {}: {}", row.case_name, row.graph, to_text(row.status), row.reason));
  if (row.status == Status::unsupported) {  // reported in order: nothing went wrong
    skip_the_rest(member, Status::unsupported, row.reason);
    return true;
  }
  // The failure may have damaged the process: the others continue in a new one.
  if (row.status == Status::wrong) close_worker();
  worker_.reset();
  rows_of_worker_.clear();
  if (row.status != Status::interrupted) {
    skip_the_rest(member, Status::skipped, after(row));
  } else if (!may_again) {
    // It is no failure of the configuration, whose other trials a later run makes up for.
    member.failed = true;
    incomplete_ = true;
  }
  return !may_again;
}

// Each build checks one run of each configuration and source among those that count. Until one has
// been checked, each attempt is, since which of them counts shows later. The counting code differs
// from the timed code, so it is checked on its own.
bool GraphSweep::wants_check(const RunRow& row) const {
  if (context_.spec.check != CheckMode::first) return context_.spec.check == CheckMode::all;
  const Journal& journal = context_.results.journal();
  RunRow earlier = row;
  for (earlier.repeat = 0; earlier.repeat < row.repeat; ++earlier.repeat) {
    const TrialState state = journal.state(earlier);
    if (state.settled && state.validated) return false;
  }
  return true;
}

void GraphSweep::finish_trial(const Member& member, const RunRow& row) {
  const Journal& journal = context_.results.journal();
  if (!journal.state(row).settled) return;  // polluted, and to be repeated
  if (!row.instrumented && row.repeat >= context_.spec.repeats.minimum) context_.progress.adjust(1);
  const Configuration& configuration = context_.spec.configurations[member.index];
  context_.progress.trial_done(row.graph, configuration.case_name, true);
}

void GraphSweep::skip_the_rest(Member& member, Status status, const std::string& reason) {
  member.failed = true;
  const Spec& spec = context_.spec;
  const auto skip = [&](RunRow row) {
    if (context_.results.journal().state(row).settled) return;
    row.attempt = context_.results.journal().state(row).attempts;
    row.status = status;
    row.reason = reason;
    row.utc = utc_now();
    context_.results.append(row);
    context_.progress.trial_done(row.graph, row.case_name, false);
  };
  if (counts(member)) return skip(count_row(member));
  for (std::size_t s = 0; s < facts_.sources.size(); ++s) {
    for (unsigned repeat = 0; spec.record_time && repeat < spec.repeats.minimum; ++repeat) {
      skip(trial_row(member, s, repeat, false));
    }
    if (spec.record_levels) skip(trial_row(member, s, 0, true));
  }
}

}  // namespace bfslab
