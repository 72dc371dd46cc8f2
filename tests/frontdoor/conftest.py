# SPDX-License-Identifier: Apache-2.0
"""Shared by the front door's tests: where the tree and the program are."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def bfslab() -> str:
    program = Path(os.environ.get("BFSLAB_BIN") or ROOT / "build/release/bfslab").resolve()
    assert program.exists(), f"{program} is not built: run `make`, or set BFSLAB_BIN"
    return str(program)
