// SPDX-License-Identifier: Apache-2.0
// The level loop as a CUDA graph with conditional nodes, made at load, launched once per traversal:
//
//   reset, start -> while a level has a frontier: decide -> one of the rows of kernels
//
// A row is what the host would launch for a level of its kind; it is recorded from the same calls.
// `decide` is one thread that closes the level before, as the host does after its read-back, and
// chooses the next row by the same rules, or ends the loop.
//
// Cost beside the levels' own kernels: the conditional nodes of the loop and of the choice, one
// kernel per level, one more turn that finds no frontier, and a read of the source over the bus.
// Kernels have only the registers of their own part, unlike one kernel that runs all levels, and no
// level waits for the host. Grids are those of a full GPU, since the graph cannot know how small a
// frontier is. docs/differences.md compares the three loops.
#pragma once

#include <vector>

#include "kernels/cuda/device/graph.hpp"
#include "kernels/cuda/device/memory.hpp"
#include "kernels/cuda/device/stream.hpp"
#include "kernels/cuda/traversal/progress.hpp"
#include "kernels/cuda/traversal/reset.cuh"

namespace bfslab::cuda {

// The decisions of a graph's levels. `W` extends Traversal and is passed to kernels by value.
//   kinds()            the number of kinds of level; each has a row of kernels
//   kind(progress)     the kind of the next level
//   close(at, kind)    advances `at` by the slots, after a level of that kind
template <typename W>
concept DecidesLevels = requires(const W& work, Progress& at, unsigned kind) {
  { work.kind(at) } -> std::convertible_to<unsigned>;
  work.close(at, kind);
  { work.kinds() } -> std::convertible_to<unsigned>;
};

struct GraphState {
  Progress at;
  unsigned ran = 0;  // the kind of the level before; kinds() before the first
};

template <typename W>
__global__ void start_levels(const __grid_constant__ W work, GraphState* state) {
  GraphState first;
  first.ran = work.kinds();
  first.at.edges = first.at.all_edges = work.slot(0)->edges;
  *state = first;
}

// Runs with one thread.
template <typename W>
__global__ void decide_level(const __grid_constant__ W work, GraphState* state,
                             cudaGraphConditionalHandle goes_on, GraphChoice choice) {
  const unsigned none = work.kinds();
  Progress at = state->at;
  if (state->ran != none) {
    work.close(at, state->ran);
    state->at = at;
  }
  const unsigned kind = at.frontier > 0 ? work.kind(at) : none;
  state->ran = kind;
  cudaGraphSetConditional(goes_on, kind != none ? 1 : 0);
  choice.choose(kind);
}

class LevelGraph {
 public:
  // `record(kind, level number)` queues the work of a level of that kind to the stream. The memory
  // that `work` and the records name must outlive the graph. The graph has at least one vertex.
  template <typename W, typename Else, typename Record>
  requires DecidesLevels<W> LevelGraph(const W& work, SourceIn queued, const Else& other,
                                       const Stream& stream, const Record& record)
      : source_(1), state_(1) {
    NodeRow once(graph_.get());
    const Traversal& traversal = work;
    once.kernel(&reset_traversal<Else>,
                blocks_for((std::uint64_t{traversal.outgoing.vertices} + 3) / 4), kBlockThreads,
                traversal, SourceVertex{.kept = source_.data()}, queued, other);
    once.kernel(&start_levels<W>, 1, 1, work, state_.data());
    const cudaGraphConditionalHandle goes_on = once.new_condition();

    NodeRow level(once.repeat(goes_on));
    const GraphChoice choice = level.new_choice(work.kinds());
    level.kernel(&decide_level<W>, 1, 1, work, state_.data(), goes_on, choice);
    const std::vector<cudaGraph_t> rows = level.parts_of(choice, work.kinds());
    const LevelNumber number{.kept = &state_.data()->at.level};
    for (unsigned kind = 0; kind < work.kinds(); ++kind) {
      cudaGraph_t row = rows[kind];
      BFSLAB_CUDA(cudaStreamBeginCaptureToGraph(stream.get(), row, nullptr, nullptr, 0,
                                                cudaStreamCaptureModeThreadLocal));
      record(kind, number);
      BFSLAB_CUDA(cudaStreamEndCapture(stream.get(), &row));
    }
    exec_ = GraphExec(graph_);
    exec_.upload(stream.get());
  }

  // Queues the graph, one launch at a time: the whole traversal, with its reset, in stream order.
  void launch(vertex_t source, cudaStream_t stream) {
    source_[0] = source;
    exec_.launch(stream);
  }
  [[nodiscard]] std::uint64_t bytes() const { return state_.bytes(); }

 private:
  PinnedBuffer<vertex_t> source_;  // the GPU reads it in place
  DeviceBuffer<GraphState> state_;
  Graph graph_;
  GraphExec exec_;
};

}  // namespace bfslab::cuda
