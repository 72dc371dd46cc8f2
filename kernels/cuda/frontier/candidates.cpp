// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/frontier/candidates.hpp"

#include <limits>
#include <string>

#include "kernels/unsupported.hpp"

namespace bfslab::cuda {

Candidates::Candidates(const char* setting, std::size_t vertices, edge_t edges) {
  if (edges >= std::numeric_limits<std::uint32_t>::max()) {
    throw Unsupported(std::string(setting) +
                      ": its list of candidates is counted by 32 bits, and the graph has " +
                      std::to_string(edges) + " adjacency entries");
  }
  entries_ = DeviceBuffer<vertex_t>(edges + 1);
  queued_ = DeviceBuffer<std::uint32_t>((vertices + 31) / 32);
}

}  // namespace bfslab::cuda
