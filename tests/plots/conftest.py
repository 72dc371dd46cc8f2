# SPDX-License-Identifier: Apache-2.0
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # results_builder


@pytest.fixture(autouse=True, scope="session")
def house_style():
    """At a resolution that suffices for a test: most of the time would go into pixels."""
    from plots import style  # matplotlib: where it is missing, all of these tests are skipped

    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(style._RC, "savefig.dpi", 50)
        style.use()
        yield
