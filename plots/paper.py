# SPDX-License-Identifier: Apache-2.0
"""The papers' own numbers, as transcribed in experiments/<paper>/<item>.paper.csv."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import pandas as pd

from .catalog import DATA
from .load import Experiment

EXPERIMENTS = DATA / "experiments"
COLUMNS = ("table,method,threads,graph,metric,value,unit,note").split(",")


@dataclass(frozen=True)
class PaperTable:
    rows: pd.DataFrame  # COLUMNS, all text as printed

    def cell(self, graph: str, metric: str, method: str = "", threads: int | None = None) -> str:
        """The number as printed, "-" where the paper has a dash or a blank, "" where no cell."""
        rows = self._rows_of(graph, metric, method, threads)
        return (str(rows[0]["value"]) or "-") if rows else ""

    def flagged(
        self, graph: str, metric: str, method: str = "", threads: int | None = None
    ) -> bool:
        """True where the transcription notes that the paper contradicts itself."""
        rows = self._rows_of(graph, metric, method, threads)
        return any(is_flag(row["note"]) for row in rows)

    def _rows_of(self, graph: str, metric: str, method: str, threads: int | None) -> list[dict]:
        return [
            row
            for row in self._by_cell.get((graph, metric), [])
            if (not method or row["method"] == method)
            and (threads is None or row["threads"] == str(threads))
        ]

    @cached_property
    def _by_cell(self) -> dict[tuple[str, str], list[dict]]:
        """By graph and metric: figures ask for hundreds of cells."""
        found: dict[tuple[str, str], list[dict]] = {}
        for row in self.rows.to_dict("records"):
            found.setdefault((row["graph"], row["metric"]), []).append(row)
        return found

    @property
    def graphs(self) -> list[str]:
        return list(dict.fromkeys(self.rows["graph"]))

    @property
    def methods(self) -> list[str]:
        return list(dict.fromkeys(self.rows["method"]))

    @property
    def threads(self) -> list[int]:
        return sorted({int(t) for t in self.rows["threads"] if t})

    @property
    def name(self) -> str:
        return str(self.rows["table"].iloc[0])


def is_flag(note: str) -> bool:
    return any(word in note for word in ("inconsistent", "prints"))


def read_paper_csv(path: Path) -> PaperTable:
    rows = pd.read_csv(path, dtype=str, keep_default_na=False)
    if list(rows.columns) != COLUMNS:
        raise ValueError(f"{path}: columns {list(rows.columns)}, expected {COLUMNS}")
    return PaperTable(rows)


@cache
def spec_files(root: Path) -> dict[str, Path]:
    """The specs below `root` by the experiments' names. Other JSON files have none, as claims."""
    names = {}
    for path in sorted(root.glob("*/*.json")):
        try:
            spec = json.loads(path.read_text(encoding="utf-8"))
        except ValueError:
            continue
        name = spec.get("name") if isinstance(spec, dict) else None
        if isinstance(name, str) and name:
            names[name] = path
    return names


def spec_file(experiment_name: str) -> Path | None:
    """The spec of that name in the repository."""
    return spec_files(EXPERIMENTS).get(experiment_name)


def paper_table(experiment_name: str) -> PaperTable | None:
    """The paper's numbers beside the spec of that name; None if there are none."""
    spec = spec_file(experiment_name)
    path = spec.with_name(spec.stem + ".paper.csv") if spec else None
    return read_paper_csv(path) if path and path.exists() else None


def paper_for(experiment: Experiment) -> PaperTable | None:
    """The numbers beside the experiment's own spec, else those of the item that it
    reproduces: a spec on stand-ins, a benchmark."""
    return paper_table(experiment.name) or _tables_by_item(EXPERIMENTS).get(
        (experiment.spec.get("paper", ""), experiment.spec.get("item", ""))
    )


@cache
def _tables_by_item(root: Path) -> dict[tuple[str, str], PaperTable]:
    tables = {}
    for path in sorted(root.glob("*/*.paper.csv")):
        table = read_paper_csv(path)
        tables[path.parent.name, table.name] = table
    return tables
