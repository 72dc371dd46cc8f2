# SPDX-License-Identifier: Apache-2.0
"""The ledger of claims on made-up rows whose answers are known, and the claims of the papers."""

import csv
import itertools
import json
import math
import os
import re
import shlex
import shutil
import subprocess
from dataclasses import fields
from pathlib import Path

import jsonschema
import pytest
from results_builder import Results

from plots import benchmarks, claims, speedups, stats
from plots.__main__ import module_names
from plots.cells import source_rates, time_cell
from plots.claims import estimate as estimates
from plots.claims import output
from plots.claims.__main__ import main
from plots.claims.claims import ClaimError, Limits, load_claims, reproduced, same_side
from plots.claims.estimate import Estimate, estimate, minutes_in
from plots.claims.expression import Result, described, leaves_of
from plots.claims.grades import _grade, graded
from plots.claims.leaves import Account, _is, samples
from plots.load import load_experiment
from plots.paper import EXPERIMENTS, spec_file
from plots.specs import resolved

ROOT = EXPERIMENTS.parent
SPEC = {"name": "e", "graphs": [], "baseline": "slow"}
TIMES = {"ratio": [{"rows": {"case": "slow"}}, {"rows": {"case": "fast"}}]}
MEAN = {"over": "geometric mean", "of": {"each": "geometric mean", "of": TIMES}}
OWN, OTHER = "own", "kronecker:scale=16"


def claim(value=MEAN, paper=2.0, kind="ratio", **more):
    return {"id": "c", "item": "Figure 1", "text": "It is faster.", "experiments": ["e"],
            "kind": kind, "evidence": "search", "paper": {"value": paper},
            "value": value} | more  # fmt: skip


def timed(pairs, graph=OWN, results=None, **facts):
    """Rows of (time of slow, time of fast), one pair a source. A pair alone is that of four
    sources, since one source has no interval, and so no verdict."""
    results = results or Results(dict(SPEC))
    pairs = pairs * 4 if len(pairs) == 1 else pairs
    for source, (slow, fast) in enumerate(pairs):
        results.run("slow", slow, graph=graph, source=source, **facts)
        results.run("fast", fast, graph=graph, source=source, **facts)
    return results


@pytest.fixture
def loaded(tmp_path):
    def load(results):
        results.write(tmp_path / "loaded/e")
        return load_experiment(tmp_path / "loaded/e")

    return load


@pytest.fixture
def ledger(tmp_path):
    """Evaluates claims over what `Results` hold, by machine: ledger([claim()], box=rows)."""

    def evaluate(entries, estimated=None, **machines):
        document = {"paper": "xbfs", "paper_graphs": [OWN], "claims": entries}
        (tmp_path / "root/xbfs").mkdir(parents=True, exist_ok=True)
        (tmp_path / "root/xbfs/claims.json").write_text(json.dumps(document))
        (tmp_path / "results").mkdir(exist_ok=True)
        for machine, several in machines.items():
            for results in several if isinstance(several, list) else [several]:
                results.write(tmp_path / "results" / machine / results.spec["name"])
        none = estimated or (lambda *_: Estimate("command", None, ""))
        return claims.evaluate(tmp_path / "results", tmp_path / "root", none)

    evaluate.root = tmp_path / "root"
    return evaluate


def spanning(low, high):
    """Rows of four sources whose mean ratio has this interval."""
    logs = math.log(stats.mean_ratio([math.e, 1 / math.e] * 2).high)
    middle, factor = (low * high) ** 0.5, (high / low) ** (0.5 / logs)
    return timed([(middle * factor, 1), (middle / factor, 1)] * 2)


# Two of four logarithms lie one above their mean and two one below. One in eight draws of three has
# all of them above. The interval is that deviation times Student's t with three degrees of freedom.
OF_FOUR = 3.182 / 1.96


def test_a_mean_of_paired_ratios_has_the_known_value_and_interval(ledger):
    """Ratios 1 and 4, twice each."""
    (verdict,) = ledger([claim()], box=timed([(1, 1), (8, 2)] * 2))
    assert verdict.value == pytest.approx(2)
    half = OF_FOUR * math.log(2)
    wanted = (2 * math.exp(-half), 2 * math.exp(half))
    assert verdict.interval == pytest.approx(wanted, rel=0.05)
    assert "its interval is over sources alone" in verdict.reason
    assert verdict.verdict == claims.UNDECIDED
    assert verdict.machine == "box" and verdict.experiment == "e"
    assert verdict.statistic == (
        "geometric mean over graphs of the geometric mean over sources of "
        "(time of “slow” over time of “fast”)"
    )


def test_pairs_stay_pairs_when_sources_are_drawn(ledger):
    """Sources differ a thousandfold and the ratio never: drawn apart, the means would differ."""
    (verdict,) = ledger([claim()], box=timed([(2, 1), (200, 100), (2000, 1000), (20, 10)]))
    assert verdict.value == pytest.approx(2) and verdict.interval == pytest.approx((2, 2))
    apart = {"ratio": [{"over": "only", "of": {"each": "arithmetic mean", "of": leaf}}
                       for leaf in TIMES["ratio"]]}  # fmt: skip
    (verdict,) = ledger([claim(apart)])
    assert verdict.value == pytest.approx(2) and verdict.interval == pytest.approx((2, 2))


def test_the_same_rows_give_the_same_verdicts(ledger):
    rows = timed([(k + 2, 1 + k / 7) for k in range(9)])
    first = ledger([claim(), claim(id="d")], box=rows)
    assert first == ledger([claim(), claim(id="d")])
    low, high = first[0].interval
    assert low < first[0].value < high
    assert ledger([claim(id="d")])[0] == first[1]  # whatever other claims there are


@pytest.mark.parametrize("slow", [2, 1.1, 0.5])
def test_one_source_has_no_interval_and_so_no_verdict(ledger, slow):
    """Where times are read: a count needs no interval."""
    rows = Results(dict(SPEC))
    for case, time in (("slow", slow), ("fast", 1)):
        rows.run(case, time, graph=OWN)
    levels = claim(only("most", {"rows": {}, "of": "levels"}), 6, "count", id="d")
    time, count = ledger([claim(), levels], box=rows)
    assert time.value == slow and time.interval is None and time.verdict == claims.UNDECIDED
    assert "times without an interval decide nothing. An interval takes 4 sources" in time.reason
    assert count.verdict == claims.REPRODUCED


def several(times, invocations=2, each=2):
    """Rows by case, by source, by process: the times of its repeats."""
    rows = Results({"name": "e", "repeats": invocations * each, "graphs": [],
                    "invocations": invocations, "baseline": "slow"})  # fmt: skip
    for case, sources in times.items():
        for source, processes in sources.items():
            for process, repeats in processes.items():
                for k, time in enumerate(repeats):
                    rows.run(case, time, graph=OWN, source=source, repeat=process * each + k)
    return rows


def only(each, of):
    return {"over": "only", "of": {"each": each, "of": of}}


PROCESSES = {
    "slow": {0: {0: (2, 2, 90), 1: (8, 8, 1)}, 1: {0: (1, 1, 1), 1: (9, 9, 9)}},
    "fast": {0: {0: (1, 1, 1), 1: (1, 1, 70)}, 1: {0: (1, 4, 4), 1: (1, 1, 1)}},
}  # medians: slow 2 8, 1 9; fast 1 1, 4 1


def test_a_source_has_a_number_in_each_process_and_pairs_within_it(ledger):
    """Ratios of source and process: 2, 8, 1/4 and 9. Over all repeats the medians would be 5 and 5
    over 1 and 1, and their mean 5."""
    (verdict,) = ledger([claim(only("geometric mean", TIMES))], box=several(PROCESSES, each=3))
    assert verdict.value == pytest.approx((2 * 8 / 4 * 9) ** 0.25)
    assert verdict.invocations == 2 and verdict.sources == 2


def test_statistics_of_several_processes(ledger):
    """A mean is one over sources and processes; other statistics are of the medians (in a sum the
    means) of a source's processes, which are 5 and 5."""
    slow = {"rows": {"case": "slow"}}
    rate = {"ratio": [{"rows": {"case": "slow"}, "of": "component_edges"}, slow]}
    wanted = {
        "arithmetic mean": 20 / 4,
        "geometric mean": (2 * 8 * 9) ** 0.25,
        "harmonic mean": 4 / (1 / 2 + 1 / 8 + 1 + 1 / 9),
        "median": 5,
        "sum": 10,
        "least": 5,
        "most": 5,
    }
    entries = [claim(only(name, slow), id=f"c{k}") for k, name in enumerate(wanted)]
    entries.append(claim(only("harmonic mean", rate), id="rate"))
    values = [v.value for v in ledger(entries, box=several(PROCESSES, each=3))]
    assert values[:-1] == pytest.approx(list(wanted.values()))
    assert values[-1] == pytest.approx(1000 * 4 / 20)  # 1,000 edges whatever the process


def test_repeats_of_several_processes(ledger):
    """Their mean is one process by process; the best is the best of all of them."""
    repeats = [{"rows": {"case": "slow"}, "repeats": how} for how in ("mean", "best")]
    entries = [claim(only("geometric mean", leaf), id=leaf["repeats"]) for leaf in repeats]
    entries.append(claim(only("geometric mean", {"ratio": repeats}), id="both"))
    mean, best, both = (v.value for v in ledger(entries, box=several(PROCESSES, each=3)))
    means = (94 / 3 * 17 / 3 * 1 * 9) ** 0.25
    assert (mean, best) == (pytest.approx(means), pytest.approx(1))
    assert both == pytest.approx(means / best)  # the best of a source meets each of its processes


def test_counts_and_failures_do_not_depend_on_the_process(ledger):
    rows = several(PROCESSES, each=3)
    rows.run("slow", 5, graph=OWN, source=0, instrumented=1, edges_checked=12)
    rows.run("slow", 5, graph=OWN, source=1, instrumented=1, edges_checked=6)
    checked = {"rows": {"case": "slow"}, "of": "edges_checked", "instrumented": True}
    failed = {"rows": {"case": "slow"}, "of": "failed"}
    each = {"ratio": [checked, {"rows": {"case": "slow"}}]}
    entries = [
        claim(only("sum", checked), 18, "count", id="count"),
        claim(only("sum", {"rows": {"case": "slow"}, "of": "levels"}), 12, "count", id="levels"),
        claim(only("sum", failed), 0, "exact", id="failed"),
        claim(only("arithmetic mean", each), id="each"),
    ]
    counted, levels, none, rate = ledger(entries, box=rows)
    assert (counted.value, levels.value, none.value) == (18, 12, 0)
    assert counted.interval is None  # two sources say nothing of others
    assert rate.value == pytest.approx((12 / 2 + 12 / 8 + 6 / 1 + 6 / 9) / 4)


def test_unequal_processes_pair_where_both_searched(ledger):
    """The second process lacks a search of either case, and a third has only one of them."""
    times = {
        "slow": {0: {0: [4], 1: [6]}, 1: {0: [8]}},
        "fast": {0: {0: [1], 1: [2], 2: [100]}, 1: {0: [2], 1: [100]}},
    }
    rows = several(times, invocations=3, each=1)
    (verdict,) = ledger([claim(only("arithmetic mean", TIMES))], box=rows)
    assert verdict.value == pytest.approx(((4 + 3) / 2 + 4) / 2)
    # Nothing pairs where no process has both.
    times["fast"] = {0: {2: [1]}, 1: {2: [1]}}
    (verdict,) = ledger([claim(MEAN)], box=several(times, invocations=3, each=1))
    assert verdict.verdict == claims.UNDECIDED and verdict.value is None


def test_processes_are_drawn_from_four_on_and_the_same_ones_for_all_sources(ledger):
    """Four processes of ratios 1 and 4 have the interval that four such sources have, and two have
    none of their own. Sources that differ only from one another have an interval that does not
    shrink with the number of processes."""
    for count, half in ((4, OF_FOUR * math.log(2)), (2, 0)):
        apart = {case: {source: {k: [time if k % 2 else 1.0] for k in range(count)}
                        for source in range(9)}
                 for case, time in (("slow", 4.0), ("fast", 1.0))}  # fmt: skip
        (verdict,) = ledger([claim(paper=3)], box=several(apart, invocations=count, each=1))
        assert verdict.value == pytest.approx(2)
        wanted = (2 * math.exp(-half), 2 * math.exp(half))
        assert verdict.interval == pytest.approx(wanted, rel=0.05)
        assert ("over sources alone" in verdict.reason) == (count < 4)
    factors = [1.1**k for k in range(9)]
    (alone,) = ledger([claim()], box=timed([(factor, 1) for factor in factors]))
    alike = {"slow": {k: dict.fromkeys(range(3), (f,)) for k, f in enumerate(factors)},
             "fast": {k: dict.fromkeys(range(3), (1,)) for k in range(9)}}  # fmt: skip
    (three,) = ledger([claim()], box=several(alike, invocations=3, each=1))
    assert (three.value, three.interval) == (
        pytest.approx(alone.value),
        pytest.approx(alone.interval),
    )


def test_one_source_of_several_processes_has_no_interval(ledger):
    times = {"slow": {0: {0: [2], 1: [4]}}, "fast": {0: {0: [1], 1: [1]}}}
    (verdict,) = ledger([claim()], box=several(times, each=1))
    assert verdict.value == pytest.approx(8**0.5) and verdict.interval is None


def test_processes_of_two_machines_make_no_pairs(ledger):
    """Every one of one machine meets every one of the other: 2 and 8 over 1, 2, 4 and 2."""
    leaves = [{"rows": {"case": "slow"}, "machine": machine} for machine in ("old", "new")]
    entries = [claim(only(how, {"ratio": leaves}), id=how[0], machines=["old", "new"])
               for how in ("geometric mean", "arithmetic mean")]  # fmt: skip
    old, new = (
        several({"slow": {k: {n: [time] for n, time in enumerate(times)} for k in range(4)}},
                invocations=4, each=1)
        for times in ((2, 8, 2, 8), (1, 2, 4, 2))
    )  # fmt: skip
    geometric, arithmetic = ledger(entries, old=old, new=new)
    assert geometric.value == pytest.approx(2)
    assert arithmetic.value == pytest.approx(5 * (1 + 1 / 2 + 1 / 4 + 1 / 2) / 4)
    # Draws reach log(2) and two thirds of it, which leaves 5.2 degrees of freedom.
    half = 2.537 * math.log(2) / 1.96 * (1 + 4 / 9) ** 0.5
    wanted = (2 * math.exp(-half), 2 * math.exp(half))
    assert geometric.interval == pytest.approx(wanted, rel=0.05)


def test_figures_and_claims_have_the_same_number_of_the_same_rows(ledger, tmp_path):
    """Of uneven processes: the speed-up of the figure, its sum of all times, and its rate."""
    times = {
        case: {s: {p: [(1 + s) * (2 + p * s + k) / (1 + speed * p) for k in range(2)]
                   for p in range(3 - s % 2)} for s in range(6)}
        for case, speed in (("slow", 0), ("fast", 1.5))
    }  # fmt: skip
    rows = several(times, invocations=3)
    for row in rows.runs:
        row["component_input_edges"] = 1e6 * (2 + row["source"])
    fast = {"rows": {"case": "fast"}}
    rate = {"ratio": [fast | {"of": "component_input_edges"}, fast]}
    sums = {"ratio": [{"each": "sum", "of": leaf} for leaf in TIMES["ratio"]]}
    entries = [claim(id="c"), claim({"over": "only", "of": sums}, id="d"),
               claim(only("harmonic mean", rate), id="e"), claim(only("median", fast), id="f"),
               claim(only("arithmetic mean", fast), id="g")]  # fmt: skip
    ratio, total, gteps, median, mean = ledger(entries, box=rows)
    experiment = load_experiment(tmp_path / "results/box/e")
    frame = speedups.speedups(experiment).set_index("case")
    figure = frame.loc["fast"]
    assert ratio.value == pytest.approx(figure["speedup"])
    width = math.log(figure["high95"] / figure["low95"])
    assert math.log(ratio.interval[1] / ratio.interval[0]) == pytest.approx(width, rel=0.1)
    assert total.value == pytest.approx(figure["by_total_time"])
    assert median.value == pytest.approx(figure["time_ms"])
    timed_rows = experiment.timed[experiment.timed["case"] == "fast"]
    rates = source_rates(timed_rows)
    assert gteps.value == pytest.approx(1e6 * rates.mean(stats.harmonic_mean))
    assert mean.value == pytest.approx(time_cell(timed_rows).mean_ms)


@pytest.mark.parametrize(
    ("ratio", "expected"),
    [(2, "reproduced"), (2.4, "reproduced"), (2.6, "same direction, 1.3 times larger"),
     (1.1, "same direction, 1.8 times smaller"), (4.1, "same direction, far, 2.05 times larger"),
     (30, "same direction, far, 15 times larger"), (0.9, "refuted")],
)  # fmt: skip
def test_verdicts_by_the_limits(ledger, ratio, expected):
    (verdict,) = ledger([claim()], box=timed([(ratio, 1)]))
    assert verdict.words == expected
    assert verdict.reason.startswith(output.number(ratio))
    assert (f"{verdict.distance} than the paper's" in verdict.reason) == bool(verdict.distance)


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ([(1.7, 1), (2.3, 1)], claims.REPRODUCED),
        ([(1.5, 1), (2.3, 1)], claims.UNDECIDED),  # reproduced, or the same direction
        ([(1.3, 1), (1.7, 1)], claims.UNDECIDED),  # the same direction, or reproduced
        ([(1.1, 1), (1.5, 1)], claims.SAME_DIRECTION),
        ([(0.9, 1), (1.5, 1)], claims.UNDECIDED),  # the same direction, or refuted
        ([(0.8, 1), (0.9, 1)], claims.REFUTED),
        ([(0.5, 1), (9, 1)], claims.UNDECIDED),
        ([(1.5, 1), (2.7, 1)], claims.UNDECIDED),  # beyond both limits of reproduced
        ([(3, 1), (5, 1)], claims.SAME_DIRECTION_FAR),  # doubt is not in the paper's favour
    ],
)
def test_a_verdict_is_that_of_the_whole_interval(ledger, pairs, expected):
    low, high = (pair[0] for pair in pairs)
    (verdict,) = ledger([claim()], box=spanning(low, high))
    assert verdict.interval == pytest.approx((low, high))
    assert verdict.verdict == expected
    assert ("reaches into" in verdict.reason) == (expected == claims.UNDECIDED)
    more = "More sources per graph would narrow the interval."
    assert (more in verdict.reason) == (expected == claims.UNDECIDED)
    never = expected == claims.UNDECIDED and pairs[1][0] < 1.6
    assert ("not reproduced in any case" in verdict.reason) == never
    if expected == claims.SAME_DIRECTION_FAR:
        assert verdict.distance == "up to 2.5 times larger"


@pytest.mark.parametrize("kind", ["ratio", "equal", "share", "count", "rate", "exact"])
def test_no_value_of_an_interval_has_a_lesser_verdict(ledger, kind):
    """Of intervals around and beyond all limits: every value of one has the verdict's own grade."""
    for printed in (0.04, 0.9, 1, 1.04, 1.3, 2, 54.3) if kind != "equal" else (1,):
        if kind == "ratio" and printed == 1:
            continue
        entry = claim(kind=kind, paper=printed, id=f"c{printed}")
        ledger([entry])
        ((one,),) = [load_claims(ledger.root)]
        marks = sorted([0.98, 1, 1.01, 1.06, *(printed * 1.3**k for k in range(-6, 7))])
        for low, value, high in itertools.combinations_with_replacement(marks, 3):
            account = Account(asked={"g"}, times=True)
            verdict, _ = graded(one, Result(value, (low, high)), account, {"g"}, 4)
            if verdict != claims.UNDECIDED:
                steps = [low + k * (high - low) / 50 for k in range(51)]
                grades = {_grade(one, each) for each in steps}
                far = {claims.SAME_DIRECTION, claims.SAME_DIRECTION_FAR}
                assert grades == {verdict} or (
                    verdict == claims.SAME_DIRECTION_FAR and grades == far
                )


def test_no_effect_has_no_direction_and_doubt_on_both_sides_is_no_refutation(ledger):
    equal = claim(paper=1, kind="equal")
    for pairs, expected in (
        ([(1.01, 1), (0.99, 1)], claims.REPRODUCED),
        ([(1.2, 1)], claims.REFUTED),
        ([(0.8, 1)], claims.REFUTED),
        ([(0.8, 1), (1.3, 1)], claims.UNDECIDED),  # each end alone would refute it
    ):
        rows = spanning(*sorted(pair[0] for pair in pairs)) if len(pairs) > 1 else timed(pairs)
        (verdict,) = ledger([equal], box=rows)
        assert verdict.verdict == expected and verdict.distance == ""


def test_above_and_below_leave_out_the_limit_itself(ledger):
    for words, side in (("above 1", "above"), ("below 1", "below")):
        order = claim(kind="order", paper=1, reproduced={side: 1})
        order["paper"]["as"] = words
        (verdict,) = ledger([order], box=timed([(1, 1)]))
        assert verdict.verdict == claims.REFUTED and f"1 is not {words}" in verdict.reason


def test_a_value_is_told_from_the_limit_that_it_misses(ledger):
    (verdict,) = ledger([claim()], box=timed([(1.59996, 1)]))
    assert verdict.verdict == claims.SAME_DIRECTION
    assert verdict.reason.startswith("1.59996 is not between 1.6 and 2.5")


def test_every_graph_is_every_graph_that_was_searched(ledger):
    """A graph without a number could be the one on which it does not hold."""
    rows = timed([(2, 1)])
    for graph in ("a", "b"):
        timed([(2, 1)], graph=graph, results=rows)
    share = {"share": {"above": 1}, "of": {"each": "geometric mean", "of": TIMES}}
    every = claim(share, 1, "exact", paper_graphs=["*"])
    (verdict,) = ledger([every], box=rows)
    assert verdict.verdict == claims.REPRODUCED
    rows.run("fast", None, graph="b", source=9, status="oom")
    (verdict,) = ledger([every], box=rows)
    assert verdict.value == 1 and verdict.verdict == claims.UNDECIDED
    assert "graphs without a number could change it: 1" in verdict.reason
    timed([(1, 2)], graph="c", results=rows)
    (verdict,) = ledger([every], box=rows)
    assert verdict.verdict == claims.REFUTED


def test_stand_ins_and_other_graphs_earn_no_more_than_a_verdict_on_stand_ins(ledger):
    rows = timed([(2, 1)], graph=OWN, stand_in_for="com-lj")
    (verdict,) = ledger([claim()], box=rows)
    assert verdict.verdict == claims.REPRODUCED_ON_STAND_INS and verdict.on_stand_ins
    assert "own for com-lj" in verdict.reason and verdict.instead == "own for com-lj"
    (verdict,) = ledger([claim()], box=timed([(2, 1)], graph=OTHER))
    assert verdict.verdict == claims.REPRODUCED_ON_STAND_INS
    both = timed([(2, 1)], graph=OTHER, results=timed([(2, 1)]))
    (verdict,) = ledger([claim()], box=both)
    assert verdict.verdict == claims.REPRODUCED_ON_STAND_INS and "1 of 2 graphs" in verdict.reason
    assert verdict.instead == "kronecker scale=16"
    (verdict,) = ledger([claim(paper_graphs=["own", "kron*"])])
    assert verdict.verdict == claims.REPRODUCED
    (verdict,) = ledger([claim(paper=0.5)], box=timed([(2, 1)], graph=OTHER))
    assert verdict.verdict == claims.REFUTED_ON_STAND_INS
    (verdict,) = ledger([claim(paper=0.5)], box=timed([(2, 1)]))
    assert verdict.verdict == claims.REFUTED and verdict.instead == ""
    (verdict,) = ledger([claim()], box=timed([(1.1, 1)], graph=OTHER))
    assert verdict.verdict == claims.SAME_DIRECTION and "stand-ins" in verdict.weak


def test_a_generated_graph_is_the_papers_own_by_its_name_and_a_stand_in_never(ledger):
    own = claim(paper_graphs=[OTHER, OWN])
    for graph, stand_in_for, expected in (
        (OTHER, "rmat-er", claims.REPRODUCED),
        (OTHER + ",seed=2", "rmat-er", claims.REPRODUCED_ON_STAND_INS),
        ("kronecker:scale=17", "rmat-er", claims.REPRODUCED_ON_STAND_INS),
        (OWN, "", claims.REPRODUCED),
        (OWN, OWN, claims.REPRODUCED_ON_STAND_INS),
    ):
        (verdict,) = ledger([own], box=timed([(2, 1)], graph=graph, stand_in_for=stand_in_for))
        assert verdict.verdict == expected


@pytest.mark.parametrize("ratio", [2, 1.1, 0.5])
def test_what_stand_ins_or_the_hardware_decide_is_undecided_whatever_the_value(ledger, ratio):
    """Neither for the claim nor against it."""
    because = "The stand-in is made so."
    stand_in = claim(not_comparable={"where": {"on_stand_ins": True}, "because": because})
    (verdict,) = ledger([stand_in], box=timed([(ratio, 1)], graph=OTHER))
    assert verdict.verdict == claims.UNDECIDED and verdict.value == ratio
    own = "Rows on the paper's own graphs would decide it."
    assert f"That says nothing here. {because} {own}" in verdict.reason
    (verdict,) = ledger([stand_in], box=timed([(ratio, 1)]))
    assert verdict.verdict != claims.UNDECIDED and because not in verdict.reason
    memory = {"gpu_memory_gb": {"above": 24}}
    (verdict,) = ledger([claim(not_comparable={"where": {"anywhere": True}, "because": because})])
    assert verdict.verdict == claims.UNDECIDED and because in verdict.reason
    large = claim(not_comparable={"where": memory, "because": because})
    for gigabytes, expected in ((25, True), (24, False), (None, False)):
        rows = timed([(ratio, 1)])
        device = {"name": "GPU", "memory_bytes": gigabytes * 10**9} if gigabytes else "GPU, 25 GB"
        rows.environment = {"gpu": {"devices": [device, device]}}
        (verdict,) = ledger([large], box=rows)
        assert (verdict.verdict == claims.UNDECIDED) == expected


def test_a_verdict_says_what_it_rests_on(ledger):
    rows = Results({"name": "e", "repeats": 4, "invocations": 2, "graphs": ["own", OTHER]})
    for graph, sources in ((OWN, range(16)), (OTHER, range(17))):
        rows.graph(graph, 5, 9, sources=";".join(map(str, sources)))
        for source in sources:
            for repeat in range(4):
                for case, time in (("slow", 2), ("fast", 1), ("unread", 9)):
                    rows.run(case, time, graph=graph, source=source, repeat=repeat)
    (verdict,) = ledger([claim(paper_graphs=["*"])], box=rows)
    assert (verdict.trials, verdict.sources, verdict.invocations) == (33 * 4 * 2, 16, 2)
    assert "Rests on 264 trials, 16 sources a graph, 2 invocations." in verdict.reason
    assert verdict.engines == ("hybrid",)
    assert verdict.weak == ("few invocations",)
    assert "Measured by only 2 invocations of the program" in verdict.reason
    # What was left out is not counted, and a source that was disturbed is left out of both cases.
    rows.runs[0] |= {"polluted": 1}
    (verdict,) = ledger([claim(paper_graphs=["*"])], box=rows)
    assert (verdict.trials, verdict.sources) == (32 * 4 * 2, 15)
    assert verdict.weak == ("polluted", "few sources", "few invocations")
    # Counts do not depend on the process, nor on what disturbs it.
    levels = {"over": "sum", "of": {"each": "most", "of": {"rows": {}, "of": "levels"}}}
    (verdict,) = ledger([claim(levels, 12, "count", paper_graphs=["*"])], box=rows)
    assert verdict.trials == 33 * 4 * 3 and verdict.weak == ()


def test_weak_rows_are_told_where_the_claim_reads_them(ledger, tmp_path):
    """Of one graph a repeat is missing: that is nothing to a claim on the other one alone."""
    rows = Results({"name": "e", "repeats": 3, "invocations": 3, "graphs": [OWN, OTHER]})
    for graph in (OWN, OTHER):
        rows.graph(graph, 5, 9, sources="7")
        for repeat in range(3):
            rows.run("slow", 2, graph=graph, repeat=repeat)
            rows.run("fast", 1, graph=graph, repeat=repeat, engine="top-down")
    rows.runs.pop()
    one = {"ratio": [{"rows": {"graph": OWN, "case": case}} for case in ("slow", "fast")]}
    alone = claim({"over": "only", "of": {"each": "median", "of": one}}, id="d")
    whole, part = ledger([claim(), alone], box=rows)
    assert "incomplete" in whole.weak and "down to 2 of 3 (kronecker:scale=16)" in whole.reason
    assert "incomplete" not in part.weak
    known = {"machine": "box", "engine": "top-down", "experiments": ["e", "f"], "at_most": 2,
             "reason": "other clocks"}  # fmt: skip
    path = tmp_path / "results/known_disagreements.json"
    path.write_text(json.dumps({"disagreements": [known]}))
    slow = claim(
        {"over": "sum", "of": {"each": "median", "of": {"rows": {"case": "slow"}}}}, id="d"
    )
    whole, part = ledger([claim(), slow])
    assert "other clocks" in whole.reason and "known disagreement" in whole.weak
    assert "known disagreement" not in part.weak  # that engine is not read


def test_a_verdict_says_at_which_commit_and_when_its_rows_were_measured(ledger):
    """As a fact: rows of an earlier commit are not weak."""
    rows = timed([(2, 1)], utc="2026-01-03T00:00:00Z")
    rows.environment = {"host": "box", "commit": "35ff0de5a2e9", "dirty": False}
    (verdict,) = ledger([claim()], box=rows)
    assert "Measured at commit 35ff0de on 2026-01-03." in verdict.reason
    assert verdict.weak == ("few sources", "few invocations")
    rows.runs[0]["utc"] = "2026-01-01T23:59:59Z"
    (verdict,) = ledger([claim()], box=rows)
    assert "Measured at commit 35ff0de from 2026-01-01 to 2026-01-03." in verdict.reason
    rows.run("another", 1, graph=OWN, commit="9289757ac6da", utc="2026-01-04T00:00:00Z")
    (verdict,) = ledger([claim()], box=rows)
    assert "Measured at commit 35ff0de from 2026-01-01 to 2026-01-03." in verdict.reason


def test_disturbed_trials_are_left_out_of_times_and_not_of_counts(ledger):
    rows = timed([(2, 1)] * 4)
    rows.run("slow", 50, graph=OWN, source=4, polluted=1)
    rows.run("fast", 100, graph=OWN, source=4)
    (verdict,) = ledger([claim()], box=rows)
    assert verdict.value == pytest.approx(2) and verdict.verdict == claims.REPRODUCED
    assert "they were disturbed: 1 trials" in verdict.reason
    apart = {"ratio": [{"over": "only", "of": {"each": "arithmetic mean", "of": leaf}}
                       for leaf in TIMES["ratio"]]}  # fmt: skip
    # The fast search from that source, however slow, is no part of a mean without its pair.
    (verdict,) = ledger([claim(apart)])
    assert verdict.value == pytest.approx(2)
    levels = {"over": "only", "of": {"each": "most", "of": {"rows": {}, "of": "levels"}}}
    dirty = timed([(2, 1)], polluted=1)
    time, count = ledger([claim(), claim(levels, 6, "count", id="d")], box=dirty)
    assert time.verdict == claims.UNDECIDED and time.value is None
    assert time.reason.startswith("Every trial was disturbed")
    assert count.verdict == claims.REPRODUCED


def test_a_later_clean_attempt_takes_the_place_of_a_disturbed_one(ledger):
    rows = timed([(50, 1)], polluted=1)
    timed([(2, 1)], results=rows, attempt=1)
    (verdict,) = ledger([claim()], box=rows)
    assert verdict.value == 2 and verdict.verdict == claims.REPRODUCED


def test_instrumented_rows_have_no_times(ledger):
    (verdict,) = ledger([claim()], box=timed([(2, 1)], instrumented=1))
    assert verdict.verdict == claims.MISSING
    leaf = {"over": "only", "of": {"each": "most", "of": {"rows": {}, "instrumented": True}}}
    with pytest.raises(ClaimError, match="c: time_ms of instrumented rows"):
        ledger([claim(leaf)])


def test_a_failed_search_spoils_its_cell(ledger):
    rows = timed([(2, 1), (2, 1)])
    for graph in ("a", "b"):
        timed([(9, 1)], graph=graph, results=rows)
    rows.run("fast", None, graph="a", source=9, status="oom")
    (verdict,) = ledger([claim(paper_graphs=["*"])], box=rows)
    assert verdict.value == pytest.approx(math.sqrt(18))  # of own and b
    assert "a (OOM)" in verdict.reason
    rows.run("fast", None, graph="b", source=9, status="timeout")
    (verdict,) = ledger([claim(paper_graphs=["*"])], box=rows)
    assert verdict.verdict == claims.UNDECIDED and "More than half" in verdict.reason
    failed = {"over": "sum", "of": {"each": "most",
                                    "of": {"rows": {"case": "fast"}, "of": "failed"}}}  # fmt: skip
    (verdict,) = ledger([claim(failed, 2, "exact", paper_graphs=["*"])])
    assert verdict.value == 2 and verdict.verdict == claims.REPRODUCED


def test_a_machine_that_cannot_run_a_case_neither_disagrees_nor_makes_the_headline(ledger):
    """Four GPUs on a machine of two, which has more sources."""
    none, some = Results(dict(SPEC)), timed([(2, 1)])
    for source in range(9):
        none.run("slow", 2, graph=OWN, source=source)
        none.run("fast", None, graph=OWN, source=source, status="unsupported")
    verdicts = ledger([claim()], a=none, b=some)
    assert [v.verdict for v in verdicts] == [claims.UNDECIDED, claims.REPRODUCED]
    assert [v.machine for v in claims.headlines(verdicts)] == ["b"]
    assert not any(v.disagreeing for v in verdicts)


def test_missing_rows_name_the_command_and_its_minutes(ledger):
    settings = {"sweep.threads": [1, 2]}
    asked = []

    def estimated(*said):
        asked.append(said)
        return Estimate("bfslab run it", 12.5, "By check.")

    (verdict,) = ledger([claim(settings=settings, caveats=["It is big."])], estimated)
    assert (verdict.verdict, verdict.command, verdict.minutes) == ("missing", "bfslab run it", 12.5)
    assert verdict.reason == "There are no rows here yet. By check. It is big."
    assert verdict.value is None and verdict.machine == ""
    assert asked[0][:2] == ("e", settings) and asked[0][2].endswith("/results/$(hostname)")
    one = {"rows": {"case": "fast"}}
    half = {"over": "only", "of": {"each": "most", "of": one}}
    whole, part = ledger([claim(), claim(half, id="d")], box=timed([(2, 1)], graph=OWN))
    assert whole.value == 2 and part.value == 1
    rows = Results(dict(SPEC))
    rows.run("fast", 1, graph=OWN)
    whole, part = ledger([claim(), claim(half, id="d")], box=rows)
    assert whole.verdict == claims.MISSING and part.value == 1  # one of its cases has no rows


def test_commands_and_estimates_of_missing_rows():
    said = "  time        about 1,016 s of traversals, without loading and checking"
    assert minutes_in(said) == pytest.approx(1016 / 60)
    assert minutes_in("  time        about 2.5 h of traversals") == 150
    assert minutes_in("no time") is None
    found = estimate("cs406-table5", {"sweep.threads": [1, 2], "n": "x"}, "'my results'")
    assert found.command == (
        "bfslab run experiments/cs406/table5.json --results 'my results' "
        "--set 'sweep.threads=[1,2]' --set n=x"
    )
    assert found.minutes is None or "check" in found.source  # no machine ran it so
    for name in ("xbfs-fig11-standins", "xbfs-fig16-standins"):  # no verdict has the latter's rows
        found = estimate(name, {}, "out")
        assert found.minutes > 0 and found.source == "The minutes are those that it took on h200."
    found = estimate("xbfs-fig5", {}, "out")
    assert found.command == "make benchmarks PROGRAMS=frontier_generation_benchmark RESULTS=out"
    assert found.minutes is None and "do not say how long" in found.source
    assert "no spec here is called none" in estimate("none", {}, "out").source


@pytest.mark.parametrize(
    ("status", "output", "errors", "minutes", "said"),
    [
        (0, "  time  about 3 min here", "", 3, "`bfslab check` estimates"),
        (0, "  CANNOT RUN HERE: xbfs: no GPU is here; its rows will read\n  time  not known", "",
         None, "because none of its engines can run here: no GPU is here."),
        (0, "  CANNOT BE MADE: kronecker:scale=33: it is too large; its rows will read\n", "",
         None, "because none of its engines can run here: it is too large."),
        (2, "", '--set graphs=["a:b"]: at `graphs[0]`: scale is "33", expected 1 to 31',
         None, 'check` refuses the command: at `graphs[0]`: scale is "33", expected 1 to 31.'),
        (2, "  time  about 3 min here", "e.json: graph a: no address of it is known", None,
         "because `bfslab check` refuses the command: e.json: graph a: no address"),
    ],
)  # fmt: skip
def test_who_says_how_long_missing_rows_take_or_why_nobody_does(
    tmp_path, monkeypatch, status, output, errors, minutes, said
):
    monkeypatch.setattr(estimates, "ROOT", tmp_path)
    spec = EXPERIMENTS / "xbfs/fig16.json"
    estimates._checked.cache_clear()
    assert estimates._checked(spec, ()) == (None, estimates.UNBUILT)
    program = tmp_path / "build/release/bfslab"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/usr/bin/env python3\nimport sys\nprint({output!r})\n"
                       f"print({errors!r}, file=sys.stderr)\nsys.exit({status})\n")  # fmt: skip
    program.chmod(0o755)
    estimates._checked.cache_clear()
    found, source = estimates._checked(spec, ())
    estimates._checked.cache_clear()
    assert found == minutes and said in source


def test_no_claim_is_missing_without_its_minutes_or_the_reason_why_there_are_none(tmp_path):
    """Over no rows at all, so that every claim of the papers is missing."""
    for verdict in claims.evaluate(tmp_path):
        assert verdict.verdict == claims.MISSING
        assert verdict.command, verdict.id
        why = "There is no estimate" in verdict.reason or estimates.UNTIMED in verdict.reason
        assert why == (verdict.minutes is None), (verdict.id, verdict.reason)


@pytest.mark.skipif(not shutil.which("make"), reason="needs make")
@pytest.mark.parametrize("experiment", sorted(benchmarks.PROGRAMS))
def test_commands_of_microbenchmarks_are_those_of_the_makefile(experiment, tmp_path):
    options = ["--benchmark_out=/elsewhere/benchmark.json", "--benchmark_filter=a b|c$"]
    for command in (
        estimate(experiment, {}, "'my results'").command,
        benchmarks.command_of(experiment, options) + " RESULTS='my results'",
    ):
        run = subprocess.run(f"{command} --dry-run", shell=True, cwd=ROOT, capture_output=True,
                             text=True)  # fmt: skip
        assert run.returncode == 0, run.stderr
        program = benchmarks.PROGRAMS[experiment]
        assert f"build.sh --tests benchmarks {program}\n" in run.stdout
        assert f'--out "my results" {program}\n' in run.stdout
    made = subprocess.run(
        ["make", "--silent", "--no-print-directory", "-f", "-",
         *shlex.split(benchmarks.command_of(experiment, options))[2:], "show"],
        input="export BENCHMARK_ARGS\nshow:\n\t@printenv BENCHMARK_ARGS\n",
        capture_output=True, text=True,
    )  # fmt: skip
    assert shlex.split(made.stdout) == ["--benchmark_filter=a b|c$"]


def test_what_compares_machines_has_a_command_for_each_of_them(ledger):
    asked = []

    def estimated(*said):
        asked.append(said[2])
        return Estimate(f"run --results {said[2]}", 2.0, "As before.")

    compared = claim(machines=["a", "b"])
    (verdict,) = ledger([compared], estimated, b=timed([(2, 1)]))
    first, second = verdict.command.splitlines()
    assert first.endswith("/results/a  # on a")
    assert second.endswith("/results/b  # on b, whose rows are here")
    assert verdict.minutes == 2 and "each of them needs a command of its own" in verdict.reason
    assert all(f"`{line}`" in output._why(verdict) for line in (first, second))
    assert output._why(verdict).endswith("(about 2 min each)")


def test_minutes_of_recorded_rows_leave_out_the_time_between_two_runs(ledger):
    rows = Results(dict(SPEC))
    for case, time in (("slow", 2), ("fast", 1)):
        rows.run(case, time, graph=OWN, source=0)
    for row, end in zip(rows.runs, ("10:00:00", "10:01:30"), strict=True):
        row |= {"utc": f"2026-01-02T{end}Z", "setup_ms": 1000}
    rows.run("fast", 1, graph=OWN, source=0, repeat=1, utc="2026-01-03T09:00:00Z")
    rows.graph(OWN, 5, 9, load_ms=26_998)
    (verdict,) = ledger([claim()], box=rows)
    assert verdict.minutes == pytest.approx((26.998 + 1 + 0.002 + 90) / 60)


def test_several_machines_have_a_verdict_each(ledger):
    verdicts = ledger([claim()], b=timed([(2, 1)], graph=OTHER), a=timed([(0.5, 1)], graph=OTHER),
                      c=timed([(1.5, 1)]))  # fmt: skip
    assert [(v.machine, v.verdict) for v in verdicts] == [
        ("a", claims.REFUTED_ON_STAND_INS), ("b", claims.REPRODUCED_ON_STAND_INS),
        ("c", claims.SAME_DIRECTION),
    ]  # fmt: skip
    assert [v.machine for v in claims.headlines(verdicts)] == ["c"]  # the paper's own graph
    assert verdicts[0].disagreeing == ("b: reproduced on stand-ins", "c: same direction")
    assert verdicts[2].reason.endswith(
        "Machines disagree: a: refuted on stand-ins; b: reproduced on stand-ins."
    )


def test_neither_what_a_verdict_says_nor_its_machine_makes_it_a_headline():
    """The paper's own graphs, then the most sources and processes, then the newest."""

    def verdict(said, machine, **facts):
        more = {"on_stand_ins": True, "sources": 4, "invocations": 1, "measured": "2026-01-01"}
        none = dict.fromkeys((f.name for f in fields(claims.Verdict)), "")
        return claims.Verdict(**none | {"id": "c", "trials": 1} | more | facts
                              | {"verdict": said, "machine": machine})  # fmt: skip

    ranks = [{}, {"measured": "2026-01-02"}, {"invocations": 3}, {"sources": 16},
             {"on_stand_ins": False, "sources": 1}]  # fmt: skip
    ranks = [one | {"value": 1.0} for one in ranks]
    ranks.insert(0, ranks[-1] | {"value": None})  # without a number
    for at, better in enumerate(ranks):
        for worse in ranks[:at]:
            for said in itertools.permutations(claims.VERDICTS, 2):
                for names in (("a", "b"), ("b", "a")):
                    two = [
                        verdict(said[0], names[0], **better),
                        verdict(said[1], names[1], **worse),
                    ]
                    for order in (two, two[::-1]):
                        assert claims.headlines(order) == [two[0]]


def test_rows_on_the_papers_graphs_are_read_before_others_of_the_machine(ledger):
    """Whatever the order in which the claim lists the experiments."""
    stand_in, own = timed([(2, 1)], graph="s", stand_in_for=OWN), timed([(3, 1)])
    own.spec["name"] = "f"
    (verdict,) = ledger([claim(experiments=["e", "f"])], box=[stand_in, own])
    assert verdict.value == pytest.approx(3) and not verdict.on_stand_ins


def test_the_first_experiment_with_rows_is_read(ledger):
    first, second = timed([(2, 1)]), timed([(3, 1)])
    second.spec["name"] = "f"
    (verdict,) = ledger([claim(experiments=["f", "e"])], box=[first, second])
    assert verdict.value == pytest.approx(3) and verdict.experiment == "f"
    first.runs = [row for row in first.runs if row["case"] == "slow"]
    (verdict,) = ledger([claim(experiments=["e", "f"])], box=[first, second])
    assert verdict.experiment == "f"


def test_a_claim_about_machines_compares_them(ledger):
    leaves = [{"rows": {"case": "fast"}, "machine": machine} for machine in ("old", "new")]
    value = {"over": "only", "of": {"each": "geometric mean", "of": {"ratio": leaves}}}
    entry = claim(value, machines=["old", "new"])
    (verdict,) = ledger([entry], old=timed([(1, 4), (1, 8)] * 2))
    assert verdict.verdict == claims.MISSING
    (verdict,) = ledger([entry], new=timed([(1, 2), (1, 4)] * 2))
    assert verdict.value == pytest.approx(2) and verdict.interval == pytest.approx((2, 2))
    assert verdict.machine == "old, new"


def test_levels_by_direction_after_the_first_and_one_by_one(ledger):
    rows = Results(dict(SPEC))
    for case, directions, checked in (("down", "ddd", (1, 90, 4)), ("up", "uuu", (80, 5, 6))):
        trial = rows.run(case, graph=OWN, instrumented=1)
        for level, (way, edges) in enumerate(zip(directions, checked, strict=True)):
            direction = {"d": "top_down", "u": "bottom_up"}[way]
            rows.level(trial, level, edges, direction=direction, found_early_vertices=level)

    def leaf(case, of="edges_checked", levels=None, **more):
        return {"rows": {"case": case}, "levels": levels or {}, "of": of} | more

    def total(one):
        return {"over": "only", "of": {"each": "median", "of": one}}

    by_level = [{"each": "median", "of": leaf(case, by_level=True)} for case in ("down", "up")]
    entries = [
        claim(total(leaf("down")), 95, "count"),
        claim(total(leaf("up", "found_early_vertices", {"after_first": "bottom_up"})), 1, "count"),
        claim({"over": "sum", "of": {"least of": by_level}}, 1 + 5 + 4, "count"),
        claim(total(leaf("down", levels={"direction": "bottom_up"}, none=0)), 0, "exact"),
        claim({"over": "only", "of": {"pick": ["0"], "of": by_level[1]}}, 80, "exact"),
    ]
    for k, entry in enumerate(entries):
        entry["id"] = f"c{k}"
    verdicts = ledger(entries, box=rows)
    assert [v.value for v in verdicts] == [95, 1, 10, 0, 80]
    assert {v.verdict for v in verdicts} == {claims.REPRODUCED}


def test_levels_are_counted_once_however_many_members_tell_them(ledger):
    """Level 1 has two members' rows with finds, level 2 one, and levels 0 and 3 none."""
    rows = Results(dict(SPEC))
    trial = rows.run("split", graph=OWN, instrumented=1)
    for level, found in enumerate(((0, 0), (3, 20), (0, 7), (0, 0))):
        for gpu, each in enumerate(found):
            rows.level(trial, level, 5, gpu=gpu, part="dd", found_vertices=each)
            rows.level(trial, level, 5, gpu=gpu, part="nn", found_vertices=9)
    leaf = {"rows": {"case": "split"}, "of": "level", "over_levels": "count",
            "levels": {"part": "dd", "found_vertices": "[1-9]*"}}  # fmt: skip
    entry = claim({"over": "only", "of": {"each": "median", "of": leaf}}, 2, "exact")
    (verdict,) = ledger([entry], box=rows)
    assert (verdict.value, verdict.verdict) == (2, claims.REPRODUCED)


def test_measures_sweeps_and_shares(ledger):
    rows = Results(dict(SPEC))
    for threads, time in ((1, 8), (2, 4), (4, 5)):
        rows.run("fast", time, graph=OWN, toggles=f"threads={threads}")
        rows.run("fast", 2 * time, graph=OTHER, toggles=f"threads={threads}")
    counted = rows.run("count", graph=OWN, source="", instrumented=1)
    for rank in (0, 1):
        rows.measures.append({"trial": counted, "rank": rank, "part": "phase,gpu=0",
                              "metric": "bytes", "value": 3, "unit": "B"})  # fmt: skip
    swept = {"each": "median", "of": {"rows": {"case": "fast"}, "by": ["threads"]}}
    speedup = {"ratio": [{"pick": ["1"], "of": swept}, swept]}
    measure = {"rows": {"case": "count"}, "measure": "bytes", "part": "phase*"}
    entries = [
        claim({"over": "most", "of": speedup}),
        claim({"share": {"at_least": 1.6}, "of": speedup}, 4 / 6, "exact"),
        claim({"count": {"above": 1.6}, "of": speedup}, 2, "exact"),
        claim({"over": "sum", "of": {"over": "least", "across": "threads", "of": swept}}, 12),
        claim({"over": "only", "of": {"each": "sum", "of": measure}}, 6, "count"),
        claim({"over": "harmonic mean", "of": {"pick": ["1"], "of": swept}}, 32 / 3),
        claim({"times": [{"number": 2}, {"minus": [{"number": 3}, {"plus": [
            {"number": 1}, {"number": 0.5}]}]}]}, 3, "exact"),
    ]  # fmt: skip
    for k, entry in enumerate(entries[:-1]):
        entry["id"] = f"c{k}"
    values = [v.value for v in ledger(entries[:-1], box=rows)]
    assert values == pytest.approx([2, 4 / 6, 2, 12, 6, 32 / 3])
    assert described(entries[1]["value"]).startswith("share of cells whose ")


def test_a_microbenchmark_is_compared_size_by_size(ledger, tmp_path):
    folder = tmp_path / "results/box/xbfs-fig5"
    folder.mkdir(parents=True)
    runs = [
        {"name": f"{part}/x", "run_type": "iteration", "real_time": time, "time_unit": "ms",
         "elements": elements, "selectivity": 0.1}
        for elements, times in ((1e6, {"atomic": [1.99, 2, 2, 2.01], "sum": [4] * 4}),
                                (2e6, {"atomic": [4] * 4, "sum": [4] * 4}))
        for part, several in times.items() for time in several
    ]  # fmt: skip
    context = {"experiment": "xbfs-fig5"}
    (folder / "benchmark.json").write_text(json.dumps({"context": context, "benchmarks": runs}))
    # A number that only newer versions write, or only some methods have, may be empty.
    where = {"selectivity": 0.1, "capacity": [2048, ""]}
    one = {part: {"each": "median", "of": {"benchmark": {"part": part} | where,
                                           "of": "time", "by": ["elements"]}}
           for part in ("sum", "atomic")}  # fmt: skip
    value = {"over": "arithmetic mean", "of": {"ratio": [one["sum"], one["atomic"]]}}
    (verdict,) = ledger([claim(value, 1.5, experiments=["xbfs-fig5"])])
    assert verdict.value == pytest.approx((2 + 1) / 2)
    assert verdict.verdict == claims.REPRODUCED and verdict.interval


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"each": "median", "of": TIMES}, "several numbers"),
        ({"over": "sum", "of": TIMES}, '"over" wants one number a cell'),
        ({"each": "sum", "of": {"number": 1}}, '"each" wants numbers by source'),
        ({"over": "only", "of": {"each": "sum", "of": {"rows": {}, "by": ["case"]}}}, "2 cells"),
        ({"over": "only", "of": {"each": "sum", "of": {"rows": {"what": 1}}}}, "no column 'what'"),
        ({"over": "only", "of": {"each": "sum", "of": {"rows": {}, "of": "x"}}}, "no column 'x'"),
        ({"sum": 1}, "one operation"),
    ],
)
def test_a_claim_that_is_written_wrongly_is_named(ledger, value, message):
    with pytest.raises(ClaimError, match=f"c: .*{message}"):
        ledger([claim(value)], box=timed([(2, 1)]))


def test_limits_by_kind():
    assert reproduced("ratio", 2).bounds(2) == (1.6, 2.5)
    assert reproduced("ratio", 0.4).bounds(0.4) == pytest.approx((0.32, 0.5))
    for near in (1.04, 1.2, 1.5, 1 / 1.2):  # half of the effect at least, so that 1 never passes
        low, high = reproduced("ratio", near).bounds(near)
        assert low == pytest.approx(near / abs(math.sqrt(max(near, 1 / near))))
        assert not low <= 1 <= high
    assert reproduced("equal", 1).bounds(1) == pytest.approx((1 / 1.05, 1.05))
    assert reproduced("share", 23).bounds(23) == (13, 33)
    assert reproduced("share", 12).bounds(12) == (6, 18)  # not as good as nothing
    assert reproduced("rate", 9).bounds(9) == (9, math.inf)
    assert reproduced("exact", 3).allow(3 + 1e-12, 3) and not reproduced("exact", 3).allow(3.1, 3)
    assert same_side(0.5) == Limits(below=1) and same_side(2) == Limits(above=1)
    for kind, value in (("ratio", 1), ("order", 1)):
        with pytest.raises(ClaimError, match=f"the kind {kind} gives no limits for 1"):
            reproduced(kind, value)


def test_what_is_written_and_printed(ledger, tmp_path):
    verdicts = ledger([claim(), claim(id="d", paper=0.1)], a=timed([(2, 1)] * 4))
    md, as_json, as_csv = output.write(verdicts, tmp_path)
    assert "2 claims: 1 reproduced, 1 refuted" in md.read_text() and "**refuted**" in md.read_text()
    assert '"verdict": "refuted"' in as_json.read_text()
    head, *lines = csv.reader(as_csv.read_text().splitlines())
    assert head[-7:] == "disagreeing,kind,printed,lower_limit,upper_limit,low,high".split(",")
    assert [line[-6:-2] for line in lines] == [
        ["ratio", "2.0", str(2 / 1.25), "2.5"],
        ["ratio", "0.1", str(0.1 / 1.25), "0.125"],
    ]
    assert "refuted !" in output.terminal_table(verdicts)


def test_a_limit_that_is_not_there_is_empty_in_every_file(ledger, tmp_path):
    verdicts = ledger([claim(reproduced={"above": 1}, kind="order")], a=timed([(2, 1)] * 4))
    _, as_json, as_csv = output.write(verdicts, tmp_path)
    (one,) = json.loads(as_json.read_text())["verdicts"]
    assert (one["lower_limit"], one["upper_limit"]) == (1, None)
    (row,) = csv.DictReader(as_csv.read_text().splitlines())
    assert (row["lower_limit"], row["upper_limit"]) == ("1", "")


def test_what_claims_rest_on_is_counted_apart(ledger, tmp_path):
    """A formula that agrees does not stand beside a comparison of searches that does."""
    count = {"over": "only", "of": {"each": "most", "of": {"rows": {}, "of": "levels"}}}
    verdicts = ledger([claim(), claim(count, 6, "count", id="d", evidence="count"),
                       claim(count, 7, "count", id="e", evidence="count")],
                      a=timed([(2, 1)]))  # fmt: skip
    head, rows = output.by_evidence(verdicts)
    assert head == ["what claims rest on", "claims", "reproduced", "refuted"]
    assert rows == [
        ["comparisons of searches", "1", "1", ""],
        ["counts and formulas", "2", "1", "1"],
    ]
    for text in (output.terminal_table(verdicts), output.write(verdicts, tmp_path)[0].read_text()):
        assert "counts and formulas" in text


@pytest.mark.parametrize(
    ("filters", "counted"),
    [
        ({"ranks": [1, 2, 4, 8], "gpus_per_rank": [8, 4, 2, 1]}, ["2x4", "8x1"]),
        ({"ranks": [2, 8], "gpus_per_rank": [4, 1]}, ["2x4", "8x1"]),
        ({"ranks": [1, 2], "gpus_per_rank": 1}, ["1x1", "2x1"]),
        ({"ranks": [1, 2], "toggles": {"direction": ["up", "down"]}}, ["1x1", "1x2", "1x4"]),
        ({"gpus_per_rank": [4, 1], "case": ["2*", "1*"]}, ["1x1", "2x4"]),
    ],
)
def test_filters_of_several_columns_are_pairs(loaded, filters, counted):
    """Eight GPUs are never decided by rows of one, two or four."""
    rows = Results(dict(SPEC))
    for ranks, gpus in ((1, 1), (1, 2), (1, 4), (2, 1), (2, 2), (2, 4), (4, 4), (8, 1), (8, 8)):
        rows.run(f"{ranks}x{gpus}", 1, graph=OWN, ranks=ranks, gpus_per_rank=gpus,
                 toggles=f"direction={'up' if ranks == 1 else 'other'}")  # fmt: skip
    leaf = {"rows": filters, "of": "levels", "by": ["case"]}
    found = samples(leaf, loaded(rows))[0]
    assert sorted(key[1] for key in found.cells) == counted
    with pytest.raises(ClaimError, match="lists of ranks, gpus_per_rank are pairs, and differ"):
        samples({"rows": {"ranks": [1], "gpus_per_rank": [1, 2]}}, loaded(rows))


def test_the_command_refuses_what_is_no_folder_of_results(tmp_path, capsys):
    with pytest.raises(SystemExit) as ended:
        main([str(tmp_path / "nowhere")])
    assert ended.value.code == 2 and "is not a folder" in capsys.readouterr().err
    torn = tmp_path / "box/xbfs-fig11"
    torn.mkdir(parents=True)
    (torn / "runs.csv").write_text("a,b\n1,2\n")
    (torn / "spec.json").write_text('{"name": "xbfs-fig11"}')
    assert main([str(tmp_path)]) == 2
    assert "no column" in capsys.readouterr().err


# ---- the claims of the papers

FILES = sorted(EXPERIMENTS.glob("*/claims.json"))
CLAIMS = load_claims()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.parent.name)
def test_claims_satisfy_the_schema(path):
    schema = json.loads((EXPERIMENTS / "claims.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    document = json.loads(path.read_text())
    errors = jsonschema.Draft202012Validator(schema).iter_errors(document)
    assert [f"{list(e.absolute_path)[:2]}: {e.message}" for e in errors] == []
    assert document["paper"] == path.parent.name
    document["claims"][0]["value"] = {"eval": "1 + 1"}
    assert not jsonschema.Draft202012Validator(schema).is_valid(document)


def test_every_paper_has_claims_with_names_of_their_own():
    assert len({claim.paper for claim in CLAIMS}) == 5
    assert len(CLAIMS) >= 60
    assert len({claim.id for claim in CLAIMS}) == len(CLAIMS)
    assert len({claim.text for claim in CLAIMS}) == len(CLAIMS)


# The kind of limit that a claim's words give, by how they start. The words hold the number, too.
WORDED = {"above": "above", "below": "below", "under": "below", "at most": "at_most",
          "at least": "at_least"}  # fmt: skip


def limits_of_words(words):
    """ "under 10 %" gives {"below": 10}, "1.01 to 1.05" both ends, and "about half" nothing."""
    if found := re.fullmatch(r"([\d.]+) to ([\d.]+)", words):
        return {"at_least": float(found[1]), "at_most": float(found[2])}
    found = re.match(rf"({'|'.join(WORDED)}) ([\d.]+)", words)
    return {WORDED[found[1]]: float(found[2])} if found else {}


def own_limits(entry):
    """What a claim's own limits, those of its words, and its kind say against each other."""
    own, worded = entry.get("reproduced", {}), limits_of_words(entry["paper"].get("as", ""))
    if own != worded:
        return f"its limits are {own}, and its words give {worded}"
    if entry["kind"] == "equal" and entry["paper"]["value"] != 1:
        return "nothing but 1 is equal"
    return ""


def test_only_words_give_a_claim_limits_of_its_own():
    entries = [one for path in FILES for one in json.loads(path.read_text())["claims"]]
    assert [one["id"] for one in entries] == [claim.id for claim in CLAIMS]
    faults = {one["id"]: own_limits(one) for one in entries}
    assert {name: fault for name, fault in faults.items() if fault} == {}
    for entry, loaded in zip(entries, CLAIMS, strict=True):
        printed = loaded.printed.value
        if "reproduced" not in entry:
            assert loaded.reproduced == reproduced(entry["kind"], printed), loaded.id
        direction = loaded.same_direction
        assert (direction is not None) == (entry["kind"] == "ratio" and "reproduced" not in entry)
        # No limit lets through the opposite of what the claim says, nor no effect at all.
        for limits in (loaded.reproduced, direction) if direction else ():
            assert not limits.allow(1, printed), loaded.id


@pytest.mark.parametrize(
    ("told", "words", "fault"),
    [
        (claim(reproduced={"at_least": 1.5}), "", "its words give {}"),
        (claim(kind="share", paper=43, reproduced={"at_most": 50}), "43 %", "its words give {}"),
        (claim(kind="share", paper=10, reproduced={"below": 20}), "under 10 %", "{'below': 10.0}"),
        (claim(kind="order", paper=1, reproduced={"at_least": 1}), "above 1", "{'above': 1.0}"),
        (claim(kind="share", paper=10), "under 10 %", "{'below': 10.0}"),
        (claim(kind="ratio", paper=1.03, reproduced={"at_least": 1}), "1.01 to 1.05", "1.05"),
        (claim(kind="equal", paper=1.1), "close to the best", "nothing but 1 is equal"),
        (claim(kind="order", paper=1.06, reproduced={"at_most": 1.06}), "at most 1.06", ""),
        (claim(), "about half", ""),
        (claim(), "", ""),
    ],
)
def test_limits_that_no_words_give_are_found(told, words, fault):
    found = own_limits(told | {"paper": told["paper"] | {"as": words}})
    assert fault in found if fault else found == ""


def test_claims_of_what_every_graph_does_are_exact():
    """ "Every", "all" and a number of graphs have no tolerance."""
    for one in CLAIMS:
        many = re.search(r"\b(every|all) graphs?\b", one.text) or "graphs" in one.printed.words
        assert not many or one.kind == "exact", one.id


def test_a_graph_that_a_claim_names_is_the_one_that_is_read():
    """ "On OR, which suits it most": that graph, and not whichever has the most here."""
    for one in CLAIMS:
        if re.match(r"On [A-Z]{2}\b", one.text) or "which suits it" in one.text:
            rows = [leaf["rows"] for leaf in leaves_of(one.value)]
            assert all("data_set" in filters for filters in rows), one.id
            assert len({str(filters["data_set"]) for filters in rows}) == 1


def test_graphs_of_the_papers_are_data_sets_or_generated_at_a_scale_that_is_named():
    for one in CLAIMS:
        for graph in one.paper_graphs:
            generated = ":" in graph
            # A formula of the generator holds at the paper's scale, whatever the row's graph.
            formula = one.evidence == "count" and graph == "kronecker:*"
            assert not generated or "scale=" in graph or formula, (one.id, graph)


def papers(*names):
    """Entries as the papers' files have them, for rows of the experiment "e"."""
    entries = [one for path in FILES for one in json.loads(path.read_text())["claims"]]
    return [one | {"experiments": ["e"]} for one in entries if one["id"] in names]


def test_shares_of_figure_13_are_signed_and_of_paired_sources(ledger):
    """Without scan-free searches are 10 % faster. The gains -0.1, 0.2, 0.4 and 0.5 add up to 1, and
    that of single-scan is only a geometric mean of pairs: the longest search gains nothing."""
    factors = {"XBFS": 1, "Without scan-free": 0.9, "Without single-scan": 1.2,
               "Without no-generation": 1.4, "Without double-scan": 1.5}  # fmt: skip
    rows = Results(dict(SPEC))
    for case, factor in factors.items():
        for source, time in enumerate((1, 100, 7)):
            uneven = (1.2**1.5, 1, 1.2**1.5)[source] if "single" in case else factor
            rows.run(case, time * uneven, graph=OWN, source=source)
    names = [f"xbfs-fig13-{part}" for part in ("scan-free", "single-scan", "no-generation",
                                               "double-scan", "largest")]  # fmt: skip
    verdicts = {v.id: v.value for v in ledger(papers(*names), box=rows)}
    assert [verdicts[name] for name in names] == pytest.approx([-10, 20, 40, 50, 1.5 / 1.4])


def test_the_best_of_the_gpu_is_compared_with_the_best_of_the_cpu(ledger):
    """On one graph of two the GPU's best is faster; what failed, and one CPU thread, count not."""
    rows = Results(dict(SPEC))
    for graph, data_set, gpu in (("a", "rmat-er", 3), ("b", "europe_osm", 7)):
        facts = {"graph": graph, "stand_in_for": data_set}
        rows.run("Top-down", gpu, engine="cs406-cuda", **facts)
        rows.run("Bottom-up", None, engine="cs406-cuda", status="timeout", **facts)
        rows.run("Hybrid", 9, engine="cs406-cuda", **facts)
        for threads, time in ((1, 1), (8, 6), (16, 8)):
            case = f"Hybrid, {threads} threads"
            rows.run(case, time, engine="cs406-cpu", toggles=f"threads={threads}",
                     threads=threads, **facts)  # fmt: skip
    for row in [*rows.runs]:
        for source in (1, 2, 3):
            rows.runs.append(row | {"source": source, "trial": len(rows.runs)})
    (verdict,) = ledger(papers("cs406-gpu-best"), box=rows)
    assert verdict.value == 50 and verdict.verdict == claims.REFUTED_ON_STAND_INS
    rows.runs = [row for row in rows.runs if "8" not in row["case"] and "16" not in row["case"]]
    (verdict,) = ledger(papers("cs406-gpu-best"), box=rows)
    assert verdict.verdict == claims.MISSING


def test_claims_name_experiments_figures_and_cases_that_exist():
    benchmarks = {"xbfs-fig5", "dfq-contention"}
    wrong = []
    for one in CLAIMS:
        if one.figure not in module_names():
            wrong.append(f"{one.id}: no figure {one.figure}")
        described(one.value)
        for name in set(one.experiments) - benchmarks:
            spec = resolved(spec_file(name))
            known = {*spec.get("cases", {}), *one.settings.get("cases", {})}
            for leaf in leaves_of(one.value):
                case = leaf["rows"].get("case")
                options = case if isinstance(case, list) else [case]
                if case is not None and not any(_is(k, o) for k in known for o in options):
                    wrong.append(f"{one.id}: {name} has no case {case}")
    assert not wrong, "\n".join(wrong)


def test_larger_sub_queues_are_all_that_the_specs_measure_beyond_the_smallest():
    (claim,) = [one for one in CLAIMS if one.id == "dfq-fig7-average"]
    for name in claim.experiments:
        smallest, *larger = sorted(resolved(spec_file(name))["sweep"]["capacity"])
        several = [leaf["rows"]["toggles"]["capacity"] for leaf in leaves_of(claim.value)
                   if "capacity" in leaf["rows"]["toggles"]]  # fmt: skip
        assert several == [larger]
        assert claim.value["of"]["ratio"][0]["pick"] == [str(smallest)]


PROGRAM = Path(os.environ.get("BFSLAB_BIN", ROOT / "build/release/bfslab"))


@pytest.mark.skipif(not PROGRAM.exists(), reason="bfslab is not built")
def test_the_program_takes_the_command_of_every_claim():
    """Downloads aside."""
    commands = {}
    for one in CLAIMS:
        name = one.experiments[0]
        if not benchmarks.command_of(name):
            changes = [word for key, value in one.settings.items()
                       for word in ("--set", f"{key}={estimates._setting(value)}")]  # fmt: skip
            commands.setdefault((spec_file(name), *changes), []).append(one)
    wrong = []
    for words, several in commands.items():
        run = subprocess.run(
            [PROGRAM, "check", "--offline", *words], capture_output=True, text=True
        )
        refused = run.returncode != 0 and "download" not in run.stderr
        wrong += [f"{one.id}: {run.stderr.strip()}" for one in several if refused]
    assert not wrong, "\n".join(wrong)
