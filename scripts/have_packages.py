# SPDX-License-Identifier: Apache-2.0
"""Says whether this Python has the packages that a requirements file asks for, by range.

    have_packages.py requirements/drawing.txt

Prints one line: what is here, or (exit code 1) what is missing or has another version.
"""

import re
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path


def numbers(text: str) -> tuple[int, ...]:
    """ "1.26.4+ds" -> (1, 26, 4)"""
    return tuple(int(part) for part in re.match(r"\d+(?:\.\d+)*", text).group().split("."))


def requirements(path: Path) -> list[str]:
    """Its lines, and those of the files that it includes by -r; comments are left out."""
    lines = []
    for line in path.read_text(encoding="utf-8").splitlines():
        line = line.partition("#")[0].strip()
        if line.startswith("-r "):
            lines += requirements(path.parent / line[3:].strip())
        elif line:
            lines.append(line)
    return lines


def satisfies(found: str, limits: str) -> bool:
    """Returns whether a version is within ">=1.24,<3" or "==2.1"."""
    for limit in filter(None, limits.split(",")):
        sign, bound = re.fullmatch(r"(>=|<|==)([\d.]+)", limit).groups()
        here, there = numbers(found), numbers(bound)
        width = max(len(here), len(there))
        here, there = (v + (0,) * (width - len(v)) for v in (here, there))
        if not {">=": here >= there, "<": here < there, "==": here == there}[sign]:
            return False
    return True


def main() -> int:
    here, missing = [], []
    for line in requirements(Path(sys.argv[1])):
        name, limits = re.fullmatch(r"([\w-]+)(.*)", line).groups()
        try:
            found = version(name)
        except PackageNotFoundError:
            missing.append(line)
            continue
        if satisfies(found, limits):
            here.append(f"{name} {found}")
        else:
            missing.append(f"{line} (here: {found})")
    print(", ".join(missing or here))
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
