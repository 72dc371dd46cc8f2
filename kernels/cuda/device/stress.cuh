// SPDX-License-Identifier: Apache-2.0
// Delays between the steps by which threads change one another's memory. Tools see races in shared
// memory; those in global memory only show under rare timing. Empty unless BFSLAB_STRESS is
// defined, as in the program of the stress tests.
#pragma once

namespace bfslab::cuda {

#ifdef __CUDACC__

// One call in eight sleeps, up to 4 microseconds.
__device__ inline void stress_pause() {
#ifdef BFSLAB_STRESS
  unsigned h = static_cast<unsigned>(clock64()) ^ threadIdx.x * 2654435761U ^ blockIdx.x * 40503U;
  h ^= h >> 13;
  h *= 0x5bd1e995U;
  h ^= h >> 15;
  if ((h & 7U) == 0) __nanosleep(h >> 20);
#endif
}

#endif

}  // namespace bfslab::cuda
