# SPDX-License-Identifier: Apache-2.0
"""`bfslab profile`: its commands, what becomes of counters, and what is said where there are none.
No GPU: tests/data/ncu/raw_page.csv are lines and columns of what ncu 2025.3 printed of
experiments/beyond/kernel_counters.json on an H200, except for its columns of atomics and of
reductions, which are made up; fake_ncu.py stands in for the profiler."""

import json
import shlex
from pathlib import Path

import pytest
from driver_bench import GRAPH, ROOT

from tests.sealing import unseal_tables

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
    """(case, kernel, metric) -> {level: (value, unit)}"""
    cases = {r["trial"]: r["case"] for r in bench.rows(name=name)}
    found = {}
    for row in bench.rows("measures", name):
        if row["part"].startswith("kernel="):
            key = (cases[row["trial"]], row["part"].split(";")[0][7:], row["metric"])
            assert row["level"] not in found.setdefault(key, {})
            found[key][row["level"]] = float(row["value"]), row["unit"]
    return found


def measured(bench, change=lambda text: text):
    """Arguments with which the raw page is imported: a spec with rows of its three cases, and the
    page, told of the graph and the source that take the least time here."""
    cases = {case: {"engine": engine, "threads": 1} for case, engine in
             [("Enterprise", "top-down"), ("XBFS", "hybrid"), ("Decentralized queue", "top-down")]
             }  # fmt: skip
    spec = bench.spec(name="kernel-counters", sources=[5], cases=cases, base={})
    bench.run(spec)
    page = bench.folder / "page.csv"
    told = RAW.read_text().replace("kronecker:scale=20", GRAPH).replace("594191", "5")
    page.write_text(change(told))
    return spec, "--import", page


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


def test_levels_are_recorded_where_the_spec_records_them(profile):
    spec = ROOT / "experiments/beyond/fused_counters.json"
    for tool, record, figures in [
        ("ncu", ["time", "levels"], ["roofline", "level_timeline", "level_traffic"]),
        ("nsys", ["time"], None),
    ]:
        run = shlex.split(profile(spec, "--tool", tool, "--dry-run").stdout.splitlines()[0])
        changes = [run[i + 1] for i, word in enumerate(run) if word == "--set"]
        values = dict(change.split("=", 1) for change in changes)
        assert json.loads(values["record"]) == record
        assert json.loads(values.get("figure", "null")) == figures
    run = shlex.split(profile(GPU_SPEC, "--dry-run").stdout.splitlines()[0])
    assert 'record=["time"]' in run and 'figure=["roofline","level_timeline"]' in run


def test_what_ncu_would_not_take_for_a_name_is_refused(profile):
    done = profile(GPU_SPEC, "--technique", "double_*", "--dry-run", code=2)
    assert "--technique double_*: there is none of such a name" in done.stderr


def test_the_commands_of_nsys(bench, profile):
    (line,) = profile(GPU_SPEC, "--tool", "nsys", "--dry-run").stdout.splitlines()
    assert "--trace=cuda,nvtx --capture-range=cudaProfilerApi --capture-range-end=repeat" in line
    cpu = bench.spec(cases={"x": {"engine": "top-down"}}, base={})
    (line,) = profile(cpu, "--tool", "nsys", "--dry-run").stdout.splitlines()
    assert "--trace=nvtx,osrt --trace-fork-before-exec=true" in line
    assert not bench.results.exists()


def test_own_metrics_sections_and_arguments_of_ncu(profile):
    done = profile(GPU_SPEC, "--metrics", "a__b.sum,c__d.avg", "--metrics", "e.max", "--section",
                   "MemoryWorkloadAnalysis", "--argument=--clock-control", "--argument=none",
                   "--dry-run")  # fmt: skip
    run = shlex.split(done.stdout.splitlines()[0])
    metrics = run[run.index("--metrics") + 1].split(",")
    assert metrics[-3:] == ["a__b.sum", "c__d.avg", "e.max"] and "dram__bytes_read.sum" in metrics
    sections = [run[i + 1] for i, word in enumerate(run) if word == "--section"]
    assert sections == ["MemoryWorkloadAnalysis", "WarpStateStats"]
    assert "--clock-control none" in " ".join(run[: run.index("--metrics")])
    (line,) = profile(GPU_SPEC, "--tool", "nsys", "--argument=--stats=true",
                      "--dry-run").stdout.splitlines()  # fmt: skip
    assert line.index("--stats=true") < line.index(" run ")


def test_own_metrics_are_imported_in_the_units_of_ncu(bench, profile):
    spec, *words = measured(bench)
    own = ["sm__warps_active.avg.pct_of_peak_sustained_active", "lts__t_bytes.sum",
           "gpu__time_duration.sum"]  # fmt: skip
    profile(spec, *words, *(word for name in own for word in ("--metrics", name)))
    found = counters(bench, "kernel-counters")
    levels = {metric: levels for (_, kernel, metric), levels in found.items()
              if kernel == "count_frontier"}  # fmt: skip
    assert levels[own[0]]["4"] == (pytest.approx(levels["occupancy"]["4"][0]), "%")
    assert levels[own[1]]["4"] == (levels["l2_bytes"]["4"][0], "byte")
    assert levels[own[2]]["4"] == (17696 + 12160, "ns")


def test_a_metric_that_the_report_lacks_is_named(bench, profile):
    spec, *words = measured(bench)
    done = profile(spec, *words, "--metrics", "no__such.sum", code=2)
    assert "no column no__such.sum" in done.stderr and "--metrics no__such" in done.stderr
    assert counters(bench, "kernel-counters") == {}


def test_graph_and_source_take_the_place_of_the_specs(profile):
    (line, _) = profile(GPU_SPEC, "--graph", "kronecker:scale=9", "--source", "7",
                        "--dry-run").stdout.splitlines()  # fmt: skip
    run = shlex.split(line)
    changes = [run[i + 1] for i, word in enumerate(run) if word == "--set"]
    assert changes[-2:] == ['graphs=["kronecker:scale=9"]', "sources=[7]"]
    assert "sources.count=1" not in changes


def test_names_that_there_are_not_are_refused_before_anything_runs(bench, profile):
    done = profile(GPU_SPEC, "--technique", "doble_scan", code=2)
    assert 'did you mean "double_scan"?' in done.stderr and "xbfs has scan_free" in done.stderr
    done = profile(GPU_SPEC, "--kernel", "look_at_levl", code=2)
    assert 'did you mean "look_at_level"?' in done.stderr
    assert "is no regular expression" in profile(GPU_SPEC, "--kernel", "(", code=2).stderr
    profile(GPU_SPEC, "--kernel", "^DeviceScan", "--dry-run")
    assert not bench.results.exists()


def test_perf_samples_every_search_of_the_spec(bench, profile):
    spec = bench.spec(sources=[5, 7], cases={"x": {"engine": "top-down"}}, base={}, repeats=2)
    tool = bench.folder / "perf"
    tool.write_text(
        "#!/bin/sh\n"
        'while [ "$1" != -- ]; do [ "$1" = --output ] && out=$2; shift; done\n'
        'shift; "$@" && echo samples > "$out"\n'
    )
    tool.chmod(0o755)
    done = profile(spec, "--tool", "perf", "--profiler", tool, "--metrics", "cycles,cache-misses")
    assert "record --call-graph fp --output" in done.stderr
    assert "--event cycles,cache-misses" in done.stderr
    report = bench.results / "t.perf.data"
    assert report.read_text() == "samples\n" and f"perf report --input {report}" in done.stderr
    assert [row["status"] for row in bench.rows()] == ["ok"] * 4
    refused = profile(spec, "--tool", "perf", "--technique", "bitmap", code=2)
    assert "--technique has no effect with --tool perf" in refused.stderr


def test_what_ran_as_json(bench, profile):
    spec, *words = measured(bench)
    said = json.loads(profile(spec, *words, "--json").stdout)
    assert said["counters"]["trials"] == 3 and said["commands"] == [] and said["report"] is None
    assert Path(said["counters"]["file"]).read_text()
    planned = json.loads(profile(GPU_SPEC, "--dry-run", "--json").stdout)
    lines = profile(GPU_SPEC, "--dry-run").stdout.splitlines()
    assert planned == {"commands": [shlex.split(line) for line in lines]}
    tool = bench.folder / "perf"
    tool.write_text('#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done\nshift; exec "$@"\n')
    tool.chmod(0o755)
    ran = json.loads(profile(spec, "--tool", "perf", "--profiler", tool, "--json").stdout)
    assert ran["rows"].endswith("kernel-counters") and ran["counters"] is None
    assert ran["commands"][0][1] == "record" and ran["report"].endswith(".perf.data")


SELECTS = [["--level", "1"], ["--technique", "double_scan"], ["--kernel", "scan"], ["--full"],
           ["--section", "MemoryWorkloadAnalysis"]]  # fmt: skip


@pytest.mark.parametrize(
    ("beside", "words"),
    [(["--tool", "nsys"], words) for words in [*SELECTS, ["--import", "c.csv"]]]
    + [(["--tool", "nsys"], [word for words in SELECTS for word in words])]
    + [(["--import", "c.csv"], w) for w in [*SELECTS, ["--dry-run"], ["--profiler", "/bin/true"]]],
    ids=lambda words: " ".join(words),
)
@pytest.mark.parametrize("turned", [False, True])
def test_an_option_without_effect_is_refused(bench, profile, beside, words, turned):
    order = [*words, *beside] if turned else [*beside, *words]
    said = profile(GPU_SPEC, *order, code=2).stderr
    assert said.count("\n") == 1 and f" no effect with {' '.join(beside[:2])}"[:24] in said
    assert all(word in said for word in words if word.startswith("--"))
    assert not bench.results.exists()


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
    of_trial, resets = {}, []
    for row in bench.rows("measures"):
        if row["metric"] != "gpu_time":
            continue
        if row["part"] == "kernel=reset_traversal":
            assert row["level"] == ""
            resets.append(row["trial"])
            continue
        of_trial.setdefault(row["trial"], []).append(int(row["level"]))
        assert float(row["value"]) == pytest.approx((int(row["level"]) + 2) / 1000)
        assert row["part"].startswith("kernel=expand;direction=")
    assert sorted(resets) == sorted(rows)
    assert set(of_trial) == set(rows)
    for trial, levels in of_trial.items():  # each row has every level of its search once
        assert sorted(levels) == list(range(int(rows[trial]["levels"])))
    assert "counters of 6 trials" in done.stderr and done.stdout.strip().endswith("/t")
    again = profile(spec, *profiler)  # afresh, and the rows before are kept aside
    assert "counters of 6 trials" in again.stderr and (bench.results / ".previous").is_dir()


def test_levels_are_counted_beside_what_is_profiled(bench, profile, profiler):
    """The instrumented search runs other kernels, whose counters belong to no row."""
    spec = bench.spec(sources=[5], cases={"x": {"engine": "hybrid"}}, base={},
                      record=["time", "levels"])  # fmt: skip
    done = profile(spec, *profiler)
    assert "counters of 1 trials" in done.stderr and "belong to no row" not in done.stderr
    timed, counted = bench.rows()
    assert (timed["instrumented"], counted["instrumented"]) == ("0", "1")
    assert {row["trial"] for row in bench.rows("levels")} == {counted["trial"]}
    found = counters(bench)
    assert found["x", "expand", "launches"].keys() == {r["level"] for r in bench.rows("levels")}
    assert all(value == (1, "1") for value in found["x", "expand", "launches"].values())


def test_one_level_alone(bench, profile, profiler):
    spec = bench.spec(sources=[5], cases={"x": {"engine": "top-down"}}, base={})
    profile(spec, *profiler, "--level", "1")
    found = counters(bench)
    assert found["x", "expand", "gpu_time"].keys() == {"1"}
    assert not any(kernel == "reset_traversal" for _, kernel, _ in found)


def test_levels_of_one_technique(bench, profile, profiler):
    spec = bench.spec(sources=[5], cases={"x": {"engine": "hybrid"}}, base={})
    profile(spec, *profiler)
    levels = {}
    for row in bench.rows("measures"):
        if "technique=" in row["part"]:
            levels.setdefault(row["part"].split("technique=")[1], set()).add(row["level"])
    assert len(levels) > 1
    technique = next(iter(levels))
    profile(spec, *profiler, "--technique", technique)
    assert counters(bench)["x", "expand", "gpu_time"].keys() == levels[technique]
    done = profile(spec, *profiler, "--technique", technique[:-1], code=2)
    assert "there is none of such a name; hybrid has queue, bitmap; did you mean" in done.stderr
    done = profile(spec, *profiler, "--technique", technique, "--level", "99", code=2)
    assert "no kernel lies in the range" in done.stderr


# ---- what ncu prints


def test_the_raw_page_is_read(bench, profile):
    profile(*measured(bench))
    found = counters(bench, "kernel-counters")
    assert found["Enterprise", "reset_traversal", "gpu_time"] == {"": (0.003552, "ms")}
    assert found["Decentralized queue", "streamed_search", "gpu_time"] == {"3": (0.502336, "ms")}
    assert found["XBFS", "expand_unfiltered", "dram_read_bytes"] == {"4": (15204864, "B")}
    # The kernels of CUB lie in a range of another domain, too.
    assert found["Enterprise", "DeviceScanKernel", "l2_bytes"] == {"0": (3796608, "B")}
    kernels = {kernel for _, kernel, _ in found}
    assert kernels == {"reset_traversal", "expand_degree_classes", "DeviceScanInitKernel",
                       "DeviceScanKernel", "look_at_level", "count_frontier", "streamed_search",
                       "single_scan_next", "expand_unfiltered"}  # fmt: skip
    told = {metric: levels["2"] for (_, kernel, metric), levels in found.items()
            if kernel == "look_at_level" and not metric.startswith("stall_")}  # fmt: skip
    assert told == {
        "launches": (1, "1"),
        "order": (4, "1"),
        "gpu_time": (0.095264, "ms"),
        "dram_read_bytes": (71663616, "B"),
        "dram_written_bytes": (2702848, "B"),
        "l2_bytes": (388488256, "B"),
        "global_load_requests": (2048658, "1"),
        "global_load_sectors": (14343583, "1"),
        "warp_instructions": (31599531, "1"),
        "global_atomics": (600, "1"),
        "global_reductions": (60, "1"),
        "occupancy": (97.04, "%"),
        "dram_peak": (pytest.approx(1504 * 3198522002.02), "B/s"),
        "instruction_peak": (pytest.approx(528 * 1485403084), "1/s"),
    }
    stalls = {metric: levels["2"] for (_, kernel, metric), levels in found.items()
              if kernel == "look_at_level" and metric.startswith("stall_")}  # fmt: skip
    assert len(stalls) == 19 and stalls["stall_long_scoreboard"] == (23.12, "1")
    parts = {r["part"] for r in bench.rows("measures", "kernel-counters")}
    assert "kernel=reset_traversal" in parts  # between levels
    assert "kernel=single_scan_next;direction=top_down;technique=single_scan" in parts


def test_launches_of_a_kernel_in_a_level_are_added_up(bench, profile):
    profile(*measured(bench))
    found = counters(bench, "kernel-counters")
    twice = {metric: levels["4"][0] for (_, kernel, metric), levels in found.items()
             if kernel == "count_frontier"}  # fmt: skip
    assert twice["launches"] == 2 and twice["order"] == 5
    assert twice["gpu_time"] == pytest.approx((17696 + 12160) / 1e6)
    assert twice["dram_read_bytes"] == 11474688 + 4311040
    assert twice["global_atomics"] == 700 + 800 and twice["global_reductions"] == 70 + 80
    # Ratios: means, weighted by time.
    assert twice["occupancy"] == pytest.approx((23.39 * 17696 + 23.77 * 12160) / 29856)
    assert twice["stall_barrier"] == pytest.approx(3.71 * 12160 / 29856)


def test_other_units_and_what_is_no_number(bench, profile):
    def change(text):
        told = (text.replace('"byte"', '"Kbyte"', 4).replace('"ns"', '"usecond"')
                .replace('"95264"', '"1,234.5"').replace('"23.12"', '"n/a"'))  # fmt: skip
        return "==PROF== Connected to process 1918\n" + told + "==WARNING== The end, of it"

    profile(*measured(bench, change))
    found = counters(bench, "kernel-counters")
    assert found["Enterprise", "look_at_level", "gpu_time"] == {"2": (1.2345, "ms")}
    assert found["XBFS", "expand_unfiltered", "dram_read_bytes"] == {"4": (15204864e3, "B")}
    assert ("Enterprise", "look_at_level", "stall_barrier") in found
    assert "2" not in found["Enterprise", "expand_degree_classes", "stall_long_scoreboard"]
    assert ("Enterprise", "look_at_level", "stall_long_scoreboard") not in found


def test_names_may_hold_what_separates_them(bench, profile):
    case = 'a:b"none:none" c=d'
    cases = {case: {"engine": "top-down", "threads": 1}}
    spec = bench.spec(sources=[5], cases=cases, base={})
    bench.run(spec)
    page = bench.folder / "page.csv"
    text = RAW.read_text().replace("kronecker:scale=20", GRAPH).replace("594191", "5")
    page.write_text(text.replace("Enterprise", case.replace('"', '""')))
    done = profile(spec, "--import", page)
    assert "counters of 1 trials" in done.stderr and "belong to no row" in done.stderr
    assert (case, "look_at_level", "gpu_time") in counters(bench)


def test_counters_are_not_added_twice(bench, profile):
    arguments = measured(bench)
    profile(*arguments)
    rows = bench.results / "kernel-counters/measures.csv"
    before = rows.read_bytes()
    assert "a second time" in profile(*arguments, code=2).stderr
    assert rows.read_bytes() == before
    bench.run(arguments[0])  # the folder is still in order


def test_counters_are_not_added_to_rows_without_seals(bench, profile):
    arguments = measured(bench)
    folder = bench.results / "kernel-counters"
    unseal_tables(folder)
    before = (folder / "measures.csv").read_bytes()
    assert "let `bfslab run` go on with the folder first" in profile(*arguments, code=2).stderr
    assert (folder / "measures.csv").read_bytes() == before


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"ns"', '"fortnight"', 'not known here, "fortnight"'),
        ('"ID"', '"Nothing"', "no header of ncu's raw page"),
        ("Push/Pop_Range", "Other", "made with --nvtx"),
        ("source 5", "source 6", f'one ran in case "Decentralized queue" on {GRAPH} from vertex 6'),
        ("measured", "warm-up", "lies in a measured range"),
        (',"1200","0.23"\n', "", "the line of kernel 10 has 56 of 58 columns"),
    ],
)
def test_what_is_no_raw_page_of_these_rows_is_refused(bench, profile, old, new, words):
    arguments = measured(bench, lambda text: text.replace(old, new))
    assert words in profile(*arguments, code=2).stderr
    assert counters(bench, "kernel-counters") == {}


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
