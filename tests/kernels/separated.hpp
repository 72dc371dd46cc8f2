// SPDX-License-Identifier: Apache-2.0
// Degree separation of a graph whose out-degrees are given: Placement with its delegates' arrays.
#pragma once

#include <bit>
#include <vector>

#include "kernels/distributed/subgraphs/placement.hpp"

namespace bfslab::tests {

class Separated {
 public:
  // `degrees`: [vertices].
  Separated(const std::vector<std::uint64_t>& degrees, unsigned members, std::uint64_t threshold)
      : bits_(degrees.size() / 64 + 1) {
    for (std::size_t v = 0; v < degrees.size(); ++v) {
      if (v % 64 == 0) before_.push_back(static_cast<std::uint32_t>(delegates.size()));
      if (degrees[v] <= threshold) continue;
      bits_[v / 64] |= std::uint64_t{1} << (v % 64);
      delegates.push_back(v);
      degrees_.push_back(static_cast<std::uint32_t>(degrees[v]));
    }
    place = {distributed::Ownership::round_robin(degrees.size(), members),
             {bits_.data(), before_.data(), degrees_.data(), nullptr}};
  }
  Separated(const Separated&) = delete;
  Separated& operator=(const Separated&) = delete;

  distributed::Placement place;
  std::vector<distributed::global_vertex_t> delegates;  // ascending

 private:
  std::vector<std::uint64_t> bits_;
  std::vector<std::uint32_t> before_, degrees_;
};

}  // namespace bfslab::tests
