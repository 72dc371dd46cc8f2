# SPDX-License-Identifier: Apache-2.0
"""Sentences on what a figure's numbers show, from which modules make their `finding`. All give ""
where the numbers show nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pandas as pd

from . import ratios, stats
from .cells import Cell, number, time_cell
from .labels import graph_name
from .load import Experiment

MOST_NAMED = 4  # of what a sentence goes through one by one


def ours(frame: pd.DataFrame) -> pd.DataFrame:
    return frame[frame["origin"] == "ours"] if "origin" in frame else frame


def place(row: pd.Series | dict) -> str:
    """The graph of a row; a stand-in says for what it stands."""
    replaced = row.get("stand_in_for")
    if isinstance(replaced, str) and replaced:
        return f"the stand-in for {graph_name(replaced)}"
    return graph_name(str(row["graph"]))


def place_of_case(row: pd.Series | dict) -> str:
    """ "kronecker scale=18 (BASE)" """
    return f"{place(row)} ({name(row['case'])})"


def name(words: object) -> str:
    """A name that has a comma stands in quotation marks."""
    return f"“{words}”" if "," in str(words) else str(words)


def percent(share: float) -> str:
    """ "39.4 %" of 0.394"""
    return f"{number(100 * share)} %"


def several(count: int, noun: str, plural: str = "") -> str:
    """ "1 graph", "7 graphs" """
    return f"{count:,} {noun if count == 1 else plural or f'{noun}s'}"


def listed(words: Sequence[str]) -> str:
    """ "a", "a and b", "a, b and c" """
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


def ends(frame: pd.DataFrame, value: str, show: Callable[[float], str],
         where: Callable[[pd.Series], str] = place) -> str:  # fmt: skip
    """ "from 1.9 ms on A to 8.9 ms on B", of the least and the greatest; "1.9 ms on A" of one."""
    known = frame[frame[value].notna()].reset_index(drop=True)
    if known.empty:
        return ""
    least, most = (known.loc[known[value].idxmin()], known.loc[known[value].idxmax()])
    first = f"{show(least[value])} on {where(least)}"
    if show(least[value]) == show(most[value]):
        return first if len(known) == 1 else f"{show(least[value])} everywhere"
    return f"from {first} to {show(most[value])} on {where(most)}"


Paired = Callable[[pd.Series, pd.Series], float]


def pairs(experiments: Sequence[Experiment], of_repeats: str = "median") -> Paired:
    """How many times as fast the first of two rows with machine, graph and series is as the
    second, source by source: the mean of plots.ratios, NaN where they have no source in common."""
    by_machine = {experiment.machine: experiment for experiment in experiments}

    def cell(row: pd.Series) -> Cell:
        rows = by_machine[row["machine"]].timed_cell(row["graph"], row["series"])
        return time_cell(rows, of_repeats)

    def ratio(first: pd.Series, second: pd.Series) -> float:
        apart = first["machine"] != second["machine"]
        return float(ratios.compared(cell(second), cell(first), apart)["speedup"])

    return ratio


def best(frame: pd.DataFrame, value: str, who: str, statistic: str, *, unit: str = "ms",
         rate: bool = False, paired: Paired | None = None,
         experiments: Sequence[Experiment] = ()) -> str:  # fmt: skip
    """Names the case with the shortest time (or the highest rate) on how many graphs, and by how
    much: `value` of rows with a graph and `who`. Those of several machines compete with one
    another. By how much is the ratio of the two values, or `paired`; nothing is said of that where
    one of `experiments` has rows of several builds, since the two values do not say of which they
    are."""
    good = ours(frame)
    good = good[good[value].notna()]
    if good.empty:
        return ""
    several_machines = "machine" in good and len(set(good["machine"])) > 1
    on = " on " + good["machine"] if several_machines else ""
    good = good.assign(_who=good[who] + on)

    def shown(amount: float) -> str:
        return f"{number(amount)} {unit}"

    names = list(dict.fromkeys(good["_who"]))
    if len(names) == 1:
        verb = "reaches" if rate else "takes"
        return f"{capital(name(names[0]))} {verb} {ends(good, value, shown)}, by the {statistic}."
    firsts, aheads = [], []
    for _, rows in good.groupby("graph", sort=False):
        order = rows.sort_values(value, ascending=not rate, kind="stable")
        if len(order) > 1:
            first, second = order.iloc[0], order.iloc[1]
            ratio = first[value] / second[value] if rate else second[value] / first[value]
            ratio = float("nan") if any(each.mixed for each in experiments) else ratio
            firsts.append(first)
            aheads.append((second["_who"], paired(first, second) if paired else ratio))
    if not firsts:
        return ""
    winners = pd.Series([first["_who"] for first in firsts])
    most = str(winners.value_counts(sort=False).idxmax())
    mine = [k for k, winner in enumerate(winners) if winner == most]
    what = "the highest rate" if rate else "the shortest time"
    lead = f"Of {several(len(names), 'configuration')} {name(most)} has {what}"
    each = f"each {'rate' if rate else 'time'} is the {statistic}"
    sources = " of ratios source by source" if paired else ""
    known = [aheads[k][1] for k in mine if aheads[k][1] == aheads[k][1]]
    if not known:
        return f"{lead} on {len(mine)} of {several(len(firsts), 'graph')}; {each}."
    if len(firsts) == 1:
        following, ratio = aheads[0]
        means = f", by the geometric mean{sources}" if paired else ""
        return (
            f"{lead} on {place(firsts[0])}, {shown(firsts[0][value])}, and is {number(ratio)} "
            f"times as fast as the next, {name(following)}{means}; {each}."
        )
    ahead = number(stats.geometric_mean(known))
    where = "" if len(mine) > 1 else f", on {place(firsts[mine[0]])},"
    means = f" by the geometric mean{sources}" if len(mine) > 1 or paired else ""
    return (
        f"{lead} on {len(mine)} of {several(len(firsts), 'graph')}, and is {ahead} times as fast "
        f"there{where} as the next{means}; {each}."
    )


def faster(over: str) -> Callable[[str, str, bool], str]:
    """ "A is 1.2 times as fast as B", then "C 1.1" """
    return lambda case, ratio, first: (
        f"{case} is {ratio} times as fast as {name(over)}" if first else f"{case} {ratio}"
    )


def speedups(frame: pd.DataFrame, phrase: Callable[[str, str, bool], str]) -> str:
    """Summarises rows of ratios (plots.ratios.COLUMNS by graph and case, without the baseline): the
    mean of each case over the graphs that all ran, of many cases the highest and the lowest, and
    the ends of what single graphs have. `phrase` makes words of a case and its ratio, for the first
    case of a sentence and for those that follow."""
    good = ours(frame)
    good = good[good["speedup"].notna()].reset_index(drop=True)
    cases, graphs = (list(dict.fromkeys(good[column])) for column in ("case", "graph"))
    means = ratios.averages(good, graphs, cases)
    if not means:
        return ""
    mean = means[0]
    named = sorted(mean.of, key=lambda case: -mean.of[case].value)
    shown = named if len(named) <= MOST_NAMED else [named[0], named[-1]]
    words = [
        phrase(name(case), ratios.estimate_text(mean.of[case]), k == 0)
        for k, case in enumerate(shown)
    ]
    if shown != named:
        words = [f"{words[0]}, the most of {several(len(named), 'case')}", f"{words[1]}, the least"]
    if len(mean.graphs) == 1:
        where = place(good[good["graph"] == mean.graphs[0]].iloc[0])
        return f"On {where} {listed(words)}, by the geometric mean of ratios source by source."

    where = place if len(cases) == 1 else place_of_case

    return (
        f"By the geometric mean over {several(len(mean.graphs), 'graph')} of ratios source by "
        f"source, {listed(words)}; single graphs have {ends(good, 'speedup', number, where)}."
    )
