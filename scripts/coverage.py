# SPDX-License-Identifier: Apache-2.0
"""How often the intervals of docs/statistics.md hold the truth: simulates experiments of known
truth and prints a Markdown table. Nominal are 95 %. Takes some minutes.

Usage, from the root of the repository: .venv/bin/python scripts/coverage.py [EXPERIMENTS]"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from plots import stats

SOURCES = (4, 8, 16, 64)
PROCESSES = (1, 4, 8)
NOISE = 0.02  # standard deviation of the logarithms of single repeats, of which there is one
LUCK = (0.01, 0.1)  # standard deviation of what one process adds to all logarithms

# Logarithms of what sources add; the truth of each statistic is that of many sources.
SPREADS: dict[str, Callable[[np.random.Generator, int], np.ndarray]] = {
    "normal": lambda random, count: 0.5 * random.standard_normal(count),
    "heavy (t, 3 degrees)": lambda random, count: 0.5 * random.standard_t(3, count),
    "1 in 10 takes 10 times as long": lambda random, count: (
        0.2 * random.standard_normal(count) + np.log(10) * (random.random(count) < 0.1)
    ),
}
STATISTICS = {"median time": "median", "mean ratio": "geometric mean"}


def holds(random: np.random.Generator, spread: str, luck: float, statistic: str, sources: int,
          processes: int, truth: float) -> bool:  # fmt: skip
    """Returns whether the interval of one simulated experiment holds the truth."""
    logs = SPREADS[spread](random, sources)[:, None] + luck * random.standard_normal(processes)
    table = np.exp(logs + NOISE * random.standard_normal(logs.shape))
    mean = stats.MEANS[STATISTICS[statistic]]
    found = stats.estimate(stats.drawn(table, [stats.SOURCE, "process"], "", mean, mean))
    return found.low <= truth <= found.high


def main(arguments: list[str]) -> int:
    experiments = int(arguments[0]) if arguments else 1000
    columns = [(sources, processes) for sources in SOURCES for processes in PROCESSES]
    heads = [f"{sources} x {processes}" for sources, processes in columns]
    print(f"| statistic | sources' logarithms | processes | {' | '.join(heads)} |")
    print(f"|{' --- |' * (3 + len(heads))}")
    for name, mean in STATISTICS.items():
        for spread, draw in SPREADS.items():
            many = np.exp(draw(np.random.default_rng(0), 4_000_000))
            truth = float(stats.MEANS[mean](many, 0))
            for luck in LUCK:
                random = np.random.default_rng(1)
                shares = [
                    np.mean([holds(random, spread, luck, name, *column, truth)
                             for _ in range(experiments)])
                    for column in columns
                ]  # fmt: skip
                words = " | ".join(f"{100 * share:.0f}" for share in shares)
                print(f"| {name} | {spread} | {luck:g} | {words} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
