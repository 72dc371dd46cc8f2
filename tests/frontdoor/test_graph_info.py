# SPDX-License-Identifier: Apache-2.0
"""`bfslab graph info` and `graph calibrate`: what they say, in which locale, what they refuse."""

import csv
import io
import json
import os
import struct
import subprocess
import tarfile

import pytest


@pytest.fixture
def run(bfslab, tmp_path):
    def call(*words, **environment):
        plain = {k: v for k, v in os.environ.items() if k not in ("LC_ALL", "LC_CTYPE", "LANG")}
        return subprocess.run(
            [bfslab, *map(str, words)],
            capture_output=True,
            text=True,
            env={
                **plain,
                "BFSLAB_CACHE": str(tmp_path / "cache"),
                "BFSLAB_DATA": "",
                **environment,
            },
        )

    return call


def bars(output: str) -> list[list[str]]:
    lines = output.split("of their number:\n")[1].split("\norigin:")[0].splitlines()
    return [line.split() for line in lines if line]


def test_says_what_a_graph_is(run):
    output = run("graph", "info", "union:(star:vertices=40)+(path:vertices=70)").stdout
    assert "110, 0 of them isolated (0.00 %)" in output
    assert "108 undirected, stored as 216 entries" in output
    assert "2, the largest of 70 vertices (63.64 %)" in output
    assert "69 to 136, of the largest component" in output
    assert max(map(len, output.splitlines()[2:])) <= 100


def test_directed_graphs_have_weak_components(run):
    output = run("graph", "info", "path:vertices=5,symmetrize=false").stdout
    assert "weak components" in output and "out-degrees" in output
    assert "4 directed" in output


@pytest.mark.parametrize(
    ("environment", "block"),
    [
        ({"LC_ALL": "C"}, "#"),
        ({}, "#"),
        ({"LC_ALL": "", "LANG": "en_US.UTF-8"}, "\u2588"),
        ({"LC_ALL": "C", "LANG": "en_US.UTF-8"}, "#"),
        ({"LC_CTYPE": "C.utf8"}, "\u2588"),
    ],
)
def test_bars_suit_the_terminal(run, environment, block):
    done = run("graph", "info", "star:vertices=40", **environment)
    rows = bars(done.stdout)
    assert rows[0] == ["0", "0", "0.00", "%"]
    assert rows[1][:4] == ["1", "39", "97.50", "%"] and set(rows[1][4]) == {block}
    assert len(rows[1][4]) == 40
    assert rows[-1][:2] == ["32-63", "1"]
    if block == "#":
        assert done.stdout.isascii()


def test_the_same_in_json_and_csv(run, tmp_path):
    file = tmp_path / "degrees.csv"
    name = "union:(star:vertices=40)+(path:vertices=3)"
    words = ("graph", "info", name, "--json", "--degrees", file)
    facts = json.loads(run(*words).stdout)
    with file.open() as lines:
        rows = [(int(row["degree"]), int(row["count"])) for row in csv.DictReader(lines)]
    assert rows == [(1, 41), (2, 1), (39, 1)]
    assert [bin["vertices"] for bin in facts["degree_bins"]] == [0, 41, 1, 0, 0, 0, 1]
    assert facts["components"] == 2 and facts["largest_component_vertices"] == 40
    assert (facts["diameter_at_least"], facts["diameter_at_most"]) == (2, 2)
    assert facts["self_loops_found"] == 0 and facts["stand_in_for"] == ""
    # An existing file is not overwritten, and the refusal comes before the work.
    again = run(*words)
    assert again.returncode == 2 and "already exists" in again.stderr
    counts = json.loads(run("graph", "info", name, "--json", "--counts").stdout)
    assert counts["components"] is None and counts["degree"] == facts["degree"]


def test_files_say_where_they_come_from(run, tmp_path):
    (tmp_path / "g.txt").write_text("0 0\n0 1\n1 0\n0 1\n")
    output = run("graph", "info", f"file:{tmp_path}/g.txt").stdout
    assert "1 undirected, stored as 2 entries" in output
    assert "4 edges; 1 self-loops dropped, 4 duplicate entries (both directions) dropped" in output
    assert str(tmp_path / "g.txt") in output.split("origin:")[1]
    kept = run("graph", "info", f"file:{tmp_path}/g.txt,self_loops=keep,symmetrize=false").stdout
    assert "1 self-loops kept, 1 duplicates dropped" in kept


def test_conversion_says_what_it_loses(run, tmp_path):
    head = "%%MatrixMarket matrix coordinate pattern general\n"
    (tmp_path / "g.mtx").write_text(head + "5 5 1\n1 2\n")
    (tmp_path / "empty.mtx").write_text(head + "5 5 0\n")
    for ending in (".txt", ".el", ".txt.gz"):
        done = run("graph", "convert", f"file:{tmp_path}/g.mtx", "--to", f"{tmp_path}/out{ending}")
        assert done.returncode == 0 and "3 of 5 vertices are isolated" in done.stderr
        done = run(
            "graph", "convert", f"file:{tmp_path}/empty.mtx", "--to", f"{tmp_path}/no{ending}"
        )
        assert done.returncode == 2 and "a graph without edges" in done.stderr
        assert not (tmp_path / f"no{ending}").exists()
    for ending in (".mtx", ".sg", ".csr"):
        for name in ("g", "empty"):
            out = f"{tmp_path}/{name}-out{ending}"
            done = run("graph", "convert", f"file:{tmp_path}/{name}.mtx", "--to", out)
            assert (done.returncode, done.stderr) == (0, "")
            assert "5, " in run("graph", "info", out).stdout


def test_calibrated_graphs_have_the_wanted_counts(run):
    done = run("graph", "calibrate", "--vertices=5000", "--edges=40000", "--max-degree=600")
    name = done.stdout.strip()
    assert name.startswith("power_law:vertices=5000,edges=") and "expect " in done.stderr
    facts = json.loads(run("graph", "info", name, "--json").stdout)
    assert facts["vertices"] == 5000 and facts["isolated_vertices"] == 0
    assert facts["edges"] / 2 == pytest.approx(40000, rel=0.01)
    sides = run("graph", "calibrate", "--left=900", "--right=2000", "--edges=9000").stdout.strip()
    facts = json.loads(run("graph", "info", sides, "--json").stdout)
    assert facts["vertices"] == 2900
    assert facts["edges"] / 2 == pytest.approx(9000, rel=0.01)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--edges=9"], "give the number of vertices"),
        (["--vertices=10", "--edges=46"], "are impossible"),
        (["--vertices=10", "--edges=20", "--left=5", "--right=5"], "excludes"),
        (["--left=5", "--edges=20"], "--right"),
        (["--vertices=10", "--edges=20", "--reciprocal=0.5"], "--directed"),
    ],
)
def test_calibrate_refuses(run, words, message):
    done = run("graph", "calibrate", *words)
    assert done.returncode == 2
    assert message in done.stderr and done.stdout == ""


def weighted(edges: list[tuple[int, int]], vertices: int) -> bytes:
    """A directed graph with weights as the GAP benchmark suite writes it."""

    def half(pairs):
        rows = [[(to, 7 + to) for of, to in pairs if of == v] for v in range(vertices)]
        ends = [sum(map(len, rows[:v])) for v in range(vertices + 1)]
        cells = [number for row in rows for pair in row for number in pair]
        return struct.pack(f"<{len(ends)}q{len(cells)}i", *ends, *cells)

    head = struct.pack("<?qq", True, len(edges), vertices)
    return head + half(edges) + half([(to, of) for of, to in edges])


@pytest.mark.parametrize("packing", ["", "gz", "bz2"])
@pytest.mark.parametrize("member", ["x.wsg", "deep/er/x.wsg", "a b.wsg", "x.sg"])
@pytest.mark.parametrize("archive", ["g.tar", "g.wsg.tar", "g.sg.tar"])
def test_a_weighted_graph_in_an_archive_is_known_by_its_own_name(
    run, tmp_path, archive, member, packing
):
    path = tmp_path / f"{archive}{'.' if packing else ''}{packing}"
    content = weighted([(0, 1), (1, 2), (3, 0), (3, 2)], 4)
    with tarfile.open(path, f"w:{packing}") as packed:
        entry = tarfile.TarInfo(member)
        entry.size = len(content)
        packed.addfile(entry, io.BytesIO(content))
    asked = f"file:{path},format=gapbs,symmetrize=false"
    done = run("graph", "info", asked, "--counts", "--json")
    if member.endswith(".wsg"):
        assert json.loads(done.stdout)["edges"] == 4
    else:
        assert done.returncode == 2 and "its name must end in .wsg" in done.stderr
