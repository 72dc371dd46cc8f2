# SPDX-License-Identifier: Apache-2.0
"""The report of a results folder: claims and verdicts, then every figure with what lies behind it,
as one HTML page that needs no other file, and as Markdown."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from .. import equivalence
from ..claims import MISSING, Verdict, evaluate
from ..claims.output import write
from ..load import Experiment, ResultsError
from ..report.entry import Entry
from ..report.findings import Report
from ..report.page import page
from ..report.text import text

FILES = ("report.html", "REPORT.md")
FIGURES = "figures"  # a folder beside them
_OURS = {*FILES, "claims.md", "claims.json", "claims.csv", FIGURES}


@contextmanager
def replacing(folder: Path) -> Iterator[Path]:
    """A new folder beside `folder`, which takes its place at the end; on an error, `folder` stays
    as it is. Throws ResultsError if `folder` holds anything that no report wrote."""
    if folder.exists() and not folder.is_dir():
        raise ResultsError(f"{folder}: is no folder; name another one for the report")
    others = sorted(path.name for path in folder.iterdir()) if folder.exists() else []
    if others := [name for name in others if name not in _OURS]:
        raise ResultsError(
            f"{folder}: holds {', '.join(others[:3])}, which is not part of a report; name another "
            "folder, since this one would be replaced"
        )
    folder.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        new = scratch / "new"
        new.mkdir()
        yield new
        if folder.exists():
            os.rename(folder, scratch / "old")
        os.rename(new, folder)
    finally:
        shutil.rmtree(scratch)


def write_report(
    entries: list[Entry],
    experiments: list[Experiment],
    roots: Sequence[Path],
    judged: list[Verdict],
    folder: Path,
) -> list[Path]:
    """Writes FILES and the verdicts into `folder`. The same rows give the same bytes."""
    report = Report(entries, experiments, list(judged), folder, equivalence.table(roots))
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / name for name in FILES]
    for path, content in zip(paths, (page(report), text(report)), strict=True):
        path.write_text(content, encoding="utf-8")
    return [*paths, *write(judged, folder)]


def verdicts(roots: Sequence[Path], experiments: Sequence[Experiment]) -> list[Verdict]:
    """On the rows of all folders; a claim is missing only where none of them has rows for it."""
    found = []
    for root in roots:
        inside = [each for each in experiments if each.folder.is_relative_to(root.resolve())]
        found += evaluate(root, experiments=inside)
    have = {verdict.id for verdict in found if verdict.verdict != MISSING}
    kept: dict[tuple[str, str], Verdict] = {}
    for verdict in found:
        if verdict.verdict != MISSING or verdict.id not in have:
            kept.setdefault((verdict.id, verdict.machine), verdict)
    return list(kept.values())
