// SPDX-License-Identifier: Apache-2.0
// The graph and the answer that the device's check judges, in device memory, and its report: how
// kernels write it, and read what others write.
#pragma once

#include <cstdint>
#ifdef __CUDACC__
#include <cuda/atomic>
#endif

#include "datasets/graph/types.hpp"
#include "kernels/answer_rules.hpp"
#include "kernels/cuda/device/device_graph.hpp"
#include "kernels/cuda/device/threads.cuh"

namespace bfslab::cuda {

inline constexpr unsigned long long kNothingBroken = ~0ULL;

// The report to the host: five words of 64 bits, as atomics take them.
struct CheckReport {
  unsigned long long first_broken;  // rule << 32 | vertex; kNothingBroken if valid
  unsigned long long deepest;       // level
  unsigned long long reached;       // vertices
  unsigned long long level_sum;     // of reached vertices
  unsigned long long edges;         // out-entries of reached vertices
  unsigned long long input_edges;   // input tuples of reached vertices
};

struct JudgedGraph {
  CsrView out;
  CsrView in;                                  // without offsets if there is no transpose
  const std::uint32_t* input_edges = nullptr;  // [n] or null
};

struct JudgedVectors {
  vertex_t source = 0;
  const level_t* levels = nullptr;    // [n], derived if only parents were given
  const vertex_t* parents = nullptr;  // [n] or null
  bool levels_given = true;
};

// Rows longer than this are cut into pieces of this many entries.
inline constexpr unsigned kPieceEntries = 1024;
struct RowPiece {
  vertex_t row;
  std::uint32_t number;  // within the row
};

enum class Support {
  unasked,
  by_row,     // the rows are in-neighbours: sets the row's bit
  by_column,  // the rows are out-neighbours: sets the columns' bits
};

#ifdef __CUDACC__

// A smaller key is an earlier rule or, for the same rule, a smaller vertex. The smallest key is the
// violation that the host's check finds first.
__device__ inline std::uint64_t broken_key(Rule rule, vertex_t v) {
  return std::uint64_t{static_cast<std::uint32_t>(rule)} << 32 | v;
}

__device__ inline void report_broken(CheckReport* report, std::uint64_t key) {
  static_assert(sizeof(unsigned long long) == sizeof(std::uint64_t));
  atomicMin(&report->first_broken, static_cast<unsigned long long>(key));
}

// Reads values that other threads of the running kernel write: whole, and never through L1.
template <typename T>
__device__ inline T load_fresh(T& place) {
  return ::cuda::atomic_ref<T, ::cuda::thread_scope_device>(place).load(
      ::cuda::memory_order_relaxed);
}
template <typename T>
__device__ inline void store_fresh(T& place, T value) {
  ::cuda::atomic_ref<T, ::cuda::thread_scope_device>(place).store(value,
                                                                  ::cuda::memory_order_relaxed);
}

#endif

}  // namespace bfslab::cuda
