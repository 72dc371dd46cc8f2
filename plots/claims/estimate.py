# SPDX-License-Identifier: Apache-2.0
"""Commands that make missing rows, and the time that they take: by those of a recorded machine, or
by `bfslab check`."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pandas as pd

from ..benchmarks import command_of
from ..load import Experiment, load_experiment, table_file
from ..paper import EXPERIMENTS, spec_file

ROOT = EXPERIMENTS.parent
RECORDED = ROOT / "results"
# "time    about 16 min here while nothing else runs, with building, checks and recording"
_ABOUT = re.compile(r"^\s*time\s+about ([\d.,]+) (ms|s|min|h)\b", re.MULTILINE)
_MINUTES = {"ms": 1 / 60_000, "s": 1 / 60, "min": 1, "h": 60}
_NOT_HERE = re.compile(
    r"^\s*CANNOT (?:RUN HERE: [^:]+|BE MADE: \S+): (.*); its rows will", re.MULTILINE
)

SAID = "The minutes are those that `bfslab check` estimates for the machine that this was made on."
UNTIMED = "The rows of a microbenchmark do not say how long all of it took."
UNBUILT = (
    "There is no estimate of the minutes, because no recorded machine has run this and bfslab is "
    "not built here: `make` builds it, and `bfslab check` estimates them."
)


@dataclass(frozen=True)
class Estimate:
    command: str
    minutes: float | None
    source: str  # a sentence: the source of the estimate, or why there is none


def estimate(experiment: str, settings: dict, results: str) -> Estimate:
    """For an experiment without rows, by its name; `settings` go to --set, and `results` is the
    machine's folder as a shell reads it."""
    if command := command_of(experiment):
        return Estimate(f"{command} RESULTS={results}", None, UNTIMED)
    spec = spec_file(experiment)
    named = str(spec.relative_to(ROOT)) if spec else f"<spec of {experiment}>"
    changes = [word for key, value in settings.items()
               for word in ("--set", f"{key}={_setting(value)}")]  # fmt: skip
    command = f"bfslab run {named} --results {results} {shlex.join(changes)}".rstrip()
    if not changes and (recorded := _recorded(RECORDED, experiment)):
        minutes, machine = recorded
        return Estimate(command, minutes, f"The minutes are those that it took on {machine}.")
    if not spec:
        why = f"There is no estimate of the minutes, because no spec here is called {experiment}."
        return Estimate(command, None, why)
    return Estimate(command, *_checked(spec, tuple(changes)))


@cache
def _recorded(results: Path, experiment: str) -> tuple[float, str] | None:
    """Minutes and machine, of the first machine below `results` that has rows of the experiment."""
    for folder in sorted(results.glob(f"*/{experiment}")):
        if table_file(folder, "runs").exists():
            loaded = load_experiment(folder)
            if (minutes := minutes_taken(loaded)) is not None:
                return minutes, loaded.machine
    return None


def minutes_taken(experiment: Experiment) -> float | None:
    """From the loading of the first trial's graph to the end of the last trial. Hours without any
    trial are those between a run and its continuation. None for a microbenchmark."""
    ends = pd.to_datetime(experiment.runs["utc"], errors="coerce", utc=True)
    if ends.isna().all():
        return None
    first = experiment.runs.loc[ends.idxmin()]
    loading = experiment.graphs.loc[experiment.graphs["graph"] == first["graph"], "load_ms"]
    before = pd.Series([first["time_ms"], first["setup_ms"], *loading], dtype=float).sum() / 1000
    gaps = ends.sort_values().diff().dt.total_seconds()
    return float(before + gaps[gaps < 3600].sum()) / 60


def _setting(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))


@cache
def _checked(spec: Path, changes: tuple[str, ...]) -> tuple[float | None, str]:
    """Returns the minutes and their source, or None and the reason."""
    built = [path for path in (ROOT / "build").glob("*/bfslab") if path.is_file()]
    if not built:
        return None, UNBUILT
    newest = max(built, key=lambda path: path.stat().st_mtime)
    command = [newest, "check", "--offline", spec, *changes]
    run = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    if (minutes := minutes_in(run.stdout)) is not None and run.returncode == 0:
        return minutes, SAID
    return None, f"There is no estimate of the minutes, because {_why_none(run)}."


def _why_none(run: subprocess.CompletedProcess[str]) -> str:
    reasons = dict.fromkeys(_NOT_HERE.findall(run.stdout))
    if run.returncode == 0 and reasons:
        return f"none of its engines can run here: {'; '.join(reasons)}"
    first = next(iter(run.stderr.splitlines()), "it says nothing").rstrip(".")
    # The command, which is shown beside this, has the setting in full.
    return f"`bfslab check` refuses the command: {re.sub(r'^--set .*?: (?=at `)', '', first)}"


def minutes_in(text: str) -> float | None:
    """Returns the minutes in the output of `bfslab check` on one spec."""
    found = _ABOUT.search(text)
    return float(found.group(1).replace(",", "")) * _MINUTES[found.group(2)] if found else None
