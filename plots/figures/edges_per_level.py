# SPDX-License-Identifier: Apache-2.0
"""graph500-romeo Table 3.1: edges looked at per level by direction, and by a rule."""

from __future__ import annotations

import pandas as pd

from .. import sentences, style
from ..drawing import Drawing
from ..labels import graph_label, stand_in_note
from ..level_times import level_times
from ..load import Experiment, toggles
from ..paper import PaperTable, paper_table
from ..table import Row, Table

CAPTION = (
    "Adjacency entries read at every level from one source, the first of the experiment whose "
    "degree is at least the average (from a vertex with one neighbour the first levels say "
    "nothing; where none was recorded, the first of all): all levels top-down, all bottom-up, the "
    "smaller of the two at each level (an oracle: it needs both counts, and is what the paper "
    "calls hybridization), and a rule that decides by what is known at the time. Level 0 expands "
    "the source; the paper counts it bottom-up too. Counts are exact and do not depend on the "
    "machine; bottom-up's depend on the order of neighbour lists. "
)
STATISTIC = "exact counts of adjacency entries of one search"
FIGURE_3_4A = (
    "The paper's figure draws times, of one search of six levels on a graph that it does not "
    "name: the figure of times is that half, this the counting one, and only shapes are "
    "comparable. It keeps the better time of each level, which is the oracle here. Edges are not "
    "times: top-down's writes are scattered and contended, bottom-up's reads end early, so the "
    "directions' times cross where their counts need not. On a deep graph without hubs bottom-up "
    "pays off only at the end, when little is left unvisited; a rule made for graphs with hubs "
    "may go bottom-up there long before that."
)
OF_PAPER = (
    " The paper does not name its graph: compare shapes and shares, not counts. Its count of "
    "bottom-up at level 0 is impossible: there all rows but those of the root and its neighbours "
    "are read to their end, which are 23,481,604 entries by the table's own counts."
)
TIMES = (
    "Time of every level of one instrumented search, by the clock that the engine has: its "
    "counting costs some of it, and a level's first search may be slower than later ones. The "
    "minimum is that of the two directions' times at each level, which no rule can know "
    "beforehand. The paper draws the same for one search of six levels on a graph that it does "
    "not name. "
)
TIMES_STATISTIC = "time [ms] of each level of one instrumented search"
TOP_DOWN, BOTTOM_UP, MINIMUM = "Top-down", "Bottom-up", "Minimum per level"
ONLY = {"top-down": TOP_DOWN, "bottom-up": BOTTOM_UP}


def numbers(experiment: Experiment) -> pd.DataFrame:
    """One row per (graph, method, level) for the source that is drawn, the minimum included."""
    rows = []
    done = experiment.instrumented
    done = done[done["status"] == "ok"]
    spent = level_times(experiment)
    spent["time_ms"] = spent[["generation_ms", "traversal_ms"]].sum(axis=1, min_count=1)
    times = spent.set_index(["trial", "level"])["time_ms"]
    for graph in experiment.graph_order:
        here = done[done["graph"] == graph]
        source = drawn_source(experiment, here)
        if source is None:
            continue
        by_method = {}
        for case in experiment.case_order:
            hit = here[(here["case"] == case) & (here["source"] == source)]
            if hit.empty:
                continue
            method = ONLY.get(direction(hit.iloc[0]), case)
            levels = experiment.levels[experiment.levels["trial"] == hit.iloc[0]["trial"]]
            uncounted = levels["edges_checked"].isna().any()
            if levels.empty or uncounted or method in by_method:
                continue
            by_method[method] = levels.groupby("level").agg(
                edges_checked=("edges_checked", "sum"), direction=("direction", "first")
            )
            by_method[method]["time_ms"] = times.get(hit.iloc[0]["trial"])
        if TOP_DOWN in by_method and BOTTOM_UP in by_method:
            by_method[MINIMUM] = minimum(by_method[TOP_DOWN], by_method[BOTTOM_UP])
        ends = {TOP_DOWN: 0, BOTTOM_UP: 1, MINIMUM: 2}
        for method in sorted(by_method, key=lambda m: ends.get(m, 3)):
            for level, row in by_method[method].iterrows():
                rows.append(
                    {
                        "graph": graph,
                        "stand_in_for": experiment.stand_in_for(graph),
                        "source": int(source),
                        "source_degree": source_degrees(experiment, here).get(source),
                        "method": method,
                        "level": int(level),
                        "direction": row["direction"],
                        "edges_checked": int(row["edges_checked"]),
                        "time_ms": row["time_ms"],
                    }
                )
    columns = [
        "graph",
        "stand_in_for",
        "source",
        "source_degree",
        "method",
        "level",
        "direction",
        "edges_checked",
        "time_ms",
    ]
    return pd.DataFrame(rows, columns=columns)


def direction(run: pd.Series) -> str:
    """Names a run's engine, or the direction that it was held to: "top-down"."""
    return toggles(run["toggles"]).get("direction", run["engine"]).replace("_", "-")


def drawn_source(experiment: Experiment, rows: pd.DataFrame) -> float | None:
    """Returns, of the sources that both directions have finished, in order of running, the first
    whose degree is at least the graph's average, else the first."""
    directions = rows.apply(direction, axis=1) if len(rows) else pd.Series(dtype=object)
    have = [set(rows.loc[directions == only, "source"]) for only in ONLY]
    both = have[0] & have[1] if all(have) else have[0] | have[1]
    common = [source for source in dict.fromkeys(rows["source"]) if source in both]
    if not common:
        return None
    degrees = source_degrees(experiment, rows)
    sizes = experiment.graphs.drop_duplicates("graph").set_index("graph")
    graph = rows.iloc[0]["graph"]
    known = graph in sizes.index
    average = sizes.loc[graph, "edges"] / sizes.loc[graph, "vertices"] if known else 0.0
    return next((s for s in common if degrees.get(s, 0.0) >= average), common[0])


def source_degrees(experiment: Experiment, rows: pd.DataFrame) -> dict[float, float]:
    """By source: the edges of level 0's frontier."""
    first = experiment.levels[experiment.levels["level"] == 0]
    edges = first.groupby("trial")["frontier_edges"].sum(min_count=1)
    return dict(zip(rows["source"], rows["trial"].map(edges), strict=True))


def minimum(top_down: pd.DataFrame, bottom_up: pd.DataFrame) -> pd.DataFrame:
    """Per level the smaller count and its direction; ties go top-down. A level that one of them
    does not have (it knows sooner that nothing is left) costs that one nothing."""
    levels = sorted({*top_down.index, *bottom_up.index})
    down = top_down["edges_checked"].reindex(levels, fill_value=0)
    up = bottom_up["edges_checked"].reindex(levels, fill_value=0)
    times = [each["time_ms"].reindex(levels, fill_value=0.0) for each in (top_down, bottom_up)]
    return pd.DataFrame(
        {
            "edges_checked": down.where(down <= up, up),
            "time_ms": times[0].where(times[0] <= times[1], times[1]),
            "direction": [
                "top_down" if d <= u else "bottom_up" for d, u in zip(down, up, strict=True)
            ],
        },
        index=levels,
    )


def draw(experiments: list[Experiment]) -> list[Drawing]:
    experiment = experiments[0]
    paper = paper_table(experiment.name)
    frame = numbers(experiment)
    note = stand_in_note(experiment, experiment.graph_order)
    caption = f"{CAPTION}{note}".strip()
    if paper:
        caption += OF_PAPER
    if experiment.spec.get("item") == "Figure 3.4a":
        caption = f"{caption} {FIGURE_3_4A}"
    if frame.empty:
        figure = style.message_figure(f"{experiment.name}: no instrumented rows yet")
        return [Drawing("edges_per_level", figure, frame, caption)]
    shape = level_table(experiment, frame, paper)
    timed = []
    if experiment.spec.get("item") == "Figure 3.4a" and frame["time_ms"].notna().any():
        caption_of_times = f"{TIMES}{note}".strip()
        timed = [
            Drawing("edges_per_level_times",
                    lambda: bars(experiment, frame, None, "time_ms", "time [ms]"), frame,
                    caption_of_times, statistic=TIMES_STATISTIC)
        ]  # fmt: skip
    return [
        *timed,
        Drawing(
            "edges_per_level",
            lambda: bars(experiment, frame, paper),
            with_paper(frame, paper),
            caption,
        ),
        Drawing(
            "edges_per_level_table",
            shape,
            with_paper(frame, paper),
            caption,
        ),
    ]


PAPER_METHODS = ("Top-down", "Bottom-up", "Hybridization")


def with_paper(frame: pd.DataFrame, paper: PaperTable | None) -> pd.DataFrame:
    ours = frame.assign(origin="ours")
    if paper is None:
        return ours
    rows = [
        {
            "origin": "paper",
            "graph": "unnamed",
            "method": method,
            "level": level,
            "edges_checked": int(text),
        }
        for method in PAPER_METHODS
        for level, text in enumerate(paper_levels(paper, method))
    ]
    return pd.concat([ours, pd.DataFrame(rows)], ignore_index=True)


def paper_levels(paper: PaperTable, method: str) -> list[str]:
    cells = []
    while text := paper.cell("unnamed", f"edges_level_{len(cells)}", method):
        cells.append(text)
    return cells


def source_label(rows: pd.DataFrame) -> str:
    row = rows.iloc[0]
    degree = row["source_degree"]
    of = f" of degree {degree:.0f}" if degree == degree and degree is not None else ""
    return f"source {row['source']}{of}"


def level_table(experiment: Experiment, frame: pd.DataFrame, paper: PaperTable | None) -> Table:
    groups = []  # (title, method, {level: edges})
    for graph in dict.fromkeys(frame["graph"]):
        of_graph = frame[frame["graph"] == graph]
        title = f"{graph_label(experiment, graph)}, {source_label(of_graph)}"
        for method in dict.fromkeys(of_graph["method"]):
            rows = of_graph[of_graph["method"] == method]
            groups.append(
                (title, method, dict(zip(rows["level"], rows["edges_checked"], strict=True)))
            )
    if paper:
        for method in PAPER_METHODS:
            counts = {i: int(t) for i, t in enumerate(paper_levels(paper, method))}
            groups.append(("paper, graph not named", method, counts))
    titles: list[tuple[str, int]] = [("", 1)]
    for title, _, _ in groups:
        if titles[-1][0] == title:
            titles[-1] = (title, titles[-1][1] + 1)
        else:
            titles.append((title, 1))
    names = [("Level", 1)] + [(method.replace(" ", "\n", 1), 1) for _, method, _ in groups]
    deepest = max(max(counts) for _, _, counts in groups)
    shown = range(deepest + 1) if deepest < 40 else range(40)
    body = [
        Row([str(level)] + [f"{c[level]:,}" if level in c else "" for _, _, c in groups])
        for level in shown
    ]
    if len(shown) <= deepest:
        body.append(Row(["..."] + [""] * len(groups)))
    body.append(Row(["Total"] + [f"{sum(c.values()):,}" for _, _, c in groups]))
    return Table([titles, names], body, note=stand_in_note(experiment, experiment.graph_order))


def bars(experiment: Experiment, frame: pd.DataFrame, paper: PaperTable | None,
         value: str = "edges_checked", name: str = "edges checked"):  # fmt: skip
    graphs = list(dict.fromkeys(frame["graph"]))
    panels = len(graphs) + (1 if paper else 0)
    across = min(panels, 2)
    down = -(-panels // across)
    figure = style.new_figure(
        style.PAGE_IN if across > 1 else style.COLUMN_IN * 1.4, 2.3 * down + 0.3
    )
    grid = list(figure.subplots(down, across, squeeze=False).flat)
    methods = list(dict.fromkeys(frame["method"]))
    for axes, graph in zip(grid, graphs, strict=False):
        rows = frame[frame["graph"] == graph]
        counts = {m: rows[rows["method"] == m].set_index("level")[value] for m in methods}
        panel(axes, counts, methods, name)
        axes.set_title(f"{graph_label(experiment, graph, ' ')}, {source_label(rows)}", loc="left")
    if paper:
        axes = grid[len(graphs)]
        counts = {
            ours: pd.Series([int(t) for t in paper_levels(paper, name)], dtype=float)
            for ours, name in zip((TOP_DOWN, BOTTOM_UP, MINIMUM), PAPER_METHODS, strict=True)
        }
        panel(axes, counts, methods, name)
        axes.set_title("paper, graph not named", loc="left")
    for axes in grid[panels:]:
        axes.set_visible(False)
    style.legend_above(figure, grid[0], columns=4)
    return figure


def panel(axes, counts: dict[str, pd.Series], methods: list[str], name: str) -> None:
    """Marks per method if levels are few, lines if they are many; an axis without a zero has no
    bars."""
    deepest = max(int(series.index.max()) for series in counts.values() if len(series))
    axes.set_yscale("log")
    many = deepest > 20
    for index, method in enumerate(methods):
        series = counts.get(method)
        if series is None or series.empty:
            continue
        series = series[series > 0]  # a logarithm has no zero
        if many:
            axes.plot(
                series.index,
                series,
                label=method,
                color=style.color(index),
                linewidth=1,
                linestyle=("-", "--", ":", "-.")[index % 4],
            )
        else:
            width = 0.8 / len(methods)
            axes.plot(
                series.index - 0.4 + width * (index + 0.5),
                series,
                label=method,
                color=style.color(index),
                marker=style.marker(index),
                linestyle="none",
            )
    if not many:
        axes.set_xticks(range(deepest + 1))
        axes.grid(False, axis="x")
    axes.set_xlabel("level")
    axes.set_ylabel(name)
    style.plain_log_ticks(axes.yaxis)


def finding(drawing: Drawing, experiments: list[Experiment]) -> str:
    frame = sentences.ours(drawing.numbers)
    if frame.empty:
        return ""
    here = frame[frame["graph"] == frame["graph"].iloc[0]]
    sums = here.groupby("method", sort=False)["edges_checked"].sum().sort_values()
    first, *others = (f"{count:,.0f}" for count in sums)
    names = [sentences.name(method) for method in sums.index]
    words = [f"{first} adjacency entries with {names[0]}"]
    words += [f"{count} with {name}" for count, name in zip(others, names[1:], strict=True)]
    return (
        f"One search on {sentences.place(here.iloc[0])} reads {sentences.listed(words)}, by exact "
        "counts."
    )
