# SPDX-License-Identifier: Apache-2.0
"""scripts/torture.py finds what is broken, and nothing where nothing is."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BFSLAB = Path(os.environ.get("BFSLAB_BIN", ROOT / "build" / "release" / "bfslab"))

# The real program, and then a fault: Python that sees `arguments`, `code` and `rows`, the path of
# the rows.
STAND_IN = """#!{python}
import os, pathlib, subprocess, sys
arguments = sys.argv[1:]
code = subprocess.run([{program!r}, *arguments]).returncode
rows = pathlib.Path("results/t/runs.csv")
if arguments[0] == {command!r}:
    {fault}
sys.exit(code)
"""


@pytest.fixture
def torture(tmp_path):
    """One round of an attack, on the program with this fault after its command."""
    if not BFSLAB.exists():
        pytest.skip(f"{BFSLAB} is not built")

    def torture(attack: str, command: str = "", fault: str = "pass") -> tuple[int, str]:
        program = tmp_path / "bfslab"
        program.write_text(
            STAND_IN.format(
                python=sys.executable, program=str(BFSLAB), command=command, fault=fault
            )
        )
        program.chmod(0o755)
        words = ["--bfslab", program if command else BFSLAB, "--attack", attack]
        done = subprocess.run(
            [sys.executable, ROOT / "scripts/torture.py", *words, "--seed", "5", "--rounds", "1"],
            capture_output=True,
            text=True,
            env={**os.environ, "TMPDIR": str(tmp_path)},
            timeout=300,
        )
        return done.returncode, done.stdout + done.stderr

    return torture


def test_what_is_sound_is_not_called_broken(torture):
    code, said = torture("specs")
    assert code == 0 and "1 passed, 0 failed, 0 skipped" in said


@pytest.mark.parametrize(
    "attack,command,fault,words",
    [
        ("caches", "run", "rows.write_text(rows.read_text()[:-9])", "ends amid a row"),
        (
            "caches",
            "run",
            'rows.write_text("\\n".join(rows.read_text().split("\\n")[:-2]) + "\\n")',
            "has rows of no trial",
        ),
        (
            "caches",
            "run",
            'rows.write_text(rows.read_text() + rows.read_text().split("\\n")[3] + "\\n")',
            "is there twice",
        ),
        (
            "caches",
            "run",
            'lines = rows.read_text().split(",ok,"); rows.write_text(",wrong,".join('
            '[",ok,".join(lines[:-1]), lines[-1]]))',
            "not ok",
        ),
        ("specs", "check", "os.abort()", "bfslab check m.json: -6"),
        ("specs", "check", 'print("json.exception", file=sys.stderr)', "json.exception"),
        ("files", "graph", "os.kill(os.getpid(), 11)", "bfslab graph info"),
    ],
)
def test_a_broken_promise_is_found(torture, attack, command, fault, words):
    code, said = torture(attack, command, fault)
    assert code == 1 and words in said, said
    assert "BROKEN round 0" in said and "--seed 5 --round 0" in said
    assert "0 passed, 1 failed, 0 skipped" in said
