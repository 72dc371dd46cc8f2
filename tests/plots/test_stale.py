# SPDX-License-Identifier: Apache-2.0
"""Which rows are of the engines as they are now: on a made-up repository, and on results/."""

import json
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from results_builder import Results, benchmark

from plots import benchmarks, caveats, stale
from plots.benchmarks import FILE
from plots.claims import output
from plots.engine_hashes import RULE, at_commit, code, working_tree
from plots.load import load_experiment
from plots.pages import with_block
from tests.checkouts import commit

ROOT = Path(__file__).resolve().parents[2]
REGISTRATION = 'const RegisterEngine registration{{.name = "%s", .summary = "s"}};\n'
# a: a CPU engine with a helper that has a source of its own. b: a CPU engine without. g: a GPU
# engine whose kernels other sources supply and register. h: a GPU engine without these.
FILES = {
    "cmake/BfslabOptions.cmake": "list(APPEND BFSLAB_HOST_FLAGS -Wall -march=native)\n",
    "kernels/engine.hpp": '#include "kernels/answer.hpp"\nclass RegisterEngine {};\n',
    "kernels/answer.hpp": "enum class Answer { levels };\n",
    "kernels/cpu/shared.hpp": "int shared(int x);\n",
    "kernels/cpu/shared.cpp": "int shared(int x) { return x; }\n",
    "kernels/cpu/others.cpp": "int others(int x) { return x; }\n",
    "kernels/cpu/a.cpp": '#include "kernels/cpu/shared.hpp"\n#include "kernels/engine.hpp"\n'
    + REGISTRATION % "a",
    "kernels/cpu/b.cpp": '#include "kernels/engine.hpp"\n' + REGISTRATION % "b",
    "kernels/cuda/CMakeLists.txt": "set(flags -lineinfo --use_fast_math)  # not -O0\n",
    "kernels/cuda/make.hpp": "inline constinit Make make_g{1};\ninline constinit Make make_h{2};\n",
    "kernels/cuda/g.cpp": '#include "kernels/cuda/make.hpp"\n#include "kernels/engine.hpp"\n'
    + "int g() { return make_g(1); }\n"
    + REGISTRATION % "g",
    "kernels/cuda/h.cpp": '#include "kernels/cuda/make.hpp"\n#include "kernels/engine.hpp"\n'
    + "int h() { return make_h(1); }\n"
    + REGISTRATION % "h",
    "kernels/cuda/g.cu": '#include "kernels/cuda/search/kernels.hpp"\n'
    + "const bool supplied = make_g.supply([](int x) { return scan(x); });\n",
    "kernels/cuda/h.cu": "const bool supplied = make_h.supply([](int x) { return x; });\n",
    "kernels/cuda/search/kernels.hpp": "class RegisterPart {};\nint scan(int x);\n",
    "kernels/cuda/search/scan.cu": "int scan(int x) { return x + 1; }\n",
    "kernels/cuda/search/part.cu.in": '#include "kernels/cuda/expand/@name@.cuh"\n'
    + "const RegisterPart registration(@class@);\n",
    "kernels/cuda/expand/merge.cuh": "struct Merge {};\n",
    "tests/benchmarks/some_benchmark.cu": '#include "kernels/cuda/search/kernels.hpp"\n',
}


class Repository:
    def __init__(self, root: Path) -> None:
        self.root = root
        for path, text in FILES.items():
            self.write(path, text)
        self.before = working_tree(root).hashes()
        self.commit = commit(root)

    def write(self, path: str, text: str) -> None:
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)

    def changed(self) -> set[str]:
        """Engines whose hash is another than at the first commit."""
        now = working_tree(self.root).hashes()
        return {
            engine for engine in {*now, *self.before} if now.get(engine) != self.before.get(engine)
        }

    def state(self, engine: str, **environment: object) -> tuple[str, str]:
        return stale.Judge(self.root).state(engine, {"commit": self.commit} | environment)


@pytest.fixture
def repository(tmp_path):
    return Repository(tmp_path)


# What counts as code


@pytest.mark.parametrize(
    "text",
    [
        "int f(int x){return x;}",
        "// why\nint f(int x) {\n\n  return x; /* not\n y */ }",
        "int f(int x) { return x; } // and on \\\n int g();",
        "int f(int x) \\\n { return x; }",
    ],
)
def test_comments_and_blanks_are_no_code(text):
    assert code(text) == code("int f(int x) { return x; }")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ('f("a // b");', 'f("a // c");'),
        ('f("a /* b */");', 'f("a ");'),
        ('f(R"(// "b")");', 'f(R"(// "c")");'),
        ('f(R"x(a)" // b)x");', 'f(R"x(a)" // c)x");'),
        ('f(R"(a  b)");', 'f(R"(a b)");'),
        ("f('\"', 1 /* '\"' */);", "f('\"', 2 /* '\"' */);"),
        ('f("\\"//", 1);', 'f("\\"//", 2);'),
        ("x = 1'000; // '", "x = 1'001; // '"),
        ("x = a + ++b;", "x = a++ + b;"),
        ("#define F (x)\n", "#define F(x)\n"),
        ("#pragma unroll\nf();", "#pragma unroll f();"),
        ("#include <cub/cub.cuh>\n", "#include <thrust/scan.h>\n"),
    ],
)
def test_all_else_is_code(one, other):
    assert code(one) != code(other)


def test_an_include_is_told_apart_from_text_that_looks_like_one():
    text = '#include "kernels/a.hpp"\n  # include "b.hpp"  // why\n// #include "c.hpp"\n'
    text += 'f(R"(\n#include "d.hpp"\n)");\n'
    assert code(text)[1] == ("kernels/a.hpp", "b.hpp")
    assert "a.hpp" not in code(text)[0] and "d.hpp" in code(text)[0]


# Whose code it is


def test_a_change_of_comments_alone_makes_nothing_stale(repository):
    for path, text in FILES.items():
        mark = "#" if "cmake" in path or path.endswith(".txt") else "//"
        repository.write(path, f"{mark} Another comment.\n{text}\n\n")
    assert repository.changed() == set()


@pytest.mark.parametrize(
    ("path", "engines"),
    [
        ("kernels/cpu/a.cpp", {"a"}),
        ("kernels/cpu/shared.hpp", {"a"}),
        ("kernels/cpu/shared.cpp", {"a"}),
        ("kernels/cpu/others.cpp", set()),
        ("kernels/answer.hpp", {"a", "b", "g", "h"}),
        ("kernels/engine.hpp", set()),  # names and declarations, no code of an engine
        ("kernels/cuda/g.cu", {"g"}),  # it supplies what g.cpp calls
        ("kernels/cuda/h.cu", {"h"}),
        ("kernels/cuda/search/kernels.hpp", {"g", "some_benchmark"}),
        ("kernels/cuda/search/scan.cu", {"g", "some_benchmark"}),  # of what the header declares
        ("kernels/cuda/search/part.cu.in", {"g", "some_benchmark"}),  # it registers itself
        ("kernels/cuda/expand/merge.cuh", {"g", "some_benchmark"}),  # CMake fills in its name
        ("tests/benchmarks/some_benchmark.cu", {"some_benchmark"}),
    ],
)
def test_a_change_makes_those_stale_whose_code_it_is_and_no_others(repository, path, engines):
    repository.write(path, FILES[path] + "int another() { return 1; }\n")
    assert repository.changed() == engines


def test_code_that_moves_is_the_same(repository):
    (repository.root / "kernels/cpu/shared.hpp").rename(repository.root / "kernels/shared.hpp")
    (repository.root / "kernels/cpu/shared.cpp").rename(repository.root / "kernels/shared.cpp")
    text = FILES["kernels/cpu/a.cpp"]
    repository.write("kernels/cpu/a.cpp", text.replace("cpu/shared", "shared"))
    assert repository.changed() == set()


@pytest.mark.parametrize(
    ("path", "before", "after", "engines"),
    [
        (
            "cmake/BfslabOptions.cmake",
            "-march=native",
            "-O2",
            {"a", "b", "g", "h", "some_benchmark"},
        ),
        ("cmake/BfslabOptions.cmake", "-Wall", "-Wextra", set()),
        ("kernels/cuda/CMakeLists.txt", "--use_fast_math", "-O2", {"g", "h"}),
        ("kernels/cuda/CMakeLists.txt", "-lineinfo", "-g", set()),
        ("kernels/cuda/CMakeLists.txt", "-lineinfo", "-g1", set()),
    ],
)
def test_options_of_the_compiler_count(repository, path, before, after, engines):
    repository.write(path, FILES[path].replace(before, after))
    assert repository.changed() - {"some_benchmark"} == engines - {"some_benchmark"}


def test_every_engine_of_the_program_has_a_hash():
    listed = ROOT / "experiments/spec.schema.json"
    engines = json.loads(listed.read_text())["$defs"]["engine"]["anyOf"]
    names = {engine["const"] for engine in engines if "const" in engine}
    assert "fused" in names and names <= set(working_tree().engines)


def test_a_commit_has_the_hashes_of_its_files(repository):
    repository.write("kernels/cpu/a.cpp", "")
    assert at_commit(repository.commit, repository.root).hashes() == repository.before
    assert at_commit("0" * 40, repository.root) is None


# What becomes of rows


def test_states_follow_the_recorded_commit(repository):
    assert repository.state("a")[0] == "current"
    repository.write("kernels/cpu/a.cpp", FILES["kernels/cpu/a.cpp"] + "int y;\n")
    assert repository.state("a") == ("stale", f"the code has changed since {repository.commit[:9]}")
    assert repository.state("b")[0] == "current"
    assert repository.state("gone") == ("stale", "there is no such engine any more")
    repository.write("kernels/cpu/c.cpp", REGISTRATION % "c")
    assert repository.state("c")[0] == "stale"  # that commit did not have it


@pytest.mark.parametrize(
    ("environment", "why"),
    [
        ({"commit": "0" * 40}, "git does not know the commit 000000000 here"),
        ({"commit": "unknown"}, "no commit is recorded"),
        ({"commit": None}, "no commit is recorded"),
        ({"dirty": True}, "the build had uncommitted changes to "),
    ],
)
def test_what_nobody_can_tell_is_unknown(repository, environment, why):
    state, told = repository.state("a", **environment)
    assert state == "unknown" and told.startswith(why)


def test_somebody_elses_program_is_unknown(repository):
    assert repository.state("external:gapbs")[0] == "unknown"


def test_without_sources_all_is_unknown(tmp_path):
    judge = stale.Judge(tmp_path)
    assert judge.state("a", {"commit": "0" * 40}) == (
        "unknown",
        f"there are no sources in {tmp_path}",
    )


def test_hashes_of_the_build_need_no_commit(repository):
    known = {"engine_hashes": repository.before, "commit": "unknown", "dirty": True}
    assert repository.state("a", **known)[0] == "current"
    repository.write("kernels/cpu/a.cpp", FILES["kernels/cpu/a.cpp"] + "int y;\n")
    assert repository.state("a", **known)[0] == "stale"
    assert repository.state("b", **known)[0] == "current"
    known["engine_hashes"] = {"b": f"{RULE}0-another-rule"}
    assert repository.state("b", **known) == ("unknown", "no commit is recorded")


@pytest.fixture
def recorded(repository, monkeypatch):
    """results/ of one machine, and the sources that it is compared with."""
    monkeypatch.setattr(stale, "Judge", lambda: stale_judge(repository.root))
    monkeypatch.chdir(repository.root)
    for name, engines in (("one", "ab"), ("two", "b")):
        results = Results({"name": name}, {
            "commit": repository.commit, "spec_file": f"experiments/x/{name}.json",
            "arguments": ["build/bfslab", "run", "x.json", "--quiet", "--set", "repeats=[1, 2]"],
        })  # fmt: skip
        for engine in engines:
            results.run("A", 1.0, engine=engine)
        results.write(repository.root / "results/box" / name)
    benchmark(repository.root / "results/box/dfq-contention")
    page = repository.root / "results/README.md"
    page.write_text(f"Before.\n{stale.BEGIN}\n{stale.END}\nAfter.\n")
    return repository


stale_judge = stale.Judge


def test_the_command_says_what_is_stale_and_how_to_mend_it(recorded, capsys):
    recorded.write("kernels/cpu/a.cpp", FILES["kernels/cpu/a.cpp"] + "int y;\n")
    assert stale.main([]) == 0
    told = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["box", "one", "a", "stale"] in [words[:4] for words in told]
    assert ["box", "one", "b", "current"] in [words[:4] for words in told]
    assert ["box", "dfq-contention", "frontier_generation_benchmark", "stale"] in [
        words[:4] for words in told
    ]
    command = (
        "bfslab run experiments/x/one.json --set 'repeats=[1, 2]' --results results/box --fresh"
    )
    assert command.split() in told
    assert not any("experiments/x/two.json" in words for words in told)
    command = "make benchmarks PROGRAMS=frontier_generation_benchmark RESULTS=results/box"
    assert command.split() in told


def test_repeats_are_as_many_as_the_spec_can_share_out(recorded, capsys):
    """The spec has three worker processes today, of which the four repeats that were given are no
    multiple."""
    recorded.write("kernels/cpu/a.cpp", FILES["kernels/cpu/a.cpp"] + "int y;\n")
    folder = recorded.root / "results/box/one"
    environment = json.loads((folder / "environment.json").read_text())
    environment["arguments"] = ["bfslab", "run", "one.json", "--set", "repeats=4"]
    (folder / "environment.json").write_text(json.dumps(environment))
    recorded.write("experiments/x/all.json", '{"invocations": 3}')
    recorded.write("experiments/x/one.json", '{"extends": "all.json"}')
    assert stale.main([]) == 0
    assert "one.json --set repeats=6 --results results/box --fresh" in capsys.readouterr().out
    environment["arguments"] += ["--set", "invocations=2"]
    (folder / "environment.json").write_text(json.dumps(environment))
    assert stale.main([]) == 0
    assert "one.json --set repeats=4 --set invocations=2 --results" in capsys.readouterr().out


def test_commands_of_graph500_of_settings_given_twice_and_of_profiles(recorded, capsys):
    recorded.write("kernels/cpu/a.cpp", FILES["kernels/cpu/a.cpp"] + "int y;\n")
    folder = recorded.root / "results/box/one"
    environment = json.loads((folder / "environment.json").read_text())

    def told(*arguments: str) -> str:
        environment["arguments"] = ["/there/bfslab", *arguments]
        (folder / "environment.json").write_text(json.dumps(environment))
        assert stale.main([]) == 0
        return capsys.readouterr().out

    graph500 = ["graph500", "--scale", "20", "--engine", "a", "--set", "threads=2"]
    machine = ["--quiet", "--data=/there", "--results", "/there/rows", "--fresh"]
    said = told(*graph500, *machine)
    assert f"\nbfslab {' '.join(graph500)} --results results/box --fresh\n" in said
    twice = ["--set", "threads=2"] * 2
    assert "/one.json --set threads=2 --results" in told("run", "one.json", *machine, *twice)
    measures = "trial,level,rank,part,metric,value,unit\n1,0,,kernel=k,launches,1,\n"
    (folder / "measures.csv").write_text(measures)
    profile = "bfslab profile experiments/x/one.json --set threads=2 --results results/box"
    assert profile in told("run", "one.json", *machine, *twice).splitlines()


@pytest.mark.skipif(not shutil.which("make"), reason="needs make")
@pytest.mark.parametrize("experiment", sorted(benchmarks.PROGRAMS))
def test_the_command_of_a_benchmark_is_one_of_the_makefile(experiment, tmp_path):
    """Its numbers go where the stale ones are, and its options are those of the recorded ones."""
    folder = benchmark(tmp_path / "my results" / experiment)
    told = json.loads((folder / FILE).read_text())
    program = benchmarks.PROGRAMS[experiment]
    arguments = [f"/x/{program}", f"--benchmark_out={folder / FILE}", "--benchmark_filter=a|b"]
    told["context"] |= {"experiment": experiment,
                        "environment": json.dumps({"arguments": arguments})}  # fmt: skip
    (folder / FILE).write_text(json.dumps(told))
    (state,) = stale.judge_folder(folder, stale_judge(tmp_path))
    assert state.engine == program
    run = subprocess.run(f"{state.command} --dry-run", shell=True, cwd=ROOT, capture_output=True,
                         text=True)  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert f'--out "{folder.parent}" {program}\n' in run.stdout
    assert "BENCHMARK_ARGS='--benchmark_filter=a|b'" in shlex.split(state.command)


def test_the_page_beside_the_results_is_held_to_it(recorded, capsys):
    page = recorded.root / "results/README.md"
    check = ["results", "--check", str(page)]
    assert stale.main(check) == 1
    assert f"python -m plots.stale --write {page}" in capsys.readouterr().out
    assert stale.main(["results", "--write", str(page)]) == 0
    assert stale.main(check) == 0
    assert "2 of 3 folders have rows of the engines as they are now" in page.read_text()
    recorded.write("kernels/cpu/a.cpp", FILES["kernels/cpu/a.cpp"] + "int y;\n")
    assert stale.main(check) == 1  # something became stale, and the page does not say so
    assert stale.main(["results", "--write", str(page)]) == 0
    assert "| `box` | `one` | a |  |" in page.read_text()
    assert page.read_text().startswith("Before.\n") and page.read_text().endswith("\nAfter.\n")
    recorded.write("kernels/cpu/a.cpp", FILES["kernels/cpu/a.cpp"] + "int z;\n")
    assert stale.main(check) == 0  # it is stale as before
    page.write_text("No marks.\n")
    assert stale.main(check) == 2


def test_a_clone_without_history_says_that_it_cannot_tell(recorded, capsys):
    for path in recorded.root.glob("results/box/*/environment.json"):
        path.write_text(json.dumps({"commit": "0" * 40}))
    assert stale.main([]) == 0
    told = capsys.readouterr()
    assert "3 of these states need commits" in told.err and " current " not in told.out


def test_the_report_says_it_of_stale_rows(repository, monkeypatch):
    results = Results({"name": "x"}, {"commit": repository.commit})
    results.run("A", 1.0, engine="a")
    results.run("A", 1.0, engine="b")
    experiment = load_experiment(results.write(repository.root / "results/box/x"))
    monkeypatch.setattr(stale, "_own", lambda: stale.Judge(repository.root))
    assert stale.sentences(experiment, {"a", "b"}) == []
    repository.write("kernels/answer.hpp", "enum class Answer { both };\n")
    ((state, said),) = stale.sentences(experiment, {"a", "b"})
    assert said.startswith("Not rows of the present version of a, b: the code has changed since ")
    assert state == stale.STALE and said in caveats.caveats(experiment)
    ((_, said),) = stale.sentences(experiment, {"b"})
    assert said.startswith("Not rows of the present version of b: ")
    monkeypatch.setattr(stale, "_own", lambda: None)  # installed, without sources
    assert stale.sentences(experiment, {"a", "b"}) == []


# results/ itself


@pytest.fixture(scope="module")
def recorded_states() -> list[stale.State]:
    states = stale.judge_results(ROOT / "results", stale.Judge())
    if stale.unverifiable(states):
        pytest.skip("this clone lacks commits of results/: git fetch --unshallow")
    return states


def test_results_readme_names_all_that_is_stale(recorded_states):
    page = (ROOT / "results/README.md").read_text()
    assert page == with_block(page, stale.block(recorded_states)), (
        "python -m plots.stale --write results/README.md"
    )


def test_recorded_verdicts_say_it_of_stale_rows(recorded_states):
    """Of the rows that each of them reads: others of the folder do not matter."""
    old = {
        (each.machine, each.experiment, each.engine)
        for each in recorded_states
        if each.state == stale.STALE
    }
    wrong = [
        (verdict.id, verdict.machine)
        for verdict in output.read(ROOT / "results")[1]
        if (caveats.STALE in verdict.weak)
        != any(
            (machine, verdict.experiment, engine) in old
            for machine in verdict.machine.split(", ")
            for engine in verdict.engines
        )
    ]
    assert wrong == [], "make claims"
