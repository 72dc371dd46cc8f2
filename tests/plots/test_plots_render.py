# SPDX-License-Identifier: Apache-2.0
"""Every spec in experiments/ names modules that exist, and each draws into real files."""

import importlib
import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from dfq_rows import contention
from matplotlib import rc_context
from matplotlib.text import Text
from PIL import Image, ImageColor
from results_builder import Results, benchmark, formulas, from_spec

from plots import benchmarks, pages, report, style
from plots.__main__ import finding, main, module_names, no_figure
from plots.drawing import Drawing, Output, save, shrink
from plots.load import load_experiment
from plots.specs import resolved

ROOT = Path(__file__).resolve().parents[2]
MODULES = module_names()
SPECS = sorted(p for p in (ROOT / "experiments").glob("*/*.json") if p.name != "claims.json")
# On the paper's own graphs or stand-ins of their size: drawn as the spec beside it is.
STAND_INS = [p for p in SPECS if p.stem.endswith("_standins")]


@pytest.fixture(autouse=True)
def no_claims(monkeypatch):
    """These rows are made up: what claims say of them takes time and is no matter here."""
    monkeypatch.setattr(report, "evaluate", lambda *_, **__: [])


def figures_of(spec: dict) -> list[str]:
    figure = spec.get("figure", [])
    return [figure] if isinstance(figure, str) else figure


@pytest.mark.parametrize("path", SPECS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_spec_names_figures_that_exist(path):
    """The program does not check these names: only the plots know them."""
    assert [no_figure(name) for name in figures_of(resolved(path)) if name not in MODULES] == []


def test_every_module_has_a_spec_that_uses_it():
    used = {name for path in SPECS for name in figures_of(resolved(path))}
    used |= {name for spec in benchmarks.SPECS.values() for name in figures_of(spec)}
    # The specs that `bfslab ablate` writes.
    written = (ROOT / "harness/cli/ablate_command.cpp").read_text()
    used |= set(re.findall(r'spec\["figure"\] = "(\w+)"', written))
    assert set(MODULES) <= used


@pytest.mark.parametrize(
    ("write", "name", "module"),
    [
        (benchmark, "xbfs-fig5", "frontier_generation"),
        (contention, "dfq-contention", "enqueue_contention"),
    ],
)
def test_a_microbenchmark_has_its_figure_and_it_renders(write, name, module, tmp_path, capsys):
    write(tmp_path / "box" / name)
    words = ["--format", "png", "--report", str(tmp_path / "report")]
    assert main([str(tmp_path), *words]) == 0
    assert (tmp_path / f"report/figures/{name}/{module}.png").stat().st_size > 1000
    assert "NVIDIA H200" in (tmp_path / "report/report.html").read_text()
    assert not capsys.readouterr().err


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        '{"context": {"experiment": "other"}}',
        '{"context": {"experiment": "xbfs-fig5"}, "benchmarks": [{}]}',
    ],
)
def test_another_programs_benchmark_is_refused(text, tmp_path, capsys):
    (tmp_path / "box").mkdir()
    (tmp_path / "box/benchmark.json").write_text(text)
    assert main([str(tmp_path), "--out", str(tmp_path / "out")]) == 2
    assert "benchmark.json: not the output of a microbenchmark" in capsys.readouterr().err


def test_without_a_folder_what_was_run_here_is_drawn(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("platform.node", lambda: "here")
    assert main([]) == 2
    assert "neither results/here nor out/quick is here" in capsys.readouterr().err
    for machine in ("here", "elsewhere"):
        benchmark(tmp_path / "results" / machine / "xbfs-fig5")
    assert main(["--format", "png"]) == 0
    assert "results/here/figures/xbfs-fig5/" in capsys.readouterr().out
    assert not list(tmp_path.glob("results/elsewhere/*/*.png"))


@pytest.mark.parametrize("path", STAND_INS, ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_a_spec_on_stand_ins_is_drawn_as_the_one_beside_it(path):
    """It extends that one and changes nothing that the figure tells of. It may sweep more values of
    the same toggles: a machine for graphs of the papers' size has more cores."""
    beside = path.with_stem(path.stem.removesuffix("_standins"))
    mine = json.loads(path.read_text())
    assert mine["extends"] == beside.name
    parent = json.loads(beside.read_text())
    assert mine["name"] == f"{parent['name']}-standins"
    assert (parent | mine)["allow_stand_ins"]
    changed = {"$schema", "extends", "name", "title", "graphs", "allow_stand_ins"}
    assert set(mine) - changed <= {"sources", "repeats", "limits", "sweep"}
    swept, beside_swept = mine.get("sweep", {}), parent.get("sweep", {})
    assert all(set(values) > set(beside_swept[toggle]) for toggle, values in swept.items())


OWN = [path for path in SPECS if path not in STAND_INS]
# The first spec that names each module.
FIRST = {name: path for path in reversed(OWN) for name in figures_of(resolved(path))}


def others_of(path: Path) -> list[str]:
    """The modules of a spec that are not seen in files by it."""
    return [module for module in figures_of(resolved(path)) if FIRST[module] != path]


def assert_complete(drawing: Drawing, module: str, said: str) -> None:
    code = importlib.import_module(f"plots.figures.{module}")
    assert drawing.name.startswith(module) and drawing.caption
    assert len(drawing.numbers), f"{module} has no numbers"
    if hasattr(code, "finding"):
        assert re.search(r"\d", said), f"{module} says nothing of its numbers"


def assert_names_are_no_formulas(drawing: Drawing) -> None:
    """Names may hold "$": of all texts, the powers on a logarithmic axis alone are formulas."""
    if drawing.table:
        return
    shown = formulas(drawing.figure)
    assert all(text.startswith(r"$\mathdefault{") for text in shown), shown
    others = [t.get_text() for t in drawing.figure.findobj(Text) if not t.get_parse_math()]
    assert not [text for text in others if "mathdefault" in text]


@pytest.mark.parametrize(
    "path",
    [path for path in OWN if others_of(path)],
    ids=lambda path: f"{path.parent.name}-{path.stem}",
)
def test_a_spec_has_its_figure(path, tmp_path):
    """Drawn, and not written: what the next test writes is looked at there."""
    spec = resolved(path)
    experiment = load_experiment(from_spec(spec).write(tmp_path / "box" / spec["name"]))
    for module in others_of(path):
        code = importlib.import_module(f"plots.figures.{module}")
        drawings = code.draw([experiment])
        assert drawings, f"{module} drew nothing"
        for drawing in drawings:
            # `finding` throws where it is no sentence
            assert_complete(drawing, module, finding(code, drawing, [experiment]))


def assert_latex(path: Path) -> None:
    """The files for a paper: as many cells in each line of the table as it has columns, and texts
    without a letter that LaTeX would take for a command."""
    lines = path.with_suffix(".tex").read_text().splitlines()
    (begin,) = (line for line in lines if line.startswith(r"\begin{"))
    columns = re.fullmatch(r"\\begin\{(?:tabular|longtable)\}\{([lr]+)\}", begin)[1]
    rows = [line for line in lines if line.endswith(r" \\")]
    assert len(rows) > 1
    for row in rows:
        spans = [int(n) - 1 for n in re.findall(r"\\multicolumn\{(\d+)\}", row)]
        assert len(re.findall(r"(?<!\\)&", row)) + 1 + sum(spans) == len(columns), row
    said = path.with_suffix(".caption.tex").read_text()
    assert re.fullmatch(r"(?s)\\caption\{.{40,}\}\n\\label\{(fig|tab):[^{}]+\}\n", said)
    assert not re.search(r"(?<!\\)[%&#_]", said.split("\n\\label")[0])
    assert len(path.with_suffix(".caption.txt").read_text()) > 40


@pytest.mark.parametrize("module", sorted(FIRST))
def test_a_figure_becomes_files(module, tmp_path, capsys, monkeypatch):
    saved = []
    monkeypatch.setattr("plots.__main__.save", lambda *of: (saved.append(of[0]), save(*of))[1])
    spec = resolved(FIRST[module])
    from_spec(spec).write(tmp_path / "box" / spec["name"])
    out = tmp_path / "out"
    words = ["--only", module, "--format", "png", "--report", str(out)]
    assert main([str(tmp_path / "box"), *words]) == 0
    folder = out / "figures" / spec["name"]
    drawn = sorted([*folder.glob(f"{module}*.png"), *folder.glob(f"{module}*.html")])
    assert drawn, f"{module} drew nothing"
    tables = {drawing.name: bool(drawing.table) for drawing in saved}
    assert tables == {path.stem: path.suffix == ".html" for path in drawn}
    for drawing in saved:
        assert_complete(drawing, module, drawing.finding)
        assert_names_are_no_formulas(drawing)
    page = (out / "report.html").read_text()
    for path in drawn:
        begin = b"<!DOCTYPE html>" if tables[path.stem] else b"\x89PNG\r\n\x1a\n"
        assert path.read_bytes().startswith(begin)
        assert path.stat().st_size > 1000
        assert len(path.with_suffix(".csv").read_text().splitlines()) > 1
        assert_latex(path)
        assert f'id="{spec["name"]}-{path.stem}"' in page
        assert f'href="figures/{spec["name"]}/{path.stem}.csv"' in page
    shown = re.findall(rf'<div class="plot"|<table id="{spec["name"]}-[^"]*-table"', page)
    assert len(shown) == len(drawn)
    for svg in (text for text in shown if text.startswith("<svg")):
        elements = list(ElementTree.fromstring(svg).iter())
        outlines = "".join(element.get("d", "") for element in elements)  # alike ones are one
        assert len(elements) + len(re.findall("[a-z]", outlines)) > 60
    assert str(folder) in capsys.readouterr().out


def test_an_image_says_machine_graphs_and_statistic_in_itself(tmp_path):
    """In the SVG, whose text is text here: below the axes, where nothing else is drawn."""
    results = Results({"name": "x", "graphs": ["kronecker:scale=16"], "figure": "engines_by_graph"})
    results.environment = {"cpu": {"model": "Xeon", "allowed": 4}, "commit": "0123456789abcdef",
                           "gpu": {"devices": [{"name": "NVIDIA H200, GPU-1"}] * 2}}  # fmt: skip
    results.graph("kronecker:scale=16", 65536, 1_818_000)
    results.run("A", 2.0, gpu="GPU-1")
    results.run("A", 3.0, gpu="GPU-1", source=8, polluted=1)
    results.run("B", None, status="unsupported", source=8)
    experiment = load_experiment(results.write(tmp_path / "box" / "x"))
    (drawing,) = importlib.import_module("plots.figures.engines_by_graph").draw([experiment])
    drawing.statistic = "median [ms]"
    low = drawing.figure.get_tightbbox().y0
    with rc_context({"svg.fonttype": "none"}):
        paths = save(drawing, tmp_path / "out", Output(("svg",)), [experiment])
    text = " ".join(ElementTree.parse(paths["svg"]).getroot().itertext())
    told = " ".join(text.split())
    assert "Statistic: median [ms]." in told
    assert (
        "box (Xeon, 4 processors, 2 x NVIDIA H200, commit 0123456789ab); 1 of 2 timings "
        "disturbed; 2 sources per graph." in told
    )
    assert "Graphs (vertices / adjacency entries): kronecker scale=16 65.5k / 1.82M." in told
    footer = drawing.figure.texts[-1].get_window_extent()
    assert footer.y1 / drawing.figure.dpi < low


def test_a_png_keeps_the_colours_of_its_lines(tmp_path):
    """Few pixels have them, and the palette is short."""
    image = Image.new("RGB", (64, 64))
    image.putdata([(x * 4, y * 4, (x + y) * 2) for y in range(64) for x in range(64)])
    for place, color in enumerate(style.COLORS):
        image.putpixel((place, 0), ImageColor.getrgb(color))
    image.save(tmp_path / "x.png")
    shrink(tmp_path / "x.png")
    with Image.open(tmp_path / "x.png") as few:
        assert few.mode == "P"
        kept = few.convert("RGB")
    for place, color in enumerate(style.COLORS):
        assert kept.getpixel((place, 0)) == ImageColor.getrgb(color)


@pytest.mark.parametrize("module", MODULES)
@pytest.mark.parametrize("content", ["no rows", "all failed"])
def test_nothing_to_draw_is_said_and_does_not_crash(module, content, tmp_path):
    spec = {"name": "bare", "graphs": ["kronecker:scale=16"], "cases": {"A": {}}, "figure": module}
    results = Results(spec)
    if content == "all failed":
        for case, status in (("A", "crash"), ("B", "timeout")):
            results.run(case, status=status, reason="made up", source="")
            results.run(case, status=status, reason="made up", instrumented=1)
    results.write(tmp_path / "box" / "bare")
    arguments = [str(tmp_path / "box"), "--out", str(tmp_path / "out"), "--format", "svg"]
    assert main(arguments) == 0
    made = tmp_path / "out" / "bare"
    assert [*made.glob(f"{module}*.svg"), *made.glob(f"{module}*.html")]


def test_the_same_rows_give_the_same_svg(tmp_path):
    spec = json.loads((ROOT / "experiments/quick/engines.json").read_text())
    from_spec(spec).write(tmp_path / "box" / "quick")
    for out in ("a", "b"):
        main([str(tmp_path / "box"), "--out", str(tmp_path / out), "--format", "svg"])
    first, second = (next((tmp_path / out).rglob("*.svg")).read_bytes() for out in "ab")
    assert first == second


def test_two_machines_are_drawn_together_or_side_by_side(tmp_path):
    spec = json.loads((ROOT / "experiments/quick/engines.json").read_text())
    spec["figure"] = ["engines_by_graph", "edges_per_level"]
    for host in ("one", "two"):
        results = from_spec(spec)
        results.environment = {"host": host}
        results.write(tmp_path / host / spec["name"])
    out = tmp_path / "out"
    folders = [str(tmp_path / host) for host in ("one", "two")]
    assert main([*folders, "--out", str(out), "--format", "png"]) == 0
    names = sorted(p.name for p in (out / spec["name"]).glob("*.png"))
    assert names == [
        "edges_per_level@one.png", "edges_per_level@two.png", "engines_by_graph.png",
    ]  # fmt: skip
    numbers = (out / spec["name"] / "engines_by_graph.csv").read_text()
    assert "\none," in numbers and "\ntwo," in numbers


def test_folders_of_one_machine_and_experiment_have_files_of_their_own(tmp_path):
    spec = json.loads((ROOT / "experiments/quick/engines.json").read_text())
    spec["figure"] = "edges_per_level"
    name = spec["name"]
    folders = ["a/one/" + name, "a/one/" + name + "-more", "b/one/" + name, "a/two/again"]
    for folder in folders:
        from_spec(spec).write(tmp_path / folder)
    out = tmp_path / "out"
    given = [str(tmp_path / folder) for folder in folders]
    assert main([*given, "--out", str(out), "--format", "png"]) == 0
    drawn = {path.stem.partition("@")[2] for path in (out / name).glob("*.png")}
    assert drawn == {"one", "one-more", "one-2", "two"}


def test_only_and_format_choose(tmp_path):
    for name in ("quick/engines", "quick/edges"):
        spec = json.loads((ROOT / f"experiments/{name}.json").read_text())
        from_spec(spec).write(tmp_path / "box" / spec["name"])
    arguments = [str(tmp_path / "box"), "--only", "quick-edges/*", "--format", "pdf"]
    assert main(arguments) == 0
    made = tmp_path / "box" / "figures"
    assert sorted(p.name for p in made.iterdir()) == ["quick-edges"]
    assert not list(made.rglob("*.png"))
    assert next(made.rglob("*.pdf")).read_bytes()[:5] == b"%PDF-"


@pytest.mark.parametrize(
    ("prepare", "message"),
    [
        (lambda box: None, "nothing was run there yet"),
        (lambda box: Results({"name": "x", "figure": "speedup_bar"}).write(box / "x"),
         "x/spec.json: there is no figure 'speedup_bar'; the nearest is 'speedup_bars'"),
        (lambda box: Results({"name": "x", "figure": "zzz"}).write(box / "x"),
         "there is no figure 'zzz'; there are: against_authors, "),
        (lambda box: (Results({"name": "x"}).write(box / "x") / "runs.csv").write_text("a\n1\n"),
         "no last column seal"),
        (lambda box: (Results({"name": "x"}).write(box / "x") / "spec.json").write_text("{"),
         "not JSON"),
    ],
)  # fmt: skip
def test_unusable_results_are_one_message_and_exit_code_2(prepare, message, tmp_path, capsys):
    prepare(tmp_path)
    assert main([str(tmp_path), "--out", str(tmp_path / "out")]) == 2
    assert message in capsys.readouterr().err


def test_any_figure_of_any_rows_is_drawn_by_its_name(tmp_path, capsys):
    """Whatever the spec says, which may say nothing."""
    results = Results({"name": "x", "graphs": ["kronecker:scale=16"]})
    for source in range(4):
        results.run("A", 2.0, source=source)
        results.run("B", 1.0, source=source)
    results.write(tmp_path / "box" / "x")
    draw = [str(tmp_path / "box" / "x"), "--out", str(tmp_path / "out"), "--format", "svg"]
    named = ["--figure", "engines_by_graph,speedup_bars", "--figure", "best_of_repeats"]
    assert main([*draw, *named]) == 0
    drawn = {path.stem for path in (tmp_path / "out/x").glob("*.svg")}
    assert drawn == {"engines_by_graph", "speedup_bars"}
    assert (tmp_path / "out/x/best_of_repeats.html").exists()
    assert capsys.readouterr().err.startswith("plots: beside each of these: ")
    assert main([*draw, "--figure", "speedup_bra"]) == 2
    said = capsys.readouterr().err
    assert said == (
        "plots: --figure: there is no figure 'speedup_bra'; the nearest is 'speedup_bars'\n"
    )


def test_a_figure_of_rows_that_it_cannot_show_is_one_message(tmp_path, capsys, monkeypatch):
    folder = Results({"name": "x", "figure": ["engines_by_graph", "speedup_bars"]})
    folder.run("A", 2.0)
    folder.write(tmp_path / "box" / "x")
    broken = importlib.import_module("plots.figures.speedup_bars")
    monkeypatch.setattr(broken, "draw", lambda experiments: experiments[0].runs["nothing"])
    assert main([str(tmp_path), "--out", str(tmp_path / "out"), "--format", "svg"]) == 2
    captured = capsys.readouterr()
    beside, said = captured.err.splitlines()
    assert beside == "plots: beside each of these: .csv, .tex, .caption.txt, .caption.tex"
    assert "box/x: the figure speedup_bars cannot be drawn from these rows: KeyError" in said
    assert (tmp_path / "out/x/engines_by_graph.svg").exists()  # the others are drawn


@pytest.mark.parametrize("module", MODULES)
def test_no_figure_of_other_rows_ends_in_a_traceback(module, tmp_path, capsys):
    """Timed rows of two CPU engines, of which many figures have nothing to show."""
    results = Results({"name": "x", "graphs": ["kronecker:scale=16"]})
    for source in range(4):
        for case, engine in (("A", "hybrid"), ("B", "top-down")):
            results.run(case, 2.0, source=source, engine=engine)
    results.write(tmp_path / "box" / "x")
    words = ["--out", str(tmp_path / "out"), "--format", "none", "--figure", module]
    code = main([str(tmp_path), *words])
    said = capsys.readouterr().err
    assert (code, len(said.splitlines())) in {(0, 0), (2, 1)}


def test_a_report_replaces_a_report_and_nothing_else(tmp_path, capsys):
    Results({"name": "x", "figure": "engines_by_graph"}).write(tmp_path / "box" / "x")
    out = tmp_path / "report"
    words = [str(tmp_path / "box"), "--format", "png", "--report", str(out)]
    assert main(words) == 0
    printed = capsys.readouterr().out.splitlines()
    assert str(out / "report.html") in printed and all(Path(line).exists() for line in printed)
    made = {path.name for path in out.iterdir()}
    assert made == {"report.html", "REPORT.md", "claims.md", "claims.json", "claims.csv", "figures"}
    (out / "figures/old.png").write_text("of an earlier report")
    assert main(words) == 0 and not (out / "figures/old.png").exists()
    before = (out / "report.html").stat().st_ino
    (out / "notes.txt").write_text("mine")
    assert main(words) == 2
    assert "report: holds notes.txt, which is not part of a report" in capsys.readouterr().err
    assert (out / "notes.txt").read_text() == "mine"
    assert (out / "report.html").stat().st_ino == before
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []
    words[-1] = str(out / "notes.txt")
    assert main(words) == 2 and "notes.txt: is no folder" in capsys.readouterr().err


def test_a_report_that_fails_leaves_the_one_before_it(tmp_path, monkeypatch):
    Results({"name": "x", "figure": "engines_by_graph"}).write(tmp_path / "box" / "x")
    out = tmp_path / "report"
    words = [str(tmp_path / "box"), "--format", "none", "--report", str(out)]
    assert main(words) == 0
    before = {path.name: path.read_bytes() for path in out.glob("*.*")}
    monkeypatch.setattr("plots.__main__.write_report", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        main(words)
    assert {path.name: path.read_bytes() for path in out.glob("*.*")} == before
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_a_folder_that_is_not_there_is_refused(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["/no/such/folder"])
    assert stop.value.code == 2
    assert "/no/such/folder is not a folder" in capsys.readouterr().err


def test_warnings_reach_the_reader(tmp_path, capsys):
    spec = json.loads((ROOT / "experiments/quick/edges.json").read_text())
    folder = from_spec(spec).write(tmp_path / "box" / spec["name"])
    with (folder / "runs.csv").open("a") as file:
        file.write("17,quick-ed")
    words = ["--format", "none", "--report", str(tmp_path / "report")]
    assert main([str(tmp_path / "box"), *words]) == 0
    assert "torn" in capsys.readouterr().err
    assert "torn" in (tmp_path / "report/report.html").read_text()


def test_the_users_matplotlibrc_has_no_effect(tmp_path):
    benchmark(tmp_path / "box/xbfs-fig5")
    (tmp_path / "matplotlibrc").write_text("text.usetex: True\nfont.size: 30\n")
    (tmp_path / "bytes").write_bytes(b"backend: \xff\nfigure.figsize: x\n")
    pictures = []
    users = ({}, {"MATPLOTLIBRC": str(tmp_path / "matplotlibrc")},
             {"MATPLOTLIBRC": str(tmp_path / "bytes"), "MPLBACKEND": "nonsense"})  # fmt: skip
    for number, user in enumerate(users):
        out = tmp_path / f"out{number}"
        command = [sys.executable, "-m", "plots", tmp_path / "box", "--format", "png", "--out", out]
        subprocess.run(command, cwd=ROOT, env={**os.environ, **user}, check=True)
        pictures.append(Image.open(out / "xbfs-fig5/frontier_generation.png").tobytes())
    assert pictures[0] == pictures[1] == pictures[2]


def test_a_folder_that_cannot_be_written_is_said(tmp_path, capsys):
    benchmark(tmp_path / "box/xbfs-fig5")
    assert main([str(tmp_path), "--format", "png", "--out", "/proc/nowhere"]) == 2
    assert "cannot write /proc/nowhere" in capsys.readouterr().err


def test_names_are_no_html_in_markdown():
    table = pages.markdown_table(["case"], [["<img src=x>", "a < b", "`<kept>`"]])
    assert "&lt;img src=x>" in table and "a < b" in table and "`<kept>`" in table
