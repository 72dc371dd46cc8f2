# SPDX-License-Identifier: Apache-2.0
"""From claims and rows to verdicts."""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path

import pandas as pd

from ..caveats import compiled_elsewhere
from ..cells import number
from ..claims.claims import Claim, ClaimError, load_claims
from ..claims.estimate import Estimate, estimate
from ..claims.expression import Evaluation, NothingLeft, Result, described
from ..claims.leaves import Account
from ..claims.verdict import (
    MISSING,
    ON_STAND_INS,
    REFUTED,
    REPRODUCED,
    SAME_DIRECTION,
    UNDECIDED,
    Verdict,
)
from ..labels import graph_name
from ..load import PACKED, Experiment, find_experiments, load_experiment, unpacked
from ..paper import EXPERIMENTS

Machines = dict[str, dict[str, Experiment]]  # by machine, by the experiment's name


def evaluate(
    results: Path,
    root: Path = EXPERIMENTS,
    estimated: Callable[[str, dict, str], Estimate] = estimate,
    experiments: Sequence[Experiment] | None = None,
) -> list[Verdict]:
    """What the rows in or below `results` say of every claim in <root>/*/claims.json: a verdict for
    each machine that has rows for it, in the order of the files and of the machines' names, or
    one `missing`. Never changes results; the same rows always give the same verdicts.
    `experiments` are those of `results`, where a caller has loaded them already; `estimated` says
    how missing rows are made.

    Throws ResultsError if the results cannot be read, ClaimError if a claim is written wrongly."""
    claims = load_claims(root)
    if experiments is None:
        experiments = [load_experiment(folder) for folder in find_experiments([results])]
    own = any(experiment.folder.parent == results.resolve() for experiment in experiments)
    folder = shlex.quote(str(results)) + ("" if own else "/$(hostname)")
    machines = _by_machine(experiments, {name for claim in claims for name in claim.experiments})
    verdicts = []
    for claim in claims:
        found = _on_machines(claim, machines)
        verdicts += found or [
            _missing(claim, estimated(claim.experiments[0], claim.settings, folder))
        ]
    return verdicts


def made_from(results: Path, root: Path = EXPERIMENTS) -> dict[str, str]:
    """Hashes of the claims ("") and of each machine's rows, by which recorded verdicts can be told
    to be old; a packed table counts as if it were not, and what a worker printed not at all. Throws
    ResultsError where a table is damaged."""
    machines: dict[str, list[Path]] = {"": sorted(root.glob("*/claims.json"))}
    for folder in find_experiments([results]):
        files = [
            path
            for path in sorted(folder.iterdir())
            if path.is_file() and not path.name.startswith(".") and path.suffix != ".log"
        ]
        machines.setdefault(folder.parent.name, []).extend(files)
    return {machine: _hash(paths) for machine, paths in sorted(machines.items())}


def _hash(paths: list[Path]) -> str:
    total = hashlib.sha256()
    for path in paths:
        total.update(f"{path.parent.name}/{path.name.removesuffix(PACKED)}\n".encode())
        total.update(hashlib.sha256(unpacked(path)).digest())
    return total.hexdigest()[:16]


def headlines(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """One verdict for each claim, for a first page. Of several machines' it is a decided one before
    one that is not, and one on the paper's own graphs before one on stand-ins, then the first; what
    a verdict says plays no part in the choice."""
    chosen: dict[str, Verdict] = {}
    for verdict in sorted(verdicts, key=lambda v: (v.verdict == UNDECIDED, v.on_stand_ins)):
        chosen.setdefault(verdict.id, verdict)
    order = dict.fromkeys(verdict.id for verdict in verdicts)
    return [chosen[name] for name in order]


def _by_machine(experiments: Sequence[Experiment], wanted: set[str]) -> Machines:
    machines: Machines = {}
    for experiment in experiments:
        if experiment.name in wanted:
            machines.setdefault(experiment.machine, {})[experiment.name] = experiment
    return dict(sorted(machines.items()))


def _on_machines(claim: Claim, machines: Machines) -> list[Verdict]:
    if claim.machines:
        return _across_machines(claim, machines)
    verdicts = []
    for experiments in machines.values():
        for name in claim.experiments:
            verdict = _judged(claim, experiments[name], {}) if name in experiments else None
            if verdict:
                verdicts.append(verdict)
                break
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
        minutes=_minutes(experiment),
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
    limits = claim.reproduced.bounds(claim.printed.value)
    if verdict == REPRODUCED:
        return f"{number(value)} is {_range(limits)}, which counts as reproduced."
    said = f"{number(value)} is not {_range(limits)}, which would count as reproduced"
    if claim.same_direction is None:
        return f"{said}."
    direction = _range(claim.same_direction.bounds(claim.printed.value))
    if verdict == SAME_DIRECTION:
        return f"{said}, but it is {direction}, the same direction."
    return f"{said}, nor {direction}, which would be the same direction."


def _range(bounds: tuple[float, float]) -> str:
    low, high = bounds
    if low == float("-inf"):
        return f"at most {number(high)}"
    if high == float("inf"):
        return f"at least {number(low)}"
    return number(low) if low == high else f"between {number(low)} and {number(high)}"


def _nothing_left(account: Account, error: str) -> str:
    if account.polluted and not account.lost:
        return "Every trial was disturbed by foreign load, so there is no number."
    return f"There is no number: {error}."


def _notes(account: Account, foreign: list[str], experiment: Experiment) -> list[str]:
    notes = []
    if foreign:
        notes.append(_read_instead(foreign, account))
    if account.lost:
        notes.append(f"Left out since a trial failed: {_lost(account.lost)}.")
    if account.polluted:
        notes.append(f"Left out since foreign load disturbed them: {account.polluted} trials.")
    if experiment.environment.get("dirty"):
        notes.append("The rows are of a program with uncommitted changes.")
    if elsewhere := compiled_elsewhere(experiment):
        notes.append(elsewhere)
    return notes


def _lost(cells: dict[str, str]) -> str:
    if len(cells) <= 4:
        return ", ".join(f"{graph_name(cell)} ({how})" for cell, how in cells.items())
    return f"{len(cells)} cells ({', '.join(sorted(set(cells.values())))})"


def _read_instead(foreign: list[str], account: Account) -> str:
    """Which graphs are not the paper's own, by name where they are few."""
    own, all_ = len(account.graphs) - len(foreign), len(account.graphs)
    words = f"{own} of {all_} graphs are the paper's own" if own else "No graph is the paper's own"
    stand_ins = [graph for graph in foreign if account.graphs[graph]]
    if len(foreign) > 4:
        kind = "stand-ins of its graphs" if len(stand_ins) == len(foreign) else "other graphs"
        return f"{words}; read instead: {len(foreign)} {kind}."
    named = [
        f"{graph_name(graph)}{f' for {replaced}' if (replaced := account.graphs[graph]) else ''}"
        for graph in foreign
    ]
    return f"{words}; read instead: {', '.join(named)}."


def _minutes(experiment: Experiment) -> float | None:
    """From the loading of the first trial's graph to the end of the last trial. Hours without any
    trial are those between a run and its continuation. None for a microbenchmark."""
    ends = pd.to_datetime(experiment.runs["utc"], errors="coerce", utc=True)
    if ends.isna().all():
        return None
    first = experiment.runs.loc[ends.idxmin()]
    loading = experiment.graphs.loc[experiment.graphs["graph"] == first["graph"], "load_ms"]
    before = pd.Series([first["time_ms"], first["setup_ms"], *loading], dtype=float).sum() / 1000
    gaps = ends.sort_values().diff().dt.total_seconds()
    return float(before + gaps[gaps < 3600].sum()) / 60


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
