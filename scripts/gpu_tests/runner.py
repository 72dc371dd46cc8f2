# SPDX-License-Identifier: Apache-2.0
"""Runs the tests in groups, once alone and once on several ranks, and counts their outcomes."""

import collections
import concurrent.futures
import hashlib
import itertools
import re
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

from run_tests import Tally

from .plan import (
    AS_ROOT,
    GROUP_SIZE,
    LAUNCHER,
    PROGRAMS,
    RANKED,
    TEST_LIMIT_S,
    group_name,
    in_groups,
    program_name,
    tests_of,
)
from .processes import PassedTests, Progress
from .tested import CannotRun, cached

# The report of tests/kernels/exam.cpp on settings that an engine refused: how many, then why.
REFUSED = re.compile(r"^\S+: (\d+) refused, .*(?:\n  .*)*", re.MULTILINE)
REASON = re.compile(r"^  (\d+): (.*)$", re.MULTILINE)


class GroupResult(NamedTuple):
    """The result of tests in one process. `trouble` says how the process failed; empty if it did
    not."""

    names: list[str]
    report: Path  # GoogleTest's, which a process that died has not written
    trouble: str
    refusals: list[re.Match]


def run_group(
    passed: PassedTests, progress: Progress, program: Path, names: list[str], scratch: Path,
    ranks: int,
) -> list[GroupResult]:  # fmt: skip
    """Runs tests in one process. Where that fails, runs each again in a process of its own."""
    report = scratch / (hashlib.sha1(":".join(names).encode()).hexdigest() + ".xml")
    start = [program]
    if ranks:
        start = [*(word.format(ranks=ranks) for word in LAUNCHER), program, "--mpi"]
    command, limit_s = [*start, f"--gtest_filter={':'.join(names)}"], TEST_LIMIT_S * len(names)
    title, since = f"{program_name(program, ranks)} {group_name(names)}", time.monotonic()
    try:
        done = passed.run(command, program, title, report, limit_s, **(AS_ROOT if ranks else {}))
        ended = f"ended with {done.returncode}\n{done.stdout[-4000:]}"
        trouble = ended if done.returncode or not report.exists() else ""
        result = GroupResult(names, report, trouble, list(REFUSED.finditer(done.stdout)))
    except subprocess.TimeoutExpired:
        result = GroupResult(names, report, f"took more than {limit_s} s", [])
    progress.done(title, result.trouble.split("\n")[0] or "ended", since)
    if result.trouble and len(names) > 1:
        progress.expect_more(len(names))
        return [
            each
            for name in names
            for each in run_group(passed, progress, program, [name], scratch, ranks)
        ]
    return [result]


class Outcomes:
    """The outcomes of one program's tests, added to the tally of all programs."""

    def __init__(self, tally: Tally, program: Path, ranks: int) -> None:
        self.tally, self.title = tally, program_name(program, ranks)
        self.names = tests_of(program, (RANKED if ranks else PROGRAMS)[program.name])
        if not self.names:
            raise CannotRun(f"{program} holds no tests")
        self.seconds: list[tuple[float, str]] = []
        self.reasons: collections.Counter[str] = collections.Counter()
        self.refused = 0

    def add(self, result: GroupResult) -> None:
        for refusal in result.refusals:
            self.refused += int(refusal.group(1))
            for count, reason in REASON.findall(refusal.group()):
                self.reasons[reason] += int(count)
        failed_before = self.tally.failed
        reported = result.report.exists()
        if reported:
            self.tally.read_junit(result.report)
            for case in ElementTree.parse(result.report).getroot().iter("testcase"):
                name = f"{case.get('classname')}.{case.get('name')}"
                self.seconds.append((float(case.get("time") or 0), name))
        failed_test = f"{self.title}: {result.names[0]}"
        if not reported or (result.trouble and self.tally.failed == failed_before):
            self.tally.failed += 1
            self.tally.failures.append(failed_test)
        if result.trouble:
            print(f"--- FAILED {failed_test}\n{result.trouble}", flush=True)

    def print_slowest(self) -> None:
        slowest = ", ".join(f"{name} {took:.0f} s" for took, name in sorted(self.seconds)[:-6:-1])
        print(f"{self.title}: {len(self.names)} tests, the slowest {slowest}", flush=True)


def run_tests(
    passed: PassedTests, programs: list[Path], jobs: int, tally: Tally, ranks: int = 0
) -> int:
    """Runs the tests of all programs at once, in the order of the programs. Adds to the tally;
    returns how often an engine refused."""
    outcomes = {program: Outcomes(tally, program, ranks) for program in programs}
    with (
        tempfile.TemporaryDirectory() as scratch,
        concurrent.futures.ThreadPoolExecutor(jobs) as pool,
    ):
        waiting = {}
        for program in programs:
            groups = in_groups(outcomes[program].names, GROUP_SIZE[program.name])
            progress = Progress(len(groups))
            folder = Path(scratch) / program.name
            folder.mkdir()
            for group in groups:
                future = pool.submit(run_group, passed, progress, program, group, folder, ranks)
                waiting[future] = program
        for future in concurrent.futures.as_completed(waiting):
            for result in future.result():
                outcomes[waiting[future]].add(result)
    reasons = sum((each.reasons for each in outcomes.values()), collections.Counter())
    for reason, count in reasons.most_common():
        print(f"refused {count} times: {reason}")
    for each in outcomes.values():
        each.print_slowest()
    return sum(each.refused for each in outcomes.values())


def run_ranked(passed: PassedTests, build: Path, at_once: int, tally: Tally) -> int:
    """Runs tests on several ranks, few at a time, since all of them use all GPUs. Returns how often
    an engine refused."""
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
