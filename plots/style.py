# SPDX-License-Identifier: Apache-2.0
"""How every figure looks: readable in print, in black and white, and by the colour-blind."""

from __future__ import annotations

import matplotlib
from matplotlib.figure import Figure
from matplotlib.ticker import LogFormatterMathtext

COLUMN_IN = 3.5  # one column of a two-column page
PAGE_IN = 7.0  # both

# Okabe and Ito's palette; a grey takes the place of yellow, which is too faint on paper.
COLORS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#56B4E9", "#E69F00", "#7A7A7A"]
MARKERS = ["o", "s", "^", "D", "v", "P", "X", "*"]
HATCHES = ["", "////", "....", "xxxx", "\\\\\\\\", "++++", "oo", "--"]

_RC = {
    "font.family": "DejaVu Sans",
    "font.size": 8,
    "axes.labelsize": 8,
    "axes.titlesize": 8,
    "legend.fontsize": 7,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "axes.linewidth": 0.6,
    "axes.axisbelow": True,
    "axes.grid": True,
    "grid.linewidth": 0.4,
    "grid.color": "#D0D0D0",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "lines.linewidth": 1.2,
    "lines.markersize": 4,
    "legend.frameon": False,
    "hatch.linewidth": 0.5,
    "pdf.fonttype": 42,  # text stays text that can be searched and edited
    "svg.fonttype": "path",  # looks the same if the font is not installed
    "svg.hashsalt": "bfslab",  # the same numbers give the same file
    "text.parse_math": False,  # names may hold "$"; `lay_out` excepts the powers on an axis
    "savefig.dpi": 200,
    "figure.dpi": 100,
}


def use() -> None:
    """Sets this package's style. A matplotlibrc of the user's has no effect."""
    matplotlib.rcdefaults()
    matplotlib.use("Agg")
    matplotlib.rcParams.update(_RC)


def color(index: int) -> str:
    return COLORS[index % len(COLORS)]


def marker(index: int) -> str:
    # Shifted whenever the colours repeat, so that no two series look the same.
    return MARKERS[(index + index // len(COLORS)) % len(MARKERS)]


def hatch(index: int) -> str:
    return HATCHES[(index + index // len(COLORS)) % len(HATCHES)]  # as markers


def new_figure(width: float, height: float) -> Figure:
    return Figure(figsize=(width, height), layout="constrained")


def lay_out(figure: Figure) -> None:
    """For good: once is enough for all formats."""
    show_powers(figure)
    engine = figure.get_layout_engine()
    if engine and figure.axes:
        engine.execute(figure)
    figure.set_layout_engine(None)  # not even one that does nothing: saving would draw twice


def show_powers(figure: Figure) -> None:
    """Lets the labels that matplotlib makes of a logarithmic axis, as "$10^{3}$", be powers: of all
    texts of a figure, these alone are formulas."""
    for axis in (axis for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)):
        for formatter, ticks in (
            (axis.get_major_formatter(), axis.get_major_ticks),
            (axis.get_minor_formatter(), axis.get_minor_ticks),
        ):
            if isinstance(formatter, LogFormatterMathtext):
                for tick in ticks():
                    tick.label1.set_parse_math(True)
                    tick.label2.set_parse_math(True)


def plain_log_ticks(axis) -> None:
    """10, 100, 1000 instead of powers, and 2 and 5 between them where a decade is wide enough."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    low, high = sorted(axis.get_view_interval())
    if low > 0 and high / low < 5:  # a range this narrow would get linear ticks
        middle = (low * high) ** 0.5
        low, high = middle / 5**0.5, middle * 5**0.5
        getattr(axis.axes, f"set_{axis.axis_name}lim")(low, high)  # shared axes follow
    wide = low > 0 and high / low < 300
    axis.set_major_locator(LogLocator(base=10, subs=(1, 2, 5) if wide else (1,), numticks=12))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: compact(value)))


def ratio_axis(axes) -> None:
    """A logarithmic ordinate about the line at 1, so that twice and half as fast look alike; its
    ticks are as close as the range wants them."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    axes.axhline(1, color="black", linewidth=0.8)
    axes.set_yscale("log")
    low, high = axes.get_ylim()
    span = high / low
    steps = (1, 2, 5) if span < 1000 else (1,)
    if span < 8:
        steps = (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9)
    ticks = [step * 10.0**power for power in range(-6, 7) for step in steps]
    if span < 2:
        apart = 10 if span > 1.3 else 20
        ticks = [k / apart for k in range(1, 1000)]
    axes.yaxis.set_major_locator(FixedLocator([t for t in ticks if low <= t <= high]))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.set_ylim(low, high)


def compact(value: float) -> str:
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if abs(value) >= size:
            scaled = value / (1e3 if letter == "k" else size)
            return f"{scaled:g}{letter}"
    return f"{value:g}"


def mark_part(axes, x: float, low: float, height: float) -> None:
    """The size of one part of a stacked bar, in its middle."""
    axes.text(x, low + height / 2, f"{height:.0f}", ha="center", va="center", fontsize=6,
              bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.6})  # fmt: skip


def mark_failure(axes, x: float, status: str, index: int) -> None:
    """A status in the place of a mark or bar that is missing, in the colour of its series."""
    if status not in ("ok", ""):
        axes.text(x, 0.02, status.upper(), transform=axes.get_xaxis_transform(), rotation=90,
                  fontsize=6, ha="center", va="bottom", color=color(index))  # fmt: skip


def legend_above(figure: Figure, *panels, columns: int) -> None:
    """One legend over all panels: every label once, as the first panel that has it draws it."""
    handles: dict = {}
    for axes in panels:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            handles.setdefault(label, handle)
    if handles:
        legend_of(figure, list(handles.values()), list(handles), columns)


def legend_of(figure: Figure, handles: list, labels: list[str], columns: int) -> None:
    """A legend above all panels."""
    place: dict = {"loc": "outside upper center"}
    if matplotlib.__version_info__ < (3, 7):  # as in Debian 12; saving grows the page to hold it
        place = {"loc": "lower center", "bbox_to_anchor": (0.5, 1.0)}
    figure.legend(handles, labels, ncols=columns, **place)


def message_figure(text: str) -> Figure:
    """Shown if a figure has nothing to show."""
    figure = new_figure(COLUMN_IN, 1.2)
    figure.text(0.5, 0.5, text, ha="center", va="center", wrap=True, fontsize=8)
    return figure
