# SPDX-License-Identifier: Apache-2.0
"""python -m plots compare FILE.json: draws what `bfslab compare A B --json` printed."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from . import style
from .drawing import Drawing, save
from .look import add_look, output_of

# Shapes too, so that the verdicts differ without colour.
LOOKS = {
    "faster": ("#009E73", "o"),
    "slower": ("#D55E00", "s"),
    "same": ("#000000", "D"),
    "undecided": ("#7A7A7A", "x"),
}
ROW_IN = 0.16


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m plots compare", description=__doc__)
    parser.add_argument("file", type=Path, metavar="FILE.json")
    parser.add_argument("--out", type=Path, metavar="DIR", help="default: beside FILE.json")
    add_look(parser, ("png",))
    options = parser.parse_args(arguments)
    try:
        style.use(options.style, options.width)
        compared = json.loads(options.file.read_text(encoding="utf-8"))
        drawing = draw(compared, options.file.stem)
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        print(
            f"plots: {options.file}: {error!r}; expected what `bfslab compare A B --json` prints",
            file=sys.stderr,
        )
        return 2
    except style.StyleError as error:
        print(f"plots: {error}", file=sys.stderr)
        return 2
    paths = save(drawing, options.out or options.file.parent, output_of(options))
    print(next(iter(paths.values())))
    return 0


def draw(compared: dict, name: str) -> Drawing:
    """One row for each configuration: the ratio of times with its interval, and the verdict."""
    rows = compared["rows"]
    numbers = pd.DataFrame(
        [
            {"experiment": r["experiment"], "series": r["series"], "graph": r["graph"],
             "stand_in_for": r["stand_in_for"], "a_ms": r["a_ms"]["value"],
             "b_ms": r["b_ms"]["value"], "ratio": r["ratio"]["value"], "low": r["ratio"]["low"],
             "high": r["ratio"]["high"], "sources": r["sources"], "polluted": r["polluted"],
             "verdict": r["verdict"]}
            for r in rows
        ],
        columns="experiment,series,graph,stand_in_for,a_ms,b_ms,ratio,low,high,sources,polluted,"
                "verdict".split(","),
    )  # fmt: skip
    if numbers.empty:
        return Drawing(name, style.message_figure("nothing could be compared"), numbers, "")
    order = numbers.sort_values(["experiment", "graph", "series"], kind="stable")
    figure = style.new_figure(style.PAGE_IN, 1.3 + ROW_IN * len(order))
    axes = figure.subplots()
    same = 1 + compared["same_pct"] / 100
    axes.axvspan(1 / same, same, color="#E8E8E8", zorder=0)
    axes.axvline(1, color="#000000", linewidth=0.6)
    for place, row in enumerate(order.itertuples()):
        color, marker = LOOKS[row.verdict]
        if row.low == row.low and row.low is not None:
            axes.plot([row.low, row.high], [place, place], color=color, linewidth=1)
        axes.plot([row.ratio], [place], marker, color=color, label=row.verdict, markersize=4)
    several = len(set(order["experiment"])) > 1
    labels = [
        f"{row.experiment + ': ' if several else ''}{row.series}, {row.graph}"
        f"{' (stand-in)' if row.stand_in_for else ''}{' (polluted)' if row.polluted else ''}"
        for row in order.itertuples()
    ]
    axes.set_yticks(range(len(labels)), labels, fontsize=style.pt(6))
    axes.set_ylim(len(labels) - 0.5, -0.5)
    axes.set_xscale("log")
    style.plain_log_ticks(axes.xaxis)
    axes.set_xlabel(
        "time in B / time in A, with 95 % intervals (below 1: B is faster)", loc="right"
    )
    overall = compared["overall"]["value"]
    axes.set_title(
        f"A: {compared['a']['results']}   B: {compared['b']['results']}\n"
        f"geometric mean over sources; of all rows {overall:.3g}; grey: within "
        f"{compared['same_pct']:g} %; left out: {len(compared['left_out'])}",
        fontsize=style.pt(7),
        loc="right",
    )
    style.legend_above(figure, axes, columns=len(LOOKS))
    return Drawing(name, figure, numbers, compared["statistic"])
