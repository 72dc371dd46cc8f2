// SPDX-License-Identifier: Apache-2.0
// own-gpu: an engine for a GPU outside of bfslab's tree. The host launches a kernel per level, one
// thread per vertex of the frontier, and reads back how many vertices the level found. The answer
// stays in device memory, where bfslab checks it.
#include <cuda_runtime.h>

#include <utility>

#include "kernels/device_errors.hpp"
#include "kernels/plugin.hpp"

using namespace bfslab;

namespace {

// Throws DeviceError if a call of CUDA failed.
void require(cudaError_t error, const char* call) {
  if (error == cudaSuccess) return;
  throw DeviceError(std::string("own-gpu: ") + call + ": " + cudaGetErrorString(error));
}
#define REQUIRE(call) require(call, #call)

// An array in device memory.
template <typename T>
class DeviceArray {
 public:
  DeviceArray() = default;
  // Throws OutOfDeviceMemory, which becomes a row `oom`.
  explicit DeviceArray(std::size_t count) : bytes_(count * sizeof(T)) {
    if (bytes_ == 0 || cudaMalloc(&data_, bytes_) == cudaSuccess) return;
    static_cast<void>(cudaGetLastError());
    std::size_t free = 0, total = 0;
    REQUIRE(cudaMemGetInfo(&free, &total));
    throw OutOfDeviceMemory(bytes_, free, total);
  }
  DeviceArray(const T* from, std::size_t count) : DeviceArray(count) {
    REQUIRE(cudaMemcpy(data_, from, bytes_, cudaMemcpyHostToDevice));
  }
  DeviceArray& operator=(DeviceArray&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~DeviceArray() { cudaFree(data_); }
  T* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

 private:
  T* data_ = nullptr;
  std::size_t bytes_ = 0;
};

class Event {
 public:
  Event() { REQUIRE(cudaEventCreate(&event_)); }
  Event(const Event&) = delete;
  ~Event() { cudaEventDestroy(event_); }
  operator cudaEvent_t() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

// The counts of a level, in device memory.
struct Found {
  unsigned vertices;
  unsigned long long edges;  // their out-degrees
};

struct Work {
  const edge_t* offsets;    // [n + 1]
  const vertex_t* columns;  // [m]
  level_t* levels;          // [n]
  vertex_t* parents;        // [n], or null
  vertex_t* queue;          // [n]: the frontiers of all levels, one after the other
  Found* found;             // of the running level
};

// Expands the frontier queue[begin, end), whose finds follow it in the queue. `batched`: the lanes
// of a warp that found something at the same time take their places by one atomic addition.
__global__ void expand(Work work, level_t level, vertex_t begin, vertex_t end, bool batched) {
  const vertex_t i = begin + blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= end) return;
  const vertex_t from = work.queue[i];
  for (edge_t e = work.offsets[from]; e < work.offsets[from + 1]; ++e) {
    const vertex_t to = work.columns[e];
    if (work.levels[to] != kUnreached) continue;
    if (atomicCAS(&work.levels[to], kUnreached, level + 1) != kUnreached) continue;
    if (work.parents != nullptr) work.parents[to] = from;
    unsigned place = 0;
    if (batched) {
      const unsigned lanes = __activemask();
      const unsigned lane = threadIdx.x % 32;
      const unsigned leader = __ffs(lanes) - 1;
      if (lane == leader) place = atomicAdd(&work.found->vertices, __popc(lanes));
      place = __shfl_sync(lanes, place, leader) + __popc(lanes & ((1U << lane) - 1));
    } else {
      place = atomicAdd(&work.found->vertices, 1U);
    }
    work.queue[end + place] = to;
    atomicAdd(&work.found->edges, work.offsets[to + 1] - work.offsets[to]);
  }
}

class OwnGpu final : public Engine {
 public:
  explicit OwnGpu(const EngineSettings& settings)
      : asked_(settings.answer),
        block_(static_cast<unsigned>(std::stoul(settings.toggles.choice("block")))),
        batched_(settings.toggles.flag("batched")) {}

  void load(const GraphSource& source) override {
    graph_ = source.csr;
    const std::size_t n = graph_->vertex_count();
    offsets_ = DeviceArray<edge_t>(graph_->row_offsets().data(), graph_->row_offsets().size());
    columns_ = DeviceArray<vertex_t>(graph_->columns().data(), graph_->columns().size());
    levels_ = DeviceArray<level_t>(n);
    if (wants_parents(asked_)) parents_ = DeviceArray<vertex_t>(n);
    queue_ = DeviceArray<vertex_t>(n);
    found_ = DeviceArray<Found>(1);
  }

  void traverse(vertex_t source, LevelSink* sink) override {
    const Work work{offsets_.data(), columns_.data(), levels_.data(),
                    parents_.data(), queue_.data(),   found_.data()};
    REQUIRE(cudaEventRecord(begin_));
    REQUIRE(cudaMemsetAsync(work.levels, 0xff, levels_.bytes()));
    if (work.parents != nullptr) REQUIRE(cudaMemsetAsync(work.parents, 0xff, parents_.bytes()));
    const level_t zero = 0;
    REQUIRE(cudaMemcpyAsync(work.levels + source, &zero, sizeof zero, cudaMemcpyDefault));
    REQUIRE(cudaMemcpyAsync(work.queue, &source, sizeof source, cudaMemcpyDefault));
    if (work.parents != nullptr) {
      REQUIRE(cudaMemcpyAsync(work.parents + source, &source, sizeof source, cudaMemcpyDefault));
    }
    vertex_t begin = 0;
    Found frontier{1, graph_->degree(source)};
    for (level_t level = 0; frontier.vertices > 0; ++level) {
      if (sink != nullptr) {
        sink->begin({level, Direction::top_down, batched_ ? "own_batches" : "own_places",
                     frontier.vertices});
      }
      const Found next = run_level(work, level, begin, frontier.vertices);
      begin += frontier.vertices;
      if (sink != nullptr) sink->end(sink->counts() ? facts(frontier, next, begin) : LevelFacts{});
      frontier = next;
    }
    REQUIRE(cudaEventRecord(end_));
    REQUIRE(cudaEventSynchronize(end_));
  }

  AnswerView answer() const override {
    return in_one_part({.space = MemorySpace::device,
                        .vertex_count = graph_->vertex_count(),
                        .levels = wants_levels(asked_) ? levels_.data() : nullptr,
                        .parents = parents_.data()});
  }
  MemoryUse memory() const override {
    return {.graph = offsets_.bytes() + columns_.bytes(),
            .status = levels_.bytes() + parents_.bytes(),
            .queues = queue_.bytes(),
            .scratch = found_.bytes()};
  }
  std::optional<double> gpu_ms() const override {
    float ms = 0;
    REQUIRE(cudaEventElapsedTime(&ms, begin_, end_));
    return ms;
  }

 private:
  Found run_level(const Work& work, level_t level, vertex_t begin, vertex_t size) {
    Found found{};
    REQUIRE(cudaMemsetAsync(work.found, 0, sizeof found));
    expand<<<(size + block_ - 1) / block_, block_>>>(work, level, begin, begin + size, batched_);
    REQUIRE(cudaGetLastError());
    REQUIRE(cudaMemcpy(&found, work.found, sizeof found, cudaMemcpyDeviceToHost));
    return found;
  }
  LevelFacts facts(const Found& frontier, const Found& next, vertex_t visited) const {
    return {.frontier_edges = frontier.edges,
            .edges_checked = frontier.edges,
            .found_vertices = next.vertices,
            .unvisited_vertices = graph_->vertex_count() - visited};
  }

  Answer asked_;
  unsigned block_;
  bool batched_;
  const CsrGraph* graph_ = nullptr;
  DeviceArray<edge_t> offsets_;
  DeviceArray<vertex_t> columns_, parents_, queue_;
  DeviceArray<level_t> levels_;
  DeviceArray<Found> found_;
  Event begin_, end_;
};

// Throws InputError where there is no GPU, so that `bfslab check` and rows say it.
std::unique_ptr<Engine> make(const EngineSettings& settings) {
  int n = 0;
  if (cudaGetDeviceCount(&n) == cudaSuccess && n > 0) return std::make_unique<OwnGpu>(settings);
  throw InputError("engine \"own-gpu\" needs a GPU, and there is none that CUDA can use");
}

Estimate estimate(const GraphFacts& facts, const Toggles&, Answer answer) {
  const auto n = static_cast<double>(facts.vertices);
  const auto m = static_cast<double>(facts.edges);
  return {.bytes = 8 * (n + 1) + 4 * m + (wants_parents(answer) ? 12 : 8) * n + sizeof(Found),
          .seconds = m * 1e-10 + static_cast<double>(facts.levels) * 2e-5 + 1e-5};
}

}  // namespace

BFSLAB_PLUGIN({
    .name = "own-gpu",
    .summary = "One kernel per level, one thread per vertex of the frontier.",
    .can = {.gpu = true},
    .toggles = {Toggle::choice("block", "256", {"128", "256", "512"}, "Threads per block"),
                Toggle::flag("batched", true, "One atomic addition for all finds of a warp")},
    .estimate = estimate,
    .make = make,
})
