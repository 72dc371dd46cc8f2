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
from ..claims.claims import Claim, ClaimError, load_claims
from ..claims.estimate import Estimate, estimate, minutes_taken
from ..claims.expression import Evaluation, NothingLeft, Result, described
from ..claims.grades import distance_words, graded
from ..claims.leaves import Account
from ..claims.verdict import (
    MISSING,
    ON_STAND_INS,
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
OWN_GRAPHS = "Rows on the paper's own graphs would decide it."
Machines = dict[str, dict[str, Experiment]]  # by machine, by the experiment's name


def evaluate(
    results: Path,
    root: Path = EXPERIMENTS,
    estimated: Callable[[str, dict, str], Estimate] = estimate,
    experiments: Sequence[Experiment] | None = None,
    paper: str = "",
) -> list[Verdict]:
    """Judges every claim in <root>/*/claims.json, or those of one paper, by the rows in or below
    `results`: one verdict for each machine that has rows for it, in the order of the files and of
    the machines' names, or one `missing`. Never changes results; the same rows always give the same
    verdicts. `experiments` are those of `results`, where a caller has loaded them already;
    `estimated` says how missing rows are made.

    Throws ResultsError if the results cannot be read, ClaimError if a claim is written wrongly."""
    claims = [claim for claim in load_claims(root) if paper in ("", claim.paper)]
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
        sentence = f" Machines disagree: {'; '.join(others)}." if others else ""
        named.append(replace(verdict, disagreeing=others, reason=verdict.reason + sentence))
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
    """Returns whether any graph of its rows is the paper's own."""
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
    """Returns None if the experiment has no row of something that the claim is about."""
    evaluation = Evaluation(experiment, others)
    result, why = None, ""
    try:
        result = evaluation.result(claim.value)
    except NothingLeft as nothing:
        why = str(nothing)
    except ClaimError as error:
        raise ClaimError(f"{claim.id}: {error}") from error
    account = evaluation.account
    if account.absent:
        return None
    foreign = [
        graph for graph, replaced in account.graphs.items() if not claim.is_papers(graph, replaced)
    ]
    machines = others or {experiment.machine: experiment}
    rests = {name: _rests(account, name, each) for name, each in machines.items()}
    if result is None:
        verdict, words = UNDECIDED, _nothing_left(account, why)
    else:
        few = min(map(sources, rests.values()))
        verdict, words = graded(claim, result, account, evaluation.used, few)
    condition = claim.not_comparable
    if condition and condition.applies(bool(foreign), _gpu_memory_gb(machines.values())):
        verdict, words = UNDECIDED, f"{words} That says nothing here. {condition.because}"
        words += f" {OWN_GRAPHS}" if condition.on_stand_ins else ""
    notes = _notes(claim, account, foreign, machines, rests)
    near = verdict in (SAME_DIRECTION, SAME_DIRECTION_FAR)
    return replace(
        _unmeasured(claim),
        experiment=experiment.name,
        value=result.value if result else None,
        interval=result.interval if result else None,
        verdict=ON_STAND_INS.get(verdict, verdict) if foreign else verdict,
        reason=_reason(claim, words, result, account, machines, rests, notes),
        machine=", ".join(machines),
        command=experiment.command(),
        minutes=minutes_taken(experiment),
        on_stand_ins=bool(foreign),
        instead=_instead(foreign, account),
        trials=len(account.repetitions) or sum(map(len, rests.values())),
        sources=min(map(sources, rests.values())),
        invocations=1 if account.repetitions else min(map(invocations, rests.values())),
        engines=tuple(sorted(_engines(account, machines))),
        weak=tuple(kind for kind in MEANINGS if kind in {note.kind for note in notes}),
        distance=distance_words(claim, result, verdict) if near else "",
        measured=max(each.last for each in machines.values()),
    )


def _reason(
    claim: Claim,
    words: str,
    result: Result | None,
    account: Account,
    machines: dict[str, Experiment],
    rests: dict[str, pd.DataFrame],
    notes: list[Note],
) -> str:
    """The sentences that explain a verdict, each of them once."""
    sentences = [
        words,
        _in_words(account, rests.values()),
        SOURCES_ALONE if result and result.interval and result.sources_alone else "",
        _measured(machines, rests),
        *(note.text for note in notes),
        *claim.caveats,
    ]
    return " ".join(dict.fromkeys(sentence for sentence in sentences if sentence))


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


def _measured(machines: dict[str, Experiment], rests: dict[str, pd.DataFrame]) -> str:
    """ "Measured at commit 35ff0de on 2026-11-25.", of several machines for each of them; empty
    where no commit is known. Commits and days are those of the trials that enter the value, or of
    all rows where none do."""
    places = []
    for name, experiment in machines.items():
        rows = rests[name]
        commits = [one for one in dict.fromkeys(rows["commit"]) if one] or experiment.commits
        made = sorted(utc[:10] for utc in rows["utc"] if utc) or experiment.days
        on = f" on {made[0]}" if made[0] == made[-1] else f" from {made[0]} to {made[-1]}"
        where = f" on {name}" if len(machines) > 1 else ""
        if commits:
            several = "s" * (len(commits) > 1)
            shown = ", ".join(one[:7] for one in commits)
            places.append(f"at commit{several} {shown}{on if made[-1] else ''}{where}")
    return f"Measured {' and '.join(places)}." if places else ""


def _engines(account: Account, machines: dict[str, Experiment]) -> set[str]:
    """Returns the engines whose rows were read, or a microbenchmark's program."""
    if account.repetitions:
        return {name for each in machines.values() for name in each.programs}
    return {
        engine
        for name, each in machines.items()
        for engine in each.runs.loc[sorted(account.read.get(name, ())), "engine"]
    }


def _gpu_memory_gb(experiments: Iterable[Experiment]) -> float | None:
    """Returns the memory of the smallest GPU in the rows' environments, in 10^9 bytes."""
    sizes = [
        device.get("memory_bytes")
        for each in experiments
        for device in (each.environment.get("gpu") or {}).get("devices") or []
        if isinstance(device, dict)
    ]
    return min(sizes) / 1e9 if sizes and all(sizes) else None


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
    """Returns the weaknesses of the rows; with several machines, notes name theirs."""
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
    named = [
        note if all(note in each for each in found.values()) else _named(note, name)
        for name, noted in found.items()
        for note in noted
    ]
    contradiction = [Note(CONTRADICTION, claim.contradiction)] if claim.contradiction else []
    return contradiction + list(dict.fromkeys(named))


def _named(note: Note, machine: str) -> Note:
    return Note(note.kind, f"On {machine}: {note.text}")


def _lost(cells: dict[str, str]) -> str:
    if len(cells) <= 4:
        return ", ".join(f"{graph_name(cell)} ({why})" for cell, why in cells.items())
    return f"{len(cells)} cells ({', '.join(sorted(set(cells.values())))})"


def _read_instead(foreign: list[str], account: Account) -> str:
    """Names the graphs that are not the paper's own, or counts them if there are many."""
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
    return replace(
        _unmeasured(claim),
        reason=" ".join([NO_ROWS, needed.source, *claim.caveats]).strip(),
        command=needed.command,
        minutes=needed.minutes,
    )


def _unmeasured(claim: Claim) -> Verdict:
    """Returns a verdict with the facts of its claim; the rest is empty."""
    low, high = claim.reproduced.bounds(claim.printed.value)
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
        reason="",
        machine="",
        command="",
        minutes=None,
        figure=claim.figure,
        unit=claim.printed.unit,
        evidence=claim.evidence,
        kind=claim.kind,
        printed=claim.printed.value,
        lower_limit=low if np.isfinite(low) else None,
        upper_limit=high if np.isfinite(high) else None,
    )
