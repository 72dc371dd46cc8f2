// SPDX-License-Identifier: Apache-2.0
// CsrGraph: the one form in which a graph reaches an engine.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "datasets/graph/edge_list.hpp"
#include "datasets/graph/types.hpp"

namespace bfslab {

struct GraphIdentity {
  std::string name;          // canonical: kind, every parameter, every build option
  std::string content_hash;  // 32 hex digits over offsets, columns and the symmetric flag;
                             // neighbour order is part of it, since it determines bottom-up's work
};

// Arrays of a CSR and whatever keeps them alive (heap buffers or a mapped cache file).
struct CsrArrays {
  std::span<const edge_t> row_offsets;  // [n + 1], row_offsets[0] == 0
  std::span<const vertex_t> columns;    // [row_offsets[n]], ascending within a row
  // [n] input tuples (before symmetrising and de-duplicating, self-loops counted) whose first
  // endpoint is v; summed over a component it gives Graph500's edge count. May be empty.
  std::span<const std::uint32_t> input_edges;
  std::span<const std::uint64_t> labels;  // [n] ids in the input file, or empty: v + first_label
  std::shared_ptr<const void> owner;
  std::uint64_t first_label = 0;
};

class CsrGraph {
 public:
  CsrGraph() = default;
  // Takes arrays that satisfy the invariants above; does not check them.
  CsrGraph(CsrArrays arrays, bool symmetric, GraphIdentity identity, Provenance provenance);

  [[nodiscard]] vertex_t vertex_count() const noexcept { return vertex_count_; }
  // Directed entries: an undirected edge counts twice.
  [[nodiscard]] edge_t edge_count() const noexcept { return arrays_.columns.size(); }
  // Input tuples before symmetrising, de-duplicating and dropping self-loops.
  [[nodiscard]] edge_t input_edge_count() const noexcept { return input_edge_count_; }
  [[nodiscard]] bool symmetric() const noexcept { return symmetric_; }

  [[nodiscard]] std::span<const edge_t> row_offsets() const noexcept { return arrays_.row_offsets; }
  [[nodiscard]] std::span<const vertex_t> columns() const noexcept { return arrays_.columns; }
  [[nodiscard]] std::span<const std::uint32_t> input_edges() const noexcept {
    return arrays_.input_edges;
  }
  // Empty where the ids of the input file are in order and without gaps, from first_label on.
  [[nodiscard]] std::span<const std::uint64_t> labels() const noexcept { return arrays_.labels; }
  [[nodiscard]] std::uint64_t first_label() const noexcept { return arrays_.first_label; }
  // The id that the vertex has in the input file.
  [[nodiscard]] std::uint64_t label(vertex_t v) const noexcept {
    return arrays_.labels.empty() ? v + arrays_.first_label : arrays_.labels[v];
  }

  [[nodiscard]] edge_t degree(vertex_t v) const noexcept {
    return arrays_.row_offsets[v + std::size_t{1}] - arrays_.row_offsets[v];
  }
  [[nodiscard]] std::span<const vertex_t> neighbors(vertex_t v) const noexcept {
    return arrays_.columns.subspan(arrays_.row_offsets[v], degree(v));
  }

  // In-neighbours: the graph itself when symmetric, else the transpose, else nullptr.
  [[nodiscard]] const CsrGraph* incoming() const noexcept {
    return symmetric_ ? this : transpose_.get();
  }
  void set_transpose(std::shared_ptr<const CsrGraph> transpose) {
    transpose_ = std::move(transpose);
  }

  [[nodiscard]] const GraphIdentity& identity() const noexcept { return identity_; }
  [[nodiscard]] const Provenance& provenance() const noexcept { return provenance_; }
  // Bytes of offsets and columns (without the transpose).
  [[nodiscard]] std::uint64_t bytes() const noexcept {
    return arrays_.row_offsets.size_bytes() + arrays_.columns.size_bytes();
  }

 private:
  CsrArrays arrays_;
  vertex_t vertex_count_ = 0;
  edge_t input_edge_count_ = 0;
  bool symmetric_ = true;
  std::shared_ptr<const CsrGraph> transpose_;
  GraphIdentity identity_;
  Provenance provenance_;
};

}  // namespace bfslab
