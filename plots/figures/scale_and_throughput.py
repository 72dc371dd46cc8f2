# SPDX-License-Identifier: Apache-2.0
"""scalable-bfs Figure 1: scale against processors, and throughput per processor, of large-scale
BFS as published, with our own rows if there are any."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from .. import sentences, stats, style
from ..cells import number, time_cell
from ..drawing import Drawing
from ..grouped_bars import hide_touching
from ..load import Experiment
from ..measures import scale_of
from ..paper import PaperTable, paper_table

COMBINES_MACHINES = True

CAPTION = (
    "Left: RMAT scale against the number of processors (GPUs, or CPUs as the paper counts them); "
    "right: throughput per processor. Published points are those that the paper's text and "
    "Table II print; its figure is an image with more points, which we do not guess. Numbers that "
    "would stand on one another are in the CSV alone. "
    "Published rates divide 16 x 2^N edges by the time; so do ours here, the geometric mean over "
    "sources of the median over repeats. "
)
OURS = (
    "Points of this program are labelled with case and machine; those of equal numbers of "
    "processors stand aside from one another. The published CPUs are sockets of 10 and 12 cores; "
    "ours are cores, as many as the engine has threads, since a "
    "virtual machine has a part of a socket. A GPU, or a thread that stands for one, is one. Our "
    "graphs are far smaller than most that are published. "
)
STATISTIC = (
    "ours: 16 x 2^N edges over the geometric mean over sources of the median time of the repeats; "
    "published points as printed"
)

COLUMNS = (
    "origin,machine,graph,series,work,kind,scale,processors,gteps,gteps_per_processor"
).split(",")
MARKERS = {True: {"GPU": "*", "CPU": "P"}, False: {"GPU": "o", "CPU": "X"}}  # by whether ours
OWN = "scalable-bfs"  # what the paper calls its own work, here by its short name
_ASIDE = 1.45  # between works of ours with as many processors
_LABEL = 1.3  # heights of two labels of one work, at least


@dataclass
class Point:
    work: str
    kind: str  # "GPU", "CPU"
    scale: float
    processors: float
    gteps: float
    ours: bool = False
    unit: str = ""  # what our processors are: "cores"
    machine: str = ""
    graph: str = ""
    series: str = ""


def published(paper: PaperTable | None) -> list[Point]:
    points = []
    if paper is None:
        return points
    for (method, graph), _ in paper.rows.groupby(["method", "graph"], sort=False):
        work, _, kind = method.rpartition(", ")
        values = [
            float(paper.cell(graph, m, method) or "nan") for m in ("scale", "processors", "gteps")
        ]
        points.append(Point(work, kind, *values))
    return points


def ours(experiment: Experiment) -> list[Point]:
    """Returns one point per graph and series. Only RMAT graphs have a scale."""
    points = []
    sizes = experiment.graphs.set_index("graph")["vertices"]
    timed = experiment.timed
    for graph in experiment.graph_order:
        if not graph.startswith("kronecker:") or graph not in sizes.index:
            continue
        vertices = float(pd.Series(sizes.loc[graph]).iloc[0])
        scale = scale_of(vertices)
        for series in dict.fromkeys(timed.loc[timed["graph"] == graph, "series"]):
            rows = experiment.timed_cell(graph, series)
            cell = time_cell(rows)
            first = rows.iloc[0]
            gpus = first["gpus_per_rank"]
            # Threads of an engine of the CPU; a distributed one has a thread for each GPU.
            each = gpus if gpus > 0 else first["threads"] if first["threads"] > 0 else 1
            processors = first["ranks"] * each
            unit = "core" if rows["gpu_ms"].isna().all() else "GPU"
            if not cell.ok or scale != scale:
                continue
            seconds = stats.mean_ratio(cell.by_invocation).value / 1e3
            name = f"{series} on {experiment.machine}"
            unit += "s" if processors > 1 else ""
            kind = "GPU" if unit.startswith("GPU") else "CPU"
            rate = 16 * vertices / seconds / 1e9
            points.append(
                Point(name, kind, scale, processors, rate, True, unit, experiment.machine, graph,
                      series)
            )  # fmt: skip
    return points


def draw(experiments: list[Experiment]) -> list[Drawing]:
    paper = paper_table(experiments[0].name)
    points = published(paper) + [p for e in experiments for p in ours(e)]
    frame = pd.DataFrame(
        [
            {
                "origin": "ours" if p.ours else "paper",
                "machine": p.machine,
                "graph": p.graph,
                "series": p.series,
                "work": p.work,
                "kind": p.kind,
                "scale": p.scale,
                "processors": p.processors,
                "gteps": p.gteps,
                "gteps_per_processor": p.gteps / p.processors,
            }
            for p in points
        ],
        columns=COLUMNS,
    )
    has_ours = any(p.ours for p in points)
    caption = CAPTION + (OURS if has_ours else "There are no rows of ours yet.")
    if points:
        figure = plotted(points)
    else:
        figure = style.message_figure(f"{experiments[0].name}: no rows yet")
    return [Drawing("scale_and_throughput", figure, frame, caption)]


def plotted(points: list[Point]) -> Figure:
    figure = style.new_figure(style.PAGE_IN, 3.9)
    left, right = figure.subplots(1, 2)
    for index, work in enumerate(dict.fromkeys(p.work for p in points)):
        plot_work(left, right, index, work, points)
    weak_scaling(left, points)
    left.set_ylabel("RMAT scale (annotated: GTEPS)")
    right.set_ylabel("GTEPS per processor (annotated: scale)")
    right.set_yscale("log")
    style.plain_log_ticks(right.yaxis)
    for axes in (left, right):
        axes.set_xscale("log")
        axes.margins(0.14)
        style.plain_log_ticks(axes.xaxis)
        axes.set_xlabel("processors (of ours: cores or GPUs)")
    left.yaxis.get_major_locator().set_params(integer=True)
    style.legend_above(figure, left, columns=3)
    for axes in (left, right):
        hide_touching(axes.texts)
    return figure


def plot_work(left: Axes, right: Axes, index: int, work: str, points: list[Point]) -> None:
    """Plots and annotates the points of one work, the `index`-th, on both axes."""
    here = [p for p in points if p.work == work]
    is_ours = here[0].ours
    unit = f"this program, {here[0].processors:g} {here[0].unit}" if is_ours else here[0].kind
    look = {
        "label": f"{work} ({unit})",
        "color": style.color(index),
        "marker": MARKERS[is_ours][here[0].kind],
        "linestyle": "none",
        "markersize": 6 if is_ours else 5.5,
        "markerfacecolor": style.color(index) if is_ours else "none",
    }
    if work == OWN:
        look |= {"markerfacecolor": style.color(index), "markersize": 3.5, "zorder": 3}
    rank, count = beside_of(work, points)
    at = [p.processors * _ASIDE ** (rank - (count - 1) / 2) for p in here]
    heights = [p.scale for p in here]
    rate = [p.gteps / p.processors for p in here]
    left.plot(at, heights, **look)
    right.plot(at, rate, **look)
    above = index % 2 == 1  # neighbouring labels alternate
    side = {0: "left", count - 1: "right"}.get(rank, "below") if is_ours else ""
    shared = not is_ours and work != OWN and any(at_the_place_of_own(p, points) for p in here)
    rates = [f"{p.gteps:.3g}" for p in here]
    annotate(left, at, heights, rates, above, "beyond" if shared else side)
    side = "left" if work == OWN else side
    texts = [f"{p.scale:.0f}" for p in here]
    annotate(right, at, rate, apart(rate, texts) if is_ours else texts, not above, side)


def beside_of(work: str, points: list[Point]) -> tuple[int, int]:
    """Returns the place of a work of ours among our works with the same number of processors, and
    their number."""
    ours = {p.work: p.processors for p in points if p.ours}
    same = [name for name, processors in ours.items() if processors == ours.get(work)]
    return (same.index(work), len(same)) if work in same else (0, 1)


def apart(heights: list[float], texts: list[str]) -> list[str]:
    """Texts without those that would stand on another, the last one first."""
    kept: list[float] = []
    shown = []
    for height, text in zip(reversed(heights), reversed(texts), strict=True):
        far = all(max(height, other) / min(height, other) > _LABEL for other in kept)
        kept += [height] if far else []
        shown.append(text if far else "")
    return shown[::-1]


def at_the_place_of_own(point: Point, points: list[Point]) -> bool:
    """Returns whether the paper's own work has as many processors and the same scale."""
    place = (point.processors, point.scale)
    return any(p.work == OWN and (p.processors, p.scale) == place for p in points)


def annotate(axes, at: list[float], heights: list[float], texts: list[str], above: bool,
             side: str) -> None:  # fmt: skip
    offsets = {"right": (5, -2), "left": (-5, -2), "below": (0, -10), "beyond": (-2, 10)}
    for x, y, text in zip(at, heights, texts, strict=True):
        axes.annotate(
            text,
            (x, y),
            xytext=offsets.get(side, (0, 5 if above else -10)),
            textcoords="offset points",
            ha={"right": "left", "left": "right", "beyond": "right"}.get(side, "center"),
            fontsize=style.pt(5.5),
        )


def weak_scaling(axes, points: list[Point]) -> None:
    """The line of graphs that grow with the processors, through the paper's largest run."""
    own = [p for p in points if p.work == OWN]
    if not own:
        return
    top = max(own, key=lambda p: p.scale)
    low = top.scale - 8
    axes.plot(
        [top.processors / 2**8, top.processors, top.processors * 2**6],
        [low, top.scale, top.scale + 6],
        color="#7A7A7A",
        linestyle="--",
        linewidth=0.7,
        label=f"weak scaling of {OWN}",
        zorder=1,
    )


def finding(drawing: Drawing, experiments: list[Experiment]) -> str:
    frame = drawing.numbers
    words = []
    for kind, rows in sentences.ours(frame).groupby("kind", sort=False):
        top = rows.loc[rows["gteps"].idxmax()]
        unit = "GPU" if kind == "GPU" else "core"
        words.append(
            f"{number(top['gteps'])} GTEPS on {sentences.several(int(top['processors']), unit)} "
            f"({sentences.name(top['work'])}, scale {top['scale']:g})"
        )
    parts = []
    if words:
        parts.append(f"Ours reach {sentences.listed(words)}, by geometric means over sources")
    theirs = frame[frame["origin"] == "paper"]
    if len(theirs):
        top = theirs.loc[theirs["gteps_per_processor"].idxmax()]
        most = f"{number(top['gteps_per_processor'])} GTEPS ({top['work']})"
        parts.append(f"the most that is published for one processor is {most}")
    return f"{sentences.capital('; '.join(parts))}." if parts else ""
