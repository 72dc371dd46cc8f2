// SPDX-License-Identifier: Apache-2.0
// What every level of every engine is given: the graph, the answer as it grows, the queues of even
// and of odd levels, and what levels tell each other. An engine's own struct extends it.
#pragma once

#include "datasets/graph/host_device.hpp"
#include "kernels/cuda/device/device_graph.hpp"
#include "kernels/cuda/traversal/level_log.hpp"
#include "kernels/cuda/traversal/level_slots.hpp"
#include "kernels/cuda/traversal/queues.hpp"
#include "kernels/cuda/traversal/status.hpp"

namespace bfslab::cuda {

struct Traversal {
  CsrView outgoing;
  CsrView incoming;  // bottom-up; the graph itself where it is symmetric
  StatusView status;
  SlotRing slots;
  QueueView queue[2];  // no entries where the engine keeps no queue
  LevelLogView log;    // of one kernel's levels, where a sink asks for them

  [[nodiscard]] BFSLAB_HOST_DEVICE LevelSlot* slot(level_t level) const { return slots.at(level); }
  [[nodiscard]] BFSLAB_HOST_DEVICE const QueueView& queue_of(level_t level) const {
    return queue[level % 2];
  }
};

}  // namespace bfslab::cuda
