# SPDX-License-Identifier: Apache-2.0
"""A figure's content in the report, as values that outlive the figure."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from ..caveats import caveats
from ..drawing import Drawing, listed
from ..load import Experiment
from ..report import vector
from ..report.points import Point, points
from ..table import Table

# Columns that numbers and rows of runs.csv share, as far as a figure has them.
_IDENTITY = ("graph", "case", "series", "engine", "source", "threads", "stand_in_for", "repeat")
_SHOWN_TRIALS = 3


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
    numbers: pd.DataFrame
    trials: list[str]  # of each row of the numbers: which rows of runs.csv it comes from
    facts: list[Facts]  # of each machine whose rows are shown
    finding: str = ""  # what its module says that it shows
    paths: dict[str, Path] = field(default_factory=dict)  # files beside the report, by ending
    table: Table | None = None
    markdown: str = ""
    picture: vector.Picture = field(default_factory=vector.Picture)
    points: list[Point] = field(default_factory=list)

    @property
    def anchor(self) -> str:
        return f"{self.experiment}-{self.name}".replace("@", "-at-")

    @property
    def machines(self) -> str:
        return ", ".join(dict.fromkeys(fact.machine for fact in self.facts))


def entry(drawing: Drawing, module: str, part: list[Experiment], with_picture: bool) -> Entry:
    """`part` is what the figure was drawn from; without a picture, what files need alone."""
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
        numbers=listed(drawing.numbers).reset_index(drop=True),
        trials=trials(drawing.numbers, part) if with_picture else [],
        facts=[facts(experiment) for experiment in part] if with_picture else [],
        markdown=drawing.markdown,
    )
    for caveat in (caveat for fact in made.facts for caveat in fact.caveats):
        made.caption = made.caption.replace(caveat, "").strip()  # said apart, once
    if drawing.table:
        made.table = drawing.table
    elif with_picture:
        box = vector.tight_box(drawing.figure)
        made.points = points(drawing.figure, drawing.numbers.reset_index(drop=True), box)
        made.picture = vector.picture(drawing.figure, box)
    return made


def facts(experiment: Experiment) -> Facts:
    return Facts(
        machine=experiment.machine,
        folder=experiment.folder,
        command=experiment.command(),
        environment=experiment.environment_line(),
        caveats=caveats(experiment),
    )


def trials(numbers: pd.DataFrame, part: list[Experiment]) -> list[str]:
    """For each row of the numbers "trials 3, 9, 15 (of 48)": the rows of runs.csv with the same
    graph, case, source and so on. Empty for the paper's rows, and where nothing says which."""
    shared = [c for c in _IDENTITY if c in numbers and all(c in e.runs for e in part)]
    if not {"case", "series", "engine"} & set(shared):
        return [""] * len(numbers)
    by_machine = {
        experiment.machine: experiment.runs.assign(
            **{c: _text(experiment.runs[c]) for c in shared}
        ).groupby(shared)["trial"].agg(list).to_dict()
        for experiment in part
    }  # fmt: skip
    keys = list(zip(*(_text(numbers[c]) for c in shared), strict=True))
    machines = numbers.get("machine", pd.Series([part[0].machine] * len(numbers)))
    origins = numbers.get("origin", pd.Series(["ours"] * len(numbers)))
    found = []
    for key, machine, origin in zip(keys, machines, origins, strict=True):
        rows = by_machine.get(machine, {}) if origin == "ours" else {}
        found.append(_listed(rows.get(key if len(shared) > 1 else key[0], [])))
    return found


def _text(column: pd.Series) -> pd.Series:
    """Numbers and words alike, so that 4 of one table is 4.0 of another."""
    return column.map(lambda v: "" if v != v or v is None else f"{v:g}"
                      if isinstance(v, int | float) else str(v))  # fmt: skip


def _listed(numbers: list[float]) -> str:
    if not numbers:
        return ""
    shown = ", ".join(f"{n:.0f}" for n in numbers[:_SHOWN_TRIALS])
    more = f" … {numbers[-1]:.0f} ({len(numbers)} in all)" if len(numbers) > _SHOWN_TRIALS else ""
    return shown + more
