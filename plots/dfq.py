# SPDX-License-Identifier: Apache-2.0
"""dfq's experiments: what their rows switch, in the paper's words, and its averages of times."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from .catalog import entries
from .cells import Cell, time_cell
from .labels import graph_name
from .load import Experiment, toggles

ENGINE = "dfq"
ALL = "all eight"  # the graph that the paper's averages are filed under
SHUFFLED = ",relabel=shuffle"

# The switches that figures distinguish, with the engine's defaults.
SWITCHES = {
    "queue": "decentralized",
    "collect": "single_scan",
    "memory": "shared",
    "capacity": "2048",
    "reserve": "warp",
    "scan": "by_block",
    "ctas": "0",
    "enqueue": "thread",
    "expand": "virtual_warp",
}


def switched(experiment: Experiment) -> pd.DataFrame:
    """The timed rows of the engine dfq, one column per switch."""
    rows = experiment.timed
    rows = rows[rows["engine"] == ENGINE]
    switches = [SWITCHES | toggles(text) for text in rows["toggles"]]
    return rows.assign(**{name: [t[name] for t in switches] for name in SWITCHES})


def by_graph_and_case(experiment: Experiment) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """Every graph with every case, in the spec's order, and the dfq rows of the two."""
    rows = switched(experiment)
    for graph in experiment.graph_order:
        for case in experiment.case_order:
            yield graph, case, rows[(rows["graph"] == graph) & (rows["case"] == case)]


def queue_word(row: pd.Series) -> str:
    """BASE, HQ, DFQ-G-2048: the paper's name of a queue."""
    names = {"none": "Status scan", "central": "BASE", "hierarchical": "HQ"}
    if row["queue"] in names:
        return names[row["queue"]]
    return f"DFQ-{row['memory'][0].upper()}-{row['capacity']}"


def measured_row(experiment: Experiment, graph: str, case: str, cell: Cell) -> dict:
    """Returns the columns that every figure's numbers have for a graph and a case."""
    return {
        "machine": experiment.machine,
        "graph": graph,
        "stand_in_for": experiment.stand_in_for(graph),
        "data_set": paper_name(experiment, graph),
        "case": case,
        "status": cell.failure.lower() or ("ok" if cell.ok else ""),
        "sources": len(cell.times_ms),
        "time_ms": cell.mean_ms,
        "reason": cell.reason,
    }


def mean_cell(rows: pd.DataFrame) -> Cell:
    """The paper averages 100 runs: the arithmetic mean over sources of the mean of the repeats."""
    return time_cell(rows, "mean")


def data_set(experiment: Experiment, graph: str) -> str:
    """The data set that one of our graphs is or stands in for, by the catalogue."""
    replaced = experiment.stand_in_for(graph)
    if replaced:
        return replaced
    for name, entry in entries().items():
        if graph in (name, entry.get("graph")):
            return name
    return graph_name(graph)


def paper_name(experiment: Experiment, graph: str) -> str:
    """The data set of Table I that `graph` is or stands in for, else the graph's own name."""
    replaced = experiment.stand_in_for(graph).partition(",")[0]
    return replaced or data_set(experiment, graph.replace(SHUFFLED, ""))


def short_label(experiment: Experiment, graph: str, separator: str = "\n") -> str:
    """For crowded axes: a stand-in is "com-lj" over "(stand-in)"."""
    if experiment.stand_in_for(graph):
        return f"{paper_name(experiment, graph)}{separator}(stand-in)"
    return graph_name(graph.replace(SHUFFLED, ""))


def shuffled_note(experiment: Experiment) -> str:
    """Graphs whose ids are shuffled, which short labels omit."""
    graphs = [graph for graph in experiment.graph_order if SHUFFLED in graph]
    if not graphs:
        return ""
    every = len(graphs) == len(experiment.graph_order)
    names = "every graph" if every else ", ".join(graph_name(g.partition(",")[0]) for g in graphs)
    return f"The ids of {names} are shuffled, as the paper's are. "


def lengths_note(experiment: Experiment) -> str:
    """The length of hierarchical queues, which the paper does not state."""
    rows = switched(experiment)
    lengths = sorted(set(rows.loc[rows["queue"] == "hierarchical", "capacity"].astype(int)))
    if not lengths:
        return ""
    words = [f"{n:,}" if n else "as many as the shared memory of a CTA holds" for n in lengths]
    return (
        f"Entries of a hierarchical queue (HQ) per CTA: {' or '.join(words)}; the shared memory of "
        f"the paper's GPU, 99 KB per CTA, has space for {99 * 1024 // 4:,}. "
    )


def failures_note(frame: pd.DataFrame) -> str:
    """Names the cells that failed, so that no mean hides them."""
    failed = frame[frame["status"].notna() & ~frame["status"].isin(["ok", ""])]
    if failed.empty:
        return ""
    named = []
    for case, rows in failed.groupby("case", sort=False):
        where = ", ".join(dict.fromkeys(_named(row) for _, row in rows.iterrows()))
        named.append(f"{case} on {where} ({rows.iloc[0]['status'].upper()})")
    return f"Failed here, and in no mean (reasons in the CSV): {'; '.join(named)}. "


def _named(row: pd.Series) -> str:
    if row["stand_in_for"]:
        return f"{row['data_set']}'s stand-in"
    return graph_name(row["graph"].replace(SHUFFLED, ""))
