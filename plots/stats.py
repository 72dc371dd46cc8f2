# SPDX-License-Identifier: Apache-2.0
"""The few statistics that the figures use. Every function takes finite numbers."""

from __future__ import annotations

import math
import statistics
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pandas as pd

RESAMPLES = 2000
FEWEST_PAIRS = 4  # of a stratum, below which resampling says nothing about its spread
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
    """A mean of ratios and its interval, (nan, nan) where there are too few pairs."""

    value: float
    low: float
    high: float
    pairs: int


def paired_ratios(base: pd.Series, other: pd.Series) -> pd.Series:
    """base / other for every label of the index (a source) that both have: how many times as fast
    `other` is, where both are times."""
    return (base / other).dropna()


def mean_ratio(ratios: Sequence[float], strata: Sequence[Hashable] | None = None,
               clusters: Sequence[Hashable] | None = None, confidence: float = 0.95,
               arithmetic: bool = False) -> Estimate:  # fmt: skip
    """The geometric mean of paired ratios, with the percentile interval of a bootstrap.

    `strata` (one label per ratio: its graph) all weigh the same, however many pairs each has: the
    result is the geometric mean over strata of their geometric means, or the arithmetic one of
    these, as some papers average over graphs. Pairs are resampled within their stratum, so the
    interval is about these graphs and not about others. `clusters` (its invocation) are resampled
    first, and their pairs then, since pairs of one process share its luck. The same ratios give
    the same interval: the generator has a fixed seed.
    """
    frame = pd.DataFrame({"log": np.log(np.asarray(ratios, dtype=float))})
    frame["stratum"] = 0 if strata is None else list(strata)
    frame["cluster"] = 0 if clusters is None else list(clusters)
    if frame.empty:
        return Estimate(*[float("nan")] * 3, 0)
    generator = np.random.default_rng(_SEED)
    centres, resampled, enough = [], [], True
    for _, rows in frame.groupby("stratum", sort=True):
        table = _by_cluster(rows)
        centres.append(np.nanmean(table))
        enough = enough and np.isfinite(table).sum() >= FEWEST_PAIRS
        resampled.append(_resampled_means(table, generator))

    def over_strata(logs: Sequence[np.ndarray]) -> np.ndarray:
        if arithmetic:
            return np.log(np.mean(np.exp(logs), axis=0))
        return np.mean(logs, axis=0)

    drawn = over_strata(resampled) if enough else None
    return _estimate(float(over_strata(centres)), drawn, len(frame), confidence)


def unpaired_ratio(above: pd.Series, below: pd.Series, confidence: float = 0.95) -> Estimate:
    """The geometric mean of `above` over that of `below`, which have no pairs, as the sources of
    two graphs have none: each is resampled by itself. Their indices have a level "invocation"."""
    generator = np.random.default_rng(_SEED)
    tables = [
        _by_cluster(
            pd.DataFrame({"log": np.log(side.to_numpy(dtype=float)),
                          "cluster": side.index.get_level_values("invocation")})
        )
        for side in (above, below)
        if len(side)
    ]  # fmt: skip
    pairs = min(len(above), len(below))
    if len(tables) < 2:
        return Estimate(*[float("nan")] * 3, 0)
    value = np.nanmean(tables[0]) - np.nanmean(tables[1])
    first, second = (_resampled_means(table, generator) for table in tables)
    return _estimate(value, first - second if pairs >= FEWEST_PAIRS else None, pairs, confidence)


def _estimate(log: float, drawn: np.ndarray | None, pairs: int, confidence: float) -> Estimate:
    """Of logarithms; without an interval where there were too few pairs to draw from."""
    low, high = float("nan"), float("nan")
    if drawn is not None:
        low, high = np.exp(np.quantile(drawn, [(1 - confidence) / 2, (1 + confidence) / 2]))
    return Estimate(float(np.exp(log)), float(low), float(high), pairs)


def _by_cluster(rows: pd.DataFrame) -> np.ndarray:
    """One row per cluster, its pairs in a fixed order, filled up with NaN."""
    clusters = [np.sort(part["log"]) for _, part in rows.groupby("cluster", sort=True)]
    table = np.full((len(clusters), max(map(len, clusters))), np.nan)
    for line, values in zip(table, clusters, strict=True):
        line[: len(values)] = values
    return table


def _resampled_means(table: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """RESAMPLES means of clusters drawn with replacement, and of pairs drawn within each."""
    count, width = table.shape
    sizes = np.isfinite(table).sum(axis=1)
    picked = generator.integers(count, size=(RESAMPLES, count))
    places = generator.random((RESAMPLES, count, width)) * sizes[picked][..., None]
    drawn = table[picked[..., None], places.astype(int)]
    # A cluster with fewer pairs draws no more than it has.
    drawn[np.arange(width) >= sizes[picked][..., None]] = np.nan
    return np.nanmean(drawn, axis=(1, 2))
