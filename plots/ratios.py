# SPDX-License-Identifier: Apache-2.0
"""Ratios of two cells' times, source by source, and their averages over graphs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from . import stats
from .cells import Cell, number
from .load import Experiment
from .stats import Estimate

_NONE = pd.Series(dtype=float, index=pd.MultiIndex.from_arrays([[], []],
                  names=["source", "invocation"]))  # fmt: skip
OF_BASE = "invocation of the base"
COLUMNS = ("speedup", "low95", "high95", "min", "max", "by_total_time", "by_source")
STATISTIC = (
    "ratio of times, source by source: geometric mean (bars; whiskers: its bootstrapped 95 % "
    "interval) and every source (dots; a line from the lowest to the highest where they are many)"
)
GEOMETRIC, ARITHMETIC = "geometric", "arithmetic"  # means over graphs
IN_NUMBERS = (  # of what stands in a table
    "ratio of times, source by source: geometric mean, its bootstrapped 95 % interval, and the "
    "least and the most of the sources"
)
INTERVALS = "Intervals are over sources and, where four or more measured, processes. "
SAID_IN_NUMBERS = (
    "Speed-ups are ratios of two times of the same source, each the median of its repeats in one "
    "process: their geometric mean over the sources, its bootstrapped 95 % interval, and the least "
    f"and the most of the sources. {INTERVALS}"
)
SAID_OF = (  # "median", or "mean", of repeats
    "Speed-ups are ratios of two times of the same source, each the {} of its repeats in one "
    "process: dots are the sources (of many, a line from the lowest to the highest), bars their "
    "geometric mean, whiskers its bootstrapped 95 % interval. Averages are geometric means over "
    "graphs, which weigh the same, each with such an interval; all that stand side by side are "
    f"over the same graphs. {INTERVALS}"
)
SAID = SAID_OF.format("median")
BOTH = (
    "The paper's averages are arithmetic means over its graphs, so ours are given in this way too, "
    "as the claims have them. "
)


def compared(base: Cell, cell: Cell, apart: bool = False) -> dict[str, object]:
    """COLUMNS: how many times as fast as `base` a cell is. `min` and `max` are of the sources.
    `by_total_time` is the ratio of the sums over the sources that both have, which one slow source
    can decide; `by_source` has them all, a Series by source and process. NaN where either has
    failed. `apart` says that other processes measured the one than the other, as on two machines,
    so that no two of them make a pair."""
    both = base.ok and cell.ok
    of_base = base.by_invocation
    if apart and both:
        of_base = of_base.rename_axis(index={"invocation": OF_BASE})
    ratios = stats.paired_ratios(of_base, cell.by_invocation) if both else _NONE
    mean = stats.mean_ratio(ratios)
    total = _by_total_time(base, cell) if len(ratios) else float("nan")
    each = each_source(ratios)
    ends = (mean.low, mean.high, each.min(), each.max())
    return dict(zip(COLUMNS, (mean.value, *ends, total, ratios), strict=True))


def of_one_build(experiment: Experiment, *cells: Cell) -> bool:
    """Returns whether a ratio of statistics of these cells may be formed: their rows are of the
    same builds, or the reader allowed ratios across builds. `compared` needs no such question,
    since values of two builds make no pair (Experiment.runs)."""
    return not experiment.mixed or len({cell.builds for cell in cells}) == 1


def _by_total_time(base: Cell, cell: Cell) -> float:
    above, below = stats.paired(
        *(each.by_invocation.groupby(level="source").mean() for each in (base, cell))
    )
    return float(above.sum() / below.sum())


def each_source(ratios: pd.Series) -> pd.Series:
    """One ratio a source: the geometric mean over processes."""
    return np.exp(np.log(ratios).groupby(level="source").mean())


@dataclass(frozen=True)
class Average:
    """Means of several cases over one and the same set of graphs."""

    graphs: list[str]
    of: dict[str, Estimate]  # by case
    kind: str = GEOMETRIC  # over the graphs

    def label(self, all_graphs: Sequence[str], named: bool = False) -> str:
        """`named` says which mean it is, where both kinds stand side by side."""
        count = len(self.graphs)
        what = f"{self.kind}\nmean of" if named else "mean of"
        every = count == len(all_graphs)
        return f"{what} all {count}" if every else f"{what} the {count}\nthat all ran"


def average(frame: pd.DataFrame, graphs: Sequence[str], cases: Sequence[str],
            kind: str = GEOMETRIC) -> Average:  # fmt: skip
    """Over those of `graphs` on which each of `cases` was compared: a mean over other graphs for
    one case than for another would compare graphs, and not cases. Each graph has the geometric
    mean over its sources, whatever `kind` of mean is taken over the graphs."""
    have = {
        case: dict(zip(rows["graph"], rows["by_source"], strict=True))
        for case in cases
        for rows in [frame[(frame["case"] == case) & frame["speedup"].notna()]]
    }
    common = [
        graph for graph in graphs if have and all(graph in estimates for estimates in have.values())
    ]
    means = {}
    for case, estimates in have.items():
        if common:
            pairs = pd.concat({graph: estimates[graph] for graph in common}, names=["graph"])
            means[case] = stats.mean_ratio(pairs, arithmetic=kind == ARITHMETIC)
    return Average(common, means, kind)


def averages(frame: pd.DataFrame, graphs: Sequence[str], cases: Sequence[str],
             both: bool = False) -> list[Average]:  # fmt: skip
    """The mean of all cases over the graphs that all ran; and, where that leaves graphs out, that
    of the cases which ran more, over what these have in common. With `both` kinds, for a paper
    that averages arithmetically, each geometric mean is followed by the arithmetic one."""
    first = average(frame, graphs, cases)
    found = [first]
    if len(first.graphs) < len(graphs):
        ran = frame[frame["speedup"].notna()].groupby("case")["graph"].nunique()
        most = [case for case in cases if ran.get(case, 0) > len(first.graphs)]
        more = average(frame, graphs, most)
        found += [more] if len(more.graphs) > len(first.graphs) else []
    found = [mean for mean in found if mean.of]
    if not both:
        return found
    return [
        one
        for mean in found
        for one in (mean, average(frame, mean.graphs, list(mean.of), ARITHMETIC))
    ]


def estimate_text(mean: Estimate) -> str:
    """ "1.61 (1.55 to 1.67)" """
    span = span_text(mean.low, mean.high)
    return f"{number(mean.value)} ({span})" if span else number(mean.value)


def span_text(low: float, high: float) -> str:
    """ "1.55 to 1.67"; nothing where there is no interval."""
    return f"{number(low)} to {number(high)}" if low == low and high == high else ""


def turned_note(frame: pd.DataFrame, name=lambda graph: graph) -> str:
    """Where all sources' time together says the opposite of their mean: a few sources lose more
    than all others win, or the reverse."""
    known = frame[frame["speedup"].notna() & frame["by_total_time"].notna()]
    one, other = known["speedup"], known["by_total_time"]
    turned = known[((one > 1.05) & (other < 0.95)) | ((one < 0.95) & (other > 1.05))]
    named = [
        f"{row['case']} on {name(row['graph'])} ({number(row['speedup'])} by the mean, "
        f"{number(row['by_total_time'])} by the sum of all times)"
        for _, row in turned.iterrows()
    ]
    return f"A few slow sources turn the result: {'; '.join(named)}. " if named else ""
