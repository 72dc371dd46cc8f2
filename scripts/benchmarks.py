# SPDX-License-Identifier: Apache-2.0
"""Runs the Google Benchmark programs that were built, and draws what they measured.

    BENCHMARK_ARGS=--benchmark_filter=Build scripts/benchmarks.py --build build/benchmarks
    scripts/benchmarks.py --build build/benchmarks --out results/h200 frontier_generation_benchmark

Each program's numbers go to OUT/NAME/benchmark.json, the figures to OUT/figures. An earlier file is
moved aside. Programs for the GPU run where there is one; where one of these is asked for by name
and there is no GPU, that is an error. Called by `make benchmarks`.
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
    "search_start_benchmark": "search-start",
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
    parser.add_argument(
        "programs", nargs="*", metavar="PROGRAM", help="those to run (default: all)"
    )
    options = parser.parse_args()
    known = ON_CPU | ON_GPU
    if unknown := [name for name in options.programs if name not in known]:
        parser.error(f"{', '.join(unknown)}: there are {', '.join(known)}")
    for_programs = shlex.split(os.environ.get("BENCHMARK_ARGS", ""))
    programs = {name: known[name] for name in options.programs or known}
    for_gpu = [name for name in programs if name in ON_GPU]
    reason = why_no_gpu() if for_gpu else ""
    if not reason and not all((options.build / name).exists() for name in for_gpu):
        reason = "this build has no CUDA"
    if reason:
        print(f"benchmarks: left out, because {reason}: {', '.join(for_gpu)}", file=sys.stderr)
        programs = {name: programs[name] for name in programs if name in ON_CPU}
    lacking_gpu = bool(reason and options.programs)
    failed = [
        name
        for name, experiment in programs.items()
        if run(options.build / name, experiment, options.out.resolve(), for_programs)
    ]
    for name in failed:
        print(f"benchmarks: {name} failed", file=sys.stderr)
    code = 2 if lacking_gpu else 1 if failed else 0
    out = options.out.resolve()
    # Draws only the programs that were named, since the folder may hold a machine's rows.
    folders = [out / experiment for experiment in programs.values()] if options.programs else [out]
    folders = [folder for folder in folders if folder.exists()]
    if not folders:
        return code
    if lacking := why_no_drawing():
        print(f"benchmarks: no figures: Python lacks {lacking}", file=sys.stderr)
        return code
    drawing = [sys.executable, "-m", "plots", *folders, "--out", out / "figures"]
    return subprocess.run(drawing, cwd=ROOT).returncode or code


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
