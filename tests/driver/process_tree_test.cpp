// SPDX-License-Identifier: Apache-2.0
#include "harness/observe/process_tree.hpp"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

namespace bfslab {
namespace {

TEST(ProcessTree, SeesChildrenAndTheirs) {
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::prctl(PR_SET_NAME, ") R 1 (");  // a name that looks like what follows it
    const pid_t grandchild = ::fork();
    if (grandchild != 0 && ::write(ready[1], &grandchild, sizeof grandchild) < 0) ::_exit(1);
    while (true) ::pause();
  }
  pid_t grandchild = 0;
  ASSERT_EQ(::read(ready[0], &grandchild, sizeof grandchild), ssize_t{sizeof grandchild});
  const auto has = [](const std::vector<pid_t>& list, pid_t process) {
    return std::ranges::find(list, process) != list.end();
  };
  EXPECT_TRUE(has(children_of(::getpid()), child));
  EXPECT_FALSE(has(children_of(::getpid()), grandchild));
  EXPECT_TRUE(has(descendants_of(::getpid()), grandchild));
  EXPECT_EQ(descendants_of(child), std::vector<pid_t>{grandchild});
  EXPECT_FALSE(has(descendants_of(::getpid()), ::getpid()));
  ::kill(grandchild, SIGKILL);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(descendants_of(child).empty());
  ::close(ready[0]);
  ::close(ready[1]);
}

}  // namespace
}  // namespace bfslab
