# SPDX-License-Identifier: Apache-2.0
"""Measures on a machine that is there for minutes only: several specs, a limit for all of them, and
an archive that has all finished rows at any time.

  python3 scripts/measure.py --limit-s 570 --archive rows.tar.xz --results results/h200 \\
    --common '--data graphs' experiments/beyond/fused_levels.json \\
    'experiments/beyond/gap.json --set sweep.threads=[16]' \\
    'profile --tool ncu experiments/beyond/fused_counters.json'

Each STEP is what follows `bfslab run`, as a shell would split it, or another command of bfslab that
has --results. @FILE stands for the steps in a file, one a line, without blank lines and those that
begin with #: experiments/steps has what machines of several GPUs record. The steps run in turn; the
one that the limit ends is interrupted, its rows are
whole, and those after it are named. The archive is written anew after each step, beside the old
one, which it then replaces: if the machine goes away, what was measured until then is kept. If
it exists at the start, the folders in it that RESULTS lacks are unpacked first, so that the same
call goes on where an earlier one ended, on another machine of the same kind, too.

Exit codes: 0 all steps are done; else the first failure that a step ended with (docs/spec.md), 2
also for arguments that make no sense; 124 no step failed, but the time was over before the last
one's end; 130 interrupted.
"""

import argparse
import lzma
import shlex
import socket
import sys
import tarfile
import time
from pathlib import Path

from limited import duration, interrupt_on_termination, run_limited
from quick import ROOT

LEAST_S = 5.0  # a step is not begun with less than this
PACKING_S = 3.0  # of the limit, kept for the last archive
TIME_OVER = 124  # as timeout(1) ends


def command_of(step: str, options: argparse.Namespace) -> list[str]:
    words = shlex.split(step)
    if not words:
        raise ValueError("an empty STEP: give a spec, or a command of bfslab with one")
    graph500 = words[0] == "graph500"
    if not graph500 and not any(word.endswith(".json") for word in words):
        raise ValueError(f"STEP {step!r} names no spec: expected a file that ends in .json")
    command = ["run", *words] if words[0].endswith(".json") else words
    common = [] if graph500 else shlex.split(options.common)
    return [str(options.bfslab), *command, *common,
            "--results", str(options.results)]  # fmt: skip


def steps_of(words: list[str]) -> list[str]:
    """Files of steps, each in its place, read."""
    steps: list[str] = []
    for word in words:
        if not word.startswith("@"):
            steps.append(word)
            continue
        lines = [line.strip() for line in Path(word[1:]).read_text(encoding="utf-8").splitlines()]
        of_file = [line for line in lines if line and not line.startswith("#")]
        if not of_file:
            raise ValueError(f"{word[1:]} has no steps: expected one a line")
        steps += of_file
    return steps


def unpack(archive: Path, results: Path) -> None:
    """Extracts the archive's folders that are not there yet; overwrites none."""
    there = {path.name for path in results.iterdir()} if results.is_dir() else set()
    try:
        with tarfile.open(archive) as packed:
            wanted = [each for each in packed if each.name.partition("/")[0] not in there]
            results.mkdir(parents=True, exist_ok=True)
            packed.extractall(results, wanted, filter="data")
    except (tarfile.TarError, lzma.LZMAError, EOFError) as reason:
        raise ValueError(
            f"{archive} cannot be unpacked ({reason}): move it away, or name another with --archive"
        ) from reason


def without_locks(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    return None if member.name.endswith("/.lock") else member


def pack(results: Path, archive: Path) -> None:
    if not results.is_dir():
        return
    archive.parent.mkdir(parents=True, exist_ok=True)
    new = archive.with_name(archive.name + ".new")
    with tarfile.open(new, "w:xz", preset=1) as packed:
        for path in sorted(results.iterdir()):
            packed.add(path, path.name, filter=without_locks)
    new.replace(archive)


def measure(options: argparse.Namespace) -> int:
    steps = steps_of(options.steps)
    commands = [command_of(step, options) for step in steps]
    if options.archive and options.archive.exists():
        unpack(options.archive, options.results)
    ends = time.monotonic() + options.limit_s - PACKING_S if options.limit_s else None
    worst, over = 0, []
    for step, command in zip(steps, commands, strict=True):
        since = time.monotonic()
        left = ends - since if ends else None
        if left is not None and left < LEAST_S:
            over.append(step)
            continue
        print(shlex.join(command), flush=True)
        try:
            code = run_limited(command, left)
        finally:
            if options.archive:
                pack(options.results, options.archive)
        ended = "its time was over" if code is None else f"ended with {code}"
        print(f"measure: {step}: {ended}, {time.monotonic() - since:.0f} s", flush=True)
        if code is None:
            over.append(step)
        else:
            worst = worst or code
    if over:
        print("measure: not done, the same call goes on with them:")
        print("\n".join(f"  {step}" for step in over))
    return worst or (TIME_OVER if over else 0)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("steps", nargs="+", metavar="STEP", help="or @FILE")
    parser.add_argument("--results", type=Path, default=ROOT / "results" / socket.gethostname())
    parser.add_argument("--archive", type=Path, help="a .tar.xz of RESULTS")
    parser.add_argument("--limit-s", type=duration, default=0, help="for all steps; 0: none")
    parser.add_argument(
        "--common", default="", help="options of bfslab for every step but graph500, which has few"
    )
    parser.add_argument("--bfslab", type=Path, default=ROOT / "build/release/bfslab")
    return parser.parse_args()


if __name__ == "__main__":
    interrupt_on_termination()
    try:
        sys.exit(measure(parse()))
    except (OSError, ValueError) as reason:
        print(f"measure: {reason}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
