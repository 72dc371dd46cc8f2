// SPDX-License-Identifier: Apache-2.0
// What fused/deep.cuh needs of CUDA and of fused/levels.cuh, by threads of the CPU.
#pragma once
