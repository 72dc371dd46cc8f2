# SPDX-License-Identifier: Apache-2.0
"""Groups of bars: one per series in every group; a failure shows its status instead."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pandas as pd

from . import ratios, style

MOST_DOTS = 40  # of a bar
TWO_LINES_IN = 0.5  # what two lines turned by 35 degrees take of an axis


@dataclass(frozen=True)
class Bar:
    value: float = float("nan")
    low: float = float("nan")  # the whisker's ends
    high: float = float("nan")
    status: str = "ok"
    points: tuple[float, ...] = ()  # what the value is the mean of

    @property
    def top(self) -> float:
        """The highest of all that is drawn of it."""
        return max(x for x in (self.value, self.high, *self.points) if x == x)


def bars_of(frame: pd.DataFrame, graphs: list[str], cases: list[str], value: str = "speedup",
            scale: Callable[[float], float] = float) -> dict[str, list[Bar | None]]:  # fmt: skip
    """By case, one bar per graph; for ratios (plots.ratios.COLUMNS) with their interval and every
    source, all by `scale`."""
    found: dict[str, list[Bar | None]] = {}
    for case in cases:
        rows = frame[frame["case"] == case].set_index("graph").reindex(graphs)
        found[case] = [
            bar_of(row, value, scale) if isinstance(row["status"], str) else None
            for _, row in rows.iterrows()
        ]
    return found


def bar_of(row: pd.Series, value: str, scale: Callable[[float], float]) -> Bar:
    if value != "speedup":
        return Bar(row[value], status=row["status"])
    points = tuple(scale(ratio) for ratio in ratios.each_source(row["by_source"]))
    ends = (scale(row[name]) for name in ("speedup", "low95", "high95"))
    return Bar(*ends, status=row["status"], points=points)


def draw(axes, groups: Sequence[str], series: dict[str, list[Bar | None]], first: int = 0,
         numbers: bool = False, foot: float = 0.0) -> dict[str, list[float]]:  # fmt: skip
    """`series` has a list as long as `groups` under each name; `first` is the first one's colour.
    `numbers` prints each bar's size above it. Bars stand on `foot`, or hang from it: 1 for ratios,
    of which neither side is the smaller. Returns the positions of the bars of each name."""
    width = 0.8 / max(len(series), 1)
    stand: dict[str, list[float]] = {}
    for index, (name, bars) in enumerate(series.items(), first):
        places = [group - 0.4 + width * (index - first + 0.5) for group in range(len(groups))]
        stand[name] = places
        known = [(x, bar) for x, bar in zip(places, bars, strict=True) if bar]
        good = [(x, bar) for x, bar in known if bar.value == bar.value]
        # A failure is a bar without height: the legend shows a series of nothing but failures too.
        axes.bar([x for x, _ in known], [bar.value - foot for _, bar in known], width, foot,
                 label=name, color=style.color(index), hatch=style.hatch(index), edgecolor="black",
                 linewidth=0.4)  # fmt: skip
        for x, bar in good:
            strip(axes, x, width, bar.points)
        spread = [(x, bar) for x, bar in good if bar.low == bar.low and bar.high == bar.high]
        if spread:
            low = [max(bar.value - bar.low, 0) for _, bar in spread]
            high = [max(bar.high - bar.value, 0) for _, bar in spread]
            axes.errorbar([x for x, _ in spread], [bar.value for _, bar in spread],
                          yerr=[low, high], linestyle="none", color="black", elinewidth=0.6,
                          capsize=1.2)  # fmt: skip
        for x, bar in known:
            style.say_failure(axes, x, bar.status, index)
        if numbers:
            for x, bar in good:
                axes.annotate(f"{bar.value:.2f}", (x, max(bar.top, foot)), rotation=90,
                              fontsize=5.5, ha="center", va="bottom", xytext=(0, 1.5),
                              textcoords="offset points")  # fmt: skip
    axes.set_xticks(range(len(groups)), groups, rotation=turned(axes, groups), ha="right",
                    rotation_mode="anchor")  # fmt: skip
    axes.set_xlim(-0.6, len(groups) - 0.4)
    axes.grid(False, axis="x")
    return stand


def strip(axes, x: float, width: float, points: Sequence[float]) -> None:
    """Every point at a place of its own across `width`, the same one in each bar; a line from the
    lowest to the highest where so many would be a cloud."""
    if len(points) > MOST_DOTS:
        at = x + 0.25 * width  # beside the whisker
        axes.plot([at, at], [min(points), max(points)], color="#505050", linewidth=0.7, zorder=3)
        return
    step = 0.8 * width / max(len(points), 1)
    at = [x - 0.4 * width + step * (k + 0.5) for k in range(len(points))]
    size = 1.3 if len(points) > 8 else 2.2
    axes.plot(at, points, linestyle="none", marker="o", markersize=size, markeredgewidth=0.25,
              markerfacecolor="white", markeredgecolor="black", zorder=3)  # fmt: skip


def mean_bars(averages: Sequence[ratios.Average], cases: Sequence[str],
              scale: Callable[[float], float] = float
              ) -> dict[str, list[Bar | None]]:  # fmt: skip
    """By case, one bar per average, with its interval."""
    return {
        case: [
            Bar(scale(mean.value), scale(mean.low), scale(mean.high))
            if (mean := average.of.get(case))
            else None
            for average in averages
        ]
        for case in cases
    }


def turned(axes, groups: Sequence[str]) -> int:
    """By how many degrees labels turn so that those of two lines do not touch their neighbours."""
    place = axes.get_subplotspec()
    width_in = axes.figure.get_figwidth() / (place.get_gridspec().ncols if place else 1)
    crowded = width_in / max(len(groups), 1) < TWO_LINES_IN
    return 60 if crowded and any("\n" in group for group in groups) else 35
