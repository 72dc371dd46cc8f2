# SPDX-License-Identifier: Apache-2.0
"""The options of the programs that draw: formats, width, style, and what stands in an image."""

from __future__ import annotations

import argparse
from pathlib import Path

from .drawing import FORMATS, Output


def add_look(parser: argparse.ArgumentParser, formats: tuple[str, ...]) -> None:
    """Adds the options on images, which `style.use` and `output_of` read; `formats` are those that
    are written where none is named."""
    parser.add_argument(
        "--format",
        type=_formats,
        default=formats,
        metavar="LIST",
        help=f"of {', '.join(FORMATS)}, or none (default: {','.join(formats)})",
    )
    parser.add_argument(
        "--width", type=_inches, metavar="INCHES", help="of each image, as a paper's column has it"
    )
    parser.add_argument(
        "--style",
        type=Path,
        metavar="FILE",
        help="a style file of matplotlib, whose settings take precedence over ours",
    )
    parser.add_argument("--no-title", action="store_true", help="no title in the image")
    parser.add_argument(
        "--no-footer",
        action="store_true",
        help="no line on statistic, machines and graphs in the image; the caption has it",
    )


def output_of(options: argparse.Namespace) -> Output:
    """How drawings become files, by the options of `add_look`."""
    return Output(options.format, title=not options.no_title, footer=not options.no_footer)


def _inches(text: str) -> float:
    try:
        inches = float(text)
    except ValueError:
        inches = 0.0
    if not 1 <= inches <= 50:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of inches from 1 to 50")
    return inches


def _formats(text: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(text.split(","))) if text != "none" else ()
    for name in names:
        if name not in FORMATS:
            raise argparse.ArgumentTypeError(f"{name!r} is none of {', '.join(FORMATS)}")
    return names
