// SPDX-License-Identifier: Apache-2.0
// Figure 5 of XBFS: gathering frontiers by atomic operations against gathering them by
// prefix sum, on random status arrays of 1 to 512 million elements.
//
//   frontier_generation_benchmark --benchmark_out=results/MACHINE/xbfs-fig5/benchmark.json
//   python -m plots results/MACHINE --only frontier_generation
//
// Time is that between two events around all that a method does, its counter's reset included.
// Arrays that fit into the L2 cache stay there from one iteration to the next, as a status array
// does between levels. The paper does not say what share of the elements are frontiers
// (docs/errata.md#xbfs-figure-5): 10 % here, and 0.1, 1 and 50 % at the largest size.
#include <benchmark/benchmark.h>
#include <thrust/iterator/counting_iterator.h>

#include <algorithm>
#include <cstdio>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <exception>

#include "kernels/cuda/device/launch.hpp"
#include "kernels/cuda/device/memory.hpp"
#include "kernels/cuda/device/stream.hpp"
#include "kernels/cuda/traversal/scan_layout.hpp"
#include "tests/benchmarks/gather_kernels.cuh"
#include "tests/benchmarks/gpu_benchmarks.hpp"

namespace bfslab::cuda {
namespace {

constexpr level_t kWanted = 7;

// The elements that a method looks for, and its other input.
struct Setting {
  level_t wanted = kWanted;  // among unreached ones; kUnreached is among kWanted
  bool with_offsets = false;
  bool with_enterable = false;
};

// One array, one queue, and what the methods need besides.
class Gathering {
 public:
  Gathering(std::size_t size, double selectivity, const Setting& setting)
      : levels_(size), queue_(size), slot_(1), checksums_(2) {
    parts_ = ScanLayout::of_threads(size).parts;
    const std::size_t counts = std::size_t{kDegreeClasses} * parts_;
    counts_ = DeviceBuffer<std::uint32_t>(counts);
    offsets_ = DeviceBuffer<std::uint32_t>(counts);
    array_ = {levels_.data(), size, setting.wanted};
    std::size_t scan = 0;
    std::size_t select = 0;
    BFSLAB_CUDA(cub::DeviceScan::ExclusiveSum(nullptr, scan, counts_.data(), offsets_.data(),
                                              static_cast<int>(counts), stream.get()));
    BFSLAB_CUDA(cub::DeviceSelect::If(nullptr, select, thrust::counting_iterator<vertex_t>(0),
                                      queue_.data(), queued(), static_cast<std::int64_t>(size),
                                      IsSet{array_}, stream.get()));
    scratch_ = DeviceBuffer<char>(std::max(scan, select));
    checksums_.fill_bytes(0, stream.get());
    // 2^64 times the selectivity, which is below 1.
    const auto threshold = static_cast<unsigned long long>(selectivity * 18446744073709551616.0);
    const level_t other = setting.wanted == kUnreached ? kWanted : kUnreached;
    fill_statuses<<<full_grid(), kBlockThreads, 0, stream.get()>>>(
        levels_.data(), size, setting.wanted, other, threshold, checksums_.data());
    BFSLAB_CUDA_LAUNCHED("fill_statuses");
    if (setting.with_enterable) {  // every vertex is
      enterable_ = DeviceBuffer<std::uint32_t>((size + 31) / 32);
      enterable_.fill_bytes(0xff, stream.get());
    }
    if (setting.with_offsets) {
      row_offsets_ = DeviceBuffer<edge_t>(size + 1);
      fill_offsets<<<full_grid(), kBlockThreads, 0, stream.get()>>>(row_offsets_.data(), size + 1);
      BFSLAB_CUDA_LAUNCHED("fill_offsets");
    }
    stream.wait();
  }

  void atomic_vertex() {
    reset();
    gather_by_vertex<<<blocks_for(array_.size), kBlockThreads, 0, stream.get()>>>(
        array_, queue_.data(), queued());
    BFSLAB_CUDA_LAUNCHED("gather_by_vertex");
  }

  void atomic_warp() {
    reset();
    gather_by_warp<<<blocks_for(array_.size), kBlockThreads, 0, stream.get()>>>(
        array_, queue_.data(), queued());
    BFSLAB_CUDA_LAUNCHED("gather_by_warp");
  }

  void atomic_block() {
    reset();
    gather_by_block<<<blocks_for(array_.size / 4), kBlockThreads, 0, stream.get()>>>(
        array_, queue_.data(), queued());
    BFSLAB_CUDA_LAUNCHED("gather_by_block");
  }

  void prefix_sum() {
    const unsigned blocks = parts_ / kBlockThreads;
    count_by_thread<<<blocks, kBlockThreads, 0, stream.get()>>>(array_, counts_.data());
    BFSLAB_CUDA_LAUNCHED("count_by_thread");
    scan_exclusive(parts_);
    scatter_by_thread<<<blocks, kBlockThreads, 0, stream.get()>>>(
        array_, counts_.data(), offsets_.data(), queue_.data(), queued());
    BFSLAB_CUDA_LAUNCHED("scatter_by_thread");
  }

  void cub_select() {
    std::size_t bytes = scratch_.bytes();
    BFSLAB_CUDA(cub::DeviceSelect::If(
        scratch_.data(), bytes, thrust::counting_iterator<vertex_t>(0), queue_.data(), queued(),
        static_cast<std::int64_t>(array_.size), IsSet{array_}, stream.get()));
  }

  // As the engine calls its own, with the level's vertices and edges tallied in both.
  void engine_single_scan() {
    reset();
    engine_scan<<<blocks_for((array_.size + 3) / 4), kBlockThreads, 0, stream.get()>>>(
        graph(), {.count = static_cast<std::uint32_t>(array_.size)}, levels_.data(), kWanted,
        regions(), slot_.data());
    BFSLAB_CUDA_LAUNCHED("engine_scan");
  }

  void engine_prefix_sum() {
    reset();
    const PrefixScan scan{.levels = levels_.data(), .wanted = kWanted, .graph = graph()};
    const unsigned blocks = parts_ / kBlockThreads;
    engine_count<<<blocks, kBlockThreads, 0, stream.get()>>>(scan, counts_.data(), slot_.data());
    BFSLAB_CUDA_LAUNCHED("engine_count");
    scan_exclusive(std::size_t{kDegreeClasses} * parts_);
    engine_place<<<blocks, kBlockThreads, 0, stream.get()>>>(scan, counts_.data(), offsets_.data(),
                                                             regions(), slot_.data());
    BFSLAB_CUDA_LAUNCHED("engine_place");
  }

  void engine_double_scan() {
    const ScanLayout layout = ScanLayout::of_segments(array_.size);
    const DoubleScan scan{levels_.data(), enterable_.data(), graph(), layout.statuses};
    const unsigned blocks = layout.parts / kBlockThreads;
    engine_double_count<<<blocks, kBlockThreads, 0, stream.get()>>>(scan, counts_.data());
    BFSLAB_CUDA_LAUNCHED("engine_double_count");
    scan_exclusive(layout.parts);
    engine_double_place<<<blocks, kBlockThreads, 0, stream.get()>>>(
        scan, counts_.data(), offsets_.data(), regions(), queued());
    BFSLAB_CUDA_LAUNCHED("engine_double_place");
  }

  // Returns whether the queue holds each set element once. Returns the number of set elements in
  // `found`.
  bool is_right(std::uint64_t& found) {
    sum_queue<<<full_grid(), kBlockThreads, 0, stream.get()>>>(array_, queue_.data(), queued(),
                                                               checksums_.data() + 1);
    BFSLAB_CUDA_LAUNCHED("sum_queue");
    Checksum sums[2];
    std::uint32_t entries = 0;
    BFSLAB_CUDA(cudaMemcpyAsync(sums, checksums_.data(), sizeof sums, cudaMemcpyDeviceToHost,
                                stream.get()));
    BFSLAB_CUDA(
        cudaMemcpyAsync(&entries, queued(), sizeof entries, cudaMemcpyDeviceToHost, stream.get()));
    stream.wait();
    found = sums[0].count;
    return entries == sums[0].count && sums[1].count == sums[0].count && sums[1].sum == sums[0].sum;
  }

  Stream stream;
  Event begin, end;

 private:
  // The queue's end: the first class's count, which comes first in the slot.
  [[nodiscard]] std::uint32_t* queued() const { return slot_.data()->queued; }
  void reset() { slot_.fill_bytes(0, stream.get()); }
  [[nodiscard]] CsrView graph() const {
    return {row_offsets_.data(), nullptr, static_cast<vertex_t>(array_.size), array_.size};
  }
  [[nodiscard]] QueueView regions() const { return {queue_.data(), {}}; }  // all are of class 0
  void scan_exclusive(std::size_t count) {
    std::size_t bytes = scratch_.bytes();
    BFSLAB_CUDA(cub::DeviceScan::ExclusiveSum(scratch_.data(), bytes, counts_.data(),
                                              offsets_.data(), static_cast<int>(count),
                                              stream.get()));
  }

  DeviceBuffer<level_t> levels_;
  DeviceBuffer<vertex_t> queue_;
  DeviceBuffer<LevelSlot> slot_;
  DeviceBuffer<Checksum> checksums_;  // of the array, of the queue
  DeviceBuffer<edge_t> row_offsets_;
  DeviceBuffer<std::uint32_t> enterable_;
  DeviceBuffer<std::uint32_t> counts_, offsets_;
  DeviceBuffer<char> scratch_;
  StatusArray array_;
  std::uint32_t parts_ = 0;
};

// Arguments: millions of elements, and how many of 1,000 are set.
void gather(benchmark::State& state, void (Gathering::*method)(), const Setting& setting) {
  const std::size_t size = static_cast<std::size_t>(state.range(0)) * 1'000'000;
  const double selectivity = static_cast<double>(state.range(1)) / 1000;
  try {
    Gathering gathering(size, selectivity, setting);
    (gathering.*method)();  // what is loaded lazily is loaded now
    gathering.stream.wait();
    for ([[maybe_unused]] auto iteration : state) {
      gathering.begin.record(gathering.stream);
      (gathering.*method)();
      gathering.end.record(gathering.stream);
      gathering.stream.wait();
      state.SetIterationTime(ms_between(gathering.begin, gathering.end) / 1e3);
    }
    std::uint64_t found = 0;
    if (!gathering.is_right(found)) state.SkipWithError("the queue is not the set elements");
    state.counters["elements"] = static_cast<double>(size);
    state.counters["selectivity"] = selectivity;
    state.counters["found"] = static_cast<double>(found);
  } catch (const std::exception& error) {
    state.SkipWithError(error.what());
  }
}

void sizes_and_selectivities(benchmark::internal::Benchmark* benchmark) {
  constexpr std::int64_t kLargest = 512;
  for (std::int64_t millions = 1; millions <= kLargest; millions *= 2) {
    benchmark->Args({millions, 100});
  }
  for (const std::int64_t per_mille : {1, 10, 500}) benchmark->Args({kLargest, per_mille});
  benchmark->ArgNames({"millions", "per_mille"})
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond)
      ->MinTime(0.02)
      ->Repetitions(3)
      ->ReportAggregatesOnly(false);
}

void register_all() {
  struct Method {
    const char* name;
    void (Gathering::*run)();
    Setting setting;
  };
  for (const Method& method : {
           Method{"atomic_vertex", &Gathering::atomic_vertex, {}},
           Method{"atomic_warp", &Gathering::atomic_warp, {}},
           Method{"atomic_block", &Gathering::atomic_block, {}},
           Method{"prefix_sum", &Gathering::prefix_sum, {}},
           Method{"cub_select", &Gathering::cub_select, {}},
           Method{"engine_single_scan", &Gathering::engine_single_scan, {.with_offsets = true}},
           Method{"engine_prefix_sum", &Gathering::engine_prefix_sum, {.with_offsets = true}},
           Method{"engine_double_scan",
                  &Gathering::engine_double_scan,
                  {.wanted = kUnreached, .with_enterable = true}},
       }) {
    sizes_and_selectivities(benchmark::RegisterBenchmark(
        method.name,
        [method](benchmark::State& state) { gather(state, method.run, method.setting); }));
  }
}

}  // namespace
}  // namespace bfslab::cuda

int main(int argc, char** argv) {
  return bfslab::cuda::run_gpu_benchmarks(argc, argv, "xbfs-fig5", &bfslab::cuda::register_all);
}
