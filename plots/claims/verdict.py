# SPDX-License-Identifier: Apache-2.0
"""The ledger's verdict on one claim and one machine."""

from __future__ import annotations

from dataclasses import dataclass

REPRODUCED = "reproduced"
REPRODUCED_ON_STAND_INS = "reproduced on stand-ins"
SAME_DIRECTION = "same direction"  # within a factor of two of the paper's ratio
SAME_DIRECTION_FAR = "same direction, far"  # beyond it
REFUTED = "refuted"
REFUTED_ON_STAND_INS = "refuted on stand-ins"
UNDECIDED = "undecided"  # rows exist, but they do not carry a verdict; the reason says why
MISSING = "missing"  # no rows; the command makes them
VERDICTS = (
    REPRODUCED,
    REPRODUCED_ON_STAND_INS,
    SAME_DIRECTION,
    SAME_DIRECTION_FAR,
    REFUTED,
    REFUTED_ON_STAND_INS,
    UNDECIDED,
    MISSING,
)
REFUTATIONS = (REFUTED, REFUTED_ON_STAND_INS)
# Names of verdicts if a graph is not the paper's own.
ON_STAND_INS = {REPRODUCED: REPRODUCED_ON_STAND_INS, REFUTED: REFUTED_ON_STAND_INS}


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
    interval: tuple[float, float] | None  # 95 %, docs/statistics.md; None where none is due
    verdict: str  # one of VERDICTS
    reason: str  # why this verdict, and the caveats on hardware and data; whole sentences
    machine: str  # the folder of results that the rows are from
    command: str  # what makes the rows; where machines are compared, a line for each of them
    minutes: float | None  # how long each of these takes, where it is known; else `reason` says why
    figure: str  # the module of plots.figures that draws the same rows; empty where none does
    unit: str = ""  # of the value and of its interval: "%", "GTEPS"; empty for ratios and counts
    on_stand_ins: bool = False  # whether any graph is not the paper's own
    instead: str = ""  # of what was read in the place of the paper's graphs: "10 stand-ins"
    # The basis of the value: how many trials (of a microbenchmark its repetitions), the fewest
    # sources of a graph (0 where nothing is searched), and the fewest invocations of a cell.
    trials: int = 0
    sources: int = 0
    invocations: int = 0
    engines: tuple[str, ...] = ()  # whose rows these are
    weak: tuple[str, ...] = ()  # what is weak about them: keys of plots.caveats.MEANINGS
    evidence: str = "search"  # a key of plots.claims.claims.EVIDENCE
    distance: str = ""  # of the same direction, from the paper's ratio: "2.4 times smaller"
    measured: str = ""  # when the last of the rows was, in UTC
    disagreeing: tuple[str, ...] = ()  # other machines' verdicts: "h200-x4: refuted"
    # The limits by which the claim is judged, in the unit of the value.
    kind: str = "ratio"  # what decides the limits: docs/claims.md
    printed: float | None = None  # the paper's value as a number
    lower_limit: float | None = None  # of `reproduced`; None where there is none
    upper_limit: float | None = None

    @property
    def words(self) -> str:
        """ "same direction, 1.8 times smaller", or the verdict alone."""
        return f"{self.verdict}, {self.distance}" if self.distance else self.verdict

    @property
    def over_paper(self) -> float | None:
        """Our value over the paper's; None where either is not above zero."""
        if not self.printed or self.value is None or self.printed <= 0 or self.value <= 0:
            return None
        return self.value / self.printed

    @property
    def alike(self) -> str:
        """The verdict without regard to whose graphs were read."""
        return self.verdict.removesuffix(" on stand-ins")
