# SPDX-License-Identifier: Apache-2.0
"""Drawing: what a figure module returns, and how it becomes files."""

from __future__ import annotations

import io
import re
import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partialmethod
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pandas as pd
from matplotlib import rcParams
from matplotlib.artist import Artist
from matplotlib.backend_bases import GraphicsContextBase
from matplotlib.collections import PathCollection
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox
from PIL import Image

from . import latex, pgf, table
from .caveats import compiled_elsewhere, samples
from .files import without_formula
from .grouped_bars import MOST_DOTS
from .labels import graph_name
from .load import Experiment
from .ratios import each_source
from .style import colors, compact, lay_out, pt
from .table import Table

FORMATS = ("png", "svg", "pdf", "pgf")
_FOOTER_PT = 5.0
_TITLE_PT = 8.0
_PADDING_IN = 0.05
_CLOSE_IN = 0.01  # by how much an image's width may miss the one that its figure was made for
_PACKED = np.array([1, 1 << 8, 1 << 16], dtype=np.int32)  # three bytes of a colour as one number
_MANY_MARKS = 800  # more marks than these weigh less as pixels
_PIXELS_DPI = 150  # of such pixels
_HATCH_PARTS = 6  # of an inch, as many as matplotlib repeats a hatch in
_PATTERN = re.compile(r'(<pattern [^>]*)width="72" height="72"(.*?stroke-width: )([\d.]+)', re.S)
_PLACES = re.compile(r' (?:d|x|y)="[^"]*"')  # of an SVG, with numbers in points
_MOST_COLORS = 32  # that a PNG keeps, unless areas have more: a heat map


@dataclass(frozen=True)
class Output:
    """How drawings become files."""

    formats: tuple[str, ...] = ("png", "svg")  # of FORMATS
    title: bool = True  # in the image: the paper, its item, and the experiment's title
    footer: bool = True  # in the image: statistic, machines and sizes of graphs


@dataclass
class Drawing:
    name: str  # of the files, without ending
    # A table, a figure, or what draws it: many want the numbers alone.
    drawn: Table | Figure | Callable[[], Figure]
    numbers: pd.DataFrame  # what is plotted, tidy
    caption: str  # what is compared, by which statistics, and how it deviates from the paper
    statistic: str = ""  # in few words, with units: goes into the image; else the module's
    finding: str = ""  # what the numbers show, for the report: the module's `finding` fills it in

    @property
    def table(self) -> Table | None:
        return self.drawn if isinstance(self.drawn, Table) else None

    @property
    def markdown(self) -> str:
        """A table as it is displayed; empty for a figure."""
        return table.markdown(self.table) if self.table else ""

    @cached_property
    def figure(self) -> Figure | None:
        if self.table:
            return None
        return self.drawn() if callable(self.drawn) else self.drawn


def save(drawing: Drawing, folder: Path, output: Output,
         experiments: Sequence[Experiment] = ()) -> dict[str, Path]:  # fmt: skip
    """Writes into `folder` NAME.png, .svg and so on, or a table as NAME.html and .md; and for both
    NAME.csv, NAME.tex (a table of the numbers), NAME.caption.txt and .caption.tex. Returns the
    paths by ending."""
    folder.mkdir(parents=True, exist_ok=True)
    made = _Files(folder, drawing.name)
    title, below = heading(experiments), footer(drawing, experiments)
    if drawing.table:
        made.text("html", table.page(drawing.table, title, caption(drawing, below)))
        made.text("md", drawing.markdown)
    else:
        save_images(drawing.figure, made, output, title, below)
    written(drawing.numbers).to_csv(
        made.path("csv"), index=False, lineterminator="\n", float_format="%.10g"
    )
    made.text("tex", latex.tabular(drawing.table or latex.of_numbers(drawing.numbers)))
    words = " ".join(
        part for part in (f"{title}." if title else "", caption(drawing, below)) if part
    )
    made.text("caption.txt", f"{words}\n")
    label = f"{'tab' if drawing.table else 'fig'}:{folder.name}-{drawing.name}"
    made.text("caption.tex", latex.caption(words, label))
    return made.paths


class _Files:
    """The files of one drawing."""

    def __init__(self, folder: Path, name: str) -> None:
        self._folder, self._name = folder, name
        self.paths: dict[str, Path] = {}  # by ending

    def path(self, ending: str) -> Path:
        return self.paths.setdefault(ending, self._folder / f"{self._name}.{ending}")

    def text(self, ending: str, content: str) -> None:
        self.path(ending).write_text(content, encoding="utf-8")


def save_images(figure: Figure, made: _Files, output: Output, title: str, below: list[str]) -> None:
    """Writes a figure in all formats, as wide as it was made where its texts leave room."""
    figure.set_dpi(rcParams["savefig.dpi"])  # letters are as wide when measured as saved
    fit(figure)
    lay_out(figure)
    box = framed(figure, title if output.title else "", below if output.footer else [])
    for ending in output.formats:
        path = made.path(ending)
        if ending == "pgf":
            pgf.write(figure, path, box)
            continue
        # No date in the file: the same numbers give the same bytes.
        metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(ending)
        quickly = {"pil_kwargs": {"compress_level": 1}} if ending == "png" else {}
        figure.savefig(path, metadata=metadata, bbox_inches=box, **quickly)
        if ending == "png":
            shrink(path)


def svg(figure: Figure) -> str:
    """Returns the figure alone as SVG, for a page that has its title and the facts of its rows as
    text. Lays it out for good, as `save_images` does. It is small: marks of a cloud become pixels,
    places have hundredths of a point, and a hatch is a sixth of an inch that repeats, where
    matplotlib writes a whole inch."""
    figure.set_dpi(rcParams["savefig.dpi"])
    fit(figure)
    lay_out(figure)
    file = io.StringIO()
    hatch = partialmethod(GraphicsContextBase.get_hatch_path, density=1)
    with _clouds_as_pixels(figure), patch.object(GraphicsContextBase, "get_hatch_path", hatch):
        figure.savefig(file, format="svg", bbox_inches=framed(figure, "", []), dpi=_PIXELS_DPI,
                       metadata={"Date": None})  # fmt: skip
    text = _PATTERN.sub(_smaller_pattern, file.getvalue())
    text = _PLACES.sub(lambda found: re.sub(r"(\.\d\d)\d+", r"\1", found[0]), text)
    return re.sub(r">\n *<", "><", text)


def _smaller_pattern(found: re.Match) -> str:
    """A sixth of a hatch, drawn as large as an inch, at a sixth of its size with lines as wide as
    before."""
    side = 72 / _HATCH_PARTS
    width = float(found[3]) * _HATCH_PARTS
    return f'{found[1]}width="{side:g}" height="{side:g}" viewBox="0 0 72 72"{found[2]}{width:g}'


@contextmanager
def _clouds_as_pixels(figure: Figure) -> Iterator[None]:
    clouds: list[Artist] = [
        artist
        for axes in figure.axes
        for artist in (*axes.collections, *axes.lines)
        if _marks(artist) > _MANY_MARKS
    ]
    before = [artist.get_rasterized() for artist in clouds]
    for artist in clouds:
        artist.set_rasterized(True)
    yield
    for artist, rasterized in zip(clouds, before, strict=True):
        artist.set_rasterized(rasterized)


def _marks(artist: Artist) -> int:
    """Returns how many marks a scatter or a line has; a line without marks has none."""
    if isinstance(artist, PathCollection):
        return len(artist.get_offsets())
    has_marks = getattr(artist, "get_marker", lambda: None)() not in ("None", "", " ", None)
    return len(artist.get_xdata()) if has_marks else 0


def heading(experiments: Sequence[Experiment]) -> str:
    """ "xbfs, Figure 11: title", or what there is of it."""
    if not experiments:
        return ""
    spec = experiments[0].spec
    item = ", ".join(str(spec[key]) for key in ("paper", "item") if spec.get(key))
    return ": ".join(part for part in (item, str(spec.get("title") or "")) if part) or (
        experiments[0].name
    )


def caption(drawing: Drawing, below: list[str]) -> str:
    """The caption of a drawing with what stands below its image."""
    return " ".join(part for part in (drawing.caption.strip(), *below) if part)


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
    """Statistic, machines, how many searches, whether the program was made for another CPU, and
    sizes of graphs: people copy images, and not captions."""
    lines = [f"Statistic: {drawing.statistic}."] if drawing.statistic else []
    machines = dict.fromkeys(
        "; ".join(line for line in (experiment.machine_line(), samples(experiment)) if line)
        for experiment in experiments
    )
    lines += [f"Machine: {line}." for line in machines if line]
    lines += dict.fromkeys(
        words for experiment in experiments if (words := compiled_elsewhere(experiment))
    )
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


def fit(figure: Figure) -> None:
    """Changes the width of a figure until all that is drawn is as wide as the figure was made."""
    engine, wanted = figure.get_layout_engine(), figure.get_figwidth()
    if not engine or not figure.axes:
        return
    for _ in range(4):
        engine.execute(figure)
        excess = figure.get_tightbbox().width + 2 * _PADDING_IN - wanted
        if abs(excess) < _CLOSE_IN or figure.get_figwidth() - excess < wanted / 2:
            return
        figure.set_figwidth(figure.get_figwidth() - excess)


def framed(figure: Figure, title: str, lines: Sequence[str]) -> Bbox:
    """Adds the title above all that is drawn, and `lines` below, wrapped to its width; returns what
    is to be saved, in inches."""
    box = figure.get_tightbbox()
    left, right, top, bottom = box.x0, box.x1, box.y1, box.y0
    width, height = figure.get_size_inches()
    look = {"ha": "left", "linespacing": 1.1}
    if title:
        words = _wrapped([title], box.width, pt(_TITLE_PT) * 1.1)
        text = figure.text(left / width, (top + 2 * _PADDING_IN) / height, words, va="bottom",
                           fontsize=pt(_TITLE_PT), fontweight="bold", **look)  # fmt: skip
        above = text.get_window_extent()
        right, top = max(right, above.x1 / figure.dpi), above.y1 / figure.dpi
    if lines:
        words = _wrapped(lines, box.width, pt(_FOOTER_PT))
        text = figure.text(left / width, (bottom - 2 * _PADDING_IN) / height, words, va="top",
                           fontsize=pt(_FOOTER_PT), color="#404040", **look)  # fmt: skip
        below = text.get_window_extent()
        right, bottom = max(right, below.x1 / figure.dpi), below.y0 / figure.dpi
    return Bbox([[left - _PADDING_IN, bottom - _PADDING_IN],
                 [right + _PADDING_IN, top + _PADDING_IN]])  # fmt: skip


def _wrapped(lines: Sequence[str], inches: float, points: float) -> str:
    """Lines broken to a width, by that of a middling letter of a size."""
    letters = max(40, int(inches * 72 / (points * 0.51)))
    return "\n".join(part for line in lines for part in textwrap.wrap(line, letters))


def shrink(png: Path) -> None:
    """To a palette of the house's colours and of those that most pixels have: the others are shades
    of edges and letters. Takes a fifth of the bytes."""
    with Image.open(png) as image:
        image.load()
    image = image.convert("RGB")
    found = image.getcolors(image.width * image.height)
    counts, shades = map(np.array, zip(*sorted(found, key=lambda each: each[1]), strict=True))
    flat = int((counts > counts.sum() / 2000).sum())
    house = np.array([[round(255 * part) for part in to_rgb(c)] for c in colors()])
    seen = house[(house[:, None] == shades[None]).all(axis=2).any(axis=1)]
    most = max(flat, _MOST_COLORS)
    common = np.vstack([seen, shades[np.argsort(-counts, kind="stable")]])[: min(most, 256)]
    nearest = np.abs(shades[:, None] - common[None]).sum(axis=2).argmin(axis=1).astype(np.uint8)
    by_color = np.zeros(1 << 24, dtype=np.uint8)
    by_color[shades @ _PACKED] = nearest
    pixels = np.asarray(image.convert("RGBA")).view("<u4")[:, :, 0] & 0xFFFFFF
    few = Image.fromarray(by_color[pixels])
    few.putpalette(common.astype(np.uint8).tobytes())
    few.save(png, optimize=True, dpi=image.info.get("dpi", (200, 200)))
