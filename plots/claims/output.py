# SPDX-License-Identifier: Apache-2.0
"""Verdicts as a table, as files, and as sentences for captions and pages."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, fields
from pathlib import Path

from ..caveats import (
    EVIDENCE_SOURCES,
    FEW_SOURCES,
    INCOMPLETE,
    MEANINGS,
    POLLUTED,
    STAND_INS,
)
from ..cells import number
from ..claims.claims import EVIDENCE
from ..claims.ledger import headlines
from ..claims.verdict import MISSING, REFUTATIONS, VERDICTS, Verdict
from ..files import without_formula
from ..pages import aligned, markdown_table


def shown(verdict: Verdict) -> str:
    """The value with its interval and unit; empty where there is none."""
    if verdict.value is None:
        return ""
    unit = f" {verdict.unit}" if verdict.unit else ""
    words = f"{number(verdict.value)}{unit}"
    if verdict.interval is None:
        return words
    low, high = map(number, verdict.interval)
    return words if low == high else f"{words} ({low} to {high})"


def terminal_table(verdicts: Sequence[Verdict]) -> str:
    """One line for each verdict, refuted ones marked, and how many there are of each."""
    rows = [
        (
            v.id,
            v.paper_value,
            shown(v),
            f"{v.words}{' !' * (v.verdict in REFUTATIONS)}",
            v.machine,
        )
        for v in verdicts
    ]
    head = ("claim", "paper", "here", "verdict", "machine")
    apart = aligned(*by_evidence(verdicts))
    return "\n".join([*aligned(head, rows), "", *apart, "", summary(verdicts)])


def counts(verdicts: Sequence[Verdict]) -> str:
    """ "12 reproduced, 3 refuted" in the order of VERDICTS; those that none has are left out."""
    counts = Counter(verdict.verdict for verdict in verdicts)
    return ", ".join(f"{counts[name]} {name}" for name in VERDICTS if counts[name]) or "no claims"


def summary(verdicts: Sequence[Verdict]) -> str:
    """Each claim once, whatever the number of machines."""
    once = headlines(verdicts)
    return f"{len(once)} claims: {counts(once)}"


def by_evidence(verdicts: Sequence[Verdict]) -> tuple[list[str], list[list[str]]]:
    """Head and rows of a table, each claim once: what claims rest on, and how many have which
    verdict. A formula that agrees is not counted with a comparison of searches that does."""
    once = headlines(verdicts)
    names = [name for name in VERDICTS if any(v.verdict == name for v in once)]
    rows = []
    for kind, meaning in EVIDENCE.items():
        counts = Counter(verdict.verdict for verdict in once if verdict.evidence == kind)
        if counts:
            cells = (str(counts[name] or "") for name in names)
            rows.append([meaning, str(counts.total()), *cells])
    return ["what claims rest on", "claims", *names], rows


def weaknesses(verdicts: Sequence[Verdict]) -> tuple[list[str], list[list[str]]]:
    """Head and rows of a table, each claim once: of the verdicts with rows how many rest on what is
    weak, by verdict; a verdict may be in several rows. The last row has those in none."""
    once = [verdict for verdict in headlines(verdicts) if verdict.verdict != MISSING]
    names = [name for name in VERDICTS if any(v.verdict == name for v in once)]
    kinds: list[tuple[str, list[Verdict]]] = [
        (meaning, [v for v in once if kind in v.weak]) for kind, meaning in MEANINGS.items()
    ]
    kinds.append(("none of these", [v for v in once if not v.weak]))
    rows = []
    for meaning, found in kinds:
        counts = Counter(verdict.verdict for verdict in found)
        if found or meaning in _ALWAYS:
            rows.append([meaning, str(len(found)), *(str(counts[name] or "") for name in names)])
    return ["what is weak", "verdicts", *names], rows


# Listed even where no verdict rests on such rows.
_ALWAYS = {MEANINGS[k] for k in (POLLUTED, INCOMPLETE, FEW_SOURCES)}


def weak_summary(verdicts: Sequence[Verdict]) -> str:
    """A sentence on what the verdicts with rows rest on, each claim once."""
    once = [verdict for verdict in headlines(verdicts) if verdict.verdict != MISSING]
    counts = Counter(kind for verdict in once for kind in verdict.weak)
    weak = sum(bool(verdict.weak) for verdict in once)
    return (
        f"{len(once)} claims have rows, with one verdict each. Some verdicts rest on weak rows: "
        f"{counts[INCOMPLETE]} on incomplete rows, {counts[POLLUTED]} on rows without their "
        f"disturbed trials, {counts[FEW_SOURCES]} on fewer than {EVIDENCE_SOURCES} sources a "
        f"graph, and {counts[STAND_INS]} on a graph that is not the paper's own. {weak} verdicts "
        "have one of these weaknesses, or one of the others that the table below counts. Machines "
        "disagree on "
        f"{sum(bool(verdict.disagreeing) for verdict in once)} claims, whose lines name them."
    )


def write(verdicts: Sequence[Verdict], folder: Path) -> list[Path]:
    """Writes claims.md, claims.json and claims.csv into `folder`, and returns their paths."""
    rows = [asdict(verdict) for verdict in verdicts]
    (folder / "claims.json").write_text(
        json.dumps({"verdicts": rows}, indent=1, ensure_ascii=False) + "\n",
        encoding="utf-8",
    )
    with (folder / "claims.csv").open("w", newline="", encoding="utf-8") as file:
        names = [f.name for f in fields(Verdict) if f.name != "interval"]
        writer = csv.DictWriter(file, [*names, "low", "high"], lineterminator="\n")
        writer.writeheader()
        for row in rows:
            low, high = row.pop("interval") or ("", "")
            row = {k: _cell(v) for k, v in row.items()}
            writer.writerow(row | {"low": low, "high": high})
    (folder / "claims.md").write_text(_document(verdicts), encoding="utf-8")
    return [folder / f"claims.{ending}" for ending in ("md", "json", "csv")]


def _cell(value: object) -> object:
    """Several words in one cell as rows have them: "polluted;few sources"."""
    if isinstance(value, tuple):
        value = ";".join(value)
    return "" if value is None else without_formula(value)


def _document(verdicts: Sequence[Verdict]) -> str:
    parts = ["# Claims\n", f"Made by `make report`. {summary(verdicts)}.\n"]
    parts.append(markdown_table(*by_evidence(verdicts)))
    if any(verdict.verdict != MISSING for verdict in verdicts):
        head, rows = weaknesses(verdicts)
        parts.append(f"{weak_summary(verdicts)}\n")
        parts.append(markdown_table(head, rows))
    for paper in dict.fromkeys(verdict.paper for verdict in verdicts):
        mine = [verdict for verdict in verdicts if verdict.paper == paper]
        parts.append(f"## {paper}\n\n{summary(mine)}.\n")
        parts.append(markdown_table(
            ("claim", "where", "paper", "here", "verdict", "machine", "why"),
            [(v.text, v.item, v.paper_value, shown(v), _bold(v), v.machine, _why(v)) for v in mine],
        ))  # fmt: skip
    return "\n".join(parts)


def _why(verdict: Verdict) -> str:
    if verdict.value is not None or verdict.machine:
        return verdict.reason
    commands = ", ".join(f"`{line}`" for line in verdict.command.splitlines())
    if not commands:
        return verdict.reason
    if verdict.minutes is None:
        return f"{verdict.reason} {commands}"
    takes = f"about {verdict.minutes:.0f} min" if verdict.minutes >= 1 else "under a minute"
    each = " each" if "\n" in verdict.command else ""
    return f"{verdict.reason} {commands} ({takes}{each})"


def _bold(verdict: Verdict) -> str:
    return f"**{verdict.words}**" if verdict.verdict in REFUTATIONS else verdict.words
