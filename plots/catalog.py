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


# Options that may follow any graph's name, as `bfslab list graphs` names them.
_OPTIONS = {"format", "symmetrize", "self_loops", "duplicates", "relabel", "relabel_seed"}


def parted(graph: str) -> tuple[str, list[str]]:
    """A graph's name, which may hold commas where it is a file's, and its options.

    >>> parted("file:a,b.txt,relabel=degree")
    ('file:a,b.txt', ['relabel=degree'])
    """
    name, options = graph, []
    while True:
        rest, comma, last = name.rpartition(",")
        if not comma or last.partition("=")[0] not in _OPTIONS or "=" not in last:
            return name, options
        name, options = rest, [last, *options]


def stand_in(graph: str) -> str:
    """ "com-lj,relabel=degree" -> "com-lj-standin,relabel=degree" """
    name, options = parted(graph)
    return ",".join([f"{name.split(':')[-1]}-standin", *options])


def as_recorded(listed: list[str], recorded: list[str]) -> list[str]:
    """The graphs of a spec under the names that their rows have: groups as their members, and a
    graph without rows as its stand-in, where that has rows."""
    names = [name for graph in listed for name in groups().get(graph, [graph])]
    return [
        stand_in(name) if name not in recorded and stand_in(name) in recorded else name
        for name in names
    ]
