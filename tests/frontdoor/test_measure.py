# SPDX-License-Identifier: Apache-2.0
"""scripts/measure.py: several specs within a limit, and an archive that has what is finished."""

import json
import signal
import subprocess
import sys
import tarfile
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# Records a folder with the spec's name, unless it is asked to hang or to fail.
STAND_IN = """#!{python}
import pathlib, sys, time
words = sys.argv[1:]
name = next((pathlib.Path(w).stem for w in words if w.endswith(".json")), words[0])
try:
    with open({calls!r}, "a") as calls:
        calls.write(" ".join(words) + "\\n")
    if name == "hangs":
        time.sleep(3600)
except KeyboardInterrupt:
    name = "interrupted"
folder = pathlib.Path(words[words.index("--results") + 1]) / name
folder.mkdir(parents=True, exist_ok=True)
(folder / "runs.csv").write_text("rows of " + name)
(folder / ".lock").write_text("")
sys.exit(3 if name == "fails" else 0)
"""


class Machine:
    """A place with a program where bfslab would be, results and an archive."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.archive = folder, folder / "kept/rows.tar.xz"
        self.results = folder / "results"
        self.program = folder / "bfslab"
        calls = str(folder / "calls")
        self.program.write_text(STAND_IN.format(python=sys.executable, calls=calls))
        self.program.chmod(0o755)

    def measure(self, *words, results: Path | None = None) -> subprocess.CompletedProcess:
        command = [sys.executable, ROOT / "scripts/measure.py", *words]
        command += ["--results", results or self.results, "--archive", self.archive]
        if "--bfslab" not in words:
            command += ["--bfslab", self.program]
        return subprocess.run(list(map(str, command)), capture_output=True, text=True)

    def calls(self) -> list[str]:
        path = self.folder / "calls"
        return path.read_text().splitlines() if path.exists() else []

    def archived(self) -> list[str]:
        with tarfile.open(self.archive) as packed:
            return sorted(each.name for each in packed if each.isfile())


@pytest.fixture
def machine(tmp_path) -> Machine:
    return Machine(tmp_path)


def test_steps_run_in_turn_and_are_archived_without_locks(machine):
    done = machine.measure("a.json --set 'graphs=[\"x y\"]'", "profile --tool ncu b.json",
                           "graph500 --scale 9", "--common=--data graphs")  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert machine.calls() == [
        f'run a.json --set graphs=["x y"] --data graphs --results {machine.results}',
        f"profile --tool ncu b.json --data graphs --results {machine.results}",
        f"graph500 --scale 9 --results {machine.results}",
    ]
    assert machine.archived() == ["a/runs.csv", "b/runs.csv", "graph500/runs.csv"]


def test_steps_of_a_file_stand_where_it_is_named(machine, tmp_path):
    steps = tmp_path / "some.steps"
    steps.write_text("# two\nb.json --set 'graphs=[\"x y\"]'\n\n  graph500 --scale 9\n")
    machine.measure("a.json", f"@{steps}", "c.json")
    assert machine.calls()[:2] == [
        f"run a.json --results {machine.results}",
        f'run b.json --set graphs=["x y"] --results {machine.results}',
    ]


@pytest.mark.parametrize("text", [None, "", "# nothing\n", "run\n"])
def test_a_file_without_steps_is_refused_before_anything_runs(machine, tmp_path, text):
    steps = tmp_path / "some.steps"
    if text is not None:
        steps.write_text(text)
    done = machine.measure("a.json", f"@{steps}")
    assert done.returncode == 2 and done.stderr.startswith("measure: ")
    assert machine.calls() == []


def test_a_failure_is_told_and_what_follows_it_runs(machine):
    done = machine.measure("fails.json", "a.json")
    assert done.returncode == 3
    assert "fails.json: ended with 3" in done.stdout
    assert machine.archived() == ["a/runs.csv", "fails/runs.csv"]


def test_a_limit_interrupts_a_step_and_names_what_is_not_done(machine):
    done = machine.measure("--limit-s", "12", "a.json", "hangs.json", "b.json")
    assert done.returncode == 124, done.stderr
    assert "hangs.json: its time was over" in done.stdout
    assert done.stdout.splitlines()[-2:] == ["  hangs.json", "  b.json"]
    assert machine.archived() == ["a/runs.csv", "interrupted/runs.csv"]


def test_an_archive_goes_on_elsewhere_and_overwrites_nothing(machine, tmp_path):
    assert machine.measure("a.json", "b.json").returncode == 0
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "b").mkdir(parents=True)
    (elsewhere / "b/runs.csv").write_text("its own")
    assert machine.measure("c.json", results=elsewhere).returncode == 0
    assert (elsewhere / "a/runs.csv").read_text() == "rows of a"
    assert (elsewhere / "b/runs.csv").read_text() == "its own"
    assert machine.archived() == ["a/runs.csv", "b/runs.csv", "c/runs.csv"]


@pytest.mark.parametrize("step", ["", "run", "'open.json"])
def test_a_step_that_makes_no_sense_is_refused_before_anything_runs(machine, step):
    done = machine.measure("a.json", step)
    assert done.returncode == 2 and done.stderr.startswith("measure: ")
    assert machine.calls() == []


@pytest.mark.parametrize("damage", ["another file", "cut", "bits"])
def test_a_damaged_archive_is_refused_and_kept(machine, tmp_path, damage):
    assert machine.measure("a.json").returncode == 0
    whole = machine.archive.read_bytes()
    half, after = len(whole) // 2, len(whole) // 2 + 8
    flipped = bytes(255 - each for each in whole[half:after])
    damaged = {
        "another file": b"not an archive",
        "cut": whole[:half],
        "bits": whole[:half] + flipped + whole[after:],
    }[damage]
    machine.archive.write_bytes(damaged)
    done = machine.measure("b.json", results=tmp_path / "elsewhere")
    assert done.returncode == 2 and done.stderr.startswith(f"measure: {machine.archive} cannot")
    assert machine.archive.read_bytes() == damaged and len(machine.calls()) == 1


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_ends_the_step_and_keeps_its_rows(machine, sign):
    command = [sys.executable, ROOT / "scripts/measure.py", "hangs.json", "b.json"]
    command += ["--results", machine.results, "--archive", machine.archive]
    command += ["--bfslab", machine.program]
    process = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL)
    while not machine.calls():
        time.sleep(0.01)
    process.send_signal(sign)
    assert process.wait() == 130
    assert machine.archived() == ["interrupted/runs.csv"] and len(machine.calls()) == 1


def test_rows_of_the_program_itself_go_on_from_the_archive(machine, bfslab, tmp_path):
    spec = tmp_path / "tiny.json"
    spec.write_text(json.dumps({
        "name": "tiny", "graphs": ["grid:width=8,height=8"], "sources": {"count": 2},
        "repeats": 1, "cases": {"sequential": {"engine": "sequential"}}}))  # fmt: skip
    first = machine.measure(str(spec), "--bfslab", bfslab)
    assert first.returncode == 0, first.stderr
    assert "tiny/runs.csv" in machine.archived()
    again = machine.measure(str(spec), "--bfslab", bfslab, results=tmp_path / "elsewhere")
    assert again.returncode == 0, again.stderr
    rows = (machine.results / "tiny/runs.csv").read_bytes()
    assert (tmp_path / "elsewhere/tiny/runs.csv").read_bytes() == rows
