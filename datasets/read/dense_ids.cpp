#include "datasets/read/dense_ids.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <vector>

namespace bfslab {

namespace {

// Which ids occur, as a bitmap with the rank of every word: an id's new number is a popcount away.
class Presence {
 public:
  explicit Presence(std::uint64_t largest) : words_(largest / 64 + 1), ranks_(largest / 64 + 1) {}

  void mark(std::uint64_t id) {
    std::atomic_ref<std::uint64_t> word(words_[id / 64]);
    const std::uint64_t bit = std::uint64_t{1} << (id % 64);
    if ((word.load(std::memory_order_relaxed) & bit) == 0) {
      word.fetch_or(bit, std::memory_order_relaxed);
    }
  }
  // Returns the number of ids.
  std::uint64_t rank() {
    std::uint64_t sum = 0;
    for (std::size_t w = 0; w < words_.size(); ++w) {
      ranks_[w] = sum;
      sum += static_cast<std::uint64_t>(std::popcount(words_[w]));
    }
    return sum;
  }
  [[nodiscard]] vertex_t number(std::uint64_t id) const {
    const std::uint64_t lower = words_[id / 64] & ((std::uint64_t{1} << (id % 64)) - 1);
    return static_cast<vertex_t>(ranks_[id / 64] +
                                 static_cast<std::uint64_t>(std::popcount(lower)));
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
  Buffer<std::uint64_t> ranks_;
};

vertex_t checked_count(std::uint64_t count, const std::string& file) {
  if (count >= kNoVertex) {
    throw InputError(
        fmt::format("{}: names {} vertices; at most 2^32 - 2 are supported", file, count));
  }
  return static_cast<vertex_t>(count);
}

template <typename Number>
void translate(const Buffer<RawEdge>& raw, EdgeList& list, int threads, const Number& number) {
  list.edges = Buffer<Edge>(raw.size());
#pragma omp parallel for schedule(static) num_threads(threads)
  for (std::size_t i = 0; i < raw.size(); ++i) {
    list.edges[i] = {number(raw[i].from), number(raw[i].to)};
  }
}

}  // namespace

EdgeList renumber_densely(Buffer<RawEdge> raw, const std::string& file, int threads) {
  EdgeList list;
  std::uint64_t largest = 0;
#pragma omp parallel for schedule(static) num_threads(threads) reduction(max : largest)
  for (std::size_t i = 0; i < raw.size(); ++i) {
    largest = std::max({largest, raw[i].from, raw[i].to});
  }

  // 16 bytes a 64 ids: below this bound the bitmap is no larger than the edges themselves.
  if (largest / 64 <= raw.size() + 1024) {
    Presence presence(largest);
#pragma omp parallel for schedule(static) num_threads(threads)
    for (std::size_t i = 0; i < raw.size(); ++i) {
      presence.mark(raw[i].from);
      presence.mark(raw[i].to);
    }
    const std::uint64_t count = presence.rank();
    list.vertex_count = checked_count(count, file);
    translate(raw, list, threads, [&](std::uint64_t id) { return presence.number(id); });
    if (count != largest + 1) list.labels = presence.ids(count);
    return list;
  }

  std::vector<std::uint64_t> ids;
  ids.reserve(2 * raw.size());
  for (const RawEdge& edge : raw) {
    ids.push_back(edge.from);
    ids.push_back(edge.to);
  }
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  list.vertex_count = checked_count(ids.size(), file);
  translate(raw, list, threads, [&](std::uint64_t id) {
    return static_cast<vertex_t>(std::lower_bound(ids.begin(), ids.end(), id) - ids.begin());
  });
  list.labels = std::move(ids);
  return list;
}

}  // namespace bfslab
