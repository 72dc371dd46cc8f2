# SPDX-License-Identifier: Apache-2.0
"""Rows of distributed engines: rates by the two numerators, numbers of GPUs, and phases."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import pandas as pd

from . import ratio_lines, stats, style
from .cells import failed_cells, time_cell
from .labels import graph_label
from .load import Experiment, toggles
from .paper import PaperTable, paper_table

PROCESSES = ("ranks", "gpus_per_rank")
RATES = (
    "Rates are given twice, as geometric means over sources and processes, as in the paper over "
    "sources: with its numerator, 16 x 2^N edges whatever was searched, and with the edges of the "
    "searched component. "
)
COLUMNS = (
    "origin,machine,graph,stand_in_for,scale,case,variant,threshold,ranks,gpus_per_rank,gpus,"
    "status,sources,levels,time_ms,gteps_paper,gteps_component,note"
).split(",")
# Columns of gteps_paper, as ratio_lines.draw takes them: the mean, its interval, the sources'
# range.
RATE = ("gteps_paper", "gteps_low95", "gteps_high95", "gteps_min", "gteps_max")
ONE_RANK = "one rank"
_ASIDE = 0.045  # between two lines, in doublings of the GPUs
_KEYS = ["graph", "graph_hash", "case", "toggles", *PROCESSES]


def suggested_threshold(scale: float) -> int:
    """scalable-bfs, section VI-B and Figure 7: 64 at scale 30, sqrt(2) times as much for each
    further scale; what the engines take for threshold=0."""
    return max(1, math.floor(64 * 2 ** ((scale - 30) / 2) + 0.5))


def named_scale(graph: str) -> float:
    """N of a Kronecker graph of 2^N vertices, by its name; NaN of any other."""
    found = re.match(r"kronecker:(?:[^()]*,)?scale=(\d+)", graph)
    return float(found.group(1)) if found else float("nan")


def shown(experiment: Experiment, graph: str) -> str:
    """A Kronecker graph by its scale, as the paper names it; any other by its label."""
    scale = named_scale(graph)
    return f"RMAT scale {scale:g}" if scale == scale else graph_label(experiment, graph, " ")


def hardware(ranks: float, gpus_per_rank: float) -> str:
    """ "2 ranks x 1 GPU" """
    ranks, gpus = int(ranks), max(int(gpus_per_rank), 1)
    return f"{ranks} rank{'s' * (ranks > 1)} x {gpus} GPU{'s' * (gpus > 1)}"


def configured(row: pd.Series) -> str:
    """ "2 ranks x 1 GPU (DOBFS)" """
    return f"{hardware(row['ranks'], row['gpus_per_rank'])} ({row['variant']})"


def variants(runs: pd.DataFrame) -> list[str]:
    """A case's name, and what a sweep changes within it apart from the processes."""
    settings = [toggles(text) for text in runs["toggles"]]
    seen: dict[tuple[str, str], set[str]] = {}
    for case, row in zip(runs["case"], settings, strict=True):
        for key, value in row.items():
            seen.setdefault((case, key), set()).add(value)
    return [
        ", ".join([case, *(f"{k}={v}" for k, v in row.items() if len(seen[case, k]) > 1)])
        for case, row in zip(runs["case"], settings, strict=True)
    ]


def reduction_of(settings: dict) -> str:
    """Returns the form in which a search with these toggles reduced its masks. Rows from before the
    setting have the form that their transport had then. A kernel that runs all levels reads the
    masks of all others."""
    if settings.get("launch", "host") != "host":
        return "all_gather"
    older = {"nccl": "all_gather", "peer": "stripes", "host": "two_phase"}
    return settings.get("mask_reduction") or older[settings.get("transport", "host")]


def points(experiment: Experiment) -> pd.DataFrame:
    """COLUMNS: one row per (graph, configuration), in the spec's order, then by GPUs."""
    return measured(experiment)[COLUMNS]


def measured(experiment: Experiment) -> pd.DataFrame:
    """As `points`, with the rest of RATE, the form of the masks' `reduction` and the times
    themselves, `cell`."""
    runs = experiment.timed
    runs = runs.assign(variant=variants(runs))
    order = {graph: i for i, graph in enumerate(experiment.graph_order)}
    cases = {case: i for i, case in enumerate(experiment.case_order)}
    table = []
    for (graph, _, case, text, ranks, gpus), rows in runs.groupby(_KEYS, sort=False):
        cell = time_cell(rows)
        scale = named_scale(graph)
        threshold = float(toggles(text).get("threshold", "nan"))
        good = rows[rows["status"] == "ok"].groupby("source")
        edges = good["component_edges"].first()
        rates = stats.paired_ratios(edges, cell.by_invocation) / 1e6 if cell.ok else []
        edges_ms = 16 * 2**scale / 1e6
        mean = stats.mean_ratio(cell.by_invocation if cell.ok else cell.by_invocation[:0])
        table.append(
            {
                "origin": "ours",
                "machine": experiment.machine,
                "graph": graph,
                "stand_in_for": experiment.stand_in_for(graph),
                "scale": scale,
                "case": case,
                "variant": rows.iloc[0]["variant"],
                "threshold": threshold or suggested_threshold(scale),
                "ranks": int(ranks),
                "gpus_per_rank": int(gpus),
                "gpus": int(ranks) * max(int(gpus), 1),
                "status": cell.failure.lower() or ("ok" if cell.ok else ""),
                "sources": len(cell.times_ms),
                "levels": good["levels"].first().mean() if cell.ok else float("nan"),
                "time_ms": mean.value,
                "gteps_paper": edges_ms / mean.value,
                "gteps_component": stats.mean_ratio(rates).value,
                "note": cell.reason,
                "gteps_low95": edges_ms / mean.high,
                "gteps_high95": edges_ms / mean.low,
                "gteps_min": edges_ms / cell.times_ms.max() if cell.ok else float("nan"),
                "gteps_max": edges_ms / cell.times_ms.min() if cell.ok else float("nan"),
                "reduction": reduction_of(toggles(text)),
                "cell": cell,
            }
        )
    frame = pd.DataFrame(table, columns=[*COLUMNS, *RATE[1:], "reduction", "cell"])
    frame = frame.assign(_g=frame["graph"].map(order), _c=frame["case"].map(cases))
    frame = frame.sort_values(["_g", "_c", "variant", "gpus", "ranks"], kind="stable")
    return frame.drop(columns=["_g", "_c"]).reset_index(drop=True)


def over_fewest(frame: pd.DataFrame, compare: Callable[[pd.Series, pd.Series], dict]
                ) -> pd.DataFrame:  # fmt: skip
    """Applies `compare` to each row and the row with the fewest GPUs on its line (a variant and an
    arrangement of GPUs), and adds the results as columns. Leaves rows without a time empty."""
    compared: dict[int, dict] = {}
    good = frame[frame["time_ms"].notna()]
    for _, of_variant in good.groupby("variant", sort=False):
        for rows in arrangements(of_variant).values():
            first = rows.iloc[0]
            for index, row in rows.iterrows():
                compared.setdefault(index, {"over_gpus": first["gpus"], **compare(first, row)})
    beside = pd.DataFrame.from_dict(compared, orient="index").reindex(frame.index)
    return frame.join(beside)


def failures(frame: pd.DataFrame) -> str:
    """A sentence for captions: a machine of few GPUs cannot run what many need."""
    ours = frame[frame["origin"] == "ours"]
    failed = ours[~ours["status"].isin(["ok", ""])]
    return f"{failed_cells(failed, len(ours))}. " if len(failed) else ""


def arrangements(frame: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """The rows of each way to arrange GPUs, by its name, the fewest GPUs first; a single GPU
    belongs to the first two."""
    frame = frame.sort_values("gpus", kind="stable")
    ways = {ONE_RANK: frame[frame["ranks"] == 1]}
    for gpus in sorted(set(frame.loc[frame["ranks"] > 1, "gpus_per_rank"])):
        name = f"{max(gpus, 1)} GPU{'s' * (gpus > 1)} a rank"
        ways[name] = frame[(frame["gpus_per_rank"] == gpus)
                           & ((frame["ranks"] > 1) | (gpus <= 1))]  # fmt: skip
    kept = {name: rows for name, rows in ways.items() if len(set(rows["gpus"])) > 1}
    return kept or {name: rows for name, rows in ways.items() if len(rows)}


def arrangements_apart(frame: pd.DataFrame, experiment: Experiment) -> str:
    """How far the arrangements of the most GPUs are apart, for captions; nothing of rows of several
    builds."""
    if experiment.mixed:
        return ""
    clauses = []
    good = frame[frame["time_ms"].notna()]
    for variant in dict.fromkeys(good["variant"]):
        rows = good[good["variant"] == variant]
        rows = rows[(rows["gpus"] == rows["gpus"].max()) & (rows["gpus"] > 1)]
        rows = rows[rows["scale"] == rows["scale"].max()].sort_values("time_ms")
        if len(rows) > 1:
            fast, slow = rows.iloc[0], rows.iloc[-1]
            clauses.append(
                f"{variant} takes {100 * (slow['time_ms'] / fast['time_ms'] - 1):.0f} % longer as "
                f"{hardware(slow['ranks'], slow['gpus_per_rank'])} than as "
                f"{hardware(fast['ranks'], fast['gpus_per_rank'])}"
            )
    return f"{'; '.join(clauses)}. " if clauses else ""


def on_weak_curve(frame: pd.DataFrame) -> tuple[pd.DataFrame, float]:
    """Rows of graphs that grow with the GPUs, and the scale that one GPU has: the one with most
    numbers of GPUs, of several the largest."""
    ours = frame[frame["scale"].notna() & (frame["gpus"] > 0)]
    own = (ours["scale"] - ours["gpus"].map(lambda gpus: math.log2(gpus))).astype(float)
    if own.empty:
        return ours, float("nan")
    ok = ours["gteps_paper"].notna()
    counts = ours[ok].groupby(own[ok])["gpus"].nunique() if ok.any() else own.value_counts()
    best = max(scale for scale in counts.index if counts[scale] == counts.max())
    return ours[own == best], float(best)


def paper_of(experiment: Experiment, name: str) -> PaperTable | None:
    """The numbers beside the spec `name`, unless the experiment reproduces another paper."""
    return paper_table(name) if experiment.spec.get("paper") == "scalable-bfs" else None


def printed(paper: PaperTable | None, metric: str) -> list[tuple[float, float, float, str]]:
    """(scale, GPUs, value, note) of a metric's numbers whose graph is "RMAT scale N" and whose
    `threads` are the GPUs."""
    if paper is None:
        return []
    rows = paper.rows[(paper.rows["metric"] == metric) & (paper.rows["value"] != "")]
    return [
        (float(row["graph"].rsplit(" ", 1)[1]), float(row["threads"]), float(row["value"]),
         row["note"])
        for _, row in rows.iterrows()
    ]  # fmt: skip


def with_paper(frame: pd.DataFrame, paper: PaperTable | None) -> pd.DataFrame:
    """Our rows, and the rates that the paper prints, which have its own numerator."""
    rows = [
        {"origin": "paper", "graph": f"RMAT scale {scale:g}", "scale": scale, "gpus": gpus,
         "gteps_paper": value, "note": note}
        for scale, gpus, value, note in printed(paper, "gteps")
    ]  # fmt: skip
    if not rows:
        return frame
    return pd.concat([frame, pd.DataFrame(rows, columns=COLUMNS)], ignore_index=True)


@dataclass(frozen=True)
class Line:
    """A variant under one arrangement of GPUs, as every panel draws it."""

    name: str
    rows: pd.DataFrame
    look: dict
    beside: float  # by which its marks stand aside, so that they do not hide others'


def lines(frame: pd.DataFrame) -> list[Line]:
    """Returns the lines of the rows that have a rate."""
    good = frame[frame["gteps_paper"].notna()]
    found = []
    for v, variant in enumerate(dict.fromkeys(frame["variant"])):
        for w, (way, rows) in enumerate(arrangements(good[good["variant"] == variant]).items()):
            look = {"color": style.color(v), "marker": style.marker(w),
                    "linestyle": ("-", "--", ":", "-.")[w % 4], "markersize": 3}  # fmt: skip
            found.append((f"{variant}, {way}" if rows["gpus"].max() > 1 else variant, rows, look))
    middle = (len(found) - 1) / 2
    return [Line(*line, 2 ** (_ASIDE * (k - middle))) for k, line in enumerate(found)]


def draw_rates(axes, frame: pd.DataFrame) -> None:
    """Rates against GPUs: a line per variant and arrangement for the paper's numerator, with
    interval and sources, and a larger hollow mark for the component's edges."""
    for line in lines(frame):
        at = line.rows["gpus"] * line.beside
        ratio_lines.draw(axes, at, line.rows, RATE, label=line.name, **line.look)
        look = line.look | {"linestyle": "none", "markersize": 7}
        axes.plot(at, line.rows["gteps_component"], markerfacecolor="none", markeredgewidth=0.7,
                  **look)  # fmt: skip
    axes.plot([], [], "ko", markersize=7, markerfacecolor="none", markeredgewidth=0.7,
              label="the same, component's edges")  # fmt: skip


def gpu_axis(axes, counts, label: str = "GPUs") -> None:
    """Powers of two, written out."""
    top = max(2.0, *counts) if len(counts) else 2.0
    low = min(counts, default=1)
    first, last = math.floor(math.log2(low)), math.ceil(math.log2(top))
    step = 1 + (last - first) // 5
    ticks = [2**k for k in range(first, last + 1, step)]
    axes.set_xscale("log", base=2)
    axes.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
    axes.set_xlim(2.0**first / 1.25, 2.0**last * 1.25)
    axes.set_xlabel(label)


PHASE = re.compile(r"phase(?:,gpu=(\d+))?")
# Measures of a whole level.
LEVEL = re.compile(r"level(?:,gpu=(\d+))?")
PHASES = ("compute", "local_exchange", "mask_reduction", "normal_exchange", "agreement", "idle")
# Steps of a level where one kernel runs all levels (docs/distributed.md), in the order of time.
STEP = re.compile(r"step(?:,gpu=(\d+))?")
STEPS = ("lists", "masks", "frontier", "queues", "dn", "dd", "meeting_within", "dd_of_others", "nd",
         "nn", "meeting")  # fmt: skip


def measured_by_members(experiment: Experiment, part: re.Pattern) -> pd.DataFrame:
    """Returns the members' measures of levels in instrumented trials that succeeded, whose part
    matches `part`. The pattern's group is the member's `gpu` in its rank."""
    runs = experiment.instrumented
    trials = set(runs.loc[runs["status"] == "ok", "trial"])
    measures = experiment.measures
    measures = measures[measures["trial"].isin(trials) & measures["level"].notna()]
    found = measures["part"].map(part.fullmatch)
    gpus = [int(match.group(1) or 0) for match in found.dropna()]
    return measures[found.notna()].assign(gpu=gpus)


# The columns of a configuration in a breakdown, and `timed_ms` of its uninstrumented searches.
CONFIGURATION = ("machine", "graph", "stand_in_for", "scale", "variant", *PROCESSES, "gpus",
                 "searches")  # fmt: skip
KEYS = ["graph", "variant", *PROCESSES]


def by_configuration(experiment: Experiment, measures: pd.DataFrame
                     ) -> list[tuple[dict, pd.DataFrame]]:  # fmt: skip
    """Returns the rows of `measures`, which have a `trial`, for each value of KEYS, in the order of
    the spec and then by GPUs; before them CONFIGURATION and `timed_ms`."""
    runs = experiment.instrumented
    runs = runs.assign(variant=variants(runs))
    joined = measures.merge(runs[["trial", "case", *KEYS]], on="trial", how="inner")
    timed = experiment.timed
    timed = timed.assign(variant=variants(timed))
    times = {key: time_cell(rows).mean_ms for key, rows in timed.groupby(KEYS, sort=False)}
    order = {graph: i for i, graph in enumerate(experiment.graph_order)}
    cases = {case: i for i, case in enumerate(experiment.case_order)}
    found = []
    for key, rows in joined.groupby(KEYS, sort=False):
        graph, variant, ranks, gpus_per_rank = key
        gpus = int(ranks) * max(int(gpus_per_rank), 1)
        facts = {
            "machine": experiment.machine,
            "graph": graph,
            "stand_in_for": experiment.stand_in_for(graph),
            "scale": named_scale(graph),
            "variant": variant,
            "ranks": int(ranks),
            "gpus_per_rank": int(gpus_per_rank),
            "gpus": gpus,
            "searches": len(set(rows["trial"])),
            "timed_ms": times.get(key, float("nan")),
        }
        at = (order[graph], cases[rows.iloc[0]["case"]], variant, gpus, int(ranks))
        found.append((at, facts, rows))
    return [(facts, rows) for _, facts, rows in sorted(found, key=lambda each: each[0])]


def stack(axes, places: Sequence[float], parts: dict[str, Sequence[float]], words: dict[str, str],
          colors: dict[str, int]) -> None:  # fmt: skip
    """A bar at each place, of all `parts` from below; parts that are 0 everywhere are left out. A
    part whose colour another part before it has gets a lighter shade of it."""
    bottom = [0.0] * len(places)
    for index, (part, heights) in enumerate(parts.items()):
        if not any(heights):
            continue
        before = [colors[other] for other in list(colors)[: list(colors).index(part)]]
        shade = style.tint if colors[part] in before else style.color
        axes.bar(places, heights, 0.7, bottom, color=shade(colors[part]),
                 hatch=style.hatch(index), edgecolor="black", linewidth=0.4,
                 label=words[part])  # fmt: skip
        bottom = [b + h for b, h in zip(bottom, heights, strict=True)]


def stacked_panels(height: float, count: int) -> tuple:
    """A figure, and `count` panels of such bars of it, two side by side, with one axis for all."""
    across = min(count, 2)
    down = math.ceil(count / across)
    figure = style.new_figure(style.PAGE_IN, 2.6 * down + height)
    grid = figure.subplots(down, across, squeeze=False, sharey=True).flatten()
    for axes in grid[:count]:
        axes.grid(False, axis="x")
    for axes in grid[count:]:
        axes.axis("off")
    return figure, list(grid[:count])


def legend_of_stacks(figure, panels, names: Iterable[str]) -> None:
    """Adds a legend of those of `names` that a panel has, in this order, which is that of the bars
    from below."""
    handles = {}
    for axes in panels:
        handles |= dict(zip(*reversed(axes.get_legend_handles_labels()), strict=True))
    names = [name for name in names if name in handles]
    style.legend_of(figure, [handles[name] for name in names], names, columns=4)


def phases(experiment: Experiment) -> pd.DataFrame:
    """One row per (trial, level, rank, gpu) of the instrumented trials that succeeded, a column in
    ms per name of PHASES. Members agree on what is left right after they have computed, so the
    first ones wait there. The time of a member's agreement beyond the shortest one of that level
    is `idle`, unless the engine reports its idle time itself."""
    measures = measured_by_members(experiment, PHASE)
    measures = measures[measures["metric"].isin(PHASES)]
    keys = ["trial", "level", "rank", "gpu"]
    if measures.empty:
        return pd.DataFrame(columns=[*keys, *PHASES])
    table = measures.pivot_table("value", keys, "metric", aggfunc="sum")
    has_idle = "idle" in table.columns and table["idle"].sum() > 0
    table = table.reindex(columns=list(PHASES)).fillna(0.0)
    if not has_idle:
        shortest = table.groupby(["trial", "level"])["agreement"].transform("min")
        table["idle"] = table["agreement"] - shortest
        table["agreement"] = shortest
    return table.reset_index().rename_axis(columns=None)
