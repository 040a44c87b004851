"""Requests that are wrong, broken or sent by a web page: each gets an answer in JSON, and harms nobody but itself."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bench.embedders.hash import HashEmbedder
from bench.models.openai_api import http_server
from bench.models.openai_api.ledger_proxy import LedgerProxy
from bench.models.openai_api.offline_server import OfflineServer
from bench.models.scripted import ScriptedModel

CHAT, VECTORS = "/talk/read/v1/chat/completions", "/talk/read/v1/embeddings"
GOOD = b'{"messages": [{"role": "user", "content": "hi"}]}'
TYPE = "Content-Type: application/json"
KEY = "planted-key-of-the-proxy"


@pytest.fixture
def proxy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LedgerProxy]:
    monkeypatch.setenv("MY_TEST_KEY", KEY)
    running = LedgerProxy(ScriptedModel(lambda _messages, _role: "fine"), HashEmbedder(), tmp_path / "calls.jsonl")
    yield running
    running.close()


def exchange(url: str, data: bytes) -> tuple[int, Any]:
    """Send bytes as they are; return the status of the answer (0 = none is said) and its JSON, once it is whole."""
    with socket.create_connection((urlsplit(url).hostname, urlsplit(url).port), timeout=60) as line:
        line.sendall(data)
        got = b""
        while piece := line.recv(1 << 16):
            got += piece
            head, blank, body = got.partition(b"\r\n\r\n")
            length = re.search(rb"Content-Length: (\d+)", head)
            if blank and length and len(body) >= int(length[1]):
                break
    head, _, body = got.rpartition(b"\r\n\r\n")
    return int(head.split()[1]) if head else 0, json.loads(body)


def send(
    url: str, body: bytes, path: str = CHAT, headers: tuple[str, ...] = (TYPE,), length: str | None = None
) -> tuple[int, Any]:
    lines = (f"POST {path} HTTP/1.1", "Host: 127.0.0.1", *headers, f"Content-Length: {length or len(body)}", "", "")
    return exchange(url, "\r\n".join(lines).encode("latin-1") + body)


def chat(content: str, more: str = "") -> bytes:
    return f'{{{more}"messages": [{{"role": "user", "content": {content}}}]}}'.encode()


@pytest.mark.parametrize(
    ("body", "path"),
    [
        (chat('"hi"', '"max_tokens": 1e400, '), CHAT),
        (chat('"hi"', '"temperature": NaN, '), CHAT),
        (chat('"hi"', '"seed": -Infinity, '), CHAT),
        (chat('"hi"', f'"temperature": 1{"0" * 400}, '), CHAT),
        (chat('"hi"', f'"max_tokens": 1{"0" * 5000}, '), CHAT),
        (chat('"hi"', f'"seed": {1 << 63}, '), CHAT),
        (chat('"\\ud800"'), CHAT),
        (chat('"hi"', '"stop": ["\\udfff"], '), CHAT),
        (chat('"hi"', '"metadata": {"\\ud800": 1}, '), CHAT),
        (b'{"messages": [{"role": "user", "content": "\xed\xa0\x80"}]}', CHAT),
        (b'{"input": "\\ud800"}', VECTORS),
        (b"[" * 100_000, CHAT),
        (b'{"a":' * 100_000, CHAT),
        (chat("[" * 500 + "]" * 500), CHAT),
        (b'{"messages": ' + b"[" * 900 + b"]" * 900 + b"}", CHAT),
        (b'{"messages": [{"role": ["user"], "content": "hi"}]}', CHAT),
        (b'{"messages": [{"role": "user", "content": [{"type": "text", "text": {}}]}]}', CHAT),
        (b'{"messages": [{"role": "user", "content": [{"type": "image_url"}]}]}', CHAT),
        (b"\xff\xfe\xfd", CHAT),
        (b"null", CHAT),
        (b"", CHAT),
    ],
    ids=repr,
)
def test_bad_body_is_refused_and_the_next_request_of_its_trial_is_answered(
    proxy: LedgerProxy, tmp_path: Path, body: bytes, path: str
) -> None:
    status, answer = send(proxy.url, body, path)
    assert (status, answer["error"]["type"]) == (400, "invalid_request_error")
    assert send(proxy.url, GOOD)[0] == 200
    assert send(proxy.url, b'{"input": "a mug"}', VECTORS)[0] == 200
    rows = [json.loads(line) for line in (tmp_path / "calls.jsonl").read_text().splitlines()]
    assert [(row["trial"], row["index"], row["status"]) for row in rows] == [("talk", 0, "ok"), ("talk", 1, "ok")]


def test_nul_and_other_control_characters_are_text_like_any_other(proxy: LedgerProxy) -> None:
    assert send(proxy.url, chat('"a\\u0000b\\u001b[31m\\u202e"'))[0] == 200


@given(
    body=st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
            st.sampled_from(["messages", "role", "content", "input", "type", "text", "stop", "seed"]), inner
        ),
    )
)  # fmt: skip
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_body_whatever_is_a_server_error(proxy: LedgerProxy, body: object) -> None:
    data = json.dumps(body).encode()
    assert send(proxy.url, data)[0] in (200, 400)
    assert send(proxy.url, data, VECTORS)[0] in (200, 400)


@pytest.mark.parametrize(
    ("length", "status"),
    [("9" * 5000, 413), (str(1 << 40), 413), (str((1 << 26) + 1), 413), ("-1", 411), ("+5", 411), ("0x10", 411),
     ("1_0", 411), ("5\r\nContent-Length: 45", 411)],
)  # fmt: skip
def test_absurd_length_gets_an_answer(proxy: LedgerProxy, length: str, status: int) -> None:
    got, answer = send(proxy.url, GOOD, length=length)
    assert (got, answer["error"]["message"][:15]) == (status, "body: expected ")


def test_body_that_does_not_come_is_not_waited_for(proxy: LedgerProxy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_server, "_BODY_S", 0.05)
    assert send(proxy.url, GOOD, length="500")[0] == 408
    assert send(proxy.url, GOOD)[0] == 200


@pytest.mark.parametrize("body", [b"", b"zz\r\nrubbish", b"ffffffffffffffffffff\r\n", b"-1\r\n\r\n"])
def test_chunked_body_is_refused(proxy: LedgerProxy, body: bytes) -> None:
    head = f"POST {CHAT} HTTP/1.1\r\nHost: 127.0.0.1\r\n{TYPE}\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
    assert exchange(proxy.url, head + body)[0] == 411
    assert send(proxy.url, GOOD, headers=(TYPE, "Transfer-Encoding: chunked"))[0] == 411


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ((TYPE, "Origin: http://evil.example"), 403),
        ((TYPE, "Origin: null"), 403),
        ((TYPE, "Origin: http://127.0.0.1:1"), 403),
        ((TYPE, "Sec-Fetch-Site: cross-site"), 403),
        ((TYPE, "Sec-Fetch-Site: same-site"), 403),
        (("Content-Type: text/plain",), 415),
        (("Content-Type: application/x-www-form-urlencoded",), 415),
        (("Content-Type: text/plain; a=application/json",), 415),
        ((), 415),
        ((TYPE, "Origin: http://127.0.0.1", "Sec-Fetch-Site: same-origin"), 200),
        (("Content-Type: application/json; charset=utf-8", "Sec-Fetch-Site: none"), 200),
    ],
)
def test_request_of_a_web_page_is_refused(proxy: LedgerProxy, headers: tuple[str, ...], status: int) -> None:
    assert send(proxy.url, GOOD, headers=headers)[0] == status
    assert sum(one.calls for one in proxy.totals.values()) == (status == 200)


def test_bench_serve_refuses_web_pages_and_broken_bodies_too() -> None:
    with OfflineServer() as server:
        path = "/v1/chat/completions"
        assert send(server.url, GOOD, path, (TYPE, "Origin: http://evil.example"))[0] == 403
        assert send(server.url, GOOD, path, ("Content-Type: text/plain",))[0] == 415
        assert send(server.url, b"[" * 100_000, path)[0] == 400
        assert send(server.url, chat('"hi"', '"max_tokens": 1e400, '), path)[0] == 400
        foreign = b"GET /v1/models HTTP/1.1\r\nHost: 127.0.0.1\r\nSec-Fetch-Site: cross-site\r\n\r\n"
        assert exchange(server.url, foreign)[0] == 403
        assert exchange(server.url, foreign.replace(b"cross-site", b"none"))[0] == 200


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (b"PUT /v1/x HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", 501),
        (b"OPTIONS /v1/x HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: http://evil.example\r\n\r\n", 501),
        (b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", 414),
        (b"GET / HTTP/1.1\r\n" + b"a: 1\r\n" * 200 + b"\r\n", 431),
        (b"GET / HTTP/9.9\r\n\r\n", 0),
        (b"\x00\xff\x80 junk junk junk\r\n\r\n", 0),
    ],
    ids=["put", "options", "line", "headers", "version", "junk"],
)
def test_what_is_hardly_http_gets_an_answer_in_json(proxy: LedgerProxy, data: bytes, status: int) -> None:
    got, answer = exchange(proxy.url, data)
    assert got == status
    assert answer["error"]["message"].startswith("request: ")


@pytest.mark.parametrize("name", ["a\x1b[31mb", "a\x07", "\xe4\xf6", "x" * 201, ""])
def test_trial_name_that_no_terminal_should_show_is_refused(proxy: LedgerProxy, name: str) -> None:
    assert send(proxy.url, GOOD, f"/{name}/read/v1/chat/completions")[0] == 404
    assert not proxy.totals


def test_key_in_an_address_or_an_error_is_neither_recorded_nor_answered(proxy: LedgerProxy, tmp_path: Path) -> None:
    assert send(proxy.url, GOOD, f"/{KEY}/read/v1/chat/completions")[0] == 200
    assert KEY not in (tmp_path / "calls.jsonl").read_text()
    assert [trial for trial, _, _ in proxy.totals] == ["<MY_TEST_KEY>"]
    assert KEY not in str(send(proxy.url, chat('"hi"', f'"{KEY}": 1, ')))
    assert KEY not in str(send(proxy.url, f'{{"messages": "{KEY}"}}'.encode()))


def test_client_that_breaks_off_leaves_no_traceback(proxy: LedgerProxy, capfd: pytest.CaptureFixture[str]) -> None:
    place = (urlsplit(proxy.url).hostname, urlsplit(proxy.url).port)
    for data in (b"", b"POST", b"POST /v1/x HTTP/1.1\r\nContent-Length: 90\r\n\r\n{"):
        with socket.create_connection(place) as line:
            line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")  # closes with a reset
            line.sendall(data)
    assert send(proxy.url, GOOD)[0] == 200
    assert "Traceback" not in capfd.readouterr().err
