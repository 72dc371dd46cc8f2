# SPDX-License-Identifier: Apache-2.0
"""Tables drawn as figures, and the same table as Markdown."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextToPath

from . import style
from .pages import without_html

_LINE_EM = 1.25  # height of a line of text, in font sizes
_GAP_EM = 1.1  # between columns
_SMALLEST_PT = 5.0


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


class TableFigure(Figure):
    """Remembers its table, for pages that can show it as one."""

    table: Table


def markdown(table: Table) -> str:
    """Spans are repeated and sections become rows, since Markdown has neither."""
    columns = [""] * table.column_count
    for level in table.header:
        at = 0
        for text, span in level:
            for column in range(at, at + span):
                columns[column] = f"{columns[column]} {text}".replace("\n", " ").strip()
            at += span
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


def draw(table: Table, width: float = style.PAGE_IN, points: float = 7.0) -> TableFigure:
    """Draws a table as wide as its text needs. The font shrinks to fit `width` inches, down to a
    size that can still be read; a wider table makes a wider figure."""
    while points > _SMALLEST_PT and sum(_column_widths(table, points)) > width * 72:
        points -= 0.25
    return _Sheet(table, points).draw()


class _Sheet:
    """The page that a table is drawn on. Lengths are points, and y grows downwards."""

    def __init__(self, table: Table, points: float) -> None:
        self.table, self.points = table, points
        self.line, self.gap = points * _LINE_EM, points * _GAP_EM
        widths = _column_widths(table, points)
        self.total = sum(widths)
        self.lefts = [sum(widths[:i]) for i in range(len(widths) + 1)]
        self.note = _wrap(table.note, self.total * 0.96, points) if table.note else []
        self.header_heights = [
            self.line * max(text.count("\n") + 1 for text, _ in level) for level in table.header
        ]
        sections = sum(table.is_section(row) for row in table.rows)
        lines = len(table.rows) + len(self.note)
        lines += 0.1 * len(table.header) + 0.2 * sections + 0.5 + (0.4 if self.note else 0)
        height = sum(self.header_heights) + self.line * lines
        self.figure = TableFigure(figsize=(self.total / 72, height / 72))
        self.figure.table = table
        FigureCanvasAgg(self.figure)
        self.axes = self.figure.add_axes((0, 0, 1, 1))
        self.axes.set_xlim(0, self.total)
        self.axes.set_ylim(height, 0)
        self.axes.axis("off")

    def draw(self) -> TableFigure:
        y = self.line * 0.1
        self.rule(y, 0, self.total, 0.9)
        for depth in range(len(self.table.header)):
            y = self.header_level(depth, y)
        self.rule(y, 0, self.total)
        for row in self.table.rows:
            y = self.section(row, y) if self.table.is_section(row) else self.row(row, y)
        self.rule(y + self.line * 0.1, 0, self.total, 0.9)
        for k, text in enumerate(self.note):
            self.axes.text(0, y + self.line * (1.05 + k), text, fontsize=self.points * 0.9)
        return self.figure

    def rule(self, y: float, left: float, right: float, weight: float = 0.5) -> None:
        self.axes.plot([left, right], [y, y], color="black", linewidth=weight, clip_on=False)

    def header_level(self, depth: int, y: float) -> float:
        """Draws a line of headings at `y`; returns where the next line begins."""
        tall, at = self.header_heights[depth], 0
        for text, span in self.table.header[depth]:
            left, right = self.lefts[at], self.lefts[at + span]
            flush = at < self.table.text_columns and span == 1
            x = left if flush else ((left + right + self.gap) / 2 if span > 1 else right)
            self.axes.text(
                x,
                y + tall - self.line * 0.28,  # the last line's baseline
                text,
                fontsize=self.points,
                va="baseline",
                fontweight="bold",
                ha="left" if flush else "center" if span > 1 else "right",
                linespacing=1.1,
            )
            if span > 1 and text and depth < len(self.table.header) - 1:
                self.rule(y + tall, left + self.gap, right, 0.4)
            at += span
        return y + tall + self.line * 0.1

    def section(self, row: Row, y: float) -> float:
        y += self.line * 0.2
        self.axes.text(
            0, y + self.line * 0.72, row.cells[0], fontsize=self.points, fontstyle="italic"
        )
        return y + self.line

    def row(self, row: Row, y: float) -> float:
        for column, text in enumerate(row.cells):
            left, right = self.lefts[column], self.lefts[column + 1]
            best = column in row.bold
            if best:
                self.axes.fill_between(
                    [left + self.gap * 0.6, right + self.gap * 0.3],
                    y,
                    y + self.line,
                    color="#DCDCDC",
                    linewidth=0,
                )
            flush = column < self.table.text_columns
            self.axes.text(
                left if flush else right,
                y + self.line * 0.72,
                text,
                fontsize=self.points,
                va="baseline",
                ha="left" if flush else "right",
                fontweight="bold" if best else "normal",
                color="#505050" if column in row.faint else "black",
            )
        return y + self.line


@cache
def _unit_width(text: str, bold: bool) -> float:
    """Width of a line in units of its font size: letters grow with it."""
    font = FontProperties(family="DejaVu Sans", size=100, weight="bold" if bold else "normal")
    return TextToPath().get_text_width_height_descent(text, font, False)[0] / 100


def _text_width(text: str, points: float, bold: bool = False) -> float:
    """Width of the longest line in points."""
    return points * max((_unit_width(t, bold) for t in text.split("\n") if t), default=0.0)


def _column_widths(table: Table, points: float) -> list[float]:
    gap = points * _GAP_EM
    widths = [0.0] * table.column_count
    for row in table.rows:
        if not table.is_section(row):
            for column, text in enumerate(row.cells):
                bold = column in row.bold
                widths[column] = max(widths[column], _text_width(text, points, bold))
    for level in reversed(table.header):
        at = 0
        for text, span in level:
            inner = gap * (span - 1)
            lack = _text_width(text, points, True) - sum(widths[at : at + span]) - inner
            if lack > 0:
                for column in range(at, at + span):
                    widths[column] += lack / span
            at += span
    return [width + gap for width in widths]


def _wrap(text: str, width: float, points: float) -> list[str]:
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and _text_width(longer, points * 0.9) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines
