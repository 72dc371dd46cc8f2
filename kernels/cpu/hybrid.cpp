// SPDX-License-Identifier: Apache-2.0
// hybrid: direction-optimising BFS (cs406, section 4.1.6, after Beamer et al.), the fastest CPU
// engine of bfslab.
//
// A level runs top-down while its frontier is small (a queue; each neighbour is claimed by setting
// its visited bit) and bottom-up when it is large (each unvisited vertex looks for a neighbour in
// the frontier's bitmap and stops at the first). kernels/direction_rule.hpp decides.
//
// Techniques beyond the paper, of which none renames a vertex or reorders an edge:
//   * Status is one bit per vertex, so the random accesses of both directions stay in L2 (n / 8
//     bytes); the answer arrays are written once per reached vertex, in id order when bottom-up.
//   * Vertices that no edge enters are marked as visited permanently at set-up: half of a Kronecker
//     graph is never examined. No pass resets the answer: a traversal overwrites the vertices
//     that it reaches, and at its end erases those left unvisited.
//   * `hints` (hints.hpp): bottom-up streams the most likely parents of every vertex, and opens a
//     row only if these are not in the frontier (bottom_up_words.hpp). A vertex with no more
//     neighbours than hints is decided without the CSR.
//   * Leaves (`leaves_apart`, leaves.hpp) enter no frontier: they count as visited and are labelled
//     last. With a sink they are ordinary vertices, so that the facts of levels are complete.
//   * With 2 to 8 threads, on graphs of up to 2^21 vertices (`claims`), a vertex is claimed without
//     a lock, by a store of the thread's number to its byte (finders.hpp), until the first level
//     bottom-up. A vertex that two threads found is expanded once.
//   * Top-down claims and answers in batches, short rows without branches (expansion.hpp).
//   * A thread expands the vertices that it found (block_queues.hpp), and works on the same words
//     in each level bottom-up, so that both lie in its own cache; threads without work take some
//     from others. The rows of hubs are shared in slices (hybrid_frontier.hpp).
//   * `batch`: sources are searched together by another text, batch_search.hpp.
//   * The team stays together from the first level that is worth sharing to the last, with one
//     barrier per level (sum_barrier.hpp): every thread has the sums and decides for itself on the
//     next level. Smaller levels run on one thread.
//
// Cost: top-down reads 4 bytes and a random bit or byte per edge, and pays a claim and a random
// write per vertex found. Bottom-up reads 4 bytes and a random bit per hint and unvisited vertex,
// then, for the rest, 8 bytes of offsets, 4 bytes and a bit per edge. It wins if levels are few.
//
// Deviations from cs406, whose listings cs406-cpu has: claims are atomic, or repeats are dropped
// (docs/errata.md#cs406-listing-1); bottom-up fills a bitmap of the next frontier, not queues.

#include <omp.h>

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <vector>

#include "kernels/cpu/batch_search.hpp"
#include "kernels/cpu/bottom_up_words.hpp"
#include "kernels/cpu/expansion.hpp"
#include "kernels/cpu/finders.hpp"
#include "kernels/cpu/hints.hpp"
#include "kernels/cpu/hybrid_frontier.hpp"
#include "kernels/cpu/hybrid_settings.hpp"
#include "kernels/cpu/leaves.hpp"
#include "kernels/cpu/parallel.hpp"
#include "kernels/cpu/sum_barrier.hpp"
#include "kernels/cpu/vertex_state.hpp"
#include "kernels/cpu/work_range.hpp"
#include "kernels/direction_rule.hpp"
#include "kernels/engine.hpp"
#include "kernels/search_toggles.hpp"
#include "kernels/unsupported.hpp"

namespace bfslab::cpu {
namespace {

constexpr edge_t kSerialEdges = 512;       // smaller levels are not worth a team
constexpr double kTopDownCost = 0.9;       // short rows and batches make an entry cheap
constexpr double kBatchTopDownCost = 0.9;  // the same if a word per vertex is looked up
constexpr std::size_t kChunkWords = 256;   // words that a thread takes at once, bottom-up

class Hybrid final : public Engine {
 public:
  explicit Hybrid(const EngineSettings& settings)
      : toggles_(settings.toggles),
        threads_(team_size(settings.toggles)),
        rules_{DirectionRule(settings.toggles, kTopDownCost),
               DirectionRule(settings.toggles, kTopDownCost)},
        batch_rule_(settings.toggles, kBatchTopDownCost),
        planes_(static_cast<unsigned>(settings.toggles.integer("hints"))),
        batch_size_(batch_of(settings.toggles)),
        depth_limit_(depth_limit_of(settings.toggles)),
        answer_(settings.answer) {}

  void load(const GraphSource& source) override {
    if (batch_size_ > 1 && answer_ != Answer::levels) {
      throw Unsupported("batch above 1 finds levels, not parents: set \"answer\": \"levels\"");
    }
    graph_ = source.csr;
    incoming_ = graph_->incoming();
    threads_ = granted_team(threads_);
    const vertex_t n = graph_->vertex_count();
    words_ = word_count(n);
    unreachable_ = without_in_edges(n, incoming_, threads_);
    visited_ = Buffer<word_t>(words_);
    unlocked_ = claims_unlocked(toggles_, n, threads_);
    finders_ = unlocked_ ? Finders(words_) : Finders();
    frontier_.reserve(*graph_, threads_, unlocked_);
    barrier_ = SumBarrier<LevelTally>(team());
    chunks_ = std::vector<WorkRange>(team());
    if (wants_levels(answer_)) level_ = Buffer<level_t>(n);
    if (wants_parents(answer_)) parent_ = Buffer<vertex_t>(n);
    std::ranges::fill(level_, kUnreached);
    std::ranges::fill(parent_, kNoVertex);
    if (incoming_ != nullptr && leaves_are_apart(toggles_)) {
      leaves_ = Leaves(*graph_, *incoming_, threads_);
    }
    rules_[0].set_graph(*graph_, threads_);
    rules_[1].set_graph(*graph_, threads_, leaves_.count());
    if (unlocked_) reset_finders(has_leaves());
    if (incoming_ != nullptr && planes_ > 0) {
      hints_ = Hints(*incoming_, unreachable_.data(), planes_, threads_);
    }
    if (batch_size_ == 1) return;
    batch_rule_.set_graph(*graph_, threads_);
    batch_ = BatchSearch(*graph_, unreachable_.data(), hints_, batch_rule_, batch_size_, threads_);
  }
  void traverse(vertex_t source, LevelSink* sink) override {
    dispatch(answer_, sink, [&]<Answer A, bool Count>() { run<A, Count>(source, sink); });
  }

  [[nodiscard]] std::size_t max_searches() const override { return batch_.batch(); }
  std::vector<double> search_many(std::span<const vertex_t> sources) override {
    batch_.search(sources, depth_limit_);
    return {};
  }
  [[nodiscard]] AnswerView answer_of(std::size_t search) const override {
    return answer_on_host(answer_, graph_->vertex_count(), batch_.levels(search), nullptr);
  }

  [[nodiscard]] AnswerView answer() const override {
    return answer_on_host(answer_, graph_->vertex_count(), level_.data(), parent_.data());
  }
  [[nodiscard]] MemoryUse memory() const override {
    return {.graph = hints_.bytes() + unreachable_.bytes() + leaves_.bytes(),
            .status = level_.bytes() + parent_.bytes() + visited_.bytes() + finders_.bytes() +
                      batch_.status_bytes(),
            .queues = frontier_.bytes() + batch_.queue_bytes(),
            .scratch = team() * kHybridScratch};
  }

 private:
  // The state of a traversal before a level: the same on every thread of the team.
  struct Progress {
    level_t level = 0;
    bool was_bottom = false;
    bool bottom = false;    // the next level is bottom-up
    bool unlocked = false;  // no level was bottom-up; the finders hold the visited
    DirectionState at;
    std::uint64_t frontier_edges = 0;  // only if levels are counted
    std::uint64_t unvisited = 0;
  };

  template <Answer A, bool Count>
  void run(vertex_t source, LevelSink* sink) {
    const bool apart = has_leaves() && sink == nullptr;
    begin<A>(source, apart);
    const std::uint64_t edges = graph_->edge_count() - (apart ? leaves_.edges() : 0);
    Progress progress{.unlocked = unlocked_,
                      .at = {.edges = graph_->degree(source),
                             .unexplored = edges,
                             .rest = edges,
                             .candidates = rule_->enterable()},
                      .frontier_edges = graph_->degree(source),
                      .unvisited = graph_->vertex_count() - std::uint64_t{1}};
    progress.bottom = rule_->bottom_up(false, progress.at);
    while (progress.at.frontier > 0 && progress.level < depth_limit_) {
      const Progress before = progress;
      if (sink != nullptr) {
        sink->begin({before.level, before.bottom ? Direction::bottom_up : Direction::top_down,
                     before.bottom ? "bitmap" : "queue", before.at.frontier});
      }
      LevelTally tally;
      if (alone(before)) {
        tally = top_down<A, Count, false>(before, 0);
        advance(progress, tally);
      } else {
        tally = run_as_team<A, Count>(progress, sink != nullptr);
      }
      if (sink != nullptr) {
        if (progress.unlocked) {  // the facts of a level are exact
          tally -= frontier_.repeats(before.level + 1, finders_.view());
          progress = before;
          advance(progress, tally);
        }
        sink->end(Count ? LevelFacts{before.frontier_edges, tally.checked, tally.found, 0,
                                     before.unvisited}
                        : LevelFacts{});
      }
    }
    if (apart) label_leaves<A>(source, progress.unlocked);
    erase_unreached<A>(progress.unlocked);
    interrupted_ = false;
  }

  // Runs the levels that are worth sharing, one after another, or only one. Every thread has the
  // whole progress and makes the same decisions, so that one barrier per level suffices.
  template <Answer A, bool Count>
  LevelTally run_as_team(Progress& progress, bool one_level) {
    LevelTally last;
#pragma omp parallel num_threads(threads_)
    {
      const auto thread = static_cast<std::size_t>(omp_get_thread_num());
      Progress here = progress;
      LevelTally sum;
      do {
        const level_t level = here.level;
        if (here.bottom && !here.was_bottom) queue_to_bitmap(here, thread);
        if (here.bottom) here.unlocked = false;
        if (!here.bottom && here.was_bottom) here.at.edges = bitmap_to_queue(level, thread);
        sum = barrier_.wait(thread, here.bottom ? bottom_up<A, Count>(level, thread)
                                                : top_down<A, Count, true>(here, thread));
        advance(here, sum);
      } while (!one_level && here.at.frontier > 0 && here.level < depth_limit_ && !alone(here));
      if (thread == 0) {
        progress = here;
        last = sum;
      }
    }
    return last;
  }

  void advance(Progress& progress, const LevelTally& tally) const {
    progress.at.advance(progress.bottom, tally.found, tally.found_edges,
                        !progress.bottom || rule_->needs_edges());
    progress.frontier_edges = tally.found_edges;
    progress.unvisited -= tally.found;
    progress.was_bottom = progress.bottom;
    progress.bottom = rule_->bottom_up(progress.was_bottom, progress.at);
    ++progress.level;
  }

  // Returns whether one thread runs the coming level, because a team has too little to share.
  [[nodiscard]] bool alone(const Progress& progress) const {
    if (progress.bottom || progress.was_bottom) return false;
    const bool one_block = progress.at.frontier < BlockQueues::kComplete;
    return threads_ == 1 || progress.at.edges < (one_block ? HubSlices::kHubDegree : kSerialEdges);
  }

  // A thread's part of a top-down level. Shared: other threads work on it, too. Not inlined, so
  // that its loops have all registers.
  template <Answer A, Claims C, bool Count, bool Shared>
  [[gnu::noinline]] LevelTally top_down_by(level_t level, std::size_t thread) {
    if (thread == 0) frontier_.clear_queue(level + 2);  // no thread uses it in this level
    const edge_t* offsets = graph_->row_offsets().data();
    const VertexStatus<A> status{visited_.data(), finders_.view(), state<A>()};
    Expansion<A, C> expansion(frontier_, status, level, thread);
    Cursor at = expansion.next_block({});
    const auto expand_slice = [&](vertex_t hub, edge_t first, edge_t last) {
      at = expansion.template expand<Shared>(hub, first, last, at);
      if constexpr (Count) expansion.tally.checked += last - first;
    };
    const auto expand_block = [&](std::span<const vertex_t> block, std::size_t owner) {
      Candidates candidates;
      std::size_t count = 0;
      for (const vertex_t u : block) {
        if (C == Claims::unlocked && !status.finders.is(owner, u)) continue;  // found twice
        const edge_t first = offsets[u];
        const edge_t last = offsets[u + std::size_t{1}];
        if constexpr (Count) expansion.tally.checked += last - first;
        if (last - first > kShortRow) {
          at = expansion.template expand<Shared>(u, first, last, at);
        } else if constexpr (Shared) {
          count = expansion.gather(u, first, last, candidates, count);
        } else {
          at = expansion.expand_short(u, first, last, at);
        }
      }
      if constexpr (Shared) at = expansion.claim(candidates, count, at);
    };
    frontier_.slices().work_off(level, *graph_, expand_slice);
    frontier_.queue(level).work_off(thread, !Shared, expand_block);
    expansion.close(at);
    return expansion.tally;
  }

  template <Answer A, bool Count, bool Shared>
  LevelTally top_down(const Progress& progress, std::size_t thread) {
    const level_t level = progress.level;
    if constexpr (!Shared) frontier_.leave_to_first(level + 1);
    return progress.unlocked ? top_down_by<A, Claims::unlocked, Count, Shared>(level, thread)
                             : top_down_by<A, Claims::locked, Count, Shared>(level, thread);
  }

  template <Answer A, bool Count>
  LevelTally bottom_up(level_t level, std::size_t thread) {
    if (thread == 0) frontier_.clear_queues();  // no thread uses them until a later level
    // Eight pieces per thread on small graphs, so that all threads have work.
    const std::size_t chunk = std::clamp<std::size_t>(words_ / (team() * 8), 4, kChunkWords);
    const std::size_t chunks = (words_ + chunk - 1) / chunk;
    chunks_[thread].reset(static_cast<std::uint32_t>(chunks * thread / team()),
                          static_cast<std::uint32_t>(chunks * (thread + 1) / team()));
    const BottomUpWords<A, Count> words{.graph = *graph_,
                                        .offsets = incoming_->row_offsets().data(),
                                        .columns = incoming_->columns().data(),
                                        .hints = hints_,
                                        .frontier = frontier_.bits(level),
                                        .next = frontier_.bits(level + 1),
                                        .visited = visited_.data(),
                                        .answer = state<A>(),
                                        .found_level = level + 1,
                                        .counts_edges = Count || rule_->needs_edges()};
    LevelTally tally;
    work_off(chunks_, thread, false, [&](std::size_t, std::uint32_t piece) {
      const std::size_t first = piece * chunk;
      tally += search_words(words, first, std::min(words_, first + chunk));
    });
    return tally;
  }

  // Before the first level bottom-up the finders' vertices become bits of the visited set, too.
  void queue_to_bitmap(const Progress& progress, std::size_t thread) {
    const std::size_t first = first_word(thread);
    const std::size_t last = first_word(thread + 1);
    word_t* frontier = frontier_.bits(progress.level);
    std::fill(frontier + first, frontier + last, 0);
    if (progress.unlocked) {
      for (std::size_t w = first; w < last; ++w) visited_[w] |= finders_.found(w);
    }
    barrier_.wait(thread, {});
    frontier_.queue_to_bitmap(progress.level, thread);
    barrier_.wait(thread, {});
  }

  std::uint64_t bitmap_to_queue(level_t level, std::size_t thread) {
    const std::uint64_t edges =
        frontier_.bitmap_to_queue(level, thread, first_word(thread), first_word(thread + 1));
    return barrier_.wait(thread, {.found_edges = edges}).found_edges;
  }

  // Visits the source alone, after the traces of the last traversal are erased.
  template <Answer A>
  void begin(vertex_t source, bool apart) {
    rule_ = &rules_[apart ? 1 : 0];
    // A source that no edge enters is not among those that erase_unreached() sees.
    if (last_source_ != kNoVertex) state<A>().set(last_source_, kNoVertex, kUnreached);
    last_source_ = source;
    for (std::size_t w = 0; w < words_; ++w) {
      visited_[w] = unreachable_[w] | (apart ? leaves_.word(w) : 0);
    }
    visited_[source / kWordBits] |= bit_of(source);
    if (unlocked_) {
      if (interrupted_ || apart != has_leaves()) reset_finders(apart);
      finders_.view().claim(source, 0);  // a leaf has that finder already
    }
    interrupted_ = true;  // unless the traversal ends without an exception of its sink
    state<A>().set(source, source, 0);
    frontier_.start(source);
  }

  // Labels all leaves except a source, from their neighbours.
  template <Answer A>
  void label_leaves(vertex_t source, bool unlocked) {
    const auto reached = [&](vertex_t v) {
      return unlocked ? !finders_.view().is_open(v) : test(visited_.data(), v);
    };
#pragma omp parallel for num_threads(threads_) \
    schedule(static) if (leaves_.count() > Leaves::kSerial)
    for (std::size_t w = 0; w < words_; ++w) leaves_.label(w, source, state<A>(), reached);
  }

  void reset_finders(bool apart) {
    for (std::size_t w = 0; w < words_; ++w) finders_.set_word(w, apart ? leaves_.word(w) : 0);
  }

  // Erases the answers that this traversal did not reach: the arrays are never cleared.
  template <Answer A>
  void erase_unreached(bool unlocked) {
#pragma omp parallel for num_threads(threads_) schedule(static) if (words_ > 4096)
    for (std::size_t w = 0; w < words_; ++w) {
      if (unlocked) visited_[w] |= finders_.found(w);
      if (unlocked_) finders_.set_word(w, has_leaves() ? leaves_.word(w) : 0);
      for_each_bit(~visited_[w], [&](vertex_t bit) {
        state<A>().set(static_cast<vertex_t>(w * kWordBits + bit), kNoVertex, kUnreached);
      });
    }
  }

  [[nodiscard]] bool has_leaves() const { return leaves_.count() > 0; }
  [[nodiscard]] std::size_t team() const { return static_cast<std::size_t>(threads_); }
  // Returns the first word of the thread's equal share, which ends where the next one begins.
  [[nodiscard]] std::size_t first_word(std::size_t thread) const {
    return words_ * thread / team();
  }
  template <Answer A>
  [[nodiscard]] VertexState<A> state() {
    return {level_.data(), parent_.data()};
  }

  Toggles toggles_;
  int threads_;
  bool unlocked_ = false;
  std::array<DirectionRule, 2> rules_;  // for searches of all vertices, and without leaves
  const DirectionRule* rule_ = nullptr;
  DirectionRule batch_rule_;
  unsigned planes_;
  std::size_t batch_size_;
  level_t depth_limit_;
  Answer answer_;

  const CsrGraph* graph_ = nullptr;
  const CsrGraph* incoming_ = nullptr;  // nullptr: directed without a transpose, top-down only
  std::size_t words_ = 0;
  Hints hints_;
  Leaves leaves_;               // none if the toggle is off, or if the in-edges are unknown
  Buffer<word_t> unreachable_;  // no edge enters these; bits past the last vertex are set, too
  Buffer<word_t> visited_;
  Finders finders_;  // if claims are unlocked; until then `visited_` knows the visited hubs
  HybridFrontier frontier_;
  SumBarrier<LevelTally> barrier_;
  std::vector<WorkRange> chunks_;  // of words, bottom-up
  Buffer<level_t> level_;
  Buffer<vertex_t> parent_;
  vertex_t last_source_ = kNoVertex;
  bool interrupted_ = false;  // the last traversal, so that its finders are still there
  BatchSearch batch_;
};

const RegisterEngine registration{{
    .name = "hybrid",
    .paper = "cs406",
    .section = "4.1.6",
    .summary = "Direction-optimising BFS: a queue top-down while the frontier is small, bitmaps "
               "bottom-up when it is large",
    .can = {.directed = true, .needs_transpose = true},
    .toggles = hybrid_toggles(),
    .estimate = hybrid_estimate,
    .make = [](const EngineSettings& settings) -> std::unique_ptr<Engine> {
      return std::make_unique<Hybrid>(settings);
    },
    .may_refuse = [](const Toggles& toggles) { return batch_of(toggles) > 1; },
}};

}  // namespace
}  // namespace bfslab::cpu
