# SPDX-License-Identifier: Apache-2.0
"""Every source file says its licence, in a line that programs read: names those that do not.

scripts/spdx.py          exit code 1 if a file lacks the line
scripts/spdx.py --fix    adds it, first in the file or after its `#!` line
"""

import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LINE = "SPDX-License-Identifier: Apache-2.0"
COLUMNS = [f"{table}_columns.def" for table in ("run", "level", "measure", "graph")]
COMMENTS = {
    "//": {".cpp", ".hpp", ".cu", ".cuh", ".cpp.in", ".cu.in", *COLUMNS},
    "#": {
        ".py",
        ".sh",
        ".cmake",
        ".sbatch",
        ".yml",
        "CMakeLists.txt",
        "Makefile",
        "Dockerfile",
        "run",
    },
}
FOLDERS = [
    ".ci", ".github", "cmake", "containers", "datasets", "examples", "harness", "kernels", "plots",
    "scripts", "tests",
]  # fmt: skip


def comment_of(path: Path) -> str:
    """How a comment begins in this file; empty for files that carry no licence line."""
    for sign, kinds in COMMENTS.items():
        if path.name in kinds or "".join(path.suffixes[-2:]) in kinds or path.suffix in kinds:
            return sign
    return ""


def sources(root: Path) -> Iterator[Path]:
    yield from (path for path in root.iterdir() if path.is_file() and comment_of(path))
    for folder in FOLDERS:
        for path in (root / folder).rglob("*"):
            if path.is_file() and comment_of(path) and "corpus" not in path.parts:
                yield path


def has_line(text: str) -> bool:
    return any(LINE in line for line in text.splitlines()[:3])


def lacking(root: Path) -> list[Path]:
    return sorted(path for path in sources(root) if not has_line(path.read_text(encoding="utf-8")))


def with_line(text: str, sign: str) -> str:
    first, end, rest = text.partition("\n")
    if first.startswith("#!"):
        return f"{first}{end}{sign} {LINE}\n{rest}"
    return f"{sign} {LINE}\n{text}"


def main() -> int:
    files = lacking(ROOT)
    if "--fix" in sys.argv[1:]:
        for path in files:
            text = with_line(path.read_text(encoding="utf-8"), comment_of(path))
            path.write_text(text, encoding="utf-8")
        print(f"spdx: {len(files)} files changed")
        return 0
    for path in files:
        print(f"spdx: {path.relative_to(ROOT)} has no line `{LINE}`; scripts/spdx.py --fix adds it")
    return 1 if files else 0


if __name__ == "__main__":
    sys.exit(main())
