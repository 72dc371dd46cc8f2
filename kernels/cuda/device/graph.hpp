// SPDX-License-Identifier: Apache-2.0
// CUDA graphs as objects, nodes in a row, and nodes that repeat a part of a graph or choose among
// parts by a kernel's decision (conditional nodes: CUDA 12.4, and its driver).
#pragma once

#include <vector>

#include "kernels/cuda/device/error.hpp"
#include "kernels/cuda/device/stream.hpp"

namespace bfslab::cuda {

class Graph {
 public:
  Graph() { BFSLAB_CUDA(cudaGraphCreate(handle_.put(), 0)); }

  [[nodiscard]] cudaGraph_t get() const { return handle_.get(); }

 private:
  Handle<cudaGraph_t, cudaGraphDestroy> handle_;
};

// A graph that can be launched. A graph with conditional nodes has one at a time and outlives it.
class GraphExec {
 public:
  GraphExec() = default;
  explicit GraphExec(const Graph& graph) {
    BFSLAB_CUDA(cudaGraphInstantiate(handle_.put(), graph.get(), 0));
  }

  // Brings it to the GPU, so that the first launch costs no more than the next ones.
  void upload(cudaStream_t stream) const { BFSLAB_CUDA(cudaGraphUpload(handle_.get(), stream)); }
  void launch(cudaStream_t stream) const { BFSLAB_CUDA(cudaGraphLaunch(handle_.get(), stream)); }

 private:
  Handle<cudaGraphExec_t, cudaGraphExecDestroy> handle_;
};

// The handle by which a kernel chooses a part of the graph. One thread chooses, in a node that the
// conditional node waits for.
struct GraphChoice {
  static constexpr unsigned kMaxParts = 8;
#if CUDART_VERSION >= 12080
  cudaGraphConditionalHandle handle = 0;
#else
  cudaGraphConditionalHandle handles[kMaxParts] = {};  // one per part
  unsigned parts = 0;
#endif

#ifdef __CUDACC__
  // No part has this number, so none runs.
  __device__ void choose(unsigned part) const {
#if CUDART_VERSION >= 12080
    cudaGraphSetConditional(handle, part);
#else
    for (unsigned i = 0; i < parts; ++i) cudaGraphSetConditional(handles[i], i == part ? 1 : 0);
#endif
  }
#endif
};

// Adds nodes to a graph one after the other; each runs when the one before is done.
class NodeRow {
 public:
  explicit NodeRow(cudaGraph_t graph) : graph_(graph) {}

  template <typename... Parameters>
  void kernel(void (*kernel)(Parameters...), unsigned blocks, unsigned threads,
              Parameters... arguments) {
    void* pointers[] = {static_cast<void*>(&arguments)...};
    add_kernel(reinterpret_cast<void*>(kernel), blocks, threads, pointers);
  }

  // Adds a part that runs, at least once, until a kernel in it has set `goes_on` to 0.
  [[nodiscard]] cudaGraphConditionalHandle new_condition();
  [[nodiscard]] cudaGraph_t repeat(cudaGraphConditionalHandle goes_on);

  // Adds parts of which at most one runs: call this, add the kernel that chooses, then the parts.
  [[nodiscard]] GraphChoice new_choice(unsigned parts);
  [[nodiscard]] std::vector<cudaGraph_t> parts_of(const GraphChoice& choice, unsigned parts);

 private:
  void add_kernel(void* kernel, unsigned blocks, unsigned threads, void** arguments);
  [[nodiscard]] std::vector<cudaGraph_t> add_conditional(cudaGraphConditionalHandle handle,
                                                         cudaGraphConditionalNodeType type,
                                                         unsigned parts);
  [[nodiscard]] std::size_t before() const { return last_ == nullptr ? 0 : 1; }

  cudaGraph_t graph_;
  cudaGraphNode_t last_ = nullptr;
};

}  // namespace bfslab::cuda
