# SPDX-License-Identifier: Apache-2.0
"""Where the time of a distributed search goes whose levels all run in one kernel a GPU: the steps
of each level, on each number of GPUs."""

from __future__ import annotations

import math

import pandas as pd

from .. import sentences, style
from ..cells import number, time_cell
from ..distributed import (
    PROCESSES,
    STEP,
    STEPS,
    hardware,
    named_scale,
    shown,
    told_by_members,
    variants,
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
COLORS = dict(zip(STEPS, (0, 1, 2, 3, 7, 5, 6, 0, 1, 2, 3), strict=True))
# What a GPU alone has nothing to do in, or next to nothing.
AMONG = ("lists", "masks", "meeting_within", "dd_of_others", "meeting")
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
KEYS = ["graph", "variant", *PROCESSES]
COLUMNS = (
    "machine,graph,stand_in_for,scale,variant,ranks,gpus_per_rank,gpus,searches,level,step,ms,"
    "timed_ms"
).split(",")


def numbers(experiment: Experiment) -> pd.DataFrame:
    """One row per (graph, variant, ranks, gpus_per_rank, level, step), in the order of the spec;
    `timed_ms` is of a search, the same in each of its rows."""
    told = told_by_members(experiment, STEP)
    told = told[told["metric"].isin(STEPS)]
    runs = experiment.instrumented
    runs = runs.assign(variant=variants(runs))
    joined = told[["trial", "level", "metric", "value"]].merge(
        runs[["trial", "case", *KEYS]], on="trial"
    )
    timed = experiment.timed
    timed = timed.assign(variant=variants(timed))
    times = {key: time_cell(rows).mean_ms for key, rows in timed.groupby(KEYS, sort=False)}
    order = {graph: i for i, graph in enumerate(experiment.graph_order)}
    cases = {case: i for i, case in enumerate(experiment.case_order)}
    table = []
    for key, rows in joined.groupby(KEYS, sort=False):
        graph, variant, ranks, gpus_per_rank = key
        gpus = int(ranks) * max(int(gpus_per_rank), 1)
        searches = rows["trial"].nunique()
        spent = rows.groupby(["level", "metric"])["value"].sum() / (searches * gpus)
        for (level, step), ms in spent.items():
            table.append(
                {
                    "machine": experiment.machine,
                    "graph": graph,
                    "stand_in_for": experiment.stand_in_for(graph),
                    "scale": named_scale(graph),
                    "variant": variant,
                    "ranks": int(ranks),
                    "gpus_per_rank": int(gpus_per_rank),
                    "gpus": gpus,
                    "searches": searches,
                    "level": int(level),
                    "step": step,
                    "ms": ms,
                    "timed_ms": times.get(key, float("nan")),
                    "_at": (order[graph], cases[rows.iloc[0]["case"]], variant, gpus, int(ranks),
                            int(level), STEPS.index(step)),
                }
            )  # fmt: skip
    table.sort(key=lambda row: row["_at"])
    return pd.DataFrame(table, columns=COLUMNS)


def draw(experiments: list[Experiment]) -> list[Drawing]:
    experiment = experiments[0]
    frame = numbers(experiment)
    caption = CAPTION + stand_in_note(experiment, list(dict.fromkeys(frame["graph"])))
    if frame.empty:
        figure = style.message_figure(
            f"{experiment.name}: no search in one kernel a GPU told its steps"
        )
        return [Drawing("step_breakdown", figure, frame, caption.strip())]
    return [Drawing("step_breakdown", lambda: panels(experiment, frame), frame, caption.strip())]


def panels(experiment: Experiment, frame: pd.DataFrame):
    groups = list(frame.groupby(KEYS, sort=False))
    across = min(len(groups), 2)
    down = math.ceil(len(groups) / across)
    figure = style.new_figure(style.PAGE_IN, 2.6 * down + 0.6)
    grid = figure.subplots(down, across, squeeze=False, sharey="row").flatten()
    several = len(set(frame["variant"])) > 1
    for at, (axes, (_, rows)) in enumerate(zip(grid, groups, strict=False)):
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
        axes.grid(False, axis="x")
        if at % across == 0:
            axes.set_ylabel("time of a level [ms]")
    for axes in grid[len(groups) :]:
        axes.axis("off")
    handles = {}
    for axes in grid[: len(groups)]:
        handles |= dict(zip(*reversed(axes.get_legend_handles_labels()), strict=True))
    names = [word for word in WORDS.values() if word in handles]
    style.legend_of(figure, [handles[word] for word in names], names, columns=4)
    return figure


def stacked(axes, rows: pd.DataFrame) -> None:
    levels = sorted(set(rows["level"]))
    table = rows.pivot_table("ms", "level", "step", aggfunc="sum").reindex(levels).fillna(0.0)
    bottom = pd.Series(0.0, index=levels)
    for index, step in enumerate(STEPS):
        if step not in table or not table[step].any():
            continue
        axes.bar(levels, table[step], 0.7, bottom, color=style.color(COLORS[step]),
                 hatch=style.hatch(index), edgecolor="black", linewidth=0.4,
                 label=WORDS[step])  # fmt: skip
        bottom = bottom + table[step]
    axes.set_xticks(levels)


def finding(drawing: Drawing, experiments: list[Experiment]) -> str:
    frame = drawing.numbers
    if frame.empty or not frame["ms"].sum() > 0:
        return ""
    said = []
    for _, rows in frame.groupby(["graph", "variant"], sort=False):
        first = rows.loc[rows["gpus"].idxmax()]  # of several ways to have as many
        most = rows[(rows[list(PROCESSES)] == first[list(PROCESSES)]).all(axis=1)]
        by_step = most.groupby("step")["ms"].sum()
        by_level = most.groupby("level")["ms"].sum()
        step, level = by_step.idxmax(), by_level.idxmax()
        among = by_step[by_step.index.isin(AMONG)].sum()
        text = (
            f"On {sentences.place(first)} with {hardware(first['ranks'], first['gpus_per_rank'])} "
            f"level {level:.0f} takes most, {number(by_level.max())} of the steps' "
            f"{number(by_step.sum())} ms, and of all steps “{WORDS[step]}”, "
            f"{number(by_step.max())} ms"
        )
        if first["gpus"] > 1:
            text += (
                f"; what GPUs do for each other takes {number(among)} ms "
                f"({sentences.percent(among / by_step.sum())})"
            )
        said.append(text + ", by arithmetic means over sources and GPUs.")
    return " ".join(said)
