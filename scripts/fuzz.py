# SPDX-License-Identifier: Apache-2.0
"""Fuzzes every target, or those named, for FUZZ_SECONDS each (default 60), one after another.

Inputs that reach new code are kept in out/fuzz/corpus/TARGET, where the next call uses them.
The first finding stops everything: the input is saved, and the command that replays it is shown.
--bundle FOLDER gathers what another x86-64 Linux machine needs: copy the folder there, and run the
fuzz.py in it.
"""

import argparse
import concurrent.futures
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
BUNDLED = (HERE / "corpus").is_dir()
ROOT = HERE if BUNDLED else HERE.parent
DATA = ROOT if BUNDLED else ROOT / "tests/fuzz"
SEEDS = DATA / "corpus"
DICTIONARIES = DATA / "dictionaries"
PROGRAM = ROOT / ("bfslab-fuzz" if BUNDLED else "build/fuzz/bfslab-fuzz")
# The C library is the machine's own if it is new enough, and otherwise taken from this folder.
LOADER = HERE / "libc/ld-linux-x86-64.so.2"
SYSTEM = re.compile(r"(ld-linux|libc\.|libm\.|libdl\.|libpthread\.|librt\.|libresolv\.|linux-vdso)")
# Far beyond what an input of 4 KiB may legitimately cost, including AddressSanitizer's share.
LIMITS = ["-rss_limit_mb=2048", "-malloc_limit_mb=512", "-timeout=20", "-max_len=4096"]
STATE = re.compile(r"#(\d+)\s+\w+\s+cov: (\d+) .*?corp: (\d+)/.*?exec/s: (\d+)")


def start_of(program: Path) -> list[str]:
    if BUNDLED:
        # Without a target it lists them and ends with 2.
        tried = subprocess.run([program], capture_output=True)
        if tried.returncode != 2:
            return [str(LOADER), "--library-path", f"{LOADER.parent}:{HERE}", str(program)]
    return [str(program)]


def command(program: Path, target: str, kept: Path, found: Path, seconds: int) -> list[str]:
    words = [*start_of(program), target, *LIMITS, f"-max_total_time={seconds}"]
    words += [f"-artifact_prefix={found}/{target}-", "-print_final_stats=1"]
    dictionary = DICTIONARIES / f"{target}.dict"
    if dictionary.exists():
        words.append(f"-dict={dictionary}")
    return [*words, str(kept), str(SEEDS / target)]


def environment(scratch: str) -> dict[str, str]:
    values = dict(os.environ)
    values["TMPDIR"] = scratch
    values.setdefault("OMP_WAIT_POLICY", "passive")
    values.setdefault("UBSAN_OPTIONS", "print_stacktrace=1:halt_on_error=1")
    return values


class Running:
    """The processes of this call, so that the first finding ends the others."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.processes: list[subprocess.Popen] = []
        self.stopped = False

    def add(self, process: subprocess.Popen) -> None:
        with self.lock:
            self.processes.append(process)
            if self.stopped:
                process.send_signal(signal.SIGINT)

    def stop(self) -> None:
        with self.lock:
            self.stopped = True
            for process in self.processes:
                if process.poll() is None:
                    process.send_signal(signal.SIGINT)


def fuzz(program: Path, target: str, out: Path, seconds: int, live: bool, running: Running) -> bool:
    """False after a finding, and when another target's finding ended this one early."""
    if running.stopped:
        return False
    kept, found = out / "corpus" / target, out / "found"
    for folder in (kept, found):
        folder.mkdir(parents=True, exist_ok=True)
    before = set(found.iterdir())
    log = out / f"{target}.log"
    shown = 0.0
    started = time.monotonic()
    state = ("0", "0", "0", "0")
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with (
        tempfile.TemporaryDirectory(prefix="bfslab-fuzz-", dir=memory) as scratch,
        log.open("w", encoding="utf-8") as written,
    ):
        process = subprocess.Popen(
            command(program, target, kept, found, seconds),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=environment(scratch),
            encoding="utf-8",
            errors="replace",
        )
        running.add(process)
        for line in process.stdout:
            written.write(line)
            if match := STATE.match(line):
                state = match.groups()
            if live and time.monotonic() - shown >= 10:
                shown = time.monotonic()
                print(f"\r{describe(target, state, started)}", end="", flush=True)
        status = process.wait()
    if running.stopped:
        return False
    verdict = "FAILED" if status else "ok"
    print(f"{chr(13) if live else ''}{describe(target, state, started)}: {verdict}", flush=True)
    if status == 0:
        return True
    print(
        "".join(log.read_text(encoding="utf-8", errors="replace").splitlines(keepends=True)[-40:]),
        file=sys.stderr,
    )
    new = sorted(set(found.iterdir()) - before)
    for path in new:
        print(f"fuzz: the input is saved as {path}", file=sys.stderr)
        print(f"fuzz: again: {' '.join([*start_of(program), target, str(path)])}", file=sys.stderr)
    if not new:
        print(f"fuzz: {program.name} {target} ended with {status}; its log: {log}", file=sys.stderr)
    running.stop()
    return False


def bundle(program: Path, folder: Path) -> int:
    """The program without debug information, its libraries, the seeds and this script."""
    if folder.exists():
        print(f"fuzz: {folder} already exists; name a new folder", file=sys.stderr)
        return 2
    folder.mkdir(parents=True)
    subprocess.run(["strip", "-o", folder / "bfslab-fuzz", program], check=True)
    needed = subprocess.run(
        ["ldd", program], capture_output=True, encoding="utf-8", check=True
    ).stdout
    (folder / "libc").mkdir()
    for path in map(Path, re.findall(r"\s(/\S+)", needed)):
        shutil.copy(path, folder / ("libc" if SYSTEM.match(path.name) else ".") / path.name)
    shutil.copytree(SEEDS, folder / "corpus")
    shutil.copytree(DICTIONARIES, folder / "dictionaries")
    shutil.copy(__file__, folder / "fuzz.py")
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    print(f"{folder}: {size / 2**20:.1f} MiB; run python3 {folder.name}/fuzz.py on the machine")
    return 0


def describe(target: str, state: tuple[str, ...], started: float) -> str:
    runs, covered, corpus, rate = state
    return (
        f"{target:<14} {time.monotonic() - started:4.0f} s, {runs:>9} runs ({rate}/s), "
        f"{covered} edges covered, {corpus} inputs kept"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("targets", nargs="*", help="default: every folder of tests/fuzz/corpus")
    parser.add_argument("--program", type=Path, default=PROGRAM)
    parser.add_argument("--out", type=Path, default=ROOT / "out/fuzz")
    parser.add_argument(
        "--seconds", type=int, default=int(os.environ.get("FUZZ_SECONDS") or 60), help="a target"
    )
    parser.add_argument("--at-once", type=int, default=1, help="targets, one processor each")
    parser.add_argument(
        "--bundle", type=Path, metavar="FOLDER", help="only gather the files; see above"
    )
    options = parser.parse_args()
    known = sorted(path.name for path in SEEDS.iterdir())
    wanted = options.targets or known
    for target in wanted:
        if target not in known:
            print(f'fuzz: no target "{target}"; there are {", ".join(known)}', file=sys.stderr)
            return 2
    if options.seconds <= 0 or options.at_once <= 0:
        print("fuzz: --seconds and --at-once must be 1 or more", file=sys.stderr)
        return 2
    program, out = options.program.resolve(), options.out.resolve()
    if not program.exists():
        print(f"fuzz: no {program}; `make fuzz` builds it", file=sys.stderr)
        return 2
    if options.bundle:
        return bundle(program, options.bundle)
    running = Running()
    live = options.at_once == 1 and sys.stdout.isatty()
    with concurrent.futures.ThreadPoolExecutor(options.at_once) as pool:
        jobs = [
            pool.submit(fuzz, program, target, out, options.seconds, live, running)
            for target in wanted
        ]
        try:
            passed = [job.result() for job in jobs]
        except BaseException:
            running.stop()
            raise
    if not all(passed):
        return 1
    print(f"{len(wanted)} passed, 0 failed, 0 skipped")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
