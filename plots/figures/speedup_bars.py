# SPDX-License-Identifier: Apache-2.0
"""xbfs Figures 11 and 14: how many times faster than the baseline each case is, graph by graph."""

from __future__ import annotations

import pandas as pd

from .. import ratios, sentences, style
from ..drawing import Drawing
from ..grouped_bars import bars_of, keep_apart, mean_bars
from ..grouped_bars import draw as draw_bars
from ..labels import stand_in_note, wrapped
from ..load import Experiment
from ..paper import PaperTable, paper_for
from ..speedups import (
    ALL,
    averages,
    baseline_case,
    beside_baseline,
    failures_note,
    speedups,
    with_paper,
)
from ..xbfs import short_label

CAPTION = "Speed-up over {baseline}. " + ratios.SAID
STATISTIC = f"speed-up over the spec's baseline, {ratios.STATISTIC}"
DEVIATIONS = {
    "Figure 11": (
        "The baseline is Enterprise as its paper describes it, in our code. Ad, Ad+WB and "
        "Ad+WB+Async start from our faster form of it, Enterprise, tuned: status scans with prefix "
        "sums, one kernel for all degree classes, and the paper's rule for directions. Ad gains "
        "most where a strided scan for the bottom-up queue takes most of the baseline's time, on "
        "the largest graphs (Figure 12), and least where levels are so short that the host's part "
        "of them (launches and a read-back) takes most of it, which no case can shorten: the "
        "faster the GPU, the larger a graph must be to distinguish the cases. Async saves looks "
        "where a level's vertices do not all look at once, and a GPU that runs more threads than "
        "the queue has entries finds little early. "
    ),
    "Figure 14": (
        "The baseline has adaptive queue generation and degree classes (it is Ad and not "
        "Enterprise), so that bottom-up's balance alone changes. The paper prints no number for "
        "donation within a warp, which it finds 1 to 5 % slower. "
    ),
}


def draw(experiments: list[Experiment]) -> list[Drawing]:
    experiment = experiments[0]
    paper = paper_for(experiment)
    frame = speedups(experiment)
    baseline = baseline_case(experiment)
    caption = "".join(
        (
            CAPTION.format(baseline=baseline),
            ratios.turned_note(frame, lambda graph: short_label(experiment, graph, " ")),
            paper_sentence(paper),
            DEVIATIONS.get(experiment.spec.get("item", ""), ""),
            failures_note(frame),
            stand_in_note(experiment, list(dict.fromkeys(frame["graph"]))),
        )
    ).strip()
    if frame["speedup"].isna().all():
        what = (
            "no rows yet"
            if frame.empty
            else "no configuration succeeded together with its baseline"
        )
        figure = style.message_figure(f"{experiment.name}: {what}")
        return [Drawing("speedup_bars", figure, frame, caption)]
    statistic = f"speed-up over {baseline}, {ratios.STATISTIC}"
    if averages(paper):
        statistic += "; over graphs the geometric and the arithmetic mean, as named"
    return [
        Drawing(
            "speedup_bars",
            lambda: bars(experiment, frame, paper, baseline),
            with_paper(frame, paper),
            caption,
            statistic=statistic,
        )
    ]


def paper_sentence(paper: PaperTable | None) -> str:
    """The paper's averages, and the graphs that it names."""
    sentences = []
    for method, average in averages(paper).items():
        rows = paper.rows[(paper.rows["method"] == method) & (paper.rows["graph"] != ALL)]
        named = [f"{row['value']} on {row['graph']}" for _, row in rows.iterrows()]
        extra = f" ({', '.join(named)})" if named else ""
        sentences.append(f"{method} {average:g}{extra}")
    if not sentences:
        return ""
    return f"{ratios.BOTH}On its own graphs the paper has, on average, {', '.join(sentences)}. "


def bars(experiment: Experiment, frame: pd.DataFrame, paper: PaperTable | None, baseline: str):
    """One group of bars per graph, then our means and the paper's averages."""
    graphs = list(dict.fromkeys(frame["graph"]))
    cases = beside_baseline(frame)
    cases = cases or list(dict.fromkeys(frame["case"]))  # a spec may hold the baseline alone
    theirs = {case: value for case, value in averages(paper).items() if case in cases}
    ours = ratios.averages(frame, graphs, cases, both=bool(theirs))
    groups = [short_label(experiment, graph) for graph in graphs]
    groups += [mean.label(graphs, named=bool(theirs)) for mean in ours]
    series = bars_of(frame, graphs, cases)
    means = mean_bars(ours, cases)
    for case, its_bars in series.items():
        its_bars += means[case] + [None] * bool(theirs)
    if theirs:
        groups.append("arithmetic\nmean (paper)")
    figure = style.new_figure(style.PAGE_IN, 3.2)
    axes = figure.subplots()
    stand = draw_bars(axes, groups, series, foot=1)
    numbers = []
    for case, at in stand.items():
        for x, bar in zip(at[len(graphs) :], series[case][len(graphs) :], strict=True):
            if bar:
                numbers.append(axes.annotate(f"{bar.value:.3g}", (x, max(bar.top, 1)), ha="center",
                                             va="bottom", fontsize=style.pt(6), xytext=(0, 1),
                                             textcoords="offset points"))  # fmt: skip
        if case in theirs:
            numbers.append(style.paper_bar(axes, at[-1], 0.8 / len(series), theirs[case], 1,
                                           hatch=style.hatch(cases.index(case))))  # fmt: skip
        marks(frame, paper, case, graphs, at, axes)
    style.ratio_axis(axes)
    axes.axvline(len(graphs) - 0.5, color="#808080", linewidth=0.6)
    axes.set_ylabel(wrapped(f"speed-up over {baseline}", 26))
    style.legend_above(figure, axes, columns=5)
    keep_apart(numbers)
    return figure


def marks(frame: pd.DataFrame, paper: PaperTable | None, case: str, graphs: list[str],
          at: list[float], axes) -> None:  # fmt: skip
    """The paper's number as a diamond over our bar, for the few graphs that it names."""
    names = dict(zip(frame["graph"], frame["paper_name"], strict=True))
    for x, graph in zip(at, graphs, strict=False):
        text = paper.cell(names[graph], "speedup", case) if paper and names[graph] else ""
        if text in ("", "-"):
            continue
        known = axes.get_legend_handles_labels()[1]
        label = "paper, this graph"
        axes.plot(x, float(text), "D", color="black", markerfacecolor="white", markersize=4,
                  label=None if label in known else label)  # fmt: skip


def finding(drawing: Drawing, experiments: list[Experiment]) -> str:
    frame = sentences.ours(drawing.numbers)
    named = frame["case"].isin(beside_baseline(drawing.numbers))
    return sentences.speedups(frame[named], sentences.faster(baseline_case(experiments[0])))
