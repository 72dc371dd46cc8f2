# SPDX-License-Identifier: Apache-2.0
"""The content of the pages and its order, in any format."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from .. import caveats
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
from ..claims.ledger import NO_ROWS
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
    REPRODUCED: "the whole interval is within the claim's limits, and every graph that was read is "
    "the paper's own",
    REPRODUCED_ON_STAND_INS: "the same, but a graph is not the paper's own: a stand-in, or any "
    "other",
    SAME_DIRECTION: "the effect is there, but larger or smaller than the limits allow, up to a "
    "factor of two",
    SAME_DIRECTION_FAR: "the effect is there, but beyond a factor of two larger or smaller",
    REFUTED: "neither, and every graph is the paper's own",
    REFUTED_ON_STAND_INS: "neither, but a graph is not the paper's own, which may be why",
    UNDECIDED: "there are rows, but the interval allows several verdicts, or on this hardware or "
    "these graphs the rows say nothing of the claim",
    MISSING: "no rows here yet",
}
LIMITS = (
    "The limits of a claim follow from its kind, unless the paper's words give them. "
    "docs/claims.md lists the kinds."
)
# Verdicts that a first page lists in full, line by line.
LISTED = {
    REFUTED: "Refuted here, on the papers' own graphs",
    REFUTED_ON_STAND_INS: "Refuted here on stand-ins",
    REPRODUCED: "Reproduced here, on the papers' own graphs",
    REPRODUCED_ON_STAND_INS: "Reproduced here on stand-ins",
    SAME_DIRECTION: "The same direction here, within a factor of two",
    SAME_DIRECTION_FAR: "The same direction here, beyond a factor of two",
    UNDECIDED: "Undecided",
}


@dataclass
class Report:
    entries: list[Entry]
    experiments: list[Experiment]
    verdicts: list[Verdict]
    folder: Path  # where the pages will be
    equivalence: list[list[str]] = field(default_factory=list)  # under equivalence.HEADS

    def __post_init__(self) -> None:
        order = [*PAPERS]
        self.verdicts.sort(key=lambda v: order.index(v.paper) if v.paper in order else len(order))

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

    def listed(self) -> list[tuple[str, str, list[Verdict]]]:
        """(verdict, title, claims) for each list of a first page that is not empty."""
        lists = [
            (verdict, title, [v for v in self.headlines if v.verdict == verdict])
            for verdict, title in LISTED.items()
        ]
        return [each for each in lists if each[2]]

    @property
    def missing(self) -> list[Verdict]:
        return [v for v in self.headlines if v.verdict == MISSING]

    @property
    def papers(self) -> list[str]:
        """Short names of those that have rows or claims, then "" if other experiments have rows."""
        named = {e.paper for e in self.entries} | {v.paper for v in self.verdicts}
        unknown = sorted(named - {*PAPERS, ""})
        return [*(p for p in PAPERS if p in named), *unknown, *([""] if "" in named else [])]

    def counts(self, paper: str) -> dict[str, int]:
        found = [v.verdict for v in self.headlines if v.paper == paper]
        return {verdict: found.count(verdict) for verdict in VERDICTS}

    def groups(self, paper: str) -> list[list[Entry]]:
        """The paper's figures by experiment, in the order of its items."""
        names: dict[str, list[Entry]] = {}
        for entry in self.entries:
            if entry.paper == paper:
                names.setdefault(entry.experiment, []).append(entry)
        return sorted(names.values(), key=lambda g: (_natural(g[0].item), g[0].experiment))

    def of(self, entry: Entry) -> list[Verdict]:
        """Returns the verdicts on the rows that a figure shows: those that name its module."""
        machines = {fact.machine for fact in entry.facts}
        return [
            v
            for v in self.verdicts
            if v.verdict != MISSING
            and v.experiment == entry.experiment
            and v.figure in ("", entry.module)
            and machines & set(v.machine.split(", "))
        ]

    def finding(self, entry: Entry) -> str:
        """The first claim with its verdict, then what the figure's module says that it shows. Where
        there is neither, that no claim rests on it."""
        claims = [sentence(verdict) for verdict in self.of(entry)[:1]]
        text = " ".join(part for part in (*claims, entry.finding) if part)
        title = entry.title or entry.experiment
        return text or f"{title}. No claim of a paper rests on this figure."

    def not_run(self, paper: str) -> list[tuple[str, str]]:
        """(name, command) of the paper's specs that have no rows here. A spec on the paper's own
        graphs is not missed where the one on stand-ins has rows, and the other way round."""
        have = {e.name.removesuffix("-standins") for e in self.experiments}
        return [
            (name, f"bfslab run {path.relative_to(EXPERIMENTS.parent)}")
            for name, path in spec_files(EXPERIMENTS).items()
            if path.parent.name == paper and name.removesuffix("-standins") not in have
        ]

    def link(self, path: Path) -> str | None:
        """The path as the pages may refer to it: only what is beside or below them."""
        path, folder = path.resolve(), self.folder.resolve()
        inside = path.is_relative_to(folder) and path.exists()
        return Path(os.path.relpath(path, folder)).as_posix() if inside else None

    @property
    def machines(self) -> dict[str, str]:
        """By folder, the hardware that any of its rows used; a folder may have rows of more GPUs of
        one kind than any of its trials used together."""
        used: dict[str, dict[str, None]] = {}
        gpus: dict[str, set[str]] = {}
        most: dict[str, int] = {}
        for experiment in self.experiments:
            machine = experiment.machine
            used.setdefault(machine, {}).update(dict.fromkeys(experiment.hardware))
            gpus.setdefault(machine, set()).update(caveats.devices(experiment))
            most[machine] = max(most.get(machine, 1), caveats.devices_at_once(experiment.runs))
        several = {
            machine: f"; rows of {len(found)} GPUs of this kind: {', '.join(sorted(found))}"
            for machine, found in gpus.items()
            if len(found) > most[machine]
        }
        return {
            machine: ", ".join(facts) + several.get(machine, "")
            for machine, facts in sorted(used.items())
        }

    def trust(self) -> list[list[str]]:
        """One row per experiment and machine, under TRUST."""
        return [_trust(experiment) for experiment in self.experiments]


EQUIVALENCE = (
    "Each row compares two versions of the program on one case: `make equivalence` let both take "
    "turns. Nothing in this report is computed from these runs."
)
TRUST = ("Experiment", "Machine", "Trials", "Disturbed in every attempt", "Gave no number",
         "Sources per graph", "Invocations", "Stand-ins", "GPU", "Commit", "First row",
         "Last row")  # fmt: skip


def _trust(experiment: Experiment) -> list[str]:
    rows = caveats.counted(experiment)
    graphs = dict.fromkeys(rows["graph"])
    stand_ins = sum(bool(experiment.stand_in_for(graph)) for graph in graphs)
    failed = ", ".join(f"{n:,} {s}" for s, n in caveats.failures(experiment).items())
    commits = ", ".join(commit[:7] for commit in experiment.commits)
    return [
        experiment.name,
        experiment.machine,
        f"{len(rows):,}" if len(rows) else "",
        f"{caveats.polluted(experiment):,}" if len(rows) else "",
        failed or ("0" if len(rows) else ""),
        str(caveats.sources(rows) or ""),
        str(caveats.invocations(rows) or ""),
        f"{stand_ins} of {len(graphs)} graphs" if stand_ins else "",
        ", ".join(caveats.devices(experiment)),
        f"{commits} with changes" if experiment.dirty else commits,
        *experiment.days,
    ]


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


def minutes_of(verdict: Verdict) -> str:
    if verdict.minutes is None:
        return ""
    return f"about {verdict.minutes:.0f} min" if verdict.minutes >= 1 else "under a minute"


def minutes_or_why(missing: Verdict) -> str:
    """Returns the minutes of a claim without rows, or the sentences that say why they are
    unknown."""
    return minutes_of(missing) or missing.reason.removeprefix(f"{NO_ROWS} ")


def _natural(item: str) -> list[tuple[int, float, str]]:
    """ "Figure 5" before "Figure 11"; nothing comes last."""
    parts = re.findall(r"\d+(?:\.\d+)?|\D+", item)
    return [(0, float(p), "") if p[0].isdigit() else (1, 0.0, p) for p in parts] or [(2, 0.0, "")]
