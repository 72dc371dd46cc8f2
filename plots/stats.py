"""The few statistics that the figures use. Every function takes finite numbers."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from fractions import Fraction

import numpy as np


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
