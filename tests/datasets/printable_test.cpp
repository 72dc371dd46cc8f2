// SPDX-License-Identifier: Apache-2.0
#include "datasets/text/printable.hpp"

#include <gtest/gtest.h>

namespace bfslab {

namespace {

TEST(Printable, ControlCharactersAndOtherBytesAreEscaped) {
  EXPECT_EQ(printable("a\x1b[31m\t\x7f\n"), "a\\x1b[31m\\x09\\x7f\\x0a");
  EXPECT_EQ(printable_lines("a\n\rb"), "a\n\\x0db");
  EXPECT_EQ(printable("\xc2\x9b"), "\\xc2\\x9b");  // U+009B, which begins a sequence as ESC [ does
  EXPECT_EQ(printable("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"),
            "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
  EXPECT_EQ(printable("\xff\xc3"), "\\xff\\xc3");
}

TEST(Printable, InvisibleCharactersAreEscaped) {
  for (const char* invisible :
       {"\xc2\xa0",     "\xc2\xad",     "\xcd\x8f",     "\xd8\x9c",         "\xe1\x85\x9f",
        "\xe1\xa0\x8e", "\xe2\x80\x83", "\xe2\x80\x8b", "\xe2\x80\x8c",     "\xe2\x80\x8d",
        "\xe2\x80\x8e", "\xe2\x80\xa8", "\xe2\x80\xa9", "\xe2\x80\xae",     "\xe2\x80\xaf",
        "\xe2\x81\xa0", "\xe2\x81\xa6", "\xe2\xa0\x80", "\xe3\x80\x80",     "\xe3\x85\xa4",
        "\xef\xb8\x8f", "\xef\xbb\xbf", "\xef\xbe\xa0", "\xf3\xa0\x80\x81", "\xf0\x9d\x85\xb3"}) {
    const std::string shown = printable("a" + std::string(invisible) + "b");
    for (const char c : shown) EXPECT_TRUE(c > ' ' && c <= '~') << shown;
    EXPECT_EQ(shown.size(), 2 + 4 * std::string_view(invisible).size()) << shown;
    EXPECT_EQ(printable(shown), shown);
  }
  for (const char* visible : {"\xc3\xa9", "\xe2\x80\x90", "\xe2\x80\xa6", "\xe2\x82\xac",
                              "\xe3\x80\x81", "\xe4\xb8\xad", "\xef\xbc\xa1", "\xf0\x9f\x98\x80"}) {
    EXPECT_EQ(printable(visible), visible);
  }
}

TEST(Printable, KnowsUtf8) {
  for (const char* good : {"", "a", "\x7f", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf",
                           "\xee\x80\x80", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_TRUE(is_utf8(good)) << printable(good);
  }
  for (const char* bad :
       {"\x80", "\xc0\x80", "\xc1\xbf", "\xc2", "\xc2\x41", "\xe0\x9f\xbf", "\xed\xa0\x80",
        "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xe2\x82", "a\xff"}) {
    EXPECT_FALSE(is_utf8(bad)) << printable(bad);
  }
}

}  // namespace

}  // namespace bfslab
