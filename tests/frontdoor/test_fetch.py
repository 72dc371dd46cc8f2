# SPDX-License-Identifier: Apache-2.0
"""`bfslab graph fetch` against a server on loopback that serves well, badly, and not at all."""

import bz2
import email.utils
import fcntl
import gzip
import io
import os
import random
import shutil
import signal
import subprocess
import tarfile
import time
from pathlib import Path

import pytest
from hostile_server import serve

from tests.real_data import real_data

PLACE = "snap.stanford.edu/data/{}.txt.gz"
TINY = PLACE.format("tiny")
OFFICIAL = "https://" + TINY
EDGES = "".join(f"{i}\t{i + 1}\n" for i in range(40_000))
PACKED = gzip.compress(EDGES.encode(), mtime=0)
OTHER = gzip.compress(EDGES[: len(EDGES) // 2].encode(), mtime=0)


@pytest.fixture
def site():
    with serve() as state:
        state.files["/" + TINY] = PACKED
        yield state


@pytest.fixture
def clean():
    """The environment without proxies and without bfslab's own settings."""
    return {
        k: v
        for k, v in os.environ.items()
        if not k.lower().endswith("_proxy") and not k.startswith("BFSLAB_")
    }


@pytest.fixture
def fetch(bfslab, tmp_path, clean):
    """Calls `bfslab graph fetch ARGUMENT...` with --data under tmp_path and short waits."""

    def call(*arguments, **environment):
        command = [bfslab, "graph", "fetch", "--data", tmp_path / "data", "--backoff", "0.01"]
        return subprocess.run(
            [*command, *arguments],
            capture_output=True,
            text=True,
            timeout=120,
            env={**clean, **environment},
        )

    return call


@pytest.fixture
def needs_download(bfslab, clean):
    """Skips where this build has no libcurl; asks the program itself, at an unused port."""
    command = [bfslab, "graph", "fetch", "snap:x", "--mirror", "http://127.0.0.1:1", "--retries=0"]
    answer = subprocess.run(
        [*command, "--data", "/tmp/bfslab-no-such-folder"],
        capture_output=True,
        text=True,
        env=clean,
    )
    if "without libcurl" in answer.stderr:
        pytest.skip("this bfslab was built without libcurl")


def target(tmp_path: Path, place: str = TINY) -> Path:
    return tmp_path / "data" / place


def part(tmp_path: Path, place: str = TINY) -> Path:
    return Path(f"{target(tmp_path, place)}.part")


def files_below(folder: Path) -> list[str]:
    return sorted(str(f.relative_to(folder)) for f in folder.rglob("*") if not f.is_dir())


def refused(answer, *expected: str) -> None:
    """One message, exit 2, nothing on standard output."""
    assert answer.returncode == 2, answer.stderr
    assert answer.stdout == ""
    for text in expected:
        assert text in answer.stderr


def fetched(answer, tmp_path: Path, content: bytes = PACKED) -> None:
    """The file exists with these bytes, and nothing else is left."""
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout == f"{target(tmp_path)}\n"
    assert target(tmp_path).read_bytes() == content
    assert files_below(tmp_path / "data") == [TINY]


def wait_for(condition) -> None:
    """Polls a state; a test that waits in vain is stopped by its own process ending."""
    while not condition():
        time.sleep(0.01)


# --- the plain cases


def test_fetches_and_prints_the_path(site, fetch, tmp_path, needs_download):
    answer = fetch("snap:tiny", "--mirror", site.address)
    fetched(answer, tmp_path)
    assert "\r" not in answer.stderr  # no progress bar where there is no terminal


def test_second_call_asks_nobody(site, fetch, tmp_path, needs_download):
    assert fetch("snap:tiny", "--mirror", site.address + "/").returncode == 0
    answer = fetch("snap:tiny,symmetrize=false", "--mirror", site.address)
    assert answer.returncode == 0
    assert "already there" in answer.stderr
    assert len(site.requests) == 1


def test_a_file_put_by_hand_counts_as_there(fetch, tmp_path):
    by_hand = tmp_path / "data" / "tiny.txt"
    by_hand.parent.mkdir()
    by_hand.write_text(EDGES)
    answer = fetch("snap:tiny", "--mirror", str(tmp_path / "no-such-mirror"))
    assert answer.returncode == 0
    assert answer.stdout == f"{by_hand}\n"


def test_missing_names_the_address_and_the_place(site, fetch, tmp_path, needs_download):
    del site.files["/" + TINY]
    answer = fetch("snap:tiny", "--mirror", site.address)
    refused(answer, "404", OFFICIAL, "By hand", str(target(tmp_path)))
    assert len(site.requests) == 1  # a 404 does not get better
    assert files_below(tmp_path / "data") == []


def test_nobody_listens(fetch, tmp_path, needs_download):
    answer = fetch("snap:tiny", "--mirror", "http://127.0.0.1:1", "--retries", "2")
    refused(answer, OFFICIAL, str(target(tmp_path)), "retry 2 of 2", "after 2 retries")


def test_one_missing_graph_does_not_keep_the_others(site, fetch, tmp_path, needs_download):
    answer = fetch("snap:gone", "snap:tiny", "--mirror", site.address)
    assert answer.returncode == 2
    assert answer.stdout == f"{target(tmp_path)}\n"
    assert "gone" in answer.stderr


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("konect:", "expected konect:NAME"),
        ("../tiny", "the catalogue has no"),
        ("snap:a/b", "expected snap:NAME"),
        ("suitesparse:one", "suitesparse:GROUP/NAME"),
        ("kronecker:scale=4", "generated"),
        ("soc-Epinions2", 'did you mean "soc-Epinions1"'),
    ],
)
def test_names_that_cannot_be(fetch, tmp_path, name, expected):
    refused(fetch(name, "--mirror", str(tmp_path)), expected)
    assert not (tmp_path / "data").exists()


def test_the_default_place_is_the_cache(bfslab, tmp_path, clean):
    source = tmp_path / "mirror" / TINY
    source.parent.mkdir(parents=True)
    source.write_bytes(PACKED)
    answer = subprocess.run(
        [bfslab, "graph", "fetch", "snap:tiny"],
        capture_output=True,
        text=True,
        env={
            **clean,
            "BFSLAB_CACHE": str(tmp_path / "cache"),
            "BFSLAB_MIRROR": str(tmp_path / "mirror"),
        },
    )
    assert answer.stdout == f"{tmp_path}/cache/data/{TINY}\n"


# --- interruptions and retries


def test_a_cut_connection_is_continued_at_once(site, fetch, tmp_path, needs_download):
    site.answers = [{"cut": 5000}, {"cut": 1000}]
    answer = fetch("snap:tiny", "--mirror", site.address)
    fetched(answer, tmp_path)
    assert site.asked() == [None, "bytes=5000-", "bytes=6000-"]
    assert "retry 1 of 4" in answer.stderr and "continuing" in answer.stderr


def test_a_cut_connection_is_continued_by_the_next_call(site, fetch, tmp_path, needs_download):
    site.answers = [{"cut": 5000}]
    refused(fetch("snap:tiny", "--mirror", site.address, "--retries=0"), "5000 bytes are kept")
    assert part(tmp_path).read_bytes() == PACKED[:5000]
    assert not target(tmp_path).exists()
    fetched(fetch("snap:tiny", "--mirror", site.address), tmp_path)
    assert site.asked() == [None, "bytes=5000-"]


def test_a_cut_that_looks_complete(site, fetch, tmp_path, needs_download):
    """Without an announced length only unpacking reveals it."""
    site.answers = [{"cut": 5000, "chunked": True}]
    answer = fetch("snap:tiny", "--mirror", site.address)
    fetched(answer, tmp_path)
    assert "retry 1 of 4" in answer.stderr and "cut off" in answer.stderr


def test_a_stall_is_given_up_and_continued(site, fetch, tmp_path, needs_download):
    site.answers = [{"stall": 5000}]
    fetched(fetch("snap:tiny", "--mirror", site.address, "--timeout", "1"), tmp_path)
    assert site.asked() == [None, "bytes=5000-"]


def test_progress_gives_new_retries(site, fetch, tmp_path, needs_download):
    """Six cuts, two retries: each try brings more than a MiB."""
    noise = gzip.compress(random.Random(1).randbytes(9 << 20), 1, mtime=0)
    site.files["/" + TINY] = noise
    site.answers = [{"cut": 1_200_000}] * 6
    fetched(fetch("snap:tiny", "--mirror", site.address, "--retries=2"), tmp_path, noise)


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
def test_busy_servers_are_asked_again(site, fetch, tmp_path, needs_download, status):
    site.answers = [{"status": status}, {"status": status, "headers": {"Retry-After": "0"}}]
    answer = fetch("snap:tiny", "--mirror", site.address)
    fetched(answer, tmp_path)
    assert f"answered {status}; retry 2 of 4" in answer.stderr


@pytest.mark.parametrize("status", [401, 403, 404, 410, 304])
def test_a_refusal_is_final(site, fetch, tmp_path, needs_download, status):
    site.answers = [{"status": status}]
    refused(fetch("snap:tiny", "--mirror", site.address), f"answered {status}", "By hand")
    assert len(site.requests) == 1


def test_retries_are_limited(site, fetch, tmp_path, needs_download):
    site.answers = [{"status": 503}] * 9
    refused(fetch("snap:tiny", "--mirror", site.address, "--retries=3"), "503, after 3 retries")
    assert len(site.requests) == 4


def test_retry_after_is_honoured(site, fetch, tmp_path, needs_download):
    site.answers = [{"status": 429, "headers": {"Retry-After": "1"}}]
    answer = fetch("snap:tiny", "--mirror", site.address)
    fetched(answer, tmp_path)
    assert "retry 1 of 4 in 1.0 s" in answer.stderr


@pytest.mark.parametrize("form", ["seconds", "date"])
def test_a_server_that_asks_for_hours_is_left_alone(site, fetch, tmp_path, needs_download, form):
    later = (
        "36000" if form == "seconds" else email.utils.formatdate(time.time() + 36000, usegmt=True)
    )
    site.answers = [{"status": 503, "headers": {"Retry-After": later}}]
    refused(fetch("snap:tiny", "--mirror", site.address), "asks for a retry in")
    assert len(site.requests) == 1


def test_ctrl_c_leaves_the_part(site, bfslab, fetch, tmp_path, clean, needs_download):
    site.answers = [{"stall": 5000}]
    process = subprocess.Popen(
        [bfslab, "graph", "fetch", "snap:tiny", "--data", tmp_path / "data"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**clean, "BFSLAB_MIRROR": site.address},
        # Tests that a shell starts in the background ignore the signal, and children inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    wait_for(
        lambda: (
            process.poll() is not None
            or (part(tmp_path).exists() and part(tmp_path).stat().st_size == 5000)
        )
    )
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode != 0
    fetched(fetch("snap:tiny", "--mirror", site.address), tmp_path)
    assert site.asked() == [None, "bytes=5000-"]


# --- the right bytes of the right edition


def test_a_server_that_ignores_ranges_sends_all_anew(site, fetch, tmp_path, needs_download):
    site.answers = [{"cut": 5000}, {"ranges": False}]
    answer = fetch("snap:tiny", "--mirror", site.address)
    fetched(answer, tmp_path)
    assert "from its first byte on" in answer.stderr


def change(site) -> None:
    site.files["/" + TINY] = OTHER
    site.etags["/" + TINY] = '"second"'
    site.dates["/" + TINY] = "Tue, 02 Jan 2024 00:00:00 GMT"


@pytest.mark.parametrize("validator", ["etag", "date"])
def test_a_file_that_changes_is_begun_anew(site, fetch, tmp_path, needs_download, validator):
    known = {"etag": (site.etags, '"first"'), "date": (site.dates, "Mon, 01 Jan 2024 00:00:00 GMT")}
    known[validator][0]["/" + TINY] = known[validator][1]
    site.answers = [{"cut": 2000, "then": lambda: change(site)}]
    fetched(fetch("snap:tiny", "--mirror", site.address), tmp_path, OTHER)
    assert site.asked("If-Range") == [None, known[validator][1]]


def test_a_changed_file_is_seen_without_if_range(site, fetch, tmp_path, needs_download):
    site.etags["/" + TINY] = '"first"'
    site.answers = [{"cut": 2000, "then": lambda: change(site)}, {"if_range": False}]
    answer = fetch("snap:tiny", "--mirror", site.address)
    fetched(answer, tmp_path, OTHER)
    assert "has changed on the server" in answer.stderr


def test_a_changed_file_without_any_validator(site, fetch, tmp_path, needs_download):
    """The file's own checksum reveals it."""

    def swap():
        site.files["/" + TINY] = gzip.compress(EDGES[::-1].encode(), mtime=0)

    site.answers = [{"cut": 2000, "then": swap}]
    answer = fetch("snap:tiny", "--mirror", site.address)
    fetched(answer, tmp_path, site.files["/" + TINY])
    assert "starting again" in answer.stderr


def test_weak_validators_are_not_used(site, fetch, tmp_path, needs_download):
    site.etags["/" + TINY] = 'W/"first"'
    site.answers = [{"cut": 2000}]
    fetched(fetch("snap:tiny", "--mirror", site.address), tmp_path)
    assert site.asked("If-Range") == [None, None]


def test_another_range_than_was_asked_for(site, fetch, tmp_path, needs_download):
    site.answers = [{"cut": 2000}, {"shift": 100}]
    answer = fetch("snap:tiny", "--mirror", site.address)
    fetched(answer, tmp_path)
    assert "starting again" in answer.stderr


def test_a_part_of_another_edition_is_fetched_anew(site, fetch, tmp_path, needs_download):
    part(tmp_path).parent.mkdir(parents=True)
    part(tmp_path).write_bytes(random.Random(1).randbytes(3000))
    answer = fetch("snap:tiny", "--mirror", site.address)
    fetched(answer, tmp_path)
    assert "starting again" in answer.stderr
    assert site.asked() == ["bytes=3000-", None]


@pytest.mark.parametrize("extra", [0, 400])
def test_a_part_that_is_as_long_as_the_file(site, fetch, tmp_path, needs_download, extra):
    """The server answers 416: a whole part is taken as it is, one that is too long is not."""
    part(tmp_path).parent.mkdir(parents=True)
    part(tmp_path).write_bytes(PACKED + b"x" * extra)
    fetched(fetch("snap:tiny", "--mirror", site.address), tmp_path)
    assert len(site.requests) == (1 if extra == 0 else 2)


def test_a_server_that_always_changes_is_given_up(site, fetch, tmp_path, needs_download):
    site.answers = [{"cut": 2000}, *[{"shift": 1}, {"cut": 2000}] * 9]
    refused(fetch("snap:tiny", "--mirror", site.address), "repeatedly")


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (PACKED[:-9], "cut off"),
        (PACKED[:-8] + bytes(8), "incorrect data check"),
        (EDGES.encode(), "it is not a gzip file"),
        (PACKED + b"trailing", "follow the gzip stream"),
        (b"", "empty"),
        (
            b"<!DOCTYPE html><title>We have\n moved</title>",
            'web page (HTML) titled "We have moved"',
        ),
        (b"\xef\xbb\xbf\n <HTML>Please log in", "web page (HTML)"),
    ],
    ids=["cut", "wrong-checksum", "plain", "trailing-garbage", "empty", "page", "login"],
)
def test_what_is_not_the_file_is_not_kept(site, fetch, tmp_path, needs_download, body, reason):
    site.files["/" + TINY] = body
    refused(fetch("snap:tiny", "--mirror", site.address), reason, "By hand")
    assert files_below(tmp_path / "data") == []


def test_several_gzip_streams_are_one_file(site, fetch, tmp_path, needs_download):
    site.files["/" + TINY] = PACKED + PACKED
    fetched(fetch("snap:tiny", "--mirror", site.address), tmp_path, PACKED + PACKED)


def test_a_wrong_checksum_is_refused_and_kept_aside(site, fetch, bfslab, tmp_path, clean):
    """wiki-Vote's text has a checksum in the catalogue; this is another text."""
    place = PLACE.format("wiki-Vote")
    mirror = tmp_path / "mirror" / place
    mirror.parent.mkdir(parents=True)
    mirror.write_bytes(PACKED)
    aside = f"{target(tmp_path, place)}.mismatch"
    refused(fetch("wiki-Vote", "--mirror", tmp_path / "mirror"), "sha256", "d2afbedf", aside)
    assert files_below(tmp_path / "data") == [place + ".mismatch"]
    assert Path(aside).read_bytes() == PACKED
    found = subprocess.run(
        [bfslab, "graph", "info", "wiki-Vote", "--data", tmp_path / "data", "--no-cache"],
        capture_output=True,
        text=True,
        env={**clean, "BFSLAB_OFFLINE": "1", "BFSLAB_CACHE": str(tmp_path / "cache")},
    )
    assert found.returncode == 2 and "wiki-Vote" in found.stderr


def test_packed_anew_is_said_and_accepted(fetch, tmp_path):
    """Of roadNet-CA the catalogue has only the packed file's checksum; a mirror packs it again."""
    place = PLACE.format("roadNet-CA")
    mirror = tmp_path / "mirror" / place
    mirror.parent.mkdir(parents=True)
    mirror.write_bytes(PACKED)
    answer = fetch("roadNet-CA", "--mirror", tmp_path / "mirror")
    assert answer.returncode == 0, answer.stderr
    assert "packed again, or another edition" in answer.stderr and "383f7b14" in answer.stderr
    assert target(tmp_path, place).read_bytes() == PACKED


# --- where to: addresses, redirects, certificates


def test_an_alternative_is_tried(site, fetch, tmp_path, needs_download):
    place = "sparse.tamu.edu/MM/SNAP/amazon0302.tar.gz"
    text = b"%%MatrixMarket matrix coordinate pattern general\n2 2 1\n2 1\n"
    site.files["/" + place] = packed_tar({"amazon0302/amazon0302.mtx": text}, "gz")
    answer = fetch("amazon0302", "--mirror", site.address)
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout == f"{target(tmp_path, place)}\n"
    assert "404; trying https://sparse.tamu.edu" in answer.stderr


def test_redirects_are_followed(site, fetch, tmp_path, needs_download):
    site.files["/elsewhere"] = site.files.pop("/" + TINY)
    site.answers = [{"status": 302, "headers": {"Location": site.address + "/elsewhere"}}]
    fetched(fetch("snap:tiny", "--mirror", site.address), tmp_path)


@pytest.mark.parametrize("where", ["file:///etc/passwd", "ftp://127.0.0.1/x", "/" + TINY])
def test_redirects_that_are_not_followed(site, fetch, tmp_path, needs_download, where):
    """To a file of ours, by another protocol, and round in circles."""
    site.answers = [{"status": 302, "headers": {"Location": where}}] * 20
    refused(fetch("snap:tiny", "--mirror", site.address), "By hand")
    assert files_below(tmp_path / "data") == []
    assert len(site.requests) <= 6


@pytest.fixture(scope="session")
def certificate(tmp_path_factory) -> Path:
    if shutil.which("openssl") is None:
        pytest.skip("making a certificate needs the openssl program")
    folder = tmp_path_factory.mktemp("certificate")
    command = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1".split()
    extra = ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", "key.pem", "-out", "cert.pem"]
    subprocess.run([*command, *extra], cwd=folder, check=True, capture_output=True)
    both = folder / "both.pem"
    both.write_text((folder / "key.pem").read_text() + (folder / "cert.pem").read_text())
    return both


def test_certificates_are_verified(certificate, fetch, tmp_path, needs_download):
    with serve(certificate) as site:
        site.files["/" + TINY] = PACKED
        refused(fetch("snap:tiny", "--mirror", site.address), "certificate")
        assert site.requests == []
        trusted = {"SSL_CERT_FILE": str(certificate)}
        fetched(fetch("snap:tiny", "--mirror", site.address, **trusted), tmp_path)


def test_never_from_https_to_http(site, certificate, fetch, tmp_path, needs_download):
    """Neither at once nor by way of an http mirror that leads to https and back."""
    trusted = {"SSL_CERT_FILE": str(certificate)}
    plain = site.address + "/" + TINY
    with serve(certificate) as secure:
        secure.answers = [{"status": 302, "headers": {"Location": plain}}] * 2
        answer = fetch("snap:tiny", "--mirror", secure.address, **trusted)
        refused(answer, "By hand")
        assert site.requests == []
        site.answers = [{"status": 302, "headers": {"Location": secure.address + "/x"}}]
        refused(fetch("snap:tiny", "--mirror", site.address, **trusted), "not encrypted")
        assert len(site.requests) == 1


# --- archives


def packed_tar(members: dict[str, bytes | str], packing: str) -> bytes:
    """A tar archive; a member whose content is a string is a link to it."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=f"w:{packing}") as archive:
        for name, content in members.items():
            entry = tarfile.TarInfo(name)
            if isinstance(content, str):
                entry.type, entry.linkname = tarfile.SYMTYPE, content
                archive.addfile(entry)
            else:
                entry.size = len(content)
                archive.addfile(entry, io.BytesIO(content))
    return buffer.getvalue()


KONECT = "konect.cc/files/download.tsv.tiny.tar.bz2"


def test_archives_write_nowhere(fetch, bfslab, tmp_path, clean):
    """Members that point outside are never unpacked: nothing is, the one that is meant is read."""
    escape = tmp_path / "escaped"
    archive = packed_tar(
        {
            "../../../../escaped": b"1 2\n",
            str(escape): b"1 2\n",
            "tiny/link": "/etc",
            "tiny/link/escaped": b"1 2\n",
            "tiny/out.tiny": b"% sym unweighted\n1 2\n2 3\n",
        },
        "bz2",
    )
    source = tmp_path / "mirror" / KONECT
    source.parent.mkdir(parents=True)
    source.write_bytes(archive)
    answer = fetch("konect:tiny", "--mirror", tmp_path / "mirror")
    assert answer.returncode == 0, answer.stderr
    info = subprocess.run(
        [bfslab, "graph", "info", "konect:tiny", "--data", tmp_path / "data", "--no-cache"],
        capture_output=True,
        text=True,
        env={**clean, "BFSLAB_CACHE": str(tmp_path / "cache")},
    )
    assert info.returncode == 0, info.stderr
    assert files_below(tmp_path) == sorted([f"data/{KONECT}", f"mirror/{KONECT}"])


@pytest.mark.parametrize(
    ("archive", "reason"),
    [
        (packed_tar({"tiny/meta.tiny": b"x"}, "bz2")[:-9], "tiny.tar.bz2"),
        (packed_tar({"tiny/a": b"x", "tiny/b": b"y"}, "bz2"), "out.*"),
        (packed_tar({"tiny/out.tiny": b"1 2\n"}, "gz"), "it is not a bzip2 file"),
        (bz2.compress(b"1 2\n"), "it is not a tar archive"),
    ],
    ids=["cut", "no-member", "other-packing", "no-tar"],
)
def test_what_is_not_the_archive_is_not_kept(fetch, tmp_path, archive, reason):
    source = tmp_path / "mirror" / KONECT
    source.parent.mkdir(parents=True)
    source.write_bytes(archive)
    refused(fetch("konect:tiny", "--mirror", tmp_path / "mirror"), reason, "By hand")
    assert files_below(tmp_path / "data") == []


# --- mirrors that are folders, and no network at all


def test_mirror_folder_is_copied(fetch, tmp_path):
    source = tmp_path / "mirror" / TINY
    source.parent.mkdir(parents=True)
    source.write_bytes(PACKED)
    fetched(fetch("snap:tiny", "--mirror", tmp_path / "mirror", "--offline"), tmp_path)
    assert source.exists()


def test_mirror_folder_without_the_file(fetch, tmp_path):
    answer = fetch("snap:tiny", "--mirror", str(tmp_path))
    refused(answer, str(tmp_path / TINY), "By hand", str(target(tmp_path)))
    assert files_below(tmp_path / "data") == []
    refused(fetch("snap:tiny", "--mirror", str(tmp_path / "gone")), "no such folder", "gone")


def test_mirror_folder_with_a_damaged_file(fetch, tmp_path):
    source = tmp_path / "mirror" / TINY
    source.parent.mkdir(parents=True)
    source.write_bytes(PACKED[:100])
    refused(fetch("snap:tiny", "--mirror", str(tmp_path / "mirror")), "cut off")
    assert files_below(tmp_path / "data") == []


@pytest.mark.parametrize("how", ["option", "environment"])
def test_offline_asks_nobody(site, fetch, tmp_path, how):
    arguments = ["snap:tiny", "--mirror", site.address]
    if how == "option":
        answer = fetch(*arguments, "--offline")
    else:
        answer = fetch(*arguments, BFSLAB_OFFLINE="1")
    refused(answer, "forbids the network", OFFICIAL, str(target(tmp_path)))
    assert site.requests == []
    refused(fetch(*arguments, BFSLAB_OFFLINE="maybe"), "BFSLAB_OFFLINE", "expected 1 or 0")


# --- several at once, and places that cannot be written


def test_two_processes_fetch_one_file_once(site, bfslab, tmp_path, clean, needs_download):
    command = [bfslab, "graph", "fetch", "snap:tiny", "--data", tmp_path / "data"]
    both = [
        subprocess.Popen(
            [*command, "--mirror", site.address], stdout=subprocess.PIPE, text=True, env=clean
        )
        for _ in range(2)
    ]
    for process in both:
        assert process.communicate(timeout=60)[0] == f"{target(tmp_path)}\n"
        assert process.returncode == 0
    assert len(site.requests) == 1
    assert files_below(tmp_path / "data") == [TINY]


def test_the_second_waits_for_the_first(site, bfslab, tmp_path, clean, needs_download):
    """One holds the lock (here: this test); the other says so, and finds the file there."""
    part(tmp_path).parent.mkdir(parents=True)
    command = [bfslab, "graph", "fetch", "snap:tiny", "--data", tmp_path / "data"]
    with part(tmp_path).open("wb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        second = subprocess.Popen(
            [*command, "--mirror", site.address],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=clean,
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


def test_a_folder_that_cannot_be_made(bfslab, tmp_path, clean):
    in_the_way = tmp_path / "file"
    in_the_way.write_text("")
    command = [bfslab, "graph", "fetch", "snap:tiny", "--mirror", str(tmp_path), "--data"]
    answer = subprocess.run([*command, str(in_the_way)], capture_output=True, text=True, env=clean)
    refused(answer, str(in_the_way), "--data DIR")


@pytest.fixture
def small_disk(tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    if os.geteuid() != 0:
        pytest.skip("mounting a small tmpfs needs root")
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder], capture_output=True, text=True
    )
    if mounted.returncode != 0:
        pytest.skip(f"cannot mount a small tmpfs: {mounted.stderr.strip()}")
    yield folder
    subprocess.run(["umount", folder], check=True)


def test_a_full_disk(site, fetch, tmp_path, small_disk, needs_download):
    noise = gzip.compress(random.Random(2).randbytes(200_000), 1, mtime=0)
    site.files["/" + TINY] = noise
    answer = fetch("snap:tiny", "--mirror", site.address)
    assert answer.returncode == 1
    assert "No space left" in answer.stderr and "continues from there" in answer.stderr
    kept = part(tmp_path).stat().st_size
    assert 0 < kept < len(noise)
    subprocess.run(["mount", "-o", "remount,size=8m", small_disk], check=True)
    fetched(fetch("snap:tiny", "--mirror", site.address), tmp_path, noise)
    assert site.asked() == [None, f"bytes={kept}-"]


# --- limits and traps


@pytest.mark.parametrize("answer", [{}, {"chunked": True}])
def test_more_than_the_allowed_size_is_refused(site, fetch, tmp_path, needs_download, answer):
    site.answers = [answer]
    mirror = ["--mirror", site.address]
    limit = len(PACKED) - 1
    refused(
        fetch("snap:tiny", *mirror, "--max-size", str(limit)),
        f"at most {limit} are expected",
        "--max-size",
        OFFICIAL,
    )
    assert files_below(tmp_path / "data") == []
    assert len(site.requests) == 1  # trying again would not help
    fetched(fetch("snap:tiny", *mirror, "--max-size", str(len(PACKED))), tmp_path)


def test_the_published_size_is_a_limit(site, fetch, tmp_path, needs_download):
    """opsahl-powergrid has 6,594 edges: 64 MiB and 128 bytes for each."""
    limit = (64 << 20) + 6594 * 128
    place = "konect.cc/files/download.tsv.opsahl-powergrid.tar.bz2"
    site.files["/" + place] = bytes(limit + 1)
    mirror = ["--mirror", site.address]
    refused(fetch("opsahl-powergrid", *mirror), f"at most {limit} are", "published number of edges")
    folder = tmp_path / "mirror" / place
    folder.parent.mkdir(parents=True)
    with open(folder, "wb") as file:
        file.truncate(limit + 1)
    refused(fetch("opsahl-powergrid", "--mirror", tmp_path / "mirror"), f"at most {limit} are")
    assert files_below(tmp_path / "data") == []
    allowed = fetch("opsahl-powergrid", *mirror, "--max-size", "1GB")
    assert "it is not a bzip2 file" in allowed.stderr


@pytest.mark.parametrize("suffix", [".part", ".part.origin"])
def test_planted_links_are_not_followed(site, fetch, tmp_path, needs_download, suffix):
    victim = tmp_path / "victim"
    victim.write_text("precious")
    link = Path(f"{target(tmp_path)}{suffix}")
    link.parent.mkdir(parents=True)
    link.symlink_to(victim)
    answer = fetch("snap:tiny", "--mirror", site.address)
    if suffix == ".part":
        refused(answer, "it is a symbolic link", str(link))
    else:
        fetched(answer, tmp_path)
    assert victim.read_text() == "precious"


def test_a_pipe_in_place_of_a_part_is_refused(site, fetch, tmp_path):
    part(tmp_path).parent.mkdir(parents=True)
    os.mkfifo(part(tmp_path))
    refused(fetch("snap:tiny", "--mirror", site.address), "it is not a regular file")
    part(tmp_path).unlink()
    Path(f"{part(tmp_path)}").write_bytes(PACKED[:100])
    os.mkfifo(f"{part(tmp_path)}.origin")
    fetched(fetch("snap:tiny", "--mirror", site.address), tmp_path)


# --- real files


@pytest.fixture(scope="session")
def real_mirror() -> Path:
    data = real_data()
    if data is None or not (data / "mirror").is_dir():
        pytest.skip("BFSLAB_TEST_DATA names no folder with mirror/")
    return data / "mirror"


REAL = {
    "wiki-Vote": PLACE,
    "soc-Epinions1": PLACE,
    "facebook_combined": PLACE,
    "web-NotreDame": PLACE,
    "delaunay_n13": "sparse.tamu.edu/MM/DIMACS10/{}.tar.gz",
    "rome99": "www.diag.uniroma1.it/challenge9/data/rome/{}.gr",
    "opsahl-powergrid": "konect.cc/files/download.tsv.{}.tar.bz2",
}


@pytest.mark.parametrize("way", ["folder", "server"])
def test_real_files_pass_their_checksums(site, fetch, tmp_path, real_mirror, way, needs_download):
    places = [place.format(name) for name, place in REAL.items()]
    for place in places:
        site.files["/" + place] = (real_mirror / place).read_bytes()
    answer = fetch(*REAL, "--mirror", site.address if way == "server" else real_mirror)
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout == "".join(f"{target(tmp_path, place)}\n" for place in places)
    for place in places:
        assert target(tmp_path, place).read_bytes() == (real_mirror / place).read_bytes()


def test_a_group(fetch, tmp_path, real_mirror):
    """What has no address is said; the rest of the group is fetched."""
    answer = fetch("small-real", "--mirror", real_mirror)
    assert answer.returncode == 2
    assert len(answer.stdout.splitlines()) == len(files_below(tmp_path / "data")) >= 12
    for name, page in {"wave": "AG-Monien/wave", "usroads-48": "Gleich/usroads-48"}.items():
        said = f"graph {name}: no address is known to fetch it from: see https://sparse.tamu.edu/{page}"
        assert said in answer.stderr
