# SPDX-License-Identifier: Apache-2.0
"""python -m plots.claims RESULTS: what the recorded rows say of the papers' claims."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from ..claims.claims import ClaimError
from ..claims.ledger import evaluate
from ..claims.output import terminal_table, write
from ..load import ResultsError, find_experiments, load_experiment

DESCRIPTION = """Evaluates every claim of experiments/*/claims.json over the rows in or below a
folder of results, and prints a verdict for each. With --out it also writes claims.md, claims.json
and claims.csv. docs/claims.md says what the verdicts mean. `make report` does the same with all
figures."""


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m plots.claims", description=DESCRIPTION)
    parser.add_argument("results", type=Path, metavar="RESULTS_DIR")
    parser.add_argument("--out", type=Path, metavar="DIR", help="folder to write the verdicts into")
    parser.add_argument(
        "--allow", action="append", choices=["builds"], help="form ratios across builds, too"
    )
    options = parser.parse_args(arguments)
    if not options.results.is_dir():
        parser.error(f"{options.results} is not a folder; `bfslab run SPEC` makes results")
    try:
        experiments = [
            load_experiment(folder, allow_builds=bool(options.allow))
            for folder in find_experiments([options.results])
        ]
        verdicts = evaluate(options.results, experiments=experiments)
    except (ResultsError, ClaimError) as error:
        print(f"claims: {error}", file=sys.stderr)
        return 2
    print(terminal_table(verdicts))
    if options.out:
        options.out.mkdir(parents=True, exist_ok=True)
        for path in write(verdicts, options.out):
            print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
