"""A small HTTP server for this machine alone: JSON in, JSON out, one thread a connection. Knows no model.

Listens on 127.0.0.1 and answers only requests with that host, so that no web page can reach it by a name of its own.
"""

from __future__ import annotations

import json
import threading
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast

from bench.errors import UsageError
from bench.models.openai_api.format import BadRequest, to_error

__all__ = ["HttpRequest", "HttpResponse", "LoopbackServer", "Route"]

_HOST = "127.0.0.1"
_LARGEST_BYTES = 1 << 26
_IDLE_S = 600.0


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


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1  # head and body leave together
    timeout = _IDLE_S

    def do_GET(self) -> None:
        self._respond(None)

    def do_POST(self) -> None:
        try:
            body = self._read_body()
        except BadRequest as bad:
            self.close_connection = True  # the unread rest would be taken for the next request
            self._send(_error_response(bad))
            return
        self._respond(body)

    def _read_body(self) -> object:
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal():
            raise BadRequest("body: expected a Content-Length, got none", 411)
        if int(length) > _LARGEST_BYTES:
            raise BadRequest(f"body: expected at most {_LARGEST_BYTES} bytes, got {length}", 413)
        data = self.rfile.read(int(length))
        try:
            return json.loads(data)
        except ValueError as cause:
            raise BadRequest(f"body: expected JSON, got {data[:100]!r}") from cause

    def _respond(self, body: object) -> None:
        host = self.headers.get("Host", "").partition(":")[0]
        request = HttpRequest(self.command, self.path.partition("?")[0], body)
        try:
            if host not in (_HOST, "localhost"):
                raise BadRequest(f"host: expected {_HOST}, got {host!r}", 403)
            response = cast(_Server, self.server).route(request)
        except BadRequest as bad:
            response = _error_response(bad)
        except Exception as bug:
            response = HttpResponse(to_error(f"{type(bug).__name__}: {bug}", "server_error"), 500)
        self._send(response)

    def _send(self, response: HttpResponse) -> None:
        data = json.dumps(response.body).encode()
        try:
            self.send_response(response.status)
            for name, value in {"Content-Type": "application/json", **response.headers}.items():
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
