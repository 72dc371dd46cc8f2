// SPDX-License-Identifier: Apache-2.0
#include "datasets/generate/generator.hpp"

namespace bfslab {

const std::vector<Generator>& generators() {
  static const std::vector<Generator> table = {
      kronecker_generator(), rmat_generator(),        uniform_generator(),
      power_law_generator(), bipartite_generator(),   grid_generator(),
      roads_generator(),     path_generator(),        star_generator(),
      complete_generator(),  binary_tree_generator(), hub_and_chain_generator(),
      union_generator(),
  };
  return table;
}

const Generator* find_generator(std::string_view name) {
  for (const Generator& generator : generators()) {
    if (generator.kind.name == name) return &generator;
  }
  return nullptr;
}

RecipeSize recipe_size(const Generator& generator, const Recipe& graph) {
  if (generator.size) return generator.size(graph);
  const auto source = generator.make(graph);
  return {source->vertex_count(), source->size()};
}

GraphParameter vertices_parameter(double minimum, double maximum) {
  return {"vertices", GraphParameter::Kind::integer, {}, minimum, maximum,
          "",         "number of vertices"};
}

GraphParameter edges_parameter(double minimum) {
  return {"edges",
          GraphParameter::Kind::integer,
          {},
          minimum,
          1e12,
          "",
          "number of input edges, before self-loops and duplicates are dropped"};
}

GraphParameter seed_parameter() {
  return {"seed",
          GraphParameter::Kind::integer,
          {},
          0,
          18446744073709551615.0,
          "1",
          "chooses the graph: the same seed gives the same graph on any machine"};
}

}  // namespace bfslab
