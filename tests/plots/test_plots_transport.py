# SPDX-License-Identifier: Apache-2.0
"""The numbers of graph500-romeo's Figure 3.6 and of its explorations, worked out by hand."""

import pytest
from results_builder import Results

from plots.figures import exploration_counts, transport_rates
from plots.load import load_experiment

GRAPH = "kronecker:scale=16"
SPEC = {"name": "x", "paper": "graph500-romeo", "item": "Figure 3.6", "graphs": [GRAPH],
        "cases": {"Host": {}, "NCCL": {}, "Peer": {}}}  # fmt: skip


def rows(tmp_path):
    made = Results(SPEC)
    for source, times in {1: (1, 2, 90), 2: (4, 4, 4)}.items():
        for repeat, time in enumerate(times):
            made.run("NCCL", time, engine="grid2d-cuda", toggles="", source=source, repeat=repeat,
                     ranks=1, gpus_per_rank=2, component_input_edges=8_000_000)  # fmt: skip
    # A component without edges has no rate.
    made.run("NCCL", 1, engine="grid2d-cuda", toggles="", source=3, gpus_per_rank=2,
             component_input_edges=0)  # fmt: skip
    made.run("Host", status="unsupported", reason="one GPU", toggles="", gpus_per_rank=2)
    return load_experiment(made.write(tmp_path / "box" / "x"))


def test_a_rate_is_the_harmonic_mean_over_sources_of_edges_by_median_time(tmp_path):
    frame = transport_rates.numbers(rows(tmp_path)).set_index("case")
    # 8 M edges in 2 ms and in 4 ms: 4 and 2 GTEPS.
    assert frame.loc["NCCL", "gteps"] == pytest.approx(2 / (1 / 4 + 1 / 2))
    assert frame.loc["NCCL", "lowest"] == pytest.approx(2)
    assert frame.loc["NCCL", "highest"] == pytest.approx(4)
    assert frame.loc["NCCL", "sources"] == 2
    assert frame.loc["NCCL", "gpus_per_rank"] == 2


def test_a_failure_has_no_rate_and_is_told(tmp_path):
    experiment = rows(tmp_path)
    frame = transport_rates.numbers(experiment).set_index("case")
    assert frame.loc["Host", "gteps"] != frame.loc["Host", "gteps"]
    assert (frame.loc["Host", "status"], frame.loc["Host", "reason"]) == ("unsupported", "one GPU")
    assert "Peer" not in frame.index


def test_the_papers_numbers_are_in_caption_and_table(tmp_path):
    (drawing,) = transport_rates.draw([rows(tmp_path)])
    assert "12 GTEPS on 256 GPUs" in drawing.caption
    assert "13.70 GTEPS on 64 GPUs" in drawing.caption
    theirs = drawing.numbers[drawing.numbers["origin"] == "paper"]
    assert sorted(theirs["gteps"]) == [12, 13.7]


def test_lanes_and_claims_are_sums_over_top_down_levels(tmp_path):
    """Two members read 50 entries in 4 turns of 32 lanes, or in 2; ours claims each find once.
    The bottom-up level counts neither."""
    made = Results({"name": "x", "graphs": [GRAPH], "cases": {"Algorithm 4": {}, "Ours": {}}})
    for case, lanes, claims in (("Algorithm 4", 64, 60), ("Ours", 32, 20)):
        trial = made.run(case, 1.0, engine="grid2d-cuda", toggles="", instrumented=1, levels=2)
        for gpu in (0, 1):
            made.level(trial, 0, 25, gpu=gpu, frontier_vertices=1, found_vertices=20)
            made.level(trial, 1, 50, gpu=gpu, frontier_vertices=9, found_vertices=7,
                       direction="bottom_up")  # fmt: skip
            part = f"explore,gpu={gpu}" if case == "Algorithm 4" else "explore"
            made.measure(trial, part, "lanes", lanes, 0)
            made.measure(trial, part, "claims", claims, 0)
            made.measure(trial, "phase", "explore", 0.5, 0, "ms")
    experiment = load_experiment(made.write(tmp_path / "box" / "x"))
    (drawing,) = exploration_counts.draw([experiment])
    rows = drawing.numbers.set_index("case")
    assert list(rows["levels"]) == [1, 1] and list(rows["searches"]) == [1, 1]
    assert list(rows["edges_checked"]) == [50, 50] and list(rows["found_vertices"]) == [40, 40]
    assert list(rows["lanes_per_entry"]) == pytest.approx([128 / 50, 64 / 50])
    assert list(rows["claims_per_find"]) == pytest.approx([3, 1])
    assert "|   Algorithm 4 | 2.56 | 3 | 1 |" in drawing.markdown
    assert exploration_counts.finding(drawing, []) == (
        "Warps take from 1.28 on kronecker scale=16 (Ours) to 2.56 on kronecker scale=16 "
        "(Algorithm 4) lanes for each entry and they claim from 1 on kronecker scale=16 (Ours) to "
        "3 on kronecker scale=16 (Algorithm 4) times for each find, by exact counts."
    )
