# SPDX-License-Identifier: Apache-2.0
"""Every engine's levels and parents against SciPy's BFS, on generated graphs and on real files that
Python reads by itself."""

import subprocess

import networkx
import numpy as np
import pytest
from graphs import UNREACHED, Oracle, read_edges

# name -> (vertices, directed)
GENERATED = {
    "path:vertices=300": (300, False),
    "star:vertices=200": (200, False),
    "complete:vertices=40": (40, False),
    "binary_tree:vertices=1000": (1000, False),
    "grid:width=40,height=30,removed=0.3": (1200, False),
    "uniform:vertices=3000,edge_factor=2": (3000, False),
    "uniform:vertices=2000,edge_factor=3,symmetrize=false": (2000, True),
    "kronecker:scale=12": (4096, False),
    "kronecker:scale=11,edge_factor=4,symmetrize=false": (2048, True),
}
REAL = ["wiki-Vote", "ca-GrQc", "ca-HepPh", "p2p-Gnutella08", "facebook_combined", "email-Enron"]
DIRECTED = ["wiki-Vote", "p2p-Gnutella08", "soc-Epinions1"]


def compare(rows, oracle: Oracle, source: int) -> None:
    """Levels equal SciPy's; a parent is a neighbour one level up; the source is its own."""
    assert (rows["label"].to_numpy() == oracle.labels).all()
    levels = rows["level"].to_numpy()
    np.testing.assert_array_equal(levels, oracle.levels(source))
    parents = rows["parent"].to_numpy()
    assert parents[source] == source
    assert (parents[levels == UNREACHED] == -1).all()
    below = np.flatnonzero(levels > 0)
    above = parents[below]
    np.testing.assert_array_equal(levels[above], levels[below] - 1)
    assert oracle.has_edges(above, below).all()


def sources_of(oracle: Oracle) -> list[int]:
    """The vertex of most neighbours, the last vertex whatever it is, and, on small graphs, the
    first with any neighbour."""
    degrees = np.diff(oracle.adjacency.indptr)
    chosen = [int(degrees.argmax()), len(degrees) - 1, int(np.flatnonzero(degrees)[0])]
    return sorted(set(chosen[: 3 if len(degrees) < 20_000 else 2]))


def check_all_engines(engines, traverse, graph: str, oracle: Oracle, directed: bool, *options):
    tried = 0
    for name, engine in engines.items():
        if engine["can"]["gpu"] or (directed and not engine["can"]["directed"]):
            continue
        threads = ["--set", "threads=2"] if "threads" in toggles(engine) else []
        for source in sources_of(oracle):
            compare(traverse(graph, name, source, *threads, *options), oracle, source)
        tried += 1
    assert tried >= 8


def toggles(engine: dict) -> set[str]:
    return {toggle["name"] for toggle in engine["toggles"]}


@pytest.fixture(scope="module")
def converted(bfslab, cache, tmp_path_factory):
    """The edge list of a generated graph, as `graph convert` writes it for other programs."""

    def convert(graph: str) -> np.ndarray:
        file = tmp_path_factory.mktemp("text") / "graph.txt"
        command = [bfslab, "graph", "convert", graph, "--to", file, "--cache", cache]
        done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return read_edges(file)

    return convert


@pytest.mark.parametrize("graph", GENERATED)
def test_generated_graphs(graph, engines, traverse, converted):
    vertices, directed = GENERATED[graph]
    oracle = Oracle.of(converted(graph), directed, vertices)
    check_all_engines(engines, traverse, graph, oracle, directed)


@pytest.mark.parametrize("name", REAL)
def test_real_files_symmetrised(name, engines, traverse, real_graph):
    path, folder = real_graph(name)
    oracle = Oracle.of(read_edges(path), directed=False)
    check_all_engines(engines, traverse, f"snap:{name}", oracle, False, "--data", str(folder))


@pytest.mark.parametrize("name", DIRECTED)
def test_real_files_directed(name, engines, traverse, real_graph):
    path, folder = real_graph(name)
    oracle = Oracle.of(read_edges(path), directed=True)
    graph = f"snap:{name},symmetrize=false"
    check_all_engines(engines, traverse, graph, oracle, True, "--data", str(folder))


def test_every_choice_of_every_toggle(engines, traverse, real_graph):
    path, folder = real_graph("wiki-Vote")
    oracle = Oracle.of(read_edges(path), directed=False)
    source = sources_of(oracle)[0]
    for name, engine in engines.items():
        for toggle in engine["toggles"]:
            if toggle["kind"] != "choice" or engine["can"]["gpu"] or toggle["legal_with"]:
                continue
            for choice in toggle["choices"]:
                options = ["--set", f"{toggle['name']}={choice}", "--data", str(folder)]
                compare(traverse("snap:wiki-Vote", name, source, *options), oracle, source)


def test_the_oracle_agrees_with_networkx_and_can_fail(traverse, real_graph):
    """SciPy is judged too, and a comparison that could not fail would be worth nothing."""
    path, folder = real_graph("ca-GrQc")
    edges = read_edges(path)
    oracle = Oracle.of(edges, directed=False)
    source = sources_of(oracle)[0]
    other = networkx.Graph(edges.tolist())
    hops = networkx.single_source_shortest_path_length(other, int(oracle.labels[source]))
    expected = [hops.get(int(label), UNREACHED) for label in oracle.labels]
    np.testing.assert_array_equal(oracle.levels(source), expected)

    rows = traverse("snap:ca-GrQc", "sequential", source, "--data", str(folder))
    compare(rows, oracle, source)
    stranger = (source + 1) % len(rows)
    for column, vertex, value in (("level", 5, 99), ("parent", 5, 5), ("parent", source, stranger)):
        spoilt = rows.copy()
        spoilt.loc[vertex, column] = value
        with pytest.raises(AssertionError):
            compare(spoilt, oracle, source)


def test_a_source_can_be_given_by_its_id_in_the_file(traverse, real_graph):
    path, folder = real_graph("ca-GrQc")
    label = int(read_edges(path)[0, 0])
    rows = traverse("snap:ca-GrQc", "hybrid", label, "--by-label", "--data", str(folder))
    assert rows.loc[rows["level"] == 0, "label"].tolist() == [label]
