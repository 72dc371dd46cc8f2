# SPDX-License-Identifier: Apache-2.0
"""The record of a run of the GPU tests: results/MACHINE/gpu-tests.json."""

import datetime
import json
import re
from pathlib import Path

from run_tests import Tally

from .tested import ROOT, tree_hash


def record_name(facts: dict) -> str:
    """Returns another name where the driver compiled the program's PTX for this device.

    >>> record_name({"compute_capability": "9.0", "architectures": "75,90a"})
    'gpu-tests.json'
    >>> record_name({"compute_capability": "9.0", "architectures": "75"})
    'gpu-tests-sm75.json'
    """
    built = [re.match(r"\d*", each).group() for each in facts["architectures"].split(",")]
    own = facts["compute_capability"].replace(".", "")
    if not own or not any(built) or set(own.split(", ")) & set(built):
        return "gpu-tests.json"
    return f"gpu-tests-sm{'-'.join(built)}.json"


def make_record(
    kernels: str, tally: Tally, refused: int, findings: dict[str, int | None], facts: dict,
    gpus: int,
) -> dict:  # fmt: skip
    return {
        "kernels": kernels,
        "kernels_files": tree_hash(ROOT / "kernels"),
        "passed": tally.passed,
        "failed": tally.failed,
        "skipped": tally.skipped,
        "refused": refused,
        **{f"{tool}_errors": findings[tool] for tool in ("memcheck", "racecheck", "synccheck")},
        **{key: facts[key] for key in ("device", "driver", "cuda", "architectures")},
        "gpus": gpus,
        "utc": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "commit": facts["commit"],
        "failures": sorted(tally.failures),
        "skip_reasons": dict(sorted(tally.reasons.items())),
    }


def write_record(path: Path, record: dict) -> None:
    """Replaces the file in one step."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_suffix(".new")
    new.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    new.replace(path)
