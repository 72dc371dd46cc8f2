// SPDX-License-Identifier: Apache-2.0
// "extends": what is taken over, what is recorded, and where messages point.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "harness/spec/read.hpp"
#include "harness/spec/spec.hpp"

namespace bfslab {

namespace {

namespace fs = std::filesystem;

// A folder of specs, gone with the test.
class Extends : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() /
              (std::string("bfslab-extends-") + test->name() + '-' + std::to_string(::getpid()));
    fs::create_directories(folder_ / "deep");
    write("base.json", R"({
  "name": "base", "graphs": ["path:vertices=9"], "repeats": 3, "title": "the base",
  "base": {"engine": "hybrid", "threads": 2, "rule": "vertices"},
  "cases": {"A": {"threshold": 0.5}, "B": {"hints": 0}},
  "sources": {"count": 4, "seed": 9}
})");
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text) {
    const fs::path path = folder_ / name;
    std::ofstream(path) << text;
    return path;
  }
  Spec load(const std::string& text, const std::vector<std::string>& overrides = {}) {
    return load_spec(write("spec.json", text), overrides);
  }
  std::string refusal(const std::string& text, const std::vector<std::string>& overrides = {}) {
    try {
      load(text, overrides);
    } catch (const InputError& error) {
      std::string message = error.what();
      for (auto at = message.find(folder_); at != std::string::npos; at = message.find(folder_)) {
        message.erase(at, folder_.string().size() + 1);
      }
      return message;
    }
    return "accepted";
  }

  fs::path folder_;
};

TEST_F(Extends, TopLevelKeysReplaceAndBaseAndCasesAreMergedByKey) {
  const Spec spec = load(R"({"extends": "base.json", "name": "mine", "sources": {"count": 2},
      "base": {"threads": 1}, "cases": {"C": {}, "A": {"hints": 1}}})");
  EXPECT_EQ(spec.name, "mine");
  EXPECT_EQ(spec.title, "the base");
  EXPECT_EQ(spec.repeats.maximum, 3U);
  EXPECT_EQ(spec.sources.count, 2U);
  EXPECT_EQ(spec.sources.seed, 1U);  // of the default: the object is replaced
  ASSERT_EQ(spec.configurations.size(), 3U);
  EXPECT_EQ(spec.configurations[0].case_name, "A");  // where it stood
  EXPECT_EQ(spec.configurations[0].toggles.integer("hints"), 1);
  EXPECT_NE(spec.configurations[0].toggles.real("threshold"), 0.5);  // the case is replaced
  EXPECT_EQ(spec.configurations[1].case_name, "B");
  EXPECT_EQ(spec.configurations[2].case_name, "C");
  for (const Configuration& each : spec.configurations) {
    EXPECT_EQ(each.toggles.integer("threads"), 1);
    EXPECT_EQ(each.toggles.choice("rule"), "vertices");
  }
}

TEST_F(Extends, WhatIsResolvedIsWhatIsHashed) {
  const Spec spec = load(R"({"extends": "base.json", "name": "mine", "repeats": 5})");
  const Spec whole = parse_spec(R"({
    "name": "mine", "graphs": ["path:vertices=9"], "repeats": 5, "title": "the base",
    "base": {"engine": "hybrid", "threads": 2, "rule": "vertices"},
    "cases": {"A": {"threshold": 0.5}, "B": {"hints": 0}}, "sources": {"count": 4, "seed": 9}})",
                                "whole.json");
  EXPECT_EQ(spec.canonical, whole.canonical);
  EXPECT_EQ(spec.hash, whole.hash);
  EXPECT_EQ(parse_spec(spec.canonical, "/nowhere/spec.json").hash, spec.hash);
  EXPECT_EQ(spec.canonical.find("extends"), std::string::npos);
}

TEST_F(Extends, ChainsGoThroughFolders) {
  write("deep/middle.json", R"({"extends": "../base.json", "name": "middle", "warmup": 7})");
  const Spec spec = load(R"({"extends": "deep/middle.json", "name": "mine", "repeats": 1})");
  EXPECT_EQ(spec.repeats.warmup, 7U);
  EXPECT_EQ(spec.configurations.size(), 2U);
  EXPECT_EQ(load_resolved(folder_ / "spec.json")["title"], "the base");
}

TEST_F(Extends, OverridesComeLast) {
  const std::string text = R"({"extends": "base.json", "name": "mine", "repeats": 1})";
  EXPECT_EQ(load(text, {"repeats=2", "cases.B.hints=1"}).repeats.maximum, 2U);
  EXPECT_EQ(refusal(text, {"extends=other.json"}),
            "--set extends=other.json: at `extends`: only a spec's file can have "
            "\"extends\", not an option");
}

TEST_F(Extends, MessagesNameTheFileAndLineThatSaidIt) {
  write("middle.json", R"({"name": "m", "extends": "base.json",
  "base": {"engine": "hybrid", "rule": "beamr"},
  "warmup": -1})");
  EXPECT_EQ(refusal(R"({"extends": "middle.json",
  "name": "mine", "base": {"threds": 1},
  "baseline": "D"})"),
            "spec.json:2:28: at `base.threds`: found unknown key \"threds\", expected a key of "
            "hybrid: engine, threads, rule, threshold, alpha, beta, ratio, claims, hints, "
            "leaves_apart, batch, depth_limit; did you mean "
            "\"threads\"?\n"
            "spec.json:3:15: at `baseline`: found \"D\", expected a case: \"A\" or \"B\"\n"
            "middle.json:2:40: at `base.rule`: found \"beamr\", expected \"work\", \"vertices\", "
            "\"beamer\" or \"edge_ratio\"; did you mean \"beamer\"?\n"
            "middle.json:3:13: at `warmup`: found -1, expected an integer from 0 to 1000");
}

TEST_F(Extends, WhatIsReplacedIsNotAtFault) {
  write("middle.json", R"({"name": "m", "extends": "base.json", "warmup": -1})");
  EXPECT_EQ(load(R"({"extends": "middle.json", "name": "mine", "warmup": 2})").repeats.warmup, 2U);
}

TEST_F(Extends, TextsThatAreNoJsonOrNoObject) {
  write("torn.json", "{\"name\": \"t\",\n \"repeats\": 3,}");
  EXPECT_EQ(refusal(R"({"extends": "torn.json", "name": "mine"})"),
            "torn.json:2:14: found a comma before '}', expected no comma after the last entry");
  write("list.json", "[1]");
  EXPECT_EQ(
      refusal(R"({"extends": "list.json", "name": "mine"})"),
      "list.json:1:1: found an array of 1, expected an object: a spec that spec.json extends");
}

}  // namespace

}  // namespace bfslab
