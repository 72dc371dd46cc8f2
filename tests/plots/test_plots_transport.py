# SPDX-License-Identifier: Apache-2.0
"""The numbers of graph500-romeo's Figure 3.6, on rows whose rates can be worked out by hand."""

import pytest
from results_builder import Results

from plots.figures import transport_rates
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
