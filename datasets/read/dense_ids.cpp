// SPDX-License-Identifier: Apache-2.0
#include "datasets/read/dense_ids.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <iterator>
#include <utility>

namespace bfslab {

namespace {

template <typename Visit>
void for_each_edge(const EdgePiece& piece, const Visit& visit) {
  for (const Edge edge : piece.narrow) visit(std::uint64_t{edge.from}, std::uint64_t{edge.to});
  for (const RawEdge edge : piece.wide) visit(edge.from, edge.to);
}

// The set of ids that occur, as a bitmap with the rank of every word: an id's new number takes one
// popcount.
class Presence {
 public:
  explicit Presence(std::uint64_t largest) : words_(largest / 64 + 1), ranks_(largest / 64 + 1) {}

  // Bytes for ids up to `largest`.
  static std::uint64_t bytes(std::uint64_t largest) { return (largest / 64 + 1) * 12; }

  void mark(std::uint64_t id) {
    std::atomic_ref<std::uint64_t> word(words_[id / 64]);
    const std::uint64_t bit = std::uint64_t{1} << (id % 64);
    if ((word.load(std::memory_order_relaxed) & bit) == 0) {
      word.fetch_or(bit, std::memory_order_relaxed);
    }
  }
  // Returns the number of ids; ranks are valid only if it is below 2^32.
  std::uint64_t rank() {
    std::uint64_t sum = 0;
    for (std::size_t w = 0; w < words_.size(); ++w) {
      ranks_[w] = static_cast<std::uint32_t>(sum);
      sum += static_cast<std::uint64_t>(std::popcount(words_[w]));
    }
    return sum;
  }
  [[nodiscard]] vertex_t number(std::uint64_t id) const {
    const std::uint64_t lower = words_[id / 64] & ((std::uint64_t{1} << (id % 64)) - 1);
    return ranks_[id / 64] + static_cast<vertex_t>(std::popcount(lower));
  }
  [[nodiscard]] std::vector<std::uint64_t> ids(std::uint64_t count) const {
    std::vector<std::uint64_t> all;
    all.reserve(count);
    for (std::size_t w = 0; w < words_.size(); ++w) {
      for (std::uint64_t rest = words_[w]; rest != 0; rest &= rest - 1) {
        all.push_back(w * 64 + static_cast<std::uint64_t>(std::countr_zero(rest)));
      }
    }
    return all;
  }

 private:
  Buffer<std::uint64_t> words_;
  Buffer<std::uint32_t> ranks_;
};

vertex_t checked_count(std::uint64_t count, const std::string& file) {
  if (count >= kNoVertex) {
    throw InputError(
        fmt::format("{}: names {} vertices; at most 2^32 - 2 are supported", file, count));
  }
  return static_cast<vertex_t>(count);
}

// The ids that occur, ascending: piece by piece, so that only the distinct ids of all earlier
// pieces are held beside those of one piece.
std::vector<std::uint64_t> distinct_ids(const std::vector<EdgePiece>& pieces) {
  std::vector<std::uint64_t> all;
  std::vector<std::uint64_t> fresh;
  std::vector<std::uint64_t> merged;
  const auto merge = [&] {
    std::sort(fresh.begin(), fresh.end());
    fresh.erase(std::unique(fresh.begin(), fresh.end()), fresh.end());
    merged.clear();
    merged.reserve(all.size() + fresh.size());
    std::set_union(all.begin(), all.end(), fresh.begin(), fresh.end(), std::back_inserter(merged));
    std::swap(all, merged);
    fresh.clear();
  };
  for (const EdgePiece& piece : pieces) {
    for_each_edge(piece, [&](std::uint64_t from, std::uint64_t to) {
      fresh.push_back(from);
      fresh.push_back(to);
    });
    if (fresh.size() > all.size()) merge();  // the work of the merges is a geometric series
  }
  merge();
  return all;
}

// Frees each piece once its edges are renumbered.
template <typename Number>
Buffer<Edge> translate(std::vector<EdgePiece> pieces, int threads, const Number& number) {
  std::vector<std::size_t> first(pieces.size() + 1);
  for (std::size_t p = 0; p < pieces.size(); ++p) first[p + 1] = first[p] + pieces[p].size();
  Buffer<Edge> edges(first.back());
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    Edge* out = edges.data() + first[p];
    for_each_edge(pieces[p], [&](std::uint64_t from, std::uint64_t to) {
      *out++ = {number(from), number(to)};
    });
    const EdgePiece gone = std::move(pieces[p]);
  }
  return edges;
}

}  // namespace

EdgeList renumber_densely(std::vector<EdgePiece> pieces, std::uint64_t largest,
                          const std::string& file, int threads) {
  EdgeList list;
  std::uint64_t edges = 0;
  for (const EdgePiece& piece : pieces) edges += piece.size();
  if (edges == 0) return list;

  // The bitmap is worth it while it is no larger than half the edges themselves.
  if (Presence::bytes(largest) <= edges * sizeof(Edge) / 2 + (1 << 20)) {
    Presence presence(largest);
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (const EdgePiece& piece : pieces) {
      for_each_edge(piece, [&](std::uint64_t from, std::uint64_t to) {
        presence.mark(from);
        presence.mark(to);
      });
    }
    const std::uint64_t count = presence.rank();
    list.vertex_count = checked_count(count, file);
    if (count == largest + 1) return gather(std::move(pieces), list.vertex_count, threads);
    list.edges = translate(std::move(pieces), threads,
                           [&](std::uint64_t id) { return presence.number(id); });
    list.labels = presence.ids(count);
    return list;
  }

  std::vector<std::uint64_t> ids = distinct_ids(pieces);
  list.vertex_count = checked_count(ids.size(), file);
  list.edges = translate(std::move(pieces), threads, [&](std::uint64_t id) {
    return static_cast<vertex_t>(std::lower_bound(ids.begin(), ids.end(), id) - ids.begin());
  });
  list.labels = std::move(ids);
  return list;
}

EdgeList gather(std::vector<EdgePiece> pieces, vertex_t vertex_count, int threads) {
  EdgeList list;
  list.vertex_count = vertex_count;
  list.edges = translate(std::move(pieces), threads,
                         [](std::uint64_t id) { return static_cast<vertex_t>(id); });
  return list;
}

}  // namespace bfslab
