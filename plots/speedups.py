# SPDX-License-Identifier: Apache-2.0
"""Speed-ups over a spec's baseline, graph by graph."""

from __future__ import annotations

import pandas as pd

from . import ratios
from .cells import Cell, failed_cells, time_cell
from .load import Experiment
from .paper import PaperTable
from .xbfs import our_row

COLUMNS = (
    "origin,machine,graph,stand_in_for,paper_name,case,status,sources,time_ms,baseline_ms,"
    f"{','.join(ratios.COLUMNS)},reason"
).split(",")
ALL = "all ten"  # the graph that the paper's averages are filed under


def cells(experiment: Experiment) -> dict[tuple[str, str], Cell]:
    """By (graph, case): the time of each source is the median of its repeats. Empty cells where
    nothing was run; a swept case has one row per point of the sweep."""
    return {
        (graph, case): time_cell(rows)
        for graph in experiment.graph_order
        for case in experiment.series_order
        if len(rows := experiment.timed_cell(graph, case))
    }


def speedups(experiment: Experiment) -> pd.DataFrame:
    """One row per (graph, case), COLUMNS: median times, and the baseline's over the case's, source
    by source (plots.ratios). NaN where either has failed."""
    measured = cells(experiment)
    cases = list(dict.fromkeys(case for _, case in measured))
    baseline = experiment.spec.get("baseline") or (cases[0] if cases else "")
    rows = []
    for (graph, case), cell in measured.items():
        base = measured.get((graph, baseline), Cell())
        rows.append(
            {
                **our_row(experiment, graph),
                "case": case,
                "status": cell.failure.lower() or ("ok" if cell.ok else ""),
                "sources": len(cell.times_ms),
                "time_ms": cell.median_ms,
                "baseline_ms": base.median_ms,
                **ratios.compared(base, cell),
                "reason": cell.reason,
            }
        )
    return pd.DataFrame(rows, columns=COLUMNS)


def with_paper(frame: pd.DataFrame, paper: PaperTable | None) -> pd.DataFrame:
    """Our rows, and the speed-ups that the paper prints below them."""
    if paper is None:
        return frame
    printed = paper.rows[(paper.rows["metric"] == "speedup") & (paper.rows["value"] != "")]
    rows = [
        {"origin": "paper", "graph": row["graph"], "case": row["method"],
         "speedup": float(row["value"]), "reason": row["note"]}
        for _, row in printed.iterrows()
    ]  # fmt: skip
    return pd.concat([frame, pd.DataFrame(rows, columns=COLUMNS)], ignore_index=True)


def averages(paper: PaperTable | None) -> dict[str, float]:
    """By method, as printed."""
    if paper is None:
        return {}
    return {
        method: float(value)
        for method in paper.methods
        if (value := paper.cell(ALL, "speedup", method)) not in ("", "-")
    }


def failures_note(frame: pd.DataFrame) -> str:
    """Which cells failed, so that no mean hides them; empty where none did."""
    failed = frame[(frame["origin"] == "ours") & ~frame["status"].isin(["ok", ""])]
    if failed.empty:
        return ""
    said = failed_cells(failed, (frame["origin"] == "ours").sum())
    return f"{said}: their graphs are in no mean. "
