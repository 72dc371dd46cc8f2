// SPDX-License-Identifier: Apache-2.0
// make_nccl_transport() in a build without NCCL.
#include "kernels/distributed/communicator/device_transport.hpp"
#include "kernels/unsupported.hpp"

namespace bfslab::distributed {

std::unique_ptr<Communicator> make_nccl_transport(std::unique_ptr<Communicator> /*owned*/,
                                                  Communicator& /*host*/, const MemberGpu& /*gpu*/,
                                                  std::optional<RankShape> /*two_phases*/) {
  throw Unsupported(
      "transport=nccl: this bfslab was built without NCCL: install libnccl-dev and build again, or "
      "choose transport=peer or host");
}

}  // namespace bfslab::distributed
