// SPDX-License-Identifier: Apache-2.0
// How a member of `delegate` on CPUs gets the parents that only other members know.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "kernels/distributed/engines/delegate/cpu_memory.hpp"

namespace bfslab::distributed::delegate {

class CpuParents : protected CpuMemory {
 protected:
  using CpuMemory::CpuMemory;

  // Gives the owners of delegates the parents that any member has found: all of these are right,
  // since they were found in the same level.
  void send_delegate_parents(Communicator& all) {
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
        requests[own_.owner(u)].push_back(
            {static_cast<local_vertex_t>(own_.local(u)), v, levels_[v]});
      }
    }
    std::vector<std::vector<Reply>> replies(all.size());
    const std::vector<Bytes> received = all.all_to_all(as_lists(requests));
    for (unsigned from = 0; from < all.size(); ++from) {
      for (const auto& [neighbor, vertex, level] : values_of<Request>(received[from])) {
        if (levels_[neighbor] == kUnreached || levels_[neighbor] + 1 != level) continue;
        replies[from].push_back({vertex, static_cast<vertex_t>(own_.global(me_, neighbor))});
      }
    }
    for (const Bytes list : all.all_to_all(as_lists(replies))) {
      for (const auto& [vertex, parent] : values_of<Reply>(list)) parents_[vertex] = parent;
    }
    all.barrier();
  }
};

}  // namespace bfslab::distributed::delegate
