# SPDX-License-Identifier: Apache-2.0
"""`bfslab run` of graphs that are missing: fetched first, once, and from the given place."""

import gzip
import signal
import time
from pathlib import Path

import pytest

from tests.frontdoor.hostile_server import serve
from tests.real_data import real_data

PLACES = {
    "soc-Epinions1": "snap.stanford.edu/data/soc-Epinions1.txt.gz",
    "opsahl-powergrid": "konect.cc/files/download.tsv.opsahl-powergrid.tar.bz2",
}
TINY = "snap.stanford.edu/data/{}.txt.gz"


@pytest.fixture
def real_mirror() -> Path:
    data = real_data()
    for place in PLACES.values():
        if data is None or not (data / "mirror" / place).is_file():
            pytest.skip(f"BFSLAB_TEST_DATA names no folder with mirror/{place}")
    return data / "mirror"


@pytest.fixture
def site(bench):
    """A server, and a program that may not contact any other and never waits long."""
    for name in [name for name in bench.env if name.lower().endswith("_proxy")]:
        del bench.env[name]
    with serve() as state:
        bench.env["BFSLAB_MIRROR"] = state.address
        yield state


def put(place: Path, edges: str = "0 1\n1 2\n2 3\n") -> bytes:
    packed = gzip.compress(edges.encode(), mtime=0)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(packed)
    return packed


def fetched_files(bench) -> dict[str, bytes]:
    data = bench.folder / "cache/data"
    return {str(f.relative_to(data)): f.read_bytes() for f in data.rglob("*") if f.is_file()}


def test_fetches_caches_runs_and_resumes(bench, real_mirror):
    """The two real graphs, through a mirror; interrupted amid its trials, resumed, run again."""
    spec = bench.spec(graphs=list(PLACES), cases={"slow": {"sleep_ms": 30}}, repeats=4)
    process = bench.start(spec, "--mirror", real_mirror)
    runs = bench.results / "t/runs.csv"
    while process.poll() is None and not (runs.exists() and runs.read_text().count("\n") > 2):
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    errors = process.communicate(timeout=60)[1]
    assert process.returncode == 130, errors
    for place in PLACES.values():
        assert f"fetching https://{place}" in errors or f"fetching http://{place}" in errors
    files = fetched_files(bench)
    assert set(files) == set(PLACES.values())

    done = bench.run(spec, "--offline")  # nothing is fetched any more, and no mirror is needed
    assert "fetching" not in done.stderr
    assert len(bench.keys()) == len(set(bench.keys())) == 16
    assert {row["status"] for row in bench.rows()} == {"ok"}
    vertices = {row["graph"]: row["vertices"] for row in bench.rows("graphs")}
    assert vertices == {"soc-Epinions1": "75879", "opsahl-powergrid": "4941"}
    rows = bench.rows()
    bench.run(spec, "--offline")
    assert bench.rows() == rows and fetched_files(bench) == files


def test_one_file_serves_several_names(bench, site):
    site.files["/" + TINY.format("tiny")] = put(bench.folder / "tiny.gz")
    bench.run(bench.spec(graphs=["snap:tiny", "snap:tiny,relabel=degree"]))
    assert len(site.requests) == 1
    assert {row["status"] for row in bench.rows()} == {"ok"}


def test_a_graph_that_cannot_be_had_costs_its_own_rows(bench, site):
    site.files["/" + TINY.format("tiny")] = put(bench.folder / "tiny.gz")
    names = ["snap:gone", "snap:tiny", "snap:gone,relabel=degree"]
    spec = bench.spec(graphs=names, cases={"a": {}, "b": {"twin": 1}})
    done = bench.run(spec, code=2)
    assert "snap:gone: is unavailable" in done.stderr
    assert len(site.requests) == 2  # the second name of the missing file causes no second request
    rows = bench.rows()
    gone = [row for row in rows if "gone" in row["graph"]]
    assert [row["status"] for row in gone] == ["skipped"] * 4
    for row in gone:
        assert row["source"] == "" and "404" in row["reason"]
        assert f"https://{TINY.format('gone')}" in row["reason"]
        assert f"cache/data/{TINY.format('gone')}" in row["reason"]
    assert {row["status"] for row in rows if row["graph"] == "snap:tiny"} == {"ok"}
    site.files["/" + TINY.format("gone")] = put(bench.folder / "gone.gz")
    bench.run(spec)  # and once it is available, its rows are made
    assert {row["status"] for row in bench.rows() if row["source"]} == {"ok"}


@pytest.mark.parametrize("how", ["--offline", "BFSLAB_OFFLINE"])
def test_offline_names_the_address_and_the_place(bench, site, how):
    if how == "BFSLAB_OFFLINE":
        bench.env[how] = "1"
    options = [how] if how == "--offline" else []
    done = bench.run(bench.spec(graphs=["soc-Epinions1", "path:vertices=9"]), *options, code=2)
    place = PLACES["soc-Epinions1"]
    for words in ("forbids the network", f"https://{place}", f"cache/data/{place}"):
        assert words in done.stderr
    assert "fetching" not in done.stderr
    assert site.requests == []
    assert sorted(row["status"] for row in bench.rows()) == ["ok", "ok", "skipped"]


def test_a_graph_without_an_address_has_a_page_and_the_others_are_run(bench, site):
    """Once its file is there, in any format, its rows are made."""
    spec = bench.spec(graphs=["usroads-48", "path:vertices=9"])
    done = bench.run(spec, code=2)
    for words in (
        "see https://sparse.tamu.edu/Gleich/usroads-48, and put the file at ",
        "cache/data/usroads-48.txt",
        "126146 vertices, 161950 simple edges",
        "the sha256 96d54175b96c070ef5db33af5ad9263276e8f40b731903d17a9aca77c58a71f5",
    ):
        assert words in done.stderr
    assert site.requests == []
    assert sorted(row["status"] for row in bench.rows()) == ["ok", "ok", "skipped"]
    header = "%%MatrixMarket matrix coordinate pattern symmetric\n"
    (bench.folder / "usroads-48.mtx").write_text(header + "3 3 2\n2 1\n3 2\n")
    bench.run(spec, "--data", bench.folder)
    assert {row["status"] for row in bench.rows() if row["source"]} == {"ok"}
    warnings = {row["graph"]: row["provenance"] for row in bench.rows("graphs")}["usroads-48"]
    assert "warning=the file has 2 simple edges, published are 161950" in warnings


def test_a_dry_run_fetches_nothing(bench, site):
    done = bench.run(bench.spec(graphs=["soc-Epinions1"]), "--dry-run")
    assert "soc-Epinions1" in done.stdout and site.requests == []


def test_a_file_by_path_is_refused_before_anything_is_fetched(bench, site):
    done = bench.run(bench.spec(graphs=["soc-Epinions1", "file:gone.txt"]), code=2)
    assert "gone.txt" in done.stderr and "soc-Epinions1" in done.stderr
    assert site.requests == [] and not bench.results.exists()


def test_ctrl_c_amid_a_download(bench, site):
    """Everything that has arrived is kept, and the next run asks for the rest only."""
    place = TINY.format("tiny")
    site.files["/" + place] = put(
        bench.folder / "tiny.gz", "".join(f"0 {i}\n" for i in range(9999))
    )
    site.answers = [{"stall": 5000}]
    spec = bench.spec(graphs=["snap:tiny"])
    process = bench.start(spec)
    part = bench.folder / f"cache/data/{place}.part"
    while process.poll() is None and not (part.exists() and part.stat().st_size == 5000):
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    errors = process.communicate(timeout=60)[1]
    assert process.returncode == 130 and "what has arrived is kept" in errors, errors
    assert part.stat().st_size == 5000 and not bench.results.exists()
    bench.run(spec)
    assert site.asked() == [None, "bytes=5000-"]
    assert set(fetched_files(bench)) == {place}


def test_a_file_of_the_data_folders_is_not_fetched(bench, site):
    put(bench.folder / "mine" / TINY.format("tiny"))
    bench.run(bench.spec(graphs=["snap:tiny"]), "--data", bench.folder / "mine")
    assert site.requests == [] and not (bench.folder / "cache/data").exists()


def test_retries_are_told_in_the_log(bench, site):
    site.files["/" + TINY.format("tiny")] = put(bench.folder / "tiny.gz")
    site.answers = [{"status": 503}]
    done = bench.run(bench.spec(graphs=["snap:tiny"]), "--backoff", "0.01")
    assert "answered 503; retry 1 of 4" in done.stderr and "\r" not in done.stderr
    site.files.clear()
    quiet = bench.run(bench.spec(graphs=["snap:gone"], name="q"), "--quiet", code=2)
    assert "is unavailable" in quiet.stderr and "fetching" not in quiet.stderr
