# SPDX-License-Identifier: Apache-2.0
"""python -m plots.stale [RESULTS]: which recorded rows are of the engines as they are now.

Rows are stale where the code of their engine (plots/engine_hashes.py) is no longer what they
measured, by the hashes that environment.json has or else by the commit that it names. Where neither
tells, it is unknown; it is current only where the hash is the same.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import re
import shlex
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from .benchmarks import FILE, command_of, read_benchmark
from .engine_hashes import ROOT, RULE, Code, at_commit, working_tree
from .load import (
    Experiment,
    ResultsError,
    find_experiments,
    table_file,
    unpacked,
    without_folders,
)
from .pages import aligned, markdown_table, with_block
from .specs import resolved

CURRENT, STALE, UNKNOWN = "current", "stale", "unknown"
BEGIN = "<!-- made by python -m plots.stale; changes here are lost -->"
END = "<!-- end of what plots.stale made -->"


@dataclass(frozen=True)
class State:
    machine: str
    experiment: str  # the folder's name
    engine: str  # or a microbenchmark's program
    state: str
    why: str
    command: str  # what measures the folder anew


class Judge:
    """Compares rows with the sources of one repository, each commit of which it reads once."""

    def __init__(self, root: Path = ROOT) -> None:
        self.root = root
        self._commits: dict[str, Code | None] = {}

    @cached_property
    def now(self) -> Code:
        return working_tree(self.root)

    def state(self, engine: str, environment: Mapping) -> tuple[str, str]:
        """(state, why) of an engine's rows, by the environment.json beside them."""
        if engine.startswith("external:"):
            return UNKNOWN, "a program of somebody else's"
        if not self.now.engines:
            return UNKNOWN, f"there are no sources in {self.root}"
        if engine not in self.now.engines:
            return STALE, "there is no such engine any more"
        recorded, why = self._recorded(engine, environment)
        if recorded is None:
            return UNKNOWN, why
        if recorded != self.now.hash_of(engine):
            return STALE, f"the code has changed since {why}"
        return CURRENT, f"the code is that of {why}"

    def _recorded(self, engine: str, environment: Mapping) -> tuple[str | None, str]:
        hashes = environment.get("engine_hashes") or {}
        commit = str(environment.get("commit") or "unknown")
        if str(hashes.get(engine, "")).startswith(f"{RULE}-"):
            return hashes[engine], f"the build ({commit[:9]})"
        if commit == "unknown":
            return None, "no commit is recorded"
        if environment.get("dirty"):
            return None, f"the build had uncommitted changes to {commit[:9]}"
        if commit not in self._commits:
            self._commits[commit] = at_commit(commit, self.root)
        code = self._commits[commit]
        if code is None:
            return None, f"git does not know the commit {commit[:9]} here"
        return code.hash_of(engine) if engine in code.engines else "", commit[:9]


@cache
def _own() -> Judge | None:
    """Of the sources that this module lies in; None where it is installed without them."""
    return Judge() if (ROOT / "kernels/engine.hpp").exists() else None


def programs(experiment: Experiment) -> set[str]:
    """The engines that have rows, and a microbenchmark's program."""
    engines = set(experiment.runs["engine"])
    if (experiment.folder / FILE).exists():
        engines |= {_program(experiment.environment)}
    return engines


def sentences(experiment: Experiment, engines: Iterable[str]) -> list[tuple[str, str]]:
    """(STALE or UNKNOWN, a sentence) for each reason why rows of these engines may not be those of
    the engines as they are now."""
    judge = _own()
    if judge is None:
        return []
    found: dict[tuple[str, str], list[str]] = {}
    for engine in sorted(engines):
        found.setdefault(judge.state(engine, experiment.environment), []).append(engine)
    said = {
        STALE: "Not rows of the present version of {}: {}.",
        UNKNOWN: "Whether these are rows of the present version of {} is not known: {}.",
    }
    return [
        (state, said[state].format(", ".join(names), why))
        for (state, why), names in found.items()
        if state in said
    ]


def judge_folder(folder: Path, judge: Judge) -> list[State]:
    """One state for each engine that has rows. Throws ResultsError where they cannot be read."""
    rows = table_file(folder, "runs")
    if rows.exists():
        environment = _json(folder / "environment.json")
        engines = _engines(unpacked(rows).decode(errors="replace"))
        command = _command(environment, folder, judge.root)
    else:
        spec, environment, _ = read_benchmark(folder / FILE)
        engines = {_program(environment)}
        options = (environment.get("arguments") or [])[1:]
        command = f"{command_of(spec['name'], options)} RESULTS={shlex.quote(str(folder.parent))}"
    return [
        State(folder.parent.name, folder.name, engine, *judge.state(engine, environment), command)
        for engine in sorted(engines)
    ]


def judge_results(results: Path, judge: Judge) -> list[State]:
    folders = sorted(_beside(folder, results) for folder in find_experiments([results]))
    return [state for folder in folders for state in judge_folder(folder, judge)]


def _program(environment: Mapping) -> str:
    return Path((environment.get("arguments") or [""])[0]).name


def _engines(text: str) -> set[str]:
    """Of the text of a runs.csv, whose last line may be torn."""
    lines = csv.reader(io.StringIO(text))
    header = next(lines, [])
    at = header.index("engine") if "engine" in header else None
    return {row[at] for row in lines if at is not None and len(row) == len(header)} - {""}


def _beside(folder: Path, results: Path) -> Path:
    """As the user has named it, so that commands can be copied."""
    return results / folder.relative_to(results.resolve())


def _json(path: Path) -> dict:
    try:
        found = json.loads(path.read_text()) if path.exists() else {}
    except ValueError as error:
        raise ResultsError(f"{path}: not JSON ({error})") from error
    return found if isinstance(found, dict) else {}


def _command(environment: Mapping, folder: Path, root: Path) -> str:
    """Of the recorded command what is not of its machine: the folder's own spec, and --set; of a
    command that has no spec, what chose its experiment."""
    words = [str(word) for word in environment.get("arguments") or []]
    there = ["--results", str(folder.parent), "--fresh"]
    if words[1:2] == ["graph500"]:
        chosen = [word for word in without_folders(words[1:]) if word not in ("--fresh", "--quiet")]
        return shlex.join(["bfslab", *chosen, *there])
    spec = str(environment.get("spec_file") or f"{folder}/spec.json")
    given = [words[at + 1] for at, word in enumerate(words[:-1]) if word == "--set"]
    settings = list(dict.fromkeys(given))
    fitting = [word for setting in _fitting(settings, root / spec) for word in ("--set", setting)]
    if _profiled(folder):
        return shlex.join(["bfslab", "profile", spec, *fitting, *there[:2]])
    return shlex.join(["bfslab", "run", spec, *fitting, *there])


def _profiled(folder: Path) -> bool:
    """Whether a profiler's counters of kernels are among the rows."""
    measures = table_file(folder, "measures")
    return measures.exists() and b",kernel=" in unpacked(measures)


def _fitting(settings: Sequence[str], spec: Path) -> list[str]:
    """Repeats that were given are as many, at least, as the spec's worker processes can share out:
    it may not have had several of them when the rows were made."""
    invocations = resolved(spec).get("invocations", 1) if spec.exists() else 1
    if any(setting.startswith("invocations=") for setting in settings):
        return list(settings)
    return [
        f"repeats={-(-int(given[1]) // invocations) * invocations}"
        if (given := re.fullmatch(r"repeats=(\d+)", setting))
        else setting
        for setting in settings
    ]


def _grouped(states: Iterable[State]) -> dict[tuple[str, str, str], list[str]]:
    """Folders of a machine by the engines whose rows there are stale or unknown."""
    folders: dict[tuple[str, str], dict[str, list[str]]] = {}
    for each in states:
        kinds = folders.setdefault((each.machine, each.experiment), {STALE: [], UNKNOWN: []})
        kinds.setdefault(each.state, []).append(each.engine)
    groups: dict[tuple[str, str, str], list[str]] = {}
    for (machine, experiment), kinds in folders.items():
        if kinds[STALE] or kinds[UNKNOWN]:
            key = (machine, ", ".join(kinds[STALE]), ", ".join(kinds[UNKNOWN]))
            groups.setdefault(key, []).append(experiment)
    return groups


def block(states: Sequence[State]) -> str:
    """For a page beside the results. It names no commit and no hash, so that it changes only when
    something becomes stale or is measured anew."""
    groups = _grouped(states)
    folders = len({(each.machine, each.experiment) for each in states})
    listed = sum(map(len, groups.values()))
    rows = [
        (f"`{machine}`", ", ".join(f"`{name}`" for name in names), stale, unknown)
        for (machine, stale, unknown), names in sorted(groups.items())
    ]
    said = f"{folders - listed} of {folders} folders have rows of the engines as they are now"
    if not rows:
        return "\n".join([BEGIN, f"{said}.", END])
    head = ("machine", "folders", "stale: code has changed since", "unknown")
    return "\n".join([BEGIN, f"{said}. The others:\n", markdown_table(head, rows) + END])


def unverifiable(states: Sequence[State]) -> list[State]:
    """Those that a clone with all commits would know, and this one does not."""
    return [each for each in states if "git does not know" in each.why]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m plots.stale",
        description="Says of recorded rows whether they are of the engines as they are now, and "
        "which command measures those anew that are not.",
    )
    parser.add_argument("results", nargs="?", type=Path, default=Path("results"), metavar="RESULTS")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="also write the list there")
    parser.add_argument(
        "--check", type=Path, metavar="PAGE", help="1 if PAGE has another list; change nothing"
    )
    options = parser.parse_args(arguments)
    if not options.results.is_dir():
        parser.error(f"{options.results} is not a folder; `bfslab run SPEC` makes results")
    try:
        states = judge_results(options.results, Judge())
        page = options.check or options.write
        before = page.read_text(encoding="utf-8") if page else ""
        after = with_block(before, block(states)) if page else ""
    except (ResultsError, OSError, ValueError, LookupError) as error:
        print(f"stale: {error}", file=sys.stderr)
        return 2
    head = ("machine", "experiment", "engine", "state", "why")
    lines = [(s.machine, s.experiment, s.engine, s.state, s.why) for s in states]
    print("\n".join(aligned(head, lines)))
    if commands := dict.fromkeys(s.command for s in states if s.state == STALE):
        print("\nMeasure what is stale anew, on the machine that the folder is named after:")
        print("\n".join(commands))
    if missing := unverifiable(states):
        print(
            f"\n{len(missing)} of these states need commits that this clone lacks: "
            "git fetch --unshallow",
            file=sys.stderr,
        )
    if options.check and before != after:
        print(f"{options.check}: not what is stale now: python -m plots.stale --write {page}")
        return 1
    if options.write and before != after:
        options.write.write_text(after, encoding="utf-8")
        print(f"\n{options.write}: written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
