// SPDX-License-Identifier: Apache-2.0
// Graphs so small that the shared memory of a cluster of blocks holds them along with all that a
// search needs: rows, levels, bits. A search then reads the graph once, in order, and waits for no
// other memory until it writes its answer.
//
// Each block has its share of the vertices, with their rows, and a bit of every vertex of the graph
// for whether it has reached it from one of its own. A level:
//
//   for every edge from the block's new vertices, the bit of its end is set, within the block
//   each block sends each other one the bits of that one's vertices, and waits until it has
//   received from all; its own bits that are set in any, and were not visited, are the next level
//
// Nothing else goes between blocks, and they do not meet otherwise: stores of 16 bytes count
// themselves at a barrier in the memory that they are for (st.async, of compute capability 9). All
// bits are sent each time, so that none has to be cleared. Where parents are asked for, the thread
// that sets a vertex's bit first in its block notes whose edge led there, in the device's memory,
// and the vertex's own block notes which block sent its bit first: together they name the parent at
// the end.
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
  DeviceBuffer<vertex_t> candidates;  // ResidentSearches::candidates
};

// Returns nothing where the graph fits into no cluster of this device, or is searched faster
// elsewhere (first_resident_shape()). `on_device` is `graph` there; `parents`: whether they are
// asked for. Made on the device, as set-up; throws OutOfDeviceMemory.
std::optional<ResidentGraph> make_resident_graph(const CsrGraph& graph, const CsrView& on_device,
                                                 unsigned only, bool parents, const Stream& stream);

// The arguments of the searches of one launch.
struct ResidentSearches {
  ResidentShape shape;
  std::uint32_t part_at[kResidentBlocks + 1] = {};
  const std::byte* parts = nullptr;
  const vertex_t* sources = nullptr;  // [count]; null: `source` alone
  std::uint32_t count = 1;
  vertex_t source = 0;
  StatusView answers;              // [count][vertices]
  vertex_t* candidates = nullptr;  // [blocks][places] parents by each block; null: not asked
  unsigned long long* times_ns = nullptr;  // [count][2] when each began and ended; null: not asked
  LevelLogView log;                        // of one search
};

// Returns the arguments for a launch over `graph`, without sources and answers.
ResidentSearches searches_of(const ResidentGraph& graph);

// `log_kind`: what the log calls these levels.
void launch_resident(const ResidentSearches& searches, unsigned log_kind, cudaStream_t stream);

}  // namespace bfslab::cuda
