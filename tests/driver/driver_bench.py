# SPDX-License-Identifier: Apache-2.0
"""Runs bfslab as a user would, and reads what it writes."""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
GRAPH = "kronecker:scale=8"
IDLE = "memory 500000000 84000000000\n"  # of the made-up GPU (fake_nvml.cpp)
# No row is ever polluted: for tests that count rows, on machines that others use too.
CALM = {"limit_pct": 1000, "attempts": 1, "drift_pct": 1000}

RUN_KEY = ("case", "graph", "graph_hash", "engine", "toggles", "source", "repeat", "instrumented")


def binary(variable: str, name: str) -> str:
    path = Path(os.environ.get(variable) or ROOT / "build/release" / name)
    if not path.exists():
        pytest.fail(f"{path} is not built: `make test` does, or name it in {variable}")
    return str(path)


def fake_nvml(program: str) -> str:
    """The folder of the made-up libnvidia-ml, for LD_LIBRARY_PATH. Skips the test where it is not
    built: CMake makes the folder, empty, before anything is."""
    library = Path(program).with_name("fake_nvml") / "libnvidia-ml.so.1"
    if not library.exists():
        pytest.skip(f"no {library}: the C++ tests are not built (make test)")
    return str(library.parent)


class Bench:
    """A folder with specs, results and a cache, and the program to run in it."""

    def __init__(self, folder: Path, program: str):
        self.folder = folder
        self.program = program
        self.results = folder / "results"
        self.env = {k: v for k, v in os.environ.items() if not k.startswith("BFSLAB_")}
        self.env["BFSLAB_CACHE"] = str(folder / "cache")

    def spec(self, name: str = "t", **keys) -> Path:
        """A spec of one well-behaved case on a small graph, unless told otherwise."""
        spec = {
            "name": name,
            "graphs": [GRAPH],
            "sources": {"count": 2, "seed": 1, "rule": "degree>=1"},
            "warmup": 0,
            "base": {"engine": "faulty"},
            "cases": {"good": {}},
            "pollution": CALM,
        }
        spec.update(keys)
        path = self.folder / f"{name}.json"
        path.write_text(json.dumps({k: v for k, v in spec.items() if v is not None}))
        return path

    def command(self, *arguments) -> list[str]:
        return [self.program, *map(str, arguments)]

    def run(self, *arguments, code: int = 0, results: bool = True, **options):
        extra = ["--results", str(self.results)] if results else []
        done = subprocess.run(
            self.command("run", *arguments, *extra),
            env=self.env,
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=120,
            **options,
        )
        assert done.returncode == code, f"exit {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done

    def start(self, *arguments, **options) -> subprocess.Popen:
        return subprocess.Popen(
            self.command("run", *arguments, "--results", str(self.results)),
            env=self.env,
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            **options,
        )

    def take_own_program(self):
        """From here on the program is a copy, by which its processes are known."""
        self.program = str(shutil.copy(self.program, self.folder / "bfslab-own"))

    def rebuild(self):
        """From here on the program is another build, which does the same."""
        copy = self.folder / f"bfslab-{len(list(self.folder.glob('bfslab-*')))}"
        shutil.copy(self.program, copy)
        with copy.open("ab") as file:
            file.write(b"another build")
        self.program = str(copy)

    def ask(self, *words, code: int | None = 0) -> subprocess.CompletedProcess:
        """Another command than `run`, in the bench's folder; checks its exit code if it has one."""
        command = [self.program, *map(str, words)]
        done = subprocess.run(
            command, capture_output=True, text=True, cwd=self.folder, env=self.env, timeout=60
        )
        assert code is None or done.returncode == code, done.stdout + done.stderr
        return done

    def processes(self) -> list[int]:
        """Those of its own program, whoever their parents are."""
        found = []
        for folder in Path("/proc").iterdir():
            try:
                exe = os.readlink(folder / "exe") if folder.name.isdigit() else ""
                if exe.startswith(self.program):  # a zombie process has none
                    found.append(int(folder.name))
            except OSError:
                continue
        return found

    def rows(self, table: str = "runs", name: str = "t") -> list[dict]:
        with open(self.results / name / f"{table}.csv", newline="") as file:
            return list(csv.DictReader(file, strict=True))

    def keys(self, name: str = "t") -> list[tuple]:
        return sorted(tuple(row[k] for k in RUN_KEY) for row in self.rows(name=name))


def statuses(rows: list[dict], case: str) -> list[str]:
    return [row["status"] for row in rows if row["case"] == case]


def wait_for(condition, process):
    """Until the condition holds or the process ends; polls a state, not a duration."""
    while process.poll() is None and not condition():
        time.sleep(0.002)


def wait_until(condition):
    for _ in range(2000):
        if condition():
            return
        time.sleep(0.01)
    pytest.fail("waited 20 s in vain")


def count_rows(bench, name="t") -> int:
    try:
        return (bench.results / name / "runs.csv").read_bytes().count(b"\n") - 1
    except FileNotFoundError:
        return -1
