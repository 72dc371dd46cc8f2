# SPDX-License-Identifier: Apache-2.0
"""Folders of results of older and of newer versions."""

import csv
import json
import shutil

import pytest
from driver_bench import ROOT

from plots.rows import OLD_NAMES
from tests.sealing import TABLES, unseal_tables

OLD = ROOT / "tests/data/results_0.2.0/epyc-2"
NAME = "cs406-table1"
MACHINE = ("cpu", "memory_bytes", "architecture", "limits", "openmp", "gpu")


@pytest.fixture
def bfslab(bench):
    return bench.ask


@pytest.fixture
def old(bench):
    """Rows of 0.2.0 among the results, as if this machine had measured them; and their spec."""
    bench.run(bench.spec("here", graphs=["path:vertices=9"]))
    here = json.loads((bench.results / "here/environment.json").read_text())
    folder = bench.results / NAME
    shutil.copytree(OLD / NAME, folder)
    path = folder / "environment.json"
    facts = json.loads(path.read_text())
    path.write_text(json.dumps(facts | {key: here[key] for key in MACHINE}, indent=2))
    spec = json.loads((folder / "spec.json").read_text())
    defaults = dict.fromkeys(("warmup", "base", "pollution"))  # not those of the bench
    return lambda **keys: bench.spec(**(defaults | spec | keys))


def test_compare_and_doctor_read_rows_of_0_2_0(bfslab):
    told = json.loads(bfslab("compare", OLD / NAME, OLD / NAME, "--json").stdout)
    (row,) = told["rows"]
    assert (row["case"], row["ratio"]["value"], row["sources"]) == ("Textbook", 1, 2)
    assert told["a"]["commits"] == ["69ffe76"] and told["left_out"] == []
    doctor = json.loads(bfslab("doctor", OLD, "--json").stdout)
    assert doctor["agree"] and doctor["experiments"] == 1


def test_rows_of_0_2_0_are_continued_and_keep_every_value(bench, old):
    folder = bench.results / NAME
    before = list(csv.DictReader((folder / "runs.csv").open(newline="")))
    facts = json.loads((folder / "environment.json").read_text())
    assert "commit" not in before[0] and "format" not in facts
    done = bench.run(old(repeats=8, invocations=4))
    assert "had the columns of an older version, and have the present ones" in done.stderr
    rows = bench.rows(name=NAME)
    kept = [{k: v for k, v in row.items() if k != "seal"} for row in rows[: len(before)]]
    later = dict.fromkeys(kept[0], "")  # columns that 0.2.0 did not have are empty
    assert [later | present(row) | {"commit": facts["commit"]} for row in before] == kept
    added = rows[len(before) :]  # more than these where something disturbs the machine
    assert {(row["repeat"], row["status"]) for row in added} == {("6", "ok"), ("7", "ok")}
    now = json.loads((folder / "environment.json").read_text())
    assert now["format"] == 3 and now["sealed"] is True and next(iter(now)) == "format"
    assert {key: now[key] for key in facts if key != "resumed"} == {
        key: value for key, value in facts.items() if key != "resumed"
    }
    first, second = now["builds"]
    assert (first["build_hash"], first["commit"]) == (facts["build_hash"], facts["commit"])
    assert (first["version"], first["first_used"]) == ("0.2.0", facts["utc"])
    assert {row["build_hash"] for row in rows} == {first["build_hash"], second["build_hash"]}
    assert "rows of 2 builds, by commit and hash: 69ffe76 (" in done.stderr
    assert now["resumed"][-1]["previous_spec_hash"]


@pytest.mark.parametrize("sealed", TABLES)
def test_a_kill_while_a_folder_is_brought_into_the_present_format(bench, sealed):
    """One table has its seals, and environment.json does not say so yet."""
    spec = bench.spec(record=["time", "levels"])
    bench.run(spec)
    folder = bench.results / "t"
    before = {table: bench.rows(table) for table in TABLES}
    of_format_3 = (folder / f"{sealed}.csv").read_bytes()
    unseal_tables(folder)
    (folder / f"{sealed}.csv").write_bytes(of_format_3)
    bench.ask("doctor", bench.results)
    bench.run(spec)
    assert {table: bench.rows(table) for table in TABLES} == before
    assert json.loads((folder / "environment.json").read_text())["sealed"] is True
    bench.ask("doctor", bench.results)


def test_a_packed_folder_of_0_2_0_is_unpacked_and_continued(bench, old, bfslab):
    bfslab("pack", bench.results / NAME)
    before = [row["time_ms"] for row in bench_rows(OLD / NAME)]
    bench.run(old())
    assert [row["time_ms"] for row in bench.rows(name=NAME)] == before
    assert {row["commit"][:7] for row in bench.rows(name=NAME)} == {"69ffe76"}


def present(row):
    """A row under the names that columns have now."""
    return {OLD_NAMES.get(name, name): value for name, value in row.items()}


def bench_rows(folder):
    return list(csv.DictReader((folder / "runs.csv").open(newline="")))


def test_a_spec_of_0_2_0_that_was_changed_by_hand_is_refused(bench, old):
    spec = old()
    path = bench.results / NAME / "spec.json"
    path.write_text(path.read_text().replace("Table 1", "Table 2"))  # its hash was of all keys
    assert "spec.json is not the spec of these rows" in bench.run(spec, code=2).stderr


def test_tables_of_unknown_or_too_few_columns_are_refused(bench, old):
    path = bench.results / NAME / "runs.csv"
    whole = path.read_text()
    path.write_text(whole.replace(",utc\n", ",later\n", 1))
    refused = bench.run(old(), code=2).stderr
    assert 'runs.csv: this version of bfslab knows no column "later"; use --fresh' in refused
    assert path.read_text() == whole.replace(",utc\n", ",later\n", 1)
    lines = [line.rsplit(",", 1)[0] for line in whole.splitlines()]
    path.write_text("\n".join(lines) + "\n")
    assert 'it has no column "utc"' in bench.run(old(), code=2).stderr


def test_a_newer_format_is_refused_by_all_that_read(bench, bfslab):
    spec = bench.spec()
    bench.run(spec)
    path = bench.results / "t/environment.json"
    path.write_text(path.read_text().replace('"format": 3', '"format": 4'))
    refused = [bench.run(spec, code=2)]
    for command in (["doctor"], ["pack"], ["compare", OLD / NAME]):
        refused.append(bfslab(*command, bench.results / "t", code=2))
    for done in refused:
        assert "t is of format 4, and this program reads formats 1 to 3" in done.stderr
    bench.run(spec, "--fresh")
    # A neighbour that cannot be read stops no run, and says nothing about this folder's answers.
    bench.run(bench.spec("other"))
