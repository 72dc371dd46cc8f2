# SPDX-License-Identifier: Apache-2.0
"""graph500-romeo Figure 3.6: traversal rates by how GPUs reach one another."""

from __future__ import annotations

import pandas as pd

from .. import sentences, stats, style
from ..cells import failed_cells, source_rates
from ..drawing import Drawing
from ..labels import graph_label, stand_in_note
from ..load import Experiment
from ..paper import PaperTable, paper_for

CAPTION = (
    "Traversal rate by graph. A source's rate is the number of input edges of its component over "
    "the median of its repeats in one process; the marks are harmonic means over the sources, "
    "as Graph500 averages rates, and the bars the range of the sources. "
)
STATISTIC = "rate [GTEPS]: harmonic mean over sources; bars: from the slowest source to the fastest"
COLUMNS = (
    "origin,machine,graph,stand_in_for,case,ranks,gpus_per_rank,status,sources,gteps,lowest,"
    "highest,reason"
).split(",")


def numbers(experiment: Experiment) -> pd.DataFrame:
    """One row per (graph, case)."""
    table = []
    timed = experiment.timed
    for graph in experiment.graph_order:
        for case in experiment.case_order:
            here = timed[(timed["graph"] == graph) & (timed["case"] == case)]
            if here.empty:
                continue
            rates = source_rates(here)
            table.append(
                {
                    "origin": "ours",
                    "machine": experiment.machine,
                    "graph": graph,
                    "stand_in_for": experiment.stand_in_for(graph),
                    "case": case,
                    "ranks": int(here["ranks"].max()),
                    "gpus_per_rank": int(here["gpus_per_rank"].max()),
                    "status": rates.status,
                    "sources": len(rates.by_source),
                    "gteps": rates.mean(stats.harmonic_mean),
                    "lowest": rates.of_sources(min),
                    "highest": rates.of_sources(max),
                    "reason": rates.reason,
                }
            )
    return pd.DataFrame(table, columns=COLUMNS)


def paper_rates(paper: PaperTable | None) -> pd.DataFrame:
    rows = []
    for method in paper.methods if paper else []:
        for graph in paper.graphs:
            if text := paper.cell(graph, "gteps", method):
                rows.append({"origin": "paper", "graph": graph, "case": method,
                             "gteps": float(text)})  # fmt: skip
    return pd.DataFrame(rows, columns=COLUMNS)


def draw(experiments: list[Experiment]) -> list[Drawing]:
    experiment = experiments[0]
    frame = numbers(experiment)
    paper = paper_for(experiment)
    theirs = paper_rates(paper)
    failed = frame[frame["status"] != "ok"]
    rates = "; ".join(
        f"{paper.cell(row.graph, 'gteps', row.case)} GTEPS on {row.case}"
        for row in theirs.itertuples()
    )
    caption = "".join(
        (
            CAPTION,
            f"The paper's text has {rates}, each with its own graph. " if rates else "",
            f"{failed_cells(failed, len(frame))}. " if len(failed) else "",
            stand_in_note(experiment, list(dict.fromkeys(frame["graph"]))),
        )
    ).strip()
    if frame["gteps"].isna().all():
        what = "no rows yet" if frame.empty else "no configuration succeeded"
        figure = style.message_figure(f"{experiment.name}: {what}")
        return [Drawing("transport_rates", figure, frame, caption)]
    table = pd.concat([frame, theirs], ignore_index=True) if len(theirs) else frame
    return [Drawing("transport_rates", lambda: panel(experiment, frame), table, caption)]


def panel(experiment: Experiment, frame: pd.DataFrame):
    graphs = list(dict.fromkeys(frame["graph"]))
    cases = list(dict.fromkeys(frame["case"]))
    figure = style.new_figure(style.PAGE_IN, 2.8)
    axes = figure.subplots()
    step = 0.7 / len(cases)
    for index, case in enumerate(cases):
        rows = frame[frame["case"] == case].set_index("graph").reindex(graphs)
        places = [g - 0.35 + step * (index + 0.5) for g in range(len(graphs))]
        spread = [rows["gteps"] - rows["lowest"], rows["highest"] - rows["gteps"]]
        axes.errorbar(places, rows["gteps"], [s.clip(lower=0) for s in spread], label=case,
                      marker=style.marker(index), color=style.color(index), capsize=1.5,
                      elinewidth=0.6, linestyle="none")  # fmt: skip
        for place, status in zip(places, rows["status"], strict=True):
            if isinstance(status, str):  # there are rows
                style.mark_failure(axes, place, status, index)
    for position in range(1, len(graphs)):
        axes.axvline(position - 0.5, color="#D0D0D0", linewidth=0.6)
    axes.set_xticks(range(len(graphs)), [graph_label(experiment, g) for g in graphs])
    axes.tick_params(axis="x", length=0)
    axes.set_xlim(-0.5, len(graphs) - 0.5)
    axes.set_ylim(bottom=0)
    axes.grid(False, axis="x")
    axes.set_ylabel("rate [GTEPS],\nharmonic mean over sources")
    axes.set_title(experiment.machine, loc="left")
    style.legend_above(figure, axes, columns=3)
    return figure


def finding(drawing: Drawing, experiments: list[Experiment]) -> str:
    return sentences.best(
        drawing.numbers,
        "gteps",
        "case",
        "harmonic mean over sources",
        unit="GTEPS",
        rate=True,
        experiments=experiments,
    )
