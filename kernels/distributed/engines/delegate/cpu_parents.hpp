// SPDX-License-Identifier: Apache-2.0
// How a member of `delegate` on CPUs gets the parents that only other members know.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "kernels/bitmap.hpp"
#include "kernels/distributed/communicator/communicator.hpp"
#include "kernels/distributed/ownership.hpp"
#include "kernels/distributed/subgraphs/subgraphs.hpp"

namespace bfslab::distributed::delegate {

struct CpuParents {
  const Subgraphs& graph;
  const Ownership& own;
  unsigned me;
  std::span<const level_t> levels;             // [owned]
  std::span<const Word> visited, own_mask;     // delegates
  std::span<const vertex_t> delegate_parents;  // [d]
  std::span<vertex_t> parents;                 // [owned]

  // Gives the owners of delegates the parents that any member has found: all of these are right,
  // since they were found in the same level.
  void send_delegate_parents(Communicator& all) {
    struct Found {
      local_vertex_t vertex;  // on its owner
      vertex_t parent;
    };
    for (const auto& [vertex, u] : graph.own_delegates) parents[vertex] = delegate_parents[u];
    std::vector<std::vector<Found>> lists(all.size());
    for (std::size_t word = 0; word < visited.size(); ++word) {
      for_each_bit(visited[word] & ~own_mask[word], [&](vertex_t bit) {
        const std::size_t u = word * 64 + bit;
        if (delegate_parents[u] == kNoVertex) return;
        const global_vertex_t v = graph.delegates[u];
        lists[own.owner(v)].push_back(
            {static_cast<local_vertex_t>(own.local(v)), delegate_parents[u]});
      });
    }
    for (const Bytes list : all.all_to_all(as_lists(lists))) {
      for (const auto& [vertex, parent] : values_of<Found>(list)) parents[vertex] = parent;
    }
    all.barrier();
  }

  // Fetches the parents of vertices that nn has reached from another member (section VI-A.3): they
  // request their levels from their nn neighbours.
  void request_normal_parents(Communicator& all) {
    struct Request {
      local_vertex_t neighbor;  // on its owner
      local_vertex_t vertex;    // here
      level_t level;            // of the vertex
    };
    struct Reply {
      local_vertex_t vertex;
      vertex_t parent;
    };
    std::vector<std::vector<Request>> requests(all.size());
    for (local_vertex_t v = 0; v < graph.owned; ++v) {
      if (levels[v] == kUnreached || parents[v] != kNoVertex) continue;
      const auto row = graph.nn.row(v);
      const auto here = std::ranges::find_if(row, [&](global_vertex_t u) {
        return own.owner(u) == me && levels[own.local(u)] + 1 == levels[v];
      });
      if (here != row.end()) {
        parents[v] = static_cast<vertex_t>(*here);
        continue;
      }
      for (const global_vertex_t u : row) {
        if (own.owner(u) == me) continue;
        requests[own.owner(u)].push_back({static_cast<local_vertex_t>(own.local(u)), v, levels[v]});
      }
    }
    std::vector<std::vector<Reply>> replies(all.size());
    const std::vector<Bytes> received = all.all_to_all(as_lists(requests));
    for (unsigned from = 0; from < all.size(); ++from) {
      for (const auto& [neighbor, vertex, level] : values_of<Request>(received[from])) {
        if (levels[neighbor] == kUnreached || levels[neighbor] + 1 != level) continue;
        replies[from].push_back({vertex, static_cast<vertex_t>(own.global(me, neighbor))});
      }
    }
    for (const Bytes list : all.all_to_all(as_lists(replies))) {
      for (const auto& [vertex, parent] : values_of<Reply>(list)) parents[vertex] = parent;
    }
    all.barrier();
  }
};

}  // namespace bfslab::distributed::delegate
