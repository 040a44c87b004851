"""A loopback server for OpenAI's chat completions that follows a script, faults included.

The script is a function of the request; all requests are stored, byte for byte. Standard library only.
"""

from __future__ import annotations

import json
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

__all__ = ["Answer", "FakeOpenAI", "ReceivedRequest", "completion", "error", "usage"]


@dataclass(frozen=True)
class ReceivedRequest:
    """One request as it came; ``number`` counts from 1."""

    number: int
    path: str
    headers: Mapping[str, str]
    raw: bytes

    @property
    def body(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.raw)
        return found


@dataclass(frozen=True)
class Answer:
    """What the server does: answers after ``delay_s``, or cuts the connection after ``cut_after`` bytes of the body."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    delay_s: float = 0.0
    cut_after: int | None = None
    """Close the connection after this many bytes of the body; -1 = before a single byte of the answer."""
    trickle_s: float = 0.0
    """Seconds between two bytes."""
    raw: Iterable[bytes] | None = None
    """Sent instead of an HTTP response, piece by piece, until the client gives up; then the connection is closed."""


Script = Callable[[ReceivedRequest], Answer]


def usage(prompt: int, completion: int, **details: Any) -> dict[str, Any]:
    return {
        "prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion, **details,
    }  # fmt: skip


def completion(text: str | None, counted: object = None, finish: str = "stop", **message: Any) -> Answer:
    """Return a complete response; ``counted`` None = the server reports no usage."""
    reply = {"role": "assistant", "content": text, **message}
    body: dict[str, Any] = {
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "fake",
        "choices": [{"index": 0, "finish_reason": finish, "message": reply}],
    }  # fmt: skip
    if counted is not None:
        body["usage"] = counted
    return Answer(json.dumps(body).encode())


def error(status: int, message: str, code: str = "", **headers: str) -> Answer:
    body = json.dumps({"error": {"message": message, "type": "error", "code": code or None}}).encode()
    return Answer(body, status, {name.replace("_", "-"): value for name, value in headers.items()})


class FakeOpenAI:
    """Serves while its ``with`` block lasts. ``script`` may be exchanged at any time."""

    def __init__(self, script: Script, port: int = 0):
        """``port``: 0 = any that is free; a server that was closed may come again at its old one."""
        self.script = script
        self.requests: list[ReceivedRequest] = []
        self.most_at_once = 0
        self._active = 0
        self._lock = threading.Lock()
        self._server = _Server(self._answer, port)
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"

    def _answer(self, path: str, headers: Mapping[str, str], raw: bytes) -> Answer:
        with self._lock:
            request = ReceivedRequest(len(self.requests) + 1, path, headers, raw)
            self.requests.append(request)
            self._active += 1
            self.most_at_once = max(self.most_at_once, self._active)
        answer = self.script(request)
        if answer.delay_s:
            time.sleep(answer.delay_s)
        with self._lock:
            self._active -= 1
        return answer

    def __enter__(self) -> FakeOpenAI:
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False  # a hanging answer must not hang the test
    request_queue_size = 256

    def __init__(self, answer: Callable[[str, Mapping[str, str], bytes], Answer], port: int):
        self.answer = answer
        super().__init__(("127.0.0.1", port), _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exc_info()[1], ConnectionError):  # a client that was killed is what some tests are about
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers["Content-Length"]))
        answer = self.server.answer(self.path, dict(self.headers.items()), raw)
        headers = {"Content-Type": "application/json", "Content-Length": str(len(answer.body)), **answer.headers}
        head = f"HTTP/1.1 {answer.status} Fake\r\n" + "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        data = head.encode() + b"\r\n" + answer.body
        if answer.cut_after is not None:
            data = data[: len(data) - len(answer.body) + answer.cut_after] if answer.cut_after >= 0 else b""
            self.close_connection = True
        self.close_connection = self.close_connection or answer.raw is not None
        try:
            if answer.raw is not None:
                for piece in answer.raw:
                    self.wfile.write(piece)
            elif answer.trickle_s:
                for byte in data:
                    self.wfile.write(bytes([byte]))
                    time.sleep(answer.trickle_s)
            else:
                self.wfile.write(data)  # in one piece: two would wait for each other (Nagle)
            if answer.cut_after is not None:
                self.connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            self.close_connection = True  # the client has given up: some tests are about that

    def log_message(self, format: str, *args: object) -> None:
        pass
