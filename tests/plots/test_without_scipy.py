"""A machine with pandas and matplotlib but no scipy draws all figures but the one that needs it."""

import json
import subprocess
import sys
from pathlib import Path

from results_builder import from_spec

ROOT = Path(__file__).resolve().parents[2]


def test_only_the_scaling_projection_needs_scipy(tmp_path):
    for path, name in (
        ("cs406/table3.json", "drawn"),
        ("scalable-bfs/projection.json", "left-out"),
    ):
        spec = json.loads((ROOT / "experiments" / path).read_text())
        from_spec(spec | {"name": name}).write(tmp_path / name)
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
