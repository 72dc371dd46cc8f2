# SPDX-License-Identifier: Apache-2.0
"""Numbers in texts come from rows, and specs that are evidence measure enough of them."""

import csv
import json
import re
from pathlib import Path

import pytest
from results_builder import Results

from plots import quoted, style
from plots.specs import resolved

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def figures_at_once():
    """Not here: a number takes no figure."""


GRAPHS = ["kronecker:scale=16", "kronecker:scale=17"]


@pytest.fixture
def folder(tmp_path):
    made = Results({"name": "x", "graphs": GRAPHS, "baseline": "A", "figure": "speedup_bars",
                    "cases": {"A": {}, "B, with a comma": {}}})  # fmt: skip
    for graph, times in zip(GRAPHS, ((8.0, 2.0), (8.0, 1.0)), strict=True):
        made.graph(graph, 1 << 16, 1 << 20, graph_hash=graph)
        for case, time in zip(("A", "B, with a comma"), times, strict=True):
            for source in range(4):
                made.run(case, time, graph=graph, graph_hash=graph, source=source, toggles="")
    counted = {"graph": GRAPHS[0], "graph_hash": GRAPHS[0], "instrumented": 1, "toggles": ""}
    trial = made.run("A", 9.0, source=1, **counted)
    for level, direction in enumerate(("top_down", "bottom_up", "bottom_up")):
        made.level(trial, level, 10 * (level + 1), direction=direction, time_ms=(1, 1, 2)[level])
    failed = made.run("A", None, source=2, status="timeout", **counted)
    made.level(failed, 0, 99, direction="bottom_up")
    made.write(tmp_path / "box" / "x")
    return tmp_path


FIGURE = "box/x/speedup_bars"


@pytest.mark.parametrize(
    ("expression", "number"),
    [
        (f"{FIGURE}[graph=kronecker:scale=16;case=B, with a comma].speedup .1f", "4.0"),
        (f"min({FIGURE}[case=B, with a comma].speedup) .0f", "4"),
        (f"max({FIGURE}.time_ms) .2f", "8.00"),
        (f"count({FIGURE}[status=ok]) d", "4"),
        (f"mean({FIGURE}[case=B, with a comma]) .2f", "5.66"),  # of 4 and 8
        (f"mean({FIGURE}[case=B, with a comma]).low .2f", "5.66"),  # all sources agree
        (
            f"{FIGURE}[graph=kronecker:scale=17;case=A].time_ms"
            f" / {FIGURE}[graph=kronecker:scale=16;case=B, with a comma].time_ms .1f",
            "4.0",
        ),
        ("max(box/x/runs[graph=kronecker:scale=16].time_ms) .0f", "8"),
        ("count(box/x/runs[case=A;source=3]) d", "2"),
        ("median(box/x/runs[graph=kronecker:scale=17].time_ms) .1f", "4.5"),
        ("sum(box/x/runs[case=B, with a comma;source=3].time_ms) .0f", "3"),
        ("box/x/graphs[graph=kronecker:scale=17].edges / 1e6 .3f", "1.049"),
        ("count(box/x/levels[direction=bottom_up;nth=0]) d", "1"),
        ("box/x/levels[direction=bottom_up;nth=1].share .2f", "0.50"),
        ("median(box/x/levels[case=A;graph=kronecker:scale=16].edges_checked) .0f", "20"),
        ("count(box/x/graphs[graph=kronecker:scale=17]) d", "1"),
    ],
)
def test_an_expression_is_a_number_of_a_figures_rows(folder, expression, number):
    assert quoted.value(expression, folder) == number


def test_a_number_takes_no_figure(folder, monkeypatch):
    monkeypatch.setattr(style, "new_figure", lambda *_: pytest.fail("drawn"))
    assert quoted.value(f"count({FIGURE}[status=ok]) d", folder) == "4"


def test_a_filter_has_whole_numbers_in_full():
    words = [quoted._word(cell) for cell in (32094912.0, 3.0, 0.5, 1 / 3, "a;b", float("nan"))]
    assert words == ["32094912", "3", "0.5", "0.333333", "a;b", "nan"]


def test_rows_that_cannot_be_read_are_one_message(folder, capsys):
    page = folder / "page.md"
    page.write_text(f"<!--= {FIGURE}[case=A].speedup .1f -->1<!--/-->")
    (folder / "box/x/runs.csv").rename(folder / "box/x/runs.csv.gz")
    assert quoted.main([str(page), "--results", str(folder)]) == 2
    assert "runs.csv.gz: cut off or damaged" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("expression", "fault"),
    [
        (f"{FIGURE}.speedup .1f", "4 rows are left"),
        (f"{FIGURE}[case=C].speedup .1f", "0 rows are left"),
        (f"{FIGURE}[kind=C].speedup .1f", "no column kind; there are: origin"),
        (f"mean({FIGURE}) .1f", "one row with a ratio for each graph"),
        ("box/x/edge_checks.saved_pct .1f", "no figure edge_checks"),
        ("box/y/speedup_bars.speedup .1f", "no results in"),
        ("speedup", "not of the form"),
        (f"{FIGURE}.speedup .1f / 2 .1f", "not of the form"),
        (" / ".join([f"count({FIGURE})"] * 3) + " d", "a ratio has two numbers"),
        (f"count({FIGURE}) / count({FIGURE}[origin=paper]) .1f", "divides by zero"),
        (f"count({FIGURE}) / 0 .1f", "divides by zero"),
        (f"count({FIGURE}) / e6 .1f", "not of the form"),
    ],
)
def test_an_expression_without_a_number_is_refused(folder, expression, fault):
    with pytest.raises(quoted.QuoteError, match=fault):
        quoted.value(expression, folder)


def test_a_text_is_filled_in_and_a_stale_one_is_found(folder, tmp_path, capsys):
    text = tmp_path / "page.md"
    mark = f"<!--= min({FIGURE}[case=B, with a comma].speedup) .1f -->"
    text.write_text(f"At least {mark}9.9<!--/--> times.\n")
    run = [str(text), "--results", str(folder)]
    assert quoted.main([*run, "--check"]) == 1 and "9.9" in text.read_text()
    assert quoted.main(run) == 0
    assert text.read_text() == f"At least {mark}4.0<!--/--> times.\n"
    assert quoted.main([*run, "--check"]) == 0
    text.write_text("<!--= box/x/none.a .1f --><!--/-->")
    assert quoted.main(run) == 2
    assert "page.md: box/x/none.a .1f: box/x has no figure none" in capsys.readouterr().err


PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), ROOT / "results/README.md"]


@pytest.mark.parametrize("page", [str(page.relative_to(ROOT)) for page in sorted(PAGES)])
def test_no_number_of_our_pages_is_stale(page):
    text = (ROOT / page).read_text()
    assert quoted.filled(text) == text, f"python -m plots.quoted {page}"


@pytest.mark.parametrize(
    "page",
    [
        "docs/distributed.md",
        "docs/errata.md",
        "docs/external.md",
        "docs/figures.md",
        "docs/fused.md",
        "results/README.md",
    ],
)
def test_pages_with_numbers_quote_them(page):
    assert (ROOT / page).read_text().count("<!--= ") > 5


# Their rows are counts or bytes, which no repeat changes, or are there to be looked at quickly.
NO_TIMES = {"features_table", "graph_table", "queue_memory", "queue_memory_table"}
NO_TIMES |= {"roofline", "level_timeline", "level_traffic"}


def test_those_named_as_the_fastest_others_are():
    """The table of docs/fused.md, whose numbers come from rows and whose words do not: each graph
    where `fused` is behind is there, the furthest first, and the fastest other is the one named."""
    ours, times = {}, {}
    with (ROOT / "results/h200/figures/fused-everywhere/best_of_repeats.csv").open() as file:
        for row in csv.DictReader(file):
            if row["series"] == "fused":
                ours[row["graph"]] = float(row["best_median_ms"])
            elif not row["series"].startswith("fused,"):  # that engine's other settings
                times.setdefault(row["graph"], {})[row["series"]] = float(row["best_median_ms"])
    quote = r"<!--= h200/fused-everywhere/best_of_repeats\[graph=([^;]+);series=([^]]+)][^>]*-->"
    table = re.findall(rf"\| {quote}[^|]*<!--/-->, ([^|]+) \|$",
                       (ROOT / "docs/fused.md").read_text(), re.MULTILINE)  # fmt: skip
    assert len(table) > 10
    for graph, quoted_series, named in table:
        assert quoted_series == named == min(times[graph], key=times[graph].get), graph
    behind = {graph: ours[graph] / min(of.values()) for graph, of in times.items()}
    behind = {graph: ratio for graph, ratio in behind.items() if ratio > 1}
    furthest_first = sorted(behind, key=behind.get, reverse=True)
    assert [graph for graph, _, _ in table][: len(behind)] == furthest_first


@pytest.mark.parametrize(
    "path",
    [p for p in sorted((ROOT / "experiments").glob("*/*.json")) if p.parent.name != "quick"],
    ids=lambda p: f"{p.parent.name}-{p.stem}",
)
def test_times_that_are_evidence_have_sources_and_invocations(path):
    spec = resolved(path)
    figure = spec.get("figure", [])
    figures = {figure} if isinstance(figure, str) else set(figure)
    times = "time" in spec.get("record", ["time"]) and "sources" in spec
    if times and not figures <= NO_TIMES:
        assert spec["sources"]["count"] >= 16
        assert spec["invocations"] >= 3 and spec["repeats"] % spec["invocations"] == 0


def test_the_schema_knows_invocations():
    schema = json.loads((ROOT / "experiments/spec.schema.json").read_text())
    assert schema["properties"]["invocations"]["minimum"] == 1
