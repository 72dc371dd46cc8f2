// SPDX-License-Identifier: Apache-2.0
#include <omp.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <stdexcept>

#include "datasets/build/csr_parts.hpp"
#include "datasets/build/radix_sort.hpp"

namespace bfslab {

namespace {

constexpr std::size_t kBatch = 2048;          // tuples made at a time: 16 KiB, half an L1 cache
constexpr unsigned kBucketRecords = 1 << 13;  // aimed at: 32 to 64 KiB, so a sort stays in L2
constexpr unsigned kMaxBucketBits = 13;       // one open cache line each: 512 KiB, half an L2 cache
constexpr unsigned kMaxLocalBits = 16;  // vertices per bucket, so that sparse graphs spread too

// An entry u -> v in bucket u >> local_bits is the word  local(u) | v | forward, from the top; the
// lowest bit distinguishes a given tuple from the reverse that symmetrising added.
struct Layout {
  unsigned vertex_bits;
  unsigned local_bits;
  std::size_t buckets;

  Layout(vertex_t n, edge_t entries)
      : vertex_bits(static_cast<unsigned>(std::bit_width(n == 0 ? 0 : n - 1))) {
    unsigned bits = static_cast<unsigned>(std::bit_width(entries / kBucketRecords));
    if (vertex_bits > kMaxLocalBits) bits = std::max(bits, vertex_bits - kMaxLocalBits);
    // More buckets than that if it makes a record fit 32 bits.
    if (2 * vertex_bits > 31) bits = std::max(bits, std::min(2 * vertex_bits - 31, kMaxBucketBits));
    bits = std::min({bits, kMaxBucketBits, vertex_bits});
    local_bits = vertex_bits - bits;
    buckets = n == 0 ? 0 : ((n - 1) >> local_bits) + std::size_t{1};
  }

  [[nodiscard]] unsigned record_bits() const { return local_bits + vertex_bits + 1; }
};

// The tuples, one slice per thread. Those of a list that the builder may overwrite are used up
// round by round, and their memory is released.
class Slices {
 public:
  Slices(const EdgeSource& source, std::size_t count)
      : source_(source), list_(source.consumable()), begin_(count + 1), end_(count) {
    for (std::size_t s = 0; s <= count; ++s) {
      begin_[s] = static_cast<edge_t>(static_cast<unsigned __int128>(source.size()) * s / count);
      if (s > 0) end_[s - 1] = begin_[s];
    }
  }
  [[nodiscard]] std::size_t count() const { return end_.size(); }

  // Calls visit(edge) for what is left of a slice.
  template <typename Visit>
  void for_each(std::size_t slice, const Visit& visit) const {
    if (!list_.empty()) {
      for (edge_t i = begin_[slice]; i < end_[slice]; ++i) visit(list_[i]);
      return;
    }
    std::array<Edge, kBatch> batch;
    for (edge_t first = begin_[slice]; first < end_[slice]; first += kBatch) {
      const std::span<Edge> edges(batch.data(), std::min<edge_t>(kBatch, end_[slice] - first));
      source_.fill(first, edges);
      for (const Edge& edge : edges) visit(edge);
    }
  }

  // The same; tuples for which visit returns false will not be seen again, if that saves memory.
  template <typename Visit>
  void for_each_and_thin_out(std::size_t slice, const Visit& visit) {
    if (list_.empty()) return for_each(slice, visit);
    edge_t kept = begin_[slice];
    for (edge_t i = begin_[slice]; i < end_[slice]; ++i) {
      const Edge edge = list_[i];
      list_[kept] = edge;
      kept += visit(edge) ? 1 : 0;
    }
    discard_pages(list_.data() + kept, (end_[slice] - kept) * sizeof(Edge));
    end_[slice] = kept;
  }

 private:
  const EdgeSource& source_;
  std::span<Edge> list_;
  std::vector<edge_t> begin_;
  std::vector<edge_t> end_;
};

// Where a slice puts its next record of bucket b: place[slice][b].
struct Placement {
  std::vector<std::vector<edge_t>> place;
  std::vector<edge_t> bucket_begin;  // [buckets + 1]
};

Placement count_records(const Slices& tuples, const Layout& layout, bool symmetrize) {
  const std::size_t slices = tuples.count();
  Placement result;
  std::vector<std::vector<edge_t>> counted(slices, std::vector<edge_t>(layout.buckets));
#pragma omp parallel for schedule(static, 1) num_threads(slices)
  for (std::size_t slice = 0; slice < slices; ++slice) {
    edge_t* const counts = counted[slice].data();
    const unsigned shift = layout.local_bits;
    tuples.for_each(slice, [&](Edge edge) {
      ++counts[edge.from >> shift];
      if (symmetrize) counts[edge.to >> shift] += edge.from != edge.to ? 1 : 0;
    });
  }
  result.place = std::move(counted);
  result.bucket_begin.assign(layout.buckets + 1, 0);
  edge_t sum = 0;
  for (std::size_t b = 0; b < layout.buckets; ++b) {
    result.bucket_begin[b] = sum;
    for (std::size_t s = 0; s < slices; ++s) {
      sum += std::exchange(result.place[s][b], sum);
    }
    // input_edges counts in 32 bits: a bucket this full might overflow one of its counters.
    if (sum - result.bucket_begin[b] > std::numeric_limits<std::uint32_t>::max()) {
      throw std::length_error(
          "more than 2^32 edges meet at one vertex or at vertices of neighbouring ids");
    }
  }
  result.bucket_begin[layout.buckets] = sum;
  return result;
}

// The buckets [first, last), which fit into one round together.
struct Round {
  std::size_t first;
  std::size_t last;
};

// Rounds of about the same number of records; a bucket is never divided.
std::vector<Round> cut_rounds(const std::vector<edge_t>& bucket_begin, unsigned count) {
  const std::size_t buckets = bucket_begin.size() - 1;
  const edge_t each = bucket_begin.back() / count + 1;
  std::vector<Round> rounds;
  for (std::size_t b = 0; b < buckets; ++b) {
    const bool full =
        rounds.empty() ||
        (rounds.size() < count && bucket_begin[b] >= bucket_begin[rounds.back().first] + each);
    if (full) rounds.push_back({b, b});
    rounds.back().last = b + 1;
  }
  return rounds;
}

// Puts the records of one round's buckets into their places, counted from the first bucket's.
template <bool kAllBuckets, typename Record>
void place_records(Slices& tuples, const Layout& layout, bool symmetrize, Placement& placement,
                   Round round, Record* records) {
  const std::size_t slices = tuples.count();
  const edge_t base = placement.bucket_begin[round.first];
#pragma omp parallel for schedule(static, 1) num_threads(slices)
  for (std::size_t slice = 0; slice < slices; ++slice) {
    edge_t* const next = placement.place[slice].data();
    const unsigned shift = layout.local_bits;
    const unsigned local_shift = layout.vertex_bits + 1;
    const auto local_mask = static_cast<vertex_t>((std::uint64_t{1} << shift) - 1);
    const std::size_t first = round.first;
    const std::size_t width = round.last - round.first;
    const auto put = [&](vertex_t from, vertex_t to, Record forward) {
      if (!kAllBuckets && (from >> shift) - first >= width) return;  // wraps below the first
      const auto local = static_cast<Record>(from & local_mask);
      records[next[from >> shift]++ - base] =
          static_cast<Record>((local << local_shift) | (static_cast<Record>(to) << 1) | forward);
    };
    tuples.for_each_and_thin_out(slice, [&](Edge edge) {
      put(edge.from, edge.to, 1);
      if (symmetrize && edge.from != edge.to) put(edge.to, edge.from, 0);
      const vertex_t furthest = symmetrize ? std::max(edge.from, edge.to) : edge.from;
      return (furthest >> shift) >= round.last;
    });
  }
}

// Counts of one finished bucket.
struct BucketFacts {
  edge_t kept = 0;
  edge_t self_loops = 0;
  edge_t duplicates = 0;
};

// Sorts and de-duplicates bucket b. Writes its neighbours in order to the front of its records, and
// its degrees to row_offsets.
template <typename Record>
BucketFacts settle_bucket(std::span<Record> records, std::span<Record> scratch, vertex_t first,
                          const Layout& layout, const PartitionRules& rules, CsrParts& parts) {
  const unsigned local_shift = layout.vertex_bits + 1;
  for (const Record record : records) {
    parts.input_edges[first + static_cast<std::size_t>(std::uint64_t{record} >> local_shift)] +=
        static_cast<std::uint32_t>(record & 1);
  }
  const std::span<Record> sorted = radix_sort(records, scratch, 1, layout.record_bits());
  const auto vertex_mask = static_cast<vertex_t>((std::uint64_t{1} << layout.vertex_bits) - 1);
  BucketFacts facts;
  auto previous = static_cast<Record>(~Record{0});  // equals no entry: those have a top bit of 0
  for (const Record tagged : sorted) {
    const auto record = static_cast<Record>(tagged >> 1);
    const auto from = first + static_cast<std::size_t>(std::uint64_t{tagged} >> local_shift);
    const auto to = static_cast<vertex_t>(record) & vertex_mask;
    if (to == from) {
      ++facts.self_loops;
      if (rules.drop_self_loops) continue;
    }
    if (record == previous) {
      ++facts.duplicates;
      if (rules.deduplicate) continue;
    }
    previous = record;
    records[facts.kept++] = static_cast<Record>(to);
    ++parts.row_offsets[from];
  }
  return facts;
}

// Sorts the buckets of one round, and appends what is left of them to the columns.
template <typename Record>
void settle_round(Round round, Record* records, std::vector<Buffer<Record>>& scratch,
                  const Placement& placement, const Layout& layout, const PartitionRules& rules,
                  edge_t& total, CsrParts& parts) {
  const auto& begin = placement.bucket_begin;
  const std::size_t n = parts.input_edges.size();
  const std::size_t count = round.last - round.first;
  const edge_t base = begin[round.first];
  std::vector<BucketFacts> facts(count);
#pragma omp parallel for schedule(dynamic, 4) num_threads(rules.threads)
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t b = round.first + k;
    const std::size_t size = begin[b + 1] - begin[b];
    const auto thread = static_cast<std::size_t>(omp_get_thread_num());
    facts[k] = settle_bucket<Record>(
        {records + (begin[b] - base), size}, scratch[thread].span().first(size),
        static_cast<vertex_t>(b << layout.local_bits), layout, rules, parts);
  }

  std::vector<edge_t> bucket_column(count);
  for (std::size_t k = 0; k < count; ++k) {
    bucket_column[k] = std::exchange(total, total + facts[k].kept);
    parts.self_loops += facts[k].self_loops;
    parts.duplicates += facts[k].duplicates;
  }
#pragma omp parallel for schedule(dynamic, 4) num_threads(rules.threads)
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t b = round.first + k;
    std::transform(records + (begin[b] - base), records + (begin[b] - base) + facts[k].kept,
                   parts.columns.data() + bucket_column[k],
                   [](Record record) { return static_cast<vertex_t>(record); });
    edge_t sum = bucket_column[k];
    const std::size_t last = std::min(n, (b + 1) << layout.local_bits);
    for (std::size_t v = b << layout.local_bits; v < last; ++v) {
      sum += std::exchange(parts.row_offsets[v], sum);
    }
  }
}

// One round if the tuples are not stored: generating them again would cost more than the memory. A
// stored list is held beside the records and the CSR, and where it names most edges twice (both
// directions, duplicates) the three would be four to six times the CSR. In R rounds it is the list
// (at most twice the CSR's columns in that case, thinning out), an R-th of the records, and the
// columns that are done: 2.6 times at most.
template <typename Record>
unsigned rounds_for(const EdgeSource& source, std::size_t records) {
  constexpr std::size_t kWorthIt = std::size_t{4} << 20;
  if (!source.stored() || records * sizeof(Record) < kWorthIt) return 1;
  return sizeof(Record) == 4 ? 4 : 8;
}

template <typename Record>
CsrParts build_parts(const EdgeSource& source, const PartitionRules& rules, const Layout& layout,
                     const std::function<void()>& release) {
  const std::size_t n = source.vertex_count();
  const auto slices = static_cast<std::size_t>(rules.threads);
  Slices tuples(source, slices);
  Placement placement = count_records(tuples, layout, rules.symmetrize);
  const auto& begin = placement.bucket_begin;
  const std::vector<Round> rounds = cut_rounds(begin, rounds_for<Record>(source, begin.back()));
  std::size_t most = 0;     // records of a round
  std::size_t longest = 0;  // records of a bucket
  for (const Round& round : rounds) most = std::max(most, begin[round.last] - begin[round.first]);
  for (std::size_t b = 0; b < layout.buckets; ++b) {
    longest = std::max(longest, begin[b + 1] - begin[b]);
  }

  CsrParts parts;
  parts.row_offsets = Buffer<edge_t>(n + 1);
  parts.input_edges = Buffer<std::uint32_t>(n);
  parts.columns = Buffer<vertex_t>(begin.back());  // only what is used becomes resident
  edge_t total = 0;
  {
    Buffer<Record> records(most);
    std::vector<Buffer<Record>> scratch(slices);
    for (auto& buffer : scratch) buffer = Buffer<Record>(longest);
    for (const Round& round : rounds) {
      if (rounds.size() == 1) {
        place_records<true>(tuples, layout, rules.symmetrize, placement, round, records.data());
      } else {
        place_records<false>(tuples, layout, rules.symmetrize, placement, round, records.data());
      }
      if (&round == &rounds.back()) release();
      settle_round(round, records.data(), scratch, placement, layout, rules, total, parts);
    }
  }
  if (rounds.empty()) release();
  parts.columns.shrink(total);
  parts.row_offsets[n] = total;
  return parts;
}

}  // namespace

CsrParts partition_into_csr(const EdgeSource& source, const PartitionRules& rules,
                            const std::function<void()>& release) {
  const Layout layout(source.vertex_count(), source.size() * (rules.symmetrize ? 2 : 1));
  return layout.record_bits() <= 32 ? build_parts<std::uint32_t>(source, rules, layout, release)
                                    : build_parts<std::uint64_t>(source, rules, layout, release);
}

}  // namespace bfslab
