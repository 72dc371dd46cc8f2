# SPDX-License-Identifier: Apache-2.0
"""The kernels of a search one after the other: what each level took, and what held it up."""

from __future__ import annotations

from functools import partial

import pandas as pd

from .. import kernel_counters, sentences, style
from ..cells import number
from ..drawing import Drawing
from ..kernel_counters import FACTS, PLACE, STALL, kernels, stalls
from ..load import Experiment

CAPTION = (
    "The kernels of one search in the order of its levels, by Nsight Compute's counters. Top: the "
    "time of each kernel, to scale; ncu runs each alone, with caches flushed before it, so that "
    "the gaps between kernels are missing and the times are those of the profile. Below, over the "
    "same axis: the share of DRAM's bandwidth and the occupancy, the 32-byte sectors for each "
    "request of a global load (1 to 4 where neighbouring threads read neighbouring words, 32 "
    "where all are scattered), and the three reasons for which warps waited most, in cycles that a "
    "warp waits for each instruction that it issues. "
)
STATISTIC = kernel_counters.STATISTIC
SHOWN = 3  # stall reasons
ROWS = ["time", "share [%]", "sectors\nper request", "cycles waited\nper instruction"]


def numbers(experiment: Experiment) -> pd.DataFrame:
    """One row per kernel of a level of a search, with where it begins on the axis of time."""
    frame = kernels(experiment)
    frame = frame[frame["level"].notna()].reset_index(drop=True)
    dram = frame["dram_read_bytes"] + frame["dram_written_bytes"]
    seconds = (frame["gpu_time"] / 1e3).where(frame["gpu_time"] > 0)
    requests = frame["global_load_requests"]
    frame = frame.assign(
        gpu_time_ms=frame["gpu_time"],
        begin_ms=frame.groupby("trial")["gpu_time"].cumsum() - frame["gpu_time"],
        dram_bytes=dram,
        dram_share_pct=100 * dram / seconds / frame["dram_peak"],
        occupancy_pct=frame["occupancy"],
        sectors_per_request=frame["global_load_sectors"] / requests.where(requests > 0),
    )
    columns = ["begin_ms", "gpu_time_ms", "dram_bytes", "l2_bytes", "dram_share_pct",
               "occupancy_pct", "sectors_per_request"]  # fmt: skip
    return frame[[*FACTS, *PLACE, *columns, *stalls(frame)]]


def draw(experiments: list[Experiment]) -> list[Drawing]:
    experiment = experiments[0]
    frame = numbers(experiment)
    if frame.empty:
        figure = style.message_figure(f"{experiment.name}: no counters of kernels were imported")
        return [Drawing("level_timeline", figure, frame, CAPTION.strip())]
    first = frame.drop_duplicates(["series", "graph"])
    looks = {reason: index for index, reason in enumerate(longest(frame))}
    drawings = []
    for trial in first["trial"]:
        rows = frame[frame["trial"] == trial]
        name = "level_timeline" if len(first) == 1 else f"level_timeline-{len(drawings) + 1}"
        drawn = partial(panels, experiment, rows, looks)
        drawings.append(Drawing(name, drawn, rows, caption(rows)))
    return drawings


def caption(rows: pd.DataFrame) -> str:
    longest = rows.groupby("level")["gpu_time_ms"].sum()
    level = longest.idxmax()
    return (
        f"{CAPTION}{what(rows)}: level {level:.0f} takes {longest.max() / longest.sum():.0%} of "
        f"the kernels' {longest.sum():.3g} ms."
    )


def what(rows: pd.DataFrame) -> str:
    first = rows.iloc[0]
    return f"{first['series']} on {first['graph']} from vertex {first['source']:.0f}"


def longest(rows: pd.DataFrame) -> list[str]:
    """The columns of reasons to wait, the longest wait first."""
    return sorted(stalls(rows), key=lambda c: -(rows[c] * rows["gpu_time_ms"]).sum())


def panels(experiment: Experiment, rows: pd.DataFrame, looks: dict[str, int]):
    """`looks` numbers the reasons to wait, so that each has one colour in all drawings."""
    figure = style.new_figure(style.PAGE_IN, 4.4)
    time, share, sectors, waits = figure.subplots(
        4, 1, sharex=True, gridspec_kw={"height_ratios": [1.3, 2, 1.4, 2]}
    )
    kernels_here = list(dict.fromkeys(zip(rows["technique"], rows["kernel"], strict=True)))
    for index, (technique, kernel) in enumerate(kernels_here):
        here = rows[(rows["technique"] == technique) & (rows["kernel"] == kernel)]
        words = technique.replace("_", " ")
        time.bar(here["begin_ms"], 1, here["gpu_time_ms"], align="edge", color=style.color(index),
                 hatch=style.hatch(index), edgecolor="white", linewidth=0.4,
                 label=words if words == kernel else f"{words}: {kernel}")  # fmt: skip
    total = (rows["begin_ms"] + rows["gpu_time_ms"]).max()
    for level, here in rows.groupby("level"):
        begin, span = here["begin_ms"].min(), here["gpu_time_ms"].sum()
        for axes in (time, share, sectors, waits):
            axes.axvline(begin, color="#A0A0A0", linewidth=0.4, zorder=0)
        if span > 0.02 * total:
            time.text(begin + span / 2, 1.05, f"{level:.0f}", ha="center", fontsize=style.pt(6))
    time.text(-0.01 * total, 1.05, "level", ha="right", fontsize=style.pt(6))
    steps(share, rows, "dram_share_pct", 0, "DRAM's bandwidth")
    steps(share, rows, "occupancy_pct", 1, "occupancy")
    steps(sectors, rows, "sectors_per_request", 2, None)
    for reason in longest(rows)[:SHOWN]:
        steps(waits, rows, reason, looks[reason], reason.removeprefix(STALL).replace("_", " "))
    share.set_ylim(0, 105)
    for axes, words in zip((time, share, sectors, waits), ROWS, strict=True):
        axes.set_ylabel(words, rotation=0, ha="right", va="center")
        axes.set_ylim(bottom=0)
        if axes is not time and axes.get_legend_handles_labels()[0]:
            axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    time.set_yticks([])
    time.grid(False)
    waits.set_xlim(0, total)
    waits.set_xlabel("kernel time since the search began [ms]")
    time.set_title(f"{experiment.machine}: {what(rows)}", loc="left", pad=12)
    style.legend_above(figure, time, columns=3)
    return figure


def steps(axes, rows: pd.DataFrame, column: str, index: int, label: str | None) -> None:
    if rows[column].isna().all():  # a metric that this ncu does not have
        return
    edges = [*rows["begin_ms"], (rows["begin_ms"] + rows["gpu_time_ms"]).iloc[-1]]
    axes.stairs(rows[column], edges, color=style.color(index), linewidth=1.2, label=label,
                linestyle=style.line(index), baseline=None)  # fmt: skip


def finding(drawing: Drawing, experiments: list[Experiment]) -> str:
    rows = drawing.numbers
    if rows.empty or not rows["gpu_time_ms"].sum() > 0:
        return ""
    by_level = rows.groupby("level")["gpu_time_ms"].sum()
    level, spent = by_level.idxmax(), by_level.max()
    here = rows[rows["level"] == level]
    dram = (here["dram_share_pct"] * here["gpu_time_ms"]).sum() / spent
    used = f" and use {dram:.0f} % of DRAM's bandwidth" if dram == dram else ""
    return (
        f"On {sentences.place(rows.iloc[0])} the kernels of level {level:.0f} of "
        f"{sentences.several(len(by_level), 'level')} take {number(spent)} of "
        f"{number(by_level.sum())} ms{used}, by the counters of one profile."
    )
