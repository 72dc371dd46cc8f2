# SPDX-License-Identifier: Apache-2.0
"""scalable-bfs Figure 7: suggested degree thresholds by scale, and what they lead to."""

from __future__ import annotations

import pandas as pd

from .. import style
from ..cells import number
from ..drawing import Drawing
from ..load import Experiment
from ..measures import counted, fact, scale_of, wide
from ..paper import PaperTable, paper_table

CAPTION = (
    "The threshold TH that the paper suggests (64 at scale 30, growing by sqrt(2) per scale, "
    "rounded), and the shares of delegates and of nn edges that it leads to on RMAT graphs. 4n/p "
    "is the limit for delegates with a scale-26 graph on each GPU: 4 / 2^(N-26) of the vertices. "
    "Filled marks are counts, hollow ones expectations from the generator's probabilities, crosses "
    "what the paper's text prints; its figure is an image, whose points we do not guess. Its "
    "graphs end at scale 33: above, and below its smallest graphs, we extrapolate the rule."
)
STATISTIC = "exact counts (filled) or expectations (hollow), in %"
_COLUMNS = "graph,case,method,scale,threshold,delegates_pct,edges_nn_pct,limit_pct".split(",")


def suggested(scale: float) -> int:
    return round(64 * 2 ** ((scale - 30) / 2))


def numbers(experiment: Experiment) -> pd.DataFrame:
    """One row per trial whose measures include the suggested threshold of its scale."""
    rows = counted(experiment, "degree-separation")
    at = wide(rows, "threshold")
    table = []
    for trial in dict.fromkeys(rows["trial"]):
        about = rows[rows["trial"] == trial].iloc[0]
        vertices, edges = fact(rows, trial, "vertices"), fact(rows, trial, "edges")
        scale = scale_of(vertices)
        if scale != scale:
            continue
        hit = at[(at["trial"] == trial) & (at["threshold"] == suggested(scale))]
        if hit.empty:
            continue
        table.append(
            {
                "graph": about["graph"],
                "case": about["case"],
                "method": about["method"],
                "scale": int(scale),
                "threshold": suggested(scale),
                "delegates_pct": 100 * hit.iloc[0]["delegates"] / vertices,
                "edges_nn_pct": 100 * hit.iloc[0]["edges_nn"] / edges,
                "limit_pct": 100 * 4 / 2 ** (scale - 26),
            }
        )
    frame = pd.DataFrame(table, columns=_COLUMNS)
    # Graphs of one scale have one expectation.
    expected = frame["method"] == "expect"
    return pd.concat(
        [frame[~expected], frame[expected].drop_duplicates("scale")], ignore_index=True
    ).sort_values(["method", "scale"], kind="stable", ignore_index=True)


def draw(experiments: list[Experiment]) -> list[Drawing]:
    experiment = experiments[0]
    frame = numbers(experiment)
    paper = paper_table(experiment.name)
    caption = " ".join([CAPTION, *deviations(frame, paper)])
    if frame.empty:
        figure = style.message_figure(f"{experiment.name}: no counts yet")
        return [Drawing("suggested_thresholds", figure, frame, caption)]
    figure = style.new_figure(style.PAGE_IN, 2.7)
    left, right = figure.subplots(1, 2)
    thresholds = frame.drop_duplicates("scale").sort_values("scale")
    left.plot(thresholds["scale"], thresholds["threshold"], color=style.color(0), marker="o")
    left.set_yscale("log", base=2)
    left.set_ylabel("suggested TH")
    left.set_xlabel("RMAT scale N")
    printed(left, paper, "threshold", "black")
    shares(right, frame, paper)
    for axes in (left, right):
        axes.xaxis.get_major_locator().set_params(integer=True)
    style.legend_above(figure, right, columns=4)
    return [Drawing("suggested_thresholds", figure, frame, caption)]


def shares(axes, frame: pd.DataFrame, paper: PaperTable | None) -> None:
    for index, (metric, name) in enumerate((("delegates", "delegates"), ("edges_nn", "nn edges"))):
        for method, word in (("count", "counted"), ("expect", "expected")):
            rows = frame[frame["method"] == method]
            if rows.empty:
                continue
            axes.plot(
                rows["scale"],
                rows[f"{metric}_pct"],
                label=f"{name}, {word}",
                color=style.color(index),
                marker=style.marker(index),
                markerfacecolor=style.color(index) if method == "count" else "white",
                linestyle="none" if method == "count" and (frame["method"] == "expect").any()
                else "-",
                linewidth=0.9,
                markersize=2.2 if method == "count" else 4,
                zorder=3 if method == "count" else 2,
            )  # fmt: skip
        printed(axes, paper, metric, style.color(index), f"paper: {name}")
    line = frame.drop_duplicates("scale").sort_values("scale")
    line = line[line["limit_pct"] <= 100]
    if len(line):
        axes.plot(line["scale"], line["limit_pct"], "k:", label="4n/p")
    axes.set_yscale("log")
    axes.set_xlabel("RMAT scale N")
    axes.set_ylabel("share [%]")
    style.plain_log_ticks(axes.yaxis)


def printed(axes, paper: PaperTable | None, metric: str, color: str, label: str = "") -> None:
    """The paper's printed values of a metric, one a scale."""
    points = paper_points(paper, metric)
    if points:
        axes.plot(
            [s for s, _ in points],
            [v for _, v in points],
            linestyle="none",
            marker="x",
            markersize=7,
            markeredgewidth=1.6,
            color=color,
            label=label or None,
            zorder=4,
        )


def paper_points(paper: PaperTable | None, metric: str) -> list[tuple[int, float]]:
    if paper is None:
        return []
    points = []
    for graph in paper.graphs:
        text = paper.cell(graph, metric)
        if graph.startswith("RMAT scale ") and text:
            points.append((int(graph.rsplit(" ", 1)[1]), float(text)))
    return points


def deviations(frame: pd.DataFrame, paper: PaperTable | None) -> list[str]:
    """Ours against the paper's printed shares, at the scales that both have."""
    sentences = []
    for metric, name in (("delegates", "delegates"), ("edges_nn", "nn edges")):
        for scale, value in paper_points(paper, metric):
            ours = frame[frame["scale"] == scale]
            if len(ours):
                sentences.append(
                    f"Scale {scale}: {ours.iloc[0][f'{metric}_pct']:.2f} % {name}, the paper "
                    f"{value:g} %."
                )
    if any("nn edges" in s for s in sentences):
        sentences.append(
            "The paper's share of nn edges does not fit its share of delegates: in a Kronecker "
            "graph about 6 % nn edges belong to thresholds from 362, where delegates are 0.68 %. "
            "Its text does not say how the nn edges were counted."
        )
    above = frame[frame["delegates_pct"] > frame["limit_pct"]]
    if len(above):
        sentences.append(
            f"The rule leads above 4n/p from scale {above['scale'].min()} on; the paper would then "
            "raise TH further or take more GPUs."
        )
    return sentences


def finding(drawing: Drawing, experiments: list[Experiment]) -> str:
    frame = drawing.numbers.sort_values("scale", kind="stable")
    if frame.empty:
        return ""
    low, high = frame.iloc[0], frame.iloc[-1]
    delegates, normal = (
        f"from {number(low[column])} % to {number(high[column])} %"
        for column in ("delegates_pct", "edges_nn_pct")
    )
    return (
        f"From scale {low['scale']} to {high['scale']} the suggested threshold grows from "
        f"{low['threshold']} to {high['threshold']}, the share of delegates goes {delegates} of "
        f"the vertices, and that of nn edges {normal}, by counts or expectations."
    )
