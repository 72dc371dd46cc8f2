# SPDX-License-Identifier: Apache-2.0
"""Verdicts as a table, as files beside the results, and as sentences for captions and pages."""

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
    OLDER,
    POLLUTED,
    STALE,
    STAND_INS,
)
from ..cells import number
from ..claims.ledger import headlines
from ..claims.verdict import MISSING, REFUTATIONS, REFUTED_ON_STAND_INS, VERDICTS, Verdict
from ..pages import aligned, markdown_table

BEGIN = "<!-- made by make claims; changes here are lost -->"
END = "<!-- end of what make claims made -->"


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
            f"{v.verdict}{' !' * (v.verdict in REFUTATIONS)}",
            v.machine,
        )
        for v in verdicts
    ]
    head = ("claim", "paper", "here", "verdict", "machine")
    return "\n".join([*aligned(head, rows), "", summary(verdicts)])


def counts(verdicts: Sequence[Verdict]) -> str:
    """ "12 reproduced, 3 refuted" in the order of VERDICTS; those that none has are left out."""
    of = Counter(verdict.verdict for verdict in verdicts)
    return ", ".join(f"{of[name]} {name}" for name in VERDICTS if of[name]) or "no claims"


def summary(verdicts: Sequence[Verdict]) -> str:
    """Each claim once, whatever the number of machines."""
    once = headlines(verdicts)
    return f"{len(once)} claims: {counts(once)}"


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
        of = Counter(verdict.verdict for verdict in found)
        if found or meaning in _ALWAYS:
            rows.append([meaning, str(len(found)), *(str(of[name] or "") for name in names)])
    return ["what is weak", "verdicts", *names], rows


# Told even where no verdict rests on such rows.
_ALWAYS = {MEANINGS[k] for k in (OLDER, STALE, POLLUTED, INCOMPLETE, FEW_SOURCES)}


def weak_summary(verdicts: Sequence[Verdict]) -> str:
    """A sentence on what the verdicts with rows rest on, each claim once."""
    once = [verdict for verdict in headlines(verdicts) if verdict.verdict != MISSING]
    of = Counter(kind for verdict in once for kind in verdict.weak)
    weak = sum(bool(verdict.weak) for verdict in once)
    return (
        f"Of the {len(once)} claims with rows, one verdict each, these rest on what is weak: "
        f"{of[OLDER]} on rows that are older than their limits, {of[STALE]} on rows of an engine "
        f"whose code has changed since, {of[INCOMPLETE]} on incomplete rows, {of[POLLUTED]} on "
        f"rows of which disturbed trials were left out, {of[FEW_SOURCES]} on fewer than "
        f"{EVIDENCE_SOURCES} sources a graph, and {of[STAND_INS]} on a graph that is not the "
        f"paper's own. {weak} have "
        "one of these weaknesses or of the others that the table below counts."
    )


def write(verdicts: Sequence[Verdict], folder: Path, origin: dict[str, str]) -> list[Path]:
    """claims.md, claims.json and claims.csv in `folder`; those of an earlier call are replaced.
    `origin` says what they were made from."""
    rows = [asdict(verdict) for verdict in verdicts]
    (folder / "claims.json").write_text(
        json.dumps({"made_from": origin, "verdicts": rows}, indent=1, ensure_ascii=False) + "\n",
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
    """Several words in one cell as rows have them: "stale;few sources"."""
    if isinstance(value, tuple):
        return ";".join(value)
    return "" if value is None else value


def _document(verdicts: Sequence[Verdict]) -> str:
    parts = ["# Claims\n", f"Made by `make claims`. {summary(verdicts)}.\n"]
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
    if verdict.minutes is None:
        return f"{verdict.reason} {commands}"
    takes = f"about {verdict.minutes:.0f} min" if verdict.minutes >= 1 else "under a minute"
    each = " each" if "\n" in verdict.command else ""
    return f"{verdict.reason} {commands} ({takes}{each})"


def _bold(verdict: Verdict) -> str:
    return f"**{verdict.verdict}**" if verdict.verdict in REFUTATIONS else verdict.verdict


def block(verdicts: Sequence[Verdict]) -> str:
    """For a page of docs: of each paper's item how many claims have which verdict, each claim once,
    then what any machine refutes, with its values."""
    once = headlines(verdicts)
    decided = [name for name in VERDICTS if any(v.verdict == name for v in once)]
    rows = []
    for paper, item in dict.fromkeys((v.paper, _first_item(v)) for v in once):
        of = Counter(v.verdict for v in once if (v.paper, _first_item(v)) == (paper, item))
        rows.append([f"{paper}, {item}", *(str(of[name] or "") for name in decided)])
    parts = [BEGIN, f"{summary(verdicts)}.\n", markdown_table(["paper's item", *decided], rows)]
    for verdict in REFUTATIONS:
        refuted = [
            (v.text, f"{v.paper}, {v.item}", v.paper_value, shown(v), v.machine, v.instead)
            for v in verdicts
            if v.verdict == verdict
        ]
        if refuted:
            head = ("claim", "where", "paper", "here", "machine", "in place of the paper's graphs")
            told = len(head) if verdict == REFUTED_ON_STAND_INS else -1
            parts += [
                f"{verdict.capitalize()}:\n",
                markdown_table(head[:told], [row[:told] for row in refuted]),
            ]
    return "\n".join([*parts, END])


def _first_item(verdict: Verdict) -> str:
    """The figure or table among the places where a claim stands, else the first of them."""
    items = [item.strip() for item in verdict.item.split(";")]
    drawn = [item for item in items if item.startswith(("Figure", "Table"))]
    return (drawn or items)[0]


def read(folder: Path) -> tuple[dict[str, str], list[Verdict]]:
    """What `write` has written: what the verdicts were made from, and the verdicts."""
    told = json.loads((folder / "claims.json").read_text(encoding="utf-8"))
    return told["made_from"], [
        Verdict(**{k: tuple(v) if isinstance(v, list) else v for k, v in row.items()})
        for row in told["verdicts"]
    ]
