#!/usr/bin/env bash
# Configures a preset if necessary, and builds targets.
#   scripts/build.sh [--quick] [--tests] PRESET [TARGET...]
# Without a target it only configures.
# --quick leaves CUDA out of a new build folder if there is no GPU to run it;
# --tests requires the C++ tests, and so GoogleTest.
# JOBS: how many compilers at once (default: one per core).
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

if [ ! -e "$folder/CMakeCache.txt" ]; then
  if [ -z "${CMAKE_GENERATOR:-}" ] && command -v ninja >/dev/null; then
    arguments+=(-G Ninja)
  fi
  if [ "$quick" = yes ] && ! timeout 30 nvidia-smi -L >/dev/null 2>&1 &&
      { command -v nvcc >/dev/null || [ -x /usr/local/cuda/bin/nvcc ]; }; then
    mkdir -p "$folder"
    touch "$without_cuda"
    arguments+=(-DBFSLAB_CUDA=OFF)
    echo "build: no GPU here (nvidia-smi -L): CUDA sources are left out; \`make\` builds them" >&2
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
if [ "$configure" = yes ]; then
  mkdir -p build
  cmake --preset "$preset" ${arguments[@]+"${arguments[@]}"} >"$folder.log" 2>&1 || {
    cat "$folder.log" >&2
    exit 1
  }
  sed -n '/Optional parts:/,/Configuring done/{s/^-- //;/Configuring done/d;p}' "$folder.log" >&2
fi
if [ $# -gt 0 ]; then
  cmake --build "$folder" -j "${JOBS:-$(nproc)}" --target "$@"
fi
