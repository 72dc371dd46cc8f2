// SPDX-License-Identifier: Apache-2.0
// Tests of memory that members of several processes map.
#pragma once

#include <functional>
#include <mutex>
#include <string>

#include "kernels/distributed/communicator/device_communicator.hpp"
#include "kernels/unsupported.hpp"
#include "tests/distributed/members.hpp"

namespace bfslab::tests {

// Runs `work` on every member of a team, with its GPU. Returns the refusal of members whose
// processes share a GPU, since not every machine lets one process map memory that another has on
// the same GPU; empty if there was none. Another refusal is thrown on, and fails the test.
inline std::string refusal_of_sharing(
    unsigned turn,
    const std::function<void(distributed::Member&, const distributed::MemberGpu&)>& work) {
  std::mutex mutex;
  std::string refused;
  on_a_team(turn, [&](distributed::Member& me) {
    const distributed::MemberGpu gpu(me);
    const bool share = processes().size() > 1 && me.all->maximum(gpu.shared() ? 1 : 0) > 0;
    try {
      work(me, gpu);
    } catch (const Unsupported& refusal) {  // by all members alike
      if (!share) throw;
      const std::scoped_lock lock(mutex);
      refused = std::string("processes share a GPU here, and ") + refusal.what();
    }
  });
  return refused;
}

}  // namespace bfslab::tests
