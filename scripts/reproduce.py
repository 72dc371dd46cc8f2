# SPDX-License-Identifier: Apache-2.0
"""All experiments of one paper that this machine can run, then the report on their rows.

Called by `make reproduce` after set-up and build. Says first what each experiment needs (minutes,
memory, disk), by `bfslab check`, and which ones cannot run here. Rows go to one folder; the same
command goes on where an earlier one ended. The exit code is 2 if `bfslab check` refuses a spec: the
others are run all the same.

  quick     the small specs with few sources, in at most ten minutes: what does not fit is named
  standard  every spec as it stands, with generated stand-ins in place of large data sets
  full      the papers' own data sets where they can be fetched, and the specs of full size
"""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from limited import duration, interrupt_on_termination, run_limited
from quick import ROOT, relative, why_no_gpu

SCALES = ("quick", "standard", "full")
QUICK_S = 10 * 60
REPORT_S = 60  # of these, kept for the report
QUICK_SOURCES = 4  # at most, where a spec has more
QUICK = {"repeats": 1, "invocations": 1}  # likewise
QUICK_GRAPH_BYTES = 640 * 2**20  # as a CSR: Kronecker graphs up to scale 22
QUICK_GRAPH_S = 10  # a graph that is counted without being built may be larger, if it takes no more
MICROBENCHMARKS = {  # programs of their own
    "xbfs": ("Figure 5", "frontier_generation_benchmark"),
    "dfq": ("contention for a queue", "enqueue_contention_benchmark"),
}
_BYTES = {"B": 0, "KiB": 1, "MiB": 2, "GiB": 3, "TiB": 4}


@dataclass(frozen=True)
class Graph:
    """The needs of one graph by `bfslab check`; None if it does not know."""

    csr: int | None  # bytes, also where nothing builds it
    disk: int | None  # of these in the cache
    seconds: float | None  # of all trials on it

    @property
    def small(self) -> bool:
        """One of unknown size is a file that is not here: those that are large are known."""
        quickly = self.disk == 0 and self.seconds is not None and self.seconds <= QUICK_GRAPH_S
        return (self.csr or 0) <= QUICK_GRAPH_BYTES or quickly


@dataclass(frozen=True)
class Need:
    """The needs of one spec by `bfslab check`; None if it does not say."""

    seconds: float | None
    memory: float | None
    gpu_memory: float | None
    graphs: dict[str, Graph]
    why_not_here: str = ""  # none of its engines can run here

    @property
    def disk(self) -> float:
        return sum(graph.disk or 0 for graph in self.graphs.values())


@dataclass(frozen=True)
class Job:
    spec: Path
    arguments: list[str]  # of `bfslab run`, beside the spec and the folder
    need: Need


@dataclass
class Plan:
    jobs: list[Job] = field(default_factory=list)
    left_out: dict[str, list[Path]] = field(default_factory=dict)  # by the reason
    refused: bool = False  # whether `bfslab check` has refused any

    def leave_out(self, job: Job, reason: str) -> None:
        self.left_out.setdefault(reason, []).append(job.spec)


def specs_of(paper: str, scale: str, experiments: Path) -> list[Path]:
    """The paper's specs in the order of their names; those of full size only where asked for."""
    found = sorted(experiments.joinpath(paper).glob("*.json"))
    found = [path for path in found if not path.name.startswith("claims")]
    left_out = {"quick": ("_standins", "_full"), "standard": ("_full",), "full": ()}[scale]
    return [path for path in found if not path.stem.endswith(left_out)] if left_out else found


def smaller(resolved: dict, need: Need) -> list[str] | None:
    """`--set` for a quick run: fewer sources, repeats and worker processes where the spec has more,
    and the small graphs only, by name; None if it has no small ones."""
    words = fewer_sources(resolved.get("sources"))
    for key, most in QUICK.items():
        has = resolved.get(key, 0)
        if isinstance(has, dict) or has > most:
            words += ["--set", f"{key}={most}"]
    graphs = resolved.get("graphs", [])
    listed = need.graphs
    small = [g for g in graphs if name_of(g) in listed and listed[name_of(g)].small]
    if len(small) < len(graphs):
        words += ["--set", f"graphs={json.dumps(small)}"]
    return words if small else None


def fewer_sources(sources: dict | list | None) -> list[str]:
    """`--set` for the first sources only: of a number, of a list of vertices, or of a list of ids.
    An experiment that only counts has none."""
    if isinstance(sources, list):
        key, has, few = "sources", len(sources), sources[:QUICK_SOURCES]
    elif sources and "ids" in sources:
        key, has, few = "sources.ids", len(sources["ids"]), sources["ids"][:QUICK_SOURCES]
    else:
        key, has, few = "sources.count", (sources or {}).get("count", 0), QUICK_SOURCES
    return ["--set", f"{key}={json.dumps(few)}"] if has > QUICK_SOURCES else []


def name_of(graph: str | dict) -> str:
    return graph if isinstance(graph, str) else graph["name"]


def need_of(checked: dict) -> Need:
    """From what `bfslab check --json` says of one spec."""
    graphs = {}
    for graph in checked["graphs"]:
        known = graph["graph_bytes"] is not None
        seconds = graph["seconds"]["most"] if known else None
        disk = graph["graph_bytes"] if known else None if graph["vertices"] is None else 0
        graphs[graph["name"]] = Graph(disk or _csr_bytes(graph), disk, seconds)
    why = [each["reason"] for key in ("cannot_run_here", "cannot_be_made") for each in checked[key]]
    seconds = (checked["seconds"] or {}).get("most")
    return Need(seconds, checked["memory_bytes"], checked["gpu_memory_bytes"] or None, graphs,
                "" if checked["runs_here"] else "; ".join(dict.fromkeys(why)))  # fmt: skip


def _csr_bytes(graph: dict) -> int | None:
    """Offsets of 8 bytes and neighbours of 4."""
    if graph["vertices"] is None:
        return None
    return 8 * graph["vertices"] + 4 * graph["edges"]


def check(bfslab: Path, spec: Path, arguments: list[str]) -> tuple[Need | None, list[str]]:
    """The needs of a spec, None if it is refused, and the messages about it."""
    done = called(bfslab, "check", "--json", spec, *arguments)
    said = json.loads(done.stdout) if done.stdout else {"specs": [], "errors": [done.stderr]}
    return need_of(said["specs"][0]) if said["specs"] else None, said["errors"]


def called(bfslab: Path, *words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [bfslab, *map(str, words)], capture_output=True, encoding="utf-8", check=False
    )


def planned(options: argparse.Namespace) -> Plan:
    """Lists the specs to run, the quick ones first, so that a limit cuts off the fewest."""
    plan, no_gpu = Plan(), why_no_gpu()
    large, absent = [], []
    for spec in specs_of(options.paper, options.scale, options.experiments):
        arguments = [] if options.scale == "full" else ["--allow-stand-ins"]
        need, errors = check(options.bfslab, spec, arguments)
        if need and options.scale == "quick":
            resolved = json.loads(called(options.bfslab, "check", "--resolved", spec).stdout)
            words = smaller(resolved, need)
            if words is None:
                large.append(relative(spec))
                continue
            arguments += words
            need, errors = check(options.bfslab, spec, arguments)
        if need is None:
            print("\n".join([f"reproduce: `bfslab check` refuses {relative(spec)}:", *errors]),
                  file=sys.stderr)  # fmt: skip
            plan.refused = True
            continue
        job = Job(spec, arguments, need)
        if job.need.why_not_here:
            plan.leave_out(job, job.need.why_not_here)
            continue
        if job.need.gpu_memory and no_gpu:
            plan.leave_out(job, no_gpu)
            continue
        if errors:
            absent.append(relative(spec))
        plan.jobs.append(job)
    if large:
        print(f"Left to SCALE=standard, since their graphs are large: {', '.join(large)}.")
    if absent:
        print(f"Some graphs of these cannot be had here, and the others are run: "
              f"{', '.join(absent)}.")  # fmt: skip
    plan.jobs.sort(key=lambda job: job.need.seconds or 0)
    return plan


def bytes_text(amount: float | None) -> str:
    if not amount:
        return "-"
    # Three digits: 1000 of a unit are shown as a part of the next.
    unit = next((u for u, p in _BYTES.items() if amount < 999.5 * 1024.0**p), "TiB")
    return f"{amount / 1024.0 ** _BYTES[unit]:.3g} {unit}"


def minutes_text(seconds: float | None) -> str:
    return "-" if seconds is None else "< 1" if seconds < 60 else f"{seconds / 60:.0f}"


def print_plan(jobs: list[Job], options: argparse.Namespace) -> None:
    graphs: dict[str, float] = {}  # a graph is built once, by the first spec that needs it whole
    for job in jobs:
        for name, graph in job.need.graphs.items():
            graphs[name] = max(graphs.get(name, 0), graph.disk or 0)
    rows = [("experiment", "minutes", "memory", "GPU memory", "disk")]
    rows += [
        (relative(job.spec), minutes_text(job.need.seconds), bytes_text(job.need.memory),
         bytes_text(job.need.gpu_memory), bytes_text(job.need.disk))
        for job in jobs
    ]  # fmt: skip
    total = sum(job.need.seconds or 0 for job in jobs)
    rows.append(("together", minutes_text(total),
                 bytes_text(max((job.need.memory or 0 for job in jobs), default=0)),
                 bytes_text(max((job.need.gpu_memory or 0 for job in jobs), default=0)),
                 bytes_text(sum(graphs.values()))))  # fmt: skip
    widths = [max(len(row[i]) for row in rows) for i in range(5)]
    for first, *others in rows:
        cells = [f"{cell:>{width}}" for cell, width in zip(others, widths[1:], strict=True)]
        print("  ".join([f"{first:{widths[0]}}", *cells]))
    print("\nMinutes are those of `bfslab check`. Disk is what built graphs take in the cache; "
          f"rows go to {relative(options.results)}.")  # fmt: skip
    if options.scale == "quick":
        print(f"This ends after {options.seconds / 60:.3g} minutes, finished or not.")
    if options.paper in MICROBENCHMARKS:
        what, program = MICROBENCHMARKS[options.paper]
        print(f"Not included: {what}, which `make benchmarks PROGRAMS={program}` measures.")
    sys.stdout.flush()


def fetch(jobs: list[Job], options: argparse.Namespace) -> None:
    """The papers' own data sets; where one cannot be had, its stand-in takes its place."""
    for job in jobs:
        resolved = json.loads(called(options.bfslab, "check", "--resolved", job.spec).stdout)
        names = [name_of(graph) for graph in resolved.get("graphs", [])]
        named = [name.partition(",")[0] for name in names if ":" not in name]
        if named:
            subprocess.run([options.bfslab, "graph", "fetch", *named], check=False)


def run(job: Job, options: argparse.Namespace, seconds: float | None) -> int | None:
    """The exit code of `bfslab run`; None if it was stopped because the time was over."""
    command = [options.bfslab, "run", job.spec, "--results", options.results, *job.arguments]
    print(f"\n{shlex.join(map(str, command))}", flush=True)
    return run_limited(command, seconds, stdout=subprocess.DEVNULL)


def report(results: Path) -> int:
    words = ["--format", "png", "--report", results / "report"]
    command = [sys.executable, "-m", "plots", results, *words]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def main() -> int:
    options = parse()
    started = time.monotonic()
    if not specs_of(options.paper, options.scale, options.experiments):
        print(f"reproduce: no spec in {options.experiments / options.paper}", file=sys.stderr)
        return 2
    plan = planned(options)
    print_plan(plan.jobs, options)
    for reason, specs in plan.left_out.items():
        print(f"Left out, because {reason}: {', '.join(map(relative, specs))}.", flush=True)
    unfinished, worst = [], 2 if plan.refused else 0
    if options.dry_run:
        return worst
    if options.scale == "full":
        fetch(plan.jobs, options)
    for job in plan.jobs:
        left = None
        if options.scale == "quick":
            left = options.seconds - min(REPORT_S, options.seconds / 5)
            left -= time.monotonic() - started
            if left <= 0:
                unfinished.append(job)
                continue
        code = run(job, options, left)
        if code is None:
            unfinished.append(job)
        elif code in (1, 2):  # said on the way; the others are worth their rows
            worst = max(worst, code)
        elif code != 0:
            return code
    drawn = report(options.results) if list(options.results.rglob("runs.csv*")) else 0
    if unfinished:
        names = ", ".join(relative(job.spec) for job in unfinished)
        print(f"\nThe time was over before the end of: {names}. The same command goes on with "
              f"them; SCALE=standard has no limit.")  # fmt: skip
    page = options.results / "report" / "report.html"
    where = f"open {relative(page)} in a browser" if page.exists() else "there are no rows"
    print(f"\n{(time.monotonic() - started) / 60:.1f} min; {where}")
    return worst or drawn


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("paper", metavar="PAPER")
    parser.add_argument("--scale", default="standard", metavar="|".join(SCALES))
    parser.add_argument("--bfslab", type=Path, default=ROOT / "build/release/bfslab")
    parser.add_argument("--experiments", type=Path, default=ROOT / "experiments")
    parser.add_argument("--results", type=Path, help="default: out/reproduce/PAPER-SCALE")
    parser.add_argument("--seconds", type=duration, default=QUICK_S, help="the limit of quick")
    parser.add_argument("--dry-run", action="store_true", help="say what is needed, run nothing")
    options = parser.parse_args()
    papers = sorted({path.parent.name for path in options.experiments.glob("*/*.json")})
    if options.paper not in papers:
        own = sorted(p.parent.name for p in options.experiments.glob("*/claims.json")) or papers
        others = [each for each in papers if each not in own]
        beside = f"; other folders of specs: {', '.join(others)}" if others else ""
        parser.error(f"PAPER={options.paper!r} is none of {', '.join(own)}{beside}")
    if options.scale not in SCALES:
        parser.error(f"SCALE={options.scale!r} is none of {', '.join(SCALES)}")
    if options.results is None:
        options.results = ROOT / "out/reproduce" / f"{options.paper}-{options.scale}"
    options.results = options.results.resolve()
    return options


if __name__ == "__main__":
    interrupt_on_termination()
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
