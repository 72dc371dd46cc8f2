# SPDX-License-Identifier: Apache-2.0
"""The lists of what machines of several GPUs record: each step is one that bfslab takes."""

import shlex
import subprocess

import pytest
from driver_bench import ROOT

STEPS = [
    pytest.param(line.strip(), id=f"{path.stem}-{number}")
    for path in sorted((ROOT / "experiments/steps").glob("*.steps"))
    for number, line in enumerate(path.read_text().splitlines(), 1)
    if line.strip() and not line.startswith("#")
]


@pytest.mark.parametrize("step", STEPS)
def test_every_step_of_a_machine_is_legal(bench, step):
    words = shlex.split(step)
    if words[0] == "graph500":
        # It has no dry run: on a machine without the GPUs it says so at once.
        words[words.index("--scale") + 1] = "4"
        command = [*words, "--results", str(bench.folder / "results")]
        allowed = (0, 1)
    else:
        command = ["check", *words]
        allowed = (0,)
    done = subprocess.run([bench.program, *command], cwd=ROOT, env=bench.env,
                          capture_output=True, text=True, timeout=60)  # fmt: skip
    assert done.returncode in allowed, done.stdout + done.stderr
