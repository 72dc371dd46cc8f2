// SPDX-License-Identifier: Apache-2.0
// Kronecker and R-MAT graphs made in GPU memory from their parameters, bit for bit the graphs that
// datasets/build makes on the host (same arithmetic, same rules, same ties).
//
// Every input tuple becomes its entries (one 64-bit key each: row above column). Keys are sorted by
// the bits that ids have, equal neighbours are dropped, and rows find their offsets by binary
// search. New ids are applied to the tuples before all that: the shuffle is known beforehand, and
// degree order takes one more pass, whose offsets are the degrees.
//
// Cost per entry: 8 bytes written, 16 bytes read and written by each of ceil(2 * id bits / 8)
// digits of the sort, 28 to drop duplicates and columns. Peak memory: 16 bytes per entry of a
// round, 4 per entry of the graph, 16 per vertex: 22 GB at scale 25 with 16 edges per vertex. A
// round has at most 2^31 entries, and no more than fit into the free memory. Larger graphs (scale
// 26 and up) take several rounds, one per range of rows, and briefly twice the columns.
#pragma once

#include <cstdint>

#include "datasets/build/build.hpp"
#include "datasets/build/edge_source.hpp"
#include "kernels/cuda/device/device_graph.hpp"
#include "kernels/cuda/device/memory.hpp"
#include "kernels/cuda/device/stream.hpp"

namespace bfslab::cuda {

struct BuiltGraph {
  DeviceGraph::Arrays csr;
  DeviceBuffer<std::uint32_t> input_edges;  // [n] as CsrArrays has it
  DeviceBuffer<vertex_t> new_of_old;        // [n], empty if nothing was relabelled
  edge_t self_loops = 0;                    // counted among the input tuples
  edge_t duplicates = 0;                    // repeated directed entries
};

// Returns whether build_on_device can make this generator's tuples.
bool builds_on_device(const EdgeSource& source);

// `max_entries` limits a round further than the memory does (0: no further limit). Returns when the
// graph is complete. Throws OutOfDeviceMemory, and std::invalid_argument for a source that
// builds_on_device refuses.
BuiltGraph build_on_device(const EdgeSource& source, const BuildOptions& options,
                           const Stream& stream, edge_t max_entries = 0);

// Returns the outgoing arrays, input edges and labels in host memory, as build_csr does.
CsrArrays copy_to_host(const BuiltGraph& built, const Stream& stream);

}  // namespace bfslab::cuda
