// SPDX-License-Identifier: Apache-2.0
// The environment variables that environment.json keeps beside CUDA_VISIBLE_DEVICES. It keeps no
// others, since they may hold secrets.
#pragma once

#include <nlohmann/json.hpp>

namespace bfslab {

// Returns the settings of OpenMP by name, sorted: OMP_* and GOMP_*.
nlohmann::ordered_json openmp_variables();

// Returns the id of the Slurm job, SLURM_JOB_ID; null outside of one.
nlohmann::ordered_json slurm_job();

// Returns the modules that the user's module system has loaded, LOADEDMODULES, in their order; null
// if it has loaded none, or if there is no such system.
nlohmann::ordered_json loaded_modules();

}  // namespace bfslab
