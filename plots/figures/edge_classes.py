# SPDX-License-Identifier: Apache-2.0
"""scalable-bfs Figures 5 and 12: edges by class and delegates against the degree threshold."""

from __future__ import annotations

import pandas as pd

from .. import sentences, style
from ..cells import number
from ..drawing import Drawing
from ..labels import graph_label, stand_in_note, wrapped
from ..load import Experiment
from ..measures import counted, fact, kept_loops_removed, scale_of, wide
from ..paper import PaperTable, paper_table

CAPTION = (
    "Share of the edges (directed entries after doubling) between normal vertices (nn), between "
    "a normal vertex and a delegate (nd and dn together; each is half of it), and between "
    "delegates (dd), and share of the vertices that are delegates, against the degree threshold "
    "TH. Duplicates and self-loops of RMAT graphs are kept, as in the paper."
)
STATISTIC = "exact counts, or expectations where the name says so, in % of edges and of vertices"
NO_CURVES = (
    "The paper's curves are an image, whose points we do not guess: bands show the ranges of TH "
    "that its text names for its graph."
)
CURVES = {
    "edges_nn": "nn edges",
    "edges_mixed": "nd + dn edges",
    "edges_dd": "dd edges",
    "delegates": "delegates",
}
_COLUMNS = (
    "graph,stand_in_for,case,method,vertices,isolated_vertices,edges,threshold,"
    "delegates_pct,edges_nn_pct,edges_mixed_pct,edges_dd_pct"
).split(",")


def numbers(experiment: Experiment) -> pd.DataFrame:
    """One row per (graph, case, threshold), all shares in percent."""
    rows = counted(experiment, "degree-separation")
    at = wide(rows, "threshold")
    table = []
    for trial in dict.fromkeys(rows["trial"]):
        about = rows[rows["trial"] == trial].iloc[0]
        vertices, edges = fact(rows, trial, "vertices"), fact(rows, trial, "edges")
        for _, row in at[at["trial"] == trial].iterrows():
            table.append(
                {
                    "graph": about["graph"],
                    "stand_in_for": about["stand_in_for"],
                    "case": about["case"],
                    "method": about["method"],
                    "vertices": vertices,
                    "isolated_vertices": fact(rows, trial, "isolated_vertices"),
                    "edges": edges,
                    "threshold": int(row["threshold"]),
                    "delegates_pct": 100 * row["delegates"] / vertices,
                    "edges_nn_pct": 100 * row["edges_nn"] / edges,
                    "edges_mixed_pct": 100 * (row["edges_nd"] + row["edges_dn"]) / edges,
                    "edges_dd_pct": 100 * row["edges_dd"] / edges,
                }
            )
    return pd.DataFrame(table, columns=_COLUMNS)


def draw(experiments: list[Experiment]) -> list[Drawing]:
    experiment = experiments[0]
    frame = numbers(experiment)
    paper = paper_table(experiment.name) or paper_table(experiment.name.removesuffix("-full"))
    caption = caption_of(experiment, frame, paper)
    if frame.empty:
        figure = style.message_figure(f"{experiment.name}: no counts yet")
        return [Drawing("edge_classes", figure, frame, caption)]
    return [Drawing("edge_classes", lambda: drawn(experiment, frame, paper), frame, caption)]


def drawn(experiment: Experiment, frame: pd.DataFrame, paper: PaperTable | None):
    panels = panels_of(frame)
    across = min(2, len(panels))
    down = -(-len(panels) // across)
    width = style.PAGE_IN if across > 1 else style.COLUMN_IN * 1.4
    figure = style.new_figure(width, 2.3 * down + 0.5)
    grid = list(figure.subplots(down, across, squeeze=False, sharey=True).flat)
    for axes, (title, series) in zip(grid, panels, strict=False):
        scale = title[1]
        label = f"RMAT scale {scale:.0f}" if scale == scale else graph_label(experiment, title[0])
        panel(axes, series)
        if paper and paper.graphs[0] in (label, experiment.stand_in_for(title[0]) or label):
            bands(axes, paper)
        axes.set_title(wrapped(label, 52), loc="left")
    for axes in grid[: len(panels)][::across]:
        axes.set_ylabel("share [%]")
    for axes in grid[len(panels) :]:
        axes.set_visible(False)
    style.legend_above(figure, *grid, columns=4)
    return figure


def panels_of(frame: pd.DataFrame) -> list[tuple[tuple[str, float], list[pd.DataFrame]]]:
    """((graph, scale or NaN), its cases): cases of one scale share a panel, a graph that is not
    an RMAT graph has its own."""
    panels: dict[tuple[str, float], list[pd.DataFrame]] = {}
    for (graph, _), series in frame.groupby(["graph", "case"], sort=False):
        scale = scale_of(series.iloc[0]["vertices"])
        rmat = kept_loops_removed(graph).startswith("kronecker:")
        key = (graph, scale) if rmat else (graph, float("nan"))
        same = next((k for k in panels if k[0] == graph and (k[1] == key[1] or not rmat)), key)
        panels.setdefault(same, []).append(series)
    return list(panels.items())


def panel(axes, cases: list[pd.DataFrame]) -> None:
    """Counts as lines with marks; an expectation beside a count as a dashed line."""
    both = len({series.iloc[0]["method"] for series in cases}) > 1
    for series in cases:
        expected = series.iloc[0]["method"] == "expect"
        for index, (column, name) in enumerate(CURVES.items()):
            axes.plot(
                series["threshold"],
                series[f"{column}_pct"],
                label="expected" if both and expected and index == 0 else
                (None if both and expected else name),
                color="black" if both and expected else style.color(index),
                linestyle="--" if both and expected else "-",
                linewidth=0.7 if both and expected else 1.1,
                marker=None if expected else style.marker(index),
                markersize=2.6,
                zorder=3 if both and expected else 2,
            )  # fmt: skip
    axes.set_xscale("log", base=2)
    axes.set_xlabel("degree threshold TH")
    axes.set_ylim(-2, 102)


def bands(axes, paper: PaperTable) -> None:
    """The ranges of TH that the paper's text names for its graph."""
    for name, label, shade in (
        ("threshold_suitable", "paper: suitable TH", "#E9E9E9"),
        ("threshold_best", "paper: best TH", "#CFCFCF"),
    ):
        span = paper_range(paper, name)
        if span:
            axes.axvspan(*span, color=shade, label=label, zorder=0, linewidth=0)


def paper_range(paper: PaperTable | None, name: str) -> tuple[float, float] | None:
    if paper is None:
        return None
    graph = paper.graphs[0]
    ends = [paper.cell(graph, f"{name}_{end}") for end in ("lowest", "highest")]
    return (float(ends[0]), float(ends[1])) if all(ends) else None


def caption_of(experiment: Experiment, frame: pd.DataFrame, paper: PaperTable | None) -> str:
    parts = [CAPTION, NO_CURVES if paper else ""]
    expected = frame[frame["method"] == "expect"]
    if not expected.empty:
        parts.append(
            "Expectations come from the generator's probabilities; no graph was generated for them."
        )
        parts.append(
            "Steps: degrees of RMAT graphs gather around a few values, each 3.17 times the next, "
            "so that all thresholds between two of these give the same shares."
        )
    counts = frame[frame["method"] == "count"]
    gap = distance(counts, expected)
    if gap is not None:
        parts.append(f"Count and expectation differ by {gap:.2f} percentage points at most.")
    if paper and paper.cell(paper.graphs[0], "edges_nn_limit"):
        parts.append(limits_sentence(frame, paper))
    parts.append(limit_by_graph(experiment, counts))
    note = stand_in_note(experiment, experiment.graph_order)
    if note:
        parts.append(
            f"{note} Half of the data set's vertices are isolated, and none of the stand-in's: "
            "its share of delegates is about twice what the data set's would be. The data set's "
            "degrees are not published: exponent and offset are ours, for degrees from a few to "
            "some thousands around the published average of 77, so compare shapes only."
        )
    return " ".join(p for p in parts if p)


def distance(counts: pd.DataFrame, expected: pd.DataFrame) -> float | None:
    """Largest difference of any share at one (graph, vertices, threshold), in percentage points."""
    keys = ["graph", "vertices", "threshold"]
    both = counts.merge(expected, on=keys, suffixes=("", "_expected"))
    if both.empty:
        return None
    columns = [f"{c}_pct" for c in CURVES]
    return max((both[c] - both[f"{c}_expected"]).abs().max() for c in columns)


def limit_by_graph(experiment: Experiment, counts: pd.DataFrame) -> str:
    """Up to which TH each graph that is not an RMAT graph keeps the paper's limit for nn edges."""
    named = []
    for graph in dict.fromkeys(counts["graph"]):
        if graph.startswith("kronecker:"):
            continue
        here = counts[counts["graph"] == graph]
        within = here[here["edges_nn_pct"] < 10]
        known = here.iloc[0]
        degree = known["edges"] / (known["vertices"] - known["isolated_vertices"])
        highest = f"TH = {within['threshold'].max()}" if len(within) else "no TH"
        name = graph_label(experiment, graph, " ")
        named.append(f"{highest} on {name} (average degree {degree:.0f})")
    if not named:
        return ""
    return f"nn edges stay under the paper's 10 % up to {', '.join(named)}."


def limits_sentence(frame: pd.DataFrame, paper: PaperTable) -> str:
    """Returns whether the paper's range meets its limits by our numbers for its graph, the
    largest."""
    largest = frame[frame["vertices"] == frame["vertices"].max()]
    low, high = paper_range(paper, "threshold_suitable") or (0, 0)
    inside = largest[(largest["threshold"] >= low) & (largest["threshold"] <= high)]
    if inside.empty:
        return ""
    worst = inside.loc[inside["edges_nn_pct"].idxmax()]
    most = inside.loc[inside["delegates_pct"].idxmax()]
    scale = scale_of(worst["vertices"])
    return (
        f"At scale {scale:.0f} the paper's range [{low:.0f}, {high:.0f}] has at most "
        f"{worst['edges_nn_pct']:.1f} % nn edges (its limit is 10 %) and "
        f"{most['delegates_pct']:.1f} % delegates (its limit, 4n/p, is 25 % with the 16 GPUs of "
        "Figure 6)."
    )


def finding(drawing: Drawing, experiments: list[Experiment]) -> str:
    frame = drawing.numbers.reset_index(drop=True)
    if frame.empty:
        return ""
    row = frame.loc[frame["edges"].idxmax()]
    here = frame[(frame["graph"] == row["graph"]) & (frame["case"] == row["case"])]
    low, high = here.loc[here["threshold"].idxmin()], here.loc[here["threshold"].idxmax()]
    method = "expected" if row["method"] == "expect" else "counted"
    delegates, normal = (
        [f"{number(end[column])} %" for end in (low, high)]
        for column in ("delegates_pct", "edges_nn_pct")
    )
    return (
        f"On {sentences.place(row)} the delegates are {delegates[0]} of the vertices with TH = "
        f"{low['threshold']:,} and {delegates[1]} with TH = {high['threshold']:,}, and the edges "
        f"between normal vertices are {normal[0]} and {normal[1]} of all, as {method}."
    )
