// SPDX-License-Identifier: Apache-2.0
// `fused` in shared memory (kernels/cuda/engines/fused/resident.hpp): graphs that fit, with places
// of 16 and of 32 bits, are searched there, right, and others are not.
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "kernels/engine.hpp"
#include "tests/kernels/exam.hpp"
#include "tests/kernels/program.hpp"
#include "tests/kernels/zoo.hpp"

namespace bfslab::tests {
namespace {

using Edges = std::vector<std::pair<vertex_t, vertex_t>>;

struct Shape {
  const char* name;
  vertex_t vertices;
  unsigned random_edges;  // between any of them
  vertex_t leaves;        // of the hub, vertex 1
  vertex_t tail;          // of the path that the last vertices are
};

// Hubs' rows are longer than what a team, and than what a warp, takes alone. A team's rows are 8
// bits up to 8,192 vertices, 16 up to twice as many, 32 up to four times, and several words
// beyond; up to 65,536 vertices places have 16 bits.
constexpr Shape kShapes[] = {
    {"few", 2'000, 3'000, 1'500, 300},
    {"half_words", 12'000, 16'000, 2'000, 500},
    {"words", 30'000, 40'000, 2'000, 500},
    {"hub", 40'000, 60'000, 30'000, 1'000},
    {"many_edges", 50'000, 500'000, 3'000, 0},
    {"most_places_of_16_bits", 65'536, 70'000, 0, 10'000},
    {"most_levels_of_16_bits", 65'536, 0, 0, 65'535},
    {"three_words", 66'000, 40'000, 5'000, 20'000},
    {"four_words_many_edges", 100'000, 120'000, 5'000, 2'000},
    {"most_vertices", 131'072, 40'000, 900, 2'000},
};

std::shared_ptr<const CsrGraph> graph_of(const Shape& shape, bool symmetric) {
  std::mt19937 random(shape.vertices);
  const vertex_t others = shape.vertices - shape.tail;
  std::uniform_int_distribution<vertex_t> any(0, others - 1);
  Edges edges;
  for (unsigned e = 0; e < shape.random_edges; ++e) edges.emplace_back(any(random), any(random));
  for (vertex_t v = 0; v < shape.leaves; ++v) edges.emplace_back(1, 2 + v);
  for (vertex_t v = others; v < shape.vertices; ++v) edges.emplace_back(v - 1, v);
  return make_graph(shape.vertices, edges, symmetric, false);
}

// How each level ran.
class Techniques final : public LevelSink {
 public:
  [[nodiscard]] bool live() const override { return false; }
  [[nodiscard]] bool counts() const override { return false; }
  [[nodiscard]] bool times() const override { return true; }
  void begin(const LevelStart& start) override { seen.emplace_back(start.technique); }
  void end(const LevelFacts& /*facts*/) override {}

  std::vector<std::string> seen;
};

std::vector<std::string> techniques(const CsrGraph& graph, const Toggles& toggles, vertex_t source,
                                    Answer answer) {
  const auto engine = find_engine("fused")->make({.toggles = toggles, .answer = answer});
  engine->load({.csr = &graph, .recipe = ""});
  Techniques sink;
  engine->traverse(source, &sink);
  return sink.seen;
}

class FusedResident : public RunsHere<Shape> {
 protected:
  void SetUp() override {
    RunsHere<Shape>::SetUp();
    if (IsSkipped()) return;
    // A graph of two vertices fits wherever there are clusters.
    const auto two = make_graph(2, {{0, 1}});
    if (techniques(*two, defaults(), 0, Answer::levels).front() != "resident") {
      GTEST_SKIP() << "this GPU has no clusters of blocks";
    }
  }
  static Toggles defaults() { return Toggles(find_engine("fused")->toggles); }
};

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(FusedResident);

INSTANTIATE_TEST_SUITE_P(Shapes, FusedResident, testing::ValuesIn(kShapes),
                         [](const auto& param) { return std::string(param.param.name); });

TEST_P(FusedResident, AnswersRight) {
  const EngineInfo& info = *find_engine("fused");
  const Shape& shape = GetParam();
  for (const bool symmetric : {true, false}) {
    const auto graph = graph_of(shape, symmetric);
    const std::vector<vertex_t> sources{0, 1, shape.vertices - 1};
    const Exam exam(*graph, sources);
    for (const Answer answer : answers_of(info)) {
      SCOPED_TRACE(std::string(symmetric ? "symmetric" : "directed"));
      Toggles toggles = defaults();
      // Such graphs are left to the grid, as another test sees.
      if (shape.leaves == 0) toggles.set("resident_blocks", std::string("16"));
      const std::vector<std::string> ran = techniques(*graph, toggles, 0, answer);
      ASSERT_EQ(ran, std::vector<std::string>(exam.deepest() + std::size_t{1}, "resident"));
      exam.take(info, {toggles, answer}, *graph);
      toggles.set("searches", std::int64_t{4});
      exam.take(info, {toggles, answer}, *graph);
      if (HasFatalFailure()) return;
    }
  }
}

using FusedElsewhere = FusedResident;

INSTANTIATE_TEST_SUITE_P(Shapes, FusedElsewhere, testing::Values(kShapes[0]),
                         [](const auto& param) { return std::string(param.param.name); });

TEST_P(FusedElsewhere, OnRequestAndWhereOtherSettingsSaySoAndWhereGraphsAreLargeOrLong) {
  const auto ran = [](const CsrGraph& graph, const Toggles& toggles) {
    return techniques(graph, toggles, 0, Answer::levels).front();
  };
  const auto small = graph_of(GetParam(), true);
  Toggles never = defaults();
  never.set("resident", std::string("never"));
  EXPECT_NE(ran(*small, never), "resident");
  Toggles alone = defaults();
  alone.set("cluster", false);
  EXPECT_NE(ran(*small, alone), "resident");
  // Long ones of few neighbours: with places of 32 bits, and with two words of bits a team.
  Toggles asked = defaults();
  asked.set("resident_blocks", std::string("16"));
  for (const vertex_t vertices : {70'000U, 40'000U}) {
    const auto path = graph_of({"path", vertices, 0, 0, vertices - 1}, true);
    EXPECT_NE(ran(*path, defaults()), "resident");
    EXPECT_EQ(ran(*path, asked), "resident");
  }
  const auto shorter = graph_of({"path", 30'000, 0, 0, 29'999}, true);
  EXPECT_EQ(ran(*shorter, defaults()), "resident");
  Edges mesh;  // of four neighbours each
  for (vertex_t v = 0; v < 40'000; ++v) {
    if (v % 200 != 199) mesh.emplace_back(v, v + 1);
    if (v + 200 < 40'000) mesh.emplace_back(v, v + 200);
  }
  EXPECT_EQ(ran(*make_graph(40'000, mesh), defaults()), "resident");
  constexpr vertex_t kMany = 300'000;
  EXPECT_NE(ran(*make_graph(kMany, {{0, kMany - 1}}), defaults()), "resident");
  // Two rows that no block has room for, beside one that any has.
  Edges rows;
  for (vertex_t v = 2; v < 200'000; ++v) {
    rows.emplace_back(0, v);
    rows.emplace_back(1, v);
  }
  EXPECT_NE(ran(*make_graph(200'000, rows), defaults()), "resident");
}

}  // namespace
}  // namespace bfslab::tests
