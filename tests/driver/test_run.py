# SPDX-License-Identifier: Apache-2.0
"""The good day: what a run writes, and what it writes where."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from driver_bench import GRAPH

COLUMNS = json.loads((Path(__file__).parents[2] / "plots/columns.json").read_text())


def test_rows_of_two_interleaved_cases(bench):
    spec = bench.spec(
        cases={"a": {"twin": 1}, "b": {"twin": 2}}, repeats=3, record=["time", "levels"]
    )
    bench.run(spec)
    folder = bench.results / "t"
    for table in ("runs", "levels", "measures", "graphs"):
        header = (folder / f"{table}.csv").read_text().split("\n")[0]
        assert header == ",".join(column["name"] for column in COLUMNS[table])
    rows = bench.rows()
    assert len(rows) == 2 * (2 * 3 + 2)
    assert [int(row["trial"]) for row in rows] == list(range(len(rows)))
    assert {row["status"] for row in rows} == {"ok"}
    assert all(float(row["time_ms"]) > 0 and float(row["setup_ms"]) >= 0 for row in rows)
    timed = [row for row in rows if row["instrumented"] == "0"]
    # Every round holds each case once, and the order is not always the same.
    rounds = [timed[i : i + 2] for i in range(0, len(timed), 2)]
    assert all({row["case"] for row in pair} == {"a", "b"} for pair in rounds)
    assert all([row["position_in_round"] for row in pair] == ["0", "1"] for pair in rounds)
    assert len({pair[0]["case"] for pair in rounds}) == 2
    # The first run of each source is checked, and the first instrumented one.
    assert all(row["validated"] == ("1" if row["repeat"] == "0" else "0") for row in rows)
    assert rows[-4:] == [row for row in rows if row["instrumented"] == "1"]
    for row in rows[-4:]:
        levels = [level for level in bench.rows("levels") if level["trial"] == row["trial"]]
        assert len(levels) == int(row["levels"])
        found = sum(int(level["found_vertices"]) for level in levels)
        assert found + 1 == int(row["reached_vertices"])
        assert sum(int(x["edges_checked"]) for x in levels) == int(row["edges_checked"])
    assert all(row["edges_checked"] == "" for row in timed)


@pytest.mark.parametrize("order", ["interleaved", "sequential"])
def test_invocations_are_processes_of_their_own(bench, order):
    """An engine that fails in the second search of a process never gets so far where each process
    measures one repeat."""
    case = {"bad in its second search": {"fault": "throw", "call": 1}}
    keys = {"cases": case, "repeats": 3, "sources": {"count": 1}, "order": order}
    bench.run(bench.spec("shared", **keys))
    assert [row["status"] for row in bench.rows(name="shared")][:2] == ["ok", "crash"]
    bench.run(bench.spec("apart", **keys, invocations=3))
    rows = bench.rows(name="apart")
    assert [(row["repeat"], row["status"]) for row in rows] == [
        ("0", "ok"), ("1", "ok"), ("2", "ok"),
    ]  # fmt: skip


def test_facts_beside_the_rows(bench):
    done = bench.run(bench.spec())
    folder = bench.results / "t"
    assert done.stdout == f"{folder}\n"
    environment = json.loads((folder / "environment.json").read_text())
    assert environment["build_hash"] == bench.rows()[0]["build_hash"]
    assert environment["arguments"][1] == "run"
    for key in ("host", "cpu", "memory_bytes", "kernel", "compiler", "commit", "dirty", "gpu"):
        assert key in environment
    assert json.loads((folder / "spec.json").read_text())["name"] == "t"
    (graph,) = bench.rows("graphs")
    assert graph["graph"] == GRAPH and graph["name"].startswith("kronecker:")
    assert graph["sources"].split(";") == [row["source"] for row in bench.rows()]


def test_progress_is_not_on_stdout_and_quiet_is_quiet(bench):
    done = bench.run(bench.spec(), "--quiet")
    assert done.stderr == ""
    noisy = bench.run(bench.spec("u"))
    assert "kronecker" in noisy.stderr and "\r" not in noisy.stderr
    assert noisy.stdout == f"{bench.results / 'u'}\n"


def test_a_burst_is_one_trial_of_several_searches(bench):
    keys = {"sources": [5], "repeats": 2, "burst": 3}
    last = {"fault": "throw", "call": 5}  # of the sixth traversal
    bench.run(bench.spec(**keys, cases={"fails": last, "none": {**last, "call": 6}}))
    statuses = {
        case: [r["status"] for r in bench.rows() if r["case"] == case] for case in ("fails", "none")
    }
    assert statuses["none"] == ["ok", "ok"] and statuses["fails"][0] == "ok"
    assert "ok" not in statuses["fails"][1:] and len(statuses["fails"]) > 1
    assert {row["searches_per_trial"] for row in bench.rows() if row["status"] == "ok"} == {"3"}


def test_levels_are_of_one_search_and_not_of_a_burst(bench):
    spec = bench.spec(base={"engine": "top-down"}, burst=3, record=["time", "levels"])
    bench.run(spec)
    told = {(row["instrumented"], row["searches_per_trial"]) for row in bench.rows()}
    assert told == {("0", "3"), ("1", "")}


def test_a_burst_tells_its_mean(bench):
    bench.run(bench.spec(burst=50, cases={"good": {"sleep_ms": 2}}))
    assert all(2 <= float(row["time_ms"]) < 50 * 2 for row in bench.rows())


def test_a_run_ends_in_a_table(bench):
    cases = {"one": {"twin": 1}, "two": {"twin": 2}, "bad": {"fault": "crash"}}
    sources = {"count": 4, "seed": 1, "rule": "largest-component"}
    spec = bench.spec(
        cases=cases, baseline="two", repeats=3, figure="speedup_bars", sources=sources
    )
    text = bench.run(spec).stderr
    (heading,) = [line for line in text.splitlines() if line.startswith("case")]
    assert heading.split() == ["case", "graph", "ms", "95", "%", "GTEPS", "over", "two", "95", "%",
                               "polluted", "trials"]  # fmt: skip
    rows = {line.split()[0]: line for line in text.splitlines() if GRAPH in line}
    assert rows["one"].endswith("12 ok") and rows["bad"].endswith("1 crash, 11 skipped")
    assert "intervals are of 95 %, by bootstrap over sources alone" in text
    assert f"to draw it: python -m plots {bench.results / 't'}" in text
    (told,) = json.loads(bench.run(spec, "--json").stdout)
    assert told["baseline"] == "two" and told["folder"] == str(bench.results / "t")
    one, two, bad = told["rows"]
    assert 0 < one["time_ms"]["low"] <= one["time_ms"]["value"] <= one["time_ms"]["high"]
    assert one["speedup"]["low"] <= one["speedup"]["value"] <= one["speedup"]["high"]
    assert two["speedup"] is None and bad["time_ms"] is None
    assert bad["statuses"] == {"crash": 1, "skipped": 11}
    assert one["polluted"] == 0 and told["caveats"] == []
    assert "| case | graph |" in bench.run(spec, "--markdown").stdout


def test_pollution_is_said_where_numbers_are(bench):
    spec = bench.spec(pollution={"limit_pct": -1, "attempts": 1, "drift_pct": 1000})
    done = bench.run(spec, "--quiet")
    assert "t: 2 ok; 2 of 2 timed trials are polluted" in done.stderr
    text = bench.run(spec).stderr
    assert "2 of 2" in text and "so that no time is to be believed" in text
    (told,) = json.loads(bench.run(spec, "--json").stdout)
    assert (told["rows"][0]["polluted"], told["rows"][0]["timed"]) == (2, 2)


def test_an_engine_that_prints_does_not_reach_the_user(bench):
    done = bench.run(bench.spec(cases={"chatter": {"fault": "chatter"}}))
    assert "must not print" not in done.stdout + done.stderr
    assert "must not print" in (bench.results / "t/worker.log").read_text()


def test_dry_run_writes_nothing(bench):
    done = bench.run(bench.spec(repeats=5), "--dry-run")
    assert "10 trials in 1 worker" in done.stdout
    assert not bench.results.exists()


def test_set_overrides(bench):
    bench.run(bench.spec(), "--set", "repeats=4")
    assert len(bench.rows()) == 8


def test_only_filters_cases_and_graphs(bench):
    graphs = ["kronecker:scale=6", "kronecker:scale=7"]
    spec = bench.spec(graphs=graphs, cases={"one": {"twin": 1}, "two": {"twin": 2}})
    bench.run(spec, "--only", "two/*scale=7")
    assert {(r["case"], r["graph"]) for r in bench.rows()} == {("two", graphs[1])}
    bench.run(spec)  # the rest, and only the rest
    assert len(bench.rows()) == len(set(bench.keys())) == 8
    assert "no case/graph" in bench.run(spec, "--only", "three/*", code=2).stderr


def test_shards_partition_the_trials(bench):
    graphs = [f"path:vertices={n}" for n in (5, 6, 7, 8, 9)]
    spec = bench.spec(graphs=graphs, sources={"count": 1, "seed": 1, "rule": "any"})
    whole = bench.results
    bench.run(spec)
    all_keys = bench.keys()
    parts = []
    for i in (1, 2, 3):
        bench.results = whole / f"shard{i}"
        bench.run(spec, "--shard", f"{i}/3")
        parts.append(bench.keys())
    assert sorted(key for part in parts for key in part) == all_keys
    assert [len(part) for part in parts] == [2, 2, 1]
    assert "1 <= i <= n" in bench.run(spec, "--shard", "4/3", code=2).stderr


def test_isolate_gives_each_configuration_its_own_worker(bench):
    cases = {"a": {"twin": 1}, "b": {"twin": 2}}
    done = bench.run(bench.spec(cases=cases, isolate=True), "--dry-run")
    assert "2 workers" in done.stdout
    bench.run(bench.spec(cases=cases, isolate=True))
    # All of a before any of b, since each runs in a separate process.
    assert [row["case"] for row in bench.rows()] == ["a", "a", "b", "b"]
    assert len(bench.rows("graphs")) == 1


def test_pollution_marks_and_repeats(bench):
    spec = bench.spec(pollution={"limit_pct": -1, "attempts": 3})
    bench.run(spec)
    rows = bench.rows()
    assert len(rows) == 6 and {row["polluted"] for row in rows} == {"1"}
    assert sorted(row["attempt"] for row in rows) == ["0", "0", "1", "1", "2", "2"]
    assert all(0 <= float(row["foreign_load_pct"]) <= 100 for row in rows)
    before = bench.keys()
    bench.run(spec)
    assert bench.keys() == before


def test_foreign_load_is_seen(bench):
    # An engine that sleeps uses no processor: what keeps them all busy meanwhile is foreign.
    spinners = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"])
        for _ in os.sched_getaffinity(0)
    ]
    try:
        bench.run(bench.spec(cases={"asleep": {"sleep_ms": 300}}))
    finally:
        for spinner in spinners:
            spinner.kill()
            spinner.wait()
    assert all(float(row["foreign_load_pct"]) > 50 for row in bench.rows())


def test_stopping_rule(bench):
    def repeats(name, **rule):
        bench.run(bench.spec(name, sources=[1], repeats=rule))
        return len(bench.rows(name=name))

    # Six times are the fewest that give a 95 % interval of the median.
    assert repeats("loose", min=2, max=20, relative_error_pct=99.9) in range(6, 21)
    assert repeats("strict", min=2, max=8, relative_error_pct=1e-9) == 8
    assert repeats("poor", min=3, max=20, relative_error_pct=1e-9, budget_s=1e-9) == 3


def test_fewer_sources_than_asked_for(bench):
    spec = bench.spec(graphs=["star:vertices=4"], sources={"count": 9, "seed": 1, "rule": "any"})
    done = bench.run(spec)
    assert "4 sources instead of 9" in done.stderr
    assert sorted(row["source"] for row in bench.rows()) == ["0", "1", "2", "3"]


def test_a_graph_with_fewer_sources_has_the_first_of_them(bench):
    graphs = ["star:vertices=40", {"name": "path:vertices=40", "sources": 2}]
    rule = {"count": 5, "seed": 1, "rule": "any"}
    spec = bench.spec(graphs=graphs, sources=rule, repeats=2)
    planned = bench.run(spec, "--dry-run").stdout
    assert "14 trials in 2 workers" in planned
    assert "path:vertices=40, the first 2 of the sources" in planned
    done = bench.run(spec)
    assert "instead of" not in done.stderr
    drawn = {row["graph"]: row["sources"].split(";") for row in bench.rows("graphs")}
    assert len(drawn["star:vertices=40"]) == 5
    assert drawn["path:vertices=40"] == drawn["star:vertices=40"][:2]
    assert len(bench.rows()) == 14
    checked = subprocess.run(bench.command("check", spec), capture_output=True, text=True)
    assert "x 2 to 5 sources x 2 repeats" in checked.stdout, checked.stderr


def test_version_and_help(bench):
    def ask(*words):
        return subprocess.run(bench.command(*words), capture_output=True, text=True)

    version = json.loads(ask("version", "--json").stdout)
    assert {"version", "commit", "dirty", "compiler", "flags", "options", "cuda"} <= set(version)
    bench.run(bench.spec())
    assert bench.rows()[0]["build_hash"] == version["build_hash"]
    assert version["commit"] in ask("version").stdout
    for command in ("run", "check", "list", "graph", "version", "traverse"):
        done = ask(command, "--help")
        assert done.returncode == 0 and "xample" in done.stdout, command
    assert "worker" not in ask("--help").stdout.replace("workers", "")
    assert ask("run").returncode == 2 and ask("nonsense").returncode == 2
