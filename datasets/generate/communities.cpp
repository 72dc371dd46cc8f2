// SPDX-License-Identifier: Apache-2.0
#include "datasets/generate/communities.hpp"

#include <fmt/format.h>

#include <cmath>

namespace bfslab {

std::vector<GraphParameter> community_parameters() {
  using Kind = GraphParameter::Kind;
  return {
      {"communities",
       Kind::integer,
       {},
       1,
       kMaxVertices,
       "1",
       "parts of like degrees, of which `local` makes communities",
       true},
      {"local", Kind::real, {}, 0, 1, "0", "share of the edges that stay within a community", true},
      {"order",
       Kind::choice,
       {"random", "crawl"},
       0,
       0,
       "random",
       "of ids: random, or as a crawl meets vertices: hubs first, then community by community",
       true},
  };
}

CommunityShape community_shape(const Recipe& graph) {
  CommunityShape shape;
  shape.count = static_cast<vertex_t>(graph.integer("communities"));
  shape.local = graph.real("local");
  shape.crawl = graph.value("order") == "crawl";
  return shape;
}

void CommunityShape::check(std::uint64_t vertices, const char* what) const {
  if (count > vertices) {
    throw InputError(
        fmt::format("{} communities exceed the {} {}; lower communities", count, vertices, what));
  }
}

Communities::Communities(const CommunityShape& shape, vertex_t vertices, std::uint64_t seed,
                         std::uint64_t purpose)
    : vertices_(vertices),
      count_(shape.count),
      crawl_(shape.crawl),
      heads_(vertices / 8 / shape.count * shape.count),
      members_((vertices - heads_) / shape.count),
      larger_((vertices - heads_) % shape.count),
      local_(static_cast<std::uint64_t>(std::llround(std::ldexp(shape.local, 32)))),
      key_(derive_key(seed, 15)),
      permutation_(vertices, derive_key(seed, purpose)) {}

}  // namespace bfslab
