# SPDX-License-Identifier: Apache-2.0
"""Made-up rows of distributed engines, from coefficients that a fit must find again."""

from __future__ import annotations

from plots.distributed import STEPS, named_scale, reduction_of, suggested_threshold
from plots.scaling_model import TERMS, costs

ENGINES = ("delegate", "delegate-cuda", "grid2d")
TELL_PHASES = ("delegate", "delegate-cuda")
LEVELS = 7
# Values of TERMS as a GPU of 2025 might have them.
KNOWN = {
    "edges": 4e-12,
    "delegates": 2e-11,
    "nn_edges": 1e-11,
    "bytes": 5e-12,
    "levels": 8e-6,
    "rounds": 1.2e-5,
}
COMPUTE, AGREEMENT, WAITED = 0.5, 0.01, 0.03  # ms of a level; the last on every member but the last
AGREED_BYTES = 384  # of a level in which nothing was found
STEP_MS = {step: 0.01 * (k + 1) for k, step in enumerate(STEPS)}  # of a level in one kernel


def facts_of(graph: str, settings: dict) -> dict:
    """The columns of runs.csv that say as what an engine ran, which are taken out of `settings`,
    and what it found: all but a sixteenth of the edges."""
    ranks, gpus = settings.pop("ranks", 1), settings.pop("gpus_per_rank", 1)
    settings.setdefault("threshold", 0)
    scale = named_scale(graph)
    edges = int(15 * 2**scale) if scale == scale else 8000
    return {"ranks": ranks, "gpus_per_rank": gpus, "levels": LEVELS,
            "component_edges": edges, "component_input_edges": edges}  # fmt: skip


def time_ms(graph: str, settings: dict, facts: dict) -> float | None:
    """What the known coefficients make of a Kronecker graph; BFS takes three times as long."""
    scale = named_scale(graph)
    if scale != scale:
        return None
    threshold = settings["threshold"] or suggested_threshold(scale)
    members = facts["ranks"] * facts["gpus_per_rank"]
    cost = costs(scale, members, threshold, facts["levels"], reduction_of(settings))
    slower = 1 if settings.get("direction_optimized", True) else 3
    return slower * sum(1e3 * KNOWN[term] * cost[term] for term in TERMS)


def message_ms(size: float) -> float:
    """15 us and 300 GB/s."""
    return 0.015 + size / 300e9 * 1e3


def add_explored(results, trial: int) -> None:
    """The top-down levels of grid2d-cuda count the turns of lanes and the atomic operations."""
    for level in range(LEVELS - 1):
        for metric, value in (("lanes", 4 * 8**level), ("claims", 2 * 8**level)):
            results.measures.append(
                {"trial": trial, "level": level, "rank": 0, "part": "explore",
                 "metric": metric, "value": float(value), "unit": "1"}
            )  # fmt: skip


def add_levels(results, trial: int, facts: dict, steps: bool) -> None:
    """Every member computes for COMPUTE; all but the last wait for it. Level k sends 100 * 8^k
    bytes from each member to each other, and the last level nothing. With `steps`, as one kernel
    for all levels tells them, these take STEP_MS, and its meetings WAITED more where one waits."""
    members = facts["ranks"] * facts["gpus_per_rank"]
    results.levels = [row for row in results.levels if row["trial"] != trial]
    for level in range(LEVELS):
        size = 100.0 * 8**level if level < LEVELS - 1 and members > 1 else 0.0
        for rank in range(facts["ranks"]):
            for gpu in range(facts["gpus_per_rank"]):
                last = rank == facts["ranks"] - 1 and gpu == facts["gpus_per_rank"] - 1
                wait = 0.0 if last else WAITED
                results.level(trial, level, 100, rank=rank, gpu=gpu, part="nn",
                              frontier_vertices=8**level, time_ms=COMPUTE + AGREEMENT + wait,
                              bytes_sent=size * (members - 1) + AGREED_BYTES)  # fmt: skip
                part = f"phase,gpu={gpu}" if facts["gpus_per_rank"] > 1 else "phase"
                for metric, value in (
                    ("compute", COMPUTE - wait),
                    ("local_exchange", 0.0),
                    ("normal_exchange", message_ms(size) if size else 0.0),
                    ("mask_reduction", 0.02 if members > 1 else 0.0),
                    ("agreement", AGREEMENT + wait),
                ):
                    results.measures.append(
                        {"trial": trial, "level": level, "rank": rank, "part": part,
                         "metric": metric, "value": value, "unit": "ms"}
                    )  # fmt: skip
                for step, value in STEP_MS.items() if steps else ():
                    more = wait if step == "meeting" else 0.0
                    results.measures.append(
                        {"trial": trial, "level": level, "rank": rank,
                         "part": part.replace("phase", "step"), "metric": step,
                         "value": value + more, "unit": "ms"}
                    )  # fmt: skip
