// SPDX-License-Identifier: Apache-2.0
// NVSHMEM's symmetric heap: each process has a heap on its GPU, and collective allocations have the
// same offset in all heaps. GPUs joined by NVLink or a bus, on one machine or on several with
// NVLink switches, can address each other's heaps. Kernels use only these addresses, so no NVSHMEM
// code is compiled into them.
#include <fmt/format.h>
#include <nvshmem_host.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <optional>
#include <span>

#include "kernels/cuda/device/error.hpp"
#include "kernels/distributed/communicator/team_heap.hpp"
#include "kernels/unsupported.hpp"

namespace bfslab::distributed {

namespace {

// The processes that joined NVSHMEM. All processes of a launcher join once and never leave, since a
// failed process would keep the others waiting.
struct Joined {
  unsigned members;
  unsigned index;
  int device;
  bool operator==(const Joined&) const = default;
};
std::optional<Joined> joined;

// Joins NVSHMEM. Returns 0, or the NVSHMEM error number.
int join(Communicator& all) {
  // Kernels use only addresses, so NVSHMEM needs no network beside NVLink, no NVLink multicast and
  // no NCCL collectives. Settings of the user take precedence.
  setenv("NVSHMEM_REMOTE_TRANSPORT", "none", 0);
  setenv("NVSHMEM_DISABLE_NVLS", "1", 0);
  setenv("NVSHMEM_DISABLE_NCCL", "1", 0);
  nvshmemx_uniqueid_t id = NVSHMEMX_UNIQUEID_INITIALIZER;
  Word failed = 0;
  if (all.index() == 0) failed = nvshmemx_get_uniqueid(&id) == 0 ? 0 : 1;
  if (all.maximum(failed) > 0) return 1;
  all.broadcast(std::as_writable_bytes(std::span(&id, 1)), 0);
  nvshmemx_init_attr_t settings = NVSHMEMX_INIT_ATTR_INITIALIZER;
  const int set = nvshmemx_set_attr_uniqueid_args(static_cast<int>(all.index()),
                                                  static_cast<int>(all.size()), &id, &settings);
  if (all.maximum(set == 0 ? 0 : 1) > 0) return set == 0 ? 1 : set;
  return nvshmemx_hostlib_init_attr(NVSHMEMX_INIT_WITH_UNIQUEID, &settings);
}

class SymmetricHeap final : public TeamHeap {
 public:
  SymmetricHeap(Communicator& all, const MemberGpu& gpu)
      : all_(all), exceptions_(std::uncaught_exceptions()) {
    const Joined now{all.size(), all.index(), gpu.device()};
    if (all.minimum(!joined || *joined == now ? 1 : 0) == 0) {
      throw Unsupported(
          "launch=nvshmem: these processes have joined NVSHMEM as others before, or with other "
          "GPUs: run them as an experiment of their own");
    }
    if (joined) return;
    const int failed = join(all);
    if (all.maximum(failed == 0 ? 0 : 1) > 0) {
      throw Unsupported(fmt::format(
          "launch=nvshmem: NVSHMEM cannot be started here ({}; what it printed is in worker.log): "
          "choose launch=persistent or host",
          failed == 0 ? std::string("another process failed") : fmt::format("error {}", failed)));
    }
    joined = now;
  }

  ~SymmetricHeap() override {
    static_cast<void>(cudaDeviceSynchronize());  // waits for kernels that read the memory
    // nvshmem_free is collective: after a failure others do not call it, so nothing is freed.
    if (std::uncaught_exceptions() > exceptions_) return;
    try {
      all_.barrier();
      for (void* each : given_) nvshmem_free(each);
    } catch (const Aborted&) {
    }
  }

  void* allocate(std::size_t bytes) override {
    const std::size_t max_bytes = all_.maximum(bytes);
    if (max_bytes == 0) return nullptr;
    void* const made = nvshmem_malloc(max_bytes);
    if (made != nullptr) {
      given_.push_back(made);
      bytes_ += max_bytes;
    }
    if (all_.minimum(made != nullptr ? 1 : 0) == 0) {
      cuda::throw_error(cudaErrorMemoryAllocation, "nvshmem_malloc", __FILE__, __LINE__, max_bytes);
    }
    return made;
  }

  std::vector<void*> of_all(void* own) override {
    std::vector<void*> addresses(all_.size(), nullptr);
    if (own == nullptr) return addresses;  // null on all members alike
    for (unsigned other = 0; other < addresses.size(); ++other) {
      addresses[other] = nvshmem_ptr(own, static_cast<int>(other));
    }
    const bool can = std::ranges::none_of(addresses, [](void* each) { return each == nullptr; });
    if (all_.minimum(can ? 1 : 0) == 0) {
      throw Unsupported(
          "launch=nvshmem needs GPUs that NVLink joins, so that each has an address of the others' "
          "memory, and these have none: choose launch=host");
    }
    return addresses;
  }

  [[nodiscard]] std::uint64_t bytes() const override { return bytes_; }

 private:
  Communicator& all_;
  std::vector<void*> given_;
  std::uint64_t bytes_ = 0;
  int exceptions_;  // in flight at construction
};

}  // namespace

std::unique_ptr<TeamHeap> make_symmetric_heap(Communicator& all, const MemberGpu& gpu) {
  return std::make_unique<SymmetricHeap>(all, gpu);
}

}  // namespace bfslab::distributed
