# SPDX-License-Identifier: Apache-2.0
"""A web server on loopback that serves well, badly, and not at all, as a test tells it to."""

from __future__ import annotations

import contextlib
import http.server
import ssl
import threading
from collections.abc import Iterator
from pathlib import Path


class Site:
    """What the server has, how it answers, and the requests that it saw.

    `answers` holds one dictionary a request, used up in order; a request after the last is
    answered well. Keys:
      status    this status, without a body
      headers   these headers too
      body      this body instead of the file's
      cut       so many bytes of the body are sent, then the connection closes
      stall     so many bytes are sent, then nothing any more
      chunked   the length is not announced
      ranges    False: the whole file whatever range is asked for
      if_range  False: the range is sent although the file has changed
      shift     a range begins so many bytes later than was asked for
      then      called when all that is told has been sent
    """

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.etags: dict[str, str] = {}
        self.dates: dict[str, str] = {}
        self.answers: list[dict] = []
        self.requests: list[tuple[str, dict[str, str]]] = []
        self.address = ""
        self.over = threading.Event()

    def asked(self, header: str = "Range") -> list[str | None]:
        """That header of every request."""
        return [headers.get(header.lower()) for _, headers in self.requests]


class Handler(http.server.BaseHTTPRequestHandler):
    site: Site

    def do_GET(self):
        site = self.site
        headers = {name.lower(): value for name, value in self.headers.items()}
        site.requests.append((self.path, headers))
        answer = site.answers.pop(0) if site.answers else {}
        self.close_connection = True
        body = answer.get("body", site.files.get(self.path))
        if "status" in answer or body is None:
            self.send_response(answer.get("status", 404))
            for name, value in answer.get("headers", {}).items():
                self.send_header(name, value)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        self.send_body(answer, headers, body)

    def send_body(self, answer, headers, body):
        site = self.site
        start = 0
        same = headers.get("if-range") in (
            None,
            site.etags.get(self.path),
            site.dates.get(self.path),
        )
        wanted = headers.get("range")
        if wanted and answer.get("ranges", True) and (same or not answer.get("if_range", True)):
            start = int(wanted.removeprefix("bytes=").rstrip("-"))
            if start >= len(body):
                self.send_response(416)
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            start += answer.get("shift", 0)
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {start}-{len(body) - 1}/{len(body)}")
        else:
            self.send_response(200)
        for name, known in (("ETag", site.etags), ("Last-Modified", site.dates)):
            if self.path in known:
                self.send_header(name, known[self.path])
        for name, value in answer.get("headers", {}).items():
            self.send_header(name, value)
        rest = body[start:]
        if not answer.get("chunked"):
            self.send_header("Content-Length", str(len(rest)))
        self.end_headers()
        with contextlib.suppress(ConnectionError):
            self.wfile.write(rest[: answer.get("stall", answer.get("cut"))])
        self.wfile.flush()
        answer.get("then", lambda: None)()
        if "stall" in answer:
            site.over.wait(60)

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def serve(certificate: Path | None = None) -> Iterator[Site]:
    """A site that answers until the block ends; by TLS with this certificate and its key."""
    site = Site()
    handler = type("BoundHandler", (Handler,), {"site": site})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    server.handle_error = lambda *_: None
    scheme = "http"
    if certificate is not None:
        scheme = "https"
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    site.address = f"{scheme}://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield site
    finally:
        site.over.set()
        server.shutdown()
        thread.join()
        server.server_close()
