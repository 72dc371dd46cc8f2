// SPDX-License-Identifier: Apache-2.0
// How a graph is named in a spec or on the command line. datasets/load_graph.hpp makes it a
// CsrGraph.
//
//   kronecker:scale=20                        a generator and its parameters
//   soc-Epinions1                             the catalogue's graph of that name
//   com-lj-standin                            the generated stand-in for com-lj
//   snap:soc-Epinions1, konect:NAME, ...      a distributor's file, found in the data folders
//   file:some/where/graph.txt.gz              a file by path; format found, or format=snap
//   some/where/graph.txt.gz                   the same, where there is such a file; a path may
//                                             hold commas and colons
//   snap:wiki-Vote,symmetrize=false,relabel=degree   build options may follow any of them
//   union:(kronecker:scale=10)+3*(path:vertices=100)   disjoint union of generated graphs
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/build/build.hpp"
#include "datasets/generate/recipe.hpp"

namespace bfslab {

const std::vector<GraphKind>& graph_kinds();
// Parameters that every kind takes: symmetrize, self_loops, duplicates, relabel, relabel_seed.
const std::vector<GraphParameter>& build_parameters();

struct GraphName : Recipe {
  BuildOptions build;
  std::string canonical;  // two names mean the same graph if and only if these are equal
  // The catalogue's entry whose stand-in was named ("com-lj-standin"), or empty.
  std::string stand_in_for;

  // The path of `file:PATH`, if it is relative, starts at `folder`; empty: the current one. Throws
  // InputError naming the offending part, what was expected, and the nearest valid spelling.
  static GraphName parse(std::string_view text, const std::string& folder = {});
  // The canonical name without the build options: "kronecker:scale=20,...".
  [[nodiscard]] std::string without_build() const;
};

// n and m as far as the name implies them without reading anything; zero if unknown.
struct GraphSize {
  std::uint64_t vertices = 0;
  std::uint64_t edges = 0;  // directed entries, an upper bound
};
GraphSize predict_size(const GraphName& name);
// Returns the reason why no graph of this name can be made, though its size can be estimated; empty
// if it can be made, or is a file.
std::string cannot_be_made(const GraphName& name);
// Levels of a search, roughly, where the name is that of a deep generated graph; else 0.
std::uint64_t predict_levels(const GraphName& name);
// Returns a file's size as the catalogue publishes it; zero if unknown.
GraphSize published_size(const GraphName& name);

}  // namespace bfslab
