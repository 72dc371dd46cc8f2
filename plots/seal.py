# SPDX-License-Identifier: Apache-2.0
"""Seals of rows: docs/rows.md defines them, harness/record/seal.cpp writes them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from .files import ResultsError

COLUMN = "seal"
DIGITS = 16
SEALED_FORMAT = 3  # the first format of results whose rows are sealed
_MEND = (
    "put the file back as it was recorded, or measure again with --fresh, which moves the folder "
    "aside"
)


def says_sealed(environment: dict) -> bool:
    """Returns whether environment.json says that all rows of its folder are sealed."""
    of_format = environment.get("format")
    return environment.get("sealed") is True or (
        isinstance(of_format, int) and of_format >= SEALED_FORMAT
    )


def seal_of(before: bytes, record: bytes) -> bytes:
    """The seal of a record, given without its own seal, last comma and line end, that follows
    another one's seal."""
    return hashlib.sha256(before + b"\n" + record).hexdigest()[:DIGITS].encode()


def first_seal(path: Path, environment: dict, header: bytes) -> bytes:
    """The seal of a table's header, which is given without the column `seal`."""
    table = path.name.split(".")[0]
    return seal_of(f"{table} {environment.get('utc') or ''}".encode(), header)


def records(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The complete records of a CSV without their line ends, each with the number of its first
    line. A record ends at a line end that an even number of quotation marks precedes."""
    open_record: list[bytes] = []
    for number, line in enumerate(data.split(b"\n")[:-1], start=1):
        if open_record or line.count(b'"') % 2:
            if line.count(b'"') % 2 and open_record:
                open_record.append(line)
                yield number + 1 - len(open_record), b"\n".join(open_record)
                open_record = []
            else:
                open_record.append(line)
        else:
            yield number, line


def require_seals(data: bytes, path: Path, environment: dict) -> bool:
    """Throws ResultsError, which names the file and the line, where a row of a table does not
    follow from the one before it, and where the folder's environment.json says that rows are
    sealed and these are not. Returns False for a table without seals, which an older version
    wrote."""
    rows = records(data)
    _, header = next(rows, (1, b""))
    if not header:
        return True
    name, column = header.rpartition(b",")[::2]
    if column != COLUMN.encode():
        if not says_sealed(environment):
            return False
        raise ResultsError(
            f"{path}:1: has no last column {COLUMN}, and environment.json beside it says that its "
            f"rows are sealed: something else has changed the file; {_MEND}"
        )
    seal, first = first_seal(path, environment, name), True
    for number, record in rows:
        seal = hashlib.sha256(seal + b"\n" + record[: -DIGITS - 1]).hexdigest()[:DIGITS].encode()
        if record[-DIGITS - 1 :] != b"," + seal:
            before = "the header and environment.json" if first else "the row before it"
            raise ResultsError(
                f"{path}:{number}: by its seal, this row does not follow from {before}: something "
                f"else has changed a row, taken one out, or put one in; {_MEND}"
            )
        first = False
    return True
