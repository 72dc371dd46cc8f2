// What a member computes between two exchanges: the kernels of scalable-bfs, section IV, behind one
// interface, so that the search (search.cpp) is the same whatever runs them.
//
// A level has a pre-visit, which labels the level's vertices and sums up the workloads from which
// the directions are chosen, a visit of each subgraph, and the taking in of what other members
// sent. Bits of delegates are in masks of Communicator words.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/distributed/communicator/communicator.hpp"
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
};

// What the visit of a subgraph did.
struct Visited {
  std::uint64_t edges = 0;  // entries read
  std::uint64_t found = 0;  // normal vertices of this member
};

// Per subgraph: whether it is visited backward. nn never is.
using Backward = PerEdgeClass<bool>;
// Per subgraph: whether the workload forward is asked for.
using Wanted = PerEdgeClass<bool>;

class LocalWork {
 public:
  LocalWork() = default;
  LocalWork(const LocalWork&) = delete;
  LocalWork& operator=(const LocalWork&) = delete;
  virtual ~LocalWork() = default;

  // A new search. `delegate` is the source's number where it is one; else `vertex` is its local id
  // on the member that owns it, and kNone on others.
  static constexpr local_vertex_t kNone = ~local_vertex_t{0};
  virtual void reset(local_vertex_t delegate, local_vertex_t vertex) = 0;
  // Labels the level's delegates and sums up workloads. For nn and nd the edges are summed up only
  // where they are wanted: else `forward` is 0 and `frontier` counts vertices without edges, too.
  virtual Workloads pre_visit(level_t level, const Wanted& wanted) = 0;
  virtual Visited visit(EdgeClass subgraph, bool backward, level_t level) = 0;
  // Delegates that the visits of this level found and nobody had visited: to be reduced in place.
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
  // What another member sent. Returns how many vertices were new.
  virtual std::uint64_t take_normals(Bytes list, level_t level) = 0;
  // Completes the answer: owned delegates get their levels, and parents come home. Collective.
  virtual void finish(Communicator& all) = 0;

  [[nodiscard]] virtual AnswerPart answer() const = 0;
  [[nodiscard]] virtual std::uint64_t reached_entries() const = 0;
  [[nodiscard]] virtual MemoryUse memory() const = 0;
};

struct WorkSettings {
  Answer answer = Answer::levels;
  bool carry_parents = false;  // with what nn sends, instead of being asked for at the end
};

// On this thread, in host memory.
std::unique_ptr<LocalWork> make_cpu_work(const Subgraphs& graph, const Member& member,
                                         const WorkSettings& settings);

}  // namespace bfslab::distributed::delegate
