# SPDX-License-Identifier: Apache-2.0
"""Counters of kernels as `bfslab profile` adds them, with rates that are easy to work out."""

from __future__ import annotations

# level, direction, technique, kernel, ms, bytes read, written, instructions, requests, sectors
LAUNCHES = [
    (0, "top_down", "scan_free", "expand", 0.01, 1e6, 0, 2e5, 1000, 31000),
    (1, "top_down", "scan_free", "expand", 0.03, 6e7, 1e7, 4e6, 100000, 2400000),
    (2, "bottom_up", "double_scan", "count_unvisited", 0.05, 9e7, 1e6, 9e6, 200000, 820000),
    (2, "bottom_up", "double_scan", "place_unvisited", 0.02, 3e7, 2e7, 3e6, 90000, 400000),
    (3, "bottom_up", "no_generation", "look", 0.04, 8e7, 5e6, 6e6, 150000, 3600000),
]


def add_kernels(results, trial: int) -> None:
    for order, launch in enumerate(LAUNCHES):
        level, direction, technique, kernel, ms, read, written, ins, requests, sectors = launch
        part = f"kernel={kernel};direction={direction};technique={technique}"
        told = {"launches": 1, "order": order, "gpu_time": ms, "dram_read_bytes": read,
                "dram_written_bytes": written, "l2_bytes": 2 * read, "warp_instructions": ins,
                "global_load_requests": requests, "global_load_sectors": sectors,
                "occupancy": 60 + level, "dram_peak": 4.8e12, "instruction_peak": 1.0e12,
                "stall_long_scoreboard": 9 + level, "stall_barrier": 0.5, "stall_wait": 2,
                "stall_membar": 0.1, "stall_selected": 1}  # fmt: skip
        for metric, value in told.items():
            results.measure(trial, part, metric, value, level=level)
    results.measure(trial, "kernel=reset", "gpu_time", 0.002)  # between levels
