# SPDX-License-Identifier: Apache-2.0
"""The forest plot of claims: our value over the paper's, one line for each claim, with its interval
and the limits of `reproduced`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullLocator

from ..cells import number
from ..claims import (
    MISSING,
    REFUTED,
    REFUTED_ON_STAND_INS,
    REPRODUCED,
    REPRODUCED_ON_STAND_INS,
    SAME_DIRECTION,
    SAME_DIRECTION_FAR,
    UNDECIDED,
    VERDICTS,
    Verdict,
)
from ..claims.claims import EVIDENCE
from ..style import new_figure, pt

# By verdict the colour, and whether marks are filled: an open mark is weaker.
LOOK = {
    REPRODUCED: ("#009E73", True),
    REPRODUCED_ON_STAND_INS: ("#009E73", False),
    SAME_DIRECTION: ("#E69F00", True),
    SAME_DIRECTION_FAR: ("#E69F00", False),
    REFUTED: ("#D55E00", True),
    REFUTED_ON_STAND_INS: ("#D55E00", False),
    UNDECIDED: ("#7A7A7A", False),
}
MARKS = {"search": "o", "rate": "^", "microbenchmark": "s", "count": "D"}
_LIMITS = "#DCDCDC"
_LOW, _HIGH = 0.04, 25.0  # ends of the axis, beyond which an arrow stands
_TICKS = (0.1, 0.3, 1, 3, 10)
_WIDTH_IN, _LINE_IN, _MARGIN_IN = 3.6, 0.125, 0.55


@dataclass
class Line:
    """One line of the plot: a claim, or, without one, the kind of those below it."""

    text: str
    verdict: Verdict | None = None


def lines(verdicts: Sequence[Verdict]) -> list[Line]:
    """The claims with rows, by kind of evidence, then by verdict, then from the smallest ratio to
    the largest; each kind under its name."""
    found: list[Line] = []
    for kind, meaning in EVIDENCE.items():
        mine = [v for v in verdicts if v.evidence == kind and v.verdict != MISSING]
        order = sorted(mine, key=lambda v: (VERDICTS.index(v.verdict), v.over_paper or 0, v.id))
        found += [Line(meaning)] * bool(mine)
        found += [Line(v.id.removeprefix(_prefix(v)), v) for v in order]
    return found


def _prefix(verdict: Verdict) -> str:
    """The part of a claim's id that all claims of its paper share: "xbfs-"."""
    return f"{verdict.id.partition('-')[0]}-"


def draw(verdicts: Sequence[Verdict], recorded: dict[str, Verdict] | None = None) -> Figure | None:
    """Draws the claims of one paper, one verdict for each; with the value of recorded rows as a
    bar. None where no claim has rows."""
    listed = lines(verdicts)
    if not listed:
        return None
    figure = new_figure(_WIDTH_IN, _MARGIN_IN + _LINE_IN * len(listed))
    axes = figure.subplots()
    axes.set_xscale("log")
    axes.set_xlim(_LOW, _HIGH)
    axes.set_ylim(len(listed) - 0.4, -0.6)
    axes.axvline(1, color="black", linewidth=0.8)
    for at, line in enumerate(listed):
        if line.verdict:
            _draw_claim(axes, at, line.verdict, (recorded or {}).get(line.verdict.id))
    axes.xaxis.set_major_locator(FixedLocator(_TICKS))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xticks(_TICKS, [f"{tick:g}" for tick in _TICKS], fontsize=pt(6.5))
    axes.set_yticks(range(len(listed)), [line.text for line in listed], fontsize=pt(6))
    for line, label in zip(listed, axes.get_yticklabels(), strict=True):
        label.set_fontstyle("normal" if line.verdict else "italic")
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="y", visible=False)
    axes.set_xlabel("ours over the paper's", fontsize=pt(6.5))
    return figure


def _draw_claim(axes: Axes, at: int, verdict: Verdict, before: Verdict | None) -> None:
    color, filled = LOOK[verdict.verdict]
    ratio = verdict.over_paper
    if ratio is None:
        words = "no number" if verdict.value is None else f"{number(verdict.value)} here"
        axes.text(1.1, at, words, fontsize=pt(5.5), color=color, va="center")
        return
    low, high = _limits(verdict)
    axes.barh(at, high - low, left=low, height=0.8, color=_LIMITS, linewidth=0)
    if verdict.interval:
        ends = [_inside(end / verdict.printed) for end in verdict.interval]
        axes.plot(ends, [at, at], color=color, linewidth=1)
    if before and before.over_paper:
        axes.plot([_inside(before.over_paper)], [at], "|", color="black", markersize=8)
    shown = _inside(ratio)
    mark = MARKS.get(verdict.evidence, "o")
    if shown != ratio:
        mark = "<" if ratio < shown else ">"
        left = ratio > shown
        axes.annotate(f"{number(ratio, 2)}", (shown, at), xytext=(-5 if left else 5, 0),
                      textcoords="offset points", ha="right" if left else "left", va="center",
                      fontsize=pt(5.5), color=color)  # fmt: skip
    axes.plot([shown], [at], mark, color=color, markersize=3.2, markeredgewidth=0.9,
              markerfacecolor=color if filled else "white")  # fmt: skip


def _limits(verdict: Verdict) -> tuple[float, float]:
    """The limits of `reproduced` over the paper's value, cut at the ends of the axis."""
    low, high = verdict.lower_limit, verdict.upper_limit
    return (
        _LOW if low is None else _inside(low / verdict.printed),
        _HIGH if high is None else _inside(high / verdict.printed),
    )


def _inside(ratio: float) -> float:
    return min(max(ratio, _LOW * 1.08), _HIGH / 1.08)
