# SPDX-License-Identifier: Apache-2.0
"""Reads a spec as the driver does: docs/spec.md, "Extends"."""

import json
from pathlib import Path


def resolved(path: Path) -> dict:
    """Returns the spec at `path` with the keys that it extends, as recorded beside its rows."""
    own = json.loads(path.read_text(encoding="utf-8"))
    if "extends" not in own:
        return own
    parent = resolved(path.parent / own.pop("extends"))
    merged = {
        key: parent[key] | own[key] for key in ("base", "cases") if key in parent and key in own
    }
    return parent | own | merged
