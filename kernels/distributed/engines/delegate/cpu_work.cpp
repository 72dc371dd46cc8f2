// SPDX-License-Identifier: Apache-2.0
// The kernels of `delegate` on one CPU thread.
//
// A thread needs no load balancing, so that the paper's merge-based and thread-warp-block mappings
// have nothing to do here: rows are read one after the other. A mask of newly found delegates
// collects what the visits mark, and a delegate's parent is noted by the first mark.
#include <algorithm>
#include <array>
#include <bit>
#include <functional>

#include "kernels/bitmap.hpp"
#include "kernels/distributed/engines/delegate/local_work.hpp"
#include "kernels/distributed/ownership.hpp"

namespace bfslab::distributed::delegate {

namespace {

struct Carried {
  local_vertex_t vertex;
  vertex_t parent;
};

class CpuWork final : public LocalWork {
 public:
  CpuWork(const Subgraphs& graph, const Member& member, const WorkSettings& settings)
      : graph_(graph),
        me_(member.index()),
        own_(Ownership::round_robin(graph.vertices, member.count())),
        settings_(settings),
        parents_wanted_(wants_parents(settings.answer)),
        carries_(parents_wanted_ && (settings.carry_parents || !graph.symmetric)),
        levels_(graph.owned),
        delegate_levels_(graph.delegate_count()),
        queue_(graph.owned),
        next_(graph.owned) {
    for (Sent& sent : sent_) {
      sent.ids.resize(carries_ ? 0 : member.count());
      sent.carried.resize(carries_ ? member.count() : 0);
    }
    const std::size_t d = graph.delegate_count();
    for (auto* mask : {&frontier_, &visited_, &found_, &dd_sources_, &dn_sources_, &own_mask_}) {
      mask->resize(word_count(d));
    }
    reached_.resize(word_count(graph.owned));
    nd_mask_.resize(word_count(graph.owned));
    if (parents_wanted_) {
      parents_.resize(graph.owned);
      delegate_parents_.resize(d);
      for (const global_vertex_t v : graph.delegates) {
        delegate_names_.push_back(static_cast<vertex_t>(v));
      }
      delegate_names_.shrink_to_fit();
    }
    for (vertex_t u = 0; u < d; ++u) {
      if (graph.dd.degree(u) > 0) dd_sources_[u / 64] |= bit_of(u);
      if (graph.dn.degree(u) > 0) dn_sources_[u / 64] |= bit_of(u);
    }
    for (const auto& [vertex, u] : graph.own_delegates) own_mask_[u / 64] |= bit_of(u);
    for (local_vertex_t v = 0; v < graph.owned; ++v) {
      if (graph.nd.degree(v) == 0) continue;
      nd_sources_.push_back(v);
      nd_mask_[v / 64] |= bit_of(v);
    }
    nd_sources_.shrink_to_fit();
    unvisited_list_.resize(nd_sources_.size());
    dd_count_ = popcount(dd_sources_);
    dn_count_ = popcount(dn_sources_);
  }

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
    unvisited_nd_ = nd_sources_.size();
    unvisited_dd_ = dd_count_;
    unvisited_dn_ = dn_count_;
    reached_normals_ = reached_delegates_ = 0;
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
                      bool told) override {
    Wanted wanted = rule.wanted(last);
    if (told) wanted.edges = {{true, true, true, true}};
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
    reached_normals_ += queue_size_;
    work.unvisited_normals = graph_.owned - graph_.own_delegates.size() - reached_normals_;
    Workload& nn = work.of[EdgeClass::nn];
    Workload& nd = work.of[EdgeClass::nd];
    Workload& dn = work.of[EdgeClass::dn];
    Workload& dd = work.of[EdgeClass::dd];
    nn.frontier = nd.frontier = queue_size_;
    if (wanted.edges[EdgeClass::nn]) {
      const Rows rows(graph_.nn);
      for (std::size_t i = 0; i < queue_size_; ++i) nn.forward += rows.degree(queue_[i]);
    }
    if (wanted.edges[EdgeClass::nd]) {
      const Rows rows(graph_.nd);
      nd.frontier = 0;
      for (std::size_t i = 0; i < queue_size_; ++i) {
        const std::uint64_t edges = rows.degree(queue_[i]);
        nd.forward += edges;
        nd.frontier += edges > 0 ? 1U : 0U;
      }
    }
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
    reached_delegates_ += work.own_delegates;
    work.unvisited_own_delegates = graph_.own_delegates.size() - reached_delegates_;
    nd.unvisited = unvisited_nd_;
    nd.backward = unvisited_dn_;
    dn.unvisited = unvisited_dn_;
    dn.backward = unvisited_nd_;
    dd.unvisited = dd.backward = unvisited_dd_;
    return work;
  }

  // Delegates first: what finds them comes before what finds normal vertices.
  PerEdgeClass<Visited> visit(const PerEdgeClass<bool>& active, const Backward& backward,
                              level_t level, bool /*counted*/) override {
    PerEdgeClass<Visited> done;
    for (const EdgeClass subgraph : {EdgeClass::dd, EdgeClass::nd, EdgeClass::dn, EdgeClass::nn}) {
      if (active[subgraph]) done[subgraph] = visit(subgraph, backward[subgraph], level);
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
    std::uint64_t count = 0;
    for (std::size_t word = 0; word < frontier_.size(); ++word) {
      count += static_cast<std::uint64_t>(std::popcount(frontier_[word] & own_mask_[word]));
    }
    return count;
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
    bring_delegates_parents_home(all);
    if (!carries_) fetch_parents(all);
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

  [[nodiscard]] MemoryUse memory() const override {
    const auto bytes = [](const auto& values) { return values.capacity() * sizeof(values[0]); };
    MemoryUse use;
    use.graph = graph_.stored_bytes() + bytes(graph_.delegates) + bytes(graph_.by_id) +
                bytes(graph_.own_delegates) + bytes(nd_sources_) + bytes(dd_sources_) +
                bytes(dn_sources_) + bytes(own_mask_) + bytes(nd_mask_);
    use.status = bytes(levels_) + bytes(delegate_levels_) + bytes(parents_) +
                 bytes(delegate_parents_) + bytes(delegate_names_) + bytes(frontier_) +
                 bytes(visited_) + bytes(found_) + bytes(reached_);
    use.queues = bytes(queue_) + bytes(next_) + bytes(unvisited_list_) + bytes(delegates_);
    for (const Sent& sent : sent_) {
      for (const auto& list : sent.ids) use.queues += bytes(list);
      for (const auto& list : sent.carried) use.queues += bytes(list);
      for (const auto& list : sent.unique) use.queues += bytes(list);
      for (const auto& list : sent.joined) use.queues += bytes(list);
    }
    return use;
  }

 private:
  using Mask = std::vector<Word>;

  Visited visit(EdgeClass subgraph, bool backward, level_t level) {
    switch (subgraph) {
      case EdgeClass::nn:
        return visit_nn(level);
      case EdgeClass::nd:
        return backward ? delegates_look(
                              dn_sources_, Rows(graph_.dn),
                              [&](local_vertex_t v) { return levels_[v] == level; },
                              [&](local_vertex_t v) { return own_.global(me_, v); })
                        : normals_mark();
      case EdgeClass::dn:
        return backward ? normals_look(level) : delegates_visit(level);
      case EdgeClass::dd:
        return backward ? delegates_look(
                              dd_sources_, Rows(graph_.dd),
                              [&](local_vertex_t u) { return test(frontier_.data(), u); },
                              [&](local_vertex_t u) { return graph_.delegates[u]; })
                        : delegates_mark();
    }
    return {};
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
  static std::uint64_t popcount(const Mask& mask) {
    std::uint64_t count = 0;
    for (const Word word : mask) count += static_cast<std::uint64_t>(std::popcount(word));
    return count;
  }

  // The frontier has just become visited.
  void count_visited_delegates() {
    for (std::size_t word = 0; word < frontier_.size(); ++word) {
      unvisited_dd_ -=
          static_cast<std::uint64_t>(std::popcount(frontier_[word] & dd_sources_[word]));
      unvisited_dn_ -=
          static_cast<std::uint64_t>(std::popcount(frontier_[word] & dn_sources_[word]));
    }
  }

  // A normal vertex of this member that some edge led to. The bits answer for most, from the cache.
  void take(local_vertex_t v, vertex_t parent, level_t level) {
    Word& reached = reached_[v / 64];
    const Word bit = bit_of(v);
    if ((reached & bit) != 0) return;
    reached |= bit;
    levels_[v] = level;
    if (parents_wanted_) parents_[v] = parent;
    unvisited_nd_ -= (nd_mask_[v / 64] & bit) != 0 ? 1U : 0U;
    next_[next_size_++] = v;
  }

  void mark(local_vertex_t u, global_vertex_t parent) {
    const Word bit = bit_of(u);
    if (((visited_[u / 64] | found_[u / 64]) & bit) != 0) return;
    found_[u / 64] |= bit;
    any_found_ = true;
    if (parents_wanted_) delegate_parents_[u] = static_cast<vertex_t>(parent);
  }

  Visited visit_nn(level_t level) {
    Visited done;
    const std::size_t before = next_size_;
    const Rows rows(graph_.nn);
    for (std::size_t i = 0; i < queue_size_; ++i) {
      const local_vertex_t u = queue_[i];
      const auto parent = static_cast<vertex_t>(own_.global(me_, u));
      for (const global_vertex_t v : rows[u]) {
        ++done.edges;
        const unsigned owner = own_.owner(v);
        const auto local = static_cast<local_vertex_t>(own_.local(v));
        if (owner == me_) {
          take(local, parent, level + 1);
        } else if (carries_) {
          sent_[turn_].carried[owner].push_back({local, parent});
        } else {
          sent_[turn_].ids[owner].push_back(local);
        }
      }
    }
    done.found = next_size_ - before;
    return done;
  }

  Visited normals_mark() {
    Visited done;
    const Rows rows(graph_.nd);
    for (std::size_t i = 0; i < queue_size_; ++i) {
      const local_vertex_t v = queue_[i];
      const auto row = rows[v];
      done.edges += row.size();
      for (const local_vertex_t u : row) mark(u, own_.global(me_, v));
    }
    return done;
  }

  Visited delegates_mark() {
    Visited done;
    const Rows rows(graph_.dd);
    for (const local_vertex_t u : delegates_) {
      const auto row = rows[u];
      done.edges += row.size();
      for (const local_vertex_t w : row) mark(w, graph_.delegates[u]);
    }
    return done;
  }

  Visited delegates_visit(level_t level) {
    Visited done;
    const std::size_t before = next_size_;
    const Rows rows(graph_.dn);
    for (const local_vertex_t u : delegates_) {
      const auto row = rows[u];
      done.edges += row.size();
      const vertex_t parent = parents_wanted_ ? delegate_names_[u] : kNoVertex;
      for (const local_vertex_t v : row) take(v, parent, level + 1);
    }
    done.found = next_size_ - before;
    return done;
  }

  // Unvisited delegates with edges in `reversed` look for one that leads into the frontier.
  template <typename InFrontier, typename Id>
  Visited delegates_look(const Mask& sources, const Rows<local_vertex_t> reversed,
                         InFrontier&& in_frontier, Id&& id) {
    Visited done;
    // Each row begins somewhere else in memory: it is asked for kAhead rows before it is read.
    constexpr std::size_t kAhead = 16;
    struct Look {
      local_vertex_t delegate;
      std::span<const local_vertex_t> row;
    };
    std::array<Look, kAhead> ahead;
    std::size_t asked = 0;
    const auto look = [&](const Look& at) {
      for (const local_vertex_t parent : at.row) {
        ++done.edges;
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
    return done;
  }

  // Unvisited normal vertices with delegate neighbours look for one in the frontier. The list of
  // them shrinks as it is read.
  Visited normals_look(level_t level) {
    Visited done;
    const std::size_t before = next_size_;
    std::size_t kept = 0;
    const Rows rows(graph_.nd);
    const Word* const frontier = frontier_.data();
    for (std::size_t i = 0; i < unvisited_listed_; ++i) {
      const local_vertex_t v = unvisited_list_[i];
      if (test(reached_.data(), v)) continue;
      bool found = false;
      for (const local_vertex_t u : rows[v]) {
        ++done.edges;
        if (!test(frontier, u)) continue;
        take(v, parents_wanted_ ? delegate_names_[u] : kNoVertex, level + 1);
        found = true;
        break;
      }
      if (!found) unvisited_list_[kept++] = v;
    }
    unvisited_listed_ = kept;
    done.found = next_size_ - before;
    return done;
  }

  // Whoever found a delegate first here has a parent for it, and of these any is right: all found
  // it in the same level.
  void bring_delegates_parents_home(Communicator& all) {
    struct Found {
      local_vertex_t vertex;  // on its owner
      vertex_t parent;
    };
    for (const auto& [vertex, u] : graph_.own_delegates) parents_[vertex] = delegate_parents_[u];
    std::vector<std::vector<Found>> lists(all.size());
    for (std::size_t word = 0; word < visited_.size(); ++word) {
      for_each_bit(visited_[word] & ~own_mask_[word], [&](vertex_t bit) {
        const std::size_t u = word * 64 + bit;
        if (delegate_parents_[u] == kNoVertex) return;
        const global_vertex_t v = graph_.delegates[u];
        lists[own_.owner(v)].push_back(
            {static_cast<local_vertex_t>(own_.local(v)), delegate_parents_[u]});
      });
    }
    for (const Bytes list : all.all_to_all(as_lists(lists))) {
      for (const auto& [vertex, parent] : values_of<Found>(list)) parents_[vertex] = parent;
    }
    all.barrier();
  }

  // Vertices that nn reached know no parent (section VI-A.3): they ask their nn neighbours for
  // their levels.
  void fetch_parents(Communicator& all) {
    struct Question {
      local_vertex_t neighbor;  // on its owner
      local_vertex_t vertex;    // here
      level_t level;            // of the vertex
    };
    struct Reply {
      local_vertex_t vertex;
      vertex_t parent;
    };
    std::vector<std::vector<Question>> questions(all.size());
    for (local_vertex_t v = 0; v < graph_.owned; ++v) {
      if (levels_[v] == kUnreached || parents_[v] != kNoVertex) continue;
      const auto row = graph_.nn.row(v);
      const auto here = std::ranges::find_if(row, [&](global_vertex_t u) {
        return own_.owner(u) == me_ && levels_[own_.local(u)] + 1 == levels_[v];
      });
      if (here != row.end()) {
        parents_[v] = static_cast<vertex_t>(*here);
        continue;
      }
      for (const global_vertex_t u : row) {
        if (own_.owner(u) == me_) continue;
        questions[own_.owner(u)].push_back(
            {static_cast<local_vertex_t>(own_.local(u)), v, levels_[v]});
      }
    }
    std::vector<std::vector<Reply>> replies(all.size());
    const std::vector<Bytes> received = all.all_to_all(as_lists(questions));
    for (unsigned from = 0; from < all.size(); ++from) {
      for (const auto& [neighbor, vertex, level] : values_of<Question>(received[from])) {
        if (levels_[neighbor] == kUnreached || levels_[neighbor] + 1 != level) continue;
        replies[from].push_back({vertex, static_cast<vertex_t>(own_.global(me_, neighbor))});
      }
    }
    for (const Bytes list : all.all_to_all(as_lists(replies))) {
      for (const auto& [vertex, parent] : values_of<Reply>(list)) parents_[vertex] = parent;
    }
    all.barrier();
  }

  const Subgraphs& graph_;
  unsigned me_;
  Ownership own_;
  WorkSettings settings_;
  bool parents_wanted_;
  bool carries_;

  std::vector<level_t> levels_;  // [owned]; a delegate's only after finish()
  std::vector<vertex_t> parents_;
  std::vector<level_t> delegate_levels_;  // [d]
  std::vector<vertex_t> delegate_parents_;
  std::vector<vertex_t> delegate_names_;     // their ids as parents have them, half as wide
  Mask frontier_, visited_, found_;          // of delegates
  Mask dd_sources_, dn_sources_, own_mask_;  // with edges here in dd, in dn; owned by this member
  Mask reached_, nd_mask_;                   // of owned normal vertices: visited; with edges in nd
  std::vector<local_vertex_t> nd_sources_;
  std::vector<local_vertex_t> unvisited_list_;  // of nd_sources_, those not known to be visited
  std::size_t unvisited_listed_ = 0;
  std::uint64_t unvisited_nd_ = 0, unvisited_dd_ = 0, unvisited_dn_ = 0;
  std::uint64_t reached_normals_ = 0, reached_delegates_ = 0;  // owned, this level's included
  std::uint64_t dd_count_ = 0, dn_count_ = 0;
  std::vector<local_vertex_t> queue_, next_;  // normal vertices of this level and the next
  std::size_t queue_size_ = 0, next_size_ = 0;
  std::vector<local_vertex_t> delegates_;  // of this level, with edges here
  bool any_found_ = false;
  // What nn sends, [to], in this level and the one before, which others may still be reading.
  struct Sent {
    std::vector<std::vector<local_vertex_t>> ids;
    std::vector<std::vector<Carried>> carried;
    std::vector<std::vector<std::byte>> unique, joined;
  };
  std::array<Sent, 2> sent_;
  unsigned turn_ = 0;
};

}  // namespace

std::unique_ptr<LocalWork> make_cpu_work(const Subgraphs& graph, const Member& member,
                                         const WorkSettings& settings) {
  return std::make_unique<CpuWork>(graph, member, settings);
}

}  // namespace bfslab::distributed::delegate
