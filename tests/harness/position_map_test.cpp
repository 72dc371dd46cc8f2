// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/position_map.hpp"

#include <gtest/gtest.h>

#include "datasets/graph/types.hpp"
#include "harness/spec/json_path.hpp"

namespace bfslab {

namespace {

TEST(PositionMap, MapsKeysValuesAndElements) {
  const PositionMap map = PositionMap::scan("{\n  \"a\": {\"b\": [1,\n   {\"c.d\": true}]}\n}");
  EXPECT_TRUE(map.errors().empty());
  ASSERT_NE(map.find("a.b"), nullptr);
  EXPECT_EQ(map.find("")->value, (Place{1, 1}));
  EXPECT_EQ(map.find("a")->key, (Place{2, 3}));
  EXPECT_EQ(map.find("a")->value, (Place{2, 8}));
  EXPECT_EQ(map.find("a.b[0]")->value, (Place{2, 15}));
  EXPECT_EQ(map.find("a.b[1][\"c.d\"]")->key, (Place{3, 5}));
  EXPECT_EQ(map.find("a.b[1][\"c.d\"]")->value, (Place{3, 12}));
  EXPECT_EQ(map.find("a.c"), nullptr);
}

TEST(PositionMap, CountsCodePointsNotBytes) {
  const PositionMap map = PositionMap::scan("{\"é→😀\": 1, \"b\": 2}");
  EXPECT_EQ(map.find("é→😀")->value, (Place{1, 9}));
  EXPECT_EQ(map.find("b")->key, (Place{1, 12}));
}

TEST(PositionMap, ReadsEscapedKeys) {
  const PositionMap map = PositionMap::scan(R"({"\u0061\n\ud83d\ude00": 1})");
  EXPECT_TRUE(map.errors().empty());
  EXPECT_NE(map.find("[\"a\n😀\"]"), nullptr);
}

TEST(PositionMap, ReportsADuplicateWithBothPlacesAndKeepsTheLast) {
  const PositionMap map = PositionMap::scan("{\"a\": 1,\n \"a\": 2}");
  EXPECT_TRUE(map.well_formed());
  ASSERT_EQ(map.errors().size(), 1U);
  EXPECT_EQ(map.errors()[0].where, (Place{2, 2}));
  EXPECT_EQ(map.errors()[0].found, "the key \"a\" twice, first at line 1, column 2");
  EXPECT_EQ(map.find("a")->key, (Place{2, 2}));
}

TEST(PositionMap, DepthLimitIsExact) {
  const auto nested = [](unsigned depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_TRUE(PositionMap::scan(nested(PositionMap::kMaxDepth)).well_formed());
  EXPECT_FALSE(PositionMap::scan(nested(PositionMap::kMaxDepth + 1)).well_formed());
}

TEST(PositionMap, RefusesWhatIsTooLarge) {
  const std::string text = "\"" + std::string(PositionMap::kMaxBytes, 'a') + "\"";
  const PositionMap map = PositionMap::scan(text);
  ASSERT_EQ(map.errors().size(), 1U);
  EXPECT_EQ(map.errors()[0].found,
            "more than " + std::to_string(PositionMap::kMaxBytes) + " bytes");
}

TEST(PositionMap, StopsAfterTwentyMistakes) {
  std::string text = "[";
  for (int i = 0; i < 100; ++i) text += "NaN, ";
  EXPECT_EQ(PositionMap::scan(text + "1]").errors().size(), PositionMap::kMaxErrors);
}

TEST(PositionMap, AcceptsEveryFormOfANumber) {
  for (const char* text : {"0", "-0", "12", "-1.5", "1e5", "1E-5", "0.5e+10", "1e-999"}) {
    EXPECT_TRUE(PositionMap::scan(text).well_formed()) << text;
  }
  for (const char* text :
       {"00", "01", "-", "+1", "1.", ".5", "1e", "1e+", "0x1", "1_000", "1e999"}) {
    EXPECT_FALSE(PositionMap::scan(text).well_formed()) << text;
  }
}

TEST(PositionMap, TakesLongNumbers) {
  EXPECT_TRUE(PositionMap::scan("0." + std::string(60, '3')).well_formed());
}

std::string first_error(const std::string& text) {
  const PositionMap map = PositionMap::scan(text);
  const TextError& error = map.errors().at(0);
  return std::to_string(error.where.column) + ": " + error.found;
}

TEST(PositionMap, PointsAtWhatIsWrongInsideAText) {
  EXPECT_EQ(first_error(R"(["é\n\q"])"), "6: the escape \\q");
  EXPECT_EQ(first_error(R"(["\é"])"), "3: the escape \\é");
  EXPECT_EQ(first_error(R"(["ab\u12g4"])"), "5: \\u without four hexadecimal digits");
  EXPECT_EQ(first_error(R"(["ab\u12"])"), "5: \\u without four hexadecimal digits");
  EXPECT_EQ(first_error(R"(["a\ud83dé"])"), "4: half of a surrogate pair");
  EXPECT_EQ(first_error(R"(["\ud83d\u0041"])"), "3: half of a surrogate pair");
  EXPECT_EQ(first_error(R"(["\udc00"])"), "3: half of a surrogate pair");
  EXPECT_EQ(first_error("[\"é\x01\"]"), "4: a control character inside text");
  EXPECT_EQ(first_error("[\"é\xE2\x82\"]"), "4: a byte that is not UTF-8");
  EXPECT_EQ(first_error("[\"é\x80\"]"), "3: a byte that is not UTF-8");  // taken for the é's
  EXPECT_EQ(first_error("[\xFF]"), "2: a byte that is not UTF-8");
  EXPECT_EQ(first_error("[→]"), "2: '→'");
  EXPECT_EQ(first_error("[\"a\\"), "2: text without its closing quote");
}

TEST(PositionMap, RefusesBytesThatAreNoUtf8) {
  for (const char* bytes : {"\x80", "\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80",
                            "\xF5\x80\x80\x80", "\xE2\x82"}) {
    EXPECT_FALSE(PositionMap::scan("\"" + std::string(bytes) + "\"").well_formed());
  }
}

TEST(JsonPath, TextReadsBackAsThePath) {
  for (const char* text : {"a", "a.b[2].c", "[\"x y\"]", "a[\"b.c\"][0]", "cases.Ad+WB.engine",
                           "a[\"q\\\"\\\\\"]", "[\"\"].b"}) {
    std::string_view rest = text;
    EXPECT_EQ(path_text(take_path(rest)), text);
    EXPECT_TRUE(rest.empty());
  }
}

TEST(JsonPath, EndsAtTheEqualsSign) {
  std::string_view rest = "a.b=c=d";
  EXPECT_EQ(path_text(take_path(rest)), "a.b");
  EXPECT_EQ(rest, "=c=d");
}

TEST(JsonPath, RefusesWhatIsNoPath) {
  for (const char* text :
       {"", ".", "a.", "a..b", "a[", "a[x]", "a[-1]", "[\"a", "[\"a\"", "a b=1"}) {
    std::string_view rest = text;
    EXPECT_THROW(take_path(rest), InputError) << text;
  }
}

TEST(JsonPath, Within) {
  EXPECT_TRUE(path_within("a.b", "a"));
  EXPECT_TRUE(path_within("a[1]", "a"));
  EXPECT_TRUE(path_within("a", "a"));
  EXPECT_FALSE(path_within("ab", "a"));
  EXPECT_FALSE(path_within("a", "a.b"));
}

}  // namespace

}  // namespace bfslab
