# SPDX-License-Identifier: Apache-2.0
"""The report: what its first page says, what lies behind its figures, and the page in a browser."""

import html
import json
import math
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path

import pytest
from results_builder import Results

from plots import drawing, report, style
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
from plots.claims.claims import load_claims, load_leading
from plots.figures import engines_by_graph
from plots.load import ResultsError, find_experiments, load_experiment
from plots.report import findings, forest, measured
from plots.report.entry import Entry, Facts
from plots.report.expected import is_own, recorded
from plots.report.html import page as as_page
from plots.report.text import text as as_text
from plots.table import Row, Table

ROOT = Path(__file__).resolve().parents[2]


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
        "printed": 2.3,
        "lower_limit": 2.0,
        "upper_limit": 3.0,
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
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(report, "evaluate", lambda *_, **__: list(SAID))
        patch.setattr(report, "is_own", lambda _: False)
        assert main([str(root), "--format", "none", "--report", str(root / "report")]) == 0
    return root / "report"


LEADING = "xbfs-table2-enterprise"  # the claim that stands for xbfs
SAID = [
    verdict(LEADING, SAME_DIRECTION, distance="1.8 times smaller",
            weak=("incomplete", "few sources")),
    verdict("two", REFUTED),
    verdict("three", MISSING),
    verdict("four", REFUTED_ON_STAND_INS, instead="com-lj-standin for com-lj",
            on_stand_ins=True, weak=("stand-ins", "incomplete")),
    verdict("five", REPRODUCED, weak=("contradiction", "polluted"), evidence="count",
            disagreeing=("other: refuted",)),
    verdict("six", UNDECIDED, value=None, interval=None),
]  # fmt: skip


class Page(HTMLParser):
    """Ids, links and what would be fetched."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.images: list[str] = []  # what they say that they show
        self.feed(text)

    def handle_starttag(self, name, attributes):
        known = dict(attributes)
        if "id" in known:
            self.ids.append(known["id"])
        if name == "a":
            self.links.append(known["href"])
        if name == "img":
            self.images.append(known["alt"])
        self.fetched += [known[k] for k in ("src", "srcset", "data", "poster") if k in known]
        if name == "link":
            self.fetched.append(str(known))


def test_the_page_stands_alone_and_its_links_resolve(made):
    text = (made / "report.html").read_text()
    page = Page(text)
    assert len(page.ids) == len(set(page.ids))
    assert len(page.fetched) == len(page.images) > 1
    assert all(link.startswith("data:image/svg+xml;base64,") for link in page.fetched)
    assert len(page.links) > 10
    for link in page.links:
        if link.startswith("#"):
            assert link[1:] in page.ids
        else:
            assert (made / link).exists()
    assert not re.search(r"(?:src|href)=.?(?:https?:)?//|@import|url\(http", text)


def test_nothing_that_rows_or_claims_say_becomes_markup(made):
    text = (made / "report.html").read_text()
    assert "<script>alert" not in text and "&lt;script&gt;alert" in text
    assert "holds <b>" not in text and "holds &lt;b&gt;" in text
    text = (made / "REPORT.md").read_text()
    assert "holds <b>" not in text and "holds &lt;b>" in text


def words_of(file: Path) -> str:
    """The text of a page or of Markdown as it is read."""
    text = file.read_text()
    if file.suffix == ".html":
        text = re.sub(r"<[^>]*>", "", text)
    return " ".join(html.unescape(text).replace("*", "").split())


def test_the_first_page_says_what_holds_on_what(made):
    for file in ("report.html", "REPORT.md"):
        text = words_of(made / file)
        for one in (
            "Which claims of the papers hold",
            "Measured at commit abc123.",
            "Made by python -m plots" if file == "report.html" else "Made by `python -m plots",
            "XBFS over Enterprise: 2.3 in the paper, 1.25 (1 to 1.5) here, on the paper's own "
            "graphs (box): same direction, 1.8 times smaller.",
            "6 claims: 1 reproduced, 1 same direction, 1 refuted, 1 refuted on stand-ins, 1 "
            "undecided, 1 missing.",
            "5 claims have rows, with one verdict each. Some verdicts rest on weak rows: 2 on "
            "incomplete rows, 1 on rows without their disturbed trials, 1 on fewer than 16 sources "
            "a graph, and 1 on a graph that is not the paper's own. 3 verdicts have one of these",
            "Machines disagree on 1 claims, whose lines name them.",
        ):
            assert one in text, (file, one)
        assert text.index("XBFS over Enterprise") < text.index("Claim two holds")
    page = words_of(made / "report.html")
    assert "3 of 5 verdicts rest on rows with a weakness." in page
    assert page.index("Every claim: our value over the paper's") < page.index("Claim two holds")
    text = (made / "REPORT.md").read_text()
    assert "| comparisons of searches | 5 |  | 1 | 1 | 1 | 1 | 1 |" in text
    assert "| counts and formulas | 1 | 1 |  |  |  |  |  |" in text


def test_each_figure_says_its_finding_and_what_lies_behind_it(made):
    page = words_of(made / "report.html")
    for words in (
        "4 of 13 trials were disturbed in every attempt",
        "1 of 13 trials gave no number (1 oom), most often because: needs 3 GiB.",
        "uncommitted changes",
        "com-lj-standin for com-lj",
        "Only 3 sources per graph.",
        "A on box has the shortest time on 2 of 2 graphs",  # best_of_repeats finds it
    ):
        assert words in page, words
    assert "No claim of a paper rests on this figure." not in page
    images = Page((made / "report.html").read_text()).images
    assert any(words.startswith("Engines <script>alert(1)</script>. ") for words in images)


def test_a_figure_says_what_its_module_finds_in_it(tmp_path, monkeypatch):
    """Above the figure and as its alternative text; a claim's sentence where a module says nothing,
    and the title where there is neither."""
    spec = {"name": "x", "title": "Engines", "graphs": ["g"], "cases": {"A": {"engine": "hybrid"}},
            "figure": "engines_by_graph"}  # fmt: skip
    results = Results(spec)
    results.run("A", 2.0, graph="g", source=5)
    results.write(tmp_path / "box" / "x")
    seen = []

    def finding(drawing, experiments):
        seen.append((drawing.name, len(drawing.numbers), [e.machine for e in experiments]))
        return "A takes 2 ms."

    one = verdict("one", "same direction", text="Claim one holds.", experiment="x")
    claim = "Claim one holds: 1.25 (1 to 1.5) here (box), 2.3 in the paper: same direction."
    nothing = "Engines. No claim of a paper rests on this figure."
    for found, claims, words in (
        (finding, [one], "A takes 2 ms."),
        (lambda *_: "", [one], claim),
        (lambda *_: "", [], nothing),
    ):
        monkeypatch.setattr(engines_by_graph, "finding", found, raising=False)
        monkeypatch.setattr(report, "evaluate", lambda *_, claims=claims, **__: list(claims))
        main([str(tmp_path), "--format", "none", "--report", str(tmp_path / "out")])
        page = (tmp_path / "out/report.html").read_text()
        assert Page(page).images[-1] == f"Engines. {words}"
        assert f'<p class="finding">{words}</p>' in page
    assert seen == [("engines_by_graph", 1, ["box"])]
    monkeypatch.setattr(engines_by_graph, "finding", lambda *_: "2 ms, and no sentence")
    with pytest.raises(ValueError, match="whole sentences in one line, not '2 ms, and no"):
        main([str(tmp_path), "--format", "none", "--report", str(tmp_path / "out")])


def test_a_figure_is_shown_once_of_the_machine_that_most_claims_are_of(made):
    """The same figure of other machines is folded away."""
    whole = a_report([entry("e", "m@box", "box"), entry("e", "m@other", "other")],
                     [verdict("c", REPRODUCED, experiment="e", machine="other")])  # fmt: skip
    (item,) = whole.items("xbfs")
    (block,) = item.blocks
    assert [one.name for one in block.figures] == ["m@other"]
    assert [one.name for one in block.others] == ["m@box"]
    assert [one.id for one in block.claims] == ["c"]


def test_figures_stand_in_the_order_of_the_paper_with_all_experiments_of_an_item():
    entries = [entry("b", "m", item="Figure 11"), entry("a", "m", item="Figure 5"),
               entry("c", "m", item=""), entry("b-standins", "m", item="Figure 11")]  # fmt: skip
    items = a_report(entries, []).items("xbfs")
    names = [[block.name for block in item.blocks] for item in items]
    assert names == [["a"], ["b", "b-standins"], ["c"]]
    assert [item.title for item in items] == ["Figure 5: T", "Figure 11: T", "T"]


@pytest.mark.parametrize(
    ("item", "image", "folded", "printed"),
    [("Table 10", False, False, True), ("Table 2", True, True, False), ("", False, True, True)],
)
def test_a_long_table_is_folded_unless_it_is_the_papers_item(item, image, folded, printed):
    rows = Table([[("graph", 1), ("ms", 1)]], [Row([f"g{k}", str(k)]) for k in range(50)])
    entries = [entry("e", "table", item=item)]
    entries[0].table = rows
    if image:
        entries.append(entry("e", "image", item=item))
        entries[1].svg = drawing.svg(style.new_figure(2, 1))
    page = as_page(a_report(entries, []))
    assert ("The table has 50 rows" in page) == folded
    assert ('<figure id="e-table">' in page) == printed
    assert 'data-label="ms">49</td>' in page


def entry(experiment: str, name: str, machine: str = "box", item: str = "Figure 1") -> Entry:
    facts = [Facts(machine, Path("x"), "bfslab run", "", [])]
    return Entry(experiment, "xbfs", item, "T", "m", name, "", "", facts)


def a_report(entries: list, verdicts: list, **more) -> findings.Report:
    return findings.Report(list(entries), [], list(verdicts), Path("x"), **more)


# Somebody's own rows


def test_a_report_on_own_rows_holds_them_alone_beside_what_is_recorded():
    before = {"two": verdict("two", REFUTED_ON_STAND_INS, value=1.3, machine="h200"),
              "five": verdict("five", UNDECIDED, value=2.0, machine="h200")}  # fmt: skip
    own = a_report([], SAID, own=True, recorded=before)
    assert "three" not in {v.id for v in own.headlines} and own.left_out == 1
    assert own.as_recorded == (1, 2)  # graphs that are not the paper's own are no difference
    text = as_text(own)
    assert "1 of 2 verdicts are those of the recorded rows." in text
    assert "1 claims have no rows here and are left out." in text
    assert "| refuted | box | 1.3 (1 to 1.5) (refuted on stand-ins, h200) |" in text
    assert own.not_run("xbfs") == []


def test_a_paper_without_its_leading_claim_has_a_sentence_on_another():
    lacking = a_report([], [verdict("three", MISSING), verdict("two", REFUTED)])
    assert lacking.leading("xbfs") == (
        "Claim two holds <b>: 2.3 in the paper, 1.25 (1 to 1.5) here, on the paper's own graphs "
        "(box): refuted."
    )
    assert a_report([], [verdict("three", MISSING)]).leading("xbfs") == ""
    several = verdict(LEADING, UNDECIDED, on_stand_ins=True, value=None,
                      instead="a-standin for a, b-standin,symmetrize=false for b")  # fmt: skip
    assert "no number here, on 2 stand-ins (box): undecided." in a_report([], [several]).leading(
        "xbfs"
    )


@pytest.fixture
def two_machines(tmp_path) -> Path:
    """Recorded rows of two machines for one claim of cs406, each twice as fast as the other."""
    spec = {"name": "cs406-queues", "paper": "cs406", "item": "Section 4.1.1",
            "graphs": ["kronecker:scale=16"], "cases": {"A": {"engine": "hybrid"}},
            "figure": "engines_by_graph"}  # fmt: skip
    for machine in ("mine", "theirs"):
        results = Results(spec)
        for source in range(4):
            results.run("A", 1.0 + source, source=source)
        results.write(tmp_path / "results" / machine / "cs406-queues")
    return tmp_path / "results"


def test_recorded_rows_are_those_outside_of_the_given_folders(two_machines, monkeypatch):
    read = []

    def evaluate(results, estimated, experiments):
        read.append([each.machine for each in experiments])
        return [verdict("cs406-queue-speedup", REFUTED, machine=each.machine)
                for each in experiments]  # fmt: skip

    monkeypatch.setattr("plots.claims.expected.evaluate", evaluate)
    mine = two_machines / "mine"
    decided = [verdict("cs406-queue-speedup", REPRODUCED, machine="mine")]
    found = recorded(decided, [mine], two_machines)
    assert {name: one.machine for name, one in found.items()} == {"cs406-queue-speedup": "theirs"}
    assert recorded([verdict("cs406-queue-speedup", MISSING)], [mine], two_machines) == {}
    assert recorded(decided, [mine], two_machines / "none") == {}
    (two_machines / "theirs/cs406-queues/environment.json").write_text("no JSON")
    assert recorded(decided, [mine], two_machines) == {}
    assert read == [["theirs"], []]
    assert is_own([mine], two_machines) and not is_own([two_machines], two_machines)
    assert not is_own([mine, two_machines.parent], two_machines)


def test_a_report_of_one_paper_holds_that_alone(two_machines, capsys, tmp_path):
    other = Results({"name": "gap", "graphs": ["g"], "cases": {"A": {"engine": "hybrid"}},
                     "figure": "engines_by_graph"})  # fmt: skip
    other.run("A", 1.0, graph="g")
    other.write(two_machines / "mine" / "gap")
    words = ["--paper", "cs406", "--format", "none", "--report", str(tmp_path / "out")]
    assert main([str(two_machines), *words]) == 0
    page = (tmp_path / "out/report.html").read_text()
    assert 'id="paper-cs406"' in page and 'id="item-gap"' not in page
    assert page.count('id="paper-') == 1
    judged = json.loads((tmp_path / "out/claims.json").read_text())["verdicts"]
    assert {one["paper"] for one in judged} == {"cs406"}
    assert main([str(two_machines), *words[:1], "dfq", *words[2:]]) == 2
    assert "no rows of dfq in or below" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main([str(two_machines), "--paper", "nonsense"])
    assert "invalid choice: 'nonsense'" in capsys.readouterr().err


# The forest plot


def test_lines_of_the_forest_plot_are_by_kind_then_verdict_then_ratio():
    claims = [
        verdict("p-a", REFUTED, value=4.6),
        verdict("p-b", REPRODUCED, value=2.5),
        verdict("p-c", REPRODUCED, value=2.1),
        verdict("p-d", UNDECIDED, value=None),
        verdict("p-e", MISSING),
        verdict("p-f", REFUTED, evidence="count"),
    ]
    assert [line.text for line in forest.lines(claims)] == [
        "comparisons of searches", "c", "b", "a", "d", "counts and formulas", "f"
    ]  # fmt: skip


def test_the_forest_plot_has_value_interval_and_limits_over_the_papers():
    figure = forest.draw([verdict("p-a", REFUTED, value=4.6, interval=(4.14, 5.06))],
                         {"p-a": verdict("p-a", REFUTED, value=2.3)})  # fmt: skip
    (axes,) = figure.axes
    (limits,) = axes.patches
    assert limits.get_x() == pytest.approx(2 / 2.3)
    assert limits.get_x() + limits.get_width() == pytest.approx(3 / 2.3)
    drawn = [list(map(float, line.get_xdata())) for line in axes.lines]
    assert [1.0, 1.0] in drawn  # the line of equal values
    assert any(xs == pytest.approx([1.8, 2.2]) for xs in drawn)
    assert any(xs == pytest.approx([2.0]) for xs in drawn)
    assert any(xs == pytest.approx([1.0]) for xs in drawn if len(xs) == 1)  # the recorded value
    assert forest.draw([verdict("p-a", MISSING)]) is None


@pytest.mark.parametrize(("value", "mark"), [(2.3e3, ">"), (2.3e-3, "<")])
def test_a_value_beyond_the_axis_is_an_arrow_with_its_ratio(value, mark):
    figure = forest.draw([verdict("p-a", REFUTED, value=value, interval=None)])
    (axes,) = figure.axes
    low, high = axes.get_xlim()
    (point,) = [line for line in axes.lines if line.get_marker() == mark]
    assert low < point.get_xdata()[0] < high
    assert [text.get_text() for text in axes.texts] == [f"{value / 2.3:g}"]


def test_a_value_without_a_ratio_is_a_text():
    none = verdict("p-a", UNDECIDED, value=None, interval=None)
    zero = verdict("p-b", REFUTED, value=0.0, interval=None)
    (axes,) = forest.draw([none, zero]).axes
    assert {text.get_text() for text in axes.texts} == {"no number", "0 here"}
    assert none.over_paper is None and zero.over_paper is None
    assert math.isclose(verdict("p-c", REFUTED, value=4.6).over_paper, 2)


def test_each_paper_with_claims_has_one_that_stands_for_it():
    papers = {claim.id: claim.paper for claim in load_claims()}
    assert {papers[name]: name for name, _ in load_leading().values()} == {
        paper: name for paper, (name, _) in load_leading().items()
    }
    assert set(load_leading()) == set(papers.values()) == set(findings.PAPERS)


# Sizes


def test_the_text_of_all_claims_and_figures_is_short():
    """With each claim decided on ten stand-ins, and each spec drawn on two machines."""
    said = [
        verdict(claim.id, SAME_DIRECTION, paper=claim.paper, item=claim.item, text=claim.text,
                paper_value=str(claim.printed), distance="up to 2.24 times smaller",
                machine="h200", instead="10 stand-ins", on_stand_ins=True)
        for claim in load_claims()
    ]  # fmt: skip
    entries = []
    for path in (ROOT / "experiments").glob("*/*.json"):
        spec = json.loads(path.read_text())
        if "title" in spec:
            for machine in ("h200", "xeon-16-full-size"):
                one = entry(spec["name"], f"m@{machine}", machine, spec.get("item", ""))
                one.title, one.paper = spec["title"], spec.get("paper", "")
                entries.append(one)
    assert len(said) > 200 and len(entries) > 200
    assert len(as_text(a_report(entries, said)).encode()) < 60_000


def test_an_svg_in_the_page_has_pixels_for_clouds_and_short_numbers():
    figure = style.new_figure(4, 3)
    axes = figure.subplots()
    axes.plot(range(2000), [x / 7 for x in range(2000)], "o")
    axes.plot([1, 2], [1.5, 4.0], label="a < b & 0.12345")
    axes.legend()
    text = drawing.svg(figure)
    assert text.count("<image") == 1 and len(text) < 60_000
    assert "a &lt; b &amp; 0.12345</text>" in text  # words keep their digits
    places = re.findall(r' (?:d|x|y)="([^"]*)"', text)
    assert places and not any(re.search(r"\.\d{3}", place) for place in places)
    assert not any(line.get_rasterized() for line in axes.lines)  # files stay as they were


def test_a_hatch_in_the_page_is_a_small_tile_of_the_same_strokes():
    figure = style.new_figure(4, 3)
    axes = figure.subplots()
    for at, hatch in enumerate(style.HATCHES):
        axes.bar(at, 1, hatch=hatch)
    text = drawing.svg(figure)
    tiles = re.findall(r"(?s)<pattern (.*?)>(.*?)</pattern>", text)
    assert len(tiles) == len(style.HATCHES) - 1  # the first has none
    for attributes, strokes in tiles:
        assert 'width="12" height="12" viewBox="0 0 72 72"' in attributes
        assert "stroke-width: 3" in strokes  # half a point at a sixth of the size
    assert len(text) < 40_000


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
    machines = measured.machines(experiments)
    names = "GPU-aaaaaaaa, GPU-bbbbbbbb, GPU-cccccccc, GPU-dddddddd"
    assert machines["box"].endswith(f"; rows of 4 GPUs of this kind: {names}")
    assert "rows of" not in machines["xeon"]
    together = [rows_of_16_sources({"name": f"t{n}"}, {"gpu": {"devices": devices}}, gpu=gpu)
                for n, gpu in enumerate(("GPU-a", "GPU-a;GPU-b"))]  # fmt: skip
    for results in together:
        results.write(tmp_path / "pair" / results.spec["name"])
    pair = [load_experiment(each) for each in find_experiments([tmp_path / "pair"])]
    assert "rows of" not in measured.machines(pair)["pair"]
    gpus = {row[0]: row[measured.HEADS.index("GPU")] for row in measured.table(experiments)}
    assert gpus == {"a": "GPU-bbbbbbbb, GPU-cccccccc", "b": "GPU-aaaaaaaa", "c": "GPU-dddddddd",
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
    "light": {"color_scheme": "light", "viewport": {"width": 1280, "height": 800}},
    "dark": {"color_scheme": "dark", "viewport": {"width": 1920, "height": 1080}},
    "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True},
    "without scripts": {"java_script_enabled": False},
}
# Elements that end beyond the window, or have more in them than their box shows.
CUT = """() => [...document.querySelectorAll('main *')].filter(e => {
  const box = e.getBoundingClientRect();
  return box.width && (box.right > document.documentElement.clientWidth + 1 ||
    (getComputedStyle(e).overflowX != 'visible' && e.scrollWidth > e.clientWidth + 1));
}).map(e => `${e.tagName} ${e.id} ${e.className}`)"""


@pytest.mark.parametrize("name", CONDITIONS)
def test_it_renders_and_nothing_is_cut(opened, name):
    page = opened(**CONDITIONS[name])
    if name != "without scripts":
        assert page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"]
        page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
        assert page.evaluate(CUT) == []
    for drawing_ in page.locator(".plot img").all():
        box = drawing_.bounding_box()
        assert box is None or (box["width"] > 250 and box["height"] > 80)
    assert page.get_by_role("heading", name="Which claims of the papers hold").is_visible()
    light = page.locator("body").evaluate("b => getComputedStyle(b).backgroundColor")
    assert light == ("rgb(25, 25, 25)" if name == "dark" else "rgb(255, 255, 255)")


@pytest.mark.parametrize("width", [390, 1280, 1920])
def test_contents_stay_in_sight(opened, width):
    page = opened(viewport={"width": width, "height": 800})
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    field = page.get_by_label("Search claims and figures").bounding_box()
    assert field["y"] >= 0 and field["y"] + field["height"] <= 800
    summary = page.locator("#contents > summary").bounding_box()
    assert 0 <= summary["y"] <= 800


def test_on_paper_it_is_light_with_reasons_open_and_nothing_to_press(opened):
    page = opened(color_scheme="dark")
    image = page.locator(".plot img").first
    assert "invert" in image.evaluate("e => getComputedStyle(e).filter")
    more = page.get_by_text("The paper had another GPU.").first
    assert not more.is_visible()
    page.emulate_media(media="print")
    assert image.evaluate("e => getComputedStyle(e).filter") == "none"
    assert not page.locator("nav").is_visible() and not page.locator(".toggle").first.is_visible()
    assert more.is_visible() and page.locator("figcaption").first.is_visible()
    assert page.pdf().startswith(b"%PDF")


def column(page, table: str, at: int) -> list[str]:
    return page.locator(f"#{table} tbody tr:visible td:nth-child({at})").all_inner_texts()


SHOWN = ["refuted", "refuted on stand-ins", "same direction, 1.8 times smaller", "reproduced",
         "undecided"]  # fmt: skip


def test_refuted_claims_come_first_and_sort_by_verdict_and_by_number(opened):
    page = opened()
    assert column(page, "claims-table", 1) == SHOWN
    page.locator("#claims-table th").first.click()
    assert column(page, "claims-table", 1) == [SHOWN[3], SHOWN[2], *SHOWN[:2], SHOWN[4]]
    head = page.locator("#claims-table th").nth(4)
    head.focus()
    page.keyboard.press("Enter")
    assert head.get_attribute("aria-sort") == "ascending"
    assert column(page, "claims-table", 5) == ["0.543"] * 4 + [""]  # no number comes last
    page.keyboard.press("Enter")
    assert head.get_attribute("aria-sort") == "descending"
    assert column(page, "claims-table", 5)[-1] == ""


def test_claims_and_figures_are_searched_and_chosen(opened):
    page = opened()
    figures = page.locator("main .block")
    verdicts, papers, machines = (page.locator(f"[name={n}]") for n in
                                  ("verdicts", "papers", "machines"))  # fmt: skip
    verdicts.select_option("refuted")
    assert column(page, "claims-table", 1) == ["refuted"]
    assert "1 of 5 lines of claims" in page.locator("nav output").inner_text()
    assert figures.first.is_visible()  # one of its claims is refuted
    machines.select_option("other")
    assert column(page, "claims-table", 1) == [] and figures.first.is_visible()
    verdicts.select_option("")
    machines.select_option("")
    papers.select_option("xbfs")
    field = page.get_by_label("Search claims and figures")
    field.fill("claim TWO")
    assert column(page, "claims-table", 1) == ["refuted"]
    field.fill("kronecker")  # a text of the figure
    assert column(page, "claims-table", 1) == [] and figures.first.is_visible()
    field.fill("nonsense")
    assert not figures.first.is_visible()
    assert not page.get_by_role("heading", name="Figure 11").first.is_visible()
    page.get_by_role("button", name="Show all").click()
    page.locator("#claims-table .one[hidden]").first.wait_for(state="detached")
    assert column(page, "claims-table", 1) == SHOWN


def test_a_link_to_a_claim_shows_it_whatever_is_chosen(opened):
    page = opened()
    page.locator("[name=verdicts]").select_option("undecided")
    row = page.locator("#claim-two-box")
    assert not row.is_visible()
    page.evaluate("location.hash = 'claim-two-box'")
    row.wait_for(state="visible")
    assert page.locator("#claim-two-box .more").first.is_visible()


def test_every_link_within_the_page_leads_somewhere(opened):
    page = opened()
    lost = page.evaluate(
        "[...document.querySelectorAll('a[href^=\\'#\\']')]"
        ".filter(a => !document.getElementById(decodeURIComponent(a.hash.slice(1)))).length"
    )
    assert lost == 0
