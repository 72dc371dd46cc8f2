// SPDX-License-Identifier: Apache-2.0
// Uploads arrays to the GPU and compares what comes back.
#include "kernels/cuda/device/upload.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "datasets/load_graph.hpp"
#include "kernels/cuda/device/device_graph.hpp"
#include "tests/cuda/device_arrays.hpp"
#include "tests/datasets/naive_csr.hpp"
#include "tests/kernels/program.hpp"

namespace bfslab::tests {
namespace {

constexpr std::size_t kSmall = std::size_t{64} << 10;
constexpr std::size_t kStaging = std::size_t{16} << 20;

class Upload : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = cannot_run_here(); !why.empty()) GTEST_SKIP() << why;
  }
};

// No two pieces or buffers hold the same.
std::vector<std::byte> pattern(std::size_t bytes) {
  std::vector<std::byte> data(bytes);
  std::uint64_t state = bytes;
  for (std::byte& byte : data) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    byte = static_cast<std::byte>(state >> 56);
  }
  return data;
}

TEST_F(Upload, EveryByteAroundTheSizesOfBuffers) {
  const cuda::Stream stream;
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, kSmall - 1, kSmall, kSmall + 1, kStaging - 1, kStaging,
        kStaging + 1, 2 * kStaging, 2 * kStaging + 1, 3 * kStaging - 1, 5 * kStaging + 12345}) {
    const std::vector<std::byte> sent = pattern(size);
    const cuda::DeviceBuffer<std::byte> device(size);
    cuda::upload(device.data(), sent.data(), size, stream);
    ASSERT_TRUE(fetched(device.data(), size) == sent) << size << " bytes up";
    std::vector<std::byte> back(size);
    cuda::download(back.data(), device.data(), size, stream);
    ASSERT_TRUE(back == sent) << size << " bytes down";
  }
}

TEST_F(Upload, StaysWithinItsRange) {
  const cuda::Stream stream;
  const std::size_t size = kStaging + 777;
  const std::vector<std::byte> sent = pattern(size + 3);
  cuda::DeviceBuffer<std::byte> device(size + 2);
  device.fill_bytes(0x5a, stream.get());
  cuda::upload(device.data() + 1, sent.data() + 3, size, stream);  // neither is aligned
  const std::vector<std::byte> found = fetched(device.data(), size + 2);
  EXPECT_EQ(found.front(), std::byte{0x5a});
  EXPECT_EQ(found.back(), std::byte{0x5a});
  EXPECT_TRUE(std::equal(found.begin() + 1, found.end() - 1, sent.begin() + 3));
}

void expect_uploaded(const CsrGraph& graph, cuda::CsrView view) {
  ASSERT_EQ(view.vertices, graph.vertex_count());
  ASSERT_EQ(view.edges, graph.edge_count());
  EXPECT_TRUE(std::ranges::equal(fetched(view.row_offsets, graph.row_offsets().size()),
                                 graph.row_offsets()));
  EXPECT_TRUE(std::ranges::equal(fetched(view.columns, view.edges), graph.columns()));
}

TEST_F(Upload, GraphsOfAnySize) {
  const cuda::Stream stream;
  const cuda::DeviceGraph nothing(CsrGraph{}, true, stream);
  EXPECT_EQ(nothing.outgoing().vertices, 0U);
  EXPECT_EQ(nothing.outgoing().edges, 0U);
  const CsrGraph no_vertex = build_csr(EdgeList{}, {}, "test:");
  expect_uploaded(no_vertex, cuda::DeviceGraph(no_vertex, true, stream).outgoing());
  for (const char* name :
       {"path:vertices=1", "path:vertices=2", "star:vertices=1000", "kronecker:scale=12",
        "path:vertices=2097152", "star:vertices=4200000"}) {
    const CsrGraph graph = tests::load(name);
    const cuda::DeviceGraph device(graph, true, stream);
    expect_uploaded(graph, device.outgoing());
    EXPECT_TRUE(device.has_incoming());
    EXPECT_EQ(device.incoming().columns, device.outgoing().columns);
    EXPECT_EQ(device.bytes(), graph.bytes());
  }
}

TEST_F(Upload, ADirectedGraphAndItsTranspose) {
  const cuda::Stream stream;
  LoadOptions options;
  options.transpose = true;
  const CsrGraph graph =
      load_graph(GraphName::parse("kronecker:scale=12,symmetrize=false"), options);
  const cuda::DeviceGraph both(graph, true, stream);
  expect_uploaded(graph, both.outgoing());
  expect_uploaded(*graph.incoming(), both.incoming());
  const cuda::DeviceGraph one(graph, false, stream);
  expect_uploaded(graph, one.outgoing());
  EXPECT_FALSE(one.has_incoming());
}

}  // namespace
}  // namespace bfslab::tests
