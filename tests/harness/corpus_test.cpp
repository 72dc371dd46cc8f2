// SPDX-License-Identifier: Apache-2.0
// The corpus of specs, tests/data/specs: every good one loads, every bad one is refused with
// exactly the messages of its .expect file (FILE stands for the spec's path, FOLDER for its folder,
// ABOVE for the one above, ENGINES for the list of all engines: a new one changes no file here).
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "harness/spec/json_value.hpp"
#include "harness/spec/spec.hpp"
#include "tests/harness/spec_texts.hpp"

namespace bfslab {

namespace {

namespace fs = std::filesystem;

const fs::path kCorpus = fs::path(BFSLAB_SOURCE_DIR) / "tests/data/specs";

std::vector<fs::path> specs(const std::string& folder) {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(kCorpus / folder)) {
    if (entry.path().extension() == ".json") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

void replace_all(std::string& text, const std::string& what, const std::string& by) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
}

std::string messages(const fs::path& path) {
  try {
    load_spec(path);
  } catch (const InputError& error) {
    std::string text = std::string(error.what()) + "\n";
    replace_all(text, path, "FILE");
    replace_all(text, path.parent_path(), "FOLDER");
    replace_all(text, kCorpus, "ABOVE");
    return text;
  }
  return "accepted\n";
}

std::string expected_messages(fs::path path) {
  std::string text = read(path.replace_extension(".expect"));
  std::vector<std::string> names;
  for (const EngineInfo* engine : engines()) names.push_back(engine->name);
  replace_all(text, "ENGINES", alternatives(names));
  return text;
}

void expect_messages(const std::string& folder) {
  for (const fs::path& path : specs(folder)) {
    EXPECT_EQ(messages(path), expected_messages(path)) << path;
  }
}

TEST(Corpus, GoodSpecsLoad) {
  for (const fs::path& path : specs("good")) EXPECT_EQ(messages(path), "accepted\n") << path;
}

TEST(Corpus, BadSpecsGetTheirMessages) { expect_messages("bad"); }

TEST(Corpus, SpecsThatOnlyTheParserRefusesGetTheirMessages) {
  expect_messages("bad_beyond_schema");
}

TEST(Corpus, HasNinetySpecs) { EXPECT_GE(specs("good").size() + specs("bad").size(), 90U); }

// One malformed spec for each byte of a good one. Each is refused with a message or accepted, never
// a crash or another exception.
TEST(Corpus, EveryPrefixOfASpecIsRefusedOrderly) {
  const std::string text = read(kCorpus / "good" / "everything.json");
  ASSERT_FALSE(text.empty());
  for (std::size_t size = 0; size + 2 < text.size(); ++size) {
    EXPECT_THROW(parse_spec(text.substr(0, size), "FILE"), InputError) << size;
  }
}

}  // namespace

}  // namespace bfslab
