// SPDX-License-Identifier: Apache-2.0
// Graphs so small that the shared memory of one block, or of a cluster of blocks, holds them along
// with all that a search needs: rows, levels or parents, the frontier. A search then reads the
// graph once, in order, and waits for no other memory until it writes its answer.
//
// Vertex v is block v % blocks's, as its row v / blocks. A level is one meeting of the blocks:
//
//   each block looks which of its vertices were marked, and queues those that are new
//   for every edge from them, the bit of its end is set in the block that has it, unless this block
//   has sent it there before; for parents, with the level and the vertex that it was found from
//
// Nobody waits for what these writes return. Each block sends a vertex once or a few times in a
// search, so that few edges of graphs with many leave a block, whatever their direction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "datasets/graph/csr_graph.hpp"
#include "kernels/cuda/device/device_graph.hpp"
#include "kernels/cuda/device/memory.hpp"
#include "kernels/cuda/device/stream.hpp"
#include "kernels/cuda/engines/fused/resident_shape.hpp"
#include "kernels/cuda/traversal/level_log.hpp"
#include "kernels/cuda/traversal/status.hpp"

namespace bfslab::cuda {

// A graph in its parts, in the device's memory.
struct ResidentGraph {
  ResidentShape shape;
  std::uint32_t part_at[kResidentBlocks + 1] = {};  // where each block's begins, in bytes
  DeviceBuffer<std::byte> parts;
};

// Nothing where it fits into no block or cluster of this device. `on_device` is `graph` there. Made
// on the device, as set-up; throws OutOfDeviceMemory.
std::optional<ResidentGraph> make_resident_graph(const CsrGraph& graph, const CsrView& on_device,
                                                 bool parents, unsigned only, const Stream& stream);

// What the searches of one launch are given.
struct ResidentSearches {
  ResidentShape shape;
  std::uint32_t part_at[kResidentBlocks + 1] = {};
  const std::byte* parts = nullptr;
  const vertex_t* sources = nullptr;  // [count]; null: `source` alone
  std::uint32_t count = 1;
  vertex_t source = 0;
  StatusView answers;                      // [count][vertices]
  unsigned long long* times_ns = nullptr;  // [count][2] when each began and ended; null: not asked
  LevelLogView log;                        // of one search
};

// What the device has of `graph`, for a launch.
ResidentSearches searches_of(const ResidentGraph& graph);

// `log_kind`: what the log calls these levels.
void launch_resident(const ResidentSearches& searches, unsigned log_kind, cudaStream_t stream);

}  // namespace bfslab::cuda
