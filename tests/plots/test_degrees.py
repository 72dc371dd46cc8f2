# SPDX-License-Identifier: Apache-2.0
"""python -m plots.degrees: reads what `graph info --degrees` writes, and nothing else."""

import pytest

from plots import degrees


def test_draws_every_degree_of_every_file(tmp_path):
    one = tmp_path / "one.csv"
    one.write_text("degree,count\n0,7\n1,40\n39,1\n")
    two = tmp_path / "two.csv"
    two.write_text("degree,count\n5,2\n")
    tables = {path.stem: degrees.read_degrees(path) for path in (one, two)}
    (axes,) = degrees.draw(tables).axes
    first, second = axes.lines
    assert list(first.get_xdata()) == [1, 39] and list(first.get_ydata()) == [40, 1]
    assert list(second.get_xdata()) == [5]
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    assert labels == ["one (7 of degree 0)", "two"]
    assert axes.get_xscale() == axes.get_yscale() == "log"
    out = tmp_path / "deep" / "figure.png"
    assert degrees.main([str(one), str(two), "--out", str(out)]) == 0
    assert out.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "No columns"),
        ("a,b\n1,2\n", "not degree,count"),
        ("degree,count\n1.5,2\n", "from 0 on"),
        ("degree,count\n-1,2\n", "from 0 on"),
        ("degree,count\n1,0\n", "from 0 on"),
    ],
)
def test_refuses_other_files(tmp_path, capsys, text, message):
    file = tmp_path / "file.csv"
    file.write_text(text)
    assert degrees.main([str(file), "--out", str(tmp_path / "x.png")]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "x.png").exists()


def test_refuses_what_is_not_there(tmp_path, capsys):
    assert degrees.main([str(tmp_path / "none.csv"), "--out", str(tmp_path / "x.png")]) == 2
    assert "none.csv" in capsys.readouterr().err
