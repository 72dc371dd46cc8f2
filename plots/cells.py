# SPDX-License-Identifier: Apache-2.0
"""From the rows of one cell of a table (a case, a graph, a thread count) to its number."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from . import stats

# A cell with several failures shows the most serious.
_GRAVITY = ("wrong", "crash", "oom", "timeout", "unsupported", "interrupted", "skipped")


HOW = {"best": "min"}  # what a rule for repeats is called in pandas, where that is not its name


@dataclass
class Cell:
    """Times in ms, one per source: the median (or the best, or the mean) over processes of what
    each made of its repeats."""

    times_ms: pd.Series = field(default_factory=lambda: pd.Series(dtype=float))
    failure: str = ""  # "TIMEOUT", ...; empty when every trial is ok
    reason: str = ""
    runs: int = 0
    # By (source, invocation): the median (or the best, or the mean) of the repeats of one process.
    by_invocation: pd.Series = field(default_factory=lambda: pd.Series(dtype=float))
    builds: frozenset[str] = frozenset()  # of the program, whose rows these are

    @property
    def ok(self) -> bool:
        return not self.failure and len(self.times_ms) > 0

    @property
    def median_ms(self) -> float:
        return stats.median(self.times_ms) if self.ok else float("nan")

    @property
    def mean_ms(self) -> float:
        """The arithmetic mean over sources of theirs over processes."""
        if not self.ok:
            return float("nan")
        return float(self.by_invocation.groupby(level="source").mean().mean())

    def text(self, value: float | None) -> str:
        """`value` for print, or the failure in its place, or nothing if nothing was run."""
        return self.failure or ("" if value is None else number(value))


def failure_of(rows: pd.DataFrame) -> tuple[str, str]:
    """The most serious status among `rows` in capitals and its reason; ("", "") if all are ok. One
    failed source spoils the cell: a median over the sources that finished is not an answer."""
    failed = (rows["status"] != "ok").to_numpy()
    if failed.any():
        reasons = rows.loc[failed].groupby("status", sort=False)["reason"].first()
        for status in _GRAVITY:
            if status in reasons.index:
                return status.upper(), str(reasons[status])
    return "", ""


def by_invocation(
    rows: pd.DataFrame, column: str, of_repeats: str = "median", also: Sequence[str] = ()
) -> pd.Series:
    """One number of the repeats that one process measured from one source (median, best or mean),
    by (`also`, source, invocation): what all statistics of timed rows begin with."""
    if also:
        grouped = rows.groupby([*also, "source", "invocation"])[column]
        return grouped.agg(HOW.get(of_repeats, of_repeats))
    keys = {name: rows[name] for name in ("source", "invocation")}
    return _of_each(rows[column], keys, of_repeats)


def by_source(numbers: pd.Series, of_repeats: str = "median") -> pd.Series:
    """Reduces the numbers of `by_invocation` to one per source, by the same rule."""
    return _of_each(numbers, {"source": numbers.index.get_level_values("source")}, of_repeats)


def _of_each(
    numbers: pd.Series, keys: Mapping[str, pd.Series | pd.Index], statistic: str
) -> pd.Series:
    """Reduces the numbers of equal keys to one by `statistic`, in ascending order of keys. A
    groupby does the same, many times slower for the few rows of a cell. Leaves out rows without a
    key or a number."""
    values, names = numbers.to_numpy(dtype=float), list(keys)
    columns = [keys[name].to_numpy(dtype=float) for name in names]
    known = ~np.isnan([values, *columns]).any(axis=0)
    values, columns = values[known], [column[known] for column in columns]
    if statistic == "mean":
        return pd.Series(values).groupby(columns).mean().rename_axis(names)
    order = np.lexsort((values, *reversed(columns)))
    values, columns = values[order], [column[order] for column in columns]
    new = np.ones(len(order) + 1, dtype=bool)
    new[1:-1] = np.any([column[1:] != column[:-1] for column in columns], axis=0)
    first, count = np.flatnonzero(new)[:-1], np.diff(np.flatnonzero(new))
    low, high = values[first + (count - 1) // 2], values[first + count // 2]
    columns = [column[first] for column in columns]
    index = pd.MultiIndex.from_arrays(columns, names=names)
    if len(names) == 1:
        index = pd.Index(*columns, name=names[0])
    return pd.Series(values[first] if statistic == "best" else (low + high) / 2, index)


def time_cell(rows: pd.DataFrame, of_repeats: str = "median") -> Cell:
    """`of_repeats` is median, best or mean."""
    failure, reason = failure_of(rows)
    good = rows.loc[
        (rows["status"] == "ok") & rows["time_ms"].notna(), ["source", "invocation", "time_ms"]
    ]
    each = by_invocation(good, "time_ms", of_repeats)
    builds = frozenset(rows["build_hash"]) if "build_hash" in rows else frozenset()
    return Cell(by_source(each, of_repeats), failure, reason, len(good), each, builds)


@dataclass(frozen=True)
class Rates:
    """Returns the rates of a cell's sources in input edges of their component over a time, in
    GTEPS; none where the component has no edge."""

    status: str  # "ok", or what failed
    reason: str
    by_source: pd.Series  # over the time of the source (Cell.times_ms)
    by_invocation: pd.Series  # by (source, invocation): over that of its repeats in one process
    times_ms: pd.Series  # by (source, invocation)

    def mean(self, statistic: Callable[[pd.Series], float]) -> float:
        """Over sources of that over processes. NaN where a source failed: the others are no
        answer."""
        groups = self.by_invocation.groupby(level="source")
        each = np.array([statistic(group.to_numpy()) for _, group in groups])
        return float(statistic(each)) if self._ok else float("nan")

    def of_sources(self, statistic: Callable[[pd.Series], float]) -> float:
        """As `mean`, over the sources alone."""
        return float(statistic(self.by_source)) if self._ok else float("nan")

    @property
    def _ok(self) -> bool:
        return self.status == "ok" and len(self.by_source) > 0


def source_rates(rows: pd.DataFrame) -> Rates:
    failure, reason = failure_of(rows)
    good = rows[rows["status"] == "ok"]
    times = by_invocation(good, "time_ms")
    edges = good.groupby("source")["component_input_edges"].first()
    edges = edges[edges > 0]
    of_source = stats.paired_ratios(edges, by_source(times)) / 1e6
    each = stats.paired_ratios(edges, times) / 1e6
    return Rates(failure.lower() or "ok", reason, of_source, each, times)


def failed_cells(failed: pd.DataFrame, count: int) -> str:
    """Says how many cells failed, and how: "3 of 20 cells failed (OOM; reasons in the CSV)"."""
    words = ", ".join(sorted(set(failed["status"].str.upper())))
    return f"{len(failed)} of {count} cells failed ({words}; reasons in the CSV)"


def number(value: float, digits: int = 3) -> str:
    """Three significant digits without an exponent; counts in full."""
    if value != value:
        return ""
    if value == 0:
        return "0"
    if abs(value) >= 10 ** (digits - 1):
        return f"{value:.0f}"
    text = f"{value:.{digits}g}"
    return f"{value:.6f}".rstrip("0") if "e" in text else text
