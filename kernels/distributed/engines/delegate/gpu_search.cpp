// SPDX-License-Identifier: Apache-2.0
#include "kernels/distributed/engines/delegate/search.hpp"

#include <fmt/format.h>

#include <utility>

#include "kernels/distributed/check/gpu_check.hpp"
#include "kernels/distributed/communicator/device_communicator.hpp"
#include "kernels/distributed/engines/delegate/places.hpp"
#include "kernels/unsupported.hpp"

namespace bfslab::distributed::delegate {

namespace {

// Delegates where visits look backward: a word of 32 bits has a delegate's number and another bit.
constexpr std::uint64_t kMaxLookedAt = std::uint64_t{1} << 31;

// The subgraphs, by place, and the GPU on which they lie.
struct OnGpu : DeviceSubgraphs {
  std::shared_ptr<const MemberGpu> gpu;
  Places places;
};

std::unique_ptr<MemberSearch> make_on_gpu(Member& member, const EdgeShare& share,
                                          std::uint64_t threshold, DelegateOrder order,
                                          Transport transport, bool two_phases,
                                          const WorkSettings& work,
                                          const SearchSettings& settings) {
  if (work.team_memory == TeamMemory::symmetric && member.gpus_per_rank > 1) {
    throw Unsupported(
        "launch=nvshmem: NVSHMEM has one GPU in a process: run as several ranks (ranks) of one "
        "GPU, or choose launch=persistent or host");
  }
  SetupTimes times;
  const auto gpu = std::make_shared<const MemberGpu>(member);
  std::unique_ptr<Communicator> data;
  if (member.count() > 1) {
    std::optional<RankShape> shape;
    if (two_phases) shape = {member.ranks, member.gpus_per_rank};
    data = make_device_communicator(transport, *member.all, *gpu, shape);
  }
  Communicator& over = data ? *data : *member.all;
  times.end("communicator");

  DeviceSubgraphs subgraphs =
      make_device_subgraphs(member, share, threshold, order, *gpu, over, {}, std::move(times),
                            work.one_kernel ? DdKeepers::stripes : DdKeepers::vertices);
  const auto graph = std::make_shared<OnGpu>(OnGpu{std::move(subgraphs), gpu, {}});
  graph->places = take_places(*graph, member.index(), member.count(), gpu->stream());
  graph->times.end("places");
  if (work.backward && graph->delegate_count() > kMaxLookedAt) {
    throw Unsupported(
        fmt::format("delegate-cuda: threshold={} makes {} delegates, and where directions are "
                    "chosen there is room for 2^31: raise it, or set direction_optimized=false",
                    threshold, graph->delegate_count()));
  }
  auto local = make_gpu_work(*graph, graph->places, *gpu, member, work);
  graph->times.end("arrays");
  auto search = make_search(member, graph, std::move(local), std::move(data), settings);
  search->check_by(std::make_unique<GpuAnswerChecker>(share, search->ownership(), *gpu, over));
  return search;
}

[[maybe_unused]] const bool supplied = make_gpu_search.supply(make_on_gpu);

}  // namespace

}  // namespace bfslab::distributed::delegate
