# SPDX-License-Identifier: Apache-2.0
"""scalable-bfs Figure 9: rates as the graph grows with the GPUs."""

from __future__ import annotations

from functools import partial

import pandas as pd

from .. import ratio_lines, ratios, sentences, stats, style
from ..distributed import (
    RATES,
    arrangements,
    configured,
    draw_rates,
    failures,
    gpu_axis,
    lines,
    measured,
    on_weak_curve,
    over_fewest,
    paper_of,
    printed,
    with_paper,
)
from ..drawing import Drawing
from ..load import Experiment
from ..paper import PaperTable

CAPTION = (
    "Weak scaling: twice as many GPUs search a graph of twice the size. Left: the rate. Right: the "
    "rate of each GPU, as a share of that of the fewest GPUs. On CPUs a thread stands for a GPU. "
    "Marks of one number of GPUs stand aside from one another. "
    "Sources of two graphs make no pairs, so the share is a ratio of two geometric means, whose "
    "95 % interval resamples the sources of either graph. "
)
STATISTIC = (
    f"rate [GTEPS]: {ratio_lines.STATISTIC}; right: the same of rates over the geometric mean of "
    "the fewest GPUs' [%], the interval of a ratio of means"
)
SHARE = ("efficiency", "low95", "high95", "min", "max")  # of the rate that each GPU has
OF_PAPER = (
    "The paper has a scale-26 graph on each P100; its figure is an image, of which the text and "
    "Table II print the points marked by crosses. "
)


def draw(experiments: list[Experiment]) -> list[Drawing]:
    experiment = experiments[0]
    paper = paper_of(experiment, "scalable-bfs-fig9")
    curve, scale = numbers(experiment)
    good = curve[curve["gteps_paper"].notna()]
    caption = CAPTION + RATES + (OF_PAPER if paper else "")
    if len(good):
        caption += f"One GPU has a graph of scale {scale:g}. "
    caption = (caption + efficiencies(good) + failures(curve)).strip()
    if good.empty:
        figure = style.message_figure(f"{experiment.name}: no Kronecker graph was searched yet")
        return [Drawing("weak_scaling", figure, with_paper(curve, paper), caption)]
    return [
        Drawing(
            "weak_scaling",
            lambda: panels(experiment, good, scale, paper),
            with_paper(curve, paper),
            caption,
        )
    ]


def numbers(experiment: Experiment) -> tuple[pd.DataFrame, float]:
    """distributed.points on the weak curve with the rest of RATE, and SHARE over the fewest GPUs on
    the same line, which are `over_gpus`; and the scale that one GPU has."""
    curve, scale = on_weak_curve(measured(experiment))
    columns = [*curve.columns.drop("cell"), "over_gpus", *SHARE]
    return over_fewest(curve, partial(share, experiment)).reindex(columns=columns), scale


def share(experiment: Experiment, few: pd.Series, many: pd.Series) -> dict[str, float]:
    """SHARE: on the weak curve each GPU has the same edges, so its rates are as the times. NaN
    across builds."""
    if few.name == many.name:
        return dict.fromkeys(SHARE, 1.0)
    base, other = few["cell"], many["cell"]
    if not ratios.of_one_build(experiment, base, other):
        return dict.fromkeys(SHARE, float("nan"))
    mean = stats.unpaired_ratio(base.by_invocation, other.by_invocation)
    each = stats.mean_ratio(base.by_invocation).value / other.times_ms
    return dict(zip(SHARE, (mean.value, mean.low, mean.high, each.min(), each.max()), strict=True))


def efficiencies(good) -> str:
    """Says how efficient the largest number of GPUs is, for each line of the right panel."""
    clauses = []
    for variant in dict.fromkeys(good["variant"]):
        for way, rows in arrangements(good[good["variant"] == variant]).items():
            if len(set(rows["gpus"])) > 1:
                most = rows.iloc[-1]
                span = ratios.span_text(100 * most["low95"], 100 * most["high95"])
                clauses.append(
                    f"{variant}, {way}: {most['gpus']:.0f} GPUs at {100 * most['efficiency']:.0f} "
                    f"%{f' ({span})' if span else ''} of the rate of each"
                )
    return f"{'; '.join(clauses)}. " if clauses else ""


def panels(experiment: Experiment, good, scale: float, paper: PaperTable | None):
    figure = style.new_figure(style.PAGE_IN, 3.3)
    left, right = figure.subplots(1, 2)
    draw_rates(left, good)
    theirs = printed(paper, "gteps")
    if theirs:
        left.plot([t[1] for t in theirs], [t[2] for t in theirs], "kx", markersize=6,
                  markeredgewidth=1.4, label="paper (scale 26 on each P100)")  # fmt: skip
    first = good.sort_values("gpus").drop_duplicates("variant")
    most = max(good["gpus"].max(), 2)
    for _, row in first.iterrows():
        rate = row["gteps_paper"]
        left.plot([row["gpus"], most], [rate, rate * most / row["gpus"]], color="#7A7A7A",
                  linewidth=0.7, linestyle=(0, (1, 1)), zorder=1, label="linear")  # fmt: skip
    for line in lines(good):
        ratio_lines.draw(right, line.rows["gpus"] * line.beside, line.rows, SHARE, 100.0,
                         **line.look)  # fmt: skip
    right.axhline(100, color="#7A7A7A", linewidth=0.7, linestyle=(0, (1, 1)))
    right.set_ylim(0, max(110, right.get_ylim()[1]))
    right.set_ylabel("rate of each GPU [%]")
    left.set_yscale("log")
    style.plain_log_ticks(left.yaxis)
    left.set_ylabel("GTEPS, 16 x 2^N edges")
    left.set_title(f"{experiment.machine}: scale {scale:g} on each GPU")
    gpu_axis(left, [*good["gpus"], *(t[1] for t in theirs)])
    gpu_axis(right, good["gpus"])
    style.legend_above(figure, left, columns=3)
    return figure


def finding(drawing: Drawing, experiments: list[Experiment]) -> str:
    good = sentences.ours(drawing.numbers)
    many = good[good["gpus"] > good["over_gpus"]] if len(good) else good
    if many.empty:
        return sentences.best(
            drawing.numbers, "gteps_paper", "variant", "geometric mean over sources", unit="GTEPS",
            rate=True, experiments=experiments,
        )  # fmt: skip
    most = many[many["gpus"] == many["gpus"].max()]
    ends = sentences.ends(most, "efficiency", sentences.percent, configured)
    return (
        f"On {most['gpus'].iloc[0]:.0f} GPUs each keeps {ends} of the rate that each of the fewest "
        f"has, at scale {most['scale'].iloc[0]:g}, by geometric means over sources."
    )
