# SPDX-License-Identifier: Apache-2.0
"""Median time of every configuration on every graph, with the spread over sources."""

from __future__ import annotations

import pandas as pd

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
    "time [ms]: median over sources of the median over repeats, and from the fastest source to "
    "the slowest"
)


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


def _panels(experiments: list[Experiment], frames: list[pd.DataFrame]):
    """One below the other, of each machine."""
    series = list(dict.fromkeys(s for e in experiments for s in e.series_order))
    height = 2.3 * len(experiments) + 0.25 * (len(series) // 4 + 1) + 0.3
    figure = style.new_figure(style.PAGE_IN, height)
    panels = figure.subplots(len(experiments), 1, squeeze=False, sharey=True)[:, 0]
    for axes, experiment, frame in zip(panels, experiments, frames, strict=True):
        _panel(axes, experiment, frame, series)
        if len(experiments) > 1:
            axes.set_title(experiment.machine, loc="left")
    style.legend_above(figure, panels[0], columns=4)
    return figure


def _panel(axes, experiment: Experiment, frame: pd.DataFrame, series: list[str]) -> None:
    graphs = [g for g in experiment.graph_order if g in set(frame["graph"])]
    step = 0.8 / max(len(series), 1)
    axes.set_yscale("log")
    failures = []
    for index, name in enumerate(series):
        rows = frame[frame["series"] == name].set_index("graph")
        places, middle, low, high = [], [], [], []
        for position, graph in enumerate(graphs):
            x = position - 0.4 + step * (index + 0.5)
            if graph not in rows.index:
                continue
            row = rows.loc[graph]
            if row["status"] == "ok":
                places.append(x)
                middle.append(row["median_ms"])
                low.append(row["median_ms"] - row["fastest_ms"])
                high.append(row["slowest_ms"] - row["median_ms"])
            elif row["status"]:
                failures.append((x, row["status"].upper(), style.color(index)))
        axes.errorbar(
            places,
            middle,
            yerr=[low, high],
            label=name,
            linestyle="none",
            capsize=1.5,
            color=style.color(index),
            marker=style.marker(index),
            elinewidth=0.8,
            markerfacecolor=style.color(index) if index < 8 else "white",
        )
    for x, text, color in failures:
        axes.text(
            x,
            0.02,
            text,
            transform=axes.get_xaxis_transform(),
            rotation=90,
            fontsize=6,
            ha="center",
            va="bottom",
            color=color,
        )
    for position in range(1, len(graphs)):
        axes.axvline(position - 0.5, color="#D0D0D0", linewidth=0.6)
    _name_graphs(axes, [graph_label(experiment, g) for g in graphs])
    axes.tick_params(axis="x", length=0)
    axes.set_xlim(-0.5, len(graphs) - 0.5)
    axes.grid(False, axis="x")
    axes.set_ylabel("time of a traversal [ms]")
    style.plain_log_ticks(axes.yaxis)


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
