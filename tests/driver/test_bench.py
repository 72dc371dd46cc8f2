# SPDX-License-Identifier: Apache-2.0
"""`bfslab bench`: measures engines on graphs from the command line alone."""

import csv
import io
import json

import pytest
from driver_bench import GRAPH

SMALL = (GRAPH, "--sources", 4, "--repeats", 2)


def ask(bench, *words, code=0):
    return bench.ask("bench", *words, "--results", bench.results, code=code)


def folder_of(bench, prefix="bench-"):
    (folder,) = [f for f in bench.results.iterdir() if f.name.startswith(prefix)]
    return folder


def lines_of_table(text: str) -> list[list[str]]:
    return [line.split() for line in text.splitlines() if GRAPH in line]


def test_a_table_on_stdout(bench):
    done = ask(bench, *SMALL, "--engine", "sequential,hybrid")
    heading = done.stdout.splitlines()[0].split()
    assert heading == ["case", "graph", "ms", "95", "%", "GTEPS", "over", "sequential", "95", "%",
                       "polluted", "trials"]  # fmt: skip
    rows = lines_of_table(done.stdout)
    assert [row[0] for row in rows] == ["sequential", "hybrid"]
    assert all(row[-2:] == ["8", "ok"] for row in rows)
    assert "harmonic mean over sources" in done.stdout
    assert f"rows: {folder_of(bench)}" in done.stderr


def test_json_csv_and_markdown_have_the_same_numbers(bench):
    command = (*SMALL, "--engine", "sequential,hybrid")
    (table,) = json.loads(ask(bench, *command, "--json").stdout)
    as_csv = list(csv.DictReader(io.StringIO(ask(bench, *command, "--csv").stdout)))
    assert [row["engine"] for row in as_csv] == ["sequential", "hybrid"]
    for row, line in zip(table["rows"], as_csv, strict=True):
        for key in ("time_ms", "gteps"):
            for end, ending in (("value", ""), ("low", "_low95"), ("high", "_high95")):
                # Where too many sources were disturbed, there is no interval.
                text = line[f"{key}{ending}"]
                assert (float(text) if text else None) == pytest.approx(row[key][end])
            assert row[key]["value"] > 0
        assert line["statuses"] == "8 ok"
    assert as_csv[0]["speedup"] == "" and float(as_csv[1]["speedup"]) > 0
    markdown = ask(bench, *command, "--markdown").stdout
    assert "| case | graph | ms | 95 % | GTEPS |" in markdown
    assert markdown.startswith(f"## {table['experiment']}\n")


def test_the_written_spec_is_what_ran(bench):
    written = bench.folder / "mine.json"
    ask(bench, *SMALL, "--engine", "hybrid", "--set", "threads=1", "--spec", written)
    folder = folder_of(bench)
    resolved = bench.ask("check", "--resolved", written).stdout
    assert json.loads(resolved) == json.loads((folder / "spec.json").read_text())
    spec = json.loads(written.read_text())
    assert spec["repeats"] == 2 and spec["invocations"] == 2 and spec["sources"] == {"count": 4}
    rows = (folder / "runs.csv").read_text()
    assert {row["validated"] for row in bench.rows(name=folder.name)} == {"0", "1"}
    assert "rows exist" in bench.run(written).stderr
    assert (folder / "runs.csv").read_text() == rows
    again = ask(bench, *SMALL, "--engine", "hybrid", "--set", "threads=1", "--spec", written)
    assert (folder / "runs.csv").read_text() == rows
    assert len(lines_of_table(again.stdout)) == 1


def test_the_same_command_resumes_and_fresh_measures_again(bench):
    command = (*SMALL, "--engine", "sequential")
    ask(bench, *command)
    rows = folder_of(bench) / "runs.csv"
    lines = rows.read_bytes().splitlines(keepends=True)
    rows.write_bytes(b"".join(lines[:5]))
    assert "resuming, 4 rows exist" in ask(bench, *command).stderr
    assert rows.read_bytes().splitlines(keepends=True)[:5] == lines[:5]
    assert rows.read_bytes().count(b"\n") >= 9
    assert "earlier rows were moved to" in ask(bench, *command, "--fresh").stderr


def test_a_folder_with_a_name_grows(bench):
    name = ("--name", "mine", "--engine", "sequential")
    ask(bench, GRAPH, *name, "--sources", 2, "--repeats", 1)
    ask(bench, GRAPH, "kronecker:scale=7", *name, "--sources", 4, "--repeats", 1)
    found = [(row["graph"], row["source"]) for row in bench.rows(name="mine")]
    assert len(set(found)) == 8 and {graph for graph, _ in found[:2]} == {GRAPH}


def test_lists_are_swept_and_settings_may_be_one_engines(bench):
    ask(
        bench, GRAPH, "--sources", 1, "--repeats", 1, "--engine", "hybrid,top-down",
        "--set", "threads=[1,2]", "--set", "hybrid.rule=beamer",
    )  # fmt: skip
    rows = bench.rows(name=folder_of(bench).name)
    told = {(row["engine"], row["threads"], "rule=beamer" in row["toggles"]) for row in rows}
    assert told == {
        ("hybrid", "1", True), ("hybrid", "2", True),
        ("top-down", "1", False), ("top-down", "2", False),
    }  # fmt: skip


def test_a_relative_file_is_found_from_any_folder(bench):
    (bench.folder / "g.el").write_text("0 1\n1 2\n2 3\n")
    written = bench.folder / "below" / "mine.json"
    written.parent.mkdir()
    words = ("--sources", 1, "--repeats", 1, "--engine", "sequential", "--spec", written)
    ask(bench, "g.el", *words)
    assert "rows exist" in bench.run(written).stderr
    assert {row["status"] for row in bench.rows(name=folder_of(bench).name)} == {"ok"}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([GRAPH, "--engine", "hybird"], 'no engine is called "hybird"; did you mean "hybrid"?'),
        (["kroneker:scale=8", "--engine", "hybrid"], 'did you mean "kronecker"?'),
        ([GRAPH, "--engine", "graph-load"], "--engine graph-load: it counts facts"),
        ([GRAPH, "--engine", "hybrid", "--set", "treads=1"], 'did you mean "threads"?'),
        ([GRAPH, "--engine", "hybrid", "--set", "rule=beemer"], "--set rule: found"),
        ([GRAPH, "--engine", "hybrid", "--set", "threads"], "expected KEY=VALUE"),
        ([GRAPH, "--engine", "hybrid", "--set", "topdown.threads=1"], "--engine does not name"),
        ([GRAPH, "--engine", "hybrid,hybrid"], '--engine names "hybrid" twice'),
        ([GRAPH, GRAPH, "--engine", "hybrid"], "GRAPH: found"),
        ([GRAPH, "--engine", "hybrid", "--name", "a/b"], "--name: found"),
        (["no/such.el", "--engine", "hybrid"], "no/such.el"),
    ],
)  # fmt: skip
def test_bad_input_gets_one_message_and_nothing_is_written(bench, words, message):
    done = ask(bench, *words, code=2)
    assert message in done.stderr and done.stderr.count("\n") == 1 and done.stdout == ""
    assert "bench:1:" not in done.stderr and not bench.results.exists()


def test_an_engine_that_cannot_run_here_is_refused_before_anything_runs(bench):
    bench.env["CUDA_VISIBLE_DEVICES"] = "-1"
    done = ask(bench, *SMALL, "--engine", "hybrid,xbfs", code=2)
    assert done.stderr.startswith("bfslab: bench: xbfs cannot run here: ")
    assert done.stderr.count("\n") == 1 and not bench.results.exists()
    written = bench.folder / "for-elsewhere.json"
    plan = ask(bench, *SMALL, "--engine", "hybrid,xbfs", "--spec", written, "--dry-run")
    assert "xbfs" in plan.stdout and "xbfs" in written.read_text()


def test_a_file_with_another_text_is_kept(bench):
    written = bench.folder / "mine.json"
    written.write_text("{}")
    done = ask(bench, *SMALL, "--engine", "hybrid", "--spec", written, code=2)
    assert "has another text" in done.stderr and written.read_text() == "{}"
    assert not bench.results.exists()
