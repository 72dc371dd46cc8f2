# SPDX-License-Identifier: Apache-2.0
"""xbfs Figure 16: the same engine on several machines, its speed over the first machine's."""

from __future__ import annotations

import pandas as pd

from .. import ratios, sentences, style
from ..cells import Cell
from ..drawing import Drawing
from ..grouped_bars import bars_of, mean_bars
from ..grouped_bars import draw as draw_bars
from ..labels import stand_in_note
from ..load import Experiment
from ..paper import PaperTable, paper_for
from ..speedups import averages, cells
from ..xbfs import our_row, short_label

COMBINES_MACHINES = True

CAPTION = (
    "Above: time, the median over sources of the median over repeats. Below: speed over {first}, "
    "the first of the results folders, on the same graphs (by their contents). " + ratios.SAID
)
ALONE = (
    "Time, the median over sources (marks) and from the fastest source to the slowest (lines), "
    "each the median of its repeats. One machine so far: give the folders of several (python -m "
    "plots results/a results/b) to compare their speeds with each other, and with the paper's. "
)
STATISTIC = (
    "above: time [ms], median over sources, with a line from the fastest source to the slowest; "
    f"below: {ratios.STATISTIC}"
)
STATISTIC_ALONE = "time [ms]: median over sources; lines: from the fastest source to the slowest"
COLUMNS_HERE = (
    "origin,machine,graph,stand_in_for,paper_name,case,line,status,sources,time_ms,fastest_ms,"
    f"slowest_ms,{','.join(ratios.COLUMNS)},reason"
).split(",")


def numbers(experiments: list[Experiment]) -> pd.DataFrame:
    """One row per (machine, graph, case); `speedup` and the columns beside it are over the first
    machine on the same graph (by its contents) and case, source by source. `line` names machine
    and, where there are several, case."""
    firsts: dict[tuple[str, str], Cell] = {}
    several = len({case for e in experiments for case in e.series_order}) > 1
    rows = []
    for experiment in experiments:
        runs = experiment.runs.drop_duplicates("graph").set_index("graph")["graph_hash"]
        for (graph, case), cell in cells(experiment).items():
            first = firsts.setdefault((runs[graph], case), cell) if cell.ok else Cell()
            if experiment is not experiments[0] and first is cell:
                first = Cell()  # the first machine has not done it
            rows.append(
                {
                    **our_row(experiment, graph),
                    "case": case,
                    "line": f"{experiment.machine}, {case}" if several else experiment.machine,
                    "status": cell.failure.lower() or ("ok" if cell.ok else ""),
                    "sources": len(cell.times_ms),
                    "time_ms": cell.median_ms,
                    "fastest_ms": cell.times_ms.min() if cell.ok else float("nan"),
                    "slowest_ms": cell.times_ms.max() if cell.ok else float("nan"),
                    **ratios.compared(first, cell, apart=experiment is not experiments[0]),
                    "reason": cell.reason,
                }
            )
    return pd.DataFrame(rows, columns=COLUMNS_HERE)


def draw(experiments: list[Experiment]) -> list[Drawing]:
    first = experiments[0]
    paper = paper_for(first)
    frame = numbers(experiments)
    theirs = averages(paper)
    sentence = ""
    if theirs:
        sentence = ratios.BOTH if len(experiments) > 1 else ""
        sentence += "The grey bars are the paper's machines, over its own first one. "
        sentence += "The paper has, over a K80 and on average, "
        sentence += ", ".join(f"{name} {value:g}" for name, value in theirs.items()) + ". "
    machines = list(dict.fromkeys(frame["machine"]))
    caption = "".join(
        (
            ALONE if len(machines) < 2 else CAPTION.format(first=first.machine),
            gpus(experiments),
            sentence,
            stand_in_note(first, list(dict.fromkeys(frame["graph"]))),
        )
    ).strip()
    if frame["time_ms"].isna().all():
        what = "no rows yet" if frame.empty else "no configuration succeeded"
        figure = style.message_figure(f"{first.name}: {what}")
        return [Drawing("machine_speeds", figure, frame, caption)]
    alone = len(machines) < 2
    return [
        Drawing(
            "machine_speeds",
            lambda: (
                times_alone(first, frame, theirs) if alone else panels(experiments, frame, paper)
            ),
            with_paper(frame, theirs),
            caption,
            statistic=STATISTIC_ALONE if alone else STATISTIC,
        )
    ]


def gpus(experiments: list[Experiment]) -> str:
    """The GPU of each folder, if it was recorded."""
    known = []
    for experiment in experiments:
        devices = (experiment.environment.get("gpu") or {}).get("devices") or []
        names = {d.get("name", "") if isinstance(d, dict) else str(d) for d in devices}
        if names := sorted(names - {""}):
            known.append(f"{experiment.machine} is {', '.join(names)}")
    return f"{'; '.join(dict.fromkeys(known))}. " if known else ""


def with_paper(frame: pd.DataFrame, theirs: dict[str, float]) -> pd.DataFrame:
    rows = [
        {"origin": "paper", "machine": name, "graph": "all ten", "speedup": value,
         "reason": "over K80; the average"}
        for name, value in theirs.items()
    ]  # fmt: skip
    return pd.concat([frame, pd.DataFrame(rows, columns=COLUMNS_HERE)], ignore_index=True)


def panels(experiments: list[Experiment], frame: pd.DataFrame, paper: PaperTable | None):
    """Times over speeds and their means, and, on an axis of their own, the paper's machines."""
    first = experiments[0].machine
    lines = list(dict.fromkeys(frame["line"]))
    graphs = list(dict.fromkeys(frame["graph"]))
    labels = [short_label(experiments[0], graph) for graph in graphs]
    by_line = frame.assign(case=frame["line"])
    others = list(dict.fromkeys(frame.loc[frame["machine"] != first, "line"]))
    theirs = averages(paper)
    ours = ratios.averages(by_line, graphs, others, both=bool(theirs))
    labels += [mean.label(graphs, named=bool(theirs)) for mean in ours]
    means = mean_bars(ours, others)
    speeds = bars_of(by_line, graphs, others)
    figure = style.new_figure(style.PAGE_IN, 4.4)
    grid = figure.add_gridspec(2, 2, width_ratios=(len(labels), 5)) if theirs else None
    above = figure.add_subplot(grid[0, 0] if grid else 211)
    below = figure.add_subplot(grid[1, 0] if grid else 212, sharex=above)
    above.tick_params(labelbottom=False)
    if grid:
        of_paper(figure.add_subplot(grid[1, 1]), theirs)
    for index, line in enumerate(lines):
        rows = frame[frame["line"] == line].drop_duplicates("graph").set_index("graph")
        at = [g - 0.3 + 0.6 * (index + 0.5) / len(lines) for g in range(len(graphs))]
        times(above, at, rows.reindex(graphs), index, line)
    bars = {line: speeds[line] + means[line] for line in others}
    start = next(k for k, line in enumerate(lines) if line in others) if others else 0
    draw_bars(below, labels, bars, first=start, numbers=len(graphs) < 14, foot=1)
    above.set_yscale("log")
    above.set_ylabel("time [ms]")
    style.plain_log_ticks(above.yaxis)
    style.ratio_axis(below)
    below.set_ylabel(f"speed over\n{first}")
    for axes in (above, below):
        axes.grid(False, axis="x")
        axes.axvline(len(graphs) - 0.5, color="#808080", linewidth=0.6)
    style.legend_above(figure, above, columns=4)
    figure.align_ylabels()
    return figure


def of_paper(axes, theirs: dict[str, float]) -> None:
    """The paper's averages, over the first of its machines."""
    shown = {"K80": 1.0, **theirs}
    for x, value in enumerate(shown.values()):
        style.paper_bar(axes, x, 0.6, value, 1)
    axes.set_xticks(range(len(shown)), shown, rotation=35, ha="right", rotation_mode="anchor")
    axes.set_title("paper, all ten graphs")
    axes.grid(False, axis="x")
    axes.margins(y=0.12)
    style.ratio_axis(axes)
    axes.set_ylabel("speed over K80")


def times(axes, at: list[float], rows: pd.DataFrame, index: int, label: str) -> None:
    """Medians, and lines from the fastest source to the slowest."""
    spread = [rows["time_ms"] - rows["fastest_ms"], rows["slowest_ms"] - rows["time_ms"]]
    axes.errorbar(at, rows["time_ms"], spread, linestyle="none", marker=style.marker(index),
                  color=style.color(index), elinewidth=0.6, label=label)  # fmt: skip


def times_alone(experiment: Experiment, frame: pd.DataFrame, theirs: dict[str, float]):
    """A machine has no speed over itself; beside its times stand the paper's speeds."""
    graphs = list(dict.fromkeys(frame["graph"]))
    figure = style.new_figure(style.PAGE_IN, 2.6)
    axes = figure.subplots()
    if theirs:
        axes.remove()
        axes, right = figure.subplots(1, 2, width_ratios=(len(graphs), 4))
        of_paper(right, theirs)
    for index, case in enumerate(dict.fromkeys(frame["case"])):
        rows = frame[frame["case"] == case].drop_duplicates("graph").set_index("graph")
        times(axes, list(range(len(graphs))), rows.reindex(graphs), index, case)
    axes.set_yscale("log")
    axes.set_ylabel("time [ms]")
    style.plain_log_ticks(axes.yaxis)
    axes.set_xticks(range(len(graphs)), [short_label(experiment, graph) for graph in graphs],
                    rotation=35, ha="right", rotation_mode="anchor")  # fmt: skip
    axes.grid(False, axis="x")
    if len(set(frame["case"])) > 1:
        style.legend_above(figure, axes, columns=4)
    return figure


def finding(drawing: Drawing, experiments: list[Experiment]) -> str:
    frame = sentences.ours(drawing.numbers)
    machines = list(dict.fromkeys(frame["machine"]))
    if len(machines) > 1:
        others = frame[frame["machine"] != machines[0]]
        return sentences.speedups(others.assign(case=others["line"]), sentences.faster(machines[0]))
    return sentences.best(
        frame,
        "time_ms",
        "case",
        "median over sources of the median over repeats",
        experiments=experiments,
    )
