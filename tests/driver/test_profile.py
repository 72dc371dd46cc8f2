# SPDX-License-Identifier: Apache-2.0
"""`bfslab profile`: its commands, what becomes of counters, and what is said where there are none.
No GPU: tests/data/ncu/raw_page.csv is written by hand in the form of ncu's raw page, and
fake_ncu.py stands in for the profiler."""

import shlex
from pathlib import Path

import pytest
from driver_bench import GRAPH, ROOT

FAKE = ROOT / "tests/driver/fake_ncu.py"
RAW = ROOT / "tests/data/ncu/raw_page.csv"
GPU_SPEC = ROOT / "experiments/quick/gpu_ablation.json"


@pytest.fixture
def profile(bench):
    """`bfslab profile` with rows in the bench's folder of results."""
    import subprocess

    def run(*arguments, code=0):
        done = subprocess.run(
            bench.command("profile", *arguments, "--results", bench.results),
            env=bench.env, cwd=bench.folder, capture_output=True, text=True, timeout=120,
        )  # fmt: skip
        assert done.returncode == code, f"exit {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done

    return run


def counters(bench, name="t"):
    """(level, kernel, metric) -> (value, unit)"""
    rows = [r for r in bench.rows("measures", name) if r["part"].startswith("kernel=")]
    return {(r["level"], r["part"].split(";")[0][7:], r["metric"]): (float(r["value"]), r["unit"])
            for r in rows}  # fmt: skip


def measured(bench):
    """Rows of the search that the raw page tells of."""
    spec = bench.spec(sources=[5], cases={"x": {"engine": "top-down", "threads": 1}}, base={})
    bench.run(spec)
    return spec


# ---- commands


def test_the_commands_of_ncu(profile):
    done = profile(GPU_SPEC, "--only", "Ad/*", "--level", "3", "--technique", "double_scan",
                   "--kernel", "unvisited", "--full", "--set", "warmup=2", "--dry-run")  # fmt: skip
    run, export = (shlex.split(line) for line in done.stdout.splitlines())
    assert Path(run[0]).name == Path(export[0]).name == "ncu"
    at = {word: run[i + 1] for i, word in enumerate(run[:-1])}
    assert at["--nvtx-include"] == "bfslab@measured/*/level=3/technique=double_scan"
    assert at["--target-processes"] == "all" and at["--set"] != "" and "--nvtx" in run
    assert at["--kernel-name"] == "regex:unvisited" and "full" in run
    assert "dram__bytes_read.sum" in at["--metrics"].split(",")
    command = run[run.index("--metrics") + 2 :]
    assert command[1:4] == ["run", str(GPU_SPEC), "--fresh"]
    changes = [command[i + 1] for i, word in enumerate(command) if word == "--set"]
    assert {"sources.count=1", "repeats=1", 'record=["time"]', "warmup=2"} <= set(changes)
    assert at["--export"] == export[export.index("--import") + 1]
    assert " ".join(export[3:8]) == "--csv --page raw --print-units base"


def test_without_a_level_all_measured_kernels_are_profiled(profile):
    run = shlex.split(profile(GPU_SPEC, "--dry-run").stdout.splitlines()[0])
    assert run[run.index("--nvtx-include") + 1] == "bfslab@measured/"


def test_the_commands_of_nsys(bench, profile):
    (line,) = profile(GPU_SPEC, "--tool", "nsys", "--dry-run").stdout.splitlines()
    assert "--trace=cuda,nvtx --capture-range=cudaProfilerApi --capture-range-end=repeat" in line
    cpu = bench.spec(cases={"x": {"engine": "top-down"}}, base={})
    (line,) = profile(cpu, "--tool", "nsys", "--dry-run").stdout.splitlines()
    assert "--trace=nvtx,osrt --trace-fork-before-exec=true" in line
    assert not bench.results.exists()
    done = profile(GPU_SPEC, "--tool", "nsys", "--level", "1", "--dry-run", code=2)
    assert "--level and --technique select kernels of ncu" in done.stderr


# ---- from the run to the rows, with ranges as they are


@pytest.fixture
def profiler(bench):
    if not Path(bench.program).with_name("nvtx_injection.so").exists():
        pytest.skip("no nvtx_injection.so: the toolkit's nvtx3 headers were not found")
    return ["--profiler", FAKE]


def test_a_run_becomes_counters_of_its_levels(bench, profile, profiler):
    cases = {"x": {"engine": "top-down", "sweep": {"threads": [1, 2]}}, "a:b": {"engine": "hybrid"}}
    spec = bench.spec(sources=[5, 7], cases=cases, base={}, repeats=3, warmup=1)
    done = profile(spec, *profiler)
    rows = {r["trial"]: r for r in bench.rows()}
    assert len(rows) == 6  # once each
    of_trial = {}
    for row in bench.rows("measures"):
        if row["metric"] == "gpu_time":
            of_trial.setdefault(row["trial"], []).append(int(row["level"]))
            assert float(row["value"]) == pytest.approx((int(row["level"]) + 1) / 1000)
            assert row["part"].startswith("kernel=expand;direction=")
    assert set(of_trial) == set(rows)
    for trial, levels in of_trial.items():  # each row has every level of its own search, once
        assert sorted(levels) == list(range(int(rows[trial]["levels"])))
    assert "counters of 6 trials" in done.stderr and done.stdout.strip().endswith("/t")
    again = profile(spec, *profiler)  # afresh, and the rows before are kept aside
    assert "counters of 6 trials" in again.stderr and (bench.results / ".previous").is_dir()


def test_one_level_alone(bench, profile, profiler):
    spec = bench.spec(sources=[5], cases={"x": {"engine": "top-down"}}, base={})
    profile(spec, *profiler, "--level", "1")
    assert {level for level, *_ in counters(bench)} == {"1"}


# ---- what ncu prints


def test_the_raw_page_is_read(bench, profile):
    profile(measured(bench), "--import", RAW)
    found = counters(bench)
    once = found["0", "expand", "gpu_time"], found["0", "expand", "dram_read_bytes"]
    assert once == ((0.004, "ms"), (10500, "B"))
    # Two launches of one kernel: sums, and means weighted by time.
    twice = {metric: value for (level, kernel, metric), (value, _) in found.items()
             if (level, kernel) == ("1", "count_unvisited")}  # fmt: skip
    assert twice == {
        "launches": 2,
        "order": 2,
        "gpu_time": pytest.approx(0.04),
        "dram_read_bytes": 4e6,
        "dram_written_bytes": 0,
        "l2_bytes": 12e6,
        "global_load_requests": 4000,
        "global_load_sectors": 24000,
        "warp_instructions": 200000,
        "occupancy": pytest.approx(75),
        "stall_barrier": pytest.approx(2.5),
        "stall_long_scoreboard": pytest.approx(18),
        "dram_peak": pytest.approx(1024 * 2.6e9),
        "instruction_peak": pytest.approx(528 * 1.5e9),
    }
    assert ("", "reset_status", "stall_long_scoreboard") not in found  # "n/a" is no number
    assert found["", "reset_status", "dram_written_bytes"] == (2048, "B")
    assert not any(kernel == "Kernel" for _, kernel, _ in found)  # outside of our ranges
    part = next(r["part"] for r in bench.rows("measures") if "place_unvisited" in r["part"])
    assert part == "kernel=place_unvisited;direction=bottom_up;technique=double_scan"


def test_counters_are_not_added_twice(bench, profile):
    spec = measured(bench)
    profile(spec, "--import", RAW)
    before = (bench.results / "t/measures.csv").read_bytes()
    assert "a second time" in profile(spec, "--import", RAW, code=2).stderr
    assert (bench.results / "t/measures.csv").read_bytes() == before
    bench.run(spec)  # the folder is still in order


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("usecond", "fortnight", 'not known here, "fortnight"'),
        ('"ID"', '"Nothing"', "no header of ncu's raw page"),
        ("Push/Pop_Range", "Other", "made with --nvtx"),
        ("source 5", "source 6", "none of its kernels belongs to a row"),
        ("measured", "warm-up", "lies in a measured range"),
    ],
)
def test_what_is_no_raw_page_of_these_rows_is_refused(bench, profile, old, new, words):
    spec = measured(bench)
    other = bench.folder / "other.csv"
    other.write_text(RAW.read_text().replace(old, new))
    assert words in profile(spec, "--import", other, code=2).stderr
    assert counters(bench) == {}


# ---- what is in the way


def test_a_missing_profiler_is_said_with_its_cure(bench, profile):
    bench.env["PATH"] = str(bench.folder)
    for tool, words in [("ncu", "Nsight Compute"), ("nsys", "nsight-systems")]:
        done = profile(GPU_SPEC, "--tool", tool, code=2)
        assert words in done.stderr and "--profiler FILE" in done.stderr
    assert not bench.results.exists()


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("ERR_NVGPUCTRPERM - The user does not have permission", "NVreg_RestrictProfilingToAdmin"),
        ("==WARNING== No kernels were profiled.", "no kernel lies in the range"),
        ("Profiling failed because a driver resource was unavailable", "DCGM"),
        ("Something else", "ncu ended with 1;"),
    ],
)
def test_a_fault_of_ncu_is_said_with_its_cure(bench, profile, fault, words):
    bench.env["FAKE_NCU_FAULT"] = fault
    done = profile(GPU_SPEC, "--profiler", FAKE, code=2)
    assert words in done.stderr


def test_ranges_have_the_whole_names_that_ncu_compares(bench):
    injection = Path(bench.program).with_name("nvtx_injection.so")
    if not injection.exists():
        pytest.skip("no nvtx_injection.so: the toolkit's nvtx3 headers were not found")
    log = bench.folder / "ranges"
    bench.env |= {"NVTX_INJECTION64_PATH": str(injection), "BFSLAB_NVTX_LOG": str(log)}
    bench.run(bench.spec(sources=[5], cases={"x": {"engine": "top-down"}}, base={}))
    lines = [line.split(" ", 3) for line in log.read_text().splitlines()]
    names = [line[3] for line in lines if line[0] == "push"]
    at = names.index("measured")
    assert names[:2] == ["t", GRAPH] and names[at + 1].startswith("level 0 top_down ")
    technique = names[at + 1].split()[-1]
    assert names[at + 2 : at + 4] == ["level=0", f"technique={technique}"]
