// BFSLAB_HOST_DEVICE marks arithmetic that a GPU's code shares, bit for bit. A plain C++ compiler
// sees nothing of it.
#pragma once

#ifdef __CUDACC__
#define BFSLAB_HOST_DEVICE __host__ __device__
#else
#define BFSLAB_HOST_DEVICE
#endif
