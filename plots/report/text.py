# SPDX-License-Identifier: Apache-2.0
"""REPORT.md: the first page of report.html and all claims, for readers of text."""

from __future__ import annotations

from ..claims import MISSING, VERDICTS, Verdict
from ..claims.output import by_evidence, shown, summary, weak_summary
from ..equivalence import ENGINE_HEADS, by_engine
from ..pages import markdown_table, without_html
from ..report import measured
from ..report.findings import MEANINGS, OTHER, PAPERS, Report

PAGE = "report.html"  # beside this one


def text(report: Report) -> str:
    parts = ["# Which claims of the papers hold", *_first(report)]
    for paper in report.papers:
        parts += _paper(report, paper)
    if report.equivalence:
        parts += ["## Versions of the program, compared", measured.EQUIVALENCE_BY_ENGINE]
        parts.append(markdown_table(ENGINE_HEADS, by_engine(report.equivalence)))
    return without_html("\n\n".join(part.rstrip("\n") for part in parts if part) + "\n")


def _first(report: Report) -> list[str]:
    facts = [measured.when(report.experiments), f"Made by `{report.command}`."]
    facts.append(
        f"[{PAGE}]({PAGE}) has the figures, and `claims.md` why each verdict is what it is."
    )
    parts = [" ".join(fact for fact in facts if fact)]
    leading = [
        f"- **{paper}**. {words}" for paper in report.papers if (words := report.leading(paper))
    ]
    parts.append("\n".join(leading))
    if report.left_out:
        parts.append(f"{report.left_out} claims have no rows here and are left out.")
    elif not report.headlines:
        parts.append("No claim was evaluated.")
    if report.headlines:
        matrix = [[p, *(str(n or "") for n in report.counts(p).values())] for p in report.claimed]
        parts += [f"{summary(report.verdicts)}.", markdown_table(("paper", *VERDICTS), matrix)]
        parts.append(markdown_table(*by_evidence(report.verdicts)))
        parts.append("; ".join(f"{v}: {meaning}" for v, meaning in MEANINGS.items()) + ".")
        parts.append(weak_summary(report.verdicts).replace(" that the table below counts", ""))
    same, all_ = report.as_recorded
    if all_:
        parts.append(f"{same} of {all_} verdicts are those of the recorded rows.")
    machines = measured.machines(report.experiments)
    parts.append("\n".join(f"- {name}: {facts}" for name, facts in machines.items()))
    return parts


def _paper(report: Report, paper: str) -> list[str]:
    parts = [
        f"## {paper}: {PAPERS[paper]}"
        if paper in PAPERS
        else f"## {paper or 'Experiments of our own'}"
    ]
    claims = [v for v in report.headlines if v.paper == paper]
    if claims:
        heads = ["where", "claim", "paper", "here", "verdict", "machine"]
        heads += ["recorded"] * bool(report.recorded)
        parts.append(markdown_table(heads, [_row(report, v) for v in claims]))
    items = report.items(paper)
    if not paper:
        return [*parts, f"{len(items)} items, in [{PAGE}]({PAGE}#paper-{OTHER})."]
    figures = [
        f"- [{item.title}]({PAGE}#{item.anchor}): "
        + ", ".join(dict.fromkeys(machine for block in item.blocks for machine in block.machines))
        for item in items
    ]
    parts.append("\n".join(figures))
    missed = report.not_run(paper)
    if missed:
        parts.append(
            "Without rows here: " + ", ".join(f"`{command}`" for _, command in missed) + "."
        )
    return parts


def _row(report: Report, verdict: Verdict) -> list[str]:
    words = verdict.words if verdict.verdict != MISSING else MISSING
    row = [verdict.item, verdict.text, verdict.paper_value, shown(verdict), words, verdict.machine]
    if report.recorded:
        before = report.recorded.get(verdict.id)
        row.append(f"{shown(before)} ({before.words}, {before.machine})" if before else "")
    return row
