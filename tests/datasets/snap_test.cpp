// SPDX-License-Identifier: Apache-2.0
#include "datasets/read/snap.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include "datasets/read/memory_stream.hpp"
#include "tests/datasets/naive_csr.hpp"
#include "tests/datasets/temporary_folder.hpp"

namespace bfslab::tests {
namespace {

EdgeList parse(const std::string& text, int threads = 2) {
  MemoryStream bytes(text);
  return parse_snap(bytes, "g.txt", threads);
}

std::vector<Edge> edges_of(const EdgeList& list) { return {list.edges.begin(), list.edges.end()}; }

void write_gzip(const std::string& path, const std::string& text) {
  gzFile file = gzopen(path.c_str(), "wb");
  ASSERT_EQ(gzwrite(file, text.data(), static_cast<unsigned>(text.size())),
            static_cast<int>(text.size()));
  gzclose(file);
}

TEST(Snap, ReadsBlanksTabsLineEndsAndComments) {
  const EdgeList list = parse(
      "# Directed graph: x\r\n# Nodes: 4 Edges: 5\r\n#\r\n0\t1\r\n1 2\n  2\t \t3  \n\n# between\n"
      "3\t3\r\n0\t1\n");
  EXPECT_EQ(edges_of(list), (std::vector<Edge>{{0, 1}, {1, 2}, {2, 3}, {3, 3}, {0, 1}}));
  EXPECT_EQ(list.vertex_count, 4U);
  EXPECT_FALSE(list.undirected);
  EXPECT_TRUE(list.labels.empty());
  EXPECT_EQ(fact(list.provenance, "warning"), "");
}

TEST(Snap, RenumbersIdsWithGapsInOrder) {
  const EdgeList list = parse("30\t1412\n7 30\n");
  EXPECT_EQ(edges_of(list), (std::vector<Edge>{{1, 2}, {0, 1}}));
  EXPECT_EQ(list.labels, (std::vector<std::uint64_t>{7, 30, 1412}));
  const EdgeList from_one = parse("1 2\n2 3\n");
  EXPECT_EQ(from_one.labels, (std::vector<std::uint64_t>{1, 2, 3}));
}

TEST(Snap, TakesIdsUpTo64Bits) {
  const EdgeList list = parse("18446744073709551615 5000000000\n5000000000 0\n");
  EXPECT_EQ(edges_of(list), (std::vector<Edge>{{2, 1}, {1, 0}}));
  EXPECT_EQ(list.labels, (std::vector<std::uint64_t>{0, 5000000000, 18446744073709551615U}));
}

TEST(Snap, UndirectedHeaderMeansBothDirections) {
  EXPECT_TRUE(parse("# Undirected graph: x\n0 1\n").undirected);
}

TEST(Snap, IgnoresFurtherColumnsThatAllLinesHave) {
  const EdgeList list = parse("0 1 0.5 1082040961\n1 2 -1e3 1082155839\n");
  EXPECT_EQ(edges_of(list), (std::vector<Edge>{{0, 1}, {1, 2}}));
  EXPECT_EQ(fact(list.provenance, "warning"), "2 columns beyond the ids ignored");
}

TEST(Snap, HeaderCountsThatDifferAreRecorded) {
  EXPECT_EQ(fact(parse("# Nodes: 2 Edges: 1\n0 1\n1 0\n").provenance, "warning"),
            "the header announces 1 edges, the file lists 2");
  EXPECT_EQ(fact(parse("# Nodes: 9 Edges: 1\n0 1\n").provenance, "warning"),
            "the header announces 9 vertices, the edges name 2");
}

TEST(Snap, MissingLastLineEndIsRecorded) {
  EXPECT_TRUE(contains(fact(parse("0 1\n1 2").provenance, "warning"), "no line end"));
}

TEST(Snap, BlocksOfManyThreadsMakeTheSameList) {
  std::string text = "# comment\r\n";
  std::vector<Edge> expected;
  for (vertex_t i = 0; i < 300000; ++i) {  // several blocks of 1 MiB
    expected.push_back({i, static_cast<vertex_t>((i * 7919ULL) % 300000)});
    text += std::to_string(expected.back().from) + "\t" + std::to_string(expected.back().to) +
            (i % 3 == 0 ? "\r\n" : "\n");
    if (i % 1000 == 0) text += "# in between\n\n";
  }
  for (const int threads : {1, 2, 8}) {
    const EdgeList list = parse(text, threads);
    EXPECT_TRUE(edges_of(list) == expected);
  }
  // The line that is wrong is named by its number in the file, not in its block.
  const std::size_t lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  for (const int threads : {1, 8}) {
    const std::string error = input_error([&] { parse(text + "oops 1\n" + text, threads); });
    EXPECT_TRUE(contains(error, "g.txt:" + std::to_string(lines + 1) + ": found \"oops\""))
        << error;
  }
}

struct Malformed {
  std::string text;
  std::string message;
};

TEST(Snap, RefusesMalformedTextWithFileLineAndReason) {
  const std::vector<Malformed> corpus = {
      {"", "g.txt: holds no edge"},
      {"\n\n", "g.txt: holds no edge"},
      {"# Nodes: 0 Edges: 0\n", "g.txt: holds no edge"},
      {"0 1\n2\n", "g.txt:2: found one column"},
      {"0\n", "g.txt:1: found one column"},
      {"0 1\n1 -2\n", "g.txt:2: found \"-2\", expected a vertex id, which is never negative"},
      {"-1 2\n", "g.txt:1: found \"-1\""},
      {"0 1\n0 18446744073709551616\n",
       "g.txt:2: found 18446744073709551616, expected a vertex id of at most 64 bits"},
      {"0 99999999999999999999999999999\n",
       "g.txt:1: found 999999999999999999999999..., expected a vertex id of at most 64 bits"},
      {"a b\n",
       "g.txt:1: found \"a\", expected a vertex id, which is a number (docs/formats.md shows how "
       "to number names)"},
      {"0 1\n0 1x\n", "g.txt:2: found \"1x\""},
      {"0 1.5\n", "g.txt:1: found \"1.5\""},
      {"0,1\n", "g.txt:1: found \"0,1\""},
      {"0 1\n0 1 2\n", "g.txt:2: found 3 columns, expected 2 columns"},
      {"0 1 5\n0 1\n", "g.txt:2: found 2 columns, expected 3 columns"},
      {std::string("0 1 5\n0 1 \x01x\n"), "g.txt:2: found \"\\x01x\" in column 3"},
      {"% konect\n0 1\n", "g.txt:1: found \"%\""},
      {std::string("0 1\n\0\0 2\n", 9), "g.txt:2: found \"\\x00\\x00\""},
      {"\x7f"
       "ELF\x02\x01\x01",
       "g.txt:1: found \"\\x7fELF"},
      {"0 1 # trailing\n1 2\n", "g.txt:2: found 2 columns, expected 4"},
      {"5 4\n0 1\n1 2\n2 3\n3 4\n", "g.txt: could be two things"},
      {"0 1\r1 2\r", "g.txt:1: "},
      {"# Nodes: 3 Edges: 3\n0 1\n1 2\n",
       "g.txt:3: the file ends after 2 edges, but its header announces 3"},
      {"0 1\n\xc2\xa0"
       "1 2\n",
       "g.txt:2: found "},
  };
  for (const Malformed& c : corpus) {
    const std::string error = input_error([&] { parse(c.text); });
    EXPECT_TRUE(contains(error, c.message)) << c.text << "\n-> " << error;
  }
}

TEST(SnapFile, PlainAndGzipAreTheSame) {
  const TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 100000; ++i) text += std::to_string(i) + "\t" + std::to_string(i / 2) + "\n";
  write_bytes(folder.file("a.txt"), text);
  write_gzip(folder.file("a.txt.gz"), text);
  EXPECT_TRUE(edges_of(read_snap(folder.file("a.txt"), 2)) ==
              edges_of(read_snap(folder.file("a.txt.gz"), 2)));
  // Streams one after another are one file.
  write_bytes(folder.file("two.txt.gz"),
              read_bytes(folder.file("a.txt.gz")) + read_bytes(folder.file("a.txt.gz")));
  EXPECT_EQ(read_snap(folder.file("two.txt.gz"), 2).edges.size(), 200000U);
}

TEST(SnapFile, RefusesDamagedGzip) {
  const TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 20000; ++i)
    text += std::to_string(i * 37 % 10007) + " " + std::to_string(i) + "\n";
  write_gzip(folder.file("good.txt.gz"), text);
  const std::string good = read_bytes(folder.file("good.txt.gz"));
  const std::string path = folder.file("bad.txt.gz");
  const auto error_of = [&](const std::string& bytes) {
    write_bytes(path, bytes);
    return input_error([&] { read_snap(path, 2); });
  };
  for (const std::size_t kept : {std::size_t{2}, std::size_t{11}, good.size() / 2, good.size() - 9,
                                 good.size() - 4, good.size() - 1}) {
    const std::string error = error_of(good.substr(0, kept));
    EXPECT_TRUE(contains(error, path + ": the gzip stream is cut off")) << kept << ": " << error;
  }
  std::string flipped = good;
  flipped[good.size() / 2] = static_cast<char>(flipped[good.size() / 2] ^ 0x10);
  EXPECT_TRUE(contains(error_of(flipped), "damaged gzip data")) << error_of(flipped);
  std::string wrong_sum = good;
  wrong_sum[good.size() - 6] = static_cast<char>(wrong_sum[good.size() - 6] ^ 1);
  EXPECT_TRUE(contains(error_of(wrong_sum), "damaged gzip data"));
  EXPECT_TRUE(contains(error_of(good + "junk"), "4 bytes at byte"));
  EXPECT_TRUE(contains(error_of(good + good.substr(0, 30)), "cut off"));
}

TEST(SnapFile, RefusesWhatIsNoReadableFile) {
  const TemporaryFolder folder;
  EXPECT_TRUE(
      contains(input_error([&] { read_snap(folder.file("none.txt"), 1); }), "No such file"));
  EXPECT_TRUE(contains(input_error([&] { read_snap(folder.path(), 1); }), "directory"));
  write_bytes(folder.file("empty.txt"), "");
  EXPECT_TRUE(
      contains(input_error([&] { read_snap(folder.file("empty.txt"), 1); }), "holds no edge"));
}

}  // namespace
}  // namespace bfslab::tests
