// SPDX-License-Identifier: Apache-2.0
// Team: the members of one process, each a thread with a communicator of its own, and their
// connection to the members of other processes. Collective calls have two phases, as the mask
// reduction of scalable-bfs, section V-A, has: within the process through its memory, then among
// the processes by one thread of each.
//
// Cost model: a call in a process takes two or three barriers of its threads, which wait actively
// for a short while (a microsecond where all have a core) and then sleep; reductions are shared out
// among the threads by stripes of words; lists within a process are not copied but read where they
// lie. Between one work and the next the threads stay awake for 0.2 s where they are at most half
// as many as cores. Among processes it takes the transport's call, and for lists one copy on each
// side.
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
  // Collective over the processes. `processes` outlives the team; several teams may take turns.
  Team(Processes& processes, unsigned gpus_per_rank);
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;
  ~Team();

  // Runs `work` on every member of this process, member 0 on the calling thread, and returns when
  // all have ended. Every process calls it. If members throw, the others leave at their next call
  // on a communicator, and the first exception is thrown here. After that the team is of no
  // further use where there are other processes, which know nothing of it.
  void run(const std::function<void(Member&)>& work);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace bfslab::distributed
