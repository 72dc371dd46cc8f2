# SPDX-License-Identifier: Apache-2.0
"""What a reader must know of an experiment's rows before believing a number of theirs."""

from __future__ import annotations

import pandas as pd

from .labels import stand_in_note
from .load import Experiment

EVIDENCE_SOURCES = 16  # fewer than these say little of a graph


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


def sources(experiment: Experiment) -> int:
    """The fewest that a graph has among the timed trials; 0 where nothing was timed."""
    timed = experiment.timed
    timed = timed[timed["source"].notna() & timed["time_ms"].notna()]
    return int(timed.groupby("graph")["source"].nunique().min()) if len(timed) else 0


def compiled_elsewhere(experiment: Experiment) -> str:
    """A sentence where engines ran on another CPU than the compiler made them for; else empty."""
    known = experiment.environment
    meant = known.get("compiled_for") or {}
    signature = (known.get("cpu") or {}).get("signature")
    if not meant.get("cpu") or not signature or meant["cpu"] == signature:
        return ""
    rows = experiment.timed
    own = rows["source"].notna() & rows["time_ms"].notna()
    own &= rows["gpu_ms"].isna() & (rows["gpu"].fillna("") == "")
    engines = rows.loc[own, "engine"]
    names = sorted(set(engines[~engines.str.startswith("external:")]))
    if not names:
        return ""
    return (
        f"The program was compiled for another CPU, {meant.get('target')} ({meant['cpu']}), so "
        f"times of {', '.join(names)} may be longer than they need be."
    )


def caveats(experiment: Experiment) -> list[str]:
    """Whole sentences, gravest first; empty where nothing speaks against the rows."""
    said = []
    rows = counted(experiment)
    if disturbed := polluted(experiment):
        said.append(
            f"{disturbed:,} of {len(rows):,} trials were disturbed in every attempt, by other "
            "programs or by a stop, and are shown all the same."
        )
    if failed := failures(experiment):
        words = ", ".join(f"{count:,} {status}" for status, count in failed.items())
        reason = rows.loc[rows["status"] != "ok", "reason"].value_counts().index[0]
        why = f", most often because: {reason}" if reason else ""
        count = sum(failed.values())
        said.append(f"{count:,} of {len(rows):,} trials gave no number ({words}){why}.")
    if experiment.environment.get("dirty"):
        said.append("The program had uncommitted changes, so its commit does not say what ran.")
    said.append(compiled_elsewhere(experiment))
    said.append(stand_in_note(experiment, list(dict.fromkeys(experiment.runs["graph"]))))
    if 0 < (few := sources(experiment)) < EVIDENCE_SOURCES:
        said.append(f"Only {few} source{'s' * (few > 1)} per graph.")
    return [sentence for sentence in [*said, *experiment.warnings] if sentence]
