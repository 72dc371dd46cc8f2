# SPDX-License-Identifier: Apache-2.0
"""Options for papers: widths, styles, texts in the image, PGF, captions and tables as LaTeX."""

import re
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pandas as pd
import pytest
from matplotlib.colors import to_hex
from PIL import Image
from results_builder import Results

from plots import latex, style
from plots.__main__ import main
from plots.table import Row, Table

SPEC = {"name": "x", "paper": "xbfs", "item": "Figure 11", "title": "A & B of 100 %",
        "graphs": ["kronecker:scale=16"], "cases": {"A_1": {}, "B": {}}, "baseline": "A_1",
        "figure": "speedup_bars"}  # fmt: skip
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(autouse=True)
def house_style_again():
    yield
    style.use()


@pytest.fixture
def box(tmp_path) -> Path:
    made = Results(SPEC)
    for source in range(6):
        made.run("A_1", 4.0, source=source)
        made.run("B", 1.0 + source / 4, source=source)
    made.graph("kronecker:scale=16", 65536, 1_818_000)
    made.write(tmp_path / "box/x")
    return tmp_path / "box"


def drawn(box: Path, *words: str, figure: str = "speedup_bars") -> Path:
    """The path of the figure's files without their endings."""
    out = box.parent / f"out{len(list(box.parent.iterdir()))}"
    assert main([str(box), "--out", str(out), "--figure", figure, *words]) == 0
    return out / "x" / figure


def texts(path: Path) -> list[str]:
    root = ElementTree.parse(path.with_suffix(".svg")).getroot()
    return [" ".join("".join(text.itertext()).split()) for text in root.iter(f"{SVG}text")]


def test_an_image_has_its_number_title_and_footer_as_text_unless_they_are_unwanted(box):
    whole = texts(drawn(box, "--format", "svg"))
    assert any("xbfs, Figure 11: A & B of 100 %" in t for t in whole)
    assert any(t.startswith("Statistic: speed-up over A_1") for t in whole)
    assert "speed-up over A_1" in whole  # the axis
    bare = texts(drawn(box, "--format", "svg", "--no-title", "--no-footer"))
    assert "speed-up over A_1" in bare
    assert not any("Figure 11" in t or "Statistic" in t or "Machine" in t for t in bare)


@pytest.mark.parametrize("inches", [3.33, 5, 7])
@pytest.mark.parametrize("figure", ["speedup_bars", "engines_by_graph"])
def test_an_image_is_as_wide_as_asked(box, inches, figure):
    path = drawn(box, "--format", "png", "--width", str(inches), figure=figure)
    with Image.open(path.with_suffix(".png")) as image:
        assert image.width / style.matplotlib.rcParams["savefig.dpi"] == pytest.approx(
            inches, abs=0.05
        )


def test_the_users_style_takes_precedence_and_letters_follow_its_size(box, tmp_path):
    file = tmp_path / "paper.mplstyle"
    file.write_text(
        "font.size: 12\nlegend.fontsize: 20\naxes.prop_cycle: cycler('color', ['101010', '00FF00'])"
        "\naxes.spines.top: True\nsvg.fonttype: path\n"
    )
    path = drawn(box, "--format", "svg", "--style", str(file))
    assert not texts(path)
    assert "#101010" in path.with_suffix(".svg").read_text()
    rc = style.matplotlib.rcParams
    assert (rc["font.size"], rc["axes.labelsize"], rc["legend.fontsize"]) == (12, 12, 20)
    assert rc["xtick.labelsize"] == pytest.approx(7 * 12 / 8)
    assert rc["axes.spines.top"] and not rc["axes.spines.right"]
    assert style.pt(6) == 9 and to_hex(style.color(3)) == "#00ff00"
    assert style.marker(0) != style.marker(2)  # of one colour


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("font.sise: 12\n", "Bad key font.sise"),
        ("font.size: large?\n", "font.size"),
        (None, "No such file"),
        (b"\xff\xfe\x00", "style.mplstyle"),
    ],
)
def test_a_bad_style_is_one_message_and_exit_code_2(box, tmp_path, capsys, content, message):
    file = tmp_path / "style.mplstyle"
    if content is not None:
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
    assert main([str(box), "--out", str(tmp_path / "out"), "--style", str(file)]) == 2
    (said,) = capsys.readouterr().err.splitlines()
    assert said.startswith(f"plots: {file}: ") and message in said
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("words", [("--width", "0.5"), ("--width", "wide"), ("--format", "eps")])
def test_other_values_are_refused(box, capsys, words):
    with pytest.raises(SystemExit) as stop:
        main([str(box), *words])
    assert stop.value.code == 2
    assert repr(words[1]) in capsys.readouterr().err


def test_pgf_has_names_that_latex_can_read_and_no_commands_of_matplotlib(box):
    text = drawn(box, "--format", "pgf", "--width", "3.5").with_suffix(".pgf").read_text()
    code = "\n".join(line for line in text.splitlines() if not line.startswith("%%"))
    assert r"A\_1" in code and r"A \& B of 100 \%" in code
    assert "mathdefault" not in code
    width = re.search(r"\\pgfpathrectangle\{.*?\}\{\\pgfqpoint\{([\d.]+)in\}", code)[1]
    assert float(width) == pytest.approx(3.5, abs=0.05)
    assert len(code) < 1_000_000


@pytest.mark.skipif(not shutil.which("pdflatex"), reason="needs pdflatex with pgf and booktabs")
def test_latex_reads_figure_caption_and_table(box, tmp_path):
    path = drawn(box, "--format", "pgf", "--width", "3.5", "--no-footer")
    table = drawn(box, figure="best_of_repeats")
    (tmp_path / "paper.tex").write_text(
        r"\documentclass{article}\usepackage{pgf,booktabs,longtable}\begin{document}"
        rf"\begin{{figure}}\input{{{path}.pgf}}\input{{{path}.caption.tex}}\end{{figure}}"
        rf"\begin{{table}}\tiny\input{{{path}.tex}}\end{{table}}"
        rf"\begin{{table}}\input{{{table}.tex}}\input{{{table}.caption.tex}}\end{{table}}"
        r"\end{document}"
    )
    done = subprocess.run(["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"],
                          cwd=tmp_path, capture_output=True, text=True, check=False)  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:]
    assert (tmp_path / "paper.pdf").exists()


def test_a_table_as_latex_has_spans_sections_and_the_best_in_bold():
    shape = Table([[("", 1), ("wide", 2)], [("a_b", 1), ("t\n[ms]", 1), ("c", 1)]],
                  [Row(["part"]), Row(["[x & y", "1", "2 %"], bold={2})],
                  note="n # 1")  # fmt: skip
    assert latex.tabular(shape).splitlines() == [
        r"% Needs \usepackage{booktabs}",
        r"\begin{tabular}{lrr}",
        r"\toprule",
        r" & \multicolumn{2}{c}{wide} \\",
        r"\cmidrule(lr){2-3}",
        r"a\_b & \shortstack[r]{t\\{}[ms]} & c \\",
        r"\midrule",
        r"\multicolumn{3}{l}{\emph{part}} \\",
        r"{}[x \& y & 1 & \textbf{2 \%} \\",
        r"\bottomrule",
        r"\end{tabular}",
        r"\par\smallskip",
        r"\parbox{\linewidth}{\footnotesize n \# 1}",
    ]


def test_numbers_as_a_table_have_units_and_what_all_rows_share_in_the_note():
    frame = pd.DataFrame({
        "machine": ["m", "m"], "time_ms": [0.123456, 1200.0], "case": ["a", "b"],
        "gteps_paper": [1.5, float("nan")], "queue_bytes": [8.0, 16.0], "empty": ["", ""],
        "by_source": [pd.Series([1.0]), None],
    })  # fmt: skip
    table = latex.of_numbers(frame)
    assert table.header == [[("case", 1), ("time [ms]", 1), ("paper [GTEPS]", 1), ("queue [B]", 1)]]
    assert [row.cells for row in table.rows] == [
        ["a", "0.123", "1.5", "8"],
        ["b", "1200", "", "16"],
    ]
    assert table.text_columns == 1 and table.note == "In all rows: machine: m."
    assert latex.of_numbers(frame[:0]).header[0][:2] == [("machine", 1), ("time [ms]", 1)]
    assert latex.of_numbers(frame[["machine"]]).header == [[("machine", 1)]]
    assert r"\begin{tabular}{l}" in latex.tabular(latex.of_numbers(pd.DataFrame()))
    long = pd.concat([frame] * 40, ignore_index=True)
    assert r"\begin{longtable}{lrrr}" in latex.tabular(latex.of_numbers(long))
    assert r"\endhead" in latex.tabular(latex.of_numbers(long))


def test_a_caption_beside_the_figure_says_all_that_the_image_may_lack(box):
    path = drawn(box, "--format", "png", "--no-title", "--no-footer")
    said = path.with_suffix(".caption.txt").read_text()
    assert said.startswith("xbfs, Figure 11: A & B of 100 %. Speed-up over A_1.")
    assert "Statistic: speed-up over A_1" in said and "Machine: box" in said
    tex = path.with_suffix(".caption.tex").read_text()
    assert tex.startswith(r"\caption{xbfs, Figure 11: A \& B of 100 \%. ")
    assert tex.endswith("}\n\\label{fig:x-speedup_bars}\n")


def test_a_table_is_no_picture(box):
    path = drawn(box, "--format", "png,svg", figure="best_of_repeats")
    names = sorted(file.name for file in path.parent.iterdir())
    endings = ("caption.tex", "caption.txt", "csv", "html", "md", "tex")
    assert names == [f"best_of_repeats.{ending}" for ending in endings]
    page = path.with_suffix(".html").read_text()
    assert '<td colspan="5">kronecker scale=16</td>' in page
    assert page.count('class="best"') == 1 and "xbfs, Figure 11: A &amp; B of 100 %" in page
    rows = path.with_suffix(".md").read_text().splitlines()
    assert next(row for row in rows if row.startswith("| B |")).split("|")[3] == " **1.62** "
