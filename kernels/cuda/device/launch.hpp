// How many blocks a kernel gets.
#pragma once

#include <cstdint>

namespace bfslab::cuda {

inline constexpr unsigned kBlockThreads = 256;  // of a block, where nothing else is said

// Blocks of kBlockThreads that the GPU runs at once, if no kernel asks for much.
unsigned full_grid();
// Enough for so many threads: at least one, at most a full grid.
unsigned blocks_for(std::uint64_t threads);

}  // namespace bfslab::cuda
