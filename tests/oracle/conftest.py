# SPDX-License-Identifier: Apache-2.0
"""Where the program and the real graphs are, and how a traversal is asked for."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.real_data import real_data

sys.path.insert(0, str(Path(__file__).parent))  # graphs

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def bfslab() -> Path:
    program = Path(os.environ.get("BFSLAB_BIN") or ROOT / "build/release/bfslab").resolve()
    assert program.exists(), f"{program} is not built: run `make`, or set BFSLAB_BIN"
    return program


@pytest.fixture(scope="session")
def cache(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("cache")


def data_folder() -> Path | None:
    """The folder that holds NAME.txt.gz or snap.stanford.edu/data/NAME.txt.gz."""
    root = real_data()
    if root is None:
        return None
    return next((f for f in (root / "mirror", root) if (f / "snap.stanford.edu").is_dir()), None)


@pytest.fixture(scope="session")
def real_graph():
    """name -> (path of its file, the --data folder); skips where it is absent."""

    def find(name: str) -> tuple[Path, Path]:
        folder = data_folder()
        path = folder and folder / "snap.stanford.edu/data" / f"{name}.txt.gz"
        if not path or not path.exists():
            pytest.skip(f"BFSLAB_TEST_DATA names no mirror's folder with {name}.txt.gz")
        return path, folder

    return find


@pytest.fixture(scope="session")
def engines(bfslab) -> dict[str, dict]:
    """Every engine that traverses, by name, with its toggles and what it can do."""
    text = subprocess.run(
        [bfslab, "list", "engines", "--json"], check=True, capture_output=True, text=True
    ).stdout
    return {engine["name"]: engine for engine in json.loads(text) if not engine["counts"]}


@pytest.fixture(scope="session")
def traverse(bfslab, cache):
    """Runs `bfslab traverse`; returns (label, level, parent) by vertex number, -1 for none."""
    import numpy as np  # here, so that a machine without them can still collect these tests
    import pandas as pd

    def run(graph: str, engine: str, source: int, *options: str):
        command = [bfslab, "traverse", graph, "--engine", engine, "--source", str(source)]
        command += ["--cache", cache, *options]
        done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        rows = pd.read_csv(pd.io.common.StringIO(done.stdout))
        assert list(rows.columns) == ["vertex", "label", "level", "parent"]
        assert (rows["vertex"] == np.arange(len(rows))).all()
        return rows.fillna(-1).astype(np.int64)

    return run
