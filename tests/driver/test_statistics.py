# SPDX-License-Identifier: Apache-2.0
"""The program, figures and claims form the same numbers of the same rows (docs/statistics.md)."""

import json
import re
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from driver_bench import ROOT
from made_results import MACHINE, write

from plots import ratios, stats
from plots.cells import time_cell
from plots.claims.expression import Evaluation
from plots.load import load_experiment

PROBE = ROOT / "build/release/statistics_probe"
RECORDED = [
    "epyc-2/flagship-hybrid",
    "epyc-2/gap",
    "h100/xbfs-fig16",
    "h200-x4/graph500-romeo-figure3_6",
    "h200-x2/scalable-bfs-table_ii",
    "h200-x4/scalable-bfs-fig8",
    "h200/cs406-table9",
    "h200/fused-deep",
    "h200/cs406-table6",
    "h200/xbfs-speed",
    "xeon-16-full-size/cs406-table10",
    "xeon-2/processes",
]
OURS = re.compile(re.escape(" (reimplemented)"))  # which figures add where a case does not say it
GRAPHS = ("kronecker:scale=8", "kronecker:scale=9")


def made(folder: Path) -> Path:
    """Rows of five processes with three repeats each, of nine sources."""
    random = np.random.default_rng(7)
    luck = np.exp(0.1 * random.standard_normal(5))
    times = {}
    for case, scale in (("a", 3.0), ("b", 1.0)):
        for graph in GRAPHS:
            spread = scale * np.exp(random.standard_normal(9))[:, None, None] * luck[:, None]
            noisy = spread * np.exp(0.05 * random.standard_normal((9, 5, 3)))
            times[case, graph] = noisy.reshape(9, 15).tolist()
    spec = {"name": "made", "repeats": 15, "invocations": 5, "graphs": list(GRAPHS)}
    return write(folder / "box/made", times, MACHINE, spec, component_edges=640)


def probed(folders: list[Path]) -> dict[str, list[dict]]:
    told = subprocess.run([PROBE, *folders], capture_output=True, text=True, check=True)
    return json.loads(told.stdout)


def require_equal(found: stats.Estimate, told: dict, what: str) -> None:
    assert found.value == pytest.approx(told["value"], rel=1e-9), what
    interval = told.get("interval", [np.nan, np.nan])
    assert [found.low, found.high] == pytest.approx(interval, rel=1e-9, nan_ok=True), what
    assert found.sources_alone == told["alone"], what


def rate(rows: pd.DataFrame, cell) -> stats.Estimate:
    """Edges of the reached part per ms, by harmonic means."""
    edges = rows.groupby("source")["component_edges"].first()
    rates = cell.by_invocation.rdiv(edges, level="source")
    return stats.mean_of(rates[rates > 0], "harmonic mean")


def judged(experiment, case: dict, base: dict) -> tuple[float, tuple[float, float] | None]:
    """What a claim on the ratio of two cases says."""
    leaves = [{"rows": {"case": one["case"], "graph": one["graph"]}} for one in (base, case)]
    value = {"each": "geometric mean", "of": {"ratio": leaves}}
    result = Evaluation(experiment, {}).result({"over": "only", "of": value})
    return result.value, result.interval


@pytest.mark.skipif(not PROBE.exists(), reason=f"{PROBE} is not built")
@pytest.mark.parametrize("name", [*RECORDED, "made"])
def test_the_program_figures_and_claims_agree(name, tmp_path):
    folder = made(tmp_path) if name == "made" else ROOT / "results" / name
    if not folder.exists():
        pytest.skip(f"{folder} is not here")
    experiment = load_experiment(folder)
    ((_, cells),) = probed([folder]).items()
    bases, compared, rates = {}, 0, 0
    for told in cells:
        base = bases.setdefault(told["graph"], told)
        if told["polluted"]:
            continue  # figures show disturbed trials, and the program leaves them out
        series = [
            next(s for s in experiment.series_order if OURS.sub("", s) == OURS.sub("", of))
            for of in (told["series"], base["series"])
        ]
        rows = experiment.timed_cell(told["graph"], series[0])
        cell, first = (time_cell(experiment.timed_cell(told["graph"], one)) for one in series)
        require_equal(stats.median_time(cell.by_invocation), told["time"], told["series"])
        if rows["component_edges"].notna().all():  # some external programs report no parents
            require_equal(rate(rows, cell), told["rate"], told["series"])
            rates += 1
        compared += 1
        if told is base:
            continue
        for key, apart in (("same", False), ("apart", True)):
            pairs = ratios.compared(first, cell, apart)["by_source"]
            require_equal(stats.mean_ratio(pairs), told[key], f"{told['series']}, {key}")
        if told["case"] == told["series"] and base["case"] == base["series"]:
            value, interval = judged(experiment, told, base)
            assert value == pytest.approx(told["same"]["value"], rel=1e-9)
            assert interval == pytest.approx(told["same"].get("interval"), rel=1e-9)
    assert compared > 0 and rates > 0


def test_a_mean_over_graphs_is_the_same_in_figures_and_claims(tmp_path):
    experiment = load_experiment(made(tmp_path))
    cells = {
        (graph, case): time_cell(experiment.timed_cell(graph, case))
        for graph in GRAPHS
        for case in "ab"
    }
    pairs = {g: ratios.compared(cells[g, "a"], cells[g, "b"])["by_source"] for g in GRAPHS}
    leaves = [{"rows": {"case": case}} for case in "ab"]
    for arithmetic, over in ((False, "geometric mean"), (True, "arithmetic mean")):
        figure = stats.mean_ratio(pd.concat(pairs, names=["graph"]), arithmetic)
        value = {"each": "geometric mean", "of": {"ratio": leaves}}
        claim = Evaluation(experiment, {}).result({"over": over, "of": value})
        assert claim.value == pytest.approx(figure.value, rel=1e-12)
        assert claim.interval == pytest.approx((figure.low, figure.high), rel=1e-12)
        assert figure.low < figure.value < figure.high and not figure.sources_alone
