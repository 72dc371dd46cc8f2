// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/batch_search.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <stdexcept>
#include <utility>

namespace bfslab::cpu {

namespace {

constexpr edge_t kHubDegree = 4096;           // rows that all threads share
constexpr std::uint64_t kSerialEdges = 4096;  // smaller levels are not worth a team
constexpr std::size_t kSerialIds = 512;       // shorter queues are not worth a team
constexpr int kFewBits = 12;                  // of 64; more are written as whole lines
constexpr edge_t kAtOnce = 4;                 // entries between two checks for an early end
constexpr edge_t kAhead = 16;                 // entries between a prefetch and its use
constexpr std::uint64_t kSparseTile = 256;    // bits of 4096: fewer are written one by one
constexpr std::size_t kManyShare = 32;        // of the vertices: more are settled in id order
constexpr std::size_t kLine = 16;             // levels of a cache line

// Transposes a matrix of 64 x 64 bits: bit s of row i becomes bit i of row s.
void transpose(std::array<word_t, kWordBits>& rows) {
  word_t mask = 0x0000'0000'FFFF'FFFF;
  for (unsigned width = 32; width != 0; width /= 2, mask ^= mask << width) {
    for (unsigned block = 0; block < kWordBits; block += 2 * width) {
      for (unsigned i = block; i < block + width; ++i) {
        const word_t swapped = ((rows[i] >> width) ^ rows[i + width]) & mask;
        rows[i] ^= swapped << width;
        rows[i + width] ^= swapped;
      }
    }
  }
}

// Writes `level` where a bit is set.
void write_levels(level_t* levels, word_t bits, level_t level) {
  if (std::popcount(bits) <= kFewBits) {
    return for_each_bit(bits, [&](vertex_t bit) { levels[bit] = level; });
  }
  for (unsigned half = 0; half < 2; ++half) {
    const auto low = static_cast<std::uint32_t>(bits >> (32 * half));
    level_t* out = levels + std::size_t{32} * half;
    for (unsigned i = 0; i < 32; ++i) out[i] = ((low >> i) & 1) != 0 ? level : out[i];
  }
}

}  // namespace

BatchSearch::Found& BatchSearch::Found::operator+=(const Found& other) {
  vertices += other.vertices;
  edges += other.edges;
  of_searches += other.of_searches;
  done += other.done;
  done_edges += other.done_edges;
  alive |= other.alive;
  return *this;
}

BatchSearch::BatchSearch(const CsrGraph& graph, const word_t* unreachable, const Hints& hints,
                         const DirectionRule& rule, std::size_t batch, int threads)
    : graph_(&graph),
      incoming_(graph.incoming()),
      unreachable_(unreachable),
      hints_(&hints),
      rule_(&rule),
      threads_(threads),
      words_(word_count(graph.vertex_count())),
      stride_(words_ * kWordBits + kLine),
      seen_(graph.vertex_count()),
      frontier_(graph.vertex_count()),
      next_(graph.vertex_count()),
      queue_(graph.vertex_count()),
      found_(graph.vertex_count()),
      levels_(batch * stride_),
      last_sources_(batch, kNoVertex) {
#pragma omp parallel for num_threads(threads_) schedule(static)
  for (std::size_t i = 0; i < levels_.size(); ++i) levels_[i] = kUnreached;
  std::size_t hubs = 0;
#pragma omp parallel for num_threads(threads_) schedule(static) reduction(+ : hubs)
  for (vertex_t v = 0; v < graph.vertex_count(); ++v) hubs += graph.degree(v) >= kHubDegree ? 1 : 0;
  hubs_.reserve(hubs);
}

double BatchSearch::bytes_for(std::uint64_t vertices, std::size_t batch) {
  const auto n = static_cast<double>(vertices);
  const auto searches = static_cast<double>(batch);
  return n * (3 * sizeof(word_t) + 2 * sizeof(vertex_t)) +
         searches *
             static_cast<double>((word_count(vertices) * kWordBits + kLine) * sizeof(level_t));
}

void BatchSearch::search(std::span<const vertex_t> sources, level_t depth_limit) {
  if (sources.size() > batch()) throw std::invalid_argument("too many searches at once");
  begin(sources);
  for (level_t level = 0; at_.frontier > 0 && level < depth_limit; ++level) {
    if (rule_->bottom_up(!listed_, at_)) {
      bottom_up(level);
    } else {
      top_down(level);
    }
  }
  erase_unreached();
}

void BatchSearch::begin(std::span<const vertex_t> sources) {
  count_ = sources.size();
  const std::size_t n = graph_->vertex_count();
#pragma omp parallel for num_threads(threads_) schedule(static)
  for (std::size_t v = 0; v < n; ++v) seen_[v] = frontier_[v] = next_[v] = 0;
  queued_ = 0;
  for (std::size_t s = 0; s < count_; ++s) {
    // A source that no edge enters is not among those that erase_unreached() sees.
    level_t* const levels = levels_.data() + s * stride_;
    if (last_sources_[s] != kNoVertex) levels[last_sources_[s]] = kUnreached;
    const vertex_t source = last_sources_[s] = sources[s];
    levels[source] = 0;
    if (frontier_[source] == 0) queue_[queued_++] = source;
    frontier_[source] |= word_t{1} << s;
    seen_[source] = frontier_[source];
  }
  listed_ = true;
  Found found;
  for (std::size_t i = 0; i < queued_; ++i) count(queue_[i], frontier_[queue_[i]], found);
  at_ = {.unexplored = graph_->edge_count(), .candidates = rule_->enterable()};
  advance(found);
}

// The rule's frontier is the union of all frontiers, and a vertex is a candidate until all searches
// have seen it.
void BatchSearch::advance(const Found& found) {
  alive_ = found.alive;
  at_.previous = at_.frontier;
  at_.frontier = found.vertices;
  at_.edges = found.edges;
  at_.edges_per_search = std::max<std::uint64_t>(found.of_searches / count_, 1);
  at_.unexplored -= std::min(at_.unexplored, found.done_edges);
  at_.candidates -= std::min(at_.candidates, found.done);
}

void BatchSearch::count(vertex_t v, word_t found, Found& sum) const {
  const edge_t degree = graph_->degree(v);
  ++sum.vertices;
  sum.edges += degree;
  sum.of_searches += degree * static_cast<unsigned>(std::popcount(found));
  sum.alive |= found;
  if (seen_[v] == all()) {
    ++sum.done;
    sum.done_edges += degree;
  }
}

// Fetches the words of a vertex to which offer() will come: its locked instructions wait for them.
inline void BatchSearch::fetch(vertex_t v) const {
  __builtin_prefetch(seen_.data() + v);
  __builtin_prefetch(next_.data() + v, 1);
}

// Gives the searches to a neighbour that has not seen them.
inline void BatchSearch::offer(word_t searches, vertex_t to, IdBlock& found) {
  const word_t fresh = searches & ~seen_[to];
  if (fresh == 0) return;
  const std::atomic_ref<word_t> next(next_[to]);
  if ((next.load(std::memory_order_relaxed) & fresh) == fresh) return;
  if (next.fetch_or(fresh, std::memory_order_relaxed) == 0) found.add(to);
}

void BatchSearch::top_down(level_t level) {
  if (!listed_) fill_queue();
  const edge_t* offsets = graph_->row_offsets().data();
  const vertex_t* columns = graph_->columns().data();
  std::atomic<std::size_t> filled = 0;
  hubs_.clear();
#pragma omp parallel num_threads(threads_) if (at_.edges >= kSerialEdges)
  {
    IdBlock found(found_.data(), filled);
#pragma omp for schedule(dynamic, 64)
    for (std::size_t i = 0; i < queued_; ++i) {
      const vertex_t u = queue_[i];
      const word_t searches = frontier_[u];
      const edge_t end = offsets[u + std::size_t{1}];
      if (end - offsets[u] >= kHubDegree) {
#pragma omp critical
        hubs_.push_back(u);
        continue;
      }
      for (edge_t e = offsets[u]; e < end; ++e) {
        fetch(columns[std::min(e + kAhead, end - 1)]);
        offer(searches, columns[e], found);
      }
    }
    for (const vertex_t hub : hubs_) {
      const word_t searches = frontier_[hub];
      const edge_t end = offsets[hub + std::size_t{1}];
#pragma omp for schedule(static) nowait
      for (edge_t e = offsets[hub]; e < end; ++e) {
        fetch(columns[std::min(e + kAhead, end - 1)]);
        offer(searches, columns[e], found);
      }
    }
    found.flush();
#pragma omp barrier  // all have read their vertices' words
#pragma omp for schedule(static)
    for (std::size_t i = 0; i < queued_; ++i) frontier_[queue_[i]] = 0;
  }
  std::swap(frontier_, next_);
  std::swap(queue_, found_);
  queued_ = filled;
  settle_found(level + 1);
}

// Takes up what a top-down level found. Many vertices are settled in the order of their ids.
void BatchSearch::settle_found(level_t level) {
  const bool many = queued_ > graph_->vertex_count() / kManyShare;
  Found sum;
#pragma omp parallel num_threads(threads_) if (queued_ > kSerialIds)
  {
    const Found own = many ? settle_all(level) : settle_queued(level);
#pragma omp critical
    sum += own;
  }
  advance(sum);
}

// Both are called by all threads of a team, and return what the caller has settled.
BatchSearch::Found BatchSearch::settle_all(level_t level) {
  Found own;
#pragma omp for schedule(static) nowait
  for (std::size_t w = 0; w < words_; ++w) {
    Tile tile = {};
    for_each_bit(~unreachable_[w],
                 [&](vertex_t bit) { tile[bit] = frontier_[w * kWordBits + bit]; });
    own += settle(w, tile, level);
  }
  return own;
}
BatchSearch::Found BatchSearch::settle_queued(level_t level) {
  Found own;
#pragma omp for schedule(static) nowait
  for (std::size_t i = 0; i < queued_; ++i) {
    const vertex_t v = queue_[i];
    const word_t found = frontier_[v];
    seen_[v] |= found;
    count(v, found, own);
    label_one(v, found, level);
  }
  return own;
}

void BatchSearch::bottom_up(level_t level) {
  Found sum;
#pragma omp parallel num_threads(threads_)
  {
    Found own;
#pragma omp for schedule(dynamic, 16) nowait
    for (std::size_t w = 0; w < words_; ++w) own += collect(w, level + 1);
#pragma omp critical
    sum += own;
  }
  std::swap(frontier_, next_);
  listed_ = false;
  advance(sum);
}

// Collects the searches that 64 vertices have not seen from their in-neighbours.
BatchSearch::Found BatchSearch::collect(std::size_t w, level_t level) {
  const edge_t* offsets = incoming_->row_offsets().data();
  const vertex_t* columns = incoming_->columns().data();
  const word_t* frontier = frontier_.data();
  const word_t short_rows = hints_->planes() > 0 ? hints_->short_rows(w) : 0;
  Tile tile = {};
  const std::size_t first = w * kWordBits;
  std::fill(next_.data() + first, next_.data() + std::min(first + kWordBits, next_.size()), 0);
  for_each_bit(~unreachable_[w], [&](vertex_t bit) {
    const auto v = static_cast<vertex_t>(first + bit);
    const word_t wanted = alive_ & ~seen_[v];
    word_t met = 0;
    if (wanted != 0) {
      for (unsigned k = 0; k < hints_->planes(); ++k) met |= frontier[hints_->plane(k)[v]];
      if ((short_rows >> bit & 1) == 0) {
        const edge_t end = offsets[v + std::size_t{1}];
        edge_t e = offsets[v];
        for (; e + kAtOnce <= end && (wanted & ~met) != 0; e += kAtOnce) {
          for (edge_t i = 0; i < kAtOnce; ++i) met |= frontier[columns[e + i]];
        }
        for (; e < end && (wanted & ~met) != 0; ++e) met |= frontier[columns[e]];
      }
    }
    next_[v] = tile[bit] = met & wanted;
  });
  return settle(w, tile, level);
}

// Marks what 64 vertices found as seen, counts it and writes its levels. `tile` is used up.
BatchSearch::Found BatchSearch::settle(std::size_t w, Tile& tile, level_t level) {
  Found sum;
  for (vertex_t bit = 0; bit < kWordBits; ++bit) {
    if (tile[bit] == 0) continue;
    const auto v = static_cast<vertex_t>(w * kWordBits + bit);
    seen_[v] |= tile[bit];
    count(v, tile[bit], sum);
  }
  if (sum.vertices > 0) label(w, tile, level);
  return sum;
}

inline void BatchSearch::label_one(vertex_t v, word_t found, level_t level) {
  for_each_bit(found, [&](vertex_t s) { levels_[s * stride_ + v] = level; });
}

void BatchSearch::label(std::size_t w, Tile& tile, level_t level) {
  std::uint64_t bits = 0;
  for (const word_t found : tile) bits += static_cast<unsigned>(std::popcount(found));
  if (bits < kSparseTile) {
    for (vertex_t bit = 0; bit < kWordBits; ++bit) {
      label_one(static_cast<vertex_t>(w * kWordBits + bit), tile[bit], level);
    }
    return;
  }
  transpose(tile);
  for (std::size_t s = 0; s < count_; ++s) {
    if (tile[s] != 0) write_levels(levels_.data() + s * stride_ + w * kWordBits, tile[s], level);
  }
}

// Lists the frontier of a bottom-up level, and clears the words of the one before it.
void BatchSearch::fill_queue() {
  std::atomic<std::size_t> filled = 0;
#pragma omp parallel num_threads(threads_)
  {
    IdBlock listed(queue_.data(), filled);
#pragma omp for schedule(static) nowait
    for (vertex_t v = 0; v < graph_->vertex_count(); ++v) {
      next_[v] = 0;
      if (frontier_[v] != 0) listed.add(v);
    }
    listed.flush();
  }
  queued_ = filled;
  listed_ = true;
}

// Vertices that no edge enters were never written.
void BatchSearch::erase_unreached() {
#pragma omp parallel for num_threads(threads_) schedule(static)
  for (std::size_t w = 0; w < words_; ++w) {
    Tile tile = {};
    word_t any = 0;
    for_each_bit(~unreachable_[w], [&](vertex_t bit) {
      tile[bit] = all() & ~seen_[w * kWordBits + bit];
      any |= tile[bit];
    });
    if (any != 0) label(w, tile, kUnreached);
  }
}

}  // namespace bfslab::cpu
