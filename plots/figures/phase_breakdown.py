# SPDX-License-Identifier: Apache-2.0
"""scalable-bfs Figures 8 and 10: what a distributed search spends its time on."""

from __future__ import annotations

import pandas as pd

from .. import sentences, style
from ..distributed import (
    CONFIGURATION,
    LEVEL,
    PHASES,
    PROCESSES,
    by_configuration,
    configured,
    hardware,
    legend_of_stacks,
    measured_by_members,
    on_weak_curve,
    phases,
    shown,
    stack,
    stacked_panels,
)
from ..drawing import Drawing
from ..labels import stand_in_note, wrapped
from ..load import Experiment
from ..paper import PaperTable, paper_table

WORDS = {
    "compute": "compute",
    "local_exchange": "local exchange",
    "mask_reduction": "mask reduction",
    "normal_exchange": "remote exchange",
    "agreement": "agreement",
    "idle": "idle",
}
PLAIN = "without instruments"
# Grey instead of black, on which no hatch shows.
COLORS = dict(zip(PHASES, (0, 1, 2, 3, 7, 5), strict=True))
CAPTION = (
    "Where the time of a search goes: means over sources and over GPUs, from instrumented "
    "searches, whose clocks cost some time and enter no other figure. Remote exchange sends "
    "normal vertices to their owners, local exchange gathers them within a rank before (L), mask "
    "reduction combines the delegates' masks (what of it is not hidden behind the exchange, with "
    "IR), and agreement finds out whether anything is left. Idle is what a GPU waits there for "
    "the slowest one. Dashes are searches without instruments: an instrumented one waits for the "
    "GPU after each part, so that no part overlaps another, unless phases=overlapped. The paper "
    "measures the same parts without agreement and idle, and its parts overlap. "
)
OVERLAPPED = (
    "In {variant} nothing waits, and the parts exceed the time by {share:.2g} % of their sum. "
)
STATISTIC = (
    "time [ms]: arithmetic means over sources and GPUs, from instrumented searches; dashes: "
    "timed searches"
)
WEAK = "The graph grows with the GPUs: scale {scale:g} on each. "
# overlap_ms: by how much the parts exceed the time that they take together; empty where each part
# was waited for.
COLUMNS = [*CONFIGURATION, *(f"{phase}_ms" for phase in PHASES), "sum_ms", "overlap_ms",
           "timed_ms"]  # fmt: skip


def numbers(experiment: Experiment) -> pd.DataFrame:
    """One row per (graph, variant, ranks, gpus_per_rank), in the order of the spec."""
    measured = phases(experiment)
    if measured.empty:
        return pd.DataFrame(columns=COLUMNS)
    # Sums over the levels of each member, then over the members.
    spent = measured.groupby(["trial", "rank", "gpu"])[list(PHASES)].sum()
    by_trial = spent.groupby("trial").mean().reset_index()
    overlap = measured_by_members(experiment, LEVEL)
    overlap = overlap[overlap["metric"] == "overlap"].groupby(["trial", "rank", "gpu"])["value"]
    by_trial["overlap"] = by_trial["trial"].map(overlap.sum().groupby("trial").mean())
    table = []
    for facts, rows in by_configuration(experiment, by_trial):
        parts = rows[list(PHASES)].mean()
        spent_ms = {f"{phase}_ms": parts[phase] for phase in PHASES}
        table.append(
            facts | spent_ms | {"sum_ms": parts.sum(), "overlap_ms": rows["overlap"].mean()}
        )
    return pd.DataFrame(table, columns=COLUMNS)


def draw(experiments: list[Experiment]) -> list[Drawing]:
    experiment = experiments[0]
    paper = paper_table(experiment.name)
    frame = numbers(experiment)
    caption = CAPTION
    weak = len(set(frame["graph"])) > 1 and frame["scale"].notna().all()
    if weak:
        frame, scale = on_weak_curve(frame.assign(gteps_paper=frame["sum_ms"]))
        frame = frame[COLUMNS]
        caption += WEAK.format(scale=scale)
    caption += (
        overlaps(frame)
        + paper_sentence(paper)
        + stand_in_note(experiment, list(dict.fromkeys(frame["graph"])))
    )
    if frame.empty:
        text = f"{experiment.name}: no distributed search reported its phases"
        return [Drawing("phase_breakdown", style.message_figure(text), frame, caption.strip())]
    return [
        Drawing("phase_breakdown", lambda: panels(experiment, frame, weak), frame, caption.strip())
    ]


def overlaps(frame: pd.DataFrame) -> str:
    """Returns a sentence for each configuration whose parts may overlap."""
    found = frame[frame["overlap_ms"].notna()]
    return "".join(
        OVERLAPPED.format(
            variant=f"{row.variant}, {hardware(row.ranks, row.gpus_per_rank)},",
            share=100 * row.overlap_ms / row.sum_ms,
        )
        for row in found.itertuples(index=False)
    )


def paper_sentence(paper: PaperTable | None) -> str:
    """Quotes the values in the paper's text, since its figure is an image."""
    if paper is None:
        return ""
    return "The paper's text: " + "; ".join(paper.rows["note"]) + ". "


def panels(experiment: Experiment, frame: pd.DataFrame, weak: bool):
    """Along the weak scaling curve a panel per variant, with a bar per number of GPUs; otherwise a
    panel per graph and hardware with a bar per variant."""
    if weak:
        groups = {
            str(variant): rows
            for variant, rows in frame.groupby("variant", sort=False)
        }  # fmt: skip
    else:
        groups = {
            f"{shown(experiment, graph)}\n{hardware(ranks, gpus)}": rows
            for (graph, ranks, gpus), rows in frame.groupby(["graph", *PROCESSES], sort=False)
        }
    figure, grid = stacked_panels(0.5, len(groups))
    for at, (axes, (title, rows)) in enumerate(zip(grid, groups.items(), strict=True)):
        stacked(axes, rows)
        labels = [
            f"scale {row.scale:g},\n{hardware(row.ranks, row.gpus_per_rank)}" if weak
            else wrapped(row.variant, 14)
            for row in rows.itertuples(index=False)
        ]  # fmt: skip
        axes.set_xticks(range(len(rows)), labels, fontsize=style.pt(6),
                        rotation=0 if len(rows) < 4 else 50,
                        ha="center" if len(rows) < 4 else "right",
                        rotation_mode="anchor")  # fmt: skip
        axes.set_xlim(-0.6, len(rows) - 0.4)
        axes.set_title(title)
        if at % 2 == 0:
            axes.set_ylabel("time of a search [ms]")
    legend_of_stacks(figure, grid, (*WORDS.values(), PLAIN))
    return figure


def stacked(axes, rows: pd.DataFrame) -> None:
    parts = {phase: list(rows[f"{phase}_ms"]) for phase in PHASES}
    stack(axes, range(len(rows)), parts, WORDS, COLORS)
    places = [x for x, t in enumerate(rows["timed_ms"]) if t == t]
    times = [t for t in rows["timed_ms"] if t == t]
    if times:
        axes.hlines(times, [x - 0.45 for x in places], [x + 0.45 for x in places],
                    colors="black", linewidth=1.3, label=PLAIN)  # fmt: skip


def finding(drawing: Drawing, experiments: list[Experiment]) -> str:
    frame = drawing.numbers
    good = frame[frame["sum_ms"] > 0] if len(frame) else frame
    if good.empty:
        return ""
    shares = {phase: 100 * good[f"{phase}_ms"] / good["sum_ms"] for phase in PHASES}
    second = max((p for p in PHASES if p != "compute"), key=lambda phase: shares[phase].max())
    compute = sentences.ends(
        good.assign(pct=shares["compute"]), "pct", "{:.0f} %".format, configured
    )
    most = good.loc[shares[second].idxmax()]
    return (
        f"Computing takes {compute} of a search's time, and of the other parts "
        f"{second.replace('_', ' ')} takes most, up to {shares[second].max():.0f} % on "
        f"{configured(most)}, by arithmetic means over sources and GPUs."
    )
