# SPDX-License-Identifier: Apache-2.0
"""Rows -> pandas: finds experiments, reads their files, and says which rows count."""

from __future__ import annotations

import os
import re
import shlex
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd

from . import benchmarks
from .attempts import counted_attempts
from .catalog import as_recorded
from .files import ENVIRONMENT, PACKED, SPEC, ResultsError, read_json
from .rows import COLUMNS, read_table, require_trials, table_file
from .seeds import joined_seeds

# Engines that are our code of another system's method: `bfslab list engines --json` says so.
REIMPLEMENTED = {"gunrock", "ligra", "tigr"}
OURS = " (reimplemented)"  # what follows the name of a case of theirs, unless the name says so


# Options of `bfslab run` that name folders of the machine that it runs on.
FOLDERS = {"--results", "--data", "--mirror", "--cache"}
FORMAT = 3  # of results; kResultsFormat of the program
EQUIVALENCE = "equivalence"  # results/<machine>/equivalence: what `make equivalence` records


def readable(path: str | Path) -> str:
    """A path as text that can be drawn and written, in any locale: its bytes as UTF-8, with U+FFFD
    in place of what is none."""
    return os.fsencode(path).decode("utf-8", errors="replace")


def without_folders(words: Sequence[str]) -> list[str]:
    """A command's words less options in FOLDERS and the folders that they name."""
    recorded = iter(words)
    kept = []
    for word in recorded:
        if word in FOLDERS:
            next(recorded, None)
        elif word and word.split("=")[0] not in FOLDERS:
            kept.append(word)
    return kept


def ascending(name: str) -> list[tuple[str, float]]:
    """A key by which names are sorted with the numbers in them by size: threshold=4 before 16."""
    parts = re.split(r"(\d+(?:\.\d+)?)", name)
    return list(zip(parts[::2], map(float, [*parts[1::2], 0]), strict=True))


def toggles(text: str) -> dict[str, str]:
    """ "alpha=0.1;threads=2" -> {"alpha": "0.1", "threads": "2"}"""
    return dict(part.split("=", 1) for part in str(text).split(";") if "=" in part)


def on_gpu(rows: pd.DataFrame) -> pd.Series:
    """Marks rows that used a GPU. Rows of earlier versions do not name it, but have its time."""
    return rows["gpu_ms"].notna() | (rows["gpu"].fillna("") != "")


@dataclass
class Experiment:
    """One results folder: <results>/<experiment>/ with what a run wrote there."""

    folder: Path
    spec: dict
    environment: dict
    runs: pd.DataFrame
    levels: pd.DataFrame
    measures: pd.DataFrame
    graphs: pd.DataFrame
    warnings: list[str] = field(default_factory=list)
    allow_builds: bool = False  # whether ratios may cross builds
    seeds: dict[str, int] = field(default_factory=dict)  # of stand-ins with several of them

    @property
    def name(self) -> str:
        return self.spec.get("name") or self.folder.name

    @property
    def modules(self) -> list[str]:
        figure = self.spec.get("figure", [])
        return [figure] if isinstance(figure, str) else list(figure)

    @property
    def machine(self) -> str:
        """results/<machine>/<experiment>: the folder's name, which its owner may have chosen."""
        name = self.folder.resolve().parent.name
        return readable(name) or str(self.environment.get("host", "unknown"))

    @property
    def programs(self) -> set[str]:
        """The engines that have rows; of a microbenchmark, its program."""
        names = set(self.runs["engine"])
        if (self.folder / benchmarks.FILE).exists():
            names.add(Path((self.environment.get("arguments") or [""])[0]).name)
        return names

    @property
    def processors(self) -> int | None:
        """Processors that the run was allowed, which `threads=0` means; None where unknown."""
        cpu = self.environment.get("cpu") or {}
        return cpu.get("allowed") or cpu.get("logical")

    def __post_init__(self) -> None:
        runs = self.runs
        self._marked_dirty = bool(runs["commit"].str.endswith("+").any())
        settings = {text: toggles(text) for text in set(runs["toggles"])}
        threads = {text: self._threads(each) for text, each in settings.items()}
        columns = {
            "commit": self._commits_of_rows(),
            "threads": pd.Series([threads[text] for text in runs["toggles"]], runs.index, float),
            "invocation": self._invocations(),
            "series": pd.Series(self._series(settings), runs.index, object),
        }
        self.runs = runs.assign(**columns).copy()  # in one piece: see read_table

    def _commits_of_rows(self) -> pd.Series:
        """The row's own commit, else that of its build, else that of the folder; without the "+"
        of a build that had uncommitted changes."""
        of_build = {one.get("build_hash"): one.get("commit") for one in self._known_builds}
        folders = str(self.environment.get("commit") or "")
        named = {
            hash_: str(of_build.get(hash_) or folders) for hash_ in set(self.runs["build_hash"])
        }
        of_row = self.runs["build_hash"].map(named).astype(object)
        own = self.runs["commit"].str.removesuffix("+").replace("unknown", "")
        return own.where(own != "", of_row).astype(object)

    def _invocations(self) -> pd.Series:
        """Numbers the worker process that measured each row, from 0: docs/spec.md. A process
        belongs to one build, so values of two builds have different processes and make no pair:
        that is why no ratio is formed across builds. With `allow_builds`, equal numbers of two
        builds pair."""
        count, repeats = self.spec.get("invocations", 1), self.spec.get("repeats", 1)
        share = repeats // count if count > 1 else float("inf")
        later = [at for at in self._repeats_before() if count == 1 or at % share]
        repeat = self.runs["repeat"]
        of_build = repeat // share if count > 1 else 0.0 * repeat
        of_build = of_build + np.searchsorted(later, repeat, side="right")
        if not self.mixed:
            return of_build
        return of_build + (count + len(later)) * pd.factorize(self.runs["build_hash"])[0]

    def _repeats_before(self) -> list[int]:
        """The numbers of repeats at which a later process went on, since the spec had grown."""
        entries = self.environment.get("resumed") or []
        return sorted({one["repeats_before"] for one in entries if one.get("repeats_before")})

    @property
    def _known_builds(self) -> list[dict]:
        """Those that environment.json lists, and the one that it names itself."""
        return [self.environment, *(self.environment.get("builds") or [])]

    @cached_property
    def builds(self) -> list[str]:
        """The hashes of the builds that have rows, in the order of their first rows."""
        return [one for one in dict.fromkeys(self.runs["build_hash"]) if one]

    @property
    def mixed(self) -> bool:
        """Returns whether rows are of several builds, and ratios across them were not asked for."""
        return len(self.builds) > 1 and not self.allow_builds

    @property
    def dirty(self) -> bool:
        """Returns whether a build that has rows had uncommitted changes."""
        folders = bool(self.environment.get("dirty"))
        of_build = {one.get("build_hash"): bool(one.get("dirty")) for one in self._known_builds}
        return self._marked_dirty or any(
            of_build.get(one, folders) for one in self.builds or of_build
        )

    @property
    def commits(self) -> list[str]:
        """The commits of the rows, in the order of their first rows; without rows, the folder's."""
        of_rows = [one for one in dict.fromkeys(self.runs["commit"]) if one]
        return of_rows or [one for one in [str(self.environment.get("commit") or "")] if one]

    def _threads(self, row: dict[str, str]) -> float:
        threads = int(row.get("threads", 1))
        return float(threads if threads > 0 else self.processors or 0)

    def _series(self, toggles_of: dict[str, dict[str, str]]) -> list[str]:
        """A case's name, and what a sweep changes within it: toggles, ranks, GPUs a rank. Where a
        case does not say itself that its engine is our code of another system's method, this does.
        """
        columns = ["case", "engine", "toggles", "ranks", "gpus_per_rank"]
        rows = list(zip(*(self.runs[column] for column in columns), strict=True))
        seen: dict[tuple[str, str], set[str]] = {}
        settings: dict[tuple, dict[str, str]] = {}  # of each kind of row
        for row in dict.fromkeys(rows):
            case, _, text, *processes = row
            counts = (str(int(count)) if count == count else "0" for count in processes)
            settings[row] = toggles_of[text] | dict(zip(columns[3:], counts, strict=True))
            for key, value in settings[row].items():
                seen.setdefault((case, key), set()).add(value)
        names = {}
        for row, values in settings.items():
            case, engine = row[:2]
            swept = [f"{k}={v}" for k, v in values.items() if len(seen[case, k]) > 1]
            ours = engine in REIMPLEMENTED and "reimplemented" not in case
            names[row] = ", ".join([case + OURS if ours else case, *swept])
        return [names[row] for row in rows]

    @cached_property
    def timed(self) -> pd.DataFrame:
        """Rows that may enter a timing figure, failures included: one per trial."""
        counted = counted_attempts(self._large[self._large["instrumented"] != 1])
        return counted[counted["profiler"].fillna("") == ""]

    @cached_property
    def _timed_cells(self) -> dict[tuple[str, str], pd.DataFrame]:
        return dict(iter(self.timed.groupby(["graph", "series"], sort=False)))

    def timed_cell(self, graph: str, series: str) -> pd.DataFrame:
        """The rows of `timed` that have this graph and this series; perhaps none."""
        rows = self._timed_cells.get((graph, series))
        return self.timed.iloc[:0] if rows is None else rows

    @cached_property
    def instrumented(self) -> pd.DataFrame:
        """Rows made with a counting sink, which costs time: for counts only."""
        rows = self._large[self._large["instrumented"] == 1]
        return counted_attempts(rows[rows["recorded"] != "energy"])

    @cached_property
    def energy(self) -> pd.DataFrame:
        """Rows of the trials that measured energy (energy_j), failures included: one per trial."""
        counted = counted_attempts(self._large[self._large["recorded"] == "energy"])
        return counted[counted["profiler"].fillna("") == ""]

    @cached_property
    def small_sources(self) -> set[tuple[str, str, float]]:
        """The (graph, graph_hash, source) that are left out of every number: docs/statistics.md."""
        sources = self.spec.get("sources")
        if isinstance(sources, list) or "ids" in (sources or {}):  # the user has named them
            return set()
        good = self.runs[(self.runs["status"] == "ok") & self.runs["source"].notna()]
        good = good[good["depth_limit"].isna()]  # others reach few vertices of any component
        keys = ["graph", "graph_hash", "source"]
        reached = good.dropna(subset=["reached_vertices"]).groupby(keys)["reached_vertices"].first()
        most = reached.groupby(level=keys[:2]).transform("max")
        return set(reached.index[2 * reached < most])

    @cached_property
    def _large(self) -> pd.DataFrame:
        if not (small := self.small_sources):
            return self.runs
        keys = zip(*(self.runs[key] for key in ("graph", "graph_hash", "source")), strict=True)
        return self.runs[[key not in small for key in keys]]

    @cached_property
    def graph_order(self) -> list[str]:
        """Graphs as the spec lists them, then any others that have rows."""
        listed = [
            g if isinstance(g, str) else g.get("name", "") for g in self.spec.get("graphs", [])
        ]
        known = list(dict.fromkeys([*self.graphs["graph"], *self.runs["graph"]]))
        return list(dict.fromkeys([*as_recorded(listed, known), *known]))

    @cached_property
    def case_order(self) -> list[str]:
        return list(dict.fromkeys([*self.spec.get("cases", {}), *self.runs["case"]]))

    @cached_property
    def series_order(self) -> list[str]:
        """Cases as the spec has them, swept values ascending within a case."""
        rank = {case: i for i, case in enumerate(self.case_order)}
        seen = self.runs.drop_duplicates("series")
        keys = zip(seen["case"].map(rank), seen["threads"], seen["series"], strict=True)
        return [series for _, _, series in sorted(keys, key=lambda k: (*k[:2], ascending(k[2])))]

    def stand_in_for(self, graph: str) -> str:
        """The data set that `graph` replaces here, or an empty string."""
        return self._stand_ins.get(graph, "")

    @cached_property
    def _stand_ins(self) -> dict[str, str]:
        """By graph, as its first row has it, unless the spec does."""
        first = self.runs.drop_duplicates("graph")
        known = dict(zip(first["graph"], first["stand_in_for"].map(str), strict=True))
        listed = [entry for entry in self.spec.get("graphs", []) if isinstance(entry, dict)]
        for entry in reversed(listed):
            known[entry.get("name")] = entry.get("stand_in_for", "")
        return known

    @property
    def hardware(self) -> list[str]:
        """The processor and how many of it the run was allowed, and the GPUs' names, unless there
        are rows and none of them used a GPU."""
        known = self.environment
        cpu = known.get("cpu") or {}
        devices = (known.get("gpu") or {}).get("devices") or []
        if len(self.runs) and not on_gpu(self.runs).any():
            devices = []
        # Earlier versions wrote all that nvidia-smi says of a device.
        names = [(d["name"] if isinstance(d, dict) else d).split(",")[0] for d in devices]
        gpus = [f"{many} x {name}" if many > 1 else name for name, many in Counter(names).items()]
        processors = f"{self.processors} processors" if self.processors else None
        return [fact for fact in (cpu.get("model"), processors, ", ".join(gpus)) if fact]

    @property
    def days(self) -> tuple[str, str]:
        """The days of the first and of the last row: "2026-11-25"; empty where none is known."""
        return min(self._made)[:10], self.last[:10]

    @property
    def last(self) -> str:
        """When the last row was made, in UTC; empty where it is not known."""
        return max(self._made)

    @property
    def _made(self) -> list[str]:
        made = [utc for utc in self.runs["utc"] if utc]
        return made or [str(self.environment.get("utc") or "")]

    @property
    def commit(self) -> str:
        """ "commit 0123456789ab", or all commits of the rows; empty where none is known."""
        modified = " (modified)" if self.dirty else ""
        shown = ", ".join(one[:12] for one in self.commits)
        return f"commit{'s' * (len(self.commits) > 1)} {shown}{modified}" if shown else ""

    def machine_line(self) -> str:
        """Where the rows come from, and how many of their times were disturbed in every attempt."""
        facts = ", ".join(fact for fact in (*self.hardware, self.commit) if fact)
        times = self.timed[self.timed["status"] == "ok"]
        polluted = int((times["polluted"] == 1).sum())
        load = f"; {polluted} of {len(times)} timings disturbed" if polluted else ""
        return f"{self.machine}{f' ({facts})' if facts else ''}{load}"

    def environment_line(self) -> str:
        known = self.environment
        sets = self.runs["environment"].nunique()
        facts = [
            *self.hardware,
            f"{sets} sets of processors or GPUs" if sets > 1 else None,
            known.get("os"),
            known.get("compiler"),
            self.commit,
            known.get("utc"),
        ]
        return "; ".join(str(fact) for fact in facts if fact) or "environment not recorded"

    def command(self) -> str:
        """The command that produced the rows, as a shell would read it, without folders of the
        machine that it ran on: the rows lie here now, and graphs are elsewhere there."""
        arguments = [str(word) for word in self.environment.get("arguments") or []]
        if command := benchmarks.command_of(self.name, arguments[1:]):
            return command
        words = [Path(word).name for word in arguments[:1]] + without_folders(arguments[1:])
        return shlex.join(words) or f"bfslab run <spec of {self.name}>"


def load_experiment(folder: Path, allow_builds: bool = False) -> Experiment:
    """Throws ResultsError if a file is not one of bfslab's."""
    warnings: list[str] = []
    environment = read_json(folder / "environment.json", ENVIRONMENT)
    of_format = environment.get("format", FORMAT)
    if of_format > FORMAT:
        raise ResultsError(
            f"{folder}/environment.json is of format {of_format}, and these figures "
            f"read formats 1 to {FORMAT}: a newer bfslab has written it; use that one"
        )
    if (folder / benchmarks.FILE).exists() and not table_file(folder, "runs").exists():
        return _load_benchmark(folder)
    # Runs come last: a run that is at work writes them after their details.
    tables = {
        table: read_table(table_file(folder, table), table, warnings, environment)
        for table in reversed(COLUMNS)
    }
    require_trials(folder, tables, environment)
    _require_own_rows(tables["runs"], environment, table_file(folder, "runs"))
    seeds = joined_seeds(tables)
    return Experiment(
        folder=folder,
        spec=read_json(folder / "spec.json", SPEC),
        environment=environment,
        **tables,
        warnings=warnings,
        allow_builds=allow_builds,
        seeds=seeds,
    )


def _require_own_rows(runs: pd.DataFrame, environment: dict, path: Path) -> None:
    """Throws ResultsError for a row of a build or an environment that environment.json does not
    list. A file that lists none accuses no row."""
    listed = {
        "build_hash": [environment, *(environment.get("builds") or [])],
        "environment": [environment, *(environment.get("resumed") or [])],
    }
    for column, entries in listed.items():
        known = {one.get(column) for one in entries} - {None, ""}
        foreign = set(runs[column]) - known - {""} if known else set()
        if foreign:
            one = min(foreign)
            trial = runs.loc[runs[column] == one, "trial"].iloc[0]
            raise ResultsError(
                f"{path}: trial {trial:.0f} is of {column.removesuffix('_hash')} {one}, which "
                "environment.json beside it does not list: its row comes from another folder; "
                "take it out"
            )


def _load_benchmark(folder: Path) -> Experiment:
    path = folder / benchmarks.FILE
    try:
        spec, environment, measures = benchmarks.read_benchmark(path)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise ResultsError(
            f"{path}: not the output of a microbenchmark of bfslab: {error}"
        ) from error
    nothing = folder / "none.csv"  # reads as an empty table
    return Experiment(
        folder=folder,
        spec=spec,
        environment=environment,
        **{table: read_table(nothing, table, []) for table in COLUMNS} | {"measures": measures},
    )


def find_experiments(roots: list[Path]) -> list[Path]:
    """Folders with runs.csv, packed or not, and spec.json, or with a microbenchmark's output, at or
    below `roots`. Skips hidden folders (results that were moved aside), and rows that compare two
    builds (EQUIVALENCE), unless a root is among them."""
    found: dict[Path, None] = {}
    for root in roots:
        rows = [*root.rglob("runs.csv"), *root.rglob("runs.csv" + PACKED)]
        for file in sorted([*rows, *root.rglob(benchmarks.FILE)]):
            inside = file.parent.relative_to(root).parts
            hidden = any(part.startswith(".") or part == EQUIVALENCE for part in inside)
            own = file.name == benchmarks.FILE or (file.parent / "spec.json").exists()
            if own and not hidden:
                found.setdefault(file.parent.resolve(), None)
    return list(found)
