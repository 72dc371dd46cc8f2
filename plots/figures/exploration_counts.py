# SPDX-License-Identifier: Apache-2.0
"""How grid2d-cuda explored by the CSR: lanes for each entry, and claims for each find."""

from __future__ import annotations

import pandas as pd

from .. import sentences
from ..cells import number
from ..drawing import Drawing
from ..labels import graph_label
from ..level_counts import counts_by_case, draw_counts
from ..load import Experiment
from ..table import Row, Table

PART = r"explore(,gpu=\d+)?"
METRICS = ["lanes", "claims"]
CAPTION = (
    "Counts of instrumented searches, added up over all top-down levels of all sources. A warp "
    "that reads a row 32 entries at a time takes 32 lanes for each of these turns, idle ones "
    "included: one lane for each entry means that no lane was idle. A claim is an atomicOr of the "
    "bitmap of what the level finds. Where only the bitmap of the levels before is looked up, "
    "there is one for each entry that leads to a vertex not visited by then. "
)
STATISTIC = "exact counts, summed over the top-down levels of all instrumented searches"
COLUMNS = (
    "graph,stand_in_for,case,searches,levels,edges_checked,found_vertices,lanes,claims,"
    "lanes_per_entry,claims_per_find"
).split(",")


def numbers(experiment: Experiment) -> pd.DataFrame:
    """One row per (graph, case) with top-down levels that counted lanes and claims."""
    facts = ["edges_checked", "found_vertices"]
    frame = counts_by_case(experiment, PART, METRICS, facts, COLUMNS, of_levels)
    return frame[frame["levels"] > 0].reset_index(drop=True)


def of_levels(levels: pd.DataFrame) -> dict:
    """The sums of one graph and case over its top-down levels, which alone count."""
    top_down = levels[levels["lanes"].notna()]
    sums = top_down[["edges_checked", "found_vertices", *METRICS]].sum()
    return {
        "levels": len(top_down),
        **sums,
        "lanes_per_entry": ratio(sums["lanes"], sums["edges_checked"]),
        "claims_per_find": ratio(sums["claims"], sums["found_vertices"]),
    }


def ratio(count: float, of: float) -> float:
    return count / of if of else float("nan")


def draw(experiments: list[Experiment]) -> list[Drawing]:
    experiment = experiments[0]
    frame = numbers(experiment)
    return draw_counts("exploration_counts", experiment, frame, CAPTION, shaped(experiment, frame))


def shaped(experiment: Experiment, frame: pd.DataFrame) -> Table:
    header = [
        ("Exploration", 1),
        ("lanes for\neach entry", 1),
        ("claims for\neach find", 1),
        ("top-down\nlevels", 1),
    ]
    body: list[Row] = []
    for graph, rows in frame.groupby("graph", sort=False):
        body.append(Row([graph_label(experiment, graph, " ")]))
        for _, row in rows.iterrows():
            shown = [row["lanes_per_entry"], row["claims_per_find"]]
            cells = [number(value) if value == value else "" for value in shown]
            body.append(Row([f"  {row['case']}", *cells, f"{row['levels']:,.0f}"]))
    return Table([header], body)


def finding(drawing: Drawing, experiments: list[Experiment]) -> str:
    frame = drawing.numbers
    lanes = sentences.ends(frame, "lanes_per_entry", number, sentences.place_of_case)
    claims = sentences.ends(frame, "claims_per_find", number, sentences.place_of_case)
    parts = [f"warps take {lanes} lanes for each entry"] if lanes else []
    parts += [f"they claim {claims} times for each find"] if claims else []
    return f"{sentences.capital(sentences.listed(parts))}, by exact counts." if parts else ""
