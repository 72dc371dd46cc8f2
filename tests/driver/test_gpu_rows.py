# SPDX-License-Identifier: Apache-2.0
"""What the driver does for GPU engines, on machines without a GPU: a made-up engine whose answer
is in made-up device memory, and a made-up libnvidia-ml."""

import json
import shlex
import subprocess
from pathlib import Path

import pytest
from driver_bench import GRAPH, fake_nvml, statuses


@pytest.fixture
def nvml(bench):
    bench.env["LD_LIBRARY_PATH"] = fake_nvml(bench.program)


@pytest.mark.parametrize("answer", ["levels", "parents", "both"])
def test_an_answer_in_device_memory_is_copied_out_and_checked(bench, answer):
    bench.run(bench.spec(answer=answer, cases={"gpu": {"engine": "faulty-gpu"}, "cpu": {}}))
    rows = bench.rows()
    assert statuses(rows, "gpu") == ["ok", "ok"]
    gpu = [row for row in rows if row["case"] == "gpu"]
    cpu = [row for row in rows if row["case"] == "cpu"]
    assert {(r["gpu_ms"], r["gpus_per_rank"], r["validated"]) for r in gpu} == {("0.125", "1", "1")}
    assert {(r["gpu_ms"], r["gpus_per_rank"]) for r in cpu} == {("", "0")}
    for column in ("levels", "reached_vertices", "component_edges"):
        assert sorted(r[column] for r in gpu) == sorted(r[column] for r in cpu)


def test_the_gpu_is_asked_to_build_what_it_will_traverse(bench):
    gpu = {"engine": "faulty-gpu"}
    told = "built on the "  # GPU, or, with the reason, CPU
    assert told in bench.run(bench.spec("cold", cases={"gpu": gpu})).stderr
    assert told not in bench.run(bench.spec("cached", cases={"gpu": gpu})).stderr
    graphs = ["path:vertices=9", "kronecker:scale=9"]
    spec = bench.spec("cpu", graphs=graphs[1:])
    assert told not in bench.run(spec).stderr
    spec = bench.spec("other", graphs=graphs[:1], cases={"gpu": gpu})
    assert told not in bench.run(spec).stderr


@pytest.mark.parametrize("room", ["none", "for_graph", "for_check"])
def test_an_answer_is_checked_on_the_device_where_it_has_room(bench, room):
    cases = {"gpu": {"engine": "faulty-gpu", "room": room}}
    bench.run(bench.spec(check="all", cases=cases))
    assert {row["validated"] for row in bench.rows()} == {"1"}
    log = (bench.results / "t/worker.log").read_text()
    assert ("faulty-gpu: checked on the device" in log) == (room == "for_check")


@pytest.mark.parametrize("check", ["all", "none"])
def test_counts_come_with_or_without_a_check(bench, check):
    bench.run(bench.spec(check=check, cases={"gpu": {"engine": "faulty-gpu"}}))
    assert all(int(row["reached_vertices"]) > 1 for row in bench.rows())


def test_a_wrong_answer_in_device_memory_is_found(bench):
    cases = {"gpu": {"engine": "faulty-gpu", "fault": "wrong_levels"}}
    bench.run(bench.spec(cases=cases), code=1)
    assert statuses(bench.rows(), "gpu") == ["wrong", "skipped"]


@pytest.mark.parametrize(
    "fault,status,words",
    [
        ("device_memory", "oom", "out of GPU memory: 1099511627776 bytes requested, 5 of 10 free"),
        ("device", "crash", "faulty: no such kernel"),
        ("refuse", "unsupported", "refuses this graph"),
    ],
)
@pytest.mark.parametrize("where", ["load", "traverse"])
def test_what_goes_wrong_on_a_gpu_is_a_row(bench, fault, status, words, where):
    bad = {"engine": "faulty-gpu", "fault": fault, "where": where}
    bench.run(bench.spec(cases={"bad": bad, "good": {"engine": "faulty-gpu"}}))
    rows = bench.rows()
    first = next(row for row in rows if row["case"] == "bad")
    assert first["status"] == status and words in first["reason"]
    assert statuses(rows, "good") == ["ok", "ok"]  # in a new worker


def test_a_case_that_does_not_fit_beside_others_says_how_to_run_it_alone(bench):
    bad = {"engine": "faulty-gpu", "fault": "device_memory", "where": "load"}
    good = {"engine": "faulty-gpu"}
    sources = {"count": 1, "seed": 5, "rule": "degree>=1"}  # the last case runs last
    spec = bench.spec(sources=sources, cases={"a": good, "b": good, "cpu": {}, "bad": bad})
    options = "--only 'bad/*' --retry oom"
    bench.run(spec)
    reasons = [row["reason"] for row in bench.rows() if row["status"] == "oom"]
    assert len(reasons) == 1
    assert f"2 other cases are loaded on GPUs: {options} runs this one alone" in reasons[0]
    bench.run(spec, *shlex.split(options))
    reasons = [row["reason"] for row in bench.rows() if row["status"] == "oom"]
    assert "out of GPU memory" in reasons[-1] and "loaded on GPUs" not in reasons[-1]


def test_without_a_gpu_every_engine_of_one_is_unsupported(bench):
    bench.env["CUDA_VISIBLE_DEVICES"] = ""
    listed = subprocess.run(
        bench.command("list", "engines", "--json"), capture_output=True, text=True, check=True
    )
    gpu = [e["name"] for e in json.loads(listed.stdout) if e["can"]["gpu"]]
    cases = {name: {"engine": name} for name in gpu if not name.startswith("faulty")}
    alone = {"cs406-cuda", "dfq", "gunrock", "tigr", "xbfs"}
    assert alone <= set(cases)
    bench.run(bench.spec("alone", base=None, cases={name: cases[name] for name in alone}))
    assert not list((bench.folder / "cache").rglob("*.csr"))  # no graph is built without a use
    bench.run(bench.spec(base=None, cases=cases))
    for row in bench.rows():
        assert row["status"] == "unsupported", row["reason"]
        assert "GPU" in row["reason"]  # none here, or no CUDA in this build


def test_traverse_prints_an_answer_of_device_memory(bench):
    def answer(engine: str) -> str:
        command = bench.command("traverse", GRAPH, "--source", 5, "--engine", engine)
        done = subprocess.run(command, env=bench.env, capture_output=True, text=True, check=True)
        return done.stdout

    assert answer("faulty-gpu") == answer("faulty")


def test_the_clock_is_read_after_each_trial_of_a_gpu(bench, nvml):
    bench.run(bench.spec(cases={"gpu": {"engine": "faulty-gpu"}, "cpu": {}}))
    clocks = {(row["case"], row["sm_clock_mhz"]) for row in bench.rows()}
    assert clocks == {("gpu", "1001"), ("cpu", "")}


def test_rows_name_every_gpu_of_a_rank(bench, nvml):
    cases = {str(n): {"engine": "faulty-gpus", "gpus_per_rank": n} for n in (1, 2)}
    bench.run(bench.spec(cases=cases))
    named = {(row["case"], row["gpu"], row["sm_clock_mhz"]) for row in bench.rows()}
    # The clock is the lowest.
    assert named == {("1", "GPU-1", "1001"), ("2", "GPU-0;GPU-1", "1000")}


def test_the_environment_names_every_gpu(bench, nvml):
    bench.run(bench.spec())
    gpu = json.loads((bench.results / "t/environment.json").read_text())["gpu"]
    assert gpu["driver_version"] == "580.1" and gpu["driver_cuda"] == "13.1" and gpu["count"] == 2
    first, second = gpu["devices"]
    assert first == {
        "name": "Made-up GPU",
        "uuid": "GPU-0",
        "memory_bytes": 7,
        "sm_clock_mhz": 1000,
        "max_sm_clock_mhz": 1980,
        "applications_sm_clock_mhz": 1755,
    }
    assert second["uuid"] == "GPU-1" and second["applications_sm_clock_mhz"] is None


def test_a_run_is_not_resumed_on_another_gpu(bench, nvml):
    spec = bench.spec()
    bench.run(spec)
    path = bench.results / "t/environment.json"
    path.write_text(path.read_text().replace("Made-up GPU", "Another GPU"))
    done = bench.run(spec, code=2)
    assert "Another GPU" in done.stderr and "--fresh" in done.stderr


@pytest.mark.parametrize("scale,warned", [(4, False), (22, True)])
def test_a_check_warns_of_gpu_memory(bench, nvml, scale, warned):
    bench.env["FAKE_NVML_MEMORY"] = str(1 << 20)
    graphs = [f"kronecker:scale={scale}"]
    spec = bench.spec(graphs=graphs, cases={"gpu": {"engine": "faulty-gpu"}})
    command = bench.command("check", spec)
    done = subprocess.run(command, env=bench.env, capture_output=True, text=True, check=True)
    assert "GPU memory" in done.stdout
    assert ("WARNING: 48 MiB of GPU memory are needed" in done.stdout) == warned


def profiler_calls(bench) -> list[str]:
    log = (bench.results / "t/worker.log").read_text().splitlines()
    return [line.split(": ")[1] for line in log if line.startswith("faulty-gpu: profiler")]


def test_profilers_are_told_when_the_measured_region_runs(bench):
    injection = Path(bench.program).with_name("nvtx_injection.so")
    if not injection.exists():
        pytest.skip(f"no {injection}: the toolkit's nvtx3 headers were not found at build time")
    bench.env["NVTX_INJECTION64_PATH"] = str(injection)
    bench.env["BFSLAB_NVTX_LOG"] = str(bench.folder / "nvtx.log")
    bench.run(bench.spec(warmup=1, cases={"gpu": {"engine": "faulty-gpu"}, "cpu": {}}))
    assert profiler_calls(bench) == ["profiler start", "profiler stop"] * 2


def test_without_a_profiler_nobody_is_told(bench):
    bench.run(bench.spec(cases={"gpu": {"engine": "faulty-gpu"}}))
    assert profiler_calls(bench) == []
