# SPDX-License-Identifier: Apache-2.0
"""The figure of the Google Benchmark programs, from a file as they write it."""

import json

import pytest

from plots.figures import benchmark_times
from plots.load import load_experiment


@pytest.fixture
def experiment(tmp_path):
    entries = [
        {"name": "Build/scale:20/threads:2/process_time/real_time", "run_type": "iteration",
         "real_time": milliseconds, "time_unit": "ms"}
        for milliseconds in (4.0, 2.0, 3.0)
    ]  # fmt: skip
    entries.append({"name": "Hash/real_time", "real_time": 5e6, "time_unit": "ns"})
    entries.append({"name": "Hash/real_time_mean", "run_type": "aggregate", "real_time": 1,
                    "time_unit": "s"})  # fmt: skip
    entries.append({"name": "Lost", "error_occurred": True, "real_time": 0, "time_unit": "ms"})
    (tmp_path / "benchmark.json").write_text(
        json.dumps({"context": {"experiment": "read-benchmark"}, "benchmarks": entries})
    )
    return load_experiment(tmp_path)


def test_each_benchmark_is_one_row_with_its_median(experiment):
    frame = benchmark_times.numbers(experiment)
    assert frame.to_dict("list") == {
        "benchmark": ["Build scale:20 threads:2", "Hash"],
        "time_ms": [3.0, 5.0],
        "fastest_ms": [2.0, 5.0],
        "slowest_ms": [4.0, 5.0],
        "repetitions": [3, 1],
    }


def test_the_points_are_the_medians(experiment):
    (drawing,) = benchmark_times.draw([experiment])
    (line,) = drawing.figure.axes[0].lines
    assert list(line.get_xdata()) == [3.0, 5.0]
