# SPDX-License-Identifier: Apache-2.0
"""From claims and rows to verdicts."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from ..caveats import (
    CONTRADICTION,
    MEANINGS,
    Note,
    Read,
    invocations,
    notes,
    sources,
)
from ..cells import number
from ..claims.claims import FAR, Claim, ClaimError, Limits, load_claims
from ..claims.estimate import Estimate, estimate, minutes_taken
from ..claims.expression import Evaluation, NothingLeft, Result, described
from ..claims.leaves import Account
from ..claims.verdict import (
    MISSING,
    ON_STAND_INS,
    REFUTED,
    REPRODUCED,
    SAME_DIRECTION,
    SAME_DIRECTION_FAR,
    UNDECIDED,
    Verdict,
)
from ..labels import LONG, graph_name
from ..load import Experiment, find_experiments, load_experiment, readable
from ..paper import EXPERIMENTS
from ..stats import FEWEST

NO_ROWS = "There are no rows here yet."
SOURCES_ALONE = f"Fewer than {FEWEST} processes measured, so its interval is over sources alone."
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
    machines = _by_machine(experiments, {name for claim in claims for name in claim.experiments})
    verdicts = []
    for claim in claims:
        found = _naming_others(_on_machines(claim, machines))
        verdicts += found or [_missing(claim, _needed(claim, estimated, results, own, machines))]
    return verdicts


def headlines(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """One verdict for each claim, for a first page. Of several machines' that have a number it is
    the one on the paper's own graphs, then the one of the most sources and processes, then the
    newest. Neither what a verdict says nor the name of its machine plays a part."""
    chosen: dict[str, Verdict] = {}
    for verdict in verdicts:
        other = chosen.setdefault(verdict.id, verdict)
        if _weight(verdict) > _weight(other):
            chosen[verdict.id] = verdict
    return list(chosen.values())


def _weight(verdict: Verdict) -> tuple:
    return (
        verdict.value is not None,
        not verdict.on_stand_ins,
        verdict.sources,
        verdict.invocations,
        verdict.measured,
        verdict.trials,
    )


def _naming_others(verdicts: list[Verdict]) -> list[Verdict]:
    """The verdicts of one claim; each with a number names those of other machines with one that
    differ from it."""
    named = []
    numbers = [verdict for verdict in verdicts if verdict.value is not None]
    for verdict in verdicts:
        differ = [v for v in numbers if v.alike != verdict.alike and verdict.value is not None]
        others = tuple(f"{v.machine}: {v.verdict}" for v in differ)
        said = f" Machines disagree: {'; '.join(others)}." if others else ""
        named.append(replace(verdict, disagreeing=others, reason=verdict.reason + said))
    return named


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
        recorded = [experiments[name] for name in claim.experiments if name in experiments]
        for experiment in sorted(recorded, key=lambda one: not _has_own_graphs(claim, one)):
            if verdict := _judged(claim, experiment, {}):
                verdicts.append(verdict)
                break
    return verdicts


def _has_own_graphs(claim: Claim, experiment: Experiment) -> bool:
    """Whether any graph of its rows is the paper's own."""
    graphs = dict.fromkeys(experiment.runs["graph"])
    return any(claim.is_papers(graph, experiment.stand_in_for(graph)) for graph in graphs)


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
    evaluation = Evaluation(experiment, others)
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
        graph for graph, replaced in account.graphs.items() if not claim.is_papers(graph, replaced)
    ]
    machines = others or {experiment.machine: experiment}
    if result is None:
        verdict, words = UNDECIDED, _nothing_left(account, why)
    else:
        verdict, words = _graded(claim, result, account, evaluation.used)
    condition = claim.not_comparable
    if condition and condition.applies(bool(foreign), _gpu_memory_gb(machines.values())):
        verdict, words = UNDECIDED, f"{words} That says nothing here. {condition.because}"
    rests = {name: _rests(account, name, each) for name, each in machines.items()}
    notes = _notes(claim, account, foreign, machines, rests)
    if claim.contradiction:
        notes.insert(0, Note(CONTRADICTION, claim.contradiction))
    near = verdict in (SAME_DIRECTION, SAME_DIRECTION_FAR)
    said = [
        words,
        _in_words(account, rests.values()),
        SOURCES_ALONE if result and result.interval and result.sources_alone else "",
        _measured(machines),
        *(note.text for note in notes),
        *claim.caveats,
    ]
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
        verdict=ON_STAND_INS.get(verdict, verdict) if foreign else verdict,
        reason=" ".join(dict.fromkeys(part for part in said if part)),
        machine=", ".join(machines),
        command=experiment.command(),
        minutes=minutes_taken(experiment),
        figure=claim.figure,
        unit=claim.printed.unit,
        on_stand_ins=bool(foreign),
        instead=_instead(foreign, account),
        trials=len(account.repetitions) or sum(map(len, rests.values())),
        sources=min(map(sources, rests.values())),
        invocations=1 if account.repetitions else min(map(invocations, rests.values())),
        engines=tuple(sorted(_engines(account, machines))),
        weak=tuple(kind for kind in MEANINGS if kind in {note.kind for note in notes}),
        evidence=claim.evidence,
        distance=_distance(claim, result, verdict) if near else "",
        measured=max(each.last for each in machines.values()),
    )


def _rests(account: Account, machine: str, experiment: Experiment) -> pd.DataFrame:
    """The trials whose numbers enter the value. A source that was disturbed in one cell is left out
    of all of the graph's."""
    rows = experiment.runs.loc[sorted(account.used.get(machine, ()))]
    pairs = zip(rows["graph"], rows["source"], strict=True)
    return rows[np.array([pair not in account.disturbed for pair in pairs], dtype=bool)]


def _in_words(account: Account, rests: Collection[pd.DataFrame]) -> str:
    if account.repetitions:
        return f"Rests on {len(account.repetitions)} repetitions in 1 invocation."
    trials = sum(map(len, rests))
    if not trials:
        return ""
    parts = [f"{trials:,} trial{'s' * (trials > 1)}"]
    if few := min(map(sources, rests)):
        parts.append(f"{few} source{'s' * (few > 1)} a graph")
    few = min(map(invocations, rests))
    return f"Rests on {', '.join(parts)}, {few} invocation{'s' * (few != 1)}."


def _measured(machines: dict[str, Experiment]) -> str:
    """ "Measured at commit 35ff0de on 2026-11-25.", of several machines for each of them; empty
    where no commit is known."""
    said = []
    for name, experiment in machines.items():
        first, last = experiment.days
        commits = ", ".join(one[:7] for one in experiment.commits)
        on = f" on {first}" if first == last else f" from {first} to {last}"
        where = f" on {name}" if len(machines) > 1 else ""
        if commits:
            several = "s" * (len(experiment.commits) > 1)
            said.append(f"at commit{several} {commits}{on if last else ''}{where}")
    return f"Measured {' and '.join(said)}." if said else ""


def _engines(account: Account, machines: dict[str, Experiment]) -> set[str]:
    """Whose rows were read; of a microbenchmark the program."""
    if account.repetitions:
        return {name for each in machines.values() for name in each.programs}
    return {
        engine
        for name, each in machines.items()
        for engine in each.runs.loc[sorted(account.read.get(name, ())), "engine"]
    }


def _gpu_memory_gb(experiments: Iterable[Experiment]) -> float | None:
    """Of the smallest GPU that the rows' environments name, in 10^9 bytes."""
    told = [
        device.get("memory_bytes")
        for each in experiments
        for device in (each.environment.get("gpu") or {}).get("devices") or []
        if isinstance(device, dict)
    ]
    return min(told) / 1e9 if told and all(told) else None


def _graded(
    claim: Claim, result: Result, account: Account, used: Collection[str]
) -> tuple[str, str]:
    """The verdict and the sentence that says why; `used` are the graphs whose numbers enter."""
    verdict = _grade(claim, result.value)
    words = _compared(claim, result, verdict)
    if len(used) < len(account.asked) / 2:
        return UNDECIDED, f"More than half of the graphs have no clean number. {words}"
    if claim.kind == "exact" and verdict == REPRODUCED and len(used) < len(account.asked):
        without = len(account.asked) - len(used)
        return UNDECIDED, f"{words} But graphs without a number could change it: {without}."
    if account.times and result.interval is None:
        return UNDECIDED, f"{words} But times without an interval decide nothing."
    grades = _grades(claim, result)
    if grades == {verdict}:
        return verdict, words
    low, high = map(number, result.interval)
    if grades == {SAME_DIRECTION, SAME_DIRECTION_FAR}:
        words = _compared(claim, result, SAME_DIRECTION_FAR)
        return SAME_DIRECTION_FAR, f"{words} Its interval is {low} to {high}."
    others = ", ".join(name for name in GRADES if name in grades - {verdict})
    never = "" if REPRODUCED in grades else " It is not reproduced in any case."
    return UNDECIDED, f"{words} But its interval, {low} to {high}, reaches into {others}.{never}"


GRADES = (REPRODUCED, SAME_DIRECTION, SAME_DIRECTION_FAR, REFUTED)


def _grades(claim: Claim, result: Result) -> set[str]:
    """The grades of all values of the interval: those of its ends, and those on each side of each
    limit within it."""
    low, high = result.interval or (result.value, result.value)
    printed = claim.printed.value
    limits = [*claim.reproduced.bounds(printed)]
    if claim.same_direction:
        limits += [*claim.same_direction.bounds(printed), printed / FAR, printed * FAR]
    inside = [limit for limit in limits if low < limit < high]
    return {_grade(claim, value) for value in (low, result.value, high, *inside)}


def _grade(claim: Claim, value: float) -> str:
    printed, direction = claim.printed.value, claim.same_direction
    if claim.reproduced.allow(value, printed):
        return REPRODUCED
    if direction is None or value <= 0 or not direction.allow(value, printed):
        return REFUTED
    near = printed / FAR <= value <= printed * FAR
    return SAME_DIRECTION if near else SAME_DIRECTION_FAR


def _distance(claim: Claim, result: Result, verdict: str) -> str:
    """How far a ratio is from the paper's: "2.4 times smaller", or "up to 2.2 times smaller" where
    the interval alone is beyond the factor of two."""
    printed = claim.printed.value
    ends = (result.value, *(result.interval or ()))
    farthest = max(ends, key=lambda value: abs(np.log(value / printed)))
    up_to = verdict == SAME_DIRECTION_FAR and printed / FAR <= result.value <= printed * FAR
    value = farthest if up_to else result.value
    factor = max(value, printed) / min(value, printed)
    # Three digits tell 1.03 from 1, and 2.04 from the factor of two that it is beyond.
    words = number(factor, 3 if factor < 1.1 or 1.9 < factor < 2.1 else 2)
    return f"{'up to ' * up_to}{words} times {'smaller' if value < printed else 'larger'}"


def _compared(claim: Claim, result: Result, verdict: str) -> str:
    value = result.value
    wanted = _range(claim.reproduced, claim.printed.value)
    if verdict == REPRODUCED:
        return f"{number(value)} is {wanted}, which counts as reproduced."
    shown = _beside(value, claim.reproduced.bounds(claim.printed.value))
    said = f"{shown} is not {wanted}, which would count as reproduced"
    if claim.same_direction is None:
        return f"{said}."
    direction = _range(claim.same_direction, claim.printed.value)
    if verdict == REFUTED:
        return f"{said}, nor {direction}, which would be the same direction."
    distance = _distance(claim, result, verdict)
    return f"{said}, but it is {direction}, the same direction: {distance} than the paper's."


def _beside(value: float, limits: Sequence[float]) -> str:
    """Three digits, or as many more as tell it from a limit that it misses."""
    shown = {number(limit) for limit in limits}
    return next(
        (text for d in range(3, 7) if (text := number(value, d)) not in shown), number(value)
    )


def _range(limits: Limits, printed: float) -> str:
    low, high = limits.bounds(printed)
    if low == float("-inf"):
        return f"{'at most' if limits.below is None else 'below'} {number(high)}"
    if high == float("inf"):
        return f"{'at least' if limits.above is None else 'above'} {number(low)}"
    return number(low) if low == high else f"between {number(low)} and {number(high)}"


def _nothing_left(account: Account, error: str) -> str:
    if account.polluted and not account.lost:
        return "Every trial was disturbed, so there is no number."
    return f"There is no number: {error}."


def _notes(
    claim: Claim,
    account: Account,
    foreign: list[str],
    machines: dict[str, Experiment],
    rests: dict[str, pd.DataFrame],
) -> list[Note]:
    """What is weak about the rows; of several machines it says of which."""
    found: dict[str, list[Note]] = {}
    for name, experiment in machines.items():
        rows = experiment.runs.loc[sorted(account.read.get(name, ()))]
        polluted = len(account.polluted.get(name, ()))
        read = Read(
            rows,
            rests[name],
            times=account.times,
            stand_ins=_read_instead(foreign, account) if foreign else "",
            failed=f"Left out since a trial failed: {_lost(account.lost)}." if account.lost else "",
            polluted=f"Left out since they were disturbed: {polluted} trials." if polluted else "",
        )
        found[name] = notes(experiment, read)
    return list(
        dict.fromkeys(
            note if all(note in of for of in found.values()) else _said_of(note, name)
            for name, noted in found.items()
            for note in noted
        )
    )


def _said_of(note: Note, machine: str) -> Note:
    return Note(note.kind, f"On {machine}: {note.text}")


def _lost(cells: dict[str, str]) -> str:
    if len(cells) <= 4:
        return ", ".join(f"{graph_name(cell)} ({how})" for cell, how in cells.items())
    return f"{len(cells)} cells ({', '.join(sorted(set(cells.values())))})"


def _read_instead(foreign: list[str], account: Account) -> str:
    """Which graphs are not the paper's own, by name where they are few."""
    own, all_ = len(account.graphs) - len(foreign), len(account.graphs)
    words = f"{own} of {all_} graphs are the paper's own" if own else "No graph is the paper's own"
    return f"{words}; read instead: {_instead(foreign, account)}."


def _instead(foreign: list[str], account: Account) -> str:
    stand_ins = [graph for graph in foreign if account.graphs[graph]]
    if len(foreign) > 4:
        kind = "stand-ins" if len(stand_ins) == len(foreign) else "other graphs"
        return f"{len(foreign)} {kind}"
    named = []
    for graph in foreign:
        name, replaced = graph_name(graph), account.graphs[graph]
        if len(name) > LONG:
            name = f"a graph generated by {graph.partition(':')[0]}"
        named.append(f"{name} for {replaced}" if replaced else name)
    return ", ".join(named)


def _needed(
    claim: Claim,
    estimated: Callable[[str, dict, str], Estimate],
    results: Path,
    own: bool,
    machines: Machines,
) -> Estimate:
    """How the rows of a claim are made: on this machine, whose folder `results` is or contains, or,
    line by line, on each of those that the claim compares."""
    name = claim.experiments[0]
    if claim.unreachable:
        return Estimate("", None, claim.unreachable)
    if not claim.machines:
        folder = shlex.quote(readable(results)) + ("" if own else "/$(hostname)")
        return estimated(name, claim.settings, folder)
    parent = results.resolve().parent if own else results
    lines, needed = [], None
    for machine in claim.machines:
        needed = estimated(name, claim.settings, shlex.quote(readable(parent / machine)))
        here = ", whose rows are here" if name in machines.get(machine, {}) else ""
        lines.append(f"{needed.command}  # on {machine}{here}")
    apart = "The claim compares machines, and each of them needs a command of its own."
    return Estimate("\n".join(lines), needed.minutes, f"{needed.source} {apart}")


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
        reason=" ".join([NO_ROWS, needed.source, *claim.caveats]).strip(),
        machine="",
        command=needed.command,
        minutes=needed.minutes,
        figure=claim.figure,
        unit=claim.printed.unit,
        evidence=claim.evidence,
    )
