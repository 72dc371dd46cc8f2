# SPDX-License-Identifier: Apache-2.0
"""Drawing: what a figure module returns, and how it becomes files."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib import rcParams
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox
from PIL import Image

from .caveats import samples
from .files import without_formula
from .grouped_bars import MOST_DOTS
from .labels import graph_name
from .load import Experiment
from .ratios import each_source
from .style import COLORS, compact, lay_out

FORMATS = ("png", "svg", "pdf")
_FOOTER_PT = 5.0
_PADDING_IN = 0.05
_FEW_COLORS = 12  # of a table: black, greys and the shades of letters
_PACKED = np.array([1, 1 << 8, 1 << 16], dtype=np.int32)  # three bytes of a colour as one number
_MOST_COLORS = 32  # that a PNG keeps, unless areas have more: a heat map


@dataclass
class Drawing:
    name: str  # of the files, without ending
    drawn: Figure | Callable[[], Figure]  # or what draws it: many want the numbers alone
    numbers: pd.DataFrame  # what is plotted, tidy
    caption: str  # what is compared, by which statistics, and how it deviates from the paper
    markdown: str = ""  # a table as it is displayed
    statistic: str = ""  # in few words, with units: goes into the image; else the module's
    finding: str = ""  # what the numbers show, for the report: the module's `finding` fills it in

    @cached_property
    def figure(self) -> Figure:
        return self.drawn() if callable(self.drawn) else self.drawn


def save(drawing: Drawing, folder: Path, formats: tuple[str, ...],
         experiments: Sequence[Experiment] = ()) -> dict[str, Path]:  # fmt: skip
    """Writes NAME.png, .svg, .csv and so on into `folder`; returns the paths by ending. Below the
    image stands what a reader of the image alone must know of `experiments`."""
    folder.mkdir(parents=True, exist_ok=True)
    drawing.figure.set_dpi(rcParams["savefig.dpi"])  # letters are as wide when measured as saved
    lay_out(drawing.figure)
    box = with_footer(drawing.figure, footer(drawing, experiments))
    paths = {}
    for ending in formats:
        path = folder / f"{drawing.name}.{ending}"
        # No date in the file: the same numbers give the same bytes.
        metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(ending)
        quickly = {"pil_kwargs": {"compress_level": 1}} if ending == "png" else {}
        drawing.figure.savefig(path, metadata=metadata, bbox_inches=box, **quickly)
        if ending == "png":
            shrink(path)
        paths[ending] = path
    paths["csv"] = folder / f"{drawing.name}.csv"
    written(drawing.numbers).to_csv(
        paths["csv"], index=False, lineterminator="\n", float_format="%.10g"
    )
    if drawing.markdown:
        paths["md"] = folder / f"{drawing.name}.md"
        paths["md"].write_text(drawing.markdown, encoding="utf-8")
    return paths


def listed(numbers: pd.DataFrame) -> pd.DataFrame:
    """Several numbers in one cell as text, as rows of graphs.csv have their sources, each of them
    once; of those that are drawn as a line, their ends."""
    return numbers.apply(lambda column: column.map(_joined))  # also with pandas 1.5


def written(numbers: pd.DataFrame) -> pd.DataFrame:
    """Numbers as their CSV has them."""
    return listed(numbers).apply(lambda column: column.map(without_formula))


def _joined(value: object) -> object:
    if not isinstance(value, pd.Series):
        return value
    if "invocation" in value.index.names:
        value = each_source(value)
    if len(value) > MOST_DOTS:
        return f"{value.min():.4g} to {value.max():.4g}"
    return ";".join(f"{item:.4g}" for item in value)


def footer(drawing: Drawing, experiments: Sequence[Experiment]) -> list[str]:
    """Statistic, machines, how many searches, and sizes of graphs: people copy images, and not
    captions."""
    lines = [f"Statistic: {drawing.statistic}."] if drawing.statistic else []
    machines = dict.fromkeys(
        "; ".join(line for line in (experiment.machine_line(), samples(experiment)) if line)
        for experiment in experiments
    )
    lines += [f"Machine: {line}." for line in machines if line]
    sizes: dict[str, str] = {}
    for experiment in experiments:
        for row in experiment.graphs.itertuples():
            if row.vertices == row.vertices and row.edges == row.edges:
                name = f"stand-in for {row.stand_in_for}" if row.stand_in_for else ""
                size = f"{compact_size(row.vertices)} / {compact_size(row.edges)}"
                sizes.setdefault(name or graph_name(row.graph), size)
    if sizes:
        listed = "; ".join(f"{name} {size}" for name, size in sizes.items())
        lines.append(f"Graphs (vertices / adjacency entries): {listed}.")
    return lines


def compact_size(count: float) -> str:
    """Three digits: 1048576 is 1.05M."""
    return compact(float(f"{count:.3g}"))


def with_footer(figure: Figure, lines: Sequence[str]) -> Bbox:
    """Adds `lines` below all that is drawn, wrapped to its width; returns what is to be saved, in
    inches."""
    box = figure.get_tightbbox()
    letters = max(40, int(box.width * 72 / (_FOOTER_PT * 0.51)))
    wrapped = [part for line in lines for part in textwrap.wrap(line, letters)]
    tall = len(wrapped) * _FOOTER_PT * 1.25 / 72
    width, height = figure.get_size_inches()
    right = box.x1
    if wrapped:
        text = figure.text(box.x0 / width, (box.y0 - 2 * _PADDING_IN) / height, "\n".join(wrapped),
                           fontsize=_FOOTER_PT, color="#404040", ha="left", va="top",
                           linespacing=1.1)  # fmt: skip
        right = max(right, text.get_window_extent().x1 / figure.dpi)
        tall += 2 * _PADDING_IN
    return Bbox([[box.x0 - _PADDING_IN, box.y0 - tall - _PADDING_IN],
                 [right + _PADDING_IN, box.y1 + _PADDING_IN]])  # fmt: skip


def shrink(png: Path) -> None:
    """To a palette of the house's colours and of those that most pixels have: the others are shades
    of edges and letters. Takes a fifth of the bytes."""
    with Image.open(png) as image:
        image.load()
    image = image.convert("RGB")
    found = image.getcolors(image.width * image.height)
    counts, colors = map(np.array, zip(*sorted(found, key=lambda each: each[1]), strict=True))
    flat = int((counts > counts.sum() / 2000).sum())
    house = np.array([[int(c[k : k + 2], 16) for k in (1, 3, 5)] for c in COLORS])
    seen = house[(house[:, None] == colors[None]).all(axis=2).any(axis=1)]
    most = max(flat, _MOST_COLORS if len(seen) > 1 else _FEW_COLORS)  # a table has black alone
    common = np.vstack([seen, colors[np.argsort(-counts, kind="stable")]])[: min(most, 256)]
    nearest = np.abs(colors[:, None] - common[None]).sum(axis=2).argmin(axis=1).astype(np.uint8)
    by_color = np.zeros(1 << 24, dtype=np.uint8)
    by_color[colors @ _PACKED] = nearest
    pixels = np.asarray(image.convert("RGBA")).view("<u4")[:, :, 0] & 0xFFFFFF
    few = Image.fromarray(by_color[pixels])
    few.putpalette(common.astype(np.uint8).tobytes())
    few.save(png, optimize=True, dpi=image.info.get("dpi", (200, 200)))
