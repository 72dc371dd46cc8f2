# SPDX-License-Identifier: Apache-2.0
"""Counters: engines that count facts of a graph once, instead of traversing it."""

import re
import signal

import pytest
from driver_bench import GRAPH, statuses

COUNTER = {"engine": "faulty-counter"}
RECIPE = {"engine": "faulty-recipe"}


def measures(bench, trial=None, name="t"):
    """{(part, metric, level): value} of one trial, or of all."""
    return {
        (row["part"], row["metric"], row["level"]): float(row["value"])
        for row in bench.rows("measures", name)
        if trial is None or row["trial"] == trial
    }


def test_a_counter_is_one_row_and_its_measures(bench):
    bench.run(bench.spec(cases={"count": COUNTER}, sources=None, repeats=5, base=None))
    (row,) = bench.rows()
    assert (row["source"], row["instrumented"], row["repeat"]) == ("", "1", "0")
    assert (row["status"], row["answer"], row["levels"], row["validated"]) == ("ok", "", "", "0")
    found = measures(bench, row["trial"])
    assert found["recipe", "vertices", ""] == 256
    assert found["csr", "edges", ""] > 256
    assert found["options", "given", ""] == 1
    assert [found["levels", "squared", str(level)] for level in range(3)] == [0, 1, 4]
    (graph,) = bench.rows("graphs")
    assert graph["edges"] == str(int(found["csr", "edges", ""]))
    # nothing traverses: no sources are chosen
    assert (graph["sources"], graph["source_rule"], graph["eligible_sources"]) == ("", "", "")


@pytest.mark.parametrize(
    "fault,status,words",
    [
        ("throw", "crash", "exception while counting: faulty: thrown on purpose"),
        ("crash", "crash", "SIGSEGV) while counting"),
        ("bad_alloc", "oom", "std::bad_alloc while counting"),
        ("refuse", "unsupported", "refuses this graph"),
        ("nan", "crash", "not a finite number"),
    ],
)
def test_a_counter_that_fails_is_a_row_and_the_rest_goes_on(bench, fault, status, words):
    cases = {"bad": {**COUNTER, "fault": fault}, "good": COUNTER, "engine": {"engine": "faulty"}}
    spec = bench.spec(cases=cases, base=None)
    bench.run(spec)
    rows = bench.rows()
    assert statuses(rows, "bad") == [status]
    assert statuses(rows, "good") == ["ok"]
    assert statuses(rows, "engine") == ["ok", "ok"]
    bad = next(row for row in rows if row["case"] == "bad")
    assert words in bad["reason"] and bad["source"] == "" and bad["instrumented"] == "1"
    assert not measures(bench, bad["trial"])  # values from a failed counter are not measurements
    bench.run(spec)  # a failure is a result: nothing is run again
    assert bench.rows() == rows


def test_limits_bound_a_counter(bench):
    cases = {"bad": {**COUNTER, "fault": "hang"}, "good": COUNTER}
    bench.run(bench.spec(cases=cases, base=None, limits={"trial_s": 1}))
    rows = bench.rows()
    assert statuses(rows, "bad") == ["timeout"] and statuses(rows, "good") == ["ok"]
    assert "while counting" in rows[0]["reason"] + rows[1]["reason"]


def test_engines_and_counters_share_a_graph(bench):
    cases = {"count": COUNTER, "recipe": RECIPE, "bfs": {"engine": "faulty"}}
    bench.run(bench.spec(cases=cases, base=None, repeats=2, record=["time", "levels"]))
    rows = bench.rows()
    assert statuses(rows, "bfs") == ["ok"] * 6
    assert statuses(rows, "count") == statuses(rows, "recipe") == ["ok"]
    # the graph is there for the engine, so a counter of recipes is given it too
    recipe = next(row for row in rows if row["case"] == "recipe")
    assert ("csr", "edges", "") in measures(bench, recipe["trial"])
    assert len({row["graph_hash"] for row in rows}) == 1
    assert {row["position_in_round"] for row in rows if row["case"] == "bfs"} <= {"0", "1", "2"}


def test_an_engine_tells_measures_in_its_instrumented_trial_only(bench):
    bench.run(bench.spec(record=["time", "levels"]))
    told = [row for row in bench.rows("measures") if row["metric"] == "length"]
    instrumented = {row["trial"] for row in bench.rows() if row["instrumented"] == "1"}
    assert {row["trial"] for row in told} == instrumented
    levels = bench.rows("levels")
    assert len(told) == len(levels)
    assert [row["level"] for row in told] == [row["level"] for row in levels]


def test_a_recipe_is_counted_without_the_graph(bench):
    huge = "kronecker:scale=31"
    done = bench.run(
        bench.spec(graphs=[huge], cases={"a": RECIPE, "b": {**RECIPE, "twin": 1}}, base=None)
    )
    assert "counted from its recipe" in done.stderr
    rows = bench.rows()
    assert [row["status"] for row in rows] == ["ok", "ok"]
    assert measures(bench, rows[0]["trial"])["recipe", "vertices", ""] == 2**31
    assert ("csr", "edges", "") not in measures(bench)
    (graph,) = bench.rows("graphs")
    assert graph["vertices"] == str(2**31) and graph["name"].startswith("kronecker:scale=31")
    assert re.fullmatch("recipe-[0-9a-f]{16}", graph["graph_hash"])
    assert graph["graph_bytes"] == graph["load_ms"] == graph["max_degree"] == ""
    assert "built=no" in graph["provenance"] and "generator version" in graph["provenance"]
    assert not (bench.folder / "cache" / "csr").exists()


def test_a_graph_too_large_to_make_is_estimated_and_a_search_of_it_is_skipped(bench):
    huge = "kronecker:scale=36"
    bench.run(bench.spec(graphs=[huge], cases={"a": RECIPE}, base=None))
    (row,) = bench.rows()
    assert row["status"] == "ok"
    assert measures(bench, row["trial"])["recipe", "vertices", ""] == 2**36
    searched = bench.spec(name="search", graphs=[huge], cases={"a": {"engine": "faulty"}},
                          base=None)  # fmt: skip
    done = bench.run(searched, code=2)
    why = "a graph of 2^36 vertices cannot be made, since ids of 32 bits suffice up to scale 31"
    assert why in done.stderr
    rows = bench.rows(name="search")
    assert {row["status"] for row in rows} == {"skipped"} and why in rows[0]["reason"]


def test_the_recipe_of_a_file_notices_that_the_file_changed(bench):
    file = bench.folder / "g.txt"
    file.write_text("0 1\n1 2\n")
    cases = {"a": RECIPE, "b": {**RECIPE, "twin": 1}}
    spec = bench.spec(graphs=[f"file:{file}"], cases=cases, base=None)
    bench.run(spec, "--only", "a/*")
    (graph,) = bench.rows("graphs")
    assert graph["vertices"] == "" and str(file) in graph["provenance"]
    file.write_text("0 1\n1 2\n2 3\n")
    done = bench.run(spec, code=2)
    assert "has changed" in done.stderr and "--fresh" in done.stderr
    assert len(bench.rows()) == 1


def test_a_graph_that_cannot_be_loaded_is_tried_again_for_counters_too(bench):
    bad = bench.folder / "bad.txt"
    bad.write_text("1 2\nthree 4\n")
    spec = bench.spec(graphs=[f"file:{bad}"], cases={"count": COUNTER}, base=None)
    bench.run(spec, code=2)
    (row,) = bench.rows()
    assert (row["status"], row["source"], row["instrumented"]) == ("skipped", "", "0")
    bad.write_text("1 2\n3 4\n")
    bench.run(spec)
    (row,) = bench.rows()
    assert (row["status"], row["source"], row["instrumented"]) == ("ok", "", "1")


def test_resume_keeps_counted_rows_and_their_measures(bench):
    cases = {str(i): {**COUNTER, "twin": i} for i in range(4)}
    spec = bench.spec(cases=cases, base=None)
    bench.run(spec, "--only", "[01]/*")
    before, told = bench.rows(), bench.rows("measures")
    done = bench.run(spec)
    assert "2 rows exist" in done.stderr
    assert bench.rows()[:2] == before and bench.rows("measures")[: len(told)] == told
    assert [row["case"] for row in bench.rows()] == ["0", "1", "2", "3"]
    done = bench.run(spec)  # nothing is left
    assert "4 ok" in done.stderr and len(bench.rows()) == 4


def test_a_kill_between_details_and_row_leaves_no_orphans(bench):
    spec = bench.spec(cases={"0": COUNTER, "1": {**COUNTER, "twin": 1}}, base=None)
    bench.run(spec)
    runs = bench.results / "t" / "runs.csv"
    lines = runs.read_text().splitlines(keepends=True)
    runs.write_text("".join(lines[:-1]))  # the second row never came
    bench.run(spec)
    trials = [row["trial"] for row in bench.rows()]
    assert len(trials) == 2 and statuses(bench.rows(), "1") == ["ok"]
    assert {row["trial"] for row in bench.rows("measures")} == set(trials)


def test_an_interrupted_counter_is_counted_by_the_next_run(bench):
    cases = {"0": COUNTER, "1": {**COUNTER, "sleep_ms": 30000}}
    spec = bench.spec(cases=cases, base=None)
    process = bench.start(spec)
    for line in process.stderr:  # the graph is there: counting begins
        if "loaded in" in line:
            break
    process.send_signal(signal.SIGINT)
    _, rest = process.communicate(timeout=60)
    assert process.returncode == 130, rest
    assert "of 2 trials" in rest
    assert statuses(bench.rows(), "1") == []


def test_isolate_only_and_shard(bench):
    cases = {"count": COUNTER, "recipe": RECIPE, "bfs": {"engine": "faulty"}}
    graphs = [GRAPH, "path:vertices=9"]
    spec = bench.spec(graphs=graphs, cases=cases, base=None, isolate=True)
    bench.run(spec, "--only", "recipe/*")  # first a worker that only counts ...
    bench.run(spec, "--shard", "1/2")
    bench.run(spec, "--shard", "2/2")  # ... and then one that traverses the same graph
    rows = bench.rows()
    assert sorted((row["case"], row["status"]) for row in rows) == sorted(
        [("bfs", "ok")] * 4 + [("count", "ok")] * 2 + [("recipe", "ok")] * 2
    )
    assert len(bench.rows("graphs")) == 2


def test_a_counter_that_cannot_take_directed_graphs(bench):
    cases = {"count": COUNTER}
    file = bench.folder / "g.txt"
    file.write_text("0 1\n1 2\n")
    done = bench.run(
        bench.spec(graphs=[f"file:{file},symmetrize=false"], cases=cases, base=None), code=2
    )
    assert "symmetrize=true for faulty-counter" in done.stderr


def test_dry_run_tells_what_would_be_counted(bench):
    spec = bench.spec(graphs=["kronecker:scale=31"], cases={"a": RECIPE}, base=None)
    done = bench.run(spec, "--dry-run")
    assert "1 trials in 1 worker" in done.stdout and "(counts once)" in done.stdout
    assert "no graph is built" in done.stdout and "source" not in done.stdout.split("\n", 1)[1]
    mixed = bench.spec(cases={"a": COUNTER, "b": {"engine": "faulty"}}, base=None, repeats=3)
    assert "7 trials in 1 worker" in bench.run(mixed, "--dry-run").stdout


def test_answers_and_warm_up_do_not_concern_counters(bench):
    bench.run(bench.spec(cases={"a": COUNTER}, base=None, answer="both", warmup=3, check="all"))
    (row,) = bench.rows()
    assert (row["status"], row["answer"], row["validated"]) == ("ok", "", "0")
