# SPDX-License-Identifier: Apache-2.0
"""Rows for notebooks and as Parquet, and the package as pip installs it."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pandas as pd
import pytest
from results_builder import Results

from plots import load, read
from plots.load import ResultsError
from plots.parquet import main as parquet
from plots.rows import COLUMNS

ROOT = Path(__file__).resolve().parents[2]
SPEC = {"name": "demo", "graphs": ["kronecker:scale=16"], "cases": {"A": {}, "B": {}}}


@pytest.fixture
def results(tmp_path) -> Path:
    """Two machines with one experiment each; the first has an attempt that does not count."""
    for machine, milliseconds in (("first", 2.0), ("second", 3.0)):
        rows = Results(SPEC)
        if machine == "first":
            rows.run("A", 9.0, attempt=0, polluted=1, foreign_load_pct=40)
            rows.run("A", milliseconds, attempt=1)
        else:
            rows.run("B", milliseconds)
        rows.level(rows.runs[-1]["trial"], 0, 10)
        rows.write(tmp_path / machine / "demo")
    return tmp_path


def test_rows_of_several_machines_are_told_apart(results):
    rows = read(results)
    assert list(rows.runs.columns[:2]) == ["machine", "experiment"]
    assert sorted(rows.runs["machine"]) == ["first", "first", "second"]
    assert sorted(rows.levels["machine"]) == ["first", "second"]
    assert load(results / "first", results / "second").equals(rows.runs)


@pytest.mark.parametrize("table", COLUMNS)
def test_the_columns_are_the_documented_ones(table, results):
    """Each is a row of the tables of docs/rows.md, which is generated, or is said in install.md."""
    columns = list(load(results, table=table).columns)
    own = [name for name in COLUMNS[table] if name not in ("machine", "experiment")]
    more = ["invocation", "series"] if table == "runs" else []
    assert columns == ["machine", "experiment", *own, *more]
    page = (ROOT / "docs/rows.md").read_text()
    assert [name for name in own if f"| `{name}` |" not in page] == []
    section = (ROOT / "docs/install.md").read_text().split("## Rows in a notebook")[1]
    assert all(f"`{name}`" in section for name in columns[:2] + more)


def test_another_table_is_refused_and_torn_lines_are_warnings(results):
    with pytest.raises(ValueError, match=r"'runs\.csv' is no table; there are runs, levels"):
        load(results, table="runs.csv")
    with (results / "first/demo/runs.csv").open("a") as file:
        file.write("3,de")
    with pytest.warns(UserWarning, match="the last line is torn"):
        assert len(load(results)) == 3


def test_only_what_counts_is_compared(results):
    counted = load(results, table="counted")
    assert sorted(counted["time_ms"]) == [2.0, 3.0]


def test_a_folder_without_rows_is_named(tmp_path):
    with pytest.raises(ResultsError, match=r"no runs\.csv"):
        load(tmp_path)
    with pytest.raises(ResultsError, match="not a folder"):
        load(tmp_path / "nowhere")


def test_parquet_has_the_same_rows_and_is_not_overwritten(results, capsys):
    pytest.importorskip("pyarrow")
    out = results / "parquet"
    assert parquet([str(results), "--out", str(out)]) == 0
    assert [Path(line).name for line in capsys.readouterr().out.split()] == [
        "runs.parquet", "levels.parquet", "measures.parquet", "graphs.parquet",
    ]  # fmt: skip
    runs = pd.read_parquet(out / "runs.parquet")
    assert sorted(runs["time_ms"]) == [2.0, 3.0, 9.0]
    assert list(runs.columns) == list(load(results).columns)
    assert parquet([str(results), "--out", str(out)]) == 2
    assert "already exists" in capsys.readouterr().err


def test_what_pip_installs_works_outside_the_tree(results):
    """Built as pip builds it. No `plots` is there: within the package all imports are relative."""
    pytest.importorskip("setuptools")
    built = results / "built"
    subprocess.run(
        [sys.executable, "-c", "import setuptools; setuptools.setup()", "-q",
         "egg_info", "--egg-base", results, "build", "--build-base", built],
        cwd=ROOT, check=True, capture_output=True,
    )  # fmt: skip
    code = (
        "import bfslab.__main__ as main, importlib, sys;"
        "from bfslab import load, paper, catalog;"
        "[importlib.import_module(f'bfslab.figures.{m}') for m in main.module_names()];"
        "assert not [m for m in sys.modules if m == 'plots' or m.startswith('plots.')];"
        "assert paper.paper_table('xbfs-table2').rows.size and catalog.groups();"
        f"print(len(load({str(results)!r})))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=results, capture_output=True, text=True,
        env=os.environ | {"PYTHONPATH": str(built / "lib")},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout == "3\n"


def test_imports_within_the_package_are_relative():
    """Installed, it is called bfslab."""
    absolute = re.compile(r"^\s*(?:from|import) plots\b", re.MULTILINE)
    for module in sorted((ROOT / "plots").rglob("*.py")):
        assert not absolute.search(module.read_text()), f"{module}: import relatively"


def test_ranges_are_said_once():
    """scipy is named by the extra of the package and by what figures need."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for extra, file in (("scaling", "figures.txt"), ("parquet", "tests.txt")):
        (asked,) = project["optional-dependencies"][extra]
        assert asked in (ROOT / "requirements" / file).read_text().splitlines()
