# SPDX-License-Identifier: Apache-2.0
"""Recorded rows as data frames, for notebooks: `import bfslab; bfslab.load(FOLDER)`."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pandas as pd

from .load import (
    COLUMNS,
    Experiment,
    ResultsError,
    find_experiments,
    load_experiment,
)

KEYS = ["machine", "experiment"]
TABLES = (*COLUMNS, "counted")


@dataclass(frozen=True)
class Rows:
    """The rows of several experiments. Every data frame begins with the columns `machine` (the
    folder that holds the experiment's) and `experiment`; a `trial` is a number within these two.
    docs/rows.md has the meaning and the unit of the other columns."""

    experiments: list[Experiment]

    @cached_property
    def runs(self) -> pd.DataFrame:
        """One row per attempt at a trial, of every status, as runs.csv has them; and `series`, the
        case with what a sweep changes in it."""
        return self._all(lambda experiment: experiment.runs)

    @cached_property
    def counted(self) -> pd.DataFrame:
        """The rows that may be compared by time: of each trial the attempt that counts (see
        `attempt` in docs/rows.md), failures included, without instrumented runs."""
        return self._all(lambda experiment: experiment.timed)

    @cached_property
    def levels(self) -> pd.DataFrame:
        return self._all(lambda experiment: experiment.levels)

    @cached_property
    def measures(self) -> pd.DataFrame:
        return self._all(lambda experiment: experiment.measures)

    @cached_property
    def graphs(self) -> pd.DataFrame:
        return self._all(lambda experiment: experiment.graphs)

    @property
    def warnings(self) -> list[str]:
        """The lines that were ignored in reading: torn last lines, incomplete lines."""
        return [warning for experiment in self.experiments for warning in experiment.warnings]

    def to_parquet(self, folder: str | Path) -> list[Path]:
        """Writes runs.parquet, levels.parquet, measures.parquet and graphs.parquet into a folder,
        which is made, and returns their paths. Needs pyarrow. Throws ResultsError where one is."""
        folder = Path(folder)
        paths = [folder / f"{table}.parquet" for table in COLUMNS]
        for path in paths:
            if path.exists():
                raise ResultsError(f"{path}: already exists; name another folder")
        folder.mkdir(parents=True, exist_ok=True)
        for table, path in zip(COLUMNS, paths, strict=True):
            getattr(self, table).to_parquet(path, index=False)
        return paths

    def _all(self, table: Callable[[Experiment], pd.DataFrame]) -> pd.DataFrame:
        frames = []
        for experiment in self.experiments:
            frame = table(experiment).drop(columns=KEYS, errors="ignore")
            keys = {"machine": experiment.machine, "experiment": experiment.name}
            frames.append(
                pd.concat([pd.DataFrame(keys, index=frame.index, columns=KEYS), frame], axis=1)
            )
        filled = [frame for frame in frames if len(frame)]
        return pd.concat(filled or frames[:1], ignore_index=True)


def load(*folders: str | Path, table: str = "runs") -> pd.DataFrame:
    """Every row of a table of the experiments at or below the folders, as `bfslab run` wrote them:

        import bfslab
        rows = bfslab.load("results/my-machine", table="counted")
        rows.groupby(["graph", "series"])["time_ms"].median()

    `table` is runs, levels, measures or graphs, or counted: the rows of runs that may be compared
    by time (see Rows). The columns are `machine`, `experiment` and those of the table in
    docs/rows.md; runs and counted end in `invocation` (the number of the process) and `series`
    (the case with what a sweep changes in it). Lines that were ignored are warnings.
    Throws ResultsError where nothing was recorded, or where a file is not one of bfslab's, and
    ValueError for another table."""
    if table not in TABLES:
        raise ValueError(f"{table!r} is no table; there are {', '.join(TABLES)}")
    rows = read(*folders)
    for warning in rows.warnings:
        warnings.warn(warning, stacklevel=2)
    return getattr(rows, table)


def read(*folders: str | Path) -> Rows:
    """All tables of every experiment at or below the folders. Throws ResultsError as `load`."""
    roots = [Path(folder) for folder in folders]
    for root in roots:
        if not root.is_dir():
            raise ResultsError(f"{root}: not a folder")
    experiments = [load_experiment(folder) for folder in find_experiments(roots)]
    if not experiments:
        named = ", ".join(str(root) for root in roots) or "no folder"
        raise ResultsError(f"{named}: no runs.csv with a spec.json in it or below it")
    return Rows(experiments)
