// SPDX-License-Identifier: Apache-2.0
// The catalogue: what it holds, what is refused in one, and how the counts of a file are
// compared with it.
#include "datasets/catalog/catalog.hpp"

#include <gtest/gtest.h>

#include <cctype>
#include <optional>
#include <set>

#include "datasets/catalog/published.hpp"
#include "datasets/generate/generator.hpp"
#include "datasets/load_graph.hpp"
#include "datasets/name/addresses.hpp"
#include "datasets/name/check_catalog.hpp"
#include "datasets/name/locate.hpp"
#include "datasets/name/named_kinds.hpp"
#include "datasets/read/reader.hpp"
#include "tests/datasets/naive_csr.hpp"
#include "tests/datasets/real_data.hpp"
#include "tests/datasets/temporary_folder.hpp"

namespace bfslab::tests {
namespace {

TEST(BuiltInCatalogue, IsConsistent) {
  EXPECT_NO_THROW(check_catalog(catalog(), "the built-in catalogue"));
  std::set<std::string> formats;
  for (const GraphFormat& format : graph_formats()) formats.insert(format.name);
  for (const CatalogEntry& entry : catalog().entries) {
    const GraphName name = GraphName::parse(entry.name);
    EXPECT_EQ(name.canonical, GraphName::parse(entry.graph).canonical);
    EXPECT_TRUE(name.stand_in_for.empty());
    EXPECT_EQ(catalog().find(entry.name), &entry);
    const NamedKind* kind = find_named_kind(name.kind);
    if (kind == nullptr) {
      EXPECT_NE(find_generator(name.kind), nullptr) << entry.name;
      continue;
    }
    EXPECT_EQ(catalog().find_graph(entry.graph), &entry);
    EXPECT_GT(entry.vertices, 0U) << entry.name;
    EXPECT_GT(entry.edges, 0U) << entry.name;
    EXPECT_EQ(formats.count(entry.format), 1U) << entry.name << ": " << entry.format;
    for (const OfferedFile& file : offered_files(*kind, name.path)) {
      EXPECT_EQ(formats.count(file.format), 1U) << file.address << ": " << file.format;
      const bool archive = file.address.find(".tar") != std::string::npos;
      EXPECT_EQ(archive, !file.member.empty()) << file.address;
    }
  }
}

TEST(BuiltInCatalogue, HasThePapersSets) {
  const auto members = [](const char* group) { return catalog().find_group(group)->members; };
  EXPECT_EQ(members("xbfs-table1"),
            (std::vector<std::string>{"dbpedia-all", "dblp-author-xbfs", "enwiki-xbfs",
                                      "friendster-xbfs", "com-lj", "com-orkut", "trackers-xbfs",
                                      "cit-Patents", "dbpedia-link", "wikipedia_link_en-xbfs"}));
  EXPECT_EQ(members("dfq-table1").size(), 8U);
  EXPECT_EQ(members("cs406-section1").size(), 5U);
  EXPECT_EQ(members("scalable-bfs-real").size(), 2U);
  EXPECT_EQ(members("small-real").size(), 25U);
  // xbfs Table 1 as printed, if its edition has its own entry.
  EXPECT_EQ(catalog().find("friendster-xbfs")->edges, 710869285U);
  EXPECT_EQ(catalog().find("friendster-xbfs")->vertices, 65608357U);
  EXPECT_EQ(catalog().find("com-friendster")->edges, 1806067135U);
  EXPECT_EQ(catalog().find("dblp-author-xbfs")->edges, 8649016U);
  EXPECT_EQ(catalog().find("trackers-xbfs")->vertices, 27665730U);
  EXPECT_EQ(catalog().find("no-such-set"), nullptr);
  EXPECT_EQ(catalog().find_group("com-lj"), nullptr);
}

TEST(BuiltInCatalogue, StandInsAreOfThePublishedSize) {
  std::size_t count = 0;
  for (const CatalogEntry& entry : catalog().entries) {
    if (entry.stand_in.empty()) continue;
    ++count;
    const GraphName name = GraphName::parse(entry.name + "-standin");
    EXPECT_EQ(name.stand_in_for, entry.name);
    EXPECT_EQ(name.canonical, GraphName::parse(entry.stand_in).canonical);
    const auto vertices = static_cast<double>(predict_size(name).vertices);
    EXPECT_NEAR(vertices, static_cast<double>(entry.vertices),
                0.01 * static_cast<double>(entry.vertices))
        << entry.name;
  }
  EXPECT_GE(count, 20U);
}

// A catalogue of one good entry, and of `change` applied to its text.
std::string with(const std::string& from, const std::string& to) {
  std::string text = R"({"groups": [{"name": "pair", "doc": "both", "members": ["a"]}],
    "entries": [{"name": "a", "title": "A", "graph": "snap:a", "format": "snap",
      "addresses": ["https://snap.stanford.edu/data/a.txt.gz"], "directed": true,
      "vertices": 3, "edges": 2, "edges_are": "edge lines", "terms": "none", "used_by": ["us"],
      "stand_in": "path:vertices=3"}]})";
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

// Its form, then its names.
Catalog read(const std::string& text) {
  Catalog catalog = parse_catalog(text, "FILE");
  check_catalog(catalog, "FILE");
  return catalog;
}

TEST(ParseCatalogue, TakesAGoodOne) {
  const Catalog good = read(with("\"us\"", "\"them\""));
  ASSERT_EQ(good.entries.size(), 1U);
  EXPECT_EQ(good.entries[0].used_by, std::vector<std::string>{"them"});
  EXPECT_EQ(good.entries[0].vertices, 3U);
  EXPECT_TRUE(good.entries[0].directed);
  EXPECT_EQ(good.find_graph("snap:a"), good.entries.data());
  EXPECT_EQ(good.find_group("pair")->doc, "both");
}

TEST(ParseCatalogue, SaysWhatIsWrongAndWhere) {
  const std::vector<std::tuple<std::string, std::string, std::string>> corpus = {
      {"\"groups\"", "groups", "FILE: is no JSON"},
      {"\"title\"", "\"titel\"", "unknown key \"titel\", expected one of"},
      {"\"title\"", "\"titel\"", "did you mean \"title\"?"},
      {"\"title\"", "\"titel\"", "the key \"title\" is missing"},
      {"\"title\": \"A\"", "\"title\": 3", "entry \"a\": title: found 3, expected a text"},
      {"\"title\": \"A\"", "\"title\": \"A;B\"", "title: has a ';'"},
      {"\"directed\": true", "\"directed\": 1", "directed: found 1, expected true or false"},
      {"\"vertices\": 3", "\"vertices\": -3", "vertices: found -3, expected a whole number"},
      {"\"vertices\": 3", "\"vertices\": 3.5", "vertices: found 3.5"},
      {"\"vertices\": 3", "\"vertices\": 0", "vertices: found 0"},
      {"edge lines", "lines", "edges_are: found \"lines\", expected one of edge lines, undirected"},
      {"\"edges\": 2,", "", "edges_are: says what edges counts"},
      {"\"edges_are\": \"edge lines\",", "", "edges_are: found \"\""},
      {"snap:a", "a", "graph: found \"a\", expected KIND:..."},
      {"snap:a", "snpa:a", "unknown kind of graph \"snpa\""},
      {"snap:a", "snap:../a", "graph: graph \"snap:../a\": found \"../a\""},
      {"snap:a", "file:a.txt", "a path on one machine"},
      {"snap:a", "snap:a,symmetrize=false", "symmetrize belongs where the graph is used"},
      {"snap:a", "path:vertices=3", "format: a generator has none"},
      {"\"format\": \"snap\",", "", "the key \"format\" is missing"},
      {"path:vertices=3", "path:vertices=x", "stand_in: graph \"path:vertices=x\""},
      {"path:vertices=3", "snap:b", "stand_in: \"snap\" is no generator"},
      {"path:vertices=3", "b", "stand_in: found \"b\", expected KIND:..."},
      {"https://", "ftp://", "addresses: address \"ftp://"},
      {"/data/", "/../", "addresses: address"},
      {"\"addresses\"", "\"see\": \"ftp://x\", \"addresses\"", "see: found \"ftp://x\", expected"},
      {"\"addresses\"", "\"see\": \"http://x\", \"addresses\"", "a file with addresses needs none"},
      {"\"addresses\": [\"https://snap.stanford.edu/data/a.txt.gz\"],", "", "see: missing"},
      {"[\"us\"]", "[\"us\", \"us\"]", "used_by: found \"us\", expected each once"},
      {"[\"us\"]", "\"us\"", "used_by: found \"us\", expected a list of texts"},
      {"\"name\": \"a\"", "\"name\": \"a b\"", "name: found \"a b\", expected at most 80"},
      {"\"name\": \"a\"", "\"name\": \"a-standin\"", "means an entry's stand-in"},
      {"\"pair\"", "\"path\"", "group \"path\": name: \"path\" is a kind of graph"},
      {"\"name\": \"a\"", "\"name\": \"pair\"", "name: \"pair\" is there already"},
      {"\"terms\"", "\"sha256\": \"12\", \"terms\"", "sha256: found \"12\", expected 64 digits"},
      {"\"terms\"", "\"name\": \"b\", \"terms\"", "twice in one object: the key \"name\""},
      {"[\"a\"]", "[\"aa\"]", "group \"pair\": members: \"aa\" is no entry"},
      {"[\"a\"]", "[]", "a group needs one at least"},
      {"\"entries\": [", "\"entries\": [3, ", "entries[0]: found 3, expected an object"},
      {"\"entries\": [", "\"entries\": [[[[[[[[[[[]]]]]]]]]],", "brackets too deep"},
  };
  for (const auto& [from, to, message] : corpus) {
    const std::string text = with(from, to);
    const std::string error = input_error([&] { read(text); });
    EXPECT_TRUE(contains(error, message)) << from << " -> " << to << ":\n" << error;
  }
}

TEST(ParseCatalogue, ReportsEveryMistake) {
  std::string text = with("\"directed\": true", "\"directed\": 1");
  text.replace(text.find("edge lines"), 10, "lines");
  text.replace(text.find("[\"a\"]"), 5, "[\"zzz\"]");
  const std::string form = input_error([&] { read(text); });
  EXPECT_EQ(std::count(form.begin(), form.end(), '\n'), 2) << form;

  text = with("snap:a", "snpa:a");
  text.replace(text.find("path:vertices=3"), 15, "b");
  text.replace(text.find("\"pair\""), 6, "\"path\"");
  const std::string names = input_error([&] { read(text); });
  EXPECT_EQ(std::count(names.begin(), names.end(), '\n'), 2) << names;
}

TEST(ParseCatalogue, TakesEachNameAndGraphOnce) {
  const std::string entry = R"({"name": "NAME", "title": "A", "graph": "snap:GRAPH",
      "format": "snap", "see": "http://x", "directed": true, "terms": "none", "used_by": []})";
  const auto make = [&](const std::string& name, const std::string& graph) {
    std::string text = entry;
    text.replace(text.find("NAME"), 4, name);
    return text.replace(text.find("GRAPH"), 5, graph);
  };
  const auto both = [&](const std::string& second) {
    return input_error(
        [&] { read(R"({"groups": [], "entries": [)" + make("a", "a") + "," + second + "]}"); });
  };
  EXPECT_EQ(both(make("b", "b")), "no error");
  EXPECT_TRUE(contains(both(make("a", "b")), "name: \"a\" is there already"));
  EXPECT_TRUE(contains(both(make("b", "a")), "graph: \"snap:a\" has an entry already"));
}

TEST(Published, CountsWhatTheDistributorCounts) {
  EdgeList list = edge_list(4, {{0, 1}, {1, 0}, {2, 3}, {3, 2}});
  EXPECT_EQ(counted_edges(list, "edge lines"), 4U);
  EXPECT_EQ(counted_edges(list, "undirected edges"), 2U);
  EXPECT_EQ(counted_edges(list, "doubled edges"), 8U);
  list.undirected = true;
  EXPECT_EQ(counted_edges(list, "undirected edges"), 4U);
}

// However the file lists them: each once, in both directions, several times, with self-loops.
TEST(Published, SimpleEdgesAreThoseOfEveryForm) {
  const auto count = [](const std::vector<Edge>& edges) {
    return counted_edges(edge_list(4, edges), "simple edges");
  };
  EXPECT_EQ(count({{0, 1}, {2, 3}}), 2U);
  EXPECT_EQ(count({{0, 1}, {1, 0}, {2, 2}, {2, 3}, {3, 2}}), 2U);
  EXPECT_EQ(count({{0, 1}, {0, 1}, {1, 0}, {3, 2}}), 2U);
  EXPECT_EQ(count({{0, 1}, {1, 2}, {2, 3}}), 3U);
}

TEST(Published, DifferencesAreWarningsAndNothingElse) {
  CatalogEntry entry;
  entry.name = "a";
  entry.title = "A";
  entry.edition = "first";
  entry.vertices = 4;
  entry.edges = 2;
  entry.edges_are = "undirected edges";
  EdgeList list = edge_list(4, {{0, 1}, {1, 0}, {2, 3}, {3, 2}});
  add_catalog_facts(entry, list);
  EXPECT_EQ(fact(list.provenance, "catalogue"), "a");
  EXPECT_EQ(fact(list.provenance, "edition"), "first");
  EXPECT_EQ(fact(list.provenance, "published"), "4 vertices, 2 undirected edges");
  EXPECT_EQ(fact(list.provenance, "warning"), "");

  entry.edges = 3;
  entry.vertices = 0;  // not published
  EdgeList again = edge_list(4, {{0, 1}, {1, 0}, {2, 3}, {3, 2}});
  add_catalog_facts(entry, again);
  EXPECT_EQ(fact(again.provenance, "warning"), "the file has 2 undirected edges, published are 3");
}

// A list with each edge once is that of an undirected graph, if the catalogue says so.
TEST(Published, SimpleEdgesHaveNoDirection) {
  const TemporaryFolder folder;
  write_bytes(folder.file("cti.txt"), "1 2\n2 3\n");
  LoadOptions options;
  options.data_folders = {folder.path()};
  const CsrGraph graph = load_graph(GraphName::parse("cti,symmetrize=false"), options);
  EXPECT_TRUE(graph.symmetric());
  EXPECT_EQ(graph.edge_count(), 4U);
}

// Every small real graph, by its bare name, from BFSLAB_TEST_DATA: read as its
// format, with the published counts.
class SmallReal : public ::testing::TestWithParam<std::string> {};

TEST_P(SmallReal, HasThePublishedCounts) {
  BFSLAB_REAL_DATA(data, "mirror");
  LoadOptions options;
  options.data_folders = {real_data("")};
  options.threads = 2;
  const GraphName name = GraphName::parse(GetParam());
  const std::optional<LocatedFile> file = locate_file(name, options.data_folders);
  ASSERT_TRUE(file);
  const CatalogEntry& entry = *catalog().find(GetParam());
  EXPECT_EQ(file->format, entry.format);
  try {
    const CsrGraph graph = load_graph(name, options);
    EXPECT_EQ(graph.vertex_count(), entry.vertices);
    EXPECT_EQ(fact(graph.provenance(), "catalogue"), entry.name);
    EXPECT_EQ(fact(graph.provenance(), "warning"), "");
    EXPECT_EQ(fact(graph.provenance(), "published"), published_counts(entry));
  } catch (const InputError& error) {
    // A build without libarchive or zstd says so, and which package it needs.
    if (!contains(error.what(), "this build of bfslab has no")) throw;
    GTEST_SKIP() << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(Catalogue, SmallReal,
                         ::testing::ValuesIn(catalog().find_group("small-real")->members),
                         [](const auto& info) {
                           std::string name = info.param;
                           for (char& c : name) {
                             if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
                           }
                           return name;
                         });

}  // namespace
}  // namespace bfslab::tests
