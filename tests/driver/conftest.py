# SPDX-License-Identifier: Apache-2.0
"""The driver's tests run bfslab-faulty: bfslab with an engine that misbehaves on purpose."""

import os
import subprocess

import pytest
from driver_bench import IDLE, Bench, binary, fake_nvml


@pytest.fixture
def bench(tmp_path) -> Bench:
    return Bench(tmp_path, binary("BFSLAB_FAULTY_BIN", "bfslab-faulty"))


@pytest.fixture
def nvml(bench):
    """The file that says how the made-up GPU is used."""
    state = bench.folder / "nvml"
    state.write_text(IDLE)
    bench.env |= {"LD_LIBRARY_PATH": fake_nvml(bench.program), "FAKE_NVML_STATE": str(state)}
    return state


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
