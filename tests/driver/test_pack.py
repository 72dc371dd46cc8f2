# SPDX-License-Identifier: Apache-2.0
"""`bfslab pack`: rows as gzip and back, and what reads them; a run unpacks what it adds to."""

import gzip
import json
import resource
import subprocess
from pathlib import Path

import pytest
from driver_bench import count_rows, wait_for
from made_results import spread, write

from plots.load import COLUMNS, load_experiment

G = "kronecker:scale=8"
TABLES = ("runs", "levels", "measures")


@pytest.fixture
def bfslab(bench):
    def bfslab(*arguments, code=0, **options):
        done = subprocess.run(
            bench.command(*arguments), capture_output=True, text=True, timeout=60, env=bench.env,
            **options,
        )  # fmt: skip
        assert done.returncode == code, done.stdout + done.stderr
        return done

    return bfslab


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != ".lock"}


def recorded(bench, **keys) -> tuple[Path, Path]:
    """A spec and its folder of results, with rows in all tables."""
    spec = bench.spec(record=["time", "levels"], repeats=8, **keys)
    bench.run(spec)
    return spec, bench.results / "t"


def test_packing_loses_nothing(bench, bfslab):
    _, folder = recorded(bench)
    before, plain = contents(folder), load_experiment(folder)
    assert " became " in bfslab("pack", bench.results).stdout
    packed = contents(folder)
    changed = {f"{table}.csv" for table in TABLES if f"{table}.csv.gz" in packed}
    assert {"runs.csv", "levels.csv"} <= changed and not changed & set(packed)
    for name in changed:
        data = packed[name + ".gz"]
        assert gzip.decompress(data) == before[name] and len(data) < len(before[name]) * 0.6
        assert data[3] == 0 and data[4:8] == bytes(4)  # neither a name nor a time
    again = load_experiment(folder)
    assert all(getattr(again, table).equals(getattr(plain, table)) for table in COLUMNS)
    assert "Nothing to do" in bfslab("pack", folder).stdout
    bfslab("pack", "--undo", bench.results)
    assert contents(folder) == before
    bfslab("pack", folder)
    assert contents(folder) == packed


def test_packed_rows_are_read_as_others(bench, bfslab, tmp_path):
    for name, scale in (("one", 1), ("two", 2)):
        write(tmp_path / "box" / name, {("x", G): spread(scale), ("y", G): spread(1)})
    calls = [
        (("doctor", tmp_path / "box", "--json"), 1),  # they disagree
        (("compare", tmp_path / "box/one", tmp_path / "box/two", "--json"), 0),
    ]
    before = [bfslab(*words, code=code).stdout for words, code in calls]
    bfslab("pack", tmp_path / "box")
    assert not list(tmp_path.rglob("runs.csv"))
    assert [bfslab(*words, code=code).stdout for words, code in calls] == before


def test_a_run_unpacks_the_folder_to_which_it_adds_rows(bench, bfslab):
    spec, folder = bench.spec(repeats=8), bench.results / "t"
    bench.run(spec)
    keys = bench.keys()
    runs = folder / "runs.csv"
    runs.write_text("".join(runs.read_text().splitlines(keepends=True)[:-1]))
    bfslab("pack", folder)
    kept = gzip.decompress((folder / "runs.csv.gz").read_bytes())
    assert "bfslab pack " in bench.run(spec).stderr
    assert runs.read_bytes().startswith(kept) and not list(folder.glob("*.gz"))
    assert bench.keys() == keys


def test_a_run_that_is_refused_leaves_the_folder_packed(bench, bfslab):
    _, folder = recorded(bench)
    bfslab("pack", folder)
    before = contents(folder)
    changed = bench.spec(warmup=2)
    assert "rows with `warmup`" in bench.run(changed, code=2).stderr
    assert contents(folder) == before
    (folder / "spec.json").rename(folder / "was.json")
    assert "without a spec.json" in bench.run(changed, code=2).stderr
    bench.run(changed, "--fresh")
    (aside,) = (bench.results / ".previous").iterdir()
    assert (aside / "runs.csv.gz").read_bytes() == before["runs.csv.gz"]


def test_answers_are_compared_with_packed_rows_too(bench, bfslab):
    bad = bench.spec("bad", cases={"liar": {"fault": "half"}}, sources=[1], check="none")
    bench.run(bad)
    bfslab("pack", bench.results)
    done = bench.run(bench.spec("good", sources=[1], check="none"), code=1)
    assert "trial 0 of bad is wrong" in done.stderr


@pytest.mark.parametrize("undo", [[], ["--undo"]])
def test_what_was_interrupted_is_ended_by_the_same_command(bench, bfslab, undo):
    _, folder = recorded(bench)
    plain = contents(folder)
    bfslab("pack", folder)
    packed = contents(folder)
    want = plain if undo else packed
    # Killed before the old file was removed, while the next one was written.
    for name, data in (plain | packed).items():
        if name.startswith(("runs", "levels.csv")):
            (folder / name).write_bytes(data)
    (folder / "levels.csv.gz").unlink()
    (folder / "levels.csv.gz.tmp").write_bytes(b"\x1f")
    assert "delete" in bfslab("doctor", bench.results, code=2).stderr
    bfslab("pack", *undo, folder)
    (folder / "levels.csv.gz.tmp").unlink(missing_ok=True)
    assert contents(folder) == want


def test_both_forms_of_a_table_are_refused(bench, bfslab):
    spec, folder = recorded(bench)
    runs, packed = folder / "runs.csv", folder / "runs.csv.gz"
    rows = runs.read_bytes()
    some = rows[: rows.index(b"\n", len(rows) // 2) + 1]
    calls = [("doctor", folder), ("compare", folder, folder), ("pack", folder),
             ("pack", "--undo", folder), ("run", spec, "--results", bench.results)]  # fmt: skip
    for plain, other, mend in [
        (rows, some, f"delete {packed}, whose rows all are in {runs}"),
        (some, rows, f"delete {runs}, whose rows all are in {packed}"),
        (rows, rows + b"1\n", f"delete {runs}, whose"),
        (rows, rows.replace(b",ok,", b",oom,"), "delete the one whose rows are not those of"),
    ]:
        runs.write_bytes(plain)
        packed.write_bytes(gzip.compress(other))
        before = contents(folder)
        for words in calls:
            stderr = bfslab(*words, code=2).stderr
            assert mend in stderr and stderr.count("\n") == 1, stderr
        assert contents(folder) == before


@pytest.mark.parametrize("size", [0, 1, 15, 200, -1])
def test_a_damaged_file_is_one_message(bench, bfslab, size):
    spec, folder = recorded(bench)
    bfslab("pack", folder)
    packed = folder / "runs.csv.gz"
    packed.write_bytes(packed.read_bytes()[:size])
    before = contents(folder)
    for words in [("doctor", folder), ("compare", folder, folder), ("pack", "--undo", folder),
                  ("run", spec, "--results", bench.results)]:  # fmt: skip
        stderr = bfslab(*words, code=2).stderr
        assert str(packed) in stderr and "copy it again" in stderr, stderr
        assert stderr.count("\n") == 1, stderr
    assert contents(folder) == before


def test_a_folder_that_is_written_is_refused(bench, bfslab):
    process = bench.start(bench.spec(cases={"slow": {"sleep_ms": 30000}}))
    wait_for(lambda: count_rows(bench) >= 0, process)
    assert f"process {process.pid} on host" in bfslab("pack", bench.results, code=2).stderr
    process.kill()
    process.communicate()
    assert not list(bench.results.rglob("*.gz"))


def test_rows_that_do_not_fit_stay_as_they_were(bench, bfslab):
    _, folder = recorded(bench)
    before = contents(folder)
    limit = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200))}
    assert "ulimit" in bfslab("pack", folder, code=1, **limit).stderr
    assert contents(folder) == before
    bfslab("pack", folder)
    before = contents(folder)
    bfslab("pack", "--undo", folder, code=1, **limit)
    assert contents(folder) == before


def test_tables_that_are_left_out_are_known_to_be(bench, bfslab):
    spec, folder = recorded(bench)
    plain = load_experiment(folder)
    (folder / "levels.csv").rename(folder / "elsewhere")
    assert "levels.csv is empty or missing" in bfslab("pack", folder, code=2).stderr
    (folder / "elsewhere").rename(folder / "levels.csv")
    assert "left out: levels; files: 1" in bfslab("pack", "--leave-out", "levels", folder).stdout
    assert json.loads((folder / "environment.json").read_text())["left_out"] == ["levels"]
    assert not list(folder.glob("levels.csv*"))
    bfslab("doctor", folder)
    again = load_experiment(folder)
    assert again.runs.equals(plain.runs) and again.levels.empty
    for file in folder.glob("measures.csv*"):
        file.unlink()
    assert "measures.csv is empty or missing" in bfslab("doctor", folder, code=2).stderr
    done = bench.run(spec, code=2)
    assert "lacks levels.csv, which `bfslab pack --leave-out` removed" in done.stderr


def test_a_table_that_was_lost_can_be_said_to_be_left_out(bench, bfslab):
    _, folder = recorded(bench)
    (folder / "levels.csv").unlink()
    bfslab("pack", "--leave-out", "levels", folder)
    assert load_experiment(folder).levels.empty
    assert "not in {levels,measures}" in bfslab("pack", "--leave-out=runs", folder, code=2).stderr


def test_a_folder_without_rows_is_refused(bfslab, tmp_path):
    assert "no runs.csv there or below" in bfslab("pack", tmp_path, code=2).stderr


@pytest.mark.parametrize(
    ("block", "said"),
    [(b"\0" * (1 << 20), "has NUL bytes"), (b"," * (1 << 20), "has more than "),
     (b"1,2\n" * (1 << 18), "has more than "), (b'"' * (1 << 20), "has more than ")],
)  # fmt: skip
def test_a_packed_bomb_does_not_fill_the_memory(bench, bfslab, tmp_path, block, said):
    folder = write(tmp_path / "box/t", {("x", G): spread(1)})
    (folder / "runs.csv").unlink()
    with gzip.open(folder / "runs.csv.gz", "wb", compresslevel=1) as file:
        for _ in range(700):
            file.write(block)
    limit = 2 << 30
    few = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit))}
    for words in (
        ["doctor", folder.parent],
        ["compare", folder, folder],
        ["pack", "--undo", folder],
    ):
        done = bfslab(*words, code=2, **few)
        assert done.stderr.startswith(f"bfslab: {folder / 'runs.csv.gz'}: {said}")
        assert done.stderr.count("\n") == 1
