// SPDX-License-Identifier: Apache-2.0
// Where the queues of `dfq` go wrong when they are written down naively, as Figure 4 of the paper
// prints them (docs/errata.md#dfq-figure-4), each on a graph whose answer is wrong then, or whose
// refusal is missing. Levels are judged against the sequential search, persistent and with a launch
// a level. The first suite is small enough for the sanitizers: an entry out of bounds is memcheck's
// to see.
#include <gtest/gtest.h>

#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "harness/check/host_answer.hpp"
#include "kernels/cuda/device/device.hpp"
#include "kernels/gpu_parts.hpp"
#include "kernels/unsupported.hpp"
#include "tests/kernels/exam.hpp"
#include "tests/kernels/program.hpp"
#include "tests/kernels/reference.hpp"
#include "tests/kernels/zoo.hpp"

namespace bfslab::tests {
namespace {

using Edges = std::vector<std::pair<vertex_t, vertex_t>>;

std::string word(const char* value) { return value; }

Toggles toggles_of(const ToggleSettings& settings) {
  Toggles toggles(find_engine("dfq")->toggles);
  for (const auto& [name, value] : settings) toggles.set(name, value);
  return toggles;
}

// Vertex 0 is a hub. Leaf i is vertex 1 + i * apart, and each has a tail of one vertex, so that a
// leaf that a queue drops loses its tail. Vertices between leaves have no edge.
std::shared_ptr<const CsrGraph> broom(vertex_t leaves, vertex_t apart = 1) {
  Edges edges;
  const vertex_t tails = 1 + leaves * apart;
  for (vertex_t i = 0; i < leaves; ++i) {
    edges.emplace_back(0, 1 + i * apart);
    edges.emplace_back(1 + i * apart, tails + i);
  }
  return make_graph(tails + leaves, edges);
}

// Returns the number that follows `before` in a message.
std::int64_t number_after(const std::string& message, const std::string& before) {
  std::smatch found;
  EXPECT_TRUE(std::regex_search(message, found, std::regex(before + "([0-9]+)"))) << message;
  return found.empty() ? 0 : std::stoll(found[1]);
}

class DfqSanitizer : public RunsHere<const char*> {};

// Expansions of vertices that both a hierarchical and a decentralized queue can give to.
std::vector<const char*> streamed_and_queued() {
  std::vector<const char*> names;
  for (const cuda::ExpansionPart& part : cuda::kExpansions) {
    const bool is_sound = cuda::is_sound(part.takes, cuda::Queue::hierarchical) &&
                          cuda::is_sound(part.takes, cuda::Queue::decentralized);
    if (is_sound) names.push_back(part.name);
  }
  return names;
}
const auto kStreamed = testing::ValuesIn(streamed_and_queued());

std::string value_of(const testing::TestParamInfo<const char*>& param) { return param.param; }

#ifdef BFSLAB_STRESS  // with delays, in the program of the stress tests, which runs these by name
INSTANTIATE_TEST_SUITE_P(Stress, DfqSanitizer, kStreamed, value_of);
#else
INSTANTIATE_TEST_SUITE_P(Overflow, DfqSanitizer, kStreamed, value_of);
#endif

// 3,000 vertices of a level for one CTA's queue of 1,024. Figure 4 lets a whole CTA enqueue once
// its size is below capacity - 32, at the size and not at the reserved place: it writes beyond the
// queue and loses leaves. Every third vertex leaves tiles partly empty, and the queue partly full
// when the next tile overflows it: a reservation that is not carried over a drain leaves entries
// that was never written, and one that is carried too far enters items twice or never.
TEST_P(DfqSanitizer, SubQueuesOverflowAndAreDrained) {
  for (const vertex_t apart : {1U, 3U}) {
    const auto graph = broom(3'000, apart);
    const Exam exam(*graph, {0});
    bool shared = apart == 1;  // over both graphs every pair of the rest meets both memories
    unsigned turn = 0;
    for (const char* threads : {"256", "1024"}) {
      for (const char* enqueue : {"warp", "thread"}) {
        constexpr const char* kReserves[] = {"exact", "warp", "cta"};
        const Toggles toggles = toggles_of({{"memory", word(shared ? "shared" : "global")},
                                            {"reserve", word(kReserves[(turn++ + apart) % 3])},
                                            {"scan", word(shared ? "by_block" : "interleaved")},
                                            {"capacity", std::int64_t{1024}},
                                            {"ctas", std::int64_t{1}},
                                            {"threads", word(threads)},
                                            {"enqueue", word(enqueue)},
                                            {"expand", word(GetParam())}});
        exam.take(*find_engine("dfq"), {toggles, Answer::both}, *graph);
        if (HasFatalFailure()) return;
        shared = !shared;
      }
      shared = !shared;
    }
  }
}

// A hierarchical queue is as long as the scan wants it: flushed in time, it drops nothing. Filled
// by expansion it overflows, which a queue without a bound writes over its end, and one that only
// drops answers wrong.
TEST_P(DfqSanitizer, HierarchicalQueuesAreFlushedOrRefuse) {
  const auto graph = broom(3'000);
  const Exam exam(*graph, {0});
  ToggleSettings settings{{"queue", word("hierarchical")},
                          {"capacity", std::int64_t{1024}},
                          {"ctas", std::int64_t{1}},
                          {"expand", word(GetParam())}};
  for (const char* threads : {"256", "1024"}) {
    settings.emplace_back("threads", word(threads));
    exam.take(*find_engine("dfq"), {toggles_of(settings), Answer::both}, *graph);
    if (HasFatalFailure()) return;
  }
  settings.emplace_back("collect", word("scan_free"));
  const auto engine =
      find_engine("dfq")->make({.toggles = toggles_of(settings), .answer = Answer::both});
  engine->load({.csr = graph.get(), .recipe = ""});
  EXPECT_THROW(engine->traverse(0), Unsupported);
}

class DfqTraps : public RunsHere<const char*> {
 protected:
  static void take(const Exam& exam, ToggleSettings settings, const CsrGraph& graph) {
    settings.emplace_back("launch", word(GetParam()));
    exam.take(*find_engine("dfq"), {toggles_of(settings), Answer::both}, graph);
  }
};

INSTANTIATE_TEST_SUITE_P(Launch, DfqTraps, testing::Values("persistent", "host"), value_of);

// All of a level lies where one CTA scans: it drains again and again while the others are done. A
// barrier of the grid in a drain, or one that only CTAs with entries reach, never ends or mixes
// levels.
TEST_P(DfqTraps, OneCtaHoldsTheWholeFrontier) {
  constexpr vertex_t kCtas = 4;
  constexpr vertex_t kRun = 32 * 4;  // of a warp's lanes, four statuses each
  constexpr vertex_t kRuns = 5 * 8;  // of CTAs of eight warps
  const vertex_t tails = kRuns * kCtas * kRun;
  Edges edges;
  vertex_t tail = tails;
  for (vertex_t t = 0; t < kRuns; ++t) {
    for (vertex_t i = 0; i < kRun; ++i) {
      const vertex_t leaf = (t * kCtas + 2) * kRun + i;  // the third CTA's runs
      edges.emplace_back(0, leaf);
      edges.emplace_back(leaf, tail++);
    }
  }
  const auto graph = make_graph(tail, edges);
  const Exam exam(*graph, {0, tails});
  for (const char* memory : {"shared", "global"}) {
    take(exam,
         {{"memory", word(memory)},
          {"scan", word("interleaved")},
          {"reserve", word(std::string(memory) == "shared" ? "exact" : "warp")},
          {"capacity", std::int64_t{1024}},
          {"ctas", std::int64_t{kCtas}},
          {"threads", word("256")}},
         *graph);
    if (HasFatalFailure()) return;
  }
}

// Vertices at the very end of the statuses, whatever remains of the last four: a scan by fours that
// ends early loses them, one that ends late reads what is not there.
TEST_P(DfqTraps, TheLastVerticesAreScanned) {
  for (vertex_t n = 1'021; n <= 1'028; ++n) {
    Edges edges;
    for (vertex_t k = 1; k <= 5; ++k) {
      edges.emplace_back(0, n - k);
      edges.emplace_back(n - k, k);
    }
    const auto graph = make_graph(n, edges);
    const Exam exam(*graph, {0, n - 1});
    for (const char* queue : {"none", "central", "hierarchical", "decentralized"}) {
      take(exam, {{"queue", word(queue)}, {"threads", word("256")}}, *graph);
      if (HasFatalFailure()) return;
    }
    take(exam, {{"queue", word("central")}, {"collect", word("prefix_sum")}}, *graph);
    if (HasFatalFailure()) return;
  }
}

// Shares of a hub's edges: one too short, or counted from the wrong item, loses leaves; one too
// long reads the next vertex' edges and finds parents that are none.
TEST_P(DfqTraps, VirtualVerticesShareAHubsEdges) {
  const auto graph = broom(5'003);
  const Exam exam(*graph, {0, 1});
  for (const std::int64_t split : {1, 7, 10, 1024}) {
    for (const char* queue : {"none", "central", "decentralized"}) {
      take(exam,
           {{"queue", word(queue)},
            {"expand", word("virtual_split")},
            {"split", split},
            {"threads", word("256")}},
           *graph);
      if (HasFatalFailure()) return;
    }
  }
}

// The hub's leaves fill the eight lower queues of its warp's CTA to the last entry, or one of them
// by one more. A refusal ends one traversal and not the engine: another component is searched after
// it, and is right.
TEST_P(DfqTraps, ARefusalIsExactAndLeavesTheEngineSound) {
  for (const vertex_t leaves : {1'024U, 1'025U}) {
    Edges edges;
    for (vertex_t leaf = 1; leaf <= leaves; ++leaf) edges.emplace_back(0, leaf);
    for (vertex_t k = 1; k < 10; ++k) edges.emplace_back(leaves + k, leaves + k + 1);
    const auto graph = make_graph(leaves + 11, edges);
    const vertex_t other = leaves + 1;
    const Exam exam(*graph, {0, other});
    const Toggles toggles = toggles_of({{"queue", word("hierarchical")},
                                        {"collect", word("scan_free")},
                                        {"capacity", std::int64_t{1024}},
                                        {"threads", word("256")},
                                        {"launch", word(GetParam())}});
    if (leaves == 1'024) {
      exam.take(*find_engine("dfq"), {toggles, Answer::both}, *graph);
    } else {
      // Takes the hub, the other component and the hub again from one engine.
      Refusals refusals(*find_engine("dfq"));
      exam.take(*find_engine("dfq"), {toggles, Answer::both}, *graph, &refusals);
      const auto engine = find_engine("dfq")->make({.toggles = toggles, .answer = Answer::levels});
      engine->load({.csr = graph.get(), .recipe = ""});
      EXPECT_THROW(engine->traverse(0), Unsupported);
    }
    if (HasFatalFailure()) return;
  }
}

// One kernel serves engines of all capacities, and a process holds several at once. Shared memory
// is asked for by attribute of the kernel: who sets it to its own share takes it from the others.
// Each engine keeps its answer while the others run.
TEST_P(DfqTraps, EnginesOfSeveralCapacitiesLiveTogether) {
  const auto graph = broom(3'000);
  std::vector<std::unique_ptr<Engine>> engines;
  for (const auto& [memory, capacity] :
       {std::pair{"shared", 16384}, std::pair{"shared", 1024}, std::pair{"global", 1024}}) {
    engines.push_back(
        find_engine("dfq")->make({.toggles = toggles_of({{"memory", word(memory)},
                                                         {"capacity", std::int64_t{capacity}},
                                                         {"launch", word(GetParam())}}),
                                  .answer = Answer::both}));
    engines.back()->load({.csr = graph.get(), .recipe = ""});
  }
  HostAnswer host;
  const vertex_t last = graph->vertex_count() - 1;
  for (const vertex_t source : {vertex_t{0}, last, vertex_t{0}}) {
    SCOPED_TRACE(source);
    const std::vector<level_t> truth = reference_levels(*graph, source);
    for (const auto& engine : engines) {
      engine->traverse(source);
      EXPECT_EQ(judge(*graph, source, host.take(engine->answer()), truth), "");
    }
    for (const auto& engine : engines) {
      EXPECT_EQ(judge(*graph, source, host.take(engine->answer()), truth), "");
    }
  }
}

// The device's limits are named, and exact: what they allow runs, one more is refused.
TEST_P(DfqTraps, LimitsOfTheDeviceAreNamedAndExact) {
  const auto graph = broom(3'000);
  const Exam exam(*graph, {0});
  const auto refusal = [&](const ToggleSettings& settings) -> std::string {
    const auto engine =
        find_engine("dfq")->make({.toggles = toggles_of(settings), .answer = Answer::both});
    try {
      engine->load({.csr = graph.get(), .recipe = ""});
    } catch (const Unsupported& error) {
      return error.what();
    }
    return {};
  };
  const std::string too_large = refusal({{"capacity", std::int64_t{65536}}});
  EXPECT_NE(too_large.find(cuda::device().name), std::string::npos) << too_large;
  const std::int64_t entries = number_after(too_large, "hold ");
  EXPECT_NE(refusal({{"capacity", entries + 1}}), "");
  take(exam, {{"capacity", entries}}, *graph);
  if (HasFatalFailure()) return;
  EXPECT_EQ(refusal({{"capacity", std::int64_t{65536}}, {"memory", word("global")}}), "");

  const std::string too_many = refusal({{"ctas", std::int64_t{4096}}});
  EXPECT_NE(too_many.find(cuda::device().name), std::string::npos) << too_many;
  const std::int64_t ctas = number_after(too_many, "runs ");
  EXPECT_NE(refusal({{"ctas", ctas + 1}}), "");
  take(exam, {{"ctas", ctas}}, *graph);
}

}  // namespace
}  // namespace bfslab::tests
