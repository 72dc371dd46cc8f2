# SPDX-License-Identifier: Apache-2.0
"""report.html: one page without any other file, from the file system, on paper and on a phone."""

from __future__ import annotations

import re
from pathlib import Path

from ..claims import (
    REFUTATIONS,
    REFUTED,
    REFUTED_ON_STAND_INS,
    REPRODUCED,
    REPRODUCED_ON_STAND_INS,
    SAME_DIRECTION,
    SAME_DIRECTION_FAR,
    VERDICTS,
    Verdict,
)
from ..claims.output import by_evidence, counts, shown, weak_summary, weaknesses
from ..equivalence import HEADS
from ..load import PACKED
from ..report import figure_data
from ..report.entry import Entry
from ..report.findings import (
    EQUIVALENCE,
    LIMITS,
    MEANINGS,
    PAPERS,
    TRUST,
    Report,
    heading,
    minutes_of,
    minutes_or_why,
    sentence,
    short_reason,
)
from ..report.html import Html, code, join, tag
from ..table import Table, html

_HERE = Path(__file__).parent
# Nothing may be fetched, from anywhere.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
_CLASS = {
    REPRODUCED: "good",
    REPRODUCED_ON_STAND_INS: "good instead",
    SAME_DIRECTION: "half",
    SAME_DIRECTION_FAR: "half instead",
    REFUTED: "bad",
    REFUTED_ON_STAND_INS: "bad instead",
}


def page(report: Report) -> str:
    title = "bfslab: what the recorded rows say"
    styles = _Styles()
    main = tag("main", _claims(report), _trust(report), _equivalence(report),
               *(_paper(report, paper, styles) for paper in report.papers))  # fmt: skip
    shared = _shared(report, styles)
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        tag("title", title),
        tag("style", Html((_HERE / "page.css").read_text(encoding="utf-8") + styles.sheet())),
    )
    script = tag("script", Html((_HERE / "page.js").read_text(encoding="utf-8")))
    body = tag("body", tag("header", tag("h1", title), _contents(report)), main, shared, script)
    return f"<!DOCTYPE html>\n{tag('html', head, body, lang='en')}\n"


def _contents(report: Report) -> Html:
    links = [("#claims", "Claims"), ("#rows", "Rows")]
    links += [(f"#paper-{paper or 'other'}", paper or "Other") for paper in report.papers]
    items = [tag("li", tag("a", name, href=target)) for target, name in links]
    return tag("nav", tag("ul", *items), aria_label="Contents")


def _badge(verdict: str, words: str = "") -> Html:
    """The verdict, or what is said of it, in its colour."""
    return tag("span", words or verdict, class_=f"verdict {_CLASS.get(verdict, '')}".strip())


# Claims


def _claims(report: Report) -> Html:
    total = len(report.headlines)
    summary = f"{total} quantitative claims of the papers were put to the rows in this folder. "
    parts: list[object] = [tag("h2", "Claims and verdicts", id="claims")]
    if not total:
        parts.append(tag("p", "No claim was evaluated."))
        return tag("section", *parts)
    parts.append(tag("p", summary, tag("b", counts(report.headlines)), "."))
    parts.append(_matrix(report))
    parts.append(_by_verdict(*by_evidence(report.verdicts), "evidence-table"))
    if report.judged:
        parts.append(tag("h3", "What the verdicts rest on"))
        parts.append(tag("p", weak_summary(report.verdicts)))
        parts.append(_by_verdict(*weaknesses(report.verdicts), "weak-table"))
    for verdict, title, found in report.listed():
        items = (tag("li", tag("a", sentence(v), href=f"#{_claim_id(v)}")) for v in found)
        lines = tag("ul", *items)
        if verdict in REFUTATIONS:
            parts += [tag("h3", title), lines]
        else:
            parts.append(tag("details", tag("summary", f"{title} ({len(found)})"), lines))
    if report.judged:
        parts.append(tag("h3", "Every claim that has rows"))
        parts.append(tag("p", "A claim with rows on several machines has a line for each. An "
                         "interval is of 95 %, over sources and, where four or more measured, "
                         "processes.", class_="soft"))  # fmt: skip
        parts.append(_claims_table(report.judged, "claims-table"))
    if report.missing:
        summary = f"{len(report.missing)} claims without rows, and the commands that make them"
        parts.append(tag("details", tag("summary", summary), _missing_table(report.missing)))
    return tag("section", *parts)


def _matrix(report: Report) -> Html:
    papers = [p for p in report.papers if any(report.counts(p).values())]
    head = tag("tr", tag("th", "Paper", scope="col"),
               *(tag("th", _badge(v), scope="col") for v in VERDICTS))  # fmt: skip
    rows = [
        tag("tr", tag("th", tag("a", paper, href=f"#paper-{paper}"), scope="row"),
            *(tag("td", n or "", class_="n") for n in report.counts(paper).values()))
        for paper in papers
    ]  # fmt: skip
    meanings = "; ".join(f"{verdict}: {meaning}" for verdict, meaning in MEANINGS.items())
    return join(_scroll(tag("table", tag("thead", head), tag("tbody", *rows))),
                tag("p", f"{meanings}. {LIMITS}", class_="soft"))  # fmt: skip


def _by_verdict(heads: list[str], rows: list[list[str]], name: str) -> Html:
    head = tag("tr", *(tag("th", _badge(h) if h in VERDICTS else h, scope="col") for h in heads))
    made = [
        tag(
            "tr", tag("th", row[0], scope="row"), *(tag("td", cell, class_="n") for cell in row[1:])
        )
        for row in rows
    ]
    return _scroll(tag("table", tag("thead", head), tag("tbody", *made), id=name))


def _claim_id(verdict: Verdict) -> str:
    return f"claim-{verdict.id}-{verdict.machine}".replace(", ", "-").rstrip("-")


def _claims_table(verdicts: list[Verdict], name: str) -> Html:
    heads = ("Verdict", "Claim", "Paper", "Here", "Machine", "Why")
    rows = []
    for v in verdicts:
        why, more = short_reason(v)
        details = tag("details", tag("summary", "More"), tag("p", more) if more else None,
                  tag("p", f"Statistic: {v.statistic}."),
                  tag("p", "Rows: ", code(v.command), f" {minutes_of(v)}"))  # fmt: skip
        cells = (_badge(v.verdict, v.words), join(tag("b", f"{v.paper}, {v.item}"), ". ", v.text),
                 v.paper_value, shown(v), v.machine, join(why, details))  # fmt: skip
        keys = (VERDICTS.index(v.verdict), f"{v.paper} {v.item}", None, None, None, None)
        rows.append(tag("tr", *(tag("td", cell, data_key=key)
                                for cell, key in zip(cells, keys, strict=True)),
                        id=_claim_id(v)))  # fmt: skip
    return _data(name, heads, rows, "Search claims", extra="claims")


def _missing_table(verdicts: list[Verdict]) -> Html:
    heads = ("Claim", "Paper", "Command", "Minutes")
    rows = [
        tag("tr", tag("td", tag("b", f"{v.paper}, {v.item}"), ". ", v.text),
            tag("td", v.paper_value),
            tag("td", *(tag("div", code(line)) for line in v.command.splitlines())),
            tag("td", minutes_or_why(v)))
        for v in verdicts
    ]  # fmt: skip
    return _data("missing-table", heads, rows, "Search claims without rows")


# Tables


def _scroll(*children: object) -> Html:
    return tag("div", *children, class_="scroll")


def _data(name: str, heads: tuple[str, ...], rows: list[Html], find: str, extra: str = "") -> Html:
    """A table that page.js makes sort, and a field that searches it."""
    head = tag("thead", tag("tr", *(tag("th", h, scope="col") for h in heads)))
    table = tag("table", head, tag("tbody", *rows), id=name, class_=f"data {extra}".strip())
    field = tag("input", type="search", class_="find", placeholder=find, aria_label=find,
                aria_controls=name, hidden=True)  # fmt: skip
    return join(field, _scroll(table))


def _trust(report: Report) -> Html:
    rows = []
    for cells in report.trust():
        target = next((e.anchor for e in report.entries if e.experiment == cells[0]), None)
        name = tag("a", cells[0], href=f"#{target}") if target else cells[0]
        rows.append(tag("tr", tag("td", name), *(tag("td", cell) for cell in cells[1:])))
    return tag(
        "section",
        tag("h2", "The rows behind the numbers", id="rows"),
        tag("dl", *(join(tag("dt", m), tag("dd", line)) for m, line in report.machines.items())),
        tag("p", "A trial that other programs, a stop or other users of the GPU disturbed is "
            "repeated; where every attempt was disturbed, its number is shown, and counted here.",
            class_="soft"),
        _data("trust-table", TRUST, rows, "Search experiments"),
    )  # fmt: skip


def _equivalence(report: Report) -> Html | None:
    if not report.equivalence:
        return None
    rows = [tag("tr", *(tag("td", cell) for cell in cells)) for cells in report.equivalence]
    return tag(
        "section",
        tag("h2", "Versions of the program, compared", id="equivalence"),
        tag("p", EQUIVALENCE, class_="soft"),
        _data("equivalence-table", HEADS, rows, "Search comparisons"),
    )


def _shown(table: Table, name: str) -> Html:
    """A table as the paper has it: spanned heads, sections, the best in bold."""
    note = tag("p", table.note, class_="soft") if table.note else None
    return join(_scroll(Html(html(table, name, f"data from{table.text_columns + 1}"))), note)


def _numbers(report: Report, entry: Entry) -> Html:
    """The CSV file's rows, and the trials behind each, which page.js makes a table of."""
    csv = entry.paths.get("csv")
    link = report.link(csv) if csv else None
    where = tag("a", csv.name, href=link) if link else f"{entry.name}.csv"
    without = tag("noscript", tag("p", "A script makes this table; ", where, " has its numbers."))
    return tag("details", tag("summary", f"Numbers ({len(entry.numbers):,} rows)"), without,
               class_="screen numbers", data_table=f"{entry.anchor}-numbers")  # fmt: skip


# Figures


def _paper(report: Report, paper: str, styles: _Styles) -> Html:
    title = f"{paper}: {PAPERS[paper]}" if paper in PAPERS else paper or "Experiments of our own"
    parts: list[object] = [tag("h2", title, id=f"paper-{paper or 'other'}")]
    found = {v: n for v, n in report.counts(paper).items() if n}
    if found:
        badges = [join(_badge(v), f" {n}") for v, n in found.items()]
        parts.append(tag("p", join(*(join(one, "  ") for one in badges))))
    for group in report.groups(paper):
        parts.append(tag("h3", heading(group[0])))
        parts += [_figure(report, entry, styles) for entry in group]
    missed = report.not_run(paper) if paper else []
    if missed:
        items = [tag("li", name, ": ", code(command)) for name, command in missed]
        parts.append(tag("details", tag("summary", f"{len(missed)} experiments without rows here"),
                         tag("ul", *items)))  # fmt: skip
    return tag("section", *parts)


def _figure(report: Report, entry: Entry, styles: _Styles) -> Html:
    found = report.of(entry)
    finding = report.finding(entry)
    badge = _badge(found[0].verdict, found[0].words) if found else None
    if entry.table:
        shown = _shown(entry.table, f"{entry.anchor}-table")
    else:
        alone = styles.classed(_labelled(entry.picture.element, f"{heading(entry)}. {finding}"))
        shown = tag("div", alone, class_="plot", tabindex="0", role="group",
                    aria_label="Figure; arrow keys step through its points")  # fmt: skip
    return tag(
        "figure",
        tag("h4", f"{entry.experiment}, {entry.machines}"),
        tag("p", badge, " " if badge else None, finding, class_="finding"),
        shown,
        tag("figcaption", entry.caption),
        _facts(report, entry, found),
        _numbers(report, entry),
        tag("script", Html(figure_data.written(entry)), type="application/json"),
        id=entry.anchor,
    )


class _Styles:
    """Drawings have few styles, each thousands of times: classes take a third of the bytes."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def classed(self, svg: str) -> Html:
        return Html(re.sub(r' style="(?!--)([^"]*)"', self._class, svg))

    def _class(self, style: re.Match) -> str:
        return f' class="{self._names.setdefault(style[1], f"s{len(self._names)}")}"'

    def sheet(self) -> str:
        return "".join(f".{name}{{{style}}}" for style, name in self._names.items())


def _shared(report: Report, styles: _Styles) -> Html:
    """The definitions that drawings refer to."""
    parts = {name: part for e in report.entries for name, part in e.picture.shared.items()}
    defined = tag("defs", styles.classed("".join(parts.values())))
    return tag("svg", defined, width=0, height=0, style="position:absolute", aria_hidden="true")


def _labelled(svg: str, text: str) -> str:
    """The drawing as an image that says what it shows; its size follows the page's, up to twice."""
    label = tag("i", role="img", aria_label=text).removeprefix("<i").removesuffix("></i>")
    return svg.replace("<svg", f"<svg{label}", 1)


def _facts(report: Report, entry: Entry, found: list[Verdict]) -> Html:
    lines: list[tuple[str, object]] = []
    if found:
        items = [
            tag("li", _badge(v.verdict, v.words), " ", tag("a", v.text, href=f"#{_claim_id(v)}"))
            for v in found
        ]
        lines.append(("Claims", tag("ul", *items)))
    if entry.statistic:
        lines.append(("Statistic", entry.statistic))
    for fact in entry.facts:
        where = f" ({fact.machine})" if len(entry.facts) > 1 else ""
        rows = [
            tag("a", path.name, href=link) if (link := report.link(path)) else path.name
            for path in (fact.folder / name
                         for name in ("runs.csv", "runs.csv" + PACKED, "spec.json",
                                      "environment.json", "benchmark.json"))
            if path.exists()
        ]  # fmt: skip
        lines.append((f"Command{where}", code(fact.command)))
        lines.append((f"Machine{where}", f"{fact.machine}: {fact.environment}"))
        lines.append((f"Rows{where}", join(*(join(row, " ") for row in rows))))
        if fact.caveats:
            caveats = tag("ul", *(tag("li", sentence) for sentence in fact.caveats))
            lines.append((f"Caveats{where}", caveats))
    return tag("dl", *(join(tag("dt", name), tag("dd", what)) for name, what in lines))
