# SPDX-License-Identifier: Apache-2.0
"""Whatever lies in a folder of results, figures end in one message, and soon."""

import gzip
import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from results_builder import Results

from plots import files
from plots.__main__ import main

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def folder(tmp_path):
    made = Results({"name": "n", "graphs": ["kronecker:scale=8"], "cases": {"a": {}},
                    "figure": "engines_by_graph"})  # fmt: skip
    made.run("a", 2.0, graph="kronecker:scale=8")
    return made.write(tmp_path / "box/n")


def refused(folder, capsys) -> str:
    assert main([str(folder.parent), "--format", "none"]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and said.startswith("plots: ")
    return said


@pytest.mark.parametrize("kind", ["fifo", "zero", "folder"])
@pytest.mark.parametrize("name", ["runs.csv", "levels.csv", "environment.json", "spec.json"])
def test_only_regular_files_are_read(folder, capsys, kind, name):
    (folder / name).unlink()
    if kind == "fifo":
        os.mkfifo(folder / name)
    elif kind == "zero":
        (folder / name).symlink_to("/dev/zero")
    else:
        (folder / name).mkdir()
    assert f"{folder / name}: is no regular file" in refused(folder, capsys)


WRONG = [
    ("environment.json", "builds", {"a": 1}, "at `builds`: found {\"a\": 1}, expected a list"),
    ("environment.json", "builds", [[]], "at `builds.0`: found [], expected an object"),
    ("environment.json", "builds", [{}, {"commit": 1}], "at `builds.1.commit`: found 1"),
    ("environment.json", "resumed", "x", "at `resumed`: found \"x\", expected a list"),
    ("environment.json", "resumed", [{"repeats_before": "1"}], "at `resumed.0.repeats_before`"),
    ("environment.json", "cpu", [1], "at `cpu`: found [1], expected an object"),
    ("environment.json", "cpu", {"allowed": "two"}, "at `cpu.allowed`: found \"two\", expected a"),
    ("environment.json", "cpu", {"allowed": True}, "at `cpu.allowed`: found true, expected a num"),
    ("environment.json", "gpu", {"devices": 3}, "at `gpu.devices`: found 3, expected a list"),
    ("environment.json", "gpu", {"devices": [{"name": 1}]}, "at `gpu.devices.0.name`: found 1"),
    ("environment.json", "format", "2", "at `format`: found \"2\", expected a number"),
    ("environment.json", "commit", ["x" * 99], "at `commit`: found [\"xxxx"),
    ("environment.json", "arguments", [1], "at `arguments.0`: found 1, expected a text"),
    ("spec.json", "name", 3, "at `name`: found 3, expected a text"),
    ("spec.json", "graphs", "x", "at `graphs`: found \"x\", expected a list"),
    ("spec.json", "graphs", [3], "at `graphs.0`: found 3, expected an object or a text"),
    ("spec.json", "cases", [], "at `cases`: found [], expected an object"),
    ("spec.json", "figure", {"a": 1}, "at `figure`: found {\"a\": 1}, expected a text or a list"),
    ("spec.json", "figure", [1], "at `figure.0`: found 1, expected a text"),
    ("spec.json", "invocations", 1.5, "at `invocations`: found 1.5, expected a number"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "key", "value", "said"), WRONG)
def test_a_value_of_another_type_is_named(folder, capsys, name, key, value, said):
    known = json.loads((folder / name).read_text())
    (folder / name).write_text(json.dumps(known | {key: value}))
    assert f"{folder / name}: {said}" in refused(folder, capsys)


@pytest.mark.parametrize("name", ["environment.json", "spec.json"])
@pytest.mark.parametrize(
    "text",
    ["[" * 100_000, '{"a":' * 100_000, "[]", "3", "", "{", b"\xff\xfe{", "\ufeff{}", "1" * 10_000],
    ids=["brackets", "braces", "list", "number", "nothing", "torn", "bytes", "mark", "digits"],
)
def test_what_is_no_json_of_ours_is_one_message(folder, capsys, name, text):
    (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    said = refused(folder, capsys)
    assert str(folder / name) in said and len(said) < 400


def bomb(path: Path, head: bytes, block: bytes, blocks: int) -> None:
    """A gzip file may consist of members, each compressed by itself: a block is packed once."""
    path.write_bytes(gzip.compress(head) + gzip.compress(block) * blocks)


@pytest.mark.parametrize(
    ("head", "block", "said"),
    [
        (b"", b"\0" * (1 << 20), "has NUL bytes, and is no table"),
        (b"trial,case\n", b"\0" * (1 << 20), "has NUL bytes"),
        (b"", b"," * (1 << 20), "has more than "),
        (b"", b"1,2\n" * (1 << 18), "has more than "),
        (b"", b'"' * (1 << 20), "has more than "),
    ],
)
def test_a_packed_bomb_does_not_fill_the_memory(folder, head, block, said):
    (folder / "runs.csv").unlink()
    packed = folder / "runs.csv.gz"
    bomb(packed, head, block, 700)
    code = "import sys; from plots.__main__ import main; sys.exit(main())"
    limit = 2 << 30
    done = subprocess.run(
        [sys.executable, "-c", code, folder.parent, "--format", "none"],
        cwd=ROOT, capture_output=True, text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
    )  # fmt: skip
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert f"{packed}: {said}" in done.stderr


def test_a_packed_table_of_rows_much_alike_is_read(folder):
    text = (folder / "runs.csv").read_bytes()
    row = text.split(b"\n")[1].split(b",", 1)[1]
    rows = b"".join(b"%d,%s%d\n" % (k, row, k * 7919 % 99991) for k in range(300_000))
    packed = folder / "runs.csv.gz"
    packed.write_bytes(gzip.compress(text.split(b"\n")[0] + b"\n" + rows, 9))
    assert files.unpacked(packed).count(b"\n") == 300_001
