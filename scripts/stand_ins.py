# SPDX-License-Identifier: Apache-2.0
"""Stand-ins of the catalogue's large graphs: solve their parameters, build and measure them.

  scripts/stand_ins.py solve                writes "stand_in" into datasets/catalog.json
  scripts/stand_ins.py measure NAME...      builds the stand-ins of these entries (all without a
                                            NAME) and records them in datasets/stand_ins.csv
  scripts/stand_ins.py table                prints the table of docs/stand_ins.md from that file

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
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CATALOG = ROOT / "datasets" / "catalog.json"
TABLE = ROOT / "datasets" / "stand_ins.csv"
COLUMNS = (
    "name,stand_in,published_vertices,vertices,vertices_difference_pct,published_edges,edges,"
    "edges_difference_pct,edges_are,isolated_vertices,degree_median,degree_mean,degree_90,"
    "degree_99,degree_maximum,reciprocal_pct,components,largest_component_pct,published_depth,"
    "depth_is,diameter_at_least,levels,mean_gap_bits,found_early_pct,checks_saved_pct,content_hash"
).split(",")

# Facts that the counts alone do not give. Exponents are assumed for the kind of graph. Largest
# degrees and shares of reciprocated edges are those that the distributor's page has (SNAP, KONECT)
# or that are commonly reported for the data set, or else assumed. Communities and the order of ids
# follow measured graphs of the kind (docs/stand_ins.md). Tails make the graph as deep as PUBLISHED
# says. roads: width and height of the grid of junctions. True is an option without a value.
SKEWS: dict[str, dict[str, float]] = {
    "amazon0302": {
        "exponent": 3.5, "max-degree": 420, "reciprocal": 0.54,
        "communities": 1000, "local": 0.5, "crawl": True, "tails": 256, "tail-length": 12,
    },
    "appu": {"exponent": 10, "max-degree": 300, "reciprocal": 1},
    "com-lj": {
        "exponent": 2.2, "max-degree": 14815,
        "communities": 8000, "local": 0.5, "crawl": True, "tails": 1000000, "tail-length": 7,
    },
    "com-orkut": {
        "exponent": 2.9, "max-degree": 33313,
        "communities": 6000, "local": 0.5, "crawl": True, "tails": 3000, "tail-length": 2,
    },
    "soc-catster": {"exponent": 2.1, "max-degree": 80634, "crawl": True},
    "web-BerkStan": {
        "exponent": 2.1, "max-degree": 84230, "reciprocal": 0.25,
        "communities": 1400, "local": 0.5, "crawl": True, "tails": 64, "tail-length": 255,
    },
    "web-Google": {
        "exponent": 2.6, "max-degree": 6353, "reciprocal": 0.307,
        "communities": 1800, "local": 0.7, "crawl": True, "tails": 900, "tail-length": 8,
    },
    "dbpedia-all": {
        "exponent": 2.1, "max-degree": 470000, "communities": 8000, "local": 0.5, "crawl": True,
    },
    "dblp-author": {
        "left": 1953085, "left-exponent": 2.5, "left-max-degree": 1500,
        "right-exponent": 4, "right-max-degree": 300,
    },
    "dblp-author-xbfs": {
        "left": 1425813, "left-exponent": 2.5, "left-max-degree": 951,
        "right": 4000150, "right-exponent": 4, "right-max-degree": 120,
        "shared-ids": True, "communities": 2800, "local": 0.7, "crawl": True,
    },
    "enwiki-xbfs": {
        "exponent": 2.2, "max-degree": 1000000,
        "communities": 43000, "local": 0.5, "crawl": True, "tails": 1000000, "tail-length": 3,
    },
    # With 1.7 few edges join two vertices of degree 16 to 128, as in scalable-bfs, section VI-D.
    "com-friendster": {"exponent": 1.7, "max-degree": 5214},
    "friendster-xbfs": {
        "exponent": 2.2, "max-degree": 5214,
        "communities": 131000, "local": 0.5, "crawl": True, "tails": 65000, "tail-length": 14,
    },
    # The paper says that about half of its vertices are isolated.
    "friendster-201107": {"exponent": 1.7, "max-degree": 5214, "isolated": 67000000},
    "soc-LiveJournal1": {
        "exponent": 2.2, "max-degree": 20333, "reciprocal": 0.75,
        "communities": 9700, "local": 0.5, "crawl": True, "tails": 1000000, "tail-length": 6,
    },
    "trackers": {
        "left": 27665730, "left-exponent": 2.5, "left-max-degree": 2000,
        "right-exponent": 1.9, "right-max-degree": 11571953,
    },
    "trackers-xbfs": {
        "left": 27665730, "left-exponent": 2.5, "left-max-degree": 1100065,
        "right": 12756244, "right-exponent": 1.9, "right-max-degree": 11571952,
        "shared-ids": True, "communities": 25000, "local": 0.3, "crawl": True,
    },
    # Patents are numbered as they are granted: their ids say nothing about degrees.
    "cit-Patents": {"exponent": 3.1, "max-degree": 793, "tails": 3700, "tail-length": 7},
    "dbpedia-link": {
        "exponent": 2.3, "max-degree": 632558,
        "communities": 36000, "local": 0.5, "crawl": True, "tails": 1000000, "tail-length": 3,
    },
    "wikipedia_link_en": {"exponent": 2.3, "max-degree": 1000000, "reciprocal": 0.1},
    "wikipedia_link_en-xbfs": {
        "exponent": 2.3, "max-degree": 963032, "reciprocal": 0.1,
        "communities": 24000, "local": 0.5, "crawl": True, "tails": 1000000, "tail-length": 3,
    },
    "coPapersDBLP": {
        "exponent": 3, "max-degree": 3299,
        "communities": 1000, "local": 0.5, "crawl": True, "tails": 540, "tail-length": 9,
    },
    "wiki-topcats": {
        "exponent": 2.3, "max-degree": 238342, "reciprocal": 0.2,
        "communities": 3500, "local": 0.5, "crawl": True, "tails": 16, "tail-length": 252,
    },
    "europe_osm": {"width": 5000, "height": 5000},
    "roadNet-CA": {"width": 1350, "height": 1350},
}  # fmt: skip

# Published depths. SNAP and KONECT give a diameter, cs406 the levels of its searches.
PUBLISHED: dict[str, tuple[int, str]] = {
    "amazon0302": (32, "diameter (SNAP)"),
    "com-lj": (17, "diameter (SNAP)"),
    "com-orkut": (9, "diameter (SNAP)"),
    "web-BerkStan": (514, "diameter (SNAP)"),
    "web-Google": (21, "diameter (SNAP)"),
    "dblp-author": (48, "diameter (KONECT)"),
    "com-friendster": (32, "diameter (SNAP)"),
    "friendster-xbfs": (32, "diameter of SNAP's edition"),
    "soc-LiveJournal1": (16, "diameter (SNAP)"),
    "trackers": (21, "diameter (KONECT)"),
    "cit-Patents": (22, "diameter (SNAP)"),
    "coPapersDBLP": (14, "levels (cs406)"),
    "wiki-topcats": (257, "levels (cs406)"),
    "europe_osm": (13847, "levels (cs406)"),
    "roadNet-CA": (849, "diameter (SNAP)"),
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
        counts["right"] = int(skew.pop("right", entry["vertices"] - skew["left"]))
    else:
        counts["vertices"] = entry["vertices"] - isolated
    words = [
        f"--{key}" if value is True else f"--{key}={value}"
        for key, value in (counts | skew).items()
    ]
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


# xbfs-model's searches, which count what asynchronous bottom-up finds early and saves.
MODEL = {
    "name": "stand-ins",
    "title": "Levels of searches, and what asynchronous bottom-up saves",
    "repeats": 1,
    "warmup": 0,
    "answer": "levels",
    "base": {"engine": "xbfs-model"},
    "cases": {"synchronous": {"async": False}, "asynchronous": {}},
    "record": ["levels"],
    "check": "none",
}


def searched(graph: str, cache: str, sources: int) -> dict[str, float | int]:
    """The median number of levels of searches, the share of the next level that the first
    bottom-up level finds early, and the share of the edge checks that this saves, as xbfs's
    Figures 10 and 15 count them, in percent. `graph` is symmetrised, and perhaps in the cache."""
    rule = {"count": sources, "seed": 1, "rule": "largest-component"}
    with tempfile.TemporaryDirectory() as folder:
        spec = Path(folder) / "spec.json"
        spec.write_text(json.dumps(MODEL | {"graphs": [graph], "sources": rule}), encoding="utf-8")
        run("run", str(spec), "--results", folder, "--cache", cache, "--offline")
        rows = {
            part: list(csv.DictReader((Path(folder) / MODEL["name"] / f"{part}.csv").open()))
            for part in ("runs", "levels", "measures")
        }
    case = {row["trial"]: row["case"] for row in rows["runs"] if row["instrumented"] == "1"}
    checked = dict.fromkeys(MODEL["cases"], 0)
    for row in rows["levels"]:
        if row["direction"] == "bottom_up" and row["trial"] in case:
            checked[case[row["trial"]]] += int(row["edges_checked"])
    counted = {"next_level_vertices": 0.0, "found_early_vertices": 0.0}
    for row in rows["measures"]:
        asynchronous = case.get(row["trial"]) == "asynchronous"
        if asynchronous and row["part"] == "first_bottom_up" and row["metric"] in counted:
            counted[row["metric"]] += float(row["value"])
    levels = [int(row["levels"]) for row in rows["runs"] if row["trial"] in case]

    def percent(part: float, whole: float) -> float:
        return round(100 * part / whole, 1) if whole else 0.0

    synchronous = checked["synchronous"]
    return {
        "levels": round(statistics.median(levels)),
        "found_early_pct": percent(*reversed(counted.values())),
        "checks_saved_pct": percent(synchronous - checked["asynchronous"], synchronous),
    }


def measured(entry: dict) -> dict[str, object]:
    """One row of the table: |V| and |E| as the catalogue counts them, degrees undirected."""
    name = entry["stand_in"]
    with tempfile.TemporaryDirectory() as cache:
        facts = json.loads(run("graph", "info", "--cache", cache, "--json", name))
        searches = searched(name, cache, 4 if facts["edges"] < 2e8 else 2)
    pairs = facts["edges"] // 2
    edges = pairs * entries_per_edge(entry)
    reciprocal = 100.0
    if entry["directed"]:
        arcs = json.loads(
            run("graph", "info", "--no-cache", "--json", "--counts", f"{name},symmetrize=false")
        )
        edges = arcs["edges"]
        reciprocal = round(200 * (edges - pairs) / edges, 1)
    depth, depth_is = PUBLISHED.get(entry["name"], ("", ""))
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
        "reciprocal_pct": reciprocal,
        "components": facts["components"],
        "largest_component_pct": round(
            100 * facts["largest_component_vertices"] / facts["vertices"], 3
        ),
        "published_depth": depth,
        "depth_is": depth_is,
        "diameter_at_least": facts["diameter_at_least"],
        "mean_gap_bits": round(facts["mean_gap_bits"], 2),
        **searches,
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


def random_gap_bits(vertices: int) -> float:
    """mean_gap_bits with random ids: their difference is above d with probability (1 - d/n)^2."""
    powers = (2**k / vertices for k in range(vertices.bit_length()))
    return sum((1 - power) ** 2 for power in powers if power < 1)


HEADER = (
    "stand-in for,edges off by,largest degree,degrees 50 90 99 %,reciprocated,published depth,"
    "diameter at least,levels,bits of ids,found early,checks saved"
).split(",")


def table() -> list[str]:
    """The lines of the table of docs/stand_ins.md: published or assumed figures beside the
    stand-in's."""
    lines = [f"| {' | '.join(HEADER)} |", f"|{' --- |' * len(HEADER)}"]
    with TABLE.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    known = entries()
    for row in rows:
        skew = SKEWS[row["name"]]
        largest = [int(skew[key]) for key in skew if key.endswith("max-degree")]
        depth = "{:,} {}".format(*PUBLISHED[row["name"]]) if row["name"] in PUBLISHED else "-"
        reciprocal = "undirected"
        if known[row["name"]]["directed"]:
            wanted = f"{100 * skew.get('reciprocal', 0):.3g} %"
            found = f"{row['reciprocal_pct']} %" if row["reciprocal_pct"] else "-"
            reciprocal = f"{wanted} : {found}"
        counted = ["-"] * 4
        if row["levels"]:
            random = random_gap_bits(int(row["vertices"]) + int(row["isolated_vertices"]))
            counted = [
                f"{int(row['levels']):,}",
                f"{float(row['mean_gap_bits']):.1f} of {random:.1f}",
                f"{row['found_early_pct']} %",
                f"{row['checks_saved_pct']} %",
            ]
        cells = [
            row["name"],
            f"{abs(float(row['edges_difference_pct'])):.2f} %",
            f"{max(largest):,} : {int(row['degree_maximum']):,}" if largest else "4",
            f"{row['degree_median']}, {row['degree_90']}, {row['degree_99']}",
            reciprocal,
            depth,
            f"{int(row['diameter_at_least']):,}",
            *counted,
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("action", choices=["solve", "measure", "table"])
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    if options.action == "table":
        print("\n".join(table()))
    else:
        solve() if options.action == "solve" else measure(options.names)
    return 0


if __name__ == "__main__":
    sys.exit(main())
