# SPDX-License-Identifier: Apache-2.0
"""scalable-bfs, sections II-B and V: degree separation beside the 2D partition, in time and in
bytes, as graphs grow with the GPUs."""

from __future__ import annotations

import math

import pandas as pd

from .. import ratio_lines, sentences, style
from ..cells import number
from ..distributed import (
    KEYS,
    RATE,
    arrangements,
    failures,
    gpu_axis,
    lines,
    measured,
    on_weak_curve,
    variants,
)
from ..drawing import Drawing
from ..load import Experiment

CAPTION = (
    "Degree separation and the 2D partition search the same graphs from the same sources; twice as "
    "many GPUs search a graph of twice the size. Left: the rate. Right: the bytes that each GPU "
    "sends in a search, as the mean over sources and GPUs, of instrumented searches. Masks and "
    "bitmaps are counted once for each GPU that they are sent to. On CPUs a thread stands for a "
    "GPU. Grey lines go through the first mark and show what sections II-B and V expect of these "
    "bytes: sqrt(p) for the 2D partition, and a constant for "
    "degree separation, as long as the delegates are a constant share of n/p. A reduction by a "
    "tree multiplies both by a logarithm of p. The CSV has the other numbers of GPUs for each "
    "graph, too. "
)
STATISTIC = f"rate [GTEPS]: {ratio_lines.STATISTIC}; bytes: arithmetic mean over sources and GPUs"
COLUMNS = (
    "origin,machine,graph,stand_in_for,scale,case,variant,engine,ranks,gpus_per_rank,gpus,status,"
    "sources,levels,time_ms,gteps_paper,gteps_low95,gteps_high95,gteps_min,gteps_max,"
    "gteps_component,bytes_per_gpu,searches,note"
).split(",")
LAWS = {
    "delegate": ("constant", "--", lambda gpus: 1.0),
    "grid2d": ("sqrt(p)", ":", math.sqrt),
}


def numbers(experiment: Experiment) -> pd.DataFrame:
    """COLUMNS: one row for each graph and configuration, in the order of the spec and then by
    GPUs. A configuration without instrumented searches has no bytes."""
    frame = measured(experiment)
    engines = experiment.timed.groupby("case")["engine"].first()
    sent = bytes_per_gpu(experiment)
    keys = list(frame[KEYS].itertuples(index=False, name=None))
    return frame.assign(
        engine=frame["case"].map(engines),
        bytes_per_gpu=[sent[key].mean() if key in sent else math.nan for key in keys],
        searches=[len(sent[key]) if key in sent else 0 for key in keys],
    )[COLUMNS]


def bytes_per_gpu(experiment: Experiment) -> dict[tuple, pd.Series]:
    """Returns the bytes that a GPU sends in each instrumented search, by the values of KEYS."""
    runs = experiment.instrumented
    runs = runs[runs["status"] == "ok"]
    runs = runs.assign(variant=variants(runs))
    sent = experiment.levels.groupby("trial")["bytes_sent"].sum().rename("bytes")
    joined = runs.merge(sent, on="trial")
    gpus = joined["ranks"] * joined["gpus_per_rank"].clip(lower=1)
    return dict(iter((joined["bytes"] / gpus).groupby([joined[key] for key in KEYS])))


def growths(curve: pd.DataFrame) -> list[str]:
    """A clause for each variant: how much more each GPU sends at the most GPUs."""
    clauses = []
    for variant in dict.fromkeys(curve["variant"]):
        for way, rows in arrangements(curve[curve["variant"] == variant]).items():
            sent = rows[rows["bytes_per_gpu"] > 0]
            if len(set(sent["gpus"])) < 2:
                continue
            few, many = sent.iloc[0], sent.iloc[-1]
            clauses.append(
                f"{variant}, {way}: each of {many['gpus']:.0f} GPUs sends "
                f"{number(many['bytes_per_gpu'] / few['bytes_per_gpu'])} times as much as each of "
                f"{few['gpus']:.0f}"
            )
    return clauses


def draw(experiments: list[Experiment]) -> list[Drawing]:
    experiment = experiments[0]
    frame = numbers(experiment)
    curve, scale = on_weak_curve(frame)
    caption = CAPTION
    if scale == scale:
        caption += f"One GPU has a graph of scale {scale:g}. "
    if clauses := growths(curve):
        caption += f"{'; '.join(clauses)}. "
    caption = (caption + failures(frame)).strip()
    if curve["gteps_paper"].isna().all():
        figure = style.message_figure(f"{experiment.name}: no Kronecker graph was searched yet")
        return [Drawing("partition_costs", figure, frame, caption)]
    return [Drawing("partition_costs", lambda: panels(curve), frame, caption)]


def panels(curve: pd.DataFrame):
    figure = style.new_figure(style.PAGE_IN, 3.3)
    left, right = figure.subplots(1, 2)
    for line in lines(curve):
        at = line.rows["gpus"] * line.beside
        ratio_lines.draw(left, at, line.rows, RATE, label=line.name, **line.look)
        sent = line.rows[line.rows["bytes_per_gpu"] > 0]
        if sent.empty:
            continue
        right.plot(sent["gpus"], sent["bytes_per_gpu"] / 1e6, **line.look)
        draw_law(right, sent)
    left.set_ylim(bottom=0)
    left.set_ylabel("GTEPS, 16 x 2^N edges")
    right.set_yscale("log")
    style.plain_log_ticks(right.yaxis)
    right.set_ylabel("MB sent by each GPU")
    gpu_axis(left, curve["gpus"])
    gpu_axis(right, curve["gpus"])
    style.legend_above(figure, left, right, columns=2)
    return figure


def draw_law(axes, sent: pd.DataFrame) -> None:
    """The law of the engine's partition through the mark of the fewest GPUs."""
    first, last = sent.iloc[0], sent.iloc[-1]
    name, style_of_line, law = LAWS[first["engine"].removesuffix("-cuda")]
    steps = [first["gpus"] * (last["gpus"] / first["gpus"]) ** (k / 30) for k in range(31)]
    sizes = [first["bytes_per_gpu"] / 1e6 * law(gpus) / law(first["gpus"]) for gpus in steps]
    known = {line.get_label() for line in axes.lines}
    axes.plot(steps, sizes, color="#7A7A7A", linewidth=0.8, linestyle=style_of_line,
              label="_" if name in known else name)  # fmt: skip


def finding(drawing: Drawing, experiments: list[Experiment]) -> str:
    frame = sentences.ours(drawing.numbers)
    clauses = growths(on_weak_curve(frame)[0]) or least_and_most(frame)
    return f"{sentences.capital('; '.join(clauses))}, by means over sources." if clauses else ""


def least_and_most(frame: pd.DataFrame) -> list[str]:
    """A clause about who sends least and who most, at the most GPUs and the largest graph that were
    counted for several variants."""
    sent = frame[frame["bytes_per_gpu"] > 0]
    for (gpus, scale), rows in reversed(list(sent.groupby(["gpus", "scale"]))):
        if rows["variant"].nunique() < 2:
            continue
        least = rows.loc[rows["bytes_per_gpu"].idxmin()]
        most = rows.loc[rows["bytes_per_gpu"].idxmax()]
        return [
            f"at scale {scale:g} each of {gpus:.0f} GPUs sends "
            f"{number(most['bytes_per_gpu'] / least['bytes_per_gpu'])} times as many bytes with "
            f"{most['variant']} as with {least['variant']}"
        ]
    return []
