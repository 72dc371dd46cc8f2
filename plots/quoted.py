# SPDX-License-Identifier: Apache-2.0
"""python -m plots.quoted FILE.md... : numbers of a text, filled in from recorded rows.

A number that rows can tell stands in a text between two comments, which a reader of the page does
not see: what it is, and its end.

    <!--= min(h200/xbfs-fig15-gpu/edge_checks[edge_check=level].saved_pct) .0f -->2<!--/-->

MACHINE/EXPERIMENT/FIGURE names the numbers that a figure is drawn from, as its CSV has them: [...]
picks rows by values of columns, .COLUMN what of them, and the last word is a format of Python. One
row must be left, or min(...), max(...), median(...), sum(...) or count(...) make one number of
several; mean(...) is the geometric mean of the rows' ratios over their graphs, with .low and .high
for its interval. Of rows of several origins ours are meant, unless [origin=...] picks others. In
place of a figure, `runs` are the trials themselves that succeeded, `graphs` what graphs.csv says,
and `levels` the levels of instrumented trials that succeeded, each with its trial's columns, its
`share` of the search's time, and as which of its direction it came (`nth`, from 0). `A / B` is the
ratio of two such numbers, or one of them in another unit (`/ 1e6`).
"""

from __future__ import annotations

import argparse
import importlib
import re
import sys
from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path

import pandas as pd

from . import ratios, stats
from .load import Experiment, ResultsError, load_experiment

RESULTS = Path(__file__).resolve().parent.parent / "results"
_MARK = re.compile(r"<!--= (.+?) -->(.*?)<!--/-->", re.DOTALL)
_PLAIN = re.compile(r"\d+(?:\.\d+)?(?:e\d+)?")
_TERM = re.compile(
    r"(?:(?P<how>min|max|median|sum|count|mean)\()?"
    r"(?P<machine>[^/\s()]+)/(?P<experiment>[^/\s]+)/(?P<figure>\w+)"
    r"(?:\[(?P<filters>[^\]]*)\])?"
    r"(?:\.(?P<column>\w+))?\)?(?:\.(?P<end>low|high))?"
)


class QuoteError(Exception):
    """A mark that no number follows from; the message says which and why."""


@cache
def numbers(results: Path, machine: str, experiment: str, figure: str) -> pd.DataFrame:
    """What the figure of that name shows; `runs`: the successful trials; `graphs`: the graphs;
    `levels`: those of instrumented trials."""
    folder = results / machine / experiment
    if not (folder / "spec.json").exists() and not (folder / "benchmark.json").exists():
        raise QuoteError(f"no results in {folder}")
    loaded = _experiment(folder)
    if figure == "runs":
        return loaded.timed[loaded.timed["status"] == "ok"]
    if figure == "graphs":
        return loaded.graphs
    if figure == "levels":
        return _levels(loaded)
    for module in loaded.modules:
        drawn = _drawn(folder, module)
        if figure in drawn:
            return drawn[figure]
    raise QuoteError(f"{machine}/{experiment} has no figure {figure}")


@lru_cache(maxsize=8)  # a page quotes the figures of one after the other
def _experiment(folder: Path) -> Experiment:
    return load_experiment(folder)


@cache
def _drawn(folder: Path, module: str) -> dict[str, pd.DataFrame]:
    """The numbers of what a module draws, by its name; no figure is made of them."""
    code = importlib.import_module(f"plots.figures.{module}")
    return {drawing.name: drawing.numbers for drawing in code.draw([_experiment(folder)])}


def _levels(experiment: Experiment) -> pd.DataFrame:
    trials = experiment.instrumented
    trials = trials.loc[trials["status"] == "ok", ["trial", "graph", "case", "engine", "source"]]
    rows = experiment.levels.merge(trials, on="trial").sort_values(["trial", "level"])
    share = rows["time_ms"] / rows.groupby("trial")["time_ms"].transform("sum")
    of_direction = rows.groupby(["trial", "rank", "gpu", "part", "direction"], dropna=False)
    return rows.assign(share=share, nth=of_direction.cumcount())


def value(expression: str, results: Path = RESULTS) -> str:
    """The number that an expression stands for, in its format."""
    body, _, form = expression.strip().rpartition(" ")
    terms = [_number(term, results) for term in body.split(" / ")]
    if len(terms) > 2:
        raise QuoteError("a ratio has two numbers, not more")
    if len(terms) == 1:
        return format(terms[0], form)
    if terms[1] == 0:
        raise QuoteError("no number divides by zero")
    return format(terms[0] / terms[1], form)


def _number(term: str, results: Path) -> float:
    if _PLAIN.fullmatch(term.strip()):
        return float(term)
    found = _TERM.fullmatch(term.strip())
    if not found:
        raise QuoteError("not of the form [min(]MACHINE/EXPERIMENT/FIGURE[...].COLUMN[)] FORMAT")
    rows = numbers(results, found["machine"], found["experiment"], found["figure"])
    wanted = dict(part.partition("=")[::2] for part in (found["filters"] or "").split(";") if part)
    if "origin" in rows:
        wanted.setdefault("origin", "ours")
    for column, word in wanted.items():
        if column not in rows:
            raise QuoteError(f"no column {column}; there are: {', '.join(rows.columns)}")
        rows = rows[rows[column].map(_word) == word]
    if found["how"] == "count":
        return len(rows)
    if found["how"] == "mean":
        return _mean(rows, found["end"])
    column = found["column"] or ""
    if column not in rows:
        raise QuoteError(f"no column {column!r}; there are: {', '.join(rows.columns)}")
    known = rows[column].dropna()
    if found["how"] is None and len(known) != 1:
        raise QuoteError(f"{len(known)} rows are left, and one is needed")
    if known.empty:
        raise QuoteError("no row is left")
    return float(known.agg(found["how"] or "max"))


def _word(cell: object) -> str:
    """As a filter has it; whole numbers in full, such as a source's."""
    if not isinstance(cell, float):
        return str(cell)
    return f"{cell:.0f}" if cell.is_integer() else f"{cell:g}"


def _mean(rows: pd.DataFrame, end: str | None) -> float:
    rows = rows[rows["speedup"].notna()]
    if rows.empty or len(set(rows["graph"])) != len(rows):
        raise QuoteError("a mean needs one row with a ratio for each graph")
    graphs = list(rows["graph"])
    mean: stats.Estimate = ratios.average(rows.assign(case=""), graphs, [""]).of[""]
    return {"low": mean.low, "high": mean.high, None: mean.value}[end]


def filled(text: str, results: Path = RESULTS) -> str:
    """`text` with every mark's number as the rows have it."""

    def fill(mark: re.Match) -> str:
        try:
            return f"<!--= {mark[1]} -->{value(mark[1], results)}<!--/-->"
        except QuoteError as error:
            raise QuoteError(f"{mark[1]}: {error}") from error

    return _MARK.sub(fill, text)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m plots.quoted",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE.md")
    parser.add_argument("--results", type=Path, default=RESULTS, metavar="DIR")
    parser.add_argument("--check", action="store_true", help="change nothing; 1 if any is stale")
    options = parser.parse_args(arguments)
    stale = []
    for path in options.files:
        before = path.read_text(encoding="utf-8")
        try:
            after = filled(before, options.results)
        except (QuoteError, ResultsError) as error:
            print(f"{path}: {error}", file=sys.stderr)
            return 2
        if after != before:
            stale.append(path)
            if not options.check:
                path.write_text(after, encoding="utf-8")
    for path in stale:
        print(f"{path}: {'stale' if options.check else 'filled in'}")
    return 1 if options.check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
