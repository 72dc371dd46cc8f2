# SPDX-License-Identifier: Apache-2.0
"""Where the time of a distributed search goes whose levels all run in one kernel a GPU: the steps
of each level, on each number of GPUs."""

from __future__ import annotations

import pandas as pd

from .. import sentences, style
from ..cells import number
from ..distributed import (
    CONFIGURATION,
    KEYS,
    STEP,
    STEPS,
    by_configuration,
    hardware,
    legend_of_stacks,
    measured_by_members,
    shown,
    stack,
    stacked_panels,
)
from ..drawing import Drawing
from ..labels import stand_in_note
from ..load import Experiment

WORDS = {
    "lists": "take lists",
    "masks": "take masks",
    "frontier": "make frontier",
    "queues": "make queues",
    "dn": "visit dn",
    "dd": "visit dd",
    "meeting_within": "meet within the level",
    "dd_of_others": "visit dd of others",
    "nd": "visit nd",
    "nn": "visit nn",
    "meeting": "meet",
}
# Without black, on which no hatch shows.
COLORS = dict(zip(STEPS, (0, 1, 2, 3, 7, 5, 6, 3, 2, 1, 7), strict=True))
CAPTION = (
    "The steps of each level where one kernel a GPU runs all of them, from instrumented searches: "
    "means over sources and GPUs, and a search that has ended takes nothing in the levels after. "
    "Lists have the normal vertices that other GPUs found, and masks the delegates; nd, dn and dd "
    "are the subgraphs between normal vertices (n) and delegates (d), nn between normal vertices. "
    "A meeting waits for the slowest GPU. An instrumented search also waits for its own grid after "
    "each step and visits levels of few vertices like any other. What comes before the first level "
    "and after the last, the reset of what is kept of vertices and the writing of the answer, is "
    "in no step; it is in the times of the searches without instruments, which titles have. "
)
STATISTIC = "time [ms]: arithmetic means over sources and GPUs, from instrumented searches"
COLUMNS = [*CONFIGURATION, "level", "step", "ms", "timed_ms"]


def numbers(experiment: Experiment) -> pd.DataFrame:
    """One row per (graph, variant, ranks, gpus_per_rank, level, step), in the order of the spec;
    `timed_ms` is of a search, the same in each of its rows."""
    measured = measured_by_members(experiment, STEP)
    measured = measured[measured["metric"].isin(STEPS)][["trial", "level", "metric", "value"]]
    table = []
    for facts, rows in by_configuration(experiment, measured):
        shares = facts["searches"] * facts["gpus"]
        spent = rows.groupby(["level", "metric"])["value"].sum() / shares
        table += [
            facts | {"level": int(level), "step": step, "ms": spent[level, step]}
            for level in sorted(set(rows["level"]))
            for step in STEPS
            if (level, step) in spent
        ]
    return pd.DataFrame(table, columns=COLUMNS)


def draw(experiments: list[Experiment]) -> list[Drawing]:
    experiment = experiments[0]
    frame = numbers(experiment)
    caption = CAPTION + stand_in_note(experiment, list(dict.fromkeys(frame["graph"])))
    if frame.empty:
        figure = style.message_figure(
            f"{experiment.name}: no search in one kernel per GPU reported its steps"
        )
        return [Drawing("step_breakdown", figure, frame, caption.strip())]
    return [Drawing("step_breakdown", lambda: panels(experiment, frame), frame, caption.strip())]


def panels(experiment: Experiment, frame: pd.DataFrame):
    groups = list(frame.groupby(KEYS, sort=False))
    figure, grid = stacked_panels(0.6, len(groups))
    several = len(set(frame["variant"])) > 1
    for at, (axes, (_, rows)) in enumerate(zip(grid, groups, strict=True)):
        first = rows.iloc[0]
        stacked(axes, rows)
        what = f"{hardware(first['ranks'], first['gpus_per_rank'])}" + (
            f", {first['variant']}" if several else ""
        )
        axes.set_title(
            f"{shown(experiment, first['graph'])}, {what}\n"
            f"{number(rows['ms'].sum())} ms in steps, {number(first['timed_ms'])} ms without "
            "instruments"
        )
        axes.set_xlabel("level")
        if at % 2 == 0:
            axes.set_ylabel("time of a level [ms]")
    legend_of_stacks(figure, grid, WORDS.values())
    return figure


def stacked(axes, rows: pd.DataFrame) -> None:
    table = rows.pivot_table("ms", "level", "step", aggfunc="sum").fillna(0.0)
    parts = {step: list(table[step]) for step in STEPS if step in table}
    stack(axes, list(table.index), parts, WORDS, COLORS)
    axes.set_xticks(table.index)


def finding(drawing: Drawing, experiments: list[Experiment]) -> str:
    frame = drawing.numbers
    if frame.empty or not frame["ms"].sum() > 0:
        return ""
    text_parts = []
    for _, rows in frame.groupby(["graph", "variant"], sort=False):
        ways = [of for _, of in rows.groupby(["gpus", *KEYS], sort=True)]
        few, many = ways[0], ways[-1]
        by_level = many.groupby("level")["ms"].sum()
        level = by_level.idxmax()
        text = (
            f"On {sentences.place(rows.iloc[0])} with {on(many)} level {level:.0f} takes most, "
            f"{number(by_level.max())} of the steps' {number(by_level.sum())} ms"
        )
        more = many.iloc[0]["gpus"] / few.iloc[0]["gpus"]
        if more > 1 and not experiments[0].mixed:
            shares = few.groupby("step")["ms"].sum() / more
            beyond = many.groupby("step")["ms"].sum().sub(shares, fill_value=0.0)
            text += (
                f"; of what {on(few)} takes {more:g} equal shares would be "
                f"{number(shares.sum())} ms each, and what goes beyond them is most in "
                f"“{WORDS[beyond.idxmax()]}”, {number(beyond.max())} ms"
            )
        text_parts.append(text + ", by arithmetic means over sources and GPUs.")
    return " ".join(text_parts)


def on(rows: pd.DataFrame) -> str:
    return hardware(rows.iloc[0]["ranks"], rows.iloc[0]["gpus_per_rank"])
