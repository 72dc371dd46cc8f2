# SPDX-License-Identifier: Apache-2.0
"""Rows of several builds in one folder: their commits, and that no ratio is formed across them."""

import html
import json

import pytest
from results_builder import Results

from plots import caveats, claims, ratios, speedups
from plots.__main__ import main
from plots.cells import time_cell
from plots.claims.estimate import Estimate
from plots.figures import frontier_expansion_map
from plots.load import ResultsError, load_experiment

GRAPH = "kronecker:scale=16"
OLD, NEW = {"build_hash": "aaaa0000"}, {"build_hash": "bbbb1111"}
ENVIRONMENT = {
    "format": 3,
    "host": "box",
    "build_hash": "aaaa0000",
    "commit": "a" * 40,
    "builds": [
        {"build_hash": "aaaa0000", "commit": "a" * 40, "dirty": False},
        {"build_hash": "bbbb1111", "commit": "b" * 40, "dirty": True},
    ],
}
SPEC = {
    "name": "e",
    "graphs": [GRAPH],
    "baseline": "slow",
    "cases": {"slow": {}, "fast": {}, "third": {}},
    "repeats": 3,
    "invocations": 3,
    "figure": "speedup_bars",
}
SAID = (
    "The rows are of 2 builds of the program: aaaa0000 (commit aaaaaaa), bbbb1111 (commit "
    "bbbbbbb). No ratio is formed across builds; --allow builds forms it."
)


def grown(sources: int = 16) -> Results:
    """`slow` and `fast` of one build; `third`, and one more source of each, of another."""
    results = Results(dict(SPEC), dict(ENVIRONMENT))
    for source in range(sources):
        for repeat in range(3):
            facts = {"source": source, "repeat": repeat}
            results.run("slow", 4.0, **OLD, **facts)
            results.run("fast", 2.0, **OLD, **facts)
            results.run("third", 1.0, **NEW, **facts)
    for repeat in range(3):
        results.run("slow", 8.0, **NEW, source=99, repeat=repeat)
        results.run("fast", 2.0, **NEW, source=99, repeat=repeat)
    return results


@pytest.fixture
def folder(tmp_path):
    return grown().write(tmp_path / "box" / "e")


def test_a_row_has_the_commit_of_its_column_or_of_its_build_or_of_the_folder(tmp_path):
    results = grown(1)
    results.runs[0]["commit"] = "c" * 40 + "+"
    results.runs[1]["build_hash"] = "cccc2222"
    results.environment["builds"] = [*ENVIRONMENT["builds"], {"build_hash": "cccc2222"}]
    experiment = load_experiment(results.write(tmp_path / "box" / "e"))
    assert list(experiment.runs["commit"][:3]) == ["c" * 40, "a" * 40, "b" * 40]
    assert experiment.commits == ["c" * 40, "a" * 40, "b" * 40]
    assert experiment.commit.startswith("commits cccccccccccc, aaaaaaaaaaaa, bbbbbbbbbbbb (mod")


def test_a_folder_of_one_build_is_as_it_was(tmp_path):
    """With and without the list of builds, which earlier versions did not write."""
    results = Results(dict(SPEC), {"commit": "a" * 40, "build_hash": "aaaa0000", "dirty": False})
    for source in range(16):
        for repeat in range(3):
            results.run("slow", 4.0, **OLD, source=source, repeat=repeat)
            results.run("fast", 2.0, **OLD, source=source, repeat=repeat)
    experiment = load_experiment(results.write(tmp_path / "box" / "e"))
    assert not experiment.mixed and experiment.commits == ["a" * 40]
    assert set(experiment.runs["invocation"]) == {0, 1, 2}
    assert not any("builds" in said for said in caveats.caveats(experiment))


def test_uncommitted_changes_are_those_of_builds_that_have_rows(folder, tmp_path):
    assert load_experiment(folder).dirty
    results = Results(dict(SPEC), dict(ENVIRONMENT))
    results.run("slow", 1.0, **OLD)
    assert not load_experiment(results.write(tmp_path / "box" / "clean")).dirty


def test_a_speedup_is_of_rows_of_one_build(folder):
    frame = speedups.speedups(load_experiment(folder)).set_index("case")
    assert frame.loc["fast", "speedup"] == pytest.approx((2**16 * 4) ** (1 / 17))
    # No build searched the same source with both `third` and `slow`.
    assert frame.loc["third", "speedup"] != frame.loc["third", "speedup"]
    assert frame.loc["third", "time_ms"] == 1.0  # its times are shown all the same
    frame = speedups.speedups(load_experiment(folder, allow_builds=True)).set_index("case")
    assert frame.loc["third", "speedup"] == pytest.approx(4)
    assert frame.loc["fast", "speedup"] == pytest.approx((2**16 * 4) ** (1 / 17))


def test_cells_of_one_build_may_be_compared_as_wholes(folder):
    experiment = load_experiment(folder)
    cell = {case: time_cell(experiment.timed_cell(GRAPH, case)) for case in experiment.case_order}
    assert ratios.of_one_build(experiment, cell["slow"], cell["fast"])
    assert not ratios.of_one_build(experiment, cell["slow"], cell["third"])
    allowed = load_experiment(folder, allow_builds=True)
    assert ratios.of_one_build(allowed, cell["slow"], cell["third"])


def test_the_caveat_names_builds_and_option(folder):
    assert SAID in caveats.caveats(load_experiment(folder))
    said = caveats.caveats(load_experiment(folder, allow_builds=True))
    assert any("Ratios across builds were asked for (--allow builds)." in one for one in said)


def test_figures_and_report_say_it_and_take_the_option(folder, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("plots.report.evaluate", lambda *_, **__: [])
    words = [str(folder), "--format", "none", "--report", str(tmp_path / "report")]
    assert main(words) == 0
    text = html.unescape((tmp_path / "report/report.html").read_text())
    assert SAID in text and "aaaaaaa, bbbbbbb with changes" in text
    assert main([*words, "--allow", "builds"]) == 0
    text = html.unescape((tmp_path / "report/report.html").read_text())
    assert SAID not in text and "Ratios across builds were asked for" in text


def test_the_heat_map_compares_with_the_best_of_the_same_build(tmp_path):
    results = Results(dict(SPEC) | {"figure": "frontier_expansion_map"}, dict(ENVIRONMENT))
    frontiers = "queue=decentralized;memory=global;collect=none;expand="
    for source in range(4):
        for case, expand, time, build in (
            ("a", "thread", 4.0, OLD),
            ("b", "warp", 2.0, OLD),
            ("c", "cta", 1.0, NEW),
        ):
            results.run(case, time, engine="dfq", toggles=frontiers + expand, source=source,
                        **build)  # fmt: skip
    written = results.write(tmp_path / "box" / "e")
    over = {}
    for allowed in (False, True):
        experiment = load_experiment(written, allow_builds=allowed)
        frame = frontier_expansion_map.numbers(experiment).set_index("case")
        over[allowed] = [frame.loc[case, "over_best"] for case in "abc"]
    assert over[True] == [4, 2, 1]
    assert over[False][2] == 1  # the fastest, which only its own build is compared with
    assert all(value != value for value in over[False][:2])


# ---- claims

CASES = [{"rows": {"case": case}} for case in ("slow", "fast", "third")]


def entry(name, value, paper=2.0):
    return {"id": name, "item": "Figure 1", "text": f"It is {name}.", "experiments": ["e"],
            "kind": "ratio", "evidence": "search", "paper": {"value": paper},
            "value": value}  # fmt: skip


def mean(of):
    return {"over": "geometric mean", "of": of}


def each(how, of):
    return {"each": how, "of": of}


def judged(tmp_path, folder, entries, allowed=False):
    (tmp_path / "root/xbfs").mkdir(parents=True, exist_ok=True)
    document = {"paper": "xbfs", "paper_graphs": ["*"], "claims": entries}
    (tmp_path / "root/xbfs/claims.json").write_text(json.dumps(document))
    found = claims.evaluate(
        folder.parent.parent,
        tmp_path / "root",
        lambda *_: Estimate("command", None, ""),
        [load_experiment(folder, allow_builds=allowed)],
    )
    return {verdict.id: verdict for verdict in found}


def test_claims_form_no_ratio_across_builds(tmp_path, folder):
    slow, fast, third = CASES
    entries = [
        entry("pairs", mean(each("geometric mean", {"ratio": [slow, fast]}))),
        entry("apart", mean(each("geometric mean", {"ratio": [slow, third]}))),
        entry("cells", mean({"ratio": [each("median", slow), each("median", fast)]})),
        entry("cells-apart", mean({"ratio": [each("median", slow), each("median", third)]})),
        entry("numbers", {"ratio": [mean(each("median", one)) for one in (slow, fast)]}),
        entry("numbers-apart", {"ratio": [mean(each("median", one)) for one in (slow, third)]}),
        entry("in percent", {"times": [{"number": 100}, mean(each("median", third))]}),
    ]
    found = judged(tmp_path, folder, entries)
    values = {name: verdict.value for name, verdict in found.items()}
    assert values["pairs"] == pytest.approx((2**16 * 4) ** (1 / 17))
    assert values["cells"] == values["numbers"] == 2
    assert values["in percent"] == 100
    for name in ("apart", "cells-apart", "numbers-apart"):
        assert values[name] is None and found[name].verdict == claims.UNDECIDED, name
        assert SAID in found[name].reason and "several builds" in found[name].weak, name
    allowed = judged(tmp_path, folder, entries, allowed=True)
    for name in ("apart", "cells-apart", "numbers-apart"):
        assert allowed[name].value == pytest.approx(4), name
        assert "Ratios across builds were asked for" in allowed[name].reason, name


def test_counts_of_two_builds_make_no_ratio_either(tmp_path):
    results = Results(dict(SPEC), dict(ENVIRONMENT))
    for source in range(4):
        for case, build, levels in (("slow", OLD, 6), ("fast", OLD, 3), ("third", NEW, 2)):
            results.run(case, 1.0, source=source, levels=levels, **build)
    folder = results.write(tmp_path / "box" / "e")
    slow, fast, third = ({**case, "of": "levels"} for case in CASES)
    entries = [
        entry("pairs", mean(each("geometric mean", {"ratio": [slow, fast]}))),
        entry("apart", mean(each("geometric mean", {"ratio": [slow, third]}))),
    ]
    found = judged(tmp_path, folder, entries)
    assert found["pairs"].value == pytest.approx(2) and found["apart"].value is None
    assert judged(tmp_path, folder, entries, True)["apart"].value == pytest.approx(3)


def test_repeats_that_a_spec_gained_are_of_another_process(tmp_path):
    environment = {**ENVIRONMENT, "resumed": [{"repeats_before": 3}, {}]}
    results = Results(SPEC | {"repeats": 5, "invocations": 1}, environment)
    for repeat in range(5):
        results.run("slow", 4.0, **OLD, repeat=repeat)
    experiment = load_experiment(results.write(tmp_path / "box" / "e"))
    assert list(experiment.runs["invocation"]) == [0, 0, 0, 1, 1]


def test_a_newer_format_is_refused(tmp_path):
    folder = Results(dict(SPEC), ENVIRONMENT | {"format": 4}).write(tmp_path / "box" / "e")
    with pytest.raises(ResultsError, match="is of format 4, and these figures read formats 1 to 3"):
        load_experiment(folder)
