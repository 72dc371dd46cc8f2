# SPDX-License-Identifier: Apache-2.0
"""The data of a figure that page.js reads: the rows of its numbers, and its points, in few letters.

    {"heads": [...], "rows": 12,
     "columns": [COLUMN, ...],   one for each head
     "sources": [[17, 23], ...],
     "points": [[LABEL, X, Y, ROWS], or [LABEL, X, Y, ROWS, SOURCES, COLUMN], ...]}

COLUMN is a list of values, or the one value that all rows have, or {"of": different values, "at":
which of them each row has}, a list or, of at most 36, a text of digits to the base 36.

Points are of one artist each. X and Y are in tenths of the drawing's units, the first and then
steps; ROWS a list, or the one row of all, -1 where there is none. Where each point is one source
of its row, its value is the one at its place in COLUMN, which lists them, and SOURCES says which
list has its source, -1 where they are not named; or SOURCES is what to say of each.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise

import numpy as np
import pandas as pd

from ..report.entry import Entry
from ..report.points import Point

_SOURCE = re.compile(r"(?:source (?P<id>-?\d+): )?(?P<value>.*)")  # plots.report.points has it
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
TRIALS = "trials"  # the head of a column that is not in the CSV file


def written(entry: Entry) -> str:
    """As JSON that may stand in a page's script."""
    columns = [[_value(value) for value in entry.numbers[name]] for name in entry.numbers.columns]
    heads = [str(name) for name in entry.numbers.columns]
    if any(entry.trials):
        columns.append(list(entry.trials))
        heads.append(TRIALS)
    sources: list[list[float]] = []
    data = {
        "heads": heads,
        "rows": len(entry.numbers),
        "columns": [_column(column) for column in columns],
        "points": [_series(alike, columns, sources) for alike in _alike(entry.points)],
        "sources": sources,
    }
    return _json(data).replace("<", "\\u003c")


def _json(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def _value(value: object) -> object:
    """Five digits; the CSV file has more."""
    if value is None or value is pd.NaT or value != value:
        return ""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.number):
        return str(value)
    number = float(value)
    if not math.isfinite(number):
        return str(number)
    return int(number) if number == round(number) else float(f"{number:.5g}")


def _column(values: list) -> object:
    different = list(dict.fromkeys(values))
    if len(different) == 1:
        return different[0]
    at: object = [different.index(value) for value in values]
    if len(different) <= len(_DIGITS):
        at = "".join(_DIGITS[place] for place in at)
    changes = {"of": different, "at": at}
    return changes if len(_json(changes)) < len(_json(values)) else values


def _alike(points: Sequence[Point]) -> Iterator[list[Point]]:
    """Neighbours of one label; those that are sources of one row apart."""
    key = lambda p: (p.label, p.row if p.source else None, bool(p.source))  # noqa: E731
    return (list(group) for _, group in groupby(points, key))


def _series(points: list[Point], columns: list[list], sources: list[list[int]]) -> list:
    rows = [-1 if point.row is None else point.row for point in points]
    series = [
        points[0].label,
        _steps([point.x for point in points]),
        _steps([point.y for point in points]),
        rows[0] if len(set(rows)) == 1 else rows,
    ]
    if not points[0].source:
        return series
    named = [_SOURCE.fullmatch(point.source) for point in points]
    values = ";".join(match["value"] for match in named)
    listed = [k for k, column in enumerate(columns) if column[rows[0]] == values]
    ids = [int(match["id"]) for match in named if match["id"]]
    if not listed or len(ids) not in (0, len(points)):
        return [*series, [point.source for point in points]]
    if ids and ids not in sources:
        sources.append(ids)
    return [*series, sources.index(ids) if ids else -1, listed[0]]


def _steps(places: Sequence[float]) -> list[int]:
    """The first, then by how much each is further than the one before it."""
    tenths = [round(10 * place) for place in places]
    return [tenths[0], *(b - a for a, b in pairwise(tenths))]
