// SPDX-License-Identifier: Apache-2.0
// The format in which a file is read, by its name, its first line and the shape of its lines; what
// is refused.
#include "datasets/read/detect.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "tests/datasets/naive_csr.hpp"
#include "tests/datasets/packed.hpp"
#include "tests/datasets/parsing.hpp"
#include "tests/datasets/temporary_folder.hpp"

namespace bfslab::tests {
namespace {

class Detect : public ::testing::Test {
 protected:
  Detected detect(const std::string& name, const std::string& bytes) const {
    write_bytes(folder.file(name), bytes);
    return detect_format(folder.file(name), {}, format_by_name(name));
  }
  // Its format and its edges, as they are read: "edges: 0-1 1-2".
  std::string read(const std::string& name, const std::string& bytes) const {
    const Detected found = detect(name, bytes);
    std::ostringstream out;
    out << found.format->name << ":";
    for (const Edge edge : found.format->read(folder.file(name), 2).edges) {
      out << ' ' << edge.from << '-' << edge.to;
    }
    return out.str();
  }
  std::string refusal(const std::string& name, const std::string& bytes) const {
    return input_error([&] { read(name, bytes); });
  }

  TemporaryFolder folder;
};

const std::string kPath = "0-1 1-2";

TEST_F(Detect, EdgeListsAsTheyAreFound) {
  const std::string want = "edges: " + kPath;
  EXPECT_EQ(read("g.txt", "# SNAP\n0\t1\n1\t2\n"), want);
  EXPECT_EQ(read("g.el", "0 1\n1 2\n"), want);
  EXPECT_EQ(read("g.wel", "0 1 5\n1 2 7\n"), want);
  EXPECT_EQ(read("g.edges", "% Network Repository\n1,2\n2,3\n"), want);
  EXPECT_EQ(read("g.edges", "% a remark\n% 2 3 3\n1 2 0.5\n2 3 0.5\n"), want);
  EXPECT_EQ(read("g.csv", "id_1,id_2\n0,1\n1,2\n"), want);
  EXPECT_EQ(read("g.csv", "\xef\xbb\xbf\"from\";\"to\";\"kind\"\r\n0;1;a friend\r\n1;2;\r\n"),
            "edges: " + kPath);
  EXPECT_EQ(read("g.tsv", "src\tdst\n0\t1\n1\t2\n"), want);
  EXPECT_EQ(read("g.out", "5 6\n6 9\n"), want);
  EXPECT_EQ(read("g.csv.gz", gzip_of("Person.id|Person.id|creationDate\n0|1|2010-01-03T15:10\n"
                                     "1|2|2010-01-04T01:00\n")),
            want);
}

TEST_F(Detect, AKonectFileWithoutItsFirstLineIsAnEdgeList) {
  EXPECT_EQ(read("out.x", "% sym unweighted\n1 2\n2 3\n"), "konect: " + kPath);
  EXPECT_EQ(read("out.x", "1 2\n2 3\n"), "edges: " + kPath);
  EXPECT_EQ(read("out.x", "% 2 3 3\n1 2 1 99\n2 3 1 98\n"), "edges: " + kPath);
  const std::string why = detect("out.x", "1 2\n2 3\n").why;
  EXPECT_TRUE(contains(why, "konect")) << why;
  EXPECT_TRUE(contains(why, "does not begin with \"% sym\" or \"% asym\"")) << why;
}

TEST_F(Detect, AFirstLineOfOneFormatDecidesWhateverTheName) {
  const std::string banner = "%%MatrixMarket  matrix coordinate pattern general\n3 3 2\n1 2\n2 3\n";
  EXPECT_EQ(read("g.edges", banner), "matrix-market: " + kPath);
  EXPECT_EQ(read("g.mtx", banner), "matrix-market: " + kPath);
  EXPECT_EQ(read("g.edges", "% asym positive\n1 2 1\n2 3 1\n"), "konect: " + kPath);
  EXPECT_EQ(read("g.txt", "c roads\n\np sp 3 2\na 1 2 9\na 2 3 9\n"), "dimacs9: " + kPath);
  EXPECT_EQ(read("g.graph", "AdjacencyGraph\n3\n2\n0\n1\n2\n1\n2\n"), "adjacency: " + kPath);
  EXPECT_EQ(read("anything", "WeightedAdjacencyGraph\n3\n2\n0\n1\n2\n1\n2\n7\n-1\n"),
            "adjacency: " + kPath);
  EXPECT_TRUE(contains(detect("g.edges", banner).why, "by its first line \"%%MatrixMarket"));
  EXPECT_EQ(detect("g.mtx", banner).why, "");
}

TEST_F(Detect, TheShapeOfTheLinesDecidesWhereTheNameIsWrongOrSaysNothing) {
  EXPECT_EQ(read("g.graph", "0 1\n1 2\n"), "edges: " + kPath);
  EXPECT_EQ(read("g.gr", "1 2\n2 3\n"), "edges: " + kPath);
  EXPECT_EQ(read("g.txt", "3 2\n2\n1 3\n2\n"), "metis: " + kPath);
  EXPECT_EQ(read("g", "0 1\n1 2\n"), "edges: " + kPath);
  EXPECT_EQ(read("g.dat", "% METIS\n3 2\n2\n1 3\n2\n"), "metis: " + kPath);
  EXPECT_TRUE(contains(detect("g.graph", "0 1\n1 2\n").why, "not those of metis"));
  EXPECT_TRUE(contains(detect("g.dat", "0 1\n1 2\n").why, "its name says nothing"));
  // undirected, 4 entries of 3 vertices: 0-1 1-2.
  const std::string gap(
      "\0\4\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0"
      "\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0\4\0\0\0\0\0\0\0"
      "\1\0\0\0\0\0\0\0\2\0\0\0\1\0\0\0",
      17 + 32 + 16);
  EXPECT_EQ(read("g.bin", gap), "gapbs: " + kPath);
}

TEST_F(Detect, AnArchiveIsLookedInto) {
  if (!has_archives()) GTEST_SKIP() << "this build does not read tar";
  const std::string banner = "%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n2 3\n";
  EXPECT_EQ(read("g.tar", tar_of({{"g/README", "words", {}}, {"g/g.mtx", banner, {}}})),
            "matrix-market: " + kPath);
}

TEST_F(Detect, OnlyTheBeginningIsLookedAt) {
  std::string text;
  for (int i = 1; i < 30000; ++i) text += std::to_string(i) + " " + std::to_string(i + 1) + "\n";
  EXPECT_EQ(detect("g", text).format->name, "edges");
  // A ring as METIS has it; its first line makes it one of 30000 vertices.
  std::string rows = "30000 30000\n2 30000\n";
  for (int i = 2; i < 30000; ++i) {
    rows += std::to_string(i - 1) + " " + std::to_string(i + 1) + "\n";
  }
  rows += "1 29999\n";
  EXPECT_EQ(detect("g.graph", rows).format->name, "metis");
  EXPECT_TRUE(contains(refusal("g", rows), "could be two things"));
}

TEST_F(Detect, AmbiguousFilesAreRefusedWithBothReadings) {
  const std::string triangle = "3 3\n2 3\n1 3\n1 2\n";
  const std::string unnamed = refusal("g.dat", triangle);
  EXPECT_TRUE(contains(unnamed,
                       "could be two things: an edge list (2 columns between blanks) of 4 "
                       "edges, the first of them \"3 3\"; or METIS, the counts \"3 3\""))
      << unnamed;
  EXPECT_TRUE(contains(unnamed, "g.dat,format=edges or file:")) << unnamed;
  EXPECT_EQ(read("g.graph", triangle), "metis: 0-1 0-2 1-2");
  // Counts in front of an edge list, as an edge list: of vertices and edges, and MatrixMarket's
  // without its banner.
  for (const char* text : {"5 4\n0 1\n1 2\n2 3\n3 4\n", "4 4 3\n1 2 9\n2 3 9\n3 4 9\n"}) {
    for (const char* name : {"g.txt", "g.mtx", "g.el"}) {
      const std::string message = refusal(name, text);
      EXPECT_TRUE(contains(message, "could be two things")) << message;
      EXPECT_TRUE(contains(message, "delete that line")) << message;
    }
  }
  EXPECT_EQ(read("g.txt", "3 4\n0 1\n1 2\n2 3\n3 5\n").substr(0, 6), "edges:");  // 5 is beyond 3
}

TEST_F(Detect, ARowOfNamesThatNamesOtherColumnsIsAmbiguous) {
  const std::string dated = refusal("g.csv", "time,source,target\n5,0,1\n6,1,2\n");
  EXPECT_TRUE(
      contains(dated, "g.csv:1: the row of names (time, source, target) leaves two readings"))
      << dated;
  EXPECT_TRUE(contains(dated, "cut -d',' -f2,3")) << dated;
  EXPECT_TRUE(contains(refusal("g.csv", ",a,b\n0,7,8\n1,8,9\n"), "-f2,3"));  // pandas' index
  EXPECT_TRUE(contains(refusal("g.txt", "from to\n1 7 8\n2 8 9\n"),          // R's row names
                       "a row of 2 names (from, to) above lines of 3 columns"));
  EXPECT_EQ(read("g.csv", "source,target,time\n0,1,5\n1,2,6\n"), "edges: " + kPath);
  EXPECT_EQ(read("g.csv", "alice,bob\n0,1\n1,2\n"), "edges: " + kPath);
}

TEST_F(Detect, WhatIsNoGraphIsRefused) {
  EXPECT_TRUE(
      contains(refusal("notes", "to whom it may concern\n"),
               "neither its name nor its contents show what it is: it begins with \"to whom"));
  EXPECT_TRUE(contains(refusal("empty", ""), "it is empty; if it is a graph, name it file:"));
  // Where the name says what it should be, its reader says what is wrong.
  EXPECT_TRUE(contains(refusal("g.mtx", "hello world\n"), "g.mtx:1: found \"hello\", expected"));
  EXPECT_TRUE(contains(refusal("g.txt", "0 1\n2\n"), "g.txt:2: found one column"));
  EXPECT_TRUE(contains(refusal("out.x", "a b\nc d\n"), "out.x:1: found \"a b\", expected \"% sym"));
}

TEST_F(Detect, WhatWasAssumedIsSaid) {
  const EdgeList list = parse_as("edges", "% x\nsource,target\n3,7\n7,9\n");
  EXPECT_EQ(fact(list.provenance, "assumed"),
            "2 columns between commas, below a row of names (source, target), % before comments; "
            "one set of vertices; directed, as nothing says otherwise");
  EXPECT_EQ(fact(parse_as("edges", "# Undirected graph: x\n3 7\n").provenance, "assumed"),
            "2 columns between blanks; one set of vertices");
}

}  // namespace
}  // namespace bfslab::tests
