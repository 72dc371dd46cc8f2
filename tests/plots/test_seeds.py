# SPDX-License-Identifier: Apache-2.0
"""Seeds of a stand-in are one graph, and their sources those of all seeds."""

from results_builder import Results

from plots import stats
from plots.cells import time_cell
from plots.figures import speedup_bars
from plots.labels import stand_in_note
from plots.load import load_experiment
from plots.seeds import seed_of, without_seed

SEEDS = ("", ",seed=2", ",seed=3")
GRAPH = "appu-standin,relabel=shuffle"


def made(seeds=SEEDS):
    results = Results({"name": "e", "title": "t", "graphs": ["appu,relabel=shuffle"],
                       "cases": {"slow": {}, "fast": {}}, "baseline": "slow"})  # fmt: skip
    for k, seed in enumerate(seeds):
        facts = {"graph": f"appu-standin{seed},relabel=shuffle", "graph_hash": f"h{k}"}
        results.graph(facts["graph"], 1000, 16000, graph_hash=f"h{k}", stand_in_for="appu")
        for source in range(4):
            for case, time in (("slow", 8.0 + k), ("fast", (8.0 + k) / (2 + k))):
                results.run(case, time, source=source, stand_in_for="appu", **facts)
    return results


def test_a_name_is_parted_from_its_seed():
    assert without_seed("appu-standin,seed=2,relabel=shuffle") == GRAPH
    assert seed_of("appu-standin,seed=12") == 12
    # The seed of a generator, and of a file, is a part of the name.
    for name in ("kronecker:scale=9,seed=2", "file:a-standin,seed=2", "appu-standin", "appu"):
        assert without_seed(name) == name and seed_of(name) == 1


def test_the_sources_of_all_seeds_are_those_of_one_graph(tmp_path):
    experiment = load_experiment(made().write(tmp_path / "box/e"))
    assert set(experiment.runs["graph"]) == {GRAPH} == set(experiment.graphs["graph"])
    assert experiment.graph_order == [GRAPH] and experiment.seeds == {GRAPH: 3}
    assert experiment.runs["source"].nunique() == 12
    cell = time_cell(experiment.timed_cell(GRAPH, "slow"))
    assert sorted(cell.times_ms) == [8.0] * 4 + [9.0] * 4 + [10.0] * 4
    assert stand_in_note(experiment, [GRAPH]).endswith("for appu (3 seeds, pooled).")


def test_the_interval_covers_the_choice_of_the_seed(tmp_path):
    def ratio(seeds):
        experiment = load_experiment(made(seeds).write(tmp_path / f"box{len(seeds)}/e"))
        cells = [time_cell(experiment.timed_cell(GRAPH, case)) for case in ("slow", "fast")]
        return stats.mean_ratio(stats.paired_ratios(*(cell.times_ms for cell in cells)))

    one, three = ratio(SEEDS[:1]), ratio(SEEDS)
    assert one.value == 2.0 and one.high == one.low
    assert abs(three.value - (2 * 3 * 4) ** (1 / 3)) < 1e-9
    assert three.low < three.value < three.high


def test_a_figure_has_one_place_for_all_seeds(tmp_path):
    experiment = load_experiment(made().write(tmp_path / "box/e"))
    (drawn,) = speedup_bars.draw([experiment])
    assert set(drawn.numbers["graph"]) == {GRAPH}
    assert "(3 seeds, pooled)" in drawn.caption
