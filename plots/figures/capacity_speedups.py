"""dfq Figure 7: the effect of larger sub-queues."""

from __future__ import annotations

import pandas as pd

from .. import style
from ..cells import Cell
from ..dfq import (
    ALL,
    by_graph_and_case,
    failures_note,
    mean_cell,
    measured_row,
    short_label,
    shuffled_note,
    speedup,
)
from ..drawing import Drawing
from ..grouped_bars import bars_of
from ..grouped_bars import draw as draw_bars
from ..labels import stand_in_note
from ..load import Experiment
from ..paper import PaperTable, paper_for

CAPTION = (
    "Speed-up of the decentralized queue over itself with the smallest sub-queues, mean times over "
    "all runs; whiskers are the 10th to 90th percentile source by source, averages arithmetic "
    "means over the graphs. With 1024 entries a CTA of 1024 threads drains after every tile that "
    "holds a frontier. Sub-queues in shared memory leave less of it for the L1 cache, and large "
    "ones leave space for fewer CTAs. "
)
COLUMNS = (
    "origin,machine,graph,stand_in_for,data_set,case,memory,capacity,status,sources,time_ms,"
    "baseline_ms,speedup,q10,q90,queue_bytes,reason"
).split(",")


def numbers(experiment: Experiment) -> pd.DataFrame:
    """One row per (graph, memory, capacity), over the smallest capacity of the same memory."""
    table = []
    for graph, case, of_case in by_graph_and_case(experiment):
        groups = {int(c): here for c, here in of_case.groupby("capacity")}
        base = mean_cell(groups[min(groups)]) if groups else Cell()
        for capacity in sorted(groups):
            here = groups[capacity]
            cell = mean_cell(here)
            table.append(
                {
                    **measured_row(experiment, graph, f"{case}-{capacity}", cell),
                    "origin": "ours",
                    "memory": here.iloc[0]["memory"],
                    "capacity": capacity,
                    "baseline_ms": base.mean_ms,
                    **speedup(base, cell),
                    "queue_bytes": here["queue_bytes"].max(),
                }
            )
    return pd.DataFrame(table, columns=COLUMNS)


def draw(experiments: list[Experiment]) -> list[Drawing]:
    experiment = experiments[0]
    paper = paper_for(experiment)
    frame = numbers(experiment)
    caption = "".join(
        (
            CAPTION,
            said(frame, paper),
            failures_note(frame),
            shuffled_note(experiment),
            stand_in_note(experiment, list(dict.fromkeys(frame["graph"]))),
        )
    ).strip()
    if frame["speedup"].isna().all():
        what = "no rows yet" if frame.empty else "the smallest capacity did not succeed"
        figure = style.message_figure(f"{experiment.name}: {what}")
        return [Drawing("capacity_speedups", figure, frame, caption)]
    if paper:
        printed = {
            "origin": "paper", "graph": ALL, "data_set": ALL, "case": "DFQ-G", "memory": "global",
            "status": "ok", "speedup": float(paper.cell(ALL, "speedup", "DFQ-G")),
            "reason": paper.rows.iloc[0]["note"],
        }  # fmt: skip
        numbers_drawn = pd.concat([frame, pd.DataFrame([printed], columns=COLUMNS)])
    else:
        numbers_drawn = frame
    return [Drawing("capacity_speedups", panels(experiment, frame, paper), numbers_drawn, caption)]


def larger_mean(frame: pd.DataFrame, memory: str) -> float:
    """Over all graphs and all capacities but the smallest."""
    rows = frame[(frame["memory"] == memory) & frame["speedup"].notna()]
    rows = rows[rows["capacity"] > rows["capacity"].min()]
    return float(rows["speedup"].mean()) if len(rows) else float("nan")


def said(frame: pd.DataFrame, paper: PaperTable | None) -> str:
    ours = [
        f"{mean:.2f} in {memory} memory"
        for memory in ("global", "shared")
        if (mean := larger_mean(frame, memory)) == mean
    ]
    text = f"Mean over the larger capacities and all graphs: {', '.join(ours)}. " if ours else ""
    if paper:
        text += (
            f"The paper has {paper.cell(ALL, 'speedup', 'DFQ-G')} on average in global memory, "
            "with 2048 and 4096 the best; its bars are an image. "
        )
    return text


def panels(experiment: Experiment, frame: pd.DataFrame, paper: PaperTable | None):
    """Global over shared memory; the smallest capacity is the line at 1."""
    graphs = list(dict.fromkeys(frame["graph"]))
    memories = list(dict.fromkeys(frame["memory"]))
    labels = [*(short_label(experiment, graph) for graph in graphs), "average"]
    smallest = frame["capacity"].min()
    capacities = sorted(set(frame["capacity"]) - {smallest}) or [smallest]
    figure = style.new_figure(style.PAGE_IN, 1.9 * len(memories) + 0.7)
    grid = figure.subplots(len(memories), 1, squeeze=False, sharex=True)[:, 0]
    for axes, memory in zip(grid, memories, strict=True):
        of_memory = frame[frame["memory"] == memory]
        of_memory = of_memory.assign(case=of_memory["capacity"].map("{} entries".format))
        series = bars_of(of_memory, graphs, [f"{capacity} entries" for capacity in capacities])
        draw_bars(axes, labels, series)
        if paper and memory == "global":
            value = float(paper.cell(ALL, "speedup", "DFQ-G"))
            axes.axhline(value, color="#606060", linestyle=":", linewidth=0.9)
            axes.annotate(f"paper {value:g}", (1, value), xycoords=("axes fraction", "data"),
                          xytext=(2, 0), textcoords="offset points", fontsize=6,
                          va="center")  # fmt: skip
        axes.axhline(1, color="black", linewidth=0.8)
        axes.axvline(len(graphs) - 0.5, color="#808080", linewidth=0.6)
        axes.set_ylabel(f"speed-up over {smallest},\n{memory} memory")
    style.legend_above(figure, grid[0], columns=6)
    return figure
