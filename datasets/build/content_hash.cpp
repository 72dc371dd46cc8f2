// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "datasets/build/build.hpp"
#include "datasets/build/tree_hash.hpp"

namespace bfslab {

std::string content_hash(const CsrGraph& graph, int threads) {
  const std::array<std::uint64_t, 3> facts = {graph.vertex_count(), graph.edge_count(),
                                              graph.symmetric() ? 1U : 0U};
  const std::array<std::span<const std::byte>, 2> arrays = {std::as_bytes(graph.row_offsets()),
                                                            std::as_bytes(graph.columns())};
  return tree_hash(std::as_bytes(std::span(facts)), arrays, threads).substr(0, 32);
}

}  // namespace bfslab
