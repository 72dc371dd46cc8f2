// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/engines/xbfs/class_steps.hpp"

#include <cub/device/device_scan.cuh>
#include <utility>

#include "kernels/cuda/bottom_up/degree_classes.cuh"
#include "kernels/cuda/engines/xbfs/steps.cuh"
#include "kernels/cuda/frontier/bins.cuh"

namespace bfslab::cuda {
namespace {

constexpr unsigned kKernelsOfSum = 2;

using LevelKernel = void (*)(XbfsWork, LevelNumber);

__global__ void __launch_bounds__(kBinBlockThreads)
    sort_frontier(const __grid_constant__ XbfsWork work, BinsView bins, level_t level, bool sized) {
  std::uint32_t own[kDegreeClasses] = {};
  fill_bins<kDegreeClasses>(vertices_at(work, level), bins, own,
                            sized ? nullptr : work.slot(level));
  keep_counts<kDegreeClasses>(own, work.counts);
}

template <int kClasses>
__global__ void __launch_bounds__(kBinBlockThreads)
    sort_unvisited(const __grid_constant__ XbfsWork work, BinsView bins, bool in_runs) {
  std::uint32_t own[kClasses] = {};
  fill_bins<kClasses>(unvisited(work, in_runs), bins, own, nullptr);
  keep_counts<kClasses>(own, work.counts);
}

// `counts` and `offsets` of the class alone.
__global__ void __launch_bounds__(kBinBlockThreads)
    empty_bins(BinsView bins, int of_class, const std::uint32_t* counts,
               const std::uint32_t* offsets, const __grid_constant__ QueueView queue,
               std::uint32_t* queued) {
  empty_bin(bins, of_class, counts, offsets, queue, queued);
}

template <int kClass, typename Action>
__global__ void __launch_bounds__(kBinBlockThreads)
    expand_class(const __grid_constant__ XbfsWork work, LevelNumber level) {
  expand_class_of_queue<Action>(work, level.get(), kClass);
  if constexpr (kClass == 0) clear_ahead(work, level.get());
}

template <int kClass, bool kAsync, bool kCount>
__global__ void __launch_bounds__(kBinBlockThreads)
    look_at_class(const __grid_constant__ XbfsWork work, LevelNumber level) {
  extern __shared__ vertex_t hub_slots[];
  look_up_by<kAsync, kCount>(work, level.get(), hub_slots, [](const BottomUp& look, auto& looker) {
    BalanceByDegree::run_class<kClass>(look, looker);
  });
  if constexpr (kClass == 0) clear_ahead(work, level.get());
}

// Calls launch(kernel, class) for each class; its kernel is kernel_of.template operator()<class>().
template <typename KernelOf, typename Launch>
void for_each_class(const KernelOf& kernel_of, const Launch& launch) {
  [&]<int... kClass>(std::integer_sequence<int, kClass...>) {
    (launch(kernel_of.template operator()<kClass>(), kClass), ...);
  }
  (std::make_integer_sequence<int, kDegreeClasses>());
}

void wait_for(cudaStream_t stream) { BFSLAB_CUDA(cudaStreamSynchronize(stream)); }

}  // namespace

void ClassSteps::allocate(std::size_t vertices) {
  if (vertices == 0) return;
  room_ = ScanLayout::room_of_bin(vertices);
  bins_ = DeviceBuffer<vertex_t>(std::size_t{kDegreeClasses} * kBinThreads * room_);
  std::size_t bytes = 0;
  std::uint32_t* const none = nullptr;
  BFSLAB_CUDA(cub::DeviceScan::ExclusiveSum(nullptr, bytes, none, none, int{kBinThreads}));
  scratch_ = DeviceBuffer<char>(bytes);
}

void ClassSteps::add_memory(MemoryUse& use) const {
  use.queues += bins_.bytes();
  use.scratch += scratch_.bytes();
}

unsigned ClassSteps::queue_frontier(const XbfsWork& work, level_t level, unsigned later,
                                    cudaStream_t stream) const {
  const level_t target_level = level + later;
  const BinsView bins{bins_.data(), room_};
  sort_frontier<<<kBinBlocks, kBinBlockThreads, 0, stream>>>(work, bins, target_level, later == 0);
  BFSLAB_CUDA_LAUNCHED("sort_frontier");
  wait_for(stream);
  return 1 + empty_all_bins(work, kDegreeClasses, work.queue_of(target_level),
                            work.slot(target_level)->queued);
}

unsigned ClassSteps::queue_unvisited(const XbfsWork& work, bool in_runs,
                                     cudaStream_t stream) const {
  const BinsView bins{bins_.data(), room_};
  const auto sort =
      work.bottom_up_classes > 1 ? &sort_unvisited<kDegreeClasses> : &sort_unvisited<1>;
  sort<<<kBinBlocks, kBinBlockThreads, 0, stream>>>(work, bins, in_runs);
  BFSLAB_CUDA_LAUNCHED("sort_unvisited");
  wait_for(stream);
  return 1 + empty_all_bins(work, work.bottom_up_classes, work.bottom_up, work.bottom_up_queued);
}

// The scratch of a prefix sum is free again when its stream has been waited for.
unsigned ClassSteps::empty_all_bins(const XbfsWork& work, int classes, const QueueView& queue,
                                    std::uint32_t* queued) const {
  const BinsView bins{bins_.data(), room_};
  for (int c = 0; c < classes; ++c) {
    const cudaStream_t stream = streams_[c].get();
    const std::uint32_t* const counts = work.counts + std::size_t{kBinThreads} * c;
    std::uint32_t* const offsets = work.offsets + std::size_t{kBinThreads} * c;
    std::size_t bytes = scratch_.bytes();
    BFSLAB_CUDA(cub::DeviceScan::ExclusiveSum(scratch_.data(), bytes, counts, offsets,
                                              int{kBinThreads}, stream));
    wait_for(stream);
    empty_bins<<<kBinBlocks, kBinBlockThreads, 0, stream>>>(bins, c, counts, offsets, queue,
                                                            queued);
    BFSLAB_CUDA_LAUNCHED("empty_bins");
  }
  wait_for_all();
  return static_cast<unsigned>(classes) * (kKernelsOfSum + 1);
}

unsigned ClassSteps::expand(const XbfsWork& work, LevelNumber level, bool queues,
                            cudaStream_t stream) const {
  wait_for(stream);
  const auto kernel_of = [&]<int kClass>() -> LevelKernel {
    return queues ? &expand_class<kClass, QueueByClass> : &expand_class<kClass, Mark>;
  };
  for_each_class(kernel_of, [&](LevelKernel kernel, int of_class) {
    kernel<<<kBinBlocks, kBinBlockThreads, 0, streams_[of_class].get()>>>(work, level);
    BFSLAB_CUDA_LAUNCHED("expand_class");
  });
  wait_for_all();
  return kDegreeClasses;
}

unsigned ClassSteps::look(const XbfsWork& work, LevelNumber level, bool counts,
                          cudaStream_t stream) const {
  wait_for(stream);
  const auto kernel_of = [&]<int kClass>() -> LevelKernel {
    if (work.rules.async) {
      return counts ? &look_at_class<kClass, true, true> : &look_at_class<kClass, true, false>;
    }
    return counts ? &look_at_class<kClass, false, true> : &look_at_class<kClass, false, false>;
  };
  const std::size_t hub_bytes = work.hubs != nullptr ? kHubSlots * sizeof(vertex_t) : 0;
  for_each_class(kernel_of, [&](LevelKernel kernel, int of_class) {
    kernel<<<kBinBlocks, kBinBlockThreads, hub_bytes, streams_[of_class].get()>>>(work, level);
    BFSLAB_CUDA_LAUNCHED("look_at_class");
  });
  wait_for_all();
  return kDegreeClasses;
}

void ClassSteps::wait_for_all() const {
  for (const Stream& stream : streams_) stream.wait();
}

}  // namespace bfslab::cuda
