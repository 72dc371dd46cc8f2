# SPDX-License-Identifier: Apache-2.0
"""A figure as an SVG element that stands in a page beside others, and is small."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass, field

import matplotlib
from matplotlib.collections import PathCollection
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox

_MANY_MARKS = 800  # beyond these, marks weigh less as pixels
_DPI = 150  # of such pixels
_PAD_IN = 0.06  # a reader's fonts are a little wider than ours


def tight_box(figure: Figure) -> Bbox:
    """What is drawn, in inches; the layout is final afterwards."""
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    return figure.get_tightbbox().padded(_PAD_IN)


@dataclass
class Picture:
    element: str = ""  # <svg>, without label and role
    shared: dict[str, str] = field(default_factory=dict)  # what it refers to, by id


def picture(figure: Figure, box: Bbox) -> Picture:
    """Texts stay texts, and a scatter of many marks becomes pixels."""
    for axes in figure.axes:
        for artist in axes.collections:
            if isinstance(artist, PathCollection) and len(artist.get_offsets()) > _MANY_MARKS:
                artist.set_rasterized(True)
        for line in axes.lines:
            if line.get_marker() not in ("None", "", None) and len(line.get_xdata()) > _MANY_MARKS:
                line.set_rasterized(True)
    file = io.StringIO()
    with matplotlib.rc_context({"svg.fonttype": "none"}):
        figure.savefig(file, format="svg", bbox_inches=box, dpi=_DPI, metadata={"Date": None})
    return smaller(file.getvalue())


def smaller(document: str) -> Picture:
    """From matplotlib's file to its element, with two decimals, without prologue, metadata and ids
    that nothing refers to. Definitions (hatches take up most of a file) are handed out: their ids
    are hashes of what they are, so that pages with many figures need each of them once."""
    element = document[document.index("<svg") :]
    element = re.sub(r"<(metadata|style)\b.*?</\1>\s*", "", element, flags=re.DOTALL)
    element = re.sub(r"<!--.*?-->\s*", "", element, flags=re.DOTALL)
    element = re.sub(r' width="([\d.]+)pt" height="[\d.]+pt"', r' style="--w:\1"', element, count=1)
    element = re.sub(r"<[^!>]*>", lambda m: _tighter(m[0]), element)
    element = re.sub(r">\s+<", "><", element)
    shared = {}
    for defined in re.findall(r"<defs>(.*?)</defs>", element):
        for one in re.finditer(r"<(clipPath|pattern)\b.*?</\1>|<path\b[^>]*/>", defined):
            shared[re.search(r' id="([^"]+)"', one[0])[1]] = one[0]
    element = re.sub(r"<defs>.*?</defs>|<defs/>", "", element)
    element = re.sub(r' id="[^"]+"', "", element)
    before = None
    while element != before:  # groups around nothing, or around one thing
        before, element = element, re.sub(r"<g>(?:</g>|(<(?:path|use)[^>]*/>)</g>)",
                                          lambda m: m[1] or "", element)  # fmt: skip
    return Picture(element.strip(), shared)


def _tighter(markup: str) -> str:
    if 'href="data:' in markup:
        return markup
    markup = re.sub(r"\s+", " ", markup).replace("xlink:href", "href")
    markup = re.sub(r"(\d\.\d\d)\d+", r"\1", markup)
    markup = re.sub(r"(\.\d)0(?!\d)", r"\1", markup)
    markup = markup.replace("; font-family: 'DejaVu Sans'", "")  # page.css has it
    return markup.replace("; ", ";").replace(": ", ":").replace(' "', '"').replace(" />", "/>")
