"""OpenAI's chat completions spoken directly over kept-alive HTTP connections: the way to a base URL.

vLLM, llama.cpp, Ollama, LM Studio and most gateways speak it. Needs no library, and costs a small part of the processor
time of one, so that many workers can wait on two cores. Every try has a wall limit that holds however slowly bytes
trickle in. Redirects and proxies are not followed; litellm knows proxies.
"""

from __future__ import annotations

import http.client
import io
import json
import select
import socket
import ssl
import time
from collections import deque
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from bench.errors import UsageError
from bench.models.remote.client import AttemptFailed, HttpRequest, failure, retry_after_s
from bench.models.remote.response import CompletionReader
from bench.types import Reply

__all__ = ["OpenAIClient"]


class OpenAIClient:
    """One address, one model, a pool of connections; safe to use from any number of threads."""

    def __init__(self, base_url: str, model: str, settings: Mapping[str, Any], key: str, reader: CompletionReader):
        """``settings`` go into every request as they are; ``key`` may be empty.

        Raises: UsageError for a bad address.
        """
        parts = urlsplit(base_url)
        try:
            self._port = parts.port
        except ValueError:
            self._port = -1
        if parts.scheme not in ("http", "https") or not parts.hostname or self._port == -1:
            raise UsageError(f"base URL: expected http(s)://host:port/v1, got {base_url!r}; check --base-url")
        self._host, self._secure = parts.hostname, parts.scheme == "https"
        self._path = parts.path.rstrip("/") + "/chat/completions" + (f"?{parts.query}" if parts.query else "")
        self._fixed = {"model": model, **settings}
        self._headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "memfrontier"}
        if key:
            self._headers["Authorization"] = f"Bearer {key}"
        self._reader = reader
        self._idle: deque[http.client.HTTPConnection] = deque()
        self._tls = ssl.create_default_context() if self._secure else None

    def body(self, request: HttpRequest) -> dict[str, Any]:
        """Return what is sent."""
        body = {**self._fixed, "messages": [{"role": m.role, "content": m.content} for m in request.messages]}
        if request.max_tokens is not None:
            body["max_tokens"] = request.max_tokens
        if request.stop:
            body["stop"] = list(request.stop)
        if request.seed is not None:
            body["seed"] = request.seed
        return body

    def ask(self, request: HttpRequest, timeout_s: float) -> Reply:
        """Return the reply. Raises: AttemptFailed, ContextOverflow."""
        sent = json.dumps(self.body(request)).encode()
        until_s = time.monotonic() + timeout_s
        try:
            answer = self._exchange(sent, until_s)
        except TimeoutError as cause:
            raise AttemptFailed("timeout", f"no reply in {timeout_s:g} s") from cause
        except (OSError, http.client.HTTPException) as cause:
            raise AttemptFailed("connection", f"{type(cause).__name__}: {cause}") from cause
        if answer.status != 200:
            wait_s = retry_after_s(answer.headers, time.time())
            return failure(answer.status, answer.data.decode(errors="replace"), wait_s)
        try:
            body = json.loads(answer.data)
        except ValueError as cause:
            text = answer.data[:100].decode(errors="replace")
            raise AttemptFailed("malformed", f"expected JSON, got {text!r}") from cause
        if isinstance(body, Mapping) and isinstance(error := body.get("error"), Mapping):
            code = error.get("code")  # some gateways report a fault behind a 200
            return failure(code if isinstance(code, int) else 500, json.dumps(error))
        return self._reader.reply(body, request)

    def _exchange(self, sent: bytes, until_s: float) -> _Answer:
        connection = self._connection(until_s)
        try:
            connection.sock = _Timed(_raw(connection.sock), until_s)
            connection.request("POST", self._path, sent, self._headers)
            response = connection.getresponse()
            data = response.read()
            headers = {name.lower(): value for name, value in response.getheaders()}
            answer = _Answer(response.status, headers, data)
            keep = not response.will_close and response.isclosed()
        except BaseException:
            connection.close()
            raise
        if keep:
            self._idle.append(connection)
        else:
            connection.close()
        return answer

    def _connection(self, until_s: float) -> http.client.HTTPConnection:
        """Return a connection that the other side has not closed meanwhile."""
        while True:
            try:
                connection = self._idle.pop()
            except IndexError:
                return self._connected(until_s)
            if not _stale(_raw(connection.sock)):
                return connection
            connection.close()

    def _connected(self, until_s: float) -> http.client.HTTPConnection:
        left_s = max(0.001, until_s - time.monotonic())
        if self._tls is not None:
            connection: http.client.HTTPConnection = http.client.HTTPSConnection(
                self._host, self._port, timeout=left_s, context=self._tls
            )
        else:
            connection = http.client.HTTPConnection(self._host, self._port, timeout=left_s)
        connection.connect()
        return connection

    def close(self) -> None:
        while self._idle:
            self._idle.pop().close()


class _Answer:
    """What came back."""

    __slots__ = ("data", "headers", "status")

    def __init__(self, status: int, headers: Mapping[str, str], data: bytes):
        self.status, self.headers, self.data = status, headers, data


class _Timed:
    """A socket as http.client uses it, each of whose waits ends at the same moment; head and body are sent as one."""

    def __init__(self, raw: socket.socket, until_s: float):
        self.raw, self._until_s = raw, until_s
        self._head = b""

    def sendall(self, data: bytes) -> None:
        if not self._head:  # every request has a body, which comes next
            self._head = data
            return
        self.raw.settimeout(_left_s(self._until_s))
        self.raw.sendall(self._head + data)

    def makefile(self, _mode: str) -> io.BufferedReader:
        return io.BufferedReader(_Stream(self.raw, self._until_s))

    def close(self) -> None:
        self.raw.close()


class _Stream(io.RawIOBase):
    """The bytes of one response. Closing it leaves the connection open for the next."""

    def __init__(self, raw: socket.socket, until_s: float):
        self._raw, self._until_s = raw, until_s

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._raw.settimeout(_left_s(self._until_s))
        return self._raw.recv_into(buffer)


def _left_s(until_s: float) -> float:
    left_s = until_s - time.monotonic()
    if left_s <= 0:
        raise TimeoutError
    return left_s


def _raw(sock: Any) -> socket.socket:
    raw: socket.socket = sock.raw if isinstance(sock, _Timed) else sock
    return raw


def _stale(raw: socket.socket) -> bool:
    """An idle connection on which there is something to read has been closed by the other side."""
    if not hasattr(select, "poll"):  # Windows, where select knows no highest number
        return bool(select.select([raw], [], [], 0)[0])
    poll = select.poll()
    poll.register(raw, select.POLLIN)
    return bool(poll.poll(0))
