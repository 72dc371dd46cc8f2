# SPDX-License-Identifier: Apache-2.0
"""Runs every test that this machine can run and closes with `N passed, N failed, N skipped`.

C++ tests by ctest, Python's by pytest. GPU tests (ctest label `gpu`) are left out, with a message,
if there is no GPU. Exits with 0 only if nothing failed and something passed.
"""

import argparse
import collections
import concurrent.futures
import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# The longest process first, with the number of processes that share the files of a folder.
PYTHON_TESTS = {"frontdoor": 1, "driver": 4, "plots": 3, "harness": 1, "oracle": 1, "nvtx": 1}


class Tally:
    """Counts, and what was skipped for which reason."""

    def __init__(self) -> None:
        self.passed = self.failed = self.skipped = 0
        self.reasons: collections.Counter[str] = collections.Counter()
        self.failures: list[str] = []

    def skip(self, reason: str, count: int = 1) -> None:
        self.skipped += count
        self.reasons[reason] += count

    def read_junit(self, report: Path) -> int:
        """Adds one JUnit file's cases; returns how many there were."""
        cases = list(ElementTree.parse(report).getroot().iter("testcase"))
        for case in cases:
            name = f"{case.get('classname')}: {case.get('name')}"
            skipped = case.find("skipped")
            if case.find("failure") is not None or case.find("error") is not None:
                self.failed += 1
                self.failures.append(name)
            elif skipped is not None:
                self.skip(skip_reason(case, skipped))
            elif case.get("status") == "disabled":
                self.skip("disabled")
            else:
                self.passed += 1
        return len(cases)


def skip_reason(case: ElementTree.Element, skipped: ElementTree.Element) -> str:
    """pytest names the reason; for a GoogleTest it is the line after the position of GTEST_SKIP(),
    in its own report and in ctest's."""
    message = skipped.get("message") or ""
    output = case.findtext("system-out") or ""
    if message == "collection skipped":  # a whole module
        return re.sub(r".*Skipped: (.*)'.*", r"\1", skipped.text or "", flags=re.DOTALL)
    found = re.search(r": Skipped\n(.*)", output)
    if found:
        return found.group(1).strip()
    place = re.match(r"\S+:\d+\n(.*)", message)
    return (place.group(1) if place else message).strip() or "no reason given"


def gpus_listed() -> int:
    """How many GPUs this machine has."""
    if shutil.which("nvidia-smi") is None:
        return 0
    try:  # with a broken driver it may hang
        listing = subprocess.run(
            ["nvidia-smi", "-L"], capture_output=True, encoding="utf-8", timeout=30
        )
    except subprocess.TimeoutExpired:
        return 0
    # A GPU in parts has lines of its parts below its own.
    listed = [line for line in listing.stdout.splitlines() if line.startswith("GPU ")]
    return 0 if listing.returncode else len(listed)


def gpu_present() -> bool:
    return gpus_listed() > 0


def count_labelled(build: Path, label: str) -> int:
    listing = subprocess.run(
        ["ctest", "-N", "-L", f"^{label}$"], cwd=build, capture_output=True, encoding="utf-8"
    ).stdout
    found = re.search(r"Total Tests: (\d+)", listing)
    return int(found.group(1)) if found else 0


def run_cpp(build: Path, jobs: str, tally: Tally, scratch: Path) -> None:
    if not (build / "CTestTestfile.cmake").exists():
        tally.skip("the C++ tests need GoogleTest (libgtest-dev, libgmock-dev)")
        return
    report = scratch / "ctest.xml"
    command = ["ctest", "-j", jobs, "--output-on-failure", "--no-tests=error"]
    command += ["--timeout", "600", "--output-junit", report]
    if not gpu_present():
        gpu_tests = count_labelled(build, "gpu")
        if gpu_tests:
            command += ["-LE", "^gpu$"]
            tally.skip("needs a GPU, and `nvidia-smi -L` shows none", gpu_tests)
        else:
            print("no GPU here (`nvidia-smi -L`); this build has no GPU tests either", flush=True)
    environment = dict(os.environ)
    # Waiting threads must not spin: tests of several programs share the cores.
    environment.setdefault("OMP_WAIT_POLICY", "passive")
    environment.setdefault("UBSAN_OPTIONS", "print_stacktrace=1:halt_on_error=1")
    # One line per test would be too much; failures are printed in full.
    process = subprocess.Popen(
        command,
        cwd=build,
        env=environment,
        stdout=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
    )
    passing = re.compile(r"^\s*(\d+/\d+ Test +#\d+:.* Passed |Start +\d+: )")
    for line in process.stdout:
        if not passing.match(line):
            sys.stdout.write(line)
            sys.stdout.flush()
    status = process.wait()
    counted = tally.read_junit(report) if report.exists() else 0
    if status and not tally.failed:
        tally.failed += 1
        tally.failures.append(f"ctest ended with {status} after {counted} tests")


def shares(tests: Path) -> dict[str, list[Path]]:
    """Returns the test files of each pytest by its name: a folder's, or every nth of them."""
    made = {}
    for folder, count in PYTHON_TESTS.items():
        files = sorted((tests / folder).glob("test_*.py"))
        for k in range(min(count, len(files))):
            name = folder if count == 1 else f"{folder}-{k + 1}"
            made[name] = files[k::count]
    return made


def run_python(build: Path, jobs: int, tally: Tally, scratch: Path) -> None:
    """One pytest per share, one more at once than there are jobs, if these are several: many tests
    wait."""
    environment = dict(os.environ)
    environment.setdefault("BFSLAB_BIN", str(build / "bfslab"))
    environment.setdefault("BFSLAB_FAULTY_BIN", str(build / "bfslab-faulty"))
    environment.setdefault("MPLBACKEND", "Agg")

    def run_one(name: str, files: list[Path]) -> tuple[str, Path, subprocess.CompletedProcess]:
        report = scratch / f"pytest-{name}.xml"
        command = [sys.executable, "-m", "pytest", "-q", "-rfE", "-p", "no:cacheprovider"]
        command += [f"--junitxml={report}", *files]
        return name, report, subprocess.run(
            command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            encoding="utf-8", errors="replace",
        )  # fmt: skip

    if importlib.util.find_spec("pytest") is None:
        tally.skip("the Python tests need the Python package pytest (requirements/tests.txt)")
        return
    with concurrent.futures.ThreadPoolExecutor(jobs + (jobs > 1)) as pool:
        running = [pool.submit(run_one, *share) for share in shares(ROOT / "tests").items()]
        for done in concurrent.futures.as_completed(running):
            name, report, process = done.result()
            print(f"tests/{name}:\n{process.stdout}", flush=True)
            failed_before = tally.failed
            counted = tally.read_junit(report) if report.exists() else 0
            if process.returncode and tally.failed == failed_before:
                tally.failed += 1
                tally.failures.append(
                    f"pytest of tests/{name} ended with {process.returncode} after {counted} tests"
                )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, default=ROOT / "build/release")
    parser.add_argument("--jobs", default=os.environ.get("JOBS") or str(os.cpu_count()))
    parser.add_argument("--cpp-only", action="store_true")
    options = parser.parse_args()
    build = options.build.resolve()
    # A background process of a shell ignores these signals, and so would the processes that tests
    # interrupt.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGQUIT, signal.SIG_DFL)

    tally = Tally()
    with tempfile.TemporaryDirectory() as scratch:
        run_cpp(build, options.jobs, tally, Path(scratch))
        if not options.cpp_only:
            run_python(build, int(options.jobs), tally, Path(scratch))
    print()
    for reason, count in sorted(tally.reasons.items()):
        print(f"skipped {count}: {reason}")
    for failure in tally.failures:
        print(f"FAILED {failure}")
    print(f"{tally.passed} passed, {tally.failed} failed, {tally.skipped} skipped")
    return 0 if tally.passed and not tally.failed else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
