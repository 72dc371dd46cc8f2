# SPDX-License-Identifier: Apache-2.0
"""The main job on built-in graphs: run experiments/quick, draw, and say where everything is.

Called by `make quick` after set-up and build. Results of the same program and the same specs are
resumed; after a change `bfslab run --fresh` moves the old ones aside first. Specs whose file name
begins with gpu_ are left out, with a message, if there is no GPU.
"""

import argparse
import collections
import csv
import ctypes
import hashlib
import json
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FORMS = ("png", "svg", "pdf")


def why_no_gpu() -> str:
    """Why no GPU can be used, according to its driver; empty if one can. CUDA_VISIBLE_DEVICES
    counts."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return "there is no NVIDIA driver (libcuda.so.1)"
    count = ctypes.c_int(0)
    if driver.cuInit(0) != 0 or driver.cuDeviceGetCount(ctypes.byref(count)) != 0:
        return "the NVIDIA driver finds no GPU that it can use"
    return "" if count.value > 0 else "no GPU was found"


def fingerprint(files: list[Path]) -> str:
    """One hash over the contents of all files, in order."""
    total = hashlib.sha256()
    for file in files:
        total.update(hashlib.sha256(file.read_bytes()).digest())
    return total.hexdigest()


def names(specs: list[Path]) -> list[str]:
    """The experiments' names, which are those of their folders of results."""
    return [json.loads(spec.read_text(encoding="utf-8"))["name"] for spec in specs]


# The columns that make rows attempts of one and the same trial.
TRIAL = (
    "case,graph,graph_hash,engine,toggles,answer,source,repeat,ranks,gpus_per_rank,instrumented"
).split(",")


def trial_counts(folder: Path) -> str:
    """`128 ok (3 polluted), 2 timeout, 16 instrumented`: the trials in runs.csv, as the table of
    `bfslab run` counts them. Of several attempts at one trial the one counts that docs/rows.md
    names."""
    trials: dict[tuple, tuple[str, bool]] = {}
    try:
        with (folder / "runs.csv").open(encoding="utf-8", newline="") as rows:
            for row in csv.DictReader(rows):
                key = tuple(row.get(name) for name in TRIAL)
                status, polluted = row.get("status") or "torn", row.get("polluted") == "1"
                if status == "ok" and trials.get(key) == ("ok", False):
                    polluted = False  # an earlier attempt is clean
                trials[key] = (status, polluted)
    except OSError:
        return "no rows"
    instrumented = sum(key[-1] == "1" for key in trials)
    timed = [trial for key, trial in trials.items() if key[-1] != "1"]
    polluted = collections.Counter(status for status, is_polluted in timed if is_polluted)
    counts = [
        f"{count} {status}" + (f" ({polluted[status]} polluted)" if polluted[status] else "")
        for status, count in collections.Counter(status for status, _ in timed).most_common()
    ]
    return ", ".join(counts + [f"{instrumented} instrumented"] * (instrumented > 0))


def why_no_drawing() -> str:
    """Names the missing packages that drawing needs; empty if none is missing."""
    asked = [sys.executable, ROOT / "scripts/have_packages.py", ROOT / "requirements/drawing.txt"]
    answer = subprocess.run(asked, stdout=subprocess.PIPE, encoding="utf-8")
    return answer.stdout.strip() if answer.returncode else ""


def relative(path: Path) -> str:
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)


def print_table(results: Path, experiments: list[str], drawn: list[Path]) -> None:
    """Prints a table of the files: each experiment's rows and figures, and the report on all."""
    rows = []
    for name in experiments:
        folder = results / name
        rows.append((name, "rows", f"{relative(folder)}/runs.csv", trial_counts(folder)))
        for path in drawn:
            if path.parent.name == name:
                forms = [form for form in FORMS if path.with_suffix(f".{form}").exists()]
                rows.append((name, "figure", relative(path), ", ".join(forms)))
    for path in drawn:
        if path.suffix == ".html":
            rows.append(("all", "report", relative(path), "open it in a browser"))
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    previous = None
    print()
    for name, kind, where, note in rows:
        shown = "" if name == previous else name
        previous = name
        print(f"{shown:{widths[0]}}  {kind:{widths[1]}}  {where:{widths[2]}}  {note}")


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bfslab", type=Path, default=ROOT / "build/release/bfslab")
    parser.add_argument("--specs", type=Path, default=ROOT / "experiments/quick")
    parser.add_argument("--results", type=Path, default=ROOT / "out/quick")
    options = parser.parse_args()
    options.results = options.results.resolve()
    return options


def run_specs(options: argparse.Namespace, specs: list[Path]) -> int:
    """Runs all specs, and moves rows of another program or of other specs aside. Returns the exit
    code of `bfslab run`."""
    # Names the program that made the existing results. Written before the run, so that an
    # interrupted one is resumed.
    options.results.mkdir(parents=True, exist_ok=True)
    made_by = options.results / ".made-by"
    current = fingerprint([options.bfslab, *specs])
    any_results = any(any((options.results / name).glob("runs.csv*")) for name in names(specs))
    changed = not made_by.exists() or made_by.read_text(encoding="utf-8").strip() != current
    command = [options.bfslab, "run", *specs, "--results", options.results]
    if any_results and changed:
        print(
            "quick: the program or a spec has changed; earlier results are moved aside",
            file=sys.stderr,
        )
        command.append("--fresh")
    made_by.write_text(current + "\n", encoding="utf-8")
    status = subprocess.run(command, stdout=subprocess.DEVNULL).returncode
    return 128 - status if status < 0 else status


def draw_figures(results: Path) -> tuple[int, list[Path]]:
    """Draws all figures and the report. Returns the exit code, and the files that were written."""
    figures, page = results / "figures", results / "report"
    plots = subprocess.run(
        [sys.executable, "-m", "plots", results, "--out", figures, "--report", page],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    )
    return plots.returncode, [Path(line) for line in plots.stdout.splitlines()]


def main() -> int:
    options = read_options()
    specs = sorted(options.specs.glob("*.json"))
    if not specs:
        print(f"quick: no spec in {options.specs}", file=sys.stderr)
        return 2
    for_gpus = [spec for spec in specs if spec.name.startswith("gpu_")]
    reason = why_no_gpu() if for_gpus else ""
    if reason:
        specs = [spec for spec in specs if spec not in for_gpus]
        print(f"quick: skipped, because {reason}: {', '.join(names(for_gpus))}", file=sys.stderr)
    started = time.monotonic()
    status = run_specs(options, specs)
    run_s = time.monotonic() - started
    if status not in (0, 1):  # 1: wrong answers, which the figures show as such
        return status

    lacking = why_no_drawing()
    if lacking:
        print_table(options.results, names(specs), [])
        print(
            f"\nexperiments {run_s:.1f} s; no figures: Python lacks {lacking}. To draw elsewhere, "
            f"copy {relative(options.results)} there and call "
            f"`make figures RESULTS={relative(options.results)}`"
        )
        return status
    started = time.monotonic()
    plots_status, drawn = draw_figures(options.results)
    plot_s = time.monotonic() - started
    print_table(options.results, names(specs), drawn)
    if reason:
        print(f"\nskipped, because {reason}: {', '.join(names(for_gpus))}")
    print(f"\nexperiments {run_s:.1f} s, figures {plot_s:.1f} s")
    return status or plots_status


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
