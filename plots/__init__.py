# SPDX-License-Identifier: Apache-2.0
"""Figures and tables from the rows that `bfslab run` records. Reads CSV and JSON, nothing else.

Installed, this package is `bfslab`: `import bfslab; bfslab.load("results/my-machine")`. In the
source tree it is `plots`."""

from . import start

if start.is_program():
    start.prepare()

from .files import ResultsError
from .notebook import Rows, load, read

__all__ = ["ResultsError", "Rows", "load", "read"]
