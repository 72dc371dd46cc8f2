// The filter alone in a kernel, for its test.
#pragma once

#include "kernels/cuda/search/search.hpp"

namespace bfslab::tests {

// Filters the level's candidates into search.queue[level % 2].
void run_filter(const cuda::Search& search, level_t level, unsigned blocks, unsigned threads);

}  // namespace bfslab::tests
