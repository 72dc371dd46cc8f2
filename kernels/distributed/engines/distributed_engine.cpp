// SPDX-License-Identifier: Apache-2.0
#include "kernels/distributed/engines/distributed_engine.hpp"

#include <algorithm>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>

namespace bfslab::distributed {

namespace {

// Sinks keep the address of a technique's name, so the string is never freed.
const char* lasting(std::string_view name) {
  static std::mutex mutex;
  static std::set<std::string, std::less<>> names;
  const std::lock_guard lock(mutex);
  const auto found = names.find(name);
  return (found != names.end() ? found : names.emplace(name).first)->c_str();
}

template <std::size_t Size>
void copy_text(std::string_view text, char (&to)[Size]) {
  const std::size_t length = std::min(text.size(), Size - 1);
  std::copy_n(text.data(), length, to);
  to[length] = 0;
}

}  // namespace

MemberLevel::MemberLevel(level_t level_, Direction direction_, std::string_view technique_,
                         std::string_view part_)
    : level(level_), direction(direction_) {
  copy_text(technique_, technique);
  copy_text(part_, part);
}

MemberMeasure::MemberMeasure(std::string_view part_, std::string_view metric_, double value_,
                             std::string_view unit_, level_t level_)
    : value(value_), level(level_) {
  copy_text(part_, part);
  copy_text(metric_, metric);
  copy_text(unit_, unit);
}

template <typename Plain>
std::vector<std::vector<Plain>> MemberLog::gather(std::vector<Plain>& own) {
  Communicator& all = *member_.all;
  std::vector<Bytes> lists(all.size());
  lists[0] = std::as_bytes(std::span(own));
  const std::vector<Bytes> received = all.all_to_all(lists);
  std::vector<std::vector<Plain>> by_member(all.size());
  for (unsigned from = 0; member_.index() == 0 && from < all.size(); ++from) {
    const std::span<const Plain> values = values_of<Plain>(received[from]);
    by_member[from].assign(values.begin(), values.end());
  }
  all.barrier();
  own.clear();
  return by_member;
}

void MemberLog::begin_level(level_t level, Direction direction, const char* technique,
                            std::uint64_t frontier_vertices) {
  if (live_ && sink_ != nullptr) sink_->begin({level, direction, technique, frontier_vertices});
}

void MemberLog::end_level() {
  if (!live_) return;
  report_levels();
  if (sink_ != nullptr) sink_->end({});
}

void MemberLog::report_levels() {
  struct Row {
    MemberLevel level;
    unsigned member;
  };
  std::vector<Row> rows;
  const std::vector<std::vector<MemberLevel>> by_member = gather(levels_);
  for (unsigned member = 0; member < by_member.size(); ++member) {
    for (const MemberLevel& level : by_member[member]) rows.push_back({level, member});
  }
  if (member_.index() != 0) return;
  std::ranges::stable_sort(rows, {}, [](const Row& row) { return row.level.level; });
  const bool counts = sink_->counts();
  const bool times = sink_->times();
  for (const auto& [level, member] : rows) {
    LevelReport report{
        .start = {level.level, level.direction, lasting(level.technique), level.frontier_vertices},
        .facts = {},
        .rank = member % member_.ranks,
        .gpu = member / member_.ranks,
        .part = level.part};
    if (counts) {
      report.facts = {.frontier_edges = level.frontier_edges,
                      .edges_checked = level.edges_checked,
                      .found_vertices = level.found_vertices,
                      .unvisited_vertices = level.unvisited_vertices,
                      .bytes_sent = level.bytes_sent};
    }
    if (times) {
      report.facts.time_ms = level.time_ms;
      report.facts.clock = level.clock;
    }
    sink_->report(report);
  }
}

void MemberLog::report_all() {
  report_levels();
  const std::vector<std::vector<MemberMeasure>> by_member = gather(measures_);
  if (member_.index() != 0 || !sink_->counts()) return;
  for (unsigned member = 0; member < by_member.size(); ++member) {
    const unsigned gpu = member / member_.ranks;
    for (const MemberMeasure& measure : by_member[member]) {
      std::string part = measure.part;
      if (member_.gpus_per_rank > 1) part += ",gpu=" + std::to_string(gpu);
      Measure row{part, measure.metric, measure.value, measure.unit, {}, member % member_.ranks};
      if (measure.level != kUnreached) row.level = measure.level;
      sink_->measure(row);
    }
  }
}

std::vector<Word> MemberSearch::search_many(std::span<const vertex_t> /*sources*/) {
  throw std::logic_error("this engine searches from one source at a time");
}

AnswerPart MemberSearch::answer_of(std::size_t /*search*/) const {
  throw std::logic_error("this engine searches from one source at a time");
}

std::uint64_t MemberSearch::reached_entries_of(std::size_t /*search*/) const {
  throw std::logic_error("this engine searches from one source at a time");
}

// The state of the engine for one member of this process.
struct DistributedEngine::MemberState {
  std::unique_ptr<EdgeShare> share;
  std::unique_ptr<MemberSearch> search;
  std::unique_ptr<AnswerChecker> checker;  // made at the first validation
  CheckResult result;
};

DistributedEngine::DistributedEngine(EngineSettings settings, MakeSearch make)
    : settings_(std::move(settings)), make_(std::move(make)) {}

// Members are destroyed together, since their destructors are collective.
DistributedEngine::~DistributedEngine() {
  if (!team_) return;
  try {
    team_->run([&](Member& member) { members_[member.gpu].reset(); });
  } catch (...) {
    // A member failed earlier, so collective destruction is impossible.
    members_.clear();
  }
}

void DistributedEngine::load(const GraphSource& source) {
  if (settings_.processes == nullptr) alone_ = alone();
  Processes& processes = settings_.processes != nullptr ? *settings_.processes : *alone_;
  team_ = std::make_unique<Team>(processes, settings_.gpus_per_rank);
  for (unsigned gpu = 0; gpu < settings_.gpus_per_rank; ++gpu) {
    members_.push_back(std::make_unique<MemberState>());
  }
  team_->run([&](Member& member) {
    MemberState& state = *members_[member.gpu];
    state.share = share_edges(source, member);
    state.search = make_(member, *state.share, settings_);
  });
}

void DistributedEngine::traverse(vertex_t source, LevelSink* sink) {
  const bool live = sink != nullptr && sink->live();
  const bool describes = sink != nullptr && sink->counts() && !described_;
  team_->run([&](Member& member) {
    MemberSearch& search = *members_[member.gpu]->search;
    if (sink == nullptr) return search.search(source, nullptr);
    MemberLog log(member, member.gpu == 0 ? sink : nullptr, live);
    search.search(source, &log);
    if (describes) search.describe(log);
    log.report_all();
  });
  described_ = described_ || describes;
}

AnswerView DistributedEngine::answer() const {
  AnswerView view;
  for (const auto& state : members_) {
    view.vertex_count = state->share->vertices();
    view.parts.push_back(state->search->answer());
  }
  return view;
}

MemoryUse DistributedEngine::memory() const {
  MemoryUse sum;
  for (const auto& state : members_) {
    const MemoryUse each = state->search->memory();
    sum.graph += each.graph + state->share->bytes();
    sum.status += each.status;
    sum.queues += each.queues;
    sum.scratch += each.scratch;
    sum.sized_by_device += each.sized_by_device;
  }
  return sum;
}

std::optional<double> DistributedEngine::gpu_ms() const {
  return members_.front()->search->gpu_ms();
}

std::optional<CheckResult> DistributedEngine::check_in_place(std::uint64_t source, bool rules) {
  team_->run([&](Member& member) {
    MemberState& state = *members_[member.gpu];
    const MemberSearch& search = *state.search;
    state.result = check(member, state, source, search.answer(), search.reached_entries(), rules);
  });
  return members_.front()->result;
}

std::size_t DistributedEngine::max_searches() const {
  return members_.front()->search->max_searches();
}

std::vector<double> DistributedEngine::search_many(std::span<const vertex_t> sources) {
  std::vector<double> ms(sources.size());
  team_->run([&](Member& member) {
    std::vector<Word> ns = members_[member.gpu]->search->search_many(sources);
    member.all->all_reduce(ns, Reduction::maximum);
    if (member.gpu != 0) return;
    std::ranges::transform(ns, ms.begin(),
                           [](Word each) { return static_cast<double>(each) / 1e6; });
  });
  return ms;
}

AnswerView DistributedEngine::answer_of(std::size_t search) const {
  AnswerView view;
  for (const auto& state : members_) {
    view.vertex_count = state->share->vertices();
    view.parts.push_back(state->search->answer_of(search));
  }
  return view;
}

std::optional<CheckResult> DistributedEngine::check_in_place_of(std::size_t search,
                                                                std::uint64_t source, bool rules) {
  team_->run([&](Member& member) {
    MemberState& state = *members_[member.gpu];
    state.result = check(member, state, source, state.search->answer_of(search),
                         state.search->reached_entries_of(search), rules);
  });
  return members_.front()->result;
}

CheckResult DistributedEngine::check(Member& member, MemberState& state, global_vertex_t source,
                                     const AnswerPart& part, std::uint64_t reached_entries,
                                     bool rules) {
  Checker* checker = state.search->checker();
  if (checker == nullptr) {
    const Ownership ownership = state.search->ownership();
    if (!state.checker)
      state.checker = std::make_unique<AnswerChecker>(member, *state.share, ownership);
    checker = state.checker.get();
  }
  CheckResult result = checker->check(member, source, part, rules);
  const Word entries = member.all->sum(reached_entries);
  result.component_edges = state.share->rules().symmetric ? entries / 2 : entries;
  return result;
}

}  // namespace bfslab::distributed
