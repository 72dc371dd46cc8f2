# SPDX-License-Identifier: Apache-2.0
"""Licence lines, and which sources clang-tidy reads together."""

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


def write_all(folder: Path, texts: dict[str, str]) -> None:
    for name, text in texts.items():
        (folder / name).write_text(text)


def test_every_kind_of_source_gets_its_licence_line(lint, tmp_path):
    spdx = lint.spdx
    (tmp_path / "scripts").mkdir()
    texts = {
        "kernels/a.cpp": "int a;\n",
        "scripts/a.sh": "#!/bin/sh\ntrue\n",
        "scripts/a.py": '"""What it does."""\n',
        "kernels/CMakeLists.txt": "set(a b)\n",
        "kernels/a.json": "{}\n",
    }
    write_all(tmp_path, texts)
    assert not lint.licensed()
    lacking = {str(path.relative_to(tmp_path)) for path in spdx.lacking(tmp_path)}
    assert lacking == set(texts) - {"kernels/a.json"}
    for path in spdx.lacking(tmp_path):
        path.write_text(spdx.with_line(path.read_text(), spdx.comment_of(path)))
    assert lint.licensed()
    assert (tmp_path / "kernels/a.cpp").read_text() == f"// {spdx.LINE}\nint a;\n"
    assert (tmp_path / "scripts/a.sh").read_text() == f"#!/bin/sh\n# {spdx.LINE}\ntrue\n"


def test_sources_that_are_compiled_as_one_are_told_apart(lint, tmp_path):
    unity = tmp_path / "build/x.dir/Unity/unity_0_cxx.cxx"
    unity.parent.mkdir(parents=True)
    unity.write_text('#include "/r/a.cpp"\n\n#include "/r/b.cpp"\n')
    entry = {"file": str(unity), "directory": "/b", "command": f"c++ -O2 -c {unity}"}
    alone = {"file": "/r/c.cpp", "directory": "/b", "command": "c++ -c /r/c.cpp"}
    assert lint.sources_apart(entry) == [
        {"file": "/r/a.cpp", "directory": "/b", "command": "c++ -O2 -c /r/a.cpp"},
        {"file": "/r/b.cpp", "directory": "/b", "command": "c++ -O2 -c /r/b.cpp"},
    ]
    assert lint.sources_apart(alone) == [alone]


def test_sources_that_name_the_same_are_read_apart(lint, tmp_path):
    texts = {
        "a.cpp": "struct Arguments {\n  int a;\n};\nint twice(int v) { return 2 * v; }\n",
        "b.cpp": "class Other final : public Base {\n};\nint twice(long v) { return 3; }\n",
        "c.cpp": "constexpr int Arguments = 3;\n",
        "d.cpp": "TEST(A, B) {\n  EXPECT_TRUE(true);\n}\n",
        "e.cpp": "TEST(A, C) {\n}\nint twice(int v) { return 4; }\n",
        "f.cpp": "[[maybe_unused]] const bool supplied = true;\n",
        "g.cpp": "[[maybe_unused]] const bool supplied =\n    false;\n",
    }
    write_all(tmp_path, texts)
    entries = [{"file": str(tmp_path / name), "command": "c++ -O2 -c x"} for name in texts]
    names = [[Path(e["file"]).name for e in batch] for batch in lint.batches(entries, tmp_path)]
    assert names == [["a.cpp", "b.cpp", "d.cpp", "f.cpp"], ["c.cpp", "e.cpp", "g.cpp"]]


def test_sources_of_several_folders_are_read_together_where_their_flags_are_clangs(lint, tmp_path):
    sources = {"a/x.cpp": "-O2 -Wno-restrict", "b/y.cpp": "-O3", "b/z.cpp": "-O3 -DSTRESS"}
    for name in sources:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"int {Path(name).stem};\n")
    entries = [
        {"file": str(tmp_path / name), "command": f"c++ {flags} -Wall -c {tmp_path / name}"}
        for name, flags in sources.items()
    ]
    names = [[Path(e["file"]).name for e in batch] for batch in lint.batches(entries, tmp_path)]
    assert names == [["x.cpp", "y.cpp"], ["z.cpp"]]
    assert lint.clang_command(entries[2], tmp_path)[:2] == ["-DSTRESS", "-Wall"]
