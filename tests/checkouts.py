# SPDX-License-Identifier: Apache-2.0
"""git, for tests that make a checkout or ask about ours."""

import subprocess
from pathlib import Path


def git(folder: Path, *words: str) -> str:
    """What `git WORDS` prints there. Throws where it fails."""
    who = ["-c", "user.name=n", "-c", "user.email=n@example.org"]
    command = ["git", "-C", str(folder), *who, *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def commit(folder: Path, what: str = ".") -> str:
    """Commits `what` in a checkout that is made where there is none, and returns the hash."""
    git(folder, "init", "-q")
    git(folder, "add", "-A", what)
    git(folder, "commit", "-q", "-m", "m")
    return git(folder, "rev-parse", "HEAD")
