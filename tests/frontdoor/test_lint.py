"""Formatting may wait only for a kernels/ that is, to the byte, what a record says was tested."""

import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def lint(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    import lint

    monkeypatch.setattr(lint, "ROOT", tmp_path)
    kernels = tmp_path / "kernels"
    kernels.mkdir()
    (kernels / "a.cpp").write_text("int  a;\n")
    yield lint
    sys.modules.pop("lint", None)


def record(lint, tmp_path, kernels: str) -> None:
    path = tmp_path / "results/h200/gpu-tests.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"kernels": kernels}))


def test_without_a_record_nothing_waits(lint):
    assert not lint.kernels_as_tested()


def test_a_record_holds_for_the_very_files(lint, tmp_path):
    record(lint, tmp_path, lint.tree_hash(tmp_path / "kernels"))
    assert lint.kernels_as_tested()
    (tmp_path / "kernels/a.cpp").write_text("int a;\n")
    assert not lint.kernels_as_tested()


def test_a_record_of_other_kernels_does_not(lint, tmp_path):
    record(lint, tmp_path, "0" * 40)
    assert not lint.kernels_as_tested()
