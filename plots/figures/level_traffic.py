# SPDX-License-Identifier: Apache-2.0
"""The bytes that each level of a search moved, beside those that it needs at the very least.

The floor is counted from levels.csv, of the instrumented search from the same source. It holds for
every engine that keeps its sets of vertices as bits or in more room than that:

    top-down   4 B for each edge of the frontier, its column; for each vertex that is found 4 B for
               its level (8 B where both answers are asked for), 4 B for its place in a queue, and
               a bit read and one written
    bottom-up  4 B for each unvisited vertex that has edges, its first neighbour; for each vertex
               that is found 4 B for its level (or 8 B, as above); and a bit read and one written
               for each vertex of the graph that has edges

A level top-down need not look at all bits, so that a small one has a small floor. The rows'
`unvisited_vertices` count those without edges too, which no search has to look at: graphs.csv says
how many they are. Of directed graphs it does not say how many vertices no edge leads to, so that
their levels bottom-up have no floor. What the level before had found already (XBFS's early finds)
counts in neither level."""

from __future__ import annotations

import pandas as pd

from .. import grouped_bars, kernel_counters, sentences, style
from ..cells import number
from ..drawing import Drawing
from ..grouped_bars import Bar
from ..kernel_counters import FACTS, kernels
from ..labels import graph_label, stand_in_note
from ..load import Experiment

CAPTION = (
    "The bytes that the kernels of each level moved, by Nsight Compute's counters: those that DRAM "
    "read and wrote, and those that L2 passed on. Beside them stand the bytes that the level "
    "needs at the very least. Top-down: 4 for each edge of the frontier, 8 for each vertex that is "
    "found (its level and its place in a queue), and a bit of it read and written. Bottom-up: 4 "
    "for each unvisited vertex that has edges (its first neighbour), 4 for each one that is found, "
    "and a bit read and written for each vertex of the graph that has edges. Where both levels and "
    "parents are asked for, each vertex that is found takes 4 more. Over the longest levels stand "
    "the time of their kernels and the share of DRAM's peak bandwidth in it. ncu runs each kernel "
    "alone, with caches flushed before it: what a level finds in the cache in a search, it reads "
    "from DRAM here, and what it writes may still be in L2 when it ends. "
)
STATISTIC = f"{kernel_counters.STATISTIC}; needed bytes by the levels' counts"
SEARCH = [*FACTS, "trial"]
COUNTS = ["frontier_vertices", "frontier_edges", "found_vertices", "found_early_vertices",
          "unvisited_vertices"]  # fmt: skip
BYTES = ["needed_bytes", "dram_bytes", "l2_bytes"]
COLUMNS = [*FACTS, "level", "direction", "technique", *COUNTS, "gpu_time_ms", *BYTES,
           "dram_peak", "dram_share_pct", "dram_per_needed", "l2_per_needed"]  # fmt: skip
ALL = "all"  # levels of a search
SHOWN = 16  # levels of a panel
ANNOTATED = 2
LABELS = {"needed_bytes": "needed at the very least", "dram_bytes": "DRAM", "l2_bytes": "L2"}


def numbers(experiment: Experiment) -> pd.DataFrame:
    """One row per level of each search that was profiled, and one of all these levels together,
    whose `level` is "all". A sum of which a part is not known is not known."""
    frame = kernels(experiment)
    frame = frame[frame["level"].notna()]
    if frame.empty:
        return pd.DataFrame(columns=COLUMNS)
    frame = frame.assign(
        dram_bytes=frame["dram_read_bytes"] + frame["dram_written_bytes"],
        gpu_time_ms=frame["gpu_time"],
        dram_most=frame["dram_peak"] * frame["gpu_time"] / 1e3,  # bytes in that time
    )
    sums = dict.fromkeys(["gpu_time_ms", "dram_bytes", "l2_bytes", "dram_most"], whole)
    by_level = frame.groupby([*SEARCH, "level"], sort=False)
    levels = by_level.agg({"direction": "first", "technique": "first"} | sums).reset_index()
    levels = needs(experiment, levels)
    levels["level"] = levels["level"].astype(int)
    together = levels.groupby(SEARCH, sort=False).agg(sums | {"needed_bytes": whole}).reset_index()
    rows = []
    for search in together.to_dict("records"):
        rows += levels[levels["trial"] == search["trial"]].to_dict("records")
        rows.append(search | {"level": ALL, "direction": "", "technique": ""})
    return with_ratios(pd.DataFrame(rows))[COLUMNS]


def whole(values: pd.Series) -> float:
    return values.sum(skipna=False)


def shared(values: pd.Series) -> str:
    """Returns the common value; empty if the values differ."""
    return values.iloc[0] if (values == values.iloc[0]).all() else ""


def with_ratios(frame: pd.DataFrame) -> pd.DataFrame:
    needed = frame["needed_bytes"].where(frame["needed_bytes"] > 0)
    seconds = frame["gpu_time_ms"].where(frame["gpu_time_ms"] > 0) / 1e3
    peak = frame["dram_most"].where(frame["dram_most"] > 0) / seconds
    return frame.assign(
        dram_peak=peak,  # the mean of the kernels', whose clocks differ a little
        dram_share_pct=100 * frame["dram_bytes"] / seconds / peak,
        dram_per_needed=frame["dram_bytes"] / needed,
        l2_per_needed=frame["l2_bytes"] / needed,
    )


def needs(experiment: Experiment, levels: pd.DataFrame) -> pd.DataFrame:
    """`levels` with what the instrumented search from the same source counted, and its floor: NaN
    where it counted too little, or ran the level in the other direction."""
    same = ["case", "graph", "toggles", "answer", "source"]
    runs, counted = experiment.runs, experiment.instrumented
    counted = counted[counted["status"] == "ok"].drop_duplicates(same)
    twins = runs[["trial", *same]].merge(counted[["trial", *same]], on=same, suffixes=("", "_of"))
    whole_levels = experiment.levels.groupby(["trial", "level"]).agg(  # over the parts of a level
        dict.fromkeys(COUNTS, whole) | {"direction": shared}
    )
    whole_levels = whole_levels.reset_index().rename(
        columns={"trial": "trial_of", "direction": "counted_as"}
    )
    graphs = experiment.graphs.drop_duplicates("graph")
    graphs = graphs[["graph", "vertices", "isolated_vertices", "symmetric"]]
    joined = (
        levels.merge(twins[["trial", "trial_of", "answer"]], on="trial", how="left")
        .merge(whole_levels, on=["trial_of", "level"], how="left")
        .merge(graphs, on="graph", how="left")
    )
    answers = joined["answer"].map({"both": 8}).fillna(4)  # bytes of a vertex
    found = joined["found_vertices"] - joined["found_early_vertices"]
    down = 4 * joined["frontier_edges"] + (answers + 4) * found + found / 4
    isolated = joined["isolated_vertices"].where(joined["symmetric"] == 1)
    open_ones = joined["unvisited_vertices"] - joined["found_early_vertices"] - isolated
    up = 4 * open_ones.clip(lower=0) + answers * found + (joined["vertices"] - isolated) / 4
    floor = down.where(joined["direction"] == "top_down", up)
    return joined.assign(needed_bytes=floor.where(joined["direction"] == joined["counted_as"]))


def draw(experiments: list[Experiment]) -> list[Drawing]:
    experiment = experiments[0]
    frame = numbers(experiment)
    if frame.empty:
        figure = style.message_figure(f"{experiment.name}: no counters of kernels were imported")
        return [Drawing("level_traffic", figure, frame, CAPTION.strip())]
    of_all = caption(experiment, frame)
    return [Drawing("level_traffic", lambda: panels(experiment, frame), frame, of_all)]


def panels(experiment: Experiment, frame: pd.DataFrame):
    """One of each search."""
    searches = frame.drop_duplicates(["series", "graph"])[FACTS].to_dict("records")
    across = min(len(searches), 2)
    down = -(-len(searches) // across)
    width = style.PAGE_IN if across > 1 else style.COLUMN_IN * 1.4
    figure = style.new_figure(width, 2.6 * down + 0.3)
    grid = list(figure.subplots(down, across, squeeze=False).flat)
    for axes, search in zip(grid, searches, strict=False):
        of_it = (frame[FACTS] == pd.Series(search)).all(axis=1)
        panel(axes, frame[of_it & (frame["level"] != ALL)])
        graph = graph_label(experiment, search["graph"], " ")
        axes.set_title(f"{search['series']} on {graph},\nfrom vertex {search['source']:.0f}",
                       loc="left", fontsize=style.pt(7))  # fmt: skip
    for axes in grid[len(searches) :]:
        axes.set_visible(False)
    style.legend_above(figure, *grid[: len(searches)], columns=3)
    return figure


def panel(axes, levels: pd.DataFrame) -> None:
    """Marks of the levels that take longest, in their order."""
    shown = levels.loc[levels["gpu_time_ms"].nlargest(SHOWN).index].sort_values("level")
    axes.set_yscale("log")
    groups = [str(level) for level in shown["level"]]
    lacks = {"needed_bytes": "no floor"}
    bars = {
        label: [
            Bar(v) if v == v else Bar(status=lacks.get(name, "not reported")) for v in shown[name]
        ]
        for name, label in LABELS.items()
    }
    grouped_bars.draw(axes, groups, bars, marks=True)
    axes.set_xticks(range(len(groups)), groups, rotation=0, ha="center")
    sizes = shown[BYTES].where(shown[BYTES] > 0)
    if sizes.notna().any(axis=None):
        axes.set_ylim(sizes.min().min() / 4, sizes.max().max() * 200)
    places = dict(zip(shown.index, range(len(shown)), strict=True))
    longest = shown.nlargest(ANNOTATED, "gpu_time_ms")
    top = sizes.loc[longest.index].max(axis=None)
    # One above the other, from one height on: they are often neighbours.
    for rank, (at, row) in enumerate(longest.iterrows()):
        share = row["dram_share_pct"]
        words = f"{row['gpu_time_ms']:.3g} ms" + (
            f"\n{share:.0f} % of peak" if share == share else ""
        )
        axes.annotate(words, (places[at], top),
                      (0, 4 + style.pt(14) * rank), ha="center", va="bottom",
                      textcoords="offset points", fontsize=style.pt(5.5))  # fmt: skip
    style.plain_log_ticks(axes.yaxis)
    axes.set_xlabel("level")
    axes.set_ylabel("bytes")


def caption(experiment: Experiment, frame: pd.DataFrame) -> str:
    parts = [CAPTION.strip(), stand_in_note(experiment, list(dict.fromkeys(frame["graph"])))]
    per_search = frame[frame["level"] != ALL].groupby(FACTS, sort=False).size()
    most = per_search.max()
    if most > SHOWN:
        parts.append(f"Of up to {most} levels a panel shows the {SHOWN} that take longest.")
    if len(per_search) > len(frame.drop_duplicates(["series", "graph"])):
        parts.append("Of the searches on a graph, a panel shows the first.")
    lacking = frame[(frame["level"] != ALL) & frame["needed_bytes"].isna()]
    if len(lacking):
        have = "level has" if len(lacking) == 1 else "levels have"
        parts.append(
            f"{len(lacking)} {have} no floor: what it takes was not counted, the counted search "
            "went in the other direction there, or the graph is directed and the level bottom-up."
        )
    for _, rows in frame.groupby(["series", "graph"], sort=False):
        parts.append(over_all(experiment, rows))
    return " ".join(part for part in parts if part)


def over_all(experiment: Experiment, rows: pd.DataFrame) -> str:
    """Sums the traffic of one engine's searches on one graph over the rows of all their levels."""
    profiled = rows[rows["level"] != ALL].groupby(FACTS).size()
    levels = experiment.runs.groupby(FACTS)["levels"].max().reindex(profiled.index)
    rows = rows[rows["level"] == ALL]
    first = rows.iloc[0]
    where = f"{first['series']} on {graph_label(experiment, first['graph'], ' ')}"
    searches = "the search" if len(rows) == 1 else f"{len(rows)} searches"
    part = "the profiled levels" if (profiled < levels).any() else "all levels"
    dram, l2, needed = (whole(rows[name]) for name in ("dram_bytes", "l2_bytes", "needed_bytes"))
    share = dram / whole(rows["dram_peak"] * rows["gpu_time_ms"] / 1e3)
    text = f"Over {part} of {searches}, {where} moves "
    if needed > 0:
        each = f"{dram / needed:.2f} bytes of DRAM and {l2 / needed:.2f} of L2"
        text += f"{each} for each byte that it needs at the very least"
    else:
        text += f"{dram:.3g} bytes of DRAM and {l2:.3g} of L2"
    return f"{text}, at {share:.0%} of DRAM's peak bandwidth." if share == share else f"{text}."


def finding(drawing: Drawing, experiments: list[Experiment]) -> str:
    whole = drawing.numbers
    whole = whole[whole["level"] == ALL] if len(whole) else whole
    if whole.empty:
        return ""
    dram = sentences.ends(whole, "dram_share_pct", "{:.0f} %".format)
    needed = sentences.ends(whole, "dram_per_needed", number)
    words = [f"use {dram} of DRAM's bandwidth"] if dram else []
    words += [f"move {needed} times the bytes that they need"] if needed else []
    if not words:
        return ""
    text = sentences.listed(words)
    return f"All levels of a search together {text}, by the counters of one profile."
