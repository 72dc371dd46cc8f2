// SPDX-License-Identifier: Apache-2.0
// Tails: paths that hang on the lightest vertices of a core, one on each, and make it deep. Their
// lengths fall off exponentially, as the last levels of real graphs do: two have the full length,
// half of it is exceeded by the root of their number. Of 8 tails of length 9 the lengths are
// 9, 9, 5, 5, 2, 2, 1 and 1.
#pragma once

#include <cstdint>
#include <vector>

#include "datasets/generate/generator.hpp"
#include "datasets/graph/types.hpp"

namespace bfslab {

class Tails {
 public:
  // Throws InputError if their vertices exceed kMaxVertices.
  Tails(std::uint64_t count, std::uint64_t length);

  [[nodiscard]] std::uint64_t count() const { return starts_.size() - 1; }
  // Vertices of all tails, which have as many edges.
  [[nodiscard]] std::uint64_t vertices() const { return starts_.back(); }
  // A vertex of a tail, numbered from 0, and where it is: on which tail, and how many steps from
  // the tail's first vertex.
  struct Place {
    std::uint64_t tail;
    std::uint64_t step;
  };
  [[nodiscard]] Place place(std::uint64_t vertex) const;

 private:
  std::vector<std::uint64_t> starts_;  // the first vertex of each tail, and the end
};

// The parameters `tails` and `tail_length`, and the tails that a recipe gives them.
std::vector<GraphParameter> tail_parameters();
Tails tails_of(const Recipe& graph);

}  // namespace bfslab
