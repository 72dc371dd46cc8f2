# SPDX-License-Identifier: Apache-2.0
"""What a profiler sees: ranges, their names and how they nest. No GPU and no profiler needed."""

from pathlib import Path

import pytest
from driver_bench import GRAPH, ROOT


@pytest.fixture
def trace(bench):
    injection = Path(bench.program).with_name("nvtx_injection.so")
    if not injection.exists():
        pytest.skip(f"no {injection}: the toolkit's nvtx3 headers were not found at build time")
    log = bench.folder / "nvtx.log"
    bench.env["NVTX_INJECTION64_PATH"] = str(injection)
    bench.env["BFSLAB_NVTX_LOG"] = str(log)

    def run(spec):
        done = bench.run(spec)
        stack, ranges = [], []
        for line in log.read_text().splitlines():
            word, domain, *rest = line.split(" ", 3)
            assert domain == "bfslab"
            if word == "push":
                stack.append(rest[1])
                ranges.append((tuple(stack), rest[0]))
            else:
                stack.pop()  # raises if a pop has no push
        assert stack == []  # every range was closed, the outermost too
        return done, ranges

    return run


def test_ranges_nest(bench, trace):
    spec = bench.spec(
        sources=[5], warmup=1, repeats=2, cases={"x": {"engine": "top-down", "threads": 1}}
    )
    done, ranges = trace(spec)
    assert "profiler" in done.stderr
    assert {row["profiler"] for row in bench.rows()} == {"attached"}
    outside = ("t", GRAPH, "x", "source 5")
    for depth in range(1, 5):
        assert any(path == outside[:depth] for path, _ in ranges)
    assert [path for path, _ in ranges].count((*outside, "warm-up")) == 1
    assert [path for path, _ in ranges].count((*outside, "measured")) == 2
    levels = [(path, payload) for path, payload in ranges if path[-1].startswith("level ")]
    assert levels and all(path[:-1] == (*outside, "measured") for path, _ in levels)
    first = levels[0]
    assert first[0][-1].startswith("level 0 top_down ") and first[1] == "1"  # the source alone
    # A level's payload is its frontier: over all levels of a run, every reached vertex once.
    reached = int(bench.rows()[0]["reached_vertices"])
    assert sum(int(payload) for _, payload in levels) == 2 * reached


@pytest.mark.parametrize("kind", ["missing", "folder", "dangling"])
def test_a_library_that_is_not_there_is_said(bench, kind):
    """NVTX passes over it, and no range would be seen."""
    library = bench.folder / "nvtx.so"
    if kind == "folder":
        library.mkdir()
    elif kind == "dangling":
        library.symlink_to("nothing")
    assert "NVTX_INJECTION64_PATH" not in bench.run(bench.spec("u")).stderr
    bench.env["NVTX_INJECTION64_PATH"] = str(library)
    said = f"warning: NVTX_INJECTION64_PATH names {library}, and there is no such file"
    assert said in bench.run(bench.spec()).stderr


def test_the_recipe_of_the_page_builds_what_it_names():
    page = (ROOT / "docs/profile.md").read_text()
    build, run = page.rpartition("```sh")[2].splitlines()[1:3]
    target = build.split()[-1]
    assert f"{target}.so" in run
    assert f"add_library({target} MODULE" in (ROOT / "tests/nvtx/CMakeLists.txt").read_text()


def test_a_search_that_counts_is_no_measured_one(bench, trace):
    spec = bench.spec(sources=[5], cases={"x": {"engine": "top-down", "threads": 1}},
                      record=["time", "levels"])  # fmt: skip
    _, ranges = trace(spec)
    outside = ("t", GRAPH, "x", "source 5")
    names = [path[4] for path, _ in ranges if path[:4] == outside and len(path) == 5]
    assert names == ["measured", "instrumented"]


def test_without_a_tool_nothing_is_traced(bench):
    log = bench.folder / "nvtx.log"
    bench.env["BFSLAB_NVTX_LOG"] = str(log)
    done = bench.run(bench.spec())
    assert not log.exists() and "profiler" not in done.stderr
