"""The papers' quantitative claims, and what the recorded rows say of each: `evaluate(results)`."""

from plots.claims.ledger import evaluate, headlines
from plots.claims.verdict import (
    MISSING,
    ON_STAND_INS,
    REFUTED,
    REPRODUCED,
    SAME_DIRECTION,
    UNDECIDED,
    VERDICTS,
    Verdict,
)

__all__ = [
    "MISSING",
    "ON_STAND_INS",
    "REFUTED",
    "REPRODUCED",
    "SAME_DIRECTION",
    "UNDECIDED",
    "VERDICTS",
    "Verdict",
    "evaluate",
    "headlines",
]
