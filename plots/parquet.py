# SPDX-License-Identifier: Apache-2.0
"""python -m plots.parquet RESULTS_DIR... --out DIR : all rows as four Parquet files.

runs.parquet, levels.parquet, measures.parquet and graphs.parquet have the columns of the CSV files,
with the machine and the experiment first."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from .load import ResultsError
from .notebook import read


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m plots.parquet", description=__doc__)
    parser.add_argument("results", nargs="+", metavar="RESULTS_DIR")
    parser.add_argument(
        "--out", type=Path, required=True, metavar="DIR", help="folder to write into"
    )
    options = parser.parse_args(arguments)
    try:
        rows = read(*options.results)
        for warning in rows.warnings:
            print(f"parquet: {warning}", file=sys.stderr)
        for path in rows.to_parquet(options.out):
            print(path)
    except ResultsError as error:
        print(f"parquet: {error}", file=sys.stderr)
        return 2
    except ImportError:
        print(
            "parquet: the Python package pyarrow is not here; `python -m pip install pyarrow` "
            "installs it",
            file=sys.stderr,
        )
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
