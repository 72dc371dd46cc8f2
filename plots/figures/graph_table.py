# SPDX-License-Identifier: Apache-2.0
"""xbfs Table 1: vertices, edges and size as published, beside the graphs as they are here."""

from __future__ import annotations

import pandas as pd

from .. import sentences, style
from ..drawing import Drawing
from ..labels import graph_name, stand_in_note
from ..load import Experiment
from ..paper import PaperTable, paper_table
from ..table import Row, Table
from ..xbfs import paper_name

CAPTION = (
    "Graphs as the paper prints them and as they are here. |E| counts edges as read, before a "
    "reverse is added to each and duplicates are dropped, and of a stand-in the distinct edges, "
    "since its generator draws some twice: where the published edges are directed, the two "
    "directions of one count once here, though the stand-in has the published number of them; "
    "entries are what the adjacency lists then hold. The "
    "paper's |V| of DP and TR is the larger side of a bipartite graph, since it reads both sides "
    "as one: so do dblp-author-xbfs and trackers-xbfs, while trackers has both. The paper does not "
    "say "
    "what its size refers to: for LJ and OR it is that of SNAP's text file, so ours, the bytes of "
    "the CSR in memory (8 per vertex, 4 per entry), is another quantity and is shown apart. "
)
STATISTIC = "exact counts; the paper's numbers as printed"
COLUMNS = (
    "origin,graph,stand_in_for,paper_name,vertices,edges,entries,size,size_unit,max_degree"
).split(",")


def numbers(experiment: Experiment) -> pd.DataFrame:
    """One row per graph of the paper (size as printed, in size_unit) and one per graph of ours."""
    rows = []
    paper = paper_table(experiment.name)
    for name in paper.graphs if paper else []:
        units = paper.rows[(paper.rows["graph"] == name) & (paper.rows["metric"] == "size")]
        rows.append(
            {
                "origin": "paper",
                "graph": name,
                "stand_in_for": "",
                "paper_name": name,
                "vertices": _number(paper, name, "vertices"),
                "edges": _number(paper, name, "edges"),
                "size": _number(paper, name, "size"),
                "size_unit": units.iloc[0]["unit"] if len(units) else "",
            }
        )
    facts = experiment.graphs.drop_duplicates("graph", keep="last").set_index("graph")
    for graph in experiment.graph_order:
        if graph not in facts.index:
            continue
        known = facts.loc[graph]
        rows.append(
            {
                "origin": "ours",
                "graph": graph,
                "stand_in_for": experiment.stand_in_for(graph),
                "paper_name": paper_name(experiment, graph),
                "vertices": known["vertices"],
                "edges": _edges(experiment, graph, known),
                "entries": known["edges"],
                "size": known.get("graph_bytes", float("nan")),
                "size_unit": "B",
                "max_degree": known.get("max_degree", float("nan")),
            }
        )
    return pd.DataFrame(rows, columns=COLUMNS)


def _edges(experiment: Experiment, graph: str, known: pd.Series) -> float:
    """Edge lines of a file; of a stand-in the distinct edges, since its generator repeats some."""
    if experiment.stand_in_for(graph) and known.get("symmetric", 0):
        return known["edges"] / 2
    return known.get("input_edges", float("nan"))


def _number(paper: PaperTable, graph: str, metric: str) -> float:
    return float(paper.cell(graph, metric) or "nan")


def draw(experiments: list[Experiment]) -> list[Drawing]:
    experiment = experiments[0]
    frame = numbers(experiment)
    ours = frame[frame["origin"] == "ours"]
    caption = f"{CAPTION}{difference_note(frame)}{stand_in_note(experiment, list(ours['graph']))}"
    caption = caption.strip()
    if frame.empty:
        figure = style.message_figure(f"{experiment.name}: no graphs yet")
        return [Drawing("graph_table", figure, frame, caption)]
    shape = shaped(frame)
    return [Drawing("graph_table", shape, frame, caption)]


def shaped(frame: pd.DataFrame) -> Table:
    """The paper's graphs in its order, each with ours below it, then our others."""
    header = [("Graph", 1), ("|V|", 1), ("|E|", 1), ("Entries", 1), ("Size, paper", 1),
              ("CSR", 1), ("Max. degree", 1)]  # fmt: skip
    body: list[Row] = []
    theirs, ours = (frame[frame["origin"] == origin] for origin in ("paper", "ours"))
    for _, row in theirs.iterrows():
        cells = [f"{row['graph']}, as published", _count(row["vertices"]), _count(row["edges"]), "",
                 f"{row['size']:g} {row['size_unit']}", "", ""]  # fmt: skip
        body.append(Row(cells, faint=set(range(1, len(cells)))))
        body.extend(_ours(one) for _, one in ours.iterrows() if one["paper_name"] == row["graph"])
    others = ours[~ours["paper_name"].isin(set(theirs["graph"]))]
    if len(theirs) and len(others):
        body.append(Row(["Not of the paper"]))
    body.extend(_ours(row) for _, row in others.iterrows())
    return Table([header], body)


def _ours(row: pd.Series) -> Row:
    name = graph_name(row["graph"])
    if row["stand_in_for"]:
        name = f"stand-in for {row['stand_in_for']}: {name}"
    mib = f"{row['size'] / 2**20:,.0f} MiB" if row["size"] == row["size"] else ""
    return Row([f"  {name}", _count(row["vertices"]), _count(row["edges"]), _count(row["entries"]),
                "", mib, _count(row["max_degree"])])  # fmt: skip


def _count(value: float) -> str:
    return f"{value:,.0f}" if value == value else ""


def difference_note(frame: pd.DataFrame) -> str:
    """The farthest that ours are from the published |V| and |E|."""
    theirs = frame[frame["origin"] == "paper"].set_index("graph")
    far = []
    for _, row in frame[frame["origin"] == "ours"].iterrows():
        if row["paper_name"] not in theirs.index:
            continue
        published = theirs.loc[row["paper_name"]]
        off = max(abs(row[m] / published[m] - 1) for m in ("vertices", "edges"))
        if off == off:
            far.append((off, row["paper_name"]))
    if not far:
        return "None of the paper's graphs is among ours. " if len(theirs) else ""
    off, name = max(far)
    return f"Of |V| and |E|, ours are within {100 * off:.2g} % of the published ({name}'s). "


def finding(drawing: Drawing, experiments: list[Experiment]) -> str:
    ours = sentences.ours(drawing.numbers)
    if ours.empty:
        return ""
    near = difference_note(drawing.numbers).strip()
    sizes = sentences.ends(ours, "vertices", "{:,.0f} vertices".format)
    entries = sentences.ends(ours, "entries", "{:,.0f} adjacency entries".format)
    count = sentences.several(len(ours), "graph")
    return f"The {count} here have {sizes} and {entries}. {near}".strip()
