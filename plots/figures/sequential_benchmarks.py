# SPDX-License-Identifier: Apache-2.0
"""cs406 Table 1: the best sequential implementation against a sequential benchmark."""

from __future__ import annotations

import math

import pandas as pd

from .. import ratios, sentences, style
from ..cells import number, time_cell
from ..drawing import Drawing
from ..grouped_bars import PAPER, Bar
from ..grouped_bars import draw as draw_bars
from ..labels import graph_label, stand_in_note, wrapped
from ..load import Experiment
from ..paper import paper_for
from ..side_by_side import Column, Section, build, columns_for, paper_value

CAPTION = (
    "The best implementation at one thread (hybrid, as in the paper) against a sequential "
    "benchmark. The paper does not say whose code its benchmark is; ours is the textbook "
    "algorithm of its section 3 (engine sequential). Time: median over sources of the median "
    "over repeats. The ratio benchmark / hybrid does not depend on the unit, only on graph and "
    "machine; above 1 hybrid is faster. {flagship}"
    + ratios.SAID_IN_NUMBERS
    + "The figure draws every source beside the mean; the paper's ratio is one of two times that "
    "it prints."
)
STATISTIC = f"ours: {ratios.STATISTIC}; the paper's: ratio of the times that it prints"
STATISTIC_OF_TABLE = (
    f"time: median over sources of the median over repeats; ratio: {ratios.IN_NUMBERS}"
)

# The paper's words, and the engines that they mean. Older rows have no engine cs406-cpu: in them
# the implementation is the engine hybrid, which otherwise is a line of its own.
BENCHMARK, IMPLEMENTATION, FLAGSHIP = "Given benchmark", "Our implementation", "Flagship hybrid"
RATIO = "Benchmark / implementation"
RATIO_OF_FLAGSHIP = "Benchmark / flagship hybrid"
RATIOS = {IMPLEMENTATION: RATIO, FLAGSHIP: RATIO_OF_FLAGSHIP}
FLAGSHIP_NOTE = "The flagship hybrid is the engine hybrid, another algorithm than the paper's. "
SPANS = {  # what the table prints below the ratio, and the columns of its two ends
    "its 95 % interval": ("low95", "high95"),
    "least to most of the sources": ("min", "max"),
}
COLUMNS = [
    *("origin", "graph", "stand_in_for", "row", "engine", "status", "value", "unit"),
    *(name for name in ratios.COLUMNS if name != "speedup"),  # the value of the row RATIO
]


def engines_of(experiment: Experiment) -> dict[str, str]:
    """The engine of each row of times."""
    present = set(experiment.runs["engine"])
    if "cs406-cpu" not in present:
        return {BENCHMARK: "sequential", IMPLEMENTATION: "hybrid"}
    flagship = {FLAGSHIP: "hybrid"} if "hybrid" in present else {}
    return {BENCHMARK: "sequential", IMPLEMENTATION: "cs406-cpu", **flagship}


def our_numbers(experiment: Experiment, engines: dict[str, str]) -> list[dict]:
    timed = experiment.timed[experiment.timed["threads"] == 1]
    rows = []
    for graph in experiment.graph_order:
        here = timed[timed["graph"] == graph]
        row = {"origin": "ours", "graph": graph, "stand_in_for": experiment.stand_in_for(graph)}
        cells = {name: time_cell(here[here["engine"] == e]) for name, e in engines.items()}
        for name, cell in cells.items():
            status = cell.failure.lower() or ("ok" if cell.ok else "")
            time = {"status": status, "value": cell.median_ms / 1e3, "unit": "s"}
            rows.append({**row, "row": name, "engine": engines[name], **time})
        for name in (name for name in RATIOS if name in cells):
            pair = [cells[BENCHMARK], cells[name]]
            compared = ratios.compared(*pair)
            failures = (cell.failure.lower() for cell in pair)
            status = next(filter(None, failures), "ok" if len(compared["by_source"]) else "")
            ratio = {"row": RATIOS[name], "status": status, "value": compared.pop("speedup")}
            rows.append({**row, "engine": "", **ratio, "unit": "", **compared})
    return rows


def numbers(experiment: Experiment) -> pd.DataFrame:
    rows = our_numbers(experiment, engines_of(experiment))
    paper = paper_for(experiment)
    for graph in paper.graphs if paper else []:
        values = []
        for name in (BENCHMARK, IMPLEMENTATION):
            text = paper.cell(graph, "time", name)
            values.append(float(text) if text not in ("", "-") else float("nan"))
            rows.append(
                {"origin": "paper", "graph": graph, "row": name, "value": values[-1], "unit": "s"}
            )
        rows.append(
            {"origin": "paper", "graph": graph, "row": RATIO, "value": values[0] / values[1]}
        )
    return pd.DataFrame(rows, columns=COLUMNS)


def draw(experiments: list[Experiment]) -> list[Drawing]:
    experiment = experiments[0]
    paper = paper_for(experiment)
    frame = numbers(experiment)
    engines = engines_of(experiment)
    note = stand_in_note(experiment, experiment.graph_order)
    flagship = FLAGSHIP_NOTE if FLAGSHIP in engines else ""
    caption = f"{CAPTION.format(flagship=flagship)} {note}".strip()
    if experiment.timed.empty:
        figure = style.message_figure(f"{experiment.name}: no rows yet")
        return [Drawing("sequential_benchmarks", figure, frame, caption)]

    def value(origin: str, graph: str, row: str) -> tuple[str, float | None]:
        name = RATIO if row in SPANS else row
        hit = frame[
            (frame["origin"] == origin) & (frame["graph"] == graph) & (frame["row"] == name)
        ]
        if hit.empty:
            return "", None
        found = hit.iloc[0]
        if row in SPANS:
            return ratios.span_text(*(found[end] for end in SPANS[row])), None
        if not math.isnan(found["value"]):
            return number(found["value"]), float(found["value"])
        status = str(found["status"])
        return (status.upper() if status not in ("ok", "nan", "") else ""), None

    def ours(column: Column, keys: tuple[str, ...]):
        return value("ours", column.ours, keys[0])

    def theirs(column: Column, keys: tuple[str, ...]):
        if keys[0] in RATIOS.values() or keys[0] in SPANS:
            return value("paper", column.paper, keys[0])
        return paper_value(paper, column.paper, "time", keys[0])

    columns = columns_for(experiment, paper)
    flagship_ratio = [RATIO_OF_FLAGSHIP] if FLAGSHIP in engines else []
    lines = [(name,) for name in (*engines, RATIO, *SPANS, *flagship_ratio)]
    shape = build(columns, ["Time [s]"], lines, [Section("", ours, theirs)])
    shape.note = note
    return [
        Drawing("sequential_benchmarks", lambda: bars(experiment, frame, columns), frame, caption),
        Drawing("sequential_benchmarks_table", shape, frame, caption, STATISTIC_OF_TABLE),
    ]  # fmt: skip


def bars(experiment: Experiment, frame: pd.DataFrame, columns: list[Column]):
    """Benchmark / implementation, ours with its sources and the paper's."""
    figure = style.new_figure(style.PAGE_IN, 2.8)
    axes = figure.subplots()
    found = frame.set_index(["origin", "graph", "row"]).to_dict("index")

    def bar(origin: str, graph: str, name: str = RATIO) -> Bar | None:
        row = found.get((origin, graph, name))
        if row is None or (origin == "paper" and math.isnan(row["value"])):
            return None
        if origin == "paper":
            return Bar(row["value"])
        each = tuple(ratios.each_source(row["by_source"]))
        return Bar(row["value"], row["low95"], row["high95"], row["status"], each)

    series = {
        "ours": [bar("ours", column.ours) for column in columns],
        PAPER: [bar("paper", column.paper) for column in columns],
        "flagship hybrid": [bar("ours", column.ours, RATIO_OF_FLAGSHIP) for column in columns],
    }
    series = {name: bars for name, bars in series.items() if name == "ours" or any(bars)}
    names = [
        graph_label(experiment, c.ours) if c.ours else f"{c.paper}\n(not run here)" for c in columns
    ]
    stand = draw_bars(axes, [wrapped(name, 15) for name in names], series, foot=1)
    for name, places in stand.items():
        for x, one in zip(places, series[name], strict=True):
            if one and not math.isnan(one.value):
                axes.annotate(number(one.value), (x, max(one.top, 1)), ha="center", va="bottom",
                              fontsize=style.pt(6), xytext=(0, 1.5),
                              textcoords="offset points")  # fmt: skip
    axes.margins(y=0.1)
    style.ratio_axis(axes)
    axes.set_ylabel("time of benchmark /\ntime of hybrid, 1 thread")
    style.legend_above(figure, axes, columns=3)
    return figure


def finding(drawing: Drawing, experiments: list[Experiment]) -> str:
    frame = sentences.ours(drawing.numbers)
    rows = frame[frame["row"] == RATIO]
    rows = rows.rename(columns={"value": "speedup"}).assign(case="the hybrid on one thread")
    return sentences.speedups(rows, sentences.faster("the sequential benchmark"))
