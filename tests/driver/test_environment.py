# SPDX-License-Identifier: Apache-2.0
"""One folder of rows, one kind of machine; what differs within it is told in every row."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from driver_bench import GRAPH, fake_nvml
from made_results import spread, write


def processors() -> list[int]:
    return sorted(os.sched_getaffinity(0))


def on(cpus):
    return lambda: os.sched_setaffinity(0, cpus)


def half_done(bench, **keys):
    """A folder with the rows of one case, of the two that its spec has."""
    spec = bench.spec(cases={"one": {"twin": 1}, "two": {"twin": 2}})
    bench.run(spec, "--only", "one/*", **keys)
    return spec


@pytest.mark.skipif(len(processors()) < 2, reason="one processor")
def test_a_run_is_not_resumed_on_another_number_of_processors(bench):
    spec = half_done(bench, preexec_fn=on(processors()[:1]))
    refused = bench.run(spec, code=2)
    assert "cpu/allowed was 1 and is" in refused.stderr and "--fresh" in refused.stderr
    bench.run(spec, preexec_fn=on(processors()[:1]))
    assert len({row["environment"] for row in bench.rows()}) == 1


@pytest.mark.skipif(len(processors()) < 2, reason="one processor")
def test_other_processors_of_that_number_are_another_environment(bench):
    spec = half_done(bench, preexec_fn=on(processors()[:1]))
    done = bench.run(spec, preexec_fn=on(processors()[1:2]))
    assert "rows of 2 sets of processors or GPUs" in done.stderr
    by_case = {row["case"]: row["environment"] for row in bench.rows()}
    assert len(set(by_case.values())) == 2
    facts = json.loads((bench.results / "t/environment.json").read_text())
    assert facts["environment"] == by_case["one"]
    (resumed,) = facts["resumed"]
    assert resumed["environment"] == by_case["two"]
    assert resumed["cpu_list"] == str(processors()[1])


def test_openmp_settings_are_part_of_it(bench):
    bench.env |= {"OMP_STACKSIZE": "8M", "OMP_DYNAMIC": "false"}
    spec = half_done(bench)
    for name in ("OMP_STACKSIZE", "OMP_DYNAMIC"):  # in another order
        bench.env[name] = bench.env.pop(name)
    assert bench.run(spec, "--only", "one/*")
    bench.env["OMP_WAIT_POLICY"] = "active"
    refused = bench.run(spec, code=2)
    assert "openmp was " in refused.stderr and "active" in refused.stderr


@pytest.mark.parametrize("what", ["governor", "max_khz"])
def test_clocks_are_part_of_it(bench, what):
    spec = half_done(bench)
    path = bench.results / "t/environment.json"
    facts = json.loads(path.read_text())
    facts["cpu"][what] = "another"
    path.write_text(json.dumps(facts, indent=2))
    assert f"cpu/{what} was" in bench.run(spec, code=2).stderr


@pytest.mark.parametrize(("share", "code"), [(0.999, 0), (0.5, 2)])
def test_memory_may_differ_by_what_a_restart_changes(bench, share, code):
    spec = half_done(bench)
    path = bench.results / "t/environment.json"
    facts = json.loads(path.read_text())
    facts["memory_bytes"] = int(facts["memory_bytes"] * share)
    path.write_text(json.dumps(facts, indent=2))
    done = bench.run(spec, code=code)
    assert ("memory_bytes was" in done.stderr) == (code == 2)


def test_a_folder_of_several_gpus_says_so(bench):
    bench.env["LD_LIBRARY_PATH"] = fake_nvml(bench.program)
    spec = half_done(bench)
    bench.env["FAKE_NVML_UUID"] = "GPU-another"
    done = bench.run(spec)
    assert "rows of 2 sets of processors or GPUs" in done.stderr
    assert len({row["environment"] for row in bench.rows()}) == 2
    facts = json.loads((bench.results / "t/environment.json").read_text())
    assert facts["gpu"]["devices"][0]["uuid"] == "GPU-0"
    assert facts["resumed"][0]["gpus"][0]["uuid"] == "GPU-another"


def test_threads_are_what_they_became(bench):
    cases = {"all": {}, "one": {"threads": 1}}
    spec = bench.spec(base={"engine": "top-down"}, cases=cases, graphs=[GRAPH])
    bench.run(spec)
    rows = bench.rows()
    assert {row["threads"] for row in rows if row["case"] == "one"} == {"1"}
    everything = {row["threads"] for row in rows if row["case"] == "all"}
    assert everything == {str(len(processors()))}
    assert all("threads=0" in row["toggles"] for row in rows if row["case"] == "all")


def test_a_cpu_of_another_model_is_another_machine(bench):
    spec = half_done(bench)
    path = bench.results / "t/environment.json"
    facts = json.loads(path.read_text())
    signature = facts["cpu"].pop("signature")
    path.write_text(json.dumps(facts, indent=2))
    bench.run(spec, "--only", "one/*")  # older records have none
    facts["cpu"]["signature"] = "AuthenticAMD 99 9"
    path.write_text(json.dumps(facts, indent=2))
    refused = bench.run(spec, code=2)
    assert f'cpu/signature was "AuthenticAMD 99 9" and is "{signature}"' in refused.stderr


def test_a_program_that_was_compiled_for_another_cpu_says_so(bench, tmp_path):
    cases = {"cpu": {"engine": "hybrid"}, "counter": {"engine": "degree-separation"}}
    spec = bench.spec(base={}, cases=cases)
    version = json.loads(subprocess.run([bench.program, "version", "--json"], check=True,
                                        capture_output=True).stdout)  # fmt: skip
    signature = version["native_cpu"]
    if not signature:
        pytest.skip("compiled for no CPU in particular (BFSLAB_NATIVE=OFF)")
    assert "compiled for another CPU" not in bench.run(spec).stderr
    facts = json.loads((bench.results / "t/environment.json").read_text())
    assert facts["compiled_for"] == {"target": version["native_target"], "cpu": signature}
    assert facts["cpu"]["signature"] == signature

    # The same program, but for the name of the CPU in it: its beginning, since linkers let the end
    # of this text be other texts as well, such as "1".
    other = ("Y" if signature[0] != "Y" else "Z") + signature[1:]
    program = Path(bench.program).read_bytes()
    assert signature.encode() in program
    moved = tmp_path / "bfslab_of_elsewhere"
    moved.write_bytes(program.replace(signature.encode(), other.encode()))
    moved.chmod(0o755)
    bench.program = str(moved)
    told = f"{version['native_target']} ({other})"
    done = bench.run(spec, "--fresh", "--only", "counter/*")
    assert "compiled for another CPU" not in done.stderr
    done = bench.run(spec, "--fresh")
    begin, end = done.stderr.split("\n", 1)
    assert (
        f"warning: this program was compiled for another CPU, {told}, so times of hybrid" in begin
    )
    assert f"t: the program was compiled for another CPU, {told}" in end
    doctor = subprocess.run([moved, "doctor"], capture_output=True, text=True)
    words = " ".join(doctor.stdout.split())  # of a table whose lines are broken
    assert f"bfslab was compiled for another CPU, {told}; this is {signature}" in words


WRONG = [
    ("commit", 3, "at `commit`: found 3, expected a text"),
    ("commit", ["x"], "at `commit`: found a list, expected a text"),
    ("dirty", "no", 'at `dirty`: found "no", expected true or false'),
    ("cpu", [], "at `cpu`: found a list, expected an object"),
    ("cpu", {"model": 1}, "at `cpu.model`: found 1"),
    ("cpu", {"caches": [{"level": 1}]}, "at `cpu.caches.0.level`: found 1, expected a text"),
    ("gpu", {"devices": [{"uuid": 7}]}, "at `gpu.devices.0.uuid`: found 7"),
    ("gpu", {"devices": "x"}, 'at `gpu.devices`: found "x", expected a list'),
    ("builds", "x", 'at `builds`: found "x", expected a list'),
    ("builds", [[]], "at `builds.0`: found a list, expected an object"),
    ("builds", [{"commit": {}}], "at `builds.0.commit`: found an object"),
    ("resumed", [{"repeats_before": "1"}], 'at `resumed.0.repeats_before`: found "1"'),
    ("format", "2", 'at `format`: found "2", expected a number'),
]


@pytest.mark.parametrize(("key", "value", "said"), WRONG)
def test_a_value_of_another_type_is_named_by_every_command(bench, tmp_path, key, value, said):
    folder = write(tmp_path / "box/t", {("x", GRAPH): spread(1)})
    path = folder / "environment.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {key: value}))
    for words in (["doctor", folder.parent], ["compare", folder, folder], ["pack", folder]):
        done = bench.ask(*words, code=2)
        assert done.stderr == (
            f"bfslab: {path}: {said[:-1]}" + done.stderr.partition(said[:-1])[2]
        ), done.stderr
        assert done.stderr.count("\n") == 1 and "json.exception" not in done.stderr


@pytest.mark.parametrize("key", ["commit", "cpu", "gpu", "builds", "resumed", "dirty", "arguments"])
def test_a_value_that_is_null_is_as_one_that_is_missing(bench, tmp_path, key):
    folder = write(tmp_path / "box/t", {("x", GRAPH): spread(1)})
    path = folder / "environment.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {key: None}))
    for words in (["doctor", folder.parent], ["compare", folder, folder]):
        assert "json" not in bench.ask(*words, code=None).stderr


@pytest.mark.parametrize(
    "text", ["[" * 100_000, '{"commit":' + "[" * 100_000 + "]" * 100_000 + "}"]
)
def test_brackets_without_end_end_no_command(bench, tmp_path, text):
    folder = write(tmp_path / "box/t", {("x", GRAPH): spread(1)})
    (folder / "environment.json").write_text(text)
    for words in (["doctor", folder.parent], ["compare", folder, folder]):
        done = bench.ask(*words, code=None)
        assert done.returncode in (0, 1, 2) and len(done.stderr) < 1000


def test_the_slurm_job_and_the_modules_are_kept_and_nothing_else(bench):
    bench.env |= {
        "SLURM_JOB_ID": "4711",
        "LOADEDMODULES": "gcc/12.2.0:cuda/13.0",
        "SLURM_JOB_USER": "user-secret",
        "MODULEPATH": "/secret/modules",
    }
    spec = half_done(bench)
    file = bench.results / "t/environment.json"
    facts = json.loads(file.read_text())
    assert (facts["slurm_job"], facts["modules"]) == ("4711", ["gcc/12.2.0", "cuda/13.0"])
    bench.env |= {"SLURM_JOB_ID": "4712", "LOADEDMODULES": ""}
    bench.run(spec)  # another job goes on with the folder
    facts = json.loads(file.read_text())
    assert facts["slurm_job"] == "4711"
    (resumed,) = facts["resumed"]
    assert (resumed["slurm_job"], resumed["modules"]) == ("4712", None)
    assert "secret" not in file.read_text()


def test_without_a_cluster_both_are_null(bench):
    for name in ("SLURM_JOB_ID", "LOADEDMODULES"):
        bench.env.pop(name, None)
    half_done(bench)
    facts = json.loads((bench.results / "t/environment.json").read_text())
    assert facts["slurm_job"] is None and facts["modules"] is None
