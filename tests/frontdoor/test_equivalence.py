# SPDX-License-Identifier: Apache-2.0
"""scripts/equivalence.py: a program beside itself, planted counts, and planted times."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.sealing import seal_tables

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import equivalence  # noqa: E402

SPEC = {
    "name": "probe",
    "graphs": ["kronecker:scale=6", "path:vertices=30"],
    "sources": {"count": 2, "seed": 1, "rule": "largest-component"},
    "cases": {"a": {"engine": "hybrid", "threads": 1}, "b": {"engine": "top-down", "threads": 1}},
    "pollution": {"attempts": 1, "drift_pct": 1000},
}
KEY = ("s", "c", "e", "c")


@pytest.fixture
def sources(tmp_path, bfslab):
    """The sources of a base whose program is the present one."""
    folder = tmp_path / "base"
    (folder / "build/release").mkdir(parents=True)
    (folder / "build/release/bfslab").symlink_to(bfslab)
    (folder / "x").mkdir()
    (folder / "x/probe.json").write_text(json.dumps(SPEC))
    return folder


def measure(sources, code=0, spec="x/probe.json"):
    command = [sys.executable, ROOT / "scripts/equivalence.py", "0123456789", sources, spec]
    command += ["--results", sources.parent / "box"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    return done


def test_a_program_is_equal_to_itself_and_a_planted_count_is_named(sources, bfslab):
    assert measure(sources).stdout.count("equal     ") == 2
    [record] = (sources.parent / "box/equivalence").glob("0123456789"[:9] + "-*/equivalence.json")
    found = json.loads(record.read_text())
    assert (found["base"], found["machine"], len(found["rows"])) == ("0123456789", "box", 2)
    assert {row["graphs"] for row in found["rows"]} == {2}
    levels = record.parent / "new/x-probe-1/levels.csv"
    lines = levels.read_text().splitlines(keepends=True)
    column = lines[0].strip().split(",").index("frontier_vertices")
    cells = lines[1].split(",")
    cells[column] = "77"
    levels.write_text("".join([lines[0], ",".join(cells), *lines[2:]]))
    seal_tables(levels.parent)
    rows = equivalence.judged(bfslab, record.parent, set())
    assert {row["counts"] for row in rows} == {"equal", "differ"}
    [row] = [row for row in rows if row["counts"] == "differ"]
    assert "frontier_vertices differs (" in row["why"] and row["verdict"] != "equal"


def test_a_spec_that_the_base_has_not_is_refused(sources):
    assert "0123456789 has no x/gone.json" in measure(sources, 2, "x/gone.json").stderr


@pytest.mark.parametrize(
    ("itself", "of", "verdict", "limit"),
    [
        ([1.0, 1.0], [1.01, 1.0], "equal", 2),
        ([1.0, 1.0], [0.9, 0.8], "faster", 2),
        ([1.0, 1.0], [1.2, 1.1], "slower", 2),
        ([1.0, 1.0], [1.3, 0.99], "undecided", 2),
        ([1.1, 1.1], [1.15, 1.2], "equal", 20),
    ],
)
def test_a_gpus_verdict_follows_from_the_limit_and_every_graph(
    monkeypatch, tmp_path, itself, of, verdict, limit
):
    def ratios(_program, a, _b, _ignored=()):
        return {KEY: itself if a.name == "again" else of}

    monkeypatch.setattr(equivalence, "ratios", ratios)
    [row] = equivalence.judged(None, tmp_path, {"e"})
    assert row["verdict"] == verdict
    assert row["limit_pct"] == pytest.approx(limit)


def test_a_default_that_changed_is_left_out_of_the_match_and_named(monkeypatch, tmp_path):
    for folder, alpha in (("old", "15"), ("new", "0")):
        made = tmp_path / folder / "s-1"
        made.mkdir(parents=True)
        rows = ["case,engine,toggles", f"c,e,alpha={alpha};beta=1", f"d,e,alpha={alpha};beta=2"]
        (made / "runs.csv").write_text("\n".join(rows) + "\n")
    asked = []

    def ratios(_program, a, _b, ignored=()):
        asked.append(list(ignored))
        return {KEY: [1.0, 1.0]}

    monkeypatch.setattr(equivalence, "counts", lambda *_: {})
    monkeypatch.setattr(equivalence, "ratios", ratios)
    [row] = equivalence.judged(None, tmp_path, {"e"})
    assert asked == [[], ["alpha"]]
    assert (row["verdict"], row["why"]) == ("equal", "the default of alpha changed: 15 -> 0")


def test_counts_that_the_old_program_does_not_repeat_decide_nothing(monkeypatch, tmp_path):
    def counts(folder, _turn):
        checks = {"again": "5", "old": "6", "new": "7"}[folder.name]
        level = {"level": "0", "edges_checked": checks, "found_vertices": "1"}
        return {("s", "c", "e", "g", "0"): [({"alpha": "1"}, [level])]}

    monkeypatch.setattr(equivalence, "counts", counts)
    monkeypatch.setattr(equivalence, "ratios", lambda *_: {KEY: [1.5, 1.6]})
    [row] = equivalence.judged(None, tmp_path, set())
    assert (row["counts"], row["verdict"]) == ("equal", "equal")
    assert row["why"] == "edges_checked varies from run to run"
