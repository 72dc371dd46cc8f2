// SPDX-License-Identifier: Apache-2.0
// The state that every level of every engine shares: the graph, the growing answer, the queues of
// even and odd levels, and the counters of levels. An engine's own struct extends it.
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
  CsrView incoming;  // for bottom-up; the graph itself if it is symmetric
  StatusView status;
  SlotRing slots;
  QueueView queue[2];  // no entries if the engine keeps no queue
  LevelLogView log;    // of the levels of one kernel, if a sink wants them

  [[nodiscard]] BFSLAB_HOST_DEVICE LevelSlot* slot(level_t level) const { return slots.at(level); }
  [[nodiscard]] BFSLAB_HOST_DEVICE const QueueView& queue_of(level_t level) const {
    return queue[level % 2];
  }
};

}  // namespace bfslab::cuda
