# SPDX-License-Identifier: Apache-2.0
"""The numbers of dfq's figures, on rows whose answers can be worked out by hand."""

import json
import math

import pytest
from dfq_rows import contention, resolved
from results_builder import Results

from plots.figures import (
    against_authors,
    capacity_speedups,
    cta_scaling,
    enqueue_contention,
    frontier_expansion_map,
    queue_counts,
    queue_designs,
    queue_memory,
    queue_memory_table,
)
from plots.load import load_experiment
from plots.paper import paper_table

GRAPH, OTHER = "kronecker:scale=18", "kronecker:scale=20"
ORKUT = {"name": "com-orkut-standin,relabel=shuffle", "stand_in_for": "com-orkut"}


def load(results, tmp_path):
    return load_experiment(results.write(tmp_path / "box" / results.spec["name"]))


def ran(results, case, settings, times, graph=GRAPH, engine="dfq", **facts):
    """A row a source (and repeat, where `times` holds lists)."""
    told = resolved(settings) if engine == "dfq" else settings
    text = ";".join(f"{key}={value}" for key, value in sorted(told.items()))
    for source, of_source in enumerate(times):
        repeats = of_source if isinstance(of_source, list) else [of_source]
        for repeat, time in enumerate(repeats):
            results.run(case, time, graph=graph, graph_hash=graph, engine=engine, toggles=text,
                        source=source, repeat=repeat, **facts)  # fmt: skip


def refused(results, case, settings, graph=GRAPH, reason="overflow"):
    ran(results, case, settings, [None], graph, status="unsupported", reason=reason)


def figure_5(graphs=(GRAPH,), times=None):
    made = Results({"name": "x", "paper": "dfq", "item": "Figure 5", "graphs": list(graphs),
                    "baseline": "BASE"})  # fmt: skip
    for case, preset, time in (
        ("BASE", "base", 8.0), ("HQ", "hq", 16.0), ("DFQ-G-2048", "dfq_g", 4.0),
        ("DFQ-S-2048", "dfq_s", 2.0), ("HQ, single-scan", "hq_single_scan", 10.0),
        ("BASE, scan-free", "base_scan_free", 32.0),
    ):  # fmt: skip
        ran(made, case, {"preset": preset}, [time], graphs[0])
    return made


def test_times_are_arithmetic_means_over_all_runs(tmp_path):
    made = Results({"name": "x", "graphs": [GRAPH]})
    ran(made, "BASE", {"preset": "base"}, [[1, 3], [10, 20]])
    ran(made, "DFQ-G-2048", {"preset": "dfq_g"}, [[1, 1], [5, 5]])
    frame = queue_designs.numbers(load(made, tmp_path))
    row = frame[(frame["queue"] == "DFQ-G-2048") & (frame["comparison"] == queue_designs.MIXED)]
    assert row.iloc[0]["baseline_ms"] == pytest.approx(34 / 4)
    assert row.iloc[0]["by_total_time"] == pytest.approx(8.5 / 3)
    # Source by source 2 / 1 and 15 / 5.
    assert row.iloc[0]["speedup"] == pytest.approx(6**0.5)
    assert list(row.iloc[0]["by_source"]) == [2, 3]


def test_the_papers_comparison_mixes_two_changes_and_the_clean_ones_do_not(tmp_path):
    frame = queue_designs.numbers(load(figure_5(), tmp_path))
    found = {
        (row["comparison"], row["case"]): (row["baseline"], row["speedup"])
        for _, row in frame.iterrows()
    }
    assert found == {
        (queue_designs.MIXED, "BASE"): ("BASE", 1),
        (queue_designs.MIXED, "HQ"): ("BASE", 0.5),
        (queue_designs.MIXED, "DFQ-G-2048"): ("BASE", 2),
        (queue_designs.MIXED, "DFQ-S-2048"): ("BASE", 4),
        (queue_designs.SINGLE_SCAN, "BASE"): ("BASE", 1),
        (queue_designs.SINGLE_SCAN, "HQ, single-scan"): ("BASE", 0.8),
        (queue_designs.SINGLE_SCAN, "DFQ-G-2048"): ("BASE", 2),
        (queue_designs.SINGLE_SCAN, "DFQ-S-2048"): ("BASE", 4),
        (queue_designs.SCAN_FREE, "BASE, scan-free"): ("BASE, scan-free", 1),
        (queue_designs.SCAN_FREE, "HQ"): ("BASE, scan-free", 2),
        (queue_designs.COLLECTING, "BASE, scan-free"): ("BASE", 0.25),
    }


def test_the_papers_claims_stand_beside_ours(tmp_path):
    mixed, clean = queue_designs.draw([load(figure_5(), tmp_path)])
    assert (mixed.name, clean.name) == ("queue_designs", "queue_designs_clean")
    assert "HQ is between 0.5 and 0.5 times as fast" in mixed.caption
    assert "between 0.34 (2.94 times slower) and 1.06 times" in mixed.caption
    assert "fails on com-lj, com-orkut, graph500" in mixed.caption
    assert "DFQ-S is on average 2 times as fast as DFQ-G" in mixed.caption
    assert "on average 1.04 times" in mixed.caption
    assert "(HQ) per CTA: as many as the shared memory of a CTA holds" in mixed.caption
    assert "25,344" in mixed.caption
    theirs = mixed.numbers[mixed.numbers["origin"] == "paper"]
    assert len(theirs) == 6 and set(clean.numbers["origin"]) == {"ours"}


def test_an_overflow_is_drawn_as_such_and_left_out_of_means(tmp_path):
    made = figure_5([GRAPH, ORKUT])
    made.spec["allow_stand_ins"] = True
    ran(made, "BASE", {"preset": "base"}, [4.0], ORKUT["name"], stand_in_for="com-orkut")
    refused(made, "HQ", {"preset": "hq"}, ORKUT["name"])
    drawing = queue_designs.draw([load(made, tmp_path)])[0]
    assert "HQ on com-orkut's stand-in (UNSUPPORTED)" in drawing.caption
    assert "com-orkut-standin" in drawing.caption and "shuffled" in drawing.caption
    words = [text.get_text() for axes in drawing.figure.axes for text in axes.texts]
    assert words.count("UNSUPPORTED") == 2  # the time, and the speed-up
    assert "com-orkut\n(stand-in)" in [
        label.get_text() for label in drawing.figure.axes[1].get_xticklabels()
    ]


def test_a_queue_that_always_fails_keeps_its_look_in_the_legend(tmp_path):
    made = Results({"name": "x", "graphs": [GRAPH], "baseline": "BASE",
                    "cases": {"BASE": {}, "HQ": {}}})  # fmt: skip
    ran(made, "BASE", {"preset": "base"}, [4.0])
    refused(made, "HQ", {"preset": "hq"}, GRAPH)
    above = queue_designs.draw([load(made, tmp_path)])[0].figure.axes[0]
    handles, names = above.get_legend_handles_labels()
    base, hq = (handles[names.index(name)] for name in ("BASE", "HQ"))
    assert hq.get_color() != base.get_color() and hq.get_marker() != base.get_marker()


def test_counts_of_queues_are_sums_over_levels_and_sources(tmp_path):
    """BASE enters 30 vertices by 30 atomics; a scan-free level counts none. One CTA of DFQ drains
    in one level, three in the other."""
    made = Results({"name": "x", "graphs": [GRAPH], "cases": {"BASE": {}, "DFQ": {}}})
    for case, atomics, drains in (("BASE", (10, 20), None), ("DFQ", (5, None), (1, 3))):
        trial = made.run(case, 1.0, graph=GRAPH, engine="dfq", toggles="", instrumented=1,
                         levels=2)  # fmt: skip
        for level, vertices in enumerate((10, 20)):
            made.level(trial, level, 0, frontier_vertices=vertices)
            for metric, counted in (("atomics", atomics), ("drains", drains)):
                if counted and counted[level] is not None:
                    made.measure(trial, "queue", metric, counted[level], level)
            made.measure(trial, "queue", "scanning_blocks", 14, level)
    drawing = queue_counts.draw([load(made, tmp_path)])[0]
    rows = drawing.numbers.set_index("case")
    assert rows.loc["BASE", "atomics_per_vertex"] == 1
    assert rows.loc["DFQ", "atomics_per_vertex"] == 0.5  # of the level that counted
    assert rows.loc["DFQ", "drains_per_level"] == 2
    assert rows.loc["DFQ", "most_drains_of_a_level"] == 3
    assert list(rows["scanning_blocks"]) == [14, 14]
    assert math.isnan(rows.loc["BASE", "drains"])
    assert "|   BASE | 1 |  |  | 14 |" in drawing.markdown
    assert queue_counts.finding(drawing, []) == (
        "Queues take from 0.5 on kronecker scale=18 (DFQ) to 1 on kronecker scale=18 (BASE) "
        "atomics for each frontier vertex and CTAs drain 2 on kronecker scale=18 (DFQ) times "
        "per level, all together, by exact counts."
    )


def test_ctas_are_set_against_one_of_the_same_queue(tmp_path):
    made = Results({"name": "x", "graphs": [GRAPH], "cases": {"BASE": {}, "DFQ-G-2048": {}}})
    for case, preset, times in (("BASE", "base", {1: 40, 4: 20, 0: 10}),
                                ("DFQ-G-2048", "dfq_g", {1: 60, 4: 15, 0: 2})):  # fmt: skip
        for ctas, time in times.items():
            ran(made, case, {"preset": preset, "ctas": ctas}, [float(time)],
                queue_bytes=4 * 2048 * (ctas or 132))  # fmt: skip
        refused(made, case, {"preset": preset, "ctas": 512}, reason="132 CTAs at once")
    drawing = cta_scaling.draw([load(made, tmp_path)])[0]
    rows = drawing.numbers.set_index(["case", "ctas"])
    assert rows.loc[("BASE", "all"), "speedup"] == 4
    assert rows.loc[("DFQ-G-2048", 4), "speedup"] == 4
    assert list(drawing.numbers["ctas"][:4]) == [1, 4, 512, "all"]
    assert rows.loc[("BASE", 512), "status"] == "unsupported"
    assert "BASE 4 (10 ms), DFQ-G-2048 30 (2 ms)" in drawing.caption
    assert "many at once: 512 CTAs" in drawing.caption
    assert "at once (132 of DFQ)" in drawing.caption


def test_capacities_are_set_against_the_smallest_of_the_same_memory(tmp_path):
    made = Results({"name": "x", "paper": "dfq", "item": "Figure 7", "graphs": [GRAPH, OTHER],
                    "cases": {"DFQ-G": {}, "DFQ-S": {}}})  # fmt: skip
    for graph in (GRAPH, OTHER):
        for case, preset, times in (("DFQ-G", "dfq_g", (12.0, 10.0)),
                                    ("DFQ-S", "dfq_s", (9.0, 6.0))):  # fmt: skip
            for capacity, time in zip((1024, 2048), times, strict=True):
                ran(made, case, {"preset": preset, "capacity": capacity}, [time], graph)
        refused(made, "DFQ-S", {"preset": "dfq_s", "capacity": 65536}, graph)
    drawing = capacity_speedups.draw([load(made, tmp_path)])[0]
    ours = drawing.numbers[drawing.numbers["origin"] == "ours"]
    rows = ours[ours["graph"] == GRAPH].set_index("case")
    assert rows.loc["DFQ-G-2048", "speedup"] == pytest.approx(1.2)
    assert rows.loc["DFQ-S-2048", "speedup"] == pytest.approx(1.5)
    assert math.isnan(rows.loc["DFQ-S-65536", "speedup"])
    assert "1.2 for DFQ-G-2048, 1.5 for DFQ-S-2048" in drawing.caption
    assert "65,536: UNSUPPORTED" in [t.get_text() for t in drawing.figure.axes[1].texts]
    assert "The paper has 1.09 on average" in drawing.caption
    assert "DFQ-S-65536 on kronecker scale=18, kronecker scale=20 (UNSUPPORTED)" in drawing.caption


def test_the_heat_map_marks_the_best_pair_and_what_is_no_pair(tmp_path):
    made = Results({"name": "x", "graphs": [GRAPH]})
    ran(made, "a", {"queue": "central", "expand": "merge_path"}, [2.0])
    ran(made, "b", {"queue": "decentralized", "expand": "cta"}, [1.0])
    refused(made, "c", {"queue": "hierarchical", "expand": "cta"})
    ran(made, "xbfs", {"decentralized": "false"}, [0.5], engine="xbfs")
    drawing = frontier_expansion_map.draw([load(made, tmp_path)])[0]
    rows = drawing.numbers.set_index("case")
    assert list(rows.index) == ["a", "c", "b", "xbfs"]  # as the figure's rows stand
    assert list(rows["best"]) == [False, False, True, False]
    assert rows.loc["a", "frontier"] == "central, single-scan"
    assert rows.loc["a", "over_best"] == 2 and rows.loc["xbfs", "over_best"] == 0.5
    words = [text.get_text() for text in drawing.figure.axes[0].texts]
    assert words.count("unsound") == 9 * 2 - 3 and words.count("unsup-\nported") == 1
    assert "decentralized, shared with cta, 1 ms (xbfs 0.5)" in drawing.caption


def test_the_heat_map_names_pairs_by_their_switches_and_not_by_their_cases(tmp_path):
    """Rows of a case a pair, and rows of one case with a sweep, make the same map."""
    pairs = [{"queue": q, "expand": e} for q in ("central", "none") for e in ("thread", "cta")]
    drawn = []
    for names in (["a", "b", "c", "d"], ["dfq"] * 4):
        made = Results({"name": "x", "graphs": [GRAPH]})
        for k, (name, pair) in enumerate(zip(names, pairs, strict=True)):
            ran(made, name, pair, [2.0 + k])
        drawn.append(frontier_expansion_map.numbers(load(made, tmp_path / names[1])))
    told = [frame.drop(columns="case").to_dict("records") for frame in drawn]
    assert str(told[0]) == str(told[1])
    assert list(drawn[1]["case"]) == ["dfq"] * 4 and list(drawn[1]["time_ms"]) == [4, 5, 2, 3]


def test_authors_codes_stand_beside_those_that_bear_their_name(tmp_path):
    made = Results({"name": "dfq-speed", "paper": "dfq", "graphs": [GRAPH]})
    ran(made, "DFQ-G-2048", {"preset": "dfq_g"}, [[0.3, 0.121], [0.2, 0.121], [9, 1]])
    ran(made, "BASE", {"preset": "base"}, [0.484])
    ran(made, "Tigr (reimplemented)", {"split": "10"}, [0.142], engine="tigr")
    ran(made, "Other", {}, [1.0], engine="other")
    drawing = against_authors.draw([load(made, tmp_path)])[0]
    rows = drawing.numbers.set_index("case")
    assert rows.loc["DFQ-G-2048", "time_ms"] == 0.121  # medians over sources of bests
    assert rows.loc["DFQ-G-2048", "speedup"] == pytest.approx(0.407 / 0.121)
    assert rows.loc["BASE", ["code", "speedup"]].tolist() == ["DFQ", pytest.approx(0.407 / 0.484)]
    assert rows.loc["Tigr (reimplemented)", "speedup"] == pytest.approx(0.413 / 0.142)
    assert rows.loc["DFQ, authors' code", "origin"] == "authors"
    lines = drawing.markdown.splitlines()
    assert "| **DFQ** |" in lines[2] and "| DFQ, authors' code | 0.407 |" in lines
    assert "| DFQ-G-2048 | **0.121 (3.36x)** |" in lines
    at = lines.index("| **No code of others** |  |")
    assert lines[at + 1 : at + 3] == [
        "| Other | 1 |", "| **Codes of others without a counterpart here** |  |",
    ]  # fmt: skip
    assert "| BLEST, authors' code | 0.129 |" in lines[at + 3 :]


def test_the_best_of_all_rows_is_bold_and_a_ratio_to_another_graph_has_a_dagger(tmp_path):
    grid = "grid:width=800,height=2812,removed=0.244"
    made = Results({"name": "dfq-speed", "paper": "dfq", "graphs": [GRAPH, grid]})
    ran(made, "BASE", {"preset": "base"}, [0.484], GRAPH)  # BLEST, of others, takes less
    ran(made, "BASE", {"preset": "base"}, [10.0], grid)
    ran(made, "Other", {}, [12.0], grid, engine="other")
    drawing = against_authors.draw([load(made, tmp_path)])[0]
    lines = drawing.markdown.splitlines()
    assert "| BASE | 0.484 (0.84x) | **10 (3.17x\u2020)** |" in lines
    assert "| Other |  | 12 |" in lines  # there is no time to compare with
    assert "| DFQ, authors' code | 0.407 | 31.7\u2020 |" in lines
    assert "| BLEST, authors' code | **0.129** | 13\u2020 |" in lines
    note = drawing.table.note
    for said in (note, drawing.caption):
        assert "Bold: the shortest time on each graph over all rows" in said
        assert "\u2020 The authors' codes were timed on another road-like grid of 2.25M" in said
    for told in ("timed elsewhere", "Driver: 580, CUDA 13.0.", "Measured: 2026-11-29 (",
                 "Device: one NVIDIA H200", "peers-blest/runs.csv", "(XBFS: its own,"):  # fmt: skip
        assert told in note, told
    frame = drawing.numbers.set_index(["graph", "case"])
    assert frame.loc[(grid, "BASE"), "authors_graph"].startswith("another road-like grid")
    assert frame.loc[(GRAPH, "BASE"), "authors_graph"] == ""


def test_without_another_graph_there_is_no_dagger(tmp_path):
    made = Results({"name": "dfq-speed", "paper": "dfq", "graphs": [GRAPH]})
    ran(made, "BASE", {"preset": "base"}, [0.484])
    drawing = against_authors.draw([load(made, tmp_path)])[0]
    assert "\u2020" not in drawing.markdown + drawing.caption


def test_times_of_others_codes_say_how_they_were_measured(tmp_path):
    made = Results({"name": "dfq-speed", "paper": "dfq", "graphs": [GRAPH]})
    ran(made, "BASE", {"preset": "base"}, [0.484])
    frame = against_authors.numbers(load(made, tmp_path), paper_table("dfq-speed"))
    theirs = frame[frame["origin"] == "authors"]
    assert len(theirs) == 10  # every code that was timed on this graph
    for column in against_authors.CONDITIONS:
        assert theirs[column].str.len().min() > 0, column
    assert set(theirs["measured"].str[-10:]) == {"2026-11-20"}  # of some also a later date
    grid = paper_table("dfq-speed").rows
    wrong = grid[(grid["method"] == "Enterprise") & (grid["value"] == "")]
    assert wrong["note"].str.startswith("WRONG: ").all()
    assert wrong["graph"].str.startswith("grid:").all() and len(wrong) == 2


def test_allocated_queues_stand_beside_the_counted_ones(tmp_path):
    made = Results({"name": "x", "paper": "dfq", "item": "Table II", "graphs": [GRAPH, OTHER]})
    for graph, vertices in ((GRAPH, 2**18), (OTHER, 2**20)):
        ran(made, "BASE", {"preset": "base"}, [1.0], graph, queue_bytes=8 * vertices)
        ran(made, "DFQ-G-2048", {"preset": "dfq_g"}, [1.0], graph, queue_bytes=4 * 2048 * 132)
        ran(made, "Harish", {"preset": "harish"}, [1.0], graph, queue_bytes=0)
    experiment = load(made, tmp_path)
    frame = queue_memory.numbers(experiment)
    assert set(frame["method"]) == {"measured"} and set(frame["case"]) == {"BASE", "DFQ-G-2048"}
    drawing = queue_memory_table.draw([experiment])[0]
    assert "| measured | 2.10 | 8.39 (300 %) |" in drawing.markdown
    assert "| measured | 1.08 | 1.08 (0 %) |" in drawing.markdown
    assert "BASE 4-fold and DFQ-G-2048 1-fold" in drawing.caption
    figure = queue_memory.draw([experiment])[0].figure
    assert "allocated by the engine" in [text.get_text() for text in figure.legends[0].texts]


def test_contention_is_the_rate_over_that_of_one_queue(tmp_path):
    drawing = enqueue_contention.draw(
        [load_experiment(contention(tmp_path / "box" / "dfq-contention"))]
    )[0]
    assert len(drawing.figure.axes) == 2  # no panel for lengths where there is one
    rows = drawing.numbers.set_index(["queue", "selectivity", "threads"])
    assert rows.loc[("decentralized_shared", 1, 270336), "over_central"] == pytest.approx(5)
    assert rows.loc[("central_warp", 1, 270336), "enqueues_per_second"] == pytest.approx(4.04e10)
    assert rows.loc[("hierarchical", 0.125, 32), "repetitions"] == 3
    assert "Where every thread enqueues, decentralizing is ahead of one queue from 32,768" in (
        drawing.caption
    )
    assert "Where one thread in 8 enqueues" in drawing.caption


def test_lengths_of_queues_have_a_panel_of_their_own_and_the_machine_its_environment(tmp_path):
    folder = contention(tmp_path / "box" / "dfq-contention")
    content = json.loads((folder / "benchmark.json").read_text())
    for entry in list(content["benchmarks"]):
        if "decentralized" in entry["name"] and entry["selectivity"] == 1:
            entry["capacity"] = 2048
            longer = entry | {"capacity": 8192,
                              "enqueues_per_second": entry["enqueues_per_second"] / 2}  # fmt: skip
            content["benchmarks"].append(longer)
    content["context"]["environment"] = json.dumps(
        {"cpu": {"model": "Xeon", "allowed": 16}, "commit": "0123456789abcdef",
         "gpu": {"devices": [{"name": "NVIDIA H100"}]}}
    )  # fmt: skip
    (folder / "benchmark.json").write_text(json.dumps(content))
    experiment = load_experiment(folder)
    assert experiment.machine_line() == (
        "box (Xeon, 16 processors, NVIDIA H100, commit 0123456789ab)"
    )
    (drawing,) = enqueue_contention.draw([experiment])
    rows = drawing.numbers.set_index(["queue", "selectivity", "capacity", "threads"])
    short, long = (
        rows.loc[("decentralized_shared", 1, capacity, 270336)] for capacity in (2048, 8192)
    )
    assert short["over_central"] == pytest.approx(5) and long["over_central"] == pytest.approx(2.5)
    assert set(drawing.numbers.loc[drawing.numbers["queue"] == "central_warp", "capacity"]) == {0}
    last = drawing.figure.axes[-1]
    assert [line.get_xdata().tolist() for line in last.lines][-1] == [2048, 8192]
    assert "and 5 times as fast at 270,336" in drawing.caption  # of queues of one length
