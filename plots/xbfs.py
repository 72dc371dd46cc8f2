# SPDX-License-Identifier: Apache-2.0
"""xbfs's ten graphs: what Table 1 calls them, by their names in the catalogue."""

from __future__ import annotations

from .labels import graph_name
from .load import Experiment

# The counting model, and the engine of the GPU, whose instrumented levels give the same counts.
MODEL = "xbfs-model"
ENGINE = "xbfs"

ABBREVIATIONS = {
    "dbpedia-all": "DB",
    "dblp-author-xbfs": "DP",
    "enwiki-xbfs": "EW",
    "friendster-xbfs": "FR",
    "com-lj": "LJ",
    "com-orkut": "OR",
    "trackers": "TR",
    "trackers-trackers": "TR",
    "trackers-xbfs": "TR",
    "cit-Patents": "US",
    "dbpedia-link": "WK",
    "wikipedia_link_en-xbfs": "WL",
}


def paper_name(experiment: Experiment, graph: str) -> str:
    """The paper's abbreviation of what `graph` is or stands in for; empty where it has none."""
    replaced = experiment.stand_in_for(graph)
    bare = graph_name(replaced or graph).split(" ")[0]
    return ABBREVIATIONS.get(bare, bare if bare in ABBREVIATIONS.values() else "")


def our_row(experiment: Experiment, graph: str) -> dict:
    """How a row of our numbers begins, beside the paper's."""
    return {
        "origin": "ours",
        "machine": experiment.machine,
        "graph": graph,
        "stand_in_for": experiment.stand_in_for(graph),
        "paper_name": paper_name(experiment, graph),
    }


def short_label(experiment: Experiment, graph: str, separator: str = "\n") -> str:
    """For crowded axes: a stand-in is "DB" over "(stand-in)", others are named as they are."""
    replaced = experiment.stand_in_for(graph)
    if not replaced:
        return graph_name(graph)
    return f"{paper_name(experiment, graph) or replaced}{separator}(stand-in)"


def never_bottom_up_note(experiment: Experiment) -> str:
    """Names the graphs whose counted searches had no bottom-up level under some setting, so that
    nothing of them is drawn there; empty where there are none."""
    runs = experiment.instrumented
    runs = runs[(runs["status"] == "ok") & runs["engine"].isin([MODEL, ENGINE])]
    up = set(experiment.levels.loc[experiment.levels["direction"] == "bottom_up", "trial"])
    went = runs.assign(up=runs["trial"].isin(up)).groupby(["graph", "toggles"])["up"].any()
    never = {graph for (graph, _), ever in went.items() if not ever}
    names = [graph_name(graph) for graph in experiment.graph_order if graph in never]
    if not names:
        return ""
    return (
        f"Missing where no frontier held the share alpha of the edges, so that no level went "
        f"bottom-up: {', '.join(names)}. "
    )


def counted_on_gpu(experiment: Experiment) -> bool:
    return ENGINE in set(experiment.runs["engine"])
