# SPDX-License-Identifier: Apache-2.0
"""Reads experiments/<paper>/claims.json: what a paper claims, and when rows reproduce it."""

from __future__ import annotations

import json
import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

from ..paper import EXPERIMENTS


class ClaimError(Exception):
    """A claim cannot be evaluated as it is written; the message says which part and why."""


@dataclass(frozen=True)
class Limits:
    """A value passes if every given limit allows it."""

    within_factor: float | None = None  # of the paper's value: 1.25 allows 0.8 to 1.25 of it
    within: float | None = None  # of the paper's value, in the value's unit
    at_least: float | None = None
    at_most: float | None = None
    above: float | None = None  # the limit itself does not pass
    below: float | None = None

    def allow(self, value: float, printed: float) -> bool:
        low, high = self.bounds(printed)
        slack = 1e-9 * max(1, abs(value))  # of sums of floating-point numbers
        if self.above is not None and value <= self.above + slack:
            return False
        if self.below is not None and value >= self.below - slack:
            return False
        return low - slack <= value <= high + slack

    def bounds(self, printed: float) -> tuple[float, float]:
        low, high = float("-inf"), float("inf")
        if self.within_factor is not None:
            low, high = printed / self.within_factor, printed * self.within_factor
        if self.within is not None:
            low, high = printed - self.within, printed + self.within
        low = max([low, *(limit for limit in (self.at_least, self.above) if limit is not None)])
        high = min([high, *(limit for limit in (self.at_most, self.below) if limit is not None)])
        return low, high


FAR = 2  # beyond this factor of the paper's ratio the same direction is far


def reproduced(kind: str, printed: float) -> Limits:
    """The limits of a kind. A claim of kind "order" has those that its words give. docs/claims.md
    gives the reasons.

    Throws ClaimError if the kind has no limits for this value."""
    if kind == "count":
        return Limits(within_factor=1.02)
    if kind == "exact":
        return Limits(within=0)
    if kind == "equal":
        return Limits(within_factor=1.05)
    if kind == "rate":  # newer hardware has to reach what older hardware did
        return Limits(at_least=printed)
    if kind == "share":  # percentage points; next to nothing does not reproduce a small share
        return Limits(within=min(10, printed / 2))
    if kind == "ratio" and printed != 1:
        # The square root keeps at least half of the effect: 1.02 is half of 1.04.
        return Limits(within_factor=min(1.25, max(printed, 1 / printed) ** 0.5))
    raise ClaimError(f"the kind {kind} gives no limits for {printed:g}")


def same_side(printed: float) -> Limits:
    """Faster stays faster, and slower slower."""
    return Limits(above=1) if printed > 1 else Limits(below=1)


@dataclass(frozen=True)
class Printed:
    """A printed value of the paper, with minimum and maximum if it gives a range."""

    value: float
    least: float | None = None
    most: float | None = None
    unit: str = ""
    words: str = ""  # what is shown instead, where the paper prints no number

    def __str__(self) -> str:
        if self.words:
            return self.words
        words = f"{self.value:g}{_unit(self.unit)}"
        if self.least is None and self.most is None:
            return words
        if self.least is None or self.most is None:
            side = f"at most {self.most:g}" if self.least is None else f"at least {self.least:g}"
            return f"{words} ({side})"
        return f"{words} ({self.least:g} to {self.most:g})"


def _unit(unit: str) -> str:
    return f" {unit}" if unit else ""


# By what a comparison is called in a claim.
COMPARISONS: dict[str, Callable] = {
    "above": operator.gt,
    "below": operator.lt,
    "at_least": operator.ge,
    "at_most": operator.le,
}


# Kinds of evidence that a claim rests on. Summaries count them separately.
EVIDENCE = {
    "search": "comparisons of searches",
    "rate": "rates that newer hardware cannot miss",
    "microbenchmark": "microbenchmarks",
    "count": "counts and formulas",
}


@dataclass(frozen=True)
class NotComparable:
    """Where rows say nothing of a claim, whatever their number: neither for it nor against it."""

    because: str  # a sentence
    anywhere: bool = False  # on any graph and machine
    on_stand_ins: bool = False  # where a graph is not the paper's own
    gpu_memory_gb: dict = field(default_factory=dict)  # {"above": 24}, of 10^9 bytes

    def applies(self, on_stand_ins: bool, gpu_memory_gb: float | None) -> bool:
        """The memory is None where rows do not tell it."""
        if self.anywhere:
            return True
        if self.on_stand_ins:
            return on_stand_ins
        ((comparison, limit),) = self.gpu_memory_gb.items()
        return gpu_memory_gb is not None and COMPARISONS[comparison](gpu_memory_gb, limit)


@dataclass(frozen=True)
class Claim:
    """One entry of a claims.json; experiments/claims.schema.json describes its fields."""

    id: str
    paper: str
    item: str
    text: str
    experiments: list[str]
    kind: str
    evidence: str  # a key of EVIDENCE
    value: dict
    printed: Printed
    reproduced: Limits
    same_direction: Limits | None  # None where the paper names no direction
    paper_graphs: list[str]  # patterns of the names of graphs that are the paper's own
    machines: list[str] = field(default_factory=list)  # of a claim about several machines
    settings: dict = field(default_factory=dict)  # for --set, beyond the spec
    figure: str = ""
    not_comparable: NotComparable | None = None
    contradiction: str = ""  # a sentence, where the paper's numbers contradict each other
    caveats: list[str] = field(default_factory=list)

    def is_papers(self, graph: str, stands_in_for: str = "") -> bool:
        """Returns whether a graph is the paper's own: `paper_graphs` names it, and it stands in for
        no other. A generated graph with the paper's generator, parameters and scale is the paper's
        own whatever its seed, since its name says all of that. A microbenchmark has no graph."""
        if not graph:
            return True
        named = any(fnmatchcase(graph, own) for own in self.paper_graphs)
        return named and (not stands_in_for or ":" in graph)


def load_claims(root: Path = EXPERIMENTS) -> list[Claim]:
    """All claims, by paper, in the order of the files."""
    claims = []
    for path in sorted(root.glob("*/claims.json")):
        document = json.loads(path.read_text(encoding="utf-8"))
        claims += [_claim(document, entry) for entry in document["claims"]]
    return claims


def load_leading(root: Path = EXPERIMENTS) -> dict[str, tuple[str, str]]:
    """The claim that stands for each paper on a first page: by the paper's short name, the claim's
    id and what its number compares, as ("xbfs-table2-enterprise", "XBFS over Enterprise")."""
    found = {}
    for path in sorted(root.glob("*/claims.json")):
        document = json.loads(path.read_text(encoding="utf-8"))
        if leading := document.get("leading"):
            found[document["paper"]] = (leading["claim"], leading["compares"])
    return found


def _claim(document: dict, entry: dict) -> Claim:
    facts = dict(entry)
    kind, printed = facts["kind"], dict(facts.pop("paper"))
    words, value = printed.pop("as", ""), printed["value"]
    try:
        own = facts.pop("reproduced", None)
        limits = Limits(**own) if own else reproduced(kind, value)
    except ClaimError as error:
        raise ClaimError(f"{entry['id']}: {error}") from error
    if "not_comparable" in facts:
        condition = facts["not_comparable"]
        facts["not_comparable"] = NotComparable(condition["because"], **condition["where"])
    return Claim(
        paper=document["paper"],
        printed=Printed(**printed, words=words),
        reproduced=limits,
        same_direction=same_side(value) if kind == "ratio" and not own else None,
        **({"paper_graphs": document["paper_graphs"]} | facts),
    )
