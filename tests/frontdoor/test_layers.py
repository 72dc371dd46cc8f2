# SPDX-License-Identifier: Apache-2.0
"""Includes go down the layers: never up or in a circle, and sideways only where it is allowed."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# The layers, top to bottom; CONTRIBUTING.md names them in this order, too. An include stays in its
# folder or goes to a lower line. Folders of one line include one another never (`|`), or as long as
# they make no circle (`+`). `NAME/*` stands for every folder in NAME, each by itself.
LAYERS = """
    tests + tests/*
    harness/cli
    harness/analyse
    harness/run | harness/profile
    harness/record
    harness/check | harness/spec
    harness/external
    harness/observe | harness/plugin
    kernels/distributed/engines/*
    kernels/distributed/engines
    kernels/distributed/check | kernels/distributed/subgraphs
    kernels/distributed/edges
    kernels/distributed/communicator
    kernels/distributed
    kernels/cpu | kernels/count | kernels/cuda/engines/*
    kernels/cuda/engines
    kernels/cuda/fused
    kernels/cuda/top_down
    kernels/cuda/frontier + kernels/cuda/expand + kernels/cuda/bottom_up
    kernels/cuda/traversal
    kernels/cuda/build | kernels/cuda/check
    kernels/cuda/device
    kernels/cuda | kernels/distributed/partition
    kernels
    datasets
    datasets/fetch | datasets/summary | datasets/write
    datasets/name
    datasets/catalog
    datasets/read
    datasets/cache
    datasets/generate
    datasets/build
    datasets/graph | datasets/text
"""

# A wing is included by itself and by tests only: others reach it through the contract, kernels/.
WINGS = ["kernels/cpu", "kernels/count", "kernels/cuda", "kernels/distributed"]
# Folders of a wing that another wing may include.
OPEN = {
    # The harness joins the processes of a worker, and asks which vertices of a graph in parts are
    # eligible (None: it is no wing).
    "kernels/distributed/communicator": [None],
    "kernels/distributed/edges": [None],
    "kernels/distributed/partition": ["kernels/cpu", "kernels/count", "kernels/cuda"],
    "kernels/cuda/fused": ["kernels/distributed"],
    "kernels/cuda/frontier": ["kernels/distributed"],
    "kernels/cuda/bottom_up": ["kernels/distributed"],
    "kernels/cuda/expand": ["kernels/distributed"],
    "kernels/cuda/traversal": ["kernels/distributed"],
    "kernels/cuda/device": ["kernels/distributed"],
    "kernels/cuda/build": ["kernels/distributed"],
    "kernels/cuda/check": ["kernels/distributed"],
}
# Where no header of CUDA, MPI or NCCL is included, and no CUDA source lies.
PLAIN = ["harness", "kernels", "kernels/count", "kernels/cpu", "datasets"]
ACCELERATOR = re.compile(r"(cuda|cub/|thrust/|cooperative_groups|nccl|nvshmem|mpi)")

TOPS = ["datasets", "kernels", "harness", "tests"]
SUFFIXES = {".cpp", ".hpp", ".h", ".cu", ".cuh"}
INCLUDE = re.compile(r'\s*#\s*include\s*(["<])([^">]+)[">]')


def below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder + "/")


def wing_of(folder: str) -> str | None:
    return next((wing for wing in WINGS if below(folder, wing)), None)


class Layers:
    def __init__(self, table: str) -> None:
        self.lines = [re.split(r" *[|+] *", line.strip()) for line in table.strip().splitlines()]
        self.strict = ["+" not in line for line in table.strip().splitlines()]

    def place(self, folder: str) -> tuple[int, str] | None:
        """The number of a folder's line, and what counts as one folder with it: itself or, in a
        line's `NAME/*`, the folder in NAME that it is or lies in."""
        for number, names in enumerate(self.lines):
            for name in names:
                if name == folder:
                    return number, folder
                room = re.match(re.escape(name[:-1]) + "[^/]+", folder)
                if name.endswith("/*") and room:
                    return number, room.group()
        return None


def includes(root: Path) -> Iterator[tuple[str, int, str, bool]]:
    """FILE, LINE, what is included, whether in quotes."""
    for top in TOPS:
        for file in sorted((root / top).rglob("*")):
            if file.suffix not in SUFFIXES:
                continue
            for number, text in enumerate(file.read_text(errors="replace").splitlines(), 1):
                if found := INCLUDE.match(text):
                    yield str(file.relative_to(root)), number, found[2], found[1] == '"'


def circles(edges: dict[str, set[str]]) -> dict[str, set[str]]:
    """From each folder the folders that it reaches, for those that reach themselves."""
    reached = {}
    for start in edges:
        seen: set[str] = set()
        waiting = list(edges[start])
        while waiting:
            folder = waiting.pop()
            if folder not in seen:
                seen.add(folder)
                waiting.extend(edges.get(folder, ()))
        reached[start] = seen
    return {start: seen for start, seen in reached.items() if start in seen}


def faults(root: Path, layers: Layers | None = None) -> list[str]:
    layers = layers or Layers(LAYERS)
    found: list[str] = []
    legal: list[tuple[str, str, str]] = []  # FILE:LINE, folder, folder
    for file, line, target, quoted in includes(root):
        at = f"{file}:{line}: includes {target}"
        folder, other = str(Path(file).parent), str(Path(target).parent)
        plain = below(file, "datasets") or below(file, "harness") or folder in PLAIN
        if plain and not quoted and ACCELERATOR.match(target):
            found.append(f"{at}: {folder} is plain C++, built without CUDA, MPI and NCCL")
        if not quoted and target.split("/")[0] not in TOPS:
            continue
        if not quoted or not (root / target).is_file():
            found.append(f'{at}: files of this tree are included as "PATH", from its root')
            continue
        here, there = layers.place(folder), layers.place(other)
        if here is None or there is None:
            missing = folder if here is None else other
            found.append(f"{at}: {missing} is in no layer: see {Path(__file__).name}")
            continue
        if here == there:
            continue
        wing = wing_of(other)
        inside = wing is None or below(folder, wing) or below(folder, "tests")
        if not inside and wing_of(folder) not in OPEN.get(other, []):
            found.append(f"{at}: sideways, {folder} reaches {wing} by kernels/*.hpp only")
            continue
        if here[0] > there[0]:
            found.append(f"{at}: up, from the layer of {here[1]} to that of {there[1]}")
        elif here[0] == there[0] and layers.strict[here[0]]:
            found.append(f"{at}: sideways, {here[1]} and {there[1]} know nothing of each other")
        else:
            legal.append((at, here[1], there[1]))
    edges: dict[str, set[str]] = {}
    for _, one, other in legal:
        edges.setdefault(one, set()).add(other)
    around = circles(edges)
    for at, one, other in legal:
        if one in around and one in around.get(other, ()):
            found.append(f"{at}: in a circle, since {other} comes back to {one}")
    for top in ["harness", "datasets"]:
        for file in [*(root / top).rglob("*.cu"), *(root / top).rglob("*.cuh")]:
            found.append(f"{file.relative_to(root)}:1: {top} is plain C++, built without CUDA")
    return found


def test_includes_go_down_the_layers():
    assert not faults(ROOT), "\n".join(faults(ROOT))


def test_every_include_is_seen():
    """The rules above hold of nothing if nothing is read."""
    seen = list(includes(ROOT))
    assert len({file for file, *_ in seen}) > 300
    assert {Path(file).suffix for file, *_ in seen} >= {".cpp", ".hpp", ".cu", ".cuh"}
    assert {"datasets", "harness", "kernels", "tests"} == {file.split("/")[0] for file, *_ in seen}


def test_contributing_names_the_layers_in_this_order():
    """Of each row, the code in the columns before the last one."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    table = re.search(r"^\| layer \|.*\n\|[-| ]+\|\n((?:\|.*\n)+)", text, re.MULTILINE)
    assert table, "CONTRIBUTING.md has no table that begins with `| layer |`"
    rows = [row.strip("|\n ").split(" | ") for row in table[1].splitlines()]
    tops = {re.match(r"`(\w+)/`", row[0])[1]: row[1] for row in rows}
    assert list(tops) == ["plots", "harness", "kernels", "datasets"]
    for top in ["harness", "datasets"]:
        named = re.findall(r"`(\w+)`", tops[top])
        lines = [
            {folder.removeprefix(top + "/") for folder in line if folder.startswith(top + "/")}
            for line in Layers(LAYERS).lines
        ]
        for line in filter(None, lines):
            assert set(named[: len(line)]) == line, f"{top}: {named} where {line} stands"
            named = named[len(line) :]
        assert not named, f"{top}: {named} are in no layer"


GOOD = {
    "harness/run/sweep.cpp": ['"harness/record/rows.hpp"', '"kernels/engine.hpp"', "<vector>"],
    "harness/record/rows.hpp": ['"datasets/graph/types.hpp"'],
    "kernels/engine.hpp": ['"datasets/load_graph.hpp"'],
    "kernels/cpu/hybrid.cpp": ['"kernels/engine.hpp"'],
    "kernels/count/classes.cpp": ['"kernels/distributed/partition/edges.hpp"'],
    "kernels/cuda/engines/xbfs/xbfs.cu": [
        '"kernels/cuda/frontier/scan_free.cuh"',
        '"kernels/cuda/engines/xbfs/rule.hpp"',
        "<cuda_runtime.h>",
    ],
    "kernels/cuda/engines/xbfs/rule.hpp": [],
    "kernels/cuda/engines/dfq/dfq.cu": ['"kernels/cuda/device/memory.hpp"'],
    "kernels/cuda/frontier/scan_free.cuh": ['"kernels/cuda/expand/thread.cuh"'],
    "kernels/cuda/frontier/classes.hpp": [],
    "kernels/cuda/expand/thread.cuh": ['"kernels/cuda/traversal/level.cuh"'],
    "kernels/cuda/bottom_up/static.cuh": ['"kernels/cuda/traversal/level.cuh"'],
    "kernels/cuda/traversal/level.cuh": ['"kernels/cuda/device/memory.hpp"'],
    "kernels/cuda/build/tuples.cu": ['"kernels/cuda/device/memory.hpp"'],
    "kernels/cuda/check/rules.cu": ['"kernels/cuda/device/memory.hpp"'],
    "kernels/cuda/device/memory.hpp": ['"kernels/engine.hpp"'],
    "kernels/distributed/engines/delegate/delegate.cu": [
        '"kernels/cuda/expand/thread.cuh"',
        '"kernels/distributed/communicator/self.hpp"',
    ],
    "kernels/distributed/communicator/self.hpp": [],
    "kernels/distributed/partition/edges.hpp": ['"datasets/graph/types.hpp"'],
    "datasets/load_graph.hpp": ['"datasets/name/graph_name.hpp"'],
    "datasets/name/graph_name.hpp": ['"datasets/generate/recipe.hpp"'],
    "datasets/generate/recipe.hpp": ['"datasets/graph/types.hpp"'],
    "datasets/graph/types.hpp": ["<cstdint>"],
    "tests/kernels/exam.cpp": ['"kernels/cuda/device/memory.hpp"', '"tests/datasets/naive.hpp"'],
    "tests/datasets/naive.hpp": [],
}


def plant(root: Path, changes: dict[str, list[str]]) -> list[str]:
    """The faults of the good tree with includes added to its files."""
    for file in {*GOOD, *changes}:
        (root / file).parent.mkdir(parents=True, exist_ok=True)
        targets = [*GOOD.get(file, []), *changes.get(file, [])]
        lines = [f"#include {target}" for target in targets]
        (root / file).write_text("\n".join(["// A comment.", *lines, "int x;", ""]))
    return faults(root)


def test_a_good_tree_has_no_fault(tmp_path):
    assert plant(tmp_path, {}) == []


@pytest.mark.parametrize(
    ("file", "line", "target", "reason"),
    [
        ("datasets/graph/types.hpp", 3, '"datasets/name/graph_name.hpp"', "up"),
        ("datasets/name/graph_name.hpp", 3, '"datasets/load_graph.hpp"', "up"),
        ("datasets/graph/types.hpp", 3, '"kernels/engine.hpp"', "up"),
        ("datasets/graph/types.hpp", 3, "<cuda_runtime.h>", "plain C++"),
        ("kernels/engine.hpp", 3, '"harness/record/rows.hpp"', "up"),
        ("kernels/engine.hpp", 3, "<mpi.h>", "plain C++"),
        ("kernels/engine.hpp", 3, '"kernels/cuda/device/memory.hpp"', "sideways"),
        ("harness/record/rows.hpp", 3, '"harness/run/sweep.cpp"', "up"),
        ("harness/record/rows.hpp", 3, '"kernels/cuda/device/memory.hpp"', "sideways"),
        ("harness/record/rows.hpp", 3, '"tests/datasets/naive.hpp"', "up"),
        ("harness/record/rows.hpp", 3, "<datasets/graph/types.hpp>", "from its root"),
        ("harness/record/rows.hpp", 3, '"rows.hpp"', "from its root"),
        ("kernels/cpu/hybrid.cpp", 3, '"kernels/cuda/frontier/scan_free.cuh"', "sideways"),
        ("kernels/cpu/hybrid.cpp", 3, '"kernels/count/classes.cpp"', "sideways"),
        ("kernels/cuda/device/memory.hpp", 3, '"kernels/cpu/hybrid.cpp"', "sideways"),
        ("kernels/cuda/device/memory.hpp", 3, '"kernels/cuda/traversal/level.cuh"', "up"),
        ("kernels/cuda/traversal/level.cuh", 3, '"kernels/cuda/expand/thread.cuh"', "up"),
        ("kernels/cuda/expand/thread.cuh", 3, '"kernels/cuda/engines/xbfs/rule.hpp"', "up"),
        ("kernels/cuda/traversal/level.cuh", 3, '"kernels/cuda/engines/xbfs/rule.hpp"', "up"),
        ("kernels/cuda/engines/dfq/dfq.cu", 3, '"kernels/cuda/engines/xbfs/rule.hpp"', "sideways"),
        ("kernels/cuda/build/tuples.cu", 3, '"kernels/cuda/check/rules.cu"', "sideways"),
        (
            "kernels/cuda/device/memory.hpp",
            3,
            '"kernels/distributed/communicator/self.hpp"',
            "sideways",
        ),
        (
            "kernels/distributed/engines/delegate/delegate.cu",
            4,
            '"kernels/cuda/engines/xbfs/rule.hpp"',
            "sideways",
        ),
        ("kernels/cuda/elsewhere/new.cuh", 2, '"kernels/engine.hpp"', "in no layer"),
    ],
)
def test_a_planted_include_is_found(tmp_path, file, line, target, reason):
    (fault,) = plant(tmp_path, {file: [target]})
    assert fault.startswith(f"{file}:{line}: includes {target[1:-1]}: ")
    assert reason in fault


def test_a_circle_of_two_folders_is_found(tmp_path):
    found = plant(
        tmp_path, {"kernels/cuda/expand/thread.cuh": ['"kernels/cuda/frontier/classes.hpp"']}
    )
    assert [fault.split(": ")[0] for fault in found] == [
        "kernels/cuda/expand/thread.cuh:3",
        "kernels/cuda/frontier/scan_free.cuh:2",
    ]
    assert all("in a circle" in fault for fault in found)


def test_a_circle_of_three_folders_is_found(tmp_path):
    found = plant(
        tmp_path,
        {
            "kernels/cuda/expand/thread.cuh": ['"kernels/cuda/bottom_up/static.cuh"'],
            "kernels/cuda/bottom_up/static.cuh": ['"kernels/cuda/frontier/classes.hpp"'],
        },
    )
    assert len(found) == 3 and all("in a circle" in fault for fault in found)


def test_a_cuda_source_among_plain_ones_is_found(tmp_path):
    (fault,) = plant(tmp_path, {"datasets/generate/tuples.cu": []})
    assert fault == "datasets/generate/tuples.cu:1: datasets is plain C++, built without CUDA"
