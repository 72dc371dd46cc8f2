// SPDX-License-Identifier: Apache-2.0
// A graph made on the GPU is the one that the CPU makes, word for word.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "datasets/load_graph.hpp"
#include "kernels/cuda/build/device_build.hpp"
#include "kernels/cuda/build/steps.hpp"
#include "kernels/cuda/device/upload.hpp"
#include "kernels/device_build.hpp"
#include "tests/datasets/naive_csr.hpp"
#include "tests/kernels/program.hpp"

namespace bfslab::tests {
namespace {

class OnDevice : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = cannot_run_here(); !why.empty()) GTEST_SKIP() << why;
  }
};
using DeviceBuild = OnDevice;
using EntriesSanitizer = OnDevice;  // small enough for compute-sanitizer

struct Generated {
  explicit Generated(const std::string& text)
      : name(GraphName::parse(text)), source(find_generator(name.kind)->make(name)) {}
  GraphName name;
  std::unique_ptr<EdgeSource> source;
};

void expect_built(const std::string& text, edge_t max_entries = 0) {
  SCOPED_TRACE(text);
  const cuda::Stream stream;
  const Generated generated(text);
  ASSERT_TRUE(cuda::builds_on_device(*generated.source));
  const cuda::BuiltGraph built =
      cuda::build_on_device(*generated.source, generated.name.build, stream, max_entries);
  const CsrGraph expected = tests::load(text);
  const CsrGraph found(cuda::copy_to_host(built, stream), generated.name.build.symmetrize, {}, {});
  ASSERT_EQ(found.vertex_count(), expected.vertex_count());
  ASSERT_EQ(found.edge_count(), expected.edge_count());
  EXPECT_EQ(found.symmetric(), expected.symmetric());
  EXPECT_TRUE(std::ranges::equal(found.row_offsets(), expected.row_offsets()));
  EXPECT_TRUE(std::ranges::equal(found.columns(), expected.columns()));
  EXPECT_TRUE(std::ranges::equal(found.input_edges(), expected.input_edges()));
  EXPECT_TRUE(std::ranges::equal(found.labels(), expected.labels()));
  EXPECT_EQ(content_hash(found), expected.identity().content_hash);
  EXPECT_EQ(std::to_string(built.self_loops),
            tests::fact(expected.provenance(), "self_loops_found"));
  EXPECT_EQ(std::to_string(built.duplicates),
            tests::fact(expected.provenance(), "duplicate_entries_found"));
}

const std::vector<std::string> kRelabels = {"", ",relabel=shuffle",
                                            ",relabel=shuffle,relabel_seed=9", ",relabel=degree"};

TEST_F(DeviceBuild, KroneckerOfEveryScale) {
  for (int scale = 1; scale <= 16; ++scale) {
    for (const std::string& relabel : kRelabels) {
      expect_built("kronecker:scale=" + std::to_string(scale) + relabel);
      if (HasFailure()) return;
    }
  }
  expect_built("kronecker:scale=18,seed=5,relabel=degree");  // more tuples than threads
}

TEST_F(DeviceBuild, EdgeFactorsSeedsAndProbabilities) {
  for (const std::string& relabel : kRelabels) {
    for (const char* parameters :
         {"scale=10,edge_factor=1", "scale=12,edge_factor=3,seed=7", "scale=9,edge_factor=100",
          "scale=11,seed=18446744073709551615", "scale=13,a=0.25,b=0.25,c=0.25,seed=2",
          "scale=13,a=0.9,b=0.05,c=0.05", "scale=8,a=1,b=0,c=0", "scale=14,a=0.1,b=0.2,c=0.3"}) {
      expect_built(std::string("kronecker:") + parameters + relabel);
      if (HasFailure()) return;
    }
  }
}

TEST_F(DeviceBuild, RmatOverAnyNumberOfVertices) {
  for (const std::string& relabel : kRelabels) {
    for (const char* parameters :
         {"vertices=1,edges=0", "vertices=1,edges=50", "vertices=2,edges=1", "vertices=3,edges=40",
          "vertices=1000,edges=0", "vertices=1000,edges=8000", "vertices=1024,edges=9000,seed=3",
          "vertices=65537,edges=300000,permute=false", "vertices=100000,edges=1000",
          "vertices=20000,edges=400000,a=0.25,b=0.25,c=0.25"}) {
      expect_built(std::string("rmat:") + parameters + relabel);
      if (HasFailure()) return;
    }
  }
  // Ids that need 25 bits: seven draws a tuple.
  expect_built("rmat:vertices=20000000,edges=3000000");
}

TEST_F(DeviceBuild, EveryOption) {
  for (const char* options :
       {",symmetrize=false", ",self_loops=keep", ",duplicates=keep",
        ",symmetrize=false,self_loops=keep", ",self_loops=keep,duplicates=keep",
        ",symmetrize=false,self_loops=keep,duplicates=keep"}) {
    for (const std::string& relabel : kRelabels) {
      expect_built("kronecker:scale=11" + std::string(options) + relabel);
      expect_built("rmat:vertices=300,edges=20000,permute=false" + std::string(options) + relabel);
      if (HasFailure()) return;
    }
  }
}

TEST_F(DeviceBuild, InAsManyRoundsAsItTakes) {
  for (const std::string& relabel : kRelabels) {
    for (const edge_t most : {1U, 1000U, 50000U, 131071U, 131072U}) {
      expect_built("kronecker:scale=" + std::to_string(most == 1 ? 5 : 12) + relabel, most);
      expect_built("rmat:vertices=5000,edges=60000,permute=false,symmetrize=false" + relabel,
                   std::max<edge_t>(most, 1000));
      if (HasFailure()) return;
    }
  }
}

TEST_F(DeviceBuild, GivesTheHostTheGraphThatItLoads) {
  LoadOptions options;
  int built = 0;
  options.build_elsewhere = [&](const EdgeSource& source, const BuildOptions& build) {
    auto done = bfslab::build_on_device(source, build);
    EXPECT_EQ(done.why_not, "");
    built += done.built ? 1 : 0;
    return std::move(done.built);
  };
  for (const char* text : {"kronecker:scale=14", "kronecker:scale=10,relabel=degree",
                           "rmat:vertices=3000,edges=20000,symmetrize=false", "path:vertices=9"}) {
    SCOPED_TRACE(text);
    const CsrGraph found = load_graph(GraphName::parse(text), options);
    const CsrGraph expected = tests::load(text);
    EXPECT_EQ(found.identity().name, expected.identity().name);
    EXPECT_EQ(content_hash(found), expected.identity().content_hash);
    EXPECT_EQ(found.symmetric(), expected.symmetric());
    EXPECT_EQ(found.provenance(), expected.provenance());
    EXPECT_TRUE(std::ranges::equal(found.labels(), expected.labels()));
  }
  EXPECT_EQ(built, 3);  // the path is not for the device
}

TEST_F(DeviceBuild, RefusesOtherGenerators) {
  const cuda::Stream stream;
  const Generated path("path:vertices=10");
  EXPECT_FALSE(cuda::builds_on_device(*path.source));
  EXPECT_THROW(cuda::build_on_device(*path.source, {}, stream), std::invalid_argument);
}

// Every entry once, none of other rows, and nothing written after them.
TEST_F(EntriesSanitizer, AreThoseOfTheTuples) {
  const cuda::Stream stream;
  for (const std::string text :
       {"kronecker:scale=3", "kronecker:scale=8", "rmat:vertices=1000,edges=1001,permute=false"}) {
    const Generated generated(text);
    const auto tuples = tests::tuples(text);
    const auto n = generated.source->vertex_count();
    const cuda::DeviceTuples device(dynamic_cast<const QuadrantSource&>(*generated.source).tuples(),
                                    stream);
    for (const cuda::Rows rows : {cuda::Rows{0, n}, cuda::Rows{n / 3, n / 2}}) {
      std::vector<std::uint64_t> expected;
      const auto add = [&](vertex_t row, vertex_t column) {
        if (row >= rows.first && row < rows.last) {
          expected.push_back(std::uint64_t{row} << 10 | column);
        }
      };
      for (const Edge edge : tuples) {
        if (edge.from == edge.to) continue;
        add(edge.from, edge.to);
        add(edge.to, edge.from);
      }
      const cuda::DeviceBuffer<std::uint64_t> keys(expected.size());
      ASSERT_EQ(cuda::emit_entries(device, {true, true, 10}, rows, keys.data(), stream),
                expected.size());
      std::vector<std::uint64_t> found(expected.size());
      cuda::download(found.data(), keys.data(), keys.bytes(), stream);
      std::ranges::sort(expected);
      std::ranges::sort(found);
      EXPECT_TRUE(found == expected) << text;
    }
  }
}

}  // namespace
}  // namespace bfslab::tests
