// SNAP edge lists (snap.stanford.edu/data): text, plain or gzip.
#pragma once

#include <string>
#include <string_view>

#include "datasets/graph/edge_list.hpp"

namespace bfslab {

// A file: mapped when plain, inflated when it starts as gzip does, whatever its name.
EdgeList read_snap(const std::string& path, int threads);

// The same from text in memory; `file` is only named in messages.
EdgeList parse_snap(std::string_view text, const std::string& file, int threads);

}  // namespace bfslab
