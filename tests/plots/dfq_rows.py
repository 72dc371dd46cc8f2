# SPDX-License-Identifier: Apache-2.0
"""Made-up rows of the engine dfq (presets as it resolves them, refusals, bytes of queues), and what
the microbenchmark of its queues writes."""

from __future__ import annotations

import json
from pathlib import Path

PRESETS = {
    "base": {"queue": "central", "collect": "single_scan"},
    "base_scan_free": {"queue": "central", "collect": "scan_free"},
    "hq": {"queue": "hierarchical", "collect": "scan_free", "capacity": 0},
    "hq_single_scan": {"queue": "hierarchical", "collect": "single_scan", "capacity": 0},
    "dfq_g": {"queue": "decentralized", "memory": "global"},
    "dfq_s": {"queue": "decentralized", "memory": "shared"},
    "harish": {"queue": "none", "expand": "thread"},
}
DEFAULTS = {
    "queue": "decentralized",
    "collect": "single_scan",
    "memory": "shared",
    "capacity": 2048,
    "reserve": "warp",
    "scan": "by_block",
    "ctas": 0,
    "enqueue": "thread",
    "expand": "virtual_warp",
    "launch": "persistent",
}
MOST_CTAS = 264  # that the made-up device runs at once
MOST_ENTRIES = 32768  # that a CTA's shared memory holds
RUNNING = 132


def resolved(settings: dict) -> dict:
    """A configuration with its preset and the defaults in it, as the column `toggles` has them."""
    rest = {key: value for key, value in settings.items() if key != "preset"}
    return DEFAULTS | PRESETS.get(settings.get("preset", ""), {}) | rest


def sound(toggles: dict) -> bool:
    """Whether a queue is collected so and lies there; which expansion goes with it is left open."""
    ways = {"central": 4, "hierarchical": 2}.get(toggles["queue"], 1)
    collects = ["single_scan", "scan_free", "prefix_sum", "filter"][:ways]
    memories = ["shared", "global"] if toggles["queue"] == "decentralized" else ["shared"]
    return toggles["collect"] in collects and toggles["memory"] in memories


def facts(toggles: dict, graph: int) -> dict:
    """Columns of a run on the graph of that number: hierarchical queues overflow on every third."""
    entries = toggles["capacity"] or MOST_ENTRIES
    bytes_of = {
        "none": 0,
        "central": 8000 * (graph + 1),
        "hierarchical": 8000 * (graph + 1) + 4 * entries * RUNNING,
        "decentralized": 4 * toggles["capacity"] * (toggles["ctas"] or RUNNING),
    }
    told: dict = {"queue_bytes": bytes_of[toggles["queue"]]}
    if toggles["ctas"] > MOST_CTAS:
        told |= {"status": "unsupported", "reason": f"the device runs {MOST_CTAS} CTAs at once"}
    elif toggles["capacity"] > MOST_ENTRIES and toggles["memory"] == "shared":
        told |= {"status": "unsupported", "reason": f"shared memory holds {MOST_ENTRIES} entries"}
    elif toggles["queue"] == "hierarchical" and graph % 3 == 2:
        told |= {"status": "unsupported", "reason": "a lower queue overflowed"}
    return told


def speed(toggles: dict) -> float:
    """How much faster than one CTA with a central queue."""
    better = {"none": 0.3, "central": 1.0, "hierarchical": 0.6, "decentralized": 1.2}
    ctas = toggles["ctas"] or MOST_CTAS
    growth = ctas**0.9 if toggles["queue"] == "decentralized" else ctas**0.8
    return better[toggles["queue"]] * growth * (1 + toggles["capacity"] / 2**18)


def add_counts(results, trial: int, toggles: dict) -> None:
    """Frontiers of 100 vertices, and how such levels count the filling of their queues."""
    warp = toggles["enqueue"] == "warp"
    for row in results.levels:
        if row["trial"] != trial:
            continue
        row["technique"], row["frontier_vertices"] = toggles["queue"], 100
        if toggles["collect"] != "single_scan" or toggles["queue"] == "none":
            continue
        results.measure(trial, "queue", "atomics", 25 if warp else 100, row["level"])
        results.measure(trial, "queue", "scanning_blocks", 14, row["level"])
        if toggles["queue"] == "decentralized":
            results.measure(trial, "queue", "drains", 14, row["level"])


def contention(folder: Path, host: str = "testbox") -> Path:
    """What enqueue_contention_benchmark writes: rates saturate on one queue and go on on many."""
    most = {"central_thread": 2e9, "central_warp": 4e10, "hierarchical": 2e10,
            "decentralized_global": 9e10, "decentralized_shared": 2e11}  # fmt: skip
    rows = []
    for queue, limit in most.items():
        for selectivity in (1, 0.125):
            for threads in (32, 1024, 32768, 270336):
                name = f"enqueue/{queue}/selectivity:{selectivity}/threads:{threads}/manual_time"
                rate = min(limit, 2e6 * threads * (1 if queue.startswith("central") else 0.8))
                rows += [
                    {"name": name, "run_type": "iteration", "repetition_index": repetition,
                     "real_time": 0.05, "time_unit": "ms", "gpu_threads": threads,
                     "selectivity": selectivity, "enqueues": 4e6,
                     "enqueues_per_second": rate * (1 + 0.01 * repetition)}
                    for repetition in range(3)
                ]  # fmt: skip
    context = {"date": "2026-11-21T12:00:00+00:00", "host_name": host, "num_cpus": 16,
               "executable": "/x/enqueue_contention_benchmark", "experiment": "dfq-contention",
               "gpu": "NVIDIA H200"}  # fmt: skip
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "benchmark.json").write_text(json.dumps({"context": context, "benchmarks": rows}))
    return folder
