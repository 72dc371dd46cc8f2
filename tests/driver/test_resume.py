# SPDX-License-Identifier: Apache-2.0
"""Nothing is repeated, dropped, mixed or overwritten, whatever happens to a run."""

import csv
import os
import random
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest
from driver_bench import count_rows, wait_for

from tests.sealing import seal_tables

# Trials of some milliseconds, so that a kill lands amid them.
CASES = {
    "a": {"sleep_ms": 5},
    "b": {"sleep_ms": 6},
    "bad": {"sleep_ms": 5, "fault": "crash", "call": 3},
}


def test_kill_at_random_moments_then_resume(bench):
    spec = bench.spec(cases=CASES, repeats=6, record=["time", "levels"])
    whole = bench.results
    bench.run(spec)
    expected = bench.keys()
    bench.results = whole / "killed"
    rng = random.Random(7)
    amid = 0  # kills that left some rows but not all
    for _ in range(14):
        process = bench.start(spec)
        target = count_rows(bench) + rng.randrange(0, 3)
        wait_for(lambda n=target: count_rows(bench) >= n, process)
        time.sleep(rng.random() * 0.01)  # anywhere within a trial
        process.kill()
        process.communicate()
        amid += process.returncode == -signal.SIGKILL and 0 < count_rows(bench) < len(expected)
        for table in ("runs", "levels", "measures", "graphs"):
            if (bench.results / f"t/{table}.csv").exists():
                bench.rows(table)
    assert amid >= 3
    bench.run(spec)
    assert bench.keys() == expected
    trials = {row["trial"] for row in bench.rows()}
    assert len(trials) == len(expected)
    instrumented = [row for row in bench.rows() if row["edges_checked"]]
    for row in instrumented:  # details of every row are there, once
        levels = [x for x in bench.rows("levels") if x["trial"] == row["trial"]]
        assert [x["level"] for x in levels] == [str(i) for i in range(int(row["levels"]))]
    assert {x["trial"] for x in bench.rows("levels") + bench.rows("measures")} <= trials


def test_a_worker_dies_with_its_driver(bench):
    spec = bench.spec(cases={"slow": {"sleep_ms": 30000}})
    process = bench.start(spec)
    children = f"/proc/{process.pid}/task/{process.pid}/children"
    worker = []

    def started():
        worker[:] = Path(children).read_text().split() if os.path.exists(children) else []
        return worker and count_rows(bench, "t") >= 0

    wait_for(started, process)
    process.kill()
    process.communicate()
    for _ in range(1000):
        try:
            with open(f"/proc/{worker[0]}/stat") as file:
                if file.read().rsplit(")", 1)[1].split()[0] == "Z":
                    return
        except FileNotFoundError:
            return
        time.sleep(0.01)
    pytest.fail("the worker outlived its driver")


@pytest.mark.parametrize("cut", [1, 7, 40])
def test_torn_tails_are_trimmed(bench, cut):
    spec = bench.spec(repeats=2, record=["time", "levels"])
    bench.run(spec)
    expected = bench.keys()
    for table in ("runs", "levels", "measures"):
        path = bench.results / f"t/{table}.csv"
        path.write_bytes(path.read_bytes()[:-cut])
    bench.run(spec)
    assert bench.keys() == expected
    for row in bench.rows():
        if row["instrumented"] == "1" and row["trial"] == str(len(expected) - 1):
            assert len([x for x in bench.rows("levels") if x["trial"] == row["trial"]]) == int(
                row["levels"]
            )


def test_details_without_a_row_are_kept_aside(bench):
    """As a kill leaves them between the details of a trial and its row."""
    spec = bench.spec(record=["levels"])
    bench.run(spec)
    runs, levels = (bench.results / f"t/{table}.csv" for table in ("runs", "levels"))
    whole = levels.read_bytes()
    for turn in ("", "-2"):
        runs.write_bytes(b"".join(runs.read_bytes().splitlines(keepends=True)[:-1]))
        details = bench.rows("levels")
        last = details[-1]["trial"]
        done = bench.run(spec)
        aside = bench.results / f"t/levels.aside{turn}.csv"
        assert (
            f"rows of levels.csv belong to no finished trial, and are kept in {aside}"
            in done.stderr
        )
        kept = list(csv.DictReader(aside.open(newline="")))
        assert kept == [row for row in details if row["trial"] == last]
        assert len(bench.rows("levels")) == len(details)
    assert levels.read_bytes() != whole  # times differ
    assert bench.ask("doctor", bench.results).returncode == 0


def test_details_without_a_row_amid_others_are_kept_aside(bench):
    """As a write that failed leaves them: the rows after them stay, and have new seals."""
    spec = bench.spec(record=["levels"], sources=[1, 2, 3, 4])
    bench.run(spec)
    folder = bench.results / "t"
    runs = folder / "runs.csv"
    lines = runs.read_bytes().splitlines(keepends=True)
    runs.write_bytes(b"".join(lines[:2] + lines[3:]))
    seal_tables(folder)
    before = bench.rows("levels")
    lost = bench.rows()[1]["trial"]
    bench.run(spec)
    kept = [row for row in csv.DictReader((folder / "levels.aside.csv").open(newline=""))]
    assert kept and {row["trial"] for row in kept} == {"1"} and lost == "2"
    without = [row for row in before if row["trial"] != "1"]
    now = bench.rows("levels")[: len(without)]
    assert [row | {"seal": ""} for row in now] == [row | {"seal": ""} for row in without]


def test_rows_of_a_graph_that_is_tried_again_are_kept_aside(bench):
    graph = bench.folder / "late.txt"
    graph.write_text("no graph\n")
    spec = bench.spec(graphs=[f"file:{graph}"], sources=[0])
    bench.run(spec, code=2)
    (row,) = bench.rows()
    graph.write_text("0 1\n1 2\n")
    done = bench.run(spec)
    aside = bench.results / "t/runs.aside.csv"
    assert f"1 row of runs.csv belongs to no finished trial, and is kept in {aside}" in done.stderr
    assert list(csv.DictReader(aside.open(newline=""))) == [row]
    assert {each["status"] for each in bench.rows()} == {"ok"}


def test_a_changed_file_is_refused(bench):
    bench.run(bench.spec())
    path = bench.results / "t/runs.csv"
    path.write_text(path.read_text().replace(",ok,", ",fine,", 1))
    seal_tables(path.parent)
    assert "row 2" in bench.run(bench.spec(), code=2).stderr


def test_ctrl_c_and_resume(bench):
    spec = bench.spec(cases={"slow": {"sleep_ms": 50}}, repeats=4)
    for number, words in ((signal.SIGINT, "ctrl-C (SIGINT)"), (signal.SIGTERM, "SIGTERM")):
        process = bench.start(spec)
        rows = count_rows(bench)
        wait_for(lambda n=rows: count_rows(bench) > max(n, 0), process)
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
        assert process.returncode == 130, err
        assert "the same command continues from there" in err and out == ""
        assert f"interrupted by {words}" in err
    bench.run(spec)
    assert len(bench.keys()) == len(set(bench.keys())) == 8


def test_two_runs_at_once(bench):
    spec = bench.spec(cases={"slow": {"sleep_ms": 30000}})
    first = bench.start(spec)
    wait_for(lambda: count_rows(bench) >= 0, first)
    refused = bench.run(spec, code=2)
    assert f"process {first.pid} on host" in refused.stderr
    first.kill()
    first.communicate()


def test_a_changed_spec_is_refused_unless_fresh(bench):
    bench.run(bench.spec())
    old = bench.rows()
    changed = bench.spec(repeats=2, warmup=1)
    refused = bench.run(changed, code=2).stderr
    assert "rows with `warmup` = 0" in refused and "--fresh" in refused
    assert bench.rows() == old
    fresh = bench.run(changed, "--fresh")
    assert "moved to" in fresh.stderr
    (aside,) = (bench.results / ".previous").iterdir()
    assert aside.name.startswith("t-") and (aside / "runs.csv").exists()
    assert len(bench.rows()) == 4
    bench.run(changed, "--resume")
    assert len(bench.rows()) == 4


def test_rows_without_a_spec_are_refused_unless_fresh(bench):
    bench.run(bench.spec())
    (bench.results / "t/spec.json").unlink()
    assert "--fresh" in bench.run(bench.spec(), code=2).stderr
    bench.run(bench.spec(), "--fresh")
    (aside,) = (bench.results / ".previous").iterdir()
    assert (aside / "runs.csv").exists() and len(bench.rows()) == 2


def test_a_changed_graph_is_refused(bench):
    graph = bench.folder / "graph.txt"
    graph.write_text("0 1\n1 2\n")
    bench.run(bench.spec(graphs=[f"file:{graph}"], sources=[0]))
    runs = bench.results / "t/runs.csv"
    runs.write_text(runs.read_text().split("\n")[0] + "\n")  # as if killed before the first row
    graph.write_text("0 1\n1 2\n2 3\n")
    refused = bench.run(bench.spec(graphs=[f"file:{graph}"], sources=[0]), code=2)
    assert "has changed" in refused.stderr


def test_full_disk(bench, small_disk):
    spec = bench.spec(repeats=150)
    bench.results = small_disk
    done = bench.run(spec, code=1)
    assert "No space left" in done.stderr and "continues from there" in done.stderr
    text = (small_disk / "t/runs.csv").read_text()
    assert text.endswith("\n")
    kept = len(bench.rows())
    assert 0 < kept < 300
    subprocess.run(["mount", "-o", "remount,size=8m", small_disk], check=True)
    bench.run(spec)
    assert len(bench.keys()) == len(set(bench.keys())) == 300


def test_unwritable_results(bench):
    bench.results = bench.folder / "locked"
    bench.results.mkdir(mode=0o555)
    user = {}
    if os.geteuid() == 0:  # root may write anywhere, so another user tries
        if shutil.which("setpriv") is None:
            pytest.skip("root may write anywhere, and there is no setpriv to be somebody else")
        for folder in [bench.folder, *bench.folder.parents]:
            if folder.owner() == "root" and folder != folder.parent:
                folder.chmod(folder.stat().st_mode | 0o055)
            if str(folder) == "/tmp":
                break
        program = bench.folder / "bfslab"
        shutil.copy(bench.program, program)
        spec = bench.spec()
        command = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", str(program)]
        done = subprocess.run(
            [*command, "run", str(spec), "--results", str(bench.results)],
            env={**bench.env, "BFSLAB_CACHE": "/nonexistent"},
            cwd="/",
            capture_output=True,
            text=True,
        )
        assert done.returncode == 2, done.stderr
    else:
        done = bench.run(bench.spec(), code=2, **user)
    assert "cannot write to" in done.stderr and "--results" in done.stderr


@pytest.mark.parametrize("which", ["results", "experiment"])
def test_a_folder_may_be_a_link_and_a_table_may_not(bench, which):
    elsewhere = bench.folder / "elsewhere"
    elsewhere.mkdir()
    if which == "results":
        bench.results.symlink_to(elsewhere)
    else:
        bench.results.mkdir()
        (bench.results / "t").symlink_to(elsewhere)
    bench.run(bench.spec())
    before = bench.rows()
    assert before and list(elsewhere.rglob("runs.csv"))
    bench.run(bench.spec())  # nothing is left to do
    assert bench.rows() == before
    table = bench.results / "t/runs.csv"
    table.rename(bench.folder / "moved.csv")
    table.symlink_to(bench.folder / "moved.csv")
    assert "symbolic link" in bench.run(bench.spec(repeats=3), code=2).stderr
    assert (bench.folder / "moved.csv").read_text() == table.read_text()
