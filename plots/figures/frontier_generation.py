"""xbfs Figure 5: gathering frontiers by atomic operations, over gathering them by prefix sum."""

from __future__ import annotations

import pandas as pd

from .. import style
from ..drawing import Drawing
from ..load import Experiment
from ..paper import PaperTable, paper_for

COMBINES_MACHINES = True

# Ways to gather by atomics, and the prefix sum that each is compared with.
PAIRS = {
    "atomic_warp": "prefix_sum",
    "atomic_block": "prefix_sum",
    "engine_single_scan": "engine_prefix_sum",
}
WORDS = {
    "atomic_warp": "one atomic per warp",
    "atomic_block": "one atomic per block",
    "engine_single_scan": "single-scan of xbfs",
    "prefix_sum": "prefix sum",
    "engine_prefix_sum": "prefix sum of xbfs",
    "cub_select": "one-pass prefix sum (CUB)",
}
DEFAULT_SELECTIVITY = 0.1
CAPTION = (
    "Gathering the set elements of a random status array (4 bytes per element) into a queue; time "
    "between two events on the GPU, median of the repetitions. Above: how much faster atomics "
    "are than a prefix sum (each thread counts, the counts are summed, each thread looks again and "
    "writes), at the default selectivity of {default:g} %, the share of elements that are set; the "
    "paper does not define its own. Below: the time per element, by selectivity, at the largest "
    "size. "
)
DEVIATIONS = (
    "One atomic per warp serves 32 elements. A GPU does a limited number of atomics per second on "
    "one address, regardless of its memory bandwidth, so with the bandwidth of later GPUs one "
    "atomic per warp becomes the bottleneck unless few elements are set, and one per block of "
    "threads is needed for atomics to keep ahead. Of xbfs's own kernels, which read each found "
    "vertex's degree as well, both ways are shown too. "
)
COLUMNS = (
    "origin,machine,method,over,elements,selectivity,time_ms,baseline_ms,speedup,repetitions"
).split(",")


def numbers(experiment: Experiment) -> pd.DataFrame:
    """One row per (method, elements, selectivity); `speedup` is the time of `over` at the same
    place over its own, NaN for methods that nothing is compared with."""
    measures = experiment.measures[experiment.measures["level"].isna()]
    wide = measures.pivot_table("value", ["trial", "part"], "metric", aggfunc="first").reset_index()
    if not {"time", "elements", "selectivity"} <= set(wide.columns):
        return pd.DataFrame(columns=COLUMNS)
    keys = ["part", "elements", "selectivity"]
    times = wide.groupby(keys, sort=True)["time"].agg(["median", "size"])
    rows = []
    for (method, elements, selectivity), row in times.iterrows():
        over = PAIRS.get(method, "")
        place = (over, elements, selectivity)
        baseline = float(times.loc[place, "median"]) if place in times.index else float("nan")
        rows.append(
            {
                "origin": "ours",
                "machine": experiment.machine,
                "method": method,
                "over": over,
                "elements": elements,
                "selectivity": selectivity,
                "time_ms": row["median"],
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
    caption = f"{method}{mean_note(frame, shown)}{said_by(paper)}{DEVIATIONS}".strip()
    if frame["speedup"].isna().all():
        figure = style.message_figure(f"{first.name}: no method and its prefix sum were measured")
        return [Drawing("frontier_generation", figure, frame, caption)]
    figure = panels(frame, shown, paper)
    return [Drawing("frontier_generation", figure, with_paper(frame, paper), caption)]


def default_selectivity(frame: pd.DataFrame) -> float:
    """The default where it was measured, else the closest to it."""
    known = sorted(set(frame["selectivity"]), key=lambda s: abs(s - DEFAULT_SELECTIVITY))
    return float(known[0]) if known else DEFAULT_SELECTIVITY


def averages(frame: pd.DataFrame, selectivity: float) -> dict[tuple[str, str], float]:
    """By (machine, method): the arithmetic mean of the speed-ups over all sizes."""
    rows = frame[(frame["selectivity"] == selectivity) & frame["speedup"].notna()]
    means = rows.groupby(["machine", "method"], sort=False)["speedup"].mean()
    return {key: float(value) for key, value in means.items()}


def mean_note(frame: pd.DataFrame, selectivity: float) -> str:
    means = averages(frame, selectivity)
    if not means:
        return ""
    several = len({machine for machine, _ in means}) > 1
    words = [
        f"{WORDS.get(method, method)}{f' on {machine}' if several else ''} {value:.2g}"
        for (machine, method), value in means.items()
    ]
    return f"Mean over the sizes: {', '.join(words)}. "


def said_by(paper: PaperTable | None) -> str:
    if paper is None:
        return ""
    words = [f"{row['value']} on {row['method']}" for _, row in paper.rows.iterrows()]
    return f"The paper's averages: {', '.join(words)} (dotted lines). "


def with_paper(frame: pd.DataFrame, paper: PaperTable | None) -> pd.DataFrame:
    if paper is None:
        return frame
    rows = [
        {"origin": "paper", "machine": row["method"], "method": "atomic", "over": "prefix_sum",
         "speedup": float(row["value"])}
        for _, row in paper.rows.iterrows()
    ]  # fmt: skip
    return pd.concat([frame, pd.DataFrame(rows, columns=COLUMNS)], ignore_index=True)


def panels(frame: pd.DataFrame, shown: float, paper: PaperTable | None):
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
                above.plot(sizes["elements"], sizes["speedup"], **look)
            largest = rows[rows["elements"] == rows["elements"].max()]
            each = 1e9 * largest["time_ms"] / largest["elements"]  # ps: 10^9 ms
            below.plot(100 * largest["selectivity"], each, label=name, **look)
    for _, row in paper.rows.iterrows() if paper else ():
        value = float(row["value"])
        above.axhline(value, color="#606060", linestyle=":", linewidth=0.8)
        above.annotate(f"{row['method']} (paper) {value:g}", (1, value), xytext=(2, 0),
                       xycoords=("axes fraction", "data"), textcoords="offset points",
                       fontsize=6, va="center", color="#404040")  # fmt: skip
    above.axhline(1, color="black", linewidth=0.8)
    above.set_xscale("log", base=2)
    above.set_xlabel("elements")
    above.xaxis.set_major_formatter(lambda value, _: style.compact(value))
    ticks = sorted(set(frame["elements"].dropna()))
    above.set_xticks(ticks[:: max(1, len(ticks) // 10)])
    above.set_ylabel("speed-up of atomics\nover prefix sum")
    above.set_yscale("log")
    style.plain_log_ticks(above.yaxis)
    below.set_xscale("log")
    below.set_yscale("log")
    style.plain_log_ticks(below.xaxis)
    style.plain_log_ticks(below.yaxis)
    below.set_xlabel(f"selectivity, % of the elements ({style.compact(max(ticks))} elements)")
    below.set_ylabel("time per element [ps]")
    style.legend_above(figure, below, columns=3)
    figure.align_ylabels()
    return figure
