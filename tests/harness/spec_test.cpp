// SPDX-License-Identifier: Apache-2.0
// The parsed form of good specs; canonical text and hash; files.
#include "harness/spec/spec.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "harness/spec/growth.hpp"
#include "tests/harness/spec_texts.hpp"

namespace bfslab {

namespace {

namespace fs = std::filesystem;

const fs::path kSource = BFSLAB_SOURCE_DIR;

TEST(Spec, DefaultsAreTheHeaders) {
  const Spec spec = parse(R"("base": {"engine": "hybrid"})");
  EXPECT_EQ(spec.sources.rule, SourceRule::Rule::largest_component);
  EXPECT_EQ(spec.sources.count, 16U);
  EXPECT_EQ(spec.repeats.minimum, 1U);
  EXPECT_EQ(spec.repeats.maximum, 1U);
  EXPECT_EQ(spec.repeats.warmup, 1U);
  EXPECT_EQ(spec.repeats.burst, 1U);
  EXPECT_EQ(spec.repeats.invocations, 1U);
  EXPECT_EQ(spec.answer, Answer::levels);
  EXPECT_EQ(spec.check, CheckMode::first);
  EXPECT_TRUE(spec.record_time);
  EXPECT_FALSE(spec.record_levels);
  EXPECT_FALSE(spec.record_energy);
  EXPECT_FALSE(spec.cold_caches);
  EXPECT_TRUE(spec.interleave);
  EXPECT_FALSE(spec.isolate);
  EXPECT_EQ(spec.pollution.limit_pct, 10);
  EXPECT_EQ(spec.pollution.attempts, 3U);
  EXPECT_EQ(spec.configurations.at(0).case_name, "hybrid");
}

TEST(Spec, EveryKeyArrives) {
  const Spec spec = load_spec((kSource / "tests/data/specs/good/everything.json").string());
  EXPECT_EQ(spec.name, "every-key_1.0");
  EXPECT_EQ(spec.paper, "cs406");
  EXPECT_EQ(spec.item, "Table 3");
  EXPECT_EQ(spec.title, "Größe – a title with é and \"quotes\"");
  ASSERT_EQ(spec.graphs.size(), 3U);
  EXPECT_EQ(spec.graphs[1].stand_in_for, "europe_osm");
  EXPECT_EQ(spec.graphs[1].name.value("removed"), "0.1");
  EXPECT_EQ(spec.graphs[1].max_sources, 3U);
  EXPECT_EQ(spec.sources.rule, SourceRule::Rule::largest_component);
  EXPECT_EQ(spec.sources.count, 4U);
  EXPECT_EQ(spec.sources.seed, 7U);
  EXPECT_EQ(spec.repeats.warmup, 2U);
  EXPECT_EQ(spec.repeats.burst, 3U);
  EXPECT_EQ(spec.repeats.minimum, 2U);
  EXPECT_EQ(spec.repeats.maximum, 9U);
  EXPECT_EQ(spec.repeats.relative_error_pct, 2.5);
  EXPECT_EQ(spec.repeats.budget_s, 10);
  EXPECT_EQ(spec.answer, Answer::both);
  EXPECT_EQ(spec.baseline, "Top-down");
  ASSERT_EQ(spec.configurations.size(), 6U);
  EXPECT_EQ(spec.configurations[2].case_name, "Hybrid (5 %)");
  EXPECT_EQ(spec.configurations[3].toggles.integer("threads"), 2);
  EXPECT_TRUE(spec.record_time);
  EXPECT_TRUE(spec.record_levels);
  EXPECT_FALSE(spec.record_energy);
  EXPECT_TRUE(spec.cold_caches);
  EXPECT_EQ(spec.check, CheckMode::all);
  EXPECT_EQ(spec.figures, (std::vector<std::string>{"engines_by_graph", "edges_per_level"}));
  EXPECT_TRUE(spec.isolate);
  EXPECT_FALSE(spec.interleave);
  EXPECT_EQ(spec.limits.trial_s, 1.5);
  EXPECT_EQ(spec.limits.memory_mib, 512U);
  EXPECT_EQ(spec.pollution.limit_pct, 5);
  EXPECT_EQ(spec.pollution.attempts, 4U);
}

TEST(Spec, ListedSources) {
  const Spec spec = parse(R"("sources": [4, 0, 8], "base": {"engine": "hybrid"})");
  EXPECT_EQ(spec.sources.rule, SourceRule::Rule::listed);
  EXPECT_EQ(spec.sources.listed, (std::vector<vertex_t>{4, 0, 8}));
  EXPECT_EQ(spec.sources.count, 3U);
}

TEST(Spec, AGraphMayHaveTheFirstFewSourcesOnly) {
  const auto of_sources = [](const std::string& sources, unsigned own = 2) {
    return parse_spec(R"({"name": "s", "base": {"engine": "hybrid"}, "sources": )" + sources +
                          R"(, "graphs": ["path:vertices=12",
                             {"name": "path:vertices=10", "sources": )" +
                          std::to_string(own) + "}]}",
                      "F");
  };
  const Spec drawn = of_sources(R"({"count": 3})");
  EXPECT_EQ(drawn.sources_of(drawn.graphs[0]).count, 3U);
  EXPECT_EQ(drawn.sources_of(drawn.graphs[1]).count, 2U);
  const Spec listed = of_sources("[4, 0, 8]");
  EXPECT_EQ(listed.sources_of(listed.graphs[0]).listed, (std::vector<vertex_t>{4, 0, 8}));
  EXPECT_EQ(listed.sources_of(listed.graphs[1]).listed, (std::vector<vertex_t>{4, 0}));
  EXPECT_EQ(listed.sources_of(listed.graphs[1]).count, 2U);
  const Spec named = of_sources(R"({"ids": [40, 9007199254740991, 80]})");
  EXPECT_EQ(named.sources.rule, SourceRule::Rule::ids);
  EXPECT_EQ(named.sources_of(named.graphs[0]).ids,
            (std::vector<std::uint64_t>{40, 9007199254740991, 80}));
  EXPECT_EQ(named.sources_of(named.graphs[1]).ids,
            (std::vector<std::uint64_t>{40, 9007199254740991}));
  EXPECT_EQ(named.sources_of(named.graphs[1]).count, 2U);
  // A source that is not searched from need not be a vertex of the graph.
  EXPECT_EQ(of_sources("[4, 0, 10]", 2).graphs.size(), 2U);
  EXPECT_THROW(of_sources("[4, 0, 10]", 3), InputError);
  // Where the experiment has fewer, so has the graph.
  const Spec one = of_sources(R"({"count": 1})");
  EXPECT_EQ(one.sources_of(one.graphs[1]).count, 1U);
}

TEST(Spec, HashSeesMeaningNotLayout) {
  const Spec one = parse(R"("repeats": 3, "base": {"engine": "hybrid", "threads": 2})");
  const Spec two = parse_spec(R"({
    "$schema": "elsewhere.json", "base": {"threads": 2.0, "engine": "hybrid"}, "repeats": 3.0,
    "graphs": ["path:vertices=9"], "name": "s"})",
                              "another file");
  EXPECT_EQ(one.canonical, two.canonical);
  EXPECT_EQ(one.hash, two.hash);
  EXPECT_EQ(one.hash.size(), 16U);
  const Spec other = parse(R"("repeats": 4, "base": {"engine": "hybrid", "threads": 2})");
  EXPECT_NE(one.hash, other.hash);
}

TEST(Spec, HashLeavesOutWhatIsDrawnAndNamed) {
  const Spec plain = parse(R"("cases": {"A": {"engine": "hybrid"}, "B": {"engine": "ligra"}})");
  const Spec drawn = parse(R"("cases": {"A": {"engine": "hybrid"}, "B": {"engine": "ligra"}},
    "paper": "xbfs", "item": "Table 1", "title": "a title", "baseline": "B",
    "figure": ["engines_by_graph", "a_module_to_come"])");
  EXPECT_EQ(plain.hash, drawn.hash);
  EXPECT_NE(plain.canonical, drawn.canonical);
  for (const char* key : {R"("warmup": 2)", R"("sources": {"count": 3})", R"("check": "all")"}) {
    const std::string cases = R"("cases": {"A": {"engine": "hybrid"}, "B": {"engine": "ligra"}}, )";
    EXPECT_NE(parse(cases + key).hash, plain.hash) << key;
  }
}

TEST(Growth, OnlyAChangedProtocolIsADifference) {
  const auto change = [](const std::string& recorded, const std::string& wanted) {
    const auto found = protocol_change(parse(recorded).canonical, parse(wanted).canonical);
    return found ? found->key + ": " + found->recorded + " -> " + found->wanted : std::string();
  };
  const std::string engine = R"("base": {"engine": "hybrid"}, )";
  const auto of = [&](const std::string& a, const std::string& b) {
    return change(engine + a, engine + b);
  };
  EXPECT_EQ(of(R"("repeats": 1)", R"("repeats": 3.0, "title": "x", "sources": {"count": 99})"), "");
  EXPECT_EQ(of(R"("warmup": 1)", R"("check": "first")"), "");  // the defaults
  EXPECT_EQ(of(R"("warmup": 1)", R"("warmup": 0)"), "warmup: 1 -> 0");
  EXPECT_EQ(of(R"("repeats": 2)", R"("repeats": {"max": 2, "budget_s": 4})"),
            "repeats.budget_s: 0 -> 4");
  EXPECT_EQ(of(R"("sources": [1])", R"("sources": [1, 2])"), "");
  EXPECT_EQ(of(R"("sources": [1])", R"("sources": {"count": 1})"), "sources: [1] -> {\"count\":1}");
  const auto split = [&](const char* a, const char* b) {
    const auto text = [](const std::string& numbers) {
      const auto slash = numbers.find('/');
      return R"("repeats": )" + numbers.substr(0, slash) + R"(, "invocations": )" +
             numbers.substr(slash + 1);
    };
    return of(text(a), text(b));
  };
  EXPECT_EQ(split("3/1", "9/1"), "");
  EXPECT_EQ(split("3/1", "9/3"), "");
  EXPECT_EQ(split("4/2", "6/3"), "");
  EXPECT_EQ(split("4/2", "8/2"), "repeats / invocations: 2 -> 4");
  EXPECT_EQ(split("4/2", "4/1"), "repeats / invocations: 2 -> 4");
}

TEST(Spec, HashIsTheSameInEveryBuild) {
  // sha256 of the canonical text, by coreutils.
  const Spec spec = parse(R"("base": {"engine": "hybrid"})");
  EXPECT_EQ(spec.canonical,
            "{\n  \"name\": \"s\",\n  \"graphs\": [\n    \"path:vertices=9\"\n  ],\n"
            "  \"base\": {\n    \"engine\": \"hybrid\"\n  }\n}\n");
  EXPECT_EQ(spec.hash, "8908f7fa030820ea");
}

TEST(Spec, CanonicalTextKeepsTheOrderOfCasesAndOverrides) {
  const Spec ba = parse(R"("cases": {"B": {"engine": "hybrid"}, "A": {"engine": "ligra"}})");
  const Spec ab = parse(R"("cases": {"A": {"engine": "ligra"}, "B": {"engine": "hybrid"}})");
  EXPECT_NE(ba.hash, ab.hash);  // the order of the rows
  const Spec set = parse_spec(ba.canonical, "F", {"repeats=2"});
  EXPECT_NE(set.canonical.find("\"repeats\": 2"), std::string::npos);
  EXPECT_EQ(parse_spec(set.canonical, "spec.json").hash, set.hash);  // written beside the rows
}

TEST(Spec, FilesThatAreNotThere) {
  const fs::path folder = kSource / "tests/data/specs/good";
  const auto message = [](const fs::path& path) -> std::string {
    try {
      load_spec(path.string());
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(message(folder / "minmal.json"),
            (folder / "minmal.json").string() +
                ": cannot be read: No such file or directory; did you mean \"" +
                (folder / "minimal.json").string() + "\"?");
  EXPECT_EQ(message(folder), folder.string() + ": found a folder, expected a spec (a JSON file)");
}

TEST(Spec, NoEngineHasAKeyThatSpecsUseThemselves) {
  for (const EngineInfo* engine : engines()) {
    for (const Toggle& toggle : engine->toggles) {
      for (const char* taken : {"engine", "preset", "sweep", "illegal"}) {
        EXPECT_NE(toggle.name, taken) << engine->name;
      }
      // A counter may count for so many ranks; an engine runs as them.
      if (engine->counts()) continue;
      EXPECT_NE(toggle.name, "ranks") << engine->name;
      EXPECT_NE(toggle.name, "gpus_per_rank") << engine->name;
    }
  }
}

TEST(Schema, FileInExperimentsIsFresh) {
  EXPECT_EQ(read(kSource / "experiments/spec.schema.json"), spec_schema())
      << "regenerate it: bfslab check --schema > experiments/spec.schema.json (make schema)";
}

TEST(Schema, SaysNothingOfThisMachine) {
  const std::string schema = spec_schema();
  EXPECT_EQ(schema.find(BFSLAB_SOURCE_DIR), std::string::npos);
  EXPECT_EQ(spec_schema(), schema);
}

}  // namespace

}  // namespace bfslab
