# SPDX-License-Identifier: Apache-2.0
"""`bfslab ablate`: which techniques of an engine pay on a graph."""

import csv
import io
import json

import pytest
from driver_bench import GRAPH

SMALL = (GRAPH, "--sources", 4, "--repeats", 1)
MODEL = (*SMALL, "--engine", "xbfs-model")
MODEL_CASES = ["all", "all, no async", "all, edge_check=cumulative", "all, queue=shuffled"]


def ask(bench, *words, code=0):
    return bench.ask("ablate", *words, "--results", bench.results, code=code)


def folder_of(bench):
    (folder,) = [f for f in bench.results.iterdir() if f.name.startswith("ablate-")]
    return folder


def test_techniques_come_in_the_order_of_their_gains(bench):
    (told,) = json.loads(ask(bench, *MODEL, "--json").stdout)
    (graph,) = told["graphs"]
    found = {(t["technique"], t["without"], t["with"]) for t in graph["techniques"]}
    assert found == {
        ("async", "all, no async", "all"),
        ("edge_check=cumulative", "all", "all, edge_check=cumulative"),
        ("queue=shuffled", "all", "all, queue=shuffled"),
    }
    gains = [t["gain"]["value"] for t in graph["techniques"]]
    assert gains == sorted(gains, reverse=True)
    # On a busy machine too few sources may have clean trials for an interval.
    known = [t for t in graph["techniques"] if t["gain"].get("low") is not None]
    assert graph["compared"] == len(known)
    assert all(t["verdict"] == "undecided" for t in graph["techniques"] if t not in known)
    for technique in known:
        gain = technique["gain"]
        assert gain["low"] <= gain["value"] <= gain["high"]
        clean = not technique["disturbed"]
        assert (technique["verdict"] == "pays") == (clean and gain["low"] > 1)
        assert (technique["verdict"] == "costs") == (clean and gain["high"] < 1)
    assert told["not_varied"] == ["alpha", "window"] and told["left_out"] == []
    rows = bench.rows(name=folder_of(bench).name)
    assert {row["case"] for row in rows} == set(MODEL_CASES)


def test_the_table_says_what_pays_and_csv_has_its_numbers(bench):
    text = ask(bench, *MODEL).stdout
    lines = text.splitlines()
    assert lines[0].startswith(f"xbfs-model on {GRAPH}: all ")
    heading = "technique in ms without ms with gain 95 %, corrected verdict"
    assert lines[1].split() == heading.split()
    assert any(line.startswith("pays: ") for line in lines)
    assert "not varied, since they are numbers or set by --set: alpha, window" in text
    (told,) = json.loads(ask(bench, *MODEL, "--json").stdout)
    table = list(csv.DictReader(io.StringIO(ask(bench, *MODEL, "--csv").stdout)))
    techniques = told["graphs"][0]["techniques"]
    assert [row["technique"] for row in table] == [t["technique"] for t in techniques]
    gains = [t["gain"]["value"] for t in techniques]
    assert [float(row["gain"]) for row in table] == pytest.approx(gains)
    markdown = ask(bench, *MODEL, "--markdown").stdout
    assert markdown.startswith(f"## xbfs-model on {GRAPH}") and "| technique |" in markdown


def test_the_written_spec_is_what_ran(bench):
    written = bench.folder / "mine.json"
    ask(bench, *MODEL, "--spec", written)
    folder = folder_of(bench)
    resolved = bench.ask("check", "--resolved", written).stdout
    assert json.loads(resolved) == json.loads((folder / "spec.json").read_text())
    spec = json.loads(written.read_text())
    assert list(spec["cases"]) == MODEL_CASES and spec["baseline"] == "all"
    rows = (folder / "runs.csv").read_text()
    assert "rows exist" in bench.run(written).stderr
    assert (folder / "runs.csv").read_text() == rows


def test_the_same_command_resumes(bench):
    whole = ask(bench, *MODEL).stdout
    rows = folder_of(bench) / "runs.csv"
    lines = rows.read_bytes().splitlines(keepends=True)
    rows.write_bytes(b"".join(lines[:6]))
    done = ask(bench, *MODEL)
    assert "resuming, 5 rows exist" in done.stderr
    assert rows.read_bytes().splitlines(keepends=True)[:6] == lines[:6]
    assert len(done.stdout.splitlines()) >= len(whole.splitlines()) - 1


def test_pairs_and_the_combinations_that_rules_refuse(bench):
    (told,) = json.loads(ask(bench, *MODEL, "--pairs", "--json").stdout)
    (graph,) = told["graphs"]
    found = {(pair["first"], pair["second"]) for pair in graph["pairs"]}
    assert found == {
        ("async", "edge_check=cumulative"),
        ("edge_check=cumulative", "queue=shuffled"),
    }
    assert graph["compared_pairs"] == 2
    (refused,) = told["left_out"]
    assert refused.startswith("no async, queue=shuffled: queue = shuffled with async = false")
    assert f"left out: {refused}" in ask(bench, *MODEL, "--pairs").stdout
    assert "no async, edge_check=cumulative" in {
        row["case"] for row in bench.rows(name=folder_of(bench).name)
    }


def test_a_setting_stays_as_it_is(bench):
    (told,) = json.loads(ask(bench, *MODEL, "--set", "async=false", "--json").stdout)
    techniques = told["graphs"][0]["techniques"]
    assert [each["technique"] for each in techniques] == ["edge_check=cumulative"]
    assert told["not_varied"] == ["async", "alpha", "window"]
    assert len(told["left_out"]) == 1  # queue=shuffled


def test_minutes_reduce_sources_and_then_repeats(bench):
    work = ("kronecker:scale=10", "--engine", "hybrid", "--sources", 512, "--repeats", 64)
    done = ask(bench, *work, "--minutes", 0.2, "--dry-run", "--json")
    assert "512 sources and 64 repeats would take about" in done.stderr
    (plan,) = json.loads(done.stdout)
    (whole,) = json.loads(ask(bench, *work, "--dry-run", "--json").stdout)
    assert 0 < plan["trials"] < whole["trials"]
    large = ("kronecker:scale=24", "--engine", "hybrid", "--minutes", 0.1, "--dry-run")
    few = ask(bench, *large, code=2)
    assert "even with 4 sources and one repeat" in few.stderr


def test_recorded_rows_keep_their_sources_and_repeats(bench):
    ask(bench, *MODEL, "--minutes", 1000)
    rows = (folder_of(bench) / "runs.csv").read_text()
    again = ask(bench, *MODEL, "--minutes", 0.1)
    assert "its sources and repeats are kept" in again.stderr
    assert (folder_of(bench) / "runs.csv").read_text() == rows


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--engine", "xbfs-modle"], 'did you mean "xbfs-model"?'),
        (["--engine", "hybrid", "--from", "deep"], "--from deep: hybrid has no presets"),
        (["--engine", "delegate", "--from", "tunde"], 'did you mean "tuned"?'),
        (["--engine", "sequential"], "nothing to take apart"),
        (["--engine", "hybrid", "--set", "rule=beemer"], "--set rule: found"),
        (["--engine", "hybrid", "--set", "threads=[1,2]"], "--set threads: found an array"),
        (["--engine", "hybrid", "--set", "top-down.threads=1"], "--engine names hybrid alone"),
    ],
)
def test_bad_input_gets_one_message_and_nothing_is_written(bench, words, message):
    done = ask(bench, GRAPH, *words, code=2)
    assert message in done.stderr and done.stderr.count("\n") == 1 and done.stdout == ""
    assert not bench.results.exists()


def test_an_engine_that_cannot_run_here_is_refused(bench):
    bench.env["CUDA_VISIBLE_DEVICES"] = "-1"
    done = ask(bench, GRAPH, "--engine", "xbfs", code=2)
    assert done.stderr.startswith("bfslab: ablate: xbfs cannot run here: ")
    assert done.stderr.count("\n") == 1 and not bench.results.exists()
