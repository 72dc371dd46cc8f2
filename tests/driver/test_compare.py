# SPDX-License-Identifier: Apache-2.0
"""`bfslab compare`, on results whose times are made up, so that every verdict is known."""

import csv
import functools
import json
from pathlib import Path

import pytest
from made_results import MACHINE, spread, write

from plots.__main__ import main as plots
from plots.cells import time_cell
from plots.load import load_experiment
from tests.checkouts import commit, git
from tests.sealing import seal_tables

G = "kronecker:scale=8"


@pytest.fixture
def compare(bench):
    return functools.partial(bench.ask, "compare")


@pytest.fixture
def pair(tmp_path):
    a = {("fast", G): spread(2), ("slow", G): spread(2), ("alike", G): spread(2)}
    b = {("fast", G): spread(1), ("slow", G): spread(3), ("alike", G): spread(2.001)}
    noise = [[1.0, 1.3, 0.8], [1.2, 0.9, 1.0], [0.9, 1.1, 1.4], [1.0, 1.2, 0.7]]
    a["noisy", G], b["noisy", G] = noise, [row[::-1] for row in reversed(noise)]
    a["few", G], b["few", G] = [[1.0]], [[3.0]]
    return write(tmp_path / "a/t", a), write(tmp_path / "b/t", b)


def test_verdicts_ratios_and_intervals(compare, pair):
    told = json.loads(compare(*pair, "--json").stdout)
    rows = {row["case"]: row for row in told["rows"]}
    assert {case: row["verdict"] for case, row in rows.items()} == {
        "fast": "faster", "slow": "slower", "alike": "same", "noisy": "undecided",
        "few": "undecided",
    }  # fmt: skip
    assert rows["fast"]["ratio"]["value"] == pytest.approx(0.5)
    assert [rows["fast"]["ratio"][end] for end in ("low", "high")] == pytest.approx([0.5, 0.5])
    assert rows["slow"]["ratio"]["value"] == pytest.approx(1.5)
    assert rows["fast"]["a_ms"]["value"] == pytest.approx(2 * 4.5 * 1.01)
    few = rows["few"]["ratio"]
    assert few == {"value": pytest.approx(3), "low": None, "high": None, "sources_alone": True}
    assert "over sources alone, since fewer than 4 processes measured" in told["statistic"]
    assert told["left_out"] == [] and told["overall"]["value"] > 0
    assert compare(*pair, "--json").stdout == compare(*pair, "--json").stdout


def test_processes_of_a_spec_are_known(compare, tmp_path):
    """Four processes of different luck on either side: what is a verdict over eight sources is
    none over four processes. Of two, the interval is over sources alone, and says so."""
    luck = [1.0, 1.0, 1.3, 1.3, 0.8, 0.8, 1.0, 1.0]  # two repeats each
    a = {("c", G): [[(1 + source) * of for of in luck] for source in range(8)]}
    b = {("c", G): [[1.1 * (1 + source) * of for of in luck] for source in range(8)]}
    rows = {}
    for name, count in {"one": 1, "two": 2, "four": 4}.items():
        spec = {"repeats": 8, "invocations": count}
        pair = [write(tmp_path / side / name, of, spec=spec) for side, of in (("a", a), ("b", b))]
        told = json.loads(compare(*pair, "--json").stdout)
        (rows[name],) = told["rows"]
        assert ("sources and processes" in told["statistic"]) == (count == 4)
        assert rows[name]["ratio"]["value"] == pytest.approx(1.1)
    assert rows["four"]["verdict"] == "undecided" and rows["four"]["ratio"]["low"] < 0.9
    assert {name: row["ratio"]["sources_alone"] for name, row in rows.items()} == {
        "one": True, "two": True, "four": False,
    }  # fmt: skip
    assert rows["one"]["ratio"]["high"] == pytest.approx(1.1)  # the sources do not differ
    assert rows["four"]["a_ms"]["value"] == pytest.approx(4.5)


def test_the_table_and_the_rule_that_fails(compare, pair):
    text = compare(*pair).stdout
    assert "1 faster, 1 slower, 1 same, 2 undecided" in text
    assert [line for line in text.splitlines() if " slow " in line and "slower" in line]
    assert compare(*pair, "--markdown").stdout.startswith("| experiment | case |")
    failed = compare(*pair, "--fail-if", "slower>5%", code=1)
    assert "'slower>5%' holds for 1 of 5" in failed.stderr
    compare(*pair, "--fail-if", "slower>60%")
    assert "slower>5%" in compare(*pair, "--fail-if", "worse", code=2).stderr


def test_unlike_graphs_sources_and_machines_are_refused_unless_told(compare, tmp_path):
    rows = {("x", G): spread(1)}
    a = write(tmp_path / "a/t", rows)
    others = {
        "graphs": write(tmp_path / "b/t", rows, graph_hash="other"),
        "sources": write(tmp_path / "c/t", {("x", G): spread(1, sources=4)}),
        "machines": write(tmp_path / "d/t", rows, MACHINE | {"cpu": {"model": "another"}}),
    }
    for kind, other in others.items():
        refused = compare(a, other, code=2).stderr
        assert f"  {kind}: " in refused and f"say --allow {kind}" in refused
        told = json.loads(compare(a, other, "--allow", kind, "--json").stdout)
        assert [row["verdict"] for row in told["rows"]] == ["same"]
    assert "expected some of graphs" in compare(a, a, "--allow", "all", code=2).stderr


H = "kronecker:scale=9"
LEFT_OUT = {
    "contents": "kronecker:scale=9 has contents hash of kronecker:scale=9 in A and other in B; "
    "--allow graphs",
    "not loaded": "kronecker:scale=9 was not loaded in B; --allow graphs",
    "sources": "kronecker:scale=9 has 8 sources in A and 4 in B, and not the same ones; --allow",
    "lacks": "x on kronecker:scale=9: only in A",
}


@pytest.mark.parametrize("kind", LEFT_OUT)
@pytest.mark.parametrize("turned", [False, True])
def test_the_rest_is_compared_where_one_graph_differs(compare, tmp_path, kind, turned):
    rows = {("x", G): spread(2), ("x", H): spread(2)}
    a, b = write(tmp_path / "a/t", rows), tmp_path / "b/t"
    if kind == "lacks":
        write(b, {("x", G): spread(1)})
    elif kind == "sources":
        write(b, {("x", G): spread(1), ("x", H): spread(1, sources=4)})
    else:
        hashes = {H: "other" if kind == "contents" else ""}
        times = spread(1) if kind == "contents" else [["skipped"]]
        write(b, {("x", G): spread(1), ("x", H): times}, graph_hash=hashes)
    expected = LEFT_OUT[kind]
    if turned:
        a, b = b, a
        for one, other in ((f"hash of {H} in A and other in B", f"other in A and hash of {H} in B"),
                           ("8 sources in A and 4 in B", "4 sources in A and 8 in B"),
                           ("loaded in B", "loaded in A"), ("only in A", "only in B")):  # fmt: skip
            expected = expected.replace(one, other)
    told = json.loads(compare(a, b, "--json").stdout)
    assert [(row["graph"], row["verdict"]) for row in told["rows"]] == [
        (G, "slower" if turned else "faster")
    ]
    (left_out,) = told["left_out"]
    assert expected in left_out
    judged = compare(a, b, "--fail-if", "faster", code=0 if turned else 1).stderr
    assert "--fail-if judges 1 configurations; what was left out is not among them" in judged


def test_what_is_left_out_is_said(compare, tmp_path):
    a = write(
        tmp_path / "a/t", {("x", G): spread(1), ("gone", G): spread(1), ("bad", G): spread(1)}
    )
    b = write(tmp_path / "b/t", {("x", G): spread(1), ("new", G): spread(1), ("bad", G): [["oom"]]})
    left_out = json.loads(compare(a, b, "--json").stdout)["left_out"]
    assert left_out == [
        "t: gone on kronecker:scale=8: only in A",
        "t: new on kronecker:scale=8: only in B",
        "t: bad on kronecker:scale=8: in B, 1 oom",
    ]
    c = write(tmp_path / "c/t", {("y", G): spread(1)})
    assert "no configuration is on both sides" in compare(a, c, code=2).stderr
    assert "none: no such folder" in compare(a, tmp_path / "none", code=2).stderr


def test_polluted_trials_are_left_out_unless_told(compare, tmp_path):
    rows = {("x", G): spread(1), ("y", G): spread(1)}
    dirty = {"polluted": lambda case: int(case == "x"), "reason": "steal"}
    a, b = write(tmp_path / "a/t", rows), write(tmp_path / "b/t", rows, **dirty)
    told = json.loads(compare(a, b, "--json").stdout)
    assert [row["case"] for row in told["rows"]] == ["y"]
    assert "polluted: 0 of 24 in A, 24 of 24 in B" in told["left_out"][0]
    told = json.loads(compare(a, b, "--json", "--allow", "polluted").stdout)
    assert {row["case"]: row["polluted"] for row in told["rows"]} == {"x": 24, "y": 0}


def test_times_of_several_builds_on_one_side_are_left_out_unless_told(compare, tmp_path):
    rows = {("x", G): spread(1), ("y", G): spread(1)}
    builds = [{"build_hash": "b", "commit": "0123456789"},
              {"build_hash": "c", "commit": "89abcdef01", "dirty": True}]  # fmt: skip
    a = write(tmp_path / "a/t", rows)
    b = write(tmp_path / "b/t", rows, MACHINE | {"format": 2, "builds": builds})
    runs = b / "runs.csv"
    lines = runs.read_text().splitlines(keepends=True)
    for i, line in enumerate(lines):
        if ",x," in line and i % 3 == 0:
            lines[i] = line.replace(",b,,,2026", ",c,89abcdef01+,,2026")
    runs.write_text("".join(lines))
    seal_tables(b)
    told = json.loads(compare(a, b, "--json").stdout)
    assert [row["case"] for row in told["rows"]] == ["y"]
    assert told["left_out"] == [
        "t: x on kronecker:scale=8: in B, times of 2 builds (0123456 and 89abcde+); --allow builds "
        "compares them all the same"
    ]
    assert told["b"]["commits"] == ["0123456", "89abcde+"]
    told = json.loads(compare(a, b, "--json", "--allow", "builds").stdout)
    assert {row["case"]: row["verdict"] for row in told["rows"]} == {"x": "same", "y": "same"}
    # Folders of different builds are what the command is for.
    c = write(tmp_path / "c/t", rows, MACHINE | {"build_hash": "c"}, build_hash="c")
    assert len(json.loads(compare(a, c, "--json").stdout)["rows"]) == 2


def test_a_configuration_does_not_see_the_builds_of_others(compare, tmp_path):
    """Its intervals are those of a folder that it has for itself."""
    noise = [[1.0, 1.3, 0.8], [1.2, 0.9, 1.0], [0.9, 1.1, 1.4], [1.0, 1.2, 0.7]]
    builds = {"build_hash": "build-{}".format, "commit": "{}234567".format}
    machine = MACHINE | {"format": 2, "builds": [{"build_hash": f"build-{c}"} for c in "xy"]}
    found = []
    for name, cases in (("alone", "y"), ("beside", "xy")):
        rows = {(case, G): noise for case in cases}
        slow = {
            (case, G): [[(1.1 + 0.1 * k) * ms for ms in of] for k, of in enumerate(noise)]
            for case in cases
        }
        a = write(tmp_path / f"a/{name}", rows, machine, **builds)
        b = write(tmp_path / f"b/{name}", slow, machine, **builds)
        told = json.loads(compare(a, b, "--json").stdout)["rows"]
        found.append(next(row["ratio"] for row in told if row["case"] == "y"))
    assert found[0] == found[1] and found[0]["low"] < found[0]["high"]


def test_repeats_that_a_grown_spec_added_are_another_process(compare, tmp_path):
    """As in test_processes_of_a_spec_are_known: four processes say less than one does."""
    luck = [1.0, 1.0, 1.3, 1.3, 0.8, 0.8, 1.0, 1.0]
    a = {("c", G): [[(1 + source) * of for of in luck] for source in range(8)]}
    b = {("c", G): [[1.1 * (1 + source) * of for of in luck] for source in range(8)]}
    grown = MACHINE | {"format": 2, "builds": [], "resumed": [
        {"repeats_before": 2}, {}, {"repeats_before": 4}, {"repeats_before": 6}]}  # fmt: skip
    widths = []
    for environment, spec in ((grown, {"repeats": 8}), (MACHINE, {"repeats": 8, "invocations": 4})):
        pair = [write(tmp_path / f"{side}/{len(widths)}", of, environment, spec)
                for side, of in (("a", a), ("b", b))]  # fmt: skip
        (row,) = json.loads(compare(*pair, "--json").stdout)["rows"]
        widths.append((row["ratio"]["low"], row["ratio"]["high"]))
    assert widths[0] == widths[1] and widths[0][0] < 0.9


def test_a_toggle_of_one_side_is_not_compared(compare, tmp_path):
    rows = {("x", G): spread(1)}
    a = write(tmp_path / "a/t", rows, toggles="alpha=1")
    b = write(tmp_path / "b/t", rows, toggles="alpha=1;beta=2")
    told = json.loads(compare(a, b, "--json").stdout)
    assert len(told["rows"]) == 1 and "only one side has the toggle beta" in told["notes"][0]
    c = write(tmp_path / "c/t", rows, toggles="alpha=2")
    assert "no configuration" in compare(a, c, code=2).stderr


def test_sides_that_differ_in_a_toggle_are_compared_if_it_is_ignored(compare, tmp_path):
    a = write(tmp_path / "a/t", {("x", G): spread(1)}, toggles="threads=1;alpha=1")
    b = write(tmp_path / "b/t", {("x", G): spread(2)}, toggles="threads=2;alpha=1")
    refused = compare(a, b, code=2).stderr
    assert "no value in common of threads (1 in A, 2 in B)" in refused
    assert "say --ignore threads\n" in refused
    (row,) = json.loads(compare(a, b, "--ignore", "threads", "--json").stdout)["rows"]
    assert row["verdict"] == "slower" and row["ratio"]["value"] == pytest.approx(2)
    assert row["series"] == "x, threads=1 -> x, threads=2"
    assert "x, threads=1 -> x, threads=2" in compare(a, b, "--ignore", "threads").stdout
    c = write(tmp_path / "c/t", {("x", G): spread(2)}, toggles="threads=2;alpha=2")
    assert "say --ignore alpha\n" in compare(a, c, "--ignore", "threads", code=2).stderr
    compare(a, c, "--ignore", "threads,alpha")
    unknown = compare(a, b, "--ignore", "thread", code=2).stderr
    assert 'found "thread"' in unknown and "alpha, threads" in unknown


def test_no_engine_on_both_sides_is_said(compare, tmp_path):
    a = write(tmp_path / "a/t", {("x", G): spread(1)}, toggles="alpha=1", engine="hybrid")
    b = write(tmp_path / "b/t", {("y", G): spread(2)}, toggles="alpha=1", engine="top-down")
    refused = compare(a, b, "--ignore", "case", code=2).stderr
    assert "no engine is on both sides (hybrid in A, top-down in B)" in refused
    assert "say --ignore" not in refused


def test_cases_and_experiments_of_other_names_are_compared_if_these_are_ignored(compare, tmp_path):
    same = {"toggles": "alpha=1"}
    a, b = tmp_path / "a", tmp_path / "b"
    write(a / "one", {("old", G): spread(1)}, **same)
    write(b / "two", {("new", G): spread(2)}, **same)
    write(b / "three", {("new", H): spread(2)}, **same)
    refused = compare(a, b, code=2).stderr
    assert "case (old in A, new in B), experiment (one in A, three and two in B)" in refused
    assert "say --ignore case,experiment\n" in refused
    told = json.loads(compare(a, b, "--ignore", "case,experiment", "--json").stdout)
    (row,) = told["rows"]
    assert (row["experiment"], row["series"]) == ("one -> two", "old -> new")
    assert row["verdict"] == "slower"
    assert told["left_out"] == [f"three: new on {H}: only in B"]


def test_what_ignoring_makes_ambiguous_is_left_out(compare, tmp_path):
    threads = {"x": 1, "y": 2}
    settings = {"toggles": lambda case: f"threads={threads[case]}"}
    a = write(tmp_path / "a/t", {("x", G): spread(1), ("y", G): spread(2)}, **settings)
    b = write(tmp_path / "b/t", {("x", G): spread(1), ("y", G): spread(2)}, **settings)
    refused = compare(a, b, "--ignore", "case,threads", code=2).stderr
    assert "2 configurations in A and 2 in B differ only in what is not compared" in refused
    told = json.loads(compare(a, b, "--ignore", "case", "--json").stdout)
    assert [row["verdict"] for row in told["rows"]] == ["same", "same"]


def test_a_burst_is_compared_with_a_burst(compare, tmp_path):
    a = write(tmp_path / "a", {("x", G): spread(1)}, searches_per_trial=8)
    b = write(tmp_path / "b", {("x", G): spread(2)}, searches_per_trial=8)
    (row,) = json.loads(compare(a, b, "--json").stdout)["rows"]
    assert row["verdict"] == "slower"
    c = write(tmp_path / "c", {("x", G): spread(2)})
    assert "no configuration is on both sides" in compare(a, c, code=2).stderr


def test_cold_caches_are_compared_with_cold_caches(compare, tmp_path):
    a = write(tmp_path / "a", {("x", G): spread(1)}, caches="cold")
    b = write(tmp_path / "b", {("x", G): spread(2)}, caches="cold")
    (row,) = json.loads(compare(a, b, "--json").stdout)["rows"]
    assert row["verdict"] == "slower"
    c = write(tmp_path / "c", {("x", G): spread(2)})
    assert "and state of caches" in compare(a, c, code=2).stderr


def test_a_folder_at_a_commit(compare, bench, tmp_path):
    write(tmp_path / "results/box/t", {("x", G): spread(1)})
    commit(bench.folder, "results")
    runs = tmp_path / "results/box/t/runs.csv"
    runs.write_text(runs.read_text().replace("hash of", "another hash of"))
    seal_tables(runs.parent)
    git(bench.folder, "add", "results")
    before = git(bench.folder, "status", "--porcelain")
    told = json.loads(
        compare("HEAD:results/box", "results/box", "--json", "--allow", "graphs").stdout
    )
    assert [row["verdict"] for row in told["rows"]] == ["same"]
    assert git(bench.folder, "status", "--porcelain") == before  # what is staged stays so
    assert not list(Path("/tmp").glob("bfslab-commit-*/box"))
    assert "git knows no folder" in compare("HEAD:nothing", "results/box", code=2).stderr


def test_its_json_is_drawn(compare, pair, tmp_path, capsys):
    file = tmp_path / "out.json"
    file.write_text(compare(*pair, "--json").stdout)
    assert plots(["compare", str(file)]) == 0
    assert (tmp_path / "out.png").stat().st_size > 3000
    assert "slow" in (tmp_path / "out.csv").read_text()
    file.write_text("{}")
    assert plots(["compare", str(file)]) == 2 and "expected what" in capsys.readouterr().err


def test_sources_of_small_components_are_left_out(compare, tmp_path):
    """Searches that reach two vertices weigh nothing beside those of the graph."""
    whole = {("x", G): spread(2)}
    reach = {"reached_vertices": "100"}
    a = write(tmp_path / "a/t", whole, **reach)
    b = write(tmp_path / "b/t", {("x", G): spread(1)}, **reach)
    for folder in (a, b):
        rows = list(csv.DictReader((folder / "runs.csv").open()))
        for row in rows:
            if row["source"] in ("0", "1"):
                row |= {"reached_vertices": "2", "time_ms": "0.001"}
        with (folder / "runs.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, rows[0], lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
        seal_tables(folder)
    told = json.loads(compare(a, b, "--json").stdout)
    (row,) = told["rows"]
    assert row["sources"] == 6 and row["ratio"]["value"] == pytest.approx(0.5)
    assert row["a_ms"]["value"] == pytest.approx(2 * 5.5 * 1.01)
    said = f"2 sources of {G} reach fewer than half as many vertices as another source"
    for side, note in zip("AB", told["notes"], strict=True):
        assert note.startswith(f"t, in {side}: {said}")
    cell = time_cell(load_experiment(a).timed)
    assert cell.median_ms == pytest.approx(row["a_ms"]["value"])
    # A spec that lists its sources keeps them.
    (a / "spec.json").write_text(json.dumps({"sources": list(range(8))}))
    (b / "spec.json").write_text(json.dumps({"sources": list(range(8))}))
    told = json.loads(compare(a, b, "--json").stdout)
    assert told["rows"][0]["sources"] == 8 and told["notes"] == []
    assert len(time_cell(load_experiment(a).timed).times_ms) == 8
