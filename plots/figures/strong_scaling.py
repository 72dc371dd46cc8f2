# SPDX-License-Identifier: Apache-2.0
"""scalable-bfs Figure 11: rates of one graph against the number of GPUs."""

from __future__ import annotations

import pandas as pd

from .. import style
from ..distributed import (
    RATES,
    arrangements,
    arrangements_apart,
    draw_rates,
    failures,
    gpu_axis,
    paper_of,
    points,
    printed,
    with_paper,
)
from ..drawing import Drawing
from ..load import Experiment
from ..paper import PaperTable

CAPTION = (
    "Strong scaling: more GPUs search the same graph. Left: the rate. Right: the speed-up over the "
    "fewest GPUs that searched it. On CPUs a thread stands for a GPU. "
)
STATISTIC = "rate [GTEPS] and speed-up: geometric means over sources"
OF_PAPER = (
    "The paper's graph is RMAT scale 30, on 12 GPUs and more; its figure is an image, of which the "
    "text prints the speed-up marked by a cross. DOBFS stays almost flat after 24 GPUs there and "
    "drops above 48, and BFS, which computes more, scales better. "
)


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
    frame = points(experiment)
    good = largest(frame)
    said = OF_PAPER if paper else ""
    caption = (
        CAPTION + RATES + said + speedups(good) + arrangements_apart(good) + failures(frame)
    ).strip()
    if good.empty:
        figure = style.message_figure(f"{experiment.name}: no Kronecker graph was searched yet")
        return [Drawing("strong_scaling", figure, frame, caption)]
    figure = panels(experiment, good, paper)
    return [Drawing("strong_scaling", figure, with_paper(frame, paper), caption)]


def speedups(good: pd.DataFrame) -> str:
    said = []
    for variant in dict.fromkeys(good["variant"]):
        for way, rows in arrangements(good[good["variant"] == variant]).items():
            if len(set(rows["gpus"])) > 1:
                ratio = rows["time_ms"].iloc[0] / rows["time_ms"].iloc[-1]
                said.append(
                    f"{variant}, {way}: {ratio:.2f} times as fast on "
                    f"{rows['gpus'].iloc[-1]:.0f} GPUs as on {rows['gpus'].iloc[0]:.0f}"
                )
    return f"{'; '.join(said)}. " if said else ""


def panels(experiment: Experiment, good: pd.DataFrame, paper: PaperTable | None):
    figure = style.new_figure(style.PAGE_IN, 3.3)
    left, right = figure.subplots(1, 2)
    draw_rates(left, good)
    times = [1.0]
    for v, variant in enumerate(dict.fromkeys(good["variant"])):
        for w, (_, rows) in enumerate(arrangements(good[good["variant"] == variant]).items()):
            more = rows["gpus"] / rows["gpus"].iloc[0]
            times += list(more)
            right.plot(more, rows["time_ms"].iloc[0] / rows["time_ms"], color=style.color(v),
                       marker=style.marker(w), linestyle=("-", "--", ":", "-.")[w % 4])  # fmt: skip
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
