// SPDX-License-Identifier: Apache-2.0
// Inputs that the definitions of the formats allow, and inputs that resemble them. Each is read as
// it is meant or refused with a reason, and none silently becomes another graph.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>

#include "datasets/read/detect.hpp"
#include "datasets/read/graphalytics.hpp"
#include "datasets/read/properties.hpp"
#include "tests/datasets/naive_csr.hpp"
#include "tests/datasets/packed.hpp"
#include "tests/datasets/parsing.hpp"
#include "tests/datasets/temporary_folder.hpp"

namespace bfslab::tests {
namespace {

const std::string kMark = "\xef\xbb\xbf";

class Variants : public ::testing::Test {
 protected:
  // As `graph info` reads a file of that name.
  EdgeList read(const std::string& name, const std::string& bytes) const {
    const std::string path = folder.file(name);
    write_bytes(path, bytes);
    return detect_format(path, {}, format_by_name(name)).format->read(path, 2);
  }
  std::string refusal(const std::string& name, const std::string& bytes) const {
    return input_error([&] { static_cast<void>(read(name, bytes)); });
  }

  TemporaryFolder folder;
};

// --- F1: two sets of vertices

TEST_F(Variants, TwoSetsStayApartWhateverComesBeforeTheirLine) {
  const std::string edges = "1 1\n1 2\n2 2\n3 1\n";
  const std::vector<std::string> heads = {
      "% bip unweighted\n",
      "%bip unweighted\n",
      "% BIP unweighted\n",
      "%\tbip\tunweighted\r\n",
      "  % bip unweighted\n",
      "%% bip unweighted\n",
      "# bip unweighted\n",
      "% bip\n",
      kMark + "% bip unweighted\n",
      kMark + "% from a mirror, 2021\n% bip unweighted\n",
      "\n% bip unweighted\n",
      "\r\n \t\n% bip unweighted\r\n",
      "% from a mirror, 2021\n% bip unweighted\n",
      "# from a mirror, 2021\n% bip unweighted\n",
      "%\n% bip unweighted\n% 4 3 2\n",
      "% bip unweighted\n\n% 4 3 2\n",
      "% bip unweighted\n% a remark\n",
      "%%remark\n\n# another\n% bip positive\n",
      "% " + std::string(5000, 'x') + "\n% bip unweighted\n",
  };
  for (const std::string& head : heads) {
    for (const char* name : {"g.edges", "g.txt", "out.g", "g.konect", "g.csv", "g"}) {
      const EdgeList list = read(name, head + edges);
      EXPECT_EQ(list.vertex_count, 5U) << name << '\n' << head;
      EXPECT_EQ(edges_in(list), (std::vector<Edge>{{0, 3}, {0, 4}, {1, 4}, {2, 3}})) << head;
      EXPECT_EQ(list.labels, (std::vector<std::uint64_t>{1, 2, 3, 1, 2})) << head;
    }
  }
}

TEST_F(Variants, TwoSetsAreNotMergedByAReaderOfOneSet) {
  for (const std::string& text : std::vector<std::string>{
           "1 1\n1 2\n% bip unweighted\n2 2\n3 1\n",
           "1 1\n% bip unweighted\n1 2\n2 2\n3 1\n",
           "1 1\n1 2\n2 2\n3 1\n# bip unweighted\n",
       }) {
    EXPECT_TRUE(contains(refusal("g.edges", text), "two sets of vertices")) << text;
  }
  const std::string late = "% " + std::string(100000, 'x') + "\n% bip unweighted\n1 1\n1 2\n";
  EXPECT_TRUE(contains(refusal("g.edges", late), "g.edges:2: \"% bip unweighted\" means two sets"));
  EXPECT_TRUE(contains(refusal_of("edges", "% bip -\n1 1\n1 2\n"), "FILE:1: \"% bip -\" means"));
  EXPECT_TRUE(contains(refusal("out.g", "% sym unweighted\n% bip unweighted\n1 2\n"), "one kind"));
}

// --- F3: counts

TEST_F(Variants, ALineOfCountsIsRefusedWithBothReadings) {
  const std::string edges = "1 3\n3 5\n5 7\n7 2\n2 4\n4 6\n";
  const std::string weighted = "1 3 1\n3 5 1\n5 7 1\n7 2 1\n2 4 1\n4 6 1\n";
  const std::string commas = "1,3\n3,5\n5,7\n7,2\n2,4\n4,6\n";
  const std::vector<std::pair<std::string, std::string>> files = {
      {"7 6\n", edges},
      {"6 7\n", edges},
      {"7\t6\r\n", edges},
      {"  7 6\n", edges},
      {"9 6\n", edges},   // isolated vertices
      {"7 12\n", edges},  // counted in both directions
      {kMark + "7 6\n", edges},
      {"# a comment\n7 6\n", edges},
      {"\n7 6\n", edges},
      {"7 6 0\n", weighted},
      {"6 7 0\n", weighted},
      {"7 6 1\n", weighted},
      {"7 7 6\n", weighted},
      {"7 3 6\n", weighted},
      {"7,6\n", commas},
      {"6,7\n", commas},
      {"nodes,edges\n7,6\n", commas},
      {"7 12\n", edges + "3 1\n5 3\n7 5\n2 7\n4 2\n6 4\n"},
      {"7 6\n", edges + "3 1\n5 3\n7 5\n2 7\n4 2\n6 4\n"},  // each counted once, listed twice
      {"3 2\n", "10 20\n20 30\n"},                          // ids with gaps
      {"2 3\n", "10 20\n20 30\n"},
      {"7 6\n", "0 3\n3 5\n5 6\n6 2\n2 4\n4 1\n"},  // ids from 0
  };
  for (const auto& [counts, rest] : files) {
    for (const char* name : {"g.txt", "g.edges", "g.csv"}) {
      const std::string message = refusal(name, counts + rest);
      EXPECT_TRUE(contains(message, "could be two things")) << counts << message;
      EXPECT_TRUE(contains(message, "delete that line")) << counts << message;
      EXPECT_EQ(refusal(name, rest), "no error") << rest;
    }
  }
  // Counts above lines of another number of columns are named, too.
  for (const std::string& text :
       std::vector<std::string>{"7 6\n" + weighted, "7 7 6\n" + edges, "7 6 0\n" + edges}) {
    EXPECT_TRUE(contains(refusal("g.txt", text), "if that line is no edge (counts")) << text;
  }
  for (const char* format : {"snap", "konect", "arcs"}) {
    const std::string head = format == std::string("konect") ? "% sym unweighted\n" : "";
    EXPECT_TRUE(contains(refusal_of(format, head + "7 6\n" + edges), "two things")) << format;
  }
}

TEST_F(Variants, EdgesThatCannotBeCountsAreRead) {
  EXPECT_EQ(read("g.txt", "1 2\n2 1\n").edges.size(), 2U);
  // A header that counts the first line says that it is an edge.
  EXPECT_EQ(read("g.txt", "# Nodes: 3 Edges: 3\n3 2\n1 2\n1 3\n").edges.size(), 3U);
  EXPECT_EQ(read("out.g", "% sym unweighted\n% 3 3 3\n3 2\n1 2\n1 3\n").edges.size(), 3U);
  EXPECT_TRUE(contains(refusal("g.txt", "# Nodes: 3 Edges: 2\n3 2\n1 2\n1 3\n"), "two things"));
  for (const std::string& text : std::vector<std::string>{
           "0 1\n", "1 2\n", "0 1\n1 2\n", "1 2\n2 3\n", "1 2\n2 3\n3 4\n", "0 1\n0 2\n1 2\n",
           "1 2\n1 3\n2 3\n", "5 6\n6 9\n", "7 9\n", "0 3\n3 0\n7 3\n", "1 2 5\n2 3 6\n3 4 7\n"}) {
    EXPECT_EQ(refusal("g.txt", text), "no error") << text;
  }
}

// --- F9: ignored columns

const std::vector<std::string> kIgnored = {"1.5",
                                           "-inf",
                                           "nan",
                                           "Infinity",
                                           "0.15D+01",
                                           "-1.0d-03",
                                           "1e308",
                                           "+7",
                                           "MT",
                                           "{}",
                                           "-",
                                           "2021-01-01",
                                           "2021-01-01T10:00:00Z",
                                           "12:30",
                                           "0x1f",
                                           "1,5",
                                           "50%",
                                           "true",
                                           "null",
                                           "a/b",
                                           "\xc3\xa9"};

TEST_F(Variants, IgnoredColumnsHoldAnything) {
  const std::vector<Edge> path = {{0, 1}, {1, 2}, {2, 3}};
  for (const std::string& word : kIgnored) {
    const auto lines = [&](const std::string& lead) {
      return lead + "1 2 " + word + "\n" + lead + "2 3 " + word + "\n" + lead + "3 4 " + word +
             "\n";
    };
    EXPECT_EQ(edges_in(read("g.txt", lines(""))), path) << word;
    EXPECT_EQ(edges_in(read("g.edgelist", lines(""))), path) << word;
    EXPECT_EQ(edges_in(parse_as("snap", lines(""))), path) << word;
    EXPECT_EQ(edges_in(parse_as("konect", "% asym positive\n" + lines(""))), path) << word;
    EXPECT_EQ(edges_in(parse_as("dimacs9", "p sp 4 3\n" + lines("a "))), path) << word;
    EXPECT_EQ(
        edges_in(parse_as("matrix-market",
                          "%%MatrixMarket matrix coordinate real general\n4 4 3\n" + lines(""))),
        path)
        << word;
    const auto row = [&](const char* id) { return fmt::format("{} {} ", id, word); };
    const std::string metis = "4 3 11\n" + word + " " + row("2") + "\n" + word + " " + row("1") +
                              row("3") + "\n" + word + " " + row("2") + row("4") + "\n" + word +
                              " " + row("3") + "\n";
    EXPECT_EQ(edges_in(parse_as("metis", metis)), path) << word;
    EXPECT_EQ(edges_in(parse_as("adjacency", "WeightedAdjacencyGraph\n2 1 0 1 1 " + word + "\n")),
              (std::vector<Edge>{{0, 1}}))
        << word;
    write_bytes(folder.file("w.e"), lines(""));
    EXPECT_EQ(edges_in(read_graphalytics(folder.file("w.e"), 2)), path) << word;
  }
}

TEST_F(Variants, QuotesAndBracketsAroundAColumnMayHoldBlanksAndSeparators) {
  const std::vector<Edge> path = {{0, 1}, {1, 2}};
  for (const std::string& text : std::vector<std::string>{
           "1 2 {'weight': 3, 'kind': 'road'}\n2 3 {'weight': 4}\n",
           "1 2 {'a': {'b': 1}, 'c': [1, 2]}\n2 3 {}\n",
           "1 2 \"a b\"\n2 3 c\n",
           "1 2 (1, 2)\n2 3 (1,2)\n",
           "1 2 {'a': 1} x\n2 3 {} y\n",
           "1,2,\"a, b\"\n2,3,c\n",
           "1,2,\"a \"\"b\"\", c\"\n2,3,\n",
           "1;2;{'a'; 1}\n2;3;x y z\n",
           "from,to,what\n1,2,\"x, y\"\n2,3,z\n",
       }) {
    EXPECT_EQ(edges_in(read("g.edgelist", text)), path) << text;
  }
  EXPECT_TRUE(contains(refusal("g.txt", "1 2 {a b\n2 3 {}\n"), "found 3 columns, expected 4"));
}

TEST_F(Variants, DamageInAnIgnoredColumnIsRefused) {
  for (const char byte : {'\0', '\x01', '\x1b', '\x7f', '\r'}) {
    const std::string word = std::string("x") + byte + "y";
    EXPECT_TRUE(contains(refusal("g.txt", "1 2 x\n2 3 " + word + "\n"), "g.txt:2: found")) << byte;
  }
}

// --- F10: headers, byte order marks

TEST_F(Variants, MatrixMarketHeaders) {
  const std::string rest = "matrix coordinate real general\n";
  const std::string body = "4 4 2\n1 2 1.0\n3 4 2.0\n";
  for (const std::string& head : std::vector<std::string>{
           "%%MatrixMarket " + rest, "%%matrixmarket MATRIX Coordinate REAL General\n",
           "  %%MatrixMarket " + rest, "\n%%MatrixMarket " + rest, kMark + "%%MatrixMarket " + rest,
           "% first\n%%MatrixMarket " + rest, "%%MatrixMarket\t" + rest,
           "%%MatrixMarket " + rest + "   % written by a solver\n",
           "%%MatrixMarket " + rest + "\t%\n\n%x\n", "%%MatrixMarket " + rest + "%\r\n",
           "%%MatrixMarket " + rest + "% sym comment\n", "%%MatrixMarket " + rest + "% bip\n"}) {
    for (const char* name : {"g.mtx", "g.edges", "g"}) {
      EXPECT_EQ(edges_in(read(name, head + body)), (std::vector<Edge>{{0, 1}, {2, 3}})) << head;
    }
  }
  EXPECT_EQ(
      edges_in(read("g.mtx", "%%MatrixMarket " + rest + "  4 4 2\n  % x\n 1 2 1.0\n 3 4 2\n")),
      (std::vector<Edge>{{0, 1}, {2, 3}}));
  for (const std::string& banner : std::vector<std::string>{
           "%MatrixMarket ", "% MatrixMarket ", "%% MatrixMarket ", "%%%MatrixMarket ",
           "MatrixMarket ", "# MatrixMarket ", "#%%MatrixMarket ", "% %MatrixMarket "}) {
    for (const char* name : {"g.mtx", "g.edges", "g.txt", "g"}) {
      const std::string message = refusal(name, banner + rest + body);
      EXPECT_TRUE(contains(message, "expected \"%%MatrixMarket matrix coordinate")) << message;
    }
  }
}

TEST_F(Variants, AByteOrderMarkIsLeftOutByEveryReaderOfText) {
  const std::vector<std::pair<std::string, std::string>> files = {
      {"g.txt", "1 2\n2 3\n"},
      {"g.txt", "# Nodes: 3 Edges: 2\n1 2\n2 3\n"},
      {"g.csv", "from,to\n1,2\n2,3\n"},
      {"g.csv", "\"from\",\"to\"\n1,2\n2,3\n"},
      {"g.edges", "1;2\n2;3\n"},
      {"out.g", "% sym unweighted\n1 2\n2 3\n"},
      {"g.mtx", "%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n2 3\n"},
      {"g.graph", "3 2\n2\n1 3\n2\n"},
      {"g.graph", "% x\n3 2\n2\n1 3\n2\n"},
      {"g.gr", "p sp 3 2\na 1 2 1\na 2 3 1\n"},
      {"g.gr", "c x\np sp 3 2\na 1 2 1\na 2 3 1\n"},
      {"g.adj", "AdjacencyGraph\n3\n2\n0\n1\n2\n1\n2\n"},
      {"g.arcs.tsv", "0\t1\n1\t2\n"},
      {"g", "1 2\n2 3\n"},
  };
  const std::vector<Edge> path = {{0, 1}, {1, 2}};
  for (const auto& [name, text] : files) {
    EXPECT_EQ(edges_in(read(name, kMark + text)), path) << name << '\n' << text;
    EXPECT_EQ(edges_in(read(name, gzip_of(kMark + text))), path) << name << '\n' << text;
    for (const char* mark : {"\xff\xfe", "\xfe\xff"}) {
      std::string wide = mark;
      for (const char c : text) wide += std::string(1, c) + '\0';
      if (name == "g") continue;
      EXPECT_TRUE(contains(refusal(name, wide), "is UTF-16 text")) << name;
    }
  }
  write_bytes(folder.file("m.e"), kMark + "1 2\n2 3\n");
  write_bytes(folder.file("m.v"), kMark + "1\n2\n3\n");
  write_bytes(folder.file("m.properties"), kMark + "graph.m.directed = false\n");
  EXPECT_TRUE(read_graphalytics(folder.file("m.e"), 2).undirected);
  EXPECT_EQ(read_graphalytics(folder.file("m.e"), 2).vertex_count, 3U);
}

// --- F14: .properties

TEST_F(Variants, PropertiesAsJavaReadsThem) {
  write_bytes(folder.file("p.e"), "1 2\n2 3\n");
  write_bytes(folder.file("p.v"), "1\n2\n3\n");
  const auto undirected = [&](const std::string& text) {
    write_bytes(folder.file("p.properties"), text);
    return read_graphalytics(folder.file("p.e"), 2).undirected;
  };
  for (const std::string& text :
       std::vector<std::string>{"graph.p.directed = false\n",
                                "graph.p.directed=false",
                                "graph.p.directed : false\n",
                                "graph.p.directed:false\n",
                                "graph.p.directed false\n",
                                "graph.p.directed\tfalse\n",
                                "graph.p.directed   =   false  \n",
                                "  graph.p.directed = false\n",
                                "\tgraph.p.directed: false\r\n",
                                "graph.p.directed = false\r# x\r",
                                "graph.p.directed = \\\n  false\n",
                                "graph.p.\\\n   directed = false\n",
                                "graph.p.directed \\\n = \\\n false\n",
                                "graph.p.directed = fal\\\r\n\tse\n",
                                "graph\\u002ep.directed = false\n",
                                "graph.p.directed = \\u0066alse\n",
                                "graph.p.\\directed = f\\alse\n",
                                "graph.p.directed = FALSE\n",
                                "! graph.p.directed = true\ngraph.p.directed = false\n",
                                "# graph.p.directed = true \\\ngraph.p.directed = false\n",
                                "graph.p.directed = true\ngraph.p.directed = false\n",
                                "graph.p.vertex-file : p.v\ngraph.p.directed : false\n",
                                "note = ends with \\\\\ngraph.p.directed = false\n",
                                "graph.p\\ q.x = y\ngraph.p.directed = false\n"}) {
    EXPECT_TRUE(undirected(text)) << text;
  }
  // Keys that only look like it.
  for (const std::string& text : std::vector<std::string>{
           "graph.p.directed = true\n", "note = graph.p.directed = false\n",
           "note = x \\\ngraph.p.directed = false\n", "graph.p.directedness = false\n",
           "# graph.p.directed = false\n", "  ! graph.p.directed = false\n", ""}) {
    EXPECT_FALSE(undirected(text)) << text;
  }
  for (const std::string& text : std::vector<std::string>{
           "graph.p.directed\n", "graph.p.directed =\n", "graph.p.directed = no\n",
           "graph.p.directed == false\n", "graph.p.directed = false # x\n",
           "graph.q.directed = true\ngraph.p.directed = false\n"}) {
    EXPECT_NE(input_error([&] { undirected(text); }), "no error") << text;
  }
}

// --- F15: METIS without vertices, or without edges

TEST_F(Variants, AMetisGraphWithoutEdgesIsNoEdge) {
  for (const std::string& text :
       std::vector<std::string>{"0 0\n", "0 0", "0 0 0\n", "0 0 11\n", "0 0 011 2\n", "0\t0\r\n",
                                " 0 0 \n", "% x\n0 0\n", "\n0 0\n", "0 0\n\n\n", "0 0\n% x\n"}) {
    for (const std::string& bytes : {text, kMark + text, gzip_of(text)}) {
      const std::string message = refusal("g.graph", bytes);
      EXPECT_TRUE(contains(message, "a graph without vertices")) << text << message;
    }
    EXPECT_TRUE(contains(refusal("g", text), "two things")) << text;
  }
  EXPECT_TRUE(contains(refusal("g.txt", "0 0\n"), "a graph without vertices, which is not"));
  EXPECT_TRUE(contains(refusal("g.txt", "5 0\n"), "a graph without edges, which is not"));
  EXPECT_EQ(read("g.txt", "5 0\n5 0\n").edges.size(), 2U);
  for (const std::string& text :
       std::vector<std::string>{"3 0\n", "3 0", "3 0\n\n", "3 0\n% x\n\n", "3 0 1\n"}) {
    EXPECT_TRUE(contains(refusal("g.graph", text), "its header announces 3")) << text;
  }
  EXPECT_EQ(read("g.graph", "3 0\n\n\n\n").vertex_count, 3U);
  EXPECT_EQ(read("g.graph", "2 1\n  % indented\n2\n1\n").vertex_count, 2U);
}

// --- F17: GAP's weighted graphs

template <typename T>
void append(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

// The path 0 - 1 - 2; a directed one has its reverse besides.
std::string gap_path(bool directed, bool weighted) {
  std::string out(1, directed ? '\1' : '\0');
  append<std::int64_t>(out, directed ? 2 : 4);
  append<std::int64_t>(out, 3);
  const auto half = [&](const std::vector<std::int64_t>& offsets,
                        const std::vector<std::int32_t>& neighbors) {
    for (const std::int64_t offset : offsets) append(out, offset);
    for (const std::int32_t neighbor : neighbors) {
      append(out, neighbor);
      if (weighted) append<std::int32_t>(out, 100 + neighbor);
    }
  };
  if (directed) {
    half({0, 1, 2, 2}, {1, 2});
    half({0, 0, 1, 2}, {0, 1});
  } else {
    half({0, 1, 3, 4}, {1, 0, 2, 1});
  }
  return out;
}

TEST_F(Variants, WeightedGapGraphs) {
  for (const bool directed : {false, true}) {
    for (const bool packed : {false, true}) {
      const std::string bytes = gap_path(directed, true);
      const EdgeList list = read(packed ? "g.wsg.gz" : "g.wsg", packed ? gzip_of(bytes) : bytes);
      EXPECT_EQ(edges_in(list), (std::vector<Edge>{{0, 1}, {1, 2}}));
      EXPECT_EQ(list.undirected, !directed);
      EXPECT_EQ(fact(list.provenance, "ignored"), "weights");
    }
    EXPECT_TRUE(contains(refusal("g.sg", gap_path(directed, true)), "must end in .wsg"));
    EXPECT_NE(refusal("g.wsg", gap_path(directed, false)), "no error");
    EXPECT_EQ(read("g.sg", gap_path(directed, false)).edges.size(), 2U);
  }
}

}  // namespace
}  // namespace bfslab::tests
