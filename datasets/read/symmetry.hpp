// SPDX-License-Identifier: Apache-2.0
// Does a list of directed entries hold the reverse of each? A sum over all of them decides, in any
// order and in parallel: entries (u, v) with u < v add a hash of (u, v), their reverses subtract it
// again. The result is 0 for a symmetric list; an asymmetric one passes with probability 2^-64.
#pragma once

#include <cstdint>

#include "datasets/graph/types.hpp"

namespace bfslab {

// The finaliser of SplitMix64 (Steele et al., OOPSLA 2014): a bijection.
inline std::uint64_t entry_hash(vertex_t from, vertex_t to) {
  std::uint64_t x = (std::uint64_t{from} << 32 | to) + 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

inline std::uint64_t symmetry_term(vertex_t from, vertex_t to) {
  if (from == to) return 0;
  return from < to ? entry_hash(from, to) : std::uint64_t{0} - entry_hash(to, from);
}

}  // namespace bfslab
