# SPDX-License-Identifier: Apache-2.0
"""Kernels under the instruction roofline: warp instructions a second by those for each byte."""

from __future__ import annotations

import pandas as pd

from .. import kernel_counters, sentences, style
from ..drawing import Drawing
from ..kernel_counters import FACTS, PLACE, kernels
from ..load import Experiment

CAPTION = (
    "Every kernel of every level that was profiled, by Nsight Compute's counters: warp "
    "instructions for each byte that it read from or wrote to DRAM, and warp instructions a "
    "second; the larger the mark, the longer the kernel. The lines are what the device sustains "
    "at the clocks of the profile: DRAM's bytes a second on the left, instructions on the right. "
    "A breadth-first search has no floating-point work, so that instructions take its place "
    "(Ding and Williams, PMBS 2019: the instruction roofline). ncu runs each launch alone, "
    "with caches flushed before it: times are those of the profile and not of a search. "
)
STATISTIC = kernel_counters.STATISTIC
LEAST_MARK = 14.0
MOST_MARK = 120.0
LEGEND_MARK = 24.0
COLUMNS = [*FACTS, *PLACE, "gpu_time_ms", "dram_bytes", "warp_instructions",
           "instructions_per_byte", "instructions_per_second", "dram_bytes_per_second",
           "dram_peak", "instruction_peak"]  # fmt: skip


def numbers(experiment: Experiment) -> pd.DataFrame:
    """One row per kernel of a level; rates per second, of the kernel's own time."""
    frame = kernels(experiment)
    seconds = frame["gpu_time"] / 1e3
    dram = frame["dram_read_bytes"] + frame["dram_written_bytes"]
    frame = frame.assign(
        gpu_time_ms=frame["gpu_time"],
        dram_bytes=dram,
        instructions_per_byte=frame["warp_instructions"] / dram.where(dram > 0),
        instructions_per_second=frame["warp_instructions"] / seconds.where(seconds > 0),
        dram_bytes_per_second=dram / seconds.where(seconds > 0),
    )
    return frame[COLUMNS]


def draw(experiments: list[Experiment]) -> list[Drawing]:
    experiment = experiments[0]
    frame = numbers(experiment)
    good = frame[frame["instructions_per_byte"].gt(0) & frame["instructions_per_second"].gt(0)]
    if good.empty:
        figure = style.message_figure(f"{experiment.name}: no counters of kernels were imported")
        return [Drawing("roofline", figure, frame, CAPTION.strip())]
    return [Drawing("roofline", lambda: panel(experiment, good), frame, caption(frame, good))]


def caption(frame: pd.DataFrame, good: pd.DataFrame) -> str:
    time = good["gpu_time_ms"].sum()
    share = (good["dram_bytes_per_second"] / good["dram_peak"] * good["gpu_time_ms"]).sum() / time
    text = CAPTION
    if share == share:
        text += f"Over all of their time these kernels use {share:.0%} of DRAM's bandwidth. "
    lost = len(frame) - len(good)
    return text + (f"{lost} kernels moved no bytes of DRAM and are not shown. " if lost else "")


def panel(experiment: Experiment, good: pd.DataFrame):
    figure = style.new_figure(style.PAGE_IN, 3.6)
    axes = figure.subplots()
    longest = good["gpu_time_ms"].max()
    names = list(dict.fromkeys(good["series"]))
    techniques = list(dict.fromkeys(good["technique"]))
    for (name, technique), rows in good.groupby(["series", "technique"], sort=False):
        kind = techniques.index(technique)
        words = technique.replace("_", " ") or "between levels"
        several = len(names) > 1
        look = {"color": style.color(names.index(name) if several else kind), "linewidth": 0.4,
                "marker": style.marker(kind), "edgecolor": "white"}  # fmt: skip
        rows = rows.sort_values("gpu_time_ms", ascending=False)  # the small ones on top
        size = LEAST_MARK + (MOST_MARK - LEAST_MARK) * rows["gpu_time_ms"] / longest
        axes.scatter(rows["instructions_per_byte"], rows["instructions_per_second"] / 1e9, s=size,
                     zorder=3 - size.max() / MOST_MARK, **look)  # fmt: skip
        axes.scatter([], [], s=LEGEND_MARK, label=f"{name}: {words}" if several else words, **look)
    axes.set_xscale("log")
    axes.set_yscale("log")
    roofs(axes, good)
    style.plain_log_ticks(axes.xaxis)
    style.plain_log_ticks(axes.yaxis)
    axes.set_xlabel("warp instructions for each byte of DRAM")
    axes.set_ylabel("10⁹ warp instructions per second")
    axes.set_title(f"{experiment.machine}: {', '.join(dict.fromkeys(good['graph']))}\n"
                   f"the larger a mark, the longer its kernel: {longest:.3g} ms the largest",
                   loc="left")  # fmt: skip
    style.legend_above(figure, axes, columns=3)
    return figure


def roofs(axes, good: pd.DataFrame) -> None:
    """The highest peaks of all kernels: clocks differ a little from one to the next."""
    bytes_s, instructions_s = good["dram_peak"].max(), good["instruction_peak"].max()
    if not (bytes_s > 0 and instructions_s > 0):
        return
    ridge = instructions_s / bytes_s
    low = min(good["instructions_per_byte"].min(), ridge) / 2
    high = max(good["instructions_per_byte"].max(), ridge) * 2
    axes.plot([low, ridge, high], [low * bytes_s / 1e9, *[instructions_s / 1e9] * 2],
              color="black", linewidth=1.0, zorder=1)  # fmt: skip
    # At the axis, as high as the ridge: there is room above the slope, however short it is.
    axes.annotate(f"DRAM, {bytes_s / 1e9:,.0f} GB/s", (low, instructions_s / 1e9), (3, 3),
                  textcoords="offset points", ha="left", fontsize=style.pt(6.5))  # fmt: skip
    axes.annotate(f"instructions, {instructions_s / 1e9:,.0f} · 10⁹ a second",
                  (high, instructions_s / 1e9), (0, 3), textcoords="offset points", ha="right",
                  fontsize=style.pt(6.5))  # fmt: skip
    axes.set_xlim(low, high)
    axes.set_ylim(top=3 * instructions_s / 1e9)


def finding(drawing: Drawing, experiments: list[Experiment]) -> str:
    frame = drawing.numbers
    pct = 100 * frame["dram_bytes_per_second"] / frame["dram_peak"]
    instructions = 100 * frame["instructions_per_second"] / frame["instruction_peak"]
    words = []
    for share, what in ((pct, "DRAM's bandwidth"), (instructions, "the rate of instructions")):
        if share.notna().any():
            row = frame.loc[share.idxmax()]
            level = f"level {row['level']:.0f} of " if row["level"] == row["level"] else ""
            where = f"{level}{row['series']} on {sentences.place(row)}"
            words.append(f"{share.max():.0f} % of {what} ({where})")
    if not words:
        return ""
    return f"A kernel reaches at most {sentences.listed(words)}, by the counters of one profile."
