# SPDX-License-Identifier: Apache-2.0
"""cs406 section 1: vertices, edges, average outdegree and depth of the graphs."""

from __future__ import annotations

import pandas as pd

from .. import sentences, stats, style
from ..caveats import counted
from ..drawing import Drawing
from ..labels import stand_in_note
from ..load import Experiment
from ..paper import paper_table
from ..side_by_side import Column, Section, build, columns_for, paper_value

CAPTION = (
    "Features of the graphs as they are traversed. Edges are directed entries of the adjacency "
    "lists (an undirected edge counts twice), after self-loops and duplicates are dropped. "
    "Depth is the number of hops to the farthest vertex reached: the median over the sources, "
    "and the range where they differ; the paper does not name its source, nor say whether it "
    "counts hops or levels (hops plus one)."
)
STATISTIC = "exact counts; depth: median over sources, and range"
ROWS = {
    "vertices": "# of vertices",
    "edges": "# of edges",
    "average_outdegree": "avg outdegree",
    "depth": "depth",
}


def numbers(experiment: Experiment) -> pd.DataFrame:
    rows = []
    runs = counted(experiment)
    runs = runs[runs["status"] == "ok"]
    for graph in experiment.graph_order:
        facts = experiment.graphs[experiment.graphs["graph"] == graph]
        # `levels` counts non-empty levels, the source's own included.
        depths = runs[(runs["graph"] == graph) & runs["levels"].notna()]
        depths = depths.drop_duplicates("source")["levels"] - 1
        vertices = float(facts.iloc[0]["vertices"]) if len(facts) else float("nan")
        edges = float(facts.iloc[0]["edges"]) if len(facts) else float("nan")
        rows.append(
            {
                "graph": graph,
                "stand_in_for": experiment.stand_in_for(graph),
                "vertices": vertices,
                "edges": edges,
                "average_outdegree": edges / vertices if vertices else float("nan"),
                "depth": stats.median(depths),
                "depth_min": depths.min() if len(depths) else float("nan"),
                "depth_max": depths.max() if len(depths) else float("nan"),
                "sources": len(depths),
            }
        )
    return pd.DataFrame(rows, columns=_COLUMNS)


_COLUMNS = (
    "graph,stand_in_for,vertices,edges,average_outdegree,depth,depth_min,depth_max,sources"
).split(",")


def draw(experiments: list[Experiment]) -> list[Drawing]:
    experiment = experiments[0]
    paper = paper_table(experiment.name)
    frame = numbers(experiment)
    note = stand_in_note(experiment, experiment.graph_order)
    caption = f"{CAPTION} {note}".strip()
    if experiment.graphs.empty:
        figure = style.message_figure(f"{experiment.name}: no graphs yet")
        return [Drawing("features_table", figure, frame, caption)]
    metric_of = {title: metric for metric, title in ROWS.items()}
    by_graph = frame.set_index("graph")

    def ours(column: Column, keys: tuple[str, ...]):
        row, metric = by_graph.loc[column.ours], metric_of[keys[0]]
        value = row[metric]
        if value != value:
            return "", None
        if metric == "depth" and row["depth_min"] < row["depth_max"]:
            return f"{value:g} ({row['depth_min']:g}-{row['depth_max']:g})", None
        return (f"{value:.2f}" if metric == "average_outdegree" else f"{value:.0f}"), None

    def theirs(column: Column, keys: tuple[str, ...]):
        return paper_value(paper, column.paper, metric_of[keys[0]])

    columns = columns_for(experiment, paper)
    rows = [(title,) for title in ROWS.values()]
    shape = build(columns, ["Feature"], rows, [Section("", ours, theirs)], note)
    return [Drawing("features_table", shape, frame, caption)]


def finding(drawing: Drawing, experiments: list[Experiment]) -> str:
    frame = drawing.numbers
    if frame["vertices"].isna().all():
        return ""
    sizes = sentences.ends(frame, "vertices", "{:,.0f} vertices".format)
    text = f"The {sentences.several(len(frame), 'graph')} have {sizes}"
    depths = sentences.ends(frame, "depth", "{:g} hops".format)
    return f"{text}, and depths {depths}, by the median over sources." if depths else f"{text}."
