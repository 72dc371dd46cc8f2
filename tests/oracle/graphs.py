# SPDX-License-Identifier: Apache-2.0
"""Graphs read and searched without a line of bfslab: edge lists by Python, BFS by SciPy."""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import breadth_first_order

UNREACHED = -1


def read_edges(path: Path) -> np.ndarray:
    """[edges, 2] ids as the file has them: SNAP text, plain or gzip, `#` comments, any spaces."""
    opener = gzip.open if path.suffix == ".gz" else open
    pairs = []
    with opener(path, "rt") as file:
        for line in file:
            words = line.split()
            if words and not words[0].startswith("#"):
                pairs.append((int(words[0]), int(words[1])))
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


@dataclass
class Oracle:
    """A graph by the labels of its file; vertices are numbered in the order of their labels."""

    labels: np.ndarray  # ascending
    adjacency: csr_array

    @classmethod
    def of(cls, edges: np.ndarray, directed: bool, vertices: int | None = None) -> Oracle:
        """`vertices`: ids are 0 .. vertices-1, though some have no edge."""
        labels = np.unique(edges) if vertices is None else np.arange(vertices)
        ends = np.searchsorted(labels, edges)
        if not directed:
            ends = np.vstack([ends, ends[:, ::-1]])
        ends = ends[ends[:, 0] != ends[:, 1]]
        n = len(labels)
        ones = np.ones(len(ends), dtype=np.int8)
        adjacency = coo_array((ones, (ends[:, 0], ends[:, 1])), shape=(n, n)).tocsr()
        adjacency.sum_duplicates()
        adjacency.data[:] = 1
        return cls(labels, adjacency)

    def levels(self, source: int) -> np.ndarray:
        """Hops from vertex number `source`, UNREACHED if there is no path."""
        order, before = breadth_first_order(self.adjacency, source, directed=True)
        levels = np.full(len(self.labels), UNREACHED)
        levels[source] = 0
        for v in order[1:]:  # a predecessor comes earlier in the order
            levels[v] = levels[before[v]] + 1
        return levels

    def has_edges(self, tails: np.ndarray, heads: np.ndarray) -> np.ndarray:
        """One truth value a pair, by looking the pairs up among all edges."""
        known = self.adjacency.tocoo()
        n = len(self.labels)
        edges = known.coords[0].astype(np.int64) * n + known.coords[1]
        return np.isin(np.asarray(tails, dtype=np.int64) * n + heads, edges)
