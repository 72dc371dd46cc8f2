"""Names as a reader meets them on axes and in tables."""

from __future__ import annotations

from plots.load import Experiment

_SAID_OTHERWISE = {"symmetrize=false": "directed"}


def graph_name(graph: str) -> str:
    """ "snap:wiki-Vote,symmetrize=false" -> "wiki-Vote (directed)"; "kronecker:scale=16" ->
    "kronecker scale=16"."""
    kind, _, rest = graph.partition(":")
    if not rest:
        return graph
    items = rest.split(",")
    named = "=" not in items[0]
    name = items.pop(0).rsplit("/", 1)[-1] if named else kind
    options = _merged([_SAID_OTHERWISE.get(item, item) for item in items])
    if not options:
        return name
    return f"{name} ({', '.join(options)})" if named else f"{name} {' '.join(options)}"


def _merged(options: list[str]) -> list[str]:
    """Neighbours of one value share it: a=0.25, b=0.25 -> a=b=0.25."""
    merged: list[str] = []
    for option in options:
        key, equals, value = option.partition("=")
        if equals and merged and merged[-1].endswith(f"={value}"):
            merged[-1] = f"{merged[-1][: -len(value) - 1]}={key}={value}"
        else:
            merged.append(option)
    return merged


def graph_label(experiment: Experiment, graph: str, separator: str = "\n") -> str:
    """The graph's name; a stand-in says so and for what, always."""
    replaced = experiment.stand_in_for(graph)
    name = graph_name(graph)
    return f"{name}{separator}(stand-in for {replaced})" if replaced else name


def wrapped(text: str, width: int) -> str:
    """Breaks at spaces and after commas so that no line is longer than `width` where it can."""
    lines: list[str] = []
    for part in text.split("\n"):
        line = ""
        for word in part.replace(",", ", ").split():
            if line and len(line) + 1 + len(word) > width:
                lines.append(line)
                line = word
            else:
                line = f"{line} {word}".strip()
        lines.append(line)
    return "\n".join(lines)


def stand_in_note(experiment: Experiment, graphs: list[str]) -> str:
    """A sentence for captions; empty where every graph is what it is called."""
    pairs = [
        f"{graph_name(g)} for {experiment.stand_in_for(g)}"
        for g in graphs
        if experiment.stand_in_for(g)
    ]
    return f"Stand-ins, not the named data sets: {'; '.join(pairs)}." if pairs else ""
