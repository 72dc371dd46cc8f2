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
//   * On graphs of up to 2^21 vertices (`claims`) a vertex is claimed without a lock, by a store of
//     the thread's number to its byte (kernels/cpu/finders.hpp), until the first level bottom-up.
//     Who was found by two threads is expanded once.
//   * Else top-down separates claiming a vertex (a locked instruction, which waits for the stores
//     before it) from writing its answer (a store that misses the cache): batches of each. In short
//     rows, where neither the end nor the next find can be foreseen, it looks without branches; in
//     a level that is shared it claims those that it saw unvisited after it has looked at a block.
//   * What a thread found it expands (kernels/cpu/block_queues.hpp), and level after level it works
//     on the same words bottom-up, so that both lie in its own cache; who is done takes work from
//     others. The rows of hubs are shared in slices.
//   * The team stays together from the first level that is worth sharing to the last, and meets
//     once a level (kernels/cpu/meeting.hpp): every thread has the sums and decides for itself what
//     comes next. Smaller levels run on one thread.
//
// Cost: top-down reads 4 bytes and a random bit or byte per edge, and pays a claim and a random
// write per vertex found. Bottom-up reads 4 bytes and a random bit per hint and unvisited vertex,
// then, for the rest, 8 bytes of offsets and 4 bytes and a bit per edge checked. Set-up is O(n +
// m), and the hints take 4 * hints bytes per vertex. It wins wherever levels are few and large; a
// deep graph costs a barrier a level beside the work, and its smallest levels are a queue on one
// thread.
//
// Deviations from cs406: visited is a bitmap with atomic claims, or bytes that name the one thread
// that expands a vertex (Listing 1's test is a race that enqueues duplicates,
// docs/errata.md#cs406-listing-1); the bottom-up step builds the next frontier as a bitmap, not as
// queues.

#include <omp.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "datasets/graph/buffer.hpp"
#include "kernels/bitmap.hpp"
#include "kernels/cpu/block_queues.hpp"
#include "kernels/cpu/finders.hpp"
#include "kernels/cpu/hints.hpp"
#include "kernels/cpu/meeting.hpp"
#include "kernels/cpu/parallel.hpp"
#include "kernels/cpu/vertex_state.hpp"
#include "kernels/cpu/work_range.hpp"
#include "kernels/direction_rule.hpp"
#include "kernels/engine.hpp"

namespace bfslab::cpu {
namespace {

constexpr edge_t kHubDegree = 4096;       // longer rows are shared among the team,
constexpr edge_t kSlice = 2048;           // so many entries at a time
constexpr edge_t kSerialEdges = 512;      // smaller levels are not worth a team
constexpr std::uint64_t kFetched = 4096;  // rows that a cache holds from a level to the next
constexpr edge_t kShortRow = 8;           // whose finds are counted without branches
constexpr vertex_t kUnlocked = 1U << 21;  // most vertices whose claims need no lock by default
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

// A part of a hub's row.
struct Slice {
  vertex_t hub = 0;
  std::uint32_t number = 0;
};

// A list that all threads append to in one level, and share in the next.
struct alignas(64) Slices {
  std::atomic<std::uint64_t> filled{0};
  std::atomic<std::uint64_t> taken{0};
};

// Where a thread's next find goes. The loops over edges hold it by value: in registers.
struct Spot {
  vertex_t* ids = nullptr;
  std::size_t fill = BlockQueues::kRoom;
  [[nodiscard]] bool complete() const { return fill >= BlockQueues::kComplete; }
};
static_assert(BlockQueues::kComplete - 1 + kShortRow <= BlockQueues::kRoom);

// By what top-down claims a vertex.
enum class Claims { locked, unlocked };

// A finder's number must fit a byte.
bool claims_unlocked(const Toggles& toggles, vertex_t vertices, int threads) {
  const std::string& wanted = toggles.choice("claims");
  if (wanted == "locked" || threads > static_cast<int>(Finders::kMostThreads)) return false;
  return wanted == "unlocked" || (threads > 1 && vertices <= kUnlocked);
}

// Slices of a row, if it is a hub's.
constexpr std::uint64_t slices_of(edge_t degree) {
  return degree < kHubDegree ? 0 : (degree + kSlice - 1) / kSlice;
}

class Hybrid final : public Engine {
 public:
  explicit Hybrid(const EngineSettings& settings)
      : toggles_(settings.toggles),
        threads_(team_size(settings.toggles)),
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
            .status = level_.bytes() + parent_.bytes() + visited_.bytes() + finders_.bytes(),
            .queues = queues_[0]->bytes() + queues_[1]->bytes() + slices_[0].bytes() +
                      slices_[1].bytes() + bits_[0].bytes() + bits_[1].bytes(),
            .scratch = team() * kScratch};
  }

 private:
  // Where a traversal stands: the same on every thread of the team.
  struct Progress {
    level_t level = 0;
    bool was_bottom = false;
    bool bottom = false;    // of the coming level
    bool unlocked = false;  // no level was bottom-up, and the finders know who was visited
    DirectionState at;
    std::uint64_t frontier_edges = 0;  // counted, where a level is counted
    std::uint64_t unvisited = 0;
  };
  template <Answer A, Claims C>
  class Finds;
  struct Candidates;

  template <Answer A, bool Count>
  void run(vertex_t source, LevelSink* sink);
  template <Answer A, bool Count>
  Tally run_as_team(Progress& progress, bool one_level);
  void begin(vertex_t source);
  void advance(Progress& progress, const Tally& tally) const;
  // The coming level is for one thread: a team has nothing to share, or too little.
  [[nodiscard]] bool alone(const Progress& progress) const {
    if (progress.bottom || progress.was_bottom) return false;
    const bool one_block = progress.at.frontier < BlockQueues::kComplete;
    return threads_ == 1 || progress.at.edges < (one_block ? kHubDegree : kSerialEdges);
  }
  template <Answer A, bool Count>
  Tally top_down_alone(const Progress& progress);
  template <Answer A, bool Count, bool Shared>
  Tally top_down(const Progress& progress, std::size_t thread) {
    return progress.unlocked ? top_down<A, Count, Shared, Claims::unlocked>(progress.level, thread)
                             : top_down<A, Count, Shared, Claims::locked>(progress.level, thread);
  }
  template <Answer A, bool Count, bool Shared, Claims C>
  Tally top_down(level_t level, std::size_t thread);
  template <bool Shared, typename Found>
  Spot expand(vertex_t u, edge_t first, edge_t last, Found& finds, Spot spot);
  template <typename Found>
  Spot expand_short(vertex_t u, edge_t first, edge_t last, Found& finds, Spot spot);
  template <typename Found>
  void gather_short(vertex_t u, edge_t first, edge_t last, const Found& finds,
                    Candidates& candidates);
  template <typename Found>
  Spot claim(const Candidates& candidates, Found& finds, Spot spot);
  void add_slices(vertex_t hub, edge_t degree, level_t level);
  template <Answer A, bool Count>
  Tally bottom_up(level_t level, std::size_t thread);
  template <Answer A, bool Count>
  Tally bottom_up_words(level_t level, std::size_t first, std::size_t last);
  Tally found_once(level_t level, Tally tally);
  void queue_to_bitmap(const Progress& progress, std::size_t thread);
  std::uint64_t bitmap_to_queue(level_t level, std::size_t thread);
  template <Answer A>
  void erase_unreached(bool unlocked);

  // The frontier of a level, and what the level before it fills.
  BlockQueues& queue(level_t level) { return *queues_[level % 2]; }
  Buffer<Slice>& slices(level_t level) { return slices_[level % 2]; }
  // Used in two levels, and empty in the third.
  Slices& slice_counts(level_t level) { return slice_counts_[level % 3]; }
  // Of a thread, beside its queues.
  static constexpr std::size_t kScratch = sizeof(WorkRange) + Meeting<Tally>::kBytesPerThread;
  [[nodiscard]] std::size_t team() const { return static_cast<std::size_t>(threads_); }
  // The words [first, last) of `thread`, by fair division.
  [[nodiscard]] std::size_t first_word(std::size_t thread) const {
    return words_ * thread / team();
  }

  template <Answer A>
  void set(vertex_t v, level_t level, vertex_t parent) {
    // Relaxed, since two threads may find a vertex.
    constexpr auto relaxed = std::memory_order_relaxed;
    if constexpr (A != Answer::parents) std::atomic_ref(level_[v]).store(level, relaxed);
    if constexpr (A != Answer::levels) std::atomic_ref(parent_[v]).store(parent, relaxed);
  }

  Toggles toggles_;
  int threads_;
  bool unlocked_ = false;
  DirectionRule rule_;
  unsigned planes_;
  Answer answer_;

  const CsrGraph* graph_ = nullptr;
  const CsrGraph* incoming_ = nullptr;  // nullptr: directed without a transpose, top-down only
  std::size_t words_ = 0;
  Hints hints_;
  Buffer<word_t> unreachable_;  // no edge enters these; bits past the last vertex are set, too
  Buffer<word_t> visited_;
  Finders finders_;  // if claims are unlocked; until then `visited_` knows the visited hubs
  std::array<Buffer<word_t>, 2> bits_;  // the frontier of a level, bottom-up, at level % 2
  std::array<std::unique_ptr<BlockQueues>, 2> queues_;
  std::array<Buffer<Slice>, 2> slices_;
  std::array<Slices, 3> slice_counts_;
  Meeting<Tally> meeting_;
  std::vector<WorkRange> chunks_;  // of words, bottom-up
  Buffer<level_t> level_;
  Buffer<vertex_t> parent_;
  vertex_t last_source_ = kNoVertex;
  bool interrupted_ = false;  // the last traversal, so that its finders are still there
};

void Hybrid::load(const GraphSource& source) {
  graph_ = source.csr;
  incoming_ = graph_->incoming();
  threads_ = granted_team(threads_);
  const vertex_t n = graph_->vertex_count();
  words_ = word_count(n);
  unreachable_ = Buffer<word_t>(words_);
  visited_ = Buffer<word_t>(words_);
  std::uint64_t slices = 0;
#pragma omp parallel for num_threads(threads_) schedule(static) reduction(+ : slices)
  for (vertex_t v = 0; v < n; ++v) slices += slices_of(graph_->degree(v));
  for (Buffer<word_t>& bits : bits_) bits = Buffer<word_t>(words_);
  unlocked_ = claims_unlocked(toggles_, n, threads_);
  finders_ = unlocked_ ? Finders(words_) : Finders();
  for (auto& queue : queues_) queue = std::make_unique<BlockQueues>(n, threads_, unlocked_);
  for (Buffer<Slice>& list : slices_) list = Buffer<Slice>(slices);
  meeting_ = Meeting<Tally>(team());
  chunks_ = std::vector<WorkRange>(team());
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

// What one thread finds in a level: a block of the next queue that it fills, and the parents that
// go with it. Their answers are written block by block, since each store misses the cache, and of
// many that are made one after another the misses overlap.
template <Answer A, Claims C>
class Hybrid::Finds {
 public:
  Finds(Hybrid& engine, level_t level, std::size_t thread)
      : engine_(engine), next_(engine.queue(level + 1)), level_(level), thread_(thread) {
    next_.clear(thread);
  }

  [[nodiscard]] vertex_t* parents() { return parent_.data(); }

  // True if this thread finds `v`; while other threads are at it, too, or not.
  template <bool Shared>
  [[gnu::always_inline]] bool claim(vertex_t v) {
    if constexpr (C == Claims::unlocked) {
      return crowded_ ? engine_.finders_.claim_locked(v, thread_)
                      : engine_.finders_.claim(v, thread_);
    } else {
      return Shared ? claim_shared(engine_.visited_.data(), v)
                    : claim_alone(engine_.visited_.data(), v);
    }
  }
  // The same on one thread without a branch: 1 or 0.
  [[gnu::always_inline]] std::size_t count(vertex_t v) {
    if constexpr (C == Claims::unlocked) return engine_.finders_.count(v, thread_);
    word_t& word = engine_.visited_[v / kWordBits];
    const word_t before = word;
    word = before | bit_of(v);
    return (before & bit_of(v)) == 0 ? 1 : 0;
  }

  // While other threads are at it: whether nobody has found `v` yet, and, of such a `v`, 1 if this
  // thread finds it.
  [[nodiscard, gnu::always_inline]] bool is_open(vertex_t v) const {
    if constexpr (C == Claims::unlocked) return engine_.finders_.is_open(v);
    const std::atomic_ref word(engine_.visited_[v / kWordBits]);
    return (word.load(std::memory_order_relaxed) & bit_of(v)) == 0;
  }
  [[gnu::always_inline]] std::size_t count_open(vertex_t v) {
    if constexpr (C == Claims::unlocked) {
      return crowded_ ? engine_.finders_.claim_locked(v, thread_)
                      : engine_.finders_.count(v, thread_);
    }
    const std::atomic_ref word(engine_.visited_[v / kWordBits]);
    return (word.fetch_or(bit_of(v), std::memory_order_relaxed) & bit_of(v)) == 0 ? 1 : 0;
  }

  // Another find, if it is `fresh`.
  [[gnu::always_inline]] Spot add(Spot spot, vertex_t v, vertex_t parent, bool fresh) {
    spot.ids[spot.fill] = v;
    parent_[spot.fill] = parent;
    spot.fill += fresh ? 1 : 0;
    return spot.complete() ? turn(spot) : spot;
  }

  // After a complete block, and before the first.
  [[gnu::noinline]] Spot turn(Spot spot) {
    if (spot.ids != nullptr) spot = write_down(spot);
    if (!spot.complete()) return spot;  // hubs left it
    if (spot.ids != nullptr) BlockQueues::set_size(spot.ids, spot.fill);
    written_ = 0;
    vertex_t* ids = next_.add_block(thread_);
    if constexpr (C == Claims::unlocked) crowded_ = next_.crowded();
    return {ids, 0};
  }
  // Nothing is found any more.
  void close(Spot spot) {
    if (spot.ids != nullptr) {
      spot = write_down(spot);
      BlockQueues::set_size(spot.ids, spot.fill);
    }
    next_.close(thread_);
  }

  Tally tally;

 private:
  // Also fetches what the next level reads first. Hubs are listed apart, in slices.
  Spot write_down(Spot spot) {
    const edge_t* offsets = engine_.graph_->row_offsets().data();
    const vertex_t* columns = engine_.graph_->columns().data();
    tally.found += spot.fill - written_;
    const bool fits = tally.found < kFetched;
    std::size_t kept = written_;
    for (std::size_t i = written_; i < spot.fill; ++i) {
      const vertex_t v = spot.ids[i];
      engine_.template set<A>(v, level_ + 1, parent_[i]);
      const edge_t row = offsets[v];
      const edge_t degree = offsets[v + std::size_t{1}] - row;
      if (fits) __builtin_prefetch(columns + row);
      spot.ids[kept] = v;
      if (degree < kHubDegree) {
        ++kept;
      } else if (C == Claims::locked || claim_shared(engine_.visited_.data(), v)) {
        engine_.add_slices(v, degree, level_ + 1);
      } else {
        --tally.found;
        continue;
      }
      tally.found_edges += degree;
    }
    written_ = kept;
    return {spot.ids, kept};
  }

  Hybrid& engine_;
  BlockQueues& next_;
  level_t level_;
  std::size_t thread_;
  std::size_t written_ = 0;  // of the block
  bool crowded_ = false;     // from now on no vertex may be found twice
  std::array<vertex_t, BlockQueues::kRoom> parent_;
};

void Hybrid::add_slices(vertex_t hub, edge_t degree, level_t level) {
  const std::uint64_t count = slices_of(degree);
  const std::uint64_t at = slice_counts(level).filled.fetch_add(count, std::memory_order_relaxed);
  for (std::uint64_t i = 0; i < count; ++i) {
    slices(level)[at + i] = {hub, static_cast<std::uint32_t>(i)};
  }
}

// Looks at the entries [first, last) of the row of `u`.
template <bool Shared, typename Found>
[[gnu::always_inline]] inline Spot Hybrid::expand(vertex_t u, edge_t first, edge_t last,
                                                  Found& finds, Spot spot) {
  const vertex_t* columns = graph_->columns().data();
  for (edge_t e = first; e < last; ++e) {
    const vertex_t v = columns[e];
    if (!finds.template claim<Shared>(v)) continue;
    __builtin_prefetch(graph_->row_offsets().data() + v);
    if (wants_levels(answer_)) __builtin_prefetch(level_.data() + v, 1);
    if (wants_parents(answer_)) __builtin_prefetch(parent_.data() + v, 1);
    spot = finds.add(spot, v, u, true);
  }
  return spot;
}

// The same of a short row, without a branch on any entry, on one thread.
template <typename Found>
[[gnu::always_inline]] inline Spot Hybrid::expand_short(vertex_t u, edge_t first, edge_t last,
                                                        Found& finds, Spot spot) {
  const vertex_t* columns = graph_->columns().data();
  vertex_t* parents = finds.parents();
  for (edge_t e = first; e < last; ++e) {
    const vertex_t v = columns[e];
    spot.ids[spot.fill] = v;
    parents[spot.fill] = u;
    spot.fill += finds.count(v);
  }
  return spot.complete() ? finds.turn(spot) : spot;
}

// The unvisited neighbours that the short rows of a block lead to, some of them several times.
struct Hybrid::Candidates {
  std::array<vertex_t, BlockQueues::kRoom * kShortRow> vertex;
  std::array<vertex_t, BlockQueues::kRoom * kShortRow> parent;
  std::size_t count = 0;
};

// What is done in a level that is shared instead: a claim is made only of who was unvisited a
// moment ago, since it takes the cache line from other threads.
template <typename Found>
[[gnu::always_inline]] inline void Hybrid::gather_short(vertex_t u, edge_t first, edge_t last,
                                                        const Found& finds,
                                                        Candidates& candidates) {
  const vertex_t* columns = graph_->columns().data();
  for (edge_t e = first; e < last; ++e) {
    const vertex_t v = columns[e];
    candidates.vertex[candidates.count] = v;
    candidates.parent[candidates.count] = u;
    candidates.count += finds.is_open(v) ? 1 : 0;
  }
}

template <typename Found>
[[gnu::always_inline]] inline Spot Hybrid::claim(const Candidates& candidates, Found& finds,
                                                 Spot spot) {
  for (std::size_t i = 0; i < candidates.count; ++i) {
    const vertex_t v = candidates.vertex[i];
    spot = finds.add(spot, v, candidates.parent[i], finds.count_open(v) != 0);
  }
  return spot;
}

// A thread's part of a level; `Shared`: other threads work on it, too.
template <Answer A, bool Count, bool Shared, Claims C>
Tally Hybrid::top_down(level_t level, std::size_t thread) {
  if (thread == 0) {  // for the level after the next one, which nobody is at
    queue(level).free_arena();
    slice_counts(level + 2).filled.store(0, std::memory_order_relaxed);
    slice_counts(level + 2).taken.store(0, std::memory_order_relaxed);
  }
  const edge_t* offsets = graph_->row_offsets().data();
  Finds<A, C> finds(*this, level, thread);
  Spot spot = finds.turn({});
  Slices& counts = slice_counts(level);
  const std::uint64_t slices_here = counts.filled.load(std::memory_order_relaxed);
  while (counts.taken.load(std::memory_order_relaxed) < slices_here) {
    const std::uint64_t i = counts.taken.fetch_add(1, std::memory_order_relaxed);
    if (i >= slices_here) break;
    const auto [hub, number] = slices(level)[i];
    const edge_t first = offsets[hub] + number * kSlice;
    const edge_t last = std::min(first + kSlice, offsets[hub + std::size_t{1}]);
    spot = expand<Shared>(hub, first, last, finds, spot);
    if constexpr (Count) finds.tally.checked += last - first;
  }
  queue(level).work_off(thread, !Shared, [&](std::span<const vertex_t> block, std::size_t owner) {
    Candidates candidates;
    for (const vertex_t u : block) {
      if (C == Claims::unlocked && !finders_.is(owner, u)) continue;  // another found it, too
      const edge_t first = offsets[u];
      const edge_t last = offsets[u + std::size_t{1}];
      if constexpr (Count) finds.tally.checked += last - first;
      if (last - first > kShortRow) {
        spot = expand<Shared>(u, first, last, finds, spot);
      } else if constexpr (Shared) {
        gather_short(u, first, last, finds, candidates);
      } else {
        spot = expand_short(u, first, last, finds, spot);
      }
    }
    if constexpr (Shared) spot = claim(candidates, finds, spot);
  });
  finds.close(spot);
  return finds.tally;
}

template <Answer A, bool Count>
Tally Hybrid::top_down_alone(const Progress& progress) {
  for (std::size_t t = 1; t < team(); ++t) {
    queue(progress.level + 1).clear(t);
    queue(progress.level + 1).close(t);
  }
  return top_down<A, Count, false>(progress, 0);
}

// What a level has found, `tally`, without what several threads found, but for the first time.
Tally Hybrid::found_once(level_t level, Tally tally) {
  queue(level + 1).look_at_all([&](std::span<const vertex_t> block, std::size_t owner) {
    for (const vertex_t v : block) {
      if (finders_.is(owner, v)) continue;
      --tally.found;
      tally.found_edges -= graph_->degree(v);
    }
  });
  return tally;
}

// Words [first, last) belong to the calling thread alone: it reads the frontier and writes its own
// words of the visited set and of the next frontier. Hints are tested without branching on single
// vertices, since the branch predictor cannot foresee whether one hits.
template <Answer A, bool Count>
Tally Hybrid::bottom_up_words(level_t level, std::size_t first, std::size_t last) {
  const bool needs_edges = Count || rule_.needs_edges();
  const bool has_hints = hints_.planes() > 0;
  const edge_t* offsets = incoming_->row_offsets().data();
  const vertex_t* columns = incoming_->columns().data();
  const word_t* frontier = bits_[level % 2].data();
  word_t* next = bits_[(level + 1) % 2].data();
  Tally tally;

  // Opens the rows that the hints left undecided, and closes the word.
  const auto open_rows = [&](std::size_t w, word_t undecided) __attribute__((always_inline)) {
    word_t found = next[w];
    for_each_bit(undecided, [&](vertex_t bit) {
      const auto v = static_cast<vertex_t>(w * kWordBits + bit);
      edge_t e = offsets[v];
      const edge_t end = offsets[v + std::size_t{1}];
      // Behind hints, which were the likeliest, many rows are looked through to their end: eight
      // entries at a time. Without them, one of the first few is often the last one to look at.
      for (; has_hints && e + 8 <= end; e += 8) {
        word_t hit = 0;
        for (unsigned i = 0; i < 8; ++i) {
          const vertex_t u = columns[e + i];
          hit |= frontier[u / kWordBits] >> (u % kWordBits);
        }
        if ((hit & 1) != 0) break;
      }
      while (e < end && !test(frontier, columns[e])) ++e;
      if constexpr (Count) tally.checked += std::min(e + 1, end) - offsets[v];
      if (e == end) return;
      found |= word_t{1} << bit;
      set<A>(v, level + 1, columns[e]);
    });
    next[w] = found;
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
    next[w] = found;
    if (has_hints) todo &= ~hints_.short_rows(w);
    for_each_bit(todo, [&](vertex_t bit) { __builtin_prefetch(columns + offsets[base + bit]); });
    if (w > first) open_rows(w - 1, undecided);
    undecided = todo;
  }
  open_rows(last - 1, undecided);
  return tally;
}

template <Answer A, bool Count>
Tally Hybrid::bottom_up(level_t level, std::size_t thread) {
  if (thread == 0) {  // nobody is at the queues, which a later level may fill
    for (auto& queue : queues_) queue->free_arena();
    for (Slices& counts : slice_counts_) {
      counts.filled.store(0, std::memory_order_relaxed);
      counts.taken.store(0, std::memory_order_relaxed);
    }
  }
  // Eight pieces per thread on small graphs, so that all threads have work.
  const std::size_t chunk = std::clamp<std::size_t>(words_ / (team() * 8), 4, kChunkWords);
  const std::size_t chunks = (words_ + chunk - 1) / chunk;
  chunks_[thread].reset(static_cast<std::uint32_t>(chunks * thread / team()),
                        static_cast<std::uint32_t>(chunks * (thread + 1) / team()));
  Tally tally;
  work_off(chunks_, thread, false, [&](std::size_t, std::uint32_t piece) {
    const std::size_t first = piece * chunk;
    tally += bottom_up_words<A, Count>(level, first, std::min(words_, first + chunk));
  });
  return tally;
}

void Hybrid::queue_to_bitmap(const Progress& progress, std::size_t thread) {
  const level_t level = progress.level;
  word_t* frontier = bits_[level % 2].data();
  const std::size_t first = first_word(thread);
  const std::size_t last = first_word(thread + 1);
  std::fill(frontier + first, frontier + last, 0);
  if (progress.unlocked) {
    for (std::size_t w = first; w < last; ++w) visited_[w] |= finders_.found(w);
  }
  meeting_.meet(thread, {});
  queue(level).work_off(thread, false, [&](std::span<const vertex_t> block, std::size_t) {
    for (const vertex_t v : block) set_shared(frontier, v);
  });
  if (thread == 0) {
    const std::uint64_t count = slice_counts(level).filled.load(std::memory_order_relaxed);
    for (std::uint64_t i = 0; i < count; ++i) {
      if (slices(level)[i].number == 0) set_shared(frontier, slices(level)[i].hub);
    }
  }
  meeting_.meet(thread, {});
}

// Returns the queue's out-degrees.
std::uint64_t Hybrid::bitmap_to_queue(level_t level, std::size_t thread) {
  const word_t* frontier = bits_[level % 2].data();
  BlockQueues& to = queue(level);
  to.clear(thread);
  vertex_t* ids = nullptr;
  std::size_t fill = BlockQueues::kComplete;
  std::uint64_t edges = 0;
  for (std::size_t w = first_word(thread); w < first_word(thread + 1); ++w) {
    for_each_bit(frontier[w], [&](vertex_t bit) {
      const auto v = static_cast<vertex_t>(w * kWordBits + bit);
      const edge_t degree = graph_->degree(v);
      edges += degree;
      if (degree >= kHubDegree) return add_slices(v, degree, level);
      if (fill == BlockQueues::kComplete) {
        if (ids != nullptr) BlockQueues::set_size(ids, fill);
        ids = to.add_block(thread);
        fill = 0;
      }
      ids[fill++] = v;
    });
  }
  if (ids != nullptr) BlockQueues::set_size(ids, fill);
  to.close(thread);
  return meeting_.meet(thread, {.found_edges = edges}).found_edges;
}

// The answer arrays are never cleared: whatever this traversal did not reach is erased here.
template <Answer A>
void Hybrid::erase_unreached(bool unlocked) {
#pragma omp parallel for num_threads(threads_) schedule(static) if (words_ > 4096)
  for (std::size_t w = 0; w < words_; ++w) {
    if (unlocked) visited_[w] |= finders_.found(w);
    if (unlocked_) finders_.erase(w, w + 1);
    for_each_bit(~visited_[w], [&](vertex_t bit) {
      set<A>(static_cast<vertex_t>(w * kWordBits + bit), kUnreached, kNoVertex);
    });
  }
}

// A queue of the source alone.
void Hybrid::begin(vertex_t source) {
  for (Slices& counts : slice_counts_) {
    counts.filled.store(0, std::memory_order_relaxed);
    counts.taken.store(0, std::memory_order_relaxed);
  }
  for (auto& queue : queues_) {
    queue->free_arena();
    for (std::size_t t = 0; t < team(); ++t) {
      queue->clear(t);
      queue->close(t);
    }
  }
  const edge_t degree = graph_->degree(source);
  if (degree >= kHubDegree) return add_slices(source, degree, 0);
  vertex_t* ids = queue(0).add_block(0);
  ids[0] = source;
  BlockQueues::set_size(ids, 1);
  queue(0).close(0);
}

void Hybrid::advance(Progress& progress, const Tally& tally) const {
  progress.at.advance(progress.bottom, tally.found, tally.found_edges,
                      !progress.bottom || rule_.needs_edges());
  progress.frontier_edges = tally.found_edges;
  progress.unvisited -= tally.found;
  progress.was_bottom = progress.bottom;
  progress.bottom = rule_.bottom_up(progress.was_bottom, progress.at);
  ++progress.level;
}

// Levels that are worth sharing, one after another, or only one. Every thread has the whole
// progress and decides for itself, so that they meet once a level.
template <Answer A, bool Count>
Tally Hybrid::run_as_team(Progress& progress, bool one_level) {
  Tally last;
#pragma omp parallel num_threads(threads_)
  {
    const auto thread = static_cast<std::size_t>(omp_get_thread_num());
    Progress here = progress;
    Tally sum;
    do {
      const level_t level = here.level;
      if (here.bottom && !here.was_bottom) queue_to_bitmap(here, thread);
      if (here.bottom) here.unlocked = false;
      if (!here.bottom && here.was_bottom) here.at.edges = bitmap_to_queue(level, thread);
      sum = meeting_.meet(thread, here.bottom ? bottom_up<A, Count>(level, thread)
                                              : top_down<A, Count, true>(here, thread));
      advance(here, sum);
    } while (!one_level && here.at.frontier > 0 && !alone(here));
    if (thread == 0) {
      progress = here;
      last = sum;
    }
  }
  return last;
}

template <Answer A, bool Count>
void Hybrid::run(vertex_t source, LevelSink* sink) {
  // A source that no edge enters is not among those that erase_unreached() sees.
  if (last_source_ != kNoVertex) set<A>(last_source_, kUnreached, kNoVertex);
  last_source_ = source;
  std::memcpy(visited_.data(), unreachable_.data(), visited_.bytes());
  visited_[source / kWordBits] |= bit_of(source);
  if (unlocked_) {
    if (interrupted_) finders_.erase(0, words_);
    finders_.claim(source, 0);
  }
  interrupted_ = true;  // by a sink that throws
  set<A>(source, 0, source);
  begin(source);

  Progress progress{.unlocked = unlocked_,
                    .at = {.edges = graph_->degree(source),
                           .unexplored = graph_->edge_count(),
                           .rest = graph_->edge_count(),
                           .candidates = rule_.enterable()},
                    .frontier_edges = graph_->degree(source),
                    .unvisited = graph_->vertex_count() - std::uint64_t{1}};
  progress.bottom = rule_.bottom_up(false, progress.at);
  while (progress.at.frontier > 0) {
    const Progress before = progress;
    if (sink != nullptr) {
      sink->begin({before.level, before.bottom ? Direction::bottom_up : Direction::top_down,
                   before.bottom ? "bitmap" : "queue", before.at.frontier});
    }
    Tally tally;
    if (alone(before)) {
      tally = top_down_alone<A, Count>(before);
      advance(progress, tally);
    } else {
      tally = run_as_team<A, Count>(progress, sink != nullptr);
    }
    if (sink != nullptr) {
      if (progress.unlocked) {  // what is told of a level is exact
        tally = found_once(before.level, tally);
        progress = before;
        advance(progress, tally);
      }
      sink->end(
          Count ? LevelFacts{before.frontier_edges, tally.checked, tally.found, 0, before.unvisited}
                : LevelFacts{});
    }
  }
  erase_unreached<A>(progress.unlocked);
  interrupted_ = false;
}

void Hybrid::traverse(vertex_t source, LevelSink* sink) {
  dispatch(answer_, sink, [&]<Answer A, bool Count>() { run<A, Count>(source, sink); });
}

std::vector<Toggle> toggles() {
  std::vector<Toggle> table = DirectionRule::toggles();
  table.insert(table.begin(), threads_toggle());
  table.push_back(Toggle::choice(
      "claims", "auto", {"auto", "locked", "unlocked"},
      "How top-down claims a vertex: locked, on its bit, or, until the first level bottom-up, "
      "unlocked, on its byte; auto: unlocked if several threads (at most 255) search up to 2^21 "
      "vertices"));
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
  const int team = team_size(toggles);
  const bool unlocked = claims_unlocked(toggles, facts.vertices, team);
  const double queues =
      2 * static_cast<double>(BlockQueues::bytes_for(facts.vertices, team, unlocked)) +
      2 * 1.5 * m / kSlice * sizeof(Slice);  // all rows as of the least hubs
  return {
      .bytes = n * (4 * planes + 4 * answers + bitmaps + (unlocked ? 1 : 0)) + queues +
               team * static_cast<double>(sizeof(WorkRange) + Meeting<Tally>::kBytesPerThread),
      .seconds = 1e-5 + static_cast<double>(facts.levels) * 1e-5 + (n * 4e-9 + m * 2e-10) / team};
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
