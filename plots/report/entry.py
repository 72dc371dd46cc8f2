# SPDX-License-Identifier: Apache-2.0
"""A figure's content in the report, as values that outlive the figure."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from ..caveats import caveats
from ..drawing import Drawing, svg
from ..load import Experiment
from ..table import Table


@dataclass
class Facts:
    """Facts of one machine's rows of an experiment."""

    machine: str
    folder: Path
    command: str
    environment: str
    caveats: list[str]


@dataclass
class Entry:
    experiment: str
    paper: str  # short name; empty for experiments of our own
    item: str
    title: str
    module: str
    name: str  # the drawing's, unique within the experiment
    caption: str
    statistic: str
    facts: list[Facts]  # of each machine whose rows are shown
    finding: str = ""  # what its module says that it shows
    paths: dict[str, Path] = field(default_factory=dict)  # files beside the report, by ending
    table: Table | None = None
    svg: str = ""  # of a figure, as matplotlib writes it

    @property
    def anchor(self) -> str:
        return f"{self.experiment}-{self.name}".replace("@", "-at-")

    @property
    def drawing(self) -> str:
        """The drawing's name without the machine, which figures of other machines share."""
        return self.name.partition("@")[0]

    @property
    def machines(self) -> list[str]:
        return list(dict.fromkeys(fact.machine for fact in self.facts))


def entry(drawing: Drawing, module: str, part: list[Experiment], for_report: bool) -> Entry:
    """`part` is what the figure was drawn from. Without a report only the files are of use, and
    the entry has neither an image nor facts."""
    first = part[0]
    made = Entry(
        experiment=first.name,
        paper=str(first.spec.get("paper") or ""),
        item=str(first.spec.get("item") or ""),
        title=str(first.spec.get("title") or ""),
        module=module,
        name=drawing.name,
        caption=drawing.caption,
        statistic=drawing.statistic,
        finding=drawing.finding,
        facts=[facts(experiment) for experiment in part] if for_report else [],
        table=drawing.table,
    )
    for caveat in (caveat for fact in made.facts for caveat in fact.caveats):
        made.caption = made.caption.replace(caveat, "").strip()  # shown apart, once
    if for_report and not drawing.table:
        made.svg = svg(drawing.figure)
    return made


def facts(experiment: Experiment) -> Facts:
    return Facts(
        machine=experiment.machine,
        folder=experiment.folder,
        command=experiment.command(),
        environment=experiment.environment_line(),
        caveats=caveats(experiment),
    )
