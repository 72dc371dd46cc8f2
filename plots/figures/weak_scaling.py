# SPDX-License-Identifier: Apache-2.0
"""scalable-bfs Figure 9: rates as the graph grows with the GPUs."""

from __future__ import annotations

from .. import style
from ..distributed import (
    RATES,
    arrangements,
    draw_rates,
    failures,
    gpu_axis,
    on_weak_curve,
    paper_of,
    points,
    printed,
    with_paper,
)
from ..drawing import Drawing
from ..load import Experiment
from ..paper import PaperTable

CAPTION = (
    "Weak scaling: twice as many GPUs search a graph of twice the size. Left: the rate. Right: the "
    "rate of each GPU, as a share of that of the fewest GPUs. On CPUs a thread stands for a GPU. "
)
STATISTIC = "rate [GTEPS]: geometric mean over sources"
OF_PAPER = (
    "The paper has a scale-26 graph on each P100; its figure is an image, of which the text and "
    "Table II print the points marked by crosses. "
)


def draw(experiments: list[Experiment]) -> list[Drawing]:
    experiment = experiments[0]
    paper = paper_of(experiment, "scalable-bfs-fig9")
    frame = points(experiment)
    curve, scale = on_weak_curve(frame)
    good = curve[curve["gteps_paper"].notna()]
    caption = CAPTION + RATES + (OF_PAPER if paper else "")
    if len(good):
        caption += f"One GPU has a graph of scale {scale:g}. "
    caption = (caption + efficiencies(good) + failures(curve)).strip()
    if good.empty:
        figure = style.message_figure(f"{experiment.name}: no Kronecker graph was searched yet")
        return [Drawing("weak_scaling", figure, with_paper(curve, paper), caption)]
    figure = panels(experiment, good, scale, paper)
    return [Drawing("weak_scaling", figure, with_paper(curve, paper), caption)]


def efficiencies(good) -> str:
    """What the largest number of GPUs reaches, for each line of the right panel."""
    said = []
    for variant in dict.fromkeys(good["variant"]):
        for way, rows in arrangements(good[good["variant"] == variant]).items():
            each = (rows["gteps_paper"] / rows["gpus"]).to_numpy()
            if rows["gpus"].nunique() > 1:
                said.append(
                    f"{variant}, {way}: {rows['gpus'].iloc[-1]:.0f} GPUs at "
                    f"{100 * each[-1] / each[0]:.0f} % of the rate of each"
                )
    return f"{'; '.join(said)}. " if said else ""


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
    for v, variant in enumerate(dict.fromkeys(good["variant"])):
        for w, (_, rows) in enumerate(arrangements(good[good["variant"] == variant]).items()):
            each = rows["gteps_paper"] / rows["gpus"]
            right.plot(rows["gpus"], 100 * each / each.iloc[0], color=style.color(v),
                       marker=style.marker(w), linestyle=("-", "--", ":", "-.")[w % 4])  # fmt: skip
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
