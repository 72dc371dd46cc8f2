# SPDX-License-Identifier: Apache-2.0
"""The numbers of xbfs's counted figures, on rows whose answers can be worked out by hand."""

import math

import pytest
from results_builder import Results

from plots.figures import degree_against_checks, early_found, edge_checks, graph_table
from plots.load import load_experiment
from plots.paper import EXPERIMENTS, read_paper_csv

GRAPH = "kronecker:scale=16"
STAND_IN = {"name": "snap:ca-HepPh", "stand_in_for": "com-orkut"}


def load(results, tmp_path):
    return load_experiment(results.write(tmp_path / results.spec["name"]))


def model(results, case, toggles="async=true", graph=GRAPH, **facts):
    return results.run(case, 1.0, engine="xbfs-model", toggles=toggles, instrumented=1,
                       graph=graph, graph_hash=graph, **facts)  # fmt: skip


def levels(results, trial, *rows):
    for level, (direction, edges) in enumerate(rows):
        results.level(trial, level, edges, direction=direction)


def test_saved_checks_are_of_bottom_up_levels_and_of_sources_that_both_have(tmp_path):
    made = Results({"name": "x", "graphs": [GRAPH], "cases": {"S": {}, "A": {}}})
    for source, (first, second, third) in {1: (100, 50, 20), 2: (300, 50, 30)}.items():
        trial = model(made, "S", "async=false;edge_check=level", source=source)
        levels(made, trial, ("top_down", 9999), ("bottom_up", first), ("bottom_up", second))
        trial = model(made, "A", "async=true;edge_check=level", source=source)
        levels(made, trial, ("top_down", 9999), ("bottom_up", first), ("bottom_up", third))
    lonely = model(made, "S", "async=false;edge_check=level", source=3)
    levels(made, lonely, ("bottom_up", 10_000))
    never_up = model(made, "S", "async=false;edge_check=level", source=4)
    levels(made, never_up, ("top_down", 10_000))
    numbers = edge_checks.numbers(load(made, tmp_path))
    assert len(numbers) == 1
    row = numbers.iloc[0]
    assert (row["synchronous"], row["asynchronous"], row["searches"]) == (250, 225, 2)
    assert row["saved_pct"] == pytest.approx(10)
    assert row["bottom_up_levels"] == 2


def test_readings_of_edge_check_stay_apart(tmp_path):
    made = Results({"name": "x", "graphs": [GRAPH], "cases": {"S": {}, "A": {}}})
    for reading, edges in (("level", 80), ("cumulative", 60)):
        trial = model(made, "S", f"async=false;edge_check={reading}")
        levels(made, trial, ("bottom_up", 100))
        trial = model(made, "A", f"async=true;edge_check={reading}")
        levels(made, trial, ("bottom_up", edges))
    numbers = edge_checks.numbers(load(made, tmp_path)).set_index("edge_check")
    assert numbers["saved_pct"].to_dict() == pytest.approx({"level": 20, "cumulative": 40})


def test_early_finds_are_summed_over_sources_before_they_are_divided(tmp_path):
    made = Results({"name": "x", "graphs": [GRAPH], "cases": {"Sorted": {}}})
    for source, (of, found, expected) in {1: (10, 5, 4), 2: (90, 85, 80)}.items():
        trial = model(made, "Sorted", source=source)
        for part in ("first_bottom_up", "position=3/16"):
            made.measure(trial, part, "next_level_vertices", of, 2)
            made.measure(trial, part, "found_early_vertices", found, 2)
            made.measure(trial, part, "found_early_expected", expected, 2)
    model(made, "Sorted", source=3)  # never went bottom-up: says nothing
    numbers = early_found.numbers(load(made, tmp_path)).set_index("part")
    assert list(numbers.index) == ["all", "3/16"]
    assert numbers.loc["all", "found_early_share"] == pytest.approx(0.9)
    assert numbers.loc["all", "expected_share"] == pytest.approx(0.84)
    assert numbers.loc["all", "searches"] == 2


def test_an_empty_next_level_has_no_share(tmp_path):
    made = Results({"name": "x", "graphs": [GRAPH]})
    trial = model(made, "Sorted")
    for metric in early_found.METRICS:
        made.measure(trial, "first_bottom_up", metric, 0, 2)
    experiment = load(made, tmp_path)
    assert math.isnan(early_found.numbers(experiment).iloc[0]["found_early_share"])
    assert early_found.draw([experiment])[0].name == "early_found"


def test_looks_add_up_and_means_are_of_looks(tmp_path):
    made = Results({"name": "x", "graphs": [GRAPH]})
    for source, most in ((1, 70), (2, 90)):
        trial = model(made, "A", "async=false", source=source)
        made.measure(trial, "degree=64,checks=1", "looks", 30)
        made.measure(trial, "degree=64,checks=64", "looks", 10)
        made.measure(trial, "degree=64", "checks", 730)
        made.measure(trial, "degree=64", "checks_max", most)
        made.measure(trial, "degree=64", "degrees", 3200)
    experiment = load(made, tmp_path)
    numbers = degree_against_checks.numbers(experiment)
    looks = numbers[numbers["row"] == "looks"].set_index("checks_from")["value"].to_dict()
    assert looks == {1: 60, 64: 20}
    bins = numbers[numbers["row"] != "looks"].set_index("row")["value"].to_dict()
    assert bins == {"mean_checks": 18.25, "mean_degree": 80, "max_checks": 90}
    assert "75 % on kronecker scale=16" in degree_against_checks.draw([experiment])[0].caption


def test_table_1_sets_a_stand_in_below_what_it_stands_for(tmp_path):
    made = Results({"name": "xbfs-table1", "graphs": [STAND_IN, GRAPH], "allow_stand_ins": True})
    made.graph(STAND_IN["name"], 3_072_441, 234_000_000, input_edges=117_185_083,
               graph_bytes=2**30, max_degree=5, stand_in_for="com-orkut")  # fmt: skip
    made.graph(GRAPH, 65_536, 1_818_960, input_edges=2**20, graph_bytes=2**20, max_degree=9)
    drawing = graph_table.draw([load(made, tmp_path)])[0]
    lines = drawing.markdown.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("| OR, as published"))
    assert "3,072,626 | 117,185,083 |  | 1.8 GB" in lines[at]
    assert (
        "stand-in for com-orkut: ca-HepPh | 3,072,441 | 117,000,000 | 234,000,000" in lines[at + 1]
    )
    assert "1,024 MiB | 5" in lines[at + 1]
    rest = drawing.markdown.split("**Not of the paper**")[1]
    assert "kronecker scale=16 | 65,536" in rest
    assert "within 0.16 % of the published (OR's)" in drawing.caption
    assert "ca-HepPh for com-orkut" in drawing.caption


@pytest.mark.parametrize(
    ("name", "cell", "printed"),
    [
        ("table1", ("DB", "vertices"), "3966924"),
        ("table1", ("DP", "edges"), "8649016"),
        ("table1", ("FR", "size"), "11.9"),
        ("table1", ("WL", "edges"), "378142420"),
        ("fig10", ("all ten", "found_early_share"), "88"),
        ("fig15", ("all ten", "checks_saved"), "23.2"),
        ("fig15", ("DP", "checks_saved"), "51"),
    ],
)
def test_the_papers_numbers_as_printed(name, cell, printed):
    assert read_paper_csv(EXPERIMENTS / "xbfs" / f"{name}.paper.csv").cell(*cell) == printed


def test_table_1_keeps_to_its_own_text():
    """Section 2.3 gives the ranges of both columns."""
    table = read_paper_csv(EXPERIMENTS / "xbfs" / "table1.paper.csv")
    for metric, low, high in (
        ("vertices", 3_072_626, 65_608_357),
        ("edges", 8_649_016, 710_869_285),
    ):
        values = [int(table.cell(graph, metric)) for graph in table.graphs]
        assert len(values) == 10 and (min(values), max(values)) == (low, high)
