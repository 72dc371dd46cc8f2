# SPDX-License-Identifier: Apache-2.0
"""xbfs Figure 13: how much longer a search takes without each of four ways to make the queue."""

from __future__ import annotations

import pandas as pd

from .. import ratios, sentences, style
from ..cells import Cell
from ..drawing import Drawing
from ..grouped_bars import bars_of, mean_bars
from ..grouped_bars import draw as draw_bars
from ..labels import stand_in_note
from ..load import Experiment, toggles
from ..paper import PaperTable, paper_for
from ..speedups import ALL, cells
from ..xbfs import our_row, short_label

# The replacement of each technique that is off: Enterprise's way, a scan of all statuses.
FALLBACKS = {
    "scan_free": "a scan and a prefix sum after the expansion",
    "single_scan": "a scan and a prefix sum after the expansion",
    "no_generation": "a scan and a prefix sum before the expansion",
    "double_scan": "a scan of runs and a prefix sum",
}
TECHNIQUES = tuple(FALLBACKS)
CAPTION = (
    "Each part is switched off alone while the others stay on. Drawn is by how much the search "
    "then takes longer, in per cent of its time with all parts; below zero it is faster without "
    "the part. Ratios are of the same source, each time the median of its repeats in one process: "
    "dots are the sources (of many, a line from the lowest to the highest), bars their geometric "
    "mean, whiskers its bootstrapped 95 % interval. Averages are geometric means over the graphs, "
    "which weigh the same. The baseline's methods replace the parts: for scan_free and single_scan "
    "a scan of all statuses with a prefix sum after the expansion, for no_generation one before "
    "it, for double_scan one in which each thread takes a run of statuses. "
)
STATISTIC = (
    "time without a part over the time with all, minus 1, in %, source by source: geometric mean "
    "(bars; whiskers: its bootstrapped 95 % interval) and every source (dots)"
)
DEVIATIONS = (
    "The paper has shares that sum to 100 %, by a rule that it does not give; nor does it say what "
    "takes a part's place. Right are ours, as the claims have them, beside the paper's: what a "
    "search takes longer without a part, of the sum over the four parts, the arithmetic mean over "
    "graphs. Shares hide how much there was to share out; a part that costs more than it brings "
    "has a negative one. "
)
COLUMNS = (
    "origin,machine,graph,stand_in_for,paper_name,technique,case,status,all_on_ms,without_ms,"
    f"lost_ms,longer_pct,{','.join(ratios.COLUMNS)},share_pct,fallback"
).split(",")


def left_out(experiment: Experiment) -> dict[str, str]:
    """By case: the one technique that it lacks and the baseline has."""
    runs = experiment.runs.drop_duplicates("case")
    baseline = experiment.spec.get("baseline", "")
    missing = {
        case: {t for t in TECHNIQUES if toggles(text).get(t, "true") == "false"}
        for case, text in zip(runs["case"], runs["toggles"], strict=True)
    }
    base = missing.get(baseline, set())
    alone = {case: here - base for case, here in missing.items() if case != baseline}
    return {case: next(iter(here)) for case, here in alone.items() if len(here) == 1}


def numbers(experiment: Experiment) -> pd.DataFrame:
    """One row per (graph, technique): median times, what is lost without the technique in ms and,
    as the mean over the sources, in per cent; `speedup` is that mean as a ratio. NaN where a case
    has failed on that graph."""
    measured = cells(experiment)
    baseline = experiment.spec.get("baseline", "")
    rows = []
    for graph in experiment.graph_order:
        base = measured.get((graph, baseline))
        if base is None:
            continue
        for case, technique in left_out(experiment).items():
            cell = measured.get((graph, case), Cell())
            # How many times as fast the whole search is as the one without the part.
            compared = ratios.compared(cell, base)
            rows.append(
                {
                    **our_row(experiment, graph),
                    "technique": technique,
                    "case": case,
                    "status": cell.failure.lower() or ("ok" if cell.ok else ""),
                    "all_on_ms": base.median_ms,
                    "without_ms": cell.median_ms,
                    "lost_ms": cell.median_ms - base.median_ms,
                    "longer_pct": longer_pct(compared["speedup"]),
                    **compared,
                    "fallback": FALLBACKS[technique],
                }
            )
    return pd.DataFrame(rows, columns=COLUMNS)


def draw(experiments: list[Experiment]) -> list[Drawing]:
    experiment = experiments[0]
    paper = paper_for(experiment)
    frame = with_shares(numbers(experiment))
    caption = "".join(
        (
            CAPTION,
            means_note(frame),
            paper_sentence(paper),
            DEVIATIONS,
            stand_in_note(experiment, list(dict.fromkeys(frame["graph"]))),
        )
    ).strip()
    if frame["speedup"].isna().all():
        what = "no rows yet" if frame.empty else "no search succeeded without a part"
        figure = style.message_figure(f"{experiment.name}: {what}")
        return [Drawing("technique_breakdown", figure, frame, caption)]
    return [
        Drawing(
            "technique_breakdown",
            lambda: panels(experiment, frame, paper),
            with_paper(frame, paper),
            caption,
        )
    ]


def with_shares(frame: pd.DataFrame) -> pd.DataFrame:
    """`share_pct`: what a search takes longer without a part, of the sum over all parts."""
    longer = frame["longer_pct"].astype(float)
    total = longer.groupby(frame["graph"]).transform(lambda parts: parts.sum(skipna=False))
    return frame.assign(share_pct=100 * longer / total)


def means_note(frame: pd.DataFrame) -> str:
    """Our averages, with their intervals."""
    mean = average(frame)
    shares = [
        f"{technique} {longer_pct(m.value):+.1f} % ({longer_pct(m.low):+.1f} to "
        f"{longer_pct(m.high):+.1f})"
        for technique, m in mean.of.items()
    ]
    return f"On average over {len(mean.graphs)} graphs: {', '.join(shares)}. " if shares else ""


def average(frame: pd.DataFrame) -> ratios.Average:
    by_technique = frame.assign(case=frame["technique"])
    return ratios.average(by_technique, list(dict.fromkeys(frame["graph"])), drawn(frame))


def drawn(frame: pd.DataFrame) -> list[str]:
    return [t for t in TECHNIQUES if t in set(frame["technique"])]


def paper_sentence(paper: PaperTable | None) -> str:
    if paper is None:
        return ""
    parts = [f"{m} {paper.cell(ALL, 'contribution', m)} %" for m in paper.methods]
    return f"The paper's average shares are {', '.join(parts)}. "


def with_paper(frame: pd.DataFrame, paper: PaperTable | None) -> pd.DataFrame:
    rows = [
        {"origin": "paper", "graph": ALL, "technique": method,
         "share_pct": float(paper.cell(ALL, "contribution", method))}
        for method in (paper.methods if paper else [])
    ]  # fmt: skip
    if not rows:
        return frame
    return pd.concat([frame, pd.DataFrame(rows, columns=COLUMNS)], ignore_index=True)


def longer_pct(ratio: float) -> float:
    return 100 * (ratio - 1)


def panels(experiment: Experiment, frame: pd.DataFrame, paper: PaperTable | None):
    """How much longer a search takes, and, where all parts are known, shares beside the paper's."""
    figure = style.new_figure(style.PAGE_IN, 3.2)
    if frame["share_pct"].isna().all():
        bars(experiment, frame, figure.subplots())
    else:
        left, right = figure.subplots(1, 2, width_ratios=(3, 1))
        bars(experiment, frame, left)
        shares(frame, paper, right)
    style.legend_above(figure, *figure.axes, columns=5)
    return figure


def shares(frame: pd.DataFrame, paper: PaperTable | None, axes) -> None:
    """Averages over graphs: ours in the colours of the parts, the paper's in grey."""
    means = frame.groupby("technique")["share_pct"].mean()
    for index, technique in enumerate(drawn(frame)):
        value = means[technique]
        axes.bar(index - 0.2, value, 0.4, color=style.color(index), hatch=style.hatch(index),
                 edgecolor="black", linewidth=0.4)  # fmt: skip
        axes.annotate(f"{value:.3g}", (index - 0.2, max(value, 0)), ha="center", va="bottom",
                      fontsize=style.pt(6), xytext=(0, 1), textcoords="offset points")  # fmt: skip
        text = paper.cell(ALL, "contribution", technique) if paper else ""
        if text not in ("", "-"):
            style.paper_bar(axes, index + 0.2, 0.4, float(text), 0)
    axes.axhline(0, color="black", linewidth=0.8)
    axes.set_xticks(range(len(means)), [name.replace("_", " ") for name in drawn(frame)],
                    rotation=35, ha="right", rotation_mode="anchor")  # fmt: skip
    axes.set_ylabel("share of the four parts, %")
    axes.grid(False, axis="x")
    axes.margins(y=0.1)


def bars(experiment: Experiment, frame: pd.DataFrame, axes) -> None:
    """A group of bars per graph, up or down from zero, and one for our averages."""
    graphs = list(dict.fromkeys(frame["graph"]))
    by_technique = frame.assign(case=frame["technique"])
    series = bars_of(by_technique, graphs, drawn(frame), scale=longer_pct)
    mean = average(frame)
    for technique, its_bars in mean_bars([mean], drawn(frame), longer_pct).items():
        series[technique] += its_bars
    labels = [short_label(experiment, graph) for graph in graphs]
    draw_bars(axes, [*labels, mean.label(graphs)], series)
    axes.axhline(0, color="black", linewidth=0.8)
    axes.axvline(len(graphs) - 0.5, color="#808080", linewidth=0.6)
    axes.set_ylabel("longer without the part, %")


def finding(drawing: Drawing, experiments: list[Experiment]) -> str:
    frame = sentences.ours(drawing.numbers)
    mean = average(frame) if len(frame) else None
    if not mean or not mean.of:
        return ""
    order = sorted(mean.of, key=lambda technique: -mean.of[technique].value)
    words = [
        f"{longer_pct(mean.of[technique].value):.1f} % without {technique.replace('_', ' ')}"
        for technique in order
    ]
    return (
        f"A search takes longer by {sentences.listed(words)}, by the geometric mean over "
        f"{sentences.several(len(mean.graphs), 'graph')} of ratios source by source."
    )
