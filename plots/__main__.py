"""python -m plots [RESULTS_DIR...] : draws the figures of every experiment below these folders."""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import platform
import sys
from collections.abc import Sequence
from fnmatch import fnmatch
from pathlib import Path

from . import compare, figures, style
from .drawing import FORMATS, save
from .load import Experiment, ResultsError, find_experiments, load_experiment
from .report import Entry, write_report

DESCRIPTION = """Draws the figures of every experiment found below the given folders (a folder with
runs.csv and spec.json, as `bfslab run` writes them): the modules that the spec's `figure` names,
each as image files beside a CSV of the numbers, and report.html with all of them. Reads CSV and
JSON only; results are never changed. Several folders (machines) are drawn together if a module
can. Without a folder, what was run on this machine is drawn: results/HOST and out/quick."""

PROGRAM = "python -m plots" if __package__ == "plots" else "bfslab-plots"  # installed
EXAMPLES = f"""examples:
  {PROGRAM}                          what was run here
  {PROGRAM} results                  every machine's rows, which takes minutes
  {PROGRAM} results/my-machine
  {PROGRAM} results/a results/b --out out/figures --only 'engines_*'
  {PROGRAM} results/a --only 'cs406-table3/*' --format pdf,svg
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
    out = options.out or roots[0] / "figures"
    groups: dict[str, list[Experiment]] = {}
    for experiment in experiments:
        groups.setdefault(experiment.name, []).append(experiment)
        for warning in experiment.warnings:
            print(f"plots: {warning}", file=sys.stderr)
    entries: list[Entry] = []
    unknown = False
    for name, group in groups.items():
        for module in dict.fromkeys(m for e in group for m in e.modules):
            if not (fnmatch(module, options.only) or fnmatch(f"{name}/{module}", options.only)):
                continue
            if module not in module_names():
                unknown = True
                print(
                    f"plots: {name} asks for the figure {module!r}; there are: "
                    f"{', '.join(module_names())}",
                    file=sys.stderr,
                )
                continue
            try:
                entries += draw(module, group, out / name, options.format)
            except ModuleNotFoundError as error:
                print(
                    f"plots: {name}: the figure {module} needs the Python package {error.name}, "
                    "which is not here",
                    file=sys.stderr,
                )
    report = write_report(entries, out) if out.exists() or entries else None
    for entry in entries:
        print(next(iter(entry.paths.values())))
    if report:
        print(report)
    else:
        print("plots: no figure matches", file=sys.stderr)
    return 2 if unknown or not entries else 0


def draw(
    module: str, group: list[Experiment], folder: Path, formats: tuple[str, ...]
) -> list[Entry]:
    """One figure of one experiment, of all machines together or of each separately."""
    code = importlib.import_module(f"{__package__}.figures.{module}")
    together = getattr(code, "COMBINES_MACHINES", False)
    parts = [group] if together else [[experiment] for experiment in group]
    entries = []
    for part in parts:
        for drawing in code.draw(part):
            if len(parts) > 1:
                drawing.name += f"@{part[0].machine}"
            drawing.statistic = drawing.statistic or code.STATISTIC
            paths = save(drawing, folder, formats, part)
            machine = ", ".join(dict.fromkeys(e.machine for e in part))
            entries.append(Entry(part[0], module, machine, drawing.caption, paths))
    return entries


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
        help="of png, svg, pdf (default: png,svg)",
    )
    return parser.parse_args(arguments)


def _folder(text: str) -> Path:
    path = Path(text)
    if not path.is_dir():
        raise argparse.ArgumentTypeError(f"{text} is not a folder")
    return path


def _formats(text: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(text.split(",")))
    for name in names:
        if name not in FORMATS:
            raise argparse.ArgumentTypeError(f"{name!r} is none of {', '.join(FORMATS)}")
    return names


if __name__ == "__main__":
    sys.exit(main())
