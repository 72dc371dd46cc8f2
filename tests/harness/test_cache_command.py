# SPDX-License-Identifier: Apache-2.0
"""`bfslab cache`: it shows what bfslab has made, and removes exactly what it is asked to."""

import json
import os
import subprocess
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BFSLAB = Path(os.environ.get("BFSLAB_BIN", ROOT / "build" / "release" / "bfslab"))
DAY = 86400
HASH = "0123456789abcdef0123456789abcdef"
GRAPHS = ["path:vertices=9", "star:vertices=5", "kronecker:scale=8"]


class Cache:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def bfslab(self, *words) -> subprocess.CompletedProcess:
        return subprocess.run([str(BFSLAB), *map(str, words), "--cache", str(self.folder)],
                              capture_output=True, text=True)  # fmt: skip

    def build(self, *graphs: str) -> None:
        for graph in graphs:
            assert self.bfslab("graph", "info", graph, "--counts").returncode == 0

    def shown(self, *words) -> dict:
        done = self.bfslab("cache", "--json", *words)
        assert (done.returncode, done.stderr) == (0, "")
        return json.loads(done.stdout)

    def names(self, *words) -> set[str]:
        """The names before the first comma, which are those that the tests give."""
        return {entry["name"].partition(",")[0] for entry in self.shown(*words)["entries"]}

    def file(self, graph: str) -> Path:
        entries = self.shown()["entries"]
        return Path(next(e for e in entries if e["name"].startswith(graph + ","))["files"][0])

    def age(self, graph: str, days: float) -> None:
        then = time.time() - days * DAY
        os.utime(self.file(graph), (then, then))


@pytest.fixture
def cache(tmp_path) -> Cache:
    if not BFSLAB.exists():
        pytest.skip(f"{BFSLAB} is not built")
    return Cache(tmp_path / "cache")


def test_it_shows_names_sizes_and_totals(cache):
    assert cache.shown()["entries"] == []
    cache.build(*GRAPHS)
    shown = cache.shown()
    assert cache.names() == set(GRAPHS)
    for entry in shown["entries"]:
        assert entry["kind"] == "built" and entry["damage"] is None
        assert entry["bytes"] == sum(Path(file).stat().st_size for file in entry["files"])
    assert shown["bytes"] == sum(entry["bytes"] for entry in shown["entries"])
    path = next(e for e in shown["entries"] if e["name"].startswith("path"))
    assert (path["vertices"], path["edges"]) == (9, 16)
    text = cache.bfslab("cache").stdout
    assert all(graph in text for graph in GRAPHS) and "in 3 entries" in text


def test_age_is_that_of_the_last_use(cache):
    cache.build(*GRAPHS)
    cache.age(GRAPHS[0], 40)
    cache.age(GRAPHS[1], 10)
    assert cache.names("--older-than", "30") == {GRAPHS[0]}
    assert cache.names("--older-than", "5") == set(GRAPHS[:2])
    cache.file(GRAPHS[1]).read_bytes()  # by another program
    cache.build(GRAPHS[0])  # loads it
    assert cache.names("--older-than", "5") == {GRAPHS[1]}


def test_prune_removes_what_is_shown_and_nothing_else(cache):
    cache.build(*GRAPHS)
    cache.age(GRAPHS[2], 40)
    selected = cache.shown("--older-than", "30")["entries"]
    done = cache.bfslab("cache", "--older-than", "30", "--prune")
    assert done.returncode == 0 and GRAPHS[2] in done.stdout
    assert [Path(file).exists() for each in selected for file in each["files"]] == [False]
    assert cache.names() == set(GRAPHS[:2])
    pruned = cache.shown("--name", "star:*", "--prune")
    assert pruned["removed"] and len(pruned["entries"]) == 1
    assert cache.names() == {GRAPHS[0]}


def test_keep_removes_the_least_recently_used(cache):
    cache.build(*GRAPHS)
    for days, graph in enumerate(GRAPHS):
        cache.age(graph, days + 1)
    sizes = {graph: cache.file(graph).stat().st_size for graph in GRAPHS}
    total = sum(sizes.values())
    assert cache.names("--keep", total) == set()
    assert cache.names("--keep", total - 1) == {GRAPHS[2]}
    assert cache.names("--keep", sizes[GRAPHS[0]]) == set(GRAPHS[1:])
    cache.shown("--keep", sizes[GRAPHS[0]], "--prune")
    assert cache.names() == {GRAPHS[0]}


def test_prune_does_not_guess(cache):
    cache.build(GRAPHS[0])
    alone = cache.bfslab("cache", "--prune")
    assert (alone.returncode, alone.stdout) == (2, "")
    assert "--name, --older-than or --keep" in alone.stderr and "--all" in alone.stderr
    both = cache.bfslab("cache", "--prune", "--all", "--name", "*")
    assert (both.returncode, both.stdout) == (2, "")
    assert cache.names() == {GRAPHS[0]}


def test_files_of_users_stay(cache, tmp_path):
    cache.build(*GRAPHS)
    own = [
        cache.folder / "csr/mine.csr",
        cache.folder / "csr/notes.txt",
        cache.folder / "external/mine.el",
        cache.folder / "data/soc-mine.txt",
        cache.folder / "mine.csr",
    ]
    for file in own:
        file.parent.mkdir(exist_ok=True)
        file.write_text("mine\n")
    outside = tmp_path / "outside.csr"
    outside.write_text("mine\n")
    (cache.folder / f"csr/path-{HASH}.csr").symlink_to(outside)
    shown = cache.shown()
    assert shown["data"] == {"folder": f"{cache.folder}/data", "files": 1, "bytes": 5}
    assert cache.shown("--all", "--prune")["entries"] == shown["entries"]
    assert cache.shown()["entries"] == []
    assert [file.read_text() for file in [*own, outside]] == ["mine\n"] * (len(own) + 1)
    assert (cache.folder / f"csr/path-{HASH}.csr").is_symlink()


def test_damaged_unfinished_and_external_files_are_shown(cache):
    cache.build(GRAPHS[0])
    built = cache.file(GRAPHS[0])
    damaged = built.with_name(f"star-{HASH}.csr")
    damaged.write_bytes(built.read_bytes()[:100])
    now, old = (built.with_name(f"{built.name}.tmp-{which}") for which in ("now", "old"))
    for file in (now, old):
        file.write_text("unfinished")
    os.utime(old, (time.time() - DAY,) * 2)
    (cache.folder / "external").mkdir()
    for ending in ("sg", "sg.stamp", "arrays32.offsets", "arrays32.columns", "arrays32.stamp"):
        (cache.folder / f"external/{HASH}.{ending}").write_text("x")
    entries = {entry["name"]: entry for entry in cache.shown()["entries"]}
    assert entries[damaged.name]["damage"]
    assert entries[old.name]["kind"] == "leftover" and now.name not in entries
    assert {len(entries[f"{HASH}.{form}"]["files"]) for form in ("sg", "arrays32")} == {2, 3}
    assert entries[f"{HASH}.sg"]["kind"] == "external"
    cache.shown("--all", "--prune")
    assert [file for file in cache.folder.rglob("*") if file.is_file()] == [now]


def test_external_files_have_the_name_of_their_graph(cache):
    cache.build(GRAPHS[0])
    shown = json.loads(cache.bfslab("graph", "info", GRAPHS[0], "--json").stdout)
    (cache.folder / "external").mkdir()
    (cache.folder / f"external/{shown['content_hash']}.el").write_text("x")
    assert any(name.endswith("as .el") for name in
               (e["name"] for e in cache.shown("--name", "path:*")["entries"]))  # fmt: skip


def test_what_cannot_be_removed_is_named(cache):
    if os.geteuid() == 0:
        pytest.skip("root may remove everything")
    cache.build(GRAPHS[0])
    (cache.folder / "csr").chmod(0o555)
    done = cache.bfslab("cache", "--all", "--prune")
    (cache.folder / "csr").chmod(0o755)
    assert done.returncode == 2 and "cannot be removed: Permission denied" in done.stderr
    assert cache.names() == {GRAPHS[0]}
