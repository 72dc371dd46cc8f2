// SPDX-License-Identifier: Apache-2.0
// The parts of GPU engines alone in kernels, each as engines call it, for parts_test.cpp. Pointers
// are into device memory; every function returns when its kernel is done. All kernels are launched
// cooperatively.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/cuda/bottom_up/first_neighbors.hpp"
#include "kernels/cuda/bottom_up/unvisited_list.hpp"
#include "kernels/cuda/expand/scratch.hpp"
#include "kernels/cuda/frontier/bins.hpp"
#include "kernels/cuda/frontier/sub_queues.hpp"
#include "kernels/cuda/traversal/items.hpp"
#include "kernels/cuda/traversal/traversal.hpp"

namespace bfslab::tests {

struct Grid {
  unsigned blocks = 1;
  unsigned threads = 32;  // of a block: whole warps, at most 1,024

  [[nodiscard]] unsigned all() const { return blocks * threads; }
};

// --- Collectives. `values`, `before`, `totals`: [threads of the grid], a thread each.

void exclusive_of_block(Grid grid, const std::uint32_t* values, std::uint32_t* before,
                        std::uint32_t* totals);
// `own`: [classes * threads of the grid] counts by class, which become sums. `sums`: [classes *
// blocks] of scratch. `totals`: [classes]. `classes`: 1 or 4.
void exclusive_of_grid(int classes, Grid grid, std::uint32_t* own, std::uint32_t* sums,
                       std::uint32_t* totals);
void add_of_block(Grid grid, const unsigned long long* values, unsigned long long* total);

enum class AppendBy { places_of_warp, place, place_a_lane };

// Thread t appends its number times[t] times to `list`, whose length is `*count`.
void append(AppendBy by, Grid grid, const std::uint32_t* times, std::uint32_t* count,
            std::uint32_t* list);
// `vertices`: [threads of the grid] kNoVertex: the thread has none.
void enqueue(Grid grid, const cuda::CsrView& graph, const cuda::QueueView& queue,
             std::uint32_t* queued, const vertex_t* vertices, bool by_class,
             bool one_atomic_a_vertex);

// --- Frontiers from statuses.

struct Scanned {
  cuda::Items items;
  const level_t* levels = nullptr;
  level_t level = 0;
};

// `seen`: [items + 1] how often the scan met each; the last: what is no item.
void scan_items(Grid grid, const Scanned& of, std::uint32_t* seen);

enum class Gatherer {
  whole,
  whole_a_lane,  // one atomic a vertex
  by_class,
  hierarchical,
  prefix_sum,
  prefix_sum_by_class,
  runs,  // a prefix sum over runs of statuses: the queue is sorted, in each class
  runs_by_class,
  double_scan,  // of kUnreached alone; sorted likewise
  double_scan_by_class,
  bins,
  bins_by_class,
  bin_runs,  // sorted likewise
  bin_runs_by_class,
  edgeless_runs_by_class,  // vertices without edges enter the queue, too
  edgeless_bin_runs_by_class
};

struct Gathering : Scanned {
  cuda::CsrView graph;  // whose degrees class the vertices
  cuda::QueueView queue;
  cuda::LevelSlot* slot = nullptr;
  std::uint32_t* sums = nullptr;             // [classes * blocks] of scratch
  std::uint32_t* overflow = nullptr;         // [1]
  std::uint32_t capacity = 0;                // of a block's hierarchical queue
  const std::uint32_t* enterable = nullptr;  // [ceil(n / 32)] double_scan
  cuda::BinsView bins;
  std::uint32_t* counts = nullptr;   // [classes * threads of the grid] bins
  std::uint32_t* offsets = nullptr;  // likewise
  bool tallies = false;              // by_class and prefix sums: the slot gets the sums
};

void gather(Gatherer gatherer, Grid grid, const Gathering& of);
void find_enterable(Grid grid, const cuda::CsrView& incoming, std::uint32_t* enterable);

// The same prefix sum over runs, by class, as two kernels. `counts`, `offsets`: [classes * threads
// of the grid]; between the two the caller sums `counts` up.
void count_runs(Grid grid, const Gathering& of, std::uint32_t* counts);
void place_runs(Grid grid, const Gathering& of, const std::uint32_t* counts,
                const std::uint32_t* offsets);

// Runs the level twice. `seen`: as scan_items(). `facts`: a slot, zero before. queued[0] becomes
// the number of items that all blocks report together, `ticket` the number of drains of more
// entries than a queue holds or of none; drains, atomics and blocks are counted as engines count
// them.
void stream_level(Grid grid, const Scanned& of, const cuda::SubQueuesView& queues,
                  bool one_atomic_a_vertex, std::uint32_t* seen, cuda::LevelSlot* facts);

// --- Expansions. The graph's columns are 0, 1, 2, ...: a neighbour's number is its edge's.

struct Visits {
  std::uint32_t* times = nullptr;  // [edges] that the edge was visited
  std::uint32_t* wrong = nullptr;  // [1] visits from a vertex whose edge it is not
};

struct Frontier {
  cuda::CsrView graph;
  cuda::Items items;  // what entries are where they are shares
  cuda::QueueView queue;
  const std::uint32_t* queued = nullptr;  // [kDegreeClasses]
  cuda::ExpandScratch scratch;
  Visits visits;
};

struct ExpansionFacts {
  std::string name;
  bool shares = false;     // entries are shares of vertices
  bool by_class = false;   // its queue has a region for each degree class
  bool by_blocks = false;  // it takes any list
  bool has_width = false;
};
std::vector<ExpansionFacts> expansions();

// By the whole grid, or each block a part of the queue, in drains of `drain` entries. `batch`: 1 or
// 4, the edges that an edge action looks at together.
void expand(const std::string& name, int batch, Grid grid, const Frontier& frontier);
void expand_by_blocks(const std::string& name, int batch, Grid grid, const Frontier& frontier,
                      std::uint32_t drain);

// --- Bottom-up.

// The last bottom-up queue: of one region or of kDegreeClasses.
struct LastQueue {
  cuda::QueueView queue;
  const std::uint32_t* queued = nullptr;
  int classes = 1;
};

void expand_reached(int batch, Grid grid, const cuda::CsrView& graph, const LastQueue& last,
                    const level_t* levels, level_t level, const Visits& visits);
void queue_early(Grid grid, const cuda::Traversal& work, const LastQueue& last, level_t level,
                 bool by_class);

struct LookUp {
  cuda::Traversal work;
  cuda::QueueView queue;
  const std::uint32_t* queued = nullptr;  // [kDegreeClasses]
  level_t level = 0;
  const vertex_t* hubs = nullptr;  // null: no hub cache
  std::uint32_t hub_count = 0;
};

std::vector<std::string> balances();
// Counts what it reads. Blocks of at most 256 threads.
void look_up(const std::string& balance, bool async, Grid grid, const LookUp& of);

void list_unvisited(Grid grid, const cuda::Traversal& work, const cuda::UnvisitedView& unvisited,
                    level_t level);
// Counts the edges of what it finds, and what it reads.
void pull(Grid grid, const cuda::Traversal& work, const cuda::UnvisitedView& unvisited,
          level_t level);
void queue_frontier(Grid grid, const cuda::Traversal& work, const cuda::UnvisitedView& unvisited,
                    level_t level);

// Makes the array of first entries as well.
void mark_statuses(Grid grid, const cuda::Traversal& work, const cuda::FirstNeighborsView& view,
                   level_t level);
// Counts the edges of what it finds, and what it reads.
void look_at_first_neighbors(Grid grid, const cuda::Traversal& work,
                             const cuda::FirstNeighborsView& view, level_t level);

}  // namespace bfslab::tests
