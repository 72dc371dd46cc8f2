// SPDX-License-Identifier: Apache-2.0
// Graphs that fit in the shared memory of a cluster of blocks, with all that a search needs: rows,
// levels, bits. A search reads the graph once, in order, and then waits for no other memory.
//
// Each block has its share of the vertices, with their rows, and one bit per vertex of the graph
// that is set if one of its own vertices has reached it. A level:
//
//   for every edge from the block's new vertices, the bit of its end is set, within the block
//   each block sends each other block the bits of that block's vertices, and waits until it has
//   received from all; own bits that are set in any, and were not visited, are the next level
//
// Blocks exchange nothing else and have no other barrier: stores of 16 bytes count themselves at a
// barrier in the receiving memory (st.async, of compute capability 9). All bits are sent each time,
// so that none has to be cleared. If parents are requested, the thread that first sets a vertex's
// bit in its block stores the edge's origin in device memory. The vertex's own block stores the
// block that first sent its bit. Together they give the parent at the end.
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

struct ResidentGraph {
  ResidentShape shape;
  std::uint32_t part_at[kResidentBlocks + 1] = {};  // where each block's part begins, in bytes
  DeviceBuffer<std::byte> parts;
  DeviceBuffer<vertex_t> candidates;  // ResidentSearches::candidates
};

// Returns nothing if the graph fits in no cluster of this device, or is searched faster elsewhere
// (first_resident_shape()). `on_device` is `graph` there; `parents`: whether they are requested.
// Made on the device, as set-up; throws OutOfDeviceMemory.
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
  vertex_t* candidates = nullptr;  // [blocks][places] parents by each block; null: not requested
  unsigned long long* times_ns = nullptr;  // [count][2] begin and end of each; null: not requested
  LevelLogView log;                        // of one search
};

// Returns the arguments for a launch over `graph`, without sources and answers.
ResidentSearches searches_of(const ResidentGraph& graph);

// `log_kind`: the kind of these levels in the log.
void launch_resident(const ResidentSearches& searches, unsigned log_kind, cudaStream_t stream);

}  // namespace bfslab::cuda
