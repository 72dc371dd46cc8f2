# SPDX-License-Identifier: Apache-2.0
"""The rule of docs/statistics.md by which one attempt of each trial counts."""

from __future__ import annotations

import pandas as pd

# Rows with equal values in these columns are attempts of one trial.
_TRIAL = (
    "experiment,case,graph,graph_hash,engine,toggles,answer,source,repeat,ranks,gpus_per_rank,"
    "instrumented,recorded"
).split(",")


def counted_attempts(runs: pd.DataFrame) -> pd.DataFrame:
    """One row per trial, by the rule of docs/statistics.md ("Which attempt counts")."""
    if runs.empty:
        return runs
    keys = [runs[column] for column in _TRIAL]
    failed = runs["attempt"].where(runs["status"] != "ok").groupby(keys, dropna=False)
    last = runs["attempt"].groupby(keys, dropna=False).transform("max")
    last_failed = failed.transform("max").fillna(-1)
    over = (runs["attempt"] <= last_failed) & ~((runs["attempt"] == last) & (last == last_failed))
    runs = runs[~over]
    exact = (runs["instrumented"] == 1) & (runs["recorded"] != "energy")  # counts
    dirty = (runs["polluted"] == 1) & ~exact
    load = runs["foreign_load_pct"].fillna(0)
    ordered = runs.assign(_dirty=dirty, _rank=load.where(dirty, 0)).sort_values(
        ["_dirty", "_rank", "attempt"], kind="stable"
    )
    kept = ordered.drop_duplicates(_TRIAL, keep="first").sort_index()
    return kept.drop(columns=["_dirty", "_rank"])
