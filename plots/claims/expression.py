# SPDX-License-Identifier: Apache-2.0
"""The expressions of claims.json: data, evaluated over rows with the intervals of
docs/statistics.md.

An expression is a JSON object. Leaves read rows (plots.claims.leaves) and give numbers by cell,
source and process; "each" makes one number of a cell's, "over" one of several cells; arithmetic
joins two of one kind, source by source or cell by cell, or either with a single number.
docs/claims.md describes the language. What is paired and what is drawn is what figures pair and
draw (plots.stats).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from .. import stats
from ..claims.claims import COMPARISONS, ClaimError
from ..claims.leaves import WORDS, Account, Builds, Key, Samples, samples
from ..load import Experiment
from ..stats import MEANS, SOURCE, Drawn, Estimate


class NothingLeft(Exception):
    """Rows exist, but none of them gives a number; the message says why."""


@dataclass
class Cells:
    """One number for each cell, and what it becomes where sources or processes are drawn."""

    cells: dict[Key, Drawn] = field(default_factory=dict)
    builds: dict[Key, Builds] = field(default_factory=dict)


@dataclass
class Number:
    """A single one, as of a cell."""

    drawn: Drawn
    builds: Builds = frozenset()


Value = Samples | Cells | Number


@dataclass(frozen=True)
class Result:
    value: float
    interval: tuple[float, float] | None  # None where docs/statistics.md gives none
    sources_alone: bool = False  # whether the interval says nothing of other processes


# Reductions over all cells, or over a cell's sources, beside the means.
REDUCTIONS: dict[str, stats.Reduce] = MEANS | {
    "sum": lambda values, axis: np.nansum(values, axis=axis),
    "least": lambda values, axis: np.nanmin(values, axis=axis),
    "most": lambda values, axis: np.nanmax(values, axis=axis),
}
# The statistic over a source's processes where it differs from the one over sources: a source has
# one time, and a sum must not grow with the number of processes.
OF_PROCESSES = {"least": "median", "most": "median", "sum": "arithmetic mean"}
ARITHMETIC: dict[str, Callable] = {
    "ratio": np.divide,
    "minus": np.subtract,
    "plus": np.add,
    "times": np.multiply,
    "least of": np.fmin,
    "most of": np.fmax,
}
SIGNS = {"ratio": " over ", "minus": " minus ", "plus": " plus ", "times": " times "}


class Evaluation:
    """One claim over the rows of one machine; a leaf's "machine" names another's."""

    def __init__(self, experiment: Experiment, others: dict[str, Experiment]):
        self.account = Account()
        self._experiment = experiment
        self._others = others
        self._labels: dict[tuple[str, str], list[float]] = {}  # by graph and level of the index
        self.used: set[str] = set()  # graphs whose numbers enter

    def result(self, expression: dict) -> Result:
        """Throws ClaimError if the expression is no single number, or no cell is left for it."""
        self._labels = self._all_labels(expression)
        with warnings.catch_warnings():  # of a draw that has no number of some cell
            warnings.simplefilter("ignore", RuntimeWarning)
            value = self._value(expression)
        if not isinstance(value, Number):
            raise ClaimError('the expression leaves several numbers: it lacks an "over"')
        found: Estimate = stats.estimate(value.drawn)
        if not np.isfinite(found.value):
            raise NothingLeft("the value is not finite")
        has = np.isfinite(found.low) and np.isfinite(found.high)
        interval = (found.low, found.high) if has else None
        return Result(found.value, interval, found.sources_alone)

    def _all_labels(self, expression: dict) -> dict[tuple[str, str], list[float]]:
        """By graph: the sources of all leaves, drawn together, so that pairs stay pairs, and the
        processes of each machine. A source that was disturbed in one cell is left out of all of the
        graph's."""
        self._read: dict[str, Samples] = {}  # by leaf: an expression often has one twice
        known: dict[tuple[str, str], set[float]] = {}
        for leaf in leaves_of(expression):
            name = repr(leaf)
            if name in self._read:
                continue
            self._read[name], account = samples(leaf, self._rows_of(leaf))
            self.account.add(account)
        disturbed = self.account.disturbed
        for read in self._read.values():
            for key, series in read.cells.items():
                sources = series.index.get_level_values("source")
                series = series[[(key[0], source) not in disturbed for source in sources]]
                read.cells[key] = series
                for level in series.index.names if _searched(series) else ():
                    here = known.setdefault((key[0], level), set())
                    here.update(series.index.get_level_values(level))
        return {place: sorted(labels) for place, labels in sorted(known.items())}

    def _rows_of(self, leaf: dict) -> Experiment:
        if "machine" not in leaf:
            return self._experiment
        return self._others[leaf["machine"]]

    def _value(self, node: dict) -> Value:
        operation = operation_of(node)
        if operation == "leaf":
            return self._read[repr(node)]
        if operation == "number":
            return Number(Drawn(float(node["number"]), {}))
        if operation == "each":
            return self._each(node)
        if operation == "over":
            return self._over(node)
        if operation == "pick":
            return self._pick(node)
        if operation in ("share", "count"):
            return self._share(node, operation)
        first, *rest = [self._value(part) for part in node[operation]]
        for other in rest:
            first = _joined(ARITHMETIC[operation], first, other)
        return first

    def _each(self, node: dict) -> Cells:
        inner = self._of(node, Samples, "each")
        cells = {
            key: self._of_cell(node["each"], key[0], series)
            for key, series in inner.cells.items()
            if series.notna().any()
        }
        return Cells(cells, inner.builds)

    def _of_cell(self, statistic: str, graph: str, series: pd.Series) -> Drawn:
        """Least and most are of the sources that ran: draws of them would say nothing of others. A
        sum is drawn as so many times the mean, since a draw has fewer sources."""
        levels, searched = series.index.names, _searched(series)
        labels = [
            self._labels[graph, name] if searched else sorted(set(here))
            for name in levels
            for here in [series.index.get_level_values(name)]
        ]
        table = stats.crossed(series, labels)
        over = "arithmetic mean" if statistic == "sum" else statistic
        reductions = [REDUCTIONS[name] for name in (OF_PROCESSES.get(statistic, over), over)]
        found = stats.drawn(table, levels, graph, *reductions)
        if statistic == "sum":
            sources = series.dropna().index.get_level_values(SOURCE).nunique()
            found = _both(np.multiply, found, Drawn(float(sources), {}))
        counted = statistic in ("least", "most") or not searched
        return Drawn(found.value, {}) if counted else found

    def _of(self, node: dict, kind: type, operation: str) -> Value:
        value = self._value(node["of"])
        if not isinstance(value, kind):
            wanted = "numbers by source" if kind is Samples else "one number a cell"
            raise ClaimError(f'"{operation}" wants {wanted}')
        return value

    def _over(self, node: dict) -> Cells | Number:
        inner = self._of(node, Cells, "over")
        if not inner.cells:
            raise NothingLeft("no cell is left")
        self.used |= {key[0] for key in inner.cells}
        if node["over"] == "only":
            if len(inner.cells) > 1:
                raise ClaimError(f"{len(inner.cells)} cells where a single one is meant")
            return Number(next(iter(inner.cells.values())), _all_builds(inner))
        if "across" not in node:
            return Number(_reduced(node["over"], list(inner.cells.values())), _all_builds(inner))
        groups: dict[Key, list[Drawn]] = {}
        builds: dict[Key, Builds] = {}
        for key, drawn in inner.cells.items():
            groups.setdefault(key[:1], []).append(drawn)
            builds[key[:1]] = builds.get(key[:1], frozenset()) | inner.builds.get(key, frozenset())
        means = {key: _reduced(node["over"], group) for key, group in groups.items()}
        return Cells(means, builds)

    def _pick(self, node: dict) -> Cells | Samples:
        """The cells whose keys after the graph are those, which become the graph's only ones."""
        inner = self._value(node["of"])
        if isinstance(inner, Number):
            raise ClaimError('"pick" wants cells')
        wanted = tuple(str(part) for part in node["pick"])
        return type(inner)(
            {k[:1]: held for k, held in inner.cells.items() if k[1:] == wanted},
            {k[:1]: builds for k, builds in inner.builds.items() if k[1:] == wanted},
        )

    def _share(self, node: dict, operation: str) -> Number:
        inner = self._of(node, Cells, operation)
        if not inner.cells:
            raise NothingLeft("no cell is left")
        self.used |= {key[0] for key in inner.cells}
        ((comparison, limit),) = node[operation].items()
        total = np.mean if operation == "share" else np.sum
        found = stats.joined(
            lambda cells: total([COMPARISONS[comparison](cell, limit) for cell in cells], axis=0),
            list(inner.cells.values()),
        )
        return Number(found, _all_builds(inner))


def _reduced(statistic: str, cells: list[Drawn]) -> Drawn:
    return stats.joined(lambda numbers: REDUCTIONS[statistic](np.array(numbers), 0), cells)


def _searched(series: pd.Series) -> bool:
    """Returns whether its numbers are of searches; a count of the whole graph has no source to
    draw."""
    return bool((series.index.get_level_values(SOURCE) != -1).any())


def _both(operator: Callable, left: Drawn, right: Drawn) -> Drawn:
    return stats.joined(lambda pair: operator(*pair), [left, right])


def operation_of(node: dict) -> str:
    """The one operation that a node is. Throws ClaimError if it is none, or two."""
    if "rows" in node or "benchmark" in node:
        return "leaf"
    known = ("number", "each", "over", "pick", "share", "count")
    found = [name for name in (*known, *ARITHMETIC) if name in node]
    if len(found) != 1:
        raise ClaimError(f"an expression is one operation, not {sorted(node)}")
    return found[0]


def leaves_of(node: dict) -> list[dict]:
    operation = operation_of(node)
    if operation == "leaf":
        return [node]
    if operation in ARITHMETIC:
        return [leaf for part in node[operation] for leaf in leaves_of(part)]
    return leaves_of(node["of"]) if "of" in node else []


def _joined(operator: Callable, left: Value, right: Value) -> Value:
    with np.errstate(divide="ignore", invalid="ignore"):
        if isinstance(left, Number) and isinstance(right, Number):
            _check_builds(left.builds, right.builds)
            return Number(_both(operator, left.drawn, right.drawn), left.builds | right.builds)
        if isinstance(left, Samples) and isinstance(right, Samples):
            pairs = _pairs(left.cells, right.cells)  # whose index keeps builds apart
            made = {key: operator(*stats.paired(*pair)) for key, pair in pairs.items()}
            return Samples(made, _joined_builds(left, right, made))
        if isinstance(left, Cells) and isinstance(right, Cells):
            builds = _pairs(left.builds, right.builds) if left.builds and right.builds else {}
            pairs = {
                key: pair
                for key, pair in _pairs(left.cells, right.cells).items()
                if not _across_builds(*builds.get(key, (frozenset(), frozenset())))
            }
            made = {key: _both(operator, a, b) for key, (a, b) in pairs.items()}
            return Cells(made, _joined_builds(left, right, made))
        if isinstance(left, Cells | Samples) and isinstance(right, Number):
            return _with_number(left, right, operator)
        if isinstance(left, Number) and isinstance(right, Cells | Samples):
            return _with_number(right, left, lambda a, b: operator(b, a))
    raise ClaimError("numbers by source cannot be joined with one number a cell")


def _pairs(left: dict[Key, Any], right: dict[Key, Any]) -> dict[Key, tuple]:
    """Pairs cells with equal keys; a graph's only cell pairs with each of the cells that a sweep
    makes of it."""
    keys = max(left, right, key=lambda cells: max(map(len, cells), default=0))
    return {
        key: (left.get(key, left.get(key[:1])), right.get(key, right.get(key[:1])))
        for key in keys
        if (key in left or key[:1] in left) and (key in right or key[:1] in right)
    }


def _all_builds(cells: Cells) -> Builds:
    return frozenset().union(*(cells.builds.get(key, frozenset()) for key in cells.cells))


def _joined_builds(left: Cells | Samples, right: Cells | Samples, made: dict[Key, Any]
                   ) -> dict[Key, Builds]:  # fmt: skip
    """Those of both sides, for each cell that was made of them."""
    sides = (left.builds, right.builds)
    joined = {
        key: frozenset().union(*(sets.get(key) or sets.get(key[:1], frozenset()) for sets in sides))
        for key in made
    }
    return {key: builds for key, builds in joined.items() if builds}


def _across_builds(first: Builds, second: Builds) -> bool:
    """Returns whether both are of rows of one machine, and these are of different builds."""
    shared = {machine for machine, _ in first} & {machine for machine, _ in second}
    return any(
        {one for one in first if one[0] == machine} != {one for one in second if one[0] == machine}
        for machine in shared
    )


def _check_builds(first: Builds, second: Builds) -> None:
    if _across_builds(first, second):
        raise NothingLeft("its parts are of different builds of the program")


def _with_number(cells: Cells | Samples, number: Number, operator: Callable) -> Cells | Samples:
    """Joins cells or numbers by source with a number. By source only constants can be joined, since
    other numbers have their own draws."""
    if isinstance(cells, Cells):
        for key in cells.cells:
            _check_builds(cells.builds.get(key, frozenset()), number.builds)
        made = {key: _both(operator, d, number.drawn) for key, d in cells.cells.items()}
        builds = {key: cells.builds.get(key, frozenset()) | number.builds for key in made}
        return Cells(made, builds)
    if number.drawn.factors or number.drawn.few_sources:
        raise ClaimError("numbers by source cannot be joined with a statistic of sources")
    made = {key: operator(series, number.drawn.value) for key, series in cells.cells.items()}
    return Samples(made, cells.builds)


def described(node: dict) -> str:
    """Describes the expression in words."""
    operation = operation_of(node)
    if operation == "leaf":
        return _leaf_in_words(node)
    if operation == "number":
        return f"{node['number']:g}"
    if operation == "each":
        return f"{node['each']} over sources of {_bracketed(node['of'])}"
    if operation == "over":
        if node["over"] == "only":
            return described(node["of"])
        what = f"values of {node['across']}" if "across" in node else _cells(node)
        return f"{node['over']} over {what} of the {described(node['of'])}"
    if operation == "pick":
        return f"{described(node['of'])} at {', '.join(map(str, node['pick']))}"
    if operation in ("share", "count"):
        ((comparison, limit),) = node[operation].items()
        words = comparison.replace("_", " ")
        noun = "share of" if operation == "share" else "number of"
        return f"{noun} {_cells(node)} whose {described(node['of'])} is {words} {limit:g}"
    if operation == "times" and node[operation][0] == {"number": 100}:
        return f"{described(node[operation][1])}, in %"
    parts = [_bracketed(part) for part in node[operation]]
    if operation in SIGNS:
        return SIGNS[operation].join(parts)
    return f"{operation} {', '.join(parts)}"


def _cells(node: dict) -> str:
    """Names the cells of a node: graphs, unless a sweep divides them."""
    divided = any("by" in leaf or "by_level" in leaf for leaf in leaves_of(node))
    return node.get("cells", "cells" if divided else "graphs")


def _bracketed(node: dict) -> str:
    words = described(node)
    return f"({words})" if operation_of(node) in ARITHMETIC else words


def _leaf_in_words(leaf: dict) -> str:
    if "benchmark" in leaf:
        return f"{leaf['of'].replace('_', ' ')} of {leaf['benchmark'].get('part', 'all')}"
    what = leaf.get("measure") or leaf.get("of", "time_ms")
    words = WORDS.get(what, what.replace("_", " "))
    levels = leaf.get("levels")
    if levels:
        parts = ", ".join(f"{k} {v}".replace("_", "-") for k, v in levels.items())
        words += f" in levels of {parts}"
    if "part" in leaf:
        words += f" at {leaf['part']}"
    filters = dict(leaf["rows"])
    case = filters.pop("case", None)
    cases = " or ".join(case) if isinstance(case, list) else case
    graphs = [_plain(filters.pop(k)).rstrip("*,") for k in ("data_set", "graph") if k in filters]
    rest = [f"{k.replace('_', ' ')} {_plain(v)}" for k, v in filters.items() if k != "toggles"]
    toggled = filters.get("toggles", {})
    rest += [f"{k.replace('_', ' ')} {_plain(v)}" for k, v in toggled.items()]
    named = [part for part in (cases and f"“{cases}”", *rest) if part]
    words += f" of {', '.join(named)}" if named else ""
    words += f" on {leaf['machine']}" if "machine" in leaf else ""
    return words + "".join(f" on {graph}" for graph in graphs)


def _plain(value: object) -> str:
    if isinstance(value, list):
        return " or ".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else str(value)
