// SPDX-License-Identifier: Apache-2.0
// Runs the levels of `fused` in one kernel, each by the parts that its kind names (rules.hpp).
#include "kernels/cuda/engines/fused/kernel.cuh"

#include <algorithm>
#include <new>

#include "kernels/cuda/engines/fused/claim.cuh"
#include "kernels/cuda/engines/fused/cluster.cuh"
#include "kernels/cuda/engines/fused/cut_rows.cuh"
#include "kernels/cuda/engines/fused/cut_rows.hpp"
#include "kernels/cuda/engines/fused/one_block.cuh"
#include "kernels/cuda/fused/bottom_up.cuh"
#include "kernels/cuda/fused/first_row.cuh"
#include "kernels/cuda/fused/reset.cuh"
#include "kernels/cuda/fused/sweep.cuh"

namespace bfslab::cuda {

namespace {

template <typename Offset>
__device__ vertex_t source_of(const FusedWork<Offset>& work, vertex_t given) {
  return work.new_of_old != nullptr ? work.new_of_old[given] : given;
}

// Finds the vertices of the root's row, of `degree` entries, and completes the course, which is at
// the root. Called by all threads of the grid after the reset; a barrier must follow.
template <typename Offset>
__device__ void run_first_row(const FusedWork<Offset>& work, FusedRoot root,
                              const FusedRowEntry& entry, edge_t degree, FusedCourse& course) {
  edge_t edges = 0;
  const std::uint32_t count = fused_find_first_row(work, root.level + 1, entry, edges);
  fused_label_first_row(work, root.level + 1, root.vertex, entry);
  if (threadIdx.x != 0) return;
  course.at.edges = course.at.all_edges = degree;
  course.at.advance(count, edges, false);
  if (blockIdx.x != 0) return;
  LevelSlot& slot = *work.slots.at(root.level + 1);
  slot.queued[0] = count;
  slot.vertices = count;
  slot.edges = edges;
}

// `by_level`: the host runs each level, and so the first one, too.
template <typename Offset>
__device__ void begin_search(const FusedWork<Offset>& work, vertex_t source, FusedCourse& course,
                             bool by_level) {
  const FusedRoot root = fused_root(work, source);
  FusedFirstRow row;
  if (!by_level) row = fused_first_row(work, root.vertex);
  const bool at_row = row.is_short();
  FusedRowEntry entry;  // before the reset, whose stores would be in the way
  if (at_row) entry = fused_first_entry(work, root.vertex, row);
  fused_reset(work, source, root);
  if (thread_in_grid() == 0) work.log.starts();
  if (threadIdx.x == 0) {
    course.clear[0] = course.clear[1] = true;
    course.at.level = root.level;
  }
  if (at_row) run_first_row(work, root, entry, row.length, course);
  barrier_of_grid();
  // Not from the slot, which one block may use again while another one is slow to read it.
  if (!at_row && threadIdx.x == 0) {
    const bool is_searched = root.vertex < work.vertices;
    course.at.frontier = is_searched ? 1 : 0;
    course.at.edges = course.at.all_edges = is_searched ? degree_of(work.out, root.vertex) : 0;
  }
  if (thread_in_grid() == 0) {
    if (root.level > 0) fused_log_alone(work.log, kFusedSmall);
    if (at_row) {
      work.log.level_is(root.level, kFusedSmall);
      work.log.level_ended(root.level, *work.slots.at(root.level));
    }
  }
  __syncthreads();
}

// Runs a bottom-up level, with the barrier that ends it. Called by all threads of the grid.
template <bool kCounts, typename Offset>
__device__ void run_up(const FusedWork<Offset>& work, FusedCourse& course) {
  const level_t level = course.at.level;
  if (course.front_of != level) {
    fused_front_of_queue(work, level, static_cast<std::uint32_t>(course.at.frontier));
    barrier_of_grid();
  }
  const std::uint32_t hot_words = fused_hot_words(work, course.at.visited);
  if (hot_words > 0) {
    fused_bottom_up<kCounts, true>(work, level, hot_words, course.owes_labels);
  } else {
    fused_bottom_up<kCounts, false>(work, level, hot_words, course.owes_labels);
  }
  barrier_of_grid();
  const LevelSlot& next = *work.slots.at(level + 1);
  std::uint64_t found = 0;
  std::uint32_t listed = 0;
  edge_t edges = 0;
  if (threadIdx.x == 0) {  // all requested together, by one thread of a block
    const std::uint32_t aside = next.candidates;
    found = next.vertices;
    listed = next.ticket;
    edges = next.early_edges;
    course.aside = aside;
  }
  __syncthreads();
  if (course.aside > 0) {
    fused_bottom_up_aside<kCounts>(work, level, hot_words, course.aside);
    barrier_of_grid();
    if (threadIdx.x == 0) found = next.vertices;
  }
  if constexpr (kCounts) {
    fused_sum_edges(work, level + 1);
    barrier_of_grid();
  }
  if (threadIdx.x == 0) {
    course.front_of = level + 1;
    course.clear[0] = course.clear[1] = false;
    course.at.advance(found, 0, true);
    course.owes_labels = false;
    course.at.is_queued = listed > 0 && listed == found && !work.rules.stays_up(course.at);
    if (!course.at.is_queued) return;
    course.at.edges = edges;
    course.queue_from = work.queue_room - listed;
  }
}

// Returns the counts of `level`'s queue, which was made since the last barrier but one (sweep.cuh,
// claim.cuh). `sums`: the edges before each of its vertices; null: not known. Called by one thread
// of each block.
template <typename Offset>
__device__ FusedClaimed<Offset> counts_of_queue(const FusedWork<Offset>& work, FusedCourse& course,
                                                level_t level, const edge_t* sums) {
  if (sums != nullptr) course.summed = level;
  course.sums = sums;
  return {work.claimed[course.claims++ % kFusedClaims]};
}

template <typename Offset>
__device__ FusedClaimed<Offset> counts_of_sweep(const FusedWork<Offset>& work, FusedCourse& course,
                                                level_t level) {
  const bool knows = FusedClaimed<Offset>::kHoldsAll;
  return counts_of_queue(work, course, level, knows ? work.sums.edges_before : nullptr);
}

// Advances past a level that has queued what it found. Called by one thread of each block.
template <typename Offset>
__device__ void advance_queued(const FusedWork<Offset>& work, FusedCourse& course,
                               std::uint32_t vertices, edge_t edges) {
  if (blockIdx.x == 0) {  // for the log and the host: the grid has the course
    LevelSlot& next = *work.slots.at(course.at.level + 1);
    next.queued[0] = vertices;
    next.edges = edges;
  }
  course.at.advance(vertices, edges, false);
}

// Makes the queue of a frontier that is only bits: bottom-up or a late sweep has left it. Copies
// `visited` on the way, in case the level sweeps.
template <typename Offset>
__device__ void queue_front(const FusedWork<Offset>& work, FusedCourse& course) {
  const level_t level = course.at.level;
  const std::uint32_t* const front = work.front[level % 2];
  std::uint32_t* const seen = work.front[(level + 1) % 2];
  const bool owes = course.owes_labels;
  fused_queue(work, course, level, owes, [&](std::uint32_t w) {
    seen[w] = work.visited[w];
    return front[w];
  });
  barrier_of_grid();
  if (threadIdx.x == 0) {
    course.at.edges = counts_of_sweep(work, course, level).edges();
    course.at.is_queued = true;
    course.queue_from = 0;
    course.owes_labels = false;
    course.clear[(level + 1) % 2] = false;
    course.seen_of = level;
  }
  __syncthreads();
}

// Finds the vertices of a level of many edges. `cuts`: of long rows. `is_late`: does not label and
// queue them.
template <bool kMayCut, typename Offset>
__device__ void expand_and_sweep(const FusedWork<Offset>& work, FusedCourse& course, bool cuts,
                                 bool is_late) {
  const level_t level = course.at.level;
  if (course.seen_of != level) {
    fused_copy_visited(work, level);
    barrier_of_grid();
  }
  if (!cuts) {
    fused_expand(work, course);
  } else if constexpr (kMayCut) {
    fused_expand_cut(work, course);
  }
  barrier_of_grid();
  if (is_late) {
    fused_sweep_late(work, level + 1);
  } else {
    fused_sweep(work, course, level + 1);
  }
  barrier_of_grid();
  if (threadIdx.x != 0) return;
  const LevelSlot& next = *work.slots.at(level + 1);
  course.front_of = level + 1;
  course.clear[(level + 1) % 2] = false;
  course.owes_labels = is_late;
  if (is_late) {
    course.at.advance(next.vertices, next.edges, false);
    course.at.is_queued = false;
    return;
  }
  const FusedClaimed<Offset> found = counts_of_sweep(work, course, level + 1);
  const bool has_all = FusedClaimed<Offset>::kHoldsAll;
  advance_queued(work, course, has_all ? found.vertices() : next.queued[0], found.edges());
  course.seen_of = level + 1;
  course.clear[level % 2] = false;
}

// Finds the vertices of a level of few edges. The next frontier's bits cost an atomic per vertex
// and are only set for a level that is expected to go bottom-up. Should one do so unexpectedly,
// run_up makes them of the queue.
template <typename Offset>
__device__ void claim_and_count(const FusedWork<Offset>& work, FusedCourse& course,
                                bool expects_up) {
  const level_t level = course.at.level;
  const bool marks = expects_up && course.clear[(level + 1) % 2];
  fused_claim(work, course, marks);
  barrier_of_grid();
  if (threadIdx.x != 0) return;
  const edge_t* const sums = work.edges_before[course.claims % 2];
  const FusedClaimed<Offset> found = counts_of_queue(work, course, level + 1, sums);
  advance_queued(work, course, found.vertices(), found.edges());
  if (!marks) return;
  course.front_of = level + 1;
  course.clear[level % 2] = true;
  course.clear[(level + 1) % 2] = false;
}

template <bool kMayCut, typename Offset>
__device__ void run_down(const FusedWork<Offset>& work, FusedCourse& course, bool cuts) {
  const bool expects_up = work.rules.expects_up(course.at);
  const bool is_late = work.labels_late && course.at.edges > kLateEdges && expects_up;
  if (threadIdx.x == 0) course.queued = static_cast<std::uint32_t>(course.at.frontier);
  if (!is_late && !cuts && course.at.edges <= kClaimedEdges) {
    claim_and_count(work, course, expects_up);
  } else {
    expand_and_sweep<kMayCut>(work, course, cuts, is_late);
  }
  if (threadIdx.x == 0) course.queue_from = 0;
}

template <unsigned kPacked, typename Offset>
__device__ void run_small(const FusedWork<Offset>& work, FusedCourse& course, level_t max) {
  std::uint32_t waiting = 0;  // thread 0 knows it
  if (threadIdx.x == 0) {
    waiting = ++course.small_runs * (gridDim.x - 1);
    if (blockIdx.x != 0) atomicAdd(&work.course->waiting, 1U);
  }
  if (blockIdx.x == 0) {
    fused_one_block<kPacked>(work, course.at, course.queue_from, max, waiting);
  }
  barrier_of_grid();
  if (threadIdx.x != 0) return;
  course.at = work.course->at;
  course.is_shared = true;
  course.queue_from = 0;
}

// Runs up to `max` levels from where the course is.
template <unsigned kPacked, bool kCounts, typename Offset>
__device__ void run_levels(const FusedWork<Offset>& work, FusedCourse& course, level_t max) {
  const level_t first = course.at.level;
  while (!is_over(work, course) && course.at.level - first < max) {
    const level_t level = course.at.level;
    FusedKind kind = work.rules.kind(course.at);
    const bool is_queued = course.at.is_queued;
    const level_t left = min(max - (level - first), work.depth_limit - level);
    __syncthreads();  // all threads read the course before it changes
    if (kind == kFusedDown && !is_queued) {
      queue_front(work, course);
      // A host that runs one level already knows its kind.
      if (max > 1 && work.rules.is_small(course.at)) kind = kFusedSmall;
    }
    if (kind == kFusedSmall) {
      if (course.is_shared) barrier_of_grid();  // all have read what the last one has left
      run_small<kPacked>(work, course, left);
    } else {
      // Packed rows are never cut, nor are rows in a search that counts, which the host drives.
      constexpr bool kMayCut = kPacked == 0 && !kCounts;
      const bool cuts = kMayCut && kind == kFusedDown && work.rules.cuts(course.at);
      if (thread_in_grid() == 0) {
        work.log.level_is(level, cuts ? kFusedCut : kind);
        work.slots.clear_ahead_of(level);
      }
      if (kind == kFusedUp) {
        run_up<kCounts>(work, course);
      } else {
        run_down<kMayCut>(work, course, cuts);
      }
      if (thread_in_grid() == 0) work.log.level_ended(level, *work.slots.at(level));
      if (threadIdx.x == 0) course.is_shared = false;
    }
    __syncthreads();
  }
}

template <unsigned kPacked, bool kCounts, typename Offset>
__global__ void __launch_bounds__(kFusedThreads, 1)
    run_fused(const __grid_constant__ FusedWork<Offset> work, const __grid_constant__ Progress from,
              FusedStart start, level_t max) {
  alignas(FusedCourse) __shared__ unsigned char course_bytes[sizeof(FusedCourse)];
  auto& course = *reinterpret_cast<FusedCourse*>(course_bytes);
  if (threadIdx.x == 0) {
    new (course_bytes) FusedCourse;
    if (start != FusedStart::fresh) course = *work.course;
    course.small_runs = course.waiting = 0;  // of this launch
    course.is_shared = start != FusedStart::fresh;
    if (start != FusedStart::resumes) course.at = from;
    if (start == FusedStart::level && from.level == 0) {
      course.at.frontier = work.slots.at(0)->queued[0];
    }
  }
  __syncthreads();
  if (start == FusedStart::fresh)
    begin_search(work, source_of(work, work.source), course, max <= 1);
  if (start != FusedStart::level && course.at.level == 0 && course.at.frontier == 0 &&
      thread_in_grid() == 0) {
    fused_log_alone(work.log, kFusedDown);
  }
  run_levels<kPacked, kCounts>(work, course, max);
  if (is_over(work, course)) {
    if (course.at.frontier > 0 && thread_in_grid() == 0) {  // what the last level has found
      work.log.level_is(course.at.level, kFusedDown);
      work.log.level_ended(course.at.level, *work.slots.at(course.at.level));
    }
    fused_label_rest(work, source_of(work, work.source));
    fused_label_leaves(work, source_of(work, work.source), course.at.level);
  }
  if (thread_in_grid() == 0) *work.course = course;
}

// A search's time begins and ends at a barrier of the grid; answers are copied between searches.
template <unsigned kPacked, typename Offset>
__global__ void __launch_bounds__(kFusedThreads, 1)
    run_searches(const __grid_constant__ FusedWork<Offset> work,
                 const __grid_constant__ FusedSearches searches) {
  alignas(FusedCourse) __shared__ unsigned char course_bytes[sizeof(FusedCourse)];
  auto& course = *reinterpret_cast<FusedCourse*>(course_bytes);
  __shared__ std::uint32_t search;  // in shared memory, since the levels use all registers
  if (threadIdx.x == 0) search = 0;
  __syncthreads();
  const auto given = [&] { return searches.sources[search]; };
  const auto note_time = [&](unsigned end) {
    if (thread_in_grid() == 0) searches.times_ns[2 * search + end] = device_ns();
  };
  const auto keep = [&] {
    const std::size_t begin = std::size_t{search} * searches.map.vertices;
    StatusView kept = searches.kept;
    kept.levels += begin;
    if (kept.parents != nullptr) kept.parents += begin;
    searches.map.put(given(), kept);
  };
  while (search < searches.count) {
    barrier_of_grid();  // all have finished with the previous answer
    if (threadIdx.x == 0) new (course_bytes) FusedCourse;
    note_time(0);
    begin_search(work, source_of(work, given()), course, false);
    run_levels<kPacked, false>(work, course, ~level_t{0});
    fused_label_rest(work, source_of(work, given()));
    fused_label_leaves(work, source_of(work, given()), course.at.level);
    barrier_of_grid();
    if (searches.maps_in_time) {
      keep();
      barrier_of_grid();
    }
    note_time(1);
    if (!searches.maps_in_time) keep();
    __syncthreads();
    if (threadIdx.x == 0) ++search;
    __syncthreads();
  }
}

template <unsigned kPacked, typename Offset>
__global__ void __launch_bounds__(kFusedThreads, 1)
    run_cluster(const __grid_constant__ FusedWork<Offset> work) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  fused_cluster<kPacked>(work, source_of(work, work.source));
#endif
}

// Calls make() with a graph's FusedRules::packed, as a std::integral_constant.
template <typename Offset, typename Make>
auto for_packed(unsigned packed, Make make) {
  if constexpr (sizeof(Offset) == sizeof(std::uint32_t)) {  // max_packed()
    if (packed == 16) return make(std::integral_constant<unsigned, 16>{});
    if (packed == 12) return make(std::integral_constant<unsigned, 12>{});
  }
  if (packed == 4) return make(std::integral_constant<unsigned, 4>{});
  return make(std::integral_constant<unsigned, 0>{});
}

template <typename Offset>
ClusterKernel<FusedWork<Offset>> cluster_kernel(unsigned packed) {
  return for_packed<Offset>(packed, [](auto kPacked) {
    return ClusterKernel<FusedWork<Offset>>{&run_cluster<kPacked(), Offset>, kClusterBlocks,
                                            kFusedThreads, sizeof(FusedClusterPart<kPacked()>)};
  });
}

std::size_t small_bytes(unsigned packed) {
  return for_packed<std::uint32_t>(packed,
                                   [](auto kPacked) { return sizeof(FusedOneBlock<kPacked()>); });
}

std::size_t shared_bytes(std::uint32_t hot_words, const FusedShape& shape) {
  const std::size_t cut =
      shape.cut_words > 0 ? sizeof(FusedCutMemory) + shape.cut_words * sizeof(std::uint32_t) : 0;
  return std::max({sizeof(FusedBottomUpMemory) + hot_words * sizeof(std::uint32_t),
                   small_bytes(shape.packed), sizeof(FusedSweepMemory), cut});
}

template <typename... Parameters>
CooperativeKernel<Parameters...> made_for(void (*entry)(Parameters...), std::uint32_t& hot_words,
                                          const FusedShape& shape) {
  CooperativeKernel<Parameters...> made;
  made.kernel = entry;
  made.threads = kFusedThreads;
  const std::size_t max = allow_shared_bytes(entry);
  while (hot_words > 0 && shared_bytes(hot_words, shape) > max)
    hot_words -= std::min(hot_words, 256U);
  made.shared_bytes = shared_bytes(hot_words, shape);
  made.blocks = blocks_at_once(made.kernel, made.threads, made.shared_bytes);
  return made;
}

}  // namespace

template <typename Offset>
FusedKernel<Offset> FusedKernels<Offset>::search(std::uint32_t& hot_words, const FusedShape& shape,
                                                 bool counts) {
  return for_packed<Offset>(shape.packed, [&](auto kPacked) {
    return made_for(
        counts ? &run_fused<kPacked(), true, Offset> : &run_fused<kPacked(), false, Offset>,
        hot_words, shape);
  });
}

template <typename Offset>
FusedSearchesKernel<Offset> FusedKernels<Offset>::searches(std::uint32_t& hot_words,
                                                           const FusedShape& shape) {
  return for_packed<Offset>(shape.packed, [&](auto kPacked) {
    return made_for(&run_searches<kPacked(), Offset>, hot_words, shape);
  });
}

namespace {
constexpr std::size_t kOfKernels = std::size_t{24} << 10;  // more than they declare themselves
}  // namespace

std::uint32_t max_cut_words_here() {
  const std::size_t all = device().shared_bytes_of_block;
  const std::size_t others = sizeof(FusedCutMemory) + kOfKernels;
  const std::size_t words = all > others ? (all - others) / sizeof(std::uint32_t) : 0;
  return static_cast<std::uint32_t>(std::min<std::size_t>(words, kMaxCutWords));
}

unsigned max_packed_here() {
  for (const unsigned packed : {16U, 12U}) {
    if (small_bytes(packed) + kOfKernels <= device().shared_bytes_of_block) return packed;
  }
  return 4;
}

template <typename Offset>
bool FusedKernels<Offset>::cluster_runs_here(unsigned packed) {
  return cluster_kernel<Offset>(packed).runs_here();
}

template <typename Offset>
void FusedKernels<Offset>::launch_cluster(const FusedWork<Offset>& work, cudaStream_t stream) {
  cluster_kernel<Offset>(work.rules.packed).launch(stream, work);
}

template struct FusedKernels<std::uint32_t>;
template struct FusedKernels<edge_t>;

}  // namespace bfslab::cuda
