# SPDX-License-Identifier: Apache-2.0
"""dfq Figure 5: four frontier queues on eight data sets, as the paper compares them and cleanly."""

from __future__ import annotations

import pandas as pd

from .. import ratios, sentences, stats, style
from ..cells import Cell
from ..dfq import (
    failures_note,
    lengths_note,
    mean_cell,
    measured_row,
    queue_word,
    short_label,
    shuffled_note,
    switched,
)
from ..drawing import Drawing
from ..grouped_bars import Bar, bars_of, mean_bars
from ..grouped_bars import draw as draw_bars
from ..labels import stand_in_note
from ..load import Experiment
from ..paper import PaperTable, paper_for

MIXED = "as the paper compares"
SINGLE_SCAN = "all by single-scan"
SCAN_FREE = "both by scan-free"
COLLECTING = "the way of collecting alone"
CAPTION = (
    "Time: the arithmetic mean over all runs, as the paper averages its 100. Speed-up over BASE, "
    "the queue in one piece in global memory. " + ratios.SAID_OF.format("mean")
)
STATISTIC = f"speed-up over BASE, {ratios.STATISTIC}"
PAPERS_WAY = (
    "The paper compares BASE and the decentralized queues, which collect by single-scan, with HQ, "
    "which collects by scan-free and compare-and-swap: two changes in one number. "
)
CLEANLY = (
    "Each comparison changes one thing. Above: the queue alone, every one filled by single-scan. "
    "Below: the hierarchical queue over BASE where both collect by scan-free, and BASE by "
    "scan-free over BASE by single-scan, which is what collecting alone changes. "
)
COLUMNS = (
    "origin,machine,comparison,graph,stand_in_for,data_set,case,queue,collect,status,sources,"
    f"time_ms,baseline,baseline_ms,{','.join(ratios.COLUMNS)},reason"
).split(",")


def comparison_of(queue: str, collect: str) -> list[tuple[str, str]]:
    """(comparison, how its BASE collects) for what a case is compared with."""
    found = []
    if queue != "none" and (collect == "scan_free") == (queue == "hierarchical"):
        found.append((MIXED, "single_scan"))
    if queue != "none" and collect == "single_scan":
        found.append((SINGLE_SCAN, "single_scan"))
    if queue != "none" and collect == "scan_free":
        found.append((SCAN_FREE, "scan_free"))
    if queue == "central" and collect == "scan_free":
        found.append((COLLECTING, "single_scan"))
    return found


def numbers(experiment: Experiment) -> pd.DataFrame:
    """One row per (comparison, graph, case); the baseline of a comparison has a row in it too."""
    rows = switched(experiment)
    table = []
    for graph in experiment.graph_order:
        measured: dict[str, tuple[pd.Series, Cell]] = {}
        for series in experiment.series_order:
            here = rows[(rows["graph"] == graph) & (rows["series"] == series)]
            if len(here):
                measured[series] = (here.iloc[0], mean_cell(here))
        bases = {
            about["collect"]: (series, cell)
            for series, (about, cell) in reversed(measured.items())
            if about["queue"] == "central"
        }
        for series, (about, cell) in measured.items():
            for comparison, collect in comparison_of(about["queue"], about["collect"]):
                name, base = bases.get(collect, ("", Cell()))
                table.append(
                    {
                        **measured_row(experiment, graph, series, cell),
                        "origin": "ours",
                        "comparison": comparison,
                        "queue": queue_word(about),
                        "collect": about["collect"],
                        "baseline": name,
                        "baseline_ms": base.mean_ms,
                        **ratios.compared(base, cell),
                    }
                )
    return pd.DataFrame(table, columns=COLUMNS)


def draw(experiments: list[Experiment]) -> list[Drawing]:
    experiment = experiments[0]
    paper = paper_for(experiment)
    frame = numbers(experiment)
    graphs = list(dict.fromkeys(frame["graph"]))
    notes = lengths_note(experiment) + shuffled_note(experiment) + stand_in_note(experiment, graphs)
    if frame["time_ms"].isna().all():
        what = "no rows yet" if frame.empty else "no queue succeeded"
        figure = style.message_figure(f"{experiment.name}: {what}")
        return [Drawing("queue_designs", figure, frame, f"{CAPTION}{notes}".strip())]
    drawings = []
    mixed = frame[frame["comparison"] == MIXED]
    if len(mixed):
        failed = failures_note(mixed) + turned(experiment, mixed)
        caption = f"{CAPTION}{PAPERS_WAY}{paper_sentence(mixed, paper)}{failed}{notes}".strip()
        statistic = f"above the mean time of all runs [ms]; below {STATISTIC}"
        drawings.append(
            Drawing("queue_designs", lambda: as_in_paper(experiment, mixed, paper),
                    with_paper(mixed, paper), caption, statistic=statistic)
        )  # fmt: skip
    clean = frame[frame["comparison"] != MIXED]
    if clean["speedup"].notna().any():
        failed = failures_note(clean) + turned(experiment, clean)
        caption = f"{CAPTION}{CLEANLY}{failed}{notes}".strip()
        drawings.append(
            Drawing("queue_designs_clean", lambda: cleanly(experiment, clean), clean, caption)
        )
    return drawings


def turned(experiment: Experiment, frame: pd.DataFrame) -> str:
    return ratios.turned_note(frame, lambda graph: short_label(experiment, graph, " "))


def paper_sentence(mixed: pd.DataFrame, paper: PaperTable | None) -> str:
    """Our counterparts of the paper's three statements, and these."""
    hq = mixed.loc[mixed["queue"] == "HQ", "speedup"].dropna()
    ours = []
    if len(hq):
        ours.append(f"HQ is between {hq.min():.2g} and {hq.max():.2g} times as fast as BASE")
    if mean := shared_over_global(mixed):
        ours.append(f"DFQ-S is on average {ratios.estimate_text(mean)} times as fast as DFQ-G")
    text = f"Here {' and '.join(ours)}. " if ours else ""
    if paper:
        fails = paper.rows[(paper.rows["metric"] == "time") & (paper.rows["value"] == "")]
        text += (
            f"In the paper HQ is between {1 / slowest(paper):.2f} (2.94 times slower) and "
            f"{paper.cell('five of eight', 'largest_speedup', 'HQ')} times as fast and fails on "
            f"{', '.join(fails['graph'])}, and DFQ-S is on average "
            f"{paper.cell('all eight', 'speedup_over_DFQ-G-2048', 'DFQ-S-2048')} times as fast as "
            "DFQ-G; its times are in an image. "
        )
    return text


def slowest(paper: PaperTable) -> float:
    return float(paper.cell("five of eight", "largest_slowdown", "HQ"))


def shared_over_global(mixed: pd.DataFrame) -> stats.Estimate | None:
    """DFQ-S's speed-up over BASE over that of DFQ-G of the same capacity, source by source."""
    by_queue = mixed[mixed["speedup"].notna()].set_index(["queue", "graph"])["by_source"]
    found = {
        graph: stats.paired_ratios(shared, by_queue[queue.replace("DFQ-S", "DFQ-G"), graph])
        for (queue, graph), shared in by_queue.items()
        if queue.startswith("DFQ-S") and (queue.replace("DFQ-S", "DFQ-G"), graph) in by_queue
    }
    if not found:
        return None
    return stats.mean_ratio(pd.concat(found, names=["graph"]))


def with_paper(frame: pd.DataFrame, paper: PaperTable | None) -> pd.DataFrame:
    if paper is None:
        return frame
    rows = [
        {"origin": "paper", "graph": row["graph"], "data_set": row["graph"], "case": row["method"],
         "queue": row["method"], "status": "ok" if row["value"] else "unsupported",
         "speedup": 1 / float(row["value"]) if row["metric"] == "largest_slowdown"
         else float(row["value"] or "nan"), "reason": f"{row['metric']}: {row['note']}"}
        for _, row in paper.rows.iterrows()
    ]  # fmt: skip
    return pd.concat([frame, pd.DataFrame(rows, columns=COLUMNS)], ignore_index=True)


def as_in_paper(experiment: Experiment, mixed: pd.DataFrame, paper: PaperTable | None):
    """Times over speed-ups, as Figure 5 has them in one."""
    graphs = list(dict.fromkeys(mixed["graph"]))
    cases = list(dict.fromkeys(mixed["case"]))
    base = next(iter(mixed["baseline"]), "")
    figure = style.new_figure(style.PAGE_IN, 5.2)
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=(1, 1.4))
    times = bars_of(mixed, graphs, cases, "time_ms")
    others = [case for case in cases if case != base]
    labels, speedups = with_means(experiment, mixed, graphs, others)
    beyond: list[Bar | None] = [None] * (len(labels) - len(graphs))
    draw_bars(above, labels, {case: [*bars, *beyond] for case, bars in times.items()},
              marks=True)  # fmt: skip
    above.set_yscale("log")
    above.set_ylabel("mean time [ms]")
    style.plain_log_ticks(above.yaxis)
    draw_bars(below, labels, speedups, first=1, numbers=len(graphs) < 14, foot=1)
    if paper:
        below.axhspan(1 / slowest(paper), float(paper.cell("five of eight", "largest_speedup",
                      "HQ")), color="#E8E8E8", zorder=0, label="HQ in the paper")  # fmt: skip
    below.margins(y=0.12)
    style.ratio_axis(below)
    below.axvline(len(graphs) - 0.5, color="#808080", linewidth=0.6)
    below.set_ylabel(f"speed-up over {base}")
    style.legend_above(figure, above, below, columns=5)
    figure.align_ylabels()
    return figure


def with_means(experiment: Experiment, frame: pd.DataFrame, graphs: list[str], cases: list[str]
               ) -> tuple[list[str], dict[str, list[Bar | None]]]:  # fmt: skip
    """The groups' labels and the bars of each case: graphs, then means over the same graphs."""
    averages = ratios.averages(frame, graphs, cases)
    labels = [short_label(experiment, graph) for graph in graphs]
    means = mean_bars(averages, cases)
    bars = bars_of(frame, graphs, cases)
    return [*labels, *(mean.label(graphs) for mean in averages)], {
        case: bars[case] + means[case] for case in cases
    }


def rank(queues: pd.Series) -> pd.Series:
    """HQ before the decentralized queues, so that each has the colour of the paper's comparison."""
    return queues.map({"BASE": 0, "HQ": 1}).fillna(2)


def cleanly(experiment: Experiment, clean: pd.DataFrame):
    graphs = list(dict.fromkeys(clean["graph"]))
    figure = style.new_figure(style.PAGE_IN, 6.2)
    above, below = figure.subplots(2, 1)
    one = clean[clean["comparison"] == SINGLE_SCAN].sort_values("queue", key=rank, kind="stable")
    cases = [c for c in dict.fromkeys(one["case"]) if c not in set(one["baseline"])]
    draw_bars(above, *with_means(experiment, one, graphs, cases), first=1, foot=1)
    above.set_title("all by single-scan", loc="left")
    parts = []
    for comparison in (SCAN_FREE, COLLECTING):
        rows = clean[clean["comparison"] == comparison]
        rows = rows[~rows["case"].isin(rows["baseline"])]
        parts.append(rows.assign(case=rows["case"] + " over " + rows["baseline"]))
    other = pd.concat(parts)
    cases = list(dict.fromkeys(other["case"]))
    draw_bars(below, *with_means(experiment, other, graphs, cases), first=5, foot=1)
    below.set_title("scan-free, and collecting alone", loc="left")
    for axes in (above, below):
        style.ratio_axis(axes)
        axes.axvline(len(graphs) - 0.5, color="#808080", linewidth=0.6)
        axes.set_ylabel("speed-up over BASE")
    style.legend_above(figure, above, below, columns=5)
    return figure


def finding(drawing: Drawing, experiments: list[Experiment]) -> str:
    frame = sentences.ours(drawing.numbers)
    for comparison in (MIXED, SINGLE_SCAN, SCAN_FREE, COLLECTING):
        here = frame[frame["comparison"] == comparison]
        here = here[here["case"] != here["baseline"]]
        if here["speedup"].notna().any():
            text = sentences.speedups(here, sentences.faster(here["baseline"].iloc[0]))
            return text if comparison == MIXED else f"{text[:-1]} ({comparison})."
    return sentences.best(
        frame, "time_ms", "case", "arithmetic mean of all runs", experiments=experiments
    )
