// SPDX-License-Identifier: Apache-2.0
// Subgraphs on a GPU (device_subgraphs.hpp) as kernels take them.
#pragma once

#include <cstdint>

#include "kernels/distributed/subgraphs/device_subgraphs.hpp"

namespace bfslab::distributed {

// A subgraph whose offsets have one width, for kernels that are compiled for either.
template <typename Offset, typename Column>
struct GraphView {
  const Offset* row_offsets = nullptr;
  const Column* columns = nullptr;
  std::uint64_t entries = 0;
};

// Calls use(view) with the subgraph's GraphView in the width of its offsets.
template <typename Column, typename Use>
decltype(auto) with_view(const DeviceSubgraph<Column>& graph, Use&& use) {
  if (graph.wide.size() > 0) {
    return use(GraphView<std::uint64_t, Column>{graph.wide.data(), graph.columns.data(),
                                                graph.columns.size()});
  }
  return use(GraphView<std::uint32_t, Column>{graph.narrow.data(), graph.columns.data(),
                                              graph.columns.size()});
}

// Offsets whose width is known at run time, for kernels that have all subgraphs, or read few rows.
struct EitherOffsets {
  const std::uint32_t* narrow = nullptr;
  const std::uint64_t* wide = nullptr;  // null: they are narrow

  template <typename Column>
  [[nodiscard]] static EitherOffsets from(const DeviceSubgraph<Column>& graph) {
    return {graph.narrow.data(), graph.wide.data()};
  }
  [[nodiscard]] __device__ std::uint64_t operator[](std::size_t row) const {
    return wide != nullptr ? wide[row] : narrow[row];
  }
  [[nodiscard]] __device__ std::uint64_t degree(local_vertex_t row) const {
    return (*this)[row + std::size_t{1}] - (*this)[row];
  }
};

template <typename Column>
struct EitherView {
  EitherOffsets row_offsets;
  const Column* columns = nullptr;
  std::uint64_t entries = 0;

  [[nodiscard]] static EitherView from(const DeviceSubgraph<Column>& graph) {
    return {EitherOffsets::from(graph), graph.columns.data(), graph.columns.size()};
  }
};

}  // namespace bfslab::distributed
