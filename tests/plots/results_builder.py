# SPDX-License-Identifier: Apache-2.0
"""Builds small results folders with the exact headers that `bfslab run` writes."""

from __future__ import annotations

import csv
import io
import itertools
import json
from dataclasses import dataclass, field
from pathlib import Path

import counts
import dfq_rows
import distributed_rows
import kernel_rows
from matplotlib.text import Text

from plots.seal import says_sealed
from tests.sealing import sealed

# The headers that `bfslab run` writes, without the seal: tests/driver/csv_test.cpp compares
# columns.json with the program's own tables.
_COLUMNS = json.loads((Path(__file__).parents[2] / "plots/columns.json").read_text())
RUNS, LEVELS, MEASURES, GRAPHS = (
    ",".join(column["name"] for column in _COLUMNS[table] if column["name"] != "seal")
    for table in ("runs", "levels", "measures", "graphs")
)


@dataclass
class Results:
    """Collects rows; `run` returns the trial's number, for `level`."""

    spec: dict
    environment: dict = field(default_factory=lambda: {"host": "testbox"})
    runs: list[dict] = field(default_factory=list)
    levels: list[dict] = field(default_factory=list)
    graphs: list[dict] = field(default_factory=list)
    measures: list[dict] = field(default_factory=list)

    def run(self, case: str, time_ms: float | None = None, **facts: object) -> int:
        row = {
            "trial": len(self.runs),
            "experiment": self.spec["name"],
            "case": case,
            "graph": "kronecker:scale=16",
            "graph_hash": "h0",
            "engine": "hybrid",
            "toggles": "threads=1",
            "answer": "levels",
            "source": 7,
            "repeat": 0,
            "attempt": 0,
            "position_in_round": 0,
            "ranks": 1,
            "gpus_per_rank": 0,
            "status": "ok",
            "validated": 1,
            "time_ms": "" if time_ms is None else time_ms,
            "component_edges": 1000,
            "setup_ms": 2.0,
            "levels": 6,
            "foreign_load_pct": 0.5,
            "polluted": 0,
            "instrumented": 0,
        }
        row |= facts
        self.runs.append(row)
        return row["trial"]

    def level(self, trial: int, level: int, edges_checked: int, **facts: object) -> None:
        row = {"trial": trial, "rank": 0, "gpu": 0, "part": "all", "level": level,
               "direction": "top_down", "edges_checked": edges_checked, "time_ms": 1,
               "clock": "host"}  # fmt: skip
        self.levels.append(row | facts)

    def measure(
        self, trial: int, part: str, metric: str, value: float, level: object = "", unit: str = "1"
    ) -> None:
        self.measures.append({"trial": trial, "level": level, "rank": 0, "part": part,
                              "metric": metric, "value": value, "unit": unit})  # fmt: skip

    def graph(self, graph: str, vertices: int, edges: int, **facts: object) -> None:
        row = {"graph": graph, "name": graph, "graph_hash": "h0", "vertices": vertices,
               "edges": edges}  # fmt: skip
        self.graphs.append(row | facts)

    def has_all_levels(self) -> bool:
        """Whether each instrumented search has the levels that a sealed folder must have."""
        seen: dict[object, int] = {}
        for row in self.levels:
            seen[row["trial"]] = max(seen.get(row["trial"], 0), int(row["level"]) + 1)
        return all(
            seen.get(row["trial"], 0) >= max(1, int(row["levels"] or 0))
            for row in self.runs
            if row["instrumented"] and row["status"] == "ok" and row["source"] != ""
        )

    def write(self, folder: Path) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "spec.json").write_text(json.dumps(self.spec))
        whole = {"format": 3, "sealed": True} if self.has_all_levels() else {"format": 2}
        environment = whole | self.environment
        (folder / "environment.json").write_text(json.dumps(environment))
        for name, header, rows in (
            ("runs", RUNS, self.runs),
            ("levels", LEVELS, self.levels),
            ("measures", MEASURES, self.measures),
            ("graphs", GRAPHS, self.graphs),
        ):
            _write(folder / f"{name}.csv", header, rows, environment)
        return folder


def _write(path: Path, header: str, rows: list[dict], environment: dict) -> None:
    text = io.StringIO()
    writer = csv.DictWriter(text, header.split(","), restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    data = text.getvalue().encode()
    path.write_bytes(sealed(data, path, environment) if says_sealed(environment) else data)


def from_spec(spec: dict, **environment: object) -> Results:
    """Made-up but plausible rows for every configuration of a spec."""
    results = Results(spec, {"host": "testbox", "cpu": {"logical": 2}} | environment)
    cases = spec.get("cases") or {spec["base"]["engine"]: {}}
    sweep = spec.get("sweep", {})
    base_settings = spec.get("base", {})
    sources = range(10, 10 + min(spec.get("sources", {"count": 16})["count"], 4))
    products = _product(sweep)
    steps = spec.get("zip") or {"": [None]}
    rows = [dict(zip(steps, row, strict=True)) for row in zip(*steps.values(), strict=True)]
    products = [a | {k: v for k, v in b.items() if k} for a in products for b in rows]
    for g, entry in enumerate(spec["graphs"]):
        graph = entry if isinstance(entry, str) else entry["name"]
        stand_in = "" if isinstance(entry, str) else entry.get("stand_in_for", "")
        results.graph(graph, 1000 * (g + 1), 16000 * (g + 1), stand_in_for=stand_in, symmetric=1,
                      isolated_vertices=100)  # fmt: skip
        for c, (case, settings) in enumerate(cases.items()):
            own = _product(settings.get("sweep", {}))
            for values in (a | b for a in products for b in own):
                merged = {
                    k: v for k, v in (base_settings | settings | values).items() if k != "sweep"
                }
                engine = merged.pop("engine")
                if engine == "dfq":
                    merged = dfq_rows.resolved(merged)
                    if not dfq_rows.sound(merged):
                        continue
                distributed = engine in distributed_rows.ENGINES
                told = distributed_rows.facts_of(graph, merged) if distributed else {}
                threads = 1 if engine == "dfq" else merged.get("threads", 1)
                toggles = ";".join(f"{k}={_toggle(v)}" for k, v in sorted(merged.items()))
                if engine in counts.COUNTERS:
                    trial = results.run(case, 1.0, graph=graph, graph_hash=f"h{g}", engine=engine,
                                        stand_in_for=stand_in, toggles=toggles, source="",
                                        instrumented=1)  # fmt: skip
                    counts.COUNTERS[engine](results, trial, graph, merged)
                    continue
                for source in sources:
                    facts = {"graph": graph, "graph_hash": f"h{g}", "stand_in_for": stand_in,
                             "engine": engine, "toggles": toggles, "source": source,
                             "component_edges": 8000 * (g + 1),
                             "component_input_edges": 9000 * (g + 1)} | told  # fmt: skip
                    base = 3.0 * (g + 1) * (1 + 0.6 * c) / threads**0.8
                    if engine == "dfq":
                        facts |= dfq_rows.facts(merged, g)
                        base = 100.0 * (g + 1) * (1 + 0.02 * c) / dfq_rows.speed(merged)
                    if distributed:
                        base = distributed_rows.time_ms(graph, merged, told) or base
                    if "time" in spec.get("record", ["time"]):
                        for repeat in range(2):
                            time = base * (1 + 0.05 * (source - 10) + 0.02 * repeat)
                            known = round(time, 4) if facts.get("status", "ok") == "ok" else None
                            trial = results.run(case, known, repeat=repeat, **facts)
                        if "roofline" in spec.get("figure", []):
                            kernel_rows.add_kernels(results, trial)
                    if "levels" in spec.get("record", []):
                        trial = results.run(case, base * 2, instrumented=1, **facts)
                        for level, edges in enumerate(_LEVELS.get(engine, _LEVELS["hybrid"])):
                            results.level(trial, level, edges * (g + 1))
                        if engine in distributed_rows.TELL_PHASES:
                            in_one_kernel = merged.get("launch", "host") != "host"
                            distributed_rows.add_levels(results, trial, told, in_one_kernel)
                        if engine == "xbfs-model":
                            _add_model(results, trial, g, merged)
                        if engine == "xbfs":
                            _add_gpu_levels(results, trial, merged)
                        if engine == "dfq":
                            dfq_rows.add_counts(results, trial, merged)
                        if engine == "grid2d-cuda":
                            distributed_rows.add_explored(results, trial)
                        if engine == "fused":
                            _add_fused_levels(results, trial)
    return results


def _product(sweep: dict) -> list[dict]:
    lists = {key: values for key, values in sweep.items() if key != "illegal"}
    return [dict(zip(lists, each, strict=True)) for each in itertools.product(*lists.values())]


def _toggle(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _add_model(results: Results, trial: int, graph: int, toggles: dict) -> None:
    """What xbfs-model reports: two bottom-up levels, looks by degree, early finds by place."""
    is_async = toggles.get("async", True)
    for row in results.levels:
        if row["trial"] == trial and row["level"] in (2, 3):
            row["direction"] = "bottom_up"
            if is_async and row["level"] == 3:
                row["edges_checked"] //= 2
    for degree in (1, 2, 4, 8):
        for checks in (1, 2, 4, 8):
            if checks <= degree:
                looks = 1000 * (graph + 1) // (degree * checks)
                results.measure(trial, f"degree={degree},checks={checks}", "looks", looks)
        results.measure(trial, f"degree={degree}", "checks", 1500 * (graph + 1) // degree)
        results.measure(trial, f"degree={degree}", "checks_max", 2 * degree - 1)
        results.measure(trial, f"degree={degree}", "degrees", 2500 * (graph + 1))
    if not is_async:
        return
    for part, share in (
        ("first_bottom_up", 0.5),
        *((f"position={k}/16", k / 16) for k in range(16)),
    ):
        results.measure(trial, part, "next_level_vertices", 64, 2)
        results.measure(trial, part, "found_early_vertices", 64 * share, 2)
        results.measure(trial, part, "found_early_expected", 60 * share, 2)


def _add_gpu_levels(results: Results, trial: int, toggles: dict) -> None:
    """What the engine xbfs reports about its levels: how each queue was made, and two times."""
    ways = ("scan_free", "single_scan", "double_scan", "double_scan", "no_generation", "scan_free")
    fallback = "prefix_sum"
    for row in results.levels:
        if row["trial"] != trial:
            continue
        way = ways[min(row["level"], len(ways) - 1)]
        row["technique"] = way if toggles.get(way, toggles.get("preset") is None) else fallback
        row["direction"] = "bottom_up" if way == "double_scan" else "top_down"
        row["frontier_edges"] = (3, 90, 8000, 4000, 20, 1)[min(row["level"], 5)]
        row["found_vertices"] = 100
        row["found_early_vertices"] = 40 if row["level"] == 3 else 0
        if row["direction"] == "bottom_up":
            results.measure(trial, "level", "generation_ms", 0.1, row["level"], "ms")
        results.measure(trial, "level", "traversal_ms", 0.3, row["level"], "ms")


def _add_fused_levels(results: Results, trial: int) -> None:
    """How fused ran its levels, and their frontiers."""
    for row in results.levels:
        if row["trial"] == trial:
            large = row["level"] in (2, 3)
            row["technique"] = "first_neighbors" if large else "one_block"
            row["direction"] = "bottom_up" if large else "top_down"
            row["frontier_vertices"] = 100_000 if large else 1 + row["level"]
            row["frontier_edges"] = 16 * row["frontier_vertices"]
            row["found_vertices"] = 90_000 if row["level"] in (1, 2) else 2
            row["found_early_vertices"] = 0
            row["unvisited_vertices"] = 200_000 if large else 300_000


def benchmark(folder: Path, host: str = "testbox", rows: list[dict] | None = None) -> Path:
    """What frontier_generation_benchmark writes with --benchmark_out."""
    made = rows if rows is not None else [
        gathered(method, millions, selectivity, time * millions, repetition)
        for method, time in (("prefix_sum", 2.0), ("atomic_vertex", 40.0),
                             ("atomic_warp", 4.0), ("atomic_block", 1.0),
                             ("engine_prefix_sum", 3.0), ("engine_single_scan", 2.0),
                             ("cub_select", 1.5))
        for millions in (1, 32, 512)
        for selectivity in (0.01, 0.1, 0.5)
        for repetition in range(3)
    ]  # fmt: skip
    context = {"date": "2026-11-21T09:00:00+00:00", "host_name": host, "num_cpus": 16,
               "executable": "/x/frontier_generation_benchmark", "experiment": "xbfs-fig5",
               "gpu": "NVIDIA H200"}  # fmt: skip
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "benchmark.json").write_text(json.dumps({"context": context, "benchmarks": made}))
    return folder


def gathered(method: str, millions: float, selectivity: float, time_ms: float,
             repetition: int = 0, **facts: object) -> dict:  # fmt: skip
    name = f"{method}/millions:{millions}/per_mille:{selectivity * 1000:.0f}/manual_time"
    return {
        "name": name,
        "run_name": name,
        "run_type": "iteration",
        "repetition_index": repetition,
        "real_time": time_ms,
        "time_unit": "ms",
        "elements": 1e6 * millions,
        "selectivity": selectivity,
    } | facts


_LEVELS = {
    "top-down": [3, 900, 40_000, 210_000, 2_400, 12, 0],
    "bottom-up": [240_000, 18_000, 6_000, 160, 90, 15, 14],
    "hybrid": [3, 900, 6_000, 160, 90, 12, 0],
}


def formulas(figure) -> list[str]:
    """The texts of a figure in which matplotlib looks for formulas."""
    return [t.get_text() for t in figure.findobj(Text) if t.get_parse_math() and t.get_text()]
