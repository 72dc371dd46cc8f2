"""Statistics against values that can be worked out by hand or by brute force."""

import itertools
import math

import numpy as np
import pytest

from plots import stats
from plots.cells import number, time_cell


def test_means_and_quantiles():
    assert stats.median([3, 1, 2, 10]) == 2.5
    assert stats.quantile([0, 10], 0.1) == 1
    assert stats.geometric_mean([1, 4, 16]) == pytest.approx(4)
    assert stats.harmonic_mean([1, 2, 4]) == pytest.approx(12 / 7)
    assert math.isnan(stats.median([])) and math.isnan(stats.harmonic_mean([]))


def test_harmonic_standard_error_is_the_delta_method():
    values = np.array([1.0, 2.0, 4.0, 5.0])
    inverse = 1 / values
    mean = 4 / inverse.sum()
    expected = mean**2 * inverse.std(ddof=1) / 2
    assert stats.harmonic_standard_error(values) == pytest.approx(expected)
    assert math.isnan(stats.harmonic_standard_error([1.0]))


@pytest.mark.parametrize("n", range(1, 13))
def test_median_interval_covers_by_enumeration(n):
    """A value lies below the median with probability 1/2: count all 2^n outcomes. The interval
    from order statistics must cover with at least 95 %, and the next narrower must not."""
    low, high = stats.median_interval(list(range(n)))
    below = [sum(outcome) for outcome in itertools.product((0, 1), repeat=n)]

    def coverage(first):  # of (x[first], x[n - 1 - first]), counted from 0
        return sum(first + 1 <= k <= n - 1 - first for k in below) / 2**n

    if math.isnan(low):
        assert coverage(0) < 0.95
        assert n < 6
    else:
        assert high == n - 1 - low
        assert coverage(int(low)) >= 0.95
        assert coverage(int(low) + 1) < 0.95


def test_numbers_for_print():
    cases = {1234.6: "1235", 0.00012345: "0.000123", 12.3456: "12.3", 0: "0", 1e-5: "0.00001"}
    assert {value: number(value) for value in cases} == cases
    assert number(float("nan")) == ""


def test_a_cell_is_the_median_over_sources_of_the_median_over_repeats(tmp_path):
    from results_builder import Results

    from plots.load import load_experiment

    results = Results({"name": "demo", "graphs": ["kronecker:scale=16"]})
    for source, repeats in {1: (1, 2, 30), 2: (5, 6, 7), 3: (100, 1, 90)}.items():
        for repeat, time in enumerate(repeats):
            results.run("A", time, source=source, repeat=repeat)
    rows = load_experiment(results.write(tmp_path / "demo")).timed
    assert time_cell(rows).median_ms == 6  # of 2, 6, 90
    assert time_cell(rows, "best").median_ms == 1  # of 1, 5, 1


def test_one_failed_source_spoils_the_cell_and_the_gravest_shows(tmp_path):
    from results_builder import Results

    from plots.load import load_experiment

    results = Results({"name": "demo", "graphs": ["kronecker:scale=16"]})
    results.run("A", 1.0, source=1)
    results.run("A", source=2, status="timeout", reason="over 2 s")
    results.run("A", source=3, status="skipped", reason="after a time-out")
    rows = load_experiment(results.write(tmp_path / "demo")).timed
    cell = time_cell(rows)
    assert (cell.failure, cell.reason, cell.ok) == ("TIMEOUT", "over 2 s", False)
    assert math.isnan(cell.median_ms)
    assert cell.text(3.0) == "TIMEOUT"
