# SPDX-License-Identifier: Apache-2.0
"""How frontier queues of dfq were filled: counts of atomics, drains and scanning blocks."""

from __future__ import annotations

import pandas as pd

from .. import sentences, style, table
from ..cells import number
from ..drawing import Drawing
from ..labels import graph_label, stand_in_note
from ..load import Experiment
from ..table import Row, Table

PART = "queue"
METRICS = ["atomics", "drains", "scanning_blocks"]
CAPTION = (
    "Counts of instrumented searches, added up over the levels of all sources. An atomic is an "
    "addition to the size of a queue: with one atomic per vertex there are as many as frontier "
    "vertices, and one atomic per warp serves up to 32 of them. A drain empties the queue of one "
    "CTA. Blocks are those that had statuses to scan in a level. A level whose frontier was "
    "collected while the one before was expanded counts nothing here. "
)
STATISTIC = "exact counts, summed over the levels of all instrumented searches"
COLUMNS = (
    "graph,stand_in_for,case,searches,levels,frontier_vertices,atomics,atomics_per_vertex,drains,"
    "drains_per_level,most_drains_of_a_level,scanning_blocks"
).split(",")


def numbers(experiment: Experiment) -> pd.DataFrame:
    """One row per (graph, case); NaN for what was not counted."""
    runs = experiment.instrumented
    runs = runs[runs["status"] == "ok"][["trial", "graph", "series"]]
    keys = ["trial", "level"]
    frontiers = experiment.levels.groupby(keys, as_index=False)["frontier_vertices"].sum()
    measures = experiment.measures
    measures = measures[(measures["part"] == PART) & measures["level"].notna()]
    if measures.empty or runs.empty:
        return pd.DataFrame(columns=COLUMNS)
    counts = measures.pivot_table("value", keys, "metric", aggfunc="sum").reindex(columns=METRICS)
    joined = runs.merge(frontiers, on="trial").merge(counts.reset_index(), on=keys, how="left")
    rows = []
    for graph in experiment.graph_order:
        for case in experiment.series_order:
            here = joined[(joined["graph"] == graph) & (joined["series"] == case)]
            if len(here):
                rows.append(
                    {
                        "graph": graph,
                        "stand_in_for": experiment.stand_in_for(graph),
                        "case": case,
                        **of_levels(here),
                    }
                )
    return pd.DataFrame(rows, columns=COLUMNS)


def of_levels(levels: pd.DataFrame) -> dict:
    """The sums of one graph and case, from one row per level of each search."""
    collected = levels[levels["atomics"].notna()]
    vertices = float(collected["frontier_vertices"].sum())
    atomics = collected["atomics"].sum(min_count=1)
    drains = levels["drains"].sum(min_count=1)
    return {
        "searches": levels["trial"].nunique(),
        "levels": len(levels),
        "frontier_vertices": vertices,
        "atomics": atomics,
        "atomics_per_vertex": atomics / vertices if vertices else float("nan"),
        "drains": drains,
        "drains_per_level": drains / len(levels),
        "most_drains_of_a_level": levels["drains"].max(),
        "scanning_blocks": levels["scanning_blocks"].max(),
    }


def draw(experiments: list[Experiment]) -> list[Drawing]:
    experiment = experiments[0]
    frame = numbers(experiment)
    caption = f"{CAPTION}{stand_in_note(experiment, experiment.graph_order)}".strip()
    if frame.empty:
        figure = style.message_figure(f"{experiment.name}: nothing was counted yet")
        return [Drawing("queue_counts", figure, frame, caption)]
    shape = shaped(experiment, frame)
    return [
        Drawing("queue_counts", lambda: table.draw(shape), frame, caption, table.markdown(shape))
    ]


def shaped(experiment: Experiment, frame: pd.DataFrame) -> Table:
    header = [
        ("Queue", 1),
        ("atomics for\neach frontier vertex", 1),
        ("drains\nper level", 1),
        ("most drains\nof a level", 1),
        ("most blocks\nthat scan", 1),
    ]
    body: list[Row] = []
    for graph, rows in frame.groupby("graph", sort=False):
        body.append(Row([graph_label(experiment, graph, " ")]))
        for _, row in rows.iterrows():
            shown = ["atomics_per_vertex", "drains_per_level"]
            counted = ["most_drains_of_a_level", "scanning_blocks"]
            cells = [ratio(row[name]) for name in shown] + [count(row[name]) for name in counted]
            body.append(Row([f"  {row['case']}", *cells]))
    return Table([header], body)


def ratio(value: float) -> str:
    return count(value) if value >= 1000 else number(value)


def count(value: float) -> str:
    return f"{value:,.0f}" if value == value else ""


def finding(drawing: Drawing, experiments: list[Experiment]) -> str:
    frame = drawing.numbers
    atomics = sentences.ends(frame, "atomics_per_vertex", number, sentences.place_of_case)
    drains = sentences.ends(frame, "drains_per_level", number, sentences.place_of_case)
    parts = [f"queues take {atomics} atomics for each frontier vertex"] if atomics else []
    parts += [f"CTAs drain {drains} times per level, all together"] if drains else []
    return f"{sentences.capital(sentences.listed(parts))}, by exact counts." if parts else ""
