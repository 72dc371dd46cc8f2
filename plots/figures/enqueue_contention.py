# SPDX-License-Identifier: Apache-2.0
"""The effect of a queue's design alone: enqueues per second against the threads that enqueue."""

from __future__ import annotations

import pandas as pd

from .. import style
from ..cells import number
from ..drawing import Drawing
from ..load import Experiment

COMBINES_MACHINES = True

WORDS = {
    "central_thread": "central, one atomic per vertex",
    "central_warp": "central, one atomic per warp",
    "hierarchical": "hierarchical",
    "decentralized_global": "decentralized, global memory",
    "decentralized_shared": "decentralized, shared memory",
}
BASE = "central_warp"
CAPACITY = 2048  # of a block's queue, where only one is drawn
CAPTION = (
    "Entries that threads put into a queue while they do nothing else, in 10^9 per second, by the "
    "number of threads: time between two events around one kernel, median of the repetitions. "
    "Full sub-queues are emptied by discarding their entries, so that only enqueuing is timed. "
    "Left every thread enqueues, in the middle one in eight, with 2048 entries for each block; "
    "right (where it was measured) all threads enqueue into block queues of several lengths. Each "
    "queue is checked, every entry once, before its time counts. "
)
STATISTIC = "rate: median of the repetitions"
PAPER = (
    "The paper argues that contention for one queue grows with the GPU and measures it by whole "
    "searches only (Figure 6). "
)
COLUMNS = (
    "machine,queue,selectivity,capacity,threads,enqueues_per_second,time_ms,over_central,repetitions"
).split(",")


def numbers(experiment: Experiment) -> pd.DataFrame:
    """One row per (queue, selectivity, capacity, threads); `over_central` is the rate over that of
    one queue with one atomic per warp."""
    measures = experiment.measures[experiment.measures["level"].isna()]
    wide = measures.pivot_table("value", ["trial", "part"], "metric", aggfunc="first").reset_index()
    if not {"enqueues_per_second", "gpu_threads", "selectivity", "time"} <= set(wide.columns):
        return pd.DataFrame(columns=COLUMNS)
    # Queues in one piece have no capacity; older rows do not tell that of the others.
    capacities = (
        wide["capacity"] if "capacity" in wide else pd.Series(float("nan"), index=wide.index)
    )
    one_piece = wide["part"].str.startswith("central")
    wide["capacity"] = capacities.fillna(CAPACITY).where(~one_piece, 0)
    groups = wide.groupby(["part", "selectivity", "capacity", "gpu_threads"], sort=True)
    table = groups.agg(enqueues_per_second=("enqueues_per_second", "median"),
                       time_ms=("time", "median"), repetitions=("time", "size"))  # fmt: skip
    table = table.reset_index().rename(columns={"part": "queue", "gpu_threads": "threads"})
    keys = ["selectivity", "threads"]
    base = table[table["queue"] == BASE].set_index(keys)["enqueues_per_second"]
    at = pd.MultiIndex.from_frame(table[keys])
    table["over_central"] = table["enqueues_per_second"] / base.reindex(at).to_numpy()
    return table.assign(machine=experiment.machine)[COLUMNS]


def draw(experiments: list[Experiment]) -> list[Drawing]:
    frame = pd.concat([numbers(e) for e in experiments], ignore_index=True)
    caption = f"{CAPTION}{PAPER}{findings(frame)}".strip()
    if frame.empty:
        figure = style.message_figure(f"{experiments[0].name}: no queue was measured")
        return [Drawing("enqueue_contention", figure, frame, caption)]
    return [Drawing("enqueue_contention", lambda: panels(frame), frame, caption)]


def findings(frame: pd.DataFrame) -> str:
    """At all threads, and the number from which a queue per CTA beats the best central one."""
    sentences = []
    several = len(set(frame["machine"])) > 1
    usual = frame[frame["capacity"].isin([0, CAPACITY])]
    for (machine, selectivity), here in usual.groupby(["machine", "selectivity"]):
        rates = here.pivot_table("enqueues_per_second", "threads", "queue").sort_index()
        central = rates[[q for q in ("central_thread", "central_warp") if q in rates]].max(axis=1)
        sub = rates[[q for q in rates if q.startswith("decentralized")]].max(axis=1)
        if central.isna().all() or sub.isna().all():
            continue
        ratio = sub / central
        behind = [threads for threads, value in ratio.items() if value <= 1]
        ahead = [threads for threads in ratio.index if not behind or threads > behind[-1]]
        where = f"from {ahead[0]:,.0f} threads on" if ahead else "nowhere up to its end"
        who = "every thread" if selectivity == 1 else f"one thread in {1 / selectivity:g}"
        sentences.append(
            f"Where {who} enqueues{f' on {machine}' if several else ''}, decentralizing is ahead "
            f"of one queue {where}, and {number(ratio.iloc[-1])} times as fast at "
            f"{ratio.index[-1]:,.0f}. "
        )
    return "".join(sentences)


def panels(frame: pd.DataFrame):
    """One panel per selectivity, the largest first; machines differ by the line."""
    shares = sorted(set(frame["selectivity"]), reverse=True)
    machines = list(dict.fromkeys(frame["machine"]))
    queues = [q for q in WORDS if q in set(frame["queue"])]
    queues += [q for q in dict.fromkeys(frame["queue"]) if q not in WORDS]
    lengths = frame[(frame["selectivity"] == 1) & (frame["capacity"] > 0)]
    several = len(set(lengths["capacity"])) > 1
    figure = style.new_figure(style.PAGE_IN, 3.0)
    grid = figure.subplots(1, len(shares) + several, squeeze=False, sharey=True)[0]
    if several:
        by_capacity(grid[-1], lengths, machines, queues)
    frame = frame[frame["capacity"].isin([0, CAPACITY])]
    for axes, share in zip(grid, shares, strict=False):
        for m, machine in enumerate(machines):
            for index, queue in enumerate(queues):
                rows = frame[
                    (frame["selectivity"] == share)
                    & (frame["machine"] == machine)
                    & (frame["queue"] == queue)
                ].sort_values("threads")
                name = WORDS.get(queue, queue)
                axes.plot(rows["threads"], rows["enqueues_per_second"] / 1e9,
                          label=name if len(machines) == 1 else f"{name}, {machine}",
                          color=style.color(index), marker=style.marker(index), markersize=3,
                          linestyle=("-", "--", "-.", ":")[m % 4])  # fmt: skip
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.set_xticks([2**k for k in range(5, 19, 3)], [f"{2**k:,}" for k in range(5, 19, 3)])
        who = "every thread" if share == 1 else f"one thread in {1 / share:g}"
        axes.set_title(f"{who} enqueues", loc="left")
        axes.set_xlabel("threads")
    style.plain_log_ticks(grid[0].yaxis)
    grid[0].set_ylabel("10⁹ enqueues per second")
    style.legend_above(figure, grid[0], columns=3)
    return figure


def by_capacity(axes, frame: pd.DataFrame, machines: list[str], queues: list[str]) -> None:
    """Where every thread enqueues: the rate against the length of a block's queue, with as many
    threads as the GPU runs at once."""
    for m, machine in enumerate(machines):
        here = frame[frame["machine"] == machine]
        here = here[here["threads"] == here["threads"].max()]
        for index, queue in enumerate(queues):
            rows = here[here["queue"] == queue].sort_values("capacity")
            axes.plot(rows["capacity"], rows["enqueues_per_second"] / 1e9, color=style.color(index),
                      marker=style.marker(index), markersize=3,
                      linestyle=("-", "--", "-.", ":")[m % 4])  # fmt: skip
    axes.set_xscale("log", base=2)
    axes.set_xticks(sorted(set(frame["capacity"])),
                    [f"{c:,.0f}" for c in sorted(set(frame["capacity"]))])  # fmt: skip
    axes.minorticks_off()
    axes.set_title("every thread enqueues, all threads", loc="left", fontsize=style.pt(7))
    axes.set_xlabel("entries of a block's queue")


def finding(drawing: Drawing, experiments: list[Experiment]) -> str:
    found = findings(drawing.numbers).strip()
    if found or drawing.numbers.empty:
        return found
    top = drawing.numbers.loc[drawing.numbers["enqueues_per_second"].idxmax()]
    return (
        f"The highest rate is {number(top['enqueues_per_second'] / 1e9)} * 10^9 entries a second, "
        f"of {WORDS.get(top['queue'], top['queue'])} with {top['threads']:,.0f} threads, by the "
        "median of the repetitions."
    )
