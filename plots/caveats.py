# SPDX-License-Identifier: Apache-2.0
"""Facts that a reader must know before trusting a number of an experiment's rows: one list of
notes, which figures and the verdicts on claims share."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

import pandas as pd

from .catalog import as_recorded
from .labels import stand_in_note
from .load import Experiment, ResultsError, on_gpu

EVIDENCE_SOURCES = 16  # fewer than these say little of a graph
EVIDENCE_INVOCATIONS = 3  # fewer processes say little of what differs from one to the next

# The weaknesses of rows, in the order of reporting.
STAND_INS = "stand-ins"
FAILED = "failed"
POLLUTED = "polluted"
SMALL_SOURCES = "small sources"
INCOMPLETE = "incomplete"
DIRTY = "uncommitted changes"
DISAGREEING = "known disagreement"
ELSEWHERE = "compiled elsewhere"
DEVICES = "several devices"
COLD_CACHES = "cold caches"
FEW_SOURCES = "few sources"
FEW_INVOCATIONS = "few invocations"
DAMAGED = "damaged"
SEVERAL_BUILDS = "several builds"
CONTRADICTION = "contradiction"  # of verdicts alone
MEANINGS = {
    STAND_INS: "a graph that is not the paper's own was read",
    FAILED: "trials gave no number",
    POLLUTED: "trials were disturbed in every attempt",
    SMALL_SOURCES: "sources that reach fewer than half as many vertices as another were left out",
    INCOMPLETE: "fewer trials than the recorded spec asks for",
    DIRTY: "the program had uncommitted changes",
    DISAGREEING: "the times are known to disagree with those of another experiment",
    ELSEWHERE: "times of a program that was compiled for another CPU",
    DEVICES: "several devices of one kind",
    COLD_CACHES: "times of searches that found cold caches",
    FEW_SOURCES: f"fewer than {EVIDENCE_SOURCES} sources a graph",
    FEW_INVOCATIONS: f"times of fewer than {EVIDENCE_INVOCATIONS} invocations",
    SEVERAL_BUILDS: "rows of several builds of the program",
    DAMAGED: "lines of a table could not be read",
    CONTRADICTION: "the paper's own numbers contradict each other",
}

# Files beside the machines' folders.
DISAGREEMENTS = "known_disagreements.json"
BUILDS = "compiled_for.json"

# Trials of one cell agree in these columns and the graph, and differ in source and repeat alone.
_CELL = ["case", "engine", "toggles", "answer", "ranks", "gpus_per_rank", "instrumented"]


@dataclass(frozen=True)
class Note:
    kind: str  # a key of MEANINGS
    text: str  # whole sentences


@dataclass
class Read:
    """The rows of an experiment that a figure or a claim uses, and its own sentences on facts that
    rows alone do not show. Empty sentences are left out."""

    rows: pd.DataFrame  # counted trials, those among them that were left out, too
    kept: pd.DataFrame  # those of them whose numbers are taken
    times: bool  # whether times are taken: what disturbs a search does not change its counts
    stand_ins: str = ""
    failed: str = ""
    polluted: str = ""


def counted(experiment: Experiment) -> pd.DataFrame:
    """The rows that figures read: one attempt per trial, timed and instrumented."""
    return pd.concat([experiment.timed, experiment.instrumented])


def polluted(experiment: Experiment) -> int:
    """Counted trials of which every attempt was disturbed, so that their numbers are too."""
    rows = counted(experiment)
    return int(((rows["polluted"] == 1) & (rows["status"] == "ok")).sum())


def failures(experiment: Experiment) -> dict[str, int]:
    """Counted trials that gave no number, by their status, most frequent first."""
    rows = counted(experiment)
    return rows.loc[rows["status"] != "ok", "status"].value_counts().to_dict()


def sources(rows: pd.DataFrame) -> int:
    """The fewest that a graph has; 0 where nothing was searched."""
    searched = _with_values(rows[rows["source"].notna()])
    return int(searched.groupby("graph")["source"].nunique().min()) if len(searched) else 0


def invocations(rows: pd.DataFrame) -> int:
    """The fewest processes that measured a cell."""
    valued = _with_values(rows)
    cells = valued.groupby([*_CELL, "graph"], dropna=False)["invocation"]
    return int(cells.nunique().min()) if len(valued) else 0


def _with_values(rows: pd.DataFrame) -> pd.DataFrame:
    """Timed trials with a number; where there are none, others with one; else failed ones."""
    good = rows[rows["status"] == "ok"]
    timed = good[(good["instrumented"] != 1) & good["time_ms"].notna()]
    return next((some for some in (timed, good) if len(some)), rows)


def devices(experiment: Experiment) -> list[str]:
    """The GPUs that rows were measured on, as rows abbreviate them: older rows leave that to
    environment.json."""
    rows = experiment.runs
    named = {one for text in rows["gpu"].dropna() for one in str(text).split(";") if one}
    if named:
        return sorted(named)
    devices = (experiment.environment.get("gpu") or {}).get("devices") or []
    ids = [one.get("uuid", "") if isinstance(one, dict) else one.split(", ")[1] for one in devices]
    used = rows["gpu_ms"].notna().any() or rows.empty  # a microbenchmark of a GPU has no rows
    return sorted({str(one)[: len("GPU-01234567")] for one in ids if one}) if used else []


def devices_at_once(rows: pd.DataFrame) -> int:
    """The most GPUs that one trial's row names."""
    named = (str(text).split(";") for text in rows["gpu"].dropna().unique() if text)
    return max((len(some) for some in named), default=0)


def notes(experiment: Experiment, read: Read) -> list[Note]:
    """All that is weak about what was read, gravest first; empty where nothing is."""
    rows = read.rows
    engines = set(rows["engine"]) or experiment.programs
    found = [
        (STAND_INS, read.stand_ins),
        (FAILED, read.failed),
        (POLLUTED, read.polluted),
        (SMALL_SOURCES, small_sources(experiment, rows)),
        (INCOMPLETE, incomplete(experiment, rows)),
        (
            DIRTY,
            "The program had uncommitted changes, so its commit does not say what ran."
            if experiment.dirty
            else "",
        ),
        (SEVERAL_BUILDS, several_builds(experiment, rows)),
    ]
    if read.times:
        found += [(DISAGREEING, one) for one in disagreements(experiment, engines)]
        found += [
            (ELSEWHERE, compiled_elsewhere(experiment, rows)),
            (DEVICES, _several_devices(rows)),
            (COLD_CACHES, _cold_caches(rows)),
        ]
    few = sources(read.kept)
    found.append(
        (
            FEW_SOURCES,
            f"Only {few} source{'s' * (few > 1)} per graph." if 0 < few < EVIDENCE_SOURCES else "",
        )
    )
    if read.times:
        found.append((FEW_INVOCATIONS, _few_invocations(experiment, read.kept)))
    found += [(DAMAGED, warning) for warning in experiment.warnings]
    return [Note(kind, sentence) for kind, sentence in found if sentence]


def caveats(experiment: Experiment) -> list[str]:
    """Returns a figure's sentences on an experiment's rows, gravest first; empty where
    nothing speaks against them."""
    rows = counted(experiment)
    read = Read(
        rows,
        rows,
        times=bool(((rows["instrumented"] != 1) & rows["time_ms"].notna()).any()) or rows.empty,
        stand_ins=stand_in_note(experiment, list(dict.fromkeys(experiment.runs["graph"]))),
        failed=_failed(experiment, rows),
    )
    if disturbed := polluted(experiment):
        read.polluted = (
            f"{disturbed:,} of {len(rows):,} trials were disturbed in every attempt, by other "
            "programs, a stop or a change of the machine's speed, and are shown all the same."
        )
    return [note.text for note in notes(experiment, read)]


def _failed(experiment: Experiment, rows: pd.DataFrame) -> str:
    failed = failures(experiment)
    if not failed:
        return ""
    words = ", ".join(f"{count:,} {status}" for status, count in failed.items())
    reason = rows.loc[rows["status"] != "ok", "reason"].value_counts().index[0]
    why = f", most often because: {reason}" if reason else ""
    return f"{sum(failed.values()):,} of {len(rows):,} trials gave no number ({words}){why}."


def small_sources(experiment: Experiment, rows: pd.DataFrame) -> str:
    """A sentence where sources of the rows' graphs were left out (Experiment.small_sources)."""
    here = set(rows["graph"])
    counts = Counter(graph for graph, _, _ in sorted(experiment.small_sources) if graph in here)
    if not counts:
        return ""
    named = ", ".join(f"{count} of {graph}" for graph, count in counts.items())
    return (
        "Sources that reach fewer than half as many vertices as another one of their graph are "
        f"left out: {named}."
    )


def incomplete(experiment: Experiment, rows: pd.DataFrame) -> str:
    """A sentence where the recorded spec asks for more trials than there are of the cells that
    `rows` belong to, or for graphs and cases that have none."""
    if rows.empty:
        return ""
    cells = counted(experiment).groupby([*_CELL, "graph"], dropna=False).size().rename("count")
    wanted = rows[_CELL].drop_duplicates().merge(rows[["graph"]].drop_duplicates(), how="cross")
    asked = wanted.merge(cells.reset_index(), how="left", on=[*_CELL, "graph"])
    asked = asked.assign(
        count=asked["count"].fillna(0),
        expected=[
            _expected(experiment, graph, instrumented == 1)
            for graph, instrumented in zip(asked["graph"], asked["instrumented"], strict=True)
        ],
    )
    sentences = []
    short = asked[asked["count"] < asked["expected"]]
    if len(short):
        worst = short.loc[(short["count"] / short["expected"]).idxmin()]
        graphs = ", ".join(dict.fromkeys(short["graph"]))
        sentences.append(
            f"The rows are incomplete: {len(short):,} of {len(asked):,} cells have fewer trials "
            f"than the recorded spec asks for, down to {worst['count']:.0f} of "
            f"{worst['expected']:.0f} ({graphs})."
        )
    spec, have = experiment.spec, set(experiment.runs["graph"])
    listed = [g if isinstance(g, str) else g.get("name", "") for g in spec.get("graphs", [])]
    absent = [graph for graph in as_recorded(listed, sorted(have)) if graph not in have]
    absent += [case for case in spec.get("cases", {}) if case not in set(experiment.runs["case"])]
    if absent:
        sentences.append(f"The recorded spec also asks for {', '.join(absent)}, without rows here.")
    return " ".join(sentences)


def _expected(experiment: Experiment, graph: str, instrumented: bool) -> int:
    """How many trials a cell of the graph is to have: one for each repeat of each source that was
    drawn. A search is instrumented once."""
    drawn = experiment.graphs.loc[experiment.graphs["graph"] == graph, "sources"]
    found = max((len([one for one in str(text).split(";") if one]) for text in drawn), default=0)
    found -= sum(graph == small for small, _, _ in experiment.small_sources)
    return max(found, 1) * (1 if instrumented else experiment.spec.get("repeats", 1))


def disagreements(experiment: Experiment, engines: Iterable[str]) -> list[str]:
    """Sentences on equal configurations whose times are known to differ between this experiment and
    others of its machine."""
    path = experiment.folder.resolve().parent.parent / DISAGREEMENTS
    sentences = []
    fields = ("machine", "engine", "experiments", "at_most", "reason")
    for each in _entries(path, "disagreements", fields):
        named = each["experiments"]
        if (
            each["machine"] == experiment.machine
            and each["engine"] in engines
            and any(fnmatchcase(experiment.name, pattern) for pattern in named)
        ):
            sentences.append(
                f"Times of {each['engine']} disagree between experiments ({' and '.join(named)}), "
                f"by up to {each['at_most']:g} times: {each['reason']}."
            )
    return sentences


def several_builds(experiment: Experiment, rows: pd.DataFrame) -> str:
    """Sentences where `rows` are of several builds of the program; else empty."""
    builds = rows.drop_duplicates("build_hash")
    if len(builds) < 2:
        return ""
    named = ", ".join(
        f"{row.build_hash[:8]} (commit {row.commit[:7] or 'unknown'})"
        for row in builds.itertuples()
    )
    ratios = (
        "Ratios across builds were asked for (--allow builds)."
        if experiment.allow_builds
        else "No ratio is formed across builds; --allow builds forms it."
    )
    return f"The rows are of {len(builds)} builds of the program: {named}. {ratios}"


def samples(experiment: Experiment) -> str:
    """ "16 sources x 3 invocations per graph", and the repeats where a process made several: of the
    timed searches that gave an answer, or, where none was timed, of the instrumented ones. Empty
    where nothing was searched."""
    for rows in (experiment.timed, experiment.instrumented):
        rows = rows[rows["source"].notna() & (rows["status"] == "ok")]
        if len(rows):
            break
    else:
        return ""
    counts = rows.groupby("graph")[["source", "invocation", "repeat"]].nunique()
    repeats = counts["repeat"] // counts["invocation"]
    parts = [_count(counts["source"], "source")]
    parts += [_count(counts["invocation"], "invocation")] if counts["invocation"].max() > 1 else []
    if repeats.max() > 1:  # of an adaptive number the most
        adaptive = isinstance(experiment.spec.get("repeats"), dict)
        parts.append(f"{'up to ' * adaptive}{_count(repeats, 'repeat')}")
    return f"{' x '.join(parts)} per graph"


def _count(of_graphs: pd.Series, what: str) -> str:
    least, most = int(of_graphs.min()), int(of_graphs.max())
    number = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    return f"{number} {what}{'s' * (most > 1)}"


def compiled_elsewhere(experiment: Experiment, rows: pd.DataFrame | None = None) -> str:
    """A sentence where engines ran on another CPU than the compiler made them for; else empty."""
    meant = _compiled_for(experiment)
    if not meant:
        return ""
    rows = experiment.timed if rows is None else rows
    own = rows["source"].notna() & rows["time_ms"].notna()
    own &= ~on_gpu(rows)
    engines = rows.loc[own, "engine"]
    names = sorted(set(engines[~engines.str.startswith("external:")]))
    if not names:
        return ""
    return (
        f"The program was compiled for another CPU, {meant}, so "
        f"times of {', '.join(names)} may be longer than they need be."
    )


def _compiled_for(experiment: Experiment) -> str:
    """The other CPU that the program was compiled for: as the rows say, or, where they are of a
    version that did not say so, as a file beside the machines' folders does. Else empty."""
    known = experiment.environment
    meant = known.get("compiled_for") or {}
    if meant.get("cpu"):
        signature = (known.get("cpu") or {}).get("signature")
        another = signature and meant["cpu"] != signature
        return f"{meant.get('target')} ({meant['cpu']})" if another else ""
    path = experiment.folder.resolve().parent.parent / BUILDS
    for each in _entries(path, "builds", ("commit", "machines", "compiled_for")):
        if each["commit"] == known.get("commit") and experiment.machine in each["machines"]:
            return each["compiled_for"]
    return ""


def _entries(path: Path, key: str, fields: Sequence[str]) -> list[dict]:
    """Reads the entries of a file that people write beside the results; none if it is missing."""
    if not path.exists():
        return []
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))[key]
        complete = all(field in entry for entry in entries for field in fields)
    except (ValueError, LookupError, TypeError) as error:
        raise ResultsError(f"{path}: no JSON object with a list {key!r} ({error})") from error
    if not complete:
        raise ResultsError(f"{path}: an entry of {key!r} lacks one of {', '.join(fields)}")
    return entries


def _cold_caches(rows: pd.DataFrame) -> str:
    cold = (rows["caches"] == "cold") & (rows["instrumented"] != 1)
    return "Caches were overwritten before each search or row of searches." if cold.any() else ""


def _several_devices(rows: pd.DataFrame) -> str:
    """There are more than any trial used together (bfslab's UsedGpus says the same)."""
    names = sorted({name for text in rows["gpu"].dropna() if text for name in str(text).split(";")})
    if len(names) <= max(devices_at_once(rows), 1):
        return ""
    return f"Measured on several devices of one kind: {', '.join(names)}."


def _few_invocations(experiment: Experiment, rows: pd.DataFrame) -> str:
    few = invocations(rows) if len(rows) else int(not experiment.measures.empty)
    if not 0 < few < EVIDENCE_INVOCATIONS:
        return ""
    return (
        f"Measured by only {few} invocation{'s' * (few > 1)} of the program, so the difference "
        "between invocations is unknown."
    )
