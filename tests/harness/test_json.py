# SPDX-License-Identifier: Apache-2.0
"""`--json` prints one JSON value, with the fields that docs/scripts.md describes."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BFSLAB = Path(os.environ.get("BFSLAB_BIN", ROOT / "build" / "release" / "bfslab"))
PAGE = (ROOT / "docs/scripts.md").read_text()


@pytest.fixture
def bfslab(tmp_path):
    if not BFSLAB.exists():
        pytest.skip(f"{BFSLAB} is not built")

    def run(*words):
        own = {"BFSLAB_CACHE": str(tmp_path / "cache"), "BFSLAB_DATA": "", "BFSLAB_RESULTS": ""}
        return subprocess.run([str(BFSLAB), *map(str, words)], capture_output=True, text=True,
                              cwd=tmp_path, env=os.environ | own)  # fmt: skip

    return run


def documented(command: str, table: int = 0) -> set[str]:
    """The fields in a table of the command's section."""
    section = re.search(rf"^### bfslab {command} --json\n(.*?)(?=^##|\Z)", PAGE, re.M | re.S)[1]
    tables = section.split("| field | meaning |\n| --- | --- |\n")[1:]
    rows = re.match(r"(?:\|.*\n)*", tables[table])[0]
    return {name for row in rows.splitlines() for name in re.findall(r"`(\w+)`", row.split("|")[1])}


def test_check_has_the_documented_fields(bfslab, tmp_path):
    spec = tmp_path / "s.json"
    spec.write_text(json.dumps({
        "name": "s", "graphs": ["path:vertices=9", "snap:gone"], "sources": {"count": 3},
        "repeats": 2, "record": ["time", "levels"],
        "cases": {"a": {"engine": "hybrid"}, "b": {"engine": "fused"}},
    }))  # fmt: skip
    done = bfslab("check", spec, "--json")
    said = json.loads(done.stdout)
    assert set(said) == documented("check")
    (one,) = said["specs"]
    assert set(one) == documented("check", 1)
    assert done.returncode == 2 and said["errors"] == one["faults"] == done.stderr.splitlines()
    path, gone = one["graphs"]
    assert (path["vertices"], path["edges"], gone["vertices"], gone["seconds"]) == (
        9,
        16,
        None,
        None,
    )
    assert path["graph_bytes"] > 0 and one["graphs_of_unknown_size"] == 1
    assert one["trials"]["timed"] == {"least": 2 * 2 * 2 * 3, "most": 2 * 2 * 2 * 3}
    assert one["trials"]["instrumented"] == 2 * 2 * 3
    assert {c["case"]: c["runs_here"] for c in one["configurations"]}["a"] is True
    assert said["machine"]["memory_bytes"] > 2**20


def test_check_reports_refused_specs_beside_others(bfslab, tmp_path):
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_text('{"name": "g", "graphs": ["path:vertices=9"], "base": {"engine": "hybrid"}}')
    bad.write_text('{"name": "b", "graphs": ["path:vertices=9"], "base": {"engine": "hybird"}}')
    done = bfslab("check", bad, good, "--json")
    said = json.loads(done.stdout)
    assert done.returncode == 2 and [each["name"] for each in said["specs"]] == ["g"]
    assert len(said["errors"]) == 1 and 'did you mean "hybrid"' in said["errors"][0]
    assert bfslab("check", good, "--json", "--resolved").returncode == 2


def test_graph500_has_the_official_keys_as_numbers(bfslab, tmp_path):
    words = ["graph500", "--scale", "6", "--roots", "3", "--results", tmp_path / "rows", "--quiet"]
    text = bfslab(*words).stdout
    said = json.loads(bfslab(*words, "--json").stdout)  # of the same rows
    official = dict(re.findall(r"^(\w+): +(\S+)$", text, re.M))
    assert set(said) == set(official) | documented("graph500")
    assert {key: float(value) for key, value in official.items()} == {
        key: said[key] for key in official
    }
    assert (Path(said["rows"]) / "runs.csv").exists() and said["NBFS"] == 3


def test_traverse_has_the_documented_fields(bfslab, tmp_path):
    out = tmp_path / "a.csv"
    done = bfslab("traverse", "path:vertices=5", "--source", "1", "--json", "--time", "--levels",
                  "--out", out)  # fmt: skip
    said = json.loads(done.stdout)
    assert set(said) == documented("traverse")
    assert (said["correct"], said["fault"], said["first_difference"]) == (True, None, None)
    assert (said["levels"], said["reached_vertices"], said["component_edges"]) == (4, 5, 4)
    assert len(said["times_ms"]) == 5 and min(said["times_ms"]) <= said["median_ms"]
    assert [row["frontier_vertices"] for row in said["by_level"]][:2] == [1, 2]
    assert len(out.read_text().splitlines()) == 6
    less = json.loads(bfslab("traverse", "path:vertices=5", "--source", "1", "--json").stdout)
    optional = {"times_ms", "median_ms", "gpu_ms", "gteps", "by_level"}
    assert set(less) == documented("traverse") - optional


def test_pack_says_what_it_did(bfslab, tmp_path):
    bfslab("graph500", "--scale", "6", "--roots", "40", "--results", tmp_path / "rows", "--quiet")
    folder = tmp_path / "rows/graph500-hybrid-scale-6"
    size = (folder / "runs.csv").stat().st_size
    said = json.loads(bfslab("pack", tmp_path / "rows", "--json").stdout)
    assert set(said) == documented("pack")
    assert said["done"] == "packed" and said["tables"] >= 1
    assert said["bytes_before"] >= size and said["bytes_after"] < said["bytes_before"]
    (one,) = said["folders"]
    assert one["folder"] == str(folder) and one["tables"] == said["tables"]
    again = json.loads(bfslab("pack", tmp_path / "rows", "--json").stdout)
    assert (again["tables"], again["bytes_before"]) == (0, 0)
    back = json.loads(bfslab("pack", "--undo", tmp_path / "rows", "--json").stdout)
    assert (back["done"], back["bytes_after"]) == ("unpacked", said["bytes_before"])
