#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Configures a preset if necessary, and builds targets.
#   scripts/build.sh [--quick] [--tests] PRESET [TARGET...]
# Without a target it only configures.
# --quick leaves CUDA out of a new build folder if there is no GPU to run it;
# --tests looks for GoogleTest again, and leaves the target cpp_tests out if there is none.
#   JOBS                how many compilers at once (default: one per core)
#   BUILD_CUDA          AUTO, ON or OFF
#   CUDA_ARCHITECTURES  native, or one or more as 80,90
#   CMAKE_ARGS          any options of CMake, as a shell reads them
# A folder keeps the last three until others are given.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
unset MAKEFLAGS MAKELEVEL MFLAGS  # of the calling make: its job server is not for our build

quick=no tests=no
while [ $# -gt 0 ]; do
  case "$1" in
    --quick) quick=yes; shift ;;
    --tests) tests=yes; shift ;;
    *) break ;;
  esac
done
preset=$1
shift
folder=build/$preset
without_cuda=$folder/.cuda-left-out-by-quick
arguments=()

# Compares the options asked for with those of the folder.
chosen=()
[ -z "${BUILD_CUDA:-}" ] || chosen+=("-DBFSLAB_CUDA=$BUILD_CUDA")
[ -z "${CUDA_ARCHITECTURES:-}" ] || chosen+=("-DBFSLAB_CUDA_ARCHITECTURES=${CUDA_ARCHITECTURES//[ ,]/;}")
eval "chosen+=(${CMAKE_ARGS:-})"
asked="${chosen[*]:-}"

gpu_here() { timeout 30 nvidia-smi -L >/dev/null 2>&1; }
nvcc_here() { command -v nvcc >/dev/null || [ -x /usr/local/cuda/bin/nvcc ]; }

if [ ! -e "$folder/CMakeCache.txt" ]; then
  if [ -z "${CMAKE_GENERATOR:-}" ] && command -v ninja >/dev/null; then
    arguments+=(-G Ninja)
  fi
  if [[ "$asked" != *-DBFSLAB_CUDA=* ]] && nvcc_here && ! gpu_here; then
    if [ "$quick" = yes ]; then
      mkdir -p "$folder"
      touch "$without_cuda"
      arguments+=(-DBFSLAB_CUDA=OFF)
      echo "build: no GPU here (nvidia-smi -L): CUDA sources are left out; \`make\` builds them" >&2
    elif [ "$preset" = release ] || [ "$preset" = debug ]; then
      echo "build: no GPU here (nvidia-smi -L): CUDA sources are compiled all the same, which takes" \
           "minutes; CUDA=OFF leaves them out" >&2
    fi
  fi
  configure=yes
else
  configure=no
  if [ "$quick" = no ] && [ -e "$without_cuda" ]; then
    rm -f "$without_cuda"
    arguments+=(-DBFSLAB_CUDA=AUTO)
    configure=yes
  fi
fi
# Configured before GoogleTest was installed: AUTO checks again.
if [ "$tests" = yes ] && [ ! -d "$folder/tests" ]; then
  configure=yes
fi
if [ -n "$asked" ] && [ "$(cat "$folder/.options" 2>/dev/null)" != "$asked" ]; then
  configure=yes
fi
if [ "$configure" = yes ]; then
  mkdir -p build
  cmake --preset "$preset" ${arguments[@]+"${arguments[@]}"} ${chosen[@]+"${chosen[@]}"} >"$folder.log" 2>&1 || {
    cat "$folder.log" >&2
    exit 1
  }
  sed -n '/Optional parts:/,/Configuring done/{s/^-- //;/Configuring done/d;p}' "$folder.log" >&2
  [ -z "$asked" ] || printf '%s\n' "$asked" >"$folder/.options"
fi
if [ "$tests" = yes ] && [ ! -d "$folder/tests" ]; then
  targets=()
  for target in "$@"; do [ "$target" = cpp_tests ] || targets+=("$target"); done
  echo "build: no GoogleTest: the C++ tests are not built" >&2
  set -- ${targets[@]+"${targets[@]}"}
fi
if [ $# -gt 0 ]; then
  cmake --build "$folder" -j "${JOBS:-$(nproc)}" --target "$@"
fi
