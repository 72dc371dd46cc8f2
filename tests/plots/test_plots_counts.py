# SPDX-License-Identifier: Apache-2.0
"""The numbers of the figures that only count, on rows whose answers can be worked out by hand."""

import math

import pytest
from results_builder import Results, from_spec

from plots.figures import (
    data_sets,
    edge_classes,
    queue_memory,
    queue_memory_table,
    scale_and_throughput,
    subgraph_memory,
    suggested_thresholds,
)
from plots.load import load_experiment
from plots.measures import counted, kept_loops_removed, scale_of, wide
from plots.paper import paper_table

KEPT = "kronecker:scale=12,self_loops=keep,duplicates=keep"


def experiment(tmp_path, name, cases, graphs=(KEPT,), engine="degree-separation", **more):
    spec = {"name": name, "graphs": list(graphs), "base": {"engine": engine}, "cases": cases}
    return load_experiment(from_spec(spec | more).write(tmp_path / name))


def one(frame, **wanted):
    for column, value in wanted.items():
        frame = frame[frame[column] == value]
    assert len(frame) == 1
    return frame.iloc[0]


def test_measures_join_their_trials_and_failed_ones_stay_out(tmp_path):
    made = Results({"name": "x", "graphs": ["b", "a"], "cases": {"One": {}, "Two": {}}})
    for graph, case, status in (
        ("a", "Two", "ok"), ("a", "One", "ok"), ("b", "One", "ok"), ("b", "Two", "oom"),
    ):  # fmt: skip
        trial = made.run(case, 1.0, graph=graph, engine="queue-memory", instrumented=1,
                         toggles="method=expect", source="", status=status)  # fmt: skip
        made.measure(trial, "graph", "vertices", 8)
        made.measure(trial, "threshold=4", "delegates", 3)
        made.measure(trial, "threshold=4,extra", "delegates", 4)
    loaded = load_experiment(made.write(tmp_path / "x"))
    rows = counted(loaded, "queue-memory")
    assert list(dict.fromkeys(zip(rows["graph"], rows["case"], strict=True))) == [
        ("b", "One"), ("a", "One"), ("a", "Two"),
    ]  # fmt: skip
    assert set(rows["method"]) == {"expect"}
    assert counted(loaded, "degree-separation").empty
    table = wide(rows, "threshold")
    assert len(table) == 3 and set(table["delegates"]) == {3}


def test_scales_are_whole():
    assert scale_of(2.0**33) == 33
    assert math.isnan(scale_of(1000)) and math.isnan(scale_of(0))
    assert kept_loops_removed(KEPT) == "kronecker:scale=12"


def test_edge_classes_are_shares_of_entries_and_vertices(tmp_path):
    loaded = experiment(tmp_path, "scalable-bfs-fig5", {"Counted": {}})
    row = one(edge_classes.numbers(loaded), threshold=64)
    assert row["edges_nn_pct"] == pytest.approx(25)
    assert row["edges_mixed_pct"] == pytest.approx(50)
    assert row["edges_dd_pct"] == pytest.approx(25)
    assert row["delegates_pct"] == pytest.approx(100 / 65)
    assert row["vertices"] == 4096 and row["edges"] == 32 * 4096


def test_edge_classes_say_how_far_expectation_and_count_are_apart(tmp_path):
    cases = {"Counted": {}, "Expected": {"method": "expect"}}
    loaded = experiment(tmp_path, "scalable-bfs-fig5", cases)
    frame = edge_classes.numbers(loaded)
    expected = frame["method"] == "expect"
    assert edge_classes.distance(frame[~expected], frame[expected]) == 0
    frame.loc[expected & (frame["threshold"] == 64), "edges_dd_pct"] += 0.5
    assert edge_classes.distance(frame[~expected], frame[expected]) == pytest.approx(0.5)
    assert edge_classes.distance(frame[~expected], frame[~expected].iloc[:0]) is None


def test_bands_of_the_paper_are_drawn_for_its_own_graph_only(tmp_path):
    cases = {"Counted": {}, "At 30": {"method": "expect", "at_scale": 30}}
    drawing = edge_classes.draw([experiment(tmp_path, "scalable-bfs-fig5", cases)])[0]
    small, large = drawing.figure.axes
    assert (small.get_title("left"), large.get_title("left")) == ("RMAT scale 12", "RMAT scale 30")
    assert len(small.patches) == 0 and len(large.patches) == 2
    assert "range [16, 512] has at most" in drawing.caption


def test_stand_ins_are_named_and_the_limit_is_told_by_graph(tmp_path):
    graphs = [{"name": "power_law:vertices=9", "stand_in_for": "friendster-201107"}, "snap:a-b"]
    loaded = experiment(
        tmp_path, "scalable-bfs-fig12", {"Counted": {}}, graphs, allow_stand_ins=True
    )
    drawing = edge_classes.draw([loaded])[0]
    assert "stand-in for friendster-201107" in drawing.figure.axes[0].get_title("left")
    assert len(drawing.figure.axes[0].patches) == 2 and not drawing.figure.axes[1].patches
    # (1 - 1/(1+TH/64))^2 < 10 % up to TH = 23; 32 entries per vertex, half of which are isolated.
    assert "TH = 23 on a-b (average degree 64)" in drawing.caption


def test_suggested_threshold_grows_by_the_square_root_of_two():
    assert [suggested_thresholds.suggested(s) for s in (24, 30, 31, 32, 33)] == [
        8,
        64,
        91,
        128,
        181,
    ]


def test_suggested_thresholds_take_the_scale_s_own_and_the_papers_points(tmp_path):
    steps = {"at_scale": [30, 33], "lowest": [64, 181], "highest": [64, 181]}
    loaded = experiment(
        tmp_path, "scalable-bfs-fig7", {"Expected": {"method": "expect"}}, zip=steps
    )
    frame = suggested_thresholds.numbers(loaded)
    assert frame["threshold"].tolist() == [64, 181]
    assert frame["limit_pct"].tolist() == [25, 3.125]
    assert one(frame, scale=30)["delegates_pct"] == pytest.approx(100 / 65)
    paper = paper_table("scalable-bfs-fig7")
    assert suggested_thresholds.paper_points(paper, "delegates") == [(33, 1.75)]
    assert suggested_thresholds.paper_points(paper, "threshold") == [(30, 64), (32, 128)]
    caption = suggested_thresholds.draw([loaded])[0].caption
    assert "Scale 33: 0.55 % delegates, the paper 1.75 %." in caption


def test_a_trial_without_its_suggested_threshold_has_no_point(tmp_path):
    loaded = experiment(tmp_path, "x", {"Counted": {"lowest": 3, "highest": 3}})
    assert suggested_thresholds.numbers(loaded).empty


def test_subgraph_memory_adds_up_to_table_i(tmp_path):
    cases = {"A": {"ranks": 2, "gpus_per_rank": 2, "lowest": 64, "highest": 64}}
    loaded = experiment(tmp_path, "scalable-bfs-table_i", cases)
    frame = subgraph_memory.numbers(loaded)
    n, m, p, d = 4096, 32 * 4096, 4, 4096 / 65
    total = one(frame, subgraph="Total")
    assert total["total_bytes"] == pytest.approx(8 * n + 8 * d * p + 4 * m + 4 * m / 4)
    assert total["offsets_bytes"] + total["columns_bytes"] == pytest.approx(total["total_bytes"])
    assert one(frame, subgraph="dn")["offsets_bytes"] == pytest.approx(4 * d * p)
    assert "10.0 % more edges" in subgraph_memory.draw([loaded])[0].caption
    shape = subgraph_memory.layout(loaded, frame, paper_table("scalable-bfs-table_i"))
    assert shape.rows[0].cells[:3] == ["nn", "4 n/p", "8 |Enn|/p"]
    assert shape.rows[-2].cells[3] == f"{total['total_bytes'] / (16 * m):.3f}"


def test_widened_offsets_are_marked(tmp_path):
    cases = {"A": {"method": "expect", "at_scale": 33, "lowest": 64, "highest": 64}}
    loaded = experiment(tmp_path, "scalable-bfs-table_i", cases)
    frame = subgraph_memory.numbers(loaded)
    shape = subgraph_memory.layout(loaded, frame, None)
    assert "\u2021" in shape.rows[0].cells[1] and "would overflow" in shape.note
    assert "widened offsets" in subgraph_memory.draw([loaded])[0].caption


def test_published_points_have_scale_processors_and_rate():
    points = scale_and_throughput.published(paper_table("scalable-bfs-fig1"))
    top = max((p for p in points if p.work == scale_and_throughput.OWN), key=lambda p: p.gteps)
    assert (top.kind, top.scale, top.processors, top.gteps) == ("GPU", 33, 124, 259.8)
    assert {p.kind for p in points} == {"GPU", "CPU"}
    assert all(p.gteps > 0 and p.processors >= 1 and p.scale >= 24 for p in points)


def test_our_points_divide_sixteen_edges_a_vertex_by_the_geometric_mean(tmp_path):
    made = Results({"name": "scalable-bfs-fig1", "graphs": ["kronecker:scale=16", "snap:a"]})
    made.graph("kronecker:scale=16", 65536, 2_000_000)
    made.graph("snap:a", 65536, 1000)
    for graph in ("kronecker:scale=16", "snap:a"):
        for source, time in ((1, 2.0), (2, 8.0)):
            made.run("hybrid", time, graph=graph, source=source)
    loaded = load_experiment(made.write(tmp_path / "box" / "scalable-bfs-fig1"))
    points = scale_and_throughput.ours(loaded)
    assert [(p.work, p.scale, p.processors) for p in points] == [("hybrid on box", 16, 1)]
    assert points[0].gteps == pytest.approx(16 * 65536 / 4e-3 / 1e9)
    drawing = scale_and_throughput.draw([loaded])[0]
    names = [text.get_text() for text in drawing.figure.legends[0].get_texts()]
    assert "hybrid on box (this program, 1 core)" in names


def test_queue_memory_has_a_row_a_design_and_finds_the_crossing(tmp_path):
    loaded = experiment(tmp_path, "dfq-fig1", {"Expected": {"method": "expect"}},
                        ["kronecker:scale=18"], "queue-memory",
                        sweep={"at_scale": [17, 18, 19]})  # fmt: skip
    frame = queue_memory.numbers(loaded)
    assert len(frame) == 3 * 4
    assert one(frame, scale=18, design="naive")["queue_bytes"] == 82 * 4 * 2**17
    # 4 bytes for half of 2^N vertices pass 671,744 bytes between scales 18 and 19.
    assert "smallest from scale 19 on" in queue_memory.draw([loaded])[0].caption


def test_table_ii_shows_growth_and_leaves_the_contradictory_cell_out(tmp_path):
    graphs = [f"kronecker:scale={s}" for s in (18, 20, 24)]
    loaded = experiment(tmp_path, "dfq-table_ii", {"Counted": {}}, graphs, "queue-memory")
    drawing = queue_memory_table.draw([loaded])[0]
    lines = drawing.markdown.splitlines()
    assert lines[0] == "| Queue [MB] | scale-18 | scale-20 | scale-24 |"
    assert lines[3] == "| paper | 0.69 | 2.58 (207 %\u2020) | 18.44\u2020 (2572 %\u2020) |"
    assert lines[4] == "| counted | 0.52 | 2.10 (300 %) | 33.55 (6300 %) |"
    assert lines[7] == "| counted | 0.67 | 0.67 (0 %) | 0.67 (0 %) |"
    # 0.52 against 0.69 is the farthest of those that are no contradiction.
    assert "is 24.0 %" in drawing.caption and "1.82 times" in drawing.caption


def test_data_sets_stand_below_the_papers_with_published_counts(tmp_path):
    graphs = [{"name": "amazon0302-standin", "stand_in_for": "amazon0302"}, "snap:web-Google",
              "snap:wiki-Vote", "kronecker:scale=12"]  # fmt: skip
    loaded = experiment(tmp_path, "dfq-table_i", {"Counted": {}}, graphs, "queue-memory")
    frame = data_sets.numbers(loaded)
    paper = one(frame, origin="paper", data_set="amazon0302")
    assert paper["type"] == "Product network" and paper["vertices"] == 262111
    assert one(frame, graph="snap:web-Google")["data_set"] == "web-Google"
    lines = data_sets.draw([loaded])[0].markdown.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("| amazon0302 |"))
    assert lines[at + 1].startswith("|   stand-in |  | amazon0302-standin | 1,024 | 32,768 | 512 |")
    assert "\u2264 64,000" in lines[-1], "a stream's duplicates were not told apart"
    caption = data_sets.draw([loaded])[0].caption
    assert "Not counted here: appu, com-lj" in caption
    assert "amazon0302-standin for amazon0302" in caption
