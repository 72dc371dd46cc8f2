"""Drawing: what a figure module returns, and how it becomes files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure
from PIL import Image

FORMATS = ("png", "svg", "pdf")


@dataclass
class Drawing:
    name: str  # of the files, without ending
    figure: Figure
    numbers: pd.DataFrame  # what is plotted, tidy
    caption: str  # what is compared, by which statistics, and how it deviates from the paper
    markdown: str = ""  # a table as it is displayed


def save(drawing: Drawing, folder: Path, formats: tuple[str, ...]) -> dict[str, Path]:
    """Writes NAME.png, .svg, .csv and so on into `folder`; returns the paths by ending."""
    folder.mkdir(parents=True, exist_ok=True)
    drawing.figure.draw_without_rendering()
    drawing.figure.set_layout_engine("none")  # final: once is enough for all formats
    paths = {}
    for ending in formats:
        path = folder / f"{drawing.name}.{ending}"
        # No date in the file: the same numbers give the same bytes.
        metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(ending)
        drawing.figure.savefig(path, metadata=metadata, bbox_inches="tight", pad_inches=0.03)
        if ending == "png":
            shrink(path)
        paths[ending] = path
    paths["csv"] = folder / f"{drawing.name}.csv"
    drawing.numbers.to_csv(paths["csv"], index=False, lineterminator="\n")
    if drawing.markdown:
        paths["md"] = folder / f"{drawing.name}.md"
        paths["md"].write_text(drawing.markdown)
    return paths


def shrink(png: Path) -> None:
    """To a palette of 256 colours: figures have few apart from the shades of edges and letters, and
    take a third of the bytes."""
    with Image.open(png) as image:
        image.load()
    few = image.convert("RGB").quantize(256, method=Image.Quantize.MAXCOVERAGE,
                                        dither=Image.Dither.NONE)  # fmt: skip
    few.save(png, optimize=True, dpi=image.info.get("dpi", (200, 200)))
