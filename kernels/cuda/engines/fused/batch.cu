// SPDX-License-Identifier: Apache-2.0
// The kernel of searches that run together, and its memory (batch.hpp).
#include "kernels/cuda/engines/fused/batch.hpp"

#include <new>

#include "kernels/cuda/engines/fused/batch_answers.cuh"
#include "kernels/cuda/engines/fused/batch_direction.cuh"
#include "kernels/cuda/engines/fused/batch_levels.cuh"

namespace bfslab::cuda {

namespace {

// Costs in entries that a level looks at bottom-up, as measured on an H200 (docs/batches.md). An
// edge top-down may take an atomic, and is never spared.
constexpr double kTopDownCost = 2.5;
constexpr double kDownVertexCost = 0.5;  // words that top-down clears, and reads twice
constexpr double kSplitVertexCost = 2;   // words that the queue and the second count read
constexpr double kSplitCost = 1 << 20;   // barriers, and the sums of degrees

// Clears what a search reads before it is written, and puts the sources into the first frontier.
template <typename Offset>
__device__ void begin_batch(const BatchWork<Offset>& work, const BatchRequest& request,
                            BatchCourse& course) {
  for (std::size_t v = thread_in_grid(); v < work.vertices; v += threads_in_grid()) {
    work.seen[v] = 0;
    work.found[0][v] = 0;
  }
  if (thread_in_grid() == 0) {
    for (int i = 0; i < 3; ++i) work.counts[i] = BatchCounts{};
  }
  barrier_of_grid();
  const unsigned s = thread_in_grid();
  vertex_t source = s < request.count ? request.sources[s] : kNoVertex;
  if (source != kNoVertex && work.new_of_old != nullptr) source = work.new_of_old[source];
  if (source < work.vertices) {
    BatchCounts* const counts = work.counts;
    const SearchBits bit = SearchBits{1} << s;
    const edge_t degree = degree_of(work.out, source);
    atomicOr(work.seen + source, bit);
    if (atomicOr(work.found[0] + source, bit) == 0) {
      work.queue[atomicAdd(&counts->queued, 1U)] = source;
      atomicAdd(&counts->vertices, 1ULL);
      atomicAdd(&counts->edges, degree);
    }
    atomicAdd(&counts->of_searches, degree);
    atomicOr(&counts->alive, bit);
  }
  barrier_of_grid();
  if (threadIdx.x == 0) {
    new (&course) BatchCourse;
    course.at.candidates = static_cast<std::uint64_t>(work.rule.enterable);
    course.open_entries = static_cast<std::uint64_t>(work.rule.edges);
    for (std::uint64_t& met : course.met) met = 0;
  }
  batch_advance(work, course, 0, request.count);
}

// The sources are in the queue already.
template <typename Offset>
__device__ void go_down(const BatchWork<Offset>& work, BatchCourse& course, SearchBits all) {
  const level_t level = course.level;
  batch_clear(work, level + 1);
  if (level > 0) batch_queue(work, level, ~SearchBits{0});
  barrier_of_grid();
  if (threadIdx.x == 0) course.queued = batch_counts(work, level)->queued;
  __syncthreads();
  batch_offer(work, course, ~SearchBits{0});
  barrier_of_grid();
  batch_settle_all(work, level + 1, all);
  barrier_of_grid();
}

// The searches `course.narrow` go top-down, after the others.
template <typename Offset>
__device__ void go_up(const BatchWork<Offset>& work, BatchCourse& course, SearchBits all) {
  const level_t level = course.level;
  const bool is_split = course.narrow != 0;
  batch_collect(work, course, all);
  if (is_split) batch_queue(work, level, course.narrow);
  barrier_of_grid();
  if (threadIdx.x == 0) {
    course.aside = batch_counts(work, level + 1)->aside;
    if (is_split) course.queued = batch_counts(work, level)->queued;
  }
  __syncthreads();
  if (course.aside != 0) {
    batch_collect_aside(work, course);
    barrier_of_grid();
    batch_settle_aside(work, course, all);
    barrier_of_grid();
  }
  if (!is_split) return;
  batch_offer(work, course, course.narrow);
  barrier_of_grid();
  batch_settle_narrow(work, course, all);
  barrier_of_grid();
}

template <typename Offset>
__global__ void __launch_bounds__(kFusedThreads, 1)
    search_together(const __grid_constant__ BatchWork<Offset> work,
                    const __grid_constant__ BatchRequest request) {
  alignas(BatchCourse) __shared__ unsigned char course_bytes[sizeof(BatchCourse)];
  auto& course = *reinterpret_cast<BatchCourse*>(course_bytes);
  const SearchBits all = all_searches(request.count);
  begin_batch(work, request, course);
  while (course.at.frontier > 0 && course.level < work.depth_limit) {
    const level_t level = course.level;
    if (level % kBatchWindow == kBatchWindow - 1) batch_write(work, request, level);
    if (thread_in_grid() == 0) *batch_counts(work, level + 2) = BatchCounts{};
    if (course.goes_up) {
      go_up(work, course, all);
    } else {
      go_down(work, course, all);
    }
    batch_advance(work, course, level + 1, request.count);
  }
  batch_write(work, request, course.level);
  batch_write_sources(work, request);
}

}  // namespace

FusedBatch::FusedBatch(const SearchGraph& graph, vertex_t given_vertices,
                       const RowLengths& incoming, level_t depth_limit)
    : given_vertices_(given_vertices),
      depth_limit_(depth_limit),
      seen_(graph.vertices),
      numbers_(graph.vertices),
      queue_(graph.vertices),
      segment_vertices_(graph.incoming().columns.size() / kBatchAlone + 1),
      segment_numbers_(segment_vertices_.size()),
      counts_(3) {
  for (DeviceBuffer<SearchBits>& each : found_) each = DeviceBuffer<SearchBits>(graph.vertices);
  ExpectedWork rule(incoming, kTopDownCost);
  rule.down = kDownVertexCost * graph.vertices;
  rule.split = kSplitVertexCost * graph.vertices + kSplitCost;
  if (graph.narrow) {
    prepared_ = prepared<std::uint32_t>(graph, rule);
  } else {
    prepared_ = prepared<edge_t>(graph, rule);
  }
}

template <typename Offset>
FusedBatch::Kernel<Offset> FusedBatch::prepared(const SearchGraph& graph,
                                                const ExpectedWork& rule) {
  CooperativeKernel<BatchWork<Offset>, BatchRequest> kernel;
  kernel.kernel = &search_together<Offset>;
  kernel.threads = kFusedThreads;
  kernel.blocks = blocks_at_once(kernel.kernel, kernel.threads, 0);
  sums_ = DegreeSums(graph.vertices, kernel.blocks);
  BatchWork<Offset> work{.out = rows_of<Offset>(graph.out),
                         .in = rows_of<Offset>(graph.incoming()),
                         .first = graph.first.data(),
                         .vertices = graph.vertices,
                         .given_vertices = given_vertices_,
                         .new_of_old = graph.new_of_old.data(),
                         .old_of_new = graph.old_of_new.data(),
                         .seen = seen_.data(),
                         .found = {},
                         .numbers = numbers_.data(),
                         .queue = queue_.data(),
                         .segment_vertices = segment_vertices_.data(),
                         .segment_numbers = segment_numbers_.data(),
                         .sums = sums_.view(32),
                         .counts = counts_.data(),
                         .rule = rule,
                         .depth_limit = depth_limit_};
  for (unsigned i = 0; i < kBatchWindow; ++i) work.found[i] = found_[i].data();
  return {kernel, work};
}

void FusedBatch::launch(const BatchRequest& request, const Stream& stream) const {
  std::visit([&](const auto& made) { made.kernel.launch(stream.get(), made.work, request); },
             prepared_);
}

void FusedBatch::add_memory(MemoryUse& use) const {
  use.status += bytes_of(seen_, numbers_);
  for (const DeviceBuffer<SearchBits>& each : found_) use.status += each.bytes();
  use.queues += bytes_of(queue_, segment_vertices_, segment_numbers_);
  use.scratch += bytes_of(sums_, counts_);
  use.sized_by_device += sums_.bytes_by_device();
}

}  // namespace bfslab::cuda
