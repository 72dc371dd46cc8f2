# SPDX-License-Identifier: Apache-2.0
"""Which techniques of an engine pay: what `bfslab ablate` measures, graph by graph."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from .. import sentences, stats, style
from ..cells import Cell, number, time_cell
from ..drawing import Drawing
from ..labels import graph_label, stand_in_note
from ..load import Experiment
from ..ratios import span_text

CAPTION = (
    "The gain of each technique: above 1 it pays, below 1 it costs. In {whole} it is what the "
    "technique adds to all others, and in none what it is worth alone; of a choice it is the gain "
    "over the value in {whole}. A filled mark has its whole interval on one side of 1. Intervals "
    "are widened so that all gains of a graph lie in theirs with 95 % (Bonferroni). Pairs of "
    "techniques are in the table of `bfslab ablate`. "
)
STATISTIC = (
    "gain = (time without it) / (time with it), source by source: geometric mean; whiskers: its "
    "bootstrapped 95 % interval, for all techniques of a graph at once"
)
COLUMNS = (
    "machine,graph,stand_in_for,technique,among,without,with,status,sources,without_ms,with_ms,"
    "gain,low95,high95,verdict,reason"
).split(",")
SAME = 1.02  # as in harness/analyse/ablation_results.cpp
NONE = "none"
ROW_IN = 0.135  # of the figure's height
PANELS = 4  # of a line


@dataclass(frozen=True)
class Technique:
    name: str  # "scan_free", "queue=none"
    among: str  # the case of all other techniques
    without: str  # the two cases
    with_: str


def techniques(cases: list[str]) -> list[Technique]:
    """What the names of an ablation's cases say (docs/ablate.md); the first is everything on.

    >>> techniques(["all", "all, no a", "all, b=2", "none", "only a", "no a, b=2"])
    a in all, b=2 in all, a in none; the last case is a pair
    """
    found = []
    for case in cases[1:]:
        among, _, change = case.partition(", ")
        if case.startswith("only ") and NONE in cases:
            found.append(Technique(case.removeprefix("only "), NONE, NONE, case))
        elif among not in (cases[0], NONE) or not change or ", " in change:
            continue
        elif change.startswith("no "):
            found.append(Technique(change.removeprefix("no "), among, case, among))
        else:
            found.append(Technique(change, among, among, case))
    return found


def numbers(experiment: Experiment) -> pd.DataFrame:
    """One row per (graph, technique), COLUMNS; NaN where one of its two cases failed."""
    rows = []
    for graph in experiment.graph_order:
        here: list[dict] = []
        gains: list[stats.Estimate] = []
        for each in techniques(experiment.case_order):
            trials = [experiment.timed_cell(graph, case) for case in (each.without, each.with_)]
            if any(part.empty for part in trials):
                continue
            without, with_ = (time_cell(part) for part in trials)
            gains.append(gain_of(without, with_))
            failed = next((cell for cell in (with_, without) if not cell.ok), None)
            here.append(
                {
                    "machine": experiment.machine,
                    "graph": graph,
                    "stand_in_for": experiment.stand_in_for(graph),
                    "technique": each.name,
                    "among": each.among,
                    "without": each.without,
                    "with": each.with_,
                    "status": (failed.failure.lower() or "no times") if failed else "ok",
                    "sources": len(with_.times_ms),
                    "without_ms": without.median_ms,
                    "with_ms": with_.median_ms,
                    "disturbed": any(part["polluted"].groupby(part["source"]).any().all()
                                     for part in trials),
                    "reason": failed.reason if failed else "",
                }
            )  # fmt: skip
        compared = sum(not math.isnan(gain.low) for gain in gains)
        for row, gain in zip(here, gains, strict=True):
            wide = stats.corrected(gain, compared)
            verdict = "" if math.isnan(wide.value) else verdict_of(wide)
            row |= {"gain": wide.value, "low95": wide.low, "high95": wide.high}
            row["verdict"] = "undecided" if verdict and row.pop("disturbed") else verdict
        rows += here
    return pd.DataFrame(rows, columns=COLUMNS)


def gain_of(without: Cell, with_: Cell) -> stats.Estimate:
    if not (without.ok and with_.ok):
        return stats.Estimate(*[math.nan] * 3, 0)
    return stats.mean_ratio(stats.paired_ratios(without.by_invocation, with_.by_invocation))


def verdict_of(gain: stats.Estimate) -> str:
    if gain.low > 1:
        return "pays"
    if gain.high < 1:
        return "costs"
    return "same" if gain.low >= 1 / SAME and gain.high <= SAME else "undecided"


def draw(experiments: list[Experiment]) -> list[Drawing]:
    experiment = experiments[0]
    frame = numbers(experiment)
    caption = CAPTION.format(whole=experiment.case_order[0] if experiment.case_order else "all")
    caption += stand_in_note(experiment, list(dict.fromkeys(frame["graph"])))
    if frame["gain"].isna().all():
        figure = style.message_figure(f"{experiment.name}: no technique was measured")
        return [Drawing("technique_gains", figure, frame, caption.strip())]
    figure = partial(panels, experiment, frame)
    return [Drawing("technique_gains", figure, frame, caption.strip())]


def panels(experiment: Experiment, frame: pd.DataFrame):
    """One panel of each graph, one line of each technique: those that gain most anywhere first."""
    frame = frame.assign(label=frame["technique"] + " (" + frame["among"] + ")")
    known = frame[frame["gain"].notna()]
    labels = list(known.groupby("label")["gain"].max().sort_values(ascending=False).index)
    graphs = list(dict.fromkeys(frame["graph"]))
    across = min(PANELS, len(graphs))
    down = -(-len(graphs) // across)
    height = down * (0.9 + ROW_IN * len(labels))
    figure = style.new_figure(style.PAGE_IN if across > 1 else style.COLUMN_IN * 1.3, height)
    grid = figure.subplots(down, across, squeeze=False, sharex=True, sharey=True)
    for axes, graph in zip(grid.flat, graphs, strict=False):
        panel(axes, known[known["graph"] == graph], labels)
        axes.set_title(graph_label(experiment, graph))
    grid[0][0].set_xscale("log")
    style.plain_log_ticks(grid[0][0].xaxis)
    for axes in grid.flat[len(graphs) :]:
        axes.set_visible(False)
    for axes in grid[-1]:
        axes.set_xlabel("gain, log axis")
    return figure


COLOR_OF = {"pays": 0, "costs": 1}  # of style.color; grey where nothing is decided


def panel(axes, rows: pd.DataFrame, labels: list[str]) -> None:
    axes.axvline(1, color="black", linewidth=0.8)
    for verdict, some in rows.groupby("verdict"):
        color = style.color(COLOR_OF[verdict]) if verdict in COLOR_OF else "#7A7A7A"
        at = np.array([labels.index(label) for label in some["label"]])
        axes.hlines(at, some["low95"], some["high95"], color=color, linewidth=0.9)
        axes.plot(some["gain"], at, marker="o", linestyle="none", markersize=3.2, color=color,
                  markerfacecolor=color if verdict in COLOR_OF else "white")  # fmt: skip
    axes.set_yticks(range(len(labels)), labels, fontsize=style.pt(6))
    axes.set_ylim(len(labels) - 0.4, -0.6)
    axes.grid(axis="y", linewidth=0.3)


def finding(drawing: Drawing, experiments: list[Experiment]) -> str:
    frame = sentences.ours(drawing.numbers)
    decided = frame[frame["verdict"].isin(["pays", "costs"])].reset_index(drop=True)
    if decided.empty:
        return ""
    words = []
    for verdict, pick in (("pays", "idxmax"), ("costs", "idxmin")):
        some = decided[decided["verdict"] == verdict]
        if some.empty:
            continue
        row = some.loc[getattr(some["gain"], pick)()]
        gain = f"{number(row['gain'])} ({span_text(row['low95'], row['high95'])})"
        words.append(
            f"the technique that {verdict} most is {row['technique']} in {row['among']}: "
            f"{gain} on {sentences.place(row)}"
        )
    lead = sentences.capital("; ".join(words))
    return f"{lead}. {len(decided)} of {sentences.several(len(frame), 'gain')} are decided."
