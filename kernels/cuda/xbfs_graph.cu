// xbfs's level loop as a CUDA graph with conditional nodes, made once at load and launched once a
// traversal:
//
//   reset, start -> while a level has a frontier: decide -> one of five rows of kernels
//
// A row is what the host would launch for a level of its kind (XbfsRules::kind): it is recorded
// from the very calls (xbfs_levels.cu). `decide` is one thread that closes the level before, as the
// host does behind its read-back, and says by the same rules which row runs, or that none is left.
//
// Cost beside the levels' own kernels: the loop's and the choice's conditional nodes and one kernel
// a level, another turn that finds no frontier, and a read of the source over the bus. Kernels have
// the registers of their own part only, which the persistent kernel's have not, and no level waits
// for the host. Grids are those of a full GPU, since the graph cannot know how small a frontier is.
// Measured on an H200: ahead of the host's loop at Kronecker scale 18 (0.22 ms against 0.24), level
// with it from 20 to 24, behind it on a grid of 1,000 x 1,000 (30.0 against 25.7), and behind the
// persistent kernel on all of them.
#include "kernels/cuda/device/launch.hpp"
#include "kernels/cuda/xbfs_graph.hpp"
#include "kernels/cuda/xbfs_steps.cuh"

namespace bfslab::cuda {
namespace {

constexpr unsigned kNone = XbfsRules::kKinds;

__global__ void start(XbfsWork work, const vertex_t* source, XbfsGraph::State* state) {
  for (unsigned i = 0; i < kSlots; ++i) work.slots[i] = LevelSlot{};
  start_at(work, *source);
  XbfsGraph::State first;
  first.ran = kNone;
  first.at.edges = first.at.all_edges = work.slots[0].edges;
  *state = first;
}

// One thread.
__global__ void decide(XbfsWork work, XbfsGraph::State* state, cudaGraphConditionalHandle goes_on,
                       GraphChoice choice) {
  XbfsProgress at = state->at;
  if (state->ran != kNone) {
    end_level(at, work.rules.level_of(state->ran), *work.slot(at.level + 1));
    state->at = at;
  }
  const unsigned kind = at.frontier > 0 ? work.rules.kind(at) : kNone;
  state->ran = kind;
  cudaGraphSetConditional(goes_on, kind != kNone ? 1 : 0);
  choice.choose(kind);
}

// What `record` gives to the stream becomes all of `graph`.
template <typename Record>
void capture(const Stream& stream, cudaGraph_t graph, const Record& record) {
  BFSLAB_CUDA(cudaStreamBeginCaptureToGraph(stream.get(), graph, nullptr, nullptr, 0,
                                            cudaStreamCaptureModeThreadLocal));
  record();
  BFSLAB_CUDA(cudaStreamEndCapture(stream.get(), &graph));
}

}  // namespace

XbfsGraph::XbfsGraph(const XbfsWork& work, const XbfsLevels& kernels, const Stream& stream)
    : source_(1), state_(1) {
  NodeRow once(graph_.get());
  const std::size_t n = work.outgoing.vertices;
  once.fill_bytes(work.levels, 0xff, n * sizeof(level_t));  // kUnreached
  if (work.parents != nullptr) once.fill_bytes(work.parents, 0xff, n * sizeof(vertex_t));
  once.kernel(&start, 1, 1, work, static_cast<const vertex_t*>(source_.data()), state_.data());
  const cudaGraphConditionalHandle goes_on = once.new_condition();

  NodeRow level(once.repeat(goes_on));
  const GraphChoice choice = level.new_choice(XbfsRules::kKinds);
  level.kernel(&decide, 1, 1, work, state_.data(), goes_on, choice);
  const std::vector<cudaGraph_t> parts = level.parts_of(choice, XbfsRules::kKinds);

  const LevelNumber number{.kept = &state_.data()->at.level};
  for (unsigned kind = 0; kind < XbfsRules::kKinds; ++kind) {
    const XbfsLevel how = work.rules.level_of(kind);
    capture(stream, parts[kind], [&] {
      if (how.up) {
        kernels.queue_unvisited(work, stream.get());
        kernels.bottom_up(work, number, false, stream.get());
      } else {
        kernels.top_down(work, number, how, full_grid(), stream.get());
      }
    });
  }
  exec_ = GraphExec(graph_);
  exec_.upload(stream.get());
}

}  // namespace bfslab::cuda
