# SPDX-License-Identifier: Apache-2.0
"""A machine with pandas and an older matplotlib, but no scipy: all figures but two are drawn."""

import json
import subprocess
import sys
from pathlib import Path

import matplotlib
from results_builder import from_spec

from plots import style

ROOT = Path(__file__).resolve().parents[2]


def test_the_figures_that_need_scipy_are_left_out_and_documented(tmp_path):
    for path, name in (
        ("cs406/table3.json", "drawn"),
        ("scalable-bfs/projection.json", "left-out"),
        ("scalable-bfs/message_sizes.json", "left-out-too"),
    ):
        spec = json.loads((ROOT / "experiments" / path).read_text())
        few = {"name": name, "graphs": spec["graphs"][:2]}
        from_spec(spec | few).write(tmp_path / name)
    done = without_scipy(
        f"from plots.__main__ import main; sys.exit(main(['{tmp_path}', '--format', 'png']))"
    )
    assert done.returncode == 0, done.stderr
    assert "drawn" in done.stdout
    documented = (ROOT / "docs/install.md").read_text()
    for name in needing_scipy():
        assert f"the figure {name} needs the Python package scipy" in done.stderr
        assert f"`{name}`" in documented


def needing_scipy() -> list[str]:
    """The modules that cannot be imported without it."""
    code = (
        "import importlib; from plots.__main__ import module_names\n"
        "for name in module_names():\n"
        "    try: importlib.import_module(f'plots.figures.{name}')\n"
        "    except ModuleNotFoundError: print(name)"
    )
    names = without_scipy(code).stdout.split()
    assert names
    return names


def without_scipy(code: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-c", f"import sys; sys.modules['scipy'] = None\n{code}"],
        cwd=ROOT, capture_output=True, text=True,
    )  # fmt: skip


def test_an_older_matplotlib_puts_legends_above_as_well(monkeypatch, tmp_path):
    """3.6, as Debian 12 has it, knows no place outside the panels."""
    monkeypatch.setattr(matplotlib, "__version_info__", (3, 6, 3))
    figure = style.new_figure(3, 2)
    axes = figure.subplots()
    axes.plot([1, 2], label="a line")
    style.legend_above(figure, axes, columns=1)
    figure.draw_without_rendering()
    (legend,) = figure.legends
    assert legend.get_window_extent().y0 >= axes.get_window_extent().y1
