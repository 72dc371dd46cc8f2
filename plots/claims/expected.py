# SPDX-License-Identifier: Apache-2.0
"""Recorded values of claims, as those to expect of one's own rows. docs/artifact.md says how bands
are chosen."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..caveats import FAILED, POLLUTED
from ..cells import number
from ..claims.estimate import Estimate
from ..claims.ledger import evaluate
from ..claims.verdict import MISSING, Verdict
from ..load import Experiment, ResultsError, find_experiments, load_experiment

SAME = "same"  # a band: a count that depends on the graph alone
_ROUNDING = 1.001  # of decimal columns


class ExpectationError(ValueError):
    """An expectation that no recorded row carries."""


@dataclass(frozen=True)
class Expectation:
    """A claim's recorded value, and the band that one's own should be within."""

    id: str
    paper_value: str
    unit: str
    value: float  # recorded; of several machines the geometric mean of the least and the greatest
    low: float
    high: float

    @property
    def band(self) -> str:
        unit = f" {self.unit}" if self.unit else ""
        if self.high <= self.value * _ROUNDING:
            return f"{number(self.value)}{unit}"
        return f"{number(self.value)}{unit} ({number(self.low)} to {number(self.high)})"


@dataclass(frozen=True)
class Outcome:
    expected: Expectation
    value: float | None  # None: no row carries it
    # The claim's experiment, if other work disturbed all of its trials that the claim reads.
    disturbed: str = ""

    @property
    def ok(self) -> bool:
        return self.value is not None and self.expected.low <= self.value <= self.expected.high

    @property
    def words(self) -> str:
        if self.value is None:
            return f"not ok: {'disturbed' if self.disturbed else 'no rows'}"
        return "ok" if self.ok else "not ok"


def recorded_verdicts(
    recorded: Path, experiments: Collection[str], but: Sequence[Path] = ()
) -> list[Verdict]:
    """The verdicts that have rows, by those of `experiments` in or below `recorded` and outside of
    the folders `but`. Folders that cannot be read are passed over."""
    inside = [folder.resolve() for folder in but]
    loaded = [
        _loaded(folder)
        for folder in find_experiments([recorded])
        if _name_of(folder) in experiments
        and not any(folder.resolve().is_relative_to(each) for each in inside)
    ]
    found = evaluate(recorded, estimated=_unasked, experiments=[each for each in loaded if each])
    return [verdict for verdict in found if verdict.verdict != MISSING]


def _name_of(folder: Path) -> str:
    spec = folder / "spec.json"
    return json.loads(spec.read_text(encoding="utf-8"))["name"] if spec.exists() else ""


def _loaded(folder: Path) -> Experiment | None:
    try:
        return load_experiment(folder)
    except ResultsError:
        return None


def _unasked(_experiment: str, _settings: dict, _results: str) -> Estimate:
    return Estimate("", None, "")


def _with_values(verdicts: Sequence[Verdict]) -> dict[str, list[Verdict]]:
    found: dict[str, list[Verdict]] = {}
    for verdict in verdicts:
        if verdict.value is not None:
            found.setdefault(verdict.id, []).append(verdict)
    return found


def expectations(
    recorded: Path, bands: dict[str, float | str], experiments: set[str]
) -> list[Expectation]:
    """The values of the claims in `bands` in `recorded`, a folder of machines' results, by the rows
    of `experiments` alone. A band is SAME, or a factor of at least 1 by which a value may differ
    from the least and the greatest of the machines'.

    Throws ExpectationError if no row carries a claim."""
    verdicts = _with_values(recorded_verdicts(recorded, experiments))
    return [_expectation(id, band, verdicts.get(id, [])) for id, band in bands.items()]


def _expectation(id: str, band: float | str, verdicts: list[Verdict]) -> Expectation:
    if not verdicts:
        raise ExpectationError(f"{id}: no recorded row carries this claim")
    values = [verdict.value for verdict in verdicts if verdict.value is not None]
    factor = _ROUNDING if band == SAME else float(band)
    least, greatest = min(values), max(values)
    if factor < 1 or least <= 0 or (band == SAME and greatest > least * _ROUNDING):
        raise ExpectationError(f"{id}: {least} to {greatest} cannot have the band {band}")
    return Expectation(
        id=id,
        paper_value=verdicts[0].paper_value,
        unit=verdicts[0].unit,
        value=(least * greatest) ** 0.5,
        low=least / factor,
        high=greatest * factor,
    )


def compared(expected: Sequence[Expectation], own: Path) -> list[Outcome]:
    """One's own values, from the rows in or below `own`. Throws ResultsError if they cannot be
    read."""
    experiments = [load_experiment(folder) for folder in find_experiments([own])]
    verdicts = evaluate(own, estimated=_unasked, experiments=experiments)
    found = _with_values(verdicts)
    disturbed = {each.id: each.experiment for each in verdicts if _is_disturbed(each)}
    return [
        Outcome(each, found[each.id][0].value)
        if each.id in found
        else Outcome(each, None, disturbed.get(each.id, ""))
        for each in expected
    ]


def _is_disturbed(verdict: Verdict) -> bool:
    return verdict.value is None and POLLUTED in verdict.weak and FAILED not in verdict.weak
