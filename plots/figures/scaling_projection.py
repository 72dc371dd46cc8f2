# SPDX-License-Identifier: Apache-2.0
"""A projection to 1,024 GPUs: the costs of scalable-bfs, section V, fitted to recorded rows."""

from __future__ import annotations

import math
from dataclasses import dataclass

import pandas as pd

from .. import sentences, style
from ..cells import number
from ..distributed import failures, gpu_axis, measured, points, suggested_threshold
from ..drawing import Drawing
from ..load import Experiment
from ..paper import paper_table
from ..scaling_model import COST_COLUMNS, REDUCTIONS, TERMS, Model, costs, fit, memory
from .scale_and_throughput import published

CAPTION = (
    "A projection, not a measurement. The time of a search is modelled as the sum of what each "
    "GPU computes (the edges over the GPUs, the delegates, and the nn edges over the GPUs, which "
    "are never visited backward: scalable-bfs, sections IV-B and V-B), the bytes of the "
    "delegates' masks in half of the levels, by the law of the reduction that the rows ran "
    "({reduction} bytes for each GPU), and of nn edges, 4 |Enn| / p (section V; here without the "
    "share 1/p that stays on the GPU), and a constant for each level and for each level and "
    "doubling of the GPUs. {papers}Coefficients of at least 0 are fitted to the recorded "
    "rows by least squares of relative errors; delegates and nn edges are expectations for the "
    "threshold, which is the recorded one for the rows and the paper's suggestion for the "
    "projection. p_rank is taken as the number of GPUs. "
)
PAPERS = "The paper's own reduction is a tree, d log2(p) / 4 bytes (section V-A). "
STATISTIC = "a model fitted to rows, not a measurement: see the caption"
NETWORK = (
    "The rows come from GPUs of one host. Dotted lines assume that beyond {host} GPUs the network "
    "gives each GPU {network:g} GB/s and costs no more to wait for; solid lines, that it is as "
    "fast as inside the host. "
)
SLOWER = (
    "The rows of {cases} give their own link fewer than {network:g} GB/s, so that a network of as "
    "many would change nothing: there is no line of it. "
)
FILLED = (
    "Filled marks are recorded rows, hollow marks published results, with the paper's numerator, "
    "16 x 2^N edges; the CSV has ours, the component's edges, beside it. Left: the graph grows "
    "with the GPUs. Middle: graphs of fixed scale, from the number of GPUs on whose {memory:g} GB "
    "each the subgraphs fit (Table I). Right: what the time of the left panel is made of ({case}, "
    "solid line). "
)
MOST_GPUS = 1024
HOST_GPUS = 8  # of one host, and so of one NVLink domain
NETWORK_GBS = 50.0  # assumed: 400 Gb/s for each GPU
MEMORY_GB = 120.0  # of a GPU's 141 GB, the rest for status, queues and masks
STRONG_SCALES = (26, 30, 33)
COLUMNS = (
    "origin,kind,machine,case,scale,gpus,threshold,levels,time_ms,gteps_paper,gteps_component,"
    "model_ms,edges_ms,delegates_ms,nn_edges_ms,bytes_ms,levels_ms,rounds_ms,note,held_out_ms"
).split(",")


@dataclass
class Fitted:
    case: str
    rows: pd.DataFrame  # recorded
    model: Model
    others: list[Model]  # each without one of the rows
    fewer: Model | None  # of the rows of fewer GPUs than the most, where these are of two numbers

    def held_out_ms(self, row: dict) -> float:
        """Predicts the time of a row with the most GPUs from the rows with fewer; NaN for other
        rows."""
        if self.fewer is None or row["gpus"] < self.rows["gpus"].max():
            return math.nan
        return self.fewer.time_ms(costs(*(row[name] for name in COST_COLUMNS)))

    @property
    def slowed(self) -> bool:
        """Returns whether the assumed network is slower than the link of the rows."""
        return self.model.coefficients["bytes"] < 1 / (NETWORK_GBS * 1e9)

    @property
    def reduction(self) -> str:
        """Returns how the rows with the most GPUs reduce their masks."""
        return self.rows.loc[self.rows["gpus"].idxmax(), "reduction"]

    def cost(self, scale: float, gpus: int) -> dict[str, float]:
        """Returns the terms of a projection, with the paper's suggestion as threshold."""
        return costs(scale, gpus, suggested_threshold(scale), self.levels, self.reduction)

    @property
    def scale_a_gpu(self) -> float:
        """The largest graph that each of the most GPUs had."""
        most = self.rows[self.rows["gpus"] == self.rows["gpus"].max()]
        return math.floor(float((most["scale"] - most["gpus"].map(math.log2)).max()))

    @property
    def levels(self) -> float:
        """Returns the mean number of levels of the largest graphs."""
        return float(self.rows.loc[self.rows["scale"] == self.rows["scale"].max(), "levels"].mean())

    @property
    def component_share(self) -> float:
        """Edges of the component, of 16 x 2^N."""
        top = self.rows[self.rows["scale"] == self.rows["scale"].max()]
        return float((top["gteps_component"] / top["gteps_paper"]).mean())


def fitted(experiment: Experiment) -> list[Fitted]:
    """One per case with rows of more than one GPU, and at least as many rows as terms."""
    frame = measured(experiment)
    good = frame[frame["gteps_paper"].notna() & frame["levels"].notna() & (frame["gpus"] > 0)]
    good = good[good["threshold"] >= 1]
    result = []
    for case in dict.fromkeys(good["case"]):
        rows = good[good["case"] == case].reset_index(drop=True)
        if rows["gpus"].nunique() < 2 or len(rows) < len(TERMS):
            continue
        others = [fit(rows.drop(index=at)) for at in rows.index] if len(rows) > len(TERMS) else []
        fewer = rows[rows["gpus"] < rows["gpus"].max()]
        enough = len(set(fewer["gpus"])) > 1 and len(fewer) >= len(TERMS)
        result.append(Fitted(case, rows, fit(rows), others, fit(fewer) if enough else None))
    return result


def projected(each: Fitted, scale: float, gpus: int, kind: str) -> dict:
    """One row of the CSV."""
    threshold = suggested_threshold(scale)
    cost = each.cost(scale, gpus)
    network = 1 / (NETWORK_GBS * 1e9) if kind.endswith("network") and gpus > HOST_GPUS else 0
    parts = each.model.parts_ms(cost, network)
    time = sum(parts.values())
    rate = 16 * 2**scale / time / 1e6
    return {
        "origin": "projection", "kind": kind, "machine": each.rows["machine"].iloc[0],
        "case": each.case, "scale": scale, "gpus": gpus, "threshold": threshold,
        "levels": each.levels, "time_ms": time, "gteps_paper": rate,
        "gteps_component": rate * each.component_share, "model_ms": time,
        **{f"{term}_ms": parts[term] for term in TERMS},
    }  # fmt: skip


def numbers(models: list[Fitted]) -> pd.DataFrame:
    """Recorded rows with what the model makes of them, projections, and published results."""
    counts = [2**k for k in range(int(math.log2(MOST_GPUS)) + 1)]
    table = []
    for each in models:
        for row in each.rows.to_dict("records"):
            cost = costs(*(row[name] for name in COST_COLUMNS))
            parts = each.model.parts_ms(cost)
            table.append(
                {key: row.get(key) for key in COLUMNS if key in row}
                | {"origin": "ours", "kind": "recorded", "model_ms": sum(parts.values()),
                   "held_out_ms": each.held_out_ms(row),
                   **{f"{term}_ms": parts[term] for term in TERMS}}
            )  # fmt: skip
        for link in ("", ", network"):
            for gpus in counts:
                scale = each.scale_a_gpu + math.log2(gpus)
                table.append(projected(each, scale, gpus, f"weak{link}"))
            for scale in strong_scales(each):
                threshold = suggested_threshold(scale)
                table += [
                    projected(each, scale, gpus, f"strong{link}")
                    for gpus in counts
                    if memory(scale, gpus, threshold) <= MEMORY_GB * 1e9
                ]
    frame = pd.DataFrame(table, columns=COLUMNS)
    theirs = published(paper_table("scalable-bfs-fig1"))
    printed = pd.DataFrame(
        [
            {"origin": "paper", "kind": p.kind, "case": p.work, "scale": p.scale,
             "gpus": p.processors, "gteps_paper": p.gteps,
             "note": "processors, not GPUs" if p.kind == "CPU" else ""}
            for p in theirs
        ],
        columns=COLUMNS,
    )  # fmt: skip
    parts = [part for part in (frame, printed) if len(part)]
    return pd.concat(parts, ignore_index=True) if len(parts) > 1 else parts[0]


def strong_scales(each: Fitted) -> list[float]:
    recorded = float(each.rows["scale"].max())
    return sorted({recorded, *(float(s) for s in STRONG_SCALES if s > recorded)})


def describe(each: Fitted) -> str:
    """The coefficients, and how well they are known."""
    found = each.model.coefficients
    rate = 1 / found["edges"] / 1e9 if found["edges"] else float("inf")
    link = 1 / found["bytes"] / 1e9 if found["bytes"] else float("inf")
    top = each.cost(each.scale_a_gpu + math.log2(MOST_GPUS), MOST_GPUS)
    times = [model.time_ms(top) for model in each.others]
    spread = f" ({min(times):.3g} to {max(times):.3g} without any one row)" if times else ""
    thresholds = sentences.listed([f"{th:g}" for th in sorted(set(each.rows["threshold"]))])
    return (
        f"{each.case}, from {len(each.rows)} rows of scales {each.rows['scale'].min():g} to "
        f"{each.rows['scale'].max():g} on {each.rows['gpus'].min():g} to "
        f"{each.rows['gpus'].max():g} GPUs with TH = {thresholds}: "
        f"{each.model.time_ms(top):.3g} ms{spread} at "
        f"{MOST_GPUS:,} GPUs and scale {each.scale_a_gpu + math.log2(MOST_GPUS):g}; "
        f"{rate:.3g} G edges/s and GPU, {1e9 * found['delegates']:.3g} ns a delegate, "
        f"{1e9 * found['nn_edges']:.3g} ns an nn edge, "
        f"{link:.3g} GB/s, {1e6 * found['levels']:.3g} us a level and "
        f"{1e6 * found['rounds']:.3g} us more a doubling, {each.levels:.2g} levels; the largest "
        f"error on a row is {100 * each.model.worst:.0f} %"
        + (", and the rows leave some coefficients open" if each.model.undetermined else "")
        + ". "
        + held_out(each)
    )


def held_out(each: Fitted) -> str:
    """How far the rows of fewer GPUs are from those of the most, which they were not shown."""
    if each.fewer is None:
        return ""
    most = each.rows["gpus"].max()
    top = each.rows[each.rows["gpus"] == most]
    errors = [100 * (each.held_out_ms(r) / r["time_ms"] - 1) for r in top.to_dict("records")]
    return (
        f"Fitted without the {len(errors)} rows of {most:g} GPUs, the model is "
        f"{min(errors):+.0f} to {max(errors):+.0f} % off on them. "
    )


def law(models: list[Fitted]) -> str:
    """The caption's sentences on the model, with the reductions that the rows ran."""
    ran = dict.fromkeys(each.reduction for each in models) or {"two_phase": None}
    return CAPTION.format(
        reduction=sentences.listed([REDUCTIONS[reduction] for reduction in ran]),
        papers="" if set(ran) == {"two_phase"} else PAPERS,
    )


def draw(experiments: list[Experiment]) -> list[Drawing]:
    experiment = experiments[0]
    models = fitted(experiment)
    frame = numbers(models)
    described = "".join(describe(each) for each in models)
    network = NETWORK.format(host=HOST_GPUS, network=NETWORK_GBS)
    if same := [each.case for each in models if not each.slowed]:
        network += SLOWER.format(cases=sentences.listed(same), network=NETWORK_GBS)
    caption = law(models) + network + described + failures(points(experiment))
    if not models:
        text = f"{experiment.name}: no projection, which takes rows of one and of more GPUs"
        return [Drawing("scaling_projection", style.message_figure(text), frame, caption.strip())]
    caption += FILLED.format(memory=MEMORY_GB, case=models[-1].case)
    return [Drawing("scaling_projection", lambda: panels(models, frame), frame, caption.strip())]


def panels(models: list[Fitted], frame: pd.DataFrame):
    figure = style.new_figure(style.PAGE_IN, 3.9)
    left, middle, right = figure.subplots(1, 3)
    for index, each in enumerate(models):
        rows = frame[frame["case"] == each.case]
        look = {"color": style.color(index)}
        weak = rows[rows["kind"] == "weak"]
        left.plot(weak["gpus"], weak["gteps_paper"], label=f"{each.case}, projection", **look)
        if each.slowed:
            slow = rows[rows["kind"] == "weak, network"]
            left.plot(slow["gpus"], slow["gteps_paper"], linestyle=":",
                      label=f"{each.case}, projection, {NETWORK_GBS:g} GB/s network",
                      **look)  # fmt: skip
        band(left, each, **look)
        recorded = rows[rows["kind"] == "recorded"]
        on_curve = recorded[recorded["scale"] - recorded["gpus"].map(math.log2)
                            == each.scale_a_gpu]  # fmt: skip
        for kind, (threshold, at) in enumerate(on_curve.groupby("threshold")):
            left.plot(at["gpus"], at["gteps_paper"], linestyle="none", marker=style.marker(kind),
                      label=f"{each.case}, recorded, TH = {threshold:g}", **look)  # fmt: skip
        strong_panel(middle, each, rows, **look)
    theirs = frame[frame["origin"] == "paper"]
    drawn = theirs[theirs["gpus"].between(1, 4 * MOST_GPUS)]
    for index, work in enumerate(dict.fromkeys(drawn["case"])):
        here = drawn[drawn["case"] == work]
        look = {"linestyle": "none", "marker": style.marker(index + 1), "color": "#555555",
                "markerfacecolor": "white", "markersize": 4.5}  # fmt: skip
        name = f"published: {work}" + (" (CPUs)" if (here["kind"] == "CPU").any() else "")
        left.plot(here["gpus"], here["gteps_paper"], label=name, **look)
        of_33 = here[here["scale"] == max(STRONG_SCALES)]
        middle.plot(of_33["gpus"], of_33["gteps_paper"], **look)
    composition(right, frame[(frame["case"] == models[-1].case) & (frame["kind"] == "weak")])
    for axes in (left, middle):
        axes.set_yscale("log")
        style.plain_log_ticks(axes.yaxis)
        axes.set_ylabel("GTEPS, 16 x 2^N edges")
        gpu_axis(axes, [1, *(drawn["gpus"] if len(drawn) else []), MOST_GPUS])
    gpu_axis(right, [1, MOST_GPUS])
    each = models[-1]
    left.set_title(f"projection: weak scaling,\nscale {each.scale_a_gpu:g} on each GPU")
    middle.set_title("projection: strong scaling,\nby RMAT scale")
    right.set_title(f"projection: time of {each.case}\nin weak scaling")
    style.legend_above(figure, left, right, columns=3)
    return figure


def band(axes, each: Fitted, color: str) -> None:
    """From the lowest to the highest rate of the fits without one row."""
    if not each.others:
        return
    counts = [2**k for k in range(int(math.log2(MOST_GPUS)) + 1)]
    rates = []
    for gpus in counts:
        scale = each.scale_a_gpu + math.log2(gpus)
        cost = each.cost(scale, gpus)
        rates.append([16 * 2**scale / m.time_ms(cost) / 1e6 for m in each.others])
    axes.fill_between(counts, [min(r) for r in rates], [max(r) for r in rates], color=color,
                      alpha=0.15, linewidth=0)  # fmt: skip


def strong_panel(axes, each: Fitted, rows: pd.DataFrame, color: str) -> None:
    for scale in strong_scales(each):
        for kind, line in (("strong", "-"), *[("strong, network", ":")] * each.slowed):
            here = rows[(rows["kind"] == kind) & (rows["scale"] == scale)]
            axes.plot(here["gpus"], here["gteps_paper"], line, color=color)
        last = rows[(rows["kind"] == "strong") & (rows["scale"] == scale)]
        if len(last):
            axes.annotate(f"{scale:g}", (last["gpus"].iloc[-1], last["gteps_paper"].iloc[-1]),
                          xytext=(3, 0), textcoords="offset points", ha="left", va="center",
                          fontsize=style.pt(6), color=color)  # fmt: skip
    recorded = rows[(rows["kind"] == "recorded") & (rows["scale"] == rows.loc[
        rows["kind"] == "recorded", "scale"].max())]  # fmt: skip
    for kind, (_, at) in enumerate(recorded.groupby("threshold")):
        axes.plot(at["gpus"], at["gteps_paper"], style.marker(kind), color=color)


def composition(axes, weak: pd.DataFrame) -> None:
    parts = [weak[f"{term}_ms"] for term in TERMS]
    bottom = 0.0
    for index, ((name, _), part) in enumerate(zip(TERMS.values(), parts, strict=True)):
        axes.fill_between(weak["gpus"], bottom, bottom + part, facecolor=style.color(index),
                          hatch=style.hatch(index), edgecolor="white", linewidth=0,
                          label=f"projection: {name}")  # fmt: skip
        bottom = bottom + part
    axes.set_ylabel("projected time [ms]")
    axes.set_ylim(bottom=0)


def finding(drawing: Drawing, experiments: list[Experiment]) -> str:
    frame = drawing.numbers
    far = frame[(frame["origin"] == "projection") & (frame["kind"] == "weak")]
    mine = sentences.ours(frame)
    recorded = mine[mine["gteps_paper"].notna()].reset_index(drop=True)
    if recorded.empty:
        return ""
    top = recorded.loc[recorded["gteps_paper"].idxmax()]
    text = (
        f"The highest recorded rate is {number(top['gteps_paper'])} GTEPS on "
        f"{sentences.several(int(top['gpus']), 'GPU')} at scale {top['scale']:g}, by the "
        "geometric mean over sources"
    )
    if far.empty:
        return f"{text}."
    end = far.loc[far["gpus"].idxmax()]
    return (
        f"{text}; a model fitted to the rows, and no measurement, has "
        f"{number(end['gteps_paper'])} GTEPS on {end['gpus']:,.0f} GPUs at scale {end['scale']:g}."
    )
