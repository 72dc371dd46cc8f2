"""The few statistics that the figures use. Every function takes finite numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import stats as distributions


def median(values: Sequence[float]) -> float:
    return float(np.median(values)) if len(values) else float("nan")


def quantile(values: Sequence[float], q: float) -> float:
    """Linear interpolation between order statistics (type 7)."""
    return float(np.quantile(values, q)) if len(values) else float("nan")


def geometric_mean(values: Sequence[float]) -> float:
    return float(distributions.gmean(values)) if len(values) else float("nan")


def harmonic_mean(values: Sequence[float]) -> float:
    """The mean for rates over equal amounts of work (Graph500)."""
    return float(distributions.hmean(values)) if len(values) else float("nan")


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
    # The smallest k with P(X <= k) >= tail, so that P(X <= k - 1) < tail.
    k = int(distributions.binom.ppf((1 - confidence) / 2, n, 0.5)) if n else 0
    if k == 0:
        return (float("nan"), float("nan"))
    ordered = np.sort(np.asarray(values, dtype=float))
    return (float(ordered[k - 1]), float(ordered[n - k]))
