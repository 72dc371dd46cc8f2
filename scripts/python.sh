#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Python with what scripts/setup.sh found or installed: .venv, or else this machine's own.
#   scripts/python.sh ARGUMENT...
set -euo pipefail
python=$(dirname "${BASH_SOURCE[0]}")/../.venv/bin/python
[ -x "$python" ] || python=${PYTHON:-python3}
exec "$python" "$@"
