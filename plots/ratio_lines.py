# SPDX-License-Identifier: Apache-2.0
"""Lines of ratios (plots.ratios.COLUMNS) over an axis of numbers: means with their intervals, and
how far the sources reach."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from .ratios import COLUMNS

STATISTIC = (
    "geometric mean over sources (marks; whiskers: its bootstrapped 95 % interval), and from the "
    "lowest source to the highest (pale lines)"
)
ENDS = COLUMNS[:5]  # value, low, high, least, most


def draw(axes, at: Sequence[float], rows: pd.DataFrame, columns: Sequence[str] = ENDS,
         scale: float | pd.Series = 1.0, **look: object) -> None:  # fmt: skip
    """`columns` name value, interval and range in `rows`, all drawn times `scale`; `look` is that
    of the line. Where there is no interval, or no range, none is drawn."""
    value, low, high, least, most = (rows[name] * scale for name in columns)
    axes.plot(at, value, **look)
    at = np.asarray(at, dtype=float)
    color = look.get("color")
    axes.vlines(at, least, most, color=color, alpha=0.25, linewidth=3.5, zorder=1.6)
    known = (low.notna() & high.notna() & (low < high)).to_numpy()
    # Intervals over several processes need not lie about the mean.
    spread = np.array([(value - low)[known].clip(lower=0), (high - value)[known].clip(lower=0)])
    axes.errorbar(at[known], value[known], spread, linestyle="none", color=color, elinewidth=0.8,
                  capsize=2.2, zorder=2.5)  # fmt: skip
