# SPDX-License-Identifier: Apache-2.0
"""packaging/spack, with stand-ins for Spack's own modules: it names our options, and the versions
that docs/install.md and CMake name."""

import contextlib
import re
import runpy
import sys
import types
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
RECIPE = ROOT / "packaging/spack/packages/bfslab/package.py"
# Packages of Spack whose names differ from those of CMake's find_package, and of PyPI.
CMAKE_NAMES = {"Boost": "boost", "nlohmann_json": "nlohmann-json", "CLI11": "cli11",
               "OpenSSL": "openssl", "ZLIB": "zlib-api", "CURL": "curl",
               "LibArchive": "libarchive"}  # fmt: skip
PYTHON_NAMES = {"pillow": "pil"}


class Recorder:
    """What the recipe declares, and the options that it would give to CMake."""

    def __init__(self, monkeypatch) -> None:
        self.variants: dict[str, bool] = {}
        self.needs: dict[str, str] = {}
        base = type("Base", (), {"define": lambda _, *words: words,
                                 "define_from_variant": lambda _, *words: words})  # fmt: skip
        directives = {
            "version": lambda *_, **__: None, "license": lambda *_: None,
            "conflicts": lambda *_, **__: None,
            "variant": lambda name, default, **_: self.variants.update({name: default}),
            "depends_on": lambda spec, **_: self.needs.update(
                [re.fullmatch(r"([\w-]+)(?:@([\d.]*):?\S*)?(?: .*)?", spec).groups()]
            ),
            "when": lambda _: contextlib.nullcontext(),
        }  # fmt: skip
        package = types.ModuleType("spack.package")
        vars(package).update(directives)
        places = {"spack": types.ModuleType("spack"), "spack.package": package}
        for name in ("spack_repo", "spack_repo.builtin", "spack_repo.builtin.build_systems"):
            places[name] = types.ModuleType(name)
        for name, kind in (("cmake", "CMakePackage"), ("cuda", "CudaPackage")):
            module = types.ModuleType(f"spack_repo.builtin.build_systems.{name}")
            setattr(module, kind, type(kind, (base,), {}))
            places[module.__name__] = module
        for name, module in places.items():
            monkeypatch.setitem(sys.modules, name, module)
        self.recipe = runpy.run_path(str(RECIPE))["Bfslab"]

    def options(self, *chosen: str) -> dict[str, object]:
        made = self.recipe()
        made.spec = types.SimpleNamespace(
            satisfies=lambda text: text in chosen,
            variants={"cuda_arch": types.SimpleNamespace(value=("80", "90"))},
        )
        return dict(made.cmake_args())


@pytest.fixture
def recorded(monkeypatch) -> Recorder:
    return Recorder(monkeypatch)


def test_all_options_are_ours_and_follow_declared_variants(recorded):
    known = set()
    for file in (ROOT / "cmake").glob("*.cmake"):
        text = file.read_text()
        known |= set(re.findall(r"(?:set|option)\((BFSLAB_\w+)", text))
        known |= {f"BFSLAB_{part}" for part in re.findall(r"bfslab_option\((\w+)", text)}
    options = recorded.options("+cuda", "+nccl")
    assert set(options) <= known
    assert options["BFSLAB_CUDA_ARCHITECTURES"] == "80;90"
    assert options["BFSLAB_NCCL"] is True and recorded.options()["BFSLAB_NCCL"] is False
    assert "BFSLAB_CUDA_ARCHITECTURES" not in recorded.options()
    named = {value for value in options.values() if value in recorded.variants}
    assert named >= {"native", "mpi", "download", "archives", "exam"}
    assert (
        f"add_custom_target({recorded.recipe().build_targets[0]} "
        in (ROOT / "cmake/BfslabInstall.cmake").read_text()
    )


def test_versions_are_those_that_cmake_asks_for(recorded):
    text = "".join(file.read_text() for file in (ROOT / "cmake").glob("*.cmake"))
    asked = dict(re.findall(r"bfslab_require\((\w+) [\w-]+ ([\d.]+)", text))
    asked |= dict(re.findall(r"find_package\((CURL|LibArchive) ([\d.]+)", text))
    assert len(asked) == 8
    for name, version in asked.items():
        package = CMAKE_NAMES.get(name, name)
        # zlib-api is a virtual package, whose versions are those of an interface.
        assert recorded.needs[package] == (None if package == "zlib-api" else version), name
        title = {"nlohmann_json": "nlohmann's JSON", "CURL": "libcurl"}.get(name, name)
        row = rf"(?im)^\| {title}.*\| {re.escape(version)} \|"
        assert re.search(row, (ROOT / "docs/install.md").read_text()), name


def test_pythons_packages_are_those_of_drawing(recorded):
    lines = (ROOT / "requirements/drawing.txt").read_text().splitlines()
    for line in lines:
        if found := re.match(r"([\w-]+)>=([\d.]+)", line):
            name = PYTHON_NAMES.get(found[1], f"py-{found[1]}")
            assert recorded.needs[name] == found[2], line
