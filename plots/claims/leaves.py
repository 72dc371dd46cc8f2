"""From the rows of one experiment to numbers by cell and source: the leaves of an expression."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

import pandas as pd

from plots.level_times import level_times
from plots.load import Experiment, toggles

Key = tuple[str, ...]  # the graph, then what the leaf's "by" names

# What a column's values are called where a verdict says what it compares.
WORDS = {"time_ms": "time", "gpu_ms": "time on the GPU", "edges_checked": "edges checked"}


class ClaimError(Exception):
    """A claim cannot be evaluated as it is written; the message says which part and why."""


@dataclass
class Samples:
    """By cell, by source: one number, that of its repeats. A counter's row has one source, nan."""

    cells: dict[Key, pd.Series] = field(default_factory=dict)


@dataclass
class Account:
    """What was read on the way: filled in by leaves, told in the verdict's reason."""

    graphs: dict[str, str] = field(default_factory=dict)  # to what they stand in for, or ""
    lost: dict[str, str] = field(default_factory=dict)  # cell -> its failure: "com-lj" -> "OOM"
    polluted: int = 0  # trials left out since each of their attempts was disturbed
    polluted_cells: set[str] = field(default_factory=set)  # with no clean trial at all
    found: bool = False  # whether any leaf found a row, usable or not


def samples(leaf: dict, experiment: Experiment, account: Account) -> Samples:
    """The leaf's numbers. Failed cells, and trials that only have disturbed attempts, are left out
    and noted in `account`.

    Throws ClaimError where the leaf names what rows do not have."""
    if "benchmark" in leaf:
        return _of_benchmark(leaf, experiment, account)
    counted = leaf.get("instrumented", "levels" in leaf or "measure" in leaf)
    if counted and leaf.get("of") in ("time_ms", "gpu_ms") and "levels" not in leaf:
        raise ClaimError(f"{leaf['of']} of instrumented rows: counting costs time")
    rows = experiment.instrumented if counted else experiment.timed
    rows = rows.assign(
        data_set=rows["stand_in_for"].where(rows["stand_in_for"] != "", rows["graph"])
    )
    rows = rows[_matches(rows, leaf["rows"])]
    if rows.empty:
        return Samples()
    account.found = True
    rows = rows.assign(_key=_keys(rows, leaf.get("by", [])))
    if leaf.get("of") == "failed":
        rows = rows.assign(_value=(rows["status"] != "ok").astype(float))
        return _by_source(rows, "max", experiment, account)
    if leaf.get("of", "").endswith("_ms"):  # what disturbs a search does not change its counts
        rows = _clean(rows, account)
    rows = _without_failed_cells(rows, account)
    if leaf.get("by_level"):
        rows = _level_by_level(rows, _levels(leaf, set(rows["trial"]), experiment), leaf["of"])
    else:
        rows = rows.assign(_value=_values(leaf, rows, experiment))
    return _by_source(rows.dropna(subset=["_value"]), leaf.get("repeats", "median"), experiment,
                      account)  # fmt: skip


def _matches(rows: pd.DataFrame, filters: dict) -> pd.Series:
    keep = pd.Series(True, index=rows.index)
    for name, wanted in filters.items():
        if name == "toggles":
            told = [toggles(text) for text in rows["toggles"]]
            for toggle, value in wanted.items():
                keep &= [_is(row.get(toggle, ""), value) for row in told]
        elif name in rows.columns:
            keep &= [_is(value, wanted) for value in rows[name]]
        else:
            raise ClaimError(f"rows have no column {name!r}")
    return keep


def _text(value: object) -> str:
    """As toggles are written: true, 4, 0.5."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _is(value: object, wanted: object) -> bool:
    """A text may be a pattern with stars; of a list any one may match."""
    options = wanted if isinstance(wanted, list) else [wanted]
    text = _text(value)
    return any(text == _text(o) or fnmatchcase(text, _text(o)) for o in options)


def _keys(rows: pd.DataFrame, by: list[str]) -> list[Key]:
    told = [toggles(text) for text in rows["toggles"]]
    columns = []
    for name in by:
        if name in rows.columns:
            columns.append([_text(value) for value in rows[name]])
        else:
            columns.append([row.get(name, "") for row in told])
    return [tuple(key) for key in zip(rows["graph"], *columns, strict=True)]


def _name(key: Key) -> str:
    return ", ".join(part for part in key if part)


def _clean(rows: pd.DataFrame, account: Account) -> pd.DataFrame:
    dirty = rows["polluted"] == 1
    account.polluted += int(dirty.sum())
    kept = rows[~dirty]
    account.polluted_cells |= {_name(key) for key in set(rows["_key"]) - set(kept["_key"])}
    return kept


def _without_failed_cells(rows: pd.DataFrame, account: Account) -> pd.DataFrame:
    """One failed source spoils a cell: what the others took is not an answer."""
    failed = rows[rows["status"] != "ok"]
    for key, status in zip(failed["_key"], failed["status"], strict=True):
        account.lost[_name(key)] = status.upper()
    return rows[~rows["_key"].isin(set(failed["_key"]))]


def _values(leaf: dict, rows: pd.DataFrame, experiment: Experiment) -> pd.Series:
    if "levels" in leaf:
        return rows["trial"].map(_of_levels(leaf, set(rows["trial"]), experiment))
    if "measure" in leaf:
        told = experiment.measures
        told = told[told["metric"] == leaf["measure"]]
        if "part" in leaf:
            told = told[[_is(part, leaf["part"]) for part in told["part"]]]
        return rows["trial"].map(told.groupby("trial")["value"].sum())
    if "graph" in leaf:
        facts = experiment.graphs.drop_duplicates("graph").set_index("graph")
        return rows["graph"].map(facts[leaf["graph"]])
    column = leaf.get("of", "time_ms")
    if column not in rows.columns:
        raise ClaimError(f"rows have no column {column!r}")
    return rows[column]


def _of_levels(leaf: dict, trials: set[float], experiment: Experiment) -> pd.Series:
    """By trial: a statistic over those of its levels that the leaf names, a sum if it says none.
    A trial without such a level has no number, unless `none` says what it counts as."""
    over = _levels(leaf, trials, experiment).groupby("trial")[leaf["of"]]
    how = leaf.get("over_levels", "sum")
    found = over.sum(min_count=1) if how == "sum" else over.agg(how)
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


def _by_source(
    rows: pd.DataFrame, of_repeats: str, experiment: Experiment, account: Account
) -> Samples:
    how = {"best": "min"}.get(of_repeats, of_repeats)
    cells = {}
    for key, here in rows.groupby("_key", sort=False):
        account.graphs[key[0]] = experiment.stand_in_for(key[0])
        cells[key] = here.groupby(here["source"].fillna(-1))["_value"].agg(how)
    return Samples(cells)


def _of_benchmark(leaf: dict, experiment: Experiment, account: Account) -> Samples:
    """A microbenchmark's repetitions take the place of sources. It has no graph: the key is ""."""
    table = experiment.measures[experiment.measures["level"].isna()]
    if table.empty:
        return Samples()
    wide = table.pivot_table("value", ["trial", "part"], "metric", aggfunc="first").reset_index()
    wide = wide[_matches(wide, leaf["benchmark"])]
    account.found = account.found or not wide.empty
    by = leaf.get("by", [])
    keys = [("", *map(_text, values)) for values in _rows_of(wide, by)]
    wide = wide.assign(_key=keys)
    cells = {}
    for key, here in wide.groupby("_key", sort=False):
        cells[key] = here[leaf["of"]].reset_index(drop=True)
    return Samples(cells)


def _rows_of(table: pd.DataFrame, names: list[str]) -> Iterable[tuple]:
    return table[names].itertuples(index=False, name=None) if names else [()] * len(table)
