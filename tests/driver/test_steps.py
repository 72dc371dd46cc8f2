# SPDX-License-Identifier: Apache-2.0
"""The lists of what machines with GPUs record: each step is one that bfslab takes."""

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
        done = run(bench, *words, "--results", str(bench.folder / "results"))
        legal = done.returncode in (0, 1)
    else:
        done = run(bench, "check", *words)
        legal = done.returncode == 0 or only_data_is_missing(done)
    assert legal, done.stdout + done.stderr


def test_a_step_with_a_mistake_is_not_legal(bench):
    done = run(bench, "check", "experiments/beyond/fused_everywhere.json", "--set", "repeats=0")
    assert done.returncode == 2
    assert not only_data_is_missing(done), done.stderr


def run(bench, *words):
    return subprocess.run([bench.program, *words], cwd=ROOT, env=bench.env,
                          capture_output=True, text=True, timeout=60)  # fmt: skip


def only_data_is_missing(done) -> bool:
    """Whether `bfslab check` finds nothing amiss but files that a user has to fetch by hand.

    It reports every mistake that it finds, and looks for data only where the spec has none.
    """
    faults = [line for line in done.stderr.splitlines() if line.strip()]
    return bool(faults) and all(": no file of it in " in line for line in faults)
