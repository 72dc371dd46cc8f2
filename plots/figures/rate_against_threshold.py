# SPDX-License-Identifier: Apache-2.0
"""scalable-bfs Figures 6 and 13: traversal rates against the degree threshold TH."""

from __future__ import annotations

import pandas as pd

from .. import sentences, stats, style
from ..cells import failed_cells, number, source_rates
from ..distributed import named_scale
from ..drawing import Drawing
from ..labels import graph_label, stand_in_note
from ..load import Experiment, toggles
from ..paper import paper_table

CAPTION = (
    "Traversal rate against the degree threshold TH: vertices with more than TH neighbours are "
    "delegates. A source's rate is the number of input edges of its component over the median of "
    "its repeats in one process; the marks are geometric means over the sources, as in the paper, "
    "and the bars go from the slowest source to the fastest. The CSV also has the rate with the "
    "paper's numerator, 16 x 2^N edges. "
)
STATISTIC = (
    "rate [GTEPS]: geometric mean over sources; bars: from the slowest source to the fastest"
)
COLUMNS = (
    "machine,graph,stand_in_for,case,ranks,gpus_per_rank,threshold,status,sources,gteps,lowest,highest,"
    "gteps_paper,reason"
).split(",")


def numbers(experiment: Experiment) -> pd.DataFrame:
    """One row per (graph, case, threshold)."""
    runs = experiment.timed
    settings = [toggles(text) for text in runs["toggles"]]
    runs = runs.assign(threshold=[float(t.get("threshold", "nan")) for t in settings])
    runs = runs[runs["threshold"].notna()]
    table = []
    for graph in experiment.graph_order:
        for case in experiment.case_order:
            of_case = runs[(runs["graph"] == graph) & (runs["case"] == case)]
            for threshold, here in of_case.groupby("threshold"):
                rates = source_rates(here)
                numerator = 16 * 2 ** named_scale(graph)
                table.append(
                    {
                        "machine": experiment.machine,
                        "graph": graph,
                        "stand_in_for": experiment.stand_in_for(graph),
                        "case": case,
                        "ranks": int(here["ranks"].max()),
                        "gpus_per_rank": int(here["gpus_per_rank"].max()),
                        "threshold": int(threshold),
                        "status": rates.status,
                        "sources": len(rates.by_source),
                        "gteps": rates.mean(stats.geometric_mean),
                        "lowest": rates.of_sources(min),
                        "highest": rates.of_sources(max),
                        "gteps_paper": stats.mean_ratio(numerator / rates.times_ms / 1e6).value
                        if rates.status == "ok"
                        else float("nan"),
                        "reason": rates.reason,
                    }
                )
    return pd.DataFrame(table, columns=COLUMNS)


def best(frame: pd.DataFrame) -> str:
    """Names the best threshold of each case, and those within a tenth of it."""
    clauses = []
    for (graph, case), rows in frame[frame["gteps"].notna()].groupby(["graph", "case"], sort=False):
        top = rows.loc[rows["gteps"].idxmax()]
        near = rows[rows["gteps"] >= 0.9 * top["gteps"]]["threshold"]
        where = f"{case} on {graph}" if len(set(frame["graph"])) > 1 else case
        clauses.append(
            f"{where}: {top['gteps']:.3g} GTEPS at TH {top['threshold']}, and within a tenth of "
            f"that from {near.min()} to {near.max()}"
        )
    return f"{'; '.join(clauses)}. " if clauses else ""


def draw(experiments: list[Experiment]) -> list[Drawing]:
    experiment = experiments[0]
    frame = numbers(experiment)
    failed = frame[frame["status"] != "ok"]
    caption = "".join(
        (
            CAPTION,
            best(frame),
            experiment_sentence(experiment),
            f"{failed_cells(failed, len(frame))}. " if len(failed) else "",
            stand_in_note(experiment, list(dict.fromkeys(frame["graph"]))),
        )
    ).strip()
    if frame["gteps"].isna().all():
        what = "no rows yet" if frame.empty else "no threshold succeeded"
        figure = style.message_figure(f"{experiment.name}: {what}")
        return [Drawing("rate_against_threshold", figure, frame, caption)]
    return [Drawing("rate_against_threshold", lambda: panels(experiment, frame), frame, caption)]


def band(experiment: Experiment) -> tuple[float, float, str] | None:
    """The thresholds that the paper's text calls best, and on which graph and GPUs."""
    paper = paper_table(experiment.name)
    if paper is None:
        return None
    ends = [
        float(paper.cell(paper.graphs[0], f"threshold_best_{e}")) for e in ("lowest", "highest")
    ]
    return ends[0], ends[1], f"{paper.graphs[0]} with {paper.threads[0]} GPUs"


def experiment_sentence(experiment: Experiment) -> str:
    found = band(experiment)
    if found is None:
        return ""
    return (
        f"The band is what the paper's text calls best on {found[2]}, another scale and other "
        "hardware than here; more GPUs "
        "want fewer normal edges between them, and so another threshold than one. "
    )


def panels(experiment: Experiment, frame: pd.DataFrame):
    graphs = list(dict.fromkeys(frame["graph"]))
    cases = list(dict.fromkeys(frame["case"]))
    figure = style.new_figure(style.COLUMN_IN * min(2, len(graphs)), 2.6)
    grid = figure.subplots(1, len(graphs), squeeze=False, sharey=True)[0]
    for axes, graph in zip(grid, graphs, strict=True):
        for index, case in enumerate(cases):
            rows = frame[(frame["graph"] == graph) & (frame["case"] == case)]
            rows = rows[rows["gteps"].notna()]
            spread = [rows["gteps"] - rows["lowest"], rows["highest"] - rows["gteps"]]
            axes.errorbar(rows["threshold"], rows["gteps"], [s.clip(lower=0) for s in spread],
                          marker=style.marker(index), color=style.color(index), capsize=2,
                          elinewidth=0.6, label=case)  # fmt: skip
        axes.set_xscale("log", base=2)
        if found := band(experiment):
            axes.axvspan(found[0], found[1], color="#7A7A7A", alpha=0.15, linewidth=0,
                         label=f"paper's best, on {found[2]}")  # fmt: skip
        axes.set_ylim(bottom=0)
        axes.set_title(f"{experiment.machine}: {graph_label(experiment, graph)}")
        axes.set_xlabel("degree threshold TH")
    grid[0].set_ylabel("rate [GTEPS],\ngeometric mean over sources")
    style.legend_above(figure, grid[0], columns=3)
    return figure


def finding(drawing: Drawing, experiments: list[Experiment]) -> str:
    frame = sentences.ours(drawing.numbers)
    good = frame[frame["gteps"].notna()].reset_index(drop=True)
    if good.empty:
        return ""
    top = good.loc[good["gteps"].idxmax()]
    same = good[(good["graph"] == top["graph"]) & (good["case"] == top["case"])]
    over = (
        f", and {number(top['gteps'] / same['gteps'].min())} times its lowest over all thresholds"
    )
    return (
        f"The highest rate is {number(top['gteps'])} GTEPS, of {top['case']} with TH = "
        f"{top['threshold']:g} on {sentences.place(top)}{'' if experiments[0].mixed else over}, by "
        "geometric means over sources."
    )
