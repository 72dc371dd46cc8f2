# SPDX-License-Identifier: Apache-2.0
"""xbfs Figure 5: ways to gather a frontier, over the one-pass prefix sum of CUB."""

from __future__ import annotations

import pandas as pd

from .. import sentences, stats, style
from ..cells import number
from ..drawing import Drawing
from ..load import Experiment
from ..paper import PaperTable, paper_for
from ..ratios import estimate_text

COMBINES_MACHINES = True

BASELINE = "cub_select"
WORDS = {
    "cub_select": "one-pass prefix sum (CUB)",
    "atomic_vertex": "one atomic per frontier",
    "atomic_warp": "one atomic per warp",
    "atomic_block": "one atomic per block",
    "prefix_sum": "prefix sum, two passes",
    "engine_single_scan": "single-scan of xbfs",
    "engine_prefix_sum": "prefix sum of xbfs",
    "engine_double_scan": "double-scan of xbfs",
}
DEFAULT_SELECTIVITY = 0.1
CAPTION = (
    "Gathering the set elements of a random status array (4 bytes per element) into a queue; time "
    "between two events on the GPU, median of the repetitions, and bars over all of them. Above: "
    "how many times as fast as CUB's one-pass selection, a prefix sum at the speed of memory, at "
    "the default selectivity of {default:g} %, the share of elements that are set; the paper does "
    "not define its own. Below: the time per element, by selectivity, at the largest size. "
)
STATISTIC = (
    "median of the repetitions (whiskers: their range); above: ratio of times over CUB's "
    "selection, below: time per element [ps]"
)
DEVIATIONS = (
    "The paper enqueues each frontier by an atomic. One atomic per warp serves 32 elements, which "
    "compilers make of it. A GPU does a limited number of atomics per second on "
    "one address, regardless of its memory bandwidth, so with the bandwidth of later GPUs one "
    "atomic per warp becomes the bottleneck unless few elements are set, and one per block of "
    "threads is needed for atomics to keep ahead. The paper's baseline is a prefix sum in two "
    "passes, of which ours is drawn too; a library's needs one. The kernels that the engine xbfs "
    "launches (single-scan, double-scan, and the prefix sum that it compares with) also read each "
    "found vertex's degree where they sort by it. "
)
COLUMNS = (
    "origin,machine,method,over,elements,selectivity,time_ms,fastest_ms,slowest_ms,baseline_ms,"
    "speedup,repetitions"
).split(",")


def numbers(experiment: Experiment) -> pd.DataFrame:
    """One row per (method, elements, selectivity); `speedup` is the time of `over` (CUB's
    selection) at the same place over its own, NaN where that was not measured."""
    measures = experiment.measures[experiment.measures["level"].isna()]
    wide = measures.pivot_table("value", ["trial", "part"], "metric", aggfunc="first").reset_index()
    if not {"time", "elements", "selectivity"} <= set(wide.columns):
        return pd.DataFrame(columns=COLUMNS)
    keys = ["part", "elements", "selectivity"]
    times = wide.groupby(keys, sort=True)["time"].agg(["median", "min", "max", "size"])
    rows = []
    for (method, elements, selectivity), row in times.iterrows():
        place = (BASELINE, elements, selectivity)
        baseline = float(times.loc[place, "median"]) if place in times.index else float("nan")
        rows.append(
            {
                "origin": "ours",
                "machine": experiment.machine,
                "method": method,
                "over": BASELINE,
                "elements": elements,
                "selectivity": selectivity,
                "time_ms": row["median"],
                "fastest_ms": row["min"],
                "slowest_ms": row["max"],
                "baseline_ms": baseline,
                "speedup": baseline / row["median"],
                "repetitions": row["size"],
            }
        )
    return pd.DataFrame(rows, columns=COLUMNS)


def draw(experiments: list[Experiment]) -> list[Drawing]:
    first = experiments[0]
    paper = paper_for(first)
    frame = pd.concat([numbers(e) for e in experiments], ignore_index=True)
    shown = default_selectivity(frame)
    method = CAPTION.format(default=100 * shown)
    caption = f"{method}{mean_note(frame, shown)}{paper_sentence(paper)}{DEVIATIONS}".strip()
    if frame["speedup"].isna().all():
        figure = style.message_figure(f"{first.name}: nothing was measured beside CUB's selection")
        return [Drawing("frontier_generation", figure, frame, caption)]
    drawn = with_paper(frame, paper)
    return [Drawing("frontier_generation", lambda: panels(frame, shown), drawn, caption)]


def default_selectivity(frame: pd.DataFrame) -> float:
    """The default where it was measured, else the closest to it."""
    known = sorted(set(frame["selectivity"]), key=lambda s: abs(s - DEFAULT_SELECTIVITY))
    return float(known[0]) if known else DEFAULT_SELECTIVITY


def mean_note(frame: pd.DataFrame, selectivity: float) -> str:
    """The geometric means over the sizes, with their intervals."""
    rows = frame[(frame["selectivity"] == selectivity) & frame["speedup"].notna()]
    rows = rows[rows["method"] != BASELINE]
    several = len(set(rows["machine"])) > 1
    words = [
        f"{WORDS.get(method, method)}{f' on {machine}' if several else ''} "
        f"{estimate_text(stats.mean_ratio(here['speedup']))}"
        for (machine, method), here in rows.groupby(["machine", "method"], sort=False)
    ]
    return f"Geometric mean over the sizes: {', '.join(words)}. " if words else ""


def paper_sentence(paper: PaperTable | None) -> str:
    if paper is None:
        return ""
    words = [f"{row['value']} on {row['method']}" for _, row in paper.rows.iterrows()]
    return f"The paper's averages of atomics over its prefix sum: {', '.join(words)}. "


def with_paper(frame: pd.DataFrame, paper: PaperTable | None) -> pd.DataFrame:
    if paper is None:
        return frame
    rows = [
        {"origin": "paper", "machine": row["method"], "method": "atomic", "over": "prefix_sum",
         "speedup": float(row["value"])}
        for _, row in paper.rows.iterrows()
    ]  # fmt: skip
    return pd.concat([frame, pd.DataFrame(rows, columns=COLUMNS)], ignore_index=True)


def panels(frame: pd.DataFrame, shown: float):
    figure = style.new_figure(style.PAGE_IN, 4.6)
    above, below = figure.subplots(2, 1, height_ratios=(1.2, 1))
    machines = list(dict.fromkeys(frame["machine"]))
    methods = [m for m in WORDS if m in set(frame["method"])]
    for m, machine in enumerate(machines):
        line = ("-", "--", "-.", ":")[m % 4]
        here = frame[frame["machine"] == machine]
        for index, method in enumerate(methods):
            rows = here[here["method"] == method]
            look = {"color": style.color(index), "marker": style.marker(index), "linestyle": line}
            name = WORDS[method] if len(machines) == 1 else f"{WORDS[method]}, {machine}"
            sizes = rows[(rows["selectivity"] == shown) & rows["speedup"].notna()]
            if len(sizes):
                base, own = sizes["baseline_ms"], sizes["speedup"]
                spread = [own - base / sizes["slowest_ms"], base / sizes["fastest_ms"] - own]
                above.errorbar(sizes["elements"], own, spread, elinewidth=0.6, **look)
            largest = rows[rows["elements"] == rows["elements"].max()]
            each = 1e9 * largest["time_ms"] / largest["elements"]  # ps: 10^9 ms
            below.plot(100 * largest["selectivity"], each, label=name, **look)
    above.set_xscale("log", base=2)
    above.set_xlabel("elements")
    above.xaxis.set_major_formatter(lambda value, _: style.compact(value))
    ticks = sorted(set(frame["elements"].dropna()))
    above.set_xticks(ticks[:: max(1, len(ticks) // 10)])
    above.set_ylabel("speed-up over\nCUB's prefix sum")
    style.ratio_axis(above)
    below.set_xscale("log")
    below.set_yscale("log")
    style.plain_log_ticks(below.xaxis)
    style.plain_log_ticks(below.yaxis)
    below.set_xlabel(f"selectivity, % of the elements ({style.compact(max(ticks))} elements)")
    below.set_ylabel("time per element [ps]")
    style.legend_above(figure, below, columns=3)
    figure.align_ylabels()
    return figure


def finding(drawing: Drawing, experiments: list[Experiment]) -> str:
    frame = sentences.ours(drawing.numbers)
    rows = frame[frame["selectivity"] == default_selectivity(frame)]
    rows = rows[rows["speedup"].notna() & (rows["method"] != BASELINE)]
    if rows.empty:
        return ""
    rows = rows[rows["elements"] == rows["elements"].max()].sort_values("speedup")
    high, low = (
        f"{WORDS.get(row['method'], row['method'])} on {row['machine']} is "
        f"{number(row['speedup'])} times as fast"
        for row in (rows.iloc[-1], rows.iloc[0])
    )
    return (
        f"With {rows['elements'].iloc[0] / 1e6:g} million elements, of which "
        f"{100 * rows['selectivity'].iloc[0]:g} % are set, {high} as CUB's one-pass selection, the "
        f"most, and {low}, the least, by medians of the repetitions."
    )
