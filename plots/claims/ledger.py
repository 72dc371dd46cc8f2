"""From claims and rows to verdicts."""

from __future__ import annotations

from pathlib import Path

from plots.claims.claims import Claim, load_claims
from plots.claims.verdict import MISSING, Verdict
from plots.load import Experiment, find_experiments, load_experiment
from plots.paper import EXPERIMENTS, spec_file


def evaluate(results: Path, root: Path = EXPERIMENTS) -> list[Verdict]:
    """What the rows in or below `results` say of every claim in <root>/*/claims.json: a verdict for
    each machine that has rows for it, in the order of the files and of the machines' names, or
    one `missing`. Never changes results; the same rows always give the same verdicts.

    Throws ResultsError if the results cannot be read."""
    claims = load_claims(root)
    wanted = {name for claim in claims for name in claim.experiments}
    known: dict[str, dict[str, Experiment]] = {}  # by machine, by experiment
    for folder in find_experiments([results]):
        experiment = load_experiment(folder)
        if experiment.name in wanted:
            known.setdefault(experiment.machine, {})[experiment.name] = experiment
    verdicts = []
    for claim in claims:
        verdicts += [_missing(claim, results)]
    return verdicts


def headlines(verdicts: list[Verdict]) -> list[Verdict]:
    """One verdict for each claim, for a first page: of several machines' the one that rests on the
    paper's own graphs, else the first that is decided. The values play no part in the choice."""
    chosen: dict[str, Verdict] = {}
    for verdict in verdicts:
        chosen.setdefault(verdict.id, verdict)
    return list(chosen.values())


def _missing(claim: Claim, results: Path) -> Verdict:
    name = claim.experiments[0]
    spec = spec_file(name)
    where = spec.relative_to(EXPERIMENTS.parent) if spec else f"<spec of {name}>"
    return Verdict(
        id=claim.id,
        paper=claim.paper,
        item=claim.item,
        text=claim.text,
        experiment=name,
        statistic="",
        paper_value=str(claim.printed["value"]),
        value=None,
        interval=None,
        verdict=MISSING,
        reason="No rows yet.",
        machine="",
        command=f"bfslab run {where} --results {results}",
        minutes=None,
        figure=claim.figure,
    )
