# SPDX-License-Identifier: Apache-2.0
"""dfq Figure 7: the effect of larger sub-queues."""

from __future__ import annotations

import pandas as pd

from .. import ratios, sentences, style
from ..cells import Cell
from ..dfq import (
    ALL,
    by_graph_and_case,
    failures_note,
    mean_cell,
    measured_row,
    short_label,
    shuffled_note,
)
from ..drawing import Drawing
from ..labels import stand_in_note
from ..load import Experiment
from ..paper import PaperTable, paper_for

CAPTION = (
    "How many times as fast the decentralized queue is as itself with the smallest sub-queues, "
    "against their capacity, source by source: marks are geometric means over the sources, bars go "
    "from the slowest source to the fastest. Thick is the geometric mean over the graphs, which "
    "weigh the same, with its bootstrapped 95 % interval, over those that ran with every capacity "
    "drawn. Where a CTA of 1024 threads reserves a place for each of them (reserve = cta), a queue "
    "of 1024 entries drains as soon as it holds one. "
    "Sub-queues in shared memory leave less of it for the L1 cache, and large ones leave space for "
    "fewer CTAs. "
)
STATISTIC = (
    "ratio of times over the smallest sub-queues, source by source: geometric mean, and from the "
    "slowest source to the fastest; thick: geometric mean over the graphs; whiskers: its "
    "bootstrapped 95 % interval"
)
COLUMNS = (
    "origin,machine,graph,stand_in_for,data_set,case,memory,capacity,status,sources,time_ms,"
    f"baseline_ms,{','.join(ratios.COLUMNS)},queue_bytes,reason"
).split(",")


def numbers(experiment: Experiment) -> pd.DataFrame:
    """One row per (graph, memory, capacity), over the smallest capacity of the same memory."""
    table = []
    for graph, case, of_case in by_graph_and_case(experiment):
        groups = {int(c): here for c, here in of_case.groupby("capacity")}
        base = mean_cell(groups[min(groups)]) if groups else Cell()
        for capacity in sorted(groups):
            here = groups[capacity]
            cell = mean_cell(here)
            table.append(
                {
                    **measured_row(experiment, graph, f"{case}-{capacity}", cell),
                    "origin": "ours",
                    "memory": here.iloc[0]["memory"],
                    "capacity": capacity,
                    "baseline_ms": base.mean_ms,
                    **ratios.compared(base, cell),
                    "queue_bytes": here["queue_bytes"].max(),
                }
            )
    return pd.DataFrame(table, columns=COLUMNS)


def draw(experiments: list[Experiment]) -> list[Drawing]:
    experiment = experiments[0]
    paper = paper_for(experiment)
    frame = numbers(experiment)
    caption = "".join(
        (
            CAPTION,
            paper_sentence(frame, paper),
            failures_note(frame),
            shuffled_note(experiment),
            stand_in_note(experiment, list(dict.fromkeys(frame["graph"]))),
        )
    ).strip()
    if frame["speedup"].isna().all():
        what = "no rows yet" if frame.empty else "the smallest capacity did not succeed"
        figure = style.message_figure(f"{experiment.name}: {what}")
        return [Drawing("capacity_speedups", figure, frame, caption)]
    if paper:
        printed = {
            "origin": "paper", "graph": ALL, "data_set": ALL, "case": "DFQ-G", "memory": "global",
            "status": "ok", "speedup": float(paper.cell(ALL, "speedup", "DFQ-G")),
            "reason": paper.rows.iloc[0]["note"],
        }  # fmt: skip
        numbers_drawn = pd.concat([frame, pd.DataFrame([printed], columns=COLUMNS)])
    else:
        numbers_drawn = frame
    return [
        Drawing(
            "capacity_speedups", lambda: panels(experiment, frame, paper), numbers_drawn, caption
        )
    ]


def means(frame: pd.DataFrame, memory: str) -> ratios.Average:
    """Averages each capacity but the smallest that any graph ran with, over the same graphs."""
    rows = frame[frame["memory"] == memory]
    ran = rows[rows["speedup"].notna()]
    larger = [c for c in dict.fromkeys(ran["case"]) if c not in set(smallest(ran)["case"])]
    return ratios.average(ran, list(dict.fromkeys(rows["graph"])), larger)


def smallest(rows: pd.DataFrame) -> pd.DataFrame:
    return rows[rows["capacity"] == rows["capacity"].min()]


def paper_sentence(frame: pd.DataFrame, paper: PaperTable | None) -> str:
    ours = [
        f"{ratios.estimate_text(mean)} for {case}"
        for memory in ("global", "shared")
        for case, mean in means(frame, memory).of.items()
    ]
    text = f"Means over the graphs: {', '.join(ours)}. " if ours else ""
    if paper:
        text += (
            f"The paper has {paper.cell(ALL, 'speedup', 'DFQ-G')} on average in global memory, "
            "with 2048 and 4096 the best; its bars are an image. "
        )
    return text


def panels(experiment: Experiment, frame: pd.DataFrame, paper: PaperTable | None):
    """A line for each graph, global memory beside shared; what failed has no mark."""
    graphs = list(dict.fromkeys(frame["graph"]))
    memories = list(dict.fromkeys(frame["memory"]))
    capacities = sorted(set(frame["capacity"]))
    figure = style.new_figure(style.PAGE_IN, 3.6)
    grid = figure.subplots(1, len(memories), squeeze=False, sharex=True, sharey=True)[0]
    for axes, memory in zip(grid, memories, strict=True):
        of_memory = frame[(frame["memory"] == memory) & frame["speedup"].notna()]
        for index, graph in enumerate(graphs):
            rows = of_memory[of_memory["graph"] == graph]
            beside = 2 ** (0.045 * (index - (len(graphs) - 1) / 2))  # bars do not hide each other
            spread = [rows["speedup"] - rows["min"], rows["max"] - rows["speedup"]]
            axes.errorbar(rows["capacity"] * beside, rows["speedup"], spread, linewidth=0.8,
                          color=style.color(index), marker=style.marker(index), markersize=3,
                          elinewidth=0.5, label=short_label(experiment, graph, " "))  # fmt: skip
        average = means(frame, memory)
        at = of_memory.drop_duplicates("case").set_index("case")["capacity"]
        bars = {at[case]: mean for case, mean in average.of.items()}
        spread = [
            [m.value - m.low for m in bars.values()],
            [m.high - m.value for m in bars.values()],
        ]
        axes.errorbar(list(bars), [m.value for m in bars.values()], spread, color="black",
                      linewidth=2.2, capsize=2.5, zorder=3,
                      label=f"geometric mean of {len(average.graphs)} graphs")  # fmt: skip
        if paper and memory == "global":
            value = float(paper.cell(ALL, "speedup", "DFQ-G"))
            axes.axhline(value, color="#606060", linestyle=":", linewidth=0.9,
                         label=f"paper's average of the larger ones, {value:g}")  # fmt: skip
        axes.set_xscale("log", base=2)
        axes.set_xticks(capacities, [f"{c:,}" for c in capacities], fontsize=style.pt(6))
        axes.minorticks_off()
        axes.set_title(f"{memory} memory", loc="left")
        axes.set_xlabel("entries of a sub-queue")
        refused = frame[(frame["memory"] == memory) & (frame["status"] == "unsupported")]
        if len(refused):
            listed = ", ".join(f"{c:,}" for c in sorted(set(refused["capacity"])))
            axes.text(0.98, 0.03, f"{listed}: UNSUPPORTED", transform=axes.transAxes,
                      fontsize=style.pt(6), ha="right")  # fmt: skip
    style.ratio_axis(grid[0])
    for axes in grid[1:]:
        axes.axhline(1, color="black", linewidth=0.8)
    grid[0].set_ylabel(f"speed-up over {capacities[0]} entries")
    style.legend_above(figure, *grid, columns=4)
    return figure


def finding(drawing: Drawing, experiments: list[Experiment]) -> str:
    frame = sentences.ours(drawing.numbers)
    words = []
    for memory in dict.fromkeys(frame["memory"]):
        mean = means(frame, memory)
        if mean.of:
            case, found = max(mean.of.items(), key=lambda each: each[1].value)
            graphs = sentences.several(len(mean.graphs), "graph")
            words.append(
                f"in {memory} memory {case} is the fastest, {ratios.estimate_text(found)} times as "
                f"fast as the smallest sub-queues over {graphs}"
            )
    if not words:
        return ""
    text = sentences.capital(sentences.listed(words))
    return f"{text}, by geometric means of ratios source by source."
