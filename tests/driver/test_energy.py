# SPDX-License-Identifier: Apache-2.0
"""Trials that measure energy, with the counters of a made-up libnvidia-ml."""

import json

import pytest
from driver_bench import CALM, fake_nvml, statuses

ONE = {"sources": [5], "warmup": 1}
BOTH = {"engine": "faulty-gpus", "gpus_per_rank": 2}


@pytest.fixture
def nvml(bench):
    bench.env["LD_LIBRARY_PATH"] = fake_nvml(bench.program)


def energy_rows(bench) -> list[dict]:
    return [row for row in bench.rows() if row["recorded"] == "energy"]


def test_the_energy_of_all_gpus_of_an_engine_is_measured(bench, nvml):
    bench.env["FAKE_NVML_ENERGY"] = "1"
    spec = bench.spec(**ONE, record=["time", "energy"], cases={"two": BOTH})
    table = bench.run(spec).stderr
    timed, energy = bench.rows()
    assert (timed["instrumented"], timed["recorded"], timed["energy_j"]) == ("0", "", "")
    assert (energy["status"], energy["instrumented"], energy["time_ms"]) == ("ok", "1", "")
    assert int(energy["searches_per_trial"]) > 10 and energy["validated"] == "1"
    of_gpu = {
        row["part"]: float(row["value"])
        for row in bench.rows("measures")
        if row["trial"] == energy["trial"] and row["metric"] == "energy"
    }
    # The second GPU's counter advances twice as fast.
    assert of_gpu["GPU-1"] == pytest.approx(2 * of_gpu["GPU-0"])
    assert float(energy["energy_j"]) == pytest.approx(sum(of_gpu.values()))
    assert " J " in table and "energy_j is the median over sources" in table
    (table,) = json.loads(bench.run(spec, "--json").stdout)
    (row,) = table["rows"]
    assert row["energy_j"]["value"] == pytest.approx(float(energy["energy_j"]))
    bench.run(spec)  # nothing is left to do
    assert len(bench.rows()) == 2


def test_a_missing_counter_is_an_empty_cell_and_one_note(bench, nvml):
    spec = bench.spec(record=["time", "energy"], cases={"a": BOTH, "b": BOTH | {"twin": 1}})
    table = bench.run(spec).stderr
    rows = energy_rows(bench)
    assert [(row["status"], row["energy_j"], row["searches_per_trial"]) for row in rows] == [
        ("ok", "", "")
    ] * 4
    assert {row["reason"] for row in rows} == {
        "NVML has no energy counter of GPU-0: it needs Volta or newer"
    }
    assert table.count("no energy: NVML has no energy counter of GPU-0") == 1
    assert " J " not in table


def test_energy_is_measured_without_timing(bench, nvml):
    bench.env["FAKE_NVML_ENERGY"] = "1"
    spec = bench.spec(**ONE, record=["energy"], cases={"gpu": {"engine": "faulty-gpu"}})
    assert " J " in bench.run(spec).stderr
    (row,) = bench.rows()
    assert row["recorded"] == "energy" and float(row["energy_j"]) > 0


def test_an_experiment_grows_by_energy(bench, nvml):
    bench.env["FAKE_NVML_ENERGY"] = "1"
    keys = {**ONE, "cases": {"gpu": {"engine": "faulty-gpu"}}}
    bench.run(bench.spec(**keys, record=["time", "levels"]))
    bench.run(bench.spec(**keys, record=["time", "levels", "energy"]))
    assert [(row["instrumented"], row["recorded"]) for row in bench.rows()] == [
        ("0", ""),
        ("1", ""),
        ("1", "energy"),
    ]
    bench.ask("doctor", bench.results, code=None)
    refusal = bench.run(bench.spec(**keys, record=["time"]), code=2).stderr
    assert "trials" in refusal and "--fresh" in refusal


def test_searches_in_a_row_share_their_energy(bench, nvml):
    bench.env["FAKE_NVML_ENERGY"] = "1"
    case = {"engine": "faulty-gpu", "searches": 4}
    bench.run(bench.spec(**ONE, record=["time", "energy"], cases={"gpu": case}))
    (row,) = energy_rows(bench)
    assert int(row["searches_per_trial"]) % 4 == 0 and float(row["energy_j"]) > 0
    (time,) = [
        float(each["value"])
        for each in bench.rows("measures")
        if each["metric"] == "time_per_search"
    ]
    assert time > 0


def test_a_disturbed_trial_is_repeated(bench, nvml):
    bench.env["FAKE_NVML_ENERGY"] = "1"
    rule = CALM | {"limit_pct": -1, "attempts": 2}
    case = {"engine": "faulty-gpu"}
    bench.run(bench.spec(**ONE, record=["energy"], pollution=rule, cases={"gpu": case}))
    assert [(row["attempt"], row["polluted"]) for row in bench.rows()] == [("0", "1"), ("1", "1")]


def test_the_limit_of_a_trial_is_for_each_batch(bench, nvml):
    bench.env["FAKE_NVML_ENERGY"] = "1"
    limits = {"trial_s": 0.4}  # less than all searches of the trial take
    spec = bench.spec(
        **ONE, record=["energy"], limits=limits, cases={"gpu": {"engine": "faulty-gpu"}}
    )
    bench.run(spec)
    assert statuses(bench.rows(), "gpu") == ["ok"]


def test_an_external_program_has_no_energy(bench):
    peer = {
        "program": "/bin/true",
        "arguments": ["{graph}", "{source}"],
        "graph": "el",
    }
    spec = bench.spec(
        record=["energy"],
        base=None,
        external={"peer": peer},
        cases={"peer": {"engine": "external:peer"}},
        limits={"trial_s": 10},
    )
    bench.run(spec)
    rows = bench.rows()
    assert {row["status"] for row in rows} == {"unsupported"}
    assert "energy of an external program" in rows[0]["reason"]
