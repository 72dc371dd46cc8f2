# SPDX-License-Identifier: Apache-2.0
"""xbfs Figure 15: neighbours read by synchronous and by asynchronous bottom-up."""

from __future__ import annotations

import pandas as pd

from .. import sentences, style
from ..drawing import Drawing
from ..labels import stand_in_note
from ..load import Experiment, toggles
from ..paper import PaperTable, paper_table
from ..xbfs import (
    ENGINE,
    MODEL,
    counted_on_gpu,
    never_bottom_up_note,
    paper_name,
    short_label,
)

CAPTION = (
    "Adjacency entries read in all bottom-up levels of one search, mean over sources, with "
    "asynchronous finds and without, and the share that they save. Both go bottom-up in the same "
    "levels: the switch looks at frontiers alone. Searches without a bottom-up level are left "
    "out. "
)
STATISTIC = "adjacency entries: mean over sources; saved [%]: of the sums over all sources"
OF_MODEL = (
    "The counts are exact, in queue order with one thread, where an early find is seen by "
    "all that look later; a GPU's threads look at the same time, see fewer and save less. "
)
OF_ENGINE = (
    "Counted on the GPU, where threads look at the same time: which early finds are seen differs "
    "from run to run. "
)
DEVIATIONS = (
    "What can be saved are the looks of vertices that would be found at a later bottom-up level. "
    "So little is saved if the first bottom-up level reads nearly everything and few "
    "vertices are left after it (as on OR in the paper), and most where several bottom-up levels "
    "follow one another. The paper does not define edgeCheck, which decides how many there are: "
    "by the level's edges the search returns to top-down, by the cumulative count it never does. "
)
COLUMNS = (
    "origin,graph,stand_in_for,edge_check,synchronous,asynchronous,saved_pct,searches,"
    "bottom_up_levels"
).split(",")


def numbers(experiment: Experiment) -> pd.DataFrame:
    """One row per (graph, edge_check): means over the sources that both have done."""
    runs = experiment.instrumented
    runs = runs[(runs["status"] == "ok") & runs["engine"].isin([MODEL, ENGINE])]
    up = experiment.levels[experiment.levels["direction"] == "bottom_up"]
    per_trial = up.groupby("trial")["edges_checked"].agg(
        sum=lambda checked: checked.sum(skipna=False), size="size"
    )
    table = [toggles(text) for text in runs["toggles"]]
    runs = runs.assign(
        mode=["asynchronous" if t.get("async", "true") == "true" else "synchronous" for t in table],
        edge_check=[t.get("edge_check", "level") for t in table],
    ).join(per_trial, on="trial", how="inner")
    rows = []
    for (graph, edge_check), here in runs.groupby(["graph", "edge_check"], sort=False):
        sums = here.pivot_table(index="source", columns="mode", values="sum", aggfunc="first")
        if not {"synchronous", "asynchronous"} <= set(sums.columns):
            continue
        sums = sums.dropna()
        levels = here[here["source"].isin(sums.index)].groupby("source")["size"].first()
        total = sums["synchronous"].sum()
        rows.append(
            {
                "origin": "ours",
                "graph": graph,
                "stand_in_for": experiment.stand_in_for(graph),
                "edge_check": edge_check,
                "synchronous": sums["synchronous"].mean(),
                "asynchronous": sums["asynchronous"].mean(),
                "saved_pct": 100 * (1 - sums["asynchronous"].sum() / total) if total else 0.0,
                "searches": len(sums),
                "bottom_up_levels": levels.mean(),
            }
        )
    rank = {graph: i for i, graph in enumerate(experiment.graph_order)}
    rows.sort(key=lambda row: rank[row["graph"]])
    return pd.DataFrame(rows, columns=COLUMNS)


def draw(experiments: list[Experiment]) -> list[Drawing]:
    experiment = experiments[0]
    paper = paper_table(experiment.name) or paper_table("xbfs-fig15")
    frame = numbers(experiment)
    note = stand_in_note(experiment, list(dict.fromkeys(frame["graph"])))
    sentence = ""
    if paper:
        mean, most, least = (paper.cell(g, "checks_saved") for g in ("all ten", "DP", "OR"))
        sentence = (
            f"On its own graphs the paper saves {mean} % (dotted line), from {least} % on OR to "
            f"{most} % on DP; it prints no counts. "
        )
    counted_by = OF_ENGINE if counted_on_gpu(experiment) else OF_MODEL
    caption = f"{CAPTION}{counted_by}{sentence}{DEVIATIONS}"
    caption = f"{caption}{never_bottom_up_note(experiment)}{note}".strip()
    if frame.empty:
        figure = style.message_figure(f"{experiment.name}: no bottom-up level was counted")
        return [Drawing("edge_checks", figure, frame, caption)]
    return [
        Drawing(
            "edge_checks", lambda: bars(experiment, frame, paper), with_paper(frame, paper), caption
        )
    ]


def with_paper(frame: pd.DataFrame, paper: PaperTable | None) -> pd.DataFrame:
    if paper is None:
        return frame
    rows = [
        {"origin": "paper", "graph": row["graph"], "saved_pct": float(row["value"])}
        for _, row in paper.rows.iterrows()
    ]
    return pd.concat([frame, pd.DataFrame(rows)], ignore_index=True)


def paper_claims(
    experiment: Experiment, graphs: list[str], paper: PaperTable | None
) -> dict[str, float]:
    """Returns the paper's savings on our graphs that are, or stand in for, one of its own."""
    claims = {}
    for graph in graphs if paper else []:
        claim = paper.cell(paper_name(experiment, graph), "checks_saved")
        if claim:
            claims[graph] = float(claim)
    return claims


def bars(experiment: Experiment, frame: pd.DataFrame, paper: PaperTable | None):
    """One column of panels per reading of edgeCheck: counts above, savings below."""
    readings = list(dict.fromkeys(frame["edge_check"]))
    graphs = list(dict.fromkeys(frame["graph"]))
    figure = style.new_figure(style.PAGE_IN, 2.1 * 2 * len(readings) ** 0.5)
    grid = figure.subplots(2, len(readings), squeeze=False, sharex="col", sharey="row")
    counts = frame[["synchronous", "asynchronous"]]
    wide = counts.max().max() > 30 * counts.min().min() > 0
    claims = paper_claims(experiment, graphs, paper)
    highest = max([25.0, frame["saved_pct"].max(), *claims.values()])
    for column, reading in enumerate(readings):
        rows = frame[frame["edge_check"] == reading].set_index("graph").reindex(graphs)
        above, below = grid[0][column], grid[1][column]
        for index, mode in enumerate(("synchronous", "asynchronous")):
            x = [g - 0.2 + 0.4 * index for g in range(len(graphs))]
            if wide:  # no bars on an axis without a zero
                above.plot(x, rows[mode], style.marker(index), label=mode,
                           color=style.color(index))  # fmt: skip
            else:
                above.bar(x, rows[mode], 0.4, label=mode, color=style.color(index),
                          hatch=style.hatch(index), edgecolor="black", linewidth=0.4)  # fmt: skip
        if wide:
            above.set_yscale("log")
        above.set_title(f"edgeCheck: {reading}", loc="left")
        below.bar(range(len(graphs)), rows["saved_pct"], 0.6, color=style.color(1),
                  hatch=style.hatch(1), edgecolor="black", linewidth=0.4)  # fmt: skip
        for g, saved in enumerate(rows["saved_pct"]):
            known = saved == saved
            below.annotate(f"{saved:.2g}" if known else "no bottom-up", (g, saved if known else 0),
                           ha="center", va="bottom", fontsize=style.pt(6),
                           rotation=0 if known else 90,
                           bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.3},
                           xytext=(0, 1.5), textcoords="offset points")  # fmt: skip
        below.set_xlim(-0.6, len(graphs) - 0.4)
        below.set_ylim(0, 1.15 * highest)
        if paper:
            mean = float(paper.cell("all ten", "checks_saved"))
            below.axhline(mean, color="black", linestyle=":", linewidth=0.8,
                          label=f"paper's average, {mean:g} %")  # fmt: skip
            for index, (graph, claim) in enumerate(claims.items()):
                g = graphs.index(graph)
                below.plot([g - 0.42, g + 0.42], [claim, claim], color="black",
                           label=None if index else "paper, this graph")  # fmt: skip
        below.set_xticks(range(len(graphs)), [short_label(experiment, g) for g in graphs],
                         rotation=35, ha="right", rotation_mode="anchor")  # fmt: skip
        for axes in (above, below):
            axes.grid(False, axis="x")
    if wide:
        style.plain_log_ticks(grid[0][0].yaxis)
    else:
        grid[0][0].yaxis.set_major_formatter(lambda value, _: style.compact(value))
    grid[0][0].set_ylabel("entries read a search")
    grid[1][0].set_ylabel("saved, %")
    style.legend_above(figure, grid[0][0], grid[1][0], columns=4)
    figure.align_ylabels()
    return figure


def finding(drawing: Drawing, experiments: list[Experiment]) -> str:
    frame = sentences.ours(drawing.numbers)
    words = [
        f"{sentences.ends(rows, 'saved_pct', '{:.1f} %'.format)} where edgeCheck is "
        f"{'of the level' if reading == 'level' else 'cumulative'} (arithmetic mean "
        f"{rows['saved_pct'].mean():.1f} %)"
        for reading, rows in frame[frame["saved_pct"].notna()].groupby("edge_check", sort=False)
    ]
    if not words:
        return ""
    return (
        f"Of the entries that bottom-up levels read, asynchronous finds save "
        f"{sentences.listed(words)}, by sums over all sources."
    )
