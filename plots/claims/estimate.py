"""What makes missing rows, and how long it takes: by rows recorded elsewhere, or by bfslab check."""

from __future__ import annotations

import re
import shlex
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from plots.paper import EXPERIMENTS, spec_file

ROOT = EXPERIMENTS.parent
# "time        about 16 min of traversals, without loading and checking"
_ABOUT = re.compile(r"^\s*time\s+about ([\d.,]+) (ms|s|min|h)\b", re.MULTILINE)
_MINUTES = {"ms": 1 / 60_000, "s": 1 / 60, "min": 1, "h": 60}
# Microbenchmarks are programs of their own.
_PROGRAMS = {
    "xbfs-fig5": "frontier_generation_benchmark",
    "dfq-contention": "enqueue_contention_benchmark",
}


@dataclass(frozen=True)
class Estimate:
    command: str
    minutes: float | None
    source: str  # a sentence: who says how long it takes


def estimate(experiment: str, results: Path) -> Estimate:
    """For an experiment without rows in `results`, by its name."""
    command = _command(experiment, results)
    spec = spec_file(experiment)
    said = _checked(spec) if spec else None
    if said is None:
        return Estimate(command, None, "")
    source = "Its minutes are `bfslab check`'s estimate, without loading and checking."
    return Estimate(command, said, source)


def _command(experiment: str, results: Path) -> str:
    if experiment in _PROGRAMS:
        out = results / experiment / "benchmark.json"
        return f"build/benchmarks/{_PROGRAMS[experiment]} --benchmark_out={shlex.quote(str(out))}"
    spec = spec_file(experiment)
    named = spec.relative_to(ROOT) if spec else f"<spec of {experiment}>"
    return f"bfslab run {named} --results {shlex.quote(str(results))}"


@cache
def _checked(spec: Path) -> float | None:
    """None where bfslab was not built, or refuses the spec here."""
    built = [p for p in (ROOT / "build" / name / "bfslab" for name in ("release", "cpu"))
             if p.exists()]  # fmt: skip
    if not built:
        return None
    run = subprocess.run(
        [built[0], "check", "--offline", spec], capture_output=True, text=True, check=False
    )
    return minutes_in(run.stdout) if run.returncode == 0 else None


def minutes_in(said: str) -> float | None:
    """What `bfslab check` says of one spec."""
    found = _ABOUT.search(said)
    return float(found.group(1).replace(",", "")) * _MINUTES[found.group(2)] if found else None
