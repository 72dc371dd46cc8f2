# SPDX-License-Identifier: Apache-2.0
"""The times of a suite of microbenchmarks, one point each."""

from __future__ import annotations

import pandas as pd

from .. import sentences, style
from ..cells import number
from ..drawing import Drawing
from ..load import Experiment

CAPTION = (
    "Wall time of one repetition, by Google Benchmark: the median of the repetitions, with a line "
    "from the fastest to the slowest where there are several. Names and arguments are those of the "
    "program in tests/benchmarks. "
)
STATISTIC = "time [ms]: median of the repetitions; lines: from the fastest to the slowest"


def numbers(experiment: Experiment) -> pd.DataFrame:
    """One row per benchmark, in the order in which they ran."""
    measures = experiment.measures
    times = measures[measures["metric"] == "time"]
    return (
        times.groupby("part", sort=False)["value"]
        .agg(time_ms="median", fastest_ms="min", slowest_ms="max", repetitions="size")
        .reset_index()
        .rename(columns={"part": "benchmark"})
    )


def draw(experiments: list[Experiment]) -> list[Drawing]:
    (experiment,) = experiments
    frame = numbers(experiment)
    if frame.empty:
        figure = style.message_figure(f"{experiment.name}: nothing was measured")
        return [Drawing("benchmark_times", figure, frame, CAPTION)]
    figure = style.new_figure(style.PAGE_IN, 0.6 + 0.18 * len(frame))
    axes = figure.subplots()
    y = range(len(frame))
    axes.hlines(y, frame["fastest_ms"], frame["slowest_ms"], color="black", linewidth=0.8)
    axes.plot(frame["time_ms"], y, style.marker(0), color=style.color(0))
    for row, (median, slowest) in enumerate(
        zip(frame["time_ms"], frame["slowest_ms"], strict=True)
    ):
        axes.annotate(number(median), (max(median, slowest), row), xytext=(5, 0),
                      textcoords="offset points", va="center", fontsize=style.pt(7))  # fmt: skip
    axes.set_yticks(list(y), list(frame["benchmark"]))
    axes.invert_yaxis()
    axes.set_xscale("log")
    axes.margins(x=0.1, y=0.5 / len(frame))
    style.plain_log_ticks(axes.xaxis)
    axes.set_xlabel("ms")
    return [Drawing("benchmark_times", figure, frame, CAPTION)]


def finding(drawing: Drawing, experiments: list[Experiment]) -> str:
    frame = drawing.numbers
    if frame.empty:
        return ""
    ends = sentences.ends(
        frame, "time_ms", lambda ms: f"{number(ms)} ms", lambda row: row["benchmark"]
    )
    count = sentences.several(len(frame), "benchmark")
    return f"A repetition of {count} takes {ends}, by the median of the repetitions."
