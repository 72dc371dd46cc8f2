# SPDX-License-Identifier: Apache-2.0
"""The few statistics that the figures use. Every function takes finite numbers."""

from __future__ import annotations

import math
import statistics
import warnings
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pandas as pd

RESAMPLES = 2000
FEWEST_SOURCES = 4  # of a graph, below which resampling says nothing about its spread
_SEED = 15


def median(values: Sequence[float]) -> float:
    return float(np.median(values)) if len(values) else float("nan")


def quantile(values: Sequence[float], q: float) -> float:
    """Linear interpolation between order statistics (type 7)."""
    return float(np.quantile(values, q)) if len(values) else float("nan")


def geometric_mean(values: Sequence[float]) -> float:
    return float(np.exp(np.log(values).mean())) if len(values) else float("nan")


def harmonic_mean(values: Sequence[float]) -> float:
    """The mean for rates over equal amounts of work (Graph500)."""
    return statistics.harmonic_mean(values) if len(values) else float("nan")


def harmonic_standard_error(values: Sequence[float]) -> float:
    """Standard error of the harmonic mean by the delta method, as in Graph500's output."""
    n = len(values)
    if n < 2:
        return float("nan")
    inverse = 1 / np.asarray(values, dtype=float)
    return float(inverse.std(ddof=1) / np.sqrt(n) / inverse.mean() ** 2)


def median_interval(values: Sequence[float], confidence: float = 0.95) -> tuple[float, float]:
    """Distribution-free interval for the median from order statistics: the narrowest symmetric
    pair (x[k], x[n-1-k]) that covers it with at least `confidence` for any continuous
    distribution. (nan, nan) where there are too few values for any pair to do so."""
    n = len(values)
    # The smallest k with P(X <= k) >= tail, so that P(X <= k - 1) < tail; X has n fair coins.
    tail = Fraction((1 - confidence) / 2) * 2**n
    k, covered = 0, 1
    while covered < tail:
        k += 1
        covered += math.comb(n, k)
    if k == 0:
        return (float("nan"), float("nan"))
    ordered = np.sort(np.asarray(values, dtype=float))
    return (float(ordered[k - 1]), float(ordered[n - k]))


@dataclass(frozen=True)
class Estimate:
    """A mean of ratios and its interval, (nan, nan) where there are too few sources."""

    value: float
    low: float
    high: float
    pairs: int


def paired(first: pd.Series, second: pd.Series) -> tuple[pd.Series, pd.Series]:
    """Both over one index, whose levels are those of either: values meet that agree in every level
    which both have. Of a source those of one process meet. Where either side has processes of its
    own, under another name, as on two machines, each of one meets each of the other; and what knows
    no process, as a count does, meets them all."""
    if first.index.names == second.index.names:
        return first.align(second, join="inner")
    levels = list(dict.fromkeys([*first.index.names, *second.index.names]))
    tables = [each.rename(k).reset_index() for k, each in enumerate((first, second))]
    common = [name for name in first.index.names if name in second.index.names]
    both = tables[0].merge(tables[1], on=common).set_index(levels)
    return both[0], both[1]


def paired_ratios(base: pd.Series, other: pd.Series) -> pd.Series:
    """base / other for all that is `paired`: how many times as fast `other` is, where both are
    times."""
    if base.index.equals(other.index):  # nothing to align
        ratios = base.to_numpy(dtype=float) / other.to_numpy(dtype=float)
        known = ~np.isnan(ratios)
        return pd.Series(ratios[known], base.index if known.all() else base.index[known])
    above, below = paired(base, other)
    return (above / below).dropna()


def crossed(values: pd.Series, labels: Sequence[Sequence[Hashable]]) -> np.ndarray:
    """A table with an axis for each level of the index; `labels` names the lines of each axis. NaN
    where there is no value."""
    table = np.full([len(of) for of in labels], np.nan)
    at = [
        pd.Index(of).get_indexer(values.index.get_level_values(level))
        for level, of in enumerate(labels)
    ]
    table[tuple(at)] = values
    return table


def resampled(table: np.ndarray, places: Sequence[np.ndarray]) -> np.ndarray:
    """A table for each draw: `places` has for every axis which of its lines each draw takes, and
    so a row a draw. All processes search from the same sources, so a draw takes its sources in all
    of its processes: drawn apart in each of them, three processes would pass for three times as
    many sources, and the interval would be too narrow by up to the root of three."""
    axes = range(len(places))
    return table[
        tuple(
            of.reshape(len(of), *(of.shape[1] if axis == at else 1 for axis in axes))
            for at, of in enumerate(places)
        )
    ]


def mean_ratio(ratios: pd.Series | Sequence[float], confidence: float = 0.95,
               arithmetic: bool = False) -> Estimate:  # fmt: skip
    """The geometric mean of paired ratios, with the percentile interval of a bootstrap.

    The levels of their index say what they are of. Those of a "graph" are a stratum, and strata all
    weigh the same, however many pairs each has: the result is the geometric mean over graphs of
    their geometric means, or the arithmetic one of these, as some papers average over graphs.
    A "source" is what is resampled, within its graph, so the interval is about these graphs and
    not about others; and every other level counts processes, which are resampled, too, since pairs
    of one process share its luck. Without levels each ratio is a source. The same ratios give the
    same interval: the generator has a fixed seed.
    """
    logs = np.log(pd.Series(ratios, dtype=float))
    if logs.empty:
        return Estimate(*[float("nan")] * 3, 0)
    graphs = [logs]
    if "graph" in logs.index.names:
        graphs = [of.droplevel("graph") for _, of in logs.groupby(level="graph", sort=True)]
    generator = np.random.default_rng(_SEED)
    tables = [_by_source_and_process(of) for of in graphs]
    resampled_means = [_resampled_means(table, generator) for table in tables]

    def over_strata(logs: Sequence[np.ndarray]) -> np.ndarray:
        if arithmetic:
            return np.log(np.mean(np.exp(logs), axis=0))
        return np.mean(logs, axis=0)

    enough = all(len(table) >= FEWEST_SOURCES for table in tables)
    drawn = over_strata(resampled_means) if enough else None
    centre = float(over_strata([np.nanmean(table) for table in tables]))
    return _estimate(centre, drawn, len(logs), confidence)


def unpaired_ratio(above: pd.Series, below: pd.Series, confidence: float = 0.95) -> Estimate:
    """The geometric mean of `above` over that of `below`, which have no pairs, as the sources of
    two graphs have none: each is resampled by itself, with the levels of `mean_ratio`."""
    if not len(above) or not len(below):
        return Estimate(*[float("nan")] * 3, 0)
    generator = np.random.default_rng(_SEED)
    tables = [_by_source_and_process(np.log(side.astype(float))) for side in (above, below)]
    value = np.nanmean(tables[0]) - np.nanmean(tables[1])
    first, second = (_resampled_means(table, generator) for table in tables)
    enough = min(map(len, tables)) >= FEWEST_SOURCES
    pairs = min(len(above), len(below))
    return _estimate(value, first - second if enough else None, pairs, confidence)


def _estimate(log: float, drawn: np.ndarray | None, pairs: int, confidence: float) -> Estimate:
    """Of logarithms; without an interval where there were too few sources to draw from."""
    low, high = float("nan"), float("nan")
    if drawn is not None:
        low, high = np.exp(np.nanquantile(drawn, [(1 - confidence) / 2, (1 + confidence) / 2]))
    return Estimate(float(np.exp(log)), float(low), float(high), pairs)


def _by_source_and_process(logs: pd.Series) -> np.ndarray:
    """A row for each source, by the size of their means, so that no order of rows matters, and an
    axis for each further level, which counts processes."""
    if "source" not in logs.index.names:
        logs = logs.reset_index(drop=True).rename_axis("source")
    levels = ["source", *(name for name in logs.index.names if name != "source")]
    logs = logs.reorder_levels(levels) if len(levels) > 1 else logs
    means = logs.groupby(level="source").mean().sort_values(kind="stable")
    processes = [sorted(set(logs.index.get_level_values(name))) for name in levels[1:]]
    return crossed(logs, [means.index, *processes])


def _resampled_means(table: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """RESAMPLES means of processes and sources drawn with replacement."""
    sources, *processes = table.shape
    picked = [generator.integers(count, size=(RESAMPLES, count)) for count in processes]
    places = (generator.random((RESAMPLES, sources)) * sources).astype(int)
    drawn = resampled(table, [places, *picked])
    with warnings.catch_warnings():  # of a draw that has no pair
        warnings.simplefilter("ignore", RuntimeWarning)
        return np.nanmean(drawn, axis=tuple(range(1, drawn.ndim)))
