# SPDX-License-Identifier: Apache-2.0
"""Counted facts of graphs: measures.csv joined with the rows of the trials that made them."""

from __future__ import annotations

import math
import re

import pandas as pd

from .load import Experiment, toggles

COLUMNS = ["trial", "case", "graph", "stand_in_for", "part", "metric", "value", "unit", "method"]


def counted(experiment: Experiment, engine: str) -> pd.DataFrame:
    """One row per measure of the trials of `engine` that succeeded, graphs and cases in the spec's
    order. `method` is the toggle of that name (count, expect), "count" if there is none."""
    runs = experiment.instrumented
    runs = runs[(runs["status"] == "ok") & (runs["engine"] == engine)]
    if runs.empty or experiment.measures.empty:
        return pd.DataFrame(columns=COLUMNS)
    facts = runs[["trial", "case", "graph", "stand_in_for"]].copy()
    facts["method"] = [toggles(text).get("method", "count") for text in runs["toggles"]]
    joined = facts.merge(experiment.measures, on="trial", how="inner")
    rank = {graph: i for i, graph in enumerate(experiment.graph_order)}
    order = {case: i for i, case in enumerate(experiment.case_order)}
    joined = joined.assign(_g=joined["graph"].map(rank), _c=joined["case"].map(order))
    joined = joined.sort_values(["_g", "_c", "trial"], kind="stable")
    return joined[COLUMNS].reset_index(drop=True)


def wide(rows: pd.DataFrame, key: str) -> pd.DataFrame:
    """Measures whose part is KEY=NUMBER, one row per (trial, number), one column per metric."""
    picked = rows[rows["part"].str.fullmatch(rf"{key}=[0-9]+")]
    if picked.empty:
        return pd.DataFrame(columns=["trial", key])
    picked = picked.assign(**{key: picked["part"].str.split("=").str[1].astype(int)})
    table = picked.pivot_table("value", ["trial", key], "metric", aggfunc="first")
    return table.reset_index().rename_axis(columns=None)


def fact(rows: pd.DataFrame, trial: float, metric: str, part: str = "graph") -> float:
    """One measure of one trial; NaN if it is missing."""
    hit = rows[(rows["trial"] == trial) & (rows["part"] == part) & (rows["metric"] == metric)]
    return float(hit.iloc[0]["value"]) if len(hit) else float("nan")


def scale_of(vertices: float) -> float:
    """log2 of a number of vertices; NaN if it is not a whole number."""
    scale = math.log2(vertices) if vertices > 0 else float("nan")
    return scale if scale == round(scale, 9) and scale == int(scale) else float("nan")


def kept_loops_removed(graph: str) -> str:
    """A graph's name without the build options that say that nothing was dropped."""
    return re.sub(r",(self_loops|duplicates)=keep", "", graph)
