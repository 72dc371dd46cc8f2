# SPDX-License-Identifier: Apache-2.0
"""Reads files of results, whatever is in them: what is none of bfslab's ends in one message."""

from __future__ import annotations

import gzip
import json
import re
import stat
import zlib
from pathlib import Path
from typing import BinaryIO

PACKED = ".gz"
_BLOCK = 1 << 20
_SMALL = 64 << 20  # bytes that a packed table may always have
_MOST_TIMES = 100  # a table's rows differ: they pack to a twentieth, and not to a hundredth

# By a path in environment.json or spec.json, what stands there if anything does; * is any element.
_TEXT, _COUNT, _FLAG = (str,), (int, float), (bool,)
ENVIRONMENT = {
    "": (dict,), "format": _COUNT, "sealed": _FLAG, "host": _TEXT, "commit": _TEXT, "dirty": _FLAG,
    "build_hash": _TEXT, "environment": _TEXT, "utc": _TEXT, "os": _TEXT, "compiler": _TEXT,
    "arguments": (list,), "arguments.*": _TEXT, "cpu": (dict,), "cpu.model": _TEXT,
    "cpu.signature": _TEXT, "cpu.allowed": _COUNT, "cpu.logical": _COUNT, "gpu": (dict,),
    "gpu.devices": (list,), "gpu.devices.*": (dict, str), "gpu.devices.*.name": _TEXT,
    "gpu.devices.*.uuid": _TEXT, "compiled_for": (dict,), "compiled_for.cpu": _TEXT,
    "compiled_for.target": _TEXT, "left_out": (list,), "left_out.*": _TEXT,
    "slurm_job": _TEXT, "modules": (list,), "modules.*": _TEXT,
    "builds": (list,), "builds.*": (dict,),
    "builds.*.build_hash": _TEXT, "builds.*.commit": _TEXT, "builds.*.dirty": _FLAG,
    "builds.*.plugins": (list,), "builds.*.plugins.*": (dict,),
    "builds.*.plugins.*.file": _TEXT, "builds.*.plugins.*.sha256": _TEXT,
    "builds.*.plugins.*.engines": (list,), "builds.*.plugins.*.engines.*": _TEXT,
    "resumed": (list,), "resumed.*": (dict,), "resumed.*.environment": _TEXT,
    "resumed.*.repeats_before": _COUNT, "resumed.*.slurm_job": _TEXT,
    "resumed.*.modules": (list,), "resumed.*.modules.*": _TEXT,
}  # fmt: skip
SPEC = {
    "": (dict,), "name": _TEXT, "paper": _TEXT, "item": _TEXT, "title": _TEXT, "baseline": _TEXT,
    "graphs": (list,), "graphs.*": (dict, str), "graphs.*.name": _TEXT,
    "graphs.*.stand_in_for": _TEXT, "sources": (dict, list), "sources.count": _COUNT,
    "repeats": (int, dict), "invocations": (int,), "burst": (int,), "caches": _TEXT,
    "base": (dict,), "cases": (dict,), "cases.*": (dict,), "sweep": (dict,), "zip": (dict,),
    "figure": (str, list), "figure.*": _TEXT, "record": (list,), "record.*": _TEXT,
}  # fmt: skip
_NAMES = {str: "a text", int: "a number", bool: "true or false", dict: "an object", list: "a list"}


class ResultsError(Exception):
    """The results cannot be used as they are; the message says what, where and how to mend it."""


def opened(path: Path) -> BinaryIO:
    """A regular file for reading. Throws ResultsError for a pipe, a device and the like, which may
    never end."""
    if not stat.S_ISREG(path.stat().st_mode):
        raise ResultsError(f"{path}: is no regular file; put a file of `bfslab run` in its place")
    return path.open("rb")


def unpacked(path: Path) -> bytes:
    """Reads a table's file, which `bfslab pack` may have packed. Throws ResultsError where a
    packed file is cut off or damaged, or where its bytes are none of a table. Those are refused
    before they fill the memory."""
    packed = path.name.endswith(PACKED)
    parts = []
    with opened(path) as file:
        most = max(_SMALL, _MOST_TIMES * path.stat().st_size)
        size = 0
        try:
            stream = gzip.GzipFile(fileobj=file) if packed else file
            while part := stream.read(_BLOCK):
                size += len(part)
                if packed and (b"\0" in part or size > most):
                    what = "NUL bytes" if b"\0" in part else f"more than {most >> 20} MiB"
                    raise ResultsError(
                        f"{path}: has {what}, and is no table; copy it again from where its rows "
                        "are whole"
                    )
                parts.append(part)
            if packed and not size:
                raise EOFError("it is empty")
        except (EOFError, OSError, zlib.error) as error:
            if not packed:
                raise
            raise ResultsError(
                f"{path}: cut off or damaged ({error}); copy it again from where its rows are whole"
            ) from error
    return b"".join(parts)


def without_formula(cell: object) -> object:
    """A cell of a CSV that people open in a spreadsheet, which would run a name as a formula: such
    a text gets an apostrophe before it, as OWASP advises. Numbers stay.

    >>> without_formula("=1+2"), without_formula("-5"), without_formula("a=b")
    ("'=1+2", '-5', 'a=b')
    """
    if not isinstance(cell, str) or not cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n")):
        return cell
    try:
        float(cell)
    except ValueError:
        return f"'{cell}"
    return cell


def read_json(path: Path, shape: dict[str, tuple]) -> dict:
    """An object of `shape`, as ENVIRONMENT and SPEC are; an empty one where there is no file.
    Throws ResultsError where something else stands there."""
    if not path.exists():
        return {}
    with opened(path) as file:
        data = file.read()
    try:
        value = json.loads(data.decode("utf-8"))
    except RecursionError:
        raise ResultsError(f"{path}: not JSON of bfslab (its brackets are too deep)") from None
    except ValueError as error:
        raise ResultsError(f"{path}: not JSON ({error})") from error
    for key, kinds in shape.items():
        for at, found in _at(value, key):
            if found is not None and (type(found) not in kinds):
                expected = " or ".join(dict.fromkeys(_NAMES.get(k, "a number") for k in kinds))
                shown = re.sub(r"(?s)^(.{40}).+", r"\1...", json.dumps(found))
                raise ResultsError(
                    f"{path}: {f'at `{at}`: ' if at else ''}found {shown}, expected {expected}; "
                    "something else has changed the file"
                )
    return value


def _at(value: object, key: str, at: str = "") -> list[tuple[str, object]]:
    """All places that a key of a shape names, with what stands there."""
    if not key:
        return [(at, value)]
    name, _, rest = key.partition(".")
    if name != "*":
        inside = {name: value[name]} if isinstance(value, dict) and name in value else {}
    elif isinstance(value, dict):
        inside = value
    else:
        inside = dict(enumerate(value)) if isinstance(value, list) else {}
    dot = "." if at else ""
    return [found for k, v in inside.items() for found in _at(v, rest, f"{at}{dot}{k}")]
