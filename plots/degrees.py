# SPDX-License-Identifier: Apache-2.0
"""python -m plots.degrees FILE.csv... --out FILE.png : how many vertices have which degree.

The files are those of `bfslab graph info GRAPH --degrees FILE.csv`; several are drawn into one
figure, named after their files."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from . import style

FORMATS = (".png", ".pdf", ".svg")


class DegreesError(ValueError):
    """A file that is not a degree distribution."""


def read_degrees(path: Path) -> pd.DataFrame:
    """Columns degree and count, ascending; raises DegreesError with what is wrong."""
    try:
        table = pd.read_csv(path)
    except (OSError, UnicodeDecodeError, pd.errors.ParserError, pd.errors.EmptyDataError) as error:
        raise DegreesError(f"{path}: {error}") from error
    if list(table.columns) != ["degree", "count"]:
        raise DegreesError(
            f"{path}: the columns are not degree,count; `bfslab graph info GRAPH --degrees "
            "FILE.csv` writes such a file"
        )
    whole = all(pd.api.types.is_integer_dtype(table[column]) for column in table.columns)
    if not whole or (table["degree"] < 0).any() or (table["count"] < 1).any():
        raise DegreesError(f"{path}: degrees from 0 on and counts from 1 on are expected")
    return table.sort_values("degree", ignore_index=True)


def draw(tables: dict[str, pd.DataFrame]):
    """Log-log, one point per degree. Degree 0 has no logarithm: its vertices are counted in the
    legend."""
    figure = style.new_figure(style.COLUMN_IN, 2.6)
    axes = figure.add_subplot()
    for index, (name, table) in enumerate(tables.items()):
        isolated = int(table.loc[table["degree"] == 0, "count"].sum())
        points = table[table["degree"] > 0]
        label = f"{name} ({isolated:,} of degree 0)" if isolated else name
        axes.loglog(
            points["degree"],
            points["count"],
            linestyle="none",
            marker=style.marker(index),
            markersize=2.5,
            markeredgewidth=0,
            color=style.color(index),
            alpha=0.7,
            label=label,
        )
    axes.set_xlabel("degree")
    axes.set_ylabel("vertices")
    axes.legend(loc="upper right", markerscale=2)
    return figure


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m plots.degrees",
        description=__doc__.split("\n\n")[1],
        epilog="example: python -m plots.degrees web.csv stand-in.csv --out degrees.png",
    )
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE.csv")
    parser.add_argument("--out", required=True, type=Path, help="the image: .png, .pdf or .svg")
    options = parser.parse_args(arguments)
    if options.out.suffix not in FORMATS:
        parser.error(f"--out {options.out}: the ending is not one of {', '.join(FORMATS)}")
    return options


def main(arguments: Sequence[str] | None = None) -> int:
    options = parse(arguments)
    style.use()
    try:
        tables = {path.stem: read_degrees(path) for path in options.files}
    except DegreesError as error:
        print(f"plots.degrees: {error}", file=sys.stderr)
        return 2
    try:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        figure = draw(tables)
        style.show_powers(figure)
        figure.savefig(options.out)
    except OSError as error:
        print(f"plots.degrees: {options.out}: {error.strerror}", file=sys.stderr)
        return 2
    print(options.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
