# SPDX-License-Identifier: Apache-2.0
"""The numbers of xbfs's measured figures, on rows whose answers can be worked out by hand."""

import math

import pandas as pd
import pytest
from matplotlib.colors import to_rgb
from results_builder import Results, benchmark, gathered

from plots import style
from plots.__main__ import main
from plots.figures import (
    direction_shares,
    early_found,
    edge_checks,
    frontier_generation,
    level_methods,
    machine_speeds,
    runtime_table,
    speedup_bars,
    technique_breakdown,
)
from plots.level_times import level_times
from plots.load import load_experiment
from plots.paper import EXPERIMENTS, paper_for, read_paper_csv
from plots.ratios import average, averages
from plots.speedups import speedups

GRAPH, OTHER = "kronecker:scale=16", "kronecker:scale=17"
ORKUT = {"name": "power_law:vertices=9", "stand_in_for": "com-orkut"}
FIGURE_11 = {"name": "x", "paper": "xbfs", "item": "Figure 11", "graphs": [GRAPH, OTHER],
             "baseline": "Enterprise", "cases": {"Enterprise": {}, "Ad": {}}}  # fmt: skip


def load(results, tmp_path, machine="box"):
    return load_experiment(results.write(tmp_path / machine / results.spec["name"]))


def timed(results, case, graph, by_source, **facts):
    """Several repeats of every source."""
    for source, times in by_source.items():
        for repeat, time in enumerate(times):
            results.run(case, time, graph=graph, graph_hash=graph, engine="xbfs", toggles="",
                        source=source, repeat=repeat, **facts)  # fmt: skip


def test_a_speedup_is_the_geometric_mean_of_the_ratios_source_by_source(tmp_path):
    made = Results(FIGURE_11)
    timed(made, "Enterprise", GRAPH, {1: (8, 10, 90), 2: (20, 20, 20), 3: (30, 30, 30)})
    timed(made, "Ad", GRAPH, {1: (5, 5, 1), 2: (10, 10, 10), 3: (5, 6, 9)})
    row = speedups(load(made, tmp_path)).set_index("case").loc["Ad"]
    # Medians of the repeats: 10, 20, 30 against 5, 10, 6.
    assert list(row["by_source"]) == [2, 2, 5]
    assert row["speedup"] == pytest.approx(20 ** (1 / 3))
    assert row["by_total_time"] == pytest.approx(60 / 21)
    assert math.isnan(row["low95"])  # three sources say little about a fourth


def swept(points):
    """Rows of cases as "name" -> {toggles: time}, with baseline "work, all"."""
    made = Results({"name": "x", "graphs": [GRAPH], "baseline": "work, all",
                    "cases": {case: {} for case in points}})  # fmt: skip
    for case, times in points.items():
        for toggles, time in times.items():
            engine = "tigr" if case.startswith("tigr") else "hybrid"
            for source in range(8):
                made.run(case, time * (1 + source / 10), graph=GRAPH, source=source, engine=engine,
                         toggles=toggles)  # fmt: skip
    return made


BY_THREADS = {"threads=1": 8.0, "threads=2": 4.0}
OF_BOTH = {f"hints={h};threads={t}": 8.0 / t / (h + 1) for t in (1, 2) for h in (0, 1)}


@pytest.mark.parametrize(
    ("points", "expected"),
    [
        ({"work, all": BY_THREADS, "b": {"threads=1": 2.0, "threads=2": 2.0}},
         {"b, threads=1": 4, "b, threads=2": 2}),
        ({"work, all": BY_THREADS, "b=1, x": {"threads=1": 2.0, "threads=2": 2.0}},
         {"b=1, x, threads=1": 4, "b=1, x, threads=2": 2}),
        ({"b": {"threads=1": 2.0, "threads=2": 2.0}, "work, all": BY_THREADS},
         {"b, threads=1": 4, "b, threads=2": 2}),
        ({"work, all": BY_THREADS, "tigr": {"threads=1": 2.0, "threads=2": 2.0}},
         {"tigr (reimplemented), threads=1": 4, "tigr (reimplemented), threads=2": 2}),
        ({"work, all": OF_BOTH, "b": dict.fromkeys(OF_BOTH, 1.0)},
         {f"b, hints={h}, threads={t}": 8 / t / (h + 1) for t in (1, 2) for h in (0, 1)}),
        # A sweep of the case alone multiplies it, and each point has the same baseline.
        ({"work, all": BY_THREADS,
          "b": {f"alpha={a};{t}": 2.0 for a in (1, 2) for t in BY_THREADS}},
         {f"b, alpha={a}, threads={t}": 4 / t for a in (1, 2) for t in (1, 2)}),
        ({"work, all": {"": 8.0}, "b": {"threads=1": 2.0, "threads=2": 1.0}},
         {"b, threads=1": 4, "b, threads=2": 8}),
        ({"work, all": {"threads=1": 8.0}, "b": {"threads=1": 2.0}}, {"b": 4}),
    ],
)  # fmt: skip
def test_a_swept_baseline_is_compared_at_equal_values(tmp_path, points, expected):
    experiment = load(swept(points), tmp_path)
    drawing = speedup_bars.draw([experiment])[0]
    frame = drawing.numbers
    others = frame[frame["case"] != frame["baseline"]]
    ratio = dict(zip(others["case"], others["speedup"], strict=True))
    assert ratio == pytest.approx(expected)
    assert "no configuration" not in str([text.get_text() for text in drawing.figure.texts])
    assert speedup_bars.finding(drawing, [experiment])
    shown = drawing.figure.axes[0].get_legend_handles_labels()[1]
    assert shown == list(ratio)


def test_a_point_that_the_baseline_lacks_has_no_ratio(tmp_path):
    points = {"work, all": BY_THREADS, "b": {"threads=2": 2.0, "threads=4": 1.0}}
    frame = speedups(load(swept(points), tmp_path)).set_index("case")
    assert frame["speedup"]["b, threads=2"] == pytest.approx(2)
    assert math.isnan(frame["speedup"]["b, threads=4"])


def test_a_source_that_loses_more_than_the_others_win_is_drawn_and_told(tmp_path):
    made = Results(FIGURE_11)
    timed(made, "Enterprise", GRAPH, {source: (10,) for source in range(16)})
    timed(made, "Ad", GRAPH, {source: (5,) if source else (800,) for source in range(16)})
    drawing = speedup_bars.draw([load(made, tmp_path)])[0]
    ours = drawing.numbers[drawing.numbers["origin"] == "ours"]
    row = ours.set_index("case").loc["Ad"]
    assert row["speedup"] > 1.4 and row["by_total_time"] < 0.2 and row["low95"] < row["speedup"]
    assert "A few slow sources turn the result: Ad on kronecker scale=16" in drawing.caption
    dots = [y for line in drawing.figure.axes[0].lines for y in line.get_ydata()]
    assert dots.count(2) >= 15 and any(y == pytest.approx(10 / 800) for y in dots)


def test_invocations_are_told_apart_and_weigh_in_the_interval(tmp_path):
    """Repeats 0 and 1 are the first worker's, 2 and 3 the second's, and so on; every second one has
    slow memory."""
    made = Results(FIGURE_11 | {"repeats": 8, "invocations": 4})
    timed(made, "Enterprise", GRAPH, {source: (8,) * 8 for source in range(8)})
    timed(made, "Ad", GRAPH, {source: (4, 4, 8, 8) * 2 for source in range(8)})
    row = speedups(load(made, tmp_path)).set_index("case").loc["Ad"]
    assert row["by_source"].index.get_level_values("invocation").tolist() == [0, 1, 2, 3] * 8
    assert row["speedup"] == pytest.approx(2**0.5)
    # Draws of three processes reach both ends: Student's t of three degrees of freedom over 1.96.
    half = 3.182 / 1.96 * math.log(2) / 2
    wanted = [2**0.5 * math.exp(-half), 2**0.5 * math.exp(half)]
    assert [row["low95"], row["high95"]] == pytest.approx(wanted, rel=0.01)


def test_means_are_over_the_graphs_that_all_have_run(tmp_path):
    third = "kronecker:scale=18"
    made = Results(FIGURE_11 | {"graphs": [GRAPH, OTHER, third]})
    for graph, ad, wb in ((GRAPH, 2.0, 1.0), (OTHER, 5.0, 2.5), (third, 10.0, None)):
        timed(made, "Enterprise", graph, {1: (10,)})
        timed(made, "Ad", graph, {1: (ad,)})
        if wb:
            timed(made, "Ad+WB", graph, {1: (wb,)})
    made.run("Ad+WB", status="oom", reason="9 GiB", graph=third, toggles="")
    experiment = load(made, tmp_path)
    frame = speedups(experiment)
    graphs = [GRAPH, OTHER, third]
    common, more = averages(frame, graphs, ["Ad", "Ad+WB"])
    assert common.graphs == [GRAPH, OTHER] and more.graphs == graphs
    assert {case: mean.value for case, mean in common.of.items()} == pytest.approx(
        {"Ad": 10**0.5, "Ad+WB": 40**0.5}
    )
    assert {case: mean.value for case, mean in more.of.items()} == pytest.approx(
        {"Ad": 10 ** (1 / 3)}
    )
    assert "all ran" in common.label(graphs) and more.label(graphs) == "mean of all 3"
    assert average(frame, [third], ["Ad+WB"]).of == {}
    caption = speedup_bars.draw([experiment])[0].caption
    assert "1 of 9 cells failed (OOM" in caption


def test_a_figure_sets_the_papers_numbers_beside_ours(tmp_path):
    made = Results(FIGURE_11 | {"graphs": [ORKUT], "allow_stand_ins": True})
    for case, time in (("Enterprise", 8.0), ("Ad", 4.0), ("Ad+WB", 2.0)):
        timed(made, case, ORKUT["name"], {1: (time,)})
    drawing = speedup_bars.draw([load(made, tmp_path)])[0]
    theirs = drawing.numbers[drawing.numbers["origin"] == "paper"]
    averages = theirs[theirs["graph"] == "all ten"].set_index("case")["speedup"].to_dict()
    assert averages == {"Ad": 2.3, "Ad+WB": 3.1, "Ad+WB+Async": 3.5}
    assert "Ad 2.3 (3.5 on DB, 1.1 on WL)" in drawing.caption
    assert "for com-orkut" in drawing.caption
    handles = drawing.figure.axes[0].get_legend_handles_labels()[1]
    assert "paper, this graph" in handles  # Ad+WB on OR: 4.8


def test_table_2_has_a_column_a_code_and_prints_what_the_paper_prints(tmp_path):
    made = Results({"name": "x", "paper": "xbfs", "item": "Table 2", "graphs": [ORKUT, GRAPH],
                    "allow_stand_ins": True})  # fmt: skip
    timed(made, "XBFS", ORKUT["name"], {1: (2.0,)})
    timed(made, "Enterprise", ORKUT["name"], {1: (8.0,)})
    timed(made, "Ligra (reimplemented)", ORKUT["name"], {1: (30.0,)})
    timed(made, "XBFS", GRAPH, {1: (1.0,)})
    timed(made, "Enterprise", GRAPH, {1: (2.0,)})
    lines = runtime_table.draw([load(made, tmp_path)])[0].markdown.splitlines()
    at = next(i for i, text in enumerate(lines) if text.startswith("| OR, paper"))
    assert (
        lines[at]
        == "| OR, paper | 2.83 | 14.2 (5.0x) | 48.7 (17.2x) | 154.1 (54.5x) | 29.8 (10.5x) |"
    )
    assert lines[at + 1] == "|   stand-in for com-orkut | 2 | 8 (4.0x) |  |  | 30 (15.0x) |"
    assert "| FR, paper | 102.8 | 408 (4.0x) | 883.9 (8.6x) | OOM | 526.7 (5.1x) |" in lines
    # Enterprise is 4 and 2 times as slow, and Ligra has run on one graph alone.
    assert "| ours, geometric mean of 1 | - | 4 |  |  | 15 |" in lines
    assert "| paper, arithmetic mean of its cells | - | 3.53 | 4.90 | 11.24 | 6.36 |" in lines
    assert "| paper, as printed | - | 3.5 | 4.9 | 11.2 | 6.1† |" in lines


def test_table_2_has_a_column_for_a_variant_that_was_measured(tmp_path):
    made = Results({"name": "x", "paper": "xbfs", "item": "Table 2", "graphs": [GRAPH]})
    timed(made, "XBFS", GRAPH, {1: (1.0,)})
    timed(made, "Gunrock (reimplemented)", GRAPH, {1: (2.0,)})
    timed(made, "Gunrock (reimplemented), top-down", GRAPH, {1: (8.0,)})
    drawing = runtime_table.draw([load(made, tmp_path)])[0]
    lines = drawing.markdown.splitlines()
    assert "Tigr [ms] | Gunrock [ms] ours: reimplemented | Gunrock, top-down [ms] ours" in lines[0]
    assert "| kronecker scale=16 | 1 |  |  | 2 (2.0x) | 8 (8.0x) |  |" in lines
    assert any("| 154.1 (54.5x) |  | 29.8 (10.5x) |" in line for line in lines)  # OR, paper


def test_where_a_paper_averages_arithmetically_both_means_are_printed(tmp_path):
    """2 times as fast on one graph and 8 times on the other: 4 and 5 on average."""
    for item, subject, base in (("Figure 11", "Ad", "Enterprise"), ("Table 2", "XBFS", "Ligra")):
        made = Results(FIGURE_11 | {"name": item.replace(" ", "-"), "item": item, "baseline": base,
                                    "cases": {base: {}, subject: {}}})  # fmt: skip
        for graph, time in ((GRAPH, 8.0), (OTHER, 2.0)):
            timed(made, base, graph, {source: (16.0,) for source in range(4)})
            timed(made, subject, graph, {source: (time,) for source in range(4)})
        experiment = load(made, tmp_path)
        if item == "Table 2":
            text = runtime_table.draw([experiment])[0].markdown
            assert "| ours, geometric mean of 2 | - |  |  |  | 4 (4 to 4) |" in text
            assert "| ours, arithmetic mean of 2 | - |  |  |  | 5 (5 to 5) |" in text
            continue
        drawing = speedup_bars.draw([experiment])[0]
        axes = drawing.figure.axes[0]
        groups = [text.get_text().replace("\n", " ") for text in axes.get_xticklabels()]
        assert groups[2:] == [
            "geometric mean of all 2", "arithmetic mean of all 2", "arithmetic mean (paper)"
        ]  # fmt: skip
        assert [t.get_text() for t in axes.texts] == ["4", "5", "2.3"]
        assert "arithmetic mean" in drawing.statistic and "arithmetic" in drawing.caption


def test_where_no_paper_averages_there_is_one_mean(tmp_path):
    made = Results(FIGURE_11 | {"paper": "", "item": ""})
    for case, time in (("Enterprise", 8.0), ("Ad", 2.0)):
        timed(made, case, GRAPH, {1: (time,)})
    drawing = speedup_bars.draw([load(made, tmp_path)])[0]
    names = [text.get_text() for text in drawing.figure.axes[0].get_xticklabels()]
    assert names[1:] == ["mean of all 1"] and "arithmetic" not in drawing.caption


def leveled(results, case, levels, toggles="", source=1):
    """`levels`: (direction, technique, generation, traversal); None for times not reported."""
    trial = results.run(case, 9.0, engine="xbfs", toggles=toggles, source=source, instrumented=1,
                        graph=GRAPH, graph_hash=GRAPH)  # fmt: skip
    for level, (direction, technique, generation, traversal) in enumerate(levels):
        results.level(trial, level, 1, direction=direction, technique=technique, time_ms=50)
        if generation is not None:
            results.measure(trial, "level", "generation_ms", generation, level, "ms")
            results.measure(trial, "level", "traversal_ms", traversal, level, "ms")


def test_shares_of_directions_are_of_sums_and_know_queue_generation(tmp_path):
    made = Results({"name": "x", "paper": "xbfs", "item": "Figure 12", "graphs": [GRAPH],
                    "cases": {"XBFS": {}}})  # fmt: skip
    leveled(made, "XBFS", [("top_down", "", 1, 2), ("bottom_up", "", 3, 4)])
    leveled(made, "XBFS", [("top_down", "", 1, 2), ("bottom_up", "", 0, 7)], source=2)
    drawing = direction_shares.draw([load(made, tmp_path)])[0]
    ours = drawing.numbers[drawing.numbers["origin"] == "ours"].iloc[0]
    assert (ours["top_down_ms"], ours["bottom_up_ms"], ours["searches"]) == (3, 7, 2)
    assert ours["top_down_share"] == pytest.approx(0.3)
    assert ours["top_down_generation_share"] == pytest.approx(0.1)
    assert ours["bottom_up_generation_share"] == pytest.approx(0.15)
    theirs = drawing.numbers[drawing.numbers["origin"] == "paper"].set_index("case")
    assert theirs["top_down_share"].to_dict() == {"Enterprise": 0.3, "Ad": 0.32, "XBFS": 0.43}
    assert "43 / 57 for XBFS" in drawing.caption and "events on the GPU" in drawing.caption


@pytest.mark.parametrize("told", [(None, None), (1, 2)])
def test_shares_of_directions_are_the_hosts_where_a_level_has_no_time_of_the_gpu(told, tmp_path):
    made = Results({"name": "x", "graphs": [GRAPH], "cases": {"XBFS": {}}})
    leveled(made, "XBFS", [("top_down", "", None, None)] * 3 + [("bottom_up", "", *told)])
    drawing = direction_shares.draw([load(made, tmp_path)])[0]
    assert drawing.numbers.iloc[0]["top_down_share"] == pytest.approx(0.75)
    assert math.isnan(drawing.numbers.iloc[0]["top_down_generation_share"])
    assert "Times are the host's" in drawing.caption


def test_early_finds_of_the_gpu_are_of_the_level_after_the_first_bottom_up_one(tmp_path):
    made = Results({"name": "x", "paper": "xbfs", "item": "Figure 10", "graphs": [GRAPH]})
    for source, (of, early) in {1: (100, 90), 2: (300, 110)}.items():
        trial = made.run("XBFS", 1.0, engine="xbfs", toggles="", source=source, instrumented=1)
        found = ((10, 0), (500, 0), (of, early), (7, 7))  # of all levels but the last
        for level, (vertices, before) in enumerate(found):
            direction = "bottom_up" if level in (1, 2) else "top_down"
            made.level(trial, level, 1, direction=direction, found_vertices=vertices,
                       found_early_vertices=before)  # fmt: skip
    drawing = early_found.draw([load(made, tmp_path)])[0]
    ours = drawing.numbers[drawing.numbers["origin"] == "ours"].iloc[0]
    assert (ours["found_early_share"], ours["searches"]) == (0.5, 2)
    assert list(ours["by_source"]) == [0.9, pytest.approx(110 / 300)]
    assert math.isnan(ours["expected_share"])
    assert "Counted on the GPU" in drawing.caption and len(drawing.figure.axes) == 1


def test_saved_edge_checks_are_counted_on_the_gpu_too(tmp_path):
    made = Results({"name": "x", "paper": "xbfs", "item": "Figure 15", "graphs": [GRAPH]})
    for mode, edges in (("false", 100), ("true", 75)):
        trial = made.run(mode, 1.0, engine="xbfs", toggles=f"async={mode};edge_check=level",
                         instrumented=1)  # fmt: skip
        made.level(trial, 0, edges, direction="bottom_up")
    drawing = edge_checks.draw([load(made, tmp_path)])[0]
    assert drawing.numbers.iloc[0]["saved_pct"] == pytest.approx(25)
    assert "Counted on the GPU" in drawing.caption and "queue order" not in drawing.caption


FIGURE_13 = {"name": "x", "paper": "xbfs", "item": "Figure 13", "graphs": [GRAPH],
             "baseline": "XBFS",
             "cases": {"XBFS": {}, "No SF": {}, "No SS": {}, "No NG": {}, "No DS": {}}}  # fmt: skip
LACKS = {"No SF": "scan_free", "No SS": "single_scan", "No NG": "no_generation",
         "No DS": "double_scan"}  # fmt: skip


def breakdown(times):
    made = Results(FIGURE_13)
    for case, time in times.items():
        off = LACKS.get(case, "")
        toggles = ";".join(f"{t}={str(t != off).lower()}" for t in LACKS.values())
        made.run(case, time, engine="xbfs", toggles=toggles, source=1)
    return made


def test_levels_stand_over_the_rule_that_chose_their_method(tmp_path):
    """Of 1,000 entries. Level 1 has 6 edges after 2, so that 18 are expected of level 2 and 324 of
    level 3: 2 of 1,000 are the first's, which has no lambda."""
    made = Results({"name": "x", "graphs": [GRAPH], "cases": {"XBFS": {}, "Baseline": {}}})
    made.graph(GRAPH, 100, 1000)
    settings = "alpha=0.1;edge_check=level;queue=central;scan_free=true;single_scan={};"
    settings += "double_scan=true;no_generation=true"
    ways = ("scan_free", "scan_free", "single_scan", "double_scan", "no_generation", "single_scan")
    for case, on in (("XBFS", "true"), ("Baseline", "false")):
        trial = made.run(case, 1.0, graph=GRAPH, engine="xbfs", toggles=settings.format(on),
                         instrumented=1, levels=6)  # fmt: skip
        for level, (edges, way) in enumerate(zip((2, 6, 60, 600, 6, 3), ways, strict=True)):
            up = "bottom_up" if way == "double_scan" else "top_down"
            made.level(trial, level, 0, frontier_edges=edges, technique=way, direction=up)
    drawing = level_methods.draw([load(made, tmp_path)])[0]
    rows = drawing.numbers
    assert set(rows["case"]) == {"XBFS"}  # the other has not all methods
    assert list(rows["by_rule"]) == [*ways[:5], "scan_free"]
    assert list(rows["share"]) == [0.002, 0.006, 0.06, 0.6, 0.006, 0.003]
    assert math.isnan(rows["next_share"][0])
    assert list(rows["next_share"][1:4]) == pytest.approx([0.018, 0.6, 6])
    assert "5 of 6 levels ran as the rule says" in drawing.caption
    assert "Of 6 levels of 1 search 5 ran" in level_methods.finding(drawing, [])
    boxes = drawing.figure.axes[1].patches
    assert [round(box.get_x() + 0.5) for box in boxes] == list(range(6))


@pytest.mark.parametrize(
    ("share", "expected", "was_up", "method"),
    [
        (0.1, 0.0, False, "double_scan"),
        (0.05, 0.5, True, "no_generation"),
        (0.05, 0.1, False, "single_scan"),
        (0.05, 0.09, False, "scan_free"),
        (0.05, float("nan"), False, "scan_free"),
    ],
)
def test_the_rule_of_figure_7(share, expected, was_up, method):
    assert level_methods.by_rule(share, expected, 0.1, was_up) == method


def test_what_a_part_saves_has_a_sign(tmp_path):
    made = breakdown({"XBFS": 10.0, "No SF": 11.0, "No SS": 9.0, "No NG": 10.0, "No DS": 13.0})
    drawing = technique_breakdown.draw([load(made, tmp_path)])[0]
    ours = drawing.numbers[drawing.numbers["origin"] == "ours"].set_index("technique")
    assert ours["longer_pct"].to_dict() == pytest.approx(
        {"scan_free": 10, "single_scan": -10, "no_generation": 0, "double_scan": 30}
    )
    assert ours["lost_ms"].to_dict() == {
        "scan_free": 1, "single_scan": -1, "no_generation": 0, "double_scan": 3,
    }  # fmt: skip
    assert ours.loc["double_scan", "fallback"] == "a scan of runs and a prefix sum"
    heights = [patch.get_height() for patch in drawing.figure.axes[0].patches]
    assert min(heights) == pytest.approx(-10)
    theirs = drawing.numbers[drawing.numbers["origin"] == "paper"]
    assert theirs["share_pct"].sum() == pytest.approx(100)


def test_a_part_without_which_a_search_fails_is_left_out_and_the_others_stay(tmp_path):
    made = breakdown({"XBFS": 10.0, "No SF": 11.0, "No SS": None, "No NG": 10.0, "No DS": 13.0})
    for row in made.runs:
        if row["time_ms"] == "":
            row["status"] = "timeout"
    frame = technique_breakdown.numbers(load(made, tmp_path)).set_index("technique")
    assert math.isnan(frame.loc["single_scan", "longer_pct"])
    assert frame.loc["single_scan", "status"] == "timeout"
    assert frame.loc["scan_free", "longer_pct"] == pytest.approx(10)


def test_machines_are_compared_on_the_same_graph(tmp_path):
    spec = {"name": "x", "paper": "xbfs", "item": "Figure 16", "graphs": [GRAPH, OTHER],
            "cases": {"XBFS": {}}}  # fmt: skip
    experiments = []
    for machine, times in (("old", (8.0, 6.0)), ("new", (2.0, 3.0))):
        made = Results(spec, {"gpu": {"devices": [{"name": f"GPU of {machine}"}]}})
        for graph, time in zip((GRAPH, OTHER), times, strict=True):
            timed(made, "XBFS", graph, {1: (time,)})
        if machine == "new":  # the same name, other contents: nothing to compare with
            made.runs[-1]["graph_hash"] = "changed"
        experiments.append(load(made, tmp_path, machine))
    drawing = machine_speeds.draw(experiments)[0]
    ours = drawing.numbers[drawing.numbers["origin"] == "ours"].set_index(["machine", "graph"])
    assert ours.loc[("new", GRAPH), "speedup"] == 4
    assert math.isnan(ours.loc[("new", OTHER), "speedup"])
    assert ours.loc[("old", OTHER), "speedup"] == 1
    assert "new is GPU of new" in drawing.caption and "V100 4.1" in drawing.caption
    alone = machine_speeds.draw(experiments[:1])[0]
    assert "One machine so far" in alone.caption
    times, papers = alone.figure.axes  # and no speed over itself
    assert times.get_ylabel() == "time [ms]" and papers.get_ylabel() == "speed over K80"
    assert {bar.get_facecolor()[:3] for bar in papers.patches} == {to_rgb(style.PAPER)}
    assert "K80" not in drawing.figure.axes[1].get_ylabel()


def test_folders_of_two_machines_beside_each_other_are_one_figure(tmp_path, capsys):
    """By `python -m plots A B` in that order, and by the folder that holds both."""
    spec = {"name": "xbfs-fig16", "paper": "xbfs", "item": "Figure 16", "graphs": [GRAPH, OTHER],
            "cases": {"XBFS": {}}, "figure": "machine_speeds"}  # fmt: skip
    for machine, times in (("h100", (8.0, 6.0)), ("h200", (4.0, 2.0))):
        made = Results(spec)
        for graph, time in zip((GRAPH, OTHER), times, strict=True):
            timed(made, "XBFS", graph, {source: (time * (1 + source),) for source in range(4)})
        made.write(tmp_path / "results" / machine / "xbfs-fig16")
    words = ["--only", "machine_speeds", "--format", "png", "--out", str(tmp_path / "out")]
    for folders, first, speeds in (
        (["h100", "h200"], "h100", [2, 3]),
        (["h200", "h100"], "h200", [0.5, 1 / 3]),
        ([""], "h100", [2, 3]),
    ):
        assert main([*(str(tmp_path / "results" / name) for name in folders), *words]) == 0
        table = pd.read_csv(tmp_path / "out/xbfs-fig16/machine_speeds.csv")
        ours = table[table["origin"] == "ours"]
        assert ours["machine"].iloc[0] == first
        assert ours.loc[ours["machine"] == first, "speedup"].to_list() == [1, 1]
        others = ours[ours["machine"] != first]
        assert others["speedup"].to_list() == pytest.approx(speeds)
        assert others["low95"].to_list() == pytest.approx(speeds)
        assert [path.name for path in (tmp_path / "out/xbfs-fig16").glob("*.png")] == [
            "machine_speeds.png"
        ]
    said = capsys.readouterr().err.splitlines()
    assert said and all(line.startswith("plots: beside each") for line in said)


def test_gathering_is_set_against_cubs_selection_at_the_same_place(tmp_path):
    rows = [
        gathered("cub_select", 1, 0.1, 6.0),
        gathered("atomic_block", 1, 0.1, 3.0),
        gathered("atomic_block", 1, 0.1, 2.0, 1),
        gathered("atomic_block", 1, 0.1, 90.0, 2),
        gathered("cub_select", 512, 0.1, 10.0),
        gathered("atomic_block", 512, 0.1, 2.5),
        gathered("prefix_sum", 512, 0.1, 20.0),
        gathered("atomic_block", 1, 0.5, 1.0),  # nothing to set it against
        gathered("atomic_warp", 1, 0.1, 0.0, error_occurred=True),
        gathered("atomic_block", 1, 0.1, 9.0, run_type="aggregate"),
        gathered("engine_prefix_sum", 1, 0.1, 5e6, time_unit="ns"),
    ]
    experiment = load_experiment(benchmark(tmp_path / "box/xbfs-fig5", rows=rows))
    frame = frontier_generation.numbers(experiment)
    found = frame.set_index(["method", "elements", "selectivity"])
    assert found.loc[("atomic_block", 1e6, 0.1), "speedup"] == 2
    assert found.loc[("atomic_block", 1e6, 0.1), ["fastest_ms", "slowest_ms"]].tolist() == [2, 90]
    assert found.loc[("atomic_block", 512e6, 0.1), "speedup"] == 4
    assert found.loc[("prefix_sum", 512e6, 0.1), "speedup"] == 0.5
    assert math.isnan(found.loc[("atomic_block", 1e6, 0.5), "speedup"])
    assert found.loc[("engine_prefix_sum", 1e6, 0.1), "time_ms"] == 5
    assert "atomic_warp" not in set(frame["method"])
    drawing = frontier_generation.draw([experiment])[0]
    assert "one atomic per block 2.83" in drawing.caption
    assert "5.2 on K80, 4.1 on P6000, 2.5 on Titan Xp, 1.7 on V100" in drawing.caption
    assert experiment.machine == "box"


@pytest.mark.parametrize(
    ("name", "cell", "printed"),
    [
        ("fig5", ("random status arrays", "speedup", "V100"), "1.7"),
        ("fig11", ("all ten", "speedup", "Ad+WB+Async"), "3.5"),
        ("fig11", ("WL", "speedup", "Ad"), "1.1"),
        ("fig12", ("all ten", "bottom_up_share", "XBFS"), "57"),
        ("fig13", ("all ten", "contribution", "double_scan"), "54.9"),
        ("fig14", ("all ten", "speedup", "Static"), "1.4"),
        ("fig16", ("all ten", "speedup", "Titan Xp"), "2.3"),
        ("table2", ("OR", "time", "XBFS"), "2.83"),
        ("table2", ("FR", "time", "Gunrock"), "-"),
        ("table2", ("WL", "time", "Ligra"), "58.3"),
    ],
)
def test_the_papers_numbers_as_printed(name, cell, printed):
    assert read_paper_csv(EXPERIMENTS / "xbfs" / f"{name}.paper.csv").cell(*cell) == printed


def test_the_paper_agrees_with_itself_where_figure_11_and_table_2_meet():
    """XBFS is Ad+WB+Async: on OR 5.0 and on US 2.1 in both, and 3.5 on average."""
    table2 = read_paper_csv(EXPERIMENTS / "xbfs/table2.paper.csv")
    fig11 = read_paper_csv(EXPERIMENTS / "xbfs/fig11.paper.csv")
    ratios = {
        graph: float(table2.cell(graph, "time", "Enterprise"))
        / float(table2.cell(graph, "time", "XBFS"))
        for graph in table2.graphs
        if graph != "all ten"
    }
    for graph in ("OR", "US"):
        printed = float(fig11.cell(graph, "speedup", "Ad+WB+Async"))
        assert ratios[graph] == pytest.approx(printed, abs=0.05)
    assert (max(ratios, key=ratios.get), min(ratios, key=ratios.get)) == ("OR", "US")
    assert sum(ratios.values()) / 10 == pytest.approx(3.53, abs=0.005)
    shares = read_paper_csv(EXPERIMENTS / "xbfs/fig13.paper.csv")
    assert sum(float(v) for v in shares.rows["value"]) == pytest.approx(100)


def test_numbers_are_found_by_the_item_that_a_spec_reproduces(tmp_path):
    made = Results({"name": "of-mine", "paper": "xbfs", "item": "Figure 14"})
    assert paper_for(load(made, tmp_path)).cell("all ten", "speedup", "Warp-centric") == "1.6"
    other = Results({"name": "of-mine-too", "paper": "xbfs", "item": "Figure 99"})
    assert paper_for(load(other, tmp_path)) is None


def test_a_level_of_several_gpus_takes_as_long_as_the_slowest(tmp_path):
    """Two ranks with two GPUs each, two parts of the graph on each GPU, by the devices' timers."""
    results = Results(FIGURE_11)
    trial = results.run("Ad", 9.0, instrumented=1)
    for level in (0, 1):
        for rank in (0, 1):
            for gpu in (0, 1):
                for part, time_ms in (("nn", 1.0), ("dd", 0.25 * rank + 0.5 * gpu + 2 * level)):
                    results.level(trial, level, 5, rank=rank, gpu=gpu, part=part, time_ms=time_ms,
                                  clock="device_timer", technique="made_up")  # fmt: skip
    told = level_times(load(results, tmp_path))
    assert told["level"].tolist() == [0, 1]
    assert told["traversal_ms"].tolist() == [1.75, 3.75]


def test_a_level_without_a_time_takes_no_zero(tmp_path):
    results = Results(FIGURE_11)
    trial = results.run("Ad", 9.0, instrumented=1)
    results.level(trial, 0, 5, time_ms="", clock="")
    assert level_times(load(results, tmp_path))["traversal_ms"].isna().tolist() == [True]
