# SPDX-License-Identifier: Apache-2.0
"""dfq Figure 1: bytes of the frontier queue by design and scale."""

from __future__ import annotations

import re

import pandas as pd

from .. import sentences, style
from ..cells import number
from ..drawing import Drawing
from ..labels import graph_label, stand_in_note
from ..load import Experiment, toggles
from ..measures import counted, fact, scale_of

CAPTION = (
    "Memory of frontier queues, 4 bytes per entry. Central: one entry for every vertex that has an "
    "edge. Naive sub-queues: that for each of 82 (one per CTA of the paper's GPU). Hierarchical: "
    "that for each of three levels (warp, block, grid; the paper gives no number). Decentralized: "
    "82 sub-queues of 2048 entries, whatever the graph. The paper's figure is an image without "
    "numbers: we draw its formulas for graphs that were counted, or for what the generator's "
    "probabilities predict."
)
STATISTIC = "exact counts, expectations or allocated bytes, as marked"
MEASURED = (
    "Crosses are what the engine dfq allocates for its queues on this GPU: for BASE two queues, a "
    "level's and the next's, each with an entry for every vertex, isolated or not; for the "
    "decentralized queue a sub-queue for each CTA that this GPU runs at once."
)
ENGINE = "dfq"
HOW = {"count": "as counted", "expect": "as expected", "measured": "as allocated"}
DESIGNS = ("naive", "hierarchical", "central", "decentralized")
_COLUMNS = (
    "graph,stand_in_for,case,method,scale,vertices,non_isolated_vertices,design,queue_bytes"
).split(",")


def numbers(experiment: Experiment) -> pd.DataFrame:
    """One row per (trial, design)."""
    rows = counted(experiment, "queue-memory")
    table = []
    for trial in dict.fromkeys(rows["trial"]):
        about = rows[rows["trial"] == trial].iloc[0]
        vertices = fact(rows, trial, "vertices")
        rmat = about["graph"].startswith("kronecker:")
        for design in DESIGNS:
            table.append(
                {
                    "graph": about["graph"],
                    "stand_in_for": about["stand_in_for"],
                    "case": about["case"],
                    "method": about["method"],
                    "scale": scale_of(vertices) if rmat else float("nan"),
                    "vertices": vertices,
                    "non_isolated_vertices": fact(rows, trial, "non_isolated_vertices"),
                    "design": design,
                    "queue_bytes": fact(rows, trial, "queue_bytes", design),
                }
            )
    return pd.DataFrame([*table, *measured(experiment)], columns=_COLUMNS)


def measured(experiment: Experiment) -> list[dict]:
    """Returns the memory that the engine reported: one row per (graph, case), method "measured"."""
    rows = experiment.timed
    rows = rows[(rows["engine"] == ENGINE) & (rows["status"] == "ok") & rows["queue_bytes"].notna()]
    table = []
    for (graph, case), here in rows.groupby(["graph", "case"], sort=False):
        about = here.iloc[0]
        scale = re.match(r"kronecker:scale=([0-9]+)", graph)
        design = toggles(about["toggles"]).get("queue", "decentralized")
        if design not in DESIGNS:
            continue  # no queue at all
        table.append(
            {
                "graph": graph,
                "stand_in_for": about["stand_in_for"],
                "case": case,
                "method": "measured",
                "scale": float(scale.group(1)) if scale else float("nan"),
                "design": design,
                "queue_bytes": here["queue_bytes"].max(),
            }
        )
    return table


def draw(experiments: list[Experiment]) -> list[Drawing]:
    experiment = experiments[0]
    frame = numbers(experiment)
    note = stand_in_note(experiment, experiment.graph_order)
    extra = MEASURED if (frame["method"] == "measured").any() else ""
    caption = " ".join(p for p in (CAPTION, extra, findings(frame), note) if p)
    if frame.empty:
        figure = style.message_figure(f"{experiment.name}: no counts yet")
        return [Drawing("queue_memory", figure, frame, caption)]
    figure = style.new_figure(style.COLUMN_IN * 1.4, 2.9)
    axes = figure.subplots()
    scales = frame[frame["scale"].notna()]
    named = frame[frame["scale"].isna()]
    both = {"count", "expect"} <= set(scales["method"])
    for index, design in enumerate(DESIGNS):
        crosses = scales[(scales["design"] == design) & (scales["method"] == "measured")]
        axes.plot(crosses["scale"], crosses["queue_bytes"], "x", color=style.color(index),
                  markersize=6, markeredgewidth=1.4)  # fmt: skip
        for method in ("count", "expect"):
            rows = scales[(scales["design"] == design) & (scales["method"] == method)]
            rows = rows.sort_values("scale")
            if rows.empty:
                continue
            expected_beside_counts = both and method == "expect"
            axes.plot(
                rows["scale"],
                rows["queue_bytes"],
                label=None if expected_beside_counts else design,
                color=style.color(index),
                marker=None if expected_beside_counts else style.marker(index),
                linestyle="-" if method == "expect" or not both else "none",
                linewidth=0.9,
            )
    if len(scales):
        axes.set_xlabel("RMAT scale")
        axes.xaxis.get_major_locator().set_params(integer=True)
    if scales.empty:
        by_graph(axes, experiment, named)
    axes.set_yscale("log")
    axes.set_ylabel("queue memory")
    bytes_ticks(axes.yaxis)
    if (frame["method"] == "measured").any():
        axes.plot([], [], "x", color="#606060", markersize=6, label="allocated by the engine")
        style.legend_above(figure, axes, columns=3)
    else:
        axes.legend()
    return [Drawing("queue_memory", figure, frame, caption)]


def by_graph(axes, experiment: Experiment, named: pd.DataFrame) -> None:
    graphs = list(dict.fromkeys(named["graph"]))
    for index, design in enumerate(DESIGNS):
        rows = named[named["design"] == design].drop_duplicates("graph")
        axes.plot(
            [graphs.index(g) for g in rows["graph"]],
            rows["queue_bytes"],
            label=design,
            color=style.color(index),
            marker=style.marker(index),
            linestyle="none",
        )
    axes.set_xticks(range(len(graphs)), [graph_label(experiment, g) for g in graphs], rotation=20)


def bytes_ticks(axis) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    axis.set_major_locator(LogLocator(base=10, numticks=12))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: bytes_text(value)))


def bytes_text(value: float) -> str:
    for size, unit in ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if value >= size:
            return f"{value / size:g} {unit}"
    return f"{value:g} B"


def findings(frame: pd.DataFrame) -> str:
    """Where the central queue overtakes the decentralized ones."""
    scales = frame[frame["scale"].notna()]
    scales = scales[scales["method"] != "measured"]
    table = scales.pivot_table("queue_bytes", "scale", "design", aggfunc="first")
    if table.empty or not {"central", "decentralized"} <= set(table.columns):
        return ""
    larger = table.index[table["central"] > table["decentralized"]]
    if len(larger) == 0 or larger[0] == table.index[0]:
        return ""
    return (
        f"The decentralized queue is the smallest from scale {larger[0]:.0f} on; below, the "
        "central queue is smaller."
    )


def finding(drawing: Drawing, experiments: list[Experiment]) -> str:
    frame = drawing.numbers
    good = frame[frame["queue_bytes"].notna()]
    if good.empty:
        return ""
    words = []
    for design in DESIGNS:
        rows = good[good["design"] == design].reset_index(drop=True)
        if len(rows):
            row = rows.sort_values(["queue_bytes", "scale"], kind="stable").iloc[-1]
            where = (
                f"scale {row['scale']:.0f}"
                if row["scale"] == row["scale"]
                else sentences.place(row)
            )
            takes = "one" if words else "queue takes"
            words.append(f"the {design} {takes} {number(row['queue_bytes'] / 1e6)} MB ({where})")
    how = sentences.listed([HOW.get(method, method) for method in dict.fromkeys(good["method"])])
    return f"At their largest, {sentences.listed(words)}, {how}."
