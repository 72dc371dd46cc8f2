// hybrid: direction-optimising BFS (papers/cs406.txt section 4.1.6, after Beamer et al.) and this
// suite's CPU flagship.
//
// A level runs top-down while its frontier is small (a queue; each neighbour is claimed by setting
// its visited bit) and bottom-up when it is large (each unvisited vertex looks for a neighbour in
// the frontier's bitmap and stops at the first). Three rules decide, by toggle `rule`:
//   vertices    bottom-up when the frontier has at least `threshold` of all vertices (cs406: 5 %)
//   beamer      bottom-up when the frontier's edges exceed unexplored edges / alpha, top-down again
//               when it shrinks below n / beta vertices (cs406 section 4.1.6's reference [3])
//   work        our own, the default: whichever direction is expected to read less, from the
//               frontier's edges and the vertices still unvisited (see goes_bottom_up)
//   edge_ratio  bottom-up while the frontier's edges are at least `ratio` of all edges
//               (papers/xbfs.txt section 4.3, alpha = 0.1, edgeCheck taken as the next level's)
//
// What makes it fast, beyond the paper, none of which renames a vertex or reorders an edge:
//   * Status is one bit a vertex, so both directions' random accesses stay in L2 (n / 8 bytes); the
//     answer arrays are written once a reached vertex, in id order when bottom-up.
//   * Vertices that no edge enters are marked visited for good at set-up: half of a Kronecker
//     graph is never looked at. For the same reason no pass resets the answer: a traversal
//     overwrites what it reaches, and at its end erases what it left unvisited.
//   * `hints`: every vertex's in-neighbours of highest degree, gathered at set-up, one array for
//   the
//     first, one for the second, ... that bottom-up streams. They are the likeliest to be in a
//     frontier, so most vertices find their parent there, and a vertex of no higher degree than
//     `hints` is judged without touching the CSR. The rows of the rest are prefetched a word
//     (64 vertices) ahead.
//   * Top-down separates claiming a vertex (a locked instruction, which waits for the stores before
//     it) from writing its answer (a store that misses the cache): batches of each.
//   * Neighbours of a hub are shared among the team; levels too small to share run on one thread.
//
// Cost: top-down reads 4 bytes and a random bit an edge, and pays an atomic and a random write a
// vertex found. Bottom-up reads 4 bytes and a random bit per hint and unvisited vertex, then, for
// the rest, 8 bytes of offsets and 4 bytes and a bit per edge checked. Set-up is O(n + m), and the
// hints take 4 * hints bytes a vertex. It wins wherever levels are few and large; on deep graphs
// it is a queue on one thread.
//
// Deviations from cs406: visited is a bitmap and claims are atomic (Listing 1's test is a race that
// enqueues duplicates); the bottom-up step builds the next frontier as a bitmap, not as queues.

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <memory>
#include <vector>

#include "datasets/graph/buffer.hpp"
#include "kernels/cpu/parallel.hpp"
#include "kernels/engine.hpp"

namespace bfslab::cpu {
namespace {

using word_t = std::uint64_t;
constexpr vertex_t kWordBits = 64;
constexpr edge_t kHubDegree = 4096;    // longer rows are shared among the team
constexpr edge_t kSerialEdges = 4096;  // smaller levels are not worth waking a team
constexpr std::size_t kLocalQueue = 512;
constexpr unsigned kMaxHints = 4;
// What one adjacency entry costs in either direction, in ns a core; only the ratio matters.
constexpr double kTopDownCost = 10;
constexpr double kBottomUpCost = 4;

enum class Rule { vertices, beamer, edge_ratio, work };

Rule parse_rule(const std::string& text) {
  if (text == "vertices") return Rule::vertices;
  if (text == "beamer") return Rule::beamer;
  return text == "edge_ratio" ? Rule::edge_ratio : Rule::work;
}

word_t load(const word_t& word) {
  return std::atomic_ref(const_cast<word_t&>(word)).load(std::memory_order_relaxed);
}

bool test(const word_t* bits, vertex_t v) { return (bits[v / kWordBits] >> (v % kWordBits)) & 1; }

// True for the one caller that set the bit. The plain look first saves the locked instruction on
// the many neighbours that were visited long ago.
bool claim(word_t* bits, vertex_t v) {
  word_t& word = bits[v / kWordBits];
  const word_t mask = word_t{1} << (v % kWordBits);
  if ((load(word) & mask) != 0) return false;
  return (std::atomic_ref(word).fetch_or(mask, std::memory_order_relaxed) & mask) == 0;
}

bool claim_alone(word_t* bits, vertex_t v) {
  word_t& word = bits[v / kWordBits];
  const word_t mask = word_t{1} << (v % kWordBits);
  if ((word & mask) != 0) return false;
  word |= mask;
  return true;
}

// What one level adds up, over threads.
struct Tally {
  std::uint64_t found = 0;
  std::uint64_t found_edges = 0;  // out-degrees of the found
  std::uint64_t checked = 0;      // adjacency entries read; counted only for a counting sink
};

// What the rules know before a level.
struct Progress {
  std::uint64_t frontier = 1;
  std::uint64_t previous = 0;    // the frontier before
  std::uint64_t edges = 0;       // the frontier's out-degrees; zero where bottom-up did not count
  std::uint64_t unexplored = 0;  // edges that no top-down frontier has held
  std::uint64_t candidates = 0;  // unvisited vertices that some edge enters
};

class Hybrid final : public Engine {
 public:
  explicit Hybrid(const EngineSettings& settings)
      : threads_(team_size(settings.toggles)),
        rule_(parse_rule(settings.toggles.choice("rule"))),
        threshold_(settings.toggles.real("threshold")),
        alpha_(settings.toggles.real("alpha")),
        beta_(settings.toggles.real("beta")),
        ratio_(settings.toggles.real("ratio")),
        hints_(static_cast<unsigned>(settings.toggles.integer("hints"))),
        answer_(settings.answer) {}

  void load(const GraphSource& source) override;
  void traverse(vertex_t source, LevelSink* sink) override;
  [[nodiscard]] AnswerView answer() const override;
  [[nodiscard]] MemoryUse memory() const override;

 private:
  void collect_hints();
  template <bool Levels, bool Parents, bool Count>
  void run(vertex_t source, LevelSink* sink);
  template <bool Levels, bool Parents, bool Count>
  Tally top_down(level_t level, std::size_t frontier_size, std::uint64_t frontier_edges);
  template <bool Levels, bool Parents, bool Count>
  Tally bottom_up(level_t level, bool counts_edges);
  template <bool Levels, bool Parents, bool Count>
  Tally bottom_up_words(level_t level, bool counts_edges, std::size_t first, std::size_t last);
  void queue_to_bitmap(std::size_t size);
  std::uint64_t bitmap_to_queue();
  [[nodiscard]] bool goes_bottom_up(bool now, const Progress& progress) const;
  void erase_unreached();

  int threads_;
  Rule rule_;
  double threshold_, alpha_, beta_, ratio_;
  unsigned hints_;
  Answer answer_;

  const CsrGraph* graph_ = nullptr;
  const CsrGraph* incoming_ = nullptr;  // nullptr: directed without a transpose, top-down only
  std::size_t words_ = 0;
  std::size_t enterable_ = 0;   // vertices that some edge enters
  Buffer<vertex_t> hint_;       // [hints_][n]
  Buffer<word_t> short_rows_;   // bit set: the hints are all of the row
  Buffer<word_t> unreachable_;  // no edge enters these; bits past n are set, too
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
  words_ = (std::size_t{n} + kWordBits - 1) / kWordBits;
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
  if (incoming_ == nullptr) {
    // Without in-edges nothing is known of who can be reached, and bottom-up never runs.
    if (n % kWordBits != 0) unreachable_[words_ - 1] = ~word_t{0} << (n % kWordBits);
    return;
  }
  std::size_t enterable = 0;
#pragma omp parallel for num_threads(threads_) schedule(static) reduction(+ : enterable)
  for (std::size_t w = 0; w < words_; ++w) {
    word_t none = 0;
    for (vertex_t bit = 0; bit < kWordBits; ++bit) {
      const std::size_t v = w * kWordBits + bit;
      if (v >= n || incoming_->degree(static_cast<vertex_t>(v)) == 0) none |= word_t{1} << bit;
    }
    unreachable_[w] = none;
    enterable += static_cast<unsigned>(std::popcount(~none));
  }
  enterable_ = enterable;
  if (hints_ > 0) collect_hints();
}

// Plane k of `hint_` holds every vertex's in-neighbour of k-th highest in-degree; a row that is
// shorter repeats its last, and a row that the planes hold whole is marked short.
void Hybrid::collect_hints() {
  const std::size_t n = graph_->vertex_count();
  hint_ = Buffer<vertex_t>(n * hints_);
  short_rows_ = Buffer<word_t>(words_);
  // Two bytes a vertex keep the degrees, looked up once an edge, in cache.
  Buffer<std::uint16_t> degree(n);
#pragma omp parallel num_threads(threads_)
  {
#pragma omp for schedule(static)
    for (std::size_t v = 0; v < n; ++v) {
      degree[v] = static_cast<std::uint16_t>(
          std::min<edge_t>(incoming_->degree(static_cast<vertex_t>(v)), 0xFFFF));
    }
#pragma omp for schedule(dynamic, 64)
    for (std::size_t w = 0; w < words_; ++w) {
      word_t short_rows = 0;
      for (word_t bits = ~unreachable_[w]; bits != 0; bits &= bits - 1) {
        const auto v = static_cast<vertex_t>(w * kWordBits + std::countr_zero(bits));
        std::array<vertex_t, kMaxHints> best{};
        std::array<std::uint16_t, kMaxHints> best_degree{};
        unsigned held = 0;
        for (const vertex_t u : incoming_->neighbors(v)) {
          const std::uint16_t d = degree[u];
          if (held == hints_ && d <= best_degree[held - 1]) continue;
          unsigned at = held < hints_ ? held++ : held - 1;
          for (; at > 0 && best_degree[at - 1] < d; --at) {
            best_degree[at] = best_degree[at - 1];
            best[at] = best[at - 1];
          }
          best_degree[at] = d;
          best[at] = u;
        }
        for (unsigned plane = 0; plane < hints_; ++plane) {
          hint_[plane * n + v] = best[std::min(plane, held - 1)];
        }
        if (incoming_->degree(v) <= hints_) short_rows |= word_t{1} << (v % kWordBits);
      }
      short_rows_[w] = short_rows;
    }
  }
}

AnswerView Hybrid::answer() const {
  return {MemorySpace::host, graph_->vertex_count(), level_.data(), parent_.data()};
}

MemoryUse Hybrid::memory() const {
  return {.graph = hint_.bytes() + short_rows_.bytes() + unreachable_.bytes(),
          .status = level_.bytes() + parent_.bytes() + visited_.bytes(),
          .queues = queue_.bytes() + next_queue_.bytes() + frontier_.bytes() + next_.bytes(),
          .scratch = 0};
}

template <bool Levels, bool Parents, bool Count>
Tally Hybrid::top_down(level_t level, std::size_t frontier_size, std::uint64_t frontier_edges) {
  const std::span<const edge_t> offsets = graph_->row_offsets();
  const vertex_t* columns = graph_->columns().data();
  word_t* visited = visited_.data();
  Tally total;
  if (threads_ == 1 || frontier_edges < kSerialEdges) {
    for (std::size_t i = 0; i < frontier_size; ++i) {
      const vertex_t u = queue_[i];
      for (edge_t e = offsets[u]; e < offsets[u + std::size_t{1}]; ++e) {
        const vertex_t v = columns[e];
        if (!claim_alone(visited, v)) continue;
        if constexpr (Levels) level_[v] = level + 1;
        if constexpr (Parents) parent_[v] = u;
        next_queue_[total.found++] = v;
        total.found_edges += graph_->degree(v);
      }
      if constexpr (Count) total.checked += offsets[u + std::size_t{1}] - offsets[u];
    }
    std::swap(queue_, next_queue_);
    return total;
  }
  std::uint64_t tail = 0;
  std::uint64_t found_edges = 0;
  std::uint64_t checked = 0;
  std::vector<vertex_t> hubs;
#pragma omp parallel num_threads(threads_) reduction(+ : found_edges, checked)
  {
    // A locked claim waits for every store before it, so a found vertex's answer, which misses the
    // cache, is written a batch later, where the misses overlap.
    std::array<vertex_t, kLocalQueue> local;
    std::array<vertex_t, kLocalQueue> local_parent;
    std::size_t held = 0;
    const auto flush = [&] {
      const std::uint64_t at = std::atomic_ref(tail).fetch_add(held, std::memory_order_relaxed);
      std::copy_n(local.data(), held, next_queue_.data() + at);
      for (std::size_t i = 0; i < held; ++i) {
        const vertex_t v = local[i];
        if constexpr (Levels) level_[v] = level + 1;
        if constexpr (Parents) parent_[v] = local_parent[i];
        found_edges += graph_->degree(v);
      }
      held = 0;
    };
    const auto expand = [&](vertex_t u, edge_t first, edge_t last) {
      for (edge_t e = first; e < last; ++e) {
        const vertex_t v = columns[e];
        if (!claim(visited, v)) continue;
        __builtin_prefetch(&offsets[v]);
        if constexpr (Levels) __builtin_prefetch(&level_[v], 1);
        if constexpr (Parents) __builtin_prefetch(&parent_[v], 1);
        local_parent[held] = u;
        local[held++] = v;
        if (held == kLocalQueue) flush();
      }
      if constexpr (Count) checked += last - first;
    };
#pragma omp for schedule(dynamic, 16)
    for (std::size_t i = 0; i < frontier_size; ++i) {
      const vertex_t u = queue_[i];
      const edge_t first = offsets[u];
      const edge_t last = offsets[u + std::size_t{1}];
      if (last - first < kHubDegree) {
        expand(u, first, last);
      } else {
#pragma omp critical(bfslab_hybrid_hubs)
        hubs.push_back(u);
      }
    }
    for (const vertex_t u : hubs) {
      const edge_t first = offsets[u];
      const edge_t last = offsets[u + std::size_t{1}];
#pragma omp for schedule(dynamic, 1) nowait
      for (edge_t at = first; at < last; at += kHubDegree / 2) {
        expand(u, at, std::min(last, at + kHubDegree / 2));
      }
    }
    flush();
  }
  total.found = tail;
  total.found_edges = found_edges;
  total.checked = checked;
  std::swap(queue_, next_queue_);
  return total;
}

// Words [first, last) belong to the calling thread alone: it reads the frontier and writes its own
// words of `visited_` and `next_`. Vertices are judged a word at a time and without branching on
// single ones, since whether a hint hits is a coin toss to the branch predictor.
template <bool Levels, bool Parents, bool Count>
Tally Hybrid::bottom_up_words(level_t level, bool counts_edges, std::size_t first,
                              std::size_t last) {
  const std::size_t n = graph_->vertex_count();
  const edge_t* offsets = incoming_->row_offsets().data();
  const vertex_t* columns = incoming_->columns().data();
  const word_t* frontier = frontier_.data();
  Tally tally;
  // What the hints leave of a word waits, its rows prefetched, until the next word's hints are
  // done.
  std::size_t waiting_word = 0;
  word_t waiting = 0;
  const auto finish = [&](std::size_t w, word_t todo) {
    word_t found = next_[w];
    for (; todo != 0; todo &= todo - 1) {
      const std::size_t v = w * kWordBits + std::countr_zero(todo);
      edge_t e = offsets[v];
      const edge_t end = offsets[v + 1];
      while (e < end && !test(frontier, columns[e])) ++e;
      if constexpr (Count) tally.checked += std::min(e + 1, end) - offsets[v];
      if (e == end) continue;
      found |= word_t{1} << (v % kWordBits);
      if constexpr (Levels) level_[v] = level + 1;
      if constexpr (Parents) parent_[v] = columns[e];
    }
    next_[w] = found;
    visited_[w] |= found;
    tally.found += static_cast<unsigned>(std::popcount(found));
    if (counts_edges) {
      for (word_t bits = found; bits != 0; bits &= bits - 1) {
        tally.found_edges +=
            graph_->degree(static_cast<vertex_t>(w * kWordBits + std::countr_zero(bits)));
      }
    }
  };
  for (std::size_t w = first; w < last; ++w) {
    word_t todo = ~visited_[w];
    const std::size_t base = w * kWordBits;
    word_t found = 0;
    for (unsigned plane = 0; plane < hints_ && todo != 0; ++plane) {
      const vertex_t* hint = hint_.data() + plane * n + base;
      word_t hits = 0;
      for (word_t bits = todo; bits != 0; bits &= bits - 1) {
        const int bit = std::countr_zero(bits);
        hits |= (frontier[hint[bit] / kWordBits] >> (hint[bit] % kWordBits) & 1) << bit;
      }
      if constexpr (Count) tally.checked += static_cast<unsigned>(std::popcount(todo));
      found |= hits;
      todo &= ~hits;
      for (; hits != 0; hits &= hits - 1) {
        const int bit = std::countr_zero(hits);
        if constexpr (Levels) level_[base + bit] = level + 1;
        if constexpr (Parents) parent_[base + bit] = hint[bit];
      }
    }
    next_[w] = found;
    if (hints_ > 0) todo &= ~short_rows_[w];
    for (word_t bits = todo; bits != 0; bits &= bits - 1) {
      __builtin_prefetch(columns + offsets[base + std::countr_zero(bits)]);
    }
    if (w > first) finish(waiting_word, waiting);
    waiting_word = w;
    waiting = todo;
  }
  finish(waiting_word, waiting);
  return tally;
}

template <bool Levels, bool Parents, bool Count>
Tally Hybrid::bottom_up(level_t level, bool counts_edges) {
  Tally total;
  constexpr std::size_t kWordsPerChunk = 64;
  const auto chunks = (words_ + kWordsPerChunk - 1) / kWordsPerChunk;
  std::uint64_t found = 0;
  std::uint64_t found_edges = 0;
  std::uint64_t checked = 0;
#pragma omp parallel for num_threads(threads_) schedule(dynamic, 4) \
    reduction(+ : found, found_edges, checked)
  for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
    const std::size_t first = chunk * kWordsPerChunk;
    const std::size_t last = std::min(words_, first + kWordsPerChunk);
    const Tally part = bottom_up_words<Levels, Parents, Count>(level, counts_edges, first, last);
    found += part.found;
    found_edges += part.found_edges;
    checked += part.checked;
  }
  total.found = found;
  total.found_edges = found_edges;
  total.checked = checked;
  std::swap(frontier_, next_);
  return total;
}

void Hybrid::queue_to_bitmap(std::size_t size) {
  word_t* bits = frontier_.data();
#pragma omp parallel num_threads(threads_)
  {
#pragma omp for schedule(static)
    for (std::size_t w = 0; w < words_; ++w) bits[w] = 0;
#pragma omp for schedule(static)
    for (std::size_t i = 0; i < size; ++i) {
      const vertex_t v = queue_[i];
      std::atomic_ref(bits[v / kWordBits])
          .fetch_or(word_t{1} << (v % kWordBits), std::memory_order_relaxed);
    }
  }
}

// Returns the queue's out-degrees. Serial: no rule leaves bottom-up with a large frontier.
std::uint64_t Hybrid::bitmap_to_queue() {
  std::size_t size = 0;
  std::uint64_t edges = 0;
  for (std::size_t w = 0; w < words_; ++w) {
    for (word_t bits = frontier_[w]; bits != 0; bits &= bits - 1) {
      const auto v = static_cast<vertex_t>(w * kWordBits + std::countr_zero(bits));
      queue_[size++] = v;
      edges += graph_->degree(v);
    }
  }
  return edges;
}

bool Hybrid::goes_bottom_up(bool now, const Progress& at) const {
  if (incoming_ == nullptr) return false;
  const auto n = static_cast<double>(graph_->vertex_count());
  const auto m = static_cast<double>(graph_->edge_count());
  const auto frontier = static_cast<double>(at.frontier);
  const auto edges = static_cast<double>(at.edges);
  switch (rule_) {
    case Rule::vertices:
      return frontier >= threshold_ * n;
    case Rule::edge_ratio:
      return edges >= ratio_ * m;
    case Rule::beamer:
      if (now) return at.frontier >= at.previous || frontier > n / beta_;
      return edges > static_cast<double>(at.unexplored) / alpha_;
    case Rule::work:
      break;
  }
  // A candidate looks through its row until it meets one of the frontier's edges: with a share p of
  // all edges there, after about 1 / p entries. Frontiers that bottom-up found late have low
  // degrees, and were not counted.
  const double mean_degree = m / static_cast<double>(std::max<std::size_t>(enterable_, 1));
  const double frontier_edges = now ? frontier * mean_degree / 4 : edges;
  const double checks =
      static_cast<double>(at.candidates) * std::min(mean_degree, m / std::max(frontier_edges, 1.0));
  return kBottomUpCost * checks + static_cast<double>(words_) / 2 < kTopDownCost * frontier_edges;
}

// The answer arrays are never cleared: whatever this traversal did not reach is erased here.
void Hybrid::erase_unreached() {
#pragma omp parallel for num_threads(threads_) schedule(static) if (words_ > 4096)
  for (std::size_t w = 0; w < words_; ++w) {
    for (word_t left = ~visited_[w]; left != 0; left &= left - 1) {
      const std::size_t v = w * kWordBits + static_cast<unsigned>(std::countr_zero(left));
      if (level_.size() != 0) level_[v] = kUnreached;
      if (parent_.size() != 0) parent_[v] = kNoVertex;
    }
  }
}

template <bool Levels, bool Parents, bool Count>
void Hybrid::run(vertex_t source, LevelSink* sink) {
  // A source that no edge enters is not erased by the next traversal, so this one does.
  if (last_source_ != kNoVertex) {
    if constexpr (Levels) level_[last_source_] = kUnreached;
    if constexpr (Parents) parent_[last_source_] = kNoVertex;
  }
  last_source_ = source;
  std::memcpy(visited_.data(), unreachable_.data(), visited_.bytes());
  visited_[source / kWordBits] |= word_t{1} << (source % kWordBits);
  if constexpr (Levels) level_[source] = 0;
  if constexpr (Parents) parent_[source] = source;
  queue_[0] = source;

  const bool counts_edges = Count || rule_ == Rule::edge_ratio;
  Progress at{.edges = graph_->degree(source),
              .unexplored = graph_->edge_count(),
              .candidates = enterable_};
  std::uint64_t unvisited = graph_->vertex_count() - std::uint64_t{1};
  bool bottom = false;
  for (level_t level = 0; at.frontier > 0; ++level) {
    const bool was_bottom = bottom;
    bottom = goes_bottom_up(was_bottom, at);
    if (bottom && !was_bottom) queue_to_bitmap(at.frontier);
    if (!bottom && was_bottom) at.edges = bitmap_to_queue();
    if (sink != nullptr) {
      sink->begin({level, bottom ? Direction::bottom_up : Direction::top_down,
                   bottom ? "bitmap" : "queue", at.frontier});
    }
    const Tally tally = bottom ? bottom_up<Levels, Parents, Count>(level, counts_edges)
                               : top_down<Levels, Parents, Count>(level, at.frontier, at.edges);
    if (sink != nullptr) {
      sink->end(Count ? LevelFacts{at.edges, tally.checked, tally.found, 0, unvisited}
                      : LevelFacts{});
    }
    at = {
        .frontier = tally.found,
        .previous = at.frontier,
        .edges = tally.found_edges,
        // Bottom-up levels count no edges unless a sink asks, and a sink must not change the rule.
        .unexplored = at.unexplored - (bottom ? 0 : std::min(at.unexplored, at.edges)),
        .candidates = at.candidates - std::min(at.candidates, tally.found)};
    unvisited -= tally.found;
  }
  erase_unreached();
}

void Hybrid::traverse(vertex_t source, LevelSink* sink) {
  const bool count = sink != nullptr && sink->counts();
  switch (answer_) {
    case Answer::levels:
      return count ? run<true, false, true>(source, sink) : run<true, false, false>(source, sink);
    case Answer::parents:
      return count ? run<false, true, true>(source, sink) : run<false, true, false>(source, sink);
    case Answer::both:
      return count ? run<true, true, true>(source, sink) : run<true, true, false>(source, sink);
  }
}

Estimate estimate(const GraphFacts& facts, const Toggles& toggles, Answer answer) {
  const auto n = static_cast<double>(facts.vertices);
  const auto m = static_cast<double>(facts.edges);
  const double hints = 4.0 * static_cast<double>(toggles.integer("hints"));
  const double status = (wants_levels(answer) ? 4 : 0) + (wants_parents(answer) ? 4 : 0);
  return {.bytes = n * (hints + status + 8 + 0.5), .seconds = 1e-5 + n * 5e-9 + m * 2e-10};
}

const RegisterEngine registration{{
    .name = "hybrid",
    .paper = "cs406",
    .section = "4.1.6",
    .summary = "Direction-optimising BFS: a queue top-down while the frontier is small, bitmaps "
               "bottom-up when it is large",
    .can = {.directed = true, .needs_transpose = true},
    .toggles =
        {threads_toggle(),
         Toggle::choice("rule", "work", {"work", "vertices", "beamer", "edge_ratio"},
                        "What decides a level's direction", "cs406 4.1.6, xbfs 4.3"),
         Toggle::real("threshold", 0.05, 0, 1,
                      "Bottom-up when the frontier has this share of all vertices", "cs406 4.1.6",
                      {{"rule", {std::string("vertices")}, "only the rule 'vertices' reads it"}}),
         Toggle::real("alpha", 15, 0, 1e9,
                      "Bottom-up when the frontier's edges exceed unexplored edges / alpha",
                      "cs406 4.1.6 [3]",
                      {{"rule", {std::string("beamer")}, "only the rule 'beamer' reads it"}}),
         Toggle::real("beta", 18, 0.001, 1e9,
                      "Top-down again when a shrinking frontier is below n / beta vertices",
                      "cs406 4.1.6 [3]",
                      {{"rule", {std::string("beamer")}, "only the rule 'beamer' reads it"}}),
         Toggle::real(
             "ratio", 0.1, 0, 1, "Bottom-up while the frontier's edges are this share of all edges",
             "xbfs 4.3",
             {{"rule", {std::string("edge_ratio")}, "only the rule 'edge_ratio' reads it"}}),
         Toggle::integer("hints", 2, 0, 4,
                         "In-neighbours of highest degree, per vertex, that bottom-up tries first; "
                         "gathered at set-up, no effect on ids or order")},
    .estimate = estimate,
    .make = [](const EngineSettings& settings) -> std::unique_ptr<Engine> {
      return std::make_unique<Hybrid>(settings);
    },
}};

}  // namespace
}  // namespace bfslab::cpu
