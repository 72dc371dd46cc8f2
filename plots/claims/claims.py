"""Reads experiments/<paper>/claims.json: what a paper claims, and when rows reproduce it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

from plots.paper import EXPERIMENTS


@dataclass(frozen=True)
class Claim:
    """One entry of a claims.json; experiments/claims.schema.json describes its fields."""

    id: str
    paper: str
    item: str
    text: str
    experiments: list[str]
    value: dict
    printed: dict  # "value", and where the paper has them "least", "most", "unit"
    reproduced: dict
    same_direction: dict | None
    paper_graphs: list[str]  # patterns of the names of graphs that are the paper's own
    figure: str = ""
    caveats: list[str] = field(default_factory=list)


def load_claims(root: Path = EXPERIMENTS) -> list[Claim]:
    """All claims, by paper, in the order of the files."""
    claims = []
    for path in sorted(root.glob("*/claims.json")):
        document = json.loads(path.read_text(encoding="utf-8"))
        for entry in document["claims"]:
            claims.append(
                Claim(
                    id=entry["id"],
                    paper=document["paper"],
                    item=entry["item"],
                    text=entry["text"],
                    experiments=entry["experiments"],
                    value=entry["value"],
                    printed=entry["paper"],
                    reproduced=entry["reproduced"],
                    same_direction=entry.get("same_direction"),
                    paper_graphs=entry.get("paper_graphs", document["paper_graphs"]),
                    figure=entry.get("figure", ""),
                    caveats=entry.get("caveats", []),
                )
            )
    return claims
