# SPDX-License-Identifier: Apache-2.0
"""Tables as they are displayed: as Markdown and as HTML. plots.latex has them as LaTeX."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape

from .pages import without_html

_PAGE_STYLE = (
    "body{font:15px/1.45 system-ui,sans-serif;margin:1.5rem;color-scheme:light dark}"
    "h1{font-size:1.1rem}p{max-width:70rem}"
    "table{border-collapse:collapse;border-top:2px solid;border-bottom:2px solid}"
    "th,td{padding:.1rem .6rem;text-align:left}thead{border-bottom:1px solid}"
    ".best{font-weight:bold}.faint{opacity:.7}.section td{font-style:italic;padding-top:.5rem}"
)


@dataclass
class Row:
    cells: list[str]
    bold: set[int] = field(default_factory=set)  # the best, in bold on a grey ground
    faint: set[int] = field(default_factory=set)  # the paper's own numbers


@dataclass
class Table:
    """Header rows hold (text, columns spanned); a body row of one cell is a section's title. The
    first `text_columns` columns are flush left, the others right."""

    header: list[list[tuple[str, int]]]
    rows: list[Row]
    text_columns: int = 1
    note: str = ""

    @property
    def column_count(self) -> int:
        return sum(span for _, span in self.header[-1])

    def is_section(self, row: Row) -> bool:
        return len(row.cells) == 1 and self.column_count > 1


def column_heads(table: Table) -> list[str]:
    """The head of each column in one line, with those that span it."""
    columns = [""] * table.column_count
    for level in table.header:
        at = 0
        for text, span in level:
            for column in range(at, at + span):
                columns[column] = f"{columns[column]} {text}".replace("\n", " ").strip()
            at += span
    return columns


def markdown(table: Table) -> str:
    """Spans are repeated and sections become rows, since Markdown has neither."""
    columns = column_heads(table)
    lines = [_markdown_line(columns), _markdown_line(["---"] * len(columns))]
    for row in table.rows:
        if table.is_section(row):
            lines.append(_markdown_line([f"**{row.cells[0]}**"] + [""] * (len(columns) - 1)))
        else:
            bold = [f"**{c}**" if i in row.bold and c else c for i, c in enumerate(row.cells)]
            lines.append(_markdown_line(bold))
    return "\n".join(lines) + "\n" + (f"\n{table.note}\n" if table.note else "")


def _markdown_line(cells: list[str]) -> str:
    return without_html(
        "| " + " | ".join(c.replace("\n", " ").replace("|", "\\|") for c in cells) + " |"
    )


def html(table: Table, name: str = "", classes: str = "", labelled: bool = False) -> str:
    """The table as HTML without a style: spans and sections as they are, the best of a class
    `best`, the paper's numbers of a class `faint`, and numbers in the head of a class `n`. With
    `labelled`, cells have their column's head in `data-label`, for screens that are too narrow for
    columns."""
    labels = [f' data-label="{escape(head)}"' * labelled for head in column_heads(table)]
    levels = "".join(f"<tr>{_html_heads(table, level)}</tr>" for level in table.header)
    numbers = set(range(table.text_columns, table.column_count))
    bodies: list[list[str]] = [[]]
    for row in table.rows:
        if table.is_section(row):
            words = f'<td colspan="{table.column_count}">{escape(row.cells[0])}</td>'
            bodies.append([f'<tr class="section">{words}</tr>'])
            continue
        theirs = bool(row.faint) and row.faint >= numbers
        cells = []
        for i, text in enumerate(row.cells):
            kinds = ["best"] * (i in row.bold) + ["faint"] * (i in row.faint and not theirs)
            cells.append(f"<td{_of_class(' '.join(kinds))}{labels[i]}>{escape(text.strip())}</td>")
        bodies[-1].append(f"<tr{_of_class('faint' if theirs else '')}>{''.join(cells)}</tr>")
    body = "".join(f"<tbody>{''.join(rows)}</tbody>" for rows in bodies if rows)
    at = f' id="{escape(name)}"' if name else ""
    return f"<table{at}{_of_class(classes)}><thead>{levels}</thead>{body}</table>"


def _html_heads(table: Table, level: list[tuple[str, int]]) -> str:
    heads, at = "", 0
    for text, span in level:
        number = at >= table.text_columns and span == 1
        wide = f' colspan="{span}"' if span > 1 else ""
        scope = "colgroup" if span > 1 else "col"
        words = escape(text.replace("\n", " "))
        heads += f'<th scope="{scope}"{wide}{_of_class("n" * number)}>{words}</th>'
        at += span
    return heads


def _of_class(names: str) -> str:
    return f' class="{names}"' if names else ""


def page(table: Table, title: str, caption: str) -> str:
    """The table as an HTML page that needs no other file."""
    note = f"<p>{escape(table.note)}</p>" if table.note else ""
    columns = f"td:nth-child(n+{table.text_columns + 1}),.n{{text-align:right}}"
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}'
        f"</title><style>{_PAGE_STYLE}{columns}</style></head><body><h1>{escape(title)}</h1>"
        f"{html(table)}{note}<p>{escape(caption)}</p></body></html>\n"
    )
