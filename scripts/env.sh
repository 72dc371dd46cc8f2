# SPDX-License-Identifier: Apache-2.0
# For bash and zsh: `source scripts/env.sh` in a clone that `make` has built. Then `bfslab` and `python -m plots` of the
# documentation are this clone's, from any folder.
bfslab_root=$(cd "$(dirname "${BASH_SOURCE[0]:-$0}")/.." && pwd)
export PATH="$bfslab_root/build/${PRESET:-release}:$bfslab_root/.venv/bin:$PATH"
export PYTHONPATH="$bfslab_root${PYTHONPATH:+:$PYTHONPATH}"
unset bfslab_root
