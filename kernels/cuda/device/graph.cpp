// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/device/graph.hpp"

namespace bfslab::cuda {

void NodeRow::add_kernel(void* kernel, unsigned blocks, unsigned threads, void** arguments) {
  cudaKernelNodeParams launch{};
  launch.func = kernel;
  launch.gridDim = dim3(blocks);
  launch.blockDim = dim3(threads);
  launch.kernelParams = arguments;
  cudaGraphNode_t node = nullptr;
  BFSLAB_CUDA(cudaGraphAddKernelNode(&node, graph_, &last_, before(), &launch));
  last_ = node;
}

namespace {

cudaGraphConditionalHandle new_handle(cudaGraph_t graph, unsigned at_launch, unsigned flags) {
  cudaGraphConditionalHandle handle = 0;
  BFSLAB_CUDA(cudaGraphConditionalHandleCreate(&handle, graph, at_launch, flags));
  return handle;
}

}  // namespace

cudaGraphConditionalHandle NodeRow::new_condition() {
  return new_handle(graph_, 1, cudaGraphCondAssignDefault);
}

cudaGraph_t NodeRow::repeat(cudaGraphConditionalHandle goes_on) {
  return add_conditional(goes_on, cudaGraphCondTypeWhile, 1).front();
}

#if CUDART_VERSION >= 12080

GraphChoice NodeRow::new_choice(unsigned /*parts*/) { return {.handle = new_handle(graph_, 0, 0)}; }

std::vector<cudaGraph_t> NodeRow::parts_of(const GraphChoice& choice, unsigned parts) {
  return add_conditional(choice.handle, cudaGraphCondTypeSwitch, parts);
}

#else

GraphChoice NodeRow::new_choice(unsigned parts) {
  GraphChoice choice;
  choice.parts = parts;
  for (unsigned i = 0; i < parts; ++i) choice.handles[i] = new_handle(graph_, 0, 0);
  return choice;
}

std::vector<cudaGraph_t> NodeRow::parts_of(const GraphChoice& choice, unsigned parts) {
  std::vector<cudaGraph_t> graphs;
  for (unsigned i = 0; i < parts; ++i) {
    graphs.push_back(add_conditional(choice.handles[i], cudaGraphCondTypeIf, 1).front());
  }
  return graphs;
}

#endif

std::vector<cudaGraph_t> NodeRow::add_conditional(cudaGraphConditionalHandle handle,
                                                  cudaGraphConditionalNodeType type,
                                                  unsigned parts) {
  cudaGraphNodeParams node_parameters{};
  node_parameters.type = cudaGraphNodeTypeConditional;
  node_parameters.conditional.handle = handle;
  node_parameters.conditional.type = type;
  node_parameters.conditional.size = parts;
  cudaGraphNode_t node = nullptr;
#if CUDART_VERSION >= 13000
  BFSLAB_CUDA(cudaGraphAddNode(&node, graph_, &last_, nullptr, before(), &node_parameters));
#else
  BFSLAB_CUDA(cudaGraphAddNode(&node, graph_, &last_, before(), &node_parameters));
#endif
  last_ = node;
  const cudaGraph_t* const bodies = node_parameters.conditional.phGraph_out;
  return {bodies, bodies + parts};
}

}  // namespace bfslab::cuda
