// SPDX-License-Identifier: Apache-2.0
// Edge list -> CSR, in parallel, with optional changes on the way. Everything chosen here is part
// of the graph's identity (canonical name) and is recorded in its provenance.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "datasets/build/edge_source.hpp"
#include "datasets/graph/csr_graph.hpp"

namespace bfslab {

enum class Relabel {
  none,     // as given
  shuffle,  // random permutation by seed
  degree,   // descending degree, ties by id
};

struct BuildOptions {
  bool symmetrize = true;  // add the reverse of every edge (always done for an undirected list)
  bool drop_self_loops = true;
  bool deduplicate = true;
  Relabel relabel = Relabel::none;
  std::uint64_t relabel_seed = 1;
  int threads = 0;  // 0: all that OpenMP offers; never changes the result

  // "symmetrize=true,self_loops=drop,duplicates=drop,relabel=none": part of the canonical name.
  [[nodiscard]] std::string canonical() const;
};

// Consumes the list. `name` is the canonical name without the build options.
// Rows come out ascending. Throws std::bad_alloc.
CsrGraph build_csr(EdgeList list, const BuildOptions& options, const std::string& name);

// A graph that another builder made from an EdgeSource: identical to what build_csr makes of it.
struct BuiltArrays {
  CsrArrays arrays;
  edge_t self_loops = 0;  // among the input tuples
  edge_t duplicates = 0;  // directed entries dropped
};
// Makes it, or returns nothing if it cannot.
using BuildElsewhere =
    std::function<std::optional<BuiltArrays>(const EdgeSource&, const BuildOptions&)>;

// The same from tuples that are generated on the fly and never stored. `elsewhere` is tried first.
CsrGraph build_csr(const EdgeSource& source, const BuildOptions& options, const std::string& name,
                   Provenance provenance = {}, const BuildElsewhere& elsewhere = {});

// The graph with every edge reversed; rows ascending. For directed bottom-up.
std::shared_ptr<const CsrGraph> build_transpose(const CsrGraph& graph, int threads = 0);

// Tree hash (SHA-256 of 4 MiB blocks' SHA-256) over offsets, columns, symmetric; 32 hex digits.
std::string content_hash(const CsrGraph& graph, int threads = 0);

}  // namespace bfslab
