# SPDX-License-Identifier: Apache-2.0
"""The figures of distributed engines, on rows whose answers can be worked out by hand."""

import json
import math
import re

import numpy as np
import pandas as pd
import pytest
from distributed_rows import AGREEMENT, COMPUTE, KNOWN, LEVELS, STEP_MS, WAITED
from results_builder import Results, from_spec

from plots.__main__ import main
from plots.distributed import (
    ONE_RANK,
    STEPS,
    arrangements,
    hardware,
    named_scale,
    on_weak_curve,
    phases,
    points,
    reduction_of,
    suggested_threshold,
)
from plots.figures import (
    long_tail,
    message_sizes,
    partition_costs,
    phase_breakdown,
    published_systems,
    rate_against_threshold,
    scale_and_throughput,
    scaling_projection,
    step_breakdown,
    strong_scaling,
    weak_scaling,
)
from plots.load import load_experiment, toggles
from plots.measures import counted, fact, scale_of, wide
from plots.paper import EXPERIMENTS, paper_table
from plots.scaling_model import TERMS, costs, fit, kronecker_shares, mask_bytes, memory
from plots.specs import resolved

RESULTS = EXPERIMENTS.parent / "results"
SPECS = EXPERIMENTS / "scalable-bfs"
TEN, ELEVEN = "kronecker:scale=10,duplicates=keep", "kronecker:scale=11,duplicates=keep"
SPEC = {
    "name": "x",
    "paper": "scalable-bfs",
    "graphs": [TEN, ELEVEN],
    "cases": {"BFS": {}, "DOBFS": {}},
}


def load(results, tmp_path):
    return load_experiment(results.write(tmp_path / "box" / results.spec["name"]))


def made(tmp_path, name, **changes):
    """The rows of a spec of experiments/scalable-bfs, as results_builder makes them up."""
    return load(from_spec(resolved(SPECS / f"{name}.json") | changes), tmp_path)


def timed(results, case, graph, by_source, gpus=(1, 1), toggles="threshold=0",
          engine="delegate", **facts):  # fmt: skip
    for source, times in by_source.items():
        for repeat, time in enumerate(times):
            results.run(case, time, graph=graph, graph_hash=graph, engine=engine,
                        toggles=toggles, source=source, repeat=repeat, ranks=gpus[0],
                        gpus_per_rank=gpus[1], **facts)  # fmt: skip


def texts(figure):
    """All that a figure says in titles and legends."""
    legends = [text.get_text() for legend in figure.legends for text in legend.get_texts()]
    return [axes.get_title() for axes in figure.axes], legends


def test_names():
    assert named_scale("kronecker:scale=25,self_loops=keep") == 25
    assert named_scale("kronecker:seed=2,scale=9") == 9
    assert math.isnan(named_scale("grid:width=3")) and math.isnan(named_scale("soc-scale=4"))
    assert math.isnan(named_scale("union:(kronecker:scale=4)+(path:vertices=3)"))
    assert hardware(2, 1) == "2 ranks x 1 GPU" and hardware(1, 4) == "1 rank x 4 GPUs"
    # As the engine takes them for threshold=0 (kernels/distributed/engines/delegate).
    assert [suggested_threshold(s) for s in (1, 18, 20, 30, 33)] == [1, 1, 2, 64, 181]


def test_both_numerators_over_the_geometric_mean_of_medians(tmp_path):
    results = Results(SPEC)
    timed(results, "BFS", TEN, {1: (1, 2, 90), 2: (8, 8, 8)}, component_edges=1000, levels=6)
    timed(results, "DOBFS", TEN, {1: (3,)}, (2, 1), status="oom", reason="too much")
    frame = points(load(results, tmp_path))
    ours = frame.iloc[0]
    assert ours["time_ms"] == pytest.approx(4)  # medians 2 and 8
    assert ours["gteps_paper"] == pytest.approx(16 * 1024 / 4e-3 / 1e9)
    assert ours["gteps_component"] == pytest.approx(1000 / 4e-3 / 1e9)
    assert (ours["gpus"], ours["levels"], ours["threshold"]) == (1, 6, 1)
    failed = frame.iloc[1]
    assert failed["status"] == "oom" and math.isnan(failed["gteps_paper"]) and failed["gpus"] == 2


def test_a_sweep_of_processes_is_no_variant_and_one_of_toggles_is(tmp_path):
    results = Results(SPEC)
    for gpus in ((1, 1), (1, 2), (2, 1), (2, 2)):
        for transport in ("nccl", "peer"):
            timed(results, "BFS", TEN, {1: (1,)}, gpus, f"threshold=4;transport={transport}")
    frame = points(load(results, tmp_path))
    assert set(frame["variant"]) == {"BFS, transport=nccl", "BFS, transport=peer"}
    one = frame[frame["variant"] == "BFS, transport=nccl"]
    ways = {name: list(rows["gpus"]) for name, rows in arrangements(one).items()}
    # Two GPUs a rank begin at 4 GPUs here, which is no line.
    assert ways == {ONE_RANK: [1, 2], "1 GPU a rank": [1, 2]}


def test_the_weak_curve_is_the_one_with_most_points(tmp_path):
    results = Results(SPEC)
    for graph in (TEN, ELEVEN):
        for gpus in ((1, 1), (2, 1)):
            timed(results, "BFS", graph, {1: (1,)}, gpus)
    rows, scale = on_weak_curve(points(load(results, tmp_path)))
    assert scale == 10
    assert set(zip(rows["scale"], rows["gpus"], strict=True)) == {(10, 1), (11, 2)}


def test_weak_scaling_says_what_each_gpu_keeps(tmp_path):
    results = Results(SPEC)
    timed(results, "BFS", TEN, {1: (1,)})
    timed(results, "BFS", ELEVEN, {1: (1.25,)}, (2, 1))
    timed(results, "BFS", ELEVEN, {1: (None,)}, (1, 2), status="unsupported", reason="one GPU")
    drawing = weak_scaling.draw([load(results, tmp_path)])[0]
    assert "BFS, 1 GPU a rank: 2 GPUs at 80 % of the rate of each" in drawing.caption
    assert "1 of 3 cells failed (UNSUPPORTED" in drawing.caption
    theirs = drawing.numbers[drawing.numbers["origin"] == "paper"]
    assert dict(zip(theirs["gpus"], theirs["gteps_paper"], strict=True)) == {124: 259.8, 8: 53.13}


def test_weak_scaling_is_over_the_fewest_gpus_whichever_graph_is_first(tmp_path):
    results = Results(SPEC | {"graphs": [ELEVEN, TEN]})
    timed(results, "BFS", ELEVEN, {1: (1.25,)}, (2, 1))
    timed(results, "BFS", TEN, {1: (1,)})
    drawing = weak_scaling.draw([load(results, tmp_path)])[0]
    ours = drawing.numbers[drawing.numbers["origin"] == "ours"].set_index("gpus")
    assert set(ours["over_gpus"]) == {1}
    assert ours.loc[2, "efficiency"] == pytest.approx(0.8)
    assert "BFS, 1 GPU a rank: 2 GPUs at 80 % of the rate of each" in drawing.caption


def test_another_papers_scaling_has_no_points_of_this_one(tmp_path):
    experiment = made(tmp_path, "../graph500-romeo/figure3_5")
    for module in (weak_scaling, strong_scaling):
        drawing = module.draw([experiment])[0]
        assert set(drawing.numbers["origin"]) == {"ours"} and "The paper" not in drawing.caption
        assert not any(line.get_marker() == "x" for axes in drawing.figure.axes
                       for line in axes.lines)  # fmt: skip


def test_strong_scaling_is_over_the_fewest_gpus_of_the_largest_graph(tmp_path):
    results = Results(SPEC)
    for graph, times in ((TEN, (4, 4)), (ELEVEN, (6, 4))):
        for ranks, time in zip((1, 2), times, strict=True):
            timed(results, "DOBFS", graph, {1: (time,)}, (ranks, 1))
    timed(results, "DOBFS", ELEVEN, {1: (5,)}, (1, 2))
    drawing = strong_scaling.draw([load(results, tmp_path)])[0]
    assert "DOBFS, 1 GPU a rank: 1.50 times as fast on 2 GPUs as on 1" in drawing.caption
    apart = "DOBFS takes 25 % longer as 1 rank x 2 GPUs than as 2 ranks x 1 GPU"
    assert apart in drawing.caption
    right = drawing.figure.axes[1]
    crosses = [line for line in right.lines if line.get_marker() == "x"]
    assert [(line.get_xdata()[0], line.get_ydata()[0]) for line in crosses] == [(2, 1.29)]


def reaches(axes):
    """(lowest, highest) of the pale lines from source to source."""
    return [tuple(s[:, 1]) for lines in axes.collections for s in lines.get_segments()]


def test_strong_scaling_pairs_sources(tmp_path):
    results = Results(SPEC | {"graphs": [ELEVEN]})
    timed(results, "DOBFS", ELEVEN, {s: (8 + s,) for s in range(16)})
    timed(results, "DOBFS", ELEVEN, {s: ((8 + s) * (4 if s == 0 else 0.5),) for s in range(16)},
          (2, 1))  # fmt: skip
    drawing = strong_scaling.draw([load(results, tmp_path)])[0]
    two = drawing.numbers[drawing.numbers["origin"] == "ours"].set_index("gpus").loc[2]
    assert two["speedup"] == pytest.approx((2**15 * 0.25) ** (1 / 16))
    assert (two["min"], two["max"], two["over_gpus"]) == (0.25, 2, 1)
    assert two["low95"] < two["speedup"] < two["high95"]
    assert f"({two['low95']:.3g} to {two['high95']:.3g}) times as fast on 2" in drawing.caption
    left, right = drawing.figure.axes
    assert (0.25, 2) in reaches(right)
    rates = [16 * 2**11 / time / 1e6 for time in (32, 4.5)]
    assert any(ends == pytest.approx(tuple(rates)) for ends in reaches(left))
    assert two["gteps_low95"] < two["gteps_paper"] < two["gteps_high95"]


def test_weak_scaling_has_an_interval_though_graphs_share_no_sources(tmp_path):
    results = Results(SPEC)
    timed(results, "BFS", TEN, {s: (4 + s % 4,) for s in range(16)})
    timed(results, "BFS", ELEVEN, {100 + s: (5 + s % 4,) for s in range(16)}, (2, 1))
    drawing = weak_scaling.draw([load(results, tmp_path)])[0]
    ours = drawing.numbers[drawing.numbers["origin"] == "ours"].set_index("gpus")
    few, many = ((4 * 5 * 6 * 7) ** 0.25, (5 * 6 * 7 * 8) ** 0.25)
    two = ours.loc[2]
    assert two["efficiency"] == pytest.approx(few / many)
    assert (two["min"], two["max"]) == (pytest.approx(few / 8), pytest.approx(few / 5))
    assert two["low95"] < two["efficiency"] < two["high95"]
    assert ours.loc[1, "efficiency"] == 1
    assert any(ends == pytest.approx((100 * few / 8, 100 * few / 5))
               for ends in reaches(drawing.figure.axes[1]))  # fmt: skip
    said = f"2 GPUs at {100 * few / many:.0f} % ({100 * two['low95']:.3g} to"
    assert said in drawing.caption


def test_shares_agree_with_the_counter_degree_separation():
    """Its method=expect has these numbers."""
    delegates, normal = kronecker_shares(33, 181)
    assert delegates == pytest.approx(150676186, rel=1e-6)
    assert normal == pytest.approx(5278334178.85, rel=1e-4)
    delegates, normal = kronecker_shares(22, 16)
    assert delegates == pytest.approx(613368.655, rel=1e-6)
    assert normal == pytest.approx(367018.2, rel=1e-4)


def test_costs_are_those_of_section_v():
    delegates, normal = kronecker_shares(20, 8)
    alone, four = costs(20, 1, 8, 6, "host"), costs(20, 4, 8, 6, "host")
    assert alone == {"edges": 2**25, "delegates": delegates, "nn_edges": normal, "bytes": 0,
                     "levels": 6, "rounds": 0}  # fmt: skip
    assert four["edges"] == 2**23 and four["rounds"] == 12 and four["delegates"] == delegates
    assert four["nn_edges"] == normal / 4
    assert four["bytes"] == pytest.approx(delegates / 4 * 2 * 3 + 4 * normal / 4 * 3 / 4)
    expected = (8 * 2**20 + 4 * 2**25 + 4 * normal) / 4 + 8 * delegates
    assert memory(20, 4, 8) == pytest.approx(expected)


def test_masks_cost_what_the_reduction_that_ran_moves():
    # Each of 4 GPUs receives the masks of 3 others, which grows linearly with the GPUs.
    assert [mask_bytes(8, p, "all_gather") for p in (1, 2, 4, 64)] == [0, 1, 3, 63]
    # By stripes it reads 3 quarters of a mask of others', and 3 quarters of the combined one.
    assert [mask_bytes(8, p, "stripes") for p in (1, 2, 4)] == [0, 1, 1.5]
    assert [mask_bytes(8, p, "two_phase") for p in (1, 2, 4, 64)] == [0, 2, 4, 12]
    delegates, normal = kronecker_shares(20, 8)
    gathered = costs(20, 4, 8, 6, "all_gather")["bytes"]
    assert gathered == pytest.approx(delegates / 8 * 3 * 3 + 4 * normal / 4 * 3 / 4)


def test_a_row_says_or_implies_how_its_masks_were_reduced():
    assert reduction_of({"transport": "nccl", "mask_reduction": "two_phase"}) == "two_phase"
    assert reduction_of({"transport": "peer", "mask_reduction": "stripes"}) == "stripes"
    # Rows without the setting: of delegate on CPUs, and of older versions.
    assert reduction_of({}) == "two_phase"
    assert reduction_of({"transport": "nccl"}) == "all_gather"
    assert reduction_of({"transport": "peer", "launch": "host"}) == "stripes"
    in_one = {"transport": "peer", "launch": "persistent", "mask_reduction": "two_phase"}
    assert reduction_of(in_one) == "all_gather"


def known_rows(gpus=(1, 2), noise=0.0, reduction="two_phase"):
    """Rows of exactly the known coefficients; `noise` is a relative error."""
    random = np.random.default_rng(1)
    rows = []
    for scale in (22, 24, 25, 26):
        for count in gpus:
            for threshold in (16, 128):
                cost = costs(scale, count, threshold, LEVELS, reduction)
                time = sum(1e3 * KNOWN[term] * cost[term] for term in TERMS)
                rows.append({"scale": scale, "gpus": count, "threshold": threshold,
                             "levels": LEVELS, "reduction": reduction,
                             "time_ms": time * (1 + noise * random.normal())})  # fmt: skip
    return pd.DataFrame(rows)


def test_a_fit_recovers_the_coefficients_that_made_the_rows():
    model = fit(known_rows())
    assert not model.undetermined and model.worst < 1e-9
    for term in TERMS:
        assert model.coefficients[term] == pytest.approx(KNOWN[term], rel=1e-6), term


def test_a_fit_of_one_gpu_alone_leaves_the_exchange_open():
    model = fit(known_rows(gpus=(1,)))
    assert model.undetermined
    assert model.coefficients["bytes"] == 0 and model.coefficients["rounds"] == 0
    assert model.coefficients["edges"] == pytest.approx(KNOWN["edges"], rel=1e-6)


def test_a_fit_of_noisy_rows_is_near_and_never_negative():
    model = fit(known_rows(noise=0.02))
    assert min(model.coefficients.values()) >= 0
    assert model.coefficients["edges"] == pytest.approx(KNOWN["edges"], rel=0.05)
    assert 0 < model.worst < 0.1


def projection(tmp_path, rows):
    results = Results({"name": "scalable-bfs-projection", "graphs": [], "cases": {"DOBFS": {}}})
    for row in rows.itertuples(index=False):
        settings = f"threshold={row.threshold};mask_reduction={row.reduction}"
        timed(results, "DOBFS", f"kronecker:scale={row.scale}", {1: (row.time_ms,)},
              (1, int(row.gpus)), settings, "delegate-cuda", levels=row.levels,
              component_edges=15 * 2**row.scale)  # fmt: skip
    return scaling_projection.draw([load(results, tmp_path)])[0]


def test_a_projection_is_the_model_at_1024_gpus_and_named_one_everywhere(tmp_path):
    drawing = projection(tmp_path, known_rows())
    frame = drawing.numbers
    far = frame[(frame["origin"] == "projection") & (frame["gpus"] == 1024)].set_index("kind")
    weak = far.loc["weak"]
    assert weak["scale"] == 35 and weak["threshold"] == suggested_threshold(35)
    cost = costs(35, 1024, suggested_threshold(35), LEVELS, "two_phase")
    time = sum(1e3 * KNOWN[term] * cost[term] for term in TERMS)
    assert weak["time_ms"] == pytest.approx(time, rel=1e-6)
    assert weak["gteps_paper"] == pytest.approx(16 * 2**35 / time / 1e6)
    assert weak["gteps_component"] == pytest.approx(weak["gteps_paper"] * 15 / 16)
    # 50 GB/s in place of 200.
    slow = far.loc["weak, network"]
    assert slow["bytes_ms"] == pytest.approx(4 * weak["bytes_ms"])
    titles, legends = texts(drawing.figure)
    assert all("projection" in title for title in titles) and len(titles) == 3
    for name in legends:
        said = [word in name for word in ("projection", "published", "recorded")]
        assert sum(said) == 1, name
    assert "A projection, not a measurement" in drawing.caption
    assert "on 1 to 2 GPUs with TH = 16 and 128: " in drawing.caption
    assert set(frame["origin"]) == {"ours", "projection", "paper"}
    assert frame.loc[frame["origin"] == "paper", "model_ms"].isna().all()


def test_a_projection_uses_the_law_of_the_reduction_that_ran(tmp_path):
    drawing = projection(tmp_path, known_rows(reduction="all_gather"))
    frame = drawing.numbers
    far = frame[(frame["kind"] == "weak") & (frame["gpus"] == 1024)].iloc[0]
    cost = costs(35, 1024, suggested_threshold(35), LEVELS, "all_gather")
    assert far["bytes_ms"] == pytest.approx(1e3 * KNOWN["bytes"] * cost["bytes"], rel=1e-6)
    assert (
        "an all-gather of all masks, which is linear in the GPUs: (p - 1) d / 8 bytes"
        in drawing.caption
    )
    assert "The paper's own reduction is a tree" in drawing.caption
    tree = projection(tmp_path / "tree", known_rows())
    assert "a tree, d log2(p) / 4 bytes" in tree.caption
    assert "own reduction" not in tree.caption


def partitions(tmp_path, engines=("delegate", "grid2d")):
    """Degree separation sends 100 bytes from each member, whatever their number, and the 2D
    partition 100 times the root of their number. Scale 8 is searched by one member, 10 by four, and
    12 by four and by sixteen; each of these searches takes 8 ms over the number of members."""
    named = {"Degree separation": engines[0], "2D partition": engines[1]}
    graphs = {scale: f"kronecker:scale={scale},duplicates=keep" for scale in (8, 10, 12)}
    results = Results({"name": "x", "paper": "scalable-bfs", "graphs": list(graphs.values()),
                       "cases": {case: {} for case in named}})  # fmt: skip
    for case, engine in named.items():
        for scale, members in ((8, 1), (10, 4), (12, 4), (12, 16)):
            for source in range(4):
                facts = {"graph": graphs[scale], "graph_hash": f"h{scale}", "engine": engine,
                         "toggles": "threshold=8", "source": source, "ranks": 1,
                         "gpus_per_rank": members, "levels": 2}  # fmt: skip
                results.run(case, 8 / members, **facts)
                trial = results.run(case, 9 / members, instrumented=1, **facts)
                each = 100 * (members**0.5 if engine.startswith("grid2d") else 1)
                for member in range(members):
                    for level in range(2):
                        results.level(trial, level, 5, gpu=member,
                                      bytes_sent=each / 2 if members > 1 else 0)  # fmt: skip
    return partition_costs.draw([load(results, tmp_path)])[0]


def test_partitions_are_compared_in_bytes_of_each_gpu_where_graph_and_gpus_grow(tmp_path):
    drawing = partitions(tmp_path)
    frame = drawing.numbers.set_index(["case", "scale", "gpus"])
    assert frame.loc[("Degree separation", 8, 1), "bytes_per_gpu"] == 0
    assert frame.loc[("Degree separation", 12, 16), "bytes_per_gpu"] == pytest.approx(100)
    assert frame.loc[("2D partition", 12, 4), "bytes_per_gpu"] == pytest.approx(200)
    assert frame.loc[("2D partition", 12, 16), "bytes_per_gpu"] == pytest.approx(400)
    assert set(frame["searches"]) == {4} and set(frame["engine"]) == {"delegate", "grid2d"}
    assert drawing.caption.endswith(
        "One GPU has a graph of scale 8. Degree separation, one rank: each of 16 GPUs sends 1 "
        "times as much as each of 4; 2D partition, one rank: each of 16 GPUs sends 2 times as much "
        "as each of 4."
    )
    right = drawing.figure.axes[1]
    sent = {line.get_label(): line.get_ydata() for line in right.lines}
    assert sent["constant"] == pytest.approx([1e-4] * 31)
    law = sent["sqrt(p)"]
    assert (law[0], law[-1]) == pytest.approx((2e-4, 4e-4)) and len(law) == 31


def test_partitions_of_gpu_engines_have_the_same_laws(tmp_path):
    drawing = partitions(tmp_path, ("delegate-cuda", "grid2d-cuda"))
    assert {"constant", "sqrt(p)"} <= {line.get_label() for line in drawing.figure.axes[1].lines}


def test_rows_of_the_most_gpus_are_held_out_where_fewer_are_of_two_numbers(tmp_path):
    rows = known_rows(gpus=(1, 2, 4))
    rows.loc[rows["gpus"] == 4, "time_ms"] *= 1.25  # which no row of fewer GPUs knows of
    drawing = projection(tmp_path, rows)
    assert "without the 8 rows of 4 GPUs, the model is -20 to -20 % off on them" in drawing.caption
    recorded = drawing.numbers[drawing.numbers["kind"] == "recorded"]
    of_four = recorded[recorded["gpus"] == 4]
    assert of_four["held_out_ms"].to_numpy() == pytest.approx(of_four["time_ms"] / 1.25)
    assert recorded.loc[recorded["gpus"] < 4, "held_out_ms"].isna().all()
    two = projection(tmp_path, known_rows())
    assert "off on them" not in two.caption and two.numbers["held_out_ms"].isna().all()


def test_strong_projections_begin_where_the_graph_fits(tmp_path):
    frame = projection(tmp_path, known_rows()).numbers
    of_33 = frame[(frame["kind"] == "strong") & (frame["scale"] == 33)]
    first = of_33["gpus"].min()
    limit = scaling_projection.MEMORY_GB * 1e9
    assert memory(33, first, 181) <= limit < memory(33, first / 2, 181)


def test_no_projection_from_one_number_of_gpus(tmp_path):
    drawing = projection(tmp_path, known_rows(gpus=(1,)))
    assert not drawing.figure.axes
    assert "projection" not in set(drawing.numbers["origin"])


def test_idle_is_what_a_member_waits_for_the_slowest(tmp_path):
    table = phases(made(tmp_path, "fig10"))
    runs = from_spec(resolved(SPECS / "fig10.json")).runs
    two = {r["trial"] for r in runs if r["instrumented"] and r["gpus_per_rank"] == 2}
    first = table[table["trial"].isin(two) & (table["gpu"] == 0)]
    last = table[table["trial"].isin(two) & (table["gpu"] == 1)]
    assert len(first) == len(last) == len(two) * LEVELS
    assert first["idle"].to_numpy() == pytest.approx(WAITED)
    assert last["idle"].to_numpy() == pytest.approx(0)
    assert table["agreement"].to_numpy() == pytest.approx(AGREEMENT)


def test_idle_that_the_engine_tells_is_kept(tmp_path):
    results = Results(SPEC)
    trial = results.run("BFS", 1.0, engine="delegate", instrumented=1)
    for rank, values in enumerate(((5.0, 3.0, 0.5), (6.0, 2.0, 0.25))):
        for metric, value in zip(("compute", "agreement", "idle"), values, strict=True):
            results.measures.append({"trial": trial, "level": 0, "rank": rank, "part": "phase",
                                     "metric": metric, "value": value, "unit": "ms"})  # fmt: skip
    table = phases(load(results, tmp_path))
    assert list(table["agreement"]) == [3, 2] and list(table["idle"]) == [0.5, 0.25]


def test_a_breakdown_is_of_the_weak_curve_and_adds_up(tmp_path):
    frame = phase_breakdown.draw([made(tmp_path, "fig10")])[0].numbers
    assert set(zip(frame["scale"], frame["gpus"], strict=True)) == {(25, 1), (26, 2)}
    row = frame[(frame["gpus"] == 2) & (frame["ranks"] == 2)].iloc[0]
    # The mean of a member that waits and one that does not.
    assert row["compute_ms"] == pytest.approx(LEVELS * (COMPUTE - WAITED / 2))
    assert row["idle_ms"] == pytest.approx(LEVELS * WAITED / 2)
    assert row["sum_ms"] == pytest.approx(sum(row[f"{p}_ms"] for p in phase_breakdown.PHASES))
    assert row["timed_ms"] > 0


def test_a_breakdown_says_by_how_much_parts_overlap(tmp_path):
    results = Results(SPEC)
    for case, overlaps in (("BFS", ()), ("DOBFS", (1.0, 3.0))):
        trial = results.run(case, 1.0, engine="delegate-cuda", instrumented=1)
        for rank in range(2):
            found = [("phase", "compute", 6.0), ("phase", "mask_reduction", 2.0)]
            found += [("level", "overlap", ms) for ms in overlaps[rank : rank + 1]]
            for part, metric, value in found:
                results.measures.append(
                    {"trial": trial, "level": 0, "rank": rank, "part": part, "metric": metric,
                     "value": value, "unit": "ms"}
                )  # fmt: skip
    (drawing,) = phase_breakdown.draw([load(results, tmp_path)])
    frame = drawing.numbers.set_index("variant")
    assert frame["sum_ms"].to_dict() == {"BFS": 8, "DOBFS": 8}
    # The mean of 1 and 3 ms, of two members.
    assert frame.loc["DOBFS", "overlap_ms"] == 2 and math.isnan(frame.loc["BFS", "overlap_ms"])
    assert "In DOBFS, 1 rank x 1 GPU, nothing waits" in drawing.caption
    assert "by 25 % of their sum" in drawing.caption and "In BFS" not in drawing.caption


def test_options_have_a_panel_for_each_hardware(tmp_path):
    drawing = phase_breakdown.draw([made(tmp_path, "fig8")])[0]
    titles, legends = texts(drawing.figure)
    assert [title.split("\n")[1] for title in titles] == ["1 rank x 2 GPUs", "2 ranks x 1 GPU"]
    labels = [
        text.get_text().replace("\n", " ") for text in drawing.figure.axes[0].get_xticklabels()
    ]
    assert labels == list(resolved(SPECS / "fig8.json")["cases"])
    assert "remote exchange" in legends and "local exchange" not in legends  # no search spent any
    assert "DO cuts the computation by a factor of three" in drawing.caption


def test_steps_of_levels_are_means_over_searches_and_gpus(tmp_path):
    drawing = step_breakdown.draw([made(tmp_path, "steps")])[0]
    frame = drawing.numbers
    assert list(zip(frame["gpus"], frame["level"], frame["step"], strict=True)) == [
        (gpus, level, step) for gpus in (1, 2) for level in range(LEVELS) for step in STEPS
    ]
    of_two = frame[(frame["gpus"] == 2) & (frame["level"] == 3)].set_index("step")["ms"]
    assert of_two["dn"] == pytest.approx(STEP_MS["dn"])
    # The mean of a member that waits and one that does not.
    assert of_two["meeting"] == pytest.approx(STEP_MS["meeting"] + WAITED / 2)
    assert set(frame.groupby("gpus")["timed_ms"].nunique()) == {1} and frame["timed_ms"].min() > 0
    titles, legends = texts(drawing.figure)
    alone = LEVELS * sum(STEP_MS.values())
    assert titles[0].split("\n")[0] == "RMAT scale 27, 1 rank x 1 GPU"
    assert titles[0].split("\n")[1].startswith(f"{alone:.2f} ms in steps, ")
    assert legends == list(step_breakdown.WORDS.values())


def test_panels_of_levels_have_one_axis(tmp_path):
    """Those of a second row, too, whose bars are shorter."""
    spec = resolved(SPECS / "steps.json") | {"sweep": {"gpus_per_rank": [1, 2, 4]}}
    results = from_spec(spec)
    of_four = {run["trial"] for run in results.runs if int(run["gpus_per_rank"]) == 4}
    for measure in results.measures:
        measure["value"] /= 3 if measure["trial"] in of_four else 1
    drawing = step_breakdown.draw([load(results, tmp_path)])[0]
    panels = [axes for axes in drawing.figure.axes if axes.containers]
    assert len(panels) == 3 and len({axes.get_ylim() for axes in panels}) == 1
    assert len({round(axes.dataLim.y1, 6) for axes in panels}) > 1


@pytest.mark.parametrize(("module", "name"), [(step_breakdown, "steps"), (phase_breakdown, "fig8")])
def test_no_two_parts_of_a_bar_look_the_same(tmp_path, module, name):
    drawing = module.draw([made(tmp_path, name)])[0]
    looks = {
        bars.get_label(): (bars.patches[0].get_facecolor(), bars.patches[0].get_hatch())
        for axes in drawing.figure.axes
        for bars in axes.containers
    }
    assert len(looks) > 3 and len(set(looks.values())) == len(looks)


def test_a_search_that_has_ended_takes_no_step_more(tmp_path):
    """Half of the searches go two levels further: what they take there counts half."""
    results = from_spec(resolved(SPECS / "steps.json"))
    last = sorted({m["trial"] for m in results.measures})[::2]
    results.measures = [
        m for m in results.measures if m["trial"] not in last or m["level"] < LEVELS - 2
    ]
    frame = step_breakdown.numbers(load(results, tmp_path))
    dn = frame[(frame["step"] == "dn") & (frame["gpus"] == 1)].set_index("level")["ms"]
    assert dn[LEVELS - 3] == pytest.approx(STEP_MS["dn"])
    assert dn[LEVELS - 1] == pytest.approx(STEP_MS["dn"] / 2)


def test_what_goes_beyond_equal_shares_is_said(tmp_path):
    """Every step takes as long on each of two GPUs as on one: of the longest most is too much."""
    experiment = made(tmp_path, "steps")
    said = step_breakdown.finding(step_breakdown.draw([experiment])[0], [experiment])
    assert "with 1 rank x 2 GPUs level 0 takes most" in said
    told = re.search(r"2 equal shares would be (\S+) ms each", said)
    share = LEVELS * sum(STEP_MS.values()) / 2
    assert float(told.group(1)) == pytest.approx(share, rel=0.01)
    told = re.search(r"is most in “meet”, (\S+) ms", said)
    beyond = LEVELS * (STEP_MS["meeting"] / 2 + WAITED / 2)
    assert float(told.group(1)) == pytest.approx(beyond, rel=0.01)


def test_hosts_tell_no_steps(tmp_path):
    drawing = step_breakdown.draw([made(tmp_path, "fig10")])[0]
    assert drawing.numbers.empty
    assert (
        "no search in one kernel per GPU reported its steps" in drawing.figure.texts[0].get_text()
    )


def test_an_exchange_costs_a_constant_and_its_bytes(tmp_path):
    experiment = made(tmp_path, "message_sizes")
    frame = message_sizes.numbers(experiment)
    # Levels that send nothing but what members agree with are left out.
    assert sorted(set(frame["message_bytes"])) == [100.0 * 8**level for level in range(LEVELS - 1)]
    found = message_sizes.fits(frame)
    assert len(found) == 6  # three transports, two kinds of hardware
    moved = found[~found["in_place"]]
    assert moved["a_us"].to_numpy() == pytest.approx(15)
    assert moved["gb_per_s"].to_numpy() == pytest.approx(300)
    assert moved["half_bytes"].to_numpy() == pytest.approx(15e-6 * 300e9)
    drawing = message_sizes.draw([experiment])[0]
    assert "transport=nccl, 1 rank x 2 GPUs: a = 15 us, 300 GB/s from each GPU" in drawing.caption


def test_what_is_read_in_place_has_no_rate(tmp_path):
    experiment = made(tmp_path, "message_sizes")
    frame = message_sizes.numbers(experiment)
    assert frame["gb_per_s"].isna().to_list() == frame["in_place"].to_list()
    assert set(frame[frame["in_place"]]["variant"]) == {"Exchange, transport=peer"}
    found = message_sizes.fits(frame)
    assert np.isinf(found[found["in_place"]]["gb_per_s"]).all()
    drawing = message_sizes.draw([experiment])[0]
    assert "has no rate" in drawing.caption
    # Two lines on the left per transport and hardware; on the right only those that vary.
    left, right = (len(axes.get_lines()) for axes in drawing.figure.axes)
    assert left - right == 2 * int(found["in_place"].sum()) > 0


def test_lists_stay_where_they_are_with_peers_and_among_threads():
    runs = pd.DataFrame(
        [
            ("delegate-cuda", "threshold=4;transport=peer", 1),
            ("delegate-cuda", "threshold=4;transport=nccl", 1),
            ("delegate", "threshold=4", 1),
            ("delegate", "threshold=4", 2),
        ],
        columns=["engine", "toggles", "ranks"],
    )
    assert message_sizes.read_in_place(runs).to_list() == [True, False, True, False]


def test_sizes_are_in_words():
    assert [message_sizes.size(v) for v in (12, 4000, 4.5e6, 2e9)] == [
        "12 B", "4 kB", "4.5 MB", "2 GB",
    ]  # fmt: skip


def test_a_long_tail_names_its_stand_in_and_the_papers_contradiction(tmp_path):
    drawing = long_tail.draw([made(tmp_path, "wdc")])[0]
    assert "DOBFS takes 1.056 times as long as BFS" in drawing.caption
    assert "over 330 levels are 4.0 ms" in drawing.caption
    assert "length=328 for wdc-2012" in drawing.caption
    assert "stand-in for wdc-2012" in drawing.figure.axes[0].get_title()
    frame = drawing.numbers
    ours = frame[frame["origin"] == "ours"].iloc[0]
    assert ours["us_per_level"] == pytest.approx(1e3 * ours["time_ms"] / LEVELS)
    theirs = frame[frame["origin"] == "paper"].set_index("variant")
    assert theirs.loc["BFS", "gteps_paper"] == 84.2 and theirs.loc["DOBFS", "gpus"] == 160


def test_published_systems_have_a_source_each(tmp_path):
    results = Results({"name": "x", "graphs": [TEN], "cases": {"DOBFS": {}}})
    timed(results, "DOBFS", TEN, {1: (4,)}, component_edges=1000)
    timed(results, "DOBFS", TEN, {1: (None,)}, (1, 2), status="unsupported", reason="one GPU")
    drawing = published_systems.draw([load(results, tmp_path)])[0]
    frame = drawing.numbers
    theirs = frame[frame["origin"] == "paper"]
    assert len(theirs) == 13
    assert theirs["note"].str.match(r"Table II|section II-E").all()
    assert set(theirs["status"]) == {"ok"} and theirs["gteps_component"].isna().all()
    top = theirs[theirs["system"] == "scalable-bfs"].iloc[-1]
    assert top["gteps_per_processor"] == pytest.approx(259.8 / 124)
    buluc = "Xeon E5-2695 v2 | Dragonfly 64Gbps | Table II | 1204\u2020"
    assert f"| Buluc [16], CPU | 33 | 1204x1x1 {buluc} |" in drawing.markdown
    assert "828.39" in drawing.markdown and "UNSUPPORTED" in drawing.markdown
    ours = frame[(frame["origin"] == "ours") & (frame["status"] == "ok")].iloc[0]
    assert ours["gteps_paper"] == pytest.approx(16 * 1024 / 4e-3 / 1e9)
    assert ours["gteps_component"] == pytest.approx(1000 / 4e-3 / 1e9)


def test_figure_1_counts_the_gpus_of_all_ranks(tmp_path):
    results = Results({"name": "x", "graphs": [TEN], "cases": {"DOBFS": {}}})
    results.graph(TEN, 1024, 32768)
    timed(results, "DOBFS", TEN, {1: (4,)}, (3, 2))
    point = scale_and_throughput.ours(load(results, tmp_path))[0]
    assert point.processors == 6 and point.gteps == pytest.approx(16 * 1024 / 4e-3 / 1e9)


def figure_1(tmp_path, machine, rates):
    """Rows of the spec's cases (its engines of the GPU have times of the GPU) at these GTEPS."""
    spec = resolved(SPECS / "fig1.json") | {"graphs": ["kronecker:scale=16", "kronecker:scale=18"]}
    results = Results(spec, {"host": machine, "cpu": {"allowed": 16}})
    for graph in spec["graphs"]:
        edges = 16 * 2 ** named_scale(graph)
        results.graph(graph, int(edges / 16), int(edges))
        for case, rate in rates.items():
            gpu = "engine" in spec["cases"][case]
            time = None if rate is None else edges / rate / 1e6
            status = "ok" if rate else "unsupported"
            for source in range(4):
                results.run(case, time, graph=graph, graph_hash=graph, source=source, status=status,
                            toggles="launch=host" if gpu else "threads=0", gpus_per_rank=int(gpu),
                            gpu_ms=time if gpu and rate else "")  # fmt: skip
    return results.write(tmp_path / machine / spec["name"])


def test_figure_1_has_gpus_beside_cores_and_machines_beside_one_another(tmp_path, capsys):
    here = {"hybrid": 8.0, "xbfs, one GPU": 100.0, "delegate, one GPU": 200.0}
    figure_1(tmp_path, "gpu-box", here)
    figure_1(tmp_path, "cpu-box", {"hybrid": 32.0, "xbfs, one GPU": None})
    words = ["--only", "scale_and_throughput", "--format", "png", "--out", str(tmp_path / "out")]
    assert main([str(tmp_path), *words]) == 0
    (beside,) = capsys.readouterr().err.splitlines()
    assert beside.startswith("plots: beside each of these: ")
    (table,) = (tmp_path / "out").rglob("*.csv")
    frame = pd.read_csv(table)
    ours = frame[frame["origin"] == "ours"].set_index(["machine", "series", "graph"])
    assert len(ours) == 8  # the CPU's box has no GPU
    one = ours.loc[("gpu-box", "delegate, one GPU", "kronecker:scale=18")]
    assert (one["kind"], one["processors"]) == ("GPU", 1)
    assert one["gteps"] == pytest.approx(200) == one["gteps_per_processor"]
    cores = ours.loc[("cpu-box", "hybrid", "kronecker:scale=16")]
    assert (cores["kind"], cores["processors"]) == ("CPU", 16)
    assert cores["gteps_per_processor"] == pytest.approx(2)

    folders = [tmp_path / machine / "scalable-bfs-fig1" for machine in ("cpu-box", "gpu-box")]
    drawing = scale_and_throughput.draw([load_experiment(folder) for folder in folders])[0]
    left, right = drawing.figure.axes
    marks = {line.get_label(): line for line in right.lines if "this program" in line.get_label()}
    assert set(marks) == {
        "hybrid on cpu-box (this program, 16 cores)",
        "hybrid on gpu-box (this program, 16 cores)",
        "xbfs, one GPU on gpu-box (this program, 1 GPU)",
        "delegate, one GPU on gpu-box (this program, 1 GPU)",
    }
    assert {line.get_marker() for line in marks.values()} == {"*", "P"}
    places = [tuple(xy) for line in left.lines if line.get_label() in marks
              for xy in line.get_xydata()]  # fmt: skip
    assert len(places) == len(set(places)) == 8  # none of them hides another


def test_the_band_of_best_thresholds_is_the_papers(tmp_path):
    assert rate_against_threshold.band(made(tmp_path, "fig6")) == (
        45,
        90,
        "RMAT scale 30 with 16 GPUs",
    )
    assert rate_against_threshold.band(made(tmp_path, "fig13"))[:2] == (32, 91)
    assert rate_against_threshold.band(made(tmp_path, "th_sweep")) is None
    frame = rate_against_threshold.numbers(made(tmp_path, "fig6"))
    # Fifteen sixteenths of the edges are searched.
    ratio = frame["gteps"] / frame["gteps_paper"]
    assert ratio.to_numpy() == pytest.approx(15 / 16)


def test_transcriptions_say_where_each_number_is():
    for name in ("fig6", "fig8", "fig9", "fig10", "fig11", "fig13", "table_ii", "wdc"):
        paper = paper_table(json.loads((SPECS / f"{name}.json").read_text())["name"])
        assert paper is not None, name
    rows = paper_table("scalable-bfs-fig9").rows
    assert rows["note"].str.contains("section VI-C|Table II").all()


def test_the_gpu_engine_is_named_in_one_place():
    """So that `--set base.engine=delegate` runs a spec on CPUs."""
    names = "fig6 fig8 fig9 fig10 fig11 fig13 fig13_full table_ii wdc message_sizes projection"
    for name in names.split():
        spec = resolved(SPECS / f"{name}.json")
        assert spec["base"]["engine"] == "delegate-cuda", name
        assert not any("engine" in case for case in spec["cases"].values()), name
        assert "engine" not in spec.get("sweep", {}), name


def test_the_largest_graphs_take_what_the_formula_says():
    """What delegate-cuda holds of a graph, as docs/distributed.md itemises it."""
    formula = load_experiment(RESULTS / "epyc-2" / "scalable-bfs-largest-memory")
    counts = counted(formula, "degree-separation")
    expected = {
        (scale_of(fact(counts, row.trial, "vertices")), row.threshold): (
            row,
            fact(counts, row.trial, "isolated_vertices"),
        )
        for row in wide(counts, "threshold").itertuples(index=False)
    }
    runs = load_experiment(RESULTS / "h200-x2" / "scalable-bfs-largest").timed
    checked = set()
    for row in runs.itertuples(index=False):
        scale = named_scale(row.graph)
        threshold = int(toggles(row.toggles)["threshold"]) or suggested_threshold(scale)
        of, isolated = expected[scale, threshold]
        places = 2**scale - isolated - of.delegates
        beside = 0.5 * 2**scale + 4.25 * places - 8 * (2**scale - places)
        beside += (4.375 * row.gpus_per_rank + 4) * of.delegates
        assert row.graph_bytes == pytest.approx(of.memory + beside, rel=1e-4)
        checked.add((scale, threshold))
    assert checked == set(expected)
