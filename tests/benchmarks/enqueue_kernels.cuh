// SPDX-License-Identifier: Apache-2.0
// The kernels that enqueue_contention_benchmark.cu times: threads that only enqueue, by the queues
// of kernels/cuda/frontier/ as the engines call them. In each round every thread holds a tile of
// sixteen items, as after a look at sixteen statuses, of which all or one in eight are to be
// enqueued.
#pragma once

#include "kernels/cuda/frontier/decentralized.cuh"
#include "kernels/cuda/frontier/hierarchical.cuh"
#include "kernels/cuda/frontier/single_scan.cuh"

namespace bfslab::cuda {

// The queue under test.
struct QueueUnderTest {
  QueueView queue;           // central and hierarchical
  SubQueuesView sub_queues;  // decentralized; its capacity is the hierarchical's of a block as well
  bool one_atomic_a_vertex = false;
  std::uint32_t* overflow = nullptr;  // [1]
};

// The items that threads present, and those of them that they enqueue: all, or at each place of a
// tile one of eight neighbours, which take turns from place to place.
struct Presented {
  unsigned rounds = 0;
  bool one_in_eight = false;

  __device__ Tile tile(unsigned round) const {
    Tile tile;
    tile.first = round * threads_in_grid() * kItemsEach + thread_in_grid() * kItemsOfRun;
    tile.mask = (1U << kItemsEach) - 1;
    if (one_in_eight) tile.mask &= 0x01010101U << (7 - thread_in_grid() % 8);
    return tile;
  }
  // Returns whether thread_in_grid() of a grid of `threads` enqueues its `item`.
  [[nodiscard]] __device__ bool enqueues(std::uint32_t item, unsigned threads) const {
    const unsigned thread = item / kItemsOfRun % threads;
    const unsigned run = item / kItemsOfRun / threads % kRuns;
    return !one_in_eight || (thread + run * kItemsOfRun + item % kItemsOfRun) % 8 == 7;
  }
};

// Entries as they come out of a queue, looked at before anything is timed.
struct Seen {
  std::uint32_t* bits = nullptr;        // [ceil(items / 32)] null: do not look
  unsigned long long* count = nullptr;  // [2] right entries, wrong ones
  std::uint32_t items = 0;
  unsigned threads = 0;
  Presented presented;

  __device__ void entry(std::uint32_t item) const {
    bool wrong = item >= items || !presented.enqueues(item, threads);
    if (!wrong) {
      const std::uint32_t bit = 1U << item % 32;
      wrong = (atomicOr(&bits[item / 32], bit) & bit) != 0;
    }
    atomicAdd(&count[wrong ? 1 : 0], 1ULL);
  }
};

inline __global__ void __launch_bounds__(1024, 2)
    enqueue_to_central(QueueUnderTest to, Presented presented, std::uint32_t* queued) {
  for (unsigned round = 0; round < presented.rounds; ++round) {
    Tile tile = presented.tile(round);
    enqueue_tile(tile, to.queue, queued, to.one_atomic_a_vertex);
  }
}

inline __global__ void __launch_bounds__(1024, 2)
    enqueue_to_hierarchical(QueueUnderTest to, Presented presented, std::uint32_t* queued) {
  extern __shared__ std::uint32_t shared[];
  __shared__ std::uint32_t counts[HierarchicalQueue::kLower + 1];
  HierarchicalQueue lower{shared, counts, to.sub_queues.capacity / HierarchicalQueue::kLower};
  lower.clear();
  for (unsigned round = 0; round < presented.rounds; ++round) {
    Tile tile = presented.tile(round);
    lower.push_tile(tile, to.queue.entries, queued, to.overflow);
  }
  lower.flush(to.queue.entries, queued);
}

// The rounds of Presented as a scan.
struct PresentedScan {
  const Presented& presented;
  unsigned round = 0;

  __device__ bool next(Tile& tile) {
    if (round == presented.rounds) return false;
    tile = presented.tile(round++);
    return true;
  }
};

// A drain only forgets what the queue held.
inline __global__ void __launch_bounds__(1024, 2)
    enqueue_to_decentralized(QueueUnderTest to, Presented presented, Seen seen) {
  extern __shared__ std::uint32_t shared[];
  __shared__ SubQueueCounts counts;
  const SubQueuesView& queues = to.sub_queues;
  std::uint32_t* const entries = queues.entries == nullptr
                                     ? shared
                                     : queues.entries + std::size_t{blockIdx.x} * queues.capacity;
  PresentedScan scan{presented};
  SubQueue queue(entries, queues, &counts, to.one_atomic_a_vertex, scan);
  for (bool more = true; more;) {
    more = queue.fill();
    queue.settle();
    if (seen.bits != nullptr) {
      for (std::uint32_t i = threadIdx.x; i < queue.filled(); i += blockDim.x) {
        seen.entry(queue.entries()[i]);
      }
    }
    queue.clear();
  }
}

inline __global__ void __launch_bounds__(256)
    look_at_queue(const vertex_t* queue, const std::uint32_t* queued, Seen seen) {
  const std::uint32_t entries = min(*queued, seen.items);
  for (std::uint32_t i = thread_in_grid(); i < entries; i += threads_in_grid()) {
    seen.entry(queue[i]);
  }
  if (thread_in_grid() == 0 && *queued > seen.items) atomicAdd(&seen.count[1], 1ULL);
}

}  // namespace bfslab::cuda
