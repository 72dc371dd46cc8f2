// xbfs's levels inside one CUDA graph: `launch = graph`.
#pragma once

#include "kernels/cuda/device/graph.hpp"
#include "kernels/cuda/device/memory.hpp"
#include "kernels/cuda/device/stream.hpp"
#include "kernels/cuda/xbfs_levels.hpp"

namespace bfslab::cuda {

class XbfsGraph {
 public:
  // Both outlive the graph, and the memory that they name does. At least one vertex.
  XbfsGraph(const XbfsWork& work, const XbfsLevels& kernels, const Stream& stream);

  // Queues the graph; all of the traversal, reset included, is done when the stream gets past it.
  // One at a time.
  void launch(vertex_t source, cudaStream_t stream) {
    source_[0] = source;
    exec_.launch(stream);
  }
  [[nodiscard]] std::uint64_t bytes() const { return state_.bytes(); }

  struct State {
    XbfsProgress at;
    unsigned ran = 0;  // the kind of the level before; kKinds: there was none
  };

 private:
  PinnedBuffer<vertex_t> source_;  // the GPU reads it where it is
  DeviceBuffer<State> state_;
  Graph graph_;
  GraphExec exec_;
};

}  // namespace bfslab::cuda
