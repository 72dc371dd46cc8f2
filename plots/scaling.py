# SPDX-License-Identifier: Apache-2.0
"""Numbers for cs406, Tables 2 to 5 and 10: methods x threads x graphs."""

from __future__ import annotations

import pandas as pd

from . import ratios, sentences, stats
from .cells import Cell, by_invocation, number, time_cell
from .labels import graph_name
from .load import Experiment

COLUMNS = (
    f"machine,graph,stand_in_for,method,case,threads,status,sources,time_s,baseline_s,"
    f"{','.join(ratios.COLUMNS)},efficiency,mteps_examined,mteps_component,reason"
).split(",")
# Lines of a table below the speed-ups: title, and the columns of its two ends.
SPANS = (
    ("Speed-up, its 95 % interval", ("low95", "high95")),
    ("Speed-up, least to most of the sources", ("min", "max")),
)
STATISTIC = (
    f"time: median over sources of the median over repeats; speed-up: {ratios.IN_NUMBERS}; MTEPS: "
    "harmonic means over sources"
)


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


def baseline(experiment: Experiment, graph: str) -> Cell:
    """The spec's baseline at one thread (cs406: hybrid); an empty cell where it was not run."""
    rows = experiment.timed
    name = experiment.spec.get("baseline", "")
    rows = rows[(rows["graph"] == graph) & (rows["threads"] == 1)]
    return time_cell(rows[rows["case"] == name] if name else rows[rows["engine"] == "hybrid"])


def rates(experiment: Experiment) -> dict[tuple[str, str, float], tuple[float, float]]:
    """(edges examined / time, component edges / time) in 10^6 per second by (graph, case, threads):
    harmonic means over sources of those over processes, of the source's count over the median time
    of the process. NaN where the count was not recorded."""
    timed = experiment.timed
    good = timed[(timed["status"] == "ok") & timed["time_ms"].notna()]
    if good.empty:
        return {}
    cell = ["graph", "case", "threads"]
    also = [*cell, "toggles", "graph_hash"]
    edges = good.groupby([*also, "source"], as_index=False)["component_edges"].first()
    joined = by_invocation(good, "time_ms", also=also).reset_index().merge(edges)
    of_search = ["case", "toggles", "graph_hash", "source"]
    joined = joined.merge(edges_examined(experiment), on=of_search, how="left")
    found = {}
    for key, rows in joined.groupby(cell):
        results = []
        for column in ("edges_examined", "component_edges"):
            known = rows[rows[column].fillna(0) > 0]
            values = known[column] / (known["time_ms"] * 1e3)
            by_source = [
                stats.harmonic_mean(rates.tolist()) for _, rates in values.groupby(known["source"])
            ]
            complete = len(known) == len(rows)
            results.append(stats.harmonic_mean(by_source) if complete else float("nan"))
        found[key] = (results[0], results[1])
    return found


def scaling(experiment: Experiment) -> pd.DataFrame:
    """One row per (graph, case, threads), COLUMNS. Speed-up is over the baseline at one thread on
    the same graph, source by source (plots.ratios), efficiency is that over the threads; both NaN
    where either time is missing. A case is the method of the paper that it is called by."""
    mteps = rates(experiment)
    timed = experiment.timed
    rank = {case: i for i, case in enumerate(experiment.case_order)}
    table = []
    for graph in experiment.graph_order:
        of_graph = timed[timed["graph"] == graph]
        base = baseline(experiment, graph)
        groups = sorted(
            of_graph.groupby(["case", "threads"]), key=lambda g: (rank[g[0][0]], g[0][1])
        )
        for (case, threads), rows in groups:
            cell: Cell = time_cell(rows)
            compared = ratios.compared(base, cell)
            rate = mteps.get((graph, case, threads)) if cell.ok else None
            by_examined, by_component = rate or (float("nan"),) * 2
            table.append(
                {
                    "machine": experiment.machine,
                    "graph": graph,
                    "stand_in_for": experiment.stand_in_for(graph),
                    "method": case,
                    "case": case,
                    "threads": int(threads),
                    "status": cell.failure.lower() or ("ok" if cell.ok else ""),
                    "sources": len(cell.times_ms),
                    "time_s": cell.median_ms / 1e3,
                    "baseline_s": base.median_ms / 1e3,
                    **compared,
                    "efficiency": compared["speedup"] / threads if threads else float("nan"),
                    "mteps_examined": by_examined,
                    "mteps_component": by_component,
                    "reason": cell.reason,
                }
            )
    return pd.DataFrame(table, columns=COLUMNS)


def our_cells(numbers: pd.DataFrame) -> dict[tuple[str, ...], dict]:
    """The first of our rows for each (graph, method) and each (graph, method, "t=threads")."""
    cells: dict[tuple[str, ...], dict] = {}
    for row in numbers[numbers["origin"] == "ours"].to_dict("records"):
        cells.setdefault((row["graph"], row["method"]), row)
        cells.setdefault((row["graph"], row["method"], f"t={int(row['threads'])}"), row)
    return cells


def our_value(cells: dict[tuple[str, ...], dict], graph: str, keys: tuple[str, ...],
              column: str | tuple[str, str]) -> tuple[str, float | None]:  # fmt: skip
    """Returns a table's cell for one (method) or (method, "t=threads"), of `our_cells`: a number,
    or those of two columns as a span, which is nothing for a baseline over itself."""
    row = cells.get((graph, *keys))
    if row is None:
        return "", None
    if row["status"] != "ok":  # once, in place of the time
        return (row["status"].upper() if column == "time_s" else ""), None
    if isinstance(column, tuple):
        low, high = (float(row[end]) for end in column)
        return (ratios.span_text(low, high) if low < high else ""), None
    value = float(row[column])
    return (number(value), value) if value == value else ("", None)


def turned_note(numbers: pd.DataFrame) -> str:
    """ratios.turned_note of our rows; a case with several numbers of threads says which."""
    ours = numbers[numbers["origin"] == "ours"]
    several = ours.groupby("case")["threads"].transform("nunique") > 1
    named = ours["case"].where(~several, ours["case"] + ", " + ours["threads"].map(_threads))
    return ratios.turned_note(ours.assign(case=named), graph_name)


def _threads(count: float) -> str:
    return f"{count:.0f} thread{'s' * (count > 1)}"


def threads_sentence(numbers: pd.DataFrame, experiment: Experiment) -> str:
    """How many times as fast methods with the most threads are as the baseline with one."""
    ours = sentences.ours(numbers)
    ours = ours[ours["threads"] == ours["threads"].max()] if len(ours) else ours
    if ours.empty:
        return ""
    named = ours.assign(case=ours["method"] + " with " + ours["threads"].map(_threads))
    baseline = experiment.spec.get("baseline") or "hybrid"
    return sentences.speedups(named, sentences.faster(f"{baseline} with 1 thread"))
