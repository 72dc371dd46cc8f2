// SPDX-License-Identifier: Apache-2.0
#include "datasets/read/gapbs.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "tests/datasets/naive_csr.hpp"
#include "tests/datasets/packed.hpp"
#include "tests/datasets/parsing.hpp"
#include "tests/datasets/temporary_folder.hpp"

namespace bfslab::tests {
namespace {

EdgeList parse(const std::string& bytes, int threads = 2) {
  return parse_as("gapbs", bytes, threads);
}
std::string refusal(const std::string& bytes) { return refusal_of("gapbs", bytes); }

template <typename T>
void append(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(T));
}
template <typename T>
std::string with(std::string bytes, std::size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof(T));
  return bytes;
}

void append_half(std::string& out, vertex_t n, std::vector<Edge> edges) {
  std::stable_sort(edges.begin(), edges.end(), [](Edge a, Edge b) { return a.from < b.from; });
  std::size_t e = 0;
  for (vertex_t v = 0; v <= n; ++v) {
    while (e < edges.size() && edges[e].from < v) ++e;
    append(out, static_cast<std::int64_t>(e));
  }
  for (const Edge edge : edges) append(out, static_cast<std::int32_t>(edge.to));
}

std::string file_of(vertex_t n, const std::vector<Edge>& edges, bool directed) {
  std::vector<Edge> reversed;
  for (const Edge edge : edges) reversed.push_back({edge.to, edge.from});
  std::vector<Edge> entries = edges;
  if (!directed) entries.insert(entries.end(), reversed.begin(), reversed.end());
  std::string out(1, directed ? '\1' : '\0');
  append(out, static_cast<std::int64_t>(entries.size()));
  append(out, std::int64_t{n});
  append_half(out, n, entries);
  if (directed) append_half(out, n, reversed);
  return out;
}

const std::vector<Edge> kEdges = {{0, 1}, {0, 3}, {1, 2}, {3, 4}};
constexpr std::size_t kOffsets = 17;                  // of 6 vertices: 7 of them
constexpr std::size_t kNeighbors = kOffsets + 7 * 8;  // 4, or 8 when undirected

TEST(Gapbs, DirectedIsTheOutgoingHalf) {
  const EdgeList list = parse(file_of(6, kEdges, true));
  EXPECT_EQ(list.vertex_count, 6U);
  EXPECT_FALSE(list.undirected);
  EXPECT_EQ(edges_in(list), kEdges);
  EXPECT_EQ(fact(list.provenance, "edge_lines"), "4");
}

TEST(Gapbs, UndirectedIsEachEdgeOnce) {
  const EdgeList list = parse(file_of(6, kEdges, false));
  EXPECT_TRUE(list.undirected);
  EXPECT_EQ(edges_in(list), kEdges);
}

TEST(Gapbs, WithoutEdges) {
  EXPECT_EQ(parse(file_of(3, {}, false)).vertex_count, 3U);
  EXPECT_EQ(parse(file_of(3, {}, true)).vertex_count, 3U);
}

TEST(Gapbs, ManyEdgesInSeveralSteps) {
  const std::vector<Edge> edges = many_edges(300000, 4);
  ASSERT_GT(edges.size(), std::size_t{1} << 20);
  for (const int threads : {1, 2, 5}) {
    EXPECT_EQ(edges_in(parse(file_of(300000, edges, true), threads)), edges);
  }
}

TEST(Gapbs, Packed) {
  const TemporaryFolder folder;
  write_bytes(folder.file("g.sg.gz"), gzip_of(file_of(6, kEdges, true)));
  const EdgeList list = format_called("gapbs").read(folder.file("g.sg.gz"), 2);
  EXPECT_EQ(edges_in(list), kEdges);
  EXPECT_EQ(fact(list.provenance, "packing"), "gzip");
}

TEST(Gapbs, CutAnywhereOrTooLong) {
  for (const bool directed : {false, true}) {
    const std::string whole = file_of(6, kEdges, directed);
    EXPECT_EQ(refusal(whole), "");
    for (std::size_t left = 0; left < whole.size(); ++left) {
      const std::string reason = refusal(whole.substr(0, left));
      EXPECT_TRUE(contains(reason, left == 0 ? "is empty" : "is cut off")) << left << reason;
      EXPECT_TRUE(contains(reason, fmt::format("after {} bytes", left))) << reason;
    }
    EXPECT_EQ(refusal(whole + "x"), fmt::format("FILE: byte {}: the file continues after the end "
                                                "that its counts imply; if its neighbours have "
                                                "weights, its name must end in .wsg",
                                                whole.size()));
  }
}

TEST(Gapbs, BadHeaders) {
  const std::string sound = file_of(6, kEdges, false);
  EXPECT_EQ(refusal(with(sound, 0, char{2})),
            "FILE: byte 0: found 2, expected 0 (undirected) or 1 (directed)");
  EXPECT_EQ(refusal(with(sound, 1, std::int64_t{-8})), "FILE: byte 1: -8 entries");
  EXPECT_EQ(refusal(with(sound, 9, std::int64_t{0})),
            "FILE: byte 9: 0 vertices, expected 1 to 2^31 - 1");
  EXPECT_TRUE(contains(refusal(with(sound, 9, std::int64_t{1} << 31)), "FILE: byte 9: "));
  // Announced but missing data costs no memory.
  EXPECT_TRUE(contains(refusal(with(sound, 9, (std::int64_t{1} << 31) - 1)), "cut off"));
  EXPECT_TRUE(contains(refusal(with(sound, 1, std::int64_t{1} << 62)), "the last offset is 8"));
  EXPECT_TRUE(contains(refusal("this is no graph, but a line of text\n"), "FILE: byte 0: "));
}

TEST(Gapbs, BadOffsets) {
  const std::string sound = file_of(6, kEdges, true);
  EXPECT_EQ(refusal(with(sound, kOffsets, std::int64_t{1})),
            "FILE: byte 17: the first offset is not 0");
  EXPECT_EQ(refusal(with(sound, kOffsets + 16, std::int64_t{1})),
            "FILE: byte 33: the offset 1 of vertex 2 is not from 2 to 4");
  EXPECT_TRUE(contains(refusal(with(sound, kOffsets + 8, std::int64_t{5})), "FILE: byte 25: "));
  EXPECT_TRUE(contains(refusal(with(sound, kOffsets + 8, std::int64_t{-1})), "FILE: byte 25: "));
  EXPECT_EQ(refusal(with(sound, 1, std::int64_t{5})),
            "FILE: byte 65: the last offset is 4, but the header announces 5 entries");
}

TEST(Gapbs, BadNeighbours) {
  const std::string sound = file_of(6, kEdges, true);
  EXPECT_EQ(refusal(with(sound, kNeighbors + 8, std::int32_t{6})),
            "FILE: byte 81: the neighbour 6 of vertex 1 is beyond the header's 6 vertices; if "
            "its neighbours have weights, its name must end in .wsg");
  EXPECT_EQ(refusal(with(sound, kNeighbors, std::int32_t{-1})),
            "FILE: byte 73: the neighbour -1 of vertex 0 is beyond the header's 6 vertices; if "
            "its neighbours have weights, its name must end in .wsg");
}

TEST(Gapbs, TheReverseMustBeThere) {
  EXPECT_EQ(refusal(with(file_of(6, kEdges, false), kNeighbors, std::int32_t{5})),
            "FILE: is marked as undirected but lacks the reverse of some entries");
  EXPECT_EQ(refusal(with(file_of(6, kEdges, true), kNeighbors, std::int32_t{5})),
            "FILE: its incoming neighbours are not the reverse of its outgoing ones");
}

}  // namespace
}  // namespace bfslab::tests
