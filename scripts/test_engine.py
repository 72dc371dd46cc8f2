# SPDX-License-Identifier: Apache-2.0
"""The tests of one engine alone: the exams that all engines take, its estimate of memory included.

    scripts/test_engine.py hybrid [--build build/release]

Builds the one program that tests it, and runs that in as many processes as there are processors.
Called by `make test-engine NAME=hybrid`.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def program_of(bfslab: Path, name: str) -> str:
    """The program that tests this engine; exits with bfslab's message if there is none."""
    answer = subprocess.run([bfslab, "list", "engines", name, "--json"], stdout=subprocess.PIPE)
    if answer.returncode:
        sys.exit(answer.returncode)
    (engine,) = json.loads(answer.stdout)
    if engine["counts"]:
        print(f"test-engine: {name} is a counter, which has tests of its own: `make test`")
        sys.exit(2)
    return "cuda_tests" if engine["can"]["gpu"] else "kernels_tests"


def run_shard(command: list, shard: int, shards: int) -> tuple[int, str]:
    environment = os.environ | {
        "GTEST_TOTAL_SHARDS": str(shards),
        "GTEST_SHARD_INDEX": str(shard),
        "OMP_WAIT_POLICY": "passive",  # waiting threads must not hold a processor that others need
    }
    done = subprocess.run(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        encoding="utf-8", errors="replace",
    )  # fmt: skip
    return done.returncode, done.stdout


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", help="as in `bfslab list engines`")
    parser.add_argument("--build", type=Path, default=ROOT / "build/release")
    parser.add_argument("--built", action="store_true", help="the test program is built already")
    options = parser.parse_args()
    program = program_of(options.build / "bfslab", options.name)
    if not options.built:
        built = subprocess.run([ROOT / "scripts/build.sh", "--tests", options.build.name, program])
        if built.returncode:
            return built.returncode
    test = options.name.replace("-", "_")
    command = [options.build / program, "--gtest_brief=1", f"--gtest_filter=*/{test}:*/{test}_*"]
    shards = int(os.environ.get("JOBS") or os.cpu_count() or 1)
    started = time.monotonic()
    with ThreadPoolExecutor(shards) as pool:
        done = list(pool.map(lambda shard: run_shard(command, shard, shards), range(shards)))
    counts = dict.fromkeys(("PASSED", "FAILED", "SKIPPED"), 0)
    for _, output in done:
        for state in counts:
            found = re.search(rf"\[ *{state} *\] (\d+) tests?", output)
            counts[state] += int(found[1]) if found else 0
        lines = [
            x for x in output.splitlines() if not x.startswith(("[  PASSED  ]", "Running main"))
        ]
        print("\n".join(line for line in lines if line.strip() and "==========" not in line))
    print(f"{options.name}: {time.monotonic() - started:.1f} s")
    passed, failed, skipped = counts.values()
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    crashed = [code for code, _ in done if code not in (0, 1)]
    return 1 if failed or crashed or not passed + skipped else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
