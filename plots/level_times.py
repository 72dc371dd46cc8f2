# SPDX-License-Identifier: Apache-2.0
"""Times of levels in instrumented trials: by direction, queue generation apart from traversal."""

from __future__ import annotations

import pandas as pd

from .load import Experiment

PARTS = {"generation_ms": "generation", "traversal_ms": "traversal"}
COLUMNS = ["trial", "level", "direction", "technique", "generation_ms", "traversal_ms"]


def level_times(experiment: Experiment) -> pd.DataFrame:
    """One row per (trial, level) of the trials that succeeded. If the engine reported the times of
    all levels of a trial (measures, between events on the GPU), these are taken, with generation
    NaN if it was not reported separately; otherwise the host's times of whole levels are taken as
    traversal. Two clocks are never mixed in one trial."""
    runs = experiment.instrumented
    trials = set(runs.loc[runs["status"] == "ok", "trial"])
    levels = experiment.levels[experiment.levels["trial"].isin(trials)]
    if levels.empty:
        empty = pd.DataFrame(columns=COLUMNS)
        return empty.astype({"trial": float, "level": float})  # to be merged with rows of runs
    # The parts of one GPU run one after the other, and a level ends with its slowest GPU.
    parts = levels.groupby(["trial", "level", "rank", "gpu"], sort=True)
    by_gpu = parts[["direction", "technique"]].first()
    by_gpu["time_ms"] = parts["time_ms"].sum(min_count=1)
    whole = by_gpu.groupby(["trial", "level"], sort=True).agg(
        direction=("direction", "first"),
        technique=("technique", "first"),
        time_ms=("time_ms", "max"),
    )
    measures = experiment.measures
    measures = measures[
        measures["metric"].isin(PARTS) & measures["trial"].isin(trials) & measures["level"].notna()
    ]
    if measures.empty:
        whole = whole.assign(generation_ms=float("nan"), traversal_ms=whole["time_ms"])
        return whole.reset_index()[COLUMNS]
    parts = measures.pivot_table("value", ["trial", "level"], "metric", aggfunc="sum")
    joined = whole.join(parts.reindex(columns=list(PARTS)), how="left")
    untold = joined["traversal_ms"].isna().groupby("trial").transform("any")
    joined["traversal_ms"] = joined["traversal_ms"].where(~untold, joined["time_ms"])
    joined["generation_ms"] = joined["generation_ms"].where(~untold)
    return joined.reset_index()[COLUMNS]
