// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string_view>

#include "tests/distributed/members.hpp"

namespace bfslab::tests {

namespace {
std::unique_ptr<distributed::Processes> all;
}

distributed::Processes& processes() { return *all; }

std::vector<unsigned> gpus_to_try() {
  if (all->size() > 2) return {1};
  if (all->size() > 1) return {1, 2};
  return {1, 2, 3, 4, 6};
}

void on_a_team(unsigned turn, const std::function<void(distributed::Member&)>& work) {
  const unsigned gpus = gpus_to_try()[turn % gpus_to_try().size()];
  const testing::ScopedTrace trace(__FILE__, __LINE__, fmt::format("{} x {}", all->size(), gpus));
  distributed::Team team(*all, gpus);
  team.run(work);
}

void on_teams(const std::function<void(distributed::Member&)>& work) {
  for (unsigned turn = 0; turn < gpus_to_try().size(); ++turn) on_a_team(turn, work);
}

}  // namespace bfslab::tests

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const bool mpi = argc > 1 && std::string_view(argv[1]) == "--mpi";
  bfslab::tests::all = mpi ? bfslab::distributed::join_mpi() : bfslab::distributed::alone();
  if (bfslab::tests::all->rank() != 0) {  // one file has the report of rank 0
    testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_xml_generator());
  }
  const int failed = RUN_ALL_TESTS();
  // A rank that failed where others did not must not leave them waiting at the end.
  if (failed != 0 && mpi) bfslab::distributed::abort_mpi(1);
  bfslab::tests::all.reset();
  return failed;
}
