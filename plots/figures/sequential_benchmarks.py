# SPDX-License-Identifier: Apache-2.0
"""cs406 Table 1: the best sequential implementation against a sequential benchmark."""

from __future__ import annotations

import math

import pandas as pd

from .. import style, table
from ..cells import number, time_cell
from ..drawing import Drawing
from ..labels import graph_label, stand_in_note, wrapped
from ..load import Experiment
from ..paper import paper_table
from ..side_by_side import Column, Section, build, columns_for, paper_value

CAPTION = (
    "The best implementation at one thread (hybrid, as in the paper) against a sequential "
    "benchmark. The paper does not say whose code its benchmark is; ours is the textbook "
    "algorithm of its section 3 (engine sequential). Time: median over sources of the median "
    "over repeats. The ratio benchmark / hybrid does not depend on the unit, only on graph and "
    "machine; above 1 hybrid is faster."
)
STATISTIC = "time: median over sources of the median over repeats; ratio of these"

# The paper's words, and which of our rows they mean.
ROWS = {"Given benchmark": "sequential", "Our implementation": "hybrid"}
RATIO = "Benchmark / implementation"


def numbers(experiment: Experiment) -> pd.DataFrame:
    paper = paper_table(experiment.name)
    timed = experiment.timed
    rows = []
    for graph in experiment.graph_order:
        cells = {}
        for name, engine in ROWS.items():
            here = timed[
                (timed["graph"] == graph) & (timed["engine"] == engine) & (timed["threads"] == 1)
            ]
            cells[name] = time_cell(here)
            rows.append(
                {
                    "origin": "ours",
                    "graph": graph,
                    "stand_in_for": experiment.stand_in_for(graph),
                    "row": name,
                    "engine": engine,
                    "status": cells[name].failure.lower() or ("ok" if cells[name].ok else ""),
                    "value": cells[name].median_ms / 1e3,
                    "unit": "s",
                }
            )
        benchmark, best = (cells[name].median_ms for name in ROWS)
        rows.append({**rows[-1], "row": RATIO, "engine": "", "value": benchmark / best, "unit": ""})
    for graph in paper.graphs if paper else []:
        values = []
        for name in ROWS:
            text = paper.cell(graph, "time", name)
            values.append(float(text) if text not in ("", "-") else float("nan"))
            rows.append(
                {"origin": "paper", "graph": graph, "row": name, "value": values[-1], "unit": "s"}
            )
        rows.append(
            {"origin": "paper", "graph": graph, "row": RATIO, "value": values[0] / values[1]}
        )
    columns = ["origin", "graph", "stand_in_for", "row", "engine", "status", "value", "unit"]
    return pd.DataFrame(rows, columns=columns)


def draw(experiments: list[Experiment]) -> list[Drawing]:
    experiment = experiments[0]
    paper = paper_table(experiment.name)
    frame = numbers(experiment)
    note = stand_in_note(experiment, experiment.graph_order)
    caption = f"{CAPTION} {note}".strip()
    if experiment.timed.empty:
        figure = style.message_figure(f"{experiment.name}: no rows yet")
        return [Drawing("sequential_benchmarks", figure, frame, caption)]

    def value(origin: str, graph: str, row: str) -> tuple[str, float | None]:
        hit = frame[(frame["origin"] == origin) & (frame["graph"] == graph) & (frame["row"] == row)]
        if hit.empty:
            return "", None
        found = float(hit.iloc[0]["value"])
        if not math.isnan(found):
            return number(found), found
        status = str(hit.iloc[0]["status"])
        return (status.upper() if status not in ("ok", "nan", "") else ""), None

    def ours(column: Column, keys: tuple[str, ...]):
        return value("ours", column.ours, keys[0])

    def theirs(column: Column, keys: tuple[str, ...]):
        if keys[0] == RATIO:
            return value("paper", column.paper, RATIO)
        return paper_value(paper, column.paper, "time", keys[0])

    columns = columns_for(experiment, paper)
    shape = build(
        columns, ["Time [s]"], [(r,) for r in (*ROWS, RATIO)], [Section("", ours, theirs)]
    )
    shape.note = note
    return [
        Drawing("sequential_benchmarks", ratios(experiment, frame, columns), frame, caption),
        Drawing(
            "sequential_benchmarks_table", table.draw(shape), frame, caption, table.markdown(shape)
        ),
    ]


def ratios(experiment: Experiment, frame: pd.DataFrame, columns: list[Column]):
    """Bars of benchmark / implementation, ours and the paper's."""
    figure = style.new_figure(style.PAGE_IN, 2.4)
    axes = figure.subplots()
    ratio = frame[frame["row"] == RATIO].set_index(["origin", "graph"])["value"]
    for index, (origin, label) in enumerate((("ours", "ours"), ("paper", "paper"))):
        heights = [
            ratio.get((origin, c.ours if origin == "ours" else c.paper), math.nan) for c in columns
        ]
        places = [i - 0.19 + 0.38 * index for i in range(len(columns))]
        bars = axes.bar(
            places,
            heights,
            0.36,
            label=label,
            color=style.color(index),
            hatch=style.hatch(index),
            edgecolor="black",
            linewidth=0.5,
        )
        axes.bar_label(
            bars,
            [number(h, 2) if h == h else "" for h in heights],
            fontsize=6,
            padding=1.5,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.3},
        )
    axes.axhline(1, color="black", linewidth=0.6, zorder=1.5)
    names = [
        graph_label(experiment, c.ours) if c.ours else f"{c.paper}\n(not run here)" for c in columns
    ]
    axes.set_xticks(range(len(columns)), [wrapped(name, 15) for name in names], fontsize=6.5)
    axes.grid(False, axis="x")
    axes.set_ylabel("time of benchmark /\ntime of hybrid, 1 thread")
    axes.legend(loc="upper right", ncols=2)
    axes.margins(y=0.18)
    return figure
