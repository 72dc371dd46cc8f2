import sys
from pathlib import Path

import pytest

from plots import style

sys.path.insert(0, str(Path(__file__).parent))  # results_builder


@pytest.fixture(autouse=True, scope="session")
def house_style():
    style.use()
