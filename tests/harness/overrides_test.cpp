// SPDX-License-Identifier: Apache-2.0
// --set PATH=VALUE, as users meet it: through parse_spec.
#include <gtest/gtest.h>

#include "harness/spec/spec.hpp"

namespace bfslab {

namespace {

const char* const kSpec = R"({"name": "s", "graphs": ["path:vertices=9"],
  "base": {"engine": "hybrid", "threads": 1}, "cases": {"A.B": {}, "C": {"hints": 0}}})";

Spec with(const std::vector<std::string>& overrides) { return parse_spec(kSpec, "F", overrides); }

std::string refusal(const std::vector<std::string>& overrides) {
  try {
    with(overrides);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Overrides, TakesJsonAndBareWords) {
  EXPECT_EQ(with({"repeats=3"}).repeats.maximum, 3U);
  EXPECT_EQ(with({"name=other"}).name, "other");
  EXPECT_EQ(with({"name=\"quoted\""}).name, "quoted");
  EXPECT_EQ(with({"graphs=[\"path:vertices=4\", \"star:vertices=5\"]"}).graphs.size(), 2U);
  EXPECT_EQ(with({"title=a = b"}).title, "a = b");
}

TEST(Overrides, ReachesIntoObjectsArraysAndQuotedKeys) {
  EXPECT_EQ(with({"base.threads=2"}).configurations[0].toggles.integer("threads"), 2);
  EXPECT_EQ(with({"graphs[0]=star:vertices=7"}).graphs[0].text, "star:vertices=7");
  EXPECT_EQ(with({"cases[\"A.B\"].hints=1"}).configurations[0].toggles.integer("hints"), 1);
}

TEST(Overrides, MakesWhatIsMissingOnTheWay) {
  EXPECT_EQ(with({"sources.count=5"}).sources.count, 5U);
  EXPECT_EQ(with({"cases.New.engine=ligra"}).configurations.size(), 3U);
  EXPECT_EQ(with({"sweep.threads=[1,2]"}).configurations.size(), 4U);
}

TEST(Overrides, TheLastOneWins) { EXPECT_EQ(with({"repeats=3", "repeats=4"}).repeats.maximum, 4U); }

TEST(Overrides, AreAppliedBeforeValidation) {
  EXPECT_EQ(parse_spec(R"({"name": "s", "graphs": [], "base": {"engine": "hybrid"}})", "F",
                       {"graphs=[\"path:vertices=3\"]"})
                .graphs.size(),
            1U);
}

TEST(Overrides, ErrorsNameTheOption) {
  EXPECT_EQ(refusal({"repeats=0"}),
            "--set repeats=0: at `repeats`: found 0, expected an integer from 1 to 1000000, or an "
            "object with min, max, relative_error_pct and budget_s");
  EXPECT_EQ(
      refusal({"base.thread=2"}),
      "--set base.thread=2: at `base.thread`: found unknown key \"thread\", expected a key of "
      "hybrid: engine, threads, rule, threshold, alpha, beta, ratio, claims, hints, leaves_apart, "
      "batch, depth_limit; did you mean "
      "\"threads\"?");
  EXPECT_EQ(refusal({"graphs=path:vertices=3"}).substr(0, 56),
            "--set graphs=path:vertices=3: at `graphs`: found \"path:v");
  EXPECT_EQ(refusal({"cases.C.hints=9", "warmup=x"}),
            "--set cases.C.hints=9: at `cases.C.hints`: found 9, expected an integer from 0 to 4\n"
            "--set warmup=x: at `warmup`: found \"x\", expected an integer from 0 to 1000");
}

TEST(Overrides, RefusesWhatCannotBeApplied) {
  EXPECT_EQ(refusal({"repeats"}), "--set repeats: '=' and a value are missing: --set key=value");
  EXPECT_EQ(refusal({"=3"}), "--set =3: a key is missing in the path");
  EXPECT_EQ(refusal({"graphs[1]=x"}),
            "--set graphs[1]=x: `graphs` is an array of 1: it has no element [1]");
  EXPECT_EQ(refusal({"name.first=x"}),
            "--set name.first=x: `name` is \"s\": it has no key \"first\"");
  EXPECT_EQ(
      refusal({"graphs=[\"a\""}),
      "--set graphs=[\"a\": the value is not JSON: at character 5: found the end of the file, "
      "expected ']' to close the array opened at line 1, column 1");
}

TEST(Overrides, ErrorsOfTheFileComeFirstAndTogether) {
  const std::string text = R"({"nmae": "s", "name": "s", "graphs": ["path:vertices=9"],
 "base": {"engine": "hybrid"}})";
  try {
    parse_spec(text, "F", {"check=never"});
    FAIL();
  } catch (const InputError& error) {
    const std::string message = error.what();
    EXPECT_LT(message.find("F:1:2: at `nmae`"), message.find("--set check=never: at `check`"));
    EXPECT_NE(message.find("--set check=never"), std::string::npos);
  }
}

}  // namespace

}  // namespace bfslab
