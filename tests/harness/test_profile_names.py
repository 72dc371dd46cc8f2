# SPDX-License-Identifier: Apache-2.0
"""The names that `bfslab profile --list` has are those of the engines, the kernels and the rows."""

import csv
import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BFSLAB = Path(os.environ.get("BFSLAB_BIN", ROOT / "build" / "release" / "bfslab"))
GRAPHS = ["kronecker:scale=9", "path:vertices=30", "star:vertices=40"]


@pytest.fixture
def bfslab(tmp_path):
    if not BFSLAB.exists():
        pytest.skip(f"{BFSLAB} is not built")

    def run(*words):
        own = {"BFSLAB_CACHE": str(tmp_path / "cache")}
        done = subprocess.run([str(BFSLAB), *map(str, words)], capture_output=True, text=True,
                              env=os.environ | own)  # fmt: skip
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


@pytest.fixture
def listed(bfslab, tmp_path):
    """The names for a spec of every engine that traverses."""
    engines = [e["name"] for e in bfslab("list", "engines", "--json") if not e["counts"]]
    spec = tmp_path / "all.json"
    cases = {name: {"engine": name} for name in engines}
    spec.write_text(json.dumps({"name": "all", "graphs": GRAPHS[:1], "cases": cases}))
    return bfslab("profile", spec, "--list", "--json")


def test_every_engine_has_techniques_and_each_is_in_its_sources(listed):
    sources = "".join(file.read_text() for file in (ROOT / "kernels").rglob("*.[ch]*"))
    for engine, techniques in listed["techniques"].items():
        assert techniques, engine
        assert [name for name in techniques if f'"{name}"' not in sources] == [], engine


def test_cpu_engines_report_techniques_of_the_list(bfslab, listed):
    engines = [e for e in bfslab("list", "engines", "--json") if not e["can"]["gpu"]]
    tried = 0
    for engine in engines:
        if engine["name"] not in listed["techniques"]:
            continue  # a counter
        settings = [[]] + [
            ["--set", f"{toggle['name']}={choice}"]
            for toggle in engine["toggles"] for choice in toggle.get("choices", [])
        ]  # fmt: skip
        for words in settings:
            for graph in GRAPHS:
                command = ["traverse", graph, "--source", "1", "--engine", engine["name"], *words]
                done = subprocess.run([str(BFSLAB), *command, "--levels", "--json"],
                                      capture_output=True, text=True)  # fmt: skip
                if done.returncode == 2:
                    continue  # a choice that needs another
                found = {row["technique"] for row in json.loads(done.stdout)["by_level"]}
                assert found <= set(listed["techniques"][engine["name"]]), command
                tried += 1
    assert tried > 30


def test_recorded_levels_have_techniques_of_the_list(listed):
    tried = 0
    for folder in {file.parent for file in (ROOT / "results").glob("*/*/levels.csv*")}:
        engines = {row["trial"]: row["engine"] for row in rows(folder, "runs")}
        for row in rows(folder, "levels"):
            known = listed["techniques"].get(engines[row["trial"]])
            if known is None:
                continue  # an external program
            assert row["technique"] in known, folder
            tried += 1
    assert tried > 100


def rows(folder: Path, table: str) -> list[dict]:
    packed = folder / f"{table}.csv.gz"
    if packed.exists():
        return list(csv.DictReader(gzip.decompress(packed.read_bytes()).decode().splitlines()))
    return list(csv.DictReader((folder / f"{table}.csv").read_text().splitlines()))


def test_the_table_of_kernels_is_fresh(listed):
    made = subprocess.run([sys.executable, ROOT / "scripts/kernel_names.py"], capture_output=True,
                          text=True, check=True).stdout  # fmt: skip
    table = (ROOT / "harness/profile/kernel_names.def").read_text()
    assert made == table, "write it anew: make schema"
    assert len(listed["kernels"]) == table.count("KERNEL(")
    total = sum(file.read_text().count("__global__ ") for file in (ROOT / "kernels").rglob("*.cu*"))
    assert len(listed["kernels"]) == total


def test_ranges_are_those_of_the_page(listed):
    page = (ROOT / "docs/profile.md").read_text()
    names = [range_["name"] for range_ in listed["ranges"]]
    assert " > ".join(names) in page
