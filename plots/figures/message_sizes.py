# SPDX-License-Identifier: Apache-2.0
"""scalable-bfs, section VI-A: what an exchange costs by the size of its messages."""

from __future__ import annotations

import numpy as np
import pandas as pd

from .. import sentences, style
from ..distributed import PROCESSES, configured, hardware, phases, variants
from ..drawing import Drawing
from ..load import Experiment, toggles
from ..paper import PaperTable, paper_table
from ..scaling_model import fit_relative

CAPTION = (
    "Exchanges of normal vertices by the size of their messages: one point for each level of the "
    "searches that sent something. A message is what one GPU sends to one other in that level, on "
    "average; the time is that of the slowest GPU. No vertex is a delegate here, so that all "
    "edges are nn edges and levels differ in size only. Lines are t = a + b x bytes, with a and b "
    "of at least 0 by least squares of relative errors, fitted to medians over sizes within a "
    "factor of 2. "
)
IN_PLACE = (
    "With transport=peer, and among the threads of one process, lists are read where they lie, in "
    "the visits: the exchange is the handing over alone, and has no rate. "
)
STATISTIC = (
    "one point for each level of each search; lines: least squares of relative errors over medians"
)
OF_PAPER = (
    "The paper sends 128 kB to 16 MB (the shaded range) between the threads of 32 nodes over "
    "InfiniBand, and finds about 4 MB (the line) best for data larger than 2 MB, and little "
    "difference below; its numbers are in the text only. "
)
COLUMNS = (
    "machine,graph,variant,ranks,gpus_per_rank,gpus,in_place,trial,level,message_bytes,time_ms,"
    "gb_per_s"
).split(",")
FITS = ("variant,ranks,gpus_per_rank,in_place,a_us,gb_per_s,half_bytes,exchanges").split(",")


def numbers(experiment: Experiment) -> pd.DataFrame:
    """One row per (trial, level) in which vertices were sent."""
    runs = experiment.instrumented
    runs = runs.assign(variant=variants(runs), in_place=read_in_place(runs))
    spent = phases(experiment)
    slowest = spent.groupby(["trial", "level"])["normal_exchange"].max().rename("time_ms")
    levels = experiment.levels
    if spent.empty or levels.empty:
        return pd.DataFrame(columns=COLUMNS)
    sent = levels.groupby(["trial", "level"])["bytes_sent"].sum().rename("bytes").reset_index()
    # A level without finds sends the messages of the agreement, as every level does.
    sent["bytes"] -= sent.groupby("trial")["bytes"].transform("min")
    about = runs[["trial", "graph", "variant", *PROCESSES, "in_place"]]
    joined = sent.merge(slowest.reset_index(), on=["trial", "level"]).merge(about, on="trial")
    joined["gpus"] = joined["ranks"] * joined["gpus_per_rank"].clip(lower=1)
    joined = joined[(joined["gpus"] > 1) & (joined["bytes"] > 0) & (joined["time_ms"] > 0)]
    each = joined["bytes"] / joined["gpus"]  # of one GPU to all others
    joined = joined.assign(
        machine=experiment.machine,
        message_bytes=each / (joined["gpus"] - 1),
        gb_per_s=(each / joined["time_ms"] / 1e6).where(~joined["in_place"]),
    )
    return joined[COLUMNS].sort_values(["variant", *PROCESSES, "message_bytes"], ignore_index=True)


def read_in_place(runs: pd.DataFrame) -> pd.Series:
    """Returns whether lists stay where their sender has written them."""
    by_peers = runs["toggles"].map(lambda text: toggles(text).get("transport") == "peer")
    by_threads = (runs["engine"] == "delegate") & (runs["ranks"] == 1)
    return by_peers | by_threads


def fits(frame: pd.DataFrame) -> pd.DataFrame:
    """FITS: one row per (variant, hardware). half_bytes is the message at which a and the bytes
    take as long as each other. What is read in place has a alone."""
    table = []
    for (variant, ranks, gpus), rows in frame.groupby(["variant", *PROCESSES], sort=False):
        doublings = np.floor(np.log2(rows["message_bytes"]))
        middle = rows.groupby(doublings)[["message_bytes", "time_ms"]].median()
        columns = pd.DataFrame({"one": 1.0, "bytes": middle["message_bytes"]}).to_numpy()
        in_place = bool(rows["in_place"].all())
        if in_place:
            (a,), b = fit_relative(columns[:, :1], middle["time_ms"].to_numpy() / 1e3), 0.0
        else:
            a, b = fit_relative(columns, middle["time_ms"].to_numpy() / 1e3)
        peers = ranks * max(gpus, 1) - 1
        table.append(
            {
                "variant": variant,
                "ranks": int(ranks),
                "gpus_per_rank": int(gpus),
                "in_place": in_place,
                "a_us": 1e6 * a,
                "gb_per_s": peers / b / 1e9 if b else float("inf"),
                "half_bytes": a / b if b else float("inf"),
                "exchanges": len(rows),
            }
        )
    return pd.DataFrame(table, columns=FITS)


def size(value: float) -> str:
    for unit, scale in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if value >= scale:
            return f"{value / scale:.3g} {unit}"
    return f"{value:.3g} B"


def name(row) -> str:
    text = f"{row.variant}, {hardware(row.ranks, row.gpus_per_rank)}"
    return f"{text} (read in place)" if row.in_place else text


def sentence(row) -> str:
    if row.in_place:
        return f"{name(row)}: {row.a_us:.3g} us"
    return (
        f"{name(row)}: a = {row.a_us:.3g} us, {row.gb_per_s:.3g} GB/s from each GPU, and "
        f"{size(row.half_bytes)} for half of that"
    )


def draw(experiments: list[Experiment]) -> list[Drawing]:
    experiment = experiments[0]
    frame = numbers(experiment)
    found = fits(frame)
    clauses = "; ".join(sentence(row) for row in found.itertuples(index=False))
    where = IN_PLACE if found["in_place"].any() else ""
    caption = CAPTION + where + OF_PAPER + (f"{clauses}." if clauses else "")
    if frame.empty:
        text = f"{experiment.name}: no search sent vertices from one GPU to another"
        return [Drawing("message_sizes", style.message_figure(text), frame, caption.strip())]
    return [
        Drawing(
            "message_sizes",
            lambda: panels(frame, found, paper_table("scalable-bfs-message-sizes")),
            frame,
            caption.strip(),
        )
    ]


def panels(frame: pd.DataFrame, found: pd.DataFrame, paper: PaperTable | None):
    figure = style.new_figure(style.PAGE_IN, 3.2)
    left, right = figure.subplots(1, 2)
    for index, row in enumerate(found.itertuples(index=False)):
        rows = frame[(frame["variant"] == row.variant) & (frame["ranks"] == row.ranks)
                     & (frame["gpus_per_rank"] == row.gpus_per_rank)]  # fmt: skip
        look = {"color": style.color(index)}
        dots = {"linestyle": "none", "marker": style.marker(index), "markersize": 3}
        left.plot(rows["message_bytes"], 1e3 * rows["time_ms"], label=name(row), **look, **dots)
        low, high = rows["message_bytes"].min(), rows["message_bytes"].max()
        sizes = [low * (high / low) ** (k / 60) for k in range(61)] if high > low else [low]
        peers = row.ranks * max(row.gpus_per_rank, 1) - 1
        times = [row.a_us + s * peers / row.gb_per_s / 1e3 for s in sizes]
        left.plot(sizes, times, **look)
        if not row.in_place:
            rates = [s * peers / t / 1e3 for s, t in zip(sizes, times, strict=True)]
            right.plot(rows["message_bytes"], rows["gb_per_s"], **look, **dots)
            right.plot(sizes, rates, **look)
    for axes in (left, right):
        axes.set_xscale("log")
        axes.set_yscale("log")
        shade(axes, paper)
        style.plain_log_ticks(axes.yaxis)
        decades(axes)
        axes.set_xlabel("bytes of a message")
    left.set_ylabel("time of the exchange [us]")
    right.set_ylabel("rate from each GPU [GB/s]")
    style.legend_above(figure, left, columns=2)
    return figure


def shade(axes, paper: PaperTable | None) -> None:
    if paper is None:
        return
    low, high, best = (
        float(paper.cell("Ray, 32 nodes", metric)) for metric in ("lowest", "highest", "best")
    )
    axes.axvspan(low, high, color="#7A7A7A", alpha=0.12, linewidth=0, label="the paper's sweep")
    axes.axvline(best, color="#7A7A7A", linewidth=0.8, linestyle="--", label="the paper's best")


def decades(axes) -> None:
    """100 B, 10 kB, 1 MB, ..."""
    low, high = axes.get_xlim()
    ticks = [10.0**k for k in range(0, 13) if low <= 10.0**k <= high]
    step = 1 + len(ticks) // 7
    axes.set_xticks(ticks[::step], [size(tick) for tick in ticks[::step]])
    axes.minorticks_off()


def finding(drawing: Drawing, experiments: list[Experiment]) -> str:
    frame = drawing.numbers
    if frame.empty:
        return ""
    found = fits(frame)
    costs = sentences.ends(found, "a_us", "{:.3g} µs".format, configured)
    rates = sentences.ends(found[~found["in_place"]], "gb_per_s", "{:.3g} GB/s".format, configured)
    moved = f", and the rate of large messages is {rates}" if rates else ""
    return f"By least squares over medians, the fixed cost of an exchange is {costs}{moved}."
