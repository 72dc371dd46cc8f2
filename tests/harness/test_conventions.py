# SPDX-License-Identifier: Apache-2.0
"""What all commands have in common: exit codes, environment variables, the folder of results."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BFSLAB = Path(os.environ.get("BFSLAB_BIN", ROOT / "build" / "release" / "bfslab"))
QUICK = ["graph500", "--scale", "4", "--roots", "1", "--quiet"]


@pytest.fixture
def bfslab(tmp_path):
    if not BFSLAB.exists():
        pytest.skip(f"{BFSLAB} is not built")

    def run(*words, **environment):
        own = {"BFSLAB_CACHE": str(tmp_path / "cache"), "BFSLAB_DATA": "", "BFSLAB_RESULTS": ""}
        return subprocess.run(
            [str(BFSLAB), *map(str, words)], capture_output=True, text=True, cwd=tmp_path,
            env=os.environ | own | environment,
        )  # fmt: skip

    return run


def sections(page: str) -> dict[str, list[tuple[str, str]]]:
    """The entries of each section of a manual page, as name and text."""
    found = {}
    for heading, text in re.findall(r"^\.SH ([A-Z ]+)\n(.*?)(?=^\.SH|\Z)", page, re.M | re.S):
        entries = re.findall(r"^\.TP\n\\fB(.*)\\fR\n(.*)\n", text, re.M)
        found[heading] = [tuple(each.replace("\\-", "-") for each in entry) for entry in entries]
    return found


def rows(page: str, heading: str) -> list[tuple[str, str]]:
    """The rows of the tables below a heading of docs/scripts.md."""
    text = re.search(rf"^## {heading}\n(.*?)(?=^## |\Z)", page, re.M | re.S)[1]
    found = [line.strip("| ").split(" | ", 1) for line in re.findall(r"^\| .*$", text, re.M)]
    return [(name.replace("`", ""), doc) for name, doc in found if "`" in name]


def test_the_manual_and_the_page_have_the_same_tables(bfslab):
    manual = sections(bfslab("manual").stdout)
    page = (ROOT / "docs/scripts.md").read_text()
    for section, heading in [
        ("EXIT STATUS", "Exit codes"),
        ("ENVIRONMENT", "Environment variables"),
        ("FILES", "Files"),
    ]:
        assert manual[section] == rows(page, heading), section
    assert [name for name, _ in manual["EXIT STATUS"]][:4] == ["0", "1", "2", "130"]


def test_every_variable_that_the_program_reads_is_documented(bfslab):
    listed = dict(sections(bfslab("manual").stdout)["ENVIRONMENT"])
    documented = {name for names in listed for name in names.split(", ")}
    read = set()
    for folder in ("harness", "datasets", "kernels"):
        for file in (ROOT / folder).rglob("*.[ch]pp"):
            read |= set(re.findall(r'(?:getenv|environment_text)\("(\w+)"\)', file.read_text()))
    assert {"BFSLAB_CACHE", "BFSLAB_RESULTS", "PATH"} <= read
    assert read - documented == set()


def test_every_command_of_the_table_exists(bfslab):
    shown = bfslab("--help").stdout
    for names, _ in sections(bfslab("manual").stdout)["EXIT STATUS"][4:]:
        for name in names.split(", "):
            assert "plots" in name or re.search(rf"^  {name.split()[0]} ", shown, re.M), name


def test_bfslab_results_is_the_default_folder_of_results(bfslab, tmp_path):
    own, other = tmp_path / "own", tmp_path / "other"
    assert bfslab(*QUICK, BFSLAB_RESULTS=str(own)).returncode == 0
    assert [folder.name for folder in own.iterdir()] == ["graph500-hybrid-scale-4"]
    assert bfslab(*QUICK, "--results", other, BFSLAB_RESULTS=str(own)).returncode == 0
    assert (other / "graph500-hybrid-scale-4/runs.csv").exists()
    assert not (tmp_path / "results").exists()
    bench = ["bench", "path:vertices=9", "--engine", "hybrid", "--sources", "1", "--repeats", "1"]
    assert bfslab(*bench, "--name", "mine", BFSLAB_RESULTS=str(own)).returncode == 0
    assert (own / "mine/runs.csv").exists()


def test_an_empty_bfslab_results_is_none(bfslab, tmp_path):
    assert bfslab(*QUICK, BFSLAB_RESULTS="").returncode == 0
    assert len(list((tmp_path / "results").glob("*/graph500-hybrid-scale-4/runs.csv"))) == 1


def test_the_plots_draw_bfslab_results(bfslab, tmp_path):
    pytest.importorskip("matplotlib")
    pytest.importorskip("jinja2")
    own = tmp_path / "own"
    spec = tmp_path / "s.json"
    spec.write_text('{"name": "s", "graphs": ["path:vertices=9"], "sources": [0], "repeats": 1,'
                    '"base": {"engine": "hybrid"}, "figure": "engines_by_graph"}')  # fmt: skip
    assert bfslab("run", spec, BFSLAB_RESULTS=str(own)).returncode == 0
    done = subprocess.run(
        [sys.executable, "-m", "plots", "--format", "svg"], cwd=tmp_path, text=True,
        env=os.environ | {"BFSLAB_RESULTS": str(own), "PYTHONPATH": str(ROOT)}, capture_output=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert (own / "figures/s/engines_by_graph.svg").exists()
    nothing = subprocess.run(
        [sys.executable, "-m", "plots"], cwd=tmp_path, text=True, capture_output=True,
        env=os.environ | {"BFSLAB_RESULTS": "none", "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert (nothing.returncode, nothing.stdout) == (2, "")
    assert "neither none nor out/quick is here" in nothing.stderr
