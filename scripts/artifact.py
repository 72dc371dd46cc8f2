# SPDX-License-Identifier: Apache-2.0
"""Evaluates the artifact in tiers: runs the experiments of a tier, then prints each claim with the
paper's value, the expected one with its band, one's own, and whether it is within the band.

Called by `make ae TIER=1`. experiments/artifact.json has the tiers; docs/artifact.md describes
them. Expected values are those of the rows in results/. Own rows go to out/artifact/tier-1/...; the
same command goes on where an earlier one ended. Never uses the network.

Exit codes: 0 all are ok; 1 some are not; 2 arguments that make no sense, or rows that cannot be
read; else the first failure of a run (docs/spec.md).
"""

import argparse
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from plots.cells import number  # noqa: E402
from plots.claims.claims import ClaimError  # noqa: E402
from plots.claims.expected import ExpectationError, Outcome, compared, expectations  # noqa: E402
from plots.load import ResultsError  # noqa: E402
from plots.pages import aligned  # noqa: E402

TIERS = ROOT / "experiments/artifact.json"
RECORDED = ROOT / "results"


def names_of(steps: list[str]) -> set[str]:
    """The experiments' names of the specs in `steps`."""
    specs = [word for step in steps for word in shlex.split(step) if word.endswith(".json")]
    return {json.loads((ROOT / spec).read_text(encoding="utf-8"))["name"] for spec in specs}


def table(outcomes: list[Outcome]) -> str:
    head = ("claim", "paper", "expected", "yours", "")
    rows = [
        (
            each.expected.id,
            each.expected.paper_value,
            each.expected.band,
            "" if each.value is None else f"{number(each.value)} {each.expected.unit}".strip(),
            each.words,
        )
        for each in outcomes
    ]
    good = sum(each.ok for each in outcomes)
    return "\n".join([*aligned(head, rows), "", f"{good} of {len(outcomes)} are ok."])


def how_to_repeat(outcomes: list[Outcome], steps: list[str], bfslab: str, results: Path) -> str:
    """A line for each experiment whose disturbed trials leave a claim without a number: the command
    that measures it again, and keeps the rows so far in RESULTS/.previous. Empty if there is
    none."""
    lines = []
    for name in sorted({each.disturbed for each in outcomes if each.disturbed}):
        ids = ", ".join(each.expected.id for each in outcomes if each.disturbed == name)
        lines.append(
            f"Other work disturbed all trials that are needed for {ids}. Measure them again while "
            "nothing else runs, then repeat this command:"
        )
        lines += [
            f"  BFSLAB_OFFLINE=1 {shlex.quote(bfslab)} run {step} --fresh --results "
            f"{shlex.quote(str(results))}"
            for step in steps
            if name in names_of([step])
        ]
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    tiers = json.loads(TIERS.read_text(encoding="utf-8"))["tiers"]
    parser.add_argument("tier", choices=sorted(tiers), metavar="TIER", help=", ".join(tiers))
    parser.add_argument("--bfslab", default=str(ROOT / "build/release/bfslab"))
    parser.add_argument("--results", type=Path, help="folder for the rows")
    parser.add_argument("--recorded", type=Path, default=RECORDED, help="rows to expect")
    parser.add_argument("--no-run", action="store_true", help="judge the rows that are there")
    options = parser.parse_args()
    tier = tiers[options.tier]
    results = options.results or ROOT / f"out/artifact/tier-{options.tier}"
    print(f"Tier {options.tier}. {tier['title']}", flush=True)
    try:
        expected = expectations(options.recorded, tier["claims"], names_of(tier["steps"]))
        if not options.no_run:
            command = [sys.executable, str(ROOT / "scripts/measure.py"), "--bfslab", options.bfslab,
                       "--results", str(results), *tier["steps"]]  # fmt: skip
            # Fetched files would take the places of the stand-ins that the expected values rest on.
            offline = {**os.environ, "BFSLAB_OFFLINE": "1"}
            code = subprocess.run(command, cwd=ROOT, env=offline).returncode
            if code != 0:
                print(f"artifact: a run ended with {code}; the same command goes on",
                      file=sys.stderr)  # fmt: skip
                return code
        outcomes = compared(expected, results)
    except (ExpectationError, ResultsError, ClaimError) as error:
        print(f"artifact: {error}", file=sys.stderr)
        return 2
    print(table(outcomes))
    if advice := how_to_repeat(outcomes, tier["steps"], options.bfslab, results):
        print(f"\n{advice}")
    return 0 if all(each.ok for each in outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
