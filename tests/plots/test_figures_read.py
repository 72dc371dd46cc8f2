# SPDX-License-Identifier: Apache-2.0
"""Figures that a reader can take at their word: the paper's bars are grey, colours keep their
meaning, axes without a zero have no bars, and many configurations have names instead of colours."""

from pathlib import Path

import pytest
from kernel_rows import add_kernels
from matplotlib.colors import to_hex, to_rgb
from matplotlib.container import BarContainer
from results_builder import Results, from_spec

from plots import style
from plots.figures import (
    best_of_repeats,
    direction_shares,
    edges_per_level,
    engines_by_graph,
    level_timeline,
    sequential_benchmarks,
    speedup_bars,
    technique_breakdown,
)
from plots.load import load_experiment
from plots.specs import resolved

ROOT = Path(__file__).resolve().parents[2]
GRAPHS = ["kronecker:scale=16", "kronecker:scale=18"]


def load(results: Results, folder: Path):
    return load_experiment(results.write(folder / "box" / results.spec["name"]))


def of_spec(path: str, folder: Path):
    return load(from_spec(resolved(ROOT / f"experiments/{path}.json")), folder)


def bars_of(figure, color: str) -> list[float]:
    """The heights of the bars of a colour."""
    return [bar.get_height() for axes in figure.axes for bar in axes.patches
            if to_hex(bar.get_facecolor()) == to_hex(color)]  # fmt: skip


@pytest.mark.parametrize(
    ("path", "module", "printed"),
    [
        ("xbfs/fig11", speedup_bars, [2.3, 3.1, 3.5]),
        ("xbfs/fig13", technique_breakdown, [18, 15.7, 11.4, 54.9]),
        ("cs406/table1", sequential_benchmarks, [3.75, 0.822, 1.56, 2.42]),
    ],
)
def test_the_papers_bars_are_grey_and_have_its_numbers(path, module, printed, tmp_path):
    figure = module.draw([of_spec(path, tmp_path)])[0].figure
    foot = 0 if module is technique_breakdown else 1
    drawn = [height + foot for height in bars_of(figure, style.PAPER)]
    assert sorted(value for value in drawn if value == value) == pytest.approx(
        sorted(printed), rel=0.01
    )
    names = [text.get_text() for text in figure.legends[0].get_texts()]
    assert names.count("paper") == 1


def many(count: int, folder: Path, sweep: bool):
    made = Results({"name": "x", "graphs": GRAPHS})
    for graph in GRAPHS:
        for k in range(count):
            for source in range(4):
                made.run("A" if sweep else f"case {k}", 1.0 + k, graph=graph, source=source,
                         toggles=f"threshold={2**k}" if sweep else "")  # fmt: skip
    return load(made, folder)


def test_more_configurations_than_colours_are_rows_with_names(tmp_path):
    few = engines_by_graph.draw([many(8, tmp_path / "few", sweep=False)])[0].figure
    assert len(few.axes) == 1 and len(few.legends[0].get_texts()) == 8
    experiment = many(9, tmp_path / "many", sweep=False)
    figure = engines_by_graph.draw([experiment])[0].figure
    assert not figure.legends and len(figure.axes) == len(GRAPHS)
    names = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert names == experiment.series_order
    times = figure.axes[0].lines[0]
    assert list(times.get_xdata()) == [1.0 + k for k in range(9)]
    assert list(times.get_ydata()) == list(range(9))


def test_values_of_a_sweep_are_joined_by_a_line(tmp_path):
    def joined(sweep: bool):
        figure = engines_by_graph.draw([many(9, tmp_path / str(sweep), sweep)])[0].figure
        return [line for line in figure.axes[0].lines if line.get_linestyle() == "-"
                and len(line.get_xdata()) == 9 and line.get_marker() in ("None", "")]  # fmt: skip

    assert len(joined(sweep=True)) == 1 and not joined(sweep=False)


def test_many_graphs_are_rows_with_names_in_one_line(tmp_path):
    graphs = [f"grid:width={k}00,height=2812,removed=0.244" for k in range(1, 15)]
    made = Results({"name": "x", "graphs": graphs})
    for graph in graphs:
        for case in "AB":
            made.run(case, 2.0, graph=graph)
    (axes,) = engines_by_graph.draw([load(made, tmp_path)])[0].figure.axes
    labels = [label.get_text() for label in axes.get_yticklabels()]
    assert len(labels) == 14 and not any("\n" in label for label in labels)


def test_a_reason_to_wait_has_one_colour_in_all_drawings(tmp_path):
    made = Results({"name": "p", "graphs": GRAPHS, "cases": {"Ad": {}}})
    for graph in GRAPHS:
        trial = made.run("Ad", 5.0, graph=graph, engine="xbfs", source=7)
        add_kernels(made, trial)
        if graph == GRAPHS[1]:  # where barriers hold up most
            made.measures = [
                row | {"value": 90} if row["trial"] == trial and row["metric"] == "stall_barrier"
                else row for row in made.measures
            ]  # fmt: skip
    drawings = level_timeline.draw([load(made, tmp_path)])
    looks = []
    for drawing in drawings:
        legend = drawing.figure.axes[3].get_legend_handles_labels()
        looks.append({name: to_hex(h.get_edgecolor()) for h, name in zip(*legend, strict=True)})
    shared = set(looks[0]) & set(looks[1])
    assert next(iter(looks[0])) != next(iter(looks[1])) and {"barrier", "long scoreboard"} <= shared
    assert all(looks[0][name] == looks[1][name] for name in shared)


def test_an_axis_without_a_zero_has_no_bars(tmp_path):
    experiment = of_spec("graph500-romeo/table3_1", tmp_path)
    drawing = next(d for d in edges_per_level.draw([experiment]) if not d.table)
    for axes in drawing.figure.axes:
        assert axes.get_yscale() == "log"
        assert not [c for c in axes.containers if isinstance(c, BarContainer)]


def test_a_single_graph_has_no_average(tmp_path):
    drawings = direction_shares.draw([of_spec("graph500-romeo/figure3_4a_times", tmp_path)])
    (axes,) = drawings[0].figure.axes
    assert not [label for label in axes.get_xticklabels() if "average" in label.get_text()]


def test_the_best_of_each_graph_is_bold_in_its_section(tmp_path):
    made = Results({"name": "x", "graphs": GRAPHS})
    for graph, times in zip(GRAPHS, ((2.0, 1.0), (1.0, 2.0)), strict=True):
        for case, time in zip("AB", times, strict=True):
            made.run(case, time, graph=graph)
    table = best_of_repeats.draw([load(made, tmp_path)])[0].table
    assert table.header == [
        [(name, 1) for name in ("Configuration", "Sources", "Time [ms]", "95 % interval [ms]",
                                "GTEPS ± standard error")]
    ]  # fmt: skip
    sections = [row.cells[0] for row in table.rows if table.is_section(row)]
    assert sections == ["kronecker scale=16", "kronecker scale=18"]
    assert [row.cells[0] for row in table.rows if row.bold] == ["B", "A"]


def test_parts_of_one_stack_differ():
    shades = {style.color(i) for i in range(8)} | {to_hex(style.tint(i)) for i in (3, 2, 1, 7)}
    assert len(shades) == 12
    assert all(sum(style.tint(i)) > sum(to_rgb(style.color(i))) for i in range(8))
