// SPDX-License-Identifier: Apache-2.0
// One configuration of a search, in every build: values as the toggles of `dfq` have them, what
// memory they take, and the engine made of them. `dfq` is its full table of toggles, `tigr` one
// corner of it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "kernels/engine.hpp"

namespace bfslab::cuda {

struct SearchSettings {
  std::string queue = "decentralized";  // none, central, hierarchical
  std::string collect = "single_scan";  // scan_free, prefix_sum, filter
  std::string expand = "virtual_warp";
  bool in_shared_memory = true;      // of the decentralized queue
  bool one_atomic_a_vertex = false;  // else one a warp
  std::uint32_t capacity = 2048;     // entries of a CTA's queue; 0: all its shared memory
  std::string reserve = "exact";     // warp, cta: of the decentralized queue
  bool scan_by_block = false;        // else interleaved
  unsigned ctas = 0;                 // 0: all that the device runs at once
  unsigned threads = 1024;           // of a CTA
  unsigned width = 32;               // of a virtual warp
  unsigned split = 0;                // most edges of a virtual vertex; 0: vertices are whole
  bool strided = true;               // virtual vertices of a vertex take turns at its edges
  bool persistent = true;            // else a launch a level

  [[nodiscard]] bool materialises() const { return queue == "central" || queue == "hierarchical"; }
  [[nodiscard]] bool sums_degrees() const {
    return expand == "merge_path" || expand == "load_balanced";
  }
};

// GPU memory of the parts beyond the graph and the answer, in bytes: for estimates.
double search_part_bytes(const SearchSettings& settings, const GraphFacts& facts);
// With the graph and the answer.
double search_bytes(const SearchSettings& settings, const GraphFacts& facts, Answer answer);

}  // namespace bfslab::cuda
