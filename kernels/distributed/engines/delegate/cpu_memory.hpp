// SPDX-License-Identifier: Apache-2.0
// The memory of a member of `delegate` on CPUs: bits by delegate or by vertex, levels, parents and
// lists.
#pragma once

#include <array>
#include <bit>
#include <vector>

#include "kernels/bitmap.hpp"
#include "kernels/distributed/engines/delegate/level_counts.hpp"
#include "kernels/distributed/ownership.hpp"

namespace bfslab::distributed::delegate {

class CpuMemory {
 protected:
  using Mask = std::vector<Word>;

  CpuMemory(const Subgraphs& graph, const Member& member, const WorkSettings& settings)
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
    start_ = {.unvisited = {.nd = nd_sources_.size(),
                            .dn = common(dn_sources_, dn_sources_),
                            .dd = common(dd_sources_, dd_sources_)},
              .normals = graph.owned - graph.own_delegates.size(),
              .own_delegates = graph.own_delegates.size()};
  }

  [[nodiscard]] MemoryUse memory_use() const {
    const auto bytes = [](const auto& values) { return values.capacity() * sizeof(values[0]); };
    const auto of_lists = [&bytes](const auto& lists) {
      std::uint64_t sum = 0;
      for (const auto& list : lists) sum += bytes(list);
      return sum;
    };
    MemoryUse use;
    use.graph = graph_.stored_bytes() + bytes(graph_.delegates) + bytes(graph_.by_id) +
                bytes(graph_.own_delegates) + bytes(nd_sources_) + bytes(dd_sources_) +
                bytes(dn_sources_) + bytes(own_mask_) + bytes(nd_mask_);
    use.status = bytes(levels_) + bytes(delegate_levels_) + bytes(parents_) +
                 bytes(delegate_parents_) + bytes(delegate_names_) + bytes(frontier_) +
                 bytes(visited_) + bytes(found_) + bytes(reached_);
    use.queues = bytes(queue_) + bytes(next_) + bytes(unvisited_list_) + bytes(delegates_);
    for (const Sent& sent : sent_) {
      use.queues += of_lists(sent.ids) + of_lists(sent.carried) + of_lists(sent.unique) +
                    of_lists(sent.joined);
    }
    return use;
  }

  // Returns how many bits are set in both.
  static std::uint64_t common(const Mask& one, const Mask& other) {
    std::uint64_t count = 0;
    for (std::size_t word = 0; word < one.size(); ++word) {
      count += static_cast<std::uint64_t>(std::popcount(one[word] & other[word]));
    }
    return count;
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
  Progress start_, progress_;                 // of a search: at first; now
  std::vector<local_vertex_t> queue_, next_;  // normal vertices of this level and the next
  std::size_t queue_size_ = 0, next_size_ = 0;
  std::vector<local_vertex_t> delegates_;  // of this level, with edges here
  bool any_found_ = false;
  // Lists that nn sends, [to], in this level and the one before, which others may still read.
  struct Sent {
    std::vector<std::vector<local_vertex_t>> ids;
    std::vector<std::vector<Carried>> carried;
    std::vector<std::vector<std::byte>> unique, joined;
  };
  std::array<Sent, 2> sent_;
  unsigned turn_ = 0;
};

}  // namespace bfslab::distributed::delegate
