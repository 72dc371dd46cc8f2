# SPDX-License-Identifier: Apache-2.0
"""report.html: one page without any other file, from the templates beside this one."""

from __future__ import annotations

import base64
import re
from html import unescape
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from ..cells import number
from ..claims import (
    MISSING,
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
from ..drawing import svg
from ..equivalence import HEADS
from ..load import PACKED
from ..report import forest, measured
from ..report.entry import Entry, Facts
from ..report.findings import MEANINGS, OTHER, PAPERS, Report, sentence, short_reason
from ..table import Table, html

_HERE = Path(__file__).parent
_ROWS = ("runs.csv", "runs.csv" + PACKED, "spec.json", "environment.json", "benchmark.json")
_CLASS = {
    REPRODUCED: "good",
    REPRODUCED_ON_STAND_INS: "good instead",
    SAME_DIRECTION: "half",
    SAME_DIRECTION_FAR: "half instead",
    REFUTED: "bad",
    REFUTED_ON_STAND_INS: "bad instead",
}
# In the legend of the forest plot, which are letters: matplotlib's marks of forest.MARKS.
_LETTERS = {"o": "●", "^": "▲", "s": "■", "D": "◆"}
_MANY_COLUMNS = 10
_CSS_PX = 96 / 72  # of a point


def page(report: Report) -> str:
    """Returns the page as text. All that rows and claims say is escaped."""
    environment = Environment(
        loader=FileSystemLoader(_HERE, encoding="utf-8"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "badge_class": lambda verdict: f"verdict {_CLASS.get(verdict, '')}".strip(),
        "claim_id": _claim_id,
        "image": _image,
        "words": _words,
        "number": number,
        "shown": shown,
        "short_reason": short_reason,
        "minutes": minutes_of,
        "table": _table,
        "rows": lambda fact: _rows(report, fact),
        "csv": lambda entry: _csv(report, entry),
    }
    return environment.get_template("page.html").render(
        report=report,
        style=Markup((_HERE / "page.css").read_text(encoding="utf-8")),
        script=Markup((_HERE / "page.js").read_text(encoding="utf-8")),
        forests=_forests(report),
        legend=_legend(report),
        sentence=sentence,
        counts=counts(report.headlines),
        by_evidence=by_evidence(report.verdicts),
        weaknesses=weaknesses(report.verdicts),
        weak_summary=weak_summary(report.verdicts),
        measured=measured,
        PAPERS=PAPERS,
        OTHER=OTHER,
        VERDICTS=VERDICTS,
        MEANINGS=MEANINGS,
        MISSING=MISSING,
        EQUIVALENCE_HEADS=HEADS,
    )


def minutes_of(verdict: Verdict) -> str:
    if verdict.minutes is None:
        return ""
    return f"about {verdict.minutes:.0f} min" if verdict.minutes >= 1 else "under a minute"


def _claim_id(verdict: Verdict) -> str:
    return f"claim-{verdict.id}-{verdict.machine}".replace(", ", "-").rstrip("-")


def _forests(report: Report) -> dict[str, str]:
    """The forest plot of each paper that has claims with rows, as SVG, by its short name."""
    found = {}
    for paper in report.claimed:
        mine = [v for v in report.headlines if v.paper == paper]
        if figure := forest.draw(mine, report.recorded):
            found[paper] = svg(figure)
    return found


def _legend(report: Report) -> list[tuple[str, str, str, bool]]:
    """(letter, meaning, colour, filled) of the marks in the forest plot."""
    seen = {v.verdict for v in report.headlines}
    kinds = {v.evidence for v in report.headlines if v.verdict != MISSING}
    marks = [(_LETTERS[forest.MARKS[k]], words, "#555555", True)
             for k, words in forest.EVIDENCE.items() if k in kinds]  # fmt: skip
    return [
        *(("●" if filled else "○", verdict, color, filled)
          for verdict, (color, filled) in forest.LOOK.items() if verdict in seen),
        *marks,
    ]  # fmt: skip


def _image(svg_text: str, words: str) -> Markup:
    """The SVG as an image of its own size that says what it shows; it shrinks where it must."""
    width, height = (
        round(float(re.search(rf'<svg [^>]*\b{side}="([\d.]+)pt"', svg_text)[1]) * _CSS_PX)
        for side in ("width", "height")
    )
    data = base64.b64encode(svg_text.encode("utf-8")).decode("ascii")
    return Markup(
        '<img width="{}" height="{}" alt="{}" src="data:image/svg+xml;base64,{}">'
    ).format(width, height, words, data)


def _words(svg_text: str) -> str:
    """The texts of a figure, each once, for a search: an image hides them."""
    return unescape(" ".join(dict.fromkeys(re.findall(r">([^<>]+)</text>", svg_text))))


def _table(table: Table, name: str) -> Markup:
    """A table as the paper has it: spanned heads, sections, the best in bold."""
    dense = " dense" if table.column_count > _MANY_COLUMNS else ""
    classes = f"data cards from{table.text_columns + 1}{dense}"
    return Markup(html(table, name, classes, labelled=True))


def _rows(report: Report, fact: Facts) -> list[tuple[str, str | None]]:
    """(name, link or None) of the files of rows that a figure shows."""
    paths = [fact.folder / name for name in _ROWS]
    return [(path.name, report.link(path)) for path in paths if path.exists()]


def _csv(report: Report, entry: Entry) -> str | None:
    return report.link(entry.paths["csv"]) if "csv" in entry.paths else None
