# SPDX-License-Identifier: Apache-2.0
"""The report: rows found again from drawn points, small SVG, what figures are told with, and the
page in a browser."""

import html
import json
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from results_builder import Results

from plots import report, style
from plots.__main__ import main
from plots.caveats import caveats as all_caveats
from plots.claims import (
    MISSING,
    REFUTED,
    REFUTED_ON_STAND_INS,
    REPRODUCED,
    SAME_DIRECTION,
    UNDECIDED,
    Verdict,
)
from plots.drawing import listed
from plots.figures import engines_by_graph
from plots.load import ResultsError, find_experiments, load_experiment
from plots.report import figure_data, findings, outline, vector
from plots.report.entry import Entry
from plots.report.html import Html, join, tag
from plots.report.points import Point, points

ROOT = Path(__file__).resolve().parents[2]
NUMBERS = pd.DataFrame(
    {
        "graph": ["a", "a", "b", "b"],
        "case": ["Ad", "WB", "Ad", "WB"],
        "time_ms": [1.5, 2.5, 2.5, 4.0],
        "share": [0.1, 0.2, 0.3, 0.4],
        "threads": [1, 2, 1, 2],
    }
)


def rows_of(draw, numbers: pd.DataFrame = NUMBERS) -> list[int | None]:
    """The rows that `points` finds for what `draw` draws on one pair of axes."""
    figure = style.new_figure(4, 3)
    draw(figure.subplots())
    return [point.row for point in points(figure, numbers, vector.tight_box(figure))]


def test_bars_are_rows_of_their_series_even_where_others_have_the_same_value():
    def draw(axes):
        axes.bar([0, 1], [1.5, 2.5], label="Ad")
        axes.bar([0.4, 1.4], [2.5, 4.0], label="WB")

    assert rows_of(draw) == [0, 2, 1, 3]


def test_bars_on_a_foot_and_parts_of_a_stack():
    def draw(axes):
        axes.bar([0, 1], [0.5, 1.5], bottom=1, label="Ad")
        axes.bar([0, 1], [2.5, 4.0], bottom=[1.5, 2.5], label="WB")

    assert rows_of(draw) == [0, 2, 1, 3]


def test_percent_and_microseconds_are_the_same_rows():
    assert rows_of(lambda axes: axes.plot([1, 2, 3, 4], [10, 20, 30, 40], "o")) == [0, 1, 2, 3]
    assert rows_of(lambda axes: axes.plot([5, 6], [1500, 4000], "o")) == [0, 3]


def test_equal_values_are_told_apart_by_the_other_axis_and_by_ticks():
    def by_threads(axes):
        axes.plot([2, 1], [2.5, 2.5], "o")

    def by_ticks(axes):
        axes.scatter([0, 1], [2.5, 2.5])
        axes.set_xticks([0, 1], ["a\n(stand-in)", "b"])

    assert rows_of(by_threads) == [1, 2]
    assert rows_of(by_ticks) == [1, 2]


def test_what_several_rows_could_be_is_none_of_them():
    assert rows_of(lambda axes: axes.plot([7, 8, 9], [2.5, 2.5, 2.5], "o")) == [None] * 3


def test_averages_and_reference_lines_are_no_rows():
    def draw(axes):
        axes.bar([0], [3.25], label="mean")
        axes.axhline(2.5)

    assert rows_of(draw) == [None]


def test_boxes_that_only_ticks_name_are_rows_if_there_is_such_a_row():
    def draw(axes):
        for x in (0, 1):
            for y in (0, 1, 2):
                axes.add_patch(style.matplotlib.patches.Rectangle((x, y), 1, 1))
        axes.set_xlim(0, 2)
        axes.set_ylim(0, 3)
        axes.set_xticks([0.5, 1.5], ["a", "b"])
        axes.set_yticks([0.5, 1.5, 2.5], ["Ad", "WB", "Async"])

    assert rows_of(draw) == [0, 1, None, 2, 3, None]


def test_dots_of_the_sources_of_a_row_name_them():
    index = pd.MultiIndex.from_product([[17, 23, 42], [0]], names=["source", "invocation"])
    each = pd.Series([1.25, 1.5, 2.0], index=index)
    numbers = NUMBERS.assign(by_source=pd.Series([None, None, each, None], dtype=object))
    figure = style.new_figure(4, 3)
    figure.subplots().plot([0, 1, 2], [1.25, 1.5, 2.0], "o")
    found = points(figure, numbers, vector.tight_box(figure))
    assert [point.row for point in found] == [2, 2, 2]
    assert [p.source for p in found] == ["source 17: 1.25", "source 23: 1.5", "source 42: 2"]


def test_points_are_where_the_drawing_has_them():
    figure = style.new_figure(4, 3)
    axes = figure.subplots()
    axes.plot([1, 2], [1.5, 4.0], marker="o", linestyle="none")
    box = vector.tight_box(figure)
    found = points(figure, NUMBERS, box)
    made = vector.picture(figure, box)
    first = style.COLORS[0].lower().removeprefix("#")
    mark = next(name for name, part in made.shared.items() if first in part)
    (drawn,) = re.findall(rf'marker:url\(#{mark}\)" d="([^"]+)"', made.element)
    x, y, *more = numbers_of(drawn)
    assert len(more) == 2
    for (across, down), point in zip([(x, y), (x + more[0], y + more[1])], found, strict=True):
        assert point.x == pytest.approx(across, abs=0.1)
        assert point.y == pytest.approx(down, abs=0.1)


def numbers_of(d: str) -> list[float]:
    return [float(word) for word in re.findall(r"-?(?:\d+\.?\d*|\.\d+)", d)]


def test_curves_between_marks_are_no_points():
    def draw(axes):
        axes.plot([1, 2, 3], [1.1, 1.2, 1.3])
        axes.plot([1, 2], [1.5, 4.0])

    assert rows_of(draw) == [0, 3]


def test_the_drawing_has_texts_and_no_names_of_its_own_and_shares_its_hatches():
    figure = style.new_figure(4, 3)
    axes = figure.subplots()
    axes.bar([0, 1], [1, 2], hatch="....", label="dots < & >")
    axes.legend()
    axes.plot(np.arange(2000), np.arange(2000), "o")
    made = vector.picture(figure, vector.tight_box(figure))
    assert "dots &lt; &amp; &gt;" in made.element
    assert ' id="' not in made.element and "<metadata" not in made.element
    assert made.element.count("<image") == 1  # a cloud of marks as pixels
    used = set(re.findall(r"url\(#([^\")]+)", made.element))
    assert used == set(made.shared)
    hatch = next(part for part in made.shared.values() if "<pattern" in part)
    assert len(hatch) < 2000  # and not an inch of dots
    assert len(made.element) < 15_000


@pytest.mark.parametrize(
    ("written", "short"),
    [
        ("M 10 20 L 30 20 L 30 5 L 10 5 z", "m10 20h20v-15h-20z"),
        ("M 0.04 0.26 L 0.5 -0.5 L 1.02 -0.04 ", "m0 .3.5-.8.5.5"),
        ("M 1 1 L 2 2 M 5 5 C 6 6 7 7 8 8 Q 1 1 2 2", "m1 1 1 1m3 3c1 1 2 2 3 3q-7-7-6-6"),
        ("M 1 1 L 4 5 z M 2 1 L 1 9 z", "m1 1 3 4zm1 0-1 8z"),
    ],
)
def test_outlines_are_written_by_steps_between_rounded_places(written, short):
    assert outline.written(outline.steps(written)) == short


def test_steps_of_an_outline_do_not_drift():
    places = [(k / 3, k / 7) for k in range(1000)]
    d = " L ".join(f"{x:.6f} {y:.6f}" for x, y in places)
    x, y = np.array(numbers_of(outline.written(outline.steps(f"M {d}")))).reshape(-1, 2).cumsum(0).T
    assert np.abs(x - [p[0] for p in places]).max() < 0.06
    assert np.abs(y - [p[1] for p in places]).max() < 0.06


def test_a_hatch_keeps_the_least_tile_that_repeats():
    dots = "".join(f"M {x} {y + x % 2} L {x} {y + x % 2 + 0.2} z" for x in range(8)
                   for y in range(0, 8, 2))  # fmt: skip
    steps, wide, tall = outline.repeated(outline.steps(dots), 8, 8)
    assert (wide, tall) == (2, 2)
    begin = {step[1] for step in steps if step[0] == "M"}
    assert {(0, 0), (1, 1)} <= begin  # and those beside it, which reach into it
    uneven = outline.steps("M 0 0 L 1 1 M 3 0 L 4 1")
    assert outline.repeated(uneven, 8, 8) == (uneven, 8, 8)


SVG = (
    '<svg xmlns:xlink="http://www.w3.org/1999/xlink" xmlns="http://www.w3.org/2000/svg" '
    'width="90.123pt" height="90pt" viewBox="0 0 90.123 90"><g id="figure_1"><defs>'
    '<path id="m1" d="M 0 0 L 0 1" style="stroke: #000"/></defs>{}</g><defs>'
    '<clipPath id="c1"><rect x="10" y="10" width="50" height="50"/></clipPath></defs></svg>'
)


def drawn(*parts: str) -> str:
    made = vector.smaller(SVG.format("".join(parts))).element
    return made.removeprefix('<svg style="--w:90.1" viewBox="0 0 90.1 90">').removesuffix("</svg>")


def bar(x: int, color: str = "#00f", more: str = "") -> str:
    d = f"M {x} 20 L {x + 5} 20 L {x + 5} 30 L {x} 30 z"
    return f'<path d="{d}" style="fill: {color}{more}"/>'


def test_what_is_drawn_alike_is_one_path_unless_something_else_would_be_covered():
    assert drawn(bar(1), bar(11)) == '<path style="fill:#00f" d="m1 20h5v10h-5zm10 0h5v10h-5z"/>'
    assert drawn(bar(1), bar(3)).count("<path") == 2  # the second covers the edge of the first
    assert drawn(bar(1), bar(11, "#f00"), bar(21)).count("<path") == 2
    between = drawn(bar(1), bar(11, "#f00"), bar(12))
    assert re.findall(r"#\w+", between) == ["#00f", "#f00", "#00f"]
    assert drawn(bar(1, more="; opacity: 0.5"), bar(11, more="; opacity: 0.5")).count("<path") == 2
    line = '<path d="M {} 5 L {} 9" style="fill: none; stroke: #000"/>'
    assert drawn(line.format(1, 2), line.format(1, 3)).count("<path") == 1
    image = '<image x="1.26" y="2" width="3" height="4" xlink:href="data:image/png;base64,AAAA"/>'
    several = drawn(line.format(1, 2), image, line.format(50, 51))
    assert several.count("<path") == 2 and 'x="1.3"' in several


def test_marks_are_the_corners_of_one_path_and_cut_only_where_something_is_cut_off():
    mark = '<use xlink:href="#m1" x="{}" y="20" style="fill: #f00; stroke: #00f"/>'
    clipped = '<g clip-path="url(#c1)">' + mark.format(20) + mark.format(31.26) + "</g>"
    made = vector.smaller(SVG.format(clipped))
    ((name, marker),) = made.shared.items()
    assert 'style="fill:#f00;stroke:#000" d="m0 0v1"' in marker  # the mark's own style counts
    assert f'style="fill:none;stroke:none;marker:url(#{name})" d="m20 20h11.3"' in made.element
    assert "clip-path" not in made.element
    edge = drawn('<g clip-path="url(#c1)">' + mark.format(10) + "</g>")
    assert 'clip-path="url(#c1)"' in edge and "marker-start:" in edge
    half = drawn('<path d="M 20 20 L 70 20" clip-path="url(#c1)" style="stroke: #000"/>')
    assert half.startswith('<g clip-path="url(#c1)"><path')


def test_texts_keep_their_words_and_say_a_common_style_once():
    text = (
        '<text style="font-size: 7px; font-family: \'DejaVu Sans\'" x="1.26" y="2" '
        'transform="rotate(-0 1.26 2)">a &lt; b  c</text>'
    )
    turned = '<text style="font-size: 7px" transform="translate(3.14 2.0) rotate(-35)">d</text>'
    assert drawn(text, turned) == (
        '<g style="font-size:7px"><text x="1.3" y="2">a &lt; b  c</text>'
        '<text transform="translate(3.1 2) rotate(-35)">d</text></g>'
    )


def test_a_figures_rows_and_points_can_be_read_again():
    index = pd.Index([17, 23], name="source")
    each = pd.Series([1.25, 1.5], index=index)
    numbers = pd.DataFrame({
        "graph": ["a", "a", "b", "b"], "case": ["Ad", "</script>", "Ad", "WB"], "machine": "box",
        "time_ms": [1.234567, 2.0, None, 4e-7], "by_source": [each, None, None, None],
    })  # fmt: skip
    points_of = [
        Point(10.1, 20.0, 0, "", "source 17: 1.25"),
        Point(12.3, 19.9, 0, "", "source 23: 1.5"),
        Point(30.0, 5.5, 1, "Ad"),
        Point(40.0, 5.5, None, "Ad"),
        Point(50.0, 6.0, 2, "WB", "3.1"),  # of no column
    ]
    entry = Entry("e", "", "", "", "m", "m", "", "", listed(numbers), ["1, 2", "", "", ""], [])
    entry.points = points_of
    text = figure_data.written(entry)
    assert "</" not in text
    told = json.loads(text)
    assert told["heads"] == [*numbers.columns, "trials"]
    columns = [read(column, told["rows"]) for column in told["columns"]]
    assert columns == [
        ["a", "a", "b", "b"], ["Ad", "</script>", "Ad", "WB"], ["box"] * 4,
        [1.2346, 2, "", 4e-07], ["1.25;1.5", "", "", ""], ["1, 2", "", "", ""],
    ]  # fmt: skip
    assert told["sources"] == [[17, 23]]
    assert told["points"] == [
        ["", [101, 22], [200, -1], 0, 0, 4],
        ["Ad", [300, 100], [55, 0], [1, -1]],
        ["WB", [500], [60], 2, ["3.1"]],
    ]


def read(column, rows: int) -> list:
    """As page.js reads it."""
    if isinstance(column, list):
        return column
    if not isinstance(column, dict):
        return [column] * rows
    at = [int(k, 36) if isinstance(k, str) else k for k in column["at"]]
    return [column["of"][k] for k in at]


def test_a_long_column_of_few_words_is_a_text_of_digits():
    words = ["word one", "word two"] * 40
    entry = Entry("e", "", "", "", "m", "m", "", "", pd.DataFrame({"w": words}), [""] * 80, [])
    told = json.loads(figure_data.written(entry))
    assert told["columns"] == [{"of": words[:2], "at": "01" * 40}]
    many = [f"word {k % 40}" for k in range(200)]
    entry = Entry("e", "", "", "", "m", "m", "", "", pd.DataFrame({"w": many}), [""] * 200, [])
    (column,) = json.loads(figure_data.written(entry))["columns"]
    assert column["at"][:41] == [*range(40), 0] and read(column, 200) == many


def test_html_escapes_what_is_no_markup():
    made = tag("p", "a<b>", None, tag("b", '"'), class_='x"y', hidden=True, data_n=None)
    assert made == '<p class="x&quot;y" hidden>a&lt;b&gt;<b>&quot;</b></p>'
    assert join(Html("<i>"), "&") == "<i>&amp;"


def test_titles_of_papers_are_those_of_the_references():
    page = " ".join((ROOT / "docs/references.md").read_text().split())
    for name, title in findings.PAPERS.items():
        assert f"**{name}**" in page and title in page


# A whole report


def verdict(name: str, word: str, **changes) -> Verdict:
    facts = {
        "id": name,
        "paper": "xbfs",
        "item": "Figure 11",
        "text": f"Claim {name} holds <b>.",
        "experiment": "trial-run",
        "statistic": "geometric mean",
        "paper_value": "2.3",
        "value": None if word == MISSING else 1.25,
        "interval": None if word == MISSING else (1.0, 1.5),
        "verdict": word,
        "reason": "1.25 is not 2 to 3. The paper had another GPU.",
        "machine": "" if word == MISSING else "box",
        "command": "bfslab run x.json",
        "minutes": 3.0,
        "figure": "engines_by_graph",
    }
    return Verdict(**facts | changes)


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    """A folder with rows of two machines, one of them disturbed, and the report on them."""
    root = tmp_path_factory.mktemp("results")
    spec = {
        "name": "trial-run",
        "paper": "xbfs",
        "item": "Figure 11",
        "title": "Engines <script>alert(1)</script>",
        "graphs": ["kronecker:scale=16", {"name": "com-lj-standin", "stand_in_for": "com-lj"}],
        "cases": {"A": {"engine": "hybrid"}, "B": {"engine": "top-down"}},
        "baseline": "A",
        "figure": ["engines_by_graph", "best_of_repeats"],
    }
    for machine, disturbed in (("box", 5), ("other", None)):
        results = Results(spec, {"host": machine, "dirty": machine == "box", "commit": "abc123"})
        for graph, stand_in in (("kronecker:scale=16", ""), ("com-lj-standin", "com-lj")):
            results.graph(graph, 1000, 16000, stand_in_for=stand_in)
            for source in (5, 7, 9):
                for case, time in (("A", 1.0), ("B", 2.0)):
                    results.run(case, time + source / 100, graph=graph, stand_in_for=stand_in,
                                source=source, polluted=int(source == disturbed))  # fmt: skip
        results.run("B", status="oom", reason="needs 3 GiB", graph="com-lj-standin",
                    stand_in_for="com-lj", source=11)  # fmt: skip
        results.write(root / machine / "trial-run")
    said = [
        verdict("one", SAME_DIRECTION, distance="1.8 times smaller",
                weak=("incomplete", "few sources")),
        verdict("two", REFUTED),
        verdict("three", MISSING),
        verdict("four", REFUTED_ON_STAND_INS, instead="com-lj-standin for com-lj",
                on_stand_ins=True, weak=("stand-ins", "incomplete")),
        verdict("five", REPRODUCED, weak=("contradiction", "polluted"), evidence="count",
                disagreeing=("other: refuted",)),
        verdict("six", UNDECIDED, value=None, interval=None),
    ]  # fmt: skip
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(report, "evaluate", lambda *_, **__: said)
        assert main([str(root), "--format", "none", "--report", str(root / "report")]) == 0
    return root / "report"


class Page(HTMLParser):
    """Ids, links and what would be fetched."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.labels: list[str] = []
        self.feed(text)

    def handle_starttag(self, name, attributes):
        known = dict(attributes)
        if "id" in known:
            self.ids.append(known["id"])
        if name == "a":
            self.links.append(known["href"])
        if name == "svg" and known.get("role") == "img":
            self.labels.append(known["aria-label"])
        self.fetched += [known[k] for k in ("src", "srcset", "data", "poster") if k in known]
        if name == "link":
            self.fetched.append(str(known))
        if name in ("image", "use"):
            self.fetched.append(known.get("xlink:href", known.get("href", "")))


def test_the_page_stands_alone_and_its_links_resolve(made):
    text = (made / "report.html").read_text()
    page = Page(text)
    assert len(page.ids) == len(set(page.ids))
    assert all(link.startswith(("#", "data:image/")) for link in page.fetched)
    assert len(page.links) > 10
    for link in page.links:
        if link.startswith("#"):
            assert link[1:] in page.ids
        else:
            assert (made / link).exists()
    for used in re.findall(r"url\(#([^)]+)\)", text):
        assert used in page.ids
    assert not re.search(r"(?:src|href)=.?(?:https?:)?//|@import|url\(http", text)


def test_nothing_that_rows_or_claims_say_becomes_markup(made):
    text = (made / "report.html").read_text()
    assert "<script>alert" not in text and "&lt;script&gt;alert" in text
    assert "holds <b>" not in text and "holds &lt;b&gt;" in text
    text = (made / "REPORT.md").read_text()
    assert "holds <b>" not in text and "holds &lt;b>" in text


def test_each_figure_says_its_finding_and_what_lies_behind_it(made):
    page = (made / "report.html").read_text()
    text = html.unescape((made / "REPORT.md").read_text())
    sentence = (
        "Claim one holds <b>: 1.25 (1 to 1.5) here (box), 2.3 in the paper: same direction, "
        "1.8 times smaller."
    )
    assert any(sentence in label for label in Page(page).labels)
    for words in (
        "4 of 13 trials were disturbed in every attempt",
        "1 of 13 trials gave no number (1 oom), most often because: needs 3 GiB.",
        "uncommitted changes",
        "com-lj-standin for com-lj",
        "Only 3 sources per graph.",
    ):
        assert words in text or words in text.replace("**", ""), words
        assert words in page, words
    assert sentence in text
    found = "A on box has the shortest time on 2 of 2 graphs"  # best_of_repeats has no claim
    assert found in text and "No claim of a paper rests on this figure." not in text
    assert text.index("## Claims and verdicts") < text.index("## The rows behind the numbers")
    order = ("Refuted here, on the papers'", "Refuted here on stand-ins", "Every claim that has")
    places = [text.index(f"### {title}") for title in order]
    assert places == sorted(places)


def test_the_first_page_names_machines_and_stand_ins_and_counts_what_is_weak(made):
    page = html.unescape((made / "report.html").read_text())
    text = html.unescape((made / "REPORT.md").read_text())
    for one in (
        "Claim two holds <b>: 1.25 (1 to 1.5) here (box), 2.3 in the paper: refuted.",
        "Claim four holds <b>: 1.25 (1 to 1.5) here (box, with com-lj-standin for com-lj in place "
        "of the paper's graphs), 2.3 in the paper: refuted on stand-ins.",
        "Claim five holds <b>: 1.25 (1 to 1.5) here (box), 2.3 in the paper: reproduced (other: "
        "refuted).",
        "Claim six holds <b>: no number here (box), 2.3 in the paper: undecided.",
        "5 claims have rows, with one verdict each. Some verdicts rest on weak rows: 2 on "
        "incomplete rows, 1 on rows without their disturbed trials, 1 on fewer than 16 sources a "
        "graph, and 1 on a graph that is not the paper's own. 3 verdicts have one of these",
        "Machines disagree on 1 claims, whose lines name them.",
    ):
        assert one in page and one in text
    # By verdict: all, reproduced, same direction, refuted, refuted on stand-ins, undecided.
    assert "| fewer trials than the recorded spec asks for | 2 |  | 1 |  | 1 |  |" in text
    assert "| none of these | 2 |  |  | 1 |  | 1 |" in text
    assert "| comparisons of searches | 5 |  | 1 | 1 | 1 | 1 | 1 |" in text
    assert "| counts and formulas | 1 | 1 |  |  |  |  |  |" in text
    assert "6 claims: 1 reproduced, 1 same direction, 1 refuted, 1 refuted on stand-ins" in text


def test_a_figure_says_what_its_module_finds_in_it(tmp_path, monkeypatch):
    """Above the figure and as its alternative text, behind a claim's sentence if there is one."""
    spec = {"name": "x", "title": "Engines", "graphs": ["g"], "cases": {"A": {"engine": "hybrid"}},
            "figure": "engines_by_graph"}  # fmt: skip
    results = Results(spec)
    results.run("A", 2.0, graph="g", source=5)
    results.write(tmp_path / "box" / "x")
    told = []

    def finding(drawing, experiments):
        told.append((drawing.name, len(drawing.numbers), [e.machine for e in experiments]))
        return "A takes 2 ms."

    monkeypatch.setattr(engines_by_graph, "finding", finding, raising=False)
    one = verdict("one", "same direction", text="Claim one holds.", experiment="x")
    claim = "Claim one holds: 1.25 (1 to 1.5) here (box), 2.3 in the paper: same direction."
    for said, claims in (("A takes 2 ms.", []), (f"{claim} A takes 2 ms.", [one])):
        monkeypatch.setattr(report, "evaluate", lambda *_, claims=claims, **__: claims)
        main([str(tmp_path), "--format", "none", "--report", str(tmp_path / "out")])
        assert Page((tmp_path / "out/report.html").read_text()).labels == [f"Engines. {said}"]
        assert f"\n\n{said}\n\n" in (tmp_path / "out/REPORT.md").read_text()
    assert told == [("engines_by_graph", 1, ["box"])] * 2
    monkeypatch.setattr(engines_by_graph, "finding", lambda *_: "")
    main([str(tmp_path), "--format", "none", "--report", str(tmp_path / "out")])
    assert "Engines. Claim one" in (tmp_path / "out/report.html").read_text()
    monkeypatch.setattr(engines_by_graph, "finding", lambda *_: "2 ms, and no sentence")
    with pytest.raises(ValueError, match="whole sentences in one line, not '2 ms, and no"):
        main([str(tmp_path), "--format", "none", "--report", str(tmp_path / "out")])


def test_rows_of_the_numbers_name_their_trials(made):
    page = (made / "report.html").read_text()
    told = re.findall(r'<script type="application/json">(.*?)</script>', page)
    assert len(told) == page.count("<figure ") > 0
    rows = json.loads(told[0])
    trials = read(rows["columns"][rows["heads"].index("trials")], rows["rows"])
    assert "0, 2, 4" in trials


def test_the_same_rows_give_the_same_report(made, tmp_path, monkeypatch):
    monkeypatch.setattr(report, "evaluate", lambda *_, **__: [])
    for name in ("a", "b"):
        main([str(made.parent), "--format", "none", "--report", str(tmp_path / name)])
    for file in report.FILES:
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()


def test_clean_rows_have_no_caveat(tmp_path):
    assert caveats(rows_of_16_sources().write(tmp_path / "box" / "clean")) == []


CLEAN = {"name": "t", "graphs": ["g"], "cases": {"A": {"engine": "hybrid"}}, "repeats": 3,
         "invocations": 3}  # fmt: skip


def rows_of_16_sources(
    spec: dict | None = None, environment: dict | None = None, **facts
) -> Results:
    """Three invocations of each source, of which nothing is weak."""
    results = Results(CLEAN | (spec or {}), environment or {})
    results.graph("g", 5, 9, sources=";".join(map(str, range(16))))
    for source in range(16):
        for repeat in range(3):
            results.run("A", 1.0, graph="g", source=source, repeat=repeat, **facts)
    return results


def caveats(folder: Path) -> list[str]:
    return all_caveats(load_experiment(folder))


def test_rows_of_few_sources_few_invocations_or_several_devices_have_a_caveat(tmp_path):
    results = rows_of_16_sources({"invocations": 1})
    assert caveats(results.write(tmp_path / "a" / "t")) == [
        "Measured by only 1 invocation of the program, so the difference between invocations is "
        "unknown."
    ]
    results = rows_of_16_sources()
    results.runs = [row for row in results.runs if row["source"] < 15]
    results.graphs[0]["sources"] = "0;1;2;3;4;5;6;7;8;9;10;11;12;13;14"
    assert caveats(results.write(tmp_path / "b" / "t")) == ["Only 15 sources per graph."]
    results = rows_of_16_sources(gpu="GPU-a", gpu_ms=0.5)
    results.runs[-1]["gpu"] = "GPU-b"
    assert caveats(results.write(tmp_path / "c" / "t")) == [
        "Measured on several devices of one kind: GPU-a, GPU-b."
    ]
    results.runs[-1]["gpu"] = "GPU-a;GPU-b"  # a search on both
    assert caveats(results.write(tmp_path / "c" / "t")) == []


def test_a_folder_with_rows_of_several_gpus_names_them(tmp_path):
    """As rows abbreviate them; older rows leave it to environment.json, which CPU's have, too."""
    devices = [{"name": "NVIDIA H200", "uuid": "GPU-aaaaaaaa-1"}]
    for name, gpu, told in (
        ("a", "GPU-bbbbbbbb;GPU-cccccccc", devices),
        ("b", "", devices),
        ("c", "", ["NVIDIA H200, GPU-dddddddd-2, 580"]),
    ):
        environment = {"gpu": {"devices": told}}
        results = rows_of_16_sources({"name": name}, environment, gpu=gpu, gpu_ms=0.5)
        results.write(tmp_path / "box" / name)
    results = rows_of_16_sources({"name": "cpu"}, {"gpu": {"devices": devices}})
    results.write(tmp_path / "xeon" / "cpu")
    experiments = [load_experiment(folder) for folder in find_experiments([tmp_path])]
    whole = findings.Report([], experiments, [], tmp_path)
    names = "GPU-aaaaaaaa, GPU-bbbbbbbb, GPU-cccccccc, GPU-dddddddd"
    assert whole.machines["box"].endswith(f"; rows of 4 GPUs of this kind: {names}")
    assert "rows of" not in whole.machines["xeon"]
    together = [rows_of_16_sources({"name": f"t{n}"}, {"gpu": {"devices": devices}}, gpu=gpu)
                for n, gpu in enumerate(("GPU-a", "GPU-a;GPU-b"))]  # fmt: skip
    for results in together:
        results.write(tmp_path / "pair" / results.spec["name"])
    pair = findings.Report([], [load_experiment(each) for each in
                                find_experiments([tmp_path / "pair"])], [], tmp_path)  # fmt: skip
    assert "rows of" not in pair.machines["pair"]
    told = {row[0]: row[findings.TRUST.index("GPU")] for row in whole.trust()}
    assert told == {"a": "GPU-bbbbbbbb, GPU-cccccccc", "b": "GPU-aaaaaaaa", "c": "GPU-dddddddd",
                    "cpu": ""}  # fmt: skip


def test_fewer_trials_than_the_spec_asks_for_have_a_caveat(tmp_path):
    results = rows_of_16_sources({"graphs": ["g", "h"], "cases": {"A": {}, "B": {}}})
    few = [row for row in results.runs if row["source"] < 10 or row["repeat"] == 0]
    for source in range(16):
        for repeat in range(3):
            results.run("A", 1.0, graph="g", source=source, repeat=repeat, toggles="threads=2")
    results.runs = [row for row in results.runs if row in few or row["toggles"] == "threads=2"]
    said = caveats(results.write(tmp_path / "box" / "t"))
    assert said[0] == (
        "The rows are incomplete: 1 of 2 cells have fewer trials than the recorded spec asks for, "
        "down to 36 of 48 (g). The recorded spec also asks for h, B, without rows here."
    )
    # A counting trial is made once, whatever the repeats.
    results = rows_of_16_sources()
    for source in range(16):
        results.run("A", 1.0, graph="g", source=source, instrumented=1)
    assert caveats(results.write(tmp_path / "a" / "t")) == []
    results.runs.pop()
    assert "down to 15 of 16 (g)" in caveats(results.write(tmp_path / "a" / "t"))[0]


def test_what_people_know_of_rows_stands_beside_the_machines_folders(tmp_path):
    folder = rows_of_16_sources(environment={"commit": "c0"}).write(tmp_path / "box" / "t")
    known = {"machine": "box", "engine": "hybrid", "experiments": ["s", "t*"], "at_most": 1.5,
             "reason": "another CPU"}  # fmt: skip
    builds = {"commit": "c0", "machines": ["box"], "compiled_for": "that of another machine"}
    disagree = (
        "Times of hybrid disagree between experiments (s and t*), by up to 1.5 times: another CPU."
    )
    elsewhere = (
        "The program was compiled for another CPU, that of another machine, so times of hybrid may "
        "be longer than they need be."
    )

    def write(file: str, key: str, entry: dict) -> None:
        (tmp_path / file).write_text(json.dumps({key: [entry]}))

    write("known_disagreements.json", "disagreements", known)
    write("compiled_for.json", "builds", builds)
    assert caveats(folder) == [disagree, elsewhere]
    for changed in ({"machine": "other"}, {"engine": "dfq"}, {"experiments": ["s"]}):
        write("known_disagreements.json", "disagreements", known | changed)
        assert caveats(folder) == [elsewhere]
    for changed in ({"commit": "c1"}, {"machines": ["other"]}):
        write("compiled_for.json", "builds", builds | changed)
        assert caveats(folder) == []
    write("compiled_for.json", "builds", {"commit": "c0"})
    with pytest.raises(ResultsError, match="an entry of 'builds' lacks one of commit, machines"):
        caveats(folder)
    (tmp_path / "compiled_for.json").write_text("[]")
    with pytest.raises(ResultsError, match="no JSON object with a list 'builds'"):
        caveats(folder)


def test_times_of_a_program_for_another_cpu_have_one(tmp_path):
    elsewhere = {"target": "znver3", "cpu": "AuthenticAMD 25 1"}
    for gpu, signature, count in (
        ("", "GenuineIntel 6 143", 1),
        ("", "AuthenticAMD 25 1", 0),
        ("GPU-x", "GenuineIntel 6 143", 0),
    ):
        results = rows_of_16_sources(
            environment={"compiled_for": elsewhere, "cpu": {"signature": signature}},
            gpu=gpu,
            gpu_ms=0.9 if gpu else "",
        )
        said = caveats(results.write(tmp_path / f"{gpu}{count}" / "t"))
        assert len(said) == count
        assert all("compiled for another CPU, znver3 (AuthenticAMD 25 1)" in one for one in said)


# In a browser


@pytest.fixture(scope="module")
def browser():
    """Headless Chromium: playwright's own, else the system's."""
    reason = "needs playwright and Chromium (scripts/setup.sh browser)"
    api = pytest.importorskip("playwright.sync_api", reason=reason)
    names = ("chromium", "chromium-headless-shell", "google-chrome")
    found = next((path for name in names if (path := shutil.which(name))), None)
    with api.sync_playwright() as playwright:
        try:
            started = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        except api.Error as error:
            pytest.skip(f"{reason}: {str(error).splitlines()[0]}")
        yield started
        started.close()


@pytest.fixture
def opened(browser, made):
    """Opens the report under given conditions; no test leaves an error or a request behind."""
    errors, requests, contexts = [], [], []

    def open_page(**conditions):
        context = browser.new_context(offline=True, **conditions)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: errors.append(message.text))
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        page.goto((made / "report.html").as_uri())
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert errors == []
    assert [url for url in requests if not url.startswith("data:")] == [
        (made / "report.html").as_uri()
    ] * len(contexts)


CONDITIONS = {
    "light": {"color_scheme": "light"},
    "dark": {"color_scheme": "dark"},
    "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True},
    "without scripts": {"java_script_enabled": False},
}


@pytest.mark.parametrize("name", CONDITIONS)
def test_it_renders(opened, name):
    page = opened(**CONDITIONS[name])
    width = page.viewport_size["width"]
    if name != "without scripts":
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    for drawing in page.locator(".plot svg").all():
        box = drawing.bounding_box()
        assert box["width"] > 300 and box["height"] > 80
    assert page.get_by_role("heading", name="Claims and verdicts").is_visible()
    light = page.locator("body").evaluate("b => getComputedStyle(b).backgroundColor")
    assert light == ("rgb(25, 25, 25)" if name == "dark" else "rgb(255, 255, 255)")


def test_on_paper_it_is_light_and_has_nothing_to_press(opened):
    page = opened(color_scheme="dark")
    drawing = page.locator(".plot svg").first
    assert "invert" in drawing.evaluate("e => getComputedStyle(e).filter")
    page.emulate_media(media="print")
    assert drawing.evaluate("e => getComputedStyle(e).filter") == "none"
    assert not page.locator("nav").is_visible() and not page.locator(".find").first.is_visible()
    assert page.locator("figcaption").first.is_visible()
    assert page.pdf().startswith(b"%PDF")


def column(page, table: str, at: int) -> list[str]:
    return page.locator(f"#{table} tbody tr:visible td:nth-child({at})").all_inner_texts()


def test_tables_sort_by_number_and_by_name_and_are_searched(opened):
    page = opened()
    page.locator("details.screen > summary").first.click()
    table = page.locator("details.screen table").first
    name = table.get_attribute("id")
    heads = table.locator("th").all_inner_texts()
    at = next(i for i, head in enumerate(heads, 1) if head.startswith("median_ms"))
    values = [float(text) for text in column(page, name, at) if text]
    assert len(values) > 2 and values != sorted(values)
    head = table.locator(f"th:nth-child({at})")
    head.click()
    assert head.get_attribute("aria-sort") == "ascending"
    shown = column(page, name, at)
    assert [float(text) for text in shown if text] == sorted(values)
    assert shown[len(values) :] == [""] * (len(shown) - len(values))  # nothing comes last
    head.focus()
    page.keyboard.press("Enter")
    assert [float(text) for text in column(page, name, at) if text] == sorted(values)[::-1]
    field = page.locator(f"[aria-controls='{name}']")
    field.fill("other KRON")
    found = page.locator(f"#{name} tbody tr:visible").all_inner_texts()
    assert 0 < len(found) < len(shown)
    assert all("other" in row and "kronecker" in row for row in found)
    field.fill("")
    assert len(column(page, name, at)) == len(shown)


def test_refuted_claims_come_first_and_sort_by_verdict(opened):
    page = opened()
    shown = ["same direction, 1.8 times smaller", "reproduced", "undecided"]
    assert column(page, "claims-table", 1) == ["refuted", "refuted on stand-ins", *shown]
    page.locator("#claims-table th").first.click()
    sorted_by = ["reproduced", shown[0], "refuted", "refuted on stand-ins", "undecided"]
    assert column(page, "claims-table", 1) == sorted_by


def test_points_show_their_row_to_the_mouse_and_to_keys(opened):
    page = opened()
    plot = page.locator(".plot").first
    known = plot.evaluate("p => figures.get(p.closest('figure').id).points")
    point = next(point for point in known if point["row"] >= 0)
    x, y, row = (point[name] for name in ("x", "y", "row"))
    plot.evaluate("p => { p.closest('figure').querySelector('.numbers').open = true; }")
    table = page.locator("figure").first.locator(".numbers table")
    cells = table.locator("tbody tr").nth(row).locator("td").all_text_contents()
    graph = cells[table.locator("th").all_text_contents().index("graph")]
    plot.scroll_into_view_if_needed()
    unit = plot.evaluate(
        "p => { const s = p.querySelector('svg');"
        " return s.getBoundingClientRect().width / s.viewBox.baseVal.width; }"
    )
    plot.locator("svg").hover(position={"x": x * unit, "y": y * unit})
    tip = page.locator("#tip")
    assert tip.is_visible()
    assert f"graph: {graph}" in tip.inner_text() and "trials: " in tip.inner_text()
    page.mouse.move(1, 1)
    assert not tip.is_visible()
    plot.focus()
    texts = []
    for _ in range(3):
        page.keyboard.press("ArrowRight")
        texts.append(tip.inner_text())
    assert len(set(texts)) > 1
    page.keyboard.press("Escape")
    assert not tip.is_visible()


def test_every_link_within_the_page_leads_somewhere(opened):
    page = opened()
    lost = page.evaluate(
        "[...document.querySelectorAll('a[href^=\\'#\\']')]"
        ".filter(a => !document.getElementById(decodeURIComponent(a.hash.slice(1)))).length"
    )
    assert lost == 0
