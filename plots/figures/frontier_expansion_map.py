# SPDX-License-Identifier: Apache-2.0
"""Every way to keep a frontier with every way to share its edges: a heat map for each graph."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path

import matplotlib
import pandas as pd
from matplotlib.colors import LogNorm
from matplotlib.patches import Rectangle

from .. import ratios, sentences, style
from ..cells import failed_cells, number, time_cell
from ..dfq import ENGINE, lengths_note, switched
from ..drawing import Drawing
from ..labels import graph_label, stand_in_note, wrapped
from ..load import Experiment

LARGEST = 100  # times the best: where the colours end
CAPTION = (
    "Time in ms of a search, the median over sources of the median over repeats, by the frontier "
    "(rows) and the way to share a frontier's edges among threads (columns); the colour is the "
    "time over the best pair of that graph, which has a frame. Every pair goes top-down and "
    "differs in nothing else. Pairs marked unsound cannot work: a decentralized queue is drained "
    "while it fills, so an expansion that needs the whole frontier first cannot take one. "
    "Below each map are the engine xbfs, which also goes bottom-up, and xbfs with the "
    "decentralized queue in its top-down levels. All decide their levels on the device. "
)
STATISTIC = (
    "time [ms]: median over sources of the median over repeats; colour: over the best pair of "
    "the graph"
)
COLUMNS = (
    "machine,graph,stand_in_for,case,frontier,expansion,status,sources,time_ms,over_best,best,"
    "reason"
).split(",")


def frontier(row: Mapping[str, str] | pd.Series) -> str:
    if row["queue"] == "none":
        return "status scan"
    if row["queue"] == "decentralized":
        return f"decentralized, {row['memory']}"
    words = {"single_scan": "single-scan", "scan_free": "scan-free", "prefix_sum": "prefix sum"}
    return f"{row['queue']}, {words.get(row['collect'], row['collect'])}"


# The frontiers and expansions of the program's table of parts, in its order. A figure has a row for
# each frontier, and a column for each expansion that the experiment has rows of.
_PARTS = json.loads((Path(__file__).parents[1] / "parts.json").read_text(encoding="utf-8"))
FRONTIERS = [frontier(part["switches"]) for part in _PARTS if part["kind"] == "frontier"]
EXPANSIONS = [part["name"] for part in _PARTS if part["kind"] == "expansion"]


def numbers(experiment: Experiment) -> pd.DataFrame:
    """One row a (graph, pair), whatever its case is called, then one a case of other engines."""
    pairs = switched(experiment)
    pairs = pairs.assign(frontier=[frontier(row) for _, row in pairs.iterrows()])
    others = experiment.timed[experiment.timed["engine"] != ENGINE]
    others = others.assign(frontier="", expand="")
    keys = ["frontier", "expand", "case"]
    names = [*FRONTIERS, *EXPANSIONS, *experiment.case_order]
    place = {name: k for k, name in enumerate(dict.fromkeys(names))}
    table = []
    for graph in experiment.graph_order:
        for rows, by in ((pairs, keys[:2]), (others, keys)):
            groups = rows[rows["graph"] == graph].groupby(by, sort=False)
            for _, here in sorted(groups, key=lambda each: [place.get(n, -1) for n in each[0]]):
                cell = time_cell(here)
                table.append(
                    {
                        "machine": experiment.machine,
                        "graph": graph,
                        "stand_in_for": experiment.stand_in_for(graph),
                        "case": here["case"].iloc[0],
                        "frontier": here["frontier"].iloc[0],
                        "expansion": here["expand"].iloc[0],
                        "status": cell.failure.lower() or ("ok" if cell.ok else ""),
                        "sources": len(cell.times_ms),
                        "time_ms": cell.median_ms,
                        "reason": cell.reason,
                        "cell": cell,
                    }
                )
    frame = pd.DataFrame(table, columns=[*COLUMNS, "cell"])
    cells = frame.pop("cell")
    ours = frame[(frame["frontier"] != "") & frame["time_ms"].notna()]
    fastest = frame["graph"].map(ours.groupby("graph")["time_ms"].idxmin())
    frame["over_best"] = [
        frame.loc[row, "time_ms"] / frame.loc[best, "time_ms"]
        if best == best and ratios.of_one_build(experiment, cells[row], cells[best])
        else float("nan")
        for row, best in fastest.items()
    ]
    frame["best"] = (frame["frontier"] != "") & (frame["over_best"] == 1)
    return frame


def draw(experiments: list[Experiment]) -> list[Drawing]:
    experiment = experiments[0]
    frame = numbers(experiment)
    caption = "".join(
        (CAPTION, lengths_note(experiment), findings(experiment, frame), failures(frame),
         stand_in_note(experiment, list(dict.fromkeys(frame["graph"]))))
    ).strip()  # fmt: skip
    if frame["over_best"].isna().all():
        what = "no rows yet" if frame.empty else "no pair succeeded"
        figure = style.message_figure(f"{experiment.name}: {what}")
        return [Drawing("frontier_expansion_map", figure, frame, caption)]
    return [Drawing("frontier_expansion_map", lambda: panels(experiment, frame), frame, caption)]


def findings(experiment: Experiment, frame: pd.DataFrame) -> str:
    """The best pair of each graph, and what xbfs takes there."""
    words = []
    for graph, rows in frame.groupby("graph", sort=False):
        best = rows[rows["best"]]
        if best.empty:
            continue
        row = best.iloc[0]
        others = [
            f"{other['case']} {number(other['time_ms'])}"
            for _, other in rows[(rows["frontier"] == "") & (rows["status"] == "ok")].iterrows()
        ]
        beside = f" ({', '.join(others)})" if others else ""
        words.append(
            f"{graph_label(experiment, graph, ' ')}: {row['frontier']} with {row['expansion']}, "
            f"{number(row['time_ms'])} ms{beside}"
        )
    return f"The best pairs: {'; '.join(words)}. " if words else ""


def failures(frame: pd.DataFrame) -> str:
    failed = frame[~frame["status"].isin(["ok", ""])]
    return "" if failed.empty else f"{failed_cells(failed, len(frame))}. "


def panels(experiment: Experiment, frame: pd.DataFrame):
    graphs = list(dict.fromkeys(frame["graph"]))
    columns = min(2, len(graphs))
    lines = math.ceil(len(graphs) / columns)
    others = list(dict.fromkeys(frame.loc[frame["frontier"] == "", "case"]))
    expansions = [name for name in EXPANSIONS if name in set(frame["expansion"])]
    height = 0.6 + lines * (0.75 + 0.2 * (len(FRONTIERS) + len(others)))
    figure = style.new_figure(style.PAGE_IN + 1.0, height)
    grid = figure.subplots(lines, columns, squeeze=False, sharex=True, sharey=True)
    norm, colors = LogNorm(1, LARGEST, clip=True), matplotlib.colormaps["cividis_r"]
    for axes, graph in zip(grid.flat, graphs, strict=False):
        panel(axes, frame[frame["graph"] == graph], expansions, others, norm, colors)
        axes.set_title(wrapped(graph_label(experiment, graph), 46), fontsize=style.pt(7))
    for axes in list(grid.flat)[len(graphs) :]:
        axes.set_visible(False)
    mappable = matplotlib.cm.ScalarMappable(norm, colors)
    bar = figure.colorbar(mappable, ax=grid, shrink=0.5, aspect=40, pad=0.01, extend="max")
    bar.set_label("time over the best pair's")
    bar.set_ticks([1, 2, 5, 10, 20, 50, 100], labels=["1", "2", "5", "10", "20", "50", "100"])
    bar.ax.minorticks_off()
    return figure


def panel(axes, rows: pd.DataFrame, expansions: list[str], others: list[str], norm, colors) -> None:
    """The map, and below it, apart, a bar across it for each engine that is not a pair."""
    cells = {(row["frontier"], row["expansion"]): row for _, row in rows.iterrows()}
    for y, name in enumerate(FRONTIERS):
        for x, expansion in enumerate(expansions):
            box(axes, x, y, 1, cells.get((name, expansion)), norm, colors)
    gap = len(FRONTIERS) + 0.35
    for k, case in enumerate(others):
        here = rows[rows["case"] == case]
        if len(here):
            box(axes, 0, gap + k, len(expansions), here.iloc[0], norm, colors)
    axes.set_xlim(0, len(expansions))
    axes.set_ylim(gap + len(others), 0)
    axes.set_xticks([x + 0.5 for x in range(len(expansions))],
                    [e.replace("_", " ") for e in expansions], rotation=35, ha="right",
                    rotation_mode="anchor", fontsize=style.pt(6))  # fmt: skip
    places = [y + 0.5 for y in range(len(FRONTIERS))]
    places += [gap + k + 0.5 for k in range(len(others))]
    axes.set_yticks(places, [*FRONTIERS, *others], fontsize=style.pt(6))
    axes.tick_params(length=0)
    axes.grid(False)
    for side in axes.spines.values():
        side.set_visible(False)


def box(axes, x: float, y: float, width: float, row: pd.Series | None, norm, colors) -> None:
    ratio = float("nan") if row is None else row["over_best"]
    if ratio == ratio:
        face = colors(norm(ratio))
        light = 0.299 * face[0] + 0.587 * face[1] + 0.114 * face[2] > 0.5
        text, ink, size = number(row["time_ms"]), "black" if light else "white", 5.5
    else:
        face, ink, size = "#F2F2F2", "#707070", 4.2
        text = "unsound" if row is None else (row["status"] or "").replace("unsupp", "unsup-\np")
    axes.add_patch(Rectangle((x, y), width, 1, facecolor=face, edgecolor="white", linewidth=0.5))
    best = row is not None and bool(row["best"])
    axes.text(x + width / 2, y + 0.5, text, ha="center", va="center", color=ink,
              fontsize=style.pt(size), fontweight="bold" if best else "normal",
              linespacing=0.9)  # fmt: skip
    if best:
        axes.add_patch(Rectangle((x, y), width, 1, fill=False, edgecolor="#D55E00",
                                 linewidth=1.6, zorder=3))  # fmt: skip


def finding(drawing: Drawing, experiments: list[Experiment]) -> str:
    frame = drawing.numbers
    pairs = frame[(frame["frontier"] != "") & frame["over_best"].notna()]
    if pairs.empty:
        return ""
    pairs = pairs.assign(pair=pairs["frontier"] + " with " + pairs["expansion"])
    wins = pairs[pairs["best"]]["pair"].value_counts(sort=False)
    worst = pairs.loc[pairs.groupby("graph", sort=False)["over_best"].idxmax()]
    ends = sentences.ends(worst, "over_best", number)
    return (
        f"Of {sentences.several(pairs['pair'].nunique(), 'pair')} of a frontier and an expansion "
        f"{sentences.name(wins.idxmax())} is the fastest on {wins.max()} of "
        f"{sentences.several(len(worst), 'graph')}, and the slowest takes {ends} times as long as "
        "the fastest, by the median over sources."
    )
