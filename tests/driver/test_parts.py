# SPDX-License-Identifier: Apache-2.0
"""Engines of several ranks and GPUs: their levels as rows, and their answers in parts, by the
made-up engine `in-parts` (two GPUs to a rank)."""

import subprocess
from itertools import groupby
from pathlib import Path

import pytest
from driver_bench import GRAPH, statuses

LEVELS = {"record": ["levels"], "base": {"engine": "in-parts"}}


def levels_of(bench, trial: str) -> list[dict]:
    return [row for row in bench.rows("levels") if row["trial"] == trial]


def test_levels_told_afterwards_keep_rank_gpu_bytes_and_clock(bench):
    bench.run(bench.spec(**LEVELS, sources=[5], cases={"four": {}}))
    (run,) = bench.rows()
    rows = levels_of(bench, run["trial"])
    by_level = {level: list(parts) for level, parts in groupby(rows, lambda row: row["level"])}
    assert list(by_level) == [str(level) for level in range(int(run["levels"]))]
    for level, parts in by_level.items():
        assert [(p["rank"], p["gpu"]) for p in parts] == [
            ("0", "0"), ("0", "1"), ("1", "0"), ("1", "1"),
        ]  # fmt: skip
        assert {p["clock"] for p in parts} == {"device_timer"}
        assert [float(p["time_ms"]) for p in parts] == [
            0.5 * int(level) + 0.125 * owner for owner in range(4)
        ]
    # Each reached vertex is in one frontier and in one part of it; what crosses was sent.
    assert sum(int(row["frontier_vertices"]) for row in rows) == int(run["reached_vertices"])
    assert sum(int(row["edges_checked"]) for row in rows) == int(run["edges_checked"])
    assert int(run["edges_checked"]) == 2 * int(run["component_edges"])
    sent = sum(int(row["bytes_sent"]) for row in rows)
    assert 0 < sent <= 4 * int(run["reached_vertices"])


def test_parts_add_up_to_what_one_owner_tells(bench):
    cases = {"one": {"owners": 1}, "four": {"owners": 4}}
    bench.run(bench.spec(**LEVELS, sources=[5], cases=cases))
    columns = ("frontier_vertices", "frontier_edges", "edges_checked", "found_vertices",
               "unvisited_vertices")  # fmt: skip
    sums = {}
    for run in bench.rows():
        table = [
            [sum(int(row[column]) for row in parts) for column in columns]
            for _, parts in groupby(levels_of(bench, run["trial"]), lambda row: row["level"])
        ]
        sums[run["case"]] = table
    assert sums["one"] == sums["four"]
    one = next(run for run in bench.rows() if run["case"] == "one")
    assert {row["bytes_sent"] for row in levels_of(bench, one["trial"])} == {"0"}


def test_what_an_engine_did_not_count_is_empty(bench):
    bench.run(bench.spec(**LEVELS, sources=[5], cases={"timed": {"tells": "uncounted"}}))
    (run,) = bench.rows()
    assert run["status"] == "ok" and run["edges_checked"] == ""
    for row in levels_of(bench, run["trial"]):
        assert row["edges_checked"] == "" and row["frontier_edges"] != "" and row["time_ms"] != ""


@pytest.mark.parametrize(
    ("tells", "words"),
    [
        ("twice", "level 0 of rank 0, GPU 0, part all is reported twice"),
        ("backwards", "is reported after level"),
    ],
)
def test_levels_that_break_the_contract_are_the_engines_fault(bench, tells, words):
    bench.run(bench.spec(**LEVELS, cases={"bad": {"tells": tells}}))
    rows = bench.rows()
    assert statuses(rows, "bad") == ["crash", "skipped"]
    assert words in rows[0]["reason"]


@pytest.fixture
def profiler(bench):
    injection = Path(bench.program).with_name("nvtx_injection.so")
    if not injection.exists():
        pytest.skip(f"no {injection}: the toolkit's nvtx3 headers were not found at build time")
    bench.env["NVTX_INJECTION64_PATH"] = str(injection)
    log = bench.folder / "nvtx.log"
    bench.env["BFSLAB_NVTX_LOG"] = str(log)
    return log


def test_under_a_profiler_a_level_of_parts_is_one_range(bench, profiler):
    bench.run(bench.spec(**LEVELS, sources=[5], cases={"four": {}}))
    (run,) = bench.rows()
    rows = levels_of(bench, run["trial"])
    assert len(rows) == 4 * int(run["levels"])
    ranges = [line for line in profiler.read_text().splitlines() if " level " in line]
    assert len(ranges) == int(run["levels"])


def test_under_a_profiler_levels_must_be_live(bench, profiler):
    bench.run(bench.spec(**LEVELS, cases={"bad": {"tells": "never_live"}}))
    rows = bench.rows()
    assert statuses(rows, "bad") == ["crash", "skipped"]
    assert "reported afterwards" in rows[0]["reason"]
    assert " level " not in profiler.read_text()


@pytest.mark.parametrize("ownership", ["round_robin", "ranges", "listed"])
def test_answers_in_parts_are_checked(bench, ownership):
    parts = {f"{owners}": {"owners": owners, "ownership": ownership} for owners in (1, 2, 3)}
    wrong = {
        f"{owners}, wrong {part}": {**parts[f"{owners}"], "wrong_part": part}
        for owners in (1, 2, 3)
        for part in range(owners)
    }
    base = {"engine": "in-parts"}
    bench.run(bench.spec(base=base, sources=[5], answer="both", cases=parts | wrong), code=1)
    rows = {row["case"]: row for row in bench.rows()}
    for case in parts:
        assert (rows[case]["status"], rows[case]["validated"]) == ("ok", "1"), rows[case]["reason"]
        assert rows[case]["reached_vertices"] == rows["1"]["reached_vertices"]
    for case in wrong:
        assert (rows[case]["status"], rows[case]["time_ms"]) == ("wrong", "")
        assert "vertex" in rows[case]["reason"] or "edge" in rows[case]["reason"]


@pytest.mark.parametrize(
    ("ownership", "words"),
    [
        ("missing", "is in no part of the answer"),
        ("overlapping", "vertex 0 is in part 0 of the answer and in part 2"),
        ("no_levels", "part 2 of the answer has no levels"),
    ],
)
def test_parts_that_make_no_whole_are_the_engines_fault(bench, ownership, words):
    bad = {"engine": "in-parts", "owners": 3, "ownership": ownership}
    bench.run(bench.spec(check="none", cases={"bad": bad}), code=1)
    rows = bench.rows()
    assert statuses(rows, "bad") == ["wrong", "skipped"]
    assert words in rows[0]["reason"]
    command = bench.command("traverse", GRAPH, "--source", 5, "--engine", "in-parts",
                            "--set", "owners=3", "--set", f"ownership={ownership}")  # fmt: skip
    done = subprocess.run(command, env=bench.env, capture_output=True, text=True)
    assert done.returncode == 1 and words in done.stderr and done.stdout == ""


def test_traverse_prints_an_answer_of_parts(bench):
    def answer(*settings: str) -> str:
        words = [word for setting in settings for word in ("--set", setting)]
        engine = "in-parts" if settings else "faulty"
        command = bench.command("traverse", GRAPH, "--source", 5, "--engine", engine, *words)
        done = subprocess.run(command, env=bench.env, capture_output=True, text=True, check=True)
        return done.stdout

    whole = answer()
    for ownership in ("round_robin", "ranges", "listed"):
        assert answer("owners=3", f"ownership={ownership}") == whole


def test_sources_are_drawn_by_the_first_worker_alone(bench):
    """All tuples are made for them: where a graph is made in parts, later workers take them."""
    spec = bench.spec(
        graphs=["kronecker:scale=9"],
        sources={"count": 3, "seed": 1, "rule": "levels>=2"},
        base={"engine": "delegate"},
        cases={"a": {}, "b": {"threshold": 4}},
        sweep={"gpus_per_rank": [1, 2]},
        isolate=True,
        repeats=2,
        invocations=2,
    )
    ran = bench.run(spec)
    assert (ran.stdout + ran.stderr).count("drawing its sources") == 1
    rows = bench.rows()
    (graph,) = bench.rows("graphs")
    sources = graph["sources"].split(";")
    assert len(sources) == 3 and {row["source"] for row in rows} == set(sources)
    assert statuses(rows, "a") == statuses(rows, "b") == ["ok"] * 12
