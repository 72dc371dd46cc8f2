# SPDX-License-Identifier: Apache-2.0
"""Exact counts that instrumented searches report for each level, added up by graph and case, and
the table of them."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from . import style
from .drawing import Drawing
from .labels import stand_in_note
from .load import Experiment
from .table import Table

KEYS = ["trial", "level"]


def counts_by_case(
    experiment: Experiment,
    part: str,
    metrics: list[str],
    facts: list[str],
    columns: list[str],
    sums: Callable[[pd.DataFrame], dict],
) -> pd.DataFrame:
    """One row per (graph, case): its names, the numbers of searches and levels, and sums(levels).
    `levels` has a row for each level of each search, with the columns `facts` of levels.csv and
    the `metrics` of the part of measures.csv that the regular expression `part` matches, NaN where
    a level did not report one."""
    runs = experiment.instrumented
    runs = runs[runs["status"] == "ok"][["trial", "graph", "series"]]
    measures = experiment.measures
    measures = measures[measures["part"].str.fullmatch(part) & measures["level"].notna()]
    if measures.empty or runs.empty:
        return pd.DataFrame(columns=columns)
    counts = measures.pivot_table("value", KEYS, "metric", aggfunc="sum").reindex(columns=metrics)
    levels = experiment.levels.groupby(KEYS, as_index=False)[facts].sum()
    joined = runs.merge(levels, on="trial").merge(counts.reset_index(), on=KEYS, how="left")
    rows = []
    for graph in experiment.graph_order:
        for case in experiment.series_order:
            here = joined[(joined["graph"] == graph) & (joined["series"] == case)]
            if here.empty:
                continue
            row = {"graph": graph, "stand_in_for": experiment.stand_in_for(graph), "case": case}
            row |= {"searches": here["trial"].nunique(), "levels": len(here)}
            rows.append(row | sums(here))
    return pd.DataFrame(rows, columns=columns)


def draw_counts(
    name: str, experiment: Experiment, frame: pd.DataFrame, caption: str, shape: Table
) -> list[Drawing]:
    """The table `shape` of these counts, or a message where there are none."""
    caption = f"{caption}{stand_in_note(experiment, experiment.graph_order)}".strip()
    if frame.empty:
        figure = style.message_figure(f"{experiment.name}: nothing was counted yet")
        return [Drawing(name, figure, frame, caption)]
    return [Drawing(name, shape, frame, caption)]
