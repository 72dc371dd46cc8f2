// SPDX-License-Identifier: Apache-2.0
// The levels of a member of `fused-gpus`, as rows of its log: those that the kernel has logged, and
// those that the host drives one by one.
#pragma once

#include <cstdint>
#include <functional>

#include "kernels/cuda/device/memory.hpp"
#include "kernels/cuda/fused/member.hpp"
#include "kernels/cuda/traversal/level_log.hpp"
#include "kernels/distributed/engines/distributed_engine.hpp"
#include "kernels/distributed/engines/fused/memory.hpp"

namespace bfslab::distributed::fused {

class MemberLevels {
 public:
  static constexpr level_t kLogged = 16'384;  // levels; later ones are not reported

  // `vertices`: this member's, and member 0's with those that have no edges. `member` and `stream`
  // outlive it.
  MemberLevels(const Member& member, std::uint64_t vertices, const cuda::Stream& stream)
      : member_(member), vertices_(vertices), stream_(stream) {}

  // Returns the counts of [kLogged] levels, from 0 on, in the order of the stream.
  cuda::FusedTraffic* count_traffic();
  // Returns the log of the next search.
  cuda::LevelLogView view();

  // Reports the levels of the last search's log. Collective.
  void report(MemberLog& log) const;
  // Searches, level by level, all vertices that have edges, and reports them. `launch` runs a
  // launch of the kernel. A source without edges has level 0 alone, which is member 0's.
  void drive(MemberLog& log, const cuda::FusedRules& rules, const OwnMemory& memory,
             const std::function<void(cuda::FusedStart, level_t max)>& launch) const;

  [[nodiscard]] std::uint64_t bytes() const { return traffic_.bytes(); }

 private:
  [[nodiscard]] MemberLevel row(level_t level, unsigned kind, std::uint64_t frontier,
                                std::uint64_t found, std::uint64_t visited) const;
  void add_traffic(MemberLog& log, MemberLevel& level) const;

  const Member& member_;
  std::uint64_t vertices_;
  const cuda::Stream& stream_;
  cuda::LevelLog log_;
  cuda::DeviceBuffer<cuda::FusedTraffic> traffic_;  // by level
};

}  // namespace bfslab::distributed::fused
