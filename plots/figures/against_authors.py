# SPDX-License-Identifier: Apache-2.0
"""Our engines beside the authors' own codes on the same GPU: best of the repeats of each source."""

from __future__ import annotations

import re

import pandas as pd

from .. import sentences, stats, style
from ..cells import Cell, number, time_cell
from ..drawing import Drawing
from ..labels import graph_label, stand_in_note, wrapped
from ..load import Experiment
from ..paper import PaperTable, paper_for, paper_table, spec_file
from ..side_by_side import FLAG
from ..table import Row, Table

CAPTION = (
    "Time in ms: the best of the repeats of each source, then the median over sources. In "
    "parentheses how many times as fast ours is as its authors' code of that name. Ours times all "
    "that a search does. The times of others' codes are no rows of this program: they were "
    "measured once by hand, under the conditions that the CSV has beside each, and their programs "
    "are not at hand; of a code with variants the faster one counts. Graphs are the same kinds "
    "with the same parameters, made by our generators. "
)
BOLD = "Bold: the shortest time on each graph over all rows, ours and the authors'. "
STATISTIC = (
    "time [ms]: best of the repeats of each source, median over sources; in parentheses the "
    "authors' time over ours"
)
BEST = "median over sources of the best of the repeats"
TIMED = "dfq-speed"  # the experiment that the authors' codes were timed for; others read it, too
TOLD = "device,driver,measured,timer,binary".split(",")  # of these, what the image says
CONDITIONS = "program,device,driver,measured,conditions,timer,graphs,binary".split(",")
COLUMNS = [
    *"origin,machine,graph,stand_in_for,code,case,status,sources,time_ms,speedup".split(","),
    *("authors_graph", "note"),
    *CONDITIONS,
]


def numbers(experiment: Experiment, paper: PaperTable | None) -> pd.DataFrame:
    """One row per (graph, case), and one a (graph, authors' code). `code` is the authors' code that
    a case is set against: the one that it is named after, and the paper's for its own engine.
    `authors_graph` says on which other graph that code was timed, where it was."""
    codes = paper.methods if paper else []
    known = conditions(experiment)
    rows = []
    for graph in experiment.graph_order:
        for code in codes:
            if text := paper.cell(graph, "time", code):
                here = paper.rows[(paper.rows["graph"] == graph) & (paper.rows["method"] == code)]
                rows.append(
                    {
                        "origin": "authors",
                        "graph": graph,
                        "code": code,
                        "case": f"{code}, authors' code",
                        # A dash stands for a time that does not count; the note says why.
                        "status": "ok" if text != "-" else here.iloc[0]["note"].split(":")[0],
                        "time_ms": float("nan") if text == "-" else float(text),
                        "authors_graph": other_graph(paper, graph, code),
                        "note": here.iloc[0]["note"],
                        **known.get(code, {}),
                    }
                )
        for series in experiment.series_order:
            here = experiment.timed_cell(graph, series)
            if here.empty:
                continue
            cell: Cell = time_cell(here, "best")
            code = code_of(series, here.iloc[0]["engine"], codes)
            theirs = paper.cell(graph, "time", code) if paper and code else ""
            rows.append(
                {
                    "origin": "ours",
                    "machine": experiment.machine,
                    "graph": graph,
                    "stand_in_for": experiment.stand_in_for(graph),
                    "code": code,
                    "case": series,
                    "status": cell.failure.lower() or ("ok" if cell.ok else ""),
                    "sources": len(cell.times_ms),
                    "time_ms": cell.median_ms,
                    "speedup": float("nan" if theirs in ("", "-") else theirs) / cell.median_ms,
                    "authors_graph": other_graph(paper, graph, code) if theirs else "",
                    "note": cell.reason,
                }
            )
    return pd.DataFrame(rows, columns=COLUMNS)


def other_graph(paper: PaperTable, graph: str, code: str) -> str:
    """ "another road-like grid of 2.25M vertices", by the note of the code's time on `graph`; empty
    where that is the graph itself, or one of the same parameters."""
    rows = paper.rows[(paper.rows["graph"] == graph) & (paper.rows["method"] == code)]
    found = re.search(r"\bon (another .*)", " ".join(rows["note"]))
    return found[1] if found else ""


def conditions(experiment: Experiment) -> dict[str, dict[str, str]]:
    """By code, how its times were measured: SPEC.peers.csv, else that of TIMED."""
    for name in (experiment.name, TIMED):
        spec = spec_file(name)
        path = spec.with_name(f"{spec.stem}.peers.csv") if spec else None
        if path and path.exists():
            rows = pd.read_csv(path, dtype=str, keep_default_na=False)
            return rows.set_index("code").to_dict("index")
    return {}


def code_of(case: str, engine: str, codes: list[str]) -> str:
    named = [code for code in codes if case.startswith(code)]  # "Gunrock 2" before "Gunrock"
    return max(named, key=len, default="") or next(
        (code for code in codes if code.lower() == engine), ""
    )


def draw(experiments: list[Experiment]) -> list[Drawing]:
    experiment = experiments[0]
    paper = paper_for(experiment) or paper_table(TIMED)
    frame = numbers(experiment, paper)
    stand_ins = stand_in_note(experiment, list(dict.fromkeys(frame["graph"])))
    caption = f"{CAPTION}{BOLD}{flagged(experiment, frame)}{stand_ins}".strip()
    if not (frame["origin"] == "ours").any():
        figure = style.message_figure(f"{experiment.name}: no rows yet")
        return [Drawing("against_authors", figure, frame, caption)]
    shape = shaped(experiment, frame, paper.methods if paper else [])
    return [
        Drawing("against_authors", shape, frame, caption)
    ]  # fmt: skip


def shaped(experiment: Experiment, frame: pd.DataFrame, codes: list[str]) -> Table:
    """A section for each code: its authors' times, then ours; what has no authors' code is last."""
    graphs = list(dict.fromkeys(frame["graph"]))
    header = [("Time [ms]", 1)]
    header += [(wrapped(graph_label(experiment, graph), 18), 1) for graph in graphs]
    body: list[Row] = []
    met = [code for code in codes if (frame[frame["code"] == code]["origin"] == "ours").any()]
    alone = [code for code in codes if code not in met and code in set(frame["code"])]
    for code in [*met, "", *alone]:
        rows = frame[frame["code"] == code]
        if len(rows) and codes and code not in alone:
            body.append(Row([code or "No code of others"]))
        elif code in alone[:1]:
            body.append(Row(["Codes of others without a counterpart here"]))
        for case, here in rows.groupby("case", sort=False):
            of_graph = here.set_index("graph")
            texts = [case, *(cell_text(of_graph, graph) for graph in graphs)]
            theirs = here.iloc[0]["origin"] == "authors"
            body.append(Row(texts, faint=set(range(1, len(texts))) if theirs else set(),
                            bold=best(frame, case, graphs)))  # fmt: skip
    note = f"{BOLD}{flagged(experiment, frame)}{timed_elsewhere(frame)}".strip()
    return Table([header], body, note=note)


def flagged(experiment: Experiment, frame: pd.DataFrame) -> str:
    """Explains the dagger, if there is one."""
    sentences = [
        f"{FLAG} The authors' codes were timed on {theirs}, and not on "
        f"{graph_label(experiment, graph, ' ')}: a ratio with this mark compares two graphs. "
        for (graph, theirs), _ in frame[frame["authors_graph"].fillna("") != ""].groupby(
            ["graph", "authors_graph"], sort=False
        )
    ]
    return "".join(sentences)


def timed_elsewhere(frame: pd.DataFrame) -> str:
    """Where and how the authors' codes were timed: what holds for most of them, and for which codes
    something else does."""
    theirs = frame[frame["origin"] == "authors"].drop_duplicates("code").set_index("code")
    facts = []
    for column in TOLD:
        values = theirs[column].dropna()
        if values.empty:
            continue
        usual = values.mode().iloc[0]
        others = [f" ({code}: {value})" for code, value in values.items() if value != usual]
        facts.append(f"{column.capitalize()}: {usual}{''.join(others)}.")
    if not facts:
        return ""
    return " ".join(["Grey: the authors' codes, timed elsewhere and not with these rows.", *facts])


def cell_text(of_graph: pd.DataFrame, graph: str) -> str:
    if graph not in of_graph.index:
        return ""
    row = of_graph.loc[graph]
    if row["status"] != "ok":
        return str(row["status"]).upper()
    flag = FLAG if row["authors_graph"] else ""
    if row["origin"] == "authors":
        return f"{number(row['time_ms'])}{flag}"
    ratio = f" ({row['speedup']:.2f}x{flag})" if row["speedup"] == row["speedup"] else ""
    return f"{number(row['time_ms'])}{ratio}"


def best(frame: pd.DataFrame, case: str, graphs: list[str]) -> set[int]:
    """The columns in which `case` is the fastest of all rows, whosever."""
    known = frame[(frame["status"] == "ok") & frame["time_ms"].notna()]
    found = set()
    for column, graph in enumerate(graphs, 1):
        here = known[known["graph"] == graph]
        if len(here) and here.loc[here["time_ms"].idxmin(), "case"] == case:
            found.add(column)
    return found


def finding(drawing: Drawing, experiments: list[Experiment]) -> str:
    frame = sentences.ours(drawing.numbers)
    met = frame[frame["speedup"].notna()].reset_index(drop=True)
    if met.empty:
        return sentences.best(frame, "time_ms", "case", BEST, experiments=experiments)
    ahead = int((met["speedup"] > 1).sum())
    ends = sentences.ends(met, "speedup", number, sentences.place_of_case)
    mean = number(stats.geometric_mean(met["speedup"]))
    return (
        f"Of {sentences.several(len(met), 'time')} beside those of the authors' codes {ahead} are "
        f"shorter; ours are {mean} times as fast by the geometric "
        f"mean of all, {ends}, where each time is the {BEST}."
    )
