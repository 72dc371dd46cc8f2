# SPDX-License-Identifier: Apache-2.0
"""Median time of every configuration on every graph, with the spread over sources."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from .. import sentences, stats, style
from ..cells import failure_of, time_cell
from ..drawing import Drawing
from ..grouped_bars import name_groups
from ..labels import graph_label, stand_in_note, wrapped
from ..load import Experiment

COMBINES_MACHINES = True

CAPTION = (
    "Time of one traversal (wall clock of the engine's traverse call, its reset of state "
    "included). Marks: median over sources of the median over repeats; whiskers: from the "
    "fastest source to the slowest. Instrumented and superseded attempts are left out; a "
    "configuration that failed on any source shows the failure instead of a time."
)
STATISTIC = (
    "time [ms]: median over sources of the median over repeats; whiskers: from the fastest source "
    "to the slowest"
)
TIME = "time of a traversal [ms]"
MOST_SERIES = len(style.COLORS)
MOST_GRAPHS = 12
LONG_NAME = 40  # letters


def numbers(experiment: Experiment) -> pd.DataFrame:
    """One row per (series, graph): median, interval and quantiles over sources in ms."""
    rows = []
    order = experiment.series_order
    for graph in experiment.graph_order:
        for series in order:
            here = experiment.timed_cell(graph, series)
            if here.empty:
                continue
            cell = time_cell(here)
            ok = cell.ok
            median = stats.median_time(cell.by_invocation if ok else cell.by_invocation[:0])
            rows.append(
                {
                    "machine": experiment.machine,
                    "graph": graph,
                    "stand_in_for": experiment.stand_in_for(graph),
                    "case": here.iloc[0]["case"],
                    "series": series,
                    "sources": len(cell.times_ms),
                    "runs": cell.runs,
                    "median_ms": median.value,
                    "median_low95_ms": median.low,
                    "median_high95_ms": median.high,
                    "fastest_ms": cell.times_ms.min() if ok else float("nan"),
                    "slowest_ms": cell.times_ms.max() if ok else float("nan"),
                    "q10_ms": stats.quantile(cell.times_ms, 0.1) if ok else float("nan"),
                    "q25_ms": stats.quantile(cell.times_ms, 0.25) if ok else float("nan"),
                    "q75_ms": stats.quantile(cell.times_ms, 0.75) if ok else float("nan"),
                    "q90_ms": stats.quantile(cell.times_ms, 0.9) if ok else float("nan"),
                    "status": cell.failure.lower() or ("ok" if ok else ""),
                    "reason": cell.reason,
                }
            )
    return pd.DataFrame(rows, columns=_COLUMNS)


_COLUMNS = (
    "machine,graph,stand_in_for,case,series,sources,runs,median_ms,median_low95_ms,"
    "median_high95_ms,fastest_ms,slowest_ms,q10_ms,q25_ms,q75_ms,q90_ms,status,reason"
).split(",")


def draw(experiments: list[Experiment]) -> list[Drawing]:
    frames = [numbers(experiment) for experiment in experiments]
    table = pd.concat(frames, ignore_index=True)
    caption = _caption(experiments)
    if table.empty or not (table["status"] == "ok").any():
        what = "no rows yet" if table.empty else "no configuration succeeded"
        figure = style.message_figure(f"{experiments[0].name}: {what}")
        return [Drawing("engines_by_graph", figure, table, caption)]
    return [Drawing("engines_by_graph", lambda: _panels(experiments, frames), table, caption)]


def _panels(experiments: list[Experiment], frames: list[pd.DataFrame]) -> Figure:
    """Marks of configurations in their colours over the graphs, as far as there are colours and
    room; else rows with names at the left: of configurations, or of graphs."""
    series = list(dict.fromkeys(s for e in experiments for s in e.series_order))
    if len(series) > MOST_SERIES:
        return _by_configuration(experiments, frames, series)
    names = [
        graph_label(e, g) for e, f in zip(experiments, frames, strict=True) for g in set(f["graph"])
    ]
    each = len(names) / len(experiments)
    if len(series) > 1 and (each > MOST_GRAPHS or (max(map(len, names)) > LONG_NAME and each > 4)):
        return _by_graph(experiments, frames, series)
    height = 2.3 * len(experiments) + 0.25 * (len(series) // 4 + 1) + 0.3
    figure = style.new_figure(style.PAGE_IN, height)
    panels = figure.subplots(len(experiments), 1, squeeze=False, sharey=True)[:, 0]
    for axes, experiment, frame in zip(panels, experiments, frames, strict=True):
        graphs = _graphs(experiment, frame)
        axes.set_yscale("log")
        for index, name in enumerate(series):
            place = 0.8 * (index + 0.5) / len(series) - 0.4
            rows = frame[frame["series"] == name]
            at = [graphs.index(graph) + place for graph in rows["graph"]]
            _marks(axes, at, rows, index, name)
        for position in range(1, len(graphs)):
            axes.axvline(position - 0.5, color="#D0D0D0", linewidth=0.6)
        _name_graphs(axes, [graph_label(experiment, g) for g in graphs])
        axes.tick_params(axis="x", length=0)
        axes.set_xlim(-0.5, len(graphs) - 0.5)
        axes.grid(False, axis="x")
        axes.set_ylabel(TIME)
        style.plain_log_ticks(axes.yaxis)
        if len(experiments) > 1:
            axes.set_title(experiment.machine, loc="left")
    style.legend_above(figure, panels[0], columns=4)
    return figure


def _graphs(experiment: Experiment, frame: pd.DataFrame) -> list[str]:
    return [g for g in experiment.graph_order if g in set(frame["graph"])]


def _marks(axes, at: list[float], rows: pd.DataFrame, index: int, name: str | None,
           across: bool = False) -> None:  # fmt: skip
    """Medians with whiskers to the fastest and the slowest source, upright or `across`, and
    failures in their places. `index` is that of the colour."""
    good = (rows["status"] == "ok").to_numpy()
    middle = rows["median_ms"][good]
    spread = [middle - rows["fastest_ms"][good], rows["slowest_ms"][good] - middle]
    places = [place for place, ok in zip(at, good, strict=True) if ok]
    x, y = (middle, places) if across else (places, middle)
    ends = {"xerr" if across else "yerr": spread}
    axes.errorbar(x, y, **ends, label=name, linestyle="none", capsize=1.5, elinewidth=0.8,
                  color=style.color(index), marker=style.marker(index))  # fmt: skip
    for place, status in zip(at, rows["status"], strict=True):
        if across and status not in ("ok", ""):
            axes.text(0.01, place, status.upper(), transform=axes.get_yaxis_transform(),
                      fontsize=style.pt(6), va="center", color=style.color(index))  # fmt: skip
        elif status != "ok":
            style.mark_failure(axes, place, status, index)


def _by_configuration(experiments: list[Experiment], frames: list[pd.DataFrame],
                      series: list[str]) -> Figure:  # fmt: skip
    """A panel for each graph with a row for each configuration, machines in their colours. A line
    joins the values of a sweep."""
    frame = pd.concat(frames, ignore_index=True)
    graphs = list(dict.fromkeys(frame["graph"]))
    across = min(len(graphs), 2 if len(graphs) == 4 else 3)
    down = -(-len(graphs) // across)
    figure = style.new_figure(style.PAGE_IN, down * (0.5 + 0.13 * len(series)) + 0.3)
    grid = figure.subplots(down, across, squeeze=False, sharey=True)
    several = len(experiments) > 1
    for axes, graph in zip(grid.flat, graphs, strict=False):
        axes.set_xscale("log")
        here = frame[frame["graph"] == graph]
        for index, experiment in enumerate(experiments):
            rows = here[here["machine"] == experiment.machine]
            at = [series.index(name) for name in rows["series"]]
            step = 0.5 * (index - (len(experiments) - 1) / 2) / len(experiments)
            name = experiment.machine if several else None
            _marks(axes, [y + step for y in at], rows, index, name, across=True)
            for _, swept in rows.groupby("case", sort=False):
                if len(swept) > 2:
                    places = [series.index(name) + step for name in swept["series"]]
                    axes.plot(swept["median_ms"], places, color=style.color(index), linewidth=0.8)
        axes.set_title(wrapped(graph_label(experiments[0], graph), 30))
        axes.set_yticks(range(len(series)), series, fontsize=style.pt(6))
        axes.set_ylim(len(series) - 0.5, -0.5)
        style.plain_log_ticks(axes.xaxis)
    for axes in grid.flat[len(graphs) :]:
        axes.set_visible(False)
    figure.supxlabel(TIME, fontsize=style.pt(8))
    style.legend_above(figure, grid.flat[0], columns=4)
    return figure


def _by_graph(experiments: list[Experiment], frames: list[pd.DataFrame],
              series: list[str]) -> Figure:  # fmt: skip
    """A row for each graph, with its name in one line, and a panel for each machine."""
    graphs = list(dict.fromkeys(g for f in frames for g in f["graph"]))
    row = max(0.13, 0.045 * len(series) + 0.04)
    figure = style.new_figure(style.PAGE_IN, row * len(graphs) + 0.9)
    panels = figure.subplots(1, len(experiments), squeeze=False, sharey=True)[0]
    for axes, experiment, frame in zip(panels, experiments, frames, strict=True):
        axes.set_xscale("log")
        for index, name in enumerate(series):
            place = 0.7 * (index + 0.5) / len(series) - 0.35
            rows = frame[frame["series"] == name]
            _marks(axes, [graphs.index(g) + place for g in rows["graph"]], rows, index, name,
                   across=True)  # fmt: skip
        for position in range(1, len(graphs)):
            axes.axhline(position - 0.5, color="#D0D0D0", linewidth=0.6)
        names = [graph_label(experiments[0], graph, " ") for graph in graphs]
        axes.set_yticks(range(len(graphs)), names, fontsize=style.pt(6))
        axes.set_ylim(len(graphs) - 0.5, -0.5)
        axes.tick_params(axis="y", length=0)
        axes.grid(False, axis="y")
        axes.set_xlabel(TIME)
        style.plain_log_ticks(axes.xaxis)
        if len(experiments) > 1:
            axes.set_title(experiment.machine, loc="left")
    style.legend_above(figure, panels[0], columns=4)
    return figure


def _name_graphs(axes, labels: list[str]) -> None:
    """Upright where every line has room, else turned as those of bars are."""
    room = int(92 / max(len(labels), 1))
    upright = [wrapped(label, max(12, room)) for label in labels]
    if all(len(line) <= max(10, room) for label in upright for line in label.split("\n")):
        axes.set_xticks(range(len(labels)), upright)
    else:
        name_groups(axes, [wrapped(label, 24) for label in labels])


def _caption(experiments: list[Experiment]) -> str:
    first = experiments[0]
    parts = [first.spec.get("title", ""), CAPTION, stand_in_note(first, first.graph_order)]
    if len(experiments) > 1:
        parts.append(
            "Machines are drawn separately: absolute times of different machines do not compare."
        )
    failed = sorted({failure_of(e.timed)[0] for e in experiments} - {""})
    if failed:
        parts.append(f"Failures: see status and reason in the CSV ({', '.join(failed)}).")
    return " ".join(p.rstrip(".") + "." for p in parts if p)


def finding(drawing: Drawing, experiments: list[Experiment]) -> str:
    statistic = "median over sources of the median over repeats"
    paired = sentences.pairs(experiments)
    return sentences.best(drawing.numbers, "median_ms", "series", statistic, paired=paired)
