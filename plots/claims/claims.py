# SPDX-License-Identifier: Apache-2.0
"""Reads experiments/<paper>/claims.json: what a paper claims, and when rows reproduce it."""

from __future__ import annotations

import json
import operator
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path

from ..paper import EXPERIMENTS


class ClaimError(Exception):
    """A claim cannot be evaluated as it is written; the message says which part and why."""


@dataclass(frozen=True)
class Limits:
    """Which values pass: all that every given limit allows."""

    within_factor: float | None = None  # of the paper's value: 1.25 allows 0.8 to 1.25 of it
    within: float | None = None  # of the paper's value, in the value's unit
    at_least: float | None = None
    at_most: float | None = None

    def allow(self, value: float, printed: float) -> bool:
        low, high = self.bounds(printed)
        slack = 1e-9 * max(1, abs(value))  # of sums of floating-point numbers
        return low - slack <= value <= high + slack

    def bounds(self, printed: float) -> tuple[float, float]:
        low, high = float("-inf"), float("inf")
        if self.within_factor is not None:
            low, high = printed / self.within_factor, printed * self.within_factor
        if self.within is not None:
            low, high = printed - self.within, printed + self.within
        if self.at_least is not None:
            low = max(low, self.at_least)
        if self.at_most is not None:
            high = min(high, self.at_most)
        return low, high


# What counts as reproduced where a claim does not say: by kind, so that no claim has limits that
# were made for it. docs/claims.md gives the reasons.
REPRODUCED = {
    "count": Limits(within_factor=1.02),
    "exact": Limits(within=0),
}


def reproduced(kind: str, printed: float) -> Limits:
    """A claim of kind "order" has limits of its own."""
    if kind == "rate":  # of hardware that is newer than the paper's
        return Limits(at_least=printed)
    if kind == "share":  # percentage points; next to nothing does not reproduce a small share
        return Limits(within=min(10, printed / 2))
    if kind == "ratio":
        side = same_side(printed)
        return replace(side or Limits(), within_factor=1.25)
    return REPRODUCED[kind]


def same_side(printed: float) -> Limits | None:
    """Faster stays faster, and slower slower. None if the paper says that nothing changes."""
    if printed == 1:
        return None
    return Limits(at_least=1) if printed > 1 else Limits(at_most=1)


@dataclass(frozen=True)
class Printed:
    """What the paper prints: a value, and the least and the most where it gives a range."""

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


@dataclass(frozen=True)
class NotComparable:
    """Where rows say nothing of a claim, whatever their number: neither for it nor against it."""

    because: str  # a sentence
    on_stand_ins: bool = False  # where a graph is not the paper's own
    gpu_memory_gb: dict = field(default_factory=dict)  # {"above": 24}, of 10^9 bytes

    def applies(self, on_stand_ins: bool, gpu_memory_gb: float | None) -> bool:
        """The memory is None where rows do not tell it."""
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
    value: dict
    printed: Printed
    reproduced: Limits
    same_direction: Limits | None
    paper_graphs: list[str]  # patterns of the names of graphs that are the paper's own
    machines: list[str] = field(default_factory=list)  # of a claim about several machines
    settings: dict = field(default_factory=dict)  # for --set, beyond the spec
    figure: str = ""
    not_comparable: NotComparable | None = None
    caveats: list[str] = field(default_factory=list)

    def is_papers(self, graph: str) -> bool:
        """Of graphs of a microbenchmark, which has none, always."""
        return not graph or any(fnmatchcase(graph, own) for own in self.paper_graphs)


def load_claims(root: Path = EXPERIMENTS) -> list[Claim]:
    """All claims, by paper, in the order of the files."""
    claims = []
    for path in sorted(root.glob("*/claims.json")):
        document = json.loads(path.read_text(encoding="utf-8"))
        claims += [_claim(document, entry) for entry in document["claims"]]
    return claims


def _claim(document: dict, entry: dict) -> Claim:
    told = dict(entry)
    kind, printed = told.pop("kind"), told.pop("paper")
    words = printed.pop("as", "")
    limits = {
        "reproduced": Limits(**told.pop("reproduced"))
        if "reproduced" in told
        else reproduced(kind, printed["value"]),
        "same_direction": Limits(**told.pop("same_direction"))
        if "same_direction" in told
        else (same_side(printed["value"]) if kind == "ratio" else None),
    }
    if "not_comparable" in told:
        condition = told["not_comparable"]
        told["not_comparable"] = NotComparable(condition["because"], **condition["where"])
    own = {"paper_graphs": document["paper_graphs"]} | told
    return Claim(paper=document["paper"], printed=Printed(**printed, words=words), **limits, **own)
