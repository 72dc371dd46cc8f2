// SPDX-License-Identifier: Apache-2.0
// Measures what DFQ, sections III.A and V.B are about, in isolation: how many entries per second
// threads enqueue, from one warp to all that the GPU runs at once, while they do nothing else.
//
//   enqueue_contention_benchmark --benchmark_out=results/MACHINE/dfq-contention/benchmark.json
//
// Names: enqueue/QUEUE/selectivity:S/capacity:C/threads:N, and what Google Benchmark adds
// (/min_time:0.020/repeats:3/manual_time).
//   QUEUE  central_thread        one queue, one atomic a vertex
//          central_warp          one queue, one atomic for the lanes of a warp together
//          hierarchical          eight lower queues a block in shared memory, one atomic a flush
//          decentralized_global  a queue a block in global memory: DFQ-G-2048
//          decentralized_shared  the same in shared memory
//   S      1: every thread enqueues; 0.125: one in eight
//   C      entries of a block's queue: 2048, and where every thread enqueues 512 to 8192 too; a
//          queue in one piece has none, and its name no C
//   N      32, 64, ... and all threads that run at once; blocks of 1,024, or one of all N
// Counters: enqueues_per_second; enqueues (of a launch), selectivity, capacity, gpu_threads. The
// context has experiment = dfq-contention, gpu, and the environment as environment.json has it.
//
// Time is that between two events around one kernel, whose launch is a few microseconds of it; each
// thread holds 64 items or more, so that it lasts for tens. Drains of decentralized queues only
// forget: it is enqueuing that is compared. What each queue holds is looked at once before.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>

#include "kernels/cuda/device/device.hpp"
#include "kernels/cuda/device/memory.hpp"
#include "kernels/cuda/device/stream.hpp"
#include "tests/benchmarks/enqueue_kernels.cuh"
#include "tests/benchmarks/gpu_benchmarks.hpp"

namespace bfslab::cuda {
namespace {

constexpr unsigned kMaxBlockThreads = 1024;
constexpr std::uint32_t kCapacity = 2048;
// In shared memory 2 KB to 32 KB, which every GPU has for a block.
constexpr std::uint32_t kCapacities[] = {512, 1024, kCapacity, 4096, 8192};

enum class Queue : std::uint8_t {
  central_thread,
  central_warp,
  hierarchical,
  decentralized_global,
  decentralized_shared
};

bool in_sub_queues(Queue queue) {
  return queue != Queue::central_thread && queue != Queue::central_warp;
}

unsigned all_threads() {
  return static_cast<unsigned>(device().multiprocessors * device().threads_per_multiprocessor);
}

class Enqueuing {
 public:
  Enqueuing(Queue queue, bool one_in_eight, std::uint32_t capacity, unsigned threads)
      : queue_(queue),
        capacity_(capacity),
        threads_of_block_(std::min(threads, kMaxBlockThreads)),
        blocks_(threads / threads_of_block_),
        presented_{std::clamp((1U << 20) / threads, 4U, 256U), one_in_eight},
        items_(presented_.rounds * blocks_ * threads_of_block_ * kItemsEach),
        counters_(2) {
    to_.one_atomic_a_vertex = queue == Queue::central_thread;
    to_.sub_queues.capacity = capacity;
    to_.overflow = counters_.data() + 1;
    if (!decentralized()) {
      entries_ = DeviceBuffer<vertex_t>(items_);
      to_.queue = {entries_.data(), {}};
    } else if (queue == Queue::decentralized_global) {
      entries_ = DeviceBuffer<vertex_t>(std::size_t{blocks_} * capacity);
      to_.sub_queues.entries = entries_.data();
    }
  }

  // Queues the kernel alone. `seen` is of no use to the materialised ones.
  void launch(const Seen& seen = {}) {
    const std::size_t shared =
        queue_ == Queue::hierarchical || queue_ == Queue::decentralized_shared
            ? capacity_ * sizeof(vertex_t)
            : 0;
    if (decentralized()) {
      enqueue_to_decentralized<<<blocks_, threads_of_block_, shared, stream.get()>>>(
          to_, presented_, seen);
    } else if (queue_ == Queue::hierarchical) {
      enqueue_to_hierarchical<<<blocks_, threads_of_block_, shared, stream.get()>>>(
          to_, presented_, counters_.data());
    } else {
      enqueue_to_central<<<blocks_, threads_of_block_, 0, stream.get()>>>(to_, presented_,
                                                                          counters_.data());
    }
    BFSLAB_CUDA_LAUNCHED("enqueue");
  }

  // Forgets what the last launch left.
  void reset() { counters_.fill_bytes(0, stream.get()); }

  // Launches, and looks whether what was enqueued is there, each entry once.
  bool is_right() {
    DeviceBuffer<std::uint32_t> bits((items_ + 31) / 32);
    DeviceBuffer<unsigned long long> count(2);
    bits.fill_bytes(0, stream.get());
    count.fill_bytes(0, stream.get());
    reset();
    const Seen seen{bits.data(), count.data(), items_, blocks_ * threads_of_block_, presented_};
    launch(seen);
    if (!decentralized()) {
      look_at_queue<<<(items_ + 255) / 256, 256, 0, stream.get()>>>(entries_.data(),
                                                                    counters_.data(), seen);
      BFSLAB_CUDA_LAUNCHED("look_at_queue");
    }
    unsigned long long counted[2] = {};
    BFSLAB_CUDA(cudaMemcpyAsync(counted, count.data(), sizeof counted, cudaMemcpyDeviceToHost,
                                stream.get()));
    stream.wait();
    return counted[0] == enqueues() && counted[1] == 0;
  }

  [[nodiscard]] std::uint32_t enqueues() const {
    return presented_.one_in_eight ? items_ / 8 : items_;
  }

  Stream stream;
  Event begin, end;

 private:
  [[nodiscard]] bool decentralized() const {
    return queue_ == Queue::decentralized_global || queue_ == Queue::decentralized_shared;
  }

  Queue queue_;
  std::uint32_t capacity_;
  unsigned threads_of_block_;
  unsigned blocks_;
  Presented presented_;
  std::uint32_t items_;
  DeviceBuffer<std::uint32_t> counters_;  // the queue's length, its overflow
  DeviceBuffer<vertex_t> entries_;
  QueueUnderTest to_;
};

void enqueue(benchmark::State& state, Queue queue, bool one_in_eight, std::uint32_t capacity,
             unsigned threads) {
  try {
    Enqueuing enqueuing(queue, one_in_eight, capacity, threads);
    if (!enqueuing.is_right()) {
      state.SkipWithError("the queue does not hold what was enqueued, each entry once");
      return;
    }
    for ([[maybe_unused]] auto iteration : state) {
      enqueuing.reset();
      enqueuing.begin.record(enqueuing.stream);
      enqueuing.launch();
      enqueuing.end.record(enqueuing.stream);
      enqueuing.stream.wait();
      state.SetIterationTime(ms_between(enqueuing.begin, enqueuing.end) / 1e3);
    }
    state.counters["enqueues_per_second"] =
        benchmark::Counter(enqueuing.enqueues(), benchmark::Counter::kIsIterationInvariantRate);
    state.counters["enqueues"] = enqueuing.enqueues();
    state.counters["selectivity"] = one_in_eight ? 0.125 : 1.0;
    if (in_sub_queues(queue)) state.counters["capacity"] = capacity;
    state.counters["gpu_threads"] = threads;
  } catch (const std::exception& error) {
    state.SkipWithError(error.what());
  }
}

void register_of(const char* name, Queue queue, bool one_in_eight, std::uint32_t capacity,
                 unsigned threads) {
  const std::string full = std::string("enqueue/") + name +
                           "/selectivity:" + (one_in_eight ? "0.125" : "1") +
                           (in_sub_queues(queue) ? "/capacity:" + std::to_string(capacity) : "") +
                           "/threads:" + std::to_string(threads);
  benchmark::RegisterBenchmark(
      full.c_str(),
      [=](benchmark::State& state) { enqueue(state, queue, one_in_eight, capacity, threads); })
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond)
      ->MinTime(0.02)
      ->Repetitions(3)
      ->ReportAggregatesOnly(false);
}

void register_all() {
  struct Named {
    const char* name;
    Queue queue;
  };
  for (const Named& named : {
           Named{"central_thread", Queue::central_thread},
           Named{"central_warp", Queue::central_warp},
           Named{"hierarchical", Queue::hierarchical},
           Named{"decentralized_global", Queue::decentralized_global},
           Named{"decentralized_shared", Queue::decentralized_shared},
       }) {
    for (const bool one_in_eight : {false, true}) {
      for (const std::uint32_t capacity : kCapacities) {
        const bool several = in_sub_queues(named.queue) && !one_in_eight;
        if (capacity != kCapacity && !several) continue;
        const unsigned all = all_threads();
        for (unsigned threads = 32; threads < all; threads *= 2) {
          register_of(named.name, named.queue, one_in_eight, capacity, threads);
        }
        // Whole blocks: GPUs of 1,536 threads a multiprocessor run one of 1,024 each.
        register_of(named.name, named.queue, one_in_eight, capacity,
                    all / kMaxBlockThreads * kMaxBlockThreads);
      }
    }
  }
}

}  // namespace
}  // namespace bfslab::cuda

int main(int argc, char** argv) {
  return bfslab::cuda::run_gpu_benchmarks(argc, argv, "dfq-contention",
                                          &bfslab::cuda::register_all);
}
