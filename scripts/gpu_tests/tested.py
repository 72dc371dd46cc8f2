# SPDX-License-Identifier: Apache-2.0
"""The kernels that are tested, and the machine that they run on."""

import hashlib
import os
import re
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


class CannotRun(Exception):
    """Something that a complete run needs is missing."""


def output_of(*command) -> str:
    """Returns what a program prints; an empty text if it is missing or fails."""
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def tree_hash(folder: Path) -> str:
    """Returns git's hash of a folder, computed from the files that are there."""

    def object_hash(kind: str, body: bytes) -> bytes:
        return hashlib.sha1(f"{kind} {len(body)}\0".encode() + body).digest()

    entries = []
    for path in folder.iterdir():
        name = path.name.encode()
        if path.is_dir():
            entries.append((name + b"/", b"40000 " + name + b"\0" + bytes.fromhex(tree_hash(path))))
        else:
            mode = b"100755 " if os.access(path, os.X_OK) else b"100644 "
            blob = object_hash("blob", path.read_bytes())
            entries.append((name, mode + name + b"\0" + blob))
    return object_hash("tree", b"".join(entry for _, entry in sorted(entries))).hex()


def kernels_hash() -> str:
    """Returns the hash of kernels/, from KERNELS_HASH or git. Raises CannotRun if it is unknown."""
    given = os.environ.get("KERNELS_HASH", "")
    if given and not re.fullmatch(r"[0-9a-f]{40,64}", given):
        raise CannotRun(f"KERNELS_HASH={given}: expected what `git rev-parse HEAD:kernels` prints")
    here = tree_hash(ROOT / "kernels")
    if given:
        if given != here:
            print(f"gpu-test: KERNELS_HASH is {given}, but the files of kernels/ here are {here}")
        return given
    committed = output_of("git", "rev-parse", "HEAD:kernels")
    if not committed:
        raise CannotRun(
            "no git here, and no KERNELS_HASH: give what `git rev-parse HEAD:kernels` prints"
        )
    changes = output_of("git", "status", "--porcelain", "--", "kernels")
    if changes:
        raise CannotRun(
            f"kernels/ differs from the commit, and no KERNELS_HASH was given:\n{changes}\n"
            "commit first, so that the record states what was tested"
        )
    return committed


def cached(build: Path, name: str) -> str:
    """Returns the value of a variable in the build folder's CMake cache; empty if it has none."""
    cache = build / "CMakeCache.txt"
    text = cache.read_text(encoding="utf-8") if cache.exists() else ""
    found = re.search(rf"^{name}:[A-Z]+=(.*)$", text, re.MULTILINE)
    return found.group(1) if found else ""


def toolkit_program(build: Path, name: str) -> str | None:
    """Finds a program of the CUDA toolkit, in PATH or in the toolkit that the build was made
    with."""
    homes = [os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda"]
    compiler = cached(build, "BFSLAB_NVCC_PROGRAM")
    folders = [str(Path(compiler).parent)] if compiler else []
    folders += [f"{home}/bin" for home in homes if home]
    folders += [f"{home}/compute-sanitizer" for home in homes if home]
    return shutil.which(name) or shutil.which(name, path=os.pathsep.join(folders))


def machine_facts(build: Path) -> dict[str, str]:
    """Returns what the record states about the device, its software and the build."""

    def ask(query: str) -> str:
        command = ["nvidia-smi", f"--query-gpu={query}", "--format=csv,noheader"]
        return ", ".join(sorted(set(output_of(*command).splitlines())))

    found = re.search(
        r"release ([\d.]+)", output_of(toolkit_program(build, "nvcc") or "nvcc", "--version")
    )
    commit = os.environ.get("COMMIT") or output_of("git", "rev-parse", "HEAD")
    return {
        "device": ask("name"),
        "compute_capability": ask("compute_cap"),
        "driver": ask("driver_version"),
        "cuda": found.group(1) if found else "",
        "architectures": cached(build, "BFSLAB_CUDA_ARCHITECTURES").replace(";", ","),
        "commit": commit or "unknown",
    }
