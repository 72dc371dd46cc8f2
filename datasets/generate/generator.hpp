// SPDX-License-Identifier: Apache-2.0
// The table of generators: one file each, every parameter declared as data.
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "datasets/build/edge_source.hpp"
#include "datasets/generate/recipe.hpp"

namespace bfslab {

struct RecipeSize {
  std::uint64_t vertices = 0;
  edge_t tuples = 0;  // input edges, self-loops and duplicates included
};

struct Generator {
  GraphKind kind;
  // Cheap: allocates no edge. Throws InputError for values that are legal individually but not
  // together, and for a graph of more vertices than ids can number.
  std::function<std::unique_ptr<EdgeSource>(const Recipe&)> make;
  // Levels of a search from anywhere, roughly, where the graph is deep; empty: few.
  std::function<std::uint64_t(const Recipe&)> levels = {};
  // The size of a graph that may be too large to make; empty: that of make(). Throws InputError for
  // values that are not legal together.
  std::function<RecipeSize(const Recipe&)> size = {};
};

// Returns the size of the graph of a recipe, which need not be one that can be made. Throws
// InputError for values that are not legal together.
RecipeSize recipe_size(const Generator& generator, const Recipe& graph);

Generator kronecker_generator();
Generator rmat_generator();
Generator uniform_generator();
Generator power_law_generator();
Generator bipartite_generator();
Generator grid_generator();
Generator roads_generator();
Generator path_generator();
Generator star_generator();
Generator complete_generator();
Generator binary_tree_generator();
Generator hub_and_chain_generator();
Generator union_generator();

// In the order in which they are listed.
const std::vector<Generator>& generators();
// nullptr if there is none of that name.
const Generator* find_generator(std::string_view name);

// The parameters that several generators share.
GraphParameter vertices_parameter(double minimum, double maximum);
GraphParameter edges_parameter(double minimum);  // input tuples
GraphParameter seed_parameter();

inline constexpr double kMaxVertices = 4294967294;  // kNoVertex is no vertex

}  // namespace bfslab
