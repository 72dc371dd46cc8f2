# SPDX-License-Identifier: Apache-2.0
"""cs406 Tables 2 to 5: time, speed-up, efficiency and MTEPS against threads, beside the paper's."""

from __future__ import annotations

import math

import pandas as pd

from .. import ratio_lines, ratios, scaling, style, table
from ..drawing import Drawing
from ..labels import graph_label, stand_in_note, wrapped
from ..load import Experiment
from ..paper import PaperTable, paper_for
from ..side_by_side import FLAG, FLAG_NOTE, Column, Section, build, columns_for, paper_value

CAPTION = (
    "Time: median over sources of the median over repeats. Speed-up: over {baseline} at one "
    "thread on the same graph and machine; efficiency: that over the threads. "
    + ratios.SAID_IN_NUMBERS
    + "MTEPS, examined: "
    "adjacency entries read (counted in an instrumented run of the same source) over time, the "
    "definition that the paper mostly uses, which rewards wasted checks; MTEPS, component: "
    "edges of the traversed component over time; both harmonic means over sources. "
)
STATISTIC = (
    "time: median over sources of the median over repeats; speed-up and efficiency: ratio of "
    f"times, source by source: {ratio_lines.STATISTIC}; MTEPS: harmonic means over sources"
)
APART = (
    "The paper's numbers come from 2 x Xeon E5-2620 v4 (16 cores): absolute times of different "
    "machines and graphs do not compare; the shapes do."
)

METRICS = [  # title, our column, the paper's metric, y axis is logarithmic
    ("Execution time [s]", "time_s", "time", True),
    ("Speed-up", "speedup", "speedup", False),
    ("Efficiency", "efficiency", "efficiency", False),
    ("MTEPS, edges examined / time", "mteps_examined", "mteps", True),
    ("MTEPS, component edges / time", "mteps_component", "", True),
]


def draw(experiments: list[Experiment]) -> list[Drawing]:
    experiment = experiments[0]
    paper = paper_for(experiment)
    ours = scaling.scaling(experiment)
    methods = shown_methods(experiment, ours, paper)
    numbers = with_paper(ours, methods, paper)
    baseline = experiment.spec.get("baseline") or "hybrid"
    note = stand_in_note(experiment, experiment.graph_order)
    caption = " ".join(
        part
        for part in (
            experiment.spec.get("title", "").rstrip(".") + "."
            if experiment.spec.get("title")
            else "",
            CAPTION.format(baseline=baseline).strip(),
            APART if paper else "",
            scaling.turned_note(numbers).strip(),
            note,
        )
        if part
    )
    if not ours["method"].isin(methods).any():
        figure = style.message_figure(f"{experiment.name}: no rows yet")
        return [Drawing("thread_scaling", figure, numbers, caption)]
    columns = columns_for(experiment, paper)
    shape = scaling_table(numbers, methods, columns, paper, note)
    return [
        Drawing(
            "thread_scaling",
            lambda: curves(experiment, numbers, methods, columns),
            numbers,
            caption,
        ),
        Drawing(
            "thread_scaling_table",
            shape,
            numbers,
            caption,
            scaling.STATISTIC,
        ),
    ]


def shown_methods(
    experiment: Experiment, numbers: pd.DataFrame, paper: PaperTable | None
) -> list[str]:
    """The methods of the paper's table, then the other cases but the baseline; without a table,
    all that take threads."""
    present = list(dict.fromkeys(numbers["method"]))
    if paper:
        beside = {*paper.methods, experiment.spec.get("baseline")}
        shown = [m for m in paper.methods if m in present]
        return shown + [m for m in present if m not in beside] or paper.methods
    threaded = set(
        numbers.loc[numbers.groupby("case")["threads"].transform("nunique") > 1, "method"]
    )
    return [m for m in present if m in threaded] or present


def with_paper(numbers: pd.DataFrame, methods: list[str], paper: PaperTable | None) -> pd.DataFrame:
    """Our rows and the paper's in one tidy frame, distinguished by `origin`."""
    ours = numbers.assign(origin="ours", note="")
    if paper is None:
        return ours
    rows = []
    for method in (m for m in methods if m in paper.methods):
        for graph in paper.graphs:
            for threads in paper.threads:
                row = {"graph": graph, "method": method, "threads": threads, "origin": "paper"}
                notes = []
                for _, column, metric, _ in METRICS:
                    if metric:
                        text = paper.cell(graph, metric, method, threads)
                        row[column] = float(text) if text not in ("", "-") else float("nan")
                        if paper.flagged(graph, metric, method, threads):
                            notes.append(metric)
                row["status"] = "" if math.isnan(row["time_s"]) else "ok"
                row["note"] = f"inconsistent in the paper: {', '.join(notes)}" if notes else ""
                rows.append(row)
    return pd.concat([ours, pd.DataFrame(rows)], ignore_index=True)


def scaling_table(
    numbers: pd.DataFrame,
    methods: list[str],
    columns: list[Column],
    paper: PaperTable | None,
    note: str = "",
) -> table.Table:
    shown = numbers[numbers["method"].isin(methods)]
    rows = [
        (method, f"t={threads}")
        for method in methods
        for threads in sorted(set(shown.loc[shown["method"] == method, "threads"].astype(int)))
    ]

    cells = scaling.our_cells(numbers)

    def section(title: str, column: str | tuple[str, str], metric: str) -> Section:
        def ours(graph: Column, keys: tuple[str, ...]):
            return scaling.our_value(cells, graph.ours, keys, column)

        def theirs(graph: Column, keys: tuple[str, ...]):
            if not metric:
                return "", None
            return paper_value(paper, graph.paper, metric, keys[0], int(keys[1][2:]))

        best = min if column == "time_s" else None if isinstance(column, tuple) else max
        return Section(title, ours, theirs, best if len(methods) > 1 else None)

    sections = [section(title, column, metric) for title, column, metric, _ in METRICS]
    after = next(k for k, metric in enumerate(METRICS, 1) if metric[1] == "speedup")
    sections[after:after] = [section(title, ends, "") for title, ends in scaling.SPANS]
    shape = build(columns, ["Method", "Threads"], rows, sections)
    flagged = any(FLAG in cell for row in shape.rows for cell in row.cells)
    shape.note = " ".join(part for part in (note, FLAG_NOTE if flagged else "") if part)
    return shape


def curves(
    experiment: Experiment, numbers: pd.DataFrame, methods: list[str], columns: list[Column]
):
    """A row per metric, a column per graph; ours solid and filled, the paper's dashed, hollow."""
    columns = [c for c in columns if c.ours]
    metrics = [m for m in METRICS if numbers.loc[numbers["origin"] == "ours", m[1]].notna().any()]
    metrics = metrics or METRICS[:1]
    width = max(4.5, min(style.PAGE_IN, 0.9 + 1.35 * len(columns)))
    if len(columns) > 6:
        width = 0.9 + 1.05 * len(columns)
    figure = style.new_figure(width, 1.25 * len(metrics) + 0.8)
    grid = figure.subplots(len(metrics), len(columns), squeeze=False, sharex=True, sharey="row")
    suffix = ", ours" if (numbers["origin"] == "paper").any() else ""
    for i, (title, column, metric, log) in enumerate(metrics):
        for j, graph in enumerate(columns):
            axes = grid[i][j]
            for k, method in enumerate(methods):
                ours = pick(numbers, "ours", graph.ours, method)
                draw_curve(axes, ours, column, k, f"{method}{suffix}", True)
                failure = next((s for s in ours["status"] if s not in ("", "ok")), "")
                if failure and i == 0:
                    axes.text(
                        0.5,
                        0.9 - 0.16 * k,
                        failure.upper(),
                        transform=axes.transAxes,
                        fontsize=style.pt(6),
                        ha="center",
                        color=style.color(k),
                        bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5},
                    )
                if metric and graph.paper:
                    theirs = pick(numbers, "paper", graph.paper, method)
                    draw_curve(axes, theirs, column, k, f"{method}, paper", False)
            axes.set_xscale("log", base=2)
            if log:
                axes.set_yscale("log")
            if i == 0:
                label = graph_label(experiment, graph.ours)
                axes.set_title(wrapped(label, 17), fontsize=style.pt(6.5))
            if j == 0:
                axes.set_ylabel(
                    wrapped(f"{title}, log axis" if log else title, 17), fontsize=style.pt(7)
                )
        if log:
            style.plain_log_ticks(grid[i][0].yaxis)
        else:
            grid[i][0].set_ylim(bottom=0)
    threads = sorted(set(numbers["threads"].astype(int)))
    for axes in grid[-1]:
        axes.set_xticks(threads, [str(t) for t in threads])
        axes.minorticks_off()
        axes.set_xlim(min(threads) / 1.3, max(threads) * 1.3)
    figure.supxlabel("threads", fontsize=style.pt(8))
    style.legend_above(figure, *grid.flat, columns=4)
    return figure


def pick(numbers: pd.DataFrame, origin: str, graph: str, method: str) -> pd.DataFrame:
    rows = numbers[
        (numbers["origin"] == origin) & (numbers["graph"] == graph) & (numbers["method"] == method)
    ]
    return rows.sort_values("threads")


def draw_curve(axes, rows: pd.DataFrame, column: str, index: int, label: str, ours: bool) -> None:
    known = rows[rows[column].notna()]
    if known.empty:
        return
    look = {
        "label": label,
        "color": style.color(index),
        "marker": style.marker(index),
        "linestyle": "-" if ours else "--",
        "markerfacecolor": style.color(index) if ours else "white",
        "linewidth": 1.2 if ours else 0.9,
        "markersize": 3.5,
    }
    if ours and column in ("speedup", "efficiency"):
        scale = 1.0 if column == "speedup" else 1 / known["threads"]
        ratio_lines.draw(axes, known["threads"], known, scale=scale, **look)
    else:
        axes.plot(known["threads"], known[column], **look)


def finding(drawing: Drawing, experiments: list[Experiment]) -> str:
    return scaling.threads_sentence(drawing.numbers, experiments[0])
