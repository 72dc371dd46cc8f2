# SPDX-License-Identifier: Apache-2.0
"""Rows that something else has changed: named with file and line by each reader, never dropped."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from driver_bench import CALM, count_rows, wait_for

from plots.load import ResultsError, load_experiment
from tests.sealing import seal_tables

CASES = {"a": {}, "b": {}}


@pytest.fixture
def recorded(bench):
    bench.run(bench.spec(cases=CASES, repeats=6))
    return bench.results / "t"


def edit(folder, line: int, change, *, sealed: bool = True) -> None:
    """Changes one line of runs.csv, from 1, whose rows have new seals then, as a forger's have."""
    path = folder / "runs.csv"
    lines = path.read_text().splitlines(keepends=True)
    lines[line - 1] = change(lines[line - 1], lines[0].strip().split(","))
    path.write_text("".join(lines))
    if sealed:
        seal_tables(folder)


def cell(column: str, value: str):
    def change(line: str, header: list[str]) -> str:
        cells = line.rstrip("\n").split(",")
        cells[header.index(column)] = value
        return ",".join(cells) + "\n"

    return change


def everybody_says(bench, folder, *words: str) -> None:
    """run, doctor, compare and plots refuse the folder with these words, and change nothing."""
    before = {path.name: path.read_bytes() for path in folder.glob("*.csv")}
    other = bench.folder / "other"
    shutil.copytree(folder, other / "t")
    spec = bench.folder / "t.json"
    said = [bench.run(spec, code=2).stderr]
    for command in (["doctor", folder], ["compare", other, folder]):
        done = subprocess.run(bench.command(*map(str, command)), capture_output=True, text=True)
        assert done.returncode == 2, done.stdout + done.stderr
        said.append(done.stderr)
    with pytest.raises(ResultsError) as error:
        load_experiment(folder)
    said.append(str(error.value))
    for text in said:
        for word in words:
            assert word in text, text
    assert {path.name: path.read_bytes() for path in folder.glob("*.csv")} == before


def test_a_stray_quotation_mark_hides_no_row(bench, recorded):
    edit(recorded, 7, lambda line, _: '"' + line, sealed=False)
    everybody_says(bench, recorded, "runs.csv:7", "a quotation mark is opened and never closed")


@pytest.mark.parametrize("time", ["0", "-5", "nan", "inf", "1e-320", "-0.0"])
def test_a_time_that_no_search_can_take_is_refused(bench, recorded, time):
    edit(recorded, 5, cell("time_ms", time))
    everybody_says(bench, recorded, "runs.csv:5", "no time that a search can take")


def test_a_time_beyond_any_memory_is_refused(bench, recorded):
    edit(recorded, 5, cell("reached_vertices", "4000000000"))
    edit(recorded, 5, cell("time_ms", "0.00001"))
    everybody_says(bench, recorded, "runs.csv:5", "one byte of each of the 4000000000 reached")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda text: b"\xef\xbb\xbf" + text, "a byte order mark"),
        (lambda text: text.replace(b"\n", b"\r\n"), "line ends of Windows"),
        (lambda text: text.replace(b"setup_ms", b"time_ms", 1), "the column time_ms stands twice"),
    ],
)
def test_a_file_that_an_editor_rewrote_is_refused(bench, recorded, change, words):
    path = recorded / "runs.csv"
    path.write_bytes(change(path.read_bytes()))
    everybody_says(bench, recorded, "runs.csv:1: ", words)


def test_a_decimal_comma_is_no_number(bench, recorded):
    edit(recorded, 5, lambda line, header: cell("time_ms", "@")(line, header).replace("@", '"0,5"'))
    everybody_says(bench, recorded, "runs.csv", "0,5")


@pytest.mark.parametrize("column", ["build_hash", "environment"])
def test_a_row_of_another_folder_is_foreign(bench, recorded, column):
    edit(recorded, 4, cell(column, "0123456789abcdef"))
    everybody_says(bench, recorded, "0123456789abcdef", "environment.json", "another folder")


@pytest.mark.parametrize("what", ["lock", "row", "cut"])
def test_a_run_stops_where_its_lock_or_table_is_changed_under_it(bench, what):
    process = bench.start(bench.spec(cases={"a": {"sleep_ms": 20}}, repeats=50))
    wait_for(lambda: count_rows(bench) > 2, process)
    folder = bench.results / "t"
    if what == "lock":
        (folder / ".lock").unlink()
    else:
        with (folder / "runs.csv").open("r+") as file:
            text = file.read()
            file.truncate(len(text) - 10) if what == "cut" else file.write(text.splitlines()[1])
    _, err = process.communicate(timeout=60)
    assert process.returncode == 1, err
    assert (".lock was removed or replaced" if what == "lock" else "something else writes") in err


def test_an_external_program_that_reports_no_possible_time_has_a_row_that_says_so(bench):
    program = bench.folder / "zero.sh"
    program.write_text("#!/bin/sh\necho time: $1 ms\n")
    program.chmod(0o755)
    for time in ("0", "0.0000000001"):
        time_of = {"pattern": "time: (.*) ms", "unit": "ms", "scope": "traversal"}
        zero = {"program": str(program), "arguments": [time, "{graph}", "{source}"]}
        spec = {
            "name": "t",
            "graphs": ["path:vertices=9"],
            "sources": [1],
            "limits": {"trial_s": 9},
            "external": {"zero": zero | {"graph": "snap", "time": time_of}},
            "cases": {"a": {"engine": "external:zero"}},
        }
        path = bench.folder / "zero.json"
        path.write_text(json.dumps(spec))
        bench.run(path, "--fresh")
        [row] = bench.rows()
        assert (row["status"], row["time_ms"]) == ("unsupported", "")
        assert "no time that a search can take, as the program reports it" in row["reason"]


def test_a_torn_last_line_is_still_trimmed(bench, recorded):
    path = recorded / "runs.csv"
    path.write_text(path.read_text() + '7,t,"a')
    assert "torn last lines that were trimmed: 1" in bench.run(bench.folder / "t.json").stderr
    assert len(bench.rows()) == 24


@pytest.mark.parametrize("word", ["inf", "Infinity", "-INF", "+inf"])
@pytest.mark.parametrize("form", ["list", "pairs"])
def test_infinity_is_the_level_of_an_unreached_vertex(bench, word, form):
    graph = bench.folder / "two.txt"
    graph.write_text("0 1\n2 3\n")
    program = bench.folder / "peer.sh"
    lines = ["0", "1", word, word]
    if form == "pairs":
        lines = [f"{vertex} {level}" for vertex, level in enumerate(lines)]
    program.write_text("#!/bin/sh\nprintf '%s\\n' " + " ".join(f"'{x}'" for x in lines) + "\n")
    program.chmod(0o755)
    levels = {"from": "stdout", "format": form}
    peer = {"program": str(program), "arguments": ["{graph}", "{source}"], "graph": "el"}
    spec = {
        "name": "t",
        "graphs": [f"file:{graph}"],
        "sources": [0],
        "limits": {"trial_s": 9},
        "external": {"peer": peer | {"levels": levels}},
        "cases": {"a": {"engine": "external:peer"}},
    }
    path = bench.folder / "inf.json"
    path.write_text(json.dumps(spec))
    bench.run(path)
    assert {row["status"] for row in bench.rows()} == {"ok"}
    assert bench.rows()[0]["validated"] == "1"


def test_rows_say_how_many_threads_ran(bench):
    bench.env["OMP_THREAD_LIMIT"] = "1"
    cases = {"a": {"engine": "top-down", "threads": 2}, "b": {"engine": "top-down", "threads": 0}}
    bench.run(bench.spec(base={}, cases=cases))
    assert {row["threads"] for row in bench.rows()} == {"1"}


@pytest.mark.parametrize(
    "settings",
    [{"OMP_DYNAMIC": "true"}, {"OMP_MAX_ACTIVE_LEVELS": "0"}, {"OMP_NUM_THREADS": "1"},
     {"OMP_THREAD_LIMIT": "1"}],
    ids=lambda settings: "".join(f"{k}={v}" for k, v in settings.items()),
)  # fmt: skip
def test_as_many_threads_run_as_rows_say(bench, settings):
    """By the tasks that a worker has while it runs."""
    bench.env |= settings
    case = {"engine": "status-scan", "threads": 3}
    spec = bench.spec(graphs=["kronecker:scale=11"], base={}, sources=[1], repeats=100,
                      check="none", cases={"a": case}, pollution=CALM)  # fmt: skip
    run = bench.start(str(spec), "--quiet")
    most = 0
    while run.poll() is None:
        for child in children(run.pid):
            most = max(most, tasks(child))
    (said,) = {int(row["threads"]) for row in bench.rows()}
    assert said == int(settings.get("OMP_THREAD_LIMIT", 3))
    assert most >= said  # for a moment, threads of an earlier team may still be there
    assert said > 1 or most == 1


def children(process: int) -> list[int]:
    try:
        return list(map(int, Path(f"/proc/{process}/task/{process}/children").read_text().split()))
    except OSError:
        return []  # it has just ended


def tasks(process: int) -> int:
    try:
        return len(os.listdir(f"/proc/{process}/task"))
    except OSError:
        return 0


@pytest.mark.parametrize(
    "option", [["--same", "nan"], ["--fail-if", "slower>inf%"], ["--fail-if", "slower>nan%"]]
)
def test_numbers_of_options_that_are_none_are_refused(bench, recorded, option):
    done = subprocess.run(
        bench.command("compare", str(recorded), str(recorded), *option), capture_output=True
    )
    assert done.returncode == 2


def test_names_are_no_html_in_markdown(bench):
    path = bench.spec(cases={"<img src=x onerror=alert(1)>": {}, "a < b": {}})
    printed = bench.run(path, "--markdown").stdout
    assert "<img" not in printed and "&lt;img src=x" in printed
