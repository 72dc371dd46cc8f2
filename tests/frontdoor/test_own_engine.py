# SPDX-License-Identifier: Apache-2.0
"""An engine outside of the tree: built against an installation, loaded, examined, recorded."""

import csv
import hashlib
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples/own_engine"
GRAPH = "kronecker:scale=8"


class Desk:
    """An installation, the example built against it, and a folder to work in."""

    def __init__(self, folder: Path, build_folder: Path):
        self.folder = folder
        self.prefix = folder / "prefix"
        self.program = self.prefix / "bin/bfslab"
        self.examples = self.prefix / "share/bfslab/examples/own_engine"
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("BFSLAB_")}
        self.environment["BFSLAB_CACHE"] = str(folder / "cache")
        self.must("cmake", "--install", build_folder, "--prefix", self.prefix)
        self.plugin = self.build(self.examples, "build") / "libown_queue.so"

    def must(self, *command, code: int = 0, **options):
        done = subprocess.run(
            [str(word) for word in command],
            cwd=self.folder, env=self.environment, capture_output=True, text=True, **options,
        )  # fmt: skip
        assert done.returncode == code, f"exit {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done

    def build(self, source: Path, name: str) -> Path:
        build = self.folder / name
        self.must("cmake", "-S", source, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}",
                  "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror")  # fmt: skip
        self.must("cmake", "--build", build)
        return build

    def ask(self, *words, code: int = 0):
        return self.must(self.program, *words, code=code)

    def changed(self, name: str, *replacements: tuple[bytes, bytes]) -> Path:
        """A copy of the plugin with other bytes."""
        bytes_ = self.plugin.read_bytes()
        for old, new in replacements:
            assert old in bytes_ and len(old) == len(new)
            bytes_ = bytes_.replace(old, new)
        file = self.folder / name
        file.write_bytes(bytes_)
        return file


@pytest.fixture(scope="module")
def desk(bfslab, tmp_path_factory) -> Desk:
    build_folder = Path(bfslab).parent
    if not (build_folder / "cmake_install.cmake").exists():
        pytest.skip(f"{build_folder} is no build folder of CMake")
    return Desk(tmp_path_factory.mktemp("desk"), build_folder)


# The example with a mistake in it.
MISTAKES = {
    "taken": ('.name = "own-queue"', '.name = "bottom-up"'),
    "name": ('.name = "own-queue"', '.name = "own queue"'),
    "toggle": ('Toggle::flag("bottom_up"', 'Toggle::flag("threads"'),
    "wrong": ("visit(v, u, level + 1);", "visit(v, u, level + 2);"),
}


@pytest.fixture(scope="module")
def mistakes(desk) -> Path:
    """The folder with a plugin for each mistake."""
    source = desk.folder / "mistakes"
    source.mkdir()
    code = (desk.examples / "own_queue.cpp").read_text()
    cmake = (
        "cmake_minimum_required(VERSION 3.22)\nproject(mistakes LANGUAGES CXX)\n"
        "find_package(bfslab 0.3 REQUIRED)\n"
    )
    for name, (right, wrong) in MISTAKES.items():
        assert right in code
        (source / f"{name}.cpp").write_text(code.replace(right, wrong))
        cmake += f"bfslab_add_engine({name} {name}.cpp)\n"
    (source / "CMakeLists.txt").write_text(cmake)
    return desk.build(source, "mistakes-build")


def rows(folder: Path, table: str = "runs") -> list[dict]:
    with (folder / f"{table}.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def builds(folder: Path) -> list[dict]:
    return json.loads((folder / "environment.json").read_text())["builds"]


def small_spec(desk: Desk, name: str, **keys) -> Path:
    spec = {"name": name, "graphs": [GRAPH], "sources": {"count": 2, "seed": 1}, "warmup": 0,
            "base": {"engine": "own-queue"}, "cases": {"a": {}},
            "pollution": {"limit_pct": 1000, "attempts": 1, "drift_pct": 1000}}  # fmt: skip
    file = desk.folder / f"{name}.json"
    file.write_text(json.dumps(spec | keys))
    return file


def test_the_examples_are_short():
    for file, limit in (("own_queue.cpp", 120), ("own_gpu.cu", 220)):
        assert len((EXAMPLE / file).read_text().splitlines()) <= limit


def test_another_version_of_bfslab_is_not_found(desk):
    source = desk.folder / "newer"
    source.mkdir()
    (source / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.22)\nproject(newer LANGUAGES CXX)\n"
        "find_package(bfslab 9.0 REQUIRED)\n"
    )
    done = subprocess.run(
        ["cmake", "-S", source, "-B", source / "build", f"-DCMAKE_PREFIX_PATH={desk.prefix}"],
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode != 0
    assert "version: 0." in done.stderr


def test_an_experiment_runs_it_beside_bfslabs_own(desk):
    results = desk.folder / "results"
    desk.ask("run", desk.examples / "own.json", "--plugin", desk.plugin, "--results", results,
             "--set", 'graphs=["kronecker:scale=10"]')  # fmt: skip
    folder = results / "own-engine"
    assert {row["engine"] for row in rows(folder)} == {"top-down", "own-queue"}
    assert {row["status"] for row in rows(folder)} == {"ok"}
    searched = {(row["toggles"], row["source"]) for row in rows(folder)}
    validated = {(row["toggles"], row["source"]) for row in rows(folder) if row["validated"] == "1"}
    assert validated == searched
    techniques = {row["technique"] for row in rows(folder, "levels")}
    assert {"own_queue", "own_looks", "local_queues"} <= techniques
    assert any("bottom_up=true" in row["toggles"] for row in rows(folder))


def test_rows_name_the_file_that_they_come_from(desk):
    results = desk.folder / "named"
    spec = small_spec(desk, "named")
    desk.ask("run", spec, "--plugin", desk.plugin, "--results", results)
    (build,) = builds(results / "named")
    assert build["plugins"] == [
        {"file": "libown_queue.so", "engines": ["own-queue"],
         "sha256": hashlib.sha256(desk.plugin.read_bytes()).hexdigest()}
    ]  # fmt: skip
    assert {row["build_hash"] for row in rows(results / "named")} == {build["build_hash"]}

    other = desk.changed("libother.so", (b"own_looks", b"OWN_looks"))
    done = desk.ask("run", spec, "--plugin", other, "--results", results, "--set", "repeats=2")
    assert "rows of another libother.so" in done.stderr
    assert [b["plugins"][0]["file"] for b in builds(results / "named")] == [
        "libown_queue.so", "libother.so"
    ]  # fmt: skip
    assert len({row["build_hash"] for row in rows(results / "named")}) == 2


def test_a_profiler_sees_its_levels(desk, bfslab):
    injection = Path(bfslab).with_name("nvtx_injection.so")
    if not injection.exists():
        pytest.skip(f"no {injection}: `make test` builds it where there are nvtx3's headers")
    log = desk.folder / "nvtx.log"
    listening = {"NVTX_INJECTION64_PATH": str(injection), "BFSLAB_NVTX_LOG": str(log)}
    spec = small_spec(desk, "profiled", sources=[5])
    words = [desk.program, "run", spec, "--plugin", desk.plugin, "--results", desk.folder / "nvtx"]
    done = subprocess.run(words, env=desk.environment | listening, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert " level 0 top_down own_queue\n" in log.read_text()


def test_bench_measures_another_file_anew(desk):
    other = desk.changed("libnew.so", (b"own_looks", b"NEW_looks"))
    results = desk.folder / "benched"
    for plugin in (desk.plugin, other):
        done = desk.ask("bench", GRAPH, "--engine", "top-down,own-queue", "--plugin", plugin,
                        "--sources", 2, "--repeats", 1, "--results", results)  # fmt: skip
        assert "own-queue" in done.stdout
    assert len(list(results.iterdir())) == 2
    desk.ask("bench", GRAPH, "--engine", "top-down", "--plugin", other, "--results", results,
             "--sources", 2, "--repeats", 1)  # fmt: skip
    desk.ask("bench", GRAPH, "--engine", "top-down", "--results", results,
             "--sources", 2, "--repeats", 1)  # fmt: skip
    assert len(list(results.iterdir())) == 3


def test_ablate_takes_it_apart(desk):
    done = desk.ask("ablate", GRAPH, "--engine", "own-queue", "--plugin", desk.plugin,
                    "--sources", 2, "--repeats", 1,
                    "--results", desk.folder / "ablated")  # fmt: skip
    assert "bottom_up" in done.stdout


def test_commands_that_name_engines_know_it(desk):
    listed = json.loads(
        desk.ask("list", "engines", "own-queue", "--plugin", desk.plugin, "--json").stdout
    )
    assert [toggle["name"] for toggle in listed[0]["toggles"]] == ["threads", "bottom_up"]
    shown = desk.ask("list", "engines", "own-queue", "--plugin", desk.plugin).stdout
    assert "own-queue  [plugin libown_queue.so]" in shown
    answer = desk.ask("traverse", "path:vertices=3", "--source", "0", "--engine", "own-queue",
                      "--plugin", desk.plugin).stdout  # fmt: skip
    assert answer.splitlines()[-1] == "2,2,2,1"
    spec = small_spec(desk, "checked")
    desk.ask("check", spec, "--plugin", desk.plugin)
    planned = desk.ask("profile", spec, "--plugin", desk.plugin, "--tool", "nsys", "--dry-run")
    assert f"--plugin {desk.plugin}" in planned.stdout
    assert "--plugin FILE" in desk.ask("bench", GRAPH, "--engine", "own-queue", code=2).stderr


@pytest.mark.parametrize(
    "name,message",
    [
        ("missing.so", "there is no such file; build it first"),
        ("text.so", "it is no plugin of bfslab: expected a shared library with BFSLAB_PLUGIN"),
        ("other.so", "it is no plugin of bfslab: expected a shared library with BFSLAB_PLUGIN"),
        ("contract.so", "it was built for contract 9, standard library libstdc++, and this bfslab "
                        "has contract 2, standard library libstdc++: compile it again"),
        ("symbol.so", "it cannot be loaded: "),
        ("libtaken.so", 'engine "bottom-up": bfslab has an engine of that name; give yours '
                        "another"),
        ("libname.so", 'engine "own queue": expected a name of small letters, digits and hyphens'),
        ("libtoggle.so", 'engine "own-queue": it declares the toggle "threads" twice'),
    ],
)  # fmt: skip
def test_what_is_no_plugin_is_refused(desk, mistakes, name, message):
    file = (mistakes if name.startswith("lib") else desk.folder) / name
    if name == "text.so":
        file.write_text("not a library, bfslab plugin: contract 2")
    elif name == "other.so":
        (library,) = re.findall(r"libz\.so\S* => (\S+)", desk.must("ldd", desk.program).stdout)
        shutil.copy(library, file)
    elif name == "contract.so":
        desk.changed(name, (b"contract 2,", b"contract 9,"))
    elif name == "symbol.so":
        desk.changed(name, (b"_ZN6bfslab9map_pagesEm", b"_ZN6bfslab9map_pageZEm"))
    for words in (
        ["run", small_spec(desk, "refused")],
        ["list", "engines"],
        ["exam"],
    ):
        done = desk.ask(*words, "--plugin", file, code=2)
        assert done.stderr.startswith(f"bfslab: --plugin {file}: {message}"), done.stderr
        assert done.stdout == "" and done.stderr.count("\n") == 1
    assert not (desk.folder / "results/refused").exists()


def exam_of(desk: Desk, plugin: Path, *words, code: int = 0):
    if not (desk.prefix / "libexec/bfslab/bfslab-exam").exists():
        pytest.skip("bfslab-exam is not built: `make test` builds it")
    return desk.ask("exam", "--plugin", plugin, *words, code=code).stdout


def test_it_passes_the_exams_of_all_engines(desk):
    taken = exam_of(desk, desk.plugin)
    assert "passed  Zoo/EveryEngine.AnswersRight/own_queue_directed\n" in taken
    assert "passed  Registry/EveryEnginesLevels.AgreeWithItsAnswer/own_queue\n" in taken
    assert "FAILED" not in taken
    assert re.search(r"^\d\d exams passed, 0 failed$", taken, re.MULTILINE)


def test_a_wrong_engine_fails_them(desk, mistakes):
    taken = exam_of(desk, mistakes / "libwrong.so", code=1)
    assert "FAILED  Zoo/EveryEngine.AnswersRight/own_queue_complete\n" in taken
    assert "bottom_up=true" in taken
    assert re.search(r"^\d+ exams passed, [1-9]\d* failed$", taken, re.MULTILINE)


def test_a_file_that_changes_after_the_driver_has_read_it_is_not_loaded(desk):
    program = desk.prefix / "libexec/bfslab/bfslab-exam"
    if not program.exists():
        pytest.skip("bfslab-exam is not built: `make test` builds it")
    done = desk.must(program, "--plugin", f"{'0' * 64}:{desk.plugin}", code=2)
    assert "the file has changed since the command began; run the command again" in done.stderr


def test_an_exam_needs_a_subject(desk):
    assert "expected --plugin FILE" in desk.ask("exam", code=2).stderr


def test_the_gpu_example_builds_where_bfslab_has_cuda(desk, bfslab):
    if not json.loads(desk.ask("version", "--json").stdout)["cuda"]:
        pytest.skip("this bfslab was built without CUDA")
    cache = Path(bfslab).with_name("CMakeCache.txt").read_text()
    chosen = dict(re.findall(r"^(BFSLAB_(?:CUDA|NVCC)\w+):\w+=(.+)$", cache, re.MULTILINE))
    build = desk.folder / "gpu-build"
    desk.must("cmake", "-S", desk.examples, "-B", build, f"-DCMAKE_PREFIX_PATH={desk.prefix}",
              "-DOWN_GPU=ON", f"-DCMAKE_CUDA_COMPILER={chosen['BFSLAB_NVCC_PROGRAM']}",
              f"-DCMAKE_CUDA_ARCHITECTURES={chosen['BFSLAB_CUDA_ARCHITECTURES']}")  # fmt: skip
    desk.must("cmake", "--build", build, "--target", "own_gpu")
    plugin = build / "libown_gpu.so"
    (engine,) = json.loads(
        desk.ask("list", "engines", "own-gpu", "--plugin", plugin, "--json").stdout
    )
    assert engine["can"]["gpu"]
    here = shutil.which("nvidia-smi") and subprocess.run(["nvidia-smi", "-L"]).returncode == 0
    if here:
        assert "FAILED" not in exam_of(desk, plugin)
    else:
        refused = desk.ask("bench", GRAPH, "--engine", "own-gpu", "--plugin", plugin, code=2)
        assert 'engine "own-gpu" needs a GPU' in refused.stderr
