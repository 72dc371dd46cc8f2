# SPDX-License-Identifier: Apache-2.0
"""scalable-bfs, section VI-D: a graph of hundreds of levels, nearly all of them almost empty."""

from __future__ import annotations

import pandas as pd

from .. import sentences, stats, style
from ..distributed import COLUMNS, PROCESSES, failures, hardware, measured
from ..drawing import Drawing
from ..labels import graph_label, stand_in_note
from ..load import Experiment
from ..paper import PaperTable, paper_table

CAPTION = (
    "A search of many levels that are almost empty. Left: the vertices of each level, for one "
    "source. Right: the time of a search over its levels, geometric means over sources. "
)
STATISTIC = (
    "left: exact counts of one search; right: time per level [us], geometric mean over sources, "
    "whiskers: its bootstrapped 95 % interval"
)
OF_PAPER = (
    "On WDC 2012 the paper has about {levels} levels, and {bfs} GTEPS for BFS and {dobfs} for "
    "DOBFS on {gpus} GPUs with TH = {threshold}: there DOBFS takes {ratio:.3f} times as long as "
    "BFS, since deciding on directions costs more than it saves. Its text has 8 us for each "
    "level, which contradicts these rates: 224 G doubled edges at {bfs} GTEPS over {levels} "
    "levels are {per_level:.1f} ms. "
)
STAND_IN = (
    "Ours is a stand-in with the tail and not the core: no generator here makes a web graph of so "
    "many levels. Nearly all vertices are found within the first levels, and then one in each "
    "level, which is what makes a tail long; its rates say nothing about WDC's core. "
)
WDC = "wdc-2012"


def draw(experiments: list[Experiment]) -> list[Drawing]:
    experiment = experiments[0]
    paper = paper_table("scalable-bfs-wdc")
    frame = measured(experiment)
    frame = with_intervals(frame)[[*COLUMNS, "us_per_level", "us_low95", "us_high95"]]
    good = frame[frame["us_per_level"].notna()]
    caption = CAPTION + of_paper(paper) + STAND_IN + ours(good, experiment) + failures(frame)
    caption = (caption + stand_in_note(experiment, list(dict.fromkeys(frame["graph"])))).strip()
    if good.empty:
        figure = style.message_figure(f"{experiment.name}: no search succeeded yet")
        return [Drawing("long_tail", figure, with_paper(frame, paper), caption)]
    return [
        Drawing(
            "long_tail", lambda: panels(experiment, good, paper), with_paper(frame, paper), caption
        )
    ]


def with_intervals(frame: pd.DataFrame) -> pd.DataFrame:
    """Times of a level, with the interval of the mean time of a search over the same levels."""
    means = [stats.mean_ratio(c.by_invocation if c.ok else c.by_invocation[:0])
             for c in frame["cell"]]  # fmt: skip
    per_level = 1e3 / frame["levels"]
    return frame.assign(
        us_per_level=frame["time_ms"] * per_level,
        us_low95=pd.Series([mean.low for mean in means], frame.index, float) * per_level,
        us_high95=pd.Series([mean.high for mean in means], frame.index, float) * per_level,
    )


def of_paper(paper: PaperTable | None) -> str:
    if paper is None:
        return ""
    bfs, dobfs = (float(paper.cell(WDC, "gteps", m)) for m in ("BFS", "DOBFS"))
    levels = float(paper.cell(WDC, "levels"))
    edges = float(paper.cell(WDC, "edges")) / 2
    return OF_PAPER.format(levels=f"{levels:g}", bfs=bfs, dobfs=dobfs, gpus=paper.cell(WDC, "gpus"),
                           threshold=paper.cell(WDC, "threshold"), ratio=bfs / dobfs,
                           per_level=edges / bfs / 1e6 / levels)  # fmt: skip


def ours(good: pd.DataFrame, experiment: Experiment) -> str:
    if experiment.mixed:
        return ""
    clauses = []
    for graph in dict.fromkeys(good["graph"]):
        of_graph = good[good["graph"] == graph]
        for (ranks, gpus), rows in of_graph.groupby(list(PROCESSES)):
            here = rows.set_index("variant")
            if {"BFS", "DOBFS"} <= set(here.index):
                ratio = here.loc["DOBFS", "time_ms"] / here.loc["BFS", "time_ms"]
                clauses.append(
                    f"{ratio:.3f} times as long on {hardware(ranks, gpus)} "
                    f"({here.loc['BFS', 'levels']:.0f} levels)"
                )
    return f"Ours takes with DOBFS {', '.join(clauses)}. " if clauses else ""


def with_paper(frame: pd.DataFrame, paper: PaperTable | None) -> pd.DataFrame:
    """The paper's numbers, of another graph and another numerator, below ours."""
    rows = [
        {"origin": "paper", "graph": WDC, "variant": case, "gpus": float(paper.cell(WDC, "gpus")),
         "threshold": float(paper.cell(WDC, "threshold")),
         "levels": float(paper.cell(WDC, "levels")),
         "gteps_paper": float(paper.cell(WDC, "gteps", case)), "note": "section VI-D"}
        for case in (["BFS", "DOBFS"] if paper else [])
    ]  # fmt: skip
    if not rows:
        return frame
    return pd.concat([frame, pd.DataFrame(rows, columns=frame.columns)], ignore_index=True)


def profile(experiment: Experiment, graph: str) -> pd.Series:
    """Vertices by level, of the first instrumented search of the graph that succeeded."""
    runs = experiment.instrumented
    runs = runs[(runs["graph"] == graph) & (runs["status"] == "ok")]
    for trial in runs["trial"]:
        levels = experiment.levels[experiment.levels["trial"] == trial]
        if len(levels):
            return levels.groupby("level")["frontier_vertices"].sum()
    return pd.Series(dtype=float)


def panels(experiment: Experiment, good: pd.DataFrame, paper: PaperTable | None):
    figure = style.new_figure(style.PAGE_IN, 2.9)
    left, right = figure.subplots(1, 2)
    for index, graph in enumerate(dict.fromkeys(good["graph"])):
        vertices = profile(experiment, graph)
        vertices = vertices[vertices > 0]
        left.plot(vertices.index, vertices, color=style.color(index + 2), linewidth=1.0,
                  label=graph_label(experiment, graph, " "))  # fmt: skip
        left.set_title(f"{experiment.machine}: {graph_label(experiment, graph)}")
    left.set_yscale("log")
    left.set_ylim(0.7)
    style.plain_log_ticks(left.yaxis)
    left.set_xlabel("level")
    left.set_ylabel("vertices in the level")
    labels = list(dict.fromkeys(zip(good["graph"], good["ranks"], good["gpus_per_rank"],
                                    strict=True)))  # fmt: skip
    cases = list(dict.fromkeys(good["variant"]))
    width = 0.8 / len(cases)
    for v, variant in enumerate(cases):
        rows = good[good["variant"] == variant]
        for at, key in enumerate(labels):
            here = rows[(rows["graph"] == key[0]) & (rows["ranks"] == key[1])
                        & (rows["gpus_per_rank"] == key[2])]  # fmt: skip
            value = stats.median(here["us_per_level"])
            x = at - 0.4 + width * (v + 0.5)
            right.bar(x, value, width, color=style.color(v), hatch=style.hatch(v),
                      edgecolor="black", linewidth=0.4, label=variant)  # fmt: skip
            low, high = stats.median(here["us_low95"]), stats.median(here["us_high95"])
            if low == low and high == high:
                ends = [[max(value - low, 0)], [max(high - value, 0)]]
                right.errorbar([x], [value], ends, linestyle="none", color="black",
                               elinewidth=0.6, capsize=1.5)  # fmt: skip
            if value == value:
                top = max(value, high) if high == high else value
                right.annotate(f"{value:.3g}", (x, top), ha="center", va="bottom",
                               fontsize=style.pt(6))  # fmt: skip
    names = [hardware(ranks, gpus).replace(" x", "\nx") for _, ranks, gpus in labels]
    right.set_xticks(range(len(labels)), names)
    right.grid(False, axis="x")
    right.set_ylabel("time for each level [us]")
    if paper:
        text = float(paper.cell(WDC, "time_per_level"))
        right.axhline(text, color="black", linestyle=":", linewidth=0.8,
                      label=f"paper's text, on WDC 2012: {text:g} us")  # fmt: skip
        rates = [f"{paper.cell(WDC, 'gteps', case)} GTEPS ({case})" for case in ("BFS", "DOBFS")]
        where = f"paper, WDC with {paper.cell(WDC, 'gpus')} GPUs"
        right.plot([], [], " ", label=f"{where}: {' and '.join(rates)}")
    style.legend_above(figure, right, columns=2)
    return figure


def finding(drawing: Drawing, experiments: list[Experiment]) -> str:
    frame = sentences.ours(drawing.numbers)
    words = [
        f"{sentences.ends(rows, 'us_per_level', '{:.3g} µs'.format, where)} with {variant}"
        for variant, rows in frame[frame["us_per_level"].notna()].groupby("variant", sort=False)
    ]
    if not words:
        return ""
    return f"A level takes {sentences.listed(words)}, by the geometric mean over sources."


def where(row: pd.Series) -> str:
    return f"{sentences.place(row)}, {hardware(row['ranks'], row['gpus_per_rank'])},"
