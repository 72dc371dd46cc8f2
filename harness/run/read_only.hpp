// SPDX-License-Identifier: Apache-2.0
// ReadOnly: the arrays of a graph cannot be written while it lives, so that an engine which strays
// into them crashes instead of changing what all others read. Whole pages only: what shares a page
// with something else stays as it is.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "datasets/graph/csr_graph.hpp"

namespace bfslab {

class ReadOnly {
 public:
  // With the transpose. The graph outlives it.
  explicit ReadOnly(const CsrGraph& graph);
  ReadOnly(const ReadOnly&) = delete;
  ReadOnly& operator=(const ReadOnly&) = delete;
  ~ReadOnly();

 private:
  void protect(const void* data, std::size_t bytes);

  std::vector<std::pair<void*, std::size_t>> pages_;
};

}  // namespace bfslab
