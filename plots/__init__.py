# SPDX-License-Identifier: Apache-2.0
"""Figures and tables from the rows that `bfslab run` records. Reads CSV and JSON, nothing else.

In the source tree this package is `plots`; installed it is `bfslab_plots`."""

from . import start

if start.is_program():
    start.prepare()

from .notebook import Rows, load

__all__ = ["Rows", "load"]
