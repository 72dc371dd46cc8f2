// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/engines/fused/answer_map.cuh"

namespace bfslab::cuda {

namespace {

__global__ void __launch_bounds__(kBlockThreads)
    run_map(const __grid_constant__ AnswerMap map, vertex_t source,
            const __grid_constant__ StatusView out) {
  map.put(source, out);
}

}  // namespace

void map_answer(const AnswerMap& map, vertex_t source, const StatusView& out,
                const Stream& stream) {
  BFSLAB_LAUNCH(run_map, blocks_for(map.vertices), stream, map, source, out);
}

}  // namespace bfslab::cuda
