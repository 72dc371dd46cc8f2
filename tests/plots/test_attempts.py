# SPDX-License-Identifier: Apache-2.0
"""Which attempt counts: the cases of tests/data/attempts.json, which tests/driver/attempts_test.cpp
puts to the program."""

import json
from pathlib import Path

import pandas as pd
import pytest

from plots.attempts import counted_attempts
from plots.load import COLUMNS

CASES = json.loads(
    (Path(__file__).resolve().parents[1] / "data/attempts.json").read_text(encoding="utf-8")
)["cases"]


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_the_attempt_that_counts(case):
    rows = [
        dict.fromkeys(COLUMNS["runs"], "")
        | {
            "trial": number,
            "attempt": number,
            "source": 1,
            "repeat": 0,
            "ranks": 1,
            "gpus_per_rank": 0,
            "status": attempt.get("status", "ok"),
            "polluted": float(attempt.get("polluted", False)),
            "instrumented": float(attempt.get("instrumented", False)),
            "recorded": attempt.get("recorded", ""),
            "foreign_load_pct": attempt.get("load", float("nan")),
        }
        for number, attempt in enumerate(case["attempts"])
    ]
    counted = counted_attempts(pd.DataFrame(rows))
    assert counted["trial"].to_list() == [case["counts"]]
