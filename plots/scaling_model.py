# SPDX-License-Identifier: Apache-2.0
"""A model of a search's time by scale and GPUs: the costs of scalable-bfs, sections IV-B and V,
each times a coefficient that is fitted to recorded rows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
import pandas as pd
from scipy.optimize import nnls
from scipy.stats import poisson

# Term -> (what its coefficient is, in words; its unit).
TERMS = {
    "edges": ("compute", "s per edge"),
    "delegates": ("visits of delegates", "s per delegate"),
    "nn_edges": ("visits of nn edges", "s per nn edge"),
    "bytes": ("bytes exchanged", "s per byte"),
    "levels": ("levels, a constant each", "s per level"),
    "rounds": ("rounds of agreement", "s per level and doubling"),
}
EDGES_PER_VERTEX = 32  # of a Graph500 graph, after doubling
# A form of the masks' reduction (the engine's setting mask_reduction) -> its name in a caption.
REDUCTIONS = {
    "all_gather": "an all-gather of all masks, which is linear in the GPUs: (p - 1) d / 8",
    "stripes": "a reduction by stripes, 2 (1 - 1/p) d / 8",
    "two_phase": "a tree, d log2(p) / 4",
}
A, B, C = 0.57, 0.19, 0.19
COST_COLUMNS = ["scale", "gpus", "threshold", "levels", "reduction"]  # in the order of costs()


@cache
def kronecker_shares(scale: int, threshold: int) -> tuple[float, float]:
    """(delegates, edges between normal vertices) that a Graph500 graph of 2^scale vertices is
    expected to have, duplicates and self-loops kept. The degree of a vertex whose number has k
    one-bits is Poisson distributed; an edge's ends have one more."""
    ones = np.arange(scale + 1)
    choose = np.array([math.comb(scale, k) for k in ones], dtype=float)
    edges = EDGES_PER_VERTEX * 2.0**scale
    degree = edges * (A + B) ** (scale - ones) * (1 - A - B) ** ones
    delegates = float(choose @ poisson.sf(threshold, degree))
    both = np.zeros((scale + 1, scale + 1))  # of an edge: one-bits of its tail, of its head
    both[0, 0] = 1
    for _ in range(scale):
        more = A * both
        more[1:, :] += C * both[:-1, :]
        more[:, 1:] += B * both[:, :-1]
        more[1:, 1:] += (1 - A - B - C) * both[:-1, :-1]
        both = more
    normal = poisson.cdf(threshold - 1, degree)
    return delegates, float(edges * (normal @ both @ normal))


def mask_bytes(delegates: float, gpus: float, reduction: str) -> float:
    """Returns the bytes that one reduction of the delegates' masks moves to and from each GPU in
    the form `reduction` (of REDUCTIONS): 8 delegates on 4 GPUs are 3 bytes by all_gather, 1.5 by
    stripes, and 4 by two_phase, the law of section V-A for ranks of one GPU."""
    if reduction == "all_gather":
        return delegates / 8 * (gpus - 1)
    if reduction == "stripes":
        return delegates / 4 * (1 - 1 / gpus)
    return delegates / 4 * math.log2(gpus)


def costs(
    scale: float, gpus: float, threshold: float, levels: float, reduction: str
) -> dict[str, float]:
    """Returns each GPU's share of every term of TERMS, for 2^scale vertices on `gpus` GPUs."""
    delegates, normal_edges = kronecker_shares(int(scale), int(threshold))
    doublings = math.log2(gpus)
    # Half of the levels reduce masks: section V-B.
    masks = mask_bytes(delegates, gpus, reduction) * levels / 2
    normals = 4 * normal_edges / gpus * (1 - 1 / gpus)  # what ends on the GPU itself is not sent
    return {
        "edges": EDGES_PER_VERTEX * 2.0**scale / gpus,
        "delegates": delegates,
        "nn_edges": normal_edges / gpus,  # always forward, binned, converted: IV-B and V-B
        "bytes": masks + normals,
        "levels": levels,
        "rounds": levels * doublings,
    }


def memory(scale: float, gpus: float, threshold: float) -> float:
    """Bytes of the subgraphs on each GPU: Table I."""
    delegates, normal_edges = kronecker_shares(int(scale), int(threshold))
    vertices = 2.0**scale
    edges = EDGES_PER_VERTEX * vertices
    return (8 * vertices + 4 * edges + 4 * normal_edges) / gpus + 8 * delegates


@dataclass(frozen=True)
class Model:
    coefficients: dict[str, float]  # by term, in seconds
    undetermined: bool  # whether the rows leave some of them open
    worst: float  # the largest relative error over the fitted rows

    def parts_ms(self, cost: dict[str, float], seconds_a_byte: float = 0) -> dict[str, float]:
        """Time by term; a byte takes at least `seconds_a_byte`."""
        used = self.coefficients | {
            "bytes": max(self.coefficients["bytes"], seconds_a_byte),
        }
        return {term: 1e3 * used[term] * cost[term] for term in TERMS}

    def time_ms(self, cost: dict[str, float], seconds_a_byte: float = 0) -> float:
        return sum(self.parts_ms(cost, seconds_a_byte).values())


def fit_relative(columns: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Coefficients of at least 0 with the least sum of squares of relative errors of
    columns @ coefficients against times; a column of zeros has 0."""
    scaled = columns / times[:, None]
    size = np.linalg.norm(scaled, axis=0)
    size[size == 0] = 1
    found, _ = nnls(scaled / size, np.ones(len(times)), maxiter=1000)
    return found / size


def fit(rows: pd.DataFrame) -> Model:
    """`rows` has scale, gpus, threshold, levels, transport and time_ms, and one row for each
    measured configuration."""
    table = [costs(*row) for row in rows[COST_COLUMNS].itertuples(index=False)]
    columns = pd.DataFrame(table, columns=list(TERMS)).to_numpy(dtype=float)
    times = rows["time_ms"].to_numpy(dtype=float) / 1e3
    found = fit_relative(columns, times)
    scaled = columns / times[:, None]
    scaled = scaled / np.maximum(np.linalg.norm(scaled, axis=0), 1e-300)
    rank = np.linalg.matrix_rank(scaled, tol=1e-6)
    errors = np.abs(columns @ found / times - 1)
    return Model(dict(zip(TERMS, map(float, found), strict=True)), bool(rank < len(TERMS)),
                 float(errors.max()))  # fmt: skip
