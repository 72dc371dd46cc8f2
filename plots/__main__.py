# SPDX-License-Identifier: Apache-2.0
"""python -m plots [RESULTS_DIR...] : draws the figures of every experiment below these folders."""

from __future__ import annotations

import argparse
import collections
import difflib
import importlib
import itertools
import os
import pkgutil
import platform
import sys
import traceback
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, field
from fnmatch import fnmatch
from multiprocessing import get_context
from pathlib import Path
from types import ModuleType

from . import compare, figures, style
from .claims.claims import ClaimError, load_claims
from .drawing import Drawing, Output, save
from .load import Experiment, ResultsError, find_experiments, load_experiment
from .look import add_look, output_of
from .report import FIGURES, replacing, verdicts, write_report
from .report.entry import Entry, entry

DESCRIPTION = """Draws the figures of every experiment found below the given folders (a folder with
runs.csv and spec.json, as `bfslab run` writes them): the modules that the spec's `figure` names, or
--figure, each as image files (a table as HTML and Markdown), beside a CSV and a LaTeX table of the
numbers and the caption as text and as LaTeX. With --report, also report.html,
REPORT.md and claims.md, .json and .csv: what the rows say of the papers' claims, and all figures.
Reads CSV and JSON only; rows are never changed. Several folders (machines) are drawn together if a
module can. Without a folder, what was run on this machine is drawn: BFSLAB_RESULTS, else
results/HOST, and out/quick."""

PROGRAM = "python -m plots" if __package__ == "plots" else "bfslab-plots"  # installed
EXAMPLES = f"""examples:
  {PROGRAM}                          what was run here
  {PROGRAM} results                  every machine's rows, which takes minutes
  {PROGRAM} results/my-machine
  {PROGRAM} results/a results/b --out out/figures --only 'engines_*'
  {PROGRAM} results/a --only 'cs406-table3/*' --format pdf,svg
  {PROGRAM} results/a --format pgf --width 3.33 --style paper.mplstyle --no-title --no-footer
  {PROGRAM} results/a/my-experiment --figure speedup_bars
  {PROGRAM} results --format png --report out/report
  {PROGRAM} results --paper xbfs --report out/xbfs
  {PROGRAM} compare FILE.json        what `bfslab compare A B --json` printed
"""
REPORT = Path("out/report")


def module_names() -> list[str]:
    return sorted(m.name for m in pkgutil.iter_modules(figures.__path__))


def own_results() -> list[Path]:
    """Where `bfslab run` and `make quick` leave this machine's rows, as far as they are there."""
    return [f for f in (results_folder(), Path("out/quick")) if f.is_dir()]


def results_folder() -> Path:
    """Where `bfslab run` writes without --results."""
    return Path(os.environ.get("BFSLAB_RESULTS") or Path("results") / platform.node())


def main(arguments: Sequence[str] | None = None) -> int:
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words[:1] == ["compare"]:
        return compare.main(words[1:])
    options = parse(words)
    if wrong := [name for name in options.figure if name not in module_names()]:
        return _refuse(*(f"--figure: {no_figure(name)}" for name in wrong))
    roots = options.results or own_results()
    if not roots:
        return _refuse(
            f"neither {results_folder()} nor out/quick is here: nothing was run on "
            "this machine yet; name folders of rows, such as results for all that were recorded"
        )
    try:
        style.use(options.style, options.width)
        experiments = [
            load_experiment(folder, allow_builds="builds" in options.allow)
            for folder in find_experiments(roots)
        ]
        where = ", ".join(str(root) for root in roots)
        if not experiments:
            return _refuse(
                f"no runs.csv with a spec.json in or below {where}: nothing was run there yet"
            )
        experiments = of_paper(experiments, options.paper)
        if not experiments:
            return _refuse(f"no rows of {options.paper} in or below {where}")
        _say(*(warning for experiment in experiments for warning in experiment.warnings))
        return _make(options, roots, experiments)
    except (ResultsError, ClaimError, style.StyleError) as error:
        return _refuse(str(error))
    except OSError as error:
        if error.filename is None:  # not about a file
            raise
        return _refuse(
            f"cannot write {error.filename}: {error.strerror}; name another folder by --out"
        )


def _make(options: argparse.Namespace, roots: list[Path], experiments: list[Experiment]) -> int:
    """Draws, and writes the report if it is asked for. Returns the exit code."""
    shown = [e for e in experiments if options.paper in ("", e.spec.get("paper"))]
    parts, faults = wanted(shown, options.only, options.figure)
    report: Path | None = options.report
    with replacing(report) if report else nullcontext() as new:
        out = options.out or (new / FIGURES if report else roots[0] / "figures")
        judge = (lambda: verdicts(roots, experiments, options.paper)) if report else None
        made = draw_all(parts, out, output_of(options), judge)
        written = [next(iter(each.paths.values())) for each in made.entries if each.paths]
        if report:
            written += write_report(made.entries, shown, roots, made.judged, new, options.paper)
    for path in written:
        print(report / path.relative_to(new) if report and path.is_relative_to(new) else path)
    endings = _endings(made.entries)
    if endings and not report:
        _say(f"beside each of these: {endings}")
    _say(*faults, *made.faults, *made.left_out)
    if not made.entries and not report:
        _say(_why_none(shown, options))
    return 2 if faults or made.faults or not (made.entries or report) else 0


def _endings(entries: list[Entry]) -> str:
    """What stands beside the first file of each drawing."""
    return ", ".join(dict.fromkeys(f".{end}" for e in entries for end in list(e.paths)[1:]))


def _why_none(experiments: list[Experiment], options: argparse.Namespace) -> str:
    """Why nothing was drawn, and what would be."""
    if options.only != "*" or options.figure or any(e.spec.get("figure") for e in experiments):
        return "no figure matches"
    names = ", ".join(e.name for e in experiments)
    return f"the spec of {names} names no figure: --figure NAME draws one (docs/figures.md has all)"


def _say(*messages: str) -> None:
    for message in messages:
        print(f"plots: {message}", file=sys.stderr)


def _refuse(*messages: str) -> int:
    _say(*messages)
    return 2


def of_paper(experiments: list[Experiment], paper: str) -> list[Experiment]:
    """Those of a paper, and those whose rows its claims read; without a paper, all."""
    read = {name for claim in load_claims() if claim.paper == paper for name in claim.experiments}
    return [
        each for each in experiments if paper in ("", each.spec.get("paper")) or each.name in read
    ]


def no_figure(name: str) -> str:
    """Explains that no figure has this name, and names the nearest one."""
    near = difflib.get_close_matches(name, module_names(), 1, 0.5)
    known = f"the nearest is {near[0]!r}" if near else f"there are: {', '.join(module_names())}"
    return f"there is no figure {name!r}; {known}"


@dataclass(frozen=True)
class Part:
    """The subject of one call of a module: an experiment of one machine, or of all together."""

    module: str
    experiments: list[Experiment]
    suffix: str  # of the drawings' names, where machines are drawn one by one


@dataclass
class Made:
    entries: list[Entry] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)  # why figures could not be drawn
    left_out: list[str] = field(default_factory=list)  # why others were not: no fault of rows
    judged: list = field(default_factory=list)  # verdicts on claims


def wanted(
    experiments: list[Experiment], only: str, named: Sequence[str] = ()
) -> tuple[list[Part], list[str]]:
    """What is to be drawn, the modules `named` or else those of the specs; and messages about
    specs that name what does not exist."""
    groups: dict[str, list[Experiment]] = {}
    for experiment in experiments:
        groups.setdefault(experiment.name, []).append(experiment)
    parts, faults = [], []
    for name, group in groups.items():
        for module in dict.fromkeys(named or (m for e in group for m in e.modules)):
            if not (fnmatch(module, only) or fnmatch(f"{name}/{module}", only)):
                continue
            if module not in module_names():
                faults += [
                    f"{e.folder / 'spec.json'}: {no_figure(module)}"
                    for e in group
                    if module in e.modules
                ]
            elif len(group) == 1 or getattr(_code(module), "COMBINES_MACHINES", False):
                parts.append(Part(module, group, ""))
            else:
                pairs = zip(group, suffixes(group), strict=True)
                parts += [Part(module, [e], suffix) for e, suffix in pairs]
    return parts, faults


def suffixes(group: list[Experiment]) -> list[str]:
    """Tells apart the drawings of experiments of one name: by machine; where one machine has
    several, also by what their folders' names have beyond that name, and else by a number."""
    machines = collections.Counter(each.machine for each in group)
    found: list[str] = []
    for each in group:
        more = each.folder.name.removeprefix(each.name).strip("-")
        tells = more and machines[each.machine] > 1
        first = f"@{each.machine}-{more}" if tells else f"@{each.machine}"
        numbered = (f"{first}-{number}" for number in itertools.count(2))
        found.append(next(n for n in itertools.chain([first], numbered) if n not in found))
    return found


# The tasks of worker processes, by number. Workers inherit them, since sending rows takes long.
_TASKS: list[Callable[[], object]] = []


def _task(number: int) -> object:
    return _TASKS[number]()


def draw_all(
    parts: list[Part],
    out: Path,
    output: Output,
    judge: Callable[[], list] | None = None,
) -> Made:
    """Draws in the order of `parts`, and calls `judge` if there is to be a report, by several
    processes where that pays."""
    draws = [
        lambda part=part: draw(part, out, output, for_report=judge is not None) for part in parts
    ]
    tasks = [judge or list, *draws]
    jobs = min(int(os.environ.get("JOBS") or os.cpu_count() or 1), len(parts) // 2)
    if jobs < 2:
        judged, *drawn = [task() for task in tasks]
    else:
        _TASKS[:] = tasks
        with ProcessPoolExecutor(jobs, get_context("fork")) as pool:
            judged, *drawn = pool.map(_task, range(len(tasks)))
        _TASKS.clear()
    return Made(
        [entry for made in drawn for entry in made.entries],
        [fault for made in drawn for fault in made.faults],
        [reason for made in drawn for reason in made.left_out],
        judged,
    )


def draw(part: Part, out: Path, output: Output, for_report: bool) -> Made:
    """Draws each figure of a part once: its files, unless `output` has no format, and what the
    report shows of it."""
    made = Made()
    where = f"{part.experiments[0].folder}: the figure {part.module}"
    try:
        code = _code(part.module)
    except ModuleNotFoundError as error:
        made.left_out.append(f"{where} needs the Python package {error.name}, which is not here")
        return made
    try:
        drawings = code.draw(part.experiments)
        findings = [
            (drawing.table or drawing.figure) and _finding(code, drawing, part.experiments)
            for drawing in drawings
        ]
    except Exception as error:  # rows of another kind lack what the module reads
        at = traceback.extract_tb(error.__traceback__)[-1]
        made.faults.append(
            f"{where} cannot be drawn from these rows: {type(error).__name__}: {error} "
            f"({Path(at.filename).name}, line {at.lineno})"
        )
        return made
    for drawing, words in zip(drawings, findings, strict=True):
        drawing.finding = _checked(code, words)
        drawing.name += part.suffix
        drawing.statistic = drawing.statistic or getattr(code, "STATISTIC", "")
        shown = entry(drawing, part.module, part.experiments, for_report)
        if output.formats:
            folder = out / part.experiments[0].name
            shown.paths = save(drawing, folder, output, part.experiments)
        made.entries.append(shown)
    return made


def finding(code: ModuleType, drawing: Drawing, experiments: list[Experiment]) -> str:
    """Returns the module's finding on its drawing; empty if it has none."""
    return _checked(code, _finding(code, drawing, experiments))


def _finding(code: ModuleType, drawing: Drawing, experiments: list[Experiment]) -> str:
    return code.finding(drawing, experiments).strip() if hasattr(code, "finding") else ""


def _checked(code: ModuleType, finding: str) -> str:
    if finding and not (finding.endswith(".") and "\n" not in finding):
        raise ValueError(
            f"{code.__name__}: a finding is whole sentences in one line, not {finding!r}"
        )
    return finding


def _code(module: str) -> ModuleType:
    return importlib.import_module(f"{__package__}.figures.{module}")


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog=PROGRAM,
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("results", nargs="*", type=_folder, metavar="RESULTS_DIR")
    parser.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help="folder for the figures (default: figures/ of the report, else of the first "
        "RESULTS_DIR)",
    )
    parser.add_argument(
        "--only",
        default="*",
        metavar="GLOB",
        help="modules to draw, as MODULE or EXPERIMENT/MODULE",
    )
    papers = sorted({claim.paper for claim in load_claims()})
    parser.add_argument(
        "--paper",
        default="",
        choices=papers,
        metavar="NAME",
        help=f"figures, and with --report claims, of one paper alone: {', '.join(papers)}",
    )
    parser.add_argument(
        "--figure",
        type=lambda text: text.split(","),
        action="extend",
        default=[],
        metavar="NAME",
        help="draw this module, or several with commas, whatever the spec's `figure` says",
    )
    parser.add_argument(
        "--allow",
        action="append",
        choices=["builds"],
        default=[],
        help="builds: form ratios also between rows of different builds of the program",
    )
    add_look(parser, ("png", "svg"))
    parser.add_argument(
        "--report",
        nargs="?",
        type=Path,
        const=REPORT,
        metavar="DIR",
        help=f"write a report into this folder, which is replaced as a whole (default: {REPORT})",
    )
    return parser.parse_args(arguments)


def _folder(text: str) -> Path:
    path = Path(text)
    if not path.is_dir():
        raise argparse.ArgumentTypeError(f"{text} is not a folder")
    return path


if __name__ == "__main__":
    sys.exit(main())
