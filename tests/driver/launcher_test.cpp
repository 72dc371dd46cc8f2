// SPDX-License-Identifier: Apache-2.0
#include "harness/run/launcher.hpp"

#include <gtest/gtest.h>

#include "datasets/graph/types.hpp"

namespace bfslab {
namespace {

using Words = std::vector<std::string>;

Words command(const std::string& text) { return Launcher(text).command(4, {"bfslab", "worker"}); }

TEST(Launcher, ReplacesWordsWithoutAShell) {
  EXPECT_EQ(command(Launcher::kDefault), (Words{"mpirun", "-n", "4", "bfslab", "worker"}));
  EXPECT_EQ(command("srun --ntasks={ranks} -J'{ranks} of {ranks}' {command} --end"),
            (Words{"srun", "--ntasks=4", "-J4 of 4", "bfslab", "worker", "--end"}));
  EXPECT_EQ(command("mpirun -n {ranks}"), (Words{"mpirun", "-n", "4", "bfslab", "worker"}));
}

TEST(Launcher, SplitsAsAShellDoes) {
  EXPECT_EQ(command(R"( a'b c'"d e"\ f  {ranks} "" '' "\"\\\n" '\' $HOME *)"),
            (Words{"ab cd e f", "4", "", "", "\"\\\\n", "\\", "$HOME", "*", "bfslab", "worker"}));
}

TEST(Launcher, RefusesWhatIsNone) {
  for (const char* bad :
       {"", "  ", "mpirun", "mpirun {ranks} {command} {command}", "{command}", "x {ranks} 'a",
        "x {ranks} \"a", "x {ranks} a\\", "sh -c '{ranks} {command}'"}) {
    EXPECT_THROW(Launcher{bad}, InputError) << bad;
  }
}

TEST(Launcher, KnowsWhetherItIsThere) {
  EXPECT_EQ(Launcher("sh {ranks}").missing(), "");
  EXPECT_EQ(Launcher("/bin/sh {ranks}").missing(), "");
  EXPECT_NE(Launcher("/bin/no-such {ranks}").missing(), "");
  EXPECT_NE(Launcher("no-such {ranks}").missing().find("--launcher"), std::string::npos);
}

}  // namespace
}  // namespace bfslab
