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


@pytest.fixture(autouse=True)
def figures_at_once(monkeypatch):
    """A figure is drawn where its module hands it out, so that tests of numbers and sentences fail
    too where drawing does."""
    from plots import drawing

    made = drawing.Drawing.__init__

    def make(self, *arguments, **named):
        made(self, *arguments, **named)
        assert self.table or self.figure

    monkeypatch.setattr(drawing.Drawing, "__init__", make)
