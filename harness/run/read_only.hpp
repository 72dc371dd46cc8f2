// SPDX-License-Identifier: Apache-2.0
// ReadOnly: protects the arrays of a graph from writing while it lives, so that an engine with a
// stray write crashes instead of changing the graph of all others. Only whole pages are protected:
// the ends of an array may share pages with other data.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "datasets/graph/csr_graph.hpp"

namespace bfslab {

class ReadOnly {
 public:
  // Also protects the transpose. The graph must outlive it.
  explicit ReadOnly(const CsrGraph& graph);
  ReadOnly(const ReadOnly&) = delete;
  ReadOnly& operator=(const ReadOnly&) = delete;
  ~ReadOnly();

 private:
  void protect(const void* data, std::size_t bytes);

  std::vector<std::pair<void*, std::size_t>> pages_;
};

}  // namespace bfslab
