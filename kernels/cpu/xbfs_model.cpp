// SPDX-License-Identifier: Apache-2.0
// xbfs-model: counts, exactly and on any machine, what asynchronous bottom-up saves (XBFS, sections
// 4.3 and 5.2, Lemmas 1 to 3, Algorithm 3). One thread runs xbfs's direction-optimising search in
// the setting of Lemma 3: the bottom-up queue holds the unvisited vertices in the order of their
// ids, they look one after another, and each sees earlier writes. `level` is the paper's l - 1.
//
// Bottom-up at `level`, for each unvisited v in the queue's order:
//   a neighbour at `level`                     -> v is at level + 1; v stops looking
//   none there, but a neighbour at level + 1   -> v is at level + 2 (Lemma 2): found early, and v
//                                                 never looks again
//
// Cost: that of a synchronous search, less the looks of early finds. Per look 16 bytes of offsets;
// per neighbour 4 bytes and one random status word. It is a model: its time means nothing.
//
// Early finds break three things, which are corrected here (docs/errata.md#xbfs-async):
//   * the next frontier: top-down claims only unvisited vertices, so early finds for the level that
//     it fills would never be expanded. Here every level's list begins with them, whichever
//     direction fills the rest. ("No frontier generation", which takes the first top-down
//     frontier from the last bottom-up queue, misses early finds too, but only those whose
//     neighbours all saw them in that level: it remains sound.)
//   * the end: a level may find nothing because all of it was found early. A search ends when the
//     list is empty, early finds included;
//   * the switch: edgeCheck is the out-degrees of the whole list. The directions, and so the levels
//     that Figure 15 compares, are the same with async and without.
//
// Deviations and choices:
//   * The paper does not define edgeCheck (docs/errata.md#xbfs-edge-check); `edge_check` has both
//     readings. |E| is the number of adjacency entries, both directions of an undirected edge,
//     since section 2.3 doubles the edges.
//   * A GPU looks at many vertices at once. `window` vertices here look before any of them writes;
//     window = 1 is Lemma 3's setting, and the whole queue finds nothing early.
//   * Directed graphs are searched through the transpose; levels are always kept.
//
// A counting sink also gets the measures of look_counts.hpp.
#include <algorithm>
#include <numeric>
#include <random>
#include <utility>

#include "kernels/cpu/cpu_engine.hpp"
#include "kernels/cpu/look_counts.hpp"

namespace bfslab::cpu {
namespace {

class XbfsModel final : public CpuEngine {
 public:
  explicit XbfsModel(const EngineSettings& settings)
      : CpuEngine(settings.answer, with_levels(settings.answer), 1),
        async_(settings.toggles.flag("async")),
        cumulative_(settings.toggles.choice("edge_check") == "cumulative"),
        shuffled_(settings.toggles.choice("queue") == "shuffled"),
        alpha_(settings.toggles.real("alpha")),
        window_(static_cast<std::size_t>(settings.toggles.integer("window"))) {}

  void traverse(vertex_t source, LevelSink* sink) override {
    dispatch_with_levels(kept_, sink, [&]<Answer A, bool Count>() { run<A, Count>(source, sink); });
  }

  [[nodiscard]] MemoryUse memory() const override {
    return {.status = status_bytes(),
            .queues = visits_.bytes() + early_.bytes() + unvisited_.bytes(),
            .scratch = order_.bytes()};
  }

 private:
  void allocate() override {
    static_cast<void>(incoming());  // a directed graph without a transpose is refused here
    const std::size_t n = graph_->vertex_count();
    visits_ = Buffer<vertex_t>(n);
    early_ = Buffer<vertex_t>(n);
    unvisited_ = Buffer<vertex_t>(n);
    if (!shuffled_) return;
    order_ = Buffer<vertex_t>(n);
    std::iota(order_.begin(), order_.end(), vertex_t{0});
    std::mt19937_64 random(1);  // its numbers are the standard's, std::shuffle's use of them is not
    for (std::size_t left = n; left > 1; --left) {
      std::swap(order_[left - 1], order_[random() % left]);
    }
  }

  [[nodiscard]] vertex_t in_order(std::size_t i) const {
    return shuffled_ ? order_[i] : static_cast<vertex_t>(i);
  }

  template <Answer A, bool Count>
  void run(vertex_t source, LevelSink* sink) {
    reset(source);
    visits_[0] = source;
    tail_ = 1;
    early_count_ = 0;
    queued_ = false;
    if constexpr (Count) looks_ = {};
    FirstBottomUp first;
    edge_t all_edges = 0;
    std::size_t head = 0;
    for (level_t level = 0; head < tail_; ++level) {
      const std::size_t end = tail_;  // visits_[head, end) is the frontier
      edge_t edges = 0;
      for (std::size_t i = head; i < end; ++i) edges += graph_->degree(visits_[i]);
      all_edges += edges;
      const bool up = static_cast<double>(cumulative_ ? all_edges : edges) >=
                      alpha_ * static_cast<double>(graph_->edge_count());
      if (sink != nullptr) {
        sink->begin({level, up ? Direction::bottom_up : Direction::top_down,
                     up ? (async_ ? "async" : "sync") : "fifo", end - head});
      }
      const std::size_t known = take_early();
      if constexpr (Count) {
        if (up && first.level == kUnreached) first.level = level;
        if (first.level != kUnreached && level == first.level + 1) {
          first.early = {visits_.data() + end, known};
        }
      }
      edge_t checked = edges;
      if (up) {
        checked = look<A, Count>(level);
      } else {
        expand<A>(head, end, level);
      }
      end_level<Count>(sink, {.frontier_edges = edges,
                              .edges_checked = checked,
                              .found_vertices = tail_ - end,
                              .found_early_vertices = known,
                              .unvisited_vertices = graph_->vertex_count() - end});
      head = end;
    }
    if constexpr (Count) {
      if (first.level == kUnreached) return;
      looks_.tell(*sink);
      if (async_) tell_early_finds(incoming(), kept_levels(), order_.span(), first, *sink);
    }
  }

  // Puts the early finds for the coming level at the head of its list. Returns their number.
  std::size_t take_early() {
    const std::size_t count = std::exchange(early_count_, 0);
    std::copy_n(early_.data(), count, visits_.data() + tail_);
    tail_ += count;
    return count;
  }

  template <Answer A>
  void expand(std::size_t head, std::size_t end, level_t level) {
    const VertexState<A> status = state<A>();
    for (std::size_t i = head; i < end; ++i) {
      const vertex_t u = visits_[i];
      for (const vertex_t w : graph_->neighbors(u)) {
        if (!status.unvisited(w)) continue;
        status.set(w, u, level + 1);
        visits_[tail_++] = w;
      }
    }
  }

  // Lemma 1: a later queue is a subset of an earlier one.
  template <Answer A>
  void queue_unvisited() {
    const VertexState<A> status = state<A>();
    const std::size_t candidates = queued_ ? unvisited_count_ : graph_->vertex_count();
    std::size_t kept = 0;
    for (std::size_t i = 0; i < candidates; ++i) {
      const vertex_t v = queued_ ? unvisited_[i] : in_order(i);
      if (status.unvisited(v)) unvisited_[kept++] = v;
    }
    unvisited_count_ = kept;
    queued_ = true;
  }

  // Runs a bottom-up level: fills visits_ and early_. Returns the entries read, 0 unless counted.
  template <Answer A, bool Count>
  edge_t look(level_t level) {
    queue_unvisited<A>();
    const VertexState<A> status = state<A>();
    const CsrGraph& in = incoming();
    edge_t all_checks = 0;
    for (std::size_t begin = 0; begin < unvisited_count_; begin += window_) {
      const std::size_t end = std::min(begin + window_, unvisited_count_);
      const std::size_t old_tail = tail_;
      const std::size_t old_early = early_count_;
      for (std::size_t i = begin; i < end; ++i) {
        const vertex_t v = unvisited_[i];
        vertex_t above = kNoVertex;   // a neighbour at `level`
        vertex_t beside = kNoVertex;  // the first at level + 1
        edge_t checks = 0;
        for (const vertex_t u : in.neighbors(v)) {
          if constexpr (Count) ++checks;
          const level_t found = status.level(u);
          if (found == level) {
            above = u;
            break;
          }
          if (async_ && beside == kNoVertex && found == level + 1) beside = u;
        }
        if constexpr (Count) {
          all_checks += checks;
          looks_.add(in.degree(v), checks);
        }
        // The parent may be written now: no search reads it.
        if (above != kNoVertex) {
          visits_[tail_++] = v;
          set_parent<A>(v, above);
        } else if (beside != kNoVertex) {
          early_[early_count_++] = v;
          set_parent<A>(v, beside);
        }
      }
      const VertexState<Answer::levels> levels = state<Answer::levels>();
      for (std::size_t i = old_tail; i < tail_; ++i) levels.set(visits_[i], 0, level + 1);
      for (std::size_t i = old_early; i < early_count_; ++i) levels.set(early_[i], 0, level + 2);
    }
    return all_checks;
  }

  template <Answer A>
  void set_parent(vertex_t v, vertex_t parent) {
    if constexpr (A == Answer::both) state<Answer::parents>().set(v, parent, 0);
  }

  bool async_;
  bool cumulative_;
  bool shuffled_;
  double alpha_;
  std::size_t window_;
  Buffer<vertex_t> visits_;     // [n] every visited vertex once, level after level
  Buffer<vertex_t> early_;      // [n] found two levels on by the running level
  Buffer<vertex_t> unvisited_;  // [n] the bottom-up queue
  Buffer<vertex_t> order_;      // [n] the order of a shuffled queue; empty for a sorted one
  std::size_t tail_ = 0;
  std::size_t early_count_ = 0;
  std::size_t unvisited_count_ = 0;
  bool queued_ = false;  // unvisited_ holds a queue of this traversal
  LookCounts looks_;
};

std::vector<LegalWith> only_async() {
  return {{"async", {true}, "a synchronous level does not see what it writes itself"}};
}

const RegisterEngine registration{{
    .name = "xbfs-model",
    .paper = "xbfs",
    .section = "5.2",
    .summary = "Counts what asynchronous bottom-up finds early and saves: one thread, queue order.",
    .can = {.needs_transpose = true},
    .toggles =
        {
            Toggle::flag("async", true,
                         "A bottom-up level also finds vertices of the level after the next",
                         "xbfs 5.2"),
            Toggle::real("alpha", 0.1, 0, 1,
                         "Bottom-up while edgeCheck is this share of the adjacency entries",
                         "xbfs 4.3"),
            Toggle::choice("edge_check", "level", {"level", "cumulative"},
                           "edgeCheck: the frontier's edges, or those of all frontiers so far",
                           "xbfs 4.3"),
            Toggle::choice("queue", "sorted", {"sorted", "shuffled"},
                           "Order of the bottom-up queue: by id, or random as in Lemma 3",
                           "xbfs 4.2", only_async()),
            Toggle::integer("window", 1, 1, 1'000'000'000,
                            "Vertices that look at the same time: none sees what another finds",
                            "xbfs 5.2", only_async()),
        },
    .estimate =
        [](const GraphFacts& facts, const Toggles& toggles, Answer answer) {
          const double lists = toggles.choice("queue") == "shuffled" ? 4 : 3;
          const auto n = static_cast<double>(facts.vertices);
          return Estimate{
              .bytes = status_bytes(facts, with_levels(answer)) + lists * n * sizeof(vertex_t),
              .seconds = traversal_seconds(facts, 1, 60, 3)};
        },
    .make = [](const EngineSettings& settings) { return std::make_unique<XbfsModel>(settings); },
}};

}  // namespace
}  // namespace bfslab::cpu
