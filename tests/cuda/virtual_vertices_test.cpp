// SPDX-License-Identifier: Apache-2.0
// Tigr's virtual vertices against a count on the host.
#include "kernels/cuda/expand/virtual_vertices.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/cuda/device_arrays.hpp"
#include "tests/kernels/program.hpp"
#include "tests/kernels/zoo.hpp"

namespace bfslab::tests {
namespace {

class VirtualVertices : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = cannot_run_here(); !why.empty()) GTEST_SKIP() << why;
  }

  static void expect_right(const CsrGraph& graph, std::uint32_t split) {
    SCOPED_TRACE("split " + std::to_string(split));
    std::vector<vertex_t> vertex;
    std::vector<std::uint32_t> first{0};
    for (vertex_t v = 0; v < graph.vertex_count(); ++v) {
      for (edge_t shared = 0; shared < graph.degree(v); shared += split) vertex.push_back(v);
      first.push_back(static_cast<std::uint32_t>(vertex.size()));
    }
    const cuda::Stream stream;
    const cuda::DeviceGraph device(graph, false, stream);
    const cuda::VirtualVertices made = cuda::split_vertices(device.outgoing(), split, stream);
    EXPECT_EQ(fetched(made.vertex), vertex);
    EXPECT_EQ(fetched(made.first), first);
  }
};

TEST_F(VirtualVertices, AreAsManyAsDegreesNeed) {
  for (const char* family : {"stars", "hub", "kronecker", "directed", "disconnected"}) {
    for (const ZooGraph& animal : zoo_family(family)) {
      if (animal.size != Size::small) continue;
      SCOPED_TRACE(animal.name);
      for (const std::uint32_t split : {1U, 2U, 10U, 31U, 32U, 1024U}) {
        expect_right(*animal.graph, split);
      }
    }
  }
}

TEST_F(VirtualVertices, OfAGraphWithoutEdges) {
  expect_right(*make_graph(1, {}), 10);
  expect_right(*make_graph(1000, {}), 1);
}

TEST_F(VirtualVertices, OfMoreVerticesThanThreadsAndAHubAmongThem) {
  constexpr vertex_t kLeaves = 700'000;
  std::vector<std::pair<vertex_t, vertex_t>> edges;
  for (vertex_t leaf = 1; leaf <= kLeaves; ++leaf) edges.emplace_back(0, leaf);
  const auto graph = make_graph(1 + kLeaves, edges);
  expect_right(*graph, 1);
  expect_right(*graph, 10);
}

}  // namespace
}  // namespace bfslab::tests
