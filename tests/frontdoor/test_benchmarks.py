# SPDX-License-Identifier: Apache-2.0
"""scripts/benchmarks.py: which programs run, where their numbers go, and what is drawn."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import benchmarks  # noqa: E402

PROGRAM = """#!{python}
import json, sys
out = next(word for word in sys.argv if word.startswith("--benchmark_out=")).partition("=")[2]
rows = [{{"name": "read/plain", "run_type": "iteration", "real_time": 2.0, "time_unit": "ms"}}]
said = {{"context": {{"experiment": {experiment!r}}}, "benchmarks": rows}}
open(out, "w").write(json.dumps(said))
"""


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Calls the script with programs of the CPU that measure nothing, where there is no GPU."""
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    for name, experiment in benchmarks.ON_CPU.items():
        program = tmp_path / "build" / name
        program.parent.mkdir(exist_ok=True)
        program.write_text(PROGRAM.format(python=sys.executable, experiment=experiment))
        program.chmod(0o755)

    def call(*words: str) -> subprocess.CompletedProcess:
        command = [sys.executable, ROOT / "scripts/benchmarks.py", "--build", tmp_path / "build"]
        command += ["--out", tmp_path / "out", *words]
        return subprocess.run(command, capture_output=True, text=True)

    return call


def test_all_that_can_run_does(run, tmp_path):
    answer = run()
    assert answer.returncode == 0, answer.stderr
    assert "left out, because" in answer.stderr and "xbfs" not in answer.stdout
    for experiment in benchmarks.ON_CPU.values():
        assert (tmp_path / "out" / experiment / "benchmark.json").exists()
        assert (tmp_path / "out/figures" / experiment).is_dir()


def test_a_program_that_is_named_runs_alone_and_only_its_figures_are_drawn(run, tmp_path):
    run()
    for path in (tmp_path / "out/figures").rglob("*.png"):
        path.unlink()
    answer = run("read_benchmark")
    assert answer.returncode == 0, answer.stderr
    assert "earlier numbers are now" in answer.stderr and "left out" not in answer.stderr
    assert {path.parent.name for path in (tmp_path / "out/figures").rglob("*.png")} == {
        "read-benchmark"
    }


def test_a_program_that_is_named_and_cannot_run_is_an_error(run, tmp_path):
    answer = run("frontier_generation_benchmark")
    assert answer.returncode == 2 and "left out, because" in answer.stderr
    assert not (tmp_path / "out").exists()
    answer = run("frontier")
    assert answer.returncode == 2 and "there are datasets_benchmark" in answer.stderr


def test_claims_and_this_script_name_the_same_programs():
    plots = pytest.importorskip("plots.benchmarks")
    known = benchmarks.ON_CPU | benchmarks.ON_GPU
    assert {name: of for of, name in plots.PROGRAMS.items()} == known
