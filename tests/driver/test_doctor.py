# SPDX-License-Identifier: Apache-2.0
"""`bfslab doctor`: machines, told of by a made-up libnvidia-ml, and results that agree with
themselves or not."""

import json
import subprocess
from pathlib import Path

import pytest
from driver_bench import ROOT
from made_results import MACHINE, spread, write

G = "kronecker:scale=8"


@pytest.fixture
def doctor(bench):
    def doctor(*arguments, code=None):
        done = subprocess.run(
            [bench.program, "doctor", *map(str, arguments)],
            capture_output=True, text=True, timeout=60, env=bench.env,
        )  # fmt: skip
        assert code is None or done.returncode == code, done.stdout + done.stderr
        return done

    return doctor


def findings(done) -> dict[str, tuple[str, str]]:
    told = json.loads(done.stdout)
    assert told["fit"] == (done.returncode == 0)
    assert told["fit"] == all(each["grade"] != "unfit" for each in told["findings"])
    return {each["what"]: (each["grade"], each["state"]) for each in told["findings"]}


def test_every_part_of_the_machine_is_told(doctor):
    found = findings(doctor("--json"))
    told = {"load of others", "steal", "governor", "SMT", "processor limit", "steadiness"}
    assert told | {"instruction set"} <= set(found)


def test_gpus_are_told_by_nvml(doctor, bench, nvml):
    nvml.write_text("memory 500000000 84000000000\nslowed 64\nmig 1\nerrors 2\npower 300000\n")
    found = findings(doctor("--json"))
    assert found["GPU GPU-1, throttled"] == ("unfit", "very hot")
    assert found["GPU GPU-1, MIG"] == ("unfit", "on")
    assert found["GPU GPU-1, memory errors"] == ("unfit", "2 uncorrected")
    assert found["GPU GPU-1, power limit"] == ("unfit", "300 W of 700 W")
    assert found["GPU GPU-0, power limit"] == ("good", "700 W of 700 W")
    assert found["GPU GPU-0, clocks"] == ("advice", "now 1000 MHz, set to 1755, at most 1980")
    assert found["GPU GPU-0, persistence mode"] == ("advice", "off")
    assert found["GPU GPU-0, ECC"][0] == "good"
    bench.env["CUDA_VISIBLE_DEVICES"] = "0"
    assert not any("GPU-1" in what for what in findings(doctor("--json")))


def test_equal_configurations_have_to_agree(doctor, tmp_path):
    here = tmp_path / "box"
    write(here / "one", {("x", G): spread(1), ("y", G): spread(1)})
    write(here / "two", {("x", G): spread(1.2)})
    assert (
        "1 pair of equal configurations compared, limit 25 %: all agree"
        in doctor(here, code=0).stdout
    )
    doctor(here, "--limit", "10", code=1)
    write(here / "three", {("x", G): spread(2)}, MACHINE | {"openmp": {"OMP_DYNAMIC": "true"}})
    text = doctor(here, code=1).stdout
    assert (
        "box: hybrid, one and three: 1 configuration that differs by up to 2.00 times (geometric"
        in text
    )
    assert "4.54 ms in one (x, 0123456)" in text and "one and two" not in text
    assert "openmp was null" in text
    # Another machine, graph or toggle is no equal configuration; nor is a polluted trial one.
    write(tmp_path / "other/one", {("x", G): spread(9)})
    write(tmp_path / "other/two", {("x", G): spread(1)}, graph_hash="else", reached_vertices=7)
    write(tmp_path / "other/three", {("x", G): spread(1)}, polluted=1, reason="a neighbour")
    text = doctor(tmp_path / "other", code=0).stdout
    assert "other/three: 24 of 24 timed trials are polluted" in text and "a neighbour" in text
    # Nor is a burst of searches, nor what a profiler slowed down.
    write(tmp_path / "bursts/one", {("x", G): spread(1)})
    write(tmp_path / "bursts/two", {("x", G): spread(9)}, searches_per_trial=8)
    write(tmp_path / "bursts/three", {("x", G): spread(9)}, profiler="attached")
    doctor(tmp_path / "bursts", code=0)
    write(tmp_path / "bursts/four", {("x", G): spread(1)}, searches_per_trial=8)
    assert "hybrid, four and two: 1 conf" in doctor(tmp_path / "bursts", code=1).stdout
    # Nor are cold caches.
    write(tmp_path / "caches/one", {("x", G): spread(1)})
    write(tmp_path / "caches/two", {("x", G): spread(9)}, caches="cold")
    doctor(tmp_path / "caches", code=0)
    write(tmp_path / "caches/three", {("x", G): spread(1)}, caches="cold")
    assert "hybrid, three and two: 1 conf" in doctor(tmp_path / "caches", code=1).stdout


def test_a_disagreement_of_different_builds_says_so(doctor, tmp_path):
    write(tmp_path / "box/one", {("x", G): spread(1)})
    other, facts = MACHINE | {"build_hash": "c"}, {"build_hash": "c", "commit": "89abcdef01+"}
    write(tmp_path / "box/two", {("x", G): spread(2)}, other, **facts)
    write(tmp_path / "box/three", {("x", G): spread(2.5)}, other, **facts)
    text = doctor(tmp_path, code=1).stdout
    assert text.count("the program was not the same: 0123456 and 89abcde+") == 2
    assert "9.09 ms in two (x, 89abcde+)" in text
    found = json.loads(doctor(tmp_path, "--json", code=1).stdout)["disagreements"]
    assert {each["builds"] for each in found} == {"0123456 and 89abcde+"}


def test_several_builds_in_one_folder_are_told(doctor, tmp_path):
    builds = {"build_hash": "hash-{}".format, "commit": "{}123456789".format}
    listed = MACHINE | {"builds": [{"build_hash": "hash-x"}, {"build_hash": "hash-y"}]}
    write(tmp_path / "box/one", {("x", G): spread(1), ("y", G): spread(1)}, listed, **builds)
    text = doctor(tmp_path, code=0).stdout
    assert (
        "box/one: rows of 2 builds, by commit and hash: x123456 (hash-x), y123456 (hash-y); no "
        "ratio is formed across them" in text
    )


def test_known_disagreements_are_shown_with_their_reason(doctor, tmp_path):
    write(tmp_path / "box/one", {("x", G): spread(1)})
    write(tmp_path / "box/two", {("x", G): spread(2)})
    entry = {"machine": "box", "engine": "hybrid", "experiments": ["one", "t*"], "at_most": 2.5,
             "reason": "the neighbour of box"}  # fmt: skip
    known = tmp_path / "known_disagreements.json"
    known.write_text(json.dumps({"disagreements": [entry]}))
    text = doctor(tmp_path, code=0).stdout
    assert "known: the neighbour of box" in text and "all others agree" in text
    doctor(tmp_path / "box", code=1)  # whose folder has no such file
    doctor(tmp_path / "box", "--known", known, code=0)
    for wrong in ({"at_most": 1.5}, {"engine": "dfq"}, {"experiments": ["one"]}):
        known.write_text(json.dumps({"disagreements": [entry | wrong]}))
        assert "An explanation that explains nothing" in doctor(tmp_path, code=1).stdout
    known.write_text(json.dumps({"disagreements": [entry, entry | {"machine": "elsewhere"}]}))
    doctor(tmp_path, code=0)
    known.write_text("[]")
    assert "known_disagreements.json: " in doctor(tmp_path, code=2).stderr


def test_answers_that_contradict_each_other(doctor, tmp_path):
    write(tmp_path / "box/one", {("x", G): spread(1)})
    write(tmp_path / "other/two", {("x", G): spread(1)}, reached_vertices=99)
    text = doctor(tmp_path, code=1).stdout
    assert "box/one" not in text.split("contradict")[0] and "reached vertices 99" in text


def test_several_gpus_are_told(doctor, tmp_path):
    write(tmp_path / "box/one", {("x", G): spread(1), ("y", G): spread(1)},
          gpu=lambda case: f"GPU-{case}", gpu_ms=1)  # fmt: skip
    text = doctor(tmp_path, code=0).stdout
    assert "box: 1 experiment, 2 different GPUs: GPU-x, GPU-y" in text
    assert "box/one: rows of 2 GPUs: GPU-x, GPU-y" in text


def test_gpus_of_one_trial_are_not_different_ones(doctor, tmp_path):
    gpus = {"x": "GPU-a", "y": "GPU-a;GPU-b", "z": "GPU-a;GPU-b;GPU-c"}
    times = {(case, G): spread(1) for case in gpus}
    write(tmp_path / "box/one", times, gpu=gpus.__getitem__, gpu_ms=1)
    text = doctor(tmp_path, code=0).stdout
    assert "box: 1 experiment, 3 GPUs together: GPU-a, GPU-b, GPU-c" in text
    assert "box/one" not in text
    write(tmp_path / "box/two", {("y", G): spread(1)}, gpu="GPU-a;GPU-d", gpu_ms=1)
    text = doctor(tmp_path, code=0).stdout
    assert "box: 2 experiments, 4 different GPUs: GPU-a, GPU-b, GPU-c, GPU-d" in text


def test_rows_of_equivalence_runs_are_no_machines_results(doctor, tmp_path):
    write(tmp_path / "box/one", {("x", G): spread(1)})
    write(tmp_path / "box/equivalence/a-b/old/one-1", {("x", G): spread(9)})
    assert "box: 1 experiment" in doctor(tmp_path, code=0).stdout
    assert "old: 1 experiment" in doctor(tmp_path / "box/equivalence/a-b", code=0).stdout


def test_times_of_a_program_for_another_cpu_are_told(doctor, tmp_path):
    elsewhere = {"compiled_for": {"target": "znver3", "cpu": "AuthenticAMD 25 1"},
                 "cpu": MACHINE["cpu"] | {"signature": "GenuineIntel 6 143"}}  # fmt: skip
    times = {("x", G): spread(1)}
    write(tmp_path / "box/one", times, MACHINE | elsewhere)
    write(tmp_path / "box/gpu", times, MACHINE | elsewhere, gpu="GPU-x", gpu_ms=1, engine="xbfs")
    write(tmp_path / "box/external", times, MACHINE | elsewhere, engine="external:gap")
    text = doctor(tmp_path, code=0).stdout
    assert (
        "box/one: the program was compiled for another CPU, znver3 (AuthenticAMD 25 1), so times "
        "of hybrid may be longer than they need be" in text
    )
    assert text.count("compiled for another CPU") == 1


def test_several_cpus_in_one_folder_are_told(doctor, tmp_path):
    def cpu(l2):
        caches = [{"level": "1", "type": "Instruction", "size": "32K"},
                  {"level": "2", "type": "Unified", "size": l2}]  # fmt: skip
        return MACHINE | {"cpu": {"model": "EPYC", "logical": 2, "caches": caches}}

    for name, l2 in (("one", "512K"), ("two", "1024K"), ("three", "1024K")):
        write(tmp_path / "box" / name, {("x", G): spread(1)}, cpu(l2))
    text = doctor(tmp_path, code=0).stdout
    assert "box: rows of 2 different CPUs\n" in text
    assert "  EPYC, 2 processors, L2 512K: one\n" in text
    assert "  EPYC, 2 processors, L2 1024K: 2 experiments\n" in text
    told = json.loads(doctor(tmp_path, "--json", code=0).stdout)["cpus"]["box"]
    assert told["EPYC, 2 processors, L2 1024K"] == ["three", "two"]
    assert "CPUs" not in doctor(tmp_path / "box/two", code=0).stdout


def test_what_is_no_results_is_refused(doctor, tmp_path):
    assert "no runs.csv there or below" in doctor(tmp_path, code=2).stderr
    (tmp_path / "runs.csv").write_text("a,b\n1,2\n")
    assert "no column trial" in doctor(tmp_path, code=2).stderr


def test_the_recorded_results_agree_with_themselves(doctor):
    done = doctor(ROOT / "results", code=0)
    assert "pairs of equal configurations compared" in done.stdout
    assert Path(ROOT / "results/known_disagreements.json").exists() == ("known: " in done.stdout)
