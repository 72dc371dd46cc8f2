# SPDX-License-Identifier: Apache-2.0
"""The lists of what machines with GPUs record: each step is one that bfslab takes. Specs of a paper
run its form of an engine."""

import json
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


@pytest.mark.parametrize(
    "words",
    [
        ("experiments/graph500-romeo/figure3_4b.json", "--set",
         'cases={"GPU":{"engine":"grid2d-cuda"}}', "--set", "baseline=GPU"),
        ("experiments/graph500-romeo/figure3_5.json", "--set", "base.engine=grid2d-cuda"),
        ("experiments/graph500-romeo/figure3_5_cpu.json",),
        ("experiments/graph500-romeo/figure3_6.json",),
    ],
    ids=lambda words: words[0].split("/")[-1],
)  # fmt: skip
def test_specs_of_graph500_romeo_explore_as_algorithm_4(bench, words):
    forms = explorations(bench, *words)
    assert set(forms.values()) == {("warp_per_row", "read_only")}


def test_forms_of_algorithm_4_are_compared_one_difference_at_a_time(bench):
    forms = explorations(bench, "experiments/beyond/grid2d_forms.json")
    assert forms == {
        "Algorithm 4": ("warp_per_row", "read_only"),
        "Algorithm 4, ordinary loads": ("warp_per_row", "plain"),
        "Algorithm 4, with the level's finds": ("warp_per_row", "read_only_then_out"),
        "Equal shares": ("equal_shares", "read_only"),
        "Ours": ("equal_shares", "read_only_then_out"),
    }


def explorations(bench, *words):
    """The values of `exploration` and `visited_read` of each case of grid2d-cuda."""
    done = run(bench, "run", *words, "--dry-run", "--json")
    assert done.returncode == 0, done.stderr
    forms = {}
    for worker in json.loads(done.stdout)[0]["workers"]:
        for each in worker["configurations"]:
            if each["engine"] == "grid2d-cuda":
                toggles = dict(pair.split("=") for pair in each["toggles"].split(";"))
                forms[each["case"]] = (toggles["exploration"], toggles["visited_read"])
    return forms


def run(bench, *words):
    return subprocess.run([bench.program, *words], cwd=ROOT, env=bench.env,
                          capture_output=True, text=True, timeout=60)  # fmt: skip


def only_data_is_missing(done) -> bool:
    """Whether `bfslab check` finds nothing amiss but files that a user has to fetch by hand.

    It reports every mistake that it finds, and looks for data only where the spec has none.
    """
    faults = [line for line in done.stderr.splitlines() if line.strip()]
    return bool(faults) and all(": no file of it in " in line for line in faults)
