import sys
from pathlib import Path

import pytest

from plots import style

sys.path.insert(0, str(Path(__file__).parent))  # results_builder


@pytest.fixture(autouse=True, scope="session")
def house_style():
    """At a resolution that suffices for a test: most of the time would go into pixels."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(style._RC, "savefig.dpi", 50)
        style.use()
        yield
