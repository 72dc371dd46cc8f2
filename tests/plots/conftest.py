import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # results_builder


@pytest.fixture(autouse=True, scope="session")
def house_style():
    from plots import style  # matplotlib: where it is missing, all of these tests are skipped

    style.use()
