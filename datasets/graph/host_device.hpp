// SPDX-License-Identifier: Apache-2.0
// BFSLAB_HOST_DEVICE marks arithmetic that GPU code shares, bit for bit. For a plain C++ compiler
// it is empty.
#pragma once

#ifdef __CUDACC__
#define BFSLAB_HOST_DEVICE __host__ __device__
#else
#define BFSLAB_HOST_DEVICE
#endif
