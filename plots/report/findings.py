# SPDX-License-Identifier: Apache-2.0
"""The content of the report and its order, in any format."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from ..claims import (
    MISSING,
    REFUTATIONS,
    REFUTED,
    REFUTED_ON_STAND_INS,
    REPRODUCED,
    REPRODUCED_ON_STAND_INS,
    SAME_DIRECTION,
    SAME_DIRECTION_FAR,
    UNDECIDED,
    VERDICTS,
    Verdict,
    headlines,
)
from ..claims.claims import load_leading
from ..claims.output import shown
from ..load import Experiment
from ..paper import EXPERIMENTS, spec_files
from ..report.entry import Entry

# By short name, in the order of docs/references.md.
PAPERS = {
    "xbfs": "XBFS: eXploring Runtime Optimizations for Breadth-First Search on GPUs",
    "dfq": "A Decentralized Frontier Queue for Improving Scalability of Breadth-First-Search on "
    "GPUs",
    "scalable-bfs": "Scalable Breadth-First Search on a GPU Cluster",
    "cs406": "CS406 Final Project Report",
    "graph500-romeo": "Communication Wall: Graph500",
}
MEANINGS = {
    REPRODUCED: "the whole interval is within the claim's limits, on the paper's own graphs",
    REPRODUCED_ON_STAND_INS: "the same, but a graph is not the paper's own",
    SAME_DIRECTION: "the effect is larger or smaller than the limits allow, up to a factor of two",
    SAME_DIRECTION_FAR: "the same effect, but beyond a factor of two larger or smaller",
    REFUTED: "another number, on the paper's own graphs",
    REFUTED_ON_STAND_INS: "another number, but a graph is not the paper's own, which may be why",
    UNDECIDED: "the interval allows several verdicts, or the rows have no number that counts here",
    MISSING: "no rows here",
}
_FEW_COLUMNS = 6
OTHER = "other"  # in place of a paper's short name, for experiments of our own


@dataclass
class Block:
    """One experiment of an item: the claims that its rows decide, and its figures."""

    name: str
    claims: list[Verdict]  # one for each claim
    figures: list[Entry]  # each figure once, of the machine that most of the claims are of
    others: list[Entry]  # the same figures of other machines

    @property
    def is_wide(self) -> bool:
        """Returns whether a table of it leaves no room for the claims beside it."""
        return any(one.table and one.table.column_count > _FEW_COLUMNS for one in self.figures)

    @property
    def has_image(self) -> bool:
        return any(one.svg for one in self.figures)

    @property
    def machines(self) -> list[str]:
        entries = [*self.figures, *self.others]
        return list(dict.fromkeys(machine for entry in entries for machine in entry.machines))


@dataclass
class Item:
    """A figure or a table of a paper, with all experiments that show it."""

    name: str  # "Figure 11"; empty for what the paper does not have
    title: str
    anchor: str
    blocks: list[Block]


@dataclass
class Report:
    entries: list[Entry]
    experiments: list[Experiment]
    verdicts: list[Verdict]
    folder: Path  # where the pages will be
    equivalence: list[list[str]] = field(default_factory=list)  # under equivalence.HEADS
    command: str = ""  # what makes the report
    recorded: dict[str, Verdict] = field(default_factory=dict)  # by claim, of recorded rows
    own: bool = False  # it is about a user's rows: claims without rows are left out

    leading_claims: dict[str, tuple[str, str]] = field(default_factory=load_leading)

    def __post_init__(self) -> None:
        order = [*PAPERS]
        self.verdicts.sort(key=lambda v: order.index(v.paper) if v.paper in order else len(order))
        self.left_out = len([v for v in self.verdicts if v.verdict == MISSING]) if self.own else 0
        if self.own:
            self.verdicts = [v for v in self.verdicts if v.verdict != MISSING]

    @cached_property
    def headlines(self) -> list[Verdict]:
        """One for each claim."""
        return headlines(self.verdicts)

    @property
    def judged(self) -> list[Verdict]:
        """Those with rows; refuted ones first, then in the order of the papers."""
        found = [v for v in self.verdicts if v.verdict != MISSING]
        order = {verdict: place for place, verdict in enumerate(REFUTATIONS)}
        return sorted(found, key=lambda v: order.get(v.verdict, len(order)))

    @property
    def missing(self) -> list[Verdict]:
        return [v for v in self.headlines if v.verdict == MISSING]

    def is_headline(self, verdict: Verdict) -> bool:
        return any(verdict is one for one in self.headlines)

    @cached_property
    def papers(self) -> list[str]:
        """Short names of those that have rows or claims, then "" if other experiments have rows."""
        named = {e.paper for e in self.entries} | {v.paper for v in self.verdicts}
        unknown = sorted(named - {*PAPERS, ""})
        return [*(p for p in PAPERS if p in named), *unknown, *([""] if "" in named else [])]

    @property
    def claimed(self) -> list[str]:
        """Short names of papers with claims here."""
        return [paper for paper in self.papers if any(self.counts(paper).values())]

    def counts(self, paper: str) -> dict[str, int]:
        found = [v.verdict for v in self.headlines if v.paper == paper]
        return {verdict: found.count(verdict) for verdict in VERDICTS}

    def leading(self, paper: str) -> str:
        """The sentence on the claim that stands for a paper: "XBFS over Enterprise: 3.5 in the
        paper, 1.8 here, on 10 stand-ins (h200): same direction." Without it here, the sentence is
        on the first claim that has rows; without any, it is empty."""
        name, compares = self.leading_claims.get(paper, ("", ""))
        mine = [v for v in self.headlines if v.paper == paper]
        if found := next((v for v in mine if v.id == name), None):
            return compared(compares, found)
        first = next((v for v in mine if v.verdict != MISSING), None)
        return compared(first.text.rstrip("."), first) if first else ""

    @cached_property
    def as_recorded(self) -> tuple[int, int]:
        """How many verdicts are those of the recorded rows, and how many can be compared."""
        pairs = [(v, self.recorded[v.id]) for v in self.headlines if v.id in self.recorded]
        return sum(one.alike == other.alike for one, other in pairs), len(pairs)

    @property
    def weak(self) -> tuple[int, int]:
        """How many claims with rows rest on weak ones, and how many have rows."""
        found = [v for v in self.headlines if v.verdict != MISSING]
        return sum(bool(v.weak) for v in found), len(found)

    def items(self, paper: str) -> list[Item]:
        """The paper's figures and tables in its order."""
        names: dict[str, list[Entry]] = {}
        for entry in self.entries:
            if entry.paper == paper:
                names.setdefault(entry.experiment, []).append(entry)
        order = sorted(names.values(), key=lambda g: (_natural(g[0].item), g[0].experiment))
        found: dict[str, list[list[Entry]]] = {}
        for group in order:
            found.setdefault(group[0].item or group[0].experiment, []).append(group)
        return [
            Item(
                groups[0][0].item,
                heading(groups[0][0]),
                f"item-{groups[0][0].experiment}",
                [self._block(group) for group in groups],
            )
            for groups in found.values()
        ]

    def _block(self, entries: Sequence[Entry]) -> Block:
        name = entries[0].experiment
        claims = headlines([v for v in self.judged if v.experiment == name])
        of = Counter(machine for v in claims for machine in v.machine.split(", "))
        main = of.most_common(1)[0][0] if of else ""
        figures: dict[str, Entry] = {}
        for entry in sorted(entries, key=lambda e: main not in e.machines):
            figures.setdefault(entry.drawing, entry)
        chosen = [entry for entry in entries if entry is figures[entry.drawing]]
        return Block(name, claims, chosen, [e for e in entries if e not in chosen])

    def of(self, entry: Entry) -> list[Verdict]:
        """Returns the verdicts on the rows that a figure shows: those that name its module."""
        return [
            v
            for v in self.verdicts
            if v.verdict != MISSING
            and v.experiment == entry.experiment
            and v.figure in ("", entry.module)
            and {*entry.machines} & set(v.machine.split(", "))
        ]

    def finding(self, entry: Entry) -> str:
        """The figure module's sentence on what it shows; without one, the first claim with its
        verdict, or that no claim rests on the figure."""
        claims = [sentence(verdict) for verdict in self.of(entry)[:1]]
        title = entry.title or entry.experiment
        nothing = f"{title}. No claim of a paper rests on this figure."
        return entry.finding or " ".join(claims) or nothing

    def not_run(self, paper: str) -> list[tuple[str, str]]:
        """(name, command) of the paper's specs that have no rows here, for a report on all recorded
        rows. A spec on the paper's own graphs is not missed where the one on stand-ins has rows,
        and the other way round."""
        have = {e.name.removesuffix("-standins") for e in self.experiments}
        return [
            (name, f"bfslab run {path.relative_to(EXPERIMENTS.parent)}")
            for name, path in spec_files(EXPERIMENTS).items()
            if not self.own
            and path.parent.name == paper
            and name.removesuffix("-standins") not in have
        ]

    def link(self, path: Path) -> str | None:
        """The path as the pages may refer to it: only what is beside or below them."""
        path, folder = path.resolve(), self.folder.resolve()
        inside = path.is_relative_to(folder) and path.exists()
        return Path(os.path.relpath(path, folder)).as_posix() if inside else None


def compared(what: str, verdict: Verdict) -> str:
    """ "XBFS over Enterprise: 3.5 in the paper, 1.8 here, on 10 stand-ins (h200): refuted." """
    if verdict.verdict == MISSING:
        return f"{what}: {verdict.paper_value} in the paper, no rows here."
    value = shown(verdict) or "no number"
    named = verdict.instead.count(" for ")  # as "com-lj-standin for com-lj"
    instead = f"{named} stand-ins" if named > 1 else verdict.instead or "other graphs"
    graphs = f"on {instead}" if verdict.on_stand_ins else "on the paper's own graphs"
    here = f"{value} here, {graphs} ({verdict.machine})"
    return f"{what}: {verdict.paper_value} in the paper, {here}: {verdict.words}."


def sentence(verdict: Verdict) -> str:
    """ "The claim: 1.42 (1.3 to 1.5) here (h200, with 10 stand-ins in place of the paper's graphs),
    2.3 in the paper: refuted on stand-ins." """
    instead = f"with {verdict.instead} in place of the paper's graphs" if verdict.instead else ""
    where = ", ".join(part for part in (verdict.machine, instead) if part)
    value = shown(verdict) or "no number"
    here = f"{value} here ({where}), " if verdict.verdict != MISSING else ""
    claim = verdict.text.rstrip(".")
    others = f" ({', '.join(verdict.disagreeing)})" if verdict.disagreeing else ""
    return f"{claim}: {here}{verdict.paper_value} in the paper: {verdict.words}{others}."


def short_reason(verdict: Verdict) -> tuple[str, str]:
    """Its first sentence, and the others."""
    first, *rest = re.split(r"(?<=\.) (?=[A-Z0-9])", verdict.reason, maxsplit=1)
    return first, " ".join(rest)


def heading(entry: Entry) -> str:
    """ "Figure 11: title", or what there is of it."""
    return ": ".join(part for part in (entry.item, entry.title) if part) or entry.experiment


def _natural(item: str) -> list[tuple[int, float, str]]:
    """ "Figure 5" before "Figure 11"; nothing comes last."""
    parts = re.findall(r"\d+(?:\.\d+)?|\D+", item)
    return [(0, float(p), "") if p[0].isdigit() else (1, 0.0, p) for p in parts] or [(2, 0.0, "")]
