// SPDX-License-Identifier: Apache-2.0
// Long rows and their cuts (kernels/cuda/engines/fused/cut_rows.hpp), against the rows themselves.
#include "kernels/cuda/engines/fused/cut_rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/cuda/device/upload.hpp"
#include "tests/kernels/program.hpp"

namespace bfslab::tests {
namespace {

using cuda::cut_rows;
using cuda::CutRows;
using cuda::CutRowsSettings;
using cuda::downloaded;
using cuda::uploaded;

struct Rows {
  std::vector<edge_t> offsets{0};
  std::vector<vertex_t> columns;
};

// A symmetric graph in ids by descending degree: v and u are neighbours if (v + 1) * (u + 1) is at
// most `edge`.
Rows hyperbola(vertex_t vertices, std::uint64_t edge) {
  Rows rows;
  for (std::uint64_t v = 0; v < vertices; ++v) {
    for (std::uint64_t u = 0; u < vertices && (v + 1) * (u + 1) <= edge; ++u) {
      rows.columns.push_back(static_cast<vertex_t>(u));
    }
    rows.offsets.push_back(rows.columns.size());
  }
  return rows;
}

class CutRowsHere : public testing::TestWithParam<CutRowsSettings> {
 protected:
  void SetUp() override {
    if (const std::string why = cannot_run_here(); !why.empty()) GTEST_SKIP() << why;
  }
};

INSTANTIATE_TEST_SUITE_P(Sizes, CutRowsHere,
                         testing::Values(CutRowsSettings{.blocks = 8, .max_words = 1000},
                                         CutRowsSettings{.blocks = 132, .max_words = 8},
                                         CutRowsSettings{.blocks = 1, .max_words = 5},
                                         CutRowsSettings{.blocks = 3, .max_words = 100}),
                         [](const auto& param) {
                           return "blocks_" + std::to_string(param.param.blocks);
                         });

void expect_right(const Rows& rows, const cuda::RowsByDegree& graph,
                  const CutRowsSettings& settings, const CutRows& made,
                  const cuda::Stream& stream) {
  ASSERT_EQ(made.rows, graph.long_rows);
  ASSERT_GT(made.ranges, 0U);
  const std::vector<std::uint32_t> words = downloaded(made.words, stream);
  ASSERT_EQ(words.size(), made.ranges + std::size_t{1});
  EXPECT_EQ(words.front(), 0U);
  EXPECT_EQ(words.back(), (graph.rows + 31) / 32);
  std::uint32_t most = 0;
  for (unsigned r = 0; r < made.ranges; ++r) {
    ASSERT_LT(words[r], words[r + 1]);
    most = std::max(most, words[r + 1] - words[r]);
  }
  EXPECT_EQ(made.max_words, most);
  EXPECT_LE(most, settings.max_words);

  const std::vector<std::uint32_t> cuts = downloaded(made.cuts, stream);
  ASSERT_EQ(cuts.size(), made.rows * words.size());
  for (vertex_t v = 0; v < made.rows; ++v) {
    const auto begin = rows.columns.begin() + static_cast<std::ptrdiff_t>(rows.offsets[v]);
    const auto end = rows.columns.begin() + static_cast<std::ptrdiff_t>(rows.offsets[v + 1]);
    for (std::size_t r = 0; r < words.size(); ++r) {
      const auto below = std::lower_bound(begin, end, words[r] * 32) - begin;
      ASSERT_EQ(cuts[v * words.size() + r], static_cast<std::uint32_t>(below)) << v << ' ' << r;
    }
  }
}

TEST_P(CutRowsHere, RangesCoverAllAndCutsAreTheEntriesBefore) {
  constexpr vertex_t kVertices = 5000;
  const Rows rows = hyperbola(kVertices, 20'000);
  const cuda::Stream stream;
  const auto offsets = uploaded<edge_t>(rows.offsets, stream);
  const auto columns = uploaded<vertex_t>(rows.columns, stream);
  const vertex_t inner = 4321;  // the others are left out
  const CutRowsSettings& settings = GetParam();
  EXPECT_EQ(cut_rows({offsets.data(), columns.data(), inner, 0}, settings, stream).ranges, 0U);
  for (const vertex_t long_rows : {vertex_t{1}, vertex_t{300}, inner}) {
    SCOPED_TRACE(long_rows);
    const cuda::RowsByDegree graph{offsets.data(), columns.data(), inner, long_rows};
    expect_right(rows, graph, settings, cut_rows(graph, settings, stream), stream);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace bfslab::tests
