# SPDX-License-Identifier: Apache-2.0
"""Files that are not what they should be: graphs that unpack to far more than their header says,
damaged packings, folders, pipes and devices, rewritten files, and limits on memory and files."""

import bz2
import csv
import gzip
import json
import mmap
import os
import resource
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BFSLAB = Path(os.environ.get("BFSLAB_BIN", ROOT / "build" / "release" / "bfslab"))
EDGES = "".join(f"{i} {i + 1}\n" for i in range(2000)).encode()


@pytest.fixture
def bfslab(tmp_path):
    if not BFSLAB.exists():
        pytest.skip(f"{BFSLAB} is not built")

    def run(*arguments, limit=None):
        """`limit`: a resource and its bytes."""
        environment = {**os.environ, "BFSLAB_CACHE": "cache", "BFSLAB_DATA": ""}

        def limited():
            if limit:
                resource.setrlimit(limit[0], (limit[1], limit[1]))

        return subprocess.run(
            [str(BFSLAB), *map(str, arguments)],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env=environment,
            preexec_fn=limited,
            timeout=60,
        )

    return run


def refused(done, *expected):
    assert done.returncode == 2, done.stderr
    for text in expected:
        assert text in done.stderr
    assert len(done.stderr.splitlines()) == 1


# --- small files that unpack to gigabytes


def bomb(head: bytes, repeated: bytes, megabytes: int) -> bytes:
    """gzip streams may follow one another: so a few hundred KB unpack to gigabytes."""
    block = gzip.compress(repeated * ((1 << 20) // len(repeated)), mtime=0)
    return gzip.compress(head, mtime=0) + block * megabytes


@pytest.mark.parametrize(
    ("name", "head", "repeated", "message"),
    [
        ("rows.graph", b"3 2\n", b"1 2\n", "a line after those of the header's 3 vertices"),
        ("blank.graph", b"3 2\n2\n1 3\n2\n", b"\n", "blank lines after those of the header's 3"),
        ("row.graph", b"3 2\n", b"1 2 ", "a line of more than"),
        ("weights.graph", b"3 2 11 1000\n", b"1 2 ", "a line of more than"),
        ("line.txt", b"", b"1", "a line of more than 1048576 bytes"),
        ("comment.txt", b"# ", b"x", "a line of more than 1048576 bytes"),
        (
            "more.mtx",
            b"%%MatrixMarket matrix coordinate pattern general\n3 3 2\n",
            b"1 2\n",
            "entries, but its header announces 2",
        ),
        ("more.gr", b"p sp 3 2\n", b"a 1 2 1\n", "arcs, but its header announces 2"),
    ],
)
def test_a_bomb_is_refused_with_little_memory(bfslab, tmp_path, name, head, repeated, message):
    (tmp_path / f"{name}.gz").write_bytes(bomb(head, repeated, 2000))
    # Named, since some of these could be other things, too.
    given = ",format=metis" if name.endswith(".graph") else ""
    info = ["graph", "info", f"file:{name}.gz{given}", "--no-cache", "--threads", 2]
    refused(bfslab(*info, limit=(resource.RLIMIT_AS, 700 << 20)), message)


def test_long_rows_that_the_header_allows_are_read(bfslab, tmp_path):
    leaves = 300_000
    text = f"{leaves + 1} {leaves}\n" + " ".join(map(str, range(2, leaves + 2))) + "\n"
    (tmp_path / "star.graph").write_text(text + "1\n" * leaves)
    assert len(text) > 1 << 20
    done = bfslab("graph", "info", "file:star.graph", "--counts", "--json")
    assert json.loads(done.stdout)["degree"]["maximum"] == leaves


# --- packings


def test_damaged_bzip2_says_where(bfslab, tmp_path):
    packed = bytearray(bz2.compress(EDGES))
    packed[14:22] = b"\xff" * 8
    (tmp_path / "g.txt").write_bytes(packed)
    done = bfslab("graph", "info", "file:g.txt")
    if "libarchive" in done.stderr:
        pytest.skip("this build does not read bzip2")
    refused(done, f"damaged bzip2 data before byte {len(packed)} ")


@pytest.mark.parametrize(("option", "said"), [("--check", "zstd"), ("--no-check", "without")])
def test_zstd_without_a_checksum_is_said(bfslab, tmp_path, option, said):
    if shutil.which("zstd") is None:
        pytest.skip("needs the program zstd")
    (tmp_path / "g.txt").write_bytes(EDGES)
    subprocess.run(["zstd", "-q", option, "g.txt"], cwd=tmp_path, check=True)
    done = bfslab("graph", "info", "file:g.txt.zst", "--json")
    if "libzstd" in done.stderr:
        pytest.skip("this build does not read zstd")
    provenance = {k: v for fact in json.loads(done.stdout)["provenance"] for k, v in fact.items()}
    assert ("without a checksum" in provenance["packing"]) == (said == "without")


# --- what is no file


def test_a_folder_is_called_one(bfslab, tmp_path):
    (tmp_path / "g.txt").mkdir()
    os.mkfifo(tmp_path / "pipe.txt")
    refused(bfslab("graph", "info", "file:g.txt"), "g.txt: is a folder, not a file")
    refused(bfslab("graph", "info", "file:pipe.txt"), "pipe.txt: is not a regular file")
    refused(bfslab("graph", "info", "file:none.txt"), "none.txt: no such file")


def test_a_pipe_in_the_cache_is_not_waited_for(bfslab, tmp_path):
    name = "path:vertices=9"
    cached = Path(bfslab("graph", "generate", name).stdout.strip())
    cached = tmp_path / cached
    cached.unlink()
    os.mkfifo(cached)
    done = bfslab("graph", "info", name)
    assert done.returncode == 0
    assert "is not a regular file" in done.stderr
    assert cached.is_fifo()


# --- limits


def test_a_limit_on_files_is_said(bfslab, tmp_path):
    done = bfslab("graph", "info", "path:vertices=9999", limit=(resource.RLIMIT_FSIZE, 20_000))
    assert done.returncode == 0, done.stderr
    assert "is not cached" in done.stderr
    assert "ulimit -f" in done.stderr
    assert list((tmp_path / "cache" / "csr").iterdir()) == []


@pytest.mark.parametrize(
    "command",
    [["graph", "info"], ["graph", "info", "--json", "--no-cache"], ["traverse", "--source", "1"]],
    ids=" ".join,
)
def test_memory_is_limited(bfslab, command):
    graph = "kronecker:scale=18"  # 60 MB as CSR, and as much again while it is built
    done = bfslab(*command, graph, "--memory-mib", 60)
    assert (done.returncode, done.stdout) == (1, ""), done.stderr
    assert "--memory-mib 60" in done.stderr
    assert bfslab(*command, "kronecker:scale=8", "--memory-mib", 1000).returncode == 0


# --- files that change


def test_a_rewrite_through_a_mapping_is_noticed(bfslab, tmp_path):
    """Only the first write to a page of a mapping changes the file's times."""
    folder = Path("/dev/shm")
    graph = (folder if folder.is_dir() else tmp_path) / f"bfslab-{os.getpid()}.txt"
    info = ["graph", "info", f"file:{graph}", "--json"]
    graph.write_text("0 1\n0 2\n")
    try:
        with open(graph, "r+b") as file, mmap.mmap(file.fileno(), 0) as mapped:
            mapped[6:7] = b"2"
            before = json.loads(bfslab(*info).stdout)
            mapped[6:7] = b"1"
            after = json.loads(bfslab(*info).stdout)
    finally:
        graph.unlink()
    assert (before["vertices"], after["vertices"]) == (3, 2)
    assert before["content_hash"] != after["content_hash"]
    assert not (tmp_path / "cache" / "stamps").exists()  # nothing is remembered by times


def test_graph_load_hashes_contents(bfslab, tmp_path):
    graph = tmp_path / "g.txt"
    spec = {"name": "n", "graphs": [f"file:{graph}"], "base": {"engine": "graph-load"}}
    (tmp_path / "spec.json").write_text(json.dumps(spec))

    def recorded(text, results):
        graph.write_text(text)
        os.utime(graph, (10**9, 10**9))
        done = bfslab("run", "spec.json", "--results", results)
        assert done.returncode == 0, done.stderr
        with open(tmp_path / results / "n" / "graphs.csv") as file:
            return next(csv.DictReader(file))["graph_hash"]

    assert recorded("0 1\n0 2\n", "a") != recorded("0 1\n0 1\n", "b")
    assert recorded("0 1\n0 2\n", "c") == recorded("0 1\n0 2\n", "a")
