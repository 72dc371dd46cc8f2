// SPDX-License-Identifier: Apache-2.0
// Makes entries from tuples. A lane makes four tuples at a time. A warp counts their entries by
// ballots and reserves room for all with one atomic addition: keys are written contiguously, and no
// block ever waits for another. Tables lie in shared memory, 10 KiB per block.
//
// Cost a tuple: three 64-bit random words and five table look-ups at scale 25, two gathers from
// new_of_old where there is one (45 G/s at scale 25), 16 bytes written.

#include "kernels/cuda/build/steps.hpp"
#include "kernels/cuda/build/tables.cuh"
#include "kernels/cuda/device/threads.cuh"
#include "kernels/cuda/device/upload.hpp"

namespace bfslab::cuda {

namespace {

constexpr int kTuplesALane = 4;

using Counter = unsigned long long;  // the type that atomicAdd takes

struct TupleBatch {
  Edge edges[kTuplesALane];
  bool there[kTuplesALane];  // false after the last tuple
};

// Calls visit(batch) for all tuples, with all lanes of a warp together. Then calls visit.finish().
template <typename Visit>
__global__ void __launch_bounds__(kBlockThreads)
    visit_tuples(QuadrantTuples tuples, const vertex_t* new_of_old, Visit visit) {
  __shared__ TupleTables tables;
  tables.take_from(tuples);

  constexpr edge_t kChunk = kWarp * kTuplesALane;
  const edge_t step = grid_threads() / kWarp * kChunk;
  for (edge_t begin = grid_thread() / kWarp * kChunk; begin < tuples.count; begin += step) {
    TupleBatch batch;
#pragma unroll
    for (int k = 0; k < kTuplesALane; ++k) {
      const edge_t i = begin + k * kWarp + lane_id();
      batch.there[k] = i < tuples.count;
      batch.edges[k] = {0, 0};
      if (!batch.there[k]) continue;
      Edge edge = tuples(i);
      if (new_of_old != nullptr) edge = {new_of_old[edge.from], new_of_old[edge.to]};
      batch.edges[k] = edge;
    }
    visit(batch);
  }
  visit.finish();
}

// Passes the entries of a tuple to take(is an entry, row, column), which is called twice.
template <typename Take>
__device__ void entries_of(const EntryRules& rules, Edge edge, bool there, const Take& take) {
  const bool loop = edge.from == edge.to;
  take(there && !(loop && rules.drop_self_loops), edge.from, edge.to);
  take(there && !loop && rules.symmetrize, edge.to, edge.from);
}

struct EmitEntries {
  EntryRules rules;
  vertex_t first;
  vertex_t count;
  std::uint64_t* keys;
  Counter* written;

  __device__ void operator()(const TupleBatch& batch) const {
    std::uint64_t key[2 * kTuplesALane];
    unsigned holders[2 * kTuplesALane];  // lanes that have an entry
    unsigned total = 0;
#pragma unroll
    for (int k = 0; k < kTuplesALane; ++k) {
      int entry = 2 * k;
      entries_of(rules, batch.edges[k], batch.there[k],
                 [&](bool is_one, vertex_t row, vertex_t column) {
                   // Unsigned: rows before the first wrap around and are excluded too.
                   const bool ours = is_one && row - first < count;
                   key[entry] = std::uint64_t{row} << rules.vertex_bits | column;
                   holders[entry] = __ballot_sync(kAllLanes, ours);
                   total += __popc(holders[entry]);
                   ++entry;
                 });
    }
    Counter place = 0;
    if (lane_id() == 0 && total > 0) place = atomicAdd(written, Counter{total});
    place = __shfl_sync(kAllLanes, place, 0);
#pragma unroll
    for (int entry = 0; entry < 2 * kTuplesALane; ++entry) {
      if ((holders[entry] >> lane_id() & 1) != 0) {
        keys[place + __popc(holders[entry] & lanes_below())] = key[entry];
      }
      place += __popc(holders[entry]);
    }
  }
  __device__ void finish() const {}
};

struct CountEntries {
  EntryRules rules;
  unsigned shift;
  Counter* counts;

  __device__ void operator()(const TupleBatch& batch) const {
    for (int k = 0; k < kTuplesALane; ++k) {
      entries_of(rules, batch.edges[k], batch.there[k],
                 [&](bool is_one, vertex_t row, vertex_t /*column*/) {
                   if (is_one) atomicAdd(&counts[row >> shift], Counter{1});
                 });
    }
  }
  __device__ void finish() const {}
};

struct CountTuples {
  std::uint32_t* input_edges;
  Counter* self_loops;
  unsigned own_loops = 0;  // this lane's

  __device__ void operator()(const TupleBatch& batch) {
    for (int k = 0; k < kTuplesALane; ++k) {
      if (!batch.there[k]) continue;
      atomicAdd(&input_edges[batch.edges[k].from], 1U);
      own_loops += batch.edges[k].from == batch.edges[k].to ? 1 : 0;
    }
  }
  __device__ void finish() const {
    if (own_loops > 0) atomicAdd(self_loops, Counter{own_loops});
  }
};

template <typename Visit>
void launch(const DeviceTuples& tuples, const Visit& visit, const Stream& stream) {
  if (tuples.recipe.count == 0) return;
  const edge_t lanes = (tuples.recipe.count + kTuplesALane - 1) / kTuplesALane;
  BFSLAB_LAUNCH(visit_tuples, blocks_for(lanes), stream, tuples.recipe, tuples.new_of_old, visit);
}

}  // namespace

DeviceTuples::DeviceTuples(const QuadrantTuples& host, const Stream& stream)
    : recipe(host), slots_(kFullSlots + kRestSlots) {
  const auto put = [&](AliasView& table, unsigned first, unsigned room) {
    if (table.size() > room) throw std::logic_error("a generator's table is larger than expected");
    upload(slots_.data() + first, table.slots, table.size() * sizeof(std::uint64_t), stream);
    table.slots = slots_.data() + first;
  };
  put(recipe.descent.full.table, 0, kFullSlots);
  put(recipe.descent.rest.table, kFullSlots, kRestSlots);
}

edge_t emit_entries(const DeviceTuples& tuples, const EntryRules& rules, Rows rows,
                    std::uint64_t* keys, const Stream& stream) {
  auto written = zeroed<Counter>(1, stream);
  launch(tuples, EmitEntries{rules, rows.first, rows.last - rows.first, keys, written.data()},
         stream);
  return read_back(written.data(), stream);
}

std::vector<edge_t> count_entries(const DeviceTuples& tuples, const EntryRules& rules,
                                  unsigned shift, const Stream& stream) {
  const std::size_t bins = ((tuples.recipe.vertex_count - 1) >> shift) + std::size_t{1};
  auto counts = zeroed<Counter>(bins, stream);
  launch(tuples, CountEntries{rules, shift, counts.data()}, stream);
  const std::vector<Counter> host = downloaded(counts, stream);
  return {host.begin(), host.end()};
}

edge_t count_tuples(const DeviceTuples& tuples, std::uint32_t* input_edges, const Stream& stream) {
  auto self_loops = zeroed<Counter>(1, stream);
  launch(tuples, CountTuples{input_edges, self_loops.data()}, stream);
  return read_back(self_loops.data(), stream);
}

}  // namespace bfslab::cuda
