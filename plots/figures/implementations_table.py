# SPDX-License-Identifier: Apache-2.0
"""cs406 Table 10: every CPU method at every thread count, the best marked."""

from __future__ import annotations

import pandas as pd

from .. import ratios, scaling, style, table
from ..drawing import Drawing
from ..labels import stand_in_note
from ..load import Experiment
from ..paper import PaperTable, paper_for
from ..side_by_side import FLAG, FLAG_NOTE, Column, Section, build, columns_for, paper_value
from .thread_scaling import APART, with_paper

CAPTION = (
    "Every CPU method at every thread count. Time: median over sources of the median over "
    "repeats. Speed-up: over {baseline} at one thread on the same graph and machine. "
    + ratios.SAID_IN_NUMBERS
    + "The best of each column is in bold on grey (the paper marks its best in green). Failures "
    "are shown in their cells; the paper has a dash there."
)
STATISTIC = f"time: median over sources of the median over repeats; speed-up: {ratios.IN_NUMBERS}"


def draw(experiments: list[Experiment]) -> list[Drawing]:
    experiment = experiments[0]
    paper = paper_for(experiment)
    ours = scaling.scaling(experiment)
    present = list(dict.fromkeys(ours["method"]))
    methods = [m for m in (paper.methods if paper else []) if m in present]
    methods += [m for m in present if m not in methods]
    numbers = with_paper(ours, methods, paper)
    note = stand_in_note(experiment, experiment.graph_order)
    parts = (
        CAPTION.format(baseline=experiment.spec.get("baseline") or "hybrid"),
        APART if paper else "",
        scaling.turned_note(numbers).strip(),
        note,
    )
    caption = " ".join(part for part in parts if part)
    if not present:
        figure = style.message_figure(f"{experiment.name}: no rows yet")
        return [Drawing("implementations_table", figure, numbers, caption)]
    shape = _table(experiment, paper, methods, numbers)
    flagged = any(FLAG in cell for row in shape.rows for cell in row.cells)
    shape.note = " ".join(part for part in (note, FLAG_NOTE if flagged else "") if part)
    return [
        Drawing(
            "implementations_table",
            shape,
            numbers,
            caption,
        )
    ]


def _table(
    experiment: Experiment, paper: PaperTable | None, methods: list[str], numbers: pd.DataFrame
) -> table.Table:
    rows = [
        (method, f"t={threads}")
        for method in methods
        for threads in sorted(set(numbers.loc[numbers["method"] == method, "threads"].astype(int)))
    ]
    cells = scaling.our_cells(numbers)

    def section(title: str, column: str | tuple[str, str], metric: str, best) -> Section:
        def our_value(graph: Column, keys: tuple[str, ...]):
            return scaling.our_value(cells, graph.ours, keys, column)

        def papers_value(graph: Column, keys: tuple[str, ...]):
            if not metric:
                return "", None
            return paper_value(paper, graph.paper, metric, keys[0], int(keys[1][2:]))

        return Section(title, our_value, papers_value, best)

    sections = [
        section("Execution time [s]", "time_s", "time", min),
        section("Speed-up", "speedup", "speedup", max),
        *(section(title, ends, "", None) for title, ends in scaling.SPANS),
    ]
    return build(columns_for(experiment, paper), ["Method", "Threads"], rows, sections)


def finding(drawing: Drawing, experiments: list[Experiment]) -> str:
    return scaling.threads_sentence(drawing.numbers, experiments[0])
