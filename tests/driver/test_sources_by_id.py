# SPDX-License-Identifier: Apache-2.0
"""Sources that a spec names by the ids of the graph's file."""

import json
import subprocess

import pytest


@pytest.fixture
def graph(bench):
    """A path of four vertices whose ids have gaps."""
    file = bench.folder / "own.txt"
    file.write_text("700 30\n30 1412\n1412 9007199254740991\n")
    return f"file:{file}"


def spec(bench, graph, ids, **keys):
    return bench.spec(graphs=[graph], sources={"ids": ids}, **keys)


def sources(bench):
    (row,) = bench.rows("graphs")
    return [int(source) for source in row["sources"].split(";")]


def ids_of(bench, graph):
    """The id of each vertex, as `bfslab traverse` prints them."""
    done = subprocess.run(bench.command("traverse", graph, "--source", "0"), env=bench.env,
                          capture_output=True, text=True, check=True)  # fmt: skip
    rows = [line.split(",") for line in done.stdout.splitlines()[1:]]
    return {int(vertex): int(label) for vertex, label, *_ in rows}


def test_searches_start_from_the_vertices_of_the_ids(bench, graph):
    bench.run(spec(bench, graph, [1412, 700, 9007199254740991]))
    ids = ids_of(bench, graph)
    assert [ids[vertex] for vertex in sources(bench)] == [1412, 700, 9007199254740991]
    assert {int(row["source"]) for row in bench.rows()} == set(sources(bench))
    assert bench.rows("graphs")[0]["source_rule"] == "ids"


def test_an_id_that_the_file_lacks_is_named(bench, graph):
    done = bench.run(spec(bench, graph, [30, 31]), code=2)
    assert "source with id 31: the graph's file has no vertex with that id" in done.stderr
    assert graph in done.stderr


def test_ids_of_a_file_that_begins_at_one(bench):
    file = bench.folder / "one.gr"
    file.write_text("p sp 3 2\na 1 2 5\na 2 3 5\n")
    bench.run(spec(bench, f"file:{file}", [3, 1]))
    assert sources(bench) == [2, 0]
    refused = bench.run(spec(bench, f"file:{file}", [0]), "--fresh", code=2)
    assert "source with id 0" in refused.stderr


def test_an_id_of_both_sets_is_no_source(bench):
    file = bench.folder / "out.both"
    file.write_text("% bip unweighted\n1 1\n2 1\n")
    done = bench.run(spec(bench, f"file:{file}", [1]), code=2)
    assert "source with id 1: vertices " in done.stderr and "list the vertices" in done.stderr


def test_more_ids_may_follow_and_others_may_not_take_their_place(bench, graph):
    bench.run(spec(bench, graph, [700, 30]))
    first = sources(bench)
    bench.run(spec(bench, graph, [700, 30, 1412]))
    assert sources(bench)[:2] == first and len(sources(bench)) == 3
    refused = bench.run(spec(bench, graph, [30, 700, 1412]), code=2).stderr
    assert "sources.ids" in refused and "--fresh" in refused
    refused = bench.run(bench.spec(graphs=[graph], sources=first), code=2).stderr
    assert "sources" in refused and "--fresh" in refused


def test_named_sources_count_however_small_their_searches_are(bench):
    """They are left out of numbers where a rule has drawn them."""
    file = bench.folder / "parts.txt"
    file.write_text("".join(f"{v} {v + 1}\n" for v in range(100)) + "900 901\n")
    for keys, ok in [({"ids": [5, 900]}, 2), ({"count": 102, "rule": "any"}, 100)]:
        done = bench.run(bench.spec(graphs=[f"file:{file}"], sources=keys), "--json", "--fresh")
        (experiment,) = json.loads(done.stdout)
        assert [row["statuses"] for row in experiment["rows"]] == [{"ok": ok}]
        left_out = [text for text in experiment["caveats"] if "left out of every number" in text]
        assert len(left_out) == (0 if "ids" in keys else 1)
