# SPDX-License-Identifier: Apache-2.0
"""What makes missing rows, and how long that takes: by those of a recorded machine, or by
`bfslab check`."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ..paper import EXPERIMENTS, spec_file

ROOT = EXPERIMENTS.parent
# "time        about 16 min of traversals, without loading and checking"
_ABOUT = re.compile(r"^\s*time\s+about ([\d.,]+) (ms|s|min|h)\b", re.MULTILINE)
_MINUTES = {"ms": 1 / 60_000, "s": 1 / 60, "min": 1, "h": 60}
# Microbenchmarks are programs of their own.
_PROGRAMS = {
    "xbfs-fig5": "frontier_generation_benchmark",
    "dfq-contention": "enqueue_contention_benchmark",
}


SAID = "The minutes are those that `bfslab check` estimates, without loading and checking."


@dataclass(frozen=True)
class Estimate:
    command: str
    minutes: float | None
    source: str  # a sentence: who says how long it takes, or why it cannot be run


def estimate(experiment: str, settings: dict, results: str) -> Estimate:
    """For an experiment without rows, by its name; `settings` go to --set, and `results` is the
    machine's folder as a shell reads it."""
    if experiment in _PROGRAMS:
        out = f"{results}/{experiment}/benchmark.json"
        return Estimate(f"build/benchmarks/{_PROGRAMS[experiment]} --benchmark_out={out}", None, "")
    spec = spec_file(experiment)
    named = str(spec.relative_to(ROOT)) if spec else f"<spec of {experiment}>"
    changes = [word for key, value in settings.items()
               for word in ("--set", f"{key}={_setting(value)}")]  # fmt: skip
    command = f"bfslab run {named} --results {results} {shlex.join(changes)}".rstrip()
    if not changes and experiment in (recorded := _recorded(ROOT / "results")):
        minutes, machine = recorded[experiment]
        return Estimate(command, minutes, f"The minutes are those that it took on {machine}.")
    return Estimate(command, *(_checked(spec, tuple(changes)) if spec else (None, "")))


@cache
def _recorded(results: Path) -> dict[str, tuple[float, str]]:
    """By experiment: minutes and machine, from the verdicts that are recorded in `results`."""
    path = results / "claims.json"
    verdicts = json.loads(path.read_text(encoding="utf-8"))["verdicts"] if path.exists() else []
    return {
        verdict["experiment"]: (verdict["minutes"], verdict["machine"])
        for verdict in verdicts
        if verdict["machine"] and verdict["minutes"] is not None
    }


def _setting(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))


@cache
def _checked(spec: Path, changes: tuple[str, ...]) -> tuple[float | None, str]:
    """Minutes, and who says so or what was refused; nothing where bfslab was not built."""
    built = [path for path in (ROOT / "build").glob("*/bfslab") if path.is_file()]
    if not built:
        return None, ""
    newest = max(built, key=lambda path: path.stat().st_mtime)
    command = [newest, "check", "--offline", spec, *changes]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        first = next(iter(run.stderr.splitlines()), "").rstrip(".")
        return None, f"`bfslab check` refuses the command here: {first}."
    minutes = minutes_in(run.stdout)
    return minutes, SAID if minutes is not None else ""


def minutes_in(said: str) -> float | None:
    """What `bfslab check` says of one spec."""
    found = _ABOUT.search(said)
    return float(found.group(1).replace(",", "")) * _MINUTES[found.group(2)] if found else None
