# SPDX-License-Identifier: Apache-2.0
"""`bfslab graph500` against an independent count of edges and a recomputation of its figures."""

import csv
import subprocess

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.sparse import csgraph

from plots.attempts import counted_attempts
from tests.sealing import seal_tables

SCALE = 10


@pytest.fixture(scope="module")
def tuples(bfslab, cache, tmp_path_factory):
    """What the generator makes, repetitions and self-loops included: [edges, 2]."""
    file = tmp_path_factory.mktemp("tuples") / "tuples.txt"
    name = f"kronecker:scale={SCALE},seed=7,symmetrize=false,self_loops=keep,duplicates=keep"
    subprocess.run(
        [bfslab, "graph", "convert", name, "--to", file, "--cache", cache],
        check=True, capture_output=True,
    )  # fmt: skip
    return np.loadtxt(file, dtype=np.int64)


def benchmark(bfslab, folder, *options):
    done = subprocess.run(
        [bfslab, "graph500", "--scale", str(SCALE), "--seed", "7", "--results", folder, *options],
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    told = dict(line.split(":", 1) for line in done.stdout.splitlines())
    return done, {key: float(value) for key, value in told.items()}


@pytest.mark.parametrize(
    "options", [["--engine", "hybrid"], ["--engine", "delegate", "--gpus-per-rank", "2"],
                ["--engine", "grid2d", "--set", "direction=top_down"]],
    ids=lambda options: options[1],
)  # fmt: skip
def test_the_block_is_of_validated_searches(bfslab, tuples, tmp_path, options):
    done, told = benchmark(bfslab, tmp_path, *options)
    assert done.returncode == 0, done.stderr
    n = 2**SCALE
    assert len(tuples) == 16 * n
    (folder,) = tmp_path.glob("graph500-*")
    rows = counted_attempts(pd.read_csv(folder / "runs.csv")).to_dict("records")
    assert len({row["source"] for row in rows}) == len(rows) == told["NBFS"] == 64
    assert {(row["status"], row["validated"], row["answer"]) for row in rows} == {
        ("ok", 1, "parents")
    }
    graph = sparse.coo_matrix((np.ones(len(tuples)), tuples.T), shape=(n, n))
    component = csgraph.connected_components(graph, directed=False)[1]
    loops = tuples[:, 0] == tuples[:, 1]
    degree = np.bincount(tuples[~loops].ravel(), minlength=n)
    edges = []
    for row in rows:
        root = row["source"]
        assert degree[root] > 0
        reached = component == component[root]
        assert row["reached_vertices"] == reached.sum()
        edges.append(int(reached[tuples[:, 0]].sum()))
        assert row["component_input_edges"] == edges[-1]

    seconds = np.array([row["time_ms"] for row in rows]) / 1000
    rates = np.array(edges) / seconds
    inverse = 1 / rates
    assert told["SCALE"] == SCALE and told["edgefactor"] == 16
    assert told["construction_time"] > 0
    for what, values in (("time", seconds), ("nedge", edges), ("TEPS", rates)):
        names = ("min", "firstquartile", "median", "thirdquartile", "max")
        for name, share in zip(names, (0, 0.25, 0.5, 0.75, 1), strict=True):
            assert told[f"{name}_{what}"] == pytest.approx(np.quantile(values, share))
    assert told["mean_time"] == pytest.approx(seconds.mean())
    assert told["stddev_time"] == pytest.approx(seconds.std(ddof=1))
    assert told["harmonic_mean_TEPS"] == pytest.approx(1 / inverse.mean())
    assert told["harmonic_stddev_TEPS"] == pytest.approx(
        inverse.std(ddof=1) / np.sqrt(len(rates) - 1) / inverse.mean() ** 2
    )


def test_it_tells_of_the_attempts_that_count(bfslab, tmp_path):
    """Of a search that was disturbed and repeated, the clean one; of one that a later attempt took
    back, the later one. The rows are made so: when a machine is quiet is nobody's to choose."""
    benchmark(bfslab, tmp_path, "--roots", "4")
    (path,) = tmp_path.glob("graph500-*/runs.csv")
    with path.open(newline="") as file:
        reader = csv.DictReader(file)
        rows, columns = [row for row in reader if row["attempt"] == "0"], reader.fieldnames
    for row in rows:
        row.update(polluted="0", foreign_load_pct="0", reason="")
    disturbed, ended, *others = rows
    disturbed.update(polluted="1", foreign_load_pct="100", reason="made up")
    clean = {**disturbed, "attempt": "1", "polluted": "0", "reason": "", "time_ms": "0.25"}
    begun = {**ended, "status": "interrupted", "reason": "made up", "time_ms": "", "validated": "0"}
    ended.update(attempt="1", time_ms="0.75")
    made = [disturbed, begun, *others, clean, ended]
    for number, row in enumerate(made, start=1):
        row["trial"] = str(number)
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(made)
    seal_tables(path.parent)
    done, told = benchmark(bfslab, tmp_path, "--roots", "4")
    assert done.returncode == 0 and "made up" not in done.stderr, done.stderr
    times = [float(row["time_ms"]) for row in (clean, ended, *others)]
    assert told["NBFS"] == len(times) == 4
    assert told["mean_time"] == pytest.approx(sum(times) / 4 / 1000)


def test_searches_that_failed_alike_are_told_once(bfslab, tmp_path, monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    done, told = benchmark(bfslab, tmp_path, "--engine", "delegate-cuda")
    assert done.returncode == 1 and told == {}
    assert done.stderr.count("unsupported: ") == 2  # as it ran, and at the end
    assert " and 63 more: unsupported: " in done.stderr


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--engine", "hybird"], "hybrid"),
        (["--set", "threads"], "expected TOGGLE=VALUE"),
        (["--engine", "degree-separation"], "searches none"),
        (["--ranks", "2"], "one process"),
    ],
)
def test_bad_input_is_refused(bfslab, tmp_path, options, said):
    done, told = benchmark(bfslab, tmp_path / "out", *options)
    assert (done.returncode, told) == (2, {})
    assert said in done.stderr
    assert not (tmp_path / "out").exists()
