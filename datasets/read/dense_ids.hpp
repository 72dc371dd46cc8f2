// From the ids of a file, which may have gaps, to 0 .. n-1 in the same order.
#pragma once

#include <cstdint>
#include <string>

#include "datasets/graph/edge_list.hpp"

namespace bfslab {

struct RawEdge {
  std::uint64_t from;
  std::uint64_t to;
};

// Labels are kept unless the ids are 0 .. n-1 already. Throws InputError naming `file` when there
// are more vertices than 32 bits can number.
EdgeList renumber_densely(Buffer<RawEdge> raw, const std::string& file, int threads);

}  // namespace bfslab
