# SPDX-License-Identifier: Apache-2.0
"""Speed-ups over a spec's baseline, graph by graph."""

from __future__ import annotations

import pandas as pd

from . import ratios
from .cells import Cell, failed_cells, time_cell
from .load import OURS, Experiment
from .paper import PaperTable
from .xbfs import our_row

COLUMNS = (
    "origin,machine,graph,stand_in_for,paper_name,case,baseline,status,sources,time_ms,baseline_ms,"
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


def baseline_case(experiment: Experiment) -> str:
    """The spec's baseline, or else the first case that was run; empty where none was."""
    ran = set(experiment.timed["case"])
    first = next((case for case in experiment.case_order if case in ran), "")
    return experiment.spec.get("baseline") or first


def baselines(experiment: Experiment) -> dict[str, str]:
    """By series, the series of the baseline that it is compared with: where the baseline is swept,
    the one whose swept values it has, too. Empty where there is none.

    >>> {"beamer, threads=2": "work, threads=2"}
    """
    baseline = baseline_case(experiment)
    cases = dict(zip(experiment.runs["series"], experiment.runs["case"], strict=True))
    values = {series: _swept(series, case) for series, case in cases.items()}
    of_baseline = [series for series, case in cases.items() if case == baseline]
    keys = set(values[of_baseline[0]]) if of_baseline else set()

    def at(series: str) -> frozenset:
        return frozenset((key, values[series].get(key)) for key in keys)

    known = {at(series): series for series in of_baseline}
    return {series: known.get(at(series), "") for series in cases}


def _swept(series: str, case: str) -> dict[str, str]:
    """ "a case, threads=2, alpha=1" -> {"threads": "2", "alpha": "1"}"""
    parts = series.removeprefix(case).removeprefix(OURS).split(", ")[1:]
    return dict(part.split("=", 1) for part in parts)


def speedups(experiment: Experiment) -> pd.DataFrame:
    """One row per (graph, case), COLUMNS: median times, and the baseline's over the case's, source
    by source (plots.ratios). NaN where either has failed."""
    measured, base_of = cells(experiment), baselines(experiment)
    rows = []
    for (graph, case), cell in measured.items():
        base = measured.get((graph, base_of[case]), Cell())
        rows.append(
            {
                **our_row(experiment, graph),
                "case": case,
                "baseline": base_of[case],
                "status": cell.failure.lower() or ("ok" if cell.ok else ""),
                "sources": len(cell.times_ms),
                "time_ms": cell.median_ms,
                "baseline_ms": base.median_ms,
                **ratios.compared(base, cell),
                "reason": cell.reason,
            }
        )
    return pd.DataFrame(rows, columns=COLUMNS)


def beside_baseline(frame: pd.DataFrame) -> list[str]:
    """The cases that are not the baseline themselves."""
    ours = frame[frame["origin"] == "ours"]
    return list(dict.fromkeys(ours.loc[ours["case"] != ours["baseline"], "case"]))


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
    """Names the cells that failed, so that no mean hides them; empty if none did."""
    failed = frame[(frame["origin"] == "ours") & ~frame["status"].isin(["ok", ""])]
    if failed.empty:
        return ""
    sentence = failed_cells(failed, (frame["origin"] == "ours").sum())
    return f"{sentence}: their graphs are in no mean. "
