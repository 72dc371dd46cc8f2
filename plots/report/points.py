# SPDX-License-Identifier: Apache-2.0
"""Matches each drawn point to a row of the figure's numbers.

Figures draw columns of the numbers that they return, so a point is found again by its value: the
column and the unit under which most of an artist's points are values of rows are the artist's.
Several rows of one value are distinguished by the artist's label, the other axis and the tick's
label. A point that still fits several rows, or none (an average), is given none: a wrong row would
be worse.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection, QuadMesh
from matplotlib.container import BarContainer
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.transforms import Bbox

from ..drawing import listed
from ..ratios import each_source

# Drawn value over the row's: as it is, percent, then changes of unit.
_UNITS = (1.0, 100.0, 1e-3, 1e-6, 1e-9, 1e3, 1e6, 2.0**-10, 2.0**-20, 2.0**-30, 8.0)
_CLOSE = 1e-6  # of a value, as rows and figures round alike
_POINTS_PER_INCH = 72


@dataclass(frozen=True)
class Point:
    x: float  # in the SVG's units, from its upper left corner
    y: float
    row: int | None  # of the numbers, from 0
    label: str  # the artist's, as the legend has it
    source: str = ""  # "source 17: 1.42" of a point that is one source of the row


@dataclass
class _Series:
    """An artist's points: where they are on the two axes, and the values that they show."""

    axes: Axes
    places: np.ndarray  # (n, 2), data
    shown: np.ndarray | None  # (ways to read them, n); None of boxes, which only ticks name
    other: np.ndarray  # (n,), on the axis that does not show the value
    label: str
    bare: bool = False  # a line without marks, where only what a row has is a point


def points(figure: Figure, numbers: pd.DataFrame, box: Bbox) -> list[Point]:
    """Returns the points of all bars, marks and cells; `box` is the part that the SVG shows, in
    inches."""
    rows = _Rows(numbers)
    found = []
    for axes in figure.axes:
        for series in _series(axes):
            shown = axes.transData.transform(series.places) / figure.dpi
            at = np.column_stack([shown[:, 0] - box.x0, box.y1 - shown[:, 1]]) * _POINTS_PER_INCH
            row, sources = rows.of_sources(series)
            owners = rows.of(series) if row is None else [row] * len(at)
            for (x, y), one, source in zip(at.round(1), owners, sources, strict=True):
                if np.isfinite([x, y]).all() and not (series.bare and one is None):
                    found.append(Point(float(x), float(y), one, series.label, source))
    return found


def _series(axes: Axes) -> Iterator[_Series]:
    if axes.get_label() == "<colorbar>":
        return
    bars = [c for c in axes.containers if isinstance(c, BarContainer)]
    for container in bars:
        yield from _bars(axes, container)
    in_bars = {patch for container in bars for patch in container.patches}
    boxes = [p for p in axes.patches if isinstance(p, Rectangle) and p not in in_bars]
    boxes = [p for p in boxes if p.get_data_transform() == axes.transData and p.get_fill()]
    if boxes:
        places = np.array([p.get_center() for p in boxes], dtype=float)
        yield _Series(axes, places, None, places[:, 0], "")
    for line in axes.lines:
        if line.get_transform() == axes.transData and len(line.get_xdata()) > 0:
            places = np.asarray(line.get_xydata(), dtype=float)
            bare = line.get_marker() in ("None", "none", "", " ", None)
            yield _marks(axes, places, str(line.get_label()), bare)
    for artist in axes.collections:
        if isinstance(artist, PathCollection) and artist.get_offset_transform() == axes.transData:
            places = np.asarray(artist.get_offsets(), dtype=float)
            yield _marks(axes, places, str(artist.get_label()))
        elif isinstance(artist, QuadMesh):
            corners = artist.get_coordinates()
            middle = (corners[:-1, :-1] + corners[1:, 1:]) / 2
            yield _cells(axes, middle.reshape(-1, 2), artist.get_array())
    for image in axes.images:
        if image.get_array().ndim == 2:
            y, x = np.mgrid[tuple(slice(0, n) for n in image.get_array().shape)]
            places = np.column_stack([x.ravel(), y.ravel()]).astype(float)
            yield _cells(axes, places, image.get_array())


def _bars(axes: Axes, bars: BarContainer) -> Iterator[_Series]:
    upright = bars.orientation != "horizontal"
    boxes = np.array([[p.get_x(), p.get_y(), p.get_width(), p.get_height()] for p in bars.patches])
    if not len(boxes):
        return
    x, y, width, height = boxes.T.astype(float)
    ends = [x + width / 2, y + height] if upright else [x + width, y + height / 2]
    places = np.column_stack(ends)
    # A part of a stack shows what it adds; a bar that hangs on a foot shows where it ends.
    shown = np.array([height, y + height] if upright else [width, x + width])
    yield _Series(axes, places, shown, places[:, 0 if upright else 1], _label(bars.get_label()))


def _marks(axes: Axes, places: np.ndarray, label: str, bare: bool = False) -> _Series:
    """Values go up, unless names stand on that axis."""
    flat = any(text and not _numeric(text) for text in _tick_texts(axes.yaxis).values())
    values, other = (0, 1) if flat else (1, 0)
    shown = places[None, :, values]
    return _Series(axes, places, shown, places[:, other], _label(label), bare)


def _cells(axes: Axes, places: np.ndarray, array: np.ndarray) -> _Series:
    """Without the cells that hold nothing."""
    values = np.ma.filled(np.ma.ravel(np.ma.asarray(array, dtype=float)), np.nan)
    drawn = np.isfinite(values)
    return _Series(axes, places[drawn], values[None, drawn], places[drawn, 0], "")


def _tick_texts(axis) -> dict[float, str]:
    """By place; the formatter knows them on axes too that share them and show none."""
    places = axis.get_majorticklocs()
    texts = axis.get_major_formatter().format_ticks(places)
    return {float(at): text.replace("\n", " ") for at, text in zip(places, texts, strict=True)}


def _numeric(text: str) -> bool:
    return text.replace("−", "-").strip("-+kMG%").replace(".", "").isdigit()


def _label(text: object) -> str:
    return "" if str(text).startswith("_") else str(text).replace("\n", " ")


def _plain(text: str) -> str:
    """Names as figures show them and as rows have them, made equal: "a:b=1,c" is "a b=1 c"."""
    return re.sub(r"[^a-z0-9.=+*]+", " ", text.lower()).strip()


class _Rows:
    def __init__(self, numbers: pd.DataFrame) -> None:
        numeric = numbers.select_dtypes("number")
        self._values = {c: numeric[c].to_numpy(dtype=float) for c in numeric}
        words = listed(numbers.drop(columns=numeric.columns)).fillna("").astype(str)
        self._lists = [
            (row, each_source(cell) if "source" in cell.index.names else cell)
            for row, record in enumerate(numbers.itertuples(index=False))
            for cell in record
            if isinstance(cell, pd.Series) and len(cell)
        ]
        self._words = [{_plain(w) for w in row} - {""} for row in words.itertuples(index=False)]

    def of(self, series: _Series) -> list[int | None]:
        rows = self._labelled(series.label)
        texts = [_tick_texts(series.axes.xaxis), _tick_texts(series.axes.yaxis)]
        title = " ".join(series.axes.get_title(loc=where) for where in ("left", "center", "right"))
        if series.shown is None:
            return [self._named(rows, place, texts, title) for place in series.places]
        return [
            self._only(found, place, other, texts, title)
            for found, place, other in zip(
                self._candidates(series.shown, rows), series.places, series.other, strict=True
            )
        ]

    def of_sources(self, series: _Series) -> tuple[int | None, list[str]]:
        """The row whose sources an artist shows one by one, and which each of them is."""
        shown = [] if series.shown is None or series.label else series.shown[0]
        for row, values in self._lists:
            if len(values) == len(shown):
                for unit, less in ((1.0, 0.0), (100.0, 0.0), (100.0, 1.0)):  # as it is, %, +%
                    if np.allclose(unit * (values.to_numpy() - less), shown, rtol=_CLOSE):
                        named = values.index.name == "source"
                        return row, [
                            f"source {at:.0f}: {value:.4g}" if named else f"{value:.4g}"
                            for at, value in values.items()
                        ]
        return None, [""] * len(series.places)

    def _labelled(self, label: str) -> np.ndarray:
        """Rows of which a word is the artist's label; all rows where there is none."""
        mine = [i for i, words in enumerate(self._words) if _plain(label) in words]
        return np.array(mine or range(len(self._words)), dtype=int)

    def _candidates(self, shown: np.ndarray, rows: np.ndarray) -> list[np.ndarray]:
        """Maps each value to the rows that have it in the column that fits best."""
        best: list[np.ndarray] = [np.array([], dtype=int)] * shown.shape[1]
        most = 0
        for column, unit, read in product(self._values.values(), _UNITS, shown):
            close = np.abs(column[rows][None, :] * unit - read[:, None])
            fits = close <= _CLOSE * np.abs(read)[:, None]
            matched = int(fits.any(axis=1).sum())
            if matched > most and matched * 2 >= np.isfinite(read).sum():
                most, best = matched, [rows[fit] for fit in fits]
        return best

    def _only(self, found: np.ndarray, place: np.ndarray, other: float,
              texts: list[dict[float, str]], title: str) -> int | None:  # fmt: skip
        """The one row that is left after the other axis, the ticks' labels and the title."""
        if len(found) > 1:
            same = [i for i in found if any(_near(v[i], other) for v in self._values.values())]
            found = np.array(same) if same else found
            for text in (*_beside(place, texts), title):
                scores = np.array([self._longest_shared_word(i, text) for i in found])
                found = found[scores == scores.max()] if scores.max() > 0 else found
        return int(found[0]) if len(found) == 1 else None

    def _named(self, found: np.ndarray, place: np.ndarray, texts: list[dict[float, str]],
               title: str) -> int | None:  # fmt: skip
        """The one row that has the ticks' labels as words, and the title."""
        named = _beside(place, texts)
        found = np.array(
            [i for i in found if all(_plain(text) in self._words[i] for text in named)]
        )
        return self._only(found, place, np.nan, [], title) if named else None

    def _longest_shared_word(self, row: int, text: str) -> int:
        """Letters of the row's longest word in the text."""
        return max((len(w) for w in self._words[row] if w in _plain(text)), default=0)


def _beside(place: np.ndarray, texts: list[dict[float, str]]) -> list[str]:
    """The labels of the ticks that a point stands at."""
    found = []
    for at, named in zip(place, texts, strict=False):
        nearest = min(named, key=lambda tick: abs(tick - at), default=None)
        if nearest is not None and abs(nearest - at) <= 0.5 and not _numeric(named[nearest]):
            found.append(named[nearest])
    return [text for text in found if text]


def _near(a: float, b: float) -> bool:
    return abs(a - b) <= _CLOSE * max(abs(b), 1e-300)
