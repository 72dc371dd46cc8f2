// SPDX-License-Identifier: Apache-2.0
// hybrid: direction-optimising BFS (cs406, section 4.1.6, after Beamer et al.), the fastest CPU
// engine of bfslab.
//
// A level runs top-down while its frontier is small (a queue; each neighbour is claimed by setting
// its visited bit) and bottom-up when it is large (each unvisited vertex looks for a neighbour in
// the frontier's bitmap and stops at the first). kernels/direction_rule.hpp decides: the paper's
// 5 % of the vertices, Beamer's alpha and beta, xbfs's edge ratio, or expected work.
//
// What makes it fast, beyond the paper, none of which renames a vertex or reorders an edge:
//   * Status is one bit per vertex, so the random accesses of both directions stay in L2 (n / 8
//     bytes); the answer arrays are written once per reached vertex, in id order when bottom-up.
//   * Vertices that no edge enters are marked as visited permanently at set-up: half of a Kronecker
//     graph is never examined. For the same reason no pass resets the answer: a traversal
//     overwrites what it reaches, and at its end erases what it left unvisited.
//   * `hints` (kernels/cpu/hints.hpp): bottom-up streams the most likely parents of every
//     vertex, and opens a row only if these are not in the frontier; such rows are prefetched a
//     word (64 vertices) ahead. A vertex with no more neighbours than hints is decided without the
//     CSR.
//   * Top-down separates claiming a vertex (a locked instruction, which waits for the stores before
//     it) from writing its answer (a store that misses the cache): batches of each.
//   * Neighbours of a hub are shared among the team; levels too small to share run on one thread.
//
// Cost: top-down reads 4 bytes and a random bit per edge, and pays an atomic and a random write per
// vertex found. Bottom-up reads 4 bytes and a random bit per hint and unvisited vertex, then, for
// the rest, 8 bytes of offsets and 4 bytes and a bit per edge checked. Set-up is O(n + m), and the
// hints take 4 * hints bytes per vertex. It wins wherever levels are few and large; on deep graphs
// it is a queue on one thread.
//
// Deviations from cs406: visited is a bitmap and claims are atomic (Listing 1's test is a race that
// enqueues duplicates, docs/errata.md#cs406-listing-1); the bottom-up step builds the next frontier
// as a bitmap, not as queues.

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <vector>

#include "datasets/graph/buffer.hpp"
#include "kernels/bitmap.hpp"
#include "kernels/cpu/hints.hpp"
#include "kernels/cpu/parallel.hpp"
#include "kernels/cpu/vertex_state.hpp"
#include "kernels/direction_rule.hpp"
#include "kernels/engine.hpp"

namespace bfslab::cpu {
namespace {

constexpr edge_t kHubDegree = 4096;       // longer rows are shared among the team
constexpr edge_t kSerialEdges = 4096;     // smaller levels are not worth waking a team
constexpr std::size_t kBatch = 512;       // vertices claimed before their answers are written
constexpr std::size_t kChunkWords = 256;  // of the bitmap that a thread takes at once, bottom-up

// What one level sums up over threads.
struct Tally {
  std::uint64_t found = 0;
  std::uint64_t found_edges = 0;  // out-degrees of the found
  std::uint64_t checked = 0;      // adjacency entries read; counted only for a counting sink
  Tally& operator+=(const Tally& other) {
    found += other.found;
    found_edges += other.found_edges;
    checked += other.checked;
    return *this;
  }
};
#pragma omp declare reduction(add:Tally : omp_out += omp_in)

class Hybrid final : public Engine {
 public:
  explicit Hybrid(const EngineSettings& settings)
      : threads_(team_size(settings.toggles)),
        rule_(settings.toggles),
        planes_(static_cast<unsigned>(settings.toggles.integer("hints"))),
        answer_(settings.answer) {}

  void load(const GraphSource& source) override;
  void traverse(vertex_t source, LevelSink* sink) override;

  [[nodiscard]] AnswerView answer() const override {
    return answer_on_host(answer_, graph_->vertex_count(), level_.data(), parent_.data());
  }
  [[nodiscard]] MemoryUse memory() const override {
    return {.graph = hints_.bytes() + unreachable_.bytes(),
            .status = level_.bytes() + parent_.bytes() + visited_.bytes(),
            .queues = queue_.bytes() + next_queue_.bytes() + frontier_.bytes() + next_.bytes(),
            .scratch = 0};
  }

 private:
  template <Answer A, bool Count>
  void run(vertex_t source, LevelSink* sink);
  template <Answer A, bool Count>
  Tally top_down(level_t level, std::size_t size, std::uint64_t edges);
  template <Answer A, bool Count>
  Tally top_down_alone(level_t level, std::size_t size);
  template <Answer A, bool Count>
  Tally bottom_up(level_t level, bool needs_edges);
  template <Answer A, bool Count>
  Tally bottom_up_words(level_t level, bool needs_edges, std::size_t first, std::size_t last);
  void queue_to_bitmap(std::size_t size);
  std::uint64_t bitmap_to_queue();
  template <Answer A>
  void erase_unreached();

  template <Answer A>
  void set(vertex_t v, level_t level, vertex_t parent) {
    if constexpr (A != Answer::parents) level_[v] = level;
    if constexpr (A != Answer::levels) parent_[v] = parent;
  }

  int threads_;
  DirectionRule rule_;
  unsigned planes_;
  Answer answer_;

  const CsrGraph* graph_ = nullptr;
  const CsrGraph* incoming_ = nullptr;  // nullptr: directed without a transpose, top-down only
  std::size_t words_ = 0;
  Hints hints_;
  Buffer<word_t> unreachable_;  // no edge enters these; bits past the last vertex are set, too
  Buffer<word_t> visited_, frontier_, next_;
  Buffer<vertex_t> queue_, next_queue_;
  Buffer<level_t> level_;
  Buffer<vertex_t> parent_;
  vertex_t last_source_ = kNoVertex;
};

void Hybrid::load(const GraphSource& source) {
  graph_ = source.csr;
  incoming_ = graph_->incoming();
  const vertex_t n = graph_->vertex_count();
  words_ = word_count(n);
  unreachable_ = Buffer<word_t>(words_);
  visited_ = Buffer<word_t>(words_);
  frontier_ = Buffer<word_t>(words_);
  next_ = Buffer<word_t>(words_);
  queue_ = Buffer<vertex_t>(n);
  next_queue_ = Buffer<vertex_t>(n);
  if (wants_levels(answer_)) level_ = Buffer<level_t>(n);
  if (wants_parents(answer_)) parent_ = Buffer<vertex_t>(n);
  std::ranges::fill(level_, kUnreached);
  std::ranges::fill(parent_, kNoVertex);
  rule_.set_graph(*graph_, threads_);
#pragma omp parallel for num_threads(threads_) schedule(static)
  for (std::size_t w = 0; w < words_; ++w) {
    word_t none = 0;
    for (vertex_t bit = 0; bit < kWordBits; ++bit) {
      const std::size_t v = w * kWordBits + bit;
      // Without the transpose it is unknown which vertices can be reached.
      const bool enters =
          v < n && (incoming_ == nullptr || incoming_->degree(static_cast<vertex_t>(v)) > 0);
      if (!enters) none |= word_t{1} << bit;
    }
    unreachable_[w] = none;
  }
  if (incoming_ != nullptr && planes_ > 0) {
    hints_ = Hints(*incoming_, unreachable_.data(), planes_, threads_);
  }
}

template <Answer A, bool Count>
Tally Hybrid::top_down_alone(level_t level, std::size_t size) {
  Tally tally;
  for (std::size_t i = 0; i < size; ++i) {
    const vertex_t u = queue_[i];
    for (const vertex_t v : graph_->neighbors(u)) {
      if (!claim_alone(visited_.data(), v)) continue;
      set<A>(v, level + 1, u);
      next_queue_[tally.found++] = v;
      tally.found_edges += graph_->degree(v);
    }
    if constexpr (Count) tally.checked += graph_->degree(u);
  }
  std::swap(queue_, next_queue_);
  return tally;
}

template <Answer A, bool Count>
Tally Hybrid::top_down(level_t level, std::size_t size, std::uint64_t edges) {
  if (threads_ == 1 || edges < kSerialEdges) return top_down_alone<A, Count>(level, size);
  const edge_t* offsets = graph_->row_offsets().data();
  const vertex_t* columns = graph_->columns().data();
  std::uint64_t tail = 0;
  Tally tally;
  std::vector<vertex_t> hubs;
#pragma omp parallel num_threads(threads_) reduction(add : tally)
  {
    // A locked claim waits for every store before it, so the answer of what was found, which misses
    // the cache, is written a batch later, where the misses overlap.
    std::array<vertex_t, kBatch> batch;
    std::array<vertex_t, kBatch> batch_parent;
    std::size_t held = 0;
    const auto flush = [&] {
      const std::uint64_t at = std::atomic_ref(tail).fetch_add(held, std::memory_order_relaxed);
      std::copy_n(batch.data(), held, next_queue_.data() + at);
      for (std::size_t i = 0; i < held; ++i) {
        set<A>(batch[i], level + 1, batch_parent[i]);
        tally.found_edges += graph_->degree(batch[i]);
      }
      tally.found += held;
      held = 0;
    };
    const auto expand = [&](vertex_t u, edge_t first, edge_t last) {
      for (edge_t e = first; e < last; ++e) {
        const vertex_t v = columns[e];
        if (!claim_shared(visited_.data(), v)) continue;
        __builtin_prefetch(offsets + v);
        if constexpr (A != Answer::parents) __builtin_prefetch(level_.data() + v, 1);
        if constexpr (A != Answer::levels) __builtin_prefetch(parent_.data() + v, 1);
        batch_parent[held] = u;
        batch[held++] = v;
        if (held == kBatch) flush();
      }
      if constexpr (Count) tally.checked += last - first;
    };
#pragma omp for schedule(dynamic, 16)
    for (std::size_t i = 0; i < size; ++i) {
      const vertex_t u = queue_[i];
      if (graph_->degree(u) < kHubDegree) {
        expand(u, offsets[u], offsets[u + std::size_t{1}]);
      } else {
#pragma omp critical(bfslab_hybrid_hubs)
        hubs.push_back(u);
      }
    }
    for (const vertex_t u : hubs) {
      const edge_t last = offsets[u + std::size_t{1}];
#pragma omp for schedule(dynamic, 1) nowait
      for (edge_t first = offsets[u]; first < last; first += kHubDegree / 2) {
        expand(u, first, std::min(last, first + kHubDegree / 2));
      }
    }
    flush();
  }
  std::swap(queue_, next_queue_);
  return tally;
}

// Words [first, last) belong to the calling thread alone: it reads the frontier and writes its own
// words of `visited_` and `next_`. Hints are tested without branching on single vertices, since
// the branch predictor cannot foresee whether one hits.
template <Answer A, bool Count>
Tally Hybrid::bottom_up_words(level_t level, bool needs_edges, std::size_t first,
                              std::size_t last) {
  const edge_t* offsets = incoming_->row_offsets().data();
  const vertex_t* columns = incoming_->columns().data();
  const word_t* frontier = frontier_.data();
  Tally tally;

  // Opens the rows that the hints left undecided, and closes the word.
  const auto open_rows = [&](std::size_t w, word_t undecided) {
    word_t found = next_[w];
    for_each_bit(undecided, [&](vertex_t bit) {
      const auto v = static_cast<vertex_t>(w * kWordBits + bit);
      edge_t e = offsets[v];
      const edge_t end = offsets[v + std::size_t{1}];
      while (e < end && !test(frontier, columns[e])) ++e;
      if constexpr (Count) tally.checked += std::min(e + 1, end) - offsets[v];
      if (e == end) return;
      found |= word_t{1} << bit;
      set<A>(v, level + 1, columns[e]);
    });
    next_[w] = found;
    visited_[w] |= found;
    tally.found += static_cast<unsigned>(std::popcount(found));
    if (!needs_edges) return;
    for_each_bit(found, [&](vertex_t bit) {
      tally.found_edges += graph_->degree(static_cast<vertex_t>(w * kWordBits + bit));
    });
  };

  word_t undecided = 0;
  for (std::size_t w = first; w < last; ++w) {
    const std::size_t base = w * kWordBits;
    word_t todo = ~visited_[w];
    word_t found = 0;
    for (unsigned k = 0; k < hints_.planes() && todo != 0; ++k) {
      const vertex_t* hint = hints_.plane(k) + base;
      word_t hits = 0;
      for_each_bit(todo, [&](vertex_t bit) { hits |= word_t{test(frontier, hint[bit])} << bit; });
      if constexpr (Count) {  // a short row's repeated hint is not another entry
        for_each_bit(todo, [&](vertex_t bit) {
          tally.checked += incoming_->degree(static_cast<vertex_t>(base + bit)) > k ? 1 : 0;
        });
      }
      for_each_bit(hits, [&](vertex_t bit) {
        set<A>(static_cast<vertex_t>(base + bit), level + 1, hint[bit]);
      });
      found |= hits;
      todo &= ~hits;
    }
    next_[w] = found;
    if (hints_.planes() > 0) todo &= ~hints_.short_rows(w);
    for_each_bit(todo, [&](vertex_t bit) { __builtin_prefetch(columns + offsets[base + bit]); });
    if (w > first) open_rows(w - 1, undecided);
    undecided = todo;
  }
  open_rows(last - 1, undecided);
  return tally;
}

template <Answer A, bool Count>
Tally Hybrid::bottom_up(level_t level, bool needs_edges) {
  Tally tally;
  // Eight pieces per thread on small graphs, so that all threads have work.
  const std::size_t pieces = static_cast<std::size_t>(threads_) * 8;
  const std::size_t chunk = std::clamp<std::size_t>(words_ / pieces, 4, kChunkWords);
#pragma omp parallel for num_threads(threads_) schedule(dynamic, 1) reduction(add : tally)
  for (std::size_t first = 0; first < words_; first += chunk) {
    tally += bottom_up_words<A, Count>(level, needs_edges, first, std::min(words_, first + chunk));
  }
  std::swap(frontier_, next_);
  return tally;
}

void Hybrid::queue_to_bitmap(std::size_t size) {
#pragma omp parallel num_threads(threads_)
  {
#pragma omp for schedule(static)
    for (std::size_t w = 0; w < words_; ++w) frontier_[w] = 0;
#pragma omp for schedule(static)
    for (std::size_t i = 0; i < size; ++i) set_shared(frontier_.data(), queue_[i]);
  }
}

// Returns the queue's out-degrees. Serial: no rule leaves bottom-up with a large frontier.
std::uint64_t Hybrid::bitmap_to_queue() {
  std::size_t size = 0;
  std::uint64_t edges = 0;
  for (std::size_t w = 0; w < words_; ++w) {
    for_each_bit(frontier_[w], [&](vertex_t bit) {
      const auto v = static_cast<vertex_t>(w * kWordBits + bit);
      queue_[size++] = v;
      edges += graph_->degree(v);
    });
  }
  return edges;
}

// The answer arrays are never cleared: whatever this traversal did not reach is erased here.
template <Answer A>
void Hybrid::erase_unreached() {
#pragma omp parallel for num_threads(threads_) schedule(static) if (words_ > 4096)
  for (std::size_t w = 0; w < words_; ++w) {
    for_each_bit(~visited_[w], [&](vertex_t bit) {
      set<A>(static_cast<vertex_t>(w * kWordBits + bit), kUnreached, kNoVertex);
    });
  }
}

template <Answer A, bool Count>
void Hybrid::run(vertex_t source, LevelSink* sink) {
  // A source that no edge enters is not among those that erase_unreached() sees.
  if (last_source_ != kNoVertex) set<A>(last_source_, kUnreached, kNoVertex);
  last_source_ = source;
  std::memcpy(visited_.data(), unreachable_.data(), visited_.bytes());
  visited_[source / kWordBits] |= bit_of(source);
  set<A>(source, 0, source);
  queue_[0] = source;

  DirectionState at{.edges = graph_->degree(source),
                    .unexplored = graph_->edge_count(),
                    .candidates = rule_.enterable()};
  std::uint64_t unvisited = graph_->vertex_count() - std::uint64_t{1};
  bool bottom = false;
  for (level_t level = 0; at.frontier > 0; ++level) {
    const bool was_bottom = bottom;
    bottom = rule_.bottom_up(was_bottom, at);
    if (bottom && !was_bottom) queue_to_bitmap(at.frontier);
    if (!bottom && was_bottom) at.edges = bitmap_to_queue();
    if (sink != nullptr) {
      sink->begin({level, bottom ? Direction::bottom_up : Direction::top_down,
                   bottom ? "bitmap" : "queue", at.frontier});
    }
    const Tally tally = bottom ? bottom_up<A, Count>(level, Count || rule_.needs_edges())
                               : top_down<A, Count>(level, at.frontier, at.edges);
    if (sink != nullptr) {
      sink->end(Count ? LevelFacts{at.edges, tally.checked, tally.found, 0, unvisited}
                      : LevelFacts{});
    }
    at.advance(bottom, tally.found, tally.found_edges);
    unvisited -= tally.found;
  }
  erase_unreached<A>();
}

void Hybrid::traverse(vertex_t source, LevelSink* sink) {
  dispatch(answer_, sink, [&]<Answer A, bool Count>() { run<A, Count>(source, sink); });
}

std::vector<Toggle> toggles() {
  std::vector<Toggle> table = DirectionRule::toggles();
  table.insert(table.begin(), threads_toggle());
  table.push_back(Toggle::integer(
      "hints", 2, 0, Hints::kMaxPlanes,
      "In-neighbours of highest degree, per vertex, that bottom-up tries before it opens a row; "
      "gathered at set-up, no effect on ids or order"));
  return table;
}

Estimate estimate(const GraphFacts& facts, const Toggles& toggles, Answer answer) {
  const auto n = static_cast<double>(facts.vertices);
  const auto m = static_cast<double>(facts.edges);
  const auto planes = static_cast<double>(toggles.integer("hints"));
  const double answers = answer == Answer::both ? 2 : 1;
  const double bitmaps = (planes > 0 ? 5 : 4) / 8.0;  // unreachable, visited, frontier, next, short
  return {.bytes = n * (4 * planes + 4 * answers + 8 + bitmaps),
          .seconds = 1e-5 + static_cast<double>(facts.levels) * 1e-5 +
                     (n * 4e-9 + m * 2e-10) / team_size(toggles)};
}

const RegisterEngine registration{{
    .name = "hybrid",
    .paper = "cs406",
    .section = "4.1.6",
    .summary = "Direction-optimising BFS: a queue top-down while the frontier is small, bitmaps "
               "bottom-up when it is large",
    .can = {.directed = true, .needs_transpose = true},
    .toggles = toggles(),
    .estimate = estimate,
    .make = [](const EngineSettings& settings) -> std::unique_ptr<Engine> {
      return std::make_unique<Hybrid>(settings);
    },
}};

}  // namespace
}  // namespace bfslab::cpu
