// SPDX-License-Identifier: Apache-2.0
#include "kernels/distributed/engines/delegate/search.hpp"

#include <algorithm>
#include <functional>
#include <span>
#include <utility>

#include "kernels/distributed/engines/delegate/phase_clock.hpp"
#include "kernels/distributed/ownership.hpp"

namespace bfslab::distributed::delegate {

namespace {

constexpr const char* kPhaseNames[] = {"compute", "local_exchange", "normal_exchange",
                                       "mask_reduction", "agreement"};

class DelegateSearch final : public MemberSearch {
 public:
  DelegateSearch(Member& member, std::shared_ptr<const Separation> graph,
                 std::unique_ptr<LocalWork> work, std::unique_ptr<Communicator> data,
                 const SearchSettings& settings)
      : member_(member),
        all_(*member.all),
        graph_(std::move(graph)),
        own_data_(std::move(data)),
        data_(own_data_ ? *own_data_ : all_),
        work_(std::move(work)),
        settings_(settings),
        own_(Ownership::round_robin(graph_->vertices, member.count())) {
    // Backward visits read a subgraph's reverse, which only a symmetric graph's members have.
    settings_.direction.optimized = settings_.direction.optimized && graph_->symmetric;
    if (settings_.local_all_to_all) {
      inside_ = data_.split(member.rank, member.gpu);
      across_ = data_.split(member.gpu, member.rank);
    }
  }

  void search(global_vertex_t source, MemberLog* log) override {
    const bool recorded = log != nullptr;
    PhaseClock clock(recorded, settings_.phases_overlap, *work_);
    // Under a profiler hosts launch the levels, so that each is seen.
    const bool in_one_kernel = work_->runs_levels() && !(recorded && log->live());
    start(source, in_one_kernel);
    if (in_one_kernel) {
      level_t level = 0;
      for (const LevelFacts& facts : work_->run_levels(settings_.direction, recorded)) {
        begin(*log, level, facts);
        end(*log, level++, facts);
      }
      return work_->finish(data_);
    }
    for (level_t level = 0;; ++level) {
      LevelFacts facts;
      facts.load = work_->pre_visit(level, settings_.direction, backward_, recorded);
      clock.leave_out(facts.load.recording_ms);
      // A member that is alone knows from its own workload that the search is over.
      if (alone() && facts.load.normals + facts.load.delegates == 0) break;
      settings_.direction.choose(backward_, facts.load.by_class);
      facts.backward = backward_;
      if (recorded) begin(*log, level, facts);
      facts.done = work_->visit(active_among(facts.load.by_class), backward_, level, recorded);
      const bool over = !alone() && !exchange(level, facts, clock, recorded);
      clock.enter(Phase::compute);
      work_->take_delegates();
      if (recorded) {
        facts.own_delegates_found = work_->own_delegates_found();
        const LevelTimes times = clock.take();
        facts.phase_ms = times.phase_ms;
        facts.overlap_ms = times.overlap_ms;
        end(*log, level, facts);
      }
      if (over) break;
    }
    work_->finish(data_);
  }

  [[nodiscard]] AnswerPart answer() const override {
    AnswerPart part = work_->answer();
    part.rank = member_.rank;
    return part;
  }
  [[nodiscard]] Ownership ownership() const override { return own_; }
  [[nodiscard]] std::uint64_t reached_entries() const override { return work_->reached_entries(); }
  [[nodiscard]] MemoryUse memory() const override { return work_->memory(); }
  [[nodiscard]] std::optional<double> gpu_ms() const override { return work_->gpu_ms(); }

  void describe(MemberLog& log) const override {
    const Separation& g = *graph_;
    const auto fact = [&](const char* part, const char* metric, std::uint64_t value,
                          const char* unit = "1") {
      log.add(MemberMeasure(part, metric, static_cast<double>(value), unit));
    };
    fact("partition", "threshold", g.threshold);
    fact("partition", "delegates", g.delegate_count());
    fact("partition", "owned_vertices", g.owned);
    for (const EdgeClass which : {EdgeClass::nn, EdgeClass::nd, EdgeClass::dn, EdgeClass::dd}) {
      const StoredSubgraph& each = g.stored[which];
      fact(to_text(which), "edges", each.edges);
      fact(to_text(which), "memory_offsets", each.offset_bytes, "B");
      fact(to_text(which), "memory_columns", each.column_bytes, "B");
      fact(to_text(which), "offset_width", each.offset_width, "B");
    }
    fact("partition", "memory", g.stored_bytes(), "B");
    for (const SetupTimes::Step& step : g.times.steps()) {
      log.add(MemberMeasure("setup", step.name, step.ms, "ms"));
    }
  }

 private:
  [[nodiscard]] bool alone() const { return all_.size() == 1; }
  // Returns the bytes that the communicators of masks and lists have sent.
  [[nodiscard]] std::uint64_t data_sent() const {
    return data_.bytes_sent() + (inside_ ? inside_->bytes_sent() + across_->bytes_sent() : 0);
  }

  void start(global_vertex_t source, bool in_one_kernel) {
    backward_ = {};
    local_vertex_t delegate = LocalWork::kNone;
    local_vertex_t vertex = LocalWork::kNone;
    if (const local_vertex_t number = graph_->number_of(source);
        number != Separation::kNoDelegate) {
      delegate = number;
    } else if (own_.owner(source) == member_.index()) {
      vertex = static_cast<local_vertex_t>(own_.local(source));
    }
    work_->reset(delegate, vertex, in_one_kernel);
  }

  // Ends a level: delegates are exchanged as masks, and normal vertices as lists. Returns true if
  // any member found anything: lists have only vertices that were unvisited as far as the sender
  // knew.
  bool exchange(level_t level, LevelFacts& facts, PhaseClock& clock, bool recorded) {
    clock.enter(Phase::agreement);
    PerEdgeClass<Visited>& done = facts.done;
    std::uint64_t outgoing = 0;
    for (unsigned to = 0; to < all_.size(); ++to) outgoing += work_->outgoing(to).size();
    const std::uint64_t found = done[EdgeClass::nn].found + done[EdgeClass::dn].found;
    std::array<Word, 3> agreed = {work_->found_any_delegate() ? Word{1} : Word{0},
                                  outgoing > 0 ? Word{1} : Word{0}, found};
    const std::uint64_t agreed_before = all_.bytes_sent();
    all_.all_reduce(agreed, Reduction::sum);
    const std::uint64_t agreement_bytes = all_.bytes_sent() - agreed_before;
    const bool masks = agreed[0] > 0;
    const bool lists = agreed[1] > 0;
    clock.enter(Phase::mask_reduction);
    const std::uint64_t masks_before = data_sent();
    const bool beside = masks && settings_.non_blocking_reduction;
    if (beside) {
      clock.begin_reduction();
      data_.begin_all_reduce(work_->found_delegates(), Reduction::bit_or);
    } else if (masks) {
      data_.all_reduce(work_->found_delegates(), Reduction::bit_or);
    }
    const std::uint64_t lists_before = data_sent();
    if (lists) done[EdgeClass::nn].found += exchange_normals(level, clock, recorded);
    facts.mask_bytes = lists_before - masks_before;
    facts.list_bytes = data_sent() - lists_before;
    facts.bytes_sent = agreement_bytes + facts.mask_bytes + facts.list_bytes;
    clock.enter(Phase::mask_reduction);
    if (beside) {
      data_.finish_all_reduce();
      clock.end_reduction(data_);
    }
    return masks || lists || agreed[2] > 0;
  }

  // Sends normal vertices to their owners. Returns how many were new here, if that is `recorded`.
  std::uint64_t exchange_normals(level_t level, PhaseClock& clock, bool recorded) {
    std::vector<Bytes> lists(all_.size());
    for (unsigned to = 0; to < all_.size(); ++to) lists[to] = work_->outgoing(to);
    Communicator* receivers = &data_;
    if (settings_.local_all_to_all) {
      // First, within the rank: GPU x gathers the lists for GPU x of any rank.
      clock.enter(Phase::local_exchange);
      std::vector<Bytes> by_rank(member_.ranks);
      for (unsigned rank = 0; rank < by_rank.size(); ++rank) {
        std::vector<Bytes> inside(member_.gpus_per_rank);
        for (unsigned gpu = 0; gpu < inside.size(); ++gpu) {
          inside[gpu] = lists[gpu * member_.ranks + rank];
        }
        by_rank[rank] = work_->join(inside_->all_to_all(inside), rank);
      }
      lists = std::move(by_rank);
      receivers = across_.get();
    }
    if (settings_.uniquify) work_->make_unique(lists);
    clock.enter(Phase::normal_exchange);
    const std::vector<Bytes> received = receivers->all_to_all(lists);
    clock.enter(Phase::compute);
    std::uint64_t found = 0;
    for (const Bytes list : received) found += work_->take_normals(list, level, recorded);
    return found;
  }

  void begin(MemberLog& log, level_t level, const LevelFacts& facts) {
    const bool any_backward = std::ranges::any_of(facts.backward.each, std::identity{});
    const std::uint64_t frontier = all_.sum(facts.load.normals + facts.load.own_delegates);
    log.begin_level(level, any_backward ? Direction::bottom_up : Direction::top_down, "delegate",
                    frontier);
  }

  // Counts the frontier's normal vertices in the row of nn, and its delegates in the row of dd of
  // their owner, so that the rows of a level add up to it; new delegates are in the row of dd, too.
  void end(MemberLog& log, level_t level, const LevelFacts& facts) {
    const Workloads& load = facts.load;
    for (const EdgeClass subgraph : {EdgeClass::nn, EdgeClass::nd, EdgeClass::dn, EdgeClass::dd}) {
      const bool looks = facts.backward[subgraph];
      MemberLevel part(level, looks ? Direction::bottom_up : Direction::top_down,
                       looks ? "backward" : "forward", to_text(subgraph));
      part.frontier_edges = load.by_class[subgraph].forward;
      part.edges_checked = facts.done[subgraph].edges;
      part.found_vertices = facts.done[subgraph].found;
      if (subgraph == EdgeClass::nn) {
        part.frontier_vertices = load.normals;
        part.unvisited_vertices = load.unvisited_normals;
        part.bytes_sent = facts.bytes_sent;
        for (const double ms : facts.phase_ms) part.time_ms += ms;
        part.time_ms -= facts.overlap_ms;
      }
      if (subgraph == EdgeClass::dd) {
        part.frontier_vertices = load.own_delegates;
        part.unvisited_vertices = load.unvisited_own_delegates;
        part.found_vertices = facts.own_delegates_found;
      }
      part.clock = facts.clock;
      log.add(part);
    }
    for (std::size_t phase = 0; phase < kPhases; ++phase) {
      log.add(MemberMeasure("phase", kPhaseNames[phase], facts.phase_ms[phase], "ms", level));
    }
    if (settings_.phases_overlap) {
      log.add(MemberMeasure("level", "overlap", facts.overlap_ms, "ms", level));
    }
    const auto bytes = [&](Phase phase, std::uint64_t sent) {
      if (sent == 0) return;
      log.add(MemberMeasure("bytes", kPhaseNames[static_cast<std::size_t>(phase)],
                            static_cast<double>(sent), "B", level));
    };
    bytes(Phase::mask_reduction, facts.mask_bytes);
    bytes(Phase::normal_exchange, facts.list_bytes);
    for (const auto& [name, ms] : facts.steps) {
      log.add(MemberMeasure("step", name, ms, "ms", level));
    }
    log.end_level();
  }

  Member& member_;
  Communicator& all_;
  std::shared_ptr<const Separation> graph_;  // with the GPU that it lies on, so it goes last
  std::unique_ptr<Communicator> own_data_;
  Communicator& data_;  // for masks and lists
  std::unique_ptr<LocalWork> work_;
  SearchSettings settings_;
  Ownership own_;
  std::unique_ptr<Communicator> inside_, across_;  // of this rank; of this GPU on all ranks
  Backward backward_{};
};

}  // namespace

std::unique_ptr<MemberSearch> make_search(Member& member, std::shared_ptr<const Separation> graph,
                                          std::unique_ptr<LocalWork> work,
                                          std::unique_ptr<Communicator> data,
                                          const SearchSettings& settings) {
  return std::make_unique<DelegateSearch>(member, std::move(graph), std::move(work),
                                          std::move(data), settings);
}

}  // namespace bfslab::distributed::delegate
