# SPDX-License-Identifier: Apache-2.0
"""Tables of a terminal and of a page in Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence


def aligned(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A line for the head and for each row, columns under one another."""
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    return [
        "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()
        for row in [head, *rows]
    ]


def without_html(markdown: str) -> str:
    """The text with what a page would take for HTML shown as it is; code spans need no help.

    >>> without_html("a <b> of `<c>`")
    'a &lt;b> of `<c>`'
    """
    parts = re.split(r"(`[^`\n]*`)", markdown)
    parts[::2] = [re.sub(r"<(?=[A-Za-z/!?])", "&lt;", part) for part in parts[::2]]
    return "".join(parts)


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return without_html(
        "".join(
            "| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in lines
        )
    )
