# SPDX-License-Identifier: Apache-2.0
"""Processes of tests: their start and their end by a limit or an interrupt, the GPUs that they take
in turn, and the results that an interrupted run keeps."""

import hashlib
import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import NamedTuple

from limited import kill_session
from run_tests import gpus_listed

from .plan import LOST


class Gpus:
    """The machine's GPUs, which tests take in turn."""

    def __init__(self) -> None:
        given = os.environ.get("CUDA_VISIBLE_DEVICES")
        self.names = given.split(",") if given else [str(each) for each in range(gpus_listed())]
        self.turns = itertools.count()

    def next_for(self, program: Path) -> dict[str, str]:
        """Returns the environment that gives the next GPU to a test of this program; an empty one
        if the test takes all GPUs."""
        if program.name == "distributed_tests" or len(self.names) < 2:
            return {}
        return {"CUDA_VISIBLE_DEVICES": self.names[next(self.turns) % len(self.names)]}


class Running(NamedTuple):
    title: str
    since: float  # seconds of the monotonic clock
    output: int  # the file's descriptor

    def last_words(self, max_bytes: int = 400) -> str:
        size = os.fstat(self.output).st_size
        last = os.pread(self.output, max_bytes, max(0, size - max_bytes))
        return last.decode(errors="replace").strip()


class Children:
    """The processes that run now. Threads start them, which an interrupt does not reach."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.running: dict[subprocess.Popen, Running] = {}
        self.ended = False

    def start(self, title: str, output: int, *arguments, **options) -> subprocess.Popen:
        with self.lock:
            if self.ended:
                raise KeyboardInterrupt
            process = subprocess.Popen(*arguments, **options, stdout=output, start_new_session=True)
            self.running[process] = Running(title, time.monotonic(), output)
            return process

    def done(self, process: subprocess.Popen) -> None:
        with self.lock:
            self.running.pop(process, None)

    def end(self) -> None:
        """Kills all of them; prints the title, the seconds and the last output of each."""
        with self.lock:
            self.ended = True
            for process, running in self.running.items():
                seconds = time.monotonic() - running.since
                print(f"interrupted after {seconds:.0f} s: {running.title}\n{running.last_words()}")
                kill_session(process.pid)
            sys.stdout.flush()


CHILDREN = Children()


def run_process(
    command: list, program: Path, title: str, limit_s: int, **variables: str
) -> subprocess.CompletedProcess:
    """Runs a command in the folder of `program`, with `variables` added to the environment. Returns
    stdout and stderr as one text. Kills it after `limit_s`, and then raises TimeoutExpired."""
    waiting = os.environ.get("OMP_WAIT_POLICY", "passive")
    with tempfile.TemporaryFile() as output:
        process = CHILDREN.start(
            title, output.fileno(), command, cwd=program.parent, stderr=subprocess.STDOUT,
            env={**os.environ, **variables, "OMP_WAIT_POLICY": waiting},
        )  # fmt: skip
        try:
            process.wait(limit_s)
        except BaseException:
            # A process that a sanitizer or a launcher leaves running would hold the GPU.
            kill_session(process.pid)
            process.wait()
            raise
        finally:
            CHILDREN.done(process)
        output.seek(0)
        printed = output.read().decode(errors="replace")
    return subprocess.CompletedProcess(command, process.returncode, printed)


class Progress:
    """Prints a line when a process ends: its number of how many, its outcome and its seconds."""

    def __init__(self, count: int) -> None:
        self.lock = threading.Lock()
        self.count, self.ended = count, 0

    def done(self, title: str, outcome: str, since: float) -> None:
        with self.lock:
            self.ended += 1
            seconds = time.monotonic() - since
            print(f"[{self.ended}/{self.count}] {title}: {outcome}, {seconds:.0f} s", flush=True)

    def expect_more(self, count: int) -> None:
        with self.lock:
            self.count += count


class PassedTests:
    """The tests that passed since the last record. Each has a file with what it printed and
    reported, named by a hash of the device, the driver, the program and the command."""

    def __init__(self, folder: Path, facts: dict, gpus: Gpus) -> None:
        self.folder = folder
        self.gpus = gpus
        self.facts = json.dumps([facts[key] for key in ("device", "driver")])
        self.digests: dict[Path, str] = {}
        self.reused = 0

    def file(self, program: Path, command: list) -> Path:
        if program not in self.digests:
            self.digests[program] = hashlib.sha1(program.read_bytes()).hexdigest()
        words = [self.facts, self.digests[program], *map(str, command)]
        return self.folder / (hashlib.sha1("\0".join(words).encode()).hexdigest() + ".json")

    def run(
        self, command: list, program: Path, title: str, report: Path, limit_s: int, **variables: str
    ) -> subprocess.CompletedProcess:
        """Runs tests as `run_process` does and writes GoogleTest's report. Returns the kept result
        if they have passed already."""
        kept = self.file(program, command)
        if kept.exists():
            self.reused += 1
            done = json.loads(kept.read_text(encoding="utf-8"))
            report.write_text(done["report"], encoding="utf-8")
            return subprocess.CompletedProcess(command, 0, done["printed"])
        whole = [*command, f"--gtest_output=xml:{report}"]
        done = run_process(
            whole, program, title, limit_s, **self.gpus.next_for(program), **variables
        )
        complete = done.returncode == 0 and not LOST.search(done.stdout) and report.exists()
        if complete and "<skipped" not in report.read_text(encoding="utf-8"):
            self.keep(kept, {"printed": done.stdout, "report": report.read_text(encoding="utf-8")})
        return done

    def keep(self, path: Path, result: dict[str, str]) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        new = path.with_suffix(f".{threading.get_ident()}")
        new.write_text(json.dumps(result), encoding="utf-8")
        new.replace(path)

    def forget(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
