# SPDX-License-Identifier: Apache-2.0
"""scalable-bfs Table II: rates of published systems, each with its source, and of this program."""

from __future__ import annotations

import pandas as pd

from .. import sentences, style
from ..cells import number
from ..distributed import RATES, failures, hardware, points
from ..drawing import Drawing
from ..load import Experiment
from ..paper import PaperTable, is_flag, paper_table
from ..table import Row, Table

CAPTION = (
    "Rates of published systems on RMAT graphs, each as its source prints it, and of this program. "
    "They ran on different hardware in different years, so the rate of each processor compares "
    "better than the rate. Systems marked CPU count CPUs, all others GPUs. "
)
STATISTIC = (
    "ours: geometric mean over sources of edges over the median of the repeats; others as printed"
)
FLAG = "\u2020"
FLAG_NOTE = f"{FLAG} The source contradicts itself: see the CSV."
SOURCE_OF_OURS = "this experiment"
COLUMNS = (
    "origin,machine,system,scale,hardware,link,processors,gteps_paper,gteps_component,"
    "gteps_per_processor,status,note"
).split(",")


def published(paper: PaperTable | None) -> list[dict]:
    """One row per (system, scale); a note is "hardware; link; source"."""
    rows = []
    if paper is None:
        return rows
    for (system, graph), _ in paper.rows.groupby(["method", "graph"], sort=False):
        printed = paper.rows[(paper.rows["method"] == system) & (paper.rows["graph"] == graph)]
        facts = printed.set_index("metric")
        machine, link, note = (part.strip() for part in facts.loc["gteps", "note"].split(";", 2))
        processors = float(facts.loc["processors", "value"])
        rate = float(facts.loc["gteps", "value"])
        rows.append(
            {
                "origin": "paper",
                "system": system,
                "scale": float(graph.rsplit(" ", 1)[1]),
                "hardware": machine,
                "link": link,
                "processors": processors,
                "gteps_paper": rate,
                "gteps_per_processor": rate / processors,
                "status": "ok",
                "note": "; ".join([note, facts.loc["processors", "note"]]).strip("; "),
            }
        )
    return rows


def numbers(experiment: Experiment, paper: PaperTable | None) -> pd.DataFrame:
    rows = published(paper)
    frame = points(experiment)
    for row in frame[frame["scale"].notna()].to_dict("records"):
        rows.append(
            {
                "origin": "ours",
                "machine": experiment.machine,
                "system": row["variant"],
                "scale": row["scale"],
                "hardware": f"{hardware(row['ranks'], row['gpus_per_rank'])} of "
                f"{experiment.machine}",
                "link": "one host",
                "processors": row["gpus"],
                "gteps_paper": row["gteps_paper"],
                "gteps_component": row["gteps_component"],
                "gteps_per_processor": row["gteps_paper"] / row["gpus"],
                "status": row["status"],
                "note": row["note"] or SOURCE_OF_OURS,
            }
        )
    return pd.DataFrame(rows, columns=COLUMNS)


def draw(experiments: list[Experiment]) -> list[Drawing]:
    experiment = experiments[0]
    frame = numbers(experiment, paper_table("scalable-bfs-table_ii"))
    caption = (CAPTION + RATES + failures(points(experiment))).strip()
    if frame.empty:
        figure = style.message_figure(f"{experiment.name}: no rows yet")
        return [Drawing("published_systems", figure, frame, caption)]
    shape = layout(experiment, frame)
    return [Drawing("published_systems", shape, frame, caption)]


def layout(experiment: Experiment, frame: pd.DataFrame) -> Table:
    header = [
        ("System", 1), ("Scale", 1), ("Hardware", 1), ("Link", 1), ("Source", 1),
        ("Processors", 1), ("GTEPS,\n16 x 2^N", 1), ("GTEPS,\ncomponent", 1),
        ("GTEPS of a\nprocessor", 1),
    ]  # fmt: skip
    body = []
    theirs = frame[frame["origin"] == "paper"]
    if len(theirs):
        body.append(Row(["Published"]))
    for row in theirs.itertuples(index=False):
        mark = FLAG if is_flag(row.note) else ""
        cells = [row.system, f"{row.scale:g}", row.hardware, row.link, row.note.split(";")[0],
                 f"{row.processors:g}{mark}", number(row.gteps_paper, 5), "",
                 number(row.gteps_per_processor)]  # fmt: skip
        body.append(Row(cells, faint=set(range(5, 9))))
    own = frame[frame["origin"] == "ours"]
    if len(own):
        body.append(Row([f"This program, on {experiment.machine}"]))
    for row in own.itertuples(index=False):
        good = row.status == "ok"
        cells = [row.system, f"{row.scale:g}", row.hardware, row.link,
                 SOURCE_OF_OURS, f"{row.processors:g}",
                 number(row.gteps_paper) if good else row.status.upper(),
                 number(row.gteps_component) if good else "",
                 number(row.gteps_per_processor) if good else ""]  # fmt: skip
        body.append(Row(cells))
    flagged = any(is_flag(note) for note in theirs["note"])
    return Table([header], body, text_columns=5, note=FLAG_NOTE if flagged else "")


def finding(drawing: Drawing, experiments: list[Experiment]) -> str:
    frame = drawing.numbers
    mine = sentences.ours(frame)
    mine = mine[mine["gteps_per_processor"].notna()].reset_index(drop=True)
    if mine.empty:
        return ""
    top = mine.loc[mine["gteps_per_processor"].idxmax()]
    text = (
        f"The highest rate of a processor here is {number(top['gteps_per_processor'])} GTEPS, of "
        f"{sentences.name(top['system'])} at scale {top['scale']:g} on {top['hardware']}, by the "
        "geometric mean over sources"
    )
    theirs = frame[frame["origin"] == "paper"].reset_index(drop=True)
    if theirs.empty:
        return f"{text}."
    most = theirs.loc[theirs["gteps_per_processor"].idxmax()]
    return (
        f"{text}, and the highest that is printed of another is "
        f"{number(most['gteps_per_processor'])}, of {most['system']}."
    )
