# SPDX-License-Identifier: Apache-2.0
"""When, where and from which commits the rows of a report are, in words."""

from __future__ import annotations

from collections.abc import Sequence

from .. import caveats
from ..load import Experiment

HEADS = ("Experiment", "Machine", "Trials", "Sources", "Invocations", "Stand-ins", "GPU", "Commit",
         "Measured")  # fmt: skip
_COMPARED = (
    "Each row compares two versions of the program on {}: `make equivalence` let both take turns. "
    "Nothing in this report is computed from these runs."
)
EQUIVALENCE = _COMPARED.format("one case")
EQUIVALENCE_BY_ENGINE = _COMPARED.format("the cases of one engine, which report.html lists")


def machines(experiments: Sequence[Experiment]) -> dict[str, str]:
    """By folder, the hardware that any of its rows used; a folder may have rows of more GPUs of one
    kind than any of its trials used together."""
    used: dict[str, dict[str, None]] = {}
    gpus: dict[str, set[str]] = {}
    most: dict[str, int] = {}
    for experiment in experiments:
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


def when(experiments: Sequence[Experiment]) -> str:
    """ "Measured from 2026-11-20 to 2026-11-29, at 3 commits, the last of them 35ff0de.", or an
    empty text where neither is known."""
    days = sorted(day for each in experiments for day in each.days if day)
    newest = sorted(experiments, key=lambda each: each.last)
    commits = [commit[:7] for each in newest for commit in each.commits]
    parts = []
    if days:
        parts.append(f"on {days[0]}" if days[0] == days[-1] else f"from {days[0]} to {days[-1]}")
    if several := len(set(commits)):
        last = commits[-1]
        parts.append(
            f"at commit {last}"
            if several == 1
            else f"at {several} commits, the last of them {last}"
        )
    return f"Measured {', '.join(parts)}." if parts else ""


def table(experiments: Sequence[Experiment]) -> list[list[str]]:
    """One row for each experiment and machine, under HEADS."""
    return [_row(experiment) for experiment in experiments]


def _row(experiment: Experiment) -> list[str]:
    rows = caveats.counted(experiment)
    graphs = dict.fromkeys(rows["graph"])
    stand_ins = sum(bool(experiment.stand_in_for(graph)) for graph in graphs)
    trials = [f"{len(rows):,}"] if len(rows) else []
    if disturbed := caveats.polluted(experiment):
        trials.append(f"{disturbed:,} disturbed")
    trials += [f"{n:,} {status}" for status, n in caveats.failures(experiment).items()]
    commits = ", ".join(commit[:7] for commit in experiment.commits)
    first, last = experiment.days
    return [
        experiment.name,
        experiment.machine,
        ", ".join(trials),
        str(caveats.sources(rows) or ""),
        str(caveats.invocations(rows) or ""),
        f"{stand_ins} of {len(graphs)}" if stand_ins else "",
        ", ".join(caveats.devices(experiment)),
        f"{commits} with changes" if experiment.dirty else commits,
        first if first == last else f"{first} to {last}",
    ]
