// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/device/device_graph.hpp"

#include "kernels/cuda/device/upload.hpp"

namespace bfslab::cuda {

DeviceGraph::DeviceGraph(const CsrGraph& graph, bool with_incoming, const Stream& stream)
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

}  // namespace bfslab::cuda
