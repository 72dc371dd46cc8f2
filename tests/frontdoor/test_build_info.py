# SPDX-License-Identifier: Apache-2.0
"""What a program knows of the commit that it was built of."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.checkouts import commit, git

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.skipif(
    not shutil.which("cmake") or not shutil.which("git"), reason="no cmake or no git"
)


@pytest.fixture
def tree(tmp_path):
    """A checkout of a source and a table of results."""
    checkout = tmp_path / "checkout"
    for name in ("kernels/engine.cpp", "results/box/runs.csv"):
        file = checkout / name
        file.parent.mkdir(parents=True)
        file.write_text("as committed\n")
    commit(checkout)
    return checkout


def written(tree: Path) -> str:
    """build_info.cpp of a build of this tree."""
    settings, output = tree.parent / "settings.cmake", tree.parent / "build_info.cpp"
    settings.write_text(f'set(BI_SOURCE "{tree}")\nset(BI_OUTPUT "{output}")\n')
    rule = ["cmake", f"-DBI_SETTINGS={settings}", "-P", ROOT / "cmake/BuildInfo.cmake"]
    subprocess.run(rule, check=True, capture_output=True, cwd=tree.parent)
    return output.read_text()


def test_a_build_of_a_commit(tree):
    assert f'"{git(tree, "rev-parse", "HEAD")}", false,' in written(tree)


def test_rows_and_figures_are_no_changes_of_a_program(tree):
    (tree / "results/box/runs.csv").unlink()
    (tree / "results/box/new.csv").write_text("new\n")
    assert '", false,' in written(tree)


def test_a_changed_source_is(tree):
    (tree / "kernels/engine.cpp").write_text("changed\n")
    assert '", true,' in written(tree)


def test_so_is_one_that_is_gone(tree):
    (tree / "kernels/engine.cpp").unlink()
    assert '", true,' in written(tree)
