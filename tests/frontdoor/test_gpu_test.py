# SPDX-License-Identifier: Apache-2.0
"""scripts/gpu_test.py on a made-up machine: its GPU, its sanitizer and its tests are stand-ins."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.checkouts import commit, git

ROOT = Path(__file__).resolve().parents[2]
HASH = "0123456789abcdef0123456789abcdef01234567"

# A GoogleTest program: one outcome per test, as in $OUTCOMES.
CUDA_TESTS = """#!{python}
import fnmatch, json, os, subprocess, sys
outcomes = json.loads(os.environ["OUTCOMES"])
options = dict(word.split("=", 1) for word in sys.argv[1:] if "=" in word)
wished, _, unwished = options["--gtest_filter"].partition("-")
def fits(name, patterns):
    return any(fnmatch.fnmatch(name, pattern) for pattern in patterns.split(":"))
def wanted(name):
    return fits(name, wished) and not fits(name, unwished)
if "--gtest_list_tests" in sys.argv:
    outcomes = list(filter(wanted, outcomes))
    print("Running main() from gtest_main.cc")
    for suite in dict.fromkeys(name.split(".")[0] for name in outcomes):
        print(suite + ".")
        for name in outcomes:
            if name.split(".")[0] == suite:
                print("  " + name.split(".")[1] + "  # GetParam() = 0x1")
    sys.exit(0)
status, cases = 0, ""
for name, outcome in outcomes.items():
    if not wanted(name):
        continue
    if outcome == "crash":
        os.abort()
    if outcome == "hang":
        subprocess.run(["sleep", "1000"])
    if outcome == "refuse":
        print("dfq: 7 refused, 9 ran; of 2 settings 1 never ran\\n  7: too many CTAs\\n[ OK ]")
        outcome = "pass"
    inside = {{"pass": "", "fail": "<failure message='no'/>",
               "skip": "<skipped message='file.cpp:3&#x0A;not at hand&#x0A;'/>"}}[outcome]
    status |= outcome == "fail"
    suite, test = name.split(".")
    cases += f"<testcase name='{{test}}' classname='{{suite}}' status='run'>{{inside}}</testcase>"
with open(options["--gtest_output"].removeprefix("xml:"), "w") as report:
    report.write(f"<testsuites><testsuite>{{cases}}</testsuite></testsuites>")
sys.exit(status)
"""
SANITIZER = """#!/bin/sh
tool=$2
if [ -n "$LONELY" ]; then  # works only where no other runs
  mkdir "$HOME/lock" 2>/dev/null || { echo "no room"; exit 1; }
  trap 'rmdir "$HOME/lock"' EXIT
  sleep 0.2
fi
while [ "${1#*_tests}" = "$1" ]; do shift; done
"$@"; status=$?
if [ -n "$LOSING" ] && [ -z "$CUDA_LAUNCH_BLOCKING" ]; then
  echo "========= Internal Sanitizer Error: Detected a failure to track a kernel launch."
  echo "========= RACECHECK SUMMARY: 1 hazard displayed (1 error)"
  exit 99
fi
case $tool in
  memcheck) found=${MEMCHECK:-0}; echo "========= ERROR SUMMARY: $found errors" ;;
  synccheck) found=${SYNCCHECK:-0}; echo "========= ERROR SUMMARY: $found errors" ;;
  *) found=${RACECHECK:-0}; echo "========= RACECHECK SUMMARY: $found hazards displayed (0 errors)"
esac
[ $found = 0 ] || exit 99
exit $status
"""
NVIDIA_SMI = """#!/bin/sh
case "$*" in
  -L) echo "GPU 0: Made-up GPU" ;;
  *name*) echo "Made-up GPU" ;;
  *compute_cap*) echo 9.0 ;;
  *) echo 580.1 ;;
esac
"""
MPIRUN = """#!/bin/sh
[ "$1" = -n ] && [ "$2" -ge 2 ] || exit 1
while [ "${1#*_tests}" = "$1" ]; do shift; done
case " $* " in *" --mpi "*) ;; *) exit 1 ;; esac
MEMBERS=${MEMBERS_OF_RANKS:-$MEMBERS}
[ -n "$RANK_DIES" ] && { echo "rank 1 exited on signal 11"; exit 139; }
exec "$@"
"""
SANITIZERS = ["memcheck", "racecheck", "synccheck"]
GOOD = {
    "Zoo/A.Right/xbfs": "pass",
    "Tiny/Sanitizer.Right/xbfs": "pass",
    "Real.Graph": "skip",
}
MEMBERS = {"A.Right/delegate_cuda": "pass", "MembersSanitizer.Right/delegate_cuda": "pass"}
STRESS = {"Stress.Right/xbfs": "pass"}
DELAYED = {"Registry/EngineInOneKernel.Right/delegate_cuda": "pass"}


class Machine:
    def __init__(self, folder: Path) -> None:
        self.tree = folder / "tree"
        self.path = folder / "bin"
        for made in (self.tree / "scripts", self.tree / "kernels/cuda", self.tree / "build"):
            made.mkdir(parents=True)
        self.path.mkdir()
        for script in ("gpu_test.py", "limited.py", "run_tests.py"):
            shutil.copy(ROOT / "scripts" / script, self.tree / "scripts")
        shutil.copytree(ROOT / "scripts/gpu_tests", self.tree / "scripts/gpu_tests")
        (self.tree / "kernels/cuda/xbfs.cu").write_text("// a kernel\n")
        self.add(self.path / "nvidia-smi", NVIDIA_SMI)
        self.add(self.path / "nvcc", "#!/bin/sh\necho Cuda compilation tools, release 13.0, V13\n")
        self.add(self.path / "compute-sanitizer", SANITIZER)
        self.add(self.tree / "build/cuda_tests", CUDA_TESTS.format(python=sys.executable))
        stress = CUDA_TESTS.format(python=sys.executable).replace("OUTCOMES", "STRESS")
        self.add(self.tree / "build/cuda_stress_tests", stress)
        members = CUDA_TESTS.format(python=sys.executable).replace("OUTCOMES", "MEMBERS")
        self.add(self.tree / "build/distributed_tests", members)
        delayed = CUDA_TESTS.format(python=sys.executable).replace("OUTCOMES", "DELAYED")
        self.add(self.tree / "build/distributed_stress_tests", delayed)

    def add(self, path: Path, text: str) -> None:
        path.write_text(text)
        path.chmod(0o755)

    def test(
        self, code: int, outcomes: dict = GOOD, stress: dict | None = None, **environment: str
    ) -> str:
        process = self.start(outcomes, stress, **environment)
        said, _ = process.communicate()
        assert process.returncode == code, said
        return said

    def start(
        self, outcomes: dict, stress: dict | None = None, **environment: str
    ) -> subprocess.Popen:
        return subprocess.Popen(
            [sys.executable, "scripts/gpu_test.py", "--build", "build", "--machine", "box"],
            cwd=self.tree,
            env={
                "PATH": f"{self.path}:{os.environ['PATH']}",
                "HOME": str(self.tree),
                "OUTCOMES": json.dumps(outcomes),
                "STRESS": json.dumps(stress or STRESS),
                "DELAYED": json.dumps(DELAYED),
                "MEMBERS": json.dumps(MEMBERS),
                **environment,
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def record(self) -> dict | None:
        path = self.tree / "results/box/gpu-tests.json"
        return json.loads(path.read_text()) if path.exists() else None


@pytest.fixture
def machine(tmp_path) -> Machine:
    return Machine(tmp_path)


def test_a_good_run_is_recorded(machine):
    commit(machine.tree, "kernels")
    said = machine.test(0)
    assert re.search(r"^\[\d/\d\] cuda_tests Zoo/A.Right/xbfs: ended, \d+ s$", said, re.M)
    assert re.search(
        r"racecheck cuda_tests Tiny/Sanitizer.Right/xbfs: no findings, \d+ s$", said, re.M
    )
    record = machine.record()
    assert (
        record["kernels"]
        == record["kernels_files"]
        == git(machine.tree, "rev-parse", "HEAD:kernels")
    )
    assert record["commit"] == git(machine.tree, "rev-parse", "HEAD")
    assert (record["passed"], record["failed"], record["skipped"]) == (6, 0, 2)
    for tool in SANITIZERS:
        assert record[f"{tool}_errors"] == 0
    assert (record["device"], record["driver"], record["cuda"]) == ("Made-up GPU", "580.1", "13.0")
    reasons = record["skip_reasons"]
    assert reasons.pop("not at hand") == 1 and list(reasons.values()) == [1]  # of two ranks
    assert "mpirun" in next(iter(reasons)) and record["failures"] == []


def test_a_failed_test_is_recorded_and_named(machine):
    outcomes = {**GOOD, "Zoo/A.Wrong/xbfs": "fail", "Zoo/A.Dead/xbfs": "crash"}
    machine.test(1, outcomes, KERNELS_HASH=HASH)
    record = machine.record()
    assert (record["passed"], record["failed"]) == (6, 2)
    assert "cuda_tests: Zoo/A.Dead/xbfs" in record["failures"]


@pytest.mark.parametrize(
    ("architectures", "name"),
    [("75;90a-real", "gpu-tests.json"), ("75;80", "gpu-tests-sm75-80.json")],
)
def test_a_record_says_what_the_program_was_compiled_for(machine, architectures, name):
    cache = f"BFSLAB_CUDA_ARCHITECTURES:STRING={architectures}\n"
    (machine.tree / "build/CMakeCache.txt").write_text(cache)
    machine.test(0, KERNELS_HASH=HASH)
    record = json.loads((machine.tree / "results/box" / name).read_text())
    assert record["architectures"] == architectures.replace(";", ",")


def test_refusals_are_told_and_counted(machine):
    outcomes = {**GOOD, "Zoo/A.Right/dfq": "refuse", "Zoo/B.Right/dfq": "refuse"}
    said = machine.test(0, outcomes, KERNELS_HASH=HASH)
    assert "refused 14 times: too many CTAs" in said
    assert machine.record()["refused"] == 14 and "[ OK ]" not in said


def test_a_failure_under_stress_fails_the_run(machine):
    machine.test(1, stress={"Stress.Right/xbfs": "fail"}, KERNELS_HASH=HASH)
    assert (machine.record()["passed"], machine.record()["failed"]) == (5, 1)


def test_a_program_that_is_not_built_is_named(machine):
    (machine.tree / "build/cuda_stress_tests").unlink()
    assert "cuda_stress_tests is not built" in machine.test(2, KERNELS_HASH=HASH)


@pytest.mark.parametrize("tool", SANITIZERS)
def test_findings_of_a_sanitizer_fail_the_run(machine, tool):
    outcomes = {**GOOD, "Tiny/Sanitizer.Right/dfq": "pass"}
    said = machine.test(1, outcomes, KERNELS_HASH=HASH, **{tool.upper(): "3"})
    found = 9  # 3 in each test: two, and one of members
    assert machine.record()[f"{tool}_errors"] == found
    assert sum(machine.record()[f"{other}_errors"] for other in SANITIZERS) == found
    assert f"{tool} cuda_tests Tiny/Sanitizer.Right/dfq: 3 findings" in said
    [log] = (machine.tree / "build/gpu-tests-logs").glob(f"{tool}-Tiny-Sanitizer-Right-dfq.log")
    assert "SUMMARY: 3" in log.read_text()


def test_findings_of_tests_with_long_names_are_kept(machine):
    outcomes = {**GOOD, **{f"Tiny/Sanitizer.Right/{'long' * 20}{i}": "pass" for i in range(8)}}
    machine.test(1, outcomes, KERNELS_HASH=HASH, MEMCHECK="3")
    assert machine.record()["memcheck_errors"] == 30  # 3 in each of ten tests: one is of members
    logs = list((machine.tree / "build/gpu-tests-logs").glob("memcheck-Tiny-*long*.log"))
    assert len(logs) == 9  # of each of the eight, and of those that ran together


def test_a_sanitizer_without_room_is_tried_again_alone(machine):
    outcomes = {**GOOD, **{f"Tiny/Sanitizer.Right/{i}": "pass" for i in range(3)}}
    machine.test(0, outcomes, KERNELS_HASH=HASH, LONELY="yes")
    assert [machine.record()[f"{tool}_errors"] for tool in SANITIZERS] == [0, 0, 0]


def test_what_a_sanitizer_loses_is_no_finding_and_is_tried_again(machine):
    said = machine.test(0, KERNELS_HASH=HASH, LOSING="yes")
    lost = "not examined: the sanitizer failed: Detected a failure to track a kernel launch."
    # By each of three sanitizers a test, and one of members but by racecheck, which sees members'
    # launches one after the other from the first.
    assert said.count(lost) == 5
    assert not re.search(rf"racecheck distributed_tests \S+ {lost}", said)
    assert [machine.record()[f"{tool}_errors"] for tool in SANITIZERS] == [0, 0, 0]


def processes_in(session_of: Path) -> list[str]:
    """Commands of processes whose working folder is this one."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if (process / "cwd").resolve() == session_of:
                found.append((process / "cmdline").read_text().replace("\0", " "))
        except OSError:
            continue
    return found


def interrupted(machine: Machine, outcomes: dict, **environment: str) -> str:
    """What it says when it is interrupted while a test hangs, after which no process is left."""
    commit(machine.tree, "kernels")
    process = machine.start(outcomes, **environment)
    build = machine.tree / "build"
    while not any("sleep" in command for command in processes_in(build)):
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate()
    assert process.returncode == 130, said
    assert processes_in(build) == []
    return said


def test_an_interrupt_leaves_no_process_behind(machine):
    hanging = {f"Zoo/A.Right/{number}": "hang" for number in range(8)}
    said = interrupted(machine, GOOD | hanging)
    assert machine.record() is None
    assert re.search(r"interrupted after \d+ s: cuda_tests Zoo/A.Right/xbfs and 7 more", said)


def test_an_interrupt_leaves_no_rank_behind(machine):
    """Open MPI's ranks are in process groups of their own."""
    alone = "import os, sys; os.setpgid(0, 0); os.execv(sys.argv[1], sys.argv[1:])"
    started = f"{sys.executable} -c '{alone}' \"$@\" & wait"
    machine.add(machine.path / "mpirun", MPIRUN.replace('exec "$@"', started))
    (machine.tree / "build/CMakeCache.txt").write_text("MPIEXEC_EXECUTABLE:FILEPATH=mpirun\n")
    hanging = json.dumps({"A.Right/delegate_cuda": "hang", "MembersSanitizer.Right/dfq": "pass"})
    assert "distributed_tests on 2 ranks" in interrupted(machine, GOOD, MEMBERS_OF_RANKS=hanging)


def test_an_interrupted_run_goes_on_where_it_was(machine):
    # Not complete: one test that the sanitizers are to see is skipped.
    machine.test(2, {**GOOD, "Tiny/Sanitizer.Right/xbfs": "skip"}, KERNELS_HASH=HASH)
    # The same again with another outcome: what passed is not run, or it would crash.
    crashing = {name: "crash" for name in GOOD} | {"Tiny/Sanitizer.Right/xbfs": "pass"}
    said = machine.test(0, {**crashing, "Real.Graph": "skip"}, KERNELS_HASH=HASH)
    assert "passed before this run was interrupted" in said
    assert (machine.record()["passed"], machine.record()["failed"]) == (6, 0)
    # Once it is recorded, nothing is kept.
    assert "5 passed, 2 failed" in machine.test(1, crashing, KERNELS_HASH=HASH)


def test_what_failed_is_tried_again(machine):
    outcomes = {**GOOD, "Zoo/A.Right/dfq": "fail", "Tiny/Sanitizer.Right/xbfs": "skip"}
    machine.test(2, outcomes, KERNELS_HASH=HASH)
    machine.test(0, {**GOOD, "Zoo/A.Right/dfq": "pass"}, KERNELS_HASH=HASH)
    assert machine.record()["failed"] == 0


def test_another_program_is_tested_anew(machine):
    machine.test(2, {**GOOD, "Tiny/Sanitizer.Right/xbfs": "skip"}, KERNELS_HASH=HASH)
    with (machine.tree / "build/cuda_tests").open("a") as program:
        program.write("# another build\n")
    machine.test(1, {**GOOD, "Zoo/A.Right/xbfs": "fail"}, KERNELS_HASH=HASH)


def test_the_hash_and_the_commit_can_be_given(machine):
    said = machine.test(0, KERNELS_HASH=HASH, COMMIT="abc")
    assert machine.record()["kernels"] == HASH and machine.record()["commit"] == "abc"
    assert machine.record()["kernels_files"] in said  # the files here are others, and that is said


def test_without_git_and_a_hash_nothing_runs(machine):
    assert "KERNELS_HASH" in machine.test(2)
    assert machine.record() is None


def test_changed_kernels_are_refused(machine):
    commit(machine.tree, "kernels")
    (machine.tree / "kernels/cuda/xbfs.cu").write_text("// another\n")
    assert "differs from the commit" in machine.test(2)
    assert machine.record() is None


def test_without_a_gpu_nothing_runs_and_that_is_said(machine):
    machine.add(machine.path / "nvidia-smi", "#!/bin/sh\nexit 9\n")
    assert "no GPU here" in machine.test(2, KERNELS_HASH=HASH)


def test_members_of_two_ranks(machine):
    """Once more under mpirun; a rank's end is the tests' failure, with what it printed."""
    machine.add(machine.path / "mpirun", MPIRUN)
    (machine.tree / "build/CMakeCache.txt").write_text("MPIEXEC_EXECUTABLE:FILEPATH=mpirun\n")
    said = machine.test(0, KERNELS_HASH=HASH)
    assert "distributed_tests on 2 ranks A.Right/delegate_cuda: ended" in said
    record = machine.record()
    assert (record["passed"], record["failed"], record["skipped"], record["gpus"]) == (7, 0, 1, 1)
    said = machine.test(1, KERNELS_HASH=HASH, RANK_DIES="1")
    assert "rank 1 exited on signal 11" in said
    assert machine.record()["failures"] == ["distributed_tests on 2 ranks: A.Right/delegate_cuda"]


def test_members_of_a_rank_for_each_gpu(machine):
    machine.add(machine.path / "mpirun", MPIRUN)
    gpus = "".join(f"GPU {number}: Made-up GPU\\n" for number in range(4))
    machine.add(machine.path / "nvidia-smi", NVIDIA_SMI.replace("GPU 0: Made-up GPU", gpus[:-2]))
    (machine.tree / "build/CMakeCache.txt").write_text("MPIEXEC_EXECUTABLE:FILEPATH=mpirun\n")
    said = machine.test(0, KERNELS_HASH=HASH)
    for ranks in (2, 4):
        assert f"distributed_tests on {ranks} ranks A.Right/delegate_cuda: ended" in said
    assert "3 ranks" not in said
    record = machine.record()
    assert (record["passed"], record["failed"], record["skipped"], record["gpus"]) == (8, 0, 1, 4)


@pytest.mark.parametrize("outcome", ["skip", "crash"])
def test_a_sanitizer_that_examined_nothing_is_no_success(machine, outcome):
    outcomes = {**GOOD, "Tiny/Sanitizer.Right/xbfs": outcome}
    assert "did not examine" in machine.test(2, outcomes, KERNELS_HASH=HASH)
    assert machine.record() is None
    left = json.loads((machine.tree / "build/gpu-tests.incomplete.json").read_text())
    assert left["memcheck_errors"] is None and "memcheck" in left["incomplete"]


def test_all_skipped_is_no_success(machine):
    skipped = {"Zoo/A.Right/xbfs": "skip"}
    stress = {"Stress.Right/xbfs": "skip"}
    members = json.dumps({"A.Right/delegate_cuda": "skip"})
    delayed = json.dumps(dict.fromkeys(DELAYED, "skip"))
    said = machine.test(
        2, skipped, stress=stress, KERNELS_HASH=HASH, MEMBERS=members, DELAYED=delayed
    )
    assert "nothing was tested" in said
