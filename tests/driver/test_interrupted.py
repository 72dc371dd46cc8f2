# SPDX-License-Identifier: Apache-2.0
"""What is ended from outside is no result: it is tried again, at once and by the next run. What a
user names is tried again, too. And rows of a finished folder hold for its own graphs alone."""

import os
import signal
import subprocess
from pathlib import Path

import pytest
from driver_bench import count_rows, statuses, wait_for

ENDING = [signal.SIGTERM, signal.SIGHUP, signal.SIGSEGV, signal.SIGABRT]


def counted(rows: list[dict]) -> list[dict]:
    """The rows that count, by the rule of docs/rows.md."""
    last: dict = {}
    for row in rows:
        key = tuple(row[k] for k in ("case", "graph", "source", "repeat", "instrumented"))
        last[key] = row
    return list(last.values())


@pytest.fixture(autouse=True)
def ended_by_a_hangup():
    """Also where pytest was started by nohup, whose processes ignore it."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.fixture
def marks(bench):
    folder = bench.folder / "marks"
    folder.mkdir()
    bench.env["FAULTY_MARKS"] = str(folder)
    return folder


@pytest.mark.parametrize("number", [*ENDING, signal.SIGKILL])
@pytest.mark.parametrize("times", [1, 2])
def test_a_trial_that_somebody_ends_is_tried_again_at_once(bench, marks, number, times):
    bench.env["FAULTY_SIGNAL"] = str(int(number))
    bench.env["FAULTY_TIMES"] = str(times)
    spec = bench.spec(cases={"ended": {"fault": "once"}, "good": {}}, repeats=2)
    bench.run(spec)
    rows = bench.rows()
    assert statuses(rows, "ended") == ["interrupted"] * times + ["ok"] * 4
    assert statuses(rows, "good") == ["ok"] * 4
    ended = [row for row in rows if row["case"] == "ended"]
    assert [row["attempt"] for row in ended[: times + 1]] == [str(i) for i in range(times + 1)]
    assert f"SIG{number.name[3:]}" in ended[0]["reason"] and ended[0]["time_ms"] == ""
    bench.run(spec)
    assert bench.rows() == rows  # nothing is left


@pytest.mark.parametrize("number", ENDING)
def test_what_is_ended_again_and_again_is_left_for_the_next_run(bench, marks, number):
    bench.env["FAULTY_SIGNAL"] = str(int(number))
    bench.env["FAULTY_TIMES"] = "3"
    spec = bench.spec(cases={"ended": {"fault": "once"}, "good": {}}, repeats=2)
    done = bench.run(spec, code=1)
    assert "4 ok, 1 interrupted" in done.stderr
    rows = bench.rows()
    assert statuses(rows, "ended") == ["interrupted"] * 3
    assert statuses(rows, "good") == ["ok"] * 4
    bench.run(spec)
    assert [row["status"] for row in counted(bench.rows())] == ["ok"] * 8
    assert bench.rows()[: len(rows)] == rows


def test_sigkill_again_and_again_is_a_crash(bench):
    """Nobody learns who sent it: the engine itself may have."""
    spec = bench.spec(cases={"bad": {"fault": "kill"}, "good": {}})
    bench.run(spec)
    rows = bench.rows()
    assert statuses(rows, "bad") == ["interrupted"] * 2 + ["crash", "skipped"]
    assert "3 times in a row" in next(row for row in rows if row["status"] == "crash")["reason"]
    assert statuses(rows, "good") == ["ok", "ok"]
    bench.run(spec)
    assert bench.rows() == rows


@pytest.mark.parametrize("fault", ["sigterm", "crash", "abort"])
def test_a_signal_of_its_own_is_a_crash_at_once(bench, fault):
    bench.run(bench.spec(cases={"bad": {"fault": fault}}))
    assert statuses(bench.rows(), "bad") == ["crash", "skipped"]


def worker_of(process: subprocess.Popen) -> int:
    """The driver's only child, once there is one."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    found: list[str] = []
    wait_for(lambda: found.extend(children.read_text().split()) or found, process)
    return int(found[0])


def test_a_worker_that_is_stopped_beyond_its_limit_is_interrupted(bench):
    spec = bench.spec(
        cases={"slow": {"sleep_ms": 300}}, sources=[1, 2], limits={"trial_s": 2}, repeats=1
    )
    process = bench.start(spec)
    wait_for(lambda: count_rows(bench) >= 1, process)
    os.kill(worker_of(process), signal.SIGSTOP)
    _, err = process.communicate(timeout=100)
    assert process.returncode == 0, err
    rows = bench.rows()
    assert [row["status"] for row in rows] == ["ok", "interrupted", "ok"]
    assert "was stopped by a signal" in rows[1]["reason"]


def slow_graph(folder: Path) -> Path:
    """Takes some 100 ms to read."""
    path = folder / "graph.txt"
    path.write_text("".join(f"{i} {i + 1}\n" for i in range(2_000_000)))
    return path


@pytest.mark.parametrize("times", [1, 3])
def test_a_worker_that_is_killed_while_it_loads(bench, times):
    graph = slow_graph(bench.folder)
    spec = bench.spec(graphs=[f"file:{graph}"], sources=[0])
    process = bench.start(spec)
    killed: set[int] = set()

    def kill_one() -> bool:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        for child in map(int, children.read_text().split()):
            words = Path(f"/proc/{child}/cmdline").read_bytes().split(b"\0")
            if child in killed or words[1:2] != [b"worker"]:  # not yet, or a program it asks
                continue
            os.kill(child, signal.SIGKILL)
            killed.add(child)
        return len(killed) == times

    wait_for(kill_one, process)
    _, err = process.communicate(timeout=100)
    assert process.returncode == (0 if times == 1 else 1), err
    rows = bench.rows()
    if times == 1:
        assert [row["status"] for row in rows] == ["ok"]
        return
    (row,) = rows
    assert row["status"] == "interrupted" and "SIGKILL" in row["reason"]
    bench.run(spec)
    assert [row["status"] for row in bench.rows()] == ["ok"]


@pytest.mark.parametrize(
    "fault,status", [("bad_alloc", "oom"), ("hang", "timeout"), ("crash", "crash")]
)
def test_retry_runs_again_what_it_names(bench, fault, status):
    bad = {"fault": fault, "call": 1}
    spec = bench.spec(cases={"bad": bad, "good": {}}, repeats=2, limits={"trial_s": 1})
    bench.run(spec)
    first = bench.rows()
    assert statuses(first, "bad") == ["ok", status, "skipped", "skipped"]
    others = {"oom", "timeout", "crash", "wrong", "unsupported"} - {status}
    bench.run(spec, "--retry", ",".join(sorted(others)))
    assert bench.rows() == first
    # In a new worker the same call is the second of those that failed or were skipped.
    bench.run(spec, "--retry", status)
    again = bench.rows()
    assert again[: len(first)] == first
    assert statuses(again[len(first) :], "bad") == ["ok", status, "skipped"]
    assert statuses(again, "good") == ["ok"] * 4
    bench.run(spec)  # and that is the result now
    assert bench.rows() == again
    bench.run(spec, "--retry", f"{status},wrong")
    assert [row["status"] for row in counted(bench.rows()) if row["case"] == "bad"] == [
        "ok",
        "ok",
        "ok",
        status,
    ]


def test_retry_refuses_other_words(bench):
    for words in ("ok", "skipped", "oom,", "oom timeout", "none"):
        code = 0 if words == "oom," else 2
        done = bench.run(bench.spec(), "--retry", words, code=code)
        assert code == 0 or "--retry: found" in done.stderr


# --- graphs of a finished folder


def two_folders(bench) -> tuple[Path, Path]:
    """The same spec twice, beside files of the same name."""
    spec = bench.spec(graphs=["file:g.txt"], sources=[0]).read_text()
    folders = bench.folder / "a", bench.folder / "b"
    for folder, edges in zip(folders, ("0 1\n1 2\n", "0 1\n1 2\n2 3\n"), strict=True):
        folder.mkdir()
        (folder / "t.json").write_text(spec)
        (folder / "g.txt").write_text(edges)
    return folders


def test_a_file_is_relative_to_its_spec(bench):
    for folder, levels in zip(two_folders(bench), "34", strict=True):
        bench.results = folder / "results"
        bench.run(folder / "t.json")  # from another folder
        assert [row["levels"] for row in bench.rows()] == [levels]
        assert bench.rows("graphs")[0]["graph"] == "file:g.txt"
        assert f"file:{folder}/g.txt" in bench.rows("graphs")[0]["name"]


def test_a_file_of_an_extended_spec_is_relative_to_that(bench):
    a, b = two_folders(bench)
    (b / "more.json").write_text('{"extends": "../a/t.json", "name": "t", "repeats": 2}')
    bench.run(b / "more.json")
    assert {row["levels"] for row in bench.rows()} == {"3"}
    assert bench.rows("graphs")[0]["graph"] == "file:../a/g.txt"
    assert f"file:{a}/g.txt" in bench.rows("graphs")[0]["name"]


def test_rows_of_another_file_of_that_name_are_not_taken_for_these(bench):
    a, b = two_folders(bench)
    bench.run(a / "t.json")
    rows = bench.rows()
    refused = bench.run(b / "t.json", code=2)
    assert "has changed" in refused.stderr and f"{b}/g.txt" in refused.stderr
    assert bench.rows() == rows
    bench.run(b / "t.json", "--fresh")
    assert [row["levels"] for row in bench.rows()] == ["4"]


@pytest.mark.parametrize("engine", ["faulty", "graph-load", "faulty-recipe"])
@pytest.mark.parametrize("how", ["write", "mmap"])
def test_a_finished_folder_looks_at_its_graphs_again(bench, how, engine):
    graph = bench.folder / "g.txt"
    graph.write_text("0 1\n1 2\n2 3\n")
    spec = bench.spec(graphs=["file:g.txt"], sources=[0], base={"engine": engine})
    bench.run(spec)
    rows = bench.rows()
    bench.run(spec)
    before = graph.stat()
    if how == "write":
        graph.write_text("0 1\n1 2\n1 3\n")
    else:
        import mmap

        with open(graph, "r+b") as file, mmap.mmap(file.fileno(), 0) as view:
            view[8:11] = b"1 3"
        os.utime(graph, ns=(before.st_atime_ns, before.st_mtime_ns))
        assert graph.stat().st_mtime_ns == before.st_mtime_ns
    refused = bench.run(spec, code=2)
    assert "has changed" in refused.stderr and "--fresh" in refused.stderr
    assert bench.rows() == rows
    bench.run(spec, "--fresh")
    assert [row["levels"] for row in bench.rows()] == ["3" if engine == "faulty" else ""]
