# SPDX-License-Identifier: Apache-2.0
"""The tables of a folder of results as files: plain or packed, torn, sealed, of older versions."""

from __future__ import annotations

import csv
import io
import itertools
import json
import math
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from . import seal
from .files import PACKED, ResultsError, unpacked

# The facts of each column from `bfslab list columns --json`, by table ("runs" of runs.csv) and by
# name, in the order of the file. The seals are left out.
COLUMNS: dict[str, dict[str, dict]] = {
    table: {column["name"]: column for column in columns if column["name"] != seal.COLUMN}
    for table, columns in json.loads(
        Path(__file__).with_name("columns.json").read_text(encoding="utf-8")
    ).items()
}

# Former names of columns in older formats, with the present ones.
OLD_NAMES = {
    column["old_name"]: name
    for columns in COLUMNS.values()
    for name, column in columns.items()
    if "old_name" in column
}


def table_file(folder: Path, table: str) -> Path:
    """The file that a folder has of a table, plain or packed; where it has none, the plain one.
    Throws ResultsError where it has both, saying which may be deleted."""
    plain = folder / f"{table}.csv"
    packed = plain.with_name(plain.name + PACKED)
    if not packed.exists():
        return plain
    if not plain.exists():
        return packed
    rows, others = unpacked(plain), unpacked(packed)
    if rows.startswith(others):
        which = f"{packed}, whose rows all are in {plain}"
    elif others.startswith(rows):
        which = f"{plain}, whose rows all are in {packed}"
    else:
        which = "the one whose rows are not those of spec.json and environment.json beside them"
    raise ResultsError(f"{plain} and {packed} are both there; delete {which}")


def read_table(
    path: Path, table: str, warnings: list[str], environment: dict | None = None
) -> pd.DataFrame:
    """Reads the CSV of a table, which may be packed, empty, missing, or torn in its last line by a
    killed run. `environment` is the folder's environment.json. Throws ResultsError where something
    else has changed the file.

    Returns at least the table's columns; numbers as floats, text as str (empty, never NaN). Columns
    that may be empty may be missing: an older version wrote the file.
    """
    columns = COLUMNS[table]
    whole, text = b"", ""
    if path.exists():
        data = unpacked(path)
        whole = data[: data.rfind(b"\n") + 1]
        if len(whole) < len(data):
            warnings.append(f"{path}: the last line is torn and was ignored")
        text = whole.decode("utf-8", errors="replace")
    rows = _records(text, path)
    header = [OLD_NAMES.get(name, name) for name in next(rows, columns)]
    _require_sound_header(text, header, path)
    seal.require_seals(whole, path, environment or {})
    absent = [name for name in columns if name not in header]
    missing = [name for name in absent if not columns[name]["nullable"]]
    if missing:
        raise ResultsError(f"{path}: no column {', '.join(missing)}; is it a file of bfslab run?")
    cells_of: dict[str, list[str]] = {name: [] for name in [*header, *absent]}
    count = lost = 0
    while some := list(itertools.islice(rows, 256)):  # all at once would not stay in any cache
        good = [row for row in some if len(row) == len(header)]
        count, lost = count + len(good), lost + len(some) - len(good)
        for name, cells in zip(header, zip(*good, strict=True), strict=True) if good else ():
            cells_of[name].extend(cells)
    if lost:
        warnings.append(f"{path}: {lost} incomplete line{'s' * (lost > 1)} ignored")
    cells_of |= {name: [""] * count for name in absent}
    cells_of.pop(seal.COLUMN, None)
    if table == "runs" and count:
        _require_possible_times(cells_of, path)
    # Made in one piece: a frame that grows column by column is slow to pick rows from.
    return pd.DataFrame(
        {name: _typed(cells, columns.get(name)) for name, cells in cells_of.items()}
    )


def require_trials(folder: Path, tables: dict[str, pd.DataFrame], environment: dict) -> None:
    """Throws ResultsError where a trial stands twice in runs.csv, where rows of levels.csv or
    measures.csv belong to no row of it, except those of the one trial that a kill may have ended,
    and where a folder with sealed rows lacks a table that was not left out."""
    trials = tables["runs"]["trial"].to_numpy()
    if len(trials) and seal.says_sealed(environment):
        left_out = environment.get("left_out", [])
        for table in tables:
            path = table_file(folder, table)
            if table in left_out and not path.exists():
                continue
            if not path.exists() or not path.stat().st_size:
                raise ResultsError(
                    f"{path} is empty or missing, and runs.csv has rows: something else has "
                    "changed the folder; put the file back as it was recorded"
                )
        if "levels" not in left_out or len(tables["levels"]):
            _require_levels(folder, tables)
    twice = np.flatnonzero(np.diff(trials) <= 0)
    if len(twice):
        path, at = table_file(folder, "runs"), int(twice[0]) + 1
        raise ResultsError(
            f"{path}:{_line(path, at)}: trial {trials[at]:.0f} follows trial {trials[at - 1]:.0f}, "
            "so it stands twice or in the wrong place: something else has changed the file; take "
            "the row out"
        )
    for table in ("levels", "measures"):
        own = tables[table]["trial"].to_numpy()
        next_trial = trials[-1] + 1 if len(trials) else 0
        lost = np.flatnonzero(~np.isin(own, trials) & (own != next_trial) & ~np.isnan(own))
        if len(lost):
            path, at = table_file(folder, table), int(lost[0])
            raise ResultsError(
                f"{path}:{_line(path, at)}: trial {own[at]:.0f} has no row in runs.csv, whose rows "
                "were lost or changed by something else; put the file back as it was recorded, or "
                "let `bfslab run` go on with the folder, which keeps such rows aside"
            )


def _require_levels(folder: Path, tables: dict[str, pd.DataFrame]) -> None:
    """Throws ResultsError for an instrumented search that has more levels than rows of levels.csv
    show."""
    runs = tables["runs"].reset_index(drop=True)
    searches = runs[(runs["instrumented"] == 1) & (runs["status"] == "ok") & runs["source"].notna()]
    searches = searches[searches["recorded"] != "energy"]
    seen = tables["levels"].groupby("trial")["level"].max() + 1
    has = searches["trial"].map(seen).fillna(0)
    lost = searches[(has < 1) | (has < searches["levels"].fillna(0))]
    if len(lost):
        row, path = lost.iloc[0], table_file(folder, "runs")
        raise ResultsError(
            f"{path}:{_line(path, int(lost.index[0]))}: trial {row['trial']:.0f} has "
            f"{row['levels']:.0f} levels, and levels.csv has {has[lost.index[0]]:.0f} of them: its "
            "rows were lost or changed by something else; put the file back as it was recorded, or "
            "measure again with --fresh, which moves the folder aside"
        )


def _line(path: Path, row: int) -> int:
    """The line of a row of a table, from 0."""
    return next(itertools.islice(seal.records(unpacked(path)), row + 1, None))[0]


def _records(text: str, path: Path) -> Iterator[list[str]]:
    """The rows of a CSV, up to a torn last one. Throws ResultsError where a stray quotation mark
    hides whole rows: a torn row is cut somewhere, so no line of it has as many commas as a row."""
    rows = csv.reader(io.StringIO(text), strict=True)
    before = commas = 0
    try:
        for row in rows:
            commas = commas or len(row) - 1
            before = rows.line_num
            yield row
    except csv.Error as error:
        rest = text.splitlines()[before:]
        if rows.line_num < before + len(rest) or any(line.count(",") >= commas for line in rest):
            raise ResultsError(
                f"{path}:{before + 1}: a quotation mark is opened and never closed, or closed too "
                f"soon ({error}); something else has changed the file: mend that line"
            ) from error


def _require_sound_header(text: str, header: list[str], path: Path) -> None:
    """Throws ResultsError where an editor or another program has rewritten the file."""
    twice = [name for name, count in Counter(header).items() if count > 1]
    for wrong, what, mend in (
        (text.startswith("\ufeff"), "a byte order mark", "save it without"),
        (
            "\r\n" in text[: text.find("\n") + 1],
            "line ends of Windows",
            "save it with those of Unix",
        ),
        (twice, f"the column {', '.join(twice)} stands twice", "take one out"),
    ):
        if wrong:
            raise ResultsError(f"{path}:1: {what}; something else has changed the file: {mend}")


def _require_possible_times(cells_of: dict[str, list[str]], path: Path) -> None:
    """Throws ResultsError for the first search that succeeded in a time that none can take: not
    above a nanosecond, or less than one byte of each reached vertex takes at 20 TB/s."""
    columns = ("status", "source", "time_ms", "reached_vertices")
    for number, (status, source, time, reached) in enumerate(
        zip(*(cells_of[name] for name in columns), strict=True), start=2
    ):
        if status != "ok" or not source or not time:
            continue
        try:
            ms = float(time)
        except ValueError:
            ms = math.nan
        if 1e-6 <= ms < math.inf and ms * 20e9 >= float(reached or 0):
            continue
        raise ResultsError(
            f"{path}:{number}: time_ms is {time}, no time that a search can take, or less than "
            f"one byte of each of the {reached or 0} reached vertices takes at 20 TB/s; something "
            "else has changed the file"
        )


def _typed(cells: list[str], column: dict | None) -> pd.Series:
    """A column's cells as text, or as numbers: NaN where a cell is empty or none."""
    if column is None or column["type"] in ("text", "list"):
        return pd.Series(cells, dtype=object)
    try:
        numbers = {cell: float(cell) if cell else math.nan for cell in set(cells)}  # few differ
        return pd.Series([numbers[cell] for cell in cells], dtype=float)
    except ValueError:
        texts = pd.Series(cells, dtype=object)
        return pd.to_numeric(texts, errors="coerce").astype(float)
