// SPDX-License-Identifier: Apache-2.0
// Bytes of the four subgraphs that degree separation makes (scalable-bfs, Table I), and
// of the conventional forms that section III-C compares them with.
//
//   subgraph   row offsets    columns
//   nn         4 n/p per GPU  8 |Enn|   (destinations are global ids)
//   nd         4 n/p per GPU  4 |End|
//   dn         4 d   per GPU  4 |Edn|
//   dd         4 d   per GPU  4 |Edd|
//   together   8 n + 8 d p    4 m + 4 |Enn|
//
// Deviation (docs/errata.md#scalable-bfs-offsets): 4-byte offsets overflow if a GPU's subgraph of a
// class holds 2^32 entries or more. If any GPU has such a subgraph, its class gets 8-byte offsets
// on all GPUs, as `offset_bytes` records; the table's own total is stored beside it. Like the
// table, this omits the one offset that closes a row array.
#pragma once

#include <array>

#include "kernels/count/degree_separation.hpp"

namespace bfslab::count {

struct SubgraphMemory {  // over all GPUs, by EdgeClass
  std::array<double, distributed::kEdgeClasses> offsets{};
  std::array<double, distributed::kEdgeClasses> columns{};
  std::array<unsigned, distributed::kEdgeClasses> offset_bytes{};  // 4 or 8
  double table_total = 0;  // as in Table I, with offsets of 4 bytes in every case
  [[nodiscard]] double total() const {
    double sum = 0;
    for (std::size_t k = 0; k < offsets.size(); ++k) sum += offsets[k] + columns[k];
    return sum;
  }
};

inline SubgraphMemory subgraph_memory(double vertices, const AtThreshold& at, double gpus) {
  using distributed::EdgeClass;
  constexpr double kOffsetLimit = 4294967296.0;
  SubgraphMemory memory;
  for (std::size_t k = 0; k < at.entries.size(); ++k) {
    const auto edge_class = static_cast<EdgeClass>(k);
    const bool from_delegate = edge_class == EdgeClass::dn || edge_class == EdgeClass::dd;
    const double rows = from_delegate ? at.delegates * gpus : vertices;
    memory.offset_bytes[k] = at.gpu_most[k] >= kOffsetLimit ? 8 : 4;
    memory.offsets[k] = rows * memory.offset_bytes[k];
    memory.columns[k] = at.entries[k] * (edge_class == EdgeClass::nn ? 8 : 4);
    memory.table_total += rows * 4 + memory.columns[k];
  }
  return memory;
}

// Section III-C: 16 bytes per entry as a list of pairs of 64-bit ids; 8 bytes per entry and 8 per
// vertex as a CSR of 64-bit ids.
inline double edge_list_bytes(double entries) { return 16 * entries; }
inline double csr_bytes(double vertices, double entries) { return 8 * vertices + 8 * entries; }

}  // namespace bfslab::count
