# SPDX-License-Identifier: Apache-2.0
"""REPORT.md: what report.html says, for readers of text."""

from __future__ import annotations

from ..claims import VERDICTS, Verdict
from ..claims.output import by_evidence, shown, summary, weak_summary, weaknesses
from ..equivalence import HEADS
from ..pages import without_html
from ..report.entry import Entry
from ..report.findings import (
    EQUIVALENCE,
    LIMITS,
    MEANINGS,
    PAPERS,
    TRUST,
    Report,
    heading,
    minutes_or_why,
    sentence,
)
from ..table import Row, Table, markdown

PAGE = "report.html"  # beside this one


def text(report: Report) -> str:
    parts = ["# What the recorded rows say", f"[{PAGE}]({PAGE}) is the same with all figures."]
    parts += _claims(report)
    parts += ["## The rows behind the numbers", _table(TRUST, report.trust())]
    if report.equivalence:
        parts += ["## Versions of the program, compared", EQUIVALENCE]
        parts.append(_table(HEADS, report.equivalence))
    for paper in report.papers:
        named = f"{paper}: {PAPERS[paper]}" if paper in PAPERS else paper
        parts.append(f"## {named or 'Experiments of our own'}")
        for group in report.groups(paper):
            parts.append(f"### {heading(group[0])}")
            parts += [_figure(report, entry) for entry in group]
        missed = report.not_run(paper) if paper else []
        if missed:
            parts.append("Without rows here:")
            parts.append("\n".join(f"- {name}: `{command}`" for name, command in missed))
    return without_html("\n\n".join(part.rstrip("\n") for part in parts if part) + "\n")


def _claims(report: Report) -> list[str]:
    if not report.headlines:
        return ["## Claims and verdicts", "No claim was evaluated."]
    papers = [p for p in report.papers if any(report.counts(p).values())]
    matrix = [[p, *(str(n or "") for n in report.counts(p).values())] for p in papers]
    parts = ["## Claims and verdicts", f"{summary(report.verdicts)}."]
    parts.append(_table(("Paper", *VERDICTS), matrix))
    parts.append(_table(*by_evidence(report.verdicts)))
    parts.append("; ".join(f"{v}: {meaning}" for v, meaning in MEANINGS.items()) + ".")
    parts.append(LIMITS)
    if report.judged:
        parts += ["### What the verdicts rest on", weak_summary(report.verdicts)]
        parts.append(_table(*weaknesses(report.verdicts)))
    for _, title, found in report.listed():
        parts += [f"### {title}", "\n".join(f"- {sentence(v)}" for v in found)]
    if report.judged:
        heads = ("Verdict", "Paper", "Claim", "Printed", "Here", "Machine", "Why")
        parts += ["### Every claim that has rows", _table(heads, map(_judged, report.judged))]
    if report.missing:
        rows = ([f"{v.paper}, {v.item}", v.text,
                 ", ".join(f"`{line}`" for line in v.command.splitlines()), minutes_or_why(v)]
                for v in report.missing)  # fmt: skip
        parts += ["### Claims without rows", _table(("Paper", "Claim", "Command", "Minutes"), rows)]
    return parts


def _judged(v: Verdict) -> list[str]:
    item = f"{v.paper}, {v.item}"
    return [v.words, item, v.text, v.paper_value, shown(v), v.machine, v.reason]


def _table(heads, rows) -> str:
    return markdown(Table([[(head, 1) for head in heads]], [Row(list(cells)) for cells in rows]))


def _figure(report: Report, entry: Entry) -> str:
    found = report.of(entry)
    finding = report.finding(entry)
    parts = [f"#### {entry.experiment}, {entry.machines}", finding]
    picture = report.link(entry.paths["png"]) if "png" in entry.paths else None
    if entry.markdown:
        parts.append(entry.markdown)
    elif picture:
        parts.append(f"![{finding.replace('[', '(').replace(']', ')')}]({picture})")
    else:
        parts.append(f"[The figure]({PAGE}#{entry.anchor})")
    parts.append(entry.caption)
    lines = [f"Claim: {sentence(v)}" for v in found[1:]]
    lines += [f"Statistic: {entry.statistic}"] if entry.statistic else []
    for fact in entry.facts:
        lines += [f"Command: `{fact.command}`", f"Machine: {fact.machine}: {fact.environment}"]
        lines += [f"Caveat: {caveat}" for caveat in fact.caveats]
    parts.append("\n".join(f"- {line}" for line in lines))
    return "\n\n".join(part.rstrip("\n") for part in parts)
