# SPDX-License-Identifier: Apache-2.0
"""A figure as an SVG element that stands in a page beside others, and is small."""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape
from itertools import groupby
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import matplotlib
from matplotlib.collections import PathCollection
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox

from ..report import outline
from ..report.outline import Box
from ..style import lay_out

_MANY_MARKS = 800  # beyond these, marks weigh less as pixels
_DPI = 150  # of such pixels
_PAD_IN = 0.06  # a reader's fonts are a little wider than ours
_HREF = "{http://www.w3.org/1999/xlink}href"
_FONT = "font-family:'DejaVu Sans'"  # page.css has it


def tight_box(figure: Figure) -> Bbox:
    """Returns the drawn area, in inches; the layout is final afterwards."""
    lay_out(figure)
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
    """From matplotlib's file to its element, in tenths of a point.

    What is drawn alike becomes one path, where nothing that lies between is covered: lines, bars,
    and marks, which are the markers at its corners. What lies within its clipping needs none.
    Definitions are handed out: their ids are hashes of what they are, so that pages with many
    figures need each of them once."""
    root = ElementTree.fromstring(document)
    defined = {e.get("id"): e for e in root.iter() if e.get("id") and _name(e) != "g"}
    shared: dict[str, str] = {}
    items: list[_Item] = []
    for item in _items(root, "", defined, shared):
        _add(items, item)
    for item in items:
        if item.kind == "marks" and len(item.steps) == 1:  # its two ends are one mark
            item.style = item.style.replace("marker:", "marker-start:")
    drawn = "".join(_clipped(clip, list(group)) for clip, group in groupby(items, lambda i: i.clip))
    for name in re.findall(r"url\(#([^)]+)\)", drawn):
        if name not in shared:
            shared[name] = _definition(defined[name])
    width, view = _rounded(root.get("width")).removesuffix("pt"), _rounded(root.get("viewBox"))
    return Picture(f'<svg style="--w:{width}" viewBox="{view}">{drawn}</svg>', shared)


@dataclass
class _Item:
    """Something that is drawn; of a path and of marks the outline, to which others may be added."""

    kind: str  # "path", "marks" or another element's name
    style: str
    clip: str = ""
    markup: str = ""  # of what is no outline
    steps: list[outline.Step] = field(default_factory=list)
    boxes: list[Box] = field(default_factory=list)  # of each part, with its pen
    whole: Box | None = None  # around all of them

    @property
    def joins(self) -> bool:
        """Returns whether it may be one with what is drawn alike: what shines through may not."""
        return bool(self.steps) and (self.kind == "marks" or "opacity" not in self.style)

    def add(self, other: _Item) -> None:
        self.steps += other.steps
        self.boxes += other.boxes
        self.whole = self.whole.with_(other.whole)

    def meets(self, other: _Item) -> bool:
        return bool(
            self.whole
            and self.whole.meets(other.whole)
            and any(one.meets(other.whole) for one in self.boxes)
        )

    def __post_init__(self) -> None:
        self.whole = self.boxes[0] if self.boxes else None


def _add(items: list[_Item], new: _Item) -> None:
    """At the end, or to what is drawn alike before it, unless that would bring it below something
    which it covers."""
    if new.joins:
        lines = new.kind == "marks" or "fill:none" in new.style
        for old in reversed(items):
            alike = (old.kind, old.style, old.clip) == (new.kind, new.style, new.clip)
            if alike and (lines or not old.meets(new)):
                old.add(new)
                return
            if old.kind == "image" or old.meets(new):
                break
    items.append(new)


def _items(parent: Element, clip: str, defined: dict[str, Element], shared: dict[str, str]
           ) -> Iterator[_Item]:  # fmt: skip
    for element in parent:
        name = _name(element)
        own = _referred(element.get("clip-path", "")) or clip
        if name == "g" and not element.get("transform"):
            yield from _items(element, own, defined, shared)
        elif name == "path" and element.get("d"):
            yield _path(element, own, defined)
        elif name == "use":
            yield _mark(element, own, defined, shared)
        elif name in ("g", "text", "image"):
            style = _style(element) if name == "text" else ""
            yield _Item(name, style, own, _markup(element, without=("style",) if style else ()))


def _path(element: Element, clip: str, defined: dict[str, Element]) -> _Item:
    steps = outline.steps(element.get("d"))
    extent, style = outline.box(steps), _style(element)
    clip = "" if _inside(extent, clip, defined) else clip
    return _Item("path", style, clip, steps=steps, boxes=[extent.grown(_pen(style))])


def _mark(element: Element, clip: str, defined: dict[str, Element], shared: dict[str, str]
          ) -> _Item:  # fmt: skip
    """The mark's own style counts before that of its use."""
    mark = defined[element.get(_HREF)[1:]]
    steps = outline.steps(mark.get("d"))
    own = dict(part.split(":", 1) for e in (element, mark) if e.get("style")
               for part in _style(e).split(";"))  # fmt: skip
    style = ";".join(f"{key}:{value}" for key, value in own.items())
    drawn = f'<path style="{style}" d="{outline.written(steps, 2)}"/>'
    name = f"k{hashlib.sha256(drawn.encode()).hexdigest()[:10]}"
    shared[name] = (
        f'<marker id="{name}" overflow="visible" markerUnits="userSpaceOnUse">{drawn}</marker>'
    )
    x, y = float(element.get("x")), float(element.get("y"))
    extent = outline.box(steps).grown(_pen(style)).at(x, y)
    clip = "" if _inside(extent, clip, defined) else clip
    style = f"fill:none;stroke:none;marker:url(#{name})"
    return _Item("marks", style, clip, steps=[("M", (x, y))], boxes=[extent])


def _inside(extent: Box, clip: str, defined: dict[str, Element]) -> bool:
    """Returns whether nothing is cut off, for which half a pen does not count."""
    shape = defined[clip][0] if clip else None
    if shape is None or _name(shape) != "rect":
        return not clip
    x, y, width, height = (float(shape.get(k)) for k in ("x", "y", "width", "height"))
    return extent.within(Box(x, y, x + width, y + height).grown(0.05))


def _clipped(clip: str, items: list[_Item]) -> str:
    text = "".join(
        _styled(style, list(group)) for style, group in groupby(items, lambda i: i.style)
    )
    return f'<g clip-path="url(#{clip})">{text}</g>' if clip else text


def _styled(style: str, items: list[_Item]) -> str:
    """Neighbours of one style say it once."""
    if len(items) > 1 and style and "opacity" not in style:
        return f'<g style="{style}">{"".join(_written(item) for item in items)}</g>'
    attribute = f' style="{style}"' if style else ""
    return "".join(_written(item, attribute) for item in items)


def _written(item: _Item, style: str = "") -> str:
    if not item.steps:
        return re.sub(r"^<(\w+)", rf"<\1{style}", item.markup)
    steps = item.steps
    if item.kind == "marks":  # corners of one line
        (_, first), *others = steps if len(steps) > 1 else steps * 2
        steps = [("M", first), *(("L", place) for _, place in others)]
    return f'<path{style} d="{outline.written(steps)}"/>'


def _definition(element: Element) -> str:
    """A clipping or a hatch; matplotlib repeats a hatch's dots over an inch, a page the least
    tile."""
    if _name(element) == "pattern":
        path = next(e for e in element if _name(e) == "path")
        width, height = float(element.get("width")), float(element.get("height"))
        steps, wide, tall = outline.repeated(outline.steps(path.get("d")), width, height)
        path.set("d", outline.written(steps, 2))
        element.set("width", f"{wide:g}")
        element.set("height", f"{tall:g}")
    return _markup(element)


def _markup(element: Element, without: tuple[str, ...] = ()) -> str:
    """As it is but for attributes, with shorter numbers; text is kept."""
    name = _name(element)
    attributes = ""
    for key, value in element.items():
        key = key.rpartition("}")[2]
        if key in without:
            continue
        if key == "style":
            value = _style(element)
        elif key == "id" and name in ("g", "image"):
            value = ""
        elif key == "transform":
            value = "" if value.startswith("rotate(-0 ") else _rounded(value)
        elif key in ("x", "y", "width", "height"):
            value = _rounded(value)
        attributes += f' {key}="{escape(value)}"' if value else ""
    inner = "".join(_markup(child) for child in element)
    text = element.text if element.text and element.text.strip() else ""
    if not inner and not text:
        return f"<{name}{attributes}/>"
    return f"<{name}{attributes}>{escape(text, quote=False)}{inner}</{name}>"


def _rounded(text: str) -> str:
    """Numbers in it to a tenth."""
    return re.sub(r"-?\d+\.\d+", lambda m: f"{float(m[0]):.1f}".removesuffix(".0"), text)


def _style(element: Element) -> str:
    style = re.sub(r"\s*([;:])\s*", r"\1", element.get("style", "").strip())
    return ";".join(part for part in style.split(";") if part != _FONT)


def _pen(style: str) -> float:
    """Half the width of its line."""
    if "stroke" not in style or "stroke:none" in style:
        return 0.0
    width = re.search(r"stroke-width:([\d.]+)", style)
    return (float(width[1]) if width else 1.0) / 2


def _referred(url: str) -> str:
    return url.removeprefix("url(#").removesuffix(")")


def _name(element: Element) -> str:
    return element.tag.rpartition("}")[2]
