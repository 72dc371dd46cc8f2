# SPDX-License-Identifier: Apache-2.0
"""The numbers of every figure, on rows whose answers can be worked out by hand."""

import math

import pandas as pd
import pytest
from results_builder import Results

from plots import scaling, stats, table
from plots.claims import evaluate
from plots.claims.estimate import Estimate
from plots.drawing import Output, save
from plots.figures import (
    batch_rates,
    best_of_repeats,
    break_even,
    cuda_methods,
    edges_per_level,
    engines_by_graph,
    features_table,
    implementations_table,
    level_costs,
    sequential_benchmarks,
    technique_gains,
    thread_scaling,
)
from plots.load import load_experiment
from plots.paper import EXPERIMENTS, paper_table

RESULTS = EXPERIMENTS.parent / "results"
NEVER = Estimate("", None, "")
GRAPH = "snap:ca-HepPh"
SPEC = {
    "name": "cs406-table3",
    "graphs": [{"name": GRAPH, "stand_in_for": "coPapersDBLP"}, "snap:email-Enron"],
    "baseline": "Hybrid",
    "cases": {"Top-down": {"engine": "top-down"}, "Hybrid": {"engine": "hybrid"}},
}


def add(results, case, threads, times, graph=GRAPH, **facts):
    engine = {"Top-down": "top-down", "Hybrid": "hybrid"}.get(case, case)
    stand_in = "coPapersDBLP" if graph == GRAPH else ""
    for source, time in times.items():
        one = {"component_edges": 1000 * source} | facts
        results.run(case, time, graph=graph, graph_hash=graph, engine=engine, source=source,
                    toggles=f"threads={threads}", stand_in_for=stand_in, **one)  # fmt: skip


@pytest.fixture
def results():
    made = Results(SPEC)
    add(made, "Hybrid", 1, {1: 8.0, 2: 8.0})
    add(made, "Hybrid", 2, {1: 5.0, 2: 5.0})
    add(made, "Top-down", 1, {1: 20.0, 2: 12.0})
    add(made, "Top-down", 2, {1: 10.0, 2: 10.0})
    return made


def load(results, tmp_path):
    return load_experiment(results.write(tmp_path / results.spec["name"]))


def row(frame, **wanted):
    for column, value in wanted.items():
        frame = frame[frame[column] == value]
    assert len(frame) == 1
    return frame.iloc[0]


def test_speedup_is_over_the_baseline_at_one_thread(results, tmp_path):
    numbers = scaling.scaling(load(results, tmp_path))
    one = row(numbers, case="Top-down", threads=1)
    two = row(numbers, case="Top-down", threads=2)
    assert one["time_s"] == pytest.approx(0.016)
    # 8 / 20 and 8 / 12: not the ratio of medians, which is a half.
    assert one["speedup"] == pytest.approx((8 / 20 * 8 / 12) ** 0.5)
    assert (one["min"], one["max"]) == (pytest.approx(0.4), pytest.approx(2 / 3))
    assert one["efficiency"] == one["speedup"]
    assert two["speedup"] == pytest.approx(0.8)
    assert two["efficiency"] == pytest.approx(0.4)
    assert row(numbers, case="Hybrid", threads=2)["speedup"] == pytest.approx(1.6)


def sixteen(times_of, results):
    """Rows of sixteen sources: Hybrid on one thread, and "Top-down" on one and two."""
    for case, threads in (("Hybrid", 1), ("Top-down", 1), ("Top-down", 2)):
        add(results, case, threads, {s: times_of(case, threads, s) for s in range(16)})
    return results


def times_of(case, threads, source):
    """Three times as fast on two threads as on one, but not from source 0."""
    if case == "Hybrid":
        return 6.0 + source
    return (6.0 + source) * (4 if source == 0 else 2) / (6 if threads == 2 and source else 2)


def test_curves_of_speedups_have_every_source_behind_them(tmp_path):
    made = sixteen(times_of, Results(SPEC | {"graphs": SPEC["graphs"][:1]}))
    drawings = thread_scaling.draw([load(made, tmp_path)])
    ours = drawings[0].numbers[drawings[0].numbers["origin"] == "ours"]
    two = row(ours, case="Top-down", threads=2)
    assert two["speedup"] == pytest.approx((3**15 * 0.5) ** (1 / 16))
    assert two["min"] == 0.5 and two["max"] == pytest.approx(3)
    assert two["min"] < two["low95"] < two["speedup"] < two["high95"]
    assert len(two["by_source"]) == 16
    # The ratio of the medians hides the source that loses.
    assert two["baseline_s"] / two["time_s"] > 1.03 * two["speedup"]
    panel = {axes.get_ylabel(): axes for axes in drawings[0].figure.axes}["Speed-up"]
    ends = [s[:, 1].tolist() for lines in panel.collections for s in lines.get_segments()]
    assert [0.5, pytest.approx(3)] in ends
    text = drawings[1].markdown
    of_interval = text.split("**Speed-up, its 95 % interval**")[1]
    assert "| Top-down | t=1 | 0.8" in of_interval.split("**")[0]
    assert "0.5 to 3" in text.split("**Speed-up, least to most of the sources**")[1]


@pytest.mark.parametrize("module", [cuda_methods, implementations_table])
def test_tables_of_speedups_print_interval_and_range(module, tmp_path):
    made = sixteen(times_of, Results(SPEC | {"name": "x", "graphs": SPEC["graphs"][:1]}))
    if module is cuda_methods:  # which has one number of threads for each method
        made.runs = [r for r in made.runs if (r["case"], r["toggles"]) != ("Top-down", "threads=1")]
    (drawing,) = module.draw([load(made, tmp_path)])
    found = row(drawing.numbers, case="Top-down", threads=2)
    sections = drawing.markdown.split("**Speed-up")
    assert len(sections) == 4
    assert f"| {found['speedup']:.3g} |" in sections[1].replace("**", "")
    assert f"| {found['low95']:.3g} to {found['high95']:.3g} |" in sections[2]
    assert "| 0.5 to 3 |" in sections[3]
    assert "1 to 1" not in drawing.markdown  # the baseline over itself
    statistic = drawing.statistic or module.STATISTIC
    assert "geometric mean" in statistic and "ratio of these" not in statistic
    saved = save(drawing, tmp_path / "out", Output(()))["csv"].read_text().splitlines()
    assert {"speedup", "low95", "high95", "min", "max"} <= set(saved[0].split(","))


def test_a_slow_source_that_turns_a_table_is_named(tmp_path):
    made = Results(SPEC | {"name": "x", "graphs": SPEC["graphs"][:1]})
    add(made, "Hybrid", 1, {s: 10.0 for s in range(16)})
    add(made, "Top-down", 2, {s: 5.0 if s else 800.0 for s in range(16)})
    (drawing,) = implementations_table.draw([load(made, tmp_path)])
    assert "A few slow sources turn the result: Top-down on ca-HepPh (1.4" in drawing.caption


def test_without_a_baseline_there_is_no_speedup(tmp_path):
    made = Results(SPEC)
    add(made, "Top-down", 2, {1: 10.0})
    add(made, "Hybrid", 2, {1: 10.0})
    numbers = scaling.scaling(load(made, tmp_path))
    assert numbers["speedup"].isna().all() and numbers["efficiency"].isna().all()


def test_both_definitions_of_mteps(results, tmp_path):
    """Examined: the level rows' sum over the timed row's time; component: its own edges."""
    for source, per_level in {1: (100, 19_900), 2: (500, 9_500)}.items():
        trial = results.run("Top-down", 999.0, graph=GRAPH, graph_hash=GRAPH, engine="top-down",
                            source=source, toggles="threads=2", instrumented=1,
                            edges_checked=1)  # fmt: skip
        for level, edges in enumerate(per_level):
            results.level(trial, level, edges)
    numbers = scaling.scaling(load(results, tmp_path))
    two = row(numbers, case="Top-down", threads=2)
    # 20,000 and 10,000 edges in 10 ms: 2 and 1 MTEPS, whose harmonic mean is 4/3.
    assert two["mteps_examined"] == pytest.approx(4 / 3)
    # 1000 and 2000 edges in 10 ms: 0.1 and 0.2.
    assert two["mteps_component"] == pytest.approx(2 / (10 + 5))
    assert math.isnan(row(numbers, case="Top-down", threads=1)["mteps_examined"])


def test_mteps_examined_needs_every_source(results, tmp_path):
    trial = results.run("Top-down", 1.0, graph=GRAPH, graph_hash=GRAPH, engine="top-down",
                        source=1, toggles="threads=2", instrumented=1)  # fmt: skip
    results.level(trial, 0, 100)
    numbers = scaling.scaling(load(results, tmp_path))
    assert math.isnan(row(numbers, case="Top-down", threads=2)["mteps_examined"])


def test_the_table_stands_beside_the_papers_numbers(results, tmp_path):
    drawings = thread_scaling.draw([load(results, tmp_path)])
    text = drawings[1].markdown
    header = text.splitlines()[0]
    assert "coPapersDBLP stand-in: ca-HepPh | coPapersDBLP paper" in header
    assert "email-Enron" not in header or "stand-in: email-Enron" not in header
    line = next(x for x in text.splitlines() if "| t=2 |" in x)
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    assert cells[2:4] == ["0.01", "0.04248"]
    assert "0.085†" in text and "contradicts" in text
    assert "ca-HepPh for coPapersDBLP" in drawings[0].caption
    paper_rows = drawings[0].numbers[drawings[0].numbers["origin"] == "paper"]
    assert row(paper_rows, graph="rmat-er", threads=16)["time_s"] == 0.6469


def test_the_papers_own_graph_with_options_stands_beside_the_papers_numbers(tmp_path):
    own = "wiki-topcats,symmetrize=false"
    made = Results(SPEC | {"graphs": [own]})
    add(made, "Hybrid", 1, {1: 8.0}, own)
    add(made, "Top-down", 2, {1: 10.0}, own)
    text = thread_scaling.draw([load(made, tmp_path)])[1].markdown
    line = next(x for x in text.splitlines() if "| t=2 |" in x)
    assert "| 0.01 | 0.1277 |" in line and "symmetrize" not in text


def test_a_failed_cell_shows_its_status_in_tables_and_numbers(results, tmp_path):
    add(results, "Top-down", 2, {3: None}, status="timeout", reason="over 2 s")
    add(results, "Top-down", 1, {1: None}, "snap:email-Enron", status="oom", reason="9 GiB")
    add(results, "Hybrid", 1, {1: None}, "snap:email-Enron", status="wrong", reason="level 3")
    add(results, "Hybrid", 2, {1: None}, "snap:email-Enron", status="crash", reason="signal 11")
    experiment = load(results, tmp_path)
    numbers = scaling.scaling(experiment)
    failed = row(numbers, case="Top-down", threads=2)
    assert failed["status"] == "timeout" and failed["reason"] == "over 2 s"
    assert math.isnan(failed["time_s"]) and math.isnan(failed["speedup"])
    text = implementations_table.draw([experiment])[0].markdown
    for word in ("TIMEOUT", "OOM", "WRONG", "CRASH"):
        assert word in text


def test_the_best_of_each_column_is_marked_ours_and_the_papers_apart(tmp_path):
    made = Results(SPEC | {"name": "cs406-table10"})
    add(made, "Hybrid", 1, {1: 8.0})
    add(made, "Top-down", 1, {1: 4.0})
    text = implementations_table.draw([load(made, tmp_path)])[0].markdown
    times, speedups = text.split("**Speed-up**")
    assert "| **0.004** |" in times and "**0.008**" not in times
    assert "| **2** |" in speedups
    assert "**0.0082**" in times  # the paper's best on coPapersDBLP: hybrid, 16 threads


def test_table_1_divides_benchmark_by_implementation(tmp_path):
    made = Results(SPEC | {"name": "cs406-table1"})
    add(made, "sequential", 1, {1: 30.0})
    add(made, "Hybrid", 1, {1: 12.0})
    numbers = sequential_benchmarks.numbers(load(made, tmp_path))
    ratio = sequential_benchmarks.RATIO
    assert row(numbers, origin="ours", graph=GRAPH, row=ratio)["value"] == pytest.approx(2.5)
    theirs = row(numbers, origin="paper", graph="europe_osm", row=ratio)["value"]
    assert theirs == pytest.approx(1.306992 / 1.59)
    assert math.isnan(row(numbers, origin="paper", graph="rmat-b", row=ratio)["value"])


def test_table_1_has_the_listed_hybrid_and_the_flagship_beside_it(tmp_path):
    """On the stand-ins of full size, too, the paper's numbers stand beside them."""
    spec = {"name": "cs406-table1-standins", "paper": "cs406", "item": "Table 1"}
    made = Results(SPEC | spec | {"graphs": SPEC["graphs"][:1]})
    add(made, "sequential", 1, {1: 30.0})
    add(made, "cs406-cpu", 1, {1: 20.0})
    add(made, "hybrid", 1, {1: 6.0})
    drawing, in_table = sequential_benchmarks.draw([load(made, tmp_path)])
    ratio_of = {name: row(drawing.numbers, origin="ours", row=name)["value"]
                for name in sequential_benchmarks.RATIOS.values()}  # fmt: skip
    assert list(ratio_of.values()) == pytest.approx([1.5, 5])
    lines = {line.split(" | ")[0]: line for line in in_table.markdown.splitlines()}
    assert "| 0.02 | 0.036 |" in lines["| Our implementation"]
    assert lines["| Benchmark / flagship hybrid"].endswith(" |  |  |  | 5 |  |  |")
    assert "another algorithm than the paper's" in drawing.caption


def test_cases_beside_the_papers_methods_follow_them_in_table_and_curves(tmp_path):
    cases = SPEC["cases"] | {"Flagship hybrid": {"engine": "hybrid"}}
    spec = {"name": "cs406-table3-standins", "paper": "cs406", "item": "Table 3", "cases": cases}
    made = Results(SPEC | spec | {"graphs": SPEC["graphs"][:1]})
    for case, time in (("Hybrid", 8.0), ("Flagship hybrid", 2.0), ("Top-down", 4.0)):
        for threads in (1, 2):
            add(made, case, threads, {1: time / threads})
    curves, in_table = thread_scaling.draw([load(made, tmp_path)])
    labels = [text.get_text() for text in curves.figure.legends[0].get_texts()]
    assert labels == ["Top-down, ours", "Top-down, paper", "Flagship hybrid, ours"]
    times = in_table.markdown.split("**Speed-up**")[0]
    assert "| Top-down | t=1 | 0.004 |" in times and "| Hybrid |" not in times
    assert "| Flagship hybrid | t=1 | 0.002 |" in times.replace("**", "")


def test_table_1_is_a_mean_of_ratios_of_each_source(tmp_path):
    made = Results(SPEC | {"name": "cs406-table1", "graphs": SPEC["graphs"][:1]})
    add(made, "sequential", 1, {s: 10.0 for s in range(16)})
    add(made, "Hybrid", 1, {s: 5.0 if s else 40.0 for s in range(16)})
    drawing, in_table = sequential_benchmarks.draw([load(made, tmp_path)])
    found = row(drawing.numbers, origin="ours", row=sequential_benchmarks.RATIO)
    assert found["value"] == pytest.approx((2**15 * 0.25) ** (1 / 16))
    assert (found["min"], found["max"]) == (0.25, 2)
    assert found["low95"] < found["value"] < found["high95"]
    dots = [y for line in drawing.figure.axes[0].lines for y in line.get_ydata()]
    assert dots.count(2) >= 15 and 0.25 in dots
    assert "| least to most of the sources |  |  |  | 0.25 to 2 |" in in_table.markdown
    assert "its 95 % interval" in in_table.markdown


def verdicts_and_table_1(experiment, root=EXPERIMENTS):
    """What claims and figure say of the same ratios: (verdict, row of the figure)."""
    frame = sequential_benchmarks.numbers(experiment)
    found = frame[(frame["origin"] == "ours") & (frame["row"] == sequential_benchmarks.RATIO)]
    found = found.set_index("stand_in_for")
    said = evaluate(RESULTS, root, experiments=[experiment], estimated=lambda *_: NEVER)
    return [(v, found.loc[v.id.removeprefix("cs406-table1-")]) for v in said
            if v.figure == "sequential_benchmarks" and v.value is not None]  # fmt: skip


def test_table_1_says_what_its_claims_verdicts_say(tmp_path):
    spec = {"name": "cs406-table1", "graphs": [{"name": GRAPH, "stand_in_for": "coPapersDBLP"}]}
    made = Results(spec | {"baseline": "Textbook"})
    for case, engine in (("Textbook", "sequential"), ("Hybrid, 1 thread", "cs406-cpu")):
        for source in range(16):
            for repeat in range(3):
                time = (7 + source * source % 11) * (1 + 0.1 * repeat)
                time /= 1 + 0.3 * (source % 5) if engine == "cs406-cpu" else 1
                made.run(case, time, engine=engine, graph=GRAPH, graph_hash=GRAPH, source=source,
                         repeat=repeat, stand_in_for="coPapersDBLP")  # fmt: skip
    ((verdict, ours),) = verdicts_and_table_1(load(made, tmp_path))
    assert ours["value"] == pytest.approx(verdict.value)
    assert ours["low95"] == pytest.approx(verdict.interval[0], rel=0.03)
    assert ours["high95"] == pytest.approx(verdict.interval[1], rel=0.03)


@pytest.mark.parametrize("machine", ["xeon-16", "epyc-2"])
def test_recorded_verdicts_of_table_1_lie_in_its_intervals(machine, tmp_path):
    """Of several processes a figure averages the ratios of each, and a claim takes the median of
    all repeats: with one process they are the same number. A figure shows trials that were
    disturbed in every attempt, which claims leave out. The rows are older than cs406-cpu."""
    experiment = load_experiment(RESULTS / machine / "cs406-table1")
    claims = (EXPERIMENTS / "cs406/claims.json").read_text()
    (tmp_path / "cs406").mkdir()
    (tmp_path / "cs406/claims.json").write_text(claims.replace('"cs406-cpu"', '"hybrid"'))
    pairs = verdicts_and_table_1(experiment, tmp_path)
    pairs = [pair for pair in pairs if "polluted" not in pair[0].weak]
    assert len(pairs) >= 1
    for verdict, ours in pairs:
        assert ours["low95"] < verdict.value < ours["high95"]
        if len(set(experiment.runs["invocation"])) == 1:
            assert ours["value"] == pytest.approx(verdict.value)


def test_features_count_hops_not_levels(tmp_path):
    made = Results(SPEC | {"name": "cs406-features"})
    made.graph(GRAPH, 12_008, 236_978)
    for source, levels in {1: 9, 2: 11, 3: 10}.items():
        made.run("hybrid", 1.0, graph=GRAPH, source=source, levels=levels)
    experiment = load(made, tmp_path)
    numbers = row(features_table.numbers(experiment), graph=GRAPH)
    assert (numbers["depth"], numbers["depth_min"], numbers["depth_max"]) == (9, 8, 10)
    assert numbers["average_outdegree"] == pytest.approx(236_978 / 12_008)
    text = features_table.draw([experiment])[0].markdown
    assert "9 (8-10)" in text and "| 13847 |" in text and "19.74" in text


def levels_of(results, case, engine, edges, directions=None, **facts):
    facts = {"graph": "kronecker:scale=16", "source": 3} | facts
    trial = results.run(case, 1.0, engine=engine, instrumented=1, toggles="", **facts)
    for level, count in enumerate(edges):
        results.level(trial, level, count, direction=(directions or ["top_down"] * 99)[level])


def test_minimum_per_level_is_an_oracle_apart_from_the_rule(tmp_path):
    made = Results({"name": "graph500-romeo-table3_1", "graphs": ["kronecker:scale=16"],
                    "cases": {"Top-down": {}, "Bottom-up": {}, "Rule": {}}})  # fmt: skip
    levels_of(made, "Rule", "hybrid", [3, 50, 40, 0], ["top_down", "top_down", "bottom_up"] * 2)
    levels_of(made, "Bottom-up", "bottom-up", [900, 45, 40, 7], ["bottom_up"] * 4)
    levels_of(made, "Top-down", "top-down", [3, 50, 700, 7, 0])
    levels_of(made, "Top-down", "top-down", [1, 1, 1], source=4)  # another source is not mixed in
    frame = edges_per_level.numbers(load(made, tmp_path))
    assert list(dict.fromkeys(frame["method"])) == [
        "Top-down", "Bottom-up", "Minimum per level", "Rule",
    ]  # fmt: skip
    minimum = frame[frame["method"] == "Minimum per level"]
    assert minimum["edges_checked"].tolist() == [3, 45, 40, 7, 0]
    assert minimum["direction"].tolist()[:3] == ["top_down", "bottom_up", "bottom_up"]
    assert frame[frame["method"] == "Rule"]["edges_checked"].sum() == 93
    shape = edges_per_level.level_table(
        load(made, tmp_path), frame, paper_table("graph500-romeo-table3_1")
    )
    assert shape.rows[-1].cells[1:5] == ["760", "992", "95", "93"]
    assert shape.rows[-1].cells[5:] == ["23,489,787", "24,269,001", "618,131"]


def test_levels_add_up_over_ranks_and_parts(tmp_path):
    made = Results({"name": "x", "graphs": ["kronecker:scale=16"]})
    trial = made.run("T", 1.0, engine="top-down", instrumented=1)
    for rank, part, edges in ((0, "dd", 1), (0, "dn", 20), (1, "dd", 300)):
        made.level(trial, 0, edges, rank=rank, part=part)
    assert edges_per_level.numbers(load(made, tmp_path))["edges_checked"].tolist() == [321]


def test_level_costs_gather_frontiers_of_like_size_by_how_the_level_ran(tmp_path):
    made = Results({"name": "x", "graphs": ["kronecker:scale=16"], "cases": {"A": {}}})
    for source, times in {1: (4, 20, 70), 2: (6, 30, 50)}.items():
        trial = made.run("A", 1.0, source=source, instrumented=1)
        ways = [("one_block", "top_down", 1), ("merge_path", "top_down", 600 + source),
                ("first_neighbors", "bottom_up", 1 << 20)]  # fmt: skip
        for level, (us, (technique, direction, frontier)) in enumerate(
            zip(times, ways, strict=True)
        ):
            made.level(trial, level, 0, technique=technique, direction=direction,
                       frontier_vertices=frontier, time_ms=us / 1000)  # fmt: skip
        made.level(trial, 3, 0, technique="one_block", frontier_vertices=0, time_ms=9)
    made.level(made.run("A", 1.0, source=3), 0, 0, frontier_vertices=1, time_ms=99)  # not counted
    experiment = load(made, tmp_path)
    frame = level_costs.numbers(experiment).set_index("technique")
    merged = frame.loc["merge_path"]
    assert merged[["frontier_from", "levels", "frontier_median"]].tolist() == [512, 2, 601.5]
    times_us = merged[["fastest_us", "median_us", "slowest_us"]].tolist()
    assert times_us == pytest.approx([20, 25, 30])
    assert frame["share"].sum() == pytest.approx(1)
    assert frame.loc["first_neighbors", "share"] == pytest.approx(120 / 180)
    figure = level_costs.draw([experiment])[0].figure
    title = figure.axes[0].get_title("left").split("\n")
    assert title[1:] == ["first neighbors 67 %, merge path 28 %,", "one block 6 %"]


@pytest.mark.parametrize(
    ("mine", "theirs", "searches"),
    [
        ((10, 1), (1, 2), 10),  # 20 against 21: at 9 both are 19
        ((10, 1), (1.5, 2), 9),  # 19 against 19.5
        ((1, 1), (2, 2), 1),  # from the first on
        ((2, 2), (1, 1), math.inf),
        ((2, 1), (1, 1), math.inf),
        ((1, 2), (3, 1), math.nan),  # at first only
    ],
)
def test_break_even_is_the_first_search_that_pays(mine, theirs, searches):
    found = break_even.searches_until_cheaper(*mine, *theirs)
    assert found == searches or (math.isnan(found) and math.isnan(searches))
    if math.isfinite(searches):

        def cost(of, count):
            return of[0] + count * of[1]

        assert cost(mine, searches) < cost(theirs, searches)
        assert searches == 1 or cost(mine, searches - 1) >= cost(theirs, searches - 1)


def test_the_cheapest_changes_where_lines_cross(tmp_path):
    cases = {"given": (1, 4), "ordered": (10, 1), "better": (100, 0.5), "worse": (50, 2)}
    made = Results({"name": "x", "graphs": ["kronecker:scale=16"],
                    "cases": {case: {} for case in [*cases, "broken"]}})  # fmt: skip
    for case, (setup, time) in cases.items():
        for source in range(3):
            made.run(case, time, source=source, setup_ms=setup + source - 1)
    made.run("broken", None, status="oom", setup_ms=5)
    experiment = load(made, tmp_path)
    assert break_even.cheapest(break_even.costs(experiment)) == [
        ("given", 1), ("ordered", 4), ("better", 181)
    ]  # fmt: skip
    frame = break_even.numbers(experiment).set_index(["case", "against"])
    found = frame[["cheaper", "searches"]].to_dict("index")
    assert found["better", "ordered"] == {"cheaper": "from", "searches": 181}
    for mine, theirs, word in (("worse", "ordered", "never"), ("given", "worse", "first")):
        assert found[mine, theirs]["cheaper"] == word
        assert math.isnan(found[mine, theirs]["searches"])
    assert frame.loc[("broken", "given"), "status"] == "oom"
    assert math.isnan(frame.loc[("broken", "given"), "searches"])
    axes = break_even.draw([experiment])[0].figure.axes[0]
    assert [text.get_text() for text in axes.texts] == ["4", "181"]
    assert [line.get_label() for line in axes.lines][:4] == list(cases)


def test_engines_by_graph_gives_median_quantiles_and_interval(tmp_path):
    made = Results({"name": "x", "graphs": ["kronecker:scale=16"], "cases": {"A": {}}})
    for source in range(1, 12):
        made.run("A", float(source), source=source)
    numbers = engines_by_graph.numbers(load(made, tmp_path)).iloc[0]
    assert numbers["median_ms"] == 6 and numbers["sources"] == 11
    assert (numbers["q10_ms"], numbers["q90_ms"]) == (2, 10)
    wanted = stats.median_time(pd.Series(range(1, 12), dtype=float))
    assert (numbers["median_low95_ms"], numbers["median_high95_ms"]) == (wanted.low, wanted.high)
    assert wanted.low < 6 < wanted.high


def test_best_of_repeats_and_gteps(tmp_path):
    made = Results({"name": "x", "graphs": ["kronecker:scale=16"], "cases": {"A": {}}})
    for source, times in {1: (4.0, 2.0), 2: (9.0, 4.0)}.items():
        for repeat, time in enumerate(times):
            made.run("A", time, source=source, repeat=repeat, component_edges=8_000_000)
    numbers = best_of_repeats.numbers(load(made, tmp_path)).iloc[0]
    assert numbers["best_median_ms"] == 3
    assert numbers["gteps"] == pytest.approx(2 / (1 / 4 + 1 / 2))


def test_stand_ins_are_named_on_axes_and_in_captions(results, tmp_path):
    experiment = load(results, tmp_path)
    drawing = engines_by_graph.draw([experiment])[0]
    ticks = [text.get_text() for axes in drawing.figure.axes for text in axes.get_xticklabels()]
    assert ticks == ["ca-HepPh\n(stand-in for coPapersDBLP)"]
    assert "ca-HepPh for coPapersDBLP" in drawing.caption
    curves = thread_scaling.draw([experiment])[0].figure
    titles = " ".join(axes.get_title() for axes in curves.axes).replace("\n", " ")
    assert "(stand-in for coPapersDBLP)" in titles


def test_two_cases_of_one_engine_keep_their_names(tmp_path):
    made = Results(SPEC | {"cases": {"Hybrid": {}, "Beamer": {}}})
    add(made, "Hybrid", 1, {1: 8.0})
    made.run("Beamer", 4.0, graph=GRAPH, graph_hash=GRAPH, engine="hybrid", toggles="threads=1")
    numbers = scaling.scaling(load(made, tmp_path))
    assert numbers["method"].tolist() == ["Hybrid", "Beamer"]


def test_markdown_repeats_spans_and_escapes():
    shape = table.Table([[("", 1), ("wide", 2)], [("a", 1), ("b", 1), ("c|d", 1)]],
                        [table.Row(["part"]), table.Row(["x", "1", "2"], bold={2})])  # fmt: skip
    assert table.markdown(shape).splitlines() == [
        "| a | wide b | wide c\\|d |",
        "| --- | --- | --- |",
        "| **part** |  |  |",
        "| x | 1 | **2** |",
    ]


def test_batch_rates_are_of_all_searches_together(tmp_path):
    made = Results({"name": "x", "graphs": ["kronecker:scale=16"], "cases": {"A": {}, "B": {}}})
    # Alone, 1000 and 3000 edges take 1 and 3 ms: 1 GTEPS / 1000. Together they take 1 ms.
    for repeat, factor in ((0, 1.0), (1, 2.0), (2, 4.0)):
        for source, time in ((1, 1.0), (2, 3.0)):
            one = {"source": source, "repeat": repeat, "component_edges": 1000 * time}
            made.run("A", time * factor, toggles="batch=1", **one)
            made.run(
                "A", 0.5 * factor, toggles="batch=64", batch_searches=2, batch_ms=factor, **one
            )
    made.run("B", None, toggles="batch=64", status="unsupported", reason="parents")
    experiment = load(made, tmp_path)
    drawing = batch_rates.draw([experiment])[0]
    frame = drawing.numbers.set_index(["case", "batch"])
    alone, together = frame.loc[("A", 1)], frame.loc[("A", 64)]
    assert alone["gteps"] == pytest.approx(0.0005) and alone["ms_per_search"] == 4
    assert together["gteps"] == pytest.approx(0.002) and together["ms_per_search"] == 1
    assert (together["lowest"], together["highest"]) == pytest.approx((0.001, 0.004))
    assert together["gain"] == pytest.approx(4) and alone["gain"] == 1
    assert frame.loc[("B", 64), "status"] == "unsupported"
    assert math.isnan(frame.loc[("B", 64), "gain"])
    assert "1 of 3 cells failed" in drawing.caption
    assert batch_rates.finding(drawing, [experiment]).startswith(
        "Searches together reach at most 4 "
    )


def test_the_gains_of_an_ablation_are_those_of_its_table(tmp_path):
    names = ["all", "all, no a", "all, b=2", "all, c=9", "none", "only a", "no a, b=2"]
    made = Results(
        {"name": "x", "graphs": ["kronecker:scale=16"], "cases": {name: {} for name in names}}
    )
    times = [1.0, 3.0, 2.0, None, 4.0, 8.0, 5.0]
    for name, time in zip(names, times, strict=True):
        for source in range(8):
            wobble = 1 + (source % 4) / 100  # the same for all cases but one
            noise = 1 + (source % 3) / 10 if name == "only a" else 1
            facts = {} if time else {"status": "unsupported", "reason": "no 9 here"}
            made.run(name, time and time * wobble * noise, source=source, **facts)
    experiment = load(made, tmp_path)
    drawing = technique_gains.draw([experiment])[0]
    frame = drawing.numbers.set_index(["technique", "among"])
    assert list(frame.index) == [("a", "all"), ("b=2", "all"), ("c=9", "all"), ("a", "none")]
    assert frame.loc[("a", "all"), ["gain", "low95", "high95"]].tolist() == pytest.approx([3] * 3)
    assert frame.loc[("b=2", "all"), "gain"] == pytest.approx(0.5)
    assert frame["verdict"].tolist() == ["pays", "costs", "", "costs"]
    assert frame["status"].tolist() == ["ok", "ok", "unsupported", "ok"]
    alone = frame.loc[("a", "none")]
    ratios = pd.Series([0.5 / (1 + (source % 3) / 10) for source in range(8)])
    wider = stats.corrected(stats.mean_ratio(ratios), 3)  # of three gains
    assert (alone["low95"], alone["high95"]) == pytest.approx((wider.low, wider.high))
    assert wider.low < stats.mean_ratio(ratios).low
    assert drawing.figure is not None
    assert technique_gains.finding(drawing, [experiment]).startswith(
        "The technique that pays most is a in all: 3 (3 to 3) on "
    )


def test_searches_that_end_early_are_not_small(tmp_path):
    made = Results({"name": "x", "graphs": ["kronecker:scale=16"], "cases": {"A": {}, "B": {}}})
    for source, reached in ((1, 10), (2, 1000)):
        made.run("A", 1.0, source=source, depth_limit=1, reached_vertices=reached)
    assert load(made, tmp_path).small_sources == set()
    made.run("B", 1.0, source=1, reached_vertices=10)
    made.run("B", 1.0, source=2, reached_vertices=1000)
    assert {source for _, _, source in load(made, tmp_path).small_sources} == {1}
