# SPDX-License-Identifier: Apache-2.0
"""The GPU tests, then compute-sanitizer's memcheck, racecheck and synccheck, and their record.

Writes results/MACHINE/gpu-tests.json: which kernels (git's hash of the tree kernels/), compiled for
which architectures, passed how many tests on which device. Where the program was compiled for none
of the device's own architecture, so that the driver compiled its PTX, the record is
gpu-tests-sm75.json, by the architectures. Only a complete run is recorded; one in which tests
failed is complete too. An incomplete one leaves gpu-tests.incomplete.json in the build folder.
Needs Python's standard library and the built programs of tests, but neither git nor ctest.

A few tests of a suite share a process, since starting one costs as much as a test. Where one of
them fails, each runs again in a process of its own, since an error on a GPU can spoil everything
after it. Tests under each sanitizer do the same. Few processes run at a time, since a GPU takes
turns between them. They take the GPUs of the machine in turn, unless a test takes several itself.
Passed tests are kept in the build folder until the record is written, so that an interrupted run
continues with the same programs on the same GPU; failed ones are tried again. Each process is a
line when it ends. An interrupt prints which processes ran, for how long, and their last output.

Environment, for a copied tree without .git: KERNELS_HASH is the tree's hash (`git rev-parse
HEAD:kernels`), COMMIT the commit. Exit codes: 0 all passed, 1 something failed, 2 the run was not
complete.
"""

import argparse
import os
import signal
import socket
import sys
from pathlib import Path

from gpu_tests.plan import PROGRAMS, RANKED_AT_ONCE, SANITIZERS_AT_ONCE, TESTS_AT_ONCE
from gpu_tests.processes import CHILDREN, Gpus, PassedTests
from gpu_tests.record import make_record, record_name, write_record
from gpu_tests.runner import run_ranked, run_tests
from gpu_tests.sanitizers import findings_of, sanitize, sanitizers_at_once
from gpu_tests.tested import ROOT, CannotRun, kernels_hash, machine_facts, toolkit_program
from run_tests import Tally, gpu_present


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build/release")
    parser.add_argument("--machine", default=os.environ.get("MACHINE") or socket.gethostname())
    parser.add_argument("--results", type=Path, default=ROOT / "results")
    parser.add_argument(
        "--jobs",
        type=int,
        help="how many processes at once, of tests or of sanitizers; of tests on several ranks at "
        f"most {RANKED_AT_ONCE}",
    )
    parser.add_argument(
        "--preflight", action="store_true", help="only check whether everything is available"
    )
    return parser.parse_args()


def test_and_examine(
    passed: PassedTests, build: Path, sanitizer: str, jobs: int | None, tally: Tally
) -> tuple[int, dict[str, int | None], str]:
    """Runs all tests, then the sanitizers. Returns how often an engine refused, each sanitizer's
    findings, and why the run is incomplete (empty if it is not)."""
    cores, devices = os.cpu_count() or 1, max(1, len(passed.gpus.names))
    programs = [build / name for name in PROGRAMS]
    refused = run_tests(passed, programs, jobs or min(TESTS_AT_ONCE * devices, cores), tally)
    refused += run_ranked(passed, build, min(jobs or RANKED_AT_ONCE, RANKED_AT_ONCE), tally)
    for reason, count in sorted(tally.reasons.items()):
        print(f"skipped {count}: {reason}")
    print(
        f"tests: {tally.passed} passed, {tally.failed} failed, {tally.skipped} skipped", flush=True
    )
    if not tally.passed + tally.failed:
        raise CannotRun("every test was skipped: nothing was tested")
    at_once = sanitizers_at_once(jobs or min(SANITIZERS_AT_ONCE * devices, cores))
    results = sanitize(passed, sanitizer, build, at_once)
    findings, incomplete = findings_of(results)
    for result in results:
        tally.failed += len(result.failures)
        tally.failures += result.failures
    for tool, found in findings.items():
        print(f"{tool}: {'not complete' if found is None else f'{found} findings'}", flush=True)
    return refused, findings, incomplete


def main() -> int:
    options = read_options()
    build = options.build.resolve()
    if not gpu_present():
        raise CannotRun("no GPU here (`nvidia-smi -L` shows none): nothing was tested")
    kernels = kernels_hash()
    sanitizer = toolkit_program(build, "compute-sanitizer")
    if sanitizer is None:
        raise CannotRun("no compute-sanitizer: it is part of NVIDIA's CUDA toolkit")
    if options.preflight:
        return 0
    for program in PROGRAMS:
        if not (build / program).exists():
            raise CannotRun(f"{build / program} is not built: are nvcc and GoogleTest installed?")

    facts = machine_facts(build)
    print(f"gpu-test: kernels {kernels} on {facts['device']}, driver {facts['driver']}", flush=True)
    tally, gpus = Tally(), Gpus()
    passed = PassedTests(build / "gpu-tests-passed", facts, gpus)
    refused, findings, incomplete = test_and_examine(passed, build, sanitizer, options.jobs, tally)
    record = make_record(kernels, tally, refused, findings, facts, len(gpus.names))
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
