# SPDX-License-Identifier: Apache-2.0
"""The report of a results folder: which claims hold, then each paper's figures beside its numbers,
as one HTML page that needs no other file, and as Markdown."""

from __future__ import annotations

import os
import shlex
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from .. import equivalence
from ..claims import MISSING, Verdict, evaluate
from ..claims.output import write
from ..load import Experiment, ResultsError, readable
from ..report.entry import Entry
from ..report.expected import is_own, recorded
from ..report.findings import Report
from ..report.html import page
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
    paper: str = "",
) -> list[Path]:
    """Writes FILES and the verdicts into `folder`. The same rows give the same bytes. A report on
    rows that are not all the recorded ones has the verdicts of these beside its own."""
    own = is_own(roots)
    report = Report(
        entries,
        experiments,
        list(judged),
        folder,
        equivalence.table(roots),
        _command(roots, paper),
        recorded(judged, roots) if own else {},
        own,
    )
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / name for name in FILES]
    for path, content in zip(paths, (page(report), text(report)), strict=True):
        path.write_text(content, encoding="utf-8")
    return [*paths, *write(judged, folder)]


def _command(roots: Sequence[Path], paper: str) -> str:
    """The command that makes the report of these folders again."""
    words = ["python", "-m", "plots", *map(readable, roots)]
    return shlex.join([*words, *(["--paper", paper] if paper else []), "--report"])


def verdicts(
    roots: Sequence[Path], experiments: Sequence[Experiment], paper: str = ""
) -> list[Verdict]:
    """On the rows of all folders, of the claims of one paper or of all; a claim is missing only
    where none of them has rows for it."""
    found = []
    for root in roots:
        inside = [each for each in experiments if each.folder.is_relative_to(root.resolve())]
        found += evaluate(root, experiments=inside, paper=paper)
    have = {verdict.id for verdict in found if verdict.verdict != MISSING}
    kept: dict[tuple[str, str], Verdict] = {}
    for verdict in found:
        if verdict.verdict != MISSING or verdict.id not in have:
            kept.setdefault((verdict.id, verdict.machine), verdict)
    return list(kept.values())
