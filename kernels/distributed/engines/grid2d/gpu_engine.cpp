// SPDX-License-Identifier: Apache-2.0
// Makes grid2d-cuda: a GPU, a transport and a search for each member.
#include <utility>

#include "kernels/distributed/check/gpu_check.hpp"
#include "kernels/distributed/engines/grid2d/gpu_work.hpp"
#include "kernels/distributed/engines/grid2d/search.hpp"

namespace bfslab::distributed::grid2d {
namespace {

std::unique_ptr<MemberSearch> make_member(Member& member, const EdgeShare& share,
                                          const EngineSettings& settings) {
  const Grid grid = choose_grid(member, share, settings);
  const auto gpu = std::make_shared<const MemberGpu>(member);
  std::unique_ptr<Communicator> bulk;
  if (grid.members() > 1) {
    const Transport transport = transport_named(settings.toggles.choice("transport"));
    bulk = make_device_communicator(transport, *member.all, *gpu);
  }
  Communicator& over = bulk ? *bulk : *member.all;
  const auto block = [&](const BlockPlan& plan) {
    return make_gpu_block(member, share, plan, gpu, over);
  };
  auto search = make_search(member, share, settings, grid, block, std::move(bulk));
  search->check_by(std::make_unique<GpuAnswerChecker>(share, search->ownership(), *gpu, over));
  return search;
}

[[maybe_unused]] const bool supplied =
    make_gpu_engine.supply([](const EngineSettings& settings) -> std::unique_ptr<Engine> {
      return std::make_unique<DistributedEngine>(settings, make_member);
    });

}  // namespace
}  // namespace bfslab::distributed::grid2d
