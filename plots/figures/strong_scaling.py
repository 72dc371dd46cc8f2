# SPDX-License-Identifier: Apache-2.0
"""scalable-bfs Figure 11: rates of one graph against the number of GPUs."""

from __future__ import annotations

import pandas as pd

from .. import ratio_lines, ratios, sentences, style
from ..cells import number
from ..distributed import (
    RATES,
    arrangements,
    arrangements_apart,
    configured,
    draw_rates,
    failures,
    gpu_axis,
    lines,
    measured,
    over_fewest,
    paper_of,
    printed,
    with_paper,
)
from ..drawing import Drawing
from ..load import Experiment
from ..paper import PaperTable

CAPTION = (
    "Strong scaling: more GPUs search the same graph. Left: the rate. Right: the speed-up over the "
    "fewest GPUs that searched it. On CPUs a thread stands for a GPU. Marks of one number of GPUs "
    "stand aside from one another. " + ratios.SAID_IN_NUMBERS
)
STATISTIC = (
    f"rate [GTEPS], and speed-up as ratio of times, source by source, each: {ratio_lines.STATISTIC}"
)
OF_PAPER = (
    "The paper's graph is RMAT scale 30, on 12 GPUs and more; its figure is an image, of which the "
    "text prints the speed-up marked by a cross. DOBFS stays almost flat after 24 GPUs there and "
    "drops above 48, and BFS, which computes more, scales better. "
)


def numbers(experiment: Experiment) -> pd.DataFrame:
    """distributed.points with the rest of RATE, and ratios.COLUMNS over the row of the fewest GPUs
    that searched the graph on the same line, which are `over_gpus`."""
    frame = measured(experiment)
    parts = [
        over_fewest(rows, lambda few, many: ratios.compared(few["cell"], many["cell"]))
        for _, rows in frame.groupby("graph", sort=False)
    ]
    joined = pd.concat(parts) if parts else frame
    columns = [*frame.columns.drop("cell"), "over_gpus", *ratios.COLUMNS]
    return joined.reindex(columns=columns)


def largest(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows of the graph that most numbers of GPUs have searched, of several the largest."""
    good = frame[frame["gteps_paper"].notna()]
    if good.empty:
        return good
    counts = good.groupby("scale")["gpus"].nunique()
    return good[good["scale"] == max(s for s in counts.index if counts[s] == counts.max())]


def draw(experiments: list[Experiment]) -> list[Drawing]:
    experiment = experiments[0]
    paper = paper_of(experiment, "scalable-bfs-fig11")
    frame = numbers(experiment)
    good = largest(frame)
    sentence = OF_PAPER if paper else ""
    caption = (
        CAPTION
        + RATES
        + sentence
        + speedups(good)
        + arrangements_apart(good, experiment)
        + failures(frame)
    ).strip()
    if good.empty:
        figure = style.message_figure(f"{experiment.name}: no Kronecker graph was searched yet")
        return [Drawing("strong_scaling", figure, frame, caption)]
    return [
        Drawing(
            "strong_scaling",
            lambda: panels(experiment, good, paper),
            with_paper(frame, paper),
            caption,
        )
    ]


def speedups(good: pd.DataFrame) -> str:
    clauses = []
    for variant in dict.fromkeys(good["variant"]):
        for way, rows in arrangements(good[good["variant"] == variant]).items():
            if len(set(rows["gpus"])) > 1:
                most = rows.iloc[-1]
                span = ratios.span_text(most["low95"], most["high95"])
                clauses.append(
                    f"{variant}, {way}: {most['speedup']:.2f}{f' ({span})' if span else ''} times "
                    f"as fast on {most['gpus']:.0f} GPUs as on {most['over_gpus']:.0f}"
                )
    return f"{'; '.join(clauses)}. " if clauses else ""


def panels(experiment: Experiment, good: pd.DataFrame, paper: PaperTable | None):
    figure = style.new_figure(style.PAGE_IN, 3.3)
    left, right = figure.subplots(1, 2)
    draw_rates(left, good)
    times = [1.0]
    for line in lines(good):
        more = line.rows["gpus"] / line.rows["over_gpus"]
        times += list(more)
        ratio_lines.draw(right, more * line.beside, line.rows, **line.look)
    for _, gpus, value, note in printed(paper, "speedup"):
        few = float(note.split("over ")[1].split()[0])
        times.append(gpus / few)
        right.plot([gpus / few], [value], "kx", markersize=6, markeredgewidth=1.4,
                   label=f"paper: DOBFS, {gpus:g} GPUs over {few:g}")  # fmt: skip
    steps = [max(times) ** (k / 30) for k in range(31)]  # a curve where the axis is logarithmic
    right.plot(steps, steps, color="#7A7A7A", linewidth=0.7, linestyle=(0, (1, 1)),
               label="linear")  # fmt: skip
    right.set_ylim(bottom=0)
    right.set_ylabel("speed-up")
    left.set_ylim(bottom=0)
    left.set_ylabel("GTEPS, 16 x 2^N edges")
    left.set_title(f"{experiment.machine}: RMAT scale {good['scale'].iloc[0]:g}")
    gpu_axis(left, good["gpus"])
    gpu_axis(right, times, "GPUs, times the fewest")
    style.legend_above(figure, left, right, columns=3)
    return figure


def finding(drawing: Drawing, experiments: list[Experiment]) -> str:
    good = largest(sentences.ours(drawing.numbers))
    many = good[good["gpus"] > good["over_gpus"]] if len(good) else good
    if many.empty:
        return sentences.best(
            drawing.numbers, "gteps_paper", "variant", "geometric mean over sources", unit="GTEPS",
            rate=True, experiments=experiments,
        )  # fmt: skip
    most = many[many["gpus"] == many["gpus"].max()]
    ends = sentences.ends(most, "speedup", number, configured)
    return (
        f"At scale {most['scale'].iloc[0]:g}, {most['gpus'].iloc[0]:.0f} GPUs are {ends} times as "
        "fast as the fewest, by geometric means of ratios source by source."
    )
