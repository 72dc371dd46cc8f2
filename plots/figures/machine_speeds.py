"""xbfs Figure 16: the same engine on several machines, its speed over the first machine's."""

from __future__ import annotations

import pandas as pd

from .. import style
from ..drawing import Drawing
from ..labels import stand_in_note
from ..load import Experiment
from ..paper import PaperTable, paper_for
from ..speedups import COLUMNS, averages, speedups
from ..xbfs import short_label

COMBINES_MACHINES = True

CAPTION = (
    "Above: time, the median over sources of the median over repeats. Below: speed over {first}, "
    "the first of the results folders, on the same graph; averages are arithmetic means over the "
    "graphs that both have done. "
)
ALONE = (
    "Time, the median over sources of the median over repeats. One machine so far: give the "
    "folders of several (python -m plots results/a results/b) to compare their speeds with each "
    "other, and with the paper's. "
)
COLUMNS_HERE = [*COLUMNS, "speed_over_first"]


def numbers(experiments: list[Experiment]) -> pd.DataFrame:
    """One row per (machine, graph, case); `speed_over_first` is the first machine's time of the
    same graph (by its contents) and case over this one's."""
    frames = []
    for experiment in experiments:
        frame = speedups(experiment)
        runs = experiment.runs.drop_duplicates("graph").set_index("graph")["graph_hash"]
        frames.append(frame.assign(graph_hash=frame["graph"].map(runs).astype(object)))
    table = pd.concat(frames, ignore_index=True)
    first = table[table["machine"] == experiments[0].machine]
    times = first.drop_duplicates(["graph_hash", "case"]).set_index(["graph_hash", "case"])
    keys = pd.MultiIndex.from_frame(table[["graph_hash", "case"]])
    base = times["time_ms"].reindex(keys).to_numpy(dtype=float)
    return table.assign(speed_over_first=base / table["time_ms"].astype(float))[COLUMNS_HERE]


def draw(experiments: list[Experiment]) -> list[Drawing]:
    first = experiments[0]
    paper = paper_for(first)
    frame = numbers(experiments)
    theirs = averages(paper)
    said = ""
    if theirs:
        said = "The paper has, over a K80 and on average, "
        said += ", ".join(f"{name} {value:g}" for name, value in theirs.items()) + ". "
    machines = list(dict.fromkeys(frame["machine"]))
    caption = "".join(
        (
            ALONE if len(machines) < 2 else CAPTION.format(first=first.machine),
            gpus(experiments),
            said,
            stand_in_note(first, list(dict.fromkeys(frame["graph"]))),
        )
    ).strip()
    if frame["time_ms"].isna().all():
        what = "no rows yet" if frame.empty else "no configuration succeeded"
        figure = style.message_figure(f"{first.name}: {what}")
        return [Drawing("machine_speeds", figure, frame, caption)]
    return [Drawing("machine_speeds", panels(experiments, frame, paper),
                    with_paper(frame, theirs), caption)]  # fmt: skip


def gpus(experiments: list[Experiment]) -> str:
    """The GPU of each folder, if it was recorded."""
    known = []
    for experiment in experiments:
        devices = (experiment.environment.get("gpu") or {}).get("devices") or []
        names = {d.get("name", "") if isinstance(d, dict) else str(d) for d in devices}
        if names := sorted(names - {""}):
            known.append(f"{experiment.machine} is {', '.join(names)}")
    return f"{'; '.join(dict.fromkeys(known))}. " if known else ""


def with_paper(frame: pd.DataFrame, theirs: dict[str, float]) -> pd.DataFrame:
    rows = [
        {"origin": "paper", "machine": name, "graph": "all ten", "speed_over_first": value,
         "reason": "over K80; the average"}
        for name, value in theirs.items()
    ]  # fmt: skip
    return pd.concat([frame, pd.DataFrame(rows, columns=COLUMNS_HERE)], ignore_index=True)


def panels(experiments: list[Experiment], frame: pd.DataFrame, paper: PaperTable | None):
    """Times over speeds; right of the speeds their means and, apart, the paper's machines."""
    machines = list(dict.fromkeys(frame["machine"]))
    cases = list(dict.fromkeys(frame["case"]))
    lines = [(machine, case) for machine in machines for case in cases]
    graphs = list(dict.fromkeys(frame["graph"]))
    labels = [short_label(experiments[0], graph) for graph in graphs]
    if len(machines) < 2:
        return times_alone(frame, cases, graphs, labels)
    theirs = averages(paper)
    labels.append("average")
    figure = style.new_figure(style.PAGE_IN, 4.0)
    above, below = figure.subplots(2, 1, sharex=True)
    width = 0.8 / len(lines)
    for index, (machine, case) in enumerate(lines):
        rows = frame[(frame["machine"] == machine) & (frame["case"] == case)]
        rows = rows.drop_duplicates("graph").set_index("graph").reindex(graphs)
        at = [g - 0.4 + width * (index + 0.5) for g in range(len(graphs) + 1)]
        look = {"color": style.color(index), "hatch": style.hatch(index), "edgecolor": "black",
                "linewidth": 0.4}  # fmt: skip
        label = machine if len(cases) == 1 else f"{machine}, {case}"
        above.plot(at[:-1], rows["time_ms"], style.marker(index), color=style.color(index))
        below.bar(at[:-1], rows["speed_over_first"].fillna(0), width, label=label, **look)
        mean = rows["speed_over_first"].mean()
        if mean == mean:
            below.bar(at[-1], mean, width, **look)
            below.annotate(f"{mean:.2g}", (at[-1], mean), ha="center", va="bottom", fontsize=6,
                           xytext=(0, 1), textcoords="offset points")  # fmt: skip
    if theirs:
        start = len(labels)
        shown = {"K80": 1.0, **theirs}  # the paper's first machine
        for k, (name, value) in enumerate(shown.items()):
            below.bar(start + k, value, 0.6, color="#D0D0D0", edgecolor="black", linewidth=0.4)
            below.annotate(f"{value:g}", (start + k, value), ha="center", va="bottom", fontsize=6,
                           xytext=(0, 1), textcoords="offset points")  # fmt: skip
            labels.append(f"{name} (paper)")
    above.set_yscale("log")
    above.set_ylabel("time [ms]")
    style.plain_log_ticks(above.yaxis)
    below.axhline(1, color="black", linewidth=0.8)
    below.set_ylabel(f"speed over\n{experiments[0].machine}")
    below.set_xticks(range(len(labels)), labels, rotation=35, ha="right", rotation_mode="anchor")
    below.set_xlim(-0.6, len(labels) - 0.4)
    for axes in (above, below):
        axes.grid(False, axis="x")
        axes.axvline(len(graphs) - 0.5, color="#808080", linewidth=0.6)
    style.legend_above(figure, below, columns=4)
    figure.align_ylabels()
    return figure


def times_alone(frame: pd.DataFrame, cases: list[str], graphs: list[str], labels: list[str]):
    """A machine has no speed over itself."""
    figure = style.new_figure(style.PAGE_IN, 2.4)
    axes = figure.subplots()
    for index, case in enumerate(cases):
        rows = frame[frame["case"] == case].drop_duplicates("graph").set_index("graph")
        axes.plot(range(len(graphs)), rows["time_ms"].reindex(graphs), style.marker(index),
                  color=style.color(index), label=case)  # fmt: skip
    axes.set_yscale("log")
    axes.set_ylabel("time [ms]")
    style.plain_log_ticks(axes.yaxis)
    axes.set_xticks(range(len(labels)), labels, rotation=35, ha="right", rotation_mode="anchor")
    axes.grid(False, axis="x")
    if len(cases) > 1:
        style.legend_above(figure, axes, columns=4)
    return figure
