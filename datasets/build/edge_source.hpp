// SPDX-License-Identifier: Apache-2.0
// EdgeSource: input tuples that can be produced by position, so that the builder may pass over them
// twice (count, then place) without storing the list. Generators are pure functions of the
// position; a list read from a file is one too.
#pragma once

#include <span>

#include "datasets/graph/edge_list.hpp"
#include "datasets/graph/types.hpp"

namespace bfslab {

class EdgeSource {
 public:
  EdgeSource(vertex_t vertex_count, edge_t size) : vertex_count_(vertex_count), size_(size) {}
  EdgeSource(const EdgeSource&) = delete;
  EdgeSource& operator=(const EdgeSource&) = delete;
  virtual ~EdgeSource() = default;

  // Every endpoint is below it.
  [[nodiscard]] vertex_t vertex_count() const noexcept { return vertex_count_; }
  // Input tuples, self-loops and duplicates included.
  [[nodiscard]] edge_t size() const noexcept { return size_; }
  // Returns whether the tuples are in memory, so that another pass over them costs almost nothing.
  [[nodiscard]] virtual bool stored() const { return false; }
  // All tuples in memory that the builder may overwrite and discard; empty if there are none.
  // After it has done so, fill() must not be called.
  [[nodiscard]] virtual std::span<Edge> consumable() const { return {}; }
  // Writes tuples first .. first + out.size() - 1; the range lies within [0, size()). Depends on
  // nothing but its arguments, and is called by many threads at once.
  virtual void fill(edge_t first, std::span<Edge> out) const = 0;

 private:
  vertex_t vertex_count_;
  edge_t size_;
};

}  // namespace bfslab
