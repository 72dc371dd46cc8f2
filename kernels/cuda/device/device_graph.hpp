// SPDX-License-Identifier: Apache-2.0
// A CSR in the GPU's memory.
#pragma once

#include <cstdint>

#include "datasets/graph/csr_graph.hpp"
#include "kernels/cuda/device/memory.hpp"
#include "kernels/cuda/device/stream.hpp"
#include "kernels/cuda/device/upload.hpp"

namespace bfslab::cuda {

// The kernels' view of the graph, passed by value.
struct CsrView {
  const edge_t* row_offsets = nullptr;  // [vertices + 1]
  const vertex_t* columns = nullptr;    // [edges]
  vertex_t vertices = 0;
  edge_t edges = 0;
};

// Offsets and columns as on the host; of a directed graph also the transpose, if it is there.
class DeviceGraph {
 public:
  struct Arrays {
    DeviceBuffer<edge_t> row_offsets;
    DeviceBuffer<vertex_t> columns;
    [[nodiscard]] std::uint64_t bytes() const { return row_offsets.bytes() + columns.bytes(); }
  };

  DeviceGraph() = default;
  // Copies through two pinned buffers, so that pageable and mapped pages are also copied at the
  // bus's speed. Returns when the copy is complete. Throws OutOfDeviceMemory.
  DeviceGraph(const CsrGraph& graph, bool with_incoming, const Stream& stream)
      : symmetric_(graph.symmetric()) {
    const auto make_room = [](Arrays& arrays, const CsrGraph& host) {
      arrays.row_offsets = DeviceBuffer<edge_t>(host.row_offsets().size());
      arrays.columns = DeviceBuffer<vertex_t>(host.columns().size());
    };
    const auto fill = [&](const Arrays& arrays, const CsrGraph& host) {
      upload(arrays.row_offsets.data(), host.row_offsets().data(), arrays.row_offsets.bytes(),
             stream);
      upload(arrays.columns.data(), host.columns().data(), arrays.columns.bytes(), stream);
    };
    const CsrGraph* transpose = with_incoming && !symmetric_ ? graph.incoming() : nullptr;
    make_room(out_, graph);  // allocates all of it before the first copy
    if (transpose != nullptr) make_room(in_, *transpose);
    fill(out_, graph);
    if (transpose != nullptr) fill(in_, *transpose);
  }

  [[nodiscard]] CsrView outgoing() const { return view(out_); }
  // Returns the graph itself if it is symmetric; no columns if the host has no transpose.
  [[nodiscard]] CsrView incoming() const { return symmetric_ ? view(out_) : view(in_); }
  [[nodiscard]] bool has_incoming() const { return symmetric_ || in_.row_offsets.size() > 0; }
  [[nodiscard]] std::uint64_t bytes() const { return out_.bytes() + in_.bytes(); }

 private:
  static CsrView view(const Arrays& arrays) {
    const std::size_t rows = arrays.row_offsets.size();
    return {arrays.row_offsets.data(), arrays.columns.data(),
            static_cast<vertex_t>(rows > 0 ? rows - 1 : 0), arrays.columns.size()};
  }

  bool symmetric_ = true;
  Arrays out_, in_;
};

}  // namespace bfslab::cuda
