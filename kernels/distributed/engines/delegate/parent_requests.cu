// SPDX-License-Identifier: Apache-2.0
// How parents are requested and found (parent_requests.cuh).
#include "kernels/distributed/engines/delegate/parent_requests.cuh"

#include <thrust/iterator/counting_iterator.h>

#include <algorithm>
#include <cub/device/device_select.cuh>

#include "kernels/cuda/device/launch.hpp"
#include "kernels/distributed/edges/member_counts.cuh"

namespace bfslab::distributed::delegate {

namespace {

using cuda::blocks_for;
using cuda::kBlockThreads;

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

// Calls emit(member, request) for item i, the same way at each call: for a place, once for the
// owner of each neighbour in nn.
template <typename Graph>
struct PlaceRequests {
  Graph nn;                                // by place
  const local_vertex_t* places = nullptr;  // that lack a parent
  const local_vertex_t* ids = nullptr;     // by place
  const level_t* levels = nullptr;         // by id
  unsigned me = 0;

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

// The same for a delegate: once for each other member.
struct DelegateRequests {
  const local_vertex_t* delegates = nullptr;  // that lack a parent
  const vertex_t* names = nullptr;
  RoundRobin owner;
  unsigned members = 1;

  template <typename Emit>
  __device__ void operator()(std::uint64_t i, const Emit& emit) const {
    const local_vertex_t u = delegates[i];
    const Request request{u, owner.local(names[u]), Request::kOfDelegate};
    for (unsigned other = 1; other < members; ++other) {
      emit(member_after(owner.me, other, members), request);
    }
  }
};

// Adds how many requests the items have for each member.
template <typename Items>
__global__ void count_requests(const __grid_constant__ Items items, const unsigned long long* count,
                               unsigned long long* to_member) {
  __shared__ unsigned of_block[kMaxMembers];
  const MemberCounts sizes{of_block, kMaxMembers};
  sizes.clear();
  for (std::uint64_t i = cuda::thread_in_grid(); i < *count; i += cuda::threads_in_grid()) {
    items(i, [&sizes](unsigned to, const Request& /*request*/) { sizes.add(to); });
  }
  sizes.add_to(to_member);
}

// Puts the requests where `next` says that each member's list goes on. A block takes room for those
// of all its threads at once.
template <typename Items>
__global__ void put_requests(const __grid_constant__ Items items, const unsigned long long* count,
                             unsigned long long* next, Request* requests) {
  __shared__ unsigned of_block[kMaxMembers];
  __shared__ unsigned long long at[kMaxMembers];
  const MemberCounts sizes{of_block, kMaxMembers};
  const std::uint64_t all = *count;
  for (std::uint64_t first = std::uint64_t{blockIdx.x} * blockDim.x; first < all;
       first += cuda::threads_in_grid()) {
    const std::uint64_t i = first + threadIdx.x;
    sizes.clear();
    if (i < all) {
      items(i, [&sizes](unsigned to, const Request& /*request*/) { sizes.add(to); });
    }
    sizes.take_room(next, at);
    if (i < all) {
      items(i, [&sizes, requests](unsigned to, const Request& request) {
        requests[at[to] + sizes.add(to)] = request;
      });
    }
    __syncthreads();
  }
}

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

ParentRequests::Lists ParentRequests::make(std::uint32_t delegates) {
  const cudaStream_t stream = memory_.stream.get();
  unsigned long long* const next = counts_.data() + 2;
  const unsigned blocks = cuda::full_grid();
  const auto for_all = [&](const auto& launch) {
    if (delegates > 0) {
      launch(DelegateRequests{memory_.list.data(), memory_.status.names.data(), memory_.owners(),
                              memory_.members},
             counts_.data());
    }
    if (memory_.carries_parents) return;
    with_view(memory_.graph.nn, [&](const auto& nn) {
      using Graph = std::remove_cvref_t<decltype(nn)>;
      launch(PlaceRequests<Graph>{nn, memory_.queue.data(), memory_.arrays.ids.data(),
                                  memory_.status.levels.data(), memory_.me},
             counts_.data() + 1);
    });
  };
  for_all([&](const auto& items, const unsigned long long* count) {
    count_requests<<<blocks, kBlockThreads, 0, stream>>>(items, count, next);
    BFSLAB_CUDA_LAUNCHED("count_requests");
  });
  const std::size_t bytes = memory_.members * sizeof(*next);
  BFSLAB_CUDA(cudaMemcpyAsync(seen_.data(), next, bytes, cudaMemcpyDeviceToHost, stream));
  memory_.stream.wait();
  Lists lists;
  std::uint64_t all = 0;
  for (unsigned to = 0; to < memory_.members; ++to) {
    lists.sizes[to] = seen_[to];
    lists.first[to] = seen_[to] = all;
    all += lists.sizes[to];
  }
  lists.requests = reinterpret_cast<Request*>(requests_.at_least(all * sizeof(Request), stream));
  if (all == 0) return lists;
  BFSLAB_CUDA(cudaMemcpyAsync(next, seen_.data(), bytes, cudaMemcpyHostToDevice, stream));
  for_all([&](const auto& items, const unsigned long long* count) {
    put_requests<<<blocks, kBlockThreads, 0, stream>>>(items, count, next, lists.requests);
    BFSLAB_CUDA_LAUNCHED("put_requests");
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
    answer_requests<<<blocks_for(requests.size()), kBlockThreads, 0, memory_.stream.get()>>>(
        requests.data(), requests.size(), memory_.status.levels.data(), memory_.delegate_parents,
        memory_.owners(), next);
    BFSLAB_CUDA_LAUNCHED("answer_requests");
    next += requests.size();
  }
  return replies;
}

void ParentRequests::fetch(Communicator& data, std::uint32_t delegates) {
  select(delegates);
  const Lists made = make(delegates);
  std::vector<Bytes> lists;
  for (unsigned to = 0; to < memory_.members; ++to) {
    lists.push_back(
        std::as_bytes(std::span<const Request>(made.requests + made.first[to], made.sizes[to])));
  }
  const std::vector<Bytes> received = data.all_to_all(lists);
  const std::vector<Bytes> replies = data.all_to_all(reply(received));
  for (unsigned from = 0; from < memory_.members; ++from) {
    const std::span<const vertex_t> parents = values_of<vertex_t>(replies[from]);
    if (parents.empty()) continue;
    take_replies<<<blocks_for(parents.size()), kBlockThreads, 0, memory_.stream.get()>>>(
        made.requests + made.first[from], parents.data(), parents.size(),
        memory_.status.parents.data());
    BFSLAB_CUDA_LAUNCHED("take_replies");
  }
}

}  // namespace bfslab::distributed::delegate
