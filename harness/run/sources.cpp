// SPDX-License-Identifier: Apache-2.0
#include "harness/run/sources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <unordered_map>

#include "datasets/graph/find_ids.hpp"
#include "harness/run/random_stream.hpp"

namespace bfslab {

namespace {

// Returns the root of v's tree. Trees only ever hook a larger root below a smaller vertex, so a
// walk ends.
vertex_t find_root(std::vector<vertex_t>& parent, vertex_t v) {
  std::atomic_ref<vertex_t> here(parent[v]);
  vertex_t up = here.load(std::memory_order_relaxed);
  while (up != v) {
    const vertex_t above = std::atomic_ref(parent[up]).load(std::memory_order_relaxed);
    // Path halving; losing the race to another halving is harmless.
    std::atomic_ref(parent[v]).compare_exchange_weak(up, above, std::memory_order_relaxed);
    v = above;
    up = std::atomic_ref(parent[v]).load(std::memory_order_relaxed);
  }
  return v;
}

void unite(std::vector<vertex_t>& parent, vertex_t a, vertex_t b) {
  while (true) {
    a = find_root(parent, a);
    b = find_root(parent, b);
    if (a == b) return;
    if (a < b) std::swap(a, b);
    vertex_t expected = a;
    if (std::atomic_ref(parent[a]).compare_exchange_strong(expected, b,
                                                           std::memory_order_relaxed)) {
      return;
    }
  }
}

bool has_other_neighbor(const CsrGraph& graph, vertex_t v) {
  return std::ranges::any_of(graph.neighbors(v), [v](vertex_t u) { return u != v; });
}

std::vector<vertex_t> eligible_vertices(const CsrGraph& graph, SourceRule::Rule rule) {
  const vertex_t n = graph.vertex_count();
  std::vector<vertex_t> out;
  const auto keep = [&](auto allowed) {
    for (vertex_t v = 0; v < n; ++v) {
      if (allowed(v)) out.push_back(v);
    }
  };
  switch (rule) {
    case SourceRule::Rule::degree:
      keep([&](vertex_t v) { return graph.degree(v) > 0; });
      break;
    case SourceRule::Rule::two_levels:
      keep([&](vertex_t v) { return has_other_neighbor(graph, v); });
      break;
    case SourceRule::Rule::largest_component: {
      if (n == 0) break;
      const std::vector<vertex_t> component = component_of(graph);
      std::vector<vertex_t> sizes(n, 0);
      for (const vertex_t root : component) ++sizes[root];
      const auto largest = static_cast<vertex_t>(std::ranges::max_element(sizes) - sizes.begin());
      keep([&](vertex_t v) { return component[v] == largest; });
      break;
    }
    case SourceRule::Rule::any:
    case SourceRule::Rule::listed:
    case SourceRule::Rule::ids:
      out.resize(n);
      std::iota(out.begin(), out.end(), vertex_t{0});
      break;
  }
  return out;
}

// Draws indices below `eligible`: the first steps of Fisher and Yates' shuffle, which keeps only
// the places whose content has moved.
std::vector<std::uint64_t> drawn(const SourceRule& rule, std::uint64_t eligible) {
  std::unordered_map<std::uint64_t, std::uint64_t> moved;
  const auto content = [&](std::uint64_t place) {
    const auto other = moved.find(place);
    return other == moved.end() ? place : other->second;
  };
  std::vector<std::uint64_t> out(std::min<std::uint64_t>(rule.count, eligible));
  RandomStream stream(rule.seed);
  for (std::uint64_t i = 0; i < out.size(); ++i) {
    const std::uint64_t place = i + stream.below(eligible - i);
    out[i] = content(place);
    moved[place] = content(i);
  }
  return out;
}

// Returns the vertices that have these ids in the graph's file.
std::vector<vertex_t> vertices_of(const CsrGraph& graph, const std::vector<std::uint64_t>& ids) {
  const std::vector<IdMatch> matches = find_ids(graph, ids);
  std::vector<vertex_t> out;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const IdMatch& match = matches[i];
    if (match.vertex == kNoVertex) {
      throw InputError(
          fmt::format("source with id {}: the graph's file has no vertex with that id (`bfslab "
                      "traverse` prints "
                      "the ids as `label`)",
                      ids[i]));
    }
    if (match.other != kNoVertex) {
      throw InputError(fmt::format(
          "source with id {}: vertices {} and {} have that id, one of each set; list the vertices "
          "themselves, \"sources\": [{}]",
          ids[i], match.vertex, match.other, match.vertex));
    }
    out.push_back(match.vertex);
  }
  return out;
}

}  // namespace

const char* to_text(SourceRule::Rule rule) {
  switch (rule) {
    case SourceRule::Rule::any:
      return "any";
    case SourceRule::Rule::degree:
      return "degree>=1";
    case SourceRule::Rule::largest_component:
      return "largest-component";
    case SourceRule::Rule::two_levels:
      return "levels>=2";
    case SourceRule::Rule::listed:
      return "listed";
    case SourceRule::Rule::ids:
      return "ids";
  }
  return "";
}

void require_listed(const SourceRule& rule, std::uint64_t vertices) {
  for (const vertex_t v : rule.listed) {
    if (v < vertices) continue;
    throw InputError(fmt::format("source {} is not in the graph, which has vertices 0 to {}", v,
                                 static_cast<std::int64_t>(vertices) - 1));
  }
}

std::vector<vertex_t> component_of(const CsrGraph& graph) {
  const auto n = static_cast<std::int64_t>(graph.vertex_count());
  std::vector<vertex_t> parent(static_cast<std::size_t>(n));
  std::iota(parent.begin(), parent.end(), vertex_t{0});
#pragma omp parallel for schedule(dynamic, 1024)
  for (std::int64_t i = 0; i < n; ++i) {
    const auto v = static_cast<vertex_t>(i);
    for (const vertex_t u : graph.neighbors(v)) {
      if (u < v || !graph.symmetric()) unite(parent, v, u);
    }
  }
#pragma omp parallel for
  for (std::int64_t i = 0; i < n; ++i) {
    const vertex_t root = find_root(parent, static_cast<vertex_t>(i));
    std::atomic_ref(parent[static_cast<std::size_t>(i)]).store(root, std::memory_order_relaxed);
  }
  return parent;
}

SourceChoice choose_sources(const CsrGraph& graph, const SourceRule& rule) {
  if (rule.rule == SourceRule::Rule::listed) {
    require_listed(rule, graph.vertex_count());
    return {rule.listed, graph.vertex_count()};
  }
  if (rule.rule == SourceRule::Rule::ids) {
    return {vertices_of(graph, rule.ids), graph.vertex_count()};
  }
  const std::vector<vertex_t> vertices = eligible_vertices(graph, rule.rule);
  SourceChoice choice{{}, vertices.size()};
  for (const std::uint64_t i : drawn(rule, vertices.size())) choice.sources.push_back(vertices[i]);
  return choice;
}

distributed::Eligible eligible_rule(const SourceRule& rule) {
  switch (rule.rule) {
    case SourceRule::Rule::degree:
      return distributed::Eligible::degree;
    case SourceRule::Rule::two_levels:
      return distributed::Eligible::two_levels;
    default:
      return distributed::Eligible::any;
  }
}

SourceChoice choose_sources(const distributed::EligibleVertices& vertices, const SourceRule& rule) {
  if (rule.rule == SourceRule::Rule::listed) {
    require_listed(rule, vertices.vertices());
    return {rule.listed, vertices.vertices()};
  }
  SourceChoice choice{{}, vertices.count()};
  for (const distributed::global_vertex_t v : vertices.at(drawn(rule, vertices.count()))) {
    choice.sources.push_back(static_cast<vertex_t>(v));
  }
  return choice;
}

}  // namespace bfslab
