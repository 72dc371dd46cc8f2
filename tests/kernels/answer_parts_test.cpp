// SPDX-License-Identifier: Apache-2.0
// Answers in parts: put together they are judged as the whole answer is, and parts that do not make
// a whole are an engine's fault.
#include <gtest/gtest.h>

#include <functional>
#include <numeric>

#include "harness/check/answer_judge.hpp"
#include "harness/check/check.hpp"
#include "kernels/device_services.hpp"
#include "tests/kernels/answered.hpp"
#include "tests/kernels/zoo.hpp"

namespace bfslab::tests {
namespace {

constexpr Answer kAnswers[] = {Answer::levels, Answer::parents, Answer::both};

// An answer that is divided among owners, each with its own arrays.
class InParts {
 public:
  using Ids = std::function<PartIds(std::uint64_t owner, std::uint64_t owners, std::uint64_t n)>;

  InParts(const Answered& answer, std::uint64_t owners, const Ids& ids)
      : vertices_(answer.levels.size()), pieces_(owners) {
    for (std::uint64_t owner = 0; owner < owners; ++owner) {
      Piece& piece = pieces_[owner];
      piece.ids = ids(owner, owners, vertices_);
      for (std::uint64_t i = 0; i < piece.ids.count; ++i) {
        piece.answer.levels.push_back(answer.levels[piece.ids[i]]);
        piece.answer.parents.push_back(answer.parents[piece.ids[i]]);
      }
    }
  }

  [[nodiscard]] AnswerView view(Answer asked) const {
    AnswerView view{.vertex_count = vertices_, .parts = {}};
    for (std::size_t owner = 0; owner < pieces_.size(); ++owner) {
      const Piece& piece = pieces_[owner];
      view.parts.push_back(
          {.ids = piece.ids,
           .rank = static_cast<unsigned>(owner),
           .levels = wants_levels(asked) ? piece.answer.levels.data() : nullptr,
           .parents = wants_parents(asked) ? piece.answer.parents.data() : nullptr});
    }
    return view;
  }
  Answered& piece(std::size_t owner) { return pieces_[owner].answer; }
  [[nodiscard]] const PartIds& ids(std::size_t owner) const { return pieces_[owner].ids; }

 private:
  struct Piece {
    PartIds ids;
    Answered answer;
  };
  std::uint64_t vertices_;
  std::vector<Piece> pieces_;
};

PartIds ranges(std::uint64_t owner, std::uint64_t owners, std::uint64_t n) {
  const std::uint64_t first = owner * n / owners;
  return PartIds::range(first, (owner + 1) * n / owners - first);
}

// Owners by a hash of the id, in descending order of ids. The lists live as long as the tests.
PartIds hashed(std::uint64_t owner, std::uint64_t owners, std::uint64_t n) {
  static std::vector<std::unique_ptr<std::vector<std::uint64_t>>> lists;
  auto list = std::make_unique<std::vector<std::uint64_t>>();
  for (std::uint64_t v = n; v-- > 0;) {
    if ((v * 0x9e3779b97f4a7c15U >> 32) % owners == owner) list->push_back(v);
  }
  const PartIds ids = PartIds::listed(list->data(), list->size());
  lists.push_back(std::move(list));
  return ids;
}

struct OwnershipCase {
  const char* name;
  InParts::Ids ids;
};

std::vector<OwnershipCase> ownerships() {
  return {{"ranges", ranges}, {"round robin", PartIds::round_robin}, {"hashed", hashed}};
}

TEST(PartIds, SayWhichVertices) {
  const auto all = [](const PartIds& ids) {
    std::vector<std::uint64_t> vertices;
    for (std::uint64_t i = 0; i < ids.count; ++i) vertices.push_back(ids[i]);
    return vertices;
  };
  using Ids = std::vector<std::uint64_t>;
  EXPECT_EQ(all(PartIds::range(3, 2)), (Ids{3, 4}));
  EXPECT_EQ(all(PartIds::round_robin(0, 3, 7)), (Ids{0, 3, 6}));
  EXPECT_EQ(all(PartIds::round_robin(1, 3, 7)), (Ids{1, 4}));
  EXPECT_EQ(all(PartIds::round_robin(2, 3, 2)), Ids());
  const std::uint64_t beyond = std::uint64_t{1} << 40;  // more vertices than vertex_t counts
  EXPECT_EQ(PartIds::round_robin(5, 8, beyond).count, beyond / 8);
  EXPECT_EQ(PartIds::round_robin(5, 8, beyond)[beyond / 8 - 1], beyond - 3);
}

TEST(AnswerParts, RightOnesAreRightInAnyNumberOfParts) {
  for (const char* family : {"paths", "disconnected", "random", "directed"}) {
    for (const ZooGraph& animal : zoo_family(family)) {
      const CsrGraph& graph = *animal.graph;
      const vertex_t source = animal.sources.front();
      const Answered answer = right_answer(graph, source);
      for (const OwnershipCase& ownership : ownerships()) {
        for (const std::uint64_t owners : {1, 2, 3}) {
          SCOPED_TRACE(animal.name + ", " + ownership.name + ", " + std::to_string(owners));
          const InParts parts(answer, owners, ownership.ids);
          AnswerJudge judge;
          HostAnswer host;
          for (const Answer asked : kAnswers) {
            const AnswerView view = parts.view(asked);
            require_halves(view, graph.vertex_count(), asked);
            const CheckResult truth = check_answer(graph, source, answer.view(asked));
            for (const bool check : {true, false}) {
              const CheckResult verdict = judge.judge(graph, source, view, check);
              EXPECT_TRUE(verdict.ok) << verdict.reason;
              EXPECT_EQ(verdict.reached_vertices, truth.reached_vertices);
              EXPECT_EQ(verdict.levels, truth.levels);
              EXPECT_EQ(verdict.component_edges, truth.component_edges);
            }
            EXPECT_EQ(tests::judge(graph, source, host.take(view), answer.levels), "");
          }
        }
      }
    }
  }
}

TEST(AnswerParts, AWrongLevelIsFoundInEachPart) {
  const auto graph = zoo_family("grids").front().graph;
  const Answered answer = right_answer(*graph, 0);
  for (const OwnershipCase& ownership : ownerships()) {
    for (const std::uint64_t owners : {1, 2, 3}) {
      for (std::uint64_t owner = 0; owner < owners; ++owner) {
        SCOPED_TRACE(std::string(ownership.name) + ", part " + std::to_string(owner) + " of " +
                     std::to_string(owners));
        InParts parts(answer, owners, ownership.ids);
        const std::uint64_t last = parts.ids(owner).count - 1;
        const auto v = static_cast<vertex_t>(parts.ids(owner)[last]);
        parts.piece(owner).levels[last] += 2;
        Answered damaged = answer;
        damaged.levels[v] += 2;
        const CheckResult truth = check_answer(*graph, 0, damaged.view(Answer::levels));
        ASSERT_FALSE(truth.ok);
        AnswerJudge judge;
        const CheckResult verdict = judge.judge(*graph, 0, parts.view(Answer::levels), true);
        EXPECT_FALSE(verdict.ok);
        EXPECT_EQ(verdict.reason, truth.reason);
      }
    }
  }
}

// On a path of 9 vertices in two parts.
class PartsOfAPath : public testing::Test {
 protected:
  void refused(const AnswerView& view, const std::string& reason) const {
    HostAnswer host;
    try {
      host.take(view);
      ADD_FAILURE() << "accepted";
    } catch (const MalformedAnswer& error) {
      EXPECT_EQ(error.what(), reason);
    }
    AnswerJudge judge;
    EXPECT_THROW(judge.judge(*graph_, 0, view, false), MalformedAnswer);
  }

  std::shared_ptr<const CsrGraph> graph_ = make_graph(9, path_edges());
  Answered answer_ = right_answer(*graph_, 0);
  InParts parts_{answer_, 2, PartIds::round_robin};
  AnswerView view_ = parts_.view(Answer::both);

 private:
  static std::vector<std::pair<vertex_t, vertex_t>> path_edges() {
    std::vector<std::pair<vertex_t, vertex_t>> edges;
    for (vertex_t v = 1; v < 9; ++v) edges.emplace_back(v - 1, v);
    return edges;
  }
};

TEST_F(PartsOfAPath, AVertexInNoPart) {
  --view_.parts[1].ids.count;
  refused(view_, "vertex 7 is in no part of the answer");
  view_.parts.clear();
  refused(view_, "vertex 0 is in no part of the answer");
}

TEST_F(PartsOfAPath, AVertexInTwoParts) {
  view_.parts[1].ids = PartIds::range(2, 4);
  refused(view_, "vertex 2 is in part 0 of the answer and in part 1");
  const std::vector<std::uint64_t> twice = {1, 3, 5, 1};
  view_.parts[1].ids = PartIds::listed(twice.data(), twice.size());
  refused(view_, "vertex 1 is in part 1 of the answer and in part 1");
}

TEST_F(PartsOfAPath, AVertexThatThereIsNot) {
  view_.parts[1].ids.first = 3;
  refused(view_, "part 1 of the answer (rank 1) holds vertex 9, and there are only 9 vertices");
}

TEST_F(PartsOfAPath, OneHalfHereAndAnotherThere) {
  view_.parts[1].parents = nullptr;
  refused(view_,
          "part 1 of the answer has other halves (levels, parents) than the parts before it");
  EXPECT_NO_THROW(require_halves(view_, 9, Answer::levels));
  EXPECT_THROW(require_halves(view_, 9, Answer::parents), MalformedAnswer);
}

TEST_F(PartsOfAPath, OfAnotherGraph) {
  EXPECT_THROW(require_halves(view_, 8, Answer::both), MalformedAnswer);
  EXPECT_THROW(require_halves(parts_.view(Answer::levels), 9, Answer::both), MalformedAnswer);
}

TEST_F(PartsOfAPath, AnEmptyPartNeedsNoHalves) {
  view_.parts.insert(view_.parts.begin(), AnswerPart{});
  EXPECT_NO_THROW(require_halves(view_, 9, Answer::both));
  HostAnswer host;
  EXPECT_EQ(tests::judge(*graph_, 0, host.take(view_), answer_.levels), "");
}

// A part in a made-up device's memory, beside one in host memory.
TEST_F(PartsOfAPath, PartsOfSeveralMemoriesArePutTogether) {
  const auto before = gpu::copy_to_host.supplied();
  gpu::copy_to_host.supply([](void* to, const void* from, std::size_t bytes) {
    const auto* const words = static_cast<const std::uint32_t*>(from);
    for (std::size_t i = 0; i < bytes / 4; ++i) static_cast<std::uint32_t*>(to)[i] = ~words[i];
  });
  for (level_t& level : parts_.piece(1).levels) level = ~level;
  for (vertex_t& parent : parts_.piece(1).parents) parent = ~parent;
  AnswerView view = parts_.view(Answer::both);
  view.parts[1].space = MemorySpace::device;
  view.parts[1].device = 3;
  HostAnswer host;
  EXPECT_EQ(tests::judge(*graph_, 0, host.take(view), answer_.levels), "");
  AnswerJudge judge;
  EXPECT_TRUE(judge.judge(*graph_, 0, view, true).ok);
  gpu::copy_to_host.supply(before);
}

}  // namespace
}  // namespace bfslab::tests
