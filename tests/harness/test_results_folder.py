# SPDX-License-Identifier: Apache-2.0
"""A results folder that something else has changed, removed or prepared: nothing is lost, believed
or waited for, and rows are on the disk when they count."""

import csv
import json
import os
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BFSLAB = Path(os.environ.get("BFSLAB_BIN", ROOT / "build" / "release" / "bfslab"))
SPEC = {
    "name": "n",
    "graphs": ["path:vertices=20"],
    "base": {"engine": "hybrid"},
    "sources": [1, 2, 3],
    "record": ["time", "levels"],
    "pollution": {"attempts": 1, "drift_pct": 1000},
}


@pytest.fixture
def start(tmp_path):
    """Starts `bfslab run` of SPEC with these changes into tmp_path/out."""
    if not BFSLAB.exists():
        pytest.skip(f"{BFSLAB} is not built")

    def start(*options, environment=None, preexec_fn=None, **changes):
        (tmp_path / "spec.json").write_text(json.dumps(SPEC | changes))
        return subprocess.Popen(
            [str(BFSLAB), "run", "spec.json", "--results", "out", *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=tmp_path,
            env={**os.environ, "BFSLAB_CACHE": "cache", "BFSLAB_DATA": "", **(environment or {})},
            preexec_fn=preexec_fn,
        )

    return start


@pytest.fixture
def run(start):
    """The same to its end: the exit code and what it said."""

    def run(*options, **how):
        process = start(*options, **how)
        _, message = process.communicate(timeout=60)
        assert "json.exception" not in message
        return process.returncode, message

    return run


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "out" / "n"


def contents(folder):
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.suffix == ".csv"}


def header(text: bytes) -> bytes:
    return text[: text.index(b"\n") + 1]


def half(text: bytes) -> bytes:
    lines = text.splitlines(keepends=True)
    return b"".join(lines[: 1 + len(lines) // 2])


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("levels.csv", None),
        ("levels.csv", lambda _: b""),
        ("levels.csv", header),
        ("levels.csv", half),
        ("graphs.csv", None),
        ("graphs.csv", lambda _: b""),
        ("graphs.csv", header),
        ("measures.csv", lambda _: b""),
        ("runs.csv", None),
        ("runs.csv", lambda _: b""),
        ("spec.json", lambda _: b"junk"),
        ("spec.json", lambda _: b""),
        ("spec.json", lambda text: text.replace(b"hybrid", b"top-down")),
        ("environment.json", lambda _: b"junk"),
        ("environment.json", lambda text: text[:-10]),
        ("environment.json", lambda _: b""),
    ],
)
def test_a_changed_file_is_noticed_and_nothing_is_touched(run, folder, name, changed):
    assert run()[0] == 0
    file = folder / name
    text = file.read_bytes()
    file.unlink()
    if changed:
        file.write_bytes(changed(text))
    before = contents(folder)
    code, message = run()
    assert code == 2, message
    assert name in message or "environment" in name
    assert "--fresh" in message or "--results" in message
    assert contents(folder) == before
    file.write_bytes(text)
    assert run()[0] == 0  # nothing was lost by the refusal
    assert run("--fresh")[0] == 0


def test_what_a_kill_leaves_is_not_taken_for_a_change(run, folder):
    """Details without their row, a torn row, and tables without rows."""
    assert run()[0] == 0
    runs = (folder / "runs.csv").read_bytes()
    (folder / "runs.csv").write_bytes(runs[: runs.rindex(b"\n", 0, -1) + 20])
    code, message = run()
    assert code == 0, message
    assert len((folder / "runs.csv").read_bytes().splitlines()) == len(runs.splitlines())
    for table in ["runs", "levels", "measures", "graphs"]:
        text = (folder / f"{table}.csv").read_bytes()
        (folder / f"{table}.csv").write_bytes(header(text))
    assert run()[0] == 0


# --- a folder that leaves during the run


@pytest.mark.parametrize("leave", [shutil.rmtree, lambda folder: folder.rename("moved")])
def test_a_folder_that_leaves_during_the_run_is_noticed(start, folder, tmp_path, leave):
    process = start(repeats=100_000)
    runs = folder / "runs.csv"
    while not (runs.exists() and runs.read_bytes().count(b"\n") > 2):
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    os.chdir(tmp_path)
    leave(folder)
    _, message = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "was removed, moved or replaced during the run" in message


# --- what is planted there


@pytest.mark.parametrize("name", ["environment.json.tmp", "spec.json.tmp"])
def test_a_link_at_a_temporary_name_is_not_followed(run, folder, tmp_path, name):
    folder.mkdir(parents=True)
    victim = tmp_path / "victim"
    victim.write_text("precious")
    (folder / name).symlink_to(victim)
    code, message = run()
    assert code == 0, message
    assert victim.read_text() == "precious"
    assert json.loads((folder / name.removesuffix(".tmp")).read_text())


@pytest.mark.parametrize("name", [".lock", "runs.csv", "levels.csv"])
def test_a_link_in_place_of_a_file_is_refused(run, folder, tmp_path, name):
    folder.mkdir(parents=True)
    victim = tmp_path / "victim"
    victim.write_text("")
    (folder / name).symlink_to(victim)
    code, message = run()
    assert code == 2, message
    assert name in message
    assert victim.read_text() == ""


@pytest.mark.parametrize(
    "name", [".lock", "runs.csv", "levels.csv", "graphs.csv", "spec.json", "environment.json"]
)
def test_a_pipe_in_place_of_a_file_is_refused(run, folder, name):
    assert run()[0] == 0
    (folder / name).unlink()
    os.mkfifo(folder / name)
    code, message = run()
    assert code == 2, message
    assert f"{name}: is not a regular file" in message
    assert (folder / name).is_fifo()


def test_a_limit_on_the_size_of_files_is_said(run):
    def limited():
        resource.setrlimit(resource.RLIMIT_FSIZE, (8_000, 8_000))

    code, message = run(preexec_fn=limited, repeats=50)
    assert code == 1
    assert "ulimit -f" in message
    assert run(repeats=50)[0] == 0


# --- rows on the disk

RECORDER = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static void note(const char* what, int fd) {
  char link[64], path[4096], line[4200];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t size = readlink(link, path, sizeof path - 1);
  if (size < 0) return;
  path[size] = 0;
  if (!strstr(path, ".csv")) return;
  int log = open(getenv("CALLS"), O_WRONLY | O_CREAT | O_APPEND, 0600);
  int length = snprintf(line, sizeof line, "%s %s\n", what, strrchr(path, '/') + 1);
  ((ssize_t(*)(int, const void*, size_t))dlsym(RTLD_NEXT, "write"))(log, line, length);
  close(log);
}
int fdatasync(int fd) {
  note("sync", fd);
  return ((int (*)(int))dlsym(RTLD_NEXT, "fdatasync"))(fd);
}
ssize_t write(int fd, const void* data, size_t size) {
  note("write", fd);
  return ((ssize_t(*)(int, const void*, size_t))dlsym(RTLD_NEXT, "write"))(fd, data, size);
}
"""


@pytest.fixture
def calls_of(run, tmp_path):
    """What a run writes and syncs, in order."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("needs a C compiler")
    (tmp_path / "recorder.c").write_text(RECORDER)
    library = tmp_path / "recorder.so"
    command = [compiler, "-shared", "-fPIC", "-o", library, tmp_path / "recorder.c", "-ldl"]
    subprocess.run(command, check=True)

    def calls_of(*options):
        log = tmp_path / "calls"
        log.unlink(missing_ok=True)
        code, message = run(*options, environment={"LD_PRELOAD": str(library), "CALLS": str(log)})
        assert code == 0, message
        return log.read_text().splitlines()

    return calls_of


def test_a_row_is_on_the_disk_before_the_next_and_after_its_details(calls_of):
    calls = calls_of()
    rows = [i for i, call in enumerate(calls) if call == "write runs.csv"][1:]  # after the header
    assert len(rows) == 6
    for row in rows:
        assert calls[row + 1] == "sync runs.csv"
        unsynced = set()
        for call in calls[:row]:
            what, name = call.split()
            (unsynced.add if what == "write" else unsynced.discard)(name)
        assert unsynced <= {"runs.csv"}


def test_rows_may_wait_for_the_disk(calls_of):
    calls = calls_of("--sync-interval", "3600")
    assert calls.count("sync runs.csv") == 1
    assert calls[-1] == "sync runs.csv"


# --- nvidia-smi


def test_nvidia_smi_needs_no_shell(run, folder, tmp_path):
    programs = tmp_path / "programs"
    programs.mkdir()
    program = programs / "nvidia-smi"
    program.write_text(f'#!{sys.executable}\nprint("Made-up GPU, uuid")\n')
    program.chmod(0o755)
    if Path("/proc/driver/nvidia/version").exists():
        pytest.skip("this machine has NVML, which is asked first")
    code, message = run(environment={"PATH": str(programs)})
    assert code == 0, message
    recorded = json.loads((folder / "environment.json").read_text())
    assert recorded["gpu"]["devices"] == ["Made-up GPU, uuid"]


# --- what workers say, and graphs without a vertex to start from


@pytest.mark.parametrize("plant", ["pipe", "link"])
def test_the_log_of_workers_is_a_file_of_its_own(run, folder, plant, tmp_path):
    folder.mkdir(parents=True)
    log = folder / "worker.log"
    if plant == "pipe":
        os.mkfifo(log)
    else:
        (tmp_path / "victim").write_text("mine")
        log.symlink_to(tmp_path / "victim")
    code, message = run()
    assert code == 2, message
    assert "worker.log: is " in message
    if plant == "link":
        assert (tmp_path / "victim").read_text() == "mine"


def test_a_graph_without_an_eligible_source_is_a_row_and_no_success(run, folder):
    rule = {"count": 2, "seed": 1, "rule": "degree>=1"}
    how = {"graphs": ["path:vertices=1", "path:vertices=5"], "sources": rule}
    code, message = run(**how)
    assert code == 2, message
    assert "no vertex satisfies degree>=1" in message
    rows = list(csv.DictReader((folder / "runs.csv").open()))
    (row,) = [row for row in rows if row["status"] != "ok"]
    assert (row["status"], row["source"]) == ("skipped", "")
    assert row["reason"] == "no vertex satisfies degree>=1"
    assert len(rows) > 1  # the other graph has its own
    # And it stays no success when there is nothing left to do.
    assert run(**how)[0] == 2
    assert len((folder / "runs.csv").read_text().splitlines()) == len(rows) + 1
