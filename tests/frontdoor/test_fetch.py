"""`bfslab graph fetch` against a server on loopback that serves well, badly, and not at all."""

import fcntl
import gzip
import http.server
import os
import random
import subprocess
import threading
from pathlib import Path

import pytest

PLACE = "snap.stanford.edu/data/{}.txt.gz"
EDGES = "".join(f"{i}\t{i + 1}\n" for i in range(40_000))
PACKED = gzip.compress(EDGES.encode(), mtime=0)


class Site:
    """What the server has and how it behaves, and the requests that it saw."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.requests: list[tuple[str, str | None]] = []
        self.cut_after: int | None = None  # bytes of a body, then the connection closes
        self.ignore_ranges = False
        self.address = ""


@pytest.fixture
def site():
    state = Site()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked = self.headers.get("Range")
            state.requests.append((self.path, asked))
            body = state.files.get(self.path)
            if body is None:
                self.send_error(404)
                return
            start = 0
            if asked and not state.ignore_ranges:
                start = int(asked.removeprefix("bytes=").rstrip("-"))
                if start >= len(body):
                    self.send_error(416)
                    return
                self.send_response(206)
                self.send_header("Content-Range", f"bytes {start}-{len(body) - 1}/{len(body)}")
            else:
                self.send_response(200)
            rest = body[start:]
            self.send_header("Content-Length", str(len(rest)))
            self.end_headers()
            self.wfile.write(rest[: state.cut_after])
            self.close_connection = True

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield state
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def fetch(bfslab, tmp_path):
    """Calls `bfslab graph fetch ARGUMENT...` with --data under tmp_path."""

    def call(*arguments, **environment):
        clean = {k: v for k, v in os.environ.items() if not k.lower().endswith("_proxy")}
        return subprocess.run(
            [bfslab, "graph", "fetch", "--data", str(tmp_path / "data"), *arguments],
            capture_output=True,
            text=True,
            timeout=120,
            env={**clean, **environment},
        )

    return call


@pytest.fixture
def needs_download(bfslab):
    """Skips where this build has no libcurl; asks the program itself, at a port nobody has."""
    answer = subprocess.run(
        [bfslab, "graph", "fetch", "x", "--mirror", "http://127.0.0.1:1", "--data", "/nonexistent"],
        capture_output=True,
        text=True,
    )
    if "without libcurl" in answer.stderr:
        pytest.skip("this bfslab was built without libcurl")


def target(tmp_path: Path, name: str = "tiny") -> Path:
    return tmp_path / "data" / PLACE.format(name)


def part(tmp_path: Path) -> Path:
    return Path(f"{target(tmp_path)}.part")


def refused(answer, *expected: str) -> None:
    """One message, exit 2, nothing on standard output."""
    assert answer.returncode == 2, answer.stderr
    assert answer.stdout == ""
    for text in expected:
        assert text in answer.stderr


def test_fetches_and_prints_the_path(site, fetch, tmp_path, needs_download):
    site.files["/" + PLACE.format("tiny")] = PACKED
    answer = fetch("snap:tiny", "--mirror", site.address)
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout == f"{target(tmp_path)}\n"
    assert target(tmp_path).read_bytes() == PACKED
    assert not part(tmp_path).exists()
    assert "\r" not in answer.stderr  # no progress bar where there is no terminal


def test_second_call_asks_nobody(site, fetch, tmp_path, needs_download):
    site.files["/" + PLACE.format("tiny")] = PACKED
    assert fetch("tiny", "--mirror", site.address + "/").returncode == 0
    answer = fetch("tiny", "--mirror", site.address)
    assert answer.returncode == 0
    assert "already there" in answer.stderr
    assert len(site.requests) == 1


def test_a_file_put_by_hand_counts_as_there(fetch, tmp_path):
    by_hand = tmp_path / "data" / "tiny.txt"
    by_hand.parent.mkdir()
    by_hand.write_text(EDGES)
    answer = fetch("tiny", "--mirror", str(tmp_path / "no-such-mirror"))
    assert answer.returncode == 0
    assert answer.stdout == f"{by_hand}\n"


def test_missing_names_the_address_and_the_place(site, fetch, tmp_path, needs_download):
    answer = fetch("tiny", "--mirror", site.address)
    official = "https://snap.stanford.edu/data/tiny.txt.gz"
    refused(answer, "404", official, "By hand", str(target(tmp_path)))
    assert not part(tmp_path).exists()
    assert not target(tmp_path).exists()


def test_nobody_listens(fetch, tmp_path, needs_download):
    answer = fetch("tiny", "--mirror", "http://127.0.0.1:1")
    refused(answer, "https://snap.stanford.edu/data/tiny.txt.gz", str(target(tmp_path)))


def test_interrupted_is_kept_and_continued(site, fetch, tmp_path, needs_download):
    site.files["/" + PLACE.format("tiny")] = PACKED
    site.cut_after = 5000
    refused(fetch("tiny", "--mirror", site.address), "5000 bytes are kept")
    assert part(tmp_path).read_bytes() == PACKED[:5000]
    assert not target(tmp_path).exists()

    site.cut_after = None
    answer = fetch("tiny", "--mirror", site.address)
    assert answer.returncode == 0, answer.stderr
    assert "continuing" in answer.stderr
    assert site.requests[-1][1] == "bytes=5000-"
    assert target(tmp_path).read_bytes() == PACKED


def test_a_server_that_ignores_ranges_sends_all_anew(site, fetch, tmp_path, needs_download):
    site.files["/" + PLACE.format("tiny")] = PACKED
    site.ignore_ranges = True
    part(tmp_path).parent.mkdir(parents=True)
    part(tmp_path).write_bytes(PACKED[:777])
    answer = fetch("tiny", "--mirror", site.address)
    assert answer.returncode == 0, answer.stderr
    assert target(tmp_path).read_bytes() == PACKED


def test_a_part_of_another_edition_is_fetched_anew(site, fetch, tmp_path, needs_download):
    site.files["/" + PLACE.format("tiny")] = PACKED
    part(tmp_path).parent.mkdir(parents=True)
    part(tmp_path).write_bytes(random.Random(1).randbytes(3000))
    answer = fetch("tiny", "--mirror", site.address)
    assert answer.returncode == 0, answer.stderr
    assert "beginning anew" in answer.stderr
    assert [asked for _, asked in site.requests] == ["bytes=3000-", None]
    assert target(tmp_path).read_bytes() == PACKED


@pytest.mark.parametrize("extra", [0, 400])
def test_a_part_that_is_as_long_as_the_file(site, fetch, tmp_path, needs_download, extra):
    """The server answers 416: a whole part is taken as it is, one that is too long is not."""
    site.files["/" + PLACE.format("tiny")] = PACKED
    part(tmp_path).parent.mkdir(parents=True)
    part(tmp_path).write_bytes(PACKED + b"x" * extra)
    answer = fetch("tiny", "--mirror", site.address)
    assert answer.returncode == 0, answer.stderr
    assert len(site.requests) == (1 if extra == 0 else 2)
    assert target(tmp_path).read_bytes() == PACKED


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (PACKED[:-9], "ends in the middle"),
        (PACKED[:-8] + bytes(8), "incorrect data check"),
        (b"<html>we have moved</html>", "incorrect header check"),
        (PACKED + b"trailing", "incorrect header check"),
        (b"", "empty"),
    ],
    ids=["cut", "wrong-checksum", "html", "trailing-garbage", "empty"],
)
def test_what_is_no_whole_gzip_file_is_not_kept(
    site, fetch, tmp_path, needs_download, body, reason
):
    site.files["/" + PLACE.format("tiny")] = body
    refused(fetch("tiny", "--mirror", site.address), "no whole gzip file", reason)
    assert not target(tmp_path).exists()
    assert not part(tmp_path).exists()


def test_several_gzip_members_are_one_file(site, fetch, tmp_path, needs_download):
    site.files["/" + PLACE.format("tiny")] = PACKED + PACKED
    assert fetch("tiny", "--mirror", site.address).returncode == 0
    assert target(tmp_path).read_bytes() == PACKED + PACKED


def test_two_processes_fetch_one_file_once(site, fetch, bfslab, tmp_path, needs_download):
    """One holds the lock (here: this test); the other waits, and finds the file there."""
    site.files["/" + PLACE.format("tiny")] = PACKED
    part(tmp_path).parent.mkdir(parents=True)
    with part(tmp_path).open("wb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        second = subprocess.Popen(
            [
                bfslab,
                "graph",
                "fetch",
                "tiny",
                "--data",
                tmp_path / "data",
                "--mirror",
                site.address,
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert "waiting" in second.stderr.readline()
        held.write(PACKED)
        held.flush()
        os.rename(part(tmp_path), target(tmp_path))
    output, errors = second.communicate(timeout=60)
    assert second.returncode == 0
    assert output == f"{target(tmp_path)}\n"
    assert "already there" in errors
    assert site.requests == []
    assert not part(tmp_path).exists()


def test_mirror_folder_is_copied(fetch, tmp_path):
    source = tmp_path / "mirror" / PLACE.format("tiny")
    source.parent.mkdir(parents=True)
    source.write_bytes(PACKED)
    answer = fetch("tiny", "--mirror", str(tmp_path / "mirror"))
    assert answer.returncode == 0, answer.stderr
    assert target(tmp_path).read_bytes() == PACKED
    assert source.exists()


def test_mirror_folder_without_the_file(fetch, tmp_path):
    answer = fetch("tiny", "--mirror", str(tmp_path))
    refused(answer, str(tmp_path / PLACE.format("tiny")), "By hand", str(target(tmp_path)))
    assert not part(tmp_path).exists()


def test_mirror_folder_with_a_damaged_file(fetch, tmp_path):
    source = tmp_path / "mirror" / PLACE.format("tiny")
    source.parent.mkdir(parents=True)
    source.write_bytes(PACKED[:100])
    refused(fetch("tiny", "--mirror", str(tmp_path / "mirror")), "no whole gzip file")
    assert not target(tmp_path).exists()


@pytest.mark.parametrize(
    "name", ["konect:tiny", "snap:", "../tiny", "snap:a/b", "tiny,relabel=none"]
)
def test_names_that_cannot_be(fetch, tmp_path, name):
    refused(fetch(name, "--mirror", str(tmp_path)), "expected")
    assert not (tmp_path / "data").exists()


def test_the_default_place_is_the_cache(bfslab, tmp_path):
    source = tmp_path / "mirror" / PLACE.format("tiny")
    source.parent.mkdir(parents=True)
    source.write_bytes(PACKED)
    command = [bfslab, "graph", "fetch", "tiny", "--mirror", str(tmp_path / "mirror")]
    answer = subprocess.run(
        command,
        capture_output=True,
        text=True,
        env={**os.environ, "BFSLAB_CACHE": str(tmp_path / "cache")},
    )
    assert answer.stdout == f"{tmp_path}/cache/data/{PLACE.format('tiny')}\n"


def test_a_folder_that_cannot_be_made(bfslab, tmp_path):
    in_the_way = tmp_path / "file"
    in_the_way.write_text("")
    command = [bfslab, "graph", "fetch", "tiny", "--mirror", str(tmp_path), "--data"]
    answer = subprocess.run([*command, str(in_the_way)], capture_output=True, text=True)
    refused(answer, str(in_the_way), "--data DIR")
