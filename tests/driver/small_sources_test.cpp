// SPDX-License-Identifier: Apache-2.0
#include "harness/analyse/small_sources.hpp"

#include <gtest/gtest.h>

namespace bfslab {
namespace {

RunRow row(const std::string& graph, vertex_t source, std::uint64_t reached,
           Status status = Status::ok) {
  RunRow made;
  made.graph = graph;
  made.graph_hash = "h";
  made.source = source;
  made.reached_vertices = reached;
  made.status = status;
  return made;
}

TEST(SmallSources, ReachFewerThanHalfAsManyVerticesAsAnotherOfTheirGraph) {
  const SmallSources small =
      small_sources({row("a", 1, 100), row("a", 2, 50), row("a", 3, 49), row("a", 4, 2),
                     row("a", 5, 1, Status::wrong), row("b", 3, 7), row("b", 4, 9)});
  EXPECT_EQ(small, (SmallSources{{"a\x1f"
                                  "h",
                                  {3, 4}}}));
  EXPECT_TRUE(is_small(row("a", 4, 0, Status::timeout), small));
  EXPECT_FALSE(is_small(row("a", 2, 0), small));
  EXPECT_FALSE(is_small(row("b", 3, 0), small));
  EXPECT_EQ(small_sources_lines(small),
            std::vector<std::string>{"2 sources of a reach fewer than half as many vertices as "
                                     "another source, and are left out of every number"});
}

TEST(SmallSources, AreNotThoseWhoseSearchesEndEarly) {
  std::vector<RunRow> rows{row("a", 1, 10), row("a", 2, 100)};
  for (RunRow& limited : rows) limited.depth_limit = 1;
  EXPECT_TRUE(small_sources(rows).empty());
}

TEST(SmallSources, AreNoneWhereNothingWasReached) {
  RunRow counted = row("a", 1, 5);
  counted.source.reset();
  RunRow external = row("a", 1, 5);
  external.reached_vertices.reset();
  EXPECT_TRUE(small_sources({counted, external, row("a", 2, 3)}).empty());
}

}  // namespace
}  // namespace bfslab
