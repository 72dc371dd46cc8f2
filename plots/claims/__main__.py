# SPDX-License-Identifier: Apache-2.0
"""python -m plots.claims RESULTS: what the recorded rows say of the papers' claims."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from ..claims.claims import ClaimError
from ..claims.ledger import evaluate, made_from
from ..claims.output import block, terminal_table, write
from ..load import ResultsError
from ..pages import with_block

DESCRIPTION = """Evaluates every claim of experiments/*/claims.json over the rows in or below a
folder of results, prints a verdict for each, and writes claims.md, claims.json and claims.csv
there. docs/claims.md says what the verdicts mean."""


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m plots.claims", description=DESCRIPTION)
    parser.add_argument("results", type=Path, metavar="RESULTS_DIR")
    parser.add_argument(
        "--document",
        type=Path,
        metavar="PAGE",
        help="also write the summary between the marks in this page",
    )
    options = parser.parse_args(arguments)
    if not options.results.is_dir():
        parser.error(f"{options.results} is not a folder; `bfslab run SPEC` makes results")
    try:
        verdicts = evaluate(options.results)
        if options.document:
            page = options.document.read_text(encoding="utf-8")
            options.document.write_text(with_block(page, block(verdicts)), encoding="utf-8")
    except (ResultsError, ClaimError) as error:
        print(f"claims: {error}", file=sys.stderr)
        return 2
    except (OSError, ValueError) as error:
        print(f"claims: {options.document}: {error}", file=sys.stderr)
        return 2
    print(terminal_table(verdicts))
    for path in write(verdicts, options.results, made_from(options.results)):
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
