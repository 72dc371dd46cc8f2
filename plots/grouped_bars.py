# SPDX-License-Identifier: Apache-2.0
"""Groups of bars: one per series in every group; a failure shows its status instead."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pandas as pd

from . import ratios, style

MOST_DOTS = 40  # of a bar
LINE_IN = 0.127  # what a line of a label takes across, with what margins take of the panel's width
PAPER = "paper"  # the name of a series of the paper's numbers
LABELS_IN = 1.0  # labels higher than that make their figure higher


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
         numbers: bool = False, foot: float = 0.0, marks: bool = False
         ) -> dict[str, list[float]]:  # fmt: skip
    """`series` has a list as long as `groups` under each name; `first` is the first one's colour.
    The series PAPER is grey.
    `numbers` prints each bar's size above it. Bars stand on `foot`, or hang from it: 1 for ratios,
    of which neither side is the smaller. With `marks`, each value is a mark and no bar: on an axis
    without a zero a bar's length says nothing. Returns the positions of the bars of each name."""
    width = 0.8 / max(len(series), 1)
    stand: dict[str, list[float]] = {}
    for index, (name, bars) in enumerate(series.items(), first):
        places = [group - 0.4 + width * (index - first + 0.5) for group in range(len(groups))]
        stand[name] = places
        known = [(x, bar) for x, bar in zip(places, bars, strict=True) if bar]
        good = [(x, bar) for x, bar in known if bar.value == bar.value]
        # A failure is a bar without height: the legend shows a series of nothing but failures too.
        if marks:
            axes.plot([x for x, _ in known], [bar.value for _, bar in known], linestyle="none",
                      label=name, color=style.color(index), marker=style.marker(index))  # fmt: skip
        else:
            look = {"color": style.color(index), "hatch": style.hatch(index)}
            look = {"color": style.PAPER} if name == PAPER else look
            axes.bar([x for x, _ in known], [bar.value - foot for _, bar in known], width, foot,
                     label=name, edgecolor="black", linewidth=0.4, **look)  # fmt: skip
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
            style.mark_failure(axes, x, bar.status, index)
        if numbers:
            for x, bar in good:
                axes.annotate(f"{bar.value:.2f}", (x, max(bar.top, foot)), rotation=90,
                              fontsize=style.pt(5.5), ha="center", va="bottom", xytext=(0, 1.5),
                              textcoords="offset points")  # fmt: skip
    name_groups(axes, groups)
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


def name_groups(axes, names: Sequence[str]) -> None:
    """Labels of groups, turned so far that they do not touch their neighbours. Where groups are so
    many that this is not enough, a label is one line, and its figure grows by what that takes."""
    degrees, joined = turned(axes, names)
    shown = [" ".join(name.split("\n")) for name in names] if joined else names
    axes.set_xticks(range(len(shown)), shown, rotation=degrees, ha="right",
                    rotation_mode="anchor")  # fmt: skip
    if joined:
        figure = axes.figure
        labels = [label for label in axes.get_xticklabels() if label.get_visible()]
        high = max((label.get_window_extent().height for label in labels), default=0) / figure.dpi
        figure.set_figheight(figure.get_figheight() + max(high - LABELS_IN, 0))


def turned(axes, names: Sequence[str]) -> tuple[int, bool]:
    """By how many degrees labels turn, and whether each must become one line."""
    place = axes.get_subplotspec()
    width_in = axes.figure.get_figwidth() / (place.get_gridspec().ncols if place else 1)
    apart = width_in / max(len(names), 1)
    lines = max((name.count("\n") + 1 for name in names), default=1)
    for degrees, count in ((35, lines), (60, lines), (60, 1)):
        if count * LINE_IN <= apart * math.sin(math.radians(degrees)):
            return degrees, count < lines
    return 90, lines > 1


def keep_apart(texts: Sequence) -> None:
    """Turns numbers that would touch one another, and where bars are too thin even for that, makes
    them smaller."""
    for size in (6, 5, 4, 3):
        if not touching(texts):
            return
        for text in texts:
            text.set(rotation=90, fontsize=style.pt(size))


def hide_touching(texts: Sequence) -> None:
    """Hides each of `texts` that would be drawn over one before it."""
    if texts:
        texts[0].figure.draw_without_rendering()  # places all of it as a file will have it
    kept: list = []
    for text in texts:
        box = text.get_window_extent()
        if any(box.overlaps(other) for other in kept):
            text.set_visible(False)
        else:
            kept.append(box)


def touching(texts: Sequence) -> bool:
    """Returns whether any two of `texts` would be drawn over one another, or so close that what
    stands side by side reads as one number."""
    if not texts:
        return False
    figure = texts[0].figure
    figure.draw_without_rendering()  # places all of it as a file will have it
    gap = 0 if texts[0].get_rotation() else figure.dpi / 72
    boxes = sorted((text.get_window_extent() for text in texts), key=lambda box: box.x0)
    return any(
        right.x0 < left.x1 + gap and right.y0 < left.y1 and left.y0 < right.y1
        for index, left in enumerate(boxes)
        for right in boxes[index + 1 :]
    )
