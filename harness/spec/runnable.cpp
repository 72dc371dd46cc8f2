// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/runnable.hpp"

#include "datasets/graph/types.hpp"
#include "kernels/device_services.hpp"

namespace bfslab {

std::string cannot_make(const Configuration& configuration, Answer answer) {
  const EngineInfo& engine = *configuration.engine;
  if (engine.counts() || configuration.ranks > 1) return {};
  const bool needs_gpu = engine.can.gpu && gpu::pci_bus_id().empty();
  if (!needs_gpu && !engine.can.external) return {};
  try {
    static_cast<void>(engine.make({configuration.toggles, answer, 1, configuration.gpus_per_rank}));
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

}  // namespace bfslab
