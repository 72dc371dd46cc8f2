# SPDX-License-Identifier: Apache-2.0
"""Numbers for cs406, Tables 2 to 5 and 10: methods x threads x graphs."""

from __future__ import annotations

import pandas as pd

from . import stats
from .cells import Cell, time_cell
from .load import Experiment
from .paper import METHODS, PaperTable

COLUMNS = (
    "machine,graph,stand_in_for,method,case,threads,status,sources,time_s,baseline_s,speedup,"
    "efficiency,mteps_examined,mteps_component,reason"
).split(",")


def method_names(experiment: Experiment, paper: PaperTable | None) -> dict[str, str]:
    """A name for each case: the paper's word for its engine where its table has one (the first
    case of an engine takes it), else the case's own."""
    names: dict[str, str] = {}
    engines = dict(zip(experiment.runs["case"], experiment.runs["engine"], strict=True))
    for case in experiment.case_order:
        word = METHODS.get(engines.get(case, ""), "")
        taken = word in names.values()
        names[case] = word if paper and word in paper.methods and not taken else case
    return names


def edges_examined(experiment: Experiment) -> pd.DataFrame:
    """Adjacency entries read, by (case, toggles, graph_hash, source), from the instrumented rows:
    the sum over the levels where they were kept, else the row's own sum; NaN where a level did not
    count them."""
    rows = experiment.instrumented
    rows = rows[rows["status"] == "ok"]
    if rows.empty:
        return pd.DataFrame(columns=["case", "toggles", "graph_hash", "source", "edges_examined"])
    by_trial = experiment.levels.groupby("trial")["edges_checked"].agg(pd.Series.sum, skipna=False)
    summed = rows["trial"].map(by_trial)
    edges = summed.where(summed.notna(), rows["edges_checked"])
    return rows.assign(edges_examined=edges)[
        ["case", "toggles", "graph_hash", "source", "edges_examined"]
    ].drop_duplicates(["case", "toggles", "graph_hash", "source"])


def baseline_ms(experiment: Experiment, graph: str) -> float:
    """Time of the spec's baseline at one thread (cs406: hybrid), NaN where it was not measured."""
    rows = experiment.timed
    name = experiment.spec.get("baseline", "")
    rows = rows[(rows["graph"] == graph) & (rows["threads"] == 1)]
    rows = rows[rows["case"] == name] if name else rows[rows["engine"] == "hybrid"]
    return time_cell(rows).median_ms


def rates(rows: pd.DataFrame, examined: pd.DataFrame) -> tuple[float, float]:
    """(edges examined / time, component edges / time) in 10^6 per second: harmonic means over
    sources of the source's count over its median time. NaN where the count was not recorded."""
    good = rows[(rows["status"] == "ok") & rows["time_ms"].notna()]
    keys = ["case", "toggles", "graph_hash", "source"]
    one = good.groupby(keys, as_index=False).agg(
        time_ms=("time_ms", "median"), component_edges=("component_edges", "first")
    )
    joined = one.merge(examined, on=keys, how="left")
    results = []
    for column in ("edges_examined", "component_edges"):
        known = joined[joined[column].fillna(0) > 0]
        complete = len(known) == len(joined) and len(known) > 0
        values = known[column] / (known["time_ms"] * 1e3)
        results.append(stats.harmonic_mean(values) if complete else float("nan"))
    return results[0], results[1]


def scaling(experiment: Experiment, paper: PaperTable | None = None) -> pd.DataFrame:
    """One row per (graph, case, threads), COLUMNS. Speed-up is over the baseline at one thread on
    the same graph, efficiency is that over the threads; both NaN where either time is missing."""
    examined = edges_examined(experiment)
    methods = method_names(experiment, paper)
    timed = experiment.timed
    rank = {case: i for i, case in enumerate(experiment.case_order)}
    table = []
    for graph in experiment.graph_order:
        of_graph = timed[timed["graph"] == graph]
        base = baseline_ms(experiment, graph)
        groups = sorted(
            of_graph.groupby(["case", "threads"]), key=lambda g: (rank[g[0][0]], g[0][1])
        )
        for (case, threads), rows in groups:
            cell: Cell = time_cell(rows)
            speedup = base / cell.median_ms if cell.ok else float("nan")
            by_examined, by_component = rates(rows, examined) if cell.ok else (float("nan"),) * 2
            table.append(
                {
                    "machine": experiment.machine,
                    "graph": graph,
                    "stand_in_for": experiment.stand_in_for(graph),
                    "method": methods[case],
                    "case": case,
                    "threads": int(threads),
                    "status": cell.failure.lower() or ("ok" if cell.ok else ""),
                    "sources": len(cell.times_ms),
                    "time_s": cell.median_ms / 1e3,
                    "baseline_s": base / 1e3,
                    "speedup": speedup,
                    "efficiency": speedup / threads if threads else float("nan"),
                    "mteps_examined": by_examined,
                    "mteps_component": by_component,
                    "reason": cell.reason,
                }
            )
    return pd.DataFrame(table, columns=COLUMNS)
