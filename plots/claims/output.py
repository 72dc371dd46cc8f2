# SPDX-License-Identifier: Apache-2.0
"""Verdicts as a table, as files beside the results, and as sentences for captions and pages."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, fields
from pathlib import Path

from ..cells import number
from ..claims.ledger import headlines
from ..claims.verdict import REFUTED, VERDICTS, Verdict
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
        (v.id, v.paper_value, shown(v), f"{v.verdict}{' !' * (v.verdict == REFUTED)}", v.machine)
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
            row = {k: "" if v is None else v for k, v in row.items()}
            writer.writerow(row | {"low": low, "high": high})
    (folder / "claims.md").write_text(_document(verdicts), encoding="utf-8")
    return [folder / f"claims.{ending}" for ending in ("md", "json", "csv")]


def _document(verdicts: Sequence[Verdict]) -> str:
    parts = ["# Claims\n", f"Made by `make claims`. {summary(verdicts)}.\n"]
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
    if verdict.minutes is None:
        return f"{verdict.reason} `{verdict.command}`"
    takes = f"about {verdict.minutes:.0f} min" if verdict.minutes >= 1 else "under a minute"
    return f"{verdict.reason} `{verdict.command}` ({takes})"


def _bold(verdict: Verdict) -> str:
    return f"**{verdict.verdict}**" if verdict.verdict == REFUTED else verdict.verdict


def block(verdicts: Sequence[Verdict]) -> str:
    """For a page of docs: of each paper's item how many claims have which verdict, each claim once,
    then what any machine refutes, with its values."""
    once = headlines(verdicts)
    decided = [name for name in VERDICTS if any(v.verdict == name for v in once)]
    rows = []
    for paper, item in dict.fromkeys((v.paper, _first_item(v)) for v in once):
        of = Counter(v.verdict for v in once if (v.paper, _first_item(v)) == (paper, item))
        rows.append([f"{paper}, {item}", *(str(of[name] or "") for name in decided)])
    refuted = [
        (v.text, f"{v.paper}, {v.item}", v.paper_value, shown(v), v.machine)
        for v in verdicts
        if v.verdict == REFUTED
    ]
    parts = [BEGIN, f"{summary(verdicts)}.\n", markdown_table(["paper's item", *decided], rows)]
    if refuted:
        parts += [
            "Refuted:\n",
            markdown_table(("claim", "where", "paper", "here", "machine"), refuted),
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
        Verdict(**row | {"interval": tuple(row["interval"]) if row["interval"] else None})
        for row in told["verdicts"]
    ]
