// The search of `delegate` on one member: levels, directions and exchanges over any LocalWork.
#pragma once

#include <memory>

#include "kernels/distributed/engines/delegate/local_work.hpp"

namespace bfslab::distributed::delegate {

struct SearchSettings {
  bool direction_optimized = true;
  // To backward, where FV > to_backward * BV; back, where FV < to_forward * BV.
  PerEdgeClass<double> to_backward;
  PerEdgeClass<double> to_forward;
  bool local_all_to_all = false;       // L
  bool uniquify = false;               // U
  bool non_blocking_reduction = true;  // IR, else BR
};

std::unique_ptr<MemberSearch> make_search(Member& member, std::unique_ptr<Subgraphs> graph,
                                          std::unique_ptr<LocalWork> work,
                                          const SearchSettings& settings);

}  // namespace bfslab::distributed::delegate
