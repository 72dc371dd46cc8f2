# SPDX-License-Identifier: Apache-2.0
"""A machine with pandas and an older matplotlib, but no scipy: all figures but one are drawn."""

import json
import subprocess
import sys
from pathlib import Path

import matplotlib
from results_builder import from_spec

from plots import style

ROOT = Path(__file__).resolve().parents[2]


def test_only_the_scaling_projection_needs_scipy(tmp_path):
    for path, name in (
        ("cs406/table3.json", "drawn"),
        ("scalable-bfs/projection.json", "left-out"),
    ):
        spec = json.loads((ROOT / "experiments" / path).read_text())
        few = {"name": name, "graphs": spec["graphs"][:2]}
        from_spec(spec | few).write(tmp_path / name)
    code = (
        "import sys; sys.modules['scipy'] = None; from plots.__main__ import main; sys.exit(main())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, tmp_path, "--format", "png"],
        cwd=ROOT, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "drawn" in done.stdout
    assert "the figure scaling_projection needs the Python package scipy" in done.stderr


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
