# SPDX-License-Identifier: Apache-2.0
"""Engines that search from several sources in a row: each search is a row of its own."""

import pytest
from driver_bench import statuses

SOURCES = {"count": 5, "seed": 1, "rule": "degree>=1"}


def test_each_search_is_one_row_with_the_time_that_the_engine_tells(bench):
    cases = {"row": {"searches": 2}, "alone": {}}
    bench.run(bench.spec(cases=cases, sources=SOURCES, repeats=2, check="all", answer="both"))
    rows = bench.rows()
    assert statuses(rows, "row") == statuses(rows, "alone") == ["ok"] * 10
    # Five sources are two, two and one: three calls a repeat, in the order of the sources.
    told = [float(row["time_ms"]) for row in rows if row["case"] == "row"]
    assert told == [search + 1.5 for search in range(10)]
    assert {row["validated"] for row in rows} == {"1"}
    # The answers are those of the sources that the rows name.
    facts = ("source", "levels", "reached_vertices", "level_sum")
    of = {
        case: {tuple(row[fact] for fact in facts) for row in rows if row["case"] == case}
        for case in cases
    }
    assert of["row"] == of["alone"] and len(of["row"]) == 5


IN_PARTS = {
    "base": {"engine": "faulty-parts"},
    "graphs": ["kronecker:scale=9,edge_factor=2"],
    "sources": {"count": 5, "seed": 3, "rule": "levels>=2"},
}


@pytest.mark.parametrize("check", ["all", "first"])
def test_answers_that_stay_in_parts_are_judged_there(bench, check):
    cases = {"row": {"searches": 2}, "alone": {}}
    bench.run(bench.spec(cases=cases, repeats=2, check=check, **IN_PARTS))
    rows = bench.rows()
    assert statuses(rows, "row") == statuses(rows, "alone") == ["ok"] * 10
    told = [float(row["time_ms"]) for row in rows if row["case"] == "row"]
    assert told == [search + 1.5 for search in range(10)]
    facts = ("source", "levels", "reached_vertices", "level_sum", "component_edges")
    of = {
        case: {tuple(row[fact] for fact in facts) for row in rows if row["case"] == case}
        for case in cases
    }
    assert of["row"] == of["alone"] and len(of["row"]) == 5


def test_a_wrong_answer_in_parts_is_found(bench):
    cases = {"row": {"searches": 64, "fault": "wrong_levels", "rank": 0}}
    bench.run(bench.spec(cases=cases, check="all", **IN_PARTS), code=1)
    assert statuses(bench.rows(), "row")[0] == "wrong"


def test_an_instrumented_search_is_made_alone(bench):
    cases = {"row": {"searches": 64}}
    bench.run(bench.spec(cases=cases, sources=SOURCES, record=["time", "levels"]))
    timed = [row for row in bench.rows() if row["instrumented"] == "0"]
    assert [float(row["time_ms"]) for row in timed] == [1.5, 2.5, 3.5, 4.5, 5.5]
    assert len([row for row in bench.rows() if row["instrumented"] == "1"]) == 5
    assert bench.rows("levels")


def test_a_wrong_answer_among_them_is_found(bench):
    cases = {"row": {"searches": 64, "fault": "wrong_levels", "call": 2}}
    bench.run(bench.spec(cases=cases, sources=SOURCES, check="all"), code=1)
    assert statuses(bench.rows(), "row") == ["ok", "ok", "wrong", "skipped", "skipped"]


def test_a_batch_has_one_time_that_its_rows_share(bench):
    cases = {"batch": {"batch": 3}, "alone": {}}
    sources = [5, 9, 12, 77, 3]  # the last batch is not full
    bench.run(bench.spec(cases=cases, sources=sources, repeats=2, check="all"))
    rows = [row for row in bench.rows() if row["case"] == "batch"]
    assert statuses(bench.rows(), "batch") == ["ok"] * len(rows)
    assert {row["validated"] for row in rows} == {"1"}
    for row in rows:
        per_search = float(row["batch_ms"]) / int(row["batch_searches"])
        assert float(row["time_ms"]) == pytest.approx(per_search, rel=1e-3)
    times = {}
    for row in rows:
        times.setdefault((row["repeat"], row["batch_searches"]), set()).add(row["batch_ms"])
    assert all(len(each) == 1 for each in times.values()), times
    assert {count for _, count in times} == {"3", "2"}
    facts = ("source", "levels", "reached_vertices", "level_sum")
    alone = [row for row in bench.rows() if row["case"] == "alone"]
    assert {row["batch_ms"] for row in alone} == {""}
    assert {tuple(row[fact] for fact in facts) for row in rows} == {
        tuple(row[fact] for fact in facts) for row in alone
    }


def test_a_wrong_level_of_one_source_spoils_its_batch(bench):
    cases = {"batch": {"batch": 3, "fault": "wrong_levels", "call": 4}}
    bench.run(bench.spec(cases=cases, sources=SOURCES, check="first"), code=1)
    rows = bench.rows()
    # The fifth source, in the second batch: no row of that batch has a time.
    assert statuses(rows, "batch") == ["ok", "ok", "ok", "wrong", "skipped"]
    fifth = bench.rows("graphs")[0]["sources"].split(";")[4]
    assert rows[3]["reason"].startswith(f"source {fifth}, one of 2 searched together: ")
    assert rows[3]["time_ms"] == rows[3]["batch_ms"] == ""


def test_a_wrong_level_that_no_rule_was_asked_about_is_found_by_the_counts(bench):
    cases = {"batch": {"batch": 64, "fault": "wrong_levels", "call": 6}, "alone": {}}
    bench.run(bench.spec(cases=cases, sources=SOURCES, repeats=2, check="first"), code=1)
    wrong = [row for row in bench.rows() if row["status"] == "wrong"]
    second = bench.rows("graphs")[0]["sources"].split(";")[1]
    assert [(row["case"], row["source"], row["repeat"]) for row in wrong] == [
        ("batch", second, "1")
    ]
    assert "sequential reference" in wrong[0]["reason"] or "trial" in wrong[0]["reason"]


def test_an_instrumented_search_of_a_batch_is_made_alone(bench):
    bench.run(bench.spec(cases={"batch": {"batch": 8}}, sources=SOURCES, record=["time", "levels"]))
    instrumented = [row for row in bench.rows() if row["instrumented"] == "1"]
    assert len(instrumented) == 5 and {row["batch_ms"] for row in instrumented} == {""}
    assert bench.rows("levels")


def test_hybrid_searches_in_batches(bench):
    cases = {"batch": {"engine": "hybrid", "batch": 64}, "alone": {"engine": "hybrid"}}
    sources = {"count": 70, "seed": 1, "rule": "any"}
    bench.run(bench.spec(cases=cases, sources=sources, check="all", warmup=1))
    rows = [row for row in bench.rows() if row["case"] == "batch"]
    assert statuses(bench.rows(), "batch") == ["ok"] * 70
    assert {row["batch_searches"] for row in rows} == {"64", "6"}


def test_a_batch_refuses_parents(bench):
    cases = {"batch": {"engine": "hybrid", "batch": 2}}
    bench.run(bench.spec(cases=cases, answer="parents"))
    assert {row["status"] for row in bench.rows()} == {"unsupported"}
    assert '"answer": "levels"' in bench.rows()[0]["reason"]


@pytest.mark.parametrize("batch", [1, 4])
def test_a_search_ends_at_its_depth_limit(bench, batch):
    # Rows of one source with different limits have different counts, and agree.
    limited = {"depth_limit": 2, "batch": batch}
    cases = {
        "whole": {},
        "two": limited,
        "two by hybrid": limited | {"engine": "hybrid"},
        "one by hybrid": limited | {"engine": "hybrid", "depth_limit": 1},
    }
    bench.run(bench.spec(cases=cases, sources=SOURCES, check="all"))
    rows = {(row["case"], row["source"]): row for row in bench.rows()}
    assert {row["status"] for row in rows.values()} == {"ok"}
    for source in {source for _, source in rows}:
        of = {case: rows[case, source] for case in cases}
        assert {case: row["depth_limit"] for case, row in of.items()} == {
            "whole": "", "two": "2", "two by hybrid": "2", "one by hybrid": "1"
        }  # fmt: skip
        reached = {case: int(row["reached_vertices"]) for case, row in of.items()}
        assert reached["two"] == reached["two by hybrid"] <= reached["whole"]
        assert reached["one by hybrid"] <= reached["two"]
        assert int(of["two"]["levels"]) <= 3


@pytest.mark.parametrize(("answer", "batch"), [("levels", 1), ("parents", 1), ("levels", 4)])
def test_a_search_past_its_depth_limit_is_wrong(bench, answer, batch):
    cases = {"deep": {"depth_limit": 1, "batch": batch, "fault": "too_deep"}}
    bench.run(bench.spec(cases=cases, sources=SOURCES, check="all", answer=answer), code=1)
    wrong = [row for row in bench.rows() if row["status"] == "wrong"]
    assert "has level 2, but the search ends at level 1" in wrong[0]["reason"]


def test_the_reference_knows_the_depth_limit(bench):
    # Without rules, only the counts show it: those of the first row are wrong.
    cases = {"deep": {"depth_limit": 1, "fault": "too_deep"}, "right": {"depth_limit": 1}}
    bench.run(bench.spec(cases=cases, sources=SOURCES, check="none"), code=1)
    of = {case: [r["status"] for r in bench.rows() if r["case"] == case] for case in cases}
    assert "wrong" in of["deep"] and of["right"] == ["ok"] * 5


@pytest.mark.parametrize("setting", ["batch=64", "depth_limit=3"])
def test_graph500_takes_whole_single_searches(bench, setting):
    done = bench.ask("graph500", "--scale", 6, "--set", setting, code=2)
    assert setting in done.stderr and done.stderr.count("\n") == 1


def test_attempts_of_a_disturbed_batch_share_the_next_one(bench):
    # Every trial is polluted: all searches of a batch are tried again, by one more batch in all.
    always = {"limit_pct": 0, "attempts": 3, "drift_pct": 1000}
    cases = {"batch": {"batch": 64, "fault": "stopped", "where": "traverse", "call": 0}}
    bench.run(bench.spec(cases=cases, sources=SOURCES, pollution=always))
    rows = bench.rows()
    batches = {row["batch_ms"] for row in rows}
    assert len(batches) == max(int(row["attempt"]) for row in rows) + 1 <= 3
    assert statuses(rows, "batch") == ["ok"] * len(rows)
