# SPDX-License-Identifier: Apache-2.0
"""xbfs Table 2: times of XBFS, of Enterprise and of its peers, and XBFS's speed-ups over them."""

from __future__ import annotations

import pandas as pd

from .. import ratios, sentences, style
from ..cells import Cell, number
from ..drawing import Drawing
from ..labels import graph_name, stand_in_note
from ..load import Experiment
from ..paper import PaperTable, paper_for
from ..ratios import estimate_text
from ..side_by_side import FLAG, FLAG_NOTE
from ..speedups import ALL, cells
from ..table import Row, Table
from ..xbfs import our_row

SUBJECT = "XBFS"
PEERS = ("Enterprise", "Tigr", "Gunrock", "Ligra")
CAPTION = (
    "Time in ms, and in parentheses how many times as fast XBFS is on that graph. Ours: times are "
    "medians over sources of the median over repeats, ratios the geometric means over sources of "
    "the ratio of the two times of one source; how many sources the paper ran is not said. Our "
    "averages are over the graphs that all have run, which weigh the same, each with its "
    "bootstrapped 95 % interval. The paper's averages are arithmetic means of its cells, as those "
    "of the claims are; from its cells Ligra's comes to 6.36, where it prints 6.1. The paper's "
    "times are of a Quadro P6000 (Ligra: 24 cores of a Xeon 8175M), so "
    "times do not compare and ratios do. The paper does not say whether its Gunrock changes "
    "directions: ours does, except in the column that says top-down. Our Enterprise is as "
    "its paper describes it, and our faster form is in the column that says tuned; the columns of "
    "codes that were not measured here are empty. "
)
STATISTIC = (
    "time [ms]: median over sources of the median over repeats; ratios: geometric means over "
    "sources, source by source; averages over graphs: geometric and arithmetic, with bootstrapped "
    "95 % intervals"
)
REIMPLEMENTED = (
    "Of {names} ours are reimplementations: the published methods in our code, not the authors' "
    "programs. "
)
REIMPLEMENTED_HEAD = "\nours: reimplemented"
NOTE_OF_CASE = "(reimplemented)"
COLUMNS = (
    "origin,machine,graph,stand_in_for,paper_name,method,status,sources,time_ms,"
    f"{','.join(ratios.COLUMNS)},reason"
).split(",")


def method_of(case: str) -> str:
    """The column of a case: a name that it begins with, and what follows a comma.

    >>> method_of("Ligra (reimplemented)"), method_of("Gunrock (reimplemented), top-down")
    ("Ligra", "Gunrock, top-down")
    """
    named = next((name for name in (SUBJECT, *PEERS) if case.startswith(name)), "")
    variant = case.partition(", ")[2]
    return f"{named}, {variant}" if named and variant else named


def columns(frame: pd.DataFrame) -> list[str]:
    """The paper's columns, each followed by its variants that were measured here."""
    measured = list(dict.fromkeys(frame["method"]))
    return [
        column
        for name in PEERS
        for column in (name, *(m for m in measured if m.startswith(f"{name}, ")))
    ]


def numbers(experiment: Experiment) -> pd.DataFrame:
    """One row per (graph, method); `speedup` and the columns beside it are the method's time over
    XBFS's, source by source (plots.ratios), NaN where one of the two has failed."""
    measured: dict[tuple[str, str], Cell] = {}
    for (graph, case), cell in cells(experiment).items():
        if method_of(case):
            measured.setdefault((graph, method_of(case)), cell)
    rows = []
    for (graph, method), cell in measured.items():
        rows.append(
            {
                **our_row(experiment, graph),
                "method": method,
                "status": cell.failure.lower() or ("ok" if cell.ok else ""),
                "sources": len(cell.times_ms),
                "time_ms": cell.median_ms,
                **ratios.compared(cell, measured.get((graph, SUBJECT), Cell())),
                "reason": cell.reason,
            }
        )
    return pd.DataFrame(rows, columns=COLUMNS)


def printed(paper: PaperTable | None) -> pd.DataFrame:
    """The paper's cells in the same shape."""
    rows = []
    times = paper.rows[paper.rows["metric"] == "time"] if paper else pd.DataFrame()
    for _, row in times.iterrows():
        subject = float(paper.cell(row["graph"], "time", SUBJECT))
        time = float(row["value"] or "nan")
        rows.append(
            {
                "origin": "paper",
                "graph": row["graph"],
                "paper_name": row["graph"],
                "method": row["method"],
                "status": "ok" if row["value"] else row["note"].split(":")[0].lower(),
                "time_ms": time,
                "speedup": time / subject,
                "reason": row["note"],
            }
        )
    return pd.DataFrame(rows, columns=COLUMNS)


def draw(experiments: list[Experiment]) -> list[Drawing]:
    experiment = experiments[0]
    paper = paper_for(experiment)
    ours, theirs = numbers(experiment), printed(paper)
    ours_of = reimplemented(experiment)
    caption = CAPTION + (REIMPLEMENTED.format(names=", ".join(ours_of)) if ours_of else "")
    caption += stand_in_note(experiment, list(dict.fromkeys(ours["graph"])))
    caption = caption.strip()
    if ours.empty:
        figure = style.message_figure(f"{experiment.name}: no rows yet")
        return [Drawing("runtime_table", figure, ours, caption)]
    shape = shaped(ours, theirs, paper, ours_of)
    frame = ours if theirs.empty else pd.concat([ours, theirs], ignore_index=True)
    return [Drawing("runtime_table", shape, frame, caption)]


def reimplemented(experiment: Experiment) -> list[str]:
    """The columns whose case says so."""
    cases = [case for case in experiment.case_order if NOTE_OF_CASE in case]
    named = {method_of(case).partition(", ")[0] for case in cases}
    return [name for name in PEERS if name in named]


def shaped(ours: pd.DataFrame, theirs: pd.DataFrame, paper: PaperTable | None,
           ours_of: list[str]) -> Table:  # fmt: skip
    """The paper's graphs in its order, ours below each; our other graphs; the averages."""
    body: list[Row] = []
    methods = columns(ours)
    for name in dict.fromkeys(theirs["graph"]):
        body.append(line(f"{name}, paper", theirs[theirs["graph"] == name], methods, paper))
        same = ours[ours["paper_name"] == name]
        body += [our_line(same, graph, "  ", methods) for graph in dict.fromkeys(same["graph"])]
    others = ours[~ours["paper_name"].isin(set(theirs["graph"]))]
    if len(theirs) and len(others):
        body.append(Row(["Not of the paper"]))
    body += [our_line(others, graph, "", methods) for graph in dict.fromkeys(others["graph"])]
    body.append(Row(["Average speed-up"]))
    peers = [method for method in methods if method in set(ours["method"])]
    graphs = list(dict.fromkeys(ours["graph"]))
    for kind in (ratios.GEOMETRIC, ratios.ARITHMETIC):
        mean = ratios.average(ours.assign(case=ours["method"]), graphs, peers, kind)
        texts = [estimate_text(mean.of[m]) if m in mean.of else "" for m in methods]
        body.append(Row([f"ours, {kind} mean of {len(mean.graphs)}", "-", *texts]))
    note = ""
    if paper:
        body.append(average_line("paper, arithmetic mean of its cells", theirs, methods))
        cells_printed = ["paper, as printed", "-"]
        for method in methods:
            flag = FLAG if paper.flagged(ALL, "speedup", method) else ""
            cells_printed.append(f"{paper.cell(ALL, 'speedup', method)}{flag}")
        note = FLAG_NOTE if any(FLAG in text for text in cells_printed) else ""
        body.append(Row(cells_printed, faint=set(range(1, len(cells_printed)))))
    header = [("Graph", 1)]
    for name in (SUBJECT, *methods):
        header.append(
            (f"{name} [ms]" + (REIMPLEMENTED_HEAD if name.partition(", ")[0] in ours_of else ""), 1)
        )
    return Table([header], body, note=note)


def our_line(rows: pd.DataFrame, graph: str, indent: str, methods: list[str]) -> Row:
    here = rows[rows["graph"] == graph]
    replaced = here.iloc[0]["stand_in_for"]
    # The generator's parameters are in the caption and the CSV.
    name = f"stand-in for {replaced}" if replaced else graph_name(graph)
    return line(f"{indent}{name}", here, methods)


def line(name: str, rows: pd.DataFrame, methods: list[str],
         paper: PaperTable | None = None) -> Row:  # fmt: skip
    """The paper's times are shown as it prints them."""
    by_method = rows.drop_duplicates("method").set_index("method")
    texts = [name]
    for method in (SUBJECT, *methods):
        if method not in by_method.index:
            texts.append("")
            continue
        row = by_method.loc[method]
        text = number(row["time_ms"]) if row["status"] == "ok" else row["status"].upper()
        if paper and row["status"] == "ok":
            text = paper.cell(row["graph"], "time", method)
        if method != SUBJECT and row["speedup"] == row["speedup"]:
            text += f" ({row['speedup']:.1f}x)"
        texts.append(text)
    return Row(texts, faint=set(range(1, len(texts))) if paper else set())


def average_line(name: str, rows: pd.DataFrame, methods: list[str]) -> Row:
    """Averages the paper's cells by arithmetic means, as the paper does."""
    means = [rows.loc[rows["method"] == method, "speedup"].mean() for method in methods]
    texts = [name, "-", *(f"{mean:.2f}" if mean == mean else "" for mean in means)]
    return Row(texts, faint=set(range(1, len(texts))))


def finding(drawing: Drawing, experiments: list[Experiment]) -> str:
    frame = sentences.ours(drawing.numbers)
    others = frame[frame["method"] != SUBJECT]

    def phrase(case: str, ratio: str, first: bool) -> str:
        return f"{SUBJECT} is {ratio} times as fast as {case}" if first else f"{ratio} as {case}"

    return sentences.speedups(others.assign(case=others["method"]), phrase)
