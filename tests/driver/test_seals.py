# SPDX-License-Identifier: Apache-2.0
"""Each row follows from the one before it: what is changed by hand is named by every reader."""

import csv
import gzip
import json
import shutil
import subprocess

import pytest
from driver_bench import Bench, binary
from made_results import spread, write

from plots.__main__ import main as draw
from plots.load import ResultsError, load_experiment
from tests.sealing import TABLES, seal_tables, sealed, unseal_tables, unsealed

FOLLOWS = "by its seal, this row does not follow from"


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """A bench that has run a spec, and another folder of the same experiment."""
    bench = Bench(tmp_path_factory.mktemp("seals"), binary("BFSLAB_FAULTY_BIN", "bfslab-faulty"))
    quoted = {"a": {}, "b": {}, 'c, "d"': {}}
    spec = bench.spec(cases=quoted, repeats=3, record=["time", "levels"])
    bench.run(spec)
    bench.results = bench.folder / "another"
    bench.run(spec)
    bench.results = bench.folder / "results"
    return bench


@pytest.fixture
def folder(recorded, tmp_path):
    """A copy of the recorded folder, which a test may change."""
    return shutil.copytree(recorded.results, tmp_path / "results") / "t"


def readers(bench, folder):
    """Each reader by its name, as a call that returns what it says, after exit code 2."""
    spec, results, other = bench.folder / "t.json", folder.parent, bench.results / "t"

    def command(*words):
        def call():
            return bench.ask(*words, code=2).stderr

        return call

    def load():
        with pytest.raises(ResultsError) as error:
            load_experiment(folder)
        return str(error.value)

    return {
        "run": command("run", spec, "--results", results),
        "doctor": command("doctor", results),
        "compare": command("compare", other, folder),
        "pack": command("pack", results),
        "plots": load,
    }


def everybody_says(bench, folder, *words):
    """Every reader refuses the folder in one line with these words, and changes nothing."""
    before = {path.name: path.read_bytes() for path in folder.glob("*.csv*")}
    for reader, call in readers(bench, folder).items():
        said = call()
        assert all(word in said for word in words), f"{reader}: {said}"
        assert said.rstrip("\n").count("\n") == 0 and "Traceback" not in said, f"{reader}: {said}"
    assert {path.name: path.read_bytes() for path in folder.glob("*.csv*")} == before


def cell(line: bytes, header: bytes, column: str, change) -> bytes:
    """A row with another value in a column; its seal stays."""
    [row] = csv.reader([line.decode()])
    at = header.decode().rstrip("\n").split(",").index(column)
    row[at] = change(row[at])
    quoted = ('"' + x.replace('"', '""') + '"' if set(x) & set(',"') else x for x in row)
    return (",".join(quoted) + "\n").encode()


def changed(column, change):
    return lambda lines: [*lines[:5], cell(lines[5], lines[0], column, change), *lines[6:]]


ROW = {  # edits of a table's lines, and the line that no longer follows
    "a time doubled": (changed("time_ms", lambda x: str(2 * float(x or 1))), 6),
    "a time halved": (changed("time_ms", lambda x: str(float(x or 1) / 2)), 6),
    "a digit": (changed("utc", lambda x: x.replace("2", "3", 1)), 6),
    "a flag cleared": (changed("validated", lambda x: "1" if x == "0" else "0"), 6),
    "polluted cleared": (changed("polluted", lambda x: "1" if x == "0" else "0"), 6),
    "instrumented changed": (changed("instrumented", lambda x: "1" if x == "0" else "0"), 6),
    "a case renamed": (changed("case", lambda x: "b" if x == "a" else "a"), 6),
    "a graph renamed": (changed("graph", lambda x: x + "0"), 6),
    "a source changed": (changed("source", lambda x: str(int(x) + 1)), 6),
    "a status changed": (changed("status", lambda x: "timeout"), 6),
    "a reason added": (changed("reason", lambda x: "too slow"), 6),
    "a reason with a line end": (changed("reason", lambda x: "too,\nslow"), 6),
    "a count changed": (changed("reached_vertices", lambda x: str(int(x) - 1)), 6),
    "a repeat renumbered": (changed("repeat", lambda x: "9"), 6),
    "a trial renumbered": (changed("trial", lambda x: "99"), 6),
    "a build changed": (changed("build_hash", lambda x: "0" * len(x)), 6),
    "a seal changed": (changed("seal", lambda x: x[::-1]), 6),
    "a seal removed": (changed("seal", lambda x: ""), 6),
    "a field quoted": (lambda x: [*x[:5], b'"' + x[5].replace(b",", b'",', 1), *x[6:]], 6),
    "a blank added": (lambda x: [*x[:5], x[5].replace(b",", b", ", 1), *x[6:]], 6),
    "a carriage return": (lambda x: [*x[:5], x[5].replace(b"\n", b"\r\n"), *x[6:]], 6),
    "a row removed": (lambda x: x[:5] + x[6:], 6),
    "the first row removed": (lambda x: x[:1] + x[2:], 2),
    "rows removed in the middle": (lambda x: x[:4] + x[9:], 5),
    "a row doubled": (lambda x: x[:6] + x[5:], 7),
    "the first row doubled": (lambda x: x[:2] + x[1:], 3),
    "the last row doubled": (lambda x: [*x, x[-1]], None),
    "all rows doubled": (lambda x: x + x[1:], None),
    "two rows swapped": (lambda x: [*x[:4], x[5], x[4], *x[6:]], 5),
    "the first moved to the end": (lambda x: [x[0], *x[2:], x[1]], 2),
    "the last moved to the front": (lambda x: [x[0], x[-1], *x[1:-1]], 2),
    "all rows sorted by text": (lambda x: [x[0], *sorted(x[1:], reverse=True)], 2),
    "a blank line": (lambda x: [*x[:5], b"\n", *x[5:]], 6),
    "a blank line at the end": (lambda x: [*x, b"\n"], None),
    "a comment": (lambda x: [*x[:5], b"# checked by hand\n", *x[5:]], 6),
}


def lines_of(path):
    return path.read_bytes().splitlines(keepends=True)


@pytest.mark.parametrize("edit", ROW)
def test_an_edited_row_is_named_by_every_reader(recorded, folder, edit):
    change, line = ROW[edit]
    path = folder / "runs.csv"
    lines = lines_of(path)
    path.write_bytes(b"".join(change(lines)))
    line = line or len(lines) + 1
    everybody_says(recorded, folder, f"runs.csv:{line}: {FOLLOWS}", "put the file back")


@pytest.mark.parametrize("place", [1, 5, -1], ids=["first", "amid", "last"])
@pytest.mark.parametrize("table", TABLES)
def test_a_row_of_another_folder_is_foreign(recorded, folder, table, place):
    """Of the same experiment, build and machine, in any table."""
    path = folder / f"{table}.csv"
    others = lines_of(recorded.folder / "another/t" / path.name)
    lines = lines_of(path)
    if table == "measures" and len(lines) < 6:
        pytest.skip("this machine has too few measures")
    last = min(len(lines), len(others)) - 1  # how many measures there are depends on the machine
    place = min(place, last) if place > 0 else last
    lines[place] = others[place]
    path.write_bytes(b"".join(lines))
    everybody_says(recorded, folder, f"{table}.csv:{place + 1}: {FOLLOWS}")


@pytest.mark.parametrize("table", ["runs", "levels", "graphs"])
def test_a_table_of_another_folder_is_foreign(recorded, folder, table):
    shutil.copy(recorded.folder / f"another/t/{table}.csv", folder)
    words = f"{table}.csv:2: {FOLLOWS} the header and environment.json"
    everybody_says(recorded, folder, words)


def test_an_environment_of_another_folder_is_foreign(recorded, folder):
    shutil.copy(recorded.folder / "another/t/environment.json", folder)
    everybody_says(recorded, folder, ".csv:2: ", FOLLOWS)


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace(b",levels,reached_vertices,", b",reached_vertices,levels,", 1),
        lambda text: text.replace(b"setup_ms", b"setup", 1),
        lambda text: text.replace(b"utc", b"UTC", 1),
    ],
    ids=["two names swapped", "renamed", "in capitals"],
)  # fmt: skip
def test_a_changed_header_is_named(recorded, folder, change):
    path = folder / "runs.csv"
    path.write_bytes(change(path.read_bytes()))
    for reader, call in readers(recorded, folder).items():
        said = call()
        assert "runs.csv" in said and (FOLLOWS in said or "no column" in said), f"{reader}: {said}"


@pytest.mark.parametrize("table", TABLES)
def test_a_table_that_lost_its_seals_is_refused(recorded, folder, table):
    path = folder / f"{table}.csv"
    path.write_bytes(unsealed(path.read_bytes()))
    everybody_says(recorded, folder, f"{table}.csv:1: has no last column seal")


@pytest.mark.parametrize("empty", [False, True])
@pytest.mark.parametrize("table", ["levels", "measures", "graphs"])
def test_a_table_that_is_missing_is_named(recorded, folder, table, empty):
    (folder / f"{table}.csv").unlink()
    if empty:
        (folder / f"{table}.csv").touch()
    everybody_says(recorded, folder, f"{table}.csv", "missing", "put the file back")


def test_a_trial_that_stands_twice_is_named_though_it_is_sealed(recorded, folder):
    path = folder / "runs.csv"
    lines = lines_of(path)
    path.write_bytes(b"".join([*lines[:4], lines[3], *lines[4:]]))
    seal_tables(folder)
    everybody_says(recorded, folder, "runs.csv:5: trial 2 follows trial 2")


@pytest.mark.parametrize("removed", [2, 5])
def test_rows_removed_at_the_end_are_named_where_their_details_stay(recorded, folder, removed):
    """A run that ended early looks alike, but for details: one trial's may be there."""
    path = folder / "runs.csv"
    rows = load_experiment(folder).runs
    kept = rows.iloc[:-removed]
    path.write_bytes(b"".join(lines_of(path)[: 1 + len(kept)]))
    lost = set(rows[rows["instrumented"] == 1]["trial"]) - set(kept["trial"])
    if lost <= {len(kept)}:
        load_experiment(folder)
        return
    for reader, call in readers(recorded, folder).items():
        if reader != "run":  # which keeps the details aside
            said = call()
            assert "levels.csv" in said and "has no row in runs.csv" in said, f"{reader}: {said}"
    recorded.ask("run", recorded.folder / "t.json", "--results", folder.parent)
    assert (folder / "levels.aside.csv").exists()
    assert len(load_experiment(folder).runs) == len(rows)


@pytest.mark.parametrize("table", ["runs", "levels"])
def test_a_packed_table_is_read_by_the_same_rule(recorded, folder, table):
    recorded.ask("pack", folder)
    path = folder / f"{table}.csv.gz"
    lines = gzip.decompress(path.read_bytes()).splitlines(keepends=True)
    path.write_bytes(gzip.compress(b"".join(lines[:5] + lines[6:])))
    calls = readers(recorded, folder)
    calls["pack"] = lambda: recorded.ask("pack", "--undo", folder, code=2).stderr
    for reader, call in calls.items():
        assert f"{table}.csv.gz:6: {FOLLOWS}" in call(), reader


def test_figures_of_changed_rows_are_not_drawn(recorded, folder, tmp_path, capsys):
    path = folder / "runs.csv"
    path.write_bytes(b"".join(ROW["a time doubled"][0](lines_of(path))))
    assert draw([str(folder), "--figure", "engines_by_graph", "--out", str(tmp_path / "f")]) == 2
    said = capsys.readouterr().err
    assert f"runs.csv:6: {FOLLOWS}" in said and said.count("\n") == 1
    assert not (tmp_path / "f").exists()


def test_rows_that_are_added_follow_from_those_that_are_there(recorded, folder):
    """Also after a torn last line, which is trimmed, and after packing."""
    path = folder / "runs.csv"
    whole = path.read_bytes()
    path.write_bytes(whole[:-30])
    recorded.ask("pack", folder)
    recorded.ask("run", recorded.folder / "t.json", "--results", folder.parent)
    assert path.read_bytes().count(b"\n") == whole.count(b"\n")
    assert path.read_bytes().startswith(whole[:-400])
    recorded.ask("doctor", folder, "--limit", "1000")  # its times may differ
    load_experiment(folder)


def test_both_languages_write_the_same_seals(folder):
    environment = json.loads((folder / "environment.json").read_text())
    assert environment["sealed"] is True and list(environment)[:2] == ["format", "sealed"]
    for table in TABLES:
        path = folder / f"{table}.csv"
        data = path.read_bytes()
        assert sealed(unsealed(data), path, environment) == data


def test_a_neighbour_whose_rows_were_changed_accuses_no_row(recorded, folder):
    """Its answers count for nothing, until it is mended."""
    path = folder / "runs.csv"
    lines = lines_of(path)
    for i in range(1, len(lines)):
        lines[i] = cell(lines[i], lines[0], "reached_vertices", lambda n: str(int(n or 1) - 1))
    path.write_bytes(b"".join(lines))
    recorded.spec("neighbour", repeats=2)
    recorded.ask("run", recorded.folder / "neighbour.json", "--results", folder.parent)


def test_doctor_counts_experiments_without_seals(recorded, tmp_path):
    old = write(tmp_path / "box/old", {("x", "g"): spread(1)})
    write(tmp_path / "box/new", {("y", "g"): spread(1)})
    assert "without seals" not in recorded.ask("doctor", tmp_path, "--limit", "1000").stdout
    unseal_tables(old)
    said = recorded.ask("doctor", tmp_path, "--limit", "1000").stdout
    assert "rows without seals, as older versions wrote them: 1 experiment of box" in said
    told = json.loads(recorded.ask("doctor", tmp_path, "--limit", "1000", "--json").stdout)
    assert told["unsealed"] == {"box": 1} and told["agree"]
    done = subprocess.run(recorded.command("compare", old, old), capture_output=True)
    assert done.returncode == 0


@pytest.mark.parametrize("kept", [0, 1, 0.5])
def test_levels_that_end_too_early_are_named(recorded, folder, kept):
    """Rows lost at the end of levels.csv leave the seals of the others as they were."""
    path = folder / "levels.csv"
    lines = path.read_text().splitlines(keepends=True)
    rows = lines[1:]
    last = len([row for row in rows if row.split(",")[0] == rows[-1].split(",")[0]])
    count = {0: 0, 1: len(rows) - 1, 0.5: len(rows) - last}[kept]
    path.write_text("".join([lines[0], *rows[:count]]))
    everybody_says(recorded, folder, "levels, and levels.csv has", "/runs.csv:")
