# SPDX-License-Identifier: Apache-2.0
"""The folder of real graphs that some tests read."""

import os
from pathlib import Path


def real_data() -> Path | None:
    """The folder that the environment names by BFSLAB_TEST_DATA; None if it names none."""
    folder = os.environ.get("BFSLAB_TEST_DATA")
    return Path(folder).resolve() if folder else None
