"""The GPU tests, then compute-sanitizer's memcheck and racecheck, and the record of it all.

Writes results/MACHINE/gpu-tests.json: which kernels (git's hash of the tree kernels/) passed how
many tests on which device. Only for a run that was complete; one in which tests failed is complete
too. One that was not leaves gpu-tests.incomplete.json in the build folder.
Needs Python's standard library and the two built programs of tests, and neither git nor ctest.
Each test runs in a process of its own, since an error on a GPU can spoil all that follows in it.

Environment, for a copied tree without .git: KERNELS_HASH is the tree's hash (`git rev-parse
HEAD:kernels`), COMMIT the commit. Exit codes: 0 all passed, 1 something failed, 2 the run was not
complete.
"""

import argparse
import concurrent.futures
import datetime
import hashlib
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

from run_tests import Tally, gpu_present

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = ["cuda_tests", "cuda_stress_tests"]  # of the first the sanitizers see the SANITIZED
SANITIZED = "*Sanitizer*"
TEST_LIMIT_S, SANITIZER_LIMIT_S = 300, 300
SANITIZERS = {
    "memcheck": re.compile(r"ERROR SUMMARY: (\d+) error"),
    "racecheck": re.compile(r"RACECHECK SUMMARY: (\d+) hazard"),
}


class CannotRun(Exception):
    """Something that a complete run needs is not there."""


def output_of(*command) -> str:
    """What a program prints; empty where it is missing or fails."""
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


# --- Which kernels


def tree_hash(folder: Path) -> str:
    """git's hash of a folder, from the files as they lie there."""

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
    """Of the kernels that are tested. Throws where nobody knows."""
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
            "no git here, and no KERNELS_HASH: give what `git rev-parse HEAD:kernels` says"
        )
    changes = output_of("git", "status", "--porcelain", "--", "kernels")
    if changes:
        raise CannotRun(
            f"kernels/ differs from the commit, and no KERNELS_HASH was given:\n{changes}\n"
            "commit first, so that the record says what was tested"
        )
    return committed


# --- On what


def cached(build: Path, name: str) -> str:
    cache = build / "CMakeCache.txt"
    text = cache.read_text() if cache.exists() else ""
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
        "driver": ask("driver_version"),
        "cuda": found.group(1) if found else "",
        "commit": commit or "unknown",
    }


# --- The tests


def environment() -> dict:
    return {**os.environ, "OMP_WAIT_POLICY": os.environ.get("OMP_WAIT_POLICY", "passive")}


def tests_of(program: Path) -> list[str]:
    listing = subprocess.run([program, "--gtest_list_tests"], capture_output=True, text=True)
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


def ran(command: list, program: Path, limit_s: int) -> subprocess.CompletedProcess:
    """Runs it where `program` lies, what it prints held together."""
    return subprocess.run(
        command, cwd=program.parent, env=environment(), stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, errors="replace", timeout=limit_s,
    )  # fmt: skip


def run_one(program: Path, name: str, scratch: Path) -> tuple[str, Path, str]:
    """Runs one test; what it printed counts only where it left no report."""
    report = scratch / (hashlib.sha1(name.encode()).hexdigest() + ".xml")
    command = [program, f"--gtest_filter={name}", f"--gtest_output=xml:{report}"]
    try:
        done = ran(command, program, TEST_LIMIT_S)
    except subprocess.TimeoutExpired:
        return name, report, f"took more than {TEST_LIMIT_S} s"
    return name, report, done.stdout[-4000:] if done.returncode else ""


def run_tests(program: Path, jobs: int, tally: Tally) -> None:
    names = tests_of(program)
    if not names:
        raise CannotRun(f"{program} holds no tests")
    with (
        tempfile.TemporaryDirectory() as scratch,
        concurrent.futures.ThreadPoolExecutor(jobs) as pool,
    ):
        waiting = [pool.submit(run_one, program, name, Path(scratch)) for name in names]
        for future in concurrent.futures.as_completed(waiting):
            name, report, trouble = future.result()
            name = f"{program.name}: {name}"
            failed_before = tally.failed
            if report.exists():
                tally.read_junit(report)
            if not report.exists() or (trouble and tally.failed == failed_before):
                tally.failed += 1
                tally.failures.append(name)
            if trouble:
                print(f"--- FAILED {name}\n{trouble}", flush=True)


def sanitize(tool: str, sanitizer: str, program: Path) -> tuple[int, list[str]]:
    """Findings of compute-sanitizer, and tests that failed under it."""
    tally = Tally()
    with tempfile.TemporaryDirectory() as scratch:
        report = Path(scratch) / "report.xml"
        command = [sanitizer, "--tool", tool, "--error-exitcode", "99", "--print-limit", "20"]
        command += [program, f"--gtest_filter={SANITIZED}", f"--gtest_output=xml:{report}"]
        try:
            done = ran(command, program, SANITIZER_LIMIT_S)
        except subprocess.TimeoutExpired:
            raise CannotRun(f"{tool} took more than {SANITIZER_LIMIT_S} s") from None
        summary = SANITIZERS[tool].search(done.stdout)
        findings = int(summary.group(1)) if summary else None
        if report.exists():
            tally.read_junit(report)
    if done.returncode or findings or tally.failed:
        print(f"--- {tool}\n{done.stdout[-8000:]}", flush=True)
    # A sanitizer that cannot use the device leaves tests that find no GPU: nothing was examined.
    if findings is None or tally.skipped or not tally.passed + tally.failed:
        why = "; ".join(tally.reasons) or done.stdout.strip()[-500:]
        raise CannotRun(f"{tool} did not examine the tests ({SANITIZED}): {why}")
    if done.returncode and not findings and not tally.failed:
        raise CannotRun(f"{tool} ended with {done.returncode}")
    return findings, [f"{tool}: {name}" for name in tally.failures]


def write_record(path: Path, record: dict) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_suffix(".new")
    new.write_text(json.dumps(record, indent=2) + "\n")
    new.replace(path)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build/release")
    parser.add_argument("--machine", default=os.environ.get("MACHINE") or socket.gethostname())
    parser.add_argument("--results", type=Path, default=ROOT / "results")
    parser.add_argument("--jobs", type=int, default=min(8, os.cpu_count() or 1))
    parser.add_argument("--preflight", action="store_true", help="only see whether all is there")
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
            raise CannotRun(f"{program} is not built: is nvcc there, and GoogleTest?")

    facts = machine_facts(build)
    print(f"gpu-test: kernels {kernels} on {facts['device']}, driver {facts['driver']}", flush=True)
    tally = Tally()
    for program in programs:
        run_tests(program, options.jobs, tally)
    for reason, count in sorted(tally.reasons.items()):
        print(f"skipped {count}: {reason}")
    print(
        f"tests: {tally.passed} passed, {tally.failed} failed, {tally.skipped} skipped", flush=True
    )
    if not tally.passed + tally.failed:
        raise CannotRun("every test was skipped: nothing was tested")
    findings: dict[str, int | None] = dict.fromkeys(SANITIZERS)
    incomplete = None
    try:
        for tool in SANITIZERS:
            findings[tool], failures = sanitize(tool, sanitizer, programs[0])
            tally.failed += len(failures)
            tally.failures += failures
            print(f"{tool}: {findings[tool]} findings", flush=True)
    except CannotRun as reason:
        incomplete = reason
    record = {
        "kernels": kernels,
        "kernels_files": tree_hash(ROOT / "kernels"),
        "passed": tally.passed,
        "failed": tally.failed,
        "skipped": tally.skipped,
        "memcheck_errors": findings["memcheck"],
        "racecheck_errors": findings["racecheck"],
        **{key: facts[key] for key in ("device", "driver", "cuda")},
        "utc": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "commit": facts["commit"],
        "failures": sorted(tally.failures),
        "skip_reasons": dict(sorted(tally.reasons.items())),
    }
    if incomplete:
        write_record(build / "gpu-tests.incomplete.json", record | {"incomplete": str(incomplete)})
        raise incomplete
    path = options.results / options.machine / "gpu-tests.json"
    write_record(path, record)
    for failure in record["failures"]:
        print(f"FAILED {failure}")
    print(f"recorded in {path}")
    print(f"{tally.passed} passed, {tally.failed} failed, {tally.skipped} skipped")
    return 1 if tally.failed or any(findings.values()) else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except CannotRun as reason:
        print(f"gpu-test: {reason}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
