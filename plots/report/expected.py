# SPDX-License-Identifier: Apache-2.0
"""Verdicts by the rows that come with bfslab, beside those by a user's own rows."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..claims import MISSING, Verdict, headlines
from ..claims.claims import load_claims
from ..claims.estimate import RECORDED
from ..claims.expected import recorded_verdicts


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
    found = headlines(recorded_verdicts(results, names, but=roots))
    return {verdict.id: verdict for verdict in found if verdict.id in wanted}
