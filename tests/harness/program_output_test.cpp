#include "harness/observe/program_output.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <csignal>
#include <filesystem>

#include "tests/datasets/temporary_folder.hpp"

namespace bfslab {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLong{60'000};

TEST(ProgramOutput, IsWhatAProgramPrintsThatEndsWell) {
  EXPECT_EQ(program_output({"printf", "%s|", "one word", "$HOME", "a;b"}, kLong),
            "one word|$HOME|a;b|");               // no shell has read it
  EXPECT_EQ(program_output({"cat"}, kLong), "");  // its input is empty
  EXPECT_EQ(program_output({"sh", "-c", "echo lost; exit 3"}, kLong), "");
  EXPECT_EQ(program_output({"sh", "-c", "echo lost; kill -9 $$"}, kLong), "");
  EXPECT_EQ(program_output({"no-such-program-anywhere"}, kLong), "");
}

// The program writes its number, then hangs, with its output open or closed.
TEST(ProgramOutput, AProgramThatHangsIsKilledWithWhatItStarted) {
  const test::TemporaryFolder folder;
  for (const char* hang : {"sleep 1000", "exec >&-; sleep 1000"}) {
    const std::string file = folder.file("number");
    const std::string script = "echo text; echo $$ > " + file + "; " + hang;
    EXPECT_EQ(program_output({"sh", "-c", script}, milliseconds(300)), "") << hang;
    const std::string number = test::read_bytes(file);
    ASSERT_FALSE(number.empty()) << hang;
    EXPECT_EQ(kill(-std::stoi(number), 0), -1) << hang;
    EXPECT_EQ(errno, ESRCH) << hang;
    std::filesystem::remove(file);
  }
}

TEST(ProgramOutput, AnOutputWithoutAnEndIsNone) { EXPECT_EQ(program_output({"yes"}, kLong), ""); }

}  // namespace

}  // namespace bfslab
