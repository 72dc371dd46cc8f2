# SPDX-License-Identifier: Apache-2.0
"""The GPU tests, then compute-sanitizer's memcheck, racecheck and synccheck, and their record.

Writes results/MACHINE/gpu-tests.json: which kernels (git's hash of the tree kernels/), compiled for
which architectures, passed how many tests on which device. Where the program was compiled for none
of the device's own architecture, so that the driver compiled its PTX, the record is
gpu-tests-sm75.json, by the architectures. Only a complete run is recorded; one in which tests
failed is complete too. An incomplete one leaves gpu-tests.incomplete.json in the build folder.
Needs Python's standard library and the built programs of tests, but neither git nor ctest.
A few tests of a suite share a process, since starting one costs as much as a test; where one of
them fails, each runs again in a process of its own, since an error on a GPU can spoil everything
after it. So do tests under each sanitizer. Few run at a time: a GPU takes turns between
processes, and more of them end no sooner. They take the GPUs of the machine in turn, unless a test
takes several itself. What passed is kept in the build folder until the record is written, so that
an interrupted run goes on where it was with the same programs on the same GPU; what failed is
tried again. Each process is a line when it ends, and an interrupt says what was running, for how
long, and its last words.

Environment, for a copied tree without .git: KERNELS_HASH is the tree's hash (`git rev-parse
HEAD:kernels`), COMMIT the commit. Exit codes: 0 all passed, 1 something failed, 2 the run was not
complete.
"""

import argparse
import collections
import concurrent.futures
import datetime
import hashlib
import itertools
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

from limited import kill_session
from run_tests import Tally, gpu_present, gpus_listed

ROOT = Path(__file__).resolve().parent.parent
# The programs, and what of each is run; what of some the sanitizers see.
PROGRAMS = {  # the longest tests first
    "distributed_tests": "*_cuda*:*DeviceCommunicator*:*OnGpus*:*SubgraphsSanitizer*",
    "cuda_tests": "*",
    "cuda_stress_tests": "*Stress*",
    "distributed_stress_tests": "*InOneKernel*_cuda:*InEverySetting*_cuda",
}
# Tests that run once more as two ranks, which share a GPU where there is only one, and on more than
# two GPUs also with one rank per GPU.
RANKED = {"distributed_tests": "*_cuda*:*DeviceCommunicator*:*OnGpus*-*Sanitizer*"}
LAUNCHER = ["mpirun", "-n", "{ranks}", "--oversubscribe", "--bind-to", "none"]
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
SANITIZED = {
    "cuda_tests": "*Sanitizer*",
    "distributed_tests": "*Sanitizer*_cuda*:*SubgraphsSanitizer*",
}
TEST_LIMIT_S, SANITIZER_LIMIT_S = 300, 300  # of one test, and of two
TOGETHER = {  # tests of a process at most: few of a program whose tests are long
    "cuda_tests": 8,
    "cuda_stress_tests": 8,
    "distributed_tests": 2,
    "distributed_stress_tests": 2,
}
TESTS_AT_ONCE, SANITIZERS_AT_ONCE = 3, 8  # of a GPU
RANKED_AT_ONCE = 3  # of several ranks, which have all GPUs
SLOW = re.compile("/(fused|dfq|delegate_cuda|xbfs)_")  # tests under racecheck, which begin first
SANITIZERS = {  # the slowest first
    "racecheck": re.compile(r"RACECHECK SUMMARY: (\d+) hazard"),
    "memcheck": re.compile(r"ERROR SUMMARY: (\d+) error"),
    "synccheck": re.compile(r"ERROR SUMMARY: (\d+) error"),
}
SANITIZER_MIB = 4096  # of the GPU's memory for one sanitizer and its test, generously
# compute-sanitizer loses track now and then of kernels that several threads launch: it says so and
# counts it as a finding, or hangs. What it could not examine is tried again when nothing else runs,
# and each kernel ends before its thread goes on.
LOST = re.compile(r"Internal Sanitizer Error: (.*)")
TRIES_ALONE = 3


class CannotRun(Exception):
    """Something that a complete run needs is missing."""


def output_of(*command) -> str:
    """What a program prints; empty if it is missing or fails."""
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


# --- Which kernels


def tree_hash(folder: Path) -> str:
    """git's hash of a folder, from the files as they are there."""

    def named(kind: str, body: bytes) -> bytes:
        return hashlib.sha1(f"{kind} {len(body)}\0".encode() + body).digest()

    entries = []
    for path in folder.iterdir():
        name = path.name.encode()
        if path.is_dir():
            entries.append((name + b"/", b"40000 " + name + b"\0" + bytes.fromhex(tree_hash(path))))
        else:
            mode = b"100755 " if os.access(path, os.X_OK) else b"100644 "
            entries.append((name, mode + name + b"\0" + named("blob", path.read_bytes())))
    return named("tree", b"".join(entry for _, entry in sorted(entries))).hex()


def kernels_hash() -> str:
    """Of the kernels that are tested. Throws if it is unknown."""
    given = os.environ.get("KERNELS_HASH", "")
    if given and not re.fullmatch(r"[0-9a-f]{40,64}", given):
        raise CannotRun(f"KERNELS_HASH={given}: expected what `git rev-parse HEAD:kernels` prints")
    here = tree_hash(ROOT / "kernels")
    if given:
        if given != here:
            print(f"gpu-test: KERNELS_HASH is {given}, but the files of kernels/ here are {here}")
        return given
    committed = output_of("git", "rev-parse", "HEAD:kernels")
    if not committed:
        raise CannotRun(
            "no git here, and no KERNELS_HASH: give what `git rev-parse HEAD:kernels` prints"
        )
    changes = output_of("git", "status", "--porcelain", "--", "kernels")
    if changes:
        raise CannotRun(
            f"kernels/ differs from the commit, and no KERNELS_HASH was given:\n{changes}\n"
            "commit first, so that the record states what was tested"
        )
    return committed


# --- On what


def cached(build: Path, name: str) -> str:
    cache = build / "CMakeCache.txt"
    text = cache.read_text(encoding="utf-8") if cache.exists() else ""
    found = re.search(rf"^{name}:[A-Z]+=(.*)$", text, re.MULTILINE)
    return found.group(1) if found else ""


def toolkit_program(build: Path, name: str) -> str | None:
    """From PATH, or from the toolkit that the build was made with."""
    homes = [os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda"]
    compiler = cached(build, "BFSLAB_NVCC_PROGRAM")
    folders = [str(Path(compiler).parent)] if compiler else []
    folders += [f"{home}/bin" for home in homes if home]
    folders += [f"{home}/compute-sanitizer" for home in homes if home]
    return shutil.which(name) or shutil.which(name, path=os.pathsep.join(folders))


def machine_facts(build: Path) -> dict:
    def ask(what: str) -> str:
        command = ["nvidia-smi", f"--query-gpu={what}", "--format=csv,noheader"]
        return ", ".join(sorted(set(output_of(*command).splitlines())))

    found = re.search(
        r"release ([\d.]+)", output_of(toolkit_program(build, "nvcc") or "nvcc", "--version")
    )
    commit = os.environ.get("COMMIT") or output_of("git", "rev-parse", "HEAD")
    return {
        "device": ask("name"),
        "compute_capability": ask("compute_cap"),
        "driver": ask("driver_version"),
        "cuda": found.group(1) if found else "",
        "architectures": cached(build, "BFSLAB_CUDA_ARCHITECTURES").replace(";", ","),
        "commit": commit or "unknown",
    }


def record_name(facts: dict) -> str:
    """Returns another name where the driver compiled the program's PTX for this device.

    >>> record_name({"compute_capability": "9.0", "architectures": "75,90a"})
    'gpu-tests.json'
    >>> record_name({"compute_capability": "9.0", "architectures": "75"})
    'gpu-tests-sm75.json'
    """
    built = [re.match(r"\d*", each).group() for each in facts["architectures"].split(",")]
    own = facts["compute_capability"].replace(".", "")
    if not own or not any(built) or set(own.split(", ")) & set(built):
        return "gpu-tests.json"
    return f"gpu-tests-sm{'-'.join(built)}.json"


# --- The tests


def environment(**more: str) -> dict:
    return {**os.environ, **more, "OMP_WAIT_POLICY": os.environ.get("OMP_WAIT_POLICY", "passive")}


class Gpus:
    """The machine's GPUs, which tests take in turn."""

    def __init__(self) -> None:
        given = os.environ.get("CUDA_VISIBLE_DEVICES")
        self.names = given.split(",") if given else [str(each) for each in range(gpus_listed())]
        self.turns = itertools.count()

    def taken(self, program: Path) -> dict[str, str]:
        """What says it to a test of this program."""
        if program.name == "distributed_tests" or len(self.names) < 2:
            return {}
        return {"CUDA_VISIBLE_DEVICES": self.names[next(self.turns) % len(self.names)]}


def tests_of(program: Path, pattern: str) -> list[str]:
    command = [program, "--gtest_list_tests", f"--gtest_filter={pattern}"]
    listing = subprocess.run(command, capture_output=True, encoding="utf-8")
    if listing.returncode:
        raise CannotRun(f"{program} does not start: {listing.stderr.strip()[-500:]}")
    names, suite = [], ""
    for line in listing.stdout.splitlines():
        word = line.split("#")[0].strip()
        if line.startswith("  "):
            names.append(suite + word)
        elif word.endswith("."):
            suite = word
    return names


def in_groups(names: list[str], together: int) -> list[list[str]]:
    """Those of one suite, `together` at most."""
    suites = itertools.groupby(names, lambda name: name.split(".")[0])
    listed = [list(suite) for _, suite in suites]
    return [
        suite[first : first + together]
        for suite in listed
        for first in range(0, len(suite), together)
    ]


def named(names: list[str]) -> str:
    """Tests of one process, for a line of a log."""
    return names[0] + (f" and {len(names) - 1} more" if len(names) > 1 else "")


class Running(NamedTuple):
    what: str
    since: float
    output: int  # the file's descriptor

    def last_words(self, most: int = 400) -> str:
        size = os.fstat(self.output).st_size
        return os.pread(self.output, most, max(0, size - most)).decode(errors="replace").strip()


class Children:
    """What runs now, by threads that do not hear of an interrupt."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.running: dict[subprocess.Popen, Running] = {}
        self.ended = False

    def start(self, what: str, output: int, *arguments, **options) -> subprocess.Popen:
        with self.lock:
            if self.ended:
                raise KeyboardInterrupt
            process = subprocess.Popen(*arguments, **options, stdout=output, start_new_session=True)
            self.running[process] = Running(what, time.monotonic(), output)
            return process

    def done(self, process: subprocess.Popen) -> None:
        with self.lock:
            self.running.pop(process, None)

    def end(self) -> None:
        """Says what ran and how far it was, and ends it."""
        with self.lock:
            self.ended = True
            for process, running in self.running.items():
                seconds = time.monotonic() - running.since
                print(f"interrupted after {seconds:.0f} s: {running.what}\n{running.last_words()}")
                kill_session(process.pid)
            sys.stdout.flush()


CHILDREN = Children()


def ran(
    command: list, program: Path, what: str, limit_s: int, **more: str
) -> subprocess.CompletedProcess:
    """Runs it in the folder of `program`, with all output in one, and kills it at the limit."""
    with tempfile.TemporaryFile() as output:
        process = CHILDREN.start(
            what, output.fileno(), command, cwd=program.parent, env=environment(**more),
            stderr=subprocess.STDOUT,
        )  # fmt: skip
        try:
            process.wait(limit_s)
        except BaseException:
            # A process that a sanitizer or a launcher leaves running would hold the GPU.
            kill_session(process.pid)
            process.wait()
            raise
        finally:
            CHILDREN.done(process)
        output.seek(0)
        printed = output.read().decode(errors="replace")
    return subprocess.CompletedProcess(command, process.returncode, printed)


class Steps:
    """A line for each process when it ends: of how many it is one, what came out, its seconds."""

    def __init__(self, count: int) -> None:
        self.lock = threading.Lock()
        self.count, self.ended = count, 0

    def done(self, what: str, outcome: str, since: float) -> None:
        with self.lock:
            self.ended += 1
            seconds = time.monotonic() - since
            print(f"[{self.ended}/{self.count}] {what}: {outcome}, {seconds:.0f} s", flush=True)

    def more(self, count: int) -> None:
        with self.lock:
            self.count += count


class Passed:
    """What has passed since the last record, by its key: what it printed and reported."""

    def __init__(self, folder: Path, facts: dict, gpus: Gpus) -> None:
        self.folder = folder
        self.gpus = gpus
        self.facts = json.dumps([facts[key] for key in ("device", "driver")])
        self.digests: dict[Path, str] = {}
        self.reused = 0

    def file(self, program: Path, command: list) -> Path:
        if program not in self.digests:
            self.digests[program] = hashlib.sha1(program.read_bytes()).hexdigest()
        words = [self.facts, self.digests[program], *map(str, command)]
        return self.folder / (hashlib.sha1("\0".join(words).encode()).hexdigest() + ".json")

    def ran(self, command: list, program: Path, what: str, report: Path, limit_s: int, **more: str):
        """As `ran` with GoogleTest's report, unless that has passed already."""
        kept = self.file(program, command)
        if kept.exists():
            self.reused += 1
            done = json.loads(kept.read_text(encoding="utf-8"))
            report.write_text(done["report"], encoding="utf-8")
            return subprocess.CompletedProcess(command, 0, done["printed"])
        whole = [*command, f"--gtest_output=xml:{report}"]
        done = ran(whole, program, what, limit_s, **self.gpus.taken(program), **more)
        complete = done.returncode == 0 and not LOST.search(done.stdout) and report.exists()
        if complete and "<skipped" not in report.read_text(encoding="utf-8"):
            self.folder.mkdir(parents=True, exist_ok=True)
            new = kept.with_suffix(f".{threading.get_ident()}")
            kept_again = {"printed": done.stdout, "report": report.read_text(encoding="utf-8")}
            new.write_text(json.dumps(kept_again), encoding="utf-8")
            new.replace(kept)
        return done

    def forget(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


# The report of tests/kernels/exam.cpp on settings that an engine refused: how many, then why.
REFUSED = re.compile(r"^\S+: (\d+) refused, .*(?:\n  .*)*", re.MULTILINE)
REASON = re.compile(r"^  (\d+): (.*)$", re.MULTILINE)


class Ran(NamedTuple):
    """Tests in one process; what they printed counts only if they wrote no report."""

    names: list[str]
    report: Path
    trouble: str
    refusals: list[re.Match]


def run_together(
    passed: Passed, steps: Steps, program: Path, names: list[str], scratch: Path, ranks: int
) -> list[Ran]:
    report = scratch / (hashlib.sha1(":".join(names).encode()).hexdigest() + ".xml")
    start = [program]
    if ranks:
        start = [*(word.format(ranks=ranks) for word in LAUNCHER), program, "--mpi"]
    command, limit_s = [*start, f"--gtest_filter={':'.join(names)}"], TEST_LIMIT_S * len(names)
    what, since = f"{title(program, ranks)} {named(names)}", time.monotonic()
    try:
        done = passed.ran(command, program, what, report, limit_s, **(AS_ROOT if ranks else {}))
        ended = f"ended with {done.returncode}\n{done.stdout[-4000:]}"
        trouble = ended if done.returncode or not report.exists() else ""
        ran = Ran(names, report, trouble, list(REFUSED.finditer(done.stdout)))
    except subprocess.TimeoutExpired:
        ran = Ran(names, report, f"took more than {limit_s} s", [])
    steps.done(what, ran.trouble.split("\n")[0] or "ended", since)
    if ran.trouble and len(names) > 1:
        steps.more(len(names))
        return [
            each
            for name in names
            for each in run_together(passed, steps, program, [name], scratch, ranks)
        ]
    return [ran]


def title(program: Path, ranks: int) -> str:
    return f"{program.name} on {ranks} ranks" if ranks else program.name


def run_tests(passed: Passed, programs: list[Path], jobs: int, tally: Tally, ranks: int = 0) -> int:
    """Those of all programs at once, in their order. Adds to the tally; returns how often an engine
    refused."""
    refused, reasons = 0, collections.Counter()
    names = {
        program: tests_of(program, (RANKED if ranks else PROGRAMS)[program.name])
        for program in programs
    }
    seconds: dict[Path, list[tuple[float, str]]] = {program: [] for program in programs}
    for program in programs:
        if not names[program]:
            raise CannotRun(f"{program} holds no tests")
    with (
        tempfile.TemporaryDirectory() as scratch,
        concurrent.futures.ThreadPoolExecutor(jobs) as pool,
    ):
        waiting = {}
        for program in programs:
            groups = in_groups(names[program], TOGETHER[program.name])
            steps = Steps(len(groups))
            folder = Path(scratch) / program.name
            folder.mkdir()
            for group in groups:
                future = pool.submit(run_together, passed, steps, program, group, folder, ranks)
                waiting[future] = program
        for future in concurrent.futures.as_completed(waiting):
            program = waiting[future]
            for ran in future.result():
                for refusal in ran.refusals:
                    refused += int(refusal.group(1))
                    for count, reason in REASON.findall(refusal.group()):
                        reasons[reason] += int(count)
                failed_before = tally.failed
                if ran.report.exists():
                    tally.read_junit(ran.report)
                    for case in ElementTree.parse(ran.report).getroot().iter("testcase"):
                        name = f"{case.get('classname')}.{case.get('name')}"
                        seconds[program].append((float(case.get("time") or 0), name))
                if not ran.report.exists() or (ran.trouble and tally.failed == failed_before):
                    tally.failed += 1
                    tally.failures.append(f"{title(program, ranks)}: {ran.names[0]}")
                if ran.trouble:
                    what = f"{title(program, ranks)}: {ran.names[0]}"
                    print(f"--- FAILED {what}\n{ran.trouble}", flush=True)
    for reason, count in reasons.most_common():
        print(f"refused {count} times: {reason}")
    for program in programs:
        slowest = ", ".join(
            f"{name} {took:.0f} s" for took, name in sorted(seconds[program])[:-6:-1]
        )
        what = f"{title(program, ranks)}: {len(names[program])} tests"
        print(f"{what}, the slowest {slowest}", flush=True)
    return refused


def run_ranked(passed: Passed, build: Path, at_once: int, tally: Tally) -> int:
    """The tests on several ranks, few at a time: all of them have the machine's GPUs."""
    refused = 0
    for name, ranks in itertools.product(RANKED, sorted({2, max(2, len(passed.gpus.names))})):
        if not cached(build, "MPIEXEC_EXECUTABLE") or shutil.which(LAUNCHER[0]) is None:
            tally.skip(
                f"tests on {ranks} ranks need mpirun, and a build with MPI (libopenmpi-dev)",
                len(tests_of(build / name, RANKED[name])),
            )
        else:
            refused += run_tests(passed, [build / name], at_once, tally, ranks)
    return refused


class Examined:
    """What one sanitizer reported about tests: its findings, or why there are none."""

    def __init__(
        self, passed: Passed, tool: str, sanitizer: str, program: Path, names: list[str],
        **more: str
    ) -> None:  # fmt: skip
        self.tool, self.program, self.names, self.name = tool, program, names, ", ".join(names)
        self.findings: int | None = None
        self.failures: list[str] = []
        self.why = ""
        tally = Tally()
        with tempfile.TemporaryDirectory() as scratch:
            report = Path(scratch) / "report.xml"
            command = [sanitizer, "--tool", tool, "--error-exitcode", "99", "--print-limit", "20"]
            command += [program, f"--gtest_filter={':'.join(names)}"]
            limit_s = SANITIZER_LIMIT_S * (len(names) + 1) // 2
            what = f"{tool} {program.name} {named(names)}"
            try:
                done = passed.ran(command, program, what, report, limit_s, **more)
            except subprocess.TimeoutExpired:
                self.why = f"took more than {limit_s} s"
                return
            if report.exists():
                tally.read_junit(report)
        summary = SANITIZERS[tool].search(done.stdout)
        findings = int(summary.group(1)) if summary else None
        self.printed = done.stdout
        # A sanitizer that cannot use the device leaves tests that find no GPU.
        if lost := LOST.search(done.stdout):
            self.why = f"the sanitizer failed: {lost.group(1)}"
        elif findings is None or tally.skipped or not tally.passed + tally.failed:
            self.why = "; ".join(tally.reasons) or done.stdout.strip()[-500:] or "no output"
        elif done.returncode and not findings and not tally.failed:
            self.why = f"ended with {done.returncode}"
        else:
            self.findings = findings
            self.failures = [f"{tool}: {failure}" for failure in tally.failures]

    def is_clean(self) -> bool:
        return self.findings == 0 and not self.failures

    def outcome(self) -> str:
        if self.findings is None:
            return "not examined: " + (self.why.splitlines() or [""])[0]
        failed = f", {len(self.failures)} failed" if self.failures else ""
        return f"{self.findings or 'no'} findings{failed}"

    def report(self, logs: Path) -> None:
        """The first findings, which are the ones to begin with; all of them in a file."""
        if not (self.findings or self.failures):
            return
        logs.mkdir(parents=True, exist_ok=True)
        log = logs / (re.sub(r"\W+", "-", f"{self.tool}-{self.name}")[:200] + ".log")
        log.write_text(self.printed, encoding="utf-8")
        print(
            f"--- {self.tool}: {self.name} (all of it in {log})\n{self.printed[:4000]}", flush=True
        )


def sanitizers_at_once(jobs: int) -> int:
    query = ["nvidia-smi", "--query-gpu=memory.free", "--format=csv,noheader,nounits"]
    free = output_of(*query).splitlines()
    if free and all(each.isdigit() for each in free):  # the first takes as many as any
        jobs = min(jobs, len(free) * min(int(each) for each in free) // SANITIZER_MIB)
    return max(1, jobs)


def sanitize(passed: Passed, sanitizer: str, build: Path, jobs: int) -> list[Examined]:
    """Every sanitizer on every test that is made for them."""

    def grouped(alone: bool) -> list[tuple[Path, list[str]]]:
        groups = []
        for program, pattern in SANITIZED.items():
            names = tests_of(build / program, pattern)
            if not names:
                raise CannotRun(f"{program} holds no tests for sanitizers ({pattern})")
            together = 1 if alone else TOGETHER[program]
            groups += [(build / program, group) for group in in_groups(names, together)]
        return groups

    def examined(tool: str, program: Path, names: list[str], **more: str) -> list[Examined]:
        since = time.monotonic()
        together = Examined(passed, tool, sanitizer, program, names, **more)
        steps.done(f"{tool} {program.name} {named(names)}", together.outcome(), since)
        together.report(build / "gpu-tests-logs")
        if together.is_clean() or len(names) == 1:
            return [together]
        steps.more(len(names))
        return [each for name in names for each in examined(tool, program, [name], **more)]

    def first(tool: str, program: Path, names: list[str]) -> list[Examined]:
        # racecheck loses kernels that threads launch concurrently, and may wait for them forever.
        launches_apart = tool == "racecheck" and program.name in RANKED
        more = {"CUDA_LAUNCH_BLOCKING": "1"} if launches_apart else {}
        return examined(tool, program, names, **more)

    # Under racecheck each takes up to four minutes, beside which a start is nothing.
    work = [(tool, *group) for tool in SANITIZERS for group in grouped(tool == "racecheck")]
    work.sort(key=lambda item: not (item[0] == "racecheck" and SLOW.search(item[2][0])))
    steps = Steps(len(work))
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        results = list(pool.map(lambda item: first(*item), work))
    flat = [each for group in results for each in group]
    for _ in range(TRIES_ALONE):
        lost = [each for each in flat if each.findings is None]
        steps.more(len(lost))
        flat = [each for each in flat if each.findings is not None]
        for each in lost:
            flat += examined(each.tool, each.program, each.names, CUDA_LAUNCH_BLOCKING="1")
    return flat


def findings_of(results: list[Examined]) -> tuple[dict[str, int | None], str]:
    """The sum of each sanitizer's findings, None if it did not examine all, and why not."""
    findings: dict[str, int | None] = {}
    missing = []
    for tool in SANITIZERS:
        mine = [result for result in results if result.tool == tool]
        unexamined = [result for result in mine if result.findings is None]
        findings[tool] = None if unexamined else sum(result.findings for result in mine)
        missing += [f"{tool} did not examine {each.name}: {each.why}" for each in unexamined]
    more = f" (and {len(missing) - 3} more)" if len(missing) > 3 else ""
    return findings, "\n".join(missing[:3]) + more


def write_record(path: Path, record: dict) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_suffix(".new")
    new.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    new.replace(path)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build/release")
    parser.add_argument("--machine", default=os.environ.get("MACHINE") or socket.gethostname())
    parser.add_argument("--results", type=Path, default=ROOT / "results")
    gpus = Gpus()
    parser.add_argument(
        "--jobs", type=int, help="how many processes at once, of tests or of sanitizers"
    )
    parser.add_argument(
        "--preflight", action="store_true", help="only check whether everything is available"
    )
    options = parser.parse_args()
    build = options.build.resolve()
    programs = [build / name for name in PROGRAMS]

    if not gpu_present():
        raise CannotRun("no GPU here (`nvidia-smi -L` shows none): nothing was tested")
    kernels = kernels_hash()
    sanitizer = toolkit_program(build, "compute-sanitizer")
    if sanitizer is None:
        raise CannotRun("no compute-sanitizer: it is part of NVIDIA's CUDA toolkit")
    if options.preflight:
        return 0
    for program in programs:
        if not program.exists():
            raise CannotRun(f"{program} is not built: are nvcc and GoogleTest installed?")

    facts = machine_facts(build)
    print(f"gpu-test: kernels {kernels} on {facts['device']}, driver {facts['driver']}", flush=True)
    tally = Tally()
    passed = Passed(build / "gpu-tests-passed", facts, gpus)
    cores, devices = os.cpu_count() or 1, max(1, len(gpus.names))
    tests_at_once = options.jobs or min(TESTS_AT_ONCE * devices, cores)
    sanitizers = options.jobs or min(SANITIZERS_AT_ONCE * devices, cores)
    refused = run_tests(passed, programs, tests_at_once, tally)
    refused += run_ranked(passed, build, options.jobs or RANKED_AT_ONCE, tally)
    for reason, count in sorted(tally.reasons.items()):
        print(f"skipped {count}: {reason}")
    print(
        f"tests: {tally.passed} passed, {tally.failed} failed, {tally.skipped} skipped", flush=True
    )
    if not tally.passed + tally.failed:
        raise CannotRun("every test was skipped: nothing was tested")
    results = sanitize(passed, sanitizer, build, sanitizers_at_once(sanitizers))
    findings, incomplete = findings_of(results)
    for result in results:
        tally.failed += len(result.failures)
        tally.failures += result.failures
    for tool, found in findings.items():
        print(f"{tool}: {'not complete' if found is None else f'{found} findings'}", flush=True)
    record = {
        "kernels": kernels,
        "kernels_files": tree_hash(ROOT / "kernels"),
        "passed": tally.passed,
        "failed": tally.failed,
        "skipped": tally.skipped,
        "refused": refused,
        **{f"{tool}_errors": findings[tool] for tool in ("memcheck", "racecheck", "synccheck")},
        **{key: facts[key] for key in ("device", "driver", "cuda", "architectures")},
        "gpus": len(gpus.names),
        "utc": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "commit": facts["commit"],
        "failures": sorted(tally.failures),
        "skip_reasons": dict(sorted(tally.reasons.items())),
    }
    if incomplete:
        write_record(build / "gpu-tests.incomplete.json", record | {"incomplete": incomplete})
        raise CannotRun(incomplete)
    path = options.results / options.machine / record_name(facts)
    write_record(path, record)
    if passed.reused:
        print(f"{passed.reused} of these passed before this run was interrupted")
    passed.forget()
    for failure in record["failures"]:
        print(f"FAILED {failure}")
    print(f"recorded in {path}")
    print(f"{tally.passed} passed, {tally.failed} failed, {tally.skipped} skipped")
    return 1 if tally.failed or any(findings.values()) else 0


def interrupted(*_) -> None:
    CHILDREN.end()
    raise KeyboardInterrupt


if __name__ == "__main__":
    signal.signal(signal.SIGINT, interrupted)
    signal.signal(signal.SIGTERM, interrupted)
    try:
        sys.exit(main())
    except CannotRun as reason:
        print(f"gpu-test: {reason}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
