// SPDX-License-Identifier: Apache-2.0
#include "harness/record/seal.hpp"

#include <gtest/gtest.h>

#include "datasets/graph/types.hpp"
#include "harness/record/csv.hpp"

namespace bfslab {
namespace {

const std::string kSealed = R"({"format": 3, "sealed": true, "utc": "2026-03-01T12:00:00.123Z"})";

std::string table_of(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::string> lines;
  for (const auto& row : rows) lines.push_back(csv_row(row));
  return sealed_table("f/runs.csv", begun_at(kSealed), {"trial", "reason"}, lines);
}

std::string refused(const std::string& text, const std::string& environment = kSealed) {
  try {
    require_seals(text, "f/runs.csv", environment);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Seal, IsTheChecksumThatDocsRowsDefines) {
  // printf 'runs 2026-03-01T12:00:00.123Z\ntrial,reason' | sha256sum, and so on.
  EXPECT_EQ(table_of({{"0", "a"}, {"1", "b"}}),
            "trial,reason,seal\n0,a,987e1a6273b56bea\n1,b,4bca2c101f06661e\n");
}

TEST(Seal, RowsFollowOneAnotherWithQuotesAndLineEnds) {
  const std::string text = table_of({{"0", "two\nlines"}, {"1", "say \"no\""}, {"2", ""}});
  EXPECT_TRUE(require_seals(text, "f/runs.csv", kSealed));
  EXPECT_TRUE(require_seals(text, "f/runs.csv.gz", kSealed));
  EXPECT_TRUE(require_seals(text + "3,\"torn", "f/runs.csv", kSealed));
  EXPECT_NE(refused(text.substr(0, 18) + text.substr(text.find("1,"))).find("f/runs.csv:2:"),
            std::string::npos);
}

TEST(Seal, EveryChangedByteIsNamedWithItsLine) {
  const std::string text = table_of({{"0", "a"}, {"1", "b"}, {"2", "c"}});
  for (std::size_t at = text.find('\n') + 1; at < text.size(); ++at) {
    if (text[at] == '\n') continue;
    std::string changed = text;
    changed[at] = changed[at] == '7' ? '8' : '7';
    const std::string line = std::to_string(line_of(text, at));
    EXPECT_TRUE(refused(changed).starts_with("f/runs.csv:" + line + ": by its seal")) << changed;
  }
}

TEST(Seal, ATableBelongsToItsNameAndFolder) {
  const std::string text = table_of({{"0", "a"}});
  EXPECT_THROW(require_seals(text, "f/levels.csv", kSealed), InputError);
  EXPECT_THROW(require_seals(text, "f/runs.csv", R"({"sealed": true, "utc": "2026"})"), InputError);
}

TEST(Seal, OnlyAFolderThatSaysNothingOfSealsHasRowsWithout) {
  const std::string plain = "trial,reason\n0,a\n";
  EXPECT_FALSE(require_seals(plain, "f/runs.csv", R"({"format": 2})"));
  EXPECT_FALSE(require_seals(plain, "f/runs.csv", ""));
  EXPECT_NE(refused(plain).find("f/runs.csv:1: has no last column seal"), std::string::npos);
  EXPECT_NE(refused(plain, R"({"format": 3})").find("no last column seal"), std::string::npos);
  EXPECT_TRUE(require_seals("", "f/runs.csv", kSealed));
}

}  // namespace
}  // namespace bfslab
