# SPDX-License-Identifier: Apache-2.0
"""What the report shows of `make equivalence`, and that nothing else reads its rows."""

import json

import pytest
from results_builder import Results

from plots import equivalence
from plots.__main__ import main
from plots.load import ResultsError, find_experiments

RUN = {
    "base": "a" * 40,
    "new": "b" * 40,
    "utc": "2026-11-29T10:00:00Z",
    "machine": "h200",
    "specs": ["experiments/dfq/fig5.json"],
    "limit_pct": 2.0,
    "rows": [
        {"experiment": "dfq-fig5", "engine": "dfq", "case": "BASE", "graphs": 8,
         "counts": "equal", "ratio": 1.0041, "low": 0.998, "high": 1.0102, "verdict": "equal",
         "why": "within 2 %"},
        {"experiment": "dfq-fig5", "engine": "hybrid", "case": "CPU", "graphs": 8,
         "counts": "differ", "ratio": None, "low": None, "high": None, "verdict": "undecided",
         "why": "counts differ on <a> graph"},
    ],
}  # fmt: skip


@pytest.fixture
def results(tmp_path):
    """A machine with an experiment, and with a run of `make equivalence` beside it."""
    rows = Results({"name": "dfq-fig5", "graphs": ["g"], "figure": "engines_by_graph"})
    rows.run("BASE", 1.0, graph="g")
    rows.write(tmp_path / "results/h200/dfq-fig5")
    rows.spec["name"] = "probe"
    run = tmp_path / "results/h200/equivalence/aaaaaaa-bbbbbbb"
    for folder in ("old", "new"):
        rows.write(run / folder / "probe")
    (run / "equivalence.json").write_text(json.dumps(RUN))
    return tmp_path / "results"


def test_only_a_root_among_them_finds_their_rows(results):
    inside = results / "h200/equivalence"
    assert [path.name for path in find_experiments([results])] == ["dfq-fig5"]
    assert [path.name for path in find_experiments([results / "h200"])] == ["dfq-fig5"]
    assert len(find_experiments([inside])) == 2
    assert len(find_experiments([inside / "aaaaaaa-bbbbbbb/old"])) == 1


def test_the_table_has_a_row_for_each_case(results):
    first, second = equivalence.table([results])
    assert dict(zip(equivalence.HEADS, first, strict=True)) == {
        "Machine": "h200", "Date": "2026-11-29", "Base": "aaaaaaa", "New": "bbbbbbb",
        "Experiment": "dfq-fig5", "Engine": "dfq", "Case": "BASE", "Graphs": "8",
        "Counts": "equal", "Ratio of times": "1.004 (graphs: 0.998 to 1.01)", "Limit": "2 %",
        "Verdict": "equal", "Why": "within 2 %",
    }  # fmt: skip
    assert second[equivalence.HEADS.index("Ratio of times")] == ""
    assert equivalence.table([results, results / "h200"]) == [first, second]  # each once


def test_engines_are_counted_by_verdict(results):
    path = results / "h200/equivalence/aaaaaaa-bbbbbbb/equivalence.json"
    more = {**RUN["rows"][0], "case": "SLOW", "ratio": 10.0, "verdict": "slower"}
    path.write_text(json.dumps(RUN | {"rows": [*RUN["rows"], more, {**more, "case": "SLOW 2"}]}))
    dfq, hybrid = equivalence.by_engine(equivalence.table([results]))
    assert dict(zip(equivalence.ENGINE_HEADS, dfq, strict=True)) == {
        "Machine": "h200", "Date": "2026-11-29", "Base": "aaaaaaa", "New": "bbbbbbb",
        "Experiment": "dfq-fig5", "Engine": "dfq", "Cases": "3",
        "Ratios of times": "1.004 to 10", "Verdicts": "2 slower, 1 equal",
    }  # fmt: skip
    assert hybrid[-3:] == ["1", "", "1 undecided"]


def test_the_report_prints_it(results, tmp_path, monkeypatch):
    monkeypatch.setattr("plots.report.evaluate", lambda *_, **__: [])
    out = tmp_path / "report"
    assert main([str(results), "--format", "none", "--report", str(out)]) == 0
    page, text = ((out / name).read_text() for name in ("report.html", "REPORT.md"))
    for words in ("Versions of the program", "1.004", "undecided"):
        assert words in page and words in text
    assert "1.004 (graphs: 0.998 to 1.01)" in page
    assert "counts differ on &lt;a&gt; graph" in page
    assert "probe" not in page and "probe" not in text
    (results / "h200/equivalence/aaaaaaa-bbbbbbb/equivalence.json").unlink()
    assert main([str(results), "--format", "none", "--report", str(out)]) == 0
    assert "Versions of the program" not in (out / "report.html").read_text()


@pytest.mark.parametrize("text", ["{", "{}", '{"rows": [{}]}', "[]"])
def test_a_file_of_another_kind_is_refused(results, text, tmp_path, capsys):
    path = results / "h200/equivalence/aaaaaaa-bbbbbbb/equivalence.json"
    path.write_text(text)
    with pytest.raises(ResultsError, match="not a file of `make equivalence`"):
        equivalence.table([results])
    words = ["--format", "none", "--report", str(tmp_path / "report")]
    assert main([str(results), *words]) == 2
    assert "equivalence.json: not a file of `make equivalence`" in capsys.readouterr().err
