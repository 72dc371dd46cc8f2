// SPDX-License-Identifier: Apache-2.0
// The work of a member of `delegate-cuda` (local_work.hpp): levels that the host launches, a kernel
// per step, and the parts that do the rest.
//
// A level is queued on two streams, as in Figure 3: what finds delegates (dd and nd) beside what
// finds normal vertices (dn and nn). The host waits once per level with one member, for the
// workloads from which directions are chosen, and once more with several, for what visits found.
//
// Cost of a level beside its edges: two launches and a read-back (some 15 us on an H200), 12 bytes
// for 32 delegates and 8 for 32 normal vertices, read in order.
#include <algorithm>
#include <array>
#include <chrono>

#include "kernels/distributed/engines/delegate/answer.cuh"
#include "kernels/distributed/engines/delegate/host_visits.cuh"
#include "kernels/distributed/engines/delegate/one_kernel_search.cuh"
#include "kernels/distributed/engines/delegate/unique_lists.cuh"

namespace bfslab::distributed::delegate {

namespace {

__global__ void reset_all(const __grid_constant__ ResetView view,
                          const __grid_constant__ LevelBegin begin) {
  view.reset(begin);
}

__global__ void __launch_bounds__(kLookThreads)
    begin_level(const __grid_constant__ LevelBegin begin, const std::uint32_t* known, level_t level,
                LevelCounts* now, LevelCounts* next, unsigned members, std::uint64_t* sent_begin,
                std::uint32_t* sent_count) {
  LevelSums sums;
  begin.take_delegates(
      [known](std::size_t word, const uint4& /*before*/) {
        return *reinterpret_cast<const uint4*>(known + word);
      },
      nullptr, level, sums);
  begin.take_normals<false>(level, *now, sums);
  sums.add_to(*now);
  if (cuda::thread_in_grid() == 0) {
    *next = LevelCounts{};
    for (unsigned to = 0; members > 1 && to < members; ++to) {
      sent_begin[to] += sent_count[to];
      sent_count[to] = 0;
    }
  }
}

__global__ void __launch_bounds__(kLookThreads)
    sum_all_edges(const __grid_constant__ LevelBegin begin, LevelCounts* now) {
  begin.sum_all_edges(*now);
}

__global__ void __launch_bounds__(kLookThreads)
    queue_level(const __grid_constant__ LevelBegin begin,
                const __grid_constant__ DirectionRule rule, Backward last, Unvisited unvisited,
                LongRows long_rows, LevelCounts* now) {
  const Wanted wanted = wanted_of_counted(*now, unvisited, rule, last);
  begin.queue_frontier(wanted, *now);
  if (blockIdx.x != 0) return;
  const bool open = long_rows.any_open(begin.visited);
  if (__syncthreads_or(open ? 1 : 0) != 0 && threadIdx.x == 0) now->long_open = 1;
}

// Moments of a stream, by events.
class StreamMoments final : public Moments {
 public:
  explicit StreamMoments(const cuda::Stream& stream) : stream_(stream) {}

  void mark() override {
    if (marked_ == events_.size()) events_.emplace_back();
    events_[marked_++].record(stream_);
  }
  std::vector<double> take() override {
    stream_.wait();
    std::vector<double> between;
    for (std::size_t i = 1; i < marked_; ++i) {
      between.push_back(ms_between(events_[i - 1], events_[i]));
    }
    std::swap(events_[0], events_[marked_ - 1]);
    marked_ = 1;
    return between;
  }

 private:
  const cuda::Stream& stream_;
  std::vector<cuda::Event> events_;
  std::size_t marked_ = 0;
};

class GpuWork final : public LocalWork {
 public:
  GpuWork(const DeviceSubgraphs& graph, const Places& places, const MemberGpu& gpu,
          const Member& member, const WorkSettings& settings)
      : memory_(graph, places, gpu, member, settings) {
    if (settings.one_kernel) one_kernel_ = std::make_unique<OneKernelSearch>(memory_, *member.all);
  }
  ~GpuWork() override { static_cast<void>(cudaDeviceSynchronize()); }

  void reset(local_vertex_t delegate, local_vertex_t vertex, bool in_one_kernel) override {
    begin_.record(memory_.stream);
    reset_ = memory_.reset_view(delegate, vertex);
    written_ = false;
    progress_ = memory_.progress();
    if (in_one_kernel) return;  // the kernel resets
    reset_.sent_first = memory_.sent.first_on_gpu.data();
    const std::uint64_t most =
        std::max<std::uint64_t>(memory_.places.count(), memory_.graph.delegate_count());
    BFSLAB_LAUNCH(reset_all, blocks_for(most), memory_.stream, reset_, memory_.level_begin());
    sent_now_ = memory_.sent.first;
    std::fill_n(sent_seen_.data(), sent_seen_.size(), 0U);
  }
  Workloads pre_visit(level_t level, const DirectionRule& rule, const Backward& last,
                      bool recorded) override {
    lists_.next_level();
    for (unsigned to = 0; to < memory_.members; ++to) {
      sent_now_[to] += sent_seen_[to];
      sent_seen_[to] = 0;
    }
    const cudaStream_t stream = memory_.stream.get();
    const LevelBegin begin = memory_.level_begin();
    LevelCounts* const counts = memory_.counts_of(level);
    const std::size_t most = std::max(begin.normal_words, begin.delegate_words);
    static const unsigned at_begin = cuda::blocks_at_once(&begin_level, kLookThreads, 0);
    BFSLAB_LAUNCH_SIZED(begin_level, std::min(at_begin, blocks_for(most / 4)), kLookThreads, 0,
                        stream, begin, memory_.found, level, counts, memory_.counts_of(level + 1),
                        memory_.members, memory_.sent.begin.data(), memory_.sent.count.data());
    double recording_ms = 0;
    if (recorded) {
      memory_.stream.wait();
      const auto since = std::chrono::steady_clock::now();
      BFSLAB_LAUNCH_SIZED(sum_all_edges, blocks_for(most), kLookThreads, 0, stream, begin, counts);
      memory_.stream.wait();
      const auto spent = std::chrono::steady_clock::now() - since;
      recording_ms = std::chrono::duration<double, std::milli>(spent).count();
    }
    static const unsigned at_queue = cuda::blocks_at_once(&queue_level, kLookThreads, 0);
    BFSLAB_LAUNCH_SIZED(queue_level, std::min(at_queue, blocks_for(most / 4)), kLookThreads, 0,
                        stream, begin, rule, last, progress_.unvisited, memory_.arrays.long_rows(),
                        counts);
    read_counts(level);
    memory_.stream.wait();
    load_ = progress_.take(seen_[0], recorded);
    load_.recording_ms = recording_ms;
    return load_;
  }
  PerEdgeClass<Visited> visit(const PerEdgeClass<bool>& active, const Backward& backward,
                              level_t level, bool counted) override {
    // The host waited for the pre-visit, so that both streams may begin at once.
    const bool finds_delegates = active[EdgeClass::dd] || active[EdgeClass::nd];
    LevelCounts* const counts = memory_.counts_of(level);
    const VertexStatus& status = memory_.status;
    const auto count_normals = [&](unsigned long long* count) {
      memory_.add_new_bits(status.reached.data(), status.reached_before, count);
    };
    for (const EdgeClass subgraph : {EdgeClass::dd, EdgeClass::nd, EdgeClass::dn, EdgeClass::nn}) {
      if (subgraph == EdgeClass::nn && counted) count_normals(&counts->found_by_dn);
      if (active[subgraph]) visit(subgraph, backward[subgraph], level);
    }
    if (finds_delegates) joined_streams_.order(beside_.get(), memory_.stream.get());
    PerEdgeClass<Visited> done;
    if (memory_.members == 1 && !counted) return done;
    count_normals(&counts->found_normals);
    memory_.add_new_bits(memory_.found, status.visited, &counts->found_delegates);
    read_counts(level);
    if (memory_.members > 1) {
      cuda::copy(sent_seen_.data(), memory_.sent.count.data(), memory_.members, memory_.stream);
    }
    memory_.stream.wait();
    done[EdgeClass::dn].found = seen_[0].found_by_dn;
    done[EdgeClass::nn].found = seen_[0].found_normals - seen_[0].found_by_dn;
    set_edges(done, active, backward, seen_[0], load_);
    return done;
  }
  std::span<Word> found_delegates() override {
    return {reinterpret_cast<Word*>(memory_.found), memory_.status.visited.size() / 2};
  }
  [[nodiscard]] bool found_any_delegate() const override { return seen_[0].found_delegates > 0; }
  void take_delegates() override {}  // the next pre-visit does
  [[nodiscard]] std::uint64_t own_delegates_found() const override {
    return memory_.new_bits(memory_.found, memory_.status.visited, memory_.arrays.own.data());
  }
  [[nodiscard]] Bytes outgoing(unsigned to) const override {
    const std::size_t size = memory_.entry_bytes();
    return {memory_.sent.lists + sent_now_[to] * size, sent_seen_[to] * size};
  }
  void make_unique(std::span<Bytes> lists) override { lists_.make_unique(lists); }
  Bytes join(std::span<const Bytes> lists, unsigned rank) override {
    return lists_.join(lists, rank);
  }
  std::uint64_t take_normals(Bytes list, level_t /*level*/, bool counted) override {
    if (list.empty()) return 0;
    const VertexStatus& status = memory_.status;
    const auto found = [&] {
      return counted ? memory_.new_bits(status.reached.data(), status.reached_before) : 0;
    };
    const std::uint64_t before = found();
    lists_.take(list);
    return found() - before;
  }
  [[nodiscard]] bool runs_levels() const override { return one_kernel_ != nullptr; }
  std::vector<LevelFacts> run_levels(const DirectionRule& rule, bool recorded) override {
    one_kernel_->launch(reset_, rule, recorded);
    write_answer();
    return one_kernel_->finish(recorded);
  }
  void finish(Communicator& data) override {
    if (!written_) write_answer();
    if (memory_.parents_wanted && memory_.members > 1) {
      // Where one kernel runs all levels, delegates have their parents.
      const std::uint32_t delegates = one_kernel_ ? 0 : memory_.graph.delegate_count();
      if (!one_kernel_ || !memory_.carries_parents) requests_.fetch(data, delegates);
      data.barrier();  // before what others read where it lies is written again
    }
    end_.record(memory_.stream);
    memory_.stream.wait();
  }
  void wait() override {
    memory_.stream.wait();
    beside_.wait();
  }

  [[nodiscard]] std::unique_ptr<Moments> moments() const override {
    return std::make_unique<StreamMoments>(memory_.stream);
  }

  [[nodiscard]] AnswerPart answer() const override {
    return {
        .ids = memory_.own.ids(memory_.me),
        .space = MemorySpace::device,
        .device = memory_.gpu.device(),
        .levels = wants_levels(memory_.settings.answer) ? memory_.status.levels.data() : nullptr,
        .parents = memory_.status.parents.data()};
  }
  [[nodiscard]] std::uint64_t reached_entries() const override { return memory_.reached_entries(); }
  [[nodiscard]] MemoryUse memory() const override {
    MemoryUse use = memory_.use();
    lists_.add_to(use);
    requests_.add_to(use);
    if (one_kernel_) one_kernel_->add_to(use);
    return use;
  }
  [[nodiscard]] std::optional<double> gpu_ms() const override { return ms_between(begin_, end_); }

 private:
  // Queues the writing of the answer, as far as this member has it or can read it.
  void write_answer() {
    if (one_kernel_ && memory_.parents_wanted && memory_.members > 1 &&
        memory_.graph.delegate_count() > 0) {
      read_parents_of_delegates(memory_, one_kernel_->delegate_parents(), one_kernel_->done());
    }
    delegate::write_answer(memory_, reset_.vertex);
    written_ = true;
  }
  // Queues the visit of a subgraph: of dd and nd beside what finds normal vertices.
  void visit(EdgeClass subgraph, bool backward, level_t level) {
    LevelCounts* const counts = memory_.counts_of(level);
    unsigned long long* const checked = &counts->checked[static_cast<std::size_t>(subgraph)];
    const DeviceSubgraphs& graph = memory_.graph;
    const Entries normals{memory_.queue.data(), seen_[0].queued, &counts->queued};
    const Entries delegates{memory_.list.data(), seen_[0].listed, &counts->listed};
    const VisitStream finds_normals{memory_.stream, memory_.other_sums};
    const VisitStream finds_delegates{beside_, memory_.sums};
    switch (subgraph) {
      case EdgeClass::nn:
        return launch_forward(
            graph.nn, normals,
            TakeOrSend{memory_.normals(), memory_.me, memory_.normal_names(), memory_.sent_view()},
            finds_normals, memory_);
      case EdgeClass::nd:
        if (backward) {
          return launch_look(graph.dn, memory_.nd_look(), memory_.status.visited.size(),
                             left(long_nd, level), checked, beside_);
        }
        return launch_forward(graph.nd, normals,
                              MarkDelegates<false>{memory_.delegates(), memory_.normal_names()},
                              finds_delegates, memory_);
      case EdgeClass::dn:
        if (backward) {
          return launch_look(graph.nd, memory_.normals_look(), memory_.status.reached.size(), {},
                             checked, memory_.stream);
        }
        return launch_forward(graph.dn, delegates,
                              TakeNormals{memory_.normals(), memory_.status.names.data()},
                              finds_normals, memory_);
      case EdgeClass::dd:
        if (backward) {
          return launch_look(graph.dd, memory_.dd_look(), memory_.status.visited.size(),
                             left(long_dd, level), checked, beside_);
        }
        return launch_merged(graph.dd, delegates,
                             MarkDelegates<true>{memory_.delegates(), memory_.normal_names()},
                             finds_delegates, memory_.merge_blocks);
    }
  }
  void read_counts(level_t level) {
    cuda::copy(seen_.data(), memory_.counts_of(level), 1, memory_.stream);
  }
  // Where a visit of this level leaves long rows.
  [[nodiscard]] LeftRows left(LongRowVisit which, level_t level) const {
    if (seen_[0].long_open == 0) return {};
    return {memory_.left_rows[which == long_nd].data(),
            &memory_.counts_of(level)->left_long[which]};
  }

  GpuMemory memory_;
  cuda::Stream beside_;
  cuda::OrderEvent joined_streams_;
  ResetView reset_;       // the beginning of this search
  bool written_ = false;  // its answer
  Progress progress_;
  Workloads load_;
  cuda::PinnedBuffer<LevelCounts> seen_{1};
  std::vector<std::uint64_t> sent_now_;  // [members] entries before those of the level
  cuda::PinnedBuffer<std::uint32_t> sent_seen_{memory_.members};
  UniqueLists lists_{memory_};
  ParentRequests requests_{memory_};
  std::unique_ptr<OneKernelSearch> one_kernel_;
  cuda::Event begin_, end_;
};

}  // namespace

std::unique_ptr<LocalWork> make_gpu_work(const DeviceSubgraphs& graph, const Places& places,
                                         const MemberGpu& gpu, const Member& member,
                                         const WorkSettings& settings) {
  return std::make_unique<GpuWork>(graph, places, gpu, member, settings);
}

}  // namespace bfslab::distributed::delegate
