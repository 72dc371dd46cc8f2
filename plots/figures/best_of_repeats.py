# SPDX-License-Identifier: Apache-2.0
"""The rule of published comparisons: best of the repeats of each source, median over sources."""

from __future__ import annotations

import pandas as pd

from .. import sentences, stats, style
from ..cells import number, time_cell
from ..drawing import Drawing
from ..labels import graph_label, stand_in_note
from ..load import Experiment
from ..table import Row, Table

COMBINES_MACHINES = True

CAPTION = (
    "Best of the repeats of each source, then the median over sources (with its 95 % interval "
    "where there are four sources or more), and GTEPS: the harmonic mean over "
    "sources of the component's undirected edges over the best time, with its standard error. "
    "The best of several flatters every code alike: compare it only with numbers obtained the same "
    "way."
)
STATISTIC = (
    "time [ms]: best of the repeats of each source, median over sources; GTEPS: harmonic mean "
    "over sources"
)
BEST = "median over sources of the best of the repeats"
COLUMNS = (
    "machine,graph,stand_in_for,series,sources,status,best_median_ms,low95_ms,high95_ms,gteps,"
    "gteps_standard_error"
).split(",")


def numbers(experiment: Experiment) -> pd.DataFrame:
    rows = []
    for graph in experiment.graph_order:
        for series in experiment.series_order:
            here = experiment.timed_cell(graph, series)
            if here.empty:
                continue
            cell = time_cell(here, "best")
            row = {
                "machine": experiment.machine,
                "graph": graph,
                "stand_in_for": experiment.stand_in_for(graph),
                "series": series,
                "sources": len(cell.times_ms),
                "status": cell.failure.lower() or ("ok" if cell.ok else ""),
            }
            if cell.ok:
                edges = here.groupby("source")["component_edges"].first()
                known = edges[edges > 0].index.intersection(cell.times_ms.index)
                rate = edges[known] / (cell.times_ms[known] * 1e6)
                median = stats.median_time(cell.times_ms)
                row |= {
                    "best_median_ms": median.value,
                    "low95_ms": median.low,
                    "high95_ms": median.high,
                    "gteps": stats.harmonic_mean(rate),
                    "gteps_standard_error": stats.harmonic_standard_error(rate),
                }
            rows.append(row)
    return pd.DataFrame(rows, columns=COLUMNS)


def draw(experiments: list[Experiment]) -> list[Drawing]:
    frame = pd.concat([numbers(e) for e in experiments], ignore_index=True)
    caption = " ".join(
        p for p in (CAPTION, stand_in_note(experiments[0], experiments[0].graph_order)) if p
    )
    if frame.empty:
        figure = style.message_figure(f"{experiments[0].name}: no rows yet")
        return [Drawing("best_of_repeats", figure, frame, caption)]
    return [Drawing("best_of_repeats", shown(experiments[0], frame), frame, caption)]


def shown(experiment: Experiment, frame: pd.DataFrame) -> Table:
    """A section per graph, in which the shortest time of each machine is bold."""
    several = len(set(frame["machine"])) > 1
    body = []
    for graph in dict.fromkeys(frame["graph"]):
        body.append(Row([graph_label(experiment, graph, " ")]))
        rows = frame[frame["graph"] == graph]
        good = rows[rows["status"] == "ok"]
        best = set(good.groupby("machine")["best_median_ms"].idxmin())
        for index, row in rows.iterrows():
            cells = [row["series"], str(row["sources"]), *measured(row)]
            cells = [row["machine"], *cells] if several else cells
            bold = {len(cells) - 3} if index in best and len(good) > 1 else set()
            body.append(Row(cells, bold))
    heads = ["Configuration", "Sources", "Time [ms]", "95 % interval [ms]",
             "GTEPS ± standard error"]  # fmt: skip
    heads = ["Machine", *heads] if several else heads
    return Table([[(name, 1) for name in heads]], body, text_columns=1 + several)


def measured(row: pd.Series) -> list[str]:
    """The cells of time, interval and rate."""
    if row["status"] != "ok":
        return [row["status"].upper(), "", ""]
    low, high, rate, error = (
        row[name] for name in ("low95_ms", "high95_ms", "gteps", "gteps_standard_error")
    )
    return [
        number(row["best_median_ms"]),
        f"{number(low)} - {number(high)}" if low == low else "",
        number(rate) + (f" ± {number(error, 2)}" if error == error else ""),
    ]


def finding(drawing: Drawing, experiments: list[Experiment]) -> str:
    paired = sentences.pairs(experiments, "best")
    return sentences.best(drawing.numbers, "best_median_ms", "series", BEST, paired=paired)
