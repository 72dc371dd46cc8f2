// SPDX-License-Identifier: Apache-2.0
// The counts of a level by the kernels of `delegate-cuda`, and the workloads that follow from them.
// Plain arithmetic, which hosts and kernels do alike.
#pragma once

#include <cstdint>

#include "kernels/distributed/engines/delegate/local_work.hpp"

namespace bfslab::distributed::delegate {

// Backward visits of a level that may leave long rows to all blocks (look_space.cuh): of dd, by all
// or by the owners; of dd, by the others; of nd.
enum LongRowVisit : unsigned { long_dd, long_dd_of_others, long_nd, kLongRowVisits };

// The counts of a level, which kernels report to each other and to the host.
struct LevelCounts {
  unsigned long long forward[kEdgeClasses] = {};    // edges of the level's sources, where wanted
  unsigned long long all_edges[kEdgeClasses] = {};  // the same for all of them, where recorded
  unsigned long long frontier[kEdgeClasses] = {};   // sources with edges
  unsigned long long checked[kEdgeClasses] = {};    // entries that backward visits read
  unsigned long long normals = 0;                   // vertices of the level
  unsigned long long delegates = 0;
  unsigned long long own_delegates = 0;
  unsigned long long found_by_dn = 0;    // normal vertices
  unsigned long long found_normals = 0;  // by dn and nn
  unsigned long long found_delegates = 0;
  // Delegates and normal vertices that forward visits begin from: those with edges in a subgraph
  // that may be visited forward.
  std::uint32_t listed = 0;
  std::uint32_t queued = 0;
  std::uint32_t left_long[kLongRowVisits] = {};  // LeftRows::count
  std::uint32_t long_open = 0;                   // LongRows::any_open, where hosts launch levels
};

inline constexpr unsigned kLevelSlots = 3;  // counts of this level, the next, and the one before

// Vertices that small levels have found (small_levels.cuh), by the level modulo kLevelSlots.
struct SmallLevelCounts {
  std::uint32_t found[kLevelSlots] = {};
  std::uint32_t queued[kLevelSlots] = {};  // those of them with edges in nn
};

// Sources of edges in nd, dn and dd that no level has reached.
struct Unvisited {
  unsigned long long nd = 0, dn = 0, dd = 0;
};

// Sets what is unvisited in the workloads of a level that begins.
constexpr void set_unvisited(PerEdgeClass<Workload>& work, const Unvisited& unvisited) {
  Workload& nd = work[EdgeClass::nd];
  Workload& dn = work[EdgeClass::dn];
  nd.unvisited = dn.backward = unvisited.nd;
  nd.backward = dn.unvisited = unvisited.dn;
  work[EdgeClass::dd].unvisited = work[EdgeClass::dd].backward = unvisited.dd;
}

// Returns the workloads of a level that begins, and takes its sources out of `unvisited`. Where
// edges are not summed up, sources stand for them, each of which has at least one.
constexpr PerEdgeClass<Workload> workloads(const LevelCounts& seen, Unvisited& unvisited) {
  PerEdgeClass<Workload> work;
  for (std::size_t i = 0; i < kEdgeClasses; ++i) {
    work.each[i].frontier = seen.frontier[i];
    work.each[i].forward = seen.forward[i] > seen.frontier[i] ? seen.forward[i] : seen.frontier[i];
  }
  unvisited.nd -= work[EdgeClass::nd].frontier;
  unvisited.dn -= work[EdgeClass::dn].frontier;
  unvisited.dd -= work[EdgeClass::dd].frontier;
  set_unvisited(work, unvisited);
  return work;
}

// The vertices and sources that a search has not reached yet on a member.
struct Progress {
  Unvisited unvisited;
  std::uint64_t normals = 0;
  std::uint64_t own_delegates = 0;

  // Takes the vertices of a level, and returns its workloads: of all edges, where `recorded`.
  Workloads take(const LevelCounts& seen, bool recorded) {
    Workloads work{.normals = seen.normals,
                   .delegates = seen.delegates,
                   .own_delegates = seen.own_delegates,
                   .unvisited_normals = normals -= seen.normals,
                   .unvisited_own_delegates = own_delegates -= seen.own_delegates,
                   .by_class = workloads(seen, unvisited)};
    for (std::size_t i = 0; recorded && i < kEdgeClasses; ++i) {
      work.by_class.each[i].forward = seen.all_edges[i];
    }
    return work;
  }
};

// Sets the entries that the active visits have read.
inline void set_edges(PerEdgeClass<Visited>& done, const PerEdgeClass<bool>& active,
                      const Backward& backward, const LevelCounts& seen, const Workloads& load) {
  for (std::size_t i = 0; i < kEdgeClasses; ++i) {
    if (!active.each[i]) continue;
    done.each[i].edges = backward.each[i] ? seen.checked[i] : load.by_class.each[i].forward;
  }
}

// Returns what is left to queue and to sum up in a level whose sources are counted: nothing for a
// subgraph that turns backward for good by these alone, and no delegates where none has edges.
constexpr Wanted wanted_of_counted(const LevelCounts& seen, Unvisited unvisited,
                                   const DirectionRule& rule, const Backward& last) {
  const PerEdgeClass<Workload> work = workloads(seen, unvisited);
  Backward turned = last;
  rule.choose(turned, work);
  Wanted wanted = rule.wanted(turned);
  for (const EdgeClass subgraph : {EdgeClass::dn, EdgeClass::dd}) {  // else there is none to queue
    wanted.forward[subgraph] = wanted.forward[subgraph] && work[subgraph].frontier > 0;
  }
  return wanted;
}

}  // namespace bfslab::distributed::delegate
