# SPDX-License-Identifier: Apache-2.0
"""scripts/reproduce.py: what a scale runs, what is said before it starts, and how it ends."""

import json
import os
import re
import subprocess
import sys
from argparse import Namespace
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import reproduce  # noqa: E402


def said_of(graphs: list[dict], **keys) -> dict:
    """What `bfslab check --json` says of one spec."""
    spec = {"graphs": graphs, "runs_here": True, "memory_bytes": None, "gpu_memory_bytes": None,
            "seconds": None, "cannot_run_here": [], "cannot_be_made": [], **keys}  # fmt: skip
    return {"specs": [spec], "errors": []}


def graph(name: str, vertices=None, edges=None, graph_bytes=None, seconds=None) -> dict:
    return {"name": name, "vertices": vertices, "edges": edges, "graph_bytes": graph_bytes,
            "seconds": seconds and {"least": 0.0, "most": seconds}}  # fmt: skip


SIZE = {"vertices": 2**22, "edges": 2**27}
SAID = said_of(
    [
        graph("snap:ca-HepPh"),
        graph("kronecker:scale=22", **SIZE, graph_bytes=544 * 2**20, seconds=0.09),
        graph("kronecker:scale=24", **SIZE, graph_bytes=0, seconds=0.09),
    ],
    seconds={"least": 60.0, "most": 4800.0},
    memory_bytes=5 * 2**29,
    gpu_memory_bytes=2**29,
)
WHY = "no GPU can be used: none"
NO_GPU = said_of([graph("kronecker:scale=22", **SIZE)], runs_here=False,
                 cannot_run_here=[{"engine": "xbfs", "reason": WHY}])  # fmt: skip
PAPERS = ("xbfs", "dfq", "scalable-bfs", "cs406", "graph500-romeo")
# Answers `check` as requested, refusing what is named so, writes down every `run`, and ends as
# requested.
STAND_IN = """#!{python}
import pathlib, sys, time
words = sys.argv[1:]
here = pathlib.Path({here!r})
if words[0] == "check":
    spec = next(w for w in words[1:] if w.endswith(".json"))
    if "refused" in spec:
        sys.exit(spec + ":3:1: at `repeats`: found 0")
    print(pathlib.Path(spec).read_text() if "--resolved" in words else (here / "said").read_text())
    sys.exit(0)
with open(here / "calls", "a") as calls:
    calls.write(" ".join(words) + "\\n")
if {hangs}:
    time.sleep(3600)
sys.exit({status})
"""


class Paper:
    """A folder of specs, and a program in bfslab's place."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "experiments/x").mkdir(parents=True)
        self.says(said_of(**SAID["specs"][0] | {"gpu_memory_bytes": 0}))
        self.answers(0)

    def spec(self, name: str, **keys) -> None:
        spec = {"name": f"x-{name}", "graphs": ["kronecker:scale=22"], **keys}
        (self.folder / f"experiments/x/{name}.json").write_text(json.dumps(spec))

    def says(self, said: dict) -> None:
        (self.folder / "said").write_text(json.dumps(said))

    def answers(self, status: int, hangs: bool = False) -> None:
        program = self.folder / "bfslab"
        program.write_text(STAND_IN.format(python=sys.executable, here=str(self.folder),
                                           status=status, hangs=hangs))  # fmt: skip
        program.chmod(0o755)

    def run(self, *words: str) -> subprocess.CompletedProcess:
        command = [sys.executable, ROOT / "scripts/reproduce.py", *words]
        command += ["--bfslab", self.folder / "bfslab"]
        command += ["--experiments", self.folder / "experiments"]
        command += ["--results", self.folder / "out"]
        return subprocess.run(command, capture_output=True, text=True, env=os.environ.copy())

    def calls(self) -> list[str]:
        path = self.folder / "calls"
        return path.read_text().splitlines() if path.exists() else []


@pytest.fixture
def paper(tmp_path) -> Paper:
    return Paper(tmp_path)


def test_what_check_says_is_understood():
    need = reproduce.need_of(SAID["specs"][0])
    assert need.seconds == 80 * 60
    assert (need.memory, need.gpu_memory) == (2.5 * 2**30, 512 * 2**20)
    assert need.graphs == {
        "snap:ca-HepPh": reproduce.Graph(None, None, None),
        "kronecker:scale=22": reproduce.Graph(544 * 2**20, 544 * 2**20, 0.09),
        "kronecker:scale=24": reproduce.Graph(8 * 2**22 + 4 * 2**27, 0, 0.09),
    }
    assert need.disk == 544 * 2**20 and need.why_not_here == ""
    assert reproduce.need_of(NO_GPU["specs"][0]).why_not_here == WHY


def test_check_of_this_program_is_understood(bfslab):
    """The fields that are read above are those of the program beside these scripts."""
    spec = ROOT / "experiments/quick/engines.json"
    need, errors = reproduce.check(bfslab, spec, [])
    assert errors == []
    assert need.seconds > 0 and need.memory > 2**20 and need.gpu_memory is None
    graph = need.graphs["kronecker:scale=18"]
    assert graph.csr == graph.disk > 2**20 and graph.seconds > 0


def test_a_quick_run_has_few_sources_and_small_graphs():
    big = {"name": "kronecker:scale=25", "stand_in_for": "x"}
    unknown, large = reproduce.Graph(None, None, None), reproduce.Graph(2.0**33, 2.0**33, 1.0)
    need = reproduce.Need(1, 1, None, {"a": unknown, "kronecker:scale=25": large})
    spec = {"graphs": ["a", big, "a-group"], "sources": {"count": 16}, "repeats": 9}
    words = reproduce.smaller(spec | {"invocations": 3}, need)
    assert words[::2] == ["--set"] * 4
    assert words[1::2] == ["sources.count=4", "repeats=1", "invocations=1", 'graphs=["a"]']
    adaptive = {"graphs": ["a"], "repeats": {"maximum": 9}}
    assert reproduce.smaller(adaptive, need) == ["--set", "repeats=1"]
    few = {"graphs": ["a"], "sources": {"count": 2}, "repeats": 1, "invocations": 1}
    assert reproduce.smaller(few, need) == []
    assert reproduce.smaller({"graphs": [big]}, need) is None


@pytest.mark.parametrize(
    ("sources", "words"),
    [
        ({"count": 16, "seed": 1}, ["--set", "sources.count=4"]),
        ([9, 8, 7, 6, 5], ["--set", "sources=[9, 8, 7, 6]"]),
        ({"ids": ["e", "d", "c", "b", "a"]}, ["--set", 'sources.ids=["e", "d", "c", "b"]']),
        ({"count": 4}, []),
        ([9, 8], []),
        ({"ids": [70, 30]}, []),
        (None, []),
    ],
)
def test_a_quick_run_takes_the_first_sources_however_a_spec_names_them(paper, sources, words):
    paper.spec("a", **({} if sources is None else {"sources": sources}))
    quick = paper.run("x", "--scale", "quick")
    assert (quick.returncode, quick.stderr) == (0, "")
    (call,) = [each for each in paper.calls() if each.startswith("run ")]
    assert call.endswith(" ".join(["--allow-stand-ins", *words]))


@pytest.mark.parametrize("sources", [[9, 8, 7, 6, 5], {"ids": [9, 8, 7, 6, 5]}])
def test_first_sources_are_a_setting_that_the_program_takes(bfslab, tmp_path, sources):
    spec = {"name": "t", "graphs": ["path:vertices=99"], "sources": sources,
            "cases": {"a": {"engine": "sequential"}}}  # fmt: skip
    path = tmp_path / "t.json"
    path.write_text(json.dumps(spec))
    words = ["check", "--resolved", path, *reproduce.fewer_sources(sources)]
    answer = reproduce.called(Path(bfslab), *words)
    assert answer.returncode == 0, answer.stderr
    few = json.loads(answer.stdout)["sources"]
    assert (few["ids"] if isinstance(sources, dict) else few) == [9, 8, 7, 6]


@pytest.mark.parametrize(
    ("graph", "small"),
    [
        (reproduce.Graph(2.0**29, 2.0**29, 900.0), True),
        (reproduce.Graph(2.0**33, 2.0**33, 0.1), False),  # has to be built first
        (reproduce.Graph(2.0**33, 0.0, 240.0), False),  # built on the GPUs, by every process
        (reproduce.Graph(2.0**33, 0.0, 0.1), True),  # nothing but its parameters is read
    ],
)
def test_a_graph_that_nothing_builds_is_small_if_it_takes_seconds(graph, small):
    assert graph.small is small


def test_each_scale_has_its_specs(paper):
    for name in ("b", "a", "a_standins", "a_full"):
        paper.spec(name)
    (paper.folder / "experiments/x/claims.json").write_text("{}")
    root = paper.folder / "experiments"
    named = {
        scale: [path.stem for path in reproduce.specs_of("x", scale, root)]
        for scale in reproduce.SCALES
    }
    assert named == {
        "quick": ["a", "b"],
        "standard": ["a", "a_standins", "b"],
        "full": ["a", "a_full", "a_standins", "b"],
    }


@pytest.mark.parametrize("scale", reproduce.SCALES)
@pytest.mark.parametrize("paper", PAPERS)
def test_no_spec_of_a_paper_is_refused(paper, scale, bfslab):
    """By the program itself: each spec is run, or named with the reason why it is not."""
    command = [sys.executable, ROOT / "scripts/reproduce.py", paper, "--scale", scale]
    command += ["--dry-run", "--bfslab", bfslab]
    answer = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert (answer.returncode, answer.stderr) == (0, "")
    specs = reproduce.specs_of(paper, scale, ROOT / "experiments")
    assert [spec for spec in specs if str(spec.relative_to(ROOT)) not in answer.stdout] == []
    ready = re.findall(rf"^experiments/{paper}/\S+.json  ", answer.stdout, re.MULTILINE)
    assert len(ready) >= 4, answer.stdout


@pytest.mark.parametrize("paper", PAPERS)
def test_quick_takes_less_than_ten_minutes_by_its_own_estimate(paper, bfslab, monkeypatch):
    """As on a machine with a GPU, as far as the program can tell without one."""
    monkeypatch.setattr(reproduce, "why_no_gpu", lambda: "")
    plan = reproduce.planned(Namespace(paper=paper, scale="quick", bfslab=Path(bfslab),
                                       experiments=ROOT / "experiments"))  # fmt: skip
    taken = sum(job.need.seconds or 0 for job in plan.jobs)
    assert 0 < taken < reproduce.QUICK_S - reproduce.REPORT_S


def test_what_check_refuses_is_an_error_and_keeps_nothing_else_from_running(paper):
    paper.spec("a")
    paper.spec("refused")
    for words in (["--dry-run"], []):
        answer = paper.run("x", *words)
        assert answer.returncode == 2
        assert "refuses" in answer.stderr and "refused.json:3:1: at `repeats`" in answer.stderr
        assert "a.json" in answer.stdout
    assert len(paper.calls()) == 1


def test_needs_are_said_and_nothing_runs_on_request(paper):
    paper.spec("a")
    answer = paper.run("x", "--dry-run")
    assert answer.returncode == 0, answer.stderr
    line = next(line for line in answer.stdout.splitlines() if "a.json" in line)
    assert line.split()[1:] == ["80", "2.5", "GiB", "-", "544", "MiB"]
    assert paper.calls() == []


@pytest.mark.parametrize("order", [("whole", "counted"), ("counted", "whole")])
def test_disk_together_is_that_of_each_graph_once(paper, capsys, order):
    """One spec builds the graph, the other only counts it: the sum has it all the same."""
    graph = {
        "whole": reproduce.Graph(2.0**29, 2.0**29, 1.0),
        "counted": reproduce.Graph(2.0**29, 0, 1.0),
    }
    other = {"other": reproduce.Graph(2.0**28, 2.0**28, 1.0)}
    jobs = [
        reproduce.Job(ROOT / kind, [], reproduce.Need(1, 1, None, {"same": graph[kind]} | other))
        for kind in order
    ]
    reproduce.print_plan(jobs, Namespace(scale="full", paper="x", results=ROOT))
    together = next(
        line for line in capsys.readouterr().out.splitlines() if line.startswith("together")
    )
    assert together.endswith("  768 MiB")


def test_one_bad_end_does_not_keep_the_others_from_running(paper):
    paper.spec("a")
    paper.spec("b")
    paper.answers(1)
    answer = paper.run("x")
    assert answer.returncode == 1
    assert len(paper.calls()) == 2


def test_an_interruption_ends_all(paper):
    paper.spec("a")
    paper.spec("b")
    paper.answers(130)
    assert paper.run("x").returncode == 130
    assert len(paper.calls()) == 1


def test_what_the_time_does_not_allow_is_named(paper):
    paper.spec("a")
    answer = paper.run("x", "--scale", "quick", "--seconds", "0")
    assert "time was over before the end of" in answer.stdout and "a.json" in answer.stdout
    assert paper.calls() == []


def test_a_run_is_stopped_when_the_time_is_over(paper):
    """By an interrupt, after which the same command goes on."""
    paper.spec("a")
    paper.answers(0, hangs=True)
    spec = paper.folder / "experiments/x/a.json"
    job = reproduce.Job(spec, [], reproduce.need_of(SAID["specs"][0]))
    options = Namespace(bfslab=paper.folder / "bfslab", results=paper.folder / "out")
    assert reproduce.run(job, options, 0.0) is None


def test_specs_for_gpus_are_left_out_visibly_where_there_is_none(paper, monkeypatch):
    paper.spec("a")
    paper.says(SAID)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    answer = paper.run("x")
    assert "Left out, because" in answer.stdout and "a.json" in answer.stdout
    assert answer.returncode == 0 and paper.calls() == []


def test_what_none_of_its_engines_can_run_is_left_out_with_the_reason(paper):
    paper.spec("a")
    paper.says(NO_GPU)
    answer = paper.run("x")
    assert "Left out, because no GPU can be used: none: " in answer.stdout
    assert answer.returncode == 0 and paper.calls() == []


@pytest.mark.parametrize("number", ["nan", "inf", "-1", "-inf", "1e999", "ten", ""])
@pytest.mark.parametrize(
    "words", [["reproduce.py", "x", "--seconds"], ["measure.py", "a.json", "--limit-s"]]
)
def test_a_limit_is_a_number(paper, words, number):
    paper.spec("a")
    if words[0] == "reproduce.py":
        answer = paper.run("x", f"{words[-1]}={number}")
    else:
        command = [sys.executable, ROOT / "scripts" / words[0], *words[1:-1]]
        command.append(f"{words[-1]}={number}")
        answer = subprocess.run(command, capture_output=True, text=True)
    assert answer.returncode == 2 and f"argument {words[-1]}: invalid" in answer.stderr
    assert paper.calls() == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["y"], "PAPER='y' is none of x"),
        ([""], "PAPER='' is none of x"),
        (["x", "--scale", "fast"], "SCALE='fast' is none of quick, standard, full"),
    ],
)
def test_what_there_is_none_of_is_refused(paper, words, said):
    paper.spec("a")
    answer = paper.run(*words)
    assert answer.returncode == 2
    assert said in answer.stderr


def test_it_ends_in_the_report(paper, bfslab, monkeypatch):
    """With the program itself, on a graph of 256 vertices."""
    paper.spec("a", graphs=["kronecker:scale=8"], sources={"count": 2},
               cases={"A": {"engine": "sequential"}}, figure="engines_by_graph")  # fmt: skip
    (paper.folder / "bfslab").unlink()
    (paper.folder / "bfslab").symlink_to(bfslab)
    monkeypatch.setenv("BFSLAB_CACHE", str(paper.folder / "cache"))
    answer = paper.run("x", "--scale", "quick")
    assert answer.returncode == 0, answer.stderr
    text = (paper.folder / "out/report/report.html").read_text()
    assert "x-a" in text and "data:image/svg+xml;base64," in text
    assert "report.html in a browser" in answer.stdout
