# SPDX-License-Identifier: Apache-2.0
"""The state of caches before a trial: "caches" in a spec."""

from pathlib import Path

import pytest
from driver_bench import statuses

CACHE = Path("/sys/devices/system/cpu/cpu0/cache/index0/size")
GPU = {"gpu": {"engine": "faulty-gpu"}}


def overwritten(bench) -> int:
    """How often the made-up GPU's cache was overwritten."""
    log = (bench.results / "t/worker.log").read_text()
    return log.count("faulty-gpu: overwrote the L2 cache")


@pytest.mark.skipif(not CACHE.exists(), reason=f"{CACHE} does not give the size of the cache")
def test_rows_name_the_state_of_the_caches(bench):
    bench.run(bench.spec("warm"))
    assert {row["caches"] for row in bench.rows(name="warm")} == {""}
    spec = bench.spec(caches="cold", record=["time", "levels"], base={"engine": "hybrid"})
    table = bench.run(spec).stderr
    assert {(row["status"], row["caches"]) for row in bench.rows()} == {("ok", "cold")}
    assert "caches were cold: overwritten before each trial" in table


def test_the_cache_of_a_gpu_is_overwritten_once_before_each_trial(bench):
    bench.run(bench.spec(caches="cold", warmup=3, repeats=2, burst=3, cases=GPU))
    assert statuses(bench.rows(), "gpu") == ["ok"] * 4
    assert {row["caches"] for row in bench.rows()} == {"cold"}
    assert overwritten(bench) == 4


def test_it_is_not_overwritten_where_caches_are_warm(bench):
    bench.run(bench.spec(cases=GPU))
    assert overwritten(bench) == 0


def test_it_is_overwritten_before_a_row_of_searches(bench):
    cases = {"gpu": {"engine": "faulty-gpu", "searches": 2}}
    bench.run(bench.spec(caches="cold", cases=cases))
    assert [row["caches"] for row in bench.rows()] == ["cold"] * 2
    assert overwritten(bench) == 1  # both sources are searched in one row


def test_a_gpu_whose_cache_cannot_be_overwritten_has_no_time(bench):
    bench.env["FAULTY_NO_CACHE"] = "1"
    bench.run(bench.spec(caches="cold", sources=[5], cases=GPU))
    (row,) = bench.rows()
    assert row["status"] == "oom" and row["time_ms"] == "" and row["caches"] == ""
    assert "out of GPU memory" in row["reason"]


def test_cold_rows_do_not_continue_warm_ones(bench):
    bench.run(bench.spec(cases=GPU))
    refusal = bench.run(bench.spec(caches="cold", cases=GPU), code=2).stderr
    assert "caches" in refusal and "--fresh" in refusal
