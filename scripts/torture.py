# SPDX-License-Identifier: Apache-2.0
"""Tries to make bfslab break what README promises, by seed, for some minutes.

A round picks an attack: killing and stopping a run's processes, a full disk, damaged caches and
results, mutated specs and graph files. Then it looks: every trial has one row that stands, its
counts are those of an undisturbed run, no row is torn or there twice, no process is left, and bad
input is refused in words. Closes with `N passed, N failed, N skipped`, in rounds. A round that
fails is kept, and `--seed SEED --round N` plays it again (moments of kills differ a little).
"""

import argparse
import concurrent.futures
import contextlib
import csv
import io
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from limited import duration

ROOT = Path(__file__).resolve().parent.parent
TRIAL = ("case", "graph", "engine", "toggles", "source", "repeat", "instrumented")
COUNTS = ("levels", "reached_vertices", "level_sum", "component_edges")
MARK = "BFSLAB_TORTURE_ROUND"  # in the environment of every process that a round starts
PATIENCE = 120  # seconds for what takes one
SPEC = {
    "name": "t",
    "graphs": ["kronecker:scale=11", "path:vertices=700", "file:graph.txt"],
    "sources": {"count": 4, "seed": 3, "rule": "degree>=1"},
    "repeats": 6,
    "record": ["time", "levels"],
    "cases": {
        "a": {"engine": "hybrid", "threads": 1},
        "b": {"engine": "sequential"},
        "c": {"engine": "top-down", "threads": 2},
    },
    "order": "interleaved",
    "pollution": {"attempts": 2, "drift_pct": 5},
    "limits": {"trial_s": 20},
}
FORMATS = {
    "snap.txt": "# Nodes: 4 Edges: 4\n0\t1\n1\t2\n2\t3\n0\t3\n",
    "out.konect": "% sym unweighted\n% 4 4 4\n1 2\n2 3\n3 4\n4 1\n",
    "m.mtx": "%%MatrixMarket matrix coordinate pattern symmetric\n4 4 4\n2 1\n3 2\n4 3\n4 1\n",
    "m.graph": "4 4\n2 4\n1 3\n2 4\n3 1\n",
    "d.gr": "c road\np sp 4 4\na 1 2 3\na 2 3 1\na 3 4 1\na 4 1 9\n",
}


class BrokenPromise(Exception):
    pass


def require(condition: object, text: str) -> None:
    if not condition:
        raise BrokenPromise(text)


class Round:
    """A folder of its own, a source of chance, and the program."""

    def __init__(self, program: Path, folder: Path, seed: str) -> None:
        self.program = program
        self.folder = folder
        self.random = random.Random(seed)
        self.results = folder / "results"
        self.env = {k: v for k, v in os.environ.items() if not k.startswith("BFSLAB_")}
        self.env |= {
            "BFSLAB_CACHE": str(folder / "cache"),
            "BFSLAB_OFFLINE": "1",
            "OMP_WAIT_POLICY": "passive",
            MARK: str(folder),
        }
        edges = "".join(f"{i} {(i * 7 + 1) % 400}\n" for i in range(400))
        (folder / "graph.txt").write_text(edges, encoding="utf-8")
        (folder / "t.json").write_text(json.dumps(SPEC), encoding="utf-8")

    def start(self, *words: object, limit: int | None = None) -> subprocess.Popen:
        def limited() -> None:
            if limit is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

        return subprocess.Popen(
            [str(self.program), *map(str, words)],
            cwd=self.folder,
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            preexec_fn=limited,
        )

    def run(self, *words: object, codes: tuple[int, ...] = (0,), **options: object) -> str:
        """To the end, which has to be one of these codes, and in words where it is not 0."""
        process = self.start(*words, **options)
        try:
            _, err = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise BrokenPromise(f"bfslab {words} does not end") from None
        errors = err.decode(errors="replace")
        message = f"bfslab {' '.join(map(str, words))}: {process.returncode}, {errors[-2000:]}"
        require(process.returncode in codes, message)
        require(process.returncode == 0 or errors.strip(), f"no word of why: {message}")
        for text in ("json.exception", "terminate called", "std::", "Assertion"):
            require(text not in errors.replace("std::bad_alloc", ""), message)
        return errors

    def sweep(self, **options: object) -> subprocess.Popen:
        return self.start(
            "run", "t.json", "--results", self.results, "--sync-interval", 60, **options
        )

    def finish(self) -> None:
        """The same command until nothing is left, and what has to be true then."""
        for _ in range(3):
            self.run("run", "t.json", "--results", self.results, codes=(0, 1))
        self.run("run", "t.json", "--results", self.results)
        self.look(whole=True)

    def processes(self) -> list[int]:
        """Those that this round has started."""
        mark = f"{MARK}={self.folder}".encode()
        found = []
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                if mark in (entry / "environ").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
            except OSError:
                continue
        return found

    def require_alone(self) -> None:
        """Workers end with their driver, which takes a moment."""
        until = time.monotonic() + PATIENCE
        while self.processes():
            require(time.monotonic() < until, f"processes are left: {self.processes()}")
            time.sleep(0.01)

    def table(self, name: str) -> list[dict[str, str]]:
        path = self.results / "t" / f"{name}.csv"
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        require(not text or text.endswith("\n"), f"{name}.csv ends amid a row")
        rows = list(csv.DictReader(io.StringIO(text), strict=True))
        for row in rows:
            require(None not in row and None not in row.values(), f"{name}.csv: a torn row: {row}")
        return rows

    def look(self, whole: bool) -> None:
        runs = self.table("runs")
        trials = [row["trial"] for row in runs]
        require(len(trials) == len(set(trials)), "a trial's number is there twice")
        attempts = Counter((*(row[k] for k in TRIAL), row["attempt"]) for row in runs)
        require(max(attempts.values(), default=1) == 1, f"twice: {attempts.most_common(1)}")
        last = {tuple(row[k] for k in TRIAL): row for row in runs}
        known: dict[tuple, tuple] = {}
        for row in runs:
            if row["status"] == "ok":
                counts = tuple(row[k] for k in COUNTS)
                search = (row["graph_hash"], row["source"])
                require(known.setdefault(search, counts) == counts, f"{search} disagrees")
        if not whole:  # a full disk may leave a trial's details, whose row it did not take
            return
        for name in ("levels", "measures"):
            of_trials = {row["trial"] for row in self.table(name)}
            require(of_trials <= set(trials), f"{name}.csv has rows of no trial")
        expected = len(SPEC["graphs"]) * len(SPEC["cases"]) * SPEC["sources"]["count"]
        expected *= SPEC["repeats"] + 1
        require(len(last) == expected, f"{len(last)} trials instead of {expected}")
        bad = [row for row in last.values() if row["status"] != "ok"]
        require(not bad, f"not ok: {bad[:1]}")
        levels = Counter(row["trial"] for row in self.table("levels"))
        for row in last.values():
            if row["instrumented"] == "1":
                require(levels[row["trial"]] == int(row["levels"]), f"levels of {row} are lost")


def children(process: int) -> list[int]:
    try:
        return [
            int(word)
            for word in Path(f"/proc/{process}/task/{process}/children")
            .read_text(encoding="utf-8")
            .split()
        ]
    except OSError:
        return []


def send(process: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, number)


def kills(r: Round) -> None:
    for _ in range(r.random.randint(1, 6)):
        process = r.sweep()
        time.sleep(r.random.random() ** 2 * 0.8)
        victims = children(process.pid)
        if victims and r.random.random() < 0.5:
            number = r.random.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV])
            send(r.random.choice(victims), number)
            time.sleep(r.random.random() * 0.1)
        number = r.random.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
        process.send_signal(number)
        process.communicate(timeout=PATIENCE)
        r.require_alone()
    # A row that the last kill tore is cut off by the next run.
    r.finish()
    r.require_alone()


def stops(r: Round) -> None:
    process = r.sweep()
    for _ in range(r.random.randint(1, 8)):
        time.sleep(r.random.random() * 0.1)
        victim = r.random.choice([process.pid, *children(process.pid)])
        send(victim, signal.SIGSTOP)
        time.sleep(r.random.random() * 0.1)
        send(victim, signal.SIGCONT)
    _, err = process.communicate(timeout=PATIENCE)
    require(process.returncode == 0, err.decode(errors="replace"))
    r.finish()


def full_disk(r: Round) -> None:
    whole = None
    if os.geteuid() == 0 and r.random.random() < 0.5:
        r.results.mkdir()
        size = f"size={4 * r.random.randint(8, 60)}k"
        mount = ["mount", "-t", "tmpfs", "-o", size, "torture", str(r.results)]
        if subprocess.run(mount, capture_output=True).returncode == 0:
            whole = ["mount", "-o", "remount,size=64m", str(r.results)]
    try:
        limit = None if whole else r.random.randint(200, 90_000)
        process = r.sweep(limit=limit)
        _, err = process.communicate(timeout=PATIENCE)
        require(process.returncode in (0, 1, 2), f"{process.returncode}: {err.decode()}")
        require(process.returncode == 0 or err.strip(), "no word of why")
        if whole:
            subprocess.run(whole, check=True, capture_output=True)
        if (r.results / "t").exists():
            r.look(whole=False)
        r.finish()
    finally:
        if whole:
            subprocess.run(["umount", str(r.results)], check=True)


def mutated(r: Round, data: bytes, alphabet: bytes) -> bytes:
    data = bytearray(data)
    for _ in range(r.random.choice([1, 1, 2, 4, 16])):
        at = r.random.randrange(len(data) + 1)
        kind = r.random.randrange(5)
        if kind == 0:
            data[at : at + 1] = bytes([r.random.randrange(256)])
        elif kind == 1:
            data[at:at] = bytes(r.random.choices(alphabet, k=r.random.choice([1, 2, 9])))
        elif kind == 2:
            del data[at : at + r.random.choice([1, 2, 8, 64])]
        elif kind == 3:
            piece = data[at : at + r.random.randrange(40)]
            data[at:at] = piece * r.random.choice([1, 2, 50])
        elif r.random.random() < 0.2:
            del data[at:]
    return bytes(data)


def caches(r: Round) -> None:
    r.run("run", "t.json", "--results", r.results)
    for path in sorted((r.folder / "cache").rglob("*")):
        if not path.is_file() or r.random.random() < 0.3:
            continue
        data = path.read_bytes()
        path.unlink()
        path.write_bytes(mutated(r, data, bytes(range(256))))
    r.run("run", "t.json", "--results", r.results, "--fresh")
    r.look(whole=True)


def results(r: Round) -> None:
    """Changed files are refused or mended, never read as other rows."""
    r.run("run", "t.json", "--results", r.results, "--only", "a/*")
    path = r.random.choice(sorted(p for p in (r.results / "t").iterdir() if p.is_file()))
    what = r.random.randrange(4)
    if what == 0:
        path.unlink()
    elif what == 1:
        path.write_bytes(b"")
    else:
        path.write_bytes(mutated(r, path.read_bytes(), b',"\n0129.-;a'))
    r.run("run", "t.json", "--results", r.results, codes=(0, 1, 2))
    r.run("run", "t.json", "--results", r.results, "--fresh")
    r.look(whole=True)


def specs(r: Round) -> None:
    known = [*(ROOT / "experiments").rglob("*.json"), *(ROOT / "tests/data/specs").rglob("*.json")]
    known = sorted(path for path in known if path.stat().st_size < 20_000)
    for _ in range(20):
        data = r.random.choice(known).read_bytes()
        (r.folder / "m.json").write_bytes(mutated(r, data, b'{}[]",:0123456789.eE-+ntf\\u\n'))
        r.run("check", "m.json", codes=(0, 2))


def files(r: Round) -> None:
    for _ in range(10):
        name = r.random.choice(sorted(FORMATS))
        path = r.folder / name
        path.write_bytes(mutated(r, FORMATS[name].encode(), b"0123456789 \t\n%#.-e"))
        r.run("graph", "info", f"file:{name}", "--memory-mib", 2000, codes=(0, 1, 2))
    (r.folder / "graph.txt").write_bytes(path.read_bytes())
    r.run("run", "t.json", "--results", r.results, codes=(0, 1, 2))
    r.look(whole=False)


ATTACKS: dict[str, Callable[[Round], None]] = {
    "kills": kills,
    "stops": stops,
    "full_disk": full_disk,
    "caches": caches,
    "results": results,
    "specs": specs,
    "files": files,
}


def play(program: Path, scratch: Path, seed: int, number: int, attack: str | None) -> str:
    """One round; its attack, or raises BrokenPromise."""
    folder = scratch / f"{seed}-{number}"
    folder.mkdir()
    names = [attack] if attack else sorted(ATTACKS)
    name = names[number % len(names)]  # all of them, however short the time
    r = Round(program, folder, f"{seed} {number}")
    try:
        ATTACKS[name](r)
    except (BrokenPromise, subprocess.TimeoutExpired, csv.Error, ValueError) as broken:
        for process in r.processes():
            send(process, signal.SIGKILL)
        raise BrokenPromise(
            f"round {number} ({name}): {type(broken).__name__}: {broken}\n"
            f"  kept in {folder}; again: scripts/torture.py --seed {seed} --round {number}"
        ) from broken
    shutil.rmtree(folder)
    return name


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bfslab", type=Path, default=ROOT / "build/release/bfslab")
    parser.add_argument("--minutes", type=duration, default=10)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1_000_000))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--attack", choices=sorted(ATTACKS), help="only this one")
    parser.add_argument("--round", type=int, help="only this one, of the seed")
    parser.add_argument("--rounds", type=int, help="number of rounds, instead of minutes")
    options = parser.parse_args()
    program = options.bfslab.resolve()
    if not program.exists():
        print(f"{program} is not built: `make` does", file=sys.stderr)
        return 2

    scratch = Path(tempfile.mkdtemp(prefix="bfslab-torture-"))
    until = time.monotonic() + options.minutes * 60
    played: Counter[str] = Counter()
    broken: list[str] = []
    lock = threading.Lock()
    numbers = iter([options.round] if options.round is not None else range(options.rounds or 10**9))
    timed = options.round is None and options.rounds is None

    def work() -> None:
        while True:
            with lock:
                number = next(numbers, None)
            if number is None or broken or (timed and time.monotonic() > until):
                return
            try:
                name = play(program, scratch, options.seed, number, options.attack)
            except BrokenPromise as failure:
                with lock:
                    broken.append(str(failure))
                    print(f"BROKEN {failure}", flush=True)
                return
            with lock:
                played[name] += 1

    print(f"torture: seed {options.seed}", flush=True)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for each in [pool.submit(work) for _ in range(options.jobs)]:
            each.result()
    if not broken:
        shutil.rmtree(scratch)
    print(", ".join(f"{name} {count}" for name, count in sorted(played.items())))
    print(f"{sum(played.values())} passed, {len(broken)} failed, 0 skipped")
    return 1 if broken else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
