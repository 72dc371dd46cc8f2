# SPDX-License-Identifier: Apache-2.0
"""Figures as PGF, which a paper's LaTeX draws in its own fonts. Writing them needs no LaTeX: texts
are measured in matplotlib's font, and LaTeX places each by its anchor."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from unittest.mock import patch

import numpy as np
from matplotlib.backends import backend_pgf
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.figure import Figure
from matplotlib.path import Path as Outline
from matplotlib.transforms import Bbox, IdentityTransform, TransformedPath

from .latex import escaped


class _Renderer(backend_pgf.RendererPgf):
    @cached_property
    def _agg(self) -> RendererAgg:
        return RendererAgg(1, 1, self.dpi)

    def get_text_width_height_descent(self, s, prop, ismath):
        return self._agg.get_text_width_height_descent(s, prop, ismath)

    def draw_text(self, gc, x, y, s, prop, angle, ismath=False, mtext=None):
        # \mathdefault, which matplotlib puts around numbers of an axis, is no command of LaTeX.
        words = s.replace(r"\mathdefault", "") if ismath else escaped(s)
        super().draw_text(gc, x, y, words, prop, angle, ismath, mtext)

    def draw_path(self, gc, path, transform, rgbFace=None):
        """Draws the strokes of a hatch that lie in the path. The method of matplotlib writes those
        of a square inch for each bar, which is megabytes that LaTeX has no memory for."""
        hatch = gc.get_hatch_path()
        plain, nowhere = self._copied(gc), IdentityTransform()
        path = path.transformed(transform)
        page = Bbox([[-1, -1], [width + 1 for width in self.figure.bbox.size]])
        area = path.get_extents()
        if (
            rgbFace is not None
            and np.isfinite(area.get_points()).all()
            and not ((area.min >= page.min).all() and (area.max <= page.max).all())
        ):  # LaTeX has no coordinates for what a bar is beyond the page
            path = path.clip_to_bbox(page)
            area = path.get_extents()
        super().draw_path(plain, path, nowhere, rgbFace)
        if hatch is None or not np.isfinite(area.get_points()).all():  # a bar without a value
            return
        strokes = _strokes(hatch, area, self.dpi)
        if len(strokes.vertices):
            plain.set_clip_path(TransformedPath(path, nowhere))
            plain.set_linewidth(gc.get_hatch_linewidth())
            plain.set_foreground(gc.get_hatch_color())
            super().draw_path(plain, strokes, nowhere)

    def _copied(self, gc):
        """A graphics context as `gc`, without its hatch."""
        copied = self.new_gc()
        copied.copy_properties(gc)
        copied.set_hatch(None)
        return copied


def _strokes(hatch: Outline, area: Bbox, dpi: float) -> Outline:
    """The strokes of a hatch that meet an area, in its coordinates: a hatch fills a square inch,
    and is repeated from the area's lower left corner on."""
    starts = np.flatnonzero(hatch.codes == Outline.MOVETO)
    kept = []
    for right in range(int(area.width / dpi) + 1):
        for up in range(int(area.height / dpi) + 1):
            places = hatch.vertices * dpi + [area.x0 + right * dpi, area.y0 + up * dpi]
            for begin, end in zip(starts, [*starts[1:], len(places)], strict=True):
                low, high = places[begin:end].min(axis=0), places[begin:end].max(axis=0)
                if (low <= area.max).all() and (high >= area.min).all():
                    kept.append(Outline(places[begin:end], hatch.codes[begin:end]))
    return Outline.make_compound_path(*kept)


def write(figure: Figure, path: Path, box: Bbox) -> None:
    """Writes what lies in `box`, in inches."""
    with patch.object(backend_pgf, "RendererPgf", _Renderer):
        figure.savefig(path, bbox_inches=box)
