"""The loopback server: JSON in, JSON out, errors as OpenAI writes them, and an end that frees the port."""

from __future__ import annotations

import gc
import http.client
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import pytest

from bench.errors import UsageError
from bench.models.openai_api.format import BadRequest
from bench.models.openai_api.http_server import HttpRequest, HttpResponse, LoopbackServer


def route(request: HttpRequest) -> HttpResponse:
    if request.path == "/bad":
        raise BadRequest("path: expected another, got /bad", 404)
    if request.path == "/bug":
        raise KeyError("bug")
    return HttpResponse({"method": request.method, "path": request.path, "body": request.body}, 201, {"X-Test": "1"})


@pytest.fixture
def server() -> Iterator[LoopbackServer]:
    running = LoopbackServer(route)
    yield running
    running.close()


@dataclass(frozen=True)
class Received:
    status: int
    headers: dict[str, str]
    body: Any


def send(server: LoopbackServer, method: str, path: str, body: bytes | None = None, **headers: str) -> Received:
    connection = http.client.HTTPConnection(urlsplit(server.address).netloc, timeout=20)
    try:
        connection.request(method, path, body, {"Content-Type": "application/json", **headers})
        response = connection.getresponse()
        return Received(response.status, dict(response.getheaders()), json.loads(response.read()))
    finally:
        connection.close()


def test_route_gets_method_path_and_parsed_body(server: LoopbackServer) -> None:
    got = send(server, "POST", "/v1/x?query=1", json.dumps({"ä": [1]}).encode())
    assert (got.status, got.headers["X-Test"]) == (201, "1")
    assert got.body == {"method": "POST", "path": "/v1/x", "body": {"ä": [1]}}
    assert send(server, "GET", "/v1/y").body == {"method": "GET", "path": "/v1/y", "body": None}


@pytest.mark.parametrize(
    ("path", "body", "status", "kind", "message"),
    [
        ("/bad", b"{}", 404, "invalid_request_error", "path: expected another"),
        ("/bug", b"{}", 500, "server_error", "KeyError: 'bug'"),
        ("/x", b"{no json", 400, "invalid_request_error", "body: expected JSON"),
    ],
)
def test_errors_are_written_as_openai_writes_them(
    server: LoopbackServer, path: str, body: bytes, status: int, kind: str, message: str
) -> None:
    got = send(server, "POST", path, body)
    assert (got.status, got.body["error"]["type"]) == (status, kind)
    assert message in got.body["error"]["message"]


def test_body_over_the_limit_is_refused_unread(server: LoopbackServer) -> None:
    got = send(server, "POST", "/x", b"", **{"Content-Length": str(1 << 27)})
    assert got.status == 413


def test_request_for_another_host_is_refused(server: LoopbackServer) -> None:
    assert send(server, "GET", "/x", Host="evil.example").status == 403
    assert send(server, "GET", "/x", Host="localhost:1").status == 201


def test_taken_and_impossible_ports_are_usage_errors(server: LoopbackServer) -> None:
    for port in (urlsplit(server.address).port or 0, 70000):
        with pytest.raises(UsageError, match=f"port {port}: expected a free port"):
            LoopbackServer(route, port)


def test_close_frees_the_port_and_may_be_called_twice() -> None:
    server = LoopbackServer(route)
    port = urlsplit(server.address).port or 0
    server.close()
    server.close()
    again = LoopbackServer(route, port)
    assert send(again, "GET", "/x").status == 201
    again.close()


def test_garbage_collection_ends_the_server() -> None:
    before = set(threading.enumerate())
    server = LoopbackServer(route)
    own = set(threading.enumerate()) - before
    assert own
    del server
    gc.collect()
    for thread in own:
        thread.join(60)
        assert not thread.is_alive()
