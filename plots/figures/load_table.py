# SPDX-License-Identifier: Apache-2.0
"""How fast graphs are loaded, and with how much memory: from files, generators and the cache."""

from __future__ import annotations

import pandas as pd

from .. import sentences, style, table
from ..cells import failure_of, number
from ..drawing import Drawing
from ..labels import graph_label, stand_in_note
from ..load import Experiment, toggles
from ..measures import counted, fact

CAPTION = (
    "Time from file, generator or cache to a CSR in memory: the best of the repeats and their "
    "median, every repeat from scratch, with the file in the page cache. MB are 10^6 bytes of the "
    "plain, unpacked text; edges per second count the lines of the input. Peak memory is how far "
    "the kernel's high-water mark of resident memory rose above the start, the highest of all "
    "repeats, and its ratio to the CSR; a mapped cache file's resident pages count as memory. On "
    "the smallest graphs buffers of a fixed size outweigh the CSR."
)
STATISTIC = "best and median of the repeats; peak memory: highest of all repeats"
UNKNOWN = " If the kernel does not allow that mark to be reset, peak memory is left out."
_COLUMNS = (
    "graph,stand_in_for,case,source,threads,failure,reason,best_ms,median_ms,file_bytes,text_bytes,"
    "input_edges,csr_bytes,peak_bytes,mb_per_s,edges_per_s,peak_over_csr"
).split(",")


def numbers(experiment: Experiment) -> pd.DataFrame:
    """One row per (graph, configuration); rates of the best repeat."""
    measures = counted(experiment, "graph-load")
    runs = experiment.instrumented
    runs = runs[runs["engine"] == "graph-load"]
    rank = {graph: i for i, graph in enumerate(experiment.graph_order)}
    runs = runs.assign(_g=runs["graph"].map(rank)).sort_values(["_g", "trial"], kind="stable")
    rows = []
    for _, run in runs.iterrows():
        trial = run["trial"]
        best = fact(measures, trial, "load_time", "best")
        text = fact(measures, trial, "text_bytes", "input")
        lines = fact(measures, trial, "input_edges")
        csr = fact(measures, trial, "csr_bytes")
        peak = fact(measures, trial, "peak_bytes", "memory")
        failure, reason = failure_of(runs[runs["trial"] == trial])
        settings = toggles(run["toggles"])
        rows.append(
            {
                "graph": run["graph"],
                "stand_in_for": run["stand_in_for"],
                "case": run["series"],
                "source": settings.get("source", ""),
                "threads": fact(measures, trial, "threads", "run"),
                "failure": failure,
                "reason": reason,
                "best_ms": best,
                "median_ms": fact(measures, trial, "load_time", "median"),
                "file_bytes": fact(measures, trial, "file_bytes", "input"),
                "text_bytes": text,
                "input_edges": lines,
                "csr_bytes": csr,
                "peak_bytes": peak,
                "mb_per_s": text / best / 1e3 if best > 0 else float("nan"),
                "edges_per_s": lines / best * 1e3 if best > 0 else float("nan"),
                "peak_over_csr": peak / csr if csr > 0 else float("nan"),
            }
        )
    return pd.DataFrame(rows, columns=_COLUMNS)


def draw(experiments: list[Experiment]) -> list[Drawing]:
    experiment = experiments[0]
    frame = numbers(experiment)
    done = frame[frame["failure"] == ""]
    note = stand_in_note(experiment, experiment.graph_order)
    unknown = UNKNOWN if len(done) and done["peak_bytes"].isna().any() else ""
    caption = f"{CAPTION}{unknown} {note}".strip()
    if frame.empty:
        figure = style.message_figure(f"{experiment.name}: no rows yet")
        return [Drawing("load_table", figure, frame, caption)]
    header = [
        [("", 1), ("", 1), ("", 1), ("time, ms", 2), ("", 1), ("", 1), ("memory, MB", 3)],
        [(name, 1) for name in (
            "", "from", "threads", "best", "median", "MB/s", "Medges/s", "CSR", "peak", "peak/CSR"
        )],
    ]  # fmt: skip
    rows, last = [], None
    for _, row in frame.iterrows():
        label = graph_label(experiment, row["graph"], " ")
        cells = [label if label != last else "", row["case"], number(row["threads"])]
        last = label
        if row["failure"]:
            cells += [row["failure"]] + [""] * 6
        else:
            cells += [
                number(row["best_ms"]),
                number(row["median_ms"]),
                number(row["mb_per_s"]),
                number(row["edges_per_s"] / 1e6),
                number(row["csr_bytes"] / 1e6),
                number(row["peak_bytes"] / 1e6),
                number(row["peak_over_csr"]),
            ]
        rows.append(table.Row(cells))
    shape = table.Table(header, rows, text_columns=2, note=note)
    return [Drawing("load_table", shape, frame, caption)]


def finding(drawing: Drawing, experiments: list[Experiment]) -> str:
    frame = drawing.numbers
    done = frame[(frame["failure"] == "") & frame["edges_per_s"].notna()]
    ends = sentences.ends(done, "edges_per_s", lambda rate: f"{number(rate / 1e6)} million edges",
                     lambda row: f"{sentences.place(row)} ({row['case']})")  # fmt: skip
    return f"A second loads {ends}, by the best of the repeats." if ends else ""
