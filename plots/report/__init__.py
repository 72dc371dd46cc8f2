# SPDX-License-Identifier: Apache-2.0
"""The report of a results folder: claims and verdicts, then every figure with what lies behind it,
as one HTML page that needs no other file, and as Markdown."""

from __future__ import annotations

from pathlib import Path

from ..claims import MISSING, Verdict, evaluate
from ..load import Experiment
from ..report.entry import Entry
from ..report.findings import Report
from ..report.page import page
from ..report.text import text

FILES = ("report.html", "REPORT.md")


def write_report(
    entries: list[Entry], experiments: list[Experiment], roots: list[Path], folder: Path
) -> list[Path]:
    """Writes FILES into `folder`. The same rows give the same bytes."""
    report = Report(entries, experiments, verdicts(roots), folder)
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / name for name in FILES]
    for path, content in zip(paths, (page(report), text(report)), strict=True):
        path.write_text(content, encoding="utf-8")
    return paths


def verdicts(roots: list[Path]) -> list[Verdict]:
    """Of all folders; a claim is missing only where none of them has rows for it."""
    found = [verdict for root in roots for verdict in evaluate(root)]
    have = {verdict.id for verdict in found if verdict.verdict != MISSING}
    kept: dict[tuple[str, str], Verdict] = {}
    for verdict in found:
        if verdict.verdict != MISSING or verdict.id not in have:
            kept.setdefault((verdict.id, verdict.machine), verdict)
    return list(kept.values())
