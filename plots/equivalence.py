# SPDX-License-Identifier: Apache-2.0
"""Runs of `make equivalence`, which compare two builds of the program: what their equivalence.json
files say, by case and by engine. Nothing is computed from the measurements beside them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from .cells import number
from .load import EQUIVALENCE, ResultsError

FILE = "equivalence.json"
HEADS = ("Machine", "Date", "Base", "New", "Experiment", "Engine", "Case", "Graphs", "Counts",
         "Ratio of times", "Limit", "Verdict", "Why")  # fmt: skip
ENGINE_HEADS = (*HEADS[:6], "Cases", "Ratios of times", "Verdicts")


def table(roots: Sequence[Path]) -> list[list[str]]:
    """A row, under HEADS, for each case of each run that is recorded below `roots`.

    Throws ResultsError where a file is not one of `make equivalence`."""
    found = {path.resolve(): None for root in roots for path in root.rglob(FILE)}
    runs = [path for path in found if EQUIVALENCE in path.parts]
    return [row for path in sorted(runs) for row in _rows(path)]


def by_engine(cases: Sequence[Sequence[str]]) -> list[list[str]]:
    """Rows of table() in short, under ENGINE_HEADS: one for each engine in each experiment and pair
    of versions."""
    engines: dict[tuple[str, ...], list[Sequence[str]]] = {}
    for row in cases:
        engines.setdefault(tuple(row[:6]), []).append(row)
    return [
        [*engine, str(len(rows)), _span(rows), _verdicts(rows)] for engine, rows in engines.items()
    ]


def _span(rows: Sequence[Sequence[str]]) -> str:
    """ "0.97 to 1.02", of the mean ratios; empty where no times were compared."""
    cells = [row[HEADS.index("Ratio of times")] for row in rows]
    ratios = sorted((cell.split()[0] for cell in cells if cell), key=float)
    return " to ".join(dict.fromkeys((ratios[0], ratios[-1]))) if ratios else ""


def _verdicts(rows: Sequence[Sequence[str]]) -> str:
    counts = Counter(row[HEADS.index("Verdict")] for row in rows)
    return ", ".join(f"{count} {verdict}" for verdict, count in counts.most_common())


def _rows(path: Path) -> list[list[str]]:
    try:
        run = json.loads(path.read_text(encoding="utf-8"))
        whole = [
            str(run["machine"]),
            str(run["utc"])[:10],
            str(run["base"])[:7],
            str(run["new"])[:7],
        ]
        limit = f"{number(float(run['limit_pct']))} %"
        return [
            [
                *whole,
                *(str(row[key]) for key in ("experiment", "engine", "case", "graphs", "counts")),
                _ratio(row),
                limit,
                str(row["verdict"]),
                str(row.get("why") or ""),
            ]
            for row in run["rows"]
        ]
    except (ValueError, LookupError, TypeError) as error:
        raise ResultsError(
            f"{path}: not a file of `make equivalence` ({type(error).__name__}: {error})"
        ) from error


def _ratio(row: dict) -> str:
    """ "1.004 (graphs: 0.998 to 1.01)"; empty where no times were compared."""
    value, low, high = (row[key] for key in ("ratio", "low", "high"))
    if value is None:
        return ""
    span = f" (graphs: {number(low, 4)} to {number(high, 4)})" if None not in (low, high) else ""
    return f"{number(value, 4)}{span}"
