# SPDX-License-Identifier: Apache-2.0
"""The first steps of the programs of this package."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path

# By the name that it is imported by, the name that pip knows it by.
PACKAGES = {
    "numpy": "numpy",
    "pandas": "pandas",
    "matplotlib": "matplotlib",
    "PIL": "pillow",
    "jinja2": "jinja2",
}


def is_program() -> bool:
    """Returns whether Python runs a program of this package, and does not import it. Python has -m
    as the program's name while it looks for the module of `python -m plots`."""
    return bool(sys.argv) and Path(sys.argv[0]).name in ("-m", "bfslab-plots")


def prepare() -> None:
    """Ends the program with one message (exit code 2) where packages are missing. Makes it print
    UTF-8 in any locale, paths with other bytes as they are. Keeps matplotlib from reading the
    user's settings, which may be such that it cannot be imported."""
    missing = [pip for name, pip in PACKAGES.items() if find_spec(name) is None]
    if missing:
        python = sys.executable or "python3"
        print(
            f"plots: {python} has no Python package {', '.join(missing)}; install what is missing "
            f"(`{python} -m pip install {' '.join(missing)}`), or run another Python: "
            "`PYTHON=FILE bfslab-plots`",
            file=sys.stderr,
        )
        sys.exit(2)
    os.environ |= {"MATPLOTLIBRC": os.devnull, "MPLBACKEND": "agg"}
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="surrogateescape")
