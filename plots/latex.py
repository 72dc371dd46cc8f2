# SPDX-License-Identifier: Apache-2.0
r"""Tables and captions as LaTeX, for \input into a paper."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd

from .cells import number
from .table import Row, Table

_LONG = 45  # rows that a page holds: longer tables break between pages
_LETTERS = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "&": r"\&", "%": r"\%", "$": r"\$",
    "#": r"\#", "_": r"\_", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"\textquotedbl{}",
    "±": r"$\pm$", "×": r"$\times$", "−": "$-$", "·": r"$\cdot$", "µ": r"$\mu$", "†": r"\dag{}",
    "…": r"\ldots{}", "⁹": r"\textsuperscript{9}", "α": r"$\alpha$", "β": r"$\beta$",
    "“": "``", "”": "''",
}  # fmt: skip
_ESCAPED = re.compile("[" + re.escape("".join(_LETTERS)) + "]")

# Units by the endings of columns' names, the longest ending first.
_UNITS = {
    "_bytes_per_second": "B/s", "_per_second": "1/s", "_mb_per_s": "MB/s", "_per_s": "1/s",
    "_per_byte": "1/B", "_bytes": "B", "_pct": "%", "_ms": "ms", "_us": "µs", "_mb": "MB",
    "_gb": "GB", "_share": "of 1", "_s": "s",
}  # fmt: skip
_WORDS = {
    "speedup": "speed-up", "low95": "95 % interval, low", "high95": "95 % interval, high",
    "min": "least of the sources", "max": "most of the sources", "gteps": "rate [GTEPS]",
    "mb_per_s": "rate [MB/s]", "us_per_level": "time per level [µs]",
}  # fmt: skip


def escaped(text: str) -> str:
    r"""Text as LaTeX prints it.

    >>> escaped("95 % of a_b")
    '95 \\% of a\\_b'
    """
    return _ESCAPED.sub(lambda found: _LETTERS[found[0]], text)


def heading(column: str) -> str:
    """The name of a column of numbers in words, with its unit.

    >>> heading("baseline_ms"), heading("gteps_paper"), heading("speedup")
    ('baseline [ms]', 'paper [GTEPS]', 'speed-up')
    """
    if column in _WORDS:
        return _WORDS[column]
    for rate in ("gteps", "mteps"):
        if rate in column:
            rest = " ".join(column.replace(rate, " ").replace("_", " ").split())
            return f"{rest or 'rate'} [{rate.upper()}]"
    for end, unit in _UNITS.items():
        if column.endswith(end):
            return f"{column.removesuffix(end).replace('_', ' ')} [{unit}]"
    return column.replace("_", " ")


def of_numbers(numbers: pd.DataFrame) -> Table:
    """A figure's numbers as a table. Columns that are empty or that list a value for each source
    are left out; columns of one value stand in the note. Without rows it has all heads."""
    if numbers.empty:
        names = [str(name) for name in numbers.columns] or [""]
        return Table([[(heading(name), 1) for name in names]], [])
    columns, said = {}, []
    for name, column in numbers.items():
        if column.map(lambda value: isinstance(value, pd.Series)).any():
            continue
        texts = [_text(value) for value in column]
        different = set(texts)
        if len(different) > 1 or (len(numbers) == 1 and different != {""}):
            columns[str(name)] = (texts, pd.api.types.is_numeric_dtype(column))
        elif different - {""}:
            said.append(f"{heading(str(name))}: {texts[0]}")
    if not columns:  # equal rows: their number is what is left to see
        first = str(numbers.columns[0])
        columns = {first: ([_text(value) for value in numbers[first]], False)}
    names = sorted(columns, key=lambda name: columns[name][1])  # words first
    rows = [Row(list(cells)) for cells in zip(*(columns[name][0] for name in names), strict=True)]
    note = f"In all rows: {'; '.join(said)}." if said else ""
    heads = [(heading(name), 1) for name in names]
    return Table([heads], rows, sum(not columns[name][1] for name in names), note)


def _text(value: object) -> str:
    if value is None or value is pd.NaT or value != value:
        return ""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.number):
        return str(value)
    number_ = float(value)
    return f"{number_:.0f}" if number_ == round(number_) else number(number_)


def tabular(table: Table) -> str:
    r"""The table for \input, with the rules of booktabs: inside a `table`, or, where it is longer
    than a page, as a `longtable` by itself. The note stands below it."""
    long = len(table.rows) > _LONG
    kind = "longtable" if long else "tabular"
    flush = "l" * table.text_columns + "r" * (table.column_count - table.text_columns)
    heads = "\n".join(line for level in table.header for line in _heads(table, level))
    packages = r"\usepackage{booktabs}" + (r" \usepackage{longtable}" if long else "")
    lines = [
        f"% Needs {packages}",
        rf"\begin{{{kind}}}{{{flush}}}",
        r"\toprule",
        heads,
        r"\midrule",
        *([r"\endhead"] if long else []),
        *(_row(table, row, first=k == 0) for k, row in enumerate(table.rows)),
        r"\bottomrule",
        rf"\end{{{kind}}}",
    ]
    if table.note:
        lines += [
            r"\par\smallskip",
            rf"\parbox{{\linewidth}}{{\footnotesize {escaped(table.note)}}}",
        ]
    return "\n".join(lines) + "\n"


def _heads(table: Table, level: list[tuple[str, int]]) -> list[str]:
    """A line of heads, and the rules below those that span several columns."""
    cells, rules, at = [], "", 1
    for text, span in level:
        words = escaped(text)
        if "\n" in words:
            side = "l" if at <= table.text_columns else "r"
            lines = (rf"\\{_guarded(line)}" for line in words.split("\n"))
            words = rf"\shortstack[{side}]{{{''.join(lines).removeprefix(chr(92) * 2)}}}"
        cells.append(rf"\multicolumn{{{span}}}{{c}}{{{words}}}" if span > 1 else words)
        if span > 1 and text:
            rules += rf"\cmidrule(lr){{{at}-{at + span - 1}}}"
        at += span
    cells[0] = _guarded(cells[0])
    return [" & ".join(cells) + r" \\", *([rules] if rules else [])]


def _row(table: Table, row: Row, first: bool) -> str:
    if table.is_section(row):
        rule = "" if first else "\\addlinespace\n"
        words = rf"\emph{{{escaped(row.cells[0])}}}"
        return rf"{rule}\multicolumn{{{table.column_count}}}{{l}}{{{words}}} \\"
    cells = [escaped(text.replace("\n", " ").strip()) for text in row.cells]
    cells = [rf"\textbf{{{c}}}" if i in row.bold and c else c for i, c in enumerate(cells)]
    cells[0] = _guarded(cells[0])
    return " & ".join(cells) + r" \\"


def _guarded(text: str) -> str:
    r"""A text after \\, which takes a star or a bracket for its argument."""
    return f"{{}}{text}" if text.startswith(("[", "*")) else text


def caption(text: str, label: str) -> str:
    r"""A \caption with its \label, for \input inside a `figure` or a `table`."""
    return f"\\caption{{{escaped(text)}}}\n\\label{{{label}}}\n"
