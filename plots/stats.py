# SPDX-License-Identifier: Apache-2.0
"""The statistics of figures, tables and claims. docs/statistics.md defines them; what
harness/analyse/statistics.hpp computes of the same rows is equal."""

from __future__ import annotations

import statistics
import warnings
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pandas as pd

RESAMPLES = 1000
FEWEST = 4  # sources, or processes, below which resampling says nothing of their spread
SOURCE = "source"
_SEED = np.uint64(15)
_Z = 1.959963984540054  # 97.5 % of a normal distribution lie below it

Reduce = Callable[[np.ndarray, int], np.ndarray]


def median(values: Sequence[float]) -> float:
    return float(np.median(values)) if len(values) else float("nan")


def quantile(values: Sequence[float], q: float) -> float:
    """Linear interpolation between order statistics (type 7)."""
    return float(np.quantile(values, q)) if len(values) else float("nan")


def geometric_mean(values: Sequence[float]) -> float:
    return float(np.exp(np.log(values).mean())) if len(values) else float("nan")


def harmonic_mean(values: Sequence[float]) -> float:
    """The mean for rates over equal amounts of work (Graph500)."""
    return statistics.harmonic_mean(list(values)) if len(values) else float("nan")


def harmonic_standard_error(values: Sequence[float]) -> float:
    """Standard error of the harmonic mean by the delta method, as in Graph500's output."""
    n = len(values)
    if n < 2:
        return float("nan")
    inverse = 1 / np.asarray(values, dtype=float)
    return float(inverse.std(ddof=1) / np.sqrt(n) / inverse.mean() ** 2)


def _median(values: np.ndarray, axis: int) -> np.ndarray:
    ordered = np.sort(values, axis=axis)  # NaN come last
    count = (~np.isnan(ordered)).sum(axis=axis, keepdims=True)
    ends = (np.maximum(count - 1, 0) // 2, count // 2)
    low, high = (np.take_along_axis(ordered, end, axis) for end in ends)
    return np.squeeze((low + high) / 2, axis=axis)


def _geometric(values: np.ndarray, axis: int) -> np.ndarray:
    return np.exp(np.nanmean(np.log(values), axis=axis))


def _harmonic(values: np.ndarray, axis: int) -> np.ndarray:
    return 1 / np.nanmean(1 / values, axis=axis)


# By name, along an axis, without NaN.
MEANS: dict[str, Reduce] = {
    "median": _median,
    "arithmetic mean": lambda values, axis: np.nanmean(values, axis=axis),
    "geometric mean": _geometric,
    "harmonic mean": _harmonic,
}


@dataclass(frozen=True)
class Estimate:
    """A number and its 95 % interval, (nan, nan) where there is none."""

    value: float
    low: float
    high: float
    pairs: int  # values of one source in one process, or in a pair of them
    sources_alone: bool = False  # whether the interval says nothing of other processes
    freedom: float = float("nan")  # degrees of freedom of the interval


@dataclass(frozen=True)
class Factor:
    """A factor that is drawn: the sources of one graph, or the processes that searched it."""

    drawn: np.ndarray  # RESAMPLES numbers
    count: int  # how many sources or processes there are


@dataclass(frozen=True)
class Drawn:
    """A number, and what it becomes where one factor alone is drawn. A factor is named by its graph
    and the level of the index that counts it. Of too few processes nothing is drawn; of too few
    sources neither, and there is no interval then."""

    value: float
    factors: dict[tuple[Hashable, str], Factor]
    few_sources: bool = False
    sources_alone: bool = False


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
    same = base.index.names == other.index.names and base.index.equals(other.index)
    if same:  # nothing to align
        ratios = base.to_numpy(dtype=float) / other.to_numpy(dtype=float)
        known = ~np.isnan(ratios)
        return pd.Series(ratios[known], base.index if known.all() else base.index[known])
    above, below = paired(base, other)
    return (above / below).dropna()


def crossed(values: pd.Series, labels: Sequence[Sequence[Hashable]]) -> np.ndarray:
    """A table with an axis for each level of the index; `labels` names the lines of each axis. NaN
    where there is no value."""
    table = np.full([len(labels_of) for labels_of in labels], np.nan)
    at = [
        pd.Index(labels_of).get_indexer(values.index.get_level_values(level))
        for level, labels_of in enumerate(labels)
    ]
    table[tuple(at)] = values
    return table


@cache
def places(count: int) -> np.ndarray:
    """RESAMPLES rows of count - 1 numbers below count. Number k of row i is output i * 2^32 + k of
    SplitMix64 (Steele et al., OOPSLA 2014), its upper 32 bits times count, divided by 2^32."""
    row = np.arange(RESAMPLES, dtype=np.uint64)[:, None] << np.uint64(32)
    state = row + np.arange(1, count, dtype=np.uint64)  # a stream's first output is of step 1
    state = _SEED + state * np.uint64(0x9E3779B97F4A7C15)
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    state ^= state >> np.uint64(31)
    return (((state >> np.uint64(32)) * np.uint64(count)) >> np.uint64(32)).astype(np.intp)


def drawn(table: np.ndarray, levels: Sequence[str], graph: Hashable, of_processes: Reduce,
          of_sources: Reduce) -> Drawn:  # fmt: skip
    """The statistic of a graph's table, whose first axis counts sources and each other one
    processes: `of_processes` makes one number of a source's, `of_sources` one of these. NaN where a
    source was not searched by a process. `levels` names the axes."""
    with warnings.catch_warnings():  # of a draw that leaves a source, or all of them, without any
        warnings.simplefilter("ignore", RuntimeWarning)
        by_source = of_processes(table.reshape(len(table), -1), 1)
        value = float(of_sources(by_source, 0))
        factors = {}
        if len(table) >= FEWEST:
            numbers = of_sources(by_source[places(len(table))], 1)
            factors[graph, SOURCE] = Factor(numbers, len(table))
        for axis in range(1, table.ndim):
            if (count := table.shape[axis]) >= FEWEST:
                taken = np.moveaxis(np.take(table, places(count), axis=axis), axis, 0)
                each = of_processes(taken.reshape(*taken.shape[:2], -1), 2)
                factors[graph, levels[axis]] = Factor(of_sources(each, 1), count)
    few = bool((~np.isnan(by_source)).sum() < FEWEST)
    return Drawn(value, factors, few, len(factors) < table.ndim)


def joined(operation: Callable[[list], np.ndarray], parts: Sequence[Drawn]) -> Drawn:
    """Applies an operation to several numbers. Where a factor is drawn, the numbers that depend on
    it take their drawn values, and the others keep theirs."""
    factors: dict[tuple[Hashable, str], Factor] = {}
    for name in dict.fromkeys(name for part in parts for name in part.factors):
        of_parts = [part.factors.get(name) for part in parts]
        numbers = [
            np.full(RESAMPLES, part.value) if factor is None else factor.drawn
            for part, factor in zip(parts, of_parts, strict=True)
        ]
        count = min(factor.count for factor in of_parts if factor is not None)
        factors[name] = Factor(operation(numbers), count)
    value = float(operation([np.float64(part.value) for part in parts]))
    few = any(part.few_sources for part in parts)
    return Drawn(value, factors, few, any(part.sources_alone for part in parts))


def estimate(drawn: Drawn, pairs: int = 0) -> Estimate:
    """Returns the estimate with the interval of docs/statistics.md: Student's t times the root of
    the factors' variances to both sides, of logarithms where the number is above zero in all
    draws. The middle 95 % of the draws give a variance, so that single draws far away do not."""
    nan = float("nan")
    numbers = [each.drawn[np.isfinite(each.drawn)] for each in drawn.factors.values()]
    if drawn.few_sources or not numbers or any(len(each) < 2 for each in numbers):
        return Estimate(drawn.value, nan, nan, pairs, drawn.sources_alone)
    logs = drawn.value > 0 and all((each > 0).all() for each in numbers)
    if logs:
        numbers = [np.log(each) for each in numbers]
    spreads = [np.subtract(*np.quantile(each, [0.975, 0.025])) / (2 * _Z) for each in numbers]
    variances = np.square(spreads)
    total = variances.sum()
    if total < 1e-24 * (1 if logs else drawn.value**2):
        total = 0.0  # rounding
    degrees = np.array([factor.count - 1 for factor in drawn.factors.values()])
    # Satterthwaite, Biometrics Bulletin 1946.
    freedom = total**2 / (variances**2 / degrees).sum() if total > 0 else 1.0
    half = _student_t(freedom) * np.sqrt(total)
    if logs:
        low, high = drawn.value * np.exp(-half), drawn.value * np.exp(half)
    else:
        low, high = drawn.value - half, drawn.value + half
    return Estimate(drawn.value, float(low), float(high), pairs, drawn.sources_alone, freedom)


def corrected(gain: Estimate, comparisons: int) -> Estimate:
    """Widens the interval of a ratio so that so many of them hold at once with 95 % (Bonferroni),
    as `bfslab ablate` does."""
    if comparisons <= 1 or not gain.low < gain.high:
        return gain
    wider = _student_t_beyond(0.025 / comparisons, gain.freedom) / _student_t(gain.freedom)
    half = wider * np.log(gain.high / gain.value)
    ends = (float(gain.value * np.exp(-half)), float(gain.value * np.exp(half)))
    return replace(gain, low=ends[0], high=ends[1])


def _student_t_beyond(tail: float, freedom: float) -> float:
    """Student's t with this probability of more: its density is one of cos(angle)^(freedom - 1) at
    t = sqrt(freedom) tan(angle)."""
    angle = np.linspace(0, np.pi / 2, 200_001)
    beyond = np.cumsum((np.cos(angle) ** (freedom - 1))[::-1])[::-1]
    return float(np.sqrt(freedom) * np.tan(np.interp(-2 * tail, -beyond / beyond[0], angle)))


def _student_t(freedom: float) -> float:
    """97.5 % of Student's distribution lie below it. By the expansion of Cornish and Fisher; of 3
    degrees of freedom or more its error is below 0.1 %."""
    z, n = _Z, freedom
    return (
        z
        + (z**3 + z) / (4 * n)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * n**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * n**3)
        + (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / (92160 * n**4)
    )


def median_time(times: pd.Series) -> Estimate:
    """The median over sources of the median over processes, of one number of each."""
    return _of_graphs(times, "median", "median")


def mean_of(values: pd.Series, mean: str) -> Estimate:
    """The mean of this kind, a key of MEANS, over sources of that over processes."""
    return _of_graphs(values, mean, mean)


def mean_ratio(ratios: pd.Series | Sequence[float], arithmetic: bool = False) -> Estimate:
    """The geometric mean of paired ratios over the sources of geometric means over processes.

    The levels of their index say what they are of: "source", "graph", and every other one counts
    processes. Without levels each ratio is a source. Graphs all weigh the same, however many pairs
    each has: the result is the geometric mean over graphs of theirs, or the arithmetic one, as some
    papers average over graphs. The interval is about these graphs and not about others."""
    over = "arithmetic mean" if arithmetic else "geometric mean"
    return _of_graphs(pd.Series(ratios, dtype=float), "geometric mean", over)


def unpaired_ratio(above: pd.Series, below: pd.Series) -> Estimate:
    """The geometric mean of `above` over that of `below`, which have no pairs, as the sources of
    two graphs have none: each is drawn by itself, with the levels of `mean_ratio`."""
    if not len(above) or not len(below):
        return Estimate(*[float("nan")] * 3, 0)
    sides = [_of_graph(side, place, "geometric mean") for place, side in enumerate((above, below))]
    return estimate(joined(lambda both: both[0] / both[1], sides), min(len(above), len(below)))


def _of_graphs(values: pd.Series, each: str, over: str) -> Estimate:
    if values.empty:
        return Estimate(*[float("nan")] * 3, 0)
    if "graph" not in values.index.names:
        return estimate(_of_graph(values, "", each), len(values))
    parts = [
        _of_graph(group.droplevel("graph") if group.index.nlevels > 1 else group, graph, each)
        for graph, group in values.groupby(level="graph", sort=True)
    ]
    return estimate(joined(lambda numbers: MEANS[over](np.array(numbers), 0), parts), len(values))


def _of_graph(values: pd.Series, graph: Hashable, mean: str) -> Drawn:
    if SOURCE not in values.index.names:
        values = values.reset_index(drop=True).rename_axis(SOURCE)
    levels = [SOURCE, *(name for name in values.index.names if name != SOURCE)]
    values = values.reorder_levels(levels) if len(levels) > 1 else values
    labels = [sorted(set(values.index.get_level_values(name))) for name in levels]
    return drawn(crossed(values, labels), levels, graph, MEANS[mean], MEANS[mean])
