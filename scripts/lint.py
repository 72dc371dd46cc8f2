# SPDX-License-Identifier: Apache-2.0
"""Formatting, clang-tidy and ruff over our own sources; --fix formats in place instead.

A translation unit that clang-tidy has passed is not checked again until it, a header of ours that
it includes, its compile command, .clang-tidy or clang-tidy itself changes (build/lint-cache).
"""

import argparse
import collections
import concurrent.futures
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

import spdx

ROOT = Path(__file__).resolve().parent.parent
FLOORS = ["datasets", "kernels", "harness", "tests", "examples"]
PYTHON = ["plots", "scripts", "tests"]
ABOUT = re.compile(r":\d+:\d+: (error|warning):")
INCLUDE = re.compile(rb'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


def cpp_files() -> list[Path]:
    endings = {".cpp", ".hpp", ".cu", ".cuh"}
    return sorted(
        path
        for floor in FLOORS
        for path in (ROOT / floor).rglob("*")
        if path.suffix in endings and path.is_file()
    )


def licensed() -> bool:
    """Every source names its licence."""
    lacking = spdx.lacking(ROOT)
    print(f"licence lines: {'FAILED' if lacking else 'passed'}", flush=True)
    for path in lacking:
        print(f"{path.relative_to(ROOT)}: no line `{spdx.LINE}`; scripts/spdx.py --fix adds it")
    return not lacking


def run(title: str, command: list) -> bool:
    process = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8")
    passed = process.returncode == 0
    print(f"{title}: {'passed' if passed else 'FAILED'}", flush=True)
    if not passed:
        sys.stdout.write(process.stdout[-20000:] + process.stderr[-20000:])
    return passed


def included(path: Path, seen: set[Path]) -> None:
    """All our files that a file includes, and itself. Includes are from the root, or beside it."""
    if path in seen or not path.is_file():
        return
    seen.add(path)
    for name in INCLUDE.findall(path.read_bytes()):
        for folder in (ROOT, path.parent):
            candidate = (folder / name.decode()).resolve()
            if candidate.is_file():
                included(candidate, seen)
                break


def unit_key(entry: dict, tool: str) -> str:
    seen: set[Path] = set()
    included(Path(entry["file"]), seen)
    total = hashlib.sha256()
    total.update(tool.encode() + (ROOT / ".clang-tidy").read_bytes() + entry["command"].encode())
    for path in sorted(seen):
        total.update(str(path).encode() + path.read_bytes())
    return total.hexdigest()


def lint_folder() -> Path:
    """A folder with only the omp.h of g++: clang has none without libomp, and the folder of g++'s
    own headers would shadow clang's. An attribute that only g++ knows is removed."""
    folder = ROOT / "build/lint-include"
    folder.mkdir(parents=True, exist_ok=True)
    header = subprocess.run(
        ["g++", "-print-file-name=include/omp.h"], capture_output=True, encoding="utf-8"
    ).stdout.strip()
    if header and Path(header).is_file():
        text = re.sub(r"__malloc__ \(omp_free\),\s*", "", Path(header).read_text(encoding="utf-8"))
        (folder / "omp.h").unlink(missing_ok=True)
        (folder / "omp.h").write_text(text, encoding="utf-8")
    return folder


def clang_command(entry: dict, folder: Path) -> list[str]:
    """The compiler's own flags, except what only g++ knows, or warns of, and how it optimises."""
    words = shlex.split(entry["command"])
    words = words[next(i for i, word in enumerate(words) if word.startswith("-")) :]
    kept = []
    skip = False
    for word in words:
        if skip:
            skip = False
        elif word in ("-o", "-MF", "-MT", "-MQ", "-include"):  # the last: g++'s precompiled headers
            skip = True
        elif word not in ("-c", "-MD", "-MMD", "-Werror", "-Winvalid-pch", entry["file"]) and (
            not word.startswith(("-Wno-", "-O"))
        ):
            kept.append(word)
    return [*kept, "-isystem", str(folder)]


def own_names(source: Path) -> set[str]:
    """Returns the names that a source declares for itself at its outermost level, as far as a line
    shows; a function with its parameters, since another source may use such a name, too."""
    names = set()
    for line in source.read_text(encoding="utf-8", errors="replace").splitlines():
        line = re.sub(r"^\[\[\w+\]\] ", "", line)
        if line[:1].isalpha() and not line.startswith(("namespace", "using")):
            head = re.split(r"[{=;\[]| final\b| : ", line)[0].rstrip()
            names.update(re.findall(r"(?<![\w:])(?!TEST|const$)\w+(?:\(.*)?$", head))
    return names


def batches(entries: list[dict], folder: Path) -> list[list[dict]]:
    """Sources of the same flags, up to sixteen together, no two of which use a name for things of
    their own."""
    alike = collections.defaultdict(list)  # of pairs: the batch and its names
    for entry in entries:
        key = tuple(clang_command(entry, folder))
        names = own_names(Path(entry["file"]))
        for batch, taken in alike[key]:
            if len(batch) < 16 and not names & taken:
                batch.append(entry)
                taken |= names
                break
        else:
            alike[key].append(([entry], names))
    return [batch for group in alike.values() for batch, _ in group]


def tidy_output(batch: list[dict], folder: Path) -> str:
    """Returns clang-tidy's findings on sources that are read as one; empty if there are none."""
    tool = ["clang-tidy", "--quiet", "--warnings-as-errors=*", f"--config-file={ROOT}/.clang-tidy"]
    with tempfile.TemporaryDirectory() as scratch:
        source = batch[0]["file"]
        if len(batch) > 1:
            source = f"{scratch}/together.cpp"
            lines = [f'#include "{entry["file"]}"\n' for entry in batch]
            Path(source).write_text("".join(lines), encoding="utf-8")
            tool.append("--checks=-bugprone-suspicious-include")
        process = subprocess.run(
            [*tool, source, "--", *clang_command(batch[0], folder)],
            cwd=batch[0]["directory"],
            capture_output=True,
            encoding="utf-8",
        )
    if process.returncode == 0:
        return ""
    return process.stdout + process.stderr or f"clang-tidy ended with {process.returncode}"


def sources_apart(entry: dict) -> list[dict]:
    """The sources of an entry that compiles several as one; else the entry itself."""
    if "/Unity/unity_" not in entry["file"]:
        return [entry]
    together = Path(entry["file"]).read_bytes()
    names = [name.decode() for name in INCLUDE.findall(together)]
    return [
        {**entry, "file": name, "command": entry["command"].replace(entry["file"], name)}
        for name in names
    ]


def tidy(build: Path, jobs: int) -> bool:
    entries = [
        entry
        for listed in json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
        for entry in sources_apart(listed)
        if Path(entry["file"]).suffix == ".cpp"
        and Path(entry["file"]).is_relative_to(ROOT)
        and Path(entry["file"]).relative_to(ROOT).parts[0] in FLOORS
    ]
    # A source of two programs is checked once.
    entries = list({entry["file"]: entry for entry in entries}.values())
    version = subprocess.run(
        ["clang-tidy", "--version"], capture_output=True, encoding="utf-8"
    ).stdout
    cache = ROOT / "build/lint-cache"
    cache.mkdir(parents=True, exist_ok=True)
    folder = lint_folder()

    marks = {entry["file"]: cache / unit_key(entry, version) for entry in entries}
    work = batches([entry for entry in entries if not marks[entry["file"]].exists()], folder)

    def clean(batch: list[dict]) -> list[tuple[str, str]]:
        """Those with findings. Sources that are read as one are read several times faster, since
        most of a source is the headers that it includes; if that finds anything (or if names
        collide), those that it is about are read by themselves."""
        findings = tidy_output(batch, folder)
        if findings and len(batch) > 1:
            about = {line.split(":")[0] for line in findings.splitlines() if ABOUT.search(line)}
            alone = [entry for entry in batch if entry["file"] in about]
            rest = [entry for entry in batch if entry["file"] not in about]
            if not alone or len(alone) > len(rest):
                alone, rest = batch, []
            found = clean(rest) if rest else []
            return found + [each for entry in alone for each in clean([entry])]
        if findings:
            return [(str(Path(batch[0]["file"]).relative_to(ROOT)), findings)]
        for entry in batch:
            marks[entry["file"]].touch()
        return []

    failed = 0
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for found in pool.map(clean, work):
            for name, output in found:
                failed += 1
                print(f"clang-tidy: {name}\n{output}", flush=True)
    print(f"clang-tidy: {'FAILED' if failed else 'passed'} ({len(entries)} sources, {failed} bad)")
    return failed == 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fix", action="store_true", help="format in place")
    parser.add_argument("--build", type=Path, default=ROOT / "build/release")
    parser.add_argument("--jobs", type=int, default=int(os.environ.get("JOBS") or os.cpu_count()))
    options = parser.parse_args()
    ruff = [sys.executable, "-m", "ruff"]
    python = [folder for folder in PYTHON if (ROOT / folder).is_dir()]
    if options.fix:
        run("clang-format", ["clang-format", "-i", *cpp_files()])
        run("ruff format", [*ruff, "format", "-q", *python])
        return 0
    checks = [
        run("clang-format", ["clang-format", "--dry-run", "-Werror", *cpp_files()]),
        licensed(),
        run("ruff check", [*ruff, "check", *python]),
        run("ruff format", [*ruff, "format", "--check", *python]),
        tidy(options.build, options.jobs),
    ]
    print(f"{sum(checks)} passed, {len(checks) - sum(checks)} failed, 0 skipped")
    return 0 if all(checks) else 1


if __name__ == "__main__":
    sys.exit(main())
