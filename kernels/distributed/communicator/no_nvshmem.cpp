// SPDX-License-Identifier: Apache-2.0
// make_symmetric_heap() in a build without NVSHMEM.
#include "kernels/distributed/communicator/team_heap.hpp"
#include "kernels/unsupported.hpp"

namespace bfslab::distributed {

std::unique_ptr<TeamHeap> make_symmetric_heap(Communicator& /*all*/, const MemberGpu& /*gpu*/) {
  throw Unsupported(
      "launch=nvshmem: this bfslab was built without NVSHMEM: install it (pip install "
      "nvidia-nvshmem-cu13) and build again, or choose launch=persistent or host");
}

}  // namespace bfslab::distributed
