# SPDX-License-Identifier: Apache-2.0
"""xbfs Figure 10: next-level vertices that the first bottom-up level finds early, and Lemma 3."""

from __future__ import annotations

import pandas as pd

from .. import sentences, style
from ..drawing import Drawing
from ..grouped_bars import strip
from ..labels import graph_name, stand_in_note, wrapped
from ..load import Experiment
from ..measures import counted
from ..paper import PaperTable, paper_table
from ..xbfs import (
    ENGINE,
    MODEL,
    counted_on_gpu,
    never_bottom_up_note,
    paper_name,
    short_label,
)

CAPTION = (
    "Vertices of the level after the next that the first bottom-up level finds, over all of that "
    "level: bars have the sums over the searches, dots each search that has such a level, and the "
    "number above a bar says how many of all searches these are. "
)
OF_ENGINE = (
    "Counted on the GPU, where tens of thousands of vertices look at once: which finds are seen "
    "differs from run to run. "
)
OF_MODEL = (
    "One thread, queue order: a vertex sees whatever was written before its turn, which is the "
    "setting of Lemma 3. Bars are counted, diamonds what Lemma 3 expects of the same queue, "
    "1 - (1 - s/|Q|)^N for the vertex at index s with N neighbours in the level before; the paper "
    "states the complement, and writes |Q_l| where its proof needs |Q|. "
)
DEVIATIONS = (
    "Lemma 3 takes a level's vertices to be spread evenly over the queue, as in a random order "
    "(a shuffled queue, Kronecker's permuted ids). Ids of real graphs mostly follow the order in "
    "which a crawl met the vertices: hubs are early, and a vertex comes after the neighbour that "
    "it was met through. So in a queue sorted by id more of the next level can be found early on "
    "such graphs than the lemma expects; Kronecker graphs have random ids and show the lemma "
    "alone, and stand-ins model the order of graphs of their kind (docs/stand_ins.md). In a "
    "bipartite graph whose sides are numbered one after the other, a sorted "
    "queue finds all or nothing early, by the side that the level is on. And a GPU looks at tens "
    "of thousands of vertices at once, where none sees what another writes at the same time: the "
    "case with many at once loses the finds within a window, and more so the smaller the graph is "
    "relative to the window. "
)
ACROSS = 5  # panels of graphs
METRICS = ("next_level_vertices", "found_early_vertices", "found_early_expected")
COLUMNS = (
    "origin,graph,stand_in_for,case,part,next_level_vertices,found_early_vertices,"
    "found_early_expected,found_early_share,expected_share,found_over_expected,searches,of_searches,"
    "by_source"
).split(",")
STATISTIC = (
    "share of the next level's vertices that are found early, in %: of all searches together "
    "(bars; above them how many searches have such a level) and of each search (dots)"
)


def numbers(experiment: Experiment) -> pd.DataFrame:
    """One row per (graph, case) and part: "all", or the k-th sixteenth of the queue. Shares are
    0..1; NaN where no vertex was two levels on."""
    on_gpu = counted_on_gpu(experiment)
    table = counted_levels(experiment) if on_gpu else counted(experiment, MODEL)
    table = table[table["metric"].isin(METRICS)]
    keys = ["graph", "case", "part"]
    sums = table.pivot_table(
        index=keys, columns="metric", values="value", aggfunc="sum", sort=False
    ).reindex(columns=list(METRICS))
    whole = table[table["part"] == "first_bottom_up"]
    each = whole.pivot_table(index=["graph", "case", "trial"], columns="metric", values="value",
                             aggfunc="first").reindex(columns=list(METRICS))  # fmt: skip
    each = each[each["next_level_vertices"] > 0]
    each = each["found_early_vertices"] / each["next_level_vertices"]
    runs = experiment.instrumented
    all_searches = runs[runs["status"] == "ok"].groupby(["graph", "case"])["trial"].nunique()
    rows = []
    for (graph, case, part), row in sums.iterrows():
        of = row["next_level_vertices"]
        rows.append(
            {
                "origin": "ours",
                "graph": graph,
                "stand_in_for": experiment.stand_in_for(graph),
                "case": case,
                "part": "all" if part == "first_bottom_up" else part.removeprefix("position="),
                **{metric: row[metric] for metric in METRICS},
                "found_early_share": row["found_early_vertices"] / of if of else float("nan"),
                "expected_share": row["found_early_expected"] / of if of else float("nan"),
                "found_over_expected": row["found_early_vertices"] / row["found_early_expected"]
                if row["found_early_expected"]
                else float("nan"),
                "searches": len(own := shares_of(each, graph, case)),
                "of_searches": all_searches.get((graph, case), 0),
                "by_source": own if part == "first_bottom_up" else None,
            }
        )
    return pd.DataFrame(rows, columns=COLUMNS)


def shares_of(each: pd.Series, graph: str, case: str) -> pd.Series:
    """Returns one row per search of (graph, case); none if it has no such level."""
    return each[each.index.droplevel("trial") == (graph, case)]


def counted_levels(experiment: Experiment) -> pd.DataFrame:
    """The same of searches on the GPU, from their levels' rows: what the level after the first
    bottom-up level found, and how much of it had been found early. Lemma 3's terms are unknown."""
    runs = experiment.instrumented
    runs = runs[(runs["status"] == "ok") & (runs["engine"] == ENGINE)]
    levels = experiment.levels[experiment.levels["trial"].isin(set(runs["trial"]))]
    first = levels[levels["direction"] == "bottom_up"].groupby("trial")["level"].min()
    after = levels[levels["level"] == levels["trial"].map(first) + 1]
    counted = after.dropna(subset=["found_vertices", "found_early_vertices"])
    rows = counted.merge(runs[["trial", "graph", "case"]], on="trial")
    parts = []
    for metric, column in (
        ("next_level_vertices", "found_vertices"),
        ("found_early_vertices", "found_early_vertices"),
    ):
        part = rows[["trial", "graph", "case"]].assign(
            part="first_bottom_up", metric=metric, value=rows[column]
        )
        parts.append(part)
    return pd.concat(parts, ignore_index=True)


def with_paper(frame: pd.DataFrame, paper: PaperTable | None) -> pd.DataFrame:
    if paper is None:
        return frame
    rows = [
        {"origin": "paper", "graph": row["graph"], "part": row["metric"],
         "found_early_share": float(row["value"]) / 100}
        for _, row in paper.rows.iterrows()
    ]  # fmt: skip
    return pd.concat([frame, pd.DataFrame(rows)], ignore_index=True)


def draw(experiments: list[Experiment]) -> list[Drawing]:
    experiment = experiments[0]
    # A spec on the paper's own graphs has its numbers too.
    paper = paper_table(experiment.name) or paper_table("xbfs-fig10")
    frame = numbers(experiment)
    note = stand_in_note(experiment, list(dict.fromkeys(frame["graph"])))
    text = ""
    if paper:
        average = paper.cell("all ten", "found_early_share")
        text = (
            f"Of its own graphs the paper says {average} % on average (dotted line), over 99 % on "
            "DP, OR, LJ, EW, TR and FR, nearly 40 % on US; its other bars are not printed. "
        )
    missing = f"{never_bottom_up_note(experiment)}{nothing_left_note(frame)}"
    counted_by = OF_ENGINE if counted_on_gpu(experiment) else OF_MODEL
    caption = f"{CAPTION}{counted_by}{text}{DEVIATIONS}{missing}{note}".strip()
    if frame["found_early_share"].isna().all():
        figure = style.message_figure(f"{experiment.name}: no bottom-up level was counted")
        return [Drawing("early_found", figure, frame, caption)]
    return [
        Drawing(
            "early_found",
            lambda: both_panels(experiment, frame, paper),
            with_paper(frame, paper),
            caption,
        )
    ]


def nothing_left_note(frame: pd.DataFrame) -> str:
    """Names the graphs whose first bottom-up level is always the last that finds anything."""
    whole = frame[frame["part"] == "all"].groupby("graph", sort=False)["found_early_share"]
    names = [graph_name(graph) for graph, shares in whole if shares.isna().all()]
    if not names:
        return ""
    return (
        f"Missing where the first bottom-up level left nothing for a next one: {', '.join(names)}. "
    )


def both_panels(experiment: Experiment, frame: pd.DataFrame, paper: PaperTable | None):
    places = frame[frame["part"] != "all"]
    if places.empty:  # the GPU does not report where in the queue
        figure = style.new_figure(style.PAGE_IN, 2.7)
        shares(experiment, frame, paper, figure.subplots())
        return figure
    graphs = list(dict.fromkeys(places["graph"]))
    across = min(len(graphs), ACROSS)
    down = -(-len(graphs) // across)
    figure = style.new_figure(style.PAGE_IN, 2.7 + 1.35 * down + 0.4)
    top, below = figure.subfigures(2, 1, height_ratios=(2.7, 1.35 * down + 0.4))
    shares(experiment, frame[frame["part"] == "all"], paper, top.subplots())
    positions(places, graphs, below, below.subplots(down, across, squeeze=False, sharex=True,
                                                    sharey=True))  # fmt: skip
    return figure


def shares(experiment: Experiment, rows: pd.DataFrame, paper: PaperTable | None, axes) -> None:
    graphs = list(dict.fromkeys(rows["graph"]))
    cases = list(dict.fromkeys(rows["case"]))
    width = 0.8 / len(cases)
    lemma = "Lemma 3" if rows["expected_share"].notna().any() else None
    for index, case in enumerate(cases):
        of_case = rows[rows["case"] == case].set_index("graph").reindex(graphs)
        x = [g - 0.4 + width * (index + 0.5) for g in range(len(graphs))]
        axes.bar(x, 100 * of_case["found_early_share"], width, label=case,
                 color=style.color(index), hatch=style.hatch(index), edgecolor="black",
                 linewidth=0.4)  # fmt: skip
        for place, (_, row) in zip(x, of_case.iterrows(), strict=True):
            if isinstance(row["by_source"], pd.Series):
                strip(axes, place, width, list(100 * row["by_source"]))
            if row["of_searches"] > 0:
                axes.annotate(f"{row['searches']:.0f}/{row['of_searches']:.0f}", (place, 107),
                              ha="center", va="bottom", fontsize=style.pt(5),
                              rotation=0 if len(cases) * len(graphs) < 20 else 90)  # fmt: skip
        axes.plot(x, 100 * of_case["expected_share"], "D", color="black", markersize=3.5,
                  markerfacecolor="white", label=lemma if index == 0 else None)  # fmt: skip
    if paper:
        average = float(paper.cell("all ten", "found_early_share"))
        axes.axhline(average, color="black", linestyle=":", linewidth=0.8,
                     label=f"paper's average, {average:g} %")  # fmt: skip
        printed = paper.rows[paper.rows["metric"] != "found_early_share"]
        claims = {row["graph"]: float(row["value"]) for _, row in printed.iterrows()}
        known = [(g, claims.get(paper_name(experiment, graph))) for g, graph in enumerate(graphs)]
        known = [(g, claim) for g, claim in known if claim is not None]
        for index, (g, claim) in enumerate(known):
            axes.plot([g - 0.42, g + 0.42], [claim, claim], color="black",
                      label=None if index else "paper, this graph")  # fmt: skip
    turned = {"rotation": 35, "ha": "right", "rotation_mode": "anchor"} if len(graphs) > 7 else {}
    axes.set_xticks(range(len(graphs)), [short_label(experiment, g) for g in graphs], **turned)
    axes.set_ylim(-3, 122)  # dots at 0 stand whole
    axes.set_yticks(range(0, 101, 25))
    axes.set_ylabel("found early, %")
    axes.grid(False, axis="x")
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=3)


def positions(rows: pd.DataFrame, graphs: list[str], figure, grid) -> None:
    """Where in the queue, a panel for each graph: the first case's counts as marks, what Lemma 3
    expects of them as lines, and the lemma for vertices of N neighbours in grey."""
    case = rows["case"].iloc[0]
    rows = rows[rows["case"] == case]
    x = [(k + 0.5) / 100 for k in range(100)]
    for axes, graph in zip(grid.flat, graphs, strict=False):
        for power in (1, 2, 4):
            axes.plot(x, [100 * (1 - (1 - s) ** power) for s in x], color="#B0B0B0",
                      linewidth=0.8)  # fmt: skip
            axes.annotate(f"N={power}", (0.25, 100 * (1 - 0.75**power)), color="#606060",
                          fontsize=style.pt(5))  # fmt: skip
        here = rows[rows["graph"] == graph].copy()
        fractions = here["part"].str.split("/", expand=True).astype(float)
        here["x"] = (fractions[0] + 0.5) / fractions[1]
        here = here[here["next_level_vertices"] > 0].sort_values("x")
        axes.plot(here["x"], 100 * here["found_early_share"], "o", color=style.color(0),
                  markersize=2.5)  # fmt: skip
        axes.plot(here["x"], 100 * here["expected_share"], color=style.color(1), linewidth=0.9)
        axes.set_title(wrapped(graph_name(graph), 24), fontsize=style.pt(6))
        axes.set_xlim(0, 1)
        axes.set_ylim(-3, 105)
    for axes in grid.flat[len(graphs) :]:
        axes.set_visible(False)
    figure.supxlabel(f"place in the queue, s/|Q| ({case}); marks: counted, lines: Lemma 3",
                     fontsize=style.pt(8))  # fmt: skip
    figure.supylabel("found early, %", fontsize=style.pt(8))


def finding(drawing: Drawing, experiments: list[Experiment]) -> str:
    frame = sentences.ours(drawing.numbers)
    whole = frame[(frame["part"] == "all") & frame["found_early_share"].notna()]
    words = [
        f"{sentences.name(case)} {sentences.ends(rows, 'found_early_share', sentences.percent)}"
        for case, rows in whole.groupby("case", sort=False)
    ]
    if not words:
        return ""
    return (
        "Of the vertices of the level after the first bottom-up one this finds early, over all "
        f"searches together: {'; '.join(words)}."
    )
