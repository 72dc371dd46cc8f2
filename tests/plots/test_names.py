# SPDX-License-Identifier: Apache-2.0
"""Names are the user's: figures print every sign of them as it is, and take none for a formula."""

import csv

import pytest
from matplotlib.text import Text
from results_builder import Results, formulas

from plots import degrees, drawing, style
from plots.__main__ import main
from plots.figures import engines_by_graph, speedup_bars
from plots.load import load_experiment

# Each is legal as a name. A formula would end in an error, or show something else.
NAMES = [r"cost $\frac{1}{0$", "$x_1$", "$a$ and $b$", "$$", "$", r"\$5$", r"$\undefined$",
         "US$ 5 $ 6", "{x}", "%s %(x)s", "x^2_1", r"a\nb", "#~&", "é×α"]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_names_of_cases_are_drawn_as_they_are(tmp_path, name):
    graphs = [f"file:{name}.txt", "kronecker:scale=8"]
    made = Results({"name": "n", "title": name, "graphs": graphs, "cases": {name: {}, "b": {}},
                    "baseline": name})  # fmt: skip
    for graph in graphs:
        for source in range(8):
            made.run(name, 2.0 + source, graph=graph, source=source, stand_in_for=name)
            made.run("b", 3.0 + source, graph=graph, source=source, stand_in_for=name)
    experiment = load_experiment(made.write(tmp_path / name.replace("/", "") / "n"))
    for module in (engines_by_graph, speedup_bars):
        (drawn,) = module.draw([experiment])
        drawing.save(drawn, tmp_path / "out", drawing.Output(("svg",)), [experiment])
        texts = [text.get_text() for text in drawn.figure.findobj(Text)]
        assert any(name in text for text in texts)
        assert formulas(drawn.figure) == []


def test_powers_on_a_logarithmic_axis_are_powers(tmp_path):
    for name in ("a$1$.csv", "b.csv"):
        (tmp_path / name).write_text("degree,count\n1,100000\n1000,10\n100000,1\n")
    figure = degrees.draw({"$x$": degrees.read_degrees(tmp_path / "b.csv")})
    style.show_powers(figure)
    figure.draw_without_rendering()
    shown = formulas(figure)
    assert shown and all(text.startswith(r"$\mathdefault{") for text in shown)
    files = [str(tmp_path / name) for name in ("a$1$.csv", "b.csv")]
    assert degrees.main([*files, "--out", str(tmp_path / "out.svg")]) == 0


def test_a_name_that_is_a_formula_reaches_the_report(tmp_path, capsys):
    made = Results({"name": "n", "graphs": ["kronecker:scale=8"], "cases": {NAMES[0]: {}},
                    "figure": "engines_by_graph"})  # fmt: skip
    made.run(NAMES[0], 2.0, graph="kronecker:scale=8")
    made.write(tmp_path / "box/n")
    words = ["--format", "png,svg,pdf", "--report", str(tmp_path / "report")]
    assert main([str(tmp_path / "box"), *words]) == 0
    assert NAMES[0] in (tmp_path / "report/report.html").read_text()
    assert capsys.readouterr().err == ""


FORMULAS = ["=1+2", "=cmd|' /C calc'!A0", "+1+2", "-1+2", "-x", "@SUM(1)", "=", "-", "+x,y", '="a"']
HARMLESS = ["a=b", "1-2", "x@y", "-5", "+3.5", "-1e3", "'=1", "#1"]


@pytest.mark.parametrize("name", FORMULAS + HARMLESS)
def test_no_csv_of_a_figure_holds_a_formula(tmp_path, name):
    made = Results({"name": "n", "graphs": ["kronecker:scale=8"], "cases": {name: {}}})
    made.run(name, 2.0, graph="kronecker:scale=8")
    folder = made.write(tmp_path / "box/n")
    recorded = (folder / "runs.csv").read_bytes()
    (drawn,) = engines_by_graph.draw([load_experiment(folder)])
    paths = drawing.save(drawn, tmp_path / "out", drawing.Output(()))
    with paths["csv"].open(newline="") as file:
        (row,) = csv.DictReader(file)
    assert row["case"] == (f"'{name}" if name in FORMULAS else name)
    assert float(row["median_ms"]) == 2
    assert drawn.numbers["case"].tolist() == [name]  # the figure itself and the report show it
    assert (folder / "runs.csv").read_bytes() == recorded
