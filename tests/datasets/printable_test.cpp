// SPDX-License-Identifier: Apache-2.0
#include "datasets/text/printable.hpp"

#include <gtest/gtest.h>

namespace bfslab {

namespace {

TEST(Printable, ControlCharactersAndOtherBytesAreEscaped) {
  EXPECT_EQ(printable("a\x1b[31m\t\x7f\n"), "a\\x1b[31m\\x09\\x7f\\x0a");
  EXPECT_EQ(printable_lines("a\n\rb"), "a\n\\x0db");
  EXPECT_EQ(printable("\xc2\x9b"), "\\xc2\\x9b");  // U+009B, which begins a sequence as ESC [ does
  EXPECT_EQ(printable("\xc2\xa0\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"),
            "\xc2\xa0\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
  EXPECT_EQ(printable("\xff\xc3"), "\\xff\\xc3");
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
