// SPDX-License-Identifier: Apache-2.0
// The times, checks and levels in the output of external programs, in the forms that public codes
// print. Every text here is made up.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "harness/external/parse_output.hpp"
#include "kernels/answer.hpp"

namespace bfslab {

namespace {

TimeFormat time_of(const std::string& pattern, double unit_ms, TakeTime take = TakeTime::only) {
  TimeFormat format;
  format.pattern = pattern;
  format.unit_ms = unit_ms;
  format.take = take;
  return format;
}

template <typename Fault, typename Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const Fault& fault) {
    return fault.what();
  }
  return "";
}

TEST(ExternalTime, IsTheNumberInTheLineThatMatches) {
  // XBFS prints seconds, whatever its line says; Tigr and GSWITCH milliseconds.
  EXPECT_DOUBLE_EQ(parse_ms(time_of("Total time of traversal \\(ms\\)=(.+)$", 1000),
                            "alpha = 0.1\nname;Total time of traversal (ms)=0.00125\nended\n"),
                   1.25);
  EXPECT_DOUBLE_EQ(parse_ms(time_of("^Processing finished in (\\S+) \\(ms\\)", 1),
                            "Number of iterations = 6\nProcessing finished in 0.5 (ms).\n"),
                   0.5);
  EXPECT_DOUBLE_EQ(parse_ms(time_of("^([0-9.e-]+)$", 1), "passed\n6.25e-1\n"), 0.625);
  EXPECT_DOUBLE_EQ(parse_ms(time_of("^- Time  = (.+)ms$", 1), "- Error = 0\n- Time  = 0.25ms\n"),
                   0.25);
}

TEST(ExternalTime, IsChosenAmongSeveralAsTheSpecSays) {
  const std::string text = "Traversed time(s) :0.004\t\tTEPS\nTraversed time(s) :0.001\t\tTEPS\n";
  const std::string two = text + "Traversed time(s) :0.002\t\tTEPS\n";
  const auto take = [&](TakeTime which) {
    return parse_ms(time_of("^Traversed time\\(s\\) :([^\\t]+)", 1000, which), two);
  };
  EXPECT_DOUBLE_EQ(take(TakeTime::last), 2);
  EXPECT_DOUBLE_EQ(take(TakeTime::min), 1);
  EXPECT_NEAR(take(TakeTime::mean), 7.0 / 3, 1e-12);
  const std::string message = message_of<std::runtime_error>([&] { take(TakeTime::only); });
  EXPECT_NE(message.find("several times on its standard output: 3 lines match"), std::string::npos);
  EXPECT_NE(message.find("set `take`"), std::string::npos);
}

TEST(ExternalTime, IsRefusedWhereAnyMatchIsNoTime) {
  for (const char* bad : {"t=-1\n", "t=1x\n", "t=nan\n", "t=inf\n", "t=\n"}) {
    const auto parse = [&] {
      parse_ms(time_of("^t=(.*)$", 1, TakeTime::last), bad + std::string("t=1\n"));
    };
    EXPECT_NE(message_of<std::runtime_error>(parse).find("no number from 0"), std::string::npos)
        << bad;
  }
  EXPECT_NE(message_of<std::runtime_error>([] {
              parse_ms(time_of("^t=(.*)$", 1), "u=1\n");
            }).find("no time on its standard output: no lines match"),
            std::string::npos);
}

TEST(ExternalCheck, HasPassedIfALineSaysSo) {
  PassedFormat format;
  format.pattern = "^Current level = [0-9]+ 0 padding=";
  require_passed(format, "status[]:\n\nCurrent level = 7 0 padding=1\n");
  EXPECT_NE(message_of<MalformedAnswer>([&] {
              require_passed(format, "Current level = 7 20 padding=1\n");
            }).find("its own check did not pass: no line of its standard output matches"),
            std::string::npos);
  format.stream = Stream::error;
  EXPECT_NE(message_of<MalformedAnswer>([&] {
              require_passed(format, "");
            }).find("of its standard error"),
            std::string::npos);
}

TEST(ExternalCheck, QuotesTheLastLinesIfNoneSaysThatItHasPassed) {
  PassedFormat format;
  format.pattern = "^errors : 0$";
  const auto refusal = [&](const std::string& text) {
    const std::string message = message_of<MalformedAnswer>([&] { require_passed(format, text); });
    return message.substr(message.find("; ") + 2);
  };
  EXPECT_EQ(refusal(""), "the stream is empty");
  EXPECT_EQ(refusal("\n \n"), "the stream is empty");
  EXPECT_EQ(refusal("errors : 2"), "the stream ends with \"errors : 2\"");
  EXPECT_EQ(refusal("1\n2\n\n3\nerrors : 0\r\n \n"),
            "the stream ends with \"2\", \"3\", \"errors : 0\\x0d\"");
  EXPECT_EQ(refusal(std::string(81, 'a')),
            "the stream ends with \"" + std::string(80, 'a') + "...\"");
}

TEST(ExternalLevels, OfPairsMayEndWithTheProgramsInfinity) {
  LevelsFormat format;  // as Tigr saves them
  format.form = LevelForm::pairs;
  format.unreached = 4294967294;
  const std::vector<level_t> levels = parse_levels(format, "0 1\n1 0\n2 4294967294\n", 4);
  EXPECT_EQ(levels, (std::vector<level_t>{1, 0, kUnreached, kUnreached}));
}

}  // namespace

}  // namespace bfslab
