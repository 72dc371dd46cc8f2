# SPDX-License-Identifier: Apache-2.0
"""`bfslab traverse` as a user meets it: what it prints, refuses, and never overwrites."""

import subprocess

import pytest


@pytest.fixture
def run(bfslab, tmp_path):
    def call(*arguments):
        command = [bfslab, "traverse", *arguments, "--cache", tmp_path / "cache"]
        return subprocess.run([str(c) for c in command], capture_output=True, text=True)

    return call


def test_rows_go_to_stdout_and_words_to_stderr(run):
    done = run("path:vertices=4", "--source", "1")
    assert done.returncode == 0
    assert done.stdout == "vertex,label,level,parent\n0,0,1,1\n1,1,0,1\n2,2,1,1\n3,3,2,2\n"
    assert "3 levels, 4 of 4 vertices reached" in done.stderr


def test_unreached_vertices_and_unasked_halves_are_empty(run):
    directed = "path:vertices=4,symmetrize=false"
    assert "\n0,0,,\n1,1,0,\n" in run(directed, "--source", "1", "--answer", "levels").stdout
    assert "\n0,0,,\n1,1,,1\n" in run(directed, "--source", "1", "--answer", "parents").stdout


def test_out_is_written_once_and_never_overwritten(run, tmp_path):
    out = tmp_path / "answer.csv"
    assert run("path:vertices=3", "--source", "0", "--out", out).returncode == 0
    first = out.read_text()
    assert first.count("\n") == 4
    again = run("path:vertices=3", "--source", "2", "--out", out)
    assert again.returncode == 2 and "already exists" in again.stderr
    assert out.read_text() == first


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["path:vertices=3", "--source", "3"], "3 vertices"),
        (["path:vertices=3", "--source", "0", "--engine", "hybird"], 'did you mean "hybrid"'),
        (["path:vertices=3", "--source", "0", "--set", "tread=2"], "--set tread=2"),
        (["pth:vertices=3", "--source", "0"], 'did you mean "path"'),
        (["snap:no-such-graph", "--source", "0"], "no-such-graph"),
        (
            ["path:vertices=3", "--source", "0", "--out", "/no/such/folder/a.csv"],
            "cannot be created",
        ),
        (["path:vertices=3", "--source", "0", "--answer", "colours"], "colours"),
    ],
)
def test_bad_input_is_one_message_and_exit_code_2(run, arguments, message):
    done = run(*arguments)
    assert done.returncode == 2, done.stderr
    assert message in done.stderr and done.stdout == ""


def test_labels_from_one_need_no_list_of_them(run, tmp_path):
    graph = tmp_path / "one.gr"
    graph.write_text("p sp 3 2\na 1 2 5\na 2 3 5\n")
    done = run(f"file:{graph}", "--source", "3", "--by-label")
    assert done.stdout == "vertex,label,level,parent\n0,1,2,1\n1,2,1,2\n2,3,0,2\n"
    for stranger in ("0", "4"):
        refused = run(f"file:{graph}", "--source", stranger, "--by-label")
        assert refused.returncode == 2 and "no vertex with that id" in refused.stderr


def test_time_and_levels_take_the_place_of_the_answer(run, tmp_path):
    done = run("path:vertices=4", "--source", "0", "--time", "--levels")
    assert done.returncode == 0 and "vertex,label" not in done.stdout
    time, rate, _, *table = done.stdout.splitlines()
    assert time.startswith("time ") and "median of 5 searches" in time and "GTEPS" in rate
    assert table[0].split()[:3] == ["level", "direction", "technique"]
    assert [line.split()[0] for line in table[1:]] == ["0", "1", "2", "3"]
    out = tmp_path / "answer.csv"
    done = run("path:vertices=4", "--source", "0", "--levels", "--out", out)
    assert "technique" in done.stdout and out.read_text().startswith("vertex,label,level,parent\n")
    assert "time" not in done.stdout
