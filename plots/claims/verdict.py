# SPDX-License-Identifier: Apache-2.0
"""What the ledger says of one claim on one machine."""

from __future__ import annotations

from dataclasses import dataclass

REPRODUCED = "reproduced"
ON_STAND_INS = "reproduced on stand-ins"
SAME_DIRECTION = "same direction"
REFUTED = "refuted"
UNDECIDED = "undecided"  # rows exist, but they do not carry a verdict; the reason says why
MISSING = "missing"  # no rows; the command makes them
VERDICTS = (REPRODUCED, ON_STAND_INS, SAME_DIRECTION, REFUTED, UNDECIDED, MISSING)


@dataclass(frozen=True)
class Verdict:
    """A claim with rows on several machines has one verdict for each of them; one without rows has
    one, `missing`, whose machine is empty."""

    id: str  # unique over all papers: "xbfs-fig11-ad"
    paper: str  # "xbfs"
    item: str  # where the paper says it: "Figure 11; section 6.2"
    text: str  # the claim in our words, one sentence
    experiment: str  # whose rows were read; of a missing claim the one to run
    statistic: str  # what `value` is, in words
    paper_value: str  # as printed, with its range and unit
    value: float | None
    interval: tuple[float, float] | None  # 95 %, by bootstrap over sources; None where none is due
    verdict: str  # one of VERDICTS
    reason: str  # why this verdict, and the caveats on hardware and data; whole sentences
    machine: str  # the folder of results that the rows are from
    command: str  # what makes the rows
    minutes: float | None  # how long that takes, where it is known
    figure: str  # the module of plots.figures that draws the same rows; empty where none does
    unit: str = ""  # of the value and of its interval: "%", "GTEPS"; empty for ratios and counts
    on_stand_ins: bool = False  # whether any graph is not the paper's own
