// SPDX-License-Identifier: Apache-2.0
// Team: the members of one process, each a thread with its own communicator, and their connection
// to members of other processes. Collective calls have two phases, like the mask reduction of
// scalable-bfs, section V-A: first through the memory of the process, then among processes by one
// thread of each.
//
// Cost model: a call within a process takes two or three barriers of its threads. These spin for a
// short while (a microsecond if each has a core) and then sleep. Threads divide reductions into
// stripes of words; lists within a process are read in place, not copied. Between two calls of
// run() the threads stay awake for 0.2 s if they are at most half as many as the cores. Among
// processes a call costs the transport's call, and for lists one copy on each side.
#pragma once

#include <functional>
#include <memory>

#include "kernels/distributed/communicator/communicator.hpp"
#include "kernels/distributed/communicator/processes.hpp"

namespace bfslab::distributed {

// The place of a member among ranks x gpus_per_rank.
struct Member {
  unsigned rank = 0;
  unsigned ranks = 1;
  unsigned gpu = 0;
  unsigned gpus_per_rank = 1;
  Communicator* all = nullptr;  // every member; valid as long as the team

  [[nodiscard]] unsigned index() const { return gpu * ranks + rank; }
  [[nodiscard]] unsigned count() const { return ranks * gpus_per_rank; }
};

class Team {
 public:
  // Collective over the processes. `processes` outlives the team. Several teams may alternate.
  Team(Processes& processes, unsigned gpus_per_rank);
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;
  ~Team();

  // Runs `work` on every member of this process, member 0 on the calling thread, and returns when
  // all have ended. Every process calls it. If a member throws, the others leave at their next call
  // on a communicator, and run() throws the first exception. With other processes, which do not
  // learn of it, the team is then unusable.
  void run(const std::function<void(Member&)>& work);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace bfslab::distributed
