# SPDX-License-Identifier: Apache-2.0
"""Measures whether rows of an older commit still stand for the code as it is (docs/comparing.md).

`make equivalence BASE=COMMIT SPECS=...` builds both programs and calls this. Each spec, as the old
sources have it, becomes a probe of few repeats that also counts levels. The old program runs it
twice, then new, new and old take turns, and `bfslab compare` judges old and new.

A case's limit is twice what old against old shows, and 2 % at least. The case is "equal" if all
counts of its levels are equal and its mean ratio over graphs is within the limit; on CPUs the
counts decide. A count that the old program does not repeat decides nothing. Another case is
"faster" or "slower" if its mean is beyond the limit and every graph on that side of 1, and else
"undecided". Toggles whose default has changed since are left out of the match, and named. All goes
to RESULTS/equivalence/OLD-NEW, which the same command resumes. Exit codes: 0 measured, 1 a program
failed, 2 wrong arguments.
"""

import argparse
import collections
import csv
import datetime
import json
import shlex
import socket
import statistics
import subprocess
import sys
from collections.abc import Collection
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LEAST_PCT = 2.0  # two runs of one program differ by up to this on a quiet machine
PROBE = {"repeats": 2, "invocations": 1}
RECORD = {1: ["time", "levels"], 2: ["time"]}  # by round
TURNS = [("again", 1), ("old", 1), ("new", 1), ("new", 2), ("old", 2)]  # folder and round
UNCOUNTED = {"trial", "time_ms", "clock", "seal"}  # columns of levels.csv


def call(*words: object) -> str:
    return subprocess.check_output([str(word) for word in words], encoding="utf-8")


def toggles_of(row: dict) -> dict[str, str]:
    return dict(word.partition("=")[::2] for word in row["toggles"].split(";") if word)


def changed_defaults(old: Path, new: Path) -> dict[str, str]:
    """{toggle: "old -> new"} of toggles that have no value in common in a case of one spec."""
    found = {}
    values = [collections.defaultdict(set) for _ in (old, new)]
    for side, folder in zip(values, (old, new), strict=True):
        for runs in folder.glob("*-1/runs.csv"):
            for row in csv.DictReader(runs.open(encoding="utf-8")):
                for name, value in toggles_of(row).items():
                    side[runs.parent.name, row["case"], row["engine"], name].add(value)
    for key in values[0].keys() & values[1].keys():
        before, after = (side[key] for side in values)
        if not before & after:
            found[key[-1]] = f"{', '.join(sorted(before))} -> {', '.join(sorted(after))}"
    return found


def counts(folder: Path, turn: int) -> dict:
    """{(spec, case, engine, graph, source): [(toggles, counted levels)]} of instrumented trials."""
    found = collections.defaultdict(list)
    for runs in folder.glob(f"*-{turn}/runs.csv"):
        levels = collections.defaultdict(list)
        for row in csv.DictReader(runs.with_name("levels.csv").open(encoding="utf-8")):
            levels[row["trial"]].append({k: row[k] for k in row.keys() - UNCOUNTED})
        for row in csv.DictReader(runs.open(encoding="utf-8")):
            if row["instrumented"] == "1" and row["status"] == "ok":
                cell = [row[k] for k in ("case", "engine", "graph", "source")]
                levels_of_trial = levels[row["trial"]]
                found[(runs.parent.name[:-2], *cell)].append((toggles_of(row), levels_of_trial))
    return found


def differences(a: dict, b: dict, ignored: Collection[str] = ()) -> dict:
    """{(spec, case, engine): {column: where}} of counts that differ. Configurations match by the
    toggles that both programs have, but for `ignored`."""
    found = collections.defaultdict(dict)
    for key in a.keys() & b.keys():
        where = f"{key[3]}, source {key[4]}"
        for toggles, levels in a[key]:
            wanted = {k: v for k, v in toggles.items() if k not in ignored}
            alike = (o for t, o in b[key] if all(t.get(k, v) == v for k, v in wanted.items()))
            others = next(alike, [])
            if len(levels) != len(others):
                found[key[:3]].setdefault("level", where)
            for mine, theirs in zip(levels, others, strict=False):
                for column in sorted(mine.keys() & theirs.keys()):
                    if mine[column] != theirs[column]:
                        found[key[:3]].setdefault(column, f"{where}, level {mine['level']}")
    return found


def ratios(program: Path, a: Path, b: Path, ignored: Collection[str] = ()) -> dict:
    """{(spec, series, engine, case): [time in b over time in a]}, of each graph and turn."""
    found = collections.defaultdict(list)
    words = ["--json", "--allow", "polluted", *(["--ignore", ",".join(ignored)] if ignored else [])]
    for row in json.loads(call(program, "compare", a, b, *words))["rows"]:
        key = (row["experiment"][:-2], row["series"], row["engine"], row["case"])
        found[key].append(row["ratio"]["value"])
    return found


def judged(new: Path, out: Path, gpu_engines: set[str]) -> list[dict]:
    itself = ratios(new, out / "again", out / "old")
    unsteady = differences(counts(out / "again", 1), counts(out / "old", 1))
    defaults = changed_defaults(out / "old", out / "new")
    changed = differences(counts(out / "old", 1), counts(out / "new", 1), defaults)
    rows = []
    for key, factors in sorted(ratios(new, out / "old", out / "new", defaults).items()):
        spec, series, engine, case = key
        noise = statistics.geometric_mean(itself.get(key) or [1.0])
        limit = max(LEAST_PCT, 200 * (max(noise, 1 / noise) - 1))
        mean, high = statistics.geometric_mean(factors), 1 + limit / 100
        unsteady_here = unsteady[spec, case, engine]
        differ = {c: w for c, w in changed[spec, case, engine].items() if c not in unsteady_here}
        verdict = "undecided"
        if not differ and (engine not in gpu_engines or 1 / high <= mean <= high):
            verdict = "equal"
        elif mean < 1 / high and max(factors) < 1:
            verdict = "faster"
        elif mean > high and min(factors) > 1:
            verdict = "slower"
        why = [f"{c} differs ({w})" for c, w in differ.items()]
        why += [f"{c} varies from run to run" for c in sorted(unsteady_here)]
        why += [f"the default of {name} changed: {how}" for name, how in sorted(defaults.items())]
        row = {"experiment": spec, "engine": engine, "case": series, "graphs": len(factors) // 2}
        row |= {"counts": "differ" if differ else "equal", "ratio": mean, "low": min(factors)}
        row |= {"high": max(factors), "limit_pct": limit, "verdict": verdict, "why": "; ".join(why)}
        rows.append(row)
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("base", help="the commit whose rows are to stand")
    parser.add_argument("sources", type=Path, help="its sources, with build/release/bfslab")
    parser.add_argument("specs", nargs="+", metavar="SPEC", help="from the root of its sources")
    parser.add_argument("--results", type=Path, default=ROOT / "results" / socket.gethostname())
    parser.add_argument("--run", default="", help="more options of `bfslab run`: '--set repeats=4'")
    options = parser.parse_args()
    old, new = (root / "build/release/bfslab" for root in (options.sources.resolve(), ROOT))
    if missing := [each for each in options.specs if not (options.sources / each).exists()]:
        parser.error(f"{options.base} has no {missing[0]}: name specs that it recorded")
    version = json.loads(call(new, "version", "--json"))
    names = f"{options.base[:9]}-{version['commit'][:9]}{'+' * version['dirty']}"
    out = options.results / "equivalence" / names
    for spec in options.specs:
        for folder, turn in TURNS:
            path = (options.sources / spec).resolve()
            probe = out / "probes" / f"{path.parent.name}-{path.stem}-{turn}.json"
            probe.parent.mkdir(parents=True, exist_ok=True)
            keys = {"extends": str(path), "name": probe.stem, "record": RECORD[turn], **PROBE}
            probe.write_text(json.dumps(keys), encoding="utf-8")
            print(f"equivalence: {spec}, {folder}, turn {turn}", file=sys.stderr, flush=True)
            more = ["--results", out / folder, "--quiet", *shlex.split(options.run)]
            call(new if folder == "new" else old, "run", probe, *more)
    known = json.loads(call(new, "list", "engines", "--json"))
    rows = judged(new, out, {each["name"] for each in known if each["can"]["gpu"]})
    utc = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    record = {"base": options.base, "new": version["commit"], "machine": options.results.name}
    record |= {"utc": utc, "specs": options.specs, "run": options.run, "limit_pct": LEAST_PCT}
    (out / "equivalence.json").write_text(
        json.dumps(record | {"rows": rows}, indent=2) + "\n", encoding="utf-8"
    )
    for row in rows:
        print("{verdict:9} {ratio:.3f}, limit {limit_pct:.1f} %: {case} {why}".format(**row))
    print(f"recorded in {out}")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except subprocess.CalledProcessError as failed:
        sys.exit(f"equivalence: {failed}")
