// SPDX-License-Identifier: Apache-2.0
// The arrays of a CSR while it is being made, and the steps that make and change them.
#pragma once

#include <functional>
#include <vector>

#include "datasets/build/edge_source.hpp"
#include "datasets/graph/buffer.hpp"

namespace bfslab {

struct CsrParts {
  Buffer<edge_t> row_offsets;
  Buffer<vertex_t> columns;
  Buffer<std::uint32_t> input_edges;
  std::vector<std::uint64_t> labels;  // as in EdgeList
  std::uint64_t first_label = 0;
  edge_t self_loops = 0;  // among the input tuples
  edge_t duplicates = 0;  // directed entries dropped
};

struct PartitionRules {
  bool symmetrize = true;  // a self-loop is its own reverse: it is entered once
  bool drop_self_loops = true;
  bool deduplicate = true;
  int threads = 1;
};

// Two passes over the source partition its entries by source vertex into buckets that fit a cache;
// each bucket is then radix sorted, de-duplicated, and copied to its final place. The result is
// independent of the number of threads, because each bucket is sorted as a whole. `release` is
// called once the source is no longer needed. Peak memory beyond the source: the undeduplicated
// entries (4 bytes each up to 2^22 vertices, 8 above) and the CSR. Of a stored source, only as many
// buckets are processed at a time as hold a quarter (an eighth) of the entries, so that list,
// entries and CSR together stay below three times the CSR even if the list names every edge in both
// directions.
CsrParts partition_into_csr(const EdgeSource& source, const PartitionRules& rules,
                            const std::function<void()>& release);

// new_of_old[v] for a random permutation chosen by the seed.
Buffer<vertex_t> shuffled_ids(vertex_t vertex_count, std::uint64_t seed, int threads);
// new_of_old[v] for descending degree, ties by old id.
Buffer<vertex_t> degree_ids(const Buffer<edge_t>& row_offsets, int threads);
// The same graph under new ids; labels name the ids that the vertices had in the input.
CsrParts relabel_parts(CsrParts parts, const Buffer<vertex_t>& new_of_old, int threads);

}  // namespace bfslab
