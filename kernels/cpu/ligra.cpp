// SPDX-License-Identifier: Apache-2.0
// ligra: the breadth-first search of Ligra (Shun and Blelloch, PPoPP 2013, sections 3, 4.2 and
// 5.1), reimplemented. One operator, edge_map(frontier, F), applies F to the edges that leave a
// vertex subset and returns the subset of targets for which F returned true. It chooses by the rule
// |frontier| + out-degrees of the frontier > m / 20:
//   sparse  push over a list of vertices: F.update_atomic on every edge into a separate slot;
//           the slots are then filtered into the next list
//   dense   pull over flags, one byte per vertex: every target with F.cond looks for a source in
//           the frontier, F.update without atomics, until F.cond is false
// BFS is only the functor: cond = unvisited, update = visit, update_atomic = by compare-and-swap.
//
// Cost, sparse: per edge 4 bytes of adjacency, one random status word, and 4 bytes of slot written
// and read twice; per vertex found a compare-and-swap. Dense: a status word and a flag per vertex,
// 16 bytes of offsets per unvisited vertex, 4 bytes and one random flag per adjacency entry read.
// Wins on graphs of low diameter, and shows how little an algorithm need state; the slots and the
// byte flags (8 times hybrid's bits) are the price of its generality.
//
// Deviations: Ligra turns every dense result into a list to sum its out-degrees; here the step that
// makes a subset sums them. A sparse frontier's edges are cut into pieces of equal size, which
// corresponds to Ligra's nested parallel loop over a hub's edges under Cilk. Directed graphs need
// their transpose for dense steps, as in Ligra.
#include <vector>

#include "kernels/cpu/cpu_engine.hpp"

namespace bfslab::cpu {
namespace {

constexpr std::size_t kEdgePiece = 2048;    // edges a thread takes at once in a sparse step
constexpr std::size_t kVertexPiece = 1024;  // vertices a thread takes at once in a dense step
constexpr std::size_t kWorthATeam = 4096;   // shorter loops run on the calling thread

// The user's half of a Ligra program (Ligra, section 4.2): BFS's action on an edge s -> d.
template <Answer A>
struct BfsStep {
  VertexState<A> state;
  level_t level;  // of d when it is found

  [[nodiscard]] bool update(vertex_t s, vertex_t d) const {  // only one thread owns d
    if (!state.unvisited(d)) return false;
    state.set(d, s, level);
    return true;
  }
  [[nodiscard]] bool update_atomic(vertex_t s, vertex_t d) const {
    return state.claim(d, s, level);
  }
  [[nodiscard]] bool cond(vertex_t d) const { return state.unvisited(d); }
};

// A vertexSubset: a list while sparse, flags while dense; the other array is stale.
struct VertexSubset {
  bool dense = false;
  std::size_t size = 0;
  edge_t out_degrees = 0;
  Buffer<vertex_t> list;       // [capacity of a list]
  Buffer<std::uint8_t> flags;  // [n]
};

// The part of one thread in a filter: its share's first position in the result.
struct alignas(64) Share {
  std::size_t size = 0;
  edge_t out_degrees = 0;
};

edge_t sparse_limit(edge_t edges, std::int64_t divisor) {
  return edges / static_cast<edge_t>(divisor);
}

// A sparse subset and its out-degrees are both within the limit, whatever the graph.
std::size_t list_capacity(std::uint64_t vertices, edge_t limit) {
  return std::min<std::uint64_t>(vertices, limit);
}

class Ligra final : public CpuEngine {
 public:
  explicit Ligra(const EngineSettings& settings)
      : CpuEngine(settings.answer, settings.answer, team_size(settings.toggles)),
        divisor_(settings.toggles.integer("dense_divisor")),
        shares_(static_cast<std::size_t>(threads_)) {}

  void traverse(vertex_t source, LevelSink* sink) override {
    dispatch(kept_, sink, [&]<Answer A, bool Count>() { run<A, Count>(source, sink); });
  }

  [[nodiscard]] MemoryUse memory() const override {
    return {.status = status_bytes(),
            .queues = frontier_.list.bytes() + frontier_.flags.bytes() + next_.list.bytes() +
                      next_.flags.bytes(),
            .scratch = starts_.bytes() + slots_.bytes() + shares_.size() * sizeof(Share)};
  }

  static double queue_bytes(const GraphFacts& facts, const Toggles& toggles) {
    const edge_t limit = sparse_limit(facts.edges, toggles.integer("dense_divisor"));
    const std::size_t list = list_capacity(facts.vertices, limit);
    return 2.0 * static_cast<double>(list * sizeof(vertex_t) + facts.vertices) +
           static_cast<double>((list + 1) * sizeof(edge_t)) +
           static_cast<double>(limit) * sizeof(vertex_t) +
           static_cast<double>(team_size(toggles)) * sizeof(Share);
  }

 private:
  void allocate() override {
    static_cast<void>(incoming());  // a directed graph without a transpose is refused here
    const std::size_t n = graph_->vertex_count();
    limit_ = sparse_limit(graph_->edge_count(), divisor_);
    const std::size_t list = list_capacity(n, limit_);
    for (VertexSubset* subset : {&frontier_, &next_}) {
      subset->list = Buffer<vertex_t>(list);
      subset->flags = Buffer<std::uint8_t>(n);
    }
    starts_ = Buffer<edge_t>(list + 1);
    slots_ = Buffer<vertex_t>(limit_);
  }

  [[nodiscard]] bool goes_dense(const VertexSubset& subset) const {
    return subset.size + subset.out_degrees > limit_;
  }

  template <Answer A, bool Count>
  void run(vertex_t source, LevelSink* sink) {
    reset(source);
    start_with(source);
    std::uint64_t visited_count = 1;
    for (level_t level = 0; frontier_.size > 0; ++level) {
      const bool dense = goes_dense(frontier_);
      if (sink != nullptr) {
        sink->begin({level, dense ? Direction::bottom_up : Direction::top_down,
                     dense ? "edge_map_dense" : "edge_map_sparse", frontier_.size});
      }
      const std::uint64_t checked = edge_map<Count>(BfsStep<A>{state<A>(), level + 1}, dense);
      end_level<Count>(sink, {.frontier_edges = frontier_.out_degrees,
                              .edges_checked = checked,
                              .found_vertices = next_.size,
                              .unvisited_vertices = graph_->vertex_count() - visited_count});
      std::swap(frontier_, next_);
      visited_count += frontier_.size;
    }
  }

  void start_with(vertex_t source) {
    frontier_.size = 1;
    frontier_.out_degrees = graph_->degree(source);
    frontier_.dense = goes_dense(frontier_);
    if (frontier_.dense) {
      std::fill(frontier_.flags.begin(), frontier_.flags.end(), 0);
      frontier_.flags[source] = 1;
    } else {
      frontier_.list[0] = source;
    }
  }

  // Maps frontier_ to next_. Returns the adjacency entries read, zero unless they are counted.
  template <bool Count, typename F>
  std::uint64_t edge_map(const F& f, bool dense) {
    if (dense) {
      if (!frontier_.dense) to_dense();
      return edge_map_dense<Count>(f);
    }
    if (frontier_.dense) to_sparse();
    edge_map_sparse(f);
    return Count ? frontier_.out_degrees : 0;
  }

  template <typename F>
  void edge_map_sparse(const F& f) {
    const edge_t edges = scan_degrees();
    const std::size_t pieces = (edges + kEdgePiece - 1) / kEdgePiece;
#pragma omp parallel for num_threads(threads_) schedule(dynamic) if (edges > kWorthATeam)
    for (std::size_t piece = 0; piece < pieces; ++piece) {
      const edge_t first = piece * kEdgePiece;
      const edge_t last = std::min<edge_t>(first + kEdgePiece, edges);
      // The owner of edge `first` is the last vertex whose edges start at or before it.
      const edge_t* starts = starts_.data();
      auto i = static_cast<std::size_t>(std::upper_bound(starts, starts + frontier_.size, first) -
                                        starts - 1);
      for (edge_t e = first; e < last; ++i) {
        const vertex_t s = frontier_.list[i];
        const auto neighbors = graph_->neighbors(s);
        const edge_t end = std::min(starts[i + 1], last);
        for (edge_t j = e - starts[i]; e < end; ++e, ++j) {
          const vertex_t d = neighbors[j];
          slots_[e] = f.cond(d) && f.update_atomic(s, d) ? d : kNoVertex;
        }
      }
    }
    next_.dense = false;
    filter(edges, next_, [this](std::size_t i) { return slots_[i]; });
  }

  template <bool Count, typename F>
  std::uint64_t edge_map_dense(const F& f) {
    const CsrGraph& in = incoming();
    const vertex_t n = graph_->vertex_count();
    const std::uint8_t* in_frontier = frontier_.flags.data();
    std::size_t size = 0;
    edge_t out_degrees = 0;
    std::uint64_t checked = 0;
#pragma omp parallel for num_threads(threads_) schedule(dynamic, kVertexPiece) \
    reduction(+ : size, out_degrees, checked) if (n > kVertexPiece)
    for (vertex_t d = 0; d < n; ++d) {
      std::uint8_t found = 0;
      if (f.cond(d)) {
        for (const vertex_t s : in.neighbors(d)) {
          if constexpr (Count) ++checked;
          if (in_frontier[s] != 0 && f.update(s, d)) found = 1;
          if (!f.cond(d)) break;
        }
      }
      next_.flags[d] = found;
      if (found != 0) {
        ++size;
        out_degrees += graph_->degree(d);
      }
    }
    next_.dense = true;
    next_.size = size;
    next_.out_degrees = out_degrees;
    return checked;
  }

  // Sets starts_[i] to the beginning of the frontier's i-th vertex's edges among all its edges.
  edge_t scan_degrees() {
    const std::size_t size = frontier_.size;
    starts_[0] = 0;
#pragma omp parallel num_threads(threads_) if (size > kWorthATeam)
    {
      const auto team = static_cast<std::size_t>(omp_get_num_threads());
      const auto me = static_cast<std::size_t>(omp_get_thread_num());
      const std::size_t first = size * me / team;
      const std::size_t last = size * (me + 1) / team;
      edge_t sum = 0;
      for (std::size_t i = first; i < last; ++i) sum += graph_->degree(frontier_.list[i]);
      shares_[me].out_degrees = sum;
#pragma omp barrier
      edge_t start = 0;
      for (std::size_t t = 0; t < me; ++t) start += shares_[t].out_degrees;
      for (std::size_t i = first; i < last; ++i) {
        start += graph_->degree(frontier_.list[i]);
        starts_[i + 1] = start;
      }
    }
    return starts_[size];
  }

  // Packs the vertices among at(0 .. count) into subset.list, in order; kNoVertex is left out.
  template <typename At>
  void filter(std::size_t count, VertexSubset& subset, const At& at) {
    std::size_t size = 0;
    edge_t out_degrees = 0;
#pragma omp parallel num_threads(threads_) if (count > kWorthATeam) reduction(+ : size, out_degrees)
    {
      const auto team = static_cast<std::size_t>(omp_get_num_threads());
      const auto me = static_cast<std::size_t>(omp_get_thread_num());
      const std::size_t first = count * me / team;
      const std::size_t last = count * (me + 1) / team;
      for (std::size_t i = first; i < last; ++i) size += at(i) != kNoVertex ? 1 : 0;
      shares_[me].size = size;
#pragma omp barrier
      std::size_t position = 0;
      for (std::size_t t = 0; t < me; ++t) position += shares_[t].size;
      for (std::size_t i = first; i < last; ++i) {
        const vertex_t v = at(i);
        if (v == kNoVertex) continue;
        subset.list[position++] = v;
        out_degrees += graph_->degree(v);
      }
    }
    subset.size = size;
    subset.out_degrees = out_degrees;
  }

  void to_sparse() {
    filter(graph_->vertex_count(), frontier_, [this](std::size_t v) {
      return frontier_.flags[v] != 0 ? static_cast<vertex_t>(v) : kNoVertex;
    });
    frontier_.dense = false;
  }

  void to_dense() {
    std::fill(frontier_.flags.begin(), frontier_.flags.end(), 0);
#pragma omp parallel for num_threads(threads_) schedule(static) if (frontier_.size > kWorthATeam)
    for (std::size_t i = 0; i < frontier_.size; ++i) {
      // Each flag is a separate byte; no two entries of a list are equal.
      frontier_.flags[frontier_.list[i]] = 1;
    }
    frontier_.dense = true;
  }

  std::int64_t divisor_;
  edge_t limit_ = 0;  // m / divisor
  VertexSubset frontier_;
  VertexSubset next_;
  Buffer<edge_t> starts_;      // [capacity of a list + 1]
  Buffer<vertex_t> slots_;     // [limit] one per edge of a sparse frontier
  std::vector<Share> shares_;  // [t]
};

const RegisterEngine registration{{
    .name = "ligra",
    .paper = "ligra",
    .section = "5.1",
    .summary = "Ligra's BFS: edgeMap over vertex subsets that turn dense when they are large.",
    .reimplemented = true,
    .can = {.needs_transpose = true},
    .toggles = {threads_toggle(),
                Toggle::integer("dense_divisor", 20, 1, 1'000'000'000,
                                "edge_map goes dense when the frontier and its out-degrees exceed "
                                "the edges divided by this",
                                "ligra 4.2")},
    .estimate =
        [](const GraphFacts& facts, const Toggles& toggles, Answer answer) {
          return Estimate{.bytes = status_bytes(facts, answer) + Ligra::queue_bytes(facts, toggles),
                          .seconds = traversal_seconds(facts, useful_threads(toggles), 15, 0.7)};
        },
    .make = [](const EngineSettings& settings) { return std::make_unique<Ligra>(settings); },
}};

}  // namespace
}  // namespace bfslab::cpu
