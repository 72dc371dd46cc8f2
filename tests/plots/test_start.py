# SPDX-License-Identifier: Apache-2.0
"""The programs of the package start in any locale, and say which packages they lack."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from results_builder import Results

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ["plots", "plots.claims", "plots.parquet", "plots.degrees"]
NAME = "Fälle é × α"


def python(*words, **environment) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, *words], cwd=ROOT, capture_output=True, env=os.environ | environment
    )


def rows(folder: Path) -> Path:
    """Rows whose names are not ASCII, in every file that has names."""
    figures = ["engines_by_graph"]
    made = Results({"name": "named", "title": NAME, "graphs": [f"file:{NAME}"], "figure": figures,
                    "cases": {NAME: {}, "b": {}}, "baseline": "b"},
                   {"host": NAME, "cpu": {"model": NAME}})  # fmt: skip
    for case in (NAME, "b"):
        for source in range(8):
            made.run(case, 2.0 + source / 10, graph=f"file:{NAME}", source=source)
    made.graph(f"file:{NAME}", 10, 20)
    made.write(folder / "named")
    return folder


@pytest.mark.parametrize(("locale", "folder"), [("C", "Größe"), ("POSIX", "plain")])
def test_files_are_utf8_in_any_locale(tmp_path, folder, locale):
    ascii_only = {"LC_ALL": locale, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "JOBS": "1"}
    box, report = rows(tmp_path / folder), tmp_path / f"report {folder}"
    words = ["-m", "plots", str(box), "--format", "svg", "--report", str(report)]
    done = python("-X", "warn_default_encoding", *words, **ascii_only)
    said = done.stderr.decode()
    assert done.returncode == 0, said
    ours = re.findall(rf"{re.escape(str(ROOT))}/plots/(.*?):\d+: EncodingWarning", said)
    assert ours == []
    assert str(report / "report.html") in done.stdout.decode()
    for file in ("report.html", "REPORT.md", "figures/named/engines_by_graph.csv"):
        text = (report / file).read_text(encoding="utf-8")
        assert NAME in text and "\ufffd" not in text, file


def test_a_folder_whose_name_is_no_utf8_is_drawn(tmp_path):
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/gr\xf6\xdfe"))
    done = python("-m", "plots", rows(folder), "--format", "svg", JOBS="1")
    assert done.returncode == 0, done.stderr
    assert os.fsencode(folder) in done.stdout


LOST = [["pandas"], ["numpy", "jinja2"], ["matplotlib", "PIL"], ["pandas", "PIL"]]


@pytest.mark.parametrize(("program", "lost"), list(zip(PROGRAMS, LOST, strict=True)))
def test_a_program_names_the_packages_that_are_missing(tmp_path, program, lost):
    hidden = "".join(f"sys.modules[{name!r}] = None\n" for name in lost)
    (tmp_path / "sitecustomize.py").write_text(f"import sys\n{hidden}")
    done = python("-m", program, "--help", PYTHONPATH=str(tmp_path))
    said = done.stderr.decode()
    assert (done.returncode, done.stdout) == (2, b"")
    assert said.count("\n") == 1 and sys.executable in said
    listed = "numpy pandas matplotlib pillow jinja2".split()
    pip = [name if name != "PIL" else "pillow" for name in lost]
    assert f"pip install {' '.join(name for name in listed if name in pip)}`" in said


def test_a_package_that_is_missing_in_a_notebook_is_an_error_of_import(tmp_path):
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules['pandas'] = None\n")
    done = python("-c", "import plots", PYTHONPATH=str(tmp_path))
    assert b"ModuleNotFoundError" in done.stderr and done.returncode == 1
