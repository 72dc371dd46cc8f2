# SPDX-License-Identifier: Apache-2.0
"""Traversal rate against the number of searches that run together."""

from __future__ import annotations

import pandas as pd

from .. import sentences, stats, style
from ..cells import failed_cells, failure_of, number
from ..drawing import Drawing
from ..labels import graph_label, stand_in_note
from ..load import Experiment, toggles

CAPTION = (
    "Traversal rate against the batch, the number of searches that run together; at 1 each runs "
    "alone. A rate is the edges of all sources' components over the time of all their searches: "
    "the searches of a batch share its time, so that no single one has a rate. The CSV also has "
    "the time per search. "
)
STATISTIC = (
    "rate [GTEPS]: median over repeats of (edges of all sources / time of all searches); bars: "
    "from the slowest repeat to the fastest"
)
COLUMNS = (
    "machine,graph,stand_in_for,case,batch,status,sources,repeats,gteps,lowest,highest,"
    "ms_per_search,gain,reason"
).split(",")


def numbers(experiment: Experiment) -> pd.DataFrame:
    """One row per (graph, case, batch). `gain`: the rate over that of the case's searches alone."""
    runs = experiment.timed
    batches = [toggles(text).get("batch") for text in runs["toggles"]]
    runs = runs.assign(batch=pd.to_numeric(pd.Series(batches, index=runs.index)))
    table = []
    for graph in experiment.graph_order:
        for case in experiment.case_order:
            of_case = runs[(runs["graph"] == graph) & (runs["case"] == case)]
            for batch, here in of_case.groupby("batch"):
                table.append(
                    {
                        "machine": experiment.machine,
                        "graph": graph,
                        "stand_in_for": experiment.stand_in_for(graph),
                        "case": case,
                        "batch": int(batch),
                    }
                    | rate(here)
                )
    frame = pd.DataFrame(table, columns=COLUMNS)
    alone = frame[frame["batch"] == 1].set_index(["graph", "case"])["gteps"]
    keys = list(zip(frame["graph"], frame["case"], strict=True))
    return frame.assign(gain=frame["gteps"] / [alone.get(key, float("nan")) for key in keys])


def rate(rows: pd.DataFrame) -> dict:
    """Of one configuration on one graph: all its sources, in all repeats."""
    failure, reason = failure_of(rows)
    if failure:
        return {"status": failure.lower(), "reason": reason, "sources": rows["source"].nunique()}
    sums = rows.groupby("repeat")[["component_edges", "time_ms"]].sum()
    rates = sums["component_edges"] / sums["time_ms"] / 1e6
    return {
        "status": "ok",
        "reason": "",
        "sources": rows["source"].nunique(),
        "repeats": len(sums),
        "gteps": stats.median(rates),
        "lowest": rates.min(),
        "highest": rates.max(),
        "ms_per_search": stats.median(sums["time_ms"] / rows.groupby("repeat").size()),
    }


def draw(experiments: list[Experiment]) -> list[Drawing]:
    experiment = experiments[0]
    frame = numbers(experiment)
    failed = frame[frame["status"] != "ok"]
    caption = "".join(
        (
            CAPTION,
            f"{failed_cells(failed, len(frame))}. " if len(failed) else "",
            stand_in_note(experiment, list(dict.fromkeys(frame["graph"]))),
        )
    ).strip()
    if frame["gteps"].isna().all():
        what = "no rows yet" if frame.empty else "no batch succeeded"
        figure = style.message_figure(f"{experiment.name}: {what}")
        return [Drawing("batch_rates", figure, frame, caption)]
    return [Drawing("batch_rates", lambda: panels(experiment, frame), frame, caption)]


def panels(experiment: Experiment, frame: pd.DataFrame):
    """One panel of each case, one line of each graph."""
    cases = list(dict.fromkeys(frame["case"]))
    graphs = list(dict.fromkeys(frame["graph"]))
    figure = style.new_figure(style.COLUMN_IN * min(2, len(cases)), 2.8)
    grid = figure.subplots(1, len(cases), squeeze=False, sharey=True)[0]
    for axes, case in zip(grid, cases, strict=True):
        for index, graph in enumerate(graphs):
            rows = frame[(frame["graph"] == graph) & (frame["case"] == case)].dropna(
                subset=["gteps"]
            )
            if rows.empty:
                continue
            spread = [rows["gteps"] - rows["lowest"], rows["highest"] - rows["gteps"]]
            axes.errorbar(rows["batch"], rows["gteps"], spread, marker=style.marker(index),
                          color=style.color(index), capsize=2, elinewidth=0.6, linewidth=0.9,
                          markersize=3.5, label=graph_label(experiment, graph, " "))  # fmt: skip
        batches = sorted(set(frame["batch"]))
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.set_xticks(batches, [str(batch) for batch in batches])
        axes.minorticks_off()
        style.plain_log_ticks(axes.yaxis)
        axes.set_title(f"{experiment.machine}: {case}")
        axes.set_xlabel("searches together")
    grid[0].set_ylabel("rate [GTEPS], log axis")
    style.legend_above(figure, *grid, columns=2)
    return figure


def finding(drawing: Drawing, experiments: list[Experiment]) -> str:
    frame = sentences.ours(drawing.numbers)
    good = frame[frame["gain"].notna() & (frame["batch"] > 1)].reset_index(drop=True)
    if good.empty:
        return ""
    most, least = (good.loc[pick] for pick in (good["gain"].idxmax(), good["gain"].idxmin()))

    def clause(row: pd.Series) -> str:
        return f"{number(row['gain'])} times on {sentences.place(row)} (batch {row['batch']:g})"

    lead = f"Searches together reach at most {clause(most)} the rate of searches alone"
    if most.name == least.name:
        return f"{lead}, by medians over repeats."
    return f"{lead}, and at least {clause(least)}, by medians over repeats."
