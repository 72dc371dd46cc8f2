# SPDX-License-Identifier: Apache-2.0
"""scripts/artifact.py: the tiers of experiments/artifact.json, and its table of one's own rows."""

import csv
import gzip
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from plots.claims.expected import ExpectationError, Outcome, expectations
from scripts.artifact import TIERS, names_of
from tests.sealing import seal_tables

ROOT = Path(__file__).resolve().parents[2]
RECORDED = ROOT / "results"
ALL = json.loads(TIERS.read_text())["tiers"]
PLANTED = 1.5


def run(*words) -> subprocess.CompletedProcess:
    command = [sys.executable, ROOT / "scripts/artifact.py", *words]
    return subprocess.run(list(map(str, command)), capture_output=True, text=True)


@pytest.mark.parametrize("number", ALL)
def test_each_tier_has_recorded_rows_and_bands_that_show_a_factor(number):
    tier = ALL[number]
    assert all((ROOT / word).exists() for step in tier["steps"] for word in [step.split()[0]])
    expected = expectations(RECORDED, tier["claims"], names_of(tier["steps"]))
    assert [each.id for each in expected] == list(tier["claims"])
    for each in expected:
        assert Outcome(each, each.value).words == "ok"
        for factor in (PLANTED, 1 / PLANTED):
            assert Outcome(each, each.value * factor).words == "not ok", each


@pytest.mark.parametrize("number", ALL)
def test_the_page_has_each_tier_with_the_number_of_its_claims(number):
    (row,) = [
        line.split(" | ")
        for line in (ROOT / "docs/artifact.md").read_text().splitlines()
        if line.startswith(f"| `make ae TIER={number}` | ")
    ]
    assert int(row[2]) == len(ALL[number]["claims"])


def table(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def own_rows(folder: Path, factor: float) -> Path:
    """A copy of recorded rows in which levels top-down take `factor` times as long."""
    name = "graph500-romeo-figure3_4a_times"
    own = folder / name
    shutil.copytree(RECORDED / "epyc-2" / name, own)
    for packed in own.glob("*.csv.gz"):
        (own / packed.stem).write_bytes(gzip.decompress(packed.read_bytes()))
        packed.unlink()
    top_down = {row["trial"] for row in table(own / "runs.csv") if row["case"] == "CSR"}
    levels = table(own / "levels.csv")
    for row in levels:
        if row["trial"] in top_down:
            row["time_ms"] = repr(float(row["time_ms"]) * factor)
    with (own / "levels.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, levels[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(levels)
    seal_tables(own)
    return folder


def test_a_planted_factor_is_not_ok(tmp_path):
    same = run("2", "--no-run", "--results", own_rows(tmp_path / "same", 1))
    planted = run("2", "--no-run", "--results", own_rows(tmp_path / "planted", PLANTED))
    lines = {
        kind: next(line for line in done.stdout.splitlines() if "romeo-fig34a-csr" in line)
        for kind, done in (("same", same), ("planted", planted))
    }
    assert lines["same"].rstrip().endswith(" ok") and "not ok" not in lines["same"]
    assert lines["planted"].rstrip().endswith("not ok")
    # Rows of the other experiment are missing.
    assert "not ok: no rows" in same.stdout and same.returncode == planted.returncode == 1


def test_a_claim_without_an_undisturbed_trial_says_how_to_measure_again(tmp_path):
    folder = own_rows(tmp_path, 1)
    (own,) = folder.iterdir()
    rows = table(own / "runs.csv")
    with (own / "runs.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(row | {"polluted": "1"} for row in rows)
    seal_tables(own)
    done = run("2", "--no-run", "--results", folder)
    line = next(line for line in done.stdout.splitlines() if "romeo-fig34a-csr" in line)
    assert line.rstrip().endswith("not ok: disturbed") and done.returncode == 1
    assert (
        "disturbed all trials that are needed for romeo-fig34a-csr, romeo-fig34a-csc."
        in done.stdout
    )
    assert f"run experiments/graph500-romeo/figure3_4a_times.json --fresh --results {folder}" in (
        done.stdout
    )
    assert "not ok: no rows" in done.stdout  # of experiments that did not run


def test_a_tier_that_is_unknown_is_refused():
    done = run("9")
    assert done.returncode == 2 and "invalid choice: '9'" in done.stderr


def test_a_claim_without_rows_is_no_expectation(tmp_path):
    with pytest.raises(ExpectationError, match="dfq-table2-dfq: no recorded row"):
        expectations(tmp_path, {"dfq-table2-dfq": "same"}, {"dfq-table_ii"})
    with pytest.raises(ExpectationError, match="cannot have the band"):
        expectations(RECORDED, {"dfq-table2-dfq": 0.5}, {"dfq-table_ii"})


def test_a_tier_never_uses_the_network(tmp_path, monkeypatch):
    monkeypatch.setenv("BFSLAB_OFFLINE", "0")
    program = tmp_path / "bfslab"
    program.write_text(f'#!/bin/sh\necho "$BFSLAB_OFFLINE" >>{tmp_path}/offline\nexit 2\n')
    program.chmod(0o755)
    done = run("1", "--bfslab", program, "--results", tmp_path / "rows")
    assert done.returncode == 2, done.stdout + done.stderr
    assert set((tmp_path / "offline").read_text().split()) == {"1"}
