# SPDX-License-Identifier: Apache-2.0
"""Gives rows that a test has made or changed the seals that the program would have written."""

import json
from pathlib import Path

from plots.seal import first_seal, records, seal_of

TABLES = ("runs", "levels", "measures", "graphs")


def sealed(data: bytes, path: Path, environment: dict) -> bytes:
    """A table of complete records without seals, with them."""
    lines = records(data)
    _, header = next(lines)
    seal = first_seal(path, environment, header)
    out = [header + b",seal"]
    for _, record in lines:
        seal = seal_of(seal, record)
        out.append(record + b"," + seal)
    return b"\n".join([*out, b""])


def unsealed(data: bytes) -> bytes:
    """A sealed table without its seals."""
    return b"\n".join([*(record.rpartition(b",")[0] for _, record in records(data)), b""])


def seal_tables(folder: Path) -> None:
    """Gives the rows of a folder new seals, as a forger would who has changed them."""
    environment = json.loads((folder / "environment.json").read_text())
    for table in TABLES:
        path = folder / f"{table}.csv"
        if path.exists():
            data = path.read_bytes()
            is_sealed = data.split(b"\n", 1)[0].endswith(b",seal")
            path.write_bytes(sealed(unsealed(data) if is_sealed else data, path, environment))


def unseal_tables(folder: Path) -> None:
    """Makes a folder one of format 2, whose rows have no seals."""
    path = folder / "environment.json"
    environment = json.loads(path.read_text())
    environment.pop("sealed", None)
    path.write_text(json.dumps(environment | {"format": 2}))
    for table in TABLES:
        path = folder / f"{table}.csv"
        path.write_bytes(unsealed(path.read_bytes()))
