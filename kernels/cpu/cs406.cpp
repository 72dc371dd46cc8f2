// SPDX-License-Identifier: Apache-2.0
// cs406-cpu: the CPU half of cs406 as its paper lists it, with the steps of Listings 1 and 3 and
// the rule of section 4.1.6. The engines top-down, bottom-up and hybrid are other forms of these
// methods.
//
//   top_down   (4.1.4, Listing 1) the threads share the vertices of the frontier queue; each puts
//              its finds into a local queue
//   bottom_up  (4.1.5, Listing 3) the threads share all vertices; an unvisited one looks for the
//              first neighbour in the frontier's bitset, and its thread puts it into a local queue
//   hybrid     (4.1.6) bottom_up while the frontier has at least `threshold` of all vertices
//
// Every level ends with the merge of the local queues into the next frontier. Listing 1 copies
// them in a critical section, Listing 3 to places that prefix sums give (`merge`). A level
// bottom-up begins with the bitset, which is rebuilt from the frontier queue.
//
// Cost: every level wakes the team. Top-down reads 4 bytes and one random status word per edge, and
// pays a compare-and-swap, 4 bytes of local queue and 8 bytes of merge per vertex found. Bottom-up
// clears n / 8 bytes, sets one bit per frontier vertex on one thread, reads 4 bytes of status per
// vertex and 16 bytes of offsets per unvisited vertex, 4 bytes and a random bit per neighbour
// examined, and pays the same queue and merge. The hybrid wins where levels are few and large; the
// engine hybrid then takes less time, since it has neither queue nor merge bottom-up.
//
// Deviations:
//   * Listing 1 tests and then sets the status without protection, so that two threads may enqueue
//     one vertex, and more than N ids may then be merged into a frontier of N; here a
//     compare-and-swap decides (docs/errata.md#cs406-listing-1).
//   * Thread 0 starts at 0 where Listing 3 reads prefix_sum[-1]; the paper does not list how the
//     bitset is filled (docs/errata.md#cs406-listing-3).
//   * Local queues are chains of blocks in one arena of n ids instead of t arrays of N.
//   * Directed graphs are searched bottom-up through the transpose.
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "kernels/bitmap.hpp"
#include "kernels/cpu/cpu_engine.hpp"
#include "kernels/cpu/local_queues.hpp"

namespace bfslab::cpu {
namespace {

class Cs406 final : public CpuEngine {
 public:
  explicit Cs406(const EngineSettings& settings)
      : CpuEngine(settings.answer, settings.answer, team_size(settings.toggles)),
        algorithm_(settings.toggles.choice("algorithm")),
        merges_critically_(settings.toggles.choice("merge") == "critical"),
        threshold_(settings.toggles.real("threshold")),
        ends_(static_cast<std::size_t>(threads_)) {}

  void traverse(vertex_t source, LevelSink* sink) override {
    dispatch(kept_, sink, [&]<Answer A, bool Count>() { run<A, Count>(source, sink); });
  }

  [[nodiscard]] MemoryUse memory() const override {
    return {.status = status_bytes(),
            .queues = frontier_.bytes() + next_.bytes() + bitset_.bytes() + local_->bytes(),
            .scratch = ends_.size() * sizeof(std::size_t)};
  }

 private:
  void allocate() override {
    const std::size_t n = graph_->vertex_count();
    frontier_ = Buffer<vertex_t>(n);
    next_ = Buffer<vertex_t>(n);
    local_.emplace(n, threads_);
    if (algorithm_ == "top_down") return;
    static_cast<void>(incoming());  // a directed graph without a transpose is refused here
    bitset_ = Buffer<word_t>(word_count(n));
  }

  template <Answer A, bool Count>
  void run(vertex_t source, LevelSink* sink) {
    reset(source);
    frontier_[0] = source;
    std::size_t size = 1;
    std::uint64_t visited = 1;
    for (level_t level = 0; size > 0; ++level) {
      const bool bottom = is_bottom_up(size);
      if (sink != nullptr) {
        const char* top_down = merges_critically_ ? "local_queues_critical" : "local_queues";
        sink->begin({level, bottom ? Direction::bottom_up : Direction::top_down,
                     bottom ? "bitset_from_queue" : top_down, size});
      }
      LevelFacts facts{.unvisited_vertices = graph_->vertex_count() - visited};
      if constexpr (Count) facts.frontier_edges = edges_of(size);
      local_->clear();
      found_ = 0;
      if (bottom) {
        rebuild_bitset(size);
        facts.edges_checked = bottom_up_step<A, Count>(level + 1);
      } else {
        top_down_step<A>(size, level + 1);
        facts.edges_checked = facts.frontier_edges;
      }
      facts.found_vertices = found_;
      end_level<Count>(sink, facts);
      std::swap(frontier_, next_);
      size = found_;
      visited += found_;
    }
  }

  [[nodiscard]] bool is_bottom_up(std::size_t size) const {
    if (algorithm_ != "hybrid") return algorithm_ == "bottom_up";
    return static_cast<double>(size) >= threshold_ * static_cast<double>(graph_->vertex_count());
  }

  // Listing 1.
  template <Answer A>
  void top_down_step(std::size_t size, level_t level) {
    const VertexState<A> visited = state<A>();
    const vertex_t* frontier = frontier_.data();
#pragma omp parallel num_threads(threads_)
    {
      LocalQueues::Queue local(*local_);
#pragma omp for schedule(guided)
      for (std::size_t i = 0; i < size; ++i) {
        const vertex_t u = frontier[i];
        for (const vertex_t w : graph_->neighbors(u)) {
          if (visited.claim(w, u, level)) local.push(w);
        }
      }
      merges_critically_ ? merge_in_turn(local) : merge_by_prefix_sums(local);
    }
  }

  // Listing 3. Returns the adjacency entries read, if they are counted.
  template <Answer A, bool Count>
  std::uint64_t bottom_up_step(level_t level) {
    const VertexState<A> visited = state<A>();
    const CsrGraph& in = incoming();
    const word_t* bitset = bitset_.data();
    const vertex_t n = graph_->vertex_count();
    std::uint64_t checked = 0;
#pragma omp parallel num_threads(threads_) reduction(+ : checked)
    {
      LocalQueues::Queue local(*local_);
#pragma omp for schedule(guided)
      for (vertex_t v = 0; v < n; ++v) {
        if (!visited.unvisited(v)) continue;
        for (const vertex_t u : in.neighbors(v)) {
          if constexpr (Count) ++checked;
          if (!test(bitset, u)) continue;
          visited.set(v, u, level);
          local.push(v);
          break;
        }
      }
      merge_by_prefix_sums(local);
    }
    return checked;
  }

  // Both merges are called by every thread of the team, and append its finds to the next frontier.
  void merge_in_turn(const LocalQueues::Queue& local) {
#pragma omp critical(cs406_merge)
    {
      local.copy_to(next_.data() + found_);
      found_ += local.size();
    }
  }

  void merge_by_prefix_sums(const LocalQueues::Queue& local) {
    const auto me = static_cast<std::size_t>(omp_get_thread_num());
    ends_[me] = local.size();
#pragma omp barrier
#pragma omp single
    {
      const auto last = ends_.begin() + omp_get_num_threads();
      std::inclusive_scan(ends_.begin(), last, ends_.begin());
      found_ = *(last - 1);
    }
    local.copy_to(next_.data() + (ends_[me] - local.size()));
  }

  // One thread does it: two must not write bits of one word of a boost::dynamic_bitset at once.
  void rebuild_bitset(std::size_t size) {
    std::ranges::fill(bitset_, 0);
    word_t* bitset = bitset_.data();
    for (const vertex_t v : frontier_.span().first(size)) bitset[v / kWordBits] |= bit_of(v);
  }

  [[nodiscard]] std::uint64_t edges_of(std::size_t size) const {
    std::uint64_t edges = 0;
    for (const vertex_t v : frontier_.span().first(size)) edges += graph_->degree(v);
    return edges;
  }

  std::string algorithm_;
  bool merges_critically_;
  double threshold_;
  Buffer<vertex_t> frontier_;         // [n] a queue of each vertex at most once
  Buffer<vertex_t> next_;             // [n]
  std::optional<LocalQueues> local_;  // created when n is known
  std::vector<std::size_t> ends_;     // [t] where each thread's finds end in the next frontier
  std::size_t found_ = 0;             // in the running level
  Buffer<word_t> bitset_;             // [n / 64] the frontier of a level bottom-up
};

Estimate estimate(const GraphFacts& facts, const Toggles& toggles, Answer answer) {
  const int threads = team_size(toggles);
  const auto n = static_cast<double>(facts.vertices);
  const std::string& algorithm = toggles.choice("algorithm");
  const double words =
      algorithm == "top_down" ? 0 : static_cast<double>(word_count(facts.vertices));
  const double team = useful_threads(toggles);
  // The hybrid of a deep graph goes top-down all the time.
  const bool has_bottom_up_levels = algorithm == "hybrid" && facts.levels == 0;
  return {.bytes = status_bytes(facts, answer) + 2 * n * sizeof(vertex_t) + words * sizeof(word_t) +
                   threads * static_cast<double>(sizeof(std::size_t)) +
                   static_cast<double>(LocalQueues::bytes_for(facts.vertices, threads)),
          .seconds = algorithm == "bottom_up" ? traversal_seconds(facts, team, 25, 3, 2)
                     : has_bottom_up_levels   ? traversal_seconds(facts, team, 20, 0.3)
                                              : traversal_seconds(facts, team, 15, 4.5)};
}

const std::vector<LegalWith> kGoesTopDown = {
    {"algorithm",
     {std::string("top_down"), std::string("hybrid")},
     "bottom_up always merges by prefix sums (Listing 3)"}};

const RegisterEngine registration{{
    .name = "cs406-cpu",
    .paper = "cs406",
    .section = "4.1.4 to 4.1.6",
    .summary = "As listed: local queues merged into the frontier after every level, top-down, "
               "bottom-up with a bitset rebuilt from the queue, and the hybrid.",
    .can = {.needs_transpose = true},
    .toggles =
        {
            threads_toggle(),
            Toggle::choice("algorithm", "hybrid", {"top_down", "bottom_up", "hybrid"},
                           "Listing 1, Listing 3, or both by the frontier's size",
                           "cs406 4.1.4, 4.1.5, 4.1.6"),
            Toggle::choice("merge", "critical", {"critical", "prefix_sums"},
                           "How top-down merges local queues: in a critical section (Listing 1), "
                           "or to places that prefix sums give (the text of section 4.1.4)",
                           "cs406 4.1.4", kGoesTopDown),
            Toggle::real("threshold", 0.05, 0, 1,
                         "Bottom-up when the frontier has this share of all vertices",
                         "cs406 4.1.6",
                         {{"algorithm", {std::string("hybrid")}, "the others never switch"}}),
        },
    .estimate = estimate,
    .make = [](const EngineSettings& settings) { return std::make_unique<Cs406>(settings); },
}};

}  // namespace
}  // namespace bfslab::cpu
