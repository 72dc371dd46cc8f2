# SPDX-License-Identifier: Apache-2.0
"""Microbenchmarks: what Google Benchmark's --benchmark_out wrote, as measures of an experiment.

A results folder of a microbenchmark holds one file, benchmark.json, whose context names the
experiment; its benchmarks become rows of `measures`, one trial each, with the method as part.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from .files import opened

FILE = "benchmark.json"
# The facts that a spec would give, by the name that the program puts into the file's context.
SPECS = {
    "xbfs-fig5": {
        "name": "xbfs-fig5",
        "paper": "xbfs",
        "item": "Figure 5",
        "title": "Gathering frontiers by atomic operations and by prefix sum",
        "figure": "frontier_generation",
    },
    "datasets-benchmark": {
        "name": "datasets-benchmark",
        "title": "Making, hashing and loading graphs",
        "figure": "benchmark_times",
    },
    "read-benchmark": {
        "name": "read-benchmark",
        "title": "Reading graphs in every format and packing",
        "figure": "benchmark_times",
    },
    "dfq-contention": {
        "name": "dfq-contention",
        "paper": "dfq",
        "title": "Enqueues per second against threads, by the design of the queue",
        "figure": "enqueue_contention",
    },
    "search-start": {
        "name": "search-start",
        "title": "Starting a search and learning that it has ended",
        "figure": "benchmark_times",
    },
}
# The program of each; `make benchmarks PROGRAMS=NAME` builds and runs it.
PROGRAMS = {
    "datasets-benchmark": "datasets_benchmark",
    "read-benchmark": "read_benchmark",
    "xbfs-fig5": "frontier_generation_benchmark",
    "dfq-contention": "enqueue_contention_benchmark",
    "search-start": "search_start_benchmark",
}
# The part of a benchmark's name that is the method: "enqueue/central_warp/threads:64". Elsewhere it
# is the whole name but for what Google Benchmark appends.
_METHOD_AT = {"xbfs-fig5": 0, "dfq-contention": 1}
# Options that `make benchmarks` gives itself.
_OURS = ("--benchmark_out=", "--benchmark_out_format=", "--benchmark_context=")
_COUNTERS = {
    "elements": "1",
    "selectivity": "1",
    "found": "1",
    "capacity": "1",
    "gpu_threads": "1",
    "enqueues": "1",
    "enqueues_per_second": "1/s",
}
_MS = {"ns": 1e-6, "us": 1e-3, "ms": 1.0, "s": 1e3}


def command_of(experiment: str, options: Sequence[str] = ()) -> str:
    """Returns the command that makes the rows of a microbenchmark, with options of Google
    Benchmark; empty for any other experiment. It keeps earlier rows aside."""
    if experiment not in PROGRAMS:
        return ""
    words = [word for word in options if not word.startswith(_OURS)]
    arguments = shlex.join(words).replace("$", "$$")  # make reads $$ as $
    given = f" {shlex.quote(f'BENCHMARK_ARGS={arguments}')}" if words else ""
    return f"make benchmarks PROGRAMS={PROGRAMS[experiment]}{given}"


def read_benchmark(path: Path) -> tuple[dict, dict, pd.DataFrame]:
    """(spec, environment, measures). Throws ValueError for a file that is not one of ours."""
    with opened(path) as file:
        content = json.loads(file.read().decode("utf-8"))
    context = content.get("context", {}) if isinstance(content, dict) else {}
    name = context.get("experiment", "")
    if name not in SPECS:
        raise ValueError(f"its context does not name a known microbenchmark ({name or 'none'!r})")
    environment = (
        json.loads(context["environment"])
        if "environment" in context
        else {
            "host": context.get("host_name", ""),
            "cpu": {"logical": context.get("num_cpus")},
            "gpu": {"devices": [{"name": context["gpu"]}] if context.get("gpu") else []},
            "compiler": context.get("compiler"),
            "utc": context.get("date"),
            "arguments": [context.get("executable", "")],
        }
    )
    rows = []
    for trial, entry in enumerate(content.get("benchmarks", [])):
        if entry.get("run_type", "iteration") != "iteration" or entry.get("error_occurred"):
            continue  # aggregates are computed again; an error has no time
        parts = entry["name"].split("/")
        appended = ("process_time", "real_time", "repeats:")
        whole = [part for part in parts if not part.startswith(appended)]
        method = parts[_METHOD_AT[name]] if name in _METHOD_AT else " ".join(whole)
        values = {"time": (entry["real_time"] * _MS[entry["time_unit"]], "ms")}
        values |= {c: (entry[c], unit) for c, unit in _COUNTERS.items() if c in entry}
        rows += [
            {"trial": trial, "level": None, "rank": 0, "part": method, "metric": metric,
             "value": float(value), "unit": unit}
            for metric, (value, unit) in values.items()
        ]  # fmt: skip
    columns = ["trial", "level", "rank", "part", "metric", "value", "unit"]
    return SPECS[name], environment, pd.DataFrame(rows, columns=columns)
