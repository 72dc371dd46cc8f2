"""The driver's tests run bfslab-faulty: bfslab with an engine that misbehaves on purpose."""

import os
import subprocess

import pytest
from driver_bench import Bench, binary


@pytest.fixture
def bench(tmp_path) -> Bench:
    return Bench(tmp_path, binary("BFSLAB_FAULTY_BIN", "bfslab-faulty"))


@pytest.fixture
def small_disk(tmp_path):
    folder = tmp_path / "small"
    folder.mkdir()
    if os.geteuid() != 0:
        pytest.skip("mounting a small tmpfs needs root")
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=96k", "tmpfs", folder], capture_output=True, text=True
    )
    if mounted.returncode != 0:
        pytest.skip(f"cannot mount a small tmpfs: {mounted.stderr.strip()}")
    yield folder
    subprocess.run(["umount", folder], check=True)
