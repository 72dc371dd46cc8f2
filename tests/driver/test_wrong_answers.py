# SPDX-License-Identifier: Apache-2.0
"""`bfslab traverse` and answers that are wrong: the first difference is named, and the answer is
kept on request."""

import json
import subprocess

import pytest


@pytest.fixture
def traverse(bench):
    def run(*words, graph="path:vertices=20", source=3, fault="wrong_levels"):
        command = [bench.program, "traverse", graph, "--source", str(source), "--engine", "faulty",
                   "--set", f"fault={fault}", "--set", "where=traverse", *words]  # fmt: skip
        return subprocess.run(command, capture_output=True, text=True, env=bench.env)

    return run


def test_the_first_difference_is_named_and_the_answer_is_not_printed(traverse):
    done = traverse()
    assert (done.returncode, done.stdout) == (1, "")
    said = "the first difference from the reference is vertex 19: level 16 expected, level 17 found"
    assert f"{said}; 1 of 20 vertices differ\n" in done.stderr
    assert "--keep-wrong prints the answer" in done.stderr


def test_the_difference_has_the_id_of_the_file(traverse, tmp_path):
    graph = tmp_path / "own.txt"
    graph.write_text("10 20\n20 30\n")
    done = traverse(graph=f"file:{graph}", source=0)
    assert "vertex 2 (id 30 in the file): level 2 expected, level 3 found" in done.stderr


def test_a_wrong_answer_is_kept_on_request(traverse, tmp_path):
    done = traverse("--keep-wrong")
    assert done.returncode == 1 and "--keep-wrong" not in done.stderr
    assert done.stdout.splitlines()[-1] == "19,19,17,18" and len(done.stdout.splitlines()) == 21
    out = tmp_path / "wrong.csv"
    assert traverse("--keep-wrong", "--out", str(out)).returncode == 1
    assert out.read_text() == done.stdout
    assert traverse("--out", str(tmp_path / "none.csv")).returncode == 1
    assert not (tmp_path / "none.csv").exists()


def test_json_has_the_difference(traverse):
    done = traverse("--json")
    said = json.loads(done.stdout)
    assert done.returncode == 1 and said["correct"] is False and said["fault"]
    assert said["first_difference"] == {
        "vertex": 19, "id": 19, "expected": 16, "found": 17, "vertices": 1
    }  # fmt: skip
    assert said["levels"] is None


def test_wrong_parents_beside_right_levels_differ_nowhere(traverse):
    done = traverse(fault="wrong_parents")
    assert (done.returncode, done.stdout) == (1, "")
    assert "its levels do not differ from the reference" in done.stderr
    assert "first difference" not in done.stderr


def test_parents_that_are_no_tree_have_no_levels_to_compare(traverse):
    done = traverse("--answer", "parents", "--json", fault="wrong_parents")
    assert done.returncode == 1 and json.loads(done.stdout)["first_difference"] is None
