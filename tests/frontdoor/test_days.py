# SPDX-License-Identifier: Apache-2.0
"""The days of five users (days.py). `pytest -s tests/frontdoor/test_days.py` shows what they see.

A step without a GPU, a network or a program that it needs is skipped, and the reason names it.
BFSLAB_TEST_NETWORK=1 lets the steps run that need a network."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from days import DAYS, FILES, Step

ROOT = Path(__file__).resolve().parents[2]
STEPS = [(day, number) for day, steps in DAYS.items() for number in range(len(steps))]


def runs(*command: str | Path) -> bool:
    """Whether a command is here and ends with 0."""
    if shutil.which(command[0]) is None:
        return False
    return subprocess.run(command, capture_output=True).returncode == 0


class Desk:
    """What a machine has of what steps need."""

    def __init__(self, program: Path, folder: Path) -> None:
        self.program = program
        self.folder = folder
        inherited = {k: v for k, v in os.environ.items() if not k.startswith("BFSLAB_")}
        python = Path(sys.executable).parent
        self.environment = inherited | {
            "CLONE": str(ROOT),
            "BUILD": str(program.parent),
            "PATH": f"{program.parent}:{python}:{inherited['PATH']}",
            "PYTHONPATH": str(ROOT),
            "BFSLAB_CACHE": str(folder / "cache"),
        }
        if os.environ.get("BFSLAB_TEST_NETWORK") != "1":
            self.environment["BFSLAB_OFFLINE"] = "1"

    def lack(self, needs: str) -> str:
        """The reason why a step that needs these cannot run here, or nothing."""
        reasons = (self.lack_of(each) for each in needs.split(", "))
        return next((reason for reason in reasons if reason), "")

    def lack_of(self, needs: str) -> str:
        beside = self.program.parent
        if needs == "gpu":
            asked = subprocess.check_output([self.program, "version", "--json"])
            built = json.loads(asked)["cuda"] and runs("nvidia-smi", "-L")
            return "" if built else "needs an NVIDIA GPU, and a build with CUDA"
        if needs == "network":
            allowed = os.environ.get("BFSLAB_TEST_NETWORK") == "1"
            return "" if allowed else "needs a network, and BFSLAB_TEST_NETWORK=1"
        if needs in ("ncu", "nvcc"):
            return "" if shutil.which(needs) else f"needs {needs} in the PATH"
        if needs == "perf":
            record = ("perf", "record", "--output", "/dev/null", "true")
            return "" if runs(*record) else "needs perf, and the permission to count"
        if needs == "build folder":
            found = (beside / "cmake_install.cmake").exists()
            return "" if found else f"needs a build folder of CMake, which {beside} is not"
        if needs:
            return (
                "" if (beside / needs).exists() else f"needs {beside / needs}, which is not built"
            )
        return ""


class Day:
    """One user's folder. A step is run once, after all steps before it."""

    def __init__(self, steps: list[Step], desk: Desk, folder: Path) -> None:
        self.steps = steps
        self.desk = desk
        self.folder = folder
        self.done: list[subprocess.CompletedProcess | None] = []
        for name, text in FILES.items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(text)

    def until(self, number: int) -> subprocess.CompletedProcess | None:
        while len(self.done) <= number:
            step = self.steps[len(self.done)]
            self.done.append(None if self.desk.lack(step.needs) else self.run(step))
        return self.done[number]

    def run(self, step: Step) -> subprocess.CompletedProcess:
        return subprocess.run(
            ["bash", "-c", step.command],
            cwd=self.folder,
            env=self.desk.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )


@pytest.fixture(scope="module")
def days(bfslab, tmp_path_factory) -> dict[str, Day]:
    desk = Desk(Path(bfslab), tmp_path_factory.mktemp("desk"))
    return {name: Day(steps, desk, tmp_path_factory.mktemp(name)) for name, steps in DAYS.items()}


@pytest.mark.parametrize("user,number", STEPS, ids=[f"{user}-{n + 1:02}" for user, n in STEPS])
def test_the_user_gets_what_the_step_is_for(days, user, number):
    day = days[user]
    step = day.steps[number]
    print(f"\n{user}$ {step.command}")
    done = day.until(number)
    if done is None:
        pytest.skip(f"{day.desk.lack(step.needs)}: {step.command}")
    print(done.stdout)
    assert done.returncode == step.code or (step.code == -1 and done.returncode in (0, 1))
    for pattern in step.shows:
        assert re.search(pattern, done.stdout, re.MULTILINE), f"not shown: {pattern}"
    for name, pattern in step.files.items():
        text = (day.folder / name).read_bytes().decode("utf-8", "replace")
        assert text and re.search(pattern, text, re.MULTILINE), f"{name} has no {pattern}"


def test_every_users_day_has_steps_that_run_everywhere():
    for user, steps in DAYS.items():
        assert sum(not step.needs for step in steps) > 3, user
