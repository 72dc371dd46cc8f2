# SPDX-License-Identifier: Apache-2.0
"""Machines that lack something: it is named, and the rest goes on."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BASH = shutil.which("bash")


def load_script(name: str):
    spec = importlib.util.spec_from_file_location(name, ROOT / f"scripts/{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# ---- have_packages.py


@pytest.mark.parametrize(
    "found,limits,whether",
    [
        ("1.26.4", ">=1.24,<3", True),
        ("2.4.6", ">=1.24,<3", True),
        ("1.23", ">=1.24,<3", False),
        ("3.0.0", ">=1.24,<3", False),
        ("3.0.0rc1", ">=1.24,<3", False),
        ("1.24", ">=1.24.0", True),
        ("10.2.0", ">=9.4,<14", True),
        ("0.17.5", "==0.17.5", True),
        ("1.5.3+dfsg", ">=1.5", True),
        ("2.0", "", True),
    ],
)
def test_versions_within_ranges(found, limits, whether):
    assert load_script("have_packages").satisfies(found, limits) == whether


def test_what_is_missing_is_named_with_its_range(tmp_path):
    (tmp_path / "some.txt").write_text("# a comment\npytest>=7\n")
    (tmp_path / "all.txt").write_text("-r some.txt\nno-such-package>=2,<3\npytest<1\n")
    asked = [sys.executable, ROOT / "scripts/have_packages.py"]
    some = subprocess.run([*asked, tmp_path / "some.txt"], capture_output=True, text=True)
    assert some.returncode == 0
    assert some.stdout.startswith("pytest ")
    every = subprocess.run([*asked, tmp_path / "all.txt"], capture_output=True, text=True)
    assert every.returncode == 1
    assert "no-such-package>=2,<3, pytest<1 (here: " in every.stdout


# ---- quick.py


STAND_IN = r"""#!/bin/sh
mkdir -p "$4/one"
printf 'trial,status,polluted\n1,ok,0\n' > "$4/one/runs.csv"
"""


def test_rows_are_made_where_drawing_is_impossible(tmp_path):
    for folder in ("scripts", "requirements", "specs"):
        (tmp_path / folder).mkdir()
    for script in ("quick.py", "have_packages.py"):
        shutil.copy(ROOT / "scripts" / script, tmp_path / "scripts")
    (tmp_path / "requirements/drawing.txt").write_text("no-such-package>=2\n")
    (tmp_path / "specs/one.json").write_text(json.dumps({"name": "one"}))
    program = tmp_path / "bfslab"
    program.write_text(STAND_IN)
    program.chmod(0o755)
    done = subprocess.run(
        [sys.executable, tmp_path / "scripts/quick.py", "--bfslab", program,
         "--specs", tmp_path / "specs", "--results", tmp_path / "out"],
        cwd=tmp_path, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "1 ok" in done.stdout
    assert "no figures: Python lacks no-such-package>=2" in done.stdout
    assert "make figures RESULTS=out" in done.stdout


# ---- benchmarks.py


def test_a_benchmark_program_that_a_filter_leaves_out_leaves_no_numbers(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    program = tmp_path / "benchmark"
    program.write_text('#!/bin/sh\n: > "${1#--benchmark_out=}"\n')
    program.chmod(0o755)
    assert load_script("benchmarks").run(program, "some", tmp_path, []) == 0
    assert not (tmp_path / "some/benchmark.json").exists()


# ---- run_tests.py


def test_a_test_whose_package_is_missing_is_skipped_by_name(tmp_path):
    conftest = (ROOT / "tests/conftest.py").read_text()
    (tmp_path / "conftest.py").write_text(conftest.replace('"scipy"}', '"scipy", "no_such"}'))
    (tmp_path / "test_lacking.py").write_text("import no_such\n\ndef test_one(): pass\n")
    (tmp_path / "test_ours.py").write_text("import no_such_module_of_ours\n")
    (tmp_path / "test_there.py").write_text("def test_one(): pass\n")
    report = tmp_path / "report.xml"
    subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "--continue-on-collection-errors",
         "-p", "no:cacheprovider", f"--junitxml={report}", tmp_path],
        cwd=tmp_path, capture_output=True,
    )  # fmt: skip
    tally = load_script("run_tests").Tally()
    tally.read_junit(report)
    assert tally.reasons == {"needs the Python package no_such (requirements/tests.txt)": 1}
    assert (tally.passed, tally.failed, tally.skipped) == (1, 1, 1)  # our own mistake fails


def test_every_file_of_python_tests_is_in_one_share():
    made = load_script("run_tests").shares(ROOT / "tests")
    files = sorted(file for share in made.values() for file in share)
    assert files == sorted((ROOT / "tests").glob("*/test_*.py"))
    assert all(len({file.parent for file in share}) == 1 for share in made.values())


def test_a_build_without_googletest_skips_its_tests_by_name(tmp_path):
    run_tests = load_script("run_tests")
    tally = run_tests.Tally()
    run_tests.run_cpp(tmp_path, "1", tally, tmp_path)
    assert tally.failed == 0
    assert list(tally.reasons) == ["the C++ tests need GoogleTest (libgtest-dev, libgmock-dev)"]


# ---- build.sh: its arguments to CMake

CMAKE = """#!/bin/sh
echo "$*" >> "$CALLS"
case "$1" in
  --preset) mkdir -p "build/$2" && touch "build/$2/CMakeCache.txt" && echo "Optional parts:" ;;
esac
"""


class Tree:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.calls_file = folder / "calls"
        (folder / "scripts").mkdir()
        (folder / "bin").mkdir()
        shutil.copy(ROOT / "scripts/build.sh", folder / "scripts")
        self.add("cmake", CMAKE)
        self.add("nvcc", "#!/bin/sh\n")

    def add(self, name: str, text: str) -> None:
        (self.folder / "bin" / name).write_text(text)
        (self.folder / "bin" / name).chmod(0o755)

    def build(self, *arguments: str, **environment: str) -> str:
        """The arguments of the calls of cmake, and what build.sh says."""
        self.calls_file.unlink(missing_ok=True)
        path = f"{self.folder / 'bin'}:{os.environ['PATH']}"
        chosen = {"BUILD_CUDA", "CMAKE_ARGS", "CUDACXX", "CUDA_ARCHITECTURES"}
        kept = {k: v for k, v in os.environ.items() if k not in chosen}
        done = subprocess.run(
            [BASH, self.folder / "scripts/build.sh", *arguments],
            env=kept | {"PATH": path, "CALLS": str(self.calls_file)} | environment,
            capture_output=True, text=True,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        calls = self.calls_file.read_text() if self.calls_file.exists() else ""
        return calls + done.stderr


@pytest.fixture
def tree(tmp_path) -> Tree:
    tree = Tree(tmp_path)
    tree.add("nvidia-smi", "#!/bin/sh\nexit 9\n")
    return tree


def test_options_reach_cmake_and_stay_until_others_are_given(tree):
    calls = tree.build("release", BUILD_CUDA="OFF", CMAKE_ARGS="-DBFSLAB_MPI=ON '-DA=b c'")
    assert "-DBFSLAB_CUDA=OFF -DBFSLAB_MPI=ON -DA=b c" in calls
    assert "--preset" not in tree.build("release", BUILD_CUDA="OFF",
                                        CMAKE_ARGS="-DBFSLAB_MPI=ON '-DA=b c'")  # fmt: skip
    assert "--preset" not in tree.build("release")
    assert "-DBFSLAB_CUDA=ON" in tree.build("release", BUILD_CUDA="ON")


def test_architectures_are_joined_as_cmake_wants_them(tree):
    assert "-DBFSLAB_CUDA_ARCHITECTURES=80;90" in tree.build("release", CUDA_ARCHITECTURES="80,90")


def test_a_gpu_build_without_a_gpu_can_be_declined(tree):
    assert "CUDA=OFF leaves them out" in tree.build("release")
    assert "leaves them out" not in tree.build("debug", BUILD_CUDA="OFF")


def test_quick_leaves_cuda_out_unless_it_is_asked_for(tree):
    assert "-DBFSLAB_CUDA=OFF" in tree.build("--quick", "release")
    assert "-DBFSLAB_CUDA=OFF" not in tree.build("--quick", "debug", BUILD_CUDA="ON")


def test_without_googletest_the_rest_is_built(tree):
    calls = tree.build("--tests", "release", "bfslab", "cpp_tests")
    assert "--target bfslab\n" in calls
    assert "no GoogleTest" in calls


# ---- CMake's own checks


@pytest.mark.parametrize("value", ["native", "90x"])
def test_impossible_architectures_are_refused(tmp_path, value):
    """Of the real BfslabParts.cmake, the lines that resolve the architectures."""
    text = (ROOT / "cmake/BfslabParts.cmake").read_text()
    start = text.index('  set(BFSLAB_CUDA_ARCHITECTURES "" CACHE')
    end = text.index("  set(CMAKE_CUDA_COMPILER ")
    (tmp_path / "part.cmake").write_text(text[start:end])
    (tmp_path / "nvidia-smi").write_text("#!/bin/sh\nexit 9\n")
    (tmp_path / "nvidia-smi").chmod(0o755)
    done = subprocess.run(
        ["cmake", f"-DBFSLAB_CUDA_ARCHITECTURES={value}", "-P", tmp_path / "part.cmake"],
        env=os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"},
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode != 0
    assert ("no GPU here" if value == "native" else '"90x"') in done.stderr


def test_native_is_every_kind_of_gpu_here(tmp_path):
    text = (ROOT / "cmake/BfslabParts.cmake").read_text()
    start = text.index('  set(BFSLAB_CUDA_ARCHITECTURES "" CACHE')
    end = text.index("  set(CMAKE_CUDA_COMPILER ")
    (tmp_path / "part.cmake").write_text(
        text[start:end] + 'message("found ${BFSLAB_CUDA_ARCHITECTURES}")\n'
    )
    (tmp_path / "nvidia-smi").write_text("#!/bin/sh\nprintf '8.0\\n9.0\\n8.0\\n'\n")
    (tmp_path / "nvidia-smi").chmod(0o755)
    done = subprocess.run(
        ["cmake", "-DBFSLAB_CUDA_ARCHITECTURES=native", "-P", tmp_path / "part.cmake"],
        env=os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"},
        capture_output=True, text=True,
    )  # fmt: skip
    assert "found 80;90" in done.stderr, done.stderr
