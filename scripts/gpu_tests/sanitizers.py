# SPDX-License-Identifier: Apache-2.0
"""Runs the tests that are made for it under each of compute-sanitizer's tools."""

import concurrent.futures
import re
import subprocess
import tempfile
import time
from pathlib import Path

from run_tests import Tally

from .plan import (
    GROUP_SIZE,
    LEFT_OUT,
    LOST,
    RANKED,
    SANITIZED,
    SANITIZER_LIMIT_S,
    SANITIZER_MIB,
    SANITIZERS,
    SLOW,
    TRIES_ALONE,
    group_name,
    in_groups,
    tests_of,
)
from .processes import PassedTests, Progress
from .tested import CannotRun, output_of


def slowness(tool: str, test: str) -> int:
    """The place of a test among those that its tool examines: 0 for the slowest."""
    if tool != "racecheck":
        return len(SLOW)
    return next((i for i, slow in enumerate(SLOW) if slow.search(test)), len(SLOW))


class Examination:
    """One tool's report on tests that ran in one process: its findings and the failed
    tests, or why it did not examine them (then `findings` is None)."""

    def __init__(
        self, passed: PassedTests, tool: str, sanitizer: str, program: Path, names: list[str],
        **variables: str
    ) -> None:  # fmt: skip
        self.tool, self.program, self.names, self.name = tool, program, names, ", ".join(names)
        self.findings: int | None = None
        self.failures: list[str] = []
        self.why = ""
        tally = Tally()
        with tempfile.TemporaryDirectory() as scratch:
            report = Path(scratch) / "report.xml"
            command = [sanitizer, "--tool", tool, "--error-exitcode", "99", "--print-limit", "20"]
            command += [*LEFT_OUT.get(tool, []), program, f"--gtest_filter={':'.join(names)}"]
            limit_s = SANITIZER_LIMIT_S * (len(names) + 1) // 2
            title = f"{tool} {program.name} {group_name(names)}"
            try:
                done = passed.run(command, program, title, report, limit_s, **variables)
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
        """Prints the first findings, which are the ones to begin with, and writes all of them to a
        file."""
        if not (self.findings or self.failures):
            return
        logs.mkdir(parents=True, exist_ok=True)
        log = logs / (re.sub(r"\W+", "-", f"{self.tool}-{self.name}")[:200] + ".log")
        log.write_text(self.printed, encoding="utf-8")
        print(
            f"--- {self.tool}: {self.name} (all of it in {log})\n{self.printed[:4000]}", flush=True
        )


class Sanitizer:
    """Examines groups of tests, and each test alone where a group has findings."""

    def __init__(self, passed: PassedTests, program: str, build: Path) -> None:
        self.passed, self.program, self.build = passed, program, build
        self.progress = Progress(0)

    def work(self) -> list[tuple[str, Path, list[str]]]:
        """Lists each tool with each group of tests, the slow ones of racecheck first."""
        work = []
        for tool in SANITIZERS:
            for program, pattern in SANITIZED.items():
                names = tests_of(self.build / program, pattern)
                if not names:
                    raise CannotRun(f"{program} holds no tests for sanitizers ({pattern})")
                # racecheck takes up to four minutes per test, beside which a start is nothing.
                size = 1 if tool == "racecheck" else GROUP_SIZE[program]
                work += [(tool, self.build / program, group) for group in in_groups(names, size)]
        work.sort(key=lambda item: slowness(item[0], item[2][0]))
        self.progress.expect_more(len(work))
        return work

    def examine(
        self, tool: str, program: Path, names: list[str], **variables: str
    ) -> list[Examination]:
        since = time.monotonic()
        together = Examination(self.passed, tool, self.program, program, names, **variables)
        self.progress.done(f"{tool} {program.name} {group_name(names)}", together.outcome(), since)
        together.report(self.build / "gpu-tests-logs")
        if together.is_clean() or len(names) == 1:
            return [together]
        self.progress.expect_more(len(names))
        return [each for name in names for each in self.examine(tool, program, [name], **variables)]

    def examine_first(self, tool: str, program: Path, names: list[str]) -> list[Examination]:
        # racecheck loses kernels that threads launch concurrently, and may wait for them forever.
        launches_apart = tool == "racecheck" and program.name in RANKED
        variables = {"CUDA_LAUNCH_BLOCKING": "1"} if launches_apart else {}
        return self.examine(tool, program, names, **variables)

    def retry_lost(self, results: list[Examination]) -> list[Examination]:
        """Replaces tests that were not examined by a second try, which runs alone."""
        lost = [each for each in results if each.findings is None]
        self.progress.expect_more(len(lost))
        results = [each for each in results if each.findings is not None]
        for each in lost:
            results += self.examine(each.tool, each.program, each.names, CUDA_LAUNCH_BLOCKING="1")
        return results


def sanitizers_at_once(jobs: int) -> int:
    """Returns `jobs`, or fewer where the GPUs' free memory does not suffice; at least 1."""
    query = ["nvidia-smi", "--query-gpu=memory.free", "--format=csv,noheader,nounits"]
    free = output_of(*query).splitlines()
    if free and all(each.isdigit() for each in free):  # GPUs take processes in turn
        jobs = min(jobs, len(free) * min(int(each) for each in free) // SANITIZER_MIB)
    return max(1, jobs)


def sanitize(passed: PassedTests, program: str, build: Path, jobs: int) -> list[Examination]:
    """Runs every tool on every test that is made for sanitizers."""
    sanitizer = Sanitizer(passed, program, build)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        groups = list(pool.map(lambda item: sanitizer.examine_first(*item), sanitizer.work()))
    results = [each for group in groups for each in group]
    for _ in range(TRIES_ALONE):
        results = sanitizer.retry_lost(results)
    return results


def findings_of(results: list[Examination]) -> tuple[dict[str, int | None], str]:
    """Returns the sum of each tool's findings, None if it did not examine all tests, and why it did
    not."""
    findings: dict[str, int | None] = {}
    missing = []
    for tool in SANITIZERS:
        of_tool = [result for result in results if result.tool == tool]
        unexamined = [result for result in of_tool if result.findings is None]
        findings[tool] = None if unexamined else sum(result.findings for result in of_tool)
        missing += [f"{tool} did not examine {each.name}: {each.why}" for each in unexamined]
    more = f" (and {len(missing) - 3} more)" if len(missing) > 3 else ""
    return findings, "\n".join(missing[:3]) + more
