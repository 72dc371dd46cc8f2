# SPDX-License-Identifier: Apache-2.0
"""The seeds of a stand-in: docs/stand_ins.md. Rows of "com-lj-standin,seed=2" count as further
sources of "com-lj-standin", so that an interval over sources covers the choice of the seed."""

from __future__ import annotations

import re

import pandas as pd

_SEED = re.compile(r"^([^,:]+-standin),seed=([0-9]+)")
_APART = 2.0**32  # no id of a vertex is as large


def without_seed(graph: str) -> str:
    """
    >>> without_seed("com-lj-standin,seed=2,relabel=shuffle")
    'com-lj-standin,relabel=shuffle'
    """
    return _SEED.sub(r"\1", graph)


def seed_of(graph: str) -> int:
    """1, the default of all generators, if the name has none or is no stand-in's."""
    found = _SEED.match(graph)
    return int(found[2]) if found else 1


def joined_seeds(tables: dict[str, pd.DataFrame]) -> dict[str, int]:
    """Renames the graphs of the tables `runs` and `graphs` in place, and sets sources of other
    seeds apart. Returns how many seeds each stand-in has, where there are several."""
    runs, graphs = tables["runs"], tables["graphs"]
    seeds = {graph: seed_of(graph) for graph in set(runs["graph"])}
    if not any(_SEED.match(graph) for graph in seeds):
        return {}
    of_row = runs["graph"].map(seeds)
    names = {graph: without_seed(graph) for graph in seeds}
    counts = pd.Series(names).value_counts()
    tables["runs"] = runs.assign(
        source=runs["source"].where(of_row == 1, runs["source"] + of_row * _APART),
        graph=runs["graph"].map(names),
    )
    tables["graphs"] = graphs.assign(graph=graphs["graph"].map(without_seed)).drop_duplicates(
        "graph", ignore_index=True
    )
    return {graph: int(count) for graph, count in counts.items() if count > 1}
