# SPDX-License-Identifier: Apache-2.0
"""Tables in a paper's shape, with ours and the paper's number beside each other in every cell."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from .labels import graph_name, wrapped
from .load import Experiment
from .paper import PaperTable
from .table import Row, Table

Value = tuple[str, float | None]  # what is printed, and its size for choosing the best


@dataclass(frozen=True)
class Column:
    """A graph of the table: ours, the paper's, or both (ours then is it or stands in for it)."""

    ours: str = ""  # the graph's name in our rows; empty where we did not run it
    paper: str = ""  # the data set's name in the paper; empty where the paper has none
    replaces: str = ""  # the data set that ours stands in for

    def header(self) -> tuple[str, list[str]]:
        """(title, a subtitle for each sub-column)"""
        if not self.paper:
            replaces = f"\n(stand-in for {self.replaces})" if self.replaces else ""
            return wrapped(graph_name(self.ours), 16) + replaces, ["ours"]
        ours = wrapped(f"stand-in: {graph_name(self.ours)}", 16) if self.replaces else "ours"
        return self.paper, ([ours] if self.ours else []) + ["paper"]


def columns_for(experiment: Experiment, paper: PaperTable | None) -> list[Column]:
    """The paper's graphs in its order, each with ours or our stand-in (every one, where there are
    several), then our other graphs under their own names."""
    columns: list[Column] = []
    left = list(experiment.graph_order)
    for name in paper.graphs if paper else []:
        ours = [
            g
            for g in left
            if experiment.stand_in_for(g) == name
            or (not experiment.stand_in_for(g) and re.split("[ ,]", graph_name(g))[0] == name)
        ]
        for graph in ours:
            left.remove(graph)
            columns.append(Column(graph, name, experiment.stand_in_for(graph)))
        if not ours:
            columns.append(Column("", name))
    columns.extend(Column(graph, "", experiment.stand_in_for(graph)) for graph in left)
    return columns


FLAG = "\u2020"  # a dagger
FLAG_NOTE = f"{FLAG} contradicts other numbers of the paper; printed as it is there."


def paper_value(
    paper: PaperTable | None, graph: str, metric: str, method: str = "", threads: int | None = None
) -> Value:
    """The paper's cell as printed, marked where the paper contradicts itself."""
    text = paper.cell(graph, metric, method, threads) if paper else ""
    try:
        size = float(text)
    except ValueError:
        return text, None
    flag = FLAG if paper.flagged(graph, metric, method, threads) else ""
    return text + flag, size


@dataclass
class Section:
    title: str
    ours: Callable[[Column, tuple[str, ...]], Value]
    paper: Callable[[Column, tuple[str, ...]], Value]
    best: Callable | None = None  # min or max marks the best of each column


def build(
    columns: list[Column],
    row_names: list[str],
    rows: list[tuple[str, ...]],
    sections: list[Section],
    note: str = "",
) -> Table:
    """`rows` are the leading cells of each row, as many as `row_names`."""
    titles: list[tuple[str, int]] = [("", 1)] * len(row_names)
    subtitles: list[tuple[str, int]] = [(name, 1) for name in row_names]
    for column in columns:
        title, below = column.header()
        titles.append((title, len(below)))
        subtitles.extend((text, 1) for text in below)
    body: list[Row] = []
    for section in sections:
        everything = [(keys, _fill(columns, keys, section)) for keys in rows]
        # A row that neither side has (a thread count of the other's) is left out of the section.
        kept = [(keys, row) for keys, row in everything if any(text for text, _ in row[0])]
        filled = [row for _, row in kept]
        if not filled:
            continue
        if section.title:
            body.append(Row([section.title]))
        _mark_best(filled, section.best)
        previous: tuple[str, ...] = ()
        for keys, (values, faint, bold) in kept:
            # A repeated method's name is printed once.
            repeats = len(keys) > 1 and previous[:1] == keys[:1]
            lead = ["" if repeats else keys[0], *keys[1:]]
            shift = len(lead)
            body.append(
                Row(
                    lead + [text for text, _ in values],
                    bold={i + shift for i in bold},
                    faint={i + shift for i in faint},
                )
            )
            previous = keys
    return Table([titles, subtitles], body, text_columns=len(row_names), note=note)


def _fill(columns: list[Column], keys: tuple[str, ...], section: Section):
    values: list[Value] = []
    faint: set[int] = set()
    for column in columns:
        if column.ours:
            values.append(section.ours(column, keys))
        if column.paper:
            faint.add(len(values))
            values.append(section.paper(column, keys))
    return values, faint, set()


def _mark_best(filled: list, best: Callable | None) -> None:
    if best is None or not filled or len(filled) < 2:
        return
    for index in range(len(filled[0][0])):
        sizes = [row[0][index][1] for row in filled]
        known = [s for s in sizes if s is not None and s == s]
        if known:
            top = best(known)
            for row, size in zip(filled, sizes, strict=True):
                if size == top:
                    row[2].add(index)
