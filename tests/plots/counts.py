# SPDX-License-Identifier: Apache-2.0
"""What counters report of a made-up graph: round numbers whose shares can be worked out by hand."""

from __future__ import annotations

CLASSES = ("nn", "nd", "dn", "dd")


def scale_of(graph: str, toggles: dict) -> int:
    """The scale that a configuration speaks of; 10 where the graph has none."""
    named = int(graph.split("scale=")[1].split(",")[0]) if "scale=" in graph else 10
    return toggles.get("at_scale") or named


def degree_separation(results, trial: int, graph: str, toggles: dict) -> None:
    """One in (threshold + 1) vertices is a delegate; edges go from dd to nn as thresholds grow."""
    vertices = 2.0 ** scale_of(graph, toggles)
    edges = 32 * vertices
    gpus = toggles.get("ranks", 1) * toggles.get("gpus_per_rank", 1)
    for metric, value, unit in (
        ("vertices", vertices, "1"),
        ("isolated_vertices", vertices / 2, "1"),
        ("edges", edges, "1"),
        ("self_loops", 0, "1"),
        ("gpus", gpus, "1"),
        ("memory_edge_list", 16 * edges, "B"),
        ("memory_csr", 8 * vertices + 8 * edges, "B"),
    ):
        results.measure(trial, "graph", metric, value, unit=unit)
    lowest, highest = toggles.get("lowest", 1), toggles.get("highest", 1 << 20)
    ladder = sorted({round(lowest * 2 ** (k / 2)) for k in range(42)} | {lowest})
    for threshold in (t for t in ladder if t <= highest):
        part = f"threshold={threshold}"
        high = 1 / (1 + threshold / 64)  # share of entries whose source is a delegate
        shares = ((1 - high) ** 2, high * (1 - high), high * (1 - high), high**2)
        delegates = vertices / (threshold + 1)
        results.measure(trial, part, "delegates", delegates)
        total = 0.0
        for name, share in zip(CLASSES, shares, strict=True):
            rows = vertices if name in ("nn", "nd") else delegates * gpus
            width = 8 if share * edges / gpus >= 2**32 else 4
            columns = share * edges * (8 if name == "nn" else 4)
            total += rows * width + columns
            results.measure(trial, part, f"edges_{name}", share * edges)
            results.measure(trial, part, f"memory_{name}_offsets", rows * width, unit="B")
            results.measure(trial, part, f"memory_{name}_columns", columns, unit="B")
            results.measure(trial, part, f"offset_width_{name}", width, unit="B")
        results.measure(trial, part, "memory", total, unit="B")
        results.measure(trial, part, "memory_table_i", total, unit="B")
        if gpus > 1 and toggles.get("method", "count") == "count":
            results.measure(trial, part, "gpu_edges_min", 0.95 * edges / gpus)
            results.measure(trial, part, "gpu_edges_max", 1.045 * edges / gpus)


def queue_memory(results, trial: int, graph: str, toggles: dict) -> None:
    """Half of the vertices have an edge."""
    vertices = 2.0 ** scale_of(graph, toggles)
    central = 4 * vertices / 2
    results.measure(trial, "graph", "vertices", vertices)
    results.measure(trial, "graph", "non_isolated_vertices", vertices / 2)
    if "scale=" not in graph:
        results.measure(trial, "graph", "edges", 32 * vertices)
    for design, value in (
        ("central", central),
        ("naive", 82 * central),
        ("hierarchical", 3 * central),
        ("decentralized", 82 * 2048 * 4),
    ):
        results.measure(trial, design, "queue_bytes", value, unit="B")


def graph_load(results, trial: int, graph: str, toggles: dict) -> None:
    """A file or, where the name has parameters, a generated graph; twice as fast on two threads."""
    threads = toggles.get("threads", 2)
    milliseconds = 20.0 if threads == 1 else 10.0
    results.measure(trial, "best", "load_time", milliseconds, unit="ms")
    results.measure(trial, "median", "load_time", 1.1 * milliseconds, unit="ms")
    results.measure(trial, "graph", "input_edges", 500_000)
    results.measure(trial, "graph", "csr_bytes", 4_000_000, unit="B")
    results.measure(trial, "memory", "peak_bytes", 7_200_000, unit="B")
    results.measure(trial, "run", "threads", threads)
    if "=" not in graph and toggles.get("source", "file") == "file":
        results.measure(trial, "input", "file_bytes", 1e6, unit="B")
        results.measure(trial, "input", "text_bytes", 3e6, unit="B")


COUNTERS = {
    "degree-separation": degree_separation,
    "graph-load": graph_load,
    "queue-memory": queue_memory,
}
