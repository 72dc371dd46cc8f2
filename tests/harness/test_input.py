# SPDX-License-Identifier: Apache-2.0
"""What users and machines hand to `bfslab`: odd numbers, names that are no UTF-8, control
characters, huge specs, and standard streams that are closed or full. Each is done or refused with
one clear message."""

import json
import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BFSLAB = Path(os.environ.get("BFSLAB_BIN", ROOT / "build" / "release" / "bfslab"))
SPEC = {"name": "n", "graphs": ["path:vertices=20"], "base": {"engine": "hybrid"}}
NOT_UTF8 = b"b\xff"


@pytest.fixture
def bfslab(tmp_path):
    if not BFSLAB.exists():
        pytest.skip(f"{BFSLAB} is not built")

    def run(*arguments, environment=None, **options):
        own = {**os.environ, "BFSLAB_CACHE": str(tmp_path / "cache"), "BFSLAB_DATA": ""}
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
        return subprocess.run(
            [str(BFSLAB), *arguments],
            cwd=tmp_path,
            env={**own, **(environment or {})},
            timeout=60,
            **options,
        )

    return run


@pytest.fixture
def spec(tmp_path):
    """Writes SPEC with these changes, and returns its path."""

    def write(name="spec.json", **changes):
        file = tmp_path / name
        file.write_text(json.dumps(SPEC | changes))
        return file

    return write


def refused(done, *expected):
    message = done.stderr.decode(errors="replace")
    assert done.returncode == 2, message
    assert "json.exception" not in message
    for text in expected:
        assert text in message
    return message


# --- one source, one graph


@pytest.mark.parametrize(
    "source", ["010", "-1", "+3", " 3", "0x10", "3.0", str(2**64), "9" * 40, "20", "x"]
)
def test_a_source_that_is_no_vertex_is_refused_with_the_range(bfslab, source):
    done = bfslab("traverse", "path:vertices=20", "--source", source)
    refused(done, f"{source}", "from 0 to 19")
    assert done.stdout == b""


def test_an_id_of_the_file_has_its_own_range(bfslab, tmp_path):
    (tmp_path / "g.txt").write_text("7 9\n")
    by_label = ["traverse", "file:g.txt", "--by-label", "--source"]
    assert b"\n0,7,0," in bfslab(*by_label, "7").stdout
    refused(bfslab(*by_label, "07"), "from 0 to 2^64 - 1")
    refused(bfslab("traverse", "file:g.txt", "--source", "-1"), "from 0 to 4294967293")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("g.edges", "% bip unweighted\n1 1\n1 2\n2 2\n3 1\n"),
        ("g.edges", "% bip unweighted\n% 4 3 2\n1 1\n1 2\n2 2\n3 1\n"),
        (
            "g.mtx",
            "%%MatrixMarket matrix coordinate pattern general\n3 2 4\n1 1\n1 2\n2 2\n3 1\n",
        ),
    ],
)
def test_a_label_of_both_sets_is_refused_with_both_vertices(bfslab, tmp_path, name, text):
    (tmp_path / name).write_text(text)
    by_label = ["traverse", f"file:{name}", "--by-label", "--source"]
    for label, first, second in (("1", 0, 3), ("2", 1, 4)):
        refused(bfslab(*by_label, label), f"by --source {first} or --source {second}")
        assert bfslab("traverse", f"file:{name}", "--source", str(second)).returncode == 0
    assert b"\n2,3,0," in bfslab(*by_label, "3").stdout  # of the first set only
    refused(bfslab(*by_label, "4"), "no vertex with that id")


@pytest.mark.parametrize(
    "command",
    [
        ["traverse", "small-real", "--source", "0"],
        ["graph", "info", "small-real"],
        ["graph", "generate", "small-real"],
        ["graph", "convert", "small-real", "--to", "x.csr"],
    ],
)
def test_a_group_is_no_graph(bfslab, command):
    refused(bfslab(*command), "small-real is a group")


# --- bytes that are no UTF-8


@pytest.mark.parametrize(
    "command",
    [
        ["check", NOT_UTF8 + b".json"],
        ["run", NOT_UTF8 + b".json", "--results", "out"],
        ["run", "spec.json", "--results", NOT_UTF8],
        ["run", "spec.json", "--results", "out", "--data", NOT_UTF8],
        ["run", "spec.json", "--results", "out", "--set", b"title=" + NOT_UTF8],
        ["graph", "info", b"file:" + NOT_UTF8 + b".txt", "--json"],
        ["traverse", "path:vertices=3", "--source", "0", "--engine", NOT_UTF8],
        ["list", "graphs", "--json", "--data", NOT_UTF8],
        ["list", "engines", NOT_UTF8],
    ],
)
def test_an_argument_that_is_no_utf8_is_refused(bfslab, spec, tmp_path, command):
    spec()
    os.makedirs(os.fsencode(tmp_path) + b"/" + NOT_UTF8)
    message = refused(bfslab(*command), "is not UTF-8", r"b\xff")
    assert len(message.splitlines()) == 1
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("variable", ["BFSLAB_CACHE", "BFSLAB_DATA", "BFSLAB_MIRROR"])
def test_a_variable_of_ours_that_is_no_utf8_is_refused(bfslab, spec, variable):
    command = ["run", spec(graphs=["wiki-Vote"]), "--results", "out"]
    refused(bfslab(*command, environment={variable: NOT_UTF8}), variable, "is not UTF-8", r"b\xff")


def test_other_variables_may_hold_any_bytes(bfslab, spec, tmp_path):
    strange = {"OMP_STRANGE": NOT_UTF8, "CUDA_VISIBLE_DEVICES": NOT_UTF8}
    command = ["run", spec(), "--results", "out"]
    done = bfslab(*command, environment=strange)
    assert done.returncode == 0, done.stderr
    recorded = json.loads((tmp_path / "out" / "n" / "environment.json").read_text())
    assert recorded["openmp"]["OMP_STRANGE"] == "b\ufffd"
    assert bfslab(*command, environment=strange).returncode == 0  # resumed


def test_files_and_folders_that_are_no_utf8(bfslab, tmp_path):
    folder = os.fsencode(tmp_path) + b"/" + NOT_UTF8
    os.makedirs(folder)
    with open(folder + b"/g.txt", "w") as file:
        file.write("0 1\n")
    with open(folder + b"/" + NOT_UTF8 + b".txt", "w") as file:
        file.write("0 1\n")
    os.rename(folder, os.fsencode(tmp_path) + b"/plain")
    listed = bfslab("list", "graphs", "--json", "--data", "plain")
    assert listed.returncode == 0, listed.stderr
    assert "snap:g" in [file["name"] for file in json.loads(listed.stdout)["files"]]
    os.rename(os.fsencode(tmp_path) + b"/plain", folder)
    program = [str(BFSLAB), "graph", "info", "file:g.txt", "--json"]
    inside = subprocess.run(program, cwd=folder, capture_output=True, timeout=60)
    refused(inside, "is not UTF-8", r"b\xff")


# --- control characters


@pytest.mark.parametrize(
    "command",
    [
        ["graph", "info", "path:vertices=\x1b[31m"],
        ["graph", "info", "file:a\x1b[31m.txt"],
        ["graph", "info", "pa\nth"],
        ["traverse", "path:vertices=9", "--source", "\x1b[31m"],
        ["traverse", "path:vertices=9", "--source", "1", "--engine", "\x9b31m"],
        ["check", "no\x1b[31m.json"],
        ["check", "no\nsuch.json"],
        ["check", "no\u200bsuch.json"],
        ["check", "spec.json", "--set", "ti\u200btle=3"],
        ["check", "spec.json", "--set", "title\u202e=3"],
        ["graph", "info", "soc\u2060-Epinions1"],
        ["graph", "info", "path:ver\ufefftices=3"],
        ["list", "engines", "hy\u00adbrid"],
        ["check", "spec.json", "--set", "title\x1b=3"],
        ["check", "spec.json", "--set", "paper=\x1b[31m", "--set", "nonsense=1"],
        ["list", "engines", "\x1b[31m"],
        ["list", "graphs", "\x1b[31m"],
        ["graph", "fetch", "snap:\x1b[31m"],
        ["nonsense\x1b[31m"],
        ["version", "--\x1b[31m"],
    ],
)
def test_control_characters_are_escaped_in_messages(bfslab, spec, command):
    spec()
    message = refused(bfslab(*command))
    assert all(c.isprintable() or c == "\n" for c in message)
    assert "pa\nth" not in message and "no\nsuch" not in message


@pytest.mark.parametrize(
    "odd", ["\u200b", "\u00a0", "\ufeff", "\u202e", "\u2028", "\n", "\t", "\r", "\x1b", "\u00ad"]
)
@pytest.mark.parametrize("where", ["key", "value", "case", "graph", "toggle"])
def test_what_cannot_be_seen_in_a_spec_is_escaped(bfslab, spec, odd, where):
    wrong = {
        "key": {f"ti{odd}tle": "x"},
        "value": {"answer": f"bo{odd}th"},
        "case": {"cases": {f"a{odd}b": {"nonsense": 1}}},
        "graph": {"graphs": [f"path:ver{odd}tices=3"]},
        "toggle": {"base": {"engine": "hybrid", f"al{odd}pha": 1}},
    }
    message = refused(bfslab("check", spec(**wrong[where])))
    assert all(c.isprintable() or c == "\n" for c in message)
    assert all("spec.json:" in line for line in message.splitlines()), message


def test_control_characters_are_escaped_in_tables(bfslab, spec, tmp_path):
    graph = tmp_path / "g\x1b[31m.txt"
    graph.write_text("0 1\n")
    file = spec(graphs=[f"file:{graph}"], paper="\x1b[31m")
    commands = [["check", file], ["run", file, "--results", "out", "--dry-run"]]
    for command in [*commands, ["graph", "info", f"file:{graph}"]]:
        done = bfslab(*command)
        assert done.returncode == 0, done.stderr
        assert r"\x1b[31m" in done.stdout.decode()
        assert b"\x1b" not in done.stdout + done.stderr


# --- large specs


def test_many_listed_sources_are_read_in_linear_time(bfslab, spec):
    """In quadratic time this takes minutes, and the test's limit ends it; else about a second."""
    file = spec(graphs=["path:vertices=400000"], sources=list(range(400_000)))
    done = bfslab("check", file)
    assert done.returncode == 0, done.stderr
    assert b"400,000 listed sources" in done.stdout


def test_many_repetitions_are_one_message(bfslab, spec):
    message = refused(bfslab("check", spec(sources=[7] * 1000 + [8, 8])))
    assert message.count("\n") == 1
    assert "`sources[1]`: found 7 a second time, the first of 1000 repetitions" in message
    swept = refused(bfslab("check", spec(sweep={"threads": [1, 2, 1, 2]})))
    assert "`sweep.threads[2]`: found 1 a second time, the first of 2 repetitions" in swept


def test_many_wrong_values_are_a_hundred_messages(bfslab, spec):
    message = refused(
        bfslab("check", spec(sources=[f"x{i}" for i in range(5000)])), "and 4900 more messages"
    )
    assert message.count("\n") == 101


def test_many_cases_are_read_in_linear_time(bfslab, spec):
    """As above: minutes in quadratic time."""
    cases = {f"c{i}": {"engine": "hybrid", "threads": 1 + i % 9} for i in range(70_000)}
    refused(bfslab("check", spec(cases=cases)), "`cases`: found more than 10000 keys")
    cases = dict(list(cases.items())[:10_000])
    assert b"10000 configurations" in bfslab("check", spec(cases=cases)).stdout


def test_a_spec_without_an_end_is_refused(bfslab):
    refused(bfslab("check", "/dev/zero"), "more than 4194304 bytes")


# --- standard streams


PRINTING = [
    ["version"],
    ["version", "--json"],
    ["list", "engines"],
    ["list", "graphs", "--json"],
    ["check", "spec.json"],
    ["graph", "info", "path:vertices=9"],
    ["graph", "info", "path:vertices=9", "--json"],
    ["graph", "generate", "path:vertices=9"],
    ["graph", "calibrate", "--vertices", "100", "--edges", "300"],
    ["traverse", "path:vertices=9", "--source", "0"],
    ["run", "spec.json", "--results", "out", "--dry-run"],
    ["run", "spec.json", "--results", "out"],
    ["--help"],
]


@pytest.mark.parametrize("command", PRINTING, ids=" ".join)
def test_lost_output_is_a_failure(bfslab, spec, command):
    spec()
    with open("/dev/full", "w") as full:
        done = bfslab(*command, stdout=full)
    assert done.returncode == 1, done.stderr
    assert b"cannot write" in done.stderr


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (["graph", "info", "nope"], 2),
        (["graph", "fetch", "snap:x"], 2),
        (["check", "nope.json"], 2),
        (["nonsense"], 2),
        (["traverse", "path:vertices=9", "--source", "0"], 0),
        (["graph", "generate", "path:vertices=9"], 0),
        (["graph", "calibrate", "--vertices", "100", "--edges", "300"], 0),
        (["run", "spec.json", "--results", "out"], 0),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else str(value),
)
def test_messages_without_a_reader_change_nothing(bfslab, spec, command, code):
    spec()
    with open("/dev/full", "w") as full:
        assert bfslab(*command, stderr=full).returncode == code
    closed = subprocess.run(
        ["sh", "-c", 'exec "$@" 2>&-', "sh", str(BFSLAB), *command],
        cwd=Path(spec()).parent,
        env={**os.environ, "BFSLAB_CACHE": "cache"},
        stdout=subprocess.DEVNULL,
        timeout=60,
    )
    assert closed.returncode == code


def test_closed_streams_do_not_become_tables(spec, tmp_path):
    spec()
    shell = 'exec "$@" <&- >&- 2>&-'
    command = [str(BFSLAB), "run", "spec.json", "--results", "out"]
    environment = {**os.environ, "BFSLAB_CACHE": "cache"}
    subprocess.run(["sh", "-c", shell, "sh", *command], cwd=tmp_path, env=environment, check=True)
    rows = (tmp_path / "out" / "n" / "runs.csv").read_text().splitlines()
    assert rows[0].startswith("trial,")
    assert len(rows) > 16
    assert [row.split(",")[0] for row in rows[1:]] == [str(i) for i in range(len(rows) - 1)]
    for table in ["levels.csv", "measures.csv", "graphs.csv"]:
        text = (tmp_path / "out" / "n" / table).read_text()
        assert "loaded in" not in text
        assert "ok\n" not in text
