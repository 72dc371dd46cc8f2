# SPDX-License-Identifier: Apache-2.0
"""xbfs Figure 9: a vertex's degree against the neighbours that it actually reads in bottom-up."""

from __future__ import annotations

import math

import pandas as pd

from .. import sentences, style
from ..drawing import Drawing
from ..labels import graph_label, stand_in_note
from ..load import Experiment
from ..measures import counted
from ..xbfs import never_bottom_up_note

CAPTION = (
    "How often an unvisited vertex of a given degree read a given number of its neighbours in a "
    "bottom-up level: all levels, all sources, binned by powers of two, darker is more often "
    "(logarithmic). Dots are the mean of each bin of degrees, crosses the most that one look read, "
    "both exact; on the dashed line a vertex reads its whole row. The paper plots single vertices "
    "of one search, so its extremes are our crosses, and most of its points are in our darkest "
    "cells. The first neighbours of a row decide how soon a look ends, so the counts hold for this "
    "order of neighbour lists. Looks of a level whose frontier is small read on to the end of the "
    "row and are near the dashed line: they come from vertices found late or never. "
)
STATISTIC = "exact counts over all sources and levels; dots: means of bins"
COLUMNS = "graph,stand_in_for,case,row,degree_from,checks_from,value".split(",")


def numbers(experiment: Experiment) -> pd.DataFrame:
    """Over all sources; `row` is looks (of a cell), or mean_checks, max_checks or mean_degree (of a
    bin of degrees)."""
    table = counted(experiment, "xbfs-model")
    table = table[table["part"].str.startswith("degree=")]
    rows = []
    for (graph, case), here in table.groupby(["graph", "case"], sort=False):
        lead = {"graph": graph, "stand_in_for": experiment.stand_in_for(graph), "case": case}
        cells = here[here["metric"] == "looks"].groupby("part")["value"].sum()
        looks: dict[int, float] = {}
        for part, value in cells.items():
            degree, checks = (int(item.split("=")[1]) for item in part.split(","))
            looks[degree] = looks.get(degree, 0) + value
            rows.append(lead | {"row": "looks", "degree_from": degree, "checks_from": checks,
                                "value": value})  # fmt: skip
        for degree in sorted(looks):
            of_bin = here[here["part"] == f"degree={degree}"]
            for row, metric in (("mean_checks", "checks"), ("mean_degree", "degrees")):
                total = of_bin[of_bin["metric"] == metric]["value"].sum()
                rows.append(lead | {"row": row, "degree_from": degree,
                                    "value": total / looks[degree]})  # fmt: skip
            most = of_bin[of_bin["metric"] == "checks_max"]["value"].max()
            rows.append(lead | {"row": "max_checks", "degree_from": degree, "value": most})
    return pd.DataFrame(rows, columns=COLUMNS)


def draw(experiments: list[Experiment]) -> list[Drawing]:
    experiment = experiments[0]
    frame = numbers(experiment)
    note = stand_in_note(experiment, list(dict.fromkeys(frame["graph"])))
    seen = what_is_seen(experiment, frame) + never_bottom_up_note(experiment)
    caption = f"{CAPTION}{seen}{note}".strip()
    if frame.empty:
        figure = style.message_figure(f"{experiment.name}: no counted rows yet")
        return [Drawing("degree_against_checks", figure, frame, caption)]
    return [Drawing("degree_against_checks", lambda: panels(experiment, frame), frame, caption)]


HIGH = 64  # a degree from which on a vertex would be given more than one thread


def what_is_seen(experiment: Experiment, frame: pd.DataFrame) -> str:
    """The paper's first observation in numbers: what share of high-degree looks is short."""
    looks = frame[(frame["row"] == "looks") & (frame["degree_from"] >= HIGH)]
    parts = []
    for graph, here in looks.groupby("graph", sort=False):
        short = here[here["checks_from"] < 4]["value"].sum() / here["value"].sum()
        parts.append(f"{100 * short:.0f} % on {graph_label(experiment, graph, ' ')}")
    if not parts:
        return ""
    return f"Looks of vertices of degree {HIGH} and more that read under 4: {', '.join(parts)}. "


def panels(experiment: Experiment, frame: pd.DataFrame):
    from matplotlib.colors import LogNorm

    groups = list(frame.groupby(["graph", "case"], sort=False))
    several = len(set(frame["case"])) > 1
    across = min(3, len(groups))
    down = -(-len(groups) // across)
    figure = style.new_figure(style.PAGE_IN if across > 1 else style.COLUMN_IN, 2.2 * down + 0.3)
    grid = list(figure.subplots(down, across, squeeze=False).flat)
    most = frame[frame["row"] == "looks"]["value"].max()
    norm = LogNorm(1, max(most, 10))
    for axes, ((graph, case), here) in zip(grid, groups, strict=False):
        looks = here[here["row"] == "looks"]
        # One bin per power of two: an exponent is a cell's edge.
        size = int(math.log2(here["degree_from"].max())) + 1
        cells = [[float("nan")] * size for _ in range(size)]
        for _, row in looks.iterrows():
            x, y = int(math.log2(row["degree_from"])), int(math.log2(row["checks_from"]))
            cells[y][x] = row["value"]
        edges = [2.0**k for k in range(size + 1)]
        mesh = axes.pcolormesh(edges, edges, cells, norm=norm, cmap="Greys", rasterized=True)
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.plot([1, edges[-1]], [1, edges[-1]], "--", color="black", linewidth=0.7)
        bins = {row: of.set_index("degree_from")["value"] for row, of in here.groupby("row")}
        x = bins["mean_degree"]
        axes.plot(x, bins["mean_checks"], "o-", color=style.color(1), label="mean read")
        axes.plot(x, bins["max_checks"], "x", color=style.color(0), label="most read")
        title = graph_label(experiment, graph)
        axes.set_title(f"{title}\n{case}" if several else title, loc="left")
        axes.set_xlabel("degree")
        axes.set_ylabel("neighbours read")
        axes.grid(False)
        for axis in (axes.xaxis, axes.yaxis):
            style.plain_log_ticks(axis)
    for axes in grid[len(groups) :]:
        axes.set_visible(False)
    figure.colorbar(mesh, ax=grid, label="looks", shrink=0.8, aspect=30)
    style.legend_above(figure, grid[0], columns=2)
    return figure


def finding(drawing: Drawing, experiments: list[Experiment]) -> str:
    frame = drawing.numbers
    looks = frame[frame["row"] == "looks"]
    high = looks[looks["degree_from"] >= HIGH]
    who = f"vertices of degree {HIGH} and more" if len(high) else "all vertices"
    keys = ["graph", "stand_in_for"]
    shares = [
        dict(zip(keys, key, strict=True))
        | {"pct": 100 * rows[rows["checks_from"] < 4]["value"].sum() / rows["value"].sum()}
        for key, rows in (high if len(high) else looks).groupby(keys, sort=False)
    ]
    ends = sentences.ends(pd.DataFrame(shares, columns=[*keys, "pct"]), "pct", "{:.0f} %".format)
    if not ends:
        return ""
    return f"Of the looks of {who}, {ends} read under 4 neighbours, by exact counts."
