# SPDX-License-Identifier: Apache-2.0
"""Failures: every way in which an engine can fail becomes a row, and the sweep continues."""

import pytest
from driver_bench import statuses, wait_until

REASONS = {
    "crash": ("crash", "SIGSEGV"),
    "abort": ("crash", "SIGABRT"),
    "exit": ("crash", "exited with code 7"),
    "throw": ("crash", "thrown on purpose"),
    "bad_alloc": ("oom", "std::bad_alloc while traversing"),
    "refuse": ("unsupported", "refuses this graph"),
    "orphan": ("crash", "exited with code 3"),
    "alarm": ("crash", "SIGALRM"),
}


@pytest.mark.parametrize("fault", REASONS)
def test_a_failure_is_a_row_and_the_rest_goes_on(bench, fault):
    spec = bench.spec(cases={"bad": {"fault": fault, "call": 1}, "good": {"twin": 1}}, repeats=2)
    bench.run(spec)
    status, words = REASONS[fault]
    rows = bench.rows()
    assert statuses(rows, "good") == ["ok"] * 4
    bad = statuses(rows, "bad")
    assert bad[:2] == ["ok", status]
    assert bad[2:] == ["unsupported" if status == "unsupported" else "skipped"] * 2
    culprit = next(row for row in rows if row["status"] == status)
    assert words in culprit["reason"] and culprit["time_ms"] == ""
    assert len(rows) == len(set(bench.keys())) == 8
    bench.run(spec)  # a failure is a result: nothing is run again
    assert bench.rows() == rows


def test_what_a_dead_worker_leaves_running_is_ended(bench):
    bench.take_own_program()
    bench.run(bench.spec(cases={"bad": {"fault": "orphan"}}))
    assert statuses(bench.rows(), "bad") == ["crash", "skipped"]
    wait_until(lambda: bench.processes() == [])


def test_a_refusal_leaves_the_worker_alone(bench):
    bench.run(bench.spec(cases={"bad": {"fault": "refuse", "call": 1}, "good": {}}, repeats=2))
    assert statuses(bench.rows(), "good") == ["ok"] * 4
    loads = [row for row in bench.rows("measures") if row["metric"] == "engine_memory"]
    assert len(loads) == 2 * len({row["part"] for row in loads})  # each engine once, in one worker


def test_a_failure_while_loading_the_engine(bench):
    bench.run(bench.spec(cases={"bad": {"fault": "crash", "where": "load"}, "good": {}}))
    rows = bench.rows()
    assert statuses(rows, "bad") == ["crash", "skipped"]
    assert "while loading the engine" in rows[0]["reason"] + rows[1]["reason"]
    assert "about to crash" in "".join(row["reason"] for row in rows)
    assert statuses(rows, "good") == ["ok", "ok"]


def test_a_worker_that_fails_as_it_ends_keeps_its_rows(bench):
    done = bench.run(bench.spec(cases={"bad": {"fault": "crash", "where": "end"}, "good": {}}))
    assert statuses(bench.rows(), "bad") == statuses(bench.rows(), "good") == ["ok", "ok"]
    words = "the worker failed after its last trial, and its rows are valid: "
    assert f"{words}killed by signal 11 (SIGSEGV): faulty: about to crash" in done.stderr


@pytest.mark.parametrize("fault,answer", [("wrong_levels", "levels"), ("wrong_parents", "parents")])
def test_a_wrong_answer_has_no_time_and_fails_the_run(bench, fault, answer):
    spec = bench.spec(cases={"bad": {"fault": fault}, "good": {}}, answer=answer)
    done = bench.run(spec, code=1)
    rows = bench.rows()
    assert statuses(rows, "bad") == ["wrong", "skipped"]
    assert statuses(rows, "good") == ["ok", "ok"]
    wrong = next(row for row in rows if row["status"] == "wrong")
    assert wrong["time_ms"] == "" and wrong["reason"] and wrong["validated"] == "1"
    assert "wrong" in done.stderr
    bench.run(spec, code=1)  # and still says so when there is nothing left to run


def test_unchecked_wrong_answers_pass(bench):
    bench.run(bench.spec(cases={"bad": {"fault": "wrong_levels"}}, check="none"))
    assert {row["validated"] for row in bench.rows()} == {"0"}


def test_check_all_finds_a_late_wrong_answer(bench):
    spec = bench.spec(
        cases={"bad": {"fault": "wrong_levels", "call": 2}}, sources=[1], repeats=4, check="all"
    )
    bench.run(spec, code=1)
    assert [row["status"] for row in bench.rows()] == ["ok", "ok", "wrong", "skipped"]


@pytest.mark.parametrize("where", ["load", "traverse"])
def test_time_limit(bench, where):
    bench.run(
        bench.spec(
            cases={"bad": {"fault": "hang", "where": where}, "good": {}}, limits={"trial_s": 1}
        )
    )
    rows = bench.rows()
    assert statuses(rows, "bad") == ["timeout", "skipped"]
    reason = next(row["reason"] for row in rows if row["status"] == "timeout")
    assert "limits.trial_s is 1" in reason
    assert statuses(rows, "good") == ["ok", "ok"]


def test_memory_limit(bench):
    bench.run(
        bench.spec(
            cases={"bad": {"fault": "hungry", "mib": 1500}, "good": {}},
            limits={"memory_mib": 700, "trial_s": 60},
        )
    )
    rows = bench.rows()
    assert statuses(rows, "bad") == ["oom", "skipped"]
    reason = next(row["reason"] for row in rows if row["status"] == "oom")
    assert "limits.memory_mib is 700" in reason and "MiB resident" in reason
    assert statuses(rows, "good") == ["ok", "ok"]


def test_memory_that_was_had_for_a_moment_counts(bench):
    cases = {"bad": {"fault": "spike", "mib": 800}, "good": {}}
    bench.run(bench.spec(cases=cases, limits={"memory_mib": 700}))
    rows = bench.rows()
    assert statuses(rows, "bad") == ["oom", "skipped"]
    reason = next(row["reason"] for row in rows if row["status"] == "oom")
    assert "resident" in reason and "limits.memory_mib is 700" in reason
    assert statuses(rows, "good") == ["ok", "ok"]


def test_a_malformed_graph_is_reported_and_the_others_run(bench):
    bad = bench.folder / "bad.txt"
    bad.write_text("1 2\nthree 4\n")
    spec = bench.spec(graphs=[f"file:{bad}", "path:vertices=9"])
    done = bench.run(spec, code=2)
    assert "bad.txt:2" in done.stderr
    rows = bench.rows()
    assert [row["status"] for row in rows] == ["skipped", "ok", "ok"]
    assert rows[0]["source"] == "" and "bad.txt:2" in rows[0]["reason"]
    bad.write_text("1 2\n3 4\n")  # corrected: the next run uses it
    bench.run(spec)
    assert sorted(row["status"] for row in bench.rows()) == ["ok"] * 4


def test_bad_input_is_refused_before_anything_runs(bench):
    done = bench.run(bench.spec(graphs=["snap:no-such-graph", "file:gone.txt"]), code=2)
    assert "no-such-graph" in done.stderr and "gone.txt" in done.stderr
    assert bench.run(bench.spec("v", engine="x"), code=2).stderr
    assert bench.run(bench.spec(), bench.spec(), code=2).stderr.count("same name") == 1
    assert not bench.results.exists()


def test_a_source_that_the_graph_does_not_have(bench):
    graph = bench.folder / "graph.txt"  # a file: its vertices are unknown before it is read
    graph.write_text("0 1\n1 2\n")
    done = bench.run(bench.spec(graphs=[f"file:{graph}"], sources=[7]), code=2)
    assert "source 7 is not in the graph" in done.stderr


def test_worker_by_hand(bench):
    import subprocess

    done = subprocess.run(
        bench.command("worker"), stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    assert done.returncode == 2 and "by hand" in done.stderr
