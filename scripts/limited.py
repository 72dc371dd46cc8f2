# SPDX-License-Identifier: Apache-2.0
"""Programs that are asked to stop when their time is over, as by Ctrl-C."""

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

GRACE_S = 20.0  # what an interrupted program has for its end: `bfslab run` takes well under one


def interrupt_on_termination() -> None:
    """SIGTERM (Slurm's, timeout's) and SIGHUP (of a terminal that closes) become KeyboardInterrupt:
    else a program of run_limited, which is in a session of its own, would go on alone."""
    for sign in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(sign, _interrupt)


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def run_limited(command: Sequence[Any], seconds: float | None, **options: Any) -> int | None:
    """The exit code, or None if it was interrupted because `seconds` were over. It and what it
    started are then sent SIGINT, and SIGKILL where that does not end them in GRACE_S. An interrupt
    of this process is passed on in the same way. `options` are subprocess.Popen's."""
    process = subprocess.Popen([*map(str, command)], start_new_session=True, **options)
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        _end(process)
        return None
    except BaseException:
        _end(process)
        raise


def _end(process: subprocess.Popen) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGINT)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(GRACE_S)
    kill_session(process.pid)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(GRACE_S)


def kill_session(leader: int) -> None:
    """SIGKILL to all processes of the session that this one began, until none is left, or one does
    not end in GRACE_S: launchers as mpirun give each rank a process group of its own, which a
    signal to theirs does not reach, and may end before it."""
    ends = time.monotonic() + GRACE_S
    while (members := _session(leader)) and time.monotonic() < ends:
        for pid in members:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.01)


def duration(text: str) -> float:
    """A number of seconds or minutes for an option: finite, and not below zero."""
    number = float(text)
    if not 0 <= number < float("inf"):
        raise ValueError(text)
    return number


def _session(leader: int) -> list[int]:
    """Its processes that have not ended."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it has just ended
            state, _, _, session = (
                stat.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[:4]
            )
            if int(session) == leader and state not in "ZX":
                found.append(int(stat.parent.name))
    return found
