// SPDX-License-Identifier: Apache-2.0
// Properties of every graph, tested on many random ones. BFSLAB_PROPERTY_SEED chooses others; the
// seed of each graph is printed with a failure, and alone reproduces it.
#include <gtest/gtest.h>
#include <omp.h>

#include <cstdlib>
#include <functional>
#include <random>
#include <set>

#include "datasets/read/reader.hpp"
#include "datasets/write/write.hpp"
#include "tests/datasets/naive_csr.hpp"
#include "tests/datasets/temporary_folder.hpp"

namespace bfslab::tests {
namespace {

std::uint64_t first_seed() {
  const char* const chosen = std::getenv("BFSLAB_PROPERTY_SEED");
  return chosen == nullptr ? 1 : std::strtoull(chosen, nullptr, 10);
}

struct RandomGraph {
  vertex_t vertices = 0;
  std::vector<Edge> edges;  // self-loops, duplicates and both directions among them
};

// Few or many vertices, sparse or dense, even or with hubs: the seed decides.
RandomGraph random_graph(std::mt19937_64& random) {
  RandomGraph graph;
  graph.vertices = static_cast<vertex_t>(1 + random() % (random() % 4 == 0 ? 5000 : 60));
  graph.edges.resize(random() % (random() % 4 == 0 ? 40000 : 300));
  const bool skewed = random() % 2 == 0;
  const auto vertex = [&] {
    const std::uint64_t v = random() % graph.vertices;
    return static_cast<vertex_t>(skewed && random() % 2 == 0 ? v % (1 + graph.vertices / 16) : v);
  };
  for (Edge& edge : graph.edges) {
    edge = {vertex(), vertex()};
    if (random() % 8 == 0) edge.to = edge.from;
  }
  for (std::size_t e = 1; e < graph.edges.size(); ++e) {
    if (random() % 8 == 0) graph.edges[e] = graph.edges[random() % e];
  }
  return graph;
}

// Calls the property with `count` random graphs, whose seeds follow one another.
void for_all(int count, const std::function<void(const RandomGraph&, std::mt19937_64&)>& property) {
  for (std::uint64_t seed = first_seed(); count-- > 0; ++seed) {
    SCOPED_TRACE("BFSLAB_PROPERTY_SEED=" + std::to_string(seed));
    std::mt19937_64 random(seed);
    const RandomGraph graph = random_graph(random);
    property(graph, random);
    if (::testing::Test::HasFailure()) return;
  }
}

CsrGraph build(const RandomGraph& graph, const BuildOptions& options) {
  return build_csr(edge_list(graph.vertices, graph.edges), options, "property:");
}

BuildOptions random_options(std::mt19937_64& random) {
  BuildOptions options;
  options.symmetrize = random() % 2 == 0;
  options.drop_self_loops = random() % 2 == 0;
  options.deduplicate = random() % 2 == 0;
  options.threads = static_cast<int>(1 + random() % 3);
  return options;
}

std::vector<Edge> sorted(std::vector<Edge> edges) {
  std::sort(edges.begin(), edges.end(),
            [](Edge a, Edge b) { return std::pair(a.from, a.to) < std::pair(b.from, b.to); });
  return edges;
}

std::string hash_of(const CsrGraph& graph) { return graph.identity().content_hash; }

TEST(Property, ShuffledAndDuplicatedEqualsSorted) {
  for_all(60, [](const RandomGraph& graph, std::mt19937_64& random) {
    RandomGraph once = graph;
    once.edges = sorted(graph.edges);
    const auto same = std::unique(once.edges.begin(), once.edges.end());
    once.edges.erase(same, once.edges.end());
    RandomGraph often = graph;
    for (std::size_t e = 0; e < graph.edges.size(); ++e) {
      if (random() % 3 == 0) often.edges.push_back(graph.edges[e]);
    }
    std::shuffle(often.edges.begin(), often.edges.end(), random);
    BuildOptions options = random_options(random);
    options.deduplicate = true;
    EXPECT_EQ(hash_of(build(once, options)), hash_of(build(often, options)));
  });
}

TEST(Property, OrderAndThreadsChangeNothingUnderAnyOption) {
  for_all(60, [](const RandomGraph& graph, std::mt19937_64& random) {
    BuildOptions options = random_options(random);
    options.relabel = random() % 2 == 0 ? Relabel::degree : Relabel::shuffle;
    const CsrGraph expected = build(graph, options);
    RandomGraph shuffled = graph;
    std::shuffle(shuffled.edges.begin(), shuffled.edges.end(), random);
    for (const int threads : {1, 2, 5}) {
      options.threads = threads;
      const CsrGraph found = build(shuffled, options);
      EXPECT_EQ(hash_of(expected), hash_of(found)) << threads;
      EXPECT_TRUE(std::ranges::equal(expected.input_edges(), found.input_edges())) << threads;
      EXPECT_TRUE(std::ranges::equal(expected.labels(), found.labels())) << threads;
    }
  });
}

TEST(Property, SymmetrisedTwiceIsSymmetrisedOnce) {
  for_all(60, [](const RandomGraph& graph, std::mt19937_64& random) {
    BuildOptions options = random_options(random);
    options.symmetrize = true;
    options.deduplicate = true;
    const CsrGraph once = build(graph, options);
    RandomGraph entries{graph.vertices, {}};
    for (vertex_t u = 0; u < once.vertex_count(); ++u) {
      for (const vertex_t v : once.neighbors(u)) entries.edges.push_back({u, v});
    }
    EXPECT_EQ(hash_of(once), hash_of(build(entries, options)));
    RandomGraph both = graph;
    for (const Edge edge : graph.edges) both.edges.push_back({edge.to, edge.from});
    EXPECT_EQ(hash_of(once), hash_of(build(both, options)));
  });
}

TEST(Property, TransposedTwiceIsTheGraph) {
  for_all(40, [](const RandomGraph& graph, std::mt19937_64& random) {
    BuildOptions options = random_options(random);
    options.symmetrize = false;
    const CsrGraph plain = build(graph, options);
    EXPECT_EQ(hash_of(plain), hash_of(*build_transpose(*build_transpose(plain, 2), 1)));
  });
}

TEST(Property, RelabellingIsUndoneByItsLabels) {
  for_all(60, [](const RandomGraph& graph, std::mt19937_64& random) {
    BuildOptions options = random_options(random);
    const CsrGraph plain = build(graph, options);
    BuildOptions renaming = options;
    renaming.relabel = random() % 2 == 0 ? Relabel::degree : Relabel::shuffle;
    renaming.relabel_seed = random();
    const CsrGraph renamed = build(graph, renaming);
    EXPECT_EQ(std::set(renamed.labels().begin(), renamed.labels().end()).size(), graph.vertices);
    RandomGraph back{graph.vertices, {}};
    for (vertex_t u = 0; u < renamed.vertex_count(); ++u) {
      for (const vertex_t v : renamed.neighbors(u)) {
        back.edges.push_back({static_cast<vertex_t>(renamed.labels()[u]),
                              static_cast<vertex_t>(renamed.labels()[v])});
      }
    }
    const CsrGraph directed = [&] {  // as it is: both directions are among its entries already
      BuildOptions as_it_is{.symmetrize = false, .drop_self_loops = false, .deduplicate = false};
      return build(back, as_it_is);
    }();
    EXPECT_TRUE(std::ranges::equal(plain.row_offsets(), directed.row_offsets()));
    EXPECT_TRUE(std::ranges::equal(plain.columns(), directed.columns()));
  });
}

// One graph without isolated vertices (text by edges does not name those), in every format's words.
// METIS and symmetric GAP graphs list both directions; the others list each edge once.
std::vector<std::pair<std::string, std::string>> in_every_format(const CsrGraph& graph) {
  const std::string n = std::to_string(graph.vertex_count());
  std::string edges_from_0;
  std::string edges_from_1;
  std::string lower_from_1;
  std::string arcs;
  std::string rows;
  std::string offsets;
  std::string columns;
  std::string starts;
  std::string neighbors;
  std::size_t edges = 0;
  const auto word = [](auto number) {
    return std::string(reinterpret_cast<const char*>(&number), sizeof(number));
  };
  for (vertex_t u = 0; u < graph.vertex_count(); ++u) {
    offsets += word(graph.row_offsets()[u]);
    starts += std::to_string(graph.row_offsets()[u]) + "\n";
    for (const vertex_t v : graph.neighbors(u)) {
      columns += word(static_cast<std::int32_t>(v));
      rows += std::to_string(v + 1) + " ";
      neighbors += std::to_string(v) + "\n";
      if (v < u) continue;
      ++edges;
      const std::string from = std::to_string(u + 1);
      const std::string to = std::to_string(v + 1);
      edges_from_0 += std::to_string(u) + "\t" + std::to_string(v) + "\r\n";
      edges_from_1 += from + " " + to + "\n";
      lower_from_1 += to + " " + from + "\n";
      arcs += "a " + from + " " + to + " 7\n";
    }
    rows += "\n";
  }
  offsets += word(graph.row_offsets()[graph.vertex_count()]);
  const std::string m = std::to_string(edges);
  std::string tabbed = edges_from_0;
  std::erase(tabbed, '\r');
  std::string commas = tabbed;
  std::replace(commas.begin(), commas.end(), '\t', ',');
  return {
      {"edges", "source,target\n" + commas},
      {"snap", "# Nodes: " + n + " Edges: " + m + "\n" + edges_from_0},
      {"konect", "% sym unweighted\n% " + m + " " + n + " " + n + "\n" + edges_from_1},
      {"matrix-market", "%%MatrixMarket matrix coordinate pattern symmetric\n" + n + " " + n + " " +
                            m + "\n" + lower_from_1},
      {"metis", n + " " + m + "\n" + rows},
      {"dimacs9", "c words\np sp " + n + " " + m + "\n" + arcs},
      {"gapbs", std::string(1, '\0') + word(std::int64_t(graph.edge_count())) +
                    word(std::int64_t{graph.vertex_count()}) + offsets + columns},
      {"adjacency", "AdjacencyGraph\n" + n + "\n" + std::to_string(graph.edge_count()) + "\n" +
                        starts + neighbors},
      {"graphalytics", tabbed},
      {"arcs", tabbed},
  };
}

TEST(Property, EveryFormatTellsTheSameGraph) {
  const TemporaryFolder folder;
  for_all(12, [&](const RandomGraph& graph, std::mt19937_64& random) {
    RandomGraph connected = graph;  // a ring leaves no vertex out
    connected.vertices = std::max<vertex_t>(graph.vertices, 2);
    for (vertex_t v = 0; v < connected.vertices; ++v) {
      connected.edges.push_back({v, (v + 1) % connected.vertices});
    }
    const CsrGraph expected = build(connected, {});
    std::set<std::string> read;
    const auto check = [&](const std::string& format, const std::string& path) {
      read.insert(format);
      for (const GraphFormat& row : graph_formats()) {
        if (row.name != format) continue;
        const int threads = static_cast<int>(1 + random() % 3);
        const CsrGraph found = build_csr(row.read(path, threads), {}, "property:");
        EXPECT_EQ(hash_of(expected), hash_of(found)) << format;
      }
    };
    for (const auto& [format, bytes] : in_every_format(expected)) {
      const std::string path = folder.file("g." + format);
      write_bytes(path, bytes);
      check(format, path);
    }
    write_graph(expected, folder.file("g.csr"), 2);
    check("csr", folder.file("g.csr"));
    write_graph(expected, folder.file("g.txt.gz"), 2);
    check("snap", folder.file("g.txt.gz"));
    for (const GraphFormat& row : graph_formats()) {
      EXPECT_TRUE(read.contains(row.name)) << "no words for the format " << row.name;
    }
  });
}

}  // namespace
}  // namespace bfslab::tests
