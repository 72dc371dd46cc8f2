// SPDX-License-Identifier: Apache-2.0
#include "datasets/build/build.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "datasets/load_graph.hpp"
#include "tests/datasets/naive_csr.hpp"

namespace bfslab::tests {
namespace {

struct Case {
  std::string name;
  vertex_t vertices;
  std::vector<Edge> edges;
};

std::vector<Edge> random_edges(vertex_t n, std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Edge> edges(count);
  for (Edge& edge : edges) {
    edge = {static_cast<vertex_t>(random() % n), static_cast<vertex_t>(random() % n)};
  }
  return edges;
}

std::vector<Case> cases() {
  std::vector<Case> all = {
      {"empty", 0, {}},
      {"one vertex", 1, {}},
      {"one vertex, loops only", 1, {{0, 0}, {0, 0}}},
      {"no edges", 1000, {}},
      {"self-loops, duplicates, both directions",
       4,
       {{1, 2}, {2, 1}, {1, 2}, {3, 3}, {0, 1}, {3, 3}, {2, 3}}},
      {"dense", 30, random_edges(30, 5000, 1)},
      {"sparse", 100000, random_edges(100000, 3000, 2)},
      {"ordinary", 20000, random_edges(20000, 200000, 3)},
      // Ids that need more than 22 bits are sorted as 64-bit records.
      {"wide ids", 5000000, random_edges(5000000, 100000, 4)},
  };
  // A hub among ordinary edges, at an id in the middle of a bucket.
  Case hub{"hub", 50001, random_edges(50001, 50000, 5)};
  for (vertex_t v = 0; v < 50001; ++v) hub.edges.push_back({33333, v});
  all.push_back(hub);
  return all;
}

void expect_same(const CsrGraph& graph, const NaiveCsr& expected, const std::string& where) {
  const NaiveCsr found = as_naive(graph);
  EXPECT_TRUE(found.rows == expected.rows) << where;
  EXPECT_TRUE(found.input_edges == expected.input_edges) << where;
}

TEST(Build, EqualsTheNaiveWayUnderEveryOptionAndThreadCount) {
  for (const Case& c : cases()) {
    for (const int options : {0, 1, 2, 3, 4, 5, 6, 7}) {
      if (c.vertices > 1000000 && options != 0 && options != 7) continue;  // the naive way is slow
      BuildOptions build;
      build.symmetrize = (options & 1) != 0;
      build.drop_self_loops = (options & 2) != 0;
      build.deduplicate = (options & 4) != 0;
      build.threads = 1 + options % 3;
      const CsrGraph graph = build_csr(edge_list(c.vertices, c.edges), build, "test:");
      EXPECT_EQ(graph.symmetric(), build.symmetrize);
      EXPECT_EQ(graph.vertex_count(), c.vertices);
      expect_same(graph,
                  naive_csr(c.vertices, c.edges, build.symmetrize, build.drop_self_loops,
                            build.deduplicate),
                  c.name + " " + build.canonical());
    }
  }
}

TEST(Build, OrderOfTheListDoesNotMatter) {
  std::vector<Edge> edges = tuples("kronecker:scale=12");
  edges.insert(edges.end(), edges.begin(), edges.begin() + 1000);
  std::vector<Edge> sorted = edges;
  std::sort(sorted.begin(), sorted.end(),
            [](Edge a, Edge b) { return std::pair(a.from, a.to) < std::pair(b.from, b.to); });
  std::shuffle(edges.begin(), edges.end(), std::mt19937(7));
  const CsrGraph a = build_csr(edge_list(1 << 12, edges), {}, "test:");
  const CsrGraph b = build_csr(edge_list(1 << 12, sorted), {}, "test:");
  EXPECT_EQ(a.identity().content_hash, b.identity().content_hash);
  expect_same(a, as_naive(b), "shuffled against sorted");
}

TEST(Build, HubOfAMillionAndAHalf) {
  constexpr vertex_t kVertices = 1500001;
  const CsrGraph graph = load("star:vertices=1500001");
  ASSERT_EQ(graph.degree(0), kVertices - 1);
  for (vertex_t k = 0; k < kVertices - 1; ++k) {
    ASSERT_EQ(graph.neighbors(0)[k], k + 1);
    ASSERT_EQ(graph.degree(k + 1), 1U);
  }
  EXPECT_EQ(graph.input_edges()[0], kVertices - 1);
}

TEST(Build, UndirectedListsAreSymmetrisedAlways) {
  BuildOptions directed;
  directed.symmetrize = false;
  const CsrGraph graph = build_csr(edge_list(2, {{0, 1}}, true), directed, "test:");
  EXPECT_TRUE(graph.symmetric());
  EXPECT_EQ(graph.edge_count(), 2U);
  EXPECT_TRUE(contains(fact(graph.provenance(), "warning"), "undirected"));
}

TEST(Build, DirectedStaysDirectedThoughItIsSymmetric) {
  BuildOptions directed;
  directed.symmetrize = false;
  const CsrGraph both = build_csr(edge_list(2, {{0, 1}, {1, 0}}), directed, "test:");
  EXPECT_FALSE(both.symmetric());
  EXPECT_NE(both.identity().content_hash,
            build_csr(edge_list(2, {{0, 1}}), {}, "test:").identity().content_hash);
}

TEST(Build, CountsWhatItLeavesOut) {
  const CsrGraph graph =
      build_csr(edge_list(3, {{0, 1}, {1, 0}, {0, 1}, {2, 2}, {2, 2}}), {}, "test:");
  EXPECT_EQ(graph.input_edge_count(), 5U);
  EXPECT_EQ(graph.edge_count(), 2U);
  EXPECT_EQ(fact(graph.provenance(), "self_loops_found"), "2");
  EXPECT_EQ(fact(graph.provenance(), "duplicate_entries_found"), "4");
}

// The relabelled graph, seen through its labels, must be the graph that was relabelled.
void expect_isomorphic(const CsrGraph& plain, const CsrGraph& renamed) {
  ASSERT_EQ(plain.vertex_count(), renamed.vertex_count());
  ASSERT_EQ(renamed.labels().size(), renamed.vertex_count());
  NaiveCsr back{std::vector<std::vector<vertex_t>>(plain.vertex_count()),
                std::vector<std::uint32_t>(plain.vertex_count())};
  for (vertex_t v = 0; v < renamed.vertex_count(); ++v) {
    const auto old = static_cast<vertex_t>(renamed.labels()[v]);
    const auto row = renamed.neighbors(v);
    EXPECT_TRUE(std::is_sorted(row.begin(), row.end()));
    for (const vertex_t u : row) {
      back.rows[old].push_back(static_cast<vertex_t>(renamed.labels()[u]));
    }
    std::sort(back.rows[old].begin(), back.rows[old].end());
    back.input_edges[old] = renamed.input_edges()[v];
  }
  expect_same(plain, back, "through the labels");
}

TEST(Build, RelabelShuffleIsAPermutationOfTheGraph) {
  for (const std::string base : {"kronecker:scale=11", "path:vertices=1000", "star:vertices=777",
                                 "path:vertices=1", "kronecker:scale=10,symmetrize=false"}) {
    const CsrGraph plain = load(base);
    const CsrGraph shuffled = load(base + ",relabel=shuffle,relabel_seed=3", 2);
    expect_isomorphic(plain, shuffled);
    EXPECT_EQ(shuffled.identity().content_hash,
              load(base + ",relabel=shuffle,relabel_seed=3", 1).identity().content_hash);
  }
  EXPECT_NE(load("path:vertices=1000,relabel=shuffle").identity().content_hash,
            load("path:vertices=1000,relabel=shuffle,relabel_seed=2").identity().content_hash);
}

TEST(Build, RelabelDegreeDescendsWithTiesById) {
  const CsrGraph plain = load("kronecker:scale=11");
  const CsrGraph renamed = load("kronecker:scale=11,relabel=degree");
  expect_isomorphic(plain, renamed);
  for (vertex_t v = 1; v < renamed.vertex_count(); ++v) {
    ASSERT_GE(renamed.degree(v - 1), renamed.degree(v));
    if (renamed.degree(v - 1) == renamed.degree(v)) {
      ASSERT_LT(renamed.labels()[v - 1], renamed.labels()[v]);
    }
  }
  EXPECT_EQ(load("path:vertices=0,relabel=degree").vertex_count(), 0U);
}

TEST(Build, RelabelCarriesTheLabelsOfTheFile) {
  EdgeList list = edge_list(3, {{0, 1}, {1, 2}});
  list.labels = {100, 200, 300};
  BuildOptions build;
  build.relabel = Relabel::degree;
  const CsrGraph graph = build_csr(std::move(list), build, "test:");
  EXPECT_EQ(std::vector<std::uint64_t>(graph.labels().begin(), graph.labels().end()),
            (std::vector<std::uint64_t>{200, 100, 300}));
}

TEST(Build, TheFirstLabelIsCarriedAndSpelledOutOnlyWhereRelabelled) {
  const auto list = [](std::uint64_t first) {
    EdgeList made = edge_list(3, {{0, 1}, {1, 2}});
    made.first_label = first;
    return made;
  };
  BuildOptions build;
  const CsrGraph plain = build_csr(list(0), build, "test:");
  const CsrGraph graph = build_csr(list(7), build, "test:");
  EXPECT_TRUE(graph.labels().empty());
  EXPECT_EQ(graph.label(2), 9U);
  EXPECT_EQ(graph.identity().content_hash, plain.identity().content_hash);
  build.symmetrize = false;
  EXPECT_EQ(build_transpose(build_csr(list(7), build, "test:"))->label(2), 9U);
  build.relabel = Relabel::degree;
  const CsrGraph renamed = build_csr(list(7), build, "test:");
  EXPECT_EQ(std::vector<std::uint64_t>(renamed.labels().begin(), renamed.labels().end()),
            (std::vector<std::uint64_t>{7, 8, 9}));
  EXPECT_EQ(renamed.first_label(), 0U);
}

TEST(Build, TransposeReversesEveryEdge) {
  for (const std::string name :
       {"kronecker:scale=11,symmetrize=false", "star:vertices=5000,symmetrize=false",
        "kronecker:scale=8,symmetrize=false,duplicates=keep,self_loops=keep",
        "path:vertices=0,symmetrize=false"}) {
    const CsrGraph graph = load(name);
    const auto transpose = build_transpose(graph, 2);
    std::vector<std::vector<vertex_t>> reversed(graph.vertex_count());
    for (vertex_t u = 0; u < graph.vertex_count(); ++u) {
      for (const vertex_t v : graph.neighbors(u)) reversed[v].push_back(u);
    }
    EXPECT_TRUE(as_naive(*transpose).rows == reversed) << name;
    EXPECT_FALSE(transpose->symmetric());
    EXPECT_EQ(build_transpose(*transpose)->identity().content_hash, graph.identity().content_hash);
  }
}

TEST(Build, LoadedTransposeIsTheIncomingSide) {
  LoadOptions options;
  EXPECT_EQ(load("path:vertices=5,symmetrize=false").incoming(), nullptr);
  options.transpose = true;
  const CsrGraph graph = load_graph(GraphName::parse("path:vertices=5,symmetrize=false"), options);
  ASSERT_NE(graph.incoming(), nullptr);
  EXPECT_EQ(graph.degree(0), 1U);
  EXPECT_EQ(graph.incoming()->degree(0), 0U);
  EXPECT_EQ(graph.incoming()->neighbors(1)[0], 0U);
}

TEST(Build, MayBeDoneElsewhere) {
  const GraphName name = GraphName::parse("kronecker:scale=8,relabel=shuffle");
  const CsrGraph expected = load_graph(name, {});
  int asked = 0;
  bool knows = true;
  LoadOptions options;
  options.build_elsewhere = [&](const EdgeSource& source, const BuildOptions& build) {
    ++asked;
    EXPECT_EQ(source.size(), expected.input_edge_count());
    EXPECT_EQ(build.relabel, Relabel::shuffle);
    if (!knows) return std::optional<BuiltArrays>();
    const auto count = [&](const char* what) {
      return std::stoull(fact(expected.provenance(), what));
    };
    return std::optional<BuiltArrays>({{expected.row_offsets(),
                                        expected.columns(),
                                        expected.input_edges(),
                                        expected.labels(),
                                        {}},
                                       count("self_loops_found"),
                                       count("duplicate_entries_found")});
  };
  for (const bool known : {true, false}) {
    knows = known;
    const CsrGraph graph = load_graph(name, options);
    EXPECT_EQ(graph.columns().data() == expected.columns().data(), known);
    EXPECT_EQ(graph.identity().name, expected.identity().name);
    EXPECT_EQ(graph.identity().content_hash, expected.identity().content_hash);
    EXPECT_EQ(graph.provenance(), expected.provenance());
    EXPECT_EQ(graph.label(3), expected.label(3));
  }
  EXPECT_EQ(asked, 2);
}

TEST(ContentHash, DependsOnEveryEntryAndNotOnTheThreads) {
  const CsrGraph graph = load("kronecker:scale=16");  // its columns fill more than one block
  ASSERT_GT(graph.bytes(), std::size_t{5} << 20);
  EXPECT_EQ(content_hash(graph, 1), content_hash(graph, 3));
  std::vector<vertex_t> columns(graph.columns().begin(), graph.columns().end());
  columns.back() ^= 1U;
  const CsrGraph other({graph.row_offsets(), columns, {}, {}, nullptr}, true, {}, {});
  EXPECT_NE(content_hash(graph), content_hash(other));
}

}  // namespace
}  // namespace bfslab::tests
