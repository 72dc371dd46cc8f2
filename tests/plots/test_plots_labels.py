# SPDX-License-Identifier: Apache-2.0
"""Labels and numbers of crowded figures do not touch one another, by the extents of their texts."""

import json
import math

import pytest
from matplotlib.text import Annotation
from results_builder import Results

from plots import catalog, grouped_bars, labels, style
from plots.figures import engines_by_graph, speedup_bars
from plots.grouped_bars import Bar
from plots.load import load_experiment

LONG = "rmat:vertices=1048576,edges=4194304,a=0.25,b=0.25,c=0.25"
NAMES = [LONG, "kronecker:scale=20,symmetrize=false", "hub_and_chain:spokes=2000000,length=200"]


@pytest.fixture(autouse=True)
def house_style():
    style.use()


def load(results, tmp_path):
    return load_experiment(results.write(tmp_path / "box" / results.spec["name"]))


def overlapping_labels(axes):
    """Of turned labels: those whose lines reach into the line on which the next label stands."""
    axes.figure.draw_without_rendering()
    labels = axes.get_xticklabels()
    ends = axes.transData.transform([(0, 0), (1, 0)])
    apart = (ends[1][0] - ends[0][0]) * math.sin(math.radians(labels[0].get_rotation()))
    for label in labels:
        label.set_rotation(0)  # then its extent's height is what its lines take across
    return [a.get_text() for a in labels[:-1] if a.get_window_extent().height > apart]


def test_crowded_labels_are_turned_further_and_then_become_one_line():
    for groups, turned, joined in ((["a\nb"] * 9, 35, False), (["a\nb"] * 20, 60, False),
                                   (["a"] * 20, 35, False), (["a\nb"] * 24, 60, True),
                                   (["a"] * 40, 60, False), (["a\nb"] * 50, 90, True)):  # fmt: skip
        axes = style.new_figure(7, 2).subplots()
        grouped_bars.draw(axes, groups, {"x": [Bar(1.0)] * len(groups)})
        label = axes.get_xticklabels()[0]
        assert label.get_rotation() == turned
        assert label.get_text() == (groups[0].replace("\n", " ") if joined else groups[0])
        assert axes.figure.get_figheight() == 2  # short labels take no room
        assert overlapping_labels(axes) == []
        half = style.new_figure(7, 2).subplots(1, 2)[0]
        nine = grouped_bars.turned(half, groups[:9])
        assert nine == (60 if "\n" in groups[0] else 35, False)


@pytest.mark.parametrize("count", [3, 6, 8, 10, 12, 16, 20, 24, 30, 48])
def test_names_of_graphs_stay_apart_and_leave_the_times_their_height(tmp_path, count):
    graphs = [NAMES[k % 3] if k % 2 else f"snap:graph-{k}" for k in range(count - 1)]
    graphs = [f"{graph},seed={k}" for k, graph in enumerate(graphs)] + [LONG]
    made = Results({"name": "x", "graphs": graphs, "cases": {"A": {}}})
    for graph in graphs:
        made.run("A", 2.0, graph=graph, graph_hash=graph)
        made.run("A", 3.0, graph=graph, graph_hash=graph, source=8)
    axes = engines_by_graph.draw([load(made, tmp_path)])[0].figure.axes[0]
    shown = " ".join(label.get_text() for label in axes.get_xticklabels()).split()
    assert shown.count("edges=4194304") == sum("rmat" in graph for graph in graphs)
    if axes.get_xticklabels()[0].get_rotation():
        assert overlapping_labels(axes) == []
    axes.figure.draw_without_rendering()
    assert axes.get_window_extent().height / axes.figure.dpi > 0.9


@pytest.mark.parametrize(("cases", "turned"), [(2, 0), (5, 90), (8, 90), (20, 90)])
def test_numbers_over_the_bars_of_means_stay_apart(tmp_path, cases, turned):
    names = [f"case {k}" for k in range(cases)]
    graphs = [f"kronecker:scale={scale}" for scale in (16, 17, 18, 19)]
    made = Results({"name": "x", "graphs": graphs, "baseline": "Base",
                    "cases": {"Base": {}} | {name: {} for name in names}})  # fmt: skip
    for graph in graphs:
        facts = {"graph": graph, "graph_hash": graph}
        made.run("Base", 10.0, **facts)
        for k, name in enumerate(names):
            made.run(name, 15.0 + k / 7, **facts)
    drawing = speedup_bars.draw([load(made, tmp_path)])[0]
    drawing.figure.draw_without_rendering()
    texts = [text for text in drawing.figure.axes[0].texts if isinstance(text, Annotation)]
    boxes = [text.get_window_extent() for text in texts]
    assert len(texts) == cases and texts[0].get_text() == "0.667"
    assert not any(a.overlaps(b) for k, a in enumerate(boxes) for b in boxes[k + 1 :])
    assert {text.get_rotation() for text in texts} == {turned}


@pytest.mark.parametrize(
    ("graph", "shown"),
    [
        ("snap:wiki-Vote,symmetrize=false", "wiki-Vote (directed)"),
        ("file:a,b.txt", "a,b.txt"),
        ("file:/data/x, y/a,b.txt", "a,b.txt"),
        ("file:a,b=c.txt,relabel=degree", "a,b=c.txt (relabel=degree)"),
        ("file:k=1.txt", "k=1.txt"),
        ("local:a,relabel=degree,b", "a,relabel=degree,b"),
        ("file:a,symmetrize=false,relabel=degree", "a (directed, relabel=degree)"),
        ("kronecker:scale=16,edge_factor=8", "kronecker scale=16 edge_factor=8"),
        ("rmat:a=0.25,b=0.25,relabel=degree", "rmat a=b=0.25 relabel=degree"),
        ("soc-Epinions1", "soc-Epinions1"),
    ],
)
def test_names_of_graphs_are_shown_whole(graph, shown):
    assert labels.graph_name(graph) == shown


@pytest.mark.parametrize(
    ("graph", "name"),
    [
        ("com-lj,relabel=degree", "com-lj-standin,relabel=degree"),
        ("snap:com-lj", "com-lj-standin"),
        ("a,b", "a,b-standin"),
        ("a,b,symmetrize=false,relabel=random,relabel_seed=3",
         "a,b-standin,symmetrize=false,relabel=random,relabel_seed=3"),
    ],
)  # fmt: skip
def test_a_stand_in_keeps_the_options_of_its_graph(graph, name):
    assert catalog.stand_in(graph) == name


def test_the_options_of_graphs_are_those_of_the_program():
    schema = json.loads((catalog.DATA / "experiments/spec.schema.json").read_text())
    text = json.dumps(schema)
    assert [name for name in catalog._OPTIONS if name not in text] == []
