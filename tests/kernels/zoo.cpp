// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/zoo.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <random>
#include <set>

#include "datasets/build/build.hpp"
#include "datasets/catalog/catalog.hpp"
#include "datasets/load_graph.hpp"
#include "tests/test_data.hpp"

namespace bfslab::tests {

namespace {

using Edges = std::vector<std::pair<vertex_t, vertex_t>>;
using Family = std::vector<ZooGraph>;

// Sanitizers cost a factor of ten or more; their graphs keep the shape but are smaller.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;  // g++
#elif defined(__has_feature)
constexpr bool kSanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool kSanitized = false;
#endif

vertex_t vertex_of_highest_degree(const CsrGraph& graph) {
  vertex_t hub = 0;
  for (vertex_t v = 1; v < graph.vertex_count(); ++v) {
    if (graph.degree(v) > graph.degree(hub)) hub = v;
  }
  return hub;
}

// First, last, one in between, and the vertex of highest degree.
std::vector<vertex_t> some_sources(const CsrGraph& graph) {
  const vertex_t n = graph.vertex_count();
  const std::set<vertex_t> unique{0, n / 3, n - 1, vertex_of_highest_degree(graph)};
  return {unique.begin(), unique.end()};
}

ZooGraph animal(std::string name, std::shared_ptr<const CsrGraph> graph, Size size = Size::small) {
  std::vector<vertex_t> sources = some_sources(*graph);
  return {std::move(name), std::move(graph), std::move(sources), size};
}

Edges path_edges(vertex_t n, vertex_t first = 0) {
  Edges edges;
  for (vertex_t v = 1; v < n; ++v) edges.emplace_back(first + v - 1, first + v);
  return edges;
}

Edges complete_edges(vertex_t n, vertex_t first = 0) {
  Edges edges;
  for (vertex_t u = 0; u < n; ++u) {
    for (vertex_t v = u + 1; v < n; ++v) edges.emplace_back(first + u, first + v);
  }
  return edges;
}

Edges star_edges(vertex_t leaves, vertex_t hub = 0) {  // leaves follow the hub
  Edges edges;
  for (vertex_t leaf = 1; leaf <= leaves; ++leaf) edges.emplace_back(hub, hub + leaf);
  return edges;
}

Edges grid_edges(vertex_t rows, vertex_t columns) {
  Edges edges;
  for (vertex_t r = 0; r < rows; ++r) {
    for (vertex_t c = 0; c < columns; ++c) {
      const vertex_t v = r * columns + c;
      if (c + 1 < columns) edges.emplace_back(v, v + 1);
      if (r + 1 < rows) edges.emplace_back(v, v + columns);
    }
  }
  return edges;
}

// A grid with a diagonal in each cell: six neighbours, and more of every tenth vertex of every
// third row.
Edges mesh_edges(vertex_t rows, vertex_t columns) {
  Edges edges = grid_edges(rows, columns);
  const auto at = [&](vertex_t r, vertex_t c) { return r * columns + c; };
  for (vertex_t r = 0; r + 3 < rows; ++r) {
    for (vertex_t c = 0; c + 3 < columns; ++c) {
      edges.emplace_back(at(r, c), at(r + 1, c + 1));
      if (r % 3 != 0 || c % 10 != 0) continue;
      for (vertex_t far = 0; far <= 3; ++far) {
        edges.emplace_back(at(r, c), at(r + 3, c + far));
        edges.emplace_back(at(r, c), at(r + 2, c + far));
      }
    }
  }
  return edges;
}

Edges random_edges(vertex_t n, std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<vertex_t> vertex(0, n - 1);
  Edges edges;
  for (std::size_t i = 0; i < count; ++i) edges.emplace_back(vertex(random), vertex(random));
  return edges;
}

Edges joined(Edges first, const Edges& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

Family paths() {
  Edges cycle = path_edges(64);
  cycle.emplace_back(63, 0);
  Edges scrambled;  // neighbours far apart, so that no scan can follow it in one pass
  for (vertex_t v = 0; v + 1 < 211; ++v) scrambled.emplace_back(v * 64 % 211, (v + 1) * 64 % 211);
  return {animal("path_2", make_graph(2, path_edges(2))),
          animal("path_65", make_graph(65, path_edges(65))),
          animal("path_300", make_graph(300, path_edges(300))),
          animal("cycle_64", make_graph(64, cycle)),
          animal("scrambled_path_211", make_graph(211, scrambled))};
}

Family stars() {
  Edges two_hubs = joined(star_edges(100), star_edges(100, 101));
  two_hubs.emplace_back(0, 101);
  Edges of_stars;  // a hub of 60 hubs of 100 leaves: the frontier grows by two orders, then ends
  vertex_t next = 61;
  for (vertex_t hub = 1; hub <= 60; ++hub) {
    of_stars.emplace_back(0, hub);
    for (int leaf = 0; leaf < 100; ++leaf) of_stars.emplace_back(hub, next++);
  }
  return {animal("star_3", make_graph(4, star_edges(3))),
          animal("star_1000", make_graph(1001, star_edges(1000))),
          animal("two_hubs", make_graph(202, two_hubs)),
          animal("star_of_stars", make_graph(next, of_stars))};
}

Family hub() {
  const vertex_t leaves = kSanitized ? 30'000 : 1'050'000;
  ZooGraph star{"hub", make_graph(leaves + 1, star_edges(leaves)), {0, leaves}, Size::large};
  return {star};
}

Family grids() {
  const vertex_t side = kSanitized ? 101 : 200;  // more vertices than tests of small graphs take
  return {animal("grid_1x100", make_graph(100, grid_edges(1, 100))),
          animal("grid_16x16", make_graph(256, grid_edges(16, 16))),
          animal("grid_37x50", make_graph(1850, grid_edges(37, 50))),
          animal("mesh_30x30", make_graph(900, mesh_edges(30, 30))),
          animal("large_mesh", make_graph(side * side, mesh_edges(side, side)), Size::large),
          animal("large_grid", make_graph(side * side, grid_edges(side, side)), Size::large)};
}

Family complete() {
  return {animal("complete_3", make_graph(3, complete_edges(3))),
          animal("complete_64", make_graph(64, complete_edges(64))),
          animal("complete_200", make_graph(200, complete_edges(200)))};
}

Family trees() {
  Edges binary;
  for (vertex_t v = 1; v < 2047; ++v) binary.emplace_back((v - 1) / 2, v);
  Edges caterpillar = path_edges(80);
  for (vertex_t v = 0; v < 80; ++v) caterpillar.emplace_back(v, 80 + v);
  return {animal("binary_tree_10", make_graph(2047, binary)),
          animal("caterpillar_80", make_graph(160, caterpillar))};
}

Family disconnected() {
  const Edges islands = joined(joined(path_edges(40), complete_edges(20, 50)), star_edges(30, 80));
  ZooGraph mixed{"islands", make_graph(130, islands), {0, 39, 45, 60, 80, 129}, Size::small};
  return {mixed,  // 45 and 129 are isolated
          animal("two_equal_paths", make_graph(100, joined(path_edges(50), path_edges(50, 50))))};
}

Family degenerate() {
  return {animal("one_vertex", make_graph(1, {})),
          animal("one_vertex_with_self_loop", make_graph(1, {{0, 0}}, false, false)),
          animal("two_isolated", make_graph(2, {})), animal("edgeless_130", make_graph(130, {})),
          animal("edgeless_directed_65", make_graph(65, {}, false))};
}

Family loops_and_multi_edges() {
  Edges edges = random_edges(90, 200, 7);
  edges = joined(edges, edges);  // each edge at least twice
  for (vertex_t v = 0; v < 90; v += 3) edges.emplace_back(v, v);
  return {animal("multi_symmetric", make_graph(90, edges, true, false)),
          animal("multi_directed", make_graph(90, edges, false, false)),
          animal("multi_cleaned", make_graph(90, edges, true, true))};
}

Family word_edges() {  // bitmaps of whole words, and one bit more or less
  Family family;
  for (const vertex_t n : {63U, 64U, 65U, 127U, 128U, 129U}) {
    family.push_back(
        animal("random_" + std::to_string(n), make_graph(n, random_edges(n, 2 * n, n))));
  }
  return family;
}

Family random() {
  Family family;
  for (const unsigned degree : {1U, 2U, 4U, 16U}) {
    family.push_back(animal("uniform_600_degree_" + std::to_string(degree),
                            make_graph(600, random_edges(600, 300 * degree, degree))));
  }
  return family;
}

Family directed() {
  Edges cycle = path_edges(50);
  cycle.emplace_back(49, 0);
  Edges dag;  // layers of 20; each vertex points at 3 of the next layer and one beyond
  for (vertex_t v = 0; v < 180; ++v) {
    for (vertex_t k = 0; k < 3; ++k) dag.emplace_back(v, (v / 20 + 1) * 20 + (v * 7 + k * 5) % 20);
    if (v < 160) dag.emplace_back(v, (v / 20 + 2) * 20 + v * 3 % 20);
  }
  Edges in_star;
  for (vertex_t leaf = 1; leaf <= 300; ++leaf) in_star.emplace_back(leaf, 0);
  // Back edges of every length, which a symmetric rule would call wrong.
  Edges ladder = path_edges(120);
  for (vertex_t v = 10; v < 120; v += 7) ladder.emplace_back(v, v / 2);
  Family family{animal("directed_path_70", make_graph(70, path_edges(70), false)),
                animal("directed_cycle_50", make_graph(50, cycle, false)),
                animal("dag_200", make_graph(200, dag, false)),
                animal("in_star_300", make_graph(301, in_star, false)),
                animal("out_star_300", make_graph(301, star_edges(300), false)),
                animal("tournament_40", make_graph(40, complete_edges(40), false)),
                animal("ladder_120", make_graph(120, ladder, false))};
  for (const unsigned degree : {1U, 2U, 3U, 8U}) {
    family.push_back(animal("digraph_500_degree_" + std::to_string(degree),
                            make_graph(500, random_edges(500, 500 * degree, 100 + degree), false)));
  }
  return family;
}

std::shared_ptr<const CsrGraph> named_graph(const std::string& name,
                                            const std::vector<std::string>& data_folders = {}) {
  LoadOptions options;
  options.data_folders = data_folders;
  options.transpose = true;
  return std::make_shared<const CsrGraph>(load_graph(GraphName::parse(name), options));
}

Family kronecker() {
  Family family;
  for (const int scale : kSanitized ? std::vector{10, 12} : std::vector{10, 11, 12, 13, 14}) {
    const std::string name = "kronecker:scale=" + std::to_string(scale);
    family.push_back(animal(name, named_graph(name), Size::large));
  }
  const std::string by_degree = "kronecker:scale=11,relabel=degree";
  family.push_back(animal(by_degree, named_graph(by_degree), Size::large));
  const std::string one_way = "kronecker:scale=11,symmetrize=false";
  family.push_back(animal(one_way, named_graph(one_way), Size::large));
  return family;
}

Family deep() {
  const vertex_t n = kSanitized ? 10'500 : 20'000;
  ZooGraph path{"path_" + std::to_string(n), make_graph(n, path_edges(n)), {0}, Size::deep};
  return {path};
}

std::vector<std::string> test_data_folders() {
  const std::string folder = test_data_folder();
  if (folder.empty()) return {};
  return {folder, folder + "/mirror"};
}

Family real(const std::string& name, std::string& why) {
  Family family;
  try {
    for (const char* symmetrize : {"true", "false"}) {
      const std::string text = "snap:" + name + ",symmetrize=" + symmetrize;
      family.push_back(animal(text, named_graph(text, test_data_folders()), Size::large));
    }
  } catch (const InputError& error) {
    why = error.what();
    return {};
  }
  return family;
}

using Builder = std::function<Family(std::string& why)>;

const std::map<std::string, Builder>& builders() {
  static const std::map<std::string, Builder> all = [] {
    std::map<std::string, Builder> by_name;
    const auto add = [&](const std::string& name, Family (*build)()) {
      by_name[name] = [build](std::string&) { return build(); };
    };
    add("paths", paths);
    add("stars", stars);
    add("hub", hub);
    add("grids", grids);
    add("complete", complete);
    add("trees", trees);
    add("disconnected", disconnected);
    add("degenerate", degenerate);
    add("loops_and_multi_edges", loops_and_multi_edges);
    add("word_edges", word_edges);
    add("random", random);
    add("directed", directed);
    add("kronecker", kronecker);
    add("deep", deep);
    const auto add_real = [&](const std::string& name, const std::string& left_out = "") {
      std::string family = name;
      std::replace(family.begin(), family.end(), '-', '_');
      by_name["real_" + family] = [name, left_out](std::string& why) {
        why = left_out;
        return left_out.empty() ? real(name, why) : Family{};
      };
    };
    for (const char* name : {"wiki-Vote", "ca-GrQc", "p2p-Gnutella08", "facebook_combined"}) {
      add_real(name);
    }
    add_real("soc-Epinions1", kSanitized ? "it is too large for sanitizers" : "");
    return by_name;
  }();
  return all;
}

}  // namespace

const std::vector<std::string>& zoo_families() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> out;
    for (const auto& [name, build] : builders()) out.push_back(name);
    return out;
  }();
  return names;
}

const std::vector<ZooGraph>& zoo_family(std::string_view family, std::string* why) {
  struct Built {
    Family graphs;
    std::string why;
  };
  static std::map<std::string, Built> built;
  const auto [entry, fresh] = built.try_emplace(std::string(family));
  if (fresh) entry->second.graphs = builders().at(entry->first)(entry->second.why);
  if (why != nullptr) *why = entry->second.why;
  return entry->second.graphs;
}

const std::vector<std::string>& large_real_graphs() {
  static const std::vector<std::string> names = {
      "web-NotreDame", "uk-2007-05@100000", "cit-HepPh", "loc-Brightkite", "ego-Twitter-undirected",
      "usroads-48",    "USA-road-d.NY",     "cti",       "mdual"};
  return names;
}

std::vector<ZooGraph> large_real_graph(const std::string& name, std::string& why) {
  if (kSanitized) {
    why = "it is too large for sanitizers";
    return {};
  }
  std::vector<std::string> forms = {name};
  if (catalog().find(name)->directed) forms.push_back(name + ",symmetrize=false");
  Family family;
  try {
    for (const std::string& form : forms) {
      auto graph = named_graph(form, test_data_folders());
      const vertex_t source = vertex_of_highest_degree(*graph);
      family.push_back({form, std::move(graph), {source}, Size::deep});
    }
  } catch (const InputError& error) {
    why = error.what();
    return {};
  }
  return family;
}

std::shared_ptr<const CsrGraph> make_graph(vertex_t vertices, const Edges& edges, bool symmetric,
                                           bool clean) {
  EdgeList list;
  list.vertex_count = vertices;
  list.edges = Buffer<Edge>(edges.size());
  for (std::size_t i = 0; i < edges.size(); ++i) {
    list.edges[i] = {edges[i].first, edges[i].second};
  }
  BuildOptions options;
  options.symmetrize = symmetric;
  options.drop_self_loops = clean;
  options.deduplicate = clean;
  CsrGraph graph = build_csr(std::move(list), options, "test");
  if (!symmetric) graph.set_transpose(build_transpose(graph));
  return std::make_shared<const CsrGraph>(std::move(graph));
}

CsrGraph without_transpose(const CsrGraph& graph) {
  CsrGraph bare = graph;
  bare.set_transpose(nullptr);
  return bare;
}

}  // namespace bfslab::tests
