# SPDX-License-Identifier: Apache-2.0
"""From the rows of one experiment to numbers by cell, source and process: the leaves of an
expression."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

import numpy as np
import pandas as pd

from ..cells import HOW, by_invocation
from ..claims.claims import ClaimError
from ..level_times import level_times
from ..load import Experiment, toggles

Key = tuple[str, ...]  # the graph, then what the leaf's "by" names
# (machine, build) of the rows that a number is of; empty where ratios may be formed as they come.
Builds = frozenset[tuple[str, str]]

# Names of a column's values in the sentence that says what a verdict compares.
WORDS = {"time_ms": "time", "gpu_ms": "time on the GPU", "failed": "failures"}


@dataclass
class Samples:
    """By cell, by source, and, of times of searches, by the process that took them: one number,
    that of its repeats (plots.cells.by_invocation). The level of processes is named after the
    machine, since those of two machines make no pairs. A counter's row has one source, -1."""

    cells: dict[Key, pd.Series] = field(default_factory=dict)
    builds: dict[Key, Builds] = field(default_factory=dict)


@dataclass
class Account:
    """The rows that were read, for the verdict's reason."""

    graphs: dict[str, str] = field(default_factory=dict)  # to what they stand in for, or ""
    asked: set[str] = field(default_factory=set)  # graphs with rows, usable or not
    lost: dict[str, str] = field(default_factory=dict)  # cell -> its failure: "com-lj" -> "OOM"
    disturbed: set[tuple[str, float]] = field(default_factory=set)  # their graphs and sources
    absent: bool = False  # whether some leaf found no row at all, usable or not
    times: bool = False  # whether some leaf reads times, and not counts alone
    # By machine: which rows of its runs were asked for, which of them gave a number, and which were
    # left out since each attempt was disturbed.
    read: dict[str, set[int]] = field(default_factory=dict)
    used: dict[str, set[int]] = field(default_factory=dict)
    polluted: dict[str, set[int]] = field(default_factory=dict)
    repetitions: set[float] = field(default_factory=set)  # of a microbenchmark, in place of trials

    def add(self, other: Account) -> None:
        self.graphs |= other.graphs
        self.asked |= other.asked
        self.lost |= other.lost
        self.disturbed |= other.disturbed
        self.absent |= other.absent
        self.times |= other.times
        self.repetitions |= other.repetitions
        for name in ("read", "used", "polluted"):
            for machine, rows in getattr(other, name).items():
                getattr(self, name).setdefault(machine, set()).update(rows)


def samples(leaf: dict, experiment: Experiment) -> tuple[Samples, Account]:
    """Returns the leaf's numbers. Failed cells, and trials that only have disturbed attempts, are
    left out and noted in the account.

    Raises ClaimError if the leaf names what rows do not have."""
    account = Account()
    if "benchmark" in leaf:
        return _of_benchmark(leaf, experiment, account), account
    column = "" if "measure" in leaf else leaf.get("of", "time_ms")
    counted = leaf.get("instrumented", "levels" in leaf or "measure" in leaf)
    if counted and column.endswith("_ms") and "levels" not in leaf:
        raise ClaimError(f"{column} of instrumented rows: counting costs time")
    rows = experiment.instrumented if counted else experiment.timed
    rows = rows.assign(
        data_set=rows["stand_in_for"].where(rows["stand_in_for"] != "", rows["graph"])
    )
    rows = rows[_matches(rows, leaf["rows"])]
    if rows.empty:
        account.absent = True
        return Samples(), account
    account.asked |= set(rows["graph"])
    account.times = _reads_times(leaf, column, experiment)
    account.read = {experiment.machine: set(rows.index)}
    rows = rows.assign(_key=_keys(rows, leaf.get("by", [])))
    if column == "failed":
        account.used = account.read
        rows = rows.assign(_value=(rows["status"] != "ok").astype(float))
        return _of_repeats(rows, "max", False, experiment, account), account
    if account.times:  # what disturbs a search does not change its counts
        dirty = rows["polluted"] == 1
        account.polluted = {experiment.machine: set(rows.index[dirty])} if dirty.any() else {}
        account.disturbed = set(
            rows.loc[dirty, ["graph", "source"]].itertuples(index=False, name=None)
        )
        rows = rows[~dirty]
    rows = _without_failed_cells(rows, account)
    account.used = {experiment.machine: set(rows.index)}
    if leaf.get("by_level"):
        rows = _level_by_level(rows, _levels(leaf, set(rows["trial"]), experiment), column)
    else:
        rows = rows.assign(_value=_values(leaf, column, rows, experiment))
    valued = rows.dropna(subset=["_value"])
    account.absent = "measure" in leaf and valued.empty and not account.lost
    statistic = leaf.get("repeats", "median")
    # A count does not depend on the process; a search is instrumented once, in one of them; and the
    # best repeat is the best of all of them.
    apart = account.times and not counted and statistic != "best"
    return _of_repeats(valued, statistic, apart, experiment, account), account


def _reads_times(leaf: dict, column: str, experiment: Experiment) -> bool:
    if "measure" not in leaf:
        return column.endswith("_ms")
    return bool((_measured(leaf, experiment)["unit"] == "ms").any())


def _measured(leaf: dict, experiment: Experiment) -> pd.DataFrame:
    """The measures of the metric and the part that a leaf names."""
    measures = experiment.measures
    measures = measures[measures["metric"] == leaf["measure"]]
    if "part" not in leaf:
        return measures
    return measures[[_is(part, leaf["part"]) for part in measures["part"]]]


def _matches(rows: pd.DataFrame, filters: dict) -> np.ndarray:
    """Marks the rows that pass the filters. Lists of several columns are pairs, as in a spec's
    `zip`: ranks [1, 2] with gpus_per_rank [2, 1] is 1 x 2 or 2 x 1, and never 1 x 1.

    Throws ClaimError if rows lack a column, or if such lists differ in length."""
    wanted = {(name,): value for name, value in filters.items() if name != "toggles"}
    wanted |= {("toggles", name): value for name, value in filters.get("toggles", {}).items()}
    lists = {column: value for column, value in wanted.items() if isinstance(value, list)}
    if len({len(value) for value in lists.values()}) > 1:
        names = ", ".join(column[-1] for column in lists)
        raise ClaimError(f"lists of {names} are pairs, and differ in length")
    keep = np.ones(len(rows), dtype=bool)
    for column in wanted.keys() - lists.keys():
        keep &= _holds(rows, column, wanted[column])
    if lists:
        pairs = [
            np.all([_holds(rows, column, one) for column, one in zip(lists, pair, strict=True)], 0)
            for pair in zip(*lists.values(), strict=True)
        ]
        keep &= np.any(pairs, axis=0)
    return keep


def _holds(rows: pd.DataFrame, column: tuple[str, ...], wanted: object) -> np.ndarray:
    """By row, whether a column, or one of the toggles, has a value."""
    name = column[-1]
    if len(column) > 1:
        values = _each_once(rows["toggles"], lambda text: toggles(text).get(name, ""))
        return np.array([_is(text, wanted) for text in values], dtype=bool)
    if name not in rows.columns:
        raise ClaimError(f"rows have no column {name!r}")
    return _each_once(rows[name], lambda value: _is(value, wanted)).astype(bool)


def _each_once(column: pd.Series, function: Callable) -> np.ndarray:
    """The function of every value, called once for each that differs."""
    codes, different = pd.factorize(column, use_na_sentinel=False)
    return np.array([function(value) for value in different], dtype=object)[codes]


def _text(value: object) -> str:
    """As toggles are written: true, 4, 0.5; nothing where a number is missing."""
    if value != value:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _is(value: object, wanted: object) -> bool:
    """`wanted` may be a pattern with stars."""
    text, pattern = _text(value), _text(wanted)
    return text == pattern or fnmatchcase(text, pattern)


def _keys(rows: pd.DataFrame, by: list[str]) -> list[Key]:
    columns = []
    for name in by:
        if name in rows.columns:
            columns.append(_each_once(rows[name], _text))
        else:
            texts = rows["toggles"]
            columns.append(_each_once(texts, lambda text, name=name: toggles(text).get(name, "")))
    return [tuple(map(str, key)) for key in zip(rows["graph"], *columns, strict=True)]


def _name(key: Key) -> str:
    return ", ".join(part for part in key if part)


def _without_failed_cells(rows: pd.DataFrame, account: Account) -> pd.DataFrame:
    """One failed source spoils a cell: what the others took is not an answer."""
    failed = rows[rows["status"] != "ok"]
    for key, status in zip(failed["_key"], failed["status"], strict=True):
        account.lost[_name(key)] = status.upper()
    return rows[~rows["_key"].isin(set(failed["_key"]))]


def _values(leaf: dict, column: str, rows: pd.DataFrame, experiment: Experiment) -> pd.Series:
    if "levels" in leaf:
        return rows["trial"].map(_of_levels(leaf, set(rows["trial"]), experiment))
    if "measure" in leaf:
        return rows["trial"].map(_measured(leaf, experiment).groupby("trial")["value"].sum())
    if column not in rows.columns:
        raise ClaimError(f"rows have no column {column!r}")
    return rows[column]


def _of_levels(leaf: dict, trials: set[float], experiment: Experiment) -> pd.Series:
    """By trial: a statistic over those of its levels that the leaf names, a sum if it says none;
    `count` is the number of different values, such as that of levels with such a row. A trial
    without such a level has no number, unless `none` says what it counts as."""
    over = _levels(leaf, trials, experiment).groupby("trial")[leaf["of"]]
    statistic = leaf.get("over_levels", "sum")
    named = {"count": "nunique"}.get(statistic, statistic)
    found = over.sum(min_count=1) if statistic == "sum" else over.agg(named)
    return found.reindex(sorted(trials), fill_value=leaf["none"]) if "none" in leaf else found


def _levels(leaf: dict, trials: set[float], experiment: Experiment) -> pd.DataFrame:
    levels = experiment.levels[experiment.levels["trial"].isin(trials)]
    if leaf["of"] == "time_ms":
        levels = level_times(experiment)
        levels = levels[levels["trial"].isin(trials)]
        levels = levels.assign(time_ms=levels["traversal_ms"] + levels["generation_ms"].fillna(0))
    wanted = dict(leaf["levels"])
    after = wanted.pop("after_first", None)
    if after is not None:
        first = levels[levels["direction"] == after].groupby("trial")["level"].min()
        levels = levels[levels["level"] == levels["trial"].map(first) + 1]
    return levels[_matches(levels, wanted)]


def _level_by_level(rows: pd.DataFrame, levels: pd.DataFrame, column: str) -> pd.DataFrame:
    """A row for each level of each trial, the level's number the last part of its key. Counts of a
    level's parts add up; level_times has put a level's times together."""
    whole = levels.groupby(["trial", "level"])[column].sum(min_count=1).rename("_value")
    joined = rows.merge(whole.reset_index(), on="trial")
    keys = zip(joined["_key"], joined["level"], strict=True)
    return joined.assign(_key=[(*key, _text(level)) for key, level in keys])


def _of_repeats(
    rows: pd.DataFrame, statistic: str, apart: bool, experiment: Experiment, account: Account
) -> Samples:
    """`apart` keeps the processes apart. Builds are always kept apart, unless the reader allowed
    ratios across them."""
    codes, keys = pd.factorize(rows["_key"])
    rows = rows.assign(_cell=codes, source=rows["source"].fillna(-1))
    if apart:
        numbers = by_invocation(rows, "_value", statistic, also=["_cell"])
        numbers = numbers.rename_axis(index={"invocation": f"invocation on {experiment.machine}"})
    else:
        build = ["build_hash"] if experiment.mixed else []
        values = rows.groupby(["_cell", "source", *build])["_value"]
        numbers = values.agg(HOW.get(statistic, statistic))
        numbers = numbers.rename_axis(index={"build_hash": f"build on {experiment.machine}"})
    account.graphs = {key[0]: experiment.stand_in_for(key[0]) for key in keys}
    builds: dict[Key, Builds] = {}
    if experiment.mixed:
        for code, hashes in rows.groupby("_cell")["build_hash"].unique().items():
            builds[keys[code]] = frozenset((experiment.machine, each) for each in hashes)
    return Samples({key: numbers.loc[code] for code, key in enumerate(keys)}, builds)


def _of_benchmark(leaf: dict, experiment: Experiment, account: Account) -> Samples:
    """A microbenchmark's repetitions take the place of sources. It has no graph: the key is ""."""
    table = experiment.measures[experiment.measures["level"].isna()]
    if table.empty:
        account.absent = True
        return Samples()
    wide = table.pivot_table("value", ["trial", "part"], "metric", aggfunc="first").reset_index()
    untold = [name for name in leaf["benchmark"] if name not in wide]  # as older versions wrote it
    wide = wide.assign(**dict.fromkeys(untold, ""))
    wide = wide[_matches(wide, leaf["benchmark"])]
    account.absent |= wide.empty
    account.times = True
    account.repetitions = set(wide["trial"])
    by = leaf.get("by", [])
    keys = [("", *map(_text, values)) for values in _rows_of(wide, by)]
    wide = wide.assign(_key=keys)
    cells = {}
    for key, here in wide.groupby("_key", sort=False):
        cells[key] = here[leaf["of"]].reset_index(drop=True).rename_axis("source")
    return Samples(cells)


def _rows_of(table: pd.DataFrame, names: list[str]) -> Iterable[tuple]:
    return table[names].itertuples(index=False, name=None) if names else [()] * len(table)
