# SPDX-License-Identifier: Apache-2.0
"""python -m plots [RESULTS_DIR...] : draws the figures of every experiment below these folders."""

from __future__ import annotations

import argparse
import importlib
import os
import pkgutil
import platform
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from fnmatch import fnmatch
from multiprocessing import get_context
from pathlib import Path
from types import ModuleType

from . import compare, figures, style
from .drawing import FORMATS, Drawing, save
from .load import Experiment, ResultsError, find_experiments, load_experiment
from .report import write_report
from .report.entry import Entry, entry

DESCRIPTION = """Draws the figures of every experiment found below the given folders (a folder with
runs.csv and spec.json, as `bfslab run` writes them): the modules that the spec's `figure` names,
each as image files beside a CSV of the numbers. With --report, also report.html and REPORT.md: what
the rows say of the papers' claims, and all figures. Reads CSV and JSON only; rows are never
changed. Several folders (machines) are drawn together if a module can. Without a folder, what was
run on this machine is drawn: results/HOST and out/quick."""

PROGRAM = "python -m plots" if __package__ == "plots" else "bfslab-plots"  # installed
EXAMPLES = f"""examples:
  {PROGRAM}                          what was run here
  {PROGRAM} results                  every machine's rows, which takes minutes
  {PROGRAM} results/my-machine
  {PROGRAM} results/a results/b --out out/figures --only 'engines_*'
  {PROGRAM} results/a --only 'cs406-table3/*' --format pdf,svg
  {PROGRAM} results --format none --report
  {PROGRAM} compare FILE.json        what `bfslab compare A B --json` printed
"""


def module_names() -> list[str]:
    return sorted(m.name for m in pkgutil.iter_modules(figures.__path__))


def own_results() -> list[Path]:
    """Where `bfslab run` and `make quick` leave this machine's rows, as far as they are there."""
    return [f for f in (Path("results") / platform.node(), Path("out/quick")) if f.is_dir()]


def main(arguments: Sequence[str] | None = None) -> int:
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words[:1] == ["compare"]:
        return compare.main(words[1:])
    options = parse(words)
    roots = options.results or own_results()
    if not roots:
        print(
            f"plots: neither results/{platform.node()} nor out/quick is here: nothing was run on "
            "this machine yet; name folders of rows, such as results for all that were recorded",
            file=sys.stderr,
        )
        return 2
    style.use()
    try:
        experiments = [load_experiment(folder) for folder in find_experiments(roots)]
    except ResultsError as error:
        print(f"plots: {error}", file=sys.stderr)
        return 2
    if not experiments:
        where = ", ".join(str(root) for root in roots)
        print(
            f"plots: no runs.csv with a spec.json in or below {where}: nothing was run there yet",
            file=sys.stderr,
        )
        return 2
    for warning in (warning for experiment in experiments for warning in experiment.warnings):
        print(f"plots: {warning}", file=sys.stderr)
    parts, unknown = wanted(experiments, options.only)
    for name, module in unknown:
        print(
            f"plots: {name} asks for the figure {module!r}; there are: {', '.join(module_names())}",
            file=sys.stderr,
        )
    out = options.out or roots[0] / "figures"
    entries = draw_all(parts, out, options.format, options.report is not None)
    for drawn in entries if options.format else []:
        print(next(iter(drawn.paths.values())))
    if options.report:
        folder = roots[0] if options.report is True else options.report
        for path in write_report(entries, experiments, roots, folder):
            print(path)
    elif not entries:
        print("plots: no figure matches", file=sys.stderr)
    return 2 if unknown or not (entries or options.report) else 0


@dataclass(frozen=True)
class Part:
    """What one call of a module draws: an experiment of one machine, or of all together."""

    module: str
    experiments: list[Experiment]
    suffix: str  # of the drawings' names, where machines are drawn one by one


def wanted(experiments: list[Experiment], only: str) -> tuple[list[Part], list[tuple[str, str]]]:
    """What is to be drawn, and as (experiment, module) what does not exist."""
    groups: dict[str, list[Experiment]] = {}
    for experiment in experiments:
        groups.setdefault(experiment.name, []).append(experiment)
    parts, unknown = [], []
    for name, group in groups.items():
        for module in dict.fromkeys(m for e in group for m in e.modules):
            if not (fnmatch(module, only) or fnmatch(f"{name}/{module}", only)):
                continue
            if module not in module_names():
                unknown.append((name, module))
            elif len(group) == 1 or getattr(_code(module), "COMBINES_MACHINES", False):
                parts.append(Part(module, group, ""))
            else:
                parts += [Part(module, [e], f"@{e.machine}") for e in group]
    return parts, unknown


def draw_all(
    parts: list[Part], out: Path, formats: tuple[str, ...], for_report: bool
) -> list[Entry]:
    """In the order of `parts`, by several processes where that pays."""
    jobs = min(int(os.environ.get("JOBS") or os.cpu_count() or 1), len(parts) // 2)
    calls = parts, [out] * len(parts), [formats] * len(parts), [for_report] * len(parts)
    if jobs < 2:
        return [made for each in map(draw, *calls) for made in each]
    with ProcessPoolExecutor(jobs, get_context("fork")) as pool:
        return [made for each in pool.map(draw, *calls) for made in each]


def draw(part: Part, out: Path, formats: tuple[str, ...], for_report: bool) -> list[Entry]:
    """The files of a part, and what the report shows of it."""
    entries = []
    try:
        code = _code(part.module)
    except ModuleNotFoundError as error:
        print(
            f"plots: {part.experiments[0].name}: the figure {part.module} needs the Python package "
            f"{error.name}, which is not here",
            file=sys.stderr,
        )
        return []
    for drawing in code.draw(part.experiments):
        drawing.finding = finding(code, drawing, part.experiments)
        drawing.name += part.suffix
        drawing.statistic = drawing.statistic or code.STATISTIC
        made = entry(drawing, part.module, part.experiments, for_report)
        folder = out / part.experiments[0].name
        paths = save(drawing, folder, formats, part.experiments) if formats else {}
        made.paths = paths or recorded(drawing.name, part.experiments)
        entries.append(made)
    return entries


def finding(code: ModuleType, drawing: Drawing, experiments: list[Experiment]) -> str:
    """What the module says that its drawing shows; empty where it says nothing."""
    said = code.finding(drawing, experiments).strip() if hasattr(code, "finding") else ""
    if said and not (said.endswith(".") and "\n" not in said):
        raise ValueError(f"{code.__name__}: a finding is whole sentences in one line, not {said!r}")
    return said


def recorded(name: str, experiments: list[Experiment]) -> dict[str, Path]:
    """The files that an earlier call wrote beside the rows of one machine, by ending."""
    folder = experiments[0].folder.parent / "figures" / experiments[0].name
    files = [folder / f"{name.partition('@')[0]}.{ending}" for ending in FORMATS]
    return {file.suffix[1:]: file for file in files if len(experiments) == 1 and file.exists()}


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
        help="folder for the figures (default: figures/ in the first RESULTS_DIR)",
    )
    parser.add_argument(
        "--only",
        default="*",
        metavar="GLOB",
        help="modules to draw, as MODULE or EXPERIMENT/MODULE",
    )
    parser.add_argument(
        "--format",
        type=_formats,
        default=("png", "svg"),
        metavar="LIST",
        help="of png, svg, pdf, or none (default: png,svg)",
    )
    parser.add_argument(
        "--report",
        nargs="?",
        type=Path,
        const=True,
        metavar="DIR",
        help="write report.html and REPORT.md there (default: in the first RESULTS_DIR)",
    )
    return parser.parse_args(arguments)


def _folder(text: str) -> Path:
    path = Path(text)
    if not path.is_dir():
        raise argparse.ArgumentTypeError(f"{text} is not a folder")
    return path


def _formats(text: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(text.split(","))) if text != "none" else ()
    for name in names:
        if name not in FORMATS:
            raise argparse.ArgumentTypeError(f"{name!r} is none of {', '.join(FORMATS)}")
    return names


if __name__ == "__main__":
    sys.exit(main())
