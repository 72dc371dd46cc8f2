// The four subgraphs of a member (subgraphs.hpp) in the memory of its GPU: the same rows, columns
// and widths.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/cuda/device/memory.hpp"
#include "kernels/cuda/device/stream.hpp"
#include "kernels/distributed/communicator/communicator.hpp"
#include "kernels/distributed/communicator/team.hpp"
#include "kernels/distributed/edges/edge_share.hpp"
#include "kernels/distributed/subgraphs/subgraphs.hpp"

namespace bfslab::distributed {

// Offsets are in one of the two buffers, as Offsets has them.
template <typename Column>
struct DeviceSubgraph {
  cuda::DeviceBuffer<std::uint32_t> narrow;  // [rows + 1], or empty
  cuda::DeviceBuffer<std::uint64_t> wide;    // likewise
  cuda::DeviceBuffer<Column> columns;

  [[nodiscard]] std::uint64_t bytes() const {
    return narrow.bytes() + wide.bytes() + columns.bytes();
  }
};

struct DeviceSubgraphs : Separation {
  DeviceSubgraph<global_vertex_t> nn;
  DeviceSubgraph<local_vertex_t> nd, dn, dd;

  [[nodiscard]] std::uint64_t bytes() const {
    return nn.bytes() + nd.bytes() + dn.bytes() + dd.bytes();
  }
};

// Copies what make_subgraphs() has made. Returns when all is there.
DeviceSubgraphs upload(const Subgraphs& graph, const cuda::Stream& stream);

}  // namespace bfslab::distributed
