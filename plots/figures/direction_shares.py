# SPDX-License-Identifier: Apache-2.0
"""xbfs Figure 12: how the time divides into top-down and bottom-up as contributions are added."""

from __future__ import annotations

import pandas as pd

from .. import sentences, style
from ..drawing import Drawing
from ..labels import stand_in_note, wrapped
from ..level_times import level_times
from ..load import Experiment
from ..paper import PaperTable, paper_for
from ..speedups import ALL
from ..xbfs import our_row, short_label

CAPTION = (
    "Shares of top-down and bottom-up levels in the time of a search, the generation of their "
    "queues included: for each graph the sum over sources, for all graphs the arithmetic mean of "
    "the shares. {clock}The times come from instrumented searches, whose counting slows some "
    "kernels, and enter no other figure. "
)
STATISTIC = (
    "share of the summed times of levels [%] over all sources, from instrumented searches; an "
    "average is the arithmetic mean over graphs"
)
EVENTS = (
    "Times are those between events on the GPU, so they exclude what the host does in between. "
)
HOST = "Times are the host's, of whole levels. "
DEVIATIONS = (
    "Shares follow the graph more than the GPU: the more levels are small, the more is top-down, "
    "and a level of a few vertices costs a launch and a read-back regardless of its work. "
)
COLUMNS = (
    "origin,machine,graph,stand_in_for,paper_name,case,searches,top_down_ms,bottom_up_ms,"
    "top_down_share,bottom_up_share,top_down_generation_share,bottom_up_generation_share"
).split(",")
MOST_OF_A_SOURCE = 0.5  # of a summed time
DIRECTIONS = ("top_down", "bottom_up")
WORDS = {"top_down": "top-down", "bottom_up": "bottom-up"}


def numbers(experiment: Experiment) -> pd.DataFrame:
    """One row per (graph, case); times are means over the searches, shares 0..1."""
    times = level_times(experiment)
    runs = experiment.instrumented[["trial", "graph", "case"]]
    joined = times.merge(runs, on="trial", how="inner")
    rows = []
    for graph in experiment.graph_order:
        for case in experiment.case_order:
            here = joined[(joined["graph"] == graph) & (joined["case"] == case)]
            searches = here["trial"].nunique()
            generation = here.groupby("direction")["generation_ms"].sum(min_count=1)
            traversal = here.groupby("direction")["traversal_ms"].sum()
            sums = {
                d: traversal.get(d, 0.0) + (generation.fillna(0.0).get(d, 0.0)) for d in DIRECTIONS
            }
            total = sum(sums.values())
            if total <= 0:
                continue
            row = {
                **our_row(experiment, graph),
                "case": case,
                "searches": searches,
            }
            for direction, milliseconds in sums.items():
                row[f"{direction}_ms"] = milliseconds / searches
                row[f"{direction}_share"] = milliseconds / total
                part = generation.get(direction, float("nan"))
                row[f"{direction}_generation_share"] = part / total
            rows.append(row)
    return pd.DataFrame(rows, columns=COLUMNS)


def dominated(experiment: Experiment) -> str:
    """A sentence on graphs of which one source takes most of the summed time of a case."""
    spent = level_times(experiment).merge(
        experiment.instrumented[["trial", "graph", "case"]], on="trial", how="inner"
    )
    spent = spent.assign(ms=spent[["generation_ms", "traversal_ms"]].sum(axis=1))
    searches = spent.groupby(["graph", "case", "trial"], sort=False)["ms"].sum()
    cells = searches.groupby(level=["graph", "case"], sort=False)
    shares = (cells.max() / cells.sum())[(cells.size() > 2) & (cells.sum() > 0)]
    words = [
        f"{sentences.percent(share)} of the time of {case} on {short_label(experiment, graph, ' ')}"
        for (graph, case), share in shares[shares > MOST_OF_A_SOURCE].items()
    ]
    return f"One source alone takes {sentences.listed(words)}. " if words else ""


def with_paper(frame: pd.DataFrame, paper: PaperTable | None) -> pd.DataFrame:
    rows = [
        {"origin": "paper", "graph": ALL, "case": case,
         **{f"{d}_share": paper_share(paper, case, d) for d in DIRECTIONS}}
        for case in (paper.methods if paper else [])
    ]  # fmt: skip
    if not rows:
        return frame
    return pd.concat([frame, pd.DataFrame(rows, columns=COLUMNS)], ignore_index=True)


def paper_share(paper: PaperTable | None, case: str, direction: str) -> float:
    """0..1; NaN where the paper has no such case. It has "Enterprise (as published)" without what
    is in parentheses."""
    printed = case.partition(" (")[0]
    text = paper.cell(ALL, f"{direction}_share", printed) if paper else ""
    return float(text) / 100 if text not in ("", "-") else float("nan")


def draw(experiments: list[Experiment]) -> list[Drawing]:
    experiment = experiments[0]
    paper = paper_for(experiment)
    frame = numbers(experiment)
    has_events = (
        frame[["top_down_generation_share", "bottom_up_generation_share"]].notna().any(axis=None)
    )
    sentence = dominated(experiment)
    if paper:
        shares = [
            f"{100 * paper_share(paper, case, 'top_down'):g} / "
            f"{100 * paper_share(paper, case, 'bottom_up'):g} for {case}"
            for case in paper.methods
        ]
        sentence += f"The paper has, on average and in %, {', '.join(shares)}. "
    caption = "".join(
        (
            CAPTION.format(clock=EVENTS if has_events else HOST),
            sentence,
            DEVIATIONS,
            stand_in_note(experiment, list(dict.fromkeys(frame["graph"]))),
        )
    ).strip()
    if frame.empty:
        figure = style.message_figure(f"{experiment.name}: no level was timed")
        return [Drawing("direction_shares", figure, frame, caption)]
    return [
        Drawing(
            "direction_shares",
            lambda: panels(experiment, frame, paper),
            with_paper(frame, paper),
            caption,
        )
    ]


def panels(experiment: Experiment, frame: pd.DataFrame, paper: PaperTable | None):
    """One row of bars per case, one bar per graph, then our average and the paper's; of a single
    graph one bar per case."""
    cases = list(dict.fromkeys(frame["case"]))
    graphs = list(dict.fromkeys(frame["graph"]))
    if len(graphs) == 1 and paper is None:
        return of_one_graph(experiment, frame)
    figure = style.new_figure(style.PAGE_IN, 1.35 * len(cases) + 0.9)
    grid = figure.subplots(len(cases), 1, squeeze=False, sharex=True)[:, 0]
    several = len(graphs) > 1
    labels = [short_label(experiment, graph) for graph in graphs] + ["average"] * several
    has_paper = any(paper_share(paper, c, "top_down") >= 0 for c in cases)
    if has_paper:
        labels.append("average\n(paper)")
    for axes, case in zip(grid, cases, strict=True):
        rows = frame[frame["case"] == case].set_index("graph").reindex(graphs)
        shares = rows[[f"{d}_share" for d in DIRECTIONS]].astype(float)
        columns = [*shares.to_numpy(), *[shares.mean().to_numpy()] * several]
        generation = rows[[f"{d}_generation_share" for d in DIRECTIONS]].astype(float)
        generated = [*generation.to_numpy(), *[generation.mean().to_numpy()] * several]
        if has_paper:
            columns.append([paper_share(paper, case, d) for d in DIRECTIONS])
            generated.append([float("nan")] * 2)
        stacked(axes, columns, generated)
        axes.set_title(case, loc="left")
        axes.set_ylim(0, 100)
        axes.grid(False, axis="x")
        axes.axvline(len(graphs) - 0.5, color="#808080", linewidth=0.6)
    grid[len(cases) // 2].set_ylabel("share of the time, %")
    grid[-1].set_xticks(range(len(labels)), labels, rotation=35, ha="right",
                        rotation_mode="anchor")  # fmt: skip
    grid[-1].set_xlim(-0.6, len(labels) - 0.4)
    style.legend_above(figure, grid[0], columns=4)
    return figure


def of_one_graph(experiment: Experiment, frame: pd.DataFrame):
    figure = style.new_figure(style.COLUMN_IN * 1.4, 2.4)
    axes = figure.subplots()
    directions = [f"{d}_share" for d in DIRECTIONS]
    generation = [f"{d}_generation_share" for d in DIRECTIONS]
    stacked(axes, frame[directions].to_numpy(dtype=float), frame[generation].to_numpy(dtype=float))
    axes.set_title(short_label(experiment, frame["graph"].iloc[0], " "), loc="left")
    axes.set_xticks(range(len(frame)), [wrapped(case, 16) for case in frame["case"]])
    axes.set_ylim(0, 100)
    axes.set_ylabel("share of the time, %")
    axes.grid(False, axis="x")
    style.legend_above(figure, axes, columns=4)
    return figure


def stacked(axes, columns, generated) -> None:
    """Top-down below, bottom-up on it; the lower part of each, dotted, is queue generation."""
    bottom = [0.0] * len(columns)
    for d, direction in enumerate(DIRECTIONS):
        heights = [100 * c[d] if c[d] == c[d] else 0.0 for c in columns]
        parts = [100 * g[d] if g[d] == g[d] else 0.0 for g in generated]
        axes.bar(range(len(columns)), heights, 0.75, bottom, color=style.color(d),
                 edgecolor="black", linewidth=0.4, label=WORDS[direction])  # fmt: skip
        if any(parts):
            axes.bar(range(len(columns)), parts, 0.75, bottom, color="none", hatch="....",
                     edgecolor="black", linewidth=0.4,
                     label="of it, queue generation" if d else None)  # fmt: skip
        for x, (height, low) in enumerate(zip(heights, bottom, strict=True)):
            if height >= 8:
                style.mark_part(axes, x, low, height)
        bottom = [b + h for b, h in zip(bottom, heights, strict=True)]


def finding(drawing: Drawing, experiments: list[Experiment]) -> str:
    frame = sentences.ours(drawing.numbers)
    if frame.empty:
        return ""
    words = [
        f"{sentences.percent(rows['top_down_share'].mean())} of that of {sentences.name(case)}"
        for case, rows in frame.groupby("case", sort=False)
    ]
    graphs = sentences.several(frame["graph"].nunique(), "graph")
    return (
        f"Of the time of a search, top-down levels take {sentences.listed(words)}, by the "
        f"arithmetic mean over {graphs} of shares of summed times."
    )
