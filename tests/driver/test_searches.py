# SPDX-License-Identifier: Apache-2.0
"""Engines that search from several sources in a row: each search is a row of its own."""

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
