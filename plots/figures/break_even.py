# SPDX-License-Identifier: Apache-2.0
"""From how many searches on a costlier set-up pays."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd

from .. import sentences, style
from ..cells import Cell, number, time_cell
from ..drawing import Drawing
from ..labels import graph_label, stand_in_note
from ..load import Experiment

CAPTION = (
    "What a search costs if so many are run on one graph: its time, and its share of the set-up, "
    "in which the engine took up the graph (upload, preprocessing, allocation). A dot is where "
    "the cheapest configuration changes for one whose searches are at least a tenth faster, with "
    "the number of searches from which on that one is cheaper in all. "
)
STATISTIC = (
    "(set-up / searches + time of a search) [ms]: median of the set-ups, and median over sources "
    "of the median over repeats"
)
WORTH_A_CHANGE = 0.9  # of a search's time: set-ups of like configurations vary
COLUMNS = "graph,stand_in_for,case,against,status,setup_ms,time_ms,cheaper,searches".split(",")
COST_COLUMNS = [name for name in COLUMNS if name not in ("against", "cheaper", "searches")]
COST_COLUMNS += ["build"]  # costs are compared where it is the same


def searches_until_cheaper(setup: float, time: float, other_setup: float, other: float) -> float:
    """The least number of searches whose whole cost is below the other's; infinite if there is
    none. Times and set-ups in one unit."""
    if setup + time < other_setup + other:
        return 1 if time <= other else math.nan  # it is cheaper at first, and then no more
    if time >= other:
        return math.inf
    return math.floor((setup - other_setup) / (other - time)) + 1


def costs(experiment: Experiment) -> pd.DataFrame:
    """One row per (graph, series): median set-up and median time, in ms; NaN where it failed."""
    rows = []
    for graph in experiment.graph_order:
        for series in experiment.series_order:
            here = experiment.timed_cell(graph, series)
            if here.empty or here["setup_ms"].isna().all():
                continue
            cell: Cell = time_cell(here)
            rows.append(
                {
                    "graph": graph,
                    "stand_in_for": experiment.stand_in_for(graph),
                    "case": series,
                    "status": cell.failure.lower() or ("ok" if cell.ok else ""),
                    "setup_ms": here["setup_ms"].median(),
                    "time_ms": cell.median_ms if cell.ok else math.nan,
                    "build": ";".join(sorted(cell.builds)) if experiment.mixed else "",
                }
            )
    return pd.DataFrame(rows, columns=COST_COLUMNS)


def numbers(experiment: Experiment) -> pd.DataFrame:
    """One row per (graph, case, other case): `cheaper` says when the case is the cheaper of the
    two ("always", "from" so many `searches` on, "first" and then no more, "never")."""
    rows = []
    for _, here in costs(experiment).groupby("graph", sort=False):
        for mine, theirs in itertools.permutations(here.to_dict("records"), 2):
            row = mine | {"against": theirs["case"], "cheaper": "", "searches": math.nan}
            if mine["status"] == theirs["status"] == "ok" and mine["build"] == theirs["build"]:
                count = searches_until_cheaper(
                    mine["setup_ms"], mine["time_ms"], theirs["setup_ms"], theirs["time_ms"]
                )
                row["cheaper"] = _words(count)
                row["searches"] = count if math.isfinite(count) else math.nan
            rows.append(row)
    return pd.DataFrame(rows, columns=COLUMNS)


def _words(count: float) -> str:
    if math.isnan(count):
        return "first"
    return "never" if math.isinf(count) else "always" if count == 1 else "from"


def cheapest(here: pd.DataFrame) -> list[tuple[str, int]]:
    """The cheapest cases of one graph in turn, each at least a tenth faster a search than the one
    before, with the number of searches that each begins at."""
    good = here[here["status"] == "ok"].to_dict("records")
    if not good:
        return []
    turns = [(min(good, key=lambda one: (one["setup_ms"] + one["time_ms"], one["time_ms"])), 1)]
    while True:
        now, since = turns[-1]
        later = [
            (searches_until_cheaper(one["setup_ms"], one["time_ms"],
                                    now["setup_ms"], now["time_ms"]), one)
            for one in good
            if one["build"] == now["build"] and one["time_ms"] <= WORTH_A_CHANGE * now["time_ms"]
        ]  # fmt: skip
        later = [(max(count, since + 1), one) for count, one in later if math.isfinite(count)]
        if not later:
            return [(one["case"], begin) for one, begin in turns]
        begin, following = min(later, key=lambda each: (each[0], each[1]["time_ms"]))
        turns.append((following, int(begin)))


def draw(experiments: list[Experiment]) -> list[Drawing]:
    experiment = experiments[0]
    frame = numbers(experiment)
    each = costs(experiment)
    caption = f"{CAPTION}{stand_in_note(experiment, experiment.graph_order)}".strip()
    if not (each["status"] == "ok").any():
        figure = style.message_figure(f"{experiment.name}: no set-up and time yet")
        return [Drawing("break_even", figure, frame, caption)]
    return [Drawing("break_even", lambda: panels(experiment, each), frame, caption)]


def panels(experiment: Experiment, each: pd.DataFrame):
    """One of each graph."""
    graphs = list(dict.fromkeys(each["graph"]))
    cases = list(dict.fromkeys(each["case"]))
    across = min(len(graphs), 2)
    down = -(-len(graphs) // across)
    width = style.PAGE_IN if across > 1 else style.COLUMN_IN * 1.4
    figure = style.new_figure(width, 2.2 * down + 0.3)
    grid = list(figure.subplots(down, across, squeeze=False).flat)
    for axes, graph in zip(grid, graphs, strict=False):
        panel(axes, each[each["graph"] == graph], cases)
        axes.set_title(graph_label(experiment, graph, " "), loc="left", fontsize=style.pt(7))
    for axes in grid[len(graphs) :]:
        axes.set_visible(False)
    style.legend_above(figure, *grid[: len(graphs)], columns=3)
    return figure


def panel(axes, here: pd.DataFrame, cases: list[str]) -> None:
    turns = cheapest(here)
    last = max((begin for _, begin in turns), default=1)
    searches = np.geomspace(1, max(1000, 30 * last), 200)
    by_case = here.set_index("case")
    for case in by_case.index[by_case["status"] == "ok"]:
        row, index = by_case.loc[case], cases.index(case)
        axes.plot(
            searches, row["setup_ms"] / searches + row["time_ms"],
            label=case, color=style.color(index), marker=style.marker(index), markevery=40,
            markersize=3, linewidth=0.9,
        )  # fmt: skip
    for case, begin in turns[1:]:
        row = by_case.loc[case]
        cost = row["setup_ms"] / begin + row["time_ms"]
        axes.plot([begin], [cost], "o", color="black", markersize=3.5, zorder=3)
        axes.annotate(number(begin), (begin, cost), textcoords="offset points", xytext=(2, 4),
                      fontsize=style.pt(6), zorder=4,
                      bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.4})  # fmt: skip
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("searches of one graph")
    axes.set_ylabel("cost of a search,\nset-up included [ms]")
    style.plain_log_ticks(axes.xaxis)
    style.plain_log_ticks(axes.yaxis)


def finding(drawing: Drawing, experiments: list[Experiment]) -> str:
    if not len(drawing.numbers):
        return ""
    turns = {g: cheapest(rows) for g, rows in costs(experiments[0]).groupby("graph", sort=False)}
    turns = {graph: found for graph, found in turns.items() if found}
    if not turns:
        return ""
    last = pd.Series([found[-1][0] for found in turns.values()]).value_counts(sort=False)
    changing = [found[-1][1] for found in turns.values() if len(found) > 1]
    often = sentences.several(len(turns), "graph")
    who = sentences.name(last.idxmax())
    lead = f"For many searches {who} is the cheapest on {last.max()} of {often}"
    if not changing:
        return f"{lead}, and for one alone too, by medians of set-ups and of the sources' times."
    least, most = min(changing), max(changing)
    since = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    return (
        f"{lead}; on {len(changing)} of them the cheapest changes with their number, for the last "
        f"time at {since} searches, by medians of set-ups and of the sources' times."
    )
