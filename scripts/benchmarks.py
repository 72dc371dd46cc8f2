# SPDX-License-Identifier: Apache-2.0
"""Runs the Google Benchmark programs that were built, and draws what they measured.

    BENCHMARK_ARGS=--benchmark_filter=Build scripts/benchmarks.py --build build/benchmarks

Each program's numbers go to OUT/NAME/benchmark.json, the figures to OUT/figures. An earlier file is
moved aside. Programs for the GPU run where there is one. Called by `make benchmarks`.
"""

import argparse
import os
import shlex
import subprocess
import sys
import time
from pathlib import Path

from quick import why_no_drawing, why_no_gpu

ROOT = Path(__file__).resolve().parent.parent
# Program -> the folder of its numbers, by which plots/benchmarks.py knows them.
ON_CPU = {"datasets_benchmark": "datasets-benchmark", "read_benchmark": "read-benchmark"}
ON_GPU = {
    "enqueue_contention_benchmark": "dfq-contention",
    "frontier_generation_benchmark": "xbfs-fig5",
}


def run(program: Path, experiment: str, out: Path, options: list[str]) -> int:
    folder = out / experiment
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "benchmark.json"
    if file.exists():
        kept = folder / time.strftime(
            "benchmark-%Y%m%dT%H%M%S.json", time.localtime(file.stat().st_mtime)
        )
        file.rename(kept)
        print(f"benchmarks: earlier numbers are now {kept}", file=sys.stderr)
    command = [program, *options, f"--benchmark_out={file}", "--benchmark_out_format=json"]
    if experiment in ON_CPU.values():  # the others say it themselves
        command.append(f"--benchmark_context=experiment={experiment}")
    print(f"== {program.name}", flush=True)
    code = subprocess.run(command).returncode
    if code == 0 and file.exists() and file.stat().st_size == 0:  # a filter that none matches
        file.unlink()
    return code


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=ROOT / "out/benchmarks")
    options = parser.parse_args()
    for_programs = shlex.split(os.environ.get("BENCHMARK_ARGS", ""))
    programs = dict(ON_CPU)
    reason = why_no_gpu()
    if not reason and not (options.build / "enqueue_contention_benchmark").exists():
        reason = "this build has no CUDA"
    if reason:
        print(f"benchmarks: left out, because {reason}: {', '.join(ON_GPU)}", file=sys.stderr)
    else:
        programs |= ON_GPU
    failed = [
        name
        for name, experiment in programs.items()
        if run(options.build / name, experiment, options.out.resolve(), for_programs)
    ]
    lacking = why_no_drawing()
    if lacking:
        print(f"benchmarks: no figures: Python lacks {lacking}", file=sys.stderr)
        return 1 if failed else 0
    drawn = subprocess.run(
        [sys.executable, "-m", "plots", options.out.resolve()], cwd=ROOT
    ).returncode
    for name in failed:
        print(f"benchmarks: {name} failed", file=sys.stderr)
    return 1 if failed else drawn


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
