# SPDX-License-Identifier: Apache-2.0
"""Grades a value and its interval against a claim's limits, and explains the grade in words."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from ..cells import number
from ..claims.claims import FAR, Claim, Limits
from ..claims.expression import Result
from ..claims.leaves import Account
from ..claims.verdict import REFUTED, REPRODUCED, SAME_DIRECTION, SAME_DIRECTION_FAR, UNDECIDED
from ..stats import FEWEST

GRADES = (REPRODUCED, SAME_DIRECTION, SAME_DIRECTION_FAR, REFUTED)


def graded(
    claim: Claim, result: Result, account: Account, used: Collection[str], sources: int
) -> tuple[str, str]:
    """Returns the verdict and the sentences that explain it, which say of an interval how more rows
    would narrow it. `used` are the graphs whose numbers enter, and `sources` is the fewest of any
    of them."""
    verdict = _grade(claim, result.value)
    words = _comparison(claim, result, verdict)
    if len(used) < len(account.asked) / 2:
        return UNDECIDED, f"More than half of the graphs have no clean number. {words}"
    if claim.kind == "exact" and verdict == REPRODUCED and len(used) < len(account.asked):
        without = len(account.asked) - len(used)
        return UNDECIDED, f"{words} But graphs without a number could change it: {without}."
    if account.times and result.interval is None:
        takes = f" An interval takes {FEWEST} sources of each graph." if sources < FEWEST else ""
        return UNDECIDED, f"{words} But times without an interval decide nothing.{takes}"
    grades = _grades(claim, result)
    if grades == {verdict}:
        return verdict, words
    low, high = map(number, result.interval)
    if grades == {SAME_DIRECTION, SAME_DIRECTION_FAR}:
        words = _comparison(claim, result, SAME_DIRECTION_FAR)
        return SAME_DIRECTION_FAR, f"{words} Its interval is {low} to {high}."
    others = ", ".join(name for name in GRADES if name in grades - {verdict})
    never = "" if REPRODUCED in grades else " It is not reproduced in any case."
    words = f"{words} But its interval, {low} to {high}, reaches into {others}.{never}"
    more = "repetitions" if account.repetitions else "sources per graph"
    more += "" if result.sources_alone or account.repetitions else ", or more invocations,"
    return UNDECIDED, f"{words} More {more} would narrow the interval."


def _grades(claim: Claim, result: Result) -> set[str]:
    """Returns the grades of all values of the interval: of its ends, and on each side of each limit
    within it."""
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


def distance_words(claim: Claim, result: Result, verdict: str) -> str:
    """Says how far a ratio is from the paper's: "2.4 times smaller", or "up to 2.2 times smaller"
    where the interval alone is beyond the factor of two."""
    printed = claim.printed.value
    ends = (result.value, *(result.interval or ()))
    farthest = max(ends, key=lambda value: abs(np.log(value / printed)))
    up_to = verdict == SAME_DIRECTION_FAR and printed / FAR <= result.value <= printed * FAR
    value = farthest if up_to else result.value
    factor = max(value, printed) / min(value, printed)
    # Three digits distinguish 1.03 from 1, and 2.04 from the factor of two that it is beyond.
    words = number(factor, 3 if factor < 1.1 or 1.9 < factor < 2.1 else 2)
    return f"{'up to ' * up_to}{words} times {'smaller' if value < printed else 'larger'}"


def _comparison(claim: Claim, result: Result, verdict: str) -> str:
    value = result.value
    wanted = _range(claim.reproduced, claim.printed.value)
    if verdict == REPRODUCED:
        return f"{number(value)} is {wanted}, which counts as reproduced."
    shown = _beside(value, claim.reproduced.bounds(claim.printed.value))
    words = f"{shown} is not {wanted}, which would count as reproduced"
    if claim.same_direction is None:
        return f"{words}."
    direction = _range(claim.same_direction, claim.printed.value)
    if verdict == REFUTED:
        return f"{words}, nor {direction}, which would be the same direction."
    distance = distance_words(claim, result, verdict)
    return f"{words}, but it is {direction}, the same direction: {distance} than the paper's."


def _beside(value: float, limits: Sequence[float]) -> str:
    """Returns three digits, or up to six where three are those of a limit that it misses."""
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
