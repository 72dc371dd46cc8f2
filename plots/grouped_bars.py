"""Groups of bars: one per series in every group; a failure shows its status instead."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from . import style

TWO_LINES_IN = 0.5  # what two lines turned by 35 degrees take of an axis


@dataclass(frozen=True)
class Bar:
    value: float = float("nan")
    low: float = float("nan")  # the whisker's ends
    high: float = float("nan")
    status: str = "ok"


def bars_of(frame: pd.DataFrame, graphs: list[str], cases: list[str], value: str = "speedup",
            spread: tuple[str, ...] = ("q10", "q90"), mean: bool = True
            ) -> dict[str, list[Bar | None]]:  # fmt: skip
    """By case, one bar per graph and (with `mean`) one for the mean over the graphs. `spread` names
    the columns of the whiskers' ends."""
    found: dict[str, list[Bar | None]] = {}
    for case in cases:
        rows = frame[frame["case"] == case].set_index("graph").reindex(graphs)
        bars: list[Bar | None] = [
            Bar(row[value], *(row[end] for end in spread), status=row["status"])
            if isinstance(row["status"], str)
            else None
            for _, row in rows.iterrows()
        ]
        if mean:
            bars.append(Bar(rows[value].mean()) if rows[value].notna().any() else None)
        found[case] = bars
    return found


def draw(axes, groups: Sequence[str], series: dict[str, list[Bar | None]], first: int = 0,
         numbers: bool = False) -> dict[str, list[float]]:  # fmt: skip
    """`series` has a list as long as `groups` under each name; `first` is the first one's colour.
    `numbers` prints each bar's size above it. Returns the positions of the bars of each name."""
    width = 0.8 / max(len(series), 1)
    stand: dict[str, list[float]] = {}
    for index, (name, bars) in enumerate(series.items(), first):
        places = [group - 0.4 + width * (index - first + 0.5) for group in range(len(groups))]
        stand[name] = places
        known = [(x, bar) for x, bar in zip(places, bars, strict=True) if bar]
        good = [(x, bar) for x, bar in known if bar.value == bar.value]
        # A failure is a bar without height: the legend shows a series of nothing but failures too.
        axes.bar([x for x, _ in known], [bar.value for _, bar in known], width, label=name,
                 color=style.color(index), hatch=style.hatch(index), edgecolor="black",
                 linewidth=0.4)  # fmt: skip
        spread = [(x, bar) for x, bar in good if bar.low == bar.low and bar.high == bar.high]
        if spread:
            low = [max(bar.value - bar.low, 0) for _, bar in spread]
            high = [max(bar.high - bar.value, 0) for _, bar in spread]
            axes.errorbar([x for x, _ in spread], [bar.value for _, bar in spread],
                          yerr=[low, high], linestyle="none", color="black", elinewidth=0.6,
                          capsize=1.2)  # fmt: skip
        for x, bar in known:
            if bar.status not in ("ok", ""):
                axes.text(x, 0.02, bar.status.upper(), transform=axes.get_xaxis_transform(),
                          rotation=90, fontsize=6, ha="center", va="bottom",
                          color=style.color(index))  # fmt: skip
        if numbers:
            for x, bar in good:
                top = bar.high if bar.high == bar.high else bar.value
                axes.annotate(f"{bar.value:.2f}", (x, top), rotation=90, fontsize=5.5, ha="center",
                              va="bottom", xytext=(0, 1.5), textcoords="offset points")  # fmt: skip
    axes.set_xticks(range(len(groups)), groups, rotation=turned(axes, groups), ha="right",
                    rotation_mode="anchor")  # fmt: skip
    axes.set_xlim(-0.6, len(groups) - 0.4)
    axes.grid(False, axis="x")
    return stand


def turned(axes, groups: Sequence[str]) -> int:
    """By how many degrees labels turn so that those of two lines do not touch their neighbours."""
    place = axes.get_subplotspec()
    width_in = axes.figure.get_figwidth() / (place.get_gridspec().ncols if place else 1)
    crowded = width_in / max(len(groups), 1) < TWO_LINES_IN
    return 60 if crowded and any("\n" in group for group in groups) else 35
