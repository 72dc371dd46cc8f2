// SPDX-License-Identifier: Apache-2.0
// The search of `delegate` on one member: levels, directions and exchanges over any LocalWork.
#pragma once

#include <memory>

#include "kernels/distributed/engines/delegate/local_work.hpp"

namespace bfslab::distributed::delegate {

struct SearchSettings {
  DirectionRule direction;
  bool local_all_to_all = false;       // L
  bool uniquify = false;               // U
  bool non_blocking_reduction = true;  // IR, else BR
};

// `graph` and `work` are of the same member. `data` moves masks and lists; null where there is one
// member, or where they lie in host memory and the member's own communicator does.
std::unique_ptr<MemberSearch> make_search(Member& member, std::shared_ptr<const Separation> graph,
                                          std::unique_ptr<LocalWork> work,
                                          std::unique_ptr<Communicator> data,
                                          const SearchSettings& settings);

}  // namespace bfslab::distributed::delegate
