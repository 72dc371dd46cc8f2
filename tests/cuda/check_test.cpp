// SPDX-License-Identifier: Apache-2.0
// The device's check against the host's (tests/kernels/check_test.cpp holds that one to account):
// the same verdict, the same words, the same counts, on right answers and on every kind of fault.
#include "harness/check/check.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <random>

#include "kernels/cuda/check/device_check.hpp"
#include "tests/kernels/answered.hpp"
#include "tests/kernels/program.hpp"
#include "tests/kernels/zoo.hpp"

namespace bfslab::tests {
namespace {

constexpr Answer kAnswers[] = {Answer::levels, Answer::parents, Answer::both};

template <typename T>
cuda::DeviceBuffer<T> on_device(const std::vector<T>& here) {
  cuda::DeviceBuffer<T> there(here.size());
  BFSLAB_CUDA(cudaMemcpy(there.data(), here.data(), there.bytes(), cudaMemcpyHostToDevice));
  BFSLAB_CUDA(cudaDeviceSynchronize());  // the copy may still be running, and the check's stream
                                         // waits for no other
  return there;
}

class DeviceCheck : public RunsHere<int> {};

void expect_same(const CheckResult& device, const CheckResult& host) {
  EXPECT_EQ(device.ok, host.ok);
  EXPECT_EQ(device.reason, host.reason);
  if (!host.ok) return;
  EXPECT_EQ(device.levels, host.levels);
  EXPECT_EQ(device.reached_vertices, host.reached_vertices);
  EXPECT_EQ(device.level_sum, host.level_sum);
  EXPECT_EQ(device.component_edges, host.component_edges);
  EXPECT_EQ(device.component_input_edges, host.component_input_edges);
}

// Both checks of one graph.
class Checks {
 public:
  explicit Checks(const CsrGraph& graph) : graph_(graph), device_(make_device_checker(graph)) {}

  // Returns whether the host's check accepts `answer`.
  bool agree(vertex_t source, const Answered& answer, Answer kind) {
    const auto levels = on_device(answer.levels);
    const auto parents = on_device(answer.parents);
    const WholeAnswer here = answer.view(kind);
    const WholeAnswer there = {.space = MemorySpace::device,
                               .vertex_count = here.vertex_count,
                               .levels = here.levels == nullptr ? nullptr : levels.data(),
                               .parents = here.parents == nullptr ? nullptr : parents.data()};
    const CheckResult truth = check_answer(graph_, source, here, 2);
    SCOPED_TRACE(truth.ok ? "right" : truth.reason);
    expect_same(device_->check(source, there), truth);
    expect_same(device_->summarize(source, there), summarize_answer(graph_, source, here, 2));
    return truth.ok;
  }

 private:
  const CsrGraph& graph_;
  std::unique_ptr<AnswerChecker> device_;
};

TEST_F(DeviceCheck, AcceptsAndCountsTheZoo) {
  for (const std::string& family : zoo_families()) {
    for (const ZooGraph& animal : zoo_family(family)) {
      SCOPED_TRACE(animal.name);
      const CsrGraph bare = without_transpose(*animal.graph);
      Checks checks(*animal.graph);
      std::optional<Checks> bare_checks;
      if (!bare.symmetric()) bare_checks.emplace(bare);
      for (std::size_t i = 0; i < std::min<std::size_t>(animal.sources.size(), 2); ++i) {
        const vertex_t source = animal.sources[i];
        const Answered answer = right_answer(*animal.graph, source);
        for (const Answer kind : kAnswers) {
          EXPECT_TRUE(checks.agree(source, answer, kind));
          if (bare_checks) {
            EXPECT_TRUE(bare_checks->agree(source, answer, kind));
          }
        }
      }
    }
  }
}

struct Fault {
  const char* name;
  std::function<void(Answered&)> put;
};

// Each fault breaks at least one kind of answer.
void expect_refused(const CsrGraph& graph, vertex_t source, const std::vector<Fault>& faults) {
  const CsrGraph bare = without_transpose(graph);
  Checks checks(graph);
  Checks bare_checks(bare);
  for (const Fault& fault : faults) {
    SCOPED_TRACE(fault.name);
    Answered answer = right_answer(graph, source);
    fault.put(answer);
    unsigned refused = 0;
    for (const Answer kind : kAnswers) {
      refused += checks.agree(source, answer, kind) ? 0 : 1;
      bare_checks.agree(source, answer, kind);
    }
    EXPECT_GT(refused, 0U);
  }
}

//  0 - 1 - 2 - 3 - 4     5 - 6, and 1 - 7 - 2: a triangle
TEST_F(DeviceCheck, RefusesEveryFault) {
  const auto graph = make_graph(8, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {5, 6}, {1, 7}, {7, 2}});
  expect_refused(
      *graph, 0,
      {{"the source has level 1", [](Answered& a) { a.levels[0] = 1; }},
       {"the source has no level", [](Answered& a) { a.levels[0] = kUnreached; }},
       {"the source has a parent", [](Answered& a) { a.parents[0] = 1; }},
       {"the source has no parent", [](Answered& a) { a.parents[0] = kNoVertex; }},
       {"the source is wrong in both", [](Answered& a) { a.levels[0] = 2, a.parents[0] = 9; }},
       {"a second level 0", [](Answered& a) { a.levels[5] = 0, a.levels[6] = 1; }},
       {"a level as large as n", [](Answered& a) { a.levels[6] = 8; }},
       {"a level of 2^31", [](Answered& a) { a.levels[5] = 0x80000000; }},
       {"a level before kUnreached", [](Answered& a) { a.levels[4] = kUnreached - 1; }},
       {"a parent as large as n", [](Answered& a) { a.parents[3] = 8; }},
       {"a parent before kNoVertex", [](Answered& a) { a.parents[3] = kNoVertex - 1; }},
       {"a level without parent", [](Answered& a) { a.parents[4] = kNoVertex; }},
       {"a parent without level", [](Answered& a) { a.parents[5] = 6; }},
       {"a cycle of two", [](Answered& a) { a.parents[5] = 6, a.parents[6] = 5; }},
       {"a cycle of two with levels",
        [](Answered& a) {
          a.parents[5] = 6, a.parents[6] = 5;
          a.levels[5] = 3, a.levels[6] = 4;
        }},
       {"a cycle of three", [](Answered& a) { a.parents[1] = 7, a.parents[7] = 2; }},
       {"its own parent", [](Answered& a) { a.parents[5] = 5; }},
       {"its own parent, and a child", [](Answered& a) { a.parents[3] = 3; }},
       {"a parent that has none", [](Answered& a) { a.parents[6] = 5; }},
       {"a parent that is no neighbour", [](Answered& a) { a.parents[7] = 0; }},
       {"a parent of another component", [](Answered& a) { a.parents[4] = 6; }},
       {"a parent along the level", [](Answered& a) { a.parents[7] = 2; }},
       {"a parent further down", [](Answered& a) { a.parents[3] = 4; }},
       {"a missing leaf", [](Answered& a) { a.levels[4] = kUnreached, a.parents[4] = kNoVertex; }},
       {"a missing branch",
        [](Answered& a) {
          for (const vertex_t v : {3, 4}) a.levels[v] = kUnreached, a.parents[v] = kNoVertex;
        }},
       {"one level late", [](Answered& a) { a.levels[3] = 4, a.levels[4] = 5; }},
       {"a component too many", [](Answered& a) { a.levels[5] = 2, a.levels[6] = 3; }},
       {"one level early", [](Answered& a) { a.levels[3] = 2, a.levels[4] = 3; }}});
}

// 0 -> 1 -> 2 -> 3, 3 -> 0 and 2 -> 0: back edges of more than one level; 4 -> 1 enters unreached.
TEST_F(DeviceCheck, RefusesEveryFaultOfDirectedGraphs) {
  const auto graph = make_graph(5, {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {2, 0}, {4, 1}}, false);
  expect_refused(
      *graph, 0,
      {{"support against the edge", [](Answered& a) { a.levels[4] = 2; }},
       {"a parent against the edge", [](Answered& a) { a.parents[4] = 1, a.levels[4] = 2; }},
       {"a missing leaf", [](Answered& a) { a.levels[3] = kUnreached; }},
       {"one level late", [](Answered& a) { a.levels[3] = 4; }},
       {"a child as parent", [](Answered& a) { a.parents[1] = 4; }}});
}

// Rows of exactly one piece, of one entry more, and of several pieces; a hub in the middle of a
// warp's rows, and its only supporter or the only long edge in each of the pieces.
TEST_F(DeviceCheck, SeesEveryPieceOfALongRow) {
  for (const vertex_t leaves : {1022U, 1023U, 1024U, 1025U, 2047U, 2048U, 2049U, 5000U}) {
    SCOPED_TRACE(leaves);
    std::vector<std::pair<vertex_t, vertex_t>> edges;
    const vertex_t hub = leaves / 2;
    for (vertex_t v = 0; v <= leaves; ++v) {
      if (v != hub) edges.emplace_back(hub, v);
    }
    const auto graph = make_graph(leaves + 1, edges);
    for (const vertex_t source : {0U, hub - 1, leaves}) {
      expect_refused(
          *graph, source,
          {{"a hub without support", [=](Answered& a) { a.levels[hub] = 2; }},
           {"a first leaf late", [=](Answered& a) { a.levels[source == 0 ? 1 : 0] = 3; }},
           {"a last leaf late", [=](Answered& a) { a.levels[leaves - (source == leaves)] = 3; }},
           {"a leaf lost", [=](Answered& a) { a.levels[hub + 1] = kUnreached; }}});
    }
  }
}

// Right answers with up to three words replaced.
TEST_F(DeviceCheck, AgreesOnDamagedAnswers) {
  std::mt19937 random(12);
  unsigned wrong = 0;
  for (const char* family : {"paths", "complete", "disconnected", "loops_and_multi_edges",
                             "word_edges", "random", "directed"}) {
    for (const ZooGraph& animal : zoo_family(family)) {
      SCOPED_TRACE(animal.name);
      const CsrGraph bare = without_transpose(*animal.graph);
      Checks checks(*animal.graph);
      Checks bare_checks(bare);
      const vertex_t n = bare.vertex_count();
      const vertex_t source = animal.sources.front();
      const Answered right = right_answer(bare, source);
      for (int round = 0; round < 60; ++round) {
        Answered answer = right;
        for (unsigned changes = 1 + random() % 3; changes > 0; --changes) {
          const vertex_t v = random() % n;
          // Likely words: those of other vertices, their neighbours in value, and any at all.
          const vertex_t other = random() % n;
          const unsigned choice = random() % 8;
          if (choice < 3) answer.levels[v] = right.levels[other];
          if (choice == 3) answer.levels[v] += random() % 2 == 0 ? 1 : -1;
          if (choice == 4) answer.levels[v] = static_cast<level_t>(random());
          if (choice > 1) answer.parents[v] = random() % 2 == 0 ? right.parents[other] : other;
          if (choice == 7) answer.parents[v] = static_cast<vertex_t>(random());
        }
        for (const Answer kind : kAnswers) {
          wrong += checks.agree(source, answer, kind) ? 0 : 1;
          if (!bare.symmetric()) bare_checks.agree(source, answer, kind);
          if (testing::Test::HasFailure()) return;
        }
      }
    }
  }
  EXPECT_GT(wrong, 2000U);
}

// For compute-sanitizer: every kernel, on rows of many shapes.
class SanitizerOfDeviceCheck : public DeviceCheck {};

TEST_F(SanitizerOfDeviceCheck, JudgesTinyGraphs) {
  std::mt19937 random(13);
  std::vector<std::pair<vertex_t, vertex_t>> edges{{0, 1}, {1, 2}};
  for (vertex_t v = 3; v < 1500; ++v)
    edges.emplace_back(random() % 40, v), edges.emplace_back(2, v);
  for (const bool symmetric : {true, false}) {
    const auto graph = make_graph(1501, edges, symmetric);
    const CsrGraph bare = without_transpose(*graph);
    const Answered right = right_answer(*graph, 0);
    Answered late = right;
    ++late.levels[700];
    Answered circle = right;
    circle.parents[1] = 1;
    for (const CsrGraph* on : std::initializer_list<const CsrGraph*>{graph.get(), &bare}) {
      Checks checks(*on);
      for (const Answer kind : kAnswers) {
        EXPECT_TRUE(checks.agree(0, right, kind));
        checks.agree(0, late, kind);
        checks.agree(0, circle, kind);
      }
    }
  }
}

// Trees as deep as there are vertices, against and along the order of ids, and long cycles.
TEST_F(DeviceCheck, ClimbsDeepTrees) {
  const vertex_t n = 200'000;
  std::vector<std::pair<vertex_t, vertex_t>> edges;
  for (vertex_t v = 1; v < n; ++v) edges.emplace_back(v, v - 1);
  const auto graph = make_graph(n, edges);
  Checks checks(*graph);
  for (const vertex_t source : {0U, n - 1, n / 3}) {
    EXPECT_TRUE(checks.agree(source, right_answer(*graph, source), Answer::parents));
  }
  for (const vertex_t length : {1U, 2U, 3U, 64U, 4096U, 65'536U, 100'000U}) {
    SCOPED_TRACE(length);
    Answered answer = right_answer(*graph, 0);
    answer.parents[n / 2 - length + 1] = n / 2;
    EXPECT_FALSE(checks.agree(0, answer, Answer::parents));
  }
  Answered answer = right_answer(*graph, 0);
  answer.parents[1] = kNoVertex;
  EXPECT_FALSE(checks.agree(0, answer, Answer::parents));
}

TEST_F(DeviceCheck, ArgumentsAreTheCallersBusiness) {
  const auto graph = make_graph(2, {{0, 1}});
  const Answered answer = right_answer(*graph, 0);
  const auto levels = on_device(answer.levels);
  const auto checker = make_device_checker(*graph);
  const WholeAnswer there = {MemorySpace::device, 2, levels.data(), nullptr};
  EXPECT_TRUE(checker->check(0, there).ok);
  EXPECT_THROW(checker->check(2, there), std::invalid_argument);
  EXPECT_THROW(checker->check(0, answer.view(Answer::levels)), std::invalid_argument);
  WholeAnswer other = there;
  other.levels = nullptr;
  EXPECT_THROW(checker->summarize(0, other), std::invalid_argument);
  other = there;
  other.vertex_count = 3;
  EXPECT_THROW(checker->check(0, other), std::invalid_argument);
}

}  // namespace
}  // namespace bfslab::tests
