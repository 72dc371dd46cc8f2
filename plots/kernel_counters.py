# SPDX-License-Identifier: Apache-2.0
"""Counters of kernels, as `bfslab profile --tool ncu` adds them to measures.csv."""

from __future__ import annotations

import pandas as pd

from .load import Experiment, toggles

STATISTIC = "counters of ncu from one profile, a kernel's launches in a level added up"
FACTS = ["series", "graph", "source"]
PLACE = ["trial", "level", "direction", "technique", "kernel"]
METRICS = [
    "launches",
    "order",  # of the first launch
    "gpu_time",
    "dram_read_bytes",
    "dram_written_bytes",
    "l2_bytes",
    "global_load_requests",
    "global_load_sectors",
    "warp_instructions",
    "occupancy",
    "dram_peak",
    "instruction_peak",
]
STALL = "stall_"


def kernels(experiment: Experiment) -> pd.DataFrame:
    """One row per kernel of a level: its counters, a column each, NaN where ncu did not tell one;
    level NaN between levels. In the order of series, graphs, sources and first launches."""
    measures = experiment.measures
    measures = measures[measures["part"].str.startswith("kernel=")]
    if measures.empty:
        empty = pd.DataFrame(columns=[*PLACE, *FACTS, *METRICS])
        return empty.astype(dict.fromkeys(["trial", "level", *METRICS], float))
    parts = [toggles(part) for part in measures["part"]]
    placed = measures.assign(**{k: [part.get(k, "") for part in parts] for k in PLACE[2:]})
    wide = placed.pivot_table("value", PLACE, "metric", aggfunc="first", dropna=False)
    wide = wide.dropna(how="all").rename_axis(columns=None).reset_index()
    wide = wide.reindex(columns=list(dict.fromkeys([*wide.columns, *METRICS])))
    runs = experiment.runs.set_index("trial")[FACTS]
    frame = wide.join(runs, on="trial", how="inner")
    order = {series: i for i, series in enumerate(experiment.series_order)}
    graphs = {graph: i for i, graph in enumerate(experiment.graph_order)}
    frame = frame.assign(_s=frame["series"].map(order), _g=frame["graph"].map(graphs))
    frame = frame.sort_values(["_s", "_g", "trial", "order"], kind="stable")
    return frame.drop(columns=["_s", "_g"]).reset_index(drop=True)


def stalls(frame: pd.DataFrame) -> list[str]:
    """Returns the columns of recorded stall reasons, without `selected`, which is not a stall."""
    found = [c for c in frame.columns if c.startswith(STALL) and c != f"{STALL}selected"]
    return [c for c in found if frame[c].notna().any()]
