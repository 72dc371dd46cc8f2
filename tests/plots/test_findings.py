# SPDX-License-Identifier: Apache-2.0
"""What modules say of their figures: the sentences, on numbers whose answers can be worked out by
hand, and that recorded figures on which no claim rests say something."""

import importlib
import json
import re
from pathlib import Path

import pandas as pd
import pytest
from results_builder import Results

from plots import sentences
from plots.__main__ import finding
from plots.claims.claims import load_claims
from plots.figures import best_of_repeats, engines_by_graph
from plots.load import find_experiments, load_experiment

ROOT = Path(__file__).resolve().parents[2]


def times(**by_series):
    """Rows of two graphs and a stand-in."""
    graphs = [("kronecker:scale=4", ""), ("kronecker:scale=5", ""), ("x", "com-lj")]
    return pd.DataFrame(
        [
            {"machine": "box", "graph": graph, "stand_in_for": replaced, "series": series,
             "time_ms": time}
            for series, of in by_series.items()
            for (graph, replaced), time in zip(graphs, of, strict=False)
        ]
    )  # fmt: skip


def test_the_fastest_wins_on_so_many_graphs_by_so_much():
    frame = times(A=[1, 2, 30], B=[2, 16, 3], C=[9, 9, 9])
    # On the first graph A is ahead by 2, on the second by 4.5: by 3 on average.
    assert sentences.best(frame, "time_ms", "series", "median") == (
        "Of 3 configurations A has the shortest time on 2 of 3 graphs, and is 3 times as fast "
        "there as the next by the geometric mean; each time is the median."
    )
    rates = sentences.best(frame, "time_ms", "series", "mean", unit="GTEPS", rate=True)
    assert rates.startswith("Of 3 configurations C has the highest rate on 1 of 3 graphs")
    assert "4.5 times as fast there, on kronecker scale=4, as the next; each rate" in rates


def test_what_failed_and_what_is_alone_does_not_compete():
    frame = times(A=[4, 2, 30], B=[1, None, None])
    assert sentences.best(frame, "time_ms", "series", "median") == (
        "Of 2 configurations B has the shortest time on kronecker scale=4, 1 ms, and is 4 times as "
        "fast as the next, A; each time is the median."
    )
    assert sentences.best(times(A=[4, 2, 30]), "time_ms", "series", "median") == (
        "A takes from 2 ms on kronecker scale=5 to 30 ms on the stand-in for com-lj, by the median."
    )
    assert sentences.best(times(A=[None, None]), "time_ms", "series", "median") == ""


def test_machines_compete_with_one_another():
    frame = pd.concat([times(A=[4, 2]), times(A=[2, 1]).assign(machine="new")])
    said = sentences.best(frame, "time_ms", "series", "median")
    assert said.startswith("Of 2 configurations A on new has the shortest time on 2 of 2 graphs")


def test_who_is_ahead_is_measured_source_by_source(tmp_path):
    """By medians, 5 and 8 ms, it would be by 1.6."""
    made = Results({"name": "x", "graphs": ["kronecker:scale=4"], "cases": {"A": {}, "B": {}}})
    for source, (a, b) in enumerate(((1, 8), (5, 40), (6, 6))):
        for case, time in (("A", a), ("B", b)):
            made.run(case, time, graph="kronecker:scale=4", source=source)
    experiment = load_experiment(made.write(tmp_path / "box" / "x"))
    for module in (engines_by_graph, best_of_repeats):
        (drawing,) = module.draw([experiment])
        said = finding(module, drawing, [experiment])
        assert "A has the shortest time on kronecker scale=4, 5 ms, and is 4 times as fast" in said
        assert "as the next, B, by the geometric mean of ratios source by source" in said


def test_without_a_source_in_common_nobody_is_ahead_by_anything():
    said = sentences.best(times(A=[4, 2], B=[2, 1]), "time_ms", "series", "median",
                          paired=lambda first, second: float("nan"))  # fmt: skip
    assert said == (
        "Of 2 configurations B has the shortest time on 2 of 2 graphs; each time is the median."
    )


def ratios_of(**by_case):
    index = pd.MultiIndex.from_product([range(4), [0]], names=["source", "invocation"])
    return pd.DataFrame(
        [
            {"origin": "ours", "graph": f"kronecker:scale={k}", "stand_in_for": "", "case": case,
             "speedup": value,
             "by_source": pd.Series([value] * 4, index=index)}
            for case, of in by_case.items()
            for k, value in enumerate(of, 4)
        ]
    )  # fmt: skip


def test_speedups_are_means_over_graphs_with_their_ends():
    said = sentences.speedups(ratios_of(**{"A, b": [2.0, 8.0], "C": [1.0, 0.25]}),
                              sentences.faster("D"))  # fmt: skip
    assert said == (
        "By the geometric mean over 2 graphs of ratios source by source, “A, b” is 4 (4 to 4) "
        "times as fast as D and C 0.5 (0.5 to 0.5); single graphs have from 0.25 on kronecker "
        "scale=5 (C) to 8 on kronecker scale=5 (“A, b”)."
    )


def test_of_many_cases_the_ends_are_told_and_of_one_graph_its_name():
    many = ratios_of(**{name: [value] for value, name in enumerate("abcdef", 1)})
    assert sentences.speedups(many, sentences.faster("base")) == (
        "On kronecker scale=4 f is 6 (6 to 6) times as fast as base, the most of 6 cases and a "
        "1 (1 to 1), the least, by the geometric mean of ratios source by source."
    )
    assert sentences.speedups(many.assign(speedup=float("nan")), sentences.faster("base")) == ""


def test_the_papers_rows_are_not_ours():
    frame = ratios_of(A=[2.0])
    printed = frame.assign(origin="paper", case="B")
    said = sentences.speedups(pd.concat([frame, printed]), sentences.faster("D"))
    assert "B" not in said and "A is 2 (2 to 2)" in said


def without_claims(results: Path) -> dict[str, Path]:
    """By module of which a recorded figure has no claim: the smallest folder of such rows."""
    claimed = {(name, claim.figure) for claim in load_claims() for name in claim.experiments}
    found: dict[str, tuple[int, Path]] = {}
    for folder in find_experiments([results]):
        if not (folder / "spec.json").exists():
            continue  # a microbenchmark, of which claims speak
        spec = json.loads((folder / "spec.json").read_text())
        figures = spec.get("figure", [])
        size = sum(path.stat().st_size for path in folder.iterdir())
        for module in [figures] if isinstance(figures, str) else figures:
            code = importlib.import_module(f"plots.figures.{module}")
            if (
                hasattr(code, "finding")
                and not {(spec["name"], module), (spec["name"], "")} & claimed
            ):
                found[module] = min(found.get(module, (size, folder)), (size, folder))
    return {module: folder for module, (_, folder) in sorted(found.items())}


WITHOUT_CLAIMS = without_claims(ROOT / "results")


@pytest.mark.parametrize("module", WITHOUT_CLAIMS)
def test_a_recorded_figure_without_a_claim_says_what_it_shows(module):
    experiment = load_experiment(WITHOUT_CLAIMS[module])
    code = importlib.import_module(f"plots.figures.{module}")
    for drawing in code.draw([experiment]):
        said = finding(code, drawing, [experiment])
        assert re.search(r"\d", said), drawing.name
        assert said.endswith(".") and not re.search(r"nan|inf\b|  ", said), said
