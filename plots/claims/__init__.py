# SPDX-License-Identifier: Apache-2.0
"""The papers' quantitative claims, and what the recorded rows say of each: `evaluate(results)`."""

from ..claims.ledger import evaluate, headlines
from ..claims.verdict import (
    MISSING,
    REFUTATIONS,
    REFUTED,
    REFUTED_ON_STAND_INS,
    REPRODUCED,
    REPRODUCED_ON_STAND_INS,
    SAME_DIRECTION,
    SAME_DIRECTION_FAR,
    UNDECIDED,
    VERDICTS,
    Verdict,
)

__all__ = [
    "MISSING",
    "REFUTATIONS",
    "REFUTED",
    "REFUTED_ON_STAND_INS",
    "REPRODUCED",
    "REPRODUCED_ON_STAND_INS",
    "SAME_DIRECTION",
    "SAME_DIRECTION_FAR",
    "UNDECIDED",
    "VERDICTS",
    "Verdict",
    "evaluate",
    "headlines",
]
