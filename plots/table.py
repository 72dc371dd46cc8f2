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
    """As wide as its text needs; the font shrinks to fit `width` inches, down to a size that can
    still be read, and beyond that the figure grows."""
    while points > _SMALLEST_PT and sum(_column_widths(table, points)) > width * 72:
        points -= 0.25
    widths = _column_widths(table, points)
    line = points * _LINE_EM
    note_lines = _wrap(table.note, sum(widths) * 0.96, points) if table.note else []
    header_heights = [line * max(t.count("\n") + 1 for t, _ in level) for level in table.header]
    sections = sum(table.is_section(row) for row in table.rows)
    height = sum(header_heights) + len(table.rows) * line + len(note_lines) * line
    height += line * (0.1 * len(table.header) + 0.2 * sections + 0.5 + (0.4 if note_lines else 0))
    total = sum(widths)
    figure = TableFigure(figsize=(total / 72, height / 72))
    figure.table = table
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_xlim(0, total)
    axes.set_ylim(height, 0)
    axes.axis("off")
    lefts = [sum(widths[:i]) for i in range(len(widths) + 1)]
    gap = points * _GAP_EM

    def rule(y: float, left: float = 0, right: float = total, weight: float = 0.5) -> None:
        axes.plot([left, right], [y, y], color="black", linewidth=weight, clip_on=False)

    y = line * 0.1
    rule(y, weight=0.9)
    for depth, (level, tall) in enumerate(zip(table.header, header_heights, strict=True)):
        at = 0
        for text, span in level:
            left, right = lefts[at], lefts[at + span]
            flush = at < table.text_columns and span == 1
            x = left if flush else ((left + right + gap) / 2 if span > 1 else right)
            axes.text(
                x,
                y + tall - line * 0.28,  # the last line's baseline
                text,
                fontsize=points,
                va="baseline",
                fontweight="bold",
                ha="left" if flush else "center" if span > 1 else "right",
                linespacing=1.1,
            )
            if span > 1 and text and depth < len(table.header) - 1:
                rule(y + tall, left + gap, right, 0.4)
            at += span
        y += tall + line * 0.1
    rule(y)
    for row in table.rows:
        if table.is_section(row):
            y += line * 0.2
            axes.text(0, y + line * 0.72, row.cells[0], fontsize=points, fontstyle="italic")
            y += line
            continue
        for column, text in enumerate(row.cells):
            left, right = lefts[column], lefts[column + 1]
            best = column in row.bold
            if best:
                axes.fill_between(
                    [left + gap * 0.6, right + gap * 0.3], y, y + line, color="#DCDCDC", linewidth=0
                )
            flush = column < table.text_columns
            axes.text(
                left if flush else right,
                y + line * 0.72,
                text,
                fontsize=points,
                va="baseline",
                ha="left" if flush else "right",
                fontweight="bold" if best else "normal",
                color="#505050" if column in row.faint else "black",
            )
        y += line
    rule(y + line * 0.1, weight=0.9)
    for k, text in enumerate(note_lines):
        axes.text(0, y + line * (1.05 + k), text, fontsize=points * 0.9)
    return figure


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
