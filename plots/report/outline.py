# SPDX-License-Identifier: Apache-2.0
"""Outlines of SVG in few letters: `d` of a path as numbers, and written again by small steps."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

_TOKEN = re.compile(r"[A-Za-z]|-?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?")
_PAIRS = {"M": 1, "L": 1, "Q": 2, "C": 3, "Z": 0}  # of numbers that follow a command
_SAME = 0.06  # of a unit, as far as numbers of two decimals differ


@dataclass(frozen=True)
class Box:
    left: float
    top: float
    right: float
    bottom: float

    def grown(self, by: float) -> Box:
        return Box(self.left - by, self.top - by, self.right + by, self.bottom + by)

    def at(self, x: float, y: float) -> Box:
        return Box(self.left + x, self.top + y, self.right + x, self.bottom + y)

    def with_(self, other: Box) -> Box:
        return Box(min(self.left, other.left), min(self.top, other.top),
                   max(self.right, other.right), max(self.bottom, other.bottom))  # fmt: skip

    def meets(self, other: Box) -> bool:
        return (self.left < other.right and other.left < self.right
                and self.top < other.bottom and other.top < self.bottom)  # fmt: skip

    def within(self, other: Box) -> bool:
        return (self.left >= other.left and self.right <= other.right
                and self.top >= other.top and self.bottom <= other.bottom)  # fmt: skip


Step = tuple[str, tuple[float, ...]]  # a command, its numbers, all absolute: ("L", (1.5, 2.0))


def steps(d: str) -> list[Step]:
    """Reads an outline with absolute commands, as matplotlib writes it."""
    found: list[Step] = []
    tokens = _TOKEN.findall(d)
    at = 0
    while at < len(tokens):
        name = tokens[at].upper()
        count = 2 * _PAIRS[name]
        found.append((name, tuple(map(float, tokens[at + 1 : at + 1 + count]))))
        at += 1 + count
    return found


def box(outline: list[Step]) -> Box:
    """Bounds the points that it names, and so any curve that is drawn."""
    x = [number for _, numbers in outline for number in numbers[::2]]
    y = [number for _, numbers in outline for number in numbers[1::2]]
    return Box(min(x), min(y), max(x), max(y))


def moved(outline: list[Step], x: float, y: float) -> list[Step]:
    return [
        (name, tuple(n + (x, y)[k % 2] for k, n in enumerate(numbers))) for name, numbers in outline
    ]


def written(outline: list[Step], decimals: int = 1) -> str:
    """Relative steps between rounded places, so that no error adds up: "m12.5 3h4v-1.5z"."""
    unit = 10**decimals
    text, last, current, start = "", "", (0, 0), (0, 0)

    def write(command: str, numbers: list[int]) -> None:
        nonlocal text, last
        words = [_word(number, decimals) for number in numbers]
        # A move that continues is a line, and a repeated command can be left out.
        implied = {"m": "l"}.get(last, last)
        head = "" if command == implied and numbers else command
        for word in words:
            glued = head or word[0] == "-" or (word[0] == "." and "." in _tail(text))
            text += head + ("" if glued else " ") + word
            head = ""
        text += head
        last = command

    for name, numbers in outline:
        places = [round(number * unit) for number in numbers]
        if name == "Z":
            write("z", [])
            current = start
            continue
        shifted = [place - current[k % 2] for k, place in enumerate(places)]
        if name == "L" and shifted[1] == 0:
            write("h", shifted[:1])
        elif name == "L" and shifted[0] == 0:
            write("v", shifted[1:])
        else:
            write(name.lower(), shifted)
        current = (places[-2], places[-1])
        if name == "M":
            start = current
    return text


def _word(places: int, decimals: int) -> str:
    text = f"{places / 10**decimals:.{decimals}f}".rstrip("0").rstrip(".") if decimals else ""
    return re.sub(r"^(-?)0(?=\.)", r"\1", text or str(places)) or "0"


def _tail(text: str) -> str:
    """The last number of it."""
    return re.search(r"[^ a-z-]*$", text)[0]


def repeated(outline: list[Step], width: float, height: float
             ) -> tuple[list[Step], float, float]:  # fmt: skip
    """Returns the smallest tile that gives the same plane, with its width and height."""
    shapes: list[list[Step]] = []  # those that differ, each moved to where it begins
    places = set()  # of each shape, within the tile
    for part in _parts(outline):
        x, y = part[0][1]
        shape = moved(part, -x, -y)
        kind = next((k for k, known in enumerate(shapes) if _equal(known, shape)), len(shapes))
        if kind == len(shapes):
            shapes.append(shape)
        places.add((kind, _hundredths(x, width), _hundredths(y, height)))

    def period(length: float, along: int) -> float:
        for parts in range(int(length), 1, -1):
            step = (round(100 * length / parts), 0)[:: 1 if along == 0 else -1]
            if all(
                (kind, (x + step[0]) % round(100 * width), (y + step[1]) % round(100 * height))
                in places
                for kind, x, y in places
            ):
                return length / parts
        return length

    wide, tall = period(width, 0), period(height, 1)
    if (wide, tall) == (width, height):
        return outline, width, height
    tile, kept = Box(0, 0, wide, tall), set()
    for kind, x, y in places:
        extent = box(shapes[kind]).grown(1)
        for left in _whole(x / 100 % wide, wide, extent.left, extent.right):
            for top in _whole(y / 100 % tall, tall, extent.top, extent.bottom):
                if extent.at(left, top).meets(tile):
                    kept.add((kind, left, top))
    return [s for kind, x, y in sorted(kept) for s in moved(shapes[kind], x, y)], wide, tall


def _whole(first: float, step: float, low: float, high: float) -> list[float]:
    """first + k step, as far as something that reaches from low to high there meets 0 to step."""
    begin, end = math.floor((-first - high) / step), math.ceil((step - first - low) / step)
    return [round(first + k * step, 2) for k in range(begin, end + 1)]


def _hundredths(place: float, period: float) -> int:
    return round(100 * place) % round(100 * period)


def _parts(outline: list[Step]) -> list[list[Step]]:
    found: list[list[Step]] = []
    for step in outline:
        if step[0] == "M":
            found.append([])
        found[-1].append(step)
    return found


def _equal(one: list[Step], other: list[Step]) -> bool:
    return len(one) == len(other) and all(
        a[0] == b[0]
        and all(math.isclose(*pair, abs_tol=_SAME) for pair in zip(a[1], b[1], strict=True))
        for a, b in zip(one, other, strict=True)
    )
