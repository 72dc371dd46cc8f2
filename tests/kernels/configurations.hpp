// SPDX-License-Identifier: Apache-2.0
// The settings of an engine's toggles that the tests try, from its toggle table alone.
#pragma once

#include <vector>

#include "kernels/engine.hpp"

namespace bfslab::tests {

// Those on the GPU, or those on the CPU; without the counters, which traverse nothing and have
// tests of their own.
std::vector<const EngineInfo*> traversing_engines(bool gpu);

// Returns whether `threads` is a number of CPU threads, and not a choice of threads in a block.
bool counts_threads(const Toggles& toggles);

// True if every toggle may have the value that it has, by its `legal_with` table.
bool is_legal(const EngineInfo& info, const Toggles& toggles);

// The default, every other value of every toggle once (of numbers: the ends of the range), with
// whatever other toggles that needs, and every preset. A number of CPU threads, the integer toggle
// `threads`, is left at its default.
std::vector<Toggles> each_value(const EngineInfo& info);

// A covering array of strength two: every legal pair of values of two toggles occurs. Contains
// each_value().
std::vector<Toggles> each_pair(const EngineInfo& info);

}  // namespace bfslab::tests
