// SPDX-License-Identifier: Apache-2.0
#include "harness/observe/program_output.hpp"

#include <gtest/gtest.h>

#include <thread>

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

// Not even as a zombie that only its new parent has to bury.
bool lives(const std::string& process) {
  const std::string facts = tests::read_bytes("/proc/" + process + "/stat");
  const std::size_t name = facts.rfind(") ");
  return name != std::string::npos && facts[name + 2] != 'Z' && facts[name + 2] != 'X';
}

TEST(ProgramOutput, AProgramThatHangsIsKilledWithWhatItStarted) {
  const tests::TemporaryFolder folder;
  for (const char* output : {"", "exec >&-; "}) {  // its output open, or closed
    const std::string script = std::string("sleep 1000 & echo text; echo $! > ") +
                               folder.file("child") + "; echo $$ > " + folder.file("program") +
                               "; " + output + "wait";
    EXPECT_EQ(program_output({"sh", "-c", script}, milliseconds(300)), "") << output;
    for (const char* file : {"child", "program"}) {
      std::string process = tests::read_bytes(folder.file(file));
      ASSERT_FALSE(process.empty()) << file;
      process.pop_back();
      while (lives(process)) std::this_thread::sleep_for(milliseconds(1));  // it is being killed
    }
  }
}

TEST(ProgramOutput, AnOutputWithoutAnEndIsNone) { EXPECT_EQ(program_output({"yes"}, kLong), ""); }

}  // namespace

}  // namespace bfslab
