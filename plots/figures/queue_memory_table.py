# SPDX-License-Identifier: Apache-2.0
"""dfq Table II: queue memory of the centralized and the decentralized queue by scale."""

from __future__ import annotations

import pandas as pd

from .. import sentences, style
from ..cells import number
from ..drawing import Drawing
from ..load import Experiment
from ..paper import paper_for
from ..side_by_side import FLAG, FLAG_NOTE, paper_value
from ..table import Row, Table
from .queue_memory import HOW, numbers

CAPTION = (
    "Memory of the frontier queue in MB of 10^6 bytes, and its growth over the smallest scale. "
    "BASE is 4 bytes for every vertex that has an edge, which is what the paper's numbers prove "
    "to be; DFQ-G-2048 is 82 sub-queues of 2048 entries of 4 bytes. Counts are of Graph500's "
    "Kronecker graphs with our seed, expectations of any."
)
STATISTIC = "exact counts, expectations or allocated bytes, as marked, in MB of 10^6 bytes"
MEASURED = (
    " Measured is what the engine allocates for its queues on this GPU: two queues of BASE, a "
    "level's and the next's, each with an entry for every vertex, isolated or not, and a sub-queue "
    "for each CTA that this GPU runs at once."
)
WORDS = (("counted", "count"), ("expected", "expect"), ("measured", "measured"))
METHODS = {"BASE": "central", "DFQ-G-2048": "decentralized"}


def draw(experiments: list[Experiment]) -> list[Drawing]:
    experiment = experiments[0]
    frame = numbers(experiment)
    frame = frame[frame["scale"].notna() & frame["design"].isin(METHODS.values())]
    if frame.empty:
        figure = style.message_figure(f"{experiment.name}: no counts yet")
        return [Drawing("queue_memory_table", figure, frame, CAPTION)]
    paper = paper_for(experiment)
    scales = sorted(set(frame["scale"]))
    body, flagged, worst = [], False, 0.0
    for method, design in METHODS.items():
        body.append(Row([method]))
        cells = ["paper"]
        printed: dict[float, float] = {}
        for scale in scales:
            graph = f"graph500 scale {scale:.0f}"
            text, size = paper_value(paper, graph, "queue_memory", method)
            growth, _ = paper_value(paper, graph, "growth", method)
            flagged = flagged or FLAG in text + growth
            if size is not None and FLAG not in text:
                printed[scale] = size
            cells.append(f"{text} ({growth.replace(FLAG, '')} %{FLAG if FLAG in growth else ''})"
                         if growth else text)  # fmt: skip
        if any(cells[1:]):
            body.append(Row(cells, faint=set(range(1, len(cells)))))
        for word, kind in WORDS:
            rows = frame[(frame["design"] == design) & (frame["method"] == kind)]
            if rows.empty:
                continue
            by_scale = rows.drop_duplicates("scale").set_index("scale")["queue_bytes"] / 1e6
            body.append(Row([word, *(cell(by_scale, scale) for scale in scales)]))
            for scale, size in printed.items() if kind != "measured" else ():
                if scale in by_scale.index:
                    worst = max(worst, abs(by_scale[scale] / size - 1))
    names = [("Queue [MB]", 1)] + [(f"scale-{scale:.0f}", 1) for scale in scales]
    shape = Table([names], body, note=FLAG_NOTE if flagged else "")
    allocated = frame[frame["method"] == "measured"]
    caption = CAPTION + (MEASURED + growth_note(allocated) if len(allocated) else "")
    caption += deviation(worst, frame)
    drawing = Drawing("queue_memory_table", shape, with_growth(frame), caption)
    return [drawing]


def cell(by_scale: pd.Series, scale: float) -> str:
    if scale not in by_scale.index:
        return ""
    first = by_scale.loc[by_scale.index.min()]
    text = f"{by_scale[scale]:.2f}"
    if scale == by_scale.index.min():
        return text
    return f"{text} ({100 * (by_scale[scale] / first - 1):.0f} %)"


def growth_note(allocated: pd.DataFrame) -> str:
    """How much each allocated queue grew from the smallest scale to the largest."""
    words = []
    for method, design in METHODS.items():
        rows = allocated[allocated["design"] == design].sort_values("scale")
        if len(rows) > 1:
            times = rows.iloc[-1]["queue_bytes"] / rows.iloc[0]["queue_bytes"]
            words.append(f"{method} {times:.3g}-fold")
    return (
        f" It grew: {' and '.join(words)}, where the paper's BASE grew 190-fold." if words else ""
    )


def with_growth(frame: pd.DataFrame) -> pd.DataFrame:
    first = frame[frame["scale"] == frame["scale"].min()]
    base = first.drop_duplicates(["design", "method"]).set_index(["design", "method"])
    keys = pd.MultiIndex.from_frame(frame[["design", "method"]])
    start = base["queue_bytes"].reindex(keys).to_numpy()
    return frame.assign(growth_pct=100 * (frame["queue_bytes"] / start - 1))


def deviation(worst: float, frame: pd.DataFrame) -> str:
    if worst == 0:
        return ""
    text = f" The largest difference from the paper's numbers is {100 * worst:.1f} %"
    central = frame[(frame["design"] == "central") & (frame["method"] != "measured")]
    at_24 = central[central["scale"] == 24]
    if len(at_24):
        ratio = at_24.iloc[0]["queue_bytes"] / 1e6 / 18.44
        text += (
            ", its scale 24 apart: its 18.44 MB are about half of what 4 bytes per vertex give "
            f"({ratio:.2f} times as much), while its other scales have them"
        )
    return text + "."


def finding(drawing: Drawing, experiments: list[Experiment]) -> str:
    frame = drawing.numbers
    words = []
    for design, rows in frame.groupby("design", sort=False):
        of_design = []
        for method, here in rows.groupby("method", sort=False):
            sizes = here.sort_values("scale")["queue_bytes"] / 1e6
            first, last = number(sizes.iloc[0]), number(sizes.iloc[-1])
            grown = f"{first} MB" if first == last else f"from {first} to {last} MB"
            of_design.append(f"{grown} {HOW.get(method, method)}")
        words.append(f"the {design} queue takes {sentences.listed(of_design)}")
    if not words:
        return ""
    scales = f"From scale {frame['scale'].min():.0f} to {frame['scale'].max():.0f}"
    return f"{scales}, {'; '.join(words)}."
