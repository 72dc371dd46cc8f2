// SPDX-License-Identifier: Apache-2.0
// The counts of kernels/count/degree_separation.hpp, from a CSR or from a stream.
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "datasets/build/team.hpp"
#include "datasets/graph/buffer.hpp"
#include "kernels/count/counted_graph.hpp"
#include "kernels/count/degree_separation.hpp"

namespace bfslab::count {

namespace {

using degree_t = std::uint32_t;
using class_t = std::uint8_t;

constexpr std::size_t kClasses = 256;

// Returns a degree's class, from a table if the degree is small, as nearly all are.
class Classifier {
 public:
  explicit Classifier(const std::vector<std::uint64_t>& thresholds) : thresholds_(thresholds) {
    for (std::size_t degree = 0; degree < small_.size(); ++degree) small_[degree] = search(degree);
  }
  [[nodiscard]] class_t operator()(degree_t degree) const {
    return degree < small_.size() ? small_[degree] : search(degree);
  }

 private:
  [[nodiscard]] class_t search(std::uint64_t degree) const {
    const auto first = std::lower_bound(thresholds_.begin(), thresholds_.end(), degree);
    return static_cast<class_t>(first - thresholds_.begin());
  }
  const std::vector<std::uint64_t>& thresholds_;
  std::array<class_t, 4096> small_{};
};

// Counts of one thread, with a cell per class of the larger degree and class of the smaller one.
struct Tally {
  explicit Tally(std::size_t gpus)
      : own(gpus * kClasses), lower(gpus * kClasses), lower_min(gpus * kClasses) {}
  void add(const Tally& other) {
    const auto sum = [](auto& into, const auto& from) {
      std::transform(into.begin(), into.end(), from.begin(), into.begin(), std::plus<>());
    };
    sum(by_max, other.by_max);
    sum(by_min, other.by_min);
    sum(own, other.own);
    sum(lower, other.lower);
    sum(lower_min, other.lower_min);
    self_loops += other.self_loops;
  }

  std::array<std::uint64_t, kClasses> by_max{};
  std::array<std::uint64_t, kClasses> by_min{};
  // [gpu][class], if there are several GPUs: entries by the larger class, at the source's owner and
  // at the owner of the lower end, and by the smaller class at the latter.
  std::vector<std::uint64_t> own, lower, lower_min;
  std::uint64_t self_loops = 0;
};

class Counter {
 public:
  Counter(vertex_t n, const std::vector<std::uint64_t>& thresholds, Partition partition,
          int threads)
      : thresholds_(thresholds),
        gpus_(partition.gpus()),
        threads_(threads),
        degree_(n),
        class_(n),
        tallies_(static_cast<std::size_t>(threads), Tally(gpus_ > 1 ? gpus_ : 0)) {}

  [[nodiscard]] degree_t* degrees() { return degree_.data(); }

  // Settles the classes once all degrees are known. `entries`: their sum, if none overflowed.
  void classify(std::uint64_t entries) {
    const Classifier classify(thresholds_);
    const std::size_t n = degree_.size();
    std::uint64_t sum = 0;
#pragma omp parallel num_threads(threads_) reduction(+ : sum)
    {
      std::array<std::uint64_t, kClasses> vertices{};
      std::uint64_t isolated = 0;
#pragma omp for schedule(static)
      for (std::size_t v = 0; v < n; ++v) {
        const class_t vertex_class = classify(degree_[v]);
        class_[v] = vertex_class;
        ++vertices[vertex_class];
        isolated += degree_[v] == 0 ? 1 : 0;
        sum += degree_[v];
      }
#pragma omp critical(bfslab_degree_classes)
      {
        std::transform(vertices.begin(), vertices.end(), vertices_.begin(), vertices_.begin(),
                       std::plus<>());
        isolated_ += isolated;
      }
    }
    if (sum != entries) {
      throw InputError(
          "a vertex has 2^32 adjacency entries or more, which degree-separation does not count; "
          "choose a smaller edge factor or less skew");
    }
  }

  void prefetch(vertex_t v) const {
    __builtin_prefetch(class_.data() + v);
    if (gpus_ > 1) __builtin_prefetch(degree_.data() + v);
  }

  // Adds `weight` entries u->v and, if `both`, equally many v->u.
  void entry(std::size_t thread, vertex_t u, vertex_t v, std::uint64_t weight, bool both) {
    Tally& tally = tallies_[thread];
    const auto [smaller, larger] = std::minmax(class_[u], class_[v]);
    const std::uint64_t entries = both ? 2 * weight : weight;
    tally.by_max[larger] += entries;
    tally.by_min[smaller] += entries;
    if (u == v) tally.self_loops += entries / 2;
    if (gpus_ == 1) return;
    const auto low =
        static_cast<std::size_t>(distributed::lower_end(u, v, degree_[u], degree_[v]) % gpus_);
    tally.own[u % gpus_ * kClasses + larger] += weight;
    if (both) tally.own[v % gpus_ * kClasses + larger] += weight;
    tally.lower[low * kClasses + larger] += entries;
    tally.lower_min[low * kClasses + smaller] += entries;
  }

  [[nodiscard]] Separation result(std::uint64_t entries) {
    Tally& total = tallies_.front();
    for (std::size_t t = 1; t < tallies_.size(); ++t) total.add(tallies_[t]);
    Separation separation{.vertices = static_cast<double>(degree_.size()),
                          .isolated = static_cast<double>(isolated_),
                          .entries = static_cast<double>(entries),
                          .self_loops = static_cast<double>(total.self_loops),
                          .at = {}};
    std::uint64_t nn = 0;
    std::uint64_t not_dd = 0;
    std::uint64_t normal = 0;
    for (std::size_t i = 0; i < thresholds_.size(); ++i) {
      nn += total.by_max[i];
      not_dd += total.by_min[i];
      normal += vertices_[i];
      AtThreshold at;
      at.threshold = thresholds_[i];
      at.delegates = static_cast<double>(degree_.size() - normal);
      const std::uint64_t mixed = (not_dd - nn) / 2;  // of either direction: an even count
      at.entries = {static_cast<double>(nn), static_cast<double>(mixed), static_cast<double>(mixed),
                    static_cast<double>(entries - not_dd)};
      balance(total, i, at);
      separation.at.push_back(at);
    }
    return separation;
  }

 private:
  void balance(const Tally& total, std::size_t i, AtThreshold& at) const {
    at.balance_known = true;
    if (gpus_ == 1) {
      at.gpu_most = at.entries;
      for (const double entries : at.entries) at.gpu_entries_max += entries;
      at.gpu_entries_min = at.gpu_entries_max;
      return;
    }
    at.gpu_entries_min = std::numeric_limits<double>::infinity();
    const auto sum = [](const std::vector<std::uint64_t>& cells, std::size_t begin,
                        std::size_t end) {
      std::uint64_t result = 0;
      for (std::size_t c = begin; c < end; ++c) result += cells[c];
      return result;
    };
    for (std::size_t gpu = 0; gpu < gpus_; ++gpu) {
      const std::size_t row = gpu * kClasses;
      const std::size_t cut = row + i + 1;
      const std::uint64_t nn = sum(total.own, row, cut);
      const std::uint64_t rest = sum(total.lower, cut, row + kClasses);
      const std::uint64_t dd = sum(total.lower_min, cut, row + kClasses);
      const std::uint64_t mixed = (rest - dd) / 2;
      const std::array<std::uint64_t, distributed::kEdgeClasses> here = {nn, mixed, mixed, dd};
      for (std::size_t k = 0; k < here.size(); ++k) {
        at.gpu_most[k] = std::max(at.gpu_most[k], static_cast<double>(here[k]));
      }
      at.gpu_entries_min = std::min(at.gpu_entries_min, static_cast<double>(nn + rest));
      at.gpu_entries_max = std::max(at.gpu_entries_max, static_cast<double>(nn + rest));
    }
  }

  const std::vector<std::uint64_t>& thresholds_;
  std::size_t gpus_;
  int threads_;
  Buffer<degree_t> degree_;
  Buffer<class_t> class_;
  std::vector<Tally> tallies_;
  std::array<std::uint64_t, kClasses> vertices_{};
  std::uint64_t isolated_ = 0;
};

}  // namespace

std::vector<std::uint64_t> threshold_ladder(std::uint64_t lowest, std::uint64_t highest,
                                            double ratio) {
  std::vector<std::uint64_t> ladder;
  for (int step = 0;; ++step) {
    const double next = std::round(static_cast<double>(lowest) * std::pow(ratio, step));
    if (next > static_cast<double>(highest) || ladder.size() == kClasses - 1) return ladder;
    const auto threshold = static_cast<std::uint64_t>(next);
    if (ladder.empty() || threshold > ladder.back()) ladder.push_back(threshold);
  }
}

Separation count_separation(const CsrGraph& graph, const std::vector<std::uint64_t>& thresholds,
                            Partition partition, int threads) {
  if (!graph.symmetric()) {
    throw InputError(
        "degree-separation counts symmetric graphs (scalable-bfs section II-A), and this one is "
        "directed; omit symmetrize=false");
  }
  const int team_size = team(threads);
  const vertex_t n = graph.vertex_count();
  Counter counter(n, thresholds, partition, team_size);
  std::uint64_t entries = 0;
#pragma omp parallel for num_threads(team_size) schedule(dynamic, 1024) reduction(+ : entries)
  for (vertex_t v = 0; v < n; ++v) {
    const auto row = graph.neighbors(v);
    const auto [first_loop, last_loop] = std::equal_range(row.begin(), row.end(), v);
    const auto loops = static_cast<std::size_t>(last_loop - first_loop);  // rows are ascending
    entries += row.size() + loops;
    counter.degrees()[v] = static_cast<degree_t>(row.size() + loops);
  }
  counter.classify(entries);
#pragma omp parallel for num_threads(team_size) schedule(dynamic, 1024)
  for (vertex_t u = 0; u < n; ++u) {
    const auto thread = static_cast<std::size_t>(omp_get_thread_num());
    for (const vertex_t v : graph.neighbors(u)) counter.entry(thread, u, v, u == v ? 2 : 1, false);
  }
  return counter.result(entries);
}

Separation count_separation(const EdgeSource& stream, const std::vector<std::uint64_t>& thresholds,
                            Partition partition, int threads) {
  const int team_size = team(threads);
  Counter counter(stream.vertex_count(), thresholds, partition, team_size);
  degree_t* const degrees = counter.degrees();
  for_each_batch(stream, team_size, [degrees](std::size_t, std::span<const Edge> tuples) {
    for (const Edge& edge : tuples) {
      __builtin_prefetch(degrees + edge.from, 1);
      __builtin_prefetch(degrees + edge.to, 1);
    }
    for (const Edge& edge : tuples) {
      std::atomic_ref(degrees[edge.from]).fetch_add(1, std::memory_order_relaxed);
      std::atomic_ref(degrees[edge.to]).fetch_add(1, std::memory_order_relaxed);
    }
  });
  counter.classify(2 * stream.size());
  for_each_batch(stream, team_size, [&](std::size_t thread, std::span<const Edge> tuples) {
    for (const Edge& edge : tuples) {
      counter.prefetch(edge.from);
      counter.prefetch(edge.to);
    }
    for (const Edge& edge : tuples) counter.entry(thread, edge.from, edge.to, 1, true);
  });
  return counter.result(2 * stream.size());
}

Separation expect_separation(const KroneckerShape& shape,
                             const std::vector<std::uint64_t>& thresholds, Partition partition) {
  const KroneckerExpectation expected(shape);
  Separation separation{.vertices = expected.vertices(),
                        .isolated = expected.isolated(),
                        .entries = expected.entries(),
                        .self_loops = expected.self_loops(),
                        .at = {}};
  for (const std::uint64_t threshold : thresholds) {
    const auto by_class = expected.by_class(static_cast<double>(threshold));
    AtThreshold at;
    at.threshold = threshold;
    at.delegates = expected.vertices_above(static_cast<double>(threshold));
    at.entries = {by_class.nn, by_class.nd, by_class.dn, by_class.dd};
    for (std::size_t k = 0; k < at.entries.size(); ++k) {
      at.gpu_most[k] = at.entries[k] / partition.gpus();
    }
    separation.at.push_back(at);
  }
  return separation;
}

}  // namespace bfslab::count
