# SPDX-License-Identifier: Apache-2.0
"""The catalogue's groups and stand-ins, as a spec names them: rows have their members' names."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

# Experiments and the catalogue: in this package where pip installed it, else beside it.
PACKAGE = Path(__file__).resolve().parent
DATA = PACKAGE if (PACKAGE / "experiments").is_dir() else PACKAGE.parent
CATALOG = DATA / "datasets" / "catalog.json"


@cache
def catalogue(path: Path = CATALOG) -> dict:
    """The file; without groups and entries if it is not beside the plots."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError:
        return {"groups": [], "entries": []}


def groups() -> dict[str, list[str]]:
    """Group -> members in the paper's order."""
    return {group["name"]: group["members"] for group in catalogue()["groups"]}


def entries() -> dict[str, dict]:
    """The entries by their names."""
    return {entry["name"]: entry for entry in catalogue()["entries"]}


def stand_in(graph: str) -> str:
    """ "com-lj,relabel=degree" -> "com-lj-standin,relabel=degree" """
    name, comma, options = graph.partition(",")
    return f"{name.split(':')[-1]}-standin{comma}{options}"


def as_recorded(listed: list[str], recorded: list[str]) -> list[str]:
    """The graphs of a spec under the names that their rows have: groups as their members, and a
    graph without rows as its stand-in, where that has rows."""
    names = [name for graph in listed for name in groups().get(graph, [graph])]
    return [
        stand_in(name) if name not in recorded and stand_in(name) in recorded else name
        for name in names
    ]
