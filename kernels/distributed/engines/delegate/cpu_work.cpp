// SPDX-License-Identifier: Apache-2.0
// The kernels of `delegate` on one CPU thread.
//
// A thread needs no load balancing, and so none of the paper's merge-based and thread-warp-block
// mappings: rows are read one after the other. A mask of newly found delegates collects what the
// visits mark, and the first mark notes the delegate's parent.
#include <algorithm>
#include <array>
#include <bit>
#include <functional>

#include "kernels/distributed/engines/delegate/cpu_parents.hpp"

namespace bfslab::distributed::delegate {

namespace {

class CpuWork final : public LocalWork, private CpuParents {
 public:
  CpuWork(const Subgraphs& graph, const Member& member, const WorkSettings& settings)
      : CpuParents(graph, member, settings) {}

  void reset(local_vertex_t delegate, local_vertex_t vertex, bool /*in_one_kernel*/) override {
    std::ranges::fill(levels_, kUnreached);
    std::ranges::fill(delegate_levels_, kUnreached);
    if (parents_wanted_) {
      std::ranges::fill(parents_, kNoVertex);
      std::ranges::fill(delegate_parents_, kNoVertex);
    }
    for (auto* mask : {&frontier_, &visited_, &found_, &reached_}) std::ranges::fill(*mask, 0);
    std::ranges::copy(nd_sources_, unvisited_list_.begin());
    unvisited_listed_ = nd_sources_.size();
    progress_ = start_;
    next_size_ = 0;
    any_found_ = false;
    if (delegate != kNone) {
      frontier_[delegate / 64] |= bit_of(delegate);
      visited_ = frontier_;
      if (parents_wanted_) {
        delegate_parents_[delegate] = static_cast<vertex_t>(graph_.delegates[delegate]);
      }
      count_visited_delegates();
    } else if (vertex != kNone) {
      take(vertex, static_cast<vertex_t>(own_.global(me_, vertex)), 0);
    }
  }

  Workloads pre_visit(level_t level, const DirectionRule& rule, const Backward& last,
                      bool recorded) override {
    Wanted wanted = rule.wanted(last);
    if (recorded) wanted.edges = {{true, true, true, true}};
    queue_.swap(next_);
    queue_size_ = next_size_;
    next_size_ = 0;
    any_found_ = false;
    std::ranges::fill(found_, 0);
    turn_ = 1 - turn_;
    for (auto& list : sent_[turn_].ids) list.clear();
    for (auto& list : sent_[turn_].carried) list.clear();
    Workloads work;
    work.normals = queue_size_;
    work.unvisited_normals = progress_.normals -= queue_size_;
    Workload& nn = work.by_class[EdgeClass::nn];
    Workload& nd = work.by_class[EdgeClass::nd];
    nn.frontier = nd.frontier = queue_size_;
    if (wanted.edges[EdgeClass::nn]) {
      const Rows rows(graph_.nn);
      for (const local_vertex_t v : queued()) nn.forward += rows.degree(v);
    }
    if (wanted.edges[EdgeClass::nd]) {
      const Rows rows(graph_.nd);
      nd.frontier = 0;
      for (const local_vertex_t v : queued()) {
        const std::uint64_t edges = rows.degree(v);
        nd.forward += edges;
        nd.frontier += edges > 0 ? 1U : 0U;
      }
    }
    begin_delegates(level, work);
    work.unvisited_own_delegates = progress_.own_delegates -= work.own_delegates;
    set_unvisited(work.by_class, progress_.unvisited);
    return work;
  }

  // Delegates first: what finds them comes before what finds normal vertices.
  PerEdgeClass<Visited> visit(const PerEdgeClass<bool>& active, const Backward& backward,
                              level_t level, bool /*counted*/) override {
    PerEdgeClass<Visited> done;
    for (const EdgeClass subgraph : {EdgeClass::dd, EdgeClass::nd, EdgeClass::dn, EdgeClass::nn}) {
      if (!active[subgraph]) continue;
      const std::size_t before = next_size_;
      done[subgraph].edges =
          backward[subgraph] ? visit_backward(subgraph, level) : visit_forward(subgraph, level);
      done[subgraph].found = next_size_ - before;
    }
    return done;
  }

  std::span<Word> found_delegates() override { return found_; }
  [[nodiscard]] bool found_any_delegate() const override { return any_found_; }

  void take_delegates() override {
    for (std::size_t word = 0; word < frontier_.size(); ++word) {
      frontier_[word] = found_[word] & ~visited_[word];
      visited_[word] |= frontier_[word];
    }
    count_visited_delegates();
  }

  [[nodiscard]] std::uint64_t own_delegates_found() const override {
    return common(frontier_, own_mask_);
  }

  [[nodiscard]] Bytes outgoing(unsigned to) const override {
    const Sent& sent = sent_[turn_];
    return carries_ ? std::as_bytes(std::span(sent.carried[to]))
                    : std::as_bytes(std::span(sent.ids[to]));
  }

  void make_unique(std::span<Bytes> lists) override {
    std::vector<std::vector<std::byte>>& kept = sent_[turn_].unique;
    kept.resize(lists.size());
    for (std::size_t i = 0; i < lists.size(); ++i) {
      lists[i] = carries_ ? unique(values_of<Carried>(lists[i]), kept[i], &Carried::vertex)
                          : unique(values_of<local_vertex_t>(lists[i]), kept[i], std::identity{});
    }
  }

  Bytes join(std::span<const Bytes> lists, unsigned rank) override {
    std::vector<std::vector<std::byte>>& joined = sent_[turn_].joined;
    if (joined.size() <= rank) joined.resize(rank + 1);
    joined[rank].clear();
    for (const Bytes list : lists) {
      joined[rank].insert(joined[rank].end(), list.begin(), list.end());
    }
    return joined[rank];
  }

  std::uint64_t take_normals(Bytes list, level_t level, bool /*counted*/) override {
    const std::size_t before = next_size_;
    if (carries_) {
      for (const auto& [vertex, parent] : values_of<Carried>(list)) take(vertex, parent, level + 1);
    } else {
      for (const local_vertex_t vertex : values_of<local_vertex_t>(list)) {
        take(vertex, kNoVertex, level + 1);
      }
    }
    return next_size_ - before;
  }

  void finish(Communicator& all) override {
    for (const auto& [vertex, u] : graph_.own_delegates) levels_[vertex] = delegate_levels_[u];
    if (!parents_wanted_) return;
    send_delegate_parents(all);
    if (!carries_) request_normal_parents(all);
  }

  [[nodiscard]] AnswerPart answer() const override {
    return {.ids = own_.ids(me_),
            .levels = wants_levels(settings_.answer) ? levels_.data() : nullptr,
            .parents = parents_wanted_ ? parents_.data() : nullptr};
  }

  [[nodiscard]] std::uint64_t reached_entries() const override {
    std::uint64_t entries = 0;
    for (local_vertex_t v = 0; v < graph_.owned; ++v) {
      if (levels_[v] != kUnreached) entries += graph_.nn.degree(v) + graph_.nd.degree(v);
    }
    for (local_vertex_t u = 0; u < graph_.delegate_count(); ++u) {
      if (test(visited_.data(), u)) entries += graph_.dn.degree(u) + graph_.dd.degree(u);
    }
    return entries;
  }

  [[nodiscard]] MemoryUse memory() const override { return memory_use(); }

 private:
  [[nodiscard]] std::span<const local_vertex_t> queued() const {
    return std::span(queue_).first(queue_size_);
  }

  // These return how many entries they have read.
  std::uint64_t visit_forward(EdgeClass subgraph, level_t level) {
    switch (subgraph) {
      case EdgeClass::nn:
        return for_each_edge(graph_.nn, queued(), [&](local_vertex_t u) {
          const auto parent = static_cast<vertex_t>(own_.global(me_, u));
          return [this, parent, level](global_vertex_t v) { take_or_send(v, parent, level + 1); };
        });
      case EdgeClass::nd:
        return for_each_edge(graph_.nd, queued(), [&](local_vertex_t v) {
          return [this, v](local_vertex_t u) { mark(u, own_.global(me_, v)); };
        });
      case EdgeClass::dn:
        return for_each_edge(graph_.dn, delegates_, [&](local_vertex_t u) {
          const vertex_t parent = parents_wanted_ ? delegate_names_[u] : kNoVertex;
          return [this, parent, level](local_vertex_t v) { take(v, parent, level + 1); };
        });
      case EdgeClass::dd:
        return for_each_edge(graph_.dd, delegates_, [&](local_vertex_t u) {
          return [this, u](local_vertex_t w) { mark(w, graph_.delegates[u]); };
        });
    }
    return 0;
  }

  std::uint64_t visit_backward(EdgeClass subgraph, level_t level) {
    if (subgraph == EdgeClass::dn) return normals_look(level);
    if (subgraph == EdgeClass::nd) {
      return delegates_look(
          dn_sources_, Rows(graph_.dn), [&](local_vertex_t v) { return levels_[v] == level; },
          [&](local_vertex_t v) { return own_.global(me_, v); });
    }
    return delegates_look(
        dd_sources_, Rows(graph_.dd), [&](local_vertex_t u) { return test(frontier_.data(), u); },
        [&](local_vertex_t u) { return graph_.delegates[u]; });
  }

  // Calls visit(source)(neighbour) for the edges of `sources`. Returns how many there are.
  template <typename Column, typename Visit>
  static std::uint64_t for_each_edge(const Subgraph<Column>& graph,
                                     std::span<const local_vertex_t> sources, Visit&& visit) {
    const Rows rows(graph);
    std::uint64_t edges = 0;
    for (const local_vertex_t source : sources) {
      const auto row = rows[source];
      const auto visit_neighbor = visit(source);
      edges += row.size();
      for (const Column neighbor : row) visit_neighbor(neighbor);
    }
    return edges;
  }

  template <typename Value, typename Vertex>
  static Bytes unique(std::span<const Value> list, std::vector<std::byte>& into, Vertex vertex) {
    std::vector<Value> sorted(list.begin(), list.end());
    std::ranges::sort(sorted, {}, vertex);
    const auto same = [&](const Value& a, const Value& b) {
      return std::invoke(vertex, a) == std::invoke(vertex, b);
    };
    sorted.erase(std::unique(sorted.begin(), sorted.end(), same), sorted.end());
    const Bytes bytes = std::as_bytes(std::span(sorted));
    into.assign(bytes.begin(), bytes.end());
    return into;
  }
  // Labels the frontier's delegates, lists those with edges, and sums up their edges.
  void begin_delegates(level_t level, Workloads& work) {
    Workload& dn = work.by_class[EdgeClass::dn];
    Workload& dd = work.by_class[EdgeClass::dd];
    const Rows dn_rows(graph_.dn);
    const Rows dd_rows(graph_.dd);
    delegates_.clear();
    for (std::size_t word = 0; word < frontier_.size(); ++word) {
      work.own_delegates +=
          static_cast<std::uint64_t>(std::popcount(frontier_[word] & own_mask_[word]));
      for_each_bit(frontier_[word], [&](vertex_t bit) {
        const auto u = static_cast<local_vertex_t>(word * 64 + bit);
        delegate_levels_[u] = level;
        const std::uint64_t to_normals = dn_rows.degree(u);
        const std::uint64_t to_delegates = dd_rows.degree(u);
        dn.forward += to_normals;
        dd.forward += to_delegates;
        dn.frontier += to_normals > 0 ? 1U : 0U;
        dd.frontier += to_delegates > 0 ? 1U : 0U;
        if (to_normals + to_delegates > 0) delegates_.push_back(u);
        ++work.delegates;
      });
    }
  }

  // Called after the frontier has become visited.
  void count_visited_delegates() {
    progress_.unvisited.dd -= common(frontier_, dd_sources_);
    progress_.unvisited.dn -= common(frontier_, dn_sources_);
  }

  // Takes a normal vertex of this member that an edge leads to. For most, bits in the cache
  // suffice.
  void take(local_vertex_t v, vertex_t parent, level_t level) {
    Word& reached = reached_[v / 64];
    const Word bit = bit_of(v);
    if ((reached & bit) != 0) return;
    reached |= bit;
    levels_[v] = level;
    if (parents_wanted_) parents_[v] = parent;
    progress_.unvisited.nd -= (nd_mask_[v / 64] & bit) != 0 ? 1U : 0U;
    next_[next_size_++] = v;
  }

  void mark(local_vertex_t u, global_vertex_t parent) {
    const Word bit = bit_of(u);
    if (((visited_[u / 64] | found_[u / 64]) & bit) != 0) return;
    found_[u / 64] |= bit;
    any_found_ = true;
    if (parents_wanted_) delegate_parents_[u] = static_cast<vertex_t>(parent);
  }

  void take_or_send(global_vertex_t v, vertex_t parent, level_t level) {
    const unsigned owner = own_.owner(v);
    const auto local = static_cast<local_vertex_t>(own_.local(v));
    if (owner == me_) {
      take(local, parent, level);
    } else if (carries_) {
      sent_[turn_].carried[owner].push_back({local, parent});
    } else {
      sent_[turn_].ids[owner].push_back(local);
    }
  }

  // The bottom-up visit: unvisited delegates with edges in `reversed` look for a parent there.
  template <typename InFrontier, typename Id>
  std::uint64_t delegates_look(const Mask& sources, const Rows<local_vertex_t> reversed,
                               InFrontier&& in_frontier, Id&& id) {
    std::uint64_t edges = 0;
    // Each row begins elsewhere in memory: it is prefetched kAhead rows before it is read.
    constexpr std::size_t kAhead = 16;
    struct Look {
      local_vertex_t delegate;
      std::span<const local_vertex_t> row;
    };
    std::array<Look, kAhead> ahead;
    std::size_t asked = 0;
    const auto look = [&](const Look& at) {
      for (const local_vertex_t parent : at.row) {
        ++edges;
        if (!in_frontier(parent)) continue;
        mark(at.delegate, id(parent));
        break;
      }
    };
    for (std::size_t word = 0; word < sources.size(); ++word) {
      for_each_bit(sources[word] & ~visited_[word] & ~found_[word], [&](vertex_t bit) {
        Look& place = ahead[asked % kAhead];
        if (asked >= kAhead) look(place);
        const auto u = static_cast<local_vertex_t>(word * 64 + bit);
        place = {u, reversed[u]};
        __builtin_prefetch(place.row.data());
        ++asked;
      });
    }
    const std::size_t first = asked - std::min(asked, kAhead);
    for (std::size_t i = first; i < asked; ++i) look(ahead[i % kAhead]);
    return edges;
  }

  // The bottom-up visit: unvisited normal vertices with delegate neighbours look for one in the
  // frontier. Their list shrinks as it is read.
  std::uint64_t normals_look(level_t level) {
    std::uint64_t edges = 0;
    std::size_t kept = 0;
    const Rows rows(graph_.nd);
    const Word* const frontier = frontier_.data();
    for (std::size_t i = 0; i < unvisited_listed_; ++i) {
      const local_vertex_t v = unvisited_list_[i];
      if (test(reached_.data(), v)) continue;
      bool found = false;
      for (const local_vertex_t u : rows[v]) {
        ++edges;
        if (!test(frontier, u)) continue;
        take(v, parents_wanted_ ? delegate_names_[u] : kNoVertex, level + 1);
        found = true;
        break;
      }
      if (!found) unvisited_list_[kept++] = v;
    }
    unvisited_listed_ = kept;
    return edges;
  }
};

}  // namespace

std::unique_ptr<LocalWork> make_cpu_work(const Subgraphs& graph, const Member& member,
                                         const WorkSettings& settings) {
  return std::make_unique<CpuWork>(graph, member, settings);
}

}  // namespace bfslab::distributed::delegate
