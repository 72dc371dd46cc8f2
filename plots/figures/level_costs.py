# SPDX-License-Identifier: Apache-2.0
"""The time of a level of a search, by its frontier and its technique."""

from __future__ import annotations

import numpy as np
import pandas as pd

from .. import sentences, style
from ..drawing import Drawing
from ..labels import graph_label, stand_in_note
from ..level_times import level_times
from ..load import Experiment

CAPTION = (
    "Every level of every source's search: how long it took against the vertices of its frontier, "
    "by how it ran. Levels whose frontiers lie between two powers of two are one mark, at the "
    "median, with a line from the fastest to the slowest. Above each panel stands what share of "
    "the time of all levels each way had. The times come from instrumented searches. "
)
STATISTIC = "time [us] of a level: median, fastest and slowest of all sources, by size of frontier"
COLUMNS = (
    "graph,stand_in_for,case,direction,technique,frontier_from,frontier_median,levels,median_us,"
    "fastest_us,slowest_us,share"
).split(",")


def numbers(experiment: Experiment) -> pd.DataFrame:
    """One row per (graph, case, way, frontiers between two powers of two); `share` is the way's and
    size's part of the times of all levels of the graph and case."""
    times = level_times(experiment)
    times["time_us"] = 1e3 * times[["generation_ms", "traversal_ms"]].sum(axis=1, min_count=1)
    frontier = experiment.levels.groupby(["trial", "level"], as_index=False).agg(
        frontier=("frontier_vertices", "sum")
    )
    runs = experiment.instrumented[["trial", "graph", "case"]]
    joined = times.merge(frontier, on=["trial", "level"]).merge(runs, on="trial")
    joined = joined[(joined["frontier"] > 0) & joined["time_us"].notna()]
    joined["frontier_from"] = 2 ** np.floor(np.log2(joined["frontier"].astype(float))).astype(int)
    rows = []
    for graph in experiment.graph_order:
        for case in experiment.case_order:
            here = joined[(joined["graph"] == graph) & (joined["case"] == case)]
            total = here["time_us"].sum()
            by = ["direction", "technique", "frontier_from"]
            for (direction, technique, first), levels in here.groupby(by):
                rows.append(
                    {
                        "graph": graph,
                        "stand_in_for": experiment.stand_in_for(graph),
                        "case": case,
                        "direction": direction,
                        "technique": technique,
                        "frontier_from": int(first),
                        "frontier_median": levels["frontier"].median(),
                        "levels": len(levels),
                        "median_us": levels["time_us"].median(),
                        "fastest_us": levels["time_us"].min(),
                        "slowest_us": levels["time_us"].max(),
                        "share": levels["time_us"].sum() / total,
                    }
                )
    return pd.DataFrame(rows, columns=COLUMNS)


def way(row: pd.Series | dict, cases: int) -> str:
    """Names a mark: "merge path, top-down", after its case where there are several."""
    name = f"{row['technique'].replace('_', ' ')}, {row['direction'].replace('_', '-')}"
    return f"{row['case']}: {name}" if cases > 1 else name


def draw(experiments: list[Experiment]) -> list[Drawing]:
    experiment = experiments[0]
    frame = numbers(experiment)
    caption = f"{CAPTION}{stand_in_note(experiment, experiment.graph_order)}".strip()
    if frame.empty:
        figure = style.message_figure(f"{experiment.name}: no instrumented rows yet")
        return [Drawing("level_costs", figure, frame, caption)]
    cases = frame["case"].nunique()
    frame = frame.assign(way=[way(row, cases) for row in frame.to_dict("records")])
    numbers_drawn = frame.drop(columns="way")
    return [Drawing("level_costs", lambda: panels(experiment, frame), numbers_drawn, caption)]


def panels(experiment: Experiment, frame: pd.DataFrame):
    """One of each graph."""
    ways = list(dict.fromkeys(frame.sort_values(["case", "frontier_from"])["way"]))
    graphs = list(dict.fromkeys(frame["graph"]))
    across = min(len(graphs), 2)
    down = -(-len(graphs) // across)
    width = style.PAGE_IN if across > 1 else style.COLUMN_IN * 1.4
    figure = style.new_figure(width, 2.2 * down + 0.3)
    grid = list(figure.subplots(down, across, squeeze=False).flat)
    for axes, graph in zip(grid, graphs, strict=False):
        panel(axes, frame[frame["graph"] == graph], ways)
        axes.set_title(
            f"{graph_label(experiment, graph, ' ')}\n{shares(frame, graph)}",
            loc="left",
            fontsize=style.pt(7),
        )
    for axes in grid[len(graphs) :]:
        axes.set_visible(False)
    style.legend_above(figure, *grid[: len(graphs)], columns=3)
    return figure


def shares(frame: pd.DataFrame, graph: str) -> str:
    """ "first neighbors 71 %, merge path 22 %, one block 7 %", two in a line; of the first case."""
    here = frame[frame["graph"] == graph]
    here = here[here["case"] == here.iloc[0]["case"]]
    by_technique = here.groupby("technique")["share"].sum().sort_values(ascending=False)
    parts = [f"{t.replace('_', ' ')} {100 * s:.0f} %" for t, s in by_technique.items()]
    return ",\n".join(", ".join(parts[i : i + 2]) for i in range(0, len(parts), 2))


def panel(axes, rows: pd.DataFrame, ways: list[str]) -> None:
    axes.set_xscale("log")
    axes.set_yscale("log")
    for index, name in enumerate(ways):
        here = rows[rows["way"] == name]
        if here.empty:
            continue
        middle = here["median_us"]
        axes.errorbar(
            here["frontier_median"],
            middle,
            yerr=[middle - here["fastest_us"], here["slowest_us"] - middle],
            fmt=style.marker(index),
            color=style.color(index),
            label=name,
            linewidth=0.8,
            capsize=1.5,
        )
    axes.set_xlabel("frontier [vertices]")
    axes.set_ylabel("time of a level [us]")
    style.plain_log_ticks(axes.xaxis)
    style.plain_log_ticks(axes.yaxis)


def finding(drawing: Drawing, experiments: list[Experiment]) -> str:
    frame = drawing.numbers
    if frame.empty:
        return ""
    cases = frame["case"].nunique()
    frame = frame.assign(way=[way(row, cases) for row in frame.to_dict("records")])
    keys = ["graph", "stand_in_for", "way"]
    parts = frame.groupby(keys, sort=False)["share"].sum().reset_index()
    first = parts.loc[parts.groupby("graph", sort=False)["share"].idxmax()]
    top = first["way"].value_counts(sort=False).idxmax()
    mine = first[first["way"] == top]
    ends = sentences.ends(mine, "share", sentences.percent)
    graphs = sentences.several(len(first), "graph")
    return (
        f"Levels by {sentences.name(top)} take the largest part of the time of all levels on "
        f"{len(mine)} of {graphs}, {ends}, by sums over all sources."
    )
