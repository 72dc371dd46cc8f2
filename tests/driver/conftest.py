"""The driver's tests run bfslab-faulty: bfslab with an engine that misbehaves on purpose."""

import pytest
from driver_bench import Bench, binary


@pytest.fixture
def bench(tmp_path) -> Bench:
    return Bench(tmp_path, binary("BFSLAB_FAULTY_BIN", "bfslab-faulty"))
