# SPDX-License-Identifier: Apache-2.0
"""dfq Table I: the data sets, what they are, their published counts, and what ran here."""

from __future__ import annotations

import pandas as pd

from .. import sentences, style
from ..catalog import entries
from ..dfq import data_set
from ..drawing import Drawing
from ..labels import graph_name, stand_in_note, wrapped
from ..load import Experiment
from ..measures import counted, fact
from ..paper import PaperTable, paper_table
from ..table import Row, Table

CAPTION = (
    "The paper's data sets: type and description as it prints them, |V| and |E| as their "
    "distributors publish them (the paper's table has no counts; what |E| counts differs), and "
    "below each what was counted here: vertices, those that have an edge, directed entries of the "
    "adjacency lists after symmetrizing (an upper bound if the graph was not built), and the "
    "bytes of a central queue against the decentralized one."
)
STATISTIC = "exact counts; paper's and distributors' numbers as printed"
BOUND = "at most this many directed entries: duplicates were not counted separately"
COLUMNS = (
    "origin,data_set,graph,stand_in_for,type,description,vertices,edges,edges_are,"
    "non_isolated_vertices,central_bytes,decentralized_bytes"
).split(",")


def printed(paper: PaperTable, name: str, metric: str) -> str:
    """A cell of text: the transcription keeps it as the note of an empty number."""
    rows = paper.rows[(paper.rows["graph"] == name) & (paper.rows["metric"] == metric)]
    return str(rows.iloc[0]["note"]) if len(rows) else ""


def numbers(experiment: Experiment) -> pd.DataFrame:
    """One row per data set of the paper, and one per graph that was counted here."""
    paper = paper_table(experiment.name)
    rows = []
    for name in paper.graphs if paper else []:
        entry = entries().get(name, {})
        rows.append(
            {
                "origin": "paper",
                "data_set": name,
                "type": printed(paper, name, "type"),
                "description": printed(paper, name, "description"),
                "vertices": entry.get("vertices") or float("nan"),
                "edges": entry.get("edges") or float("nan"),
                "edges_are": entry.get("edges_are", ""),
            }
        )
    counts = counted(experiment, "queue-memory")
    bounds = experiment.graphs.drop_duplicates("graph", keep="last").set_index("graph")["edges"]
    for trial in dict.fromkeys(counts["trial"]):
        about = counts[counts["trial"] == trial].iloc[0]
        edges = fact(counts, trial, "edges")
        rows.append(
            {
                "origin": "ours",
                "data_set": data_set(experiment, about["graph"]),
                "graph": about["graph"],
                "stand_in_for": about["stand_in_for"],
                "vertices": fact(counts, trial, "vertices"),
                "edges": edges if edges == edges else bounds.get(about["graph"], float("nan")),
                "edges_are": "directed entries" if edges == edges else BOUND,
                "non_isolated_vertices": fact(counts, trial, "non_isolated_vertices"),
                "central_bytes": fact(counts, trial, "queue_bytes", "central"),
                "decentralized_bytes": fact(counts, trial, "queue_bytes", "decentralized"),
            }
        )
    return pd.DataFrame(rows, columns=COLUMNS)


def draw(experiments: list[Experiment]) -> list[Drawing]:
    experiment = experiments[0]
    frame = numbers(experiment)
    ours = frame[frame["origin"] == "ours"]
    note = stand_in_note(experiment, list(ours["graph"]))
    caption = " ".join(p for p in (CAPTION, absent(frame), note) if p)
    if ours.empty:
        figure = style.message_figure(f"{experiment.name}: no counts yet")
        return [Drawing("data_sets", figure, frame, caption)]
    shape = shaped(frame)
    return [Drawing("data_sets", shape, frame, caption)]


def shaped(frame: pd.DataFrame) -> Table:
    theirs, ours = (frame[frame["origin"] == origin] for origin in ("paper", "ours"))
    header = [("Data set", 1), ("Type", 1), ("Description", 1), ("|V|", 1), ("|E|", 1),
              ("with edges", 1), ("central\\nMB", 1), ("decentral.\\nMB", 1)]  # fmt: skip
    header = [(text.replace("\\n", "\n"), span) for text, span in header]
    body: list[Row] = []
    for _, row in theirs.iterrows():
        cells = [row["data_set"], row["type"], row["description"], count(row["vertices"]),
                 count(row["edges"]), "", "", ""]  # fmt: skip
        body.append(Row(cells, faint={1, 2, 3, 4}))
        body.extend(our_row(one) for _, one in ours[ours["data_set"] == row["data_set"]].iterrows())
    others = ours[~ours["data_set"].isin(set(theirs["data_set"]))]
    if len(theirs) and len(others):
        body.append(Row(["Not of the paper"]))
    body.extend(our_row(row) for _, row in others.iterrows())
    return Table([header], body, text_columns=3)


def our_row(row: pd.Series) -> Row:
    name = wrapped(graph_name(row["graph"]), 200).replace("\n", " ")
    lead = "  stand-in" if row["stand_in_for"] else "  here"
    at_most = "\u2264 " if row["edges_are"] == BOUND and row["edges"] == row["edges"] else ""
    return Row([lead, "", name, count(row["vertices"]), at_most + count(row["edges"]),
                count(row["non_isolated_vertices"]), megabytes(row["central_bytes"]),
                megabytes(row["decentralized_bytes"])])  # fmt: skip


def count(value: float) -> str:
    return f"{value:,.0f}" if value == value else ""


def megabytes(value: float) -> str:
    return f"{value / 1e6:,.2f}" if value == value else ""


def absent(frame: pd.DataFrame) -> str:
    """The paper's data sets that nothing of ours stands for."""
    theirs = frame.loc[frame["origin"] == "paper", "data_set"]
    have = set(frame.loc[frame["origin"] == "ours", "data_set"])
    missing = [name for name in theirs if name not in have]
    return f"Not counted here: {', '.join(missing)}." if missing else ""


def finding(drawing: Drawing, experiments: list[Experiment]) -> str:
    ours = sentences.ours(drawing.numbers)
    if ours.empty:
        return ""

    def shown(value: float) -> str:
        return f"{megabytes(value)} MB"

    return (
        f"Of {sentences.several(len(ours), 'graph')} that were counted, the central queue takes "
        f"{sentences.ends(ours, 'central_bytes', shown)}, and the decentralized one "
        f"{sentences.ends(ours, 'decentralized_bytes', shown)}, by exact counts."
    )
