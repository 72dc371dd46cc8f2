// SPDX-License-Identifier: Apache-2.0
// Every distributed engine on every number of members: levels as the sequential search has them,
// parents and counts by the check that gathers nothing, from a CSR that one process has and from a
// recipe that each member makes its part of. Members of GPU engines share the GPUs that there are.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "datasets/load_graph.hpp"
#include "kernels/check_result.hpp"
#include "kernels/device_services.hpp"
#include "kernels/engine.hpp"
#include "kernels/unsupported.hpp"
#include "tests/distributed/gpu.hpp"
#include "tests/distributed/members.hpp"
#include "tests/distributed/words.hpp"
#include "tests/kernels/configurations.hpp"
#include "tests/kernels/exam.hpp"
#include "tests/kernels/reference.hpp"
#include "tests/kernels/zoo.hpp"

namespace bfslab {
namespace {

std::vector<const EngineInfo*> distributed_engines() {
  std::vector<const EngineInfo*> out;
  for (const EngineInfo* info : engines()) {
    if (info->can.distributed && !info->counts()) out.push_back(info);
  }
  return out;
}

// Those whose kernels run all levels.
std::vector<const EngineInfo*> engines_in_one_kernel() {
  std::vector<const EngineInfo*> out = distributed_engines();
  std::erase_if(out, [](const EngineInfo* info) {
    return std::ranges::none_of(info->toggles,
                                [](const Toggle& toggle) { return toggle.name == "launch"; });
  });
  return out;
}

std::string name_of_engine(const testing::TestParamInfo<const EngineInfo*>& param) {
  std::string name = param.param->name;
  std::ranges::replace(name, '-', '_');
  return name;
}

class EveryDistributedEngine : public testing::TestWithParam<const EngineInfo*> {
 protected:
  void SetUp() override {
    if (!GetParam()->can.gpu) return;
    if (const std::string why = tests::no_gpu_for_members(); !why.empty()) GTEST_SKIP() << why;
  }

  // Selects a transport other than NCCL if members share a GPU.
  static Toggles defaults() {
    Toggles toggles(GetParam()->toggles);
    if (toggles.has("transport")) {
      toggles.set("transport", std::string(tests::processes().size() > 1 ? "host" : "peer"));
    }
    return toggles;
  }

  // Returns whether members always map each other's memory.
  static bool maps_memory() { return GetParam()->can.gpu && !defaults().has("transport"); }
  static std::size_t gpus_here() {
    const std::vector<std::string> found = gpu::pci_bus_ids(64);
    return std::set<std::string>(found.begin(), found.end()).size();
  }
  // Returns whether it must refuse: each rank asks for `gpus` GPUs, and there are too many members.
  static bool must_refuse(unsigned gpus) {
    constexpr unsigned kMaxMembers = 8;
    return maps_memory() && gpus * tests::processes().size() > kMaxMembers;
  }
  // Returns whether it may refuse: processes share a GPU. Not every machine lets one process map
  // memory that another has on the same GPU.
  static bool can_refuse(unsigned gpus) {
    const unsigned ranks = tests::processes().size();
    return must_refuse(gpus) || (maps_memory() && ranks > 1 && gpus * ranks > gpus_here());
  }

  // The levels of a part, in host memory.
  static std::vector<level_t> levels_of(const AnswerPart& part) {
    std::vector<level_t> levels(part.ids.count);
    if (part.space == MemorySpace::device) {
      gpu::copy_to_host(levels.data(), part.levels, levels.size() * sizeof(level_t));
    } else {
      std::copy_n(part.levels, levels.size(), levels.data());
    }
    return levels;
  }

  static Toggles in_one_kernel() {
    Toggles toggles = defaults();
    toggles.set("launch", std::string("persistent"));
    toggles.set("expand", std::string("merge_path"));
    return toggles;
  }

  // The preset `tuned` of grid2d-cuda.
  static Toggles in_equal_shares() {
    Toggles toggles = defaults();
    toggles.set("exploration", std::string("equal_shares"));
    toggles.set("visited_read", std::string("read_only_then_out"));
    return toggles;
  }

  // Settings that report levels in different ways.
  static std::vector<Toggles> tellers() {
    std::vector<Toggles> all = {defaults()};
    if (defaults().has("launch")) all.push_back(in_one_kernel());
    if (defaults().has("exploration")) all.push_back(in_equal_shares());
    return all;
  }

  static constexpr Answer kAnswers[] = {Answer::levels, Answer::parents, Answer::both};

  // Checks what an answer's validation in place has found, and its levels if there are some.
  static void expect_right(const CsrGraph& graph, vertex_t source, const CheckResult& found,
                           const AnswerView& answer, Answer asked) {
    const std::vector<level_t> truth = tests::reference_levels(graph, source);
    std::uint64_t entries = 0;
    std::uint64_t reached = 0;
    for (vertex_t v = 0; v < graph.vertex_count(); ++v) {
      if (truth[v] == kUnreached) continue;
      ++reached;
      entries += graph.degree(v);
    }
    EXPECT_TRUE(found.ok) << found.reason;
    EXPECT_EQ(found.reached_vertices, reached);
    EXPECT_EQ(found.component_edges, graph.symmetric() ? entries / 2 : entries);
    for (const AnswerPart& part : answer.parts) {
      if (!wants_levels(asked)) continue;
      const std::vector<level_t> levels = levels_of(part);
      for (std::uint64_t i = 0; i < part.ids.count; ++i) {
        if (levels[i] == truth[part.ids[i]]) continue;
        ADD_FAILURE() << "vertex " << part.ids[i] << " has level " << levels[i] << ", not "
                      << truth[part.ids[i]];
        return;
      }
    }
  }

  // Searches in a row: the sources in order and the first one again, as many as the engine takes.
  static void examine_in_a_row(Engine& engine, const CsrGraph& graph, std::vector<vertex_t> sources,
                               Answer answer) {
    sources.push_back(sources.front());
    sources.resize(std::min(sources.size(), engine.max_searches()));
    const std::vector<double> ms = engine.search_many(sources);
    ASSERT_EQ(ms.size(), sources.size());
    for (std::size_t i = 0; i < sources.size(); ++i) {
      SCOPED_TRACE("search " + std::to_string(i) + " in a row");
      EXPECT_GT(ms[i], 0);
      expect_right(graph, sources[i], engine.check_in_place_of(i, sources[i], true).value(),
                   engine.answer_of(i), answer);
    }
  }

  // Returns whether the setting ran: all members may refuse it alike.
  static bool examine(const Toggles& toggles, Answer answer, unsigned gpus, const GraphSource& from,
                      const CsrGraph& graph, const std::vector<vertex_t>& sources) {
    const EngineInfo& info = *GetParam();
    const auto engine = info.make({.toggles = toggles,
                                   .answer = answer,
                                   .ranks = tests::processes().size(),
                                   .gpus_per_rank = gpus,
                                   .processes = &tests::processes()});
    try {
      engine->load(from);
    } catch (const Unsupported&) {
      EXPECT_TRUE(info.may_refuse && info.may_refuse(toggles));
      return false;
    }
    for (const vertex_t source : sources) {
      engine->traverse(source);
      const CheckResult found = engine->check_in_place(source, true).value();
      expect_right(graph, source, found, engine->answer(), answer);
    }
    if (engine->max_searches() > 0) examine_in_a_row(*engine, graph, sources, answer);
    return true;
  }

  // Thresholds, block sizes and the like between the ends of their ranges.
  static std::vector<Toggles> settings() {
    std::vector<Toggles> all = tests::each_value(*GetParam());
    for (const Toggle& toggle : GetParam()->toggles) {
      if (toggle.kind != ToggleKind::integer) continue;
      for (const std::int64_t value : {2, 5, 16}) {
        if (value < toggle.minimum || value > toggle.maximum) continue;
        all.emplace_back(GetParam()->toggles).set(toggle.name, value);
      }
    }
    // NCCL wants a GPU for each member: most settings take another way.
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].has("transport") && i % 5 > 0) {
        const bool apart = tests::processes().size() > 1;
        Toggles other = all[i];
        other.set("transport", std::string(apart || i % 2 == 0 ? "host" : "peer"));
        if (tests::is_legal(*GetParam(), other)) all[i] = other;
      }
    }
    return all;
  }
};

TEST_P(EveryDistributedEngine, HoldsWhatItsEstimateSays) {
  if (tests::processes().size() > 1) GTEST_SKIP() << "a process knows what it holds itself";
  // Every vertex has neighbours, and is a delegate where the threshold is 0.
  const vertex_t n = 20'000;
  std::vector<std::pair<vertex_t, vertex_t>> edges;
  for (vertex_t v = 1; v < n; ++v) edges.emplace_back(v, v / 2);
  for (vertex_t v = 0; v < n; ++v) edges.emplace_back(v, std::uint64_t{v} * 7919 % n);
  const auto graph = tests::make_graph(n, edges);
  GraphFacts facts = tests::facts_of(*graph);
  for (const unsigned members : {1U, 2U, 4U}) {
    facts.members = members;
    for (Toggles toggles : tellers()) {
      if (GetParam()->name.starts_with("delegate")) toggles.set("threshold", std::int64_t{0});
      for (const Answer answer : kAnswers) {
        const auto engine = GetParam()->make({.toggles = toggles,
                                              .answer = answer,
                                              .ranks = 1,
                                              .gpus_per_rank = members,
                                              .processes = &tests::processes()});
        try {
          engine->load({.csr = graph.get(), .recipe = graph->identity().name, .load = nullptr});
        } catch (const Unsupported&) {  // members that share a GPU, in one kernel
          EXPECT_TRUE(members > 1 && GetParam()->may_refuse && GetParam()->may_refuse(toggles));
          continue;
        }
        const MemoryUse memory = engine->memory();
        const auto held = static_cast<double>(memory.total() - memory.sized_by_device);
        const double estimate = GetParam()->estimate(facts, toggles, answer).bytes;
        EXPECT_GE(estimate, held - 16'384 - 0.02 * held) << members << " " << toggles.text();
        EXPECT_LE(estimate, held + 16'384 + 0.1 * held) << members << " " << toggles.text();
      }
    }
  }
}

TEST_P(EveryDistributedEngine, AnswersRightOnEveryNumberOfMembers) {
  const bool alone = tests::processes().size() == 1;
  unsigned turn = 0;
  unsigned deep_ones = 0;
  unsigned asked = 0;
  unsigned ran = 0;
  for (const std::string& family : tests::zoo_families()) {
    for (const tests::ZooGraph& item : tests::zoo_family(family)) {
      if (item.size != tests::Size::small) continue;
      // Among members that share cores each of many levels takes a while.
      const std::vector<level_t> truth = tests::reference_levels(*item.graph, item.sources.front());
      const auto deep = [](level_t level) { return level != kUnreached && level > 70; };
      if (std::ranges::any_of(truth, deep) && ++deep_ones > (alone ? 4U : 1U)) continue;
      SCOPED_TRACE(item.name);
      const CsrGraph& graph = *item.graph;
      const GraphSource source{tests::processes().rank() == 0 ? &graph : nullptr, "", nullptr};
      const std::vector<vertex_t> sources = {item.sources.front(), item.sources.back()};
      const std::vector<Toggles> all = settings();
      const std::vector<unsigned> gpus = tests::gpus_to_try();
      for (int times = 0; times < 2; ++times) {
        const Toggles& toggles = all[++turn % all.size()];
        SCOPED_TRACE(toggles.text());
        const unsigned members = gpus[turn % gpus.size()];
        const bool did = examine(toggles, kAnswers[turn % 3], members, source, graph, sources);
        EXPECT_FALSE(did && must_refuse(members));
        ran += did ? 1U : 0U;
        asked += can_refuse(members) ? 0U : 1U;
      }
      if (HasFailure()) return;
    }
  }
  if (ran + asked == 0) GTEST_SKIP() << "processes cannot share a GPU here";
  EXPECT_GT(2 * ran, asked) << "most settings must not refuse";
}

TEST_P(EveryDistributedEngine, AnswersRightInEverySetting) {
  // Its generator is asked for each part; the CSR is for the truth.
  const GraphName name = GraphName::parse("kronecker:scale=9,edge_factor=6");
  const CsrGraph graph = load_graph(name, {});
  const GraphSource source{nullptr, name.canonical, nullptr};
  unsigned asked = 0;
  unsigned ran = 0;
  unsigned turn = 0;
  const std::vector<unsigned> gpus = tests::gpus_to_try();
  for (const Toggles& toggles : settings()) {
    for (int times = 0; times < 2; ++times) {
      SCOPED_TRACE(toggles.text());
      const unsigned members = gpus[++turn % gpus.size()];
      asked += can_refuse(members) ? 0U : 1U;
      ran += examine(toggles, kAnswers[turn % 3], members, source, graph, {1, 300}) ? 1U : 0U;
      if (HasFailure()) return;
    }
  }
  if (ran + asked == 0) GTEST_SKIP() << "processes cannot share a GPU here";
  EXPECT_GT(ran, 0U);
}

class EngineInOneKernel : public EveryDistributedEngine {
 protected:
  // Every answer in each setting, by one member, and by several if each has its own GPU.
  static void examine_answers(const std::vector<Toggles>& all, const GraphSource& from,
                              const CsrGraph& graph, const std::vector<vertex_t>& sources) {
    const bool one_process = tests::processes().size() == 1;
    for (const unsigned gpus : one_process ? std::vector{1U, 2U, 3U, 4U} : std::vector{1U, 2U}) {
      for (const Toggles& toggles : all) {
        for (const Answer answer : kAnswers) {
          SCOPED_TRACE(toggles.text());
          const bool ran = examine(toggles, answer, gpus, from, graph, sources);
          EXPECT_TRUE(ran || gpus * tests::processes().size() > 1) << "one member must not refuse";
          if (!ran || HasFailure()) break;  // members would share a GPU
        }
        if (HasFailure()) return;
      }
    }
  }
};

// All levels in one kernel per member, each with its own GPU, in one process or in several, on the
// whole zoo.
TEST_P(EngineInOneKernel, AnswersRight) {
  std::vector<Toggles> all(4, in_one_kernel());
  all[1].set("direction_optimized", false);
  all[2].set("nn_parents", std::string("carried"));
  all[3].set("threshold", std::int64_t{4});
  unsigned turn = 0;
  const bool one_process = tests::processes().size() == 1;
  for (const unsigned gpus : one_process ? std::vector{1U, 2U, 4U} : std::vector{1U, 2U}) {
    unsigned ran = 0;
    unsigned asked = 0;
    for (const std::string& family : tests::zoo_families()) {
      for (const tests::ZooGraph& item : tests::zoo_family(family)) {
        if (asked > 3 && ran == 0) break;  // members would share a GPU
        SCOPED_TRACE(item.name);
        const GraphSource source{tests::processes().rank() == 0 ? &*item.graph : nullptr, "",
                                 nullptr};
        ++asked;
        const Toggles& toggles = all[++turn % all.size()];
        ran += examine(toggles, kAnswers[turn % 3], gpus, source, *item.graph,
                       {item.sources.front(), item.sources.back()})
                   ? 1U
                   : 0U;
        if (HasFailure()) return;
      }
    }
    if (one_process && gpus == 1) {
      EXPECT_EQ(ran, asked);
    }
  }
}

// The same in NVSHMEM's memory, which is one GPU's in each process.
TEST_P(EngineInOneKernel, AnswersRightInNvshmemsMemory) {
  std::vector<Toggles> all(2, in_one_kernel());
  for (Toggles& toggles : all) toggles.set("launch", std::string("nvshmem"));
  all[1].set("nn_parents", std::string("carried"));
  const auto of = [](const CsrGraph& graph) {
    return GraphSource{tests::processes().rank() == 0 ? &graph : nullptr, "", nullptr};
  };
  // A skipped test gives the reason: the build, the machine, or members that share a GPU.
  const tests::ZooGraph& first = tests::zoo_family(tests::zoo_families().front()).front();
  try {
    GetParam()
        ->make({.toggles = all[0],
                .answer = Answer::levels,
                .ranks = tests::processes().size(),
                .gpus_per_rank = 1,
                .processes = &tests::processes()})
        ->load(of(*first.graph));
  } catch (const Unsupported& refusal) {
    GTEST_SKIP() << refusal.what();
  }
  unsigned turn = 0;
  for (const std::string& family : tests::zoo_families()) {
    for (const tests::ZooGraph& item : tests::zoo_family(family)) {
      SCOPED_TRACE(item.name);
      ++turn;
      EXPECT_TRUE(examine(all[turn % all.size()], kAnswers[turn % 3], 1, of(*item.graph),
                          *item.graph, {item.sources.front(), item.sources.back()}));
      if (HasFailure()) return;
    }
  }
  if (tests::processes().size() == 1) {  // several GPUs of one process are refused, not forgotten
    const bool ran = examine(all[0], Answer::levels, 2, of(*first.graph), *first.graph, {0});
    EXPECT_FALSE(ran);
  }
}

// Each member owns several lines of the masks of delegates (DelegateStripes), and finds some of
// others': in both directions, and by degree, where the first lines are of hubs.
TEST_P(EngineInOneKernel, AnswersRightWithLinesOfDelegatesForEach) {
  const GraphName name = GraphName::parse("kronecker:scale=15,edge_factor=8");
  const CsrGraph graph = load_graph(name, {});
  const GraphSource source{nullptr, name.canonical, nullptr};
  std::vector<Toggles> all(3, in_one_kernel());
  for (Toggles& toggles : all) toggles.set("threshold", std::int64_t{1});
  all[1].set("direction_optimized", false);
  all[2].set("delegate_order", std::string("degree"));
  all[2].set("dd_factor", 1e-9);  // backward as soon as may be
  examine_answers(all, source, graph, {1, 77, 20'000});
}

// More delegates, hubs first, than those whose bits a block keeps in shared memory while visits go
// backward: by the hosts, and in one kernel a member.
TEST_P(EngineInOneKernel, AnswersRightWithMoreDelegatesThanABlockKeeps) {
  constexpr std::uint64_t kKept = 131'072;
  const GraphName name = GraphName::parse("kronecker:scale=19,edge_factor=8");
  const CsrGraph graph = load_graph(name, {});
  std::uint64_t delegates = 0;
  for (vertex_t v = 0; v < graph.vertex_count(); ++v) delegates += graph.degree(v) > 1 ? 1 : 0;
  ASSERT_GT(delegates, kKept);
  const GraphSource source{nullptr, name.canonical, nullptr};
  std::vector<Toggles> all = {defaults(), in_one_kernel()};
  for (Toggles& toggles : all) {
    toggles.set("threshold", std::int64_t{1});
    toggles.set("delegate_order", std::string("degree"));
    for (const char* factor : {"dd_factor", "dn_factor", "nd_factor"}) toggles.set(factor, 1e-9);
  }
  const bool one_process = tests::processes().size() == 1;
  for (const unsigned gpus : one_process ? std::vector{1U, 2U, 4U} : std::vector{1U}) {
    for (const Toggles& toggles : all) {
      SCOPED_TRACE(toggles.text());
      const bool ran = examine(toggles, Answer::both, gpus, source, graph, {1, 300'000});
      EXPECT_TRUE(ran || gpus * tests::processes().size() > 1) << "one member must not refuse";
      if (HasFailure()) return;
    }
  }
}

// In one level delegates find their parents among delegates, owners first, and are found by normal
// vertices, many of one word of their masks in both ways: who is done with the one goes on to the
// other, and neither may undo what the other has set. With a plain store in place of an atomic one
// distributed_stress_tests fails here. There are few delegates, of which a block looks for 1,024,
// and in the level before the largest more normal vertices than these blocks have threads, so that
// blocks that have no delegates to look for begin with the other at once.
TEST_P(EngineInOneKernel, AnswersRightWhereDelegatesAreFoundInBothWaysAtOnce) {
  constexpr std::uint64_t kThreshold = 22;
  const GraphName name = GraphName::parse("uniform:vertices=400000,edge_factor=8");
  const CsrGraph graph = load_graph(name, {});
  const std::vector<level_t> levels = tests::reference_levels(graph, 7);
  std::uint64_t delegates = 0;
  std::map<level_t, std::uint64_t> normals;
  for (vertex_t v = 0; v < graph.vertex_count(); ++v) {
    if (graph.degree(v) > kThreshold) {
      ++delegates;
    } else {
      ++normals[levels[v]];
    }
  }
  const auto largest =
      std::ranges::max_element(normals, {}, [](const auto& of) { return of.second; });
  ASSERT_GT(delegates, 16'384U);
  // A quarter of each: on each of four members, and 256 threads for 1,024 delegates.
  ASSERT_GT(normals[largest->first - 1], delegates + delegates / 4);
  const GraphSource source{nullptr, name.canonical, nullptr};
  std::vector<Toggles> all(2, in_one_kernel());
  for (Toggles& toggles : all) {
    toggles.set("threshold", static_cast<std::int64_t>(kThreshold));
    toggles.set("delegate_order", std::string("degree"));
    toggles.set("dd_factor", 1e-9);  // backward as soon as may be
  }
  all[0].set("nd_factor", 1e9);  // forward
  all[1].set("nd_factor", 1e-9);
  examine_answers(all, source, graph, {7, 99, 4'242, 399'999});
}

// Hubs with more neighbours on each member than a block looks through alone, of which few are in
// the frontier: among normal vertices, and among delegates. By the hosts, and in one kernel a
// member.
TEST_P(EngineInOneKernel, AnswersRightWhereHubsLookThroughLongRows) {
  constexpr std::uint64_t kLong = 65'536;
  constexpr vertex_t kBetween = 4 * kLong + 50'000;  // on each of four members more than are long
  std::vector<std::pair<vertex_t, vertex_t>> edges;
  for (const vertex_t hub : {kBetween, kBetween + 1}) {
    for (vertex_t v = 0; v < kBetween; ++v) edges.emplace_back(hub, v);
  }
  edges.emplace_back(kBetween + 1, kBetween + 2);  // a tail, whose end is as far as can be
  edges.emplace_back(kBetween + 2, kBetween + 3);
  const auto graph = tests::make_graph(kBetween + 4, edges);
  const GraphSource source{tests::processes().rank() == 0 ? &*graph : nullptr, "", nullptr};
  std::vector<Toggles> all;
  for (const Toggles& launch : {defaults(), in_one_kernel()}) {
    for (const std::int64_t threshold : {1, 2}) {  // what is between are delegates, or normal
      Toggles toggles = launch;
      toggles.set("threshold", threshold);
      for (const char* factor : {"dd_factor", "dn_factor", "nd_factor"}) toggles.set(factor, 1e-12);
      all.push_back(toggles);
    }
  }
  examine_answers(all, source, *graph,
                  {0, kBetween / 2, kBetween - 1, kBetween, kBetween + 1, kBetween + 3});
}

// Levels of few vertices, which claim them one by one, become ones of many and of few again: there
// are no delegates, and more vertices at once than are few.
TEST_P(EngineInOneKernel, AnswersRightWhereLevelsOfFewVerticesGrow) {
  constexpr std::uint64_t kFew = 65'536;
  const GraphName name = GraphName::parse("uniform:vertices=600000,edge_factor=4");
  const CsrGraph graph = load_graph(name, {});
  std::vector<std::uint64_t> sizes;
  for (const level_t level : tests::reference_levels(graph, 7)) {
    if (level == kUnreached) continue;
    if (level >= sizes.size()) sizes.resize(level + std::size_t{1});
    ++sizes[level];
  }
  ASSERT_GT(std::ranges::max(sizes), 4 * kFew);
  ASSERT_LT(sizes.back(), kFew);
  const GraphSource source{nullptr, name.canonical, nullptr};
  Toggles toggles = in_one_kernel();
  toggles.set("threshold", std::int64_t{32});
  examine_answers({toggles}, source, graph, {7, 599'999});
}

// Duplicates and self-loops kept, and a graph of one direction.
TEST_P(EveryDistributedEngine, KeepsWhatTheRecipeKeeps) {
  unsigned turn = 0;
  for (const char* text :
       {"kronecker:scale=8,edge_factor=8,self_loops=keep,duplicates=keep",
        "uniform:vertices=500,edge_factor=6,symmetrize=false", "star:vertices=701"}) {
    const GraphName name = GraphName::parse(text);
    const CsrGraph graph = load_graph(name, {});
    if (!graph.symmetric() && !GetParam()->can.directed) continue;
    for (const Answer answer : kAnswers) {
      SCOPED_TRACE(text);
      const GraphSource source{nullptr, name.canonical, nullptr};
      const std::vector<unsigned> gpus = tests::gpus_to_try();
      const unsigned members = gpus[++turn % gpus.size()];
      const bool ran = examine(defaults(), answer, members, source, graph, {0, 3, 100});
      EXPECT_TRUE(ran || can_refuse(members)) << "the default must not refuse";
    }
  }
}

// More members than kernels that meet may have, and than one kernel combines the masks of. They
// share the GPUs that there are, in one process or in two.
TEST_P(EveryDistributedEngine, AnswersRightOnSixtySixMembers) {
  constexpr unsigned kMembers = 66;
  const unsigned ranks = tests::processes().size();
  if (ranks > 2) GTEST_SKIP() << "one process and two are enough";
  const GraphName name = GraphName::parse("kronecker:scale=7,edge_factor=4");
  const CsrGraph graph = load_graph(name, {});
  const GraphSource source{nullptr, name.canonical, nullptr};
  Toggles toggles = defaults();
  const bool separates = GetParam()->name.starts_with("delegate");
  if (separates) toggles.set("threshold", std::int64_t{4});
  if (toggles.has("transport")) toggles.set("transport", std::string("host"));
  EXPECT_NE(examine(toggles, Answer::parents, kMembers / ranks, source, graph, {1}),
            must_refuse(kMembers / ranks));
  if (!separates || !toggles.has("transport") || ranks > 1) return;
  toggles.set("transport", std::string("peer"));
  toggles.set("mask_reduction", std::string("stripes"));
  EXPECT_TRUE(examine(toggles, Answer::parents, kMembers, source, graph, {1}));
}

// The counts of a level's parts add up to the level.
class Ledger : public LevelSink {
 public:
  [[nodiscard]] bool live() const override { return false; }
  [[nodiscard]] bool counts() const override { return true; }
  void begin(const LevelStart&) override { FAIL() << "told live"; }
  void end(const LevelFacts&) override {}
  void report(const LevelReport& report) override {
    const level_t level = report.start.level;
    if (frontier.size() <= level) {
      frontier.resize(level + 1);
      found.resize(level + 1);
    }
    EXPECT_EQ(level + 1, frontier.size()) << "levels ascend";
    frontier[level] += report.start.frontier_vertices;
    found[level] += report.facts.found_vertices.value();
    EXPECT_TRUE(report.facts.time_ms.has_value());
    levels_ms += report.facts.time_ms.value_or(0);
    EXPECT_LT(report.rank, tests::processes().size());
  }
  void measure(const Measure& measure) override {
    // A member's part has its number behind it.
    if (measure.part.starts_with("phase")) phases_ms += measure.value;
    if (measure.part.starts_with("setup")) setup_ms[measure.metric] += measure.value;
    if (measure.part.starts_with("step")) steps_ms[measure.metric] += measure.value;
    if (measure.part.starts_with("explore")) explored[measure.metric] += measure.value;
    if (measure.metric == "overlap") overlaps_ms.push_back(measure.value);
    if (measure.part.starts_with("partition") && measure.metric == "delegates")
      delegates = static_cast<std::uint64_t>(measure.value);
    if (measure.part.starts_with("bytes")) sent[measure.metric][*measure.level] += measure.value;
  }
  std::vector<std::uint64_t> frontier, found;
  double phases_ms = 0;
  double levels_ms = 0;
  std::uint64_t delegates = 0;
  std::vector<double> overlaps_ms;                        // of members and levels
  std::map<std::string, std::map<level_t, double>> sent;  // bytes of all members
  std::map<std::string, double> setup_ms;
  std::map<std::string, double> steps_ms;  // of kernels that run all levels
  std::map<std::string, double> explored;  // by a GPU, top-down
};

TEST_P(EveryDistributedEngine, TellsItsLevelsInParts) {
  const GraphName name = GraphName::parse("kronecker:scale=9,edge_factor=6");
  const CsrGraph graph = load_graph(name, {});
  const vertex_t source = 1;
  std::vector<std::uint64_t> sizes;
  for (const level_t level : tests::reference_levels(graph, source)) {
    if (level == kUnreached) continue;
    if (sizes.size() <= level) sizes.resize(level + 1);
    ++sizes[level];
  }
  const std::vector<unsigned> counts = tests::gpus_to_try();
  const std::vector<Toggles> all = tellers();
  for (std::size_t i = 0; i < counts.size() * all.size(); ++i) {
    const unsigned gpus = counts[i / all.size()];
    const Toggles& toggles = all[i % all.size()];
    SCOPED_TRACE(toggles.text());
    const auto engine = GetParam()->make({.toggles = toggles,
                                          .answer = Answer::levels,
                                          .ranks = tests::processes().size(),
                                          .gpus_per_rank = gpus,
                                          .processes = &tests::processes()});
    try {
      engine->load({nullptr, name.canonical, nullptr});
    } catch (const Unsupported&) {
      const bool alone = gpus * tests::processes().size() == 1;
      EXPECT_TRUE(can_refuse(gpus) || (!alone && i % all.size() > 0))
          << "only kernels that would share a GPU";
      continue;
    }
    Ledger ledger;
    engine->traverse(source, &ledger);
    if (tests::processes().rank() != 0) {
      EXPECT_TRUE(ledger.frontier.empty()) << "rank 0 is told of all";
      continue;
    }
    ASSERT_GE(ledger.frontier.size(), sizes.size());
    for (std::size_t level = 0; level < ledger.frontier.size(); ++level) {
      const std::uint64_t here = level < sizes.size() ? sizes[level] : 0;
      const std::uint64_t next = level + 1 < sizes.size() ? sizes[level + 1] : 0;
      EXPECT_EQ(ledger.frontier[level], here) << level;
      EXPECT_EQ(ledger.found[level], next) << level;
    }
    if (std::string_view(GetParam()->name).starts_with("delegate")) {
      EXPECT_GT(ledger.setup_ms["subgraphs"], 0);
    }
    if (GetParam()->name == "grid2d-cuda") {
      EXPECT_GE(ledger.explored["lanes"], 32) << "a warp reads the row of the source";
      EXPECT_GE(ledger.explored["claims"], static_cast<double>(sizes[1]));
    } else {
      EXPECT_TRUE(ledger.explored.empty());
    }
    if (ledger.steps_ms.empty()) continue;
    double all_ms = 0;
    for (const auto& [step, ms] : ledger.steps_ms) {
      EXPECT_GE(ms, 0) << step;
      all_ms += ms;
    }
    EXPECT_NEAR(all_ms, ledger.phases_ms, 1e-6) << "each step is in one phase";
    EXPECT_GT(ledger.steps_ms["dn"], 0) << "grids meet after each step";
  }
}

// Every member's phases exceed its levels by what overlaps, and masks are counted as the reduction
// in two phases sends them.
TEST_P(EveryDistributedEngine, CountsMasksAndWhatOverlaps) {
  if (!GetParam()->name.starts_with("delegate")) GTEST_SKIP() << "it reduces no masks";
  const GraphSource source{nullptr, "kronecker:scale=9,edge_factor=6", nullptr};
  for (const char* phases : {"apart", "overlapped"}) {
    for (const char* reduction : {"blocking", "non_blocking"}) {
      for (const unsigned gpus : tests::gpus_to_try()) {
        Toggles toggles = defaults();
        toggles.set("phases", std::string(phases));
        toggles.set("reduction", std::string(reduction));
        toggles.set("threshold", std::int64_t{8});
        SCOPED_TRACE(toggles.text());
        const auto engine = GetParam()->make({.toggles = toggles,
                                              .answer = Answer::levels,
                                              .ranks = tests::processes().size(),
                                              .gpus_per_rank = gpus,
                                              .processes = &tests::processes()});
        engine->load(source);
        Ledger ledger;
        engine->traverse(1, &ledger);
        if (tests::processes().rank() != 0) continue;
        const bool overlapped = phases == std::string("overlapped");
        const bool alone = gpus * tests::processes().size() == 1;
        EXPECT_EQ(ledger.overlaps_ms.empty(), !overlapped);
        double overlap_ms = 0;
        for (const double ms : ledger.overlaps_ms) {
          EXPECT_GE(ms, 0);
          overlap_ms += ms;
        }
        if (!overlapped || alone || reduction == std::string("blocking")) {
          EXPECT_EQ(overlap_ms, 0);
        } else if (!GetParam()->can.gpu) {
          EXPECT_GT(overlap_ms, 0) << "lists travel while hosts reduce";
        }
        EXPECT_NEAR(ledger.phases_ms, ledger.levels_ms + overlap_ms, 1e-6);
        // Groups of 64 delegates on CPUs, of 128 on GPUs.
        const std::uint64_t group = GetParam()->can.gpu ? 128 : 64;
        const std::uint64_t mask_bytes = (ledger.delegates + group - 1) / group * group / 8;
        const auto mask = static_cast<double>(mask_bytes);
        const auto sends =
            static_cast<double>(distributed::masks_sent(tests::processes().size(), gpus));
        EXPECT_EQ(ledger.sent["mask_reduction"].empty(), alone);
        for (const auto& [level, bytes] : ledger.sent["mask_reduction"]) {
          EXPECT_EQ(bytes, sends * mask) << level;
        }
        EXPECT_EQ(ledger.sent["normal_exchange"].empty(), alone);
      }
    }
  }
}

// The tests for compute-sanitizer: one small graph, every kind of answer, two and three members;
// one where they would have GPUs of their own and meet inside kernels, which a sanitizer lets run
// one after the other.
class MembersSanitizer : public EveryDistributedEngine {
 protected:
  static bool meets_in_kernels() { return maps_memory() && gpus_here() > 1; }
  void answers_right(const Toggles& toggles, unsigned odd) {
    const GraphName name = GraphName::parse("kronecker:scale=7,edge_factor=4");
    const CsrGraph graph = load_graph(name, {});
    const GraphSource source{nullptr, name.canonical, nullptr};
    for (unsigned i = 0; i < 3; ++i) {
      const unsigned members = meets_in_kernels() ? 1 : 2 + (i + odd) % 2;
      EXPECT_TRUE(examine(toggles, kAnswers[i], members, source, graph, {1, 100}));
    }
  }
};

TEST_P(MembersSanitizer, AnswersRight) {
  answers_right(defaults(), 0);
  if (defaults().has("exploration")) answers_right(in_equal_shares(), 1);
}

TEST_P(MembersSanitizer, AnswersRightThroughTheHost) {
  Toggles toggles = defaults();
  if (toggles.has("transport")) toggles.set("transport", std::string("host"));
  answers_right(toggles, 1);
}

// A hub whose row is too long for one block, and one neighbour of it in the frontier.
TEST_P(MembersSanitizer, AnswersRightWhereARowIsLong) {
  constexpr vertex_t kLeaves = 140'000;
  std::vector<std::pair<vertex_t, vertex_t>> edges;
  for (vertex_t leaf = 1; leaf <= kLeaves; ++leaf) edges.emplace_back(0, leaf);
  const auto graph = tests::make_graph(kLeaves + 1, edges);
  const GraphSource source{&*graph, "", nullptr};
  const unsigned members = meets_in_kernels() ? 1 : 2;
  EXPECT_TRUE(examine(defaults(), Answer::parents, members, source, *graph, {kLeaves / 2}));
  if (defaults().has("launch")) {
    EXPECT_TRUE(examine(in_one_kernel(), Answer::parents, 1, source, *graph, {kLeaves / 2}));
  }
  if (defaults().has("exploration")) {
    EXPECT_TRUE(examine(in_equal_shares(), Answer::parents, 2, source, *graph, {kLeaves / 2}));
  }
}

INSTANTIATE_TEST_SUITE_P(Tiny, MembersSanitizer, testing::ValuesIn(distributed_engines()),
                         name_of_engine);

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(EngineInOneKernel);

INSTANTIATE_TEST_SUITE_P(Registry, EngineInOneKernel, testing::ValuesIn(engines_in_one_kernel()),
                         name_of_engine);

INSTANTIATE_TEST_SUITE_P(Registry, EveryDistributedEngine, testing::ValuesIn(distributed_engines()),
                         name_of_engine);

}  // namespace
}  // namespace bfslab
