// SPDX-License-Identifier: Apache-2.0
#include "datasets/graph/near_ids.hpp"

#include <algorithm>
#include <numeric>
#include <span>

namespace bfslab {

namespace {

// Searches for a vertex far from others end after this many searches of a component.
constexpr int kMaxSearches = 8;

class Bands {
 public:
  explicit Bands(const CsrGraph& graph)
      : graph_(graph),
        back_(graph.symmetric() ? nullptr : graph.incoming()),
        seen_(graph.vertex_count(), 0) {
    found_.reserve(graph.vertex_count());
  }

  // Returns the vertices in the order in which the searches of all components find them.
  std::vector<vertex_t> order() {
    std::vector<vertex_t> by_degree(graph_.vertex_count());
    std::iota(by_degree.begin(), by_degree.end(), vertex_t{0});
    std::ranges::stable_sort(by_degree, {}, [this](vertex_t v) { return degree(v); });
    for (const vertex_t v : by_degree) {
      if (seen_[v] == kDone) continue;
      const std::size_t begin = found_.size();
      // Along one direction of the edges a vertex far away may not lead back.
      const bool leads_back = graph_.symmetric() || back_ != nullptr;
      search(leads_back ? far_from(v, begin) : v, begin, true);
      for (std::size_t i = begin; i < found_.size(); ++i) seen_[found_[i]] = kDone;
    }
    return std::move(found_);
  }

 private:
  static constexpr unsigned kDone = ~0U;

  [[nodiscard]] edge_t degree(vertex_t v) const {
    return graph_.degree(v) + (back_ != nullptr ? back_->degree(v) : 0);
  }

  // Appends the vertices that are reached from `source` in order, after the first `begin`. Returns
  // where the last level begins, and sets `levels`.
  std::size_t search(vertex_t source, std::size_t begin, bool sorted) {
    found_.resize(begin);
    const unsigned mark = ++marks_;
    const auto take = [&](std::span<const vertex_t> neighbors) {
      for (const vertex_t u : neighbors) {
        if (seen_[u] == mark || seen_[u] == kDone) continue;
        seen_[u] = mark;
        found_.push_back(u);
      }
    };
    take({&source, 1});
    std::size_t level = begin;
    levels_ = 1;
    for (std::size_t at = begin, end = found_.size(); at < found_.size(); ++at) {
      if (at == end) {
        level = at;
        end = found_.size();
        ++levels_;
      }
      const std::size_t first = found_.size();
      take(graph_.neighbors(found_[at]));
      if (back_ != nullptr) take(back_->neighbors(found_[at]));
      if (!sorted) continue;
      std::ranges::sort(found_.begin() + static_cast<std::ptrdiff_t>(first), found_.end(), {},
                        [this](vertex_t v) { return std::pair(degree(v), v); });
    }
    return level;
  }

  // Returns a vertex of the component of `v` that is far from some other: the vertex of least
  // degree in the last level of a search from the one before, while searches become deeper.
  vertex_t far_from(vertex_t v, std::size_t begin) {
    vertex_t far = v;
    for (unsigned deepest = 0, searches = 0; searches < kMaxSearches; ++searches) {
      const std::size_t last = search(far, begin, false);
      if (levels_ <= deepest) break;
      deepest = levels_;
      far = *std::ranges::min_element(found_.begin() + static_cast<std::ptrdiff_t>(last),
                                      found_.end(), {},
                                      [this](vertex_t u) { return std::pair(degree(u), u); });
    }
    return far;
  }

  const CsrGraph& graph_;
  const CsrGraph* back_;        // null: rows have both directions, or there is no transpose
  std::vector<unsigned> seen_;  // the last search that found a vertex; kDone: it has its place
  std::vector<vertex_t> found_;
  unsigned marks_ = 0;
  unsigned levels_ = 0;  // of the last search
};

}  // namespace

std::vector<vertex_t> reverse_cuthill_mckee(const CsrGraph& graph) {
  const std::vector<vertex_t> order = Bands(graph).order();
  std::vector<vertex_t> ids(order.size());
  vertex_t id = 0;
  for (auto v = order.rbegin(); v != order.rend(); ++v) ids[*v] = id++;
  return ids;
}

}  // namespace bfslab
