# SPDX-License-Identifier: Apache-2.0
"""dfq Figure 6: how a queue's speed grows with the number of CTAs that work on it."""

from __future__ import annotations

import math

import pandas as pd

from .. import ratios, sentences, style
from ..cells import Cell, failed_cells, number
from ..dfq import (
    by_graph_and_case,
    mean_cell,
    measured_row,
    short_label,
    shuffled_note,
    switched,
)
from ..drawing import Drawing
from ..labels import stand_in_note
from ..load import Experiment

CAPTION = (
    "Above the time of a search against the number of CTAs of 1024 threads: the arithmetic mean "
    "over the sources, as the paper averages, and a band from the fastest source to the slowest. "
    "Below how many times as fast a queue is as itself with one CTA, source by source: the "
    "geometric mean, and a band as above. A queue that is slow with one CTA seems to scale well, "
    "which only the times show. The dashed line is a speed-up of one per CTA. The rightmost mark "
    "is as many CTAs as the device runs at once{count}. "
)
STATISTIC = (
    "above: time [ms], arithmetic mean over sources; below: ratio of times over one CTA, source by "
    "source: geometric mean; bands: from the lowest source to the highest"
)
PAPER = (
    "The paper's curves are an image. It says that DFQ-G-2048 scales better than BASE, most on "
    "graphs with many vertices and large degrees (web-BerkStan, com-orkut), but not on appu, whose "
    "levels have few frontiers, so that the sub-queues differ in length. It does not name its "
    "fourth graph in the text. "
)
ALL_CTAS = 0  # the toggle's word for as many as the device runs at once
COLUMNS = (
    "machine,graph,stand_in_for,data_set,case,enqueue,ctas,status,sources,time_ms,fastest_ms,"
    f"slowest_ms,one_cta_ms,{','.join(ratios.COLUMNS)},reason"
).split(",")


def numbers(experiment: Experiment) -> pd.DataFrame:
    """One row per (graph, case, CTAs), "all" last of its case."""
    table = []
    for graph, case, of_case in by_graph_and_case(experiment):
        cells = {int(c): mean_cell(here) for c, here in of_case.groupby("ctas")}
        one = cells.get(1, Cell())
        for ctas in sorted(cells, key=lambda c: c or math.inf):
            cell = cells[ctas]
            table.append(
                {
                    **measured_row(experiment, graph, case, cell),
                    "enqueue": of_case.iloc[0]["enqueue"],
                    "ctas": ctas or "all",
                    "fastest_ms": cell.times_ms.min() if cell.ok else float("nan"),
                    "slowest_ms": cell.times_ms.max() if cell.ok else float("nan"),
                    "one_cta_ms": one.mean_ms,
                    **ratios.compared(one, cell),
                }
            )
    return pd.DataFrame(table, columns=COLUMNS)


def draw(experiments: list[Experiment]) -> list[Drawing]:
    experiment = experiments[0]
    frame = numbers(experiment)
    caption = "".join(
        (
            CAPTION.format(count=all_ctas(experiment)),
            PAPER,
            who_scales(frame),
            left_out(frame),
            shuffled_note(experiment),
            stand_in_note(experiment, list(dict.fromkeys(frame["graph"]))),
        )
    ).strip()
    if frame["speedup"].isna().all():
        what = "no rows yet" if frame.empty else "nothing succeeded with one CTA"
        figure = style.message_figure(f"{experiment.name}: {what}")
        return [Drawing("cta_scaling", figure, frame, caption)]
    return [Drawing("cta_scaling", lambda: panels(experiment, frame), frame, caption)]


def all_ctas(experiment: Experiment) -> str:
    """How many these are, computed from the sub-queues' bytes."""
    rows = switched(experiment)
    rows = rows[(rows["queue"] == "decentralized") & (rows["ctas"] == "0")]
    bytes_each = 4 * pd.to_numeric(rows["capacity"])
    counts = sorted({round(n) for n in rows["queue_bytes"] / bytes_each if n == n and n > 0})
    return f" ({', '.join(str(n) for n in counts)} of DFQ)" if counts else ""


def at_most(frame: pd.DataFrame) -> pd.DataFrame:
    """The row of the most CTAs that ran, of each (data_set, case)."""
    good = frame[frame["speedup"].notna()]
    return good.drop_duplicates(["graph", "case"], keep="last")


def who_scales(frame: pd.DataFrame) -> str:
    """Our numbers for the paper's statement: those of its own cases, whose names have no comma."""
    most = at_most(frame[~frame["case"].str.contains(",", regex=False)])
    words = []
    for graph, rows in most.groupby("graph", sort=False):
        ratios_text = ", ".join(
            f"{row['case']} {row['speedup']:.3g} ({row['time_ms']:.3g} ms)"
            for _, row in rows.iterrows()
        )
        words.append(f"{rows.iloc[0]['data_set'] or graph}: {ratios_text}")
    return f"Speed-up (and time) with the most CTAs that ran: {'; '.join(words)}. " if words else ""


def left_out(frame: pd.DataFrame) -> str:
    """Counts that the device does not run at once are rows without marks."""
    refused = frame[frame["status"] == "unsupported"]
    others = frame[~frame["status"].isin(["ok", "", "unsupported"])]
    text = ""
    if len(refused):
        counts = sorted({int(c) for c in refused["ctas"] if c != "all"})
        text += (
            f"Left out, since the device does not run so many at once: "
            f"{', '.join(str(c) for c in counts)} CTAs. "
        )
    if len(others):
        text += f"{failed_cells(others, len(frame))}. "
    return text


def panels(experiment: Experiment, frame: pd.DataFrame):
    """A column of two panels per graph; a variant ("BASE, one atomic per warp") is dashed in the
    colour of its queue."""
    graphs = list(dict.fromkeys(frame["graph"]))
    figure = style.new_figure(style.PAGE_IN, 4.4)
    grid = figure.subplots(2, len(graphs), squeeze=False, sharex=True, sharey="row")
    counts = [int(c) for c in frame["ctas"] if c != "all"]
    ran = frame[frame["speedup"].notna() & (frame["ctas"] != "all")]["ctas"].astype(int)
    last = max(ran, default=1)
    beside = 4 * last  # where "all" is drawn: right of what ran
    cases = list(dict.fromkeys(frame["case"]))
    queues = list(dict.fromkeys(case.partition(",")[0] for case in cases))
    for (above, below), graph in zip(grid.T, graphs, strict=True):
        for case in cases:
            rows = frame[(frame["graph"] == graph) & (frame["case"] == case)]
            rows = rows[rows["speedup"].notna()]
            places = [beside if c == "all" else int(c) for c in rows["ctas"]]
            index = queues.index(case.partition(",")[0])
            variant = "," in case
            color = style.color(index)
            look = {"label": case, "color": color, "marker": style.marker(index),
                    "linestyle": "--" if variant else "-", "markersize": 5 if variant else 2.5,
                    "markerfacecolor": "none" if variant else color}  # fmt: skip
            shade = {"color": color, "alpha": 0.12, "linewidth": 0}
            above.plot(places, rows["time_ms"], **look)
            above.fill_between(places, rows["fastest_ms"], rows["slowest_ms"], **shade)
            below.plot(places, rows["speedup"], **look)
            below.fill_between(places, rows["min"], rows["max"], **shade)
        below.plot([1, last], [1, last], color="#808080", linewidth=0.6, linestyle=(0, (4, 3)))
        above.set_title(short_label(experiment, graph), fontsize=style.pt(7))
        below.set_yscale("log", base=2)
        above.set_yscale("log")
    marks = [c for c in sorted(set(counts)) if c <= last][::2]
    for axes in grid[1]:
        axes.set_xscale("log", base=2)
        axes.set_xticks([*marks, beside], [*(str(c) for c in marks), "all"], fontsize=style.pt(6))
        axes.minorticks_off()
    style.plain_log_ticks(grid[0][0].yaxis)
    grid[1][0].yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    grid[0][0].set_ylabel("time [ms]")
    grid[1][0].set_ylabel("speed-up over one CTA")
    figure.supxlabel("CTAs", fontsize=style.pt(8))
    style.legend_above(figure, grid[0][0], columns=2)
    figure.align_ylabels()
    return figure


def finding(drawing: Drawing, experiments: list[Experiment]) -> str:
    most = at_most(drawing.numbers).reset_index(drop=True)
    if most.empty:
        return ""
    ends = sentences.ends(most, "speedup", number, sentences.place_of_case)
    return (
        f"With the most CTAs that ran, queues are {ends} times as fast as themselves with one CTA, "
        "by geometric means of ratios source by source."
    )
