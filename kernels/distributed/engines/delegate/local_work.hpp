// SPDX-License-Identifier: Apache-2.0
// What a member computes between two exchanges: the kernels of scalable-bfs, section IV, behind one
// interface, so that the search (search.cpp) is the same whatever runs them.
//
// A level has a pre-visit, which labels the level's vertices and sums up the workloads from which
// the directions are chosen, the visits of the subgraphs, and the taking in of what other members
// sent. Bits of delegates are in masks of Communicator words. Masks and lists are in the memory
// that the member's communicator for data works on: the host's, or its GPU's.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "kernels/distributed/communicator/communicator.hpp"
#include "kernels/distributed/communicator/transport.hpp"
#include "kernels/distributed/engines/distributed_engine.hpp"
#include "kernels/distributed/subgraphs/subgraphs.hpp"
#include "kernels/engine.hpp"

namespace bfslab::distributed::delegate {

// What a direction decision knows of a subgraph (section IV-B).
struct Workload {
  std::uint64_t frontier = 0;   // q: the level's sources of the subgraph's edges
  std::uint64_t forward = 0;    // FV: their edges in it
  std::uint64_t unvisited = 0;  // s: unvisited sources of the subgraph
  std::uint64_t backward = 0;   // |U|: unvisited sources of the reversed subgraph
};

struct Workloads {
  std::uint64_t normals = 0;    // the level's normal vertices of this member
  std::uint64_t delegates = 0;  // the level's delegates, and those of them that this member owns
  std::uint64_t own_delegates = 0;
  std::uint64_t unvisited_normals = 0;        // of this member
  std::uint64_t unvisited_own_delegates = 0;  // likewise
  PerEdgeClass<Workload> of;
  double told_ms = 0;  // spent on what is only told, which is no part of the search
};

// Per subgraph: whether it is visited backward. nn never is.
using Backward = PerEdgeClass<bool>;
// What a pre-visit is to do for each subgraph.
struct Wanted {
  PerEdgeClass<bool> edges;    // sum up the workload forward
  PerEdgeClass<bool> forward;  // queue its sources, for it may be visited forward
};

// When a subgraph is visited backward (section IV-B). On GPUs kernels ask, too.
struct DirectionRule {
  bool optimized = true;  // DO
  // To backward, where FV > to_backward * BV; back, where FV < to_forward * BV.
  PerEdgeClass<double> to_backward;
  PerEdgeClass<double> to_forward;

  // Of nd, dn or dd, whose last visit was `backward`. A level without its sources changes nothing.
  [[nodiscard]] constexpr bool turns(EdgeClass subgraph, bool backward, const Workload& at) const {
    if (!optimized || at.frontier == 0) return backward;
    const auto q = static_cast<double>(at.frontier);
    const double bound =
        static_cast<double>(at.backward) * (q + static_cast<double>(at.unvisited)) / q;
    const auto forward = static_cast<double>(at.forward);
    return backward ? forward >= to_forward[subgraph] * bound
                    : forward > to_backward[subgraph] * bound;
  }
  // Of a level whose directions are not chosen yet, after one with those of `last`. A subgraph that
  // has turned backward for good needs nothing.
  [[nodiscard]] constexpr Wanted wanted(const Backward& last) const {
    Wanted wanted;
    wanted.forward[EdgeClass::nn] = true;
    for (const EdgeClass subgraph : {EdgeClass::nd, EdgeClass::dn, EdgeClass::dd}) {
      const bool for_good = optimized && last[subgraph] && to_forward[subgraph] == 0;
      wanted.edges[subgraph] = optimized && !for_good;
      wanted.forward[subgraph] = !for_good;
    }
    return wanted;
  }
};

// What the visit of a subgraph did.
struct Visited {
  std::uint64_t edges = 0;  // entries read
  std::uint64_t found = 0;  // normal vertices of this member
};

// A level that a GPU has run by itself.
struct RanLevel {
  Workloads load;
  Backward backward;
  PerEdgeClass<Visited> done;
  std::uint64_t own_delegates_found = 0;
  std::uint64_t bytes_sent = 0;
  // What was done one after the other, but what is only told.
  struct Step {
    const char* name;
    double ms;
  };
  std::vector<Step> steps;
  // Of these, taking the others' lists; taking their masks; waiting for the others; all the rest.
  double lists_ms = 0, masks_ms = 0, meeting_ms = 0, compute_ms = 0;
};

class LocalWork {
 public:
  LocalWork() = default;
  LocalWork(const LocalWork&) = delete;
  LocalWork& operator=(const LocalWork&) = delete;
  virtual ~LocalWork() = default;

  // A new search. `delegate` is the source's number where it is one; else `vertex` is its local id
  // on the member that owns it, and kNone on others. `in_one_kernel`: run_levels() follows.
  static constexpr local_vertex_t kNone = ~local_vertex_t{0};
  virtual void reset(local_vertex_t delegate, local_vertex_t vertex, bool in_one_kernel) = 0;
  // Labels the level's vertices where that is not done yet, queues those that visits forward may
  // begin from, and sums up the workloads that `rule` asks for, where the last level's visits were
  // backward as in `last`. `told`: all of them. Of what is not asked for `forward` says nothing,
  // and of nn and nd `frontier` may count vertices without edges, too.
  virtual Workloads pre_visit(level_t level, const DirectionRule& rule, const Backward& last,
                              bool told) = 0;
  // Visits the active subgraphs. Where it is not `counted`, what is returned may lack everything
  // but the normal vertices that were found, and with one member these, too.
  virtual PerEdgeClass<Visited> visit(const PerEdgeClass<bool>& active, const Backward& backward,
                                      level_t level, bool counted) = 0;
  // Delegates that the visits of this level found, to be reduced in place; others that were visited
  // before, on all members alike, may be among them.
  virtual std::span<Word> found_delegates() = 0;
  [[nodiscard]] virtual bool found_any_delegate() const = 0;
  // After the reduction: they are the next level's.
  virtual void take_delegates() = 0;
  // Of these, the ones that this member owns.
  [[nodiscard]] virtual std::uint64_t own_delegates_found() const = 0;
  // Of nn, for the member `to`: local ids there, or, where parents travel along, pairs of these and
  // the parent's id. Stays as it is until the level after the next.
  [[nodiscard]] virtual Bytes outgoing(unsigned to) const = 0;
  // Each of `lists`, as outgoing() has them, without repeated vertices; they then lie here as
  // long as outgoing() does. Where parents travel along, any one of a vertex's is kept.
  virtual void make_unique(std::span<Bytes> lists) = 0;
  // The lists as one, for the members of rank `rank`, which lies here as long as outgoing() does.
  virtual Bytes join(std::span<const Bytes> lists, unsigned rank) = 0;
  // What another member sent. Returns how many vertices were new, if that is `counted`.
  virtual std::uint64_t take_normals(Bytes list, level_t level, bool counted) = 0;
  // Whether its GPU runs all levels by itself, on all members alike: run_levels() then stands for
  // everything between reset() and finish().
  [[nodiscard]] virtual bool runs_levels() const { return false; }
  // Collective. What the levels were, where that is `told`; else nothing, or of very deep searches
  // the first of them.
  virtual std::vector<RanLevel> run_levels(const DirectionRule& /*rule*/, bool /*told*/) {
    return {};
  }
  // Completes the answer: owned delegates get their levels, and parents come home. Collective.
  // `data` moves what is in the memory of the lists.
  virtual void finish(Communicator& data) = 0;
  // Until all that was asked for is done: before a clock is read.
  virtual void wait() {}

  [[nodiscard]] virtual AnswerPart answer() const = 0;
  [[nodiscard]] virtual std::uint64_t reached_entries() const = 0;
  [[nodiscard]] virtual MemoryUse memory() const = 0;
  // Of the last search, on GPUs.
  [[nodiscard]] virtual std::optional<double> gpu_ms() const { return std::nullopt; }
};

struct WorkSettings {
  Answer answer = Answer::levels;
  bool carry_parents = false;  // with what nn sends, instead of being asked for at the end
  bool merge_all = false;      // on GPUs: all forward visits by merge path, not dd's alone
  bool one_kernel = false;     // on GPUs: a kernel that runs all levels; with merge_all
  TeamMemory team_memory = TeamMemory::peer;  // of these kernels
  bool backward = true;                       // subgraphs may be visited backward
  bool hubs_first = false;                    // delegates are numbered by degree
};

// On this thread, in host memory.
std::unique_ptr<LocalWork> make_cpu_work(const Subgraphs& graph, const Member& member,
                                         const WorkSettings& settings);

}  // namespace bfslab::distributed::delegate
