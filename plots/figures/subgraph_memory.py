# SPDX-License-Identifier: Apache-2.0
"""scalable-bfs Table I: bytes of the four subgraphs, beside an edge list and a CSR."""

from __future__ import annotations

import pandas as pd

from .. import sentences, style
from ..cells import number
from ..drawing import Drawing
from ..labels import graph_name
from ..load import Experiment
from ..measures import counted, fact, scale_of, wide
from ..paper import PaperTable, paper_table
from ..table import Row, Table

CAPTION = (
    "Bytes of the subgraphs that degree separation makes, over all GPUs, in MB of 10^6. Row "
    "offsets are 4 bytes (8 where a GPU's subgraph holds 2^32 edges or more, marked), columns 4 "
    "bytes, 8 for nn. The edge list has 16 bytes per edge, the conventional CSR 8 bytes per vertex "
    "and 8 per edge; m counts doubled edges, duplicates and self-loops included."
)
STATISTIC = "exact counts or expectations, in MB of 10^6 bytes"
CLASSES = ("nn", "nd", "dn", "dd")
_COLUMNS = (
    "graph,case,method,scale,threshold,gpus,subgraph,edges,offset_width_bytes,offsets_bytes,"
    "columns_bytes,total_bytes,table_i_bytes,edge_list_bytes,csr_bytes,gpu_edges_min,gpu_edges_max"
).split(",")


def numbers(experiment: Experiment) -> pd.DataFrame:
    """One row per (trial, threshold, subgraph), and one for all four together."""
    rows = counted(experiment, "degree-separation")
    at = wide(rows, "threshold")
    out = []
    for trial in dict.fromkeys(rows["trial"]):
        about = rows[rows["trial"] == trial].iloc[0]
        shared = {
            "graph": about["graph"],
            "case": about["case"],
            "method": about["method"],
            "scale": scale_of(fact(rows, trial, "vertices")),
            "gpus": fact(rows, trial, "gpus"),
            "edge_list_bytes": fact(rows, trial, "memory_edge_list"),
            "csr_bytes": fact(rows, trial, "memory_csr"),
        }
        for _, row in at[at["trial"] == trial].iterrows():
            offsets = columns = 0.0
            for name in CLASSES:
                here = (row[f"memory_{name}_offsets"], row[f"memory_{name}_columns"])
                offsets, columns = offsets + here[0], columns + here[1]
                out.append(
                    shared
                    | {
                        "threshold": int(row["threshold"]),
                        "subgraph": name,
                        "edges": row[f"edges_{name}"],
                        "offset_width_bytes": row[f"offset_width_{name}"],
                        "offsets_bytes": here[0],
                        "columns_bytes": here[1],
                        "total_bytes": sum(here),
                    }
                )
            out.append(
                shared
                | {
                    "threshold": int(row["threshold"]),
                    "subgraph": "Total",
                    "edges": fact(rows, trial, "edges"),
                    "offsets_bytes": offsets,
                    "columns_bytes": columns,
                    "total_bytes": row["memory"],
                    "table_i_bytes": row["memory_table_i"],
                    "gpu_edges_min": row.get("gpu_edges_min"),
                    "gpu_edges_max": row.get("gpu_edges_max"),
                }
            )
    return pd.DataFrame(out, columns=_COLUMNS)


def draw(experiments: list[Experiment]) -> list[Drawing]:
    experiment = experiments[0]
    frame = numbers(experiment)
    paper = paper_table(experiment.name)
    caption = " ".join([CAPTION, *findings(frame)])
    if frame.empty:
        figure = style.message_figure(f"{experiment.name}: no counts yet")
        return [Drawing("subgraph_memory", figure, frame, caption)]
    shape = layout(experiment, frame, paper)
    return [Drawing("subgraph_memory", shape, frame, caption)]


def layout(experiment: Experiment, frame: pd.DataFrame, paper: PaperTable | None) -> Table:
    groups = list(frame.groupby(["graph", "case", "threshold"], sort=False))
    titles: list[tuple[str, int]] = [("", 1)]
    names: list[tuple[str, int]] = [("Subgraph", 1)]
    if paper:
        titles.append(("Table I, one GPU", 2))
        names += [("offsets", 1), ("columns", 1)]
    for (_, case, threshold), rows in groups:
        titles.append((f"{graph_and_method(rows.iloc[0])}\n{case}, TH = {threshold}", 3))
        names += [("offsets", 1), ("columns", 1), ("edges", 1)]
    body = []
    for name in (*CLASSES, "Total"):
        cells = [name]
        if paper:
            cells += [formula(paper, name, "row_offsets"), formula(paper, name, "column_indices")]
        for _, rows in groups:
            row = rows[rows["subgraph"] == name].iloc[0]
            mark = "\u2021" if row["offset_width_bytes"] == 8 else ""
            cells += [
                megabytes(row["offsets_bytes"]) + mark,
                megabytes(row["columns_bytes"]),
                f"{100 * row['edges'] / rows.iloc[-1]['edges']:.1f} %",
            ]
        body.append(Row(cells, faint={1, 2} if paper else set()))
    for title, column, printed in (
        ("share of edge list", "edge_list_bytes", "about 1/3"),
        ("share of CSR", "csr_bytes", "above 1/2"),
    ):
        cells = [title] + ([printed, ""] if paper else [])
        for _, rows in groups:
            total = rows.iloc[-1]
            cells += [f"{total['total_bytes'] / total[column]:.3f}", "", ""]
        body.append(Row(cells, faint={1, 2} if paper else set()))
    wide_offsets = (frame["offset_width_bytes"] == 8).any()
    note = "MB of 10^6 bytes, all GPUs together; edges: share of m."
    if wide_offsets:
        note += " \u2021 8-byte offsets: 4 bytes would overflow on a GPU."
    return Table([titles, names], body, note=note)


def graph_and_method(row: pd.Series) -> str:
    graph = row["graph"] if row["scale"] != row["scale"] else f"RMAT scale {row['scale']:.0f}"
    return f"{graph_name(graph)}, {'expected' if row['method'] == 'expect' else 'counted'}"


def formula(paper: PaperTable, subgraph: str, metric: str) -> str:
    rows = paper.rows[(paper.rows["method"] == subgraph) & (paper.rows["metric"] == metric)]
    return str(rows.iloc[0]["note"]) if len(rows) else ""


def megabytes(value: float) -> str:
    return f"{value / 1e6:,.1f}" if value < 1e9 else f"{value / 1e6:,.0f}"


def findings(frame: pd.DataFrame) -> list[str]:
    sentences = []
    for (_, case, threshold), rows in frame.groupby(["graph", "case", "threshold"], sort=False):
        total = rows.iloc[-1]
        text = (
            f"{graph_and_method(total)}, {case}, TH = {threshold}: "
            f"{total['total_bytes'] / total['edge_list_bytes']:.2f} of the edge list, "
            f"{total['total_bytes'] / total['csr_bytes']:.2f} of the CSR"
        )
        if total["gpu_edges_max"] == total["gpu_edges_max"] and total["gpu_edges_max"]:
            spread = 100 * (total["gpu_edges_max"] / total["gpu_edges_min"] - 1)
            text += f"; the fullest GPU has {spread:.1f} % more edges than the emptiest"
        sentences.append(text + ".")
    if sentences:
        sentences.append(
            "The paper says about a third of the edge list and a little more than half of the CSR."
        )
    if (frame["offset_width_bytes"] == 8).any():
        sentences.append("What widened offsets add is in these shares, not in Table I.")
    return sentences


def finding(drawing: Drawing, experiments: list[Experiment]) -> str:
    frame = drawing.numbers
    whole = frame[frame["subgraph"] == "Total"].reset_index(drop=True)
    if whole.empty:
        return ""
    whole = whole.assign(csr_pct=100 * whole["total_bytes"] / whole["csr_bytes"])

    def where(row: pd.Series) -> str:
        return f"{graph_and_method(row)} (TH = {row['threshold']})"

    ends = sentences.ends(whole, "csr_pct", "{:.0f} %".format, where)
    top = whole.loc[whole["total_bytes"].idxmax()]
    return (
        f"Of the bytes of a CSR the four subgraphs take {ends}, and they take at most "
        f"{number(top['total_bytes'] / 1e9)} GB on {where(top)}, by exact counts or expectations."
    )
