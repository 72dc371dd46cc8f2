// SPDX-License-Identifier: Apache-2.0
// The parts of GPU engines, each alone over made-up input against a model on the host, in grids of
// several shapes: where a part is wrong it names itself, and not the engines that are made of it.
// At small scale the sanitizers watch.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "kernels/cuda/device/device.hpp"
#include "tests/cuda/device_arrays.hpp"
#include "tests/cuda/part_kernels.hpp"
#include "tests/kernels/program.hpp"

namespace bfslab::tests {
namespace {

using cuda::DeviceBuffer;
using cuda::kDegreeClasses;
using Words = std::vector<std::uint32_t>;

enum class Scale { small, full };

constexpr level_t kLevel = 5;  // of what is looked for

// The first difference of two long lists, and not all of them.
template <typename T>
void expect_same(const std::vector<T>& got, const std::vector<T>& wanted, const char* what) {
  EXPECT_EQ(got.size(), wanted.size()) << what;
  const auto [g, w] = std::mismatch(got.begin(), got.end(), wanted.begin(), wanted.end());
  if (g == got.end() || w == wanted.end()) return;
  ADD_FAILURE() << what << ": entry " << g - got.begin() << " is " << *g << " in place of " << *w;
}

template <typename T>
std::vector<T> sorted(std::vector<T> list) {
  std::sort(list.begin(), list.end());
  return list;
}

template <typename T>
T fetched_one(const DeviceBuffer<T>& device) {
  return fetched(device).at(0);
}

// Rows of made-up degrees or neighbours.
class MadeUpGraph {
 public:
  // Numbered: edge e leads to e. None: kernels may ask for degrees, which may be as large as they
  // like.
  enum class Columns { none, numbered };
  explicit MadeUpGraph(const std::vector<edge_t>& degrees, Columns columns = Columns::none)
      : MadeUpGraph(degrees, std::vector<vertex_t>{}) {
    if (columns == Columns::none) return;
    std::vector<vertex_t> numbers(edges());
    std::iota(numbers.begin(), numbers.end(), 0U);
    columns_ = sent(numbers);
  }
  explicit MadeUpGraph(const std::vector<std::vector<vertex_t>>& rows)
      : MadeUpGraph(degrees_of(rows), joined(rows)) {}

  [[nodiscard]] vertex_t vertices() const { return static_cast<vertex_t>(offsets_.size() - 1); }
  [[nodiscard]] edge_t edges() const { return offsets_.back(); }
  [[nodiscard]] edge_t begin(vertex_t v) const { return offsets_[v]; }
  [[nodiscard]] edge_t degree(vertex_t v) const {
    return offsets_[v + std::size_t{1}] - offsets_[v];
  }
  [[nodiscard]] int class_of(vertex_t v) const { return cuda::degree_class(degree(v)); }
  [[nodiscard]] cuda::CsrView view() const {
    return {on_device_.data(), columns_.data(), vertices(), edges()};
  }
  // A queue of all vertices, of one region or of a region a class.
  [[nodiscard]] cuda::QueueView queue(vertex_t* entries, bool by_class) const {
    cuda::QueueView queue{entries, {}};
    if (!by_class) return queue;
    std::uint32_t count[kDegreeClasses] = {};
    for (vertex_t v = 0; v < vertices(); ++v) ++count[class_of(v)];
    for (int c = 1; c < kDegreeClasses; ++c) queue.region[c] = queue.region[c - 1] + count[c - 1];
    return queue;
  }

 private:
  MadeUpGraph(const std::vector<edge_t>& degrees, const std::vector<vertex_t>& columns)
      : offsets_(degrees.size() + 1), columns_(sent(columns)) {
    std::partial_sum(degrees.begin(), degrees.end(), offsets_.begin() + 1);
    on_device_ = sent(offsets_);
  }

  static std::vector<edge_t> degrees_of(const std::vector<std::vector<vertex_t>>& rows) {
    std::vector<edge_t> degrees;
    for (const auto& row : rows) degrees.push_back(row.size());
    return degrees;
  }
  static std::vector<vertex_t> joined(const std::vector<std::vector<vertex_t>>& rows) {
    std::vector<vertex_t> columns;
    for (const auto& row : rows) columns.insert(columns.end(), row.begin(), row.end());
    return columns;
  }

  std::vector<edge_t> offsets_;
  DeviceBuffer<edge_t> on_device_;
  DeviceBuffer<vertex_t> columns_;
};

// Vertices as a queue holds them, by class or in one list; by class those without edges are in
// none.
std::vector<std::vector<vertex_t>> classed(const MadeUpGraph& graph,
                                           const std::vector<vertex_t>& vertices, bool by_class,
                                           bool without_edges) {
  std::vector<std::vector<vertex_t>> lists(kDegreeClasses);
  for (const vertex_t v : vertices) {
    if (graph.degree(v) == 0 && !without_edges) continue;
    lists[by_class ? graph.class_of(v) : 0].push_back(v);
  }
  return lists;
}

// A queue that a test fills and hands to a part.
struct FilledQueue {
  FilledQueue(const MadeUpGraph& graph, const std::vector<vertex_t>& vertices, bool by_class)
      : entries(graph.vertices()), view(graph.queue(entries.data(), by_class)) {
    const auto lists = classed(graph, vertices, by_class, !by_class);
    std::vector<vertex_t> all(graph.vertices(), kNoVertex);
    Words counts;
    for (int c = 0; c < kDegreeClasses; ++c) {
      std::ranges::copy(lists[c], all.begin() + view.region[c]);
      counts.push_back(static_cast<std::uint32_t>(lists[c].size()));
    }
    entries = sent(all);
    view.entries = entries.data();
    queued = sent(counts);
  }

  DeviceBuffer<vertex_t> entries;
  cuda::QueueView view;
  DeviceBuffer<std::uint32_t> queued;
};

// Expects a part's queue to hold the expected entries, in order or in any order.
void expect_queue(const DeviceBuffer<vertex_t>& entries, const cuda::QueueView& queue,
                  const std::uint32_t (&queued)[kDegreeClasses],
                  const std::vector<std::vector<vertex_t>>& wanted, bool in_order) {
  const std::vector<vertex_t> all = fetched(entries);
  for (int c = 0; c < kDegreeClasses; ++c) {
    SCOPED_TRACE("class " + std::to_string(c));
    ASSERT_EQ(queued[c], wanted[c].size());
    const auto begin = all.begin() + queue.region[c];
    std::vector<vertex_t> got(begin, begin + queued[c]);
    expect_same(in_order ? got : sorted(got), sorted(wanted[c]), "the queue");
  }
}

class Parts : public RunsHere<Scale> {
 protected:
  [[nodiscard]] static bool full() { return GetParam() == Scale::full; }

  // Returns grids whose blocks have at most `most` threads.
  [[nodiscard]] static std::vector<Grid> grids(unsigned most = 1024) {
    std::vector<Grid> grids{{1, 32}, {3, 64}};
    if (!full()) return grids;
    grids.push_back({2, most});
    grids.push_back({static_cast<unsigned>(cuda::device().multiprocessors), most});
    return grids;
  }
  [[nodiscard]] static Words sizes() {
    if (!full()) return {33, 515};
    return {0, 1, 4, 5, 31, 33, 128, 129, 511, 514, 4'099, 100'003};
  }
  static testing::ScopedTrace in(Grid grid, const std::string& what = "") {
    return {__FILE__, __LINE__,
            std::to_string(grid.blocks) + " x " + std::to_string(grid.threads) + " " + what};
  }

  std::uint32_t random(std::uint32_t below) {
    return std::uniform_int_distribution<std::uint32_t>(0, below - 1)(random_);
  }
  Words random_words(std::size_t count, std::uint32_t below) {
    Words words(count);
    for (std::uint32_t& word : words) word = random(below);
    return words;
  }
  std::vector<edge_t> random_degrees(std::size_t count, std::uint32_t below) {
    const Words words = random_words(count, below);
    return {words.begin(), words.end()};
  }
  // Returns degrees of all four classes, their bounds included.
  std::vector<edge_t> degrees_of_classes(std::size_t count) {
    constexpr edge_t kDegrees[] = {0, 1, 31, 32, 255, 256, 65'535, 65'536, 70'000};
    std::vector<edge_t> degrees(count);
    for (edge_t& degree : degrees) degree = kDegrees[random(std::size(kDegrees))];
    return degrees;
  }
  // None, all, a run, or a fraction of them are of the level; the others are of levels next to it
  // or unvisited.
  enum class Share { none, all, run, one_in_two, one_in_fifty };
  // That are tried with so many.
  static std::vector<Share> shares(std::uint32_t count) {
    if (!full()) return {Share::all, Share::one_in_two};
    if (count > 50'000) return {Share::run, Share::one_in_two};
    return {Share::none, Share::all, Share::run, Share::one_in_two, Share::one_in_fifty};
  }
  std::vector<level_t> random_levels(std::size_t count, level_t level, Share share) {
    const level_t others[] = {level - 1, level + 1, level == kUnreached ? 0 : kUnreached};
    std::vector<level_t> levels(count);
    for (std::size_t v = 0; v < count; ++v) {
      const bool is = share == Share::all ||
                      (share == Share::run && v >= count / 3 && v < count / 3 + count / 8 + 1) ||
                      (share == Share::one_in_two && random(2) == 0) ||
                      (share == Share::one_in_fifty && random(50) == 0);
      levels[v] = is ? level : others[random(3)];
    }
    return levels;
  }

 private:
  std::mt19937 random_{2019};
};

std::string scale_name(const testing::TestParamInfo<Scale>& param) {
  return param.param == Scale::full ? "full" : "small";
}

#ifdef BFSLAB_STRESS  // with delays, in the program of the stress tests, which runs these by name
INSTANTIATE_TEST_SUITE_P(Stress, Parts, testing::Values(Scale::full), scale_name);
#else
INSTANTIATE_TEST_SUITE_P(Sanitizer, Parts, testing::Values(Scale::small), scale_name);
INSTANTIATE_TEST_SUITE_P(Scale, Parts, testing::Values(Scale::full), scale_name);
#endif

// --- Collectives.

TEST_P(Parts, ExclusiveOfBlock) {
  for (const Grid grid : grids()) {
    const auto trace = in(grid);
    const Words values = random_words(grid.all(), 1'000);
    const auto device = sent(values);
    const DeviceBuffer<std::uint32_t> before(grid.all());
    const DeviceBuffer<std::uint32_t> totals(grid.all());
    exclusive_of_block(grid, device.data(), before.data(), totals.data());
    Words sums(grid.all());
    Words all(grid.all());
    for (unsigned first = 0; first < grid.all(); first += grid.threads) {
      const auto begin = values.begin() + first;
      std::exclusive_scan(begin, begin + grid.threads, sums.begin() + first, 0U);
      std::fill_n(all.begin() + first, grid.threads,
                  std::accumulate(begin, begin + grid.threads, 0U));
    }
    expect_same(fetched(before), sums, "sums");
    expect_same(fetched(totals), all, "totals");
  }
}

TEST_P(Parts, ExclusiveOfGrid) {
  for (const Grid grid : grids()) {
    for (const int classes : {1, kDegreeClasses}) {
      const auto trace = in(grid, std::to_string(classes) + " classes");
      const Words values = random_words(std::size_t{grid.all()} * classes, 1'000);
      const auto own = sent(values);
      const DeviceBuffer<std::uint32_t> sums(std::size_t{grid.blocks} * classes);
      const DeviceBuffer<std::uint32_t> totals(classes);
      exclusive_of_grid(classes, grid, own.data(), sums.data(), totals.data());
      Words wanted(values.size());
      Words all;
      for (int c = 0; c < classes; ++c) {
        const auto begin = values.begin() + std::ptrdiff_t{c} * grid.all();
        std::exclusive_scan(begin, begin + grid.all(),
                            wanted.begin() + std::ptrdiff_t{c} * grid.all(), 0U);
        all.push_back(std::accumulate(begin, begin + grid.all(), 0U));
      }
      expect_same(fetched(own), wanted, "sums");
      expect_same(fetched(totals), all, "totals");
    }
  }
}

TEST_P(Parts, AddOfBlock) {
  for (const Grid grid : grids()) {
    for (const std::uint32_t below : {1U, 1'000'000U}) {
      const auto trace = in(grid);
      std::vector<unsigned long long> values(grid.all());
      for (auto& value : values) value = 1'000'003ULL * random(below);
      const auto device = sent(values);
      const auto total = sent(std::vector<unsigned long long>{17});
      add_of_block(grid, device.data(), total.data());
      EXPECT_EQ(fetched_one(total), std::accumulate(values.begin(), values.end(), 17ULL));
    }
  }
}

TEST_P(Parts, AppendsKeepEveryEntry) {
  for (const Grid grid : grids()) {
    const unsigned threads = grid.all();
    Words one_lane(threads);
    for (unsigned t = 7; t < threads; t += 32) one_lane[t] = 5;
    for (const Words& times : {Words(threads, 0), Words(threads, 1), one_lane,
                               random_words(threads, 4), random_words(threads, 20)}) {
      Words wanted;
      for (unsigned t = 0; t < threads; ++t) wanted.insert(wanted.end(), times[t], t);
      const auto device = sent(times);
      for (const AppendBy by :
           {AppendBy::places_of_warp, AppendBy::place, AppendBy::place_a_lane}) {
        const auto trace = in(grid, "way " + std::to_string(static_cast<int>(by)));
        const auto count = sent(Words{0});
        const auto list = sent(Words(wanted.size() + 1, kNoVertex));
        append(by, grid, device.data(), count.data(), list.data());
        ASSERT_EQ(fetched_one(count), wanted.size());
        Words got = fetched(list);
        EXPECT_EQ(got.back(), kNoVertex) << "beyond the end";
        got.pop_back();
        expect_same(sorted(got), wanted, "the list");
        if (HasFailure()) return;
      }
    }
  }
}

TEST_P(Parts, EnqueueByEveryWay) {
  for (const Grid grid : grids()) {
    const MadeUpGraph graph(degrees_of_classes(grid.all()));
    std::vector<vertex_t> vertices(grid.all());
    std::iota(vertices.begin(), vertices.end(), 0U);
    std::shuffle(vertices.begin(), vertices.end(), std::mt19937(7));
    for (vertex_t& v : vertices) v = random(3) == 0 ? kNoVertex : v;
    std::vector<vertex_t> there = vertices;
    std::erase(there, kNoVertex);
    const auto device = sent(vertices);
    for (const bool by_class : {false, true}) {
      for (const bool one_atomic_a_vertex : {false, true}) {
        const auto trace = in(grid, by_class ? "by class" : "whole");
        const auto entries = sent(std::vector<vertex_t>(grid.all(), kNoVertex));
        const auto slot = sent(std::vector<cuda::LevelSlot>(1));
        const cuda::QueueView queue = graph.queue(entries.data(), by_class);
        enqueue(grid, graph.view(), queue, slot.data()->queued, device.data(), by_class,
                one_atomic_a_vertex);
        expect_queue(entries, queue, fetched_one(slot).queued,
                     classed(graph, there, by_class, !by_class), false);
        if (HasFailure()) return;
      }
    }
  }
}

// --- Frontiers.

// Vertices, or shares of their edges, with statuses.
class ScannedItems {
 public:
  // `split`: most edges of a share; 0: the items are the vertices.
  ScannedItems(const MadeUpGraph& graph, const std::vector<level_t>& levels, level_t level,
               std::uint32_t split)
      : levels_(sent(levels)) {
    std::vector<vertex_t> vertex;
    Words first{0};
    for (vertex_t v = 0; v < graph.vertices(); ++v) {
      const edge_t shares = split == 0 ? 1 : (graph.degree(v) + split - 1) / split;
      vertex.insert(vertex.end(), shares, v);
      first.push_back(static_cast<std::uint32_t>(vertex.size()));
    }
    for (std::uint32_t item = 0; item < vertex.size(); ++item) {
      if (levels[vertex[item]] == level) of_level.push_back(item);
    }
    view.items.count = static_cast<std::uint32_t>(vertex.size());
    view.levels = levels_.data();
    view.level = level;
    if (split == 0) return;
    vertex_ = sent(vertex);
    first_ = sent(first);
    view.items = {.count = view.items.count,
                  .vertex = vertex_.data(),
                  .first = first_.data(),
                  .split = split};
  }

  // How often each is met in `times` scans, and that nothing else is.
  [[nodiscard]] Words met(std::uint32_t times) const {
    Words seen(view.items.count + std::size_t{1});
    for (const std::uint32_t item : of_level) seen[item] = times;
    return seen;
  }

  Scanned view;
  Words of_level;

 private:
  DeviceBuffer<level_t> levels_;
  DeviceBuffer<vertex_t> vertex_;
  DeviceBuffer<std::uint32_t> first_;
};

TEST_P(Parts, ScansMeetEveryItemOfTheLevelOnce) {
  for (const std::uint32_t n : sizes()) {
    const MadeUpGraph graph(random_degrees(n, 20));
    for (const Share share : shares(n)) {
      const std::vector<level_t> levels = random_levels(n, kLevel, share);
      for (const std::uint32_t split : {0U, 1U, 3U}) {
        ScannedItems items(graph, levels, kLevel, split);
        for (const Grid grid : grids()) {
          const auto trace = in(grid, std::to_string(items.view.items.count) + " items");
          for (const bool by_block : {false, true}) {
            items.view.items.by_block = by_block;
            const auto seen = sent(Words(items.view.items.count + std::size_t{1}));
            scan_items(grid, items.view, seen.data());
            expect_same(fetched(seen), items.met(1), "times");
          }
          if (HasFailure()) return;
        }
      }
    }
  }
}

// Two levels streamed through queues of CTAs.
void expect_streamed(const ScannedItems& items, Grid grid, std::uint32_t capacity,
                     cuda::Reserve reserve, bool one_atomic_a_vertex) {
  using cuda::Reserve;
  if (reserve == Reserve::warp) capacity = std::max(capacity, 32U);
  if (reserve == Reserve::cta) capacity = std::max(capacity, grid.threads);
  const std::uint32_t count = items.view.items.count;
  const testing::ScopedTrace trace(__FILE__, __LINE__,
                                   std::to_string(grid.blocks) + " x " +
                                       std::to_string(grid.threads) + " " + std::to_string(count) +
                                       " items, capacity " + std::to_string(capacity) +
                                       ", reserve " + std::to_string(static_cast<int>(reserve)) +
                                       (items.view.items.by_block ? ", by block" : ""));
  const bool in_shared = one_atomic_a_vertex;
  const auto seen = sent(Words(count + std::size_t{1}));
  const auto facts = sent(std::vector<cuda::LevelSlot>(1));
  const DeviceBuffer<std::uint32_t> queues(std::size_t{grid.blocks} * capacity);
  stream_level(grid, items.view, {in_shared ? nullptr : queues.data(), capacity, reserve},
               one_atomic_a_vertex, seen.data(), facts.data());
  expect_same(fetched(seen), items.met(2), "times");
  const cuda::LevelSlot slot = fetched(facts)[0];
  EXPECT_EQ(slot.queued[0], 2 * items.of_level.size());
  EXPECT_EQ(slot.ticket, 0U) << "drains of a length that no queue has";
  if (one_atomic_a_vertex && reserve != Reserve::exact) {
    EXPECT_EQ(slot.queue_atomics, 2 * items.of_level.size());
  }
  if (!items.view.items.by_block) return;
  EXPECT_EQ(slot.scanning_blocks,
            2 * std::min(grid.blocks, (count + grid.threads - 1) / grid.threads));
  if (reserve != Reserve::cta || capacity != grid.threads) return;
  // DFQ, section V.E: a queue with any entry drains before the CTA's next statuses.
  std::set<std::uint32_t> ranges;
  for (const std::uint32_t item : items.of_level) ranges.insert(item / grid.threads);
  EXPECT_EQ(slot.drains, 2 * ranges.size());
}

struct GathererFacts {
  Gatherer gatherer;
  const char* name;
  bool by_class;
  bool without_edges;  // whether vertices without edges enter the queue
  bool in_order;
  bool can_tally;
  bool of_unreached;  // alone
};

constexpr GathererFacts kGatherers[] = {
    {Gatherer::whole, "whole", false, true, false, false, false},
    {Gatherer::whole_a_lane, "whole_a_lane", false, true, false, false, false},
    {Gatherer::by_class, "by_class", true, false, false, true, false},
    {Gatherer::hierarchical, "hierarchical", false, true, false, false, false},
    {Gatherer::prefix_sum, "prefix_sum", false, false, false, true, false},
    {Gatherer::prefix_sum_by_class, "prefix_sum_by_class", true, false, false, true, false},
    {Gatherer::runs, "runs", false, false, true, true, false},
    {Gatherer::runs_by_class, "runs_by_class", true, false, true, true, false},
    {Gatherer::double_scan, "double_scan", false, false, true, false, true},
    {Gatherer::double_scan_by_class, "double_scan_by_class", true, false, true, false, true},
    {Gatherer::bins, "bins", false, false, false, true, false},
    {Gatherer::bins_by_class, "bins_by_class", true, false, false, true, false},
    {Gatherer::bin_runs, "bin_runs", false, false, true, true, false},
    {Gatherer::bin_runs_by_class, "bin_runs_by_class", true, false, true, true, false},
    {Gatherer::edgeless_runs_by_class, "edgeless_runs_by_class", true, true, true, true, false},
    {Gatherer::edgeless_bin_runs_by_class, "edgeless_bin_runs_by_class", true, true, true, true,
     false},
};

// All that a gathering needs but the queue's shape.
class MadeUpGathering {
 public:
  MadeUpGathering(const MadeUpGraph& graph, const std::vector<level_t>& levels, level_t level)
      : graph_(graph), items_(graph, levels, level, 0), entries_(graph.vertices()) {}

  void expect_right(const GathererFacts& facts, Grid grid, std::uint32_t capacity, bool tallies) {
    const Gathering of = prepared(facts.by_class, grid, capacity, tallies);
    gather(facts.gatherer, grid, of);
    EXPECT_EQ(fetched_one(overflow_), 0U);
    expect_queued(of, facts.by_class, facts.without_edges, facts.in_order);
  }

  void expect_two_kernels_right(Grid grid) {
    const Gathering of = prepared(true, grid, 0, true);
    const std::size_t all = std::size_t{kDegreeClasses} * grid.all();
    const DeviceBuffer<std::uint32_t> counts(all);
    count_runs(grid, of, counts.data());
    const Words counted = fetched(counts);
    Words sums(all);
    std::exclusive_scan(counted.begin(), counted.end(), sums.begin(), 0U);
    const auto offsets = sent(sums);
    place_runs(grid, of, counts.data(), offsets.data());
    expect_queued(of, true, false, true);
  }

 private:
  Gathering prepared(bool by_class, Grid grid, std::uint32_t capacity, bool tallies) {
    slot_ = sent(std::vector<cuda::LevelSlot>(1));
    overflow_ = sent(Words{0});
    sums_ = DeviceBuffer<std::uint32_t>(std::size_t{kDegreeClasses} * grid.blocks);
    enterable_ = DeviceBuffer<std::uint32_t>((graph_.vertices() + std::size_t{31}) / 32);
    find_enterable(grid, graph_.view(), enterable_.data());
    Gathering of;
    static_cast<Scanned&>(of) = items_.view;
    of.graph = graph_.view();
    of.queue = graph_.queue(entries_.data(), by_class);
    of.slot = slot_.data();
    of.sums = sums_.data();
    of.overflow = overflow_.data();
    of.capacity = capacity;
    of.enterable = enterable_.data();
    const std::uint32_t room = (graph_.vertices() + grid.all() - 1) / grid.all();
    bins_ = DeviceBuffer<vertex_t>(std::size_t{kDegreeClasses} * grid.all() * room);
    counts_ = DeviceBuffer<std::uint32_t>(std::size_t{kDegreeClasses} * grid.all());
    offsets_ = DeviceBuffer<std::uint32_t>(std::size_t{kDegreeClasses} * grid.all());
    of.bins = {bins_.data(), room};
    of.counts = counts_.data();
    of.offsets = offsets_.data();
    of.tallies = tallies;
    return of;
  }

  void expect_queued(const Gathering& of, bool by_class, bool without_edges, bool in_order) const {
    const cuda::LevelSlot slot = fetched_one(slot_);
    expect_queue(entries_, of.queue, slot.queued,
                 classed(graph_, items_.of_level, by_class, without_edges), in_order);
    edge_t edges = 0;
    for (const vertex_t v : items_.of_level) edges += graph_.degree(v);
    EXPECT_EQ(slot.vertices, of.tallies ? items_.of_level.size() : 0);
    EXPECT_EQ(slot.edges, of.tallies ? edges : 0);
  }

  const MadeUpGraph& graph_;
  ScannedItems items_;
  DeviceBuffer<vertex_t> entries_;
  DeviceBuffer<cuda::LevelSlot> slot_;
  DeviceBuffer<std::uint32_t> overflow_, sums_, enterable_, counts_, offsets_;
  DeviceBuffer<vertex_t> bins_;
};

TEST_P(Parts, GatherersQueueTheLevel) {
  for (const std::uint32_t n : sizes()) {
    std::vector<edge_t> degrees = random_degrees(n, 40);
    const std::vector<edge_t> of_classes = degrees_of_classes(n);
    for (std::uint32_t v = 0; v < n; v += 7) degrees[v] = of_classes[v];
    const MadeUpGraph graph(degrees);
    for (const Share share : shares(n)) {
      for (const level_t level : {kLevel, kUnreached}) {
        MadeUpGathering gathering(graph, random_levels(n, level, share), level);
        for (const Grid grid : grids()) {
          const auto trace = in(grid, std::to_string(n) + " vertices");
          for (const GathererFacts& facts : kGatherers) {
            if (facts.of_unreached && level != kUnreached) continue;
            SCOPED_TRACE(facts.name);
            // As short as a queue may be, and one that takes tiles at once where they are sparse.
            for (const std::uint32_t capacity : {grid.threads, 8'192U}) {
              gathering.expect_right(facts, grid, capacity, false);
              if (facts.gatherer != Gatherer::hierarchical) break;
            }
            if (facts.can_tally) gathering.expect_right(facts, grid, 0, true);
            if (HasFailure()) return;
          }
          gathering.expect_two_kernels_right(grid);
          if (HasFailure()) return;
        }
      }
    }
  }
}

// A queue shorter than what a block finds at once, and than a warp does.
TEST_P(Parts, StreamsDrainTheLevelOnce) {
  const Words capacities = full() ? Words{5, 100, 2'048} : Words{5, 100};
  for (const std::uint32_t n : sizes()) {
    const MadeUpGraph graph(random_degrees(n, 9));
    for (const Share share : shares(n)) {
      for (const std::uint32_t split : {0U, 4U}) {
        ScannedItems items(graph, random_levels(n, kLevel, share), kLevel, split);
        for (const Grid grid : grids()) {
          for (const std::uint32_t capacity : capacities) {
            for (const auto reserve :
                 {cuda::Reserve::exact, cuda::Reserve::warp, cuda::Reserve::cta}) {
              for (const bool by_block : {false, true}) {
                items.view.items.by_block = by_block;
                expect_streamed(items, grid, capacity, reserve, (capacity == 100) != by_block);
                if (HasFailure()) return;
              }
            }
          }
        }
      }
    }
  }
}

// --- Expansions.

// Visits as they are noted, and what they have to come to.
class VisitedEdges {
 public:
  explicit VisitedEdges(const MadeUpGraph& graph)
      : graph_(graph), times_(graph.edges()), wrong_(1), wanted_(graph.edges()) {}

  void want(vertex_t v) {
    for (edge_t e = 0; e < graph_.degree(v); ++e) wanted_[graph_.begin(v) + e] = 1;
  }
  [[nodiscard]] Visits cleared() {
    times_.fill_bytes(0, nullptr);
    wrong_.fill_bytes(0, nullptr);
    return {times_.data(), wrong_.data()};
  }
  void expect_right() const {
    EXPECT_EQ(fetched_one(wrong_), 0U) << "visits from a vertex whose edge it is not";
    expect_same(fetched(times_), wanted_, "times");
  }

 private:
  const MadeUpGraph& graph_;
  DeviceBuffer<std::uint32_t> times_, wrong_;
  Words wanted_;
};

struct MadeUpFrontier {
  const char* name;
  std::vector<edge_t> degrees;
  std::uint32_t one_in = 1;  // how many of all vertices are of it
};

class ExpandedFrontier {
 public:
  ExpandedFrontier(const MadeUpFrontier& made, bool in_all_ways, std::mt19937& random)
      : in_all_ways_(in_all_ways),
        graph_(made.degrees, MadeUpGraph::Columns::numbered),
        visits_(graph_),
        levels_(graph_.vertices(), kLevel + 1) {
    for (vertex_t v = 0; v < graph_.vertices(); ++v) {
      if (random() % made.one_in != 0) continue;
      vertices_.push_back(v);
      levels_[v] = kLevel;
      visits_.want(v);
    }
    std::shuffle(vertices_.begin(), vertices_.end(), random);
    whole_.emplace(graph_, vertices_, false);
    by_class_.emplace(graph_, vertices_, true);
    sums_ = DeviceBuffer<edge_t>(graph_.vertices() + std::size_t{1});
  }

  void expect_right(const ExpansionFacts& facts, Grid grid) {
    for (const int batch : {1, 4}) {
      SCOPED_TRACE("batch " + std::to_string(batch));
      for (const unsigned width : facts.has_width ? some({8, 1, 32}) : Words{1}) {
        expect_right(facts, grid, batch, width, facts.by_class ? *by_class_ : *whole_, {});
      }
    }
  }

  // Entries are shares of the vertices' edges.
  void expect_shares_right(const ExpansionFacts& facts, Grid grid) {
    for (const std::uint32_t split : some({10, 1, 1'024})) {
      SCOPED_TRACE("split " + std::to_string(split));
      const ScannedItems items(graph_, levels_, kLevel, split);
      // Only the entries count here: the queue is one of items.
      Words list = items.of_level;
      std::shuffle(list.begin(), list.end(), std::mt19937(3));
      const auto entries = sent(list);
      const auto queued = sent(Words{static_cast<std::uint32_t>(list.size()), 0, 0, 0});
      for (const bool strided : {false, true}) {
        cuda::Items shares = items.view.items;
        shares.strided = strided;
        expect_right(facts, grid, strided ? 1 : 4, 1, {entries.data(), {}}, queued.data(), shares);
      }
    }
  }

  // As the last bottom-up queue, which holds vertices of other levels too.
  void expect_reached_right(Grid grid) {
    std::vector<vertex_t> all(graph_.vertices());
    std::iota(all.begin(), all.end(), 0U);
    const auto levels = sent(levels_);
    for (const bool by_class : {false, true}) {
      const FilledQueue queue(graph_, all, by_class);
      for (const int batch : {1, 4}) {
        const Visits visits = visits_.cleared();
        expand_reached(batch, grid, graph_.view(),
                       {queue.view, queue.queued.data(), by_class ? kDegreeClasses : 1},
                       levels.data(), kLevel, visits);
        visits_.expect_right();
      }
    }
  }

 private:
  // All of them, or the first.
  [[nodiscard]] Words some(const Words& values) const {
    return in_all_ways_ ? values : Words{values.front()};
  }
  void expect_right(const ExpansionFacts& facts, Grid grid, int batch, unsigned width,
                    const FilledQueue& queue, const cuda::Items& items) {
    expect_right(facts, grid, batch, width, queue.view, queue.queued.data(), items);
  }
  void expect_right(const ExpansionFacts& facts, Grid grid, int batch, unsigned width,
                    const cuda::QueueView& queue, const std::uint32_t* queued,
                    const cuda::Items& items) {
    const DeviceBuffer<edge_t> of_blocks(grid.blocks);
    Frontier frontier{
        graph_.view(),    items, queue, queued, {width, sums_.data(), of_blocks.data()},
        visits_.cleared()};
    expand(facts.name, batch, grid, frontier);
    visits_.expect_right();
    if (!facts.by_blocks) return;
    for (const std::uint32_t drain : some({100, 2'048})) {
      SCOPED_TRACE("by blocks, drains of " + std::to_string(drain));
      frontier.visits = visits_.cleared();
      expand_by_blocks(facts.name, batch, grid, frontier, drain);
      visits_.expect_right();
    }
  }

  bool in_all_ways_;
  MadeUpGraph graph_;
  VisitedEdges visits_;
  std::vector<level_t> levels_;
  std::vector<vertex_t> vertices_;
  std::optional<FilledQueue> whole_, by_class_;
  DeviceBuffer<edge_t> sums_;
};

TEST_P(Parts, ExpansionsVisitEveryEdgeOfTheFrontierOnce) {
  std::vector<edge_t> mixed = random_degrees(200, 40);
  mixed[17] = 300;
  std::fill_n(mixed.begin() + 50, 70, 0);
  std::vector<MadeUpFrontier> frontiers{
      {"empty", {3, 4}, 1'000'000'000}, {"one vertex", {5}}, {"half of mixed", mixed, 2}};
  if (full()) {
    std::vector<edge_t> hub(5'001, 1);
    hub[2'000] = 70'000;
    std::vector<edge_t> empty_rows(9'000, 0);  // a tile of edges meets thousands of empty rows
    empty_rows[0] = 2'000;
    empty_rows[7'000] = 3'000;
    frontiers.push_back({"one without edges", {0}});
    frontiers.push_back({"mixed", mixed});
    frontiers.push_back({"hub and leaves", hub});
    frontiers.push_back({"hub alone", {70'000}});
    frontiers.push_back({"no edges", std::vector<edge_t>(5'000, 0)});
    frontiers.push_back({"empty rows", empty_rows});
    frontiers.push_back({"random", random_degrees(1'000, 2'001)});
    frontiers.push_back({"more than threads", random_degrees(400'000, 6)});
  }
  std::mt19937 random(11);
  for (const MadeUpFrontier& made : frontiers) {
    SCOPED_TRACE(made.name);
    ExpandedFrontier frontier(made, full(), random);
    for (const Grid grid : grids()) {
      const auto trace = in(grid);
      for (const ExpansionFacts& facts : expansions()) {
        SCOPED_TRACE(facts.name);
        if (facts.shares) {
          frontier.expect_shares_right(facts, grid);
        } else {
          frontier.expect_right(facts, grid);
        }
        if (HasFailure()) return;
      }
      SCOPED_TRACE("reached");
      frontier.expect_reached_right(grid);
      if (HasFailure()) return;
    }
  }
}

// --- Bottom-up.

// Computes on the host what bottom-up finds in a level.
class MadeUpLookUp {
 public:
  // Unvisited vertices among others that are of the frontier, of the level before it, or of the one
  // after it already. `long_rows` have more neighbours than a warp takes.
  MadeUpLookUp(vertex_t vertices, unsigned long_rows, std::mt19937& random)
      : levels_(vertices), rows_(vertices) {
    std::vector<vertex_t> pools[4];
    for (vertex_t v = 0; v < vertices; ++v) {
      const unsigned draw = v < 4 ? v : random() % 20;
      const std::size_t role = draw < 3 ? draw : 3;
      constexpr level_t kLevels[] = {kLevel - 1, kLevel, kLevel + 1, kUnreached};
      levels_[v] = kLevels[role];
      pools[role].push_back(v);
    }
    const auto of_pool = [&](std::size_t role) {
      return pools[role].empty() ? vertex_t{0} : pools[role][random() % pools[role].size()];
    };
    for (const vertex_t v : pools[3]) {
      const unsigned shape = random() % 20;
      const std::size_t degree = long_rows > 0       ? 4'300 + random() % 200
                                 : shape == 0        ? 100 + random() % 1'000
                                 : random() % 4 == 0 ? 0
                                                     : random() % 40;
      if (long_rows > 0) --long_rows;
      // Neighbours that say nothing, and then perhaps one or two that do.
      for (std::size_t i = 0; i < degree; ++i) rows_[v].push_back(of_pool(shape < 10 ? 0 : 3));
      if (degree == 0) continue;
      const unsigned end =
          random() % 4;  // of the frontier last, beside it somewhere, both, nothing
      if (end == 1 || end == 2) rows_[v][random() % degree] = of_pool(2);
      if (end == 0 || end == 2) rows_[v][shape < 3 ? random() % degree : degree - 1] = of_pool(1);
    }
    // One row longer than Enterprise's largest class begins with.
    if (!pools[3].empty() && vertices > 10'000) {
      rows_[pools[3].back()].assign(70'000, of_pool(0));
      rows_[pools[3].back()].back() = of_pool(1);
    }
    for (vertex_t v = 0; v < vertices; ++v) {
      out_degrees_.push_back(random() % 10);
      if (levels_[v] == kUnreached && !rows_[v].empty()) unvisited_.push_back(v);
      if (random() % 7 == 0) hubs_.push_back(v);
    }
    incoming_.emplace(rows_);
    outgoing_.emplace(out_degrees_);
  }

  void expect_right(const std::string& balance, bool async, bool hub_cache, Grid grid) {
    SCOPED_TRACE(balance + (async ? ", async" : "") + (hub_cache ? ", hubs" : ""));
    const FilledQueue queue(*incoming_, unvisited_, balance.starts_with("degree_classes"));
    const auto hubs = sent(hubs_);
    prepare();
    LookUp of{work_, queue.view, queue.queued.data(), kLevel};
    if (hub_cache) {
      of.hubs = hubs.data();
      of.hub_count = static_cast<std::uint32_t>(hubs_.size());
    }
    look_up(balance, async, grid, of);
    expect_statuses(async);
  }

  // Gunrock's list and bitmaps, from the first level that pulls to the queue of the next.
  void expect_pull_right(Grid grid) {
    prepare();
    const auto vertices = static_cast<vertex_t>(levels_.size());
    const std::size_t words = (vertices + std::size_t{31}) / 32;
    const auto garbage = Words(words, 0xdeadbeef);
    DeviceBuffer<std::uint32_t> bitmaps[] = {sent(garbage), sent(garbage), sent(garbage)};
    DeviceBuffer<vertex_t> lists[] = {DeviceBuffer<vertex_t>(vertices),
                                      DeviceBuffer<vertex_t>(vertices)};
    const cuda::UnvisitedView unvisited{{lists[0].data(), lists[1].data()},
                                        {bitmaps[0].data(), bitmaps[1].data(), bitmaps[2].data()}};
    const auto bits_of = [&](const std::function<bool(vertex_t)>& is) {
      Words bits(words);
      for (vertex_t v = 0; v < vertices; ++v) bits[v / 32] |= is(v) ? 1U << v % 32 : 0;
      return bits;
    };
    const auto listed = [&](level_t level) {
      std::vector<vertex_t> list = fetched(lists[level % 2]);
      list.resize(fetched(slots_)[level % cuda::kSlots].unvisited);
      return sorted(list);
    };
    const auto bitmap = [&](level_t level) { return fetched(bitmaps[level % 3]); };

    list_unvisited(grid, work_, unvisited, kLevel);
    expect_same(listed(kLevel), unvisited_, "the unvisited");
    expect_same(bitmap(kLevel), bits_of([&](vertex_t v) { return levels_[v] == kLevel; }),
                "the frontier");
    expect_same(bitmap(kLevel + 1), Words(words), "the next frontier");

    pull(grid, work_, unvisited, kLevel);
    expect_statuses(false);
    std::vector<vertex_t> left;
    std::vector<vertex_t> found;
    for (const vertex_t v : unvisited_) (touches(v, kLevel) ? found : left).push_back(v);
    expect_same(listed(kLevel + 1), left, "what is left");
    expect_same(bitmap(kLevel + 1),
                bits_of([&](vertex_t v) { return std::ranges::binary_search(found, v); }),
                "what was found");
    expect_same(bitmap(kLevel + 2), Words(words), "the bitmap after the next");

    queue_frontier(grid, work_, unvisited, kLevel + 1);
    const cuda::LevelSlot next = fetched(slots_)[kLevel + 1];
    ASSERT_EQ(next.queued[0], found.size());
    std::vector<vertex_t> queued = fetched(next_queue_);
    queued.resize(found.size());
    expect_same(sorted(queued), found, "the next queue");
  }

  // Bits made from the statuses, then two levels of first neighbours, the second from the bits that
  // the first has made.
  void expect_first_neighbors_right(Grid grid) {
    prepare();
    const auto vertices = static_cast<vertex_t>(levels_.size());
    const std::size_t words = (vertices + std::size_t{31}) / 32;
    const auto garbage = Words(words, 0xdeadbeef);
    DeviceBuffer<std::uint32_t> visited = sent(garbage);
    DeviceBuffer<std::uint32_t> frontier[] = {sent(garbage), sent(garbage)};
    DeviceBuffer<vertex_t> first((vertices + std::size_t{3}) / 4 * 4);
    const cuda::FirstNeighborsView view{
        first.data(), visited.data(), {frontier[0].data(), frontier[1].data()}};
    const auto bits_of = [&](bool past, const std::function<bool(vertex_t)>& is) {
      Words bits(words);
      for (vertex_t v = 0; v < words * 32; ++v) {
        bits[v / 32] |= (v < vertices ? is(v) : past) ? 1U << v % 32 : 0;
      }
      return bits;
    };
    const auto expect_bits = [&](level_t level, const std::vector<level_t>& levels) {
      expect_same(
          fetched(frontier[level % 2]),
          bits_of(false, [&](vertex_t v) { return levels[v] == level && is_new(v, level); }),
          "the frontier");
      expect_same(
          fetched(visited),
          bits_of(true, [&](vertex_t v) { return levels[v] != kUnreached || rows_[v].empty(); }),
          "the visited");
    };
    mark_statuses(grid, work_, view, kLevel);
    std::vector<vertex_t> first_entries = fetched(first);
    first_entries.resize(vertices);
    std::vector<vertex_t> fronts;
    for (const auto& row : rows_) fronts.push_back(row.empty() ? kNoVertex : row.front());
    expect_same(first_entries, fronts, "first entries");
    expect_bits(kLevel, levels_);
    look_at_first_neighbors(grid, work_, view, kLevel);
    expect_statuses(false);
    const std::vector<level_t> got = fetched(device_levels_);
    expect_bits(kLevel + 1, got);
    look_at_first_neighbors(grid, work_, view, kLevel + 1);
    const std::vector<level_t> after = fetched(device_levels_);
    std::uint64_t found = 0;
    for (const vertex_t v : unvisited_) {
      const bool is_next = got[v] == kUnreached && std::ranges::any_of(rows_[v], [&](vertex_t u) {
                             return got[u] == kLevel + 1 && is_new(u, kLevel + 1);
                           });
      found += is_next ? 1 : 0;
      ASSERT_EQ(after[v], is_next ? kLevel + 2 : got[v]) << v;
    }
    EXPECT_EQ(fetched(slots_)[kLevel + 2].vertices, found);
  }

 private:
  // Returns whether a vertex of `level` is of the frontier, and not made up to be beside it.
  [[nodiscard]] bool is_new(vertex_t v, level_t level) const {
    return level == kLevel || levels_[v] == kUnreached;
  }
  [[nodiscard]] bool touches(vertex_t v, level_t level) const {
    return std::ranges::any_of(rows_[v], [&](vertex_t u) { return levels_[u] == level; });
  }

  void prepare() {
    device_levels_ = sent(levels_);
    device_parents_ = sent(std::vector<vertex_t>(levels_.size(), kNoVertex));
    slots_ = sent(std::vector<cuda::LevelSlot>(cuda::kSlots));
    next_queue_ = DeviceBuffer<vertex_t>(levels_.size());
    work_.outgoing = outgoing_->view();
    work_.incoming = incoming_->view();
    work_.status = {device_levels_.data(), device_parents_.data()};
    work_.slots = {slots_.data()};
    work_.queue[(kLevel + 1) % 2] = {next_queue_.data(), {}};
  }

  // A vertex next to the frontier is of the next level. Asynchronously, one that is not, but is
  // next to a vertex of the next level, is of the level after it: surely so where that was known
  // before the kernel, perhaps where the kernel finds it.
  void expect_statuses(bool async) const {
    const std::vector<level_t> got = fetched(device_levels_);
    const std::vector<vertex_t> parents = fetched(device_parents_);
    std::vector<level_t> wanted = levels_;
    cuda::LevelSlot next;
    cuda::LevelSlot after;
    std::uint64_t least = 0;  // neighbours that must be looked at
    std::uint64_t most = 0;
    std::size_t wrong_parents = 0;
    for (const vertex_t v : unvisited_) {
      const bool found = touches(v, kLevel);
      const bool beside = !found && async && touches(v, kLevel + 1);
      if (found) wanted[v] = kLevel + 1;
      if (beside) wanted[v] = kLevel + 2;
      if (async && !found && !beside && got[v] == kLevel + 2) wanted[v] = kLevel + 2;
      if (found) ++next.vertices, next.edges += out_degrees_[v];
      if (wanted[v] == kLevel + 2) ++after.early_vertices, after.early_edges += out_degrees_[v];
      least += found ? 1 : rows_[v].size();
      most += rows_[v].size();
      if (wanted[v] == kUnreached) {
        wrong_parents += parents[v] != kNoVertex ? 1 : 0;
      } else {  // what the kernel found itself allows the level that it claims
        const bool is_neighbour = std::ranges::count(rows_[v], parents[v]) > 0;
        wrong_parents += is_neighbour && got[parents[v]] + 1 == wanted[v] ? 0 : 1;
      }
    }
    expect_same(got, wanted, "levels");
    EXPECT_EQ(wrong_parents, 0U);
    const std::vector<cuda::LevelSlot> slots = fetched(slots_);
    EXPECT_EQ(slots[kLevel + 1].vertices, next.vertices);
    EXPECT_EQ(slots[kLevel + 1].edges, next.edges);
    EXPECT_EQ(slots[kLevel + 2].early_vertices, after.early_vertices);
    EXPECT_EQ(slots[kLevel + 2].early_edges, after.early_edges);
    EXPECT_GE(slots[kLevel + 1].checked, least);
    EXPECT_LE(slots[kLevel + 1].checked, most);
  }

  std::vector<level_t> levels_;
  std::vector<std::vector<vertex_t>> rows_;
  std::vector<edge_t> out_degrees_;
  std::vector<vertex_t> unvisited_, hubs_;
  std::optional<MadeUpGraph> incoming_, outgoing_;
  DeviceBuffer<level_t> device_levels_;
  DeviceBuffer<vertex_t> device_parents_, next_queue_;
  DeviceBuffer<cuda::LevelSlot> slots_;
  cuda::Traversal work_;
};
static_assert(kLevel + 2 < cuda::kSlots);

// More long rows than a block keeps, in a grid of a single block among others.
TEST_P(Parts, BottomUpFindsTheNextLevel) {
  std::mt19937 random(13);
  struct Case {
    vertex_t vertices;
    unsigned long_rows;
  };
  const std::vector<Case> cases =
      full() ? std::vector<Case>{{1, 0}, {40, 0}, {2'001, 300}, {40'003, 20}}
             : std::vector<Case>{{40, 0}, {300, 2}};
  for (const Case& one : cases) {
    SCOPED_TRACE(std::to_string(one.vertices) + " vertices");
    MadeUpLookUp made(one.vertices, one.long_rows, random);
    for (const Grid grid : grids(256)) {
      const auto trace = in(grid);
      for (const std::string& balance : balances()) {
        for (const bool async : {false, true}) {
          for (const bool hub_cache : {false, true}) {
            made.expect_right(balance, async, hub_cache, grid);
            if (HasFailure()) return;
          }
        }
      }
      made.expect_pull_right(grid);
      if (HasFailure()) return;
      made.expect_first_neighbors_right(grid);
      if (HasFailure()) return;
    }
  }
}

TEST_P(Parts, EarlyFindsEnterTheQueue) {
  for (const std::uint32_t n : sizes()) {
    if (n == 0) continue;
    const MadeUpGraph graph(degrees_of_classes(n));
    const std::vector<level_t> levels = random_levels(n, kLevel, Share::one_in_two);
    const auto device_levels = sent(levels);
    std::vector<vertex_t> last;
    std::vector<vertex_t> early;
    for (vertex_t v = 0; v < n; ++v) {
      if (random(3) == 0) continue;
      last.push_back(v);
    }
    for (const bool of_classes : {false, true}) {
      early.clear();
      for (const vertex_t v : last) {
        if (levels[v] == kLevel && (graph.degree(v) > 0 || !of_classes)) early.push_back(v);
      }
      const FilledQueue queue(graph, last, of_classes);
      for (const bool by_class : {false, true}) {
        for (const Grid grid : grids()) {
          const auto trace = in(grid, std::to_string(n) + " vertices");
          const auto slots = sent(std::vector<cuda::LevelSlot>(cuda::kSlots));
          const DeviceBuffer<vertex_t> entries(n);
          cuda::Traversal work;
          work.outgoing = graph.view();
          work.status.levels = device_levels.data();
          work.slots = {slots.data()};
          work.queue[kLevel % 2] = graph.queue(entries.data(), by_class);
          queue_early(grid, work,
                      {queue.view, queue.queued.data(), of_classes ? kDegreeClasses : 1}, kLevel,
                      by_class);
          expect_queue(entries, work.queue[kLevel % 2], fetched(slots)[kLevel].queued,
                       classed(graph, early, by_class, !by_class), false);
          if (HasFailure()) return;
        }
      }
    }
  }
}

}  // namespace
}  // namespace bfslab::tests
