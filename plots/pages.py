# SPDX-License-Identifier: Apache-2.0
"""Tables of a terminal and of a page in Markdown, and parts of pages that commands write."""

from __future__ import annotations

from collections.abc import Sequence


def aligned(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A line for the head and for each row, columns under one another."""
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    return [
        "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()
        for row in [head, *rows]
    ]


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join(
        "| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in lines
    )


def with_block(page: str, made: str) -> str:
    """The page with what is between its marks replaced, which are the first and the last line of
    `made`. Throws ValueError if it lacks them."""
    begin, *_, end = made.split("\n")
    before, found, rest = page.partition(begin)
    _, found_end, after = rest.partition(end)
    if not found or not found_end:
        raise ValueError(f"no lines {begin!r} and {end!r}")
    return before + made + after
