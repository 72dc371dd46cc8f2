# SPDX-License-Identifier: Apache-2.0
"""The transcriptions: well-formed, as printed, and true about the paper's own contradictions."""

import json
from pathlib import Path

import pytest

from plots import benchmarks, paper
from plots.paper import EXPERIMENTS, read_paper_csv
from plots.specs import resolved

FILES = sorted(EXPERIMENTS.glob("*/*.paper.csv"))


def table(name: str) -> paper.PaperTable:
    return read_paper_csv(EXPERIMENTS / f"{name}.paper.csv")


def test_every_table_is_there():
    names = {f"{path.parent.name}/{path.name.split('.')[0]}" for path in FILES}
    assert names >= {
        *(f"cs406/table{n}" for n in range(1, 11)),
        "cs406/features",
        "cs406/fig1",
        *(f"dfq/{item}" for item in ("table_i", "table_ii", "fig5", "fig7", "speed")),
        "graph500-romeo/table3_1",
    }


def test_only_specs_are_named_to_be_run(tmp_path):
    """The report tells its reader to run them: claims.json and the like are none."""
    files = {
        "claims": {"claims": []},
        "empty": {"name": ""},
        "none": {"name": None},
        "list": {"name": ["x"]},
        "number": {"name": 3},
        "no-object": ["name"],
        "text": "name",
        "spec": {"name": "x-spec", "graphs": []},
    }
    (tmp_path / "x").mkdir()
    for name, content in files.items():
        (tmp_path / f"x/{name}.json").write_text(json.dumps(content))
    (tmp_path / "x/torn.json").write_text('{"name":')
    assert paper.spec_files(tmp_path) == {"x-spec": tmp_path / "x/spec.json"}
    ours = paper.spec_files(EXPERIMENTS)
    assert all(name and "graphs" in resolved(path) for name, path in ours.items())


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_well_formed(path: Path):
    rows = read_paper_csv(path).rows
    assert len(rows) > 0
    spec = path.with_name(path.name.replace(".paper.csv", ".json"))
    is_benchmark = f"{path.parent.name}-{spec.stem}" in benchmarks.SPECS
    assert spec.exists() or is_benchmark, "no spec beside it"
    keys = rows[["table", "method", "threads", "graph", "metric"]]
    assert not keys.duplicated().any()
    for _, row in rows.iterrows():
        assert row["table"] and row["graph"] and row["metric"]
        if row["value"]:
            assert float(row["value"]) >= 0
        else:
            assert row["note"], f"an empty cell without its reason: {dict(row)}"


@pytest.mark.parametrize(
    ("name", "cell", "printed"),
    [
        ("cs406/table2", ("coPapersDBLP", "time", "Search based", 2), "0.06573"),
        ("cs406/table2", ("coPapersDBLP", "speedup", "Search based", 4), "0.069"),
        ("cs406/table2", ("rmat-er", "speedup", "Search based", 2), "0.430"),
        ("cs406/table2", ("europe_osm", "time", "Search based", 8), "-"),
        ("cs406/table2", ("wiki-topcats", "mteps", "Search based", 16), "-"),
        ("cs406/table3", ("europe_osm", "time", "Top-down", 8), "0.5850"),
        ("cs406/table3", ("coPapersDBLP", "mteps", "Top-down", 16), "2035.16"),
        ("cs406/table3", ("europe_osm", "speedup", "Top-down", 2), "1.159"),
        ("cs406/table4", ("rmat-er", "mteps", "Bottom-up", 8), "1179.9"),
        ("cs406/table4", ("rmat-er", "speedup", "Bottom-up", 16), "0.937"),
        ("cs406/table5", ("coPapersDBLP", "time", "Hybrid", 16), "0.0082"),
        ("cs406/table5", ("europe_osm", "efficiency", "Hybrid", 16), "0.0097"),
        ("cs406/table10", ("coPapersDBLP", "speedup", "Search based", 8), "0.0087"),
        ("cs406/table10", ("rmat-er", "speedup", "Bottom-up", 16), "0.093"),
        ("cs406/table10", ("wiki-topcats", "speedup", "Hybrid", 2), "1.370"),
        ("cs406/table1", ("rmat-b", "time", "Given benchmark", 1), "2.212092"),
        ("cs406/table1", ("rmat-b", "time", "Our implementation", 1), "-"),
        ("cs406/table6", ("europe_osm", "time", "Search based"), "13.86"),
        ("cs406/table7", ("coPapersDBLP", "mteps", "Top-down"), "5509.56"),
        ("cs406/table8", ("europe_osm", "speedup", "Bottom-up"), "-"),
        ("cs406/table9", ("rmat-er", "speedup", "Hybrid"), "38.88"),
        ("cs406/table9", ("rmat-b", "time", "Hybrid"), "-"),
        ("cs406/fig1", ("europe_osm", "time", "Search based"), "13.86723"),
        ("dfq/fig5", ("five of eight", "largest_slowdown", "HQ"), "2.94"),
        ("cs406/features", ("europe_osm", "depth"), "13847"),
        ("cs406/features", ("rmat-er", "edges"), "268435308"),
        ("graph500-romeo/table3_1", ("unnamed", "edges_level_3", "Top-down"), "19565465"),
        ("graph500-romeo/table3_1", ("unnamed", "edges_level_0", "Bottom-up"), "22090111"),
        (
            "graph500-romeo/figure3_6",
            ("kronecker", "gteps", "64 GPUs, GPU 0 of each node, GPUDirect"),
            "13.70",
        ),
    ],
)
def test_cells_as_printed(name, cell, printed):
    assert table(name).cell(*cell) == printed


def test_shapes():
    for number in (2, 3, 4, 5):
        assert len(table(f"cs406/table{number}").rows) == 4 * 4 * 4
    assert len(table("cs406/table10").rows) == 4 * 4 * 2 * 4
    for number in (6, 7, 8, 9):
        assert len(table(f"cs406/table{number}").rows) == 5 * 3
    assert len(table("cs406/fig1").rows) == 4 * 4 * 2
    assert table("cs406/table10").methods == ["Search based", "Top-down", "Bottom-up", "Hybrid"]
    assert table("cs406/table5").threads == [2, 4, 8, 16]


def test_totals_of_table_3_1_add_up_and_its_hybrid_is_the_minimum():
    romeo = table("graph500-romeo/table3_1")
    counts = {
        method: [int(romeo.cell("unnamed", f"edges_level_{level}", method)) for level in range(7)]
        for method in romeo.methods
    }
    for method, levels in counts.items():
        assert sum(levels) == int(romeo.cell("unnamed", "edges_total", method))
    # Bottom-up reads whole rows at level 0: all but those of the root and of its neighbours.
    least = sum(counts["Top-down"]) - sum(counts["Top-down"][:2])
    assert least == 23481604 > counts["Bottom-up"][0]
    assert romeo.flagged("unnamed", "edges_level_0", "Bottom-up")
    pairs = zip(counts["Top-down"], counts["Bottom-up"], strict=True)
    assert counts["Hybridization"] == [min(pair) for pair in pairs]


@pytest.mark.parametrize("number", [2, 3, 4, 5])
def test_a_speedup_is_flagged_exactly_where_it_contradicts_table_1(number):
    """Speed-ups are over hybrid at one thread, whose times Table 1 gives: 8 % allows for their two
    printed digits."""
    base = {"coPapersDBLP": 0.036, "wiki-topcats": 0.072, "europe_osm": 1.59, "rmat-er": 1.05}
    own = table(f"cs406/table{number}")
    method = own.methods[0]
    for graph, seconds in base.items():
        for threads in own.threads:
            time = own.cell(graph, "time", method, threads)
            speedup = own.cell(graph, "speedup", method, threads)
            if "-" in (time, speedup):
                continue
            off = abs(float(speedup) * float(time) / seconds - 1) > 0.08
            note = own.rows[
                (own.rows["graph"] == graph)
                & (own.rows["metric"] == "speedup")
                & (own.rows["threads"] == str(threads))
            ].iloc[0]["note"]
            assert ("inconsistent" in note) == off, (graph, threads)


def test_speedups_of_the_gpu_agree_with_table_1_and_figure_1_with_tables_6_to_9():
    base = {"coPapersDBLP": 0.036, "wiki-topcats": 0.072, "europe_osm": 1.59, "rmat-er": 1.05}
    one = table("cs406/fig1")
    for number in (6, 7, 8, 9):
        own = table(f"cs406/table{number}")
        method = own.methods[0]
        for graph, seconds in base.items():
            time, speedup = (own.cell(graph, m, method) for m in ("time", "speedup"))
            if "-" not in (time, speedup):
                assert float(speedup) * float(time) == pytest.approx(seconds, rel=0.08)
            summed = one.cell(graph, "time", method)
            if summed == "-":
                assert own.flagged(graph, "time", method)
            else:
                assert float(summed) == pytest.approx(float(time), rel=0.002)


def test_table_10_differs_from_tables_2_to_5_only_where_noted():
    ten = table("cs406/table10")
    for number in (2, 3, 4, 5):
        own = table(f"cs406/table{number}")
        for _, row in own.rows[own.rows["metric"] == "speedup"].iterrows():
            other = ten.cell(row["graph"], "speedup", row["method"], int(row["threads"]))
            if row["value"] and abs(float(row["value"]) - float(other)) > 0.002:
                assert f"Table 10 prints {other}" in row["note"]


def test_the_spec_is_found_by_name_and_the_paper_beside_it():
    assert paper.paper_table("cs406-table3").name == "Table 3"
    assert paper.paper_table("quick-engines") is None
    assert paper.paper_table("no such experiment") is None
