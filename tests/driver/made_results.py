# SPDX-License-Identifier: Apache-2.0
"""Folders of results whose times are made up, so that the answer is known."""

import csv
import json
from pathlib import Path

from tests.sealing import seal_tables

ROOT = Path(__file__).resolve().parents[2]
TABLES = {
    table: [column["name"] for column in columns if column["name"] != "seal"]
    for table, columns in json.loads((ROOT / "plots/columns.json").read_text()).items()
}
MACHINE = {
    "commit": "0123456789", "dirty": False, "build_hash": "b",
    "cpu": {"model": "made up", "allowed": 2},
}  # fmt: skip


def write(
    folder: Path, times: dict, environment: dict | None = None, spec: dict | None = None, **facts
) -> Path:
    """`times`: by (case, graph) the times in ms of each source, a list of repeats each; a time
    that is a string is a status. `facts`: columns that all rows share, or functions of the
    case, or values of some graphs."""
    rows = []
    for (case, graph), sources in times.items():
        for source, repeats in enumerate(sources):
            for repeat, time in enumerate(repeats):
                row = dict.fromkeys(TABLES["runs"], "") | {
                    "trial": len(rows), "experiment": folder.name, "case": case, "graph": graph,
                    "graph_hash": f"hash of {graph}", "engine": "hybrid", "toggles": f"case={case}",
                    "answer": "levels", "source": source, "repeat": repeat, "attempt": 0,
                    "position_in_round": 0, "ranks": 1, "gpus_per_rank": 0, "validated": 1,
                    "levels": 5, "reached_vertices": 100, "foreign_load_pct": 0, "polluted": 0,
                    "instrumented": 0, "build_hash": "b", "utc": "2026",
                }  # fmt: skip
                ok = not isinstance(time, str)
                row |= {"status": "ok" if ok else time, "time_ms": time if ok else ""}
                for name, value in facts.items():
                    if isinstance(value, dict):
                        row[name] = value.get(graph, row[name])
                    else:
                        row[name] = value(case) if callable(value) else value
                rows.append(row)
    folder.mkdir(parents=True)
    facts_of_machine = {"format": 3, "sealed": True} | (environment or MACHINE)
    (folder / "environment.json").write_text(json.dumps(facts_of_machine))
    for table, columns in TABLES.items():
        with (folder / f"{table}.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, columns, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows if table == "runs" else [])
    seal_tables(folder)
    (folder / "spec.json").write_text(json.dumps(spec or {}))
    return folder


def spread(scale: float, sources: int = 8, repeats: int = 3) -> list[list[float]]:
    """Times around `scale`, which differ by source far more than by repeat."""
    return [
        [scale * (1 + source) * (1 + 0.01 * repeat) for repeat in range(repeats)]
        for source in range(sources)
    ]
