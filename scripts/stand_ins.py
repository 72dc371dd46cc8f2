# SPDX-License-Identifier: Apache-2.0
"""Stand-ins of the catalogue's large graphs: solve their parameters, build and measure them.

  scripts/stand_ins.py solve                writes "stand_in" into datasets/catalog.json
  scripts/stand_ins.py measure NAME...      builds the stand-ins of these entries (all without a
                                            NAME) and records them in datasets/stand_ins.csv

`solve` takes the counts from the catalogue and the skew from the table below, and has
`bfslab graph calibrate` find the number of tuples and the flattening of the head. `measure` runs
`bfslab graph info` without the cache; it needs about 24 bytes of memory per edge.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CATALOG = ROOT / "datasets" / "catalog.json"
TABLE = ROOT / "datasets" / "stand_ins.csv"
COLUMNS = (
    "name,stand_in,published_vertices,vertices,vertices_difference_pct,published_edges,edges,"
    "edges_difference_pct,edges_are,isolated_vertices,degree_median,degree_mean,degree_90,"
    "degree_99,degree_maximum,components,largest_component_pct,diameter_at_least,content_hash"
).split(",")

# Facts that the counts alone do not give: the exponent of the degree distribution, the largest
# degree and the share of reciprocated edges. All are assumed: largest degrees are those commonly
# reported for the data set if there is one, exponents are chosen for the kind of graph. Nothing
# here was measured on the real files. roads: width and height of the grid of junctions.
SKEWS: dict[str, dict[str, float]] = {
    "amazon0302": {"exponent": 3.5, "max-degree": 420, "reciprocal": 0.54},
    "appu": {"exponent": 10, "max-degree": 300, "reciprocal": 1},
    "com-lj": {"exponent": 2.2, "max-degree": 14815},
    "com-orkut": {"exponent": 2.9, "max-degree": 33313},
    "soc-catster": {"exponent": 2.1, "max-degree": 80634},
    "web-BerkStan": {"exponent": 2.3, "max-degree": 84230, "reciprocal": 0.25},
    "web-Google": {"exponent": 2.6, "max-degree": 6332, "reciprocal": 0.3},
    "dbpedia-all": {"exponent": 2.3, "max-degree": 470000},
    "dblp-author": {
        "left": 1953085,
        "left-exponent": 2.5,
        "left-max-degree": 1500,
        "right-exponent": 4,
        "right-max-degree": 300,
    },
    "dblp-author-xbfs": {
        "left": 1031069,
        "left-exponent": 2.5,
        "left-max-degree": 1000,
        "right-exponent": 4,
        "right-max-degree": 120,
    },
    "enwiki-xbfs": {"exponent": 2.2, "max-degree": 1000000},
    # With 1.7 few edges join two vertices of degree 16 to 128, as in scalable-bfs, section VI-D.
    "com-friendster": {"exponent": 1.7, "max-degree": 5214},
    "friendster-xbfs": {"exponent": 2.2, "max-degree": 5214},
    # The paper says that about half of its vertices are isolated.
    "friendster-201107": {"exponent": 1.7, "max-degree": 5214, "isolated": 67000000},
    "soc-LiveJournal1": {"exponent": 2.2, "max-degree": 20333, "reciprocal": 0.75},
    "trackers": {
        "left": 27665730,
        "left-exponent": 2.5,
        "left-max-degree": 2000,
        "right-exponent": 1.9,
        "right-max-degree": 11571953,
    },
    "cit-Patents": {"exponent": 3.1, "max-degree": 793},
    "dbpedia-link": {"exponent": 2.3, "max-degree": 632558},
    "wikipedia_link_en": {"exponent": 2.3, "max-degree": 1000000, "reciprocal": 0.1},
    "wikipedia_link_en-xbfs": {"exponent": 2.3, "max-degree": 963032, "reciprocal": 0.1},
    "coPapersDBLP": {"exponent": 3, "max-degree": 3299},
    "wiki-topcats": {"exponent": 2.3, "max-degree": 238342, "reciprocal": 0.2},
    "europe_osm": {"width": 2800, "height": 2800},
    "roadNet-CA": {"width": 1350, "height": 1350},
}


def bfslab() -> str:
    return os.environ.get("BFSLAB_BIN", str(ROOT / "build" / "release" / "bfslab"))


def entries() -> dict[str, dict]:
    return {e["name"]: e for e in json.loads(CATALOG.read_text(encoding="utf-8"))["entries"]}


def run(*words: str) -> str:
    done = subprocess.run([bfslab(), *words], capture_output=True, encoding="utf-8")
    if done.returncode != 0:
        raise SystemExit(f"stand_ins: {' '.join(words)}: {done.stderr.strip()}")
    return done.stdout


def entries_per_edge(entry: dict) -> int:
    """How often the published number counts an undirected edge."""
    return 2 if entry["edges_are"] == "doubled edges" else 1


def stand_in(entry: dict) -> str:
    """The graph name whose expected counts are the entry's published ones."""
    skew = dict(SKEWS[entry["name"]])
    counts = {"edges": entry["edges"] // entries_per_edge(entry)}
    isolated = int(skew.pop("isolated", 0))
    if "width" in skew:
        return "roads:vertices={},edges={},width={},height={}".format(
            entry["vertices"], entry["edges"], skew["width"], skew["height"]
        )
    if "left" in skew:
        counts["right"] = entry["vertices"] - skew["left"]
    else:
        counts["vertices"] = entry["vertices"] - isolated
    words = [f"--{key}={value}" for key, value in (counts | skew).items()]
    if entry["directed"] and "left" not in skew:
        words.append("--directed")
    name = run("graph", "calibrate", *words).strip()
    return f"union:({name})+(uniform:vertices={isolated},edge_factor=0)" if isolated else name


def with_stand_in(block: str, value: str) -> str:
    """An entry's text with its stand_in set, after edges_are if it had none."""
    line = f'"stand_in": {json.dumps(value)}'
    if '"stand_in": ' in block:
        return re.sub(r'"stand_in": "[^"]*"', lambda _: line, block)
    return re.sub(r'(\n *)("edges_are": "[^"]*",)', lambda m: f"{m[1]}{m[2]}{m[1]}{line},", block)


def solve() -> None:
    text = CATALOG.read_text(encoding="utf-8")
    for name, entry in entries().items():
        if name not in SKEWS:
            continue
        value = stand_in(entry)
        start = text.index(f'"name": "{name}",')
        end = text.find('"name": "', start + 1)
        block = text[start : end if end >= 0 else len(text)]
        changed = with_stand_in(block, value)
        if value not in changed:
            raise SystemExit(f"stand_ins: {name} has no edges_are after which to put its stand-in")
        text = text.replace(block, changed)
        print(f"{name}: {value}")
    CATALOG.write_text(text, encoding="utf-8")


def measured(entry: dict) -> dict[str, object]:
    """One row of the table: |V| and |E| as the catalogue counts them, degrees undirected."""
    name = entry["stand_in"]
    facts = json.loads(run("graph", "info", "--no-cache", "--json", name))
    edges = facts["edges"] // 2 * entries_per_edge(entry)
    if entry["directed"]:
        arcs = json.loads(
            run("graph", "info", "--no-cache", "--json", "--counts", f"{name},symmetrize=false")
        )
        edges = arcs["edges"]
    vertices = facts["vertices"]
    if "isolated" not in SKEWS.get(entry["name"], {}):
        vertices -= facts["isolated_vertices"]

    def difference(value: int, published: int) -> float:
        return round(100 * (value - published) / published, 4)

    return {
        "name": entry["name"],
        "stand_in": name,
        "published_vertices": entry["vertices"],
        "vertices": vertices,
        "vertices_difference_pct": difference(vertices, entry["vertices"]),
        "published_edges": entry["edges"],
        "edges": edges,
        "edges_difference_pct": difference(edges, entry["edges"]),
        "edges_are": "doubled edges"
        if entries_per_edge(entry) == 2
        else "directed edges"
        if entry["directed"]
        else "undirected edges",
        "isolated_vertices": facts["isolated_vertices"],
        "degree_median": facts["degree"]["median"],
        "degree_mean": round(facts["degree"]["mean"], 3),
        "degree_90": facts["degree"]["percentile_90"],
        "degree_99": facts["degree"]["percentile_99"],
        "degree_maximum": facts["degree"]["maximum"],
        "components": facts["components"],
        "largest_component_pct": round(
            100 * facts["largest_component_vertices"] / facts["vertices"], 3
        ),
        "diameter_at_least": facts["diameter_at_least"],
        "content_hash": facts["content_hash"],
    }


def measure(names: list[str]) -> None:
    known = entries()
    offered = [name for name, entry in known.items() if entry.get("stand_in")]
    for name in names:
        if name not in offered:
            raise SystemExit(f"stand_ins: {name} has no stand-in; known: {', '.join(offered)}")
    rows: dict[str, dict] = {}
    if TABLE.exists():
        with TABLE.open(encoding="utf-8", newline="") as file:
            rows = {row["name"]: row for row in csv.DictReader(file)}
    for name in names or offered:
        rows[name] = measured(known[name])
        print(f"{name}: {rows[name]['vertices']} vertices, {rows[name]['edges']} edges", flush=True)
        temporary = TABLE.with_suffix(".new")
        with temporary.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows[n] for n in known if n in rows)
        temporary.replace(TABLE)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("action", choices=["solve", "measure"])
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    solve() if options.action == "solve" else measure(options.names)
    return 0


if __name__ == "__main__":
    sys.exit(main())
