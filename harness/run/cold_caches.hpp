// SPDX-License-Identifier: Apache-2.0
// ColdCaches: overwrites the caches that a trial will use, just before it ("caches": "cold" in a
// spec). On a GPU, the L2 cache of each device of the configuration (gpu::overwrite_l2). On CPUs,
// all caches of all processors that the worker may use: a thread on each processor reads and writes
// memory of twice its share of the caches that it sees.
//
// Example: 4 processors with 1 MiB of L2 each and one L3 of 32 MiB: each reads and writes
// 2 * (1 + 32 / 4) = 18 MiB, and together they write 72 MiB.
#pragma once

#include <sched.h>

#include <cstdint>
#include <string>
#include <vector>

#include "harness/spec/spec.hpp"

namespace bfslab {

// The bytes that a processor reads and writes.
struct CacheShare {
  int processor = 0;
  std::uint64_t bytes = 0;
};

// Returns the share of each of these processors: twice the sum of its data caches, each divided by
// the number of these processors that share it. `folder` has cpuN/cache/indexK, as the kernel
// describes caches. Throws InputError if it names none for a processor.
std::vector<CacheShare> cache_shares(const cpu_set_t& processors,
                                     const std::string& folder = "/sys/devices/system/cpu");

class ColdCaches {
 public:
  // Overwrites the caches that a search of this configuration will use. Complete on return. The
  // memory for it is allocated by the first call and kept. Throws InputError if the sizes of the
  // caches are unknown, OutOfDeviceMemory or std::bad_alloc if there is no memory for it.
  void overwrite(const Configuration& configuration);

 private:
  void overwrite_processors();

  std::vector<CacheShare> shares_;
  std::vector<std::vector<std::uint64_t>> memory_;  // one for each share
};

// Reads and writes one word of each 64 bytes of each share's memory, all shares at once, each on
// its processor. Words that are written grow by one. Throws std::runtime_error if a thread cannot
// run there.
void overwrite_memory(const std::vector<CacheShare>& shares,
                      std::vector<std::vector<std::uint64_t>>& memory);

}  // namespace bfslab
