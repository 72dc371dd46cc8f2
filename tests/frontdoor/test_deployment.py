# SPDX-License-Identifier: Apache-2.0
"""Fetched libraries, images, workflows and the job for Slurm: what can be tested without them."""

import importlib
import json
import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FETCH = (ROOT / "cmake/BfslabFetch.cmake").read_text()
PINS = [pin.split("|") for pin in re.findall(r'^  "(\w+\|.*)"$', FETCH, re.MULTILINE)]


# ---- libraries from their sources


@pytest.mark.parametrize("name,version,address,checksum", PINS, ids=[pin[0] for pin in PINS])
def test_pins_are_whole(name, version, address, checksum):
    assert address.startswith("https://")
    assert version in address or version.replace(".", "_") in address
    assert re.fullmatch(r"[0-9a-f]{64}", checksum)
    assert f"macro(bfslab_fetch_{name})" in FETCH
    assert f"`{name.upper()}`" in (ROOT / "docs/install.md").read_text() or name == "fmt"


def test_every_required_library_can_be_fetched():
    options = (ROOT / "cmake/BfslabOptions.cmake").read_text()
    required = set(re.findall(r"^bfslab_require\((\w+)", options, re.MULTILINE))
    assert required - {"OpenMP", "Threads"} <= {pin[0] for pin in PINS}


def configure(folder: Path, *options: str) -> subprocess.CompletedProcess:
    """A project that lacks fmt and zlib, with the sources of both in `folder`."""
    (folder / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.22)\nproject(mini LANGUAGES CXX)\n"
        f"list(APPEND CMAKE_MODULE_PATH {ROOT}/cmake)\n"
        "include(BfslabFetch)\nbfslab_fetch_fmt()\nbfslab_fetch_ZLIB()\n"
        "add_executable(mini mini.cpp)\ntarget_link_libraries(mini fmt::fmt ZLIB::ZLIB)\n"
    )
    (folder / "mini.cpp").write_text("int unpack(); int main() { return unpack(); }\n")
    return subprocess.run(
        ["cmake", "-S", folder, "-B", folder / "build", *options], capture_output=True, text=True
    )


def test_unpacked_sources_serve_without_a_network(tmp_path):
    """Made-up sources: a fmt with a CMake project of its own, and a zlib of one C file."""
    fmt, zlib = tmp_path / "fmt", tmp_path / "zlib"
    fmt.mkdir()
    zlib.mkdir()
    (fmt / "CMakeLists.txt").write_text(
        "add_library(fmt fmt.cpp)\ntarget_include_directories(fmt PUBLIC .)\n"
        "add_library(fmt::fmt ALIAS fmt)\n"
    )
    (fmt / "fmt.cpp").write_text('extern "C" int inflated(); int unpack() { return inflated(); }\n')
    (zlib / "inflate.c").write_text("int inflated(void) { return 42; }\n")
    done = configure(
        tmp_path, f"-DFETCHCONTENT_SOURCE_DIR_FMT={fmt}", f"-DFETCHCONTENT_SOURCE_DIR_ZLIB={zlib}"
    )
    assert done.returncode == 0, done.stderr
    assert "fmt 9.1.0 is built from its sources" in done.stdout
    built = subprocess.run(["cmake", "--build", tmp_path / "build"], capture_output=True, text=True)
    assert built.returncode == 0, built.stdout
    assert subprocess.run([tmp_path / "build/mini"]).returncode == 42


def test_an_archive_with_another_hash_is_refused(tmp_path):
    (tmp_path / "fmt-9.1.0.tar.gz").write_bytes(b"not fmt")
    done = configure(tmp_path, f"-DBFSLAB_SOURCES={tmp_path}")
    assert done.returncode != 0
    assert "hash" in done.stderr.lower()


# ---- images and workflows


def test_images_and_workflows_call_the_projects_own_commands():
    for image in ("Dockerfile", "bfslab.def"):
        assert "/opt/bfslab/containers/install.sh" in (ROOT / "containers" / image).read_text()
    install = (ROOT / "containers/install.sh").read_text()
    assert "scripts/setup.sh build quick" in install
    assert "make install PREFIX=/usr/local" in install
    for workflow in (".github/workflows/ci.yml", ".gitlab-ci.yml"):
        text = (ROOT / workflow).read_text()
        assert re.search(r"(?:- run: |    - )\.ci/run\n", text)
        assert "debian:12" in text
        assert "ubuntu:24.04" in text
        assert "make report" in text and "out/report" in text
    devcontainer = json.loads((ROOT / ".devcontainer/devcontainer.json").read_text())
    assert "scripts/setup.sh test lint" in devcontainer["onCreateCommand"]


def test_images_get_all_that_is_tracked_but_recorded_rows():
    """Neither has .git, so the commit is stated."""
    if not (ROOT / ".git").exists():
        pytest.skip("no checkout of git, which knows what is tracked")
    definition = (ROOT / "containers/bfslab.def").read_text()
    files = re.search(r"^%files\n(.*?)\n\n", definition, re.MULTILINE | re.DOTALL)[1]
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    tracked = {line.split("/")[0] for line in listed.stdout.splitlines()} - {"results"}
    assert files.splitlines() == [f"    {name} /opt/bfslab/{name}" for name in sorted(tracked)]
    assert {".git", "results"} <= set((ROOT / ".dockerignore").read_text().split())
    for recipe in ("Dockerfile", "bfslab.def"):
        assert "COMMIT=" in (ROOT / "containers" / recipe).read_text()
    assert "-DBFSLAB_COMMIT=${COMMIT:-}" in (ROOT / "containers/install.sh").read_text()


@pytest.mark.parametrize("name", ["Dockerfile", "bfslab.def"])
def test_recipes_are_read_whole_where_they_are_followed_in_a_fresh_root(name, monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "scripts")
    recipe = importlib.import_module("fresh_root").Recipe(ROOT / "containers" / name)
    assert recipe.base == "debian:12"
    assert all(place.startswith("/opt/bfslab") for _, place in recipe.copies)
    [(step, known)] = recipe.steps
    assert "/opt/bfslab/containers/install.sh" in step
    assert "PYTHON" not in known  # the image's Python is made in that step
    assert recipe.environment["PYTHON"] == "/opt/bfslab/.venv/bin/python"
    assert recipe.examples == [
        "bfslab run /usr/local/share/bfslab/experiments/quick/engines.json",
        "bfslab-plots results",
    ]


@pytest.mark.parametrize("script", ["containers/install.sh", "scripts/slurm/shards.sbatch"])
def test_scripts_parse(script):
    assert subprocess.run(["bash", "-n", ROOT / script]).returncode == 0


# ---- Slurm

# Runs its command once per node, one after another, as Slurm's tasks see themselves.
SRUN = """#!/bin/bash
shift  # --kill-on-bad-exit=0
failed=0
for ((i = 0; i < SLURM_NTASKS; ++i)); do
  SLURM_PROCID=$i SLURMD_NODENAME=node$i "$@" || failed=1
done
exit $failed
"""


def test_nodes_share_the_graphs_and_record_apart(bfslab, tmp_path):
    (tmp_path / "srun").write_text(SRUN)
    (tmp_path / "srun").chmod(0o755)
    spec = tmp_path / "spec.json"
    graphs = [f"kronecker:scale={scale}" for scale in (5, 6, 7)]
    spec.write_text(json.dumps({
        "name": "dealt", "graphs": graphs, "sources": {"count": 1, "seed": 1},
        "base": {"engine": "sequential"}, "warmup": 0,
    }))  # fmt: skip
    done = subprocess.run(
        ["bash", ROOT / "scripts/slurm/shards.sbatch", spec],
        env=os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}", "SLURM_NTASKS": "2",
                          "BFSLAB": bfslab, "RESULTS": str(tmp_path / "results"),
                          "BFSLAB_CACHE": str(tmp_path / "cache")},
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    ran = []
    for node in ("node0", "node1"):
        rows = (tmp_path / "results" / node / "dealt/runs.csv").read_text().splitlines()[1:]
        assert rows
        ran.append({row.split(",")[3] for row in rows})
    assert not ran[0] & ran[1]
    assert ran[0] | ran[1] == set(graphs)


def test_a_job_without_specs_says_so():
    done = subprocess.run(
        ["bash", ROOT / "scripts/slurm/shards.sbatch"], capture_output=True, text=True
    )
    assert done.returncode == 2
    assert "name the specs" in done.stderr
