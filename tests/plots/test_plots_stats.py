# SPDX-License-Identifier: Apache-2.0
"""Statistics against values that can be worked out by hand or by brute force."""

import itertools
import math

import numpy as np
import pandas as pd
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


def test_places_are_those_of_splitmix64():
    """Against the algorithm as it is published, one number after another."""

    def splitmix(state):
        while True:
            state = (state + 0x9E3779B97F4A7C15) % 2**64
            z = state
            z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
            z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
            yield z ^ (z >> 31)

    places = stats.places(9)
    assert places.shape == (stats.RESAMPLES, 8) and set(places.ravel()) == set(range(9))
    for row in (0, 7, 999):
        state = (15 + row * 2**32 * 0x9E3779B97F4A7C15) % 2**64
        numbers = itertools.islice(splitmix(state), 8)
        assert places[row].tolist() == [(number >> 32) * 9 >> 32 for number in numbers]


@pytest.mark.parametrize(("freedom", "t"), [(3, 3.18245), (4, 2.77645), (7, 2.36462), (60, 2.0003)])
def test_students_distribution(freedom, t):
    assert stats._student_t(freedom) == pytest.approx(t, rel=1.5e-3)


@pytest.mark.parametrize(
    ("tail", "freedom", "t"), [(0.025, 3, 3.1824), (0.0025, 15, 3.2860), (0.0005, 30, 3.6460)]
)
def test_students_distribution_of_many_comparisons(tail, freedom, t):
    assert stats._student_t_beyond(tail, freedom) == pytest.approx(t, rel=1e-4)  # tables


def test_a_median_of_times_and_its_interval():
    """Of 400 normal logarithms the standard error of the median is known."""
    logs = np.random.default_rng(8).normal(1, 0.3, 400)
    found = stats.median_time(pd.Series(np.exp(logs)))
    assert found.value == pytest.approx(np.median(np.exp(logs)))
    half = 1.97 * 0.3 * math.sqrt(math.pi / 2 / 400)
    assert math.log(found.high / found.low) == pytest.approx(2 * half, rel=0.2)
    assert math.isnan(stats.median_time(pd.Series([1.0, 2, 3])).low)


def test_a_mean_ratio_is_geometric_and_pairs_by_source():
    base = pd.Series({1: 8.0, 2: 1.0, 3: 5.0})
    other = pd.Series({1: 1.0, 2: 8.0, 4: 5.0})
    ratios = stats.paired_ratios(base, other)
    assert ratios.to_dict() == {1: 8.0, 2: 0.125}
    estimate = stats.mean_ratio(ratios)
    assert (estimate.value, estimate.pairs) == (pytest.approx(1), 2)
    assert math.isnan(estimate.low) and math.isnan(estimate.high)  # two pairs say nothing
    assert math.isnan(stats.mean_ratio([]).value)


def by(of, **levels):
    """Ratios by the levels that are named; each is a source of its own where none says which."""
    levels = {"source": range(len(of))} | levels
    index = pd.MultiIndex.from_arrays(list(levels.values()), names=list(levels))
    return pd.Series(of, index=index, dtype=float)


def test_each_graph_weighs_the_same_however_many_pairs_it_has():
    estimate = stats.mean_ratio(by(graph=["a"] * 12 + ["b"] * 4, of=[2] * 12 + [8] * 4))
    assert [estimate.value, estimate.low, estimate.high] == [pytest.approx(4)] * 3


def test_the_interval_of_a_mean_ratio_is_that_of_the_mean_of_logarithms():
    """With many pairs the bootstrap agrees with the normal approximation."""
    logs = np.random.default_rng(1).normal(0.5, 0.4, 400)
    estimate = stats.mean_ratio(np.exp(logs))
    half = 1.96 * logs.std(ddof=1) / np.sqrt(len(logs))
    assert math.log(estimate.low) == pytest.approx(logs.mean() - half, abs=0.1 * half)
    assert math.log(estimate.high) == pytest.approx(logs.mean() + half, abs=0.1 * half)
    assert stats.mean_ratio(np.exp(logs)) == estimate


def test_a_bootstrapped_interval_covers_the_truth_about_as_often_as_it_says():
    generator = np.random.default_rng(2)
    estimates = [stats.mean_ratio(np.exp(generator.normal(0, 1, 16))) for _ in range(100)]
    covered = sum(e.low <= 1 <= e.high for e in estimates)
    assert 86 <= covered <= 99


def test_pairs_of_one_invocation_share_its_luck():
    """Four invocations that differ by more than their pairs do: the interval spans them."""
    lucky, near = [1.0, 2.0, 4.0, 8.0], [1.0, 1.01, 0.99, 1.0, 1.0]
    ratios = [luck * each for luck in lucky for each in near]
    sources, invocations = [*range(5)] * 4, np.repeat(range(4), 5)
    all_ = stats.mean_ratio(by(ratios, source=sources, invocation=invocations))
    assert all_.value == pytest.approx(stats.geometric_mean(ratios)) and not all_.sources_alone
    error = np.log(lucky).std(ddof=1) / 2
    assert math.log(all_.high / all_.value) == pytest.approx(3.182 * error, rel=0.15)
    # Three are too few to say how far they differ.
    three = stats.mean_ratio(by(ratios[:15], source=sources[:15], invocation=invocations[:15]))
    assert three.sources_alone and three.high / three.low < 1.05
    # A source that one of them alone has weighs as much as each other.
    uneven = by([*ratios, 4.0], source=[*sources, 5], invocation=[*invocations, 3])
    each = np.log(uneven).groupby(level="source").mean()
    assert stats.mean_ratio(uneven).value == pytest.approx(np.exp(each.mean()))


def test_sources_are_as_many_as_they_are_however_many_processes_searched_from_them():
    """Three processes that agree say no more about other sources than one does."""
    ratios = np.exp(np.random.default_rng(4).normal(0, 0.5, 16))
    one = stats.mean_ratio(ratios)
    three = stats.mean_ratio(
        by(np.tile(ratios, 3), source=[*range(16)] * 3, invocation=np.repeat(range(3), 16))
    )
    assert three.value == pytest.approx(one.value)
    assert math.log(three.high / three.low) == pytest.approx(math.log(one.high / one.low), rel=0.1)
    few = [*range(3)] * 3
    assert math.isnan(stats.mean_ratio(by([2.0] * 9, source=few, invocation=sorted(few))).low)


def test_an_interval_knows_of_sources_and_of_processes():
    """Ratios of 16 sources in 12 processes, of which each adds a part of its own: the variance of
    their mean is the sum of what either adds."""
    generator = np.random.default_rng(5)
    of_sources, of_processes = generator.normal(0, 0.3, 16), generator.normal(0, 0.2, 12)
    logs = (of_sources[:, None] + of_processes).ravel()
    estimate = stats.mean_ratio(
        by(np.exp(logs), source=np.repeat(range(16), 12), invocation=[*range(12)] * 16)
    )
    error = math.hypot(of_sources.std() / 4, of_processes.std() / 12**0.5)
    assert math.log(estimate.high / estimate.low) == pytest.approx(2 * 1.96 * error, rel=0.1)


def test_values_meet_by_source_and_by_process_where_both_have_the_same():
    counts = pd.Series({1: 10.0, 2: 20.0}).rename_axis("source")
    times = by([1, 2, 4, 8], source=[1, 1, 2, 3], invocation=[0, 1, 0, 0])
    assert stats.paired_ratios(counts, times).to_dict() == {(1, 0): 10, (1, 1): 5, (2, 0): 5}
    others = by([6, 8], source=[1, 2], invocation=[1, 1])
    assert stats.paired_ratios(others, times).to_dict() == {(1, 1): 3}
    # On another machine every process of the one is paired with every process of the other.
    apart = others.rename_axis(index={"invocation": "there"})
    assert stats.paired_ratios(apart, times).to_dict() == {(1, 1, 0): 6, (1, 1, 1): 3, (2, 1, 0): 2}
    # Also where both have processes of equal numbers.
    again = times.rename_axis(index={"invocation": "there"})
    assert len(stats.paired_ratios(again, times)) == 4 + 1 + 1


def test_papers_average_over_graphs_arithmetically():
    """Of geometric means over sources: 2 and 8, and the interval of a constant is none."""
    ratios, graphs = [1, 4] * 6 + [8] * 4, ["a"] * 12 + ["b"] * 4
    arithmetic = stats.mean_ratio(by(ratios, graph=graphs), arithmetic=True)
    geometric = stats.mean_ratio(by(ratios, graph=graphs))
    assert (arithmetic.value, geometric.value) == (pytest.approx(5), pytest.approx(4))
    # Graph "b" adds nothing, and of a's logarithm the geometric mean has half, the arithmetic 2/10.
    spans = [math.log(each.high / each.value) for each in (arithmetic, geometric)]
    assert spans[0] / spans[1] == pytest.approx(0.4, rel=0.15)
    assert stats.mean_ratio([2.0] * 4, arithmetic=True).low == pytest.approx(2)


def test_means_without_pairs_have_a_ratio_whose_interval_knows_both():
    def times(values):
        index = pd.MultiIndex.from_product([range(len(values)), [0]],
                                           names=["source", "invocation"])  # fmt: skip
        return pd.Series(values, index=index, dtype=float)

    generator = np.random.default_rng(3)
    many = [times(np.exp(generator.normal(mean, 0.3, 200))) for mean in (1, 0)]
    ratio = stats.unpaired_ratio(*many)
    logs = [np.log(side) for side in many]
    assert math.log(ratio.value) == pytest.approx(logs[0].mean() - logs[1].mean())
    half = 1.96 * math.sqrt(sum(side.var() / len(side) for side in logs))
    assert math.log(ratio.high / ratio.low) == pytest.approx(2 * half, rel=0.1)
    few = stats.unpaired_ratio(many[0], many[1].iloc[:3])
    assert math.isnan(few.low) and not math.isnan(few.value)
    assert math.isnan(stats.unpaired_ratio(many[0], many[1].iloc[:0]).value)


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


def test_what_several_processes_measured_is_first_reduced_process_by_process(tmp_path):
    from results_builder import Results

    from plots.cells import source_rates
    from plots.load import load_experiment

    results = Results({"name": "demo", "graphs": [], "repeats": 6, "invocations": 2})
    times = {1: (1, 2, 30, 4, 4, 4), 2: (5, 6, 7, 9, 9, 1)}  # the first three of one process
    for source, repeats in times.items():
        for repeat, time in enumerate(repeats):
            results.run("A", time, source=source, repeat=repeat, component_input_edges=36e6)
    rows = load_experiment(results.write(tmp_path / "demo")).timed
    cell = time_cell(rows)
    assert cell.by_invocation.to_dict() == {(1, 0): 2, (1, 1): 4, (2, 0): 6, (2, 1): 9}
    assert cell.times_ms.to_dict() == {1: 3, 2: 7.5}
    assert (cell.median_ms, cell.mean_ms) == (5.25, 5.25)
    assert time_cell(rows, "best").times_ms.to_dict() == {1: 1, 2: 1}
    assert time_cell(rows, "mean").times_ms.to_dict() == {1: 7.5, 2: pytest.approx(37 / 6)}
    rates = source_rates(rows)
    assert rates.mean(stats.harmonic_mean) == pytest.approx(36 / 5.25)
    assert rates.of_sources(max) == pytest.approx(12)


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
