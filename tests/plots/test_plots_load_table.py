# SPDX-License-Identifier: Apache-2.0
"""load_table: rates derived from what graph-load counted, and what is said of unknown peaks."""

import json
from pathlib import Path

import pytest
from results_builder import Results, from_spec

from plots.figures import load_table
from plots.load import load_experiment

SPEC = Path(__file__).resolve().parents[2] / "experiments/datasets/load.json"


def test_rates_are_of_the_best_repeat_and_the_plain_text(tmp_path):
    spec = json.loads(SPEC.read_text())
    experiment = load_experiment(from_spec(spec).write(tmp_path / spec["name"]))
    frame = load_table.numbers(experiment)
    assert len(frame) == len(spec["graphs"]) * len(spec["cases"])
    one = frame[(frame["graph"] == spec["graphs"][0]) & (frame["case"] == "one thread")].iloc[0]
    assert one["best_ms"] == 20 and one["median_ms"] == pytest.approx(22)
    assert one["mb_per_s"] == pytest.approx(3e6 / 20e-3 / 1e6)  # the text's bytes, not the file's
    assert one["edges_per_s"] == pytest.approx(500_000 / 20e-3)
    assert one["peak_over_csr"] == pytest.approx(1.8)
    other = frame[frame["graph"] == "kronecker:scale=20"].iloc[0]
    assert other["mb_per_s"] != other["mb_per_s"]  # no text, no rate
    text = load_table.draw([experiment])[0].markdown
    assert "| soc-Epinions1 | one thread | 1 | 20 | 22 | 150 | 25 | 4 | 7.2 | 1.8 |" in text


def test_failures_and_unknown_peaks_are_told(tmp_path):
    results = Results({"name": "load", "graphs": ["a", "b"], "cases": {"x": {}}})
    common = {"engine": "graph-load", "source": "", "instrumented": 1, "toggles": "threads=1"}
    trial = results.run("x", 9.0, graph="a", **common)
    for part, metric, value in (
        ("best", "load_time", 8),
        ("median", "load_time", 9),
        ("graph", "csr_bytes", 1e6),
        ("graph", "input_edges", 1e5),
        ("run", "threads", 1),
        ("memory", "known", 0),
    ):
        results.measure(trial, part, metric, value)
    results.run("x", graph="b", status="oom", reason="too large", **common)
    experiment = load_experiment(results.write(tmp_path / "load"))
    (drawing,) = load_table.draw([experiment])
    assert load_table.UNKNOWN.strip() in drawing.caption
    assert "OOM" in drawing.markdown
    frame = load_table.numbers(experiment)
    assert frame["peak_over_csr"].isna().all()
