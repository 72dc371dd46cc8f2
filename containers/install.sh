#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What the images of Dockerfile and bfslab.def run, as root, in a copy of the repository inside a fresh
# Debian 12 or Ubuntu 24.04: the packages that setup.sh names, then `make install` to /usr/local.
#   CUDA=OFF|ON|AUTO             as for make; AUTO, the default, takes nvcc if the base image has it
#   CUDA_ARCHITECTURES=80,90     the GPUs to compile for: an image is rarely made on the machine that
#                                runs it, so the default is 80,90
#   NATIVE=ON                    compile for the processor of this machine; the image then needs it
#   COMMIT=...                   the commit of the copy, which has no .git; rows name it
set -eu
cd "$(dirname "$0")/.."
apt-get update -qq
DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends ca-certificates make
scripts/setup.sh build quick
BFSLAB_INSTALL=skip make install PREFIX=/usr/local CUDA="${CUDA:-AUTO}" \
  CUDA_ARCHITECTURES="${CUDA_ARCHITECTURES:-80,90}" CMAKE_ARGS="-DBFSLAB_NATIVE=${NATIVE:-OFF} -DBFSLAB_COMMIT=${COMMIT:-}"
rm -rf build /var/lib/apt/lists/*
bfslab version
