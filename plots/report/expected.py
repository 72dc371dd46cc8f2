# SPDX-License-Identifier: Apache-2.0
"""What the rows that come with bfslab say of the claims that somebody's own rows decide."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..claims import MISSING, Verdict, evaluate, headlines
from ..claims.claims import load_claims
from ..claims.estimate import RECORDED, Estimate
from ..load import Experiment, ResultsError, find_experiments, load_experiment


def is_own(roots: Sequence[Path], results: Path = RECORDED) -> bool:
    """Returns whether the roots leave out any of the recorded rows."""
    inside = [root.resolve() for root in roots]
    return not any(results.resolve().is_relative_to(root) for root in inside)


def recorded(
    verdicts: Sequence[Verdict], roots: Sequence[Path], results: Path = RECORDED
) -> dict[str, Verdict]:
    """By claim, the verdict of the recorded rows outside of `roots`, for each claim that has one
    among `verdicts` with rows. Folders that cannot be read are passed over: the report is not about
    them."""
    wanted = {verdict.id for verdict in verdicts if verdict.verdict != MISSING}
    names = {name for claim in load_claims() if claim.id in wanted for name in claim.experiments}
    if not names or not results.is_dir():
        return {}
    inside = [root.resolve() for root in roots]
    folders = [
        folder
        for folder in find_experiments([results])
        if folder.name in names and not any(folder.is_relative_to(root) for root in inside)
    ]
    experiments = [loaded for folder in folders if (loaded := _loaded(folder))]
    found = evaluate(results, estimated=_no_estimate, experiments=experiments)
    return {
        verdict.id: verdict
        for verdict in headlines([v for v in found if v.verdict != MISSING])
        if verdict.id in wanted
    }


def _loaded(folder: Path) -> Experiment | None:
    try:
        return load_experiment(folder)
    except ResultsError:
        return None


def _no_estimate(experiment: str, settings: dict, results: str) -> Estimate:
    return Estimate("", None, "")
