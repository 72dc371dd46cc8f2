// SPDX-License-Identifier: Apache-2.0
// How parents are requested and found (answer.cuh).
#include "kernels/distributed/engines/delegate/answer.cuh"

#include <thrust/iterator/counting_iterator.h>

#include <algorithm>
#include <cub/device/device_select.cuh>
#include <utility>

#include "kernels/distributed/edges/member_counts.cuh"

namespace bfslab::distributed::delegate {

namespace {

// True for places of normal vertices that were reached through nn from another member.
struct PlaceLacksParent {
  const std::uint32_t* reached = nullptr;
  const std::uint32_t* found_first = nullptr;  // NormalsLook::found_first; or null
  const vertex_t* parents = nullptr;

  __device__ bool operator()(local_vertex_t place) const {
    if (!test(reached, place) || (found_first != nullptr && test(found_first, place))) return false;
    return parents[place] == kNoVertex;
  }
};

// True for own delegates that only others have found.
struct DelegateLacksParent {
  const std::uint32_t* visited = nullptr;
  const std::uint32_t* own = nullptr;
  const vertex_t* parents = nullptr;

  __device__ bool operator()(local_vertex_t u) const {
    return test(visited, u) && test(own, u) && parents[u] == kNoVertex;
  }
};

// Items of member_counts.cuh: a place has a request for the owner of each neighbour in nn.
template <typename Graph>
struct PlaceRequests {
  Graph nn;                                // by place
  const local_vertex_t* places = nullptr;  // that lack a parent
  const local_vertex_t* ids = nullptr;     // by place
  const level_t* levels = nullptr;         // by id
  unsigned me = 0;
  const unsigned long long* count = nullptr;

  [[nodiscard]] __device__ std::uint64_t size() const { return *count; }
  template <typename Emit>
  __device__ void operator()(std::uint64_t i, const Emit& emit) const {
    const local_vertex_t place = places[i];
    const local_vertex_t v = ids[place];
    const level_t level = levels[v];
    for (std::uint64_t e = nn.row_offsets[place]; e < nn.row_offsets[place + std::size_t{1}]; ++e) {
      const NormalEnd end{nn.columns[e]};
      if (end.owner() != me) emit(end.owner(), Request{end.local(), v, level});
    }
  }
};

// The same: a delegate has a request for each other member.
struct DelegateRequests {
  const local_vertex_t* delegates = nullptr;  // that lack a parent
  const vertex_t* names = nullptr;
  RoundRobin owner;
  unsigned members = 1;
  const unsigned long long* count = nullptr;

  [[nodiscard]] __device__ std::uint64_t size() const { return *count; }
  template <typename Emit>
  __device__ void operator()(std::uint64_t i, const Emit& emit) const {
    const local_vertex_t u = delegates[i];
    const Request request{u, owner.local(names[u]), Request::kOfDelegate};
    for (unsigned other = 1; other < members; ++other) {
      emit(member_after(owner.me, other, members), request);
    }
  }
};

__global__ void answer_requests(const Request* requests, std::uint64_t count, const level_t* levels,
                                const vertex_t* delegate_parents, RoundRobin owner,
                                vertex_t* replies) {
  for (std::uint64_t i = cuda::thread_in_grid(); i < count; i += cuda::threads_in_grid()) {
    const Request asked = requests[i];
    vertex_t parent = kNoVertex;
    if (asked.level == Request::kOfDelegate) {
      parent = delegate_parents[asked.neighbor];
    } else if (levels[asked.neighbor] == asked.level - 1) {
      parent = static_cast<vertex_t>(owner.global(asked.neighbor));
    }
    replies[i] = parent;
  }
}

// Takes the replies. If a vertex has several parents, any is right.
__global__ void take_replies(const Request* requests, const vertex_t* replies, std::uint64_t count,
                             vertex_t* parents) {
  for (std::uint64_t i = cuda::thread_in_grid(); i < count; i += cuda::threads_in_grid()) {
    if (replies[i] != kNoVertex) parents[requests[i].vertex] = replies[i];
  }
}

}  // namespace

// The queue and the list, which no level needs any more, take the places and delegates that lack a
// parent.
void ParentRequests::select(std::uint32_t delegates) {
  const VertexStatus& status = memory_.status;
  counts_.fill_bytes(0, memory_.stream.get());
  const auto select = [&](std::uint64_t count, const auto& lacks, local_vertex_t* into,
                          unsigned long long* selected) {
    const thrust::counting_iterator<local_vertex_t> all(0);
    std::size_t needed = 0;
    const auto items = static_cast<std::int64_t>(count);
    const auto run = [&](void* scratch) {
      BFSLAB_CUDA(cub::DeviceSelect::If(scratch, needed, all, into, selected, items, lacks,
                                        memory_.stream.get()));
    };
    run(nullptr);
    run(memory_.library_scratch.at_least(std::max(needed, std::size_t{1}), memory_.stream.get()));
  };
  if (delegates > 0) {
    select(delegates,
           DelegateLacksParent{status.visited.data(), memory_.arrays.own.data(),
                               memory_.delegate_parents},
           memory_.list.data(), counts_.data());
  }
  if (!memory_.carries_parents) {
    select(memory_.places.count(),
           PlaceLacksParent{status.reached.data(), status.found_first.data(),
                            status.place_parents.data()},
           memory_.queue.data(), counts_.data() + 1);
  }
}

std::vector<std::span<const Request>> ParentRequests::make(std::uint32_t delegates) {
  const cudaStream_t stream = memory_.stream.get();
  unsigned long long* const next = counts_.data() + 2;
  const unsigned blocks = cuda::full_grid();
  const auto for_all = [&](const auto& launch) {
    if (delegates > 0) {
      launch(DelegateRequests{.delegates = memory_.list.data(),
                              .names = memory_.status.names.data(),
                              .owner = memory_.owners(),
                              .members = memory_.members,
                              .count = counts_.data()});
    }
    if (memory_.carries_parents) return;
    with_view(memory_.graph.nn, [&](const auto& nn) {
      using Graph = std::remove_cvref_t<decltype(nn)>;
      launch(PlaceRequests<Graph>{.nn = nn,
                                  .places = memory_.queue.data(),
                                  .ids = memory_.arrays.ids.data(),
                                  .levels = memory_.status.levels.data(),
                                  .me = memory_.me,
                                  .count = counts_.data() + 1});
    });
  };
  for_all([&](const auto& items) {
    BFSLAB_LAUNCH_SIZED(count_items, blocks, kBlockThreads, sizeof(unsigned) * memory_.members,
                        stream, items, memory_.members, next);
  });
  cuda::copy(seen_.data(), next, memory_.members, memory_.stream);
  memory_.stream.wait();
  std::uint64_t all = 0;
  for (unsigned to = 0; to < memory_.members; ++to) all += seen_[to];
  auto* const requests =
      reinterpret_cast<Request*>(requests_.at_least(all * sizeof(Request), stream));
  std::vector<std::span<const Request>> lists;
  std::uint64_t first = 0;
  for (unsigned to = 0; to < memory_.members; ++to) {
    const std::uint64_t size = std::exchange(seen_[to], first);
    lists.emplace_back(requests + first, size);
    first += size;
  }
  if (all == 0) return lists;
  cuda::copy(next, seen_.data(), memory_.members, memory_.stream);
  for_all([&](const auto& items) {
    constexpr std::size_t kOfMember = sizeof(unsigned) + sizeof(MemberCounts::Total);
    BFSLAB_LAUNCH_SIZED(put_items, blocks, kBlockThreads, kOfMember * memory_.members, stream,
                        items, memory_.members, next, requests);
  });
  return lists;
}

std::vector<Bytes> ParentRequests::reply(const std::vector<Bytes>& received) {
  std::uint64_t all = 0;
  for (const Bytes list : received) all += values_of<Request>(list).size();
  auto* next =
      reinterpret_cast<vertex_t*>(replies_.at_least(all * sizeof(vertex_t), memory_.stream.get()));
  std::vector<Bytes> replies;
  for (const Bytes list : received) {
    const std::span<const Request> requests = values_of<Request>(list);
    replies.push_back(std::as_bytes(std::span<const vertex_t>(next, requests.size())));
    if (requests.empty()) continue;
    BFSLAB_LAUNCH(answer_requests, blocks_for(requests.size()), memory_.stream, requests.data(),
                  requests.size(), memory_.status.levels.data(), memory_.delegate_parents,
                  memory_.owners(), next);
    next += requests.size();
  }
  return replies;
}

void ParentRequests::fetch(Communicator& data, std::uint32_t delegates) {
  select(delegates);
  const std::vector<std::span<const Request>> requests = make(delegates);
  std::vector<Bytes> lists;
  for (const auto list : requests) lists.push_back(std::as_bytes(list));
  const std::vector<Bytes> received = data.all_to_all(lists);
  const std::vector<Bytes> replies = data.all_to_all(reply(received));
  for (unsigned from = 0; from < memory_.members; ++from) {
    const std::span<const vertex_t> parents = values_of<vertex_t>(replies[from]);
    if (parents.empty()) continue;
    BFSLAB_LAUNCH(take_replies, blocks_for(parents.size()), memory_.stream, requests[from].data(),
                  parents.data(), parents.size(), memory_.status.parents.data());
  }
}

}  // namespace bfslab::distributed::delegate
