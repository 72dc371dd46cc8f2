# SPDX-License-Identifier: Apache-2.0
"""cs406 Tables 6 to 9 and Figure 1: its methods on the GPU, over hybrid at one CPU thread."""

from __future__ import annotations

import pandas as pd

from .. import ratios, scaling, sentences, style
from ..drawing import Drawing
from ..labels import stand_in_note
from ..load import Experiment
from ..paper import PaperTable, paper_for
from ..side_by_side import FLAG, FLAG_NOTE, Column, Section, build, columns_for, paper_value

CAPTION = (
    "Time: median over sources of the median over repeats. Speed-up: over {baseline} on the same "
    "graph and machine, as the paper's is over its hybrid at one thread of a Xeon E5-2620 v4. "
    + ratios.SAID_IN_NUMBERS
    + "MTEPS, examined: adjacency entries read (counted in an instrumented run of the same source) "
    "over time, the paper's usual definition, which rewards wasted checks; MTEPS, component: "
    "edges of the traversed component over time; both harmonic means over sources. The paper's GPU "
    "is a GTX Titan X, and it starts N/1024 blocks of 1024 threads, which leaves the last vertices "
    "without a thread; ours are rounded up. "
)
STATISTIC = scaling.STATISTIC
FIGURE_1 = "The best of each column is in bold on grey (the paper marks its best in green). "
METRICS = [  # title, our column, the paper's metric, which is best
    ("Execution time [s]", "time_s", "time", min),
    ("Speed-up", "speedup", "speedup", max),
    *((title, ends, "", None) for title, ends in scaling.SPANS),
    ("MTEPS, edges examined / time", "mteps_examined", "mteps", None),
    ("MTEPS, component edges / time", "mteps_component", "", max),
]


def numbers(experiment: Experiment, paper: PaperTable | None) -> pd.DataFrame:
    """Ours as scaling.COLUMNS has them, and the paper's below, distinguished by `origin`."""
    ours = scaling.scaling(experiment).assign(origin="ours", note="")
    rows = []
    for method in paper.methods if paper else []:
        for graph in paper.graphs:
            row: dict = {"origin": "paper", "graph": graph, "method": method, "case": method}
            flags = []
            for _, column, metric, _ in METRICS:
                if not metric:
                    continue
                text = paper.cell(graph, metric, method)
                row[column] = float(text) if text not in ("", "-") else float("nan")
                if paper.flagged(graph, metric, method):
                    flags.append(metric)
            row["status"] = "ok" if row["time_s"] == row["time_s"] else ""
            row["note"] = f"inconsistent in the paper: {', '.join(flags)}" if flags else ""
            rows.append(row)
    return pd.concat([ours, pd.DataFrame(rows)], ignore_index=True) if rows else ours


def draw(experiments: list[Experiment]) -> list[Drawing]:
    experiment = experiments[0]
    paper = paper_for(experiment)
    frame = numbers(experiment, paper)
    baseline = experiment.spec.get("baseline") or "hybrid"
    ours = frame[frame["origin"] == "ours"]
    methods = list(dict.fromkeys(ours["method"]))
    note = stand_in_note(experiment, experiment.graph_order)
    several = len([m for m in methods if m != baseline]) > 1
    caption = CAPTION.format(baseline=baseline) + scaling.turned_note(frame)
    caption += (FIGURE_1 if several else "") + note
    if ours.empty:
        figure = style.message_figure(f"{experiment.name}: no rows yet")
        return [Drawing("cuda_methods", figure, frame, caption.strip())]

    cells = scaling.our_cells(frame)

    def section(title: str, column: str | tuple[str, str], metric: str, best) -> Section:
        def mine(graph: Column, keys: tuple[str, ...]):
            return scaling.our_value(cells, graph.ours, keys, column)

        def theirs(graph: Column, keys: tuple[str, ...]):
            return paper_value(paper, graph.paper, metric, keys[0]) if metric else ("", None)

        return Section(title, mine, theirs, best if several else None)

    shape = build(
        columns_for(experiment, paper),
        ["Method"],
        [(method,) for method in methods],
        [section(*metric) for metric in METRICS],
    )
    flagged = any(FLAG in cell for row in shape.rows for cell in row.cells)
    shape.note = " ".join(part for part in (note, FLAG_NOTE if flagged else "") if part)
    return [Drawing("cuda_methods", shape, frame, caption.strip())]


def finding(drawing: Drawing, experiments: list[Experiment]) -> str:
    frame = sentences.ours(drawing.numbers)
    baseline = experiments[0].spec.get("baseline") or "hybrid"
    others = frame[frame["case"] != baseline]
    return sentences.speedups(others.assign(case=others["method"]), sentences.faster(baseline))
