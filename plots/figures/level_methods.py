# SPDX-License-Identifier: Apache-2.0
"""xbfs Figure 7: the way of queue generation that each level ran by, over the rule that chooses."""

from __future__ import annotations

import numpy as np
import pandas as pd

from .. import sentences, style
from ..drawing import Drawing
from ..labels import stand_in_note
from ..load import Experiment, toggles
from ..xbfs import ENGINE, short_label

METHODS = ["scan_free", "single_scan", "double_scan", "no_generation"]
WORDS = {
    "scan_free": "scan-free",
    "single_scan": "single-scan",
    "double_scan": "double-scan (bottom-up)",
    "no_generation": "no generation",
}
ALL_ON = dict.fromkeys(METHODS, "true") | {"queue": "central", "rule": "xbfs"}
DEFAULTS = ALL_ON | {"alpha": "0.1", "edge_check": "level"}  # the engine's
FLOOR = 1e-9  # shares below are drawn here
CAPTION = (
    "Every level of every source's search that ran with all four ways of queue generation: left "
    "over the two quantities of the rule of section 4.3, right in the order of the levels, for the "
    "first source of each graph. The abscissa is edgeCheck / |E|: from alpha on the level is "
    "bottom-up and generates its queue by double-scan. The ordinate is edgeCheck times lambda over "
    "|E|, the share that the next level is expected to have: from alpha on a top-down level ends "
    "in a single-scan. A level after a bottom-up one takes its queue and generates none; all "
    "others are scan-free. The first level has no lambda. {agreement}"
)
STATISTIC = "shares of |E| of every level of all instrumented searches, and the way that it ran by"
COLUMNS = (
    "graph,stand_in_for,case,source,level,direction,method,by_rule,share,next_share,alpha"
).split(",")


def numbers(experiment: Experiment) -> pd.DataFrame:
    """One row per level of each search: the method that ran and the one that the rule gives.
    `share` is edgeCheck / |E|; `next_share` is NaN for a search's first level."""
    runs = experiment.instrumented
    runs = runs[(runs["status"] == "ok") & (runs["engine"] == ENGINE)]
    settings_of = {text: DEFAULTS | toggles(text) for text in set(runs["toggles"])}
    on = [settings_of[text].items() >= ALL_ON.items() for text in runs["toggles"]]
    runs = runs[np.array(on, dtype=bool)]
    entries = experiment.graphs.drop_duplicates("graph", keep="last").set_index("graph")["edges"]
    rows = []
    for run in runs.itertuples():
        levels = experiment.levels[experiment.levels["trial"] == run.trial]
        levels = levels.groupby("level", sort=True).agg(
            direction=("direction", "first"),
            technique=("technique", "first"),
            edges=("frontier_edges", "sum"),
        )
        settings = settings_of[run.toggles]
        alpha, cumulative = float(settings["alpha"]), settings["edge_check"] == "cumulative"
        about = {
            "graph": run.graph,
            "stand_in_for": experiment.stand_in_for(run.graph),
            "case": run.series,
            "source": run.source,
            "alpha": alpha,
        }
        rows += [about | row for row in of_search(levels, entries[run.graph], alpha, cumulative)]
    return pd.DataFrame(rows, columns=COLUMNS)


def of_search(levels: pd.DataFrame, entries: float, alpha: float, cumulative: bool) -> list[dict]:
    """The rows of one search. `levels` has direction, technique and edges of each level in order;
    `entries` is |E|, which counts both directions of an undirected edge."""
    rows = []
    before, all_edges, was_up = 0.0, 0.0, False
    for level, row in levels.iterrows():
        edges = float(row["edges"])
        all_edges += edges
        share = (all_edges if cumulative else edges) / entries
        expected = float("nan")
        if before > 0:
            expected = (edges * edges / before + (all_edges if cumulative else 0.0)) / entries
        rows.append(
            {
                "level": int(level),
                "direction": row["direction"],
                "method": row["technique"],
                "by_rule": by_rule(share, expected, alpha, was_up),
                "share": share,
                "next_share": expected,
            }
        )
        before, was_up = edges, row["direction"] == "bottom_up"
    return rows


def by_rule(share: float, expected: float, alpha: float, was_up: bool) -> str:
    """Figure 7: the method of a level by its edgeCheck, by that expected of the next level (NaN if
    there is no ratio yet), and by whether the level before was bottom-up."""
    if share >= alpha:
        return "double_scan"
    if was_up:
        return "no_generation"
    return "single_scan" if expected >= alpha else "scan_free"


def draw(experiments: list[Experiment]) -> list[Drawing]:
    experiment = experiments[0]
    frame = numbers(experiment)
    note = stand_in_note(experiment, list(dict.fromkeys(frame["graph"])))
    caption = f"{CAPTION.format(agreement=agreement(frame))}{note}".strip()
    if frame.empty:
        figure = style.message_figure(f"{experiment.name}: no level of xbfs was recorded yet")
        return [Drawing("level_methods", figure, frame, caption)]
    return [Drawing("level_methods", lambda: panels(experiment, frame), frame, caption)]


def agreement(frame: pd.DataFrame) -> str:
    """How many levels ran as the rule says."""
    if frame.empty:
        return ""
    same = int((frame["method"] == frame["by_rule"]).sum())
    return f"{same:,} of {sentences.several(len(frame), 'level')} ran as the rule says. "


def panels(experiment: Experiment, frame: pd.DataFrame):
    graphs = list(dict.fromkeys(frame["graph"]))
    figure = style.new_figure(style.PAGE_IN, max(3.4, 0.22 * len(graphs) + 1.8))
    rule, order = figure.subplots(1, 2)
    over_rule(rule, frame)
    in_order(order, experiment, frame, graphs)
    style.legend_above(figure, rule, columns=4)
    return figure


def over_rule(axes, frame: pd.DataFrame) -> None:
    alphas = sorted(set(frame["alpha"]))
    low = float(frame[["share", "next_share"]].min().min())
    low = max(FLOOR, low / 3) if low > 0 else FLOOR
    shown = frame.assign(next_share=frame["next_share"].fillna(low))
    for index, method in enumerate(METHODS):
        rows = shown[shown["method"] == method]
        axes.plot(rows["share"].clip(lower=low), rows["next_share"].clip(lower=low),
                  linestyle="none", marker=style.marker(index), color=style.color(index),
                  markersize=3, alpha=0.5, label=WORDS[method])  # fmt: skip
    axes.set_xscale("log")
    axes.set_yscale("log")
    top = max(1.0, float(shown["next_share"].max())) * 3
    axes.set_xlim(low / 1.5, 2)
    axes.set_ylim(low / 1.5, top)
    for alpha in alphas:
        axes.axvline(alpha, color="black", linewidth=0.8)
        axes.plot([low / 1.5, alpha], [alpha, alpha], color="black", linewidth=0.8)
    axes.annotate("bottom-up", (alphas[0], low), fontsize=style.pt(6), rotation=90, xytext=(2, 2),
                  textcoords="offset points")  # fmt: skip
    axes.annotate("the next level is bottom-up", (low, alphas[0]), fontsize=style.pt(6),
                  xytext=(2, 2), textcoords="offset points")  # fmt: skip
    axes.set_xlabel("edgeCheck / |E|")
    axes.set_ylabel("edgeCheck · lambda / |E|")


def in_order(axes, experiment: Experiment, frame: pd.DataFrame, graphs: list[str]) -> None:
    """A row of boxes for each graph: the levels of its first source's search by its first case."""
    for y, graph in enumerate(graphs):
        here = frame[frame["graph"] == graph]
        here = here[(here["case"] == here.iloc[0]["case"])]
        here = here[here["source"] == here.iloc[0]["source"]]
        for level, method in zip(here["level"], here["method"], strict=True):
            known = method in METHODS
            index = METHODS.index(method) if known else len(METHODS)
            axes.barh(y, 1, 0.8, level - 0.5, color=style.color(index), hatch=style.hatch(index),
                      edgecolor="white", linewidth=0.4)  # fmt: skip
    names = [short_label(experiment, graph, " ") for graph in graphs]
    axes.set_yticks(range(len(graphs)), names, fontsize=style.pt(6))
    axes.invert_yaxis()
    axes.grid(False)
    axes.set_xlabel("level")


def finding(drawing: Drawing, experiments: list[Experiment]) -> str:
    frame = drawing.numbers
    if frame.empty:
        return ""
    searches = frame.groupby(["graph", "case", "source"]).ngroups
    same = int((frame["method"] == frame["by_rule"]).sum())
    return (
        f"Of {sentences.several(len(frame), 'level')} of "
        f"{sentences.several(searches, 'search', 'searches')} {same:,} ran by the method that the "
        "rule of section 4.3 gives, by exact counts of edges."
    )
