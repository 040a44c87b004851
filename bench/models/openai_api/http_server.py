"""A small HTTP server for this machine alone: JSON in, JSON out, one thread a connection. Knows no model.

Listens on 127.0.0.1 and answers only requests with that host, so that no web page can reach it by a name of its own;
and none that a browser sends for a page from elsewhere, or that a page could send without asking first (a body which
is not declared as JSON). Whatever a request is, its answer is JSON and the next request is not harmed.
"""

from __future__ import annotations

import json
import socket
import sys
import threading
import weakref
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast

from bench.errors import UsageError
from bench.models.openai_api.format import BadRequest, to_error

__all__ = ["HttpRequest", "HttpResponse", "LoopbackServer", "Route"]

_HOST = "127.0.0.1"
_LARGEST_BYTES = 1 << 26
_LENGTH_DIGITS = 12
_IDLE_S = 600.0
_BODY_S = 30.0
"""Wall seconds between two pieces of a body, after which the rest is not waited for."""
_LINGER_S = 2.0
"""Wall seconds that a client whose request was refused may go on sending before it reads the answer."""
_JSON = "application/json"
_OWN_SITES = ("same-origin", "none")
"""Of ``Sec-Fetch-Site``: a page of this server (there is none), or an address typed by the user."""


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """One request; ``body`` is the parsed JSON, None for a GET."""

    method: str
    path: str
    body: object = None


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """What is sent back: a JSON object, the status and further headers."""

    body: Mapping[str, Any]
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    content: bytes = b""
    """Sent in the place of ``body``, under a Content-Type among the headers."""


Route = Callable[[HttpRequest], HttpResponse]
"""Answers one request, from any thread. Raises: BadRequest."""


class LoopbackServer:
    """A running server; its threads end when it is closed or garbage-collected."""

    def __init__(self, route: Route, port: int = 0):
        """``port`` 0 = any free one. Raises: UsageError if the port is taken."""
        try:
            self._server = _Server((_HOST, port), _Handler)
        except (OSError, OverflowError) as cause:
            raise UsageError(f"port {port}: expected a free port, got {cause}; choose another, or 0 for any") from cause
        self._server.route = route
        threading.Thread(target=self._server.serve_forever, args=(0.1,), daemon=True, name="loopback").start()
        self._finalizer = weakref.finalize(self, _end_in_thread, self._server)
        self._finalizer.atexit = False  # the threads end with the process anyway

    @property
    def address(self) -> str:
        """``http://127.0.0.1:PORT``, without a slash at the end."""
        return f"http://{_HOST}:{self._server.server_address[1]}"

    def close(self) -> None:
        """Stop listening; a request being answered may still end. Closing twice does nothing."""
        if self._finalizer.detach():
            _end(self._server)


def _end(server: _Server) -> None:
    server.shutdown()
    server.server_close()


def _end_in_thread(server: _Server) -> None:
    """End a server from another thread: garbage may be collected in the server's own, which cannot wait for itself."""
    threading.Thread(target=_end, args=(server,), daemon=True).start()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    route: Route

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of a connection that its client broke off; anything else is a bug, and shown."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1  # head and body leave together
    timeout = _IDLE_S

    def do_GET(self) -> None:
        try:
            self._refuse_foreign()
        except BadRequest as bad:
            self._refuse(bad)
            return
        self._respond(None)

    def do_POST(self) -> None:
        try:
            self._refuse_foreign()
            body = self._read_body()
        except BadRequest as bad:
            self._refuse(bad)
            return
        self._respond(body)

    def _refuse_foreign(self) -> None:
        """Raises: BadRequest for what a web page may have sent: for another host, or from another site."""
        headers = self.headers
        host, origin = headers.get("Host", ""), headers.get("Origin")
        if host.partition(":")[0] not in (_HOST, "localhost"):
            raise BadRequest(f"host: expected {_HOST}, got {host[:100]!r}", 403)
        if origin is not None and origin != f"http://{host}":
            raise BadRequest(f"origin: expected a program of this machine, got the page {origin[:100]!r}", 403)
        if (site := headers.get("Sec-Fetch-Site", "none")) not in _OWN_SITES:
            raise BadRequest(f"sec-fetch-site: expected a program of this machine, got {site[:100]!r}", 403)

    def _read_body(self) -> object:
        length = self._read_length()
        if (kind := self.headers.get_content_type()) != _JSON:
            given = self.headers.get("Content-Type")
            got = "none" if given is None else repr(kind[:100])
            raise BadRequest(f"content-type: expected {_JSON}, got {got}", 415)
        self.connection.settimeout(_BODY_S)
        try:
            data = self.rfile.read(length)
        except TimeoutError as cause:
            raise BadRequest(f"body: expected {length} bytes, got less in {_BODY_S:g} s", 408) from cause
        finally:
            self.connection.settimeout(_IDLE_S)
        try:
            return json.loads(data)
        except (ValueError, RecursionError) as cause:
            raise BadRequest(f"body: expected JSON, got {data[:100]!r}") from cause

    def _read_length(self) -> int:
        """Return the length of the body. Raises: BadRequest for one that is not said, or said in two ways."""
        lengths = self.headers.get_all("Content-Length", [])
        if "Transfer-Encoding" in self.headers:
            raise BadRequest("body: expected a Content-Length and no Transfer-Encoding, got one", 411)
        if len(lengths) != 1 or not (lengths[0].isascii() and lengths[0].isdecimal()):
            raise BadRequest(f"body: expected one Content-Length, got {str(lengths)[:100] if lengths else 'none'}", 411)
        if len(lengths[0]) > _LENGTH_DIGITS or int(lengths[0]) > _LARGEST_BYTES:
            raise BadRequest(f"body: expected at most {_LARGEST_BYTES} bytes, got {lengths[0][:100]}", 413)
        return int(lengths[0])

    def _respond(self, body: object) -> None:
        request = HttpRequest(self.command, self.path.partition("?")[0], body)
        try:
            response = cast(_Server, self.server).route(request)
        except BadRequest as bad:
            response = _error_response(bad)
        except Exception as bug:
            response = HttpResponse(to_error(f"{type(bug).__name__}: {bug}", "server_error"), 500)
        self._send(response)

    def _refuse(self, bad: BadRequest) -> None:
        """Answer a request without reading all of it; the unread rest would be taken for the next request."""
        self.close_connection = True
        self._send(_error_response(bad))
        # What is still being sent is taken and thrown away, or the client's system may do so with our answer.
        with suppress(OSError):
            self.connection.shutdown(socket.SHUT_WR)
            self.connection.settimeout(_LINGER_S)
            left = _LARGEST_BYTES
            while left > 0 and (got := self.connection.recv(1 << 16)):
                left -= len(got)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answer what the library itself refuses (no HTTP, another method, a line too long) as everything else."""
        self._refuse(BadRequest(f"request: {message or explain or self.responses[code][0]}", code))

    def _send(self, response: HttpResponse) -> None:
        data = response.content or json.dumps(response.body).encode()
        try:
            self.send_response(response.status)
            for name, value in {"Content-Type": _JSON, **response.headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)
            self.wfile.flush()
        except OSError:
            self.close_connection = True  # the client did not wait

    def log_message(self, format: str, *args: object) -> None:
        """Print nothing: requests stand in the ledger, and standard error belongs to the command."""


def _error_response(bad: BadRequest) -> HttpResponse:
    return HttpResponse(to_error(str(bad), "invalid_request_error"), bad.status)
