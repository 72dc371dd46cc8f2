# SPDX-License-Identifier: Apache-2.0
"""How every figure looks: readable in print, in black and white, and by the colour-blind."""

from __future__ import annotations

import logging
from pathlib import Path

import matplotlib
from cycler import cycler
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.ticker import LogFormatterMathtext

COLUMN_IN = 3.5  # one column of a two-column page
PAGE_IN = 7.0  # both

# Okabe and Ito's palette; a grey takes the place of yellow, which is too faint on paper.
COLORS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#56B4E9", "#E69F00", "#7A7A7A"]
MARKERS = ["o", "s", "^", "D", "v", "P", "X", "*"]
HATCHES = ["", "////", "....", "xxxx", "\\\\\\\\", "++++", "oo", "--"]
LINES = ["-", "--", "-.", ":"]
PAPER = "#D0D0D0"  # what bars of the paper's numbers are filled with, in no series' colour

_FONT_PT = 8.0  # the size that `pt` and the sizes of _RC are meant for
_RC = {
    "font.family": "DejaVu Sans",
    "font.size": _FONT_PT,
    "axes.labelsize": 8,
    "axes.titlesize": 8,
    "legend.fontsize": 7,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "axes.prop_cycle": cycler(color=COLORS),
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
    "svg.fonttype": "none",  # the same
    "pgf.rcfonts": False,  # the document's fonts
    "svg.hashsalt": "bfslab",  # the same numbers give the same file
    "text.parse_math": False,  # names may hold "$"; `lay_out` excepts the powers on an axis
    "savefig.dpi": 200,
    "figure.dpi": 100,
}


# The sizes of letters that follow a user's font.size, unless the user sets them too.
_SIZES = [name for name, value in _RC.items() if name.endswith("size") and "marker" not in name]
_asked_width: list[float] = []  # of `use`; empty: each figure has its own


class StyleError(Exception):
    """A style cannot be used; the message says where, what is wrong and how to mend it."""


def use(file: Path | None = None, width: float | None = None) -> None:
    """Sets this package's style, and over it the settings of a style file of matplotlib. A
    matplotlibrc has no effect. With `width`, all figures are that many inches wide. Throws
    StyleError where the file cannot be read or has a setting that matplotlib does not know."""
    matplotlib.rcdefaults()
    matplotlib.use("Agg")
    own = _settings_of(file) if file else {}
    scale = own.get("font.size", _FONT_PT) / _FONT_PT
    sizes = {name: _RC[name] * scale for name in _SIZES}
    matplotlib.rcParams.update(_RC | sizes | own)
    _asked_width[:] = [width] if width else []


def _settings_of(file: Path) -> dict:
    """The settings of a style file."""
    faults: list[str] = []
    handler = logging.Handler(logging.WARNING)  # matplotlib logs what it leaves out
    handler.emit = lambda record: faults.append(record.getMessage())
    log = logging.getLogger("matplotlib")
    spread, log.propagate = log.propagate, False
    log.addHandler(handler)
    try:
        settings = matplotlib.rc_params_from_file(file, use_default_template=False)
    except (OSError, ValueError) as error:
        raise StyleError(f"{file}: {error}; name a style file of matplotlib") from error
    finally:
        log.removeHandler(handler)
        log.propagate = spread
    if faults:
        said = " ".join(faults[0].split())
        raise StyleError(f"{file}: {said}; take the line out or mend it")
    return {name: value for name, value in settings.items() if name != "backend"}


def pt(points: float) -> float:
    """A size of letters meant for our font.size, at the size that is set."""
    return points * float(matplotlib.rcParams["font.size"]) / _FONT_PT


def colors() -> list[str]:
    """The colours of series, in their order: COLORS, or those of the user's style."""
    return matplotlib.rcParams["axes.prop_cycle"].by_key().get("color") or COLORS


def color(index: int) -> str:
    return colors()[index % len(colors())]


def tint(index: int) -> tuple[float, float, float]:
    """A lighter shade of a colour, for stacks with more parts than there are colours."""
    return tuple(0.45 * part + 0.55 for part in to_rgb(color(index)))


def marker(index: int) -> str:
    # Shifted whenever the colours repeat, so that no two series look the same.
    return MARKERS[(index + index // len(colors())) % len(MARKERS)]


def hatch(index: int) -> str:
    return HATCHES[(index + index // len(colors())) % len(HATCHES)]  # as markers


def line(index: int) -> str:
    return LINES[(index + index // len(colors())) % len(LINES)]  # as markers


def new_figure(width: float, height: float) -> Figure:
    """`width` and `height` are inches; a width that `use` was asked for takes precedence."""
    return Figure(figsize=((_asked_width or [width])[0], height), layout="constrained")


def lay_out(figure: Figure) -> None:
    """For good: once is enough for all formats."""
    show_powers(figure)
    engine = figure.get_layout_engine()
    if engine and figure.axes:
        engine.execute(figure)
    figure.set_layout_engine(None)  # not even one that does nothing: saving would draw twice
    of_figure = figure.transFigure
    for legend in figure.legends:  # else they follow the box of what is saved
        place = legend.get_bbox_to_anchor().transformed(of_figure.inverted())
        legend.set_bbox_to_anchor(place, of_figure)


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
    axes.text(x, low + height / 2, f"{height:.0f}", ha="center", va="center", fontsize=pt(6),
              bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.6})  # fmt: skip


def paper_bar(axes, x: float, width: float, value: float, foot: float, hatch: str = ""):
    """A bar of a number that the paper prints, grey in all figures, from `foot` on; returns the
    number above it."""
    known = axes.get_legend_handles_labels()[1]
    axes.bar(x, value - foot, width, foot, color=PAPER, hatch=hatch, edgecolor="black",
             linewidth=0.4, label=None if "paper" in known else "paper")  # fmt: skip
    return axes.annotate(f"{value:g}", (x, max(value, foot)), ha="center", va="bottom",
                         fontsize=pt(6), xytext=(0, 1), textcoords="offset points")  # fmt: skip


def mark_failure(axes, x: float, status: str, index: int) -> None:
    """A status in the place of a mark or bar that is missing, in the colour of its series."""
    if status not in ("ok", ""):
        axes.text(x, 0.02, status.upper(), transform=axes.get_xaxis_transform(), rotation=90,
                  fontsize=pt(6), ha="center", va="bottom", color=color(index))  # fmt: skip


def legend_above(figure: Figure, *panels, columns: int) -> None:
    """One legend over all panels: every label once, as the first panel that has it draws it."""
    handles: dict = {}
    for axes in panels:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            handles.setdefault(label, handle)
    if handles:
        legend_of(figure, list(handles.values()), list(handles), columns)


def legend_of(figure: Figure, handles: list, labels: list[str], columns: int) -> None:
    """A legend above all panels, of as many of the columns as the figure has room for."""
    place: dict = {"loc": "outside upper center"}
    if matplotlib.__version_info__ < (3, 7):  # as in Debian 12; saving grows the page to hold it
        place = {"loc": "lower center", "bbox_to_anchor": (0.5, 1.0)}
    for count in range(min(columns, len(labels)), 0, -1):
        legend = figure.legend(handles, labels, ncols=count, **place)
        if count == 1 or legend.get_window_extent().width <= figure.bbox.width:
            return
        legend.remove()


def message_figure(text: str) -> Figure:
    """Shown if a figure has nothing to show."""
    figure = new_figure(COLUMN_IN, 1.2)
    figure.text(0.5, 0.5, text, ha="center", va="center", wrap=True, fontsize=pt(8))
    return figure
