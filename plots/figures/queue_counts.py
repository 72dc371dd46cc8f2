# SPDX-License-Identifier: Apache-2.0
"""How frontier queues of dfq were filled: counts of atomics, drains and scanning blocks."""

from __future__ import annotations

import pandas as pd

from .. import sentences
from ..cells import number
from ..drawing import Drawing
from ..labels import graph_label
from ..level_counts import counts_by_case, draw_counts
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
    return counts_by_case(experiment, PART, METRICS, ["frontier_vertices"], COLUMNS, of_levels)


def of_levels(levels: pd.DataFrame) -> dict:
    """The sums of one graph and case, from one row per level of each search."""
    collected = levels[levels["atomics"].notna()]
    vertices = float(collected["frontier_vertices"].sum())
    atomics = collected["atomics"].sum(min_count=1)
    drains = levels["drains"].sum(min_count=1)
    return {
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
    return draw_counts("queue_counts", experiment, frame, CAPTION, shaped(experiment, frame))


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
