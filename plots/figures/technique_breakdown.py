"""xbfs Figure 13: what each of the four ways to generate the queue contributes, normalised."""

from __future__ import annotations

import pandas as pd

from .. import style
from ..drawing import Drawing
from ..labels import stand_in_note
from ..load import Experiment, toggles
from ..paper import PaperTable, paper_for
from ..speedups import ALL, cells
from ..xbfs import our_row, short_label

# What takes each one's place when it is off: Enterprise's way, a scan of all statuses.
FALLBACKS = {
    "scan_free": "a scan and a prefix sum after the expansion",
    "single_scan": "a scan and a prefix sum after the expansion",
    "no_generation": "a scan and a prefix sum before the expansion",
    "double_scan": "a scan of runs and a prefix sum",
}
TECHNIQUES = tuple(FALLBACKS)
CAPTION = (
    "Each part is switched off alone while the others stay on: what the search then takes longer "
    "(medians over sources) is its contribution, and the four are divided by their sum, so that "
    "they make up 100 %. A part without which the search is no slower counts as nothing. The "
    "baseline's methods replace the parts: for scan_free and single_scan a scan of all statuses "
    "with a prefix sum after the expansion, for no_generation one before it, for double_scan one "
    "in which each thread takes a run of statuses. Averages are arithmetic means of the graphs' "
    "shares. "
)
DEVIATIONS = (
    "The paper's four parts sum to 100 %, so it has normalised them too, by a rule that it does "
    "not give; nor does it say what takes a part's place. "
)
COLUMNS = (
    "origin,machine,graph,stand_in_for,paper_name,technique,case,all_on_ms,without_ms,lost_ms,"
    "contribution,fallback"
).split(",")


def left_out(experiment: Experiment) -> dict[str, str]:
    """By case: the one technique that it lacks and the baseline has."""
    runs = experiment.runs.drop_duplicates("case")
    baseline = experiment.spec.get("baseline", "")
    missing = {
        case: {t for t in TECHNIQUES if toggles(text).get(t, "true") == "false"}
        for case, text in zip(runs["case"], runs["toggles"], strict=True)
    }
    base = missing.get(baseline, set())
    alone = {case: here - base for case, here in missing.items() if case != baseline}
    return {case: next(iter(here)) for case, here in alone.items() if len(here) == 1}


def numbers(experiment: Experiment) -> pd.DataFrame:
    """One row per (graph, technique); `contribution` is 0..1 and NaN where nothing contributes or a
    case has failed on that graph, since the shares of the rest would say too much."""
    measured = cells(experiment)
    baseline = experiment.spec.get("baseline", "")
    cases = left_out(experiment)
    rows = []
    for graph in experiment.graph_order:
        base = measured.get((graph, baseline))
        if base is None:
            continue
        group = []
        for case, technique in cases.items():
            cell = measured.get((graph, case))
            without = cell.median_ms if cell else float("nan")
            group.append(
                {
                    **our_row(experiment, graph),
                    "technique": technique,
                    "case": case,
                    "all_on_ms": base.median_ms,
                    "without_ms": without,
                    "lost_ms": without - base.median_ms,
                    "fallback": FALLBACKS[technique],
                }
            )
        lost = [max(row["lost_ms"], 0.0) for row in group if row["lost_ms"] == row["lost_ms"]]
        complete = len(lost) == len(group) and sum(lost) > 0
        for row in group:
            part = max(row["lost_ms"], 0.0) / sum(lost) if complete else float("nan")
            rows.append(row | {"contribution": part})
    return pd.DataFrame(rows, columns=COLUMNS)


def draw(experiments: list[Experiment]) -> list[Drawing]:
    experiment = experiments[0]
    paper = paper_for(experiment)
    frame = numbers(experiment)
    caption = "".join(
        (
            CAPTION,
            nothing_note(frame),
            said_by(paper),
            DEVIATIONS,
            stand_in_note(experiment, list(dict.fromkeys(frame["graph"]))),
        )
    ).strip()
    if frame["contribution"].isna().all():
        what = "no rows yet" if frame.empty else "no graph on which all cases succeeded"
        figure = style.message_figure(f"{experiment.name}: {what}")
        return [Drawing("technique_breakdown", figure, frame, caption)]
    figure = bars(experiment, frame, paper)
    return [Drawing("technique_breakdown", figure, with_paper(frame, paper), caption)]


def nothing_note(frame: pd.DataFrame) -> str:
    """Graphs without shares; what was lost or won there is in the CSV."""
    whole = frame.groupby("graph", sort=False)["contribution"].apply(lambda c: c.isna().all())
    count = int(whole.sum()) if len(whole) else 0
    if count == 0:
        return ""
    return (
        f"{count} of {len(whole)} graphs {'have' if count > 1 else 'has'} no shares: no part "
        "contributed there, or a case failed. "
    )


def said_by(paper: PaperTable | None) -> str:
    if paper is None:
        return ""
    parts = [f"{m} {paper.cell(ALL, 'contribution', m)} %" for m in paper.methods]
    return f"On average the paper has {', '.join(parts)}. "


def with_paper(frame: pd.DataFrame, paper: PaperTable | None) -> pd.DataFrame:
    rows = [
        {"origin": "paper", "graph": ALL, "technique": method,
         "contribution": float(paper.cell(ALL, "contribution", method)) / 100}
        for method in (paper.methods if paper else [])
    ]  # fmt: skip
    if not rows:
        return frame
    return pd.concat([frame, pd.DataFrame(rows, columns=COLUMNS)], ignore_index=True)


def bars(experiment: Experiment, frame: pd.DataFrame, paper: PaperTable | None):
    """Stacked to 100 %: one bar per graph, then our average and the paper's."""
    graphs = list(dict.fromkeys(frame.loc[frame["contribution"].notna(), "graph"]))
    shares = frame.pivot_table("contribution", "graph", "technique").reindex(graphs)
    shares = shares.reindex(columns=[t for t in TECHNIQUES if t in shares.columns])
    labels = [short_label(experiment, graph) for graph in graphs] + ["average"]
    columns = [*shares.to_dict("records"), shares.mean().to_dict()]
    if paper:
        labels.append("average\n(paper)")
        columns.append({m: float(paper.cell(ALL, "contribution", m)) / 100 for m in paper.methods})
    figure = style.new_figure(style.PAGE_IN, 2.8)
    axes = figure.subplots()
    bottom = [0.0] * len(columns)
    for index, technique in enumerate(TECHNIQUES):
        heights = [100 * column.get(technique, 0.0) for column in columns]
        axes.bar(range(len(columns)), heights, 0.75, bottom, color=style.color(index),
                 hatch=style.hatch(index), edgecolor="black", linewidth=0.4,
                 label=technique)  # fmt: skip
        for x, (height, low) in enumerate(zip(heights, bottom, strict=True)):
            if height >= 5:
                style.mark_part(axes, x, low, height)
        bottom = [b + h for b, h in zip(bottom, heights, strict=True)]
    axes.axvline(len(graphs) - 0.5, color="#808080", linewidth=0.6)
    axes.set_ylim(0, 100)
    axes.set_ylabel("contribution, %")
    axes.set_xticks(range(len(labels)), labels, rotation=35, ha="right", rotation_mode="anchor")
    axes.set_xlim(-0.6, len(labels) - 0.4)
    axes.grid(False, axis="x")
    style.legend_above(figure, axes, columns=4)
    return figure
