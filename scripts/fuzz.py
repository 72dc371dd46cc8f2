"""Fuzzes every target, or those named, for FUZZ_SECONDS each (default 60), one after another.

Inputs that reach new code are kept in out/fuzz/corpus/TARGET, where the next call takes them up.
The first finding stops all: the input is saved, and the command that replays it is shown. Runs on
another x86-64 Linux machine too: take build/fuzz/bfslab-fuzz, tests/fuzz and this script along.
"""

import argparse
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SEEDS = ROOT / "tests/fuzz/corpus"
DICTIONARIES = ROOT / "tests/fuzz/dictionaries"
# Far beyond what an input of 4 KiB may rightly cost, AddressSanitizer's share included.
LIMITS = ["-rss_limit_mb=2048", "-malloc_limit_mb=512", "-timeout=20", "-max_len=4096"]
STATE = re.compile(r"#(\d+)\s+\w+\s+cov: (\d+) .*?corp: (\d+)/.*?exec/s: (\d+)")


def command(program: Path, target: str, kept: Path, found: Path, seconds: int) -> list[str]:
    words = [str(program), target, *LIMITS, f"-max_total_time={seconds}"]
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


def fuzz(program: Path, target: str, out: Path, seconds: int) -> bool:
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
        log.open("w") as written,
    ):
        process = subprocess.Popen(
            command(program, target, kept, found, seconds),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=environment(scratch),
            text=True,
            errors="replace",
        )
        try:
            for line in process.stdout:
                written.write(line)
                if match := STATE.match(line):
                    state = match.groups()
                if time.monotonic() - shown >= 10 and sys.stdout.isatty():
                    shown = time.monotonic()
                    print(f"\r{describe(target, state, started)}", end="", flush=True)
            status = process.wait()
        except KeyboardInterrupt:
            process.send_signal(signal.SIGINT)
            process.wait()
            raise
    begin = "\r" if sys.stdout.isatty() else ""
    print(f"{begin}{describe(target, state, started)}: {'FAILED' if status else 'ok'}", flush=True)
    if status == 0:
        return True
    print("".join(log.read_text(errors="replace").splitlines(keepends=True)[-40:]), file=sys.stderr)
    new = sorted(set(found.iterdir()) - before)
    for path in new:
        print(f"fuzz: the input is saved: {path}", file=sys.stderr)
        print(f"fuzz: again: {program} {target} {path}", file=sys.stderr)
    if not new:
        print(f"fuzz: {program.name} {target} ended with {status}; its log: {log}", file=sys.stderr)
    return False


def describe(target: str, state: tuple[str, ...], started: float) -> str:
    runs, covered, corpus, rate = state
    return (
        f"{target:<14} {time.monotonic() - started:4.0f} s, {runs:>9} runs ({rate}/s), "
        f"{covered} edges covered, {corpus} inputs kept"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("targets", nargs="*", help="default: every folder of tests/fuzz/corpus")
    parser.add_argument("--program", type=Path, default=ROOT / "build/fuzz/bfslab-fuzz")
    parser.add_argument("--out", type=Path, default=ROOT / "out/fuzz")
    parser.add_argument(
        "--seconds", type=int, default=int(os.environ.get("FUZZ_SECONDS") or 60), help="a target"
    )
    options = parser.parse_args()
    known = sorted(path.name for path in SEEDS.iterdir())
    wanted = options.targets or known
    for target in wanted:
        if target not in known:
            print(f'fuzz: no target "{target}"; there are {", ".join(known)}', file=sys.stderr)
            return 2
    if options.seconds <= 0:
        print("fuzz: the seconds a target must be 1 or more", file=sys.stderr)
        return 2
    for target in wanted:
        if not fuzz(options.program.resolve(), target, options.out.resolve(), options.seconds):
            return 1
    print(f"{len(wanted)} passed, 0 failed, 0 skipped")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
