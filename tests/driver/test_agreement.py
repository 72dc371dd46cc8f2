# SPDX-License-Identifier: Apache-2.0
"""Rows of one search agree: over repeats, engines and experiments of one folder of results. Whoever
differs from the sequential reference is wrong; and no engine changes the graph that all read."""

import csv

import pytest
from driver_bench import statuses

from tests.sealing import seal_tables

COUNTS = ("levels", "reached_vertices", "level_sum", "component_edges")
GRAPH = "path:vertices=3000"  # of several pages


def counts(rows: list[dict]) -> set[tuple]:
    return {tuple(row[column] for column in COUNTS) for row in rows if row["status"] == "ok"}


@pytest.mark.parametrize("answer", ["levels", "parents", "both"])
def test_rows_tell_the_sum_of_levels(bench, answer):
    cases = {"a": {}, "b": {"engine": "hybrid"}, "gpu": {"engine": "faulty-gpu"}}
    graphs = ["path:vertices=9"]
    bench.run(bench.spec(graphs=graphs, sources=[0], answer=answer, check="none", cases=cases))
    assert counts(bench.rows()) == {("9", "9", "36", "8")}


def test_a_wrong_answer_that_is_not_checked_by_the_rules_differs_from_the_checked_one(bench):
    bad = {"fault": "half", "call": 2}
    spec = bench.spec(cases={"bad": bad, "good": {}}, sources=[1], repeats=4)
    done = bench.run(spec, code=1)
    rows = bench.rows()
    assert statuses(rows, "bad") == ["ok", "ok", "wrong", "skipped"]
    wrong = next(row for row in rows if row["status"] == "wrong")
    assert wrong["validated"] == "0" and wrong["time_ms"] == "" and wrong["reached_vertices"] == ""
    assert "the sequential reference has levels" in wrong["reason"] and "wrong" in done.stderr
    assert statuses(rows, "good") == ["ok"] * 4
    assert len(counts(rows)) == 1


@pytest.mark.parametrize("fault", ["half", "wrong_levels"])
def test_engines_that_disagree_unchecked(bench, fault):
    """Whichever runs first: rows that turn out to be wrong are taken back by rows."""
    spec = bench.spec(
        cases={"bad": {"fault": fault}, "good": {}},
        sources=[1],
        repeats=2,
        check="none",
        order="sequential",
    )
    bench.run(spec, code=1)
    rows = bench.rows()
    ended = [row for row in rows if row["case"] == "bad" and row["repeat"] == "0"]
    assert [row["status"] for row in ended] == ["ok", "wrong"]
    assert [row["attempt"] for row in ended] == ["0", "1"]
    assert statuses(rows, "good") == ["ok"] * 2
    before = (bench.results / "t/runs.csv").read_bytes()
    bench.run(spec, code=1)
    assert (bench.results / "t/runs.csv").read_bytes() == before


def test_experiments_in_one_folder_agree(bench):
    liar = {"fault": "half"}
    bad = bench.spec("bad", cases={"liar": liar}, sources=[1], check="none")
    bench.run(bad)  # no other row contradicts it
    done = bench.run(bench.spec("good", sources=[1], check="none"), code=1)
    assert "trial 0 of bad is wrong: the sequential reference has" in done.stderr
    (row,) = bench.rows(name="good")
    assert row["status"] == "ok"
    # And the other way round the liar is found at once.
    again = bench.spec("again", cases={"liar": liar}, sources=[1], check="none")
    (bench.results / "bad").rename(bench.folder / "aside")
    bench.run(again, code=1)
    assert statuses(bench.rows(name="again"), "liar") == ["wrong"]


@pytest.mark.parametrize("damage", ["", "junk", "header\n1,2\n", "trial,status\nx,ok\n"])
def test_what_lies_beside_the_experiment_does_not_matter(bench, damage):
    (bench.results / "other").mkdir(parents=True)
    (bench.results / "other/runs.csv").write_text(damage)
    bench.run(bench.spec())


def test_an_engine_that_writes_into_the_graph_crashes(bench):
    bench.run(bench.spec(graphs=[GRAPH], cases={"bad": {"fault": "scribble"}, "good": {}}))
    rows = bench.rows()
    assert statuses(rows, "bad") == ["crash", "skipped"]
    assert "SIGSEGV" in next(row for row in rows if row["status"] == "crash")["reason"]
    assert statuses(rows, "good") == ["ok", "ok"]


@pytest.mark.parametrize("cached", [False, True])
def test_a_worker_whose_graph_changed_leaves_no_row_that_counts(bench, cached):
    if not cached:
        bench.env["BFSLAB_CACHE"] = "/proc/nowhere"
    spec = bench.spec(
        graphs=["star:vertices=3000"],
        cases={"bad": {"fault": "flip", "where": "load"}, "good": {}},
        sources=[0, 1],
        check="none",
    )
    done = bench.run(spec, code=1)
    rows = bench.rows()
    assert "is not the one that was loaded" in done.stderr
    last = {(row["case"], row["source"]): row["status"] for row in rows}
    assert set(last.values()) == {"interrupted"}
    assert sorted(statuses(rows, "good")) == ["interrupted"] * 2 + ["ok"] * 2


def test_the_attempt_that_counts_is_checked(bench):
    """Polluted attempts are checked too, since one of them may come to count."""
    spec = bench.spec(
        sources=[1], repeats=3, pollution={"limit_pct": -1, "attempts": 2}, record=["time"]
    )
    bench.run(spec)
    checked = [(row["repeat"], row["attempt"], row["validated"]) for row in bench.rows()]
    assert checked == [
        ("0", "0", "1"),
        ("0", "1", "1"),
        ("1", "0", "0"),
        ("1", "1", "0"),
        ("2", "0", "0"),
        ("2", "1", "0"),
    ]


def test_after_a_resume_the_attempt_that_counts_is_checked(bench):
    """A row whose attempt was not checked, as of a run that was ended just then."""
    spec = bench.spec(sources=[1], repeats=2)
    bench.run(spec)
    path = bench.results / "t/runs.csv"
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    rows[0]["validated"] = "0"
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerow(rows[0])
    seal_tables(path.parent)
    bench.run(spec)
    assert [row["validated"] for row in bench.rows()] == ["0", "1"]
