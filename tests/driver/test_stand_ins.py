# SPDX-License-Identifier: Apache-2.0
"""Catalogue names, groups and stand-ins in a run: labelled in rows, and not part of the spec."""

import json

SETS = ["appu", "wiki-Vote"]


def graphs_of(bench):
    rows = bench.rows()
    return {(row["graph"], row["stand_in_for"]) for row in rows if row["status"] == "ok"}


def test_a_missing_set_is_replaced_and_labelled(bench):
    (bench.folder / "wiki-Vote.txt").write_text("0 1\n1 2\n")
    spec = bench.spec(graphs=SETS)
    data = ["--data", bench.folder]
    done = bench.run(spec, *data, "--allow-stand-ins", "--offline")
    assert "appu-standin stands in for it, with seeds 1 to 3" in done.stderr
    seeds = {(f"appu-standin{seed}", "appu") for seed in ("", ",seed=2", ",seed=3")}
    assert graphs_of(bench) == seeds | {("wiki-Vote", "")}
    graphs = {row["graph"]: row for row in bench.rows("graphs")}
    assert graphs["appu-standin"]["stand_in_for"] == "appu"
    assert graphs["appu-standin"]["name"].startswith("power_law:vertices=14000,")
    assert ",seed=3," in graphs["appu-standin,seed=3"]["name"]
    assert len({row["graph_hash"] for row in graphs.values()}) == 4
    # wiki-Vote is here, but with other counts than published: a warning, not an error.
    assert (
        "warning=the file has 3 vertices, published are 7115" in graphs["wiki-Vote"]["provenance"]
    )
    kept = json.loads((bench.results / "t" / "spec.json").read_text())
    assert kept["graphs"] == SETS
    # Resumed: nothing is left to do.
    before = bench.keys()
    bench.run(spec, *data, "--allow-stand-ins", "--offline")
    assert bench.keys() == before


def test_the_real_set_is_taken_as_soon_as_it_is_here(bench):
    (bench.folder / "appu.mtx").write_text(
        "%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n2 3\n"
    )
    spec = bench.spec(graphs=["appu"], allow_stand_ins=True)
    bench.run(spec, "--data", bench.folder)
    assert graphs_of(bench) == {("appu", "")}


def test_a_group_is_its_members(bench):
    for name in ("coPapersDBLP", "europe_osm"):
        (bench.folder / f"{name}.mtx").write_text(
            "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 2\n"
        )
    spec = bench.spec(graphs=["cs406-section1"])
    only = [option for name in ("coPapersDBLP", "europe_osm") for option in ("--only", f"*/{name}")]
    bench.run(spec, *only, "--data", bench.folder)
    assert [row["graph"] for row in bench.rows("graphs")] == ["coPapersDBLP", "europe_osm"]
