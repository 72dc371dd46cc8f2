# SPDX-License-Identifier: Apache-2.0
"""Trials that something else disturbed: stopped workers, and GPUs that others use, here made-up
ones, told of by a made-up libnvidia-ml."""

import pytest
from driver_bench import IDLE, statuses

# Processor load of other programs is no matter here.
LIMIT = {"limit_pct": 99, "attempts": 3, "drift_pct": 1000}
GPU = {"gpu": {"engine": "faulty-gpu"}}
OWN = "pid self 1000000\n"
OTHER = "pid 99999999 524288000\n"


def test_a_trial_that_a_signal_stopped_is_polluted_and_repeated(bench):
    cases = {"stopped": {"fault": "stopped", "call": 1}}
    bench.run(bench.spec(cases=cases, sources=[1], repeats=3, pollution=LIMIT))
    rows = bench.rows()
    stopped = [row for row in rows if "a signal stopped the worker" in row["reason"]]
    assert [row["polluted"] for row in stopped] == ["1"]
    assert stopped[0]["foreign_load_pct"] == "100"
    again = [row for row in rows if row["repeat"] == stopped[0]["repeat"]]
    assert max(int(row["attempt"]) for row in again) > int(stopped[0]["attempt"])


@pytest.mark.parametrize(
    "state,words",
    [
        (OWN + OTHER, "process 99999999 holds 500 MiB of the GPU's memory"),
        (OWN + "slowed 64\n", "the GPU's clock is low: very hot"),
        (OWN + "slowed 136\n", "slowed by the hardware, out of external power"),
    ],
)
def test_a_gpu_that_others_use_pollutes(bench, nvml, state, words):
    nvml.write_text(IDLE + state)
    bench.run(bench.spec(cases={**GPU, "cpu": {}}, sources=[1], pollution=LIMIT))
    rows = [row for row in bench.rows() if row["case"] == "gpu"]
    assert [(row["polluted"], row["foreign_load_pct"]) for row in rows] == [("1", "100")] * 3
    assert all(words in row["reason"] for row in rows)
    assert not any(words in row["reason"] for row in bench.rows() if row["case"] == "cpu")


def test_the_second_gpu_of_a_rank_pollutes_too(bench, nvml):
    nvml.write_text(IDLE + OWN + OTHER)
    several = {"engine": "faulty-gpus", "gpus_per_rank": 2}
    bench.run(bench.spec(cases={"two": several}, sources=[1], pollution=LIMIT))
    assert [row["polluted"] for row in bench.rows()] == ["1"] * 3
    words = "GPU at 0000:3b:00.0: process 99999999 holds 500 MiB of the GPU's memory"
    assert all(words in row["reason"] for row in bench.rows())


def test_the_second_gpu_of_a_rank_is_probed_too(bench):
    bench.env["FAULTY_SHARED"] = "12"
    cases = {"two": {"engine": "faulty-gpus", "probe_us": 100, "gpus_per_rank": 2}}
    bench.run(bench.spec(cases=cases, sources=[1], pollution=LIMIT))
    assert [row["polluted"] for row in bench.rows()] == ["1"] * 3
    words = (
        "GPU at 0000:3b:00.0: a fixed kernel before or after it took 2.000 ms, and 0.100 ms at best"
    )
    assert all(words in row["reason"] for row in bench.rows())


@pytest.mark.parametrize("state", [OWN, OWN + "slowed 5\n", ""])
def test_a_gpu_of_its_own_does_not(bench, nvml, state):
    """Idle clocks and the work's own need of power are no disturbance."""
    nvml.write_text(IDLE + state)
    bench.run(bench.spec(cases=GPU, pollution=LIMIT))
    assert not any("GPU" in row["reason"] for row in bench.rows())


def test_whoever_was_there_before_is_somebody_else_where_numbers_differ(bench, nvml):
    """A container numbers its processes otherwise: the worker's own is not in the list by its
    number."""
    nvml.write_text(IDLE + OTHER)
    bench.run(bench.spec(cases=GPU, sources=[1], pollution=LIMIT))
    assert {row["polluted"] for row in bench.rows()} == {"1"}


def test_a_hidden_process_is_noticed_by_the_probe(bench):
    """Where no list says so: the probes before the first trial are quick, later ones are not."""
    bench.env["FAULTY_SHARED"] = "12"  # ten to learn what is quick, two before the first trial
    cases = {"gpu": {"engine": "faulty-gpu", "probe_us": 100}}
    bench.run(bench.spec(cases=cases, sources=[1], pollution=LIMIT))
    rows = bench.rows()
    assert [row["polluted"] for row in rows] == ["1"] * 3
    words = "a fixed kernel before or after it took 2.000 ms, and 0.100 ms at best"
    assert words in rows[0]["reason"]


def test_a_probe_that_was_never_quick(bench):
    cases = {"gpu": {"engine": "faulty-gpu", "probe_us": 3000}}
    bench.run(bench.spec(cases=cases, sources=[1], pollution=LIMIT))
    assert {row["polluted"] for row in bench.rows()} == {"1"}


def test_a_quiet_probe_pollutes_nothing(bench):
    cases = {"gpu": {"engine": "faulty-gpu", "probe_us": 100}}
    bench.run(bench.spec(cases=cases, pollution=LIMIT))
    assert not any("fixed kernel" in row["reason"] for row in bench.rows())


@pytest.mark.parametrize(
    "state,words",
    [
        (OTHER, "the GPU is shared: Made-up GPU (GPU-1): process 99999999 holds 500 MiB"),
        ("busy 97\n", "it is 97 % busy"),
        ("memory 50000000000 30000000000\n", "47683 MiB of its memory are used"),
    ],
)
def test_a_run_says_that_the_gpu_is_shared(bench, nvml, state, words):
    nvml.write_text(state)
    assert words in bench.run(bench.spec("g", cases=GPU)).stderr
    assert "shared" not in bench.run(bench.spec("c")).stderr  # which needs none
    bench.env["CUDA_VISIBLE_DEVICES"] = "0"
    assert "shared" not in bench.run(bench.spec("other", cases=GPU)).stderr


def test_wait_for_idle(bench, nvml):
    nvml.write_text(IDLE + OTHER)
    process = bench.start(bench.spec(cases=GPU), "--wait-for-idle")
    said = process.stderr.readline()
    assert "the GPU is shared" in said and "waiting until it is idle" in said
    assert not (bench.results / "t/graphs.csv").read_text().count("kronecker")
    nvml.write_text(IDLE)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert statuses(bench.rows(), "gpu") == ["ok", "ok"]


def test_waiting_can_be_interrupted(bench, nvml):
    nvml.write_text(IDLE + OTHER)
    process = bench.start(bench.spec(cases=GPU), "--wait-for-idle")
    process.stderr.readline()
    process.terminate()
    process.communicate(timeout=60)
    assert process.returncode == 130


def test_memory_that_others_hold_is_not_the_graphs_fault(bench, nvml):
    nvml.write_text("memory 2000000000000 10\n" + OWN + "pid 99999999 1999000000000\n")
    bad = {"engine": "faulty-gpu", "fault": "device_memory"}
    spec = bench.spec(cases={"gpu": bad, "cpu": {}})
    done = bench.run(spec, code=1)
    rows = bench.rows()
    assert statuses(rows, "gpu") == ["interrupted"]
    (ended,) = [row for row in rows if row["status"] == "interrupted"]
    assert "process 99999999 holds 1906394 MiB" in ended["reason"]
    assert statuses(rows, "cpu") == ["ok", "ok"] and "interrupted" in done.stderr
    # Without the other it is.
    nvml.write_text(IDLE + OWN)
    bench.run(spec)
    assert statuses(bench.rows(), "gpu") == ["interrupted", "oom", "skipped"]


def test_memory_that_others_hold_does_not_excuse_what_never_fits(bench, nvml):
    nvml.write_text(IDLE + OWN + OTHER)
    bad = {"engine": "faulty-gpu", "fault": "device_memory"}
    bench.run(bench.spec(cases={"gpu": bad}))
    assert statuses(bench.rows(), "gpu") == ["oom", "skipped"]
    assert "process 99999999 holds 500 MiB" in bench.rows()[0]["reason"]


def test_a_gpu_so_full_that_there_is_no_context(bench, nvml):
    nvml.write_text("memory 84000000000 10\npid 99999999 83000000000\n")
    bad = {"engine": "faulty-gpu", "fault": "no_context", "where": "load"}
    spec = bench.spec(cases={"gpu": bad})
    bench.run(spec, code=1)
    (row,) = bench.rows()
    assert row["status"] == "interrupted" and "process 99999999 holds 79154 MiB" in row["reason"]
    nvml.write_text(IDLE)
    bench.run(spec)
    assert statuses(bench.rows(), "gpu") == ["interrupted", "oom", "skipped"]


def calibrations(bench) -> list[tuple[str, str]]:
    rows = [row for row in bench.rows("measures") if row["metric"].startswith("calibration_")]
    assert all(float(row["value"]) > 0 and row["unit"] == "ms" for row in rows)
    return [(row["part"], row["metric"]) for row in rows]


def test_a_calibration_before_and_after_a_workers_trials(bench):
    rare = {"limit_pct": 1000, "attempts": 1, "drift_pct": 999}
    bench.run(bench.spec(record=["time", "levels"], pollution=rare))
    kinds = ("calibration_memory", "calibration_compute")
    assert calibrations(bench) == [
        (f"worker {when}", kind) for when in ("before", "after") for kind in kinds
    ]
    assert {row["polluted"] for row in bench.rows()} == {"0"}
    bench.run(bench.spec("none"))  # whose limit asks for none
    assert not any("calibration" in row["metric"] for row in bench.rows("measures", "none"))
    assert all(float(row["cpu_mhz"]) > 100 and row["steal_pct"] for row in bench.rows())


def test_a_calibration_that_drifts_pollutes_and_repeats(bench):
    drifts = {"limit_pct": 1000, "attempts": 2, "drift_pct": -1}  # however little
    spec = bench.spec(pollution=drifts, record=["time", "levels"])
    done = bench.run(spec, "--quiet")
    rows = bench.rows()
    timed = [row for row in rows if row["instrumented"] == "0"]
    assert [(row["attempt"], row["polluted"]) for row in timed] == [
        ("0", "1"), ("0", "1"), ("1", "1"), ("1", "1"),
    ]  # fmt: skip
    assert all("the machine's speed changed" in row["reason"] for row in timed)
    assert [row["polluted"] for row in rows if row["instrumented"] == "1"] == ["0", "0"]
    assert len(calibrations(bench)) == 8  # two workers
    assert "2 timed trials are polluted, and are measured again" in done.stderr
    assert "t: 4 ok; 2 of 2 timed trials are polluted" in done.stderr
    assert "so that no time is to be believed" in bench.run(spec).stderr
    assert len(bench.rows()) == len(rows)  # nothing is left to do


def test_the_next_workers_calibration_stands_for_one_that_died(bench):
    drifts = {"limit_pct": 1000, "attempts": 1, "drift_pct": -1}
    cases = {"a": {"twin": 1}, "bad": {"fault": "crash", "call": 1}, "c": {"twin": 3}}
    bench.run(bench.spec(cases=cases, pollution=drifts, order="sequential"))
    polluted = {(row["case"], row["polluted"]) for row in bench.rows() if row["status"] == "ok"}
    assert polluted == {("a", "1"), ("bad", "1"), ("c", "1")}


def test_rows_know_their_gpu(bench, nvml):
    bench.run(bench.spec(cases={**GPU, "cpu": {}}, pollution=LIMIT))
    assert {(row["case"], row["gpu"]) for row in bench.rows()} == {("gpu", "GPU-1"), ("cpu", "")}
