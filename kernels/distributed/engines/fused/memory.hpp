// SPDX-License-Identifier: Apache-2.0
// The memory of a member of `fused-gpus` beside its rows.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/cuda/device/upload.hpp"
#include "kernels/cuda/fused/member.hpp"
#include "kernels/distributed/communicator/device_team.hpp"
#include "kernels/distributed/engines/fused/rows.hpp"

namespace bfslab::distributed::fused {

// The memory of a member that the others read or write.
struct SharedMemory {
  // `packed`: levels in bytes, too, for others to copy.
  SharedMemory(DeviceTeam& team, const DealtRows& rows, std::uint64_t owned, bool parents,
               bool packed)
      : first(team.allocate<vertex_t>(rows.numbers)),
        visited(team.allocate<std::uint32_t>(rows.numbers / 32)),
        seen(team.allocate<std::uint32_t>(rows.ids() / 32)),
        front{team.allocate<std::uint32_t>(seen.size()), team.allocate<std::uint32_t>(seen.size())},
        levels(team.allocate<level_t>(rows.numbers)),
        parents(team.allocate<vertex_t>(parents ? rows.numbers : 0)),
        places(team.allocate<vertex_t>(owned)),
        packed(team.allocate<std::uint8_t>(packed ? rows.numbers : 0)),
        sums(team.allocate<cuda::FusedSums>(std::size_t{2} * rows.deal.members)) {}

  TeamBuffer<vertex_t> first;
  TeamBuffer<std::uint32_t> visited, seen, front[2];
  TeamBuffer<level_t> levels;
  TeamBuffer<vertex_t> parents, places;
  TeamBuffer<std::uint8_t> packed;
  TeamBuffer<cuda::FusedSums> sums;

  [[nodiscard]] std::uint64_t graph_bytes() const { return cuda::bytes_of(first, places); }
  [[nodiscard]] std::uint64_t status_bytes() const {
    return cuda::bytes_of(visited, seen, front[0], front[1], levels, parents, packed);
  }
};

// The memory that only this member uses.
struct OwnMemory {
  OwnMemory(const DealtRows& rows, std::uint64_t owned, bool parents, unsigned blocks,
            const cuda::Stream& stream)
      : sums(rows.numbers, blocks),
        claimed(cuda::kFusedClaims),
        blocks_arrived(cuda::zeroed<unsigned long long>(1, stream)),
        slots(cuda::kSlots),
        totals(cuda::kSlots),
        state(cuda::zeroed<cuda::FusedMemberCourse>(1, stream)),
        step(cuda::zeroed<cuda::FusedStep>(1, stream)),
        sum(1),
        levels(owned),
        parents(parents ? owned : 0) {
    const std::size_t queued = rows.numbers + rows.entries() / cuda::kFusedSegment + 1;
    for (cuda::DeviceBuffer<vertex_t>& each : queues) each = cuda::DeviceBuffer<vertex_t>(queued);
  }

  cuda::DeviceBuffer<vertex_t> queues[2];
  cuda::DegreeSums sums;
  cuda::DeviceBuffer<unsigned long long> claimed, blocks_arrived;
  cuda::DeviceBuffer<cuda::LevelSlot> slots, totals;
  cuda::DeviceBuffer<cuda::FusedMemberCourse> state;
  cuda::DeviceBuffer<cuda::FusedStep> step;
  cuda::DeviceBuffer<unsigned long long> sum;
  cuda::DeviceBuffer<level_t> levels;  // [owned] by the ids of the graph as given
  cuda::DeviceBuffer<vertex_t> parents;

  [[nodiscard]] std::uint64_t scratch_bytes() const {
    return cuda::bytes_of(sums, claimed, blocks_arrived, slots, totals, state, step, sum);
  }
};

}  // namespace bfslab::distributed::fused
