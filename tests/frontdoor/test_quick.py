# SPDX-License-Identifier: Apache-2.0
"""scripts/quick.py with a stand-in program: resume, fresh, exit codes, the closing table."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from quick import trial_counts  # noqa: E402

# Writes its arguments down, and the rows that a run would leave.
STAND_IN = """#!{python}
import json, pathlib, sys
arguments = sys.argv[1:]
with open({calls!r}, "a") as calls:
    calls.write(" ".join(arguments) + "\\n")
results = pathlib.Path(arguments[arguments.index("--results") + 1])
for spec in arguments[1 : arguments.index("--results")]:
    text = json.loads(pathlib.Path(spec).read_text())
    folder = results / text["name"]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "spec.json").write_text(json.dumps(text))
    (folder / "runs.csv").write_text("source,status,polluted\\n1,ok,0\\n2,ok,1\\n3,timeout,0\\n")
sys.exit({status})
"""


class Quick:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.program = folder / "bfslab"
        self.calls = folder / "calls"
        (folder / "specs").mkdir()
        self.write_spec("one")
        self.write_program(0)

    def write_spec(self, name: str, **keys) -> None:
        (self.folder / "specs" / f"{name}.json").write_text(
            json.dumps({"name": f"quick-{name}", "figure": [], **keys})
        )

    def write_program(self, status: int, comment: str = "") -> None:
        text = STAND_IN.format(python=sys.executable, calls=str(self.calls), status=status)
        self.program.write_text(text + comment)
        self.program.chmod(0o755)

    def run(self, **environment: str) -> subprocess.CompletedProcess:
        command = [sys.executable, ROOT / "scripts/quick.py", "--bfslab", self.program]
        command += ["--specs", self.folder / "specs", "--results", self.folder / "out"]
        return subprocess.run(command, capture_output=True, text=True, env=os.environ | environment)

    def last_call(self) -> str:
        return self.calls.read_text().splitlines()[-1]


@pytest.fixture
def quick(tmp_path) -> Quick:
    return Quick(tmp_path)


def test_first_run_is_neither_fresh_nor_resumed(quick):
    answer = quick.run()
    assert "--fresh" not in quick.last_call()
    assert "moved aside" not in answer.stderr


def test_same_build_resumes(quick):
    quick.run()
    quick.run()
    assert "--fresh" not in quick.last_call()


@pytest.mark.parametrize("rows", ["runs.csv", "runs.csv.gz"])  # as `bfslab pack` leaves them
def test_a_new_build_starts_fresh_and_says_so(quick, rows):
    quick.run()
    folder = quick.folder / "out/quick-one"
    (folder / "runs.csv").rename(folder / rows)
    quick.write_program(0, "# another build\n")
    answer = quick.run()
    assert "--fresh" in quick.last_call()
    assert "moved aside" in answer.stderr
    quick.run()
    assert "--fresh" not in quick.last_call()


def test_a_changed_spec_starts_fresh(quick):
    quick.run()
    quick.write_spec("one", title="changed")
    quick.run()
    assert "--fresh" in quick.last_call()


def test_table_counts_trials_by_status(quick):
    quick.write_spec("two")
    answer = quick.run()
    lines = [line for line in answer.stdout.splitlines() if "runs.csv" in line]
    assert len(lines) == 2
    assert lines[0].startswith("quick-one")
    assert lines[0].endswith("2 ok (1 polluted), 1 timeout")


def row(source, status="ok", polluted=0, attempt=0, instrumented=0):
    return f"{source},{attempt},{status},{polluted},{instrumented}\n"


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (row(1) + row(2), "2 ok"),
        (row(1, polluted=1) + row(1, attempt=1), "1 ok"),
        (row(1, polluted=1) + row(1, polluted=1, attempt=1), "1 ok (1 polluted)"),
        (row(1) + row(1, polluted=1, attempt=1), "1 ok"),
        (row(1, "interrupted") + row(1, attempt=1) + row(2), "2 ok"),
        (row(1) + row(1, "wrong", attempt=1), "1 wrong"),
        (row(1, "oom") + row(1, polluted=1, attempt=1) + row(2, "oom"), "1 ok (1 polluted), 1 oom"),
        (row(1) + row(1, instrumented=1), "1 ok, 1 instrumented"),
        (row("", instrumented=1), "1 instrumented"),
    ],
)
def test_attempts_at_one_trial_are_counted_once(tmp_path, rows, said):
    (tmp_path / "runs.csv").write_text("source,attempt,status,polluted,instrumented\n" + rows)
    assert trial_counts(tmp_path) == said


def test_trials_are_counted_as_the_runs_own_table_counts_them(bfslab, tmp_path):
    """Trials that are all polluted, so that each has several attempts."""
    spec = {"name": "counted", "graphs": ["kronecker:scale=8"], "sources": {"count": 3, "seed": 1},
            "base": {"engine": "sequential"}, "cases": {"a": {}, "b": {}}, "repeats": 2,
            "record": ["time", "levels"],
            "pollution": {"limit_pct": -1, "attempts": 2}}  # fmt: skip
    (tmp_path / "counted.json").write_text(json.dumps(spec))
    command = [bfslab, "run", tmp_path / "counted.json", "--results", tmp_path, "--json"]
    environment = os.environ | {"BFSLAB_CACHE": str(tmp_path / "cache")}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    rows = json.loads(done.stdout)[0]["rows"]
    ok, polluted = (sum(row[key] for row in rows) for key in ("timed", "polluted"))
    assert len((tmp_path / "counted/runs.csv").read_text().splitlines()) > 1 + ok + 6
    share = f" ({polluted} polluted)" if polluted else ""
    assert trial_counts(tmp_path / "counted") == f"{ok} ok{share}, 6 instrumented"


@pytest.mark.parametrize("status", [2, 130])
def test_a_run_that_did_not_finish_ends_it(quick, status):
    quick.write_program(status)
    answer = quick.run()
    assert answer.returncode == status
    assert answer.stdout == ""


def test_wrong_answers_are_drawn_and_reported(quick):
    quick.write_program(1)
    answer = quick.run()
    assert answer.returncode == 1
    assert "runs.csv" in answer.stdout


def test_no_specs_is_an_error(quick):
    (quick.folder / "specs/one.json").unlink()
    answer = quick.run()
    assert answer.returncode == 2
    assert "no spec" in answer.stderr


def test_specs_for_gpus_are_skipped_visibly_where_there_is_none(quick):
    quick.write_spec("gpu_two")
    answer = quick.run(CUDA_VISIBLE_DEVICES="")
    assert "gpu_two" not in quick.last_call() and "one.json" in quick.last_call()
    for stream in (answer.stdout, answer.stderr):
        assert "skipped, because" in stream and "quick-gpu_two" in stream


def test_without_such_specs_nothing_is_said_of_gpus(quick):
    answer = quick.run(CUDA_VISIBLE_DEVICES="")
    assert "skipped" not in answer.stdout + answer.stderr
