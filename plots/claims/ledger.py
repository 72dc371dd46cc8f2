"""From claims and rows to verdicts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd

from plots.cells import number
from plots.claims.claims import Claim, ClaimError, load_claims
from plots.claims.estimate import Estimate, estimate
from plots.claims.expression import Evaluation, NothingLeft, Result, described
from plots.claims.leaves import Account
from plots.claims.verdict import (
    MISSING,
    ON_STAND_INS,
    REFUTED,
    REPRODUCED,
    SAME_DIRECTION,
    UNDECIDED,
    Verdict,
)
from plots.labels import graph_name
from plots.load import Experiment, find_experiments, load_experiment
from plots.paper import EXPERIMENTS

Machines = dict[str, dict[str, Experiment]]  # by machine, by the experiment's name


def evaluate(
    results: Path,
    root: Path = EXPERIMENTS,
    estimated: Callable[[str, dict, Path], Estimate] = estimate,
) -> list[Verdict]:
    """What the rows in or below `results` say of every claim in <root>/*/claims.json: a verdict for
    each machine that has rows for it, in the order of the files and of the machines' names, or
    one `missing`. Never changes results; the same rows always give the same verdicts.

    Throws ResultsError if the results cannot be read, ClaimError if a claim is written wrongly."""
    claims = load_claims(root)
    machines = _load(results, {name for claim in claims for name in claim.experiments})
    verdicts = []
    for claim in claims:
        found = _on_machines(claim, machines)
        verdicts += found or [
            _missing(claim, estimated(claim.experiments[0], claim.settings, results))
        ]
    return verdicts


def headlines(verdicts: list[Verdict]) -> list[Verdict]:
    """One verdict for each claim, for a first page. Of several machines' it is a decided one before
    one that is not, and one on the paper's own graphs before one on stand-ins, then the first; what
    a verdict says plays no part in the choice."""
    chosen: dict[str, Verdict] = {}
    for verdict in sorted(verdicts, key=lambda v: (v.verdict == UNDECIDED, v.on_stand_ins)):
        chosen.setdefault(verdict.id, verdict)
    order = dict.fromkeys(verdict.id for verdict in verdicts)
    return [chosen[name] for name in order]


def _load(results: Path, wanted: set[str]) -> Machines:
    machines: Machines = {}
    for folder in find_experiments([results]):
        experiment = load_experiment(folder)
        if experiment.name in wanted:
            machines.setdefault(experiment.machine, {})[experiment.name] = experiment
    return dict(sorted(machines.items()))


def _on_machines(claim: Claim, machines: Machines) -> list[Verdict]:
    if claim.machines:
        return _across_machines(claim, machines)
    verdicts = []
    for experiments in machines.values():
        # The first of the claim's experiments that has rows of what the claim is about.
        tried = (experiments[name] for name in claim.experiments if name in experiments)
        found = (_judged(claim, experiment, {}) for experiment in tried)
        verdicts += [verdict for verdict in found if verdict][:1]
    return verdicts


def _across_machines(claim: Claim, machines: Machines) -> list[Verdict]:
    """A claim that compares machines has one verdict for all, from the first of its experiments
    that each of them has."""
    for name in claim.experiments:
        have = {m: machines[m][name] for m in claim.machines if name in machines.get(m, {})}
        if len(have) == len(claim.machines):
            verdict = _judged(claim, next(iter(have.values())), have)
            return [verdict] if verdict else []
    return []


def _judged(claim: Claim, experiment: Experiment, others: dict[str, Experiment]) -> Verdict | None:
    """None if the experiment has no row of something that the claim is about."""
    evaluation = Evaluation(claim.id, experiment, others)
    try:
        result = evaluation.result(claim.value)
    except NothingLeft as nothing:
        result, why = None, str(nothing)
    except ClaimError as error:
        raise ClaimError(f"{claim.id}: {error}") from error
    if evaluation.account.absent:
        return None
    account = evaluation.account
    foreign = [
        graph for graph in account.graphs if account.graphs[graph] or not claim.is_papers(graph)
    ]
    if result is None:
        verdict, words = UNDECIDED, _nothing_left(account, why)
    else:
        kept = len(evaluation.used) >= len(account.asked) / 2
        verdict, words = _graded(claim, result, bool(foreign), kept)
    notes = [words, *_notes(account, foreign, experiment), *claim.caveats]
    return Verdict(
        id=claim.id,
        paper=claim.paper,
        item=claim.item,
        text=claim.text,
        experiment=experiment.name,
        statistic=described(claim.value),
        paper_value=str(claim.printed),
        value=result.value if result else None,
        interval=result.interval if result else None,
        verdict=verdict,
        reason=" ".join(notes),
        machine=", ".join(others) or experiment.machine,
        command=experiment.command(),
        minutes=_minutes(experiment.runs),
        figure=claim.figure,
        unit=claim.printed.unit,
        on_stand_ins=bool(foreign),
    )


def _graded(claim: Claim, result: Result, on_stand_ins: bool, kept: bool) -> tuple[str, str]:
    """The verdict and the sentence that says why; `kept` says whether enough cells are left."""
    verdict = _grade(claim, result.value)
    ends = {_grade(claim, end) for end in result.interval or ()}
    words = _compared(claim, result.value, verdict)
    if not kept:
        return UNDECIDED, f"More than half of the graphs have no clean number. {words}"
    if (REFUTED in ends | {verdict}) and len(ends | {verdict}) > 1:
        low, high = (number(end) for end in result.interval or ())
        return UNDECIDED, f"{words} But its interval, {low} to {high}, reaches across that limit."
    if verdict == REPRODUCED and on_stand_ins:
        verdict = ON_STAND_INS
    return verdict, words


def _grade(claim: Claim, value: float) -> str:
    if claim.reproduced.allow(value, claim.printed.value):
        return REPRODUCED
    direction = claim.same_direction
    if direction and direction.allow(value, claim.printed.value):
        return SAME_DIRECTION
    return REFUTED


def _compared(claim: Claim, value: float, verdict: str) -> str:
    shown = number(value)
    allowed = _range(claim.reproduced.bounds(claim.printed.value))
    if verdict == REPRODUCED:
        return f"{shown} is {allowed}, which counts as reproduced."
    said = f"{shown} is not {allowed}, which would count as reproduced"
    if claim.same_direction is None:
        return f"{said}."
    direction = _range(claim.same_direction.bounds(claim.printed.value))
    if verdict == SAME_DIRECTION:
        return f"{said}, but {direction}, the same direction."
    return f"{said}, nor {direction}, which would be the same direction."


def _range(bounds: tuple[float, float]) -> str:
    low, high = bounds
    if low == float("-inf"):
        return f"at most {number(high)}"
    if high == float("inf"):
        return f"at least {number(low)}"
    return f"exactly {number(low)}" if low == high else f"{number(low)} to {number(high)}"


def _nothing_left(account: Account, error: str) -> str:
    if account.polluted and not account.lost:
        return "Every trial was disturbed by foreign load, so there is no number."
    return f"There is no number: {error}."


def _notes(account: Account, foreign: list[str], experiment: Experiment) -> list[str]:
    notes = []
    if foreign:
        own = len(account.graphs) - len(foreign)
        named = ", ".join(_stand_in(graph, account.graphs[graph]) for graph in foreign)
        few = (
            f"{own} of {len(account.graphs)} graphs are the paper's own"
            if own
            else ("No graph is the paper's own")
        )
        notes.append(f"{few}; read instead: {named}.")
    if account.lost:
        notes.append(f"Left out since a trial failed: {_lost(account.lost)}.")
    if account.polluted:
        notes.append(f"Left out since foreign load disturbed them: {account.polluted} trials.")
    if experiment.environment.get("dirty"):
        notes.append("The rows are of a program with uncommitted changes.")
    return notes


def _lost(cells: dict[str, str]) -> str:
    if len(cells) <= 4:
        return ", ".join(f"{graph_name(cell)} ({how})" for cell, how in cells.items())
    return f"{len(cells)} cells ({', '.join(sorted(set(cells.values())))})"


def _stand_in(graph: str, replaced: str) -> str:
    return f"{graph_name(graph)} for {replaced}" if replaced else graph_name(graph)


def _minutes(runs: pd.DataFrame) -> float | None:
    """From the first trial's end to the last one's, which leaves out the first graph's loading."""
    times = pd.to_datetime(runs["utc"], errors="coerce", utc=True).dropna()
    return (times.max() - times.min()).total_seconds() / 60 if len(times) > 1 else None


def _missing(claim: Claim, needed: Estimate) -> Verdict:
    return Verdict(
        id=claim.id,
        paper=claim.paper,
        item=claim.item,
        text=claim.text,
        experiment=claim.experiments[0],
        statistic=described(claim.value),
        paper_value=str(claim.printed),
        value=None,
        interval=None,
        verdict=MISSING,
        reason=" ".join(["There are no rows here yet.", needed.source, *claim.caveats]).strip(),
        machine="",
        command=needed.command,
        minutes=needed.minutes,
        figure=claim.figure,
        unit=claim.printed.unit,
        on_stand_ins=False,
    )
